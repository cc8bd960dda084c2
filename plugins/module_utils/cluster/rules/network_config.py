# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""networkConfig of each host: what nmstate refuses, and what will not work on the machine (reference agent-based-installer.md 3.7, 3.12)."""

from __future__ import annotations

import dataclasses
import ipaddress
import re
from collections import Counter
from collections.abc import Iterator

from ...common.problems import DUPLICATE, INVALID, REQUIRED, Problem
from ...nmstate.document import interfaces_with_mac
from ...nmstate.model import IpStack, NetInterface, NetworkDocument
from .checks import AGENT_CONFIG, agent_config, own
from .facts import Facts, HostFacts
from .hosts import canonical_mac, mac_error

_NMSTATE_MAC = re.compile(r"([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")
_SMALLEST_MTU = 1280  # what IPv6 needs, and what the cluster network cannot do without
_DEFAULT_MTU = 1500


def network_configs(facts: Facts) -> Iterator[Problem]:
    """What the installer and nmstate say about each networkConfig."""
    for host in facts.hosts:
        if host.host.network_config:
            yield from _interface_table(host)
        for problem in host.network_problems:
            check = "network-config-ignored" if problem.severity == "warning" else ""
            path = host.in_network_config(problem.path).rstrip(".")
            yield dataclasses.replace(problem, path=path, file=AGENT_CONFIG, check=check)


def _interface_table(host: HostFacts) -> Iterator[Problem]:
    for index, interface in enumerate(host.host.interfaces):
        mac = interface.mac_address
        if mac and not mac_error(mac) and not _NMSTATE_MAC.fullmatch(mac):
            detail = f"MAC address {mac} is incorrectly formatted, use XX:XX:XX:XX:XX:XX format"
            yield agent_config(f"{host.path}.interfaces[{index}].macAddress", INVALID, detail, value=mac)
    names = [interface.name for interface in host.host.interfaces if interface.name]
    if len(names) != len(set(names)):
        detail = f"MACs and Interfaces for host {host.index} must be unique"
        yield agent_config(f"{host.path}.interfaces", INVALID, detail)


# Our own checks


def duplicate_address(facts: Facts) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for host, address in facts.static_addresses():
        owner = f"{address.interface} of {host.label}"
        if address.ip in seen:
            path = host.in_network_config(f"{address.path}.ip")
            yield own("duplicate-address", path, DUPLICATE, f"is the address of {seen[address.ip]} as well", value=address.text, file=AGENT_CONFIG)
        seen.setdefault(address.ip, owner)


def address_outside_machine_network(facts: Facts) -> Iterator[Problem]:
    """Of a host with static addresses one must be in a machine network; that of the rendezvous host is checked by its own rule."""
    for host in facts.hosts:
        document = host.document
        if document is None or not host.addresses or not facts.machine_networks or _has_automatic(document):
            continue
        if facts.rendezvous.ip in [address.ip for address in host.addresses]:
            continue
        if not any(facts.in_machine_network(ipaddress.ip_address(address.ip)) for address in host.addresses):
            first = host.addresses[0]
            networks = ", ".join(str(network) for network in facts.machine_networks)
            path = host.in_network_config(f"{first.path}.ip")
            yield own(
                "address-outside-machine-network",
                path,
                INVALID,
                f"no address of {host.label} is in a machine network ({networks})",
                value=first.text,
                file=AGENT_CONFIG,
            )


def prefix_mismatch(facts: Facts) -> Iterator[Problem]:
    """One problem for each machine network and wrong prefix length, with all hosts that have it: it is one misunderstanding."""
    found: dict[tuple[str, int], list[tuple[HostFacts, str]]] = {}
    for host, address in facts.static_addresses():
        ip = ipaddress.ip_address(address.ip)
        network = next((network for network in facts.machine_networks if ip in network), None)
        if network is not None and address.prefix_length != network.prefixlen:
            found.setdefault((str(network), address.prefix_length), []).append((host, address.path))
    for (network_text, length), entries in found.items():
        names = ", ".join(dict.fromkeys(host.label for host, _path in entries))
        wanted = network_text.split("/")[1]
        detail = f"addresses in machine network {network_text} have prefix length {length} instead of {wanted}: {names}"
        path = entries[0][0].in_network_config(f"{entries[0][1]}.prefix-length")
        yield own("prefix-mismatch", path, INVALID, detail, value=length, file=AGENT_CONFIG)


def dns_missing(facts: Facts) -> Iterator[Problem]:
    for host, document in _configured(facts):
        if not _has_automatic(document) and not document.resolver.servers:
            yield own("dns-missing", host.in_network_config("dns-resolver"), REQUIRED, f"{host.label} has no name server", file=AGENT_CONFIG)


def default_route_missing(facts: Facts) -> Iterator[Problem]:
    for host, document in _configured(facts):
        if not _has_automatic(document) and not any(route.is_default for route in document.routes):
            yield own("default-route-missing", host.in_network_config("routes"), REQUIRED, f"{host.label} has no default route", file=AGENT_CONFIG)


