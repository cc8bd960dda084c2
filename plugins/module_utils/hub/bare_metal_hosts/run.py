# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Bring hosts that the hub boots to the desired state: observe, plan and apply BareMetalHosts and Secrets, and wait
until their BMCs have answered.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...common.errors import LimitReached, PartialFailure, RemoteError, ZeroTouchError
from ...common.parallel import for_each
from ...common.waiting import Deadline, Doubts, ProgressLines, turns
from ...kube.client import KubeClient, Object
from ...kube.write import MANAGED_BY, OURS, Change, WriteOutcome, apply_changes, diff_of
from ..agents.model import BMH_LABEL, Agent, read_agents, without_bulk
from ..infra_env.run import InfraEnvSession, Result
from ..kinds import AGENT, BARE_METAL_HOST, INFRA_ENV, NAMESPACE, SECRET
from ..namespaces import namespace_exists
from .desired import DesiredBareMetalHosts, credentials, read_names, read_requested, secret_name
from .plan import (
    PAUSED,
    BareMetalHostsPlan,
    ObservedBareMetalHosts,
    hold_back,
    is_detached,
    other_machines,
    plan_absent,
    plan_present,
    provisioning_state,
    replan,
)

# Seconds that an error of a BareMetalHost has to last before it is believed: it may be about the credentials that we
# have just replaced.
DOUBT = 30.0
_UNREGISTERED = ("", "registering", "unmanaged")


@dataclasses.dataclass(frozen=True)
class RegistrationWait:
    """Whether and how long to wait, in seconds."""

    wait: bool = True
    timeout: float = 600.0


def make_present(options: Mapping[str, Any], waiting: RegistrationWait, session: InfraEnvSession) -> Result:
    """The BareMetalHosts as described and, by default, registered: baremetal-operator got through to their
    BMCs.

    Raises :class:`InvalidInput` before anything is written, :class:`PartialFailure` with a complete account of what was
    refused or does not register.
    """
    session.secrets(credentials(options["hosts"]))
    requested = read_requested(options)
    observed = _observe_present(requested, session)
    requested = _without_new(requested, observed, options["hosts"])
    plan_present(requested, observed)  # refuses what could never be, also of what has to wait
    requested, waits = hold_back(requested, observed)
    plan = plan_present(requested, observed)
    outcomes = _carry_out(plan, requested, session)
    now = {
        **observed.hosts,
        **{outcome.change.name: outcome.object for outcome in outcomes if outcome.object and _is_host(outcome.change)},
    }
    names = [host.name for host in requested.hosts]
    errors: dict[str, str] = {}
    if waiting.wait and not session.check_mode:
        now, errors = _await_registration(names, requested, now, waiting.timeout, session)
    value = _account(plan, outcomes) | {
        "hosts": [
            {
                **_shown(name, requested.namespace, now.get(name), outcomes, errors.get(name, "")),
                "waits_for": waits.get(name, ""),
            }
            for name in names
        ]
    }
    if errors:
        lines = "\n".join(f"{name}: {reason}" for name, reason in errors.items())
        raise PartialFailure(f"{len(errors)} of {len(names)} BareMetalHosts are not registered:\n{lines}", value)
    return Result(value, diff_of(outcomes), plan.warnings)


def make_absent(options: Mapping[str, Any], waiting: RegistrationWait, session: InfraEnvSession) -> Result:
    """No BareMetalHosts of those names, nor the Secrets that this collection made for them."""
    names, namespace = read_names(options["hosts"]), str(options["namespace"])
    observed = _observe_absent(names, namespace, session)
    others = other_machines(options["hosts"], str(options.get("infra_env_name") or ""), observed)
    plan = plan_absent([name for name in names if name not in others], namespace, observed)
    plan = dataclasses.replace(plan, stays=(*plan.stays, *others.values()))
    going = {change.name for change in plan.changes if _is_host(change)}
    early = plan
    if going and not waiting.wait and not session.check_mode:
        # Without its credentials baremetal-operator could not release a machine.
        left = [
            f"{change.title} is needed until its BareMetalHost is deleted: run again"
            for change in plan.changes
            if not _is_host(change)
        ]
        early = BareMetalHostsPlan(
            tuple(stage for stage in plan.stages if _is_host(stage[0])), plan.warnings, (*plan.stays, *left)
        )

    def gone() -> None:
        if not session.check_mode:
            _await_absence(going, namespace, waiting.timeout, session)

    outcomes = _carry_out(early, None, session, between=gone if going and waiting.wait else None)
    value = _account(early, outcomes) | {"hosts": [_shown(name, namespace, None, outcomes, "") for name in names]}
    return Result(value, diff_of(outcomes), early.warnings)


def _without_new(
    desired: DesiredBareMetalHosts, observed: ObservedBareMetalHosts, hosts: Iterable[Mapping[str, Any]]
) -> DesiredBareMetalHosts:
    """The desired state without hosts that have no BareMetalHost and must not get one."""
    kept = {str(host["name"]) for host in hosts if host.get("create", True)} | observed.hosts.keys()
    return dataclasses.replace(desired, hosts=tuple(host for host in desired.hosts if host.name in kept))


