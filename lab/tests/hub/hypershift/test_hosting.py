# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test HostedClusters and NodePools on a hub without machines: which objects they create, what is refused or waits, how
services are published, and how tokens and configurations change.
"""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
from pathlib import Path
from typing import Any

import pytest
from ztlab.hub.client import Refused, from_kubeconfig
from ztlab.hub.hypershift import naming
from ztlab.hub.hypershift.kinds import (
    AGENT_CLUSTER,
    AGENT_MACHINE_TEMPLATE,
    DEPLOYMENT,
    HOSTED_CLUSTER,
    HOSTED_CONTROL_PLANE,
    NODE_POOL,
    ROLE,
    ROLE_BINDING,
    CoreKinds,
)
from ztlab.hub.names import CONFIG_MAP, NAMESPACE, NODE, SECRET, Kind, Object, annotations_of

from ..rig import Rig
from .hosting import SPACE, available, guest_client, hosting_rig, order, order_pool
from .pools import condition_of, service

CLUSTER_VERSION = Kind("config.openshift.io", "v1", "ClusterVersion", "clusterversions", namespaced=False)


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_a_hosted_cluster_and_its_pools(tmp_path: Path, version: str) -> None:
    async def run() -> None:
        async with hosting_rig(tmp_path, version=version, cluster_api={"version": version, "provider": "none"}) as rig:
            await order(rig)
            await order_pool(rig, replicas=0)
            await order_pool(rig, "rolling", "Replace", replicas=0)
            cluster = await available(rig)
            await _control_plane(rig, cluster)
            await _credentials(rig, cluster)
            await _pools(rig, CoreKinds(version))
            await _ignition(rig)
            await _deletion(rig)

    asyncio.run(run())


async def _control_plane(rig: Rig, cluster: Object) -> None:
    spec, status = cluster["spec"], cluster["status"]
    assert spec["infraID"].startswith("guest-") and spec["clusterID"]
    assert status["controlPlaneEndpoint"] == {"host": "10.0.0.5", "port": 30000}
    assert status["payloadArch"] == "AMD64"
    assert (status["version"]["history"][0]["state"], status["version"]["history"][0]["version"]) == (
        "Partial",
        "4.22.0",
    )
    namespace = await rig.get(NAMESPACE, SPACE)
    assert namespace["metadata"]["labels"]["hypershift.openshift.io/hosted-control-plane"] == "true"
    plane = await rig.get(HOSTED_CONTROL_PLANE, "guest", SPACE)
    assert plane["spec"]["platform"]["type"] == "None"
    owner = await rig.until(
        AGENT_CLUSTER, "guest", lambda item: item["spec"].get("controlPlaneEndpoint"), namespace=SPACE
    )
    assert owner["spec"]["ignitionEndpoint"] == {
        "url": f"https://{cluster['status']['ignitionEndpoint']}/ignition",
        "caCertificateReference": {"name": "ignition-server-ca-cert", "namespace": SPACE},
    }
    role = await rig.get(ROLE, f"capi-provider-role-{SPACE}")
    assert role["metadata"]["annotations"] == {"hypershift.openshift.io/cluster": "clusters/guest"}
    assert await rig.client.get(DEPLOYMENT, "capi-provider", SPACE) is None, "the provider is played by another program"


async def _credentials(rig: Rig, cluster: Object) -> None:
    space = {item["metadata"]["name"]: item["data"] for item in (await rig.client.list(SECRET, SPACE))[0]}
    user = {item["metadata"]["name"]: item["data"] for item in (await rig.client.list(SECRET, "clusters"))[0]}
    assert space["admin-kubeconfig"]["kubeconfig"] == user[cluster["status"]["kubeconfig"]["name"]]["kubeconfig"]
    assert space["admin-kubeconfig"]["kubeconfig"] == space[f"{cluster['spec']['infraID']}-kubeconfig"]["value"]
    assert user["guest-kubeadmin-password"]["password"] == space["kubeadmin-password"]["password"]
    client = await guest_client(rig)
    assert (await client.list(NODE))[0] == []
    direct = from_kubeconfig(rig.hub.session, rig.lab.clusters.kubeconfig("guest"), lambda name: name)
    assert (await direct.list(NODE))[0] == []
    with pytest.raises(LookupError, match="no cluster is called 'other'; there are guest"):
        rig.lab.clusters.kubeconfig("other")
    found = await client.get(CLUSTER_VERSION, "version")
    assert found is not None and found["spec"]["clusterID"] == cluster["spec"]["clusterID"]


async def _pools(rig: Rig, core: CoreKinds) -> None:
    for name, kind in (("pool", core.machine_set), ("rolling", core.machine_deployment)):
        pool = await rig.until(
            NODE_POOL, name, lambda item: item.get("status", {}).get("version") == "4.22.0", namespace="clusters"
        )
        pool = await rig.until(
            NODE_POOL,
            name,
            lambda item: condition_of(item, "ValidGeneratedPayload").get("status") == "True",
            namespace="clusters",
        )
        for condition in ("UpdatingVersion", "UpdatingConfig", "UpdatingPlatformMachineTemplate"):
            assert condition_of(pool, condition)["status"] == "False", condition
        assert condition_of(pool, "AllMachinesReady")["message"] == "NodePool set to no replicas"
        assert condition_of(pool, "ReachedIgnitionEndpoint")["status"] == "False"
        assert pool["metadata"]["ownerReferences"][0]["kind"] == "HostedCluster"
        scalable = await rig.get(kind, name, SPACE)
        template = await rig.get(AGENT_MACHINE_TEMPLATE, f"{name}-f8d26e22", SPACE)
        assert template["spec"] == {"template": {"spec": {"agentLabelSelector": {"matchLabels": {"size": "large"}}}}}
        assert scalable["spec"]["template"]["spec"]["infrastructureRef"]["name"] == f"{name}-f8d26e22"
        await rig.patch(NODE_POOL, name, {"spec": {"pausedUntil": "true"}}, "clusters")
        await rig.until(kind, name, lambda item: annotations_of(item).get(naming.PAUSED) == "true", namespace=SPACE)
        await rig.patch(NODE_POOL, name, {"spec": {"pausedUntil": None}}, "clusters")
        await rig.until(kind, name, lambda item: naming.PAUSED not in annotations_of(item), namespace=SPACE)


async def _ignition(rig: Rig) -> None:
    """The endpoint gives the configuration to whom shows the token, and the pool says that it was reached."""
    secrets = (await rig.client.list(SECRET, SPACE))[0]
    data = next(item for item in secrets if item["metadata"]["name"].startswith("user-data-pool-"))["data"]
    document = json.loads(base64.b64decode(data["value"]))["ignition"]
    authority = base64.b64decode(
        document["security"]["tls"]["certificateAuthorities"][0]["source"].partition(",")[2]
    ).decode()
    source = document["config"]["merge"][0]
    headers = {entry["name"]: entry["value"] for entry in source["httpHeaders"]}
    assert headers["NodePool"] == "clusters/pool"
    for provided, wanted in ((headers, 200), ({"Authorization": "Bearer bm90aGluZw=="}, 511), ({}, 511)):
        url, _name = rig.lab.fabric.redirect(source["source"])
        tls = ssl.create_default_context(cadata=authority)
        async with rig.hub.session.get(url, headers=provided, ssl=tls, server_hostname="10.0.0.5") as response:
            assert response.status == wanted, provided
    await rig.until(
        NODE_POOL,
        "pool",
        lambda item: condition_of(item, "ReachedIgnitionEndpoint")["status"] == "True",
        namespace="clusters",
    )


async def _deletion(rig: Rig) -> None:
    await rig.client.delete(NODE_POOL, "rolling", "clusters")
    await rig.gone(NODE_POOL, "rolling", namespace="clusters", seconds=20)
    await rig.client.delete(HOSTED_CLUSTER, "guest", "clusters")
    await rig.gone(HOSTED_CLUSTER, "guest", namespace="clusters", seconds=30)
    assert await rig.client.get(NODE_POOL, "pool", "clusters") is None
    assert await rig.client.get(NAMESPACE, SPACE) is None
    assert await rig.client.get(ROLE_BINDING, f"cluster-api-agent-{SPACE}", "edge") is None
    assert rig.lab.clusters.hosted == {}


def test_what_is_refused_and_what_waits(tmp_path: Path) -> None:
    async def run() -> None:
        async with hosting_rig(tmp_path) as rig:
            await order(rig, platform={"type": "Agent", "agent": {"agentNamespace": "later"}})
            item = await rig.until(
                HOSTED_CLUSTER, "guest", lambda found: condition_of(found, "ValidConfiguration"), namespace="clusters"
            )
            assert condition_of(item, "ValidConfiguration")["message"] == (
                'failed to get agent namespace: namespaces "later" not found'
            )
            assert await rig.client.get(NAMESPACE, SPACE) is None
            for change in ({"services": []}, {"infraID": None}, {"dns": {"baseDomain": "other.com"}}):
                with pytest.raises(Refused) as refused:
                    await rig.patch(HOSTED_CLUSTER, "guest", {"spec": change}, "clusters")
                assert refused.value.code == 422, change
            await rig.create(NAMESPACE, "later")
            await available(rig)

    asyncio.run(run())


def test_services_on_routes_and_load_balancers(tmp_path: Path) -> None:
    """Ignition by a route of the hub, the API at a load balancer's address."""

    async def run() -> None:
        async with hosting_rig(tmp_path, speed=600) as rig:
            kinds = {"APIServer": "LoadBalancer", "Ignition": "Route", "Konnectivity": "Route", "OAuthServer": "Route"}
            await order(rig, services=[service(name, kind) for name, kind in kinds.items()])
            cluster = await available(rig)
            assert cluster["status"]["controlPlaneEndpoint"] == {"host": "10.0.0.254", "port": 6443}
            host = f"ignition-server-{SPACE}.apps.hub.example.com"
            assert cluster["status"]["ignitionEndpoint"] == host
            assert (await (await guest_client(rig)).list(NODE))[0] == []
            secret = await rig.get(SECRET, "ignition-server-ca-cert", SPACE)
            tls = ssl.create_default_context(cadata=base64.b64decode(secret["data"]["tls.crt"]).decode())
            url = f"https://{rig.hub.host}:8443/ignition"
            async with rig.hub.session.get(url, headers={"Host": host}, ssl=tls, server_hostname=host) as response:
                assert response.status == 511
            status: list[dict[str, Any]] = rig.hub.status()["hosted_clusters"]
            assert status[0]["services"]["Ignition"] == f"Route {host}"

    asyncio.run(run())


