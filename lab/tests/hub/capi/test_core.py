# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the lab's Cluster API core (phases, deletion, rollouts). The test simulates the infrastructure provider."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from ztlab.hub.capi.drain import POD
from ztlab.hub.capi.kinds import (
    AGENT_CLUSTER,
    AGENT_MACHINE,
    AGENT_MACHINE_TEMPLATE,
    CONTRACT_LABEL,
    DEFINITION,
    CoreKinds,
)
from ztlab.hub.capi.shape import new_conditions, old_conditions
from ztlab.hub.client import Client, Refused
from ztlab.hub.conditions import find
from ztlab.hub.names import NAMESPACE, NODE, Kind, Object, annotations_of, key_of, labels_of

from ..rig import Rig, hub_rig
from .site import CLUSTER, POOL, order_cluster, order_pool, site, workload_cluster

CORE = CoreKinds("v1beta2")
BUDGET = Kind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets")
READY = [
    {
        "type": "Ready",
        "status": "True",
        "reason": "KubeletReady",
        "message": "",
        "lastTransitionTime": "2026-11-21T10:00:00Z",
    }
]


class Play:
    """``client`` is that of the workload cluster; ``reasons``: what each Machine's deletion waited for, in order."""

    def __init__(self, rig: Rig, client: Client) -> None:
        self.rig, self.client = rig, client
        self.reasons: dict[str, list[str]] = {}
        self.provides = True
        assert rig.hub.operators is not None
        rig.hub.operators.world.informers[CORE.machine].listen(self._note)

    def _note(self, now: Object | None, _before: Object | None) -> None:
        entry = find(new_conditions(now), "Deleting") if now is not None else {}
        seen = self.reasons.setdefault(now["metadata"]["name"], []) if now is not None else []
        if entry.get("status") == "True" and seen[-1:] != [entry["reason"]]:
            seen.append(str(entry["reason"]))

    async def provide(self) -> None:
        """The infrastructure: every machine is there at once, with a Node of its name."""
        while True:
            with contextlib.suppress(Refused):
                for item in (await self.rig.client.list(AGENT_MACHINE))[0]:
                    if (
                        self.provides
                        and not (item.get("status") or {}).get("ready")
                        and not item["metadata"].get("deletionTimestamp")
                    ):
                        await self._provide(item)
            await asyncio.sleep(0.1)

    async def _provide(self, item: Object) -> None:
        namespace, name = key_of(item)
        provider_id = f"agent://{name}"
        await self.rig.client.patch(AGENT_MACHINE, name, namespace, {"spec": {"providerID": provider_id}})
        status = {"ready": True, "addresses": [{"type": "InternalDNS", "address": name}]}
        await self.rig.client.patch(AGENT_MACHINE, name, namespace, {"status": status}, subresource="status")
        with contextlib.suppress(Refused):
            await self.client.create(NODE, {"metadata": {"name": name}, "spec": {"providerID": provider_id}})
        await self.client.patch(NODE, name, "", {"status": {"conditions": READY}}, subresource="status")

    async def machines(self) -> list[Object]:
        return sorted(
            (await self.rig.client.list(CORE.machine, "edge"))[0], key=lambda item: str(item["metadata"]["name"])
        )

    async def first(self) -> Object:
        """The Machine that comes first, once there is one."""
        async with asyncio.timeout(300):
            while not (found := await self.machines()):
                await asyncio.sleep(0.1)
        return found[0]

    async def running(self, count: int, seconds: float = 300.0) -> list[Object]:
        """The Machines, once that many run and no other is left."""
        async with asyncio.timeout(seconds):
            while True:
                found = await self.machines()
                if len(found) == count and all((item.get("status") or {}).get("phase") == "Running" for item in found):
                    return found
                await asyncio.sleep(0.1)

    async def pod(self, name: str, node: str, **metadata: Any) -> None:
        with contextlib.suppress(Refused):
            await self.client.create(NAMESPACE, {"metadata": {"name": "app"}})
        spec = {"nodeName": node, "containers": [{"name": "c", "image": "i"}]}
        await self.client.create(POD, {"metadata": {"name": name, "namespace": "app", **metadata}, "spec": spec})
        await self.client.patch(POD, name, "app", {"status": {"phase": "Running"}}, subresource="status")


@contextlib.asynccontextmanager
async def playing(tmp_path: Path, replicas: int, version: str = "v1beta2") -> AsyncIterator[Play]:
    async with hub_rig(tmp_path, site=site(version, provider="none")) as rig:
        cluster = await workload_cluster(rig)
        provider: asyncio.Task[None] | None = None
        try:
            play = Play(
                rig,
                rig.hub.spokes.client(cluster.kubeconfig(f"https://{rig.lab.fabric.table.loopback('10.0.0.77')}:6443")),
            )
            provider = asyncio.create_task(play.provide())
            await order_cluster(rig, CORE)
            status = {"ready": True, "clusterDeploymentReference": {}}
            await rig.client.patch(AGENT_CLUSTER, CLUSTER, "edge", {"status": status}, subresource="status")
            await order_pool(rig, CORE, replicas)
            yield play
        finally:
            if provider is not None:
                provider.cancel()
            await cluster.stop()


