# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile Metal3Machines: choose a BareMetalHost, set its image and bootstrap data, and set the provider ID of the
Node.

Source: metal3-io/cluster-api-provider-metal3 baremetal/metal3machine_manager.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...client import Refused
from ...controller import Retry
from ...names import BARE_METAL_HOST, NODE, Key, Object, annotations_of, deleting, key_of, labels_of, owner
from ...world import World, matches
from ..conditions import false, new_form, old_form, true
from ..kinds import CLUSTER_NAME, CoreKinds
from ..nodes import Nodes
from ..provider.agent_cluster import owner_of
from ..shape import paused, with_conditions

FINALIZER = "metal3machine.infrastructure.cluster.x-k8s.io"
HOST_ANNOTATION = "metal3.io/BareMetalHost"
UUID_LABEL = "metal3.io/uuid"
AVAILABLE = ("ready", "available")
HOST_PAUSED, UNHEALTHY = "baremetalhost.metal3.io/paused", "capi.metal3.io/unhealthy"
POLL_SECONDS = 10.0


def state_of(host: Object) -> str:
    return str((((host.get("status") or {}).get("provisioning")) or {}).get("state") or "")


def free(host: Object, selector: Mapping[str, Any] | None) -> bool:
    """Whether a Metal3Machine may take a host."""
    if (
        host["spec"].get("consumerRef")
        or deleting(host)
        or HOST_PAUSED in annotations_of(host)
        or UNHEALTHY in annotations_of(host)
    ):
        return False
    if (host.get("status") or {}).get("errorMessage") or state_of(host) not in AVAILABLE:
        return False
    chosen = selector and (selector.get("matchLabels") or selector.get("matchExpressions"))
    return matches(selector, labels_of(host)) if chosen else True


