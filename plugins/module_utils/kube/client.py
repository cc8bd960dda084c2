# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Send requests to one Kubernetes API. Objects are plain dictionaries, and the URL paths of the kinds are known in
advance.

The transport is urllib3, as in the kubernetes library, but with a connection pool of this collection: that library has
no hook for ``openshift_connect_to``, which connects to another address while name, SNI and certificate check stay. Its
generated models would hide fields that must pass through unchanged, and its discovery costs one request per API group.
"""

from __future__ import annotations

import collections
import contextlib
import datetime
import email.utils
import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, urlencode, urlunsplit

from ..common import json_text
from ..common.clock import Clock, SystemClock
from ..common.collector import collector_paused
from ..common.connect import DIRECT, ConnectTo, split_endpoint
from ..common.errors import RemoteError, Unreachable, UnusableAnswer, ZeroTouchError
from ..common.http import HttpClient, Response
from ..common.reached import Contact
from ..common.retry import Attempts
from ..common.retry_policies import KUBE_ONCE, KUBE_REPEATABLE
from ..common.terminal import shortened
from ..common.tls import Tls
from ..common.urls import split_remote
from .answers import LARGEST_WATCH, Event, ListBudget, Object, Objects, checked_object, read_events, read_page
from .config import KubeConfig, read_kubeconfig
from .faults import ConflictError, UnknownKindError, fault

# Types of answers are imported from here, too: callers know the client alone.
__all__ = ["Event", "KubeClient", "Object", "Objects", "Trim"]

Trim = Callable[[Object], Object]

MERGE_PATCH = "application/merge-patch+json"
PAGE = 500
# The server ends a watch on its own after some minutes; asking for an end makes that regular.
WATCH_PIECE = 290.0
DRY_RUN = {"dryRun": "All"}
# A DNS name, with the underscores that certificates may have, or an IP address.
_SERVER_NAME = re.compile(r"[A-Za-z0-9._:-]+")
_HTTP_VERBS = {"POST": "create", "PATCH": "patch", "DELETE": "delete"}


class KubeReader(Protocol):
    """What only reads an API: a client, or something that keeps its answers."""

    def get(self, path: str) -> Object:
        """One object (or what else the path answers)."""

    def find(self, path: str) -> Object | None:
        """One object, or None when there is none."""

    def list(self, path: str, *, trim: Trim = dict) -> Objects:
        """All objects of a path, each of them trimmed."""


class KubeClient:
    """Requests to one API server, from any number of threads.

    Raises :class:`RemoteError` with Kubernetes' own message and reason (``faults.py`` has those that callers act on),
    :class:`Unreachable` without an answer. ``attempts`` above 1 repeats requests that the server was too busy for: 429,
    and 5xx of reads, merge patches, deletions and creations of an object with a name, whose effect is the same the
    second time. With ``outage`` they are repeated for at least that many seconds, and the client waits as long for an
    API that has answered before, to this client or to a former task of the run; an API that never answered fails at
    once.
    ``dry_run`` sends every write as a server-side dry run.
    """

    def __init__(
        self,
        config: KubeConfig,
        *,
        connect_to: ConnectTo = DIRECT,
        ca_certs: tuple[str, ...] = (),
        timeout: float = 30.0,
        attempts: int = 1,
        outage: float = 0.0,
        clock: Clock | None = None,
        service: str = "Kubernetes API",
        dry_run: bool = False,
        connections: int = 8,
    ) -> None:
        self.service = service
        self.dry_run = dry_run
        # requests by verb: get list watch create patch delete
        self.calls: collections.Counter[str] = collections.Counter()
        self.watch_margin = 10.0  # seconds that a watch may take longer than asked for
        self.last_date = ""  # Date header of the last answer: the server's own clock
        self._repeatable, self._once = KUBE_REPEATABLE.limited(attempts, outage), KUBE_ONCE.limited(attempts, outage)
        self._clock = clock or SystemClock()
        self._date_seen = 0.0
        self._lock = threading.Lock()
        self._generation = 0  # of the credentials
        self._options: dict[str, Any] = {
            "connect_to": connect_to,
            "ca_certs": ca_certs,
            "timeout": timeout,
            "connections": connections,
        }
        self._config = config
        self.namespace = config.namespace
        self.server, self._http = _open(config, service, **self._options)
        self._contact = Contact(self.server)

    @classmethod
    def from_kubeconfig(cls, path: Path, *, context: str = "", ca_cert: str = "", **options: Any) -> KubeClient:
        """A client for a context of a kubeconfig file; ``ca_cert`` (path or PEM) is trusted besides the file's own CA.

        ``options`` as for the class.
        """
        return cls(read_kubeconfig(path, context), ca_certs=(ca_cert,) if ca_cert else (), **options)

    def get(self, path: str, **params: str) -> Object:
        """One object (or what else the path answers)."""
        return self._send("GET", path, params)

    def find(self, path: str) -> Object | None:
        """One object, or None when there is none (404).

        A cluster that does not even know the kind raises :class:`UnknownKindError`.
        """
        try:
            return self._send("GET", path)
        except UnknownKindError:
            raise
        except RemoteError as error:
            if error.status == 404:
                return None
            raise

    def list(self, path: str, *, label_selector: str = "", field_selector: str = "", trim: Trim = dict) -> Objects:
        """All objects, read in pages.

        ``trim`` gives the part of each object that is worth keeping; the rest is gone before the next page comes.
        """
        return self._list(path, label_selector, field_selector, trim)[0]

    def create(self, path: str, body: Mapping[str, Any], *, dry_run: bool = False, **params: str) -> Object:
        """The new object. An object with a name of its own is sent again after a fault: if the first request created
        it, that object is the result.
        """
        name = str((body.get("metadata") or {}).get("name") or "")
        sent = self._write_params(params, dry_run)
        if not name:
            return self._send("POST", path, sent, body)
        attempts = self._attempts(repeatable=True)
        try:
            return self._send("POST", path, sent, body, attempts=attempts)
        except ConflictError as error:
            found = self.find(f"{path}/{quote(name)}") if attempts.repeated and error.code == "AlreadyExists" else None
            if found is None or not _holds(found, body):
                raise
            return found

    def merge_patch(self, path: str, patch: Mapping[str, Any], *, dry_run: bool = False, **params: str) -> Object:
        """JSON merge patch (RFC 7386): None deletes a key, lists are replaced. The result is the object as it is now.

        With ``metadata.resourceVersion`` in the patch the server answers 409 if the object has changed since.
        """
        return self._send("PATCH", path, self._write_params(params, dry_run), patch, {"Content-Type": MERGE_PATCH})

    def delete(
        self, path: str, *, propagation: str = "", uid: str = "", resource_version: str = "", dry_run: bool = False
    ) -> bool:
        """Ask for deletion, of exactly that object if ``uid`` or ``resource_version`` is given (else 409); False when
        there was nothing to delete.
        """
        preconditions = {key: value for key, value in (("uid", uid), ("resourceVersion", resource_version)) if value}
        body: Object = {"kind": "DeleteOptions", "apiVersion": "v1"}
        body |= ({"propagationPolicy": propagation} if propagation else {}) | (
            {"preconditions": preconditions} if preconditions else {}
        )
        if dry_run or self.dry_run:
            # In the body, and only there: a server that gets options in the body does not look at the query, and would
            # delete.
            body["dryRun"] = [DRY_RUN["dryRun"]]
        attempts = self._attempts(repeatable=True)
        try:
            self._send("DELETE", path, {}, body, attempts=attempts)
        except RemoteError as error:
            if error.status == 404:
                return attempts.repeated  # by the request whose answer was lost
            raise
        return True

    def server_time(self) -> datetime.datetime | None:
        """What the server's clock shows now, by the Date of its last answer; compare times in objects with this, never
        with our own clock.
        """
        try:
            date = email.utils.parsedate_to_datetime(self.last_date)
            # A date with the zone -0000 comes without one (RFC 5322 3.3); HTTP knows only GMT.
            return date.replace(tzinfo=date.tzinfo or datetime.UTC) + datetime.timedelta(
                seconds=self._clock.now() - self._date_seen
            )
        except (TypeError, ValueError, OverflowError, IndexError):
            return None

    def follow(
        self, path: str, seconds: float, *, label_selector: str = "", field_selector: str = ""
    ) -> Iterator[Event]:
        """List, then watch for ``seconds``.

        Resumes where the connection ended; lists again (a LISTED event) when the server forgot (410).

        Raises what :meth:`list` raises; without ``outage`` also what breaks a watch.
        """
        end = self._clock.now() + seconds
        version = ""
        attempts = self._attempts(repeatable=True)
        while True:
            if not version:
                objects, version = self._list(path, label_selector, field_selector)
                # the API has answered: from now on it may be away for a while
                attempts = self._attempts(repeatable=True)
                yield Event("LISTED", objects=tuple(objects))
            remaining = end - self._clock.now()
            if remaining <= 0:
                return
            started = self._clock.now()
            generation = self._generation
            try:
                for event in self._watch(path, version, min(remaining, WATCH_PIECE), label_selector, field_selector):
                    attempts = self._attempts(repeatable=True)
                    if event.type == "ERROR":
                        version = ""
                        break
                    version = str(event.object.get("metadata", {}).get("resourceVersion") or version)
                    if event.type != "BOOKMARK":
                        yield event
            except (RemoteError, Unreachable) as error:
                if not (isinstance(error, RemoteError) and error.status == 401 and self._renew(generation)):
                    attempts.wait(error)
            if self._clock.now() - started < 1:
                # a server that ends watches at once must not be asked in a tight loop
                self._clock.sleep(min(1.0, remaining))

    def close(self) -> None:
        self._http.close()

    def _write_params(self, params: Mapping[str, str], dry_run: bool) -> dict[str, str]:
        return {**params, **(DRY_RUN if dry_run or self.dry_run else {})}

    @collector_paused()
    def _list(self, path: str, label_selector: str, field_selector: str, trim: Trim = dict) -> tuple[Objects, str]:
        params = _selectors(label_selector, field_selector)
        objects: Objects = []
        token = ""
        budget = ListBudget(self.service, self._clock)
        while True:
            page = {"limit": str(PAGE)} | ({"continue": token} if token else {})
            try:
                answer = self._answer("GET", path, params | page, reading="list")
            except RemoteError as error:
                if error.status != 410 or not token:
                    raise
                # the pages' snapshot is gone: read the list whole
                objects, answer = [], self._answer("GET", path, params, reading="list")
            budget.spend(answer, path)
            items, token, version = read_page(self._object(answer), self.service, path)
            objects += [trim(item) for item in items]
            if not token:
                return objects, version

    def _watch(
        self, path: str, version: str, seconds: float, label_selector: str, field_selector: str
    ) -> Iterator[Event]:
        params = _selectors(label_selector, field_selector) | {
            "watch": "true",
            "resourceVersion": version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(max(1, int(seconds))),
        }
        target = _with_query(path, params)
        self._count("watch")
        with self._http.stream(
            "GET", target, timeout=seconds + self.watch_margin, within=seconds + self.watch_margin
        ) as answer:
            if answer.status == 410:
                yield Event("ERROR")
                return
            pieces = self._http.pieces(
                answer, self._http.url(path), self._http.largest if answer.status != 200 else LARGEST_WATCH
            )
            if answer.status != 200:
                raise self._failure(
                    Response(answer.status, {}, self._http.without_credentials(b"".join(pieces))), ("GET", target)
                )
            try:
                yield from read_events(pieces, self.service, path)
            except Unreachable as error:
                if error.kind not in ("timeout", "slow"):
                    raise
                # Quiet to the end: the caller resumes from the last version.

    def _send(
        self,
        method: str,
        path: str,
        params: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        reading: str = "get",
        attempts: Attempts | None = None,
    ) -> Object:
        document = self._object(self._answer(method, path, params, body, headers, reading, attempts))
        return checked_object(document, self.service, path, stored=method == "GET")

    def _answer(
        self,
        method: str,
        path: str,
        params: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        reading: str = "get",
        attempts: Attempts | None = None,
    ) -> Response:
        """The answer of a success (2xx), after repeats and renewed credentials."""
        renewed = False
        # Reads and merge patches have the same effect the second time.
        attempts = attempts or self._attempts(repeatable=method in ("GET", "PATCH"))
        target = _with_query(path, params or {})
        while True:
            generation, http = self._generation, self._http
            try:
                self._count(_HTTP_VERBS.get(method, reading))
                answer = http.request(method, target, json_body=body, headers=headers)
            except Unreachable as error:
                if error.kind == "tls":
                    error.hint = (
                        "Name the CA of the API in ca_cert, or correct certificate-authority-data in the kubeconfig."
                    )
                attempts.wait(error)
                continue
            self._contact.note()
            attempts.answered = True
            self.last_date, self._date_seen = answer.headers.get("date", ""), self._clock.now()
            if 200 <= answer.status < 300:
                return answer
            if answer.status == 401 and not renewed and self._renew(generation):
                renewed = True
                continue
            attempts.wait(self._failure(answer, (method, target)))

    def _attempts(self, *, repeatable: bool) -> Attempts:
        """Counts the failures of one request. ``repeatable``: it has the same effect the second time."""
        return Attempts(self._repeatable if repeatable else self._once, self._clock, answered=self._contact.answered)

    def _count(self, verb: str) -> None:
        with self._lock:
            self.calls[verb] += 1

    def _renew(self, generation: int) -> bool:
        """Fetch new credentials after expiry, once for all threads that used the same ones; False when there is no way
        to.
        """
        with self._lock:
            if self._config.renew is None:
                return False
            if self._generation == generation:
                self._config = self._config.renew()
                self.server, self._http = _open(self._config, self.service, **self._options)
                self._generation += 1
            return True

    def _object(self, answer: Response) -> Object:
        try:
            document = answer.json()
        except json_text.TooLarge as error:
            raise UnusableAnswer(self.service, answer.status, str(error)) from error
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise UnusableAnswer(
                self.service, answer.status, ("the answer is not a JSON object; check that this is a Kubernetes API")
            )
        return document

    def _failure(self, answer: Response, request: tuple[str, str]) -> RemoteError:
        """Kubernetes' Status object in words, or the start of what was answered instead."""
        try:
            status = answer.json()
        except ValueError:
            status = None
        if isinstance(status, dict) and status.get("message"):
            error = fault(self.service, answer.status, str(status["message"]), str(status.get("reason") or ""), request)
        else:
            error = fault(
                self.service, answer.status, shortened(answer.text().strip(), 200) or "no explanation", "", request
            )
        error.retry_after = answer.retry_after()
        return error