def test_an_ignition_server_that_is_not_reachable(tmp_path: Path) -> None:
    """A load balancer does not lead to it: the API comes up, pools wait for the endpoint."""

    async def run() -> None:
        async with hosting_rig(tmp_path, speed=600) as rig:
            balanced = service("Ignition", "LoadBalancer", hostname="ignition.guest.example.com")
            await order(rig, services=[service("APIServer"), balanced, service("Konnectivity"), service("OAuthServer")])
            await order_pool(rig, replicas=1)
            cluster = await rig.until(
                HOSTED_CLUSTER, "guest", lambda item: (item.get("status") or {}).get("kubeconfig"), namespace="clusters"
            )
            assert (
                condition_of(cluster, "Available")["reason"] == "WaitingForAvailable"
                and "ignitionEndpoint" not in cluster["status"]
            )
            pool = await rig.until(
                NODE_POOL, "pool", lambda item: condition_of(item, "IgnitionEndpointAvailable"), namespace="clusters"
            )
            assert condition_of(pool, "IgnitionEndpointAvailable")["reason"] == "IgnitionEndpointMissing"

    asyncio.run(run())


def test_tokens_and_configurations_change(tmp_path: Path) -> None:
    """A token is rotated after half its life and the old one is still taken; what another configuration supersedes
    expires.
    """

    async def run() -> None:
        async with hosting_rig(tmp_path) as rig:
            await order(rig)
            await order_pool(rig, replicas=0)
            await available(rig)
            first = await _of_pool(rig, "token-pool-")
            await rig.until(SECRET, first["metadata"]["name"], lambda item: "payload" in item["data"], namespace=SPACE)
            rig.lab.faults.add("hub-clock", count=None, options={"seconds": str(6 * 3600)})
            rotated = await rig.until(
                SECRET, first["metadata"]["name"], lambda item: "old_token" in item["data"], namespace=SPACE
            )
            assert rotated["data"]["old_token"] == first["data"]["token"] != rotated["data"]["token"]
            token = base64.b64encode(base64.b64decode(rotated["data"]["token"])).decode()
            name = first["metadata"]["name"].replace("token-", "user-data-")
            await rig.until(
                SECRET,
                name,
                lambda item: f"Bearer {token}" in base64.b64decode(item["data"]["value"]).decode(),
                namespace=SPACE,
            )
            await _configured(rig, first["metadata"]["name"])

    asyncio.run(run())