class Metal3MachineController:
    def __init__(self, world: World, core: CoreKinds, nodes: Nodes) -> None:
        self._world, self._core, self._nodes = world, core, nodes
        self._kind = core.metal3_machine

    async def reconcile(self, key: Key) -> float | None:
        item = self._world.get(self._kind, key)
        reference = owner_of(item, "Machine") if item is not None else None
        machine = self._world.get(self._core.machine, (key[0], reference["name"])) if reference is not None else None
        if item is None:
            return None
        if deleting(item):
            return await self._delete(item)
        if machine is None:
            await self._show(item, "WaitingForMachineOwnerRef")
            return None
        cluster = self._world.get(self._core.cluster, (key[0], machine["spec"]["clusterName"]))
        if cluster is None or paused(item, cluster):
            return None
        item = await self._world.add_finalizer(self._kind, item, FINALIZER)
        secret = (machine["spec"].get("bootstrap") or {}).get("dataSecretName")
        if not secret:
            await self._show(item, "WaitingForBootstrapReady")
            return None
        host = self._host(item) or await self._choose(item)
        if host is None:
            await self._show(item, "AssociateBMHFailed", "No available host found. Requeuing.")
            return POLL_SECONDS
        item = await self._world.metadata(self._kind, item, annotations={HOST_ANNOTATION: "/".join(key_of(host))})
        await self._provision(item, host, machine, secret)
        if state_of(host) != "provisioned":
            await self._show(item, "")
            return None
        return await self._node(item, host, (key[0], machine["spec"]["clusterName"]))

    def _host(self, item: Object) -> Object | None:
        """The one that was chosen: by the annotation, or by the host's consumerRef where a pass ended early."""
        namespace, _mark, name = annotations_of(item).get(HOST_ANNOTATION, "").partition("/")
        if name:
            return self._world.get(BARE_METAL_HOST, (namespace, name))
        listed = self._world.all(BARE_METAL_HOST, key_of(item)[0])
        return next((host for host in listed if self._consumes(item, host)), None)

    def _consumes(self, item: Object, host: Object) -> bool:
        reference = host["spec"].get("consumerRef") or {}
        own = self._kind.kind, *key_of(item)
        return (reference.get("kind"), reference.get("namespace"), reference.get("name")) == own

    async def _choose(self, item: Object) -> Object | None:
        """Upstream takes any of those that will do; here the first by name, so that runs repeat."""
        listed = [
            host
            for host in self._world.all(BARE_METAL_HOST, key_of(item)[0])
            if free(host, item["spec"].get("hostSelector"))
        ]
        host = min(listed, key=lambda entry: str(entry["metadata"]["name"]), default=None)
        if host is None:
            return None
        consumer = {
            "apiVersion": self._kind.api_version,
            "kind": self._kind.kind,
            "name": item["metadata"]["name"],
            "namespace": key_of(item)[0],
        }
        return await self._world.patch(BARE_METAL_HOST, host, {"spec": {"consumerRef": consumer}}, locked=True)

    async def _provision(self, item: Object, host: Object, machine: Object, secret: str) -> None:
        """Image and data are written once: what the template says later reaches no host."""
        spec: Object = {"online": True}
        if not (host["spec"].get("image") or {}).get("url"):
            image = dict(item["spec"].get("image") or {})
            if "diskFormat" in image:
                image["format"] = image.pop("diskFormat")
            spec |= {"image": image, "userData": {"name": secret, "namespace": key_of(machine)[0]}}
            spec |= {name: dict(item["spec"][name]) for name in ("metaData", "networkData") if item["spec"].get(name)}
        if item["spec"].get("automatedCleaningMode"):
            spec["automatedCleaningMode"] = item["spec"]["automatedCleaningMode"]
        owners = host["metadata"].get("ownerReferences") or []
        patch: Object = {"spec": {name: value for name, value in spec.items() if host["spec"].get(name) != value}}
        if not any(entry.get("uid") == item["metadata"]["uid"] for entry in owners):
            patch["metadata"] = {"ownerReferences": [*owners, {**owner(item, self._kind), "controller": True}]}
        label = {CLUSTER_NAME: machine["spec"]["clusterName"]}
        if labels_of(host).get(CLUSTER_NAME) != label[CLUSTER_NAME]:
            patch.setdefault("metadata", {})["labels"] = label
        if patch["spec"] or "metadata" in patch:
            await self._world.patch(BARE_METAL_HOST, host, patch, locked=True)

    # Node

    async def _node(self, item: Object, host: Object, cluster: Key) -> float | None:
        """The Node with the label of the host's uid gets the provider id; without one the Machine is not ready."""
        provider_id = f"metal3://{'/'.join(key_of(host))}/{item['metadata']['name']}"
        nodes = self._nodes.all(cluster) or []
        node = next((entry for entry in nodes if labels_of(entry).get(UUID_LABEL) == host["metadata"]["uid"]), None)
        if node is None:
            await self._show(item, "SettingProviderIDOnNodeFailed")
            return POLL_SECONDS
        present = (node.get("spec") or {}).get("providerID")
        if present not in (None, "", provider_id):
            raise Retry(f"Node {node['metadata']['name']} has the provider id {present}")
        client = self._nodes.client(cluster)
        if not present and client is not None:
            await client.patch(NODE, node["metadata"]["name"], "", {"spec": {"providerID": provider_id}})
        if item["spec"].get("providerID") != provider_id:
            item = await self._world.patch(self._kind, item, {"spec": {"providerID": provider_id}})
        await self._show(item, "", ready=True)
        return None

    # status and deletion

    async def _show(self, item: Object, problem: str, message: str = "", *, ready: bool = False) -> None:
        status, now, generation = (
            dict(item.get("status") or {}),
            self._world.now(),
            int(item["metadata"].get("generation") or 1),
        )
        associated = false("AssociateBMH", problem, message) if problem else true("AssociateBMH", "AssociateBMHSuccess")
        if problem == "SettingProviderIDOnNodeFailed":
            associated = true("AssociateBMH", "AssociateBMHSuccess")
        total = true("Ready", "Ready") if ready else false("Ready", problem or "NotReady", message)
        old = [total, associated] if not ready else [true("Ready", ""), associated]
        if self._core.metal3 == "v1beta2":
            listed = new_form(status.get("conditions") or [], [total, associated], now, generation)
            before = ((status.get("deprecated") or {}).get("v1beta1") or {}).get("conditions") or []
            status = with_conditions(status, v1beta2=True, new=listed, old=old_form(before, old, now))
            status |= {"initialization": {"provisioned": True}} if ready else {}
        else:
            status["conditions"] = old_form(status.get("conditions") or [], old, now)
            status |= {"ready": True} if ready else {}
        await self._world.status(self._kind, item, status)

    async def _delete(self, item: Object) -> float | None:
        """Image and data leave the host; it is another's once it is deprovisioned."""
        host = self._host(item)
        if host is not None and self._consumes(item, host):
            cleared = {
                name: None for name in ("image", "userData", "metaData", "networkData") if host["spec"].get(name)
            }
            if cleared or host["spec"].get("online"):
                await self._world.patch(BARE_METAL_HOST, host, {"spec": {**cleared, "online": False}})
                return POLL_SECONDS
            if state_of(host) not in (*AVAILABLE, "registering", "") and not deleting(host):
                return POLL_SECONDS
            owners = [
                entry
                for entry in host["metadata"].get("ownerReferences") or []
                if entry.get("uid") != item["metadata"]["uid"]
            ]
            metadata: Object = {"ownerReferences": owners, "labels": {CLUSTER_NAME: None}}
            try:
                await self._world.patch(BARE_METAL_HOST, host, {"metadata": metadata, "spec": {"consumerRef": None}})
            except Refused as error:
                if error.code != 404:
                    raise
        await self._world.drop_finalizer(self._kind, item, FINALIZER)
        return None
