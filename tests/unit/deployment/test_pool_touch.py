# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which machines a change of a pool may touch. Another spare machine replaces one that cannot be booted, some
findings stop the run, and hosts leave the pool only with a confirmation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.host_step import HostStep
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pools.plan import PoolPlan
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pools.size import PoolMachine, Resize
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pools.touch import (
    choose_boots,
    judge_leaving,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.decision import (
    Judgement,
    TouchRequest,
    judge,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.evidence import Evidence, NodeFacts
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import Touch
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.stop_reason import StopReason, message_of

SPARES = ("n0", "n1", "n2", "n3")
OFF, SILENT = Evidence(power="Off"), Evidence(bmc_fault="no answer")
SUPPLY = TouchRequest("supply", "demo", "hosted")


def replanned(needed: int) -> object:
    """As plan_pool does it: the first spares that are usable; a stop where they are too few."""

    def plan(unusable: Mapping[str, str]) -> PoolPlan:
        usable = [name for name in SPARES if name not in unusable]
        steps = tuple(HostStep(name, "boot", "it has no Agent") for name in usable[:needed])
        return PoolPlan(
            "NodePool clusters/demo",
            Resize(needed),
            0,
            needed,
            hosts=steps,
            stop=None if len(usable) >= needed else StopReason("1 host is missing"),
        )

    return plan


def chosen(
    needed: int, evidence: Mapping[str, Evidence], request: TouchRequest = SUPPLY
) -> tuple[PoolPlan, list[str], list[str]]:
    """The plan, the names of the hosts that were asked about, and those that are not usable."""
    asked: list[str] = []

    def decide(names: Sequence[str]) -> Judgement:
        asked.extend(names)
        return judge({name: evidence.get(name, OFF) for name in names}, request)

    plan, _booted, unusable = choose_boots(replanned(needed), decide)  # type: ignore[arg-type]
    return plan, asked, list(unusable)


def test_only_machines_that_would_be_booted_are_looked_at_and_each_once() -> None:
    plan, asked, unusable = chosen(2, {})
    assert (plan.named("boot"), asked, unusable) == (["n0", "n1"], ["n0", "n1"], [])


@pytest.mark.parametrize(
    "of_first",
    [SILENT, Evidence(power="On", installed="its Node is in the cluster"), Evidence(power="On", free="it is free")],
)
def test_another_spare_takes_the_place_of_one_that_cannot_be_booted(of_first: Evidence) -> None:
    plan, asked, unusable = chosen(2, {"n0": of_first, "n2": SILENT})
    assert (plan.named("boot"), asked, unusable, plan.stop) == (
        ["n1", "n3"],
        ["n0", "n1", "n2", "n3"],
        ["n0", "n2"],
        None,
    )


def test_too_few_spares_are_left() -> None:
    plan, _asked, unusable = chosen(3, {"n0": SILENT, "n1": SILENT})
    assert (message_of(plan.stop), unusable) == ("1 host is missing", ["n0", "n1"])


def test_a_machine_that_is_on_stops_the_run_and_all_such_are_listed() -> None:
    evidence = {"n0": Evidence(power="On"), "n2": Evidence(power="On"), "n1": SILENT}
    plan, _asked, _unusable = chosen(2, evidence)
    assert str(plan.stop).startswith("No machine was touched.\nn0, n2: it reports power On") and "take_over" in str(
        plan.stop
    )
    allowed = TouchRequest("supply", "demo", "hosted", force=frozenset({"take_over"}))
    assert chosen(2, evidence, allowed)[0].stop is None


@pytest.mark.parametrize(("planned", "booted"), [((), []), (("n0",), ["n1", "n2"])])
def test_a_machine_that_another_run_has_booted_since(planned: tuple[str, ...], booted: list[str]) -> None:
    """It could be booted when this run planned first. In a first plan it stops the run."""
    evidence = {"n0": Evidence(power="On")}
    decide = lambda names: judge({name: evidence.get(name, OFF) for name in names}, SUPPLY)  # noqa: E731
    plan, _booted, unusable = choose_boots(replanned(2), decide, planned)  # type: ignore[arg-type]
    assert (plan.named("boot") if not plan.stop else [], list(unusable)) == (booted, list(planned))


def test_a_spare_of_another_deployment_is_passed_over() -> None:
    plan, _asked, unusable = chosen(
        2, {"n0": Evidence(power="On", other_cluster="it belongs to the deployment of cluster other")}
    )
    assert (plan.named("boot"), unusable, plan.stop) == (["n1", "n2"], ["n0"], None)


INSTALLED = Evidence(manual=True, recorded=True, installed="its Agent is installed")
SHRINKING = PoolPlan("NodePool clusters/demo", Resize(1), 3, 0)


@pytest.mark.parametrize(
    ("confirm", "named", "evidence", "words"),
    [
        (
            (),
            (),
            {"h1": INSTALLED, "h2": INSTALLED},
            ("h1, h2: its Agent is installed.\nConfirm this with -e openshift_confirm=demo."),
        ),
        (("other",), (), {"h1": INSTALLED}, "Confirm this with"),
        (("demo",), (), {"h1": INSTALLED, "h2": INSTALLED}, ""),
        ((), ("h1", "h2"), {"h1": INSTALLED, "h2": INSTALLED}, ""),
        ((), ("h1",), {"h1": INSTALLED, "h2": INSTALLED}, "\nh2: its Agent is installed.\nConfirm this with"),
        (
            ("demo",),
            ("h1",),
            {"h1": Evidence(manual=True, other_cluster="it is bound to other")},
            "h1: it is bound to other",
        ),
        (
            ("demo",),
            ("h1",),
            {"h1": Evidence(manual=True, recorded=True, unknown="the hub cannot be read")},
            "wait until the API, service or hub answers",
        ),
        (
            ("demo",),
            ("h1",),
            {"h1": Evidence(manual=True, other_method="agent is the method")},
            "openshift_install_method=agent",
        ),
    ],
)
def test_hosts_leave_a_pool_only_with_a_confirmation(
    confirm: tuple[str, ...], named: tuple[str, ...], evidence: Mapping[str, Evidence], words: str
) -> None:
    """A host that is named in ``remove`` is confirmed by that; nothing confirms a host of another cluster."""
    stop = message_of(
        judge_leaving(SHRINKING, "shrink", evidence, Touch("hosted", "demo", confirm=frozenset(confirm)), named).stop
    )
    assert words in stop if words else not stop
    assert not words or stop.startswith(
        f"NodePool clusters/demo would shrink from 3 to 1: {', '.join(evidence)} would be drained and would leave it.\n"
    )


REPLACING = PoolPlan("NodePool clusters/demo", Resize(3, replaced=(PoolMachine("m-1", ("fleet", "a"), "h1"),)), 3, 0)


@pytest.mark.parametrize(
    ("confirm", "begun", "evidence", "words", "failed"),
    [
        ((), (), INSTALLED, "Confirm this with -e openshift_confirm=demo.", []),
        (("demo",), (), INSTALLED, "", []),
        # What a run has begun with a confirmation goes on without one.
        ((), ("h1",), INSTALLED, "", []),
        (("demo",), (), dataclasses.replace(INSTALLED, bmc_fault="no answer"), "", ["h1"]),
        ((), (), dataclasses.replace(INSTALLED, bmc_fault="no answer"), "Confirm this with", []),
        (
            ("demo",),
            ("h1",),
            dataclasses.replace(INSTALLED, bmc_fault="no answer", other_cluster="it is bound to other"),
            "is bound to other",
            [],
        ),
        (
            ("demo",),
            (),
            dataclasses.replace(INSTALLED, node=NodeFacts("h1", ready=False, not_ready_for=60)),
            "has been NotReady for 60 s",
            [],
        ),
        (("demo",), (), dataclasses.replace(INSTALLED, node=NodeFacts("h1", ready=False, not_ready_for=400)), "", []),
    ],
)
def test_hosts_are_exchanged_only_with_a_confirmation(
    confirm: tuple[str, ...], begun: tuple[str, ...], evidence: Evidence, words: str, failed: list[str]
) -> None:
    judgement = judge_leaving(
        REPLACING, "replace_out", {"h1": evidence}, Touch("hosted", "demo", confirm=frozenset(confirm)), begun
    )
    stop = message_of(judgement.stop)
    assert words in stop if words else not stop
    assert not words or stop.startswith(
        "Hosts of NodePool clusters/demo would be replaced: h1 would be drained and would leave it.\n"
    )
    assert judgement.named("fail") == failed
