# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Spread or pack the Machines of a group over the values of a topology label. A Machine that has a host keeps having
one.

A place is the set of hosts with the same value of the label. Each Machine in turn takes a host in the place with the
fewest (or most) hosts of its group. After that, for spread, hosts are exchanged over alternating paths as long as
another place can be relieved. For a single group the result is the most even distribution possible (the hosts that
serve the group are a base of a matroid, and a sum of convex functions is least on it when no single exchange makes it
less). With several groups, each is as even as the others permit.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from .columns import Column, bits
from .matching import Matching

Suits = Callable[[int], int]


class Places:
    """The places of a group: ``names`` is the place of each host, ``column`` the hosts of each place, ``held`` how many
    hosts in a place the group already has.
    """

    def __init__(self, names: Sequence[str], column: Column[str], held: Counter[str]) -> None:
        self._names = names
        self._column = column
        self._held = held
        self._levels: dict[int, int] = {}
        for place, count in held.items():
            self._levels[count] = self._levels.get(count, 0) | column.equal(place)

    def levels(self, hosts: int) -> list[tuple[int, int]]:
        """(a number, the hosts of this set in places where the group has so many), fewest first."""
        found = {count: here for count, level in self._levels.items() if count and (here := level & hosts)}
        for here in found.values():
            hosts &= ~here
        return sorted([*found.items(), *([(0, hosts)] if hosts else [])])

    def add(self, host: int, number: int = 1) -> None:
        """The group has this host now; with a number of -1 it has it no longer."""
        place = self._names[host]
        count, here = self._held[place], self._column.equal(place)
        self._held[place] += number
        self._levels[count] = self._levels.get(count, 0) & ~here
        self._levels[count + number] = self._levels.get(count + number, 0) | here

    def count_at(self, host: int) -> int:
        return self._held[self._names[host]]

    def by_size(self, hosts: int) -> list[tuple[int, str]]:
        """(how many hosts of this set are there, place) for the places that the group does not use, smallest first."""
        sizes = Counter(self._names[host] for host in bits(hosts))
        return sorted((size, place) for place, size in sizes.items() if not self._held[place])

    def hosts_at(self, place: str) -> int:
        return self._column.equal(place)

    def is_used(self, place: str) -> bool:
        return self._held[place] > 0


def spread(matching: Matching, suits: Suits, demands: Sequence[int], places: Places) -> None:
    """Spread these demands of a group, all of which are served; afterwards they are settled."""
    for demand in demands:
        _take_first(matching, demand, (hosts for _place, hosts in places.levels(suits(demand) & matching.open)))
        places.add(matching.host_of[demand])
    while _relieved(matching, suits, demands, places):
        pass


def _relieved(matching: Matching, suits: Suits, demands: Sequence[int], places: Places) -> bool:
    """Exchange hosts in the fullest places, then in emptier ones, for such in places with at least two less; whether
    there was anything to exchange.
    """
    wanted, through = 0, 0
    for demand in demands:
        wanted |= suits(demand)
        through |= 1 << matching.host_of[demand]
    done = False
    for most in range(max(map(places.count_at, map(matching.host_of.__getitem__, demands)), default=0), 1, -1):
        while True:
            lower = 0
            for count, hosts in places.levels(wanted & matching.free & matching.open):
                lower |= hosts if count <= most - 2 else 0
            starts = (demand for demand in demands if places.count_at(matching.host_of[demand]) == most)
            moved = matching.exchange(starts, lower, through) if lower else None
            if moved is None:
                break
            places.add(moved[0], -1)
            places.add(moved[1])
            through ^= 1 << moved[0] | 1 << moved[1]
            done = True
    return done


def pack(matching: Matching, suits: Suits, demands: Sequence[int], places: Places) -> None:
    """Put these demands of a group, all of which are served, into few places, one after the other; afterwards they are
    settled.

    A further place is begun only when none of those in use has a host: the smallest that holds all who are left, else
    the largest.
    """
    within = 0
    for demand in demands:
        within |= suits(demand)
    unused = places.by_size(within & matching.open)
    for position, demand in enumerate(demands):
        _take_first(matching, demand, _fullest(suits(demand) & matching.open, places, unused, len(demands) - position))
        host = matching.host_of[demand]
        places.add(host)
        if places.count_at(host) == 1:
            unused = [(size, place) for size, place in unused if not places.is_used(place)]


def _fullest(hosts: int, places: Places, unused: Sequence[tuple[int, str]], needed: int) -> Iterator[int]:
    """This set of hosts, place by place: those with the most of the group first, then unused ones."""
    yield from (here for count, here in reversed(places.levels(hosts)) if count)
    enough = bisect.bisect_left(unused, (needed, ""))
    for _free, place in [*unused[enough:], *reversed(unused[:enough])]:
        yield places.hosts_at(place) & hosts


def _take_first(matching: Matching, demand: int, choices: Iterable[int]) -> None:
    """The demand gets a host of the first set from which it can have one, and is settled.

    Its own host is in one of them.
    """
    next(hosts for hosts in choices if matching.take(demand, hosts))
    matching.settle(demand)
