# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the objects that install a cluster from a hub.

They are derived from the objects of the manifests package, which an agent ISO contains, so that one configuration means
the same cluster in both cases. Differences on a hub: real namespaces and references, no ``status``, no deprecated
scalars, the pull secret as ``data``, mirrors and extra manifests in ConfigMaps.

Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go,
  docs/hive-integration/crds.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from ...cluster.spec import Deployment
from ...manifests.cluster_manifests import encode_certificates
from ...manifests.extra import split_manifests
from ...manifests.go_json import pretty_json
from ...manifests.mirrors import registries_conf
from ...manifests.objects import (
    agent_cluster_install,
    cluster_deployment,
    cluster_image_set,
    image_set_name,
    pull_secret_name,
)

Object = dict[str, Any]

# Bytes of file contents in one ConfigMap: Kubernetes takes 1 MiB of the whole object.
CONFIG_MAP_BYTES = 900 * 1024
_DEPRECATED = ("apiVIP", "ingressVIP")


@dataclasses.dataclass(frozen=True)
class HubCluster:
    """A cluster to be made in a namespace of a hub.

    ``hold``: whether the installation is held back; None leaves that as it is. ``image_set``: name of the
    ClusterImageSet, which is cluster scoped and may be shared.
    """

    deployment: Deployment
    namespace: str
    hold: bool | None = None
    image_set: str = ""

    @property
    def name(self) -> str:
        return self.deployment.cluster.name

    @property
    def image_set_name(self) -> str:
        return self.image_set or image_set_name(self.deployment.cluster)

    @property
    def mirror_name(self) -> str:
        """Name of the ConfigMap with the mirrors; empty without mirrors.

        InfraEnvs of the cluster refer to it as well.
        """
        return f"{self.name}-mirrors" if self.deployment.cluster.image_digest_sources else ""


def hub_objects(cluster: HubCluster) -> list[Object]:
    """All objects, in the order in which they are best created; each controller waits for what is missing all the same.

    Raises :class:`InvalidInput` for extra manifests that are not YAML.
    """
    return [
        image_set_object(cluster),
        pull_secret_object(cluster),
        *_mirrors(cluster),
        *_manifests(cluster),
        _deployment(cluster),
        _install(cluster),
    ]


def image_set_object(cluster: HubCluster) -> Object:
    made = cluster_image_set(cluster.deployment.cluster)
    return {**_plain(made), "metadata": {"name": cluster.image_set_name}}


def pull_secret_object(cluster: HubCluster) -> Object:
    text = pretty_json(cluster.deployment.cluster.pull_secret)
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": pull_secret_name(cluster.deployment.cluster), "namespace": cluster.namespace},
        "type": "kubernetes.io/dockerconfigjson",
        "data": {".dockerconfigjson": base64.b64encode(text.encode()).decode()},
    }


def _mirrors(cluster: HubCluster) -> Iterator[Object]:
    spec = cluster.deployment.cluster
    if cluster.mirror_name:
        bundle = encode_certificates(spec.additional_trust_bundle)
        data = {"registries.conf": registries_conf(spec.image_digest_sources)} | (
            {"ca-bundle.crt": bundle} if bundle else {}
        )
        yield _config_map(cluster, cluster.mirror_name, data)


def _manifests(cluster: HubCluster) -> Iterator[Object]:
    """Every extra manifest, in as few ConfigMaps as their size allows."""
    part: dict[str, str] = {}
    size = index = 0
    for name, text in sorted(split_manifests(cluster.deployment.cluster.extra_manifests).items()):
        if part and size + len(text.encode()) > CONFIG_MAP_BYTES:
            yield _config_map(cluster, f"{cluster.name}-manifests-{index}", part)
            part, size, index = {}, 0, index + 1
        part[name], size = text, size + len(text.encode())
    if part:
        yield _config_map(cluster, f"{cluster.name}-manifests-{index}", part)


def _deployment(cluster: HubCluster) -> Object:
    made = _plain(cluster_deployment(cluster.deployment.cluster))
    spec = {key: value for key, value in made["spec"].items() if key not in ("installed", "controlPlaneConfig")}
    # Hosts are bound by Agent.spec alone; the selector is required by the schema and not used.
    # Source: openshift/assisted-service docs/hive-integration/crds.
    spec["platform"] = {"agentBareMetal": {"agentSelector": {}}}
    return {**made, "metadata": {**made["metadata"], "namespace": cluster.namespace}, "spec": spec}


def _install(cluster: HubCluster) -> Object:
    made = _plain(agent_cluster_install(cluster.deployment))
    spec = {key: value for key, value in made["spec"].items() if key not in _DEPRECATED}
    spec |= {"imageSetRef": {"name": cluster.image_set_name}} | (
        {} if cluster.hold is None else {"holdInstallation": cluster.hold}
    )
    manifests = [item["metadata"]["name"] for item in _manifests(cluster)]
    # An empty list, too: manifests that are not listed any more are taken back by the service.
    # Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go.
    spec["manifestsConfigMapRefs"] = [{"name": name} for name in manifests] or None
    spec["mirrorRegistryRef"] = (
        {"name": cluster.mirror_name, "namespace": cluster.namespace} if cluster.mirror_name else None
    )
    return {**made, "metadata": {**made["metadata"], "namespace": cluster.namespace}, "spec": spec}


def _config_map(cluster: HubCluster, name: str, data: Mapping[str, str]) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": cluster.namespace},
        "data": dict(data),
    }


def _plain(made: Mapping[str, Any]) -> Object:
    return {key: value for key, value in made.items() if key != "status"}
