# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the bootstrap host of an installation. Its bootkube starts the API of the new cluster, and the other hosts
join; then this host reboots and becomes a node too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..clusters import ClusterPlan, RunningCluster
from ..fabric.hosts import Unreachable
from ..live.bootstrap_ignition import bootstrap_plan
from ..live.client.manifests import MOUNTS, ClientError
from ..live.client.rest import Client
from ..live.cluster_plan import TLS_DIRECTORY, cluster_plan
from ..live.node_zero import RENDEZVOUS_ENV, NodeZero
from ..live.root import parse_env
from ..live.systemd import Container
from .controller import Controller, due_stages

if TYPE_CHECKING:
    from .installer import Installer

# Lab seconds.
BOOTKUBE_SECONDS = 30.0
CONTROLLER_SECONDS = 20.0
WAIT_SECONDS = 5.0


class InstallationFailed(Exception):
    """The installer ends with an error; the text goes into the stage "Failed"."""


class Bootstrap:
    """The bootstrap of one cluster, driven by the installer of its host."""

    def __init__(self, installer: Installer) -> None:
        self._installer = installer
        self._live = installer.live
        self._clock = installer.clock
        self._cluster: RunningCluster | None = None
        self._reporting: asyncio.Task[None] | None = None

    async def in_place(self) -> None:
        """A single node: bootkube completes before the image is written."""
        await self._installer.stage("Waiting for bootkube")
        cluster = await self._start_cluster()
        await self._wait(lambda: cluster.api.bootstrap_complete)
        self._hand_over()

    async def begin(self) -> None:
        """Bring up the API; the image is written meanwhile."""
        await self._start_cluster()
        self._reporting = asyncio.create_task(self._report_others(), name=f"reports of {self._live.name}")
        self._live.watch(self._reporting)
        self._live.on_end(self._stop_reporting)

    async def complete(self) -> None:
        """Wait until the control plane lives without this host."""
        if self._cluster is None:
            raise RuntimeError("complete() before begin()")
        api = self._cluster.api
        await self._installer.stage("Waiting for control plane")
        await self._wait(lambda: api.masters_ready)
        await self._installer.stage("Waiting for bootkube")
        await self._wait(lambda: api.bootstrap_complete)
        await self._installer.stage("Waiting for controller", CONTROLLER_SECONDS)
        self._hand_over()

    async def _wait(self, condition: Callable[[], bool]) -> None:
        await self._clock.until(condition, every=WAIT_SECONDS)

    def _hand_over(self) -> None:
        """Before it restarts the bootstrap host leaves the rest to a pod of the cluster, when the service is
        elsewhere.
        """
        if self._cluster is not None and self._live.discovery:
            controller = Controller(
                self._live.lab, self._cluster, self._installer.agent.access, self._installer.cluster_id
            )
            self._cluster.run_controller(controller.run())

    async def _plan(self) -> ClusterPlan:
        """Raises InstallationFailed when bootstrap.ign or the image does not say what the cluster is."""
        if self._live.discovery:
            return await self._plan_of_service()
        return self._plan_of_image()

    async def _plan_of_service(self) -> ClusterPlan:
        path = f"/v2/clusters/{self._installer.cluster_id}/downloads/files?file_name=bootstrap.ign"
        try:
            reply = await self._installer.agent.call("GET", path)
            if not reply.ok:
                raise InstallationFailed(f"failed to download bootstrap.ign: {reply.complaint()}")
            own_ip = (self._live.network.addresses() or [""])[0]
            return bootstrap_plan(
                reply.body,
                key=self._installer.cluster_key,
                version=self._installer.version,
                fabric=self._live.lab.fabric,
                own_ip=own_ip,
            )
        except (Unreachable, ValueError) as error:
            raise InstallationFailed(f"bootstrap.ign: {error}") from error

    async def _start_cluster(self) -> RunningCluster:
        """Raises InstallationFailed."""
        live = self._live
        plan = await self._plan()
        live.log(
            f"bootkube: bringing up the control plane of {plan.domain} at {plan.api_ip}", phase="installing: bootkube"
        )
        await self._clock.sleep(BOOTKUBE_SECONDS)
        try:
            self._cluster = cluster = await live.lab.clusters.begin(plan, live.name)
        except (ValueError, OSError) as error:
            raise InstallationFailed(f"bootkube: {error}") from error

        async def leave() -> None:
            await cluster.drop(live.name)

        live.on_end(leave)
        return cluster

    def _plan_of_image(self) -> ClusterPlan:
        live = self._live
        environment = NodeZero(live).service_environment({})
        documented = Container(environment, MOUNTS)
        try:
            client = Client(live.http, live.root, documented, live.log, live.lab.site.releases)
            image = live.root.text("/etc/assisted/manifests/cluster-image-set.yaml") or ""
            version, _architecture = client.release(_release_of(image))
            own_ip = parse_env(live.root.text(RENDEZVOUS_ENV) or "").get("NODE_ZERO_IP", "")
            container = live.systemd.container(
                "assisted-service.service", {}, Container({}, {TLS_DIRECTORY: TLS_DIRECTORY})
            )
            return cluster_plan(
                live.root,
                environment,
                mounted=TLS_DIRECTORY in container.mounts,
                version=version,
                fabric=live.lab.fabric,
                own_ip=own_ip,
            )
        except ClientError as error:
            raise InstallationFailed(str(error)) from error

    async def _report_others(self) -> None:
        """The bootstrap host reports the stages of hosts that restarted: they have no agent any more."""
        while True:
            await self._clock.sleep(WAIT_SECONDS)
            for host in await self._hosts():
                for stage in due_stages(host, self._cluster) if self._cluster else ():
                    await self._installer.report(
                        stage, path=f"/v2/infra-envs/{host['infra_env_id']}/hosts/{host['id']}"
                    )

    async def _hosts(self) -> list[dict[str, Any]]:
        installer = self._installer
        # The list of a cluster's hosts has neither names nor stages; the cluster itself has them with both.
        path = (
            f"/v2/clusters/{installer.cluster_id}"
            if self._live.discovery
            else f"/v2/infra-envs/{installer.infra_env_id}/hosts"
        )
        try:
            reply = await installer.agent.call("GET", path)
            found = reply.json() if reply.ok else []
            return list(found.get("hosts") or []) if isinstance(found, dict) else list(found)
        except (Unreachable, ValueError):
            return []

    async def _stop_reporting(self) -> None:
        if self._reporting is not None:
            self._reporting.cancel()
            await asyncio.gather(self._reporting, return_exceptions=True)


def _release_of(cluster_image_set: str) -> str:
    for line in cluster_image_set.splitlines():
        key, _, value = line.strip().partition(":")
        if key == "releaseImage":
            return value.strip().strip("'\"")
    return ""