def _holds(found: Any, sent: Any) -> bool:
    """Whether an object has everything that was sent.

    The API adds fields, and stores ``stringData`` of Secrets as ``data``.
    """
    if isinstance(sent, Mapping):
        return isinstance(found, Mapping) and all(
            key == "stringData" or (key in found and _holds(found[key], value)) for key, value in sent.items()
        )
    if isinstance(sent, (list, tuple)):
        return isinstance(found, list) and len(found) == len(sent) and all(map(_holds, found, sent))
    return bool(found == sent)


def named_endpoint(config: KubeConfig, connect_to: ConnectTo) -> tuple[str, ConnectTo]:
    """URL and mapping to use: a server with ``tls-server-name`` becomes that name, connected to the server's
    address.
    """
    parts = split_remote(config.server)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ZeroTouchError(f"The kubeconfig's server {config.server!r} is not a URL.")
    if not config.server_name or config.server_name == parts.hostname:
        return config.server, connect_to
    port = parts.port or 443
    target = connect_to.lookup(parts.hostname, port) or (parts.hostname, port)
    name = _verified_name(config.server_name)
    host = f"[{name}]" if ":" in name else name
    url = urlunsplit((parts.scheme, f"{host}:{port}", parts.path, "", ""))
    return url, ConnectTo({**connect_to.entries, (name, port): target})


