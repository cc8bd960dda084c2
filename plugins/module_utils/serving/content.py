# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the file that the image server sends for the path of a request. A file that was replaced is opened again.

``detach.py`` copies this file into the server process, so it imports only the standard library.
"""

from __future__ import annotations

import email.utils
import functools
import hmac
import os
from collections.abc import Mapping, Sequence
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

BINARY = "application/octet-stream"
# Images do not change; a page is rewritten while a browser shows it.
_CACHING = {True: "private, no-transform", False: "no-store"}


class Served:
    """The served file at one moment."""

    def __init__(self, handle: BinaryIO, media_type: str = BINARY) -> None:
        self.status = status = os.fstat(handle.fileno())
        self.type = f"Content-Type: {media_type}\r\n"
        self.handle = handle
        self._descriptor = handle.fileno()
        self.size = status.st_size
        self.modified = int(status.st_mtime)
        self.etag = f'"{status.st_ino:x}-{status.st_size:x}-{status.st_mtime_ns:x}"'
        self.last_modified = http_date(self.modified)
        caching = _CACHING[media_type == BINARY]
        self.headers = (
            f"Accept-Ranges: bytes\r\nETag: {self.etag}\r\nLast-Modified: {self.last_modified}\r\nCache-Control: "
            f"{caching}\r\n"
        )

    def is_untouched(self) -> bool:
        """Whether nothing happened to the file since it was opened.

        Writing, replacing, moving and deleting it all change its inode.
        """
        own = self.status
        try:
            now = os.fstat(self._descriptor)
        except OSError:  # on NFS, a file that was deleted
            return False
        return now.st_ctime_ns == own.st_ctime_ns and now.st_nlink == own.st_nlink

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
    """The file and its secret path. ``beside`` are further files, with their paths and media types."""

    def __init__(
        self, file: str, url_path: str, media_type: str = BINARY, beside: Sequence[tuple[str, str, str]] = ()
    ) -> None:
        self.file = file
        self._sources = [_Source(file, url_path, media_type), *(_Source(*other) for other in beside)]

    def check_again(self) -> None:
        """Let the next request look whether the file is still the same; those that follow it do not."""
        for source in self._sources:
            source.checked = False

    def find(self, target: str) -> tuple[bool, Served | None]:
        """Whether the target of a request is a path of this content, and what is there now."""
        path = _path(target).encode(errors="replace")
        for source in self._sources:
            if hmac.compare_digest(path, source.url_path):
                try:
                    return True, source.current()
                except OSError:
                    return True, None
        return False, None


class _Source:
    """A file on disk; ``current`` opens it again when it was replaced. ``url_path`` is encoded, as in its URL."""

    def __init__(self, file: str, url_path: str, media_type: str) -> None:
        self.file = file
        self.url_path = _path(url_path).encode(errors="replace")
        self.checked = False
        self._media_type = media_type
        self._served: Served | None = None

    def current(self) -> Served:
        served = self._served
        if served is None or not (self.checked or served.is_untouched()):
            # An answer that is being sent keeps the former file open.
            served = self._served = Served(open(self.file, "rb"), self._media_type)  # noqa: SIM115
        self.checked = True
        return served


@functools.lru_cache(maxsize=8)
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
