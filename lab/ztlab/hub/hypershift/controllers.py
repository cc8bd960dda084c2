# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Start the HyperShift controllers of one hub, and map changes of objects to reconcile requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..controller import Controller
from ..names import CONFIG_MAP, SECRET, Key, Kind, Object, annotations_of, key_of
from ..world import World
from . import naming
from .autoscaler import AutoscalerController
from .control_plane import ControlPlaneController
from .guest_nodes import GuestNodesController
from .hosted_cluster import HostedClusterController
from .hosted_objects import space_of
from .ignition_server import PayloadController
from .kinds import (
    AGENT_CLUSTER,
    AGENT_MACHINE,
    AGENT_MACHINE_TEMPLATE,
    HOSTED_CLUSTER,
    HOSTED_CONTROL_PLANE,
    NODE_POOL,
    CoreKinds,
)
from .node_pool import NodePoolController
from .planes import Planes

if TYPE_CHECKING:
    from ...lab import Lab

Keys = Callable[[Object], Iterable[Key]]
On = Callable[[Kind, Controller, Keys], None]


def kinds(core: CoreKinds) -> tuple[Kind, ...]:
    """What a world must watch for these controllers."""
    return (
        HOSTED_CLUSTER,
        NODE_POOL,
        HOSTED_CONTROL_PLANE,
        AGENT_CLUSTER,
        AGENT_MACHINE,
        AGENT_MACHINE_TEMPLATE,
        core.cluster,
        core.machine,
        core.machine_set,
        core.machine_deployment,
        core.health_check,
    )


class Hypershift:
    """``controllers`` are to be run, ``wire`` is to be called before that; ``stop`` ends the control planes."""

    def __init__(self, world: World, lab: Lab) -> None:
        if lab.site.hub is None or lab.site.hub.cluster_api is None:
            raise ValueError("HyperShift needs a hub with Cluster API")
        self._world = world
        self.core = core = CoreKinds(lab.site.hub.cluster_api.version)
        self.planes = planes = Planes(world, lab)
        clock, releases = world.clock, dict(lab.site.releases)
        provider = lab.site.hub.cluster_api.provider == "upstream"
        self.clusters = Controller(
            "hostedcluster", clock, HostedClusterController(world, planes, core, releases, provider=provider).reconcile
        )
        self.control_planes = Controller(
            "hostedcontrolplane", clock, ControlPlaneController(world, planes, releases).reconcile
        )
        self.pools = Controller("nodepool", clock, NodePoolController(world, planes, core, releases).reconcile)
        self.payloads = Controller("ignition payload", clock, PayloadController(world).reconcile)
        self.nodes = Controller("hosted nodes", clock, GuestNodesController(world, planes, core).reconcile)
        self.autoscaler = Controller("autoscaler", clock, AutoscalerController(world, planes, core).reconcile)
        self.controllers = [self.clusters, self.control_planes, self.pools, self.payloads, self.nodes, self.autoscaler]

    def wire(self, on: On) -> None:
        """``on(kind, controller, keys)``: a change of an object wakes the keys that it leads to."""
        on(HOSTED_CLUSTER, self.clusters, lambda item: [key_of(item)])
        on(HOSTED_CONTROL_PLANE, self.control_planes, lambda item: [key_of(item)])
        on(HOSTED_CONTROL_PLANE, self.clusters, _cluster_note)
        on(SECRET, self.clusters, self._clusters_of_secret)
        for kind in (NODE_POOL, self.core.cluster):
            on(kind, self.clusters, _pool_cluster if kind is NODE_POOL else _cluster_note)
        on(NODE_POOL, self.pools, lambda item: [key_of(item)])
        on(HOSTED_CLUSTER, self.pools, self._pools_of_cluster)
        for kind in (self.core.machine_set, self.core.machine_deployment, self.core.machine, SECRET):
            on(kind, self.pools, _pool_note)
        on(CONFIG_MAP, self.pools, self._pools_of_config)
        on(self.core.health_check, self.pools, self._pools_of_check)
        on(
            SECRET,
            self.payloads,
            lambda item: [key_of(item)] if f"{naming.PREFIX}ignition-config" in annotations_of(item) else [],
        )
        on(HOSTED_CONTROL_PLANE, self.nodes, lambda item: [key_of(item)])
        for kind in (self.core.machine, self.core.machine_set):
            on(kind, self.nodes, self._planes_in_namespace)
        for kind in (self.core.machine_set, self.core.machine_deployment):
            on(kind, self.autoscaler, self._planes_in_namespace)

    # who is concerned

    def _planes_in_namespace(self, item: Object) -> list[Key]:
        return [key_of(found) for found in self._world.all(HOSTED_CONTROL_PLANE, key_of(item)[0])]

    def _pools_of_cluster(self, hosted: Object) -> list[Key]:
        namespace, name = key_of(hosted)
        return [key_of(item) for item in self._world.all(NODE_POOL, namespace) if item["spec"]["clusterName"] == name]

    def _pools_of_config(self, config: Object) -> list[Key]:
        """A pool's own configuration, and the parts that all pools of a control plane namespace begin with."""
        namespace, name = key_of(config)
        found = []
        for item in self._world.all(NODE_POOL):
            named = any(entry["name"] == name for entry in item["spec"].get("config") or [])
            if (key_of(item)[0] == namespace and named) or naming.pool_namespace(item) == namespace:
                found.append(key_of(item))
        return found

    def _pools_of_check(self, check: Object) -> list[Key]:
        namespace, name = key_of(check)
        return [
            key_of(item)
            for item in self._world.all(NODE_POOL)
            if item["metadata"]["name"] == name and naming.pool_namespace(item) == namespace
        ]

    def _clusters_of_secret(self, secret: Object) -> list[Key]:
        """The user's Secrets, and the credentials that a control plane made."""
        namespace, name = key_of(secret)
        found = []
        for item in self._world.all(HOSTED_CLUSTER):
            named = {(item["spec"].get(member) or {}).get("name") for member in ("pullSecret", "sshKey")}
            if (key_of(item)[0] == namespace and name in named) or (
                space_of(item) == namespace and naming.NODE_POOL not in annotations_of(secret)
            ):
                found.append(key_of(item))
        return found

    # life

    async def stop(self) -> None:
        await self.planes.stop()

    def status(self) -> list[dict[str, Any]]:
        return self.planes.status()


def _pool_note(item: Object) -> list[Key]:
    namespace, _, name = annotations_of(item).get(naming.NODE_POOL, "").partition("/")
    return [(namespace, name)] if name else []


def _cluster_note(item: Object) -> list[Key]:
    namespace, _, name = annotations_of(item).get(naming.HOSTED_CLUSTER, "").partition("/")
    return [(namespace, name)] if name else []


def _pool_cluster(pool: Object) -> list[Key]:
    return [(key_of(pool)[0], pool["spec"]["clusterName"])]
