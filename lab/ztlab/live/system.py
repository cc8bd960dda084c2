# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a live system on a machine: Ignition, network and host name, then its systemd units, until
the machine restarts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ..agent.agent import Agent
from ..fabric.hosts import HostNetwork, Interface
from ..machine import config_drive
from ..machine.hardware import Hardware, Outcome
from .bringup import start_network
from .discovery import AgentStart, agent_start
from .http import HostHttp, is_own
from .ignition import IgnitionError, Unit, parse
from .keyfiles import CONNECTIONS, load_profiles
from .network import apply_host_network, hostname_for
from .node_zero import NodeZero
from .root import Node, Root, parse_env
from .running_medium import RunningMedium
from .systemd import NotStarted, Systemd

if TYPE_CHECKING:
    from ..lab import Lab
    from ..machine.liveboot import LiveImage

RENDEZVOUS_ENV = "/etc/assisted/rendezvous-host.env"
_INITRD_CONNECTIONS = "etc/coreos-firstboot-network/"
# Lab seconds.
USERSPACE_SECONDS = 15.0
NODE_ZERO_LOOKS, NODE_ZERO_PAUSE = 6, 5.0
# No switch is behind it, and no other machine sees it.
_LOOPBACK = Interface("lo", "00:00:00:00:00:00", kind="device")


