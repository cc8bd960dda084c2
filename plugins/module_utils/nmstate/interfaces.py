# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read and check the entries of ``interfaces`` in an nmstate document.

This file reads the fields that all interface types share. The modules in ``kinds/`` read the fields of one type, such
as bond or vlan.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import cast

from ..common.problems import INVALID, REQUIRED, UNSUPPORTED
from .dot1x import read_dot1x
from .ethtool import read_ethtool
from .kinds.bond import read_bond
from .kinds.ethernet import read_ethernet
from .kinds.linux_bridge import read_linux_bridge
from .kinds.ovs import read_ovs_bridge, read_ovs_interface, read_ovsdb
from .kinds.virtual import read_infiniband, read_mac_vlan, read_mac_vtap, read_macsec, read_vrf, read_vxlan
from .kinds.vlan import read_vlan
from .loopback import LOOPBACK, read_loopback
from .model import Identifier, NetInterface, State
from .section import Section
from .stack import read_stack

Reader = Callable[[Section, NetInterface], NetInterface]


def _plain(_section: Section, entry: NetInterface) -> NetInterface:
    return entry


KINDS: dict[str, Reader] = {
    "ethernet": read_ethernet,
    "veth": read_ethernet,
    "bond": read_bond,
    "vlan": read_vlan,
    "dummy": _plain,
    "linux-bridge": read_linux_bridge,
    "ovs-bridge": read_ovs_bridge,
    "ovs-interface": read_ovs_interface,
    "vrf": read_vrf,
    "infiniband": read_infiniband,
    "loopback": read_loopback,
    "mac-vlan": read_mac_vlan,
    "mac-vtap": read_mac_vtap,
    "vxlan": read_vxlan,
    "macsec": read_macsec,
}
# nmstate writes a connection of these types without the section that says what it is; NetworkManager refuses to load
# it.
_UNFINISHED = ("hsr", "ip-tunnel", "ipvlan", "xfrm")
_STATES = {name: name for name in ("up", "down", "absent", "ignore")}
_UNKNOWN_STATE = "unknown"
_KEPT_WHEN_ABSENT = ("name", "type", "state", "identifier", "mac-address", "pci-address")
_MINIMUM_IPV6_MTU = 1280
_WAIT_IP = {name: name for name in ("any", "ipv4", "ipv6", "ipv4+ipv6")}
_IDENTIFIERS = {name: name for name in ("name", "mac-address", "pci-address")}
_PCI = re.compile(r"(?:([0-9a-fA-F]{1,8}):)?([0-9a-fA-F]{1,2}):([0-9a-fA-F]{1,2})\.([0-9]{1,3})")
_COPIES_MAC = ("bond", "linux-bridge", "ovs-interface")
# NetworkManager's flags of a connection for MPTCP; 8: also where the default route leads elsewhere.
_MPTCP = {"signal": 0x10, "subflow": 0x20, "backup": 0x40, "fullmesh": 0x80}
_MPTCP_ANYWHERE, _MPTCP_OFF = 0x08, 0x01


def read_interface(section: Section) -> NetInterface | None:
    """One entry of ``interfaces``; None where it has no name. ``unread``: a type that is not rendered."""
    name = section.text("name", required=True)
    kind = section.text("type") or "ethernet"
    if section.value("state") == _UNKNOWN_STATE:
        section.problem(
            "state",
            UNSUPPORTED,
            "nmstate leaves such an interface out without a word",
            value=_UNKNOWN_STATE,
            layer="ours",
        )
        return None
    state = cast(State, section.choice("state", _STATES, default="up"))
    if state == "ignore" and kind not in ("ethernet", "loopback"):
        section.problem(
            "state",
            UNSUPPORTED,
            ("a machine that has not been installed yet has nothing of this type to ignore"),
            value=state,
            layer="ours",
        )
    if name is None:
        return None
    if not name:
        section.problem("name", REQUIRED, "is empty", layer="ours")
        return NetInterface(name=name, path=section.path, state="unread")
    if kind not in KINDS and state != "ignore":
        _refuse_type(section, kind)
        return NetInterface(name=name, path=section.path, state="unread")
    if state == "absent":
        return _read_absent(section, name, kind)
    if state == "ignore":
        return NetInterface(name=name, path=section.path, type="ethernet" if kind == "veth" else kind, state=state)
    return _read_present(section, name, kind, state)


def _refuse_type(section: Section, kind: str) -> None:
    supported = ", ".join(f'"{known}"' for known in KINDS)
    why = (
        "nmstate writes keyfiles for it that NetworkManager cannot load"
        if kind in _UNFINISHED
        else "no keyfiles are rendered for this type"
    )
    section.problem("type", UNSUPPORTED, f"{why}; supported values: {supported}", value=kind, layer="ours")


def _read_absent(section: Section, name: str, kind: str) -> NetInterface:
    """It has no keyfile, but interfaces on top of it need its type."""
    identifier = cast(Identifier, section.choice("identifier", _IDENTIFIERS, default="name", plain=True))
    section.text("mac-address")
    _pci_address(section)
    dropped = [str(key) for key in section.data if key not in _KEPT_WHEN_ABSENT]
    if dropped:
        section.ignored(
            dropped[0], (f"the interface is to be absent, so its properties have no effect: {', '.join(dropped)}")
        )
    return NetInterface(
        name=name, path=section.path, type="ethernet" if kind == "veth" else kind, state="absent", identifier=identifier
    )


