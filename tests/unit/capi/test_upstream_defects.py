# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that a reconcile pass avoids the known defects of upstream's controller: one test for each row of the table.

Source: docs/upstream/cluster-api-provider-agent.md#defects.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.names import (
    AGENT_MACHINE_FINALIZER,
    HOOK,
    PAUSED,
    RESERVED_LABEL,
    RESERVED_NAMESPACE,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import PartialFailure
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.faults import ForbiddenError


def state(account: Any, name: str = "pool-0") -> tuple[str, str]:
    return next((plan.state, plan.reason) for plan in account.plan.machines if plan.view.name == name)


def conditions(hub: Any, name: str = "pool-0") -> dict[str, tuple[str, str]]:
    return {
        item["type"]: (item["status"], item["reason"]) for item in hub.at("agentmachines", name)["status"]["conditions"]
    }


def install(hub: Any, reconciler: Any, world: ModuleType) -> None:
    """Each Machine that waits gets a host, and all hosts are installed."""
    reconciler(hub).once()
    while world.settle_agents(hub):
        pass
    reconciler(hub).once()


def reserve(hub: Any, world: ModuleType, number: int, name: str, namespace: str) -> None:
    metadata = {"labels": {RESERVED_LABEL: name}, "annotations": {RESERVED_NAMESPACE: namespace}}
    bound = {"clusterDeploymentName": {"name": "c1", "namespace": namespace}}
    hub.put(
        "agents",
        {
            **world.agent(number),
            "metadata": {"name": f"agent-{number}", "namespace": world.AGENTS, **metadata},
            "spec": {"approved": True, **bound},
        },
    )


def test_machines_of_equal_names_in_two_namespaces(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=1, agents=0)
    reserve(hub, world, 1, "pool-0", "another-namespace")
    hub.put("agents", world.agent(2))
    reconciler(hub).once()
    assert hub.at("agentmachines", "pool-0")["status"]["agentRef"]["name"] == "agent-2"
    assert hub.at("agents", "agent-1", world.AGENTS)["metadata"]["annotations"] == {
        RESERVED_NAMESPACE: "another-namespace"
    }


def test_cluster_deployments_of_equal_names_in_two_namespaces(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=0)
    hub.put(
        "clusterdeployments",
        {"metadata": {"name": "x", "namespace": "another", "labels": {"agentClusterRef": "c1"}}, "spec": {}},
    )
    reconciler(hub).once()
    assert hub.at("agentclusters", "c1")["status"]["clusterDeploymentReference"] == {
        "name": "c1",
        "namespace": world.NS,
    }


def test_a_name_that_does_not_fit_into_the_label(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=0, agents=1)
    name = "m" * 64
    world.add_machine(hub, name)
    account = reconciler(hub).once()
    assert conditions(hub, name)["AgentReserved"] == ("False", "AgentNotYetFound")
    assert state(account, name)[0] == "blocked" and "64 characters" in account.problems[0]


def test_a_selector_that_is_none(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=0, agents=1)
    world.add_machine(hub, "odd", selector={"matchExpressions": [{"key": "a", "operator": "Like", "values": ["b"]}]})
    account = reconciler(hub).once()
    assert conditions(hub, "odd")["AgentReserved"] == ("False", "AgentNotYetFound") and "Like" in account.problems[0]


def test_what_cannot_be_written_is_reported(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=1, agents=1)
    run = reconciler(hub)
    hub.forbidden.add("agents")
    with pytest.raises(PartialFailure, match="agents is forbidden"):
        run.once()
    assert hub.at("agentmachines", "pool-0").get("status") is None, "nothing is said of an Agent that was not claimed"
    hub.forbidden.clear()
    reconciler(hub).once()
    assert hub.at("agentmachines", "pool-0")["status"]["agentRef"]["name"] == "agent-1"


