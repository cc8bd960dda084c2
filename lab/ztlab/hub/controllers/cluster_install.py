# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile AgentClusterInstalls: report a missing ClusterDeployment, and handle deletion. :mod:`.cluster` does the
rest.

Source: openshift/assisted-service internal/controller/controllers/agentclusterinstall_controller.go.
"""

from __future__ import annotations

from ...service import machine_host
from ...service.errors import ServiceError
from ...service.hosts import leave_cluster
from ...service.model import Cluster
from ..backend import Backend, BackendError
from ..conditions import merge
from ..conditions.cluster import not_synced, unavailable
from ..names import (
    AGENT,
    CLUSTER_DEPLOYMENT,
    CLUSTER_INSTALL,
    CLUSTER_INSTALL_FINALIZER,
    INFRA_ENV,
    INFRA_ENV_LABEL,
    Key,
    Object,
    deleting,
    key_of,
    labels_of,
)
from ..registration import bound_cluster
from ..world import World

RETRY_SECONDS = 10.0


class ClusterInstallController:
    """Keys are AgentClusterInstalls."""

    def __init__(self, world: World, backend: Backend) -> None:
        self._world, self._backend = world, backend

    async def reconcile(self, key: Key) -> float | None:
        install = self._world.get(CLUSTER_INSTALL, key)
        if install is None:
            return None
        where = key[0], (install["spec"].get("clusterDeploymentRef") or {}).get("name", "")
        if deleting(install):
            return await self._delete(install, where)
        if self._world.get(CLUSTER_DEPLOYMENT, where) is None:
            text = (
                f"ClusterDeployment with name '{where[1]}' in namespace '{where[0]}' not found. Ensure that the CRD "
                "is already applied."
            )
            status = dict(install.get("status") or {})
            status["conditions"] = merge(
                status.get("conditions"),
                [not_synced(text, backend=False), *unavailable()],
                self._world.now(),
                probed=True,
            )
            status["debugInfo"] = {}
            await self._world.status(CLUSTER_INSTALL, install, status)
        return None

    async def _delete(self, install: Object, where: Key) -> float | None:
        """Cancel what runs, let the Agents go, deregister."""
        if CLUSTER_INSTALL_FINALIZER not in (install["metadata"].get("finalizers") or []):
            return None
        cluster = self._backend.cluster(where)
        if cluster is not None:
            await self._cancel(cluster)
        await self._release_agents(where)
        if cluster is not None:
            try:
                await self._deregister(cluster)
            except BackendError:
                return RETRY_SECONDS
        await self._world.drop_finalizer(CLUSTER_INSTALL, install, CLUSTER_INSTALL_FINALIZER)
        return None

    async def _cancel(self, cluster: Cluster) -> None:
        if cluster.status in (
            "preparing-for-installation",
            "installing",
            "installing-pending-user-action",
            "finalizing",
            "error",
        ):
            await self._backend.call("POST", f"/v2/clusters/{cluster.id}/actions/cancel")
            for host in self._backend.hosts_of(cluster):
                machine_host.refresh(self._backend.core, host)

    async def _release_agents(self, where: Key) -> None:
        """Agents that came for this cluster go with it; the others are free again."""
        deployment = self._world.get(CLUSTER_DEPLOYMENT, where)
        preserve = bool(((deployment or {}).get("spec") or {}).get("preserveOnDelete"))
        for agent in self._world.all(AGENT):
            if bound_cluster(agent) != where:
                continue
            infra_env = self._world.get(INFRA_ENV, (key_of(agent)[0], labels_of(agent).get(INFRA_ENV_LABEL, "")))
            reference = ((infra_env or {}).get("spec") or {}).get("clusterRef") or {}
            early = (reference.get("namespace"), reference.get("name")) == where
            if early or (preserve and not reference):
                await self._world.delete(AGENT, agent)
            else:
                await self._world.patch(AGENT, agent, {"spec": {"clusterDeploymentName": None}})

    async def _deregister(self, cluster: Cluster) -> None:
        """Raises BackendError. Hosts that are still bound leave first: they outlive the cluster."""
        core = self._backend.core
        for host in self._backend.hosts_of(cluster):
            infra_env = core.state.infra_envs.get(host.infra_env_id)
            if infra_env is not None and infra_env.cluster_id == cluster.id:
                continue
            try:
                leave_cluster(core, host, reclaim=False)
            except ServiceError as error:
                raise BackendError(error.status, error.reason) from error
        await self._backend.call("DELETE", f"/v2/clusters/{cluster.id}")
