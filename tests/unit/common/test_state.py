# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the state file with many threads that edit it: edits are written together, none is lost, and a failed edit is
not kept.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import state as states
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile

ROOT = Path(__file__).parents[3]
THREADS = 50


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """The paths that were written."""
    found: list[Path] = []
    original = states.write_atomic

    def counted(path: Path, content: str, mode: int) -> bool:
        found.append(path)
        return original(path, content, mode)

    monkeypatch.setattr(states, "write_atomic", counted)
    yield found


def line_up(state: StateFile, edits: list[Callable[[], None]]) -> list[threading.Thread]:
    """Threads of which all wait for their turn before the first one's edit ends."""
    shared = state._shared
    threads = [threading.Thread(target=edit) for edit in edits]
    with contextlib.suppress(ZeroTouchError), state.edit():
        for thread in threads:
            thread.start()
        while shared._waiting < len(threads):
            pass
    return threads


def test_edits_of_many_threads_are_written_together(tmp_path: Path, writes: list[Path]) -> None:
    path = tmp_path / "state.json"
    seen: list[bool] = []

    def edit(number: int) -> Callable[[], None]:
        def run() -> None:
            StateFile(path).update("bmc", {f"host-{number}": {"session": str(number)}})
            # What a thread edited is on disk when its edit ends.
            seen.append(json.loads(path.read_text())["bmc"][f"host-{number}"]["session"] == str(number))

        return run

    state = StateFile(path)
    for thread in line_up(state, [edit(number) for number in range(THREADS)]):
        thread.join()
    assert seen == [True] * THREADS
    assert writes == [path]
    assert len(state.section("bmc")) == THREADS
    state.update("bmc", {"host-0": {"session": "later"}})
    assert (len(writes), state.section("bmc")["host-0"]) == (2, {"session": "later"})


def test_an_edit_that_fails_changes_nothing_and_the_others_are_kept(tmp_path: Path, writes: list[Path]) -> None:
    state = StateFile(tmp_path / "state.json")
    with pytest.raises(ValueError, match="first"), state.edit() as document:
        document["bmc"] = {"half": {}}
        raise ValueError("first")
    assert not state.path.exists()
    raised: list[str] = []

    def fails() -> None:
        try:
            with state.edit() as document:
                document["bmc"]["half"] = {}
                document["install"] = {"phase": "half"}
                raise ValueError("inside")
        except ValueError as error:
            raised.append(str(error))

    state.update("bmc", {"known": {"session": "1"}})
    for thread in line_up(state, [fails, lambda: state.update("bmc", {"good": {"session": "2"}}), fails]):
        thread.join()
    assert raised == ["inside"] * 2
    assert state.read() == {"format": 1, "bmc": {"known": {"session": "1"}, "good": {"session": "2"}}}


def test_a_write_that_fails_is_reported_to_each_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = StateFile(tmp_path / "state.json")
    state.update("bmc", {"known": {"session": "1"}})

    def full(path: Path, content: str, mode: int) -> bool:
        raise ZeroTouchError("There is no space.")

    raised: list[str] = []

    def edit(number: int) -> Callable[[], None]:
        def run() -> None:
            try:
                state.update("bmc", {f"host-{number}": {"session": "x"}})
            except ZeroTouchError as error:
                raised.append(error.message)

        return run

    monkeypatch.setattr(states, "write_atomic", full)
    for thread in line_up(state, [edit(number) for number in range(5)]):
        thread.join()
    assert raised == ["There is no space."] * 5
    monkeypatch.undo()
    assert state.section("bmc") == {"known": {"session": "1"}}
    state.update("bmc", {"next": {"session": "2"}})
    assert sorted(state.section("bmc")) == ["known", "next"]


def test_a_thread_that_is_interrupted_in_line_leaves_nothing_open(tmp_path: Path) -> None:
    state = StateFile(tmp_path / "state.json")
    shared = state._shared
    turn = shared._turn

    class Interrupted:
        """The lock, whose first waiter is interrupted after the edit that it waits for has ended."""

        def __init__(self) -> None:
            self.waits = threading.Event()
            self.released = threading.Event()
            self.hit = False

        def acquire(self) -> None:
            if threading.current_thread() is interrupted and not self.hit:
                self.hit = True
                self.waits.set()
                self.released.wait()
                raise KeyboardInterrupt
            turn.acquire()

        def release(self) -> None:
            turn.release()
            self.released.set()

        def __enter__(self) -> None:
            self.acquire()

        def __exit__(self, *details: object) -> None:
            self.release()

    stopped: list[bool] = []

    def run() -> None:
        try:
            state.update("bmc", {"late": {}})
        except KeyboardInterrupt:
            stopped.append(True)

    interrupted = threading.Thread(target=run)
    shared._turn = lock = Interrupted()  # type: ignore[assignment]
    with state.edit() as document:
        document["bmc"] = {"first": {"session": "1"}}
        interrupted.start()
        lock.waits.wait()
    interrupted.join()
    assert (stopped, state.section("bmc")) == ([True], {"first": {"session": "1"}})
    shared._turn = turn
    state.update("bmc", {"next": {"session": "2"}})
    assert sorted(state.section("bmc")) == ["first", "next"]


def test_the_edit_after_one_that_was_killed_deletes_its_part(tmp_path: Path) -> None:
    program = (
        "import os, sys, pathlib\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile\n"
        "os.replace = lambda *paths: os.kill(os.getpid(), 9)\n"
        "StateFile(pathlib.Path(sys.argv[1])).update('secrets', {'token': 'a'})\n"
    )
    state = StateFile(tmp_path / "state.json")
    subprocess.run([sys.executable, "-c", program, str(state.path), str(ROOT / ".build")], check=False)
    (tmp_path / ".other.json.abc.part").touch()
    parts = sorted(path.name for path in tmp_path.glob("*.part"))
    assert len(parts) == 2 and not state.path.exists()
    state.update("secrets", {"token": "b"})
    assert [path.name for path in tmp_path.glob("*.part")] == [".other.json.abc.part"]
    assert state.section("secrets") == {"token": "b"}
