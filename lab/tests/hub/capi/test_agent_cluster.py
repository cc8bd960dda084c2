# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how the Agent provider reconciles an AgentCluster, and which Nodes get their provider ID. If CAPI_PROVIDER_AGENT
names upstream's program, the same tests also run with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from ztlab.hub.capi.kinds import (
    AGENT_CLUSTER,
    AGENT_CLUSTER_FINALIZER,
    AGENT_MACHINE,
    CORE,
    HOSTED_CONTROL_PLANE,
    PROVIDER,
)
from ztlab.hub.names import AGENT, CLUSTER_DEPLOYMENT, CLUSTER_INSTALL, NODE, SECRET, Object, labels_of

from .site import CLUSTER, IGNITION, encoded, reference, workload_cluster
from .stage import CORE_KINDS, INSTALLED, PLAYERS, Stage, settle, stage

pytestmark = pytest.mark.parametrize("player", PLAYERS)
BACKUP = "cluster.open-cluster-management.io/backup"
PAUSED = "cluster.x-k8s.io/paused"


def play(tmp_path: Path, player: str, scene: Callable[[Stage], Awaitable[None]]) -> None:
    async def run() -> None:
        async with stage(tmp_path, player) as found:
            await scene(found)

    asyncio.run(run())


async def order(on: Stage, **control_plane: Any) -> Object:
    """Control plane, Cluster and the AgentCluster that it owns."""
    spec = {"dns": {"baseDomain": "lab.example.com"}, "pullSecret": {"name": "pull-secret"}} | control_plane
    await on.rig.create(HOSTED_CONTROL_PLANE, CLUSTER, spec)
    targets = {
        "controlPlaneRef": reference(CORE_KINDS, HOSTED_CONTROL_PLANE.group, "HostedControlPlane", CLUSTER),
        "infrastructureRef": reference(CORE_KINDS, PROVIDER, "AgentCluster", CLUSTER),
    }
    cluster = await on.rig.create(CORE_KINDS.cluster, CLUSTER, targets)
    owner = {"apiVersion": f"{CORE}/v1beta2", "kind": "Cluster", "name": CLUSTER, "uid": cluster["metadata"]["uid"]}
    await on.rig.create(SECRET, "authority", data=encoded(a="b"))
    endpoint = {"url": IGNITION, "caCertificateReference": {"name": "authority", "namespace": "edge"}}
    return await on.rig.create(
        AGENT_CLUSTER, CLUSTER, {"ignitionEndpoint": endpoint}, metadata={"ownerReferences": [owner]}
    )


async def plane_ready(on: Stage, **more: Any) -> None:
    status = {"kubeConfig": {"name": "admin-kubeconfig", "key": "kubeconfig"}, **more}
    await on.rig.client.patch(HOSTED_CONTROL_PLANE, CLUSTER, "edge", {"status": status}, subresource="status")


