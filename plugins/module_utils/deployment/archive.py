# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Log archives without secrets: a tar is rewritten member by member, archives and compressed files within it too."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from typing import BinaryIO

from ..common.secrets import Redactor

# Bytes; a larger member is left out, since it would have to be held in memory.
MEMBER_LIMIT = 64 << 20
_DEPTH = 3


def redact_archive(source: BinaryIO, target: BinaryIO, redactor: Redactor) -> list[str]:
    """Copy the tar ``source`` to ``target`` with every known secret hidden; the names of members left out.

    Raises :class:`ValueError` when the source is no tar.
    """
    try:
        return _copy(source, target, redactor, _DEPTH)
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise ValueError(f"it is no tar archive: {error}") from error


def _copy(source: BinaryIO, target: BinaryIO, redactor: Redactor, depth: int) -> list[str]:
    left_out = []
    with tarfile.open(fileobj=source, mode="r|*") as old, tarfile.open(fileobj=target, mode="w|") as new:
        for member in old:
            content = old.extractfile(member) if member.isfile() else None
            if content is None:
                new.addfile(member)
                continue
            data = _redacted(content.read(MEMBER_LIMIT), redactor, depth) if member.size <= MEMBER_LIMIT else None
            if data is None:
                left_out.append(member.name)
                continue
            member.size = len(data)
            new.addfile(member, io.BytesIO(data))
    return left_out


def _redacted(data: bytes, redactor: Redactor, depth: int) -> bytes | None:
    """The member without secrets; None when it cannot be looked into."""
    if depth == 0:
        return None
    if data[:2] == b"\x1f\x8b":
        inner = _unpacked(data)
        clean = _redacted(inner, redactor, depth - 1) if inner is not None else None
        return gzip.compress(clean, mtime=0) if clean is not None else None
    if data[257:262] == b"ustar":
        target = io.BytesIO()
        try:
            _copy(io.BytesIO(data), target, redactor, depth - 1)
        except tarfile.TarError:
            return None
        return target.getvalue()
    # Not every log is UTF-8; what is not must survive as it is.
    return redactor.text(data.decode("utf-8", errors="surrogateescape")).encode("utf-8", errors="surrogateescape")


def _unpacked(data: bytes) -> bytes | None:
    try:
        with gzip.open(io.BytesIO(data)) as handle:
            inner = handle.read(MEMBER_LIMIT + 1)
    except (OSError, EOFError, zlib.error):
        return None
    return inner if len(inner) <= MEMBER_LIMIT else None
