# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the MachineSet or MachineDeployment of a NodePool. Pure functions.

Source: openshift/hypershift hypershift-operator/controllers/nodepool/capi.go,
  hypershift-operator/controllers/nodepool/token.go.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from ..capi.kinds import PROVIDER
from ..names import Object, annotations_of
from . import naming

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


@dataclasses.dataclass(frozen=True)
class Target:
    """What a pool is to become: the names of its template and its user data, its release, the hash of configuration and
    version.
    """

    template: str
    user_data: str
    version: str
    config: str
    config_version: str


@dataclasses.dataclass(frozen=True)
class Owner:
    """The hosted cluster as its pools need it."""

    infra_id: str
    name: str
    namespace: str  # of the control plane


def replaces(pool: Mapping[str, Any]) -> bool:
    return bool(pool["spec"]["management"]["upgradeType"] == "Replace")


def pool_key(pool: Mapping[str, Any]) -> str:
    """``<namespace>/<name>``, as annotations and headers have it."""
    return f"{pool['metadata']['namespace']}/{pool['metadata']['name']}"


def seconds(text: str) -> int:
    """A duration of Go ("1m30s") in whole seconds."""
    return math.ceil(sum(float(number) * _UNITS[unit] for number, unit in _DURATION.findall(text)))


def replicas(pool: Mapping[str, Any], present: int | None) -> int:
    """The replicas of the scalable: the pool's number, or with autoscaling the present one kept within the limits."""
    spec = pool["spec"]
    limits = spec.get("autoScaling")
    if not limits:
        return int(spec.get("replicas") or 0)
    least = max(1, int(limits["min"]))
    return least if present is None else min(max(present, least), int(limits["max"]))


