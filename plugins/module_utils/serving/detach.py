# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Start the image server as a separate process, find it again, and stop it."""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import inspect
import json
import os
import selectors
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..common.clock import Clock
from ..common.errors import ZeroTouchError
from . import connections, content, conversation, head, server

_START_LIMIT = 20.0
_STOP_LIMIT = 5.0
_HEALTH_LIMIT = 20.0
_LARGEST_MESSAGE = 65536
# What the command line of a server contains.
_NAME = "zerotouch-image-server"
# Source and configuration come on standard input: nothing of them is seen in the list of processes.
# The modules become those of a package that exists in this process alone.
_PACKAGE = "zerotouch_image_server"
_BOOT = """
import json, sys, types
d = json.loads(sys.stdin.readline())
for name, text in d["modules"]:
    module = sys.modules[name] = types.ModuleType(name)
    module.__package__ = name.rpartition(".")[0] or name
    module.__path__ = []
    exec(compile(text, name, "exec"), module.__dict__)
module.main(d["config"])
"""


@dataclasses.dataclass(frozen=True)
class ServerConfig:
    """What a server serves and how.

    ``port`` 0 is any free one; with ``any_port`` a taken one is replaced by a free one.

    ``max_seconds`` bounds its life; ``certificate`` and ``key`` (paths) make it HTTPS. ``patience``, ``most`` and
    ``most_of_peer`` limit the connections (:mod:`.connections`). ``files`` (file, path, media type) replace
    ``path`` and ``url_path``. ``run`` is a process, and for how many seconds the server outlives it.
    """

    path: Path
    url_path: str
    log: Path
    listen: str
    port: int
    max_seconds: float
    any_port: bool = False
    certificate: str = ""
    key: str = ""
    patience: float = connections.PATIENCE
    most: int = connections.MOST
    most_of_peer: int = connections.MOST_OF_PEER
    files: tuple[tuple[str, str, str], ...] = ()
    run: tuple[int, float] | None = None

    def as_dict(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "path": str(self.path.absolute()), "log": str(self.log.absolute())}


@dataclasses.dataclass(frozen=True)
class Process:
    """A process that is not confused with a later one of the same number: ``started`` is its start time in clock ticks
    since boot.
    """

    pid: int
    started: int

    @classmethod
    def of(cls, pid: int) -> Process | None:
        """The living process with this number, or None.

        A process of which only the first thread has ended still holds its port (Linux fs/proc/array.c shows it as a
        zombie with more than one thread).
        """
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        ended = fields[0] in ("Z", "X") and int(fields[17]) <= 1
        return None if ended else cls(pid, int(fields[19]))

    @property
    def alive(self) -> bool:
        return Process.of(self.pid) == self

    @property
    def is_server(self) -> bool:
        """Whether it lives, and is a server that :func:`starting_server` has started."""
        try:
            return _NAME.encode() in Path(f"/proc/{self.pid}/cmdline").read_bytes().split(b"\0") and self.alive
        except OSError:
            return False

    def send(self, number: signal.Signals) -> None:
        """Send a signal if the process still lives."""
        if self.alive:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return
            except PermissionError as error:
                raise ZeroTouchError(
                    f"The image server (pid {self.pid}) belongs to another user and cannot be controlled."
                ) from error


def start_server(config: ServerConfig) -> tuple[Process, int]:
    """Process and port of a new detached server that needs no record. Raises as :func:`starting_server`."""
    with starting_server(config) as started:
        return started


@contextlib.contextmanager
def starting_server(config: ServerConfig) -> Iterator[tuple[Process, int]]:
    """Process and port of a detached server that listens; the block records them.

    The server begins to serve when the block ends. If the block fails, or this process is killed in it, the server
    ends: without a record no later run could find it. Raises :class:`ZeroTouchError` with the reason if it does not
    listen.
    """
    # No run_command of AnsibleModule: this package knows nothing of Ansible.
    child = subprocess.Popen(  # pylint: disable=ansible-bad-function
        [sys.executable, "-I", "-c", _BOOT, _NAME],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        cwd="/",
        env={"LANG": "C.UTF-8", "PATH": os.defpath},
    )
    process: Process | None = None
    try:
        process, port = _begun(config, _dialogue(child, config))
        yield process, port
        _send(child, b"\n")
    except BaseException:
        _reap(child)
        _await_end(process)
        raise
    _reap(child)


