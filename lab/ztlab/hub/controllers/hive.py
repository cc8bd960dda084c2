# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the part of Hive that users of a hub observe: copy the state of an AgentClusterInstall to its
ClusterDeployment.

Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go,
  docs/hive-integration/crds.
"""

from __future__ import annotations

from typing import Any

from ..backend import Backend
from ..conditions import Condition, find, merge
from ..names import CLUSTER_DEPLOYMENT, CLUSTER_INSTALL, Key, Object, deleting
from ..world import World
from .cluster import install_of

COPIED = ("RequirementsMet", "Completed", "Failed", "Stopped")
LABELS = {"hive.openshift.io/cluster-platform": "agent-baremetal", "hive.openshift.io/cluster-region": "unknown"}
VERSION_LABEL = "hive.openshift.io/version-major-minor-patch"


class HiveController:
    """Keys are ClusterDeployments."""

    def __init__(self, world: World, backend: Backend) -> None:
        self._world, self._backend = world, backend

    async def reconcile(self, key: Key) -> float | None:
        deployment = self._world.get(CLUSTER_DEPLOYMENT, key)
        if deployment is None or deleting(deployment) or not install_of(deployment):
            return None
        install = self._world.get(CLUSTER_INSTALL, (key[0], install_of(deployment)))
        deployment = await self._world.metadata(CLUSTER_DEPLOYMENT, deployment, labels=LABELS)
        if install is None:
            return None
        deployment = await self._spec(deployment, install)
        await self._status(deployment, install)
        return None

    async def _spec(self, deployment: Object, install: Object) -> Object:
        metadata = install["spec"].get("clusterMetadata")
        conditions = (install.get("status") or {}).get("conditions")
        done = find(conditions, "Completed").get("status") == "True"
        patch: dict[str, Any] = {}
        if metadata and metadata != deployment["spec"].get("clusterMetadata"):
            patch["clusterMetadata"] = metadata
        if done and not deployment["spec"].get("installed"):
            patch["installed"] = True
        if not patch:
            return deployment
        labels = {}
        cluster = self._backend.cluster((deployment["metadata"]["namespace"], deployment["metadata"]["name"]))
        if done and cluster is not None:
            labels = {VERSION_LABEL: cluster.version}
        return await self._world.patch(CLUSTER_DEPLOYMENT, deployment, {"metadata": {"labels": labels}, "spec": patch})

    async def _status(self, deployment: Object, install: Object) -> None:
        now = self._world.now()
        source = (install.get("status") or {}).get("conditions")
        wanted = []
        for kind in COPIED:
            entry = find(source, kind)
            if entry:
                wanted.append(
                    Condition(
                        f"ClusterInstall{kind}",
                        str(entry["status"]),
                        str(entry.get("reason", "")),
                        str(entry.get("message", "")),
                    )
                )
        wanted.append(_provisioned(source))
        status = dict(deployment.get("status") or {})
        status["conditions"] = merge(status.get("conditions"), wanted, now, probed=True)
        status["installRestarts"] = status.get("installRestarts", 0)
        if deployment["spec"].get("installed"):
            domain = f"{deployment['spec']['clusterName']}.{deployment['spec']['baseDomain']}"
            status.setdefault("installedTimestamp", now)
            cluster = self._backend.cluster((deployment["metadata"]["namespace"], deployment["metadata"]["name"]))
            if cluster is not None and cluster.version:
                status["installVersion"] = cluster.version
            status |= {
                "apiURL": f"https://api.{domain}:6443",
                "webConsoleURL": f"https://console-openshift-console.apps.{domain}",
                "powerState": "Running",
            }
        await self._world.status(CLUSTER_DEPLOYMENT, deployment, status)


def _provisioned(conditions: Any) -> Condition:
    """What the column ProvisionStatus shows."""
    completed, stopped = find(conditions, "Completed"), find(conditions, "Stopped")
    if completed.get("status") == "True":
        return Condition("Provisioned", "True", "Provisioned", "Cluster is provisioned")
    if stopped.get("status") == "True":
        return Condition(
            "Provisioned",
            "False",
            "ProvisionStopped",
            ("Provisioning failed terminally (see the ProvisionStopped condition for details)"),
        )
    if completed.get("reason") == "InstallationInProgress":
        return Condition("Provisioned", "False", "Provisioning", "Cluster provision created")
    return Condition("Provisioned", "Unknown", "Initialized", "Condition Initialized")
