# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how a run keeps its lease on a real remote store: against a second run, after lost responses, and during
outages.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.store_link import HOLD, since_boot
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.errors import (
    LeaseHeld,
    LeaseLost,
    StoreError,
    StoreUnknown,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.keeper import LeaseKeeper
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.lease import RENEW
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.unit.deployment.state.places import holds_lease, run


def keeper(remote: Any, number: int, clock: Clock | None = None, **changes: Any) -> LeaseKeeper:
    clock = clock or remote.clock
    return LeaseKeeper(remote.store(clock), run(number, **changes), f"task-{number}", clock, clock.now)


def test_the_first_run_holds_the_lease_and_the_second_waits_90_seconds(remote: Any) -> None:
    first, second = keeper(remote, 1), keeper(remote, 2)
    first.acquire()
    assert holds_lease(first)
    shown: list[str] = []
    began = remote.clock.now()
    second.acquire(show=shown.append)
    assert 90 <= remote.clock.now() - began < 100
    assert len(shown) == 1 and "task-1" in shown[0]
    assert holds_lease(second)
    assert not holds_lease(first)  # its renewal is 90 s old


class Renewing(Clock):
    """Another run renews its lease whenever the waiter sleeps."""

    def __init__(self, holder: LeaseKeeper) -> None:
        super().__init__()
        self.holder = holder

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        self.holder.renew()


def test_a_run_that_renews_is_refused_with_its_name(remote: Any) -> None:
    first = keeper(remote, 1)
    first.acquire()
    clock = Renewing(first)
    with pytest.raises(LeaseHeld, match=r"task task-1 of process 101 on control-1.*break_lock"):
        keeper(remote, 2, clock).acquire()
    assert clock.now() < 1000 + 30
    assert holds_lease(first)


def test_break_lock_takes_the_lease_of_a_run_that_renews(remote: Any) -> None:
    first = keeper(remote, 1)
    first.acquire()
    second = keeper(remote, 2, Renewing(first))
    second.acquire(break_lock=True)
    assert holds_lease(second)
    for late in (first.renew, lambda: first.write(b"late")):
        with pytest.raises(LeaseLost, match="taken over by another run: task task-2"):
            late()


def test_who_lost_the_lease_writes_nothing_more(remote: Any) -> None:
    first, second = keeper(remote, 1), keeper(remote, 2)
    first.acquire()
    second.acquire()
    second.write(b"of the second")
    before = remote.bytes
    for late in (lambda: first.write(b"of the first"), first.renew):
        with pytest.raises(LeaseLost):
            late()
    first.release()
    assert remote.bytes == before
    assert remote.store().read().snapshot == b"of the second"


def test_a_released_lease_is_taken_at_once(remote: Any) -> None:
    first, second = keeper(remote, 1), keeper(remote, 2)
    first.acquire()
    first.write(b"state")
    first.release()
    assert not holds_lease(first)
    began = remote.clock.now()
    assert second.acquire().snapshot == b"state"
    assert remote.clock.now() == began
    first.release()  # has nothing to release
    assert holds_lease(second)


def test_the_next_task_of_the_same_run_continues(remote: Any) -> None:
    keeper(remote, 1).acquire()
    began = remote.clock.now()
    second = keeper(remote, 1)
    stored = second.acquire()
    assert stored.lease is not None and stored.lease.renewals == 1
    assert remote.clock.now() == began
    assert holds_lease(second)


def test_a_run_whose_process_has_ended_is_taken_over_earlier(remote: Any) -> None:
    keeper(remote, 1, machine="here", pid=2**22 + 1, started=5).acquire()
    lines: list[str] = []
    began = remote.clock.now()
    keeper(remote, 2, machine="here").acquire(show=lines.append)
    assert 30 <= remote.clock.now() - began < 40
    assert len(lines) == 1 and lines[0].endswith(
        "has not released its lease. This run takes it over if it is not renewed for 30 s."
    )


def test_check_fails_closed_before_another_run_can_take_over(remote: Any) -> None:
    first = keeper(remote, 1)
    assert not holds_lease(first)
    first.acquire()
    remote.clock.time += HOLD
    assert holds_lease(first)
    remote.fail(100, "write", "500")
    remote.fail(100, "read", "500")
    with pytest.raises(StoreError):
        first.renew()
    remote.clock.time += 0.1
    assert not holds_lease(first)
    remote.heal()
    first.renew()
    assert holds_lease(first)


def test_the_age_of_a_renewal_counts_from_its_beginning(remote: Any) -> None:
    """A slow answer must not make the lease longer: a waiter may have seen the renewal before the answer came."""
    first = keeper(remote, 1)
    first.acquire()
    elapsed = [100.0]
    slow = keeper(remote, 1)
    slow._elapsed = lambda: elapsed[0]
    store = slow._store.write

    def write(*arguments: Any) -> str:
        version: str = store(*arguments)
        elapsed[0] += 60
        return version

    slow._store.write = write  # type: ignore[method-assign]
    for confirm in (slow.acquire, slow.renew):
        confirm()
        elapsed[0] += 11
        assert not holds_lease(slow)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("what", ["cut", "cut after", "500", "503", "429"])
def test_lost_answers_of_a_renewal_do_no_harm(remote: Any, what: str, count: int) -> None:
    first = keeper(remote, 1)
    first.acquire()
    first.write(b"state")
    remote.fail(count, "write", what)
    first.write(b"newer")
    first.renew()
    assert holds_lease(first)
    assert remote.store().read().snapshot == b"newer"


def test_a_write_whose_answer_never_came_is_recognized_later(remote: Any) -> None:
    first = keeper(remote, 1)
    first.acquire()
    remote.fail(100, "write", "cut after")
    remote.fail(100, "read", "500")
    with pytest.raises(StoreError):
        first.write(b"state")
    remote.heal()
    first.renew()
    assert holds_lease(first)
    assert remote.store().read().snapshot == b"state"


def test_metadata_that_another_tool_changes_does_no_harm(remote: Any) -> None:
    first = keeper(remote, 1)
    first.acquire()
    first.write(b"state")
    remote.touch()
    first.renew()
    first.write(b"newer")
    assert holds_lease(first)


def test_a_record_that_was_deleted_is_lost(remote: Any) -> None:
    first = keeper(remote, 1)
    first.acquire()
    remote.delete()
    with pytest.raises(LeaseLost):
        first.renew()
    assert not holds_lease(first)
    assert remote.store().read() is None


def test_two_runs_that_begin_together_never_hold_it_both(remote: Any) -> None:
    """Real threads on real sockets: exactly one takes the lease of an empty store."""
    remote.store().probe(None)
    barrier = threading.Barrier(4)
    results: dict[int, object] = {}

    def one(number: int) -> None:
        mine = keeper(remote, number, Clock())
        stored = mine._store.read()
        barrier.wait(30)
        results[number] = mine._take(stored)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(result is not None for result in results.values()) == 1
    winner = next(number for number, result in results.items() if result is not None)
    assert remote.store().read().lease.run == run(winner)


def test_an_unreadable_store_gives_no_lease(remote: Any) -> None:
    remote.fail(100, "read", "500")
    with pytest.raises(StoreUnknown):
        keeper(remote, 1).acquire()


def test_an_outage_is_ridden_out_and_a_loss_ends_the_run(remote: Any) -> None:
    first = keeper(remote, 1)
    first.acquire()
    for _each in range(5):
        remote.clock.time += RENEW
        first.renew()
        assert holds_lease(first)
    remote.fail(100, "write", "500")
    remote.fail(100, "read", "500")
    with pytest.raises(StoreError):
        first.renew()
    assert holds_lease(first)
    remote.heal()
    first.renew()
    assert holds_lease(first)
    remote.delete()
    for _each in range(2):
        with pytest.raises(LeaseLost):
            first.renew()
        assert not holds_lease(first)


def test_the_clock_of_renewals_counts_suspended_time() -> None:
    assert since_boot() > 0
