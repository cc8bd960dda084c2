# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the controller that creates ClusterImageSet and AgentClusterInstall for the ClusterDeployment of a control
plane.

Source: openshift-assisted/cluster-api-provider-openshift-assisted
  controlplane/internal/controller/clusterdeployment_controller.go.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from ...client import merge_diff
from ...controller import Retry
from ...names import (
    CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET,
    CLUSTER_INSTALL,
    CONFIG_MAP,
    OVERRIDES_ANNOTATION,
    Key,
    Object,
    annotations_of,
    key_of,
    labels_of,
    owner,
)
from ...world import World
from ..kinds import CLUSTER_NAME, CoreKinds
from . import capabilities, mirrors, names
from .pull_secret import read_pull_secret
from .releases import NotFound, architecture, resolve, tag_image

HOST_PREFIX = 23  # whatever the CIDR (defect D14)
COPIED = {
    "diskEncryption": "diskEncryption",
    "mastersSchedulable": "mastersSchedulable",
    "proxy": "proxy",
    "sshAuthorizedKey": "sshPublicKey",
}


def image_of(world: World, core: CoreKinds, plane: Object) -> str:
    """The release image by tag. Without configs, or with several architectures of them, it is the one for all."""
    name = labels_of(plane).get(CLUSTER_NAME)
    listed = world.all(core.config, key_of(plane)[0])
    found = [
        str((item.get("spec") or {}).get("cpuArchitecture") or "")
        for item in listed
        if name and labels_of(item).get(CLUSTER_NAME) == name
    ]
    return tag_image(
        plane["spec"]["distributionVersion"],
        architecture(found),
        annotations_of(plane).get(names.REPOSITORY_OVERRIDE, ""),
    )


