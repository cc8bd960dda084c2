# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test method capi with the user's own infrastructure: playbooks refer to the user's machine templates and
infrastructure cluster by name and write none of them. The lab's Metal3 is the infrastructure provider.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.kinds import AssistedKinds
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import BARE_METAL_HOST, NAMESPACE, SECRET
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import connect
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.resource import Resource

from .canaries import BMC_PASSWORD
from .conftest import MakeLab, canary_inventory, canary_site
from .lab import Deployment

KINDS = AssistedKinds()
GROUP = KINDS.metal3_cluster.group
CONFIRMED = {"openshift_confirm": "edge"}
REPLICAS = {"control-plane": 3, "workers": 2}


def reference(kind: str, name: str) -> dict[str, str]:
    return {"api_group": GROUP, "kind": kind, "name": name}


def of_user(inventory: dict[str, Any]) -> None:
    """References instead of a disk image and hosts."""
    inventory["all"]["vars"]["openshift_capi"] = {
        "infrastructure": "user_templates",
        "infrastructure_ref": reference("Metal3Cluster", "rack"),
        "config": {"node_name": "$METADATA_NAME", "kubelet_extra_labels": ["metal3.io/uuid=$METADATA_UUID"]},
        "control_plane": {
            "replicas": REPLICAS["control-plane"],
            "infrastructure_ref": reference("Metal3MachineTemplate", "rack-control-plane"),
        },
        "machine_deployments": [
            {
                "name": "edge-workers",
                "replicas": REPLICAS["workers"],
                "infrastructure_ref": reference("Metal3MachineTemplate", "rack-workers"),
            }
        ],
    }


def without_numbers(inventory: dict[str, Any]) -> None:
    of_user(inventory)
    capi = inventory["all"]["vars"]["openshift_capi"]
    for pool in (capi["control_plane"], *capi["machine_deployments"]):
        del pool["replicas"]


def create(hub: KubeClient, resource: Resource, name: str, **body: Any) -> None:
    metadata = {"name": name, **body.pop("metadata", {})}
    namespace = "edge" if resource.namespaced else ""
    document = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata, **body}
    hub.create(resource.path(namespace), document)


def write_infrastructure(hub: KubeClient, hosts: dict[str, dict[str, Any]], image: dict[str, Any]) -> None:
    """What the user has on the hub: BareMetalHosts by pool, an infrastructure cluster and templates."""
    create(hub, NAMESPACE, "edge")
    secret = {
        key: base64.b64encode(value.encode()).decode()
        for key, value in (("username", "admin"), ("password", BMC_PASSWORD))
    }
    create(hub, SECRET, "bmc", type="Opaque", data=secret)
    for name, host in hosts.items():
        pool = name.partition("-")[0]
        bmc = {
            "address": host["bmc"]["address"],
            "credentialsName": "bmc",
            "disableCertificateVerification": True,
        }
        spec = {"online": True, "bootMACAddress": host["interfaces"][0]["mac_address"], "bmc": bmc}
        create(hub, BARE_METAL_HOST, name, metadata={"labels": {"pool": pool}}, spec=spec)
    endpoint = {"host": "192.168.114.10", "port": 6443}
    create(hub, KINDS.metal3_cluster, "rack", spec={"controlPlaneEndpoint": endpoint, "cloudProviderEnabled": False})
    disk = {"url": image["url"], "checksum": image["checksum"], "checksumType": "sha256", "diskFormat": "qcow2"}
    for template, pool in (("rack-control-plane", "master"), ("rack-workers", "worker")):
        create(hub, KINDS.metal3_data_template, template, spec={"clusterName": "edge"})
        machine = {
            "image": disk,
            "automatedCleaningMode": "disabled",
            "dataTemplate": {"name": template},
            "hostSelector": {"matchLabels": {"pool": pool}},
        }
        create(hub, KINDS.metal3_machine_template, template, spec={"template": {"spec": machine}})


