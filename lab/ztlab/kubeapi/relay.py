# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Forward requests to a real API server as a proxy that sets the lab's time of day, injects faults, and counts
requests.
"""

from __future__ import annotations

import datetime
import email.utils
import json
import re
import ssl
from collections import Counter
from collections.abc import Callable

import aiohttp
from aiohttp import web

from .auth import ANONYMOUS, User, certificate_user
from .errors import ApiError, expired
from .trouble import Trouble

CONNECTION = {"connection", "keep-alive", "te", "trailers", "transfer-encoding", "upgrade", "host", "date"}
HOP_BY_HOP = {*CONNECTION, "content-length", "accept-encoding", "content-encoding"}
_OBJECT = re.compile(
    r"^/(?:api|apis/(?P<group>[^/]+))/[^/]+(?:/namespaces/(?P<namespace>[^/]+)(?=/))?/(?P<plural>[^/]+)(?:/(?P<name>[^/]+))?(?P<rest>/[^/]+)?$"
)


class Relay:
    """Passes every request on.

    A client certificate becomes impersonation, because TLS ends here; a token is passed on as it is.
    """

    def __init__(self, trouble: Trouble, now: Callable[[], datetime.datetime]) -> None:
        self.trouble, self.now = trouble, now
        self.requests: Counter[str] = Counter()
        self._runner: web.AppRunner | None = None
        self._as_admin: aiohttp.ClientSession | None = None
        self._as_anonymous: aiohttp.ClientSession | None = None

    async def start(
        self, host: str, port: int, tls: ssl.SSLContext, url: str, admin: ssl.SSLContext, anonymous: ssl.SSLContext
    ) -> None:
        """Listen, and pass on to ``url``: with the certificate of ``admin`` for users with a certificate, else with
        that of ``anonymous``.
        """

        def session(context: ssl.SSLContext) -> aiohttp.ClientSession:
            connector = aiohttp.TCPConnector(limit=0, ssl=context)
            return aiohttp.ClientSession(
                url, connector=connector, timeout=aiohttp.ClientTimeout(total=None), cookie_jar=aiohttp.DummyCookieJar()
            )

        self._as_admin, self._as_anonymous = session(admin), session(anonymous)
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port, ssl_context=tls).start()

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        for session in (self._as_admin, self._as_anonymous):
            if session is not None:
                await session.close()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        certified = certificate_user(request)
        user = certified or ANONYMOUS
        match = _OBJECT.match(request.path)
        try:
            self.trouble.refuse(request.method, user)
            if match is not None:
                rest = match["rest"] or ""
                self.requests[f"{request.method} {match['plural']}{rest}"] += 1
                self.trouble.forbid(
                    request.method,
                    user,
                    match["group"] or "",
                    match["plural"],
                    match["namespace"] or "",
                    match["name"] or "",
                )
        except ApiError as error:
            return web.Response(
                status=error.code,
                body=json.dumps(error.status()).encode(),
                headers={"Content-Type": "application/json", **error.headers},
            )
        if request.query.get("watch") in ("1", "true") and self.trouble.take("api-410", user) is not None:
            gone = {"type": "ERROR", "object": expired(1, 2).status()}
            return web.Response(body=json.dumps(gone).encode() + b"\n", headers={"Content-Type": "application/json"})
        return await self._pass_on(request, certified)

    async def _pass_on(self, request: web.Request, user: User | None) -> web.StreamResponse:
        session = self._as_admin if user is not None else self._as_anonymous
        if session is None:
            raise web.HTTPServiceUnavailable()
        headers = [(name, value) for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP]
        if user is not None and "Impersonate-User" not in request.headers:
            headers += [("Impersonate-User", user.name), *(("Impersonate-Group", group) for group in user.groups)]
        body = await request.read()
        async with session.request(request.method, request.raw_path, data=body or None, headers=headers) as answer:
            response = web.StreamResponse(status=answer.status, reason=answer.reason)
            for name, value in answer.headers.items():
                if name.lower() not in HOP_BY_HOP:
                    response.headers.add(name, value)
            response.headers["Date"] = email.utils.format_datetime(self.now(), usegmt=True)
            await response.prepare(request)
            async for chunk in answer.content.iter_any():
                await response.write(chunk)
            await response.write_eof()
            return response
