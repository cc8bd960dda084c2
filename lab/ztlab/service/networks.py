# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute network facts from host inventories: machine networks of VIPs, connectivity groups, address collisions."""

from __future__ import annotations

import functools
import ipaddress
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from .model import Cluster, Host

IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network
IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPInterface = ipaddress.IPv4Interface | ipaddress.IPv6Interface
_Result = TypeVar("_Result")
_Report = TypeVar("_Report")
_HOSTS = 4096

# Each pass of a monitor needs the same few addresses, several times a second at high speed.
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


class OfReport(Generic[_Report, _Result]):
    """A function of a host's report, computed once for each.

    A host has a new object for each report; the last one of each host is remembered.
    """

    def __init__(self, of: Callable[[_Report], _Result]) -> None:
        self._of = of
        self._known: dict[str, tuple[_Report, _Result]] = {}

    def __call__(self, host_id: str, report: _Report) -> _Result:
        known = self._known.get(host_id)
        if known is None or known[0] is not report:
            while len(self._known) >= _HOSTS:
                del self._known[next(iter(self._known))]
            known = self._known[host_id] = (report, self._of(report))
        return known[1]


@OfReport
def _inventory_addresses(inventory: Mapping[str, Any]) -> tuple[IPInterface, ...]:
    return tuple(
        address for interface in inventory.get("interfaces") or [] for address in interface_addresses(interface)
    )


def host_addresses(host: Host) -> list[IPInterface]:
    return list(_inventory_addresses(host.id, host.inventory)) if host.inventory else []


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
    networks = [
        interface.network for host in hosts for interface in host_addresses(host) if address in interface.network
    ]
    return str(max(networks, key=lambda network: network.prefixlen)) if networks else ""


def default_route_networks(host: Host) -> list[str]:
    """Networks of the interfaces that hold a default route, for the single node, which has no VIPs to go by."""
    inventory = host.inventory or {}
    names = {route.get("interface") for route in default_routes(inventory)}
    interfaces = [
        interface for interface in inventory.get("interfaces") or [] if not names or interface.get("name") in names
    ]
    networks = dict.fromkeys(
        str(address.network) for interface in interfaces for address in interface_addresses(interface)
    )
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


_shared_sets: dict[frozenset[Any], frozenset[Any]] = {}


def _shared(items: Iterable[Any]) -> frozenset[Any]:
    """The set of these items; equal ones are the same object."""
    if len(_shared_sets) > 4 * _HOSTS:
        _shared_sets.clear()
    found = frozenset(items)
    return _shared_sets.setdefault(found, found)


class _Links:
    """Whom a host reaches, by its report of connectivity."""

    def __init__(self, report: Mapping[str, Any]) -> None:
        self._remotes = [remote for remote in report.get("remote_hosts") or [] if remote.get("host_id")]
        self._by_network: dict[IPNetwork, frozenset[str]] = {}

    @functools.cached_property
    def by_ip(self) -> frozenset[str]:
        """Ids of the hosts that it reaches by IP."""
        return _shared(
            remote["host_id"]
            for remote in self._remotes
            if any(entry.get("successful") for entry in remote.get("l3_connectivity") or [])
        )

    def in_network(self, network: IPNetwork) -> frozenset[str]:
        """Ids of the hosts that it reaches in a network."""
        if network not in self._by_network:
            self._by_network[network] = _shared(
                remote["host_id"] for remote in self._remotes if _reaches(remote, network)
            )
        return self._by_network[network]

    @functools.cached_property
    def answers(self) -> frozenset[tuple[str, str]]:
        """Addresses, with the MACs that answered for them."""
        entries = (entry for remote in self._remotes for entry in remote.get("l2_connectivity") or [])
        return _shared(
            (entry["remote_ip_address"], entry["remote_mac"].lower()) for entry in entries if entry.get("remote_mac")
        )


_links_of_report = OfReport(_Links)
_NO_LINKS = _Links({})


