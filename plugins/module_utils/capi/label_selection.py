# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan which Agents get the label of a pool, so that upstream's controller claims exactly the Agents that the planner
chose.

Pure.

Upstream's controller claims the first Agent that fits the selector of a Machine. If it runs, this collection claims no
Agents. It sets the label that decides which Agents fit, and records the label on the Agent. Hosts of the pool keep the
label, so that the controllers find them again when they replace a Machine. As many free Agents as the pool holds in
reserve also keep it. The label is removed from Agents that the pool no longer needs. Labels that others have set are
kept.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ..cluster.host_states import LEAVING
from ..common.errors import ZeroTouchError
from ..common.plurals import is_or_are
from ..hub.agents.model import Agent
from ..hub.kinds import AGENT
from .choose.model import AgentFacts, Choice, HostDemand, Policy, Rejection, from_agent
from .choose.plan import choose
from .choose.rules import need_of, objection
from .choose.selector import Requirement, read_selector, selector_text
from .names import RESERVED_LABEL, RESERVED_NAMESPACE, SELECTED_AT, SELECTED_FOR, SELECTED_LABEL
from .objects import Key, annotations_of
from .steps import Chain, patch


@dataclasses.dataclass(frozen=True)
class LabelSelection:
    """``pool`` (``namespace/name``) is to find ``count`` free Agents with label ``key`` = ``value``, of those that fit
    ``candidates`` and, but for that label, ``selector``, the pool's own (None where it is not known), and ``reserve``
    more, if there are so many. ``machines`` are the names of its Machines that wait already; ``gone`` are pools that do
    not exist any more, so that their notes on Agents count for nothing; ``exclude`` are names of Agents for other
    pools. ``at`` is the time of the hub, which is noted with the label.
    """

    pool: str
    key: str
    value: str
    count: int
    candidates: Mapping[str, Any] | None = None
    selector: Mapping[str, Any] | None = None
    agent_namespace: str = ""
    machines: tuple[str, ...] = ()
    reserve: int = 0
    gone: frozenset[str] = frozenset()
    exclude: frozenset[str] = frozenset()
    at: str = ""

    @property
    def label(self) -> str:
        return f"{self.key}={self.value}"

    @property
    def total(self) -> int:
        """How many free Agents carry the label afterwards, if there are enough."""
        return self.count + self.reserve

    @property
    def namespace(self) -> str:
        """That of the pool's Machines."""
        return self.pool.partition("/")[0]


@dataclasses.dataclass(frozen=True)
class LabelPlan:
    """``chains`` has the patch of every Agent that gets or loses the label.

    ``ready`` are free Agents that the pool would find after them; ``lacking`` says how many are missing and why.
    ``open`` are Agents that carry our label and are not reserved yet.
    """

    chains: tuple[Chain, ...] = ()
    labelled: tuple[Agent, ...] = ()
    unlabelled: tuple[Agent, ...] = ()
    ready: tuple[Agent, ...] = ()
    open: tuple[Agent, ...] = ()
    demands: tuple[HostDemand, ...] = ()
    choice: Choice | None = None
    excluded: tuple[tuple[Agent, Rejection], ...] = ()
    lacking: str = ""
    problems: tuple[str, ...] = ()

    def describe(self) -> list[str]:
        return [step.change.describe() for chain in self.chains for step in chain.steps]

    def rejections(self, demand: HostDemand) -> list[tuple[AgentFacts, Rejection]]:
        """Every Agent that this demand does not get, with the first rule that it fails."""
        others = [(from_agent(agent), rejection) for agent, rejection in self.excluded]
        chosen = self.choice.rejections(demand) if self.choice else []
        return sorted([*chosen, *others], key=lambda pair: pair[0].key)


