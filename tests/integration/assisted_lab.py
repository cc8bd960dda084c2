# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the lab's assisted-service in the test process, with scripted machines, and call modules against it."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import importlib
import importlib.util
import json
import sys
import threading
import types
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.tests.support import upstream
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ztlab.clock import LabClock
from ztlab.faults import Faults
from ztlab.service.app import AssistedService

ROOT = Path(__file__).parents[2]


def _load(name: str, path: Path) -> Any:
    if name not in sys.modules:
        specification = importlib.util.spec_from_file_location(name, path)
        assert specification and specification.loader
        sys.modules[name] = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(sys.modules[name])
    return sys.modules[name]


scripted = _load("ztlab_scripted_agent", ROOT / "lab" / "tests" / "service" / "scripted.py")
PULL_SECRET = str(scripted.PULL_SECRET)


@dataclasses.dataclass
class Bench:
    """A service that runs, in a thread of its own, and its machines. ``token`` is a user's."""

    service: AssistedService
    token: str
    watcher_token: str
    agent_token: str
    clock: LabClock
    loop: asyncio.AbstractEventLoop
    tasks: list[Any] = dataclasses.field(default_factory=list)

    @property
    def url(self) -> str:
        return self.service.url

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def boot(self, infra_env_id: str, *machines: Any) -> None:
        """Machines that boot the image of that InfraEnv and are then what their agent makes of them."""

        async def begin() -> None:
            for machine in machines:
                self.tasks.append(asyncio.create_task(self._live(infra_env_id, machine)))

        self.do(begin())

    async def _live(self, infra_env_id: str, machine: Any) -> None:
        async with scripted.Client(self.service.url, {"X-Secret-Key": self.agent_token}) as client:
            while True:
                agent = scripted.ScriptedAgent(client, machine, self.clock, infra_env_id=infra_env_id)
                await agent.run()
                if agent.installing:
                    return

    def report_completion_of(self, cluster_id: str) -> None:
        """What the controller of the new cluster reports once it finalizes, in the background."""

        async def report() -> None:
            async with scripted.Client(self.service.url, {"X-Secret-Key": self.agent_token}) as agent:
                rig = types.SimpleNamespace(agent=agent, cluster={"id": cluster_id})
                while (await agent.get(f"/clusters/{cluster_id}"))["status"] != "finalizing":
                    await self.clock.sleep(2)
                await scripted.finish(rig)

        async def begin() -> None:
            self.tasks.append(asyncio.create_task(report()))

        self.do(begin())

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.service.stop()
        left = asyncio.all_tasks() - {asyncio.current_task()}  # the beat of the lab's clock
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


@contextlib.contextmanager
def running_service(speed: float = 60.0, **environment: str) -> Iterator[Bench]:
    """A service with the authentication of an agent-based installation."""
    keys = scripted.Keys()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    clock = LabClock(speed)
    tokens = [keys.token(auth_scheme=scheme) for scheme in ("userAuth", "watcherAuth", "agentAuth")]

    async def start() -> AssistedService:
        swagger = upstream.optional(upstream.SWAGGER)
        settings = {key: value for key, value in scripted.agent_environment(keys, **environment).items() if value}
        service = AssistedService(
            settings,
            clock=clock,
            faults=Faults(),
            swagger=swagger,
            kubeconfig=lambda name, domain: json.dumps(
                {"clusters": [{"name": name, "cluster": {"server": f"https://api.{domain}:6443"}}]}
            ),
        )
        await service.start("127.0.0.1")
        return service

    service = asyncio.run_coroutine_threadsafe(start(), loop).result(30)
    bench = Bench(service, *tokens, clock, loop)
    try:
        yield bench
        assert bench.service.violations == []
    finally:
        bench.do(bench.stop())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


RunModule = Callable[..., dict[str, Any]]


def module_runner(bench: Bench, capfd: pytest.CaptureFixture[str]) -> RunModule:
    """Opens a module as a module against the service; what it prints holds no secret."""

    def call_module(name: str, /, *, check: bool = False, diff: bool = False, **arguments: Any) -> dict[str, Any]:
        module = importlib.import_module(f"ansible_collections.zerotouch.openshift.plugins.modules.{name}")
        connection = {"service_url": bench.url, "token": bench.token, "watcher_token": bench.watcher_token}
        with (
            patch_module_args({**connection, **arguments, "_ansible_check_mode": check, "_ansible_diff": diff}),
            pytest.raises(SystemExit),
        ):
            module.main()
        output = capfd.readouterr().out
        assert bench.token not in output and json.loads(PULL_SECRET)["auths"]["quay.io"]["auth"] not in output
        return dict(json.loads(output))

    return call_module
