# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Lab time: everything in the lab waits in lab seconds; a speed of 30 makes 30 of them pass in one second of the wall clock."""

from __future__ import annotations

import asyncio
import datetime
import time
from collections.abc import Callable


class LabClock:
    """Order and proportions stay real at every speed, because all durations go through this one clock."""

    def __init__(self, speed: float = 1.0) -> None:
        if speed <= 0:
            raise ValueError(f"speed must be greater than 0, not {speed:g}")
        self.speed = speed
        # Seconds by which the time of day in the lab is off; durations are not concerned.
        self.skew = 0.0
        self._start = time.monotonic()
        self._before = 0.0
        self._started_at = datetime.datetime.now(datetime.UTC)

    def now(self) -> float:
        """Lab seconds since the lab started; never goes back."""
        return self._before + (time.monotonic() - self._start) * self.speed

    def change_speed(self, speed: float) -> None:
        """From now on; what sleeps already wakes as it would have."""
        if speed <= 0:
            raise ValueError(f"speed must be greater than 0, not {speed:g}")
        self._before, self._start, self.speed = self.now(), time.monotonic(), speed

    def utcnow(self) -> datetime.datetime:
        """The time of day in the lab, which runs at lab speed too: what a server says of now and what it says of the past belong together."""
        return self._started_at + datetime.timedelta(seconds=self.now() + self.skew)

    def wall(self, lab_seconds: float) -> float:
        """How many seconds of the wall clock these lab seconds take."""
        return max(0.0, lab_seconds) / self.speed

    async def sleep(self, lab_seconds: float) -> None:
        await asyncio.sleep(self.wall(lab_seconds))

    async def until(self, condition: Callable[[], bool], *, every: float = 1.0, limit: float | None = None) -> bool:
        """Wait until ``condition()`` holds, looking each ``every`` lab seconds; False when ``limit`` lab seconds passed before."""
        deadline = None if limit is None else self.now() + limit
        while not condition():
            if deadline is not None and self.now() >= deadline:
                return False
            await self.sleep(every)
        return True
