# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Unpack an initrd as the kernel does: merge concatenated cpio archives, which may be compressed,
into one file tree.
"""

from __future__ import annotations

import gzip
import importlib
import lzma
import re
import zlib

_NOT_ZERO = re.compile(rb"[^\0]")
_CHECK_NAMES = {lzma.CHECK_CRC64: "CRC64", lzma.CHECK_SHA256: "SHA-256"}


class InitrdError(Exception):
    """The kernel would complain ("Initramfs unpacking failed"); the text is the cause."""


def unpack(data: bytes, links: dict[str, str] | None = None) -> dict[str, bytes]:
    """Path (without leading slash) -> content of the regular files; later copies win.

    All zeros: nothing. ``links`` collects symbolic links.

    Raises :class:`InitrdError`.
    """
    links = {} if links is None else links
    files: dict[str, bytes] = {}
    position = 0
    while position < len(data):
        if data[position] == 0:
            found = _NOT_ZERO.search(data, position)
            position = found.start() if found else len(data)
        elif data.startswith((b"070701", b"070702"), position):
            position = _archive(data, position, files, links)
        else:
            content, position = _decompress(data, position)
            inner = 0
            while inner < len(content):
                if content[inner] == 0:
                    inner += 1
                elif content.startswith((b"070701", b"070702"), inner):
                    inner = _archive(content, inner, files, links)
                else:
                    raise InitrdError("junk within a compressed archive")
    return files


def looks_like_initrd(head: bytes) -> bool:
    """Whether a file begins like something that the kernel can unpack."""
    return head.startswith((b"0707", b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"))


def _decompress(data: bytes, position: int) -> tuple[bytes, int]:
    view = data[position:]
    if view.startswith(b"\x1f\x8b"):
        inflate = zlib.decompressobj(wbits=31)
        try:
            content = inflate.decompress(view)
        except zlib.error as error:
            raise InitrdError(f"gzip archive: {error}") from error
        if not inflate.eof:
            raise InitrdError("gzip archive: unexpected end")
        return content, len(data) - len(inflate.unused_data)
    if view.startswith(b"\xfd7zXZ\x00"):
        return _decompress_xz(view, len(data))
    if view.startswith(b"\x28\xb5\x2f\xfd"):
        return _decompress_zstd(view, len(data))
    raise InitrdError(f"invalid magic at start of compressed archive (byte {position})")


def _decompress_xz(view: bytes, end: int) -> tuple[bytes, int]:
    expand = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    try:
        content = expand.decompress(view)
    except lzma.LZMAError as error:
        raise InitrdError(f"xz archive: {error}") from error
    if not expand.eof:
        raise InitrdError("xz archive: unexpected end")
    # The kernel's XZ decoder knows no check but CRC32 (coreos/coreos-installer src/live/embed.rs, src/io/initrd.rs).
    if expand.check not in (lzma.CHECK_CRC32, lzma.CHECK_NONE):
        raise InitrdError(
            f"xz archive: unsupported check {_CHECK_NAMES.get(expand.check, expand.check)}, the kernel needs CRC32"
        )
    return content, end - len(expand.unused_data)


def _decompress_zstd(view: bytes, end: int) -> tuple[bytes, int]:
    try:
        zstandard = importlib.import_module("zstandard")
    except ImportError as error:
        raise InitrdError("zstd archive: this lab has no Python package zstandard") from error
    expand = zstandard.ZstdDecompressor().decompressobj()
    try:
        content = expand.decompress(view)
    except zstandard.ZstdError as error:
        raise InitrdError(f"zstd archive: {error}") from error
    return content, end - len(expand.unused_data)


def _archive(data: bytes, position: int, files: dict[str, bytes], links: dict[str, str]) -> int:
    """Read one newc archive from ``position``; where it ends."""
    while True:
        header = data[position : position + 110]
        if len(header) < 110 or header[:6] not in (b"070701", b"070702"):
            raise InitrdError(f"broken cpio header at byte {position}")
        try:
            fields = [int(header[6 + 8 * index : 14 + 8 * index], 16) for index in range(13)]
        except ValueError as error:
            raise InitrdError(f"broken cpio header at byte {position}") from error
        mode, size, name_size = fields[1], fields[6], fields[11]
        name = data[position + 110 : position + 110 + name_size - 1].decode("utf-8", "replace")
        start = _aligned(position + 110 + name_size)
        if start + size > len(data):
            raise InitrdError(f"cpio archive: {name} is cut off")
        position = _aligned(start + size)
        if name == "TRAILER!!!":
            return min(position, len(data))
        if mode & 0o170000 == 0o100000:
            files[name.removeprefix("./").lstrip("/")] = data[start : start + size]
        elif mode & 0o170000 == 0o120000:
            links[name.removeprefix("./").lstrip("/")] = data[start : start + size].decode("utf-8", "replace")


def _aligned(position: int) -> int:
    return (position + 3) & ~3


def gunzip(data: bytes) -> bytes:
    """Plain gzip; raises :class:`InitrdError`."""
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InitrdError(f"gzip: {error}") from error
