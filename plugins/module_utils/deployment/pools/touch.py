# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide by the safety table which machines may be changed when a pool changes its size: machines that leave it
(actions shrink and replace_out), and machines that are booted for it (supply and replace_in).

A spare machine that must not or need not be booted (no BMC, a Node already) is replaced by another one; any other
obstacle stops the run. A machine that is only a reserve of the pool never stops the run: it is left unchanged and
reported.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from ...boot.protocol import Machines
from ...common.clock import Clock
from ...common.listed import listed
from ...hub.agents.model import Agent
from ..safety.decision import NOTHING_TOUCHED, Judgement, Verdict, judge, may_touch, stop_reason
from ..safety.evidence import Evidence
from ..safety.gather import Gathered, gather
from ..safety.options import Touch
from ..safety.table import Action
from .observe import PoolInfo
from .plan import PoolPlan

_MOST_NAMED = 30


@dataclasses.dataclass(frozen=True)
class Touched:
    """The plan after the decision.

    ``booted`` are the verdicts about the machines that it boots; ``unusable`` says why others are left alone that it
    would have booted; ``not_checked`` which sources could not be read. ``failed`` are hosts that leave although their
    BMCs cannot be used, with the reason.
    """

    plan: PoolPlan
    booted: Judgement = dataclasses.field(default_factory=Judgement)
    unusable: Mapping[str, str] = dataclasses.field(default_factory=dict)
    not_checked: tuple[str, ...] = ()
    failed: Mapping[str, str] = dataclasses.field(default_factory=dict)


def decide_pool(info: PoolInfo, touch: Touch, read: Callable[[Sequence[str]], Machines], clock: Clock) -> Touched:
    """The plan with what the safety table says.

    ``read`` reads the BMCs of the named hosts; it is called once for each host that the plan would boot.
    """
    touch = _with_identities(touch, info)
    plan = info.plan()
    if plan.stop:
        return Touched(plan)
    not_checked: tuple[str, ...] = ()
    failed: dict[str, str] = {}
    for action, leaving, confirmed in _leaving(info, plan):
        # A host that is exchanged may have to be booted again; one that leaves a smaller pool is not switched here.
        machines = read(leaving) if action == "replace_out" else ()
        gathered = gather(action, touch, machines, clock, leaving)
        not_checked += gathered.not_checked
        judgement = judge_leaving(plan, action, gathered.evidence, touch, confirmed)
        failed |= {verdict.host: verdict.reason for verdict in judgement.verdicts if verdict.outcome == "fail"}
        if judgement.stop:
            return Touched(dataclasses.replace(plan, stop=judgement.stop), not_checked=not_checked)
    boots: Action = "replace_in" if plan.size.replaced else "supply"
    found: list[Machines] = []
    missing: list[str] = []

    def decide(names: Sequence[str]) -> Judgement:
        found.append(read(names))
        machines = [machine for each in found for machine in each]
        gathered: Gathered = gather(boots, touch, machines, clock, names)
        missing.extend(gathered.not_checked)
        return judge({name: gathered.evidence[name] for name in names}, touch.request(boots))

    plan, booted, unusable = choose_boots(info.plan, decide, info.planned)
    return Touched(plan, Judgement(booted), unusable, tuple(dict.fromkeys([*not_checked, *missing])), failed)


def _leaving(info: PoolInfo, plan: PoolPlan) -> list[tuple[Action, list[str], set[str]]]:
    """The hosts that leave by each action, and those that need no confirmation: named in ``remove``, or exchanged by a
    run that has begun with it.
    """
    begun = info.pool.exchange.machines if info.pool.exchange else ()
    recorded = set(info.hosts_of([machine for machine in plan.size.replaced if machine.name in begun]))
    groups: list[tuple[Action, list[str], set[str]]] = [
        ("shrink", info.hosts_of(plan.size.leaving), set(info.hosts_of(plan.size.named))),
        ("replace_out", info.hosts_of(plan.size.replaced), recorded),
    ]
    return [group for group in groups if group[1]]


def choose_boots(
    replan: Callable[[Mapping[str, str]], PoolPlan],
    decide: Callable[[Sequence[str]], Judgement],
    planned: Collection[str] = (),
) -> tuple[PoolPlan, tuple[Verdict, ...], Mapping[str, str]]:
    """The plan that boots only machines that may be booted, the verdicts about these, and why others are left alone.

    ``decide`` is asked once a host.

    A machine in ``planned`` could be booted when this run planned before: a stop means that another run has booted it
    since, and it is left alone.
    """
    unusable: dict[str, str] = {}
    verdicts: dict[str, Verdict] = {}
    while True:
        plan = replan(unusable)
        names = plan.named("boot", "return")
        new = [name for name in names if name not in verdicts]
        if plan.stop or not new:
            break
        for verdict in decide(new).verdicts:
            verdicts[verdict.host] = verdict
            # A machine for the reserve is not worth a run that stops.
            passed_over = verdict.host in plan.for_reserve or verdict.host in planned
            if verdict.outcome not in ("act", "through", "stop") or (verdict.outcome == "stop" and passed_over):
                unusable[verdict.host] = verdict.reason
    booted = tuple(verdicts[name] for name in names if name in verdicts)
    plan = dataclasses.replace(plan, stop=plan.stop or stop_reason(booted))
    return plan, booted, unusable


def judge_leaving(
    plan: PoolPlan, action: Action, evidence: Mapping[str, Evidence], touch: Touch, confirmed: Iterable[str]
) -> Judgement:
    """Whether the hosts may leave the pool. Those in ``confirmed`` need no further confirmation."""
    asked = touch.request(action)
    without = dataclasses.replace(asked, confirm=asked.confirm | {asked.cluster})
    verdicts = tuple(
        may_touch(host, each, without if host in set(confirmed) else asked) for host, each in evidence.items()
    )
    shrinks = f"{plan.title} would shrink from {plan.before} to {plan.replicas}"
    size = f"Hosts of {plan.title} would be replaced" if action == "replace_out" else shrinks
    text = f"{size}: {listed(list(evidence), _MOST_NAMED)} would be drained and would leave it.\n{NOTHING_TOUCHED}"
    return Judgement(verdicts, stop_reason(verdicts, text))


def _with_identities(touch: Touch, info: PoolInfo) -> Touch:
    """Hosts of which the inventory has no MAC addresses, or that are not in it, are identified by those of their
    Agents.
    """
    agents: dict[str, Agent] = {spare.name: spare.match.agent for spare in info.spares if spare.match.agent is not None}
    by_key = {agent.key: agent for agent in info.agents}
    for machine, name in zip(
        (each for each in info.pool.machines if each.agent), info.hosts_of(info.pool.machines), strict=True
    ):
        if machine.agent in by_key:
            agents.setdefault(name, by_key[machine.agent])
    known = {name: touch.host(name) for name in agents}
    completed = [
        host if host.macs else dataclasses.replace(host, macs=agents[name].macs) for name, host in known.items()
    ]
    cluster = touch.cluster or info.seen.cluster
    return dataclasses.replace(
        touch, cluster=cluster, hosts=(*completed, *(host for host in touch.hosts if host.name not in known))
    )