def act(tmp_path: Path, replicas: int, scene: Callable[[Play], Awaitable[None]]) -> None:
    async def run() -> None:
        async with playing(tmp_path, replicas) as play:
            await scene(play)

    asyncio.run(run())


def test_the_life_of_a_machine(tmp_path: Path) -> None:
    async def scene(play: Play) -> None:
        play.provides = False
        await play.rig.until(
            CORE.machine_deployment, POOL, lambda item: (item.get("status") or {}).get("replicas") == 1
        )
        name = (await play.machines())[0]["metadata"]["name"]
        machine = await play.rig.until(
            CORE.machine, name, lambda item: (item.get("status") or {}).get("phase") == "Provisioning"
        )
        assert find(new_conditions(machine), "InfrastructureReady")["reason"] == "NotReady"
        assert find(old_conditions(machine), "InfrastructureReady")["reason"] == "WaitingForInfrastructure"
        assert not find(old_conditions(machine), "NodeHealthy")
        moment = "2026-11-21T10:00:00Z"
        waiting = {
            "type": "Ready",
            "status": "False",
            "reason": "NoSuitableAgents",
            "message": "none",
            "lastTransitionTime": moment,
        }
        await play.rig.client.patch(
            AGENT_MACHINE, name, "edge", {"status": {"conditions": [waiting]}}, subresource="status"
        )
        machine = await play.rig.until(
            CORE.machine,
            name,
            lambda item: find(old_conditions(item), "InfrastructureReady").get("reason") == "NoSuitableAgents",
        )
        assert find(old_conditions(machine), "Ready")["reason"] == "NoSuitableAgents"
        await play.rig.client.patch(AGENT_MACHINE, name, "edge", {"status": {"conditions": None}}, subresource="status")
        play.provides = True
        (machine,) = await play.running(1)
        machine = await play.rig.until(
            CORE.machine, name, lambda item: find(new_conditions(item), "Available").get("status") == "True"
        )
        assert find(old_conditions(machine), "NodeHealthy")["status"] == "True" and machine["status"]["addresses"]
        provided = await play.rig.get(AGENT_MACHINE, name)
        (owner,) = provided["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["name"], owner["controller"]) == ("Machine", name, True)
        assert annotations_of(provided)["cluster.x-k8s.io/cloned-from-name"] == POOL
        node = await play.client.get(NODE, name)
        assert node is not None and annotations_of(node)["cluster.x-k8s.io/machine"] == name
        await play.client.patch(
            NODE,
            name,
            "",
            {"status": {"conditions": [{**READY[0], "status": "False", "message": "gone"}]}},
            subresource="status",
        )
        machine = await play.rig.until(
            CORE.machine, name, lambda item: find(old_conditions(item), "NodeHealthy").get("status") == "False"
        )
        await play.rig.until(CORE.machine_deployment, POOL, lambda item: not item["status"].get("availableReplicas"))

    act(tmp_path, 1, scene)


def test_the_newer_contract_is_a_promise(tmp_path: Path) -> None:
    """A definition with that label tells of its objects by another field, which upstream's provider does not write."""
    name = f"{AGENT_MACHINE.plural}.{AGENT_MACHINE.group}"

    async def scene(play: Play) -> None:
        await play.rig.client.patch(DEFINITION, name, "", {"metadata": {"labels": {CONTRACT_LABEL: "v1beta1"}}})
        await play.rig.until(
            AGENT_MACHINE,
            (await play.first())["metadata"]["name"],
            lambda item: (item.get("status") or {}).get("ready"),
        )
        await asyncio.sleep(1)
        assert (await play.first())["status"]["phase"] == "Provisioning"
        await play.rig.client.patch(DEFINITION, name, "", {"metadata": {"labels": {CONTRACT_LABEL: None}}})
        await play.running(1)

    act(tmp_path, 1, scene)


def test_a_deletion_goes_its_way(tmp_path: Path) -> None:
    hooks = {
        "pre-drain.delete.hook.machine.cluster.x-k8s.io/a": "",
        "pre-terminate.delete.hook.machine.cluster.x-k8s.io/b": "",
    }

    async def scene(play: Play) -> None:
        (machine,) = await play.running(1)
        name = machine["metadata"]["name"]
        await play.rig.patch(CORE.machine, name, {"metadata": {"annotations": hooks}})
        daemon = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u", "controller": True}
        await play.pod("daemon", name, ownerReferences=[daemon])
        await play.pod("guarded", name, labels={"app": "guarded"})
        spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "guarded"}}}
        await play.client.create(BUDGET, {"metadata": {"name": "guard", "namespace": "app"}, "spec": spec})
        await play.rig.patch(CORE.machine_deployment, POOL, {"spec": {"replicas": 0}})
        await until_reason(play, name, "WaitingForPreDrainHook")
        assert not ((await play.client.get(NODE, name)) or {})["spec"].get("unschedulable")
        await play.rig.patch(CORE.machine, name, {"metadata": {"annotations": {next(iter(hooks)): None}}})
        machine = await until_reason(play, name, "DrainingNode")
        assert ((await play.client.get(NODE, name)) or {})["spec"]["unschedulable"]
        machine = await play.rig.until(
            CORE.machine, name, lambda item: "disruption budget" in find(new_conditions(item), "Deleting")["message"]
        )
        assert (
            machine["status"]["deletion"]["nodeDrainStartTime"]
            and find(old_conditions(machine), "DrainingSucceeded")["status"] == "False"
        )
        await play.client.delete(BUDGET, "guard", "app")
        machine = await until_reason(play, name, "WaitingForPreTerminateHook")
        assert (
            await play.client.get(POD, "daemon", "app") is not None
            and await play.client.get(POD, "guarded", "app") is None
        )
        hook = find(old_conditions(machine), "PreTerminateDeleteHookSucceeded")
        assert (hook["status"], hook["reason"]) == ("False", "WaitingExternalHook") and machine["status"]["deletion"][
            "waitForPreTerminateHookStartTime"
        ]
        assert await play.client.get(NODE, name) is not None, "the Node is there until the hook is gone"
        await play.rig.patch(AGENT_MACHINE, name, {"metadata": {"finalizers": ["test.example.com/held"]}})
        await play.rig.patch(CORE.machine, name, {"metadata": {"annotations": {list(hooks)[1]: None}}})
        machine = await until_reason(play, name, "WaitingForInfrastructureDeletion")
        assert find(old_conditions(machine), "PreTerminateDeleteHookSucceeded")["status"] == "True"
        await play.rig.patch(AGENT_MACHINE, name, {"metadata": {"finalizers": None}})
        await play.rig.gone(CORE.machine, name)
        assert await play.client.get(NODE, name) is None
        wanted = [
            "WaitingForPreDrainHook",
            "DrainingNode",
            "WaitingForPreTerminateHook",
            "WaitingForInfrastructureDeletion",
            "DeletionCompleted",
        ]
        assert play.reasons[name] == wanted

    act(tmp_path, 1, scene)


