# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Calculate the new number of Machines of a pool, and which of its Machines leave it. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ...common.plurals import is_or_are
from ...hub.agents.match import Match
from ...hub.agents.model import Agent
from ...hypershift.node_pool.exchange import Exchange, Order
from ..stop_reason import StopReason

_AFTER_ROLLOUT = "Run again when the rollout is complete."

AgentKey = tuple[str, str]


@dataclasses.dataclass(frozen=True)
class PoolMachine:
    """One Machine of the pool. ``agent`` is the Agent that it has reserved; ``leaving``: the Machine is being deleted.

    ``marked``: Cluster API deletes it first when the pool shrinks; ``ready``: its Node is Ready; ``created`` is the
    server's time, which sorts as text.
    """

    name: str
    agent: AgentKey | None = None
    hostname: str = ""
    node: str = ""
    leaving: bool = False
    marked: bool = False
    ready: bool = True
    created: str = ""

    @property
    def host(self) -> str:
        """The host as messages name it: its hostname, else its Machine."""
        return self.hostname or self.name

    def names(self) -> set[str]:
        """What users may call it, lower case."""
        agent = {self.agent[1]} if self.agent else set()
        return {name.lower() for name in {self.name, self.hostname, self.node} | agent if name}


@dataclasses.dataclass(frozen=True)
class ObservedPool:
    """The pool as it is. ``replicas`` is None where autoscaling decides, between the numbers in ``autoscaling``, and at
    least ``least``; ``rollout`` says that one runs; ``orphan`` why one that does not exist cannot be made. ``exchange``
    is one that an earlier run has begun; ``replicas`` and ``autoscaling`` are those from before that.
    """

    title: str
    exists: bool = True
    replicas: int | None = 0
    machines: tuple[PoolMachine, ...] = ()
    autoscaling: str = ""
    rollout: str = ""
    orphan: str = ""
    least: int = 0
    exchange: Exchange | None = None

    @property
    def staying(self) -> tuple[PoolMachine, ...]:
        return tuple(machine for machine in self.machines if not machine.leaving)


@dataclasses.dataclass(frozen=True)
class Spare:
    """A machine of the inventory: its Agent, if it has one, and whether the user boots it.

    ``unfit`` is why its Agent would not be one for the pool.
    """

    match: Match
    by_user: bool = False
    unfit: str = ""
    hostname: str = ""

    @property
    def name(self) -> str:
        return self.match.host


@dataclasses.dataclass(frozen=True)
class DesiredPool:
    """The requested size (None: as many as now, less what is removed; ``initial`` for a new pool), and names of hosts
    that must leave. Those in ``replace`` leave as well, and others come for them, in the ``order`` of module node_pool.

    ``keep``: a pool that exists keeps its size and its hosts; ``replicas`` is the size of a new one.
    """

    replicas: int | None = None
    remove: tuple[str, ...] = ()
    initial: int | None = None
    keep: bool = False
    replace: tuple[str, ...] = ()
    order: Order = "auto"


@dataclasses.dataclass(frozen=True)
class Resize:
    """``replicas`` is the size to be reached, None where autoscaling decides.

    ``named`` are the Machines whose hosts were named for removal, ``chosen`` those that leave besides because the pool
    shrinks, ``replaced`` those that other Machines replace. ``stop`` is why that cannot be done.
    """

    replicas: int | None
    named: tuple[PoolMachine, ...] = ()
    chosen: tuple[PoolMachine, ...] = ()
    stop: StopReason | None = None
    replaced: tuple[PoolMachine, ...] = ()

    @property
    def leaving(self) -> tuple[PoolMachine, ...]:
        return (*self.named, *self.chosen)

    @property
    def taken_out(self) -> tuple[PoolMachine, ...]:
        """All whose hosts are drained and leave."""
        return (*self.leaving, *self.replaced)

    @property
    def marked(self) -> tuple[PoolMachine, ...]:
        """Those that Cluster API must delete first. Where no Machine stays there is nothing to choose."""
        return self.leaving if self.replicas else self.named


def resize(
    pool: ObservedPool, desired: DesiredPool, spares: Sequence[Spare], agents: Sequence[Agent], *, choose: bool = True
) -> Resize:
    """The size, and exactly the Machines that leave.

    Without ``choose`` Cluster API decides who leaves besides those that are named.
    """
    if desired.keep and pool.exists:
        desired = DesiredPool()
    # What has begun is completed.
    begun = [machine.name for machine in pool.staying if pool.exchange and machine.name in pool.exchange.machines]
    desired = dataclasses.replace(desired, replace=(*desired.replace, *begun))
    named, unknown = _removed(pool, desired.remove, spares, agents)
    replaced, not_known = _removed(pool, desired.replace, spares, agents)
    replicas, stop = _size(pool, desired, named)
    stop = unknown or not_known or stop or _both(named, replaced, pool, replicas)
    chosen = () if stop or not choose else _chosen(pool, replicas, named)
    return Resize(replicas, named, chosen, stop or _not_choosable(pool, replicas, chosen), replaced)


def _both(
    named: Sequence[PoolMachine], replaced: Sequence[PoolMachine], pool: ObservedPool, replicas: int | None
) -> StopReason | None:
    """Why hosts cannot be replaced in the same run in which the pool shrinks: the hosts of two lists would leave at
    once, and other ones might go.
    """
    if not replaced or (not named and (replicas is None or pool.replicas is None or replicas >= pool.replicas)):
        return None
    return StopReason(
        f"{pool.title}: one run cannot both reduce the size and replace hosts.",
        ("Set only replace_hosts now, and change the size in the next run."),
    )


