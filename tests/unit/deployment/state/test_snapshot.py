# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test packing the files of a work directory into a snapshot, and restoring them either completely or not at all."""

from __future__ import annotations

import io
import json
import lzma
import os
import tarfile
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import snapshot as s
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.snapshot import (
    Snapshot,
    pack,
    read_files,
    restore,
    unpack,
)
from hypothesis import given
from hypothesis import strategies as st

PARTS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1, max_size=12).filter(
    lambda part: (
        part not in (".", "..")
        and "/" not in part
        and "\\" not in part
        and part.isprintable()
        and not part.endswith(".part")
    )
)
NAMES = st.lists(PARTS, min_size=1, max_size=3).map(lambda parts: "/".join(["config", *parts]))
FILES = st.dictionaries(NAMES, st.binary(max_size=200), max_size=6).filter(
    lambda files: not any(other.startswith(name + "/") for name in files for other in files)
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    directory = tmp_path / "work"
    directory.mkdir(mode=0o700)
    return directory


def put(root: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        (root / name).write_bytes(content)


@given(FILES)
def test_what_is_packed_is_unpacked(files: dict[str, bytes]) -> None:
    made = Snapshot({"state.json": b"{}", **files})
    assert unpack(pack(made)).files == made.files
    assert pack(made) == pack(Snapshot(dict(reversed(made.files.items()))))


@given(FILES, FILES)
def test_equal_digests_mean_equal_files(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    assert (Snapshot(one).digest == Snapshot(other).digest) == (one == other)


@given(FILES, st.data())
def test_damaged_bytes_are_refused_or_unpack_to_plain_files(files: dict[str, bytes], data: st.DataObject) -> None:
    packed = bytearray(pack(Snapshot(files)))
    place = data.draw(st.integers(0, len(packed) - 1))
    packed[place] ^= data.draw(st.integers(1, 255))
    try:
        found = unpack(bytes(packed))
    except s.BadSnapshot as error:
        assert str(error)
    else:
        assert not any(s.name_fault(name) for name in found.files)


def test_an_archive_that_was_cut_off_is_refused() -> None:
    packed = pack(Snapshot({"state.json": bytes(range(256)) * 100, "auth/a": b"x" * 5000}))
    for length in range(0, len(packed), 11):
        with pytest.raises(s.BadSnapshot):
            unpack(packed[:length])


def test_restoring_into_other_directories_gives_the_same_files(work: Path, tmp_path: Path) -> None:
    files = {
        "state.json": b'{"format": 1}',
        "auth/kubeconfig": b"\x00\xff",
        "config/openshift/a.yaml": b"",
        "config/install-config.yaml": b"a: b\n",
    }
    put(work, files)
    os.chmod(work / "auth/kubeconfig", 0o644)
    put(work, {"images/agent.iso": b"large", ".lock": b"", "logs/x": b"", "config/.a.yaml.x1.part": b"torn"})
    found = read_files(work)
    assert found.files == files
    restore(found, tmp_path / "other" / "work")
    assert read_files(tmp_path / "other" / "work").digest == found.digest
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "other").rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "other").rglob("*") if path.is_dir()} == {0o700}
    assert not (tmp_path / "other" / "work" / "replaced").exists()


