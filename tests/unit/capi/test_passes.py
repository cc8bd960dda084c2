# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test whole reconcile passes of Cluster API objects on a hub in memory: a Machine gets its host, keeps it and releases
it, even if a run was killed at any point.
"""

from __future__ import annotations

import copy
from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.model import Policy
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.names import (
    AGENT_CLUSTER_FINALIZER,
    AGENT_MACHINE_FINALIZER,
    BACKUP_LABEL,
    HOOK,
    LAST_MACHINE,
    RESERVED_LABEL,
    RESERVED_NAMESPACE,
)


def conditions(obj: dict[str, Any]) -> dict[str, tuple[str, str, str]]:
    return {item["type"]: (item["status"], item["reason"], item["message"]) for item in obj["status"]["conditions"]}


def run(hub: Any, reconciler: Any, world: ModuleType, policy: Policy | None = None) -> None:
    """Passes and the operator's moves in turn, until neither has anything to do."""
    for _turn in range(12):
        before = len(hub.writes)
        reconciler(hub, policy).once()
        for kind, _ns, name in list(hub.objects):
            if kind == "machines":
                world.finish_deletion(hub, name)
        if not world.settle_agents(hub) and len(hub.writes) == before:
            return
    raise AssertionError(f"no end: {hub.writes[-10:]}")


def test_a_machine_gets_its_host(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub)
    account = reconciler(hub).once()
    assert account.changed
    agent = hub.at("agents", "agent-1", world.AGENTS)
    assert agent["metadata"]["labels"] == {RESERVED_LABEL: "pool-0"}
    assert agent["metadata"]["annotations"] == {RESERVED_NAMESPACE: world.NS}
    assert agent["spec"] == {
        "approved": True,
        "clusterDeploymentName": {"name": "c1", "namespace": world.NS},
        "machineConfigPool": "ignition",
        "ignitionEndpointTokenReference": {"namespace": world.NS, "name": "agent-user-data"},
        "ignitionEndpointHTTPHeaders": {"NodePool": "clusters/pool"},
    }
    machine = hub.at("agentmachines", "pool-0")
    assert machine["metadata"]["finalizers"] == [AGENT_MACHINE_FINALIZER]
    assert machine["metadata"]["labels"] == {BACKUP_LABEL: "true"}
    assert machine["spec"] == {"providerID": "agent://agent-1"}
    assert machine["status"]["agentRef"] == {"name": "agent-1", "namespace": world.AGENTS}
    assert machine["status"]["addresses"] == [
        {"type": "ExternalIP", "address": "192.0.2.1"},
        {"type": "InternalDNS", "address": "worker-1"},
    ]
    assert [item["type"] for item in machine["status"]["conditions"]] == [
        "Ready",
        "AgentRequirementsMet",
        "AgentReserved",
        "AgentSpecSynced",
        "AgentValidated",
        "Installed",
    ]
    assert (
        {item["observedGeneration"] for item in machine["status"]["conditions"]}
        == {2}
        == {machine["metadata"]["generation"]}
    )
    assert "ready" not in machine["status"]
    assert conditions(machine)["Ready"] == ("False", "IssuesReported", "* Installed: the Installed of known-unbound")
    assert hub.at("machines", "pool-0")["metadata"]["annotations"] == {HOOK: ""}
    token = hub.at("secrets", "agent-user-data")
    assert token["metadata"]["labels"] == {"agent-install.openshift.io/watch": "true", BACKUP_LABEL: "true"}
    assert token["data"] == {"ignition-token": "YzJWamNtVjA="}
    for name in ("pull", "admin", "kubeadmin", "user-data"):
        assert hub.at("secrets", name)["metadata"]["labels"] == {BACKUP_LABEL: "true"}


