# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A client of the assisted-service REST API: raw documents, strings that hold JSON decoded, every shape of error in the service's own words.

Not built on the assisted-service-client package: its generated models refuse states and fields newer than themselves, and its error type
expects one of the three error shapes and loses the text of the others (reference assisted-rest.md 1.1).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from ..common.connect import DIRECT, ConnectTo
from ..common.errors import RemoteError
from ..common.http import HttpClient, Response
from ..common.tls import Tls

Document = dict[str, Any]

BASE_PATH = "api/assisted-install/v2"
# Members whose value is a string with JSON inside (reference assisted-rest.md 1).
JSON_STRINGS = frozenset(
    {
        "api_vip_connectivity",
        "connectivity",
        "connectivity_majority_groups",
        "disks_info",
        "domain_name_resolutions",
        "feature_usage",
        "free_addresses",
        "images_status",
        "inventory",
        "ip_collisions",
        "node_labels",
        "ntp_sources",
        "props",
        "tang_connectivity",
        "validations_info",
    }
)


@dataclasses.dataclass(frozen=True)
class Tokens:
    """Credentials by persona; each request uses the least one that may make it. ``user`` may carry its own scheme word (``Bearer x``).

    The embedded service of an installation takes the bare token (reference assisted-rest.md 1.2).
    """

    watcher: str = dataclasses.field(default="", repr=False)
    user: str = dataclasses.field(default="", repr=False)

    def watching(self) -> dict[str, str]:
        """Headers for what a watcher may read: clusters, infra-envs, events."""
        return {"Watcher-Authorization": self.watcher} if self.watcher else self.using()

    def using(self) -> dict[str, str]:
        """Headers for everything else."""
        return {"Authorization": self.user} if self.user else {}


class AssistedClient:
    """One assisted-service, by its base URL (``http://192.168.122.2:8090``).

    Raises :class:`RemoteError` with the service's code and reason, :class:`Unreachable` without an answer.
    """

    def __init__(
        self,
        base_url: str,
        tokens: Tokens | None = None,
        *,
        tls: Tls | None = None,
        connect_to: ConnectTo = DIRECT,
        timeout: float = 30.0,
        service: str = "assisted-service",
    ) -> None:
        self.tokens = tokens or Tokens()
        self._http = HttpClient(service, base_url, tls, connect_to, headers={"Accept": "application/json"}, timeout=timeout)

    def infra_envs(self) -> list[Document]:
        return self._objects("infra-envs", self.tokens.watching())

    def clusters(self) -> list[Document]:
        """All clusters, without their hosts."""
        return self._objects("clusters", self.tokens.watching())

    def cluster(self, cluster_id: str) -> Document:
        """One cluster with its hosts."""
        return self._object(f"clusters/{quote(cluster_id, safe='')}", self.tokens.watching())

    def hosts(self, infra_env_id: str) -> list[Document]:
        """All hosts of an infra-env, with their inventory."""
        return self._objects(f"infra-envs/{quote(infra_env_id, safe='')}/hosts", self.tokens.using())

    def events(self, *, infra_env_id: str = "", cluster_id: str = "", limit: int = -1, order: str = "ascending") -> list[Document]:
        """Events of the scope; ``limit`` -1 is all of them."""
        scope = {"infra_env_id": infra_env_id, "cluster_id": cluster_id}
        query = urlencode({name: value for name, value in scope.items() if value} | {"limit": limit, "order": order})
        return self._objects(f"events?{query}", self.tokens.watching())

    def read_logs(self, cluster_id: str, write: Callable[[bytes], object]) -> int:
        """Stream the tar of all logs to ``write``; the number of bytes."""
        path = f"{BASE_PATH}/clusters/{quote(cluster_id, safe='')}/logs?logs_type=all"
        size = 0
        with self._http.stream("GET", path, headers=self.tokens.using()) as answer:
            if answer.status != 200:
                raise self._failure(Response(answer.status, {}, answer.read()))
            for block in answer.stream(1 << 16, decode_content=True):
                size += len(block)
                write(block)
        return size

    def close(self) -> None:
        self._http.close()

    def _objects(self, path: str, headers: Mapping[str, str]) -> list[Document]:
        answer = self._get(path, headers)
        document = self._json(answer)
        # An empty list may come as null: the service is written in Go.
        if document is not None and not isinstance(document, list):
            raise self._http.failure(answer, f"/{path} is not a list; is this an assisted-service?")
        return [decoded(item) for item in document or []]

    def _object(self, path: str, headers: Mapping[str, str]) -> Document:
        answer = self._get(path, headers)
        document = self._json(answer)
        if not isinstance(document, dict):
            raise self._http.failure(answer, f"/{path} is not an object; is this an assisted-service?")
        result: Document = decoded(document)
        return result

    def _get(self, path: str, headers: Mapping[str, str]) -> Response:
        answer = self._http.request("GET", f"{BASE_PATH}/{path}", headers=headers)
        if answer.status != 200:
            raise self._failure(answer)
        return answer

    def _json(self, answer: Response) -> Any:
        try:
            return answer.json()
        except ValueError as error:
            raise self._http.failure(answer, "the answer is not JSON; is this an assisted-service?") from error

    def _failure(self, answer: Response) -> RemoteError:
        return self._http.failure(answer, *error_words(answer))


def error_words(answer: Response) -> tuple[str, str]:
    """(reason, code) of an error body: service logic says ``reason`` and a code as string, authentication and router ``message`` and a number."""
    try:
        document = answer.json()
    except ValueError:
        document = None
    if not isinstance(document, dict):
        return answer.text().strip()[:200] or "no explanation", ""
    reason = str(document.get("reason") or document.get("message") or "no explanation")
    code = str(document.get("code") or "")
    return reason, "" if code == str(answer.status) else code


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
        return json.loads(value) if value.strip() else None
    except ValueError:
        return value


def members(value: Any) -> Iterator[Mapping[str, Any]]:
    """The mappings of a list that may be anything."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))
