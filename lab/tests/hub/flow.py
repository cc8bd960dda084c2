# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test helpers: request a cluster on the hub as a user does, and report its completion as the controller in the new
cluster does.
"""

from __future__ import annotations

from typing import Any

from ztlab.hub.names import AGENT, CLUSTER_DEPLOYMENT, CLUSTER_IMAGE_SET, CLUSTER_INSTALL, Object

from .rig import HostClient, Machine, Rig

RELEASE = "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


def deployment_spec(name: str = "spoke", **more: Any) -> Object:
    return {
        "baseDomain": "lab.example.com",
        "clusterName": name,
        "platform": {"agentBareMetal": {"agentSelector": {}}},
        "pullSecretRef": {"name": "pull-secret"},
        "clusterInstallRef": {
            "group": "extensions.hive.openshift.io",
            "version": "v1beta1",
            "kind": "AgentClusterInstall",
            "name": name,
        },
        **more,
    }


def install_spec(name: str = "spoke", masters: int = 3, workers: int = 0, **more: Any) -> Object:
    return {
        "clusterDeploymentRef": {"name": name},
        "imageSetRef": {"name": "v4.22.0"},
        "provisionRequirements": {"controlPlaneAgents": masters, "workerAgents": workers},
        "networking": {
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
            "serviceNetwork": ["172.30.0.0/16"],
            "machineNetwork": [{"cidr": "192.0.2.0/24"}],
        },
        "apiVIPs": ["192.0.2.5"],
        "ingressVIPs": ["192.0.2.6"],
        **more,
    }


async def order_cluster(rig: Rig, name: str = "spoke", masters: int = 3, workers: int = 0, **more: Any) -> None:
    """ClusterImageSet, ClusterDeployment, AgentClusterInstall."""
    await rig.create(CLUSTER_IMAGE_SET, "v4.22.0", {"releaseImage": RELEASE})
    await rig.create(CLUSTER_DEPLOYMENT, name, deployment_spec(name))
    await rig.create(CLUSTER_INSTALL, name, install_spec(name, masters, workers, **more))


def state(item: Object) -> str:
    return str(((item.get("status") or {}).get("debugInfo") or {}).get("state", ""))


async def bind(rig: Rig, machines: list[Machine], cluster: str = "spoke", role: str = "master") -> None:
    """Approve, name and bind Agents once they can be bound."""
    for machine in machines:
        await rig.until(AGENT, machine.id, lambda item: state(item) == "known-unbound")
        spec = {
            "approved": True,
            "role": role,
            "hostname": machine.name,
            "clusterDeploymentName": {"namespace": "edge", "name": cluster},
        }
        await rig.patch(AGENT, machine.id, {"spec": spec})


async def finish(rig: Rig, cluster_id: str) -> None:
    """What the controller in the new cluster reports at the end."""
    hub = rig.hub
    infra_env_id = next(
        host.infra_env_id for host in hub.service.core.state.hosts.values() if host.cluster_id == cluster_id
    )
    client = HostClient(hub, infra_env_id)
    path = f"/clusters/{cluster_id}"
    await client.call("PUT", path + "/progress", {"finalizing_stage": "Waiting for cluster operators"})
    for name in ("console", "cvo"):
        await client.call(
            "PUT",
            path + "/monitored-operators",
            {"name": name, "status": "available", "status_info": "ok", "version": "4.22.0"},
        )
    await client.call("PUT", path + "/progress", {"finalizing_stage": "Adding router ca"})
    status, answer = await client.call("POST", path + "/uploads/ingress-cert", CERTIFICATE)
    assert status == 201, answer
    await client.call("PUT", path + "/progress", {"finalizing_stage": "Done"})
