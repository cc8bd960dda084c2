# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Bounded repetition of calls that may fail for a while."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TypeVar

from .clock import Clock

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Backoff:
    """``attempts`` calls at most, ``first`` seconds before the second one, growing by ``factor`` up to ``largest`` seconds."""

    attempts: int
    first: float
    factor: float = 1.0
    largest: float = 60.0

    def delay(self, attempt: int) -> float:
        """Seconds to wait after failed attempt number ``attempt`` (from 1)."""
        return min(self.largest, self.first * self.factor ** (attempt - 1))


def retry(call: Callable[[], T], backoff: Backoff, again: Callable[[Exception], bool | float], clock: Clock) -> T:
    """Call until it succeeds, ``again`` says no, or the attempts are used up; then the last exception is raised.

    ``again(error)`` answers whether another attempt is worth it; a number (not bool) is the delay in seconds to use instead of the back-off.
    """
    attempt = 1
    while True:
        try:
            return call()
        except Exception as error:
            verdict = again(error)
            if verdict is False or attempt >= backoff.attempts:
                raise
            clock.sleep(backoff.delay(attempt) if verdict is True else float(verdict))
            attempt += 1
