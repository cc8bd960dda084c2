# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute the names that HyperShift uses: control plane namespaces, templates named by hash, shortened names, and
infraIDs. Pure functions.

Source: openshift/hypershift hypershift-operator/controllers/manifests,
  hypershift-operator/controllers/hostedcluster/internal/platform/agent/agent.go,
  api/hypershift/v1beta1/hostedcluster_types.go.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from typing import Any

GROUP = "hypershift.openshift.io"
PREFIX = f"{GROUP}/"
FINALIZER = f"{GROUP}/finalizer"
NODE_POOL = f"{PREFIX}nodePool"
HOSTED_CLUSTER = f"{PREFIX}cluster"
CURRENT_CONFIG = f"{PREFIX}nodePoolCurrentConfig"
CURRENT_CONFIG_VERSION = f"{PREFIX}nodePoolCurrentConfigVersion"
TARGET_CONFIG_VERSION = f"{PREFIX}nodePoolTargetConfigVersion"
CURRENT_TEMPLATE = f"{PREFIX}nodePoolPlatformMachineTemplate"
MAX_UNAVAILABLE = f"{PREFIX}nodePoolMaxUnavailable"
TAINTS = f"{PREFIX}nodePoolTaints"
UPGRADING, NOT_UPGRADING = f"{PREFIX}nodePoolUpgradeInProgressTrue", f"{PREFIX}nodePoolUpgradeInProgressFalse"
RELEASE_VERSION = f"{PREFIX}release-version"
LABELS_SYNCED = f"{PREFIX}labelsSynced"
MANAGED_LABEL = "managed.hypershift.openshift.io."
PAUSED = "cluster.x-k8s.io/paused"
CLUSTER_NAME = "cluster.x-k8s.io/cluster-name"
AUTOSCALER_MIN = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size"
AUTOSCALER_MAX = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size"
SKIP_NAMESPACE = f"{PREFIX}skip-delete-hosted-controlplane-namespace"
AGENT_RBAC = f"{PREFIX}capi-provider-agent-rbac"
IGNITION_CA = "ignition-server-ca-cert"
_LIMIT = 253
_RANDOM = "bcdfghjklmnpqrstvwxz2456789"


def fnv32a(data: bytes) -> str:
    """FNV-1a of 32 bits: eight hexadecimal digits."""
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return f"{value:08x}"


def short_name(base: str, suffix: str, limit: int = _LIMIT) -> str:
    """``<base>-<suffix>``, cut and hashed where that is too long."""
    name = f"{base}-{suffix}"
    if len(name) <= limit:
        return name
    kept = limit - 10 - len(suffix)
    if kept < 0:
        beginning = base[: max(0, limit - 9)]
        return f"{beginning}-{fnv32a(name.encode())}"[:limit]
    return f"{base[:kept]}-{fnv32a(base.encode())}-{suffix}"


def control_plane_namespace(namespace: str, name: str) -> str:
    return f"{namespace}-{name.replace('.', '-')}"


def pool_namespace(pool: Mapping[str, Any]) -> str:
    """The control plane namespace that a NodePool's Machines are in."""
    return control_plane_namespace(pool["metadata"]["namespace"], pool["spec"]["clusterName"])


def resource_label(infra_id: str, cluster: str, pool: str) -> str:
    """The label, key and value alike, by which a pool's Machines are selected."""
    return short_name(f"{infra_id}-{cluster}", pool, 43)


def _selector(provided: Mapping[str, Any]) -> dict[str, Any]:
    """A label selector as Go writes it: matchLabels first, keys sorted, nothing that is empty."""
    found: dict[str, Any] = {}
    if provided.get("matchLabels"):
        found["matchLabels"] = dict(sorted(provided["matchLabels"].items()))
    if provided.get("matchExpressions"):
        found["matchExpressions"] = [
            {"key": entry["key"], "operator": entry["operator"]}
            | ({"values": entry["values"]} if entry.get("values") else {})
            for entry in provided["matchExpressions"]
        ]
    return found


def template_spec(selector: Mapping[str, Any] | None) -> dict[str, Any]:
    """The spec of the AgentMachineTemplate for a pool's selector; no selector and an empty one are two things."""
    return {"template": {"spec": {} if selector is None else {"agentLabelSelector": _selector(selector)}}}


def template_name(pool: str, selector: Mapping[str, Any] | None) -> str:
    """``<pool>-<hash>``: the hash is of how Go prints the bytes of the spec's JSON."""
    text = json.dumps(template_spec(selector), separators=(",", ":"), ensure_ascii=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    printed = "[" + " ".join(str(byte) for byte in text.encode()) + "]"
    return short_name(pool, fnv32a(printed.encode()))


def infra_id(name: str) -> str:
    """A new infraID for a HostedCluster that was given none."""
    base = re.sub(r"-+", "-", re.sub(r"[^A-Za-z0-9-]", "-", name))[:21].rstrip("-")
    return f"{base}-" + "".join(secrets.choice(_RANDOM) for _number in range(5))
