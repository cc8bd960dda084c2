# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the new cluster's API with the official Kubernetes client, which refuses an object without a field that the
API's schema requires.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

from ztlab.clock import LabClock
from ztlab.faults import Faults
from ztlab.newcluster.cluster import NewCluster

from .test_cluster import make_signers

NODE_INFO = (
    "architecture",
    "boot_id",
    "container_runtime_version",
    "kernel_version",
    "kube_proxy_version",
    "kubelet_version",
    "machine_id",
    "operating_system",
)


def read(path: Path) -> dict[str, Any]:
    """All that the typed parts of the official client can list here; they raise ValueError for an incomplete object."""
    import kubernetes  # takes seconds to load, so only where it is needed

    client = kubernetes.config.new_client_from_config(str(path))
    core, requests = kubernetes.client.CoreV1Api(client), kubernetes.client.CertificatesV1Api(client)
    nodes = core.list_node().items
    listed = requests.list_certificate_signing_request().items
    return {
        "version": kubernetes.client.VersionApi(client).get_code(),
        "nodes": nodes,
        "node": core.read_node(nodes[0].metadata.name),
        "requests": listed,
        "request": requests.read_certificate_signing_request(listed[0].metadata.name),
        "config maps": core.list_config_map_for_all_namespaces().items,
        "namespaces": core.list_namespace().items,
        "bootstrap": core.read_namespaced_config_map("bootstrap", "kube-system"),
        "version object": kubernetes.client.CustomObjectsApi(client).get_cluster_custom_object(
            "config.openshift.io", "v1", "clusterversions", "version"
        ),
    }


def test_typed_objects_are_complete(tmp_path: Path) -> None:
    async def flow() -> dict[str, Any]:
        cluster = NewCluster(
            name="demo",
            base_domain="lab.example.com",
            version="4.22.0",
            signers=make_signers(),
            expected={"master": 1},
            clock=LabClock(400),
            faults=Faults(),
        )
        await cluster.start("127.0.0.1", 0)
        try:
            cluster.node_booted("sno", "master", "192.0.2.10")
            assert await cluster.clock.until(lambda: cluster.installed, limit=900)
            path = tmp_path / "kubeconfig"
            path.write_text(cluster.kubeconfig(f"https://127.0.0.1:{cluster.port}"))
            return await asyncio.to_thread(read, path)
        finally:
            await cluster.stop()

    found = asyncio.run(asyncio.wait_for(flow(), 300))
    assert found["version"].git_version == "v1.35.2" and found["version"].major == "1"
    info = found["node"].status.node_info
    assert all(getattr(info, name) for name in NODE_INFO), info
    assert re.fullmatch(r"[0-9a-f]{32}", info.machine_id), "machine IDs are those of /etc/machine-id"
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", info.boot_id) and info.system_uuid
    assert found["node"].status.capacity["cpu"] and found["node"].status.allocatable["memory"]
    assert {condition.type for condition in found["node"].status.conditions} == {
        "MemoryPressure",
        "DiskPressure",
        "PIDPressure",
        "Ready",
    }
    assert {request.spec.signer_name.rpartition("/")[2] for request in found["requests"]} == {
        "kube-apiserver-client-kubelet",
        "kubelet-serving",
    }
    assert found["bootstrap"].data == {"status": "complete"}


def test_a_reboot_changes_the_boot_id_alone() -> None:
    cluster = NewCluster(
        name="demo",
        base_domain="lab.example.com",
        version="4.22.0",
        signers=make_signers(),
        expected={"master": 1},
        clock=LabClock(400),
        faults=Faults(),
    )
    kind = cluster.registry.by_kind("Node")
    before: dict[str, Any] = {}
    for now in range(0, 200, 2):
        cluster.nodes.tick(now)
        if now in (0, 100):
            cluster.nodes.boot("sno", "master", "192.0.2.10", now)
        if now == 90:
            before = cluster.store.get(kind, "sno")["status"]["nodeInfo"]
    after = cluster.store.get(kind, "sno")["status"]["nodeInfo"]
    assert before["bootID"] != after["bootID"]
    assert {**before, "bootID": ""} == {**after, "bootID": ""}
