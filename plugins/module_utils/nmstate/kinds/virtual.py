# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert virtual interfaces of nmstate to sections of a NetworkManager keyfile.

``mac-vlan``, ``mac-vtap``, ``vxlan``, ``macsec`` and ``infiniband`` use a base interface. A ``vrf`` contains
interfaces.
"""

from __future__ import annotations

import dataclasses

from ...common.problems import INVALID, REQUIRED
from ..model import Group, NetInterface, Port
from ..section import Section

_MODES = {"vepa": "1", "bridge": "2", "private": "3", "passthru": "4", "source": "5"}
_VALIDATION = {"disabled": "0", "check": "1", "strict": "2"}
_OFFLOAD = {"off": "0", "phy": "1", "mac": "2"}
_KEY_LENGTH = 32
_NAME_LENGTHS = (2, 64)


def _missing(section: Section, key: str) -> None:
    if section.value(key) is None:
        section.problem(key, REQUIRED, f"an interface of this type needs {key}", layer="ours")


def read_mac_vlan(section: Section, entry: NetInterface) -> NetInterface:
    return _read_mac_vlan(section, entry, "mac-vlan", tap=False)


def read_mac_vtap(section: Section, entry: NetInterface) -> NetInterface:
    return _read_mac_vlan(section, entry, "mac-vtap", tap=True)


def _read_mac_vlan(section: Section, entry: NetInterface, key: str, *, tap: bool) -> NetInterface:
    part = section.section(key)
    if part is None:
        _missing(section, key)
        return entry
    base = part.name("base-iface") or ""
    mode = part.choice("mode", _MODES, plain=True)
    if mode is None and part.value("mode") is None:
        part.problem("mode", REQUIRED, "mode is missing")
    promiscuous = part.flag("promiscuous", "accept-all-mac")
    if promiscuous is False and mode != _MODES["passthru"]:
        part.problem("promiscuous", INVALID, "false is possible in mode passthru only", value="false")
    part.finish()
    settings = {
        "mode": mode,
        "parent": base,
        "promiscuous": None if promiscuous is None else str(promiscuous).lower(),
        "tap": str(tap).lower(),
    }
    return dataclasses.replace(entry, parent=base, groups=(*entry.groups, Group.of("macvlan", settings)))


def read_vxlan(section: Section, entry: NetInterface) -> NetInterface:
    part = section.section("vxlan")
    if part is None:
        _missing(section, "vxlan")
        return entry
    base = part.text("base-iface", nullable=False) or ""
    number = part.integer("id", required=True, ours=(0, 0xFFFFFF))
    learning = part.flag("learning", plain=True)
    local, remote = part.address("local"), part.address("remote")
    port = part.integer("destination-port", 0, 0xFFFF)
    part.finish()
    settings = {
        "parent": base,
        "id": str(number),
        "learning": None if learning is None else str(learning).lower(),
        "local": local,
        "remote": remote,
        "destination-port": None if port is None else str(port),
    }
    return dataclasses.replace(entry, parent=base, groups=(*entry.groups, Group.of("vxlan", settings)))


def read_macsec(section: Section, entry: NetInterface) -> NetInterface:
    part = section.section("macsec")
    if part is None:
        _missing(section, "macsec")
        return entry
    base = part.name("base-iface") or ""
    flags = {key: part.flag(key, plain=True) for key in ("encrypt", "send-sci")}
    port = part.integer("port", required=True, plain=True, ours=(0, 65534))
    validation = part.choice("validation", _VALIDATION, plain=True)
    for needed, value in (*flags.items(), ("validation", validation)):
        if value is None and part.value(needed) is None:
            part.problem(needed, REQUIRED, f"{needed} is missing")
    key, name = part.text("mka-cak"), part.text("mka-ckn")
    _check_keys(part, key, name)
    settings = {
        **{setting: None if flag is None else str(flag).lower() for setting, flag in flags.items()},
        "parent": base,
        "port": str(port) if port else None,
        "validation": validation,
        "mka-cak": key,
        "mka-ckn": name,
        "offload": part.choice("offload", _OFFLOAD, plain=True),
    }
    part.finish()
    return dataclasses.replace(entry, parent=base, groups=(*entry.groups, Group.of("macsec", settings)))


def _check_keys(part: Section, key: str | None, name: str | None) -> None:
    if (key is None) != (name is None):
        part.problem("mka-cak", INVALID, "mka-cak and mka-ckn belong together")
    if key is not None and len(key.encode()) != _KEY_LENGTH:
        part.problem("mka-cak", INVALID, f"must have {_KEY_LENGTH} hexadecimal digits")
    if name is not None and (not _NAME_LENGTHS[0] <= len(name.encode()) <= _NAME_LENGTHS[1] or len(name.encode()) % 2):
        part.problem(
            "mka-ckn",
            INVALID,
            (f"must have an even number of hexadecimal digits, {_NAME_LENGTHS[0]} to {_NAME_LENGTHS[1]}"),
            value=name,
        )


def read_vrf(section: Section, entry: NetInterface) -> NetInterface:
    part = section.section("vrf")
    if part is None:
        if section.value("vrf") is None:
            section.problem("vrf", REQUIRED, "a VRF needs route-table-id")
        return entry
    table = part.integer("route-table-id")
    if not table and (table == 0 or part.value("route-table-id") is None):
        part.problem("route-table-id", REQUIRED, "a VRF needs a routing table above 0")
    names = part.texts("port", "ports")
    ports = None if names is None else tuple(Port(name, part.at("port")) for name in names)
    part.finish()
    section.unwritten("mac-address", detail="a VRF has no MAC address")
    flag = entry.accept_all_mac_addresses or None
    group = Group.of("vrf", {"table": str(table)})
    return dataclasses.replace(
        entry, mac_address="", accept_all_mac_addresses=flag, ports=ports, groups=(*entry.groups, group)
    )


def read_infiniband(section: Section, entry: NetInterface) -> NetInterface:
    """Its MTU is in its own section, and a MAC cannot be set."""
    section.unwritten("mac-address", "accept-all-mac-addresses", detail="nmstate writes it for ethernets only")
    mtu = None if entry.mtu is None else str(entry.mtu)
    part = section.section("infiniband")
    if part is None:
        return dataclasses.replace(entry, groups=(*entry.groups, Group.of("infiniband", {"mtu": mtu})))
    base = part.text("base-iface") or ""
    key = part.integer("pkey", 0, 0xFFFF, required=True)
    mode = part.choice("mode", {name: name for name in ("datagram", "connected")}, plain=True)
    if mode is None and part.value("mode") is None:
        part.problem("mode", REQUIRED, "mode is missing")
    part.finish()
    settings = {
        "parent": base,
        "p-key": None if key in (None, 0xFFFF) else str(key),
        "transport-mode": mode,
        "mtu": mtu,
    }
    return dataclasses.replace(entry, parent=base, groups=(*entry.groups, Group.of("infiniband", settings)))
