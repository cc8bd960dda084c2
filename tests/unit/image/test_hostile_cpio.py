# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test hostile data in the Ignition area of an image: archives that unpack to gigabytes, or whose headers refer back,
are rejected in bounded memory and time.
"""

from __future__ import annotations

import time
import tracemalloc

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.image import cpio
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.cpio import (
    CorruptArchive,
    Member,
    read_members,
    write_archive,
    xz,
)
from ansible_collections.zerotouch.openshift.tests.support.hostile import archives

PACKERS = {"gzip": archives.gzip_zeros, "xz": archives.xz_zeros, "zstd": archives.zstd_zeros}


@pytest.mark.slow
@pytest.mark.parametrize("packer", PACKERS)
def test_a_bomb(packer: str) -> None:
    area = archives.cpio_bomb(PACKERS[packer], 300)
    tracemalloc.start()
    try:
        with pytest.raises(CorruptArchive, match="larger than"):
            read_members(area)
        assert tracemalloc.get_traced_memory()[1] < 200 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("packer", PACKERS)
def test_many_archives_that_are_a_bomb_together(packer: str) -> None:
    one = PACKERS[packer](20, archives.cpio_header("a", (20 << 20) - 1024)[:0] + archives.CPIO_END)
    with pytest.raises(CorruptArchive, match="larger than"):
        read_members(one * 10)


def test_many_empty_archives() -> None:
    started = time.process_time()
    with pytest.raises(CorruptArchive, match="more than"):
        read_members(archives.CPIO_END * 400_000)
    assert time.process_time() - started < 10


def test_many_empty_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpio, "_MOST_MEMBERS", 100)
    with pytest.raises(CorruptArchive, match="more than 100 files"):
        read_members(b"".join(archives.cpio_header(str(number), 0) for number in range(200)) + archives.CPIO_END)


@pytest.mark.parametrize("field", [b"-0000001", b"+0000001", b"0x000001", b"0000_001", b"       1"])
def test_numbers_that_are_not_hexadecimal_digits(field: bytes) -> None:
    header = bytearray(archives.cpio_header("a", 1))
    header[54:62] = field  # the size
    started = time.process_time()
    with pytest.raises(CorruptArchive, match="damaged cpio header"):
        read_members(bytes(header) + b"x\0\0\0" + archives.CPIO_END)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("pack", [lambda data: data, cpio.gzip, xz], ids=["plain", "gzip", "xz"])
def test_honest_archives_are_read(pack: object) -> None:
    files = (Member("a", b"1" * 3_000_000), Member("b/c", b"2"))
    area = pack(write_archive(files)) + bytes(500) + pack(write_archive([Member("d", b"")])) + bytes(100)  # type: ignore[operator]
    assert [(member.path, member.content) for member in read_members(area)] == [
        ("a", b"1" * 3_000_000),
        ("b/c", b"2"),
        ("d", b""),
    ]


def test_an_honest_archive_in_zstd() -> None:
    import zstandard

    files = [Member("a", bytes(range(256)) * 20_000), Member("b", b"2")]
    area = (
        zstandard.ZstdCompressor(level=3).compress(write_archive(files)) + bytes(7) + write_archive([Member("c", b"3")])
    )
    assert [member.path for member in read_members(area)] == ["a", "b", "c"]
