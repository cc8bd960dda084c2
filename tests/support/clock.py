# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A simulated clock for tests: waits take no real time, or little."""

from __future__ import annotations

import datetime
import math
import time

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import Interrupted


class Clock:
    """A clock that advances only in a sleep, and by ``tick`` at each read of the clock.

    From ``stop_at`` on a sleep is interrupted, as by a signal. With ``pause`` a sleep really takes at most so many
    seconds, and the rest is only added: for tests in which a server answers during the sleep.
    """

    def __init__(self, start: float = 0.0, *, tick: float = 0.0, stop_at: float = math.inf, pause: float = 0.0) -> None:
        self.time, self.tick, self.stop_at, self.pause = start, tick, stop_at, pause
        self.slept: list[float] = []

    def now(self) -> float:
        self.time += self.tick
        return self.time + (time.monotonic() if self.pause else 0.0)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        pause = min(seconds, self.pause)
        self.time += seconds - pause
        if pause > 0:
            time.sleep(pause)
        if self.time >= self.stop_at:
            raise Interrupted("Stopped by a signal.")

    def utc(self) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(1_800_000_000 + self.now(), datetime.UTC)
