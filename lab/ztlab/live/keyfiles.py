# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""NetworkManager: connection profiles (keyfiles) and the interfaces that come up with them."""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Iterable, Mapping, Sequence

from ..fabric.hosts import Fabric, HostNetwork, Interface, Route
from ..site.model import Machine, Nic

CONNECTIONS = "/etc/NetworkManager/system-connections"


@dataclasses.dataclass(frozen=True)
class Profile:
    """One keyfile: section -> key -> value."""

    file: str
    sections: Mapping[str, Mapping[str, str]]

    def get(self, section: str, *keys: str) -> str:
        """The value of the first of the keys that is there, "" for none (NetworkManager renamed master to controller)."""
        values = self.sections.get(section, {})
        return next((values[key] for key in keys if key in values), "")

    @property
    def type(self) -> str:
        return {"802-3-ethernet": "ethernet"}.get(self.get("connection", "type"), self.get("connection", "type"))

    @property
    def interface(self) -> str:
        return self.get("connection", "interface-name")

    @property
    def controller(self) -> str:
        return self.get("connection", "controller", "master")

    @property
    def autoconnect(self) -> bool:
        return self.get("connection", "autoconnect").lower() not in ("false", "no", "0")

    @property
    def priority(self) -> int:
        text = self.get("connection", "autoconnect-priority")
        return int(text) if text.lstrip("-").isdigit() else 0


class KeyfileError(Exception):
    """NetworkManager would not load the file; the text says why."""


def parse_keyfile(file: str, text: str) -> Profile:
    """Raises :class:`KeyfileError`."""
    sections: dict[str, dict[str, str]] = {}
    current: dict[str, str] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("[") and line.endswith("]"):
            current = sections.setdefault(line[1:-1], {})
        elif current is None or "=" not in line:
            raise KeyfileError(f"line {number} is no key=value of a section")
        else:
            key, _, value = line.partition("=")
            current[key.strip()] = value.strip()
    profile = Profile(file, sections)
    if not profile.type:
        raise KeyfileError("connection.type is missing")
    return profile


def load_profiles(files: Mapping[str, tuple[int, str]], log: list[str]) -> list[Profile]:
    """The profiles that NetworkManager loads from name -> (mode, text); what it refuses goes to the log."""
    profiles = []
    for name, (mode, text) in sorted(files.items()):
        if not name.endswith(".nmconnection"):
            continue
        if mode & 0o077:
            log.append(f"NetworkManager: {name}: file permissions ({mode:o}) are insecure, ignored")
            continue
        try:
            profiles.append(parse_keyfile(name, text))
        except KeyfileError as error:
            log.append(f"NetworkManager: {name}: {error}, ignored")
    return profiles


def bring_up(machine: Machine, ports: Sequence[tuple[str, str, bool]], profiles: Sequence[Profile], fabric: Fabric, log: list[str]) -> HostNetwork:
    """The network that results from the profiles on a machine with these ports (name, MAC, link). Ports without a profile use DHCP."""
    return _Bringup(machine, ports, profiles, fabric, log).run()


