# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the lab's clock: it runs at the configured speed, but never faster than the lab can work."""

from __future__ import annotations

import asyncio
import time

import pytest
from ztlab.clock import IDLE, KEEP_UP, LabClock, Pace


def test_time_in_which_the_lab_stood_still_does_not_pass() -> None:
    async def flow() -> None:
        clock = LabClock(1000)
        sleeper = asyncio.create_task(clock.sleep(10**6))
        await asyncio.sleep(0)
        before = clock.now()
        time.sleep(5 * KEEP_UP)
        assert clock.now() - before <= KEEP_UP * 1000
        sleeper.cancel()

    asyncio.run(flow())


@pytest.mark.parametrize(
    ("passed", "worked", "counted"),
    [
        (0.04, 0.0, 0.04),  # idle, on time
        (0.08, 0.04, 0.08),  # work in parallel with the sleep
        (1.0, 0.9, KEEP_UP),  # more work than a beat counts
        (0.24, 0.04, IDLE + 0.04),  # the same work on a machine where others have the processor
        (5.0, 0.0, IDLE),  # no processor at all
    ],
)
def test_only_time_that_the_lab_had_counts(passed: float, worked: float, counted: float) -> None:
    pace = Pace(10.0, 1.0)
    assert pace.count(10.0 + passed, 1.0 + worked, beating=True) == pytest.approx(counted)


def test_a_lab_that_waits_for_a_processor_is_idle_once_a_beat() -> None:
    """However often the clock is read: work takes as much time of the lab as on an idle machine."""
    pace, total = Pace(0.0, 0.0), 0.0
    for number in range(1, 11):
        total += pace.count(number * 0.1, number * 0.002, beating=True)
    assert total == pytest.approx(IDLE + 0.02)
    pace.beat()
    assert pace.count(1.04, 0.02, beating=True) == pytest.approx(0.04)


def test_a_sleep_lasts_as_long_in_the_lab_whatever_the_lab_lost() -> None:
    async def flow() -> None:
        clock = LabClock(1000)
        before = clock.now()
        sleeper = asyncio.create_task(clock.sleep(500))
        await asyncio.sleep(0)
        time.sleep(1)
        await sleeper
        assert clock.now() - before >= 500

    asyncio.run(flow())


def test_all_of_it_counts_without_a_sleeper(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: moment)
    clock = LabClock(10)
    moment = 160.0
    assert clock.now() == 600
    clock.change_speed(2)
    moment = 170.0
    assert clock.now() == 620
    with pytest.raises(ValueError, match="greater than 0"):
        clock.change_speed(0)


def test_who_sleeps_notices_another_speed() -> None:
    async def flow() -> None:
        clock = LabClock(1)
        sleeper = asyncio.create_task(clock.sleep(100_000))
        await asyncio.sleep(0)
        clock.change_speed(10**6)
        await sleeper

    asyncio.run(flow())
