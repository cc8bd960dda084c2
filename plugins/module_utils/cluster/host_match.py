# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Which machine that registered is which host: one agent, one host, by MAC first (reference infrastructure-operator.md 15).

An agent is what a machine registered as, an Agent of a hub or a host of a service. The identities of a host are tried in the order MAC, system UUID, serial
number, BMC address, labels, query. Each is tried for all hosts before the next one, so that the order of hosts and agents does not matter. An agent that
shows MACs, none of them the host's, is never taken for it.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

from ..common import libraries
from .host_identity import Identity

Status = Literal["matched", "unmatched", "ambiguous"]


class Registered(Protocol):
    """What a machine registered as. MACs, serial number and addresses are in their normal spelling; ``created`` sorts as text.

    ``asked_hostname`` is the one it was given, not the one it came with; ``quiet``: nobody hears from it, so that another may be the same machine.
    """

    @property
    def key(self) -> tuple[str, ...]: ...
    @property
    def title(self) -> str: ...
    @property
    def system_uuid(self) -> str: ...
    @property
    def macs(self) -> tuple[str, ...]: ...
    @property
    def serial(self) -> str: ...
    @property
    def bmc_addresses(self) -> tuple[str, ...]: ...
    @property
    def labels(self) -> Mapping[str, str]: ...
    @property
    def asked_hostname(self) -> str: ...
    @property
    def inventory(self) -> Mapping[str, Any]: ...
    @property
    def cluster(self) -> Hashable: ...
    @property
    def created(self) -> str: ...
    @property
    def quiet(self) -> bool: ...
    @property
    def deleting(self) -> bool: ...

    def queried(self) -> Any:
        """What a query sees."""


Agent = TypeVar("Agent", bound=Registered)


@dataclasses.dataclass(frozen=True)
class Wanted:
    """A host of the user's, by its name."""

    name: str
    identity: Identity


@dataclasses.dataclass(frozen=True)
class Words:
    """What an agent is called; ``rule`` is why two hosts cannot have the same."""

    one: str
    many: str
    rule: str


@dataclasses.dataclass(frozen=True)
class Match(Generic[Agent]):
    """What was found for a host. ``by`` is what decided (``MAC 52:54:00:00:00:01``); ``reason`` why there is no agent, or why it was this one of
    several. ``candidates`` are those of an ambiguous match; ``superseded`` are earlier registrations of the same machine, ``leaving`` those that are
    being deleted.
    """

    host: str
    status: Status
    agent: Agent | None = None
    by: str = ""
    reason: str = ""
    candidates: tuple[Agent, ...] = ()
    superseded: tuple[Agent, ...] = ()
    leaving: tuple[Agent, ...] = ()


def match_identities(wanted: Iterable[Wanted], agents: Iterable[Agent], words: Words) -> dict[str, Match[Agent]]:
    """A match for every host, by its name."""
    hosts, index = list(wanted), _Index(agents)
    decided: dict[str, Match[Agent]] = {}
    claimed: dict[tuple[str, ...], str] = {}
    for criterion in _CRITERIA:
        waiting = [host for host in hosts if host.name not in decided and criterion.given(host.identity)]
        found = [match for host in waiting if (match := _search(criterion, host, index, claimed, words)) is not None]
        for match in _one_to_one(found, words):
            decided[match.host] = match
            claimed |= {agent.key: match.host for agent in (match.agent, *match.superseded) if agent is not None}
    return {host.name: decided.get(host.name) or _unmatched(host, index, claimed, words) for host in hosts}


class _Index(Generic[Agent]):
    """The agents by everything they are recognised by. Those on their way out (deletionTimestamp) are kept apart."""

    def __init__(self, agents: Iterable[Agent]) -> None:
        self.agents: list[Agent] = []
        self.leaving: list[Agent] = []
        self.macs: dict[str, list[Agent]] = defaultdict(list)
        self.uuids: dict[str, list[Agent]] = defaultdict(list)
        self.serials: dict[str, list[Agent]] = defaultdict(list)
        self.bmcs: dict[str, list[Agent]] = defaultdict(list)
        self.labels: dict[tuple[str, str], list[Agent]] = defaultdict(list)
        self.hostnames: dict[str, list[Agent]] = defaultdict(list)  # those asked for, not those that hosts came with
        self._queries: dict[str, list[Agent]] = {}
        for agent in sorted(agents, key=lambda agent: agent.key):
            self._add(agent)

    def _add(self, agent: Agent) -> None:
        if agent.deleting:
            self.leaving.append(agent)
            return
        self.agents.append(agent)
        for mac in agent.macs:
            self.macs[mac].append(agent)
        self.uuids[agent.system_uuid].append(agent)
        if agent.serial:
            self.serials[agent.serial.lower()].append(agent)
        for address in agent.bmc_addresses:
            self.bmcs[address].append(agent)
        for pair in agent.labels.items():
            self.labels[pair].append(agent)
        if agent.asked_hostname:
            self.hostnames[agent.asked_hostname].append(agent)

    def query(self, text: str) -> list[Agent]:
        """The agents for which the expression gives true; a missing field (null) counts as false."""
        if text not in self._queries:
            expression = libraries.jmespath.compile(text)
            self._queries[text] = [agent for agent in self.agents if _answer(expression, agent) is True]
        return self._queries[text]


