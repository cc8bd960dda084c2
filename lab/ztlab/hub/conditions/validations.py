# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the condition Validated of Agents and AgentClusterInstalls from the validations of the assisted-service.

Source: openshift/assisted-service internal/controller/controllers/agent_controller.go,
  internal/controller/controllers/clusterdeployments_controller.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .condition import Condition


def messages(validations: Mapping[str, Sequence[Mapping[str, Any]]], *, passed: Sequence[str]) -> str:
    """Messages of the validations without a status in ``passed``, joined by commas; pending ones included."""
    return ",".join(
        str(entry.get("message", ""))
        for category in validations.values()
        for entry in category
        if entry.get("status") not in passed
    )


def validated(
    what: str, validations: Mapping[str, Sequence[Mapping[str, Any]]], *, failing: bool, pending: bool
) -> Condition:
    """``what``: "agent" or "cluster".

    A status that names failing or pending validations decides before their list does.

    A disabled validation of a host is no failure; that of a cluster is shown (agent_controller.go and
    clusterdeployments_controller.go of openshift/assisted-service internal/controller/controllers, function validated).
    """
    text = messages(validations, passed=("success", "disabled") if what == "agent" else ("success",))
    if failing:
        return Condition("Validated", "False", "ValidationsFailing", f"The {what}'s validations are failing: {text}")
    if pending:
        return Condition(
            "Validated", "False", "ValidationsUserPending", (f"The {what}'s validations are pending for user: {text}")
        )
    if not any(validations.values()):
        return Condition(
            "Validated", "Unknown", "ValidationsUnknown", (f"The {what}'s validations have not yet been calculated")
        )
    return Condition("Validated", "True", "ValidationsPassing", f"The {what}'s validations are passing")