def test_what_a_restore_replaces_is_kept(work: Path) -> None:
    put(
        work,
        {
            "state.json": b'{"old": 1}',
            "auth/kubeconfig": b"old",
            "auth/extra": b"x",
            "config/a": b"same",
            "images/agent.iso": b"i",
        },
    )
    new = Snapshot({"state.json": b'{"new": 1}', "auth/kubeconfig": b"new", "config/a": b"same"})
    restore(new, work)
    assert read_files(work).files == new.files
    kept = {
        str(path.relative_to(work / "replaced")): path.read_bytes()
        for path in (work / "replaced").rglob("*")
        if path.is_file()
    }
    assert kept == {"1/state.json": b'{"old": 1}', "1/auth/kubeconfig": b"old", "1/auth/extra": b"x"}
    assert (work / "images/agent.iso").read_bytes() == b"i"
    restore(Snapshot({"state.json": b'{"third": 1}'}), work)
    assert (work / "replaced" / "2" / "state.json").read_bytes() == b'{"new": 1}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"config/x": b"1"}, {"config/x/y": b"2"}),
        ({"config/x/y/z": b"1"}, {"config/x": b"2"}),
        ({"config/x/y": b"1"}, {"config/x/z": b"2"}),
    ],
)
def test_files_become_directories_and_the_other_way_round(
    work: Path, before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    put(work, before)
    restore(Snapshot(after), work)
    assert read_files(work).files == after


def test_a_restore_that_is_killed_has_no_new_state_file(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was written before: state.json is the last file."""
    new = Snapshot({"state.json": b'{"new": 1}', "auth/a": b"a", "config/b": b"b"})
    written: list[str] = []

    def killed(path: Path, content: bytes) -> bool:
        if path.name == "state.json":
            raise KeyboardInterrupt
        written.append(path.name)
        return True

    monkeypatch.setattr(s, "write_atomic", killed)
    with pytest.raises(KeyboardInterrupt):
        restore(new, work)
    assert written == ["a", "b"]
    assert not (work / "state.json").exists()


@pytest.mark.parametrize(
    "make",
    [lambda path, other: path.symlink_to(other), lambda path, other: os.mkfifo(path), lambda path, other: path.mkdir()],
)
def test_links_and_special_files_are_refused(work: Path, tmp_path: Path, make: object) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret").write_text("x")
    put(work, {"config/a": b""})
    make(work / "state.json", tmp_path / "elsewhere")  # type: ignore[operator]
    with pytest.raises(ZeroTouchError) as refused:
        read_files(work)
    assert "state.json" in str(refused.value)


def test_a_link_to_a_directory_is_not_followed(work: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret").write_text("x")
    (work / "auth").mkdir(mode=0o700)
    (work / "auth" / "more").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ZeroTouchError, match="more is a symbolic link"):
        read_files(work)
    with pytest.raises(ZeroTouchError, match="more is a symbolic link"):
        restore(Snapshot({"auth/more/secret": b"y"}), work)
    assert (tmp_path / "elsewhere" / "secret").read_text() == "x"


def archive(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as tar:
        for member, content in members:
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return lzma.compress(target.getvalue())


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize(
    "members",
    [
        [(member("../x"), b"")],
        [(member("/etc/passwd"), b"")],
        [(member("config/../../x"), b"")],
        [(member("config//x"), b"")],
        [(member("config/a\nb"), b"")],
        [(member("images/x"), b"")],
        [(member("config"), b"")],
        [(member("auth/a", tarfile.SYMTYPE, "/etc/passwd"), b"")],
        [(member("auth/a", tarfile.LNKTYPE, "state.json"), b"")],
        [(member("auth/a", tarfile.DIRTYPE), b"")],
        [(member("auth/a", tarfile.CHRTYPE), b"")],
        [(member("auth/a"), b"1"), (member("auth/a"), b"2")],
        [(member("auth/a"), b"1"), (member("auth/a/b"), b"2")],
        [(member("auth/" + "x" * 250), b"1")],
        [(member("auth/" + "d/" * 20 + "x"), b"1")],
    ],
    ids=lambda members: members[0][0].name[:20].replace("\n", "_"),
)
def test_archives_with_other_members_are_refused(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    with pytest.raises(s.BadSnapshot):
        unpack(archive(*members))


def test_limits_hold_on_both_ways(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(work, {f"config/{number}": b"x" * 100 for number in range(20)})
    packed = pack(read_files(work))
    monkeypatch.setattr(s, "MOST_FILES", 19)
    with pytest.raises(ZeroTouchError, match="more than 19 files"):
        read_files(work)
    with pytest.raises(s.BadSnapshot):
        unpack(packed)
    monkeypatch.setattr(s, "MOST_FILES", 20)
    monkeypatch.setattr(s, "LARGEST_FILES", 1999)
    with pytest.raises(ZeroTouchError, match="the largest is config/"):
        read_files(work)


def test_a_bomb_ends_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s, "LARGEST_FILES", 1 << 20)
    bomb = lzma.compress(archive_of_zeros(12 << 20), preset=0)
    assert len(bomb) < 10_000
    with pytest.raises(s.BadSnapshot, match="unpacks to more than"):
        unpack(bomb)


def archive_of_zeros(size: int) -> bytes:
    info = member("config/zeros")
    info.size = size
    return info.tobuf() + bytes(size) + bytes(1024)


def test_a_state_that_is_no_document_is_none() -> None:
    assert Snapshot({"state.json": b"[1]"}).state == {}
    assert Snapshot({"state.json": b"\xff{"}).state == {}
    assert Snapshot({"state.json": json.dumps({"format": 1}).encode()}).state == {"format": 1}
