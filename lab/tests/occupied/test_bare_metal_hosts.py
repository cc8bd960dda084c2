# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test BareMetalHosts that the lab creates itself: those of another owner that a hub has before a run, and those that a
new cluster gets from the BMC addresses in its AgentClusterInstall.
"""

from __future__ import annotations

import asyncio
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from ztlab.hub.client import Refused
from ztlab.hub.names import BARE_METAL_HOST, SECRET
from ztlab.live.cluster_plan import bmcs_of

from ..hub.rig import SITE, hub_rig


def test_a_hub_has_hosts_of_another_owner(tmp_path: Path) -> None:
    async def flow() -> None:
        site = copy.deepcopy(SITE)
        site["hub"]["bare_metal_hosts"] = [{"machine": "spare", "namespace": "metal", "name": "rack-7"}]
        async with hub_rig(tmp_path, site=site) as rig:
            host = await rig.get(BARE_METAL_HOST, "rack-7", "metal")
            assert (host["spec"]["bootMACAddress"], host["spec"]["bmc"]["address"]) == (
                "52:54:00:00:00:01",
                "10.0.0.51",
            )
            assert await rig.get(SECRET, host["spec"]["bmc"]["credentialsName"], "metal")
            await rig.until(
                BARE_METAL_HOST,
                "rack-7",
                lambda item: (item.get("status") or {}).get("operationalStatus") == "detached",
                namespace="metal",
            )
            assert not rig.lab.status()["machines"][0]["bmc"]["requests"], "the hub's operator spoke to the BMC"

    asyncio.run(flow())


def test_an_outage_of_the_hub(tmp_path: Path) -> None:
    async def flow() -> None:
        async with hub_rig(tmp_path) as rig:
            rig.lab.faults.add("api-down")
            await rig.lab.outages.apply()
            assert await rig.get(SECRET, "pull-secret"), "a fault that does not name the hub hit it"
            rig.lab.faults.add("api-down", options={"cluster": "hub"})
            await rig.lab.outages.apply()
            with pytest.raises(Refused, match="onnect"):
                await rig.get(SECRET, "pull-secret")
            rig.lab.faults.clear("api-down")
            await rig.lab.outages.apply()
            assert await rig.get(SECRET, "pull-secret")

    asyncio.run(flow())


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ({}, {}),
        ({"platform": {"baremetal": {"hosts": [{"name": "a", "bootMACAddress": "02:00:00:00:00:01"}]}}}, {}),
        (
            {
                "platform": {
                    "baremetal": {
                        "hosts": [
                            {
                                "name": "a",
                                "bmc": {"address": "redfish+https://10.0.0.9/1"},
                                "bootMACAddress": "02:00:00:00:00:0A",
                            }
                        ]
                    }
                }
            },
            {"02:00:00:00:00:0a": "redfish+https://10.0.0.9/1"},
        ),
    ],
)
def test_bmcs_of_an_image(overrides: dict[str, Any], expected: dict[str, str]) -> None:
    install = {
        "metadata": {"annotations": {"agent-install.openshift.io/install-config-overrides": json.dumps(overrides)}}
    }
    assert bmcs_of(install) == expected
    assert bmcs_of({"metadata": {}}) == {}
