# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Authenticate API requests by a client certificate that TLS has verified, or by a bearer token."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from .errors import unauthorized

ANONYMOUS_PATHS = ("/version", "/healthz", "/livez", "/readyz")


@dataclasses.dataclass(frozen=True)
class User:
    name: str
    groups: tuple[str, ...] = ()


ANONYMOUS = User("system:anonymous", ("system:unauthenticated",))


class Authentication:
    """``tokens``: bearer token -> user; may change while the server runs.

    ``open_to_all``: a server on plain HTTP for tests.
    """

    def __init__(self, tokens: Mapping[str, User] | None = None, *, open_to_all: bool = False) -> None:
        self.tokens: dict[str, User] = dict(tokens or {})
        self.open_to_all = open_to_all

    def identify(self, request: web.Request) -> User:
        """Anonymous without credentials. Raises ApiError 401 for a token that is not known."""
        if self.open_to_all:
            return User("system:admin", ("system:masters",))
        user = certificate_user(request)
        if user is not None:
            return user
        header = request.headers.get("Authorization", "")
        if not header:
            return ANONYMOUS
        scheme, _space, token = header.partition(" ")
        if scheme.lower() != "bearer" or token not in self.tokens:
            raise unauthorized()
        return self.tokens[token]


def certificate_user(request: web.Request) -> User | None:
    """Common name and organisations of the verified client certificate."""
    transport = request.transport
    certificate: dict[str, Any] | None = transport.get_extra_info("peercert") if transport is not None else None
    if not certificate:
        return None
    subject = [pair for group in certificate.get("subject", ()) for pair in group]
    name = next((value for key, value in subject if key == "commonName"), "")
    return User(name, tuple(value for key, value in subject if key == "organizationName")) if name else None
