# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Hosts of the service as wished: observe, plan, apply, and again until they are what is waited for."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..common.clock import Clock, SystemClock
from ..common.errors import PartialFailure, RemoteError, Unreachable
from ..common.parallel import for_each
from .change import Change
from .client import Document
from .host_match import match_hosts
from .host_plan import ARGUMENTS, BIND, DELETE, IGNITION, UNBIND, HostPlan, plan_host
from .host_request import HostRequest
from .lookup import required
from .progress import read_host
from .records import host_record, validation_rows
from .service import AssistedService

# Seconds between two looks; the service's monitors run every 8 and 10 s (reference assisted-rest.md 7), and it has no watch.
PAUSE = 5.0
TARGETS = ("none", "registered", "ready", "bound", "unbound")


@dataclasses.dataclass(frozen=True)
class Bulk:
    """``infra_env`` and ``cluster`` (names or ids) say where to look; at least one of them."""

    requests: Sequence[HostRequest]
    infra_env: str = ""
    cluster: str = ""
    wait_for: str = "none"
    timeout: float = 1800.0
    forks: int = 20
    check_mode: bool = False
    clock: Clock = dataclasses.field(default_factory=SystemClock)
    tell: Callable[[str], None] = lambda text: None


@dataclasses.dataclass
class _Account:
    """What has been done so far, by name of the host."""

    done: dict[str, list[Change]]
    failed: dict[str, str]


def bring_hosts(service: AssistedService, bulk: Bulk) -> tuple[dict[str, Any], list[Change]]:
    """The result of the door, and the changes. Raises :class:`PartialFailure` with the complete list where a host is not as wished."""
    clusters = _clusters(service, bulk)
    account = _Account({request.name: [] for request in bulk.requests}, {})
    ends = bulk.clock.now() + bulk.timeout
    told: set[str] = set()
    while True:
        hosts = _hosts(service, bulk, clusters)
        plans = [plan_host(match, clusters) for match in match_hosts(bulk.requests, hosts)]
        for plan in plans:
            if plan.refused:
                account.failed[plan.match.request.name] = plan.refused
        if bulk.check_mode:
            return _result(bulk, plans, account, open_ends=bulk.wait_for == "none")
        pending = [plan for plan in plans if plan.match.request.name not in account.failed]
        made = _apply(service, bulk, pending, account)
        open_ends = [(plan, why) for plan in pending if plan.match.request.name not in account.failed and (why := _missing(plan, bulk.wait_for))]
        if bulk.wait_for == "none" or not (open_ends or (made and bulk.wait_for != "registered")):
            break
        _tell_once(bulk, open_ends, told)
        if bulk.clock.now() >= ends:
            account.failed |= {plan.match.request.name: f"{bulk.timeout:g} s are over: {why}" for plan, why in open_ends}
            break
        bulk.clock.sleep(PAUSE)
    seen = {str(host.get("id")): host for host in _hosts(service, bulk, clusters)} if any(account.done.values()) else None
    return _result(bulk, plans, account, open_ends=True, seen=seen)


def _tell_once(bulk: Bulk, open_ends: Sequence[tuple[HostPlan, str]], told: set[str]) -> None:
    lines = [f"{plan.match.request.name}: waits, {why}" for plan, why in open_ends]
    for line in dict.fromkeys(lines):
        if line not in told:
            told.add(line)
            bulk.tell(line)


def _clusters(service: AssistedService, bulk: Bulk) -> dict[str, str]:
    names = {request.cluster for request in bulk.requests if request.cluster} | ({bulk.cluster} if bulk.cluster else set())
    known = service.clusters() if names else []
    return {name: str(required(known, "cluster", name)["id"]) for name in sorted(names)}


def _hosts(service: AssistedService, bulk: Bulk, clusters: Mapping[str, str]) -> list[Document]:
    if bulk.infra_env:
        infra_env = required(service.infra_envs(), "InfraEnv", bulk.infra_env)
        hosts = service.hosts(str(infra_env["id"]))
        own = {clusters[bulk.cluster], ""} if bulk.cluster else None
        return [host for host in hosts if own is None or str(host.get("cluster_id") or "") in own]
    return service.cluster_hosts(clusters[bulk.cluster])


