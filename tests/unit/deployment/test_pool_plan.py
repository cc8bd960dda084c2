# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""How a pool is scaled: every row, and the promise that no host of a cluster is booted."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.host_states import BUSY, FAILED, INSTALLED
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pool_plan import (
    HostStep,
    Judge,
    Pool,
    PoolMachine,
    PoolPlan,
    PoolWish,
    Spare,
    plan_pool,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.match import Match
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import Agent, read_agent

TITLE = "NodePool clusters/demo"
CLUSTER = {"name": "demo", "namespace": "clusters-demo"}


def agent(name: str, state: str = "known-unbound", *, approved: bool = True, connected: str = "True", bound: bool = False, **more: Any) -> Agent:
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
    return Spare(Match(name, "matched", found) if found else Match(name, "unmatched", reason="no Agent has MAC …"), hostname=name, **more)


def machine(name: str, host: str = "", **more: Any) -> PoolMachine:
    return PoolMachine(name, ("fleet", f"uuid-{host}") if host else None, host, host, **more)


def planned(pool: Pool, wish: PoolWish, spares: Sequence[Spare] = (), others: Sequence[Agent] = ()) -> PoolPlan:
    agents = [*others, *(each.match.agent for each in spares if each.match.agent is not None)]
    return plan_pool(pool, wish, spares, agents, JUDGE)


def step_for(each: Spare, pool: Pool, replicas: int = 1) -> HostStep:
    return planned(pool, PoolWish(replicas), [each]).hosts[0]


IN_POOL = Pool(TITLE, replicas=1, machines=(machine("m-1", "a"),))
LEAVING = Pool(TITLE, replicas=0, machines=(machine("m-1", "a", leaving=True),))


@pytest.mark.parametrize(
    ("each", "pool", "action", "words"),
    [
        (spare("a"), Pool(TITLE), "boot", "no Agent"),
        (spare("a", unfit="its labels would not match"), Pool(TITLE), "skip", "would not match"),
        (Spare(Match("a", "ambiguous", reason="that of 2 Agents")), Pool(TITLE), "skip", "2 Agents"),
        (Spare(Match("a", "unmatched", reason="is being deleted", leaving=(agent("a"),))), Pool(TITLE), "skip", "being deleted"),
        (spare("a"), Pool(TITLE, machines=(PoolMachine("m-1", node="A"),)), "skip", "its Node is in the cluster"),
        (spare("a", agent("a")), Pool(TITLE), "use", "free"),
        (spare("a", agent("a", approved=False)), Pool(TITLE), "prepare", "not approved"),
        (spare("a", agent("a", "discovering-unbound")), Pool(TITLE), "prepare", "discovering-unbound"),
        (spare("a", agent("a", "")), Pool(TITLE), "prepare", "it is"),
        (spare("a", agent("a", "insufficient-unbound", failing=["hostname-valid"])), Pool(TITLE), "prepare", "insufficient"),
        (spare("a", agent("a", "insufficient-unbound", failing=["has-min-memory"])), Pool(TITLE), "skip", "insufficient"),
        (spare("a", agent("a", "disconnected-unbound", connected="False")), Pool(TITLE), "boot", "does not hear"),
        (spare("a", agent("a", labels={"size": "small"})), Pool(TITLE), "skip", "labels do not match"),
        (spare("a", agent("a", approved=False, labels={"size": "small"})), Pool(TITLE), "skip", "labels do not match"),
        (spare("a", agent("a", "unbinding-pending-user-action")), Pool(TITLE), "return", "waits to boot"),
        (spare("a", agent("a", "unbinding-pending-user-action")), LEAVING, "return", "waits to boot"),
        (spare("a", agent("a", "reclaiming")), LEAVING, "wait", "on its way back (reclaiming)"),
        (spare("a", agent("a", "added-to-existing-cluster", bound=True)), LEAVING, "wait", "on its way back"),
        (spare("a", agent("a", "unbinding-pending-user-action")), IN_POOL, "keep", "it is Machine m-1"),
        (spare("a", agent("a", "added-to-existing-cluster", bound=True)), IN_POOL, "keep", "it is Machine m-1"),
        (spare("a", agent("a", "added-to-existing-cluster", bound=True)), Pool(TITLE), "skip", "belongs to clusters-demo/demo"),
        (spare("a", agent("a", "error", connected="False", bound=True)), Pool(TITLE), "skip", "belongs to clusters-demo/demo"),
        (spare("a", agent("a", "a state of tomorrow")), Pool(TITLE), "skip", "a state of tomorrow"),
    ],
)
def test_a_machine_of_the_inventory(each: Spare, pool: Pool, action: str, words: str) -> None:
    step = step_for(each, pool)
    assert (step.action, words in step.reason) == (action, True), step


@pytest.mark.parametrize(("state", "connected"), list(itertools.product(sorted(BUSY | INSTALLED | FAILED), ["True", "False"])))
def test_no_host_of_a_cluster_is_booted(state: str, connected: str) -> None:
    each = spare("a", agent("a", state, connected=connected, bound=True))
    for pool in (Pool(TITLE), IN_POOL, LEAVING):
        plan = planned(pool, PoolWish(5), [each])
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
def test_no_more_is_booted_than_needed(free: int, unapproved: int, none: int, replicas: int, prepared: list[str], booted: list[str]) -> None:
    spares = [spare(f"n{each}") for each in range(none)] + [spare(f"u{each}", agent(f"u{each}", approved=False)) for each in range(unapproved)]
    plan = planned(Pool(TITLE), PoolWish(replicas), spares, [agent(f"f{each}") for each in range(free)])
    assert (plan.needed, len(plan.free), plan.missing, plan.stop) == (replicas, free, 0, "")
    assert (plan.named("prepare"), plan.named("boot")) == (prepared, booted)
    assert len(plan.named("spare")) == none + unapproved - len(prepared) - len(booted)


def test_who_comes_back_counts_and_machines_with_a_bmc_come_first() -> None:
    spares = [
        spare("walk", boot="manual"),
        spare("quiet", agent("quiet", "disconnected-unbound", connected="False")),
        spare("new"),
        spare("back", agent("back", "unbinding-pending-user-action")),
        spare("soon", agent("soon", "unbinding")),
    ]
    assert [planned(Pool(TITLE), PoolWish(size), spares).named("boot") for size in (2, 3, 4, 5)] == [
        [],
        ["new"],
        ["quiet", "new"],
        ["walk", "quiet", "new"],
    ]
    plan = planned(Pool(TITLE), PoolWish(0), spares)
    assert (plan.named("return"), plan.named("wait"), plan.forced) == (["back"], ["soon"], ["back"])


def test_what_is_missing_is_told_before_anything_is_touched() -> None:
    spares = [spare("n0"), spare("busy", agent("busy", "added-to-existing-cluster", bound=True))]
    plan = planned(Pool(TITLE, replicas=0), PoolWish(5), spares, [agent("f0"), agent("small", labels={"size": "small"})])
    assert plan.missing == 3
    assert plan.stop == (
        "3 hosts are missing: NodePool clusters/demo needs 5 more, 1 Agent is free (f0), 1 machine can be booted (n0). "
        "Not to be used: busy: it belongs to clusters-demo/demo; Agent fleet/uuid-small (small): its labels do not match."
    )


def test_who_waits_has_been_counted() -> None:
    """Machines without a host are needed whoever asked for them; one that waits is no reason to boot two."""
    pool = Pool(TITLE, replicas=2, machines=(machine("m-1", "a"), machine("m-2")))
    plan = planned(pool, PoolWish(2), [spare("n0"), spare("n1")])
    assert (plan.needed, plan.named("boot")) == (1, ["n0"])
    assert planned(pool, PoolWish(), [spare("n0"), spare("n1")]).named("boot") == ["n0"]


@pytest.mark.parametrize(
    ("wish", "replicas", "removed"),
    [
        (PoolWish(None, ("a",)), 2, ["m-1"]),
        (PoolWish(None, ("m-1", "uuid-b")), 1, ["m-1", "m-2"]),
        (PoolWish(None, ("host-c",)), 2, ["m-3"]),
        (PoolWish(2, ("a",)), 2, ["m-1"]),
        (PoolWish(1, ("a",)), 1, ["m-1"]),
        (PoolWish(2), 2, []),
        (PoolWish(None, ("gone",)), 3, []),
        (PoolWish(3, ("gone",)), 3, []),
        (PoolWish(), 3, []),
    ],
)
def test_who_is_removed(wish: PoolWish, replicas: int, removed: list[str]) -> None:
    """By name in the inventory, hostname, Agent or Machine; a host that is not in the pool any more is no mistake."""
    pool = Pool(TITLE, replicas=3, machines=(machine("m-1", "a"), machine("m-2", "b"), machine("m-3", "c"), machine("m-4", "gone", leaving=True)))
    spares = [spare("host-c", agent("c", "added-to-existing-cluster", bound=True)), spare("gone", agent("gone", "unbinding"))]
    plan = planned(pool, wish, spares, [agent(name, "added-to-existing-cluster", bound=True) for name in "ab"])
    assert (plan.replicas, [machine.name for machine in plan.removed], plan.stop) == (replicas, removed, "")


def test_a_removal_that_was_interrupted_takes_nobody_else() -> None:
    """The size was lowered, and the Machine that goes is still there."""
    pool = Pool(TITLE, replicas=1, machines=(machine("m-1", "a"), machine("m-2", "b")))
    agents = [agent(name, "added-to-existing-cluster", bound=True) for name in "ab"]
    assert [planned(pool, PoolWish(size, ("a",)), (), agents).replicas for size in (None, 1)] == [1, 1]


PAIR = (machine("m-1", "a"), machine("m-2", "a"))


@pytest.mark.parametrize(
    ("pool", "wish", "words"),
    [
        (Pool(TITLE, exists=False), PoolWish(), "does not exist: say how many"),
        (Pool(TITLE, replicas=None, autoscaling="1 to 5"), PoolWish(3), "scaled automatically (1 to 5), so that replicas cannot"),
        (Pool(TITLE, replicas=None, autoscaling="1 to 5", machines=(machine("m-1", "a"),)), PoolWish(None, ("a",)), "so that remove cannot"),
        (Pool(TITLE, replicas=1, rollout="to 4.22.1", machines=(machine("m-1", "a"),)), PoolWish(None, ("a",)), "while a rollout"),
        (
            Pool(TITLE, replicas=1, machines=(machine("m-1", "a"),)),
            PoolWish(1, ("a",)),
            "without a there are 0, and 1 are asked for. Ask for 0 now, and for 1 in a run after it.",
        ),
        (Pool(TITLE, replicas=2, machines=PAIR), PoolWish(None, ("a",)), "a means several Machines"),
        (Pool(TITLE), PoolWish(None, ("wroker", "other")), "wroker, other are no host of the inventory"),
    ],
)
def test_what_cannot_be_done(pool: Pool, wish: PoolWish, words: str) -> None:
    assert words in planned(pool, wish).stop


def test_the_size_of_a_new_pool() -> None:
    new = Pool(TITLE, exists=False)
    assert [planned(new, wish, [spare("n0")]).replicas for wish in (PoolWish(1, initial=2), PoolWish(initial=1), PoolWish(initial=0))] == [1, 1, 0]
    assert planned(Pool(TITLE, replicas=1, machines=(machine("m-1", "a"),)), PoolWish(initial=5)).replicas == 1, "afterwards it is what it was scaled to"


def test_a_new_pool_and_its_lines() -> None:
    back = agent("back", "unbinding-pending-user-action")
    plan = planned(Pool(TITLE, exists=False, replicas=0), PoolWish(3), [spare("n0"), spare("u0", agent("u0", approved=False)), spare("back", back)])
    assert plan.lines() == [
        "scale NodePool clusters/demo from 0 to 3",
        "boot n0 into discovery: it has no Agent",
        "approve and name u0: it is not approved",
        "boot back into discovery: it has left its cluster and waits to boot the discovery image",
    ]
    assert planned(IN_POOL, PoolWish(1)).lines() == []
    assert planned(IN_POOL, PoolWish(None, ("a",)), [], [agent("a", bound=True)]).lines() == [
        "scale NodePool clusters/demo from 1 to 0",
        "remove Machine m-1 (a)",
    ]


@pytest.mark.parametrize(
    ("wish", "line"),
    [
        (PoolWish(1), "leave it to Cluster API which 2 hosts go: name them in remove to choose"),
        (PoolWish(1, ("h1",)), "leave it to Cluster API which 1 host goes: name them in remove to choose"),
        (PoolWish(2, ("h1",)), ""),
        (PoolWish(0), ""),
        (PoolWish(4), ""),
    ],
)
def test_who_goes_is_told_or_that_nobody_knows(wish: PoolWish, line: str) -> None:
    pool = Pool(TITLE, replicas=3, machines=tuple(machine(f"m-{n}", f"h{n}") for n in range(3)))
    agents = [agent(f"h{n}", bound=True) for n in range(3)]
    assert [each for each in planned(pool, wish, [], agents).lines() if each.startswith("leave")] == ([line] if line else [])


def test_the_order_of_agents_does_not_matter() -> None:
    spares = [spare("n0"), spare("u0", agent("u0", approved=False)), spare("back", agent("back", "unbinding-pending-user-action"))]
    others = [agent(f"f{each}") for each in range(2)]
    plans = [planned(Pool(TITLE), PoolWish(4), spares, order) for order in itertools.permutations(others)]
    assert len({(plan.hosts, plan.missing, plan.needed) for plan in plans}) == 1