def _observe_present(requested: DesiredBareMetalHosts, session: InfraEnvSession) -> ObservedBareMetalHosts:
    client, hosts = session.client, _hosts(session.client, requested.namespace)
    managed = any(host.binds and host.name in hosts for host in requested.hosts)
    return ObservedBareMetalHosts(
        hosts=hosts,
        secrets=_secrets([secret_name(host.name) for host in requested.hosts], requested.namespace, session),
        infra_env=client.find(INFRA_ENV.path(requested.namespace, requested.infra_env)),
        agents=_managed_agents(client, requested.namespace) if managed else (),
        namespace=True if hosts else namespace_exists(client, requested.namespace),
    )


def _observe_absent(names: Sequence[str], namespace: str, session: InfraEnvSession) -> ObservedBareMetalHosts:
    hosts = _hosts(session.client, namespace)
    used = [
        str((((hosts.get(name) or {}).get("spec") or {}).get("bmc") or {}).get("credentialsName") or secret_name(name))
        for name in names
    ]
    known = any(name in hosts for name in names)
    agents = _managed_agents(session.client, namespace) if known else ()
    return ObservedBareMetalHosts(hosts=hosts, secrets=_secrets(used, namespace, session), agents=agents)


def _managed_agents(client: KubeClient, namespace: str) -> tuple[Agent, ...]:
    """The Agents that BareMetalHosts manage."""
    return tuple(read_agents(client.list(AGENT.path(namespace), label_selector=BMH_LABEL, trim=without_bulk)))


def _hosts(client: KubeClient, namespace: str) -> dict[str, Object]:
    """All BareMetalHosts of the namespace; a hub that does not know the kind is said to be none."""
    try:
        return {str(host["metadata"]["name"]): host for host in client.list(BARE_METAL_HOST.path(namespace))}
    except RemoteError as error:
        if error.status != 404:
            raise
        raise ZeroTouchError(
            f"{client.server} has no BareMetalHosts: {error.detail}.",
            ("Check that baremetal-operator is installed there. Without it, boot the machines without BareMetalHosts."),
        ) from error


def _secrets(names: Iterable[str], namespace: str, session: InfraEnvSession) -> dict[str, Object]:
    """These Secrets as far as they exist: ours by one list, others one by one."""
    wanted = set(names)
    listed = session.client.list(SECRET.path(namespace), label_selector=f"{MANAGED_BY}={OURS}")
    found = {str(secret["metadata"]["name"]): secret for secret in listed if secret["metadata"]["name"] in wanted}
    for outcome in for_each(
        sorted(wanted - found.keys()), lambda name: session.client.find(SECRET.path(namespace, name)), session.forks
    ):
        if outcome.error is not None:
            raise outcome.error
        if outcome.result is not None:
            found[outcome.item] = outcome.result
    return found


def _carry_out(
    plan: BareMetalHostsPlan, requested: DesiredBareMetalHosts | None, session: InfraEnvSession, between: Any = None
) -> list[WriteOutcome]:
    """Stage by stage; ``between`` is called after the BareMetalHosts.

    Raises :class:`PartialFailure` with a complete account.
    """

    def again(change: Change, observed: Object | None) -> Change | None:
        return replan(requested, change, observed)

    done: list[WriteOutcome] = []
    new_namespace = any(change.resource == NAMESPACE for change in plan.changes)
    for stage in plan.stages:
        if session.check_mode and new_namespace and stage[0].resource != NAMESPACE:
            outcomes = [WriteOutcome(change, changed=True) for change in stage]  # there is no namespace to try it in
        else:
            outcomes = apply_changes(
                session.client, stage, forks=session.forks, check_mode=session.check_mode, replan=again
            )
        done += outcomes
        failed = [outcome for outcome in outcomes if outcome.error]
        if failed:
            account = _account(plan, done) | {"hosts": []}
            message = "\n".join(f"{outcome.change.verb} {outcome.change.title}: {outcome.error}" for outcome in failed)
            made, whole = len(account["done"]), len(plan.changes)
            left = whole - made
            raise PartialFailure(f"{message}\n{made} of {whole} changes were made, {left} were not.", account)
        if between is not None and _is_host(stage[0]):
            try:
                between()
            except ZeroTouchError as error:
                error.result = _account(plan, done) | {"hosts": []}
                raise
    return done


def _account(plan: BareMetalHostsPlan, outcomes: Sequence[WriteOutcome]) -> dict[str, Any]:
    done = [outcome.change.describe() for outcome in outcomes if outcome.changed]
    return {
        "changed": bool(done),
        "plan": [change.describe() for change in plan.changes],
        "done": done,
        "stays": list(plan.stays),
    }


