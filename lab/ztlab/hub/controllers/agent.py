# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile Agents: apply the spec to the host in the assisted-service, and render the host's state in the status.

Source: openshift/assisted-service internal/controller/controllers/agent_controller.go.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...service.errors import ServiceError
from ...service.hosts import leave_cluster
from ...service.model import INSTALLING, NO_TIME, Cluster, Host
from ..agent_spec import AgentSpec
from ..agent_status import agent_status, inventory_labels, validations
from ..backend import Backend, BackendError
from ..client import Refused, merge_diff
from ..conditions import Condition, merge
from ..conditions.agent import HostFacts, host_conditions, not_synced, synced, unavailable
from ..controller import Retry
from ..day2 import Day2, remove_node
from ..names import (
    AGENT,
    AGENT_FINALIZER,
    BMH_LABEL,
    CLUSTER_DEPLOYMENT,
    CLUSTER_INSTALL,
    CLUSTER_NAMESPACE_LABEL,
    INFRA_ENV,
    INFRA_ENV_LABEL,
    INHERITED_LABELS,
    INVENTORY_LABEL,
    SKIP_SPOKE_CLEANUP,
    STATE_ANNOTATION,
    Key,
    Object,
    annotations_of,
    deleting,
    key_of,
    labels_of,
    owner,
)
from ..node_labels import inherited
from ..registration import bound_cluster
from ..restore import restore
from ..world import World

RETRY_SECONDS = 10.0
WAITING_FOR_UNBIND = "Waiting for host to unbind to do spoke cleanup"


