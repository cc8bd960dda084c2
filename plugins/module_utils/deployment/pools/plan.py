# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan how a pool of Machines reaches the requested size, as a pure function.

The plan says which Agents are free for the pool, which machines of the inventory must be booted, which Machines are
deleted, which machines return to discovery, and what prevents the change. As in a deployment without pools
(docs/reference/safety.md#the-table), it never touches the BMC of a host that belongs to a cluster.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence

from ...cluster.host_states import LEAVING, NEEDS_DISCOVERY
from ...common.listed import listed
from ...common.plurals import counted
from ...hub.agents.model import Agent
from ...hypershift.node_pool.exchange import Order
from ...hypershift.node_pool.reserve import Reserve
from ..host_step import Action, HostStep
from ..stop_reason import StopReason
from .size import AgentKey, DesiredPool, ObservedPool, PoolMachine, Resize, Spare, resize

# States from which a host gets to known-unbound with no more help than approval and a name.
# Source: openshift/assisted-service internal/controller/controllers/agent_controller.go.
_COMING = frozenset({"", "discovering-unbound", "known-unbound"})
# Validations that pass once the host has a unique name.
_CURED_BY_A_NAME = frozenset({"hostname-valid", "hostname-unique"})
_MOST_NAMED = 8


@dataclasses.dataclass(frozen=True)
class Judge:
    """Whether an Agent can be used for the pool now: ``obstacle``; and whether it could be if it were free and ready:
    ``unfit``. Empty texts mean yes.
    """

    obstacle: Callable[[Agent], str]
    unfit: Callable[[Agent], str]


@dataclasses.dataclass(frozen=True)
class PoolPlan:
    """``needed`` Machines have no host yet; ``free`` Agents could be theirs.

    ``size`` says which Machines leave. ``stop`` is the reason why nothing may be done. ``reserve`` says how many free
    Agents the pool needs besides, of which ``short`` are missing; that stops nothing. ``order`` says whether other
    hosts become Nodes before those that are replaced leave.
    """

    title: str
    size: Resize
    before: int | None
    needed: int
    free: tuple[Agent, ...] = ()
    hosts: tuple[HostStep, ...] = ()
    missing: int = 0
    stop: StopReason | None = None
    reserve: Reserve = dataclasses.field(default_factory=Reserve)
    short: int = 0
    order: Order = "auto"

    @property
    def replicas(self) -> int | None:
        return self.size.replicas

    def named(self, *actions: Action) -> list[str]:
        """Hosts to which one of these happens."""
        return [host.name for host in self.hosts if host.action in actions]

    @property
    def for_reserve(self) -> list[str]:
        """Hosts that are booted or prepared so that the pool has its reserve, and for nothing else."""
        return [host.name for host in self.hosts if host.reserve]

    @property
    def forced(self) -> list[str]:
        return [host.name for host in self.hosts if host.action in ("boot", "return") and host.force]

    def lines(self) -> list[str]:
        """The lines of check mode (``would …``), one for each step."""
        return list(_lines(self))


def plan_pool(
    pool: ObservedPool,
    desired: DesiredPool,
    spares: Sequence[Spare],
    agents: Sequence[Agent],
    judge: Judge,
    unusable: Mapping[str, str] | None = None,
    reserve_for: Callable[[int], Reserve] = lambda _size: Reserve(),
) -> PoolPlan:
    """The way from ``pool`` to ``desired``.

    ``agents`` are all that the pool might take, ``spares`` the machines of the inventory in its order; ``unusable``
    says why some of them must not be booted. ``reserve_for`` is the reserve of the pool at a size.
    """
    size = resize(pool, desired, spares, agents)
    gone = {machine.name for machine in size.leaving}
    placed = sum(machine.agent is not None and machine.name not in gone for machine in pool.staying)
    present = pool.exchange.replicas if pool.exchange else len(pool.staying)
    target = size.replicas if size.replicas is not None else max(pool.least, present)
    needed = max(0, target - placed)
    free = tuple(agent for agent in agents if not judge.obstacle(agent))
    reserve = reserve_for(target)
    # Hosts that leave the pool in this run are free afterwards. Other hosts come for those that are replaced, some of
    # them in an earlier run.
    held = max(0, reserve.total - len(size.taken_out))
    others = (
        0 if desired.order == "in_place" and not pool.exchange else max(0, len(size.replaced) - max(0, placed - target))
    )
    wanted = needed + max(held, others) - len(free)
    hosts = _steps(pool, spares, (needed - len(free), wanted), judge, unusable or {})
    coming = sum(step.action in ("prepare", "boot", "return", "wait") and step.fits for step in hosts)
    surge = bool(size.replaced) and (bool(pool.exchange) or 0 < others <= len(free) + coming - needed)
    missing = max(0, needed + (others if desired.order == "surge" else 0) - len(free) - coming)
    short = max(0, needed + held - len(free) - coming - missing)
    order: Order = "surge" if surge else "in_place"
    if not size.replaced:
        order = "auto"
    plan = PoolPlan(
        pool.title, size, pool.replicas, needed, free, hosts, missing, reserve=reserve, short=short, order=order
    )
    return dataclasses.replace(plan, stop=size.stop or _what_is_missing(plan, spares, agents, judge))


def _steps(
    pool: ObservedPool, spares: Sequence[Spare], wanted: tuple[int, int], judge: Judge, unusable: Mapping[str, str]
) -> tuple[HostStep, ...]:
    """A step for each machine.

    ``wanted`` more hosts are needed than there are free ones: for Machines, and with the reserve.
    """
    of_pool = {machine.agent: machine for machine in pool.machines if machine.agent}
    nodes = {machine.node.lower() for machine in pool.machines if machine.node}
    first = [_unless(_step(spare, of_pool, nodes, judge), unusable) for spare in spares]
    coming = sum(step.action in ("return", "wait") and step.fits for step in first)
    now, most = (max(0, number - coming) for number in wanted)
    # Agents that are on the hub are prepared before a machine is booted, and machines with a BMC are booted before
    # those that a user has to boot.
    ranked = sorted(range(len(first)), key=lambda index: _rank(first[index], spares[index]))
    chosen = [index for index in ranked if first[index].action in ("prepare", "boot")][: max(now, most)]

    def settled(index: int, step: HostStep) -> HostStep:
        if step.action not in ("prepare", "boot"):
            return step
        if index not in chosen:
            return dataclasses.replace(step, action="spare", force=False)
        return dataclasses.replace(step, reserve=index in chosen[now:])

    return tuple(settled(index, step) for index, step in enumerate(first))


def _unless(step: HostStep, unusable: Mapping[str, str]) -> HostStep:
    if step.action not in ("boot", "return") or step.name not in unusable:
        return step
    return dataclasses.replace(step, action="skip", reason=unusable[step.name], force=False, fits=False)


def _rank(step: HostStep, spare: Spare) -> tuple[bool, bool, bool]:
    return step.action != "prepare", spare.by_user, bool(step.agent)


def _step(spare: Spare, of_pool: Mapping[AgentKey, PoolMachine], nodes: set[str], judge: Judge) -> HostStep:
    match, agent = spare.match, spare.match.agent
    if agent is None:
        return _without_agent(spare, nodes)

    unfit = judge.unfit(agent)

    def step(action: Action, reason: str, *, force: bool = False) -> HostStep:
        return HostStep(match.host, action, reason, agent.name, agent.state, force, fits=not unfit)

    machine = of_pool.get(agent.key)
    if machine is not None and not machine.leaving:
        return step("keep", f"it is Machine {machine.name}")
    if agent.state == NEEDS_DISCOVERY:
        return step("return", "it was removed from its cluster and must boot the discovery image", force=True)
    if agent.state in LEAVING or machine is not None:
        return step("wait", f"the hub boots it into discovery ({agent.state})")
    obstacle = judge.obstacle(agent)
    if not obstacle:
        return step("use", "it is free")
    if agent.cluster is not None or unfit:
        return step("skip", unfit or obstacle)
    if not agent.connected:
        return step("boot", f"its Agent is disconnected ({agent.state})", force=True)
    failing = {validation.id for validation in agent.failing if validation.status != "pending"}
    if agent.state in _COMING or (agent.state == "insufficient-unbound" and failing <= _CURED_BY_A_NAME):
        return step("prepare", obstacle)
    return step("skip", obstacle)


def needs_boot(agent: Agent) -> bool:
    """Whether its machine has to boot the discovery image before the Agent can be used."""
    return agent.state == NEEDS_DISCOVERY or not agent.connected


def _without_agent(spare: Spare, nodes: set[str]) -> HostStep:
    match = spare.match
    if match.status == "ambiguous" or match.leaving:
        return HostStep(match.host, "skip", match.reason)
    if (spare.hostname or match.host).lower() in nodes:
        return HostStep(match.host, "skip", "its Node is in the cluster")
    if spare.unfit:
        return HostStep(match.host, "skip", spare.unfit)
    return HostStep(match.host, "boot", "it has no Agent")


def _what_is_missing(
    plan: PoolPlan, spares: Sequence[Spare], agents: Sequence[Agent], judge: Judge
) -> StopReason | None:
    if not plan.missing:
        return None
    free = _names([agent.hostname or agent.name for agent in plan.free])
    have = [f"{counted(len(plan.free), 'Agent')} {_is(len(plan.free))} free{free}"]
    prepared, booted = plan.named("prepare", "wait"), plan.named("boot", "return")
    have += [f"{counted(len(prepared), 'host')} will be{_names(prepared)}"] if prepared else []
    have.append(f"{counted(len(booted), 'machine')} can be booted{_names(booted)}")
    of_inventory = {spare.match.agent.key for spare in spares if spare.match.agent is not None}
    useless = [f"{step.name}: {step.reason}" for step in plan.hosts if step.action == "skip"]
    useless += [
        f"{agent.title}: {reason}"
        for agent in agents
        if agent.key not in of_inventory and (reason := judge.obstacle(agent))
    ]
    others = f" Not to be used: {listed(useless, _MOST_NAMED, '; ')}." if useless else ""
    needed = plan.needed or len(plan.size.replaced)
    return StopReason(
        f"{counted(plan.missing, 'host')} {_is(plan.missing)} missing: {plan.title} needs {needed} more, "
        f"{', '.join(have)}.{others}"
    )


def _lines(plan: PoolPlan) -> Iterator[str]:
    if plan.replicas is not None and plan.replicas != plan.before:
        before = plan.before or 0
        yield f"scale {plan.title} from {before} to {plan.replicas}"
    for machine in plan.size.leaving:
        if machine.node:
            yield f"drain Node {machine.node}"
        yield f"delete Machine {machine.name}" + (f" ({machine.hostname})" if machine.hostname else "")
    for machine in plan.size.replaced:
        if machine.node:
            yield f"drain Node {machine.node}"
        first = "after another host is a Node" if plan.order == "surge" else "no other host is a Node before"
        yield f"replace Machine {machine.name}" + (f" ({machine.hostname})" if machine.hostname else "") + f": {first}"
    for host in plan.hosts:
        if host.action in ("boot", "return"):
            yield f"boot {host.name} into discovery: {host.reason}{_for_reserve(host)}"
        elif host.action == "prepare":
            yield f"approve and name {host.name}: {host.reason}{_for_reserve(host)}"


def _for_reserve(host: HostStep) -> str:
    return " (for the reserve)" if host.reserve else ""


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _names(names: Sequence[str]) -> str:
    return f" ({listed(names, _MOST_NAMED)})" if names else ""
