# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the progress of an AgentClusterInstall from its conditions, in order of precedence.

``debugInfo.state`` is informational; Failed, Completed, Stopped, SpecSynced and RequirementsMet decide.

Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go;
  docs/upstream/infrastructure-operator.md#what-a-client-does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

Phase = Literal["unseen", "refused", "waiting", "held", "ready", "installing", "installed", "failed", "cancelled"]

# With these reasons of condition Completed, the specification can no longer change.
STARTED_REASONS = frozenset({"InstallationInProgress", "InstallationCompleted", "InstallationFailed"})
TERMINAL: tuple[Phase, ...] = ("refused", "failed", "cancelled")
# Phases in the order of a good installation.
PROGRESS: tuple[Phase, ...] = ("unseen", "waiting", "held", "ready", "installing", "installed")


@dataclasses.dataclass(frozen=True)
class InstallCondition:
    status: str = ""
    reason: str = ""
    message: str = ""

    @property
    def true(self) -> bool:
        return self.status == "True"


@dataclasses.dataclass(frozen=True)
class FailingValidation:
    id: str
    message: str
    status: str = "failure"


@dataclasses.dataclass(frozen=True)
class InstallStatus:
    """``reason`` says in the operator's words what is waited for or went wrong; ``percent`` is 0 to 100; ``state`` the
    service's own word.
    """

    phase: Phase = "unseen"
    reason: str = ""
    percent: int = 0
    state: str = ""
    validations: tuple[FailingValidation, ...] = ()
    requirements: str = ""
    started: bool = False
    kubeconfig_secret: str = ""
    password_secret: str = ""

    @property
    def terminal(self) -> bool:
        return self.phase in TERMINAL

    def reached(self, phase: Phase) -> bool:
        return self.phase in PROGRESS and PROGRESS.index(self.phase) >= PROGRESS.index(phase)

    def text(self) -> str:
        """The status in one line, for progress and messages."""
        found = "; ".join(f"{validation.id}: {validation.message}" for validation in self.validations)
        return ": ".join(part for part in (self.phase, self.reason, found if self.phase == "waiting" else "") if part)


def read_status(cluster_install: Mapping[str, Any]) -> InstallStatus:
    """What an AgentClusterInstall says; fields that are not there yet are empty."""
    status = cluster_install.get("status") or {}
    conditions = read_conditions(status)
    metadata = (cluster_install.get("spec") or {}).get("clusterMetadata") or {}
    phase, reason = _phase(conditions)
    debug = status.get("debugInfo") or {}
    if phase == "waiting" and debug.get("stateInfo") and not reason:
        reason = str(debug["stateInfo"])
    return InstallStatus(
        phase=phase,
        reason=reason,
        percent=100 if phase == "installed" else int((status.get("progress") or {}).get("totalPercentage") or 0),
        state=str(debug.get("state") or ""),
        validations=failing_validations(status),
        requirements=conditions.get("RequirementsMet", InstallCondition()).reason,
        started=conditions.get("Completed", InstallCondition()).reason in STARTED_REASONS,
        kubeconfig_secret=str((metadata.get("adminKubeconfigSecretRef") or {}).get("name") or ""),
        password_secret=str((metadata.get("adminPasswordSecretRef") or {}).get("name") or ""),
    )


def read_conditions(status: Mapping[str, Any]) -> dict[str, InstallCondition]:
    """Conditions by type."""
    return {
        str(condition.get("type")): InstallCondition(
            str(condition.get("status") or ""), str(condition.get("reason") or ""), str(condition.get("message") or "")
        )
        for condition in status.get("conditions") or []
        if isinstance(condition, Mapping)
    }


def failing_validations(status: Mapping[str, Any]) -> tuple[FailingValidation, ...]:
    """Validations that hold something up, failures first.

    Shared by clusters and Agents: both have ``validationsInfo``.
    """
    found = [
        FailingValidation(str(entry.get("id")), str(entry.get("message") or ""), str(entry.get("status")))
        for entries in (status.get("validationsInfo") or {}).values()
        for entry in entries or []
        if isinstance(entry, Mapping) and entry.get("status") in ("failure", "pending", "error")
    ]
    return tuple(sorted(found, key=lambda validation: (validation.status == "pending", validation.id)))


def _phase(conditions: Mapping[str, InstallCondition]) -> tuple[Phase, str]:
    if not conditions:
        return "unseen", "the operator has not looked at it yet"
    completed, failed, stopped = (
        conditions.get(name, InstallCondition()) for name in ("Completed", "Failed", "Stopped")
    )
    synced, requirements = (
        conditions.get("SpecSynced", InstallCondition()),
        conditions.get("RequirementsMet", InstallCondition()),
    )
    if failed.true:
        return "failed", failed.message
    if completed.true:
        return "installed", completed.message
    if stopped.true:
        return ("cancelled" if stopped.reason == "InstallationCancelled" else "failed"), stopped.message
    if synced.status == "False" and synced.reason == "InputError":
        return "refused", synced.message
    if completed.reason == "InstallationInProgress":
        return "installing", completed.message
    if synced.status == "False":
        return "waiting", synced.message
    if completed.reason == "InstallationOnHold":
        return (
            ("held", completed.message) if requirements.true else ("waiting", requirements.message or completed.message)
        )
    if requirements.true:
        return "ready", requirements.message
    validated = conditions.get("Validated", InstallCondition())
    reason = (
        validated.message
        if requirements.reason == "ClusterNotReady" and validated.status == "False"
        else requirements.message
    )
    return "waiting", reason
