# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a MachineDeployment for a cluster of the hub: hosts are selected, installed, become Nodes, and are released."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from ztlab.hub.capi.kinds import (
    AGENT_CLUSTER,
    AGENT_MACHINE,
    DELETE_MACHINE,
    DEPLOYMENT,
    LEADER,
    LEASE,
    MACHINE_HOOK,
    CoreKinds,
)
from ztlab.hub.names import AGENT, CLUSTER_DEPLOYMENT, CLUSTER_INSTALL, NODE, Object, annotations_of, labels_of
from ztlab.newcluster.cluster import NewCluster
from ztlab.service import machine_host

from ..flow import state
from ..rig import Machine, Rig, hub_rig
from .site import CLUSTER, POOL, order_cluster, order_pool, site, workload_cluster


def phase(item: Object) -> str:
    return str((item.get("status") or {}).get("phase", ""))


async def hosts(rig: Rig, count: int) -> list[Machine]:
    """Discovered hosts, approved and named."""
    infra_env = await rig.infra_env()
    machines = [Machine(10 + number) for number in range(count)]
    for agent in rig.boot(infra_env, *machines):
        agent.last_stage = "Joined"
    for machine in machines:
        await rig.until(AGENT, machine.id, lambda item: state(item) == "known-unbound")
        await rig.patch(AGENT, machine.id, {"spec": {"approved": True, "hostname": machine.name}})
    return machines


async def join(rig: Rig, cluster: NewCluster, machine: Machine) -> None:
    """A host that restarts from its disk."""
    await rig.until(
        AGENT, machine.id, lambda item: ((item["status"].get("progress") or {}).get("currentStage")) == "Rebooting"
    )
    cluster.node_booted(machine.name, "worker", machine.ip, automatic=False)


async def machines_of(rig: Rig, core: CoreKinds) -> list[Object]:
    return (await rig.client.list(core.machine, "edge"))[0]


@pytest.mark.parametrize("version", ["v1beta2", "v1beta1"])
def test_a_pool_grows_and_shrinks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(machine_host, "RECLAIM_SECONDS", 60)
    core = CoreKinds(version)

    async def run() -> None:
        async with hub_rig(tmp_path, site=site(version)) as rig:
            cluster = await workload_cluster(rig)
            try:
                await order_cluster(rig, core)
                await rig.until(AGENT_CLUSTER, CLUSTER, lambda item: (item.get("status") or {}).get("ready"))
                deployment = await rig.get(CLUSTER_DEPLOYMENT, CLUSTER)
                assert deployment["spec"]["installed"] and labels_of(deployment)["agentClusterRef"] == CLUSTER
                install = await rig.until(CLUSTER_INSTALL, CLUSTER, lambda item: state(item) == "adding-hosts")
                assert install["spec"]["ignitionEndpoint"]["url"] == "https://10.0.0.77:22623"
                await rig.until(core.cluster, CLUSTER, lambda item: phase(item) == "Provisioned")
                await order_pool(rig, core, 2)
                await rig.until(
                    core.machine_deployment, POOL, lambda item: (item.get("status") or {}).get("replicas") == 2
                )
                machines = await hosts(rig, 2)
                await asyncio.gather(*(join(rig, cluster, machine) for machine in machines))
                await grown(rig, core, machines)
                await shrunk(rig, core)
            finally:
                await cluster.stop()

    asyncio.run(run())


