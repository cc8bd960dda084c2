# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What hosts and networks have to do with each other: machine networks from VIPs, connectivity groups, address collisions."""

from __future__ import annotations

import functools
import ipaddress
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .model import Cluster, Host

IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network
IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPInterface = ipaddress.IPv4Interface | ipaddress.IPv6Interface


# A monitor's pass asks for the same few addresses again and again, several times a second at high speed.
parse_interface = functools.lru_cache(maxsize=4096)(ipaddress.ip_interface)
parse_address = functools.lru_cache(maxsize=4096)(ipaddress.ip_address)


@functools.lru_cache(maxsize=4096)
def parse_network(text: str) -> IPNetwork:
    return ipaddress.ip_network(text, strict=False)


def contains(wider: str, narrower: str) -> bool:
    """Whether a network is, or lies in, another one of its family."""
    outer, inner = parse_network(wider), parse_network(narrower)
    return isinstance(inner, type(outer)) and outer.supernet_of(inner)  # type: ignore[arg-type]


def interface_addresses(interface: Mapping[str, Any]) -> list[IPInterface]:
    """Addresses of one inventory interface without the link-local ones."""
    texts = [*(interface.get("ipv4_addresses") or []), *(interface.get("ipv6_addresses") or [])]
    addresses: list[IPInterface] = [parse_interface(text) for text in texts]
    return [address for address in addresses if not address.ip.is_link_local]


def host_addresses(host: Host) -> list[IPInterface]:
    return [address for interface in (host.inventory or {}).get("interfaces") or [] for address in interface_addresses(interface)]


def host_networks(hosts: Iterable[Host]) -> dict[str, list[str]]:
    """CIDR -> ids of the hosts that have an address in it."""
    found: dict[str, list[str]] = defaultdict(list)
    for host in hosts:
        for cidr in dict.fromkeys(str(address.network) for address in host_addresses(host)):
            found[cidr].append(host.id)
    return dict(sorted(found.items()))


def network_of(vip: str, hosts: Iterable[Host]) -> str:
    """The network of a host's interface that contains the address; empty when no host has one."""
    address = ipaddress.ip_address(vip)
    networks = [interface.network for host in hosts for interface in host_addresses(host) if address in interface.network]
    return str(max(networks, key=lambda network: network.prefixlen)) if networks else ""


def default_route_networks(host: Host) -> list[str]:
    """Networks of the interfaces that hold a default route, for the single node, which has no VIPs to go by."""
    inventory = host.inventory or {}
    names = {route.get("interface") for route in default_routes(inventory)}
    interfaces = [interface for interface in inventory.get("interfaces") or [] if not names or interface.get("name") in names]
    networks = dict.fromkeys(str(address.network) for interface in interfaces for address in interface_addresses(interface))
    per_family: dict[int, str] = {}
    for network in networks:
        per_family.setdefault(parse_network(network).version, network)
    return [per_family[version] for version in sorted(per_family)]


def default_routes(inventory: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Routes with unspecified destination and a specified gateway."""
    return [
        route
        for route in inventory.get("routes") or []
        if route.get("gateway") and _unspecified(route.get("destination", "")) and not _unspecified(route["gateway"])
    ]


def _unspecified(text: str) -> bool:
    try:
        return parse_interface(text).ip.is_unspecified
    except (ValueError, TypeError):
        return False


def calculated_machine_networks(cluster: Cluster, hosts: Sequence[Host]) -> list[str]:
    """From the VIPs, or for a single node from its default route; empty when nothing is known yet."""
    if cluster.single_node:
        return next((networks for networks in map(default_route_networks, hosts) if networks), [])
    if cluster.user_managed_networking:
        return []
    found = [network_of(vip, hosts) for vip in cluster.vips("api_vips") + cluster.vips("ingress_vips")]
    return list(dict.fromkeys(network for network in found if network))


def _linked(first: Host, second_id: str, fits: Callable[[Mapping[str, Any]], bool]) -> bool:
    return any(remote.get("host_id") == second_id and fits(remote) for remote in (first.connectivity or {}).get("remote_hosts") or [])


def _majority(hosts: Sequence[Host], linked: Callable[[Host, Host], bool], smallest: int) -> set[str]:
    """The largest group in which everybody reaches everybody: the least connected host leaves until that holds."""
    group = list(hosts)
    while group:
        counts = {host.id: sum(linked(host, other) and linked(other, host) for other in group if other is not host) for host in group}
        if all(count == len(group) - 1 for count in counts.values()):
            break
        group.remove(min(group, key=lambda host: counts[host.id]))
    return {host.id for host in group} if len(group) >= smallest else set()


def l2_majority(hosts: Sequence[Host], cidr: str, smallest: int) -> set[str]:
    """Host ids of the L2 majority group of a network."""
    network = parse_network(cidr)

    def reaches(remote: Mapping[str, Any]) -> bool:
        entries = remote.get("l2_connectivity") or []
        if network.version == 6 and not entries:
            entries = remote.get("l3_connectivity") or []
        return any(entry.get("successful") and parse_address(entry["remote_ip_address"]) in network for entry in entries)

    return _majority(hosts, lambda first, second: _linked(first, second.id, reaches), smallest)


def l3_majority(hosts: Sequence[Host], smallest: int) -> set[str]:
    """Host ids of the group in which every host reaches every other by IP."""

    def reaches(remote: Mapping[str, Any]) -> bool:
        return any(entry.get("successful") for entry in remote.get("l3_connectivity") or [])

    return _majority(hosts, lambda first, second: _linked(first, second.id, reaches), smallest)


def ip_collisions(hosts: Iterable[Host]) -> dict[str, list[str]]:
    """Address -> the MACs that answered for it, where there is more than one."""
    seen: dict[str, set[str]] = defaultdict(set)
    for host in hosts:
        for remote in (host.connectivity or {}).get("remote_hosts") or []:
            for entry in remote.get("l2_connectivity") or []:
                if entry.get("remote_mac"):
                    seen[entry["remote_ip_address"]].add(entry["remote_mac"].lower())
    return {ip: sorted(macs) for ip, macs in sorted(seen.items()) if len(macs) > 1}
