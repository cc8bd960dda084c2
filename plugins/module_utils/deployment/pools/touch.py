# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Which machines a change of a pool may touch, by the safety table: those that leave it (action shrink), and those that are booted for it (supply).

A spare machine that must not or need not be booted (no BMC, a Node already) is replaced by another one; any other obstacle stops the run. A machine that is
only for the reserve of the pool stops nothing: it is left alone and named.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...boot.protocol import Machines
from ...common.clock import Clock
from ...common.listed import listed
from ...hub.agents.model import Agent
from ..safety.decision import NOTHING_TOUCHED, Judgement, Verdict, judge, may_touch, stop_reason
from ..safety.evidence import Evidence
from ..safety.gather import Gathered, gather
from ..safety.options import Touch
from ..stop_reason import StopReason
from .observe import PoolInfo
from .plan import PoolPlan

_MOST_NAMED = 30


@dataclasses.dataclass(frozen=True)
class Touched:
    """The plan after the decision. ``booted`` are the verdicts about the machines that it boots; ``unusable`` says why others are left alone that it would
    have booted; ``not_checked`` which sources could not be read.
    """

    plan: PoolPlan
    booted: Judgement = dataclasses.field(default_factory=Judgement)
    unusable: Mapping[str, str] = dataclasses.field(default_factory=dict)
    not_checked: tuple[str, ...] = ()


def decide_pool(info: PoolInfo, touch: Touch, read: Callable[[Sequence[str]], Machines], clock: Clock) -> Touched:
    """The plan with what the safety table says. ``read`` reads the BMCs of the named hosts; it is called once for each host that the plan would boot."""
    touch = _with_identities(touch, info)
    plan = info.plan()
    if plan.stop:
        return Touched(plan)
    not_checked: tuple[str, ...] = ()
    if leaving := info.hosts_of(plan.size.taken_out):
        gathered = gather("shrink", touch, (), clock, leaving)
        not_checked = gathered.not_checked
        named = set(info.hosts_of(plan.size.named))
        if stop := shrink_stop(plan, gathered.evidence, touch, named):
            return Touched(dataclasses.replace(plan, stop=stop), not_checked=not_checked)
    found: list[Machines] = []
    missing: list[str] = []

    def decide(names: Sequence[str]) -> Judgement:
        found.append(read(names))
        machines = [machine for each in found for machine in each]
        gathered: Gathered = gather("supply", touch, machines, clock, names)
        missing.extend(gathered.not_checked)
        return judge({name: gathered.evidence[name] for name in names}, touch.request("supply"))

    plan, booted, unusable = choose_boots(info.plan, decide)
    return Touched(plan, Judgement(booted), unusable, tuple(dict.fromkeys([*not_checked, *missing])))


def choose_boots(
    replan: Callable[[Mapping[str, str]], PoolPlan], decide: Callable[[Sequence[str]], Judgement]
) -> tuple[PoolPlan, tuple[Verdict, ...], Mapping[str, str]]:
    """The plan that boots only machines that may be booted, the verdicts about these, and why others are left alone. ``decide`` is asked once a host."""
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
            if verdict.outcome not in ("act", "through", "stop") or (verdict.outcome == "stop" and verdict.host in plan.for_reserve):
                unusable[verdict.host] = verdict.reason
    booted = tuple(verdicts[name] for name in names if name in verdicts)
    plan = dataclasses.replace(plan, stop=plan.stop or stop_reason(booted))
    return plan, booted, unusable


def shrink_stop(plan: PoolPlan, evidence: Mapping[str, Evidence], touch: Touch, named: Iterable[str]) -> StopReason | None:
    """Why the hosts must not leave the pool; None if they may. A host that is named in ``remove`` is confirmed by that."""
    asked = touch.request("shrink")
    confirmed = dataclasses.replace(asked, confirm=asked.confirm | {asked.cluster})
    verdicts = [may_touch(host, each, confirmed if host in set(named) else asked) for host, each in evidence.items()]
    shrinks = f"{plan.title} would shrink from {plan.before} to {plan.replicas}"
    size = f"Hosts of {plan.title} would be replaced" if plan.size.replaced else shrinks
    return stop_reason(verdicts, f"{size}: {listed(list(evidence), _MOST_NAMED)} would be drained and would leave it.\n{NOTHING_TOUCHED}")


def _with_identities(touch: Touch, info: PoolInfo) -> Touch:
    """Hosts of which the inventory has no MAC addresses, or that are not in it, are identified by those of their Agents."""
    agents: dict[str, Agent] = {spare.name: spare.match.agent for spare in info.spares if spare.match.agent is not None}
    by_key = {agent.key: agent for agent in info.agents}
    for machine, name in zip((each for each in info.pool.machines if each.agent), info.hosts_of(info.pool.machines), strict=True):
        if machine.agent in by_key:
            agents.setdefault(name, by_key[machine.agent])
    known = {name: touch.host(name) for name in agents}
    completed = [host if host.macs else dataclasses.replace(host, macs=agents[name].macs) for name, host in known.items()]
    cluster = touch.cluster or info.seen.cluster
    return dataclasses.replace(touch, cluster=cluster, hosts=(*completed, *(host for host in touch.hosts if host.name not in known)))
