# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the image service for unit tests: ranges, If-Range by date, no ETag.

Source: openshift/assisted-image-service internal/handlers.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
from collections.abc import Callable
from pathlib import Path

UNIT = """[Service]
Environment=PULL_SECRET_TOKEN=t
ExecStart=/usr/local/bin/agent --url https://service --infra-env-id {id} --agent-version q.io/a --insecure=false
"""


def discovery_ignition(infra_env_id: str) -> bytes:
    units = (
        [{"name": "agent.service", "enabled": True, "contents": UNIT.format(id=infra_env_id)}] if infra_env_id else []
    )
    return json.dumps({"ignition": {"version": "3.1.0"}, "systemd": {"units": units}}).encode()


class ImageServer:
    """Serves ``files`` by path without query.

    The next GETs break after ``cuts`` bytes each; ``after`` is called once the next one is answered.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.modified = "Tue, 14 Nov 2023 22:13:20 GMT"
        self.get_only = {"/script"}
        self.cuts: list[int] = []
        self.after: Callable[[], None] | None = None
        self.seen: list[tuple[str, str, str, str]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            disable_nagle_algorithm = True
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                wanted, condition = self.headers.get("Range", ""), self.headers.get("If-Range", "")
                outer.seen.append((self.command, path, wanted, condition))
                content = outer.files.get(path)
                if self.command == "HEAD" and path in outer.get_only:
                    self.send_error(405)
                    return
                if content is None:
                    self.send_error(404)
                    return
                start = int(wanted[6:-1]) if wanted and condition in ("", outer.modified) else 0
                body = content[start:]
                self.send_response(206 if start else 200)
                if start:
                    self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
                self.send_header("Content-Length", str(len(body)))
                if outer.modified:
                    self.send_header("Last-Modified", outer.modified)
                self.end_headers()
                if self.command == "HEAD":
                    return
                cut = outer.cuts.pop(0) if outer.cuts else 0
                with contextlib.suppress(OSError):
                    self.wfile.write(body[:cut] if cut else body)
                self.close_connection = bool(cut)
                if outer.after and not cut:
                    call, outer.after = outer.after, None
                    call()

            do_HEAD = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda request, address: None
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def gets(self) -> list[tuple[str, str]]:
        return [(path, wanted) for method, path, wanted, _condition in self.seen if method == "GET"]


def here(name: str) -> Path:
    return Path(__file__).parents[2] / name
