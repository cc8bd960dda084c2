# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Assign Agents to Machines: all waiting Machines and all Agents at once, as a pure function.

Upstream gives each Machine the first free Agent of the list. If the selectors of two Machines overlap, the order of the
list decides whether both get one. Here, in this order:

1. A Machine keeps the Agent that is already reserved for it (a claim that was interrupted, a hub that was restored).
2. As many Machines as possible get an Agent. If there are too few, pinned Machines come first, then those that have
   waited longest.
3. A Machine gets its former host back, unless a Machine of step 2 would then get none.
4. All other Agents are assigned in the order of the policy, with the same limit.

The result does not depend on the order of the input. Adding Agents never takes an Agent from a Machine (Shapley 1962:
the two sides of a matching are complements).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from ...common.collector import collector_paused
from ...common.errors import InvalidInput, ZeroTouchError
from .columns import Column, Suitable
from .explain import Assignment, explained
from .matching import Matching
from .model import AgentFacts, Choice, HostDemand, Key, Policy
from .places import Places, pack, spread
from .policy import check_policy, host_order, of_machine, service_order, turn_order
from .rules import Need, need_of, unusable

Taken = Sequence[tuple[str, AgentFacts]]


@collector_paused()
def choose(
    demands: Sequence[HostDemand],
    hosts: Sequence[AgentFacts],
    policy: Policy = Policy(),  # noqa: B008
    *,
    taken: Taken = (),
) -> Choice:
    """Assign hosts to demands.

    ``taken`` are (group, host) of Machines that have a host: spread and pack count them. They may be among the hosts,
    which then reject every host. Raises :class:`InvalidInput` for a policy that cannot be followed and
    :class:`ZeroTouchError` if a demand or a host is there twice. A demand with a selector that is none is not served;
    its reason says what is wrong with the selector.
    """
    check_policy(policy)
    _each_once([demand.title for demand in demands], "waits")
    _each_once([host.title for host in hosts], "is listed")
    return explained(_Planner(demands, hosts, policy, taken).run(), demands, hosts, policy)


def _each_once(titles: Iterable[str], verb: str) -> None:
    twice = sorted(title for title, count in Counter(titles).items() if count > 1)
    if twice:
        raise ZeroTouchError(
            f"{', '.join(twice)} {verb} more than once: the planner has to be given each Machine and each Agent once"
        )


class _Planner:
    """One run: demands in turn order and usable hosts in host order, both by number."""

    def __init__(
        self, demands: Sequence[HostDemand], hosts: Sequence[AgentFacts], policy: Policy, taken: Taken
    ) -> None:
        self._policy = policy
        self._hosts = sorted(
            (host for host in hosts if unusable(host) is None), key=lambda host: host_order(policy, host)
        )
        self._reserved = _reserved_hosts(demands, hosts)
        self._pins = {demand.key: demand.pinned or of_machine(policy.pins, demand.key) for demand in demands}
        self._faults: dict[Key, str] = {}
        self._demands: list[HostDemand] = []
        self._needs: dict[Key, Need] = {}
        for demand in sorted((demand for demand in demands if demand.key not in self._reserved), key=turn_order):
            try:
                self._needs[demand.key] = need_of(demand, self._pins[demand.key])
                self._demands.append(demand)
            except InvalidInput as error:
                self._faults[demand.key] = "; ".join(problem.text() for problem in error.problems)
        needs = {need: number for number, need in enumerate(dict.fromkeys(self._needs.values()))}
        self._need_of = [needs[self._needs[demand.key]] for demand in self._demands]
        self._suitable = Suitable(self._hosts, list(needs))
        self._matching = Matching(self._suits, len(self._hosts))
        self._held: dict[str, Counter[str]] = defaultdict(Counter)
        self._hold(taken)
        self._hold((demand.group, self._reserved[demand.key]) for demand in demands if demand.key in self._reserved)

    def run(self) -> Assignment:
        numbers = range(len(self._demands))
        in_line = sorted(
            numbers, key=lambda number: service_order(self._demands[number], self._pins[self._demands[number].key])
        )
        served = sorted([demand for demand in in_line if self._matching.serve(demand)])
        again = {demand for demand in served if self._policy.reuse and self._reuse(demand)}
        rest = [demand for demand in served if demand not in again]
        if self._policy.order == "fit":
            self._matching.first_hosts(rest)
        else:
            self._place(rest)
        return Assignment(
            reserved=self._reserved,
            faults=self._faults,
            pins=self._pins,
            needs=self._needs,
            usable=self._hosts,
            suitable=self._suitable,
            chosen={self._demands[demand].key: host for demand, host in self._matching.host_of.items()},
            again=frozenset(self._demands[demand].key for demand in again),
            held=self._held,
        )

    def _suits(self, demand: int) -> int:
        return self._suitable.of(self._need_of[demand])

    def _reuse(self, number: int) -> bool:
        """Whether the demand has the host now that it had before."""
        demand = self._demands[number]
        names = {of_machine(self._policy.history, demand.key), demand.hostname} - {""}
        had = 0
        for name in names:
            had |= self._suitable.named(name)
        had &= self._suits(number)
        if not self._matching.take(number, had):
            return False
        self._matching.settle(number)
        self._hold([(demand.group, self._hosts[self._matching.host_of[number]])])
        return True

    def _place(self, demands: Sequence[int]) -> None:
        """Spread or pack, group by group."""
        names = [self._place_of(host) for host in self._hosts]
        column = Column(len(names), enumerate(names))
        groups: dict[str, list[int]] = defaultdict(list)
        for demand in demands:
            groups[self._demands[demand].group].append(demand)
        arrange = spread if self._policy.order == "spread" else pack
        for group in sorted(groups):
            arrange(self._matching, self._suits, groups[group], Places(names, column, self._held[group]))

    def _place_of(self, host: AgentFacts) -> str:
        return host.labels.get(self._policy.topology_label, "")

    def _hold(self, pairs: Iterable[tuple[str, AgentFacts]]) -> None:
        for group, host in pairs:
            self._held[group][self._place_of(host)] += 1


def _reserved_hosts(demands: Sequence[HostDemand], hosts: Sequence[AgentFacts]) -> dict[Key, AgentFacts]:
    """The host that is reserved for each demand already; of several one whose claim is the furthest, the others stay
    reserved.
    """
    waiting = {demand.key: demand for demand in demands}
    found: dict[Key, AgentFacts] = {}
    for host in sorted(hosts, key=lambda host: (host.cluster is None, host.bound != "True", host.key)):
        demand = waiting.get(host.holder) if host.holder is not None else None
        if demand is not None and not host.deleting and demand.agent_namespace in ("", host.namespace):
            found.setdefault(demand.key, host)
    return found
