# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test helpers: run a hub that hosts clusters and its machines, and act as an operator at the rack or with kubectl."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

from ztlab.hub.client import Refused
from ztlab.hub.hypershift.kinds import AGENT_MACHINE, NODE_POOL, CoreKinds
from ztlab.hub.names import AGENT, NODE, Kind, Object, annotations_of
from ztlab.service.model import Host

from ..rig import Rig, hub_rig
from .hosting import SPACE, available, guest_client, hosting_site, order, order_pool
from .pools import condition_of

FREE = "known-unbound"


def machine(number: int) -> dict[str, Any]:
    return {
        "name": f"worker-{number}",
        "nics": [
            {"name": "eno1", "mac": f"52:54:00:00:01:{number:02x}", "network": "rack", "lease": f"10.0.0.{60 + number}"}
        ],
        "disks": [{"name": "sda", "size_gib": 200, "wwn": f"0x50000000000002{number:02x}"}],
        "bmc": {"address": f"10.0.0.{30 + number}", "username": "root", "password": "calvin"},
    }


def fleet_site(count: int, version: str = "v1beta2", **hub: Any) -> dict[str, Any]:
    return {**hosting_site(version, **hub), "machines": [machine(number) for number in range(count)]}


def state_of(agent: Object) -> str:
    return str(((agent.get("status") or {}).get("debugInfo") or {}).get("state", ""))


class Fleet:
    """``states``: every state that each host went through, by hostname."""

    def __init__(self, rig: Rig, count: int, version: str) -> None:
        self.rig, self.lab = rig, rig.lab
        self.core = CoreKinds(version)
        self.ids = {
            f"worker-{number}": self.lab.machines[f"worker-{number}"].spec.system_uuid for number in range(count)
        }
        self.image = ""
        self.states: dict[str, list[str]] = {name: [] for name in self.ids}
        tell = rig.hub.service.core.on_change

        def note(item: Any) -> None:
            """The service tells of every change, of which objects may show only the last."""
            self._note(item)
            if tell is not None:
                tell(item)

        rig.hub.service.core.on_change = note

    def _note(self, item: Any) -> None:
        name = next((name for name, uid in self.ids.items() if isinstance(item, Host) and item.id == uid), "")
        if name and isinstance(item, Host) and self.states[name][-1:] != [item.status]:
            self.states[name].append(item.status)

    def boot(self, name: str) -> None:
        """What a person or a BMC does: insert the discovery image, choose it once, restart."""
        found = self.lab.machines[name]
        found.cd.insert(self.image)
        found.boot.target, found.boot.enabled = "Cd", "Once"
        found.reset("On" if found.power_state == "Off" else "ForceRestart")

    async def discover(self, **labels: str) -> None:
        """All machines become approved Agents with names and labels."""
        infra_env = await self.rig.infra_env()
        self.image = infra_env["status"]["isoDownloadURL"]
        for name in self.ids:
            self.boot(name)
        for name, uid in self.ids.items():
            await self.rig.until(AGENT, uid, state_of)
            await self.rig.patch(
                AGENT, uid, {"metadata": {"labels": labels}, "spec": {"approved": True, "hostname": name}}
            )
        await self.until_free(self.ids)

    async def agents(self) -> dict[str, Object]:
        """By hostname."""
        return {name: await self.rig.get(AGENT, uid) for name, uid in self.ids.items()}

    async def free(self) -> set[str]:
        """Agents that are not reserved and can be taken again."""
        found = set()
        for name, agent in (await self.agents()).items():
            reserved = agent["spec"].get("clusterDeploymentName") or "agentMachineRef" in (
                agent["metadata"].get("labels") or {}
            )
            if state_of(agent) == FREE and not reserved and "agentMachineRefNamespace" not in annotations_of(agent):
                found.add(name)
        return found

    async def nodes(self) -> dict[str, Object]:
        client = await guest_client(self.rig)
        return {item["metadata"]["name"]: item for item in (await client.list(NODE))[0]}

    async def scale(self, replicas: int, pool: str = "pool") -> Object:
        """With kubectl scale's request, until the pool is at that size."""
        await self.rig.client.patch(NODE_POOL, pool, "clusters", {"spec": {"replicas": replicas}}, subresource="scale")
        await self.count(self.core.machine, replicas)
        return await self.at(replicas, pool)

    async def at(self, replicas: int, pool: str = "pool", seconds: float = 600.0) -> Object:
        kinds = ("AllMachinesReady", "AllNodesHealthy")

        def holds(item: Object) -> bool:
            current = all(
                condition_of(item, kind).get("observedGeneration") == item["metadata"]["generation"] for kind in kinds
            )
            well = all(condition_of(item, kind).get("status") == "True" for kind in kinds) if replicas else True
            return current and well and item["status"].get("replicas") == replicas

        return await self.rig.until(NODE_POOL, pool, holds, namespace="clusters", seconds=seconds)

    async def machines(self) -> dict[str, Object]:
        """Machines by the hostname of their Agent ("" for those without)."""
        names = {uid: name for name, uid in self.ids.items()}
        found = {}
        for item in (await self.rig.client.list(AGENT_MACHINE, SPACE))[0]:
            agent = ((item.get("status") or {}).get("agentRef") or {}).get("name", "")
            owner = await self.rig.client.get(self.core.machine, item["metadata"]["name"], SPACE)
            if owner is not None:
                found[names.get(agent, "")] = owner
        return found

    async def until(self, holds: Callable[[], Any], what: str, seconds: float = 600.0) -> None:
        """Wall clock seconds; ``holds`` may be a coroutine function."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    with contextlib.suppress(Refused):
                        if await holds():
                            return
                    await asyncio.sleep(0.1)
        states = {name: state_of(agent) for name, agent in (await self.agents()).items()}
        raise AssertionError(f"{what}: {states}; {self.states}")

    async def until_free(self, names: Iterable[str]) -> None:
        wanted = set(names)

        async def holds() -> bool:
            return wanted <= await self.free()

        await self.until(holds, f"{wanted} free")

    async def count(self, kind: Kind, count: int) -> None:
        """Until there are so many objects beside the control plane."""

        async def holds() -> bool:
            return len((await self.rig.client.list(kind, SPACE))[0]) == count

        await self.until(holds, f"{count} {kind.plural}")


@contextlib.asynccontextmanager
async def fleet_rig(
    tmp_path: Path, count: int, *, speed: float = 240.0, version: str = "v1beta2", **hub: Any
) -> AsyncIterator[Fleet]:
    """A hosted cluster that is available, and machines that are free."""
    async with hub_rig(tmp_path, speed=speed, site=fleet_site(count, version, **hub)) as rig:
        # At this speed a busy machine is silent for minutes of the lab, which is no reason to give up a host.
        core = rig.hub.service.core
        core.settings = dataclasses.replace(core.settings, soft_timeouts=True, disconnected_after=7200.0)
        fleet = Fleet(rig, count, version)
        await order(rig)
        await fleet.discover(size="large")
        await available(rig)
        yield fleet


__all__ = ["Fleet", "fleet_rig", "order_pool"]
