# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The typed form of an nmstate document: what keyfiles are rendered from. Addresses are canonical, MACs upper case."""

from __future__ import annotations

import dataclasses
from typing import Literal

Family = Literal["ipv4", "ipv6"]
State = Literal["up", "down", "absent", "ignore", "unread"]


@dataclasses.dataclass(frozen=True)
class Address:
    ip: str
    prefix_length: int

    @property
    def text(self) -> str:
        return f"{self.ip}/{self.prefix_length}"


@dataclasses.dataclass(frozen=True)
class IpStack:
    """``ipv4`` or ``ipv6`` of an interface. None = not given; ``autoconf``, ``duid``, ``addr_gen_mode`` and ``token`` are IPv6 only."""

    enabled: bool
    dhcp: bool = False
    autoconf: bool = False
    addresses: tuple[Address, ...] = ()
    auto_dns: bool | None = None
    auto_gateway: bool | None = None
    auto_routes: bool | None = None
    auto_table_id: int | None = None
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


@dataclasses.dataclass(frozen=True)
class Vlan:
    base_iface: str
    id: int
    protocol: str | None = None
    flags: int = 1
    ingress: tuple[str, ...] = ()
    egress: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class BondPort:
    name: str
    priority: int = 0
    queue_id: int | None = None


@dataclasses.dataclass(frozen=True)
class Bond:
    """``ports`` is None where the document leaves the list open; ``options`` are those of NetworkManager's ``[bond]``, the mode included."""

    mode: str
    options: tuple[tuple[str, str], ...] = ()
    ports: tuple[str, ...] | None = None
    port_config: tuple[BondPort, ...] = ()

    @property
    def mac_follows_port(self) -> bool:
        return self.mode == "active-backup" and ("fail_over_mac", "active") in self.options


@dataclasses.dataclass(frozen=True)
class Link:
    """``ethernet``: a fixed or negotiated link."""

    auto_negotiate: bool
    speed: int | None = None
    duplex: str | None = None


@dataclasses.dataclass(frozen=True)
class NetInterface:
    """One entry of ``interfaces``; ``path`` is where it stands. ``controller`` is the name of the bond it is a port of."""

    name: str
    path: str
    type: str = "ethernet"
    state: State = "up"
    profile_name: str = ""
    by_mac: bool = False
    mac_address: str = ""
    mtu: int | None = None
    wait_ip: str | None = None
    description: str = ""
    accept_all_mac_addresses: bool | None = None
    lldp: bool | None = None
    ipv4: IpStack | None = None
    ipv6: IpStack | None = None
    controller: str = ""
    controller_given: str = ""
    link: Link | None = None
    vlan: Vlan | None = None
    bond: Bond | None = None

    @property
    def connection_id(self) -> str:
        return self.profile_name or self.name

    def stack(self, family: Family) -> IpStack | None:
        return self.ipv4 if family == "ipv4" else self.ipv6


@dataclasses.dataclass(frozen=True)
class Route:
    """A static route, destination canonical. ``options`` are the further ones of NetworkManager's ``routeN_options``, in its spelling."""

    path: str
    destination: str
    interface: str
    next_hop: str = ""
    metric: int | None = None
    table_id: int = 254
    options: tuple[tuple[str, str], ...] = ()

    @property
    def family(self) -> Family:
        return "ipv6" if ":" in self.destination else "ipv4"

    @property
    def is_default(self) -> bool:
        return self.destination in ("0.0.0.0/0", "::/0")


@dataclasses.dataclass(frozen=True)
class Resolver:
    """``dns-resolver.config``."""

    servers: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class NetworkDocument:
    """``unread`` are names of interfaces with mistakes of their own: what depends on them cannot be judged."""

    interfaces: tuple[NetInterface, ...] = ()
    routes: tuple[Route, ...] = ()
    resolver: Resolver = Resolver()
    unread: frozenset[str] = frozenset()

    def interface(self, name: str) -> NetInterface | None:
        """By kernel name, else by profile name."""
        by_name = next((entry for entry in self.interfaces if entry.name == name), None)
        return by_name or next((entry for entry in self.interfaces if entry.profile_name == name), None)
