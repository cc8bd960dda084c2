# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the specs of a ClusterDeployment and its AgentClusterInstall to the parameters of the assisted-service's
cluster. Pure functions.

Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..service.model import Cluster
from ..service.settings import version_key
from .conditions.cluster import Count

PLATFORMS = {
    "BareMetal": "baremetal",
    "None": "none",
    "VSphere": "vsphere",
    "Nutanix": "nutanix",
    "External": "external",
}
PLATFORM_TYPES = {value: name for name, value in PLATFORMS.items()}
CONSUMER_LABEL = "agentclusterinstalls.agent-install.openshift.io/consumer"
NETWORKS = ("cluster_networks", "service_networks", "machine_networks")
OVN_BY_DEFAULT = (4, 12)
_RELEASE_TAG = re.compile(r":(\d+\.\d+\.\d+(?:-[A-Za-z]+\.\d+)?)(?:-(x86_64|aarch64|arm64|ppc64le|s390x|multi))?$")


def release_of(image: str, known: Mapping[str, str]) -> tuple[str, str] | None:
    """(version, architecture) of a release image: by the site's table for pullspecs by digest, else by its tag; None
    when neither tells.
    """
    if image in known:
        return known[image], "x86_64"
    match = _RELEASE_TAG.search(image)
    return (match[1], match[2] or "x86_64") if match else None


def wanted_agents(spec: Mapping[str, Any]) -> Count:
    """``provisionRequirements``."""
    provided = spec.get("provisionRequirements") or {}
    return Count(
        int(provided.get("controlPlaneAgents") or 0),
        int(provided.get("arbiterAgents") or 0),
        int(provided.get("workerAgents") or 0),
    )


def _vips(spec: Mapping[str, Any], kind: str) -> list[dict[str, str]]:
    listed = spec.get(f"{kind}VIPs") or ([spec[f"{kind}VIP"]] if spec.get(f"{kind}VIP") else [])
    return [{"ip": address} for address in listed]


def _networks(spec: Mapping[str, Any]) -> dict[str, Any]:
    provided = spec.get("networking") or {}
    clusters = [
        {"cidr": entry["cidr"], **({"host_prefix": entry["hostPrefix"]} if entry.get("hostPrefix") else {})}
        for entry in provided.get("clusterNetwork") or []
    ]
    return {
        "cluster_networks": clusters,
        "service_networks": [{"cidr": cidr} for cidr in provided.get("serviceNetwork") or []],
        "machine_networks": [{"cidr": entry["cidr"]} for entry in provided.get("machineNetwork") or []],
        "network_type": provided.get("networkType"),
        "user_managed_networking": provided.get("userManagedNetworking"),
    }


def _platform(spec: Mapping[str, Any]) -> dict[str, Any] | None:
    kind = PLATFORMS.get(spec.get("platformType") or "")
    if kind is None:
        return None
    if kind != "external":
        return {"type": kind}
    external = spec.get("external") or {}
    named = {
        "platform_name": external.get("platformName") or "Unknown",
        "cloud_controller_manager": external.get("cloudControllerManager") or "",
    }
    return {"type": kind, "external": named}


def _hyperthreading(spec: Mapping[str, Any]) -> str:
    pools = {
        "masters": [spec.get("controlPlane")],
        "arbiters": [spec.get("arbiter")],
        "workers": spec.get("compute") or [],
    }
    off = {
        name
        for name, entries in pools.items()
        if any((entry or {}).get("hyperthreading") == "Disabled" for entry in entries)
    }
    on = [name for name in ("masters", "arbiters", "workers") if name not in off]
    return "all" if not off else ",".join(on) or "none"


def _encryption(spec: Mapping[str, Any]) -> dict[str, Any] | None:
    provided = spec.get("diskEncryption")
    if not provided:
        return None
    members = {
        "enable_on": provided.get("enableOn") or "none",
        "mode": provided.get("mode"),
        "tang_servers": provided.get("tangServers"),
    }
    return {name: value for name, value in members.items() if value}


