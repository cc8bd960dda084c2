# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The ranged image server: one file, one path, for as long as an installation takes; and, beside it, images of hosts that differ in a few ranges.

This file runs in a process of its own, started from its source text (:mod:`.detach`): the program that started it, the collection and a payload
of AnsiballZ may all be gone by then. So it uses the standard library alone and imports nothing of the collection but :mod:`.overlay` and
:mod:`.connections`, which are sent along and keep to the same rule.

What BMCs need is in reference redfish-virtual-media.md 4: GET and HEAD, ranges, Content-Length, no chunks, no redirect, no compression, and
patience, because a live system reads its medium in many small requests for as long as it runs.
"""

from __future__ import annotations

import contextlib
import datetime
import email.utils
import hmac
import io
import json
import os
import resource
import signal
import socket
import socketserver
import ssl
import sys
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from .connections import MOST, MOST_OF_PEER, PATIENCE, Connections, Open
from .overlay import SUFFIX, Overlay, host_in_path, host_path, read_overlay

# Seconds. A connection with the token may be silent for long; one whose peer is gone is found by keep-alive probes.
_IDLE = 3600.0
_WATCH = 1.0
_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGUSR1})
# Descriptors that are no connections: the listening socket, the log, standard streams, some reserve. A connection needs two: its own and the image's.
_OTHER_FILES = 64
_FILES_OF_CONNECTION = 2
_MOST_RANGES = 16
_MOST_DIGITS = 40
_SEND_AT_ONCE = 8 << 20
_LARGEST_LOG = 10 << 20
# Bytes of one request line and its headers. http.server alone allows 100 headers of 64 KiB, all of them in memory, for clients without the token too.
_LARGEST_HEAD = 16 << 10
_TYPE = "application/octet-stream"


def parse_ranges(header: str, size: int) -> list[tuple[int, int]] | None:
    """(offset, length) of every range of a ``Range`` header that the file has (RFC 9110 14.1.2).

    None means: answer with the whole file, because there is no header, it is malformed or asks for too much at once. An empty list means 416.
    """
    unit, equals, specs = header.partition("=")
    if not equals or unit.strip().lower() != "bytes":
        return None
    wanted = [spec.strip() for spec in specs.split(",") if spec.strip()]
    if not 0 < len(wanted) <= _MOST_RANGES:
        return None
    ranges = []
    for spec in wanted:
        first, dash, last = spec.partition("-")
        digits = first + last
        if not dash or not digits or len(digits) > _MOST_DIGITS or not digits.isascii() or not digits.isdigit():
            return None
        if first and last and int(last) < int(first):
            return None
        start, end = (int(first), min(int(last), size - 1) if last else size - 1) if first else (max(0, size - int(last)), size - 1)
        if start <= end:
            ranges.append((start, end - start + 1))
    return ranges


class Served:
    """The served file at one moment; with an overlay (and the status of its file) as one host's image."""

    def __init__(self, handle: BinaryIO, overlay: Overlay | None = None, differs: os.stat_result | None = None) -> None:
        status = os.fstat(handle.fileno())
        self.handle = handle
        self.overlay = overlay
        self.size = status.st_size
        self.modified = int(max(status.st_mtime, differs.st_mtime if differs else 0))
        host = f"-{differs.st_ino:x}-{differs.st_mtime_ns:x}" if differs else ""
        self.etag = f'"{status.st_ino:x}-{status.st_size:x}-{status.st_mtime_ns:x}{host}"'
        self.last_modified = email.utils.formatdate(self.modified, usegmt=True)

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
        since = _seconds(headers.get("if-modified-since", ""))
        return 304 if since is not None and self.modified <= since else 0

    def range_applies(self, if_range: str) -> bool:
        """Whether a Range may be answered: the requester's part is of this very file (RFC 9110 13.1.5)."""
        if not if_range:
            return True
        return if_range == self.etag if if_range.startswith(('"', "W/")) else if_range == self.last_modified

    def _matches(self, header: str, *, weak: bool) -> bool:
        tags = [tag.strip() for tag in header.split(",")]
        return "*" in tags or self.etag in (tag.removeprefix("W/") if weak else tag for tag in tags)


def _seconds(date: str) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError):
        return None


