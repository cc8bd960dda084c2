# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the labels by which upstream's controller selects Agents: the collection sets them on exactly the Agents that
the planner chose, and removes them afterwards. A label that another client has set stays.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi import label_assignments
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.model import Policy, from_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.label_assignments import LabelAssigner, taken_by
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.label_selection import (
    LabelSelection,
    plan_selection,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.names import (
    RESERVED_LABEL,
    SELECTED_FOR,
    SELECTED_LABEL,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.observe import Scope
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    LimitReached,
    PartialFailure,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import Agent, read_agent
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock

KEY = "pool"


def demand(count: int, **more: Any) -> LabelSelection:
    return LabelSelection("ns/workers", KEY, "workers", count, selector={"matchLabels": {KEY: "workers"}}, **more)


def plan(hub: Any, requested: LabelSelection, policy: Policy = Policy()) -> Any:  # noqa: B008
    return plan_selection(
        requested, [read_agent(obj) for (kind, _ns, _name), obj in hub.objects.items() if kind == "agents"], policy
    )


def label_selection(hub: Any, world: ModuleType, requested: LabelSelection) -> LabelAssigner:
    return LabelAssigner(hub, Scope(world.NS), requested, Policy(), Clock())


@pytest.fixture
def hosts(hub: Any, world: ModuleType) -> Any:
    for number in range(1, 6):
        hub.put("agents", world.agent(number, labels={"size": "large" if number > 2 else "small"}))
    return hub


def labelled(hub: Any) -> list[str]:
    return sorted(
        name
        for (kind, _ns, name), obj in hub.objects.items()
        if kind == "agents" and obj["metadata"].get("labels", {}).get(KEY) == "workers"
    )


def test_on_off_and_nothing_to_do(hosts: Any, world: ModuleType) -> None:
    label_selection(hosts, world, demand(2, candidates={"matchLabels": {"size": "large"}})).once()
    assert labelled(hosts) == ["agent-3", "agent-4"]
    notes = hosts.at("agents", "agent-3", world.AGENTS)["metadata"]["annotations"]
    assert notes == {SELECTED_FOR: "ns/workers", SELECTED_LABEL: "pool=workers"}
    again = label_selection(hosts, world, demand(2, candidates={"matchLabels": {"size": "large"}}))
    again.once()
    assert not again.outcomes and not again.planned
    label_selection(hosts, world, demand(1)).once()
    assert len(labelled(hosts)) == 1
    label_selection(hosts, world, demand(0)).once()
    assert not labelled(hosts) and "annotations" not in hosts.at("agents", "agent-3", world.AGENTS)["metadata"]


def test_what_others_have_labelled_counts_and_stays(hosts: Any, world: ModuleType) -> None:
    hosts.change("agents", "agent-5", {"metadata": {"labels": {KEY: "workers"}}}, world.AGENTS)
    hosts.change("agents", "agent-1", {"metadata": {"labels": {KEY: "others"}}}, world.AGENTS)
    label_selection(hosts, world, demand(4)).once()
    assert labelled(hosts) == ["agent-2", "agent-3", "agent-4", "agent-5"]
    label_selection(hosts, world, demand(0)).once()
    assert (
        labelled(hosts) == ["agent-5"]
        and hosts.at("agents", "agent-1", world.AGENTS)["metadata"]["labels"][KEY] == "others"
    )


def test_rejections_say_who_uses_the_label(hosts: Any, world: ModuleType) -> None:
    hosts.change("agents", "agent-1", {"metadata": {"labels": {KEY: "others"}}}, world.AGENTS)
    hosts.change(
        "agents",
        "agent-2",
        {"metadata": {"annotations": {SELECTED_FOR: "ns/second"}, "labels": {"x": "y"}}},
        world.AGENTS,
    )
    found = plan(hosts, demand(4))
    assert "1 of them is missing" in found.lacking and len(found.labelled) == 3
    rules = {host.name: rejection.rule for host, rejection in found.rejections(found.demands[-1])}
    assert rules["agent-1"] == "label" and rules["agent-2"] == "labelled"


def test_a_label_goes_once_the_agent_is_reserved(hosts: Any, world: ModuleType) -> None:
    label_selection(hosts, world, demand(1)).once()
    taken = labelled(hosts)[0]
    hosts.change(
        "agents",
        taken,
        {
            "metadata": {"labels": {RESERVED_LABEL: "m"}},
            "spec": {"clusterDeploymentName": {"name": "c1", "namespace": "ns"}},
        },
        world.AGENTS,
    )
    label_selection(hosts, world, demand(0)).once()
    assert not labelled(hosts) and hosts.at("agents", taken, world.AGENTS)["metadata"]["labels"][RESERVED_LABEL] == "m"


def test_a_label_that_was_changed_since_is_other_tools(hosts: Any, world: ModuleType) -> None:
    label_selection(hosts, world, demand(1)).once()
    name = labelled(hosts)[0]
    hosts.change("agents", name, {"metadata": {"labels": {KEY: "mine"}}}, world.AGENTS)
    label_selection(hosts, world, demand(0)).once()
    metadata = hosts.at("agents", name, world.AGENTS)["metadata"]
    assert metadata["labels"][KEY] == "mine" and "annotations" not in metadata


def test_the_pools_own_selector_counts(hosts: Any, world: ModuleType) -> None:
    own = {"matchLabels": {KEY: "workers", "size": "small"}}
    assert [
        agent.name for agent in plan(hosts, LabelSelection("ns/workers", KEY, "workers", 1, selector=own)).labelled
    ] == ["agent-1"]
    with pytest.raises(ZeroTouchError, match="excludes Agents with the label pool=workers"):
        plan(hosts, LabelSelection("ns/workers", KEY, "workers", 1, selector={"matchLabels": {KEY: "else"}}))
    assert (
        "does not contain pool=workers"
        in plan(hosts, LabelSelection("ns/workers", KEY, "workers", 1, selector={})).problems[0]
    )


def test_machines_that_wait_are_nowhere_yet(hub: Any, reconciler: Any, world: ModuleType) -> None:
    """What we would give them is the controller's to decide: only hosts that Machines have count for spreading and
    packing.
    """
    world.stand(hub, machines=2, agents=3)
    plans = reconciler(hub).account.plan.machines
    assert [plan.agent is not None for plan in plans] == [True, True]
    assert not taken_by(plans)
    reconciler(hub).once()
    world.add_machine(hub, "pool-2")
    assert [(pool, host.name) for pool, host in taken_by(reconciler(hub).account.plan.machines)] == [
        (f"{world.NS}/pool", "agent-1"),
        (f"{world.NS}/pool", "agent-2"),
    ]
    world.delete_machine(hub, "pool-0")
    assert [host.name for _pool, host in taken_by(reconciler(hub).account.plan.machines)] == ["agent-2"], (
        "one that goes makes room"
    )


def test_waiting_in_vain_takes_the_labels_off(hosts: Any, world: ModuleType) -> None:
    assigner = label_selection(hosts, world, demand(2))
    with pytest.raises(LimitReached, match="the labels are off again"):
        assigner.until_reserved(0.0)
    assert not labelled(hosts)


def test_the_wait_ends_when_all_are_reserved(hosts: Any, world: ModuleType) -> None:
    assigner = label_selection(hosts, world, demand(2))
    follow = hosts.follow

    def reserve(path: str, seconds: float, **selectors: str) -> Any:
        for name in labelled(hosts):
            hosts.change(
                "agents",
                name,
                {"metadata": {"labels": {RESERVED_LABEL: name}}, "spec": {"clusterDeploymentName": {"name": "c"}}},
                world.AGENTS,
            )
        yield from follow(path, seconds, **selectors)

    hosts.follow = reserve
    assigner.until_reserved(60.0)
    assert not labelled(hosts) and sorted(agent.name for agent in assigner.labelled.values()) == ["agent-1", "agent-2"]


def events(monkeypatch: pytest.MonkeyPatch, *moves: Callable[[], None]) -> None:
    """What happens on the hub, one move for each time that a run waits."""
    left = list(moves)

    class Woken:
        def __init__(self, *_arguments: Any) -> None:
            pass

        def wait(self, _seconds: float) -> None:
            left.pop(0)()

    monkeypatch.setattr(label_assignments, "ChangeSignal", Woken)


def claim(hub: Any, world: ModuleType, name: str) -> None:
    bound = {
        "metadata": {"labels": {RESERVED_LABEL: f"machine-{name}"}},
        "spec": {"clusterDeploymentName": {"name": "c", "namespace": "ns"}},
    }
    hub.change("agents", name, bound, world.AGENTS)


def test_a_labelled_agent_that_is_deleted_is_replaced(
    hosts: Any, world: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was never reserved: the pool is to find as many as before, and another Agent gets the label."""
    seen: list[list[str]] = []

    def deleted() -> None:
        del hosts.objects["agents", world.AGENTS, "agent-1"]

    def one_claimed() -> None:
        seen.append(labelled(hosts))
        claim(hosts, world, "agent-2")

    def claimed_and_deleted() -> None:
        seen.append(labelled(hosts))
        claim(hosts, world, "agent-3")

    events(monkeypatch, deleted, one_claimed, claimed_and_deleted)
    assigner = label_selection(hosts, world, demand(2))
    assigner.until_reserved(60.0)
    assert seen == [["agent-2", "agent-3"], ["agent-3"]] and not labelled(hosts)
    assert sorted(agent.name for agent in assigner.labelled.values()) == ["agent-1", "agent-2", "agent-3"]


def test_what_others_have_labelled_is_reserved_as_well(
    hosts: Any, world: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours stay until the pool has found as many as it was to find, also with labels of another client."""
    hosts.change("agents", "agent-5", {"metadata": {"labels": {KEY: "workers"}}}, world.AGENTS)
    seen: list[list[str]] = []

    def nothing() -> None:
        seen.append(labelled(hosts))

    def claimed(name: str) -> Callable[[], None]:
        def move() -> None:
            seen.append(labelled(hosts))
            claim(hosts, world, name)

        return move

    events(monkeypatch, nothing, claimed("agent-5"), claimed("agent-1"), claimed("agent-2"))
    label_selection(hosts, world, demand(3)).until_reserved(60.0)
    all_three = ["agent-1", "agent-2", "agent-5"]
    assert seen == [all_three, all_three, all_three, ["agent-2", "agent-5"]] and labelled(hosts) == ["agent-5"]


def test_agents_are_distinguished_by_name_alone(hosts: Any, world: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """To compare thousands of them as a whole takes seconds: they hold all that is known of a machine."""
    hosts.change("agents", "agent-5", {"metadata": {"labels": {KEY: "workers"}}}, world.AGENTS)
    label_selection(hosts, world, demand(3)).once()
    claim(hosts, world, "agent-1")

    def never(one: Agent, other: object) -> bool:
        raise AssertionError(f"{one.title} is compared with {other}")

    monkeypatch.setattr(Agent, "__eq__", never)
    assert [agent.name for agent in plan(hosts, demand(1)).unlabelled] == ["agent-1", "agent-2"]
    assigner = label_selection(hosts, world, demand(3))
    with pytest.raises(LimitReached):
        assigner.until_reserved(0.0)
    assert labelled(hosts) == ["agent-5"]


def test_killed_at_every_write_and_run_again(world: ModuleType) -> None:
    """No label of ours is left behind, and none is set twice."""

    def story(hub: Any) -> None:
        label_selection(hub, world, demand(3)).once()
        assert len(labelled(hub)) == 3
        label_selection(hub, world, demand(1)).once()
        assert len(labelled(hub)) == 1
        label_selection(hub, world, demand(0)).once()

    def new() -> Any:
        hub = world.Hub()
        for number in range(1, 6):
            hub.put("agents", world.agent(number))
        return hub

    undisturbed = new()
    story(undisturbed)
    for number in range(undisturbed.calls["write"]):
        hub = new()
        hub.dies_after = number
        with pytest.raises(world.Died):
            story(hub)
        hub.revive()
        story(hub)
        assert not labelled(hub) and not [obj for obj in hub.objects.values() if obj["metadata"].get("annotations")], (
            number
        )


def test_another_client_that_is_always_faster(hosts: Any, world: ModuleType) -> None:
    hosts.conflicts = ["agents"] * 100
    with pytest.raises(PartialFailure, match="has been modified"):
        label_selection(hosts, world, demand(1)).once()
    hosts.conflicts = ["agents"]
    label_selection(hosts, world, demand(1)).once()
    assert len(labelled(hosts)) == 1


def held(hub: Any, world: ModuleType, name: str, namespace: str = "ns") -> tuple[str, Any]:
    """A Machine of a pool in ``namespace`` has the Agent; as it is in ``taken``."""
    notes = {"agentMachineRefNamespace": namespace}
    bound = {
        "metadata": {"labels": {RESERVED_LABEL: f"m-{name}"}, "annotations": notes},
        "spec": {"clusterDeploymentName": {"name": "c", "namespace": namespace}},
    }
    hub.change("agents", name, bound, world.AGENTS)
    return f"{namespace}/workers", from_agent(read_agent(hub.at("agents", name, world.AGENTS)))


def test_hosts_of_the_pool_keep_the_label_and_get_it(hosts: Any, world: ModuleType) -> None:
    """A host that leaves by itself is found again. Pools that an earlier version made have hosts without the label."""
    label_selection(hosts, world, demand(1)).once()
    taken = [held(hosts, world, "agent-1"), held(hosts, world, "agent-2")]
    label_selection(hosts, world, demand(0)).once(taken)
    assert labelled(hosts) == ["agent-1", "agent-2"]
    again = label_selection(hosts, world, demand(0))
    again.once(taken)
    assert not again.outcomes
    # Its Machine is being deleted, so that it is no longer among those that stay.
    label_selection(hosts, world, demand(0)).once(taken[:1])
    assert labelled(hosts) == ["agent-1", "agent-2"]
    assigner = label_selection(hosts, world, demand(1))
    with pytest.raises(LimitReached):
        assigner.until_reserved(0.0, taken)
    assert labelled(hosts) == ["agent-1", "agent-2"]


def test_a_host_that_another_pool_took_loses_the_label(hosts: Any, world: ModuleType) -> None:
    label_selection(hosts, world, demand(1)).once()
    _pool, facts = held(hosts, world, "agent-1")
    label_selection(hosts, world, demand(0)).once([("ns/second", facts)])
    assert not labelled(hosts)
    label_selection(hosts, world, demand(1)).once()
    held(hosts, world, "agent-2", "elsewhere")
    label_selection(hosts, world, demand(0)).once()
    assert not labelled(hosts)


def test_the_reserve_stays_labelled(hosts: Any, world: ModuleType) -> None:
    label_selection(hosts, world, demand(1, reserve=2)).once()
    assert labelled(hosts) == ["agent-1", "agent-2", "agent-3"]
    taken = [held(hosts, world, "agent-1")]
    done = label_selection(hosts, world, demand(0, reserve=2))
    done.once(taken)
    assert labelled(hosts) == ["agent-1", "agent-2", "agent-3"] and not done.outcomes and not done.plan.problems
    label_selection(hosts, world, demand(0, reserve=1)).once(taken)
    assert len(labelled(hosts)) == 2


def test_a_reserve_that_is_short_is_no_failure(hosts: Any, world: ModuleType) -> None:
    found = plan(hosts, demand(3, reserve=4))
    assert len(found.labelled) == 5 and not found.lacking
    assert found.problems == (
        ("pool ns/workers holds 4 free Agents in reserve, and 2 of them are missing: boot or approve more hosts"),
    )
    found = plan(hosts, demand(6, reserve=1))
    assert "1 of them is missing" in found.lacking and "1 of them is missing" in found.problems[0]


@pytest.mark.parametrize("state", ["unbinding-pending-user-action", "disconnected-unbound"])
def test_a_host_that_comes_back_is_the_reserve_while_there_is_no_other(hub: Any, world: ModuleType, state: str) -> None:
    hub.put("agents", world.agent(1))
    label_selection(hub, world, demand(0, reserve=1)).once()
    hub.change("agents", "agent-1", {"status": {"debugInfo": {"state": state}}}, world.AGENTS)
    label_selection(hub, world, demand(0, reserve=1)).once()
    assert labelled(hub) == ["agent-1"]
    hub.put("agents", world.agent(2))
    label_selection(hub, world, demand(0, reserve=1)).once()
    assert labelled(hub) == ["agent-2"]


def test_a_pool_that_does_not_exist_any_more_holds_no_agent(hosts: Any, world: ModuleType) -> None:
    hosts.change(
        "agents",
        "agent-1",
        {
            "metadata": {
                "labels": {KEY: "second"},
                "annotations": {SELECTED_FOR: "ns/second", SELECTED_LABEL: "pool=second"},
            }
        },
        world.AGENTS,
    )
    assert "agent-1" not in {agent.name for agent in plan(hosts, demand(5)).labelled}
    assert "agent-1" in {agent.name for agent in plan(hosts, demand(5, gone=frozenset({"ns/second"}))).labelled}


def test_agents_for_other_pools_are_left_alone(hosts: Any, world: ModuleType) -> None:
    found = plan(hosts, demand(2, exclude=frozenset({"agent-1", "agent-3"})))
    assert [agent.name for agent in found.labelled] == ["agent-2", "agent-4"]
    assert {
        rejection.rule for host, rejection in found.rejections(found.demands[-1]) if host.name in ("agent-1", "agent-3")
    } == {"excluded"}
