# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test rendering the Kubernetes objects of a cluster (Cluster API with the assisted providers), in each API version
that hubs serve.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.desired import read_desired
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.kinds import AssistedKinds
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.objects import (
    STARTED,
    bare_metal_hosts,
    cluster_objects,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.kinds import CoreKinds
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import (
    NS,
    PULL_SECRET,
    description,
    pool,
)

NEW = AssistedKinds()
OLD = AssistedKinds(CoreKinds("v1beta1"), "v1alpha2", "v1alpha1", "v1beta1")
LABEL = {"cluster.x-k8s.io/cluster-name": "c1"}
OURS = {"zerotouch.openshift/capi-cluster": "c1", "zerotouch.openshift/namespace": NS}


def rendered(kinds: AssistedKinds = NEW, **options: Any) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for wanted in cluster_objects(read_desired(description(**options)), kinds):
        found.setdefault(wanted.resource.kind, []).append(wanted.desired)
    return found


def test_a_cluster() -> None:
    found = rendered()
    [cluster], [control_plane], [deployment] = (
        found[kind] for kind in ("Cluster", "OpenshiftAssistedControlPlane", "MachineDeployment")
    )
    assert cluster["spec"] == {
        "clusterNetwork": {"pods": {"cidrBlocks": ["10.128.0.0/14"]}, "services": {"cidrBlocks": ["172.30.0.0/16"]}},
        "controlPlaneRef": {
            "apiGroup": "controlplane.cluster.x-k8s.io",
            "kind": "OpenshiftAssistedControlPlane",
            "name": "c1",
        },
        "infrastructureRef": {"apiGroup": "infrastructure.cluster.x-k8s.io", "kind": "Metal3Cluster", "name": "c1"},
    }
    config = {
        "cpuArchitecture": "x86_64",
        "sshAuthorizedKey": "ssh-ed25519 AAAA core",
        "pullSecretRef": {"name": "c1-pull-secret"},
        "nodeRegistration": {"name": "$METADATA_NAME", "kubeletExtraLabels": ["metal3.io/uuid=$METADATA_UUID"]},
        "nmStateConfigLabelSelector": {"matchLabels": OURS},
    }
    machines = [item["metadata"]["name"] for item in found["Metal3MachineTemplate"]]
    assert control_plane["metadata"] == {
        "name": "c1",
        "namespace": NS,
        "labels": LABEL,
        "annotations": {
            "cluster.x-k8s.io/release-image-repository-override": "quay.io/openshift-release-dev/ocp-release",
            "zerotouch.openshift/workers": "2",
        },
    }
    assert control_plane["spec"] == {
        "distributionVersion": "4.20.3",
        "replicas": 3,
        "machineTemplate": {
            "infrastructureRef": {
                "apiGroup": "infrastructure.cluster.x-k8s.io",
                "kind": "Metal3MachineTemplate",
                "name": machines[0],
            }
        },
        "openshiftAssistedConfigSpec": config,
        "config": {
            "baseDomain": "lab.example",
            "apiVIPs": ["192.0.2.40"],
            "ingressVIPs": ["192.0.2.41"],
            "sshAuthorizedKey": "ssh-ed25519 AAAA core",
            "clusterName": "c1",
            "pullSecretRef": {"name": "c1-pull-secret"},
        },
    }
    [template] = found["OpenshiftAssistedConfigTemplate"]
    assert template["spec"] == {"template": {"spec": config}}
    assert deployment["metadata"]["labels"] == LABEL  # without it the provider does not count its workers
    assert deployment["spec"]["template"]["spec"] == {
        "clusterName": "c1",
        "bootstrap": {
            "configRef": {
                "apiGroup": "bootstrap.cluster.x-k8s.io",
                "kind": "OpenshiftAssistedConfigTemplate",
                "name": template["metadata"]["name"],
            }
        },
        "infrastructureRef": {
            "apiGroup": "infrastructure.cluster.x-k8s.io",
            "kind": "Metal3MachineTemplate",
            "name": machines[1],
        },
    }
    [secret] = found["Secret"]
    assert (
        secret["type"] == "kubernetes.io/dockerconfigjson"
        and base64.b64decode(secret["data"][".dockerconfigjson"]).decode() == PULL_SECRET
    )
    [infrastructure] = found["Metal3Cluster"]
    assert infrastructure["spec"] == {
        "controlPlaneEndpoint": {"host": "api.c1.lab.example", "port": 6443},
        "cloudProviderEnabled": False,
    }


def test_the_cluster_is_written_last() -> None:
    objects = cluster_objects(read_desired(description()), NEW)
    assert [wanted.resource.kind for wanted in objects if wanted.stage == STARTED] == ["Cluster"]
    assert [wanted.stage for wanted in objects] == sorted(wanted.stage for wanted in objects)


def test_the_machine_template_selects_the_hosts_of_its_pool() -> None:
    found = rendered()
    specs = [item["spec"]["template"]["spec"] for item in found["Metal3MachineTemplate"]]
    hosts = bare_metal_hosts(read_desired(description()))
    for spec, name, count in zip(specs, ("control-plane", "workers"), (3, 2), strict=True):
        wanted = spec["hostSelector"]["matchLabels"]
        assert wanted == {**OURS, "zerotouch.openshift/capi-pool": name}
        assert sum(wanted.items() <= host.bare_metal_host["metadata"]["labels"].items() for host in hosts) == count
    assert specs[0]["image"] == {
        "url": "http://images/rhcos-nutanix.qcow2",
        "checksum": "http://images/sha256sum.txt",
        "checksumType": "sha256",
        "diskFormat": "qcow2",
    }
    assert [specs[0]["dataTemplate"]["name"], specs[1]["dataTemplate"]["name"]] == [
        item["metadata"]["name"] for item in found["Metal3DataTemplate"]
    ]


def test_older_versions() -> None:
    limits = {"node_drain_timeout": 600, "node_deletion_timeout": 0}
    options = {
        "control_plane": {"replicas": 3, "labels": {}, "annotations": {}, **limits},
        "machine_deployments": [pool(**limits)],
    }
    found = rendered(OLD, **options)
    machine = found["OpenshiftAssistedControlPlane"][0]["spec"]["machineTemplate"]
    assert (
        machine["nodeDrainTimeout"] == "10m0s" and machine["nodeDeletionTimeout"] == "0s" and "deletion" not in machine
    )
    assert (
        machine["infrastructureRef"]["apiVersion"] == "infrastructure.cluster.x-k8s.io/v1beta1"
        and machine["infrastructureRef"]["namespace"] == NS
    )
    worker = found["MachineDeployment"][0]["spec"]["template"]["spec"]
    assert worker["bootstrap"]["configRef"]["apiVersion"] == "bootstrap.cluster.x-k8s.io/v1alpha1"
    assert worker["infrastructureRef"]["apiVersion"] == "infrastructure.cluster.x-k8s.io/v1beta1"
    assert found["Cluster"][0]["spec"]["controlPlaneRef"]["apiVersion"] == "controlplane.cluster.x-k8s.io/v1alpha2"
    assert found["Metal3Cluster"][0]["spec"]["noCloudProvider"] is True
    assert found["Metal3MachineTemplate"][0]["spec"]["template"]["spec"]["image"]["format"] == "qcow2"
    newer = rendered(**options)
    assert newer["OpenshiftAssistedControlPlane"][0]["spec"]["machineTemplate"]["deletion"] == {
        "nodeDrainTimeoutSeconds": 600,
        "nodeDeletionTimeoutSeconds": 0,
    }


def test_templates_of_the_user() -> None:
    cluster = {"api_group": "infrastructure.cluster.x-k8s.io", "kind": "KubevirtCluster", "name": "k"}
    machine = {"api_group": "infrastructure.cluster.x-k8s.io", "kind": "KubevirtMachineTemplate", "name": "m"}
    found = rendered(
        infrastructure="user_templates",
        infrastructure_ref=cluster,
        control_plane={"replicas": 3, "infrastructure_ref": machine},
        machine_deployments=[pool(infrastructure_ref=machine)],
    )
    assert not {kind for kind in found if kind.startswith("Metal3")}
    reference = {"apiGroup": machine["api_group"], "kind": machine["kind"], "name": "m"}
    assert found["OpenshiftAssistedControlPlane"][0]["spec"]["machineTemplate"]["infrastructureRef"] == reference
    assert found["MachineDeployment"][0]["spec"]["template"]["spec"]["infrastructureRef"] == reference
    assert found["Cluster"][0]["spec"]["infrastructureRef"]["kind"] == "KubevirtCluster"
    assert "nodeRegistration" not in found["OpenshiftAssistedControlPlane"][0]["spec"]["openshiftAssistedConfigSpec"]


def test_install_config_override() -> None:
    def override(**options: Any) -> Any:
        annotations = rendered(**options)["OpenshiftAssistedControlPlane"][0]["metadata"]["annotations"]
        return json.loads(annotations.get("controlplane.cluster.x-k8s.io/install-config-override", "null"))

    assert override() is None
    both = {"pods": ["10.128.0.0/14", "fd01::/48"], "services": ["172.30.0.0/16", "fd02::/112"], "service_domain": None}
    networks = [{"cidr": "10.128.0.0/14", "hostPrefix": 23}, {"cidr": "fd01::/48", "hostPrefix": 64}]
    assert override(cluster_network=both) == {"networking": {"clusterNetwork": networks}}
    found = override(
        host_prefixes={"10.128.0.0/14": 24}, machine_network=["192.0.2.0/24"], install_config_overrides={"fips": True}
    )
    assert found == {
        "fips": True,
        "networking": {
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 24}],
            "machineNetwork": [{"cidr": "192.0.2.0/24"}],
        },
    }


