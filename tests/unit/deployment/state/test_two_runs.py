# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test several runs of one deployment with a remote store: at most one of them may write to machines, in any order of
events.
"""

from __future__ import annotations

import contextlib
import dataclasses

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.errors import (
    StoreConflict,
    StoreFailed,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.keeper import LeaseKeeper
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.lease import Lease
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.store import StoredState
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.unit.deployment.state.places import holds_lease, run
from hypothesis import given, settings
from hypothesis import strategies as st


class MemoryStore:
    """A record in memory. ``fault`` is what happens to the next write: ``lost`` before, ``unanswered`` after it was
    carried out.
    """

    name = "memory"

    def __init__(self) -> None:
        self.record: StoredState | None = None
        self.writes = 0
        self.fault = ""

    def read(self) -> StoredState | None:
        return self.record

    def write(self, lease: Lease, snapshot: bytes | None, expected: str | None) -> str:
        fault, self.fault = self.fault, ""
        if fault == "lost":
            raise StoreFailed("lost")
        if (None if self.record is None else self.record.version) != expected:
            raise StoreConflict("changed")
        self.writes += 1
        kept = self.record.snapshot if self.record is not None and snapshot is None else snapshot or b""
        self.record = StoredState(str(self.writes), lease, kept)
        if fault == "unanswered":
            raise StoreFailed("unanswered")
        return self.record.version

    def probe(self, stored: StoredState | None) -> None:
        """Conditions are observed."""

    def close(self) -> None:
        """Nothing is open."""


@dataclasses.dataclass
class World:
    """Three runs on one store, on one clock that passes in sleeps and in steps of the test."""

    store: MemoryStore = dataclasses.field(default_factory=MemoryStore)
    time: Clock = dataclasses.field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.keepers = {
            number: LeaseKeeper(self.store, run(number), "x", self.time, self.time.now) for number in (1, 2, 3)
        }

    def may_write(self) -> list[int]:
        return [number for number, each in self.keepers.items() if holds_lease(each)]

    def step(self, action: str, number: int, seconds: float) -> None:
        self.time.time += seconds
        each = self.keepers[number]
        with contextlib.suppress(ZeroTouchError):
            if action == "acquire":
                each.acquire()
            elif action == "renew":
                each.renew()
            elif action == "store":
                each.write(b"%d" % number)
            elif action == "release":
                each.release()
            elif action == "next task":
                self.keepers[number] = LeaseKeeper(self.store, run(number), "y", self.time, self.time.now)
            else:
                self.store.fault = action


_ACTIONS = st.sampled_from(["acquire", "acquire", "renew", "store", "release", "next task", "lost", "unanswered"])
_STEPS = st.lists(
    st.tuples(_ACTIONS, st.sampled_from([1, 2, 3]), st.sampled_from([0.0, 5.0, 20.0, 45.0, 69.0, 71.0, 95.0])),
    max_size=25,
)


@settings(max_examples=400)
@given(_STEPS)
def test_at_most_one_run_may_write_to_machines(steps: list[tuple[str, int, float]]) -> None:
    world = World()
    for step in steps:
        world.step(*step)
        assert len(world.may_write()) <= 1


@settings(max_examples=400)
@given(_STEPS)
def test_who_stores_holds_the_lease(steps: list[tuple[str, int, float]]) -> None:
    """A snapshot is never written by another run than the one whose lease is in the record before and after."""
    world = World()
    for action, number, seconds in steps:
        before = world.store.record
        world.step(action, number, seconds)
        after = world.store.record
        if after is not None and before is not None and after.snapshot != before.snapshot:
            assert before.lease is not None and after.lease is not None
            assert before.lease.run == after.lease.run == run(number)


@given(_STEPS)
def test_a_run_can_always_go_on_after_all_others_have_ended(steps: list[tuple[str, int, float]]) -> None:
    world = World()
    for step in steps:
        world.step(*step)
    world.store.fault = ""
    last = LeaseKeeper(world.store, run(9), "x", world.time, world.time.now)
    began = world.time.now()
    last.acquire()
    assert holds_lease(last)
    assert world.time.now() - began < 100
