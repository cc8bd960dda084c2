# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Limit an HTTP response: its size on the wire, its size after decompression, and the time until it is complete.

A read timeout only limits the pause between two bytes: a server that sends one byte every few seconds never exceeds it.
The decoders of urllib3 unpack a whole block at once (releases before 2.6 without any limit), so the content is unpacked
here, in bounded pieces.
"""

from __future__ import annotations

import http.client
import io
import math
import socket
import time
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from .terminal import OF_BASE64

# Bytes of a body that is held in memory. 1000 Agents with their inventories are 20 MB of JSON; more comes in pages (500
# objects a page).
LARGEST_BODY = 64 << 20
# Bytes of the body of an error that are read. Every error is searched for secrets, and honest ones have some hundred
# bytes.
LARGEST_ERROR = 256 << 10
# A complete answer may take this many times the read timeout: slow BMCs pause often, but not in every part of an
# answer.
COMPLETE_WITHIN = 3.0
_BLOCK = 1 << 20
_PIECE = 1 << 20
_GZIP = 31  # wbits of zlib for a gzip header and trailer
_IDENTITY = ("", "identity")


class AnswerLimit(ValueError):
    """An answer exceeds a limit or has an encoding that was not requested; the text is the reason."""


class TooSlow(AnswerLimit):
    """An answer is not complete in time, although the server keeps sending."""


class TimedReader(io.RawIOBase):
    """The bytes of a socket until ``end`` (of ``time.monotonic``); raises :class:`TooSlow` after that."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, silence: float | None, end: float) -> None:
        super().__init__()
        self._raw, self._sock, self._silence = raw, sock, silence
        self.end = end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self.end - time.monotonic()
        if left <= 0:
            raise TooSlow("the answer is not complete in time")
        if left < math.inf:
            self._sock.settimeout(left if self._silence is None else min(left, self._silence))
        try:
            read: int | None = self._raw.readinto(buffer)
        except TimeoutError as error:
            if time.monotonic() >= self.end:
                raise TooSlow("the answer is not complete in time") from error
            raise
        return read

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class TimedResponse(http.client.HTTPResponse):
    """An answer whose status line, headers and body are read until ``reader.end``."""

    def __init__(self, sock: socket.socket, *arguments: Any, **options: Any) -> None:
        super().__init__(sock, *arguments, **options)
        silence = sock.gettimeout()
        within = math.inf if silence is None else COMPLETE_WITHIN * silence
        self.reader = TimedReader(self.fp.detach(), sock, silence, time.monotonic() + within)
        self.fp = io.BufferedReader(self.reader)


class TimedConnection:
    """Mixin for a connection of urllib3: its answers are :class:`TimedResponse`, and keep their reader as ``timed``."""

    def _timed_response(self, sock: socket.socket, *arguments: Any, **options: Any) -> TimedResponse:
        self._timed = TimedResponse(sock, *arguments, **options)
        return self._timed

    response_class: Any = _timed_response

    def getresponse(self) -> Any:
        answer: Any = super().getresponse()  # type: ignore[misc]
        answer.timed = self._timed.reader
        return answer


def set_end(answer: Any, seconds: float) -> None:
    """The rest of this answer must be complete in ``seconds`` (infinite for downloads, which have limits of their
    own).
    """
    answer.timed.end = time.monotonic() + seconds


def bounded(answer: Any, largest: int) -> Iterator[bytes]:
    """The decoded body of an answer of urllib3 in pieces.

    Raises :class:`AnswerLimit` as soon as it exceeds ``largest`` bytes.
    """
    raw = _at_most(answer.stream(_BLOCK, decode_content=False), largest)
    encoding = str(answer.headers.get("Content-Encoding") or "").strip().lower()
    if encoding in _IDENTITY:
        return raw
    if encoding in ("gzip", "x-gzip"):
        return _at_most(_unpacked(raw), largest)
    raise AnswerLimit(f"the body has the encoding {encoding[:40]!r}, which was not requested")


def _at_most(pieces: Iterable[bytes], largest: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > largest:
            mebibytes = largest >> 20
            limit = f"{mebibytes} MiB" if mebibytes else f"{largest} bytes"
            raise AnswerLimit(f"the body is larger than {limit}")
        yield piece


def beginning(pieces: Iterable[bytes], longest: int) -> bytes:
    """The first bytes of a body; an ellipsis behind them where there are more, as :func:`cut` of terminal does with a
    text.
    """
    found = bytearray()
    for piece in pieces:
        found += piece
        if len(found) > longest:
            return bytes(found[:longest]).rstrip(OF_BASE64.encode()) + "…".encode()
    return bytes(found)


def _unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces of gzip, of one member or several (RFC 1952 2.2), unpacked.

    What follows a member and is not another one is ignored, as urllib3 does.
    """
    unpacker = zlib.decompressobj(_GZIP)
    members = 0
    for packed in pieces:
        data = packed
        while data:
            if unpacker.eof:
                unpacker = zlib.decompressobj(_GZIP)
                members += 1
            try:
                yield unpacker.decompress(data, _PIECE)
            except zlib.error as error:
                if members:
                    return
                raise AnswerLimit(f"the body is not gzip: {error}") from error
            data = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
    while not unpacker.eof and (rest := unpacker.decompress(unpacker.unconsumed_tail, _PIECE)):
        yield rest