def _missing(plan: HostPlan, target: str) -> str:
    """What is still missing for a host to be what is waited for; raises nothing. Empty: nothing is."""
    request, host = plan.match.request, plan.match.host
    if request.absent or plan.waiting:
        return plan.waiting
    if host is None:
        return plan.match.reason
    progress = read_host(host)
    if target == "ready" and not progress.joined and progress.status not in ("known", "known-unbound") and not progress.status.startswith("preparing"):
        return f"it is {progress.status}: {progress.status_info}"
    if target == "bound" and not host.get("cluster_id"):
        return "it belongs to no cluster yet"
    if target == "bound" and progress.status == "binding":
        return "it is binding"
    if target == "unbound" and not progress.status.endswith("-unbound"):
        return f"it is {progress.status}"
    return ""


def _apply(service: AssistedService, bulk: Bulk, plans: Sequence[HostPlan], account: _Account) -> bool:
    """Whether anything was changed."""
    work = [plan for plan in plans if plan.changes]

    def one(plan: HostPlan) -> None:
        for change in plan.changes:
            _carry_out(service, plan, change)
            account.done[plan.match.request.name].append(change)

    for outcome in for_each(work, one, bulk.forks):
        if isinstance(outcome.error, (RemoteError, Unreachable)):
            account.failed[outcome.item.match.request.name] = str(outcome.error)
        elif outcome.error is not None:
            raise outcome.error
    return any(account.done[plan.match.request.name] for plan in work)


def _carry_out(service: AssistedService, plan: HostPlan, change: Change) -> None:
    host = plan.match.host or {}
    where = str(host.get("infra_env_id")), str(host.get("id"))
    if change.verb == DELETE:
        service.delete_host(*where)
    elif change.verb == BIND:
        service.bind_host(*where, str(change.body["cluster_id"]))
    elif change.verb == UNBIND:
        service.host_action(*where, "unbind")
    elif change.verb == IGNITION:
        service.update_host_ignition(*where, str(change.body["config"]))
    elif change.verb == ARGUMENTS:
        service.update_installer_args(*where, change.body["args"])
    else:
        service.update_host(*where, change.body)


def _result(
    bulk: Bulk, plans: Sequence[HostPlan], account: _Account, *, open_ends: bool, seen: Mapping[str, Document] | None = None
) -> tuple[dict[str, Any], list[Change]]:
    """``open_ends``: what is still missing is a failure (it is none in check mode of a run that would wait for it)."""
    records = []
    lines: list[str] = []
    for plan in plans:
        name = plan.match.request.name
        changes = list(plan.changes) if bulk.check_mode and not plan.refused else account.done[name]
        reason = account.failed.get(name) or (_missing(plan, bulk.wait_for if open_ends else "none") if open_ends else "")
        waits = [f"wait for host {name}: {plan.waiting}"] if bulk.check_mode and plan.waiting and not open_ends else []
        lines += [*(change.text() for change in changes), *waits]
        host = plan.match.host
        now = (seen or {}).get(str((host or {}).get("id"))) or host
        record = host_record(now) if now else {}
        failing = [{key: row[key] for key in ("id", "status", "message")} for row in validation_rows([now] if now else [], "host", all_of_them=False)]
        records.append(
            {
                **{key: record.get(key, "") for key in ("id", "infra_env_id", "cluster_id", "hostname", "role", "status", "installation_disk_id")},
                "name": name,
                "by": plan.match.by if host else "",
                "changed": bool(changes),
                "changes": [change.text() for change in changes],
                "failed": bool(reason),
                "reason": reason or plan.waiting,
                "validations": failing,
            }
        )
    every = [change for plan in plans for change in (plan.changes if bulk.check_mode and not plan.refused else account.done[plan.match.request.name])]
    result = {
        "changed": bool(every),
        "plan": lines,
        "hosts": records,
        "unmatched": [
            {"name": plan.match.request.name, "reason": plan.match.reason} for plan in plans if plan.match.host is None and not plan.match.candidates
        ],
        "ambiguous": [
            {"name": plan.match.request.name, "hosts": [str(each.get("id")) for each in plan.match.candidates], "reason": plan.match.reason}
            for plan in plans
            if plan.match.candidates
        ],
    }
    failures = [record for record in records if record["failed"]]
    if failures:
        words = "\n".join(f"{record['name']}: {record['reason']}" for record in failures)
        raise PartialFailure(f"{len(failures)} of {len(records)} hosts are not as wished.\n{words}", result)
    return result, every
