# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The install-config-overrides annotation: what an AgentClusterInstall has no field for (reference agent-based-installer.md 4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..cluster.spec import Cluster, Deployment, Document

# Network types that the AgentClusterInstall itself can carry.
_PLAIN_NETWORK_TYPES = ("OVNKubernetes", "OpenShiftSDN")
_DEFAULT_TRUST_POLICY = "Proxyonly"
_DEFAULT_OS_STREAM = "rhel-9"
_BMC_KEYS = ("username", "password", "address")
# Fields of the nutanix platform that agent installs ignore (reference 3.11), and those that have a place of their own here.
_NUTANIX_IGNORED = ("clusterOSImage", "preloadedOSImageName", "defaultMachinePlatform", "loadBalancer", "prismAPICallTimeout", "failureDomains")
_PROVISIONING_KEYS = (
    "clusterProvisioningIP",
    "provisioningNetwork",
    "provisioningNetworkInterface",
    "provisioningNetworkCIDR",
    "provisioningDHCPRange",
    "provisioningNetworkGateway",
)


def install_config_overrides(deployment: Deployment) -> str:
    """Compact JSON, keys in the installer's order, nothing that is empty; an empty string when there is nothing to override.

    May hold BMC, vCenter or Prism passwords.
    """
    cluster = deployment.cluster
    overrides: dict[str, Any] = {}
    if cluster.fips:
        overrides["fips"] = True
    forced = bool(cluster.fips or cluster.feature_set or cluster.feature_gates)
    platform = _platform(deployment, forced)
    if platform is not None:
        overrides["platform"] = {cluster.platform: platform}
    given = {
        "capabilities": _capabilities(cluster.capabilities),
        "networking": _networking(cluster),
        "cpuPartitioningMode": cluster.cpu_partitioning_mode,
        "additionalTrustBundlePolicy": _unless(cluster.additional_trust_bundle_policy, _DEFAULT_TRUST_POLICY),
        "featureSet": cluster.feature_set,
        "featureGates": list(cluster.feature_gates),
        "osImageStream": _unless(str(cluster.install_config_extra.get("osImageStream") or ""), _DEFAULT_OS_STREAM),
    }
    overrides.update({key: value for key, value in given.items() if value})
    return json.dumps(overrides, separators=(",", ":"), ensure_ascii=False) if overrides else ""


def _unless(value: str, default: str) -> str:
    return "" if value == default else value


def _capabilities(capabilities: Document) -> dict[str, Any]:
    return _chosen(capabilities, ("baselineCapabilitySet", "additionalEnabledCapabilities"))


def _networking(cluster: Cluster) -> dict[str, Any]:
    networking = cluster.networking
    if networking.network_type in _PLAIN_NETWORK_TYPES:
        return {}
    return {
        "networkType": networking.network_type,
        "machineNetwork": [{"cidr": cidr} for cidr in networking.machine_networks],
        "clusterNetwork": [{"cidr": network.cidr, "hostPrefix": network.host_prefix} for network in networking.cluster_networks],
        "serviceNetwork": list(networking.service_networks),
    }


def _platform(deployment: Deployment, forced: bool) -> dict[str, Any] | None:
    """The override of the platform, or None without one."""
    cluster = deployment.cluster
    if cluster.platform == "baremetal":
        return _baremetal(deployment)
    if cluster.platform == "vsphere":
        return _vsphere(cluster, forced)
    if cluster.platform == "external":
        return _chosen(cluster.platform_options, ("platformName", "cloudControllerManager"))
    if cluster.platform == "nutanix":
        vips = {"apiVIPs": list(cluster.api_vips), "ingressVIPs": list(cluster.ingress_vips)}
        options = {key: value for key, value in cluster.platform_options.items() if key not in _NUTANIX_IGNORED}
        return {**options, **{key: value for key, value in vips.items() if value}}
    return None


def _baremetal(deployment: Deployment) -> dict[str, Any] | None:
    hosts = [host for host in map(_baremetal_host, _named_hosts(deployment)) if host is not None]
    if not hosts:
        return None
    return {"hosts": hosts, **_chosen(deployment.cluster.platform_options, _PROVISIONING_KEYS)}


def _named_hosts(deployment: Deployment) -> list[Mapping[str, Any]]:
    hosts = deployment.cluster.platform_options.get("hosts")
    return [host for host in hosts if isinstance(host, Mapping)] if isinstance(hosts, (list, tuple)) else []


def _baremetal_host(host: Mapping[str, Any]) -> dict[str, Any] | None:
    """A host whose BMC the cluster itself shall use, or None when it names none."""
    given = host.get("bmc")
    bmc: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    if not any(bmc.get(key) for key in _BMC_KEYS):
        return None
    return {
        "name": host.get("name") or "",
        "bmc": {
            **{key: bmc.get(key) or "" for key in _BMC_KEYS},
            "disableCertificateVerification": bool(bmc.get("disableCertificateVerification")),
        },
        "role": host.get("role") or "",
        "bootMACAddress": host.get("bootMACAddress") or "",
        "hardwareProfile": "",
    }


def _vsphere(cluster: Cluster, forced: bool) -> dict[str, Any] | None:
    override: dict[str, Any] = {}
    vcenters = cluster.platform_options.get("vcenters") or []
    if any(isinstance(vcenter, Mapping) and vcenter.get("user") for vcenter in vcenters):
        override = _chosen(cluster.platform_options, ("vcenters", "failureDomains"))
    if len(cluster.api_vips) > 1:
        override = {"apiVIPs": list(cluster.api_vips), "ingressVIPs": list(cluster.ingress_vips), **override}
    return override if override or forced else None


def _chosen(document: Document, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: document[key] for key in keys if document.get(key)}
