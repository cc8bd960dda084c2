# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test atomic writes of files and of the state file: a reader finds the old or the new content, never a part. The
result reports whether the file changed.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.files import (
    atomic_writer,
    ensure_directory,
    remove_leftovers,
    same_file,
    sha256_of,
    write_atomic,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import FORMAT, StateFile

ROOT = Path(__file__).parents[3]


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


class TestFiles:
    def test_written_once(self, tmp_path: Path) -> None:
        path = tmp_path / "a" / "b" / "file"
        assert write_atomic(path, "text\n")
        assert (path.read_text(), mode_of(path), mode_of(path.parent), mode_of(path.parents[1])) == (
            "text\n",
            0o600,
            0o700,
            0o700,
        )
        inode = path.stat().st_ino
        assert not write_atomic(path, b"text\n")
        assert path.stat().st_ino == inode
        assert write_atomic(path, "text\n", 0o640) and mode_of(path) == 0o640
        assert write_atomic(path, "other")
        assert sorted(os.listdir(path.parent)) == ["file"]

    def test_mode_holds_whatever_the_umask(self, tmp_path: Path) -> None:
        before = os.umask(0o077)
        try:
            write_atomic(tmp_path / "public", "x", 0o644)
        finally:
            os.umask(before)
        assert mode_of(tmp_path / "public") == 0o644

    def test_failure_keeps_the_old_content(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        write_atomic(path, "old")
        with pytest.raises(KeyboardInterrupt), atomic_writer(path) as handle:
            handle.write(b"new")
            raise KeyboardInterrupt
        assert path.read_text() == "old" and os.listdir(tmp_path) == ["file"]

    def test_reader_never_sees_a_part(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        contents = [b"a" * 100_000, b"b" * 100_000]
        write_atomic(path, contents[0])
        seen = set()
        done = threading.Event()

        def read() -> None:
            while not done.is_set():
                seen.add(path.read_bytes())

        reader = threading.Thread(target=read)
        reader.start()
        for number in range(20):
            write_atomic(path, contents[number % 2])
        done.set()
        reader.join()
        assert seen <= set(contents)

    def test_link_is_replaced_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "users").write_text("the user's own")
        (tmp_path / "file").symlink_to("users")
        write_atomic(tmp_path / "file", "ours")
        assert (tmp_path / "users").read_text() == "the user's own" and not (tmp_path / "file").is_symlink()

    def test_same_file(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        assert not same_file(path, "x")
        write_atomic(path, "x")
        assert same_file(path, "x") and same_file(path, b"x")
        assert not same_file(path, "y") and not same_file(path, "xx") and not same_file(path, "x", 0o644)
        assert not same_file(tmp_path, "x")

    def test_directories(self, tmp_path: Path) -> None:
        (tmp_path / "users").mkdir(mode=0o755)
        assert not ensure_directory(tmp_path / "users")
        assert mode_of(tmp_path / "users") == 0o755
        assert ensure_directory(tmp_path / "users" / "a" / "b")
        assert mode_of(tmp_path / "users" / "a") == mode_of(tmp_path / "users" / "a" / "b") == 0o700

    @pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1])
    def test_sha256(self, size: int, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"z" * size)
        assert sha256_of(tmp_path / "file") == hashlib.sha256(b"z" * size).hexdigest()

    def test_leftovers_of_a_killed_run(self, tmp_path: Path) -> None:
        program = (
            "import os, sys, pathlib\n"
            "sys.path.insert(0, sys.argv[2])\n"
            "from ansible_collections.zerotouch.openshift.plugins.module_utils.common.files import atomic_writer\n"
            "with atomic_writer(pathlib.Path(sys.argv[1])) as handle:\n"
            "    handle.write(b'part'); handle.flush(); os.kill(os.getpid(), 9)\n"
        )
        subprocess.run([sys.executable, "-c", program, str(tmp_path / "image.iso"), str(ROOT / ".build")], check=False)
        (tmp_path / ".part").mkdir()
        leftovers = [name for name in os.listdir(tmp_path) if name != ".part"]
        assert len(leftovers) == 1 and not (tmp_path / "image.iso").exists()
        (tmp_path / ".part").rmdir()
        assert [path.name for path in remove_leftovers(tmp_path)] == leftovers
        assert os.listdir(tmp_path) == [] and remove_leftovers(tmp_path / "absent") == []

    def test_the_next_write_deletes_the_leftovers_of_its_file(self, tmp_path: Path) -> None:
        for name in (".a[1].yaml.x1.part", ".a[1].yaml.x2.part", ".a1.yaml.x3.part", ".b.yaml.x4.part"):
            (tmp_path / name).touch()
        (tmp_path / ".a[1].yaml.x5.part").mkdir()
        write_atomic(tmp_path / "a[1].yaml", "a")
        assert sorted(os.listdir(tmp_path)) == [
            ".a1.yaml.x3.part",
            ".a[1].yaml.x5.part",
            ".b.yaml.x4.part",
            "a[1].yaml",
        ]

    def test_a_file_that_is_being_written_is_no_leftover(self, tmp_path: Path) -> None:
        with atomic_writer(tmp_path / "a") as first, atomic_writer(tmp_path / "a") as second:
            first.write(b"first")
            second.write(b"second")
            assert remove_leftovers(tmp_path) == []
        assert ((tmp_path / "a").read_bytes(), os.listdir(tmp_path)) == (b"first", ["a"])

    def test_a_complete_file_is_no_leftover_before_it_has_its_name(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Another process may write the same file at this moment."""
        rename, deleted = os.replace, []

        def late(source: Path, target: Path) -> None:
            deleted.extend(remove_leftovers(tmp_path))
            rename(source, target)

        monkeypatch.setattr(os, "replace", late)
        assert write_atomic(tmp_path / "a", "content") and not deleted
        assert (os.listdir(tmp_path), (tmp_path / "a").read_text()) == (["a"], "content")

    def test_a_temporary_file_that_is_deleted_before_it_is_locked(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def late(descriptor: int, operation: int) -> None:
            monkeypatch.undo()
            assert len(remove_leftovers(tmp_path)) == 1
            fcntl.flock(descriptor, operation)

        monkeypatch.setattr(fcntl, "flock", late)
        assert write_atomic(tmp_path / "a", "content")
        assert (os.listdir(tmp_path), (tmp_path / "a").read_text()) == (["a"], "content")


class TestState:
    def test_empty(self, tmp_path: Path) -> None:
        state = StateFile(tmp_path / "w" / "state.json")
        assert state.read() == {} and state.section("image") == {}
        assert not (tmp_path / "w").exists()

    def test_update(self, tmp_path: Path) -> None:
        state = StateFile(tmp_path / "w" / "state.json")
        state.update("image", {"path": "x", "size": 1})
        state.update("bmc", {"node-1": {"session": ""}})
        state.update("image", {"size": None, "sha256": "y"})
        assert state.read() == {
            "format": FORMAT,
            "image": {"path": "x", "sha256": "y"},
            "bmc": {"node-1": {"session": ""}},
        }
        assert mode_of(state.path) == 0o600 and mode_of(state.path.parent) == 0o700

    def test_nothing_changed_nothing_written(self, tmp_path: Path) -> None:
        state = StateFile(tmp_path / "state.json")
        state.update("image", {"path": "x"})
        before = state.path.stat().st_mtime_ns, state.path.stat().st_ino
        state.update("image", {"path": "x"})
        with state.edit():
            pass
        assert (state.path.stat().st_mtime_ns, state.path.stat().st_ino) == before

    def test_failed_edit_changes_nothing(self, tmp_path: Path) -> None:
        state = StateFile(tmp_path / "state.json")
        state.update("image", {"path": "x"})
        with pytest.raises(RuntimeError), state.edit() as document:
            document["image"]["path"] = "y"
            raise RuntimeError
        assert state.section("image") == {"path": "x"}

    @pytest.mark.parametrize("text", ["", "no json", "[]", "{}", '{"format": "1"}', '{"image": {}}'])
    def test_not_ours(self, text: str, tmp_path: Path) -> None:
        (tmp_path / "state.json").write_text(text)
        with pytest.raises(ZeroTouchError, match="is not a state file of this collection"):
            StateFile(tmp_path / "state.json").read()

    def test_newer_format(self, tmp_path: Path) -> None:
        (tmp_path / "state.json").write_text(json.dumps({"format": FORMAT + 1}))
        state = StateFile(tmp_path / "state.json")
        with pytest.raises(ZeroTouchError, match="newer release"):
            state.update("image", {"path": "x"})
        assert json.loads(state.path.read_text()) == {"format": FORMAT + 1}

    def test_unreadable(self, tmp_path: Path) -> None:
        (tmp_path / "state.json").mkdir()
        with pytest.raises(ZeroTouchError, match="cannot be read"):
            StateFile(tmp_path / "state.json").read()

    def test_two_writers_lose_nothing(self, tmp_path: Path) -> None:
        def write(name: str) -> None:
            for number in range(25):
                StateFile(tmp_path / "state.json").update(name, {f"k{number}": number})

        threads = [threading.Thread(target=write, args=(name,)) for name in ("image", "publish", "install")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        document = StateFile(tmp_path / "state.json").read()
        assert all(len(document[name]) == 25 for name in ("image", "publish", "install"))


class TestWriteFaults:
    @pytest.mark.parametrize(
        ("number", "words"),
        [
            (errno.ENOSPC, r"There is no space for .*file: it needs 5 bytes, \d+ are free\. Free some space"),
            (errno.EDQUOT, r"There is no space for .*file: it needs 5 bytes, \d+ are free\."),
            (errno.EACCES, r"file cannot be written: Permission denied\. It must belong to the user"),
            (errno.EROFS, r"file cannot be written: Read-only file system\. The file system is mounted read-only\."),
            (errno.EIO, r"file cannot be written: Input/output error\."),
        ],
    )
    def test_what_is_said(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str) -> None:
        def fail(descriptor: int) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(ZeroTouchError, match=words):
            write_atomic(tmp_path / "file", b"12345")
        assert list(tmp_path.iterdir()) == []

    def test_a_file_where_a_directory_should_be(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(
            ZeroTouchError, match=("file cannot be written: a part of the path exists and is not a directory")
        ):
            write_atomic(tmp_path / "file" / "below" / "x", b"")
