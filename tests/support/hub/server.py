# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the API server of a hub for unit tests: real sockets, any kind, versions, locks, dry run, pages, watches;
and faults on demand.
"""

from __future__ import annotations

import copy
import http.server
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

PATH = re.compile(
    r"^/(?:api/v1|apis/(?P<group>[^/]+)/(?P<version>[^/]+))(?:/namespaces/(?P<namespace>[^/]+))?/(?P<plural>[^/]+)(?:/(?P<name>[^/]+))?$"
)
KINDS = {
    "agents": "Agent",
    "infraenvs": "InfraEnv",
    "clusterdeployments": "ClusterDeployment",
    "agentclusterinstalls": "AgentClusterInstall",
}
AGENTS = ("agent-install.openshift.io/v1beta1", "agents")

Fault = Callable[[dict[str, Any]], "tuple[int, dict[str, str], dict[str, Any]] | str | None"]


class HubServer:
    """``faults`` are asked in order for every request; the first that answers decides: (status, headers, body), ``cut``
    or ``cut after``.

    ``react`` is called with every object that was written, before the answer is sent: a controller in one function.
    """

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str, str], dict[str, Any]] = {}  # (plural, namespace, name)
        self.history: list[tuple[int, str, str, dict[str, Any]]] = []  # (version, event type, plural, object)
        self.forgotten = 0
        self.version = 100
        self.requests: list[dict[str, Any]] = []
        self.faults: list[Fault] = []
        self.react: Callable[[HubServer, str, dict[str, Any]], None] | None = None
        self.lock = threading.Condition(threading.RLock())
        self._server: http.server.ThreadingHTTPServer | None = None
        self.port = 0
        self.start()

    def start(self) -> None:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), self._handler(), bind_and_activate=False)
        server.allow_reuse_address = True
        server.daemon_threads = True
        server.request_queue_size = 128
        server.server_bind()
        server.server_activate()
        self.port = server.server_address[1]
        self._server = server
        self.running = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.005}, daemon=True).start()

    def stop(self) -> None:
        """As a restart does: open connections break, new ones are refused."""
        with self.lock:
            self.running = False
            self.lock.notify_all()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def kubeconfig(self) -> dict[str, Any]:
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "hub", "cluster": {"server": self.url}}],
            "users": [{"name": "admin", "user": {"token": "a-token-for-the-hub"}}],
            "contexts": [{"name": "hub", "context": {"cluster": "hub", "user": "admin"}}],
            "current-context": "hub",
        }

    # --- what tests do to the hub ---

    def put(self, plural: str, obj: dict[str, Any]) -> dict[str, Any]:
        """Create or replace, as a controller does; the object with its version."""
        with self.lock:
            obj = copy.deepcopy(obj)
            metadata = obj["metadata"]
            key = (plural, metadata.get("namespace", ""), metadata["name"])
            known = self.objects.get(key)
            self.version += 1
            metadata["resourceVersion"] = str(self.version)
            metadata.setdefault("uid", known["metadata"]["uid"] if known else f"uid-{self.version}")
            metadata.setdefault("creationTimestamp", f"2026-01-01T00:00:{self.version % 60:02d}Z")
            obj.setdefault("kind", KINDS[plural])
            self.objects[key] = obj
            self.history.append((self.version, "MODIFIED" if known else "ADDED", plural, copy.deepcopy(obj)))
            self.lock.notify_all()
            return copy.deepcopy(obj)

    def change(self, name: str, namespace: str = "lab", plural: str = "agents", **parts: Any) -> dict[str, Any]:
        """Merge ``spec``, ``status`` or ``metadata`` into an object."""
        with self.lock:
            return self.put(plural, merge(self.objects[(plural, namespace, name)], parts))

    def remove(self, name: str, namespace: str = "lab", plural: str = "agents") -> None:
        with self.lock:
            obj = self.objects.pop((plural, namespace, name))
            self.version += 1
            gone = merge(obj, {"metadata": {"resourceVersion": str(self.version)}})
            self.history.append((self.version, "DELETED", plural, gone))
            self.lock.notify_all()

    def forget(self) -> None:
        """As after a compaction: a watch from before now gets 410."""
        with self.lock:
            self.forgotten = self.version
            self.history.clear()
            self.lock.notify_all()

    def get(self, name: str, namespace: str = "lab", plural: str = "agents") -> dict[str, Any]:
        return self.objects[(plural, namespace, name)]

    def calls(self) -> Counter[str]:
        """Requests by verb; watches apart from lists, pages of one list once."""
        return Counter(request["verb"] for request in self.requests if not request["continue"])

    def patches(self) -> list[dict[str, Any]]:
        return [request for request in self.requests if request["verb"] == "patch"]

    # --- answers ---

    def answer(self, request: dict[str, Any]) -> tuple[int, dict[str, str], dict[str, Any]]:
        match = PATH.match(request["path"])
        if match is None:
            return status(404, "NotFound", f"{request['path']} not found")
        plural, namespace, name = (unquote(match[part] or "") for part in ("plural", "namespace", "name"))
        if request["verb"] == "list":
            return self._list(request, plural, namespace)
        with self.lock:
            present = self.objects.get((plural, namespace, name))
            if present is None:
                return status(404, "NotFound", f'{plural} "{name}" not found')
            if request["verb"] == "get":
                return 200, {}, present
            if request["verb"] == "delete":
                wanted = (request["body"].get("preconditions") or {}).get("uid")
                if wanted and wanted != present["metadata"]["uid"]:
                    return status(409, "Conflict", f"the UID in the precondition ({wanted}) does not match")
                if not request["dry"]:
                    self.remove(name, namespace, plural)
                return 200, {}, present
            return self._patch(request, plural, present)

    def _patch(
        self, request: dict[str, Any], plural: str, present: dict[str, Any]
    ) -> tuple[int, dict[str, str], dict[str, Any]]:
        version = (request["body"].get("metadata") or {}).get("resourceVersion")
        if version and version != present["metadata"]["resourceVersion"]:
            return status(
                409,
                "Conflict",
                (
                    f'{plural} "{present["metadata"]["name"]}": the object has been modified; please apply your '
                    "changes to the latest version"
                ),
            )
        changed = merge(present, request["body"])
        if request["dry"] or changed == present:
            return 200, {}, changed
        written = self.put(plural, changed)
        if self.react is not None:
            self.react(self, plural, written)
        return 200, {}, written

    def _list(self, request: dict[str, Any], plural: str, namespace: str) -> tuple[int, dict[str, str], dict[str, Any]]:
        with self.lock:
            items = [
                {key: value for key, value in obj.items() if key not in ("kind", "apiVersion")}
                for (kind, where, _name), obj in sorted(self.objects.items())
                if kind == plural and namespace in ("", where) and selected(obj, request["selector"])
            ]
            start, limit = int(request["continue"] or 0), request["limit"]
            metadata: dict[str, Any] = {"resourceVersion": str(self.version)}
            if limit and start + limit < len(items):
                metadata["continue"] = str(start + limit)
            page = items[start : start + limit] if limit else items
            return (
                200,
                {},
                {"kind": f"{KINDS[plural]}List", "apiVersion": AGENTS[0], "metadata": metadata, "items": page},
            )

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def _serve(self) -> None:
                parts = urlsplit(self.path)
                query = {key: values[0] for key, values in parse_qs(parts.query).items()}
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length) or b"{}")
                name = (PATH.match(parts.path) or {"name": None})["name"]
                reading = "get" if name else "list"
                if query.get("watch"):
                    reading = "watch"
                verb = {"PATCH": "patch", "DELETE": "delete", "POST": "create"}.get(self.command, reading)
                request = {
                    "verb": verb,
                    "path": parts.path,
                    "name": name or "",
                    "query": query,
                    "selector": query.get("labelSelector", ""),
                    "continue": query.get("continue", ""),
                    "limit": int(query.get("limit", 0)),
                    # As kube-apiserver does: of a deletion with a body the query is not looked at.
                    "dry": body.get("dryRun") == ["All"] if verb == "delete" and body else query.get("dryRun") == "All",
                    "body": body,
                    "authorization": self.headers.get("Authorization", ""),
                    "content_type": self.headers.get("Content-Type", ""),
                }
                with hub.lock:
                    hub.requests.append(request)
                if not hub.running:
                    self.close_connection = True
                    return
                found = next((fault for each in list(hub.faults) if (fault := each(request)) is not None), None)
                if found == "cut":
                    self.close_connection = True
                    return
                if verb == "watch" and not isinstance(found, tuple):
                    self._watch(request)
                    return
                code, headers, document = found if isinstance(found, tuple) else hub.answer(request)
                if found == "cut after":
                    self.close_connection = True
                    return
                self._send(code, headers, json.dumps(document).encode())

            def _send(self, code: int, headers: dict[str, str], data: bytes) -> None:
                self.send_response(code)
                for key, value in {
                    "Content-Type": "application/json",
                    "Content-Length": str(len(data)),
                    **headers,
                }.items():
                    self.send_header(key, value)
                self.end_headers()
                self.wfile.write(data)

            def _watch(self, request: dict[str, Any]) -> None:
                plural = (PATH.match(request["path"]) or {"plural": ""})["plural"]
                namespace = (PATH.match(request["path"]) or {"namespace": ""})["namespace"] or ""
                version = int(request["query"].get("resourceVersion") or 0)
                end = time.monotonic() + float(request["query"].get("timeoutSeconds", 60))
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                while hub.running and time.monotonic() < end:
                    with hub.lock:
                        if version < hub.forgotten:
                            self._chunk(
                                {"type": "ERROR", "object": status(410, "Expired", "too old resource version")[2]}
                            )
                            break
                        news = [entry for entry in hub.history if entry[0] > version and entry[2] == plural]
                        if not news:
                            hub.lock.wait(0.05)
                            continue
                    for number, kind, _plural, obj in news:
                        version = number
                        if namespace in ("", obj["metadata"].get("namespace", "")) and selected(
                            obj, request["selector"]
                        ):
                            self._chunk({"type": kind, "object": obj})
                    if any(fault(request) == "end" for fault in hub.faults):
                        break
                self.wfile.write(b"0\r\n\r\n")

            def _chunk(self, event: dict[str, Any]) -> None:
                data = json.dumps(event).encode() + b"\n"
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                self.wfile.flush()

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except ConnectionError:
                    self.close_connection = True

            do_GET = do_PATCH = do_DELETE = do_POST = _serve

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        return Handler


def status(code: int, reason: str, message: str, **headers: str) -> tuple[int, dict[str, str], dict[str, Any]]:
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "reason": reason,
        "message": message,
        "code": code,
    }
    return code, {key.replace("_", "-"): value for key, value in headers.items()}, body


def merge(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def selected(obj: dict[str, Any], selector: str) -> bool:
    labels = obj["metadata"].get("labels") or {}
    return all(labels.get(pair.partition("=")[0]) == pair.partition("=")[2] for pair in selector.split(",") if pair)


def times(count: int, verb: str, answer: Any) -> Fault:
    """A fault for the first ``count`` requests of a verb."""
    left = [count]

    def fault(request: dict[str, Any]) -> Any:
        if request["verb"] != verb or left[0] <= 0:
            return None
        left[0] -= 1
        return answer(request) if callable(answer) else answer

    return fault