def kept_size(
    pool: ObservedPool, desired: DesiredPool, spares: Sequence[Spare] = (), agents: Sequence[Agent] = ()
) -> str:
    """That a pool keeps its size although another one is configured; empty if it does not differ, or if none is
    configured.
    """
    asked = desired.replicas if desired.replicas is not None else (desired.initial or None)
    if not desired.keep or not pool.exists:
        return ""
    has = (
        f"{pool.title} has {pool.replicas} replicas"
        if pool.replicas is not None
        else (f"{pool.title} is scaled automatically ({pool.autoscaling})")
    )
    differs = [f"{asked} {is_or_are(asked)} configured"] if asked is not None and asked != pool.replicas else []
    here = [machine.host for machine in _removed(pool, desired.remove, spares, agents)[0]]
    differs += [f"{', '.join(here)} {is_or_are(len(here))} to be removed"] if here else []
    if not differs:
        return ""
    return (
        f"{has}, and {' and '.join(differs)}. deploy_cluster does not change the size of a pool that exists: run "
        "scale_node_pool to change it."
    )


def _chosen(pool: ObservedPool, replicas: int | None, named: Sequence[PoolMachine]) -> tuple[PoolMachine, ...]:
    """The Machines that leave because the pool shrinks by more than was named: those that an interrupted run marked,
    then those without a host, then those that are not Ready, and the newest first.
    """
    if not pool.exists or pool.replicas is None or replicas is None or replicas >= pool.replicas:
        return ()
    names = {machine.name for machine in named}
    others = sorted(
        (machine for machine in pool.staying if machine.name not in names),
        key=lambda machine: (machine.created, machine.name),
        reverse=True,
    )
    others.sort(key=lambda machine: (not machine.marked, machine.agent is not None, machine.ready))
    return tuple(others[: max(0, len(others) - replicas)])


def _not_choosable(pool: ObservedPool, replicas: int | None, chosen: Sequence[PoolMachine]) -> StopReason | None:
    """Why it cannot be said which hosts leave.

    The annotation works while the Machines are of one MachineSet, and all of them exist.
    """
    if not chosen or not replicas:
        return None
    missing = (pool.replicas or 0) - len(pool.staying)
    if pool.rollout:
        return StopReason(
            f"Which hosts leave {pool.title} cannot be chosen while a rollout runs ({pool.rollout}).", _AFTER_ROLLOUT
        )
    if missing > 0:
        text = (
            f"Which hosts leave {pool.title} cannot be chosen yet: Cluster API has not created {missing} of its "
            "Machines yet."
        )
        return StopReason(text, "Run again in a minute.")
    return None


def _removed(
    pool: ObservedPool, names: Sequence[str], spares: Sequence[Spare], agents: Sequence[Agent]
) -> tuple[tuple[PoolMachine, ...], StopReason | None]:
    """The Machines that are meant by name, and what is wrong with the names.

    A host that is known but not in the pool (any more) is no mistake.
    """
    agent_of = {spare.name.lower(): spare.match.agent.key for spare in spares if spare.match.agent is not None}
    known = {spare.name.lower() for spare in spares} | {spare.hostname.lower() for spare in spares}
    known |= {text.lower() for agent in agents for text in (agent.name, agent.hostname)} | {
        name for machine in pool.machines for name in machine.names()
    }
    found: dict[str, PoolMachine] = {}
    for name in names:
        key = agent_of.get(name.lower())
        meant = [
            machine for machine in pool.staying if (machine.agent == key if key else name.lower() in machine.names())
        ]
        if len(meant) > 1:
            all_names = ", ".join(machine.name for machine in meant)
            text = f"{name} means several Machines of {pool.title}: {all_names}."
            return (), StopReason(text, "Name one of them.")
        found |= {machine.name: machine for machine in meant}
    unknown = [name for name in names if name.lower() not in known]
    if unknown:
        be, what = ("is", "the name") if len(unknown) == 1 else ("are", "these names")
        text = f"{', '.join(unknown)} {be} no host of the inventory and no Agent, Machine or Node of {pool.title}."
        return (), StopReason(text, f"Correct {what}.")
    return tuple(found.values()), None


def _size(
    pool: ObservedPool, desired: DesiredPool, removed: Sequence[PoolMachine]
) -> tuple[int | None, StopReason | None]:
    """How many replicas the pool must have, and why it cannot have them."""
    if not pool.exists:
        size = desired.initial if desired.replicas is None else desired.replicas
        if pool.orphan and size:
            return size, StopReason(pool.orphan)
        return (
            (0, StopReason(f"{pool.title} does not exist.", "Set its number of replicas."))
            if size is None
            else (size, None)
        )
    if pool.replicas is None:
        asked = "remove" if desired.remove else ""
        if desired.replicas is not None:
            asked = "replicas"
        text = f"{pool.title} is scaled automatically ({pool.autoscaling}), so that {asked} cannot be set."
        return None, StopReason(text, "Turn autoscaling off in the same run (auto_scaling: {}).") if asked else None
    # Machines above the size are on their way out already: an earlier run may have lowered it just now.
    surplus = max(0, len(pool.staying) - pool.replicas)
    rest = pool.replicas - max(0, len(removed) - surplus)
    if removed and pool.rollout:
        return rest, StopReason(
            (f"Which Machine is deleted cannot be chosen while a rollout of {pool.title} runs ({pool.rollout})."),
            _AFTER_ROLLOUT,
        )
    if removed and desired.replicas is not None and desired.replicas > rest:
        without = ", ".join(machine.hostname or machine.name for machine in removed)
        text = (
            f"{pool.title} has {pool.replicas} replicas. After the removal of {without} it has {rest}, but "
            f"replicas is {desired.replicas}."
        )
        return desired.replicas, StopReason(text, f"Request {rest} now, and {desired.replicas} in the next run.")
    return (rest if desired.replicas is None else desired.replicas), None
