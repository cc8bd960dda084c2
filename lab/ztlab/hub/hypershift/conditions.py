# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create conditions of NodePools and HostedClusters, and merge lists of them. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..conditions import Condition

AS_EXPECTED = "AsExpected"
WELL = "All is well"


def yes(kind: str, message: str = "", reason: str = AS_EXPECTED) -> Condition:
    return Condition(kind, "True", reason, message)


def no(kind: str, reason: str = AS_EXPECTED, message: str = "") -> Condition:
    return Condition(kind, "False", reason, message)


def unknown(kind: str, reason: str, message: str = "") -> Condition:
    return Condition(kind, "Unknown", reason, message)


def merged(
    existing: Sequence[dict[str, Any]] | None,
    wanted: Iterable[Condition],
    removed: Iterable[str],
    now: str,
    generation: int,
) -> list[dict[str, Any]]:
    """The list after setting some and removing others; known types keep their place, the transition time moves with the
    status only.
    """
    gone = set(removed)
    found = [dict(entry) for entry in existing or () if entry["type"] not in gone]
    places = {entry["type"]: entry for entry in found}
    for condition in wanted:
        entry = places.get(condition.type)
        if entry is None:
            entry = places[condition.type] = {"type": condition.type}
            found.append(entry)
        if entry.get("status") != condition.status:
            entry["lastTransitionTime"] = now
        entry |= {
            "status": condition.status,
            "reason": condition.reason,
            "message": condition.message,
            "observedGeneration": generation,
        }
    return found
