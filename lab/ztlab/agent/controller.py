# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate assisted-installer-controller, a pod of the new cluster. It reports to the assisted-service which hosts have
joined, and when the cluster is complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..fabric.hosts import HostNetwork, Unreachable
from ..live.http import HostHttp, Reply
from .service_access import ServiceAccess

if TYPE_CHECKING:
    from ..clusters import RunningCluster
    from ..lab import Lab

# Lab seconds.
POLL_SECONDS = 10.0
AFTER_RESTART = ("Rebooting", "Waiting for ignition", "Configuring", "Joined")
STAGES_AFTER_RESTART = ("Configuring", "Joined", "Done")
FINISHED = ("installed", "adding-hosts", "error", "cancelled")


class Controller:
    """Runs while a machine carries the cluster, on its network, until the service says that the cluster is
    installed.
    """

    def __init__(self, lab: Lab, running: RunningCluster, access: ServiceAccess, cluster_id: str) -> None:
        self._lab = lab
        self._running = running
        self._access = access
        self._path = f"/v2/clusters/{cluster_id}"
        self._http = HostHttp(lab, self._network)
        self._stage = ""
        self._said = ""

    def _network(self) -> HostNetwork:
        return next(
            (self._lab.fabric.hosts[name] for name in self._running.carriers if name in self._lab.fabric.hosts),
            HostNetwork(),
        )

    async def run(self) -> None:
        while True:
            await self._lab.clock.sleep(POLL_SECONDS)
            if not self._running.serving or not self._running.api.bootstrap_complete:
                continue
            try:
                cluster = (await self._call("GET", "")).json()
                if cluster.get("status") in FINISHED:
                    return
                await self._report_hosts(cluster)
                if cluster.get("status") == "finalizing":
                    await self._finalize(cluster)
            except (Unreachable, ValueError):
                continue

    async def _call(self, method: str, path: str, body: Any = None) -> Reply:
        return await self._access.call(self._http, method, f"{self._path}{path}", body)

    async def _report_hosts(self, cluster: Mapping[str, Any]) -> None:
        for host in cluster.get("hosts") or []:
            for stage in due_stages(host, self._running):
                path = f"/v2/infra-envs/{host['infra_env_id']}/hosts/{host['id']}/progress"
                reply = await self._access.call(self._http, "PUT", path, {"current_stage": stage, "progress_info": ""})
                if not reply.ok:
                    self._say(f"progress {stage} of host {host['id']} refused: {reply.complaint()}")

    def _say(self, text: str) -> None:
        """A line on the console of a machine that carries the cluster, once as long as the text stays the same."""
        machine = next(iter(sorted(self._running.carriers)), "")
        if text != self._said and machine:
            self._lab.machines[machine].console.print(f"assisted-installer-controller: {text}")
            self._said = text

    async def _finalize(self, cluster: Mapping[str, Any]) -> None:
        api = self._running.api
        await self._enter("Waiting for cluster operators")
        for operator in cluster.get("monitored_operators") or []:
            status = "available" if api.installed else "progressing"
            if operator.get("status") != status:
                body = {
                    "name": operator["name"],
                    "status": status,
                    "status_info": f"{operator['name']} is {status}",
                    "version": api.version,
                }
                await self._call("PUT", "/monitored-operators", body)
        if not api.installed:
            return
        await self._enter("Adding router ca")
        await self._call("POST", "/uploads/ingress-cert", api.ingress_authority.pem.decode())
        await self._enter("Done")

    async def _enter(self, stage: str) -> None:
        order = ("", "Waiting for cluster operators", "Adding router ca", "Done")
        if order.index(stage) > order.index(self._stage):
            self._stage = stage
            await self._call("PUT", "/progress", {"finalizing_stage": stage})


def due_stages(host: Mapping[str, Any], running: RunningCluster) -> list[str]:
    """The stages after its restart that a host has reached and the service does not know yet."""
    current = str((host.get("progress") or {}).get("current_stage") or "")
    own = [str(stage) for stage in host.get("progress_stages") or []]
    if current not in AFTER_RESTART or current not in own:
        return []
    reached = STAGES_AFTER_RESTART[: running.stages_behind(str(host.get("requested_hostname") or ""))]
    return [stage for stage in reached if stage in own and own.index(stage) > own.index(current)]
