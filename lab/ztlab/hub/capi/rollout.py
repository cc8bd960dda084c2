# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute how many Machines each MachineSet of a MachineDeployment should have during a rollout. Pure functions."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..names import Object
from .machine_set import IN_PLACE, LETTERS


@dataclasses.dataclass(frozen=True)
class Strategy:
    """The rollout strategy of a MachineDeployment, in numbers."""

    on_delete: bool
    surge: int
    unavailable: int


def _number(value: Any, total: int, *, up: bool) -> int:
    if isinstance(value, str) and value.endswith("%"):
        share = total * int(value[:-1]) / 100
        return math.ceil(share) if up else math.floor(share)
    return int(value)


def strategy(deployment: Mapping[str, Any]) -> Strategy:
    """One more at a time unless it says otherwise; never no step at all."""
    spec = deployment["spec"]
    provided = (spec.get("rollout") or {}).get("strategy") or spec.get("strategy") or {}
    rolling, total = provided.get("rollingUpdate") or {}, wanted(deployment)
    surge = _number(rolling.get("maxSurge", 1), total, up=True)
    unavailable = _number(rolling.get("maxUnavailable", 0), total, up=False)
    return Strategy(provided.get("type") == "OnDelete", surge, unavailable if surge or unavailable else 1)


def wanted(item: Mapping[str, Any]) -> int:
    return int(item["spec"].get("replicas", 1))


def essence(template: Mapping[str, Any]) -> Any:
    """What of a template makes other Machines: not its labels, annotations and times, which reach those that are
    there.
    """
    spec = {name: value for name, value in template["spec"].items() if name not in IN_PLACE}
    return json.loads(json.dumps(spec, sort_keys=True))


def template_hash(template: Mapping[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps(essence(template), sort_keys=True).encode()).digest()
    return "".join(LETTERS[byte % len(LETTERS)] for byte in digest[:5])


def newest(deployment: Object, sets: Sequence[Object]) -> Object | None:
    """The set that is as the MachineDeployment wants it."""
    shape = essence(deployment["spec"]["template"])
    fitting = [item for item in sets if essence(item["spec"]["template"]) == shape]
    return min(
        fitting, key=lambda item: (item["metadata"]["creationTimestamp"], item["metadata"]["name"]), default=None
    )


def available(item: Mapping[str, Any]) -> int:
    return int((item.get("status") or {}).get("availableReplicas") or 0)


def held(item: Mapping[str, Any]) -> int:
    """Machines that a set wants or still has: one that is being deleted has its host until it is gone."""
    return max(wanted(item), int((item.get("status") or {}).get("replicas") or 0))


def new_replicas(deployment: Object, new: Object | None, old: Sequence[Object]) -> int:
    """For the set that is as it should be."""
    plan, goal = strategy(deployment), wanted(deployment)
    present = wanted(new) if new is not None else 0
    total = (held(new) if new is not None else 0) + sum(held(item) for item in old)
    if not old or present > goal:
        return goal
    free = goal - total if plan.on_delete else goal + plan.surge - total
    return present + max(0, min(free, goal - present))


def old_replicas(deployment: Object, new: Object, old: Sequence[Object], machines: Mapping[str, int]) -> dict[str, int]:
    """Name -> number for the sets that go; ``machines``: how many each has that are not being deleted."""
    found = {item["metadata"]["name"]: wanted(item) for item in old}
    plan, goal = strategy(deployment), wanted(deployment)
    if plan.on_delete:
        return {name: min(number, machines.get(name, number)) for name, number in found.items()}
    least = goal - plan.unavailable
    total = wanted(new) + sum(found.values())
    free = total - least - (wanted(new) - min(available(new), wanted(new)))
    for item in old:  # those that are no use go first
        name = item["metadata"]["name"]
        useless = max(0, min(found[name] - available(item), free))
        found[name] -= useless
        free -= useless
    surplus = min(
        free, available(new) + sum(min(available(item), found[item["metadata"]["name"]]) for item in old) - least
    )
    for item in old:
        name = item["metadata"]["name"]
        step = max(0, min(found[name], surplus))
        found[name] -= step
        surplus -= step
    return found
