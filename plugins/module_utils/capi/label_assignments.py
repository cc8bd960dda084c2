# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Set or remove the label of one pool on Agents: read the pool's selector, the waiting Machines and the Agents from the
hub, then write the labels.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..common.clock import Clock
from ..common.errors import LimitReached
from ..common.waiting import Deadline, turns
from ..hub.agents.model import Agent, read_agents, without_bulk
from ..hub.kinds import AGENT
from ..kube.client import KubeClient
from ..kube.faults import ForbiddenError
from ..kube.write import PLANS, WriteOutcome
from .apply import ChainResult, apply_stages, raise_failures
from .choose.model import AgentFacts, Policy, from_agent
from .kinds import AGENT_MACHINE_TEMPLATE, CoreKinds
from .label_selection import LabelPlan, LabelSelection, abort, is_reserved, keys_of, plan_selection, spent
from .machine_plan import MachinePlan
from .names import SELECTED_AT, SELECTED_FOR
from .nudge import ChangeSignal
from .objects import Key, annotations_of, deleting, part, text
from .observe import Api, Scope
from .steps import Chain

RECHECK = 30.0
# Seconds for which a pool that does not exist keeps its Agents: a run labels them before it creates the pool.
NEW_POOL = 600.0


def pool_selector(client: KubeClient, api: Api, namespace: str, pool: str) -> tuple[Mapping[str, Any] | None, bool]:
    """The selector that the pool's Machines look for Agents by, and whether the pool is there.

    A pool is a MachineDeployment, or the MachineSet of a NodePool that upgrades in place.
    """
    for resource in (api.core.machine_deployment, api.core.machine_set):
        found = client.find(resource.path(namespace, pool))
        if found is None:
            continue
        template = text(found, "spec", "template", "spec", "infrastructureRef", "name")
        made = client.find(AGENT_MACHINE_TEMPLATE.path(namespace, template)) if template else None
        return part(made, "spec", "template", "spec").get("agentLabelSelector") or {}, True
    return None, False


def gone_pools(client: KubeClient, core: CoreKinds, agents: Iterable[Agent], own: str) -> frozenset[str]:
    """Pools (``namespace/name``) that are noted on Agents and do not exist any more.

    One that may not be read counts as there, and so does one that another run is about to create.
    """
    notes = [annotations_of(agent.raw) for agent in agents]
    noted = {note.get(SELECTED_FOR, "") for note in notes} - {"", own}
    gone = {pool for pool in noted if not _exists(client, core, *pool.split("/", 1))}
    now = client.server_time() if gone else None
    return frozenset(
        gone
        - {note[SELECTED_FOR] for note in notes if SELECTED_FOR in note and _is_new(note.get(SELECTED_AT, ""), now)}
    )


def _is_new(at: str, now: datetime.datetime | None) -> bool:
    try:
        return now is not None and (now - datetime.datetime.fromisoformat(at)).total_seconds() < NEW_POOL
    except (ValueError, TypeError):
        return False


def _exists(client: KubeClient, core: CoreKinds, namespace: str, name: str = "") -> bool:
    try:
        return (
            any(
                client.find(kind.path(namespace, name)) is not None
                for kind in (core.machine_deployment, core.machine_set)
            )
            if name
            else False
        )
    except ForbiddenError:
        return True


