# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create small archives that unpack to a huge size, or never end: tar, gzip, xz, zstd, cpio."""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable

ZEROS = bytes(1 << 20)


def gzip_zeros(megabytes: int, before: bytes = b"") -> bytes:
    """Return a gzip of the bytes ``before`` and so many MB of zeros."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([packer.compress(before), *(packer.compress(ZEROS) for _each in range(megabytes)), packer.flush()])


def xz_zeros(megabytes: int, before: bytes = b"") -> bytes:
    """xz of some bytes and so many MB of zeros."""
    packer = lzma.LZMACompressor(format=lzma.FORMAT_XZ, preset=0)
    return b"".join([packer.compress(before), *(packer.compress(ZEROS) for _each in range(megabytes)), packer.flush()])


def zstd_zeros(megabytes: int, before: bytes = b"") -> bytes:
    """zstd of some bytes and so many MB of zeros."""
    import zstandard

    packer = zstandard.ZstdCompressor(level=3).compressobj()
    return b"".join([packer.compress(before), *(packer.compress(ZEROS) for _each in range(megabytes)), packer.flush()])


def tar_of(files: dict[str, bytes]) -> bytes:
    """An ordinary tar."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return target.getvalue()


def tar_header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """A tar header that announces so many bytes."""
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.GNU_FORMAT)


def cpio_header(name: str, size: int, mode: int = 0o100644) -> bytes:
    """A cpio (newc) header and name, padded."""
    encoded = name.encode() + b"\0"
    fields = (0, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, len(encoded), 0)
    data = b"070701" + b"".join(b"%08X" % field for field in fields) + encoded
    return data + bytes(-len(data) % 4)


CPIO_END = cpio_header("TRAILER!!!", 0, 0)


def cpio_bomb(pack: Callable[[int, bytes], bytes], megabytes: int) -> bytes:
    """A compressed cpio archive with one file of zeros."""
    return pack(megabytes, cpio_header("config.ign", megabytes << 20))


# Archives of logs that must not be unpacked as a whole.
TAR_BOMBS: dict[str, Callable[[int], bytes]] = {
    "a member of zeros": lambda megabytes: gzip_zeros(megabytes, tar_header("log", megabytes << 20)),
    "a pax header of zeros": lambda megabytes: gzip_zeros(megabytes, tar_header("x", megabytes << 20, tarfile.XHDTYPE)),
    "a long name of zeros": lambda megabytes: gzip_zeros(
        megabytes, tar_header("x", megabytes << 20, tarfile.GNUTYPE_LONGNAME)
    ),
    "a member of zeros in xz": lambda megabytes: xz_zeros(megabytes, tar_header("log", megabytes << 20)),
    "many nested bombs": lambda megabytes: gzip.compress(
        tar_of({f"{number}.gz": gzip_zeros(20) for number in range(megabytes // 20)})
    ),
}
