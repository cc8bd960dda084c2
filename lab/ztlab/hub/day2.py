# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Add hosts to an existing cluster (day 2): follow the installation, approve certificate signing requests, and check
the Nodes.

Source: openshift/assisted-service internal/controller/controllers/agent_controller.go.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..service import progress
from ..service.model import Cluster, Host
from .backend import Backend, BackendError
from .client import Client, Refused
from .csr import approvable
from .names import (
    AGENT,
    BARE_METAL_HOST,
    BMH_LABEL,
    CLUSTER_DEPLOYMENT,
    CLUSTER_INSTALL,
    CSR,
    NODE,
    SECRET,
    Key,
    Object,
)
from .reclaim import put_reclaim
from .spoke import Spokes
from .world import World

FOLLOW_SECONDS = 60.0
POLL_SECONDS = 10.0
# shouldCheckSpokeForDay2Host and shouldApproveCSRsForAgent of openshift/assisted-service
# internal/controller/controllers/agent_controller.go
AFTER_REBOOT, APPROVING = ("Rebooting", "Joined", "Configuring"), ("Rebooting", "Joined")


class Day2:
    """What the Agent controller does in spoke clusters."""

    def __init__(self, world: World, backend: Backend, spokes: Spokes) -> None:
        self._world, self._backend, self._spokes = world, backend, spokes

    async def follow(self, agent: Object, host: Host) -> float | None:
        """Take a day-2 host on by one step; lab seconds until the next look."""
        cluster = self._backend.core.cluster_of(host)
        if cluster is None or not cluster.day2 or not host.day2:
            return None
        if host.status == "known" and host.approved:
            try:
                await self._backend.call("POST", f"{self._backend.host_path(host)}/actions/install")
            except BackendError:
                return POLL_SECONDS
            return None
        rebooted = host.status == "installing-in-progress" and host.progress.stage in AFTER_REBOOT
        if not rebooted and host.status != "installing-pending-user-action":
            return None
        client = self.client(cluster.kube_key)
        if client is None:
            return FOLLOW_SECONDS
        try:
            await self._advance(agent, host, cluster, client)
        except Refused:
            return POLL_SECONDS
        return FOLLOW_SECONDS if host.status != "added-to-existing-cluster" else None

    async def _advance(self, agent: Object, host: Host, cluster: Cluster, client: Client) -> None:
        node = await client.get(NODE, host.name)
        automatic = self._approves(agent, host, cluster)
        if automatic:
            agent = await self._approve(agent, host, node, client)
        if node is None:
            return
        if not _ready(node):
            self._stage(host, cluster, "Joined")
            return
        recorded = {
            entry["type"] for entry in ((agent.get("status") or {}).get("csrStatus") or {}).get("approvedCSRs") or []
        }
        if automatic and not {"client", "serving"} <= recorded:
            self._stage(host, cluster, "Joined")
            return
        if host.node_labels and any(
            (node["metadata"].get("labels") or {}).get(name) != value for name, value in host.node_labels.items()
        ):
            await client.patch(NODE, host.name, "", {"metadata": {"labels": host.node_labels}})
        self._stage(host, cluster, "Done")

    def _stage(self, host: Host, cluster: Cluster, stage: str) -> None:
        core, own = self._backend.core, progress.stages(host, cluster)
        if host.progress.stage == stage:
            return
        host.progress.stage, host.progress.percentage = stage, progress.host_percentage(stage, own)
        host.progress.started_at = host.progress.updated_at = core.timestamp()
        host.progress.since = host.progress.touched = core.now()
        core.event(
            "host_install_progress_updated",
            f"Host: {host.name}, reached installation stage {stage}",
            host=host,
            props={"stage": stage},
        )
        if stage == "Done":
            core.set_host_status(host, "added-to-existing-cluster", "Done")
        else:
            core.set_host_status(host, "installing-in-progress", stage)

    # signing requests

    def _approves(self, agent: Object, host: Host, cluster: Cluster) -> bool:
        """Whether the hub approves them, or the cluster's machine API does."""
        if host.progress.stage not in APPROVING and host.status != "installing-pending-user-action":
            return False
        deployment = self._world.get(CLUSTER_DEPLOYMENT, cluster.kube_key)
        name = (((deployment or {}).get("spec") or {}).get("clusterInstallRef") or {}).get("name", "")
        install = self._world.get(CLUSTER_INSTALL, (cluster.kube_key[0], name))
        bmh = (agent["metadata"].get("labels") or {}).get(BMH_LABEL, "")
        exists = bool(bmh) and self._world.get(BARE_METAL_HOST, (agent["metadata"]["namespace"], bmh)) is not None
        return hub_approves((install or {}).get("spec") or {}, cluster.install_config_overrides, bare_metal_host=exists)

    async def _approve(self, agent: Object, host: Host, node: Object | None, client: Client) -> Object:
        """Approve what is this host's, and record what is approved, by whomever; the Agent afterwards."""
        items, _version = await client.list(CSR)
        status = dict(agent.get("status") or {})
        known = dict(status.get("csrStatus") or {})
        recorded = list(known.get("approvedCSRs") or [])
        names = {entry["name"] for entry in recorded}
        for item in items:
            kind = approvable(item, host.name, node)
            if not kind or item["metadata"]["name"] in names:
                continue
            if not _approved(item):
                await self._approve_one(item, client)
            recorded.append({"name": item["metadata"]["name"], "type": kind, "approvedAt": self._world.now()})
        if len(recorded) == len(names):
            return agent
        status["csrStatus"] = {"approvedCSRs": recorded, "lastApprovalAttempt": self._world.now()}
        return await self._world.status(AGENT, agent, status)

    async def _approve_one(self, item: Object, client: Client) -> None:
        moment = self._world.now()
        condition = {
            "type": "Approved",
            "status": "True",
            "reason": "NodeCSRApprove",
            "message": "This CSR was approved by the assisted-service",
            "lastUpdateTime": moment,
            "lastTransitionTime": moment,
        }
        present = (item.get("status") or {}).get("conditions") or []
        await client.replace(
            CSR,
            {**item, "status": {**(item.get("status") or {}), "conditions": [*present, condition]}},
            subresource="approval",
        )

    # nodes

    def client(self, cluster: Key) -> Client | None:
        """A client of a spoke by the Secret with its kubeconfig; None without a usable one."""
        deployment = self._world.get(CLUSTER_DEPLOYMENT, cluster)
        metadata = ((deployment or {}).get("spec") or {}).get("clusterMetadata") or {}
        name = (metadata.get("adminKubeconfigSecretRef") or {}).get("name") or f"{cluster[1]}-admin-kubeconfig"
        secret = self._world.get(SECRET, (cluster[0], name))
        try:
            return (
                self._spokes.client(base64.b64decode((secret or {})["data"]["kubeconfig"]).decode()) if secret else None
            )
        except (KeyError, ValueError, binascii.Error):
            return None

    async def begin_reclaim(self, cluster: Key, host: Host) -> bool:
        """Let the node itself boot discovery again (5.4): what runs there is put into the spoke; False when that
        fails.
        """
        client = self.client(cluster)
        core = self._backend.core
        if (
            client is None
            or not core.settings.switch("ENABLE_IMAGE_SERVICE", True)
            or self._spokes.spoils("reclaim-fails", host.id)
        ):
            return False
        path = core.settings.env.get("SERVICE_CA_CERT_PATH", "")
        try:
            await put_reclaim(client, core, host, Path(path).read_text(encoding="ascii") if path else "")
        except Refused:
            return False
        return True


