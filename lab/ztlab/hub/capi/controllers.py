# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Start the controllers of Cluster API on one hub, and map changes of objects to reconcile requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...site.model import HubSite
from ..client import Refused
from ..controller import Controller
from ..names import AGENT, NAMESPACE, SECRET, Key, Kind, Object, annotations_of, key_of
from ..spoke import Spokes
from ..world import World
from .cluster import ClusterController
from .health_check import HealthCheckController
from .kinds import (
    AGENT_CLUSTER,
    AGENT_MACHINE,
    AGENT_MACHINE_NAMESPACE,
    CORE,
    DEFINITION,
    DEPLOYMENT,
    CoreKinds,
)
from .machine import MachineController
from .machine_deployment import MachineDeploymentController
from .machine_set import MachineSetController
from .nodes import Nodes
from .provider import instances
from .provider.agent_cluster import AgentClusterController
from .provider.agent_machine import AgentMachineController
from .provider.instances import Instances
from .provider.node_provider_id import NodeProviderIdController
from .provider.selection import valid
from .shape import controller_of, reference_target

Keys = Callable[[Object], Iterable[Key]]
On = Callable[[Kind, Controller, Keys], None]


def kinds(core: CoreKinds) -> tuple[Kind, ...]:
    """What a world must watch for these controllers."""
    own = (core.cluster, core.machine, core.machine_set, core.machine_deployment, core.health_check)
    return (*own, *core.of_providers, DEPLOYMENT, DEFINITION)


