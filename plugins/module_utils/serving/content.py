# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What the image server serves: one file, as it is at the moment.

Sent along with :mod:`.server`: the standard library alone.
"""

from __future__ import annotations

import email.utils
import functools
import hmac
import os
from collections.abc import Mapping
from typing import BinaryIO
from urllib.parse import unquote, urlsplit


class Served:
    """The served file at one moment."""

    def __init__(self, handle: BinaryIO) -> None:
        self.status = status = os.fstat(handle.fileno())
        self.handle = handle
        self.size = status.st_size
        self.modified = int(status.st_mtime)
        self.etag = f'"{status.st_ino:x}-{status.st_size:x}-{status.st_mtime_ns:x}"'
        self.last_modified = http_date(self.modified)
        self.headers = f"Accept-Ranges: bytes\r\nETag: {self.etag}\r\nLast-Modified: {self.last_modified}\r\nCache-Control: private, no-transform\r\n"

    def is_at(self, status: os.stat_result) -> bool:
        """Whether a file of this status is the one that is served."""
        own = self.status
        return (own.st_ino, own.st_dev, own.st_size, own.st_mtime_ns) == (status.st_ino, status.st_dev, status.st_size, status.st_mtime_ns)

    def precondition(self, headers: Mapping[str, str]) -> int:
        """0, or the status that the conditions of the request lead to (RFC 9110 13.2.2)."""
        if "if-match" in headers:
            if not self._matches(headers["if-match"], weak=False):
                return 412
        elif "if-unmodified-since" in headers:
            since = _seconds(headers["if-unmodified-since"])
            if since is not None and self.modified > since:
                return 412
        if "if-none-match" in headers:
            return 304 if self._matches(headers["if-none-match"], weak=True) else 0
        since = _seconds(headers["if-modified-since"]) if "if-modified-since" in headers else None
        return 304 if since is not None and self.modified <= since else 0

    def range_applies(self, if_range: str) -> bool:
        """Whether a Range may be answered: the requester's part is of this very file (RFC 9110 13.1.5)."""
        if not if_range:
            return True
        return if_range == self.etag if if_range.startswith(('"', "W/")) else if_range == self.last_modified

    def _matches(self, header: str, *, weak: bool) -> bool:
        tags = [tag.strip() for tag in header.split(",")]
        return "*" in tags or self.etag in (tag.removeprefix("W/") if weak else tag for tag in tags)


class Content:
    """The file and its secret path."""

    def __init__(self, file: str, url_path: str) -> None:
        self.file = file
        self._url_path = url_path
        self._served: Served | None = None
        self._checked = False

    def check_again(self) -> None:
        """Let the next request look whether the file is still the same; those that follow it do not."""
        self._checked = False

    def find(self, target: str) -> tuple[bool, Served | None]:
        """Whether the target of a request is a path of this content, and what is there now."""
        if not hmac.compare_digest(_path(target).encode(errors="replace"), self._url_path.encode()):
            return False, None
        try:
            return True, self._current()
        except OSError:
            return True, None

    def _current(self) -> Served:
        served = self._served
        if served is None or not (self._checked or served.is_at(os.stat(self.file))):
            # An answer that is being sent keeps the former file open.
            served = self._served = Served(open(self.file, "rb"))  # noqa: SIM115
        self._checked = True
        return served


def _path(target: str) -> str:
    """The path of a request's target, decoded; empty when it cannot be read."""
    try:
        return unquote(urlsplit(target).path)
    except ValueError:
        return ""


@functools.lru_cache(maxsize=8)
def http_date(second: int) -> str:
    return email.utils.formatdate(second, usegmt=True)


def _seconds(date: str) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError):
        return None
