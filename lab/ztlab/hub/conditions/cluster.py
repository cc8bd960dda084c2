# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the conditions of an AgentClusterInstall from the status of its cluster in the assisted-service.

Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from .condition import Condition
from .validations import validated

BEFORE = frozenset({"insufficient", "pending-for-input", "ready"})
INSTALLING = frozenset({"preparing-for-installation", "installing", "finalizing", "installing-pending-user-action"})
NEVER_PREPARED = "Cluster preparation has never been performed for this cluster"
PREPARED = "There is no failing prior preparation attempt"
PREPARATION_FAILED = "The last installation preparation failed"


@dataclasses.dataclass(frozen=True)
class Count:
    """Agents by role."""

    masters: int = 0
    arbiters: int = 0
    workers: int = 0

    @property
    def total(self) -> int:
        return self.masters + self.arbiters + self.workers


@dataclasses.dataclass(frozen=True)
class ClusterFacts:
    """What the conditions depend on.

    ``approved``: Agents of the cluster that are approved; ``unsynced``: those whose SpecSynced is False.
    """

    status: str
    status_info: str = ""
    wanted: Count = Count()
    registered: Count = Count()
    approved: int = 0
    unsynced: int = 0
    on_hold: bool = False
    validations: Mapping[str, Sequence[Mapping[str, Any]]] = dataclasses.field(default_factory=dict)
    preparation: str = "not_started"  # not_started, success, failed
    preparation_reason: str = ""
    version_status: str = ""  # of the operator cvo
    version_message: str = ""


def synced() -> Condition:
    return Condition("SpecSynced", "True", "SyncOK", "SyncOK")


def not_synced(text: str, *, backend: bool) -> Condition:
    if backend:
        return Condition(
            "SpecSynced", "False", "BackendError", (f"The Spec could not be synced due to backend error: {text}")
        )
    return Condition("SpecSynced", "False", "InputError", f"The Spec could not be synced due to an input error: {text}")


def unavailable() -> list[Condition]:
    """There is no cluster in the service."""
    # setClusterConditionsUnknown of clusterdeployments_controller.go
    kinds = ("Validated", "RequirementsMet", "Completed", "Failed", "Stopped")
    return [Condition(kind, "Unknown", "NotAvailable", "Information not available") for kind in kinds]


def cluster_conditions(facts: ClusterFacts) -> list[Condition]:
    """All but SpecSynced, in the order in which they are first set."""
    return [
        requirements_met(facts),
        _validated(facts),
        _completed(facts),
        _failed(facts),
        _stopped(facts),
        _preparation(facts),
    ]


def can_start(facts: ClusterFacts) -> bool:
    """Whether the installation begins by itself now.

    Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go.
    """
    return facts.status == "ready" and not facts.on_hold and requirements_met(facts).status == "True"


def _unknown(kind: str, facts: ClusterFacts) -> Condition:
    return Condition(
        kind, "Unknown", "UnknownStatus", (f"The installation status is currently not recognized: {facts.status}")
    )


def requirements_met(facts: ClusterFacts) -> Condition:
    kind = "RequirementsMet"
    if facts.status in ("insufficient", "pending-for-input"):
        return Condition(kind, "False", "ClusterNotReady", "The cluster is not ready to begin the installation")
    if facts.status == "ready":
        return _ready(kind, facts)
    if facts.status in INSTALLING | {"adding-hosts"}:
        return Condition(kind, "True", "ClusterAlreadyInstalling", "The cluster requirements are met")
    if facts.status in ("installed", "error"):
        return Condition(kind, "True", "ClusterInstallationStopped", "The cluster installation stopped")
    return _unknown(kind, facts)


def _ready(kind: str, facts: ClusterFacts) -> Condition:
    """Counts first, then unsynced Agents, then unapproved ones."""
    if facts.registered != facts.wanted:
        wanted, found = facts.wanted, facts.registered
        text = (
            f"The cluster currently requires exactly {wanted.masters} master agents, {wanted.arbiters} arbiter agents "
            f"and {wanted.workers} worker agents, "
            f"but currently registered {found.masters} master agents, {found.arbiters} arbiter agents and "
            f"{found.workers} worker agents"
        )
        return Condition(kind, "False", "InsufficientAgents", text)
    if facts.unsynced:
        return Condition(
            kind, "False", "UnsyncedAgents", (f"The cluster currently has {facts.unsynced} agents with spec error")
        )
    if facts.approved != facts.wanted.total:
        missing = facts.wanted.total - facts.approved
        return Condition(
            kind,
            "False",
            "UnapprovedAgents",
            f"The installation is pending on the approval of {missing} agents",
        )
    return Condition(kind, "True", "ClusterIsReady", "The cluster is ready to begin the installation")


def _validated(facts: ClusterFacts) -> Condition:
    if facts.status == "adding-hosts":
        return Condition("Validated", "True", "ValidationsPassing", "The cluster's validations are passing")
    return validated(
        "cluster",
        facts.validations,
        failing=facts.status == "insufficient",
        pending=facts.status == "pending-for-input",
    )


def _completed(facts: ClusterFacts) -> Condition:
    kind = "Completed"
    if facts.status in BEFORE:
        if facts.on_hold and facts.status == "ready":
            return Condition(
                kind,
                "False",
                "InstallationOnHold",
                ("The installation is on hold. To unhold set holdInstallation to false"),
            )
        return Condition(kind, "False", "InstallationNotStarted", "The installation has not yet started")
    if facts.status in INSTALLING:
        version = (
            f". Cluster version status: {facts.version_status}, message: {facts.version_message}"
            if facts.version_status
            else ""
        )
        return Condition(
            kind, "False", "InstallationInProgress", (f"The installation is in progress: {facts.status_info}{version}")
        )
    if facts.status in ("installed", "adding-hosts"):
        return Condition(kind, "True", "InstallationCompleted", f"The installation has completed: {facts.status_info}")
    if facts.status == "error":
        return Condition(kind, "False", "InstallationFailed", f"The installation has failed: {facts.status_info}")
    return _unknown(kind, facts)


def _failed(facts: ClusterFacts) -> Condition:
    if facts.status == "error":
        return Condition("Failed", "True", "InstallationFailed", f"The installation failed: {facts.status_info}")
    return Condition("Failed", "False", "InstallationNotFailed", "The installation has not failed")


def _stopped(facts: ClusterFacts) -> Condition:
    kind = "Stopped"
    if facts.status in ("installed", "adding-hosts"):
        return Condition(
            kind, "True", "InstallationCompleted", ("The installation has stopped because it completed successfully")
        )
    if facts.status == "error":
        return Condition(kind, "True", "InstallationFailed", "The installation has stopped due to error")
    if facts.status == "cancelled":
        return Condition(kind, "True", "InstallationCancelled", "The installation has stopped because it was cancelled")
    return Condition(kind, "False", "InstallationNotStopped", "The installation is waiting to start or in progress")


def _preparation(facts: ClusterFacts) -> Condition:
    kind = "LastInstallationPreparationFailed"
    if facts.preparation == "failed":
        return Condition(kind, "True", PREPARATION_FAILED, facts.preparation_reason)
    if facts.preparation == "success":
        return Condition(kind, "False", PREPARED, "")
    return Condition(kind, "False", NEVER_PREPARED, "")
