# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""One conversation with one Redfish service: login, retries, ETags, tasks (reference redfish-virtual-media.md 3).

A client of our own over ``common/http`` and not sushy: sushy (5.14) swallows the refusal of an eject, loops silently on an insert that asks for
a parameter, gives no hook for ``connect_to`` and certificate fingerprints short of private attributes, and costs 0.46 s to import.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Self
from urllib.parse import urljoin

from ..common.clock import Clock
from ..common.errors import LimitReached, RemoteError, Unreachable, UnusableAnswer, ZeroTouchError
from ..common.http import ForeignUrl, HttpClient, Response
from ..common.retry import RetryPolicy, retry
from ..common.retry_policies import BMC_FIRST_CONTACT, BMC_READ, BMC_WRITE
from .messages import Refusal, read_refusal, task_messages

# OData-Version and close per request: BMC web servers choke on long connections; identity keeps ETags strong.
_HEADERS = {"Accept": "application/json", "OData-Version": "4.0", "Connection": "close", "Accept-Encoding": "identity"}
TASK_LIMIT = 300.0
SLOW_REQUEST = 120.0
# Requests of one session, repeated ones included: a machine has some 40 resources that are read here, and a boot takes some 100 requests while it waits.
MOST_REQUESTS = 5000
MOST_REDIRECTS = 5
# Seconds of reading since the session began or since the answer to its last write. A boot that waits for tasks and power states reads after each write.
READ_LIMIT = 900.0
# Seconds of one session, whatever it does: each of the few writes of a boot may take TASK_LIMIT.
SESSION_LIMIT = 7200.0
# States of a task that goes on (DMTF Redfish Task schema, TaskState).
_UNFINISHED = ("New", "Starting", "Running", "Pending", "Service", "Suspended", "Stopping", "Cancelling")


@dataclasses.dataclass(frozen=True)
class Credentials:
    username: str
    password: str = dataclasses.field(repr=False)


class RefusedRequest(RemoteError):
    """The BMC answered with an error; ``refusal`` is what it said."""

    def __init__(self, service: str, what: str, refusal: Refusal) -> None:
        # The first message mostly has the same id as the error.
        super().__init__(service, refusal.status, f"{refusal.text.removeprefix(f'{refusal.code}: ')} ({what})", refusal.code)
        self.refusal = refusal

    def says(self, *words: str) -> bool:
        return self.refusal.says(*words)


class LoginRefused(RefusedRequest):
    """The BMC does not take the credentials."""

    def __init__(self, service: str, endpoint: str, username: str, refusal: Refusal) -> None:
        super().__init__(service, "logging in", refusal)
        self.message = f"{service}: {endpoint} refuses user {username!r} with this password (HTTP {refusal.status}): {refusal.text}"
        self.hint = "Check username and password of this BMC, and whether the account is locked."


