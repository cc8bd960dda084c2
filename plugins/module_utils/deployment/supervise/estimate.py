# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Estimate when an installation will be complete, from the phase lengths of earlier installations on the same rack.

Without such a history, the usual length of each phase is used.
"""

from __future__ import annotations

import dataclasses
import datetime
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

SECTION = "history"
# The history of a rack keeps at most this many installations.
REMEMBERED = 5
# Seconds. Together an hour, which is what the documentation of OpenShift calls usual; the history of a rack replaces
# them after its first installation.
_USUAL: Mapping[str, Mapping[str, float]] = {
    "agent": {"boot": 480.0, "discovery": 180.0, "bootstrap": 1320.0, "install": 1320.0, "operators": 300.0},
    "hub": {"discovery": 660.0, "install": 2940.0},
    "capi": {"discovery": 660.0, "install": 2940.0},
}


@dataclasses.dataclass(frozen=True)
class Estimate:
    """``seconds`` are left; ``source`` is ``history`` or ``usual``."""

    seconds: float
    source: str


def remember(history: Any, lengths: Mapping[str, float]) -> list[dict[str, float]]:
    """The history with the lengths of the phases of one more installation, the last one last."""
    known = [dict(entry) for entry in history if isinstance(entry, dict)] if isinstance(history, list) else []
    return [*known, dict(lengths)][-REMEMBERED:]


def phase_lengths(phases: Mapping[str, str], end: str) -> dict[str, float]:
    """Seconds of each phase, from when it was reached (ISO 8601) to the next one, or to ``end``."""
    reached = sorted(((str(at), str(phase)) for phase, at in phases.items() if phase != "done"))
    moments = [at for at, _phase in reached[1:]] + [end]
    return (
        {phase: _seconds(at, until) for (at, phase), until in zip(reached, moments, strict=True)}
        if reached and end
        else {}
    )


def estimate(
    method: str, phases: Mapping[str, str], history: Sequence[Mapping[str, float]], now: datetime.datetime
) -> Estimate:
    """What is left of an installation that has reached ``phases``."""
    usual = _USUAL.get(method, _USUAL["agent"])
    expected = {phase: _median(phase, history, length) for phase, length in usual.items()}
    order = list(expected)
    reached = [phase for phase in order if phase in phases]
    present = reached[-1] if reached else ""
    later = order[order.index(present) + 1 :] if present else order
    spent = _seconds(phases[present], now.astimezone(datetime.UTC).isoformat()) if present else 0.0
    left = max(0.0, expected.get(present, 0.0) - spent) + sum(expected[phase] for phase in later)
    return Estimate(left, "history" if any(set(entry) & set(order) for entry in history) else "usual")


def _median(phase: str, history: Sequence[Mapping[str, float]], otherwise: float) -> float:
    lengths = [float(entry[phase]) for entry in history if phase in entry]
    return statistics.median(lengths) if lengths else otherwise


def _seconds(start: str, end: str) -> float:
    return max(0.0, (datetime.datetime.fromisoformat(end) - datetime.datetime.fromisoformat(start)).total_seconds())