class _Bringup:
    def __init__(self, machine: Machine, ports: Sequence[tuple[str, str, bool]], profiles: Sequence[Profile], fabric: Fabric, log: list[str]) -> None:
        self.ports = {name: (mac, link) for name, mac, link in ports}
        self.nics = {nic.name: nic for nic in machine.nics}
        self.profiles = sorted((p for p in profiles if p.autoconnect), key=lambda p: -p.priority)
        self.fabric = fabric
        self.log = log
        self.interfaces: dict[str, Interface] = {}
        self.routes: list[Route] = []
        self.dns: list[str] = []

    def run(self) -> HostNetwork:
        for name in self.ports:
            self._bring_up_port(name)
        for profile in (p for p in self.profiles if p.type == "bond"):
            self._bring_up_bond(profile)
        for profile in (p for p in self.profiles if p.type == "vlan"):
            self._bring_up_vlan(profile)
        for profile in self.profiles:
            if profile.type not in ("ethernet", "bond", "vlan", "loopback"):
                self.log.append(f"NetworkManager: {profile.file}: this lab cannot bring up connections of type {profile.type}")
        return HostNetwork(tuple(self.interfaces.values()), tuple(self.routes), tuple(dict.fromkeys(self.dns)))

    def _bring_up_port(self, name: str) -> None:
        mac, link = self.ports[name]
        nic = self.nics[name]
        profile = next((p for p in self.profiles if p.type == "ethernet" and self._fits(p, name, mac)), None)
        mtu = _number(profile.get("ethernet", "mtu"), 1500) if profile else 1500
        interface = Interface(name, mac, carrier=link, network=nic.network if link else "", mtu=mtu)
        if profile is None:
            self._configure(interface, None, nic)
        elif profile.controller:
            self.interfaces[name] = interface
        else:
            self._configure(interface, profile, nic)

    @staticmethod
    def _fits(profile: Profile, name: str, mac: str) -> bool:
        wanted = profile.get("ethernet", "mac-address").lower()
        return profile.interface in ("", name) and wanted in ("", mac)

    def _bring_up_bond(self, profile: Profile) -> None:
        names = (profile.interface, profile.get("connection", "uuid"), profile.get("connection", "id"))
        ports = [p.interface for p in self.profiles if p.controller and p.controller in names and p.interface in self.interfaces]
        if not ports:
            self.log.append(f"NetworkManager: bond {profile.interface} has no ports")
            return
        up = [self.interfaces[port] for port in ports if self.interfaces[port].carrier]
        networks = {interface.network for interface in up}
        if len(networks) > 1:
            self.log.append(f"NetworkManager: the ports of bond {profile.interface} are on different networks: {', '.join(sorted(networks))}")
        first = up[0] if up else self.interfaces[ports[0]]
        bond = Interface(profile.interface, first.mac, kind="bond", carrier=bool(up), network=first.network if up else "", mtu=first.mtu)
        self._configure(bond, profile, self.nics.get(first.name))
        # What a VLAN on the bond can carry is what the first port with a link carries.
        self.nics[profile.interface] = self.nics[first.name]

    def _bring_up_vlan(self, profile: Profile) -> None:
        parent_name = profile.get("vlan", "parent")
        parent = self.interfaces.get(parent_name)
        if parent is None:
            parent = next((i for i in self.interfaces.values() if i.mac == parent_name.lower()), None)
        if parent is None:
            self.log.append(f"NetworkManager: vlan {profile.interface}: no parent {parent_name}")
            return
        tag = _number(profile.get("vlan", "id"), 0)
        carried = self.nics[parent.name].vlans if parent.name in self.nics else ()
        network = next((name for name in carried if self.fabric.site.network(name).vlan == tag), "")
        if not network:
            self.log.append(f"switch: the port of {parent.name} does not carry VLAN {tag}")
        name = profile.interface or f"{parent.name}.{tag}"
        vlan = Interface(name, parent.mac, kind="vlan", carrier=parent.carrier, network=network if parent.carrier else "", mtu=parent.mtu)
        self._configure(vlan, profile, None)

    def _configure(self, interface: Interface, profile: Profile | None, nic: Nic | None) -> None:
        addresses: list[str] = []
        for family in ("ipv4", "ipv6"):
            method = profile.get(family, "method") if profile else "auto"
            addresses += self._static(interface.name, profile, family, method) if profile else []
            if method in ("auto", "dhcp") and interface.carrier and nic is not None and nic.network == interface.network:
                addresses += self._dhcp(interface.name, profile, family, nic)
        self.interfaces[interface.name] = dataclasses.replace(interface, addresses=tuple(dict.fromkeys(addresses)))

    def _dhcp(self, name: str, profile: Profile | None, family: str, nic: Nic) -> list[str]:
        lease = self.fabric.lease(nic)
        if not lease or ipaddress.ip_interface(lease).version != (4 if family == "ipv4" else 6):
            return []
        network = self.fabric.site.network(nic.network)
        if profile is None or profile.get(family, "ignore-auto-routes") != "true":
            self.routes.append(Route("0.0.0.0/0" if family == "ipv4" else "::/0", network.gateway, name))
        if profile is None or profile.get(family, "ignore-auto-dns") != "true":
            self.dns += network.dns_servers
        return [lease]

    def _static(self, name: str, profile: Profile, family: str, method: str) -> list[str]:
        if method not in ("manual", "auto", "dhcp"):
            return []
        default = "0.0.0.0/0" if family == "ipv4" else "::/0"
        addresses = []
        for text in _numbered(profile, family, ("address", "addresses")):
            address, _, gateway = text.partition(",")
            try:
                addresses.append(str(ipaddress.ip_interface(address.strip())))
            except ValueError:
                self.log.append(f"NetworkManager: {profile.file}: {family}: bad address {address!r}")
                continue
            if gateway.strip():
                self.routes.append(Route(default, gateway.strip(), name))
        if profile.get(family, "gateway"):
            self.routes.append(Route(default, profile.get(family, "gateway"), name))
        for text in _numbered(profile, family, ("route", "routes")):
            self._route(name, profile, text)
        self.dns += [server for server in profile.get(family, "dns").replace(",", ";").split(";") if server.strip()]
        return addresses

    def _route(self, name: str, profile: Profile, text: str) -> None:
        destination, *rest = [part.strip() for part in text.split(",")]
        gateway = rest[0] if rest else ""
        metric = _number(rest[1], 100) if len(rest) > 1 else 100
        try:
            self.routes.append(Route(str(ipaddress.ip_network(destination, strict=False)), gateway, name, metric))
        except ValueError:
            self.log.append(f"NetworkManager: {profile.file}: bad route {text!r}")


def _numbered(profile: Profile, section: str, names: Iterable[str]) -> list[str]:
    """Values of address1, address2, ... (or route1, ...) in numeric order. route1_options and the like are no values."""
    found = []
    for key, value in profile.sections.get(section, {}).items():
        for name in names:
            if key.startswith(name) and (key[len(name) :].isdigit() or key == name):
                found.append((_number(key[len(name) :], 0), value))
    return [value for _number_, value in sorted(found)]


def _number(text: str, default: int) -> int:
    return int(text) if text.isdigit() else default
