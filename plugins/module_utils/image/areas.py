# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Where a CoreOS live image keeps what may be changed, in all historical forms (reference coreos-live-image.md 2 to 5)."""

from __future__ import annotations

import dataclasses
import json
import struct
from collections.abc import Mapping
from typing import Any, Literal

from ..common.errors import ZeroTouchError
from . import kargs
from .iso9660 import SECTOR, Entry, Volume

IGNITION_INFO = "COREOS/IGNINFO.JSO"
DEFAULT_IGNITION_FILE = "IMAGES/IGNITION.IMG"
KARGS_INFO = "COREOS/KARGS.JSO"
FEATURES = "COREOS/FEATURES.JSO"
MINISO = "COREOS/MINISO.DAT"

_LARGEST_JSON = 1 << 20
# coreos-installer's limits for an area of kernel arguments and for miniso.dat
_LARGEST_KARGS = 2048
_LARGEST_MINISO = 1 << 20
# No area of Ignition is larger than what fits a small memory many times; real ones have 256 KiB.
_LARGEST_IGNITION = 64 << 20
# The header of 2021 ends where the older "coreiso+" header begins, 24 bytes before the first volume descriptor.
_KARG_HEADER = 16 * SECTOR - 24 - 72


@dataclasses.dataclass(frozen=True)
class Area:
    """A byte range of the image (absolute offset) and the file of the volume that it belongs to."""

    path: str
    offset: int
    length: int


@dataclasses.dataclass(frozen=True)
class KargsAreas:
    """Kernel arguments: their text now, the text that the image came with, and the areas that all hold the text.

    ``source`` is ``kargs.json`` or ``coreKarg`` (the header of 2021).
    """

    source: Literal["kargs.json", "coreKarg"]
    text: str
    default: str
    areas: tuple[Area, ...]
    pads: tuple[tuple[str, str], ...]

    def encode(self, text: str) -> tuple[tuple[int, bytes], ...]:
        """(offset, bytes) of every area for another text."""
        return tuple((area.offset, kargs.encode_area(text, area.length, pad, end)) for area, (pad, end) in zip(self.areas, self.pads, strict=True))


@dataclasses.dataclass(frozen=True)
class Miniso:
    """What ``miniso.dat`` says about the minimal ISO that it can make: writing tool, number of table entries, SHA-256 of the result."""

    version: int
    tool: str
    entries: int
    sha256: str


def ignition_area(volume: Volume) -> Area:
    """The area for Ignition and network files. Raises :class:`ZeroTouchError` for an image without one."""
    info = _json(volume, IGNITION_INFO)
    path = DEFAULT_IGNITION_FILE
    if info is not None:
        path = str(info.get("file", ""))
    entry = volume.file(path)
    if entry is None:
        raise ZeroTouchError(
            f"{volume.image.path}: Unrecognized CoreOS ISO image: it has no {path.lower() or 'file named in igninfo.json'}.",
            "A CoreOS live image (rhcos-…-live-iso.<arch>.iso) is needed.",
        )
    offset = _number((info or {}).get("offset", 0), volume, IGNITION_INFO)
    length = _number((info or {}).get("length", entry.size - offset), volume, IGNITION_INFO)
    if length > _LARGEST_IGNITION:
        raise _corrupt(volume, f"an Ignition area of {length} bytes")
    return _area(volume, entry, path, offset, length)


def kargs_areas(volume: Volume) -> KargsAreas | None:
    """The kernel arguments, or None for an image that does not support changing them."""
    info = _json(volume, KARGS_INFO)
    return _kargs_of_header(volume) if info is None else _kargs_of_json(volume, info)


def features(volume: Volume) -> dict[str, Any]:
    """``features.json``; without the file every feature is absent."""
    return _json(volume, FEATURES) or {}


def _kargs_of_json(volume: Volume, info: Mapping[str, Any]) -> KargsAreas:
    size = _number(info.get("size"), volume, KARGS_INFO)
    default = info.get("default")
    files = info.get("files")
    if not isinstance(default, str) or not isinstance(files, list) or not files:
        raise _corrupt(volume, "kargs.json names no default or no files")
    if not len(default.encode()) <= size <= _LARGEST_KARGS:
        raise _corrupt(volume, f"kargs.json has size {size} for {len(default)} characters")
    areas, pads = [], []
    for file in files:
        path = str(file.get("path", "")) if isinstance(file, dict) else ""
        entry = volume.file(path)
        if entry is None:
            raise _corrupt(volume, f"kargs.json names {path or 'a file without path'}, which is not there")
        areas.append(_area(volume, entry, path, _number(file.get("offset"), volume, KARGS_INFO), size))
        pads.append((_character(file.get("pad", "#"), volume), _character(file.get("end", "\n"), volume)))
    return _kargs("kargs.json", volume, default.strip(), tuple(areas), tuple(pads))


