# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the manifests ClusterDeployment and AgentClusterInstall to the request body cluster-create-params. Pure
functions.

Source: openshift/assisted-service internal/cluster/validations/validations.go,
  internal/controller/controllers/clusterdeployments_controller.go.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from .manifests import ClientError, Manifests, spec_of

OVERRIDES_ANNOTATION = "agent-install.openshift.io/install-config-overrides"
CONSUMER_LABEL = "agentclusterinstalls.agent-install.openshift.io/consumer"
_PLATFORMS = {"BareMetal": "baremetal", "None": "none", "VSphere": "vsphere", "Nutanix": "nutanix"}
_LOAD_BALANCERS = {"ClusterManaged": "cluster-managed", "UserManaged": "user-managed"}

Params = dict[str, Any]


def cluster_params(manifests: Manifests, *, version: str, architecture: str, release_image: str) -> Params:
    """The body of POST /v2/clusters. Raises :class:`ClientError`."""
    deployment = spec_of(manifests.document("cluster-deployment.yaml"))
    install = manifests.document("agent-cluster-install.yaml")
    spec = spec_of(install)
    networking = spec.get("networking") or {}
    requirements = spec.get("provisionRequirements") or {}
    control_plane = int(requirements.get("controlPlaneAgents") or 0)
    single_node = control_plane == 1 and not requirements.get("workerAgents")
    operators = manifests.documents("operators.yaml")
    params: Params = {
        "name": deployment.get("clusterName", ""),
        "base_dns_domain": deployment.get("baseDomain", ""),
        "openshift_version": version,
        "ocp_release_image": release_image,
        "cpu_architecture": architecture,
        "pull_secret": manifests.pull_secret(),
        "vip_dhcp_allocation": False,
        "api_vips": [{"ip": ip} for ip in _vips(spec, "apiVIP")],
        "ingress_vips": [{"ip": ip} for ip in _vips(spec, "ingressVIP")],
        "user_managed_networking": bool(networking.get("userManagedNetworking")) or single_node,
        "schedulable_masters": bool(spec.get("mastersSchedulable")),
        "control_plane_count": control_plane,
        "cluster_networks": [
            {"cidr": net.get("cidr"), "host_prefix": net.get("hostPrefix")}
            for net in networking.get("clusterNetwork") or []
        ]
        or None,
        "service_networks": [{"cidr": cidr} for cidr in networking.get("serviceNetwork") or []] or None,
        "machine_networks": [{"cidr": net.get("cidr")} for net in networking.get("machineNetwork") or []] or None,
        "olm_operators": operators[0] if operators else None,
        "operator_bundles": None,
    }
    if single_node:
        params["high_availability_mode"] = "None"
    return params | _optional(install, spec, networking)


def _optional(install: Mapping[str, Any], spec: Mapping[str, Any], networking: Mapping[str, Any]) -> Params:
    """The members that are left out when there is nothing to say."""
    proxy = spec.get("proxy") or {}
    optional: Params = {
        "ssh_public_key": spec.get("sshPublicKey"),
        "network_type": networking.get("networkType"),
        "ntp_sources": ",".join(spec.get("ntpSources") or []),
        "platform": _platform(spec),
        "hyperthreading": _hyperthreading(spec),
        "disk_encryption": _disk_encryption(spec.get("diskEncryption") or {}),
        "http_proxy": proxy.get("httpProxy"),
        "https_proxy": proxy.get("httpsProxy"),
        "no_proxy": proxy.get("noProxy"),
        "tags": ((install.get("metadata") or {}).get("labels") or {}).get(CONSUMER_LABEL),
    }
    balancer = _LOAD_BALANCERS.get((spec.get("loadBalancer") or {}).get("type", ""))
    if balancer:
        optional["load_balancer"] = {"type": balancer}
    return {name: value for name, value in optional.items() if value}


def _vips(spec: Mapping[str, Any], kind: str) -> list[str]:
    single = _canonical(spec.get(kind) or "")
    several = [_canonical(ip) for ip in spec.get(f"{kind}s") or []]
    if single and several and several[0] != single:
        raise ClientError(f"{kind} must be the same as the first element of {kind}s")
    return several or ([single] if single else [])


def _canonical(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return text


def _platform(spec: Mapping[str, Any]) -> Params | None:
    kind = spec.get("platformType") or ""
    if kind == "External" and spec.get("external"):
        external = spec["external"]
        details = {
            "platform_name": external.get("platformName", ""),
            "cloud_controller_manager": external.get("cloudControllerManager", ""),
        }
        return {"type": "external", "external": details}
    return {"type": _PLATFORMS[kind]} if kind in _PLATFORMS else None


def _hyperthreading(spec: Mapping[str, Any]) -> str:
    worker = next((pool for pool in spec.get("compute") or [] if pool.get("name") == "worker"), None)
    pools = {"masters": spec.get("controlPlane"), "arbiters": spec.get("arbiter"), "workers": worker}
    if all(pool is None for pool in pools.values()):
        return ""
    return ",".join(name for name, pool in pools.items() if pool and pool.get("hyperthreading") == "Enabled") or "none"


def _disk_encryption(encryption: Mapping[str, Any]) -> Params | None:
    enable, mode, tang = (
        encryption.get("enableOn") or "none",
        encryption.get("mode") or "tpmv2",
        encryption.get("tangServers"),
    )
    if enable == "none" and mode != "tang" and not tang:
        return None
    return {"enable_on": enable, "mode": mode} | ({"tang_servers": tang} if tang else {})
