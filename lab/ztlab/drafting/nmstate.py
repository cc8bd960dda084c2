# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Derive cabling from an nmstate document: addresses, bonds, VLANs, gateway.

Pure functions. They accept invalid documents, because a draft needs no validation.
"""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class HostNet:
    """Network of one host.

    ``addresses``: (interface, address with prefix length); ``controllers``: port -> bond; ``vlans``: VLAN interface ->
    (parent, tag).
    """

    addresses: tuple[tuple[str, str], ...] = ()
    controllers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    vlans: Mapping[str, tuple[str, int]] = dataclasses.field(default_factory=dict)
    macs: Mapping[str, str] = dataclasses.field(default_factory=dict)
    names: frozenset[str] = frozenset()
    gateway: str = ""
    dns: tuple[str, ...] = ()

    def carrier_of(self, port: str) -> str:
        """The interface without tags that a port belongs to: its bond, or itself."""
        return self.controllers.get(port, port)

    def physical(self, interface: str) -> str:
        """The interface below a VLAN."""
        return self.vlans[interface][0] if interface in self.vlans else interface

    def tag(self, interface: str) -> int | None:
        return self.vlans[interface][1] if interface in self.vlans else None

    def configured(self, port: str) -> bool:
        """Whether the document says anything about a port."""
        return port in self.names or port in self.controllers


def host_net(document: Mapping[str, Any]) -> HostNet:
    """Read a networkConfig."""
    addresses: list[tuple[str, str]] = []
    controllers: dict[str, str] = {}
    vlans: dict[str, tuple[str, int]] = {}
    macs: dict[str, str] = {}
    names: set[str] = set()
    for interface in document.get("interfaces") or []:
        name, kind = str(interface.get("name")), interface.get("type")
        names.add(name)
        if kind == "ethernet" and interface.get("mac-address"):
            macs[name] = str(interface["mac-address"])
        for port in (
            (interface.get("link-aggregation") or {}).get("port")
            or (interface.get("link-aggregation") or {}).get("slaves")
            or []
        ):
            controllers[str(port)] = name
        if kind == "vlan":
            vlan = interface.get("vlan") or {}
            vlans[name] = (str(vlan.get("base-iface")), int(vlan.get("id") or 0))
        addresses += [
            (name, address) for family in ("ipv4", "ipv6") for address in _addresses(interface.get(family) or {})
        ]
    routes = (document.get("routes") or {}).get("config") or []
    gateways = [
        str(route.get("next-hop-address")) for route in routes if route.get("destination") in ("0.0.0.0/0", "::/0")
    ]
    servers = ((document.get("dns-resolver") or {}).get("config") or {}).get("server") or []
    return HostNet(
        tuple(addresses),
        controllers,
        vlans,
        macs,
        frozenset(names),
        gateways[0] if gateways else "",
        tuple(map(str, servers)),
    )


def _addresses(stack: Mapping[str, Any]) -> list[str]:
    found = []
    for entry in stack.get("address") or []:
        try:
            found.append(str(ipaddress.ip_interface(f"{entry.get('ip')}/{entry.get('prefix-length')}")))
        except ValueError:
            continue
    return found
