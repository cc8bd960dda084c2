# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Bring hosts of an assisted-service to the desired state: observe, plan, apply, and repeat until the state to wait for
is reached.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from ...common.clock import Clock, SystemClock
from ...common.errors import RemoteError, Unreachable
from ...common.listed import listed
from ...common.parallel import API_FORKS, for_each
from ...common.secrets import secret_values
from ...common.waiting import Deadline, ProgressLines, WaitStatus, turns
from ..change import ServiceChange
from ..install.narration import FEW
from ..lookup import only_one, required
from ..rest.auth import NoToken
from ..rest.client import Document
from ..rest.patience import patiently
from ..rest.service import AssistedService
from .match import match_hosts
from .plan import BIND, DELETE, UNBIND, ServiceHostPlan, plan_host
from .request import ServiceHostRequest
from .result import HostsAccount, hosts_result
from .settings import ARGUMENTS, IGNITION, RESET
from .waits import Target, wait_status

# Seconds between two reads; the service's monitors run every 8 and 10 s, and it has no watch.
# Source: openshift/assisted-service internal/host/statemachine.go, internal/cluster/statemachine.go.
PAUSE = 5.0


@dataclasses.dataclass(frozen=True)
class Bulk:
    """``infra_env`` and ``cluster`` (names or ids) say where to look; at least one of them.

    ``learnt`` receives secrets that the service shows.
    """

    requests: Sequence[ServiceHostRequest]
    infra_env: str = ""
    cluster: str = ""
    wait_for: Target = "none"
    timeout: float = 1800.0
    forks: int = API_FORKS
    check_mode: bool = False
    clock: Clock = dataclasses.field(default_factory=SystemClock)
    tell: Callable[[str], None] = lambda text: None
    learnt: Callable[[set[str]], None] = lambda found: None
    warn: Callable[[str], None] = lambda text: None


@dataclasses.dataclass(frozen=True)
class HostsScope:
    """Where hosts are looked for: ids, empty for none.

    ``clusters`` has the id of each cluster that is named, ``default_cluster`` is that of the others.

    ``nothing``: what is not there yet, in check mode, where an earlier task may be going to make it.
    """

    infra_env_id: str = ""
    cluster_id: str = ""
    default_cluster: str = ""
    clusters: dict[str, str] = dataclasses.field(default_factory=dict)
    nothing: str = ""


def reconcile_hosts(service: AssistedService, bulk: Bulk) -> tuple[dict[str, Any], list[ServiceChange]]:
    """The result of the module, and the changes.

    Raises :class:`PartialFailure` with the complete list where a host is not as described.
    """
    scope = _scope(service, bulk)
    return _Registration(service, bulk, scope).run()


