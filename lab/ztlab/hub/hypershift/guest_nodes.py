# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Manage the Nodes of a hosted cluster from the hub: set labels and taints once, and upgrade Nodes in place.

Source: openshift/assisted-service internal/controller/controllers/agent_controller.go;
  openshift/cluster-machine-approver pkg/controller/csr_check.go; openshift/hypershift support/supportedversion,
  control-plane-operator/hostedclusterconfigoperator/controllers/inplaceupgrader.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...kubeapi.errors import ApiError
from ...newcluster.guest import GuestCluster
from ..names import Key, Object, annotations_of
from ..world import World
from . import naming
from .kinds import CoreKinds
from .planes import Planes

MACHINE, MACHINE_NAMESPACE = "cluster.x-k8s.io/machine", "cluster.x-k8s.io/cluster-namespace"
POOL_LABEL = naming.NODE_POOL
CONFIG = "machineconfiguration.openshift.io/"
DESIRED, CURRENT, STATE, SINCE = f"{CONFIG}desiredConfig", f"{CONFIG}currentConfig", f"{CONFIG}state", f"{CONFIG}since"
# Lab seconds.
UPGRADE_SECONDS, DRAIN_RETRY_SECONDS, POLL_SECONDS = 60.0, 60.0, 30.0


class GuestNodesController:
    """Keys are HostedControlPlanes. It changes the guest cluster as a program of that cluster."""

    def __init__(self, world: World, planes: Planes, core: CoreKinds) -> None:
        self._world, self._planes, self._core = world, planes, core

    async def reconcile(self, key: Key) -> float | None:
        plane = self._planes.get(key)
        if plane is None or not plane.run.serving:
            return None
        guest = plane.guest
        nodes = {item["metadata"]["name"]: item for item in guest.store.list(guest.nodes.node_kind)}
        waiting = False
        for node in nodes.values():
            waiting = not self._sync(guest, node) or waiting
        upgrading = False
        for machine_set in self._world.all(self._core.machine_set, key[0]):
            upgrading = await self._upgrade(guest, machine_set, key[0]) or upgrading
        if upgrading:
            return 5.0
        return POLL_SECONDS if waiting else None

    # labels and taints

    def _machine(self, node: Object) -> Object | None:
        notes = annotations_of(node)
        found = self._world.get(self._core.machine, (notes.get(MACHINE_NAMESPACE, ""), notes.get(MACHINE, "")))
        return found

    def _sync(self, guest: GuestCluster, node: Object) -> bool:
        """Whether the Node has what its pool says; that is put there once, later changes do not reach it."""
        if annotations_of(node).get(naming.LABELS_SYNCED) == "true":
            return True
        machine = self._machine(node)
        if machine is None or naming.NODE_POOL not in annotations_of(machine):
            return False
        metadata, spec = dict(node["metadata"]), dict(node.get("spec") or {})
        provided = machine["metadata"].get("labels") or {}
        managed = {
            name.removeprefix(naming.MANAGED_LABEL): value
            for name, value in provided.items()
            if name.startswith(naming.MANAGED_LABEL)
        }
        pool = annotations_of(machine)[naming.NODE_POOL].partition("/")[2]
        metadata["labels"] = {**(metadata.get("labels") or {}), **managed, POOL_LABEL: pool}
        metadata["annotations"] = {**(metadata.get("annotations") or {}), naming.LABELS_SYNCED: "true"}
        taints = list(spec.get("taints") or [])
        taints += [
            taint
            for taint in json.loads(annotations_of(machine).get(naming.TAINTS) or "null") or []
            if taint not in taints
        ]
        if taints:
            spec["taints"] = taints
        guest.store.update(guest.nodes.node_kind, {**node, "metadata": metadata, "spec": spec})
        release = str(machine["spec"].get("version") or "")
        if release:
            guest.nodes.upgrade(metadata["name"], release)
        return True

    # in-place upgrades

    async def _upgrade(self, guest: GuestCluster, machine_set: Object, space: str) -> bool:
        """One step of the pool's upgrade; whether one is going on."""
        notes = annotations_of(machine_set)
        target = notes.get(naming.TARGET_CONFIG_VERSION)
        if not target or notes.get(naming.CURRENT_CONFIG_VERSION) == target or notes.get(naming.PAUSED):
            return False
        nodes = self._nodes_of(guest, machine_set, space)
        if nodes is None:
            return True
        done = [node for node in nodes if annotations_of(node).get(CURRENT) == target]
        if len(done) == len(nodes):
            await self._complete(machine_set, target, space)
            return False
        text = f"Nodepool update in progress. Target config: {target}. Total Nodes: {len(nodes)}. Upgraded: {len(done)}"
        await self._world.metadata(
            self._core.machine_set, machine_set, annotations={naming.UPGRADING: text, naming.NOT_UPGRADING: None}
        )
        busy = [node for node in nodes if annotations_of(node).get(DESIRED) == target and node not in done]
        idle = [node for node in nodes if node not in done and node not in busy]
        free = int(notes.get(naming.MAX_UNAVAILABLE) or 1) - len(busy)
        for node in [*busy, *idle[: max(0, free)]]:
            self._step(guest, node, machine_set, target)
        return True

    def _nodes_of(self, guest: GuestCluster, machine_set: Object, space: str) -> list[Object] | None:
        """None as long as a Machine has no Node."""
        found = []
        for machine in self._world.all(self._core.machine, space):
            owners = machine["metadata"].get("ownerReferences") or []
            if not any(entry["uid"] == machine_set["metadata"]["uid"] for entry in owners):
                continue
            name = ((machine.get("status") or {}).get("nodeRef") or {}).get("name")
            if not name or not guest.store.exists(guest.nodes.node_kind, name):
                return None
            found.append(guest.store.get(guest.nodes.node_kind, name))
        return sorted(found, key=lambda node: str(node["metadata"]["name"]))

    def _step(self, guest: GuestCluster, node: Object, machine_set: Object, target: str) -> None:
        """Cordon and drain, upgrade, uncordon."""
        name, notes = node["metadata"]["name"], annotations_of(node)
        now = guest.clock.now()
        if notes.get(DESIRED) != target:
            self._note(guest, node, {DESIRED: target, STATE: "Working", SINCE: ""}, unschedulable=True)
        elif notes.get(SINCE):
            if now - float(notes[SINCE]) >= UPGRADE_SECONDS:
                guest.nodes.upgrade(name, str(machine_set["spec"]["template"]["spec"].get("version") or ""))
                fresh = guest.store.get(guest.nodes.node_kind, name)
                self._note(guest, fresh, {CURRENT: target, STATE: "Done", SINCE: None}, unschedulable=False)
        elif self._drained(guest, name):
            self._note(guest, node, {SINCE: f"{now:.1f}"}, unschedulable=True)

    @staticmethod
    def _note(guest: GuestCluster, node: Object, annotations: Mapping[str, Any], *, unschedulable: bool) -> None:
        merged = {**(node["metadata"].get("annotations") or {}), **annotations}
        metadata = {
            **node["metadata"],
            "annotations": {name: value for name, value in merged.items() if value is not None},
        }
        spec = {name: value for name, value in (node.get("spec") or {}).items() if name != "unschedulable"}
        guest.store.update(
            guest.nodes.node_kind,
            {**node, "metadata": metadata, "spec": spec | ({"unschedulable": True} if unschedulable else {})},
        )

    @staticmethod
    def _drained(guest: GuestCluster, name: str) -> bool:
        """Evict what is left; whether nothing is. A disruption budget can block this indefinitely."""
        pods = guest.registry.by_kind("Pod")
        left = False
        for pod in guest.store.list(pods):
            owners = pod["metadata"].get("ownerReferences") or []
            if (pod.get("spec") or {}).get("nodeName") != name or any(entry["kind"] == "DaemonSet" for entry in owners):
                continue
            left = True
            try:
                pods.actions["eviction"](guest.store, pod["metadata"]["namespace"], pod["metadata"]["name"], {})
            except ApiError as error:
                if error.code != 429:
                    raise
        return not left

    async def _complete(self, machine_set: Object, target: str, space: str) -> None:
        version = machine_set["spec"]["template"]["spec"].get("version")
        for machine in self._world.all(self._core.machine, space):
            owners = machine["metadata"].get("ownerReferences") or []
            if (
                version
                and machine["spec"].get("version") != version
                and any(entry["uid"] == machine_set["metadata"]["uid"] for entry in owners)
            ):
                await self._world.patch(self._core.machine, machine, {"spec": {"version": version}})
        notes = {naming.CURRENT_CONFIG_VERSION: target, naming.UPGRADING: None, naming.NOT_UPGRADING: None}
        await self._world.metadata(self._core.machine_set, machine_set, annotations=notes)