def _shown(
    name: str, namespace: str, host: Object | None, outcomes: Sequence[WriteOutcome], error: str
) -> dict[str, Any]:
    """One host as results show it."""
    status = (host or {}).get("status") or {}
    changed = any(outcome.changed and outcome.change.name in (name, secret_name(name)) for outcome in outcomes)
    return {
        "name": name,
        "namespace": namespace,
        "state": provisioning_state(host or {}),
        "operational_status": str(status.get("operationalStatus") or ""),
        "powered_on": bool(status.get("poweredOn")),
        "error": error or (str(status.get("errorMessage") or "") if status.get("operationalStatus") == "error" else ""),
        "changed": changed,
        "failed": bool(error),
        "waits_for": "",
    }


def _await_registration(
    names: Sequence[str],
    requested: DesiredBareMetalHosts,
    known: Mapping[str, Object],
    timeout: float,
    session: InfraEnvSession,
) -> tuple[dict[str, Object], dict[str, str]]:
    """Until every host is registered, or has had an error for a while; the hosts as they are then, and what is wrong
    with whom.
    """
    now, open_ends = dict(known), dict[str, str]()
    doubts, lines = Doubts(session.clock, DOUBT), ProgressLines(session.clock, session.tell)

    def await_change(seconds: float) -> None:
        nonlocal now
        now = _next_look(names, requested.namespace, now, seconds, session)

    for _turn in turns(Deadline(session.clock, timeout), DOUBT / 3, await_change):
        open_ends = {name: reason for name in names if (reason := _obstacle(now.get(name)))}
        believed = {
            name
            for name in names
            if doubts.lasts(name, "error" if name in open_ends and _has_error(now.get(name)) else None)
        }
        if open_ends.keys() <= believed:
            return now, open_ends
        registered = len(names) - len(open_ends)
        first = "; ".join(f"{name}: {reason}" for name, reason in list(open_ends.items())[:3])
        lines.percent = 100 * registered // len(names)
        lines.repeat("", f"{registered} of {len(names)} hosts registered", f" ({first})")
    return now, {name: f"not registered within {timeout:g} s: {reason}" for name, reason in open_ends.items()}


def _next_look(
    names: Sequence[str], namespace: str, known: Mapping[str, Object], seconds: float, session: InfraEnvSession
) -> dict[str, Object]:
    """The hosts once the obstacles of one of them have changed, at the latest after ``seconds``."""
    now = dict(known)
    before = {name: _obstacle(known.get(name)) for name in names}
    for event in session.client.follow(BARE_METAL_HOST.path(namespace), seconds):
        name = str(event.object.get("metadata", {}).get("name") or "")
        if event.type == "LISTED":
            now = {str(host["metadata"]["name"]): host for host in event.objects}
        elif event.type == "DELETED":
            now.pop(name, None)
        elif name:
            now[name] = event.object
        if any(_obstacle(now.get(name)) != before[name] for name in names):
            break
    return now


def _obstacle(host: Mapping[str, Any] | None) -> str:
    """What keeps a host from being registered; empty when it is."""
    if host is None:
        return "it does not exist"
    if is_detached(host):
        return ""
    status = host.get("status") or {}
    if _has_error(host):
        error_type = status.get("errorType") or "error"
        error_message = status.get("errorMessage") or "no reason is given"
        return f"{error_type}: {error_message}"
    state = provisioning_state(host)
    if state not in _UNREGISTERED:
        return ""
    return f"it is {state}" if state else "baremetal-operator has not looked at it yet"


def _has_error(host: Mapping[str, Any] | None) -> bool:
    return ((host or {}).get("status") or {}).get("operationalStatus") == "error"


def _await_absence(names: set[str], namespace: str, timeout: float, session: InfraEnvSession) -> None:
    left: dict[str, Object] = {}
    for event in session.client.follow(BARE_METAL_HOST.path(namespace), timeout):
        if event.type == "LISTED":
            left = {str(host["metadata"]["name"]): host for host in event.objects if host["metadata"]["name"] in names}
        elif event.type == "DELETED":
            left.pop(str(event.object["metadata"]["name"]), None)
        elif event.object.get("metadata", {}).get("name") in names:
            left[str(event.object["metadata"]["name"])] = event.object
        if not left:
            return
    waits = "; ".join(f"{name} ({_keeps(host)})" for name, host in sorted(left.items()))
    raise LimitReached(
        f"BareMetalHosts in {namespace} were not deleted within {timeout:g} s: {waits}.",
        timeout,
        "Their Secrets are kept, because baremetal-operator needs them to release the machines. Run again when "
        "the BareMetalHosts are deleted.",
    )


def _keeps(host: Mapping[str, Any]) -> str:
    """What a host that does not go waits for."""
    paused = [f"annotation {PAUSED}"] if PAUSED in (host["metadata"].get("annotations") or {}) else []
    error = [str((host.get("status") or {}).get("errorMessage"))] if _has_error(host) else []
    return ", ".join([f"finalizer {name}" for name in host["metadata"].get("finalizers") or ()] + paused + error)


def _is_host(change: Change) -> bool:
    return change.resource == BARE_METAL_HOST
