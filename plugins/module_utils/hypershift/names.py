# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute the names that HyperShift gives to the objects of a hosted cluster, as pure functions.

Source: openshift/hypershift hypershift-operator/controllers/manifests,
  hypershift-operator/controllers/hostedcluster/internal/platform/agent/agent.go,
  api/hypershift/v1beta1/nodepool_types.go; docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

PREFIX = "hypershift.openshift.io"
# On Machines, AgentMachines, MachineSets and templates: ``<namespace>/<pool>``.
POOL_ANNOTATION = f"{PREFIX}/nodePool"
KEEP_NAMESPACE = f"{PREFIX}/skip-delete-hosted-controlplane-namespace"
# On a NodePool or its HostedCluster: how long a Machine may take to become a Node before it is replaced; 20m by
# default.
STARTUP_TIMEOUT = f"{PREFIX}/machine-health-check-node-startup-timeout"
# On a HostedCluster: any release is accepted.
SKIP_RELEASE_CHECKS = f"{PREFIX}/skip-release-image-validation"
HEALTH_TIMEOUT = f"{PREFIX}/machine-health-check-timeout"
HEALTH_MOST_UNHEALTHY = f"{PREFIX}/machine-health-check-max-unhealthy"
SAFE_TO_DELETE = f"{PREFIX}/safe-to-delete-with-cluster"
# On a Machine: this one goes first when replicas are lowered (2.5).
DELETE_MACHINE = "cluster.x-k8s.io/delete-machine"

_NAME_LENGTH = 253


def control_plane_namespace(namespace: str, cluster: str) -> str:
    """Where the control plane of a hosted cluster runs, and where its Machines are."""
    return f"{namespace}-{cluster.replace('.', '-')}"


def pool_key(namespace: str, pool: str) -> str:
    """The value of the annotation that leads from a Machine to its NodePool."""
    return f"{namespace}/{pool}"


def fnv1a(text: str | bytes) -> str:
    """FNV-1a, 32 bit, as eight hexadecimal digits."""
    value = 0x811C9DC5
    for byte in text.encode() if isinstance(text, str) else text:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return f"{value:08x}"


def shortened(base: str, suffix: str, length: int) -> str:
    """``<base>-<suffix>``; where that is too long, the base is cut and a hash says what was cut off."""
    name = f"{base}-{suffix}"
    if len(name) <= length:
        return name
    prefix_length = length - 10 - len(suffix)
    if prefix_length < 0:
        beginning = base[: max(0, length - 9)]
        return f"{beginning}-{fnv1a(name)}"[:length]
    beginning = base[:prefix_length]
    return f"{beginning}-{fnv1a(base)}-{suffix}"


def template_name(pool: str, selector: Mapping[str, Any] | None) -> str:
    """The AgentMachineTemplate that a pool with this selector gets.

    No selector and an empty one select the same and give different names.
    """
    spec: dict[str, Any] = {} if selector is None else {"agentLabelSelector": _selector(selector)}
    # Go prints a byte slice as decimal numbers in brackets; that text is what is hashed.
    body = _go_json({"template": {"spec": spec}}).encode()
    return shortened(pool, fnv1a("[" + " ".join(map(str, body)) + "]"), _NAME_LENGTH)


def _selector(selector: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if selector.get("matchLabels"):
        found["matchLabels"] = dict(sorted(selector["matchLabels"].items()))
    if selector.get("matchExpressions"):
        found["matchExpressions"] = [
            {
                "key": each.get("key", ""),
                "operator": each.get("operator", ""),
                **({"values": list(each["values"])} if each.get("values") else {}),
            }
            for each in selector["matchExpressions"]
        ]
    return found


def _go_json(value: Any) -> str:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
