# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Call the assisted-service from the hub's operators: directly in the lab's process, with administrator rights."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any

from ..service.app import AssistedService
from ..service.errors import InfraError, ServiceError
from ..service.model import Cluster, Host, InfraEnv
from ..service.router import BASE, Call
from ..service.schema import read_body
from .names import Key


class BackendError(Exception):
    """The service refused the request. ``status``: HTTP status of its response."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status

    @property
    def users(self) -> bool:
        """Whether the caller's input is at fault (4xx)."""
        return 400 <= self.status < 500


class Backend:
    """Operations by route, and look-ups by the names of Kubernetes objects."""

    def __init__(self, service: AssistedService) -> None:
        self.service, self.core = service, service.core

    async def call(self, method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None) -> Any:
        """The body of the answer. Raises :class:`BackendError`; the body is checked as the HTTP server checks it."""
        route, parameters = self.service.router.find(method, path)
        try:
            if route.body is not None:
                body = read_body(json.dumps(body).encode(), "application/json", route.body, route.body_name)
            outcome = route.handler(self.core, Call(parameters, dict(query or {}), {}, body))
            reply = await outcome if inspect.isawaitable(outcome) else outcome
        except ServiceError as error:
            raise BackendError(error.status, error.reason) from error
        except InfraError as error:
            raise BackendError(error.status, error.message) from error
        return reply.body if reply.content is None else reply.content

    def infra_env(self, key: Key) -> InfraEnv | None:
        return next((item for item in self.core.state.infra_envs.values() if item.kube_key == key), None)

    def cluster(self, key: Key) -> Cluster | None:
        """By the ClusterDeployment's name."""
        return next((item for item in self.core.state.clusters.values() if item.kube_key == key), None)

    def host(self, host_id: str, namespace: str) -> Host | None:
        """By the Agent's name and namespace."""
        state = self.core.state
        found = ((item, state.hosts.get((item.id, host_id))) for item in state.infra_envs.values())
        return next(
            (
                host
                for item, host in found
                if host is not None and (host.kube_namespace or item.kube_key[0]) == namespace
            ),
            None,
        )

    def host_path(self, host: Host) -> str:
        return f"/v2/infra-envs/{host.infra_env_id}/hosts/{host.id}"

    def hosts_of(self, cluster: Cluster) -> list[Host]:
        return self.core.state.hosts_of(cluster.id)

    def url(self, path: str, **query: str) -> str:
        """An address of the service as objects show it."""
        text = "&".join(f"{name}={value}" for name, value in query.items() if value)
        return f"{self.core.settings.service_url}{BASE}{path}" + (f"?{text}" if text else "")
