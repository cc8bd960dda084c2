# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Start all controllers of the hub, and map changes of objects to reconcile requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import aiohttp

from ..machine.disk_image import DiskWriter
from ..service.model import Cluster, Host, InfraEnv
from .backend import Backend
from .bmac_agent import find_agent
from .capi.assisted.wiring import OpenshiftAssisted
from .capi.controllers import ClusterApi
from .capi.metal3.wiring import Metal3
from .controller import Controller
from .controllers.agent import AgentController
from .controllers.bare_metal_host import BareMetalHostController
from .controllers.bmac import BmacController
from .controllers.classification import ClassificationController
from .controllers.cluster import ClusterController
from .controllers.cluster_install import ClusterInstallController
from .controllers.hive import HiveController
from .controllers.infra_env import InfraEnvController
from .controllers.preprovisioning import PreprovisioningController
from .day2 import Day2
from .hypershift.controllers import Hypershift
from .names import (
    AGENT,
    AGENT_CLASSIFICATION,
    BARE_METAL_HOST,
    CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET,
    CLUSTER_INSTALL,
    CONFIG_MAP,
    INFRA_ENV,
    INFRA_ENV_LABEL,
    NMSTATE_CONFIG,
    PREPROVISIONING_IMAGE,
    SECRET,
    Key,
    Kind,
    Object,
    key_of,
    labels_of,
)
from .registration import Registration, bound_cluster
from .spoke import Spokes
from .world import World

if TYPE_CHECKING:
    from ..lab import Lab

Keys = Callable[[Object], Iterable[Key]]


