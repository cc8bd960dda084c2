# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Provide the parts of a wait loop: the deadline, the iterations, and the progress lines.

Also measure how long a fault persists: some faults end a wait only if they last.

A wait is a ``for`` loop over :func:`turns`. The body reads the state, prints progress and leaves the loop when the wait
is over. The code after the loop handles the limit::

    deadline = Deadline(clock, timeout)
    for _turn in turns(deadline, PAUSE):
        status = look()
        if status.reached:
            return status
        lines.tell("cluster", status.reason)
    raise LimitReached(...)
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import queue
from collections.abc import Callable, Iterator
from typing import TypeVar

from .clock import Clock
from .progress_line import HEARTBEAT, line
from .retry import Backoff

T = TypeVar("T")
# Seconds between two checks whether the process was asked to stop, in a wait for the event of a thread.
_CHECK = 0.5


class Deadline:
    """A limit in seconds, counted on ``clock`` from ``began``.

    A wait whose limit depends on its phase assigns ``limit``, or restarts the count.
    """

    def __init__(self, clock: Clock, limit: float = math.inf) -> None:
        self.clock = clock
        self.limit = limit
        self.began = clock.now()

    def restart(self, limit: float) -> None:
        """Count from now, up to ``limit`` seconds."""
        self.began, self.limit = self.clock.now(), limit

    def left(self) -> float:
        """Seconds until the limit, never below 0."""
        return max(0.0, self.began + self.limit - self.clock.now())

    def passed(self) -> bool:
        return self.left() <= 0

    def piece(self, longest: float) -> float:
        """Seconds for the next watch: at most ``longest`` or what is left, at least 1 so that a late one still
        lists.
        """
        return min(longest, max(1.0, self.left()))


def turns(deadline: Deadline, pause: float | Backoff, wait: Callable[[float], object] | None = None) -> Iterator[int]:
    """Numbers from 1, one for each look, with pauses between them; ends after a look that finished past the deadline.

    There is at least one look. The last pause is shortened, so that the last look is at the deadline. ``wait`` replaces
    the sleep where a watch can end it early. Raises :class:`Interrupted` between two looks when the process was asked
    to stop.
    """
    for number in itertools.count(1):
        yield number
        left = deadline.left()
        if left <= 0:
            return
        seconds = pause.delay(number) if isinstance(pause, Backoff) else pause
        (wait or deadline.clock.sleep)(min(seconds, left))


def next_event(events: queue.Queue[T], deadline: Deadline) -> T:
    """The next item of a queue that a thread fills.

    Raises :class:`queue.Empty` at the deadline, and :class:`Interrupted` when the process was asked to stop.
    """
    deadline.clock.sleep(0)
    for _turn in turns(deadline, 0.0):
        try:
            return events.get(timeout=max(0.001, min(deadline.left(), _CHECK)))
        except queue.Empty:
            continue
    raise queue.Empty


class ProgressLines:
    """The lines that one wait prints: on change, and again after :data:`HEARTBEAT` seconds without a line.

    ``timed`` lines begin with the minutes of the wait and ``percent``; the others are printed as they are.
    """

    def __init__(self, clock: Clock, show: Callable[[str], None], *, timed: bool = True) -> None:
        self._clock, self._show, self._timed = clock, show, timed
        self._began = self._last = clock.now()
        self._latest: dict[str, str] = {}
        self.percent = 0

    @property
    def quiet(self) -> bool:
        """Whether a line is due although nothing changed."""
        return self._clock.now() - self._last >= HEARTBEAT

    def say(self, text: str) -> None:
        """Print the text."""
        self._last = self._clock.now()
        self._show(line(self._last - self._began, self.percent, text) if self._timed else text)

    def tell(self, subject: str, text: str, details: str = "") -> None:
        """Print the text if it is not the latest one about ``subject``.

        ``details`` are printed with it, but their change alone is no reason to print.
        """
        if self._latest.get(subject) != text:
            self._latest[subject] = text
            self.say(text + details)

    def repeat(self, subject: str, text: str, details: str = "") -> None:
        """As :meth:`tell`, and again after a quiet minute."""
        if self.quiet:
            self.forget(subject)
        self.tell(subject, text, details)

    def beat(self, text: str) -> None:
        """Print the text after a quiet minute."""
        if self.quiet:
            self.say(text)

    def forget(self, subject: str) -> None:
        """The next text about ``subject`` counts as a change."""
        self._latest.pop(subject, None)


@dataclasses.dataclass(frozen=True)
class WaitStatus:
    """How far something is: it has ``reached`` what a task waits for, it never will (``final``), or it is on its way.

    ``reason`` says what is missing or what went wrong. ``doubtful``: final if it lasts, since a condition may still be
    about the state before a change.
    """

    reached: bool = False
    final: bool = False
    doubtful: bool = False
    reason: str = ""
    percent: int = 0


REACHED = WaitStatus(reached=True)


class Doubts:
    """Since when each subject has had its present reason; a reason that lasts for ``seconds`` is believed."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock, self._seconds = clock, seconds
        self._since: dict[str, tuple[str, float]] = {}

    def lasts(self, subject: str, reason: str | None) -> bool:
        """Note the present reason, None for none; whether it has lasted."""
        if reason is None:
            self._since.pop(subject, None)
            return False
        known = self._since.get(subject)
        since = known[1] if known is not None and known[0] == reason else self._clock.now()
        self._since[subject] = (reason, since)
        return self._clock.now() - since >= self._seconds

    def settle(self, subject: str, status: WaitStatus) -> WaitStatus:
        """The status; one that is doubtful becomes final once its reason has lasted."""
        if not self.lasts(subject, status.reason if status.doubtful else None):
            return status
        return dataclasses.replace(status, doubtful=False, final=True)