def test_the_cluster_is_made_once_and_ready(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=0)
    reconciler(hub).once()
    cluster = hub.at("agentclusters", "c1")
    assert cluster["metadata"]["finalizers"] == [AGENT_CLUSTER_FINALIZER]
    assert cluster["status"] == {"ready": True, "clusterDeploymentReference": {"name": "c1", "namespace": world.NS}}
    owner = hub.at("clusters", "c1")["metadata"]["uid"]
    deployment = hub.at("clusterdeployments", "c1")
    assert deployment["metadata"]["labels"] == {"agentClusterRef": "c1"}
    assert deployment["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "capi-provider.agent-install.openshift.io/v1beta1",
            "kind": "AgentCluster",
            "name": "c1",
            "uid": cluster["metadata"]["uid"],
        }
    ]
    assert deployment["spec"] == {
        "installed": True,
        "clusterName": "c1",
        "baseDomain": "example.com",
        "platform": {"agentBareMetal": {"agentSelector": {}}},
        "pullSecretRef": {"name": "pull"},
        "controlPlaneConfig": {"servingCertificates": {}},
        "clusterInstallRef": {
            "group": "extensions.hive.openshift.io",
            "version": "v1beta1",
            "kind": "AgentClusterInstall",
            "name": "c1",
        },
        "clusterMetadata": {
            "clusterID": owner,
            "infraID": owner,
            "adminKubeconfigSecretRef": {"name": "admin"},
            "adminPasswordSecretRef": {"name": "kubeadmin"},
        },
    }
    install = hub.at("agentclusterinstalls", "c1")
    assert "labels" not in install["metadata"] and "ownerReferences" not in install["metadata"]
    assert install["spec"] == {
        "clusterDeploymentRef": {"name": "c1"},
        "provisionRequirements": {"controlPlaneAgents": 3},
        "networking": {"userManagedNetworking": True},
        "ignitionEndpoint": {"url": "https://ign.example.com:443"},
    }
    assert not reconciler(hub).once().changed


def test_to_the_end_and_back(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=2, agents=3)
    run(hub, reconciler, world)
    ready = [hub.at("agentmachines", name) for name in ("pool-0", "pool-1")]
    assert all(machine["status"]["ready"] is True and "initialization" not in machine["status"] for machine in ready)
    assert conditions(ready[0])["Ready"] == ("True", "InfoReported", "")
    assert conditions(ready[0])["Installed"] == ("True", "AgentConditionTrue", "")
    assert not reconciler(hub).once().changed
    world.delete_machine(hub, "pool-0")
    reconciler(hub).once()
    assert hub.at("machines", "pool-0")["metadata"]["annotations"] == {HOOK: ""}, "its host is not out yet"
    run(hub, reconciler, world)
    assert ("machines", world.NS, "pool-0") not in hub.objects and (
        "agentmachines",
        world.NS,
        "pool-0",
    ) not in hub.objects
    free = hub.at("agents", "agent-1", world.AGENTS)
    assert free["spec"] == {"approved": True} and "labels" not in free["metadata"]
    assert free["metadata"]["annotations"] == {LAST_MACHINE: f"{world.NS}/pool-0"}
    assert hub.at("agentmachines", "pool-1")["status"]["ready"] is True


def test_reuse_gives_a_machine_of_the_same_name_its_host_again(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=1, agents=1)
    run(hub, reconciler, world)
    world.delete_machine(hub, "pool-0")
    run(hub, reconciler, world)
    hub.put("agents", world.agent(0))  # an older name: without the note it would come first
    world.add_machine(hub, "pool-0")
    reconciler(hub).once()
    assert hub.at("agentmachines", "pool-0")["status"]["agentRef"]["name"] == "agent-1"


def test_the_newest_of_several_agents_counts_whatever_their_order(reconciler: Any, world: ModuleType) -> None:
    """A machine that registered again has two Agents, and both may name a Machine."""
    for order in [(1, 2, 3), (3, 2, 1), (2, 3, 1)]:
        hub = world.Hub()
        world.stand(hub, machines=0, agents=0)
        for number in order:
            metadata = {
                "annotations": {LAST_MACHINE: f"{world.NS}/again"},
                "creationTimestamp": f"2026-11-{20 + number % 3}T10:00:00Z",
            }
            made = world.agent(number)
            hub.put("agents", {**made, "metadata": {**made["metadata"], **metadata}})
        world.add_machine(hub, "again")
        reconciler(hub).once()
        assert hub.at("agentmachines", "again")["status"]["agentRef"]["name"] == "agent-2"


def test_provisioned_is_written_where_the_schema_has_it(reconciler: Any, world: ModuleType) -> None:
    hub = world.Hub(provisioned=True)
    world.stand(hub)
    run(hub, reconciler, world)
    for plural, name in (("agentmachines", "pool-0"), ("agentclusters", "c1")):
        assert hub.at(plural, name)["status"]["initialization"] == {"provisioned": True}
        assert hub.at(plural, name)["status"]["ready"] is True


@pytest.mark.parametrize("core", [("v1beta2", "v1beta1"), ("v1beta1",)])
def test_either_version_of_cluster_api(reconciler: Any, world: ModuleType, core: tuple[str, ...]) -> None:
    hub = world.Hub(core=core)
    world.stand(hub)
    run(hub, reconciler, world)
    assert hub.at("agentmachines", "pool-0")["status"]["ready"] is True
    world.delete_machine(hub, "pool-0", v1beta1=True)
    run(hub, reconciler, world)
    assert ("machines", world.NS, "pool-0") not in hub.objects