class Operators:
    """Infrastructure Operator, a subset of Hive, baremetal-operator, where the site says so HyperShift: started and
    stopped together.
    """

    def __init__(
        self,
        world: World,
        backend: Backend,
        spokes: Spokes,
        lab: Lab,
        session: Callable[[], aiohttp.ClientSession],
        *,
        converged: bool = False,
    ) -> None:
        self.world, self.backend = world, backend
        self._tasks: list[asyncio.Task[None]] = []
        clock = world.clock
        self.infra_envs = Controller("infraenv", clock, InfraEnvController(world, backend).reconcile)
        self.agents = Controller(
            "agent", clock, AgentController(world, backend, Day2(world, backend, spokes)).reconcile, parallel=16
        )
        releases = dict(lab.site.releases)
        self.clusters = Controller("clusterdeployment", clock, ClusterController(world, backend, releases).reconcile)
        self.installs = Controller("agentclusterinstall", clock, ClusterInstallController(world, backend).reconcile)
        self.hive = Controller("hive", clock, HiveController(world, backend).reconcile)
        hosts = BareMetalHostController(
            world, session, lab.fabric.redirect, converged=converged, write_disk=DiskWriter(lab).write
        )
        self.bare_metal = Controller("baremetalhost", clock, hosts.reconcile)
        self.bmac = Controller("bmac", clock, BmacController(world, converged=converged).reconcile)
        self.images = Controller("preprovisioningimage", clock, PreprovisioningController(world).reconcile)
        self.classifications = Controller(
            "agentclassification", clock, ClassificationController(world).reconcile, parallel=1
        )
        self.controllers = [
            self.infra_envs,
            self.agents,
            self.clusters,
            self.installs,
            self.hive,
            self.bare_metal,
            self.bmac,
            self.images,
            self.classifications,
        ]
        self._wire()
        site = lab.site.hub
        self.cluster_api = (
            ClusterApi(world, spokes, site) if site is not None and site.cluster_api is not None else None
        )
        if self.cluster_api is not None:
            self.cluster_api.wire(self._on)
            self.controllers += self.cluster_api.controllers
        if self.cluster_api is not None and (core := self.cluster_api.core.core).openshift_assisted == "v1alpha3":
            assisted = OpenshiftAssisted(
                world, core, releases, session, lab.fabric.redirect, self.cluster_api.core.nodes
            )
            assisted.wire(self._on)
            self.controllers += assisted.controllers
        if self.cluster_api is not None and self.cluster_api.core.core.metal3 != "none":
            metal3 = Metal3(world, self.cluster_api.core.core, self.cluster_api.core.nodes)
            metal3.wire(self._on)
            self.controllers += metal3.controllers
        self.hypershift = Hypershift(world, lab) if lab.site.hub is not None and lab.site.hub.hypershift else None
        if self.hypershift is not None:
            self.hypershift.wire(self._on)
            self.controllers += self.hypershift.controllers

    def _on(self, kind: Kind, controller: Controller, keys: Keys) -> None:
        """A change of an object wakes the keys that it and its former self lead to."""

        def handle(now: Object | None, before: Object | None) -> None:
            for item in (now, before):
                for key in keys(item) if item is not None else ():
                    controller.notify(key)

        self.world.informers[kind].listen(handle)

    def _wire(self) -> None:
        self._on(INFRA_ENV, self.infra_envs, lambda item: [key_of(item)])
        self._on(NMSTATE_CONFIG, self.infra_envs, self._infra_envs_of_config)
        self._on(
            SECRET,
            self.infra_envs,
            lambda item: self._infra_envs_that(item, lambda spec: (spec.get("pullSecretRef") or {}).get("name")),
        )
        self._on(CONFIG_MAP, self.infra_envs, self._infra_envs_of_mirror)
        self._on(CLUSTER_DEPLOYMENT, self.infra_envs, self._infra_envs_of_cluster)
        self._on(AGENT, self.agents, lambda item: [key_of(item)])
        self._on(INFRA_ENV, self.agents, self._agents_of_infra_env)
        self._on(CLUSTER_DEPLOYMENT, self.agents, self._agents_of_cluster)
        for kind in (CLUSTER_DEPLOYMENT, CLUSTER_INSTALL):
            own = kind is CLUSTER_INSTALL
            for controller in (self.clusters, self.hive):
                self._on(kind, controller, self._cluster_of_install if own else lambda item: [key_of(item)])
            self._on(kind, self.installs, (lambda item: [key_of(item)]) if own else self._installs_of_cluster)
        self._on(CLUSTER_IMAGE_SET, self.clusters, self._clusters_of_image_set)
        for kind in (SECRET, CONFIG_MAP):
            self._on(kind, self.clusters, self._clusters_in_namespace)
        self._on(AGENT, self.clusters, lambda item: filter(None, [bound_cluster(item)]))
        self._wire_hosts()
        self.backend.core.on_change = self._changed
        self.backend.core.on_registration = Registration(self.world, self.backend)

    def _wire_hosts(self) -> None:
        for controller in (self.bare_metal, self.bmac):
            self._on(BARE_METAL_HOST, controller, lambda item: [key_of(item)])
            self._on(PREPROVISIONING_IMAGE, controller, lambda item: [key_of(item)])
        self._on(SECRET, self.bare_metal, self._hosts_of_secret)
        self._on(INFRA_ENV, self.bmac, lambda item: self._labelled(BARE_METAL_HOST, item))
        self._on(AGENT, self.bmac, self._hosts_of_agent)
        self._on(PREPROVISIONING_IMAGE, self.images, lambda item: [key_of(item)])
        self._on(INFRA_ENV, self.images, lambda item: self._labelled(PREPROVISIONING_IMAGE, item))
        self._on(AGENT_CLASSIFICATION, self.classifications, lambda item: [key_of(item)])
        self._on(
            AGENT,
            self.classifications,
            lambda item: [key_of(found) for found in self.world.all(AGENT_CLASSIFICATION, key_of(item)[0])],
        )

    # who is concerned

    def _labelled(self, kind: Kind, infra_env: Object) -> list[Key]:
        namespace, name = key_of(infra_env)
        return [
            key_of(item) for item in self.world.all(kind, namespace) if labels_of(item).get(INFRA_ENV_LABEL) == name
        ]

    def _hosts_of_secret(self, secret: Object) -> list[Key]:
        namespace, name = key_of(secret)
        return [
            key_of(item)
            for item in self.world.all(BARE_METAL_HOST, namespace)
            if (item["spec"].get("bmc") or {}).get("credentialsName") == name
        ]

    def _hosts_of_agent(self, agent: Object) -> list[Key]:
        return [
            key_of(host)
            for host in self.world.all(BARE_METAL_HOST, key_of(agent)[0])
            if find_agent(host, [agent]) is not None
        ]

    def _infra_envs_of_config(self, config: Object) -> list[Key]:
        """InfraEnvs of its own namespace whose matchLabels share a pair: matchExpressions notify no InfraEnv.

        Source: openshift/assisted-service internal/controller/controllers/infraenv_controller.go.
        """
        labels = labels_of(config)
        found = []
        for item in self.world.all(INFRA_ENV, key_of(config)[0]):
            wanted = (item["spec"].get("nmStateConfigLabelSelector") or {}).get("matchLabels") or {}
            if any(labels.get(name) == value for name, value in wanted.items()):
                found.append(key_of(item))
        return found

    def _infra_envs_that(self, referred: Object, name: Callable[[Object], str | None]) -> list[Key]:
        namespace, own = key_of(referred)
        return [key_of(item) for item in self.world.all(INFRA_ENV, namespace) if name(item["spec"]) == own]

    def _infra_envs_of_mirror(self, config_map: Object) -> list[Key]:
        wanted = key_of(config_map)
        found = []
        for item in self.world.all(INFRA_ENV):
            reference = item["spec"].get("mirrorRegistryRef") or {}
            if (reference.get("namespace"), reference.get("name")) == wanted:
                found.append(key_of(item))
        return found

    def _cluster_of_install(self, install: Object) -> list[Key]:
        return [(key_of(install)[0], (install["spec"].get("clusterDeploymentRef") or {}).get("name", ""))]

    def _installs_of_cluster(self, deployment: Object) -> list[Key]:
        namespace, name = key_of(deployment)
        return [
            key_of(item)
            for item in self.world.all(CLUSTER_INSTALL, namespace)
            if (item["spec"].get("clusterDeploymentRef") or {}).get("name") == name
        ]

    def _clusters_of_image_set(self, image_set: Object) -> list[Key]:
        wanted = key_of(image_set)[1]
        found = [
            item
            for item in self.world.all(CLUSTER_INSTALL)
            if (item["spec"].get("imageSetRef") or {}).get("name") == wanted
        ]
        return [key for item in found for key in self._cluster_of_install(item)]

    def _clusters_in_namespace(self, referred: Object) -> list[Key]:
        """Pull secrets and manifests lie beside the ClusterDeployment."""
        return [key_of(item) for item in self.world.all(CLUSTER_DEPLOYMENT, key_of(referred)[0])]

    def _infra_envs_of_cluster(self, deployment: Object) -> list[Key]:
        return self._infra_envs_that_bind(key_of(deployment))

    def _infra_envs_that_bind(self, wanted: Key) -> list[Key]:
        found = []
        for item in self.world.all(INFRA_ENV):
            reference = item["spec"].get("clusterRef") or {}
            if (reference.get("namespace"), reference.get("name")) == wanted:
                found.append(key_of(item))
        return found

    def _agents_of_infra_env(self, infra_env: Object) -> list[Key]:
        return self._labelled(AGENT, infra_env)

    def _agents_of_cluster(self, deployment: Object) -> list[Key]:
        wanted = key_of(deployment)
        return [key_of(item) for item in self.world.all(AGENT) if bound_cluster(item) == wanted]

    def _changed(self, item: Cluster | InfraEnv | Host) -> None:
        """The service tells of a change."""
        if isinstance(item, InfraEnv) and item.kube_key[1]:
            self.infra_envs.notify(item.kube_key)
        elif isinstance(item, Host):
            infra_env = self.backend.core.state.infra_envs.get(item.infra_env_id)
            if infra_env is not None and infra_env.kube_key[1]:
                self.agents.notify((infra_env.kube_key[0], item.id))
            cluster = self.backend.core.cluster_of(item)
            if cluster is not None and cluster.kube_key[1]:
                self.clusters.notify(cluster.kube_key)
        elif isinstance(item, Cluster) and item.kube_key[1]:
            self.clusters.notify(item.kube_key)
            for key in self._infra_envs_that_bind(item.kube_key):
                self.infra_envs.notify(key)

    # life

    async def start(self) -> None:
        """Start watching; returns once everything was read once."""
        self._tasks = [
            asyncio.create_task(informer.run(), name=f"watch {kind.plural}")
            for kind, informer in self.world.informers.items()
        ]
        await self.world.ready()
        self._tasks += [asyncio.create_task(controller.run(), name=controller.name) for controller in self.controllers]
        if self.cluster_api is not None:
            await self.cluster_api.install()

    async def stop(self) -> None:
        self.backend.core.on_change = None
        self.backend.core.on_registration = None
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.cluster_api is not None:
            await self.cluster_api.stop()
        if self.hypershift is not None:
            await self.hypershift.stop()
