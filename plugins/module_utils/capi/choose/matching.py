# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Who can be served at once: a matching of wishes with hosts, on numbers and sets of numbers alone.

A wish for which every suiting host is taken may still be served: one that has such a host moves on to another that suits it, and so on until a free one is
found (an alternating path; Berge 1957: a matching that no such path enlarges is as large as any). The wishes that can be served together form a matroid,
as do the hosts that can be used together, and every best set of the one goes with every best set of the other (Mendelsohn and Dulmage 1958): taking them
one by one, best first, is therefore not merely greedy but gives the best set.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from .columns import bits, first

Path = list[tuple[int, int]]

_REMEMBERED = 256


class Matching:
    """Wishes and hosts by number. ``suits`` gives the set of hosts that suit a wish; ``open`` are the hosts that may change hands."""

    def __init__(self, suits: Callable[[int], int], hosts: int) -> None:
        self._suits = suits
        self.host_of: dict[int, int] = {}
        self.wish_of: dict[int, int] = {}
        self.open = (1 << hosts) - 1
        self.free = self.open
        self._hopeful = self.open  # hosts from which a free one may still be reached
        self._closed: deque[int] = deque(maxlen=_REMEMBERED)  # sets of hosts that only those who have one of them can have

    def serve(self, wish: int) -> bool:
        """Serve one more wish, without leaving out one that is served; False if that is impossible, and it stays so."""
        path, seen = self._path(wish, self._hopeful, self.free)
        if path is None:
            self._hopeful &= ~seen
            return False
        self._walk(path)
        return True

    def take(self, wish: int, wanted: int) -> bool:
        """Give a wish that is served the first of the ``wanted`` hosts with which everybody else stays served; the lowest set bit counts as first.

        False if there is none; it keeps the host that it has.
        """
        own = 1 << self.host_of[wish]
        wanted &= self.open
        for hosts in self._closed:
            if not hosts & own:
                wanted &= ~hosts
        while wanted:
            refused = self._take(wish, first(wanted))
            if not refused:
                return True
            self._closed.append(refused)
            wanted &= ~refused
        return False

    def settle(self, wish: int) -> None:
        """The wish keeps its host from now on."""
        self.open &= ~(1 << self.host_of[wish])

    def _take(self, wish: int, host: int) -> int:
        """0, or hosts that as many wishes have and which are all that suits these: nobody else can ever have one."""
        own = self.host_of[wish]
        if host == own:
            return 0
        other = self.wish_of.get(host)
        if other is None:
            self._walk([(wish, host)])
            return 0
        rest = self.open & ~(1 << host)
        path, seen = self._path(other, rest, (self.free | 1 << own) & rest)
        if path is None:
            return seen | 1 << host
        self._leave(wish)
        self._walk([*path, (wish, host)])
        return 0

    def first_hosts(self, wishes: Sequence[int]) -> None:
        """Serve these wishes, all of which are served, from the first of the open hosts: no other set of hosts that serves them is lower.

        Hosts are tried in ascending order; one joins if more wishes can be served with it than without, and stays used from then on.
        """
        for wish in wishes:
            self._leave(wish)
        waiting = list(wishes)
        ahead = self._union(waiting)  # hosts that suit one who waits; some of them may suit nobody any more
        passed = 0  # hosts that suit one who is served by now, and who could move on to them
        untried = self.open
        while waiting:
            direct, moved = ahead & untried, passed & untried
            if direct and (not moved or first(direct) <= first(moved)):
                host = first(direct)
                wish = next((wish for wish in waiting if self._suits(wish) >> host & 1), -1)
                if wish < 0:
                    ahead = self._union(waiting)
                    continue
                path = [(wish, host)]
            else:
                path = self._lowest_path(waiting, untried)
                host = path[0][1]
            untried &= -1 << (host + 1)
            waiting.remove(path[-1][0])
            passed |= self._suits(path[-1][0])
            self._walk(path)

    def _union(self, wishes: Iterable[int]) -> int:
        found = 0
        for wish in wishes:
            found |= self._suits(wish)
        return found

    def _lowest_path(self, waiting: Sequence[int], untried: int) -> Path:
        """To the lowest of the untried hosts that any of the waiting wishes can reach, over others that move on."""
        reached, parents = self._reach(waiting, self.open & ~self.free)
        host = first(self._union(reached) & untried)
        return self._unwound(next(wish for wish in reached if self._suits(wish) >> host & 1), host, parents)

    def exchange(self, wishes: Iterable[int], wanted: int, through: int) -> tuple[int, int] | None:
        """Let the first of these settled wishes that can have one of the ``wanted`` free hosts have it, others moving on among the hosts ``through``.

        Returns (the host that is free now, the host that is used now), or None if none of them can.
        """
        for wish in wishes:
            own = self.host_of[wish]
            path, seen = self._path(wish, (wanted | through) & ~(1 << own), wanted)
            if path is not None:
                self._leave(wish)
                self._walk(path)
                self.open = (self.open | 1 << own) & ~(1 << path[0][1])
                self._closed.clear()  # somebody may move on to the host that is open now
                return own, path[0][1]
            through &= ~seen
        return None

    def _reach(self, starts: Sequence[int], through: int) -> tuple[list[int], dict[int, int]]:
        """Every wish that may have to move when one of ``starts`` gets a host, nearest first, and the wish that would push it."""
        parents: dict[int, int] = {}
        reached = list(starts)
        for wish in reached:
            new = self._suits(wish) & through
            through ^= new
            for host in bits(new):
                parents[self.wish_of[host]] = wish
                reached.append(self.wish_of[host])
        return reached, parents

    def _path(self, start: int, allowed: int, goal: int) -> tuple[Path | None, int]:
        """(a shortest path to a host of ``goal`` over hosts that are ``allowed``, last step first) or (None, all hosts that were reached)."""
        unseen = allowed
        parents: dict[int, int] = {}
        queue = deque([start])
        while queue:
            wish = queue.popleft()
            new = self._suits(wish) & unseen
            if new & goal:
                return self._unwound(wish, first(new & goal), parents), 0
            unseen ^= new
            for host in bits(new):
                other = self.wish_of[host]
                parents[other] = wish
                queue.append(other)
        return None, allowed ^ unseen

    def _unwound(self, wish: int, host: int, parents: dict[int, int]) -> Path:
        path = [(wish, host)]
        while wish in parents:
            host = self.host_of[wish]
            wish = parents[wish]
            path.append((wish, host))
        return path

    def _walk(self, path: Path) -> None:
        """Each wish of the path gets the host of its step. What the wishes had before becomes free, unless another step takes it."""
        before = [self.host_of[wish] for wish, _host in path if wish in self.host_of]
        for host in before:
            del self.wish_of[host]
            self.free |= 1 << host
        for wish, host in path:
            self.host_of[wish] = host
            self.wish_of[host] = wish
            self.free &= ~(1 << host)

    def _leave(self, wish: int) -> None:
        host = self.host_of.pop(wish)
        del self.wish_of[host]
        self.free |= 1 << host