class AgentController:
    def __init__(self, world: World, backend: Backend, day2: Day2) -> None:
        self._world, self._backend, self._day2 = world, backend, day2
        self._spec = AgentSpec(world, backend)

    async def reconcile(self, key: Key) -> float | None:
        """One Agent, in the order of 5.2."""
        agent = self._world.get(AGENT, key)
        if agent is None:
            return None
        if deleting(agent):
            return await self._delete(agent)
        if AGENT_FINALIZER not in (agent["metadata"].get("finalizers") or []):
            await self._world.add_finalizer(AGENT, agent, AGENT_FINALIZER)
            return 0.0
        host = self._host(agent)
        if host is None:
            return await self._missing(agent)
        agent = await self._cleanup(agent, host)
        agent = await self._repair(agent, host)
        again, condition = await self._sync(agent, host)
        agent = self._world.get(AGENT, key) or agent
        current = self._backend.host(key[1], key[0]) or host
        agent = await self._labels(agent, current)
        await self._show(agent, current, condition)
        sooner = await self._day2.follow(agent, current) if condition.status == "True" else None
        return min((seconds for seconds in (again, sooner) if seconds is not None), default=None)

    def _host(self, agent: Object) -> Host | None:
        namespace, name = key_of(agent)
        return self._backend.host(name, namespace)

    # hosts that the service lost

    async def _missing(self, agent: Object) -> float | None:
        """Raises Retry; a host id that is in use is shown, and the Agent stays."""
        try:
            restore(self._backend, agent, self._world.age(agent["metadata"]["creationTimestamp"]))
        except BackendError as error:
            await self._unavailable(agent, not_synced(str(error), backend=False))
            return None
        return 0.0

    async def _unavailable(self, agent: Object, spec_synced: Condition) -> None:
        status = dict(agent.get("status") or {})
        debug = {
            name: value for name, value in (status.get("debugInfo") or {}).items() if name not in ("state", "stateInfo")
        }
        status["debugInfo"] = debug
        status["conditions"] = merge(status.get("conditions"), [spec_synced, *unavailable()], self._world.now())
        await self._world.status(AGENT, agent, status)

    # object

    async def _cleanup(self, agent: Object, host: Host) -> Object:
        """After an unbind the Node of the host is removed from its cluster (cleanUnboundSpokeNode). Raises Retry."""
        pending = (agent.get("status") or {}).get("deprovision_info")
        if not pending or host.status in (
            "unbinding",
            "unbinding-pending-user-action",
            "reclaiming",
            "reclaiming-rebooting",
        ):
            return agent
        if SKIP_SPOKE_CLEANUP not in annotations_of(agent):
            where = pending.get("cluster_namespace", ""), pending.get("cluster_name", "")
            client = self._day2.client(where)
            try:
                if client is not None:  # without credentials there is nothing to clean
                    await remove_node(client, pending.get("node_name", ""))
            except Refused as error:
                await self._world.status(
                    AGENT, agent, {**agent["status"], "deprovision_info": {**pending, "message": str(error)}}
                )
                raise Retry(str(error)) from error
        return await self._world.status(
            AGENT, agent, {name: value for name, value in agent["status"].items() if name != "deprovision_info"}
        )

    async def _repair(self, agent: Object, host: Host) -> Object:
        """Owner, labels and the annotations that a lost database is restored from."""
        infra_env = self._backend.core.infra_env(host.infra_env_id)
        item = self._world.get(INFRA_ENV, infra_env.kube_key)
        owners = agent["metadata"].get("ownerReferences") or []
        if item is not None and not any(entry.get("uid") == item["metadata"]["uid"] for entry in owners):
            agent = await self._world.patch(AGENT, agent, {"metadata": {"ownerReferences": [owner(item, INFRA_ENV)]}})
        if item is not None:
            agent = await self._inherit(agent, item)
        provided = {
            "state": host.status,
            "role": host.role,
            "inventory": json.dumps(host.inventory, sort_keys=True) if host.inventory else None,
            "validations-info": json.dumps(validations(host.verdicts), sort_keys=True) if host.verdicts else None,
            "current-stage": host.progress.stage or None,
        }
        annotations = {f"{STATE_ANNOTATION}{name}": value for name, value in provided.items()}
        bound = bound_cluster(agent)
        labels = {INFRA_ENV_LABEL: infra_env.kube_key[1], CLUSTER_NAMESPACE_LABEL: bound[0] if bound else ""}
        return await self._world.metadata(AGENT, agent, labels=labels, annotations=annotations)

    async def _inherit(self, agent: Object, infra_env: Object) -> Object:
        """A conflict with another writer is retried by the controller."""
        labels, names = inherited(infra_env, agent)
        present = annotations_of(agent).get(INHERITED_LABELS, "")
        if labels == (agent["spec"].get("nodeLabels") or {}) and names == present:
            return agent
        change = merge_diff({"nodeLabels": agent["spec"].get("nodeLabels") or {}}, {"nodeLabels": labels})
        return await self._world.patch(
            AGENT, agent, {"metadata": {"annotations": {INHERITED_LABELS: names or None}}, "spec": change}, locked=True
        )

    async def _labels(self, agent: Object, host: Host) -> Object:
        if host.inventory is None:
            return agent
        return await self._world.metadata(
            AGENT, agent, labels=inventory_labels(host.inventory), annotations={f"{INVENTORY_LABEL}version": "0.1"}
        )

    # spec

    async def _sync(self, agent: Object, host: Host) -> tuple[float | None, Condition]:
        """Bind or unbind, then push the rest; when to try again, and SpecSynced."""
        try:
            if await self._binding(agent, host):
                return None, synced()
            agent = await self._approve(agent, host)
            await self._spec.push(agent, host)
        except BackendError as error:
            return (None if error.users else RETRY_SECONDS), not_synced(str(error), backend=not error.users)
        return None, synced()

    async def _binding(self, agent: Object, host: Host) -> bool:
        """Whether the host was bound or unbound now. Raises BackendError."""
        wanted = bound_cluster(agent)
        present = self._backend.core.cluster_of(host)
        if wanted is None:
            if present is None:
                return False
            await self._unbind(agent, host, present)
            return True
        deployment = self._world.get(CLUSTER_DEPLOYMENT, wanted)
        cluster = self._backend.cluster(wanted)
        if deployment is None:
            text = (
                f"failed to find clusterDeployment {wanted[1]} in namespace {wanted[0]}: "
                f'clusterdeployments.hive.openshift.io "{wanted[1]}" not found'
            )
            raise BackendError(500, text)
        if cluster is None:
            raise BackendError(
                500,
                (f"failed to find cluster of clusterDeployment {wanted[1]} in namespace {wanted[0]}: record not found"),
            )
        if present is cluster:
            return False
        if present is not None:
            await self._unbind(agent, host, present)
            return True
        if host.status in ("unbinding", "unbinding-pending-user-action", "reclaiming", "reclaiming-rebooting"):
            return False
        await self._backend.call("POST", f"{self._backend.host_path(host)}/actions/bind", {"cluster_id": cluster.id})
        return True

    async def _unbind(self, agent: Object, host: Host, cluster: Cluster) -> None:
        """Raises BackendError."""
        if not host.day2 and (host.status in INSTALLING or host.status == "preparing-successful"):
            raise BackendError(409, f"cancelling non-day-2 host {host.id} in the middle of installation is not allowed")
        joined = self._joined(agent, host)
        node = host.name
        infra_env = self._backend.core.infra_env(host.infra_env_id)
        if infra_env.cluster_id:
            raise BackendError(
                409,
                (f"Cannot unbind Host {host.id}. InfraEnv {infra_env.kube_key[1]} is bound to cluster {cluster.name}"),
            )
        reclaim = False
        if joined and BMH_LABEL not in labels_of(agent):
            reclaim = await self._day2.begin_reclaim(cluster.kube_key, host)
        try:
            leave_cluster(self._backend.core, host, reclaim=reclaim)
        except ServiceError as error:
            raise BackendError(error.status, error.reason) from error
        self._backend.core.event(
            "host_unbind_succeeded", (f"Host {host.name}: Successfully unbound from cluster {cluster.name}"), host=host
        )
        status = {name: value for name, value in (agent.get("status") or {}).items() if name != "csrStatus"}
        namespace, name = cluster.kube_key
        if name:
            status["deprovision_info"] = {
                "cluster_name": name,
                "cluster_namespace": namespace,
                "node_name": node,
                "message": WAITING_FOR_UNBIND,
            }
        await self._world.status(AGENT, agent, status)

    @staticmethod
    def _joined(agent: Object, host: Host) -> bool:
        return host.progress.stage == "Done" or bool(
            ((agent.get("status") or {}).get("csrStatus") or {}).get("approvedCSRs")
        )

    async def _approve(self, agent: Object, host: Host) -> Object:
        """The InfraEnv may approve every Agent; it never takes an approval back."""
        item = self._world.get(INFRA_ENV, self._backend.core.infra_env(host.infra_env_id).kube_key)
        wanted = ((item or {}).get("spec") or {}).get("agentApproval") or {}
        if wanted.get("autoApprove") and not agent["spec"].get("approved"):
            return await self._world.patch(AGENT, agent, {"spec": {"approved": True}})
        return agent

    # status

    async def _show(self, agent: Object, host: Host, spec_synced: Condition) -> None:
        cluster = self._backend.core.cluster_of(host)
        facts = HostFacts(host.status, host.status_info, host.approved, validations(host.verdicts))
        conditions: Sequence[Condition] = [spec_synced, *host_conditions(facts)]
        urls: dict[str, str] = {}
        if cluster is not None:
            token = self._backend.core.sign_infra_env(host.infra_env_id)
            known = ((agent.get("status") or {}).get("debugInfo") or {}).get("eventsURL", "")
            fresh = self._backend.url("/v2/events", host_id=host.id, api_key=token)
            # Every signature is another one: an address that is there stays.
            urls["eventsURL"] = known if known.partition("&api_key=")[0] == fresh.partition("&api_key=")[0] else fresh
            if host.logs_collected_at != NO_TIME:
                urls["logsURL"] = self._backend.url(
                    f"/v2/clusters/{cluster.id}/logs", host_id=host.id, logs_type="host"
                )
        await self._world.status(
            AGENT, agent, agent_status(agent.get("status") or {}, host, cluster, conditions, self._world.now(), urls)
        )

    # deletion

    async def _delete(self, agent: Object) -> float | None:
        if AGENT_FINALIZER not in (agent["metadata"].get("finalizers") or []):
            return None
        host = self._host(agent)
        try:
            await self._leave_spoke(agent, host)
            if host is not None:
                await self._backend.call("DELETE", self._backend.host_path(host))
        except (BackendError, LookupError, Refused) as error:
            status = dict(agent.get("status") or {})
            condition = Condition("Cleanup", "False", "CleanupFailed", str(error))
            status["conditions"] = merge(status.get("conditions"), [condition], self._world.now())
            await self._world.status(AGENT, agent, status)
            return RETRY_SECONDS
        await self._world.drop_finalizer(AGENT, agent, AGENT_FINALIZER)
        return None

    async def _leave_spoke(self, agent: Object, host: Host | None) -> None:
        """A node that joined leaves its cluster, unless that is deleted as well. Raises LookupError, Refused."""
        bound = bound_cluster(agent)
        if (
            host is None
            or bound is None
            or not self._joined(agent, host)
            or SKIP_SPOKE_CLEANUP in annotations_of(agent)
        ):
            return
        infra_env = self._world.get(INFRA_ENV, self._backend.core.infra_env(host.infra_env_id).kube_key)
        deployment = self._world.get(CLUSTER_DEPLOYMENT, bound)
        name = (((deployment or {}).get("spec") or {}).get("clusterInstallRef") or {}).get("name", "")
        install = self._world.get(CLUSTER_INSTALL, (bound[0], name))
        if any(item is None or deleting(item) for item in (infra_env, deployment, install)):
            return
        client = self._day2.client(bound)
        if client is None:
            raise LookupError(f"failed to get the kubeconfig of cluster {bound[0]}/{bound[1]}")
        await remove_node(client, host.name)