async def until_reason(play: Play, name: str, reason: str) -> Object:
    return await play.rig.until(
        CORE.machine, name, lambda item: find(new_conditions(item), "Deleting").get("reason") == reason
    )


def test_a_drain_ends_with_its_time(tmp_path: Path) -> None:
    async def scene(play: Play) -> None:
        (machine,) = await play.running(1)
        name = machine["metadata"]["name"]
        template = {"spec": {"template": {"spec": {"deletion": {"nodeDrainTimeoutSeconds": 60}}}}}
        await play.rig.patch(CORE.machine_deployment, POOL, template)
        await play.rig.until(
            CORE.machine, name, lambda item: (item["spec"].get("deletion") or {}).get("nodeDrainTimeoutSeconds") == 60
        )
        assert len((await play.rig.client.list(CORE.machine_set, "edge"))[0]) == 1, "a time-out rolls nothing"
        await play.pod("guarded", name, labels={"app": "guarded"})
        spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "guarded"}}}
        await play.client.create(BUDGET, {"metadata": {"name": "guard", "namespace": "app"}, "spec": spec})
        await play.rig.client.delete(CORE.machine, name, "edge")
        await play.rig.gone(CORE.machine, name)
        (other,) = await play.running(1)
        assert other["metadata"]["name"] != name, "a Machine that is deleted by itself is replaced"
        assert play.reasons[name][0] == "DrainingNode"

    act(tmp_path, 1, scene)


def test_a_cluster_goes_with_all_it_has(tmp_path: Path) -> None:
    async def scene(play: Play) -> None:
        machines = await play.running(2)
        for machine in machines:
            await play.pod(f"p-{machine['metadata']['name']}", machine["metadata"]["name"])
        await play.rig.client.delete(CORE.cluster, CLUSTER, "edge")
        await play.rig.gone(CORE.cluster, CLUSTER)
        assert not await play.machines() and await play.rig.client.get(CORE.machine_deployment, POOL, "edge") is None
        assert await play.rig.client.get(AGENT_CLUSTER, CLUSTER, "edge") is None
        for machine in machines:
            assert "DrainingNode" not in play.reasons[machine["metadata"]["name"]], (
                "what goes as a whole is not drained"
            )

    act(tmp_path, 2, scene)


