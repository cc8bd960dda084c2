# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert ``vlan`` of nmstate to the ``[vlan]`` section of a NetworkManager keyfile."""

from __future__ import annotations

import dataclasses

from ...common.problems import REQUIRED
from ..model import Group, NetInterface, Vlan
from ..section import Section

PROTOCOLS = {"802.1q": "802.1Q", "802.1ad": "802.1ad"}
_FLAGS = {"reorder-headers": 1, "loose-binding": 4}
_REGISTRATION = {"gvrp": 2, "mvrp": 8, "none": 0}
_LARGEST_ID = 4095


def read_vlan(section: Section, entry: NetInterface) -> NetInterface:
    part = section.section("vlan")
    if part is None:
        if section.value("vlan") is None:
            section.problem("vlan", REQUIRED, "a VLAN needs base-iface and id", layer="ours")
        return entry
    base = part.name("base-iface")
    number = part.integer("id", 0, 0xFFFF, required=True, ours=(0, _LARGEST_ID))
    protocol = part.choice("protocol", PROTOCOLS, plain=True)
    flags = sum(
        bit
        for key, bit in _FLAGS.items()
        if part.flag(key, plain=True) or (key == "reorder-headers" and part.value(key) is None)
    )
    registration = part.choice(
        "registration-protocol", {name: name for name in _REGISTRATION}, default="none", plain=True
    )
    settings = {
        "parent": base,
        "id": str(number),
        "flags": str(flags | _REGISTRATION[registration or "none"]),
        "protocol": protocol,
        "ingress-priority-map": _priorities(part, "ingress-qos-map", limited="from"),
        "egress-priority-map": _priorities(part, "egress-qos-map", limited="to"),
    }
    part.finish()
    if not base or number is None:
        return entry
    return dataclasses.replace(
        entry, parent=base, vlan=Vlan(base, number), groups=(*entry.groups, Group.of("vlan", settings))
    )


def _priorities(section: Section, key: str, *, limited: str) -> str:
    """A priority map, ``from:to;…``; the VLAN side of it (``limited``) has 8 values (802.1Q priority code point)."""
    pairs: list[tuple[int, int]] = []
    for part in section.sections(key):
        ends = [part.integer(end, 0, 7 if end == limited else 0xFFFFFFFF, required=True) for end in ("from", "to")]
        part.finish(layer="ours")
        if ends[0] is not None and ends[1] is not None:
            pairs.append((ends[0], ends[1]))
    return ";".join(f"{source}:{target}" for source, target in sorted(pairs))
