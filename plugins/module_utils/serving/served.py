# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Publish an image with method ``serve``: start the image server of this collection as a separate process, find the
server of an earlier run, and keep or replace it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..common.clock import Clock
from ..common.errors import ZeroTouchError
from ..common.files import ensure_directory
from ..common.state import StateFile
from . import listening
from .detach import Process, ServerConfig, prolong, serves, starting_server, stop_server
from .options import Publication, PublishOptions, image_url
from .route import address_for

# In directory logs of the deployment: a line for each answer.
LOG = "image-server.log"
# The first line of a server there. Lines about requests begin with an address.
_BEGIN = re.compile(r"^\S+Z begin: pid ([0-9]{1,9}), started ([0-9]{1,18}), port ([0-9]{1,5}), ", re.MULTILINE)
_WILDCARDS = ("0.0.0.0", "::")


@dataclasses.dataclass(frozen=True)
class ServerBase:
    """The first part of the URL: as the user gave it, or scheme and host to which the port is added."""

    url: str
    host: str
    warnings: tuple[str, ...] = ()

    def address(self, options: PublishOptions, port: int) -> str:
        """The first part with the port on which the server listens."""
        literal = f"[{self.host}]" if ":" in self.host else self.host
        return self.url.rstrip("/") or f"{options.scheme}://{literal}:{port}"

    def image_url(self, options: PublishOptions, port: int, token: str, image: Path) -> str:
        return image_url(self.address(options, port), token, image)


def publish(
    image: Path, state: StateFile, options: PublishOptions, token: str, clock: Clock, check_mode: bool
) -> Publication:
    """Keep the recorded server if it does what is wanted, else start one (on the recorded port if it is free).

    Raises :class:`ZeroTouchError` when no address leads to the BMCs or the server cannot listen.
    """
    base = server_base(options)
    recorded = state.section("publish")
    process = recorded_process(recorded)
    reason = _difference(image, options, recorded, process)
    port = options.port or int(recorded.get("port") or 0)
    kept = process if process is not None and not reason else None
    pid = kept.pid if kept else 0
    running = {} if kept else _running(state)
    if (
        kept is None
        and options.port not in (0, *running.values())
        and (holder := listening.taken_by(options.listen, options.port))
    ):
        raise ZeroTouchError(
            f"Port {options.port} of {options.listen}, on which the image is to be served, is in use by {holder}.",
            "End it, or set openshift_publish.port to another port, or to 0 for any free one.",
        )
    if not check_mode and kept is not None:
        prolong(kept)
    elif not check_mode:
        for server in running:
            stop_server(server, clock)
        pid, port = _start(image, state, options, port, token, clock)
    url = base.image_url(options, port, token, image)
    if not check_mode:
        state.update("publish", {"url": url, "until": _in_words(_life(recorded if kept else {}, options))})
    changed = bool(reason) or recorded.get("url") != url
    return Publication(
        changed,
        reason or "the server runs",
        "serve",
        url,
        str(image),
        options.listen,
        port,
        pid,
        warnings=base.warnings,
    )


def _in_words(seconds: float) -> str:
    """When the life of a server that begins now ends."""
    end = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    return end.isoformat(timespec="seconds").replace("+00:00", "Z")


def withdraw(state: StateFile, clock: Clock, check_mode: bool) -> bool:
    """End the server of this work directory; returns whether there was one."""
    running = _running(state)
    if check_mode:
        return bool(running)
    for server in running:
        stop_server(server, clock)
    if state.section("publish").get("pid"):
        state.update("publish", {"pid": None, "started": None, "since": None, "until": None})
    return bool(running)


def _running(state: StateFile) -> dict[Process, int]:
    """The living servers of this work directory with their ports: the recorded one, and those whose record was lost,
    by their first lines in the log.
    """
    recorded = state.section("publish")
    process = recorded_process(recorded)
    found = {process: int(recorded.get("port") or 0)} if process else {}
    for name in (f"{LOG}.1", LOG):
        with contextlib.suppress(OSError):
            log = (state.path.parent / "logs" / name).read_text(errors="replace")
            for pid, started, port in _BEGIN.findall(log):
                server = Process(int(pid), int(started))
                found |= {server: int(port)} if server.is_server else {}
    return found


