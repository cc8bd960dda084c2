# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Send requests to one Redfish service: log in, retry, send ETags, wait for tasks.

This client uses ``common/http`` and not sushy: sushy (5.14) hides the rejection of an eject, loops silently on an
insert that asks for a parameter, supports ``connect_to`` and certificate fingerprints only through private attributes,
and takes 0.46 s to import.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import datetime
import email.utils
from collections.abc import Callable, Mapping
from typing import Any, Self
from urllib.parse import urljoin

from ..common.clock import Clock
from ..common.errors import Interrupted, LimitReached, RemoteError, Unreachable, UnusableAnswer, ZeroTouchError
from ..common.http import CONNECT_TIMEOUT, ForeignUrl, HttpClient, Response
from ..common.retry import RetryPolicy, retry
from ..common.retry_policies import BMC_FIRST_CONTACT, BMC_LOGIN, BMC_LOGOUT, BMC_ONCE, BMC_REPEATABLE
from .messages import Refusal, read_refusal, task_messages

# identity keeps ETags strong.
_HEADERS = {"Accept": "application/json", "OData-Version": "4.0", "Accept-Encoding": "identity"}
# Web servers of some BMCs fail on connections that stay open, so each request has a separate connection. BMCs of these
# vendors (beginning of the ServiceRoot's Vendor) serve one read after the other: openstack/sushy sushy/connector.py
# keeps its connection to each of them; DMTF/python-redfish-library issue 46 measured half the time. Writes always have
# a separate connection: the answer to a write on a connection that just ends would be lost.
_KEEP_CONNECTIONS = ("dell", "hpe", "lenovo", "supermicro")
# Seconds without a request after which a connection is not used again: servers end it after a few.
_KEPT_FOR = 1.0
TASK_LIMIT = 300.0
SLOW_REQUEST = 120.0
# Requests of one session, repeated ones included: a machine has some 40 resources that are read here, and a boot takes
# some 100 requests while it waits.
MOST_REQUESTS = 5000
MOST_REDIRECTS = 5
# Logins for one request: a BMC that ends each session at once never answers it.
MOST_LOGINS = 4
# Seconds until an address at which no BMC answers has failed.
NO_ANSWER_WITHIN = BMC_FIRST_CONTACT.attempts * CONNECT_TIMEOUT + (
    BMC_FIRST_CONTACT.attempts - 1
) * BMC_FIRST_CONTACT.delay(1)
# Sessions of one service whose age is read after a login whose answer was lost.
_MOST_SESSIONS = 50
# Seconds of reading since the session began or since the answer to its last write. A boot that waits for tasks and
# power states reads after each write.
READ_LIMIT = 900.0
# Seconds of one session, whatever it does: each of the few writes of a boot may take TASK_LIMIT.
SESSION_LIMIT = 7200.0
# States of a task that goes on (DMTF Redfish Task schema, TaskState).
_UNFINISHED = ("New", "Starting", "Running", "Pending", "Service", "Suspended", "Stopping", "Cancelling")


@dataclasses.dataclass(frozen=True)
class Credentials:
    username: str
    password: str = dataclasses.field(repr=False)


NO_LICENCE = (
    "The BMC lacks a licence for this: iLO Advanced, iDRAC Enterprise, XCC Enterprise (Platinum), or SFT-OOB-LIC of "
    "Supermicro."
)


class RefusedRequest(RemoteError):
    """The BMC answered with an error; ``refusal`` is what it said."""

    def __init__(self, service: str, what: str, refusal: Refusal) -> None:
        # The first message mostly has the same id as the error.
        super().__init__(
            service, refusal.status, f"{refusal.text.removeprefix(f'{refusal.code}: ')} ({what})", refusal.code
        )
        self.refusal = refusal
        self.retry_after = refusal.retry_after
        if refusal.about_licence:
            self.hint = NO_LICENCE

    def says(self, *words: str) -> bool:
        return self.refusal.says(*words)


class LoginRefused(RefusedRequest):
    """The BMC does not take the credentials."""

    def __init__(self, service: str, endpoint: str, username: str, refusal: Refusal) -> None:
        super().__init__(service, "logging in", refusal)
        self.message = (
            f"{service}: {endpoint} refuses user {username!r} with this password (HTTP {refusal.status}): "
            f"{refusal.text}"
        )
        self.hint = "Check username and password of this BMC, and whether the account is locked."


