# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the install-config of a cluster and merge the user's overrides. The API returns the result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import go
from .errors import bad_request
from .model import Cluster, Host

MASKED_PULL_SECRET = '{"auths": {"***": {"auth": "***"}}}'


OVERRIDABLE = frozenset(
    (
        *(
            "apiVersion",
            "baseDomain",
            "proxy",
            "networking",
            "metadata",
            "compute",
            "controlPlane",
            "arbiter",
            "platform",
            "bootstrapInPlace",
            "fips",
        ),
        *(
            "cpuPartitioningMode",
            "pullSecret",
            "sshKey",
            "additionalTrustBundle",
            "additionalTrustBundlePolicy",
            "imageContentSources",
            "imageDigestSources",
        ),
        *("capabilities", "featureSet", "featureGates", "osImageStream"),
    )
)
NUMBERS = (("controlPlane", "replicas"), ("arbiter", "replicas"))


def check_overrides(text: str) -> None:
    """Raises ServiceError 400 for what is no fragment of an install-config."""
    problem = go.json_problem(text) if text else ""
    if problem:
        raise bad_request(problem)
    overrides = json.loads(text or "{}")
    if not isinstance(overrides, dict):
        raise bad_request(
            f"json: cannot unmarshal {go.type_of(overrides)} into Go value of type installcfg.InstallerConfigBaremetal"
        )
    known = {name.lower() for name in OVERRIDABLE}
    for name in overrides:
        if name.lower() not in known:
            raise bad_request(f'json: unknown field "{name}"')
    for section, member in NUMBERS:
        value = overrides.get(section)
        found = value.get(member) if isinstance(value, dict) else None
        if found is not None and not isinstance(found, int):
            raise bad_request(
                f"json: cannot unmarshal {go.type_of(found)} into Go struct field .{section}.{member} of type int"
            )


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
        return {
            "baremetal": {
                "provisioningNetwork": "Disabled",
                "apiVIPs": cluster.vips("api_vips"),
                "ingressVIPs": cluster.vips("ingress_vips"),
                "hosts": [],
            }
        }
    if kind == "external":
        external = cluster.fields["platform"].get("external") or {}
        return {
            "external": {
                "platformName": external.get("platform_name", ""),
                "cloudControllerManager": external.get("cloud_controller_manager") or "",
            }
        }
    return {kind: {}}


def install_config(cluster: Cluster, hosts: Sequence[Host]) -> dict[str, Any]:
    """The whole document with the pull secret masked."""
    fields: Mapping[str, Any] = cluster.fields
    # Only hosts that are known count.
    masters = sum(host.effective_role in ("master", "bootstrap") for host in hosts)
    document: dict[str, Any] = {
        "apiVersion": "v1",
        "fips": False,
        "baseDomain": fields.get("base_dns_domain", ""),
        "metadata": {"name": cluster.name},
        "networking": {
            "networkType": fields.get("network_type") or "OVNKubernetes",
            "clusterNetwork": [
                {"cidr": item["cidr"], "hostPrefix": item.get("host_prefix") or 0}
                for item in fields.get("cluster_networks") or []
            ],
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