def _verified_name(server_name: str) -> str:
    """The name of a kubeconfig's ``tls-server-name`` as :class:`ConnectTo` knows it.

    It becomes a part of a URL, so nothing else may be in it.
    """
    try:
        name, port = split_endpoint(server_name)
    except ValueError:
        name, port = "", None
    if port is not None or not _SERVER_NAME.fullmatch(name):
        raise ZeroTouchError(
            f"The kubeconfig's tls-server-name {server_name[:100]!r} is not a DNS name or an IP address."
        )
    return name


def _open(
    config: KubeConfig,
    service: str,
    *,
    connect_to: ConnectTo,
    ca_certs: tuple[str, ...],
    timeout: float,
    connections: int,
) -> tuple[str, HttpClient]:
    url, connect_to = named_endpoint(config, connect_to)
    trusted = ((config.ca,) if config.ca else ()) + ca_certs
    tls = Tls(validate_certs=config.validate_certs, ca_certs=trusted, system_store=not config.ca)
    headers = {"Accept": "application/json", **config.headers} | (
        {"Authorization": config.authorization} if config.authorization else {}
    )
    with _client_certificate(config) as client_cert:
        return url, HttpClient(
            service,
            url,
            tls,
            connect_to,
            headers=headers,
            timeout=timeout,
            client_cert=client_cert,
            proxy=config.proxy,
            connections=connections,
        )


@contextlib.contextmanager
def _client_certificate(config: KubeConfig) -> Iterator[tuple[str, str] | None]:
    """The client certificate and key as files (0600), there only while the TLS context reads them: OpenSSL takes no
    other form.
    """
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


def _selectors(label_selector: str, field_selector: str) -> dict[str, str]:
    provided = {"labelSelector": label_selector, "fieldSelector": field_selector}
    return {name: value for name, value in provided.items() if value}


def _with_query(path: str, params: Mapping[str, str]) -> str:
    relative = path.lstrip("/")  # below the server's own path, which proxies of several clusters have
    return f"{relative}?{urlencode(params)}" if params else relative
