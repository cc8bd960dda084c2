# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build the text of the planner's reasons: why a Machine gets this Agent, why it gets none, why another Agent is
rejected.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence

from ...common.listed import listed
from ...common.plurals import noun
from .columns import Suitable, bits
from .model import AgentFacts, Choice, Chosen, HostDemand, Key, Policy, Rejection
from .policy import preferred
from .rules import RULES, Need, is_named, objection, size_text, unusable

_MOST_NAMES = 3
_MOST_PLACES = 6


@dataclasses.dataclass(frozen=True)
class Assignment:
    """What the planner found, by Machine.

    ``chosen`` are numbers of ``usable``, the hosts that fail no rule for all Machines, best first; ``again`` those who
    have the host that they had; ``faults`` what is wrong with a selector; ``held`` the places of each group's hosts.
    """

    reserved: Mapping[Key, AgentFacts]
    faults: Mapping[Key, str]
    pins: Mapping[Key, str]
    needs: Mapping[Key, Need]
    usable: Sequence[AgentFacts]
    suitable: Suitable
    chosen: Mapping[Key, int]
    again: frozenset[Key]
    held: Mapping[str, Counter[str]]


def explained(found: Assignment, demands: Sequence[HostDemand], hosts: Sequence[AgentFacts], policy: Policy) -> Choice:
    """The choice with its reasons."""
    return _Words(found, hosts, policy).choice(demands)


