# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Bring up the interfaces of a live system as NetworkManager does: select connection profiles, and compute addresses,
routes and name servers.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import re
from collections.abc import Sequence

from ..fabric.hosts import Fabric, HostNetwork, Interface, Route
from ..site.model import Machine, Nic
from .keyfiles import FAMILIES, Profile, is_address, number
from .layer2 import CONTROLLERS, Layer2, Link, Port

# Types that come up without a link below them; for other types NetworkManager waits for the carrier.
_WITHOUT_CARRIER = ("bond", "bridge", "dummy", "ovs-interface")
_UNPLAYED = ("hsr", "infiniband", "ip-tunnel", "ipvlan", "macsec", "team", "veth", "vxlan", "xfrm")
_MAIN_TABLE = 254
_METRICS = {"ethernet": 100, "bond": 300, "vlan": 400, "bridge": 425, "dummy": 550, "ovs-interface": 800}
_KINDS = {"bond": "bond", "vlan": "vlan"}
_EVERYTHING = {"ipv4": "0.0.0.0/0", "ipv6": "::/0"}


def start_network(
    machine: Machine,
    ports: Sequence[tuple[str, str, bool]],
    profiles: Sequence[Profile],
    fabric: Fabric,
    log: list[str],
) -> HostNetwork:
    """The network that results from the profiles on a machine with these ports (name, MAC, link).

    Ports without a profile use DHCP.
    """
    return _Bringup(machine, ports, profiles, fabric, log).run()


