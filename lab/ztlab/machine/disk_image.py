# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write a disk image and a config drive to a machine, as an operator does through ironic, and boot it: the Ignition on
the drive configures the system.

The image must only be downloadable; its content is not read. Its system is CoreOS that reads its Ignition from the
partition config-2.
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import aiohttp

from ..live.system import LiveSystem
from ..texts import error_text
from .hardware import Hardware, InstalledSystem, Outcome
from .liveboot import KERNEL_SECONDS, LiveImage
from .loader import BootPlan

if TYPE_CHECKING:
    from ..lab import Lab

# (BMC address, image of the BareMetalHost, Ignition, metadata)
WriteDisk = Callable[[str, Mapping[str, Any], bytes, Mapping[str, str]], Awaitable[None]]
ARGUMENTS = "ignition.firstboot ignition.platform.id=nutanix"
WRITE_SECONDS = 60.0


class WriteError(Exception):
    """The image cannot be written; the text says why."""


class DiskWriter:
    """Writes to the disks of a lab's machines, as ironic's agent does on the machine itself."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    async def write(self, address: str, image: Mapping[str, Any], ignition: bytes, metadata: Mapping[str, str]) -> None:
        """Raises WriteError."""
        machine = self._machine(address)
        await self._download(str(image["url"]))
        await self._lab.clock.sleep(WRITE_SECONDS)
        disk = machine.spec.disks[0].name
        lab = self._lab

        async def boot(booted: Hardware) -> Outcome:
            await lab.clock.sleep(KERNEL_SECONDS)
            plan = BootPlan("boot loader entry", "", (), ARGUMENTS)
            return await LiveSystem(
                lab, booted, LiveImage(None, "", plan, {"config.ign": ignition}, in_memory=True, metadata=metadata)
            ).run()

        machine.installed = {disk: InstalledSystem("disk image", metadata.get("name", ""), boot)}
        machine.console.print(f"{image['url']} was written to {disk}, with a config drive.")

    def _machine(self, address: str) -> Hardware:
        parts = urllib.parse.urlsplit(address if "://" in address else f"redfish://{address}")
        system = parts.path.rstrip("/").rpartition("/")[2]
        found = [machine for machine in self._lab.machines.values() if machine.spec.bmc.host == parts.hostname]
        exact = [machine for machine in found if machine.spec.bmc.system_id == system] or found
        if len(exact) != 1:
            raise WriteError(f"{len(exact)} machines have the BMC {address}")
        return exact[0]

    async def _download(self, url: str) -> None:
        """Raises WriteError."""
        target, host = self._lab.fabric.redirect(url)
        try:
            async with self._lab.session.get(
                target, headers={"Host": host}, ssl=False, timeout=aiohttp.ClientTimeout(total=60)
            ) as answer:
                async for _piece in answer.content.iter_chunked(1 << 20):
                    pass
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise WriteError(f"image {url} cannot be downloaded: {error_text(error)}") from error
        if answer.status != 200:
            raise WriteError(f"image {url} cannot be downloaded: {answer.status} {answer.reason}")
