# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read and render fields whose location in Cluster API objects differs between v1beta1 and v1beta2 of cluster.x-k8s.io.
Each function accepts objects of both versions. Pure functions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..conditions import find
from ..names import Key, Object, annotations_of
from .kinds import CONTRACT_LABEL, PAUSED

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
Conditions = Sequence[Mapping[str, Any]]


def old_conditions(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Conditions in the form of v1beta1, wherever they are kept."""
    status = item.get("status") or {}
    if str(item.get("apiVersion", "")).endswith("/v1beta2"):
        return list(((status.get("deprecated") or {}).get("v1beta1") or {}).get("conditions") or [])
    return list(status.get("conditions") or [])


def new_conditions(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Conditions in the form of v1beta2, wherever they are kept."""
    status = item.get("status") or {}
    if str(item.get("apiVersion", "")).endswith("/v1beta2"):
        return list(status.get("conditions") or [])
    return list((status.get("v1beta2") or {}).get("conditions") or [])


def with_conditions(
    status: Mapping[str, Any],
    *,
    v1beta2: bool,
    new: Conditions,
    old: Conditions,
    counters: Mapping[str, int] | None = None,
) -> Object:
    """A status that holds both forms.

    ``counters``: numbers that v1beta2 keeps with what is deprecated, v1beta1 at the top.
    """
    made = dict(status)
    if v1beta2:
        made["conditions"] = list(new)
        made["deprecated"] = {"v1beta1": {**(counters or {}), "conditions": list(old)}}
    else:
        made |= {
            **(counters or {}),
            "conditions": list(old),
            "v1beta2": {**(made.get("v1beta2") or {}), "conditions": list(new)},
        }
    return made


def condition_is(conditions: Conditions, kind: str, status: str = "True") -> bool:
    return bool(find(conditions, kind).get("status") == status)


# references


def reference_target(reference: Mapping[str, Any] | None, namespace: str) -> tuple[str, str, Key] | None:
    """(group, kind, key) of what a reference of either form names; None without one."""
    if not reference or not reference.get("name"):
        return None
    group = reference.get("apiGroup") or str(reference.get("apiVersion", "")).rpartition("/")[0]
    return (
        str(group),
        str(reference.get("kind", "")),
        (str(reference.get("namespace") or namespace), str(reference["name"])),
    )


def reference_to(group: str, version: str, kind: str, key: Key, *, v1beta2: bool) -> Object:
    if v1beta2:
        return {"apiGroup": group, "kind": kind, "name": key[1]}
    return {"apiVersion": f"{group}/{version}", "kind": kind, "namespace": key[0], "name": key[1]}


# times


def seconds(text: Any) -> float | None:
    """A duration of Go ("1m30s"), or a number of seconds; None when nothing is said."""
    if text is None:
        return None
    if isinstance(text, (int, float)):
        return float(text)
    return sum(float(number) * _UNITS[unit] for number, unit in _DURATION.findall(str(text)))


def timeout(machine_spec: Mapping[str, Any], name: str) -> float | None:
    """``nodeDrain``, ``nodeVolumeDetach`` or ``nodeDeletion`` of a Machine; None: not said, 0: without end."""
    deletion = machine_spec.get("deletion") or {}
    return seconds(deletion.get(f"{name}TimeoutSeconds", machine_spec.get(f"{name}Timeout")))


# what objects say


def paused(item: Object, cluster: Object | None = None) -> bool:
    """By the annotation, whatever its value, or by the Cluster."""
    return PAUSED in annotations_of(item) or bool(((cluster or {}).get("spec") or {}).get("paused"))


def controller_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The ownerReference of the owner that controls an object; {} for an orphan."""
    return next((owner for owner in item["metadata"].get("ownerReferences") or () if owner.get("controller")), {})


def provisioned(infrastructure: Mapping[str, Any], definition: Mapping[str, Any] | None) -> bool:
    """Whether infrastructure is provisioned. A definition with the newer contract's label disables ``ready``."""
    status = infrastructure.get("status") or {}
    newer = CONTRACT_LABEL in (((definition or {}).get("metadata") or {}).get("labels") or {})
    return bool((status.get("initialization") or {}).get("provisioned") if newer else status.get("ready"))


def data_secret_created(config: Mapping[str, Any], definition: Mapping[str, Any] | None) -> bool:
    """The same for bootstrap data."""
    status = config.get("status") or {}
    newer = CONTRACT_LABEL in (((definition or {}).get("metadata") or {}).get("labels") or {})
    return bool((status.get("initialization") or {}).get("dataSecretCreated") if newer else status.get("ready"))


def node_name(machine: Mapping[str, Any]) -> str:
    return str((((machine.get("status") or {}).get("nodeRef")) or {}).get("name") or "")


def selector_text(selector: Mapping[str, Any] | None) -> str:
    """A label selector as ``kubectl -l`` takes it."""
    parts = [f"{key}={value}" for key, value in sorted(((selector or {}).get("matchLabels") or {}).items())]
    for entry in (selector or {}).get("matchExpressions") or ():
        key, operator, values = entry["key"], entry["operator"], ",".join(sorted(entry.get("values") or ()))
        parts.append(
            {
                "Exists": key,
                "DoesNotExist": f"!{key}",
                "In": f"{key} in ({values})",
                "NotIn": f"{key} notin ({values})",
            }.get(operator, "")
        )
    return ",".join(filter(None, parts))
