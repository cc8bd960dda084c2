# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the steps by which a BMC brings its machine to the desired state, each with its reason.

The plan is a pure function of what was read, so check mode and a run have the same plan.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Literal

from ..common.secrets import without_url_tokens
from .bootdevice import allowed_target
from .machine import Machine, Slot
from .media import occupied_slots, slot_fault, usable_slots

State = Literal["booted", "ejected", "on", "off"]


@dataclasses.dataclass(frozen=True)
class BmcStep:
    """One change: ``action`` is power_off, eject, enable_media, insert, boot_once or power_on; ``target`` the slot id
    or URL.
    """

    action: str
    target: str
    reason: str


def plan_machine(machine: Machine, state: State, image_url: str = "", *, force: bool = False) -> list[BmcStep]:
    """Steps that lead to ``state``; empty if the machine is already in it.

    booted: runs from ``image_url``. A machine that is on with exactly this URL attached counts as booted unless
    ``force``; anything else gets the whole procedure, since a BMC may show a stale URL after an eject. ejected:
    power-neutral; with ``image_url`` only that image.
    """
    power_state = machine.power_state or "unknown"
    if state == "off":
        return [BmcStep("power_off", "", f"power is {power_state}")] if machine.power_state != "Off" else []
    if state == "on":
        return [BmcStep("power_on", "", f"power is {power_state}")] if machine.power_state != "On" else []
    occupied = occupied_slots(machine)
    if state == "ejected":
        ours = [slot for slot in occupied if not image_url or slot.holds(image_url)]
        return [_eject(slot) for slot in ours]
    if machine.power_state == "On" and any(slot.holds(image_url) for slot in occupied) and not force:
        return []
    steps = []
    if machine.power_state != "Off":
        steps.append(
            BmcStep("power_off", "", (f"power is {power_state}; media are changed only on a machine that is off"))
        )
    steps += [_eject(slot) for slot in occupied]
    if machine.enable_action and not machine.media_enabled:
        steps.append(BmcStep("enable_media", "", "remote media are disabled at this BMC"))
    slots = [slot for slot in usable_slots(machine) if not slot_fault(machine, slot, image_url)]
    steps.append(BmcStep("insert", image_url, f"into slot {slots[0].id}" if slots else "no slot found yet"))
    steps.append(BmcStep("boot_once", allowed_target(machine), "boot override for the next start only"))
    steps.append(BmcStep("power_on", "", "to boot the image"))
    return steps


def _eject(slot: Slot) -> BmcStep:
    image = slot.image or slot.image_name
    return BmcStep("eject", slot.id, f"holds {image}")


def describe(steps: Iterable[BmcStep]) -> list[str]:
    """The plan in words, one line a step; tokens in URLs are hidden."""
    words = {
        "power_off": "power off",
        "eject": "eject slot",
        "enable_media": "enable remote media",
        "insert": "insert",
        "boot_once": "boot once from",
        "power_on": "power on",
    }
    return [
        without_url_tokens(" ".join(filter(None, [words[step.action], step.target, f"({step.reason})"])))
        for step in steps
    ]
