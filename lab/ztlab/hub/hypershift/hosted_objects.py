# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the objects of a HostedCluster: control plane namespace, HostedControlPlane, Cluster, AgentCluster and RBAC.
Pure functions.

Source: openshift/hypershift hypershift-operator/controllers/hostedcluster/internal/platform/agent/agent.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..capi.kinds import PROVIDER
from ..names import Object
from . import naming

SAME_IN_CONTROL_PLANE = (
    "autoscaling",
    "channel",
    "clusterID",
    "configuration",
    "controllerAvailabilityPolicy",
    "dns",
    "etcd",
    "fips",
    "imageContentSources",
    "infraID",
    "infrastructureAvailabilityPolicy",
    "issuerURL",
    "networking",
    "nodeSelector",
    "olmCatalogPlacement",
    "pausedUntil",
    "services",
    "tolerations",
)
NAMESPACE_LABELS = {
    "hypershift.openshift.io/hosted-control-plane": "true",
    "pod-security.kubernetes.io/enforce": "restricted",
    "pod-security.kubernetes.io/audit": "restricted",
    "pod-security.kubernetes.io/warn": "restricted",
    "security.openshift.io/scc.podSecurityLabelSync": "false",
}
PROVIDER_IMAGE = "quay.io/edge-infrastructure/cluster-api-provider-agent:latest"
IMAGE_ANNOTATION = f"{naming.PREFIX}capi-provider-agent-image"
DISABLED_ANNOTATION = f"{naming.PREFIX}disable-machine-management"
# name in the HostedCluster's spec -> name of the copy in the control plane namespace
COPIES = {"pullSecret": "pull-secret", "sshKey": "ssh-key"}


def cluster_key(hosted: Mapping[str, Any]) -> str:
    return f"{hosted['metadata']['namespace']}/{hosted['metadata']['name']}"


def space_of(hosted: Mapping[str, Any]) -> str:
    return naming.control_plane_namespace(hosted["metadata"]["namespace"], hosted["metadata"]["name"])


def control_plane(hosted: Mapping[str, Any]) -> Object:
    """The HostedControlPlane's spec; to it the platform is None."""
    spec = hosted["spec"]
    made = {name: spec[name] for name in SAME_IN_CONTROL_PLANE if name in spec}
    made |= {
        "platform": {"type": "None"},
        "releaseImage": spec["release"]["image"],
        "pullSecret": {"name": COPIES["pullSecret"]},
    }
    if (spec.get("sshKey") or {}).get("name"):
        made["sshKey"] = {"name": COPIES["sshKey"]}
    return made


def cluster(hosted: Mapping[str, Any], endpoint: Mapping[str, Any] | None, *, v1beta2: bool) -> Object:
    name, space = hosted["metadata"]["name"], space_of(hosted)

    def reference(group: str, kind: str) -> dict[str, Any]:
        if v1beta2:
            return {"apiGroup": group, "kind": kind, "name": name}
        return {"apiVersion": f"{group}/v1beta1", "kind": kind, "name": name, "namespace": space}

    spec: dict[str, Any] = {
        "controlPlaneRef": reference(naming.GROUP, "HostedControlPlane"),
        "infrastructureRef": reference(PROVIDER, "AgentCluster"),
    }
    if endpoint:
        spec["controlPlaneEndpoint"] = {"host": endpoint["host"], "port": endpoint["port"]}
    return spec


def agent_cluster(hosted: Mapping[str, Any], ignition: str, endpoint: Mapping[str, Any] | None) -> Object:
    authority = {"name": naming.IGNITION_CA, "namespace": space_of(hosted)}
    spec: dict[str, Any] = {
        "ignitionEndpoint": {"url": f"https://{ignition}/ignition", "caCertificateReference": authority}
    }
    if endpoint:
        spec["controlPlaneEndpoint"] = {"host": endpoint["host"], "port": endpoint["port"]}
    return spec


def role(hosted: Mapping[str, Any]) -> Object:
    """For the agent namespace."""
    rules = [
        {
            "apiGroups": ["agent-install.openshift.io"],
            "resources": ["agents"],
            "verbs": ["get", "list", "watch", "update", "patch"],
        }
    ]
    return {"metadata": _rbac_metadata(hosted, f"capi-provider-role-{space_of(hosted)}"), "rules": rules}


def role_binding(hosted: Mapping[str, Any]) -> Object:
    space = space_of(hosted)
    return {
        "metadata": _rbac_metadata(hosted, f"cluster-api-agent-{space}"),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": f"capi-provider-role-{space}"},
        "subjects": [{"kind": "ServiceAccount", "name": "capi-provider", "namespace": space}],
    }


def _rbac_metadata(hosted: Mapping[str, Any], name: str) -> Object:
    return {
        "name": name,
        "namespace": hosted["spec"]["platform"]["agent"]["agentNamespace"],
        "labels": {naming.AGENT_RBAC: "true"},
        "annotations": {naming.HOSTED_CLUSTER: cluster_key(hosted)},
    }


def provider_deployment(hosted: Mapping[str, Any]) -> Object:
    """The Agent provider of this control plane namespace."""
    labels = {"app": "capi-provider-controller-manager", "control-plane": "capi-provider-controller-manager"}
    arguments = [
        "--namespace",
        "$(MY_NAMESPACE)",
        "--agent-namespace",
        hosted["spec"]["platform"]["agent"]["agentNamespace"],
        "--health-probe-bind-address=:8081",
        "--metrics-bind-address=127.0.0.1:8080",
        "--leader-elect",
    ]
    image = (hosted["metadata"].get("annotations") or {}).get(IMAGE_ANNOTATION) or PROVIDER_IMAGE
    variable = {"name": "MY_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}
    container = {"name": "manager", "image": image, "args": arguments, "env": [variable]}
    return {
        "metadata": {
            "name": "capi-provider",
            "namespace": space_of(hosted),
            "annotations": {naming.HOSTED_CLUSTER: cluster_key(hosted)},
        },
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"serviceAccountName": "capi-provider", "containers": [container]},
            },
        },
    }


def versions(image: str, version: str, started: str, guest: Mapping[str, Any], generation: int) -> Object:
    """status.version of a HostedCluster from its guest's ClusterVersion; before that answers the desired state is
    alone.
    """
    desired = {"image": image, "version": version}
    listed = [
        {
            "state": entry["state"],
            "version": entry["version"],
            "image": image if entry["version"] == version else entry["image"],
            "startedTime": entry["startedTime"],
            "completionTime": entry.get("completionTime"),
            "verified": bool(entry.get("verified")),
        }
        for entry in guest.get("history") or []
    ]
    if not listed or listed[0]["version"] != version:
        listed.insert(
            0, {"state": "Partial", **desired, "startedTime": started, "completionTime": None, "verified": False}
        )
    return {"desired": desired, "history": listed, "observedGeneration": generation, "availableUpdates": None}
