# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create Kubernetes clients for the clusters that the hub installed (spokes), from the kubeconfigs in Secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aiohttp

from .client import Client, from_kubeconfig

if TYPE_CHECKING:
    from ..lab import Lab


class Spokes:
    """Clients of spoke clusters.

    Host names are resolved as on the hub: through the site's DNS, and the running clusters of the lab.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._session: aiohttp.ClientSession | None = None
        self._clients: dict[str, Client] = {}

    def resolve(self, name: str) -> str:
        """The loopback address of a name; the name itself if it is unknown."""
        fabric = self._lab.fabric
        for network in self._lab.site.networks:
            address = fabric.record(network, name)
            if address:
                return fabric.table.loopback(address)
        for hint in self._lab.site.clusters:
            if name == f"api.{hint.domain}" and hint.api_vip:
                return fabric.table.loopback(hint.api_vip)
        running = self._lab.clusters.by_domain(name.removeprefix("api."))
        return running.address if running is not None else fabric.table.known(name) or name

    def client(self, kubeconfig: str) -> Client:
        """Raises ValueError for a kubeconfig that cannot be used."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0), cookie_jar=aiohttp.DummyCookieJar()
            )
        if kubeconfig not in self._clients:
            self._clients[kubeconfig] = from_kubeconfig(self._session, kubeconfig, self.resolve)
        return self._clients[kubeconfig]

    def spoils(self, fault: str, host_id: str) -> bool:
        """Whether a fault of the machine that a host is bites now."""
        name = next((name for name, machine in self._lab.machines.items() if machine.spec.os_uuid == host_id), None)
        return self._lab.faults.take(fault, name) is not None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
