# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a host that joins an existing cluster: the hub installs it, approves its signing requests and reads its Node."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

import pytest
from ztlab.faults import Faults
from ztlab.hub.controllers.agent import WAITING_FOR_UNBIND
from ztlab.hub.names import AGENT, CLUSTER_DEPLOYMENT, CLUSTER_INSTALL, SECRET
from ztlab.newcluster import pki
from ztlab.newcluster.cluster import NewCluster
from ztlab.service import machine_host

from .flow import bind, deployment_spec, install_spec, state
from .rig import Machine, Rig, condition, hub_rig

METADATA = {
    "clusterID": "c0a1b2c3-0000-4000-8000-000000000001",
    "infraID": "spoke-abcde",
    "adminKubeconfigSecretRef": {"name": "spoke-admin-kubeconfig"},
}


async def existing_cluster(rig: Rig) -> NewCluster:
    """A cluster that was not installed here, and its description on the hub."""
    made = {name: pki.new_authority(name) for name in pki.SIGNERS}
    signers = {name: (signer.pem, pki.key_pem(signer)) for name, signer in made.items()}
    cluster = NewCluster(
        name="spoke",
        base_domain="lab.example.com",
        version="4.22.0",
        signers=signers,
        expected={"master": 3},
        clock=rig.lab.clock,
        faults=Faults(),
    )
    address = rig.lab.fabric.table.loopback("10.0.0.77")
    await cluster.start(address, 6443)
    text = cluster.kubeconfig(f"https://{address}:6443")
    await rig.create(
        SECRET, "spoke-admin-kubeconfig", type="Opaque", data={"kubeconfig": base64.b64encode(text.encode()).decode()}
    )
    await rig.create(CLUSTER_DEPLOYMENT, "spoke", deployment_spec(installed=True, clusterMetadata=METADATA))
    spec = install_spec()
    del spec["imageSetRef"]
    await rig.create(CLUSTER_INSTALL, "spoke", spec)
    return cluster


def test_a_worker_joins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing here answers the reclaim, and its hour would be a minute of the wall clock.
    monkeypatch.setattr(machine_host, "RECLAIM_SECONDS", 60)

    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            cluster = await existing_cluster(rig)
            try:
                infra_env = await rig.infra_env()
                machine = Machine(7)
                host = rig.boot(infra_env, machine)[0]
                host.last_stage = "Joined"
                install = await rig.until(CLUSTER_INSTALL, "spoke", lambda item: state(item) == "adding-hosts")
                assert condition(install, "Completed")[:2] == ("True", "InstallationCompleted")
                await bind(rig, [machine], role="worker")
                await rig.patch(AGENT, machine.id, {"spec": {"nodeLabels": {"zone": "a"}}})
                agent = await rig.until(
                    AGENT,
                    machine.id,
                    lambda item: (item["status"].get("progress") or {}).get("currentStage") == "Rebooting",
                )
                assert agent["status"]["kind"] == "AddToExistingClusterHost"
                cluster.node_booted(machine.name, "worker", machine.ip, automatic=False)
                agent = await rig.until(AGENT, machine.id, lambda item: state(item) == "added-to-existing-cluster")
                assert condition(agent, "Installed")[:2] == ("True", "InstallationCompleted")
                assert {entry["type"] for entry in agent["status"]["csrStatus"]["approvedCSRs"]} == {
                    "client",
                    "serving",
                }
                # a cluster that cannot be reached reclaims nothing: a person has to boot the machine
                await cluster.stop()
                await rig.patch(AGENT, machine.id, {"spec": {"clusterDeploymentName": None}})
                agent = await rig.until(
                    AGENT, machine.id, lambda item: condition(item, "Bound")[1] == "UnbindingPendingUserAction"
                )
                assert agent["status"]["deprovision_info"]["node_name"] == machine.name
            finally:
                await cluster.stop()

    asyncio.run(run())


def test_a_removal_that_fails_explains_itself(tmp_path: Path) -> None:
    """A Node that the cluster does not release: deprovision_info says why, and the removal is tried again until it is
    done.
    """

    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            cluster = await existing_cluster(rig)
            try:
                infra_env = await rig.infra_env()
                machine = Machine(8)
                rig.boot(infra_env, machine)
                agent = await rig.until(AGENT, machine.id, lambda item: state(item) == "known-unbound")
                pending = {
                    "cluster_name": "spoke",
                    "cluster_namespace": "edge",
                    "node_name": machine.name,
                    "message": WAITING_FOR_UNBIND,
                }
                await cluster.stop()
                await rig.client.patch(
                    AGENT, machine.id, "edge", {"status": {"deprovision_info": pending}}, subresource="status"
                )
                agent = await rig.until(
                    AGENT, machine.id, lambda item: item["status"]["deprovision_info"]["message"] != WAITING_FOR_UNBIND
                )
                assert (
                    agent["status"]["deprovision_info"]["node_name"] == machine.name
                    and agent["status"]["deprovision_info"]["message"]
                )
                await cluster.start(rig.lab.fabric.table.loopback("10.0.0.77"), 6443)
                await rig.until(AGENT, machine.id, lambda item: "deprovision_info" not in item["status"])
            finally:
                await cluster.stop()

    asyncio.run(run())
