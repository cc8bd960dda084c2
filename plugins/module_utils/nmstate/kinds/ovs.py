# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert Open vSwitch parts of nmstate to sections of a NetworkManager keyfile: ``ovs-bridge`` with its ports,
``ovs-interface`` (internal, patch, DPDK), and ``ovs-db`` of an interface.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ...common.problems import INVALID, REQUIRED
from ..model import Group, NetInterface, OvsPort, Port
from ..section import Section
from .bridge_vlan import PortVlan, ranges_text, read_port_vlan
from .linux_bridge import read_stp_enabled

_MODES = {name: name for name in ("active-backup", "balance-slb", "balance-tcp", "lacp")}
_BRIDGE_FLAGS = {"rstp": "rstp-enable", "mcast-snooping-enable": "mcast-snooping-enable"}
_BRIDGE_TEXTS = {"fail-mode": "fail-mode", "datapath": "datapath-type"}
_TRUE_TEXTS = ("1", "true", "yes", "on", "y")
_FALSE_TEXTS = ("0", "false", "no", "off", "n")
_OVSDB = {"external_ids": "ovs-external-ids", "other_config": "ovs-other-config"}


def read_ovs_bridge(section: Section, entry: NetInterface) -> NetInterface:
    """A bridge without ports gets an internal interface of its name: Open vSwitch has no bridge without one."""
    if entry.mac_address:
        section.problem(
            "mac-address",
            INVALID,
            "an Open vSwitch bridge has none: set it on the ovs-interface",
            value=entry.mac_address,
        )
    section.unwritten("mtu", "ipv4", "ipv6", detail="an Open vSwitch bridge has none: set it on the ovs-interface")
    settings: dict[str, str | None] = {}
    ports: tuple[OvsPort, ...] | None = None
    if part := section.section("bridge"):
        part.flag("allow-extra-patch-ports", plain=True)
        part.flag("allow-extra-ports", plain=True)
        if options := part.section("options"):
            settings = _read_bridge_options(options)
        ports = _read_ports(part)
        part.finish(known=("options", "port"))
    empty = not any(port.members for port in ports or ()) and entry.state == "up"
    if empty:
        ports = (OvsPort(entry.name, (entry.name,), (Group("ovs-port"),)),)
    path = f"{section.path}.bridge.port"
    members = (
        None
        if ports is None
        else tuple(Port(member, path, internal=empty) for port in ports for member in port.members)
    )
    bare = dataclasses.replace(entry, mtu=None, ipv4=None, ipv6=None, mac_address="")
    return dataclasses.replace(
        bare, ports=members, ovs_ports=ports or (), groups=(*entry.groups, Group.of("ovs-bridge", settings))
    )


def _read_bridge_options(section: Section) -> dict[str, str | None]:
    settings: dict[str, str | None] = {}
    for key, name in _BRIDGE_FLAGS.items():
        flag = section.flag(key)
        settings[name] = None if flag is None else str(flag).lower()
    for key, name in _BRIDGE_TEXTS.items():
        settings[name] = section.text(key)
    stp = _read_stp(section)
    settings["stp-enable"] = None if stp is None else str(stp).lower()
    section.finish()
    return settings


def _read_stp(section: Section) -> bool | None:
    """A boolean or a mapping with ``enabled``."""
    value = section.value("stp")
    if isinstance(value, Mapping):
        part = section.section("stp")
        return read_stp_enabled(part) if part else None
    if isinstance(value, bool) or (value is None and not section.has("stp")):
        return value
    if isinstance(value, str) and value.lower() in _TRUE_TEXTS:
        return True
    if isinstance(value, str) and value.lower() in _FALSE_TEXTS:
        section.problem(
            "stp",
            INVALID,
            "nmstate takes this text for true",
            value=value,
            layer="ours",
            hint="write stp: false without quotes",
        )
        return None
    section.problem("stp", INVALID, "must be true, false, or a mapping with enabled", value=str(value))
    return None


def _read_ports(section: Section) -> tuple[OvsPort, ...] | None:
    if section.value("port", "ports") is None:
        return None
    ports = []
    for entry in section.sections("port", "ports"):
        name = entry.text("name", required=True)
        bond = entry.section("link-aggregation", "bond")
        members, settings, groups = (None, {}, ()) if bond is None else _read_bond(bond)
        settings |= _vlan_settings(read_port_vlan(entry))
        entry.finish(known=("link-aggregation", "vlan"))
        if name:
            ports.append(
                OvsPort(name, (name,) if members is None else members, (Group.of("ovs-port", settings), *groups))
            )
    return tuple(sorted(ports, key=lambda port: port.name))


