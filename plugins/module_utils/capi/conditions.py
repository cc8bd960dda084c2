# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute the conditions of an AgentMachine in the form that upstream's controller writes. Pure.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..hub.agents.model import Agent
from ..hub.install.status import InstallCondition

READY = "Ready"
RESERVED = "AgentReserved"
# Condition of the AgentMachine -> condition of the Agent that it repeats.
MIRRORED: Mapping[str, str] = {
    "AgentSpecSynced": "SpecSynced",
    "AgentValidated": "Validated",
    "AgentRequirementsMet": "RequirementsMet",
    "Installed": "Installed",
}
_NOT_YET = "AgentNotYetFound"
_REASON = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_LONGEST_REASON, _LONGEST_MESSAGE = 1024, 32768
# Types with which upstream's list begins and ends; the rest is in alphabetical order.
_FIRST, _LAST = ("Available", READY), ("Deleting", "Paused")


@dataclasses.dataclass(frozen=True)
class Moment:
    """When conditions are set: the time, and the generation of the object that they describe."""

    now: str
    generation: int


def without_agent(problem: str) -> dict[str, InstallCondition]:
    """The five conditions while no Agent is reserved; ``problem`` says what kept us from looking for one, empty if none
    was suitable.
    """
    reserved = (
        InstallCondition("False", _NOT_YET, problem) if problem else InstallCondition("False", "NoSuitableAgents")
    )
    return {
        RESERVED: reserved,
        **dict.fromkeys(MIRRORED, InstallCondition("False", _NOT_YET, "Agent not yet reserved")),
    }


def with_agent(agent: Agent) -> dict[str, InstallCondition]:
    """The five conditions with an Agent: it is reserved, and what it says of itself."""
    return {
        RESERVED: InstallCondition("True", "AgentReserved"),
        **{name: _mirror(agent.conditions.get(source)) for name, source in MIRRORED.items()},
    }


def _mirror(found: InstallCondition | None) -> InstallCondition:
    if found is None:
        return InstallCondition("False", "ConditionNotFound")
    if found.true:
        return InstallCondition("True", "AgentConditionTrue")
    # Upstream copies any reason, and the API then refuses the whole status for one that is empty or misshapen (14).
    reason = (
        found.reason
        if _REASON.fullmatch(found.reason)
        else re.sub(r"[^A-Za-z0-9_,:]+", "_", found.reason).strip("_,:0123456789") or "NoReasonGiven"
    )
    return InstallCondition("False", reason[:_LONGEST_REASON], found.message[:_LONGEST_MESSAGE])


def with_summary(conditions: Mapping[str, InstallCondition]) -> dict[str, InstallCondition]:
    """The conditions and Ready, which sums them up."""
    lacking = [(name, condition) for name, condition in conditions.items() if not condition.true]
    if not lacking:
        return {READY: InstallCondition("True", "InfoReported"), **conditions}
    message = "\n".join(
        line for name, condition in lacking for line in _bullet(name, condition.message or condition.reason)
    )
    return {READY: InstallCondition("False", "IssuesReported", message[:_LONGEST_MESSAGE]), **conditions}


def _bullet(name: str, message: str) -> Iterable[str]:
    lines = message.split("\n")
    return [f"* {name}: {message}"] if len(lines) == 1 else [f"* {name}:", *(f"  * {line}" for line in lines)]


def updated(
    present: Sequence[Mapping[str, Any]], conditions: Mapping[str, InstallCondition], moment: Moment
) -> list[dict[str, Any]]:
    """The list to be written: a condition keeps the time of its last transition while its status stays; those that we
    do not know stay as they are.
    """
    result = {str(item.get("type")): dict(item) for item in present}
    for name, condition in conditions.items():
        before = result.get(name, {})
        same = before.get("status") == condition.status and before.get("lastTransitionTime")
        result[name] = {
            "type": name,
            "status": condition.status,
            "reason": condition.reason,
            "message": condition.message,
            "lastTransitionTime": before["lastTransitionTime"] if same else moment.now,
            "observedGeneration": moment.generation,
        }
    return sorted(result.values(), key=_order)


def _order(item: Mapping[str, Any]) -> tuple[int, str]:
    name = str(item.get("type"))
    if name in _FIRST:
        return _FIRST.index(name), ""
    return (len(_FIRST) + 1 + _LAST.index(name), "") if name in _LAST else (len(_FIRST), name)
