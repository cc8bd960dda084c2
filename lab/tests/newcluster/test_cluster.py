# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the simulated new cluster, from its bootstrap API to installed, and which clients and signing requests it
accepts.
"""

from __future__ import annotations

import asyncio
import base64
import shutil
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from ztlab.clock import LabClock
from ztlab.faults import Faults
from ztlab.newcluster import operators, pki
from ztlab.newcluster.cluster import NewCluster
from ztlab.newcluster.versions import kubernetes_version

KUBECTL = shutil.which("kubectl")
CONFIG = "/apis/config.openshift.io/v1"


def run(coroutine: Any) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 300))


def make_signers() -> dict[str, tuple[bytes, bytes]]:
    found = {}
    for name in pki.SIGNERS:
        signer = pki.new_authority(name)
        key = signer.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        found[name] = (signer.pem, key)
    return found


def make_cluster(
    expected: Mapping[str, int],
    *,
    speed: float = 400,
    signers: Mapping[str, Any] | None = None,
    faults: Faults | None = None,
) -> NewCluster:
    return NewCluster(
        name="demo",
        base_domain="lab.example.com",
        version="4.22.0",
        signers=signers or make_signers(),
        expected=expected,
        clock=LabClock(speed),
        faults=faults or Faults(),
    )


class Client:
    """Reads a kubeconfig and talks to the API through it."""

    def __init__(self, text: str, directory: Path) -> None:
        document = yaml.safe_load(text)
        cluster, user = document["clusters"][0]["cluster"], document["users"][0]["user"]
        self.server, self.name = cluster["server"], cluster.get("tls-server-name")
        self.tls = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        pair = directory / "pair.pem"
        pair.write_bytes(base64.b64decode(user["client-certificate-data"]) + base64.b64decode(user["client-key-data"]))
        self.tls.load_cert_chain(pair)

    async def get(self, path: str) -> tuple[int, Any]:
        async with (
            aiohttp.ClientSession() as session,
            session.get(self.server + path, ssl=self.tls, server_hostname=self.name) as response,
        ):
            return response.status, await response.json()


def test_signers_must_be_complete_and_belong_together() -> None:
    signers = make_signers()
    with pytest.raises(ValueError, match="admin-kubeconfig-signer"):
        make_cluster({"master": 1}, signers={name: pair for name, pair in signers.items() if name != pki.ADMIN_SIGNER})
    mixed = {**signers, pki.LB_SIGNER: (signers[pki.LB_SIGNER][0], signers[pki.ADMIN_SIGNER][1])}
    with pytest.raises(ValueError, match="do not belong together"):
        make_cluster({"master": 1}, signers=mixed)


def test_three_and_two_come_up(tmp_path: Path) -> None:
    async def flow() -> None:
        cluster = make_cluster({"master": 3, "worker": 2})
        clock = cluster.clock
        await cluster.start("127.0.0.1", 0)
        try:
            client = Client(cluster.kubeconfig(f"https://127.0.0.1:{cluster.port}"), tmp_path)
            status, version = await client.get("/version")
            assert (status, version["gitVersion"]) == (200, "v1.35.2")
            assert (await client.get("/api/v1/namespaces/kube-system/configmaps/bootstrap"))[0] == 404
            assert not cluster.masters_ready
            for number in (1, 2):
                cluster.node_booted(f"master-{number}", "master", f"192.0.2.1{number}")
            assert await clock.until(lambda: cluster.masters_ready, limit=200)
            assert not cluster.bootstrap_complete
            assert await clock.until(lambda: cluster.bootstrap_complete, limit=200)
            _, configmap = await client.get("/api/v1/namespaces/kube-system/configmaps/bootstrap")
            assert configmap["data"] == {"status": "complete"}
            cluster.node_booted("master-0", "bootstrap", "192.0.2.10")
            await clock.sleep(600)
            assert not cluster.installed
            _, waiting = await client.get(f"{CONFIG}/clusteroperators/console")
            assert waiting["status"]["conditions"][0]["status"] == "False"
            assert (await client.get("/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console"))[
                0
            ] == 404
            for number in (0, 1):
                cluster.node_booted(f"worker-{number}", "worker", f"192.0.2.2{number}")
            assert await clock.until(lambda: cluster.installed, limit=600)
            _, found = await client.get(f"{CONFIG}/clusterversions/version")
            conditions = {entry["type"]: entry["status"] for entry in found["status"]["conditions"]}
            assert (conditions["Available"], conditions["Progressing"], conditions["Failing"]) == (
                "True",
                "False",
                "False",
            )
            assert found["status"]["history"][0]["state"] == "Completed"
            _, listed = await client.get(f"{CONFIG}/clusteroperators")
            assert [item["metadata"]["name"] for item in listed["items"]] == sorted(operators.NAMES)
            _, nodes = await client.get("/api/v1/nodes")
            assert {node["metadata"]["name"] for node in nodes["items"]} == {
                "master-0",
                "master-1",
                "master-2",
                "worker-0",
                "worker-1",
            }
            _, ca = await client.get("/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert")
            assert "BEGIN CERTIFICATE" in ca["data"]["ca-bundle.crt"]
            _, route = await client.get("/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console")
            assert route["status"]["ingress"][0]["host"] == "console-openshift-console.apps.demo.lab.example.com"
            _, infrastructure = await client.get(f"{CONFIG}/infrastructures/cluster")
            assert infrastructure["status"]["controlPlaneTopology"] == "HighlyAvailable"
        finally:
            await cluster.stop()

    run(flow())


def test_single_node_reboots_without_losing_its_objects(tmp_path: Path) -> None:
    async def flow() -> None:
        cluster = make_cluster({"master": 1})
        await cluster.start("127.0.0.1", 0)
        assert await cluster.clock.until(lambda: cluster.bootstrap_complete, limit=300)
        await cluster.stop()
        await cluster.start("127.0.0.1", 0)
        try:
            client = Client(cluster.kubeconfig(f"https://127.0.0.1:{cluster.port}"), tmp_path)
            assert (await client.get("/api/v1/namespaces/kube-system/configmaps/bootstrap"))[0] == 200
            cluster.node_booted("sno", "master", "192.0.2.10")
            assert await cluster.clock.until(lambda: cluster.installed, limit=900)
            _, node = await client.get("/api/v1/nodes/sno")
            assert "node-role.kubernetes.io/worker" in node["metadata"]["labels"] and "taints" not in node["spec"]
        finally:
            await cluster.stop()

    run(flow())


def test_a_kubeconfig_of_another_build_is_refused(tmp_path: Path) -> None:
    async def flow() -> None:
        cluster, other = make_cluster({"master": 1}), make_cluster({"master": 1})
        await cluster.start("127.0.0.1", 0)
        address = f"https://127.0.0.1:{cluster.port}"
        try:
            with pytest.raises(aiohttp.ClientConnectorCertificateError):
                await Client(other.kubeconfig(address), tmp_path).get("/version")
            careless = Client(other.kubeconfig(address), tmp_path)
            careless.tls.check_hostname = False
            careless.tls.verify_mode = ssl.CERT_NONE
            with pytest.raises((aiohttp.ClientError, OSError)):
                await careless.get("/api/v1/nodes")
            tls = ssl.create_default_context(cadata=cluster.signers[pki.LB_SIGNER].pem.decode())
            async with aiohttp.ClientSession() as session:
                for headers, status in (({}, 403), ({"Authorization": "Bearer x"}, 401)):
                    options: dict[str, Any] = {
                        "ssl": tls,
                        "server_hostname": "api.demo.lab.example.com",
                        "headers": headers,
                    }
                    async with session.get(f"{address}/api/v1/nodes", **options) as response:
                        assert response.status == status
        finally:
            await cluster.stop()

    run(flow())


def test_each_server_name_has_its_own_signer() -> None:
    async def flow() -> None:
        cluster = make_cluster({"master": 1})
        await cluster.start("127.0.0.1", 0)
        names = {
            "api.demo.lab.example.com": pki.LB_SIGNER,
            "api-int.demo.lab.example.com": pki.LB_SIGNER,
            "localhost": pki.LOCALHOST_SIGNER,
            "kubernetes.default.svc": pki.SERVICE_SIGNER,
        }
        try:
            for name, signer in names.items():
                tls = ssl.create_default_context(cadata=cluster.signers[signer].pem.decode())
                _reader, writer = await asyncio.open_connection(
                    "127.0.0.1", cluster.port, ssl=tls, server_hostname=name
                )
                writer.close()
        finally:
            await cluster.stop()

    run(flow())


def test_day_two_requests_wait_for_a_user() -> None:
    cluster = make_cluster({"master": 1})
    kind = cluster.registry.by_kind("CertificateSigningRequest", "certificates.k8s.io")
    node = cluster.registry.by_kind("Node")
    cluster.nodes.boot("extra", "worker", "192.0.2.30", 0.0, automatic=False)
    for now in range(0, 60, 2):
        cluster.nodes.tick(now)
    (request,) = cluster.store.list(kind)
    assert request["spec"][
        "signerName"
    ] == "kubernetes.io/kube-apiserver-client-kubelet" and "conditions" not in request.get("status", {})
    assert cluster.store.list(node) == []
    request["status"] = {"conditions": [{"type": "Approved", "status": "True", "reason": "x"}]}
    cluster.store.update(kind, request, subresource="approval")
    for now in range(60, 80, 2):
        cluster.nodes.tick(now)
    assert [item["metadata"]["name"] for item in cluster.store.list(node)] == ["extra"]
    serving = next(
        item for item in cluster.store.list(kind) if item["spec"]["signerName"] == "kubernetes.io/kubelet-serving"
    )
    assert serving["spec"]["username"] == "system:node:extra"


def test_a_late_host_of_the_installation_is_approved() -> None:
    """The cluster can be complete without its last control-plane host; that host still is one of the installation,
    others are day 2.
    """
    cluster = make_cluster({"master": 3, "worker": 1})
    for name, role in (("master-0", "master"), ("master-1", "master"), ("worker-0", "worker")):
        assert cluster.approves(name, role)
        cluster.node_booted(name, role, "192.0.2.10")
    cluster.settle()
    assert cluster.installed
    assert cluster.approves("master-2", "bootstrap") and cluster.approves("master-2", "master")
    assert not cluster.approves("worker-1", "worker") and not cluster.approves("worker-0", "worker"), (
        "a user approves on day 2"
    )
    cluster.node_booted("master-2", "master", "192.0.2.12")
    assert not cluster.approves("master-3", "master")


def test_a_degraded_operator_holds_the_version_back_until_cleared() -> None:
    async def flow() -> None:
        faults = Faults()
        faults.add("operator-degraded", options={"operator": "console"})
        cluster = make_cluster({"master": 1}, faults=faults)
        await cluster.start("127.0.0.1", 0)
        try:
            cluster.node_booted("sno", "master", "192.0.2.10")
            await cluster.clock.sleep(800)
            version = cluster.store.get(cluster.registry.by_kind("ClusterVersion", "config.openshift.io"), "version")
            assert not cluster.installed
            assert "console" in version["status"]["conditions"][1]["message"]
            faults.clear("operator-degraded")
            assert await cluster.clock.until(lambda: cluster.installed, limit=100)
        finally:
            await cluster.stop()

    run(flow())


@pytest.mark.parametrize(
    ("expected", "needed", "schedulable"),
    [({"master": 1}, 0, True), ({"master": 2, "arbiter": 1}, 1, True), ({"master": 3, "worker": 2}, 2, False)],
)
def test_quorum_and_schedulability(expected: dict[str, int], needed: int, schedulable: bool) -> None:
    cluster = make_cluster(expected)
    assert (cluster.needed_masters, cluster.masters_schedulable) == (needed, schedulable)


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl on this machine")
def test_kubectl_shows_nodes_operators_and_version(tmp_path: Path) -> None:
    async def flow() -> None:
        cluster = make_cluster({"master": 1})
        await cluster.start("127.0.0.1", 0)
        try:
            path = tmp_path / "kubeconfig"
            path.write_text(cluster.kubeconfig(f"https://127.0.0.1:{cluster.port}"))
            cluster.node_booted("sno", "master", "192.0.2.10")
            assert await cluster.clock.until(lambda: cluster.installed, limit=900)
            assert KUBECTL is not None
            command = [
                KUBECTL,
                "--kubeconfig",
                str(path),
                "--cache-dir",
                str(tmp_path / "cache"),
                "get",
                "nodes,co,clusterversion",
            ]
            process = await asyncio.create_subprocess_exec(
                *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
            )
            output = (await process.communicate())[0].decode()
            rows = [line.split() for line in output.splitlines() if line]
            assert ["NAME", "STATUS", "ROLES", "AGE", "VERSION"] in rows
            assert ["node/sno", "Ready", "control-plane,master,worker"] in [row[:3] for row in rows]
            assert ["clusteroperator.config.openshift.io/console", "4.22.0", "True", "False", "False"] in [
                row[:5] for row in rows
            ]
            assert ["clusterversion.config.openshift.io/version", "4.22.0", "True", "False"] in [
                row[:4] for row in rows
            ]
        finally:
            await cluster.stop()

    run(flow())


@pytest.mark.parametrize(
    ("release", "minor"), [("4.14.0", "27"), ("4.22.0", "35"), ("4.23.0", "36"), ("5.0.0-rc.3", "36"), ("5.1.0", "37")]
)
def test_the_kubernetes_of_a_release(release: str, minor: str) -> None:
    assert kubernetes_version(release) == (minor, f"v1.{minor}.2")
