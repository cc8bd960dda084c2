# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve content over HTTP with conditional and range requests, as Go's standard file server does (RFC 9110)."""

from __future__ import annotations

import datetime
import email.utils
import secrets
from collections.abc import Mapping

from aiohttp import web

from .overlay import Content

_TYPE = "application/octet-stream"


class _Unsatisfiable(Exception):
    """416. ``syntax``: the header is malformed. Otherwise it is valid, and the response has a Content-Range."""

    def __init__(self, text: str, *, syntax: bool) -> None:
        super().__init__(text)
        self.syntax = syntax


async def serve_content(
    request: web.Request, content: Content, modified: datetime.datetime, headers: Mapping[str, str]
) -> web.StreamResponse:
    """The answer to GET or HEAD. There is no ETag: conditions go by the time of the last change, in seconds."""
    modified = modified.replace(microsecond=0)
    base = {**headers, "Accept-Ranges": "bytes", "Last-Modified": email.utils.format_datetime(modified, usegmt=True)}
    status = _precondition(request, modified)
    if status == 304:
        return web.Response(status=304, headers={"Last-Modified": base["Last-Modified"]})
    if status:
        return web.Response(status=status)
    try:
        ranges = _ranges(request, content.size, modified)
    except _Unsatisfiable as error:
        extra = {} if error.syntax else {"Content-Range": f"bytes */{content.size}"}
        return web.Response(status=416, text=f"{error}\n", headers=extra)
    if not ranges:
        return await _send(request, 200, {**base, "Content-Type": _TYPE}, [(b"", 0, content.size)], b"", content)
    if len(ranges) == 1:
        first, length = ranges[0]
        last = first + length - 1
        span = {"Content-Type": _TYPE, "Content-Range": f"bytes {first}-{last}/{content.size}"}
        return await _send(request, 206, {**base, **span}, [(b"", first, length)], b"", content)
    boundary = secrets.token_hex(30)
    parts = []
    for number, (first, length) in enumerate(ranges):
        lead = "" if number == 0 else "\r\n"
        last = first + length - 1
        head = (
            f"{lead}--{boundary}\r\nContent-Range: bytes {first}-{last}/{content.size}\r\nContent-Type: {_TYPE}\r\n\r\n"
        )
        parts.append((head.encode(), first, length))
    tail = f"\r\n--{boundary}--\r\n".encode()
    return await _send(
        request, 206, {**base, "Content-Type": f"multipart/byteranges; boundary={boundary}"}, parts, tail, content
    )


async def _send(
    request: web.Request,
    status: int,
    headers: Mapping[str, str],
    parts: list[tuple[bytes, int, int]],
    tail: bytes,
    content: Content,
) -> web.StreamResponse:
    response = web.StreamResponse(status=status, headers=dict(headers))
    response.content_length = sum(len(head) + length for head, _first, length in parts) + len(tail)
    await response.prepare(request)
    if request.method != "HEAD":
        for head, first, length in parts:
            if head:
                await response.write(head)
            for chunk in content.stream(first, length):
                await response.write(chunk)
        if tail:
            await response.write(tail)
    await response.write_eof()
    return response


def _moment(text: str) -> datetime.datetime | None:
    try:
        found = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=datetime.UTC)


def _precondition(request: web.Request, modified: datetime.datetime) -> int:
    """304 or 412, 0 to go on."""
    match = request.headers.get("If-Match")
    if match is not None and match.strip() != "*":
        return 412
    unmodified = _moment(request.headers.get("If-Unmodified-Since", "")) if match is None else None
    if unmodified is not None and modified > unmodified:
        return 412
    none_match = request.headers.get("If-None-Match")
    if none_match is not None:
        return 304 if none_match.strip() == "*" else 0
    since = _moment(request.headers.get("If-Modified-Since", ""))
    return 304 if since is not None and modified <= since else 0


def _ranges(request: web.Request, size: int, modified: datetime.datetime) -> list[tuple[int, int]]:
    """(first, length) of what is asked for; empty: everything. Raises :class:`_Unsatisfiable`."""
    header = request.headers.get("Range")
    if header is None:
        return []
    condition = request.headers.get("If-Range")
    if condition is not None and _moment(condition) != modified:
        return []
    found = parse_ranges(header, size)
    return [] if sum(length for _first, length in found) > size else found


def parse_ranges(header: str, size: int) -> list[tuple[int, int]]:
    """Raises :class:`_Unsatisfiable`."""
    if not header.startswith("bytes="):
        raise _Unsatisfiable("invalid range", syntax=True)
    found, beyond = [], False
    for text in header.removeprefix("bytes=").split(","):
        text = text.strip()
        if not text:
            continue
        start, dash, end = (part.strip() for part in text.partition("-"))
        if not dash or (start and not start.isdigit()) or (end and not end.isdigit()) or not (start or end):
            raise _Unsatisfiable("invalid range", syntax=True)
        if not start:
            length = min(int(end), size)
            found.append((size - length, length))
            continue
        first = int(start)
        if first >= size:
            beyond = True
            continue
        last = min(int(end), size - 1) if end else size - 1
        if last < first:
            raise _Unsatisfiable("invalid range", syntax=True)
        found.append((first, last - first + 1))
    if beyond and not found:
        raise _Unsatisfiable("invalid range: failed to overlap", syntax=False)
    return [entry for entry in found if entry[1] > 0] if size else []