# --- killed at every write ---


def without_marks(hub: Any) -> dict[Any, Any]:
    """All objects without what differs from run to run."""
    found = copy.deepcopy(hub.objects)
    for obj in found.values():
        for name in ("resourceVersion", "uid"):
            obj["metadata"].pop(name, None)
        for owner in obj["metadata"].get("ownerReferences", ()):
            owner.pop("uid")
        if "clusterMetadata" in obj.get("spec", {}):
            del obj["spec"]["clusterMetadata"]
    return found


def reserved(hub: Any) -> list[str]:
    return [
        obj["metadata"]["labels"][RESERVED_LABEL]
        for obj in hub.objects.values()
        if obj["metadata"].get("labels", {}).get(RESERVED_LABEL)
    ]


def story(hub: Any, reconciler: Any, world: ModuleType) -> None:
    """Two machines come, one of them goes again."""
    run(hub, reconciler, world)
    if ("machines", world.NS, "pool-1") in hub.objects and not hub.at("machines", "pool-1")["metadata"].get(
        "deletionTimestamp"
    ):
        world.delete_machine(hub, "pool-1")
    run(hub, reconciler, world)


def test_killed_at_every_write_and_run_again(reconciler: Any, world: ModuleType) -> None:
    undisturbed = world.Hub()
    world.stand(undisturbed, machines=2, agents=4)
    story(undisturbed, reconciler, world)
    writes = undisturbed.calls["write"]
    assert writes > 20
    for number in range(writes):
        hub = world.Hub()
        world.stand(hub, machines=2, agents=4)
        hub.dies_after = number
        with pytest.raises(world.Died):
            story(hub, reconciler, world)
        assert len(set(reserved(hub))) == len(reserved(hub)), (
            f"two Agents for one machine after write {number}: {hub.writes}"
        )
        hub.revive()
        story(hub, reconciler, world)
        assert without_marks(hub) == without_marks(undisturbed), (
            f"killed at write {number}: {undisturbed.writes[: number + 1]}"
        )


@pytest.mark.parametrize("share", [0.2, 0.4])
def test_conflicts_cost_a_request_each(reconciler: Any, world: ModuleType, share: float) -> None:
    """Another client changes each fifth object just before our write: only those objects are read again, not the whole
    scope.
    """
    quiet, busy = world.Hub(), world.Hub()
    calls = {}
    for hub in (quiet, busy):
        world.stand(hub, machines=40, agents=60)
        hub.calls.clear()
        run = reconciler(hub)
        hub.busy = share if hub is busy else 0.0
        run.once()
        assert sorted(reserved(hub)) == sorted(f"pool-{number}" for number in range(40))
        calls[hub] = dict(hub.calls)
    assert calls[busy]["write"] == calls[quiet]["write"] and calls[busy]["list"] == calls[quiet]["list"]
    conflicts = calls[busy]["write"] * share / (1 - share)
    assert 0.5 * conflicts < calls[busy]["get"] - calls[quiet]["get"] < 2 * conflicts


def test_the_plan_after_a_conflict_follows_the_object_as_it_is_then(
    hub: Any, reconciler: Any, world: ModuleType
) -> None:
    """The Agent that was chosen is deleted at the moment of its claim: the machine gets the other one, from what was
    read before.
    """
    world.stand(hub, machines=1, agents=2)
    run = reconciler(hub)
    (chosen,) = [plan.agent.name for plan in run.account.plan.machines]
    patch = hub.merge_patch

    def vanishes(path: str, body: Any, **options: Any) -> Any:
        if path.endswith(f"/agents/{chosen}") and ("agents", world.AGENTS, chosen) in hub.objects:
            hub.remove("agents", world.AGENTS, chosen)
        return patch(path, body, **options)

    hub.merge_patch = vanishes
    before = hub.calls["list"]
    run.once()
    assert len(reserved(hub)) == 1 and hub.calls["list"] - before == before, "one look at the end, none between"


def test_a_conflict_is_looked_at_again(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=2, agents=2)
    hub.conflicts = ["agents", "agentmachines", "machines", "clusterdeployments", "secrets", "agentclusters"]
    reconciler(hub).once()
    assert sorted(reserved(hub)) == ["pool-0", "pool-1"]
    assert not reconciler(hub).once().changed