class _Registration:
    """One task's hosts being brought to what is requested."""

    def __init__(self, service: AssistedService, bulk: Bulk, scope: HostsScope) -> None:
        self.service, self.bulk, self.scope = service, bulk, scope
        self.account = HostsAccount({request.name: [] for request in bulk.requests}, {})
        self._lines = ProgressLines(bulk.clock, bulk.tell, timed=False)

    def run(self) -> tuple[dict[str, Any], list[ServiceChange]]:
        bulk, account = self.bulk, self.account
        plans = self._plans(self._hosts())
        if bulk.check_mode:
            self._refuse(plans)
            return self._predicted(plans)
        open_ends: list[tuple[ServiceHostPlan, WaitStatus]] = []
        for turn in turns(Deadline(bulk.clock, bulk.timeout), PAUSE):
            plans = plans if turn == 1 else self._plans_now(plans)
            self._refuse(plans)
            made = self._apply([plan for plan in plans if plan.request.name not in account.failed])
            open_ends = self._open_ends(plans)
            if bulk.wait_for == "none" or not (open_ends or (made and bulk.wait_for != "registered")):
                break
            self._tell([f"{plan.request.name}: waits, {why.reason}" for plan, why in open_ends])
            names = [plan.request.name for plan, _why in open_ends]
            self._lines.beat(f"still waiting for {listed(names, FEW)}")
        else:
            account.failed |= {
                plan.request.name: f"{bulk.timeout:g} s are over: {why.reason}" for plan, why in open_ends
            }
        return hosts_result(plans, account, bulk.wait_for, seen=self._seen_now(plans))

    def _predicted(self, plans: Sequence[ServiceHostPlan]) -> tuple[dict[str, Any], list[ServiceChange]]:
        nothing = self.scope.nothing
        if not nothing:
            return hosts_result(plans, self.account, self.bulk.wait_for, predicted=True)
        self.bulk.warn(f"The service has no {nothing}. Check mode assumes that an earlier task creates it.")
        later = [
            plan if plan.request.absent else dataclasses.replace(plan, waiting=f"there is no {nothing} yet")
            for plan in plans
        ]
        return hosts_result(later, self.account, "registered", predicted=True)

    def _plans(self, hosts: Sequence[Document]) -> list[ServiceHostPlan]:
        bulk, scope = self.bulk, self.scope
        bulk.learnt(
            secret_values(
                [host["fencing_credentials"] for host in hosts if isinstance(host.get("fencing_credentials"), dict)]
            )
        )
        matches = match_hosts(bulk.requests, hosts, scope.clusters, scope.default_cluster)
        plans = [
            plan_host(request, match, scope.clusters) for request, match in zip(bulk.requests, matches, strict=True)
        ]
        return [self._without_repeats(plan) for plan in plans]

    def _plans_now(self, known: Sequence[ServiceHostPlan]) -> list[ServiceHostPlan]:
        """The plans for the hosts as they are now.

        While the service does not answer, the known ones without changes, which are planned again later.
        """
        seen = patiently(self._hosts, lambda text: self._tell([text]))
        if seen is not None:
            return self._plans(seen)
        return [
            dataclasses.replace(plan, changes=(), waiting=plan.waiting or "the service does not answer")
            for plan in known
        ]

    def _without_repeats(self, plan: ServiceHostPlan) -> ServiceHostPlan:
        """A validation is asked for again once in a task: what fails then goes on failing."""
        done = {change.body["validation_id"] for change in self.account.done[plan.request.name] if change.verb == RESET}
        kept = [change for change in plan.changes if change.verb != RESET or change.body["validation_id"] not in done]
        return dataclasses.replace(plan, changes=kept)

    def _refuse(self, plans: Sequence[ServiceHostPlan]) -> None:
        self.account.failed |= {plan.request.name: plan.refused for plan in plans if plan.refused}

    def _open_ends(self, plans: Sequence[ServiceHostPlan]) -> list[tuple[ServiceHostPlan, WaitStatus]]:
        found = [
            (plan, wait_status(plan, self.bulk.wait_for))
            for plan in plans
            if plan.request.name not in self.account.failed
        ]
        self.account.failed |= {plan.request.name: why.reason for plan, why in found if why.final}
        return [(plan, why) for plan, why in found if why.reason and not why.final]

    def _hosts(self) -> list[Document]:
        scope = self.scope
        if scope.nothing:
            return []
        if scope.infra_env_id:
            hosts = self.service.hosts(scope.infra_env_id)
            own = {scope.cluster_id, ""} if scope.cluster_id else None
            return [host for host in hosts if own is None or str(host.get("cluster_id") or "") in own]
        return self.service.cluster_hosts(scope.cluster_id)

    def _seen_now(self, plans: Sequence[ServiceHostPlan]) -> dict[str, Document]:
        """Hosts as they are after the last change; as they were seen before it where the service does not answer any
        more.
        """
        if not any(self.account.done.values()):
            return {}
        hosts = patiently(self._hosts, lambda text: self._tell([text])) or [
            plan.host for plan in plans if plan.host is not None
        ]
        return {str(host.get("id")): host for host in hosts}

    def _apply(self, plans: Sequence[ServiceHostPlan]) -> bool:
        """Whether anything was changed."""
        work = [plan for plan in plans if plan.changes]

        def one(plan: ServiceHostPlan) -> None:
            for change in plan.changes:
                carry_out(self.service, plan, change)
                self.account.done[plan.request.name].append(change)

        for outcome in for_each(work, one, self.bulk.forks):
            if isinstance(outcome.error, (RemoteError, Unreachable, NoToken)):
                self.account.failed[outcome.item.request.name] = str(outcome.error)
            elif outcome.error is not None:
                raise outcome.error
        return any(self.account.done[plan.request.name] for plan in work)

    def _tell(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._lines.tell(line, line)  # no line twice in a task


def _scope(service: AssistedService, bulk: Bulk) -> HostsScope:
    """Raises :class:`ZeroTouchError` for an unknown name. In check mode an earlier task may create what is missing."""
    names = {request.cluster for request in bulk.requests if request.cluster} | (
        {bulk.cluster} if bulk.cluster else set()
    )
    known = service.clusters() if names else []
    if bulk.check_mode:
        found = {name: only_one(known, "cluster", name) for name in sorted(names)}
        clusters = {name: str((document or {}).get("id") or f"(cluster {name})") for name, document in found.items()}
        missing = [f"cluster {name}" for name, document in found.items() if document is None and name == bulk.cluster]
    else:
        clusters, missing = {name: str(required(known, "cluster", name)["id"]) for name in sorted(names)}, []
    cluster_id = clusters.get(bulk.cluster, "")
    if not bulk.infra_env:
        return HostsScope("", cluster_id, cluster_id, clusters, "; ".join(missing))
    infra_envs = service.infra_envs()
    infra_env = (
        only_one(infra_envs, "InfraEnv", bulk.infra_env)
        if bulk.check_mode
        else required(infra_envs, "InfraEnv", bulk.infra_env)
    )
    missing += [] if infra_env else [f"InfraEnv {bulk.infra_env}"]
    document = infra_env or {}
    return HostsScope(
        str(document.get("id") or ""),
        cluster_id,
        cluster_id or str(document.get("cluster_id") or ""),
        clusters,
        "; ".join(missing),
    )


def carry_out(service: AssistedService, plan: ServiceHostPlan, change: ServiceChange) -> None:
    host = plan.host or {}
    if change.verb == DELETE:
        source = change.body or host
        service.delete_host(str(source.get("infra_env_id")), str(source.get("id")))
        return
    where = str(host.get("infra_env_id")), str(host.get("id"))
    if change.verb == BIND:
        service.bind_host(*where, str(change.body["cluster_id"]))
    elif change.verb == UNBIND:
        service.host_action(*where, "unbind")
    elif change.verb == IGNITION:
        service.update_host_ignition(*where, str(change.body["config"]))
    elif change.verb == ARGUMENTS:
        service.update_installer_args(*where, change.body["args"])
    elif change.verb == RESET:
        service.reset_validation(*where, str(change.body["validation_id"]))
    else:
        service.update_host(*where, change.body)
