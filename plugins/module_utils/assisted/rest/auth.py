# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Choose the credential for each request to an assisted-service, for each kind of authentication that it can use.

Each request lists the personas (user, agent, watcher, link) that may make it. The credential with the fewest rights
among them is sent.

Source: openshift/assisted-service pkg/auth, internal/gencrypto.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Mapping
from typing import Protocol
from urllib.parse import urlencode

from ...common.clock import Clock
from ...common.errors import RemoteError, Unreachable, ZeroTouchError
from ...common.http import HttpClient, Response
from ...common.retry import retry
from ...common.retry_policies import TOKEN_EXCHANGE
from ...common.terminal import shortened

# Personas that may make a request: U user, A agent, W watcher, L link (a token in the URL).
USER, USER_AGENT, USER_WATCHER, ALL, USER_LINK, USER_WATCHER_LINK, USER_AGENT_LINK = (
    "U",
    "UA",
    "UW",
    "UAW",
    "UL",
    "UWL",
    "UAL",
)
# Where access tokens for the hosted service come from.
HOSTED_TOKEN_URL = "https://sso.redhat.com/auth/realms/redhat-external/protocol/openid-connect/token"
HOSTED_CLIENT = "cloud-services"
# An access token this close to its end is not used for another request.
MARGIN = 30.0


@dataclasses.dataclass(frozen=True)
class Credential:
    """What one request carries: headers, and parameters of its query."""

    headers: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)
    query: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)


class Auth(Protocol):
    def credential(self, personas: str) -> Credential:
        """What a request carries that these personas may make."""

    def renew(self, refused: Credential) -> bool:
        """The service did not take this credential (401): whether there is another one now."""


@dataclasses.dataclass(frozen=True)
class FixedTokens:
    """Tokens by persona, as they are sent; without any, a service without authentication.

    The embedded service of an installation takes the bare token; a hosted one takes ``Bearer x``, which ``user`` may
    hold.
    """

    watcher: str = dataclasses.field(default="", repr=False)
    user: str = dataclasses.field(default="", repr=False)

    def credential(self, personas: str) -> Credential:
        if "W" in personas and self.watcher:
            return Credential({"Watcher-Authorization": self.watcher})
        return Credential({"Authorization": self.user} if self.user else {})

    def renew(self, refused: Credential) -> bool:
        return False


@dataclasses.dataclass(frozen=True)
class ObjectToken:
    """The token of one InfraEnv or cluster of a service with ``AUTH_TYPE=local``, as its download URLs carry it: reads
    this object, and what agents may do.

    What only a user may do is refused here, since such a service has no users.
    """

    token: str = dataclasses.field(repr=False)

    def credential(self, personas: str) -> Credential:
        if "A" in personas:
            return Credential({"X-Secret-Key": self.token})
        if "L" in personas:
            return Credential(query={"api_key": self.token})
        raise ZeroTouchError(
            "A service with auth local has tokens of single objects only, which may not do this.",
            "Such a service belongs to an Infrastructure Operator: use the modules of a hub.",
        )

    def renew(self, refused: Credential) -> bool:
        return False


class NoToken(ZeroTouchError):
    """There is no access token to be had.

    ``temporary``: the server of tokens is away or ill; otherwise it has refused.
    """

    def __init__(self, error: ZeroTouchError, *, temporary: bool) -> None:
        super().__init__(f"No access token: {error}")
        self.temporary = temporary


class OfflineToken:
    """Access tokens in exchange for an offline token, renewed before they end and when the service refuses one.

    ``learnt`` receives every access token, so that it is hidden in output. The exchange has the same effect however
    often it is asked for, so it is asked for ``attempts`` times whatever the request is that needs it. Raises
    :class:`NoToken`.
    """

    def __init__(
        self,
        offline_token: str,
        token_url: str,
        http: HttpClient,
        clock: Clock,
        learnt: Callable[[set[str]], None] = lambda found: None,
        attempts: int = 1,
    ) -> None:
        self._offline_token = offline_token
        self._token_url = token_url
        self._http = http
        self._clock = clock
        self._learnt = learnt
        self._policy = TOKEN_EXCHANGE.limited(attempts)
        self._access_token = ""
        self._ends = 0.0
        self._lock = threading.Lock()

    def credential(self, personas: str) -> Credential:
        with self._lock:
            if not self._access_token or self._clock.now() >= self._ends - MARGIN:
                self._exchange()
            return Credential({"Authorization": f"Bearer {self._access_token}"})

    def renew(self, refused: Credential) -> bool:
        with self._lock:
            # Of many requests that are refused at the same time one fetches the new token.
            if refused.headers.get("Authorization") == f"Bearer {self._access_token}":
                self._exchange()
            return True

    def _exchange(self) -> None:
        try:
            document = retry(self._ask, self._policy, self._clock)
        except (RemoteError, Unreachable) as error:
            raise NoToken(error, temporary=self._policy.repeats(error)) from error
        token, lifetime = str(document["access_token"]), document.get("expires_in")
        self._learnt({token})
        self._access_token = token
        # A server that says nothing of the lifetime gets asked again when the token is refused.
        self._ends = self._clock.now() + (
            float(lifetime) if isinstance(lifetime, (int, float)) and lifetime > 0 else 3600.0
        )

    def _ask(self) -> Mapping[str, object]:
        form = urlencode(
            {"grant_type": "refresh_token", "client_id": HOSTED_CLIENT, "refresh_token": self._offline_token}
        )
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = self._http.request("POST", self._token_url, body=form.encode(), headers=headers)
        document = _document(answer)
        token = document.get("access_token")
        if answer.status != 200 or not isinstance(token, str) or not token:
            raise self._refused(answer, document)
        return document

    def _refused(self, answer: Response, document: Mapping[str, object]) -> RemoteError:
        reported = document.get("error_description") or document.get("error")
        words = str(
            reported
            or (answer.status != 200 and shortened(answer.text().strip(), 100))
            or "no access token in the answer"
        )
        expired, ill = answer.status in (400, 401), answer.status == 429 or answer.status >= 500
        hint = "" if ill else "Check token_url."
        if expired:
            hint = "The offline token has ended or was revoked: get a new one."
        return RemoteError(self._http.service, answer.status, words, str(document.get("error") or ""), hint)


def _document(answer: Response) -> Mapping[str, object]:
    try:
        document = answer.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
