# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate a hub cluster: start its Kubernetes API, the assisted-service and image service behind its routes, and its
operators.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import yaml

from ..fabric.loopback import unprivileged_port
from ..kubeapi.auth import User
from ..kubeapi.hub import CRDS
from ..newcluster import pki
from ..service.app import AssistedService
from ..service.artifacts import ROOT_CA
from ..site.model import HubSite
from . import admission, disk_images, inventory, service_config
from .backend import Backend
from .capi.controllers import kinds as cluster_api_kinds
from .capi.kinds import CoreKinds
from .client import Client
from .discovery_source import ignition_source, initrd_source
from .environment import os_images, service_environment
from .front import Answer, front
from .hypershift.controllers import kinds as hypershift_kinds
from .images.service import ImageService, OsImageFile
from .names import CLUSTER_DEPLOYMENT, Kind
from .operators import Operators
from .server import API_PORT, Server
from .spoke import Spokes
from .trouble import Trouble
from .world import World

if TYPE_CHECKING:
    from ..lab import Lab

LOG = logging.getLogger(__name__)
OPERATOR = User(
    "system:serviceaccount:multicluster-engine:assisted-service",
    ("system:masters", "system:serviceaccounts", "system:authenticated"),
)
KUBECONFIG = "hub.kubeconfig"


def definitions(site: HubSite, crds: Path) -> list[Path]:
    """Directories with the definitions that a hub has."""
    more: list[str] = []
    if site.cluster_api is not None:
        providers = {"openshift-assisted": site.cluster_api.openshift_assisted, "metal3": site.cluster_api.metal3}
        more = [
            f"cluster-api-{site.cluster_api.version}",
            "agent-provider",
            *(f"{name}-{version}" for name, version in providers.items() if version != "none"),
        ]
    return [crds, *(crds / name for name in [*more, *(["hypershift"] if site.hypershift else [])])]


def watched(site: HubSite) -> list[Kind]:
    """The kinds that controllers of a hub read beside those of every hub."""
    if site.cluster_api is None:
        return []
    core = CoreKinds.of(site.cluster_api)
    return [*cluster_api_kinds(core), *(hypershift_kinds(core) if site.hypershift else ())]


