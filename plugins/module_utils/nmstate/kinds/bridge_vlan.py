# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the VLAN settings (``vlan``) of a bridge port, for Linux bridges and Open vSwitch bridges."""

from __future__ import annotations

import dataclasses

from ...common.problems import DUPLICATE, INVALID, REQUIRED
from ..section import Section

_LARGEST_ID = 4094


@dataclasses.dataclass(frozen=True)
class PortVlan:
    """The VLAN settings of a bridge port. ``provided``: whether any value is set, which enables VLAN filtering."""

    mode: str | None = None
    tag: int | None = None
    trunks: tuple[tuple[int, int], ...] | None = None
    provided: bool = False


def read_port_vlan(port: Section) -> PortVlan | None:
    part = port.section("vlan")
    if part is None:
        return None
    native = part.flag("enable-native")
    mode = part.choice("mode", {"trunk": "trunk", "access": "access"}, plain=True)
    tag = part.integer("tag", 0, 0xFFFF, ours=(0, _LARGEST_ID))
    trunks = _read_trunks(part)
    part.finish()
    if mode == "trunk" and tag and not native:
        part.problem("tag", INVALID, "needs enable-native: true in trunk mode", value=tag)
    if mode == "trunk" and trunks is None:
        part.problem("trunk-tags", REQUIRED, "trunk mode needs the tags that may pass")
    if mode == "access" and native:
        part.problem("enable-native", INVALID, "is not possible in access mode", value="true")
    if mode == "access" and trunks:
        part.problem("trunk-tags", INVALID, "is not possible in access mode")
    provided = mode is not None or tag is not None or trunks is not None or native is not None
    return PortVlan(mode, tag, trunks, provided)


def _read_trunks(part: Section) -> tuple[tuple[int, int], ...] | None:
    if part.value("trunk-tags") is None:
        return None
    found: list[tuple[int, int]] = []
    for entry in part.sections("trunk-tags"):
        ends = _read_range(entry)
        entry.finish(layer="ours")
        if ends is None:
            continue
        if any(ends[0] <= high and low <= ends[1] for low, high in found):
            entry.problem("", DUPLICATE, "overlaps with another tag", value=_text(ends))
        found.append(ends)
    return tuple(found)


def _read_range(entry: Section) -> tuple[int, int] | None:
    if entry.value("id") is not None:
        number = entry.integer("id", 0, 0xFFFF, ours=(0, _LARGEST_ID))
        return None if number is None else (number, number)
    part = entry.section("id-range")
    if part is None:
        if entry.value("id-range") is None:
            entry.problem("", REQUIRED, "a tag is either id or id-range")
        return None
    low = part.integer("min", 0, 0xFFFF, required=True, ours=(0, _LARGEST_ID))
    high = part.integer("max", 0, 0xFFFF, required=True, ours=(0, _LARGEST_ID))
    part.finish()
    if low is None or high is None:
        return None
    if low > high:
        part.problem("min", INVALID, "is above max", value=low, layer="ours")
    return low, high


def ranges_text(ranges: tuple[tuple[int, int], ...], tag: int | None = None) -> str:
    """``2-5,9 pvid untagged,101``."""
    listed = [(ends[0], _text(ends)) for ends in ranges] + ([(tag, f"{tag} pvid untagged")] if tag is not None else [])
    return ",".join(text for _start, text in sorted(listed))


def _text(ends: tuple[int, int]) -> str:
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}-{ends[1]}"
