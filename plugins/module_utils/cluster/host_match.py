# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Match registered machines to the hosts of the inventory, one agent for each host.

An agent is the registration of a machine: an Agent object on a hub, or a host in the REST API of assisted-service. The
identities of a host are tried in the order MAC, system UUID, serial number, BMC address, labels, query. Each identity
is tried for all hosts before the next one, so that the order of hosts and agents does not matter. If an agent reports
MAC addresses and none of them belongs to the host, it never matches that host.

Source: docs/upstream/infrastructure-operator.md#what-a-client-does.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Literal

from .host_criteria import CRITERIA, Agent, Criterion, Index, Registered, contradicts
from .host_identity import Identity

Status = Literal["matched", "unmatched", "ambiguous"]


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
    """What was found for a host.

    ``by`` is what decided (``MAC 52:54:00:00:00:01``); ``reason`` why there is no agent, or why it was this one of
    several. ``candidates`` are those of an ambiguous match; ``superseded`` are earlier registrations of the same
    machine, ``leaving`` those that are being deleted.
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
    hosts, index = list(wanted), Index(agents)
    decided: dict[str, Match[Agent]] = {}
    claimed: dict[tuple[str, ...], str] = {}
    for criterion in CRITERIA:
        waiting = [host for host in hosts if host.name not in decided and criterion.provided(host.identity)]
        found = [match for host in waiting if (match := _search(criterion, host, index, claimed, words)) is not None]
        for match in _one_to_one(found, words):
            decided[match.host] = match
            claimed |= {agent.key: match.host for agent in (match.agent, *match.superseded) if agent is not None}
    return {host.name: decided.get(host.name) or _unmatched(host, index, claimed, words) for host in hosts}


def _search(
    criterion: Criterion, host: Wanted, index: Index[Agent], claimed: Mapping[tuple[str, ...], str], words: Words
) -> Match[Agent] | None:
    """The match by one criterion, or None when it finds nothing that could be this host."""
    identity = host.identity
    found: list[Agent] = [
        agent
        for agent in criterion.candidates(index, identity)
        if agent.key not in claimed and not contradicts(identity, agent)
    ]
    if not found:
        return None
    chosen, superseded, reason = _choose(criterion, identity, index, found, words)
    if chosen is None:
        text = f"{criterion.words(identity, None)} is that of {len(found)} {words.many}: {_titles(found)}; {reason}"
        return Match(host.name, "ambiguous", by=criterion.words(identity, None), reason=text, candidates=tuple(found))
    return Match(host.name, "matched", chosen, criterion.words(identity, chosen), reason, superseded=superseded)


def _choose(
    criterion: Criterion, identity: Identity, index: Index[Agent], found: list[Agent], words: Words
) -> tuple[Agent | None, tuple[Agent, ...], str]:
    """(the one, its earlier registrations, why it); without the one, why none was chosen."""
    if len(found) == 1:
        return found[0], (), ""
    narrowed, by = _narrowed(criterion, identity, index, found)
    if len(narrowed) == 1:
        others = [agent for agent in found if agent is not narrowed[0]]
        return (
            narrowed[0],
            (),
            (f"{criterion.words(identity, narrowed[0])} is also that of {_titles(others)}; {by} distinguishes them"),
        )
    if newest := _registered_again(narrowed):
        earlier = tuple(agent for agent in narrowed if agent is not newest)
        text = (
            f"the machine registered again: {newest.title} is its {words.one} now, {_titles(earlier)} {_are(earlier)} "
            "an earlier registration"
        )
        return newest, earlier, text
    if criterion is CRITERIA[0] and (alone := _alone_with_a_mac(identity, narrowed)):
        others = [agent for agent in found if agent is not alone]
        return alone, (), f"{_titles(others)} {_are(others)} another machine with a MAC in common"
    return None, (), f"delete one of them, or set an identity that only this host's {words.one} has"


def _narrowed(
    criterion: Criterion, identity: Identity, index: Index[Agent], found: list[Agent]
) -> tuple[list[Agent], str]:
    """The candidates that the host's further identities leave, and which identities those were.

    One that fits no candidate is not asked.
    """
    used = []
    for other in CRITERIA[CRITERIA.index(criterion) + 1 :]:
        if len(found) > 1 and other.provided(identity):
            keys = {agent.key for agent in other.candidates(index, identity)}
            left = [agent for agent in found if agent.key in keys]
            if left and len(left) < len(found):
                found = left
                used.append(other.words(identity, None))
    return found, " and ".join(used)


def _registered_again(found: Sequence[Agent]) -> Agent | None:
    """The agent of a machine that registered more than once (its UUID changed): the one that is heard from, else the
    newest.
    """
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
        rivals = sorted(
            {host for agent in (match.agent, *match.superseded) if agent is not None for host in takers[agent.key]}
            - {match.host}
        )
        if match.agent is not None and rivals:
            text = f"{match.agent.title} also matches {', '.join(rivals)}; {words.rule}"
            match = Match(match.host, "ambiguous", by=match.by, reason=f"{match.by}: {text}", candidates=(match.agent,))
        result.append(match)
    return result


def _unmatched(host: Wanted, index: Index[Agent], claimed: Mapping[tuple[str, ...], str], words: Words) -> Match[Agent]:
    identity = host.identity
    asked = [
        criterion.words(identity, None)
        for criterion in CRITERIA
        if criterion.provided(identity) and not criterion.silent
    ]
    reason = f"no {words.one} has {' or '.join(asked)}"
    leaving = [
        agent
        for agent in index.leaving
        if set(agent.macs) & set(identity.macs) or (agent.system_uuid == identity.system_uuid != "")
    ]
    if leaving:
        return Match(
            host.name, "unmatched", reason=f"{_titles(leaving)} {_are(leaving)} being deleted", leaving=tuple(leaving)
        )
    for criterion in CRITERIA:
        for agent in criterion.candidates(index, identity) if criterion.provided(identity) else ():
            text = f"{agent.title} has {criterion.words(identity, agent)}, but"
            if agent.key in claimed:
                return Match(host.name, "unmatched", reason=f"{text} it is the {words.one} of {claimed[agent.key]}")
            if contradicts(identity, agent):
                return Match(
                    host.name,
                    "unmatched",
                    reason=(
                        f"{text} none of the host's MACs {', '.join(identity.macs)}; it has {', '.join(agent.macs)}"
                    ),
                )
    return Match(host.name, "unmatched", reason=reason)


def _titles(agents: Sequence[Registered]) -> str:
    return ", ".join(agent.title for agent in agents)


def _are(things: Sequence[Any]) -> str:
    return "is" if len(things) == 1 else "are"
