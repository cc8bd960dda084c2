# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the building blocks of a wait loop (common/waiting.py): deadline, iterations, progress lines, and how long a
reason must persist before it counts.
"""

from __future__ import annotations

import math
import queue
import threading

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import Interrupted
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.progress_line import HEARTBEAT
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.retry import Backoff
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.waiting import (
    REACHED,
    Deadline,
    Doubts,
    ProgressLines,
    WaitStatus,
    next_event,
    turns,
)
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock(1000.0)


class TestDeadline:
    @pytest.mark.parametrize(
        ("limit", "after", "left", "passed", "piece"),
        [
            (10.0, 0.0, 10.0, False, 5.0),
            (10.0, 7.0, 3.0, False, 3.0),
            (10.0, 9.75, 0.25, False, 1.0),
            (10.0, 10.0, 0.0, True, 1.0),
            (10.0, 99.0, 0.0, True, 1.0),
            (0.0, 0.0, 0.0, True, 1.0),
            (-1.0, 0.0, 0.0, True, 1.0),
            (math.inf, 1e9, math.inf, False, 5.0),
        ],
    )
    def test_what_is_left(
        self, clock: Clock, limit: float, after: float, left: float, passed: bool, piece: float
    ) -> None:
        deadline = Deadline(clock, limit)
        clock.time += after
        assert (deadline.left(), deadline.passed(), deadline.piece(5.0)) == (left, passed, piece)

    def test_a_limit_that_depends_on_the_phase(self, clock: Clock) -> None:
        deadline = Deadline(clock, 10.0)
        clock.time += 10.0
        deadline.limit = 15.0
        assert deadline.left() == 5.0
        deadline.restart(20.0)
        assert (deadline.left(), deadline.limit) == (20.0, 20.0)


class TestTurns:
    @pytest.mark.parametrize(
        ("limit", "pause", "takes", "slept"),
        [
            (0.0, 5.0, 0.0, []),
            (-3.0, 5.0, 0.0, []),
            (3.0, 5.0, 0.0, [3.0]),
            (10.0, 5.0, 0.0, [5.0, 5.0]),
            (12.0, 5.0, 0.0, [5.0, 5.0, 2.0]),
            (12.0, 5.0, 4.0, [5.0]),
            (1.0, 5.0, 4.0, []),
            (20.0, Backoff(first=1.0, factor=2.0, largest=6.0), 0.0, [1.0, 2.0, 4.0, 6.0, 6.0, 1.0]),
        ],
    )
    def test_pauses(self, clock: Clock, limit: float, pause: float | Backoff, takes: float, slept: list[float]) -> None:
        looks = []
        for turn in turns(Deadline(clock, limit), pause):
            looks.append(turn)
            clock.time += takes
        assert clock.slept == slept
        assert looks == list(range(1, len(slept) + 2))

    def test_the_last_look_is_at_the_deadline(self, clock: Clock) -> None:
        looks = [clock.now() - 1000.0 for _turn in turns(Deadline(clock, 12.0), 5.0)]
        assert looks == [0.0, 5.0, 10.0, 12.0]

    def test_a_body_that_leaves_is_not_kept_waiting(self, clock: Clock) -> None:
        for turn in turns(Deadline(clock), 5.0):
            if turn == 3:
                break
        assert clock.slept == [5.0, 5.0]

    def test_a_watch_in_place_of_the_sleep(self, clock: Clock) -> None:
        waited: list[float] = []

        def wait(seconds: float) -> bool:
            waited.append(seconds)
            clock.time += min(seconds, 2.0)
            return True

        assert len(list(turns(Deadline(clock, 5.0), 30.0, wait))) == 4
        assert (waited, clock.slept) == ([5.0, 3.0, 1.0], [])

    def test_a_deadline_that_moves_during_the_wait(self, clock: Clock) -> None:
        deadline = Deadline(clock, 5.0)
        for turn in turns(deadline, 5.0):
            if turn == 2:
                deadline.restart(10.0)
        assert clock.slept == [5.0, 5.0, 5.0]


class TestNextEvent:
    def test_one_that_is_there(self) -> None:
        events: queue.Queue[str | None] = queue.Queue()
        events.put(None)
        assert next_event(events, Deadline(SystemClock(), 0.0)) is None

    def test_one_that_comes_later(self) -> None:
        events: queue.Queue[str] = queue.Queue()
        threading.Timer(0.05, events.put, ["changed"]).start()
        assert next_event(events, Deadline(SystemClock(), 10.0)) == "changed"

    def test_none_until_the_deadline(self) -> None:
        with pytest.raises(queue.Empty):
            next_event(queue.Queue[str](), Deadline(SystemClock(), 0.05))

    @pytest.mark.parametrize("after", [0.0, 0.05])
    def test_a_process_that_was_asked_to_stop(self, after: float) -> None:
        clock = SystemClock()
        threading.Timer(after, clock.stop.set).start()
        with pytest.raises(Interrupted):
            next_event(queue.Queue[str](), Deadline(clock, 10.0))


class TestProgressLines:
    @pytest.mark.parametrize(
        ("method", "texts", "shown"),
        [
            ("tell", ["a", "a", "b", "a"], ["a", "b", "a"]),
            ("repeat", ["a", "a", "b", "a"], ["a", "b", "a"]),
            ("tell", ["a", *["a"] * 13, "b"], ["a", "b"]),
            ("repeat", ["a", *["a"] * 13, "b"], ["a", "a", "b"]),
            ("beat", ["a"] * 25, ["a", "a"]),
            ("say", ["a", "a"], ["a", "a"]),
        ],
    )
    def test_when(self, clock: Clock, method: str, texts: list[str], shown: list[str]) -> None:
        found: list[str] = []
        lines = ProgressLines(clock, found.append, timed=False)
        for text in texts:
            getattr(lines, method)(*(("host",) if method in ("tell", "repeat") else ()), text)
            clock.sleep(5.0)
        assert found == shown

    def test_subjects_have_texts_of_their_own(self, clock: Clock) -> None:
        found: list[str] = []
        lines = ProgressLines(clock, found.append, timed=False)
        for subject, text in [("a", "a: ready"), ("b", "b: ready"), ("a", "a: ready"), ("b", "b: lost")]:
            lines.tell(subject, text)
        assert found == ["a: ready", "b: ready", "b: lost"]

    def test_details_alone_are_no_reason(self, clock: Clock) -> None:
        found: list[str] = []
        lines = ProgressLines(clock, found.append, timed=False)
        lines.repeat("", "1 of 2", " (x)")
        lines.repeat("", "1 of 2", " (y)")
        clock.sleep(HEARTBEAT)
        lines.repeat("", "1 of 2", " (z)")
        assert found == ["1 of 2 (x)", "1 of 2 (z)"]

    def test_a_line_of_any_kind_puts_the_heartbeat_off(self, clock: Clock) -> None:
        found: list[str] = []
        lines = ProgressLines(clock, found.append, timed=False)
        clock.sleep(HEARTBEAT - 1)
        lines.say("changed")
        clock.sleep(HEARTBEAT - 1)
        lines.beat("still waiting")
        clock.sleep(1)
        lines.beat("still waiting")
        assert found == ["changed", "still waiting"]

    def test_what_was_forgotten_is_printed_again(self, clock: Clock) -> None:
        found: list[str] = []
        lines = ProgressLines(clock, found.append, timed=False)
        for _time in range(2):
            lines.tell("away", "no answer")
            lines.forget("away")
        assert found == ["no answer", "no answer"]

    def test_form(self, clock: Clock) -> None:
        found: list[str] = []
        lines = ProgressLines(clock, found.append)
        clock.sleep(125.0)
        lines.percent = 40
        lines.say("installing\nnode-1")
        assert found == ["02:05  40% installing node-1"]


class TestDoubts:
    def test_a_reason_that_lasts(self, clock: Clock) -> None:
        doubts = Doubts(clock, 20.0)
        status = WaitStatus(doubtful=True, reason="refused", percent=20)
        assert doubts.settle("pool", status) == status
        clock.sleep(19.0)
        assert doubts.settle("pool", status) == status
        clock.sleep(1.0)
        assert doubts.settle("pool", status) == WaitStatus(final=True, reason="refused", percent=20)

    @pytest.mark.parametrize(
        "between",
        [
            WaitStatus(doubtful=True, reason="another"),
            WaitStatus(reason="on its way"),
            REACHED,
            WaitStatus(final=True, reason="x"),
        ],
    )
    def test_another_status_ends_the_doubt(self, clock: Clock, between: WaitStatus) -> None:
        doubts = Doubts(clock, 20.0)
        status = WaitStatus(doubtful=True, reason="refused")
        doubts.settle("pool", status)
        clock.sleep(15.0)
        assert doubts.settle("pool", between) == between
        clock.sleep(15.0)
        assert doubts.settle("pool", status) == status

    def test_subjects_have_doubts_of_their_own(self, clock: Clock) -> None:
        doubts = Doubts(clock, 10.0)
        assert not doubts.lasts("a", "error")
        clock.sleep(10.0)
        assert [doubts.lasts(name, "error") for name in ("a", "b")] == [True, False]

    def test_no_patience(self, clock: Clock) -> None:
        assert Doubts(clock, 0.0).lasts("a", "error")
