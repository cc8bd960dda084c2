# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which record of a deployment's state is current, that of the work directory or that of the remote store. No
record of a machine is lost without a message.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import lineage
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.lineage import Mark, Marks, choose
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.snapshot import Snapshot
from ansible_collections.zerotouch.openshift.tests.unit.deployment.state.places import machines
from hypothesis import given
from hypothesis import strategies as st

STORE = "Secret lab/x at https://hub"


def snapshot(state: dict[str, Any] | None = None, **files: str) -> Snapshot:
    own = {} if state is None else {"state.json": json.dumps({"format": 1, **state}).encode()}
    return Snapshot({**own, **{f"config/{name}": content.encode() for name, content in files.items()}})


def mark(serial: int, of: Snapshot, line: str = "a") -> Mark:
    return Mark(line, serial, of.digest)


def marks(base: Mark | None = None, **changes: Any) -> Marks:
    return Marks(STORE, base, **changes)


ONE = snapshot({"machines": machines(a="booted")})
TWO = snapshot({"machines": machines(a="booted", b="booting")})
OTHER = snapshot({"machines": machines(c="booted")})
SEEN = snapshot(
    {"machines": machines(a="booted"), "install": {"phase": "booted", "started_at": "1", "last_seen_at": "2"}}
)
LATER = snapshot(
    {"machines": machines(a="booted"), "install": {"phase": "installing", "started_at": "1", "last_seen_at": "3"}}
)
KEYS = snapshot({"secrets": {"infra_env_id": "1"}, "machines": machines(a="booted")})
OTHER_KEYS = snapshot({"secrets": {"infra_env_id": "2"}, "machines": machines(a="booted")})
NONE, GONE = snapshot(), Snapshot()


@pytest.mark.parametrize(
    ("local", "stored", "stored_mark", "known", "action"),
    [
        # The store was read and is empty.
        (NONE, None, None, marks(), "same"),
        (ONE, None, None, marks(), "store"),
        (ONE, None, None, marks(mark(3, ONE)), "store"),
        (ONE, None, None, marks(mark(3, ONE), restoring=True), "diverged"),
        # The work directory is new, or has files of the user alone.
        (NONE, ONE, mark(3, ONE), marks(), "restore"),
        (snapshot(a="x"), ONE, mark(3, ONE), marks(), "restore"),
        (NONE, GONE, mark(4, GONE), marks(), "same"),
        # Equal.
        (ONE, ONE, mark(3, ONE), marks(), "same"),
        (ONE, ONE, mark(3, ONE), marks(mark(2, NONE)), "same"),
        # A killed run stored less than it wrote.
        (TWO, ONE, mark(3, ONE), marks(mark(3, ONE)), "store"),
        # Its last write reached the store, and the answer did not reach the run.
        (OTHER, TWO, mark(4, TWO), marks(mark(3, ONE), pending=mark(4, TWO)), "store"),
        # Another container went on.
        (ONE, TWO, mark(4, TWO), marks(mark(3, ONE)), "restore"),
        (ONE, OTHER, mark(9, OTHER), marks(mark(3, ONE)), "restore"),
        # The same, and the killed run had changes that were not stored: they are no record.
        (SEEN, LATER, mark(4, LATER), marks(mark(3, ONE)), "restore"),
        # They are a record.
        (TWO, SEEN, mark(4, SEEN), marks(mark(3, ONE)), "diverged"),
        (TWO, OTHER, mark(4, OTHER), marks(mark(3, ONE)), "diverged"),
        # A restore that was killed is repeated, with what the store has then.
        (ONE, TWO, mark(4, TWO), marks(mark(3, ONE), restoring=True), "restore"),
        (
            snapshot({"machines": machines(a="booted")}, half="x"),
            TWO,
            mark(5, TWO),
            marks(mark(3, ONE), restoring=True),
            "restore",
        ),
        # The store is older than what this directory stored: a backup was restored.
        (TWO, ONE, mark(3, ONE), marks(mark(5, TWO)), "store"),
        (TWO, OTHER, mark(4, OTHER), marks(mark(5, TWO)), "diverged"),
        # No marks: the directory was used with another store, or with none.
        (ONE, TWO, mark(4, TWO), marks(), "restore"),
        (TWO, ONE, mark(4, ONE), marks(), "store"),
        (ONE, OTHER, mark(4, OTHER), marks(), "diverged"),
        (KEYS, OTHER_KEYS, mark(4, OTHER_KEYS), marks(), "diverged"),
        # The record in the store was deleted and begun again elsewhere.
        (ONE, OTHER, mark(4, OTHER, "b"), marks(mark(3, ONE)), "diverged"),
        # Destroyed by another run; by this one, with a new deployment since then.
        (ONE, GONE, mark(4, GONE), marks(mark(3, ONE)), "diverged"),
        (ONE, GONE, mark(4, GONE), marks(), "diverged"),
        (ONE, GONE, mark(4, GONE), marks(mark(3, ONE), restoring=True), "diverged"),
        (ONE, GONE, mark(4, GONE), marks(mark(4, GONE)), "store"),
    ],
)
def test_table(local: Snapshot, stored: Snapshot | None, stored_mark: Mark | None, known: Marks, action: str) -> None:
    found = choose(local, stored, stored_mark, known)
    assert (found.action, bool(found.reason)) == (action, True)


STATES = st.dictionaries(
    st.sampled_from("abc"),
    st.builds(
        lambda state, at: {"state": state, "at": at, "macs": []},
        st.sampled_from(["booting", "booted", "released"]),
        st.sampled_from("123"),
    ),
)
RECORDS = STATES.map(lambda entries: snapshot({"machines": entries}))


@given(RECORDS, RECORDS, RECORDS, st.integers(1, 4), st.integers(1, 4), st.sampled_from("ab"), st.booleans())
def test_no_record_is_replaced_by_one_that_lacks_it(
    local: Snapshot, stored: Snapshot, base: Snapshot, serial: int, known: int, line: str, with_marks: bool
) -> None:
    """Except where the lineage proves that the other side is its successor."""
    known_marks = marks(mark(known, base) if with_marks else None)
    stored_mark = mark(serial, stored, line)
    verdict = choose(local, stored, stored_mark, known_marks)
    successor = with_marks and line == "a" and serial > known and local.digest == base.digest
    predecessor = stored_mark == known_marks.base
    if verdict.action == "restore" and not successor:
        assert not list(lineage.missing_records(local.state, stored.state))
    if verdict.action == "store" and not predecessor:
        assert not list(lineage.missing_records(stored.state, local.state))


def test_marks_outlive_the_process(tmp_path: Path) -> None:
    kept = Marks(STORE, mark(3, ONE), mark(4, TWO), restoring=True)
    kept.save(tmp_path)
    assert Marks.load(tmp_path) == kept
    assert kept.settled(mark(4, TWO)) == dataclasses.replace(kept, base=mark(4, TWO), pending=None)
    assert kept.settled(mark(4, ONE)) == kept


@pytest.mark.parametrize("text", ["", "[]", "{", '{"store": 1}', "\xff"])
def test_marks_that_cannot_be_read_are_none(tmp_path: Path, text: str) -> None:
    (tmp_path / lineage.NAME).write_text(text, encoding="latin-1")
    assert Marks.load(tmp_path) == Marks()
