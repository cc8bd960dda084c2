# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that the lab unpacks initramfs archives as the kernel does."""

from __future__ import annotations

import gzip
import lzma

import pytest
from ztlab.machine.initramfs import InitrdError, unpack


def cpio(files: dict[str, bytes]) -> bytes:
    out = b""
    for name, data in [*files.items(), ("TRAILER!!!", b"")]:
        mode = 0o100600 if name != "TRAILER!!!" else 0
        fields = [0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        header = b"070701" + b"".join(f"{field:08x}".encode() for field in fields) + name.encode() + b"\0"
        out += header + bytes(-len(header) % 4) + data + bytes(-len(data) % 4)
    return out


ONE, TWO = cpio({"config.ign": b"{}"}), cpio({"config.ign": b"[]", "etc/x": b"12345"})
GOOD = {
    "plain": (ONE, {"config.ign": b"{}"}),
    "gzip": (gzip.compress(ONE), {"config.ign": b"{}"}),
    "xz with CRC32": (lzma.compress(ONE, check=lzma.CHECK_CRC32), {"config.ign": b"{}"}),
    "zeros": (bytes(4096), {}),
    "later copies win": (
        gzip.compress(ONE) + bytes(100) + lzma.compress(TWO, check=lzma.CHECK_CRC32) + bytes(7),
        {"config.ign": b"[]", "etc/x": b"12345"},
    ),
    "two archives in one": (gzip.compress(ONE + bytes(512) + TWO), {"config.ign": b"[]", "etc/x": b"12345"}),
}
BAD = {
    "xz with CRC64": (lzma.compress(ONE), "unsupported check CRC64"),
    "junk": (b"hello" + ONE, "invalid magic"),
    "cut gzip": (gzip.compress(ONE)[:-9], "unexpected end"),
    "cut archive": (ONE[:150], "broken cpio header"),
    "junk inside": (gzip.compress(ONE + b"junk"), "junk within"),
    "damaged gzip": (b"\x1f\x8b\x08\x00" + bytes(6) + b"\xff" * 40, "gzip archive"),
}


@pytest.mark.parametrize("name", GOOD)
def test_good(name: str) -> None:
    data, expected = GOOD[name]
    assert unpack(data) == expected


@pytest.mark.parametrize("name", BAD)
def test_bad(name: str) -> None:
    data, reason = BAD[name]
    with pytest.raises(InitrdError, match=reason):
        unpack(data)