async def _of_pool(rig: Rig, prefix: str) -> Object:
    async with asyncio.timeout(300):
        while True:
            for item in (await rig.client.list(SECRET, SPACE))[0]:
                if item["metadata"]["name"].startswith(prefix):
                    return item
            await asyncio.sleep(0.05)


async def _configured(rig: Rig, before: str) -> None:
    """An invalid configuration is reported; a valid one makes new Secrets, and the old ones are deleted."""
    await rig.create(CONFIG_MAP, "mine", namespace="clusters", data={"config": "kind: Deployment"})
    await rig.patch(NODE_POOL, "pool", {"spec": {"config": [{"name": "mine"}]}}, "clusters")
    kind = "ValidMachineConfig"
    pool = await rig.until(
        NODE_POOL, "pool", lambda item: condition_of(item, kind)["status"] == "False", namespace="clusters"
    )
    assert condition_of(pool, kind)["message"] == 'configmap "mine": unsupported config type: Deployment'
    await rig.patch(CONFIG_MAP, "mine", {"data": {"config": "kind: KubeletConfig"}}, "clusters")
    await rig.until(NODE_POOL, "pool", lambda item: condition_of(item, kind)["status"] == "True", namespace="clusters")
    expires = f"{naming.PREFIX}ignition-token-expiration-timestamp"
    await rig.until(SECRET, before, lambda item: expires in annotations_of(item), namespace=SPACE)
    await rig.gone(SECRET, before.replace("token-", "user-data-"), namespace=SPACE, seconds=20)
    rig.lab.faults.clear("hub-clock")
    rig.lab.faults.add("hub-clock", count=None, options={"seconds": str(9 * 3600)})
    await rig.gone(SECRET, before, namespace=SPACE, seconds=20)
