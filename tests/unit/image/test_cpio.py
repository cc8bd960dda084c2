# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write and read cpio archives in the form that the kernel accepts."""

from __future__ import annotations

import gzip
import lzma

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.image import cpio
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.cpio import (
    CorruptArchive,
    Member,
    read_members,
    write_archive,
)

CONFIG = Member("config.ign", b'{"ignition":{"version":"3.2.0"}}')
KEYFILE = Member("etc/coreos-firstboot-network/eth0.nmconnection", b"[connection]\nid=eth0\n", 0o100600)


def test_round_trip_sorts_and_makes_parents() -> None:
    archive = write_archive([KEYFILE, CONFIG])
    assert read_members(archive) == (CONFIG, KEYFILE)
    names = [
        archive.index(name + b"\x00")
        for name in (
            b"config.ign",
            b"etc",
            b"etc/coreos-firstboot-network",
            b"etc/coreos-firstboot-network/eth0.nmconnection",
        )
    ]
    assert names == sorted(names)


def test_header_is_what_openshift_install_writes() -> None:
    archive = write_archive([CONFIG])
    # magic, inode, mode, uid, gid, links, mtime, size, four device numbers, name size, check
    header = (
        b"070701"
        + b"%08X%08X%08X%08X%08X%08X%08X" % (0, 0o100644, 0, 0, 1, 0, 32)
        + b"0" * 32
        + b"%08X" % 11
        + b"0" * 8
    )
    assert archive.startswith(header + b"config.ign\x00")
    assert len(archive) % 4 == 0


@pytest.mark.parametrize(
    "compress",
    [bytes, cpio.gzip, cpio.xz, gzip.compress, lzma.compress],
    ids=["none", "gzip", "xz", "stdlib-gzip", "crc64"],
)
def test_every_compression_with_padding_around(compress) -> None:
    area = bytes(12) + compress(write_archive([CONFIG])) + bytes(7) + compress(write_archive([KEYFILE])) + bytes(100)
    assert read_members(area) == (CONFIG, KEYFILE)


def test_zstd() -> None:
    zstandard = pytest.importorskip("zstandard")
    area = zstandard.ZstdCompressor().compress(write_archive([CONFIG])) + bytes(64)
    assert read_members(area) == (CONFIG,)


def test_the_last_copy_of_a_path_counts() -> None:
    later = Member("config.ign", b"{}")
    assert read_members(cpio.gzip(write_archive([CONFIG])) + write_archive([later])) == (later,)


def test_large_highly_compressible_member() -> None:
    member = Member("zeros", bytes(5 << 20))
    assert read_members(cpio.gzip(write_archive([member]))) == (member,)
    assert read_members(cpio.xz(write_archive([member]))) == (member,)


def test_nothing_but_zeros_is_no_member() -> None:
    assert read_members(bytes(262144)) == ()
    assert read_members(b"") == ()


GZIPPED = cpio.gzip(write_archive([CONFIG]))
XZED = cpio.xz(write_archive([CONFIG]))


@pytest.mark.parametrize(
    ("area", "words"),
    [
        (b"something else", "neither padding nor a cpio archive at byte 0"),
        (bytes(8) + b"\x07", "neither padding nor a cpio archive at byte 8"),
        (GZIPPED[:40], "cut off"),
        (XZED[:40], "cut off"),
        (GZIPPED[:20] + bytes(20) + GZIPPED[40:], "damaged"),
        (XZED[:30] + b"\xff\xff" + XZED[32:], "damaged"),
        (cpio.gzip(write_archive([CONFIG]) + b"more"), "behind the end"),
        (cpio.gzip(b"no archive"), "no cpio header"),
        (write_archive([CONFIG])[:-124], "no cpio header"),
        (write_archive([CONFIG])[:130], "cut off"),
        (write_archive([CONFIG]).replace(b"000081A4", b"zzzzzzzz"), "damaged cpio header"),
        (cpio.gzip(bytes(70 << 20)), "larger than"),
    ],
)
def test_corrupt(area: bytes, words: str) -> None:
    with pytest.raises(CorruptArchive, match=words):
        read_members(area)


def test_compression_is_reproducible() -> None:
    assert cpio.gzip(b"x" * 1000) == cpio.gzip(b"x" * 1000)
    assert cpio.gzip(b"")[4:8] == bytes(4)  # no time
    assert cpio.xz(b"x")[6:8] == b"\x00\x01"  # stream flags: check is CRC32
