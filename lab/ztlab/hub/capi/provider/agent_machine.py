# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile AgentMachines: find an Agent, claim and bind it, and report its progress in the AgentMachine.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go.
"""

from __future__ import annotations

import copy
from typing import Any

from ...client import Refused
from ...conditions import Condition
from ...names import AGENT, BACKUP_LABELS, Key, Object, deleting, labels_of
from ...world import World
from ..conditions import new_form
from ..kinds import AGENT_CLUSTER, AGENT_MACHINE, AGENT_MACHINE_REF, CLUSTER_NAME, CoreKinds
from ..shape import reference_target
from . import selection
from .agent_cluster import is_paused, owner_of
from .bootstrap import Failure, bootstrap
from .hook import Hook, drop_finalizer
from .instances import Instances, Scope
from .machine_conditions import of_agent, without_agent
from .persist import persist


class AgentMachineController:
    def __init__(self, world: World, core: CoreKinds, instances: Instances) -> None:
        self._world, self._core, self._instances = world, core, instances
        self._hook = Hook(world, core)

    async def reconcile(self, key: Key) -> float | None:
        before = self._world.get(AGENT_MACHINE, key)
        scope = self._instances.scope(key[0])
        if before is None or scope is None:
            return None
        item = copy.deepcopy(before)
        try:
            return await self._pass(item, scope)
        finally:
            await persist(self._world, AGENT_MACHINE, before, item)

    async def _pass(self, item: Object, scope: Scope) -> float | None:
        """The steps of 5.1; changes are made in ``item`` and stored whatever comes of the pass."""
        reference = owner_of(item, "Machine")
        if reference is None:
            await self._show(item, None, "")
            return None
        namespace = item["metadata"]["namespace"]
        machine = self._world.get(self._core.machine, (namespace, reference["name"]))
        if machine is None:
            if deleting(item):
                drop_finalizer(item)
            raise Failure(f'machines.cluster.x-k8s.io "{reference["name"]}" not found')
        stop, again = await self._hook.handle(item, machine)
        if stop or is_paused(item):
            return again
        item["metadata"]["labels"] = {**BACKUP_LABELS, **labels_of(item)}
        boot = await bootstrap(self._world, machine)
        status = item.setdefault("status", {})
        if status.get("ready"):
            return None
        cluster = await self._agent_cluster(machine)
        deployment = (cluster.get("status") or {}).get("clusterDeploymentReference") or {}
        if not deployment.get("name"):
            await self._show(
                item, None, (f"no cluster deployment reference on agentCluster {cluster['metadata']['name']}")
            )
            return None
        if not status.get("agentRef") and not await self._reserve(item, scope, deployment, boot):
            return None
        problem = await self._refresh(status["agentRef"], boot)
        await self._show(item, status["agentRef"], problem)
        return None

    async def _agent_cluster(self, machine: Object) -> Object:
        """Raises Failure."""
        name, namespace = labels_of(machine).get(CLUSTER_NAME), machine["metadata"]["namespace"]
        if not name:
            raise Failure("machine is missing cluster label")
        cluster = self._world.get(self._core.cluster, (namespace, name))
        target = reference_target(((cluster or {}).get("spec") or {}).get("infrastructureRef"), namespace)
        item = self._world.get(AGENT_CLUSTER, (namespace, target[2][1])) if target is not None else None
        if item is None:
            raise Failure(f"the AgentCluster of cluster {name} was not found")
        return item

    # the Agent

    async def _agents(self, scope: Scope) -> list[Object]:
        """In the order in which the API lists them."""
        return (await self._world.client.list(AGENT, scope.agents))[0]

    async def _reserve(self, item: Object, scope: Scope, cluster: dict[str, Any], boot: dict[str, Any]) -> bool:
        """Find and claim; False when there was none, which the status says."""
        try:
            agents = await self._agents(scope)
            agent = selection.mine(item, agents) or await self._claim(
                item, selection.candidates(item, agents), cluster, boot
            )
        except (Refused, selection.InvalidSelector) as error:
            await self._show(item, None, str(error))
            return False
        if agent is None:
            await self._show(item, None, "")
            return False
        metadata = agent["metadata"]
        item["spec"]["providerID"] = f"agent://{metadata['name']}"
        item["status"] |= {
            "agentRef": {"name": metadata["name"], "namespace": metadata["namespace"]},
            "addresses": selection.addresses(agent),
        }
        return True

    async def _claim(
        self, item: Object, agents: list[Object], cluster: dict[str, Any], boot: dict[str, Any]
    ) -> Object | None:
        """The first that was not taken meanwhile."""
        for agent in agents:
            try:
                return await self._world.replace(AGENT, selection.claimed(agent, item, cluster, boot))
            except Refused:
                continue
        return None

    async def _refresh(self, reference: dict[str, str], boot: dict[str, Any]) -> str:
        """The three members of the bootstrap data, again for every approved Agent; the problem, if there is one."""
        try:
            agent = await self._world.client.get(AGENT, reference["name"], reference["namespace"])
            if agent is None:
                return f'agents.agent-install.openshift.io "{reference["name"]}" not found'
            differs = any(boot.get(name) and agent["spec"].get(name) != boot[name] for name in selection.BOOT)
            if differs or agent["spec"].get("approved"):
                await self._world.replace(AGENT, selection.with_boot(agent, boot))
        except Refused as error:
            return str(error)
        return ""

    # status

    async def _show(self, item: Object, reference: dict[str, str] | None, problem: str) -> None:
        """Conditions and ready.

        With a reserved Agent a problem of the pass is not reported. Raises Failure for an Agent that is gone.
        """
        status = item.setdefault("status", {})
        if reference is None:
            self._set(item, without_agent(problem))
            return
        agent = await self._world.client.get(AGENT, reference["name"], reference["namespace"])
        if agent is None:
            raise Failure(f'agents.agent-install.openshift.io "{reference["name"]}" not found')
        name = item["metadata"]["name"]
        if labels_of(agent).get(AGENT_MACHINE_REF) != name:
            await self._world.patch(AGENT, agent, {"metadata": {"labels": {AGENT_MACHINE_REF: name}}})
        conditions = of_agent(agent)
        self._set(item, conditions)
        if conditions[0].status == "True":
            status["ready"] = True

    def _set(self, item: Object, wanted: list[Condition]) -> None:
        status = item["status"]
        generation = int(item["metadata"].get("generation") or 1)
        status["conditions"] = new_form(status.get("conditions") or [], wanted, self._world.now(), generation)
