# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test helper: run a lab inside the test process, with an image server and without BMC clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from aiohttp import web
from ztlab.clock import LabClock
from ztlab.fabric.loopback import lock_net
from ztlab.lab import Lab
from ztlab.machine.hardware import Hardware
from ztlab.site.load import parse_site

from .agent_image import MAC

IMAGE_PORT = 9000
WALL_LIMIT = 40


def sno_site(**changes: Any) -> dict[str, Any]:
    """The rack of one machine; ``changes`` replace keys of the machine."""
    machine = {
        "name": "sno-0",
        "cpus": 16,
        "memory_mib": 65536,
        "nics": [{"name": "enp1s0", "mac": MAC, "network": "machines"}],
        "disks": [{"name": "sda", "size_gib": 480, "serial": "S1", "wwn": "0x50"}],
        "bmc": {"address": "https://10.0.0.10/redfish/v1/Systems/1", "username": "admin", "password": "secret"},
    }
    network = {"name": "machines", "cidr": "192.168.126.0/24", "dns": {"servers": ["192.168.126.1"]}}
    return {"networks": [network], "machines": [machine | changes]}


class Playground:
    """``async with Playground(tmp_path, image) as lab``: machines are switched on with the image in their virtual
    drive.
    """

    def __init__(
        self, directory: Path, image: Path | None = None, *, site: dict[str, Any] | None = None, speed: float = 600.0
    ) -> None:
        self._lock = lock_net()
        self.image = image
        self.lab = Lab(parse_site(site or sno_site()), state=directory, net=self._lock.number, clock=LabClock(speed))
        self.requests: list[str] = []

    @property
    def url(self) -> str:
        return f"http://{self.lab.fabric.table.publish}:{IMAGE_PORT}/agent.iso"

    async def __aenter__(self) -> Playground:
        await self.lab.start()
        app = web.Application()
        app.router.add_get("/agent.iso", self._serve)
        await self.lab.serve(app, self.lab.fabric.table.publish, IMAGE_PORT)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.lab.stop()
        self._lock.release()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request.headers.get("Range", ""))
        return web.FileResponse(self.image) if self.image else web.Response(status=404)

    @property
    def machine(self) -> Hardware:
        return next(iter(self.lab.machines.values()))

    def switch_on(self, machine: Hardware | None = None, *, override: bool = True) -> None:
        machine = machine or self.machine
        machine.cd.insert(self.url)
        if override:
            machine.boot.target, machine.boot.enabled = "Cd", "Once"
        machine.reset("On")

    async def until(self, condition: Callable[[], bool]) -> None:
        """Fails with the consoles when the condition does not come to hold.

        The limit is the wall clock's: only a hang reaches it.
        """
        if not await self.lab.clock.until(condition, every=1.0, limit=WALL_LIMIT * self.lab.clock.speed):
            raise AssertionError("\n".join(self.console(name) for name in self.lab.machines))

    async def until_console(self, text: str) -> None:
        await self.until(lambda: text in self.console())

    def console(self, name: str = "") -> str:
        return self.lab.paths.console(name or self.machine.spec.name).read_text(encoding="utf-8")


def run(coroutine: Any) -> Any:
    """Run a test's coroutine, with a limit that only a hang reaches."""
    return asyncio.run(asyncio.wait_for(coroutine, 300))
