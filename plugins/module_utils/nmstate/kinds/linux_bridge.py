# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert ``bridge`` of a ``linux-bridge`` to sections of a NetworkManager keyfile: ``[bridge]``, ``[bridge-port]``."""

from __future__ import annotations

import dataclasses
import re

from ...common.problems import INVALID, UNSUPPORTED
from ..model import Group, NetInterface, Port
from ..section import Section
from .bridge_vlan import PortVlan, ranges_text, read_port_vlan
from .vlan import PROTOCOLS

_U64 = 0xFFFFFFFFFFFFFFFF
# nmstate's key -> NetworkManager's key and the largest value.
_NUMBERS = {
    "hash-max": ("multicast-hash-max", 0xFFFFFFFF),
    "mac-ageing-time": ("ageing-time", 0xFFFFFFFF),
    "multicast-last-member-count": ("multicast-last-member-count", 0xFFFFFFFF),
    "multicast-last-member-interval": ("multicast-last-member-interval", _U64),
    "multicast-membership-interval": ("multicast-membership-interval", _U64),
    "multicast-querier-interval": ("multicast-querier-interval", _U64),
    "multicast-query-interval": ("multicast-query-interval", _U64),
    "multicast-query-response-interval": ("multicast-query-response-interval", _U64),
    "multicast-startup-query-count": ("multicast-startup-query-count", 0xFFFFFFFF),
    "multicast-startup-query-interval": ("multicast-startup-query-interval", _U64),
}
_FLAGS = {
    "multicast-querier": "multicast-querier",
    "multicast-query-use-ifaddr": "multicast-query-use-ifaddr",
    "multicast-snooping": "multicast-snooping",
}
_ROUTER = {"auto": "auto", "disabled": "disabled", "enabled": "enabled"}
_ROUTER_NUMBERS = ("disabled", "auto", "enabled")
# Bounds of IEEE 802.1D, which nmstate checks as well.
_STP_NUMBERS = {
    "forward-delay": (2, 30, 0xFF),
    "hello-time": (1, 10, 0xFF),
    "max-age": (6, 40, 0xFF),
    "priority": (0, 0xFFFF, 0xFFFF),
}
_STP_FLAG = "enabled"
_MAC = re.compile(r"[0-9A-Fa-f]{1,2}(:[0-9A-Fa-f]{1,2})*")


def read_linux_bridge(section: Section, entry: NetInterface) -> NetInterface:
    part = section.section("bridge")
    if part is None:
        return dataclasses.replace(entry, groups=(*entry.groups, Group("bridge")))
    part.flag("allow-extra-ports", plain=True)
    options = part.section("options")
    settings = _read_options(options) if options else {}
    ports, filtering = _read_ports(part)
    if ports is not None:
        settings["vlan-filtering"] = "true" if filtering else "false"
    if options and not filtering and (settings.get("vlan-default-pvid") or "1") != "1":
        options.problem(
            "vlan-default-pvid", INVALID, "needs VLAN filtering: a port with vlan", value=settings["vlan-default-pvid"]
        )
    part.finish(known=("options", "port"))
    return dataclasses.replace(entry, ports=ports, groups=(*entry.groups, Group.of("bridge", settings)))


def _read_options(section: Section) -> dict[str, str | None]:
    settings: dict[str, str | None] = {}
    for key, (name, high) in _NUMBERS.items():
        number = section.integer(key, 0, high)
        settings[name] = None if number is None else str(number)
    for key, name in _FLAGS.items():
        flag = section.flag(key)
        settings[name] = None if flag is None else str(flag).lower()
    masks = [section.integer(key, 0, 0xFFFF) for key in ("group-forward-mask", "group-fwd-mask")]
    if None not in masks and masks[0] != masks[1]:
        section.problem(
            "group-fwd-mask", INVALID, "group-forward-mask is another name of it and has another value", value=masks[1]
        )
    settings["group-forward-mask"] = next((str(mask) for mask in masks if mask is not None), None)
    settings["group-address"] = _group_address(section)
    settings["multicast-router"] = _multicast_router(section)
    settings["vlan-protocol"] = section.choice("vlan-protocol", PROTOCOLS, plain=True)
    pvid = section.integer("vlan-default-pvid", 0, 0xFFFF, plain=True, ours=(0, 4094))
    settings["vlan-default-pvid"] = None if pvid is None else str(pvid)
    for reported in ("gc-timer", "hello-timer"):
        section.integer(reported, 0, _U64, plain=True)
    if stp := section.section("stp"):
        settings |= _read_stp(stp)
    section.finish(known=("stp", "group-addr"))
    return settings


