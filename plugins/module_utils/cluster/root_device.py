# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Choose the installation disk of a host by its root device hints, as assisted-service does.

A disk must match all hints. The disks are those that the machine reported in its inventory, with field names as in an
Agent (``sizeBytes``); :func:`as_agents` converts the field names of the REST API (``size_bytes``).

Source: openshift/assisted-service internal/controller/controllers/bmh_agent_controller.go,
  internal/host/hostutil/host_utils.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..common.problems import INVALID, UNKNOWN_FIELD, UNSUPPORTED, OwnCheck, Problem, nearest

# Not a check of a configuration, whose severity a user may lower: a wrong option of a module is always an error.
_CHECK = "root-device-hints"
_problem = OwnCheck(_CHECK)

Disk = Mapping[str, Any]
GIGABYTE = 10**9
MULTIPATH = "Multipath"


@dataclasses.dataclass(frozen=True)
class RootDeviceChoice:
    """``disk_id`` and ``path`` of the disk, or neither and ``reasons``: for every disk of the host why it is not it."""

    disk_id: str = ""
    path: str = ""
    reasons: tuple[str, ...] = ()


def choose_disk(hints: Mapping[str, Any], disks: Sequence[Disk], current: str = "") -> RootDeviceChoice:
    """The disk that the service would take: of several that fit a multipath device, else the first in the order of the
    inventory.

    ``current`` is the id of a disk that was chosen before; as long as it fits it stays, whatever order the disks come
    in.
    """
    fitting = [disk for disk in disks if not list(_objections(disk, hints))]
    if not fitting:
        return RootDeviceChoice(
            reasons=tuple(f"{name_of(disk)}: {', '.join(_objections(disk, hints))}" for disk in disks)
        )
    first = next((disk for disk in fitting if disk.get("id") == current), fitting[0])
    multipath = [disk for disk in fitting if disk.get("driveType") == MULTIPATH]
    chosen = first if first in multipath or not multipath else multipath[0]
    return RootDeviceChoice(str(chosen.get("id") or ""), str(chosen.get("path") or ""))


def find_disk(disks: Sequence[Disk], *, disk_id: str = "", path: str = "") -> RootDeviceChoice:
    """A disk named by its id or by one of its paths, if the service would install on it."""
    named = [
        disk
        for disk in disks
        if (disk_id and disk.get("id") == disk_id)
        or (path and path in (disk.get("path"), disk.get("byPath"), disk.get("byID")))
    ]
    if not named:
        return RootDeviceChoice(reasons=tuple(f"{name_of(disk)}: not it" for disk in disks))
    objections = list(_eligible(named[0]))
    if objections:
        return RootDeviceChoice(reasons=(f"{name_of(named[0])}: {', '.join(objections)}",))
    return RootDeviceChoice(str(named[0].get("id") or ""), str(named[0].get("path") or ""))


def as_agents(disk: Disk) -> dict[str, Any]:
    """A disk of the REST API in the spelling of an Agent."""

    def camel(name: str) -> str:
        first, *others = name.split("_")
        return first + "".join(word.capitalize() for word in others)

    return {camel(name): as_agents(value) if isinstance(value, Mapping) else value for name, value in disk.items()} | {
        "byID": disk.get("by_id")
    }


def check_hints(hints: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Mistakes in hints that no inventory is needed for."""
    for name, value in hints.items():
        where = f"{path}.{name}"
        if name in _IGNORED:
            yield _problem(where, UNSUPPORTED, "the service ignores this hint; use wwn")
        elif name not in _HINTS:
            yield _problem(where, UNKNOWN_FIELD, "no such root device hint", hint=nearest(name, _HINTS))
        elif not isinstance(value, _HINTS[name].type) or (_HINTS[name].type is int and isinstance(value, bool)):
            yield _problem(where, INVALID, f"must be {_WORDS[_HINTS[name].type]}, not {value!r}")
    if not hints:
        yield _problem(path, INVALID, "no hint is given; leave the option out to let the service choose")


def name_of(disk: Disk) -> str:
    """How messages name a disk: its path with its id, and what it is."""
    size = disk.get("sizeBytes")
    facts = [str(disk["driveType"])] if disk.get("driveType") else []
    facts += [str(size // GIGABYTE) + " GB"] if isinstance(size, int) else []
    path, disk_id = str(disk.get("path") or disk.get("name") or ""), str(disk.get("id") or "")
    shown_path = path or disk_id
    return f"{shown_path}" + (f" ({', '.join(facts)})" if facts else "")


def _objections(disk: Disk, hints: Mapping[str, Any]) -> Iterator[str]:
    yield from _eligible(disk)
    for name, wanted in hints.items():
        hint = _HINTS.get(name)
        if hint is not None and not hint.holds(disk, wanted):
            yield f"{name} is {hint.found(disk)!r}, not {hint.requested}{wanted!r}"


def _eligible(disk: Disk) -> Iterator[str]:
    eligibility = disk.get("installationEligibility") or {}
    if eligibility.get("eligible") is not True:
        reasons = [str(reason).rstrip(".") for reason in eligibility.get("notEligibleReasons") or ()]
        reasons_note = " (" + "; ".join(reasons) + ")" if reasons else ""
        yield f"not eligible for installation{reasons_note}"


def _size(disk: Disk) -> int:
    size = disk.get("sizeBytes")
    return size // GIGABYTE if isinstance(size, int) else 0


@dataclasses.dataclass(frozen=True)
class _Hint:
    """``found`` is what the disk has; ``holds`` whether that is what is wanted; ``requested`` the words before the
    wanted value.
    """

    type: type
    found: Callable[[Disk], Any]
    holds: Callable[[Disk, Any], bool]
    requested: str = ""


def _exact(field: str) -> _Hint:
    return _Hint(str, lambda disk: disk.get(field) or "", lambda disk, wanted: bool(disk.get(field) == wanted))


def _part(field: str) -> _Hint:
    return _Hint(
        str, lambda disk: disk.get(field) or "", lambda disk, wanted: wanted in str(disk.get(field) or ""), "one with "
    )


_HINTS = {
    "deviceName": _Hint(
        str, lambda disk: disk.get("path") or "", lambda disk, wanted: wanted in (disk.get("path"), disk.get("byPath"))
    ),
    "hctl": _exact("hctl"),
    "model": _part("model"),
    "vendor": _part("vendor"),
    "serialNumber": _exact("serial"),
    "minSizeGigabytes": _Hint(int, _size, lambda disk, wanted: bool(wanted <= _size(disk)), "at least "),
    "wwn": _exact("wwn"),
    "rotational": _Hint(
        bool,
        lambda disk: disk.get("driveType") == "HDD",
        lambda disk, wanted: (disk.get("driveType") == "HDD") is wanted,
    ),
}
HINTS = tuple(_HINTS)
_IGNORED = ("wwnWithExtension", "wwnVendorExtension")
_WORDS = {str: "text", int: "a whole number", bool: "true or false"}
