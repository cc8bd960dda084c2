# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which run may take the lease on a deployment's state, and when. The clock of the waiting run decides."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.lock import start_time
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.store_link import HOLD
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import lease as le
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import run as r
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.lease import (
    Lease,
    LeaseWatch,
    decide,
    observe,
)
from ansible_collections.zerotouch.openshift.tests.unit.deployment.state.places import run

OWN, OTHER, THIRD = run(1), run(2), run(3)
HELD = Lease(OTHER, "boot_hosts", "2026-11-24T12:00:00Z", 4)
RENEWED = HELD.renewed("install_wait", "2026-11-24T12:00:20Z")


@pytest.mark.parametrize(
    ("lease", "seen", "changes", "options", "verdict"),
    [
        (None, 0, 0, {}, "take"),
        (dataclasses.replace(HELD, released=True), 0, 0, {}, "take"),
        (Lease(OWN, "x", ""), 0, 0, {}, "take"),
        (HELD, 0, 0, {}, "wait"),
        (HELD, 89.9, 0, {}, "wait"),
        (HELD, 90.0, 0, {}, "take"),
        (HELD, 29.9, 0, {"ended": True}, "wait"),
        (HELD, 30.0, 0, {"ended": True}, "take"),
        (RENEWED, 0, 1, {}, "refuse"),
        (RENEWED, 200, 1, {}, "refuse"),
        # break_lock is for a holder that renews; one that does not is taken over without it, and not earlier with it.
        (RENEWED, 0, 1, {"break_lock": True}, "take"),
        (HELD, 0, 0, {"break_lock": True}, "wait"),
        (HELD, 90.0, 0, {"break_lock": True}, "take"),
    ],
)
def test_table(lease: Lease | None, seen: float, changes: int, options: dict[str, bool], verdict: str) -> None:
    assert decide(LeaseWatch(lease, 1000.0, changes), OWN, 1000.0 + seen, **options) == verdict


def test_a_watch_counts_changes_and_the_time_since_the_last_one() -> None:
    watch = observe(None, HELD, 10.0)
    assert observe(watch, HELD, 50.0) == LeaseWatch(HELD, 10.0, 0)
    watch = observe(watch, RENEWED, 60.0)
    assert watch == LeaseWatch(RENEWED, 60.0, 1)
    assert observe(watch, Lease(THIRD, "x", ""), 70.0).changes == 2


def test_the_times_suffice_for_a_request_that_has_begun() -> None:
    assert 3 * le.RENEW < HOLD < le.TAKE_OVER - 15
    assert le.RENEW < le.TAKE_OVER_ENDED


def test_a_lease_says_since_when_its_task_runs() -> None:
    assert HELD.renewed("boot_hosts", "later").since == HELD.since
    assert RENEWED.since == "2026-11-24T12:00:20Z"


def test_a_lease_survives_json() -> None:
    assert Lease.read(json.loads(json.dumps(RENEWED.as_dict()))) == RENEWED


@pytest.mark.parametrize(
    "change",
    [
        {"run": None},
        {"run": {**dataclasses.asdict(OTHER), "pid": "1"}},
        {"run": {**dataclasses.asdict(OTHER), "host": "x" * 201}},
        {"task": 1},
        {"task": "x" * 201},
        {"since": None},
        {"renewals": True},
        {"renewals": 1.5},
        {"released": 0},
    ],
)
def test_a_damaged_lease_is_no_lease(change: dict[str, Any]) -> None:
    assert Lease.read({**HELD.as_dict(), **change}) is None


def test_only_a_process_of_this_machine_is_known_to_have_ended() -> None:
    alive = run(2, machine="here", pid=os.getpid(), started=start_time(os.getpid()))
    ended = dataclasses.replace(alive, started=alive.started - 1)
    here = run(1, machine="here")
    assert not le.ended(None, here)
    assert not le.ended(Lease(alive, "", ""), here)
    assert le.ended(Lease(ended, "", ""), here)
    assert not le.ended(Lease(ended, "", ""), run(1, machine="elsewhere"))
    assert not le.ended(Lease(dataclasses.replace(ended, machine=""), "", ""), run(1, machine=""))


def test_all_tasks_of_a_playbook_are_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = r.this_run(tmp_path)
    assert r.this_run(tmp_path) == first
    assert (tmp_path / r.NAME).stat().st_mode & 0o777 == 0o600
    assert first.alive() and first.machine

    class Parent:
        pid = os.getppid()

    monkeypatch.setattr("multiprocessing.parent_process", lambda: Parent)
    of_playbook = r.this_run(tmp_path)
    assert of_playbook.id != first.id and of_playbook.pid == os.getppid()
    assert r.this_run(tmp_path) == of_playbook


def test_a_file_of_another_run_is_not_used(tmp_path: Path) -> None:
    first = r.this_run(tmp_path)
    for change in ({"started": first.started - 1}, {"host": "x"}, {"machine": "x"}, {"id": 5}):
        (tmp_path / r.NAME).write_text(json.dumps({**dataclasses.asdict(first), **change}))
        assert r.this_run(tmp_path).id != first.id
    (tmp_path / r.NAME).write_text("{")
    assert r.this_run(tmp_path).id != first.id


def test_without_proc_a_machine_has_no_name(tmp_path: Path) -> None:
    assert r.this_machine(tmp_path) == ""
