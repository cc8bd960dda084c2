# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve the Redfish API of one BMC at its management address, as an aiohttp application. Several machines may share one
BMC.
"""

from __future__ import annotations

import asyncio
import email.utils
import hashlib
import itertools
import json
import random
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from aiohttp import web

from ..clock import LabClock
from ..faults import Faults
from ..machine.hardware import Hardware
from . import documents
from .errors import RedfishError
from .exchange import read_body, reply
from .media import MediaActions
from .sessions import Sessions
from .system import Systems
from .tasks import Tasks
from .vendors import VendorActions

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
ROOT = documents.ROOT
FLAWS = ("drop", "500", "503", "lost", "late 500")
_SAFE = ("GET", "HEAD", "OPTIONS")


class BmcEndpoint:
    """``probe(url)`` says why the BMC cannot read a medium ("" when it can).

    ``numbers`` orders the writes of all BMCs that share it.
    """

    def __init__(
        self,
        machines: Sequence[Hardware],
        *,
        clock: LabClock,
        faults: Faults,
        probe: Callable[[str], Awaitable[str]],
        numbers: Iterator[int] | None = None,
    ) -> None:
        self.machines = {machine.spec.bmc.system_id: machine for machine in machines}
        self.clock = clock
        self.faults = faults
        bmcs = [machine.spec.bmc for machine in machines]
        self.sessions = Sessions({bmc.username: bmc.password for bmc in bmcs}, min(bmc.sessions for bmc in bmcs))
        self.requests: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.session_requests: Counter[str] = Counter()
        self.writes: list[dict[str, Any]] = []
        self.refused_writes: list[dict[str, Any]] = []
        self._numbers = numbers or itertools.count(1)
        self.refused = 0
        self._random = random.Random(bmcs[0].host)
        tasks = Tasks(clock)
        self.app = web.Application(middlewares=[self._answer])
        self.app.add_routes(self._routes())
        Systems(self.machines, clock, faults).add_routes(self.app)
        tasks.add_routes(self.app)
        MediaActions(self.machines, clock, faults, tasks, probe).add_routes(self.app)
        VendorActions(self.machines, clock, faults, tasks).add_routes(self.app)

    def status(self, machine: str) -> dict[str, Any]:
        """What ``ztlab status`` says about the BMC of a machine: requests by method (logins and logouts apart), changes
        made, sessions left open.
        """
        return {
            "requests": dict(self.requests[machine]),
            "session_requests": dict(self.session_requests),
            "refused": self.refused,
            "writes": [write for write in self.writes if write["machine"] == machine],
            "refused_writes": [write for write in self.refused_writes if write["machine"] == machine],
            "sessions": [
                {"id": session.id, "username": session.username, "created": round(session.created, 1)}
                for session in self.sessions.open()
            ],
            "sessions_opened": self.sessions.opened,
        }

    def _routes(self) -> list[web.RouteDef]:
        service = f"{ROOT}/SessionService"
        return [
            web.get("/redfish", self._versions),
            web.get(ROOT, self._root),
            web.get(f"{ROOT}/", self._root),
            web.get(service, self._session_service),
            web.get(f"{service}/Sessions", self._list_sessions),
            web.post(f"{service}/Sessions", self._log_in),
            web.post(f"{service}/Sessions/Members", self._log_in),
            web.get(f"{service}/Sessions/{{id}}", self._get_session),
            web.delete(f"{service}/Sessions/{{id}}", self._log_out),
        ]

    # ---- every request -----------------------------------------------------------------------------------------------

    @web.middleware
    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        machine = self._machine_name(request)
        counter = self.session_requests if "/SessionService" in request.path else self.requests[machine]
        counter[request.method] += 1
        changing = request.method not in _SAFE and "/SessionService" not in request.path
        flaw = self._flaw(machine)
        try:
            await self._misbehave(request, machine)
            if flaw == "drop":
                self._cut(request)
            elif flaw.isdigit():
                raise RedfishError(
                    "InternalError" if flaw == "500" else "ServiceTemporarilyUnavailable",
                    *([] if flaw == "500" else ["5"]),
                )
            if not self._is_open(request):
                self.sessions.authenticate(request.headers)
            response = await handler(request)
        except RedfishError as error:
            self.refused += error.status in (401, 403)
            if changing:
                self.refused_writes.append(await self._write(request, machine, error.status))
            return error.response()
        except web.HTTPNotFound:
            return RedfishError("ResourceMissingAtURI", request.path).response()
        except web.HTTPMethodNotAllowed as error:
            answer = RedfishError("OperationNotAllowed").response()
            answer.headers["Allow"] = ", ".join(sorted(error.allowed_methods))
            return answer
        if changing:
            self.writes.append(await self._write(request, machine, response.status))
        if flaw == "lost":
            self._cut(request)
        if flaw == "late 500":
            return RedfishError("InternalError").response()
        response.headers["Date"] = email.utils.format_datetime(self.clock.utcnow(), usegmt=True)
        response.headers["OData-Version"] = "4.0"
        response.headers["Cache-Control"] = "no-cache"
        return response

    async def _write(self, request: web.Request, machine: str, status: int) -> dict[str, Any]:
        """The record of a request that changes something, or was meant to."""
        return {
            "number": next(self._numbers),
            "lab_seconds": round(self.clock.now(), 1),
            "machine": machine,
            "method": request.method,
            "path": request.path,
            "status": status,
            "summary": summary(request.method, request.path, await request.text()),
            **_login(await request.text()),
        }

    def _machine_name(self, request: web.Request) -> str:
        parts = request.path.split("/")
        if len(parts) > 4 and parts[3] in ("Systems", "Managers") and parts[4] in self.machines:
            return self.machines[parts[4]].spec.name
        return self._any.spec.name

    @staticmethod
    def _is_open(request: web.Request) -> bool:
        path = request.path.rstrip("/")
        if request.method in _SAFE and path in ("/redfish", ROOT):
            return True
        return request.method == "POST" and path in (
            f"{ROOT}/SessionService/Sessions",
            f"{ROOT}/SessionService/Sessions/Members",
        )

    async def _misbehave(self, request: web.Request, machine: str) -> None:
        slow = self.faults.take("bmc-slow", machine)
        if slow:
            await self.clock.sleep(slow.number("seconds", 30))
        if self.faults.take("bmc-drop", machine):
            self._cut(request)
        unavailable = self.faults.peek("bmc-503", machine)
        if unavailable and request.method in unavailable.options.get("methods", request.method).split(","):
            self.faults.take("bmc-503", machine)
            raise RedfishError("ServiceTemporarilyUnavailable", "1")
        if "X-Auth-Token" in request.headers and self.faults.take("bmc-401-session", machine):
            self.sessions.forget_all()

    def _flaw(self, machine: str) -> str:
        """What goes wrong with this request at random: it is not carried out (drop, 500, 503), or it is and the answer
        is lost or an error.
        """
        flaky = self.faults.peek("bmc-flaky", machine)
        if flaky is None or self._random.random() * 100 >= flaky.number("percent", 20):
            return ""
        flaky.taken += 1
        return self._random.choice(FLAWS)

    @staticmethod
    def _cut(request: web.Request) -> NoReturn:
        if request.transport is not None:
            request.transport.abort()
        raise asyncio.CancelledError

    # ---- service root and sessions -----------------------------------------------------------------------------------

    async def _versions(self, request: web.Request) -> web.Response:
        return web.json_response({"v1": f"{ROOT}/"})

    async def _root(self, request: web.Request) -> web.Response:
        return reply(request, documents.service_root(self._any.spec.system_uuid, self._any.profile))

    async def _session_service(self, request: web.Request) -> web.Response:
        return reply(request, documents.session_service(len(self.sessions.open())))

    async def _list_sessions(self, request: web.Request) -> web.Response:
        path = f"{ROOT}/SessionService/Sessions"
        members = [f"{path}/{session.id}" for session in self.sessions.open()]
        return reply(request, documents.collection(path, "SessionCollection", "Session Collection", members))

    @property
    def _any(self) -> Hardware:
        return next(iter(self.machines.values()))

    async def _log_in(self, request: web.Request) -> web.Response:
        if self._any.profile.without_sessions:
            raise RedfishError("NoValidSession", status=self._any.profile.without_sessions)
        refused = self.faults.take("bmc-session-refused", self._machine_name(request))
        if refused:
            status = int(refused.number("status", 503))
            raise RedfishError("NoValidSession" if status == 401 else "SessionLimitExceeded", status=status)
        body = await read_body(request)
        for name in ("UserName", "Password"):
            if not isinstance(body.get(name), str):
                raise RedfishError("ActionParameterMissing", "Sessions", name, related=[f"#/{name}"])
        session = self.sessions.log_in(
            body["UserName"],
            body["Password"],
            self.clock.now(),
            self.clock.utcnow().isoformat(timespec="seconds"),
            request.remote or "",
        )
        document = documents.session(session.id, session.username, session.created_at, session.address)
        return web.json_response(
            document, status=201, headers={"X-Auth-Token": session.token, "Location": document["@odata.id"]}
        )

    async def _get_session(self, request: web.Request) -> web.Response:
        session = self.sessions.get(request.match_info["id"])
        return reply(request, documents.session(session.id, session.username, session.created_at, session.address))

    async def _log_out(self, request: web.Request) -> web.Response:
        self.sessions.end(request.match_info["id"])
        return web.Response(status=204)


def summary(method: str, path: str, body: str) -> str:
    """A writing request in a few words: the action (or method and resource) and its parameters, without credentials."""
    last = path.rstrip("/").rpartition("/")[2]
    subject = last.rpartition(".")[2] if "/Actions/" in path else f"{method} {path.removeprefix(f'{ROOT}/')}"
    try:
        values = json.loads(body or "{}")
    except ValueError:
        return f"{subject} (no JSON)"
    return " ".join([subject, *_flat(values if isinstance(values, dict) else {})])


def _login(body: str) -> dict[str, dict[str, str]]:
    """The login in a request, for comparisons: the user, and the hash of the password."""
    try:
        values = json.loads(body or "{}")
    except ValueError:
        return {}
    if not isinstance(values, dict) or not {"UserName", "Password"} <= values.keys():
        return {}
    return {
        "login": {
            "username": str(values["UserName"]),
            "password_sha256": hashlib.sha256(str(values["Password"]).encode()).hexdigest(),
        }
    }


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif name not in ("UserName", "Password"):
            yield f"{prefix}{name}={value}"
