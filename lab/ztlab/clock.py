# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Provide the lab's clock. All waiting in the lab is in lab seconds: at speed 30, 30 lab seconds pass in one second of
the wall clock.
"""

from __future__ import annotations

import asyncio
import datetime
import time
from collections.abc import Callable

# Seconds of the wall clock. The lab reads its clock every BEAT seconds. Between two reads, at most IDLE seconds without
# work count as lab time, and at most KEEP_UP seconds in total. Without this limit, a lab that gets no processor for a
# few seconds would advance by minutes of lab time at once: agents would be disconnected, and hosts would time out.
# Time in which another process uses the processor does not count, so a lab is slower on a busy machine.
BEAT, IDLE, KEEP_UP = 0.04, 0.06, 0.12
# The longest sleep without reading the clock, whose speed may have changed.
SLICE = 0.1


class Pace:
    """Compute how much of the wall clock's time counts as lab time.

    ``wall`` and ``work`` are readings: seconds passed, and seconds of processor used.
    """

    def __init__(self, wall: float, work: float) -> None:
        self._wall, self._work, self._idle_left = wall, work, IDLE

    def beat(self) -> None:
        """From here to the next beat the lab may be idle as long as it meant to be."""
        self._idle_left = IDLE

    def count(self, wall: float, work: float, *, beating: bool) -> float:
        """Seconds that count since the last reading; without beats there are no pauses, and all of it counts."""
        passed, worked = max(0.0, wall - self._wall), max(0.0, work - self._work)
        self._wall, self._work = wall, work
        if not beating:
            return passed
        idle = min(max(0.0, passed - worked), self._idle_left)
        self._idle_left -= idle
        return min(passed, min(worked, KEEP_UP) + idle, KEEP_UP)


class LabClock:
    """Order and proportions stay real at every speed, because all durations go through this one clock.

    Time passes as fast as ``speed`` says, and slower where the lab does not keep up.
    """

    def __init__(self, speed: float = 1.0) -> None:
        if speed <= 0:
            raise ValueError(f"speed must be greater than 0, not {speed:g}")
        self.speed = speed
        # Seconds by which the time of day in the lab is off; durations are not concerned.
        self.skew = 0.0
        self._lab = 0.0
        self._pace = Pace(time.monotonic(), time.process_time())
        self._sleepers = 0
        self._beats: asyncio.Task[None] | None = None
        self._started_at = datetime.datetime.now(datetime.UTC)

    def now(self) -> float:
        """Lab seconds since the lab started; never goes back."""
        self._lab += self._pace.count(time.monotonic(), time.process_time(), beating=self._beating) * self.speed
        return self._lab

    def change_speed(self, speed: float) -> None:
        """From now on, for those that sleep already, too."""
        if speed <= 0:
            raise ValueError(f"speed must be greater than 0, not {speed:g}")
        self.now()
        self.speed = speed

    def utcnow(self) -> datetime.datetime:
        """The time of day in the lab, which runs at lab speed too: what a server says of now and what it says of the
        past belong together.
        """
        return self._started_at + datetime.timedelta(seconds=self.now() + self.skew)

    def wall(self, lab_seconds: float) -> float:
        """How many seconds of the wall clock these lab seconds take."""
        return max(0.0, lab_seconds) / self.speed

    async def sleep(self, lab_seconds: float) -> None:
        """Return when so many lab seconds have passed."""
        end = self.now() + lab_seconds
        self._sleepers += 1
        if not self._beating:
            self._beats = asyncio.create_task(self._beat())
        try:
            left = lab_seconds
            while True:
                await asyncio.sleep(min(self.wall(left), SLICE))
                left = end - self.now()
                if left <= 0:
                    return
        finally:
            self._sleepers -= 1

    @property
    def _beating(self) -> bool:
        return self._beats is not None and not self._beats.done()

    async def _beat(self) -> None:
        while self._sleepers:
            await asyncio.sleep(BEAT)
            self.now()
            self._pace.beat()

    async def until(self, condition: Callable[[], bool], *, every: float = 1.0, limit: float | None = None) -> bool:
        """Wait until ``condition()`` holds, looking each ``every`` lab seconds; False when ``limit`` lab seconds passed
        before.
        """
        deadline = None if limit is None else self.now() + limit
        while not condition():
            if deadline is not None and self.now() >= deadline:
                return False
            await self.sleep(every)
        return True
