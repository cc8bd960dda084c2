# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the options of module ``assisted_control_plane`` that describe a cluster."""

from __future__ import annotations

from typing import Any

from ...kube.connection import CONNECTION_OPTIONS
from .field_table import CLUSTER_FIELDS, CONFIG_FIELDS, option_specs

Spec = dict[str, Any]

INFRASTRUCTURES = ("metal3", "user_templates")
_TEXT: Spec = {"type": "str"}
_NEEDED: Spec = {"type": "str", "required": True}
_TEXTS: Spec = {"type": "list", "elements": "str"}
_NUMBER: Spec = {"type": "int"}
_DICT: Spec = {"type": "dict"}
_REFERENCE: Spec = {"type": "dict", "options": {"api_group": _NEEDED, "kind": _NEEDED, "name": _NEEDED}}
_BMC: Spec = {
    "type": "dict",
    "options": {
        "address": _TEXT,
        "username": _TEXT,
        "password": {"type": "str", "no_log": True},
        "validate_certs": {"type": "bool", "default": True},
        "ca_cert": _TEXT,
        "fingerprint": _TEXT,
        "clear_jobs": {"type": "bool", "default": False},
    },
}


def _config() -> Spec:
    return {
        "type": "dict",
        "options": {
            **option_specs(CONFIG_FIELDS),
            "discovery_ignition_override": {"type": "json"},
            "ignition_override": {"type": "json"},
        },
    }


def _machines() -> dict[str, Spec]:
    """What the control plane and every pool have."""
    limits = dict.fromkeys(("node_drain_timeout", "node_volume_detach_timeout", "node_deletion_timeout"), _NUMBER)
    return {
        "replicas": _NUMBER,
        "labels": {"type": "dict", "default": {}},
        "annotations": {"type": "dict", "default": {}},
        "infrastructure_ref": _REFERENCE,
        "host_selector": _DICT,
        **limits,
    }


def _metal3() -> Spec:
    image = {
        "url": _NEEDED,
        "checksum": _NEEDED,
        "checksum_type": {"type": "str", "choices": ["md5", "sha256", "sha512"], "default": "sha256"},
        "format": {"type": "str", "choices": ["raw", "qcow2", "vdi", "vmdk"], "default": "qcow2"},
    }
    options = {
        "image": {"type": "dict", "required": True, "options": image},
        "node_reuse": {"type": "bool", "default": False},
        "automated_cleaning_mode": {"type": "str", "choices": ["disabled", "metadata"], "default": "disabled"},
        "meta_data": _DICT,
    }
    return {"type": "dict", "options": options}


def _hosts() -> Spec:
    interfaces = {"type": "list", "elements": "dict", "options": {"name": _NEEDED, "mac_address": _NEEDED}}
    options = {
        "name": _NEEDED,
        "pool": {"type": "str", "default": "control-plane"},
        "boot_mac_address": _TEXT,
        "bmc": _BMC,
        "boot_mode": {"type": "str", "choices": ["UEFI", "UEFISecureBoot", "legacy"]},
        "root_device_hints": _DICT,
        "interfaces": interfaces,
        "network_config": _DICT,
    }
    return {"type": "list", "elements": "dict", "options": options}


def control_plane_argument_spec() -> dict[str, Any]:
    lists = dict.fromkeys(("pods", "services"), _TEXTS)
    pool = {
        "name": _NEEDED,
        **_machines(),
        "config": _config(),
        "deletion_order": {"type": "str", "choices": ["Random", "Newest", "Oldest"]},
    }
    return {
        **CONNECTION_OPTIONS,
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "name": _NEEDED,
        "namespace": _NEEDED,
        "version": _TEXT,
        "release_repository": _TEXT,
        "pull_secret": {"type": "raw", "no_log": False},
        "pull_secret_name": {"type": "str", "no_log": False},
        **option_specs(CLUSTER_FIELDS),
        "cluster_network": {"type": "dict", "options": {**lists, "service_domain": _TEXT}},
        "host_prefixes": {"type": "dict"},
        "machine_network": _TEXTS,
        "install_config_overrides": _DICT,
        "image_registry_name": _TEXT,
        "image_registry": {"type": "dict", "options": {"registries_conf": _NEEDED, "ca_bundle": _TEXT}},
        "control_plane_endpoint": {
            "type": "dict",
            "options": {"host": _NEEDED, "port": {"type": "int", "default": 6443}},
        },
        "config": _config(),
        "control_plane": {"type": "dict", "options": _machines()},
        "machine_deployments": {"type": "list", "elements": "dict", "options": pool},
        "infrastructure": {"type": "str", "choices": list(INFRASTRUCTURES), "default": INFRASTRUCTURES[0]},
        "infrastructure_ref": _REFERENCE,
        "metal3": _metal3(),
        "hosts": _hosts(),
        "replace_machines": {"type": "bool", "default": False},
        **{name: {**_TEXTS, "default": []} for name in ("delete_first", "recreate", "release_hosts", "touch_hosts")},
        "wait_for": {"type": "str", "choices": ["none", "installed", "ready", "gone"], "default": "none"},
        "timeout": {"type": "float", "default": 7200.0},
        "work_dir": {"type": "path"},
        "forks": {"type": "int", "default": 8},
    }
