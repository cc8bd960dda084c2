# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the firmware of machines: self test, choice of the boot device, and boot from a medium or a disk."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import aiohttp

from ..live.system import LiveSystem
from ..texts import error_text
from .hardware import BootArtifacts, Hardware, Outcome, Slot
from .initramfs import InitrdError
from .iso import IsoError
from .liveboot import boot_artifacts, boot_medium
from .loader import LoaderError
from .medium import Medium, MediumError

if TYPE_CHECKING:
    from ..lab import Lab

# Lab seconds. Servers need minutes; half a minute keeps the order of magnitude.
SELF_TEST_SECONDS = 30.0
DISK_BOOT_SECONDS = 40.0

_UNBOOTABLE = (MediumError, IsoError, LoaderError, aiohttp.ClientError, TimeoutError)


class Firmware:
    """The firmware of every machine of a lab."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    async def run(self, machine: Hardware) -> Outcome:
        """One boot, until the system that was booted ends."""
        console = machine.console
        again = self._boots_iso_again(machine)
        console.print(
            f"{machine.spec.manufacturer} {machine.spec.model}, {machine.boot.mode} firmware. Self test.",
            phase="firmware",
        )
        if self._lab.faults.peek("never-boots", machine.spec.name) and self._lab.faults.take(
            "never-boots", machine.spec.name
        ):
            console.print("Self test does not finish (injected fault never-boots).", phase="stuck in firmware")
            return Outcome.HALT
        await self._lab.clock.sleep(SELF_TEST_SECONDS)
        for device in [again] if again else self._order(machine):
            outcome = await self._try(machine, device)
            if outcome is not None:
                return outcome
        machine.boots.append("none")
        console.print("No bootable device.", phase="no boot device")
        return Outcome.HALT

    def _boots_iso_again(self, machine: Hardware) -> Slot | None:
        """The medium that a machine with a wrong boot order takes instead of its new disk: decided when it restarts,
        before it can be detached.
        """
        if (
            machine.installed
            and machine.cd.inserted
            and machine.cd.image
            and self._lab.faults.take("boots-iso-again", machine.spec.name)
        ):
            return dataclasses.replace(machine.cd)
        return None

    def _order(self, machine: Hardware) -> list[Slot | str]:
        """Boot devices in the order of this boot; a one-time override is used up by asking."""
        disks: list[Slot | str] = list(machine.installed)
        cds: list[Slot | str] = [machine.cd] if machine.cd.inserted and machine.cd.image else []
        override = machine.boot.target if machine.boot.enabled != "Disabled" else "None"
        if machine.boot.enabled == "Once" and not self._lab.faults.take("once-not-cleared", machine.spec.name):
            machine.boot.enabled, machine.boot.target = "Disabled", "None"
        if override in machine.profile.cd_targets:
            if not cds:
                machine.console.print(f"Boot override {override}: no medium.")
            return cds + disks
        return disks + cds

    async def _try(self, machine: Hardware, device: Slot | str) -> Outcome | None:
        """Boot from a device; None when the firmware goes on to the next."""
        if isinstance(device, Slot):
            return await self._boot_medium(machine, device)
        machine.boots.append(f"disk:{device}")
        machine.console.print(f"Booting from disk {device}.", phase="booting from disk")
        await self._lab.clock.sleep(DISK_BOOT_SECONDS)
        system = machine.installed[device]
        artifacts, system.once = system.once, None
        return await self._boot_artifacts(machine, artifacts) if artifacts else await system.boot(machine)

    async def _boot_artifacts(self, machine: Hardware, artifacts: BootArtifacts) -> Outcome:
        """The boot loader entry that a reclaimed node wrote for one start."""
        machine.console.print(
            f"Boot loader entry for one start: {artifacts.arguments}", phase="booting a live system from disk"
        )
        try:
            image = await boot_artifacts(artifacts, machine, self._lab)
        except InitrdError as error:
            machine.console.print(f"Initramfs unpacking failed: {error}", phase="kernel panic")
            return Outcome.HALT
        if image is None:
            self._lab.fabric.detach(machine.spec.name)
            return Outcome.HALT
        return await LiveSystem(self._lab, machine, image).run()

    async def _boot_medium(self, machine: Hardware, slot: Slot) -> Outcome | None:
        console = machine.console
        console.print(f"Booting from virtual CD: {slot.image}", phase="booting from virtual media")
        try:
            medium = await Medium(
                self._lab.session,
                self._lab.fabric.redirect,
                slot,
                faults=self._lab.faults,
                machine=machine.spec.name,
                clock=self._lab.clock,
            ).open()
            image = await boot_medium(medium, machine, self._lab)
        except _UNBOOTABLE as error:
            console.print(f"Virtual CD does not boot: {error_text(error)}")
            return None
        except InitrdError as error:
            console.print(
                (f"Initramfs unpacking failed: {error}\nKernel panic - not syncing: VFS: Unable to mount root fs"),
                phase="kernel panic",
            )
            return Outcome.HALT
        machine.boots.append(f"cd:{slot.image}")
        if image is None:
            self._lab.fabric.detach(machine.spec.name)
            return Outcome.HALT
        return await LiveSystem(self._lab, machine, image).run()
