# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find which addresses have read the image, and how much of it, from the log of the image server (:mod:`.conversation`
writes its lines).
"""

from __future__ import annotations

import bisect
import dataclasses
import datetime
import re
from collections.abc import Mapping
from pathlib import Path

from ..common.addresses import canonical_ip

# An answer with bytes of the image. HEAD is no read: a BMC that accepts the medium sends it, and so does the check of
# the server itself.
_READ = re.compile(rb"^(\S+)Z (\S+) GET (\S+) 20([06]) ([1-9]\d*) bytes(.* so far$)?", re.MULTILINE)
_FROM = re.compile(rb"bytes=(\d+)-\d*$")
_MAPPED = "::ffff:"
# Of a log that cannot be read: each host may be the reader.
UNKNOWN = "unknown"
Part = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class ImageRead:
    """What one address has read: the share of the image, and the seconds since the last read."""

    percent: int
    idle: float


@dataclasses.dataclass
class _Reader:
    """The parts that were read, in order and apart from each other, and when the last read was logged (as in the log,
    without Z).
    """

    parts: list[Part] = dataclasses.field(default_factory=list)
    last: str = ""

    def add(self, at: str, part: Part | None, *, repeats: bool) -> None:
        """``repeats``: the line may be about an answer that an earlier one was about; then only further bytes are a
        read.
        """
        grown = part is not None and join(self.parts, part)
        if grown or not repeats:
            self.last = max(self.last, at)


class RequestLog:
    """The readers since ``since`` (``2026-01-01T00:00:00Z``), by address.

    A log that does not exist, or is replaced meanwhile, is read from its beginning.
    """

    def __init__(self, path: Path, since: str) -> None:
        self._path = path
        self._since = since.removesuffix("Z").encode()
        self._offset = 0
        self._readers: dict[str, _Reader] = {}

    def readers(self) -> frozenset[str]:
        """Everyone so far; with :data:`UNKNOWN` if the log cannot be read."""
        readable = self._follow()
        return frozenset(self._readers) | (frozenset() if readable else {UNKNOWN})

    def reads(self, size: int, now: datetime.datetime) -> Mapping[str, ImageRead]:
        """What was read of an image of ``size`` bytes, by address, as of the last :meth:`readers`."""
        return (
            {address: _image_read(reader, size, now) for address, reader in self._readers.items()} if size > 0 else {}
        )

    def _follow(self) -> bool:
        """Read what is new; False if the log cannot be read."""
        try:
            with self._path.open("rb") as log:
                if self._path.stat().st_size < self._offset:
                    self._offset = 0
                log.seek(self._offset)
                complete, end, _rest = log.read().rpartition(b"\n")
        except FileNotFoundError:
            return True
        except OSError:
            return False
        self._offset += len(complete) + len(end)
        for at, peer, wanted, kind, count, so_far in _READ.findall(complete):
            if at >= self._since:
                reader = self._readers.setdefault(_address(peer.decode(errors="replace")), _Reader())
                reader.add(
                    at.decode(errors="replace"), _part(wanted, kind, int(count)), repeats=bool(so_far) or kind == b"0"
                )
        return True


def join(parts: list[Part], part: Part) -> bool:
    """Add a part (begin, end) to those that are in order and apart from each other; whether that makes them more."""
    begin, end = part
    first, last = bisect.bisect_left(parts, (begin, 0)), bisect.bisect_left(parts, (end + 1, 0))
    if first and parts[first - 1][1] >= begin:
        first -= 1
    touched = parts[first:last]
    joined = (min(begin, touched[0][0]), max(end, touched[-1][1])) if touched else part
    parts[first:last] = [joined]
    return touched != [joined]


def _part(wanted: bytes, kind: bytes, count: int) -> Part | None:
    """Which bytes were sent; None where the line does not say it (several ranges, or one counted from the end)."""
    if kind == b"0":
        return 0, count
    begin = _FROM.match(wanted)
    return (int(begin[1]), int(begin[1]) + count) if begin else None


def _image_read(reader: _Reader, size: int, now: datetime.datetime) -> ImageRead:
    read = sum(end - begin for begin, end in reader.parts)
    try:
        idle = (now - datetime.datetime.fromisoformat(reader.last).replace(tzinfo=datetime.UTC)).total_seconds()
    except ValueError:
        idle = 0.0
    return ImageRead(min(100, 100 * read // size), max(0.0, idle))


def _address(peer: str) -> str:
    """A server for IPv4 and IPv6 logs addresses of IPv4 as mapped ones."""
    return canonical_ip(peer.removeprefix(_MAPPED) if "." in peer else peer)
