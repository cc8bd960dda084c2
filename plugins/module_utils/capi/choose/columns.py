# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the hosts that fit the needs of Machines, for thousands of both. A set of hosts is one integer: bit ``i`` is
host ``i``.

For each label or size, the values of all hosts are kept as a few such integers, one for each binary digit of the
value's rank among all values. So "equal to" and "at least" need only a few ands and ors for all hosts at once. There is
no table of needs by hosts; the cache of results is bounded.
"""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Generic, TypeVar

from .model import AgentFacts
from .rules import Need, normal_architecture
from .selector import ABSENT, EXISTS, IN, Requirement

T = TypeVar("T", int, str)

# Bytes of cached results for each host and need, about the size of these themselves: all results of up to some 8000
# needs and 40 000 hosts; beyond that, the results that were used last.
_KEPT = 2048
_COLUMNS_KEPT = 128


def bits(hosts: int) -> Iterator[int]:
    """The numbers of the hosts in a set, lowest first."""
    while hosts:
        low = hosts & -hosts
        yield low.bit_length() - 1
        hosts ^= low


def first(hosts: int) -> int:
    """The lowest number in a set that is not empty."""
    return (hosts & -hosts).bit_length() - 1


class Column(Generic[T]):
    """One label or size of all hosts. Hosts without the label have rank 0."""

    def __init__(self, size: int, pairs: Iterable[tuple[int, T]]) -> None:
        pairs = list(pairs)
        self._values: list[T] = sorted({value for _number, value in pairs})
        ranks = {value: rank for rank, value in enumerate(self._values, 1)}
        places = [(size - 1 - number, ranks[value]) for number, value in pairs]
        self._digits: list[int] = []
        for digit in range(len(self._values).bit_length()):
            text = bytearray(b"0") * size
            for place, rank in places:
                if rank >> digit & 1:
                    text[place] = 49
            self._digits.append(int(text, 2) if size else 0)
        self._all = (1 << size) - 1

    def present(self) -> int:
        """Hosts that have the label."""
        found = 0
        for digit in self._digits:
            found |= digit
        return found

    def equal(self, value: T) -> int:
        rank = bisect.bisect_left(self._values, value) + 1
        if rank > len(self._values) or self._values[rank - 1] != value:
            return 0
        found = self._all
        for position, digit in enumerate(self._digits):
            found &= digit if rank >> position & 1 else ~digit
        return found

    def at_least(self, value: T) -> int:
        rank = bisect.bisect_left(self._values, value) + 1
        if rank > len(self._values):
            return 0
        found = self._all
        for position, digit in enumerate(self._digits):
            found = digit & found if rank >> position & 1 else digit | found
        return found


class Suitable:
    """The hosts that suit each need, by its number. ``hosts`` are those that fail no rule for all Machines."""

    def __init__(self, hosts: Sequence[AgentFacts], needs: Sequence[Need]) -> None:
        self.all = (1 << len(hosts)) - 1
        self._size = len(hosts)
        self._needs = needs
        self._labels: dict[str, list[tuple[int, str]]] = {item.key: [] for need in needs for item in need.requirements}
        self._names: dict[str, list[int]] = defaultdict(list)
        for number, host in enumerate(hosts):
            for key in host.labels.keys() & self._labels.keys():
                self._labels[key].append((number, host.labels[key]))
            for name in {host.name, f"{host.namespace}/{host.name}", host.hostname} - {""}:
                self._names[name].append(number)
        self._namespaces = Column(self._size, ((number, host.namespace) for number, host in enumerate(hosts)))
        self._architectures = Column(
            self._size, ((number, normal_architecture(host.architecture)) for number, host in enumerate(hosts))
        )
        self._sizes = [
            Column(self._size, enumerate(values))
            for values in zip(*((h.cpus, h.memory_bytes, h.disk_bytes) for h in hosts), strict=True)
        ]
        kept = max(64, _KEPT * (len(hosts) + len(needs)) // (self._size // 8 + 64) // 2)
        self._column = lru_cache(_COLUMNS_KEPT)(lambda key: Column(self._size, self._labels[key]))
        self._equal = lru_cache(kept)(lambda key, value: self._column(key).equal(value))
        self.of = lru_cache(kept)(self._of)

    def named(self, name: str) -> int:
        """The hosts of this name: Agent, ``namespace/name`` or hostname."""
        found = 0
        for number in self._names.get(name, ()):
            found |= 1 << number
        return found

    def steps(self, need: Need) -> Iterator[tuple[str, int]]:
        """Rule by rule, in their order, the hosts that are left after it; only of rules that the need has."""
        left = self.all
        for rule, hosts in self._parts(need):
            left &= hosts
            yield rule, left

    def _parts(self, need: Need) -> Iterator[tuple[str, int]]:
        if need.pinned:
            yield "pinned", self.named(need.pinned)
        if need.agent_namespace:
            yield "namespace", self._namespaces.equal(need.agent_namespace)
        for requirement in need.requirements:
            yield "selector", self._holding(requirement)
        if need.architecture:
            yield "architecture", self._architectures.equal(need.architecture)
        for rule, least, column in zip(
            ("cpus", "memory", "disk"), (need.cpus, need.memory_bytes, need.disk_bytes), self._sizes, strict=False
        ):
            if least > 0:
                yield rule, column.at_least(least)

    def _of(self, number: int) -> int:
        found = self.all
        for _rule, found in self.steps(self._needs[number]):
            if not found:
                break
        return found

    def _holding(self, requirement: Requirement) -> int:
        if requirement.operator in (EXISTS, ABSENT):
            found = self._column(requirement.key).present()
        else:
            found = 0
            for value in requirement.values:
                found |= self._equal(requirement.key, value)
        return found if requirement.operator in (IN, EXISTS) else self.all & ~found