class RedfishSession:
    """Requests against one BMC. Use as a context manager: a session that was opened is ended.

    ``remember`` is called with the URI of a session when it is opened and with an empty string when it is ended, so
    that the next run can end the session of a killed one. With ``read_only`` (check mode) only GETs are sent: basic
    authentication instead of a session, unless the BMC refuses that. ``before_write`` is called directly before each
    POST and PATCH of the caller, repeated ones included, and raises where this run must not write any more. Raises
    :class:`Unreachable`, :class:`RefusedRequest`.
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
        self._lost_sessions: list[str] = []
        self._had_session = False
        self._login_refusal: Refusal | None = None
        self._contacted = False
        self._keeps_connection = False
        self._answered = 0.0
        self._requests = 0
        self._began = self._reading_since = clock.now()
        self.root: dict[str, Any] = {}
        self._root_date = ""
        self.notes: list[str] = []
        self.writes = 0

    @property
    def service(self) -> str:
        return self._http.service

    def __enter__(self) -> Self:
        self._began = self._reading_since = self._clock.now()
        answer = self._send("GET", "/redfish/v1/", None, {})
        self.root = self._decoded(answer, "GET /redfish/v1/")
        self._root_date = answer.headers.get("date", "")
        self._keeps_connection = str(self.root.get("Vendor") or "").lower().startswith(_KEEP_CONNECTIONS)
        if self._read_only:
            self._auth = self._basic_auth()
            return self
        self._log_in()
        if self._left_open:
            self._end_left_open()
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            for uri in [*self._lost_sessions, self._session_uri]:
                if uri:
                    self._end(uri)
        finally:
            self._http.close()

    def _end(self, uri: str) -> None:
        """End one session of ours. The record of one that could not be ended stays for the next run."""

        def call() -> None:
            response = self._exchange("DELETE", uri, None, self._auth, 10)
            if response.status >= 400 and response.status not in (401, 403, 404):
                raise RefusedRequest(self.service, f"DELETE {uri}", read_refusal(response))

        try:
            retry(call, BMC_LOGOUT, self._clock)
        except Interrupted:
            raise
        except ZeroTouchError as error:
            self.notes.append(f"session {uri} could not be ended: {error.message}")
        else:
            if uri == self._session_uri:
                self._remember("")

    # -- reading and writing -------------------------------------------------------------------------------------------

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

    def post(self, path: str, body: Mapping[str, Any], *, repeatable: bool = False) -> Response:
        """An action; a 202 is followed to its end. Raises :class:`RefusedRequest` for every error answer.

        ``repeatable``: a second request has the same effect, so it is repeated although the first one may have been
        carried out.
        """
        self.writes += 1
        response = self._authorised("POST", path, body, {}, timeout=SLOW_REQUEST, repeatable=repeatable)
        return self._finished(self._checked(response, f"POST {path}"), f"POST {path}")

    def patch(self, path: str, body: Mapping[str, Any], etag: str = "", *, repeatable: bool = True) -> Response:
        """A change. 412 answers are met with the ETag's other spellings, at last without it: services differ in what
        they compare.
        """
        self.writes += 1
        spellings = [etag, etag.removeprefix("W/"), ""] if etag else [""]
        attempts = list(dict.fromkeys(spellings))
        for number, spelling in enumerate(attempts, 1):
            headers = {"If-Match": spelling} if spelling else {}
            response = self._authorised("PATCH", path, body, headers, timeout=SLOW_REQUEST, repeatable=repeatable)
            if response.status != 412 or number == len(attempts):
                break
        return self._finished(self._checked(response, f"PATCH {path}"), f"PATCH {path}")

    # -- login ---------------------------------------------------------------------------------------------------------

    def _basic_auth(self) -> dict[str, str]:
        pair = f"{self._credentials.username}:{self._credentials.password}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}

    def _log_in(self, refused: Refusal | None = None) -> None:
        """Open a session, or settle for basic authentication, unless that was just ``refused``."""
        response, lost = self._opened_session()
        token, location = response.headers.get("x-auth-token", ""), response.headers.get("location", "")
        if response.status in (200, 201) and token:
            self._auth = {"X-Auth-Token": token}
            if not self._http.is_own(location):
                raise ForeignUrl(self.service, self._http.base_url, self._http.url(location))
            if self._session_uri:
                # The BMC may still have it: a 401 is not always its end.
                self._lost_sessions.append(self._session_uri)
            self._session_uri = location
            self._had_session = True
            self._remember(location)
            if lost:
                self._find_lost_sessions()
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
        # No session service, or one that is full. Services without one may answer 401, so basic authentication decides.
        self._auth = self._basic_auth()

    def _opened_session(self) -> tuple[Response, bool]:
        """The answer to a login, and whether the answer to an earlier attempt was lost: that attempt may have opened a
        session of which only the BMC knows.
        """
        body = {"UserName": self._credentials.username, "Password": self._credentials.password}
        lost: list[str] = []
        answers: list[Response] = []

        def attempt() -> Response:
            try:
                response = self._send("POST", self._sessions_path(), body, {}, once=True)
            except Unreachable as error:
                if error.kind != "refused":
                    lost.append(error.kind)
                raise
            refusal = read_refusal(response)
            if response.status >= 500 and not refusal.says("SessionLimitExceeded"):
                answers.append(response)
                if response.status != 503:
                    lost.append(str(response.status))
                raise RefusedRequest(self.service, "opening a session", refusal)
            return response

        try:
            return retry(attempt, BMC_LOGIN, self._clock), bool(lost)
        except RefusedRequest:
            return answers[-1], bool(lost)

    def _find_lost_sessions(self) -> None:
        """Remember the sessions that logins opened whose answers were lost, so that they are ended: of our user and
        address, and opened since this began.

        Services that do not say who opened a session and when (Session schema 1.3, 1.4) keep such a session until it is
        idle for long enough.
        """
        began = _moment(self._root_date)
        own = self._session_of(self._session_uri)
        if not began or not own.get("ClientOriginIPAddress"):
            self.notes.append("the answer to a login was lost; the BMC may keep a session until it expires")
            return
        with contextlib.suppress(RefusedRequest):
            members = self.get(self._sessions_path()).get("Members")
            paths = [
                member.get("@odata.id")
                for member in (members if isinstance(members, list) else [])[-_MOST_SESSIONS:]
                if isinstance(member, dict)
            ]
            for path in paths:
                session = self._session_of(path) if isinstance(path, str) and path != self._session_uri else {}
                created = _moment(session.get("CreatedTime"))
                if (
                    created
                    and created >= began
                    and all(session.get(key) == own.get(key) for key in ("UserName", "ClientOriginIPAddress"))
                ):
                    self._lost_sessions.append(str(path))

    def _session_of(self, path: str) -> dict[str, Any]:
        try:
            return self.get(path)
        except RefusedRequest:
            return {}

    def _login_refused(self, refusal: Refusal) -> LoginRefused:
        # What was said to the login itself tells more than the answer to a later GET ("NoValidSession").
        return LoginRefused(
            self.service, self._http.base_url.rstrip("/"), self._credentials.username, self._login_refusal or refusal
        )

    def _sessions_path(self) -> str:
        links = self.root.get("Links")
        sessions = links.get("Sessions") if isinstance(links, dict) else None
        named = sessions.get("@odata.id") if isinstance(sessions, dict) else None
        return named if isinstance(named, str) and named else "/redfish/v1/SessionService/Sessions"

    def _end_left_open(self) -> None:
        if not self._http.is_own(self._left_open):
            self.notes.append("the state file names a session of another server, which was not ended")
            return
        response = self._send("DELETE", self._left_open, None, self._auth)
        if response.status in (200, 202, 204):
            self.notes.append(f"ended the session {self._left_open} that an earlier run had left open")
        self._left_open = ""

    def _authorised(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        timeout: float | None = None,
        *,
        repeatable: bool = True,
    ) -> Response:
        """The answer; if the BMC has ended our session, after another login.

        A session that is lost again and again is no wrong password.
        """
        for number in range(MOST_LOGINS + 1):
            response = self._send(method, path, body, {**self._auth, **headers}, timeout=timeout, repeatable=repeatable)
            refusal = read_refusal(response) if response.status in (401, 403) else None
            if refusal is None or number == MOST_LOGINS or not self._logs_in_again(refusal, number):
                break
        return response

    def _logs_in_again(self, refusal: Refusal, number: int) -> bool:
        """Whether another login may help against this refusal; then it is done.

        ``number``: so many were done for this request.
        """
        basic_refused = self._read_only and not self._session_uri
        in_session = (
            "X-Auth-Token" in self._auth and not refusal.says("InsufficientPrivilege") and not refusal.about_licence
        )
        expired = in_session and (refusal.status == 401 or number == 0)
        if not expired and not (basic_refused and number == 0):
            return False
        self.notes.append(
            "the BMC ended our session; logged in again"
            if expired
            else ("the BMC rejects basic authentication; a session was opened")
        )
        self._log_in(refusal if basic_refused else None)
        return True

    # -- transport -----------------------------------------------------------------------------------------------------

    def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        *,
        once: bool = False,
        timeout: float | None = None,
        repeatable: bool = True,
    ) -> Response:
        # Each service is asked by the policy of the method; a login, ``once``, repeats itself.
        of_method = BMC_REPEATABLE if repeatable else BMC_ONCE
        policy = None if once else of_method
        response = self._sent(method, path, body, headers, policy, timeout)
        visited = {self._http.url(path)}
        while (elsewhere := self._redirected(path, response)) and elsewhere not in visited:
            if len(visited) > MOST_REDIRECTS:
                raise UnusableAnswer(
                    self.service, response.status, (f"it redirects a request more than {MOST_REDIRECTS} times")
                )
            visited.add(elsewhere)
            path = elsewhere
            response = self._sent(method, path, body, headers, policy, timeout)
        return response

    def _check_limits(self, method: str) -> None:
        """Count a request. Raises :class:`UnusableAnswer` or :class:`LimitReached` where a session has sent enough of
        them, or for long enough.
        """
        self._requests += 1
        if self._requests > MOST_REQUESTS:
            raise UnusableAnswer(
                self.service,
                200,
                (f"its answers contain too many links to other resources; stopped after {MOST_REQUESTS} requests"),
            )
        now = self._clock.now()
        if method == "GET" and now - self._reading_since > READ_LIMIT:
            raise self._too_slow("reading the machine", READ_LIMIT)
        if now - self._began > SESSION_LIMIT:
            raise self._too_slow("the session", SESSION_LIMIT)

    def _too_slow(self, what: str, limit: float) -> LimitReached:
        limit_minutes = limit / 60
        return LimitReached(
            f"{self.service}: {what} takes more than {limit_minutes:.0f} min.",
            limit,
            ("A BMC that answers slowly or with errors for so long may need a reset."),
        )

    def _sent(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        policy: RetryPolicy | None,
        timeout: float | None,
    ) -> Response:
        answers: list[Response] = []

        def call() -> Response:
            self._check_limits(method)
            if policy is not None and method in ("POST", "PATCH"):
                self._before_write()
            response = self._exchange(method, path, body, headers, timeout)
            if policy is not None and response.status >= 400:
                refused = RefusedRequest(self.service, method, read_refusal(response))
                if policy.repeats(refused):
                    answers.append(response)
                    raise refused
            return response

        try:
            response = self._repeated(call, policy)
        except RefusedRequest:
            response = answers[-1]
        self._contacted = True
        return response

    def _exchange(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str], timeout: float | None
    ) -> Response:
        """One request and its answer.

        A read on a connection that the BMC ended is repeated at once on another one, and no connection is kept after
        that.
        """
        keep = self._keeps_connection and method == "GET"
        if not keep or self._clock.now() - self._answered > _KEPT_FOR:
            self._http.close()
        try:
            sent = {**_HEADERS, **({} if keep else {"Connection": "close"}), **headers}
            response = self._http.request(method, path, json_body=body, headers=sent, timeout=timeout)
        except Unreachable as error:
            # A write to a TLS connection that the server has ended is a fault of TLS (SSLEOFError).
            if not keep or error.kind not in ("broken", "tls"):
                raise
            self._keeps_connection = False
            return self._exchange(method, path, body, headers, timeout)
        self._answered = self._clock.now()
        return response

    def _repeated(self, call: Callable[[], Response], policy: RetryPolicy | None) -> Response:
        if policy is None:
            return call()
        if self._contacted:
            return retry(call, policy, self._clock)
        # An address at which nothing listens fails soon; a BMC that answers, or breaks a connection, is there.
        answering = dataclasses.replace(policy, unreachable=frozenset({"broken"}))
        return retry(lambda: retry(call, BMC_FIRST_CONTACT, self._clock), answering, self._clock)

    def _redirected(self, path: str, response: Response) -> str:
        """Where method and body are to be sent instead (307 and 308); empty when nowhere, and for another server, which
        must not see our credentials.
        """
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
            if response.status == 401 and not self._had_session:
                raise self._login_refused(refusal)
            error = RefusedRequest(self.service, what, refusal)
            if response.status == 401:
                error.hint = (
                    "The BMC accepts the login, but closes each session immediately. Restart the BMC if this continues."
                )
            else:
                error.hint = error.hint or f"Check the rights of user {self._credentials.username!r} on this BMC."
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
            raise ZeroTouchError(
                f"{self.service}: the answer to {what} is not a Redfish resource.",
                "Check that this is the address of a Redfish service.",
            )
        return body

    def _finished(self, response: Response, what: str) -> Response:
        """Follow a 202 to the end of its task; its final answer is the answer.

        A task resource instead of a monitor answers 200 while it runs.
        """
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
                raise LimitReached(
                    f"{self.service}: the task of {what} did not end within {TASK_LIMIT:.0f} s.", TASK_LIMIT
                )
            self._clock.sleep(_retry_after(response))
            response = self._authorised("GET", monitor, None, {})
        if state in ("Exception", "Killed", "Cancelled"):
            raise RefusedRequest(
                self.service, what, Refusal(response.status, state, (), task_messages(body) or f"task {state}")
            )
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


def _moment(value: Any) -> float:
    """Seconds of a date, as a header (RFC 9110) or a resource (RFC 3339) has it; 0 for anything else."""
    if not isinstance(value, str):
        return 0.0
    for read in (email.utils.parsedate_to_datetime, datetime.datetime.fromisoformat):
        with contextlib.suppress(ValueError, TypeError, IndexError, OverflowError):
            moment = read(value)
            return moment.timestamp() if moment.tzinfo else 0.0
    return 0.0
