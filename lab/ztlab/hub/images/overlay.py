# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compose an image while it is read: replace byte ranges of a base file, or join several parts. No image is copied."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from ..discovery.archive import ignition_archive
from .layout import Area, ImageError, Layout

_CHUNK = 256 << 10


class Content(Protocol):
    """Content that can be served by ranges."""

    @property
    def size(self) -> int:
        """In bytes."""

    def stream(self, offset: int, length: int) -> Iterator[bytes]:
        """The bytes in pieces."""


@dataclasses.dataclass(frozen=True)
class Patch:
    """Bytes that replace those of the base from ``offset`` on."""

    offset: int
    data: bytes


@dataclasses.dataclass(frozen=True)
class Overlay:
    """A base file with patches, which do not overlap; the size is the base's."""

    path: Path
    size: int
    patches: Sequence[Patch] = ()

    def stream(self, offset: int, length: int) -> Iterator[bytes]:
        end = offset + length
        with self.path.open("rb") as file:
            while offset < end:
                chunk = self._chunk(file, offset, min(_CHUNK, end - offset))
                if not chunk:
                    raise ImageError(f"{self.path} ends at byte {offset}")
                offset += len(chunk)
                yield chunk

    def _chunk(self, file: object, offset: int, length: int) -> bytes:
        file.seek(offset)  # type: ignore[attr-defined]
        data = bytearray(file.read(length))  # type: ignore[attr-defined]
        for patch in self.patches:
            first, last = max(offset, patch.offset), min(offset + len(data), patch.offset + len(patch.data))
            if first < last:
                data[first - offset : last - offset] = patch.data[first - patch.offset : last - patch.offset]
        return bytes(data)


@dataclasses.dataclass(frozen=True)
class Parts:
    """Parts one after the other."""

    parts: Sequence[Content]

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    def stream(self, offset: int, length: int) -> Iterator[bytes]:
        for part in self.parts:
            if offset < part.size and length > 0:
                own = min(length, part.size - offset)
                yield from part.stream(offset, own)
                length -= own
                offset = 0
            else:
                offset -= part.size


@dataclasses.dataclass(frozen=True)
class Text:
    """Bytes in memory."""

    data: bytes

    @property
    def size(self) -> int:
        return len(self.data)

    def stream(self, offset: int, length: int) -> Iterator[bytes]:
        yield self.data[offset : offset + length]


@dataclasses.dataclass(frozen=True)
class FileRange:
    """A range of a file: boot artifacts are read out of the ISO."""

    path: Path
    area: Area

    @property
    def size(self) -> int:
        return self.area.length

    def stream(self, offset: int, length: int) -> Iterator[bytes]:
        yield from Overlay(self.path, self.area.length).stream(self.area.offset + offset, length)


def iso_overlay(
    layout: Layout, config: bytes, *, ramdisk: bytes | None = None, kernel_arguments: Sequence[str] = ()
) -> Overlay:
    """The ISO of one InfraEnv. Raises :class:`ImageError` for what does not fit.

    Source: openshift/assisted-image-service pkg/isoeditor, pkg/overlay.
    """
    patches = [_fill(layout.ignition, ignition_archive(config))]
    if ramdisk is not None:
        if layout.ramdisk is None:
            raise ImageError("the image has no ramdisk area")
        patches.append(_fill(layout.ramdisk, ramdisk))
    if kernel_arguments:
        if not layout.kargs:
            raise ImageError("the image has no area for kernel arguments")
        text = f" {' '.join(kernel_arguments)}\n".encode()
        for area in layout.kargs:
            _check(text, area)
            patches.append(Patch(area.offset, text))
    return Overlay(layout.path, layout.size, tuple(patches))


def _check(data: bytes, area: Area) -> None:
    if len(data) > area.length:
        raise ImageError(f"content length ({len(data)}) exceeds embed area size ({area.length})")


def _fill(area: Area, data: bytes) -> Patch:
    _check(data, area)
    return Patch(area.offset, data.ljust(area.length, b"\0"))


def pxe_initrd(layout: Layout, config: bytes, *, ramdisk: bytes | None = None, nmstate: bytes = b"") -> Parts:
    """The base's initrd with the configuration behind it. Raises :class:`ImageError`."""
    area = layout.files.get("images/pxeboot/initrd.img")
    if area is None:
        raise ImageError("the image has no initrd")
    parts: list[Content] = [FileRange(layout.path, area), Text(ignition_archive(config))]
    if ramdisk is not None:
        parts.append(Text(ramdisk))
        parts += [Text(nmstate)] if nmstate else []
    return Parts(parts)
