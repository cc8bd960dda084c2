# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Limit the open connections of the image server: choose which ones to close if there are too many or a client is too
slow.

A connection is *proven* when a complete request on it named the path of the image, which contains the token.
The others are closed first and have less time, so clients without the token cannot keep a BMC out. ``detach.py``
copies this file into the server process, so it imports only the standard library.
"""

from __future__ import annotations

import contextlib
import dataclasses
import socket
import threading
from collections import Counter

# Seconds from the connection to the end of the first request that names the image.
PATIENCE = 20.0
# Seconds. A connection with the token may be silent for long; one whose peer is gone is found by keep-alive probes.
IDLE = 3600.0
# All open connections.
MOST = 1000
# Connections of one address that are not proven. Machines behind one address may start at the same moment.
MOST_OF_PEER = 256


@dataclasses.dataclass(eq=False)
class Open:
    """One connection; ``since`` and ``active`` are the times of its acceptance and of its last event in seconds of a
    monotonic clock.
    """

    peer: str
    connection: socket.socket
    since: float
    proven: bool = False
    ended: bool = False
    active: float = 0.0


class Connections:
    """All open connections, at most ``most``; safe to use from several threads."""

    def __init__(self, most: int = MOST, most_of_peer: int = MOST_OF_PEER, patience: float = PATIENCE) -> None:
        self.most = most
        self.patience = patience
        self._most_of_peer = most_of_peer
        self._lock = threading.Lock()
        self._open: list[Open] = []
        self._ended = 0

    def add(self, peer: str, connection: socket.socket, now: float) -> Open | None:
        """Admit a new connection, for which one without a proven token may have to end; None if all are proven."""
        with self._lock:
            unproven = [each for each in self._open if not each.proven]
            of_peer = [each for each in unproven if each.peer == peer]
            if len(of_peer) >= self._most_of_peer:
                self._end(of_peer[0])
            elif len(self._open) >= self.most:
                if not unproven:
                    return None
                counts = Counter(each.peer for each in unproven)
                self._end(max(unproven, key=lambda each: counts[each.peer]))  # the oldest of the address that has most
            added = Open(peer, connection, now, active=now)
            self._open.append(added)
            return added

    def replace(self, one: Open, connection: socket.socket) -> None:
        """The connection continues as another object (TLS)."""
        with self._lock:
            one.connection = connection
            if one.ended:
                _shut_down(one)

    def prove(self, one: Open) -> None:
        with self._lock:
            one.proven = True

    def remove(self, one: Open) -> None:
        with self._lock:
            if one in self._open:
                self._open.remove(one)

    def end_late(self, now: float) -> None:
        """End the connections that did not name the image in time, and those on which nothing happens any more."""
        with self._lock:
            for idle in [each for each in self._open if each.proven and now - each.active >= IDLE]:
                self._drop(idle)
            for late in [each for each in self._open if not each.proven and now - each.since >= self.patience]:
                self._end(late)

    def take_ended(self) -> int:
        """How many connections had to end since the last call."""
        with self._lock:
            ended, self._ended = self._ended, 0
            return ended

    def _end(self, one: Open) -> None:
        self._ended += 1
        self._drop(one)

    def _drop(self, one: Open) -> None:
        self._open.remove(one)
        one.ended = True
        _shut_down(one)


def _shut_down(one: Open) -> None:
    """Let its reader find the end of the connection, and close it."""
    with contextlib.suppress(OSError):  # the client was faster
        # Not the method of SSLSocket, which takes the TLS state away from the conversation that uses it.
        socket.socket.shutdown(one.connection, socket.SHUT_RDWR)