def _read_bond(section: Section) -> tuple[tuple[str, ...], dict[str, str | None], tuple[Group, ...]]:
    """Members, settings of ``[ovs-port]``, further sections."""
    mode = section.choice("mode", _MODES, plain=True)
    members = []
    for entry in section.sections("port", "ports"):
        name = entry.text("name", required=True)
        entry.finish(layer="ours")
        members += [name] if name else []
    delays = {key: section.integer(key) for key in ("bond-downdelay", "bond-updelay")}
    groups = read_ovsdb(section)
    section.finish(known=("port", "ovs-db"))
    settings = {key: None if delay is None else str(delay) for key, delay in delays.items()}
    if mode is not None:
        settings["lacp"] = "active" if mode in ("lacp", "balance-tcp") else "off"
        settings["bond-mode"] = None if mode == "lacp" else mode
    return tuple(members), settings, groups


def _vlan_settings(vlan: PortVlan | None) -> dict[str, str | None]:
    if vlan is None:
        return {}
    return {
        "tag": None if vlan.tag is None else str(vlan.tag),
        "vlan-mode": vlan.mode,
        "trunks": ranges_text(vlan.trunks or ()),
    }


def read_ovs_interface(section: Section, entry: NetInterface) -> NetInterface:
    patch, dpdk = section.section("patch"), section.section("dpdk")
    groups: tuple[Group, ...] = ()
    kind = "internal"
    if dpdk:
        kind, groups = _read_dpdk(dpdk)
    if patch:
        peer = patch.text("peer", required=True)
        patch.finish()
        kind, groups = "patch", (Group.of("ovs-patch", {"peer": peer}),)
        _check_patch(section, entry)
        if dpdk:
            section.problem(
                "dpdk", INVALID, "a patch interface is none of DPDK; nmstate would leave it out", layer="ours"
            )
    return dataclasses.replace(entry, groups=(*entry.groups, Group.of("ovs-interface", {"type": kind}), *groups))


def _check_patch(section: Section, entry: NetInterface) -> None:
    if entry.mtu is not None:
        section.problem("mtu", INVALID, "a patch interface has none", value=entry.mtu)
    for family, stack in (("ipv4", entry.ipv4), ("ipv6", entry.ipv6)):
        if stack is not None and stack.enabled:
            section.problem(f"{family}.enabled", INVALID, "a patch interface has no address", value="true")


def _read_dpdk(section: Section) -> tuple[str, tuple[Group, ...]]:
    devargs = section.text("devargs")
    if devargs is None and section.value("devargs") is None:
        section.problem("devargs", REQUIRED, "devargs is missing")
    number = section.value("rx-queue", "n_rxq")
    queues = section.integer("rx-queue" if section.has("rx-queue") or number is None else "n_rxq", plain=True)
    sizes = {key: section.integer(key, plain=True) for key in ("n_rxq_desc", "n_txq_desc")}
    for key, size in sizes.items():
        if size and (size > 4096 or size & (size - 1)):
            section.problem(key, INVALID, "must be a power of 2, 4096 at most", value=size)
    interrupt = section.flag("lsc-interrupt", "dpdk-lsc-interrupt", plain=True)
    section.finish()
    if not devargs:
        if devargs is not None:
            section.problem(
                "devargs", INVALID, "is empty: nmstate would make an internal interface of it", layer="ours"
            )
        return "internal", ()
    settings = {
        "devargs": devargs,
        "n-rxq": None if queues is None else str(queues),
        "n-rxq-desc": None if sizes["n_rxq_desc"] is None else str(sizes["n_rxq_desc"]),
        "n-txq-desc": None if sizes["n_txq_desc"] is None else str(sizes["n_txq_desc"]),
        "lsc-interrupt": None if interrupt is None else str(int(interrupt)),
    }
    return "dpdk", (Group.of("ovs-dpdk", settings),)


def read_ovsdb(section: Section) -> tuple[Group, ...]:
    """``ovs-db``: external IDs and other configuration.

    An entry without value removes one, and there is none on a fresh machine.
    """
    part = section.section("ovs-db")
    if part is None:
        return ()
    groups = []
    for key, name in _OVSDB.items():
        settings: dict[str, str | None] = {}
        if not isinstance(part.value(key), (Mapping, type(None))):
            part.problem(key, INVALID, "must be a mapping; nmstate would leave it out", layer="ours")
            continue
        values = part.section(key)
        for entry, value in (values.data if values else {}).items():
            text = _ovsdb_text(value)
            if text is None and value is not None and values:
                values.problem(
                    str(entry),
                    INVALID,
                    "must be text, a number or a boolean; nmstate would leave it out",
                    value=str(value),
                    layer="ours",
                )
            if values and values.one_line(str(entry), str(entry) + (text or "")):
                settings[f"data.{entry}"] = text
        groups += [Group.of(name, settings)] if any(value is not None for value in settings.values()) else []
    part.finish()
    return tuple(groups)


def _ovsdb_text(value: object) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        # Without exponent and without a fraction that is 0, as nmstate writes it.
        return f"{value:f}".rstrip("0").rstrip(".")
    return str(value) if isinstance(value, (str, int)) else None
