# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading log archives (tar): an archive that unpacks to gigabytes is rejected in bounded memory, and a valid one
is read.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import tracemalloc
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import tar_stream
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import Redactor
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.tar_stream import BadTar, Budget, members
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.archive import redact_archive
from ansible_collections.zerotouch.openshift.tests.support.hostile import archives
from hypothesis import given
from hypothesis import strategies as st

FILES = {"a.log": b"hello", "b/c.log": b"x" * 5000}


def same(data: bytes) -> bytes:
    return data


@pytest.mark.slow
@pytest.mark.parametrize("bomb", archives.TAR_BOMBS)
def test_a_bomb_is_refused_in_bounded_memory(bomb: str) -> None:
    source = io.BytesIO(archives.TAR_BOMBS[bomb](100))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError), open("/dev/null", "wb") as target:
            redact_archive(source, target, Redactor(["secret-word"]), Budget(30 << 20))
        assert tracemalloc.get_traced_memory()[1] < 110 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "pack", [same, gzip.compress, bz2.compress, lzma.compress], ids=["plain", "gzip", "bzip2", "xz"]
)
def test_honest_archives_are_read(pack: Any) -> None:
    found = {}
    for member, content in members(io.BytesIO(pack(archives.tar_of(FILES))), Budget()):
        found[member.name] = content.read() if content else None
    assert found == FILES


def test_too_many_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tar_stream, "MOST_MEMBERS", 5)
    with pytest.raises(BadTar, match="more than 5 members"):
        list(members(io.BytesIO(archives.tar_of({str(number): b"" for number in range(6)})), Budget()))


def test_a_negative_size() -> None:
    data = bytearray(archives.tar_of(FILES))
    data[124:136] = b"\xff" * 11 + b"\x00"  # base 256, as GNU tar writes large and negative numbers
    with pytest.raises(BadTar):
        list(members(io.BytesIO(bytes(data)), Budget()))


@given(st.binary(max_size=2000))
def test_any_bytes(data: bytes) -> None:
    try:
        list(members(io.BytesIO(data), Budget()))
    except BadTar as error:
        assert str(error)


@pytest.mark.parametrize("length", [4096, 4097, 15_000, 1 << 19])
@pytest.mark.parametrize("format_", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
@pytest.mark.parametrize("part", ["name", "linkname"])
def test_long_names(part: str, format_: int, length: int) -> None:
    source = io.BytesIO()
    with tarfile.open(fileobj=source, mode="w", format=format_) as archive:
        member = tarfile.TarInfo("link")
        member.type = tarfile.SYMTYPE
        setattr(member, part, "n" * length)
        archive.addfile(member)
    source.seek(0)
    if length > 4096:
        with pytest.raises(BadTar, match=r"a member has a name of|a header of"):
            list(members(source, Budget()))
    else:
        assert [getattr(found, part) for found, _content in members(source, Budget())] == ["n" * length]
