# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the dataclasses of a parsed nmstate document, from which NetworkManager keyfiles are rendered.

IP addresses are in canonical form, MAC addresses in upper case.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

Family = Literal["ipv4", "ipv6"]
State = Literal["up", "down", "absent", "ignore", "unread"]
FAMILIES: tuple[Family, ...] = ("ipv4", "ipv6")
Identifier = Literal["name", "mac-address", "pci-address"]


@dataclasses.dataclass(frozen=True)
class Group:
    """A section of a keyfile, with the names and values that NetworkManager uses."""

    name: str
    settings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, name: str, settings: Mapping[str, str | None]) -> Group:
        """Without the settings that have no value."""
        return cls(name, tuple(sorted([(key, value) for key, value in settings.items() if value])))


@dataclasses.dataclass(frozen=True)
class Address:
    ip: str
    prefix_length: int

    @property
    def text(self) -> str:
        return f"{self.ip}/{self.prefix_length}"


@dataclasses.dataclass(frozen=True)
class IpStack:
    """``ipv4`` or ``ipv6`` of an interface.

    None = not given; ``autoconf``, ``duid``, ``addr_gen_mode`` and ``token`` are IPv6 only.

    ``written_addresses``: whether any address is there, also one that nmstate leaves out of the keyfile; it decides who
    may hold name servers. ``written_table_id``: ``auto-route-table-id`` where it has no effect as well; it decides who
    may hold rules.
    """

    enabled: bool
    dhcp: bool = False
    autoconf: bool = False
    addresses: tuple[Address, ...] = ()
    written_addresses: bool = False
    auto_dns: bool | None = None
    auto_gateway: bool | None = None
    auto_routes: bool | None = None
    auto_table_id: int | None = None
    written_table_id: int | None = None
    route_metric: int | None = None
    client_id: str | None = None
    duid: str | None = None
    addr_gen_mode: int = 0
    token: str | None = None
    send_hostname: bool | None = None
    custom_hostname: str | None = None
    forwarding: bool | None = None

    @property
    def auto(self) -> bool:
        return self.enabled and (self.dhcp or self.autoconf)

    @property
    def static(self) -> bool:
        return self.enabled and not self.auto and bool(self.addresses)

    @property
    def usable(self) -> bool:
        """Whether nmstate thinks that it may hold name servers."""
        return self.auto or (self.enabled and self.written_addresses)


@dataclasses.dataclass(frozen=True)
class Vlan:
    """What other rules ask about a VLAN; how it is written is in the interface's groups."""

    base_iface: str
    id: int


@dataclasses.dataclass(frozen=True)
class Bond:
    """``ports`` is None where the document leaves the list open; ``options`` are those of NetworkManager's ``[bond]``,
    the mode included.
    """

    mode: str
    options: tuple[tuple[str, str], ...] = ()
    ports: tuple[str, ...] | None = None

    @property
    def mac_follows_port(self) -> bool:
        return self.mode == "active-backup" and ("fail_over_mac", "active") in self.options


@dataclasses.dataclass(frozen=True)
class Port:
    """A port in the settings of a controller: ``path`` is its place in the document, ``group`` is for its keyfile.

    ``internal``: the port that a bridge of Open vSwitch gets where it has no other.
    """

    name: str
    path: str
    group: Group | None = None
    internal: bool = False


@dataclasses.dataclass(frozen=True)
class OvsPort:
    """A port of an Open vSwitch bridge, which is a connection of its own; ``members`` are the interfaces in it (several
    in a bond).
    """

    name: str
    members: tuple[str, ...]
    groups: tuple[Group, ...]


