# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the fields of each request body, as tables that are copied from the API description. A field that is not in a
table is an unknown field.
"""

from __future__ import annotations

from .schema import Field, flag, many, number, record, text

MAC = r"^([0-9A-Fa-f]{2}[:]){5}([0-9A-Fa-f]{2})$"
KERNEL_ARGUMENT = r'^(?:(?:[^ \t\n\r"]+)|(?:"[^"]*"))+$'
MANIFEST_NAME = r"^[^\/]*\.(json|ya?ml(\.patch_?[a-zA-Z0-9_]*)?)$"
ROLE_SETS = (
    "none",
    "masters",
    "arbiters",
    "workers",
    "masters,arbiters",
    "masters,workers",
    "arbiters,workers",
    "masters,arbiters,workers",
    "all",
)
ARCHITECTURES = ("x86_64", "aarch64", "arm64", "ppc64le", "s390x")
FOLDERS = ("manifests", "openshift")
STAGES = (
    "Starting installation",
    "Waiting for control plane",
    "Waiting for bootkube",
    "Waiting for controller",
    "Installing",
    "Writing image to disk",
    "Copying registry data to disk",
    "Rebooting",
    "Waiting for ignition",
    "Configuring",
    "Joined",
    "Done",
    "Failed",
)
FINALIZING_STAGES = (
    "Waiting for cluster operators",
    "Adding router ca",
    "Applying olm manifests",
    "Waiting for olm operators csv initialization",
    "Waiting for olm operators csv",
    "Waiting for OLM operator setup jobs",
    "Done",
)
STEP_TYPES = (
    "connectivity-check",
    "execute",
    "inventory",
    "install",
    "free-network-addresses",
    "dhcp-lease-allocate",
    "api-vip-connectivity-check",
    "tang-connectivity-check",
    "ntp-synchronizer",
    "installation-disk-speed-check",
    "container-image-availability",
    "domain-resolution",
    "stop-installation",
    "logs-gather",
    "next-step-runner",
    "upgrade-agent",
    "download-boot-artifacts",
    "reboot-for-reclaim",
    "verify-vips",
)
LOGS_STATES = ("requested", "collecting", "completed", "timeout", "")

PROXY = record({"http_proxy": text(), "https_proxy": text(), "no_proxy": text()})
CLUSTER_NETWORK = record({"cluster_id": text(form="uuid"), "cidr": text(form="cidr"), "host_prefix": number(1, 128)})
NETWORK = record({"cluster_id": text(form="uuid"), "cidr": text(form="cidr")})
VIP = record(
    {
        "cluster_id": text(form="uuid"),
        "ip": text(form="ip"),
        "verification": text(enum=("unverified", "failed", "succeeded")),
    }
)
PLATFORM = record(
    {
        "type": text(enum=("baremetal", "nutanix", "vsphere", "none", "external")),
        "external": record({"platform_name": text(least=1), "cloud_controller_manager": text(enum=("", "External"))}),
    },
    ("type",),
)
_CLUSTER_COMMON: dict[str, Field] = {
    "name": text(least=1, most=54),
    "base_dns_domain": text(),
    "cluster_network_cidr": text(form="cidr"),
    "cluster_network_host_prefix": number(1, 128),
    "service_network_cidr": text(form="cidr"),
    "api_vips": many(VIP),
    "ingress_vips": many(VIP),
    "pull_secret": text(),
    "ssh_public_key": text(),
    "vip_dhcp_allocation": flag(),
    "http_proxy": text(),
    "https_proxy": text(),
    "no_proxy": text(),
    "user_managed_networking": flag(),
    "additional_ntp_source": text(),
    "ntp_sources": text(),
    "olm_operators": many(record({"name": text(), "properties": text()})),
    "operator_bundles": many(record({"id": text(), "optional_operators": many(text())}, ("id",))),
    "hyperthreading": text(enum=ROLE_SETS),
    "network_type": text(enum=("OpenShiftSDN", "OVNKubernetes", "CiscoACI", "Cilium", "Calico", "None")),
    "schedulable_masters": flag(),
    "cluster_networks": many(CLUSTER_NETWORK),
    "service_networks": many(NETWORK),
    "machine_networks": many(NETWORK),
    "platform": PLATFORM,
    "disk_encryption": record(
        {"enable_on": text(enum=ROLE_SETS), "mode": text(enum=("tpmv2", "tang")), "tang_servers": text()}
    ),
    "ignition_endpoint": record({"url": text(), "ca_certificate": text()}),
    "tags": text(),
    "control_plane_count": number(),
    "load_balancer": record({"type": text(enum=("cluster-managed", "user-managed"))}),
}
CLUSTER_CREATE = record(
    _CLUSTER_COMMON
    | {
        "high_availability_mode": text(enum=("Full", "None")),
        "openshift_version": text(),
        "ocp_release_image": text(),
        "cpu_architecture": text(enum=(*ARCHITECTURES, "multi")),
    },
    ("name", "openshift_version", "pull_secret"),
)
CLUSTER_UPDATE = record(_CLUSTER_COMMON | {"api_vip_dns_name": text(), "machine_network_cidr": text(form="cidr")})
CLUSTER_IMPORT = record(
    {"name": text(), "api_vip_dnsname": text(), "openshift_version": text(), "openshift_cluster_id": text(form="uuid")},
    ("name", "api_vip_dnsname", "openshift_cluster_id"),
)
CLUSTER_DISCONNECTED = record(
    {"name": text(least=1, most=54), "openshift_version": text()}, ("name", "openshift_version")
)

STATIC_NETWORK = record(
    {
        "network_yaml": text(),
        "mac_interface_map": many(
            record({"mac_address": text(pattern=MAC), "logical_nic_name": text()}, ("mac_address",))
        ),
    }
)
_INFRA_ENV_COMMON: dict[str, Field] = {
    "proxy": PROXY,
    "additional_ntp_sources": text(),
    "ntp_sources": text(),
    "ssh_authorized_key": text(),
    "pull_secret": text(),
    "static_network_config": many(STATIC_NETWORK),
    "rendezvous_ip": text(form="ip"),
    "image_type": text(enum=("full-iso", "minimal-iso", "disconnected-iso")),
    "ignition_config_override": text(),
    "kernel_arguments": many(
        record({"operation": text(enum=("append", "replace", "delete")), "value": text(pattern=KERNEL_ARGUMENT)})
    ),
    "additional_trust_bundle": text(most=65535),
    "openshift_version": text(),
    "network_discovery_delay_seconds": number(0),
}
INFRA_ENV_CREATE = record(
    _INFRA_ENV_COMMON | {"name": text(), "cluster_id": text(form="uuid"), "cpu_architecture": text(enum=ARCHITECTURES)},
    ("name", "pull_secret"),
)
INFRA_ENV_UPDATE = record(_INFRA_ENV_COMMON)

KEY_VALUE = record({"key": text(), "value": text()}, ("key", "value"))
HOST_CREATE = record({"host_id": text(form="uuid"), "discovery_agent_version": text()}, ("host_id",))
HOST_UPDATE = record(
    {
        "host_role": text(enum=("auto-assign", "master", "arbiter", "worker")),
        "host_name": text(),
        "disks_selected_config": many(record({"id": text(), "role": text(enum=("none", "install"))}, ("id",))),
        "disks_skip_formatting": many(
            record({"disk_id": text(), "skip_formatting": flag()}, ("disk_id", "skip_formatting"))
        ),
        "machine_config_pool_name": text(),
        "ignition_endpoint_token": text(),
        "ignition_endpoint_http_headers": many(KEY_VALUE),
        "node_labels": many(KEY_VALUE),
        "fencing_credentials": record(
            {
                "address": text(),
                "username": text(),
                "password": text(),
                "certificate_verification": text(enum=("Enabled", "Disabled")),
                "mac_address": text(),
            },
            ("address", "username", "password"),
        ),
    }
)
HOST_BIND = record({"cluster_id": text(form="uuid")}, ("cluster_id",))
HOST_PROGRESS = record({"current_stage": text(enum=STAGES), "progress_info": text()})
INSTALLER_ARGS = record({"args": many(text())})
HOST_IGNITION = record({"config": text()})
STEP_REPLY = record(
    {"step_type": text(enum=STEP_TYPES), "step_id": text(), "exit_code": number(), "output": text(), "error": text()}
)
LOGS_PROGRESS = record({"logs_state": text(enum=LOGS_STATES)}, ("logs_state",))
FINALIZING_PROGRESS = record({"finalizing_stage": text(enum=FINALIZING_STAGES)})
OPERATOR_REPORT = record(
    {
        "name": text(),
        "version": text(),
        "status": text(enum=("failed", "progressing", "available")),
        "status_info": text(),
    }
)
COMPLETION = record({"is_success": flag(), "error_info": text(), "data": Field("object")}, ("is_success",))
IGNORED_VALIDATIONS = record({"host-validation-ids": text(), "cluster-validation-ids": text()})
JSON_TEXT = text()
MANIFEST_CREATE = record(
    {"folder": text(enum=FOLDERS), "file_name": text(pattern=MANIFEST_NAME), "content": text()},
    ("file_name", "content"),
)
MANIFEST_UPDATE = record(
    {
        "folder": text(enum=FOLDERS),
        "file_name": text(pattern=MANIFEST_NAME),
        "updated_folder": text(enum=FOLDERS),
        "updated_file_name": text(pattern=MANIFEST_NAME),
        "updated_content": text(),
    },
    ("folder", "file_name"),
)
EVENT = record(
    {
        "name": text(),
        "cluster_id": text(form="uuid"),
        "host_id": text(form="uuid"),
        "infra_env_id": text(form="uuid"),
        "severity": text(enum=("info", "warning", "error", "critical")),
        "category": text(enum=("user", "metrics")),
        "message": text(),
        "event_time": text(),
        "request_id": text(form="uuid"),
        "props": text(),
    },
    ("severity", "message", "event_time"),
)
