# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Evaluate the inventory of a host: which interfaces are used, which disks are eligible, and which disk is the
installation disk.

Source: openshift/assisted-service swagger.yaml, internal/hardware/validator.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .settings import version_key

KEPT_INTERFACE_TYPES = ("", "physical", "vlan", "bond")
S390X_DRIVES = ("ECKD", "ECKD (ESE)", "FBA")
OWN_REASONS = ("Disk is too small", "Drive type is", "Disk is part of a multipath", "iSCSI")


def normalise(inventory: Mapping[str, Any], *, virtual_interfaces: bool) -> dict[str, Any]:
    """Remove unused interfaces and fill missing disk ids."""
    interfaces = [
        dict(interface)
        for interface in inventory.get("interfaces") or []
        if virtual_interfaces or (interface.get("type") or "") in KEPT_INTERFACE_TYPES
    ]
    disks = [
        {**disk, "id": disk.get("id") or disk.get("by_id") or disk.get("by_path") or disk.get("path", "")}
        for disk in inventory.get("disks") or []
    ]
    return {**inventory, "interfaces": interfaces, "disks": disks}


def human_size(size: int) -> str:
    """Decimal size as the service prints it: ``20 GB``."""
    for unit, factor in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6)):
        if size >= factor:
            number = size / factor
            return f"{number:.3g} {unit}"
    return f"{size} bytes"


def allowed_drive_types(version: str, architecture: str) -> tuple[str, ...]:
    known = version_key(version) if version else (99,)
    allowed = ["HDD", "SSD", "Multipath"]
    if known >= (4, 14):
        allowed.append("RAID")
    if known >= (4, 15):
        allowed.append("iSCSI")
    if architecture in ("x86_64", "s390x"):
        allowed.append("FC")
    if architecture == "s390x":
        allowed += S390X_DRIVES
    return tuple(allowed)


def judge_disks(inventory: Mapping[str, Any], *, least_gb: int, version: str) -> list[dict[str, Any]]:
    """The disks with eligibility recomputed: the agent's reasons stay, ours are added."""
    architecture = (inventory.get("cpu") or {}).get("architecture") or "x86_64"
    allowed = allowed_drive_types(version, architecture)
    disks = inventory.get("disks") or []
    held = {holder for disk in disks if disk.get("drive_type") == "Multipath" for holder in [disk.get("name", "")]}
    return [{**disk, "installation_eligibility": _eligibility(disk, least_gb * 10**9, allowed, held)} for disk in disks]


def _eligibility(
    disk: Mapping[str, Any], least: int, allowed: Sequence[str], multipath_names: set[str]
) -> dict[str, Any]:
    reported = (disk.get("installation_eligibility") or {}).get("not_eligible_reasons") or []
    reasons = [reason for reason in reported if not reason.startswith(OWN_REASONS)]
    size = int(disk.get("size_bytes") or 0)
    if size < least:
        reasons.append(f"Disk is too small (disk only has {human_size(size)}, but {human_size(least)} are required)")
    kind = disk.get("drive_type") or "Unknown"
    if kind not in allowed:
        reasons.append(f"Drive type is {kind}, it must be one of {', '.join(allowed)}.")
    if multipath_names & set(filter(None, (disk.get("holders") or "").split(","))):
        reasons.append("Disk is part of a multipath device")
    return {"not_eligible_reasons": reasons} if reasons else {"eligible": True}


def eligible_disks(inventory: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    return [
        disk
        for disk in (inventory or {}).get("disks") or []
        if (disk.get("installation_eligibility") or {}).get("eligible")
    ]


def preferred_disk(disks: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Bootable first, non-NVMe first, drive type alphabetically, smallest, hctl."""
    return min(
        disks,
        key=lambda disk: (
            not disk.get("bootable"),
            str(disk.get("name", "")).startswith("nvme"),
            disk.get("drive_type") or "",
            int(disk.get("size_bytes") or 0),
            disk.get("hctl") or "",
        ),
        default=None,
    )


def find_disk(disks: Sequence[Mapping[str, Any]], wanted: str) -> Mapping[str, Any] | None:
    """By disk id, by-path or ``/dev/<name>``."""
    return next(
        (
            disk
            for disk in disks
            if wanted and wanted in (disk.get("id"), disk.get("by_path"), f"/dev/{disk.get('name')}")
        ),
        None,
    )


def disk_path(disk: Mapping[str, Any]) -> str:
    return f"/dev/{disk['name']}" if disk.get("name") else str(disk.get("path", ""))


def macs(inventory: Mapping[str, Any] | None) -> list[str]:
    """As the agent wrote them."""
    return [interface.get("mac_address", "") for interface in (inventory or {}).get("interfaces") or []]
