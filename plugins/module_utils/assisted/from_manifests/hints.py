# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Choose the installation disk of a host as the client in an agent ISO does: the first disk that fits the root device
hints, whatever kind of device it is.

This differs from the other modules: ``wwnWithExtension`` and ``wwnVendorExtension`` are accepted and ignored, and a
hint that is an empty text, 0 or null is ignored.

Source: openshift/assisted-service internal/host/hostutil/host_utils.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...cluster.root_device import HINTS, as_agents, check_hints, choose_disk
from ...common.problems import Problem

Disk = Mapping[str, Any]
_IGNORED = ("wwnWithExtension", "wwnVendorExtension")


def acceptable_disks(disks: Sequence[Disk], hints: Mapping[str, Any]) -> list[Disk]:
    """The eligible disks that all hints hold for, in the order of the inventory."""
    return [disk for disk in disks if not objections(disk, hints)]


def objections(disk: Disk, hints: Mapping[str, Any]) -> tuple[str, ...]:
    """Why a disk is not suitable for the installation, with the disk's name; empty if it is suitable."""
    provided = {name: value for name, value in hints.items() if value is False or bool(value)}
    return choose_disk(provided, [as_agents(disk)]).reasons


def in_hints_spelling(hints: Mapping[str, Any]) -> dict[str, Any]:
    """Hints of a file, whose names are valid in any case."""
    names = {name.lower(): name for name in (*HINTS, *_IGNORED)}
    return {names.get(str(name).lower(), str(name)): value for name, value in hints.items()}


def hint_problems(hints: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Mistakes in hints that no inventory is needed for."""
    counted = {name: value for name, value in hints.items() if name not in _IGNORED and value is not None}
    return check_hints(counted, path) if counted else iter(())
