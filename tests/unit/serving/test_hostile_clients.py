# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the image server against clients without the token: half-open requests, slow requests, floods, and requests that
contain a second, hidden request (request smuggling). None of them prevents a BMC from reading its image.
"""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.connections import Connections, Open
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.detach import (
    ServerConfig,
    serves,
    start_server,
    stop_server,
)
from ansible_collections.zerotouch.openshift.tests.support.hostile import readers
from hypothesis import given
from hypothesis import strategies as st

CONTENT = bytes(range(256)) * 40
PATH = "/0123456789abcdef/agent.x86_64.iso"
ATTACKERS = tuple(f"127.0.66.{number}" for number in range(1, 6))
Start = Callable[..., int]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    image = tmp_path / "agent.x86_64.iso"
    image.write_bytes(CONTENT)
    with ExitStack() as running:

        def start(**changes: object) -> int:
            options = {
                "path": image,
                "url_path": PATH,
                "log": tmp_path / "log",
                "listen": "127.0.0.1",
                "port": 0,
                "max_seconds": 60,
                **changes,
            }
            process, port = start_server(ServerConfig(**options))
            running.callback(stop_server, process, SystemClock())
            return port

        yield start


@pytest.fixture
def held() -> Iterator[ExitStack]:
    """Closes what is entered."""
    with ExitStack() as stack:
        yield stack


def bmc(port: int, connection: http.client.HTTPConnection | None = None) -> bytes:
    """What a BMC gets for one of its many small requests."""
    asking = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    asking.request("GET", PATH, headers={"Range": "bytes=0-99"})
    body = asking.getresponse().read()
    if connection is None:
        asking.close()
    return body


@pytest.mark.skipif(os.sysconf("SC_OPEN_MAX") < 2500, reason="needs more open files than this user may have")
def test_a_thousand_half_open_requests(start: Start, held: ExitStack) -> None:
    port = start()
    for connection in readers.half_open(port, 1005, ATTACKERS):
        held.enter_context(connection)
    assert [bmc(port) for _time in range(3)] == [CONTENT[:100]] * 3
    assert serves("127.0.0.1", port, PATH, len(CONTENT), tls=False)


def test_one_address_is_limited_by_itself(start: Start, held: ExitStack) -> None:
    port = start(most=30, most_of_peer=10)
    attack = [held.enter_context(each) for each in readers.half_open(port, 25, ATTACKERS[:1])]
    assert [readers.is_closed(each) for each in attack[:15]] == [True] * 15
    assert not any(readers.is_closed(each, 0.05) for each in attack[15:])
    assert bmc(port) == CONTENT[:100]


def test_connections_with_the_token_stay_in_a_flood(start: Start, held: ExitStack) -> None:
    port = start(most=12, most_of_peer=6)
    readings = [http.client.HTTPConnection("127.0.0.1", port, timeout=10) for _number in range(6)]
    for reading in readings:
        held.callback(reading.close)
        assert bmc(port, reading) == CONTENT[:100]
        local = reading.sock
    for connection in readers.half_open(port, 60, ATTACKERS):
        held.enter_context(connection)
    assert [bmc(port, reading) for reading in readings] == [CONTENT[:100]] * 6
    assert readings[-1].sock is local, "it had to connect again"
    assert bmc(port) == CONTENT[:100]


def test_only_clients_with_the_token_can_fill_it(start: Start, held: ExitStack, tmp_path: Path) -> None:
    port = start(most=4)
    readings = [http.client.HTTPConnection("127.0.0.1", port, timeout=10) for _number in range(4)]
    for reading in readings:
        held.callback(reading.close)
        bmc(port, reading)
    assert readers.is_closed(held.enter_context(readers.connect(port)))
    assert "refused: 4 connections" in (tmp_path / "log").read_text()
    readings.pop().close()
    time.sleep(0.2)
    assert bmc(port) == CONTENT[:100]


@pytest.mark.parametrize("words", [b"", b"GET /", f"GET {PATH} HTTP/1.1\r\nHost: x\r\n".encode()])
def test_a_request_that_never_ends_has_a_short_limit(start: Start, held: ExitStack, words: bytes) -> None:
    port = start(patience=2)
    connection = held.enter_context(readers.half_open(port, 1, words=words)[0])
    assert not readers.is_closed(connection, 0.3)
    assert readers.is_closed(connection, 60)


def test_bytes_that_keep_coming_give_no_more_time(start: Start, held: ExitStack) -> None:
    port = start(patience=1)
    assert readers.dribble(held.enter_context(readers.connect(port)), 90) < 60


def test_wrong_paths_give_no_more_time(start: Start, held: ExitStack) -> None:
    port = start(patience=1)
    connection = held.enter_context(readers.connect(port))
    began, closed = time.monotonic(), False
    while not closed and time.monotonic() - began < 90:
        try:
            connection.sendall(b"GET /guess/agent.x86_64.iso HTTP/1.1\r\nHost: x\r\n\r\n")
            closed = not connection.recv(65536)
        except OSError:
            closed = True
        time.sleep(0.1)
    assert closed and time.monotonic() - began < 60


def test_a_client_with_the_token_may_be_silent_for_long(start: Start, held: ExitStack) -> None:
    port = start(patience=0.5)
    reading = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    held.callback(reading.close)
    bmc(port, reading)
    local = reading.sock
    time.sleep(3)
    assert bmc(port, reading) == CONTENT[:100] and reading.sock is local


def test_a_tls_handshake_that_never_ends(start: Start, held: ExitStack, tmp_path: Path) -> None:
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        "/CN=x",
        "-keyout",
        key,
        "-out",
        certificate,
    ]
    subprocess.run(command, check=True, capture_output=True)
    port = start(certificate=str(certificate), key=str(key), patience=1, most=20, most_of_peer=5)
    silent = [held.enter_context(each) for each in readers.half_open(port, 40, ATTACKERS, words=b"\x16\x03\x01\x02")]
    assert serves("127.0.0.1", port, PATH, len(CONTENT), tls=True)
    assert all(readers.is_closed(each, 60) for each in silent)


@pytest.mark.parametrize(
    ("header", "status", "answers"),
    [
        ("Content-Length: 0\r\nContent-Length: 27", 400, 1),
        ("Content-Length: 0\r\nContent-Length: 0", 400, 1),
        ("Content-Length: 27", 404, 1),
        ("Content-Length: 0, 27", 404, 1),
        ("Content-Length : 27", 404, 1),
        ("nonsense\r\nContent-Length: 27", 404, 1),
        ("Transfer-Encoding: chunked", 404, 1),
        ("Content-Length: 0", 404, 2),
    ],
)
def test_a_request_that_hides_another(start: Start, held: ExitStack, header: str, status: int, answers: int) -> None:
    connection = held.enter_context(readers.connect(start(patience=2)))
    connection.sendall(f"GET /x HTTP/1.1\r\nHost: x\r\n{header}\r\n\r\nGET /y HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    connection.settimeout(10)
    received = b"".join(iter(lambda: connection.recv(65536), b""))
    assert received.startswith(f"HTTP/1.1 {status} ".encode()) and received.count(b"HTTP/1.1 ") == answers


HEAD_LIMIT = 16 << 10
LARGE_HEADS = {
    "a request line": b"GET /" + b"a" * HEAD_LIMIT + b" HTTP/1.1\r\n\r\n",
    "one header": b"GET / HTTP/1.1\r\nX: " + b"a" * HEAD_LIMIT + b"\r\n\r\n",
    "a header of the image's path": f"GET {PATH} HTTP/1.1\r\nX: ".encode() + b"a" * HEAD_LIMIT + b"\r\n\r\n",
    "many headers": b"GET / HTTP/1.1\r\n"
    + b"".join(b"X-%d: " % number + b"a" * 300 + b"\r\n" for number in range(60))
    + b"\r\n",
    "a header without an end": b"GET / HTTP/1.1\r\nX: " + b"a" * HEAD_LIMIT,
}


@pytest.mark.parametrize("head", LARGE_HEADS.values(), ids=LARGE_HEADS)
def test_a_head_that_is_too_large(start: Start, held: ExitStack, head: bytes) -> None:
    connection = held.enter_context(readers.connect(start()))
    connection.sendall(head)
    connection.settimeout(10)
    received = b"".join(iter(lambda: connection.recv(65536), b""))
    assert received.startswith(b"HTTP/1.1 431 ") and received.count(b"HTTP/1.1 ") == 1


def test_the_limit_is_for_each_request(start: Start, held: ExitStack) -> None:
    reading = http.client.HTTPConnection("127.0.0.1", start(), timeout=10)
    held.callback(reading.close)
    for _number in range(5):
        reading.request("GET", PATH, headers={"Range": "bytes=0-99", "X": "a" * (HEAD_LIMIT - 1000)})
        assert reading.getresponse().read() == CONTENT[:100]


STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "add", "add", "prove", "remove", "late"]), st.integers(0, 5)), max_size=80
)


@given(STEPS, st.integers(1, 8), st.integers(1, 4))
def test_who_may_stay(steps: list[tuple[str, int]], most: int, most_of_peer: int) -> None:
    connections, admitted = Connections(most, most_of_peer, patience=10.0), []
    unconnected = socket.socket()
    for now, (step, number) in enumerate(steps):
        living = [each for each in admitted if not each.ended]
        proven = [each for each in living if each.proven]
        if step == "add":
            added = connections.add(f"10.0.0.{number % 3}", unconnected, float(now))
            assert (added is None) == (len(proven) >= most)
            admitted += [added] if added else []
        elif step == "late":
            connections.end_late(float(now))
            assert all(each.proven or now - each.since < 10.0 for each in admitted if not each.ended)
        elif living:
            chosen = living[number % len(living)]
            (connections.prove if step == "prove" else connections.remove)(chosen)
            admitted = [each for each in admitted if step == "prove" or each is not chosen]
        check_limits([each for each in admitted if not each.ended], proven, admitted, most, most_of_peer)
    unconnected.close()


def check_limits(living: list[Open], proven: list[Open], admitted: list[Open], most: int, most_of_peer: int) -> None:
    assert len(living) <= most
    assert all(not each.ended for each in proven if each in admitted), "a client with the token had to leave"
    waiting = [each.peer for each in living if not each.proven]
    assert all(waiting.count(peer) <= most_of_peer for peer in set(waiting))
