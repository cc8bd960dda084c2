# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile Machines of Cluster API: link the infrastructure object and the Node, and set the status.
:mod:`.machine_deletion` deletes Machines.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go;
  kubernetes-sigs/cluster-api core/reconcilers/machine/machine_controller.go.
"""

from __future__ import annotations

import dataclasses

from ..client import Refused
from ..names import NODE, Key, Kind, Object, annotations_of, deleting, key_of, owner
from ..world import World
from .kinds import CLUSTER_NAME, DEFINITION, MACHINE_FINALIZER, CoreKinds
from .machine_deletion import Deletion
from .machine_status import Parts, machine_status
from .nodes import Nodes
from .shape import controller_of, data_secret_created, node_name, paused, provisioned, reference_target

RETRY_SECONDS = 10.0
NODE_NOTES = {
    "cluster": "cluster.x-k8s.io/cluster-name",
    "namespace": "cluster.x-k8s.io/cluster-namespace",
    "machine": "cluster.x-k8s.io/machine",
    "kind": "cluster.x-k8s.io/owner-kind",
    "owner": "cluster.x-k8s.io/owner-name",
}


class MachineController:
    def __init__(self, world: World, core: CoreKinds, nodes: Nodes) -> None:
        self._world, self._core, self._nodes = world, core, nodes
        self._referable = core.referred
        self._deletion = Deletion(world, core, nodes)

    async def reconcile(self, key: Key) -> float | None:
        machine = self._world.get(self._core.machine, key)
        if machine is None:
            return None
        cluster_key = key[0], machine["spec"]["clusterName"]
        cluster = self._world.get(self._core.cluster, cluster_key)
        if cluster is None and not deleting(machine):
            return RETRY_SECONDS
        kind, infrastructure = self._referred(machine, machine["spec"].get("infrastructureRef"))
        bootstrap = self._referred(machine, (machine["spec"].get("bootstrap") or {}).get("configRef"))
        if paused(machine, cluster):
            parts = dataclasses.replace(self._parts(machine, kind, infrastructure, cluster_key), paused=True)
            await self._world.status(
                self._core.machine,
                machine,
                machine_status(machine, parts, self._world.now(), v1beta2=self._core.v1beta2),
            )
            return None
        if deleting(machine):
            parts = self._parts(machine, kind, infrastructure, cluster_key)
            return await self._deletion.reconcile(
                machine, cluster, kind, dataclasses.replace(parts, bootstrap=bootstrap[1]), bootstrap[0]
            )
        machine = await self._keep(machine, cluster)
        if bootstrap[0] is not None and bootstrap[1] is not None:
            config = await self._adopt(machine, bootstrap[0], bootstrap[1])
            machine = await self._take_data(machine, bootstrap[0], config)
        if kind is not None and infrastructure is not None:
            infrastructure = await self._adopt(machine, kind, infrastructure)
            machine = await self._take_over(machine, kind, infrastructure)
        parts = dataclasses.replace(self._parts(machine, kind, infrastructure, cluster_key), bootstrap=bootstrap[1])
        if parts.node is not None:
            await self._mark_node(machine, cluster_key, parts.node)
        await self._world.status(
            self._core.machine, machine, machine_status(machine, parts, self._world.now(), v1beta2=self._core.v1beta2)
        )
        waits = machine["spec"].get("providerID") and not node_name(machine)
        return RETRY_SECONDS if waits else None

    def _provisioned(self, kind: Kind | None, item: Object | None) -> bool:
        if kind is None or item is None:
            return False
        return provisioned(item, self._world.get(DEFINITION, ("", f"{kind.plural}.{kind.group}")))

    def _parts(self, machine: Object, kind: Kind | None, item: Object | None, cluster: Key) -> Parts:
        return Parts(
            item, self._provisioned(kind, item), self._node(machine, cluster), self._nodes.all(cluster) is not None
        )

    def _referred(self, machine: Object, reference: Object | None) -> tuple[Kind | None, Object | None]:
        target = reference_target(reference, machine["metadata"]["namespace"])
        kind = self._referable.get(target[:2]) if target is not None else None
        return kind, self._world.get(kind, target[2]) if kind is not None and target is not None else None

    def _node(self, machine: Object, cluster: Key) -> Object | None:
        provider_id = machine["spec"].get("providerID")
        return self._nodes.by_provider_id(cluster, provider_id) if provider_id else None

    async def _keep(self, machine: Object, cluster: Object | None) -> Object:
        """Finalizer, label and an owner, without which it would not be found."""
        machine = await self._world.add_finalizer(self._core.machine, machine, MACHINE_FINALIZER)
        machine = await self._world.metadata(
            self._core.machine, machine, labels={CLUSTER_NAME: machine["spec"]["clusterName"]}
        )
        owners = machine["metadata"].get("ownerReferences") or []
        if owners or cluster is None:
            return machine
        return await self._world.patch(
            self._core.machine, machine, {"metadata": {"ownerReferences": [owner(cluster, self._core.cluster)]}}
        )

    async def _adopt(self, machine: Object, kind: Kind, item: Object) -> Object:
        """A provider's object is controlled by the Machine, no longer by the set that made it."""
        wanted = {**owner(machine, self._core.machine, block=True), "controller": True}
        present = item["metadata"].get("ownerReferences") or []
        others = [entry for entry in present if entry.get("kind") != "MachineSet" and entry.get("uid") != wanted["uid"]]
        labels = {CLUSTER_NAME: machine["spec"]["clusterName"]}
        if [*others, wanted] != present:
            item = await self._world.patch(
                kind, item, {"metadata": {"ownerReferences": [*others, wanted]}}, locked=True
            )
        return await self._world.metadata(kind, item, labels=labels)

    async def _take_over(self, machine: Object, kind: Kind, infrastructure: Object) -> Object:
        """The provider id, once the infrastructure says that it is there."""
        provider_id = infrastructure["spec"].get("providerID")
        if (
            not self._provisioned(kind, infrastructure)
            or not provider_id
            or machine["spec"].get("providerID") == provider_id
        ):
            return machine
        return await self._world.patch(self._core.machine, machine, {"spec": {"providerID": provider_id}})

    async def _take_data(self, machine: Object, kind: Kind, config: Object) -> Object:
        """The name of the Secret with the bootstrap data, once the provider says that it is there."""
        name = (config.get("status") or {}).get("dataSecretName")
        if (
            not data_secret_created(config, self._world.get(DEFINITION, ("", f"{kind.plural}.{kind.group}")))
            or not name
        ):
            return machine
        if machine["spec"]["bootstrap"].get("dataSecretName") == name:
            return machine
        return await self._world.patch(self._core.machine, machine, {"spec": {"bootstrap": {"dataSecretName": name}}})

    async def _mark_node(self, machine: Object, cluster: Key, node: Object) -> None:
        """The Node's annotations lead back to the Machine."""
        by = controller_of(machine)
        namespace, name = key_of(machine)
        notes = {NODE_NOTES["cluster"]: cluster[1], NODE_NOTES["namespace"]: namespace, NODE_NOTES["machine"]: name}
        if by:
            notes |= {NODE_NOTES["kind"]: by["kind"], NODE_NOTES["owner"]: by["name"]}
        client = self._nodes.client(cluster)
        if client is None or all(annotations_of(node).get(key) == value for key, value in notes.items()):
            return
        try:
            await client.patch(NODE, node["metadata"]["name"], "", {"metadata": {"annotations": notes}})
        except Refused as error:
            if error.code != 404:
                raise
