# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile Metal3Clusters. A Metal3Cluster is provisioned as soon as it has an endpoint, and is deleted after the
Metal3Machines of its cluster.

Source: metal3-io/cluster-api-provider-metal3 baremetal/metal3cluster_manager.go.
"""

from __future__ import annotations

from ...names import Key, deleting, labels_of
from ...world import World
from ..conditions import false, new_form, old_form, true
from ..kinds import CLUSTER_NAME, CoreKinds
from ..provider.agent_cluster import owner_of
from ..shape import with_conditions

FINALIZER = "metal3cluster.infrastructure.cluster.x-k8s.io"
WAIT_SECONDS = 10.0


class Metal3ClusterController:
    def __init__(self, world: World, core: CoreKinds) -> None:
        self._world, self._core = world, core
        self._kind = core.metal3_cluster

    async def reconcile(self, key: Key) -> float | None:
        item = self._world.get(self._kind, key)
        if item is None:
            return None
        reference = owner_of(item, "Cluster")
        if deleting(item):
            name = reference["name"] if reference is not None else None
            left = [
                found
                for found in self._world.all(self._core.metal3_machine, key[0])
                if labels_of(found).get(CLUSTER_NAME) == name
            ]
            if left:
                return WAIT_SECONDS
            await self._world.drop_finalizer(self._kind, item, FINALIZER)
            return None
        if reference is None:
            return None
        item = await self._world.add_finalizer(self._kind, item, FINALIZER)
        endpoint = item["spec"].get("controlPlaneEndpoint") or {}
        ready = bool(endpoint.get("host") and endpoint.get("port"))
        kind = "BaremetalInfrastructureReady"
        shown = (
            [true(kind, "Ready"), true("Ready", "Ready")]
            if ready
            else [false(name, "ControlPlaneEndpointFailed") for name in (kind, "Ready")]
        )
        now, generation = self._world.now(), int(item["metadata"].get("generation") or 1)
        status = dict(item.get("status") or {})
        if self._core.metal3 == "v1beta2":
            before = ((status.get("deprecated") or {}).get("v1beta1") or {}).get("conditions") or []
            listed = new_form(status.get("conditions") or [], shown, now, generation)
            status = with_conditions(status, v1beta2=True, new=listed, old=old_form(before, shown, now))
            status |= {"initialization": {"provisioned": True}} if ready else {}
        else:
            status |= {"conditions": old_form(status.get("conditions") or [], shown, now), "ready": ready}
        await self._world.status(self._kind, item, status)
        return None
