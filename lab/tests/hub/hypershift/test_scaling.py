# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test scaling, replacing and rolling NodePools of a simulated hub: machines boot, install, join and are released."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from ztlab.hub.hypershift.kinds import AGENT_MACHINE, HOSTED_CLUSTER, NODE_POOL
from ztlab.hub.names import AGENT, NODE, Kind, Object, annotations_of
from ztlab.service import machine_host

from .fleet import Fleet, fleet_rig, state_of
from .hosting import SPACE, guest_client, order_pool
from .pools import condition_of

POD = Kind("", "v1", "Pod", "pods")
BUDGET = Kind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets")
UP = ["binding", "discovering", "installing", "installing-in-progress", "added-to-existing-cluster"]
BACK = ["reclaiming", "reclaiming-rebooting", "known-unbound"]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hour that a host has to come back is a quarter of a minute here."""
    monkeypatch.setattr(machine_host, "RECLAIM_SECONDS", 86400)


def passed(states: list[str], wanted: list[str]) -> bool:
    """Whether the wanted states appear in this order; others may lie between."""
    rest = iter(states)
    return all(state in rest for state in wanted)


def test_in_place_up_down_and_up_again(tmp_path: Path) -> None:
    """0 -> 5 -> 2 -> 5: every host that leaves is reclaimed and serves again, no machine is booted by a user."""

    async def run() -> None:
        async with fleet_rig(tmp_path, 5) as fleet:
            await order_pool(
                fleet.rig,
                replicas=0,
                nodeLabels={"zone": "a"},
                taints=[{"key": "dedicated", "value": "x", "effect": "NoSchedule"}],
            )
            await fleet.at(0)
            await fleet.scale(5)
            await _joined(fleet)
            await fleet.scale(2)
            kept = set(await fleet.machines())
            gone = set(fleet.ids) - kept
            await fleet.until_free(gone)
            for name in gone:
                assert passed(fleet.states[name], [*UP, *BACK]), fleet.states[name]
            assert set(await fleet.nodes()) == kept
            boots = {name: len(fleet.lab.machines[name].boots) for name in kept}
            await fleet.scale(5)
            assert set(await fleet.machines()) == set(fleet.ids)
            assert {name: len(fleet.lab.machines[name].boots) for name in kept} == boots, (
                "those that stayed were not touched"
            )
            await fleet.rig.until(
                HOSTED_CLUSTER,
                "guest",
                lambda item: item["status"]["version"]["history"][0]["state"] == "Completed",
                namespace="clusters",
                seconds=30,
            )

    asyncio.run(run())


async def _joined(fleet: Fleet) -> None:
    """What a machine that joined left everywhere."""
    for states in fleet.states.values():
        assert passed(states, UP), states
    machines = await fleet.machines()
    for name, node in (await fleet.nodes()).items():
        machine = machines[name]
        assert node["spec"]["providerID"] == machine["spec"]["providerID"] == f"agent://{fleet.ids[name]}"
        assert machine["status"]["phase"] == "Running" and machine["status"]["nodeRef"]["name"] == name
        labels = node["metadata"]["labels"]
        assert (labels["hypershift.openshift.io/nodePool"], labels["zone"]) == ("pool", "a")
        assert node["spec"]["taints"] == [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]
        assert annotations_of(node)["hypershift.openshift.io/labelsSynced"] == "true"
    pool = await fleet.rig.get(NODE_POOL, "pool", "clusters")
    versions = pool["status"]["nodesInfo"]["nodeVersions"]
    assert [(entry["ocpVersion"], entry["readyNodeCount"]) for entry in versions] == [("4.22.0", 5)]
    assert condition_of(pool, "ReachedIgnitionEndpoint")["status"] == "True"
    for agent in (await fleet.agents()).values():
        assert agent["spec"]["machineConfigPool"] == "ignition"
        assert agent["spec"]["ignitionEndpointHTTPHeaders"]["NodePool"] == "clusters/pool"
        assert {entry["type"] for entry in agent["status"]["csrStatus"]["approvedCSRs"]} == {"client", "serving"}


def test_replace_with_hosts_that_have_to_be_booted(tmp_path: Path) -> None:
    """A rollout takes the spare host; what cannot be reclaimed waits for a boot of the discovery image; a drain waits
    for a disruption budget.
    """

    async def run() -> None:
        async with fleet_rig(tmp_path, 3, version="v1beta1") as fleet:
            await order_pool(fleet.rig, upgrade="Replace", replicas=0)
            await fleet.at(0)
            await fleet.scale(2)
            fleet.lab.faults.add("reclaim-fails", count=None)
            await _victim_by_name(fleet)
            await _drain(fleet)
            await _rollout(fleet)

    asyncio.run(run())


async def _victim_by_name(fleet: Fleet) -> None:
    """The annotated Machine goes; its host waits for a user."""
    machines = await fleet.machines()
    name = max(machines)
    machine = machines[name]["metadata"]["name"]
    await fleet.rig.patch(
        fleet.core.machine, machine, {"metadata": {"annotations": {"cluster.x-k8s.io/delete-machine": "yes"}}}, SPACE
    )
    await fleet.scale(1)
    assert set(await fleet.machines()) == set(machines) - {name}
    agent = await fleet.rig.until(
        AGENT, fleet.ids[name], lambda item: state_of(item) == "unbinding-pending-user-action"
    )
    assert "agentMachineRef" not in agent["metadata"]["labels"] and not agent["spec"].get("clusterDeploymentName")
    fleet.boot(name)
    await fleet.until_free([name])


async def _drain(fleet: Fleet) -> None:
    """A pod that may not be evicted holds up the deletion; the Node is cordoned meanwhile."""
    client = await guest_client(fleet.rig)
    (node,) = await fleet.nodes()
    labels = {"app": "precious"}
    spec = {"nodeName": node, "containers": [{"name": "a", "image": "b"}]}
    await client.create(POD, {"metadata": {"namespace": "default", "name": "precious", "labels": labels}, "spec": spec})
    budget = {
        "metadata": {"namespace": "default", "name": "precious"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": labels}},
    }
    await client.create(BUDGET, budget)
    pods = (await client.list(POD))[0]
    assert {pod["spec"]["nodeName"] for pod in pods if pod["metadata"]["name"] != "precious"} == {node}
    (machine,) = (await fleet.machines()).values()
    await fleet.rig.client.patch(NODE_POOL, "pool", "clusters", {"spec": {"replicas": 0}}, subresource="scale")

    def draining(item: Object) -> bool:
        return "default/precious: Cannot evict pod" in json.dumps(item["status"])

    await fleet.rig.until(fleet.core.machine, machine["metadata"]["name"], draining, namespace=SPACE, seconds=20)
    found = await client.get(NODE, node)
    assert found is not None and found["spec"]["unschedulable"] is True
    await client.delete(BUDGET, "precious", "default")
    await fleet.count(AGENT_MACHINE, 0)
    name = next(name for name in fleet.ids if name == node)
    await fleet.rig.until(AGENT, fleet.ids[name], lambda item: state_of(item) == "unbinding-pending-user-action")
    fleet.boot(name)
    await fleet.until_free(fleet.ids)


async def _rollout(fleet: Fleet) -> None:
    """Another selector rolls the pool: the new host joins before the old one leaves."""
    await fleet.scale(1)
    (before,) = await fleet.machines()
    spare = next(name for name in fleet.ids if name != before)
    await fleet.rig.patch(AGENT, fleet.ids[spare], {"metadata": {"labels": {"size": "huge"}}})
    selector = {"matchLabels": {"size": "huge"}}
    await fleet.rig.patch(
        NODE_POOL, "pool", {"spec": {"platform": {"agent": {"agentLabelSelector": selector}}}}, "clusters"
    )
    updating = "UpdatingPlatformMachineTemplate"
    await fleet.rig.until(
        NODE_POOL, "pool", lambda item: condition_of(item, updating)["status"] == "True", namespace="clusters"
    )
    await fleet.rig.until(
        NODE_POOL, "pool", lambda item: condition_of(item, updating)["status"] == "False", namespace="clusters"
    )
    await fleet.count(fleet.core.machine, 1)
    assert set(await fleet.machines()) == {spare}
    await fleet.rig.until(AGENT, fleet.ids[before], lambda item: state_of(item) == "unbinding-pending-user-action")
