# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Model the hardware of a machine as its BMC reads and changes it: power, boot override, virtual media slots, disks."""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import logging
import math
from collections.abc import Awaitable, Callable
from typing import Any

from ..bmc.profiles import PROFILES
from ..clock import LabClock
from ..faults import Faults
from ..site.model import Machine
from .console import Console

LOG = logging.getLogger(__name__)
RESET_TYPES = (
    "On",
    "ForceOn",
    "ForceOff",
    "GracefulShutdown",
    "GracefulRestart",
    "ForceRestart",
    "PowerCycle",
    "PushPowerButton",
)

# Lab seconds.
POWER_ON_SECONDS = 4.0
POWER_OFF_SECONDS = 3.0
GRACEFUL_SECONDS = 20.0


class Outcome(enum.Enum):
    """How what ran on the machine ended."""

    HALT = "halt"  # stays powered on and does nothing
    REBOOT = "reboot"
    POWER_OFF = "power off"


class PowerConflict(Exception):
    """The reset type makes no sense in this power state."""


@dataclasses.dataclass
class BootOverride:
    target: str = "None"
    enabled: str = "Disabled"
    mode: str = "UEFI"


@dataclasses.dataclass
class Slot:
    """A virtual media slot.

    ``serial`` grows with every insert and eject, so that a system that reads it notices a change.
    """

    id: str
    media_types: tuple[str, ...]
    image: str | None = None
    inserted: bool = False
    write_protected: bool = True
    username: str | None = None
    password: str | None = dataclasses.field(default=None, repr=False)
    verify_certificate: bool = False
    serial: int = 0
    last_image: str | None = None
    emptied: float = -math.inf  # lab seconds
    busy_until: float | None = None
    certificates: list[str] = dataclasses.field(default_factory=list)

    def insert(self, image: str, *, username: str | None = None, password: str | None = None) -> None:
        self.image, self.inserted, self.username, self.password = image, True, username, password
        self.last_image = image
        self.serial += 1

    def eject(self) -> None:
        self.image, self.inserted, self.username, self.password = None, False, None, None
        self.serial += 1


@dataclasses.dataclass(frozen=True)
class BootArtifacts:
    """A live system on a disk: what a boot loader entry for one start names. ``initrd`` holds its configuration."""

    initrd: bytes
    rootfs_url: str
    arguments: str


@dataclasses.dataclass
class InstalledSystem:
    """What is on a disk after an installation: enough to boot it as a node.

    ``once``: what the next start takes instead.

    ``resume``: what runs where the system has booted before the lab looks; None: the same as ``boot``.
    """

    role: str
    hostname: str
    boot: Callable[[Hardware], Awaitable[Outcome]]
    once: BootArtifacts | None = None
    resume: Callable[[Hardware], Awaitable[Outcome]] | None = None


Runner = Callable[["Hardware"], Awaitable[Outcome]]


