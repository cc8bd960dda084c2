# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the kubelet of an installed host: serve port 10250, and read the node's facts (such as its addresses) from
its machine.
"""

from __future__ import annotations

import asyncio
import ipaddress
from typing import TYPE_CHECKING

from aiohttp import web

from ..clusters import RunningCluster
from ..fabric.hosts import HostNetwork
from ..fabric.listener import Listener
from ..newcluster import pki
from ..newcluster.kubelet import Kubelet, NodeFacts
from ..site.model import Machine

if TYPE_CHECKING:
    from ..lab import Lab

PORT = 10250


def node_facts(spec: Machine, network: HostNetwork) -> NodeFacts:
    """The facts that a kubelet and the network plugin read on a machine with this network."""
    addresses = tuple(address for interface in network.interfaces for address in interface.addresses)
    holder = network.holder(str(ipaddress.ip_interface(addresses[0]).ip)) if addresses else None
    gateway = next((route.gateway for route in network.routes if route.destination in ("0.0.0.0/0", "::/0")), "")
    return NodeFacts(
        spec.os_uuid, holder.mac if holder else "", tuple(nic.mac for nic in spec.nics), addresses, gateway
    )


class KubeletPort:
    """Port 10250 of a machine: TLS with the certificate that the cluster issued, nothing before that; requests without
    credentials get 401.
    """

    def __init__(self, lab: Lab, machine: str, running: RunningCluster, kubelet: Kubelet) -> None:
        self._lab, self._machine, self._running, self._kubelet = lab, machine, running, kubelet
        self._listeners: list[Listener] = []
        self._down = False

    async def run(self) -> None:
        """Serve until cancelled."""
        self._lab.kubelets[self._machine] = self
        try:
            await self._kubelet.issued.wait()
            context = pki.kubelet_context(self._kubelet.certificate, self._kubelet.key)
            for address in self._kubelet.node_ips:
                app = web.Application()
                app.router.add_route("*", "/{path:.*}", _unauthorized)
                self._listeners.append(
                    Listener(app, self._lab.fabric.table.loopback(address), PORT, context, grace=0.1)
                )
            await self._adjust()
            await asyncio.Event().wait()
        finally:
            if self._lab.kubelets.get(self._machine) is self:
                del self._lab.kubelets[self._machine]
            for listener in self._listeners:
                await listener.end()

    async def interrupt(self, down: bool) -> None:
        """The kubelet is stopped, or started again, on a machine that runs on."""
        if down == self._down:
            return
        self._down = down
        if down:
            self._running.node_stopped(self._kubelet.name)
        else:
            self._running.api.nodes.restart(self._kubelet.name)
        await self._adjust()

    async def _adjust(self) -> None:
        for listener in self._listeners:
            try:
                await listener.set(not self._down)
            except OSError as error:
                self._lab.machines[self._machine].console.print(f"kubelet: port {PORT}: {error.strerror}")


async def _unauthorized(_request: web.Request) -> web.Response:
    return web.Response(status=401, text="Unauthorized")
