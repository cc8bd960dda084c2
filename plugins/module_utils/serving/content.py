# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What the image server serves: one file, as it is at the moment, and images of hosts that differ from it in a few ranges.

Sent along with :mod:`.server`: the standard library alone.
"""

from __future__ import annotations

import email.utils
import functools
import hmac
import os
from collections.abc import Iterable, Mapping
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from .overlay import SUFFIX, Overlay, host_in_path, host_path, read_overlay

# Offset and length of a part of a body, and its bytes; None for the bytes of the file.
Piece = tuple[int, int, "bytes | None"]


class NotReady(Exception):
    """The image of a host cannot be served at the moment; the text says why."""


class Served:
    """The served file at one moment; with an overlay (and the status of its file) as one host's image."""

    def __init__(self, handle: BinaryIO, overlay: Overlay | None = None, differs: os.stat_result | None = None) -> None:
        self.status = status = os.fstat(handle.fileno())
        self.handle = handle
        self.overlay = overlay
        self.size = status.st_size
        self.modified = int(max(status.st_mtime, differs.st_mtime if differs else 0))
        host = f"-{differs.st_ino:x}-{differs.st_mtime_ns:x}" if differs else ""
        self.etag = f'"{status.st_ino:x}-{status.st_size:x}-{status.st_mtime_ns:x}{host}"'
        self.last_modified = http_date(self.modified)
        self.headers = f"Accept-Ranges: bytes\r\nETag: {self.etag}\r\nLast-Modified: {self.last_modified}\r\nCache-Control: private, no-transform\r\n"

    def is_at(self, status: os.stat_result) -> bool:
        """Whether a file of this status is the one that is served."""
        own = self.status
        return (own.st_ino, own.st_dev, own.st_size, own.st_mtime_ns) == (status.st_ino, status.st_dev, status.st_size, status.st_mtime_ns)

    def pieces(self, offset: int, length: int) -> Iterable[Piece]:
        """What a range consists of, in order."""
        return self.overlay.pieces(offset, length) if self.overlay else ((offset, length, None),)

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
    """The file, its secret path, and the directory with overlays (empty: none)."""

    def __init__(self, file: str, url_path: str, overlays: str = "") -> None:
        self.file = file
        self._url_path = url_path
        self._overlays = overlays
        self._base: Served | None = None
        self._checked = False

    def check_again(self) -> None:
        """Let the next request look whether the file is still the same; those that follow it do not."""
        self._checked = False

    def find(self, target: str) -> tuple[bool, Served | None]:
        """Whether the target of a request is a path of this content, and what is there now. Raises :class:`NotReady`."""
        path = _path(target)
        host = host_in_path(path, self._url_path) if self._overlays else ""
        wanted = host_path(self._url_path, host) if host else self._url_path
        if not hmac.compare_digest(path.encode(errors="replace"), wanted.encode()):
            return False, None
        try:
            return True, self._of_host(host) if host else self._current()
        except OSError:
            return True, None
        except ValueError as error:
            raise NotReady(f"the overlay of {host} cannot be used: {error}") from error

    def _current(self) -> Served:
        base = self._base
        if base is None or not (self._checked or base.is_at(os.stat(self.file))):
            # An answer that is being sent keeps the former file open.
            base = self._base = Served(open(self.file, "rb"))  # noqa: SIM115
        self._checked = True
        return base

    def _of_host(self, host: str) -> Served:
        base, path = self._current(), os.path.join(self._overlays, host + SUFFIX)
        overlay = read_overlay(path)
        if overlay.base != (base.status.st_size, base.status.st_mtime_ns):
            raise ValueError("it was made for another base image")
        return Served(base.handle, overlay, os.stat(path))


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
