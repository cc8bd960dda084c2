# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read ISO 9660 with Rock Ridge names and El Torito, as firmware and boot loaders do: block by block from a medium."""

from __future__ import annotations

import dataclasses
import struct
from typing import Protocol

SECTOR = 2048
BIOS, EFI = 0x00, 0xEF
_MAX_DIRECTORY = 4 << 20


class IsoError(Exception):
    """The medium contains no bootable file system; the text is the reason."""


class Blocks(Protocol):
    size: int

    async def read(self, offset: int, length: int) -> bytes:
        """Exactly these bytes."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file or directory: where its bytes are on the medium."""

    name: str
    offset: int
    size: int
    directory: bool


@dataclasses.dataclass(frozen=True)
class BootEntry:
    """An El Torito entry: platform (0 BIOS, 0xEF EFI) and where its boot image is."""

    platform: int
    bootable: bool
    offset: int
    sectors: int  # of 512 bytes, as the catalogue counts them


class Iso:
    """An opened volume."""

    def __init__(self, blocks: Blocks, volume_id: str, root: Entry, catalogue: int) -> None:
        self._blocks = blocks
        self.volume_id = volume_id
        self._root = root
        self._catalogue = catalogue
        self._directories: dict[int, list[Entry]] = {}

    @classmethod
    async def open(cls, blocks: Blocks) -> Iso:
        """Read the volume descriptors. Raises :class:`IsoError`."""
        if blocks.size < 18 * SECTOR:
            raise IsoError("the medium is too small to hold a volume")
        primary, catalogue = b"", 0
        for sector in range(16, 48):
            descriptor = await blocks.read(sector * SECTOR, SECTOR)
            if descriptor[1:6] != b"CD001":
                raise IsoError("no ISO 9660 volume descriptor")
            if descriptor[0] == 255:
                break
            if descriptor[0] == 1 and not primary:
                primary = descriptor
            if descriptor[0] == 0 and descriptor[7:30] == b"EL TORITO SPECIFICATION":
                catalogue = struct.unpack_from("<I", descriptor, 71)[0] * SECTOR
        if not primary:
            raise IsoError("no primary volume descriptor")
        sectors = struct.unpack_from("<I", primary, 80)[0]
        if blocks.size < sectors * SECTOR:
            whole = sectors * SECTOR
            raise IsoError(f"the medium is truncated: {blocks.size} bytes of {whole}")
        root = _record(primary[156:190])
        return cls(blocks, primary[40:72].decode("ascii", "replace").rstrip(), root, catalogue)

    async def boot_entries(self) -> list[BootEntry]:
        """The El Torito catalogue. Raises :class:`IsoError` when there is none or it is damaged."""
        if not self._catalogue:
            raise IsoError("no El Torito boot record")
        data = await self._blocks.read(self._catalogue, SECTOR)
        if data[0] != 1 or data[30:32] != b"\x55\xaa" or sum(struct.unpack("<16H", data[:32])) & 0xFFFF:
            raise IsoError("the El Torito boot catalogue is damaged")
        entries = [_boot_entry(data[32:64], data[1])]
        position = 64
        while position + 64 <= len(data) and data[position] in (0x90, 0x91):
            platform, count = data[position + 1], struct.unpack_from("<H", data, position + 2)[0]
            last = data[position] == 0x91
            position += 32
            for _number in range(count):
                entries.append(_boot_entry(data[position : position + 32], platform))
                position += 32
            if last:
                break
        return entries

    async def find(self, path: str) -> Entry | None:
        """The entry of a path, looked up without regard to case, as boot loaders do."""
        entry = self._root
        for part in filter(None, path.split("/")):
            if not entry.directory:
                return None
            found = [child for child in await self.entries(entry) if child.name.lower() == part.lower()]
            if not found:
                return None
            entry = found[0]
        return entry

    async def entries(self, directory: Entry) -> list[Entry]:
        """What a directory holds. Raises :class:`IsoError`."""
        if directory.offset not in self._directories:
            if directory.size > _MAX_DIRECTORY:
                raise IsoError("a directory is damaged")
            self._directories[directory.offset] = _directory(await self._blocks.read(directory.offset, directory.size))
        return self._directories[directory.offset]

    async def read(self, path: str, limit: int = 1 << 20) -> bytes:
        """A small file. Raises :class:`IsoError` when it is missing or larger than ``limit``."""
        entry = await self.find(path)
        if entry is None or entry.directory:
            raise IsoError(f"no file {path}")
        if entry.size > limit:
            raise IsoError(f"file {path} has {entry.size} bytes, more than {limit}")
        return await self._blocks.read(entry.offset, entry.size)


def _boot_entry(data: bytes, platform: int) -> BootEntry:
    sectors, lba = struct.unpack_from("<HI", data, 6)
    return BootEntry(platform, data[0] == 0x88, lba * SECTOR, sectors)


def _directory(data: bytes) -> list[Entry]:
    entries = []
    position = 0
    while position < len(data):
        length = data[position]
        if length == 0:  # records never cross a sector
            position = (position // SECTOR + 1) * SECTOR
            continue
        record = data[position : position + length]
        if len(record) < 34:
            raise IsoError("a directory record is damaged")
        if record[32] != 1 or record[33] not in (0, 1):
            entries.append(_record(record))
        position += length
    return entries


def _record(record: bytes) -> Entry:
    lba = struct.unpack_from("<I", record, 2)[0]
    size = struct.unpack_from("<I", record, 10)[0]
    raw = record[33 : 33 + record[32]]
    name = raw.decode("ascii", "replace").removesuffix(";1").removesuffix(".")
    return Entry(_rock_ridge_name(record, 33 + record[32]) or name, lba * SECTOR, size, bool(record[25] & 2))


def _rock_ridge_name(record: bytes, position: int) -> str:
    position += position & 1
    name = b""
    while position + 4 <= len(record):
        length = record[position + 2]
        if length < 4:
            break
        if record[position : position + 2] == b"NM":
            name += record[position + 5 : position + length]
        position += length
    return name.decode("utf-8", "replace")
