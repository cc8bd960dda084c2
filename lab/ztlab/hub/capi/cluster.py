# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile Clusters of Cluster API. A Cluster owns its infrastructure and control plane objects, is ready when they
are ready, and is deleted after its Machines.

Source: openshift/hypershift hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go.
"""

from __future__ import annotations

from ..conditions import Condition
from ..names import Key, Kind, Object, deleting, owner
from ..world import World
from .cluster_status import State, cluster_status
from .conditions import true
from .kinds import CLUSTER_FINALIZER, CLUSTER_NAME, CONTROL_PLANE, DEFINITION, CoreKinds
from .nodes import Nodes
from .shape import controller_of, paused, provisioned, reference_target

WAIT_SECONDS = 5.0
POLL_SECONDS = 30.0


class ClusterController:
    def __init__(self, world: World, core: CoreKinds, nodes: Nodes) -> None:
        self._world, self._core, self._nodes = world, core, nodes
        self._referable = core.referred

    async def reconcile(self, key: Key) -> float | None:
        cluster = self._world.get(self._core.cluster, key)
        if cluster is None:
            self._nodes.forget(key)
            return None
        if paused(cluster, cluster):
            await self._show(cluster, pause=True)
            return None
        if deleting(cluster):
            return await self._delete(cluster)
        cluster = await self._world.add_finalizer(self._core.cluster, cluster, CLUSTER_FINALIZER)
        for name in ("infrastructureRef", "controlPlaneRef"):
            kind, item = self._referred(cluster, name)
            if kind is not None and item is not None:
                await self._adopt(cluster, kind, item)
        cluster = await self._endpoint(cluster)
        await self._show(cluster)
        return POLL_SECONDS

    def _referred(self, cluster: Object, name: str) -> tuple[Kind | None, Object | None]:
        target = reference_target(cluster["spec"].get(name), cluster["metadata"]["namespace"])
        kind = self._referable.get(target[:2]) if target is not None else None
        return kind, self._world.get(kind, target[2]) if kind is not None and target is not None else None

    async def _adopt(self, cluster: Object, kind: Kind, item: Object) -> None:
        wanted = {**owner(cluster, self._core.cluster, block=True), "controller": True}
        present = item["metadata"].get("ownerReferences") or []
        if not any(entry.get("uid") == wanted["uid"] for entry in present):
            if any(entry.get("controller") for entry in present):
                wanted.pop("controller")
            item = await self._world.patch(
                kind, item, {"metadata": {"ownerReferences": [*present, wanted]}}, locked=True
            )
        await self._world.metadata(kind, item, labels={CLUSTER_NAME: cluster["metadata"]["name"]})

    async def _endpoint(self, cluster: Object) -> Object:
        """Taken over from the infrastructure, once."""
        present = cluster["spec"].get("controlPlaneEndpoint") or {}
        _kind, item = self._referred(cluster, "infrastructureRef")
        provided = ((item or {}).get("spec") or {}).get("controlPlaneEndpoint") or {}
        if present.get("host") or not provided.get("host") or not provided.get("port"):
            return cluster
        endpoint = {"host": provided["host"], "port": provided["port"]}
        return await self._world.patch(self._core.cluster, cluster, {"spec": {"controlPlaneEndpoint": endpoint}})

    # status

    async def _show(self, cluster: Object, *, pause: bool = False, going: Condition | None = None) -> Object:
        """The Cluster with its status as it is now."""
        kind, infrastructure = self._referred(cluster, "infrastructureRef")
        _other, plane = self._referred(cluster, "controlPlaneRef")
        definition = self._world.get(DEFINITION, ("", f"{kind.plural}.{kind.group}")) if kind is not None else None
        state = State(
            infrastructure, infrastructure is not None and provisioned(infrastructure, definition), plane, pause, going
        )
        status = cluster_status(cluster, state, self._world.now(), v1beta2=self._core.v1beta2)
        return await self._world.status(self._core.cluster, cluster, status)

    # deletion

    async def _delete(self, cluster: Object) -> float | None:
        """MachineDeployments, MachineSets and Machines first, then the control plane, then the infrastructure."""
        if CLUSTER_FINALIZER not in (cluster["metadata"].get("finalizers") or []):
            return None
        waiting = await self._descendants(cluster)
        for name, reason in (
            ("controlPlaneRef", "WaitingForControlPlaneDeletion"),
            ("infrastructureRef", "WaitingForInfrastructureDeletion"),
        ):
            kind, item = self._referred(cluster, name)
            if waiting or kind is None or item is None:
                continue
            if not deleting(item):
                await self._world.delete(kind, item)
            waiting = true("Deleting", reason, f"{kind.kind} deletion in progress")
        cluster = await self._show(
            cluster, going=waiting or true("Deleting", "DeletionCompleted", "Deletion completed")
        )
        if waiting is not None:
            return WAIT_SECONDS
        await self._world.drop_finalizer(self._core.cluster, cluster, CLUSTER_FINALIZER)
        return None

    async def _descendants(self, cluster: Object) -> Condition | None:
        """One layer after the other; what is still there."""
        namespace, name = cluster["metadata"]["namespace"], cluster["metadata"]["name"]
        for kind in (self._core.machine_deployment, self._core.machine_set, self._core.machine):
            found = [
                item
                for item in self._world.all(kind, namespace)
                if item["spec"].get("clusterName") == name and not _of_plane(item)
            ]
            for item in found:
                if not deleting(item):
                    await self._world.delete(kind, item)
            if found:
                names = ", ".join(sorted(item["metadata"]["name"] for item in found)[:5])
                return true("Deleting", "WaitingForWorkersDeletion", f"{kind.kind}s that are not gone yet: {names}")
        return None


def _of_plane(item: Object) -> bool:
    """Machines of a control plane object go with it."""
    return str(controller_of(item).get("apiVersion", "")).startswith(f"{CONTROL_PLANE}/")