def test_okd_has_a_placeholder_of_its_own_and_no_repository() -> None:
    found = rendered(version="4.20.0-okd-scos.5", pull_secret=None)
    assert "fake-pull-secret" in base64.b64decode(found["Secret"][0]["data"][".dockerconfigjson"]).decode()
    assert (
        "cluster.x-k8s.io/release-image-repository-override"
        not in found["OpenshiftAssistedControlPlane"][0]["metadata"]["annotations"]
    )


def test_the_config_of_a_pool_adds_to_that_of_the_cluster() -> None:
    own = {"pre_bootstrap_commands": ["true"], "ignition_override": '{"ignition": {"version": "3.1.0"}}'}
    found = rendered(
        config={"arch": "aarch64", "additional_ntp_sources": ["ntp"]}, machine_deployments=[pool(config=own)]
    )
    [template] = found["OpenshiftAssistedConfigTemplate"]
    spec = template["spec"]["template"]["spec"]
    assert (spec["cpuArchitecture"], spec["additionalNTPSources"], spec["preBootstrapCommands"]) == (
        "aarch64",
        ["ntp"],
        ["true"],
    )
    annotations = {"openshiftassistedconfig.cluster.x-k8s.io/ignition-override": own["ignition_override"]}
    assert template["spec"]["template"]["metadata"] == {"annotations": annotations}
    control_plane = found["OpenshiftAssistedControlPlane"][0]["spec"]
    assert (
        "preBootstrapCommands" not in control_plane["openshiftAssistedConfigSpec"]
        and "metadata" not in control_plane["machineTemplate"]
    )