def plan_selection(
    selection: LabelSelection, agents: Sequence[Agent], policy: Policy, taken: Sequence[tuple[str, AgentFacts]] = ()
) -> LabelPlan:
    """Which Agents get the label and which lose it.

    Raises :class:`ZeroTouchError` for a selector of the pool that the label can never fulfil, and :class:`InvalidInput`
    for a selector that is none.
    """
    needed = _needed(selection)
    held = {host.key for pool, host in taken if pool == selection.pool}
    others = {host.key for pool, host in taken if pool != selection.pool}
    mine = [agent for agent in agents if annotations_of(agent.raw).get(SELECTED_FOR) == selection.pool]
    done = [agent for agent in mine if _is_over(agent, selection, held, others)]
    ours, over = keys_of(mine), keys_of(done)
    excluded = [
        (agent, rejection) for agent in agents if agent.key not in over and (rejection := _rejection(agent, selection))
    ]
    barred = over | {agent.key for agent, _rejection in excluded}
    pool = [agent for agent in agents if agent.key not in barred]
    supply, dead = _supply(pool, ours, selection, needed)
    missing = max(0, selection.total - len(supply))
    surplus = _surplus(supply, ours, selection.total, policy)
    demands = tuple(_demand(number, selection, needed) for number in range(missing))
    used = keys_of(supply) | keys_of(dead)
    rest = [agent for agent in pool if agent.key not in used]
    choice = choose(
        demands,
        [from_agent(agent) for agent in rest],
        policy,
        taken=[*taken, *((selection.pool, from_agent(agent)) for agent in supply)],
    )
    by_key = {agent.key: agent for agent in rest}
    chosen = [
        (by_key[choice.assigned[demand.key].host.key], "; ".join(choice.assigned[demand.key].reasons))
        for demand in demands
        if demand.key in choice.assigned
    ]
    short = missing - len(chosen)
    dead = _without_returning(dead, short, needed)
    labels = [_labelling(agent, selection, why) for agent, why in chosen]
    labels += [
        _labelling(agent, selection, "its host is in the pool")
        for agent in pool
        if agent.key in held and selection.key not in agent.labels
    ]
    gone = [(agent, _why_off(agent, selection)) for agent in done] + [
        (agent, "it is not needed any more") for agent in surplus
    ]
    gone += [(agent, "the pool would not get it as it is") for agent in dead]
    too_many = keys_of(surplus)
    kept = [agent for agent in supply if agent.key not in too_many]
    return LabelPlan(
        chains=(*labels, *(_taking_off(agent, why) for agent, why in gone)),
        labelled=tuple(agent for agent, _why in chosen),
        unlabelled=tuple(agent for agent, _why in gone),
        ready=(*kept, *(agent for agent, _why in chosen)),
        open=(*(agent for agent in kept if agent.key in ours), *(agent for agent, _why in chosen)),
        demands=demands,
        choice=choice,
        excluded=tuple(excluded),
        lacking=_lacking(selection, short - selection.reserve, choice, demands),
        problems=(*_problems(selection), *_short_reserve(selection, min(short, selection.reserve))),
    )


def keys_of(agents: Iterable[Agent]) -> set[Key]:
    """The fields that identify an Agent: to compare whole objects takes long."""
    return {agent.key for agent in agents}


def abort(pool: str, agents: Iterable[Agent]) -> tuple[Chain, ...]:
    """Every label of ours for this pool off again, but for hosts that are in it."""
    namespace = pool.partition("/")[0]
    noted = [agent for agent in agents if annotations_of(agent.raw).get(SELECTED_FOR) == pool]
    return tuple(_taking_off(agent, "label selection has ended") for agent in noted if not _is_in(namespace, agent))


def spent(namespace: str, agents: Iterable[Agent]) -> tuple[Chain, ...]:
    """Labels of ours, for any pool of a namespace, on Agents that another namespace has reserved."""
    return tuple(
        _taking_off(agent, "it is reserved")
        for agent in agents
        if annotations_of(agent.raw).get(SELECTED_FOR, "").startswith(f"{namespace}/")
        and _is_taken(agent)
        and not _is_in(namespace, agent)
    )


def is_reserved(agent: Agent) -> bool:
    """Whether a Machine, or at least a cluster, has it."""
    return agent.cluster is not None or bool(agent.labels.get(RESERVED_LABEL))