def gateway_unreachable(facts: Facts) -> Iterator[Problem]:
    for host, document in _configured(facts):
        for route in document.routes:
            entry = document.interface(route.interface)
            stack = entry.stack(route.family) if entry else None
            if not route.next_hop or stack is None or stack.auto or not stack.addresses:
                continue
            hop = ipaddress.ip_address(route.next_hop)
            networks = [ipaddress.ip_network(address.text, strict=False) for address in stack.addresses]
            if not hop.is_link_local and not any(hop in network for network in networks):
                detail = f"is in no network of {route.interface} ({', '.join(str(network) for network in networks)})"
                path = host.in_network_config(f"{route.path}.next-hop-address")
                yield own("gateway-unreachable", path, INVALID, detail, value=route.next_hop, file=AGENT_CONFIG)


def bond_port_missing(facts: Facts) -> Iterator[Problem]:
    """nmstate makes up an interface for a port that it does not know; on the machine there would be none of that name."""
    for host in facts.hosts:
        document = host.document
        known = {*host.interface_names, *(interface.name for interface in host.host.interfaces)}
        for entry in document.interfaces if document else ():
            for port in (entry.bond.ports if entry.bond else None) or ():
                if port not in known:
                    path = host.in_network_config(f"{entry.path}.link-aggregation.port")
                    yield own("bond-port-missing", path, INVALID, f"{host.label} has no interface of this name", value=port, file=AGENT_CONFIG)


def interface_mac_mismatch(facts: Facts) -> Iterator[Problem]:
    counted: dict[str, int] = {}
    for host in facts.hosts:
        for interface in host.host.interfaces:
            counted[canonical_mac(interface.mac_address)] = counted.get(canonical_mac(interface.mac_address), 0) + 1
    for host in facts.hosts:
        # A MAC that is wrong in itself is reported where interfaces are checked.
        table = {
            interface.name: interface.mac_address
            for interface in host.host.interfaces
            if not mac_error(interface.mac_address) and counted[canonical_mac(interface.mac_address)] == 1
        }
        for named in interfaces_with_mac(host.host.network_config):
            listed = table.get(named.interface)
            if listed and canonical_mac(listed) != canonical_mac(named.mac):
                path = host.in_network_config(named.path)
                yield own(
                    "interface-mac-mismatch", path, INVALID, f"the interface table says {listed} for {named.interface}", value=named.mac, file=AGENT_CONFIG
                )


def mtu(facts: Facts) -> Iterator[Problem]:
    for host in facts.hosts:
        for entry in host.document.interfaces if host.document else ():
            if host.document and (detail := _mtu_error(entry, host.document)):
                yield own("mtu", host.in_network_config(f"{entry.path}.mtu"), INVALID, detail, value=entry.mtu, file=AGENT_CONFIG)
    yield from _uneven_mtu(facts)


def _uneven_mtu(facts: Facts) -> Iterator[Problem]:
    """Hosts that differ from most others in the MTU of the interface that is in the machine network."""
    found: list[tuple[HostFacts, NetInterface]] = []
    for host, address in facts.static_addresses():
        entry = host.document.interface(address.interface) if host.document else None
        if entry and facts.in_machine_network(ipaddress.ip_address(address.ip)) and host not in [other for other, _entry in found]:
            found.append((host, entry))
    counted = Counter(entry.mtu or _DEFAULT_MTU for _host, entry in found)
    usual = counted.most_common(1)[0][0] if counted else 0
    for host, entry in found:
        if (entry.mtu or _DEFAULT_MTU) != usual:
            detail = f"{entry.name} of {host.label} has {entry.mtu or _DEFAULT_MTU} in the machine network, other hosts have {usual}"
            yield own("mtu", host.in_network_config(f"{entry.path}.mtu"), INVALID, detail, value=entry.mtu, file=AGENT_CONFIG)


def _mtu_error(entry: NetInterface, document: NetworkDocument) -> str:
    if entry.mtu is None:
        return ""
    if entry.mtu < _SMALLEST_MTU:
        return f"is below {_SMALLEST_MTU}"
    parent = document.interface(entry.vlan.base_iface) if entry.vlan else None
    if parent and entry.mtu > (parent.mtu or _DEFAULT_MTU):
        return f"is above that of its parent {parent.name} ({parent.mtu or _DEFAULT_MTU})"
    bond = document.interface(entry.controller) if entry.controller else None
    if bond and entry.mtu < (bond.mtu or _DEFAULT_MTU):
        return f"is below that of its bond {bond.name} ({bond.mtu or _DEFAULT_MTU})"
    return ""


def _configured(facts: Facts) -> Iterator[tuple[HostFacts, NetworkDocument]]:
    return ((host, host.document) for host in facts.hosts if host.document is not None)


def _has_automatic(document: NetworkDocument) -> bool:
    """Whether anything comes by DHCP or router advertisement: addresses, routes and servers may then as well."""
    return any(_is_automatic(entry.ipv4) or _is_automatic(entry.ipv6) for entry in document.interfaces if entry.state == "up")


def _is_automatic(stack: IpStack | None) -> bool:
    return stack is not None and stack.auto
