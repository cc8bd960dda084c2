# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read from the hub the objects that planning needs in addition to the Agents: the clusters that hosts are bound to,
InfraEnvs, and Agents of other namespaces. Each object is read only if the requested hosts need it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from ...common.errors import RemoteError
from ...common.problems import FORBIDDEN, Problem
from ...kube.client import KubeClient
from ..kinds import AGENT, AGENT_CLUSTER_INSTALL, CLUSTER_DEPLOYMENT, INFRA_ENV
from .change import AgentSurroundings
from .clusters import ClusterFacts, InfraEnvFacts, install_of, read_cluster, read_infra_env
from .model import BOUND_NAMESPACE_LABEL, Agent, ClusterRef, read_agent
from .problems import problem
from .request import AgentHostRequest


@dataclasses.dataclass
class Lookup:
    """Reads the surroundings of requests in one namespace: each object once, clusters again at each call."""

    client: KubeClient
    namespace: str
    requests: Sequence[AgentHostRequest]
    problems: list[Problem] = dataclasses.field(default_factory=list)
    bound_elsewhere: list[Agent] = dataclasses.field(default_factory=list)
    _infra_envs: dict[str, InfraEnvFacts] | None = None
    looked: bool = False

    def surroundings(self) -> AgentSurroundings:
        """The present state. What may not be read becomes a warning, or for a cluster the obstacle to binding to it."""
        targets = sorted(
            {request.cluster for request in self.requests if request.action == "bind" and request.cluster is not None}
        )
        clusters = {ref: self._cluster(ref) for ref in targets}
        if not self.looked:
            self.looked = True
            self._look_once([facts.ref.namespace for facts in clusters.values() if facts.required is not None])
        return AgentSurroundings(clusters, self._infra_envs)

    def _look_once(self, counted: Iterable[str]) -> None:
        for namespace in sorted(set(counted)):
            self._bound_to(namespace)
        if any(request.action in ("bind", "unbind") or request.approved is False for request in self.requests):
            self._read_infra_envs()

    def _cluster(self, ref: ClusterRef) -> ClusterFacts:
        try:
            deployment = self.client.find(CLUSTER_DEPLOYMENT.path(ref.namespace, ref.name))
            name = install_of(deployment) if deployment is not None else ""
            install = self.client.find(AGENT_CLUSTER_INSTALL.path(ref.namespace, name)) if name else None
        except RemoteError as error:
            if error.status != 403:
                raise
            return ClusterFacts(ref, obstacle=f"what cluster {ref} needs cannot be read. {error}")
        return read_cluster(ref, deployment, install)

    def _bound_to(self, namespace: str) -> None:
        selector = f"{BOUND_NAMESPACE_LABEL}={namespace}"
        try:
            found = self.client.list(AGENT.path(), label_selector=selector)
        except RemoteError as error:
            if error.status != 403:
                raise
            detail = f"Agents of other namespaces that are bound in {namespace} cannot be counted. {error}"
            self.problems.append(problem(f"cluster {namespace}", FORBIDDEN, detail, severity="warning"))
            found = self.client.list(AGENT.path(self.namespace), label_selector=selector)
        self.bound_elsewhere += [read_agent(item) for item in found]

    def _read_infra_envs(self) -> None:
        try:
            self._infra_envs = {
                facts.name: facts for facts in map(read_infra_env, self.client.list(INFRA_ENV.path(self.namespace)))
            }
        except RemoteError as error:
            if error.status != 403:
                raise
            detail = f"whether hosts are bound early cannot be seen. {error}"
            self.problems.append(problem(f"InfraEnvs of {self.namespace}", FORBIDDEN, detail, severity="warning"))
