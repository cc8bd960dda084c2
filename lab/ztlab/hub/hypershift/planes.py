# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run hosted control planes: start the API server and ignition server of each, and publish their addresses."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...clusters import ClusterPlan, HostedRun
from ...newcluster import pki
from ...newcluster.guest import GuestCluster
from ..names import Key, Object
from ..world import World
from .ignition_server import IgnitionServer
from .publishing import Published, Publishing

if TYPE_CHECKING:
    from ...lab import Lab

_ALPHABET = "ABCDEFGHIJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"


@dataclasses.dataclass
class Plane:
    """One hosted control plane. ``run`` and ``ignition`` may not be started yet; ``services``: published ones."""

    services: Mapping[str, Published]
    run: HostedRun
    ignition: IgnitionServer
    password: str
    kubeconfig: str

    @property
    def guest(self) -> GuestCluster:
        return self.run.guest


def _password() -> str:
    return "-".join("".join(secrets.choice(_ALPHABET) for _number in range(5)) for _part in range(4))


class Planes:
    """By (namespace, name) of the HostedControlPlane.

    They live as long as their objects; nothing of them is kept elsewhere.
    """

    def __init__(self, world: World, lab: Lab) -> None:
        if lab.site.hub is None:
            raise ValueError("the site has no hub")
        self._world, self._lab, self._hub = world, lab, lab.site.hub
        self._publishing = Publishing(lab.site, lab.site.hub)
        self._planes: dict[Key, Plane] = {}

    def get(self, key: Key) -> Plane | None:
        return self._planes.get(key)

    def _record(self, name: str) -> str:
        return next(
            (address for network in self._lab.site.networks if (address := self._lab.fabric.record(network, name))), ""
        )

    def ensure(self, key: Key, item: Object, version: str) -> Plane | None:
        """The plane of a HostedControlPlane, made when it is new; None as long as its API cannot be published."""
        if key in self._planes:
            return self._planes[key]
        services = self._publishing.publish("/".join(key), item, key[0])
        if "APIServer" not in services:
            return None
        made = self._planes[key] = self._make(key, item, version, services)
        self._lab.clusters.hosted["/".join(key)] = made.run
        for service in services.values():
            self._lab.fabric.virtual.setdefault(service.listen, "")
        return made

    def _make(self, key: Key, item: Object, version: str, services: Mapping[str, Published]) -> Plane:
        spec, kube = item["spec"], services["APIServer"]
        prefix = (spec.get("dns") or {}).get("baseDomainPrefix", key[1])
        base = (spec.get("dns") or {}).get("baseDomain", "")
        name, base = (prefix, base) if prefix else (base.partition(".")[0], base.partition(".")[2])
        signers = {title: pki.new_authority(title) for title in pki.SIGNERS}
        pairs = {title: (signer.pem, pki.key_pem(signer)) for title, signer in signers.items()}
        guest = GuestCluster(
            name=name,
            base_domain=base,
            version=version,
            signers=pairs,
            clock=self._lab.clock,
            faults=self._lab.faults,
            cluster_id=spec.get("clusterID", ""),
            endpoint=(kube.host, kube.port),
            names=[kube.listen],
            resolves=lambda host: bool(self._record(host)),
        )
        plan = ClusterPlan("/".join(key), name, base, version, "None", kube.listen, "", {}, pairs)
        where = services.get("Ignition")
        run = HostedRun(
            plan, guest, self._lab.fabric.table.loopback(kube.listen), kube.port, where.netloc if where else ""
        )
        ignition = IgnitionServer(
            self._world, key[0], pki.new_authority("ignition-root-ca"), where.host if where else "ignition-server"
        )
        return Plane(services, run, ignition, _password(), guest.kubeconfig())

    async def serve_ignition(self, plane: Plane) -> None:
        where = plane.services["Ignition"]
        hub = self._lab.hub
        if where.kind == "Route" and hub is not None:
            hub.routes[where.host] = plane.ignition.handle
            hub.route_contexts[where.host] = plane.ignition.context
        else:
            await plane.ignition.start(self._lab.fabric.table.loopback(where.listen), where.port)

    async def end(self, key: Key) -> None:
        plane = self._planes.pop(key, None)
        self._publishing.release("/".join(key))
        if plane is None:
            return
        self._lab.clusters.hosted.pop("/".join(key), None)
        if self._lab.hub is not None and "Ignition" in plane.services:
            self._lab.hub.routes.pop(plane.services["Ignition"].host, None)
            self._lab.hub.route_contexts.pop(plane.services["Ignition"].host, None)
        await plane.ignition.stop()
        await plane.run.end()
        self._retire(plane)

    def _retire(self, plane: Plane) -> None:
        """A load balancer's address answers no longer."""
        listening = {service.listen for other in self._planes.values() for service in other.services.values()}
        for address in {service.listen for service in plane.services.values()} - listening - {self._hub.address}:
            self._lab.fabric.virtual.pop(address, None)

    async def stop(self) -> None:
        for key in list(self._planes):
            await self.end(key)

    def status(self) -> list[dict[str, Any]]:
        """For ``ztlab status --json``."""
        return [
            {
                "namespace": namespace,
                "name": name,
                "api": plane.guest.api_url,
                "ignition": f"https://{plane.run.ignition}/ignition" if plane.run.ignition else "",
                "serving": plane.run.serving,
                "services": {title: f"{service.kind} {service.netloc}" for title, service in plane.services.items()},
                "ignition_requests": dict(plane.ignition.requests),
            }
            for (namespace, name), plane in self._planes.items()
        ]
