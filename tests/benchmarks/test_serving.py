# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Measure the image server against nginx. Budget: ranges of the image take at most 1.5 times as long as from nginx with
1 and 10 readers, 3 times with 100, at every size; in 30 MB of memory.

A reader requests a range, compares the answer with the file, and requests the next one on the same connection, as BMCs
do. All readers are in one process that never waits for one of them. Both servers write a log. The best of several
rounds counts, since a shared machine only ever adds time.

Where it is permitted, readers and servers have real-time priority, so that other processes take no time from them.
Without it the scheduler prefers the program that needs least: on a busy machine it ran nginx on its reader's processor
and the image server on another one, where waking takes longer than an answer (measured at load 10: 1.7 to 3.2 times as
long as nginx; with real-time priority 1.1 to 1.3, at the same load). Without the permission, readers have a processor
and both servers another one. A server whose answers wait for delayed acknowledgements takes 40 ms for each, which is
several hundred times as long as nginx.
"""

from __future__ import annotations

import getpass
import os
import random
import select
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.detach import (
    ServerConfig,
    start_server,
    stop_server,
)
from ansible_collections.zerotouch.openshift.tests.support.ports import free_port

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
SIZE = 64 << 20
KIB = 1 << 10
# Bytes of a range: how many of them are read in a round.
RANGES = {2 * KIB: 300, 16 * KIB: 300, 32 * KIB: 300, 64 * KIB: 300, 128 * KIB: 300, 8192 * KIB: 20}
ROUNDS = 20
RATIO = {1: 1.5, 10: 1.5, 100: 3.0}
RESIDENT = 30_000_000
PATH = "/0123456789abcdef/agent.x86_64.iso"
CONFIGURATION = """
user {2};
worker_processes 1; daemon off; pid {0}/pid; error_log {0}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log {0}/access.log; sendfile on; tcp_nodelay on; keepalive_requests 10000000;
  client_body_temp_path {0}/body; proxy_temp_path {0}/proxy; fastcgi_temp_path {0}/fastcgi; uwsgi_temp_path {0}/uwsgi; scgi_temp_path {0}/scgi;
  server {{ listen 127.0.0.1:{1}; root {0}/root; }}
}}
"""  # noqa: E501


class Server:
    """A server to measure: its port, and the processes that do its work."""

    def __init__(self, name: str, port: int, pid: int) -> None:
        self.name = name
        self.port = port
        self._pids = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]

    def threads(self) -> list[int]:
        """Numbers of all threads."""
        return [int(task.name) for pid in self._pids for task in Path(f"/proc/{pid}/task").iterdir()]

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self._pids]
        return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> int:
        """Bytes of the largest resident set so far, of the process that has the largest one."""
        return (
            max(int(Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()[0]) for pid in self._pids)
            * KIB
        )


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("serving") / "agent.x86_64.iso"
    path.write_bytes(random.Random(1).randbytes(SIZE))
    return path


@pytest.fixture(scope="module")
def ours(image: Path) -> Iterator[Server]:
    config = ServerConfig(image, PATH, image.parent / "server.log", "127.0.0.1", 0, 3600)
    process, port = start_server(config)
    yield Server("image server", port, process.pid)
    stop_server(process, SystemClock())


@pytest.fixture(scope="module")
def nginx(image: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if NGINX is None:
        pytest.skip("nginx is not installed (Debian package nginx-light)")
    directory = tmp_path_factory.mktemp("nginx")
    served = directory / "root" / PATH.lstrip("/")
    served.parent.mkdir(parents=True)
    os.link(image, served)
    port = free_port()
    (directory / "nginx.conf").write_text(CONFIGURATION.format(directory, port, getpass.getuser()))
    with subprocess.Popen([NGINX, "-c", str(directory / "nginx.conf")], stderr=subprocess.DEVNULL) as process:
        while True:
            assert process.poll() is None, (directory / "error.log").read_text()
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        yield Server("nginx", port, process.pid)
        process.terminate()


@pytest.fixture
def undisturbed(ours: Server, nginx: Server) -> Iterator[None]:
    """Real-time priority for this process and both servers; without the permission, this process on the first processor
    and both servers on the last one.
    """
    processors = os.sched_getaffinity(0)
    threads = [*ours.threads(), *nginx.threads()]
    try:
        for thread in (*threads, 0):
            os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        print("no real-time priority: readers and servers have a processor each")
        for thread in threads:
            os.sched_setaffinity(thread, {max(processors)})
        os.sched_setaffinity(0, {min(processors)})
    yield
    for thread in (*threads, 0):
        os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0))
        os.sched_setaffinity(thread, processors)


class Reader:
    """One connection that reads ranges one after the other, and checks each of them."""

    def __init__(self, port: int, content: bytes, size: int, number: int) -> None:
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._content, self._size, self._number, self._left, self._offset = content, size, number, 0, 0

    def ask(self) -> None:
        self._offset = self._number * self._size % (SIZE - self._size + 1)
        self._number += 1
        self._left = 0
        wanted = f"bytes={self._offset}-{self._offset + self._size - 1}"
        self.connection.send(
            (
                f"GET {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: reader\r\nAccept: */*\r\n"
                f"Range: {wanted}\r\n\r\n"
            ).encode()
        )

    def receive(self, buffer: bytearray) -> bool:
        """Take what there is; whether the answer is complete."""
        count, start = self.connection.recv_into(buffer), 0
        if not self._left:
            assert buffer.startswith(b"HTTP/1.1 206 "), bytes(buffer[:200])
            start = buffer.index(b"\r\n\r\n", 0, count) + 4
            self._left = self._size
        assert count, "the server closed the connection"
        at = self._offset + self._size - self._left
        assert buffer[start:count] == self._content[at : at + count - start]
        self._left -= count - start
        return self._left == 0


def read(port: int, content: bytes, size: int, readers: int, ranges: int) -> float:
    """Seconds that the readers take for all ranges together."""
    buffer = bytearray(1 << 20)
    with select.epoll() as poll:
        found = [Reader(port, content, size, number * 7) for number in range(readers)]
        of = {each.connection.fileno(): each for each in found}
        for descriptor in of:
            poll.register(descriptor, select.EPOLLIN)
        began = time.perf_counter()
        asked, done = min(readers, ranges), 0
        for each in found[:asked]:
            each.ask()
        while done < ranges:
            for descriptor, _event in poll.poll():
                if of[descriptor].receive(buffer):
                    done += 1
                    if asked < ranges:
                        of[descriptor].ask()
                        asked += 1
        seconds = time.perf_counter() - began
        for each in found:
            each.connection.close()
    return seconds


@pytest.mark.usefixtures("undisturbed")
@pytest.mark.parametrize("readers", RATIO)
def test_ranges_cost_little_more_than_from_nginx(
    image: Path, ours: Server, nginx: Server, readers: int, record_property
) -> None:
    content = image.read_bytes()
    ratios = {}
    print()
    for size, ranges in RANGES.items():
        best, cpu = {}, {}
        for _round in range(ROUNDS):
            for server in (nginx, ours):
                before = server.cpu()
                seconds = read(server.port, content, size, readers, ranges)
                best[server.name] = min(best.get(server.name, seconds), seconds)
                cpu[server.name] = cpu.get(server.name, 0.0) + server.cpu() - before
        ratios[size] = best[ours.name] / best[nginx.name]
        each = ", ".join(
            (f"{name} {best[name] / ranges * 1e6:.0f} µs and {cpu[name] / ranges / ROUNDS * 1e6:.0f} µs CPU")
            for name in best
        )
        print(f"{readers} readers, ranges of {size // KIB} KiB: {ratios[size]:.2f} of nginx ({each})")
    resident = ours.resident()
    print(
        f"largest resident set with {readers} readers: {resident / 1e6:.0f} MB, nginx {nginx.resident() / 1e6:.0f} MB"
    )
    record_property("ratios", {size: round(ratio, 2) for size, ratio in ratios.items()})
    assert resident <= RESIDENT
    assert {size: ratio for size, ratio in ratios.items() if ratio > RATIO[readers]} == {}
