# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A client of one Kubernetes API: plain dictionaries in and out, paths of known kinds, our connections.

The transport is urllib3, as in the kubernetes library, but our own pool: that library has no hook for ``openshift_connect_to``, where
the TCP connection goes elsewhere while name, SNI and certificate check stay. Its generated models would only hide fields we need to
pass through, and its discovery costs a request per group for kinds that are known here.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from ..common import libraries
from ..common.clock import Clock, SystemClock
from ..common.connect import DIRECT, ConnectTo, split_endpoint
from ..common.errors import RemoteError, Unreachable, ZeroTouchError
from ..common.http import HttpClient, Response, unreachable
from ..common.retry import Backoff, retry
from ..common.tls import Tls
from .config import KubeConfig, read_kubeconfig

Object = dict[str, Any]
Objects = list[Object]

MERGE_PATCH = "application/merge-patch+json"
PAGE = 500
# The server ends a watch on its own after some minutes; asking for an end makes that regular.
WATCH_PIECE = 290.0


@dataclasses.dataclass(frozen=True)
class Event:
    """``type`` is ADDED, MODIFIED or DELETED with one ``object``, or LISTED with all ``objects``: then everything known before is void."""

    type: str
    object: Object = dataclasses.field(default_factory=dict)
    objects: tuple[Object, ...] = ()


