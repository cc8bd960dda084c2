# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Remove secrets from a log archive: rewrite the tar member by member, including archives and compressed files inside
it.
"""

from __future__ import annotations

import dataclasses
import gzip
import io
import lzma
import tarfile
import zlib
from typing import BinaryIO

from ...common.listed import listed
from ...common.secrets import Redactor
from ...common.tar_stream import BadTar, Budget, members

# Bytes; a larger member is left out, since it would have to be held in memory: as bytes, as text, and both again
# without secrets.
MEMBER_LIMIT = 24 << 20
_DEPTH = 3
# How many names of the members that are left out are kept for the message.
_MOST_NAMES = 20


@dataclasses.dataclass
class LeftOut:
    """Members that are not in the copy: the ``names`` of the first ones, without secrets, and the ``count`` of all."""

    names: list[str] = dataclasses.field(default_factory=list)
    count: int = 0

    def add(self, name: str) -> None:
        self.count += 1
        if len(self.names) < _MOST_NAMES:
            self.names.append(name)

    def __str__(self) -> str:
        return listed(self.names, _MOST_NAMES, total=self.count)


def redact_archive(source: BinaryIO, target: BinaryIO, redactor: Redactor, budget: Budget | None = None) -> LeftOut:
    """Copy the tar ``source`` to ``target`` with every known secret hidden, also in names; which members were left out.

    Raises :class:`ValueError` when the source is no tar, or unpacks to more than the ``budget``.
    """
    return _copy(source, target, redactor, _DEPTH, budget or Budget())


def _copy(source: BinaryIO, target: BinaryIO, redactor: Redactor, depth: int, budget: Budget) -> LeftOut:
    try:
        return _copy_members(source, target, redactor, depth, budget)
    except (
        tarfile.TarError,
        EOFError,
        zlib.error,
        lzma.LZMAError,
        gzip.BadGzipFile,
    ) as error:  # the content of a member is cut off or damaged
        raise BadTar(f"it is no tar archive: {error}") from error


def _copy_members(source: BinaryIO, target: BinaryIO, redactor: Redactor, depth: int, budget: Budget) -> LeftOut:
    left_out = LeftOut()
    with tarfile.open(fileobj=target, mode="w|") as new:
        for member, content in members(source, budget):
            _clean_header(member, redactor)
            if content is None and not member.isfile():
                new.addfile(member)
                continue
            fits = content is not None and member.size <= MEMBER_LIMIT
            data = (
                _redacted(content.read(MEMBER_LIMIT), redactor, depth, budget) if content is not None and fits else None
            )
            if data is None:
                left_out.add(member.name)
                continue
            member.size = len(data)
            new.addfile(member, io.BytesIO(data))
    return left_out


def _clean_header(member: tarfile.TarInfo, redactor: Redactor) -> None:
    """Names without secrets, and no pax headers: they repeat names and sizes, and may hold any other text."""
    member.name, member.linkname = redactor.text(member.name), redactor.text(member.linkname)
    member.uname, member.gname = redactor.text(member.uname), redactor.text(member.gname)
    member.pax_headers = {}


def _redacted(data: bytes, redactor: Redactor, depth: int, budget: Budget) -> bytes | None:
    """The member without secrets; None when it cannot be looked into."""
    if depth == 0:
        return None
    if data[:2] == b"\x1f\x8b":
        inner = _unpacked(data, budget)
        clean = _redacted(inner, redactor, depth - 1, budget) if inner is not None else None
        return gzip.compress(clean, mtime=0) if clean is not None else None
    if data[257:262] == b"ustar":
        target = io.BytesIO()
        try:
            _copy(io.BytesIO(data), target, redactor, depth - 1, budget)
        except BadTar:
            return None
        return target.getvalue()
    # Not every log is UTF-8; what is not must survive as it is.
    return redactor.text(data.decode("utf-8", errors="surrogateescape")).encode("utf-8", errors="surrogateescape")


def _unpacked(data: bytes, budget: Budget) -> bytes | None:
    try:
        with gzip.open(io.BytesIO(data)) as handle:
            inner = handle.read(MEMBER_LIMIT + 1)
    except (OSError, EOFError, zlib.error):
        return None
    budget.take(len(inner))
    return inner if len(inner) <= MEMBER_LIMIT else None
