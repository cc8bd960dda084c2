# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test helpers: run a lab with only a hub, and small clients for it. One client is a user with an administrator's
kubeconfig, the others are hosts that register over REST.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

from ztlab.clock import LabClock
from ztlab.fabric.loopback import lock_net
from ztlab.hub.client import Client, Refused, from_kubeconfig
from ztlab.hub.environment import AGENT_IMAGE
from ztlab.hub.hub import Hub
from ztlab.hub.names import INFRA_ENV, NAMESPACE, SECRET, Kind, Object
from ztlab.image.base import write_base_image
from ztlab.lab import Lab
from ztlab.site.load import parse_site

from ..service.scripted import API, Machine, ScriptedAgent

PULL_SECRET = json.dumps({"auths": {"quay.io": {"auth": base64.b64encode(b"user:password").decode()}}})
SITE: dict[str, Any] = {
    "networks": [{"name": "rack", "cidr": "10.0.0.0/24", "dhcp": {"range": ["10.0.0.100", "10.0.0.200"]}}],
    "machines": [
        {
            "name": "spare",
            "nics": [{"name": "eno1", "mac": "52:54:00:00:00:01", "network": "rack"}],
            "disks": [{"name": "sda", "size_gib": 200}],
            "bmc": {"address": "10.0.0.51", "username": "root", "password": "calvin"},
        }
    ],
    "hub": {"address": "10.0.0.5", "base_domain": "hub.example.com"},
}
NAMESPACE_NAME = "edge"
# Seconds of the wall clock between two reads of an object: each read is a request.
POLL_SECONDS = 0.05


class Rig:
    """``client`` is the user's."""

    def __init__(self, lab: Lab) -> None:
        if lab.hub is None:
            raise ValueError("the site has no hub")
        self.lab, self.hub = lab, lab.hub
        self.tasks: list[asyncio.Task[None]] = []
        self.client: Client = from_kubeconfig(self.hub.session, self.hub.kubeconfig(), lambda _name: self.hub.host)

    async def create(
        self, kind: Kind, name: str, spec: Object | None = None, *, namespace: str = NAMESPACE_NAME, **more: Any
    ) -> Object:
        metadata = {"name": name, **more.pop("metadata", {})} | ({"namespace": namespace} if kind.namespaced else {})
        return await self.client.create(
            kind, {"metadata": metadata, **({"spec": spec} if spec is not None else {}), **more}
        )

    async def get(self, kind: Kind, name: str, namespace: str = NAMESPACE_NAME) -> Object:
        found = await self.client.get(kind, name, namespace if kind.namespaced else "")
        assert found is not None, f"{kind.kind} {name} does not exist"
        return found

    async def patch(self, kind: Kind, name: str, body: Object, namespace: str = NAMESPACE_NAME) -> Object:
        return await self.client.patch(kind, name, namespace if kind.namespaced else "", body)

    async def until(
        self,
        kind: Kind,
        name: str,
        holds: Callable[[Object], Any],
        *,
        namespace: str = NAMESPACE_NAME,
        seconds: float = 900.0,
    ) -> Object:
        """The object once something is true of it.

        ``seconds`` of the wall clock are a guard: a busy machine needs many.
        """
        last: Object | None = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    with contextlib.suppress(Refused):
                        last = await self.client.get(kind, name, namespace if kind.namespaced else "")
                        if last is not None and holds(last):
                            return last
                    await asyncio.sleep(POLL_SECONDS)
        if last is not None:
            last["metadata"].pop("managedFields", None)
            (last.get("status") or {}).pop("inventory", None)
        raise AssertionError(f"{kind.kind} {name} stays {json.dumps(last)}")

    async def gone(self, kind: Kind, name: str, *, namespace: str = NAMESPACE_NAME, seconds: float = 900.0) -> None:
        async with asyncio.timeout(seconds):
            while await self.client.get(kind, name, namespace if kind.namespaced else "") is not None:
                await asyncio.sleep(POLL_SECONDS)

    async def pull_secret(self, name: str = "pull-secret", text: str = PULL_SECRET) -> None:
        data = {".dockerconfigjson": base64.b64encode(text.encode()).decode()}
        await self.create(SECRET, name, type="kubernetes.io/dockerconfigjson", data=data)

    def boot(self, infra_env: Object, *machines: Machine) -> list[HubAgent]:
        """Machines that run the image of an InfraEnv."""
        namespace, name = infra_env["metadata"]["namespace"], infra_env["metadata"]["name"]
        known = self.hub.operators.backend.infra_env((namespace, name)) if self.hub.operators else None
        assert known is not None
        agents = [HubAgent(self, known.id, machine) for machine in machines]
        self.tasks += [asyncio.create_task(agent.run()) for agent in agents]
        return agents

    async def infra_env(self, name: str = "rack", **spec: Any) -> Object:
        """An InfraEnv whose image is there."""
        await self.create(INFRA_ENV, name, {"pullSecretRef": {"name": "pull-secret"}, **spec})
        return await self.until(INFRA_ENV, name, lambda item: (item.get("status") or {}).get("isoDownloadURL"))


