# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the clock that code with waits takes as an argument, so that tests can replace it and need not wait."""

from __future__ import annotations

import threading
import time
from typing import Protocol

from .errors import Interrupted


class Clock(Protocol):
    def now(self) -> float:
        """Seconds on a clock that never goes back."""

    def sleep(self, seconds: float) -> None:
        """Wait; raises Interrupted when the process was asked to stop."""


class Stop(threading.Event):
    """Set when the process must end; ``reason`` says why."""

    reason = "Stopped by a signal."


class SystemClock:
    """Real time. ``stop`` (set by a signal handler or by the stop switch) ends every sleep at once with
    :class:`Interrupted`.
    """

    def __init__(self, stop: Stop | None = None) -> None:
        self.stop = stop or Stop()

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        if self.stop.wait(max(0.0, seconds)):
            raise Interrupted(self.stop.reason)
