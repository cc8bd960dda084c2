# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: an OpenShift Assisted cluster with every field set, and the API versions of its kinds that hubs serve."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.desired import read_desired
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.kinds import AssistedKinds
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.objects import (
    WantedObject,
    cluster_objects,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.kinds import CoreKinds

from .assisted_cluster import description, host, pool

VERSIONS = {"newer": AssistedKinds(), "older": AssistedKinds(CoreKinds("v1beta1"), "v1alpha2", "v1alpha1", "v1beta1")}
LIMITS = {
    "node_drain_timeout": 3661,
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
NEWER_FIELDS: dict[str, Any] = {
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
    "masters_schedulable": True,
    "capabilities": {"baseline_capability": "None", "additional_enabled_capabilities": ["Console"]},
    "image_registry_name": "mirrors",
}


def every_field(*, newer: bool, **more: Any) -> dict[str, Any]:
    """A description with every field; those that only newer versions have with ``newer``."""
    hosts = [host(1, boot_mode="UEFI", root_device_hints={"deviceName": "/dev/sda"}), *description()["hosts"][1:]]
    hosts[0] |= {
        "interfaces": [{"name": "e", "mac_address": "52:54:00:00:00:01"}],
        "network_config": {"interfaces": []},
    }
    return description(
        **CLUSTER,
        config=CONFIG | (NEWER_FIELDS if newer else {}),
        control_plane={"replicas": 3, **LIMITS},
        machine_deployments=[pool(deletion_order="Oldest", **LIMITS)],
        hosts=hosts,
        **more,
    )


# Both versions of the providers' kinds beside the same Cluster API and Metal3.
SERVED = {
    "older": AssistedKinds(CoreKinds("v1beta2"), "v1alpha2", "v1alpha1", "v1beta1"),
    "newer": AssistedKinds(CoreKinds("v1beta2"), "v1alpha3", "v1alpha2", "v1beta1"),
}
CONVERSIONS = Path(__file__).parents[2] / "unit" / "capi" / "assisted" / "conversions.json"


@dataclasses.dataclass(frozen=True)
class Conversion:
    """Objects that the collection writes in one version and reads in the other.

    ``upgrade`` is a version that is asked for in the newer form meanwhile.
    """

    written: str
    read: str
    newer_fields: bool = False
    upgrade: str = ""

    def objects(self, served: str, namespace: str) -> dict[str, WantedObject]:
        """The providers' kinds, as the collection writes them in a version."""
        desired, kinds = read_desired(every_field(newer=self.newer_fields, namespace=namespace)), SERVED[served]
        chosen = (kinds.control_plane, kinds.config_template)
        return {each.resource.kind: each for each in cluster_objects(desired, kinds) if each.resource in chosen}


# By namespace.
CASES = {
    "older-first": Conversion("older", "newer"),
    "newer-first": Conversion("newer", "older"),
    "newer-fields": Conversion("newer", "older", newer_fields=True),
    "changed-later": Conversion("older", "older", upgrade="4.20.9"),
}
