# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render and merge the conditions of Cluster API objects, in the forms of v1beta1 and v1beta2, and summarise several
conditions in one. Pure functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..conditions import Condition, find

Entry = dict[str, Any]
# The order of kubernetes-sigs/cluster-api util/conditions/sort.go; "" means all other conditions, by name.
ORDER = (
    "Available",
    "Ready",
    "UpToDate",
    "RemoteConnectionProbe",
    "BootstrapConfigReady",
    "InfrastructureReady",
    "ControlPlaneInitialized",
    "ControlPlaneAvailable",
    "WorkersAvailable",
    "CertificatesAvailable",
    "Initialized",
    "EtcdClusterHealthy",
    "ControlPlaneComponentsHealthy",
    "NodeHealthy",
    "NodeReady",
    "EtcdPodHealthy",
    "EtcdMemberHealthy",
    "APIServerPodHealthy",
    "ControllerManagerPodHealthy",
    "SchedulerPodHealthy",
    "HealthCheckSucceeded",
    "OwnerRemediated",
    "TopologyReconciled",
    "Updating",
    "RollingOut",
    "Remediating",
    "ScalingDown",
    "ScalingUp",
    "MachinesReady",
    "ControlPlaneMachinesReady",
    "WorkerMachinesReady",
    "MachinesUpToDate",
    "ControlPlaneMachinesUpToDate",
    "WorkerMachinesUpToDate",
    "",
    "Paused",
    "Deleting",
)


def true(kind: str, reason: str, message: str = "") -> Condition:
    return Condition(kind, "True", reason, message)


def false(kind: str, reason: str, message: str = "") -> Condition:
    return Condition(kind, "False", reason, message)


def unknown(kind: str, reason: str, message: str = "") -> Condition:
    return Condition(kind, "Unknown", reason, message)


def new_form(
    existing: Sequence[Mapping[str, Any]], wanted: Iterable[Condition], now: str, generation: int
) -> list[Entry]:
    """The list of v1beta2: metav1 conditions, in Cluster API's order."""
    known = {entry["type"]: dict(entry) for entry in existing}
    for condition in wanted:
        known[condition.type] = _set(known.get(condition.type), condition, now) | {"observedGeneration": generation}
    return sorted(
        known.values(), key=lambda entry: (ORDER.index(entry["type"] if entry["type"] in ORDER else ""), entry["type"])
    )


def old_form(existing: Sequence[Mapping[str, Any]], wanted: Iterable[Condition], now: str) -> list[Entry]:
    """The list of v1beta1: Ready first, then by name; what is not True has a severity, what says nothing no member."""
    known = {entry["type"]: dict(entry) for entry in existing}
    for condition in wanted:
        made = _set(known.get(condition.type), condition, now)
        made = {name: value for name, value in made.items() if value or name in ("type", "status")}
        made.pop("severity", None)
        if condition.status == "False":
            made["severity"] = "Info"
        known[condition.type] = made
    return sorted(known.values(), key=lambda entry: (entry["type"] != "Ready", entry["type"]))


def _set(before: Entry | None, condition: Condition, now: str) -> Entry:
    same = before is not None and before.get("status") == condition.status
    moment = (before or {}).get("lastTransitionTime") if same else now
    return {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
        "lastTransitionTime": moment,
    }


def lines(conditions: Iterable[Condition]) -> str:
    """What a summary says: a line for each condition that is not as it should be; a text of several lines is put below
    its name.
    """
    found = []
    for condition in conditions:
        text = condition.message or condition.reason
        first, *rest = text.splitlines() or [""]
        found.append(
            f"* {condition.type}: {first}"
            if not rest
            else "\n".join([f"* {condition.type}:", *(f"  * {line}" for line in (first, *rest))])
        )
    return "\n".join(found)


def summary(
    kind: str, parts: Sequence[Condition], *, reasons: tuple[str, str, str], negative: frozenset[str] = frozenset()
) -> Condition:
    """One condition over several.

    ``reasons``: when all are well, when one is not, when one is unknown; ``negative``: types whose good value is False.
    """
    bad = [part for part in parts if part.status == ("True" if part.type in negative else "False")]
    dim = [part for part in parts if part.status == "Unknown"]
    good, worse, unclear = reasons
    if bad:
        return false(kind, worse, lines(part for part in parts if part in bad or part in dim))
    if dim:
        return unknown(kind, unclear, lines(dim))
    return true(kind, good)


def read(conditions: Sequence[Mapping[str, Any]] | None, kind: str) -> Condition | None:
    """A condition of an object; None when it is not there."""
    entry = find(conditions, kind)
    return (
        Condition(kind, str(entry.get("status", "")), str(entry.get("reason", "")), str(entry.get("message", "")))
        if entry
        else None
    )
