# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read a tar archive from a remote service as a stream, with limits against malicious or damaged archives.

The limits apply to the unpacked size, the number of members and the size of extended headers.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

# Bytes that an archive may unpack to, all nested archives included. The logs of a cluster of 5 nodes have some 300 MB.
LARGEST_TAR = 1 << 30
# Members of an archive and of those nested in it.
MOST_MEMBERS = 50_000
# Bytes of a header that extends another one (pax, GNU long names): names of files, which tarfile reads as a whole.
_LARGEST_HEADER = 16 << 10
# Characters of the name of a member and of the target of a link: PATH_MAX of Linux.
_LONGEST_NAME = 4096
# An xz stream may ask for a dictionary of 4 GiB; the highest preset of xz uses 64 MiB.
XZ_MEMORY = 96 << 20
_EXTENSIONS = frozenset(
    {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
)
# What the readers of the standard library raise for damaged data; tarfile lets some of them through.
_DAMAGE = (
    tarfile.TarError,
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    ValueError,
    OverflowError,
    IndexError,
    RecursionError,
)


class BadTar(ValueError):
    """The data is no tar archive, or exceeds a limit."""


class Budget:
    """What may still be unpacked, over an archive and all that are nested in it."""

    def __init__(self, largest: int = LARGEST_TAR) -> None:
        self._largest = largest
        self._bytes, self._members = largest, MOST_MEMBERS

    def take(self, size: int) -> None:
        """Count unpacked bytes. Raises :class:`BadTar` when there are too many."""
        self._bytes -= size
        if self._bytes < 0:
            largest_mib = self._largest >> 20
            raise BadTar(f"it unpacks to more than {largest_mib} MiB")

    def take_member(self) -> None:
        """Count a member. Raises :class:`BadTar` when there are too many."""
        self._members -= 1
        if self._members < 0:
            raise BadTar(f"it has more than {MOST_MEMBERS} members")


class _Header(tarfile.TarInfo):
    """A header that is refused before tarfile reads what it announces."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Any:
        header = super().frombuf(buf, encoding, errors)
        if header.size < 0 or (header.type in _EXTENSIONS and header.size > _LARGEST_HEADER):
            raise BadTar(f"a header of {header.size} bytes")
        return header


class _Counted(io.RawIOBase):
    """Reads and counts."""

    def __init__(self, inner: Any, budget: Budget) -> None:
        super().__init__()
        self._inner, self._budget = inner, budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._inner.read(len(buffer))
        self._budget.take(len(data))
        buffer[: len(data)] = data
        return len(data)


def members(source: BinaryIO, budget: Budget) -> Iterator[tuple[tarfile.TarInfo, BinaryIO | None]]:
    """Every member and, for a regular file, its content, to be read before the next member.

    ``source`` must be seekable.

    Raises :class:`BadTar` for what is no tar (compressed by gzip, bzip2, xz or not at all) and for one beyond the
    budget.
    """
    try:
        with (
            contextlib.closing(_Counted(_unpacked(source), budget)) as stream,
            tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as archive,
        ):
            while (member := archive.next()) is not None:
                budget.take_member()
                _check_names(member)
                yield member, archive.extractfile(member) if member.isfile() and not member.issparse() else None  # type: ignore[misc]
                archive.members.clear()  # type: ignore[attr-defined]  # tarfile keeps every header, with its names
    except BadTar:
        raise
    except _DAMAGE as error:
        raise BadTar(f"it is no tar archive: {error}") from error


def _check_names(member: tarfile.TarInfo) -> None:
    longest = max(len(member.name), len(member.linkname))
    if longest > _LONGEST_NAME:
        raise BadTar(f"a member has a name of {longest} characters")


def _unpacked(source: BinaryIO) -> Any:
    magic = source.read(6)
    source.seek(-len(magic), io.SEEK_CUR)
    if magic.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=source)
    if magic.startswith(b"BZh"):
        return bz2.BZ2File(source)
    if magic == b"\xfd7zXZ\x00":
        return _Xz(source)
    return source


class _Xz:
    """An xz stream with a limit of its memory, which LZMAFile does not have."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._unpacker = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=XZ_MEMORY)

    def read(self, size: int) -> bytes:
        piece = b""  # what an earlier call has not unpacked yet comes first
        while not self._unpacker.eof:
            if data := self._unpacker.decompress(piece, size):
                return data
            piece = self._source.read(1 << 16)
            if not piece and not self._unpacker.eof:
                raise EOFError("the xz stream is cut off")
        return b""
