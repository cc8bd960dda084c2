# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Assign hosts to demands (Machines that need a host) so that the best possible set of demands gets a host. Demands and
hosts are numbers; the hosts that fit are sets of numbers.

If every fitting host of a demand is taken, a demand that has one of these hosts moves to another host, and so on until
a free one is found (an alternating path; Berge 1957: a matching that no such path enlarges is as large as any). The
demands that can be served together form a matroid, as do the hosts that can be used together, and every best set of
demands is compatible with every best set of hosts (Mendelsohn and Dulmage 1958). Taking them in turn, best first,
therefore gives the best set.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from .columns import bits, first

Path = list[tuple[int, int]]

_REMEMBERED = 256


class Matching:
    """Demands and hosts by number.

    ``suits`` gives the set of hosts that fit a demand; ``open`` are the hosts that may be reassigned.
    """

    def __init__(self, suits: Callable[[int], int], hosts: int) -> None:
        self._suits = suits
        self.host_of: dict[int, int] = {}
        self.demand_of: dict[int, int] = {}
        self.open = (1 << hosts) - 1
        self.free = self.open
        self._hopeful = self.open  # hosts from which a free one may still be reached
        # sets of hosts that only those who have one of them can have
        self._closed: deque[int] = deque(maxlen=_REMEMBERED)

    def serve(self, demand: int) -> bool:
        """Serve one more demand, without leaving out one that is served; False if that is impossible, and it stays
        so.
        """
        path, seen = self._path(demand, self._hopeful, self.free)
        if path is None:
            self._hopeful &= ~seen
            return False
        self._walk(path)
        return True

    def take(self, demand: int, wanted: int) -> bool:
        """Give a demand that is served the first of the ``wanted`` hosts with which all others stay served; the
        lowest set bit counts as first.

        False if there is none; it keeps the host that it has.
        """
        own = 1 << self.host_of[demand]
        wanted &= self.open
        for hosts in self._closed:
            if not hosts & own:
                wanted &= ~hosts
        while wanted:
            refused = self._take(demand, first(wanted))
            if not refused:
                return True
            self._closed.append(refused)
            wanted &= ~refused
        return False

    def settle(self, demand: int) -> None:
        """The demand keeps its host from now on."""
        self.open &= ~(1 << self.host_of[demand])

    def _take(self, demand: int, host: int) -> int:
        """0, or hosts that as many Machines have reserved and that are all that suits these: no other Machine can get
        one.
        """
        own = self.host_of[demand]
        if host == own:
            return 0
        other = self.demand_of.get(host)
        if other is None:
            self._walk([(demand, host)])
            return 0
        rest = self.open & ~(1 << host)
        path, seen = self._path(other, rest, (self.free | 1 << own) & rest)
        if path is None:
            return seen | 1 << host
        self._leave(demand)
        self._walk([*path, (demand, host)])
        return 0

    def first_hosts(self, demands: Sequence[int]) -> None:
        """Serve these demands, all of which are served, from the first of the open hosts: no other set of hosts that
        serves them is lower.

        Hosts are tried in ascending order; one joins if more demands can be served with it than without, and stays used
        from then on.
        """
        for demand in demands:
            self._leave(demand)
        waiting = list(demands)
        ahead = self._union(waiting)  # hosts that suit a waiting Machine; some of them may suit no Machine any more
        passed = 0  # hosts that suit one who is served by now, and who could move on to them
        untried = self.open
        while waiting:
            direct, moved = ahead & untried, passed & untried
            if direct and (not moved or first(direct) <= first(moved)):
                host = first(direct)
                demand = next((demand for demand in waiting if self._suits(demand) >> host & 1), -1)
                if demand < 0:
                    ahead = self._union(waiting)
                    continue
                path = [(demand, host)]
            else:
                path = self._lowest_path(waiting, untried)
                host = path[0][1]
            untried &= -1 << (host + 1)
            waiting.remove(path[-1][0])
            passed |= self._suits(path[-1][0])
            self._walk(path)

    def _union(self, demands: Iterable[int]) -> int:
        found = 0
        for demand in demands:
            found |= self._suits(demand)
        return found

    def _lowest_path(self, waiting: Sequence[int], untried: int) -> Path:
        """To the lowest of the untried hosts that any of the waiting demands can reach, over others that move on."""
        reached, parents = self._reach(waiting, self.open & ~self.free)
        host = first(self._union(reached) & untried)
        return self._unwound(next(demand for demand in reached if self._suits(demand) >> host & 1), host, parents)

    def exchange(self, demands: Iterable[int], wanted: int, through: int) -> tuple[int, int] | None:
        """Let the first of these settled demands that can have one of the ``wanted`` free hosts have it, others moving
        on among the hosts ``through``.

        Returns (the host that is free now, the host that is used now), or None if none of them can.
        """
        for demand in demands:
            own = self.host_of[demand]
            path, seen = self._path(demand, (wanted | through) & ~(1 << own), wanted)
            if path is not None:
                self._leave(demand)
                self._walk(path)
                self.open = (self.open | 1 << own) & ~(1 << path[0][1])
                self._closed.clear()  # a Machine may move to the host that is open now
                return own, path[0][1]
            through &= ~seen
        return None

    def _reach(self, starts: Sequence[int], through: int) -> tuple[list[int], dict[int, int]]:
        """Every demand that may have to move when one of ``starts`` gets a host, nearest first, and the demand that
        would push it.
        """
        parents: dict[int, int] = {}
        reached = list(starts)
        for demand in reached:
            new = self._suits(demand) & through
            through ^= new
            for host in bits(new):
                parents[self.demand_of[host]] = demand
                reached.append(self.demand_of[host])
        return reached, parents

    def _path(self, start: int, allowed: int, goal: int) -> tuple[Path | None, int]:
        """(a shortest path to a host of ``goal`` over hosts that are ``allowed``, last step first) or (None, all hosts
        that were reached).
        """
        unseen = allowed
        parents: dict[int, int] = {}
        queue = deque([start])
        while queue:
            demand = queue.popleft()
            new = self._suits(demand) & unseen
            if new & goal:
                return self._unwound(demand, first(new & goal), parents), 0
            unseen ^= new
            for host in bits(new):
                other = self.demand_of[host]
                parents[other] = demand
                queue.append(other)
        return None, allowed ^ unseen

    def _unwound(self, demand: int, host: int, parents: dict[int, int]) -> Path:
        path = [(demand, host)]
        while demand in parents:
            host = self.host_of[demand]
            demand = parents[demand]
            path.append((demand, host))
        return path

    def _walk(self, path: Path) -> None:
        """Each demand of the path gets the host of its step.

        What the demands had before becomes free, unless another step takes it.
        """
        before = [self.host_of[demand] for demand, _host in path if demand in self.host_of]
        for host in before:
            del self.demand_of[host]
            self.free |= 1 << host
        for demand, host in path:
            self.host_of[demand] = host
            self.demand_of[host] = demand
            self.free &= ~(1 << host)

    def _leave(self, demand: int) -> None:
        host = self.host_of.pop(demand)
        del self.demand_of[host]
        self.free |= 1 << host
