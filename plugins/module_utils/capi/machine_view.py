# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Collect the observed state of one AgentMachine, and derive which Agent it has and whether it can be released.

Pure.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from ..hub.agents.model import Agent, ClusterRef
from .bootstrap import Bootstrap
from .names import (
    CLUSTER_NAME_LABEL,
    DEPLOYMENT_NAME_LABEL,
    HOOK,
    LONGEST_LABEL,
    RESERVED_LABEL,
    RESERVED_NAMESPACE,
    SET_NAME_LABEL,
)
from .objects import Key, Object, all_conditions, annotations_of, deleting, key_of, labels_of, part, text

# States in which a host has left its cluster, so that its Machine may be deleted (6.1).
RELEASED_STATES = frozenset(
    {
        "discovering-unbound",
        "known-unbound",
        "disconnected-unbound",
        "insufficient-unbound",
        "disabled-unbound",
        "unbinding-pending-user-action",
        "error",
    }
)


@dataclasses.dataclass(frozen=True)
class CapiMachineView:
    """``owner`` is the name of the owning Machine (empty: there is none yet) and ``machine`` that Machine (None: it is
    gone).

    ``agent`` is the Agent of ``status.agentRef``, None if that is not set or the Agent is gone; ``reserved`` are those
    that carry our reservation. ``cluster`` is the ClusterDeployment to bind to, or ``cluster_obstacle`` says why there
    is none; ``needs`` names the chains that bring it about. ``selector_problem`` says what is wrong with its selector.
    ``bootstrap`` is None where ``bootstrap_obstacle`` says why the data cannot be read.
    """

    agent_machine: Object
    owner: str = ""
    machine: Object | None = None
    agent: Agent | None = None
    agent_unknown: str = ""
    reserved: tuple[Agent, ...] = ()
    cluster: ClusterRef | None = None
    cluster_obstacle: str = ""
    cluster_error: str = ""
    selector_problem: str = ""
    bootstrap: Bootstrap | None = None
    bootstrap_obstacle: str = ""
    needs: tuple[str, ...] = ()
    provisioned: bool = False

    @property
    def key(self) -> Key:
        return key_of(self.agent_machine)

    @property
    def name(self) -> str:
        return self.key[1]

    @property
    def title(self) -> str:
        return f"AgentMachine {'/'.join(self.key)}"

    @property
    def reference(self) -> Key | None:
        """``status.agentRef``."""
        found = part(self.agent_machine, "status", "agentRef")
        return (str(found.get("namespace") or ""), str(found["name"])) if found.get("name") else None

    @property
    def selector(self) -> Mapping[str, Any] | None:
        """``spec.agentLabelSelector``; none takes every Agent."""
        return part(self.agent_machine, "spec").get("agentLabelSelector")

    @property
    def misfit(self) -> str:
        """What is wrong with the machine itself, so that it can have no Agent; empty if nothing is."""
        return name_problem(self.name) or self.selector_problem

    @property
    def ready(self) -> bool:
        return part(self.agent_machine, "status").get("ready") is True

    @property
    def group(self) -> str:
        """The pool that the Machine belongs to, which is what spreading and packing count in."""
        found = labels_of(self.machine)
        return str(found.get(DEPLOYMENT_NAME_LABEL) or found.get(SET_NAME_LABEL) or found.get(CLUSTER_NAME_LABEL) or "")

    @property
    def own_agent(self) -> Agent | None:
        """The Agent that this machine has: the referenced one, as long as it is ours, else one with our reservation (a
        claim that was interrupted).
        """
        if self.agent is not None and self.is_ours(self.agent) and (self.ready or not self.agent.deleting):
            return self.agent
        return next((agent for agent in self.reserved if not agent.deleting), None)

    def is_ours(self, agent: Agent) -> bool:
        """By reservation; without any, the referenced Agent is ours while it is bound to our cluster (a restored hub
        has lost the label).
        """
        name, namespace = reservation(agent)
        if name:
            return (
                name == self.name and namespace in ("", self.key[0]) and (bool(namespace) or self._bound_to_ours(agent))
            )
        return agent.key == self.reference and self._bound_to_ours(agent)

    def _bound_to_ours(self, agent: Agent) -> bool:
        if agent.cluster is None:
            return False
        return agent.cluster == self.cluster if self.cluster is not None else agent.cluster.namespace == self.key[0]


def reservation(agent: Agent) -> Key:
    """(name, namespace) of the AgentMachine that has reserved an Agent; empty if it is not reserved, or if the
    namespace is unknown.

    Upstream compares the name alone, so that AgentMachines of equal names in two namespaces take each other's Agents
    (14).
    """
    return str(agent.labels.get(RESERVED_LABEL) or ""), str(annotations_of(agent.raw).get(RESERVED_NAMESPACE) or "")


def reservations(agents: Iterable[Agent]) -> dict[str, list[Agent]]:
    """Agents by the name of the AgentMachine that has reserved them, each list in a fixed order."""
    found: dict[str, list[Agent]] = {}
    for agent in sorted(agents, key=lambda agent: (agent.created, agent.key)):
        name = reservation(agent)[0]
        if name:
            found.setdefault(name, []).append(agent)
    return found


def name_problem(name: str) -> str:
    """Names become the value of a label; upstream finds out when it searches by it, and never claims an Agent (14)."""
    return (
        (
            f"its name has {len(name)} characters, but at most {LONGEST_LABEL} fit into the label {RESERVED_LABEL} of "
            "an Agent"
        )
        if len(name) > LONGEST_LABEL
        else ""
    )


def at_hook(machine: Mapping[str, Any] | None) -> bool:
    """Whether the Machine's deletion waits for us: its Node is drained, and not deleted yet (6.1 steps 5 to 7)."""
    for condition in all_conditions(machine):
        if condition.get("type") == "Deleting" and condition.get("reason") == "WaitingForPreTerminateHook":
            return True
        if condition.get("type") == "PreTerminateDeleteHookSucceeded" and condition.get("status") != "True":
            return True
    return False


def has_hook(machine: Mapping[str, Any] | None) -> bool:
    return HOOK in annotations_of(machine)


def may_release(view: CapiMachineView) -> bool:
    """Whether the host may be taken out of the cluster now.

    The Machine waits at our hook. Or it is being deleted and our hook is not on it, since it was deleted before we ever
    saw it or a run ended between removing the hook and removing the finalizer: then Cluster API deletes the
    AgentMachine after drain and volumes (6.2), and that is the sign. Upstream never releases the host then (14).
    """
    return deleting(view.machine) and (
        at_hook(view.machine) or (not has_hook(view.machine) and deleting(view.agent_machine))
    )


def data_secret(machine: Mapping[str, Any] | None) -> str:
    return text(machine, "spec", "bootstrap", "dataSecretName")
