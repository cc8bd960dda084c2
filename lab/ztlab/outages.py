# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Stop servers of the lab while a fault is active: BMCs, Kubernetes APIs, kubelets, assisted-services.

The programs behind the servers keep their state.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from .fabric.listener import Listener
from .faults import Fault

if TYPE_CHECKING:
    from .lab import Lab

LOG = logging.getLogger(__name__)
POLL_SECONDS = 0.2  # seconds of the wall clock
HUB = "hub"


class Outages:
    """Makes the faults ``bmc-down``, ``api-down``, ``kubelet-down`` and ``service-down`` happen, and ends them."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._hub_away = False

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="outages")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            try:
                await self.apply()
            except Exception:
                LOG.exception("an outage could not be played")
            await asyncio.sleep(POLL_SECONDS)

    async def apply(self) -> None:
        """Let everything answer, or not, as the faults of now say."""
        async with self._lock:
            await self._bmcs()
            await self._clusters()
            await self._hub()
            for name, kubelet in list(self._lab.kubelets.items()):
                await kubelet.interrupt(self._lab.faults.peek("kubelet-down", name) is not None)
            down = self._lab.faults.peek("service-down") is not None
            for service in self._lab.services:
                await service.interrupt(down)

    async def _bmcs(self) -> None:
        """Machines behind one BMC are without it together."""
        silent: dict[Listener, bool] = {}
        for name, listener in self._lab.bmc_listeners.items():
            silent[listener] = silent.get(listener, False) or self._lab.faults.peek("bmc-down", name) is not None
        for listener, down in silent.items():
            await listener.set(not down)

    async def _clusters(self) -> None:
        for running in self._lab.clusters.all():
            await running.interrupt(self._api_down(running.plan.name) is not None)

    async def _hub(self) -> None:
        """The hub is away only when the fault names it."""
        hub, fault = self._lab.hub, self._api_down(HUB)
        if hub is None:
            return
        away = fault is not None and "cluster" in fault.options
        if away and not self._hub_away:
            await hub.stop_api()
        elif self._hub_away and not away:
            await hub.come_back()
        self._hub_away = away

    def _api_down(self, cluster: str) -> Fault | None:
        """The fault that a cluster's API has now."""
        found = [
            fault
            for fault in self._lab.faults.list()
            if fault.kind == "api-down" and fault.options.get("cluster", cluster) == cluster
        ]
        # One that names the cluster says more than one for all of them.
        return max(found, key=lambda fault: "cluster" in fault.options, default=None)
