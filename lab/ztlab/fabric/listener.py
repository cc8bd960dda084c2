# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a web application whose port can be closed and opened again while the application keeps its state."""

from __future__ import annotations

import asyncio
import ssl

from aiohttp import web


class Listener:
    """Serve an application at one address. While the listener is closed, the address refuses connections."""

    def __init__(
        self, app: web.Application, host: str, port: int, context: ssl.SSLContext | None = None, *, grace: float = 1.0
    ) -> None:
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=grace)
        self._host, self._context = host, context
        self.port = port  # 0: any free port; replaced by the port in use after the first open
        self._site: web.TCPSite | None = None
        self._ready = self._ended = False

    @property
    def listening(self) -> bool:
        return self._site is not None

    async def open(self) -> None:
        """Listen; a listener that listens already, or that has ended, is left alone."""
        if self._site is not None or self._ended:
            return
        if not self._ready:
            await self._runner.setup()
            self._ready = True
        site = web.TCPSite(self._runner, self._host, self.port, ssl_context=self._context, reuse_address=True)
        await _started(site)
        self._site = site
        self.port = int(self._runner.addresses[0][1])

    async def close(self) -> None:
        """Refuse new connections and drop the open ones."""
        if self._site is None:
            return
        site, self._site = self._site, None
        await site.stop()
        for connection in list(self._runner.server.connections) if self._runner.server is not None else []:
            connection.force_close()

    async def set(self, listening: bool) -> None:
        """Open or close."""
        await (self.open() if listening else self.close())

    async def end(self) -> None:
        """Close permanently. An outage that is over at this moment must not open it again."""
        self._ended, self._site = True, None
        await self._runner.cleanup()


async def _started(site: web.TCPSite) -> None:
    """Start to listen. A cancellation waits: asyncio has the socket before it returns the server, and one in between
    would leave it open.
    """
    start = asyncio.ensure_future(site.start())
    try:
        await asyncio.shield(start)
    except asyncio.CancelledError:
        await asyncio.wait([start])
        raise
