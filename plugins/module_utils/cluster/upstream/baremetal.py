# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate platform.baremetal, as the installer does (openshift/installer pkg/asset/agent/installconfig.go)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...common.problems import Problem
from .bmc_addresses import access_error
from .findings import duplicate, invalid, required, unsupported
from .provided import Document, Provided
from .texts import Cidr, domain_error, ip_error, parse_cidr, parse_ip, quoted
from .vsphere import external_dns, load_balancer

PATH = "platform.baremetal"
_PROVISIONING = ("Disabled", "Managed", "Unmanaged")
_IPV6_MASK = 64


def baremetal(provided: Provided) -> Iterator[Problem]:
    options = provided.options("baremetal")
    network = options.get("provisioningNetwork", "")
    if network not in _PROVISIONING:
        yield unsupported(f"{PATH}.provisioningNetwork", network, _PROVISIONING)
    keys = (
        "bootstrapProvisioningIP",
        "clusterProvisioningIP",
        *(("provisioningNetworkGateway",) if provided.profile.provisioning_gateway else ()),
    )
    for key in keys:
        text = options.get(key, "")
        if text and (error := ip_error(text)):
            yield invalid(f"{PATH}.{key}", text, error)
    yield from load_balancer(provided, "baremetal")
    yield from external_dns(provided, "baremetal")


def bmc_hosts(provided: Provided) -> Iterator[Problem]:
    """As soon as one host has a BMC address, the cluster is to know BMCs: their provisioning network is looked at."""
    options = provided.options("baremetal")
    hosts = options.get("hosts") or []
    if not any(_bmc(host).get("address") for host in hosts):
        return
    if options.get("provisioningNetwork") == "Disabled":
        yield from _without_provisioning(provided, options, hosts)
    else:
        yield from _provisioning(provided, options)
    yield from _each_bmc(hosts)


def _bmc(host: Document) -> Document:
    return host.get("bmc") or {}


def _without_provisioning(provided: Provided, options: Document, hosts: Sequence[Document]) -> Iterator[Problem]:
    for index, host in enumerate(hosts):
        address = _bmc(host).get("address", "")
        if error := access_error(address):
            yield invalid(f"{PATH}.hosts[{index}].bmc", address, error)
    text = options.get("clusterProvisioningIP", "")
    machines = provided.networks.machine
    if text and not any(network.holds(parse_ip(text)) for network in machines):
        networks = ",".join(str(network) for network in machines)
        detail = f"provisioning network is disabled, IP expected to be in one of the machine networks: {networks}"
        yield invalid(f"{PATH}.clusterProvisioningIP", text, detail)


def _provisioning(provided: Provided, options: Document) -> Iterator[Problem]:
    cidr = parse_cidr(options.get("provisioningNetworkCIDR", ""))
    if cidr is None:
        return
    where = f"{PATH}.provisioningNetworkCIDR"
    if options.get("provisioningNetwork") == "Managed" and cidr.version == 6 and cidr.prefix < _IPV6_MASK:
        yield invalid(
            where, str(cidr), ("provisioningNetworkCIDR mask must be greater than or equal to 64 for IPv6 networks")
        )
    overlapping = next((machine for machine in provided.networks.machine if machine.overlaps(cidr)), None)
    if overlapping is not None:
        yield invalid(where, str(cidr), f"cannot overlap with machine network: {_overlap(cidr, overlapping)}")
    ip = options.get("clusterProvisioningIP", "")
    if (ip or not provided.profile.provisioning_gateway) and not cidr.holds(parse_ip(ip)):
        yield invalid(f"{PATH}.clusterProvisioningIP", ip, f"{quoted(ip)} is not in the provisioning network")
    if provided.profile.provisioning_gateway and options.get("provisioningNetworkGateway"):
        yield from _gateway(options["provisioningNetworkGateway"], ip, cidr)
    if cidr.ip != cidr.network.network_address:
        yield invalid(where, str(cidr), f"provisioningNetworkCIDR has host bits set, expected {cidr.network}")
    for server in options.get("additionalNTPServers") or []:
        if ip_error(server) and domain_error(server):
            yield invalid(PATH, server, "NTP server is not a valid IP or domain name")
    if options.get("provisioningDHCPRange"):
        yield from _dhcp_range(provided, options, cidr)


def _overlap(cidr: Cidr, machine: Cidr) -> str:
    """The words of the library that finds it: in which order, which of both holds the start of the other."""
    if machine.network.network_address in cidr.network or machine.network.broadcast_address in cidr.network:
        return f"{machine} overlaps with {cidr}"
    return f"{cidr} overlaps with {machine}"


def _gateway(text: str, cluster_ip: str, cidr: Cidr) -> Iterator[Problem]:
    path, ip = f"{PATH}.provisioningNetworkGateway", parse_ip(text)
    if ip is None:
        yield invalid(path, text, f"{quoted(text)} is not a valid IP")
        return
    if not cidr.holds(ip):
        yield invalid(path, text, f"{quoted(text)} is not in the provisioning network")
    if text == cluster_ip:
        yield invalid(
            path,
            text,
            (f"{quoted(text)} overlaps with the IP address of the node that runs the bootstrap VM or provision server"),
        )
    if cidr.version == 4 and cidr.prefix < 31:
        for name, address in (("network", cidr.network.network_address), ("broadcast", cidr.network.broadcast_address)):
            if ip == address:
                yield invalid(path, text, f"{quoted(text)} is the {name} address of the provisioning network")


def _dhcp_range(provided: Provided, options: Document, cidr: Cidr) -> Iterator[Problem]:
    path, text = f"{PATH}.provisioningDHCPRange", options["provisioningDHCPRange"]
    ends = text.split(",")
    if len(ends) != 2:
        yield invalid(path, text, "provisioning DHCP range should be in format: start_ip,end_ip")
        return
    for end in ends:
        if error := ip_error(end):
            yield invalid(path, text, f"{end}: {error}")
            return
        if not cidr.holds(parse_ip(end)):
            yield invalid(path, text, f"{quoted(end)} is not in the provisioning network")
            return
    first, last = (parse_ip(end) for end in ends)
    keys = (
        "clusterProvisioningIP",
        "bootstrapProvisioningIP",
        *(("provisioningNetworkGateway",) if provided.profile.provisioning_gateway else ()),
    )
    for key in keys:
        ip = parse_ip(options.get(key, ""))
        if first and last and ip and int(first) <= int(ip) <= int(last):
            yield invalid(
                f"{PATH}.{key}", options[key], (f"{quoted(options[key])} overlaps with the allocated DHCP range")
            )


def _each_bmc(hosts: Sequence[Document]) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, host in enumerate(hosts):
        bmc, path = _bmc(host), f"{PATH}.hosts[{index}].bmc"
        for key in ("username", "password", "address"):
            if not bmc.get(key):
                yield required(f"{path}.{key}", f"missing {key.capitalize()}")
        address = bmc.get("address", "")
        if address and address in seen:
            yield duplicate(f"{path}.address", address)
        seen.add(address)
