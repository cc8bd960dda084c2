# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse the conditions of a HostedCluster or NodePool, and select those of its current generation.

The objects have no ``status.observedGeneration``; each condition has one. A condition may have an empty reason, and
even an empty status (ValidGeneratedPayload), which means neither success nor failure.

Source: openshift/hypershift api/hypershift/v1beta1/nodepool_types.go,
  hypershift-operator/controllers/nodepool/conditions.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Condition:
    """A condition. ``generation`` is None where the operator does not set it."""

    type: str
    status: str = ""
    reason: str = ""
    message: str = ""
    generation: int | None = None

    @property
    def true(self) -> bool:
        return self.status == "True"

    @property
    def false(self) -> bool:
        return self.status == "False"

    def text(self) -> str:
        """``AllMachinesReady is False (NoSuitableAgents): …`` on one line."""
        reason = f" ({self.reason})" if self.reason else ""
        message = " ".join(self.message.split()).rstrip(".")
        status = self.status or "empty"
        return f"{self.type} is {status}{reason}" + (f": {message}" if message else "")

    def as_dict(self) -> dict[str, str]:
        """The shape in results."""
        return {"type": self.type, "status": self.status, "reason": self.reason, "message": self.message}


@dataclasses.dataclass(frozen=True)
class Conditions:
    """The conditions of one object, whose generation is ``generation``."""

    generation: int
    found: Mapping[str, Condition]

    def get(self, kind: str) -> Condition | None:
        """The condition, whatever generation it is of."""
        return self.found.get(kind)

    def current(self, kind: str) -> Condition | None:
        """The condition if it is about the object as it is now; else None.

        One that does not say its generation counts as soon as any other is current: then the operator has looked at the
        object since the change.
        """
        condition = self.found.get(kind)
        if condition is None or condition.generation == self.generation:
            return condition
        return condition if condition.generation is None and self.looked else None

    @property
    def looked(self) -> bool:
        """Whether the operator has looked at the object as it is now, as far as its conditions tell."""
        reported = [condition.generation for condition in self.found.values() if condition.generation is not None]
        return self.generation in reported if reported else bool(self.found)


def read_conditions(obj: Mapping[str, Any] | None) -> Conditions:
    """The conditions of an object; none while the operator has not looked at it."""
    generation = ((obj or {}).get("metadata") or {}).get("generation")
    conditions = ((obj or {}).get("status") or {}).get("conditions") or []
    return Conditions(
        generation if isinstance(generation, int) else 0,
        {condition.type: condition for condition in (_read(each) for each in conditions if isinstance(each, Mapping))},
    )


def _read(each: Mapping[str, Any]) -> Condition:
    generation = each.get("observedGeneration")
    kind, status, reason, message = (str(each.get(name) or "") for name in ("type", "status", "reason", "message"))
    return Condition(
        kind, status, reason, message, generation if isinstance(generation, int) and generation > 0 else None
    )
