# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the writes that one AgentMachine needs: claim and bind its Agent, update its status, release it at the end.
Pure.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ..cluster.host_states import INSTALLED
from ..hub.agents.model import Agent
from ..hub.install.status import InstallCondition
from ..hub.kinds import AGENT
from ..kube.resource import Resource
from .addresses import addresses, refreshed
from .bootstrap import Bootstrap
from .conditions import Moment, updated, with_agent, with_summary, without_agent
from .kinds import AGENT_MACHINE
from .machine_view import RELEASED_STATES, CapiMachineView, has_hook, may_release, reservation
from .names import AGENT_MACHINE_FINALIZER, HOOK, LAST_MACHINE, RESERVED_LABEL, RESERVED_NAMESPACE, provider_id
from .objects import backup_label, deleting, finalizers, generation, part, paused
from .steps import Chain, ChainStep, patch

State = Literal["ready", "installing", "waiting", "blocked", "paused", "draining", "releasing", "released", "lost"]
# States that a machine does not leave by waiting.
SETTLED: frozenset[State] = frozenset({"ready", "paused", "released", "lost"})


@dataclasses.dataclass(frozen=True)
class MachinePlan:
    """The writes for one AgentMachine, its resulting state, and the reason.

    ``agent`` is its Agent after the writes.
    """

    view: CapiMachineView
    chain: Chain
    state: State
    reason: str = ""
    agent: Agent | None = None
    problems: tuple[str, ...] = ()


def wants_agent(view: CapiMachineView) -> bool:
    """Whether an Agent is to be chosen for it now.

    One that carries our reservation is ours already, whatever its state.
    """
    if _leaving(view) or paused(view.agent_machine) or view.ready or view.agent_unknown or view.misfit:
        return False
    return (
        view.machine is not None and view.own_agent is None and view.cluster is not None and view.bootstrap is not None
    )


def _leaving(view: CapiMachineView) -> bool:
    """Nothing is claimed for a machine that goes; upstream does (14)."""
    return deleting(view.agent_machine) or deleting(view.machine)


def plan_machine(
    view: CapiMachineView, moment: str, machines: Resource, chosen: Agent | None = None, why: str = ""
) -> MachinePlan:
    """The plan; ``chosen`` and ``why`` are the planner's answer where :func:`wants_agent`.

    ``machines`` is the resource of Machines, ``moment`` the time.
    """
    if not view.owner and not deleting(view.agent_machine):
        return _plan(
            view, _present_status(view, moment, ""), "waiting", "it has no Machine as owner yet", view.own_agent
        )
    if view.machine is None:
        return _orphaned(view)
    guards = [*_hook(view, machines), *_finalizer(view)]
    ends = [*_unhook(view, machines), *_unfinalize(view)]
    if paused(view.agent_machine):
        if deleting(view.agent_machine):
            return _plan(view, ends, "released", "it is paused: the host stays in the cluster", view.own_agent)
        return _plan(view, guards, "paused", "it has the annotation cluster.x-k8s.io/paused", view.own_agent)
    if _leaving(view):
        return (
            _release(view, moment, ends)
            if may_release(view)
            else _plan(view, guards, "draining", _why_not_yet(view), view.own_agent)
        )
    return _keep(view, moment, guards, chosen, why)


def _plan(
    view: CapiMachineView,
    steps: Iterable[ChainStep],
    state: State,
    reason: str,
    agent: Agent | None = None,
    problems: Iterable[str] = (),
) -> MachinePlan:
    return MachinePlan(view, Chain(view.title, tuple(steps), view.needs), state, reason, agent, tuple(problems))


def _keep(view: CapiMachineView, moment: str, guards: list[ChainStep], chosen: Agent | None, why: str) -> MachinePlan:
    if view.agent_unknown:
        return _plan(view, guards, "blocked", view.agent_unknown, problems=[view.agent_unknown])
    own = view.own_agent
    if view.ready:
        return _keep_ready(view, moment, guards, own)
    if view.cluster_error or (view.bootstrap is None and view.bootstrap_obstacle):
        obstacle = view.cluster_error or view.bootstrap_obstacle
        return _plan(view, guards, "blocked", obstacle, own, [obstacle])
    if view.cluster is None or (view.misfit and own is None):
        obstacle = view.misfit or view.cluster_obstacle
        return _plan(view, [*guards, *_present_status(view, moment, obstacle)], "blocked", obstacle, own, [obstacle])
    agent = own or chosen
    if agent is None:
        return _plan(
            view,
            [*guards, *_forget(view), *_status(view, moment, None, without_agent(""))],
            "waiting",
            why or "no suitable Agent",
        )
    bootstrap = view.bootstrap or Bootstrap()
    claim = patch(AGENT, agent.raw, _claim(view, bootstrap), why=_claim_words(view, agent, why), owned=_OWNED)
    identity = patch(AGENT_MACHINE, view.agent_machine, {"spec": {"providerID": provider_id(agent.name)}})
    status = _status(view, moment, agent, with_agent(agent), grows=bool(identity))
    reason = why if own is None else _progress(agent)
    return _plan(view, [*guards, *claim, *identity, *status], "installing", reason, agent, _surplus(view, agent))


