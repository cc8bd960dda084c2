# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run an assisted-service without a hub, as on a bastion or as a hosted service: the service, its image service, and
access for users.
"""

from __future__ import annotations

import base64
import json
import secrets
import ssl
import time
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp import web

from .fabric.loopback import unprivileged_port
from .hub.discovery_source import ignition_source, initrd_source
from .hub.environment import AGENT_IMAGE, DEFAULT_VERSION
from .hub.front import front
from .hub.images.service import ImageService, OsImageFile
from .image.versions import VERSION
from .newcluster import pki
from .service.app import AssistedService
from .service.artifacts import ROOT_CA
from .service.errors import InfraError
from .service.model import Cluster
from .service.router import BASE

if TYPE_CHECKING:
    from .lab import Lab

TOKEN_PATH = "/auth/realms/lab/protocol/openid-connect/token"
# Seconds of the wall clock that an access token is good for.
LIFETIME = 900.0


class Standalone:
    """The service of a lab whose site has one.

    ``service`` and ``images`` are its parts, ``offline_token`` opens it where it wants one.
    """

    def __init__(self, lab: Lab) -> None:
        if lab.site.service is None:
            raise ValueError("the site has no service")
        self.lab, self.site = lab, lab.site.service
        table = lab.fabric.table
        for name in self.site.dns_names:
            table.alias(name, self.site.address)
        self.host = table.loopback(self.site.address)
        lab.fabric.virtual[self.site.address] = ""
        self.offline_token = secrets.token_urlsafe(32)
        self._access: dict[str, float] = {}
        self.service = AssistedService(self._environment(), clock=lab.clock, faults=lab.faults, swagger=lab.swagger)
        core = self.service.core
        if self.site.auth == "sso":
            core.signer = ObjectTokens()  # type: ignore[assignment]
        core.discovery_source = ignition_source(self._ca_pem)
        core.initrd_source = initrd_source(self._ca_pem)
        core.kubeconfig_source = self._kubeconfig
        core.signers_source = self.signers
        self.images: ImageService | None = None
        self._signers: dict[str, dict[str, tuple[bytes, bytes]]] = {}
        self._session: aiohttp.ClientSession | None = None

    @property
    def _ca_pem(self) -> str:
        return self.lab.authority.ca_file.read_text(encoding="ascii")

    def _environment(self) -> dict[str, str]:
        image = {"openshift_version": DEFAULT_VERSION, "cpu_architecture": "x86_64", "url": "", "version": VERSION}
        return {
            "AUTH_TYPE": "none",
            "SERVICE_BASE_URL": f"https://{self.site.service_host}",
            "IMAGE_SERVICE_BASE_URL": f"https://{self.site.image_service_host}",
            "SERVICE_CA_CERT_PATH": str(self.lab.authority.ca_file),
            "SKIP_CERT_VERIFICATION": "False",
            "OS_IMAGES": json.dumps([image]),
            "AGENT_DOCKER_IMAGE": AGENT_IMAGE,
            "PUBLIC_CONTAINER_REGISTRIES": "quay.io,registry.ci.openshift.org",
        }

    # life

    async def start(self) -> None:
        lab = self.lab
        context = ssl.create_default_context(cafile=str(lab.authority.ca_file))
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=context), cookie_jar=aiohttp.DummyCookieJar()
        )
        self.images = self._image_service()
        routes = {
            self.site.service_host: self._guarded,
            self.site.image_service_host: self.images.handle,
            self.site.sso_host: self._sso,
        }
        tls = lab.authority.server_context([self.site.service_host, *self.site.dns_names, self.host])
        await lab.serve(front(routes), self.host, unprivileged_port(443), tls)
        self.service.run_monitors()
        lab.services.append(self.service)
        await self.images.start()

    async def stop(self) -> None:
        await self.service.stop()
        if self._session is not None:
            await self._session.close()

    def _image_service(self) -> ImageService:
        directory = self.lab.paths.state / "images"
        directory.mkdir(exist_ok=True, mode=0o700)
        return ImageService(
            [OsImageFile(DEFAULT_VERSION, self.lab.base_image)],
            base_url=f"https://{self.site.image_service_host}",
            service_url=f"https://{self.site.service_host}",
            directory=directory,
            session=self._client,
            redirect=self.lab.fabric.redirect,
        )

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("the service is not started")
        return self._session

    # who may use it

    async def _guarded(self, request: web.Request) -> web.StreamResponse:
        """Users come with an access token, agents and download URLs with that of their InfraEnv."""
        refusal = self._refusal(request) if self.site.auth == "sso" and request.path.startswith(f"{BASE}/") else ""
        return (
            web.json_response(InfraError(401, refusal).body(), status=401)
            if refusal
            else await self.service.handle(request)
        )

    def _refusal(self, request: web.Request) -> str:
        bearer = request.headers.get("Authorization", "")
        if bearer:
            kind, _, token = bearer.partition(" ")
            valid = kind.lower() == "bearer" and self._access.get(token, 0.0) > time.monotonic()
            return "" if valid else "token is malformed: token contains an invalid number of segments"
        try:
            schemes = self.service.router.find(request.method, request.path.removeprefix(BASE))[0].schemes
        except InfraError:
            return ""
        agent, url = request.headers.get("X-Secret-Key", ""), request.query.get("api_key", "")
        known = ("agentAuth" in schemes and is_object_token(agent)) or ("urlAuth" in schemes and is_object_token(url))
        return "" if known else "unauthenticated for invalid credentials"

    async def _sso(self, request: web.Request) -> web.Response:
        """An offline token buys an access token."""
        if request.path != TOKEN_PATH or request.method != "POST":
            return web.json_response({"error": "RESTEASY003210: Could not find resource for full path"}, status=404)
        form = await request.post()
        if form.get("grant_type") != "refresh_token" or form.get("refresh_token") != self.offline_token:
            return web.json_response(
                {"error": "invalid_grant", "error_description": "Invalid refresh token"}, status=400
            )
        token = secrets.token_urlsafe(48)
        self._access[token] = time.monotonic() + LIFETIME
        return web.json_response({"access_token": token, "token_type": "Bearer", "expires_in": LIFETIME})

    # credentials

    def signers(self, cluster: Cluster) -> dict[str, tuple[bytes, bytes]]:
        """The signers of a cluster that the service installs, made once: name -> (certificate, key)."""
        if cluster.id not in self._signers:
            made = {name: pki.new_authority(name) for name in (*pki.SIGNERS, ROOT_CA)}
            self._signers[cluster.id] = {name: (signer.pem, pki.key_pem(signer)) for name, signer in made.items()}
        return self._signers[cluster.id]

    def _kubeconfig(self, name: str, domain: str) -> str:
        cluster = next(item for item in self.service.core.state.clusters.values() if item.domain == domain)
        return pki.admin_kubeconfig(pki.load_signers(self.signers(cluster)), name, f"https://api.{domain}:6443")

    def variables(self) -> dict[str, Any]:
        """What ``ztlab vars`` says in ``openshift_assisted``."""
        found = {**self.site.variables, "service_url": f"https://{self.site.service_host}"}
        if self.site.auth == "sso":
            found |= {"offline_token": self.offline_token, "token_url": f"https://{self.site.sso_host}{TOKEN_PATH}"}
        return found

    def status(self) -> dict[str, Any]:
        """For ``ztlab status --json``."""
        state = self.service.core.state
        return {
            "url": f"https://{self.site.service_host}",
            "address": f"{self.host}:{unprivileged_port(443)}",
            "images": dict(self.images.requests) if self.images else {},
            "infra_envs": {item.id: str(item.fields.get("name") or "") for item in state.infra_envs.values()},
            "hosts": {
                host.id: {"name": host.name, "status": host.status, "stage": host.progress.stage}
                for host in state.hosts.values()
            },
            "clusters": {item.id: {"name": item.name, "status": item.status} for item in state.clusters.values()},
        }


class ObjectTokens:
    """Tokens of single objects, as download URLs carry them; the same object has always the same one."""

    def token(self, **claims: Any) -> str:
        head = {"alg": "none", "typ": "JWT"}
        return ".".join(
            [
                *(_segment(json.dumps(part, sort_keys=True).encode()) for part in (head, claims)),
                _segment(b"lab of tokens"),
            ]
        )


def is_object_token(token: str) -> bool:
    """Whether it has the form of one; the id in it decides what it leads to."""
    return token.endswith("." + _segment(b"lab of tokens"))


def _segment(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
