# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test parsing DNS and NTP responses, and rejecting invalid ones."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.preflight import datagrams
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.preflight.datagrams import (
    NoAnswer,
    addresses_of,
    dns_query,
    read_dns,
    read_ntp,
    seconds_ahead,
)

QUERY = dns_query("api.example.com", 1, 7)
POINTER = b"\xc0\x0c"


def record(kind: int, data: bytes, name: bytes = POINTER) -> bytes:
    return name + struct.pack("!HHIH", kind, 1, 60, len(data)) + data


def answer(*records: bytes, code: int = 0, number: int = 7, questions: int = 1, flags: int = 0x8180) -> bytes:
    return (
        struct.pack("!HHHHHH", number, flags | code, questions, len(records), 0, 0)
        + (QUERY[12:] if questions else b"")
        + b"".join(records)
    )


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (answer(record(1, b"\x0a\0\0\5")), ["10.0.0.5"]),
        (
            answer(
                record(5, b"\3www" + POINTER),
                record(1, b"\x0a\0\0\5", b"\3www\7example\3com\0"),
                record(1, b"\x0a\0\0\6"),
            ),
            ["10.0.0.5", "10.0.0.6"],
        ),
        (answer(record(28, bytes(16))), []),
        (answer(code=3), []),
        (answer(), []),
    ],
)
def test_answers(data: bytes, found: list[str]) -> None:
    assert read_dns(data, QUERY) == found


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "cannot be read"),
        (answer(number=8), "another question"),
        (answer(flags=0), "another question"),
        (answer(code=5), "REFUSED"),
        (answer(code=9), "code 9"),
        (answer(record(1, b"\x0a\0\0\5"))[:-7], "cannot be read"),
        (struct.pack("!HHHHHH", 7, 0x8180, 1, 1, 0, 0) + b"\x01a" * 400, "cannot be read"),
    ],
)
def test_what_is_no_answer(data: bytes, words: str) -> None:
    with pytest.raises(NoAnswer, match=words):
        read_dns(data, QUERY)


def ntp(first: int = 0x24, stratum: int = 2, seconds: int = 2208988800 + 100) -> bytes:
    return bytes([first, stratum]) + bytes(38) + struct.pack("!II", seconds, 1 << 31)


def test_time() -> None:
    assert read_ntp(ntp()) == 100.5


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not one of NTP"),
        (ntp(0x23), "not one of NTP"),
        (ntp(0xE4), "not sync"),
        (ntp(stratum=0), "not sync"),
        (ntp(stratum=16), "not sync"),
    ],
)
def test_time_that_is_none(data: bytes, words: str) -> None:
    with pytest.raises(NoAnswer, match=words):
        read_ntp(data)


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[bytes], list[bytes]]], ConnectTo]]:
    """A server on loopback that sends packets for each that it gets, as ports 53 and 123 of 10.0.0.1."""
    opened: list[socket.socket] = []

    def start(respond: Callable[[bytes], list[bytes]]) -> ConnectTo:
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 0))
        opened.append(server)

        def run() -> None:
            while True:
                try:
                    data, peer = server.recvfrom(4096)
                except OSError:
                    return
                if not data:
                    return
                for packet in respond(data):
                    server.sendto(packet, peer)

        threading.Thread(target=run, daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        return ConnectTo.of({"10.0.0.1:53": address, "10.0.0.1:123": address})

    yield start
    for server in opened:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"", server.getsockname())
        server.close()


def test_a_packet_of_another_question_is_not_taken(
    serve: Callable[[Callable[[bytes], list[bytes]]], ConnectTo],
) -> None:
    def respond(query: bytes) -> list[bytes]:
        head = query[:2] + struct.pack("!HHHHH", 0x8180, 1, 1, 0, 0) + query[12:]
        kind = struct.unpack("!H", query[-4:-2])[0]
        data = b"\x0a\0\0\5" if kind == 1 else bytes(15) + b"\1"
        return [bytes([query[0] ^ 1]) + head[1:] + record(kind, bytes(len(data))), head + record(kind, data)]

    assert addresses_of("api.example.com", "10.0.0.1", serve(respond)) == ["10.0.0.5", "::1"]


def test_a_server_that_is_silent(
    serve: Callable[[Callable[[bytes], list[bytes]]], ConnectTo], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datagrams, "_WITHIN", 0.05)
    with pytest.raises(NoAnswer, match="does not answer"):
        addresses_of("api.example.com", "10.0.0.1", serve(lambda data: []))


def test_an_answer_that_repeats_no_time_of_ours_is_not_taken(
    serve: Callable[[Callable[[bytes], list[bytes]]], ConnectTo], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datagrams, "_WITHIN", 0.05)
    with pytest.raises(NoAnswer, match="does not answer"):
        seconds_ahead("10.0.0.1", serve(lambda data: [ntp()]))
    far = serve(lambda data: [ntp()[:24] + data[40:48] + ntp()[32:]])
    assert seconds_ahead("10.0.0.1", far) < -1e9
