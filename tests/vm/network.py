# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the servers and guests of the VM tests on this machine. The servers are a collector of the guests' reports, a
relay to the assisted-service, and a web server. The guests run in QEMU.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import http.server
import json
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

# Addresses of user-mode networking: this machine's loopback interface as guests see it, and what guests have there.
HOST, GATEWAY, NAME_SERVER, NETWORK = "10.0.2.2", "10.0.2.2", "10.0.2.3", "10.0.2.0/24"
MEMORY_MIB = 384
# Options of QEMU for a machine whose CD drive is on the first port of its disk controller.
OVMF = Path("/usr/share/OVMF/OVMF_CODE_4M.fd")
FIRMWARE = {
    "bios": ("-machine", "pc"),
    "uefi": ("-machine", "q35", "-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={OVMF}"),
}
# Seconds of the wall clock after which a test gives up; nothing is measured with it.
LIMIT = 900.0
_LARGEST_REPORT = 8 << 20


def wait_until(found: Any, what: str, limit: float = LIMIT, log: Any = None) -> Any:
    """What ``found`` returns once that is true; fails with ``log()`` after ``limit`` seconds."""
    ends = time.monotonic() + limit
    while not (value := found()):
        if time.monotonic() > ends:
            text = log() if log else ""
            pytest.fail(f"{what}: not within {limit:g} s\n{text}")
        time.sleep(0.2)
    return value


class _Quiet(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        """Nothing is printed."""


class Collector:
    """Takes the reports that guests send, each with the second at which it came."""

    def __init__(self) -> None:
        reports: list[dict[str, Any]] = []

        class Handler(_Quiet):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                if self.path != "/report" or length > _LARGEST_REPORT:
                    self.send_error(400)
                    return
                reports.append({**json.loads(self.rfile.read(length)), "received": time.monotonic()})
                self.send_response(204)
                self.end_headers()

        self.reports = reports
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def of(self, uuid: str) -> list[dict[str, Any]]:
        """The reports of a machine; one for each boot that reached its root file system."""
        return [report for report in self.reports if report["uuid"] == uuid]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Relay:
    """Passes TCP connections on to ``target``. Without a target they are closed at once."""

    def __init__(self) -> None:
        self.target: tuple[str, int] | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()[0]
            except OSError:  # closed
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                if self.target is None:
                    return
                with socket.create_connection(self.target, 10) as other:
                    back = threading.Thread(target=_copy, args=(other, connection), daemon=True)
                    back.start()
                    _copy(connection, other)
                    back.join()
            except OSError:  # the service is not there: the guest's connection ends
                return

    def close(self) -> None:
        self._listener.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:  # one side is closed: so is the other
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)


class Web:
    """A web server for a directory; ``requests`` are the paths that were read."""

    def __init__(self, directory: Path) -> None:
        requests: list[str] = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self) -> None:
                requests.append(self.path)
                super().do_GET()

            def log_message(self, *_arguments: object) -> None:
                """Nothing is printed."""

        self.directory, self.requests = directory, requests
        self._server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=str(directory))
        )
        self.port = self._server.server_port
        # How guests and this machine reach it.
        self.guest_url, self.connect_to = (
            f"http://{HOST}:{self.port}",
            {f"{HOST}:{self.port}": f"127.0.0.1:{self.port}"},
        )
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@dataclasses.dataclass(frozen=True)
class Guest:
    """A virtual machine that a test describes."""

    name: str
    uuid: str
    mac: str


@contextlib.contextmanager
def qemu(guest: Guest, directory: Path, *options: str, network: str = "") -> Iterator[Path]:
    """A virtual machine without a hypervisor's management while the context is open; its serial log."""
    log = directory / f"{guest.name}.console"
    command = [
        *(
            "qemu-system-x86_64",
            "-accel",
            "tcg",
            "-m",
            str(MEMORY_MIB),
            "-display",
            "none",
            "-no-reboot",
            "-uuid",
            guest.uuid,
            "-serial",
            f"file:{log}",
        ),
        *("-netdev", f"user,id=net{network}", "-device", f"virtio-net-pci,netdev=net,mac={guest.mac}", *options),
    ]
    with (directory / f"{guest.name}.qemu").open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        yield log
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=30)


def console_of(paths: Sequence[Path]) -> str:
    """The ends of logs, for the message of a failed test."""
    return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')[-4000:]}" for path in paths if path.exists())
