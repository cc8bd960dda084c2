# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Determine the state of one Machine of a NodePool, and where it is stuck, from the Machine, its AgentMachine and its
Agent. Pure.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go;
  openshift/assisted-service internal/controller/controllers/agent_controller.go;
  openshift/cluster-machine-approver pkg/controller/csr_check.go;
  kubernetes-sigs/cluster-api core/reconcilers/machine/machine_controller.go;
  openshift/hypershift docs/content/how-to/agent.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping
from typing import Any

from ...capi.names import RESERVED_LABEL
from ...capi.objects import annotations_of, deleting, part, text
from ...cluster import host_states as states
from ...hub.agents.model import Agent
from ...hub.install.status import InstallCondition, read_conditions
from ..names import DELETE_MACHINE

# States in their usual order; those from draining on are states of a Machine that is being deleted.
STATES = (
    "waiting-for-agent",
    "no-suitable-agent",
    "binding",
    "discovering",
    "validations-failing",
    "disconnected",
    "known",
    "installing",
    "pending-user-action",
    "csr-pending",
    "node-not-ready",
    "running",
    "failed",
    "draining",
    "detaching-volumes",
    "waiting-for-hook",
    "unbinding",
    "reclaiming",
    "needs-reboot",
    "deleting",
)
# Seconds after its creation in which the cluster-machine-approver looks at a Machine's first CSR (2.3).
APPROVER_WINDOW = 2 * 3600.0
_PRE_TERMINATE = "WaitingForPreTerminateHook"
# Reasons of condition Deleting (v1beta2) and, for v1beta1, the condition that is False while it lasts.
_GOING = {
    "WaitingForPreDrainHook": ("waiting-for-hook", "PreDrainDeleteHookSucceeded", "a pre-drain hook holds it"),
    "DrainingNode": ("draining", "DrainingSucceeded", "its Node is being drained"),
    "WaitingForVolumeDetach": ("detaching-volumes", "VolumeDetachSucceeded", "its Node still has volumes"),
    _PRE_TERMINATE: (
        "waiting-for-hook",
        "PreTerminateDeleteHookSucceeded",
        "its host is being taken out of the cluster",
    ),
}


@dataclasses.dataclass(frozen=True)
class PoolMachineView:
    """One Machine. ``agent`` is (namespace, name) of the Agent it has; ``state`` one of :data:`STATES`; ``marked`` that
    it goes first when replicas shrink.
    """

    name: str
    namespace: str
    agent: tuple[str, str] | None = None
    hostname: str = ""
    node: str = ""
    state: str = "waiting-for-agent"
    reason: str = ""
    leaving: bool = False
    marked: bool = False
    version: str = ""
    created: str = ""
    uid: str = ""

    def names(self) -> frozenset[str]:
        """What users may call it, in lower case."""
        return frozenset(
            name.lower() for name in (self.name, self.hostname, self.node, self.agent[1] if self.agent else "") if name
        )

    @property
    def title(self) -> str:
        return self.name + (f" ({self.hostname})" if self.hostname else "")

    def text(self) -> str:
        """One line for progress and reports."""
        return f"{self.title}: {self.state}" + (f": {self.reason}" if self.reason else "")

    def as_dict(self) -> dict[str, Any]:
        """The row of results."""
        namespace, agent = self.agent or ("", "")
        row = {
            "name": self.name,
            "agent": agent,
            "agent_namespace": namespace,
            "hostname": self.hostname,
            "node": self.node,
        }
        return {**row, "state": self.state, "reason": self.reason, "deleting": self.leaving}


def view_machine(
    machine: Mapping[str, Any],
    agent_machine: Mapping[str, Any] | None,
    agent: Agent | None,
    now: datetime.datetime | None = None,
) -> PoolMachineView:
    """The Machine with what belongs to it. ``now`` is the hub's time; without it nothing is said about ages."""
    state, reason = _leaving(machine, agent) if deleting(machine) else _living(machine, agent_machine, agent, now)
    reference = _reference(agent_machine)
    return PoolMachineView(
        name=str(machine["metadata"]["name"]),
        namespace=str(machine["metadata"].get("namespace") or ""),
        agent=reference,
        hostname=agent.hostname if agent else _internal_name(agent_machine),
        node=text(machine, "status", "nodeRef", "name"),
        state=state,
        reason=reason,
        leaving=deleting(machine),
        marked=DELETE_MACHINE in annotations_of(machine),
        version=text(machine, "spec", "version"),
        created=text(machine, "metadata", "creationTimestamp"),
        uid=text(machine, "metadata", "uid"),
    )


def _reference(agent_machine: Mapping[str, Any] | None) -> tuple[str, str] | None:
    name = text(agent_machine, "status", "agentRef", "name")
    return (text(agent_machine, "status", "agentRef", "namespace"), name) if name else None


def _internal_name(agent_machine: Mapping[str, Any] | None) -> str:
    found = part(agent_machine, "status").get("addresses") or ()
    return next((str(each.get("address")) for each in found if each.get("type") == "InternalDNS"), "")


def _leaving(machine: Mapping[str, Any], agent: Agent | None) -> tuple[str, str]:
    conditions = read_conditions(part(machine, "status"))
    said = conditions.get("Deleting", InstallCondition())
    for reason, (state, older, words) in _GOING.items():
        before = conditions.get(older, InstallCondition())
        if said.reason != reason and not (not said.reason and before.status == "False"):
            continue
        if reason == _PRE_TERMINATE:
            return _unbinding(agent, words)
        return state, _words(said.message or before.message) or words
    return "deleting", _words(said.message) or said.reason


