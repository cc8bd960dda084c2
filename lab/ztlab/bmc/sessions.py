# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Manage the login sessions of one BMC, and check credentials.

A session that its client does not end stays open and uses up a slot, as on hardware.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import hmac
import itertools
import secrets
from collections.abc import Mapping

from .errors import RedfishError


@dataclasses.dataclass(frozen=True)
class Session:
    id: str
    username: str
    token: str = dataclasses.field(repr=False)
    created: float  # lab seconds
    created_at: str = ""
    address: str = ""


class Sessions:
    """``accounts`` maps user names to passwords; ``limit`` is how many sessions can be open at once."""

    def __init__(self, accounts: Mapping[str, str], limit: int) -> None:
        self._accounts = dict(accounts)
        self.limit = limit
        self._ids = itertools.count(1)
        self._open: dict[str, Session] = {}
        self.opened = 0

    def log_in(self, username: str, password: str, now: float, created_at: str = "", address: str = "") -> Session:
        """Raises RedfishError: wrong credentials, or no free slot."""
        if not self._knows(username, password):
            raise RedfishError(
                "ResourceAtUriUnauthorized", "/redfish/v1/SessionService/Sessions", "Invalid username or password"
            )
        if len(self._open) >= self.limit:
            raise RedfishError("SessionLimitExceeded")
        session = Session(str(next(self._ids)), username, secrets.token_hex(16), now, created_at, address)
        self._open[session.id] = session
        self.opened += 1
        return session

    def check(self, username: str, password: str) -> None:
        """Raises RedfishError unless the account exists with this password."""
        if not self._knows(username, password):
            raise RedfishError("NoValidSession")

    def _knows(self, username: str, password: str) -> bool:
        known = self._accounts.get(username)
        return known is not None and hmac.compare_digest(known.encode(), password.encode())

    def authenticate(self, headers: Mapping[str, str]) -> None:
        """Accept a session token or basic credentials. Raises RedfishError 401 otherwise."""
        token = headers.get("X-Auth-Token")
        if token is not None:
            if not any(hmac.compare_digest(session.token, token) for session in self._open.values()):
                raise RedfishError("NoValidSession")
            return
        scheme, _, value = headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "basic":
            raise RedfishError("NoValidSession")
        try:
            username, _, password = base64.b64decode(value.strip(), validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError) as error:
            raise RedfishError("NoValidSession") from error
        self.check(username, password)

    def get(self, identifier: str) -> Session:
        if identifier not in self._open:
            raise RedfishError("ResourceMissingAtURI", f"/redfish/v1/SessionService/Sessions/{identifier}")
        return self._open[identifier]

    def end(self, identifier: str) -> None:
        self.get(identifier)
        del self._open[identifier]

    def forget_all(self) -> None:
        """What a restart of the BMC does."""
        self._open.clear()

    def open(self) -> list[Session]:
        return list(self._open.values())
