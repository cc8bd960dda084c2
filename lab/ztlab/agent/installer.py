# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate assisted-installer on a host: run the installation stage by stage, up to the restart from disk.

Source: openshift/assisted-service internal/host/common.go, internal/host/host.go.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..fabric.hosts import Unreachable
from ..machine.hardware import InstalledSystem, Outcome
from .answers import StepFailed
from .bootstrap import Bootstrap, InstallationFailed
from .inventory import disk_id, disks_of
from .node import NodeDisk, boot_node
from .pointer import Pointer, read_pointer

if TYPE_CHECKING:
    from ..live.system import LiveSystem
    from .agent import Agent

# Lab seconds.
STARTING_SECONDS = 5.0
INSTALLING_SECONDS = 15.0
WRITING_SECONDS = 100.0
WRITING_STEPS = 10
RESTART_SECONDS = 8.0
WAIT_SECONDS = 5.0
IGNITION_ATTEMPTS = 20


class Installer:
    """One installation of one host. Raises :class:`StepFailed` when the service's request makes no sense."""

    def __init__(self, live: LiveSystem, agent: Agent, path: str, arguments: Sequence[str]) -> None:
        request: dict[str, Any] = json.loads(arguments[0])
        self.live = live
        self.agent = agent
        self.clock = live.lab.clock
        self.path = path
        self.role = str(request["role"])
        self.single_node = self.role == "bootstrap" and request.get("control_plane_count") == 1
        self.infra_env_id = str(request["infra_env_id"])
        self.cluster_id = str(request.get("cluster_id") or "")
        self.version = str(request.get("openshift_version") or "")
        # An agent-based image knows its cluster by the one infra-env; a hub has many clusters per infra-env.
        self.cluster_key = self.cluster_id if live.discovery else self.infra_env_id
        self._arguments = [str(word) for word in json.loads(request.get("installer_args") or "[]")]
        device = str(request["boot_device"])
        disks = disks_of(live.machine, live.lab.faults)
        self._disk = next((disk for disk in disks if device in (disk.path, disk_id(disk))), None)
        if self._disk is None:
            raise StepFailed(f"boot device {device} does not exist")

    async def run(self) -> None:
        disk = self._disk.path if self._disk else ""
        self.live.log(f"assisted-installer: role {self.role}, disk {disk}", phase="installing")
        try:
            await self._install()
        except InstallationFailed as error:
            self.live.log(f"assisted-installer: {error}", phase="installation failed")
            await self.report("Failed", str(error))

    async def _install(self) -> None:
        await self.stage("Starting installation", STARTING_SECONDS)
        await self.stage("Installing", INSTALLING_SECONDS)
        if self.single_node:
            await Bootstrap(self).in_place()
            await self._write_image()
        elif self.role == "bootstrap":
            bootstrap = Bootstrap(self)
            await bootstrap.begin()
            await self._write_image()
            await bootstrap.complete()
        else:
            await self._write_image()
            if self.role == "worker":
                await self.stage("Waiting for control plane")
                await self._wait_for_control_plane()
        await self._restart()

    async def _write_image(self) -> None:
        if self._disk is None:
            raise InstallationFailed("no disk")
        self.live.machine.installed.pop(self._disk.name, None)
        for step in range(WRITING_STEPS + 1):
            percent = step * 100 // WRITING_STEPS
            await self.stage("Writing image to disk", WRITING_SECONDS / WRITING_STEPS, info=f"{percent}%")
            if self.live.medium is not None and self.live.medium.gone:
                raise InstallationFailed("failed to write image to disk: I/O error: the installation medium is gone")
        words = ["coreos-installer install", *self._arguments, self._disk.path]
        self.live.log(f"assisted-installer: {' '.join(words)}: image written to {self._disk.path}")

    async def _wait_for_control_plane(self) -> None:
        """Workers wait for two nodes of the control plane to be ready.

        Source: openshift/assisted-service internal/host/common.go, internal/host/host.go.
        """
        while not await self._adds_to_cluster():
            running = self.live.lab.clusters.get(self.cluster_key)
            if running is not None and running.api.masters_ready:
                return
            await self.clock.sleep(WAIT_SECONDS)

    async def _restart(self) -> None:
        if self._disk is None:
            raise InstallationFailed("no disk")
        role = "master" if self.role == "bootstrap" else self.role
        lab = self.live.lab
        pointer = await self._pointer() if self.live.discovery or self.live.joins else None
        hostname = (pointer.hostname if pointer else "") or await self._requested_hostname()
        disk = NodeDisk(
            role, hostname, self.live.network, self.cluster_key, secrets.token_hex(4), pointer, self.live.image.metadata
        )

        async def boot(machine: Any) -> Outcome:
            return await boot_node(lab, machine, disk)

        self.live.machine.installed[self._disk.name] = InstalledSystem(role, hostname, boot)
        await self.stage("Rebooting", RESTART_SECONDS)
        self.live.log("Installation done, restarting from disk.", phase="restarting")
        self.live.finish(Outcome.REBOOT)

    async def _adds_to_cluster(self) -> bool:
        """Whether the host joins a cluster that is installed (day 2)."""
        if not self.live.discovery and not self.live.joins:
            return False
        try:
            reply = await self.agent.call("GET", f"/v2/clusters/{self.cluster_id}?exclude-hosts=true")
            return reply.ok and reply.json().get("kind") == "AddHostsCluster"
        except (Unreachable, ValueError):
            return False

    async def _pointer(self) -> Pointer:
        """The host's own ignition. Raises :class:`InstallationFailed`."""
        path = f"/v2/infra-env/{self.infra_env_id}/hosts/{self.agent.host_id}/downloads/ignition"
        for _attempt in range(IGNITION_ATTEMPTS):
            try:
                reply = await self.agent.call("GET", path)
                if reply.ok:
                    return read_pointer(reply.body)
                problem = reply.complaint()
            except (Unreachable, ValueError) as error:
                problem = str(error)
            await self.clock.sleep(WAIT_SECONDS)
        raise InstallationFailed(f"failed to get the host's ignition: {problem}")

    async def _requested_hostname(self) -> str:
        """The name that the service has for this host: the inventory's, or the requested one."""
        try:
            reply = await self.agent.call("GET", self.path)
            return str(reply.json().get("requested_hostname") or self.live.hostname) if reply.ok else self.live.hostname
        except (Unreachable, ValueError):
            return self.live.hostname

    # ---- reports -----------------------------------------------------------------------------------------------------

    async def stage(self, stage: str, seconds: float = 0.0, *, info: str = "") -> None:
        """Report a stage and spend its time. Raises :class:`InstallationFailed` when a fault says so."""
        fault = self.live.lab.faults.peek("install-fails", self.live.name)
        if fault and fault.options.get("stage", "Writing image to disk") == stage:
            self.live.lab.faults.take("install-fails", self.live.name)
            raise InstallationFailed(f"failed at stage {stage} (injected fault install-fails)")
        await self.live.can_run()
        if not info:
            self.live.log(f"assisted-installer: {stage}", phase=f"installing: {stage}")
        await self.report(stage, info)
        await self.clock.sleep(seconds)

    async def report(self, stage: str, info: str = "", path: str = "") -> None:
        """PUT the progress of this host (or the one at ``path``); the service may be gone or refuse, the installation
        goes on.
        """
        host = path or self.path
        try:
            reply = await self.agent.call("PUT", f"{host}/progress", {"current_stage": stage, "progress_info": info})
        except Unreachable as error:
            self.live.log(f"assisted-installer: progress {stage}: {error}")
            return
        if not reply.ok:
            self.live.log(f"assisted-installer: progress {stage} refused: {reply.complaint()}")
