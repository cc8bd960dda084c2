# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert ``ethernet`` (link and SR-IOV) and ``veth`` of nmstate to sections of a NetworkManager keyfile."""

from __future__ import annotations

import dataclasses

from ...common.problems import DUPLICATE, INVALID
from ..model import Group, NetInterface
from ..section import Section
from .vlan import PROTOCOLS


def read_ethernet(section: Section, entry: NetInterface) -> NetInterface:
    groups = entry.groups
    peer = ""
    if part := section.section("ethernet"):
        groups += _read_link(part) + _read_sriov(part)
        part.finish()
    if part := section.section("veth"):
        peer = part.text("peer", required=True) or ""
        part.finish(layer="ours")
        groups += (Group.of("veth", {"peer": peer}),)
    return entry if groups is entry.groups else dataclasses.replace(entry, veth_peer=peer, groups=groups)


def _read_link(part: Section) -> tuple[Group, ...]:
    """Its settings share the section ``[ethernet]`` with MAC and MTU, which are written with it."""
    negotiate = part.flag("auto-negotiation")
    speed = part.integer("speed")
    duplex = part.choice("duplex", {"full": "full", "half": "half"}, plain=True)
    if not negotiate and negotiate is not None:
        return (
            Group.of(
                "ethernet",
                {"auto-negotiate": "false", "speed": None if speed is None else str(speed), "duplex": duplex},
            ),
        )
    part.unwritten("speed", "duplex", detail="nmstate sets it only with auto-negotiation: false")
    return (Group.of("ethernet", {"auto-negotiate": "true"}),) if negotiate else ()


def _read_sriov(link: Section) -> tuple[Group, ...]:
    part = link.section("sr-iov")
    if part is None:
        return ()
    probe = part.flag("drivers-autoprobe")
    total = part.integer("total-vfs")
    part.integer("max-vfs")
    settings = {
        "autoprobe-drivers": None if probe is None else str(int(probe)),
        "total-vfs": None if total is None else str(total),
    }
    for number, text, where in _read_functions(part):
        if f"vf.{number}" in settings:
            where.problem("id", DUPLICATE, "nmstate keeps one entry for a virtual function", value=number, layer="ours")
        settings[f"vf.{number}"] = text
    part.finish()
    if total == 0:
        part.unwritten("drivers-autoprobe", "vfs", detail="without virtual functions nmstate writes nothing")
        return ()
    return (Group.of("sriov", settings),)


def _read_functions(part: Section) -> list[tuple[int, str, Section]]:
    found = []
    for entry in part.sections("vfs"):
        number = entry.integer("id", required=True)
        entry.text("iface-name", nullable=False)
        mac = (entry.text("mac-address") or "").upper()
        checked, trusted = entry.flag("spoof-check"), entry.flag("trust")
        low, high = entry.integer("min-tx-rate"), entry.integer("max-tx-rate")
        words = [f"mac={mac}"] if mac else []
        words += [
            f"{name}={str(flag).lower()}"
            for name, flag in (("spoof-check", checked), ("trust", trusted))
            if flag is not None
        ]
        words += [f"{name}={rate}" for name, rate in (("min-tx-rate", low), ("max-tx-rate", high)) if rate is not None]
        words += _read_function_vlan(entry)
        entry.finish()
        if number is not None:
            found.append((number, " ".join(words), entry))
    return found


def _read_function_vlan(entry: Section) -> list[str]:
    vlan, priority = entry.integer("vlan-id"), entry.integer("qos")
    protocol = entry.choice("vlan-proto", PROTOCOLS, plain=True)
    if protocol == "802.1ad" and not vlan and not priority:
        entry.problem("vlan-proto", INVALID, "802.1ad needs a VLAN or a priority", value="802.1ad")
    if vlan is None:
        entry.unwritten("qos", "vlan-proto", detail="nmstate writes it with a vlan-id only")
        return []
    shown_priority = priority or 0
    kind = "ad" if protocol == "802.1ad" else "q"
    return [f"vlans={vlan}.{shown_priority}.{kind}"]
