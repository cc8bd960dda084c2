# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Carrying out the steps of a plan on one machine."""

from __future__ import annotations

from collections.abc import Sequence

from ..common.clock import Clock
from . import bootdevice, media, power
from .hosts import BmcOptions, BootRequest, HostResult
from .machine import Machine
from .plan import BmcStep
from .session import RedfishSession


def carry_out(session: RedfishSession, machine: Machine, request: BootRequest, steps: Sequence[BmcStep], result: HostResult, options: BmcOptions) -> None:
    """Do the steps in order; ``result`` tells at any moment how far it came."""
    clock = options.clock
    for step in steps:
        result.phase = step.action
        result.attempts += 1
        if step.action == "power_off":
            if power.power_off(session, machine, clock):
                result.changed = True
                clock.sleep(machine.profile.pause_after_off)
            result.power_state_after = "Off"
        elif step.action == "eject":
            media.eject(session, next(slot for slot in machine.slots if slot.id == step.target and slot.occupied), clock)
            result.changed = True
            clock.sleep(machine.profile.pause_after_eject)
        elif step.action == "insert":
            options.progress(f"{request.name}: inserting the image")
            result.slot = _insert_twice(session, machine, request.image_url, clock)
            result.changed = True
        elif step.action == "boot_once":
            result.boot_target = bootdevice.boot_once(session, machine, clock)
            result.changed = True
        else:
            result.changed = power.power_on(session, machine, clock) or result.changed
            result.power_state_after = "On"
            options.progress(f"{request.name}: powered on")


def _insert_twice(session: RedfishSession, machine: Machine, url: str, clock: Clock) -> str:
    """Insert; if the slot stays empty although the BMC said yes, eject and insert once more (reference redfish-virtual-media.md 2.4)."""
    try:
        return media.insert(session, machine, url, clock).id
    except media.EmptySlot:
        for slot in media.refreshed(session, machine):
            if slot.takes_cd and slot.inserted:
                media.eject(session, slot, clock)
        clock.sleep(machine.profile.pause_after_eject)
        return media.insert(session, machine, url, clock).id
