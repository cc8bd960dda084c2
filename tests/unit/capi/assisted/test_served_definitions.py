# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""All objects against upstream's definitions, in the older and the newer versions of each kind, with every field that a
version has.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.desired import read_desired
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.field_table import (
    CLUSTER_FIELDS,
    CONFIG_FIELDS,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.kinds import AssistedKinds
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.objects import (
    bare_metal_hosts,
    cluster_objects,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.kinds import CoreKinds
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import BARE_METAL_HOST
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.resource import Resource
from ansible_collections.zerotouch.openshift.tests.support.hub import definitions
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import description, host, pool

VERSIONS = {"newer": AssistedKinds(), "older": AssistedKinds(CoreKinds("v1beta1"), "v1alpha2", "v1alpha1", "v1beta1")}
LIMITS = {
    "node_drain_timeout": 600,
    "node_volume_detach_timeout": 0,
    "node_deletion_timeout": 60,
    "labels": {"a": "b"},
    "annotations": {"c": "d"},
}
CONFIG: dict[str, Any] = {
    "image_proxy": {"http_proxy": "http://p", "https_proxy": "http://p", "no_proxy": "x"},
    "additional_ntp_sources": ["ntp"],
    "arch": "x86_64",
    "kernel_arguments": [{"operation": "append", "value": "a=b"}],
    "additional_trust_bundle": "-----BEGIN CERTIFICATE-----",
    "ignition_override": '{"ignition": {"version": "3.1.0"}}',
    "node_name": "$METADATA_NAME",
    "nmstate_config_selector": {"matchLabels": {"a": "b"}},
}
NEWER: dict[str, Any] = {
    "pre_bootstrap_commands": ["true"],
    "post_bootstrap_commands": ["true"],
    "bootstrap_command_sentinel_dir": "/var/lib/x",
    "post_bootstrap_kubeconfig_path": "/var/lib/kubeconfig",
    "provider_id": "metal3://$METADATA_UUID",
}
CLUSTER: dict[str, Any] = {
    "manifests_config_maps": ["m"],
    "disk_encryption": {"enable_on": "all", "mode": "tang", "tang_servers": "[]"},
    "cluster_proxy": {"http_proxy": "http://p", "https_proxy": "http://p", "no_proxy": "x"},
    "masters_schedulable": False,
    "capabilities": {"baseline_capability": "None", "additional_enabled_capabilities": ["Console"]},
    "image_registry_name": "mirrors",
}


def faults(resource: Resource, desired: dict[str, Any]) -> list[tuple[str, str]]:
    return definitions.faults({"apiVersion": resource.api_version, "kind": resource.kind, "spec": desired["spec"]})


@pytest.mark.parametrize("served", VERSIONS)
def test_every_object_fits(served: str) -> None:
    config = CONFIG | (NEWER if served == "newer" else {})
    hosts = [host(1, boot_mode="UEFI", root_device_hints={"deviceName": "/dev/sda"}), *description()["hosts"][1:]]
    hosts[0] |= {
        "interfaces": [{"name": "e", "mac_address": "52:54:00:00:00:01"}],
        "network_config": {"interfaces": []},
    }
    pools = [pool(deletion_order="Oldest", **LIMITS)]
    options = description(
        **CLUSTER, config=config, control_plane={"replicas": 3, **LIMITS}, machine_deployments=pools, hosts=hosts
    )
    desired, kinds = read_desired(options), VERSIONS[served]
    checked = set()
    for wanted in cluster_objects(desired, kinds):
        if wanted.resource.group:
            assert faults(wanted.resource, wanted.desired) == [], wanted.resource
            checked.add(wanted.resource.kind)
    for each in bare_metal_hosts(desired):
        assert faults(BARE_METAL_HOST, each.bare_metal_host) == []
    assert len(checked) == 8


def test_fields_that_older_versions_lack_are_found() -> None:
    desired, kinds = read_desired(description(config=NEWER)), VERSIONS["older"]
    plane = next(wanted for wanted in cluster_objects(desired, kinds) if wanted.resource == kinds.control_plane)
    found = {path.rpartition(".")[2] for path, _text in faults(plane.resource, plane.desired)}
    assert found == {row.upstream.rpartition(".")[2] for row in CONFIG_FIELDS if row.since}


def test_every_field_of_the_definitions_has_a_row() -> None:
    def leaves(schema: Any, path: str = "") -> set[str]:
        properties = schema.get("properties") or {}
        if not properties or path == "nmStateConfigLabelSelector" or "Ref" in path:
            return {path}
        return {leaf for name, each in properties.items() for leaf in leaves(each, f"{path}.{name}" if path else name)}

    spec = definitions.schemas()["controlplane.cluster.x-k8s.io/v1alpha3", "OpenshiftAssistedControlPlane"][
        "properties"
    ]["spec"]["properties"]
    of_cluster = {"clusterName", "pullSecretRef", "imageRegistryRef"}
    assert leaves(spec["openshiftAssistedConfigSpec"]) == {row.upstream for row in CONFIG_FIELDS} | {"pullSecretRef"}
    assert leaves(spec["config"]) == {row.upstream for row in CLUSTER_FIELDS} | of_cluster
