# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse the request line, headers and Range of an HTTP/1 request to the image server.

``detach.py`` copies this file into the server process, so it imports only the standard library. It does not use
``http.server``, which parses a head with the package ``email``: that takes longer than all other work for a small range
(``tests/benchmarks/test_serving.py``).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import NamedTuple

# Bytes of one request line and its headers, for clients without the token too.
LARGEST_HEAD = 16 << 10
# RFC 9112 2.2: a recipient may take a line feed alone as the end of a line.
_END = re.compile(rb"\n\r?\n")
_VERSION = re.compile(r"HTTP/([0-9])\.([0-9])")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_MOST_RANGES = 16
_RANGE = re.compile(r"([0-9]{0,40})-([0-9]{0,40})")
_ONE_RANGE = re.compile(r"bytes=([0-9]{1,15})-([0-9]{1,15})")
_RANGE_LINE = re.compile(rb"\r\nRange: ([!-~]+)(?=\r)")
# Heads without their ranges, at most LARGEST_HEAD bytes each.
_CACHED = 64


class BadHead(Exception):
    """A request that cannot be answered: its status, and the text for the client."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class Request(NamedTuple):
    """One request. Names of headers are in lower case; the values of a repeated header are joined with commas (RFC 9110
    5.3).

    ``range`` is the header of that name, which is not among ``headers``; None without one.
    ``body``: bytes that belong to this request may follow it. ``persistent``: the client keeps the connection open.
    ``old``: it speaks HTTP/1.0.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    range: str | None
    body: bool
    persistent: bool
    old: bool


def split_head(received: bytes) -> tuple[bytes, bytes] | None:
    """(head, what follows it) of the bytes received so far; None when the head is not complete.

    Raises :class:`BadHead` when it is too large.
    """
    end = _END.search(received, 0, LARGEST_HEAD + 4)
    if end is not None and end.start() <= LARGEST_HEAD:
        return received[: end.start()], received[end.end() :]
    if len(received) > LARGEST_HEAD:
        raise BadHead(431, f"The request line and the headers are larger than {LARGEST_HEAD} bytes.\n")
    return None


def parse_head(head: bytes) -> Request:
    """The request of a head without its empty line. Raises :class:`BadHead`."""
    match = _RANGE_LINE.search(head)
    if match is None:
        return _parse(head)
    # A reader sends the same head with each request, except for the range.
    method, target, headers, other, body, persistent, old = _parse(head[: match.start()] + head[match.end() :])
    return (
        _parse(head)
        if other is not None
        else Request(method, target, headers, match[1].decode("latin-1"), body, persistent, old)
    )


@functools.lru_cache(maxsize=_CACHED)
def _parse(head: bytes) -> Request:
    first, *lines = head.decode("latin-1").replace("\r\n", "\n").rstrip("\r").split("\n")
    method, target, old = _request_line(first)
    headers: dict[str, str] = {}
    lengths, unclear = 0, False
    for line in lines:
        name, value = _header(line)
        if not name:
            unclear = True
        elif name in headers:
            headers[name] = f"{headers[name]}, {value}"
            lengths += name == "content-length"
        else:
            headers[name] = value
    if lengths:
        raise BadHead(400, "More than one Content-Length.\n")  # RFC 9110 8.6
    options = headers.get("connection", "").lower()
    return Request(
        method=method,
        target=target,
        headers=headers,
        range=headers.pop("range", None),
        # Of a header that cannot be read a Content-Length may have been missed.
        body=unclear or headers.get("content-length", "0") != "0" or "transfer-encoding" in headers,
        persistent="keep-alive" in options if old else "close" not in options,
        old=old,
    )


def _request_line(line: str) -> tuple[str, str, bool]:
    words = line.split()
    version = _VERSION.fullmatch(words[2]) if len(words) == 3 else None
    if version is None:
        raise BadHead(400, "Not an HTTP request.\n")
    if version[1] != "1":
        raise BadHead(505, "HTTP/1.0 and HTTP/1.1 only.\n")
    return words[0], words[1], version[2] == "0"


def _header(line: str) -> tuple[str, str]:
    """Name in lower case, and value; an empty name if it cannot be read or has a space before its colon (RFC 9112
    5.1).
    """
    name, colon, value = line.partition(":")
    return (name.lower(), value.strip()) if colon and _TOKEN.fullmatch(name) else ("", "")


def parse_ranges(header: str, size: int) -> list[tuple[int, int]] | None:
    """(offset, length) of every range of a ``Range`` header that the file has (RFC 9110 14.1.2).

    None means: answer with the whole file, because there is no header, it is malformed or asks for too much at once. An
    empty list means 416.
    """
    if one := _ONE_RANGE.fullmatch(header):  # what nearly all requests ask for
        offset, last_byte = int(one[1]), int(one[2])
        if offset <= last_byte:
            return [(offset, min(last_byte, size - 1) - offset + 1)] if offset < size else []
    unit, _equals, specs = header.partition("=")
    if unit.strip().lower() != "bytes":
        return None
    wanted = [spec.strip() for spec in specs.split(",") if spec.strip()] if "," in specs else [specs.strip()]
    if not 0 < len(wanted) <= _MOST_RANGES:
        return None
    ranges = []
    for spec in wanted:
        match = _RANGE.fullmatch(spec)
        first, last = match.groups() if match else ("", "")
        if not (first or last) or (first and last and int(last) < int(first)):
            return None
        start, end = int(first or 0), size - 1
        if not first:
            start = max(0, size - int(last))
        elif last:
            end = min(int(last), size - 1)
        if start <= end:
            ranges.append((start, end - start + 1))
    return ranges
