# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Provide hostile names, addresses and texts that a machine, hub or service could report to the collection, and clients
that block a server.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Sequence

# Host names that Ansible could take for the control node, and IP addresses.
NAMES_OF_THE_CONTROLLER = (
    "localhost",
    "LOCALHOST",
    "localhost.localdomain",
    "localhost.example.com",
    "localhost4",
    "localhost6.localdomain6",
    "node.localhost",
    "ip6-localhost",
    "127.0.0.1",
    "127.0.0.53",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "0",
    "0.0.0.0",
    "10.0.0.1",
    "::1",
    "::",
    "0:0:0:0:0:0:0:1",
    "00:00:00:00:00:00:00:01",
    "::ffff:127.0.0.1",
    "[::1]",
)
# Some of them are SSH options, templates or patterns of hosts.
NO_DNS_NAMES = (
    "",
    "{{ lookup('pipe', 'id') }}",
    "node-1{{ 7 * 7 }}",
    "{% raw %}",
    "-oProxyCommand=id",
    "node 1",
    "node-1\n",
    "node-1\nansible_connection=local",
    "node\x1b[2J",
    "node\x00",
    "node_1",
    "node-",
    "-node",
    "node..example",
    ".node",
    "node.",
    "node:22",
    "root@node",
    "node/1",
    "nöde",
    "ⓛocalhost",
    "a" * 64,
    ".".join(["a" * 60] * 5),
    "[1:100]",
    "all:!x",
)
ADDRESSES_OF_THE_CONTROLLER = (
    "127.0.0.1",
    "127.8.9.10",
    "::1",
    "0.0.0.0",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:0.0.0.0",
    "169.254.1.1",
    "fe80::1",
    "ff02::1",
)
NO_ADDRESSES = (
    "",
    "x",
    "-oProxyCommand=id",
    "{{ 7 }}",
    "2001:db8::1%{{ 7 }}",
    "10.0.0.1\n",
    "10.0.0",
    "0x7f.0.0.1",
    "10.0.0.1 -oX",
    "\x1b[2J",
)


def connect(port: int, source: str = "127.0.0.1") -> socket.socket:
    """A connection from one of the addresses of this machine's loopback network."""
    return socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(source, 0))


def half_open(
    port: int, number: int, sources: Sequence[str] = ("127.0.0.1",), words: bytes = b"GET /"
) -> list[socket.socket]:
    """``number`` connections, from these addresses in turn, each with the beginning of a request that never ends.

    The caller closes them.
    """
    found = []
    for index in range(number):
        connection = connect(port, sources[index % len(sources)])
        with contextlib.suppress(OSError):
            connection.sendall(words)
        found.append(connection)
    return found


def dribble(connection: socket.socket, seconds: float, pause: float = 0.1) -> float:
    """Send a header byte by byte for at most this time, so that no single read takes long; how long the server accepted
    it.
    """
    began = time.monotonic()
    with contextlib.suppress(OSError):
        connection.sendall(b"GET / HTTP/1.1\r\nX: ")
        while time.monotonic() - began < seconds:
            connection.sendall(b"x")
            time.sleep(pause)
    return time.monotonic() - began


def is_closed(connection: socket.socket, seconds: float = 5.0) -> bool:
    """Whether the server ends the connection within this time."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            continue
    except TimeoutError:
        return False
    except OSError:
        return True
    return True
