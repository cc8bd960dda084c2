# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Match root device hints against the disks of an inventory, and return the acceptable disks. Pure functions.

Source: openshift/assisted-service internal/host/hostutil/host_utils.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import yaml

from .manifests import ClientError

Disk = Mapping[str, Any]

_MATCHERS: dict[str, Callable[[Any, Disk], bool]] = {
    "deviceName": lambda hint, disk: hint in (disk.get("path"), disk.get("by_path")),
    "hctl": lambda hint, disk: hint == disk.get("hctl"),
    "model": lambda hint, disk: hint in (disk.get("model") or ""),
    "vendor": lambda hint, disk: hint in (disk.get("vendor") or ""),
    "serialNumber": lambda hint, disk: hint == disk.get("serial"),
    "minSizeGigabytes": lambda hint, disk: disk.get("size_bytes", 0) // 10**9 >= hint,
    "wwn": lambda hint, disk: hint == disk.get("wwn"),
    "rotational": lambda hint, disk: hint == (disk.get("drive_type") == "HDD"),
    "wwnWithExtension": lambda _hint, _disk: True,
    "wwnVendorExtension": lambda _hint, _disk: True,
}


def parse_hints(text: str) -> dict[str, Any]:
    """The hints of a root-device-hints.yaml, strictly. Raises :class:`ClientError`."""
    try:
        hints = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ClientError(f"failed to parse Root Device Hints file: {error}") from error
    if hints is None:
        return {}
    if not isinstance(hints, dict):
        raise ClientError("failed to parse Root Device Hints file: no object")
    unknown = sorted(set(hints) - set(_MATCHERS))
    if unknown:
        raise ClientError(f'failed to parse Root Device Hints file: unknown field "{unknown[0]}"')
    return hints


def acceptable(disks: Sequence[Disk], hints: Mapping[str, Any]) -> list[Disk]:
    """The eligible disks that fulfil all given hints, in inventory order. Empty text, 0 and null are no hint."""
    provided = {name: value for name, value in hints.items() if value not in ("", 0, None) or value is False}
    return [
        disk
        for disk in disks
        if (disk.get("installation_eligibility") or {}).get("eligible")
        and all(_MATCHERS[name](value, disk) for name, value in provided.items())
    ]