class ClusterApiCore:
    """Cluster, MachineDeployment, MachineSet, Machine and MachineHealthCheck."""

    def __init__(self, world: World, core: CoreKinds, spokes: Spokes) -> None:
        self._world = world
        self.core = core
        self.nodes = nodes = Nodes(world, spokes)
        clock = world.clock
        self.clusters = Controller("cluster", clock, ClusterController(world, core, nodes).reconcile)
        self.machines = Controller("machine", clock, MachineController(world, core, nodes).reconcile, parallel=16)
        self.sets = Controller("machineset", clock, MachineSetController(world, core).reconcile)
        self.deployments = Controller("machinedeployment", clock, MachineDeploymentController(world, core).reconcile)
        self.health = Controller("machinehealthcheck", clock, HealthCheckController(world, core, nodes).reconcile)
        self.controllers = [self.clusters, self.machines, self.sets, self.deployments, self.health]
        nodes.changed = self._node_changed

    def wire(self, on: On) -> None:
        """``on(kind, controller, keys)``: a change of an object wakes the keys that it leads to."""
        core = self.core
        for kind, controller in (
            (core.cluster, self.clusters),
            (core.machine, self.machines),
            (core.machine_set, self.sets),
        ):
            on(kind, controller, lambda item: [key_of(item)])
        on(core.machine_deployment, self.deployments, lambda item: [key_of(item)])
        on(core.health_check, self.health, lambda item: [key_of(item)])
        on(
            core.machine,
            self.health,
            lambda item: [key_of(found) for found in self._world.all(core.health_check, key_of(item)[0])],
        )
        on(core.cluster, self.machines, lambda item: self._of_cluster(core.machine, item))
        on(core.cluster, self.sets, lambda item: self._of_cluster(core.machine_set, item))
        on(core.cluster, self.deployments, lambda item: self._of_cluster(core.machine_deployment, item))
        for kind in (core.machine, core.machine_set, core.machine_deployment):
            on(kind, self.clusters, lambda item: [(key_of(item)[0], item["spec"].get("clusterName", ""))])
        on(core.machine, self.sets, lambda item: self._owner(item, "MachineSet"))
        on(core.machine_set, self.deployments, lambda item: self._owner(item, "MachineDeployment"))
        for templates in (core.machine_templates, core.config_templates):
            for template, one in templates.items():
                on(template, self.sets, self._sets_of_template)
                on(one, self.machines, self._machines_that_refer)
        for kind in (*core.infrastructure_clusters, *core.control_planes):
            on(kind, self.clusters, self._clusters_that_refer)
        on(SECRET, self.machines, self._machines_of_kubeconfig)
        made = (*core.machine_templates.values(), *core.config_templates.values())
        on(DEFINITION, self.machines, lambda item: self._all_of(item, made, core.machine))
        on(DEFINITION, self.clusters, lambda item: self._all_of(item, core.infrastructure_clusters, core.cluster))

    # who is concerned

    def _all_of(self, definition: Object, about: Iterable[Kind], kind: Kind) -> list[Key]:
        """A definition that promises another contract concerns all objects that refer to its kind."""
        names = {f"{entry.plural}.{entry.group}" for entry in about}
        return [key_of(item) for item in self._world.all(kind)] if definition["metadata"]["name"] in names else []

    def _of_cluster(self, kind: Kind, cluster: Object) -> list[Key]:
        namespace, name = key_of(cluster)
        return [key_of(item) for item in self._world.all(kind, namespace) if item["spec"].get("clusterName") == name]

    @staticmethod
    def _owner(item: Object, kind: str) -> list[Key]:
        found = controller_of(item)
        return [(key_of(item)[0], str(found["name"]))] if found.get("kind") == kind else []

    def _sets_of_template(self, template: Object) -> list[Key]:
        namespace, name = key_of(template)
        found = []
        for item in self._world.all(self.core.machine_set, namespace):
            spec = item["spec"]["template"]["spec"]
            references = (spec.get("infrastructureRef"), (spec.get("bootstrap") or {}).get("configRef"))
            targets = [reference_target(reference, namespace) for reference in references]
            if any(target is not None and target[2][1] == name for target in targets):
                found.append(key_of(item))
        return found

    def _machines_that_refer(self, item: Object) -> list[Key]:
        """The Machine has its name, unless a user created both manually."""
        namespace, name = key_of(item)
        found = []
        for machine in self._world.all(self.core.machine, namespace):
            references = (
                machine["spec"].get("infrastructureRef"),
                (machine["spec"].get("bootstrap") or {}).get("configRef"),
            )
            targets = [reference_target(reference, namespace) for reference in references]
            if any(target is not None and target[1:] == (item["kind"], (namespace, name)) for target in targets):
                found.append(key_of(machine))
        return found

    def _clusters_that_refer(self, item: Object) -> list[Key]:
        namespace, name = key_of(item)
        found = []
        for cluster in self._world.all(self.core.cluster, namespace):
            targets = [
                reference_target(cluster["spec"].get(member), namespace)
                for member in ("infrastructureRef", "controlPlaneRef")
            ]
            if any(target is not None and target[1:] == (item["kind"], (namespace, name)) for target in targets):
                found.append(key_of(cluster))
        return found

    def _machines_of_kubeconfig(self, secret: Object) -> list[Key]:
        namespace, name = key_of(secret)
        cluster = self._world.get(self.core.cluster, (namespace, name.removesuffix("-kubeconfig")))
        return (
            self._of_cluster(self.core.machine, cluster) if cluster is not None and name.endswith("-kubeconfig") else []
        )

    def _node_changed(self, cluster: Key, node: Object) -> None:
        """A Node wakes the Machine whose provider id it has, or whose Node it was."""
        provider_id, name = (node.get("spec") or {}).get("providerID"), (node.get("metadata") or {}).get("name")
        for machine in self._world.all(self.core.machine, cluster[0]):
            named = ((machine.get("status") or {}).get("nodeRef") or {}).get("name")
            if machine["spec"].get("clusterName") == cluster[1] and (
                named == name or (provider_id and machine["spec"].get("providerID") == provider_id)
            ):
                self.machines.notify(key_of(machine))
        for item in self._world.all(self.core.health_check, cluster[0]):
            self.health.notify(key_of(item))

    async def stop(self) -> None:
        await self.nodes.stop()