def _is_in(namespace: str, agent: Agent) -> bool:
    """Whether a Machine of this namespace has reserved it."""
    return bool(agent.labels.get(RESERVED_LABEL)) and annotations_of(agent.raw).get(RESERVED_NAMESPACE) == namespace


def _is_over(agent: Agent, selection: LabelSelection, held: Collection[Key], others: Collection[Key]) -> bool:
    """Whether an Agent that we labelled for the pool must lose the label: it is another pool's, or another tool changed
    the label.
    """
    if agent.deleting or _noted(agent) != selection.label or agent.labels.get(selection.key) != selection.value:
        return True
    stays = agent.key in held or (_is_in(selection.namespace, agent) and agent.key not in others)
    return is_reserved(agent) and not stays


def _without_returning(dead: Sequence[Agent], short: int, needed: tuple[Requirement, ...]) -> list[Agent]:
    """Of Agents that the pool could not take as they are, those that lose the label.

    Hosts that come back later are kept as reserve while it is short.
    """

    def returns(agent: Agent) -> bool:
        coming = agent.state in LEAVING or agent.state.startswith("disconnected")
        return coming and all(requirement.holds(agent.labels) for requirement in needed)

    kept = keys_of([agent for agent in dead if returns(agent)][: max(0, short)])
    return [agent for agent in dead if agent.key not in kept]


def _is_taken(agent: Agent) -> bool:
    return is_reserved(agent) or agent.deleting


def _noted(agent: Agent) -> str:
    return str(annotations_of(agent.raw).get(SELECTED_LABEL) or "")


def _needed(selection: LabelSelection) -> tuple[Requirement, ...]:
    """What an Agent has to fulfil besides the label: the candidates' selector and the rest of the pool's."""
    own = read_selector(selection.selector, "the pool's selector")
    broken = [
        requirement
        for requirement in own
        if requirement.key == selection.key and not requirement.holds({selection.key: selection.value})
    ]
    if broken:
        raise ZeroTouchError(
            f"The selector of pool {selection.pool} ({selector_text(tuple(broken))}) excludes Agents with the "
            f"label {selection.label}.",
            "Set selector_label to a label of the pool's selector.",
        )
    rest = [requirement for requirement in own if requirement.key != selection.key]
    return tuple(sorted({*rest, *read_selector(selection.candidates, "candidates")}))


def _rejection(agent: Agent, selection: LabelSelection) -> Rejection | None:
    if agent.name in selection.exclude and not is_reserved(agent):
        return Rejection("excluded", "is for another pool of this run")
    return foreign(agent, pool=selection.pool, key=selection.key, value=selection.value, gone=selection.gone)


def foreign(agent: Agent, *, pool: str, key: str, value: str, gone: Collection[str] = ()) -> Rejection | None:
    """Why ``pool`` (``namespace/name``) must not put its label on an Agent: another tool uses that label on it, or it
    has the label of another pool.

    Pools in ``gone`` do not exist any more.
    """
    noted = annotations_of(agent.raw).get(SELECTED_FOR, "")
    if noted and noted != pool and noted not in gone:
        return Rejection("labelled", f"has the label of pool {noted}")
    found = agent.labels.get(key)
    if found is not None and found != value and not noted:
        return Rejection("label", f"has the label {key}={found}, which was not set by us")
    return None


def _supply(
    pool: Sequence[Agent], ours: Collection[Key], selection: LabelSelection, needed: tuple[Requirement, ...]
) -> tuple[list[Agent], list[Agent]]:
    """Free Agents that the pool finds already, and those with our label that it could not take as they are."""
    need = dataclasses.replace(
        need_of(HostDemand("", "", agent_namespace=selection.agent_namespace)), requirements=needed
    )
    labelled = [agent for agent in pool if agent.labels.get(selection.key) == selection.value]
    fit = [agent for agent in labelled if objection(need, from_agent(agent)) is None]
    found = keys_of(fit)
    dead = [agent for agent in labelled if agent.key in ours and agent.key not in found and not is_reserved(agent)]
    return sorted(fit, key=lambda agent: agent.key), dead