# What a claim sets as a whole: headers of earlier bootstrap data do not stay.
_OWNED = ("spec.clusterDeploymentName", "spec.ignitionEndpointTokenReference", "spec.ignitionEndpointHTTPHeaders")


def _claim(view: CapiMachineView, bootstrap: Bootstrap) -> dict[str, Any]:
    """The Agent as it has to be: reserved, bound, and with the source of its ignition.

    Setting it twice is no change.
    """
    reference = None if view.cluster is None else {"name": view.cluster.name, "namespace": view.cluster.namespace}
    token = {"namespace": bootstrap.secret[0], "name": bootstrap.secret[1]} if bootstrap.secret else None
    return {
        "metadata": {"labels": {RESERVED_LABEL: view.name}, "annotations": {RESERVED_NAMESPACE: view.key[0]}},
        "spec": {
            "clusterDeploymentName": reference,
            "machineConfigPool": bootstrap.pool or None,
            "ignitionEndpointTokenReference": token,
            "ignitionEndpointHTTPHeaders": dict(bootstrap.headers) or None,
        },
    }


def _claim_words(view: CapiMachineView, agent: Agent, why: str) -> str:
    if agent is view.own_agent:
        return f"it belongs to {view.title}"
    why_note = f": {why}" if why else ""
    return f"{view.title} gets it{why_note}"


def _surplus(view: CapiMachineView, agent: Agent) -> list[str]:
    """Two parties that claimed at the same moment."""
    return [
        f"{other.title} is also reserved for {view.title}, which already has {agent.title}: unbind {other.title}"
        for other in view.reserved
        if other.key != agent.key
    ]


def _progress(agent: Agent) -> str:
    stage = f", {agent.stage} {agent.percent}%" if agent.stage else ""
    failing = "; ".join(found.id for found in agent.failing if found.status == "failure")
    state = agent.state or "not known to the service yet"
    why = f" ({failing})" if failing and agent.state not in INSTALLED else ""
    return f"its host is {state}{stage}{why}"


def _keep_ready(view: CapiMachineView, moment: str, guards: list[ChainStep], own: Agent | None) -> MachinePlan:
    """Once ready it stays ready, as the contract has it; the conditions go on saying what the Agent says, which
    upstream's do not (14).
    """
    if own is None:
        reference = "/".join(view.reference or ("", "(unnamed)"))
        what = "is gone" if view.agent is None else "belongs to another Machine now"
        return _plan(
            view,
            guards,
            "lost",
            f"its Agent {reference} {what}; the Node stays",
            problems=[f"{view.title}: its Agent {reference} {what}"],
        )
    return _plan(view, [*guards, *_status(view, moment, own, with_agent(own))], "ready", _progress(own), own)


def _forget(view: CapiMachineView) -> list[ChainStep]:
    """The reserved Agent was deleted or taken away before the host was installed: upstream waits for it
    indefinitely.
    """
    if view.reference is None and not part(view.agent_machine, "spec").get("providerID"):
        return []
    return patch(AGENT_MACHINE, view.agent_machine, {"spec": {"providerID": None}}, why="its Agent was deleted")


def _present_status(view: CapiMachineView, moment: str, obstacle: str) -> list[ChainStep]:
    """The status of a machine that cannot be given an Agent now: of the one it has, or that it has none.

    An Agent that we cannot judge stays its own.
    """
    own = view.own_agent
    if own is None and view.reference is not None:
        return []
    return _status(view, moment, own, with_agent(own) if own else without_agent(obstacle), grows=False)


def _status(
    view: CapiMachineView,
    moment: str,
    agent: Agent | None,
    conditions: Mapping[str, InstallCondition],
    *,
    grows: bool | None = None,
) -> list[ChainStep]:
    """The status in one patch: conditions, reference and addresses come together or not at all (8.3).

    ``grows`` is whether a spec change comes before.
    """
    machine = view.agent_machine
    present = part(machine, "status")
    if grows is None:
        grows = agent is None and bool(_forget(view))
    everything = with_summary(conditions)
    wanted: dict[str, Any] = {
        "conditions": updated(
            present.get("conditions") or [], everything, Moment(moment, generation(machine) + (1 if grows else 0))
        )
    }
    ready = view.ready or everything["Ready"].true
    if ready or "ready" in present:
        wanted["ready"] = ready
    if ready and view.provisioned:
        wanted["initialization"] = {"provisioned": True}
    if agent is not None:
        wanted["agentRef"] = {"name": agent.name, "namespace": agent.namespace}
        same = view.reference == agent.key
        wanted["addresses"] = refreshed(present.get("addresses") or [], agent) if same else addresses(agent)
    elif view.reference is not None:
        wanted |= {"agentRef": None, "addresses": None}
    return patch(AGENT_MACHINE, machine, {"status": wanted}, subresource="status")


def _hook(view: CapiMachineView, machines: Resource) -> list[ChainStep]:
    if view.machine is None or has_hook(view.machine) or deleting(view.machine):
        return []
    return patch(
        machines,
        view.machine,
        {"metadata": {"annotations": {HOOK: ""}}},
        why=("it delays the deletion until the host is released"),
    )


