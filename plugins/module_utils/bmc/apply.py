# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Carrying out the steps of a plan on one machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from . import bootdevice, media, power
from .hosts import BmcOptions, BootRequest, HostResult
from .machine import Machine
from .plan import BmcStep
from .session import RedfishSession

# Seconds between an eject and what follows it.
PAUSE_AFTER_EJECT = 2.0


def carry_out(
    session: RedfishSession,
    machine: Machine,
    request: BootRequest,
    steps: Sequence[BmcStep],
    result: HostResult,
    options: BmcOptions,
) -> None:
    """Do the steps in order; ``result`` says at any moment how far it came."""
    clock = options.clock
    inserts = any(step.action == "insert" for step in steps)
    for step in steps:
        result.phase = step.action
        result.attempts += 1
        if step.action == "power_off":
            if power.power_off(session, machine, clock):
                result.changed = True
                clock.sleep(machine.profile.pause_after_off)
            result.power_state_after = "Off"
        elif step.action == "eject":
            slot = next(slot for slot in machine.slots if slot.id == step.target and slot.occupied)
            if inserts and machine.power_state == "Off" and slot.holds(request.image_url):
                power.check_unused(session, machine, clock)  # another run may have inserted it a moment ago
            elif inserts:
                power.check_off(session, machine, clock)
            media.eject(session, machine, slot, clock)
            result.changed = True
            clock.sleep(PAUSE_AFTER_EJECT)
        elif step.action == "enable_media":
            media.enable(session, machine, clock)
            result.changed = True
            machine = dataclasses.replace(machine, media_enabled=True, slots=media.refreshed(session, machine))
        elif step.action == "insert":
            options.progress(f"{request.name}: inserting the image")
            result.slot = _insert_twice(session, machine, request.image_url, options)
            result.changed = True
        elif step.action == "boot_once":
            power.check_off(session, machine, clock)
            result.boot_target = step.target  # it may be set although this fails
            result.boot_target = bootdevice.boot_once(session, machine, clock, clear_jobs=request.clear_jobs)
            result.changed = True
        else:
            result.changed = power.power_on(session, machine, clock) or result.changed
            result.power_state_after = "On"
            options.progress(f"{request.name}: powered on")


def _insert_twice(session: RedfishSession, machine: Machine, url: str, options: BmcOptions) -> str:
    """Insert; if the slot stays empty although the BMC said yes, eject and insert once more."""
    clock = options.clock
    try:
        return media.insert(session, machine, url, clock, options.image_access).id
    except media.EmptySlot:
        inserted = [slot for slot in media.refreshed(session, machine) if slot.takes_cd and slot.inserted]
        for slot in inserted:
            power.check_off(session, machine, clock)
            media.eject(session, machine, slot, clock)
        clock.sleep(PAUSE_AFTER_EJECT)
        return media.insert(session, machine, url, clock, options.image_access, accepted=not inserted).id


def restore(
    session: RedfishSession, machine: Machine, request: BootRequest, result: HostResult, options: BmcOptions
) -> str:
    """Return a machine to its former power state after steps that failed; a sentence that says in which state it is.

    Our image is ejected and the override taken back first. A machine in which the image stays is not switched on: it
    could boot it. One that another client has switched on is left as it is.
    """
    was_on = machine.power_state in power.ON_STATES
    switched_on = result.phase == "power_on"
    if not switched_on:
        power.check_off(session, machine, options.clock)
    ours = [
        slot
        for slot in media.refreshed(session, machine)
        if slot.takes_cd and request.image_url and slot.holds(request.image_url)
    ]
    for slot in ours:
        media.eject(session, machine, slot, options.clock)
    if result.boot_target and machine.profile.boot_by == "override":
        bootdevice.clear_override(session, machine)
    if not switched_on:
        power.check_off(session, machine, options.clock)
    result.power_state_after = power.power_state(session, machine)
    if not was_on:
        if (switched_on or machine.power_state != "Off") and power.power_off(session, machine, options.clock):
            result.power_state_after = "Off"
        return "The machine is off, as before."
    if result.power_state_after == "On":
        return "The machine is on, as before."
    options.clock.sleep(PAUSE_AFTER_EJECT)
    power.power_on(session, machine, options.clock)
    result.power_state_after = "On"
    return "The machine is on again, as before."