def _kargs_of_header(volume: Volume) -> KargsAreas | None:
    header = volume.image.read_at(_KARG_HEADER, 72)
    if not header.startswith(b"coreKarg"):
        return None
    length, default_offset, *offsets = struct.unpack("<8Q", header[8:72])
    used = offsets[: offsets.index(0)] if 0 in offsets else offsets
    if not used or not 0 < length <= _LARGEST_KARGS or max(default_offset, *used) + length > volume.image.size:
        raise _corrupt(volume, "the coreKarg header points outside the image")
    default = _text(volume, Area("", default_offset, length), "#", "\n")
    areas = tuple(Area("", offset, length) for offset in used)
    return _kargs("coreKarg", volume, default, areas, (("#", "\n"),) * len(areas))


def _kargs(source: Literal["kargs.json", "coreKarg"], volume: Volume, default: str, areas: tuple[Area, ...], pads: tuple[tuple[str, str], ...]) -> KargsAreas:
    texts = {_text(volume, area, pad, end) for area, (pad, end) in zip(areas, pads, strict=True)}
    if len(texts) != 1:
        raise _corrupt(volume, "its kernel-argument areas hold different texts")
    return KargsAreas(source, texts.pop(), default, areas, pads)


def _text(volume: Volume, area: Area, pad: str, end: str) -> str:
    try:
        return kargs.decode_area(volume.image.read_at(area.offset, area.length), pad, end)
    except ValueError as error:
        raise _corrupt(volume, "its kernel-argument area is not text") from error


def _area(volume: Volume, entry: Entry, path: str, offset: int, length: int) -> Area:
    where = entry.locate(offset, length)
    if where is None:
        raise _corrupt(volume, f"{path} has {entry.size} bytes, its area is said to be {length} bytes from {offset}")
    if where + length > volume.image.size:
        raise ZeroTouchError(f"{volume.image.path}: ISO image is incomplete: {path} lies behind its end.", "Download or copy it again.")
    return Area(path, where, length)


def _json(volume: Volume, path: str) -> dict[str, Any] | None:
    data = volume.read(path, _LARGEST_JSON)
    if data is None:
        return None
    try:
        document = json.loads(data)
    except ValueError as error:
        raise _corrupt(volume, f"{path} is not JSON") from error
    if not isinstance(document, dict):
        raise _corrupt(volume, f"{path} is not a JSON object")
    return document


def _number(value: Any, volume: Volume, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _corrupt(volume, f"{path} holds {value!r} where a size is needed")
    return value


def _character(value: Any, volume: Volume) -> str:
    if not isinstance(value, str) or len(value) != 1 or not value.isascii():
        raise _corrupt(volume, f"kargs.json holds {value!r} where one character is needed")
    return value


def _corrupt(volume: Volume, reason: str) -> ZeroTouchError:
    return ZeroTouchError(f"{volume.image.path} is damaged: {reason}.")


def miniso(volume: Volume) -> Miniso | None:
    """What ``miniso.dat`` holds, None without that file. The layout is in reference coreos-live-image.md 5."""
    data = volume.read(MINISO, _LARGEST_MINISO)
    if data is None:
        return None
    try:
        return _miniso(data)
    except (IndexError, struct.error, ValueError) as error:
        raise _corrupt(volume, f"miniso.dat cannot be read ({error})") from error


def _miniso(data: bytes) -> Miniso:
    if not data.startswith(b"MINISO\x00\x00"):
        raise ValueError("wrong magic")
    version, position = _varint(data, 8)
    if version != 1:
        raise ValueError(f"version {version}, known is 1")
    length, position = _varint(data, position)
    tool = data[position : position + length].decode("utf-8")
    entries, position = _varint(data, position + length)
    for _number in range(3 * entries):
        position = _varint(data, position)[1]
    return Miniso(version, tool, entries, data[position : position + 32].hex())


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """A bincode varint and the position behind it."""
    first = data[position]
    if first < 251:
        return first, position + 1
    if first > 253:
        raise ValueError(f"integer prefix {first}")
    form = {251: "<H", 252: "<I", 253: "<Q"}[first]
    return struct.unpack_from(form, data, position + 1)[0], position + 1 + struct.calcsize(form)
