# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test BareMetalHosts on a hub: BMAC sets the InfraEnv's image in a BareMetalHost, and the operator boots that host
through the lab's BMC.
"""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

from ztlab.hub.names import AGENT, AGENT_CLASSIFICATION, BARE_METAL_HOST, PREPROVISIONING_IMAGE, SECRET

from .rig import Machine, Rig, condition, hub_rig

MAC = "52:54:00:00:00:01"


async def bare_metal_host(rig: Rig) -> None:
    data = {name: base64.b64encode(value).decode() for name, value in (("username", b"root"), ("password", b"calvin"))}
    await rig.create(SECRET, "spare-bmc", type="Opaque", data=data)
    annotations = {
        "bmac.agent-install.openshift.io/hostname": "worker-1",
        "bmac.agent-install.openshift.io/role": "worker",
    }
    metadata = {"labels": {"infraenvs.agent-install.openshift.io": "rack"}, "annotations": annotations}
    bmc = {"address": "redfish-virtualmedia+https://10.0.0.51/redfish/v1/Systems/1", "credentialsName": "spare-bmc"}
    await rig.create(
        BARE_METAL_HOST,
        "spare",
        {"online": False, "bootMACAddress": MAC, "bmc": bmc, "rootDeviceHints": {"deviceName": "/dev/sda"}},
        metadata=metadata,
    )


def test_a_host_boots_the_image_and_its_agent_is_reported(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            infra_env = await rig.infra_env()
            await bare_metal_host(rig)
            host = await rig.until(
                BARE_METAL_HOST,
                "spare",
                lambda item: item.get("status", {}).get("provisioning", {}).get("state") == "provisioned",
            )
            assert (
                host["spec"]["image"] == {"url": infra_env["status"]["isoDownloadURL"], "format": "live-iso"}
                and host["spec"]["online"]
            )
            assert host["metadata"]["annotations"]["inspect.metal3.io"] == "disabled"
            assert host["spec"]["automatedCleaningMode"] == "disabled"
            hardware = rig.lab.machines["spare"]
            assert hardware.cd.image == infra_env["status"]["isoDownloadURL"]
            # The lab's machine boots what its BMC was given, and registers.
            name = hardware.spec.system_uuid
            agent = await rig.until(
                AGENT, name, lambda item: item["spec"].get("hostname") and item["spec"].get("installation_disk_id")
            )
            assert agent["spec"]["approved"] and agent["spec"]["role"] == "worker"
            assert agent["metadata"]["labels"]["agent-install.openshift.io/bmh"] == "spare"
            disks = {disk["id"]: disk["name"] for disk in agent["status"]["inventory"]["disks"]}
            assert disks[agent["spec"]["installation_disk_id"]] == "sda"

    asyncio.run(run())


def test_a_bmc_that_refuses_is_an_error_of_the_host(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            await rig.infra_env()
            rig.lab.faults.add("bmc-503", count=None)
            await bare_metal_host(rig)
            host = await rig.until(
                BARE_METAL_HOST, "spare", lambda item: item.get("status", {}).get("operationalStatus") == "error"
            )
            assert host["status"]["errorType"] == "registration error" and "503" in host["status"]["errorMessage"]
            rig.lab.faults.clear("bmc-503")
            await rig.until(
                BARE_METAL_HOST,
                "spare",
                lambda item: item["status"]["operationalStatus"] == "OK" and not item["status"].get("errorType"),
            )

    asyncio.run(run())


def test_a_preprovisioning_image_cools_down_and_follows_the_infra_env(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            await rig.infra_env()
            metadata = {"labels": {"infraenvs.agent-install.openshift.io": "rack"}}
            await rig.create(
                PREPROVISIONING_IMAGE, "spare", {"acceptFormats": ["iso"], "architecture": "x86_64"}, metadata=metadata
            )
            image = await rig.until(PREPROVISIONING_IMAGE, "spare", lambda item: condition(item, "Ready")[0] == "True")
            assert condition(image, "Ready")[1] == "InfraEnvAvailable" and image["status"]["format"] == "iso"
            assert image["status"]["imageUrl"].endswith("/minimal.iso")

    asyncio.run(run())


def test_classifications_label_agents(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            infra_env = await rig.infra_env()
            await rig.create(
                AGENT_CLASSIFICATION, "large", {"labelKey": "size", "labelValue": "large", "query": ".cpu.count >= 8"}
            )
            await rig.create(
                AGENT_CLASSIFICATION, "odd", {"labelKey": "odd", "labelValue": "yes", "query": ".cpu.count | error"}
            )
            machine = Machine(1)
            rig.boot(infra_env, machine)
            prefix = "agentclassification.agent-install.openshift.io/"
            agent = await rig.until(
                AGENT,
                machine.id,
                lambda item: (
                    f"{prefix}odd" in item["metadata"]["labels"] and f"{prefix}size" in item["metadata"]["labels"]
                ),
            )
            assert agent["metadata"]["labels"][f"{prefix}size"] == "large"
            assert agent["metadata"]["labels"][f"{prefix}odd"] == "QUERYERROR-yes"
            item = await rig.until(
                AGENT_CLASSIFICATION, "odd", lambda found: condition(found, "QueryErrors")[0] == "True"
            )
            assert condition(item, "QueryErrors")[1:] == (
                "HasQueryErrors",
                "1 Agents failed to apply the classification",
            )
            await rig.until(
                AGENT_CLASSIFICATION, "large", lambda found: found.get("status", {}).get("matchedCount") == 1
            )
            await rig.client.delete(AGENT_CLASSIFICATION, "large", "edge")
            await rig.gone(AGENT_CLASSIFICATION, "large")
            await rig.until(AGENT, machine.id, lambda found: f"{prefix}size" not in found["metadata"]["labels"])

    asyncio.run(run())
