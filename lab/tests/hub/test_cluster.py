# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test clusters that the hub installs, with hosts that register over REST."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from pathlib import Path
from typing import Any

from ztlab.hub.names import AGENT, CLUSTER_DEPLOYMENT, CLUSTER_IMAGE_SET, CLUSTER_INSTALL, CONFIG_MAP, SECRET
from ztlab.newcluster.pki import new_authority

from .flow import RELEASE, bind, deployment_spec, finish, install_spec, order_cluster, state
from .rig import Machine, Rig, condition, hub_rig

ORDER = [
    "SpecSynced",
    "RequirementsMet",
    "Validated",
    "Completed",
    "Failed",
    "Stopped",
    "LastInstallationPreparationFailed",
]


async def record(rig: Rig, seen: list[tuple[str, str]]) -> None:
    """Every (RequirementsMet, Completed) reason of the install, in order, as a watch brings them."""
    _items, version = await rig.client.list(CLUSTER_INSTALL)
    async for _kind, item in rig.client.watch(CLUSTER_INSTALL, version):
        pair = condition(item, "RequirementsMet")[1], condition(item, "Completed")[1]
        if any(pair) and (not seen or seen[-1] != pair):
            seen.append(pair)


def test_a_cluster_is_installed_from_late_bound_agents(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            seen: list[tuple[str, str]] = []
            watching = asyncio.create_task(record(rig, seen))
            await asyncio.sleep(0.05)
            await order_cluster(rig)
            infra_env = await rig.infra_env()
            machines = [Machine(number) for number in range(3)]
            rig.boot(infra_env, *machines)
            install = await rig.until(CLUSTER_INSTALL, "spoke", lambda item: state(item))
            assert condition(install, "SpecSynced") == ("True", "SyncOK", "SyncOK")
            await bind(rig, machines)
            install = await rig.until(
                CLUSTER_INSTALL, "spoke", lambda item: state(item) in ("installing", "finalizing")
            )
            await rig.until(SECRET, "spoke-admin-kubeconfig", lambda item: item["data"]["kubeconfig"])
            install = await rig.until(CLUSTER_INSTALL, "spoke", lambda item: state(item) == "finalizing")
            assert "adminPasswordSecretRef" not in install["spec"]["clusterMetadata"]
            await finish(rig, install["spec"]["clusterMetadata"]["infraID"])
            install = await rig.until(CLUSTER_INSTALL, "spoke", lambda item: state(item) == "adding-hosts")
            assert sorted(entry["type"] for entry in install["status"]["conditions"]) == sorted(ORDER)
            assert condition(install, "Completed")[:2] == ("True", "InstallationCompleted")
            assert install["status"]["progress"] == {"totalPercentage": 100}
            password = await rig.get(SECRET, "spoke-admin-password")
            assert base64.b64decode(password["data"]["username"]) == b"kubeadmin"
            assert password["metadata"]["labels"]["hive.openshift.io/secret-type"] == "kubeadmincreds"
            deployment = await rig.until(CLUSTER_DEPLOYMENT, "spoke", lambda item: item["spec"].get("installed"))
            assert deployment["spec"]["clusterMetadata"]["infraID"] == install["spec"]["clusterMetadata"]["infraID"]
            await rig.until(
                CLUSTER_DEPLOYMENT, "spoke", lambda item: condition(item, "ClusterInstallCompleted")[0] == "True"
            )
            agent = await rig.get(AGENT, machines[0].id)
            assert condition(agent, "Installed")[:2] == ("True", "InstallationCompleted")
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
            order = [pair[1] for pair in seen]
            assert order == sorted(
                order, key=["InstallationNotStarted", "InstallationInProgress", "InstallationCompleted"].index
            ), seen
            assert ("InsufficientAgents", "InstallationNotStarted") not in seen or seen[0][0] == "ClusterNotReady"
            assert ("ClusterAlreadyInstalling", "InstallationInProgress") in seen
            assert ("ClusterInstallationStopped", "InstallationCompleted") in seen

    asyncio.run(run())


def test_one_agent_too_many_blocks_and_hold_waits(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            await order_cluster(rig, holdInstallation=True)
            infra_env = await rig.infra_env()
            machines = [Machine(number) for number in range(4)]
            rig.boot(infra_env, *machines)
            await bind(rig, machines[:3])
            await bind(rig, machines[3:], role="worker")

            def says(kind: str, reason: str) -> Any:
                return lambda item: condition(item, kind)[1] == reason

            install = await rig.until(CLUSTER_INSTALL, "spoke", says("RequirementsMet", "InsufficientAgents"))
            assert condition(install, "RequirementsMet")[2].endswith(
                "registered 3 master agents, 0 arbiter agents and 1 worker agents"
            )
            assert condition(install, "Completed")[1] == "InstallationOnHold"
            await rig.patch(AGENT, machines[3].id, {"spec": {"clusterDeploymentName": None}})
            await rig.until(AGENT, machines[3].id, says("Bound", "Unbound"))
            install = await rig.until(CLUSTER_INSTALL, "spoke", says("RequirementsMet", "ClusterIsReady"))
            assert condition(install, "Completed")[1] == "InstallationOnHold"
            await rig.patch(AGENT, machines[0].id, {"spec": {"approved": False}})
            install = await rig.until(CLUSTER_INSTALL, "spoke", says("RequirementsMet", "UnapprovedAgents"))
            assert condition(install, "RequirementsMet")[2] == "The installation is pending on the approval of 1 agents"
            await rig.patch(AGENT, machines[0].id, {"spec": {"approved": True}})
            await rig.patch(CLUSTER_INSTALL, "spoke", {"spec": {"holdInstallation": False}})
            await rig.until(CLUSTER_INSTALL, "spoke", says("Completed", "InstallationInProgress"))
            await rig.client.delete(CLUSTER_DEPLOYMENT, "spoke", "edge")
            await rig.gone(CLUSTER_INSTALL, "spoke")
            await rig.gone(CLUSTER_DEPLOYMENT, "spoke")
            agent = await rig.get(AGENT, machines[1].id)
            assert "clusterDeploymentName" not in agent["spec"]

    asyncio.run(run())


CONDITIONS = ("Validated", "RequirementsMet", "Completed", "Failed", "Stopped")
CA = new_authority("machine-config").pem
IGNORED = "agent-install.openshift.io/ignored-cluster-validations"


def test_an_install_without_its_deployment_shows_six_conditions(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            await rig.create(CLUSTER_IMAGE_SET, "v4.22.0", {"releaseImage": RELEASE})
            await rig.create(CLUSTER_INSTALL, "spoke", install_spec())
            install = await rig.until(CLUSTER_INSTALL, "spoke", lambda item: condition(item, "SpecSynced")[0])
            text = (
                "ClusterDeployment with name 'spoke' in namespace 'edge' not found. Ensure that the CRD is already "
                "applied."
            )
            assert condition(install, "SpecSynced") == (
                "False",
                "InputError",
                (f"The Spec could not be synced due to an input error: {text}"),
            )
            assert [condition(install, kind) for kind in CONDITIONS] == [
                ("Unknown", "NotAvailable", "Information not available")
            ] * 5
            await rig.create(CLUSTER_DEPLOYMENT, "spoke", deployment_spec())
            await rig.until(CLUSTER_INSTALL, "spoke", state)

    asyncio.run(run())


def test_annotations_references_and_endpoints_of_an_install(tmp_path: Path) -> None:
    """An endpoint from the start, a list of validations that is malformed, a ConfigMap that comes later."""

    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            await rig.create(
                SECRET, "machine-config-ca", type="Opaque", data={"tls.crt": base64.b64encode(CA).decode()}
            )
            reference = {"namespace": "edge", "name": "machine-config-ca"}
            endpoint = {"url": "https://api-int.lab.example.com:22623/config", "caCertificateReference": reference}
            await order_cluster(
                rig, ignitionEndpoint=endpoint, manifestsConfigMapRefs=[{"name": "late"}], holdInstallation=True
            )

            def fails(text: str) -> Any:
                return lambda item: text in condition(item, "SpecSynced")[2]

            await rig.until(CLUSTER_INSTALL, "spoke", fails('configmaps "late" not found'))
            cluster = next(iter(rig.hub.service.core.state.clusters.values()))
            assert cluster.fields["ignition_endpoint"] == {
                "url": endpoint["url"],
                "ca_certificate": base64.b64encode(CA).decode(),
            }
            await rig.create(
                CONFIG_MAP, "late", data={"more.yaml": ("apiVersion: v1\nkind: Namespace\nmetadata: {name: more}\n")}
            )
            await rig.until(CLUSTER_INSTALL, "spoke", lambda item: condition(item, "SpecSynced")[0] == "True")
            assert ("openshift", "more.yaml") in cluster.manifests
            await rig.patch(CLUSTER_INSTALL, "spoke", {"metadata": {"annotations": {IGNORED: "dns-domain-defined,,"}}})
            install = await rig.until(
                CLUSTER_INSTALL, "spoke", fails("empty ignored validation ID found in 'dns-domain-defined,,'")
            )
            assert condition(install, "SpecSynced")[1] == "InputError" and not cluster.ignored_texts.get("cluster")
            await rig.patch(CLUSTER_INSTALL, "spoke", {"metadata": {"annotations": {IGNORED: "dns-domain-defined"}}})
            await rig.until(CLUSTER_INSTALL, "spoke", lambda item: condition(item, "SpecSynced")[0] == "True")
            assert cluster.ignored_cluster == ["dns-domain-defined"]
            await rig.patch(CLUSTER_INSTALL, "spoke", {"metadata": {"annotations": {IGNORED: None}}})
            await rig.until(CLUSTER_INSTALL, "spoke", lambda _item: not cluster.ignored_cluster)
            await rig.client.delete(CONFIG_MAP, "late", "edge")
            await rig.until(CLUSTER_INSTALL, "spoke", fails('configmaps "late" not found'))
            assert ("openshift", "more.yaml") not in cluster.manifests

    asyncio.run(run())