class Log:
    """One line a request, in a file that only its owner reads; bounded, the older half kept as ``<name>.1``."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()

    def write(self, text: str) -> None:
        stamp = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        with self._lock, contextlib.suppress(OSError):  # a full or vanished log directory must not stop an installation
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "a") as handle:
                handle.write(f"{stamp} {text}\n")
                full = handle.tell() > _LARGEST_LOG
            if full:
                os.replace(self._path, f"{self._path}.1")


class _HeadTooLarge(Exception):
    """The request line and the headers of a request are larger than ``_LARGEST_HEAD``."""


class _HeadReader:
    """The reading side of a connection, limited to ``_LARGEST_HEAD`` bytes of each request. Bodies are never read."""

    def __init__(self, stream: io.BufferedIOBase) -> None:
        self._stream = stream
        self._left = 0

    def begin_request(self) -> None:
        self._left = _LARGEST_HEAD

    def readline(self, limit: int) -> bytes:
        line = self._stream.readline(min(limit, self._left + 1))
        if len(line) > self._left:
            raise _HeadTooLarge
        self._left -= len(line)
        return line

    def close(self) -> None:
        self._stream.close()


class Handler(BaseHTTPRequestHandler):
    """GET and HEAD of the one file."""

    protocol_version = "HTTP/1.1"
    server_version = "zerotouch-image-server"
    sys_version = ""
    timeout = PATIENCE
    server: ImageServer

    def __init__(self, request: Any, client_address: Any, server: ImageServer, this: Open) -> None:
        self._this = this
        super().__init__(request, client_address, server)

    def setup(self) -> None:
        super().setup()
        self._head_reader = _HeadReader(self.rfile)
        self.rfile = self._head_reader  # type: ignore[assignment]

    def handle_one_request(self) -> None:
        self._head_reader.begin_request()
        try:
            super().handle_one_request()
        except _HeadTooLarge:
            self.server.log.write(f"{self.client_address[0]} refused: the request line and headers are larger than {_LARGEST_HEAD} bytes")
            self.command, self.requestline, self.request_version = "", "", self.protocol_version
            self.send_error(431)  # it closes the connection

    def do_GET(self) -> None:
        self._logged(self._answer)

    do_HEAD = do_GET

    def _other_method(self) -> None:
        self.close_connection = True
        self._logged(lambda: self._plain(405, "GET and HEAD only.\n", {"Allow": "GET, HEAD", "Connection": "close"}))

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _other_method

    def _logged(self, answer: Callable[[], None]) -> None:
        began = time.monotonic()
        self._sent = self._status = 0
        try:
            answer()
        finally:
            wanted = _printable(self.headers.get("Range", "-"))
            seconds = time.monotonic() - began
            self.server.log.write(f"{self.client_address[0]} {self.command} {wanted} {self._status} {self._sent} bytes {seconds:.3f} s")

    def _answer(self) -> None:
        if len(self.headers.get_all("Content-Length", ())) > 1:
            self.close_connection = True
            self._plain(400, "More than one Content-Length.\n", {"Connection": "close"})  # RFC 9110 8.6
            return
        if self._may_have_body():
            self.close_connection = True  # a body that is not read would be taken for the next request
        path = unquote(urlsplit(self.path).path)
        host = host_in_path(path, self.server.url_path) if self.server.overlays else ""
        wanted = host_path(self.server.url_path, host) if host else self.server.url_path
        if not hmac.compare_digest(path.encode(errors="replace"), wanted.encode()):
            self._plain(404, "Not found.\n")
            return
        if not self._this.proven:
            self.server.connections.prove(self._this)
            self.connection.settimeout(_IDLE)
        with contextlib.ExitStack() as stack:
            try:
                handle = stack.enter_context(open(self.server.file, "rb"))
                served = self._of_host(handle, host) if host else Served(handle)
            except OSError:
                self._plain(404, "Not found.\n")
                return
            except ValueError as error:
                self.server.log.write(f"the overlay of {host} cannot be used: {error}")
                self._plain(503, "The image of this host is not ready.\n")
                return
            self._answer_with(served)

    def _may_have_body(self) -> bool:
        names = self.headers.keys()
        # Of a header that cannot be read, or that has a space before its colon (RFC 9112 5.1), the parser may have missed a Content-Length.
        unclear = bool(self.headers.defects) or any(name != name.strip() for name in names)
        return unclear or self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers

    def _of_host(self, handle: BinaryIO, host: str) -> Served:
        path = os.path.join(self.server.overlays, host + SUFFIX)
        overlay, base = read_overlay(path), os.fstat(handle.fileno())
        if overlay.base != (base.st_size, base.st_mtime_ns):
            raise ValueError("it was made for another base image")
        return Served(handle, overlay, os.stat(path))

    def _answer_with(self, served: Served) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        status = served.precondition(headers)
        if status:
            self._begin(status, served, None if status == 304 else 0)
            return
        ranges = None
        if self.command == "GET" and served.range_applies(headers.get("if-range", "").strip()):
            ranges = parse_ranges(headers.get("range", ""), served.size)
        if ranges is None:
            self._begin(200, served, served.size, {"Content-Type": _TYPE})
            self._send(served, 0, served.size)
        elif not ranges:
            self._begin(416, served, 0, {"Content-Range": f"bytes */{served.size}"})
        elif len(ranges) == 1:
            offset, length = ranges[0]
            self._begin(206, served, length, {"Content-Type": _TYPE, "Content-Range": f"bytes {offset}-{offset + length - 1}/{served.size}"})
            self._send(served, offset, length)
        else:
            self._send_parts(served, ranges)

    def _send_parts(self, served: Served, ranges: list[tuple[int, int]]) -> None:
        boundary = os.urandom(12).hex()
        heads = [
            f"\r\n--{boundary}\r\nContent-Type: {_TYPE}\r\nContent-Range: bytes {offset}-{offset + length - 1}/{served.size}\r\n\r\n".encode()
            for offset, length in ranges
        ]
        tail = f"\r\n--{boundary}--\r\n".encode()
        total = sum(map(len, heads)) + sum(length for offset, length in ranges) + len(tail)
        self._begin(206, served, total, {"Content-Type": f"multipart/byteranges; boundary={boundary}"})
        for head, (offset, length) in zip(heads, ranges, strict=True):
            self.wfile.write(head)
            self._send(served, offset, length)
        self.wfile.write(tail)

    def _begin(self, status: int, served: Served, length: int | None, more: Mapping[str, str] | None = None) -> None:
        self._head(
            status,
            {
                **({} if length is None else {"Content-Length": str(length)}),
                "Accept-Ranges": "bytes",
                "ETag": served.etag,
                "Last-Modified": served.last_modified,
                "Cache-Control": "private, no-transform",
                **(more or {}),
            },
        )

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self._status = status
        self.send_response_only(status)
        self.send_header("Server", self.server_version)
        self.send_header("Date", self.date_time_string())
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _plain(self, status: int, text: str, more: Mapping[str, str] | None = None) -> None:
        self._head(status, {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(text)), **(more or {})})
        if self.command != "HEAD":
            self.wfile.write(text.encode())

    def _send(self, served: Served, offset: int, length: int) -> None:
        """The bytes themselves; a client that went away, or a file cut short, ends the connection."""
        if self.command == "HEAD":
            return
        pieces = served.overlay.pieces(offset, length) if served.overlay else ((offset, length, None),)
        try:
            for start, size, data in pieces:
                if data is not None:
                    self.wfile.write(data)
                    self._sent += size
                elif not self._send_file(served, start, size):
                    self.close_connection = True
                    return
        except OSError:
            self.close_connection = True

    def _send_file(self, served: Served, offset: int, length: int) -> bool:
        end = offset + length
        while offset < end:
            sent = self.connection.sendfile(served.handle, offset, min(_SEND_AT_ONCE, end - offset))
            if not sent:
                return False
            offset += sent
            self._sent += sent
        return True

    def log_message(self, *args: Any) -> None:
        """Requests are logged by :meth:`do_GET`, which knows what was sent and leaves the path out: it is the key to the image."""


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() and character != " " else "?" for character in text)[:100]


class ImageServer(ThreadingHTTPServer):
    """A thread for every connection; :class:`Connections` decides which of them may stay."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.file = str(config["path"])
        self.url_path = str(config["url_path"])
        self.overlays = str(config.get("overlays") or "")
        self.log = Log(str(config["log"]))
        self.connections = Connections(
            int(config.get("most") or MOST), int(config.get("most_of_peer") or MOST_OF_PEER), float(config.get("patience") or PATIENCE)
        )
        self._tls = _tls(config)
        listen = str(config["listen"])
        self.address_family = socket.AF_INET6 if ":" in listen else socket.AF_INET
        super().__init__((listen, int(config["port"])), BaseHTTPRequestHandler)  # _serve_connection makes the handlers

    def server_bind(self) -> None:
        if self.address_family == socket.AF_INET6 and self.server_address[0] == "::":
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        # HTTPServer.server_bind would look up our own name, which can take a resolver's time-out.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        this = self.connections.add(client_address[0], request, time.monotonic())
        if this is None:
            self.log.write(f"{client_address[0]} refused: {self.connections.most} connections with the image's path are open")
            self.shutdown_request(request)
            return
        try:
            threading.Thread(target=self._serve_connection, args=(this, client_address), daemon=True).start()
        except RuntimeError as error:  # no more threads
            self.log.write(f"{client_address[0]} refused: {error}")
            self.connections.remove(this)
            self.shutdown_request(request)

    def _serve_connection(self, this: Open, client_address: Any) -> None:
        try:
            _keep_alive(this.connection)
            if self._tls is not None:
                this.connection.settimeout(self.connections.patience)
                secured = self._tls.wrap_socket(this.connection, server_side=True, do_handshake_on_connect=False)
                self.connections.replace(this, secured)
                secured.do_handshake()
            Handler(this.connection, client_address, self, this)
        except OSError as error:
            if not this.ended:
                self.log.write(f"{client_address[0]} connection ended: {error.strerror or error}")
        finally:
            self.connections.remove(this)
            self.shutdown_request(this.connection)

    def watch(self) -> None:
        """To be called about once a second: end what is late, and note how many had to end in one line."""
        self.connections.end_late(time.monotonic())
        if ended := self.connections.take_ended():
            self.log.write(f"{ended} connections closed that did not name the image in time, or were too many")


