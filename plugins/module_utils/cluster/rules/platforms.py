# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What the platforms baremetal, external, vsphere and nutanix want (reference agent-based-installer.md 3.3)."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

from ...common.problems import DUPLICATE, INVALID, REQUIRED, UNSUPPORTED, Problem
from .checks import install_config, supported
from .facts import Address, Facts, Network, parse_cidr, parse_ip

_PROVISIONING = ("Managed", "Unmanaged", "Disabled")
_BALANCERS = ("OpenShiftManagedDefault", "UserManaged")
_CLOUD_CONTROLLER_MANAGERS = ("", "External")
_VIRTUAL_MEDIA = ("idrac-virtualmedia", "redfish-virtualmedia", "ilo5-virtualmedia", "ilo4-virtualmedia")
_DEFAULT_PROVISIONING_CIDR = "172.22.0.0/24"
_ALL_CREDENTIALS = "All credential fields are required if any one is specified"


def platform(facts: Facts) -> Iterator[Problem]:
    options = facts.cluster.platform_options
    rules = {"baremetal": _baremetal, "external": _external, "vsphere": _vsphere, "nutanix": _nutanix}
    rule = rules.get(facts.cluster.platform)
    if rule:
        yield from _load_balancer(facts.cluster.platform, options)
        yield from rule(facts, options)


def _load_balancer(name: str, options: Mapping[str, Any]) -> Iterator[Problem]:
    kind = _mapping(options.get("loadBalancer")).get("type")
    if kind and kind not in _BALANCERS:
        yield install_config(f"platform.{name}.loadBalancer.type", UNSUPPORTED, supported(_BALANCERS), value=kind)


def _external(facts: Facts, options: Mapping[str, Any]) -> Iterator[Problem]:
    path, manager = "platform.external.cloudControllerManager", options.get("cloudControllerManager", "")
    if manager not in _CLOUD_CONTROLLER_MANAGERS:
        yield install_config(path, UNSUPPORTED, supported(_CLOUD_CONTROLLER_MANAGERS), value=manager)
    elif options.get("platformName") == "oci" and manager != "External":
        yield install_config(path, INVALID, f"When using external oci platform, {path} must be set to External", value=manager)


# baremetal: provisioning network, only looked at when the cluster is to know BMCs


def _baremetal(facts: Facts, options: Mapping[str, Any]) -> Iterator[Problem]:
    network = options.get("provisioningNetwork", "Managed")
    if network not in _PROVISIONING:
        yield install_config("platform.baremetal.provisioningNetwork", UNSUPPORTED, supported(_PROVISIONING), value=network)
        return
    hosts = [host for host in options.get("hosts") or [] if isinstance(host, Mapping)]
    if not any(_mapping(host.get("bmc")).get("address") for host in hosts):
        return
    if network == "Disabled":
        yield from _disabled_provisioning(facts, options, hosts)
    else:
        yield from _provisioning(facts, options)
    yield from _bmcs(hosts)


