# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the types of the fields that the collection reads in documents of an assisted-service, and find a document
that does not have them (openshift/assisted-service ``swagger.yaml``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...common.shape import Shape, fit

Document = dict[str, Any]

_VALIDATIONS = {"*": [{"id": str, "status": str, "message": str}]}
_INTERFACE = {
    "name": str,
    "mac_address": str,
    "ipv4_addresses": [str],
    "ipv6_addresses": [str],
    "flags": [str],
    "has_carrier": bool,
}
_INVENTORY = {
    "hostname": str,
    "bmc_address": str,
    "bmc_v6address": str,
    "interfaces": [_INTERFACE],
    "disks": [{"installation_eligibility": {"eligible": bool, "not_eligible_reasons": [str]}}],
    "memory": dict,
    "cpu": dict,
    "system_vendor": {"serial_number": str, "manufacturer": str, "product_name": str, "virtual": bool},
    "routes": [dict],
}
_HOST = {
    "id": str,
    "kind": str,
    "infra_env_id": str,
    "cluster_id": str,
    "status": str,
    "status_info": str,
    "requested_hostname": str,
    "role": str,
    "bootstrap": bool,
    "inventory": _INVENTORY,
    "validations_info": _VALIDATIONS,
    "progress": dict,
    "progress_stages": [str],
}
_CLUSTER = {
    "id": str,
    "name": str,
    "status": str,
    "status_info": str,
    "openshift_version": str,
    "hosts": [_HOST],
    "validations_info": _VALIDATIONS,
    "progress": dict,
    "total_host_count": int,
    "ready_host_count": int,
    "last-installation-preparation": {"status": str, "reason": str},
    "monitored_operators": [dict],
    "machine_networks": [dict],
    "cluster_networks": [dict],
    "service_networks": [dict],
    "api_vips": [dict],
    "ingress_vips": [dict],
}
_INFRA_ENV = {"id": str, "name": str, "cluster_id": str, "download_url": str, "proxy": dict}
# By the last part of the path; the last but one of an object.
_SHAPES: Mapping[str, Shape] = {"hosts": _HOST, "clusters": _CLUSTER, "infra-envs": _INFRA_ENV}
# Members with JSON in a string: one that holds none counts as absent.
_DECODED = ("inventory", "validations_info")


def misfit(document: Any, path: str, *, listed: bool) -> str:
    """Why the document of a path, or of the list at it, has not the types that the API defines; empty if it has.

    Removes nulls, adds an empty id.
    """
    if not isinstance(document, dict):
        return "it is not an object"
    parts = path.split("/")
    parent = parts[-2] if len(parts) > 1 else ""
    kind = parts[-1] if listed else parent
    shape = _SHAPES.get(kind)
    if shape is None:
        return ""
    hosts = document.get("hosts")
    for each in (document, *(hosts if isinstance(hosts, list) else ())):
        if isinstance(each, dict):
            for key in _DECODED:
                if key in each and not isinstance(each[key], dict):
                    del each[key]
    reason = fit(document, shape)
    document.setdefault("id", "")  # absent text is empty text to Go, and so is null, which fit() removed
    return reason
