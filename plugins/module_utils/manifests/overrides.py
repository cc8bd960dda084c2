# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the install-config-overrides annotation: settings for which an AgentClusterInstall has no field.

Source: openshift/installer pkg/asset/agent/manifests.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ..cluster.field_row import ClusterRow
from ..cluster.field_table import CLUSTER_FIELDS
from ..cluster.field_values import value_of
from ..cluster.profile import profile_of
from ..cluster.shapes import Record
from ..cluster.spec import Cluster, Deployment, Document
from ..cluster.upstream import vsphere_conversion
from ..cluster.upstream.texts import canonical_cidr
from . import platform_defaults
from .go_json import compact, in_order

# Network types that the AgentClusterInstall itself can carry.
_PLAIN_NETWORK_TYPES = ("OVNKubernetes", "OpenShiftSDN")
# The order of upstream's type; further ones follow.
_ORDER = (
    *("fips", "platform", "capabilities", "networking", "cpuPartitioningMode", "additionalTrustBundlePolicy"),
    *("featureSet", "featureGates", "osImageStream"),
)
_BMC_KEYS = ("username", "password", "address")
# Fields of the nutanix platform that agent installs ignore, and those that have a place of their own here.
# Source: openshift/installer pkg/asset/agent/installconfig.go.
_NUTANIX_IGNORED = (
    "clusterOSImage",
    "preloadedOSImageName",
    "defaultMachinePlatform",
    "loadBalancer",
    "prismAPICallTimeout",
    "failureDomains",
)
_PROVISIONING_KEYS = (
    "clusterProvisioningIP",
    "provisioningNetwork",
    "provisioningNetworkInterface",
    "provisioningNetworkCIDR",
    "provisioningDHCPRange",
)
_PROVISIONING_GATEWAY = "provisioningNetworkGateway"
# The order of upstream's types.
_VCENTER = ("server", "port", "user", "password", "datacenters")
_FAILURE_DOMAIN = ("name", "region", "zone", "server", "topology", "regionType", "zoneType")
_TOPOLOGY = (
    "datacenter",
    "computeCluster",
    "networks",
    "datastore",
    "resourcePool",
    "folder",
    "template",
    "tagIDs",
    "hostGroup",
)
# Written even when they are empty.
_TOPOLOGY_ALWAYS = ("datacenter", "computeCluster", "datastore")
_NUTANIX = ("prismCentral", "prismElements", "apiVIPs", "ingressVIPs", "subnetUUIDs", "dnsRecordsType")
_PRISM_CENTRAL = ("endpoint", "username", "password")
_PRISM_ELEMENT = ("uuid", "endpoint", "name")
_ENDPOINT = ("address", "port")


def install_config_overrides(deployment: Deployment) -> str:
    """Compact JSON, keys in the installer's order, nothing that is empty; an empty string when there is nothing to
    override.

    May hold BMC, vCenter or Prism passwords.
    """
    cluster = deployment.cluster
    overrides: dict[str, Any] = {}
    forced = bool(cluster.fips or cluster.feature_set or cluster.feature_gates)
    platform = _platform(deployment, forced)
    if platform is not None:
        overrides["platform"] = {cluster.platform: platform}
    fields = {row.upstream: _field(row, cluster) for row in CLUSTER_FIELDS if row.override}
    fields["networking"] = _networking(cluster)
    profile = profile_of(cluster.version)
    if not profile.os_stream_handed_on or fields["osImageStream"] == profile.default_os_stream:
        del fields["osImageStream"]
    overrides.update({key: value for key, value in fields.items() if value})
    return compact(in_order(overrides, _ORDER)) if overrides else ""


def _field(row: ClusterRow, cluster: Cluster) -> Any:
    """The value of a field that is passed on as it is; None where it is upstream's default."""
    value = value_of(row, cluster)
    if isinstance(row.shape, Record) and value:
        return _chosen(value, tuple(row.shape.fields))
    return None if value == row.default else value


