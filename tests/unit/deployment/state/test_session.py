# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test storing the state of a deployment with every storage method. The state is stored before machines are touched,
the next container finds it, and a fault never makes it look empty.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.record import (
    read_record as machines_of,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import record as r
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import session as s
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import snapshot as sn
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.errors import (
    LeaseLost,
    StateDiverged,
    StoreError,
    StoreRefused,
    StoreUnknown,
    WrongPassphrase,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.methods import (
    open_store,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.options import StateOptions
from ansible_collections.zerotouch.openshift.tests.unit.deployment.state.places import (
    PASSPHRASE,
    holds_lease,
    machines,
    run,
)


def note(root: Path, **states: str) -> None:
    """What the gate records before a power action."""
    StateFile(root / "state.json").update("machines", machines(**states))


def recorded(root: Path) -> dict[str, str]:
    return {name: entry["state"] for name, entry in machines_of(root).state.get("machines", {}).items()}


def begin(remote: Any, name: str, number: int = 1, **options: Any) -> tuple[Any, Path]:
    root = remote.directory(name)
    session = remote.session(root, run(number), **options)
    return session, root


def test_the_next_container_finds_what_was_stored(remote: Any) -> None:
    session, root = begin(remote, "a")
    assert session.open().action == "same"
    note(root, node="booting")
    (root / "auth").mkdir(mode=0o700)
    (root / "auth" / "kubeconfig").write_text("clusters: []\n")
    session.save()
    assert holds_lease(session)
    session.release()

    session, root = begin(remote, "b", 2)
    session.open()
    assert recorded(root) == {"node": "booting"}
    assert (root / "auth" / "kubeconfig").read_text() == "clusters: []\n"
    assert holds_lease(session)


def test_an_empty_store_is_empty(remote: Any) -> None:
    session, root = begin(remote, "a")
    assert session.open().action == "same"
    assert session.save() is False
    assert not (root / "state.json").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 99}', '{"format": 1, "machines": []}'])
def test_a_state_file_that_cannot_be_read_is_unknown(remote: Any, text: str) -> None:
    session, root = begin(remote, "a")
    root.mkdir(mode=0o700, exist_ok=True)
    (root / "state.json").write_text(text)
    for opens in (session.open, lambda: s.open_directory(root)):
        with pytest.raises(StoreUnknown):
            opens()
    assert (root / "state.json").read_text() == text


def test_a_destroyed_deployment_leaves_no_record(remote: Any) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, node="booted")
    session.save()
    (root / "state.json").unlink()
    session.forget()
    assert session.save() is False
    session.release()
    session, root = begin(remote, "b", 2)
    assert session.open().action == "same"
    assert recorded(root) == {}
    note(root, other="booting")
    session.save()
    session.release()
    session, root = begin(remote, "c", 3)
    session.open()
    assert recorded(root) == {"other": "booting"}


def test_transitions_are_stored_at_once_and_other_changes_once_a_minute(remote: Any) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, a="booting")
    assert session.save() is True
    assert session.save() is False  # nothing changed
    note(root, a="booted")
    assert session.save(transition=False) is False
    assert session.save() is True
    note(root, a="released")
    remote.clock.time += 59
    assert session.save(transition=False) is False
    remote.clock.time += 1
    session._keeper.renew()
    assert session.save(transition=False) is True


def test_a_store_that_takes_no_write_stops_the_run_before_the_first_power_action(remote: Any) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, node="booting")
    remote.fail(100, "write", "500")
    with pytest.raises(StoreError):
        session.save()
    remote.heal()


@pytest.mark.parametrize("what", ["500", "403", "cut"])
def test_an_unreadable_store_is_never_empty(remote: Any, what: str) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, node="booted")
    session.save()
    session.release()
    remote.fail(100, "read", what)
    session, root = begin(remote, "b", 2)
    with pytest.raises(StoreUnknown):
        session.open()
    assert not (root / "state.json").exists()
    assert not holds_lease(session)


