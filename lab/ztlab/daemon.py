# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the process of a lab: ``python -m ztlab.daemon <state directory>``.

The process ends with ``ztlab down``, after its time to live, or when its state directory is deleted.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .clock import LabClock
from .commands import alive
from .control import serve
from .fabric.loopback import NetLock, lock_net
from .faults import UnknownFault
from .hub.hub import KUBECONFIG
from .image.base import write_base_image
from .image.versions import VERSIONS
from .lab import Lab
from .site.load import load_site
from .state import BASE_IMAGE, FAILED, MARKER, READY, Options
from .texts import error_text
from .variables import variables


class Daemon:
    """A lab with its control channel and its end."""

    def __init__(self, state: Path, options: Options, lock: NetLock) -> None:
        self.state = state
        self.options = options
        self._lock = lock
        self._stop = asyncio.Event()
        self._started = time.monotonic()
        site = load_site(Path(options.site))
        swagger = Path(options.swagger) if options.swagger else None
        base_image = Path(options.base_image) if options.base_image else None
        self.lab = Lab(
            site, state=state, net=lock.number, clock=LabClock(options.speed), swagger=swagger, base_image=base_image
        )

    async def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self._stop.set)
        await self.lab.start()
        control = await serve(self.state, self._handle)
        self._started = time.monotonic()  # a slow start takes nothing of the lab's life
        write_atomic(self.state / READY, {"pid": os.getpid(), "net": self.lab.fabric.table.prefix})
        try:
            await self._live()
        finally:
            control.close()
            await self.lab.stop()

    async def _live(self) -> None:
        """Return when the lab is to end."""
        while not self._stop.is_set():
            try:
                await asyncio.wait_for(self._stop.wait(), timeout=1.0)
            except TimeoutError:
                if not (self.state / MARKER).exists():
                    return
                if self.options.process and not alive(self.options.process):
                    print(f"Process {self.options.process} has ended.", flush=True)
                    shutil.rmtree(self.state, ignore_errors=True)
                    return
                if time.monotonic() - self._started > self.options.ttl:
                    print(f"The lab's life of {self.options.ttl:g} seconds is over.", flush=True)
                    return

    async def _handle(self, request: Mapping[str, Any]) -> Any:
        command = request["command"]
        if command == "status":
            left = self.options.ttl - (time.monotonic() - self._started)
            return {"pid": os.getpid(), "site": self.options.site, "ttl_left": round(left), **self.lab.status()}
        if command == "vars":
            return self.variables()
        if command == "kubeconfig":
            return self._kubeconfig(hub=bool(request.get("hub")), cluster=str(request.get("cluster") or ""))
        if command == "speed":
            self.lab.clock.change_speed(float(request["speed"]))
            return {"speed": self.lab.clock.speed}
        if command == "boot":
            return self._boot(request["machine"], request["image"])
        if command == "power":
            return await self._power(request["machines"], request["power"])
        if command == "install":
            return await self._install(request["machine"], request["system"], request["cluster"])
        if command == "stop":
            asyncio.get_running_loop().call_later(0.05, self._stop.set)
            return {"pid": os.getpid()}
        if command.startswith("fault-"):
            answer = self._faults(command, request)
            await self.lab.outages.apply()
            return answer
        raise ValueError(f"unknown command {command!r}")

    def _kubeconfig(self, *, hub: bool, cluster: str) -> str:
        if not hub:
            return self.lab.clusters.kubeconfig(cluster)
        if self.lab.hub is None:
            raise ValueError("the site has no hub: its site file has no part hub")
        return self.lab.hub.kubeconfig(direct=True)

    def _boot(self, name: str, image: str) -> dict[str, Any]:
        """What a person at the rack does: put a medium in, choose it once, switch on."""
        if name not in self.lab.machines:
            raise ValueError(f"no machine {name!r}; the site has {', '.join(self.lab.machines)}")
        machine = self.lab.machines[name]
        machine.cd.insert(image)
        machine.boot.target, machine.boot.enabled = "Cd", "Once"
        machine.reset("On" if machine.power_state == "Off" else "ForceRestart")
        return {"machine": name}

    async def _install(self, name: str, system: str, cluster: str) -> dict[str, Any]:
        """What another team does with a machine: it is a worker of a cluster, or runs another operating system, from
        now on.
        """
        if name not in self.lab.machines:
            raise ValueError(f"no machine {name!r}; the site has {', '.join(self.lab.machines)}")
        machine = self.lab.machines[name]
        if not cluster:
            await self.lab.occupants.install_other(machine, system)
        else:
            running = next(
                (running for running in self.lab.clusters.all() if running.plan.name == cluster and running.serving),
                None,
            )
            if running is None:
                raise ValueError(f"no cluster {cluster!r} runs")
            await self.lab.occupants.install_member(machine, running)
        return {"machine": name, "installed": {disk: found.role for disk, found in machine.installed.items()}}

    async def _power(self, names: list[str], state: str) -> dict[str, str]:
        """Switch machines on or off past their BMCs; none named: all of them. Their power states afterwards."""
        unknown = [name for name in names if name not in self.lab.machines]
        if unknown:
            raise ValueError(f"no machine {unknown[0]!r}; the site has {', '.join(self.lab.machines)}")
        if state not in ("on", "off"):
            raise ValueError(f"the power can be on or off, not {state!r}")
        machines = [self.lab.machines[name] for name in names or self.lab.machines]
        await asyncio.gather(*(machine.switch(state == "on") for machine in machines))
        return {machine.spec.name: machine.power_state for machine in machines}

    def _faults(self, command: str, request: Mapping[str, Any]) -> Any:
        faults = self.lab.faults
        machine = request.get("machine")
        if machine is not None and machine not in self.lab.machines:
            raise UnknownFault(f"no machine {machine!r}; the site has {', '.join(self.lab.machines)}")
        if command == "fault-add":
            fault = faults.add(
                request["kind"], machine=machine, count=request.get("count"), options=request.get("options")
            )
            return fault.to_dict()
        if command == "fault-clear":
            return faults.clear(request.get("kind"), machine)
        return [fault.to_dict() for fault in faults.list()]

    def variables(self) -> dict[str, Any]:
        provided = self.options.base_image
        image = (
            {"path": provided}
            if provided
            else {"path": str(self.state / BASE_IMAGE), "version": VERSIONS[self.options.rhel]}
        )
        found = variables(self.lab.site, self.lab.fabric, ca_file=self.lab.authority.ca_file, base_image=image)
        if self.lab.hub is not None:
            found["openshift_hub"] = {**self.lab.hub.site.variables, "kubeconfig": str(self.state / KUBECONFIG)}
        if self.lab.standalone is not None:
            found["openshift_assisted"] = self.lab.standalone.variables()
        return found


def write_atomic(path: Path, document: Any) -> None:
    """A reader sees the whole document or none."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(json.dumps(document), encoding="utf-8")
    temporary.replace(path)


def main() -> int:
    state = Path(sys.argv[1])
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    lock = None
    try:
        options = Options.read(state)
        lock = lock_net(options.net)
        if not options.base_image:
            write_base_image(state / BASE_IMAGE, options.rhel)
        asyncio.run(_run(state, options, lock))
    except Exception as error:
        if state.is_dir():
            (state / FAILED).write_text(f"{error_text(error)}\n", encoding="utf-8")
        raise
    finally:
        if lock is not None:
            lock.release()
    return 0


async def _run(state: Path, options: Options, lock: NetLock) -> None:
    await Daemon(state, options, lock).run()


if __name__ == "__main__":
    sys.exit(main())
