# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read a NodePool and all objects that belong to it: HostedCluster, Machines, AgentMachines, Agents.

Source: docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...capi.kinds import AGENT_MACHINE, CoreKinds, core_kinds
from ...capi.names import RESERVED_LABEL, RESERVED_NAMESPACE
from ...capi.objects import annotations_of, key_of, part, text
from ...cluster.host_states import NEEDS_DISCOVERY
from ...common.errors import ZeroTouchError
from ...hub.agents.model import Agent, read_agents, without_bulk
from ...hub.kinds import AGENT
from ...kube.client import KubeClient, Object
from ...kube.faults import UnknownKindError
from ..conditions import Conditions, read_conditions
from ..kinds import HOSTED_CLUSTER, NODE_POOL
from ..names import POOL_ANNOTATION, control_plane_namespace, pool_key
from .machine_status import PoolMachineView, view_machine

AgentKey = tuple[str, str]  # namespace, name
FREE = "known-unbound"


@dataclasses.dataclass(frozen=True)
class PoolView:
    """A NodePool as observed. ``pool`` and ``hosted_cluster`` are the objects, or None.

    ``agents`` are all Agents of the hosted cluster's agent namespace.
    """

    namespace: str
    name: str
    pool: Object | None = dataclasses.field(default=None, repr=False)
    hosted_cluster: Object | None = dataclasses.field(default=None, repr=False)
    machines: tuple[PoolMachineView, ...] = ()
    agents: tuple[Agent, ...] = dataclasses.field(default=(), repr=False)
    rollout: str = ""

    @property
    def title(self) -> str:
        return f"NodePool {self.namespace}/{self.name}"

    @property
    def cluster(self) -> str:
        return text(self.pool, "spec", "clusterName")

    @property
    def conditions(self) -> Conditions:
        return read_conditions(self.pool)

    @property
    def auto_scaling(self) -> tuple[int, int] | None:
        """(min, max) where the autoscaler decides."""
        found = part(self.pool, "spec", "autoScaling")
        return (int(found.get("min") or 0), int(found.get("max") or 0)) if found else None

    @property
    def desired(self) -> int | None:
        """The desired replicas of the pool; None where the autoscaler decides."""
        return None if self.auto_scaling else int(part(self.pool, "spec").get("replicas") or 0)

    @property
    def ready(self) -> int:
        """How many of its Nodes are Ready: that is what a NodePool calls its replicas (1.3)."""
        return int(part(self.pool, "status").get("replicas") or 0)

    @property
    def staying(self) -> tuple[PoolMachineView, ...]:
        return tuple(machine for machine in self.machines if not machine.leaving)

    @property
    def leaving(self) -> tuple[PoolMachineView, ...]:
        return tuple(machine for machine in self.machines if machine.leaving)

    def agent(self, key: tuple[str, str] | None) -> Agent | None:
        return next((agent for agent in self.agents if agent.key == key), None)

    def summary(self) -> dict[str, Any]:
        """``node_pool`` of results."""
        return {
            "namespace": self.namespace,
            "name": self.name,
            "cluster_name": self.cluster,
            "replicas": self.ready,
            "desired": self.desired,
            "version": text(self.pool, "status", "version"),
            "conditions": [condition.as_dict() for condition in self.conditions.found.values()],
        }


