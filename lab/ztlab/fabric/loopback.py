# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Choose a free loopback network 127.N.0.0/16 for a lab, and map addresses of the site to addresses in it."""

from __future__ import annotations

import fcntl
import ipaddress
import os
import re
import socket
import tempfile
from pathlib import Path
from typing import IO

# Range of N for automatic choice. Every program uses 127.0, and other tools often use 127.1.
FIRST_NET, LAST_NET = 10, 250
# Kept free for the lab itself: 127.N.255.x.
PUBLISH_SUFFIX = "255.1"
SENTINEL_SUFFIX, SENTINEL_PORT = "255.254", 65000


class NoFreeNet(Exception):
    """No 127.N.0.0/16 is available; the text is the reason."""


class NetLock:
    """A held lock on one 127.N.0.0/16.

    The lock ends with the process at the latest; :meth:`release` also removes the file.
    """

    def __init__(self, number: int, path: Path, file: IO[str], sentinel: socket.socket) -> None:
        self.number = number
        self._path = path
        self._file = file
        self._sentinel = sentinel

    def release(self) -> None:
        self._path.unlink(missing_ok=True)
        self._sentinel.close()
        self._file.close()


def lock_net(choice: str = "auto", directory: Path | None = None) -> NetLock:
    """Lock the first free net ("auto") or a given one ("127.N" or "N"). Raises :class:`NoFreeNet`."""
    directory = directory or Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
    for number in _candidates(choice):
        lock = _try(number, directory)
        if lock is not None:
            return lock
    raise NoFreeNet(f"no free loopback net ({choice}): every 127.N.0.0/16 is locked under {directory}")


def _candidates(choice: str) -> range:
    if choice == "auto":
        return range(FIRST_NET, LAST_NET + 1)
    match = re.fullmatch(r"(?:127\.)?(\d{1,3})(?:\.0\.0/16)?", choice)
    if match is None or not 1 <= int(match[1]) <= 254:
        raise NoFreeNet(f"{choice!r} is neither auto nor 127.N with N from 1 to 254")
    return range(int(match[1]), int(match[1]) + 1)


def _try(number: int, directory: Path) -> NetLock | None:
    path = directory / f"ztlab-127.{number}.lock"
    try:
        file = path.open("a+", encoding="ascii")
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The holder before us removed the file while we opened it: the lock would be on a file that is deleted.
        if not path.exists() or path.stat().st_ino != os.fstat(file.fileno()).st_ino:
            file.close()
            return None
    except OSError:
        file.close()
        return None
    try:
        sentinel = _occupy(number)
    except OSError:
        path.unlink(missing_ok=True)
        file.close()
        return None
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return NetLock(number, path, file, sentinel)


def _occupy(number: int) -> socket.socket:
    """Bind one port of the net: labs of other users, whose lock files are elsewhere, see it as well.

    Raises OSError if the port is taken.
    """
    sentinel = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sentinel.bind((f"127.{number}.{SENTINEL_SUFFIX}", SENTINEL_PORT))
    except OSError:
        sentinel.close()
        raise
    return sentinel


class AddressTable:
    """Site address -> loopback address.

    The last 16 bits stay as they are when they are free (192.168.111.20 -> 127.N.111.20), else the next free ones.
    """

    def __init__(self, number: int) -> None:
        self.prefix = f"127.{number}"
        self._table: dict[str, str] = {}

    @property
    def publish(self) -> str:
        """The address on which things of the user's own machine (the image server) are to listen."""
        return f"{self.prefix}.{PUBLISH_SUFFIX}"

    def loopback(self, address: str) -> str:
        """The loopback address for an IP address or a host name, the same for the whole life of the lab."""
        try:
            ip = ipaddress.ip_address(address.strip("[]"))
        except ValueError:
            return self._allocate(address.lower().rstrip("."), sum(address.encode()) % 0xFB00)
        if ip.version == 4 and str(ip).startswith(f"{self.prefix}."):
            return str(ip)
        return self._allocate(str(ip), int(ip) & 0xFFFF)

    def localhost(self, machine: str) -> str:
        """The address for 127.0.0.1 on a machine: each has its own."""
        return self._allocate(f"localhost on {machine}", sum(machine.encode()) % 0xFB00)

    def alias(self, name: str, address: str) -> None:
        """A name that leads to an address which has others too."""
        self._table[name.lower().rstrip(".")] = self.loopback(address)

    def known(self, address: str) -> str | None:
        """Like :meth:`loopback`, None for an address that no machine of the lab has."""
        try:
            key = str(ipaddress.ip_address(address.strip("[]")))
        except ValueError:
            key = address.lower().rstrip(".")
        return self._table.get(key)

    def to_dict(self) -> dict[str, str]:
        return dict(self._table)

    def _allocate(self, key: str, preferred: int) -> str:
        if key not in self._table:
            taken = set(self._table.values())
            for step in range(0xFF00):
                low = (preferred + step) % 0xFF00  # 127.N.255.x stays the lab's own
                third, fourth = divmod(low, 256)
                candidate = f"{self.prefix}.{third}.{fourth}"
                if low != 0 and candidate not in taken:
                    self._table[key] = candidate
                    break
            else:
                raise NoFreeNet(f"{self.prefix}.0.0/16 has no address left")
        return self._table[key]


def unprivileged_port(port: int) -> int:
    """The port for a well-known one, which an unprivileged process cannot open: 443 -> 8443."""
    return port + 8000 if port < 1024 else port
