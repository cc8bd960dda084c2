# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how the image server splits a response into writes: no response may wait until a part of itself is acknowledged
(Nagle's algorithm, delayed acknowledgements).
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.connections import IDLE, Connections
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.content import Content
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.conversation import IN_MEMORY, Conversation
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.server import ImageServer

CONTENT = os.urandom(300_000)
PATH = "/0123456789abcdef/agent.x86_64.iso"


def request(headers: str = "", method: str = "GET", version: str = "1.1") -> bytes:
    return f"{method} {PATH} HTTP/{version}\r\nHost: x\r\n{headers}\r\n".encode()


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "agent.x86_64.iso"
    path.write_bytes(CONTENT)
    return path


class Recorder:
    """A connection that takes everything and records each write with its flags."""

    def __init__(self, received: bytes) -> None:
        self.received = received
        self.writes: list[tuple[bytes, int]] = []

    def recv(self, _most: int) -> bytes:
        received, self.received = self.received, b""
        if not received:
            raise BlockingIOError
        return received

    def send(self, data: bytes, flags: int = 0) -> int:
        self.writes.append((bytes(data), flags))
        return len(data)


def conversation(connection: object, image: Path, log: list[str] | None = None) -> Conversation:
    connections = Connections()
    return Conversation(
        connections.add("127.0.0.1", connection, 0.0),
        Content(str(image), PATH),
        connections,
        (log if log is not None else []).append,
    )


@pytest.mark.parametrize("length", [1, 512, 2048, IN_MEMORY])
def test_head_and_body_of_a_small_range_are_one_write(image: Path, length: int) -> None:
    connection = Recorder(request(f"Range: bytes=100-{99 + length}\r\n"))
    assert conversation(connection, image).proceed() == select.EPOLLIN
    ((answer, flags),) = connection.writes
    head, _empty, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 206 ") and body == CONTENT[100 : 100 + length] and flags == 0


@pytest.mark.parametrize("headers", ["", "Range: bytes=400000-\r\n", 'If-Match: "x"\r\n'])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT"])
def test_an_answer_without_a_file_is_one_write(image: Path, headers: str, method: str) -> None:
    if method == "GET" and not headers:
        image.unlink()
    connection = Recorder(request(headers, method))
    conversation(connection, image).proceed()
    assert [flags for _data, flags in connection.writes] == [0]


@pytest.mark.parametrize("length", [IN_MEMORY + 1, 128 << 10])
def test_the_head_of_a_larger_range_waits_for_its_body(
    image: Path, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel keeps the head until the file's first bytes follow (tcp(7), MSG_MORE)."""
    connection, files = Recorder(request(f"Range: bytes=0-{length - 1}\r\n")), []
    connection.fileno = lambda: 7
    monkeypatch.setattr(os, "sendfile", lambda to, _file, offset, count: files.append((to, offset, count)) or count)
    conversation(connection, image).proceed()
    ((_head, flags),) = connection.writes
    assert (flags, files) == (socket.MSG_MORE, [(7, 0, length)])


@pytest.fixture
def server(image: Path, tmp_path: Path) -> Iterator[ImageServer]:
    found = ImageServer({"path": image, "url_path": PATH, "log": tmp_path / "log", "listen": "127.0.0.1", "port": 0})
    yield found
    found.close()


def test_accepted_connections_do_not_wait_for_acknowledgements(server: ImageServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
        server.serve_once()
        (accepted,) = [each.this.connection for each in server._conversations.values()]
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
        assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        client.sendall(request("Range: bytes=0-99999\r\n"))
        received = b""
        while len(received.partition(b"\r\n\r\n")[2]) < 100_000:
            server.serve_once()
            received += client.recv(1 << 20)
        assert received.partition(b"\r\n\r\n")[2] == CONTENT[:100_000]


def test_a_reader_that_reads_nothing_does_not_stop_another(server: ImageServer) -> None:
    with (
        socket.create_connection(("127.0.0.1", server.port)) as lazy,
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as eager,
    ):
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for _time in range(100):  # far more than buffers take
            lazy.sendall(request())
        eager.sendall(request("Range: bytes=5-9\r\n"))
        for _time in range(20):
            server.serve_once()
            if select.select([eager], [], [], 0)[0]:
                break
        assert eager.recv(65536).endswith(b"\r\n\r\n" + CONTENT[5:10])


def test_requests_that_arrive_together_are_answered_in_order(image: Path) -> None:
    connection = Recorder(
        request("Range: bytes=0-0\r\n")
        + b"\r\n"
        + request("Range: bytes=1-1\r\n")
        + request("Range: bytes=2-2\r\n")[:-2]
    )
    one = conversation(connection, image)
    assert one.proceed() == select.EPOLLIN
    connection.received = b"\r\n"
    one.proceed()
    assert [data[-1:] for data, _flags in connection.writes] == [CONTENT[:1], CONTENT[1:2], CONTENT[2:3]]


@pytest.mark.parametrize(
    ("version", "header", "stays", "says"),
    [
        ("1.1", "", True, b""),
        ("1.1", "Connection: close\r\n", False, b"Connection: close"),
        ("1.0", "", False, b"Connection: close"),
        ("1.0", "Connection: keep-alive\r\n", True, b"Connection: keep-alive"),
    ],
)
def test_which_connections_stay_open(image: Path, version: str, header: str, stays: bool, says: bytes) -> None:
    connection = Recorder(request(f"Range: bytes=0-9\r\n{header}", version=version))
    assert conversation(connection, image).proceed() == (select.EPOLLIN if stays else 0)
    assert says in connection.writes[0][0] and connection.writes[0][0].count(b"Connection:") == bool(says)


def test_a_file_cut_short_ends_the_connection(image: Path) -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    log: list[str] = []
    one = conversation(ours, image, log)
    theirs.sendall(request())
    assert one.proceed() == select.EPOLLOUT  # the buffers are full
    os.truncate(image, 1000)
    received = b""
    while True:
        received += theirs.recv(1 << 20)
        if not one.proceed():
            break
    assert len(received) < len(CONTENT) and " 200 " in log[0]
    ours.close()
    theirs.close()


def test_a_proven_connection_ends_when_nothing_happens_for_long() -> None:
    connections, (ours, theirs) = Connections(), socket.socketpair()
    one = connections.add("127.0.0.1", ours, 0.0)
    connections.prove(one)
    one.active = 100.0
    connections.end_late(99.0 + IDLE)
    assert not one.ended
    connections.end_late(100.0 + IDLE)
    assert one.ended and theirs.recv(1) == b"" and connections.take_ended() == 0
    ours.close()
    theirs.close()


class Slow(Recorder):
    """A client that takes some bytes of the answer, and then no more for the time being."""

    def send(self, data: bytes, flags: int = 0) -> int:
        if self.writes:
            raise BlockingIOError
        return super().send(data[:1000], flags)


def test_an_answer_that_is_sent_for_long_is_logged_before_it_ends(image: Path) -> None:
    """A BMC may read the whole image with one request: a run that looks whether it reads must see it."""
    log: list[str] = []
    talk = conversation(Slow(request("Range: bytes=0-8000\r\n")), image, log)
    began = time.monotonic()
    talk.proceed()
    talk.note_long(began + 5)
    assert log == []
    talk.note_long(time.monotonic() + 11)
    talk.note_long(time.monotonic() + 20)
    assert len(log) == 1 and " GET bytes=0-8000 206 " in log[0] and log[0].endswith(" so far")
    talk.note_long(time.monotonic() + 75)
    assert len(log) == 2 and log[1].endswith(" so far")
    talk.end()
    assert len(log) == 3
