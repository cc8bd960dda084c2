# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the scripts on the rendezvous host that start an installation: of a new cluster, or of a node that joins a
cluster.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..fabric.hosts import Unreachable
from .client.host_config import load_host_configs, matching

if TYPE_CHECKING:
    from .system import LiveSystem


class _Script:
    """Common part of the scripts that start an installation: access to the service with the user's token."""

    def __init__(self, live: LiveSystem, environment: Mapping[str, str]) -> None:
        self._live = live
        self._clock = live.lab.clock
        self._base = environment.get("SERVICE_BASE_URL", "").rstrip("/") + "/api/assisted-install"
        self._headers = {"Authorization": environment.get("USER_AUTH_TOKEN", "")}
        self._infra_env_id = environment.get("INFRA_ENV_ID", "")

    async def _get(self, path: str) -> list[dict[str, object]]:
        """The list that the service answers, empty when it does not."""
        try:
            reply = await self._live.http.request("GET", f"{self._base}{path}", headers=self._headers)
            return list(json.loads(reply.body)) if reply.ok else []
        except (Unreachable, ValueError):
            return []


class AddScript(_Script):
    """add-node.sh (openshift/installer pkg/asset/agent/joiner, pkg/asset/agent/workflow)."""

    async def run(self) -> None:
        said = ""
        while True:
            hosts = await self._get(f"/v2/infra-envs/{self._infra_env_id}/hosts")
            status = str(hosts[0]["status"]) if hosts else "not registered"
            if status == "known":
                break
            if status != said:
                self._live.log(f"add-node: waiting for this host to be ready: {status}", phase="waiting to be added")
                said = status
            await self._clock.sleep(10)
        url = f"{self._base}/v2/infra-envs/{self._infra_env_id}/hosts/{hosts[0]['id']}/actions/install"
        try:
            reply = await self._live.http.request("POST", url, headers=self._headers)
        except Unreachable as error:
            self._live.log(f"add-node: {error}")
            return
        outcome = "the installation of this host is started" if reply.ok else reply.complaint()
        self._live.log(f"add-node: {outcome}")


class StartScript(_Script):
    """start-cluster-installation.sh (openshift/installer data/data/agent/files/usr/local/bin)."""

    def __init__(self, live: LiveSystem, environment: Mapping[str, str]) -> None:
        super().__init__(live, environment)
        names = ("REQUIRED_MASTER_NODES", "REQUIRED_ARBITER_NODES", "REQUIRED_WORKER_NODES")
        # Releases before 4.19 know no arbiters.
        self._missing = [
            name for name in names if not environment.get(name, "0" if "ARBITER" in name else "").isdigit()
        ]
        self._required = sum(int(environment.get(name, "0") or 0) for name in names) if not self._missing else 0

    async def run(self) -> None:
        if self._missing:
            self._live.log(f"start-cluster-installation: {', '.join(self._missing)} not set")
            return
        while not (clusters := await self._get("/v2/clusters")):
            await self._clock.sleep(2)
        cluster_id = clusters[0]["id"]
        await self._all_known()
        # An image whose script sets the configured roles before the start says so in its text.
        if "host_role" in (self._live.root.text("/usr/local/bin/start-cluster-installation.sh") or ""):
            await self._pin_roles()
            await self._all_known()
        await self._keep_starting(str(cluster_id))

    async def _all_known(self) -> None:
        said = -1
        while True:
            known = sum(
                host.get("status") == "known" for host in await self._get(f"/v2/infra-envs/{self._infra_env_id}/hosts")
            )
            if known != said:
                self._live.log(
                    (f"start-cluster-installation: {known} of {self._required} hosts are ready to be installed"),
                    phase="waiting for hosts",
                )
                said = known
            if known == self._required:
                return
            await self._clock.sleep(10)

    async def _pin_roles(self) -> None:
        configs = load_host_configs(self._live.root, [])
        for host in await self._get(f"/v2/infra-envs/{self._infra_env_id}/hosts"):
            inventory = json.loads(str(host.get("inventory") or "{}"))
            wanted = next((config.role for config in matching(configs, inventory) if config.role), "")
            if wanted and wanted != host.get("role"):
                url = f"{self._base}/v2/infra-envs/{self._infra_env_id}/hosts/{host['id']}"
                await self._live.http.request("PATCH", url, headers=self._headers, body={"host_role": wanted})
                self._live.log(f"start-cluster-installation: Host {host['id']} is {wanted}")

    async def _keep_starting(self, cluster_id: str) -> None:
        status = ""
        while status != "installed":
            clusters = await self._get("/v2/clusters")
            status = str(clusters[0]["status"]) if clusters else status
            if status == "ready":
                await self._install(cluster_id)
            await self._clock.sleep(5)

    async def _install(self, cluster_id: str) -> None:
        try:
            reply = await self._live.http.request(
                "POST", f"{self._base}/v2/clusters/{cluster_id}/actions/install", headers=self._headers
            )
        except Unreachable as error:
            self._live.log(f"start-cluster-installation: {error}")
            return
        text = "the installation is started" if reply.status == 202 else reply.complaint()
        self._live.log(
            f"start-cluster-installation: {text}", phase="installation started" if reply.status == 202 else None
        )
