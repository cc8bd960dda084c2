# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate faults between a module and a healthy service: a gateway that fails on request, and the token server of a
hosted service.
"""

from __future__ import annotations

import http.client
import http.server
import json
import threading
import urllib.parse
from typing import Any

SLOW = 1.0


class Gateway:
    """Forward requests to a service, and inject faults.

    ``ills`` lists faults: (method or "" for any, part of the path, fault). Each is used once. ``then`` maps a part of a
    path to faults that begin after a request for it.

    A fault is a status (502, 503, 504) without a request to the service; ``cut-before`` or ``cut-after`` the service
    executes the request; ``cut-middle`` of the answer; ``slow``. With ``tokens`` the gateway issues access tokens, each
    valid for so many requests, and exchanges offline tokens for them at ``/token``.
    """

    def __init__(self, url: str, token: str, *, tokens: int = 0) -> None:
        self.ills: list[tuple[str, str, Any]] = []
        self.then: dict[str, list[tuple[str, str, Any]]] = {}
        self.seen: list[tuple[str, str]] = []
        self.issued = 0
        self._token, self._per_token, self._left = token, tokens, 0
        self._lock = threading.Lock()
        self._target = urllib.parse.urlsplit(url).netloc
        self._port = 0
        self.open()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def open(self) -> None:
        gateway = self

        class Handler(http.server.BaseHTTPRequestHandler):
            disable_nagle_algorithm = True
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                gateway.handle(self)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._server.daemon_threads = True
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def handle(self, handler: Any) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        with self._lock:
            self.seen.append((handler.command, handler.path))
            ill = next(
                (item for item in self.ills if item[0] in ("", handler.command) and item[1] in handler.path), None
            )
            if ill:
                self.ills.remove(ill)
            for part in [part for part in self.then if part in handler.path]:
                self.ills += self.then.pop(part)
        what = ill[2] if ill else ""
        if what == "cut-before":
            handler.close_connection = True
            return
        status, headers, data = (
            (what, {}, b"upstream connect error") if isinstance(what, int) else self._answer(handler, body)
        )
        if what == "cut-after":
            handler.close_connection = True
            return
        if what == "slow":
            threading.Event().wait(SLOW)
        handler.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            handler.send_header(name, value)
        handler.end_headers()
        if what == "cut-middle":
            handler.close_connection = True
            data = data[: len(data) // 2]
        try:
            handler.wfile.write(data)
        except OSError:
            handler.close_connection = True  # the client has given up waiting

    def _answer(self, handler: Any, body: bytes) -> tuple[int, dict[str, str], bytes]:
        if handler.path == "/token":
            with self._lock:
                self.issued += 1
                self._left = self._per_token
                return 200, {}, json.dumps({"access_token": f"access-token-{self.issued}", "expires_in": 900}).encode()
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in ("host", "connection")}
        if self._per_token:
            with self._lock:
                if headers.get("Authorization") != f"Bearer access-token-{self.issued}" or not self._left:
                    return 401, {}, json.dumps({"code": 401, "message": "Token is expired"}).encode()
                self._left -= 1
            headers["Authorization"] = self._token
        connection = http.client.HTTPConnection(self._target, timeout=30)
        try:
            connection.request(handler.command, handler.path, body or None, headers)
            answer = connection.getresponse()
            kept = {
                name: value
                for name, value in answer.getheaders()
                if name.lower() in ("content-type", "content-encoding", "content-disposition")
            }
            return answer.status, kept, answer.read()
        finally:
            connection.close()