class RedfishSession:
    """Requests against one BMC. Use as a context manager: a session that was opened is ended.

    ``remember`` is told the URI of a session when it is opened and an empty string when it is ended, so that a killed run's session can be ended by
    the next one. With ``read_only`` (check mode) only GETs are sent: basic authentication instead of a session, unless the BMC refuses that.
    ``before_write`` is called directly before each POST and PATCH of the caller, and raises where this run must not write any more.
    Raises :class:`Unreachable`, :class:`RefusedRequest`.
    """

    def __init__(
        self,
        http: HttpClient,
        credentials: Credentials,
        clock: Clock,
        *,
        remember: Callable[[str], None] = lambda uri: None,
        left_open: str = "",
        read_only: bool = False,
        before_write: Callable[[], None] = lambda: None,
    ) -> None:
        self._http = http
        self._credentials = credentials
        self._clock = clock
        self._remember = remember
        self._left_open = left_open
        self._read_only = read_only
        self._before_write = before_write
        self._auth: dict[str, str] = {}
        self._session_uri = ""
        self._had_session = False
        self._login_refusal: Refusal | None = None
        self._contacted = False
        self._requests = 0
        self._began = self._reading_since = clock.now()
        self.root: dict[str, Any] = {}
        self.notes: list[str] = []
        self.writes = 0

    @property
    def service(self) -> str:
        return self._http.service

    def __enter__(self) -> Self:
        self._began = self._reading_since = self._clock.now()
        self.root = self._decoded(self._send("GET", "/redfish/v1/", None, {}), "GET /redfish/v1/")
        if self._read_only:
            self._auth = self._basic_auth()
            return self
        self._log_in()
        if self._left_open:
            self._end_left_open()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._session_uri:
            try:
                self._http.request("DELETE", self._session_uri, headers={**_HEADERS, **self._auth}, timeout=10)
                self._remember("")
            except (Unreachable, RemoteError) as error:
                # The BMC drops idle sessions by itself; the record stays for the next run.
                self.notes.append(f"session {self._session_uri} could not be ended: {error.message}")
        self._http.close()

    # -- reading and writing ------------------------------------------------------------------------------------------------

    def get(self, path: str) -> dict[str, Any]:
        """The resource as a dict."""
        return self.get_with_headers(path)[0]

    def get_with_headers(self, path: str) -> tuple[dict[str, Any], Mapping[str, str]]:
        """The resource as a dict, and the headers of the answer, whose names are lower case."""
        response = self._authorised("GET", path, None, {})
        if response.status == 406:
            # Some HPE Gen10 Plus refuse identity.
            response = self._authorised("GET", path, None, {"Accept-Encoding": "gzip"})
        return self._decoded(response, f"GET {path}"), response.headers

    def post(self, path: str, body: Mapping[str, Any]) -> Response:
        """An action; a 202 is followed to its end. Raises :class:`RefusedRequest` for every error answer."""
        self._before_write()
        self.writes += 1
        response = self._authorised("POST", path, body, {}, timeout=SLOW_REQUEST)
        return self._finished(self._checked(response, f"POST {path}"), f"POST {path}")

    def patch(self, path: str, body: Mapping[str, Any], etag: str = "") -> Response:
        """A change. 412 answers are met with the ETag's other spellings, at last without it: services differ in what they compare."""
        self._before_write()
        self.writes += 1
        spellings = [etag, etag.removeprefix("W/"), ""] if etag else [""]
        attempts = list(dict.fromkeys(spellings))
        for number, spelling in enumerate(attempts, 1):
            headers = {"If-Match": spelling} if spelling else {}
            response = self._authorised("PATCH", path, body, headers, timeout=SLOW_REQUEST)
            if response.status != 412 or number == len(attempts):
                break
        return self._finished(self._checked(response, f"PATCH {path}"), f"PATCH {path}")

    # -- login --------------------------------------------------------------------------------------------------------------

    def _basic_auth(self) -> dict[str, str]:
        pair = f"{self._credentials.username}:{self._credentials.password}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}

    def _log_in(self, refused: Refusal | None = None) -> None:
        """Open a session, or settle for basic authentication, unless that was just ``refused``."""
        body = {"UserName": self._credentials.username, "Password": self._credentials.password}
        response = self._send("POST", self._sessions_path(), body, {}, once=True)
        token, location = response.headers.get("x-auth-token", ""), response.headers.get("location", "")
        if response.status in (200, 201) and token:
            self._auth = {"X-Auth-Token": token}
            if not self._http.is_own(location):
                raise ForeignUrl(self.service, self._http.base_url, self._http.url(location))
            self._session_uri = location
            self._had_session = True
            self._remember(location)
            return
        refusal = read_refusal(response)
        if response.status in (401, 403):
            self._login_refusal = refusal
            if self._had_session:
                raise self._login_refused(refusal)
        elif self._had_session:
            # A service that had sessions a moment ago and refuses one now is full: basic would only hide that.
            raise RefusedRequest(self.service, "opening a session", refusal)
        if refused is not None and refused.status == 401:
            # No way is left; another try could lock the account.
            raise self._login_refused(refused)
        # No session service, or one that is full. Services without one may answer 401 (reference 3), so basic authentication decides.
        self._auth = self._basic_auth()

    def _login_refused(self, refusal: Refusal) -> LoginRefused:
        # What was said to the login itself tells more than what a later GET is told ("NoValidSession").
        return LoginRefused(self.service, self._http.base_url.rstrip("/"), self._credentials.username, self._login_refusal or refusal)

    def _sessions_path(self) -> str:
        links = self.root.get("Links")
        sessions = links.get("Sessions") if isinstance(links, dict) else None
        named = sessions.get("@odata.id") if isinstance(sessions, dict) else None
        return named if isinstance(named, str) and named else "/redfish/v1/SessionService/Sessions"

    def _end_left_open(self) -> None:
        if not self._http.is_own(self._left_open):
            self.notes.append("the state file names a session of another server, which was not ended")
            return
        response = self._send("DELETE", self._left_open, None, self._auth, once=True)
        if response.status in (200, 202, 204):
            self.notes.append(f"ended the session {self._left_open} that an earlier run had left open")
        self._left_open = ""

    def _authorised(self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str], timeout: float | None = None) -> Response:
        response = self._send(method, path, body, {**self._auth, **headers}, timeout=timeout)
        expired = "X-Auth-Token" in self._auth and not read_refusal(response).says("InsufficientPrivilege")
        basic_refused = self._read_only and not self._session_uri
        if response.status in (401, 403) and (expired or basic_refused):
            self.notes.append("the BMC ended our session; logged in again" if expired else "the BMC takes no basic authentication; opened a session")
            self._log_in(read_refusal(response) if basic_refused else None)
            response = self._send(method, path, body, {**self._auth, **headers}, timeout=timeout)
        return response

    # -- transport ----------------------------------------------------------------------------------------------------------

    def _send(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str], *, once: bool = False, timeout: float | None = None
    ) -> Response:
        response = self._sent(method, path, body, headers, once, timeout)
        visited = {self._http.url(path)}
        while (elsewhere := self._redirected(path, response)) and elsewhere not in visited:
            if len(visited) > MOST_REDIRECTS:
                raise UnusableAnswer(self.service, response.status, f"it redirects a request more than {MOST_REDIRECTS} times")
            visited.add(elsewhere)
            path = elsewhere
            response = self._sent(method, path, body, headers, once, timeout)
        return response

    def _check_limits(self, method: str) -> None:
        """Count a request. Raises :class:`UnusableAnswer` or :class:`LimitReached` where a session has sent enough of them, or for long enough."""
        self._requests += 1
        if self._requests > MOST_REQUESTS:
            raise UnusableAnswer(self.service, 200, f"its answers refer to more and more resources; stopped after {MOST_REQUESTS} requests")
        now = self._clock.now()
        if method == "GET" and now - self._reading_since > READ_LIMIT:
            raise self._too_slow("reading the machine", READ_LIMIT)
        if now - self._began > SESSION_LIMIT:
            raise self._too_slow("the session", SESSION_LIMIT)

    def _too_slow(self, what: str, limit: float) -> LimitReached:
        return LimitReached(
            f"{self.service}: {what} takes more than {limit / 60:.0f} min.", limit, "A BMC that answers slowly or with errors for so long may need a reset."
        )

    def _sent(self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str], once: bool, timeout: float | None) -> Response:
        def call() -> Response:
            self._check_limits(method)
            response = self._http.request(method, path, json_body=body, headers={**_HEADERS, **headers}, timeout=timeout)
            if not once and response.status >= 400:
                refused = RefusedRequest(self.service, method, read_refusal(response))
                if policy.repeats(refused):
                    answers.append(response)
                    raise refused
            return response

        answers: list[Response] = []
        policy = self._policy(method)
        try:
            response = retry(call, policy, self._clock)
        except RefusedRequest:
            response = answers[-1]
        self._contacted = True
        return response

    def _policy(self, method: str) -> RetryPolicy:
        if not self._contacted:
            return BMC_FIRST_CONTACT
        return BMC_READ if method == "GET" else BMC_WRITE

    def _redirected(self, path: str, response: Response) -> str:
        """Where method and body are to be sent instead (307 and 308); empty when nowhere, and for another server, which must not see our credentials."""
        if response.status not in (307, 308):
            return ""
        try:
            target = urljoin(self._http.url(path), response.headers.get("location", ""))
        except ValueError:
            return ""
        return target if self._http.is_own(target) else ""

    def _checked(self, response: Response, what: str) -> Response:
        if response.status in (401, 403):
            refusal = read_refusal(response)
            if response.status == 401:
                raise self._login_refused(refusal)
            error = RefusedRequest(self.service, what, refusal)
            error.hint = f"Check the rights of user {self._credentials.username!r} on this BMC."
            raise error
        if response.status >= 300:
            raise RefusedRequest(self.service, what, read_refusal(response))
        return response

    def _decoded(self, response: Response, what: str) -> dict[str, Any]:
        self._checked(response, what)
        try:
            body = response.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise ZeroTouchError(f"{self.service}: the answer to {what} is not a Redfish resource.", "Is this the address of a Redfish service?")
        return body

    def _finished(self, response: Response, what: str) -> Response:
        """Follow a 202 to the end of its task; its final answer is the answer. A task resource instead of a monitor answers 200 while it runs."""
        self._reading_since = self._clock.now()
        limit = self._reading_since + TASK_LIMIT
        monitor = response.headers.get("location", "")
        while True:
            body = self._body_of(response)
            state = str(body.get("TaskState") or "")
            if response.status != 202 and state not in _UNFINISHED:
                break
            monitor = monitor or (str(body.get("@odata.id") or "") if response.status != 202 else "")
            if not monitor:
                # Seen on services that answer 202 for what is already done; verification by GET decides.
                return response
            if self._clock.now() > limit:
                raise LimitReached(f"{self.service}: the task of {what} did not end within {TASK_LIMIT:.0f} s.", TASK_LIMIT)
            self._clock.sleep(_retry_after(response))
            response = self._authorised("GET", monitor, None, {})
        if state in ("Exception", "Killed", "Cancelled"):
            raise RefusedRequest(self.service, what, Refusal(response.status, state, (), task_messages(body) or f"task {state}"))
        return self._checked(response, what)

    @staticmethod
    def _body_of(response: Response) -> dict[str, Any]:
        try:
            body = response.json()
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}


def _retry_after(response: Response) -> float:
    """Seconds to wait before asking for a task again; services give seconds or a date."""
    seconds = response.retry_after()
    return 1.0 if seconds is None else min(30.0, max(0.1, seconds))
