# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a hub with an Agent provider but without Cluster API's core: the tests write the objects that the core would
write.

The provider is the lab's, or upstream's own program if CAPI_PROVIDER_AGENT names it. The same tests apply to both.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from ztlab.hub.capi.kinds import AGENT_CLUSTER, AGENT_MACHINE, CLUSTER_NAME, CORE, PROVIDER, CoreKinds
from ztlab.hub.names import AGENT, SECRET, Object

from ..rig import Rig, hub_rig
from .site import CLUSTER, encoded, reference, site, user_data

PROGRAM = os.environ.get("CAPI_PROVIDER_AGENT", "")
PLAYERS = [
    "lab",
    pytest.param("upstream", marks=pytest.mark.skipif(not PROGRAM, reason="CAPI_PROVIDER_AGENT names no program")),
]
CORE_KINDS = CoreKinds("v1beta2")
NOW = "2026-11-21T10:00:00Z"
FREE = {
    "Bound": "False",
    "Connected": "True",
    "Validated": "True",
    "RequirementsMet": "False",
    "Installed": "False",
    "SpecSynced": "True",
}
INSTALLED = {
    "Bound": "True",
    "Connected": "True",
    "Validated": "True",
    "RequirementsMet": "True",
    "Installed": "True",
    "SpecSynced": "True",
}


class Stage:
    def __init__(self, rig: Rig) -> None:
        self.rig = rig

    async def agent(
        self, name: str, state: str = "known-unbound", *, nics: bool = True, hostname: str = "", **labels: str
    ) -> Object:
        """An Agent that no host stands behind."""
        spec: Object = {"approved": True, "role": ""} | ({"hostname": hostname} if hostname else {})
        await self.rig.create(AGENT, name, spec, metadata={"labels": labels})
        return await self.agent_is(name, state, FREE, nics=nics)

    async def agent_is(self, name: str, state: str, conditions: dict[str, str], *, nics: bool = True) -> Object:
        listed = [
            {"type": kind, "status": value, "reason": "Told", "message": "", "lastTransitionTime": NOW}
            for kind, value in conditions.items()
        ]
        interface = {
            "name": "eno1",
            "hasCarrier": True,
            "flags": [],
            "ipV4Addresses": ["192.0.2.7/24"],
            "ipV6Addresses": [],
        }
        inventory: Object = {"hostname": f"{name}-host", "interfaces": [interface]} if nics else {}
        status = {"conditions": listed, "inventory": inventory, "debugInfo": {"state": state}}
        return await self.rig.client.patch(AGENT, name, "edge", {"status": status}, subresource="status")

    async def cluster(self) -> None:
        """Cluster and AgentCluster, whose ClusterDeployment another controller writes."""
        spec = {"infrastructureRef": reference(CORE_KINDS, PROVIDER, "AgentCluster", CLUSTER)}
        await self.rig.create(
            CORE_KINDS.cluster, CLUSTER, spec, metadata={"annotations": {"cluster.x-k8s.io/paused": ""}}
        )
        await self.rig.create(AGENT_CLUSTER, CLUSTER, {}, metadata={"annotations": {"cluster.x-k8s.io/paused": "true"}})
        status = {"clusterDeploymentReference": {"name": CLUSTER, "namespace": "edge"}}
        await self.rig.client.patch(AGENT_CLUSTER, CLUSTER, "edge", {"status": status}, subresource="status")
        await self.rig.create(SECRET, "user-data", data=encoded(value=user_data()))

    async def machine(
        self,
        name: str,
        *,
        secret: str = "user-data",
        bootstrap: Object | None = None,
        selector: Object | None = None,
        **metadata: Any,
    ) -> Object:
        """A Machine and its AgentMachine; the Machine is held by a finalizer that no controller removes."""
        labels = {CLUSTER_NAME: CLUSTER}
        spec = {
            "clusterName": CLUSTER,
            "bootstrap": {"dataSecretName": secret} if secret else bootstrap or {},
            "infrastructureRef": reference(CORE_KINDS, PROVIDER, "AgentMachine", name),
        }
        made = await self.rig.create(
            CORE_KINDS.machine, name, spec, metadata={"labels": labels, "finalizers": ["test.example.com/held"]}
        )
        owner = {"apiVersion": f"{CORE}/v1beta2", "kind": "Machine", "name": name, "uid": made["metadata"]["uid"]}
        wanted = {"agentLabelSelector": selector} if selector is not None else {}
        return await self.rig.create(AGENT_MACHINE, name, wanted, metadata={"ownerReferences": [owner], **metadata})

    async def machine_status(self, name: str, **status: Any) -> None:
        await self.rig.client.patch(CORE_KINDS.machine, name, "edge", {"status": status}, subresource="status")

    async def deleting(self, name: str, reason: str) -> None:
        """The core waits with the deletion of a Machine."""
        await self.rig.client.delete(CORE_KINDS.machine, name, "edge")
        entry = {"type": "Deleting", "status": "True", "reason": reason, "message": "m", "lastTransitionTime": NOW}
        await self.machine_status(name, conditions=[entry])


async def settle() -> None:
    """Time for what should not happen."""
    await asyncio.sleep(1.5)


@contextlib.asynccontextmanager
async def stage(tmp_path: Path, player: str) -> AsyncIterator[Stage]:
    """``player``: who plays the provider."""
    async with hub_rig(tmp_path, site=site(provider="upstream" if player == "lab" else "none")) as rig:
        await quiet(rig)
        process = await upstream(rig, tmp_path) if player == "upstream" else None
        try:
            yield Stage(rig)
        finally:
            if process is not None:
                process.kill()
                await process.wait()


async def quiet(rig: Rig) -> None:
    """No program plays the core."""
    operators = rig.hub.operators
    assert operators is not None and operators.cluster_api is not None
    names = {controller.name for controller in operators.cluster_api.core.controllers}
    for task in asyncio.all_tasks():
        if task.get_name() in names:
            task.cancel()
    await asyncio.sleep(0)


async def upstream(rig: Rig, tmp_path: Path) -> asyncio.subprocess.Process:
    """Upstream's own program, for one namespace."""
    kubeconfig = tmp_path / "provider.kubeconfig"
    kubeconfig.write_text(rig.hub.kubeconfig(direct=True))
    options = [
        "--namespace",
        "edge",
        "--agent-namespace",
        "edge",
        "--metrics-bind-address=0",
        "--health-probe-bind-address=0",
        f"--kubeconfig={kubeconfig}",
    ]
    with (tmp_path / "provider.log").open("wb") as log:
        return await asyncio.create_subprocess_exec(PROGRAM, *options, stdout=log, stderr=log)
