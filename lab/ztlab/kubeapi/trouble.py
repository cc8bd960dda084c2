# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Faults of an API server, injected before the server handles a request."""

from __future__ import annotations

from ..faults import Fault, Faults
from . import errors
from .auth import User
from .errors import ApiError

VERBS = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


class Trouble:
    """``unharmed``: users that are affected only by faults which name them."""

    def __init__(self, faults: Faults | None) -> None:
        self.faults = faults
        self.unharmed: set[str] = set()

    def take(self, kind: str, user: User, **options: str) -> Fault | None:
        """The fault that applies to this caller now.

        Options user, method and resource restrict a fault. To operators only those apply that name them.
        """
        if self.faults is None:
            return None
        fault = self.faults.peek(kind, user=user.name, **options)
        if fault is None or (user.name in self.unharmed and "user" not in fault.options):
            return None
        return self.faults.take(kind, user=user.name, **options)

    def refuse(self, method: str, user: User) -> None:
        """Raises ApiError 409, 429, 500."""
        limit = self.take("api-429", user, method=method)
        if limit is not None:
            seconds = str(int(limit.number("seconds", 1)))
            details = {"retryAfterSeconds": int(seconds)}
            raise ApiError(
                429,
                "TooManyRequests",
                "too many requests, please try again later",
                details=details,
                headers={"Retry-After": seconds},
            )
        if self.take("api-500", user, method=method) is not None:
            raise ApiError(500, "InternalError", "Internal error occurred: injected by a fault of the lab")
        if method in ("PUT", "PATCH") and self.take("api-409", user, method=method) is not None:
            text = "the object has been modified; please apply your changes to the latest version and try again"
            raise ApiError(409, "Conflict", f"Operation cannot be fulfilled: {text}")

    def forbid(self, method: str, user: User, group: str, plural: str, namespace: str, name: str) -> None:
        """Raises ApiError 403."""
        if self.take("api-403", user, method=method, resource=plural) is not None:
            verb = VERBS.get(method, method.lower()) if name or method != "GET" else "list"
            raise errors.forbidden(user.name, verb, plural, group, namespace, name)
