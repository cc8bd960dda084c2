# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the scope of a reconcile pass: which API versions and fields the hub serves, and which clusters' objects are
read.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.kinds import (
    ServedFields,
    core_kinds,
    referenced_resource,
    served_fields,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    LimitReached,
    RemoteError,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.faults import ForbiddenError


def test_the_newest_version_that_is_served(world: ModuleType) -> None:
    assert core_kinds(world.Hub()).version == "v1beta2"
    assert core_kinds(world.Hub(core=("v1beta1", "v1alpha4"))).version == "v1beta1"
    with pytest.raises(ZeroTouchError, match=r"has no Cluster API .*: it serves v1alpha4"):
        core_kinds(world.Hub(core=("v1alpha4",)))
    hub = world.Hub()
    del hub.groups["cluster.x-k8s.io"]
    with pytest.raises(ZeroTouchError, match="it has no such group"):
        core_kinds(hub)


def test_fields_of_the_served_schema(world: ModuleType) -> None:
    assert served_fields(world.Hub(provisioned=True)) == ServedFields(cluster=True, machine=True)
    assert served_fields(world.Hub()) == ServedFields()
    hub = world.Hub()

    def refuse(path: str) -> Any:
        raise ForbiddenError("The hub's API", 403, "no", "Forbidden")

    hub.get = refuse
    assert served_fields(hub) == ServedFields()

    def fail(path: str) -> Any:
        raise RemoteError("The hub's API", 500, "broken", "InternalError")

    hub.get = fail
    with pytest.raises(RemoteError, match="broken"):
        served_fields(hub)


def test_a_control_plane_of_a_version_that_upstream_never_finds(world: ModuleType) -> None:
    hub = world.Hub()
    answers = {
        "/apis/other.io": {"versions": [{"version": "v1beta2"}]},
        "/apis/other.io/v1beta2": {
            "resources": [
                {"name": "planes/status", "kind": "Plane"},
                {"name": "planes", "kind": "Plane", "namespaced": True},
            ]
        },
    }
    hub.get = answers.__getitem__
    found = referenced_resource(hub, "other.io", "Plane")
    assert found is not None and (found.version, found.plural) == ("v1beta2", "planes")
    assert referenced_resource(hub, "other.io", "Nothing") is None


def second_cluster(hub: Any, world: ModuleType) -> None:
    """Another cluster in the same namespace, with a Machine of its own."""
    for plural, name in (("clusters", "c2"), ("agentclusters", "c2"), ("hostedcontrolplanes", "c2")):
        obj = hub.at(plural, "c1")
        text = {**obj, "metadata": {"name": name, "namespace": world.NS}}
        hub.put(plural, text)
    hub.change("clusters", "c2", {"spec": {"infrastructureRef": {"name": "c2"}, "controlPlaneRef": {"name": "c2"}}})
    owner = {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "Cluster",
        "name": "c2",
        "uid": hub.at("clusters", "c2")["metadata"]["uid"],
    }
    hub.change("agentclusters", "c2", {"metadata": {"ownerReferences": [owner]}})
    world.add_machine(hub, "second")
    hub.change("machines", "second", {"metadata": {"labels": {"cluster.x-k8s.io/cluster-name": "c2"}}})


def test_one_cluster_of_a_namespace(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=1, agents=3)
    second_cluster(hub, world)
    account = reconciler(hub, cluster="c2").once()
    assert [plan.view.name for plan in account.plan.machines] == ["second"]
    assert hub.at("agentmachines", "second")["status"]["agentRef"] and "status" not in hub.at("agentmachines", "pool-0")
    assert ("clusterdeployments", world.NS, "c2") in hub.objects and (
        "clusterdeployments",
        world.NS,
        "c1",
    ) not in hub.objects
    both = reconciler(hub).once()
    assert len(both.plan.machines) == 2 and hub.at("agentmachines", "pool-0")["status"]["agentRef"]


def test_agents_of_one_namespace(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=1, agents=1)
    account = reconciler(hub, agent_namespace="elsewhere").once()
    assert account.plan.machines[0].state == "waiting"
    reconciler(hub, agent_namespace=world.AGENTS).once()
    assert hub.at("agentmachines", "pool-0")["status"]["agentRef"]["namespace"] == world.AGENTS


def test_until_each_machine_is_ready(hub: Any, reconciler: Any, world: ModuleType) -> None:
    """The operator goes on while we watch."""
    world.stand(hub, machines=2, agents=2)
    follow = hub.follow

    def moving(path: str, seconds: float, **selectors: str) -> Any:
        if "/agents" in path:
            for _move in range(4):
                world.settle_agents(hub)
                yield from follow(path, seconds, **selectors)
        else:
            yield from follow(path, seconds, **selectors)

    run = reconciler(hub)
    run.once()
    hub.follow = moving
    account = run.until_converged(600.0)
    assert account.converged and {plan.state for plan in account.plan.machines} == {"ready"}


def test_what_is_optional_blocks_no_machine(hub: Any, reconciler: Any, world: ModuleType) -> None:
    """The label for backups on Secrets is not needed, and the right to set it is often missing: a warning, and no
    more.
    """
    world.stand(hub)
    hub.forbidden = {"patch secrets"}
    reconciler(hub).once()
    while world.settle_agents(hub):
        pass
    account = reconciler(hub).until_converged(0.0)
    assert account.converged and "Secret clusters-c1/user-data" in account.problems[0]
    checked = reconciler(hub).check()
    assert not checked.planned and "Secret clusters-c1/user-data" in checked.problems[0]
    hub.forbidden = set()
    before = list(hub.writes)
    assert (
        reconciler(hub).check().planned == reconciler(hub).once().planned != [] and len(hub.writes) == len(before) + 1
    )


def test_a_limit_names_who_is_stuck_and_where(hub: Any, reconciler: Any, world: ModuleType) -> None:
    world.stand(hub, machines=2, agents=1, endpoint=False)
    with pytest.raises(LimitReached) as reported:
        reconciler(hub).until_converged(0.0)
    text = str(reported.value)
    assert "pool-0 is installing: its host is known-unbound" in text and "pool-1 is waiting" in text
    assert "AgentCluster clusters-c1/c1: it has no spec.controlPlaneEndpoint yet" in text
