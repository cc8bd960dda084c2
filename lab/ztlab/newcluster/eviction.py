# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement the subresource ``eviction`` of a Pod: delete the Pod, unless a PodDisruptionBudget forbids it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ..kubeapi.errors import ApiError
from ..kubeapi.resource import Object, Resource
from ..kubeapi.storage import Store

POD = ("", "pods")
REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."


def selects(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """A label selector of policy/v1: none selects nothing, an empty one everything."""
    if selector is None:
        return False
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    return all(_holds(entry, labels) for entry in selector.get("matchExpressions") or ())


def _holds(entry: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, operator, values = labels.get(entry["key"]), entry["operator"], entry.get("values") or []
    if operator in ("In", "NotIn"):
        return (value in values) is (operator == "In")
    return (value is not None) is (operator == "Exists")


def _number(value: int | str, total: int) -> int:
    return math.ceil(total * int(value[:-1]) / 100) if isinstance(value, str) and value.endswith("%") else int(value)


def allowed(budget: Mapping[str, Any], pods: list[Object]) -> int:
    """How many of a budget's pods may go now."""
    spec, total = budget.get("spec") or {}, len(pods)
    healthy: int = sum(
        (pod.get("status") or {}).get("phase") == "Running" and not pod["metadata"].get("deletionTimestamp")
        for pod in pods
    )
    if "minAvailable" in spec:
        return max(0, healthy - _number(spec["minAvailable"], total))
    return max(0, healthy - (total - _number(spec.get("maxUnavailable", 1), total)))


def budgets_of(pod: Object, budgets: list[Object]) -> Iterator[Object]:
    labels = pod["metadata"].get("labels") or {}
    yield from (budget for budget in budgets if selects((budget.get("spec") or {}).get("selector"), labels))


def evict(pods: Resource, budgets: Resource) -> Any:
    """The action for :attr:`Resource.actions`."""

    def act(store: Store, namespace: str, name: str, _body: Object) -> Object:
        pod = store.get(pods, name, namespace)
        for budget in budgets_of(pod, store.list(budgets, namespace)):
            selector = (budget.get("spec") or {}).get("selector")
            if (
                allowed(
                    budget,
                    [
                        item
                        for item in store.list(pods, namespace)
                        if selects(selector, item["metadata"].get("labels") or {})
                    ],
                )
                < 1
            ):
                raise ApiError(429, "TooManyRequests", REFUSED)
        store.delete(pods, name, namespace)
        return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}

    return act
