# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: a site file whose hub has Cluster API, and the objects that a user of Cluster API creates."""

from __future__ import annotations

import base64
import json
from typing import Any

from ztlab.faults import Faults
from ztlab.hub.capi.kinds import AGENT_CLUSTER, AGENT_MACHINE_TEMPLATE, HOSTED_CONTROL_PLANE, CoreKinds
from ztlab.hub.names import SECRET, Object
from ztlab.newcluster import pki
from ztlab.newcluster.cluster import NewCluster

from ..rig import SITE, Rig

CLUSTER, POOL = "c1", "pool"
IGNITION = "https://10.0.0.77:22623/ignition"


def site(version: str = "v1beta2", provider: str = "upstream") -> dict[str, Any]:
    return {**SITE, "hub": {**SITE["hub"], "cluster_api": {"version": version, "provider": provider}}}


def reference(core: CoreKinds, group: str, kind: str, name: str, version: str = "v1beta1") -> Object:
    if core.v1beta2:
        return {"apiGroup": group, "kind": kind, "name": name}
    return {"apiVersion": f"{group}/{version}", "kind": kind, "name": name, "namespace": "edge"}


def user_data(token: str = "dG9rZW4=") -> str:
    headers = [
        {"name": "Authorization", "value": f"Bearer {token}"},
        {"name": "NodePool", "value": "clusters/pool"},
    ]
    document = {"ignition": {"version": "3.2.0", "config": {"merge": [{"source": IGNITION, "httpHeaders": headers}]}}}
    return json.dumps(document)


def encoded(**data: str) -> dict[str, str]:
    return {name.replace("_", "-"): base64.b64encode(value.encode()).decode() for name, value in data.items()}


async def workload_cluster(rig: Rig) -> NewCluster:
    """A cluster that runs somewhere, with the Secrets by which the hub reaches it."""
    made = {name: pki.new_authority(name) for name in pki.SIGNERS}
    signers = {name: (signer.pem, pki.key_pem(signer)) for name, signer in made.items()}
    cluster = NewCluster(
        name=CLUSTER,
        base_domain="lab.example.com",
        version="4.22.0",
        signers=signers,
        expected={"master": 3},
        clock=rig.lab.clock,
        faults=Faults(),
    )
    address = rig.lab.fabric.table.loopback("10.0.0.77")
    await cluster.start(address, 6443)
    text = cluster.kubeconfig(f"https://{address}:6443")
    await rig.create(SECRET, "admin-kubeconfig", type="Opaque", data=encoded(kubeconfig=text))
    await rig.create(SECRET, f"{CLUSTER}-kubeconfig", type="Opaque", data=encoded(value=text))
    return cluster


async def order_cluster(rig: Rig, core: CoreKinds) -> None:
    """Control plane, Cluster and AgentCluster; the control plane is ready."""
    await rig.create(
        HOSTED_CONTROL_PLANE, CLUSTER, {"dns": {"baseDomain": "lab.example.com"}, "pullSecret": {"name": "pull-secret"}}
    )
    status = {"kubeConfig": {"name": "admin-kubeconfig", "key": "kubeconfig"}, "ready": True, "initialized": True}
    await rig.client.patch(HOSTED_CONTROL_PLANE, CLUSTER, "edge", {"status": status}, subresource="status")
    endpoint = {"host": "10.0.0.77", "port": 6443}
    await rig.create(AGENT_CLUSTER, CLUSTER, {"controlPlaneEndpoint": endpoint, "ignitionEndpoint": {"url": IGNITION}})
    spec = {
        "controlPlaneRef": reference(core, HOSTED_CONTROL_PLANE.group, "HostedControlPlane", CLUSTER),
        "infrastructureRef": reference(core, AGENT_CLUSTER.group, "AgentCluster", CLUSTER),
    }
    await rig.create(core.cluster, CLUSTER, spec)


async def order_pool(rig: Rig, core: CoreKinds, replicas: int, selector: Object | None = None) -> None:
    """Bootstrap data, template and MachineDeployment."""
    await rig.create(SECRET, "user-data", data=encoded(value=user_data()))
    spec = {"template": {"spec": {"agentLabelSelector": selector} if selector is not None else {}}}
    await rig.create(AGENT_MACHINE_TEMPLATE, POOL, spec)
    machine = {
        "clusterName": CLUSTER,
        "bootstrap": {"dataSecretName": "user-data"},
        "infrastructureRef": reference(core, AGENT_MACHINE_TEMPLATE.group, "AgentMachineTemplate", POOL),
    }
    body = {
        "clusterName": CLUSTER,
        "replicas": replicas,
        "selector": {"matchLabels": {"pool": POOL}},
        "template": {"metadata": {"labels": {"pool": POOL}, "annotations": {"note": "kept"}}, "spec": machine},
    }
    await rig.create(core.machine_deployment, POOL, body)