def _answer(expression: Any, agent: Registered) -> Any:
    try:
        return expression.search(agent.queried())
    except libraries.jmespath.exceptions.JMESPathError:
        return None  # a function applied to a field that this agent does not have


@dataclasses.dataclass(frozen=True)
class _Criterion:
    """One kind of identity: whether a host gives it, the agents that have it, and its words."""

    given: Callable[[Identity], Any]
    candidates: Callable[[_Index[Any], Identity], list[Any]]
    words: Callable[[Identity, Registered | None], str]
    silent: bool = False  # not an identity that a user gives


def _by_mac(index: _Index[Agent], identity: Identity) -> list[Agent]:
    found = {agent.key: agent for mac in identity.macs for agent in index.macs.get(mac, ())}
    return [found[key] for key in sorted(found)]


def _mac_words(identity: Identity, agent: Registered | None) -> str:
    shown = [mac for mac in identity.macs if agent is None or mac in agent.macs]
    return f"MAC {', '.join(shown)}"


def _by_labels(index: _Index[Agent], identity: Identity) -> list[Agent]:
    first, *others = identity.labels
    return [agent for agent in index.labels.get(first, ()) if all(agent.labels.get(key) == value for key, value in others)]


def _by_hostname(index: _Index[Agent], identity: Identity) -> list[Agent]:
    # Binding takes the inventory away until the host has registered again (5.3), and with it the MACs. Hostnames are unique in one cluster only: that of
    # another cluster, or of two hosts, says nothing.
    found = [agent for agent in index.hostnames.get(identity.hostname, ()) if not agent.inventory and agent.cluster == identity.cluster]
    return found if len(found) == 1 else []


_CRITERIA = (
    _Criterion(lambda identity: identity.macs, _by_mac, _mac_words),
    _Criterion(
        lambda identity: identity.hostname,
        _by_hostname,
        lambda identity, agent: f"hostname {identity.hostname}, while it has no inventory",
        silent=True,
    ),
    _Criterion(
        lambda identity: identity.system_uuid,
        lambda index, identity: index.uuids.get(identity.system_uuid, []),
        lambda identity, agent: f"system UUID {identity.system_uuid}",
    ),
    _Criterion(
        lambda identity: identity.serial_number,
        lambda index, identity: index.serials.get(identity.serial_number.lower(), []),
        lambda identity, agent: f"serial number {identity.serial_number}",
    ),
    _Criterion(
        lambda identity: identity.bmc_address,
        lambda index, identity: index.bmcs.get(identity.bmc_address, []),
        lambda identity, agent: f"BMC address {identity.bmc_address}",
    ),
    _Criterion(
        lambda identity: identity.labels,
        _by_labels,
        lambda identity, agent: f"labels {', '.join(f'{key}={value}' for key, value in identity.labels)}",
    ),
    _Criterion(lambda identity: identity.query, lambda index, identity: index.query(identity.query), lambda identity, agent: f"query {identity.query}"),
)


def _search(criterion: _Criterion, host: Wanted, index: _Index[Agent], claimed: Mapping[tuple[str, ...], str], words: Words) -> Match[Agent] | None:
    """The match by one criterion, or None when it finds nothing that could be this host."""
    identity = host.identity
    found: list[Agent] = [agent for agent in criterion.candidates(index, identity) if agent.key not in claimed and not _contradicts(identity, agent)]
    if not found:
        return None
    chosen, superseded, reason = _choose(criterion, identity, index, found, words)
    if chosen is None:
        text = f"{criterion.words(identity, None)} is that of {len(found)} {words.many}: {_titles(found)}; {reason}"
        return Match(host.name, "ambiguous", by=criterion.words(identity, None), reason=text, candidates=tuple(found))
    return Match(host.name, "matched", chosen, criterion.words(identity, chosen), reason, superseded=superseded)


def _contradicts(identity: Identity, agent: Registered) -> bool:
    return bool(identity.macs and agent.macs and not set(identity.macs) & set(agent.macs))