def test_a_cluster_deployment_that_could_not_be_made_is_not_referred_to(
    hub: Any, reconciler: Any, world: ModuleType
) -> None:
    world.stand(hub, machines=1)
    run = reconciler(hub)
    hub.forbidden.add("clusterdeployments")
    with pytest.raises(PartialFailure, match="clusterdeployments is forbidden"):
        run.once()
    assert "status" not in hub.at("agentclusters", "c1")
    assert "clusterDeploymentName" not in hub.at("agents", "agent-1", world.AGENTS)["spec"]
    hub.forbidden.clear()
    reconciler(hub).once()
    assert hub.at("agentclusters", "c1")["status"]["ready"] is True


def test_a_cluster_deployment_that_was_deleted_is_made_again(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=0)
    reconciler(hub).once()
    hub.remove("clusterdeployments", world.NS, "c1")
    account = reconciler(hub).once()
    assert ("clusterdeployments", world.NS, "c1") in hub.objects and account.changed


def test_an_owner_that_was_created_again(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=0)
    reconciler(hub).once()
    hub.change("agentclusters", "c1", {"metadata": {"uid": "another-uid"}})
    reconciler(hub).once()
    owners = hub.at("clusterdeployments", "c1")["metadata"]["ownerReferences"]
    assert [owner["uid"] for owner in owners] == ["another-uid"]


def test_cluster_and_machine_in_one_pass(hub: Any, reconciler: Any, world: ModuleType) -> None:
    """Upstream's machine waits for an event that does not come."""
    world.stand(hub, machines=1, endpoint=False)
    account = reconciler(hub).once()
    assert hub.at("agentmachines", "pool-0")["status"]["agentRef"]["name"] == "agent-1"
    assert (
        not account.plan.clusters[0].ready
        and account.plan.clusters[0].waits_for == "it has no spec.controlPlaneEndpoint yet"
    )


def test_ready_stays_and_conditions_go_on(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub)
    install(hub, reconciler, world)
    hub.change("agents", "agent-1", {"status": world.agent_status(1, "error", "worker-1")}, world.AGENTS)
    reconciler(hub).once()
    assert hub.at("agentmachines", "pool-0")["status"]["ready"] is True
    assert conditions(hub)["Installed"] == ("False", "InstallationFailed") and conditions(hub)["Ready"][0] == "False"


def test_a_ready_machine_whose_agent_is_gone_gets_no_other(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, agents=2)
    install(hub, reconciler, world)
    del hub.objects["agents", world.AGENTS, "agent-1"]
    account = reconciler(hub).once()
    assert state(account)[0] == "lost" and "agent-1 is gone" in account.problems[0]
    assert hub.at("agentmachines", "pool-0")["spec"]["providerID"] == "agent://agent-1"
    assert "clusterDeploymentName" not in hub.at("agents", "agent-2", world.AGENTS)["spec"]


@pytest.mark.parametrize("which", ["machines", "agentmachines"])
def test_nothing_is_claimed_for_a_machine_that_goes(hub: Any, reconciler: Any, world: ModuleType, which: str) -> None:
    world.stand(hub, agents=0)
    reconciler(hub).once()
    hub.remove(which, world.NS, "pool-0")
    hub.put("agents", world.agent(1))
    account = reconciler(hub).once()
    assert (
        "labels" not in hub.at("agents", "agent-1", world.AGENTS)["metadata"]
        or not hub.at("agents", "agent-1", world.AGENTS)["metadata"]["labels"]
    )
    assert state(account)[0] == "draining"