class _Words:
    def __init__(self, found: Assignment, hosts: Sequence[AgentFacts], policy: Policy) -> None:
        self._found = found
        self._hosts = sorted(hosts, key=lambda host: host.key)
        self._policy = policy
        self._needs = {need: number for number, need in enumerate(dict.fromkeys(found.needs.values()))}
        self._takers = {found.usable[number].key: key for key, number in found.chosen.items()}
        self._nothing: dict[Need, str] = {}
        self._unusable = {host.key: rejection for host in hosts if (rejection := unusable(host)) is not None}
        self._unusable_counts = Counter(
            (namespace, rejection.rule) for (namespace, _name), rejection in self._unusable.items()
        )

    def choice(self, demands: Sequence[HostDemand]) -> Choice:
        assigned, unassigned = {}, {}
        for demand in sorted(demands, key=lambda demand: demand.key):
            if demand.key in self._found.reserved:
                assigned[demand.key] = Chosen(
                    self._found.reserved[demand.key], ("it is reserved for this Machine already",), reserved=True
                )
            elif demand.key in self._found.chosen:
                number = self._found.chosen[demand.key]
                assigned[demand.key] = Chosen(self._found.usable[number], tuple(self._reasons(demand, number)))
            else:
                unassigned[demand.key] = self._why_none(demand)
        return Choice(assigned, unassigned, self.rejections)

    def _suits(self, key: Key) -> int:
        return self._found.suitable.of(self._needs[self._found.needs[key]])

    def _reasons(self, demand: HostDemand, number: int) -> list[str]:
        host, suits = self._found.usable[number], self._suits(demand.key)
        if self._found.pins[demand.key]:
            return [f"the Machine is pinned to {self._found.pins[demand.key]}"]
        if demand.key in self._found.again:
            return ["the Machine had it before"]
        if suits.bit_count() == 1:
            return ["it is the only Agent that suits"]
        found = [self._place_words(demand, host)] if self._policy.order != "fit" else []
        if labels := [label for label, counts in preferred(self._policy, host).items() if counts > 0]:
            found.append(f"it has the preferred {noun(len(labels), 'label')} {', '.join(sorted(labels))}")
        return found + ([self._size_words(host, suits, number)] if self._policy.order == "fit" else [])

    def _size_words(self, host: AgentFacts, suits: int, number: int) -> str:
        before = (suits & ((1 << number) - 1)).bit_count()
        order = "by preferred labels, then size" if self._policy.prefer_labels else "smallest first"
        where = {0: "it is the first", 1: "the one before it serves another Machine"}.get(
            before, f"the {before} before it serve other Machines"
        )
        return f"of the {suits.bit_count()} Agents that suit, {order}, {where} ({size_text(host)})"

    def _place_words(self, demand: HostDemand, host: AgentFacts) -> str:
        held = {place or "none": count for place, count in self._found.held[demand.group].items() if count}
        shown = [f"{place} {held[place]}" for place in sorted(held)]
        label, group = self._policy.topology_label, demand.group or "the Machines"
        place = host.labels.get(label) or "none"
        verb = "spreads" if self._policy.order == "spread" else "packs"
        return f"it is in {label} {place}, which {verb} {group} ({listed(shown, _MOST_PLACES)})"

    def _why_none(self, demand: HostDemand) -> str:
        if demand.key in self._found.faults:
            return f"its selector is none: {self._found.faults[demand.key]}"
        need = self._found.needs[demand.key]
        suits = self._suits(demand.key)
        if suits:
            return self._all_taken(suits)
        if need not in self._nothing:
            self._nothing[need] = self._pin_words(need) if need.pinned else self._counts(need)
        return self._nothing[need]

    def _all_taken(self, suits: int) -> str:
        names: list[str] = []
        for number in bits(suits):
            names.append("/".join(self._takers[self._found.usable[number].key]))
            if len(names) == _MOST_NAMES:
                break
        count = suits.bit_count()
        which = f"the {count} Agents that suit serve" if count > 1 else "the one Agent that suits serves"
        return f"{which} {listed(names, _MOST_NAMES, total=count)}"

    def _pin_words(self, need: Need) -> str:
        named = [host for host in self._hosts if is_named(host, need.pinned)]
        texts = [f"{host.title} {rejection.text}" for host in named if (rejection := objection(need, host)) is not None]
        return f"it is pinned to {need.pinned}, " + (
            f"but {'; '.join(texts)}" if texts else "and no Agent has that name"
        )

    def _counts(self, need: Need) -> str:
        """How many Agents fail which rule first."""
        here = (
            [host for host in self._hosts if need.agent_namespace in ("", host.namespace)]
            if need.agent_namespace
            else self._hosts
        )
        where = f" in namespace {need.agent_namespace}" if need.agent_namespace else ""
        if not here:
            return f"there is no Agent{where}"
        counts: Counter[str] = Counter()
        for (namespace, rule), count in self._unusable_counts.items():
            counts[rule] += count if need.agent_namespace in ("", namespace) else 0
        left = self._found.suitable.all.bit_count()
        for rule, hosts in self._found.suitable.steps(need):
            counts[rule] += left - hosts.bit_count()
            left = hosts.bit_count()
        del counts["namespace"]
        words = ", ".join(f"{counts[rule]} {text}" for rule, text in RULES.items() if counts[rule])
        return f"of {len(here)} Agents{where} none suits: {words}"

    def rejections(self, demand: HostDemand) -> list[tuple[AgentFacts, Rejection]]:
        own = self._found.reserved.get(demand.key)
        return [
            (host, self._rejection(demand, host))
            for host in self._hosts
            if (own is None or host.key != own.key) and self._takers.get(host.key) != demand.key
        ]

    def _rejection(self, demand: HostDemand, host: AgentFacts) -> Rejection:
        if demand.key in self._found.faults:
            return Rejection("selector", "cannot be matched: the selector of the AgentMachine is invalid")
        if demand.key in self._found.reserved:
            if host.holder == demand.key and not host.deleting:
                return Rejection("reserved", "is reserved for this Machine as well, which has another one")
            return self._unusable.get(host.key) or Rejection("other", "is not needed: the Machine has one reserved")
        rejection = objection(self._found.needs[demand.key], host)
        if rejection is not None:
            return rejection
        if taker := self._takers.get(host.key):
            return Rejection("taken", f"serves Machine {taker[0]}/{taker[1]}")
        return Rejection("other", f"is not needed: by policy {self._policy.order} another comes before it")