def test_a_damaged_record_is_never_empty_and_stays_as_it_is(remote: Any) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, node="booted")
    session.save()
    session.release()
    remote.damage()
    before = remote.bytes
    session, root = begin(remote, "b", 2)
    with pytest.raises(StoreUnknown):
        session.open()
    assert remote.bytes == before and not (root / "state.json").exists()


def test_a_wrong_passphrase_is_unknown_and_writes_nothing(remote: Any) -> None:
    session, root = begin(remote, "a", passphrase=PASSPHRASE)
    session.open()
    note(root, node="booted")
    session.save()
    session.release()
    assert b"booted" not in remote.bytes
    before = remote.bytes
    for wrong in ("another passphrase", ""):
        session, root = begin(remote, "b", 2, passphrase=wrong)
        with pytest.raises(WrongPassphrase) as refused:
            session.open()
        assert PASSPHRASE not in str(refused.value)
        assert not (root / "state.json").exists()
    assert remote.bytes == before


def test_the_state_of_another_cluster_is_unknown(remote: Any) -> None:
    session, root = begin(remote, "a")
    session._cluster = "other"
    session.open()
    note(root, node="booted")
    session.save()
    session.release()
    with pytest.raises(StoreUnknown, match=r"cluster 'other'"):
        begin(remote, "b", 2)[0].open()


def test_a_killed_run_is_continued_in_its_own_directory(remote: Any) -> None:
    """SIGKILL between a write of state.json and its store: the directory has more than the store."""
    session, root = begin(remote, "a")
    session.open()
    note(root, first="booting")
    session.save()
    note(root, second="booting")
    session, root = begin(remote, "a", 2)
    opened = session.open()
    assert opened.action == "store" and recorded(root) == {"first": "booting", "second": "booting"}
    other, elsewhere = begin(remote, "b", 2)
    other.open()
    assert recorded(elsewhere) == recorded(root)


def test_a_killed_run_whose_last_write_arrived(remote: Any) -> None:
    """SIGKILL between the write to the store and its note in the directory."""
    session, root = begin(remote, "a")
    session.open()
    note(root, first="booting")
    session.save()
    note(root, second="booting")
    session._note = lambda marks: marks.save(root) if marks.pending else (_ for _ in ()).throw(KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        session.save()
    note(root, second="booted")  # of the same second: without the note, either could be the later one
    session, root = begin(remote, "a", 2)
    assert session.open().action == "store"
    assert recorded(root) == {"first": "booting", "second": "booted"}


def test_a_killed_run_is_continued_elsewhere_and_its_directory_follows(remote: Any) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, first="booting")
    session.save()
    StateFile(root / "state.json").update("install", {"last_seen_at": "2026-11-24T12:00:00Z"})
    session, elsewhere = begin(remote, "b", 2)
    session.open()
    note(elsewhere, second="booting")
    session.save()
    session.release()
    session, root = begin(remote, "a", 3)
    assert session.open().action == "restore"
    assert set(recorded(root)) == {"first", "second"}
    assert "last_seen_at" in (root / "replaced" / "1" / "state.json").read_text()


def test_records_of_both_sides_stop_the_run_and_neither_is_changed(remote: Any) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, first="booting")
    session.save()
    note(root, only_here="booting")
    other, elsewhere = begin(remote, "b", 2)
    other.open()
    note(elsewhere, only_there="booting")
    other.save()
    other.release()
    session, root = begin(remote, "a", 3)
    with pytest.raises(
        StateDiverged,
        match=(
            r"only the work directory has machine only_here; only the store has "
            r"machine only_there"
        ),
    ) as refused:
        session.open()
    assert "delete the record" in refused.value.hint
    assert set(recorded(root)) == {"first", "only_here"}
    # The lease of the refused run does not keep others waiting.
    began = remote.clock.now()
    other, elsewhere = begin(remote, "b", 4)
    other.open()
    assert remote.clock.now() == began and set(recorded(elsewhere)) == {"first", "only_there"}


