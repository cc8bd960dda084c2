# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the network between the lab's machines: assign addresses, and decide which hosts can reach each other. The
model has switches, one router, DHCP, DNS and NTP.
"""

from __future__ import annotations

import dataclasses
import functools
import ipaddress
import urllib.parse
from collections.abc import Mapping

from ..site.model import Machine, Network, Nic, Site
from .loopback import AddressTable, unprivileged_port

IPInterface = ipaddress.IPv4Interface | ipaddress.IPv6Interface

# Parsing is cached: each machine checks the addresses of every other machine several times a minute.
_parse_interface = functools.lru_cache(maxsize=8192)(ipaddress.ip_interface)
_parse_address = functools.lru_cache(maxsize=8192)(ipaddress.ip_address)


@dataclasses.dataclass(frozen=True)
class Interface:
    """A configured interface of a running system.

    ``network``: the site network that its frames reach, "" for none.
    """

    name: str
    mac: str
    kind: str = "physical"  # physical, bond, vlan, device
    addresses: tuple[str, ...] = ()  # with prefix length
    carrier: bool = True
    network: str = ""
    mtu: int = 1500


@dataclasses.dataclass(frozen=True)
class Route:
    destination: str  # CIDR
    gateway: str
    interface: str
    metric: int = 100


@dataclasses.dataclass(frozen=True)
class HostNetwork:
    """The network configuration of a running system."""

    interfaces: tuple[Interface, ...] = ()
    routes: tuple[Route, ...] = ()
    dns_servers: tuple[str, ...] = ()

    def addresses(self) -> list[str]:
        """Own addresses without prefix length, in interface order."""
        return list(self._addresses)

    def has(self, address: str) -> bool:
        """Whether it is an own address."""
        return address in self._address_set

    @functools.cached_property
    def _address_set(self) -> frozenset[str]:
        return frozenset(self._addresses)

    @functools.cached_property
    def _addresses(self) -> tuple[str, ...]:
        return tuple(
            str(_parse_interface(address).ip) for interface in self.interfaces for address in interface.addresses
        )

    def holder(self, address: str) -> Interface | None:
        """The interface that has the address (compared as text, as scripts do)."""
        return self._holders.get(address)

    @functools.cached_property
    def _holders(self) -> dict[str, Interface]:
        return {
            with_length.partition("/")[0]: interface
            for interface in reversed(self.interfaces)
            for with_length in interface.addresses
        }


class Unreachable(Exception):
    """A connection that cannot come about; the text is what a socket error would say, with the reason."""


class Fabric:
    """The network of one lab."""

    def __init__(self, site: Site, table: AddressTable) -> None:
        self.site = site
        self.table = table
        self.hosts: dict[str, HostNetwork] = {}  # changed by attach() and detach() only
        self._owners: dict[str, list[str]] = {}
        self.virtual: dict[str, str] = {}  # virtual IP -> machine that answers for it ("" for the cluster as a whole)
        self._leases: dict[str, str] = {}
        for bmc in (machine.bmc for machine in site.machines):
            table.loopback(bmc.host)
        for hint in site.clusters:
            for address in filter(None, (hint.api_vip, hint.ingress_vip, hint.rendezvous_ip)):
                table.loopback(address)

    # ---- addresses ---------------------------------------------------------------------------------------------------

    def redirect(self, url: str) -> tuple[str, str]:
        """(URL to open, Host header) for a URL as the configuration has it: site addresses become loopback ones, others
        stay.
        """
        parts = urllib.parse.urlsplit(url)
        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)
        known = self.table.known(host)
        if known is None:
            return url, parts.netloc.rpartition("@")[2]
        netloc = f"{known}:{unprivileged_port(port)}"
        return urllib.parse.urlunsplit(parts._replace(netloc=netloc)), parts.netloc.rpartition("@")[2]

    def lease(self, nic: Nic) -> str:
        """What DHCP gives a NIC on its untagged network, with prefix length; "" without DHCP."""
        network = self.site.network(nic.network) if nic.network else None
        if network is None or (network.dhcp is None and not nic.lease):
            return ""
        if nic.mac not in self._leases:
            self._leases[nic.mac] = nic.lease or self._next_lease(network)
        address = self._leases[nic.mac]
        cidr = next(
            cidr for cidr in network.cidrs if network.contains(address) and ipaddress.ip_address(address) in cidr
        )
        return f"{address}/{cidr.prefixlen}"

    def _next_lease(self, network: Network) -> str:
        first, last = (int(ipaddress.ip_address(end)) for end in network.dhcp or ("0.0.0.0", "0.0.0.0"))
        reserved = {nic.lease for machine in self.site.machines for nic in machine.nics}
        taken = set(self._leases.values()) | reserved
        for number in range(first, last + 1):
            address = str(ipaddress.ip_address(number))
            if address not in taken:
                return address
        raise Unreachable(f"DHCP of network {network.name} has no address left")

    # ---- presence ----------------------------------------------------------------------------------------------------

    def attach(self, machine: str, network: HostNetwork) -> list[str]:
        """A system comes up with these interfaces; the addresses that another system has already."""
        self.detach(machine)
        self.hosts[machine] = network
        for address in dict.fromkeys(network.addresses()):
            self._owners.setdefault(address, []).append(machine)
        for address in network.addresses():
            self.table.loopback(address)
        return [address for address in network.addresses() if len(self.owners(address)) > 1]

    def detach(self, machine: str) -> None:
        former = self.hosts.pop(machine, None)
        for address in dict.fromkeys(former.addresses() if former else ()):
            self._owners[address].remove(machine)

    def owners(self, address: str) -> list[str]:
        """The machines that have an address, in the order in which their systems came up."""
        return list(self._owners.get(address, ()))

    def taken(self) -> set[str]:
        """Every address that a system, a virtual IP or a gateway has."""
        owned = {address for address, machines in self._owners.items() if machines}
        return owned | set(self.virtual) | {network.gateway for network in self.site.networks if network.gateway}

    # ---- reachability ------------------------------------------------------------------------------------------------

    def check(self, source: HostNetwork, address: str) -> None:
        """Raises :class:`Unreachable` unless a system with this network can open connections to a site address."""
        if source.has(address):
            return
        owners = self.owners(address)
        if not owners and address not in self.virtual:
            raise Unreachable(f"No route to host: no machine has {address}")
        target = self._network_of(address, owners)
        for interface in source.interfaces:
            if interface.carrier and interface.network == target.name and self._on_link(interface, address):
                return
        gateway = self._gateway(source, address)
        if not target.contains(address):
            raise Unreachable(f"No route to host: routers look for {address} elsewhere than in network {target.name}")
        if not target.routed or not gateway.routed:
            raise Unreachable(f"No route to host: networks {gateway.name} and {target.name} are not connected")

    def _network_of(self, address: str, owners: list[str]) -> Network:
        for owner in owners:
            holder = self.hosts[owner].holder(address)
            if holder is not None and holder.network:
                return self.site.network(holder.network)
        if owners and address not in self.virtual:
            raise Unreachable(f"No route to host: {address} is on an interface of {owners[0]} that no network leads to")
        for network in self.site.networks:
            if network.contains(address):
                return network
        raise Unreachable(f"No route to host: {address} is in no network of the site")

    @staticmethod
    def _on_link(interface: Interface, address: str) -> bool:
        ip = _parse_address(address)
        return any(
            ip in _parse_interface(own).network
            for own in interface.addresses
            if _parse_interface(own).version == ip.version
        )

    def _gateway(self, source: HostNetwork, address: str) -> Network:
        """The network whose router takes packets for an address; raises :class:`Unreachable`."""
        ip = ipaddress.ip_address(address)
        fitting = [route for route in source.routes if route.gateway and _contains(route.destination, ip)]
        for route in sorted(
            fitting, key=lambda route: (-ipaddress.ip_network(route.destination).prefixlen, route.metric)
        ):
            interface = next((entry for entry in source.interfaces if entry.name == route.interface), None)
            if interface is None or not interface.carrier or not interface.network:
                continue
            network = self.site.network(interface.network)
            if route.gateway == network.gateway and self._on_link(interface, route.gateway):
                return network
        raise Unreachable(f"Network is unreachable: no usable route to {address}")

    # ---- names and time ----------------------------------------------------------------------------------------------

    def resolve(self, source: HostNetwork, name: str) -> list[str] | None:
        """Addresses of a name in the site's DNS; [] when it does not exist there, None when no server answers."""
        for server in source.dns_servers:
            network = next((network for network in self.site.networks if server in network.dns_servers), None)
            if network is None or not self._can_use(source, server, network):
                continue
            address = _lookup(network.dns_records, name)
            return [address] if address else []
        return None

    def name_of(self, source: HostNetwork) -> str:
        """The host name that a system without one of its own takes from the DNS, "" when none knows its addresses."""
        own = set(source.addresses())
        for server in source.dns_servers:
            network = next((network for network in self.site.networks if server in network.dns_servers), None)
            if network is not None and self._can_use(source, server, network):
                found = [
                    name
                    for name, address in network.dns_records.items()
                    if address in own and not name.startswith(("*", "api.", "api-int."))
                ]
                return found[0] if found else ""
        return ""

    @staticmethod
    def record(network: Network, name: str) -> str:
        """The address of a name in a network's DNS, "" when it has none."""
        return _lookup(network.dns_records, name)

    def _can_use(self, source: HostNetwork, server: str, network: Network) -> bool:
        for interface in source.interfaces:
            if interface.carrier and interface.network == network.name and self._on_link(interface, server):
                return True
        try:
            return network.routed and self._gateway(source, server).routed
        except Unreachable:
            return False

    def time_answers(self, source: HostNetwork, server: str) -> bool:
        """Whether a time server answers a system."""
        networks = [
            self.site.network(interface.network)
            for interface in source.interfaces
            if interface.carrier and interface.network and interface.addresses
        ]
        return any(network.ntp is None or server in network.ntp for network in networks)


def _contains(cidr: str, ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    network = ipaddress.ip_network(cidr, strict=False)
    return network.version == ip.version and ip in network


def _lookup(records: Mapping[str, str], name: str) -> str:
    name = name.lower().rstrip(".")
    labels = name.split(".")
    for candidate in [name, *("*." + ".".join(labels[cut:]) for cut in range(1, len(labels)))]:
        if candidate in records:
            return records[candidate]
    return ""


def nic_of(machine: Machine, name: str) -> Nic | None:
    return next((nic for nic in machine.nics if nic.name == name), None)