def _choose(criterion: _Criterion, identity: Identity, index: _Index[Agent], found: list[Agent], words: Words) -> tuple[Agent | None, tuple[Agent, ...], str]:
    """(the one, its earlier registrations, why it); without the one, why none was chosen."""
    if len(found) == 1:
        return found[0], (), ""
    narrowed, by = _narrowed(criterion, identity, index, found)
    if len(narrowed) == 1:
        others = [agent for agent in found if agent is not narrowed[0]]
        return narrowed[0], (), f"{criterion.words(identity, narrowed[0])} is also that of {_titles(others)}; {by} told them apart"
    if newest := _registered_again(narrowed):
        earlier = tuple(agent for agent in narrowed if agent is not newest)
        text = f"the machine registered again: {newest.title} is its {words.one} now, {_titles(earlier)} {_are(earlier)} an earlier registration"
        return newest, earlier, text
    if criterion is _CRITERIA[0] and (alone := _alone_with_a_mac(identity, narrowed)):
        others = [agent for agent in found if agent is not alone]
        return alone, (), f"{_titles(others)} {_are(others)} another machine with a MAC in common"
    return None, (), f"one of them has to go, or the host needs an identity that only its own {words.one} has"


def _narrowed(criterion: _Criterion, identity: Identity, index: _Index[Agent], found: list[Agent]) -> tuple[list[Agent], str]:
    """The candidates that the host's further identities leave, and which identities those were. One that fits no candidate is not asked."""
    used = []
    for other in _CRITERIA[_CRITERIA.index(criterion) + 1 :]:
        if len(found) > 1 and other.given(identity):
            keys = {agent.key for agent in other.candidates(index, identity)}
            left = [agent for agent in found if agent.key in keys]
            if left and len(left) < len(found):
                found = left
                used.append(other.words(identity, None))
    return found, " and ".join(used)


def _registered_again(found: Sequence[Agent]) -> Agent | None:
    """The agent of a machine that registered more than once (its UUID changed): the one that is heard from, else the newest."""
    live = [agent for agent in found if not agent.quiet]
    newest = max(found, key=lambda agent: agent.created)
    if len(live) > 1 or (not live and sum(agent.created == newest.created for agent in found) > 1):
        return None
    chosen = live[0] if live else newest
    return chosen if all(agent is chosen or _same_machine(chosen, agent) for agent in found) else None


def _same_machine(one: Registered, other: Registered) -> bool:
    # A MAC in common is not enough: USB NICs of some BMCs have the same one in every server.
    mine, theirs = set(one.macs), set(other.macs)
    return bool(mine and theirs) and (mine <= theirs or theirs <= mine)


def _alone_with_a_mac(identity: Identity, found: Sequence[Agent]) -> Agent | None:
    """The only candidate with a MAC of the host that no other candidate has."""
    carriers = [[agent for agent in found if mac in agent.macs] for mac in identity.macs]
    alone = {agents[0].key: agents[0] for agents in carriers if len(agents) == 1}
    chosen = next(iter(alone.values())) if len(alone) == 1 else None
    return None if chosen is None or chosen.quiet else chosen


def _one_to_one(matches: Sequence[Match[Agent]], words: Words) -> list[Match[Agent]]:
    """Matches of one criterion, those of several hosts with one agent turned into ambiguous ones."""
    takers: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for match in matches:
        for agent in (match.agent, *match.superseded):
            if agent is not None:
                takers[agent.key].append(match.host)
    result = []
    for match in matches:
        rivals = sorted({host for agent in (match.agent, *match.superseded) if agent is not None for host in takers[agent.key]} - {match.host})
        if match.agent is not None and rivals:
            text = f"{match.agent.title} is also what {', '.join(rivals)} {'leads' if len(rivals) == 1 else 'lead'} to; {words.rule}"
            match = Match(match.host, "ambiguous", by=match.by, reason=f"{match.by}: {text}", candidates=(match.agent,))
        result.append(match)
    return result


def _unmatched(host: Wanted, index: _Index[Agent], claimed: Mapping[tuple[str, ...], str], words: Words) -> Match[Agent]:
    identity = host.identity
    asked = [criterion.words(identity, None) for criterion in _CRITERIA if criterion.given(identity) and not criterion.silent]
    reason = f"no {words.one} has {' or '.join(asked)}"
    leaving = [agent for agent in index.leaving if set(agent.macs) & set(identity.macs) or (agent.system_uuid == identity.system_uuid != "")]
    if leaving:
        return Match(host.name, "unmatched", reason=f"{_titles(leaving)} {_are(leaving)} being deleted", leaving=tuple(leaving))
    for criterion in _CRITERIA:
        for agent in criterion.candidates(index, identity) if criterion.given(identity) else ():
            text = f"{agent.title} has {criterion.words(identity, agent)}, but"
            if agent.key in claimed:
                return Match(host.name, "unmatched", reason=f"{text} it is the {words.one} of {claimed[agent.key]}")
            if _contradicts(identity, agent):
                return Match(host.name, "unmatched", reason=f"{text} none of the host's MACs {', '.join(identity.macs)}; it has {', '.join(agent.macs)}")
    return Match(host.name, "unmatched", reason=reason)


def _titles(agents: Sequence[Registered]) -> str:
    return ", ".join(agent.title for agent in agents)


def _are(things: Sequence[Any]) -> str:
    return "is" if len(things) == 1 else "are"