class KubeClient:
    """Requests to one API server.

    Raises :class:`RemoteError` with Kubernetes' own message and reason, :class:`Unreachable` without an answer. ``attempts`` above 1
    repeats requests that the server was too busy for (429, and 5xx of reads).
    """

    def __init__(
        self,
        config: KubeConfig,
        *,
        connect_to: ConnectTo = DIRECT,
        ca_certs: tuple[str, ...] = (),
        timeout: float = 30.0,
        attempts: int = 1,
        clock: Clock | None = None,
        service: str = "Kubernetes API",
    ) -> None:
        url, connect_to = named_endpoint(config, connect_to)
        trusted = ((config.ca,) if config.ca else ()) + ca_certs
        tls = Tls(validate_certs=config.validate_certs, ca_certs=trusted, system_store=not config.ca)
        headers = {"Accept": "application/json"} | ({"Authorization": config.authorization} if config.authorization else {})
        self.service = service
        self.server = url
        self.last_date = ""  # Date header of the last answer: the server's own clock
        self._attempts = attempts
        self._clock = clock or SystemClock()
        with _client_certificate(config) as client_cert:
            self._http = HttpClient(service, url, tls, connect_to, headers=headers, timeout=timeout, client_cert=client_cert)

    @classmethod
    def from_kubeconfig(cls, path: Path, *, context: str = "", ca_cert: str = "", **options: Any) -> KubeClient:
        """A client for a context of a kubeconfig file; ``ca_cert`` (path or PEM) is trusted besides the file's own CA. ``options`` as for the class."""
        return cls(read_kubeconfig(path, context), ca_certs=(ca_cert,) if ca_cert else (), **options)

    def get(self, path: str, **params: str) -> Object:
        """One object (or what else the path answers)."""
        return self._send("GET", path, params)

    def find(self, path: str) -> Object | None:
        """One object, or None when there is none (404)."""
        try:
            return self._send("GET", path)
        except RemoteError as error:
            if error.status == 404:
                return None
            raise

    def list(self, path: str, *, label_selector: str = "", field_selector: str = "") -> Objects:
        """All objects, read in pages."""
        return self._list(path, label_selector, field_selector)[0]

    def create(self, path: str, body: Mapping[str, Any], **params: str) -> Object:
        return self._send("POST", path, params, body)

    def merge_patch(self, path: str, patch: Mapping[str, Any], **params: str) -> Object:
        """JSON merge patch (RFC 7386): None deletes a key, lists are replaced. The result is the object as it is now."""
        return self._send("PATCH", path, params, patch, {"Content-Type": MERGE_PATCH})

    def delete(self, path: str, *, propagation: str = "") -> bool:
        """Ask for deletion; False when there was nothing to delete."""
        body = {"kind": "DeleteOptions", "apiVersion": "v1"} | ({"propagationPolicy": propagation} if propagation else {})
        try:
            self._send("DELETE", path, body=body)
        except RemoteError as error:
            if error.status == 404:
                return False
            raise
        return True

    def follow(self, path: str, seconds: float, *, label_selector: str = "", field_selector: str = "") -> Iterator[Event]:
        """List, then watch for ``seconds``. Resumes where the connection ended; lists again (a LISTED event) when the server forgot (410)."""
        end = self._clock.now() + seconds
        version = ""
        while True:
            if not version:
                objects, version = self._list(path, label_selector, field_selector)
                yield Event("LISTED", objects=tuple(objects))
            remaining = end - self._clock.now()
            if remaining <= 0:
                return
            started = self._clock.now()
            for event in self._watch(path, version, min(remaining, WATCH_PIECE), label_selector, field_selector):
                if event.type == "ERROR":
                    version = ""
                    break
                version = str(event.object.get("metadata", {}).get("resourceVersion") or version)
                if event.type != "BOOKMARK":
                    yield event
            if self._clock.now() - started < 1:
                self._clock.sleep(min(1.0, remaining))  # a server that ends watches at once must not be asked in a tight loop

    def close(self) -> None:
        self._http.close()

    def _list(self, path: str, label_selector: str, field_selector: str) -> tuple[Objects, str]:
        params = _selectors(label_selector, field_selector)
        objects: Objects = []
        token = ""
        while True:
            page = {"limit": str(PAGE)} | ({"continue": token} if token else {})
            try:
                answer = self._send("GET", path, params | page)
            except RemoteError as error:
                if error.status != 410 or not token:
                    raise
                objects, answer = [], self._send("GET", path, params)  # the pages' snapshot is gone: read the list whole
            items = answer.get("items") or []
            kind, api_version = str(answer.get("kind", "")).removesuffix("List"), answer.get("apiVersion")
            # Items of a list carry neither kind nor apiVersion; an object on its own does.
            objects += [{"apiVersion": api_version, "kind": kind, **item} for item in items]
            metadata = answer.get("metadata") or {}
            token = str(metadata.get("continue") or "")
            if not token:
                return objects, str(metadata.get("resourceVersion") or "")

    def _watch(self, path: str, version: str, seconds: float, label_selector: str, field_selector: str) -> Iterator[Event]:
        params = _selectors(label_selector, field_selector) | {
            "watch": "true",
            "resourceVersion": version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(max(1, int(seconds))),
        }
        with self._http.stream("GET", _with_query(path, params), timeout=seconds + 10) as answer:
            try:
                if answer.status == 410:
                    yield Event("ERROR")
                    return
                if answer.status != 200:
                    raise self._failure(Response(answer.status, {}, answer.read()))
                yield from _events(answer.stream(1 << 16, decode_content=True))
            except libraries.urllib3.exceptions.ReadTimeoutError:
                return  # quiet to the end: the caller resumes from the last version
            except libraries.urllib3.exceptions.HTTPError as error:
                raise unreachable(self.service, self._http.url(path), error) from error
            finally:
                answer.close()  # an unread rest must not go back into the pool

    def _send(
        self,
        method: str,
        path: str,
        params: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Object:
        def once() -> Object:
            answer = self._http.request(method, _with_query(path, params or {}), json_body=body, headers=headers)
            self.last_date = answer.headers.get("date", "")
            if not 200 <= answer.status < 300:
                raise self._failure(answer)
            return self._object(answer)

        def again(error: Exception) -> bool | float:
            if isinstance(error, Unreachable):
                return method == "GET" and error.kind in ("timeout", "broken")
            return isinstance(error, RemoteError) and (error.status == 429 or (method == "GET" and error.status >= 500))

        return retry(once, Backoff(attempts=self._attempts, first=1.0, factor=2.0, largest=10.0), again, self._clock)

    def _object(self, answer: Response) -> Object:
        try:
            document = answer.json()
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise self._http.failure(answer, "the answer is not a JSON object; is this a Kubernetes API?")
        return document

    def _failure(self, answer: Response) -> RemoteError:
        """Kubernetes' Status object in words, or the start of what was answered instead."""
        try:
            status = answer.json()
        except ValueError:
            status = None
        if isinstance(status, dict) and status.get("message"):
            return self._http.failure(answer, str(status["message"]), str(status.get("reason") or ""))
        return self._http.failure(answer, answer.text().strip()[:200] or "no explanation")


def named_endpoint(config: KubeConfig, connect_to: ConnectTo) -> tuple[str, ConnectTo]:
    """URL and mapping to use: a server with ``tls-server-name`` becomes that name, connected to the server's address."""
    parts = urlsplit(config.server)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ZeroTouchError(f"The kubeconfig's server {config.server!r} is not a URL.")
    if not config.server_name or config.server_name == parts.hostname:
        return config.server, connect_to
    port = parts.port or 443
    target = connect_to.lookup(parts.hostname, port) or (parts.hostname, port)
    name, _port = split_endpoint(config.server_name)
    url = urlunsplit((parts.scheme, f"{config.server_name}:{port}", parts.path, "", ""))
    return url, ConnectTo({**connect_to.entries, (name, port): target})


@contextlib.contextmanager
def _client_certificate(config: KubeConfig) -> Iterator[tuple[str, str] | None]:
    """The client certificate and key as files (0600), there only while the TLS context reads them: OpenSSL takes no other form."""
    if not config.client_cert or not config.client_key:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="zerotouch-") as directory:
        names = []
        for name, text in (("client.crt", config.client_cert), ("client.key", config.client_key)):
            path = Path(directory) / name
            path.touch(mode=0o600)
            path.write_text(text)
            names.append(str(path))
        yield names[0], names[1]


def _events(chunks: Iterator[bytes]) -> Iterator[Event]:
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.strip():
                document = json.loads(line)
                yield Event(str(document.get("type")), document.get("object") or {})


def _selectors(label_selector: str, field_selector: str) -> dict[str, str]:
    given = {"labelSelector": label_selector, "fieldSelector": field_selector}
    return {name: value for name, value in given.items() if value}


def _with_query(path: str, params: Mapping[str, str]) -> str:
    relative = path.lstrip("/")  # below the server's own path, which proxies of several clusters have
    return f"{relative}?{urlencode(params)}" if params else relative