def test_from_a_control_plane_to_a_cluster_of_the_service(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        item = await order(on)
        await on.rig.until(
            AGENT_CLUSTER, CLUSTER, lambda item: item["metadata"].get("finalizers") == [AGENT_CLUSTER_FINALIZER]
        )
        await settle()
        assert await on.rig.client.get(CLUSTER_DEPLOYMENT, CLUSTER, "edge") is None, (
            "the control plane has no kubeconfig yet"
        )
        await on.rig.create(SECRET, "admin-kubeconfig", data=encoded(kubeconfig="x"))
        await plane_ready(on, kubeadminPassword={"name": "password"})
        deployment = await on.rig.until(CLUSTER_DEPLOYMENT, CLUSTER, lambda item: True)
        uid = item["metadata"]["ownerReferences"][0]["uid"]
        wanted: Object = {
            "installed": True,
            "clusterName": CLUSTER,
            "baseDomain": "lab.example.com",
            "platform": {"agentBareMetal": {"agentSelector": {}}},
            "pullSecretRef": {"name": "pull-secret"},
            "clusterInstallRef": {
                "group": CLUSTER_INSTALL.group,
                "version": "v1beta1",
                "kind": "AgentClusterInstall",
                "name": CLUSTER,
            },
            "clusterMetadata": {
                "clusterID": uid,
                "infraID": uid,
                "adminKubeconfigSecretRef": {"name": "admin-kubeconfig"},
                "adminPasswordSecretRef": {"name": "password"},
            },
        }
        assert {name: deployment["spec"].get(name) for name in wanted} == wanted
        assert labels_of(deployment)["agentClusterRef"] == CLUSTER
        install = await on.rig.until(CLUSTER_INSTALL, CLUSTER, lambda item: True)
        authority = {"name": "authority", "namespace": "edge"}
        assert install["spec"]["ignitionEndpoint"] == {
            "url": "https://10.0.0.77:22623",
            "caCertificateReference": authority,
        }
        assert (
            install["spec"]["provisionRequirements"] == {"controlPlaneAgents": 3}
            and install["spec"]["networking"]["userManagedNetworking"] is True
        )
        await settle()
        assert "ready" not in (await on.rig.get(AGENT_CLUSTER, CLUSTER))["status"], "the endpoint is unknown"
        await on.rig.patch(
            AGENT_CLUSTER, CLUSTER, {"spec": {"controlPlaneEndpoint": {"host": "10.0.0.77", "port": 6443}}}
        )
        item = await on.rig.until(AGENT_CLUSTER, CLUSTER, lambda item: item["status"].get("ready"))
        assert item["status"] == {"ready": True, "clusterDeploymentReference": {"name": CLUSTER, "namespace": "edge"}}
        assert labels_of(item)[BACKUP] == "true"
        for name in ("pull-secret", "admin-kubeconfig", "authority"):
            assert labels_of(await on.rig.get(SECRET, name)).get(BACKUP) == "true", name

    play(tmp_path, player, scene)


def test_a_cluster_deployment_that_a_user_deletes_is_not_made_again(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.rig.create(SECRET, "admin-kubeconfig", data=encoded(kubeconfig="x"))
        await order(on)
        await plane_ready(on)
        await on.rig.until(
            AGENT_CLUSTER, CLUSTER, lambda item: (item.get("status") or {}).get("clusterDeploymentReference")
        )
        await on.rig.until(CLUSTER_INSTALL, CLUSTER, lambda item: item["metadata"].get("finalizers"))
        await on.rig.client.delete(CLUSTER_DEPLOYMENT, CLUSTER, "edge")
        await on.rig.gone(CLUSTER_DEPLOYMENT, CLUSTER)
        await settle()
        assert await on.rig.client.get(CLUSTER_DEPLOYMENT, CLUSTER, "edge") is None
        assert (await on.rig.get(AGENT_CLUSTER, CLUSTER))["status"]["clusterDeploymentReference"]["name"] == CLUSTER

    play(tmp_path, player, scene)


def test_a_paused_cluster_leaves_its_deployment_behind(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.rig.create(SECRET, "admin-kubeconfig", data=encoded(kubeconfig="x"))
        await order(on)
        await plane_ready(on)
        await on.rig.until(CLUSTER_INSTALL, CLUSTER, lambda item: True)
        await on.rig.patch(AGENT_CLUSTER, CLUSTER, {"metadata": {"annotations": {PAUSED: "true"}}})
        await on.rig.until(CLUSTER_DEPLOYMENT, CLUSTER, lambda item: not item["metadata"].get("ownerReferences"))
        await on.rig.patch(AGENT_CLUSTER, CLUSTER, {"metadata": {"annotations": {PAUSED: None}}})
        await on.rig.until(CLUSTER_DEPLOYMENT, CLUSTER, lambda item: item["metadata"].get("ownerReferences"))
        await on.rig.patch(AGENT_CLUSTER, CLUSTER, {"metadata": {"annotations": {PAUSED: "true"}}})
        await on.rig.until(CLUSTER_DEPLOYMENT, CLUSTER, lambda item: not item["metadata"].get("ownerReferences"))
        await on.rig.client.delete(AGENT_CLUSTER, CLUSTER, "edge")
        await on.rig.gone(AGENT_CLUSTER, CLUSTER)
        await settle()
        assert not (await on.rig.get(CLUSTER_DEPLOYMENT, CLUSTER))["metadata"].get("deletionTimestamp")

    play(tmp_path, player, scene)


def test_nodes_get_their_provider_id(tmp_path: Path, player: str) -> None:
    if player == "upstream":
        pytest.skip("a client in Go sends Nodes in protobuf, which the lab's clusters do not read")

    async def scene(on: Stage) -> None:
        cluster = await workload_cluster(on.rig)
        try:
            await on.cluster()
            await on.agent("a1", hostname="worker-0")
            await on.machine("m1")
            await on.rig.until(AGENT_MACHINE, "m1", lambda item: (item.get("status") or {}).get("agentRef"))
            cluster.node_booted("worker-0", "worker", "10.0.0.60", automatic=True)
            await on.agent_is("a1", "added-to-existing-cluster", INSTALLED)
            await on.rig.until(AGENT_MACHINE, "m1", lambda item: item["status"].get("ready"))
            client = on.rig.hub.spokes.client(
                cluster.kubeconfig(f"https://{on.rig.lab.fabric.table.loopback('10.0.0.77')}:6443")
            )
            async with asyncio.timeout(300):
                while ((await client.get(NODE, "worker-0")) or {}).get("spec", {}).get("providerID") != "agent://a1":
                    await asyncio.sleep(0.1)
            assert labels_of(await on.rig.get(SECRET, "admin-kubeconfig"))[BACKUP] == "true"
            await on.rig.get(AGENT, "a1")
        finally:
            await cluster.stop()

    play(tmp_path, player, scene)
