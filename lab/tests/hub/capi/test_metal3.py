# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how a Machine gets its host: Cluster API Provider Metal3 selects a BareMetalHost and writes the image with the
config drive, and the host registers.
"""

from __future__ import annotations

import asyncio
import base64
import copy
from pathlib import Path
from typing import Any

from aiohttp import web
from ztlab.hub.names import AGENT, BARE_METAL_HOST, INFRA_ENV_LABEL, SECRET, labels_of
from ztlab.machine import config_drive

from ..rig import SITE, hub_rig
from .assisted import CORE, NAMED, Scene, condition_of

IMAGES = "10.0.0.9"


def site() -> dict[str, Any]:
    document = copy.deepcopy(SITE)
    document["hub"]["cluster_api"] = {"provider": "none", "openshift_assisted": "v1alpha3", "metal3": "v1beta1"}
    return document


def test_a_machine_gets_a_host_that_registers(tmp_path: Path) -> None:
    async def flow() -> None:
        async with hub_rig(tmp_path, site=site()) as rig:
            scene = Scene(rig)
            app = web.Application()
            app.router.add_get("/rhcos.qcow2", lambda _request: web.Response(body=b"QFI\xfb"))
            listener = await rig.lab.serve(app, rig.lab.fabric.table.loopback(IMAGES), 8080)
            del listener
            credentials = {
                "username": base64.b64encode(b"root").decode(),
                "password": base64.b64encode(b"calvin").decode(),
            }
            await rig.create(SECRET, "spare-bmc", data=credentials)
            address = rig.lab.site.machines[0].bmc.address
            for name, labels in (("spare", {"role": "master"}), ("another", {"role": "worker"})):
                bmc = {
                    "address": f"redfish-virtualmedia+https://{address}/redfish/v1/Systems/1",
                    "credentialsName": "spare-bmc",
                    "disableCertificateVerification": True,
                }
                spec = {"online": True, "bmc": bmc} if name == "spare" else {"online": True}
                await rig.create(
                    BARE_METAL_HOST,
                    name,
                    spec,
                    metadata={"labels": labels, "annotations": {"inspect.metal3.io": "disabled"}},
                )
            await scene.cluster()
            image = {"url": f"http://{IMAGES}:8080/rhcos.qcow2", "checksum": "c", "format": "qcow2"}
            template = {
                "template": {
                    "spec": {
                        "image": image,
                        "hostSelector": {"matchLabels": {"role": "master"}},
                        "automatedCleaningMode": "disabled",
                    }
                }
            }
            await rig.patch(CORE.metal3_machine_template, "c1", {"spec": template})
            await scene.plane(
                openshiftAssistedConfigSpec={"pullSecretRef": {"name": "pull-secret"}, "nodeRegistration": NAMED}
            )
            (machine,) = await scene.machines(1)
            own = machine["metadata"]["name"]
            host = await rig.until(BARE_METAL_HOST, "spare", lambda item: item["spec"].get("consumerRef"))
            assert host["spec"]["consumerRef"]["name"] == own
            host = await rig.until(BARE_METAL_HOST, "spare", lambda item: (item["spec"].get("image") or {}).get("url"))
            assert host["spec"]["userData"] == {"name": own, "namespace": "edge"}
            assert host["spec"]["automatedCleaningMode"] == "disabled"
            await rig.until(
                BARE_METAL_HOST, "spare", lambda item: item["status"]["provisioning"]["state"] == "provisioned"
            )
            while not (agents := (await rig.client.list(AGENT, "edge"))[0]):
                await asyncio.sleep(0.1)
            assert labels_of(agents[0])[INFRA_ENV_LABEL] == own
            agent = await rig.until(
                AGENT,
                agents[0]["metadata"]["name"],
                lambda item: item["spec"].get("approved") and (item.get("status") or {}).get("inventory"),
            )
            assert agent["status"]["inventory"]["hostname"] == "spare"
            waiting = await rig.get(CORE.metal3_machine, own)
            assert condition_of(waiting, "AssociateBMH")[0] == "True"

            await rig.client.delete(CORE.control_plane, "c1", "edge")
            freed = await rig.until(BARE_METAL_HOST, "spare", lambda item: not item["spec"].get("consumerRef"))
            assert not freed["spec"].get("image")
            await rig.gone(CORE.metal3_machine, own)

    asyncio.run(asyncio.wait_for(flow(), 600))


def test_what_scripts_make_of_the_metadata() -> None:
    metadata = {"uuid": "u-1", "metal3-name": "host-1"}
    assert config_drive.variables(metadata) == {"METADATA_UUID": "u-1", "METADATA_METAL3_NAME": "host-1"}
    assert config_drive.hostname("name=$(sed -n 's/^METADATA_METAL3_NAME=//p' x)", metadata) == "host-1"
    assert config_drive.hostname("echo", metadata) == config_drive.hostname("METADATA_NONE", metadata) == ""
    script = 'echo "CUSTOM_KUBELET_LABELS=metal3.io/uuid=${METADATA_UUID},a=b,c=${X}" >>file'
    assert config_drive.kubelet_labels(script, metadata) == {"metal3.io/uuid": "u-1", "a": "b", "c": ""}
    assert config_drive.kubelet_labels("", metadata) == {}
