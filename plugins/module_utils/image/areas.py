# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the byte ranges of a CoreOS live image that may be changed: the areas for Ignition and kernel arguments.

All forms in which older images store these areas are supported.

Source: coreos/coreos-installer src/live/embed.rs, src/io/initrd.rs, src/live/customize.rs.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Mapping
from typing import Any, Literal

from ..common import json_text
from ..common.errors import ZeroTouchError
from . import kargs
from .iso9660 import SECTOR, Entry, Volume

IGNITION_INFO = "COREOS/IGNINFO.JSO"
DEFAULT_IGNITION_FILE = "IMAGES/IGNITION.IMG"
KARGS_INFO = "COREOS/KARGS.JSO"
FEATURES = "COREOS/FEATURES.JSO"

_LARGEST_JSON = 1 << 20
# coreos-installer's limit for an area of kernel arguments
_LARGEST_KARGS = 2048
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

    ``source`` is ``kargs.json``, which ``info`` is, or ``coreKarg`` (the header of 2021).
    """

    source: Literal["kargs.json", "coreKarg"]
    text: str
    default: str
    areas: tuple[Area, ...]
    pads: tuple[tuple[str, str], ...]
    info: Area | None = None

    def encode(self, text: str) -> tuple[tuple[int, bytes], ...]:
        """(offset, bytes) of every area for another text."""
        return tuple(
            (area.offset, kargs.encode_area(text, area.length, pad, end))
            for area, (pad, end) in zip(self.areas, self.pads, strict=True)
        )


def ignition_area(volume: Volume) -> Area:
    """The area for Ignition and network files. Raises :class:`ZeroTouchError` for an image without one."""
    info = _json(volume, IGNITION_INFO)
    path = DEFAULT_IGNITION_FILE
    if info is not None:
        path = str(info.get("file", ""))
    entry = volume.file(path)
    if entry is None:
        missing = path.lower() or "file named in igninfo.json"
        raise ZeroTouchError(
            f"{volume.image.path}: Unrecognized CoreOS ISO image: it has no {missing}.",
            "A CoreOS live image (rhcos-…-live-iso.<arch>.iso) is needed.",
        )
    offset = _number((info or {}).get("offset", 0), volume, IGNITION_INFO)
    length = _number((info or {}).get("length", entry.size - offset), volume, IGNITION_INFO)
    if length > _LARGEST_IGNITION:
        raise corrupt(volume, f"an Ignition area of {length} bytes")
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
        raise corrupt(volume, "kargs.json names no default or no files")
    if not len(default.encode()) <= size <= _LARGEST_KARGS:
        raise corrupt(volume, f"kargs.json has size {size} for {len(default)} characters")
    areas, pads = [], []
    for file in files:
        path = str(file.get("path", "")) if isinstance(file, dict) else ""
        entry = volume.file(path)
        if entry is None:
            shown_path = path or "a file without path"
            raise corrupt(volume, f"kargs.json names {shown_path}, which is not there")
        areas.append(_area(volume, entry, path, _number(file.get("offset"), volume, KARGS_INFO), size))
        pads.append((_character(file.get("pad", "#"), volume), _character(file.get("end", "\n"), volume)))
    found = volume.file(KARGS_INFO)
    where = _area(volume, found, KARGS_INFO, 0, found.size) if found else None
    return dataclasses.replace(_kargs("kargs.json", volume, default.strip(), tuple(areas), tuple(pads)), info=where)


def _kargs_of_header(volume: Volume) -> KargsAreas | None:
    header = volume.image.read_at(_KARG_HEADER, 72)
    if not header.startswith(b"coreKarg"):
        return None
    length, default_offset, *offsets = struct.unpack("<8Q", header[8:72])
    used = offsets[: offsets.index(0)] if 0 in offsets else offsets
    if not used or not 0 < length <= _LARGEST_KARGS or max(default_offset, *used) + length > volume.image.size:
        raise corrupt(volume, "the coreKarg header points outside the image")
    default = _text(volume, Area("", default_offset, length), "#", "\n")
    areas = tuple(Area("", offset, length) for offset in used)
    return _kargs("coreKarg", volume, default, areas, (("#", "\n"),) * len(areas))


def _kargs(
    source: Literal["kargs.json", "coreKarg"],
    volume: Volume,
    default: str,
    areas: tuple[Area, ...],
    pads: tuple[tuple[str, str], ...],
) -> KargsAreas:
    texts = {_text(volume, area, pad, end) for area, (pad, end) in zip(areas, pads, strict=True)}
    if len(texts) != 1:
        raise corrupt(volume, "its kernel-argument areas hold different texts")
    return KargsAreas(source, texts.pop(), default, areas, pads)


def _text(volume: Volume, area: Area, pad: str, end: str) -> str:
    try:
        return kargs.decode_area(volume.image.read_at(area.offset, area.length), pad, end)
    except ValueError as error:
        raise corrupt(volume, "its kernel-argument area is not text") from error


def _area(volume: Volume, entry: Entry, path: str, offset: int, length: int) -> Area:
    where = entry.locate(offset, length)
    if where is None:
        raise corrupt(volume, f"{path} has {entry.size} bytes, its area is said to be {length} bytes from {offset}")
    if where + length > volume.image.size:
        raise ZeroTouchError(
            f"{volume.image.path}: ISO image is incomplete: {path} lies behind its end.", "Download or copy it again."
        )
    return Area(path, where, length)


def _json(volume: Volume, path: str) -> dict[str, Any] | None:
    data = volume.read(path, _LARGEST_JSON)
    if data is None:
        return None
    try:
        document = json_text.parse_remote(data)
    except ValueError as error:
        raise corrupt(volume, f"{path} is not JSON") from error
    if not isinstance(document, dict):
        raise corrupt(volume, f"{path} is not a JSON object")
    return document


def _number(value: Any, volume: Volume, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise corrupt(volume, f"{path} holds {value!r} where a size is needed")
    return value


def _character(value: Any, volume: Volume) -> str:
    if not isinstance(value, str) or len(value) != 1 or not value.isascii():
        raise corrupt(volume, f"kargs.json holds {value!r} where one character is needed")
    return value


def corrupt(volume: Volume, reason: str) -> ZeroTouchError:
    """The error of an image that contradicts itself."""
    return ZeroTouchError(f"{volume.image.path} is damaged: {reason}.")