def _tls(config: Mapping[str, Any]) -> ssl.SSLContext | None:
    if not config.get("certificate"):
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(config["certificate"], config.get("key") or None)
    return context


def _keep_alive(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 8)):
        if hasattr(socket, option):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


def bind(config: Mapping[str, Any]) -> ImageServer:
    """A server on the wanted port; on any other when that one is taken and ``any_port`` allows it."""
    try:
        return ImageServer(config)
    except OSError:
        if not config.get("any_port") or not config["port"]:
            raise
        return ImageServer({**config, "port": 0})


def serve(server: ImageServer, max_seconds: float) -> str:
    """Serve until SIGTERM or SIGINT, until the time has passed or the file is deleted; returns which. SIGUSR1 restarts the time.

    The caller has blocked :data:`_SIGNALS`. They are taken here, between two looks at the image, never by a handler: a handler that interrupts a
    wait and sets its Event needs the lock that the interrupted wait may hold (python/cpython Lib/threading.py, Condition), and blocks forever.
    """
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ends = time.monotonic() + max_seconds
    while True:
        received = signal.sigtimedwait(_SIGNALS, _WATCH)
        if received is not None and received.si_signo != signal.SIGUSR1:
            reason = "stopped"
            break
        server.watch()
        if received is not None:
            ends = time.monotonic() + max_seconds
        if not os.path.exists(server.file):
            reason = "the image is gone"
            break
        if time.monotonic() >= ends:
            reason = f"{max_seconds:g} seconds are over"
            break
    server.log.write(f"end: {reason}")
    return reason


def main(config: Mapping[str, Any]) -> None:
    """The life of the detached process: bind, leave the starter's process tree, tell pid and port on standard output, serve."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.umask(0o077)
    try:
        server = bind(config)
    except (OSError, ssl.SSLError) as error:
        _tell({"error": f"{getattr(error, 'strerror', '') or error}", "errno": getattr(error, "errno", 0) or 0})
        return
    if os.fork():
        os._exit(0)  # so that the server is nobody's child: no zombie is left in a long-lived starter
    with contextlib.suppress(OSError, ValueError):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 65536) if most != resource.RLIM_INFINITY else 65536, most))
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    server.connections.most = max(1, min(server.connections.most, (files - _OTHER_FILES) // _FILES_OF_CONNECTION))
    threading.stack_size(512 << 10)
    server.log.write(f"begin: pid {os.getpid()}, port {server.server_port}, {server.file}")
    _tell({"pid": os.getpid(), "port": server.server_port})
    serve(server, float(config["max_seconds"]))


def _tell(message: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
    silence = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silence, descriptor)
    os.close(silence)
