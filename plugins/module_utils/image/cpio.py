# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read and write cpio archives (newc) in the form that the kernel unpacks: several archives in a row, each compressed
or not, with zeros between them.

Source: coreos/coreos-installer src/live/embed.rs, src/io/initrd.rs.
"""

from __future__ import annotations

import dataclasses
import lzma
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..common import libraries

FILE_TYPE = 0o100000
FILE_MODE = FILE_TYPE | 0o644
_DIRECTORY_MODE = 0o040755
_MAGIC = b"070701"
_HEADER = 110
_TRAILER = "TRAILER!!!"
# An area of 256 KiB whose archives unpack to more than this together is no configuration.
_LARGEST_CONTENT = 64 << 20
# Archives and files of an area: an Ignition config and a few network files per host. The kernel has no limit.
_MOST_MEMBERS = 20_000
_MOST_ARCHIVES = 1000
_CHUNK = 1 << 20
# zstd packs up to 32768 bytes into one, so that a step of this many bytes unpacks to 16 MiB at most.
_ZSTD_STEP = 512
# An xz stream may ask for a dictionary of 4 GiB; the highest preset of xz uses 64 MiB, the kernel's images 32 MiB.
_XZ_MEMORY = 96 << 20
_NOT_ZERO = re.compile(rb"[^\x00]")
_FIELDS = re.compile(rb"[0-9A-Fa-f]{104}")


class CorruptArchive(ValueError):
    """The bytes are neither padding nor an archive; the message names what was found where."""


@dataclasses.dataclass(frozen=True)
class Member:
    """A regular file of an archive; ``mode`` includes the file type."""

    path: str
    content: bytes
    mode: int = FILE_MODE


def read_members(data: bytes) -> tuple[Member, ...]:
    """The regular files of all archives in the data, sorted by path; of several with the same path the last one counts,
    as in the kernel.

    Raises :class:`CorruptArchive`, and MissingLibrary for zstd where that library is not installed.
    """
    members: dict[str, Member] = {}
    position = _skip_zeros(data, 0)
    limit, archives = _LARGEST_CONTENT, 0
    while position < len(data):
        end, found, size = _read_archive(data, position, limit)
        members.update((member.path, member) for member in found)
        limit, archives = limit - size, archives + 1
        if archives > _MOST_ARCHIVES or len(members) > _MOST_MEMBERS:
            raise CorruptArchive(f"more than {_MOST_ARCHIVES} archives or {_MOST_MEMBERS} files")
        position = _skip_zeros(data, end)
    return tuple(members[path] for path in sorted(members))


def _read_archive(data: bytes, position: int, limit: int) -> tuple[int, list[Member], int]:
    """The archive that begins at ``position``: the position behind it, its files, and how many of ``limit`` bytes it
    unpacks to.
    """
    if data.startswith(_MAGIC, position):
        end, members = _parse(data, position)
        return end, members, 0
    for magic, make in _DECOMPRESSORS:
        if data.startswith(magic, position):
            consumed, content = _decompress(make(), memoryview(data)[position:], position, limit)
            end, members = _parse(content, 0)
            if _skip_zeros(content, end) != len(content):
                raise CorruptArchive(f"data behind the end of the archive at byte {position}")
            return position + consumed, members, len(content)
    raise CorruptArchive(f"neither padding nor a cpio archive at byte {position}")


def _skip_zeros(data: bytes, position: int) -> int:
    found = _NOT_ZERO.search(data, position)
    return found.start() if found else len(data)


def _parse(data: bytes, position: int) -> tuple[int, list[Member]]:
    """Members up to the trailer. Alignment counts from the beginning of the archive."""
    start = position
    members: list[Member] = []
    while True:
        header = data[position : position + _HEADER]
        if len(header) < _HEADER or not header.startswith(_MAGIC):
            raise CorruptArchive(f"no cpio header at byte {position}")
        # int() alone would take signs and underscores, and a negative size leads back.
        if not _FIELDS.fullmatch(header, len(_MAGIC)):
            raise CorruptArchive(f"a damaged cpio header at byte {position}")
        fields = [int(header[6 + 8 * index : 14 + 8 * index], 16) for index in range(13)]
        mode, size, name_size = fields[1], fields[6], fields[11]
        name_end = position + _HEADER + name_size
        content_start = name_end + -(name_end - start) % 4
        end = content_start + size
        if name_size < 1 or end > len(data):
            raise CorruptArchive(f"a cpio member at byte {position} is cut off")
        name = data[position + _HEADER : name_end - 1].decode("utf-8", errors="surrogateescape")
        position = min(len(data), end + -(end - start) % 4)
        if name == _TRAILER:
            return position, members
        if stat.S_ISREG(mode):
            members.append(Member(name, bytes(data[content_start:end]), mode))
            if len(members) > _MOST_MEMBERS:
                raise CorruptArchive(f"more than {_MOST_MEMBERS} files in one archive")


def _decompress(decompressor: Any, data: memoryview, position: int, limit: int) -> tuple[int, bytes]:
    """Bytes consumed and content of one compressed stream."""
    content = bytearray()
    piece: bytes | memoryview = data
    try:
        while not decompressor.eof:
            part = decompressor.decompress(piece, _CHUNK)
            content += part
            if len(content) > limit:
                raise CorruptArchive(f"the archives up to byte {position} are larger than {_LARGEST_CONTENT} bytes")
            # zlib hands back what it has not taken; lzma keeps it and says whether it needs more.
            piece = getattr(decompressor, "unconsumed_tail", b"")
            starved = getattr(decompressor, "needs_input", len(part) < _CHUNK)
            if not decompressor.eof and not len(piece) and starved:
                raise CorruptArchive(f"the compressed archive at byte {position} is cut off")
    except (zlib.error, lzma.LZMAError) as error:
        raise CorruptArchive(f"the compressed archive at byte {position} is damaged: {error}") from error
    return len(data) - len(decompressor.unused_data), bytes(content)


class _Zstandard:
    """zstd through the optional library, in the form of the standard library's decompressors."""

    def __init__(self) -> None:
        zstandard: Any = libraries.zstandard
        self._error: type[Exception] = zstandard.ZstdError
        self._inner: Any = zstandard.ZstdDecompressor().decompressobj()
        self.eof = False
        self.needs_input = True
        self.unused_data = b""
        self.unconsumed_tail = memoryview(b"")

    def decompress(self, data: bytes | memoryview, most: int) -> bytes:
        """The next bytes, some more than ``most`` at times; what is not taken yet is ``unconsumed_tail``."""
        content = bytearray()
        rest = memoryview(data)
        try:
            while len(rest) and len(content) < most and not self.eof:
                step, rest = rest[:_ZSTD_STEP], rest[_ZSTD_STEP:]
                content += self._inner.decompress(step)
                self.eof = bool(self._inner.eof)
        except self._error as error:
            raise CorruptArchive(f"a zstd archive is damaged: {error}") from error
        self.unconsumed_tail = rest
        self.needs_input = not len(rest)
        # What follows the end: the rest of the last step and of the data. Only its length counts.
        self.unused_data = bytes(self._inner.unused_data) + bytes(rest) if self.eof else b""
        return bytes(content)


