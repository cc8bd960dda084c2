# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the cluster autoscaler of a hosted cluster: add Machines for pods that fit on no Node, and remove idle
Machines.

It works like upstream's provider for Cluster API (kubernetes/autoscaler cluster-autoscaler/cloudprovider/clusterapi): a
node group is a MachineSet or MachineDeployment with annotations for its minimum and maximum size. The autoscaler sets
the replicas of the group, and marks a Machine before the Machine is removed.
"""

from __future__ import annotations

import dataclasses
import math

from ...newcluster.guest import GuestCluster
from ...newcluster.workloads import cpus_of, is_daemon, node_cpus, node_ready, where
from ..names import Key, Kind, Object, annotations_of, deleting, key_of
from ..world import World
from . import naming
from .kinds import HOSTED_CONTROL_PLANE, CoreKinds
from .planes import Planes

SCAN_SECONDS = 10.0
# Upstream's defaults; a HostedCluster has them in spec.autoscaling.scaleDown.
UNNEEDED_SECONDS = 600
UTILIZATION = 0.5
DELETE_MACHINE = "cluster.x-k8s.io/delete-machine"


@dataclasses.dataclass(frozen=True)
class Group:
    """One scalable within its limits, with its Machines that stay."""

    kind: Kind
    item: Object
    least: int
    most: int
    machines: tuple[Object, ...]

    @property
    def replicas(self) -> int:
        return int(self.item["spec"].get("replicas") or 0)


class AutoscalerController:
    """Keys are HostedControlPlanes."""

    def __init__(self, world: World, planes: Planes, core: CoreKinds) -> None:
        self._world, self._planes, self._core = world, planes, core
        self._idle_since: dict[tuple[Key, str], float] = {}

    async def reconcile(self, key: Key) -> float | None:
        plane = self._planes.get(key)
        groups = self._groups(key[0])
        if plane is None or not groups:
            return None
        if plane.run.serving:
            pending = self._pending(plane.guest)
            if pending:
                await self._grow(plane.guest, groups, pending)
            else:
                await self._shrink(key, plane.guest, groups)
        return SCAN_SECONDS

    def _groups(self, space: str) -> list[Group]:
        found = []
        for kind in (self._core.machine_deployment, self._core.machine_set):
            for item in self._world.all(kind, space):
                notes = annotations_of(item)
                most = int(notes.get(naming.AUTOSCALER_MAX) or 0)
                owned = any(entry.get("controller") for entry in item["metadata"].get("ownerReferences") or [])
                if most < 1 or owned or notes.get(naming.PAUSED) or deleting(item):
                    continue
                pool = notes.get(naming.NODE_POOL)
                machines = [
                    each
                    for each in self._world.all(self._core.machine, space)
                    if annotations_of(each).get(naming.NODE_POOL) == pool
                ]
                found.append(
                    Group(
                        kind,
                        item,
                        int(notes.get(naming.AUTOSCALER_MIN) or 0),
                        most,
                        tuple(each for each in machines if not deleting(each)),
                    )
                )
        return sorted(found, key=lambda group: key_of(group.item))

    @staticmethod
    def _pending(guest: GuestCluster) -> list[Object]:
        pods = guest.store.list(guest.registry.by_kind("Pod"))
        return [
            pod for pod in pods if not where(pod) and (pod.get("status") or {}).get("phase", "Pending") == "Pending"
        ]

    async def _grow(self, guest: GuestCluster, groups: list[Group], pending: list[Object]) -> None:
        """As many Machines as the pods fill, less those that are on their way; the group with the most room gets
        them.
        """
        group = max(groups, key=lambda each: each.most - each.replicas)
        needed = math.ceil(sum(max(0.001, cpus_of(pod)) for pod in pending) / node_cpus())
        coming = sum(max(0, each.replicas - self._ready(guest, each)) for each in groups)
        size = min(group.most, group.replicas + max(0, needed - coming))
        if size > group.replicas:
            await self._world.patch(group.kind, group.item, {"spec": {"replicas": size}})

    @staticmethod
    def _ready(guest: GuestCluster, group: Group) -> int:
        nodes = {item["metadata"]["name"]: item for item in guest.store.list(guest.nodes.node_kind)}
        names = [_node_of(machine) for machine in group.machines]
        return sum(name in nodes and node_ready(nodes[name]) for name in names)

    async def _shrink(self, key: Key, guest: GuestCluster, groups: list[Group]) -> None:
        """One Machine at a time whose Node has been idle for long enough.

        Pods that a Node alone holds are moved by the drain.
        """
        pods = guest.store.list(guest.registry.by_kind("Pod"))
        now = guest.clock.now()
        for group in groups:
            idle = [
                machine
                for machine in group.machines
                if _node_of(machine) and _use(_node_of(machine), pods) < UTILIZATION
            ]
            names = {(key, machine["metadata"]["name"]) for machine in idle}
            everything = {(key, machine["metadata"]["name"]) for machine in group.machines}
            self._idle_since = {
                name: since for name, since in self._idle_since.items() if name in names or name not in everything
            }
            for name in names:
                self._idle_since.setdefault(name, now)
            if group.replicas <= max(1, group.least) or self._ready(guest, group) < group.replicas:
                continue
            ripe = sorted(
                (each for each in idle if now - self._idle_since[key, each["metadata"]["name"]] >= self._unneeded(key)),
                key=key_of,
            )
            if ripe:
                await self._world.metadata(self._core.machine, ripe[-1], annotations={DELETE_MACHINE: "lab"})
                await self._world.patch(group.kind, group.item, {"spec": {"replicas": group.replicas - 1}})

    def _unneeded(self, key: Key) -> float:
        plane = self._world.get(HOSTED_CONTROL_PLANE, key) or {}
        provided = (((plane.get("spec") or {}).get("autoscaling") or {}).get("scaleDown") or {}).get(
            "unneededDurationSeconds"
        )
        return float(UNNEEDED_SECONDS if provided is None else provided)


def _node_of(machine: Object) -> str:
    return str(((machine.get("status") or {}).get("nodeRef") or {}).get("name") or "")


def _use(node: str, pods: list[Object]) -> float:
    """Which part of the Node the requests of its pods take."""
    return sum(cpus_of(pod) for pod in pods if where(pod) == node and not is_daemon(pod)) / node_cpus()