def _begun(config: ServerConfig, answer: dict[str, Any]) -> tuple[Process, int]:
    if "error" in answer:
        raise ZeroTouchError(
            f"The image server cannot listen on {config.listen} port {config.port}: {answer['error']}.",
            "Set listen and port of openshift_publish to an address and a port that are free on this machine.",
        )
    process = Process.of(int(answer["pid"]))
    if process is None:
        raise ZeroTouchError(
            "The image server ended immediately.", f"Read {config.log} for the reason, then run again."
        )
    return process, int(answer["port"])


def _modules() -> list[tuple[str, str]]:
    """Name and source text of the server's modules in the order in which they are needed, also from within a zip
    file.
    """
    parts = (connections, head, content, conversation, server)
    return [
        (_PACKAGE, ""),
        *((f"{_PACKAGE}.{module.__name__.rpartition('.')[2]}", inspect.getsource(module)) for module in parts),
    ]


def _dialogue(child: subprocess.Popen[bytes], config: ServerConfig) -> dict[str, Any]:
    """Pass the program and read its one line; a server that says nothing is not there."""
    if child.stdout is None or child.stderr is None:
        raise ZeroTouchError("The image server could not be started.")
    _send(child, json.dumps({"modules": _modules(), "config": config.as_dict()}).encode() + b"\n")
    line = _read_line(child.stdout.fileno(), time.monotonic() + _START_LIMIT)
    try:
        answer = json.loads(line)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        child.kill()
        words = child.stderr.read(_LARGEST_MESSAGE).decode(errors="replace").strip().splitlines()
        why = words[-1] if words else "no answer"
        raise ZeroTouchError(
            f"The image server could not be started: {why}.",
            "Correct the cause, or use another method of openshift_publish.",
        )
    return answer


def _send(child: subprocess.Popen[bytes], data: bytes) -> None:
    """Write to standard input, to which a program that has ended listens no more."""
    try:
        if child.stdin is not None:
            child.stdin.write(data)
            child.stdin.flush()
    except BrokenPipeError:
        child.stdin = None


def _read_line(descriptor: int, ends: float) -> bytes:
    line = b""
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while not line.endswith(b"\n") and selector.select(max(0.0, ends - time.monotonic())):
            piece = os.read(descriptor, _LARGEST_MESSAGE)
            if not piece:
                break
            line += piece
    return line


def _reap(child: subprocess.Popen[bytes]) -> None:
    # The child itself ends as soon as it has forked the server (or failed); the server lives on as a child of init.
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            stream.close()
    try:
        child.wait(_STOP_LIMIT)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _await_end(process: Process | None) -> None:
    """Wait for the end of a server whose standard input is closed, so that its port is free."""
    ends = time.monotonic() + _STOP_LIMIT
    while process is not None and process.alive and time.monotonic() < ends:
        time.sleep(0.02)


def stop_server(process: Process, clock: Clock) -> bool:
    """End the server; returns whether there was one. Returns when it is gone."""
    if not process.alive:
        return False
    process.send(signal.SIGTERM)
    ends = clock.now() + _STOP_LIMIT
    while process.alive:
        if clock.now() >= ends:
            process.send(signal.SIGKILL)
        clock.sleep(0.05)
    return True


def prolong(process: Process) -> None:
    """Restart the time after which it ends."""
    process.send(signal.SIGUSR1)


def serves(listen: str, port: int, url_path: str, size: int, *, tls: bool) -> bool:
    """Whether the server on this machine answers for the path with a file of this size."""
    # A server at "::" also listens on IPv4; a machine can be without ::1.
    host = {"0.0.0.0": "127.0.0.1", "::": "127.0.0.1"}.get(listen, listen)
    connection: http.client.HTTPConnection
    if tls:
        context = ssl.create_default_context()
        # It is asked on its own listening address, about nothing but its own size; its certificate names what BMCs call
        # it.
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection = http.client.HTTPSConnection(host, port, timeout=_HEALTH_LIMIT, context=context)
    else:
        connection = http.client.HTTPConnection(host, port, timeout=_HEALTH_LIMIT)
    try:
        connection.request("HEAD", url_path)
        answer = connection.getresponse()
        return answer.status == 200 and answer.getheader("Content-Length") == str(size)
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
