# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the conditions of an Agent from the status of its host in the assisted-service.

Source: openshift/assisted-service internal/controller/controllers/agent_controller.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from .condition import Condition
from .validations import validated

NOT_READY = frozenset({"discovering", "disconnected", "insufficient", "pending-for-input"})
NOT_READY_UNBOUND = frozenset({"discovering-unbound", "disconnected-unbound", "insufficient-unbound"})
INSTALLING = frozenset(
    {
        "preparing-for-installation",
        "preparing-successful",
        "installing",
        "installing-in-progress",
        "installing-pending-user-action",
    },
)
INSTALLED = frozenset({"installed", "added-to-existing-cluster"})
UNBINDING = frozenset({"unbinding", "unbinding-pending-user-action"})
UNBOUND = NOT_READY_UNBOUND | {"known-unbound", "disabled-unbound"}
BINDING_TEXT = "The agent is currently binding to a cluster deployment"
UNBINDING_TEXT = "The agent is currently unbinding from a cluster deployment"
PENDING_REBOOT_TEXT = "The agent is currently unbinding; Pending host reboot from infraenv image"


@dataclasses.dataclass(frozen=True)
class HostFacts:
    """What the conditions depend on. ``validations``: category -> list of {id, status, message}."""

    status: str
    status_info: str = ""
    approved: bool = False
    validations: Mapping[str, Sequence[Mapping[str, Any]]] = dataclasses.field(default_factory=dict)


def synced() -> Condition:
    return Condition("SpecSynced", "True", "SyncOK", "The Spec has been successfully applied")


def not_synced(text: str, *, backend: bool) -> Condition:
    """``backend``: the fault is not the user's."""
    if backend:
        return Condition(
            "SpecSynced", "False", "BackendError", (f"The Spec could not be synced due to backend error: {text}")
        )
    return Condition("SpecSynced", "False", "InputError", f"The Spec could not be synced due to an input error: {text}")


def unavailable() -> list[Condition]:
    """The service does not know the host."""
    return [
        Condition(kind, "Unknown", "NotAvailable", "Information not available")
        for kind in ("Connected", "RequirementsMet", "Validated", "Installed", "Bound")
    ]


def host_conditions(facts: HostFacts) -> list[Condition]:
    """All but SpecSynced, in the order in which they are first set."""
    return [_connected(facts), _requirements_met(facts), _validated(facts), _installed(facts), _bound(facts)]


def _connected(facts: HostFacts) -> Condition:
    if facts.status in ("disconnected", "disconnected-unbound"):
        text = "The agent has not contacted the installation service in some time, user action should be taken"
        return Condition("Connected", "False", "AgentIsDisconnected", text)
    return Condition(
        "Connected", "True", "AgentIsConnected", ("The agent's connection to the installation service is unimpaired")
    )


def _moving(kind: str, facts: HostFacts) -> Condition | None:
    if facts.status == "binding":
        return Condition(kind, "False", "Binding", BINDING_TEXT)
    if facts.status in UNBINDING:
        return Condition(kind, "False", "Unbinding", UNBINDING_TEXT)
    return None


def _unknown(kind: str, facts: HostFacts) -> Condition:
    return Condition(
        kind, "Unknown", "UnknownStatus", (f"The installation status is currently not recognized: {facts.status}")
    )


def _requirements_met(facts: HostFacts) -> Condition:
    kind = "RequirementsMet"
    moving = _moving(kind, facts)
    if moving is not None:
        return moving
    if facts.status in ("known", "known-unbound"):
        if facts.approved:
            return Condition(kind, "True", "AgentIsReady", "The agent is ready to begin the installation")
        return Condition(kind, "False", "AgentIsNotApproved", "The agent is not approved")
    if facts.status in NOT_READY | NOT_READY_UNBOUND:
        return Condition(kind, "False", "AgentNotReady", "The agent is not ready to begin the installation")
    if facts.status in INSTALLING:
        return Condition(kind, "True", "AgentAlreadyInstalling", "Installation already started and is in progress")
    if facts.status in INSTALLED | {"error"}:
        return Condition(kind, "True", "AgentInstallationStopped", "The agent installation stopped")
    return _unknown(kind, facts)


def _validated(facts: HostFacts) -> Condition:
    moving = _moving("Validated", facts)
    if moving is not None:
        return moving
    failing = facts.status in ("insufficient", "insufficient-unbound")
    return validated("agent", facts.validations, failing=failing, pending=facts.status == "pending-for-input")


def _installed(facts: HostFacts) -> Condition:
    kind = "Installed"
    moving = _moving(kind, facts)
    if moving is not None:
        return moving
    if facts.status in INSTALLED:
        return Condition(kind, "True", "InstallationCompleted", f"The installation has completed: {facts.status_info}")
    if facts.status == "error":
        return Condition(kind, "False", "InstallationFailed", f"The installation has failed: {facts.status_info}")
    if facts.status in NOT_READY | NOT_READY_UNBOUND | {"known", "known-unbound"}:
        return Condition(kind, "False", "InstallationNotStarted", "The installation has not yet started")
    if facts.status in INSTALLING:
        return Condition(
            kind, "False", "InstallationInProgress", (f"The installation is in progress: {facts.status_info}")
        )
    return _unknown(kind, facts)


def _bound(facts: HostFacts) -> Condition:
    kind = "Bound"
    if facts.status == "unbinding-pending-user-action":
        return Condition(kind, "False", "UnbindingPendingUserAction", PENDING_REBOOT_TEXT)
    moving = _moving(kind, facts)
    if moving is not None:
        return moving
    if facts.status in UNBOUND:
        return Condition(kind, "False", "Unbound", "The agent is not bound to any cluster deployment")
    return Condition(kind, "True", "Bound", "The agent is bound to a cluster deployment")