def _links(host: Host) -> _Links:
    return _links_of_report(host.id, host.connectivity) if host.connectivity else _NO_LINKS


def _reaches(remote: Mapping[str, Any], network: IPNetwork) -> bool:
    entries = remote.get("l2_connectivity") or []
    if network.version == 6 and not entries:
        entries = remote.get("l3_connectivity") or []
    return any(entry.get("successful") and parse_address(entry["remote_ip_address"]) in network for entry in entries)


def _majority(hosts: Sequence[Host], reached: Callable[[Host], frozenset[str]], smallest: int) -> set[str]:
    """The largest group in which all hosts reach each other: the least connected host leaves until that holds."""
    ids = [host.id for host in hosts]
    group = set(ids)
    reaches = {host.id: reached(host) & group - {host.id} for host in hosts}
    mutual = {one: {other for other in others if one in reaches[other]} for one, others in reaches.items()}
    while group:
        counts = {one: len(mutual[one] & group) for one in ids if one in group}
        least = min(counts, key=lambda one: counts[one])
        if counts[least] == len(group) - 1:
            break
        group.remove(least)
    return group if len(group) >= smallest else set()


class _OfHosts(Generic[_Result]):
    """A function of one part of the connectivity of several hosts, computed again when that part is another one.

    The last results are remembered.

    Mostly a new report says the same as the one before it: equal parts are one object, so that comparing them costs
    nothing.
    """

    def __init__(self, kept: int = 64) -> None:
        self._kept = kept
        self._known: dict[tuple[Any, ...], tuple[tuple[Any, ...], _Result]] = {}

    def __call__(
        self, key: tuple[Any, ...], hosts: Sequence[Host], part: Callable[[Host], Any], of: Callable[[], _Result]
    ) -> _Result:
        parts = tuple((host.id, part(host)) for host in hosts)
        key = (*key, parts[0][0] if parts else "", len(parts))
        known = self._known.get(key)
        if known is None or known[0] != parts:
            self._known.pop(key, None)
            while len(self._known) >= self._kept:
                del self._known[next(iter(self._known))]
            known = self._known[key] = (parts, of())
        return known[1]


_majorities: _OfHosts[set[str]] = _OfHosts()
_collisions: _OfHosts[dict[str, list[str]]] = _OfHosts()


def l2_majority(hosts: Sequence[Host], cidr: str, smallest: int) -> set[str]:
    """Host ids of the L2 majority group of a network."""
    network = parse_network(cidr)
    return _majority_by((cidr, smallest), hosts, lambda host: _links(host).in_network(network), smallest)


def l3_majority(hosts: Sequence[Host], smallest: int) -> set[str]:
    """Host ids of the group in which every host reaches every other by IP."""
    return _majority_by(("", smallest), hosts, lambda host: _links(host).by_ip, smallest)


def _majority_by(
    key: tuple[Any, ...], hosts: Sequence[Host], reached: Callable[[Host], frozenset[str]], smallest: int
) -> set[str]:
    return set(_majorities(key, hosts, reached, lambda: _majority(hosts, reached, smallest)))


def ip_collisions(hosts: Sequence[Host]) -> dict[str, list[str]]:
    """Address -> the MACs that answered for it, where there is more than one."""
    return dict(_collisions((), hosts, _answers, lambda: _find_collisions(set().union(*map(_answers, hosts)))))


def _answers(host: Host) -> frozenset[tuple[str, str]]:
    return _links(host).answers


def _find_collisions(answers: set[tuple[str, str]]) -> dict[str, list[str]]:
    addresses = [address for address, _mac in answers]
    if len(set(addresses)) == len(addresses):
        return {}
    seen: dict[str, set[str]] = defaultdict(set)
    for address, mac in answers:
        seen[address].add(mac)
    return {ip: sorted(macs) for ip, macs in sorted(seen.items()) if len(macs) > 1}
