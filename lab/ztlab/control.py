# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Exchange control messages between the commands of ``ztlab`` and a running lab, over a Unix socket in the state
directory. Each connection carries one JSON request and one JSON response.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .texts import error_text

SOCKET = "control.sock"
_LIMIT = 16 << 20

Handler = Callable[[Mapping[str, Any]], Awaitable[Any]]


class ControlError(Exception):
    """The lab does not answer or refused the request; the text is the reason."""


class NotRunning(ControlError):
    """No lab runs in this state directory."""


@contextlib.contextmanager
def _short_path(directory: Path) -> Iterator[str]:
    """A path of the socket that fits into the 108 bytes of a socket address, however long the state directory's own
    path is.
    """
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{handle}/{SOCKET}"
    finally:
        os.close(handle)


async def serve(state: Path, handler: Handler) -> asyncio.AbstractServer:
    """Answer requests until the server is closed. An exception of the handler becomes an error answer with its text."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = json.loads(await reader.readline())
            reply: dict[str, Any] = {"ok": True, "result": await handler(request)}
        except Exception as error:
            reply = {"ok": False, "error": error_text(error)}
        with contextlib.suppress(ConnectionError):
            writer.write(json.dumps(reply).encode() + b"\n")
            await writer.drain()
            writer.close()

    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with _short_path(state) as path:
        (state / SOCKET).unlink(missing_ok=True)
        listener.bind(path)
    listener.setblocking(False)
    return await asyncio.start_unix_server(answer, sock=listener, limit=_LIMIT)


def ask(state: Path, command: str, *, timeout: float = 30.0, **arguments: Any) -> Any:
    """The lab's answer to a command. Raises :class:`NotRunning` or :class:`ControlError`."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(timeout)
    try:
        with _short_path(state) as path:
            client.connect(path)
    except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError) as error:
        client.close()
        raise NotRunning(f"no lab is running in {state}") from error
    try:
        with client, client.makefile("rwb") as stream:
            stream.write(json.dumps({"command": command, **arguments}).encode() + b"\n")
            stream.flush()
            line = stream.readline()
    except OSError as error:
        raise ControlError(f"the lab in {state} does not answer: {error}") from error
    if not line:
        raise ControlError(f"the lab in {state} ended while it was asked")
    answer = json.loads(line)
    if not answer["ok"]:
        raise ControlError(answer["error"])
    return answer["result"]
