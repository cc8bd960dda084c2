# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Hold the data of one call of module ``assisted_deployment``: its options, the desired state, and the cluster and
hosts as they were observed at the service.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from ...assisted.rest.client import Document
from ...assisted.rest.connection import connect, settings
from ...assisted.rest.service import AssistedService
from ...cluster.spec import Deployment
from ...common.connect import ConnectTo
from ...common.opened import Opened
from ...common.problems import Problem
from ..agent.configure import Input, read_input
from ..described import described
from ..state.work_dir import WorkDir, hosts_of_deployment, identity
from ..supervise.observation import InventoryHost
from .credentials import plan_credentials, write_credentials
from .desired import DesiredDeployment, read_desired_deployment
from .find import Found, Known, find
from .observer import AssistedObserver

Purpose = Literal["install", "add"]


@dataclasses.dataclass(frozen=True)
class AssistedRequest:
    """The module's options about the deployment. ``names`` are the selected hosts; empty: all."""

    provided: Input
    work_dir: WorkDir
    purpose: Purpose = "install"
    infra_env: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    host_options: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    names: Sequence[str] = ()
    cluster_id: str = ""
    publish: bool = False
    force: frozenset[str] = frozenset()

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> AssistedRequest:
        work_dir = WorkDir(Path(params["work_dir"]).absolute())
        return cls(
            provided=described(params, work_dir.config),
            work_dir=work_dir,
            purpose=params["purpose"],
            infra_env=params["infra_env"],
            host_options=params["host_options"],
            names=params["names"],
            cluster_id=params["cluster_id"] or "",
            publish=params["image"] == "publish",
            force=frozenset(params["force"]),
        )


class DeploymentSession:
    """One call of the module: the request, the service, and the observed objects of this deployment."""

    def __init__(
        self, request: AssistedRequest, call: Opened, deployment: Deployment, service: AssistedService
    ) -> None:
        self.request, self.call, self.deployment, self.service = request, call, deployment, service
        self.work_dir = request.work_dir
        self.desired: DesiredDeployment = read_desired_deployment(
            deployment, request.infra_env, request.host_options, request.names
        )
        call.add_secrets(self.desired.secrets)
        hosts = hosts_of_deployment(deployment)
        chosen = {requested.name for requested in self.desired.hosts}
        self.hosts: tuple[InventoryHost, ...] = tuple(host for host in hosts if host.name in chosen)
        self.known = Known.of(self.work_dir)
        self.found: Found = find(service, self.known, deployment.cluster.name, request.cluster_id)
        self.connect_to = ConnectTo.of(call.params["connect_to"])
        self.ca_cert = str(call.params["ca_cert"] or "")
        self.service_url = str(settings(call.params, os.environ)["service_url"]).rstrip("/")

    @property
    def name(self) -> str:
        return self.deployment.cluster.name

    @property
    def elsewhere(self) -> str:
        """Where the service is, for people."""
        return urlsplit(self.service_url).netloc

    def observer(self) -> AssistedObserver:
        who = identity({}, self.deployment)
        return AssistedObserver(
            self.service, self.found.cluster_id, self.work_dir, who, connect_to=self.connect_to, ca_cert=self.ca_cert
        )

    def fetch_credentials(self, cluster: Document) -> list[str]:
        """Bring home what the service has by now; a line for each file."""
        credentials = plan_credentials(self.service, self.work_dir, cluster)
        self.call.add_secrets(credentials.secrets())
        if not self.call.check_mode:
            write_credentials(credentials, self.work_dir, cluster)
        return [f"write {path}" for path in credentials.files]


def open_session(request: AssistedRequest, call: Opened) -> tuple[DeploymentSession, tuple[Problem, ...]]:
    """The session, and the warnings about its input.

    Raises :class:`InvalidInput` with every problem before the service is asked.
    """
    read, problems = read_input(request.provided, tell_secrets=call.add_secrets)
    # BMC modules and Nodes know hosts by hostname.
    deployment = dataclasses.replace(
        read, hosts=tuple(dataclasses.replace(host, name=host.hostname or host.name) for host in read.hosts)
    )
    read_desired_deployment(deployment, request.infra_env, request.host_options, request.names)
    for problem in problems:
        call.warn(problem.text())
    service = connect(call.params, call.clock, call.check_mode, learnt=call.add_secrets)
    return DeploymentSession(request, call, deployment, service), problems
