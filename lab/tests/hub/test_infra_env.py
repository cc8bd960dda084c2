# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test InfraEnvs on a running hub: their images, static networks, early binding, and reported mistakes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from ztlab.hub.client import Refused
from ztlab.hub.names import AGENT, CONFIG_MAP, INFRA_ENV, NMSTATE_CONFIG, SECRET
from ztlab.hub.service_config import AGENT_SERVICE_CONFIG

from .flow import order_cluster
from .rig import Machine, Rig, condition, hub_rig

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJ5"


def test_an_infra_env_becomes_available(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            item = await rig.infra_env()
            status = item["status"]
            assert condition(item, "ImageCreated") == (
                "True",
                "InfraEnvAvailable",
                "InfraEnv is available: Image has been created",
            )
            assert status["isoDownloadURL"].startswith("https://assisted-image-service.hub.example.com/byapikey/ey")
            assert status["isoDownloadURL"].endswith("/4.22/x86_64/minimal.iso")
            assert status["agentLabelSelector"] == {"matchLabels": {"infraenvs.agent-install.openshift.io": "rack"}}
            assert (
                "infra_env_id=" in status["debugInfo"]["eventsURL"]
                and "staticNetworkDownloadURL" not in status["debugInfo"]
            )
            assert set(status["bootArtifacts"]) == {"kernel", "rootfs", "initrd", "ipxeScript", "discoveryIgnitionURL"}
            config = await rig.get(AGENT_SERVICE_CONFIG, "agent")
            assert (
                config["spec"]["osImages"][0]["openshiftVersion"] == "4.22"
                and condition(config, "DeploymentsHealthy")[0] == "True"
            )
            secret = await rig.get(SECRET, "pull-secret")
            assert secret["metadata"]["labels"]["agent-install.openshift.io/watch"] == "true"

    asyncio.run(run())


def test_a_change_makes_another_image_and_an_emptied_member_does_not(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            first = await rig.infra_env(sshAuthorizedKey=KEY)
            url = first["status"]["isoDownloadURL"]
            await rig.patch(INFRA_ENV, "rack", {"spec": {"kernelArguments": [{"operation": "append", "value": "a=b"}]}})
            second = await rig.until(INFRA_ENV, "rack", lambda item: item["status"]["isoDownloadURL"] != url)
            assert second["status"]["bootArtifacts"]["initrd"] != first["status"]["bootArtifacts"]["initrd"]
            await rig.patch(INFRA_ENV, "rack", {"spec": {"sshAuthorizedKey": None}})
            await rig.patch(INFRA_ENV, "rack", {"spec": {"kernelArguments": None}})
            third = await rig.until(
                INFRA_ENV, "rack", lambda item: item["status"]["isoDownloadURL"] != second["status"]["isoDownloadURL"]
            )
            known = next(iter(rig.hub.service.core.state.infra_envs.values()))
            assert known.fields["ssh_authorized_key"] == KEY and not known.fields["kernel_arguments"]
            assert third["status"]["createdTime"] >= second["status"]["createdTime"]

    asyncio.run(run())


def test_static_networks_are_selected_by_label(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            selector = {"matchLabels": {"infraenvs.agent-install.openshift.io": "rack"}}
            before = await rig.infra_env(nmStateConfigLabelSelector=selector)
            spec = {
                "interfaces": [{"name": "eth0", "macAddress": "02:00:00:00:00:01"}],
                "config": {"interfaces": [{"name": "eth0", "type": "ethernet"}]},
            }
            await rig.create(NMSTATE_CONFIG, "rack-a", spec, metadata={"labels": selector["matchLabels"]})
            after = await rig.until(
                INFRA_ENV, "rack", lambda item: "staticNetworkDownloadURL" in item["status"]["debugInfo"]
            )
            assert after["status"]["isoDownloadURL"] != before["status"]["isoDownloadURL"]
            known = next(iter(rig.hub.service.core.state.infra_envs.values()))
            assert known.static_network_config[0]["mac_interface_map"] == [
                {"mac_address": "02:00:00:00:00:01", "logical_nic_name": "eth0"}
            ]
            await rig.client.delete(NMSTATE_CONFIG, "rack-a", "edge")
            await rig.until(
                INFRA_ENV, "rack", lambda item: item["status"]["isoDownloadURL"] != after["status"]["isoDownloadURL"]
            )
            assert known.static_network_config == []

    asyncio.run(run())


def test_what_an_infra_env_says_of_mistakes(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path, secret=False) as rig:
            await rig.create(INFRA_ENV, "rack", {"pullSecretRef": {"name": "pull-secret"}})
            item = await rig.until(INFRA_ENV, "rack", lambda found: condition(found, "ImageCreated")[0])
            text = (
                "Failed to create image due to an internal error: failed to find secret pull-secret: secrets "
                '"pull-secret" not found'
            )
            assert condition(item, "ImageCreated") == ("False", "ImageCreationError", text)
            await rig.pull_secret()
            await rig.until(INFRA_ENV, "rack", lambda found: condition(found, "ImageCreated")[0] == "True")
            await rig.patch(INFRA_ENV, "rack", {"spec": {"ignitionConfigOverride": "no json"}})
            item = await rig.until(INFRA_ENV, "rack", lambda found: condition(found, "ImageCreated")[0] == "False")
            assert condition(item, "ImageCreated")[2].startswith("Failed to create image: error parsing ignition")
            assert "isoDownloadURL" not in item["status"] and "createdTime" not in item["status"]
            await rig.create(INFRA_ENV, "old", {"pullSecretRef": {"name": "pull-secret"}, "osImageVersion": "4.1"})
            item = await rig.until(INFRA_ENV, "old", lambda found: condition(found, "ImageCreated")[0] == "False")
            assert condition(item, "ImageCreated")[2] == (
                "Failed to create image: Specified OSImageVersion is missing from AgentServiceConfig"
            )

    asyncio.run(run())


def test_early_binding_waits_for_its_cluster(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            await rig.create(
                INFRA_ENV,
                "rack",
                {"pullSecretRef": {"name": "pull-secret"}, "clusterRef": {"name": "spoke", "namespace": "edge"}},
            )
            item = await rig.until(
                INFRA_ENV, "rack", lambda found: condition(found, "ImageCreated")[1] == "MissingClusterDeployment"
            )
            assert condition(item, "ImageCreated")[0] == "Unknown"
            await order_cluster(rig, holdInstallation=True)
            infra_env = await rig.until(INFRA_ENV, "rack", lambda found: condition(found, "ImageCreated")[0] == "True")
            machine = Machine(1)
            rig.boot(infra_env, machine)
            agent = await rig.until(AGENT, machine.id, lambda found: condition(found, "Bound")[0] == "True")
            assert agent["spec"]["clusterDeploymentName"] == {"name": "spoke", "namespace": "edge"}
            await rig.patch(AGENT, machine.id, {"spec": {"clusterDeploymentName": None}})
            agent = await rig.until(AGENT, machine.id, lambda found: condition(found, "SpecSynced")[0] == "False")
            assert (
                condition(agent, "SpecSynced")[1] == "InputError"
                and "Cannot unbind" in condition(agent, "SpecSynced")[2]
            )
            with pytest.raises(Refused) as caught:
                await rig.patch(INFRA_ENV, "rack", {"spec": {"clusterRef": None}})
            assert "Attempted to change Spec.ClusterRef which is immutable after InfraEnv creation." in str(
                caught.value
            )

    asyncio.run(run())


def test_the_url_of_an_early_bound_infra_env_stays(tmp_path: Path) -> None:
    """A look without a change of the input, here after a label of the InfraEnv, makes no other image."""

    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            await order_cluster(rig, holdInstallation=True)
            first = await rig.infra_env(clusterRef={"name": "spoke", "namespace": "edge"})
            known = next(iter(rig.hub.service.core.state.infra_envs.values()))
            version = known.fields["openshift_version"]
            looks = record_looks(rig)
            await rig.patch(INFRA_ENV, "rack", {"metadata": {"labels": {"seen": "yes"}}})
            await rig.until(INFRA_ENV, "rack", lambda _item: len(looks) > 0)
            second = await rig.get(INFRA_ENV, "rack")
            assert second["status"]["isoDownloadURL"] == first["status"]["isoDownloadURL"] == known.download_url
            assert (
                second["status"]["createdTime"] == first["status"]["createdTime"]
                and known.fields["openshift_version"] == version
            )

    asyncio.run(run())


def record_looks(rig: Rig) -> list[str]:
    """Every update of an InfraEnv that the controller sends to the service from now on."""
    assert rig.hub.operators is not None
    backend, looks = rig.hub.operators.backend, []
    call = backend.call

    async def recorded(method: str, path: str, *rest: Any) -> Any:
        answer = await call(method, path, *rest)
        if method == "PATCH" and path.startswith("/v2/infra-envs/"):
            looks.append(path)
        return answer

    backend.call = recorded  # type: ignore[method-assign]
    return looks


def test_without_an_image_service_there_are_no_artefacts(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            await rig.infra_env()
            rig.hub.service.core.settings.env["ENABLE_IMAGE_SERVICE"] = "false"
            await rig.patch(INFRA_ENV, "rack", {"metadata": {"labels": {"seen": "yes"}}})
            item = await rig.until(INFRA_ENV, "rack", lambda found: "isoDownloadURL" not in found["status"])
            assert condition(item, "ImageCreated") == ("True", "InfraEnvAvailable", "InfraEnv is available")
            assert (
                "createdTime" not in item["status"]
                and "bootArtifacts" not in item["status"]
                and item["status"]["debugInfo"]["eventsURL"]
            )

    asyncio.run(run())


def test_what_an_infra_env_says_of_its_mirror(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            lead = "Failed to create image due to an internal error: "
            spec = {
                "pullSecretRef": {"name": "pull-secret"},
                "mirrorRegistryRef": {"namespace": "edge", "name": "mirror"},
            }
            await rig.create(INFRA_ENV, "rack", spec)
            item = await rig.until(INFRA_ENV, "rack", lambda found: condition(found, "ImageCreated")[0])
            assert condition(item, "ImageCreated")[2] == (
                f'{lead}Failed to get referenced ConfigMap: configmaps "mirror" not found'
            )
            await rig.create(CONFIG_MAP, "mirror", data={"ca-bundle.crt": "x"})
            await rig.until(INFRA_ENV, "rack", lambda found: "does not contain" in condition(found, "ImageCreated")[2])
            item = await rig.get(INFRA_ENV, "rack")
            assert condition(item, "ImageCreated")[2] == (
                f"{lead}ConfigMap edge/mirror does not contain registries.conf key"
            )

    asyncio.run(run())