def test_a_machine_deleted_before_the_hook_was_on_it(hub: Any, reconciler: Any, world: ModuleType) -> None:
    """Its host stays until Cluster API has drained the Node and comes to the AgentMachine: then it is released, where
    upstream's hangs.
    """
    world.stand(hub)
    install(hub, reconciler, world)
    hub.change("machines", "pool-0", {"metadata": {"annotations": {HOOK: None}}})
    hub.change("agentmachines", "pool-0", {"metadata": {"finalizers": None}})
    hub.remove("machines", world.NS, "pool-0")
    hub.change("machines", "pool-0", {"status": {"conditions": [world.condition("Deleting", "True", "DrainingNode")]}})
    found, reason = state(reconciler(hub).once())
    assert found == "draining" and "drain" in reason
    assert hub.at("agents", "agent-1", world.AGENTS)["spec"]["clusterDeploymentName"]["name"] == "c1"
    assert hub.at("agentmachines", "pool-0")["metadata"]["finalizers"] == [AGENT_MACHINE_FINALIZER], (
        "it has to wait for the host"
    )
    assert not reconciler(hub).once().changed
    hub.change(
        "machines",
        "pool-0",
        {"status": {"conditions": [world.condition("Deleting", "True", "WaitingForInfrastructureDeletion")]}},
    )
    hub.remove("agentmachines", world.NS, "pool-0")
    assert state(reconciler(hub).once())[0] == "releasing"
    while world.settle_agents(hub):
        pass
    reconciler(hub).once()
    assert ("agentmachines", world.NS, "pool-0") not in hub.objects
    assert "clusterDeploymentName" not in hub.at("agents", "agent-1", world.AGENTS)["spec"]


def test_without_hook_and_host_nothing_is_held_up(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, agents=0)
    hub.remove("machines", world.NS, "pool-0")
    assert not [line for line in reconciler(hub).once().planned if "AgentMachine" in line]
    assert "finalizers" not in hub.at("agentmachines", "pool-0")["metadata"]


@pytest.mark.parametrize("obstacle", ["deleting", "bound"])
def test_agents_that_are_on_their_way_elsewhere(hub: Any, reconciler: Any, world: ModuleType, obstacle: str) -> None:
    world.stand(hub, agents=2)
    change = (
        {"metadata": {"deletionTimestamp": "2026-11-21T11:00:00Z", "finalizers": ["x"]}}
        if obstacle == "deleting"
        else {"spec": {"clusterDeploymentName": {"name": "other", "namespace": "other"}}}
    )
    hub.change("agents", "agent-1", change, world.AGENTS)
    reconciler(hub).once()
    assert hub.at("agentmachines", "pool-0")["status"]["agentRef"]["name"] == "agent-2"


def test_an_agent_that_is_deleted_before_it_is_installed(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, agents=1)
    reconciler(hub).once()
    del hub.objects["agents", world.AGENTS, "agent-1"]
    reconciler(hub).once()
    machine = hub.at("agentmachines", "pool-0")
    assert conditions(hub)["AgentReserved"] == ("False", "NoSuitableAgents")
    assert not set(machine["status"]) & {"agentRef", "addresses"} and not machine["spec"]
    hub.put("agents", world.agent(2))
    reconciler(hub).once()
    assert hub.at("agentmachines", "pool-0")["spec"]["providerID"] == "agent://agent-2"


def test_an_agent_that_was_taken_away(hub: Any, reconciler: Any, world: ModuleType) -> None:
    """Its label names another machine now: upstream would put ours over it."""
    world.stand(hub, agents=2)
    reconciler(hub).once()
    hub.change(
        "agents",
        "agent-1",
        {"metadata": {"labels": {RESERVED_LABEL: "pool-0"}, "annotations": {RESERVED_NAMESPACE: "another"}}},
        world.AGENTS,
    )
    reconciler(hub).once()
    assert hub.at("agentmachines", "pool-0")["status"]["agentRef"]["name"] == "agent-2"
    assert hub.at("agents", "agent-1", world.AGENTS)["metadata"]["annotations"][RESERVED_NAMESPACE] == "another"


def test_a_host_without_hostname_gets_its_entry_later(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, agents=0)
    hub.put("agents", world.agent(1, hostname=""))
    reconciler(hub).once()
    assert [item["type"] for item in hub.at("agentmachines", "pool-0")["status"]["addresses"]] == ["ExternalIP"]
    hub.change("agents", "agent-1", {"spec": {"hostname": "late"}}, world.AGENTS)
    reconciler(hub).once()
    assert hub.at("agentmachines", "pool-0")["status"]["addresses"][-1] == {"type": "InternalDNS", "address": "late"}


