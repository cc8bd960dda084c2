# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run one lab: the machines and BMCs of the site, the network between them, and the clusters that they install."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from .agent.kubelet import KubeletPort
from .bmc.endpoint import BmcEndpoint
from .clock import LabClock
from .clusters import Clusters
from .fabric.hosts import Fabric
from .fabric.listener import Listener
from .fabric.loopback import AddressTable, unprivileged_port
from .fabric.pki import Authority
from .faults import Faults
from .hub.hub import Hub
from .machine.console import Console
from .machine.firmware import Firmware
from .machine.hardware import Hardware
from .machine.medium import probe
from .occupied import Occupants
from .outages import Outages
from .servers import Servers
from .service.app import AssistedService
from .site.model import Site
from .standalone import Standalone
from .state import BASE_IMAGE


@dataclasses.dataclass(frozen=True)
class Paths:
    """Paths of a lab's files below the state directory."""

    state: Path

    @property
    def consoles(self) -> Path:
        return self.state / "consoles"

    @property
    def tls(self) -> Path:
        return self.state / "tls"

    def console(self, machine: str) -> Path:
        return self.consoles / f"{machine}.log"


class Lab:
    """Everything of one lab.

    ``swagger``: where the assisted-service's swagger is, for checking answers (None: not checked). ``base_image``: what
    the hub's image service offers (None: the synthetic one below ``state``).
    """

    def __init__(
        self,
        site: Site,
        *,
        state: Path,
        net: int,
        clock: LabClock,
        swagger: Path | None = None,
        base_image: Path | None = None,
    ) -> None:
        self.site = site
        self.paths = Paths(state)
        self.clock = clock
        self.swagger = swagger
        self.base_image = base_image or state / BASE_IMAGE
        self.faults = Faults()
        self.fabric = Fabric(site, AddressTable(net))
        self.authority = Authority(self.paths.tls)
        self.clusters = Clusters(self)
        self.services: list[AssistedService] = []
        firmware = Firmware(self)
        self.machines = {
            machine.name: Hardware(
                machine,
                clock=clock,
                faults=self.faults,
                console=Console(self.paths.console(machine.name), clock),
                run=firmware.run,
            )
            for machine in site.machines
        }
        self._endpoints: dict[str, BmcEndpoint] = {}
        self.bmc_listeners: dict[str, Listener] = {}
        self._listeners: list[Listener] = []
        self.kubelets: dict[str, KubeletPort] = {}
        self.outages = Outages(self)
        self.occupants = Occupants(self)
        self._session: aiohttp.ClientSession | None = None
        self.hub = Hub(self) if site.hub is not None else None
        self.servers = Servers(self)
        self.standalone = Standalone(self) if site.service is not None else None

    @property
    def session(self) -> aiohttp.ClientSession:
        """The HTTP client of everything that runs in the lab."""
        if self._session is None:
            raise RuntimeError("the lab is not started")
        return self._session

    async def start(self) -> None:
        """Open the BMCs, the hub and the service."""
        connector = aiohttp.TCPConnector(limit=0)
        self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        shared: dict[tuple[str, int], list[Hardware]] = defaultdict(list)
        numbers = itertools.count(1)
        for machine in self.machines.values():
            shared[machine.spec.bmc.host, machine.spec.bmc.port].append(machine)
        for (host, port), machines in shared.items():
            endpoint = BmcEndpoint(machines, clock=self.clock, faults=self.faults, probe=self._probe, numbers=numbers)
            context = (
                self.authority.server_context([host, self.fabric.table.loopback(host)])
                if machines[0].spec.bmc.tls
                else None
            )
            listener = await self.serve(
                endpoint.app, self.fabric.table.loopback(host), unprivileged_port(port), context
            )
            for machine in machines:
                self._endpoints[machine.spec.name] = endpoint
                self.bmc_listeners[machine.spec.name] = listener
        if self.hub is not None:
            await self.hub.start()
        if self.standalone is not None:
            await self.standalone.start()
        await self.servers.start()
        await self.occupants.settle()
        self.outages.start()

    async def stop(self) -> None:
        """End everything, in the order in which it depends on each other."""
        await self.outages.stop()
        self.servers.stop()
        await asyncio.gather(*(machine.close() for machine in self.machines.values()))
        if self.hub is not None:
            await self.hub.stop()
        if self.standalone is not None:
            await self.standalone.stop()
        await self.clusters.stop()
        await asyncio.gather(*(listener.end() for listener in self._listeners))
        if self._session is not None:
            await self._session.close()

    async def serve(self, app: web.Application, host: str, port: int, context: Any = None) -> Listener:
        """Open a server that lives as long as the lab."""
        listener = Listener(app, host, port, context)
        self._listeners.append(listener)
        await listener.open()
        return listener

    async def _probe(self, url: str) -> str:
        return await probe(self.session, self.fabric.redirect, url)

    def status(self) -> dict[str, Any]:
        """What ``ztlab status --json`` prints."""
        return {
            "net": self.fabric.table.prefix,
            "speed": self.clock.speed,
            "lab_seconds": round(self.clock.now(), 1),
            "machines": [self._machine_status(machine) for machine in self.machines.values()],
            "clusters": self.clusters.status(),
            "service": self._service_status(),
            **({"hub": self.hub.status()} if self.hub is not None else {}),
            **({"standalone": self.standalone.status()} if self.standalone is not None else {}),
            "faults": [fault.to_dict() for fault in self.faults.list()],
            "addresses": self.fabric.table.to_dict(),
        }

    def _service_status(self) -> dict[str, Any]:
        """Over all assisted-services that ran: calls by operation, and answers that deviate from the swagger (when it
        is checked).
        """
        requests: Counter[str] = Counter()
        for service in self.services:
            requests.update(service.requests)
        return {
            "requests": dict(requests),
            "violations": [text for service in self.services for text in service.violations],
        }

    def _machine_status(self, machine: Hardware) -> dict[str, Any]:
        name = machine.spec.name
        network = self.fabric.hosts.get(name)
        bmc = self._endpoints[name].status(name) if name in self._endpoints else {}
        return {
            "name": name,
            "power": machine.power_state,
            "phase": machine.console.phase,
            "console": machine.console.last,
            "boot": dataclasses.asdict(machine.boot),
            "boots": list(machine.boots),
            "medium": machine.cd.image,
            "installed": {disk: system.role for disk, system in machine.installed.items()},
            "addresses": network.addresses() if network else [],
            "requests": bmc.get("requests", {}),
            "writes": len(bmc.get("writes", [])),
            "sessions": len(bmc.get("sessions", [])),
            "bmc": bmc,
        }