def max_unavailable(pool: Mapping[str, Any]) -> int:
    """How many nodes an in-place upgrade takes at once."""
    value = (pool["spec"]["management"].get("inPlace") or {}).get("maxUnavailable", 1)
    if isinstance(value, str) and value.endswith("%"):
        return max(1, int(pool["spec"].get("replicas") or 0) * int(value[:-1]) // 100)
    return max(1, int(value))


def autoscaler(pool: Mapping[str, Any]) -> dict[str, str]:
    limits = pool["spec"].get("autoScaling") or {"min": 0, "max": 0}
    least = max(1, int(limits["min"])) if limits["max"] else 0
    return {naming.AUTOSCALER_MIN: str(least), naming.AUTOSCALER_MAX: str(limits["max"])}


def managed_labels(pool: Mapping[str, Any]) -> dict[str, str]:
    """Labels of Machines that become labels of Nodes."""
    return {f"{naming.MANAGED_LABEL}{key}": value for key, value in (pool["spec"].get("nodeLabels") or {}).items()}


def taints_text(pool: Mapping[str, Any]) -> str:
    """The pool's taints as JSON; ``null`` when it names none at all.

    The members have the order of the struct Taint in openshift/hypershift api/hypershift/v1beta1/nodepool_types.go.
    """
    taints = pool["spec"].get("taints")
    ordered = (
        [{name: taint[name] for name in ("key", "value", "effect") if taint.get(name)} for taint in taints]
        if taints is not None
        else None
    )
    return json.dumps(ordered, separators=(",", ":"))


def _machine_spec(pool: Mapping[str, Any], owner: Owner, target: Target, *, v1beta2: bool) -> dict[str, Any]:
    spec = pool["spec"]
    reference: dict[str, Any] = {"kind": "AgentMachineTemplate", "name": target.template}
    reference |= (
        {"apiGroup": PROVIDER} if v1beta2 else {"apiVersion": f"{PROVIDER}/v1beta1", "namespace": owner.namespace}
    )
    made: dict[str, Any] = {
        "clusterName": owner.infra_id,
        "bootstrap": {"dataSecretName": target.user_data},
        "infrastructureRef": reference,
        "version": target.version,
    }
    provided = {name: spec[name] for name in ("nodeDrainTimeout", "nodeVolumeDetachTimeout") if spec.get(name)}
    if not v1beta2:
        return made | provided
    return made | (
        {"deletion": {f"{name}Seconds": seconds(text) for name, text in provided.items()}} if provided else {}
    )


def _template(pool: Mapping[str, Any], owner: Owner, target: Target, label: str, *, v1beta2: bool) -> dict[str, Any]:
    labels = {label: label, naming.CLUSTER_NAME: owner.infra_id}
    annotations = {naming.NODE_POOL: pool_key(pool)}
    if replaces(pool):
        annotations[naming.RELEASE_VERSION] = target.version
    else:
        labels |= managed_labels(pool)
        annotations[naming.TAINTS] = taints_text(pool)
    return {
        "metadata": {"labels": labels, "annotations": annotations},
        "spec": _machine_spec(pool, owner, target, v1beta2=v1beta2),
    }


def _strategy(pool: Mapping[str, Any]) -> dict[str, Any]:
    provided = pool["spec"]["management"].get("replace") or {}
    strategy = {"type": provided.get("strategy") or "RollingUpdate"}
    return strategy | ({"rollingUpdate": dict(provided["rollingUpdate"])} if provided.get("rollingUpdate") else {})


def scalable(pool: Mapping[str, Any], owner: Owner, target: Target, present: Object | None, *, v1beta2: bool) -> Object:
    """Labels, annotations and spec as they are to be; ``present``: the object of now."""
    label = naming.resource_label(owner.infra_id, owner.name, pool["metadata"]["name"])
    number = replicas(pool, (present or {}).get("spec", {}).get("replicas"))
    annotations: dict[str, str | None] = {naming.NODE_POOL: pool_key(pool), **autoscaler(pool), naming.PAUSED: None}
    spec: dict[str, Any] = {"clusterName": owner.infra_id, "replicas": number}
    if replaces(pool):
        spec["selector"] = {"matchLabels": {label: label, naming.CLUSTER_NAME: owner.infra_id}}
        spec |= {"rollout": {"strategy": _strategy(pool)}} if v1beta2 else {"strategy": _strategy(pool)}
    else:
        spec["selector"] = {"matchLabels": {label: label}}
        annotations[naming.MAX_UNAVAILABLE] = str(max_unavailable(pool))
        annotations[naming.TARGET_CONFIG_VERSION] = target.config_version
        if present is None:
            annotations[naming.CURRENT_CONFIG_VERSION] = target.config_version
    spec["template"] = _template(pool, owner, target, label, v1beta2=v1beta2)
    return {"labels": {naming.CLUSTER_NAME: owner.infra_id}, "annotations": annotations, "spec": spec}


# what they say of themselves


def deprecated_conditions(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Conditions in the form that HyperShift reads (v1beta1), wherever the served version keeps them."""
    status = item.get("status") or {}
    old = ((status.get("deprecated") or {}).get("v1beta1") or {}).get("conditions")
    return list(old if old is not None else status.get("conditions") or [])


def available(item: Mapping[str, Any]) -> int:
    return int((item.get("status") or {}).get("availableReplicas") or 0)


def _updated(status: Mapping[str, Any]) -> int:
    old = ((status.get("deprecated") or {}).get("v1beta1") or {}).get("updatedReplicas")
    return int(status.get("upToDateReplicas") or status.get("updatedReplicas") or old or 0)


def rolled_out(item: Mapping[str, Any], *, replace: bool) -> bool:
    """Whether everything of the scalable is as its spec says."""
    if not replace:
        notes = annotations_of(dict(item))
        return notes.get(naming.CURRENT_CONFIG_VERSION) == notes.get(naming.TARGET_CONFIG_VERSION)
    status, wanted = item.get("status") or {}, int(item["spec"].get("replicas") or 0)
    current = int(status.get("observedGeneration") or 0) >= int(item["metadata"].get("generation") or 0)
    return (
        current
        and _updated(status) == wanted
        and int(status.get("replicas") or 0) == wanted
        and available(item) == wanted
    )