class DeploymentController:
    """Keys are ClusterDeployments. ``releases``: image -> version, of all images that were resolved."""

    def __init__(self, world: World, core: CoreKinds, releases: MutableMapping[str, str]) -> None:
        self._world, self._core, self._releases = world, core, releases

    async def reconcile(self, key: Key) -> float | None:
        """Raises Retry."""
        deployment, plane = self._world.get(CLUSTER_DEPLOYMENT, key), self._world.get(self._core.control_plane, key)
        if deployment is None or plane is None or CLUSTER_NAME not in labels_of(deployment):
            return None
        read_pull_secret(self._world, plane)
        try:
            image = resolve(image_of(self._world, self._core, plane), self._releases)
            overrides = self._overrides(plane)
        except (NotFound, capabilities.Invalid) as error:
            raise Retry(str(error)) from error
        await self._image_set(key[1], image)
        await self._registries(plane)
        await self._install(deployment, plane, overrides)
        wanted = install_reference(key[1])
        if any(
            (deployment["spec"].get("clusterInstallRef") or {}).get(name) != value for name, value in wanted.items()
        ):
            await self._world.patch(CLUSTER_DEPLOYMENT, deployment, {"spec": {"clusterInstallRef": wanted}})
        return None

    async def _image_set(self, name: str, image: str) -> None:
        """One for all namespaces, and nothing deletes it (defect D10)."""
        present = self._world.get(CLUSTER_IMAGE_SET, ("", name))
        if present is None:
            await self._world.create(CLUSTER_IMAGE_SET, {"metadata": {"name": name}, "spec": {"releaseImage": image}})
        elif present["spec"].get("releaseImage") != image:
            await self._world.patch(CLUSTER_IMAGE_SET, present, {"spec": {"releaseImage": image}})

    async def _registries(self, plane: Object) -> None:
        """One ConfigMap for all control planes of a namespace, and nothing deletes it (defect D10). Raises Retry."""
        reference = (plane["spec"].get("config") or {}).get("imageRegistryRef")
        if not reference:
            return
        namespace = key_of(plane)[0]
        source = self._world.get(CONFIG_MAP, (namespace, str(reference["name"])))
        if source is None:
            raise Retry(f'configmaps "{reference["name"]}" not found')
        try:
            data = mirrors.mirror_manifests(source.get("data") or {})
        except mirrors.Invalid as error:
            raise Retry(str(error)) from error
        present = self._world.get(CONFIG_MAP, (namespace, names.REGISTRY_CONFIG))
        if present is None:
            metadata = {"name": names.REGISTRY_CONFIG, "namespace": namespace}
            await self._world.create(CONFIG_MAP, {"metadata": metadata, "data": data})
        elif changed := merge_diff(present.get("data") or {}, data):
            await self._world.patch(CONFIG_MAP, present, {"data": changed})

    @staticmethod
    def _overrides(plane: Object) -> str:
        config = plane["spec"].get("config") or {}
        made = capabilities.capability_override(config.get("capabilities") or {}, bare_metal=bare_metal(config))
        return capabilities.combined(annotations_of(plane).get(names.INSTALL_CONFIG_OVERRIDE, ""), made)

    async def _install(self, deployment: Object, plane: Object, overrides: str) -> None:
        namespace, name = key_of(deployment)
        template = (plane["spec"]["machineTemplate"].get("metadata") or {}).get("labels") or {}
        labels = {**template, **names.plane_labels(name), CLUSTER_NAME: labels_of(deployment)[CLUSTER_NAME]}
        labels[names.CONSUMER_LABEL] = "OpenshiftAssistedControlPlane"
        annotations = {OVERRIDES_ANNOTATION: overrides} if overrides else {}
        present = self._world.get(CLUSTER_INSTALL, (namespace, name))
        if present is None:
            metadata: Object = {"name": name, "namespace": namespace, "labels": labels, "annotations": annotations}
            metadata["ownerReferences"] = [owner(plane, self._core.control_plane)]
            await self._world.create(CLUSTER_INSTALL, {"metadata": metadata, "spec": self._spec(deployment, plane, {})})
            return
        wanted = self._spec(deployment, plane, present["spec"])
        patch: Object = {}
        if wanted != present["spec"]:
            patch["spec"] = merge_diff(present["spec"], wanted)
        changed = merge_diff(labels_of(present), labels)
        if changed or any(annotations_of(present).get(entry) != value for entry, value in annotations.items()):
            patch["metadata"] = {"labels": changed, "annotations": annotations}
        if patch:
            await self._world.patch(CLUSTER_INSTALL, present, patch)

    def _spec(self, deployment: Object, plane: Object, present: Object) -> Object:
        name, config = deployment["metadata"]["name"], plane["spec"].get("config") or {}
        cluster = self._cluster(plane)
        network = (cluster.get("spec") or {}).get("clusterNetwork") or {}
        networking: Object = dict(present.get("networking") or {})
        networking["clusterNetwork"] = [
            {"cidr": cidr, "hostPrefix": HOST_PREFIX} for cidr in (network.get("pods") or {}).get("cidrBlocks") or []
        ]
        networking["serviceNetwork"] = list((network.get("services") or {}).get("cidrBlocks") or [])
        spec: Object = {
            **present,
            "clusterDeploymentRef": {"name": name},
            "imageSetRef": {"name": name},
            "networking": networking,
        }
        workers = self._workers(cluster)
        spec["provisionRequirements"] = {
            "controlPlaneAgents": int(plane["spec"].get("replicas") or 0),
            **({"workerAgents": workers} if workers else {}),
        }
        spec["platformType"] = "BareMetal" if bare_metal(config) else "None"
        if bare_metal(config):
            spec |= {"apiVIPs": list(config["apiVIPs"]), "ingressVIPs": list(config["ingressVIPs"])}
        spec |= {theirs: config[ours] for ours, theirs in COPIED.items() if config.get(ours)}
        manifests = [dict(entry) for entry in config.get("manifestsConfigMapRefs") or []]
        manifests += [{"name": names.REGISTRY_CONFIG}] if config.get("imageRegistryRef") else []
        if manifests:
            spec["manifestsConfigMapRefs"] = manifests
        return spec

    def _cluster(self, plane: Object) -> Object:
        references = plane["metadata"].get("ownerReferences") or []
        name = next((entry["name"] for entry in references if entry["kind"] == "Cluster"), "")
        return self._world.get(self._core.cluster, (key_of(plane)[0], name)) or {}

    def _workers(self, cluster: Object) -> int:
        """MachineDeployments with the Cluster's name as label, in all namespaces (defect D2); one without a number
        stops the pass (D15).
        """
        total = 0
        for item in self._world.all(self._core.machine_deployment):
            if cluster and labels_of(item).get(CLUSTER_NAME) == cluster["metadata"]["name"]:
                if item["spec"].get("replicas") is None:
                    raise Retry("runtime error: invalid memory address or nil pointer dereference")
                total += int(item["spec"]["replicas"])
        return total


def bare_metal(config: Any) -> bool:
    return bool(config.get("apiVIPs")) and bool(config.get("ingressVIPs"))


def install_reference(name: str) -> dict[str, str]:
    return {
        "group": CLUSTER_INSTALL.group,
        "version": CLUSTER_INSTALL.version,
        "kind": CLUSTER_INSTALL.kind,
        "name": name,
    }