def _read_present(section: Section, name: str, kind: str, state: State) -> NetInterface:
    entry = NetInterface(
        name=name,
        path=section.path,
        type="ethernet" if kind == "veth" else kind,
        state=state,
        profile_name=section.text("profile-name") or "",
        identifier=cast(Identifier, section.choice("identifier", _IDENTIFIERS, default="name", plain=True)),
        permanent_mac=(section.text("permanent-mac-address") or "").upper(),
        pci_address=_pci_address(section),
        mac_address=(section.text("mac-address") or "").upper(),
        copy_mac_from=_copy_mac_from(section, kind),
        alt_names=_alt_names(section, name),
        mtu=section.integer("mtu"),
        wait_ip=section.choice("wait-ip", _WAIT_IP, plain=True),
        description=section.text("description"),
        accept_all_mac_addresses=section.flag("accept-all-mac-addresses"),
        lldp=_read_lldp(section),
        mptcp_flags=_read_mptcp(section),
        ipv4=read_stack(section, "ipv4", enabled=name == LOOPBACK.name),
        ipv6=read_stack(section, "ipv6", enabled=name == LOOPBACK.name),
        controller_provided=section.text("controller"),
        ovs_groups=read_ovsdb(section),
        groups=(*read_ethtool(section), *read_dot1x(section)),
    )
    if entry.by_mac and state == "up" and not entry.profile_name and not entry.userspace:
        entry = dataclasses.replace(entry, profile_name=name)
    _check(section, entry)
    entry = KINDS[kind](section, entry)
    section.text("driver")
    for reported in ("max-mtu", "min-mtu"):
        section.integer(reported, 0, 0xFFFFFFFFFFFFFFFF, plain=True)
    if section.value("dispatch") is not None:
        section.problem("dispatch", UNSUPPORTED, "a script cannot be written to a keyfile", value="")
    section.finish()
    return entry


def _check(section: Section, entry: NetInterface) -> None:
    if entry.mtu is not None and entry.mtu < _MINIMUM_IPV6_MTU and entry.ipv6 and entry.ipv6.enabled:
        section.problem("mtu", INVALID, f"must be at least {_MINIMUM_IPV6_MTU} with IPv6 enabled", value=entry.mtu)
    if entry.by_mac and not entry.mac_address:
        section.problem("mac-address", REQUIRED, "identifier is mac-address", layer="ours")
    if entry.identifier == "pci-address" and not entry.pci_address and section.value("pci-address") is None:
        section.problem("pci-address", REQUIRED, "identifier is pci-address", layer="ours")
    if entry.identifier != "pci-address" and entry.pci_address:
        section.unwritten("pci-address", detail="nmstate writes it with identifier: pci-address only")


def _pci_address(section: Section) -> str:
    """As NetworkManager's match wants it: ``0000:07:00.1``."""
    text = section.text("pci-address")
    if text is None:
        return ""
    found = _PCI.fullmatch(text)
    if not found or int(found[4]) > 0xFF:
        section.problem("pci-address", INVALID, "is no PCI address like 0000:07:00.1", value=text)
        return ""
    domain, bus, slot, function = int(found[1] or "0", 16), int(found[2], 16), int(found[3], 16), int(found[4])
    digits = 8 if domain > 0xFFFF else 4
    return f"{domain:0{digits}x}:{bus:02x}:{slot:02x}.{function}"


def _copy_mac_from(section: Section, kind: str) -> str:
    source = section.text("copy-mac-from") or ""
    if not source and section.value("copy-mac-from") is not None and kind in _COPIES_MAC:
        section.problem("copy-mac-from", INVALID, "names no interface")
    if source and kind not in _COPIES_MAC:
        section.ignored("copy-mac-from", f"nmstate does so for the types {', '.join(_COPIES_MAC)} only")
        return ""
    return source


def _alt_names(section: Section, own: str) -> tuple[str, ...]:
    """Other names that the document itself may use; nmstate gives them to the machine only where it runs there."""
    found = []
    for entry in section.sections("alt-names"):
        name = entry.text("name", required=True)
        absent = entry.choice("state", {"absent": "absent"}, plain=True)
        entry.finish()
        if name == own and not absent:
            entry.problem("name", INVALID, "is the name of the interface itself", value=name)
        found += [name] if name and not absent else []
    section.unwritten("alt-names")
    return tuple(found)


def _read_lldp(section: Section) -> bool | None:
    part = section.section("lldp")
    if part is None:
        return None
    enabled = part.flag("enabled")
    if not part.has("enabled"):
        part.problem("enabled", REQUIRED, "enabled is missing")
    part.skip("neighbors")
    part.finish()
    return enabled


def _read_mptcp(section: Section) -> int | None:
    part = section.section("mptcp")
    if part is None:
        return None
    names = part.texts("address-flags")
    part.finish()
    for index, name in enumerate(names or ()):
        if name not in _MPTCP:
            supported = ", ".join(f'"{known}"' for known in _MPTCP)
            part.problem(f"address-flags[{index}]", UNSUPPORTED, f"supported values: {supported}", value=name)
    if names is None:
        return None
    if "signal" in names and "fullmesh" in names:
        part.problem("address-flags", INVALID, "signal and fullmesh exclude each other")
    flags = sum(_MPTCP[name] for name in {*names} if name in _MPTCP)
    return flags | _MPTCP_ANYWHERE if names else _MPTCP_OFF
