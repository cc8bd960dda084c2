# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define a Kubernetes status condition, find a condition in a list, and merge lists of conditions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Condition:
    type: str
    status: str  # True, False, Unknown
    reason: str
    message: str


def find(conditions: Sequence[Mapping[str, Any]] | None, kind: str) -> Mapping[str, Any]:
    """Return the condition of a type; {} if the list has none."""
    return next((entry for entry in conditions or () if entry.get("type") == kind), {})


def merge(
    existing: Sequence[Mapping[str, Any]] | None, wanted: Iterable[Condition], now: str, *, probed: bool = False
) -> list[dict[str, Any]]:
    """The list after setting ``wanted``: known types keep their place, new ones follow in order.

    lastTransitionTime moves with the status only. ``probed``: Hive's form, whose lastProbeTime moves with every
    difference.
    """
    merged = [dict(entry) for entry in existing or ()]
    places = {entry["type"]: place for place, entry in enumerate(merged)}
    for condition in wanted:
        body: dict[str, Any] = dataclasses.asdict(condition)
        if condition.type not in places:
            places[condition.type] = len(merged)
            merged.append({**body, **({"lastProbeTime": now} if probed else {}), "lastTransitionTime": now})
            continue
        entry = merged[places[condition.type]]
        if all(entry.get(name) == value for name, value in body.items()):
            continue
        if entry.get("status") != condition.status:
            entry["lastTransitionTime"] = now
        if probed:
            entry["lastProbeTime"] = now
        entry.update(body)
    return merged
