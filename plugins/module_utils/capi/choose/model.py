# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the input and output of the planner that assigns Agents to Machines.

Input: the Agents, the demands (Machines that need an Agent) and a policy. Output: assignments with their reasons.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Literal

from ...hub.agents.model import Agent, ClusterRef
from ...hub.install.status import InstallCondition
from ..names import RESERVED_LABEL, RESERVED_NAMESPACE

Key = tuple[str, str]
Order = Literal["fit", "spread", "pack"]
ORDERS: tuple[Order, ...] = ("fit", "spread", "pack")


@dataclasses.dataclass(frozen=True)
class AgentFacts:
    """The facts about an Agent that the planner uses.

    ``bound`` is the status of its condition, empty if it has none; ``disk_bytes`` the largest disk that can be
    installed on; ``reserved_by`` and ``reserved_namespace`` name the AgentMachine that has claimed it. Sizes that are
    not known are 0.
    """

    namespace: str
    name: str
    hostname: str = ""
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    architecture: str = ""
    cpus: int = 0
    memory_bytes: int = 0
    disk_bytes: int = 0
    approved: bool = False
    validated: bool = False
    connected: bool = False
    bound: str = ""
    cluster: ClusterRef | None = None
    reserved_by: str = ""
    reserved_namespace: str = ""
    state: str = ""
    deleting: bool = False
    created: str = ""

    @property
    def key(self) -> Key:
        return self.namespace, self.name

    @property
    def title(self) -> str:
        """How messages name it: the Agent and, where there is one, its hostname."""
        return f"Agent {self.namespace}/{self.name}" + (f" ({self.hostname})" if self.hostname else "")

    @property
    def holder(self) -> Key | None:
        """The AgentMachine that has reserved it.

        Without the annotation its namespace is that of the ClusterDeployment: a claim writes both at once.
        """
        if not self.reserved_by:
            return None
        return self.reserved_namespace or (self.cluster.namespace if self.cluster else ""), self.reserved_by


@dataclasses.dataclass(frozen=True)
class HostDemand:
    """A Machine that waits for a host.

    ``namespace`` and ``name`` are those of the AgentMachine; ``created``, if given, puts the older one first when there
    is not a host for each demand. ``agent_namespace`` empty: any. ``group`` is the pool in which spread and pack count.
    ``hostname`` is that of the host which the Machine had (policy ``reuse``); ``pinned`` the Agent or hostname that it
    gets or none.
    """

    namespace: str
    name: str
    selector: Mapping[str, Any] | None = dataclasses.field(default=None, hash=False)
    architecture: str = ""
    cpus: int = 0
    memory_bytes: int = 0
    disk_bytes: int = 0
    agent_namespace: str = ""
    group: str = ""
    hostname: str = ""
    pinned: str = ""
    created: str = ""

    @property
    def key(self) -> Key:
        return self.namespace, self.name

    @property
    def title(self) -> str:
        return f"Machine {self.namespace}/{self.name}"


@dataclasses.dataclass(frozen=True)
class Policy:
    """Which of the Agents that suit. Each demand that can be served is served, whatever the policy says.

    ``order``: ``fit`` takes the hosts with the fewest CPUs, then the least memory, then the smallest disk; ``spread``
    those where the fewest Machines of the same group are, by ``topology_label`` (hosts without that label are one place
    of their own); ``pack`` those where the most are. Where that leaves a choice, hosts with preferred labels come
    first, then the smallest. ``prefer_labels`` maps a label to the value that is preferred, which counts 1, or
    ``label`` or ``label=value`` to a number that it counts, less than 0 to avoid it. With ``fit`` preferred labels come
    before the size.
    ``reuse``: a Machine gets the host back that it had, by ``history`` or the hostname of its demand. ``pins`` and
    ``history`` map a Machine, ``name`` or ``namespace/name``, to an Agent, ``name`` or ``namespace/name``, or to a
    hostname.
    """

    order: Order = "fit"
    topology_label: str = ""
    prefer_labels: Mapping[str, str | int] = dataclasses.field(default_factory=dict, hash=False)
    reuse: bool = True
    pins: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    history: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)


@dataclasses.dataclass(frozen=True)
class Rejection:
    """Why a Machine does not get a host: the ``rule`` that it fails first (``rules.RULES``) and ``text``, which goes on
    after the name of the host.
    """

    rule: str
    text: str


@dataclasses.dataclass(frozen=True)
class Chosen:
    """The host of a Machine and why this one.

    ``reserved``: it was reserved for the Machine already, nothing was chosen.
    """

    host: AgentFacts
    reasons: tuple[str, ...]
    reserved: bool = False


@dataclasses.dataclass(frozen=True)
class Choice:
    """The result. Every demand is a key of either ``assigned`` or ``unassigned``, which says why it gets none."""

    assigned: Mapping[Key, Chosen]
    unassigned: Mapping[Key, str]
    _reject: Callable[[HostDemand], list[tuple[AgentFacts, Rejection]]] = dataclasses.field(repr=False, compare=False)

    def rejections(self, demand: HostDemand) -> list[tuple[AgentFacts, Rejection]]:
        """Every host that this demand does not get, with the first rule that it fails, in the order of their names.

        Made when asked for.
        """
        return self._reject(demand)

    def lines(self) -> list[str]:
        """One sentence for each demand, in the order of their names."""
        texts = {
            key: (f"Machine {key[0]}/{key[1]} would get {chosen.host.title} because {'; '.join(chosen.reasons)}.")
            for key, chosen in self.assigned.items()
        }
        texts |= {key: f"Machine {key[0]}/{key[1]} would get no Agent: {why}." for key, why in self.unassigned.items()}
        return [texts[key] for key in sorted(texts)]


def from_agent(agent: Agent) -> AgentFacts:
    """The host of an Agent. Conditions that are not there are not True."""
    conditions = agent.conditions
    annotations = agent.raw["metadata"].get("annotations") or {}
    cpu, memory = _mapping(agent.inventory.get("cpu")), _mapping(agent.inventory.get("memory"))
    return AgentFacts(
        namespace=agent.namespace,
        name=agent.name,
        hostname=agent.hostname,
        labels=agent.labels,
        architecture=str(cpu.get("architecture") or ""),
        cpus=_number(cpu.get("count")),
        memory_bytes=_number(memory.get("physicalBytes")) or _number(memory.get("usableBytes")),
        disk_bytes=max((_number(disk.get("sizeBytes")) for disk in agent.disks if _usable(disk)), default=0),
        approved=agent.approved,
        validated=conditions.get("Validated", InstallCondition()).true,
        connected=conditions.get("Connected", InstallCondition()).true,
        bound=conditions.get("Bound", InstallCondition()).status,
        cluster=agent.cluster,
        reserved_by=str(agent.labels.get(RESERVED_LABEL) or ""),
        reserved_namespace=str(annotations.get(RESERVED_NAMESPACE) or ""),
        state=agent.state,
        deleting=agent.deleting,
        created=agent.created,
    )


def _usable(disk: Mapping[str, Any]) -> bool:
    return _mapping(disk.get("installationEligibility")).get("eligible") is True


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