class Hub:
    """The hub of a lab whose site has one. ``server``, ``service``, ``images`` and ``operators`` are its parts."""

    def __init__(self, lab: Lab, *, crds: Path = CRDS) -> None:
        if lab.site.hub is None:
            raise ValueError("the site has no hub")
        self.lab, self.site = lab, lab.site.hub
        table = lab.fabric.table
        for name in self.site.hosts:
            table.alias(name, self.site.address)
        self.host = table.loopback(self.site.address)
        lab.fabric.virtual[self.site.address] = ""
        self._users = pki.new_authority("hub-client-signer")
        self._operator = pki.client_pair(self._users, OPERATOR.name, OPERATOR.groups)
        self.server = Server(lab, self.site, self.host, self._users.pem, definitions(self.site, crds))
        self.server.unharmed.add(OPERATOR.name)
        admission.install(self.server, self._cluster_installed)
        self.service = AssistedService(
            service_environment(self.site, lab.authority.ca_file),
            clock=lab.clock,
            faults=lab.faults,
            swagger=lab.swagger,
        )
        self.service.core.discovery_source = ignition_source(self.ca_pem)
        self.service.core.initrd_source = initrd_source(self.ca_pem)
        self.service.core.kubeconfig_source = self._spoke_kubeconfig
        self.service.core.signers_source = lambda cluster: self.signers(cluster.id)
        self.images: ImageService | None = None
        self.spokes = Spokes(lab)
        self.routes: dict[str, Answer] = {}
        self.route_contexts: dict[str, ssl.SSLContext] = {}
        self.operators: Operators | None = None
        self._signers: dict[str, dict[str, tuple[bytes, bytes]]] = {}
        self._session: aiohttp.ClientSession | None = None
        self._trouble: asyncio.Task[None] | None = None

    # names

    @property
    def service_url(self) -> str:
        return f"https://{self.site.service_host}"

    @property
    def image_service_url(self) -> str:
        return f"https://{self.site.image_service_host}"

    @property
    def api_url(self) -> str:
        return f"https://{self.site.api_host}:{API_PORT}"

    @property
    def ca_pem(self) -> str:
        return self.lab.authority.ca_file.read_text(encoding="ascii")

    @property
    def session(self) -> aiohttp.ClientSession:
        """The HTTP client of the hub's own programs; it trusts the lab's CA."""
        if self._session is None:
            raise RuntimeError("the hub is not started")
        return self._session

    # life

    async def start(self) -> None:
        """Serve everything and start the operators."""
        lab = self.lab
        context = ssl.create_default_context(cafile=str(lab.authority.ca_file))
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=context), cookie_jar=aiohttp.DummyCookieJar()
        )
        await self.start_api()
        self.images = self._image_service()
        self.routes |= {self.site.service_host: self.service.handle, self.site.image_service_host: self.images.handle}
        self.routes |= {self.site.disk_image_host: disk_images.answer} if self.site.disk_image_host else {}
        tls = lab.authority.server_context([self.site.service_host, *self.site.hosts, self.host])
        tls.sni_callback = self._choose_route
        await lab.serve(front(self.routes), self.host, unprivileged_port(443), tls)
        await disk_images.serve(lab, self.site)
        self.service.run_monitors()
        lab.services.append(self.service)
        await self.images.start()
        world = World(self._client(), lab.clock, watched(self.site))
        self.operators = Operators(
            world, Backend(self.service), self.spokes, lab, lambda: self.session, converged=self.site.converged_flow
        )
        await self.operators.start()
        await service_config.publish(world.client, self.site, lab.base_image.resolve().as_uri(), world.now())
        await inventory.publish(world.client, lab.site)
        self._trouble = asyncio.create_task(Trouble(self).run(), name="faults of the hub")
        path = lab.paths.state / KUBECONFIG
        path.touch(mode=0o600)
        path.write_text(self.kubeconfig(), encoding="utf-8")

    async def stop(self) -> None:
        if self._trouble is not None:
            self._trouble.cancel()
            await asyncio.gather(self._trouble, return_exceptions=True)
        if self.operators is not None:
            await self.operators.stop()
        await self.service.stop()
        await self.stop_api()
        await self.spokes.close()
        if self._session is not None:
            await self._session.close()

    async def start_api(self) -> None:
        """Listen with the Kubernetes API; after :meth:`stop_api` again, with everything it knew."""
        await self.server.start()

    async def stop_api(self) -> None:
        await self.server.stop()

    async def come_back(self) -> None:
        """Listen again after an outage; the address may still be held by connections that are about to end."""
        for _attempt in range(20):
            try:
                await self.start_api()
            except OSError as error:
                LOG.warning("the hub's API cannot listen yet: %s", error)
                await asyncio.sleep(0.25)
            else:
                return

    def _choose_route(
        self, connection: ssl.SSLSocket | ssl.SSLObject, name: str | None, _context: ssl.SSLContext
    ) -> None:
        """A route that passes TLS through shows the certificate of what is behind it."""
        if name in self.route_contexts:
            connection.context = self.route_contexts[name]

    def compact(self) -> None:
        """Forget the history that watches resume from."""
        self.server.compact()

    def _cluster_installed(self, namespace: str, name: str) -> bool:
        """What a webhook asks of a ClusterDeployment."""
        item = self.operators.world.get(CLUSTER_DEPLOYMENT, (namespace, name)) if self.operators is not None else None
        return bool(((item or {}).get("spec") or {}).get("installed"))

    def _image_service(self) -> ImageService:
        images = [
            OsImageFile(
                image.openshift_version,
                Path(image.url.removeprefix("file://")) if image.url else self.lab.base_image,
                image.cpu_architecture,
            )
            for image in os_images(self.site)
        ]
        directory = self.lab.paths.state / "images"
        directory.mkdir(exist_ok=True, mode=0o700)
        return ImageService(
            images,
            base_url=self.image_service_url,
            service_url=self.service_url,
            directory=directory,
            session=lambda: self.session,
            redirect=self.lab.fabric.redirect,
        )

    def _client(self) -> Client:
        context = ssl.create_default_context(cafile=str(self.lab.authority.ca_file))
        path = self.lab.paths.tls / "operators.pem"
        path.touch(mode=0o600)
        path.write_bytes(self._operator.certificate + self._operator.key)
        context.load_cert_chain(path)
        return Client(self.session, f"https://{self.host}:{API_PORT}", tls=context, server_name=self.site.api_host)

    # credentials

    def kubeconfig(self, *, direct: bool = False) -> str:
        """An administrator's kubeconfig with the real name of the API; ``direct``: with the loopback address, for
        people with kubectl.
        """
        admin = pki.client_pair(self._users, "system:admin", ["system:masters"])
        cluster: dict[str, Any] = {
            "certificate-authority-data": base64.b64encode(self.ca_pem.encode()).decode(),
            "server": self.api_url,
        }
        if direct:
            cluster |= {"server": f"https://{self.host}:{API_PORT}", "tls-server-name": self.site.api_host}
        user = {
            "client-certificate-data": base64.b64encode(admin.certificate).decode(),
            "client-key-data": base64.b64encode(admin.key).decode(),
        }
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "hub", "cluster": cluster}],
            "contexts": [{"name": "hub", "context": {"cluster": "hub", "user": "admin"}}],
            "current-context": "hub",
            "users": [{"name": "admin", "user": user}],
        }
        return str(yaml.safe_dump(document, sort_keys=False))

    def signers(self, cluster_id: str) -> dict[str, tuple[bytes, bytes]]:
        """The signers of a cluster that this hub installs, made once: name -> (certificate, key)."""
        if cluster_id not in self._signers:
            made = {name: pki.new_authority(name) for name in (*pki.SIGNERS, ROOT_CA)}
            self._signers[cluster_id] = {name: (signer.pem, pki.key_pem(signer)) for name, signer in made.items()}
        return self._signers[cluster_id]

    def _spoke_kubeconfig(self, name: str, domain: str) -> str:
        """What the service's downloads hand out: right from the start, because the service makes the signers itself."""
        cluster = next(item for item in self.service.core.state.clusters.values() if item.domain == domain)
        return pki.admin_kubeconfig(pki.load_signers(self.signers(cluster.id)), name, f"https://api.{domain}:6443")

    def status(self) -> dict[str, Any]:
        """For ``ztlab status --json``."""
        state = self.service.core.state
        return {
            "api": self.api_url,
            "address": f"{self.host}:{API_PORT}",
            "requests": dict(self.server.requests),
            "images": dict(self.images.requests) if self.images else {},
            "infra_envs": {
                item.kube_key[1] or item.id: {"id": item.id, "image": item.download_url}
                for item in state.infra_envs.values()
            },
            "hosts": {
                host.id: {"name": host.name, "status": host.status, "stage": host.progress.stage}
                for host in state.hosts.values()
            },
            "clusters": {cluster.name: cluster.status for cluster in state.clusters.values()},
            **(
                {"hosted_clusters": hosted.status()}
                if self.operators is not None and (hosted := self.operators.hypershift) is not None
                else {}
            ),
        }


async def until_ready(hub: Hub, seconds: float = 30.0) -> None:
    """Wait until the operators have read everything once; seconds of the wall clock. Raises TimeoutError."""
    if hub.operators is not None:
        await asyncio.wait_for(hub.operators.world.ready(), seconds)
