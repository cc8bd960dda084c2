# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test changes to a hosted cluster that has nodes: upgrades, edits that reach no host, replacement of a dead host,
deletion of a pool, deletion of the cluster.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from ztlab.hub.hypershift.kinds import HOSTED_CLUSTER, NODE_POOL
from ztlab.hub.names import AGENT, NAMESPACE, annotations_of
from ztlab.service import machine_host

from .fleet import Fleet, fleet_rig, state_of
from .hosting import SPACE, order_pool
from .pools import condition_of

NEXT = "quay.io/openshift-release-dev/ocp-release:4.22.1-x86_64"


def test_an_upgrade_in_place_and_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_host, "RECLAIM_SECONDS", 86400)

    async def run() -> None:
        async with fleet_rig(tmp_path, 2) as fleet:
            await order_pool(fleet.rig, replicas=2, nodeLabels={"zone": "a"})
            await fleet.at(2)
            await _upgrade(fleet)
            await _late_labels(fleet)
            await _end(fleet)

    asyncio.run(run())


async def _upgrade(fleet: Fleet) -> None:
    """The cluster first, then the pool, one node after the other."""
    rig, release = fleet.rig, {"spec": {"release": {"image": NEXT}}}
    await rig.patch(NODE_POOL, "pool", release, "clusters")
    pool = await rig.until(
        NODE_POOL,
        "pool",
        lambda item: condition_of(item, "SupportedVersionSkew").get("status") == "False",
        namespace="clusters",
    )
    assert condition_of(pool, "SupportedVersionSkew")["reason"] == "UnsupportedSkew"
    await rig.patch(HOSTED_CLUSTER, "guest", release, "clusters")

    def upgraded(item: Any) -> bool:
        newest: dict[str, Any] = item["status"]["version"]["history"][0]
        return (newest["version"], newest["state"]) == ("4.22.1", "Completed")

    pool = await rig.until(
        NODE_POOL, "pool", lambda item: item["status"].get("version") == "4.22.1", namespace="clusters"
    )
    assert condition_of(pool, "UpdatingVersion") | {"status": "False", "reason": "AsExpected"} == condition_of(
        pool, "UpdatingVersion"
    )
    hosted = await rig.until(HOSTED_CLUSTER, "guest", upgraded, namespace="clusters")
    assert [entry["version"] for entry in hosted["status"]["version"]["history"]] == ["4.22.1", "4.22.0"]

    def counted(item: Any) -> bool:
        return [
            (entry["ocpVersion"], entry["readyNodeCount"]) for entry in item["status"]["nodesInfo"]["nodeVersions"]
        ] == [("4.22.1", 2)]

    await rig.until(NODE_POOL, "pool", counted, namespace="clusters")
    assert not any((node["spec"] or {}).get("unschedulable") for node in (await fleet.nodes()).values())
    assert {len(fleet.lab.machines[name].boots) for name in fleet.ids} == {2}, "no host was installed again"


async def _late_labels(fleet: Fleet) -> None:
    """Later edits of labels do not reach Nodes that are there."""
    await fleet.rig.patch(NODE_POOL, "pool", {"spec": {"nodeLabels": {"zone": "b"}}}, "clusters")
    label = "managed.hypershift.openshift.io.zone"
    scalable = fleet.core.machine_set
    await fleet.rig.until(
        scalable, "pool", lambda item: item["spec"]["template"]["metadata"]["labels"][label] == "b", namespace=SPACE
    )
    assert {node["metadata"]["labels"]["zone"] for node in (await fleet.nodes()).values()} == {"a"}


async def _end(fleet: Fleet) -> None:
    """Hosts outlive the cluster: they are free, and those that could not be reclaimed wait for a boot."""
    await fleet.rig.client.delete(HOSTED_CLUSTER, "guest", "clusters")
    await fleet.rig.gone(HOSTED_CLUSTER, "guest", namespace="clusters", seconds=60)
    assert await fleet.rig.client.get(NAMESPACE, SPACE) is None
    assert await fleet.rig.client.get(NODE_POOL, "pool", "clusters") is None
    for name, uid in fleet.ids.items():
        agent = await fleet.rig.until(
            AGENT, uid, lambda item: state_of(item) in ("known-unbound", "unbinding-pending-user-action")
        )
        assert not agent["spec"].get("clusterDeploymentName"), name
        assert "agentMachineRef" not in agent["metadata"][
            "labels"
        ] and "agentMachineRefNamespace" not in annotations_of(agent)


def test_a_host_that_dies_is_replaced(tmp_path: Path) -> None:
    """With autoRepair and a spare host."""

    async def run() -> None:
        async with fleet_rig(tmp_path, 2) as fleet:
            management = {"upgradeType": "InPlace", "autoRepair": True}
            await order_pool(fleet.rig, replicas=0, management=management)
            # The twenty minutes that a Machine has to become a Node are five seconds here.
            patient = {"hypershift.openshift.io/machine-health-check-node-startup-timeout": "24h"}
            await fleet.rig.patch(NODE_POOL, "pool", {"metadata": {"annotations": patient}}, "clusters")
            await fleet.scale(1)
            (first,) = await fleet.nodes()
            spare = next(name for name in fleet.ids if name != first)
            check = await fleet.rig.until(
                fleet.core.health_check, "pool", lambda item: item.get("status"), namespace=SPACE
            )
            checks = check["spec"]["checks"]
            assert (checks["unhealthyNodeConditions"][0]["timeoutSeconds"], checks["nodeStartupTimeoutSeconds"]) == (
                16 * 60,
                24 * 3600,
            )
            fleet.lab.machines[first].reset("ForceOff")

            async def joined() -> bool:
                nodes = await fleet.nodes()
                return spare in nodes and condition_of(nodes[spare], "Ready")["status"] == "True"

            await fleet.until(joined, "the spare host joins")

    asyncio.run(run())