def test_templates_of_the_user(make_lab: MakeLab, tmp_path: Any) -> None:
    lab = make_lab(tmp_path, canary_site("capi", tmp_path))
    inventory = canary_inventory("capi", tmp_path)
    described = json.loads(inventory.read_text())["all"]
    hosts = {
        name: {**variables["openshift_host"]}
        for group in described["children"].values()
        for name, variables in group["hosts"].items()
    }
    image = described["vars"]["openshift_capi"]["metal3"]["image"]
    deployment = Deployment(lab, inventory, tmp_path).described_as(of_user)
    hub = connect({**lab.vars["openshift_hub"], "connect_to": lab.vars["openshift_connect_to"]})

    def infrastructure() -> list[Any]:
        found = [
            hub.list(kind.path("edge"))
            for kind in (KINDS.metal3_cluster, KINDS.metal3_machine_template, KINDS.metal3_data_template)
        ]
        return [[(item["metadata"]["name"], item["spec"]) for item in items] for items in found]

    write_infrastructure(hub, hosts, image)
    before = infrastructure()
    first = deployment.deployed()
    # The inventory has no hosts for the report: they are those that registered.
    assert "5 nodes ready" in first.output and "worker-1 (worker)" in first.output, first.output
    assert sorted(lab.nodes("edge").values()) == ["Ready"] * 5
    plane = hub.get(KINDS.control_plane.path("edge", "edge"))["spec"]
    (pool,) = hub.list(KINDS.core.machine_deployment.path("edge"))
    cluster = hub.get(KINDS.core.cluster.path("edge", "edge"))["spec"]
    used = (
        cluster["infrastructureRef"],
        plane["machineTemplate"]["infrastructureRef"],
        pool["spec"]["template"]["spec"]["infrastructureRef"],
    )
    template = {"apiGroup": GROUP, "kind": "Metal3MachineTemplate"}
    assert used == (
        {"apiGroup": GROUP, "kind": "Metal3Cluster", "name": "rack"},
        {**template, "name": "rack-control-plane"},
        {**template, "name": "rack-workers"},
    )
    assert [len(items) for items in infrastructure()] == [1, 2, 2], "no template of the collection"
    assert deployment.deployed().changed == 0
    # Without numbers, pools keep the sizes that an autoscaler or the user has set.
    unset = deployment.described_as(without_numbers)
    hub.merge_patch(KINDS.core.machine_deployment.path("edge", "edge-workers"), {"spec": {"replicas": 3}})
    unset.deployed()
    assert hub.get(KINDS.core.machine_deployment.path("edge", "edge-workers"))["spec"]["replicas"] == 3
    assert hub.get(KINDS.control_plane.path("edge", "edge"))["spec"]["replicas"] == REPLICAS["control-plane"]
    # The machines are known by their Nodes, and leave as those of other infrastructures do.
    grown = deployment.run("scale_node_pool", extra={"openshift_node_pool": {"replicas": 4}})
    assert grown.ok and grown.changed, grown.output
    refused = deployment.run("scale_node_pool", extra={"openshift_node_pool": {"replicas": 2}})
    assert not refused.ok and "openshift_confirm=edge" in refused.message, refused.output
    shrunk = {"openshift_node_pool": {"replicas": 2}, **CONFIRMED}
    done = deployment.run("scale_node_pool", extra=shrunk)
    assert done.ok and done.changed, done.output
    assert sum(state == "Ready" for state in lab.nodes("edge").values()) == 5
    refused = deployment.run("remove_hosts", extra={"openshift_hosts": "worker-0", **CONFIRMED})
    assert not refused.ok and "Use scale_node_pool" in refused.message, refused.output
    gone = deployment.run("destroy_cluster", extra=CONFIRMED)
    assert gone.ok, gone.output
    assert infrastructure()[1:] == before[1:], "templates of the user stay"
    assert {item["metadata"]["name"] for item in hub.list(BARE_METAL_HOST.path("edge"))} == set(hosts)
    hub.close()