class HostClient:
    """How a host reaches the service: through the hub's route, with the token of its image."""

    def __init__(self, hub: Hub, infra_env_id: str) -> None:
        self._hub, self._token = hub, hub.service.core.sign_infra_env(infra_env_id)

    async def call(self, method: str, path: str, body: Any = None, **options: Any) -> tuple[int, Any]:
        url, name = self._hub.lab.fabric.redirect(f"{self._hub.service_url}{API}{path}")
        headers = {"X-Secret-Key": self._token, "Host": name}
        async with self._hub.session.request(method, url, json=body, headers=headers, **options) as response:
            content = await response.read()
            is_json = response.content_type == "application/json" and content
            return response.status, json.loads(content) if is_json else content


class HubAgent(ScriptedAgent):
    """A host that runs the discovery image; when it must exit, its agent starts again.

    ``rebooted`` is set when it leaves for its disk.
    """

    def __init__(self, rig: Rig, infra_env_id: str, machine: Machine) -> None:
        super().__init__(
            HostClient(rig.hub, infra_env_id), machine, rig.lab.clock, infra_env_id=infra_env_id, version=AGENT_IMAGE
        )  # type: ignore[arg-type]
        self.last_stage = ""

    async def run(self) -> None:
        while not self.stages_done.is_set():
            self.exited = False
            status, _body = await self.register()
            if status != 201:
                await self.clock.sleep(5)
                continue
            while not self.exited:
                await self._poll_or_leave()
                await self.clock.sleep(2)

    def reply_api_vip_connectivity_check(self, args: list[str]) -> Any:
        return {"is_success": True, "url": json.loads(args[0])["url"], "ignition": ""}

    async def _poll_or_leave(self) -> None:
        try:
            await self.poll()
        except AssertionError:  # the host is unknown now
            self.exited = True

    async def install(self, request: Mapping[str, Any]) -> None:
        self.request = request
        host = (await self.client.call("GET", f"/infra-envs/{self.infra_env_id}/hosts"))[1]
        own = next(item for item in host if item["id"] == self.machine.id)
        for stage in own["progress_stages"]:
            if stage == self.last_stage:
                break
            await self.progress(stage)
            await self.clock.sleep(3)
        self.stages_done.set()
        self.exited = True


def condition(item: Object, kind: str) -> tuple[str, str, str]:
    """(status, reason, message); empty when there is none."""
    for entry in (item.get("status") or {}).get("conditions") or []:
        if entry["type"] == kind:
            return entry["status"], entry["reason"], entry["message"]
    return "", "", ""


@contextlib.asynccontextmanager
async def hub_rig(
    tmp_path: Path, *, speed: float = 60.0, site: dict[str, Any] | None = None, secret: bool = True
) -> AsyncIterator[Rig]:
    lock = lock_net()
    base = tmp_path / "base.iso"
    write_base_image(base)
    lab = Lab(parse_site(site or SITE), state=tmp_path, net=lock.number, clock=LabClock(speed), base_image=base)
    rig: Rig | None = None
    try:
        await lab.start()
        rig = Rig(lab)
        await rig.create(NAMESPACE, NAMESPACE_NAME)
        if secret:
            await rig.pull_secret()
        yield rig
        for task in rig.tasks:
            if task.done() and task.exception() is not None:
                raise task.exception() or AssertionError
    finally:
        for task in rig.tasks if rig else []:
            task.cancel()
        await lab.stop()
        lock.release()


__all__ = ["HubAgent", "Machine", "Rig", "condition", "hub_rig"]