def _disabled_provisioning(facts: Facts, options: Mapping[str, Any], hosts: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    for index, host in enumerate(hosts):
        address = str(_mapping(host.get("bmc")).get("address", ""))
        driver = address.partition("://")[0].partition("+")[0] if "://" in address else "ipmi"
        if address and driver not in _VIRTUAL_MEDIA:
            yield install_config(f"platform.baremetal.hosts[{index}].bmc", INVALID, f"driver {driver} requires provisioning network", value=address)
    text = str(options.get("clusterProvisioningIP") or "")
    ip = parse_ip(text)
    if text and (ip is None or not facts.in_machine_network(ip)):
        networks = ",".join(facts.cluster.networking.machine_networks)
        detail = f"provisioning network is disabled, {text} must be in one of the machine networks: {networks}"
        yield install_config("platform.baremetal.clusterProvisioningIP", INVALID, detail, value=text)


def _provisioning(facts: Facts, options: Mapping[str, Any]) -> Iterator[Problem]:
    path = "platform.baremetal"
    text = str(options.get("provisioningNetworkCIDR") or _DEFAULT_PROVISIONING_CIDR)
    parsed = parse_cidr(text)
    if parsed is None:
        yield install_config(f"{path}.provisioningNetworkCIDR", INVALID, "is not a network in CIDR notation", value=text)
        return
    network = parsed[1]
    if parsed[0] != network.network_address:
        yield install_config(f"{path}.provisioningNetworkCIDR", INVALID, f"provisioningNetworkCIDR has host bits set, expected {network}", value=text)
        return
    if any(network.version == machine.version and network.overlaps(machine) for machine in facts.machine_networks):
        yield install_config(f"{path}.provisioningNetworkCIDR", INVALID, "cannot overlap with machine network", value=text)
    dhcp = yield from _dhcp_range(str(options.get("provisioningDHCPRange") or ""), network)
    for key in ("clusterProvisioningIP", "bootstrapProvisioningIP", "provisioningNetworkGateway"):
        yield from _provisioning_ip(f"{path}.{key}", str(options.get(key) or ""), network, dhcp)


def _dhcp_range(text: str, network: Network) -> Generator[Problem, None, list[Address] | None]:
    """Problems of a range ``start,end``; returns its two addresses, or None."""
    path = "platform.baremetal.provisioningDHCPRange"
    if not text:
        return None
    ends = [ip for end in text.split(",") if (ip := parse_ip(end))]
    if len(ends) != 2 or text.count(",") != 1:
        yield install_config(path, INVALID, "provisioning DHCP range should be in format: start_ip,end_ip", value=text)
        return None
    outside = [str(end) for end in ends if end not in network]
    if outside:
        yield install_config(path, INVALID, f'"{outside[0]}" is not in the provisioning network', value=text)
        return None
    return ends


def _provisioning_ip(path: str, text: str, network: Network, dhcp: Sequence[Address] | None) -> Iterator[Problem]:
    ip = parse_ip(text) if text else None
    if text and ip is None:
        yield install_config(path, INVALID, f'"{text}" is not a valid IP', value=text)
    elif ip is not None and ip not in network:
        yield install_config(path, INVALID, f'"{text}" is not in the provisioning network', value=text)
    elif ip is not None and dhcp and int(dhcp[0]) <= int(ip) <= int(dhcp[1]):
        yield install_config(path, INVALID, f'"{text}" overlaps with the allocated DHCP range', value=text)


def _bmcs(hosts: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    """As soon as one host has a BMC address, every one needs a BMC of its own."""
    seen: set[str] = set()
    for index, host in enumerate(hosts):
        bmc, path = _mapping(host.get("bmc")), f"platform.baremetal.hosts[{index}].bmc"
        for key in ("address", "username", "password"):
            if not bmc.get(key):
                yield install_config(f"{path}.{key}", REQUIRED, f"missing {key}")
        address = str(bmc.get("address", ""))
        if address and address in seen:
            yield install_config(f"{path}.address", DUPLICATE, "is the BMC of another host", value=address)
        seen.add(address)


# vsphere


def _vsphere(facts: Facts, options: Mapping[str, Any]) -> Iterator[Problem]:
    given = False
    centers = [_mapping(center) for center in options.get("vcenters") or []]
    for index, center in enumerate(centers):
        if not any(center.get(key) for key in ("server", "user", "password", "datacenters")):
            continue
        given = True
        for key, name in (("server", "server"), ("user", "user"), ("password", "password"), ("datacenters", "datacenter")):
            if not center.get(key):
                yield install_config(f"platform.vsphere.vcenters[{index}].{name}", REQUIRED, _ALL_CREDENTIALS)
    servers = [center.get("server") for center in centers]
    for index, domain in enumerate(_mapping(entry) for entry in options.get("failureDomains") or []):
        yield from _failure_domain(f"platform.vsphere.failureDomains[{index}]", domain, servers, with_credentials=given)


def _failure_domain(path: str, domain: Mapping[str, Any], servers: Sequence[Any], *, with_credentials: bool) -> Iterator[Problem]:
    topology = _mapping(domain.get("topology"))
    if with_credentials and not topology.get("folder"):
        yield install_config(f"{path}.topology.folder", REQUIRED, "must specify a folder for agent-based installs")
    for key in ("name", "region", "zone"):
        if not domain.get(key):
            yield install_config(f"{path}.{key}", REQUIRED, f"must specify {key}")
    if with_credentials and domain.get("server") not in servers:
        yield install_config(f"{path}.server", INVALID, "server does not exist in vcenters", value=domain.get("server", ""))
    for key in ("datacenter", "computeCluster", "datastore"):
        if not topology.get(key):
            yield install_config(f"{path}.topology.{key}", REQUIRED, f"must specify a {key}")
    if not topology.get("networks"):
        yield install_config(f"{path}.topology.networks", REQUIRED, "must specify a network")


# nutanix


def _nutanix(facts: Facts, options: Mapping[str, Any]) -> Iterator[Problem]:
    central = _mapping(options.get("prismCentral"))
    endpoint = _mapping(central.get("endpoint"))
    path = "platform.nutanix.prismCentral"
    if not endpoint.get("address"):
        yield install_config(f"{path}.endpoint.address", REQUIRED, "must specify the Prism Central endpoint address")
    if not _is_port(endpoint.get("port")):
        yield install_config(
            f"{path}.endpoint.port", INVALID, "The Prism Central endpoint port is invalid, must be in the range of 1 to 65535", value=endpoint.get("port")
        )
    for key in ("username", "password"):
        if not central.get(key):
            yield install_config(f"{path}.{key}", REQUIRED, f"must specify the Prism Central {key}")
    yield from _prism_elements(options)
    subnets = [str(uuid) for uuid in options.get("subnetUUIDs") or []]
    if not subnets:
        yield install_config("platform.nutanix.subnetUUIDs", REQUIRED, "must specify at least one subnet")
    elif len(subnets) != len(set(subnets)):
        yield install_config("platform.nutanix.subnetUUIDs", INVALID, "should not have duplicate values", value=", ".join(subnets))


def _prism_elements(options: Mapping[str, Any]) -> Iterator[Problem]:
    path = "platform.nutanix.prismElements"
    elements = [_mapping(element) for element in options.get("prismElements") or []]
    if not elements:
        yield install_config(path, REQUIRED, "must specify one Prism Element")
    elif len(elements) > 1:
        yield install_config(path, INVALID, "must have exactly one Prism Element", value=len(elements))
    for index, element in enumerate(elements):
        endpoint = _mapping(element.get("endpoint"))
        if not element.get("uuid"):
            yield install_config(f"{path}[{index}].uuid", REQUIRED, "must specify the Prism Element UUID")
        if not endpoint.get("address"):
            yield install_config(f"{path}[{index}].endpoint.address", REQUIRED, "must specify the Prism Element endpoint address")
        if not _is_port(endpoint.get("port")):
            detail = "The Prism Element endpoint port is invalid, must be in the range of 1 to 65535"
            yield install_config(f"{path}[{index}].endpoint.port", INVALID, detail, value=endpoint.get("port"))


def _is_port(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 65535


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