def recorded_process(recorded: Mapping[str, Any]) -> Process | None:
    """The living server of an earlier run, None when it is gone; a later process with its number is not taken for
    it.
    """
    if not recorded.get("pid"):
        return None
    process = Process(int(recorded["pid"]), int(recorded.get("started") or 0))
    return process if process.alive else None


def _difference(image: Path, options: PublishOptions, recorded: Mapping[str, Any], process: Process | None) -> str:
    """Why the recorded server is not the wanted one; empty when it is and answers."""
    if process is None:
        return "no server runs"
    if recorded.get("path") != str(image):
        return "the server serves another image"
    if (recorded.get("listen"), recorded.get("port")) != (options.listen, options.port or recorded.get("port")):
        return "the server listens elsewhere or otherwise"
    if recorded.get("tls", "") != _tls_digest(options):
        return "the certificate or its key changed"
    if _life(recorded, options) < options.max_seconds:
        return "the server would end too early"
    if not _answers(image, options, int(recorded.get("port") or 0), str(recorded.get("token"))):
        return "the server does not answer"
    return ""


def _tls_digest(options: PublishOptions) -> str:
    """Of the files that a server reads when it starts; empty without TLS."""
    files = [Path(path).read_bytes() for path in (options.certificate, options.key) if path]
    return hashlib.sha256(b"\0".join(files)).hexdigest() if files else ""


def _life(recorded: Mapping[str, Any], options: PublishOptions) -> float:
    """The seconds that a server of this record lives, of an earlier release those that are asked for."""
    return float(recorded.get("max_seconds", options.max_seconds))


def _answers(image: Path, options: PublishOptions, port: int, token: str) -> bool:
    size = image.stat().st_size if image.is_file() else -1
    return serves(options.listen, port, _url_path(token, image), size, tls=bool(options.certificate))


def _url_path(token: str, image: Path) -> str:
    """The path as in the URL, encoded."""
    return urlsplit(image_url("http://host", token, image)).path


def server_base(options: PublishOptions) -> ServerBase:
    """Where the machines that read find a server of this machine.

    Raises :class:`ZeroTouchError` if no address is known.
    """
    if options.url:
        return ServerBase(options.url, "")
    if options.listen not in _WILDCARDS:
        return ServerBase("", options.listen)
    host, warnings = address_for(options.peers, options.connect_to)
    if ":" in host and options.listen == "0.0.0.0":
        raise ZeroTouchError(
            f"The BMCs are reached over IPv6 (from {host}), but the image server listens on IPv4 only.",
            'Set openshift_publish.listen to "::".',
        )
    return ServerBase("", host, tuple(warnings))


def _start(
    image: Path, state: StateFile, options: PublishOptions, port: int, token: str, clock: Clock
) -> tuple[int, int]:
    """Process number and port of a new server, which is recorded before it serves."""
    config = ServerConfig(
        path=image,
        url_path=_url_path(token, image),
        log=state.path.parent / "logs" / LOG,
        listen=options.listen,
        port=port,
        any_port=not options.port,
        max_seconds=options.max_seconds,
        certificate=options.certificate,
        key=options.key,
    )
    ensure_directory(config.log.parent)
    tls = _tls_digest(options)  # before the server reads the files: what changes then is a change for the next run
    with starting_server(config) as (process, port):
        _record(state, image, options, process, port, token, tls)
    if not _answers(image, options, port, token):
        stop_server(process, clock)
        raise ZeroTouchError(
            f"The image server on {options.listen} port {port} does not answer with {image}.",
            f"Check that this machine can connect to its own address {options.listen}, and read {config.log}.",
        )
    return process.pid, port


def _record(
    state: StateFile, image: Path, options: PublishOptions, process: Process, port: int, token: str, tls: str
) -> None:
    state.update(
        "publish",
        {
            "method": "serve",
            "path": str(image),
            "token": token,
            "listen": options.listen,
            "port": port,
            "pid": process.pid,
            "started": process.started,
            "since": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "tls": tls or None,
            "max_seconds": float(options.max_seconds),
            # of earlier releases
            "certificate": None,
            "key": None,
        },
    )