def _networking(cluster: Cluster) -> dict[str, Any]:
    networking = cluster.networking
    if networking.network_type in _PLAIN_NETWORK_TYPES:
        return {}
    return {
        "networkType": networking.network_type,
        "machineNetwork": [{"cidr": canonical_cidr(cidr)} for cidr in networking.machine_networks],
        "clusterNetwork": [
            {"cidr": canonical_cidr(network.cidr), "hostPrefix": network.host_prefix}
            for network in networking.cluster_networks
        ],
        "serviceNetwork": [canonical_cidr(cidr) for cidr in networking.service_networks],
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
        return _nutanix(cluster)
    return None


def _baremetal(deployment: Deployment) -> dict[str, Any] | None:
    cluster = deployment.cluster
    # A host without a hostname has a name that only we gave it.
    unnamed = {f"host-{index}" for index, host in enumerate(deployment.hosts) if not host.hostname}
    listed = [
        {**host, "name": ""} if host.get("name") in unnamed else host
        for host in _mappings(cluster.platform_options.get("hosts"))
    ]
    hosts = [host for host in map(_baremetal_host, listed) if host is not None]
    if not hosts:
        return None
    keys = (
        (*_PROVISIONING_KEYS, _PROVISIONING_GATEWAY)
        if profile_of(cluster.version).provisioning_gateway
        else _PROVISIONING_KEYS
    )
    options = platform_defaults.provisioning(cluster.platform_options, cluster.networking.machine_networks)
    if options.get("provisioningNetworkCIDR"):
        options["provisioningNetworkCIDR"] = canonical_cidr(str(options["provisioningNetworkCIDR"]))
    return {"hosts": hosts, **_chosen(options, keys)}


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, (list, tuple)) else []


def _baremetal_host(host: Mapping[str, Any]) -> dict[str, Any] | None:
    """A host whose BMC the cluster itself uses, or None when it names none."""
    provided = host.get("bmc")
    bmc: Mapping[str, Any] = provided if isinstance(provided, Mapping) else {}
    if not any(bmc.get(key) for key in _BMC_KEYS):
        return None
    return {
        **({"name": host["name"]} if host.get("name") else {}),
        "bmc": {
            **{key: bmc.get(key) or "" for key in _BMC_KEYS},
            "disableCertificateVerification": bool(bmc.get("disableCertificateVerification")),
        },
        "role": host.get("role") or "",
        "bootMACAddress": host.get("bootMACAddress") or "",
        "hardwareProfile": "",
    }


def _vsphere(cluster: Cluster, forced: bool) -> dict[str, Any] | None:
    """vCenters with credentials and, with any of them, the failure domains; VIPs only where there are two of each."""
    # Old layouts, and names of objects where paths are wanted, as the installer converts them.
    options = copy.deepcopy(dict(cluster.platform_options))
    vsphere_conversion.convert(options)
    override: dict[str, Any] = {}
    if len(cluster.api_vips) > 1:
        override = {"apiVIPs": list(cluster.api_vips), "ingressVIPs": list(cluster.ingress_vips)}
    vcenters = [
        in_order(_without_zero_port(vcenter), _VCENTER)
        for vcenter in _mappings(options.get("vcenters"))
        if _has_credentials(vcenter)
    ]
    domains = [_failure_domain(domain) for domain in _mappings(options.get("failureDomains"))]
    if vcenters:
        override = {**override, "vcenters": vcenters, **({"failureDomains": domains} if domains else {})}
    return override if override or forced else None


def _without_zero_port(vcenter: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in vcenter.items() if key != "port" or value}


def _has_credentials(vcenter: Mapping[str, Any]) -> bool:
    return any(vcenter.get(key) for key in ("server", "user", "password", "datacenters"))


def _failure_domain(domain: Mapping[str, Any]) -> dict[str, Any]:
    provided = domain.get("topology")
    topology = platform_defaults.topology(provided) if isinstance(provided, Mapping) else {}
    known = {key: value for key, value in topology.items() if value or key in _TOPOLOGY_ALWAYS}
    return in_order({**domain, **({"topology": in_order(known, _TOPOLOGY)} if known else {})}, _FAILURE_DOMAIN)


def _nutanix(cluster: Cluster) -> dict[str, Any]:
    options = {key: value for key, value in cluster.platform_options.items() if key not in _NUTANIX_IGNORED}
    if profile_of(cluster.version).dns_records_type:
        options["dnsRecordsType"] = options.get("dnsRecordsType") or "Internal"
    vips = {"apiVIPs": list(cluster.api_vips), "ingressVIPs": list(cluster.ingress_vips)}
    central = options.get("prismCentral")
    if isinstance(central, Mapping):
        options["prismCentral"] = _with_endpoint(central, _PRISM_CENTRAL)
    if "prismElements" in options:
        options["prismElements"] = [
            _with_endpoint(element, _PRISM_ELEMENT) for element in _mappings(options["prismElements"])
        ]
    return in_order({**options, **{key: value for key, value in vips.items() if value}}, _NUTANIX)


def _with_endpoint(document: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    endpoint = document.get("endpoint")
    return in_order(
        {**document, **({"endpoint": in_order(endpoint, _ENDPOINT)} if isinstance(endpoint, Mapping) else {})}, keys
    )


def _chosen(document: Document, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: document[key] for key in keys if document.get(key)}