def _group_address(section: Section) -> str | None:
    """A MAC as nmstate writes it here: its bytes as numbers."""
    text = section.text("group-addr")
    if not text:
        return None
    if not _MAC.fullmatch(text):
        section.problem(
            "group-addr", INVALID, "is not a MAC address; nmstate would leave it out", value=text, layer="ours"
        )
        return None
    return ";".join(str(int(byte, 16)) for byte in text.split(":"))


def _multicast_router(section: Section) -> str | None:
    value = section.value("multicast-router")
    if value is None and not section.has("multicast-router"):
        return None
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(_ROUTER_NUMBERS):
        return _ROUTER_NUMBERS[value]
    if isinstance(value, str) and value.lower() in _ROUTER:
        return value.lower()
    section.problem(
        "multicast-router", UNSUPPORTED, 'supported values: "auto", "disabled", "enabled", 0, 1, 2', value=str(value)
    )
    return None


def _read_stp(section: Section) -> dict[str, str | None]:
    settings: dict[str, str | None] = {}
    enabled = section.flag(_STP_FLAG)
    settings["stp"] = None if enabled is None else str(enabled).lower()
    for key, (low, high, _type_high) in _STP_NUMBERS.items():
        number = section.integer(key, low, high)
        settings[key] = None if number is None else str(number)
    section.finish()
    return settings


def read_stp_enabled(section: Section) -> bool | None:
    """``stp`` as a mapping, of which an Open vSwitch bridge uses ``enabled`` only."""
    enabled = section.flag(_STP_FLAG)
    for key, (_low, _high, type_high) in _STP_NUMBERS.items():
        section.integer(key, 0, type_high)
    section.unwritten(*_STP_NUMBERS, detail="Open vSwitch has STP on or off only")
    section.finish()
    return enabled


def _read_ports(section: Section) -> tuple[tuple[Port, ...] | None, bool]:
    """The ports (None where the list is left open), and whether any of them filters VLANs."""
    if section.value("port", "ports") is None:
        return None, False
    ports: list[Port] = []
    filtering = False
    for entry in section.sections("port", "ports"):
        name = entry.text("name", required=True)
        hairpin, cost, priority = (
            entry.flag("stp-hairpin-mode"),
            entry.integer("stp-path-cost"),
            entry.integer("stp-priority", 0, 0xFFFF),
        )
        vlan = read_port_vlan(entry)
        entry.finish(known=("vlan",))
        filtering = filtering or (vlan is not None and vlan.provided)
        settings = {
            "hairpin-mode": None if hairpin is None else str(hairpin).lower(),
            "path-cost": None if cost is None else str(cost),
            "priority": None if priority is None else str(priority),
            "vlans": _vlans(entry, vlan),
        }
        ports += [Port(name, section.at("port"), Group.of("bridge-port", settings))] if name else []
    return tuple(ports), filtering


def _vlans(entry: Section, vlan: PortVlan | None) -> str:
    if vlan is None:
        return ""
    if vlan.mode is None:
        if vlan.tag is not None or vlan.trunks:
            entry.problem(
                "vlan.mode",
                INVALID,
                "without mode nmstate writes none of the port's VLANs",
                layer="ours",
                hint="set mode to trunk or access",
            )
        return ""
    return ranges_text((vlan.trunks or ()) if vlan.mode == "trunk" else (), vlan.tag)