def _unbinding(agent: Agent | None, words: str) -> tuple[str, str]:
    """The hook is there for the host: what it is doing says why the Machine waits."""
    if agent is None:
        return "waiting-for-hook", words
    if agent.state.startswith("reclaiming"):
        return "reclaiming", agent.state
    if agent.state == states.NEEDS_DISCOVERY:
        return "needs-reboot", "the host must boot the discovery image"
    if agent.state == "unbinding":
        return "unbinding", ""
    if agent.state in states.BUSY and agent.cluster is None:
        return "waiting-for-hook", f"the host is {_installing(agent)}; it is released after the installation"
    reserved = (
        f"; its Agent is still {agent.state}"
        if agent.labels.get(RESERVED_LABEL) or agent.state in states.INSTALLED
        else ""
    )
    return "waiting-for-hook", words + reserved


def _living(
    machine: Mapping[str, Any],
    agent_machine: Mapping[str, Any] | None,
    agent: Agent | None,
    now: datetime.datetime | None,
) -> tuple[str, str]:
    if text(machine, "status", "phase") == "Failed":
        return "failed", _words(text(machine, "status", "failureMessage")) or "its phase is Failed"
    if _reference(agent_machine) is None:
        return _without_agent(agent_machine)
    if agent is None:
        return "failed", "the Agent that it had does not exist any more"
    if text(machine, "status", "nodeRef", "name"):
        return _with_node(machine, agent)
    if agent.state in states.INSTALLED or agent.stage == "Joined":
        return "csr-pending", _no_node(machine, agent, now)
    return _before_the_node(agent)


def _without_agent(agent_machine: Mapping[str, Any] | None) -> tuple[str, str]:
    if agent_machine is None:
        return "waiting-for-agent", "its AgentMachine does not exist yet"
    reserved = read_conditions(part(agent_machine, "status")).get("AgentReserved", InstallCondition())
    if reserved.reason == "NoSuitableAgents":
        return "no-suitable-agent", "no matching Agent is free (approved, validated, connected, not bound)"
    return "waiting-for-agent", _words(reserved.message) or "no Agent has been looked for yet"


def _before_the_node(agent: Agent) -> tuple[str, str]:
    """What the host does between its reservation and its first boot from the disk."""
    synced = agent.conditions.get("SpecSynced", InstallCondition())
    refused = _words(synced.message) if synced.status == "False" else ""
    failing = [validation for validation in agent.failing if validation.status == "failure"] or list(agent.failing)
    if agent.state in states.FAILED or agent.stage == "Failed":
        return "failed", _words(agent.state_info) or agent.stage or agent.state
    if agent.state == states.NEEDS_DISCOVERY:
        return "needs-reboot", "the host must boot the discovery image"
    if agent.state in states.LEAVING:
        return ("reclaiming" if agent.state.startswith("reclaiming") else "unbinding"), agent.state
    if agent.state == "installing-pending-user-action":
        return "pending-user-action", _words(agent.state_info) or "the machine did not boot from its disk"
    if agent.state in states.BUSY:
        return "installing", _installing(agent)
    if agent.state.startswith("disconnected"):
        return "disconnected", refused or "the host is disconnected from the service"
    if agent.state in states.UNBOUND or agent.state == "binding":
        return "binding", refused or (agent.state if agent.state != "binding" else "")
    if agent.state in ("insufficient", "pending-for-input") or (failing and agent.state != "discovering"):
        return "validations-failing", "; ".join(
            f"{each.id}: {_words(each.message)}" for each in failing
        ) or refused or agent.state
    if agent.state == "known":
        return "known", refused or "it is ready; the installation starts automatically"
    return ("discovering" if agent.state in ("", "discovering") else "waiting-for-agent"), refused or _words(
        agent.state_info
    ) or agent.state


def _installing(agent: Agent) -> str:
    stage = f"{agent.stage} {agent.percent}%" if agent.stage else ""
    return ", ".join(filter(None, (agent.state, stage)))


def _with_node(machine: Mapping[str, Any], agent: Agent) -> tuple[str, str]:
    conditions = read_conditions(part(machine, "status"))
    for name in ("NodeHealthy", "NodeReady"):
        condition = conditions.get(name)
        if condition is not None and not condition.true:
            return "node-not-ready", _words(condition.message) or condition.reason or f"{name} is {condition.status}"
    if agent.state in states.BUSY:
        return "installing", _installing(agent)
    if agent.state in states.FAILED:
        return "failed", _words(agent.state_info) or agent.state
    return "running", ""


def _no_node(machine: Mapping[str, Any], agent: Agent, now: datetime.datetime | None) -> str:
    approved = {str(each.get("type")) for each in part(agent.status, "csrStatus").get("approvedCSRs") or ()}
    missing = "its client CSR is not approved yet" if "client" not in approved else "its Node has no provider ID yet"
    hints = [missing]
    if agent.reported_hostname in ("", "localhost"):
        reported_hostname = agent.reported_hostname or "empty"
        hints.append(
            f"its hostname is {reported_hostname}, and a Node of that name is never approved: set spec.hostname "
            "before you bind the host"
        )
    age = _age(machine, now)
    if age is not None and age > APPROVER_WINDOW and "client" not in approved:
        hints.append(
            "the Machine is older than two hours, so the machine approver ignores its requests: approve them "
            "with node_csrs"
        )
    return "; ".join(hints)


def _age(machine: Mapping[str, Any], now: datetime.datetime | None) -> float | None:
    try:
        created = datetime.datetime.fromisoformat(text(machine, "metadata", "creationTimestamp").replace("Z", "+00:00"))
        return (now - created).total_seconds() if now is not None else None
    except (ValueError, TypeError):
        return None


def _words(message: str) -> str:
    return " ".join(message.split()).rstrip(".")