def test_the_provider_is_where_its_deployment_is(tmp_path: Path) -> None:
    """Scaled to nothing it does nothing; one for a namespace of its own takes over there."""

    async def run() -> None:
        async with hub_rig(tmp_path, site=site()) as rig:
            space, name = "cluster-api-provider-agent", "cluster-api-provider-agent-controller-manager"
            deployment = await rig.until(
                DEPLOYMENT, name, lambda item: (item.get("status") or {}).get("readyReplicas"), namespace=space
            )
            await rig.patch(DEPLOYMENT, name, {"spec": {"replicas": 0}}, namespace=space)
            await rig.until(DEPLOYMENT, name, lambda item: not (item["status"].get("readyReplicas")), namespace=space)
            await rig.create(AGENT_CLUSTER, CLUSTER, {})
            await asyncio.sleep(1)
            assert not (await rig.get(AGENT_CLUSTER, CLUSTER))["metadata"].get("finalizers")
            container = {
                **deployment["spec"]["template"]["spec"]["containers"][0],
                "args": ["--namespace=edge", "--agent-namespace=edge"],
            }
            spec = {
                **deployment["spec"],
                "replicas": 1,
                "template": {**deployment["spec"]["template"], "spec": {"containers": [container]}},
            }
            await rig.create(DEPLOYMENT, "own", spec)
            await rig.until(AGENT_CLUSTER, CLUSTER, lambda item: item["metadata"].get("finalizers"))
            await rig.until(LEASE, LEADER, lambda item: item["spec"]["renewTime"])

    asyncio.run(run())


async def grown(rig: Rig, core: CoreKinds, machines: list[Machine]) -> None:
    done = await rig.until(core.machine_deployment, POOL, lambda item: (item["status"]).get("availableReplicas") == 2)
    assert phase(done) == "Running"
    for item in await machines_of(rig, core):
        assert phase(item) == "Running" and MACHINE_HOOK in annotations_of(item)
        provided = await rig.get(AGENT_MACHINE, item["metadata"]["name"])
        assert provided["status"]["ready"] and annotations_of(provided)["note"] == "kept"
        assert (
            item["spec"]["providerID"]
            == provided["spec"]["providerID"]
            == f"agent://{provided['status']['agentRef']['name']}"
        )
        assert provided["status"]["conditions"][0]["type"] == "Ready"
        agent = await rig.get(AGENT, provided["status"]["agentRef"]["name"])
        assert labels_of(agent)["agentMachineRef"] == item["metadata"]["name"]
        assert agent["spec"]["machineConfigPool"] == "ignition"
        assert agent["spec"]["ignitionEndpointHTTPHeaders"] == {"NodePool": "clusters/pool"}
    lease = await rig.client.get(LEASE, LEADER, "cluster-api-provider-agent")
    assert lease is not None and lease["spec"]["holderIdentity"]
    provider = await rig.client.get(
        DEPLOYMENT, "cluster-api-provider-agent-controller-manager", "cluster-api-provider-agent"
    )
    assert provider is not None and provider["status"]["readyReplicas"] == 1


async def shrunk(rig: Rig, core: CoreKinds) -> None:
    """The chosen Machine goes, its host is released, its Node is deleted."""
    victim = sorted(item["metadata"]["name"] for item in await machines_of(rig, core))[1]
    provided = await rig.get(AGENT_MACHINE, victim)
    await rig.patch(core.machine, victim, {"metadata": {"annotations": {DELETE_MACHINE: "yes"}}})
    await rig.patch(core.machine_deployment, POOL, {"spec": {"replicas": 1}})
    await rig.gone(core.machine, victim)
    assert await rig.client.get(AGENT_MACHINE, victim, "edge") is None
    agent = await rig.get(AGENT, provided["status"]["agentRef"]["name"])
    assert "agentMachineRef" not in labels_of(agent) and "clusterDeploymentName" not in agent["spec"]
    nodes = rig.hub.operators.cluster_api.core.nodes if rig.hub.operators and rig.hub.operators.cluster_api else None
    assert nodes is not None
    client = nodes.client(("edge", CLUSTER))
    assert client is not None
    names = [
        item["metadata"]["name"]
        for item in (await client.list(NODE))[0]
        if "node-role.kubernetes.io/worker" in labels_of(item)
    ]
    assert agent["spec"]["hostname"] not in names and len(names) == 1
    await rig.until(core.machine_deployment, POOL, lambda item: item["status"].get("replicas") == 1)
