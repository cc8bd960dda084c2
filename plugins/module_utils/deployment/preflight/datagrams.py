# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Query name servers (DNS) and time servers (NTP) by UDP, and validate their answers.

The libraries dnspython and ntplib would be two dependencies for two messages. The resolver of this machine can neither
be configured with the server to ask, nor follow ``openshift_connect_to``.
"""

from __future__ import annotations

import functools
import ipaddress
import secrets
import socket
import struct
import time
from collections.abc import Callable

from ...common.connect import ConnectTo

DNS_PORT, NTP_PORT = 53, 123
# Seconds for an answer, and attempts: UDP may lose a packet.
_WITHIN, _ATTEMPTS = 2.0, 2
_LARGEST = 4096
_A, _AAAA, _CNAME, _IN = 1, 28, 5, 1
_NAME_ERROR = 3
_POINTER = 0xC0
# Names and records of one answer.
_MOST_RECORDS, _MOST_LABELS = 64, 128
_RCODES = {1: "FORMERR", 2: "SERVFAIL", 4: "NOTIMP", 5: "REFUSED"}
# Seconds from 1900 to 1970 (RFC 5905, 6).
_NTP_EPOCH = 2208988800


class NoAnswer(Exception):
    """A server did not answer, or not in a way that can be used; the text says which."""


def addresses_of(name: str, server: str, connect_to: ConnectTo) -> list[str]:
    """The addresses of a name at a name server, IPv4 first; none where the name does not exist.

    Raises :class:`NoAnswer`.
    """
    found: list[str] = []
    for kind in (_A, _AAAA):
        query = dns_query(name, kind, secrets.randbelow(1 << 16))
        found += read_dns(_ask(query, server, DNS_PORT, connect_to, functools.partial(_has_prefix, query[:2])), query)
    return found


def _has_prefix(number: bytes, answer: bytes) -> bool:
    return answer.startswith(number)


def seconds_ahead(server: str, connect_to: ConnectTo) -> float:
    """How far the clock of a time server is ahead of this machine's. Raises :class:`NoAnswer`."""
    stamp = secrets.token_bytes(8)
    # Version 4, mode 3 (client); a random transmit time is what the answer must repeat (RFC 5905, 7.3, and RFC 9109's
    # reason).
    query = b"\x23" + bytes(39) + stamp
    sent = time.time()
    answer = _ask(query, server, NTP_PORT, connect_to, lambda data: len(data) >= 48 and data[24:32] == stamp)
    return read_ntp(answer) - (sent + time.time()) / 2


def dns_query(name: str, kind: int, number: int) -> bytes:
    """A recursive query for one name (RFC 1035, 4.1)."""
    labels = b"".join(
        bytes([len(label)]) + label for label in (part.encode("idna") for part in name.rstrip(".").split("."))
    )
    return struct.pack("!HHHHHH", number, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", kind, _IN)


def read_dns(answer: bytes, query: bytes) -> list[str]:
    """The addresses in an answer. Raises :class:`NoAnswer` for one that is no answer to the query, or refuses it."""
    try:
        number, flags, questions, count = struct.unpack_from("!HHHH", answer)
        kind = struct.unpack("!H", query[-4:-2])[0]
        if number != struct.unpack_from("!H", query)[0] or not flags & 0x8000:
            raise NoAnswer("the answer is to another question")
        code = flags & 0xF
        if code == _NAME_ERROR:
            return []
        if code:
            raise NoAnswer(f"it answers {_RCODES.get(code, f'code {code}')}")
        position = 12
        for _question in range(min(questions, _MOST_RECORDS)):
            position = _after_name(answer, position) + 4
        found = []
        for _record in range(min(count, _MOST_RECORDS)):
            position = _after_name(answer, position)
            of_kind, of_class, _life, length = struct.unpack_from("!HHIH", answer, position)
            data = answer[position + 10 : position + 10 + length]
            position += 10 + length
            if (of_kind, of_class) == (kind, _IN) and len(data) == (4 if kind == _A else 16):
                found.append(str(ipaddress.ip_address(data)))
        return found
    except (struct.error, IndexError) as error:
        raise NoAnswer("its answer cannot be read") from error


def _after_name(answer: bytes, position: int) -> int:
    """Where a name ends, which may end in a pointer."""
    for _label in range(_MOST_LABELS):
        length = answer[position]
        if length & _POINTER == _POINTER:
            return position + 2
        position += 1 + length
        if not length:
            return position
    raise IndexError(position)


def read_ntp(answer: bytes) -> float:
    """The Unix time of an answer (RFC 5905, 7.3). Raises :class:`NoAnswer` for a server whose own clock is not set."""
    if len(answer) < 48 or answer[0] & 0x7 != 4:
        raise NoAnswer("its answer is not one of NTP")
    if answer[0] >> 6 == 3 or not 1 <= answer[1] <= 15:
        raise NoAnswer("its own clock is not synchronised")
    return int.from_bytes(answer[40:48], "big") / (1 << 32) - _NTP_EPOCH


def _ask(query: bytes, server: str, port: int, connect_to: ConnectTo, fits: Callable[[bytes], bool]) -> bytes:
    host, port = connect_to.resolve(server, port)
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind, protocol) as asked:
            asked.connect(address)
            for _attempt in range(_ATTEMPTS):
                asked.send(query)
                if answer := _received(asked, fits):
                    return answer
    except OSError as error:
        why = error.strerror or error
        raise NoAnswer(f"it cannot be asked: {why}") from error
    seconds = _ATTEMPTS * _WITHIN
    raise NoAnswer(f"it does not answer within {seconds:.0f} s")


def _received(asked: socket.socket, fits: Callable[[bytes], bool]) -> bytes:
    """The first packet that fits; empty when none comes in time."""
    until = time.monotonic() + _WITHIN
    while (left := until - time.monotonic()) > 0:
        asked.settimeout(left)
        try:
            data = asked.recv(_LARGEST)
        except TimeoutError:
            break
        if fits(data):
            return data
    return b""