def test_a_machine_removed_by_force(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub)
    install(hub, reconciler, world)
    del hub.objects["machines", world.NS, "pool-0"]
    assert state(reconciler(hub).once())[0] == "draining"
    hub.remove("agentmachines", world.NS, "pool-0")
    reconciler(hub).once()
    assert ("agentmachines", world.NS, "pool-0") not in hub.objects
    agent = hub.at("agents", "agent-1", world.AGENTS)
    assert "clusterDeploymentName" not in agent["spec"] and "labels" not in agent["metadata"]


def test_a_claim_that_was_interrupted_and_a_machine_that_is_deleted(
    hub: Any, reconciler: Any, world: ModuleType
) -> None:
    """The Agent is reserved, but no status says so: upstream lets the machine go and leaves the Agent bound."""
    world.stand(hub, agents=0)
    reconciler(hub).once()
    reserve(hub, world, 1, "pool-0", world.NS)
    world.delete_machine(hub, "pool-0")
    hub.change("agents", "agent-1", {"status": world.agent_status(1, "binding", "worker-1")}, world.AGENTS)
    assert state(reconciler(hub).once())[0] == "releasing"
    assert "clusterDeploymentName" not in hub.at("agents", "agent-1", world.AGENTS)["spec"]
    assert HOOK in hub.at("machines", "pool-0")["metadata"]["annotations"], "it waits for the host"
    while world.settle_agents(hub):
        pass
    reconciler(hub).once()
    assert "annotations" not in hub.at("machines", "pool-0")["metadata"]


def test_an_agent_that_belongs_to_another_client_blocks_no_other_machine(
    hub: Any, reconciler: Any, world: ModuleType
) -> None:
    """The hook was removed, the finalizer was not, and the host has gone on to another machine: it is not taken from
    that.
    """
    world.stand(hub)
    install(hub, reconciler, world)
    reserve(hub, world, 1, "another", world.NS)
    world.delete_machine(hub, "pool-0")
    reconciler(hub).once()
    assert AGENT_MACHINE_FINALIZER not in hub.at("agentmachines", "pool-0")["metadata"].get("finalizers", [])
    assert hub.at("agents", "agent-1", world.AGENTS)["metadata"]["labels"] == {RESERVED_LABEL: "another"}


# --- what is as upstream has it ---


def test_paused(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub)
    hub.change("agentmachines", "pool-0", {"metadata": {"annotations": {PAUSED: "true"}}})
    assert state(reconciler(hub).once())[0] == "paused"
    assert "clusterDeploymentName" not in hub.at("agents", "agent-1", world.AGENTS)["spec"]
    assert HOOK in hub.at("machines", "pool-0")["metadata"]["annotations"]
    hub.change("agentmachines", "pool-0", {"metadata": {"annotations": {PAUSED: "yes"}}})
    reconciler(hub).once()
    assert hub.at("agents", "agent-1", world.AGENTS)["spec"]["clusterDeploymentName"]["name"] == "c1"


def test_paused_at_the_hook_and_not_deleted_itself(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub)
    install(hub, reconciler, world)
    hub.change("agentmachines", "pool-0", {"metadata": {"annotations": {PAUSED: "true"}}})
    world.delete_machine(hub, "pool-0")
    assert state(reconciler(hub).once())[0] == "paused"
    assert HOOK in hub.at("machines", "pool-0")["metadata"]["annotations"]
    assert hub.at("agents", "agent-1", world.AGENTS)["spec"]["clusterDeploymentName"]["name"] == "c1"


def test_a_paused_cluster_leaves_its_deployment_behind(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=0)
    reconciler(hub).once()
    hub.change("agentclusters", "c1", {"metadata": {"annotations": {PAUSED: "true"}}})
    hub.remove("agentclusters", world.NS, "c1")
    reconciler(hub).once()
    assert ("agentclusters", world.NS, "c1") not in hub.objects
    assert (
        "ownerReferences" not in hub.at("clusterdeployments", "c1")["metadata"]
        or not hub.at("clusterdeployments", "c1")["metadata"]["ownerReferences"]
    )


