# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run an HTTP server whose answers exceed every limit: size, decompressed size, time, depth, numbers, pages."""

from __future__ import annotations

import contextlib
import gzip
import http.server
import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

Handler = http.server.BaseHTTPRequestHandler
Answer = Callable[[Handler], None]
# A bound for every endless answer, so that a failing test ends: seconds.
_END = 30.0


class HostileServer:
    """Calls ``answers[path]`` (path without query; ``*`` for all others) with the request handler.

    ``requests`` has (method, path, headers, body).
    """

    def __init__(self, answers: dict[str, Answer]) -> None:
        self.answers = answers
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        hostile = self

        class _Handler(Handler):
            disable_nagle_algorithm = True
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                hostile.requests.append(
                    (self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                )
                answer = hostile.answers.get(self.path.partition("?")[0]) or hostile.answers["*"]
                try:
                    answer(self)
                except OSError:
                    self.close_connection = True  # the client went away, as it should

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = handle_any

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda request, address: None  # type: ignore[method-assign, assignment]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextlib.contextmanager
def serving(answers: dict[str, Answer] | Answer) -> Iterator[HostileServer]:
    """A server for the time of a ``with`` block; one answer alone is that of every path."""
    server = HostileServer(answers if isinstance(answers, dict) else {"*": answers})
    try:
        yield server
    finally:
        server.close()


def send(handler: Handler, data: bytes, status: int = 200, **headers: str) -> None:
    """A complete answer."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def document(value: Any, status: int = 200, **headers: str) -> Answer:
    """A JSON answer."""
    return raw(json.dumps(value).encode(), status, **headers)


def raw(data: bytes, status: int = 200, **headers: str) -> Answer:
    return lambda handler: send(handler, data, status, Content_Type="application/json", **headers)


def bomb(megabytes: int, layers: int = 1) -> bytes:
    """gzip of so many MB of spaces."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = b"".join([*(packer.compress(bytes(1 << 20)) for _each in range(megabytes)), packer.flush()])
    for _layer in range(layers - 1):
        data = gzip.compress(data)
    return data


def gzip_bomb(megabytes: int) -> Answer:
    """Few bytes that unpack to many."""
    data = bomb(megabytes)
    return raw(data, Content_Encoding="gzip")


def chained_bomb(megabytes: int) -> Answer:
    """Two content codings, one inside the other."""
    data = bomb(megabytes, 2)
    return raw(data, Content_Encoding="gzip, gzip")


def endless_body(handler: Handler) -> None:
    """Chunks as fast as they are read."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    end = time.monotonic() + _END
    block = b"%x\r\n" % (1 << 16) + b" " * (1 << 16) + b"\r\n"
    while time.monotonic() < end:
        handler.wfile.write(block)


def endless_members(handler: Handler) -> None:
    """Empty gzip members: much input, no output."""
    handler.send_response(200)
    handler.send_header("Content-Encoding", "gzip")
    handler.end_headers()
    end = time.monotonic() + _END
    block = gzip.compress(b"") * 3000
    while time.monotonic() < end:
        handler.wfile.write(block)


def slow_body(pause: float) -> Answer:
    """One byte after each pause."""

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        _drip(handler, b" ", pause)

    return answer


def slow_headers(pause: float) -> Answer:
    """A header line that grows by a byte after each pause."""

    def answer(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        _drip(handler, b"x", pause)

    return answer


def endless_continue(handler: Handler) -> None:
    """Informational answers without end."""
    end = time.monotonic() + _END
    while time.monotonic() < end:
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def _drip(handler: Handler, byte: bytes, pause: float) -> None:
    end = time.monotonic() + _END
    while time.monotonic() < end:
        handler.wfile.write(byte)
        handler.wfile.flush()
        time.sleep(pause)


# Bodies that are JSON by their syntax, and that no service means. Each must be a fault of the service.
ODD_JSON: dict[str, bytes] = {
    "nested lists": b"[" * 200_000 + b"]" * 200_000,
    "nested objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "nested below the limit of Python": b'{"a":' * 600 + b"1" + b"}" * 600,
    "a number of 5000 digits": b'{"size": ' + b"9" * 5000 + b"}",
    "a number beyond 64 bits": b'{"size": ' + b"9" * 300 + b"}",
    "infinity by exponent": b'{"size": 1e999}',
    "NaN": b'{"size": NaN}',
    "half of a surrogate pair, escaped": b'{"name": "\\ud800"}',
    "half of a surrogate pair, raw": b'{"name": "\xed\xa0\x80"}',
    "not UTF-8": b'{"name": "\xff\xfe"}',
    "cut off": b'{"name": [1, 2',
}