class LiveSystem:
    """One boot of a live image on one machine. It does only what it finds in the image."""

    def __init__(self, lab: Lab, machine: Hardware, image: LiveImage) -> None:
        self.lab = lab
        self.machine = machine
        self.image = image
        self.root = Root()
        self.systemd = Systemd(self.root, ())
        self.network = HostNetwork()
        self.hostname = "localhost"
        self.node_zero = False
        self.discovery: AgentStart | None = None
        self.http = HostHttp(lab, lambda: self.network, machine.spec.name)
        self.medium = (
            RunningMedium(image.medium, lab.clock, self.log)
            if image.medium is not None and not image.in_memory
            else None
        )
        self._outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._tasks: list[asyncio.Task[None]] = []
        self._cleanups: list[Callable[[], Awaitable[None]]] = []

    @property
    def name(self) -> str:
        return self.machine.spec.name

    @property
    def joins(self) -> bool:
        """Whether the image is one that adds its host to a cluster that runs."""
        return parse_env(self.root.text(RENDEZVOUS_ENV) or "").get("WORKFLOW_TYPE") == "addnodes"

    def log(self, text: str, phase: str | None = None) -> None:
        self.machine.console.print(text, phase=phase)

    def finish(self, outcome: Outcome) -> None:
        """The system ends: restart or power off."""
        if not self._outcome.done():
            self._outcome.set_result(outcome)

    def watch(self, task: asyncio.Task[None]) -> None:
        """What goes wrong in a task of this system ends the system, so that it does not go unnoticed."""

        def done(ended: asyncio.Task[None]) -> None:
            error = None if ended.cancelled() else ended.exception()
            if error is not None and not self._outcome.done():
                self._outcome.set_exception(error)

        task.add_done_callback(done)

    def on_end(self, cleanup: Callable[[], Awaitable[None]]) -> None:
        """What has to be stopped when the system ends, however it ends."""
        self._cleanups.append(cleanup)

    async def run(self) -> Outcome:
        """From Ignition to the end of the system."""
        try:
            if not self._ignite():
                return Outcome.HALT
            await self.lab.clock.sleep(USERSPACE_SECONDS)
            self._start_network()
            self._set_hostname()
            self._tasks = [asyncio.create_task(self._services(), name=f"live system of {self.name}")]
            self.watch(self._tasks[0])
            return await self._outcome
        finally:
            await self._end()

    async def _end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for cleanup in self._cleanups:
            await cleanup()
        self.lab.fabric.detach(self.name)

    # ---- Ignition ----------------------------------------------------------------------------------------------------

    def _ignite(self) -> bool:
        """Apply the config; whether the boot goes on to the services of the image."""
        plan, config = self.image.plan, self.image.initramfs.get("config.ign")
        if plan.argument("ignition.firstboot") is None:
            self.log(
                "Ignition does not run: no ignition.firstboot among the kernel arguments.",
                phase="live system without configuration",
            )
            return False
        if not plan.argument("ignition.platform.id"):
            self.log("Ignition failed: no ignition.platform.id among the kernel arguments.", phase="emergency shell")
            return False
        if config is None:
            self.log(
                "No Ignition config in the image: a live system that waits for a user to log in.",
                phase="live system without configuration",
            )
            return False
        try:
            parsed = parse(config)
            self.root.apply(parsed)
        except IgnitionError as error:
            self.log(f"Ignition failed: {error}\nEntering emergency mode.", phase="emergency shell")
            return False
        for warning in parsed.warnings:
            self.log(f"Ignition: warning: {warning}")
        units: tuple[Unit, ...] = parsed.units
        self.systemd = Systemd(self.root, units)
        for path, content in self.image.initramfs.items():
            if path.startswith(_INITRD_CONNECTIONS):
                self.root.files[f"{CONNECTIONS}/{path.removeprefix(_INITRD_CONNECTIONS)}"] = Node(0o600, content)
        self.log(
            f"Ignition: {len(parsed.files)} files, {len(parsed.units)} units (config {parsed.version}).",
            phase="live system",
        )
        self.discovery = agent_start(self.systemd.unit("agent.service"))
        if self.discovery is None and self.root.text(RENDEZVOUS_ENV) is None:
            self.log(f"{RENDEZVOUS_ENV} is missing: this image is not configured for a cluster.")
        return True

    # ---- identity ----------------------------------------------------------------------------------------------------

    def _start_network(self) -> None:
        log: list[str] = []
        ports = self.machine.nics
        optional = self.discovery is not None and self.systemd.unit("pre-network-manager-config.service") is None
        if not optional and self.starts("pre-network-manager-config.service") is not None:
            apply_host_network(self.root, ports, log)
        files = {
            name: (node.mode, node.content.decode("utf-8", "replace"))
            for name, node in self.root.under(CONNECTIONS).items()
        }
        self.network = start_network(self.machine.spec, ports, load_profiles(files, log), self.lab.fabric, log)
        for line in log:
            self.log(line)
        for interface in self.network.interfaces:
            carrier = "" if interface.carrier else ", NO-CARRIER"
            addresses = " ".join(interface.addresses) or "no address"
            self.log(f"{interface.name}: {interface.mac} {addresses}{carrier}")
        for address in self.lab.fabric.attach(self.name, self.network):
            others = ", ".join(owner for owner in self.lab.fabric.owners(address) if owner != self.name)
            self.log(f"Duplicate address: {address} is in use by {others} as well.")

    def _set_hostname(self) -> None:
        if self.discovery is not None:
            named = config_drive.hostname(self.root.text(config_drive.HOSTNAME_PROGRAM) or "", self.image.metadata)
            self.hostname = named or self.lab.fabric.name_of(self.network) or self.hostname
        elif self.starts("set-hostname.service") is not None:
            self.hostname = (
                hostname_for(self.root, [interface.mac for interface in self.network.interfaces]) or self.hostname
            )
        if self.hostname == "localhost":
            self.log("No host name for a NIC of this machine: it is called localhost.")
        else:
            self.log(f"This machine is {self.hostname}.")

    async def can_run(self) -> None:
        """Return when programs of this system can be read from its medium."""
        if self.medium is not None:
            await self.medium.wait()

    def starts(self, unit: str) -> dict[str, str] | None:
        """A unit's environment when it starts; None, with the reason on the console, when it does not."""
        try:
            return self.systemd.start(unit)
        except NotStarted as error:
            if "condition check" not in str(error):
                self.log(f"systemd: {error}")
            return None

    # ---- services ----------------------------------------------------------------------------------------------------

    async def _services(self) -> None:
        async with asyncio.TaskGroup() as group:
            if self.discovery is None and await self._find_node_zero():
                group.create_task(NodeZero(self).run())
            group.create_task(Agent(self).run())
            if self.medium is not None:
                group.create_task(self.medium.run())

    async def _find_node_zero(self) -> bool:
        """node-zero: whether NODE_ZERO_IP is one of this machine's addresses, decided once per boot."""
        if self.starts("node-zero.service") is None:
            return False
        address = parse_env(self.root.text(RENDEZVOUS_ENV) or "").get("NODE_ZERO_IP", "")
        if not address:
            self.log(
                "node-zero: no NODE_ZERO_IP; waiting for rendezvous-host.env.", phase="waiting for rendezvous-host.env"
            )
            return False
        for look in range(NODE_ZERO_LOOKS):
            holder = _LOOPBACK if is_own(address) else self.network.holder(address)
            if holder is not None:
                self.root.write("/etc/assisted/node0", f"BOOTSTRAP_HOST_MAC={holder.mac}\n")
                self.log(f"This machine is the rendezvous host: {address} is on {holder.name} ({holder.mac}).")
                self.node_zero = True
                return True
            if look + 1 < NODE_ZERO_LOOKS:
                await self.lab.clock.sleep(NODE_ZERO_PAUSE)
        self.log(f"This machine is not the rendezvous host, which is at {address}.")
        return False
