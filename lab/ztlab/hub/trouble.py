# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Inject faults that affect the whole hub, such as a restart of its API or a wrong clock. The API server handles faults
of single requests.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from .client import Refused
from .names import AGENT

if TYPE_CHECKING:
    from .hub import Hub

LOG = logging.getLogger(__name__)
POLL_SECONDS = 0.1  # seconds of the wall clock
AWAY_SECONDS = 30.0
SKEW_SECONDS = 600.0


class Trouble:
    """Polls for faults of the hub and executes them."""

    def __init__(self, hub: Hub) -> None:
        self._hub, self._faults = hub, hub.lab.faults

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self.look()
            except Refused as error:
                LOG.debug("a fault of the hub: %s", error)
            except Exception:
                LOG.exception("a fault of the hub could not be played")
            await asyncio.sleep(POLL_SECONDS)

    async def look(self) -> None:
        """One round."""
        skew = self._faults.peek("hub-clock")
        self._hub.lab.clock.skew = skew.number("seconds", SKEW_SECONDS) if skew is not None else 0.0
        if self._faults.take("hub-compacts") is not None:
            self._hub.compact()
        restart = self._faults.take("hub-restart")
        if restart is not None:
            await self._hub.stop_api()
            await self._hub.lab.clock.sleep(restart.number("seconds", AWAY_SECONDS))
            await self._hub.come_back()
        await self._delete_agent()

    async def _delete_agent(self) -> None:
        fault = self._faults.peek("agent-deleted")
        if fault is None or self._hub.operators is None:
            return
        world = self._hub.operators.world
        wanted = fault.options.get("agent", "")
        found = next((item for item in world.all(AGENT) if wanted in ("", item["metadata"]["name"])), None)
        if found is not None:
            self._faults.take("agent-deleted")
            await world.delete(AGENT, found)
