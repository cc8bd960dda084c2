# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the assisted-installer agent of a host. It waits for the assisted-service, registers the host, polls the
service for instructions, and sends the replies.

Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin;
  openshift/assisted-service internal/bminventory/inventory.go, internal/host/host.go, internal/host/hostcommands.
"""

from __future__ import annotations

import asyncio
import urllib.parse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..fabric.hosts import Unreachable
from ..live.discovery import AgentStart, TrustError, trust
from ..live.images import image_for, release_image
from .answers import Answers, StepFailed
from .installer import Installer
from .service_access import ServiceAccess

if TYPE_CHECKING:
    from ..live.http import Reply
    from ..live.system import LiveSystem

# Lab seconds.
EXTRACT_SECONDS = 20.0
POLL_SECONDS = 5.0
RETRY_SECONDS = 15.0


class _Restart(Exception):
    """The agent ends and systemd starts it again."""


class Agent:
    """The agent of one live system."""

    def __init__(self, live: LiveSystem) -> None:
        self._live = live
        self._clock = live.lab.clock
        self._answers = Answers(live)
        self._environment: Mapping[str, str] = {}
        self.access = ServiceAccess("", "")
        self._version = ""
        self._said = ""
        self._installations: set[asyncio.Task[None]] = set()
        self._running: set[str] = set()

    async def run(self) -> None:
        environment = self._live.starts("agent.service")
        if environment is None:
            self._live.log("Nothing registers this host.", phase="live system without agent")
            return
        if not (self._of_discovery(self._live.discovery) if self._live.discovery else self._of_release(environment)):
            return
        await self._clock.sleep(EXTRACT_SECONDS)
        while True:
            try:
                await self._serve()
            except _Restart as reason:
                self._live.log(f"agent: {reason}")
                await self._clock.sleep(3)

    def _of_release(self, environment: Mapping[str, str]) -> bool:
        """The agent of an agent-based image comes from the release; whether there is one."""
        release = release_image(self._live.root)
        if not release:
            self._live.log(
                "agent: no release image is named: the agent cannot be fetched.", phase="live system without agent"
            )
            return False
        self._environment = environment
        self._version = image_for(release, "agent-installer-node-agent")
        self.access = ServiceAccess(
            environment.get("SERVICE_BASE_URL", "").rstrip("/"), environment.get("PULL_SECRET_TOKEN", "")
        )
        return True

    def _of_discovery(self, start: AgentStart) -> bool:
        """The agent of a discovery image has everything on its command line; whether it can run."""
        problem = start.problem
        try:
            tls = trust(self._live.root, start)
        except TrustError as error:
            problem = problem or str(error)
        if problem:
            self._live.log(f"agent: {problem}", phase="agent does not start")
            return False
        self._version = start.version
        self.access = ServiceAccess(start.url, start.token, tls)
        return True

    @property
    def host_id(self) -> str:
        lab, own = self._live.lab, self._live.machine.spec
        fault = lab.faults.peek("duplicate-uuid", own.name)
        other = lab.machines.get(fault.options.get("of", "")) if fault is not None else None
        return (other.spec if other is not None else own).os_uuid

    @property
    def base(self) -> str:
        return self.access.url + "/api/assisted-install"

    async def call(self, method: str, path: str, body: Any = None) -> Reply:
        """A request with the agent's token. Raises Unreachable."""
        self._check_proxy()
        return await self.access.call(self._live.http, method, path, body)

    def _check_proxy(self) -> None:
        """With a proxy everything goes through it, unless NO_PROXY covers the service.

        Raises Unreachable when it is not there.
        """
        start = self._live.discovery
        if start is None or not start.proxy:
            return
        host = urllib.parse.urlsplit(start.url).hostname or ""
        excepted = [entry.strip().lower() for entry in start.no_proxy.split(",") if entry.strip()]
        if "*" in excepted or any(
            host == entry.lstrip(".") or host.endswith("." + entry.lstrip(".")) for entry in excepted
        ):
            return
        try:
            self._live.http.reach(start.proxy)
        except Unreachable as error:
            raise Unreachable(f"proxyconnect tcp: {error}") from error

    def say(self, text: str, phase: str | None = None) -> None:
        """A console line, once as long as the text stays the same."""
        if text != self._said:
            self._live.log(f"agent: {text}", phase=phase)
            self._said = text

    async def _serve(self) -> None:
        infra_env_id = self._live.discovery.infra_env_id if self._live.discovery else await self._wait_for_infra_env()
        await self._register(infra_env_id)
        await self._poll(infra_env_id)

    async def _wait_for_infra_env(self) -> str:
        headers = {"Authorization": self._environment.get("USER_AUTH_TOKEN", "")}
        while True:
            try:
                reply = await self._live.http.request("GET", f"{self.base}/v2/infra-envs", headers=headers)
                if reply.ok and reply.json():
                    return str(reply.json()[0]["id"])
                self.say(
                    "the service has no infra-env yet" if reply.ok else f"the service refuses: {reply.complaint()}",
                    phase="waiting for the service",
                )
            except (Unreachable, ValueError) as error:
                self.say(f"waiting for the service: {error}", phase="waiting for the service")
            await self._clock.sleep(POLL_SECONDS)

    async def _register(self, infra_env_id: str) -> None:
        body = {"host_id": self.host_id, "discovery_agent_version": self._version}
        while True:
            await self._live.can_run()
            try:
                reply = await self.call("POST", f"/v2/infra-envs/{infra_env_id}/hosts", body)
                if reply.status == 201:
                    self.say(f"registered as {self.host_id}", phase="registered")
                    return
                self.say(f"registration refused: {reply.complaint()}", phase="registration refused")
            except Unreachable as error:
                self.say(f"registration: {error}")
            await self._clock.sleep(RETRY_SECONDS)

    # ---- steps -------------------------------------------------------------------------------------------------------

    async def _poll(self, infra_env_id: str) -> None:
        path = f"/v2/infra-envs/{infra_env_id}/hosts/{self.host_id}"
        while True:
            if self._live.lab.faults.peek("agent-dies", self._live.name):
                self.say("the agent does not answer any more (injected fault agent-dies)", phase="agent dead")
                await self._clock.sleep(POLL_SECONDS)
                continue
            await self._live.can_run()
            pause = await self._poll_once(path)
            await self._clock.sleep(pause)

    async def _poll_once(self, path: str) -> float:
        """Get and do instructions; lab seconds until the next time."""
        try:
            reply = await self.call("GET", f"{path}/instructions?timestamp={int(self._clock.utcnow().timestamp())}")
        except Unreachable as error:
            self.say(f"instructions: {error}")
            return RETRY_SECONDS
        if reply.status == 404:
            raise _Restart("the service does not know this host any more")
        if not reply.ok:
            self.say(f"instructions refused: {reply.complaint()}")
            return RETRY_SECONDS
        document = reply.json()
        for step in document.get("instructions") or []:
            await self._do(path, step)
        if document.get("post_step_action") == "exit":
            raise _Restart("told to exit")
        return max(1.0, float(document.get("next_instruction_seconds") or 0))

    async def _do(self, path: str, step: Mapping[str, Any]) -> None:
        kind, arguments = step["step_type"], step.get("args") or []
        reply: dict[str, Any] = {
            "step_type": kind,
            "step_id": step["step_id"],
            "exit_code": 0,
            "output": "",
            "error": "",
        }
        try:
            if kind == "install":
                self._install(path, arguments)
            elif kind == "stop-installation":
                self._stop_installations()
            elif kind != "logs-gather":
                await self._clock.sleep(self._answers.seconds.get(kind, 0.5))
                reply["output"] = await self._answers.answer(kind, arguments)
        except StepFailed as error:
            reply |= {"exit_code": error.exit_code, "error": str(error)}
        except (ValueError, KeyError, IndexError, TypeError) as error:
            reply |= {"exit_code": 1, "error": f"cannot read the arguments of {kind}: {error}"}
        try:
            answer = await self.call("POST", f"{path}/instructions", reply)
        except Unreachable as error:
            self.say(f"reply to {kind}: {error}")
            return
        if answer.status != 204:
            self.say(f"reply to {kind} refused: {answer.complaint()}")

    def _install(self, path: str, arguments: list[str]) -> None:
        installer = Installer(self._live, self, path, arguments)
        if self._installations:
            raise StepFailed("container name already in use", 125)
        task = asyncio.create_task(installer.run(), name=f"installation of {self._live.name}")
        self._installations.add(task)
        task.add_done_callback(self._installations.discard)
        self._live.watch(task)
        self._live.on_end(self.stop)

    def _stop_installations(self) -> None:
        for task in self._installations:
            task.cancel()

    async def stop(self) -> None:
        """End installations that still run."""
        tasks = list(self._installations)
        self._stop_installations()
        await asyncio.gather(*tasks, return_exceptions=True)
