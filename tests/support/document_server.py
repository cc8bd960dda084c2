# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a web server that stores documents like an object store or a WebDAV server, with ETag, If-Match and
If-None-Match, and with faults on demand.
"""

from __future__ import annotations

import hashlib
import http.server
import ssl
import threading
from collections.abc import Callable
from typing import Any

# (status, headers, body), or a cut connection: ``cut`` before, ``cut after`` the request was carried out.
Fault = Callable[[str, dict[str, str]], "tuple[int, dict[str, str], bytes] | str | None"]


class DocumentServer:
    """``faults`` are called in order for each request. ``ignores`` are the conditional headers that the server ignores.
    With ``quiet`` the response to a PUT has no ETag.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.documents: dict[str, bytes] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.faults: list[Fault] = []
        self.ignores: set[str] = set()
        self.quiet = False
        self.weak = False
        self.missing = 412  # status of a PUT with If-Match if there is no document
        self.lock = threading.Lock()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        scheme = "http" if tls is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self._server.server_address[1]}/states/demo"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.005}, daemon=True).start()

    @property
    def document(self) -> bytes | None:
        return self.documents.get("/states/demo")

    @document.setter
    def document(self, content: bytes) -> None:
        self.documents["/states/demo"] = content

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def methods(self) -> list[str]:
        return [method for method, _headers in self.requests]

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        with self.lock:
            present = self.documents.get(path)
            if method == "GET":
                return (404, {}, b"not here") if present is None else (200, {"ETag": self.etag(present)}, present)
            wanted, absent = headers.get("if-match"), headers.get("if-none-match")
            if wanted and "if-match" not in self.ignores:
                if present is None:
                    return self.missing, {}, b"precondition failed"
                if wanted != self.etag(present):
                    return 412, {}, b"precondition failed"
            if absent and "if-none-match" not in self.ignores and present is not None:
                return 412, {}, b"precondition failed"
            self.documents[path] = body
            return 201 if present is None else 204, {} if self.quiet else {"ETag": self.etag(body)}, b""

    def etag(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()[:32]
        return f'W/"{digest}"' if self.weak else f'"{digest}"'

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def _serve(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                if len(body) < length:  # the client has died: nothing is stored, as with every real server
                    self.close_connection = True
                    return
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.requests.append((self.command, headers))
                found = next(
                    (fault for each in list(outer.faults) if (fault := each(self.command, headers)) is not None), None
                )
                if found == "cut":
                    self.close_connection = True
                    return
                status, more, content = (
                    found if isinstance(found, tuple) else outer.answer(self.command, self.path, headers, body)
                )
                if found == "cut after":
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_PUT = _serve

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except ConnectionError:
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        return Handler


def first(count: int, method: str, answer: Any) -> Fault:
    """A fault of the first ``count`` requests with this method."""
    left = [count]

    def fault(asked: str, _headers: dict[str, str]) -> Any:
        if asked != method or left[0] <= 0:
            return None
        left[0] -= 1
        return answer

    return fault