_DECOMPRESSORS: tuple[tuple[bytes, Callable[[], Any]], ...] = (
    (b"\x1f\x8b", lambda: zlib.decompressobj(wbits=31)),
    (b"\xfd7zXZ\x00", lambda: lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)),
    (b"\x28\xb5\x2f\xfd", _Zstandard),
)


def write_archive(members: Iterable[Member], *, last: str = "") -> bytes:
    """One newc archive: sorted by path, each missing parent directory directly before its first child, no times, owners
    or inode numbers.

    ``last`` is the path of the member that comes after all others.
    """
    archive = bytearray()
    made: set[str] = set()
    for member in sorted(members, key=lambda member: (member.path == last, member.path)):
        for parent in _parents(member.path):
            if parent not in made:
                made.add(parent)
                _append(archive, parent, _DIRECTORY_MODE, b"")
        _append(archive, member.path, member.mode, member.content)
    _append(archive, _TRAILER, 0, b"")
    return bytes(archive)


def _parents(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    for count in range(1, len(parts) + 1):
        if parent := "/".join(parts[:count]):
            yield parent


def _append(archive: bytearray, path: str, mode: int, content: bytes) -> None:
    name = path.encode("utf-8", errors="surrogateescape") + b"\x00"
    # inode, mode, uid, gid, links, mtime, size, device and special device (major, minor), name size, check
    fields = (0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0)
    archive += _MAGIC + b"".join(b"%08X" % field for field in fields) + name
    archive += bytes(-len(archive) % 4)
    archive += content
    archive += bytes(-len(archive) % 4)


def gzip(data: bytes) -> bytes:
    """gzip without name and time, so that equal input gives equal output."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    return compressor.compress(data) + compressor.flush()


def xz(data: bytes) -> bytes:
    """xz as the kernel can read it: CRC32, not the usual CRC64."""
    return lzma.compress(data, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, preset=9)
