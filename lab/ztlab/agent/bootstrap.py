# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The bootstrap host: bootkube brings up the new cluster's API, the other hosts join it, then this host becomes a node as well."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..clusters import STAGES_AFTER_RESTART, RunningCluster
from ..fabric.hosts import Unreachable
from ..live.client.manifests import MOUNTS, ClientError
from ..live.client.rest import Client
from ..live.cluster_plan import TLS_DIRECTORY, cluster_plan
from ..live.node_zero import RENDEZVOUS_ENV, NodeZero
from ..live.root import parse_env
from ..live.systemd import Container

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

    async def _wait(self, condition: Callable[[], bool]) -> None:
        await self._clock.until(condition, every=WAIT_SECONDS)

    async def _start_cluster(self) -> RunningCluster:
        """Raises InstallationFailed when the image does not say what the cluster is."""
        live = self._live
        environment = NodeZero(live).service_environment({})
        documented = Container(environment, MOUNTS)
        try:
            client = Client(live.http, live.root, documented, live.log, live.lab.site.releases)
            image = live.root.text("/etc/assisted/manifests/cluster-image-set.yaml") or ""
            version, _architecture = client.release(_release_of(image))
            own_ip = parse_env(live.root.text(RENDEZVOUS_ENV) or "").get("NODE_ZERO_IP", "")
            container = live.systemd.container("assisted-service.service", {}, Container({}, {TLS_DIRECTORY: TLS_DIRECTORY}))
            plan = cluster_plan(live.root, environment, mounted=TLS_DIRECTORY in container.mounts, version=version, fabric=live.lab.fabric, own_ip=own_ip)
        except ClientError as error:
            raise InstallationFailed(str(error)) from error
        live.log(f"bootkube: bringing up the control plane of {plan.domain} at {plan.api_ip}", phase="installing: bootkube")
        await self._clock.sleep(BOOTKUBE_SECONDS)
        try:
            self._cluster = cluster = await live.lab.clusters.begin(plan, live.name)
        except (ValueError, OSError) as error:
            raise InstallationFailed(f"bootkube: {error}") from error

        async def leave() -> None:
            await cluster.drop(live.name)

        live.on_end(leave)
        return cluster

    async def _report_others(self) -> None:
        """The bootstrap host reports the stages of hosts that restarted: they have no agent any more."""
        reported: dict[str, int] = {}
        while True:
            await self._clock.sleep(WAIT_SECONDS)
            for host in await self._hosts():
                if (host.get("progress") or {}).get("current_stage") not in ("Rebooting", "Waiting for ignition", *STAGES_AFTER_RESTART[:-1]):
                    continue
                reached = self._reached(str(host.get("requested_hostname", "")))
                for number in range(reported.get(host["id"], 0), reached):
                    await self._installer.report(STAGES_AFTER_RESTART[number], path=f"/v2/infra-envs/{self._installer.infra_env_id}/hosts/{host['id']}")
                reported[host["id"]] = max(reached, reported.get(host["id"], 0))

    def _reached(self, hostname: str) -> int:
        """How many of the stages after the restart a node has behind it."""
        return self._cluster.stages_behind(hostname) if self._cluster else 0

    async def _hosts(self) -> list[dict[str, Any]]:
        try:
            reply = await self._installer.agent.call("GET", f"/v2/infra-envs/{self._installer.infra_env_id}/hosts")
            return list(reply.json()) if reply.ok else []
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
