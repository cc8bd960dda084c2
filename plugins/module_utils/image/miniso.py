# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read ``miniso.dat`` of a live image, and build the minimal ISO (without root file system) with it.

Source: coreos/coreos-installer src/miniso.rs.
"""

from __future__ import annotations

import dataclasses
import lzma
import struct
from collections.abc import Iterator
from typing import Any

from ..common.errors import ZeroTouchError
from .areas import corrupt
from .composed import Composed
from .iso9660 import SECTOR, Extent, ImageFile, Piece, Volume

MINISO = "COREOS/MINISO.DAT"
_MAGIC = b"MINISO\x00\x00"
_VERSION = 1
# coreos-installer's limit for the file
_LARGEST = 1 << 20
# What is in no other file of the image: descriptors, directories, padding. Real ones have a few MB.
_LARGEST_PAYLOAD = 64 << 20
_XZ_MEMORY = 96 << 20


@dataclasses.dataclass(frozen=True)
class Run:
    """Sectors that both images have: number of the first one in the minimal and in the full ISO, length in bytes."""

    minimal: int
    full: int
    length: int


@dataclasses.dataclass(frozen=True)
class Miniso:
    """``tool`` wrote it; ``sha256`` is that of the minimal ISO; ``payload`` (xz) is what is between the runs.

    For an unknown version only ``version`` is set.
    """

    version: int
    tool: str = ""
    runs: tuple[Run, ...] = ()
    sha256: str = ""
    payload: bytes = dataclasses.field(default=b"", repr=False)

    def report(self) -> dict[str, Any]:
        return {"version": self.version, "tool": self.tool, "entries": len(self.runs), "sha256": self.sha256}


def read_miniso(volume: Volume) -> Miniso | None:
    """What the file holds, None without it. Raises :class:`ZeroTouchError` for a damaged one."""
    data = volume.read(MINISO, _LARGEST)
    if data is None:
        return None
    try:
        return _parse(data)
    except (IndexError, struct.error, ValueError) as error:
        raise corrupt(volume, f"miniso.dat cannot be read ({error})") from error


def minimal_iso(base: ImageFile) -> tuple[Composed, str]:
    """The minimal ISO of a live image, readable as long as the image is open, and the SHA-256 that it must have.

    Raises :class:`ZeroTouchError` for an image that nothing was prepared in, or that is damaged.
    """
    volume = Volume(base)
    miniso = read_miniso(volume)
    if miniso is None:
        raise ZeroTouchError(
            f"{base.path} cannot be made a minimal ISO: it has no coreos/miniso.dat.",
            ("Use a CoreOS live ISO of 2022 or later, or kind iso."),
        )
    if miniso.version != _VERSION:
        raise ZeroTouchError(
            f"{base.path} cannot be made a minimal ISO: its coreos/miniso.dat has version {miniso.version}, this "
            f"release reads version {_VERSION}.",
            "Use a newer release of this collection, or kind iso.",
        )
    try:
        pieces = list(_pieces(miniso, _decompressed(miniso.payload)))
    except (lzma.LZMAError, ValueError) as error:
        raise corrupt(volume, f"miniso.dat cannot be unpacked ({error})") from error
    if any(isinstance(piece, Extent) and piece.offset + piece.length > base.size for piece in pieces):
        raise corrupt(volume, "miniso.dat names sectors behind the end of the image")
    return Composed(base, pieces), miniso.sha256


def _decompressed(payload: bytes) -> bytes:
    decompressor = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
    data = decompressor.decompress(payload, _LARGEST_PAYLOAD)
    if not decompressor.eof:
        raise ValueError(f"the payload is cut off or larger than {_LARGEST_PAYLOAD} bytes")
    return data


def _pieces(miniso: Miniso, payload: bytes) -> Iterator[Piece]:
    position = taken = 0
    for run in miniso.runs:
        gap = run.minimal * SECTOR - position
        if gap < 0 or taken + gap > len(payload):
            raise ValueError(f"sector {run.minimal} is out of order, or the payload ends before it")
        yield payload[taken : taken + gap]
        yield Extent(run.full * SECTOR, run.length)
        taken += gap
        position += gap + run.length
    yield payload[taken:]


def _parse(data: bytes) -> Miniso:
    if not data.startswith(_MAGIC):
        raise ValueError("wrong magic")
    version, position = _varint(data, len(_MAGIC))
    if version != _VERSION:
        return Miniso(version)
    length, position = _varint(data, position)
    tool = data[position : position + length].decode("utf-8")
    count, position = _varint(data, position + length)
    runs = []
    for _number in range(count):  # ends with an IndexError at the end of the data
        minimal, position = _varint(data, position)
        full, position = _varint(data, position)
        length, position = _varint(data, position)
        runs.append(Run(minimal, full, length))
    digest, position = data[position : position + 32].hex(), position + 32
    length, position = _varint(data, position)
    if position + length > len(data):
        raise ValueError("the payload is cut off")
    return Miniso(version, tool, tuple(runs), digest, data[position : position + length])


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """A bincode varint and the position behind it."""
    first = data[position]
    if first < 251:
        return first, position + 1
    if first > 253:
        raise ValueError(f"integer prefix {first}")
    form = {251: "<H", 252: "<I", 253: "<Q"}[first]
    return struct.unpack_from(form, data, position + 1)[0], position + 1 + struct.calcsize(form)
