# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a Kubernetes controller: a work queue of object keys, which are reconciled one after the other, and again after a
delay or an error.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import logging
from collections.abc import Awaitable, Callable

from ..clock import LabClock
from .client import Refused
from .names import Key

LOG = logging.getLogger(__name__)
# Reconciles one object. Returns the lab seconds until the next call; None: only after the next notification.
Reconcile = Callable[[Key], Awaitable[float | None]]
FIRST_BACKOFF, LAST_BACKOFF = 1.0, 60.0
# Minimum interval (wall clock) between two reconciles of a key, so that a fast lab does not spin.
PAUSE = 0.02


class Retry(Exception):
    """A reconcile could not do its work; its key is looked at again with back-off."""


class Controller:
    """Level-triggered: a key is a name only, and two notifications of a key are one."""

    def __init__(self, name: str, clock: LabClock, reconcile: Reconcile, *, parallel: int = 4) -> None:
        self.name = name
        self._clock, self._reconcile, self._parallel = clock, reconcile, parallel
        self._due: dict[Key, float] = {}  # wall clock of the loop
        self._heap: list[tuple[float, Key]] = []
        self._busy: set[Key] = set()
        self._failures: dict[Key, int] = {}
        self._woken = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def notify(self, key: Key, after: float = 0.0) -> None:
        """Look at a key, after lab seconds; the sooner of two requests counts."""
        due = asyncio.get_running_loop().time() + max(PAUSE, self._clock.wall(after))
        if key in self._due and self._due[key] <= due:
            return
        self._due[key] = due
        heapq.heappush(self._heap, (due, key))
        self._woken.set()

    async def run(self) -> None:
        """Until cancelled."""
        try:
            while True:
                self._start_due()
                self._woken.clear()
                # Not asyncio.wait_for: that of Python 3.11 forgets a cancellation that comes together with the wake-up.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._pause()):
                        await self._woken.wait()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _pause(self) -> float | None:
        """Seconds of the wall clock until the next key is due; None: nothing is, or no hand is free."""
        if not self._heap or len(self._tasks) >= self._parallel:
            return None
        return max(0.0, self._heap[0][0] - asyncio.get_running_loop().time())

    def _start_due(self) -> None:
        now = asyncio.get_running_loop().time()
        waiting: list[tuple[float, Key]] = []
        while self._heap and self._heap[0][0] <= now and len(self._tasks) < self._parallel:
            due, key = heapq.heappop(self._heap)
            if self._due.get(key) != due:
                continue
            if key in self._busy:
                waiting.append((due, key))
                continue
            del self._due[key]
            self._busy.add(key)
            task = asyncio.create_task(self._one(key), name=f"{self.name} {key}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            task.add_done_callback(lambda _task: self._woken.set())
        for _due, key in waiting:  # looked at right now: again when that is over
            later = now + PAUSE
            self._due[key] = later
            heapq.heappush(self._heap, (later, key))

    async def _one(self, key: Key) -> None:
        try:
            again = await self._reconcile(key)
        except Refused as error:
            self._log(key, error)
            again = max(self._backoff(key), error.retry_after)
        except Retry as error:
            self._log(key, error)
            again = self._backoff(key)
        except Exception as error:
            LOG.exception("%s: %s/%s", self.name, *key)
            self._log(key, error)
            again = self._backoff(key)
        else:
            self._failures.pop(key, None)
        finally:
            self._busy.discard(key)
        if again is not None:
            self.notify(key, again)

    def _log(self, key: Key, error: Exception) -> None:
        LOG.debug("%s: %s/%s: %s", self.name, *key, error)

    def _backoff(self, key: Key) -> float:
        count = self._failures[key] = self._failures.get(key, 0) + 1
        return float(min(LAST_BACKOFF, FIRST_BACKOFF * 2 ** min(count - 1, 10)))
