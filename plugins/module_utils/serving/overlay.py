# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Images of many hosts without a copy for each: one base file, and per host a small file with the ranges in which its image differs.

This file is part of the image server's process, so it uses the standard library alone and imports nothing of the collection (see :mod:`.server`).

An overlay file is a line that names the format, a line of JSON (``base``: size and modification time in ns of the file that it belongs to,
``patches``: offset and length of each), and the patches' bytes one after the other. It holds credentials, as the image does.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

_MAGIC = b"zerotouch overlay 1\n"
_LARGEST_HEADER = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")
SUFFIX = ".overlay"


class OverlayPatch(Protocol):
    """Bytes that stand at ``offset`` instead of the base's."""

    @property
    def offset(self) -> int:
        """Where the bytes start, from the beginning of the image."""

    @property
    def data(self) -> bytes:
        """The bytes."""


@dataclasses.dataclass(frozen=True)
class Range:
    """A patch as it is read back."""

    offset: int
    data: bytes = dataclasses.field(repr=False)

    @property
    def end(self) -> int:
        return self.offset + len(self.data)


@dataclasses.dataclass(frozen=True)
class Overlay:
    """The patches of one host, by offset, without overlap, and the base that they belong to (size, modification time in ns)."""

    base: tuple[int, int]
    ranges: tuple[Range, ...]

    def pieces(self, offset: int, length: int) -> Iterator[tuple[int, int, bytes | None]]:
        """(offset, length, bytes) of what lies in a range of the image, in order; None for bytes stands for the base's own."""
        end = offset + length
        for patch in self.ranges:
            if patch.end <= offset or patch.offset >= end:
                continue
            if patch.offset > offset:
                yield offset, patch.offset - offset, None
                offset = patch.offset
            upto = min(patch.end, end)
            yield offset, upto - offset, patch.data[offset - patch.offset : upto - patch.offset]
            offset = upto
        if offset < end:
            yield offset, end - offset, None


def write_overlay(path: Path, base: Path, patches: Iterable[OverlayPatch]) -> bool:
    """Write the overlay of a host unless it is there already; returns whether anything was written. Raises ValueError for patches that cannot be.

    The file appears whole, under its name, readable by its owner only.
    """
    content = encode(base, patches)
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)  # made with mode 0600
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    return True


def encode(base: Path, patches: Iterable[OverlayPatch]) -> bytes:
    """The bytes of an overlay file."""
    status = base.stat()
    ordered = sorted(patches, key=lambda patch: patch.offset)
    at = 0
    for patch in ordered:
        if patch.offset < at:
            raise ValueError(f"two patches overlap at byte {patch.offset}")
        at = patch.offset + len(patch.data)
    if at > status.st_size:
        raise ValueError(f"a patch ends at byte {at}, the base has {status.st_size}")
    header = {"base": [status.st_size, status.st_mtime_ns], "patches": [[patch.offset, len(patch.data)] for patch in ordered]}
    return _MAGIC + json.dumps(header).encode() + b"\n" + b"".join(bytes(patch.data) for patch in ordered)


def read_overlay(path: str | Path) -> Overlay:
    """The overlay in a file. Raises OSError, and ValueError for a file that is none or is damaged."""
    with open(path, "rb") as handle:
        if handle.readline(len(_MAGIC)) != _MAGIC:
            raise ValueError("it is no overlay file")
        size, modified, places = _header(json.loads(handle.readline(_LARGEST_HEADER)))
        ranges = tuple(Range(offset, handle.read(length)) for offset, length in places)
        if any(len(found.data) != length for found, (_offset, length) in zip(ranges, places, strict=True)) or handle.read(1):
            raise ValueError("its patches are not as long as it says")
    return Overlay((size, modified), ranges)


def _header(header: Any) -> tuple[int, int, Sequence[tuple[int, int]]]:
    try:
        size, modified = (int(number) for number in header["base"])
        places = [(int(offset), int(length)) for offset, length in header["patches"]]
    except (KeyError, TypeError) as error:
        raise ValueError("its header is damaged") from error
    at = 0
    for offset, length in places:
        if offset < at or length < 0 or offset + length > size:
            raise ValueError("its patches do not fit its base")
        at = offset + length
    return size, modified, places


def host_path(url_path: str, host: str) -> str:
    """The path of a host's image beside that of the base: ``/<token>/agent.iso`` becomes ``/<token>/<host>/agent.iso``.

    Raises ValueError for a name that cannot be part of one.
    """
    if not _NAME.fullmatch(host):
        raise ValueError(f"{host!r} cannot be part of a URL's path")
    directory, _slash, name = url_path.rpartition("/")
    return f"{directory}/{quote(host)}/{name}"


def host_in_path(path: str, url_path: str) -> str:
    """The host whose image a path asks for; empty when it is no such path. Not for comparing the secret part: that is the server's task."""
    parts = path.split("/")
    wanted = url_path.split("/")
    host = parts[-2] if len(parts) == len(wanted) + 1 else ""
    return host if _NAME.fullmatch(host) else ""
