# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Send HTTP requests to an assisted-service, and return its documents as plain dictionaries.

JSON that the service embeds as text is decoded. All errors raise one class. A request is repeated where that is safe.

The package assisted-service-client is not used. A test on 2026-11-21 with version 2.56.0.post94 showed:

* Its models take 0.07 s of CPU time to import, this file 0.03 s (urllib3 was imported before).
* It raises ``ValueError`` for a cluster with a state that is newer than its models, or without a field that its schema
  requires. This file keeps the state as text and leaves the field absent.
* It drops unknown fields of an answer, so a newer field cannot be shown. In a request, an unknown field is a TypeError.
* ``ApiException.reason`` is always the text of HTTP (``Conflict``); the service's message is text within ``body``.
  Embedded JSON stays text. Lists of clusters and hosts are plain dictionaries, as here.
* It does not repeat requests, exchange tokens or map connections. All code around it would still be needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from ...common import json_text
from ...common.clock import Clock, SystemClock
from ...common.connect import DIRECT, ConnectTo
from ...common.errors import Unreachable, UnusableAnswer, ZeroTouchError
from ...common.http import HttpClient, HttpProxy, Response
from ...common.reached import Contact
from ...common.retry import retry
from ...common.retry_policies import ASSISTED_ONCE, ASSISTED_REPEATABLE
from ...common.tls import Tls
from .auth import ALL, USER_AGENT, USER_LINK, USER_WATCHER, USER_WATCHER_LINK, Auth, Credential, FixedTokens
from .faults import AssistedError
from .shapes import misfit

Document = dict[str, Any]

BASE_PATH = "api/assisted-install/v2"
# Members whose value is a string with JSON inside (openshift/assisted-service swagger.yaml).
JSON_STRINGS = frozenset(
    {
        "api_vip_connectivity",
        "connectivity",
        "connectivity_majority_groups",
        "disks_info",
        "domain_name_resolutions",
        "feature_usage",
        "fencing_credentials",
        "free_addresses",
        "images_status",
        "installer_args",
        "inventory",
        "ip_collisions",
        "kernel_arguments",
        "node_labels",
        "ntp_sources",
        "props",
        "static_network_config",
        "tang_connectivity",
        "validations_info",
    }
)


IDEMPOTENT = frozenset({"GET", "HEAD", "PUT", "PATCH", "DELETE"})
# Bytes and seconds of all logs of a cluster: they have some 100 MB for a cluster of 5, and the service keeps them
# compressed.
LARGEST_LOGS = 4 << 30
_LOGS_WITHIN = 3600.0