def rolled_out(item: Object) -> bool:
    status, wanted = item["status"], item["spec"]["replicas"]
    if status.get("observedGeneration") != item["metadata"]["generation"]:
        return False
    return bool(status.get("upToDateReplicas") == status["replicas"] == status.get("availableReplicas") == wanted)


@pytest.mark.parametrize("rolling", [{"maxSurge": 1, "maxUnavailable": 0}, {"maxSurge": 0, "maxUnavailable": 1}])
def test_another_template_replaces_the_machines(tmp_path: Path, rolling: dict[str, int]) -> None:
    async def scene(play: Play) -> None:
        before = await play.running(3)
        counts: list[int] = []
        assert play.rig.hub.operators is not None
        world = play.rig.hub.operators.world
        world.informers[CORE.machine].listen(lambda _now, _before: counts.append(len(world.all(CORE.machine))))
        strategy = {"strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}
        await play.rig.create(AGENT_MACHINE_TEMPLATE, "other", {"template": {"spec": {}}})
        reference = {"apiGroup": AGENT_MACHINE_TEMPLATE.group, "kind": "AgentMachineTemplate", "name": "other"}
        await play.rig.patch(
            CORE.machine_deployment,
            POOL,
            {"spec": {"rollout": strategy, "template": {"spec": {"infrastructureRef": reference}}}},
        )
        await play.rig.until(CORE.machine_deployment, POOL, rolled_out)
        after = await play.running(3)
        assert not {item["metadata"]["name"] for item in before} & {item["metadata"]["name"] for item in after}
        assert max(counts) <= 3 + rolling["maxSurge"] and min(counts) >= 2
        async with asyncio.timeout(300):
            while len((await play.rig.client.list(CORE.machine_set, "edge"))[0]) > 1:
                await asyncio.sleep(0.1)
        (left,) = (await play.rig.client.list(CORE.machine_set, "edge"))[0]
        assert (
            labels_of(left)["machine-template-hash"] == left["spec"]["selector"]["matchLabels"]["machine-template-hash"]
        )

    act(tmp_path, 3, scene)


def test_paused_sets_do_nothing(tmp_path: Path) -> None:
    async def scene(play: Play) -> None:
        await play.running(1)
        (item,) = (await play.rig.client.list(CORE.machine_set, "edge"))[0]
        name = item["metadata"]["name"]
        await play.rig.patch(CORE.machine_set, name, {"metadata": {"annotations": {"cluster.x-k8s.io/paused": "true"}}})
        await play.rig.patch(CORE.machine_deployment, POOL, {"spec": {"replicas": 2}})
        await play.rig.until(CORE.machine_set, name, lambda item: item["spec"]["replicas"] == 2)
        await asyncio.sleep(1)
        assert len(await play.machines()) == 1
        await play.rig.patch(CORE.machine_set, name, {"metadata": {"annotations": {"cluster.x-k8s.io/paused": None}}})
        await play.running(2)

    act(tmp_path, 1, scene)


def test_a_node_that_stays_ill_is_replaced(tmp_path: Path) -> None:
    async def scene(play: Play) -> None:
        machines = await play.running(3)
        # Long enough for both Nodes to be ill before the first one is replaced, also on a busy machine.
        states = [{"type": "Ready", "status": "False", "timeoutSeconds": 300}]
        spec = {
            "clusterName": CLUSTER,
            "selector": {"matchLabels": {"pool": POOL}},
            "checks": {"nodeStartupTimeoutSeconds": 1200, "unhealthyNodeConditions": states},
            "remediation": {"triggerIf": {"unhealthyLessThanOrEqualTo": 1}},
        }
        await play.rig.create(CORE.health_check, "check", spec)
        await play.rig.until(
            CORE.health_check, "check", lambda item: (item.get("status") or {}).get("currentHealthy") == 3
        )
        ill = [{**READY[0], "status": "False"}]
        names = [machine["metadata"]["name"] for machine in machines]
        for name in names[:2]:
            await play.client.patch(NODE, name, "", {"status": {"conditions": ill}}, subresource="status")
        item = await play.rig.until(CORE.health_check, "check", lambda item: item["status"]["currentHealthy"] == 1)
        assert find(item["status"]["conditions"], "RemediationAllowed")["reason"] == "TooManyUnhealthy"
        await asyncio.sleep(1)
        assert [machine["metadata"]["name"] for machine in await play.machines()] == names, "two at once are too many"
        await play.client.patch(NODE, names[0], "", {"status": {"conditions": READY}}, subresource="status")
        await play.rig.gone(CORE.machine, names[1])
        after = {machine["metadata"]["name"] for machine in await play.running(3)}
        assert names[1] not in after and {names[0], names[2]} < after

    act(tmp_path, 3, scene)