class Hardware:
    """Power and devices of one machine. ``run`` is what happens from power on: firmware, boot, operating system."""

    def __init__(self, spec: Machine, *, clock: LabClock, faults: Faults, console: Console, run: Runner) -> None:
        self.spec = spec
        self.clock = clock
        self.faults = faults
        self.console = console
        self.power_state = "Off"
        self.boot = BootOverride(mode="UEFI" if spec.firmware == "uefi" else "Legacy")
        self.profile = PROFILES[spec.bmc.profile]
        self.slots = {form.id: Slot(form.id, form.media_types) for form in self.profile.slots}
        self.off_since = -math.inf  # lab seconds
        self.iso_place = "", ""  # host and path that IsoConfig.Mount would mount
        self.remote_media = not self.profile.must_enable
        self.installed: dict[str, InstalledSystem] = {}
        self.boots: list[str] = []  # device of every boot so far: "cd:<url>", "disk:<name>", "none"
        self._run = run
        self._system: asyncio.Task[None] | None = None
        self._transition: asyncio.Task[None] | None = None

    @property
    def cd(self) -> Slot:
        """The virtual CD drive: the slot with a medium in it, else the first."""
        bootable = {form.id for form in self.profile.slots if form.bootable}
        drives = [slot for slot in self.slots.values() if {"CD", "DVD"} & set(slot.media_types) and slot.id in bootable]
        return next((slot for slot in drives if slot.inserted and slot.image), drives[0])

    @property
    def nics(self) -> list[tuple[str, str, bool]]:
        """(name, MAC, link) of every port, as the machine really has them."""
        result = []
        for index, nic in enumerate(self.spec.nics):
            fault = self.faults.peek("wrong-nic", self.spec.name) if index == 0 else None
            mac = fault.options.get("mac", "02:ff:ff:ff:ff:01") if fault else nic.mac
            link = nic.link and bool(nic.network or nic.vlans) and self.faults.peek("no-link", self.spec.name) is None
            result.append((nic.name, mac, link))
        return result

    def reset(self, reset_type: str) -> None:
        """Start a power action; the state follows later. Raises :class:`PowerConflict`."""
        if self.faults.take("power-stuck", self.spec.name):
            return
        running = self.power_state in ("On", "PoweringOn")
        if reset_type == "PushPowerButton":
            reset_type = "GracefulShutdown" if running else "On"
        if reset_type in ("On", "ForceOn"):
            if not running and self.clock.now() >= self.off_since + self.profile.power_on_lost:
                self._begin(self._power_on())
        elif reset_type in ("ForceOff", "GracefulShutdown"):
            if running:
                self._begin(self._power_off(GRACEFUL_SECONDS if reset_type == "GracefulShutdown" else 0.0))
        elif not running:
            raise PowerConflict(f"{reset_type} needs a machine that is powered on")
        else:
            self._begin(self._restart(GRACEFUL_SECONDS if reset_type == "GracefulRestart" else 0.0))

    async def switch(self, on: bool) -> None:
        """What a person at the rack does: plug and button.

        Nothing refuses it, and the power state is the new one when this returns.
        """
        await _end(self._transition)
        if not on:
            await _end(self._system)
            self.power_state, self.off_since = "Off", self.clock.now()
            self.console.print("Power lost.", phase="off")
        elif self.power_state != "On":
            await self._power_on()

    async def resume(self, system: Runner) -> None:
        """A system runs on the machine from now on, as if it had been started long ago."""
        if self.power_state != "Off":
            await self.switch(False)
        self.power_state = "On"
        self._start(system)

    async def close(self) -> None:
        """End everything that runs on the machine."""
        for task in (self._transition, self._system):
            await _end(task)

    def _begin(self, transition: Any) -> None:
        if self._transition is not None:
            self._transition.cancel()
        self._transition = asyncio.create_task(transition, name=f"power of {self.spec.name}")

    async def _power_on(self) -> None:
        self.power_state = "PoweringOn"
        await _end(self._system)  # a shutdown that this cancelled may have left it
        await self.clock.sleep(POWER_ON_SECONDS)
        self.power_state = "On"
        self.console.print("Power on.", phase="firmware")
        self._start()

    async def _power_off(self, grace: float) -> None:
        self.power_state = "PoweringOff"
        await self.clock.sleep(grace)
        await _end(self._system)
        await self.clock.sleep(POWER_OFF_SECONDS)
        self.power_state = "Off"
        self.off_since = self.clock.now()
        self.console.print("Power off.", phase="off")

    async def _restart(self, grace: float) -> None:
        await self.clock.sleep(grace)
        await _end(self._system)
        self.console.print("Reset.", phase="firmware")
        await self.clock.sleep(POWER_OFF_SECONDS)
        self.power_state = "On"
        self._start()

    def _start(self, first: Runner | None = None) -> None:
        self._system = asyncio.create_task(self._operate(first or self._run), name=f"system of {self.spec.name}")

    async def _operate(self, run: Runner) -> None:
        while True:
            try:
                outcome = await run(self)
            except Exception:
                LOG.exception("machine %s", self.spec.name)
                self.console.print(
                    "The lab has a fault of its own here; lab.log in the state directory says which.",
                    phase="fault of the lab",
                )
                return
            if outcome is Outcome.HALT:
                return
            if outcome is Outcome.POWER_OFF:
                self._begin(self._power_off(0.0))
                return
            self.console.print("Restarting.", phase="firmware")
            run = self._run


async def _end(task: asyncio.Task[None] | None) -> None:
    if task is None or task is asyncio.current_task():
        return
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
