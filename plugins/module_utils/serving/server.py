# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve one file over HTTP with byte ranges, at one path, for as long as an installation takes: the image server. It
also serves the report of a run.

This file runs in a separate process, started from its source text (:mod:`.detach`): the program that started it, the
collection and the AnsiballZ payload may no longer exist. It therefore uses the standard library alone and imports
nothing of the collection but the modules that :mod:`.detach` sends with it. These follow the same rule.

BMCs need GET and HEAD, ranges, Content-Length, no chunks, no redirect and no compression. They also need a server
without short timeouts: a live system reads its medium in many small requests for as long as it runs.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import json
import os
import resource
import select
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

from .connections import MOST, MOST_OF_PEER, PATIENCE, Connections
from .content import BINARY, Content
from .conversation import Conversation

_WATCH = 1.0
_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGUSR1})
# Descriptors that are no connections: the listening socket, the log, the image, standard streams, some reserve.
_OTHER_FILES = 64
_BACKLOG = 256
_LARGEST_LOG = 10 << 20
_LINES = 100


@functools.lru_cache(maxsize=1)
def _log_time(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))


class Log:
    """One line a request, in a file that only its owner reads; bounded, the older half kept as ``<name>.1``.

    Lines cost one write, without a lock: :meth:`renew`, called each second, changes the file that the descriptor means.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        self.renew()

    def write(self, *lines: str) -> None:
        stamp = _log_time(int(time.time()))
        with contextlib.suppress(OSError):  # a full disk must not stop an installation
            os.write(self._descriptor, "".join([f"{stamp} {line}\n" for line in lines]).encode(errors="replace"))

    def renew(self) -> None:
        """Open the file again: one that was moved or deleted is created again, and one that is full is replaced."""
        with contextlib.suppress(OSError):  # a vanished log directory must not stop an installation
            if os.fstat(self._descriptor).st_size > _LARGEST_LOG:
                os.replace(self._path, f"{self._path}.1")
            descriptor = os.open(
                self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
            )
            os.dup2(descriptor, self._descriptor, inheritable=False)
            os.close(descriptor)


class ImageServer:
    """One thread that serves all connections; :class:`Connections` decides which of them may stay.

    Threads would wait for the interpreter's lock more than for clients: with 100 readers of 2 KiB they take twice as
    long (CPython 3.11).
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        (path, url_path, media_type), *beside = config.get("files") or [
            (str(config["path"]), str(config["url_path"]), BINARY)
        ]
        self.content = Content(path, url_path, media_type, beside)
        self.log = Log(str(config["log"]))
        self.connections = Connections(
            int(config.get("most") or MOST),
            int(config.get("most_of_peer") or MOST_OF_PEER),
            float(config.get("patience") or PATIENCE),
        )
        self._tls = _tls(config)
        self._listener = _listen(str(config["listen"]), int(config["port"]))
        self.port = int(self._listener.getsockname()[1])
        self._conversations: dict[int, Conversation] = {}
        # for the log; written together, each second at the latest
        self._lines: collections.deque[str] = collections.deque()
        self._poll = select.epoll()
        self._poll.register(self._listener, select.EPOLLIN)

    def serve_forever(self) -> None:
        while True:
            self.serve_once()

    def serve_once(self) -> None:
        """Wait for events, and continue the conversations that have one."""
        events = self._poll.poll()
        self.content.check_again()
        for descriptor, event in events:
            if (conversation := self._conversations.get(descriptor)) is not None:
                self._proceed(descriptor, conversation, event)
            elif descriptor == self._listener.fileno():
                self._accept()
        if len(self._lines) >= _LINES:
            self.write_lines()

    def _proceed(self, descriptor: int, conversation: Conversation, event: int) -> None:
        this = conversation.this
        this.active = time.monotonic()
        try:
            awaited = conversation.proceed()
        except OSError as error:
            awaited = 0
            if not this.ended:
                why = error.strerror or error
                self._lines.append(f"{this.peer} connection ended: {why}")
        except Exception as error:  # a fault in one conversation must not end the others
            awaited = 0
            self._lines.append(f"{this.peer} connection ended: {type(error).__name__}: {error}")
        if not awaited:
            self._end(descriptor, conversation)
        elif not event & awaited:
            self._poll.modify(descriptor, awaited)

    def close(self) -> None:
        """Close all sockets."""
        for conversation in self._conversations.values():
            conversation.this.connection.close()
        self._listener.close()
        self._poll.close()

    def _accept(self) -> None:
        try:
            connection, address = self._listener.accept()
        except BlockingIOError:
            return
        except OSError as error:  # no more descriptors; a connection that has ended already
            why = error.strerror or error
            self.log.write(f"no connection accepted: {why}")
            time.sleep(_WATCH / 10)
            return
        peer = str(address[0])
        this = self.connections.add(peer, connection, time.monotonic())
        if this is None:
            self.log.write(f"{peer} refused: {self.connections.most} connections with the image's path are open")
            _close(connection)
            return
        try:
            _set_options(connection)
            if self._tls is not None:
                self.connections.replace(
                    this, self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
                )
        except OSError as error:
            why = error.strerror or error
            self.log.write(f"{peer} connection ended: {why}")
            self.connections.remove(this)
            _close(this.connection)
            return
        descriptor = this.connection.fileno()
        self._conversations[descriptor] = Conversation(this, self.content, self.connections, self._lines.append)
        self._poll.register(descriptor, select.EPOLLIN)

    def _end(self, descriptor: int, conversation: Conversation) -> None:
        conversation.end()
        self._poll.unregister(descriptor)
        del self._conversations[descriptor]
        self.connections.remove(conversation.this)
        _close(conversation.this.connection)

    def watch(self) -> None:
        """To be called about once a second: end what is late, note how many had to end in one line, and open the log
        again.
        """
        now = time.monotonic()
        self.connections.end_late(now)
        for conversation in list(self._conversations.values()):
            conversation.note_long(now)
        if ended := self.connections.take_ended():
            self.log.write(f"{ended} connections closed that did not name the image in time, or were too many")
        self.write_lines()
        self.log.renew()

    def write_lines(self) -> None:
        """Write the lines of the answers so far to the log; safe to use from several threads."""
        lines = []
        with contextlib.suppress(IndexError):  # there are no more
            while True:
                lines.append(self._lines.popleft())
        if lines:
            self.log.write(*lines)


