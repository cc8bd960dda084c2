# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the guests of a real libvirt's domains with machines of the lab.

The collection connects to libvirt and QEMU. A domain runs nothing: it is suspended when it starts. The machine of the
lab with the same UUID and MAC addresses acts as its guest: it boots the bytes that are in the volume in the domain's CD
drive, it starts from its disk, or it is switched off.
"""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import yaml
from aiohttp import web
from ztlab.control import ask
from ztlab.site.load import parse_site

from ..support.libvirt_daemon import domain_xml, virsh
from .lab import Lab

VNC_PASSWORD = "cnryVnc7"  # a canary; VNC takes eight characters
_PAUSE = 0.3


class LabHypervisor:
    """``uri`` and ``pools`` are those of the daemon; ``starts`` are the starts of each domain: the name of the volume
    in its CD drive, or ``disk``.
    """

    def __init__(self, lab: Lab, uri: str, directory: Path) -> None:
        self.uri, self.directory = uri, directory
        self.starts: dict[str, list[str]] = {}
        self.stops: list[str] = []
        self._state = lab.state
        self._machines = {spec.name: spec for spec in parse_site(yaml.safe_load(lab.site.read_text())).machines}
        self._on: dict[str, str] = {}
        self._end = threading.Event()
        self._fault: Exception | None = None
        self._loop = asyncio.new_event_loop()
        self._port = self._loop.run_until_complete(self._serve())
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._loop.run_forever, self._follow)]
        for thread in self._threads:
            thread.start()

    def define(self, name: str, *, on: bool = False) -> dict[str, Any]:
        """A domain for a machine of the lab; what ``openshift_host.libvirt`` is then."""
        spec = self._machines[name]
        disk = self.directory / f"{name}.raw"
        disk.write_bytes(bytes(1 << 16))
        disk.chmod(0o666)
        screen = f"<graphics type='vnc' listen='127.0.0.1' autoport='yes' passwd='{VNC_PASSWORD}'/>"
        virsh(
            self.uri,
            "define",
            "/dev/stdin",
            text=domain_xml(name, disk, spec.nics[0].mac, uuid=spec.system_uuid, extra=screen),
        )
        if on:
            self._on[name] = "disk"
            virsh(self.uri, "start", name, "--paused")
        return {"uri": self.uri}

    def running(self) -> set[str]:
        return set(virsh(self.uri, "list", "--name").split())

    def image_of(self, name: str) -> str:
        """The volume in the CD drive of a running domain; empty without one."""
        lines = [line.split() for line in virsh(self.uri, "domblklist", name, "--details").splitlines()]
        return next(
            (Path(words[3]).name for words in lines if len(words) == 4 and words[1] == "cdrom" and words[3] != "-"), ""
        )

    def images(self) -> list[str]:
        """The volumes of this collection."""
        virsh(self.uri, "pool-refresh", "default")
        return [
            line.split()[0]
            for line in virsh(self.uri, "vol-list", "default").splitlines()
            if line.strip().startswith("zerotouch-")
        ]

    def close(self) -> None:
        self._end.set()
        self._threads[1].join(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._threads[0].join(10)
        for name in self._machines:
            if name in virsh(self.uri, "list", "--all", "--name").split():
                if name in self.running():
                    virsh(self.uri, "destroy", name)
                virsh(self.uri, "undefine", name)
        assert self._fault is None, self._fault

    async def _serve(self) -> int:
        """The storage pool over HTTP, on loopback: the lab's machines read their media so."""
        app = web.Application()
        app.router.add_static("/", self.directory)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return int(runner.addresses[0][1])

    def _follow(self) -> None:
        while not self._end.wait(_PAUSE):
            try:
                self._step()
            except Exception as error:  # shown by close()
                self._fault = error
                return

    def _step(self) -> None:
        # A domain that was stopped and started between two looks has another number.
        numbers = {line.split()[1]: line.split()[0] for line in virsh(self.uri, "list").splitlines() if line.strip()}
        for name in self._on.keys() - numbers.keys():
            del self._on[name]
            self.stops.append(name)
            ask(self._state, "power", machines=[name], power="off")
        for name, number in numbers.items():
            if self._on.get(name) in (number, "disk"):
                self._on[name] = number
                continue
            self._on[name] = number
            virsh(self.uri, "suspend", name)
            image = self.image_of(name)
            self.starts.setdefault(name, []).append(image or "disk")
            if image:
                ask(self._state, "boot", machine=name, image=f"http://127.0.0.1:{self._port}/{image}")
            else:
                ask(self._state, "power", machines=[name], power="on")
