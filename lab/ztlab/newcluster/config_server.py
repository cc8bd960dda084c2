# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the machine config server, from which joining hosts get their configuration (port 22623 with TLS, 22624
without).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

from aiohttp import web

from . import pki

TLS_PORT, PLAIN_PORT = 22623, 22624


class ConfigServer:
    """``pools``: the current MachineConfigPools; other pools are not found. ``requests`` counts by pool."""

    def __init__(self, names: Collection[str], authority: pki.Signer, pools: Callable[[], Collection[str]]) -> None:
        self.authority = authority
        self.requests: dict[str, int] = {}
        self._names = list(names)
        self._pools = pools
        self._runner: web.AppRunner | None = None

    async def start(self, host: str) -> None:
        app = web.Application()
        app.router.add_get("/config/{pool:.+}", self._config)
        app.router.add_get("/healthz", self._healthy)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        pair = pki.serving_pair(self.authority, self._names)
        await web.TCPSite(self._runner, host, TLS_PORT, ssl_context=pki.server_context(pair, {})).start()
        await web.TCPSite(self._runner, host, PLAIN_PORT).start()

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _healthy(self, request: web.Request) -> web.Response:
        return web.Response()

    async def _config(self, request: web.Request) -> web.Response:
        # By the last part alone: a service that was given the whole URL of a pool puts the pool behind it once more.
        pool = request.match_info["pool"].rsplit("/", 1)[-1]
        if pool not in self._pools():
            return web.Response(
                status=500,
                text=(
                    f'could not fetch config: machineconfigpools.machineconfiguration.openshift.io "{pool}" not found\n'
                ),
            )
        self.requests[pool] = self.requests.get(pool, 0) + 1
        document: dict[str, Any] = {
            "ignition": {"version": "3.2.0"},
            "storage": {"files": []},
            "systemd": {"units": []},
        }
        return web.Response(body=json.dumps(document).encode(), content_type="application/json")
