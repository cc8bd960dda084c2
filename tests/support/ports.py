# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Choose ports for servers that tests start later, or stop and start again."""

from __future__ import annotations

import itertools
import os
import socket

# Below the ports that Linux gives to clients and to servers that ask for any (net.ipv4.ip_local_port_range, from
# 32768): one of those can be taken by another program while no server of the test listens on it.
_FIRST, _BLOCKS, _OF_BLOCK = 10000, 220, 100
# Tests that run side by side are processes with near numbers: each has its own block.
_CANDIDATES = itertools.cycle(range(_OF_BLOCK))


def free_port() -> int:
    """Return a port without a listener on any address, another one at each call."""
    block = _FIRST + os.getpid() % _BLOCKS * _OF_BLOCK
    for _attempt in range(_OF_BLOCK):
        port = block + next(_CANDIDATES)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections that have ended do not count
            try:
                probe.bind(("0.0.0.0", port))
            except OSError:
                continue
            return port
    raise AssertionError(f"No port from {block} to {block + _OF_BLOCK - 1} is free.")