def cluster_body(deployment: Mapping[str, Any], install: Mapping[str, Any]) -> dict[str, Any]:
    """Members of POST and PATCH /v2/clusters that the two objects say, without release and pull secret."""
    spec, labels = install["spec"], install["metadata"].get("labels") or {}
    proxy = spec.get("proxy") or {}
    balancer = {"ClusterManaged": "cluster-managed", "UserManaged": "user-managed"}.get(
        (spec.get("loadBalancer") or {}).get("type") or ""
    )
    members = {
        "name": deployment["spec"]["clusterName"],
        "base_dns_domain": deployment["spec"]["baseDomain"],
        "ssh_public_key": spec.get("sshPublicKey"),
        "api_vips": _vips(spec, "api"),
        "ingress_vips": _vips(spec, "ingress"),
        **_networks(spec),
        "platform": _platform(spec),
        "control_plane_count": wanted_agents(spec).masters or None,
        "schedulable_masters": bool(spec.get("mastersSchedulable")),
        "hyperthreading": _hyperthreading(spec),
        "disk_encryption": _encryption(spec),
        "http_proxy": proxy.get("httpProxy"),
        "https_proxy": proxy.get("httpsProxy"),
        "no_proxy": proxy.get("noProxy"),
        "ntp_sources": ",".join(spec.get("ntpSources") or []),
        "load_balancer": {"type": balancer} if balancer else None,
        "tags": labels.get(CONSUMER_LABEL),
    }
    return {name: value for name, value in members.items() if value not in (None, "", [])}


def default_network_type(body: Mapping[str, Any], cluster: Cluster) -> str:
    """The type of a cluster whose spec names none, by release and address family (selectClusterNetworkType of
    clusterdeployments_controller.go).
    """
    present = {**cluster.fields, "machine_networks": [{"cidr": cidr} for cidr in cluster.machine_networks]}
    networks = [str(entry["cidr"]) for kind in NETWORKS for entry in body.get(kind) or present.get(kind) or []]
    modern = version_key(str(cluster.fields.get("openshift_version") or "0")) >= OVN_BY_DEFAULT
    modern = modern or cluster.single_node or any(":" in cidr for cidr in networks)
    return "OVNKubernetes" if modern else "OpenShiftSDN"


def changes(body: Mapping[str, Any], cluster: Cluster, pull_secret: str) -> dict[str, Any]:
    """What a PATCH has to say so that the cluster is as ``body``; {} when it is so already."""
    said: dict[str, Any] = {}
    body = {"network_type": default_network_type(body, cluster), **body}
    for name, value in body.items():
        if name == "machine_networks":
            continue
        if not _covers(cluster.fields.get(name), value):
            said[name] = value
    free = (
        cluster.user_managed_networking
        or cluster.user_managed_load_balancer
        or len(body.get("machine_networks") or []) > 1
    )
    wanted = [entry["cidr"] for entry in body.get("machine_networks") or []]
    if wanted and wanted != cluster.machine_networks and free:
        said["machine_networks"] = body["machine_networks"]
    for name in ("api_vips", "ingress_vips"):
        if name not in body and cluster.vips(name):
            said[name] = []
    if pull_secret and pull_secret != cluster.pull_secret:
        said["pull_secret"] = pull_secret
    return said


def _covers(present: Any, wanted: Any) -> bool:
    """Whether everything that is wanted is there already; defaults that the service filled in do not matter."""
    if isinstance(wanted, dict):
        return isinstance(present, dict) and all(_covers(present.get(name), value) for name, value in wanted.items())
    if isinstance(wanted, list):
        return (
            isinstance(present, list)
            and len(present) == len(wanted)
            and all(_covers(one, other) for one, other in zip(present, wanted, strict=True))
        )
    return bool(present == wanted)
