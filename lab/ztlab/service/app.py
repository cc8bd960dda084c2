# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the simulated assisted-service as an HTTP server, with its cluster and host monitors."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from aiohttp import web

from ..clock import LabClock
from ..fabric.listener import Listener
from ..faults import Faults
from . import machine_cluster, machine_host
from .auth import Authenticator, check_object
from .core import Core
from .errors import InfraError, ServiceError
from .model import Cluster
from .router import BASE, Call, Reply, Route
from .routes import build_router
from .schema import read_body
from .settings import read_settings
from .swagger import Swagger

LOG = logging.getLogger(__name__)
LARGEST_BODY = 256 * 1024 * 1024
UPLOAD = "POST /v2/clusters/{cluster_id}/logs"


class AssistedService:
    """One service. ``env``: content of its env files; ``kubeconfig(cluster_name, domain)`` returns the file for
    downloads.

    ``requests`` counts calls by operation (``GET /v2/clusters``); with ``swagger`` every response is compared with the
    description and deviations are collected in ``violations``. Raises ValueError for an environment that the service
    would not start with.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        clock: LabClock,
        faults: Faults,
        swagger: Path | None = None,
        kubeconfig: Callable[[str, str], str] | None = None,
    ) -> None:
        self.core = Core(read_settings(env), clock, faults)
        if kubeconfig is not None:
            self.core.kubeconfig_source = kubeconfig
        self.requests: Counter[str] = Counter()
        self.violations: list[str] = []
        self._authenticator = Authenticator(self.core.settings)
        self.router = build_router()
        self._swagger = Swagger(swagger) if swagger is not None else None
        self._listener: Listener | None = None
        self._down = False
        self._monitors: list[asyncio.Task[None]] = []
        self.host = ""
        self.port = 0

    @property
    def url(self) -> str:
        """``http://address:port``, once started."""
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"

    async def start(self, host: str, port: int = 0) -> None:
        """Listen and start both monitors. Port 0: any free one, see ``port``."""
        app = web.Application(client_max_size=LARGEST_BODY)
        app.router.add_route("*", "/{path:.*}", self.handle)
        self._listener = Listener(app, host, port, grace=0.1)
        await self._listener.open()
        self.host, self.port = host, self._listener.port
        self.run_monitors()

    def run_monitors(self) -> None:
        """For a service that gets its requests from another server: only the monitors."""
        self._monitors = [asyncio.create_task(self._monitor_hosts()), asyncio.create_task(self._monitor_clusters())]

    async def stop(self) -> None:
        """End monitors and connections; the state stays readable."""
        tasks = [*self._monitors, *self.core.background]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._monitors = []
        if self._listener is not None:
            await self._listener.end()
            self._listener = None

    async def interrupt(self, down: bool) -> None:
        """The service is away for a while, with all it knows. One behind a route is answered for by the router."""
        self._down = down
        if self._listener is not None:
            await self._listener.set(not down)

    # monitors

    async def _monitor_hosts(self) -> None:
        while True:
            due = self.core.now() + self.core.settings.host_monitor_interval
            await self.core.clock.sleep(self.core.settings.host_monitor_interval)
            self._forgive(self.core.now() - due)
            if not self._down:
                self._guarded(self.monitor_hosts)

    async def _monitor_clusters(self) -> None:
        while True:
            await self.core.clock.sleep(self.core.settings.cluster_monitor_interval)
            if not self._down:
                self._guarded(self.monitor_clusters)

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception:
            LOG.exception("a monitor of the assisted-service failed")

    def _forgive(self, seconds: float) -> None:
        """While a busy machine held the whole lab up no agent could check in: at high speed that is no silence of
        theirs.
        """
        for host in self.core.state.hosts.values():
            host.checked_in += max(0.0, seconds)

    def monitor_hosts(self) -> None:
        """One pass over all hosts."""
        for cluster in list(self.core.state.clusters.values()):
            scene = self.core.scene(cluster)
            for host in scene.hosts:
                machine_host.refresh(self.core, host, scene)
        for host in list(self.core.state.hosts.values()):
            if not host.cluster_id:
                machine_host.refresh(self.core, host)

    def monitor_clusters(self) -> None:
        """One pass over all clusters."""
        for cluster in list(self.core.state.clusters.values()):
            machine_cluster.refresh(self.core, cluster)

    # requests

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request; errors become answers."""
        path = request.path
        if path in ("/health", "/ready"):
            return web.Response(status=200)
        if path == "/metrics":
            return web.Response(
                text="".join(
                    f'assisted_installer_requests{{operation="{key}"}} {count}\n'
                    for key, count in sorted(self.requests.items())
                )
            )
        fault = await self._faulty(path)
        if fault is not None:
            return fault
        try:
            reply, route = await self._dispatch(request)
        except InfraError as error:
            return self._json(request, error.status, error.body(), error.headers)
        except ServiceError as error:
            return self._json(
                request,
                error.status,
                error.body(),
                {"Content-Type": "application/octet-stream"} if error.binary else {},
            )
        except Exception as error:
            LOG.exception("%s %s", request.method, path)
            return self._json(request, 500, ServiceError(500, f"internal error of the lab: {error}").body(), {})
        self._check(route, reply.status, reply.body)
        if reply.content is not None:
            headers = {"Content-Type": "application/octet-stream", **reply.headers}
            return web.Response(status=reply.status, body=reply.content, headers=headers)
        return self._json(request, reply.status, reply.body, reply.headers)

    async def _faulty(self, path: str) -> web.Response | None:
        """Faults of the service itself; option ``path`` limits one to URLs that contain it."""
        if self._down:
            return web.Response(status=503, text="Application is not available\n")
        for kind, status in (("service-500", 500), ("service-503", 503), ("service-slow", 0)):
            fault = self.core.faults.peek(kind)
            if fault is None or fault.options.get("path", "") not in path:
                continue
            self.core.faults.take(kind)
            if status == 0:
                await self.core.clock.sleep(fault.number("seconds", 30))
            elif status == 503:
                return web.Response(status=503, text="upstream connect error or disconnect/reset before headers")
            else:
                return web.json_response(ServiceError(500, "injected by a fault of the lab").body(), status=500)
        return None

    async def _dispatch(self, request: web.Request) -> tuple[Reply, Route]:
        if not request.path.startswith(BASE + "/"):
            raise InfraError(404, f"path {request.path} was not found")
        route, parameters = self.router.find(request.method, request.path.removeprefix(BASE))
        self.requests[route.key] += 1
        try:
            caller = self._authenticator.authenticate(route.schemes, request.headers, request.query)
            check_object(caller, parameters)
            body, raw = await self._body(request, route)
            route.check_accepts(request.headers.get("Accept", ""))
            call = Call(parameters, dict(request.query), request.headers, body, raw, caller)
            outcome = route.handler(self.core, call)
            return (await outcome if inspect.isawaitable(outcome) else outcome), route
        except (InfraError, ServiceError) as error:
            if isinstance(error, ServiceError):
                error.binary = route.binary
            if self._swagger is not None:
                self.violations += self._swagger.refusal_problems(
                    route.method, route.template, error.status, error.body()
                )
            raise

    async def _body(self, request: web.Request, route: Route) -> tuple[Any, bytes]:
        if route.key == UPLOAD:
            return None, await _upload(request)
        raw = await request.read()
        if route.body is None:
            return None, raw
        return read_body(raw, request.headers.get("Content-Type", ""), route.body, route.body_name), raw

    def _check(self, route: Route, status: int, body: Any) -> None:
        if self._swagger is not None:
            self.violations += self._swagger.response_problems(route.method, route.template, status, body)

    def _json(self, request: web.Request, status: int, body: Any, headers: Mapping[str, str]) -> web.Response:
        if body is None:
            return web.Response(status=status, headers=dict(headers))
        response = web.Response(
            status=status, body=json.dumps(body).encode(), headers={"Content-Type": "application/json", **headers}
        )
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            response.enable_compression(web.ContentCoding.gzip)
        return response

    # views for the rest of the lab

    def cluster(self) -> Cluster | None:
        """The one cluster of a rendezvous host; None before it is registered."""
        return next(iter(self.core.state.clusters.values()), None)


async def _upload(request: web.Request) -> bytes:
    if not request.content_type.startswith("multipart/"):
        raise InfraError(
            400, (f'unsupported media type "{request.content_type}", only [multipart/form-data] are allowed')
        )
    async for part in await request.multipart():
        if getattr(part, "name", None) == "upfile":
            return bytes(await part.read(decode=False))  # type: ignore[union-attr]
    raise InfraError(400, "upfile in formData is required")
