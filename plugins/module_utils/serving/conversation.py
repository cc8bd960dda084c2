# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the requests of one connection to the image server and write the answers, without blocking.

Every step does what is possible without waiting, and returns what to wait for. ``detach.py`` copies this file into the
server process, so it imports only the standard library and modules that are copied too.
"""

from __future__ import annotations

import os
import select
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .connections import Connections, Open
from .content import Content, Served, http_date
from .head import LARGEST_HEAD, BadHead, Request, parse_head, parse_ranges, split_head

# Offset and length of a part of a body, and its bytes; None for the bytes of the file.
Piece = tuple[int, int, "bytes | None"]

# Largest body that leaves in one write with its head; of a larger one the kernel sends the file itself. Also the step
# of TLS, which cannot do that.
IN_MEMORY = 8 << 10
# Bytes after which other connections have their turn.
_TURN = 1 << 20
# Seconds after which an answer that is still being sent is logged, and those until it is logged again.
_LONG = 10.0
_LONGER = 60.0
_REASONS = {
    200: "OK",
    206: "Partial Content",
    304: "Not Modified",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    412: "Precondition Failed",
    416: "Range Not Satisfiable",
    431: "Request Header Fields Too Large",
    501: "Not Implemented",
    505: "HTTP Version Not Supported",
}
_OTHER_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_NOTHING: tuple[Piece, ...] = ()


class Conversation:
    """One connection, whose socket does not block. ``log`` takes the line of each answer."""

    def __init__(self, this: Open, content: Content, connections: Connections, log: Callable[[str], None]) -> None:
        self.this = this
        self._content = content
        self._connections = connections
        self._log = log
        self._connection: Any = this.connection
        self._tls = self._handshake = isinstance(this.connection, ssl.SSLSocket)
        self._received = b""
        self._closes = self._answering = False
        # the one whose answer is being sent; None too while its head could not be read
        self._request: Request | None = None
        self._began = self._noted = 0.0
        self._status = self._sent = 0
        # What is left of the answer: bytes, then a part of the file, then further pieces.
        self._out: bytes | memoryview = b""
        self._offset = self._end = 0
        self._pieces: Iterator[Piece] = iter(_NOTHING)
        self._served: Served | None = None

    def proceed(self) -> int:
        """Continue; returns the event of the socket to wait for, 0 when the connection ends.

        Raises OSError when it breaks.
        """
        try:
            if self._handshake:
                self._connection.do_handshake()
                self._handshake = False
            return self._proceed()
        except ssl.SSLWantReadError:
            return select.EPOLLIN
        except (ssl.SSLWantWriteError, BlockingIOError):
            return select.EPOLLOUT

    def end(self) -> None:
        """Log the answer that was sent, completely or not."""
        if self._request is not None:
            request, self._request = self._request, None
            self._log(self._line(request, time.monotonic() - self._began))

    def note_long(self, now: float) -> None:
        """Log an answer that is being sent for long, at times: a reader of the log sees how far the image is read.

        Safe to use from another thread.
        """
        request = self._request
        due = self._began + _LONG if self._noted < self._began else self._noted + _LONGER
        if request is not None and self._sent > 0 and now >= due:
            self._noted = now
            self._log(self._line(request, now - self._began) + " so far")

    def _line(self, request: Request, seconds: float) -> str:
        wanted = printable(request.range or "-")
        method = request.method if request.method in ("GET", "HEAD") else printable(request.method)
        return f"{self.this.peer} {method} {wanted} {self._status} {max(0, self._sent)} bytes {seconds:.3f} s"

    def _proceed(self) -> int:
        received = False
        while True:
            if self._answering:
                if not self._send():
                    return select.EPOLLOUT
                self._answering = False
                self.end()
                if self._closes:
                    return 0
            if self._received and self._next_request():
                continue
            if received and not self._tls:
                # one more read would most likely find nothing; TLS may hold bytes that no event reports
                return select.EPOLLIN
            try:
                piece = self._connection.recv(LARGEST_HEAD)
            except BlockingIOError:
                return select.EPOLLIN
            if not piece:
                return 0
            received = True
            self._received = (self._received + piece).lstrip(b"\r\n")  # RFC 9112 2.2

    def _send(self) -> bool:
        """Send what is left of the answer, as long as it is this connection's turn; whether all of it is sent."""
        turn = _TURN
        while turn > 0:
            if self._out:
                more = socket.MSG_MORE if self._offset < self._end and not self._tls else 0
                sent = self._connection.send(self._out, more)
                self._out = memoryview(self._out)[sent:] if sent < len(self._out) else b""
            elif self._offset < self._end:
                sent = self._send_file(min(turn, self._end - self._offset))
            elif (piece := next(self._pieces, None)) is not None:
                self._take(*piece)
                continue
            else:
                return True
            self._sent += sent
            turn -= sent
        return False

    def _take(self, offset: int, length: int, data: bytes | None) -> None:
        if data is None:
            self._offset, self._end = offset, offset + length
        else:
            self._out = data

    def _send_file(self, length: int) -> int:
        """Send a part of the file, or read it for the next write of TLS; returns how much was sent.

        A file cut short ends the connection.
        """
        if self._served is None:
            raise RuntimeError("no file is being sent")
        file = self._served.handle.fileno()
        if not self._tls:
            done = sent = os.sendfile(self._connection.fileno(), file, self._offset, length)
        else:
            self._out, sent = os.pread(file, min(IN_MEMORY, length), self._offset), 0
            done = len(self._out)
        self._offset += done
        if not done:
            self._closes = True
            self._offset, self._pieces = self._end, iter(())
        return sent

    def _next_request(self) -> bool:
        """Begin the answer to the next request, if its head is complete."""
        try:
            found = split_head(self._received)
            if found is None:
                return False
            self._received = found[1].lstrip(b"\r\n")
            request = parse_head(found[0])
        except BadHead as error:
            self._closes = True
            self._log(f"{self.this.peer} refused: {error.text.strip()}")
            self._plain(error.status, error.text)
            return True
        self._request, self._began = request, time.monotonic()
        # a body is not read: it would be taken for the next request
        self._closes = request.body or not request.persistent
        if request.method in ("GET", "HEAD"):
            self._answer(request)
        else:
            self._closes = True
            self._plain(
                405 if request.method in _OTHER_METHODS else 501, "GET and HEAD only.\n", "Allow: GET, HEAD\r\n"
            )
        return True

    def _answer(self, request: Request) -> None:
        ours, served = self._content.find(request.target)
        if ours and not self.this.proven:
            self._connections.prove(self.this)
        if served is None:
            self._plain(404, "Not found.\n")
        else:
            self._answer_with(request, served)

    def _answer_with(self, request: Request, served: Served) -> None:
        status = served.precondition(request.headers)
        if status:
            self._begin(status, served, None if status == 304 else 0)
            return
        ranges = None
        if request.method == "GET" and served.range_applies(request.headers.get("if-range", "")):
            ranges = parse_ranges(request.range or "", served.size)
        if ranges is None:
            self._begin(200, served, served.size, served.type, [(0, served.size, None)])
        elif not ranges:
            self._begin(416, served, 0, f"Content-Range: bytes */{served.size}\r\n")
        elif len(ranges) == 1:
            self._begin(
                206, served, ranges[0][1], served.type + _content_range(ranges[0], served), [(*ranges[0], None)]
            )
        else:
            self._begin_parts(served, ranges)

    def _begin_parts(self, served: Served, ranges: list[tuple[int, int]]) -> None:
        boundary = os.urandom(12).hex()
        pieces: list[Piece] = []
        for part in ranges:
            head = f"\r\n--{boundary}\r\n{served.type}{_content_range(part, served)}\r\n".encode()
            pieces += [(0, len(head), head), (*part, None)]
        tail = f"\r\n--{boundary}--\r\n".encode()
        pieces.append((0, len(tail), tail))
        total = sum(length for _offset, length, _data in pieces)
        self._begin(206, served, total, f"Content-Type: multipart/byteranges; boundary={boundary}\r\n", pieces)

    def _plain(self, status: int, text: str, headers: str = "") -> None:
        self._begin_sending(
            status,
            (f"Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(text)}\r\n{headers}"),
            text.encode(),
        )

    def _begin(
        self, status: int, served: Served, length: int | None, headers: str = "", pieces: Iterable[Piece] = ()
    ) -> None:
        """An answer about the image.

        A small body leaves in one write with its head, so that neither waits for the acknowledgement of the other.
        """
        provided = "" if length is None else f"Content-Length: {length}\r\n"
        body, self._served = b"", served
        if length and length <= IN_MEMORY:
            file = served.handle.fileno()
            body = b"".join([os.pread(file, size, offset) if data is None else data for offset, size, data in pieces])
            self._closes = self._closes or len(body) != length
            pieces = ()
        self._begin_sending(status, provided + served.headers + headers, body, pieces)

    def _begin_sending(self, status: int, headers: str, body: bytes, pieces: Iterable[Piece] = ()) -> None:
        connection = ""
        if self._closes:
            connection = "Connection: close\r\n"
        elif self._request and self._request.old:
            connection = "Connection: keep-alive\r\n"
        date = http_date(int(time.time()))
        head = (
            f"HTTP/1.1 {status} {_REASONS[status]}\r\nServer: zerotouch-image-server\r\nDate: {date}\r\n"
            f"{connection}{headers}\r\n"
        ).encode()
        if self._request and self._request.method == "HEAD":
            body, pieces = b"", ()
        self._answering, self._status, self._sent = True, status, -len(head)
        self._out, self._pieces = head + body, iter(pieces)
        # The first part of the file, so that the head leaves together with its beginning.
        if not body and (piece := next(self._pieces, None)) is not None:
            if piece[2] is None:
                self._take(*piece)
            else:
                self._out = head + piece[2]


def _content_range(part: tuple[int, int], served: Served) -> str:
    offset, length = part
    last = offset + length - 1
    return f"Content-Range: bytes {offset}-{last}/{served.size}\r\n"


def printable(text: str) -> str:
    """At most 100 characters for the log, none of which ends a line or a column."""
    if not text.isprintable() or " " in text:
        text = "".join(character if character.isprintable() and character != " " else "?" for character in text)
    return text[:100]