class PoolReader:
    """Reads one pool again and again. What does not change is asked for once."""

    def __init__(self, client: KubeClient, namespace: str, name: str) -> None:
        self.client, self.namespace, self.name = client, namespace, name
        self._kinds: CoreKinds | None = None
        self._cluster = ""
        self._hosted_cluster: Object | None = None

    @property
    def kinds(self) -> CoreKinds:
        """Cluster API in the version that the hub serves."""
        if self._kinds is None:
            self._kinds = core_kinds(self.client)
        return self._kinds

    def read(self, cluster: str = "") -> PoolView:
        """The pool now, with all Agents of the namespace.

        ``cluster`` is the hosted cluster of a pool that does not exist yet; one that is gone keeps its.
        """
        return self._read(cluster, None)

    def look(self, hosts: Iterable[AgentKey]) -> PoolView:
        """The same with only the Agents of its Machines and of ``hosts``: a namespace may hold thousands, and a wait
        looks often.
        """
        return self._read("", tuple(hosts))

    def _read(self, cluster: str, hosts: Sequence[AgentKey] | None) -> PoolView:
        pool = find_hypershift(self.client, NODE_POOL.path(self.namespace, self.name))
        self._cluster = text(pool, "spec", "clusterName") or cluster or self._cluster
        hosted = (
            find_hypershift(self.client, HOSTED_CLUSTER.path(self.namespace, self._cluster)) if self._cluster else None
        )
        self._hosted_cluster = hosted or self._hosted_cluster
        if not self._cluster:
            return PoolView(self.namespace, self.name)
        agents = self._agents() if hosts is None else self._agents_of(hosts)
        machines = self._machines(agents)
        rollout = _rollout(pool, machines)
        return PoolView(self.namespace, self.name, pool, hosted, machines, tuple(agents), rollout)

    def _agents(self) -> list[Agent]:
        namespace = text(self._hosted_cluster, "spec", "platform", "agent", "agentNamespace")
        return read_agents(self.client.list(AGENT.path(namespace), trim=without_bulk)) if namespace else []

    def _agents_of(self, hosts: Sequence[AgentKey]) -> list[Agent]:
        """Agents that are reserved, which all Agents of Machines are, and these."""
        namespace = text(self._hosted_cluster, "spec", "platform", "agent", "agentNamespace")
        listed = (
            self.client.list(AGENT.path(namespace), label_selector=RESERVED_LABEL, trim=without_bulk)
            if namespace
            else []
        )
        there = {key_of(each) for each in listed}
        found = [self.client.find(AGENT.path(*key)) for key in hosts if key not in there]
        return read_agents([*listed, *(each for each in found if each is not None)])

    def _machines(self, agents: Sequence[Agent]) -> tuple[PoolMachineView, ...]:
        where, key = control_plane_namespace(self.namespace, self._cluster), pool_key(self.namespace, self.name)
        listed = self.client.list(self.kinds.machine.path(where))
        machines = [machine for machine in listed if annotations_of(machine).get(POOL_ANNOTATION) == key]
        if not machines:
            return ()
        infra = {key_of(each): each for each in self.client.list(AGENT_MACHINE.path(where))}
        by_key = {agent.key: agent for agent in agents}
        return tuple(sorted((self._view(machine, infra, by_key) for machine in machines), key=lambda view: view.name))

    def _view(
        self, machine: Object, infra: Mapping[tuple[str, str], Object], agents: Mapping[tuple[str, str], Agent]
    ) -> PoolMachineView:
        namespace, name = key_of(machine)
        agent_machine = infra.get((namespace, text(machine, "spec", "infrastructureRef", "name") or name))
        reference = part(agent_machine, "status", "agentRef")
        agent = agents.get((str(reference.get("namespace") or ""), str(reference.get("name") or "")))
        return view_machine(machine, agent_machine, agent, self.client.server_time())


def read_pool(client: KubeClient, namespace: str, name: str) -> PoolView:
    """The pool as it is. Raises :class:`ZeroTouchError` where the API is no hub with HyperShift."""
    return PoolReader(client, namespace, name).read()


def find_hypershift(client: KubeClient, path: str) -> Object | None:
    """The object, or None; a hub without HyperShift is said to be none."""
    try:
        return client.find(path)
    except UnknownKindError as error:
        raise ZeroTouchError(
            f"{client.server} has no HyperShift: {error.detail}.",
            ("Check that this is the hub, and that HyperShift is installed there."),
        ) from error


def _rollout(pool: Mapping[str, Any] | None, machines: Iterable[PoolMachineView]) -> str:
    """Why a rollout is running, as far as can be seen; empty if none is.

    Until it ends any Machine may be deleted next.
    """
    conditions = read_conditions(pool)
    for kind in ("UpdatingVersion", "UpdatingConfig", "UpdatingPlatformMachineTemplate"):
        condition = conditions.get(kind)
        if condition is not None and condition.true:
            return condition.text()
    if text(pool, "spec", "management", "upgradeType") == "Replace":
        versions = sorted({machine.version for machine in machines if machine.version})
        return f"its Machines have the versions {', '.join(versions)}" if len(versions) > 1 else ""
    return ""


@dataclasses.dataclass(frozen=True)
class NodePoolRelease:
    """What became of the host of a Machine that went: ``done``, or what it still waits for; ``reboot`` if it has to
    boot the discovery image.
    """

    done: bool
    reason: str = ""
    reboot: bool = False


def released(agent: Agent | None, machine: str, namespace: str) -> NodePoolRelease:
    """How far an Agent is that the Machine (and its AgentMachine of that name) in ``namespace`` had (2.4)."""
    if agent is None or agent.deleting:
        return NodePoolRelease(done=True)
    holder = (
        str(annotations_of(agent.raw).get(RESERVED_NAMESPACE) or namespace),
        str(agent.labels.get(RESERVED_LABEL) or ""),
    )
    if holder[1] and holder != (namespace, machine):
        return NodePoolRelease(done=True)  # another pool has it by now
    if holder[1] or agent.cluster is not None:
        return NodePoolRelease(done=False, reason=f"its Agent is still bound ({agent.state})")
    if agent.state == NEEDS_DISCOVERY:
        return NodePoolRelease(done=True, reason="the host must boot the discovery image", reboot=True)
    return NodePoolRelease(done=agent.state == FREE, reason="" if agent.state == FREE else f"its host is {agent.state}")