@dataclasses.dataclass(frozen=True)
class NetInterface:
    """One entry of ``interfaces``; ``path`` is its place in the document.

    ``controller`` is the name of the bond, bridge or VRF it is a port of, ``controller_type`` the type of that;
    ``parent`` the interface below it; ``groups`` the sections of its keyfile that need nothing else to be known.
    """

    name: str
    path: str
    type: str = "ethernet"
    state: State = "up"
    profile_name: str = ""
    identifier: Identifier = "name"
    pci_address: str = ""
    mac_address: str = ""
    permanent_mac: str = ""
    copy_mac_from: str = ""
    alt_names: tuple[str, ...] = ()
    mtu: int | None = None
    wait_ip: str | None = None
    description: str | None = None
    accept_all_mac_addresses: bool | None = None
    lldp: bool | None = None
    mptcp_flags: int | None = None
    ipv4: IpStack | None = None
    ipv6: IpStack | None = None
    controller: str = ""
    controller_type: str = ""
    controller_provided: str | None = None
    parent: str = ""
    ports: tuple[Port, ...] | None = None
    ovs_ports: tuple[OvsPort, ...] = ()
    ovs_groups: tuple[Group, ...] = ()
    vlan: Vlan | None = None
    bond: Bond | None = None
    veth_peer: str = ""
    groups: tuple[Group, ...] = ()

    @property
    def connection_id(self) -> str:
        return self.profile_name or self.name + {"ovs-bridge": "-br", "ovs-interface": "-if"}.get(self.type, "")

    @property
    def by_mac(self) -> bool:
        return self.identifier == "mac-address"

    @property
    def userspace(self) -> bool:
        """An Open vSwitch bridge is no interface of the kernel: an ``ovs-interface`` may have the same name."""
        return self.type == "ovs-bridge"

    @property
    def can_have_ip(self) -> bool:
        return not self.controller or self.type == "ovs-interface" or self.controller_type == "vrf"

    def stack(self, family: Family) -> IpStack | None:
        return self.ipv4 if family == "ipv4" else self.ipv6


@dataclasses.dataclass(frozen=True)
class Route:
    """A static route, destination canonical.

    ``options`` are the further ones of NetworkManager's ``routeN_options``, in its spelling.

    ``kind`` is ``blackhole``, ``prohibit`` or ``unreachable`` for a route that leads nowhere. Such a route is held by
    the interface ``lo``.
    """

    path: str
    destination: str
    interface: str
    next_hop: str = ""
    metric: int | None = None
    table_id: int = 254
    options: tuple[tuple[str, str], ...] = ()
    kind: str = ""
    vrf: str = ""
    table_provided: int | None = None
    next_hop_provided: str = ""

    @property
    def family(self) -> Family:
        return "ipv6" if ":" in self.destination else "ipv4"

    @property
    def is_default(self) -> bool:
        return self.destination in ("0.0.0.0/0", "::/0") and not self.kind


@dataclasses.dataclass(frozen=True)
class Rule:
    """A routing rule; ``interface`` is the one whose keyfile holds it. Numbers that are None were not given."""

    path: str
    family: Family
    source: str = ""
    destination: str = ""
    priority: int | None = None
    table_id: int | None = None
    fwmark: int | None = None
    fwmask: int | None = None
    action: str = ""
    incoming: str = ""
    suppress: int | None = None
    interface: str = ""


@dataclasses.dataclass(frozen=True)
class Resolver:
    """``dns-resolver.config``."""

    servers: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class NetworkDocument:
    """``unread`` are names of interfaces with mistakes of their own: what depends on them cannot be judged.

    ``ignored`` are those to be left alone.
    """

    interfaces: tuple[NetInterface, ...] = ()
    routes: tuple[Route, ...] = ()
    rules: tuple[Rule, ...] = ()
    resolver: Resolver = Resolver()
    unread: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()

    def interface(self, name: str) -> NetInterface | None:
        """By kernel name, else by profile name, else an Open vSwitch bridge of that name."""
        kernel = [entry for entry in self.interfaces if not entry.userspace]
        found = [entry for entry in kernel if entry.name == name] or [
            entry for entry in kernel if entry.profile_name == name
        ]
        return next(iter(found or [entry for entry in self.interfaces if entry.name == name]), None)

    def kernel(self, name: str) -> NetInterface | None:
        """The interface of the kernel with exactly this name."""
        return next((entry for entry in self.interfaces if entry.name == name and not entry.userspace), None)

    def controller_of(self, entry: NetInterface) -> NetInterface | None:
        if not entry.controller:
            return None
        bridge = entry.controller_type == "ovs-bridge"
        return next(
            (other for other in self.interfaces if other.name == entry.controller and other.userspace == bridge), None
        )