class _Bringup:
    def __init__(
        self,
        machine: Machine,
        ports: Sequence[tuple[str, str, bool]],
        profiles: Sequence[Profile],
        fabric: Fabric,
        log: list[str],
    ) -> None:
        self.fabric = fabric
        self.log = log
        self.profiles = sorted((p for p in profiles if p.autoconnect), key=lambda p: -p.priority)
        nics = {nic.name: nic for nic in machine.nics}
        self.ports = [Port(nics[name], mac, link, self._profile_of_port(name, mac)) for name, mac, link in ports]
        self.virtual = self._virtual_profiles()
        carried = {nic.name: self._carried(nic) for nic in machine.nics}
        self.layer2 = Layer2(self.ports, self.virtual, carried, log)
        self.interfaces: list[Interface] = []
        self.routes: list[tuple[int, Route]] = []
        self.dns: list[str] = []

    def run(self) -> HostNetwork:
        for port in self.ports:
            self._start_port(port)
        for profile in self.virtual:
            if profile.type not in ("ovs-bridge", "ovs-port"):
                self._start_virtual(profile)
        for profile in self.profiles:
            if profile.type in _UNPLAYED:
                self.log.append(
                    f"NetworkManager: {profile.file}: this lab cannot bring up connections of type {profile.type}"
                )
        return HostNetwork(tuple(self.interfaces), tuple(self._used_routes()), tuple(dict.fromkeys(self.dns)))

    # ---- profiles ----------------------------------------------------------------------------------------------------

    def _profile_of_port(self, name: str, mac: str) -> Profile | None:
        return next((p for p in self.profiles if p.type == "ethernet" and self._fits(p, name, mac)), None)

    def _fits(self, profile: Profile, name: str, mac: str) -> bool:
        if profile.get("match", "path"):
            self.log.append(f"NetworkManager: {profile.file}: {name} has no path {profile.get('match', 'path')}")
            return False
        wanted = profile.get("ethernet", "mac-address").lower()
        return profile.interface in ("", name) and wanted in ("", mac)

    def _virtual_profiles(self) -> list[Profile]:
        """The profile of each virtual interface; of two for one interface the one with the higher priority."""
        chosen: dict[tuple[str, str], Profile] = {}
        physical = {port.nic.name for port in self.ports}
        for profile in self.profiles:
            if profile.type in ("ethernet", "loopback", *_UNPLAYED):
                continue
            if profile.interface in physical and not profile.type.startswith("ovs-"):
                self.log.append(f"NetworkManager: {profile.file}: there is a NIC {profile.interface} already")
                continue
            # Open vSwitch has bridges and ports of the same name as an interface.
            kind = profile.type if profile.type in ("ovs-bridge", "ovs-port") else ""
            first = chosen.setdefault((kind, profile.interface or profile.file), profile)
            if first is not profile:
                self.log.append(f"NetworkManager: {profile.file}: {profile.interface} is up with {first.file}")
        return list(chosen.values())

    def _carried(self, nic: Nic) -> dict[int, str]:
        tagged = {vlan: name for name in nic.vlans if (vlan := self.fabric.site.network(name).vlan) is not None}
        return tagged | ({0: nic.network} if nic.network else {})

    # ---- interfaces --------------------------------------------------------------------------------------------------

    def _start_port(self, port: Port) -> None:
        link, profile = self.layer2.port_link(port.nic.name), port.profile
        mtu = number(profile.get("ethernet", "mtu"), 1500) if profile else 1500
        interface = Interface(port.nic.name, link.mac, carrier=link.carrier, network=link.segment.get(0, ""), mtu=mtu)
        controller = self._controller(profile)
        if profile is not None and profile.controller and (controller is None or controller.type in CONTROLLERS):
            self.interfaces.append(interface)
        else:
            self._configure(interface, profile, link, controller)

    def _start_virtual(self, profile: Profile) -> None:
        link = self.layer2.link(profile)
        if (
            profile.type == "vlan"
            and self.layer2.named(profile.get("vlan", "parent") or profile.get("ethernet", "mac-address")) is None
        ):
            return
        mtu = number(profile.get("ethernet", "mtu"), 1500)
        name = profile.interface or f"{profile.get('vlan', 'parent')}.{profile.get('vlan', 'id')}"
        kind = _KINDS.get(profile.type, "device")
        interface = Interface(name, link.mac, kind=kind, carrier=link.carrier, network=link.segment.get(0, ""), mtu=mtu)
        controller = self._controller(profile)
        if controller is not None and controller.type in ("bond", "bridge"):
            self.interfaces.append(interface)
        else:
            self._configure(interface, profile, link, controller)

    def _controller(self, profile: Profile | None) -> Profile | None:
        controller = self.layer2.controller_of(profile)
        if profile is not None and profile.controller and controller is None:
            self.log.append(f"NetworkManager: {profile.file}: there is no {profile.port_type} {profile.controller}")
        return controller

    def _configure(self, interface: Interface, profile: Profile | None, link: Link, controller: Profile | None) -> None:
        """Addresses, and routes into their tables.

        What is in a VRF has its routes there, where no program of this system looks.
        """
        addresses: list[str] = []
        kind = profile.type if profile else "ethernet"
        if link.carrier or kind in _WITHOUT_CARRIER:
            for family in FAMILIES:
                addresses += self._addresses(interface, profile, family, link.nic)
        elif profile is not None and any(profile.addresses(family) for family in FAMILIES):
            self.log.append(f"NetworkManager: {profile.file}: {interface.name} has no carrier, not activated")
        if controller is not None and controller.type == "vrf":
            self.log.append(
                f"NetworkManager: {interface.name} is in VRF {controller.interface}: its addresses serve no "
                "program "
                "outside of that"
            )
            self.routes = [(table, route) for table, route in self.routes if route.interface != interface.name]
            interface = dataclasses.replace(interface, network="")
        self.interfaces.append(dataclasses.replace(interface, addresses=tuple(dict.fromkeys(addresses))))

    # ---- addresses ---------------------------------------------------------------------------------------------------

    def _addresses(self, interface: Interface, profile: Profile | None, family: str, nic: Nic | None) -> list[str]:
        method = profile.method(family) if profile else "auto"
        found = (
            self._static(interface.name, profile, family) if profile and method in ("manual", "auto", "dhcp") else []
        )
        if method in ("auto", "dhcp") and interface.carrier and interface.network and nic is not None:
            found += self._dhcp(interface, profile, family, nic)
        return found

    def _dhcp(self, interface: Interface, profile: Profile | None, family: str, nic: Nic) -> list[str]:
        if interface.network != nic.network:
            # A reservation is for the untagged network; a server of another one knows the host as another host.
            nic = dataclasses.replace(
                nic, network=interface.network, mac=f"{interface.mac} on {interface.network}", lease=""
            )
        lease = self.fabric.lease(nic)
        if not lease or f"ipv{ipaddress.ip_interface(lease).version}" != family:
            return []
        network = self.fabric.site.network(nic.network)
        if profile is None or not (profile.flag(family, "ignore-auto-routes") or profile.flag(family, "never-default")):
            self._add_route(interface.name, profile, family, _EVERYTHING[family], network.gateway)
        if profile is None or not profile.flag(family, "ignore-auto-dns"):
            self.dns += network.dns_servers
        return [lease]

    def _static(self, name: str, profile: Profile, family: str) -> list[str]:
        addresses = profile.addresses(family)
        gateways = [gateway for _address, gateway in addresses if gateway] + [profile.get(family, "gateway")]
        for gateway in gateways:
            if gateway and not profile.flag(family, "never-default"):
                self._add_route(name, profile, family, _EVERYTHING[family], gateway)
        for key, text in profile.numbered_items(family, "route", "routes"):
            self._route(name, profile, family, text, profile.get(family, f"{key}_options"))
        self.dns += [
            server.strip()
            for server in re.split("[;,]", profile.get(family, "dns"))
            if is_address(server.strip(), family)
        ]
        return [address for address, _gateway in addresses]

    # ---- routes ------------------------------------------------------------------------------------------------------

    def _route(self, name: str, profile: Profile, family: str, text: str, options: str) -> None:
        destination, *rest = [part.strip() for part in text.split(",")]
        gateway = rest[0] if rest else ""
        metric = number(rest[1], 0) if len(rest) > 1 else 0
        provided = dict(option.split("=", 1) for option in options.split(",") if "=" in option)
        if not is_address(destination, family) or (gateway and not is_address(gateway, family)):
            self.log.append(f"NetworkManager: {profile.file}: bad route {text!r}")
        elif provided.get("type", "unicast") in ("unicast", "local"):
            self._add_route(name, profile, family, destination, gateway, metric, number(provided.get("table", ""), 0))

    def _add_route(
        self,
        name: str,
        profile: Profile | None,
        family: str,
        destination: str,
        gateway: str,
        metric: int = 0,
        table: int = 0,
    ) -> None:
        kind = profile.type if profile else "ethernet"
        own_metric = number(profile.get(family, "route-metric"), 0) if profile else 0
        own_table = number(profile.get(family, "route-table"), 0) if profile else 0
        route = Route(
            str(ipaddress.ip_network(destination, strict=False)),
            gateway,
            name,
            metric or own_metric or _METRICS.get(kind, 100),
        )
        self.routes.append((table or own_table or _MAIN_TABLE, route))

    def _used_routes(self) -> list[Route]:
        """The routes that a program's packets are looked up in: those of the main table, and of tables that a rule
        names for packets from anywhere.
        """
        used = [route for table, route in self.routes if table == _MAIN_TABLE]
        for profile in self.profiles:
            for family in FAMILIES:
                for rule in profile.numbered(family, "routing-rule"):
                    used += self._routes_by_rule(rule, family)
        return used

    def _routes_by_rule(self, rule: str, family: str) -> list[Route]:
        words = rule.split()
        provided = dict(zip(words[::2], words[1::2], strict=False))
        if (
            provided.keys() & {"iif", "fwmark", "type"}
            or provided.get("from", _EVERYTHING[family]) != _EVERYTHING[family]
        ):
            return []
        routes = [route for table, route in self.routes if str(table) == provided.get("table") and table != _MAIN_TABLE]
        if "to" not in provided or not is_address(provided["to"], family):
            return routes
        wanted = ipaddress.ip_network(provided["to"], strict=False)
        # Only what the rule is for finds the way there.
        return [
            dataclasses.replace(route, destination=str(wanted))
            for route in routes
            if _holds(ipaddress.ip_network(route.destination), wanted)
        ]


def _holds(
    outer: ipaddress.IPv4Network | ipaddress.IPv6Network, inner: ipaddress.IPv4Network | ipaddress.IPv6Network
) -> bool:
    return outer.version == inner.version and int(outer[0]) <= int(inner[0]) and int(inner[-1]) <= int(outer[-1])
