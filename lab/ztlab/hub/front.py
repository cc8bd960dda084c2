# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve the hub's routes: one TLS port dispatches requests to services by host name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
LARGEST_BODY = 256 * 1024 * 1024


def front(routes: Mapping[str, Answer]) -> web.Application:
    """An application that dispatches requests by their Host header; other names get a router's response for an
    unknown route.
    """

    async def dispatch(request: web.Request) -> web.StreamResponse:
        name = request.headers.get("Host", "").partition(":")[0].lower()
        answer = routes.get(name)
        if answer is None:
            return web.Response(status=503, text=f"Application is not available: no route {name}\n")
        return await answer(request)

    app = web.Application(client_max_size=LARGEST_BODY)
    app.router.add_route("*", "/{path:.*}", dispatch)
    return app
