# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Choose a disk of an Agent by the root device hints of its BareMetalHost. Pure functions.

Source: openshift/assisted-service internal/controller/controllers/bmh_agent_controller.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

NOT_FOUND = "/dev/not-found-by-hints"
KNOWN = ("deviceName", "hctl", "serialNumber", "wwn", "model", "vendor", "minSizeGigabytes", "rotational")


def disk_by_hints(hints: Mapping[str, Any] | None, disks: Sequence[Mapping[str, Any]]) -> str:
    """The id for ``installation_disk_id``; "" without hints, NOT_FOUND if no eligible disk matches all."""
    provided = {name: value for name, value in (hints or {}).items() if name in KNOWN and value not in (None, "")}
    if not provided:
        return ""
    fitting = [
        disk for disk in disks if (disk.get("installationEligibility") or {}).get("eligible") and _fits(provided, disk)
    ]
    multipath = next((disk for disk in fitting if disk.get("driveType") == "Multipath"), None)
    chosen = multipath or (fitting[0] if fitting else None)
    return str(chosen["id"]) if chosen is not None else NOT_FOUND


def _fits(provided: Mapping[str, Any], disk: Mapping[str, Any]) -> bool:
    checks: Mapping[str, Callable[[Any], bool]] = {
        "deviceName": lambda value: value in (disk.get("path"), disk.get("byPath")),
        "hctl": lambda value: value == disk.get("hctl"),
        "serialNumber": lambda value: value == disk.get("serial"),
        "wwn": lambda value: value == disk.get("wwn"),
        "model": lambda value: value in (disk.get("model") or ""),
        "vendor": lambda value: value in (disk.get("vendor") or ""),
        "minSizeGigabytes": lambda value: int(value) <= int(disk.get("sizeBytes") or 0) // 10**9,
        "rotational": lambda value: bool(value) == (disk.get("driveType") == "HDD"),
    }
    return all(checks[name](value) for name, value in provided.items())
