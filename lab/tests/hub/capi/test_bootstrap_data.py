# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test Machines whose bootstrap data is created by a bootstrap provider.

Cluster API creates the bootstrap and the infrastructure object of a Machine from their templates, and copies the name
of the provider's Secret (``dataSecretName``) to the Machine. On deletion, the infrastructure object is the first.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from ztlab.hub.capi.kinds import CoreKinds
from ztlab.hub.names import Object, deleting

from ..rig import SITE, hub_rig

CORE = CoreKinds("v1beta2", "v1alpha3", "v1beta1")
HELD = "test.example.com/held"


def site() -> dict[str, Any]:
    providers = {"openshift_assisted": "v1alpha3", "metal3": "v1beta1"}
    return {**SITE, "hub": {**SITE["hub"], "cluster_api": {"provider": "none", **providers}}}


def reference(kind: Any, name: str) -> Object:
    return {"apiGroup": kind.group, "kind": kind.kind, "name": name}


def test_bootstrap_data_of_a_provider(tmp_path: Path) -> None:
    async def flow() -> None:
        async with hub_rig(tmp_path, site=site()) as rig:
            await rig.create(CORE.cluster, "c1", {"infrastructureRef": reference(CORE.metal3_cluster, "c1")})
            await rig.create(
                CORE.config_template,
                "w",
                {"template": {"metadata": {"annotations": {"a": "b"}}, "spec": {"sshAuthorizedKey": "key"}}},
            )
            await rig.create(
                CORE.metal3_machine_template,
                "w",
                {"template": {"spec": {"image": {"url": "http://a.example.com/x", "checksum": "c"}}}},
            )
            spec = {
                "clusterName": "c1",
                "bootstrap": {"configRef": reference(CORE.config_template, "w")},
                "infrastructureRef": reference(CORE.metal3_machine_template, "w"),
            }
            labels = {"pool": "w"}
            body = {
                "clusterName": "c1",
                "replicas": 1,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": spec},
            }
            await rig.create(CORE.machine_deployment, "w", body)
            while not (machines := (await rig.client.list(CORE.machine, "edge"))[0]):
                await asyncio.sleep(0.05)
            name = machines[0]["metadata"]["name"]
            config = await rig.until(
                CORE.config,
                name,
                lambda item: any(entry.get("controller") for entry in item["metadata"]["ownerReferences"]),
            )
            assert config["spec"] == {"sshAuthorizedKey": "key", "cpuArchitecture": "x86_64"}
            assert config["metadata"]["annotations"]["a"] == "b"
            assert machines[0]["spec"]["bootstrap"]["configRef"]["kind"] == "OpenshiftAssistedConfig"
            infrastructure = await rig.get(CORE.metal3_machine, name)
            assert (
                infrastructure["metadata"]["annotations"]["cluster.x-k8s.io/cloned-from-groupkind"]
                == f"Metal3MachineTemplate.{CORE.metal3_machine.group}"
            )

            await rig.patch(CORE.metal3_machine, name, {"metadata": {"finalizers": [HELD]}})
            await rig.patch(CORE.config, name, {"metadata": {"finalizers": [HELD]}})
            status = {"dataSecretName": name, "initialization": {"dataSecretCreated": True}}
            await rig.client.patch(CORE.config, name, "edge", {"status": status}, subresource="status")
            await rig.until(CORE.machine, name, lambda item: item["spec"]["bootstrap"].get("dataSecretName") == name)

            await rig.client.delete(CORE.machine_deployment, "w", "edge")
            await rig.until(CORE.metal3_machine, name, deleting)
            assert not deleting(await rig.get(CORE.config, name))
            await rig.patch(CORE.metal3_machine, name, {"metadata": {"finalizers": None}})
            await rig.until(CORE.config, name, deleting)
            await rig.patch(CORE.config, name, {"metadata": {"finalizers": None}})
            await rig.gone(CORE.machine, name)

    asyncio.run(asyncio.wait_for(flow(), 600))