class LabelAssigner:
    """Labels for one pool.

    ``selection`` is what is requested; the selector is read from the hub. ``show`` gets a line for every write.
    """

    def __init__(
        self,
        client: KubeClient,
        scope: Scope,
        selection: LabelSelection | None,
        policy: Policy,
        clock: Clock,
        show: Callable[[str], None] = lambda line: None,
        core: CoreKinds | None = None,
    ) -> None:
        self._client, self._scope, self._selection, self._policy = client, scope, selection, policy
        self._core = core
        self._clock, self._show = clock, show
        self.outcomes: list[WriteOutcome] = []
        self.planned: list[str] = []
        self.plan = LabelPlan()
        self.labelled: dict[str, Agent] = {}
        self.unlabelled: dict[str, Agent] = {}
        # Agents that the pool selects and that are not reserved so far; None if that is not waited for.
        self._awaited: set[Key] | None = None

    def look(self, taken: Sequence[tuple[str, AgentFacts]] = ()) -> tuple[Chain, ...]:
        """Read the Agents and plan."""
        agents = read_agents(self._client.list(AGENT.path(self._scope.agent_namespace), trim=without_bulk))
        if self._selection is None:
            chains = spent(self._scope.namespace, agents)
            self.plan = _off(chains, agents)
        else:
            self._count_down(agents)
            gone = (
                gone_pools(self._client, self._core, agents, self._selection.pool)
                if self._core is not None
                else frozenset()
            )
            self.plan = plan_selection(dataclasses.replace(self._selection, gone=gone), agents, self._policy, taken)
            fresh = keys_of(self.plan.labelled)
            self._await(agent for agent in self.plan.ready if agent.key not in fresh)
        self.planned += [line for line in self.plan.describe() if line not in self.planned]
        return self.plan.chains

    def once(self, taken: Sequence[tuple[str, AgentFacts]] = ()) -> None:
        """Read and write; an object that another client changed meanwhile is read again.

        Raises :class:`PartialFailure` for what could not be written.
        """
        for _round in range(PLANS):
            done = self._write(self.look(taken))
            if not any(each.again for each in done):
                return
        raise_failures(done)

    def until_reserved(self, limit: float, taken: Sequence[tuple[str, AgentFacts]] = ()) -> None:
        """Until every Agent that carries our label is reserved, but for the reserve.

        After ``limit`` seconds the labels of free Agents go, and :class:`LimitReached` comes.

        How many the pool is to find counts down with those that are reserved.
        """
        deadline = Deadline(self._clock, limit)
        reserve = self._selection.reserve if self._selection is not None else 0
        self._awaited = set()
        self.once(taken)
        notify = ChangeSignal(self._client, [AGENT.path(self._scope.agent_namespace)], limit, self._clock)
        for turn in turns(deadline, RECHECK, notify.wait):
            if turn > 1:
                self.once(taken)
            if len(self.plan.open) <= reserve:
                return
        waiting = ", ".join(agent.title for agent in self.plan.open)
        self.abort()
        raise LimitReached(
            f"{waiting} not reserved by a Machine of the pool within {limit:g} s; the labels are off again.",
            limit,
            "Check that its replicas were increased.",
        )

    def _await(self, agents: Iterable[Agent]) -> None:
        if self._awaited is not None:
            self._awaited |= {agent.key for agent in agents}

    def abort(self) -> None:
        """All labels of ours for the pool off."""
        if self._selection is None:
            return
        for _round in range(PLANS):
            agents = read_agents(self._client.list(AGENT.path(self._scope.agent_namespace), trim=without_bulk))
            chains = abort(self._selection.pool, agents)
            self.plan = _off(chains, agents)
            done = self._write(chains)
            if not any(each.again for each in done):
                return
        raise_failures(done)

    def _count_down(self, agents: Sequence[Agent]) -> None:
        """Those that are reserved by now are found; one that is gone, or that cannot be had any more, is still to
        be.
        """
        if self._selection is None or self._awaited is None:
            return
        found = {agent.key for agent in agents if agent.key in self._awaited and is_reserved(agent)}
        self._awaited -= found
        self._selection = dataclasses.replace(self._selection, count=max(0, self._selection.count - len(found)))

    def _write(self, chains: Sequence[Chain]) -> list[ChainResult]:
        """What became of them. Raises :class:`PartialFailure` for what another attempt would not change."""
        done = apply_stages(self._client, [chains])
        written = {each.chain.name for each in done if each.error is None}
        for each in done:
            self.outcomes += each.outcomes
            for outcome in each.outcomes:
                self._show(outcome.change.describe())
        self._await(agent for agent in self.plan.labelled if agent.title in written)
        self.labelled |= {agent.title: agent for agent in self.plan.labelled if agent.title in written}
        self.unlabelled |= {agent.title: agent for agent in self.plan.unlabelled if agent.title in written}
        raise_failures(each for each in done if not each.again)
        return done


def _off(chains: Sequence[Chain], agents: Iterable[Agent]) -> LabelPlan:
    """The plan of chains that do nothing but take labels off."""
    names = {chain.name for chain in chains}
    return LabelPlan(tuple(chains), unlabelled=tuple(agent for agent in agents if agent.title in names))


def pool_of(plan: MachinePlan) -> str:
    return f"{plan.view.key[0]}/{plan.view.group}"


def taken_by(plans: Sequence[MachinePlan]) -> list[tuple[str, AgentFacts]]:
    """Where the machines of every pool are already, for spreading and packing.

    What a plan of ours would give to those that wait does not count.
    """
    staying = [plan for plan in plans if plan.view.machine is not None and not deleting(plan.view.machine)]
    return [(pool_of(plan), from_agent(plan.view.own_agent)) for plan in staying if plan.view.own_agent is not None]


def waiting_machines(plans: Sequence[MachinePlan], pool: str) -> tuple[str, ...]:
    """Machines of the pool that have no Agent yet, the oldest first."""
    return tuple(
        plan.view.name
        for plan in plans
        if pool_of(plan) == pool and plan.view.own_agent is None and plan.state in ("waiting", "installing")
    )