class AssistedClient:
    """One assisted-service, by its base URL (``http://192.168.122.2:8090``): what watching an installation takes; the
    rest is in service.py.

    Raises :class:`AssistedError` with the service's code and reason, :class:`Unreachable` without an answer. Up to
    ``attempts`` requests are made where a repeat is safe: the connection was never made; the service says 429, or a
    gateway 503 for a request it kept; and, for what has the same effect twice (everything but POST), also a connection
    that broke, a time-out, 502, 503 and 504. These are repeated for at least ``patience`` seconds if the service has
    answered before, to this client or to a former task of the run. ``read_only`` refuses to write (check mode).
    """

    def __init__(
        self,
        base_url: str,
        auth: Auth | None = None,
        *,
        tls: Tls | None = None,
        connect_to: ConnectTo = DIRECT,
        timeout: float = 30.0,
        service: str = "assisted-service",
        proxy: HttpProxy | None = None,
        clock: Clock | None = None,
        attempts: int = 1,
        patience: float = 0.0,
        read_only: bool = False,
        connections: int = 8,
    ) -> None:
        self.auth = auth or FixedTokens()
        self.read_only = read_only
        self.clock = clock or SystemClock()
        self._repeatable, self._once = (
            ASSISTED_REPEATABLE.limited(attempts, patience),
            ASSISTED_ONCE.limited(attempts, patience),
        )
        self._contact = Contact(base_url)
        # Downloads are octet-stream, and what refuses one is 400 where the caller takes JSON alone (restapi of
        # assisted-service).
        headers = {"Accept": "application/json, application/octet-stream", "Accept-Encoding": "gzip"}
        self._http = HttpClient(
            service, base_url, tls, connect_to, headers=headers, timeout=timeout, proxy=proxy, connections=connections
        )

    @property
    def service(self) -> str:
        """What the service is called in messages."""
        return self._http.service

    @property
    def base_url(self) -> str:
        """Where the service is, without its base path."""
        return self._http.base_url

    def infra_envs(self, cluster_id: str = "") -> list[Document]:
        """All InfraEnvs, or those of a cluster."""
        return self._objects("infra-envs", USER_WATCHER, {"cluster_id": cluster_id} if cluster_id else None)

    def clusters(self) -> list[Document]:
        """All clusters, without their hosts."""
        return self._objects("clusters", USER_WATCHER)

    def cluster(self, cluster_id: str) -> Document:
        """One cluster with its hosts."""
        return self._object(f"clusters/{path_part(cluster_id)}", ALL)

    def hosts(self, infra_env_id: str) -> list[Document]:
        """All hosts of an infra-env, with their inventory."""
        return self._objects(f"infra-envs/{path_part(infra_env_id)}/hosts", USER_AGENT)

    def events(
        self,
        *,
        infra_env_id: str = "",
        cluster_id: str = "",
        limit: int = -1,
        order: str = "ascending",
        severities: str = "",
        host_ids: str = "",
    ) -> list[Document]:
        """Events of the scope; ``limit`` -1 is all of them, ``severities`` and ``host_ids`` lists with commas."""
        scope = {"infra_env_id": infra_env_id, "cluster_id": cluster_id, "severities": severities, "host_ids": host_ids}
        query = {name: value for name, value in scope.items() if value} | {"limit": str(limit), "order": order}
        return self._objects("events", USER_WATCHER_LINK, query)

    def read_logs(
        self,
        cluster_id: str,
        write: Callable[[bytes], object],
        *,
        logs_type: str = "all",
        host_id: str = "",
        restart: Callable[[], object] | None = None,
    ) -> int:
        """Stream the tar of all logs, or of one kind (host, controller), to ``write``; the number of bytes.

        ``restart`` is called where all of it is going to be written again; without it a transfer that broke off is not
        repeated.
        """
        query = {"logs_type": logs_type, **({"host_id": host_id} if host_id else {})}
        written = 0

        def once() -> int:
            nonlocal written
            if written and restart is not None:
                restart()
            written = 0
            for block in self._blocks(f"clusters/{path_part(cluster_id)}/logs", USER_LINK, query):
                written += len(block)
                write(block)
            return written

        return retry(
            once,
            self._repeatable,
            self.clock,
            allowed=lambda: not written or restart is not None,
            answered=self._has_answered,
        )

    def _blocks(self, path: str, personas: str, query: Mapping[str, str]) -> Iterator[bytes]:
        """The body of a success, piece by piece; once more with a new credential if the service does not take the one
        we have.
        """
        for renewed in (False, True):
            credential = self.auth.credential(personas)
            answered = {**query, **credential.query}
            url = f"{BASE_PATH}/{path}?{urlencode(answered)}"
            with self._http.stream("GET", url, headers=credential.headers, within=_LOGS_WITHIN) as answer:
                if answer.status == 401 and not renewed and self.auth.renew(credential):
                    continue
                if answer.status != 200:
                    words = b"".join(self._http.pieces(answer, self._http.base_url, self._http.largest))
                    raise AssistedError(self.service, Response(answer.status, {}, words))
                yield from self._http.pieces(answer, self._http.base_url, LARGEST_LOGS)
            return

    def close(self) -> None:
        self._http.close()

    def _objects(self, path: str, personas: str, query: Mapping[str, str] | None = None) -> list[Document]:
        answer = self._send("GET", path, personas, query=query)
        document = self._json(answer)
        # An empty list may come as null: the service is written in Go.
        if document is not None and not isinstance(document, list):
            raise self._http.failure(answer, f"/{path} is not a list; check that this is an assisted-service")
        return [self._checked(decoded(item), path, answer, listed=True) for item in document or []]

    def _object(
        self, path: str, personas: str, query: Mapping[str, str] | None = None, *, method: str = "GET", body: Any = None
    ) -> Document:
        answer = self._send(method, path, personas, query=query, body=body)
        document = self._json(answer)
        if not isinstance(document, dict):
            raise self._http.failure(answer, f"/{path} is not an object; check that this is an assisted-service")
        return self._checked(decoded(document), path, answer)

    def _checked(self, document: Any, path: str, answer: Response, *, listed: bool = False) -> Document:
        if reason := misfit(document, path, listed=listed):
            raise UnusableAnswer(self.service, answer.status, f"/{path} is not as the API defines it: {reason}")
        result: Document = document
        return result

    def _send(
        self,
        method: str,
        path: str,
        personas: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        repeatable: bool = False,
    ) -> Response:
        """One request with its repeats; the answer of a success (2xx).

        ``body`` (not None) is sent as JSON; ``repeatable``: a POST that may be repeated.
        """
        idempotent = repeatable or method in IDEMPOTENT
        if self.read_only and method != "GET":
            raise ZeroTouchError(
                f"{method} {path} was about to be sent in check mode. This is a fault of the collection."
            )
        tries = 0

        def once() -> Response:
            nonlocal tries
            tries += 1
            answer = self._authenticated(method, path, personas, query or {}, body)
            # What the first try deleted before its answer was lost is gone, as asked for.
            gone = method == "DELETE" and tries > 1 and answer.status == 404
            if not gone and not 200 <= answer.status < 300:
                raise AssistedError(self.service, answer)
            return answer

        try:
            return retry(once, self._repeatable if idempotent else self._once, self.clock, answered=self._has_answered)
        except Unreachable as error:
            if not idempotent and error.kind in ("broken", "timeout"):
                error.hint = (
                    f"{error.hint} It is not known whether the service has executed the request. Run the task "
                    "again: it reads the present state first."
                ).strip()
            raise

    def _authenticated(self, method: str, path: str, personas: str, query: Mapping[str, str], body: Any) -> Response:
        """One request; once more with a new credential if the service does not take the one we have.

        A refused request has had no effect.
        """
        credential = self.auth.credential(personas)
        answer = self._plain(method, path, credential, query, body)
        renewed = answer.status == 401 and self.auth.renew(credential)
        return self._plain(method, path, self.auth.credential(personas), query, body) if renewed else answer

    def _plain(self, method: str, path: str, credential: Credential, query: Mapping[str, str], body: Any) -> Response:
        parameters = urlencode({**query, **credential.query})
        query_string = "?" + parameters if parameters else ""
        target = f"{BASE_PATH}/{path}{query_string}"
        answer = self._http.request(method, target, json_body=body, headers=credential.headers)
        self._contact.note()
        return answer

    def _has_answered(self) -> bool:
        return self._contact.answered

    def _json(self, answer: Response) -> Any:
        try:
            return answer.json()
        except ValueError as error:
            raise self._http.failure(
                answer, "the answer is not JSON; check that this is an assisted-service"
            ) from error


def path_part(text: str) -> str:
    """A value as one part of a path."""
    return quote(text, safe="")


def decoded(document: Any) -> Any:
    """The document with its JSON strings replaced by what they hold; a string that holds no JSON stays."""
    if isinstance(document, list):
        return [decoded(item) for item in document]
    if not isinstance(document, dict):
        return document
    return {key: _inner(value) if key in JSON_STRINGS else decoded(value) for key, value in document.items()}


def _inner(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json_text.parse_remote(value) if value.strip() else None
    except ValueError:
        return value


def members(value: Any) -> Iterator[Mapping[str, Any]]:
    """The mappings of a list that may be anything."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))
