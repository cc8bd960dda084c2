# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run each scene (a sequence of writes to the hub's API) with the lab's Agent provider. Compare every field of every
object afterwards with a recording of upstream's provider.

``recorded/<scene>.json`` is the recording. With CAPI_PROVIDER_AGENT upstream's program runs the scene again; with
ZTLAB_RECORD=1 its objects are also recorded again.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from ztlab.hub.capi.kinds import AGENT_CLUSTER, AGENT_MACHINE
from ztlab.hub.names import AGENT, CLUSTER_DEPLOYMENT, CLUSTER_INSTALL, SECRET, Object

from ..rig import condition
from .site import CLUSTER, encoded
from .stage import CORE_KINDS, FREE, INSTALLED, PLAYERS, Stage, settle, stage
from .test_agent_cluster import order, plane_ready
from .volatile import UID, VOLATILE

DIRECTORY = Path(__file__).with_name("recorded")
KINDS = (CORE_KINDS.machine, AGENT_CLUSTER, AGENT_MACHINE, AGENT, SECRET, CLUSTER_DEPLOYMENT, CLUSTER_INSTALL)
# Fields that the Infrastructure Operator and Hive write to the same objects, at times that vary.
OTHERS = {CLUSTER_DEPLOYMENT: ("status",), CLUSTER_INSTALL: ("status",)}


def plain(value: Any) -> Any:
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: "<time>" if name == "lastTransitionTime" else plain(item) for name, item in sorted(value.items())}
    return UID.sub("<uid>", value) if isinstance(value, str) else value


async def objects(on: Stage) -> dict[str, Object]:
    found = {}
    for kind in KINDS:
        for item in (await on.rig.client.list(kind, "edge"))[0]:
            metadata = {name: value for name, value in item["metadata"].items() if name not in VOLATILE and value}
            rest = {name: value for name, value in item.items() if name not in ("metadata", *OTHERS.get(kind, ()))}
            shown = plain({**rest, "metadata": metadata})
            if kind in OTHERS:
                shown["metadata"] = {
                    name: value
                    for name, value in shown["metadata"].items()
                    if name in ("name", "namespace", "ownerReferences")
                }
            found[f"{kind.kind} {item['metadata']['name']}"] = shown
    return dict(sorted(found.items()))


# scenes


def reason(item: Object, kind: str) -> str:
    return condition(item, kind)[1]


async def machines(on: Stage) -> None:
    """One that is installed, one whose host is being installed, one without a host, one whose name is too long."""
    await on.cluster()
    await on.agent("a1", hostname="worker-1", size="large")
    await on.agent("a2", size="medium")
    # Of several that would do upstream takes the first of its cache, whose order is not defined.
    for name, size in (("m1", "large"), ("m2", "medium")):
        await on.machine(name, selector={"matchLabels": {"size": size}})
        await on.rig.until(AGENT_MACHINE, name, lambda item: (item.get("status") or {}).get("agentRef"))
    await on.machine(
        "m3", selector={"matchExpressions": [{"key": "size", "operator": "NotIn", "values": ["large", "medium"]}]}
    )
    long = "l" * 64
    await on.machine(long)
    await on.agent_is("a1", "added-to-existing-cluster", INSTALLED)
    await on.agent_is("a2", "installing", FREE | {"Bound": "True", "RequirementsMet": "True"})
    await on.rig.until(AGENT_MACHINE, "m1", lambda item: item["status"].get("ready"))
    await on.rig.until(AGENT_MACHINE, "m2", lambda item: condition(item, "AgentRequirementsMet")[0] == "True")
    await on.rig.until(
        AGENT_MACHINE,
        "m3",
        lambda item: reason(item, "AgentReserved") == "NoSuitableAgents" and item["metadata"].get("finalizers"),
    )
    await on.rig.until(
        AGENT_MACHINE,
        long,
        lambda item: reason(item, "AgentReserved") == "AgentNotYetFound" and item["metadata"].get("finalizers"),
    )


async def cluster(on: Stage) -> None:
    """From a control plane to an AgentCluster that is ready."""
    await on.rig.create(SECRET, "admin-kubeconfig", data=encoded(kubeconfig="x"))
    await on.rig.create(SECRET, "password", data=encoded(password="x"))
    await order(on)
    await plane_ready(on, kubeadminPassword={"name": "password"})
    await on.rig.patch(AGENT_CLUSTER, CLUSTER, {"spec": {"controlPlaneEndpoint": {"host": "10.0.0.77", "port": 6443}}})
    await on.rig.until(AGENT_CLUSTER, CLUSTER, lambda item: (item.get("status") or {}).get("ready"))


async def released(on: Stage) -> None:
    """A Machine whose hook was released, and one that waits for its host."""
    await on.cluster()
    for name, agent in (("m1", "a1"), ("m2", "a2")):
        await on.agent(agent, hostname=f"worker-{agent}")
        await on.machine(name)
        await on.rig.until(AGENT_MACHINE, name, lambda item: (item.get("status") or {}).get("agentRef"))
        await on.agent_is(agent, "added-to-existing-cluster", INSTALLED)
        await on.rig.until(AGENT_MACHINE, name, lambda item: item["status"].get("ready"))
        await on.deleting(name, "WaitingForPreTerminateHook")
        await on.rig.until(AGENT, agent, lambda item: not item["spec"].get("clusterDeploymentName"))
    await on.agent_is("a1", "unbinding-pending-user-action", INSTALLED | {"Bound": "False"})
    await on.rig.until(AGENT_MACHINE, "m1", lambda item: not item["metadata"].get("finalizers"))


SCENES: dict[str, Callable[[Stage], Awaitable[None]]] = {"machines": machines, "cluster": cluster, "released": released}


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("player", PLAYERS)
def test_every_field_is_as_upstream_left_it(tmp_path: Path, player: str, name: str) -> None:
    async def run() -> dict[str, Object]:
        async with stage(tmp_path, player) as on:
            await SCENES[name](on)
            await settle()
            return await objects(on)

    found, path = asyncio.run(run()), DIRECTORY / f"{name}.json"
    if player == "upstream" and os.environ.get("ZTLAB_RECORD"):
        DIRECTORY.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    expected = json.loads(path.read_text())
    assert sorted(found) == sorted(expected)
    for key, item in expected.items():
        assert found[key] == item, key