def _listen(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if address == "::":
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind((address, port))
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def _close(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the client was faster
        connection.shutdown(socket.SHUT_WR)
    connection.close()


def _tls(config: Mapping[str, Any]) -> ssl.SSLContext | None:
    if not config.get("certificate"):
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(config["certificate"], config.get("key") or None)
    return context


def _set_options(connection: socket.socket) -> None:
    connection.setblocking(False)
    # Without it the last segment of an answer waits for the acknowledgement of those before, which the client delays.
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
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


def _start_of(pid: int) -> str:
    """When a process began, in clock ticks since boot; empty if there is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in ("Z", "X") else fields[19]


def serve(server: ImageServer, max_seconds: float, run: tuple[int, float] | None = None) -> str:
    """Serve until SIGTERM or SIGINT, until the time has passed or the file is deleted; returns which.

    SIGUSR1 restarts the time.

    ``run`` is a process, and for how many seconds the server outlives it.

    The caller has blocked :data:`_SIGNALS`. They are taken here, between two looks at the image, never by a handler: a
    handler that interrupts a wait and sets its Event needs the lock that the interrupted wait may hold (python/cpython
    Lib/threading.py, Condition), and blocks forever.
    """
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ends = time.monotonic() + max_seconds
    began = _start_of(run[0]) if run else ""
    while True:
        received = signal.sigtimedwait(_SIGNALS, _WATCH)
        if received is not None and received.si_signo != signal.SIGUSR1:
            reason = "stopped"
            break
        server.watch()
        if received is not None:
            ends = time.monotonic() + max_seconds
        if run and began and _start_of(run[0]) != began:
            began, ends = "", min(ends, time.monotonic() + run[1])
        if not os.path.exists(server.content.file):
            reason = "the image is gone"
            break
        if time.monotonic() >= ends:
            reason = f"{max_seconds:g} seconds are over"
            break
    server.write_lines()
    server.log.write(f"end: {reason}")
    return reason


def main(config: Mapping[str, Any]) -> None:
    """The life of the detached process: bind, leave the starter's process tree, print pid and port on standard output,
    serve when the starter confirms that it has recorded them.

    If the starter ends without that, no later run could find this process.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.umask(0o077)
    try:
        server = bind(config)
    except (OSError, ssl.SSLError) as error:
        _tell({"error": str(getattr(error, "strerror", "") or error), "errno": getattr(error, "errno", 0) or 0})
        return
    if os.fork():
        os._exit(0)  # so that the server is a child of init: no zombie is left in a long-lived starter
    with contextlib.suppress(OSError, ValueError):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (min(most, 65536) if most != resource.RLIM_INFINITY else 65536, most)
        )
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    server.connections.most = max(1, min(server.connections.most, files - _OTHER_FILES))
    pid = os.getpid()
    server.log.write(f"begin: pid {pid}, started {_start_of(pid)}, port {server.port}, {server.content.file}")
    _tell({"pid": pid, "port": server.port})
    if not os.read(0, 1):
        server.log.write("end: no run has recorded it")
        return
    _silence(0)
    run = config.get("run")
    serve(server, float(config["max_seconds"]), (int(run[0]), float(run[1])) if run else None)


def _tell(message: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
    _silence(1, 2)


def _silence(*descriptors: int) -> None:
    silence = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(silence, descriptor)
    os.close(silence)
