# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check whether this machine can listen at an address and port, and find the process that already listens there."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from pathlib import Path

_TCP_LISTEN = "0A"


def why_not(listen: str, port: int) -> str:
    """Why a server could never listen there, whatever else runs; empty when it could.

    A port that another process uses at the moment is no such reason.
    """
    error = _try(listen, port)
    if error is None or error.errno == errno.EADDRINUSE:
        return ""
    if isinstance(error, socket.gaierror):
        return f"the name {listen} cannot be resolved"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{listen} is not an address of this machine"
    if error.errno == errno.EACCES:
        return f"port {port} needs more rights than this user has; take one from 1024 on"
    why = error.strerror or error
    return f"cannot listen on {listen}: {why}"


def taken_by(listen: str, port: int) -> str:
    """Who listens on this port already, in words; empty when it is free."""
    error = _try(listen, port) if port else None
    if error is None or error.errno != errno.EADDRINUSE:
        return ""
    return _holder(port) or "a process of another user"


def _try(listen: str, port: int) -> OSError | None:
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(
            listen, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            # As the server itself does it: connections that have ended do not hold the port.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except OSError as error:
        return error
    except ValueError:  # a part of the name is empty, longer than 63 characters, or no text
        return socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return None


def _holder(port: int) -> str:
    """The process that listens on a port; empty when it is not ours to know."""
    sockets = _listening_sockets(port)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and sockets & _open_sockets(entry):
            name = (entry / "comm").read_text().strip() if (entry / "comm").exists() else "?"
            return f"process {entry.name} ({name})"
    return ""


def _listening_sockets(port: int) -> set[str]:
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        for fields in (line.split() for line in lines):
            if fields[3] == _TCP_LISTEN and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(f"socket:[{fields[9]}]")
    return found


def _open_sockets(process: Path) -> set[str]:
    found = set()
    with contextlib.suppress(OSError):  # of another user, or just ended
        for descriptor in (process / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # just closed
                found.add(os.readlink(descriptor))
    return found
