# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Spread and pack: the Machines of one group over the values of a topology label, with everybody who is served staying served.

Each Machine in turn takes a host where the fewest (or most) of its group are. After that, for spread, hosts are exchanged over alternating paths as long as
one more place can be relieved. For one group that ends with the most even distribution there is (the hosts that serve the group are a base of a matroid,
and a sum of convex functions is least on it when no single exchange makes it less); of several groups each is even as far as the others leave it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from .columns import Column, bits
from .matching import Matching


class Places:
    """The places of a group: ``column`` tells the hosts of each, ``held`` how many hosts of a place the group has already."""

    def __init__(self, names: Sequence[str], column: Column[str], held: Counter[str]) -> None:
        self._names = names
        self._column = column
        self.held = held

    def levels(self, hosts: int) -> list[tuple[int, int]]:
        """(a number, the hosts of this set in places where the group has so many), fewest first."""
        found: dict[int, int] = {}
        rest = hosts
        for place, count in self.held.items():
            if count and (here := self._column.equal(place) & hosts):
                found[count] = found.get(count, 0) | here
                rest &= ~here
        if rest:
            found[0] = rest
        return sorted(found.items())

    def unused(self, hosts: int, needed: int) -> Iterator[int]:
        """The hosts of this set place by place: the smallest place that holds as many as are needed, then larger ones, then the smaller ones."""
        sizes = Counter(self._names[host] for host in bits(hosts))
        for place in sorted(sizes, key=lambda place: (sizes[place] < needed, sizes[place] if sizes[place] >= needed else -sizes[place], place)):
            yield self._column.equal(place) & hosts

    def move(self, before: int | None, after: int) -> None:
        """The group has another host now, in place of one or besides."""
        self.held[self._names[after]] += 1
        if before is not None:
            self.held[self._names[before]] -= 1

    def count_at(self, host: int) -> int:
        return self.held[self._names[host]]


def spread(matching: Matching, suits: Callable[[int], int], wishes: Sequence[int], places: Places) -> None:
    """Spread these wishes of a group, all of which are served; afterwards they are settled."""
    for wish in wishes:
        _take_first(matching, wish, (hosts for _, hosts in places.levels(suits(wish) & matching.open)))
        places.move(None, matching.host_of[wish])
    while _relieve(matching, suits, wishes, places):
        pass


def _relieve(matching: Matching, suits: Callable[[int], int], wishes: Sequence[int], places: Places) -> bool:
    """Exchange one host in a place for one in a place with at least two less; False if there is none."""
    wanted, through = 0, 0
    for wish in wishes:
        wanted |= suits(wish)
        through |= 1 << matching.host_of[wish]
    levels = places.levels(wanted & matching.free & matching.open)
    counts = {wish: places.count_at(matching.host_of[wish]) for wish in wishes}
    for most in sorted(set(counts.values()), reverse=True):
        lower = 0
        for count, hosts in levels:
            lower |= hosts if count <= most - 2 else 0
        moved = matching.exchange([wish for wish in wishes if counts[wish] == most], lower, through) if lower else None
        if moved is not None:
            places.move(*moved)
            return True
    return False


def pack(matching: Matching, suits: Callable[[int], int], wishes: Sequence[int], places: Places) -> None:
    """Put these wishes of a group, all of which are served, into as few places as one after the other finds; afterwards they are settled."""
    for position, wish in enumerate(wishes):
        _take_first(matching, wish, _fullest(matching, suits, wishes[position:], places))
        places.move(None, matching.host_of[wish])


def _fullest(matching: Matching, suits: Callable[[int], int], wishes: Sequence[int], places: Places) -> Iterator[int]:
    """Sets of hosts for the first of these wishes: those in the places with the most of the group first."""
    levels = places.levels(suits(wishes[0]) & matching.open)
    yield from (hosts for count, hosts in reversed(levels) if count)
    yield from (found for count, hosts in levels if not count for found in places.unused(hosts, len(wishes)))


def _take_first(matching: Matching, wish: int, choices: Iterable[int]) -> None:
    """The wish gets a host of the first set from which it can have one, and is settled. Its own host is in one of them."""
    refused = 0
    for hosts in choices:
        refused |= matching.take(wish, hosts & ~refused)
        if hosts >> matching.host_of[wish] & 1:
            break
    matching.settle(wish)
