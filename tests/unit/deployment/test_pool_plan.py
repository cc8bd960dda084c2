# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the plan that scales a pool of Machines: each row of the table, and the guarantee that no host of a cluster is
booted.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.host_states import BUSY, FAILED, INSTALLED
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.host_step import HostStep
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pools.plan import (
    Judge,
    PoolPlan,
    plan_pool,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pools.size import (
    DesiredPool,
    ObservedPool,
    PoolMachine,
    Spare,
    kept_size,
    resize,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.stop_reason import message_of
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.match import Match
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import Agent, read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.exchange import Exchange
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.reserve import Reserve

TITLE = "NodePool clusters/demo"
CLUSTER = {"name": "demo", "namespace": "clusters-demo"}


def agent(
    name: str,
    state: str = "known-unbound",
    *,
    approved: bool = True,
    connected: str = "True",
    bound: bool = False,
    **more: Any,
) -> Agent:
    validations = [{"id": each, "status": "failure", "message": "no"} for each in more.get("failing", ())]
    return read_agent(
        {
            "metadata": {"name": f"uuid-{name}", "namespace": "fleet", "labels": more.get("labels", {})},
            "spec": {"approved": approved, "hostname": name} | ({"clusterDeploymentName": CLUSTER} if bound else {}),
            "status": {
                "debugInfo": {"state": state},
                "conditions": [{"type": "Connected", "status": connected}],
                "validationsInfo": {"host": validations},
            },
        }
    )


def obstacle(agent: Agent) -> str:
    """The hard rules in short."""
    if not agent.approved:
        return "it is not approved"
    if agent.cluster is not None:
        return f"it belongs to {agent.cluster}"
    if agent.state != "known-unbound":
        return f"it is {agent.state}"
    return unfit(agent)


def unfit(agent: Agent) -> str:
    return "its labels do not match" if agent.labels.get("size") == "small" else ""


JUDGE = Judge(obstacle, unfit)


def spare(name: str, found: Agent | None = None, **more: Any) -> Spare:
    return Spare(
        Match(name, "matched", found) if found else Match(name, "unmatched", reason="no Agent has MAC …"),
        hostname=name,
        **more,
    )


def machine(name: str, host: str = "", **more: Any) -> PoolMachine:
    return PoolMachine(name, ("fleet", f"uuid-{host}") if host else None, host, host, **more)


def planned(
    pool: ObservedPool,
    desired: DesiredPool,
    spares: Sequence[Spare] = (),
    others: Sequence[Agent] = (),
    *,
    reserve: int = 0,
) -> PoolPlan:
    agents = [*others, *(each.match.agent for each in spares if each.match.agent is not None)]
    return plan_pool(
        pool, desired, spares, agents, JUDGE, reserve_for=lambda size: Reserve(growth=reserve if size else 0)
    )


def step_for(each: Spare, pool: ObservedPool, replicas: int = 1) -> HostStep:
    return planned(pool, DesiredPool(replicas), [each]).hosts[0]


IN_POOL = ObservedPool(TITLE, replicas=1, machines=(machine("m-1", "a"),))
LEAVING = ObservedPool(TITLE, replicas=0, machines=(machine("m-1", "a", leaving=True),))


@pytest.mark.parametrize(
    ("each", "pool", "action", "words"),
    [
        (spare("a"), ObservedPool(TITLE), "boot", "no Agent"),
        (spare("a", unfit="its labels would not match"), ObservedPool(TITLE), "skip", "would not match"),
        (Spare(Match("a", "ambiguous", reason="that of 2 Agents")), ObservedPool(TITLE), "skip", "2 Agents"),
        (
            Spare(Match("a", "unmatched", reason="is being deleted", leaving=(agent("a"),))),
            ObservedPool(TITLE),
            "skip",
            "being deleted",
        ),
        (
            spare("a"),
            ObservedPool(TITLE, machines=(PoolMachine("m-1", node="A"),)),
            "skip",
            "its Node is in the cluster",
        ),
        (spare("a", agent("a")), ObservedPool(TITLE), "use", "free"),
        (spare("a", agent("a", approved=False)), ObservedPool(TITLE), "prepare", "not approved"),
        (spare("a", agent("a", "discovering-unbound")), ObservedPool(TITLE), "prepare", "discovering-unbound"),
        (spare("a", agent("a", "")), ObservedPool(TITLE), "prepare", "it is"),
        (
            spare("a", agent("a", "insufficient-unbound", failing=["hostname-valid"])),
            ObservedPool(TITLE),
            "prepare",
            "insufficient",
        ),
        (
            spare("a", agent("a", "insufficient-unbound", failing=["has-min-memory"])),
            ObservedPool(TITLE),
            "skip",
            "insufficient",
        ),
        (
            spare("a", agent("a", "disconnected-unbound", connected="False")),
            ObservedPool(TITLE),
            "boot",
            "Agent is disconnected",
        ),
        (spare("a", agent("a", labels={"size": "small"})), ObservedPool(TITLE), "skip", "labels do not match"),
        (
            spare("a", agent("a", approved=False, labels={"size": "small"})),
            ObservedPool(TITLE),
            "skip",
            "labels do not match",
        ),
        (
            spare("a", agent("a", "unbinding-pending-user-action")),
            ObservedPool(TITLE),
            "return",
            "must boot the discovery image",
        ),
        (spare("a", agent("a", "unbinding-pending-user-action")), LEAVING, "return", "must boot the discovery image"),
        (spare("a", agent("a", "reclaiming")), LEAVING, "wait", "the hub boots it into discovery (reclaiming)"),
        (
            spare("a", agent("a", "added-to-existing-cluster", bound=True)),
            LEAVING,
            "wait",
            "the hub boots it into discovery",
        ),
        (spare("a", agent("a", "unbinding-pending-user-action")), IN_POOL, "keep", "it is Machine m-1"),
        (spare("a", agent("a", "added-to-existing-cluster", bound=True)), IN_POOL, "keep", "it is Machine m-1"),
        (
            spare("a", agent("a", "added-to-existing-cluster", bound=True)),
            ObservedPool(TITLE),
            "skip",
            "belongs to clusters-demo/demo",
        ),
        (
            spare("a", agent("a", "error", connected="False", bound=True)),
            ObservedPool(TITLE),
            "skip",
            "belongs to clusters-demo/demo",
        ),
        (spare("a", agent("a", "a state of tomorrow")), ObservedPool(TITLE), "skip", "a state of tomorrow"),
    ],
)
def test_a_machine_of_the_inventory(each: Spare, pool: ObservedPool, action: str, words: str) -> None:
    step = step_for(each, pool)
    assert (step.action, words in step.reason) == (action, True), step


@pytest.mark.parametrize(
    ("state", "connected"), list(itertools.product(sorted(BUSY | INSTALLED | FAILED), ["True", "False"]))
)
def test_no_host_of_a_cluster_is_booted(state: str, connected: str) -> None:
    each = spare("a", agent("a", state, connected=connected, bound=True))
    for pool in (ObservedPool(TITLE), IN_POOL, LEAVING):
        plan = planned(pool, DesiredPool(5), [each])
        assert plan.named("boot", "return") == plan.forced == []


@pytest.mark.parametrize(
    ("free", "unapproved", "none", "replicas", "prepared", "booted"),
    [
        (5, 0, 0, 5, [], []),
        (5, 0, 3, 5, [], []),
        (3, 1, 3, 5, ["u0"], ["n0"]),
        (0, 2, 3, 1, ["u0"], []),
        (0, 0, 3, 2, [], ["n0", "n1"]),
        (0, 2, 3, 5, ["u0", "u1"], ["n0", "n1", "n2"]),
    ],
)
def test_no_more_is_booted_than_needed(
    free: int, unapproved: int, none: int, replicas: int, prepared: list[str], booted: list[str]
) -> None:
    spares = [spare(f"n{each}") for each in range(none)] + [
        spare(f"u{each}", agent(f"u{each}", approved=False)) for each in range(unapproved)
    ]
    plan = planned(ObservedPool(TITLE), DesiredPool(replicas), spares, [agent(f"f{each}") for each in range(free)])
    assert (plan.needed, len(plan.free), plan.missing, plan.stop) == (replicas, free, 0, None)
    assert (plan.named("prepare"), plan.named("boot")) == (prepared, booted)
    assert len(plan.named("spare")) == none + unapproved - len(prepared) - len(booted)


def test_who_comes_back_counts_and_machines_with_a_bmc_come_first() -> None:
    spares = [
        spare("walk", by_user=True),
        spare("quiet", agent("quiet", "disconnected-unbound", connected="False")),
        spare("new"),
        spare("back", agent("back", "unbinding-pending-user-action")),
        spare("soon", agent("soon", "unbinding")),
    ]
    assert [planned(ObservedPool(TITLE), DesiredPool(size), spares).named("boot") for size in (2, 3, 4, 5)] == [
        [],
        ["new"],
        ["quiet", "new"],
        ["walk", "quiet", "new"],
    ]
    plan = planned(ObservedPool(TITLE), DesiredPool(0), spares)
    assert (plan.named("return"), plan.named("wait"), plan.forced) == (["back"], ["soon"], ["back"])


def test_what_is_missing_is_reported_before_anything_is_touched() -> None:
    spares = [spare("n0"), spare("busy", agent("busy", "added-to-existing-cluster", bound=True))]
    plan = planned(
        ObservedPool(TITLE, replicas=0), DesiredPool(5), spares, [agent("f0"), agent("small", labels={"size": "small"})]
    )
    assert plan.missing == 3
    assert str(plan.stop) == (
        "3 hosts are missing: NodePool clusters/demo needs 5 more, 1 Agent is free (f0), 1 machine can be booted (n0). "
        "Not to be used: busy: it belongs to clusters-demo/demo; Agent fleet/uuid-small (small): its labels do not "
        "match."
    )


def test_who_waits_has_been_counted() -> None:
    """Machines without a host are needed with any owner; one that waits is no reason to boot two."""
    pool = ObservedPool(TITLE, replicas=2, machines=(machine("m-1", "a"), machine("m-2")))
    plan = planned(pool, DesiredPool(2), [spare("n0"), spare("n1")])
    assert (plan.needed, plan.named("boot")) == (1, ["n0"])
    assert planned(pool, DesiredPool(), [spare("n0"), spare("n1")]).named("boot") == ["n0"]


@pytest.mark.parametrize(
    ("desired", "replicas", "removed"),
    [
        (DesiredPool(None, ("a",)), 2, ["m-1"]),
        (DesiredPool(None, ("m-1", "uuid-b")), 1, ["m-1", "m-2"]),
        (DesiredPool(None, ("host-c",)), 2, ["m-3"]),
        (DesiredPool(2, ("a",)), 2, ["m-1"]),
        (DesiredPool(1, ("a",)), 1, ["m-1"]),
        (DesiredPool(None, ("gone",)), 3, []),
        (DesiredPool(3, ("gone",)), 3, []),
        (DesiredPool(), 3, []),
    ],
)
def test_who_is_removed(desired: DesiredPool, replicas: int, removed: list[str]) -> None:
    """By name in the inventory, hostname, Agent or Machine; a host that is not in the pool any more is no mistake."""
    pool = ObservedPool(
        TITLE,
        replicas=3,
        machines=(machine("m-1", "a"), machine("m-2", "b"), machine("m-3", "c"), machine("m-4", "gone", leaving=True)),
    )
    spares = [
        spare("host-c", agent("c", "added-to-existing-cluster", bound=True)),
        spare("gone", agent("gone", "unbinding")),
    ]
    plan = planned(pool, desired, spares, [agent(name, "added-to-existing-cluster", bound=True) for name in "ab"])
    assert (plan.replicas, [machine.name for machine in plan.size.named], plan.stop) == (replicas, removed, None)


def test_a_removal_that_was_interrupted_takes_no_other_host() -> None:
    """The size was lowered, and the Machine that goes is still there."""
    pool = ObservedPool(TITLE, replicas=1, machines=(machine("m-1", "a"), machine("m-2", "b")))
    agents = [agent(name, "added-to-existing-cluster", bound=True) for name in "ab"]
    assert [planned(pool, DesiredPool(size, ("a",)), (), agents).replicas for size in (None, 1)] == [1, 1]


PAIR = (machine("m-1", "a"), machine("m-2", "a"))


@pytest.mark.parametrize(
    ("pool", "desired", "words"),
    [
        (ObservedPool(TITLE, exists=False), DesiredPool(), "does not exist. Set its number"),
        (
            ObservedPool(TITLE, replicas=None, autoscaling="1 to 5"),
            DesiredPool(3),
            ("scaled automatically (1 to 5), so that replicas cannot"),
        ),
        (
            ObservedPool(TITLE, replicas=None, autoscaling="1 to 5", machines=(machine("m-1", "a"),)),
            DesiredPool(None, ("a",)),
            "so that remove cannot",
        ),
        (
            ObservedPool(TITLE, replicas=1, rollout="to 4.22.1", machines=(machine("m-1", "a"),)),
            DesiredPool(None, ("a",)),
            "while a rollout",
        ),
        (
            ObservedPool(TITLE, replicas=1, machines=(machine("m-1", "a"),)),
            DesiredPool(1, ("a",)),
            "After the removal of a it has 0, but replicas is 1. Request 0 now, and 1 in the next run.",
        ),
        (ObservedPool(TITLE, replicas=2, machines=PAIR), DesiredPool(None, ("a",)), "a means several Machines"),
        (ObservedPool(TITLE), DesiredPool(None, ("wroker", "other")), "wroker, other are no host of the inventory"),
    ],
)
def test_what_cannot_be_done(pool: ObservedPool, desired: DesiredPool, words: str) -> None:
    assert words in message_of(planned(pool, desired).stop)


def test_the_size_of_a_new_pool() -> None:
    new = ObservedPool(TITLE, exists=False)
    assert [
        planned(new, desired, [spare("n0")]).replicas
        for desired in (DesiredPool(1, initial=2), DesiredPool(initial=1), DesiredPool(initial=0))
    ] == [
        1,
        1,
        0,
    ]
    assert (
        planned(ObservedPool(TITLE, replicas=1, machines=(machine("m-1", "a"),)), DesiredPool(initial=5)).replicas == 1
    ), "afterwards it is what it was scaled to"


def test_a_new_pool_and_its_lines() -> None:
    back = agent("back", "unbinding-pending-user-action")
    plan = planned(
        ObservedPool(TITLE, exists=False, replicas=0),
        DesiredPool(3),
        [spare("n0"), spare("u0", agent("u0", approved=False)), spare("back", back)],
    )
    assert plan.lines() == [
        "scale NodePool clusters/demo from 0 to 3",
        "boot n0 into discovery: it has no Agent",
        "approve and name u0: it is not approved",
        "boot back into discovery: it was removed from its cluster and must boot the discovery image",
    ]
    assert planned(IN_POOL, DesiredPool(1)).lines() == []
    assert planned(IN_POOL, DesiredPool(None, ("a",)), [], [agent("a", bound=True)]).lines() == [
        "scale NodePool clusters/demo from 1 to 0",
        "drain Node a",
        "delete Machine m-1 (a)",
    ]


def chosen(pool: ObservedPool, desired: DesiredPool) -> list[str]:
    agents = [agent(machine.hostname, bound=True) for machine in pool.machines if machine.agent]
    return [machine.name for machine in resize(pool, desired, (), agents).chosen]


@pytest.mark.parametrize(
    ("desired", "names"),
    [
        (DesiredPool(2), ["m-2"]),
        (DesiredPool(1), ["m-2", "m-1"]),
        (DesiredPool(1, ("h2",)), ["m-1"]),
        (DesiredPool(2, ("h1",)), []),
        (DesiredPool(0), ["m-2", "m-1", "m-0"]),
        (DesiredPool(), []),
        (DesiredPool(3), []),
        (DesiredPool(4), []),
    ],
)
def test_who_leaves_a_pool_that_shrinks(desired: DesiredPool, names: list[str]) -> None:
    """The newest Machine leaves first; a host that is named counts."""
    pool = ObservedPool(
        TITLE,
        replicas=3,
        machines=tuple(machine(f"m-{n}", f"h{n}", created=f"2026-01-0{n + 1}T00:00:00Z") for n in range(3)),
    )
    assert chosen(pool, desired) == names


def test_a_host_that_works_is_the_last_to_leave() -> None:
    marked = machine("m-0", "h0", marked=True)
    waiting, broken = machine("m-1"), machine("m-2", "h2", ready=False)
    working = machine("m-3", "h3", created="2026-01-09T00:00:00Z")
    pools = [
        ObservedPool(TITLE, replicas=4, machines=order)
        for order in itertools.permutations((marked, waiting, broken, working))
    ]
    assert {tuple(chosen(pool, DesiredPool(1))) for pool in pools} == {("m-0", "m-1", "m-2")}


def test_machines_above_the_size_are_on_their_way_out_already() -> None:
    """An earlier run has lowered the number: nothing is chosen again, whatever Cluster API has done by now."""
    pool = ObservedPool(TITLE, replicas=1, machines=(machine("m-0", "h0"), machine("m-1", "h1")))
    assert [chosen(pool, desired) for desired in (DesiredPool(), DesiredPool(1), DesiredPool(2))] == [[], [], []]


@pytest.mark.parametrize(
    ("pool", "desired", "words"),
    [
        (
            ObservedPool(TITLE, replicas=2, machines=(machine("m-0", "h0"), machine("m-1", "h1")), rollout="to 4.22.1"),
            DesiredPool(1),
            "while a rollout runs (to 4.22.1)",
        ),
        (
            ObservedPool(TITLE, replicas=4, machines=(machine("m-0", "h0"), machine("m-1", "h1"))),
            DesiredPool(1),
            "has not created 2 of its Machines yet",
        ),
        (
            ObservedPool(TITLE, replicas=4, machines=(machine("m-0", "h0"), machine("m-1", "h1")), rollout="to 4.22.1"),
            DesiredPool(0),
            "",
        ),
        (ObservedPool(TITLE, replicas=4, machines=(machine("m-0", "h0"), machine("m-1", "h1"))), DesiredPool(3), ""),
    ],
)
def test_who_leaves_must_be_certain(pool: ObservedPool, desired: DesiredPool, words: str) -> None:
    stop = message_of(resize(pool, desired, (), []).stop)
    assert (words in stop) if words else not stop


def test_no_machine_is_marked_if_none_stays() -> None:
    pool = ObservedPool(TITLE, replicas=2, machines=(machine("m-0", "h0"), machine("m-1", "h1")))
    agents = [agent("h0", bound=True), agent("h1", bound=True)]
    assert [each.name for each in resize(pool, DesiredPool(0), (), agents).marked] == []
    assert [each.name for each in resize(pool, DesiredPool(0, ("h1",)), (), agents).marked] == ["m-1"]
    assert [each.name for each in resize(pool, DesiredPool(1), (), agents).marked] == ["m-1"]
    assert planned(pool, DesiredPool(0), [], agents).lines() == [
        "scale NodePool clusters/demo from 2 to 0",
        "drain Node h1",
        "delete Machine m-1 (h1)",
        "drain Node h0",
        "delete Machine m-0 (h0)",
    ]


@pytest.mark.parametrize(
    ("pool", "desired", "words"),
    [
        (
            ObservedPool(TITLE, replicas=5),
            DesiredPool(0, keep=True),
            ("has 5 replicas, and 0 are configured. deploy_cluster does not change the size"),
        ),
        (ObservedPool(TITLE, replicas=5), DesiredPool(None, initial=1, keep=True), "and 1 is configured"),
        (ObservedPool(TITLE, replicas=5), DesiredPool(None, initial=0, keep=True), ""),
        (ObservedPool(TITLE, replicas=5), DesiredPool(5, keep=True), ""),
        (
            ObservedPool(TITLE, replicas=None, autoscaling="1 to 5"),
            DesiredPool(3, keep=True),
            ("is scaled automatically (1 to 5), and 3 are configured"),
        ),
        (ObservedPool(TITLE, exists=False), DesiredPool(3, keep=True), ""),
        (ObservedPool(TITLE, replicas=5), DesiredPool(3), ""),
        (IN_POOL, DesiredPool(1, ("a",), keep=True), "and a is to be removed. deploy_cluster does not"),
    ],
)
def test_a_pool_that_keeps_its_size(pool: ObservedPool, desired: DesiredPool, words: str) -> None:
    notice = kept_size(pool, desired)
    assert words in notice if words else not notice
    assert not words or "run scale_node_pool" in notice


@pytest.mark.parametrize(
    "desired",
    [
        DesiredPool(0, keep=True),
        DesiredPool(1, keep=True),
        DesiredPool(9, keep=True),
        DesiredPool(None, ("h0",), 1, keep=True),
    ],
)
def test_nothing_is_booted_or_drained_for_a_size_that_is_kept(desired: DesiredPool) -> None:
    """The size in the inventory is that of a new pool."""
    pool = ObservedPool(TITLE, replicas=3, machines=tuple(machine(f"m-{n}", f"h{n}") for n in range(3)))
    plan = planned(pool, desired, [spare("n0"), spare("n1")], [agent(f"h{n}", bound=True) for n in range(3)])
    assert (plan.replicas, plan.size.leaving, plan.named("boot", "prepare"), plan.stop, plan.lines()) == (
        3,
        (),
        [],
        None,
        [],
    )
    new = planned(ObservedPool(TITLE, exists=False), DesiredPool(2, keep=True), [spare("n0"), spare("n1")])
    assert (new.replicas, new.named("boot")) == (2, ["n0", "n1"])


def test_a_machine_that_must_not_be_booted_is_replaced() -> None:
    spares = [spare("n0"), spare("n1"), spare("n2"), spare("back", agent("back", "unbinding-pending-user-action"))]
    agents = [spares[3].match.agent]
    plan = plan_pool(
        ObservedPool(TITLE),
        DesiredPool(2),
        spares,
        [each for each in agents if each],
        JUDGE,
        {"n0": "its BMC is silent", "back": "no BMC"},
    )
    assert [(step.name, step.action) for step in plan.hosts] == [
        ("n0", "skip"),
        ("n1", "boot"),
        ("n2", "boot"),
        ("back", "skip"),
    ]
    assert plan.forced == [] and plan.missing == 0
    few = plan_pool(
        ObservedPool(TITLE), DesiredPool(3), spares, [], JUDGE, {"n0": "its BMC is silent", "back": "no BMC"}
    )
    assert few.missing == 1 and "n0: its BMC is silent; back: no BMC" in message_of(few.stop)


def test_the_order_of_agents_does_not_matter() -> None:
    spares = [
        spare("n0"),
        spare("u0", agent("u0", approved=False)),
        spare("back", agent("back", "unbinding-pending-user-action")),
    ]
    others = [agent(f"f{each}") for each in range(2)]
    plans = [planned(ObservedPool(TITLE), DesiredPool(4), spares, order) for order in itertools.permutations(others)]
    assert len({(plan.hosts, plan.missing, plan.needed) for plan in plans}) == 1


@pytest.mark.parametrize(
    ("free", "spares", "reserve", "replicas", "booted", "for_reserve", "short"),
    [
        (0, 3, 1, 2, ["s-0", "s-1"], ["s-1"], 0),
        (2, 3, 1, 2, [], [], 0),
        (1, 3, 2, 2, ["s-0", "s-1"], ["s-0", "s-1"], 0),
        (1, 1, 3, 2, ["s-0"], ["s-0"], 2),
        (1, 2, 3, 0, [], [], 0),
    ],
)
def test_machines_are_booted_for_the_reserve(
    free: int, spares: int, reserve: int, replicas: int, booted: list[str], for_reserve: list[str], short: int
) -> None:
    """One Machine has a host. A reserve that cannot be had stops nothing."""
    pool = ObservedPool(TITLE, replicas=1, machines=(machine("m-1", "a"),))
    plan = planned(
        pool,
        DesiredPool(replicas),
        [spare(f"s-{number}") for number in range(spares)],
        [agent(f"f-{number}") for number in range(free)],
        reserve=reserve,
    )
    assert (plan.named("boot"), plan.for_reserve, plan.short, plan.stop) == (booted, for_reserve, short, None)
    assert plan.missing == 0


def test_a_host_that_leaves_is_the_reserve() -> None:
    pool = ObservedPool(TITLE, replicas=2, machines=(machine("m-1", "a"), machine("m-2", "b")))
    plan = planned(pool, DesiredPool(1), [spare("s-0")], reserve=1)
    assert (len(plan.size.leaving), plan.named("boot"), plan.short) == (1, [], 0)


def test_the_autoscaler_gets_the_smallest_size() -> None:
    pool = ObservedPool(TITLE, replicas=None, machines=(machine("m-1", "a"),), autoscaling="3 to 4", least=3)
    plan = planned(pool, DesiredPool(), [spare(f"s-{number}") for number in range(4)], reserve=1)
    assert (plan.needed, plan.replicas, plan.named("boot"), plan.for_reserve) == (
        2,
        None,
        ["s-0", "s-1", "s-2"],
        ["s-2"],
    )


THREE = ObservedPool(TITLE, replicas=3, machines=tuple(machine(f"m-{name}", name) for name in "abc"))


@pytest.mark.parametrize(
    ("free", "spares", "reserve", "booted", "short"),
    [
        (1, 1, 0, [], 0),
        (0, 2, 0, ["s-0"], 0),
        (0, 0, 0, [], 0),
        (1, 1, 1, [], 0),
        (0, 1, 2, ["s-0"], 0),
        (0, 0, 2, [], 1),
    ],
)
def test_a_host_that_is_replaced(free: int, spares: int, reserve: int, booted: list[str], short: int) -> None:
    """The size stays. Another host takes the place where there is one, else the same one; that stops nothing."""
    others = [agent(f"f-{number}") for number in range(free)]
    plan = planned(
        THREE,
        DesiredPool(None, replace=("b",)),
        [spare(f"s-{number}") for number in range(spares)],
        others,
        reserve=reserve,
    )
    assert (plan.replicas, plan.needed, [each.name for each in plan.size.replaced], plan.size.leaving) == (
        3,
        0,
        ["m-b"],
        (),
    )
    assert (plan.named("boot"), plan.short, plan.missing, plan.stop) == (booted, short, 0, None)
    first = "after another host is a Node" if free + spares else "no other host is a Node before"
    assert plan.lines()[:2] == ["drain Node b", f"replace Machine m-b (b): {first}"]
    assert plan.order == ("surge" if free + spares else "in_place")


@pytest.mark.parametrize(
    ("order", "spares", "booted", "chosen", "missing"),
    [
        ("auto", 1, ["s-0"], "surge", 0),
        ("in_place", 1, [], "in_place", 0),
        ("surge", 1, ["s-0"], "surge", 0),
        ("surge", 0, [], "in_place", 1),
    ],
)
def test_the_order_that_the_user_asks_for(
    order: Any, spares: int, booted: list[str], chosen: str, missing: int
) -> None:
    plan = planned(
        THREE, DesiredPool(None, replace=("b",), order=order), [spare(f"s-{number}") for number in range(spares)]
    )
    assert (plan.named("boot"), plan.order, plan.missing, bool(plan.stop)) == (booted, chosen, missing, bool(missing))


@pytest.mark.parametrize(("hosts", "booted"), [(0, ["s-0"]), (1, [])])
@pytest.mark.parametrize("desired", [DesiredPool(), DesiredPool(replace=("b",)), DesiredPool(keep=True)])
def test_an_exchange_that_has_begun_is_completed(desired: DesiredPool, hosts: int, booted: list[str]) -> None:
    """Machine m-b leaves with each of these requests; the Machine for the other host has its Agent or not."""
    new = machine("m-new", "n") if hosts else dataclasses.replace(machine("m-new", "n"), agent=None)
    for replicas in (3, None):
        begun = dataclasses.replace(
            THREE, machines=(*THREE.machines, new), exchange=Exchange(("m-b", "m-gone"), 3), replicas=replicas, least=2
        )
        plan = planned(begun, desired, [spare("s-0")])
        assert ([each.name for each in plan.size.replaced], plan.order, plan.named("boot"), plan.stop) == (
            ["m-b"],
            "surge",
            booted,
            None,
        )


def test_replacing_with_autoscaling_and_not_while_the_pool_shrinks() -> None:
    scaled = dataclasses.replace(THREE, replicas=None, autoscaling="1 to 4", least=1)
    assert planned(scaled, DesiredPool(None, replace=("a",))).stop is None
    for desired in (DesiredPool(2, replace=("a",)), DesiredPool(None, ("b",), replace=("a",))):
        assert "one run cannot both reduce the size and replace hosts" in message_of(planned(THREE, desired).stop)
    assert "no host of the inventory" in message_of(planned(THREE, DesiredPool(None, replace=("x",))).stop)
    kept = planned(THREE, DesiredPool(None, replace=("a",), keep=True))
    assert (kept.size.replaced, kept.stop) == ((), None)
