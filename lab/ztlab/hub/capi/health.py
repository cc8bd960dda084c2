# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide which Machines are unhealthy for a MachineHealthCheck, and whether they may be replaced. Pure functions.

Source: openshift/hypershift hypershift-operator/controllers/nodepool/capi.go,
  hypershift-operator/controllers/nodepool/token.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..conditions import find
from ..names import Object, annotations_of, deleting
from .kinds import PAUSED
from .shape import node_name, seconds

SKIP = "cluster.x-k8s.io/skip-remediation"
STARTUP_SECONDS = 600.0
Age = Callable[[str], float]


@dataclasses.dataclass(frozen=True)
class Checks:
    """``states``: (type, status, seconds) of unhealthy conditions of a Node; ``startup`` 0: no time limit."""

    states: tuple[tuple[str, str, float], ...]
    startup: float
    most: int | str


@dataclasses.dataclass(frozen=True)
class Finding:
    """``reason`` "": healthy. ``again``: seconds until that can change by time alone."""

    reason: str = ""
    message: str = ""
    again: float | None = None


def checks(item: Mapping[str, Any]) -> Checks:
    """Of either version."""
    spec = item["spec"]
    own = spec.get("checks") or {}
    listed = own.get("unhealthyNodeConditions") or spec.get("unhealthyConditions") or []
    states = tuple(
        (entry["type"], entry["status"], seconds(entry.get("timeoutSeconds", entry.get("timeout"))) or 0.0)
        for entry in listed
    )
    startup = seconds(own.get("nodeStartupTimeoutSeconds", spec.get("nodeStartupTimeout")))
    most = ((spec.get("remediation") or {}).get("triggerIf") or {}).get(
        "unhealthyLessThanOrEqualTo", spec.get("maxUnhealthy", "100%")
    )
    return Checks(states, STARTUP_SECONDS if startup is None else startup, most)


def watched(machine: Object) -> bool:
    """Neither going already nor taken out by a person."""
    notes = annotations_of(machine)
    return not deleting(machine) and PAUSED not in notes and SKIP not in notes


def judge(machine: Object, node: Object | None, rules: Checks, age: Age, *, nodes_known: bool) -> Finding:
    """One Machine. ``nodes_known``: whether the workload cluster answers."""
    if node is None and node_name(machine):
        return Finding("NodeNotFound", f"Node {node_name(machine)} does not exist") if nodes_known else Finding()
    if node is None:
        waited = age(machine["metadata"]["creationTimestamp"])
        if rules.startup and waited >= rules.startup:
            return Finding("NodeStartupTimeout", f"Node failed to report startup in {rules.startup:g}s")
        return Finding(again=rules.startup - waited if rules.startup else None)
    listed: Sequence[Mapping[str, Any]] = (node.get("status") or {}).get("conditions") or []
    again = []
    for kind, status, limit in rules.states:
        entry = find(listed, kind)
        if entry.get("status") != status:
            continue
        lasted = age(entry["lastTransitionTime"])
        if lasted >= limit:
            return Finding(
                "UnhealthyNode", (f"Condition {kind} on node is reporting status {status} for more than {limit:g}s")
            )
        again.append(limit - lasted)
    return Finding(again=min(again, default=None))


def allowed(rules: Checks, total: int, unhealthy: int) -> int:
    """How many more may be unhealthy before nothing is replaced any more; below 0: nothing is."""
    most = rules.most
    limit = total * int(most[:-1]) // 100 if isinstance(most, str) and most.endswith("%") else int(most)
    return limit - unhealthy
