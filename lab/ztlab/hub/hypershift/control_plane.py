# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile HostedControlPlanes: start the components of the control plane one after the other, and write their
credentials to Secrets.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go,
  hypershift-operator/controllers/hostedcluster/internal/platform/agent/agent.go.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

from ..client import Refused
from ..cluster_spec import release_of
from ..names import CONFIG_MAP, SECRET, Key, Kind, Object, deleting, owner
from ..world import World
from . import naming
from .conditions import merged
from .hosted_conditions import PlaneState, plane_conditions
from .kinds import HOSTED_CONTROL_PLANE
from .planes import Plane, Planes

# Lab seconds after the object: etcd has its quorum, the API answers, the ignition server does.
ETCD_SECONDS, KUBE_SECONDS, IGNITION_SECONDS = 15.0, 45.0, 60.0
KUBECONFIG, PASSWORD = "admin-kubeconfig", "kubeadmin-password"
CORE_CONFIG_LABEL = f"{naming.PREFIX}core-ignition-config"
CORE_CONFIGS = ("ignition-config-99-worker-ssh", "ignition-config-fips", "ignition-config-kubelet")
POLL_SECONDS = 20.0


def state_of(plane: Plane | None, age: float) -> PlaneState:
    """How far a control plane is by its age."""
    if plane is None:
        return PlaneState()
    status = plane.guest.version_status
    return PlaneState(
        published=True,
        etcd=age >= ETCD_SECONDS,
        kube=plane.run.serving,
        ignition=age >= IGNITION_SECONDS and "Ignition" in plane.services,
        nodes=plane.guest.nodes.ready("worker"),
        version={entry["type"]: entry for entry in status.get("conditions") or []} if plane.run.serving else {},
    )


class ControlPlaneController:
    """Keys are HostedControlPlanes."""

    def __init__(self, world: World, planes: Planes, releases: Mapping[str, str]) -> None:
        self._world, self._planes, self._releases = world, planes, releases

    async def reconcile(self, key: Key) -> float | None:
        item = self._world.get(HOSTED_CONTROL_PLANE, key)
        if item is None:
            await self._planes.end(key)
            return None
        if deleting(item):
            await self._planes.end(key)
            await self._world.drop_finalizer(HOSTED_CONTROL_PLANE, item, naming.FINALIZER)
            return None
        item = await self._world.add_finalizer(HOSTED_CONTROL_PLANE, item, naming.FINALIZER)
        version = (release_of(item["spec"]["releaseImage"], self._releases) or ("", ""))[0]
        plane = self._planes.ensure(key, item, version)
        age = self._world.age(item["metadata"]["creationTimestamp"])
        if plane is not None:
            await self._advance(key, item, plane, age, version)
        await self._show(item, plane, age)
        due = [moment - age for moment in (ETCD_SECONDS, KUBE_SECONDS, IGNITION_SECONDS) if moment > age]
        return min(due) + 0.5 if due else POLL_SECONDS

    async def _advance(self, key: Key, item: Object, plane: Plane, age: float, version: str) -> None:
        if age >= KUBE_SECONDS and not plane.run.serving:
            await plane.run.serve()
        if plane.run.serving:
            await self._credentials(key[0], item, plane)
            await self._core_configs(key[0], item)
            if version:
                plane.guest.upgrade(version)
        if (
            "Ignition" in plane.services
            and age >= IGNITION_SECONDS
            and self._world.get(SECRET, (key[0], naming.IGNITION_CA)) is None
        ):
            await self._planes.serve_ignition(plane)
            await self._secret(key[0], naming.IGNITION_CA, {"tls.crt": plane.ignition.authority.pem}, item)

    async def _credentials(self, space: str, item: Object, plane: Plane) -> None:
        infra_id = item["spec"]["infraID"]
        await self._secret(space, KUBECONFIG, {"kubeconfig": plane.kubeconfig.encode()}, item)
        labels = {naming.CLUSTER_NAME: infra_id}
        await self._secret(space, f"{infra_id}-kubeconfig", {"value": plane.kubeconfig.encode()}, item, labels)
        await self._secret(space, PASSWORD, {"password": plane.password.encode()}, item)

    async def _secret(
        self, space: str, name: str, data: Mapping[str, bytes], item: Object, labels: Mapping[str, str] | None = None
    ) -> None:
        if self._world.get(SECRET, (space, name)) is not None:
            return
        metadata: Object = {"name": name, "namespace": space, "ownerReferences": [owner(item, HOSTED_CONTROL_PLANE)]}
        if labels:
            metadata["labels"] = dict(labels)
        encoded = {key: base64.b64encode(value).decode() for key, value in data.items()}
        await self._create(SECRET, {"metadata": metadata, "type": "Opaque", "data": encoded})

    async def _core_configs(self, space: str, item: Object) -> None:
        """What every pool's configuration begins with."""
        for name in CORE_CONFIGS:
            if self._world.get(CONFIG_MAP, (space, name)) is None:
                document = (
                    f"apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata: {{name: "
                    f"{name}}}\n"
                )
                metadata = {
                    "name": name,
                    "namespace": space,
                    "labels": {CORE_CONFIG_LABEL: "true"},
                    "ownerReferences": [owner(item, HOSTED_CONTROL_PLANE)],
                }
                await self._create(CONFIG_MAP, {"metadata": metadata, "data": {"config": document}})

    async def _create(self, kind: Kind, body: Object) -> None:
        try:
            await self._world.create(kind, body)
        except Refused as error:
            if error.reason != "AlreadyExists":
                raise

    async def _show(self, item: Object, plane: Plane | None, age: float) -> None:
        state = state_of(plane, age)
        conditions = plane_conditions(state)
        status = dict(item.get("status") or {})
        generation = int(item["metadata"].get("generation") or 1)
        status["conditions"] = merged(status.get("conditions"), conditions, (), self._world.now(), generation)
        ready = any(condition.type == "Available" and condition.status == "True" for condition in conditions)
        status |= {
            "ready": ready,
            "initialized": status.get("initialized") or ready,
            "externalManagedControlPlane": True,
        }
        if plane is not None:
            kube = plane.services["APIServer"]
            status["controlPlaneEndpoint"] = {"host": kube.host, "port": kube.port}
            if state.kube:
                status["kubeConfig"] = {"name": KUBECONFIG, "key": "kubeconfig"}
                status["kubeadminPassword"] = {"name": PASSWORD}
                status["version"] = plane.guest.version
                status["versionStatus"] = {
                    name: value for name, value in plane.guest.version_status.items() if name in ("desired", "history")
                }
        await self._world.status(HOSTED_CONTROL_PLANE, item, status)
