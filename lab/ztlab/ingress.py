# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the router of a new cluster: answer on *.apps.<domain>:443, so that the URL of the console works."""

from __future__ import annotations

import html

from aiohttp import web

from .fabric.loopback import unprivileged_port
from .newcluster import pki
from .newcluster.cluster import NewCluster

PORT = unprivileged_port(443)


class Ingress:
    """Serves the console's host name once the console's route is admitted; every other name gets the router's 503."""

    def __init__(self, cluster: NewCluster, address: str) -> None:
        self._cluster = cluster
        self._address = address
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        pair = pki.serving_pair(self._cluster.ingress_authority, [f"*.apps.{self._cluster.domain}"])
        await web.TCPSite(self._runner, self._address, PORT, ssl_context=pki.server_context(pair, {})).start()

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _answer(self, request: web.Request) -> web.Response:
        console = self._cluster.console_url.removeprefix("https://")
        if request.host.partition(":")[0] != console or not self._cluster.installed:
            return web.Response(status=503, text="Application is not available\n")
        name = html.escape(self._cluster.domain)
        page = (
            f"<!doctype html><title>{name}</title><h1>{name}</h1><p>OpenShift {html.escape(self._cluster.version)}: "
            "the console of a cluster in ztlab.</p>"
        )
        return web.Response(text=page, content_type="text/html")