def test_another_content_is_another_name() -> None:
    def name(**options: Any) -> str:
        return str(rendered(**options)["OpenshiftAssistedConfigTemplate"][0]["metadata"]["name"])

    assert name() == name() != name(ssh_public_keys=["ssh-ed25519 BBBB core"])


def test_network_configurations_of_hosts() -> None:
    hosts = description()["hosts"]
    hosts[0] |= {
        "interfaces": [{"name": "eth0", "mac_address": "52-54-00-00-00-01"}],
        "network_config": {"interfaces": []},
    }
    [config] = rendered(hosts=hosts)["NMStateConfig"]
    assert config["spec"] == {
        "interfaces": [{"name": "eth0", "macAddress": "52:54:00:00:00:01"}],
        "config": {"interfaces": []},
    }
    assert config["metadata"]["labels"] == {**LABEL, **OURS}


def test_the_control_plane_is_written_after_its_pools_with_their_workers() -> None:
    """Upstream counts workers only when the control plane changes."""
    objects = cluster_objects(read_desired(description(workers=3)), AssistedKinds())
    plane = next(wanted for wanted in objects if wanted.resource.kind == "OpenshiftAssistedControlPlane")
    assert plane.desired["metadata"]["annotations"]["zerotouch.openshift/workers"] == "3"
    assert all(wanted.stage < plane.stage for wanted in objects if wanted.resource.kind == "MachineDeployment")
    kept = dataclasses.replace(
        read_desired(description(machine_deployments=[pool(), pool("more", None)])), present_sizes={"more": 4}
    )
    plane = next(each for each in cluster_objects(kept, AssistedKinds()) if each.resource == plane.resource)
    assert plane.desired["metadata"]["annotations"]["zerotouch.openshift/workers"] == "6", "a pool that keeps its size"
