# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read ISO 9660 images without libraries; only the requested parts are read.

Source: coreos/coreos-installer src/iso9660.rs.
"""

from __future__ import annotations

import dataclasses
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, TypeAlias

from ..common.errors import ZeroTouchError

SECTOR = 2048
FIRST_DESCRIPTOR = 16
# Real images have three or four descriptors; a longer row is not an image that a machine would boot.
_MOST_DESCRIPTORS = 32
# 64 KiB holds over a thousand entries; a larger "directory" is damage.
_LARGEST_DIRECTORY = 4 << 20
_PRIMARY, _END = 1, 255
_IS_DIRECTORY, _MORE_EXTENTS = 0x02, 0x80


_BLOCK = 1 << 20


@dataclasses.dataclass(frozen=True)
class Extent:
    """A byte range of the image; absolute offset and length in bytes."""

    offset: int
    length: int


# A run of a base image, or bytes that it has not.
Piece: TypeAlias = "Extent | bytes"


class ImageSource(Protocol):
    """An image that can be read at positions: a file, or an image composed from pieces of a file.

    ``size`` in bytes is that of the image, ``path`` and ``identity`` (size, modification time in ns) are those of the
    file that it is or comes from.
    """

    path: Path
    size: int
    identity: tuple[int, int]

    def read_at(self, offset: int, length: int) -> bytes:
        """Exactly ``length`` bytes. Raises :class:`ZeroTouchError`."""

    def pieces(self) -> Sequence[tuple[int, Piece]]:
        """Offsets in the image, each with a byte range of the file or new bytes; ascending, without gaps."""

    def blocks(self) -> Iterator[tuple[int, memoryview]]:
        """The whole image in blocks with their offsets; a block holds until the next one is asked for.

        Raises :class:`ZeroTouchError`.
        """

    def fileno(self) -> int:
        """The descriptor of the file."""


class ImageFile:
    """An image file opened for reading at positions. Raises :class:`ZeroTouchError` when it cannot be opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise ZeroTouchError(f"{path} cannot be read: {error.strerror}.") from error
        status = os.fstat(self._descriptor)
        if not os.path.isfile(path):
            os.close(self._descriptor)
            raise ZeroTouchError(f"{path} is not a regular file.", "Name the image file itself.")
        self.size = status.st_size
        self.identity = (status.st_size, status.st_mtime_ns)

    def read_at(self, offset: int, length: int) -> bytes:
        """Exactly ``length`` bytes; raises :class:`ZeroTouchError` when the file ends before."""
        pieces = []
        position = offset
        while position < offset + length:
            try:
                piece = os.pread(self._descriptor, offset + length - position, position)
            except OSError as error:
                raise ZeroTouchError(f"{self.path} cannot be read: {error.strerror}.") from error
            if not piece:
                raise ZeroTouchError(
                    f"{self.path}: the image is incomplete: byte {position} is missing, the file has {self.size} bytes."
                )
            pieces.append(piece)
            position += len(piece)
        return b"".join(pieces)

    def pieces(self) -> Sequence[tuple[int, Piece]]:
        return ((0, Extent(0, self.size)),)

    def blocks(self) -> Iterator[tuple[int, memoryview]]:
        buffer = bytearray(_BLOCK)
        offset = 0
        while offset < self.size:
            try:
                count = os.preadv(self._descriptor, [buffer], offset)
            except OSError as error:
                raise ZeroTouchError(f"{self.path} cannot be read: {error.strerror}.") from error
            if count == 0:
                raise ZeroTouchError(f"{self.path} became shorter while it was read.")
            yield offset, memoryview(buffer)[:count]
            offset += count

    def fileno(self) -> int:
        return self._descriptor

    def close(self) -> None:
        os.close(self._descriptor)

    def __enter__(self) -> ImageFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file or directory. ``name`` is the ISO 9660 name without version; files over 4 GiB have several extents."""

    name: str
    extents: tuple[Extent, ...]
    is_directory: bool

    @property
    def size(self) -> int:
        return sum(extent.length for extent in self.extents)

    def locate(self, offset: int, length: int) -> int | None:
        """Where ``length`` bytes from ``offset`` of this file lie in the image; None if they are outside the file or in
        two places.
        """
        start = 0
        for extent in self.extents:
            if start <= offset and offset + length <= start + extent.length:
                return extent.offset + offset - start
            start += extent.length
        return None


class Volume:
    """The file system of an image. Raises :class:`ZeroTouchError` for what is not ISO 9660 or is cut off."""

    def __init__(self, image: ImageSource) -> None:
        self.image = image
        descriptor = _primary_descriptor(image)
        self.volume_id = descriptor[40:72].decode("ascii", errors="replace").rstrip(" \x00")
        self.size = struct.unpack_from("<I", descriptor, 80)[0] * SECTOR
        if image.size < self.size:
            raise ZeroTouchError(
                f"{image.path}: ISO image is incomplete: its volume has {self.size} bytes, the file only {image.size}.",
                "Download or copy it again.",
            )
        self._root = _record(descriptor[156:190])

    def find(self, path: str) -> Entry | None:
        """The entry at a path, compared in upper case as coreos-installer does; None where there is none."""
        entry: Entry | None = self._root
        for name in filter(None, path.upper().split("/")):
            if entry is None or not entry.is_directory:
                return None
            entry = next((child for child in self.entries(entry) if child.name == name), None)
        return entry

    def file(self, path: str) -> Entry | None:
        """As :meth:`find`, for regular files only."""
        entry = self.find(path)
        return None if entry is None or entry.is_directory else entry

    def read(self, path: str, limit: int) -> bytes | None:
        """The content of a file of at most ``limit`` bytes, or None where there is no such file."""
        entry = self.file(path)
        if entry is None:
            return None
        if entry.size > limit:
            raise ZeroTouchError(
                f"{self.image.path}: {path} has {entry.size} bytes, more than the {limit} that such a file may have."
            )
        return b"".join(self.image.read_at(extent.offset, extent.length) for extent in entry.extents)

    def entries(self, directory: Entry) -> Iterator[Entry]:
        """The children of a directory, without ``.`` and ``..``; extents of one file are put together."""
        if directory.size > _LARGEST_DIRECTORY:
            raise ZeroTouchError(f"{self.image.path} is damaged: a directory of {directory.size} bytes.")
        pending: tuple[Extent, ...] = ()
        for extent in directory.extents:
            data = self.image.read_at(extent.offset, extent.length)
            for record in _records(data, self.image.path):
                entry = _record(record)
                if entry.name in ("\x00", "\x01"):
                    continue
                extents = pending + entry.extents
                if record[25] & _MORE_EXTENTS:
                    pending = extents
                    continue
                pending = ()
                yield dataclasses.replace(entry, extents=_joined(extents))


def _primary_descriptor(image: ImageSource) -> bytes:
    for sector in range(FIRST_DESCRIPTOR, FIRST_DESCRIPTOR + _MOST_DESCRIPTORS):
        if image.size < (sector + 1) * SECTOR:
            break
        descriptor = image.read_at(sector * SECTOR, SECTOR)
        if descriptor[1:6] != b"CD001" or descriptor[0] == _END:
            break
        if descriptor[0] == _PRIMARY:
            return descriptor
    raise ZeroTouchError(
        f"{image.path} is not an ISO 9660 image.", ("A CoreOS live image (…-live.<arch>.iso) is needed.")
    )


def _records(data: bytes, path: Path) -> Iterator[bytes]:
    """Directory records; none crosses a sector, a zero length means that the rest of the sector is empty."""
    position = 0
    while position < len(data):
        length = data[position]
        if length == 0:
            position = (position // SECTOR + 1) * SECTOR
            continue
        record = data[position : position + length]
        if len(record) < 34 or len(record) < 33 + record[32]:
            raise ZeroTouchError(f"{path} is damaged: a directory record of {len(record)} bytes.")
        yield record
        position += length


def _record(record: bytes) -> Entry:
    block, size = struct.unpack_from("<I", record, 2)[0], struct.unpack_from("<I", record, 10)[0]
    name = record[33 : 33 + record[32]].decode("latin-1")
    # "VMLINUZ.;1": the version, then the point that means "no extension".
    # Source: coreos/coreos-installer src/live/embed.rs, src/io/initrd.rs.
    name = name.removesuffix(";1").removesuffix(".")
    return Entry(name, (Extent(block * SECTOR, size),), bool(record[25] & _IS_DIRECTORY))


def _joined(extents: tuple[Extent, ...]) -> tuple[Extent, ...]:
    """Extents with those that follow each other directly made one."""
    joined = [extents[0]]
    for extent in extents[1:]:
        last = joined[-1]
        if last.offset + last.length == extent.offset:
            joined[-1] = Extent(last.offset, last.length + extent.length)
        else:
            joined.append(extent)
    return tuple(joined)
