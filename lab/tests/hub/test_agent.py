# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test Agents on a running hub: hosts register through the REST API as the discovery image would."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ztlab.hub.hub import OPERATOR
from ztlab.hub.names import AGENT, INFRA_ENV

from .rig import Machine, condition, hub_rig


def test_a_host_becomes_an_agent(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            infra_env = await rig.infra_env(agentLabels={"room": "a"})
            machine = Machine(1)
            rig.boot(infra_env, machine)
            agent = await rig.until(
                AGENT,
                machine.id,
                lambda item: item.get("status", {}).get("debugInfo", {}).get("state") == "known-unbound",
            )
            labels = agent["metadata"]["labels"]
            assert labels["infraenvs.agent-install.openshift.io"] == "rack" and labels["room"] == "a"
            assert labels["inventory.agent-install.openshift.io/host-manufacturer"] == "Lab"
            assert labels["agent-install.openshift.io/clusterdeployment-namespace"] == ""
            assert agent["metadata"]["ownerReferences"][0]["uid"] == infra_env["metadata"]["uid"]
            assert agent["spec"] == {"approved": False, "role": ""}
            assert [entry["type"] for entry in agent["status"]["conditions"]] == [
                "SpecSynced",
                "Connected",
                "RequirementsMet",
                "Validated",
                "Installed",
                "Bound",
            ]
            assert condition(agent, "RequirementsMet")[1] == "AgentIsNotApproved"
            assert agent["status"]["inventory"]["interfaces"][0]["macAddress"] == machine.mac
            spec = {
                "approved": True,
                "hostname": "worker-7",
                "role": "worker",
                "nodeLabels": {"a": "b"},
                "installation_disk_id": machine.disks[0]["id"],
            }
            await rig.patch(AGENT, machine.id, {"spec": spec})
            agent = await rig.until(
                AGENT, machine.id, lambda item: condition(item, "RequirementsMet")[1] == "AgentIsReady"
            )
            assert condition(agent, "SpecSynced") == ("True", "SyncOK", "The Spec has been successfully applied")
            await rig.patch(AGENT, machine.id, {"spec": {"installation_disk_id": "nowhere"}})
            agent = await rig.until(AGENT, machine.id, lambda item: condition(item, "SpecSynced")[1] == "InputError")
            assert (
                "Requested installation disk is not part of the host's valid disks" in condition(agent, "SpecSynced")[2]
            )
            await rig.client.delete(INFRA_ENV, "rack", "edge")
            await rig.gone(INFRA_ENV, "rack")
            await rig.gone(AGENT, machine.id)

    asyncio.run(run())


def test_labels_of_an_infra_env_follow_it(tmp_path: Path) -> None:
    """A label is removed with its name in the list, and a conflict with another writer is retried."""

    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            propagate = "infraenv.agent-install.openshift.io/propagate-node-labels"
            inherited = "agent.agent-install.openshift.io/inherited-node-labels"
            infra_env = await rig.infra_env()
            metadata = {"labels": {"zone": "a", "rack": "7"}, "annotations": {propagate: "zone,rack"}}
            await rig.patch(INFRA_ENV, "rack", {"metadata": metadata})
            await rig.until(
                INFRA_ENV,
                "rack",
                lambda item: rig.hub.operators and rig.hub.operators.world.get(INFRA_ENV, ("edge", "rack")) == item,
            )
            machine = Machine(1)
            rig.boot(infra_env, machine)
            agent = await rig.until(AGENT, machine.id, lambda item: item["spec"].get("nodeLabels"))
            assert agent["spec"]["nodeLabels"] == {"zone": "a", "rack": "7"}
            assert agent["metadata"]["annotations"][inherited] == "rack,zone"
            await rig.patch(AGENT, machine.id, {"spec": {"nodeLabels": {"mine": "x"}}})
            rig.lab.faults.add("api-409", count=2, options={"user": OPERATOR.name, "method": "PATCH"})
            await rig.patch(INFRA_ENV, "rack", {"metadata": {"annotations": {propagate: "zone"}}})
            agent = await rig.until(AGENT, machine.id, lambda item: "rack" not in item["spec"]["nodeLabels"])
            assert agent["spec"]["nodeLabels"] == {"zone": "a", "mine": "x"}

    asyncio.run(run())