def test_without_bootstrap_data_it_is_bound_all_the_same(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=0)
    world.add_machine(hub, "bare", secret="")
    reconciler(hub).once()
    assert hub.at("agents", "agent-1", world.AGENTS)["spec"] == {
        "approved": True,
        "clusterDeploymentName": {"name": "c1", "namespace": world.NS},
    }


def test_bootstrap_data_that_is_missing_holds_one_machine_up(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=1, agents=2)
    world.add_machine(hub, "late", secret="not-there")
    account = reconciler(hub).once()
    assert state(account)[0] == "installing" and state(account, "late")[0] == "blocked"
    assert any("not-there" in problem for problem in account.problems)


def test_a_rotated_token(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub)
    install(hub, reconciler, world)
    hub.change("secrets", "user-data", {"data": {"value": world.bootstrap_data(token="bmV3")}})
    reconciler(hub).once()
    assert hub.at("secrets", "agent-user-data")["data"] == {"ignition-token": "Ym1WMw=="}


def conceal(hub: Any, monkeypatch: pytest.MonkeyPatch, namespace: str) -> None:
    """From now on Agents of this namespace may not be read one by one."""
    find = hub.find

    def refuse(path: str) -> Any:
        if f"/namespaces/{namespace}/agents/" in path:
            raise ForbiddenError(hub.service, 403, "agents is forbidden", "Forbidden")
        return find(path)

    monkeypatch.setattr(hub, "find", refuse)


def test_an_agent_that_may_not_be_read(
    hub: Any, reconciler: Any, world: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in a namespace that we are not allowed into: nothing is concluded from that."""
    world.stand(hub)
    reconciler(hub).once()
    hub.change("agentmachines", "pool-0", {"status": {"agentRef": {"name": "agent-9", "namespace": "secret"}}})
    conceal(hub, monkeypatch, "secret")
    account = reconciler(hub).once()
    assert state(account)[0] == "blocked" and "cannot be read" in state(account)[1] and not account.changed


def test_a_machine_that_goes_keeps_an_agent_that_may_not_be_read(
    hub: Any, reconciler: Any, world: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else its hook and its finalizer would be deleted while the host stays bound to the cluster without notice."""
    world.stand(hub)
    install(hub, reconciler, world)
    world.delete_machine(hub, "pool-0")
    with monkeypatch.context() as patched:
        conceal(hub, patched, world.AGENTS)
        account = reconciler(hub, agent_namespace="elsewhere").once()
        assert state(account)[0] == "blocked" and "cannot be read" in account.problems[0] and not account.changed
        assert HOOK in hub.at("machines", "pool-0")["metadata"]["annotations"]
        del hub.objects["machines", world.NS, "pool-0"]
        hub.remove("agentmachines", world.NS, "pool-0")
        assert state(reconciler(hub, agent_namespace="elsewhere").once())[0] == "blocked"
        assert AGENT_MACHINE_FINALIZER in hub.at("agentmachines", "pool-0")["metadata"]["finalizers"]
    reconciler(hub).once()
    assert ("agentmachines", world.NS, "pool-0") not in hub.objects
    assert "clusterDeploymentName" not in hub.at("agents", "agent-1", world.AGENTS)["spec"]


def test_a_control_plane_that_is_not_there_yet(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub)
    hub.change("hostedcontrolplanes", "c1", {"status": {"kubeConfig": None}})
    account = reconciler(hub).once()
    assert account.plan.clusters[0].waits_for == "its control plane object c1 has no status.kubeConfig.name yet"
    assert conditions(hub)["AgentReserved"] == ("False", "AgentNotYetFound")
    message = next(
        item["message"]
        for item in hub.at("agentmachines", "pool-0")["status"]["conditions"]
        if item["type"] == "AgentReserved"
    )
    assert message == "no cluster deployment reference on agentCluster c1"
