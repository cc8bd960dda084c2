# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the tables that ``kubectl get`` prints for the hub's kinds: upstream's columns, with the operators' values."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from ztlab.hub.names import AGENT, CLUSTER_DEPLOYMENT, CLUSTER_INSTALL, INFRA_ENV, Kind

from .flow import bind, order_cluster, state
from .rig import Machine, Rig, hub_rig

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


async def table(rig: Rig, kind: Kind, *, wide: bool = False) -> list[dict[str, Any]]:
    """Return the rows that kubectl shows."""
    client = rig.client
    client._headers["Accept"] = TABLE
    try:
        body = await client._call("GET", kind.path("edge"))
    finally:
        client._headers["Accept"] = "application/json"
    shown = [
        (place, column["name"])
        for place, column in enumerate(body["columnDefinitions"])
        if wide or not column["priority"]
    ]
    return [{name: row["cells"][place] for place, name in shown} for row in body["rows"]]


def test_the_tables_of_a_hub(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            await order_cluster(rig, holdInstallation=True)
            infra_env = await rig.infra_env()
            machines = [Machine(number) for number in range(3)]
            rig.boot(infra_env, *machines)
            await bind(rig, machines)
            await rig.until(CLUSTER_INSTALL, "spoke", lambda item: state(item) == "ready")
            await rig.until(AGENT, machines[0].id, lambda item: item["status"]["role"] == "master")
            rows = {row["Name"]: row for row in await table(rig, AGENT, wide=True)}
            assert list(rows[machines[0].id]) == [
                "Name",
                "Cluster",
                "Approved",
                "Role",
                "Stage",
                "Hostname",
                "Requested Hostname",
            ]
            row = rows[machines[0].id]
            assert (row["Cluster"], row["Role"], row["Hostname"], row["Requested Hostname"]) == (
                "spoke",
                "master",
                "host-0",
                "host-0",
            )
            assert str(row["Approved"]).lower() == "true" and not row["Stage"]
            install = (await table(rig, CLUSTER_INSTALL))[0]
            assert (install["Name"], install["Cluster"], install["State"]) == ("spoke", "spoke", "ready")
            infra = (await table(rig, INFRA_ENV))[0]
            assert infra["Name"] == "rack" and infra["ISO Created At"] == infra_env["status"]["createdTime"]
            deployment = (await table(rig, CLUSTER_DEPLOYMENT))[0]
            assert (deployment["Platform"], deployment["ProvisionStatus"]) == ("agent-baremetal", "Initialized")

    asyncio.run(run())
