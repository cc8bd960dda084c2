# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build module results about hosts with a BMC: the facts of each machine as plain data, and the error that lists the
hosts that failed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..common.errors import PartialFailure
from .machine import Machine


def some_failed(result: Mapping[str, Any], last_line: str = "") -> PartialFailure:
    """The error of a task in which some hosts failed: each host with its reason in the message, the complete list in
    ``result``.
    """
    failed = [host for host in result["hosts"] if host["failed"]]
    lines = [
        f"{len(failed)} of {len(result['hosts'])} hosts failed:",
        *(f"{host['name']}: {host['reason']}" for host in failed),
        last_line,
    ]
    return PartialFailure("\n".join(line for line in lines if line), result)


def machine_facts(machine: Machine) -> dict[str, Any]:
    """What the BMC reports about its machine; ``warnings`` name what could not be read."""
    drives = {} if machine.drives is None else {"drives": [dataclasses.asdict(drive) for drive in machine.drives]}
    return {
        **drives,
        "power_state": machine.power_state,
        "vendor": machine.vendor,
        "model": machine.model,
        "serial": machine.serial,
        "uuid": machine.uuid,
        "firmware": machine.firmware,
        "profile": machine.profile.name,
        "mac_addresses": list(machine.macs),
        "warnings": list(machine.notes),
        "media": [{"id": slot.id, "image": slot.image, "inserted": slot.occupied} for slot in machine.slots],
        "boot_override": {
            "enabled": str(machine.boot.get("BootSourceOverrideEnabled") or ""),
            "target": str(machine.boot.get("BootSourceOverrideTarget") or ""),
        },
    }
