# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Machines as data for a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..common.errors import PartialFailure
from ..common.parallel import Outcome
from .guard import shared_machines, wrong_machine
from .hosts import BootRequest
from .machine import Machine


def some_failed(result: Mapping[str, Any], last_line: str = "") -> PartialFailure:
    """The fault of a bulk in which hosts failed: each with its reason in the message, the complete list in ``result``."""
    failed = [host for host in result["hosts"] if host["failed"]]
    lines = [f"{len(failed)} of {len(result['hosts'])} hosts failed:", *(f"{host['name']}: {host['reason']}" for host in failed), last_line]
    return PartialFailure("\n".join(line for line in lines if line), result)


def describe_machines(outcomes: Sequence[Outcome[BootRequest, Machine]]) -> list[dict[str, Any]]:
    """One entry a host: what its BMC tells, or why it could not be read. The guard's objections are said, nothing is refused."""
    shared = shared_machines(outcomes)
    described = []
    for outcome in outcomes:
        name = outcome.item.name
        if outcome.result is None:
            described.append({"name": name, "failed": True, "reason": str(outcome.error)})
            continue
        objection = wrong_machine(outcome.result, outcome.item.mac_addresses) or shared.get(name, "")
        described.append({"name": name, "failed": False, "reason": objection, **_machine(outcome.result)})
    return described


def _machine(machine: Machine) -> dict[str, Any]:
    return {
        "power_state": machine.power_state,
        "vendor": machine.vendor,
        "model": machine.model,
        "serial": machine.serial,
        "uuid": machine.uuid,
        "firmware": machine.firmware,
        "profile": machine.profile.name,
        "mac_addresses": list(machine.macs),
        "media": [{"id": slot.id, "image": slot.image, "inserted": slot.occupied} for slot in machine.slots],
        "boot_override": {
            "enabled": str(machine.boot.get("BootSourceOverrideEnabled") or ""),
            "target": str(machine.boot.get("BootSourceOverrideTarget") or ""),
        },
    }