class AgentProvider:
    """The provider as upstream's behaves. ``own``: it has a Deployment of its own; else it is where others put one."""

    def __init__(self, world: World, core: CoreKinds, spokes: Spokes, *, own: bool) -> None:
        self._world, self._own = world, own
        self.core = core
        clock = world.clock
        self.instances = running = Instances(world)
        self.deployments = Controller("agent provider", clock, running.reconcile, parallel=1)
        self.clusters = Controller("agentcluster", clock, AgentClusterController(world, core, running).reconcile)
        # One worker for each, as upstream: two machines never look for an Agent at once.
        self.machines = Controller(
            "agentmachine", clock, AgentMachineController(world, core, running).reconcile, parallel=1
        )
        self.provider_ids = Controller(
            "node provider id", clock, NodeProviderIdController(world, spokes, running).reconcile, parallel=1
        )
        self.controllers = [self.deployments, self.clusters, self.machines, self.provider_ids]

    def wire(self, on: On) -> None:
        """Clusters, ClusterDeployments, Secrets and AgentClusters wake no AgentMachine: upstream does not watch
        them.
        """
        on(DEPLOYMENT, self.deployments, lambda item: [key_of(item)])
        on(AGENT_CLUSTER, self.clusters, lambda item: [key_of(item)])
        on(AGENT_MACHINE, self.machines, lambda item: [key_of(item)])
        on(AGENT_MACHINE, self.provider_ids, lambda item: [key_of(item)])
        on(self.core.machine, self.machines, self._of_machine)
        on(AGENT, self.machines, self._of_agent)
        on(DEPLOYMENT, self.clusters, lambda item: self._all(AGENT_CLUSTER, item))
        on(DEPLOYMENT, self.machines, lambda item: self._all(AGENT_MACHINE, item))
        on(DEPLOYMENT, self.provider_ids, lambda item: self._all(AGENT_MACHINE, item))

    async def install(self) -> None:
        """Put the own Deployment there."""
        if not self._own:
            return
        for kind, body in (
            (NAMESPACE, {"metadata": {"name": instances.NAMESPACE}}),
            (DEPLOYMENT, instances.own_deployment()),
        ):
            try:
                await self._world.create(kind, body)
            except Refused as error:
                if error.reason != "AlreadyExists":
                    raise

    def _all(self, kind: Kind, deployment: Object) -> list[Key]:
        """A provider that starts looks at everything once."""
        started = instances.scope_of(deployment) is not None and not (deployment.get("status") or {}).get(
            "readyReplicas"
        )
        return [key_of(item) for item in self._world.all(kind)] if started else []

    def _of_machine(self, machine: Object) -> list[Key]:
        namespace, name = key_of(machine)
        for item in self._world.all(AGENT_MACHINE, namespace):
            for entry in item["metadata"].get("ownerReferences") or []:
                if (entry["kind"], entry["name"]) == ("Machine", name) and entry["apiVersion"].startswith(f"{CORE}/"):
                    return [key_of(item)]
        return []

    def _of_agent(self, agent: Object) -> list[Key]:
        """The one that has it; for one that is free and will do, all that wait."""
        namespace = annotations_of(agent).get(AGENT_MACHINE_NAMESPACE)
        reference = {"name": agent["metadata"]["name"], "namespace": agent["metadata"]["namespace"]}
        if namespace is not None:
            return [
                key_of(item)
                for item in self._world.all(AGENT_MACHINE, namespace)
                if (item.get("status") or {}).get("agentRef") == reference
            ][:1]
        if not valid(agent):
            return []
        return [
            key_of(item) for item in self._world.all(AGENT_MACHINE) if not (item.get("status") or {}).get("agentRef")
        ]


class ClusterApi:
    """All of it, as a site wants it.

    ``controllers`` are to be run, ``wire`` is to be called before that, ``install`` once the API can be written to.
    """

    def __init__(self, world: World, spokes: Spokes, site: HubSite) -> None:
        if site.cluster_api is None:
            raise ValueError("the hub has no Cluster API")
        core = CoreKinds.of(site.cluster_api)
        self.core = ClusterApiCore(world, core, spokes)
        upstream = site.cluster_api.provider == "upstream"
        self.provider = AgentProvider(world, core, spokes, own=not site.hypershift) if upstream else None
        self.controllers = [*self.core.controllers, *(self.provider.controllers if self.provider is not None else [])]

    def wire(self, on: On) -> None:
        """``on(kind, controller, keys)``: a change of an object wakes the keys that it leads to."""
        self.core.wire(on)
        if self.provider is not None:
            self.provider.wire(on)

    async def install(self) -> None:
        """What such a hub has from the beginning."""
        if self.provider is not None:
            await self.provider.install()

    async def stop(self) -> None:
        await self.core.stop()