def _finalizer(view: CapiMachineView) -> list[ChainStep]:
    machine = view.agent_machine
    present = finalizers(machine)
    # A Machine that goes is held up for its host alone; without our hook the finalizer is all that does it.
    needless = deleting(machine) or (deleting(view.machine) and not _mine(view) and not view.agent_unknown)
    wanted = present if AGENT_MACHINE_FINALIZER in present or needless else [*present, AGENT_MACHINE_FINALIZER]
    label = {} if paused(machine) or _leaving(view) else backup_label(machine)
    return patch(AGENT_MACHINE, machine, {"metadata": {"finalizers": wanted, "labels": label}})


def _why_not_yet(view: CapiMachineView) -> str:
    if not deleting(view.machine):
        return (
            "its AgentMachine is being deleted, but not its Machine: the host is released when the Machine is deleted"
        )
    if not has_hook(view.machine):
        return (
            "its Machine is being deleted, and has no hook of this collection: Cluster API drains the Node, waits for "
            "its volumes, and then deletes the AgentMachine"
        )
    return "its Machine is being deleted and has not come to the hook yet (drain, volumes)"


def _release(view: CapiMachineView, moment: str, ends: list[ChainStep]) -> MachinePlan:
    """The host out of the cluster; once it is, hook and finalizer off (6.1)."""
    if view.agent_unknown:
        return _concealed(view)
    steps: list[ChainStep] = []
    mine = _mine(view)
    if mine and view.reference is None:
        # Who is waited for has to be known after the reservation is gone, too: an interrupted claim is finished first.
        steps += _status(view, moment, mine[0], with_agent(mine[0]), grows=False)
    for agent in mine:
        steps += patch(AGENT, agent.raw, unbound(view), why=f"{view.title} releases it")
    leaving = list(mine)
    if (
        view.agent is not None
        and view.agent not in mine
        and not reservation(view.agent)[0]
        and view.agent.cluster is None
    ):
        leaving.append(view.agent)
    for agent in leaving:
        if agent.state not in RELEASED_STATES:
            hostname = agent.hostname or agent.name
            state = agent.state or "of unknown state"
            return _plan(view, steps, "releasing", f"its host {hostname} is {state}", agent)
    reason = "it has no host"
    if leaving:
        name = leaving[0].hostname or leaving[0].name
        reason = f"its host {name} is {leaving[0].state}"
    return _plan(view, [*steps, *ends], "released", reason, leaving[0] if leaving else None)


def _mine(view: CapiMachineView) -> list[Agent]:
    """Every Agent that is bound or reserved for the machine; two where parties claimed at the same moment."""
    return [
        agent for agent in dict.fromkeys([*view.reserved, *([view.agent] if view.agent else [])]) if view.is_ours(agent)
    ]


def _concealed(view: CapiMachineView) -> MachinePlan:
    """Hook and finalizer stay: without them the Agent that we may not read would stay bound."""
    return _plan(view, [], "blocked", view.agent_unknown, problems=[view.agent_unknown])


def unbound(view: CapiMachineView) -> dict[str, Any]:
    """The Agent without everything that a claim set.

    The note on whom it served is ours: with policy ``reuse`` that Machine's name gets it again.
    """
    return {
        "metadata": {
            "labels": {RESERVED_LABEL: None},
            "annotations": {RESERVED_NAMESPACE: None, LAST_MACHINE: "/".join(view.key)},
        },
        "spec": {
            "clusterDeploymentName": None,
            "machineConfigPool": None,
            "ignitionEndpointTokenReference": None,
            "ignitionEndpointHTTPHeaders": None,
        },
    }


def _unhook(view: CapiMachineView, machines: Resource) -> list[ChainStep]:
    if view.machine is None or not has_hook(view.machine):
        return []
    return patch(machines, view.machine, {"metadata": {"annotations": {HOOK: None}}}, why="the host is released")


def _unfinalize(view: CapiMachineView) -> list[ChainStep]:
    present = finalizers(view.agent_machine)
    if AGENT_MACHINE_FINALIZER not in present:
        return []
    kept = [name for name in present if name != AGENT_MACHINE_FINALIZER]
    return patch(AGENT_MACHINE, view.agent_machine, {"metadata": {"finalizers": kept}}, why="the host is released")


def _orphaned(view: CapiMachineView) -> MachinePlan:
    """Its Machine was removed by force: upstream drops the finalizer and leaves the Agent bound and labelled."""
    if not deleting(view.agent_machine):
        reason = f"its Machine {view.owner} was deleted; garbage collection deletes this AgentMachine"
        return _plan(view, [], "draining", reason, view.own_agent)
    if view.agent_unknown:
        return _concealed(view)
    mine = _mine(view)
    steps = [
        step
        for agent in mine
        for step in patch(AGENT, agent.raw, unbound(view), why=f"{view.title} and its Machine were deleted")
    ]
    return _plan(view, [*steps, *_unfinalize(view)], "released", "its Machine was deleted", mine[0] if mine else None)
