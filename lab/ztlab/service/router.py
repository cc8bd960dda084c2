# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Map a request to its API operation: method, path template, accepted authentication schemes,
request body and handler.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from .auth import Caller
from .errors import InfraError
from .schema import Field, is_uuid

BASE = "/api/assisted-install"
# Letters of the endpoint index in openshift/assisted-service swagger.yaml; h: the header of i only.
SCHEMES = {
    "U": ("userAuth",),
    "A": ("agentAuth",),
    "W": ("watcherAuth",),
    "L": ("urlAuth",),
    "i": ("imageAuth", "imageURLAuth"),
    "h": ("imageAuth",),
}
UUID_PARAMETERS = ("cluster_id", "infra_env_id", "host_id")


@dataclasses.dataclass(frozen=True)
class Call:
    """One request, authenticated, routed and decoded. ``raw`` is the undecoded body of uploads."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any = None
    raw: bytes = b""
    caller: Caller = dataclasses.field(default_factory=Caller)


@dataclasses.dataclass(frozen=True)
class Reply:
    """``content`` other than None is sent as it is (octet-stream unless ``headers`` say otherwise), else ``body`` as
    JSON.
    """

    status: int
    body: Any = None
    content: bytes | None = None
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)


def attachment(name: str, content: bytes) -> Reply:
    """A file download as the service sends it."""
    return Reply(200, content=content, headers={"Content-Disposition": f'attachment; filename="{name}"'})


Handler = Callable[[Any, Call], Reply | Awaitable[Reply]]


@dataclasses.dataclass(frozen=True)
class Route:
    method: str
    template: str
    schemes: tuple[str, ...]
    handler: Handler
    body: Field | None = None
    body_name: str = "body"
    # A download: what its logic refuses is sent as octet-stream too, though it is JSON.
    binary: bool = False

    @property
    def key(self) -> str:
        return f"{self.method} {self.template}"

    def check_accepts(self, accept: str) -> None:
        """Raises InfraError where the caller takes no answer of this operation's kind: as the service does, before its
        logic.
        """
        offered = "application/octet-stream" if self.binary else "application/json"
        wanted = [media.partition(";")[0].strip().lower() for media in accept.split(",")]
        if accept and not {offered, "application/*", "*/*"} & set(wanted):
            raise InfraError(400, f"unsupported media type requested, only [{offered}] are available")


class Router:
    """Routes are looked up by method and path; literal segments win over parameters."""

    def __init__(self) -> None:
        self.routes: list[Route] = []
        self._patterns: list[tuple[re.Pattern[str], Route]] = []

    def add(
        self,
        method: str,
        template: str,
        letters: str,
        handler: Handler,
        body: Field | None = None,
        body_name: str = "body",
        *,
        binary: bool = False,
    ) -> None:
        """``letters``: who may call, as in the reference; empty: every caller."""
        schemes = tuple(scheme for letter in letters for scheme in SCHEMES[letter])
        route = Route(method, template, schemes, handler, body, body_name, binary)
        self.routes.append(route)
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(template))
        self._patterns.append((re.compile(pattern + "/?"), route))
        self._patterns.sort(key=lambda item: item[1].template.count("{"))

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        """Route and path parameters. Raises InfraError 404, 405, and 400 for an id that is none."""
        allowed = []
        for pattern, route in self._patterns:
            match = pattern.fullmatch(path)
            if match is None:
                continue
            if route.method == method:
                return route, self._parameters(match.groupdict())
            # A literal path (clusters/import) hides the parameter path of the other methods only when it knows the
            # method itself.
            allowed.append(route.method)
        if allowed:
            methods = ",".join(sorted(set(allowed)))
            raise InfraError(405, f"method {method} is not allowed, but [{methods}] are", {"Allow": methods})
        raise InfraError(404, f"path {BASE}{path} was not found")

    def _parameters(self, found: Mapping[str, str]) -> dict[str, str]:
        for name, value in found.items():
            if name in UUID_PARAMETERS and not is_uuid(value):
                raise InfraError(400, f'{name} in path must be of type uuid: "{value}"')
        return {name: value.lower() if name in UUID_PARAMETERS else value for name, value in found.items()}
