# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run BMCs of the lab behind real sockets in the test process, with a clock that the test shares with them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aiohttp import web
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BootRequest
from ztlab.bmc.endpoint import BmcEndpoint
from ztlab.clock import LabClock
from ztlab.fabric.pki import Authority
from ztlab.faults import Faults
from ztlab.machine.console import Console
from ztlab.machine.hardware import Hardware, Outcome
from ztlab.site.load import parse_site

PASSWORD = "a password of the lab"
URL = "http://images.example.com/0123456789abcdef0123456789abcdef/agent.x86_64.iso"


class SharedClock:
    """Time for a client and the lab alike: ``speed`` times as fast as real time, and slower where the machine that runs
    both does not keep up.
    """

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self._time = 0.0
        self._end = threading.Event()
        threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self) -> None:
        looked = time.monotonic()
        while not self._end.wait(0.005):
            now = time.monotonic()
            self._time += min(now - looked, 0.02) * self.speed
            looked = now

    def now(self) -> float:
        return self._time

    def sleep(self, seconds: float) -> None:
        end = self._time + seconds
        while self._time < end:
            time.sleep(min(0.02, max(0.001, (end - self._time) / self.speed)))

    def close(self) -> None:
        self._end.set()


class _LabTime(LabClock):
    """The lab's clock shows what the client's clock shows."""

    def __init__(self, clock: Any) -> None:
        super().__init__(1.0)
        self._clock = clock

    def now(self) -> float:
        return float(self._clock.now())

    async def sleep(self, lab_seconds: float) -> None:
        end = self.now() + lab_seconds
        while self.now() < end:
            await asyncio.sleep(0.002)


class LabRack:
    """Machines ``m0``, ``m1``, …, each behind a BMC of its own, with TLS if requested.

    ``boots`` has what each machine booted.
    """

    def __init__(self, directory: Path, profiles: list[str], clock: Any, *, tls: bool = False) -> None:
        self.faults = Faults()
        self._authority = Authority(directory / "pki") if tls else None
        self._clock = _LabTime(clock)
        self.machines: list[Hardware] = []
        self.endpoints: list[BmcEndpoint] = []
        self.ports: list[int] = []
        self._loop = asyncio.new_event_loop()
        self._runners: list[web.AppRunner] = []
        networks = [{"name": "n", "cidr": "10.1.0.0/16"}]
        machines = [self._spec(number, profile) for number, profile in enumerate(profiles)]
        site = parse_site({"networks": networks, "machines": machines})
        for spec in site.machines:
            console = Console(directory / f"{spec.name}.log", self._clock)
            machine = Hardware(spec, clock=self._clock, faults=self.faults, console=console, run=self._run)
            self.machines.append(machine)
            self.endpoints.append(BmcEndpoint([machine], clock=self._clock, faults=self.faults, probe=self._probe))
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.wait(self._open())

    @staticmethod
    def _spec(number: int, profile: str) -> dict[str, Any]:
        address = f"https://10.0.{number // 200}.{number % 200 + 1}/redfish/v1/Systems/1"
        bmc = {"address": address, "username": "admin", "password": PASSWORD, "profile": profile}
        nic = {"name": "eno1", "mac": mac(number), "network": "n"}
        return {"name": f"m{number}", "nics": [nic], "disks": [{"name": "sda", "size_gib": 1}], "bmc": bmc}

    def wait(self, work: Any) -> Any:
        """Run a coroutine in the lab's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    async def _open(self) -> None:
        context = self._authority.server_context(["127.0.0.1"]) if self._authority else None
        for endpoint in self.endpoints:
            runner = web.AppRunner(endpoint.app, access_log=None)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
            await site.start()
            self._runners.append(runner)
            self.ports.append(runner.addresses[0][1])

    async def _run(self, machine: Hardware) -> Outcome:
        """The firmware: a one-time boot device that is the virtual CD is used, otherwise the disk."""
        override = machine.boot.target if machine.boot.enabled != "Disabled" else "None"
        if machine.boot.enabled == "Once":
            machine.boot.enabled, machine.boot.target = "Disabled", "None"
        medium = (
            machine.cd.image
            if machine.cd.inserted and override in machine.profile.cd_targets and machine.boot.mode == "UEFI"
            else None
        )
        machine.boots.append(f"cd:{medium}" if medium else "disk")
        return Outcome.HALT

    async def _probe(self, url: str) -> str:
        return "" if "example.com" in url else "connection refused"

    def request(self, number: int, **more: Any) -> BootRequest:
        scheme = "https" if self._authority else "http"
        address = f"redfish-virtualmedia+{scheme}://127.0.0.1:{self.ports[number]}/redfish/v1/Systems/1"
        values = {"username": "admin", "password": PASSWORD, "mac_addresses": (mac(number),), "image_url": URL, **more}
        if self._authority:
            values["ca_cert"] = str(self._authority.ca_file)
        return BootRequest(f"m{number}", address, **values)

    def writes(self, number: int) -> list[str]:
        """What was written to a machine, refused requests included."""
        endpoint = self.endpoints[number]
        return [
            write["summary"]
            for write in sorted([*endpoint.writes, *endpoint.refused_writes], key=lambda write: write["number"])
        ]

    def close(self) -> None:
        self.wait(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _close(self) -> None:
        for machine in self.machines:
            await machine.close()
        for runner in self._runners:
            await runner.cleanup()


def mac(number: int) -> str:
    return f"52:54:00:0f:{number // 256:02x}:{number % 256:02x}"


@contextlib.contextmanager
def lab_rack(directory: Path, profiles: list[str], clock: Any, *, tls: bool = False) -> Iterator[LabRack]:
    rack = LabRack(directory, profiles, clock, tls=tls)
    try:
        yield rack
    finally:
        rack.close()