def _surplus(supply: Sequence[Agent], ours: Collection[Key], count: int, policy: Policy) -> list[Agent]:
    """Of Agents with our label those that are too many: the ones that the planner would not choose.

    What others have labelled counts first.
    """
    own = [agent for agent in supply if agent.key in ours]
    wanted = max(0, count - (len(supply) - len(own)))
    if len(own) <= wanted:
        return []
    demands = [HostDemand("", f"{number:06}") for number in range(wanted)]
    keep = {
        chosen.host.key for chosen in choose(demands, [from_agent(agent) for agent in own], policy).assigned.values()
    }
    return [agent for agent in own if agent.key not in keep]


def _demand(number: int, selection: LabelSelection, needed: tuple[Requirement, ...]) -> HostDemand:
    namespace, _slash, pool = selection.pool.partition("/")
    new = number - len(selection.machines) + 1
    name = f"{pool}-new-{new:04}" if new > 0 else selection.machines[number]
    expressions = [
        {"key": item.key, "operator": item.operator, **({"values": list(item.values)} if item.values else {})}
        for item in needed
    ]
    return HostDemand(
        namespace,
        name,
        {"matchExpressions": expressions},
        agent_namespace=selection.agent_namespace,
        group=selection.pool,
    )


def _labelling(agent: Agent, selection: LabelSelection, why: str) -> Chain:
    notes = {
        SELECTED_FOR: selection.pool,
        SELECTED_LABEL: selection.label,
        **({SELECTED_AT: selection.at} if selection.at else {}),
    }
    wanted = {"metadata": {"labels": {selection.key: selection.value}, "annotations": notes}}
    why_note = f": {why}" if why else ""
    return Chain(
        agent.title,
        tuple(patch(AGENT, agent.raw, wanted, why=(f"label {selection.label} for pool {selection.pool}{why_note}"))),
    )


def _taking_off(agent: Agent, why: str) -> Chain:
    """The label, if it still has the value that we set; who changed it since has made it theirs."""
    key, _equals, value = _noted(agent).partition("=")
    label = {key: None} if key and agent.labels.get(key) == value else {}
    wanted = {
        "metadata": {"labels": label, "annotations": {SELECTED_FOR: None, SELECTED_LABEL: None, SELECTED_AT: None}}
    }
    return Chain(agent.title, tuple(patch(AGENT, agent.raw, wanted, why=f"label {_noted(agent)} off: {why}")))


def _why_off(agent: Agent, selection: LabelSelection) -> str:
    if _is_taken(agent):
        return "it is reserved"
    return (
        f"the pool selects by {selection.label} now"
        if _noted(agent) != selection.label
        else "another client has changed it since"
    )


def _lacking(selection: LabelSelection, short: int, choice: Choice, demands: Sequence[HostDemand]) -> str:
    if short <= 0:
        return ""
    whys = dict.fromkeys(choice.unassigned[demand.key] for demand in demands if demand.key in choice.unassigned)
    return (
        f"pool {selection.pool} is to find {selection.count} free Agents; {short} of them {is_or_are(short)} missing: "
        f"{'; '.join(whys)}"
    )


def _short_reserve(selection: LabelSelection, short: int) -> Iterable[str]:
    if short > 0:
        be = "is" if short == 1 else "are"
        yield (
            f"pool {selection.pool} holds {selection.reserve} free Agents in reserve, and {short} of them {be} "
            "missing: boot or approve more hosts"
        )


def _problems(selection: LabelSelection) -> Iterable[str]:
    own = read_selector(selection.selector)
    if selection.selector is not None and Requirement(selection.key, "In", (selection.value,)) not in own:
        found = selector_text(own) or "everything"
        yield (
            f"the selector of pool {selection.pool} ({found}) does not contain {selection.label}: the pool may "
            "take other Agents than the chosen ones"
        )
