# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Configure the hosts of a cluster as described while they register with an assisted-service, and start the
installation once all of them are ready.

A pure function decides what to do at each moment.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from ...assisted.hosts.match import match_hosts
from ...assisted.hosts.plan import ServiceHostPlan, plan_host
from ...assisted.hosts.request import ServiceHostRequest
from ...assisted.hosts.run import carry_out
from ...assisted.install.progress import read_cluster, read_host
from ...assisted.rest.client import Document
from ...assisted.rest.faults import AssistedError
from ...assisted.rest.service import AssistedService
from ...common.errors import RemoteError, Unreachable, ZeroTouchError
from ...common.parallel import for_each
from ..stop_reason import StopReason
from ..supervise.observation import Observation
from ..supervise.supervisor import UpkeepResult
from .observer import AssistedObserver

# States in which the installation has not begun and hosts may still be changed.
BEFORE = frozenset({"insufficient", "pending-for-input", "ready"})
# How often an installation is begun whose preparation fails.
STARTS = 3


@dataclasses.dataclass(frozen=True)
class UpkeepPlan:
    """``hosts`` have changes to be made; ``refused`` cannot be as described, with the reasons; ``start``: everything is
    there; else ``waits`` says for what.

    ``complete``: all hosts are there, so that waiting would not change what is refused.
    """

    hosts: tuple[ServiceHostPlan, ...] = ()
    refused: tuple[str, ...] = ()
    start: bool = False
    waits: str = ""
    complete: bool = False


def plan_upkeep(cluster: Document, hosts: Sequence[Document], requests: Sequence[ServiceHostRequest]) -> UpkeepPlan:
    """What to do now for a cluster whose installation has not begun; nothing for another one.

    It is begun only with exactly the hosts that are asked for: the service would also install a cluster without its
    workers, or a stranger with it.
    """
    if cluster.get("status") not in BEFORE:
        status = cluster.get("status") or "not known"
        return UpkeepPlan(waits=f"the cluster is {status}")
    plans = plan_hosts(requests, hosts, str(cluster.get("id") or ""))
    refused = tuple(f"{plan.request.name}: {plan.refused}" for plan in plans if plan.refused)
    changes = tuple(plan for plan in plans if plan.changes and not plan.refused)
    if refused or changes:
        return UpkeepPlan(
            changes,
            refused,
            waits="hosts are not in the desired state yet",
            complete=all(plan.host is not None for plan in plans),
        )
    open_ends = [f"{plan.request.name}: {plan.waiting}" for plan in plans if plan.waiting]
    own = {str((plan.host or {}).get("id")) for plan in plans}
    strangers = [read_host(host).name for host in hosts if str(host.get("id")) not in own]
    unready = [
        f"{host.name} is {host.status}" for host in map(read_host, hosts) if str(host.id) in own and not host.ready
    ]
    waits = [*open_ends, *(f"{name} is registered but not in the configuration" for name in strangers), *unready]
    if waits or cluster.get("status") != "ready":
        return UpkeepPlan(waits="; ".join(waits) or f"the cluster is {read_cluster(cluster).status}")
    return UpkeepPlan(start=True)


def plan_hosts(
    requests: Sequence[ServiceHostRequest], hosts: Sequence[Document], cluster_id: str
) -> list[ServiceHostPlan]:
    """What makes hosts of a cluster as described."""
    matches = match_hosts(requests, hosts, {}, cluster_id)
    return [plan_host(request, match, {}) for request, match in zip(requests, matches, strict=True)]


def change_hosts(
    service: AssistedService, plans: Sequence[ServiceHostPlan]
) -> tuple[list[str], dict[str, ZeroTouchError]]:
    """Make the changes; a line for each that was made, and by name of the host why it could not be changed."""

    def one(plan: ServiceHostPlan) -> None:
        for change in plan.changes:
            carry_out(service, plan, change)

    lines: list[str] = []
    errors: dict[str, ZeroTouchError] = {}
    for outcome in for_each(plans, one, 8):
        if isinstance(outcome.error, (RemoteError, Unreachable)):
            errors[outcome.item.request.name] = outcome.error
        elif outcome.error is not None:
            raise outcome.error
        else:
            lines += [change.text() for change in outcome.item.changes]
    return lines, errors


class Refusals:
    """What the service refuses at two looks one after the other, and with 400: waiting does not change that."""

    def __init__(self) -> None:
        self._before: dict[str, str] = {}

    def lasting(self, errors: Mapping[str, ZeroTouchError]) -> dict[str, str]:
        """By name of the host, of the errors of a look those that were there at the look before."""
        now = {
            name: str(error) for name, error in errors.items() if isinstance(error, RemoteError) and error.status == 400
        }
        known, self._before = self._before, now
        return {name: text for name, text in now.items() if known.get(name) == text}


class Upkeep:
    """Carries out :func:`plan_upkeep` between the looks of a supervisor; ``fetch`` brings credentials home as soon as
    the service has them.
    """

    def __init__(
        self,
        service: AssistedService,
        observer: AssistedObserver,
        requests: Sequence[ServiceHostRequest],
        fetch: Callable[[Document], list[str]],
    ) -> None:
        self._service, self._observer, self._requests, self._fetch = service, observer, requests, fetch
        self._starts = 0
        self._refusal = ""
        self._refusals = Refusals()
        self.refused: tuple[str, ...] = ()

    def __call__(self, seen: Observation) -> UpkeepResult:
        if not seen.service.ours:
            return UpkeepResult()
        fetched = self._fetch(self._observer.cluster)
        plan = plan_upkeep(self._observer.cluster, self._observer.hosts, self._requests)
        lines, errors = change_hosts(self._service, plan.hosts)
        lasting = self._refusals.lasting(errors)
        if plan.start:
            begun = self._start()
            return dataclasses.replace(begun, lines=(*fetched, *begun.lines), changed=begun.changed or bool(fetched))
        self.refused = (*plan.refused, *(f"{name}: {text}" for name, text in lasting.items()))
        settled = plan.complete and not lines and len(lasting) == len(errors)
        stop = (
            StopReason(f"hosts cannot reach the desired state: {'; '.join(self.refused)}")
            if self.refused and settled
            else None
        )
        reports = (f"{name}: {error}" for name, error in errors.items())
        return UpkeepResult((*fetched, *lines), (*plan.refused, *reports), stop, changed=bool(fetched or lines))

    def _start(self) -> UpkeepResult:
        cluster = read_cluster(self._observer.cluster)
        preparation = self._observer.cluster.get("last-installation-preparation") or {}
        reason = str(preparation.get("reason") or "") if preparation.get("status") == "failed" else ""
        if self._starts >= STARTS:
            shown_reason = reason or cluster.status_info or "the service gives no reason"
            text = f"the installation could not be prepared {STARTS} times: {shown_reason}"
            return UpkeepResult(stop=StopReason(text.rstrip(".")))
        try:
            self._service.cluster_action(cluster.id, "install")
        except (RemoteError, Unreachable) as error:
            # Another client may have started it, or a host may have changed: the next pass decides.
            known, self._refusal = self._refusal, str(error)
            passing = isinstance(error, AssistedError) and error.status == 409 and known != self._refusal
            return UpkeepResult() if passing else UpkeepResult(reports=(f"The installation cannot begin: {error}",))
        self._starts += 1
        again = f" again: {reason}" if self._starts > 1 and reason else ""
        return UpkeepResult(
            lines=((f"All hosts are ready. Starting the installation of cluster {cluster.name}{again}"),), changed=True
        )
