# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The install-config that the service would hand to the installer: shown by GET, merged with the overrides."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .model import Cluster, Host

MASKED_PULL_SECRET = '{"auths": {"***": {"auth": "***"}}}'


def merge(base: Any, patch: Any) -> Any:
    """JSON merge patch: objects are merged, null removes, everything else replaces."""
    if not isinstance(base, dict) or not isinstance(patch, dict):
        return patch
    merged = dict(base)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge(merged.get(name), value)
    return merged


def _count(hosts: Sequence[Host], role: str) -> int:
    return sum(host.effective_role == role for host in hosts)


def _platform(cluster: Cluster) -> dict[str, Any]:
    kind = (cluster.fields.get("platform") or {}).get("type", "baremetal")
    if kind == "baremetal":
        return {"baremetal": {"apiVIPs": cluster.vips("api_vips"), "ingressVIPs": cluster.vips("ingress_vips"), "hosts": []}}
    if kind == "external":
        external = cluster.fields["platform"].get("external") or {}
        return {"external": {"platformName": external.get("platform_name", ""), "cloudControllerManager": external.get("cloud_controller_manager") or ""}}
    return {kind: {}}


def install_config(cluster: Cluster, hosts: Sequence[Host]) -> dict[str, Any]:
    """The whole document with the pull secret masked."""
    fields: Mapping[str, Any] = cluster.fields
    masters = cluster.control_plane_count
    document: dict[str, Any] = {
        "apiVersion": "v1",
        "baseDomain": fields.get("base_dns_domain", ""),
        "metadata": {"name": cluster.name},
        "networking": {
            "networkType": fields.get("network_type") or "OVNKubernetes",
            "clusterNetwork": [{"cidr": item["cidr"], "hostPrefix": item["host_prefix"]} for item in fields.get("cluster_networks") or []],
            "machineNetwork": [{"cidr": cidr} for cidr in cluster.machine_networks],
            "serviceNetwork": [item["cidr"] for item in fields.get("service_networks") or []],
        },
        "compute": [{"name": "worker", "hyperthreading": "Enabled", "replicas": _count(hosts, "worker")}],
        "controlPlane": {"name": "master", "hyperthreading": "Enabled", "replicas": masters},
        "platform": _platform(cluster),
        "pullSecret": MASKED_PULL_SECRET,
        "sshKey": fields.get("ssh_public_key", ""),
    }
    if any(fields.get(name) for name in ("http_proxy", "https_proxy")):
        names = {"httpProxy": "http_proxy", "httpsProxy": "https_proxy", "noProxy": "no_proxy"}
        document["proxy"] = {key: fields[name] for key, name in names.items() if fields.get(name)}
    overrides = json.loads(cluster.install_config_overrides or "{}")
    merged: dict[str, Any] = merge(document, overrides)
    return merged