def hub_approves(install: Mapping[str, Any], overrides: str, *, bare_metal_host: bool) -> bool:
    """By the spec of the AgentClusterInstall and the overrides of the cluster's install-config
    (shouldApproveCSRsForAgent).
    """
    wanted = install.get("provisionRequirements") or {}
    single = wanted.get("controlPlaneAgents") == 1 and not wanted.get("workerAgents")
    if (install.get("networking") or {}).get("userManagedNetworking") or single:
        return True
    if install.get("platformType") == "BareMetal" and _without_machine_api(overrides):
        return True
    return not bare_metal_host


def _without_machine_api(overrides: str) -> bool:
    """Capabilities that have baremetal without MachineAPI (isBaremetalPlatformWithoutMAPI of common.go beside it)."""
    capabilities = json.loads(overrides or "{}").get("capabilities") or {}
    more = capabilities.get("additionalEnabledCapabilities") or []
    return capabilities.get("baselineCapabilitySet") == "None" and "baremetal" in more and "MachineAPI" not in more


async def remove_node(client: Client, name: str) -> None:
    """Delete a Node, if it exists. Raises Refused."""
    try:
        await client.delete(NODE, name)
    except Refused as error:
        if error.code != 404:
            raise


def _ready(node: Object) -> bool:
    return any(
        entry.get("type") == "Ready" and entry.get("status") == "True"
        for entry in (node.get("status") or {}).get("conditions") or []
    )


def _approved(item: Object) -> bool:
    return any(entry.get("type") == "Approved" for entry in (item.get("status") or {}).get("conditions") or [])
