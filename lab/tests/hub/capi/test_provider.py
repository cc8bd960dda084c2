# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how the Agent provider reconciles AgentMachines, including upstream's defects. If CAPI_PROVIDER_AGENT names
upstream's program, the same tests also run with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from ztlab.hub.capi.kinds import AGENT_MACHINE, AGENT_MACHINE_FINALIZER, MACHINE_HOOK
from ztlab.hub.names import AGENT, SECRET, Object, annotations_of, labels_of

from ..rig import condition
from .site import encoded, user_data
from .stage import CORE_KINDS, INSTALLED, PLAYERS, Stage, settle, stage

MACHINE = CORE_KINDS.machine
pytestmark = pytest.mark.parametrize("player", PLAYERS)
Scene = Callable[[Stage], Awaitable[None]]


def play(tmp_path: Path, player: str, scene: Scene) -> None:
    async def run() -> None:
        async with stage(tmp_path, player) as found:
            await found.cluster()
            await scene(found)

    asyncio.run(run())


def reserved(item: Object) -> bool:
    return bool((item.get("status") or {}).get("agentRef"))


def reason(item: Object, kind: str) -> str:
    return condition(item, kind)[1]


def test_a_machine_gets_an_agent(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.machine("m1", selector={"matchLabels": {"size": "large"}})
        item = await on.rig.until(AGENT_MACHINE, "m1", lambda item: reason(item, "AgentReserved") == "NoSuitableAgents")
        assert condition(item, "Ready") == (
            "False",
            "IssuesReported",
            "* AgentReserved: NoSuitableAgents\n* AgentSpecSynced: Agent not yet reserved\n* AgentValidated: Agent "
            "not yet reserved\n"
            "* AgentRequirementsMet: Agent not yet reserved\n* Installed: Agent not yet reserved",
        )
        assert [entry["type"] for entry in item["status"]["conditions"]] == [
            "Ready",
            "AgentRequirementsMet",
            "AgentReserved",
            "AgentSpecSynced",
            "AgentValidated",
            "Installed",
        ]
        assert "ready" not in item["status"] and "agentRef" not in item["status"]
        # Conditions are stored before what else the pass changed.
        await on.rig.until(
            AGENT_MACHINE, "m1", lambda item: AGENT_MACHINE_FINALIZER in (item["metadata"].get("finalizers") or [])
        )
        await on.rig.until(MACHINE, "m1", lambda item: annotations_of(item).get(MACHINE_HOOK) == "")
        await on.agent("small")
        await on.agent("big", size="large")
        item = await on.rig.until(
            AGENT_MACHINE, "m1", lambda item: reserved(item) and condition(item, "Installed")[1] == "Told"
        )
        assert item["spec"]["providerID"] == "agent://big" and item["status"]["agentRef"] == {
            "name": "big",
            "namespace": "edge",
        }
        assert item["status"]["addresses"] == [
            {"type": "ExternalIP", "address": "192.0.2.7"},
            {"type": "InternalDNS", "address": "big-host"},
        ]
        assert labels_of(item)["cluster.open-cluster-management.io/backup"] == "true"
        agent = await on.rig.get(AGENT, "big")
        assert (
            labels_of(agent)["agentMachineRef"] == "m1" and annotations_of(agent)["agentMachineRefNamespace"] == "edge"
        )
        assert {name: agent["spec"][name] for name in agent["spec"] if name not in ("approved", "role")} == {
            "clusterDeploymentName": {"name": "c1", "namespace": "edge"},
            "machineConfigPool": "ignition",
            "ignitionEndpointTokenReference": {"name": "agent-user-data", "namespace": "edge"},
            "ignitionEndpointHTTPHeaders": {"NodePool": "clusters/pool"},
        }
        token = await on.rig.get(SECRET, "agent-user-data")
        assert token["data"] == encoded(ignition_token="dG9rZW4=")
        assert labels_of(token) == {
            "agent-install.openshift.io/watch": "true",
            "cluster.open-cluster-management.io/backup": "true",
        }
        assert not labels_of(await on.rig.get(AGENT, "small")).get("agentMachineRef")

    play(tmp_path, player, scene)


def test_ready_stays(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.agent("a1")
        await on.machine("m1")
        await on.rig.until(AGENT_MACHINE, "m1", reserved)
        await on.agent_is("a1", "added-to-existing-cluster", INSTALLED)
        item = await on.rig.until(AGENT_MACHINE, "m1", lambda item: item["status"].get("ready"))
        assert condition(item, "Ready")[:2] == ("True", "InfoReported")
        await on.agent_is("a1", "error", INSTALLED | {"Installed": "False"})
        await settle()
        item = await on.rig.get(AGENT_MACHINE, "m1")
        assert item["status"]["ready"] and condition(item, "Installed")[0] == "True", (
            "what becomes of the host is not looked at any more"
        )

    play(tmp_path, player, scene)


def test_new_bootstrap_data_reaches_a_host_that_waits(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.agent("a1")
        await on.machine("m1")
        await on.rig.until(AGENT_MACHINE, "m1", reserved)
        await on.rig.create(SECRET, "user-data-2", data=encoded(value=user_data("bmV3")))
        await on.rig.patch(MACHINE, "m1", {"spec": {"bootstrap": {"dataSecretName": "user-data-2"}}})
        await on.rig.until(
            AGENT, "a1", lambda item: item["spec"]["ignitionEndpointTokenReference"]["name"] == "agent-user-data-2"
        )

    play(tmp_path, player, scene)


def test_without_bootstrap_data_a_host_is_bound_all_the_same(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.agent("a1")
        await on.machine(
            "m1",
            secret="",
            bootstrap={"configRef": {"apiGroup": "bootstrap.example.com", "kind": "Config", "name": "c"}},
        )
        agent = await on.rig.until(AGENT, "a1", lambda item: item["spec"].get("clusterDeploymentName"))
        assert not agent["spec"].get("machineConfigPool") and not agent["spec"].get("ignitionEndpointTokenReference")

    play(tmp_path, player, scene)


def test_an_empty_bootstrap_is_lost_on_the_way(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.agent("a1")
        await on.machine("m1", secret="")
        await settle()
        assert MACHINE_HOOK not in annotations_of(await on.rig.get(MACHINE, "m1")), (
            "v1beta2 refuses the Machine that is put"
        )
        assert "agentMachineRef" not in labels_of(await on.rig.get(AGENT, "a1"))

    play(tmp_path, player, scene)


def test_a_name_that_no_label_holds(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        name = "m" * 64
        await on.agent("a1")
        await on.machine(name)
        item = await on.rig.until(AGENT_MACHINE, name, lambda item: reason(item, "AgentReserved") == "AgentNotYetFound")
        assert "must be no more than 63 bytes" in condition(item, "AgentReserved")[2]
        assert "agentMachineRef" not in labels_of(await on.rig.get(AGENT, "a1"))

    play(tmp_path, player, scene)


def test_a_host_without_a_name_is_half_claimed(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.agent("a1", nics=False)
        await on.machine("m1")
        item = await on.rig.until(AGENT_MACHINE, "m1", lambda item: reason(item, "AgentReserved") == "AgentReserved")
        await settle()
        item = await on.rig.get(AGENT_MACHINE, "m1")
        assert (
            item["spec"]["providerID"] == "agent://a1"
            and "agentRef" not in item["status"]
            and "addresses" not in item["status"]
        )
        assert labels_of(await on.rig.get(AGENT, "a1"))["agentMachineRef"] == "m1"

    play(tmp_path, player, scene)


def test_a_reserved_agent_that_is_deleted_is_not_replaced(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.agent("a1")
        await on.machine("m1")
        await on.rig.until(AGENT_MACHINE, "m1", reserved)
        await on.rig.client.delete(AGENT, "a1", "edge")
        await on.rig.gone(AGENT, "a1")
        await on.agent("a2")
        await settle()
        item = await on.rig.get(AGENT_MACHINE, "m1")
        assert item["status"]["agentRef"]["name"] == "a1" and condition(item, "AgentReserved")[0] == "True"
        assert "agentMachineRef" not in labels_of(await on.rig.get(AGENT, "a2"))

    play(tmp_path, player, scene)


def test_the_hook_holds_until_the_host_is_released(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.agent("a1")
        await on.machine("m1")
        await on.rig.until(AGENT_MACHINE, "m1", reserved)
        await on.agent_is("a1", "added-to-existing-cluster", INSTALLED)
        await on.rig.until(AGENT_MACHINE, "m1", lambda item: item["status"].get("ready"))
        await on.deleting("m1", "DrainingNode")
        await settle()
        assert (await on.rig.get(AGENT, "a1"))["spec"].get("clusterDeploymentName"), "the Node is still to be drained"
        await on.deleting("m1", "WaitingForPreTerminateHook")
        agent = await on.rig.until(AGENT, "a1", lambda item: not item["spec"].get("clusterDeploymentName"))
        assert "agentMachineRef" not in labels_of(agent) and "agentMachineRefNamespace" not in annotations_of(agent)
        assert set(agent["spec"]) - {"machineConfigPool"} == {"approved", "role"}
        assert MACHINE_HOOK in annotations_of(await on.rig.get(MACHINE, "m1")), "the host is not done yet"
        await on.agent_is("a1", "unbinding-pending-user-action", INSTALLED | {"Bound": "False"})
        await on.rig.until(MACHINE, "m1", lambda item: MACHINE_HOOK not in annotations_of(item))
        await on.rig.until(AGENT_MACHINE, "m1", lambda item: not item["metadata"].get("finalizers"))

    play(tmp_path, player, scene)


def test_an_agent_machine_that_is_deleted_by_itself_waits_and_claims(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.machine("m1")
        await on.rig.until(AGENT_MACHINE, "m1", lambda item: item["metadata"].get("finalizers"))
        await on.rig.client.delete(AGENT_MACHINE, "m1", "edge")
        await on.agent("a1")
        await on.rig.until(AGENT, "a1", lambda item: labels_of(item).get("agentMachineRef") == "m1")
        assert (await on.rig.get(AGENT_MACHINE, "m1"))["metadata"]["deletionTimestamp"]

    play(tmp_path, player, scene)


def test_a_machine_removed_by_force_leaves_its_agent_bound(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.agent("a1")
        await on.machine("m1")
        await on.rig.until(AGENT_MACHINE, "m1", reserved)
        await on.rig.client.delete(MACHINE, "m1", "edge")
        await on.rig.patch(MACHINE, "m1", {"metadata": {"finalizers": None}})
        await on.rig.gone(AGENT_MACHINE, "m1")
        agent = await on.rig.get(AGENT, "a1")
        assert labels_of(agent)["agentMachineRef"] == "m1" and agent["spec"]["clusterDeploymentName"]

    play(tmp_path, player, scene)


def test_a_machine_that_was_deleted_before_its_hook_is_never_released(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.agent("a1")
        await on.machine("m1")
        await on.rig.until(AGENT_MACHINE, "m1", reserved)
        await on.deleting("m1", "WaitingForInfrastructureDeletion")
        await on.rig.patch(MACHINE, "m1", {"metadata": {"annotations": {MACHINE_HOOK: None}}})
        await on.rig.client.delete(AGENT_MACHINE, "m1", "edge")
        await settle()
        assert AGENT_MACHINE_FINALIZER in (await on.rig.get(AGENT_MACHINE, "m1"))["metadata"]["finalizers"]

    play(tmp_path, player, scene)


def test_paused(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.agent("a1")
        await on.machine("m1", annotations={"cluster.x-k8s.io/paused": "true"})
        await on.rig.until(AGENT_MACHINE, "m1", lambda item: item["metadata"].get("finalizers"))
        await settle()
        assert "agentMachineRef" not in labels_of(await on.rig.get(AGENT, "a1"))
        await on.rig.patch(AGENT_MACHINE, "m1", {"metadata": {"annotations": {"cluster.x-k8s.io/paused": "yes"}}})
        await on.rig.until(AGENT_MACHINE, "m1", reserved)
        await on.rig.patch(AGENT_MACHINE, "m1", {"metadata": {"annotations": {"cluster.x-k8s.io/paused": "true"}}})
        await on.rig.client.delete(AGENT_MACHINE, "m1", "edge")
        await on.rig.gone(AGENT_MACHINE, "m1")
        assert (await on.rig.get(AGENT, "a1"))["spec"]["clusterDeploymentName"], "nothing is unbound while it is paused"
        assert MACHINE_HOOK not in annotations_of(await on.rig.get(MACHINE, "m1"))

    play(tmp_path, player, scene)


def test_an_agent_with_the_name_is_taken_whatever_its_state(tmp_path: Path, player: str) -> None:
    async def scene(on: Stage) -> None:
        await on.agent("a1", state="error")
        await on.rig.patch(
            AGENT, "a1", {"metadata": {"labels": {"agentMachineRef": "m1"}}, "spec": {"approved": False}}
        )
        await on.machine("m1")
        item = await on.rig.until(AGENT_MACHINE, "m1", reserved)
        agent = await on.rig.get(AGENT, "a1")
        assert item["status"]["agentRef"]["name"] == "a1" and not agent["spec"].get("clusterDeploymentName")
        assert "agentMachineRefNamespace" not in annotations_of(agent)

    play(tmp_path, player, scene)