@pytest.mark.parametrize("written", range(4))
def test_a_restore_that_is_killed_is_completed_by_the_next_run(
    remote: Any, written: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, first="booting")
    session.save()
    session.release()
    other, elsewhere = begin(remote, "b", 2)
    other.open()
    note(elsewhere, second="booting")
    for name in ("auth/kubeconfig", "config/a", "config/b"):
        (elsewhere / name).parent.mkdir(mode=0o700, exist_ok=True)
        (elsewhere / name).write_text("x")
    other.save()
    other.release()

    left = [written]
    write = sn.write_atomic

    def killed(path: Path, content: bytes) -> bool:
        if "replaced" not in path.parts:
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
        return write(path, content)

    monkeypatch.setattr(sn, "write_atomic", killed)
    session, root = begin(remote, "a", 3)
    with pytest.raises(KeyboardInterrupt):
        session.open()
    monkeypatch.setattr(sn, "write_atomic", write)
    with pytest.raises(StoreUnknown, match="was interrupted"):
        s.open_directory(root)
    session, root = begin(remote, "a", 4)
    assert session.open().action == "restore"
    assert set(recorded(root)) == {"first", "second"}
    assert (root / "config" / "b").read_text() == "x"


def test_a_store_that_lost_its_record_gets_it_again_with_a_warning(remote: Any) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, node="booted")
    session.save()
    session.release()
    remote.delete()
    session, root = begin(remote, "a", 2)
    opened = session.open()
    assert opened.action == "store" and "lost its record" in opened.warnings[0]
    session, root = begin(remote, "b", 2)
    session.open()
    assert recorded(root) == {"node": "booted"}


def test_a_record_that_was_moved_to_another_store_is_the_same_one(remote: Any) -> None:
    """A copy of the Secret on another cluster, or another URL of the document: versions are compared, not names."""
    session, root = begin(remote, "a")
    session.open()
    note(root, first="booting")
    session.save()
    note(root, second="booting")
    marks = json.loads((root / ".store.json").read_text())
    (root / ".store.json").write_text(json.dumps({**marks, "store": "https://former.example.com/x"}))
    session, root = begin(remote, "a", 2)
    assert session.open().action == "store"


def test_a_restore_that_was_interrupted_counts_for_another_store_too(remote: Any) -> None:
    session, root = begin(remote, "a")
    note(root, first="booting")
    (root / ".store.json").write_text(json.dumps({"store": "https://former.example.com/x", "restoring": True}))
    with pytest.raises(StateDiverged, match="a restore into this work directory was interrupted"):
        session.open()


def test_a_run_that_was_taken_over_stores_nothing(remote: Any) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, node="booting")
    session.save()
    other, elsewhere = begin(remote, "b", 2)
    other.open()
    note(elsewhere, node="booted")
    other.save()
    note(root, late="booting")
    with pytest.raises(LeaseLost):
        session.save()
    assert not holds_lease(session)
    third, root = begin(remote, "c", 2)
    third.open()
    assert recorded(root) == {"node": "booted"}


def test_what_is_too_large_names_the_largest_part(remote: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, node="booting")
    (root / "config").mkdir(mode=0o700)
    (root / "config" / "small.yaml").write_text("x" * 400)
    (root / "config" / "large.yaml").write_bytes(bytes(range(256)) * 8)
    monkeypatch.setattr(r, "LARGEST_STORED", 300)
    with pytest.raises(StoreRefused, match=r"takes 300\. The largest part is config/large\.yaml \(2048 bytes\)"):
        session.save()
    found = r.size_problem(remote.options, root, {})
    assert found is not None and "config/large.yaml" in found.detail
    found = r.size_problem(remote.options, root, {"new.yaml": "".join(map(chr, range(33, 3000)))})
    assert found is not None and "config/new.yaml" in found.detail, (
        "the configuration that the run writes replaces the former one"
    )
    monkeypatch.setattr(r, "LARGEST_STORED", 900_000)
    assert r.size_problem(remote.options, root, {}) is None
    assert r.size_problem(StateOptions(), root, {}) is None
    assert session.save() is True


