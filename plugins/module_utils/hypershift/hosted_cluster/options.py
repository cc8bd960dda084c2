# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the options of module ``hosted_cluster`` that describe the cluster: upstream's fields in snake_case.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go.
"""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]


def _text(**more: Any) -> Spec:
    return {"type": "str", **more}


def _texts() -> Spec:
    return {"type": "list", "elements": "str"}


def _part(**options: Spec) -> Spec:
    return {"type": "dict", "options": options}


def _items(**options: Spec) -> Spec:
    return {"type": "list", "elements": "dict", "options": options}


_NUMBER: Spec = {"type": "int"}
_DOCUMENT: Spec = {"type": "dict"}
_NAME = _part(name=_text())
_AVAILABILITY = _text(choices=["HighlyAvailable", "SingleReplica"])
_SERVICES = ["APIServer", "OAuthServer", "Konnectivity", "Ignition", "OIDC", "OVNSbDb"]

_NETWORKING = _part(
    network_type=_text(choices=["OVNKubernetes", "OpenShiftSDN", "Calico", "Other"]),
    cluster_network=_items(cidr=_text(required=True), host_prefix=_NUMBER),
    service_network=_texts(),
    machine_network=_texts(),
    api_server=_part(advertise_address=_text(), port=_NUMBER, allowed_cidr_blocks=_texts()),
    allocate_node_cidrs=_text(choices=["Enabled", "Disabled"]),
)
_STRATEGY = {
    **_part(
        type=_text(choices=["LoadBalancer", "NodePort", "Route", "None", "S3"], required=True),
        node_port=_part(address=_text(required=True), port=_NUMBER),
        load_balancer=_part(hostname=_text()),
        route=_part(hostname=_text()),
    ),
    "required": True,
}
_STORAGE = _part(
    type=_text(choices=["PersistentVolume"]),
    persistent_volume=_part(size=_text(), storage_class_name=_text()),
    restore_snapshot_url=_texts(),
)
_ETCD = _part(
    management_type=_text(choices=["Managed", "Unmanaged"]),
    managed=_part(storage=_STORAGE),
    unmanaged=_part(endpoint=_text(), tls=_part(client_secret={**_NAME, "no_log": False})),
)
_AUTOSCALING = _part(
    scaling=_text(choices=["ScaleUpAndScaleDown", "ScaleUpOnly"]),
    scale_down=_part(
        delay_after_add_seconds=_NUMBER,
        delay_after_delete_seconds=_NUMBER,
        delay_after_failure_seconds=_NUMBER,
        unneeded_duration_seconds=_NUMBER,
        utilization_threshold_percent=_NUMBER,
    ),
    max_nodes_total=_NUMBER,
    max_pod_grace_period=_NUMBER,
    max_node_provision_time=_text(),
    max_free_difference_ratio_percent=_NUMBER,
    pod_priority_threshold=_NUMBER,
    expanders=_texts(),
    balancing_ignored_labels=_texts(),
)

# What names a Secret is no secret; the pull secret's leaves are known to the module, which hides them.
OPTION_SPEC: Spec = {
    "release_image": _text(),
    "control_plane_release_image": _text(),
    "pull_secret": {"type": "raw", "no_log": False},
    "pull_secret_name": _text(no_log=False),
    "ssh_public_keys": {**_texts(), "no_log": False},
    "ssh_key_name": _text(no_log=False),
    "agent_namespace": _text(),
    "base_domain": _text(),
    "base_domain_prefix": _text(),
    "networking": _NETWORKING,
    "services": _items(service=_text(choices=_SERVICES, required=True), service_publishing_strategy=_STRATEGY),
    "api_server_address": _text(),
    "etcd": _ETCD,
    "secret_encryption": {
        **_part(
            type=_text(choices=["aescbc"]),
            aescbc=_part(active_key={**_NAME, "no_log": False}, backup_key={**_NAME, "no_log": False}),
        ),
        "no_log": False,
    },
    "controller_availability_policy": _AVAILABILITY,
    "infrastructure_availability_policy": _AVAILABILITY,
    "olm_catalog_placement": _text(choices=["management", "guest"]),
    "fips": {"type": "bool"},
    "capabilities": _part(enabled=_texts(), disabled=_texts()),
    "issuer_url": _text(),
    "infra_id": _text(),
    "cluster_id": _text(),
    "autoscaling": _AUTOSCALING,
    "additional_trust_bundle": _text(),
    "additional_trust_bundle_name": _text(),
    "image_content_sources": _items(source=_text(required=True), mirrors=_texts()),
    "configuration": _DOCUMENT,
    "operator_configuration": _DOCUMENT,
    "kube_api_server_dns_name": _text(),
    "node_selector": _DOCUMENT,
    "tolerations": _items(
        key=_text(no_log=False), operator=_text(), value=_text(), effect=_text(), toleration_seconds=_NUMBER
    ),
    "pod_labels": _DOCUMENT,
    "channel": _text(),
    "update_service": _text(),
    "paused_until": _text(),
    "labels": _DOCUMENT,
    "annotations": _DOCUMENT,
}
