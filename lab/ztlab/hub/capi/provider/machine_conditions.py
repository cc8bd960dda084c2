# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the conditions of an AgentMachine. Pure functions.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...conditions import Condition
from ..conditions import false, read, summary, true

# condition of the AgentMachine -> of the Agent
MIRRORED = {
    "AgentSpecSynced": "SpecSynced",
    "AgentValidated": "Validated",
    "AgentRequirementsMet": "RequirementsMet",
    "Installed": "Installed",
}
REASONS = ("InfoReported", "IssuesReported", "UnknownReported")


def without_agent(problem: str) -> list[Condition]:
    """As long as no Agent is reserved; ``problem``: why the reconcile pass found no Agent."""
    first = (
        false("AgentReserved", "AgentNotYetFound", problem) if problem else false("AgentReserved", "NoSuitableAgents")
    )
    return _with_summary([first, *(false(kind, "AgentNotYetFound", "Agent not yet reserved") for kind in MIRRORED)])


def of_agent(agent: Mapping[str, Any]) -> list[Condition]:
    """With a reserved Agent."""
    source = (agent.get("status") or {}).get("conditions")
    return _with_summary(
        [
            true("AgentReserved", "AgentReserved"),
            *(_mirrored(kind, read(source, name)) for kind, name in MIRRORED.items()),
        ]
    )


def _mirrored(kind: str, found: Condition | None) -> Condition:
    if found is None:
        return false(kind, "ConditionNotFound")
    if found.status == "True":
        return true(kind, "AgentConditionTrue")
    return false(kind, found.reason, found.message)


def _with_summary(parts: list[Condition]) -> list[Condition]:
    return [summary("Ready", parts, reasons=REASONS), *parts]