def test_a_lost_state_file_is_not_stored_as_empty(remote: Any) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, node="booted")
    session.save()
    (root / "state.json").unlink()
    with pytest.raises(StoreUnknown, match="no record any more"):
        session.save()
    session.release()
    session, root = begin(remote, "a", 2)
    assert session.open().action == "restore"
    assert recorded(root) == {"node": "booted"}


def test_a_directory_that_is_deleted_during_a_write_is_not_made_again(
    remote: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The write takes place while the playbook ends, and the user may delete the directory at once."""
    session, root = begin(remote, "a")
    session.open()
    note(root, node="booting")
    write = session._keeper.write

    def slow(snapshot: bytes | None) -> None:
        write(snapshot)
        shutil.rmtree(root)

    monkeypatch.setattr(session._keeper, "write", slow)
    with pytest.raises(ZeroTouchError):
        session.save()
    assert not root.exists()
    monkeypatch.undo()
    session.release()

    session, root = begin(remote, "b", 2)
    session.open()
    assert recorded(root) == {"node": "booting"}


def test_playbooks_that_change_nothing_read_without_lease(remote: Any) -> None:
    session, root = begin(remote, "a")
    session.open()
    note(root, node="booted")
    session.save()
    before = remote.bytes
    store = open_store(remote.options, cluster="demo", clock=remote.clock)
    assert store is not None
    found = r.read_record(store.read(), session._keys, "demo", store.name)
    assert found is not None and found[0].state["machines"]["node"]["state"] == "booted"
    assert remote.bytes == before


@pytest.mark.parametrize("state", [b"{", b"[]", b'{"format": 1, "machines": []}', b'{"machines": {}}', None])
def test_a_record_with_a_damaged_state_is_unknown(remote: Any, state: bytes | None) -> None:
    session, root = begin(remote, "a")
    session.open()
    files = {"auth/x": b"y"} if state is None else {"state.json": state}
    session._put(sn.Snapshot(files))
    session.release()
    session, root = begin(remote, "b", 2)
    with pytest.raises(StoreUnknown, match="is damaged"):
        session.open()
    assert not (root / "state.json").exists()


def test_no_secret_is_in_a_representation() -> None:
    options = StateOptions(
        "http", passphrase=PASSPHRASE, headers={"Authorization": "Bearer token-1"}, connection={"api_key": "key-1"}
    )
    assert PASSPHRASE not in repr(options) and "token-1" not in repr(options) and "key-1" not in repr(options)
    assert options.secrets() == {PASSPHRASE, "Bearer token-1", "token-1", "key-1"}


def test_a_session_needs_the_directory_to_be_private(remote: Any) -> None:
    session, root = begin(remote, "a")
    root.chmod(0o777)
    with pytest.raises(ZeroTouchError, match="can write"):
        session.open()


def test_a_server_without_conditional_writes_is_refused_at_the_start(web: Any) -> None:
    web.server.ignores = {"if-match", "if-none-match"}
    session, _root = begin(web, "a")
    with pytest.raises(StoreRefused, match="instead of 412"):
        session.open()
    assert not holds_lease(session)


def test_a_server_that_lost_its_conditions_is_refused_without_a_change(web: Any) -> None:
    session, root = begin(web, "a")
    session.open()
    note(root, node="booted")
    session.save()
    session.release()
    before = web.bytes
    web.server.ignores = {"if-match"}
    session, root = begin(web, "b", 2)
    with pytest.raises(StoreRefused, match="ignores If-Match"):
        session.open()
    assert web.bytes == before


def test_the_next_task_does_not_probe_again(web: Any) -> None:
    session, _root = begin(web, "a")
    session.open()
    before = len(web.server.requests)
    begin(web, "a")[0].open()
    assert web.server.methods()[before:] == ["GET", "GET", "PUT"]
