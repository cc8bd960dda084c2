# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fill in the defaults of install-config.yaml that the installer sets before it validates.

Only the installer's rules read these defaults: the files that this collection writes contain what the user wrote.

Source: openshift/installer pkg/types/installconfig.go, pkg/types/defaults.
"""

from __future__ import annotations

import copy
import posixpath
from collections.abc import Mapping
from typing import Any

from ..profile import ReleaseProfile
from . import vsphere_conversion
from .texts import Cidr, mac_octets, parse_cidr, parse_ip

# In the order in which the installer determines the platform.
PLATFORM_ORDER = (
    "aws",
    "azure",
    "baremetal",
    "gcp",
    "ibmcloud",
    "none",
    "external",
    "powervc",
    "openstack",
    "vsphere",
    "ovirt",
    "powervs",
    "nutanix",
)
_DEFAULTS_ORDER = ("aws", "azure", "gcp", "ibmcloud", "openstack", "vsphere", "baremetal")
NETWORK_TYPES = {"ovnkubernetes": "OVNKubernetes", "openshiftsdn": "OpenShiftSDN"}
_EMPTY: tuple[object, ...] = ("", None, [], {})


def active_platform(doc: Mapping[str, Any]) -> str:
    """The platform that the installer takes for meant; empty without one it knows."""
    provided = doc.get("platform") or {}
    return next((name for name in PLATFORM_ORDER if name in provided), "")


def with_defaults(provided: Mapping[str, Any], profile: ReleaseProfile) -> dict[str, Any]:
    """A copy of install-config.yaml with every default that a rule looks at.

    ``provided`` has upstream's names and only values of the right type.
    """
    doc: dict[str, Any] = copy.deepcopy(dict(provided))
    platform = active_platform(doc)
    if platform == "vsphere":
        vsphere_conversion.convert(doc["platform"]["vsphere"])
    _networking(doc)
    _default(doc, "publish", "External")
    control_plane = _mapping(doc, "controlPlane")
    control_plane["name"] = "master"
    pools = [control_plane]
    if "arbiter" in doc:
        doc["arbiter"]["name"] = "arbiter"
        pools.append(doc["arbiter"])
    compute = _list(doc, "compute")
    if not any(pool.get("name") == "worker" for pool in compute):
        compute.append({"name": "worker"})
    for pool in (*pools, *compute):
        _pool(pool)
    platforms = doc.get("platform") or {}
    if "nutanix" in platforms:
        _default(doc, "credentialsMode", "Manual")
    # Of several platforms one gets its defaults.
    first = next((name for name in _DEFAULTS_ORDER if name in platforms), "")
    if first == "vsphere":
        _vsphere(platforms["vsphere"])
    elif first == "baremetal":
        _baremetal(platforms["baremetal"], doc)
    if profile.default_os_stream:
        _default(doc, "osImageStream", profile.default_os_stream)
    _default(doc, "additionalTrustBundlePolicy", "Proxyonly")
    return doc


def network_type(text: str) -> str:
    """A network type as the installer reads it: of the two that it knows, in the usual case.

    Source: openshift/installer pkg/types/conversion/installconfig.go.
    """
    return NETWORK_TYPES.get(text.lower(), text)


def _networking(doc: dict[str, Any]) -> None:
    networking = _mapping(doc, "networking")
    _default(networking, "networkType", "OVNKubernetes")
    networking["networkType"] = network_type(networking["networkType"])
    _default(networking, "machineNetwork", [{"cidr": "10.0.0.0/16"}])
    _default(networking, "serviceNetwork", ["172.30.0.0/16"])
    _default(networking, "clusterNetwork", [{"cidr": "10.128.0.0/14", "hostPrefix": 23}])


def _pool(pool: dict[str, Any]) -> None:
    pool.setdefault("replicas", 0 if pool.get("name") in ("edge", "arbiter") else 3)
    _default(pool, "hyperthreading", "Enabled")
    _default(pool, "architecture", "amd64")
    for credential in (pool.get("fencing") or {}).get("credentials") or []:
        octets = mac_octets(credential.get("macAddress", ""))
        if octets is not None:
            credential["macAddress"] = octets.hex(":")


def _baremetal(options: dict[str, Any], doc: Mapping[str, Any]) -> None:
    _default(options, "provisioningNetwork", "Managed")
    if options["provisioningNetwork"] != "Disabled":
        _default(options, "provisioningNetworkCIDR", "172.22.0.0/24")
        cidr = parse_cidr(options["provisioningNetworkCIDR"])
        for key, number in (("bootstrapProvisioningIP", 2), ("clusterProvisioningIP", 3)):
            address = _nth(cidr, number)
            if address:
                _default(options, key, address)
        _default(options, "provisioningBridge", "provisioning")
        if options["provisioningNetwork"] == "Managed" and cidr is not None:
            first, last = _nth(cidr, 10) or "<nil>", cidr.network.broadcast_address - 1
            _default(options, "provisioningDHCPRange", f"{first},{last}")
    elif parse_ip(options.get("clusterProvisioningIP", "")):
        ip = parse_ip(options["clusterProvisioningIP"])
        for entry in doc["networking"]["machineNetwork"]:
            machine = parse_cidr(entry.get("cidr", ""))
            if machine is not None and machine.holds(ip):
                options["provisioningNetworkCIDR"] = str(machine)
    _default(options, "externalBridge", "baremetal")
    for host in options.get("hosts") or []:
        _default(host, "bootMode", "UEFI")
    if options.get("hosts"):
        options["hosts"].sort(key=lambda host: role_order(host.get("role", "")))


def role_order(role: str) -> int:
    """Hosts of install-config.yaml are taken in the order of their roles; a role that does not exist counts like an
    arbiter.
    """
    return {"master": -1, "worker": 1, "": 2}.get(role, 0)


def _vsphere(options: Mapping[str, Any]) -> None:
    for domain in options.get("failureDomains") or []:
        topology = domain.setdefault("topology", {})
        if not topology.get("resourcePool") and topology.get("computeCluster"):
            topology["resourcePool"] = posixpath.normpath(f"{topology['computeCluster']}/Resources")


def _nth(cidr: Cidr | None, number: int) -> str:
    """The address with this number in a network; empty where there are not as many."""
    if cidr is None or number >= cidr.network.num_addresses:
        return ""
    return str(cidr.network.network_address + number)


def _default(mapping: dict[str, Any], key: str, value: Any) -> None:
    if mapping.get(key) in _EMPTY:
        mapping[key] = value


def _mapping(parent: dict[str, Any], key: str) -> dict[str, Any]:
    value: dict[str, Any] = parent.setdefault(key, {})
    return value


def _list(parent: dict[str, Any], key: str) -> list[Any]:
    value: list[Any] = parent.setdefault(key, [])
    return value
