# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Valid documents of remote services: the input that the fuzz targets mutate."""

from __future__ import annotations

import json
from typing import Any

CONDITIONS = [
    {"type": "Ready", "status": "True", "reason": "r", "message": "m", "lastTransitionTime": "2026-11-21T10:00:00Z"}
]
HOST_ID, CLUSTER_ID, INFRA_ENV_ID = (
    "11111111-1111-4111-8111-111111111111",
    "22222222-2222-4222-8222-222222222222",
    "33333333-3333-4333-8333-333333333333",
)
INVENTORY = {
    "hostname": "master-0",
    "bmc_address": "192.0.2.5",
    "interfaces": [
        {
            "name": "eth0",
            "mac_address": "52:54:00:00:00:01",
            "ipv4_addresses": ["192.0.2.10/24"],
            "ipv6_addresses": [],
            "has_carrier": True,
        }
    ],
    "disks": [
        {
            "id": "/dev/disk/by-id/wwn-0",
            "name": "sda",
            "path": "/dev/sda",
            "size_bytes": 10**11,
            "drive_type": "SSD",
            "serial": "s",
            "installation_eligibility": {"eligible": True, "not_eligible_reasons": []},
        }
    ],
    "memory": {"physical_bytes": 1 << 34, "usable_bytes": 1 << 34},
    "cpu": {"count": 8, "architecture": "x86_64", "model_name": "x"},
    "system_vendor": {"serial_number": "S1", "manufacturer": "Contoso", "product_name": "P", "virtual": False},
    "routes": [{"interface": "eth0", "gateway": "192.0.2.1", "destination": "0.0.0.0", "family": 2}],
}
VALIDATIONS = {
    "hardware": [{"id": "has-min-cpu-cores", "status": "failure", "message": "too few"}],
    "network": [{"id": "ntp-synced", "status": "success", "message": "ok"}],
}
HOST: dict[str, Any] = {
    "id": HOST_ID,
    "kind": "Host",
    "href": "/x",
    "cluster_id": CLUSTER_ID,
    "infra_env_id": INFRA_ENV_ID,
    "status": "known",
    "status_info": "ready",
    "requested_hostname": "master-0",
    "role": "master",
    "suggested_role": "master",
    "bootstrap": True,
    "inventory": json.dumps(INVENTORY),
    "validations_info": json.dumps(VALIDATIONS),
    "installation_disk_id": "/dev/disk/by-id/wwn-0",
    "installation_disk_path": "/dev/sda",
    "progress": {
        "current_stage": "Writing image to disk",
        "progress_info": "5%",
        "installation_percentage": 20,
        "stage_started_at": "2026-11-21T10:00:00.000Z",
        "stage_updated_at": "2026-11-21T10:01:00.000Z",
    },
    "progress_stages": ["Starting installation", "Rebooting", "Done"],
    "checked_in_at": "2026-11-21T10:00:00.000Z",
    "updated_at": "2026-11-21T10:00:00.000Z",
    "created_at": "2026-11-21T09:00:00.000Z",
    "node_labels": "{}",
    "ntp_sources": "[]",
    "disks_info": "{}",
}
CLUSTER: dict[str, Any] = {
    "id": CLUSTER_ID,
    "kind": "Cluster",
    "name": "demo",
    "base_dns_domain": "example.com",
    "openshift_version": "4.22.0",
    "status": "installing",
    "status_info": "x",
    "validations_info": json.dumps(VALIDATIONS),
    "progress": {"total_percentage": 30, "installing_stage_percentage": 10},
    "hosts": [HOST],
    "api_vips": [{"ip": "192.0.2.2"}],
    "ingress_vips": [{"ip": "192.0.2.3"}],
    "machine_networks": [{"cidr": "192.0.2.0/24"}],
    "cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 23}],
    "service_networks": [{"cidr": "172.30.0.0/16"}],
    "monitored_operators": [{"name": "console", "status": "available", "status_info": "x"}],
    "feature_usage": "{}",
    "created_at": "2026-11-21T09:00:00.000Z",
    "install_started_at": "2026-11-21T09:30:00.000Z",
    "high_availability_mode": "Full",
    "control_plane_count": 3,
    "platform": {"type": "baremetal"},
    "cpu_architecture": "x86_64",
    "image_info": {},
    "olm_operators": [],
    "logs_info": "completed",
}
INFRA_ENV: dict[str, Any] = {
    "id": INFRA_ENV_ID,
    "name": "demo",
    "cluster_id": CLUSTER_ID,
    "openshift_version": "4.22",
    "cpu_architecture": "x86_64",
    "type": "full-iso",
    "download_url": "https://image.example.com/x.iso",
    "expires_at": "2026-11-22T10:00:00.000Z",
    "static_network_config": "[]",
    "proxy": {},
    "pull_secret_set": True,
    "kernel_arguments": "[]",
    "updated_at": "2026-11-21T10:00:00.000Z",
}
EVENT: dict[str, Any] = {
    "name": "x",
    "severity": "info",
    "event_time": "2026-11-21T10:00:00.000Z",
    "message": "Host master-0: x",
    "props": "{}",
    "host_id": HOST_ID,
}

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "name": "worker-0",
        "labels": {"node-role.kubernetes.io/worker": ""},
        "annotations": {"a": "b"},
        "uid": "u",
        "resourceVersion": "5",
    },
    "spec": {"providerID": "x"},
    "status": {
        "conditions": CONDITIONS,
        "addresses": [{"type": "InternalIP", "address": "192.0.2.10"}],
        "nodeInfo": {"systemUUID": "u"},
    },
}
CLUSTER_VERSION = {
    "metadata": {"name": "version"},
    "spec": {"clusterID": "c"},
    "status": {"desired": {"version": "4.22.0"}, "history": [], "conditions": CONDITIONS},
}
CLUSTER_OPERATOR = {"metadata": {"name": "console"}, "status": {"conditions": [{**CONDITIONS[0], "type": "Available"}]}}
INFRA_ENV_OBJECT = {
    "apiVersion": "agent-install.openshift.io/v1beta1",
    "kind": "InfraEnv",
    "metadata": {"name": "demo", "namespace": "lab", "generation": 1, "labels": {}, "annotations": {}},
    "spec": {
        "clusterRef": {"name": "demo", "namespace": "lab"},
        "pullSecretRef": {"name": "p"},
        "nmStateConfigLabelSelector": {"matchLabels": {"a": "b"}},
    },
    "status": {
        "isoDownloadURL": "https://image.example.com/byapikey/a.b.c/4.22/x86_64/full.iso",
        "createdTime": "2026-11-21T10:00:00Z",
        "infraEnvDebugInfo": {"eventsURL": "https://x/events?infra_env_id=33333333-3333-4333-8333-333333333333"},
        "bootArtifacts": {"kernel": "k", "initrd": "i"},
        "conditions": [{**CONDITIONS[0], "type": "ImageCreated"}],
        "agentLabelSelector": {"matchLabels": {"a": "b"}},
    },
}
HOSTED_CLUSTER = {
    "metadata": {"name": "guest", "namespace": "clusters", "generation": 1},
    "spec": {"release": {"image": "quay.io/x:4.22.0-x86_64"}},
    "status": {
        "conditions": [{**CONDITIONS[0], "type": "Available"}],
        "kubeconfig": {"name": "k"},
        "kubeadminPassword": {"name": "p"},
        "controlPlaneEndpoint": {"host": "192.0.2.2", "port": 6443},
        "version": {"history": [{"state": "Completed", "version": "4.22.0", "image": "x"}]},
    },
}
NMSTATE = {
    "interfaces": [
        {
            "name": "eth0",
            "type": "ethernet",
            "state": "up",
            "mac-address": "52:54:00:00:00:01",
            "mtu": 1500,
            "ipv4": {"enabled": True, "dhcp": False, "address": [{"ip": "192.0.2.10", "prefix-length": 24}]},
            "ipv6": {"enabled": False},
        },
        {
            "name": "bond0",
            "type": "bond",
            "state": "up",
            "link-aggregation": {"mode": "802.3ad", "port": ["eth1", "eth2"], "options": {"miimon": "100"}},
        },
        {"name": "bond0.5", "type": "vlan", "state": "up", "vlan": {"base-iface": "bond0", "id": 5}},
        {
            "name": "br0",
            "type": "linux-bridge",
            "state": "up",
            "bridge": {
                "options": {"stp": {"enabled": False}},
                "port": [{"name": "eth3", "vlan": {"mode": "access", "tag": 3}}],
            },
        },
        {
            "name": "br-ex",
            "type": "ovs-bridge",
            "state": "up",
            "bridge": {"port": [{"name": "eth4"}, {"name": "br-ex"}]},
        },
    ],
    "dns-resolver": {"config": {"server": ["192.0.2.1"], "search": ["example.com"]}},
    "routes": {
        "config": [
            {
                "destination": "0.0.0.0/0",
                "next-hop-address": "192.0.2.1",
                "next-hop-interface": "eth0",
                "table-id": 254,
                "metric": 100,
            }
        ]
    },
    "route-rules": {"config": [{"ip-from": "192.0.2.0/24", "route-table": 200, "priority": 100}]},
}
