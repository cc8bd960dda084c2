# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the conditions of InfraEnvs, Agents and clusters: one test case for each row of their tables.

Source: openshift/assisted-service internal/controller/controllers/infraenv_controller.go,
  internal/controller/controllers/agent_controller.go, internal/controller/controllers/clusterdeployments_controller.go.
"""

from __future__ import annotations

import dataclasses

import pytest
from ztlab.hub.conditions import Condition, find, infra_env, merge, preprovisioning
from ztlab.hub.conditions import agent as agents
from ztlab.hub.conditions import cluster as clusters
from ztlab.hub.conditions.agent import HostFacts, host_conditions
from ztlab.hub.conditions.cluster import ClusterFacts, Count, can_start, cluster_conditions

PASSING = {"hardware": [{"id": "connected", "status": "success", "message": "ok"}]}
FAILING = {
    "hardware": [
        {"id": "a", "status": "failure", "message": "m1"},
        {"id": "b", "status": "error", "message": "m2"},
        {"id": "c", "status": "success"},
    ]
}


def rows(conditions: list[Condition]) -> dict[str, tuple[str, str]]:
    return {condition.type: (condition.status, condition.reason) for condition in conditions}


def texts(conditions: list[Condition]) -> dict[str, str]:
    return {condition.type: condition.message for condition in conditions}


# ImageCreated


def test_image_created() -> None:
    assert infra_env.available() == Condition(
        "ImageCreated", "True", "InfraEnvAvailable", "InfraEnv is available: Image has been created"
    )
    assert infra_env.available(image_service=False).message == "InfraEnv is available"
    assert infra_env.failed(400, "x") == Condition(
        "ImageCreated", "False", "ImageCreationError", "Failed to create image: x"
    )
    internal = Condition(
        "ImageCreated", "False", "ImageCreationError", ("Failed to create image due to an internal error: x")
    )
    assert infra_env.failed(500, "x") == infra_env.failed(None, "x") == internal
    assert infra_env.in_progress("InfraEnvAvailable") == Condition(
        "ImageCreated", "True", "ImageCreated", "Image has been created"
    )
    assert infra_env.in_progress("ImageCreationError") is None
    assert infra_env.missing_cluster("x") == Condition(
        "ImageCreated", "Unknown", "MissingClusterDeployment", "ClusterDeployment is missing: x"
    )


# Agent

NOT_READY, NOT_STARTED = ("False", "AgentNotReady"), ("False", "InstallationNotStarted")
BOUND, UNBOUND = ("True", "Bound"), ("False", "Unbound")
BINDING, UNBINDING = ("False", "Binding"), ("False", "Unbinding")
INSTALLING, IN_PROGRESS = ("True", "AgentAlreadyInstalling"), ("False", "InstallationInProgress")
STOPPED, UNKNOWN = ("True", "AgentInstallationStopped"), ("Unknown", "UnknownStatus")
DONE, FAILED = ("True", "InstallationCompleted"), ("False", "InstallationFailed")
AGENT_ROWS = {
    "discovering": (NOT_READY, NOT_STARTED, BOUND),
    "disconnected": (NOT_READY, NOT_STARTED, BOUND),
    "insufficient": (NOT_READY, NOT_STARTED, BOUND),
    "pending-for-input": (NOT_READY, NOT_STARTED, BOUND),
    "discovering-unbound": (NOT_READY, NOT_STARTED, UNBOUND),
    "disconnected-unbound": (NOT_READY, NOT_STARTED, UNBOUND),
    "insufficient-unbound": (NOT_READY, NOT_STARTED, UNBOUND),
    "known": (("False", "AgentIsNotApproved"), NOT_STARTED, BOUND),
    "known-unbound": (("False", "AgentIsNotApproved"), NOT_STARTED, UNBOUND),
    "binding": (BINDING, BINDING, BINDING),
    "unbinding": (UNBINDING, UNBINDING, UNBINDING),
    "unbinding-pending-user-action": (UNBINDING, UNBINDING, ("False", "UnbindingPendingUserAction")),
    "preparing-for-installation": (INSTALLING, IN_PROGRESS, BOUND),
    "preparing-successful": (INSTALLING, IN_PROGRESS, BOUND),
    "installing": (INSTALLING, IN_PROGRESS, BOUND),
    "installing-in-progress": (INSTALLING, IN_PROGRESS, BOUND),
    "installing-pending-user-action": (INSTALLING, IN_PROGRESS, BOUND),
    "installed": (STOPPED, DONE, BOUND),
    "added-to-existing-cluster": (STOPPED, DONE, BOUND),
    "error": (STOPPED, FAILED, BOUND),
    "preparing-failed": (UNKNOWN, UNKNOWN, BOUND),
    "cancelled": (UNKNOWN, UNKNOWN, BOUND),
    "resetting": (UNKNOWN, UNKNOWN, BOUND),
    "resetting-pending-user-action": (UNKNOWN, UNKNOWN, BOUND),
    "disabled": (UNKNOWN, UNKNOWN, BOUND),
    "reclaiming": (UNKNOWN, UNKNOWN, BOUND),
    "reclaiming-rebooting": (UNKNOWN, UNKNOWN, BOUND),
    "disabled-unbound": (UNKNOWN, UNKNOWN, UNBOUND),
}


@pytest.mark.parametrize("status", AGENT_ROWS)
def test_agent_row(status: str) -> None:
    found = rows(host_conditions(HostFacts(status, "text", validations=PASSING)))
    requirements, installed, bound = AGENT_ROWS[status]
    assert (found["RequirementsMet"], found["Installed"], found["Bound"]) == (requirements, installed, bound)
    assert found["Connected"] == (
        ("False", "AgentIsDisconnected") if status.startswith("disconnected") else ("True", "AgentIsConnected")
    )


@pytest.mark.parametrize("status", ["known", "known-unbound"])
def test_an_approved_agent_is_ready(status: str) -> None:
    assert rows(host_conditions(HostFacts(status, approved=True)))["RequirementsMet"] == ("True", "AgentIsReady")


@pytest.mark.parametrize(
    ("status", "validations", "wanted", "text"),
    [
        ("insufficient", FAILING, ("False", "ValidationsFailing"), "The agent's validations are failing: m1,m2"),
        (
            "insufficient-unbound",
            FAILING,
            ("False", "ValidationsFailing"),
            "The agent's validations are failing: m1,m2",
        ),
        (
            "pending-for-input",
            FAILING,
            ("False", "ValidationsUserPending"),
            ("The agent's validations are pending for user: m1,m2"),
        ),
        ("known", {}, ("Unknown", "ValidationsUnknown"), "The agent's validations have not yet been calculated"),
        ("known", PASSING, ("True", "ValidationsPassing"), "The agent's validations are passing"),
        ("disconnected", FAILING, ("True", "ValidationsPassing"), "The agent's validations are passing"),
        ("binding", PASSING, BINDING, agents.BINDING_TEXT),
        ("unbinding", PASSING, UNBINDING, agents.UNBINDING_TEXT),
    ],
)
def test_agent_validated(
    status: str, validations: dict[str, list[dict[str, str]]], wanted: tuple[str, str], text: str
) -> None:
    found = host_conditions(HostFacts(status, validations=validations))
    assert (rows(found)["Validated"], texts(found)["Validated"]) == (wanted, text)


def test_agent_texts() -> None:
    assert texts(host_conditions(HostFacts("installed", "Done")))["Installed"] == "The installation has completed: Done"
    assert texts(host_conditions(HostFacts("error", "x")))["Installed"] == "The installation has failed: x"
    assert texts(host_conditions(HostFacts("installing", "x")))["Installed"] == "The installation is in progress: x"
    assert texts(host_conditions(HostFacts("cancelled")))["Installed"] == (
        "The installation status is currently not recognized: cancelled"
    )
    assert texts(host_conditions(HostFacts("unbinding-pending-user-action")))["Bound"] == agents.PENDING_REBOOT_TEXT
    assert rows(agents.unavailable()) == dict.fromkeys(
        ["Connected", "RequirementsMet", "Validated", "Installed", "Bound"], ("Unknown", "NotAvailable")
    )
    assert agents.synced().message == "The Spec has been successfully applied"
    assert agents.not_synced("x", backend=True).message == "The Spec could not be synced due to backend error: x"
    assert agents.not_synced("x", backend=False) == Condition(
        "SpecSynced", "False", "InputError", ("The Spec could not be synced due to an input error: x")
    )


# AgentClusterInstall

THREE = Count(3, 0, 2)
READY = ClusterFacts("ready", wanted=THREE, registered=THREE, approved=5, validations=PASSING)
NOT_FAILED, NOT_STOPPED = ("False", "InstallationNotFailed"), ("False", "InstallationNotStopped")
RUNNING = (("True", "ClusterAlreadyInstalling"), IN_PROGRESS, NOT_FAILED, NOT_STOPPED)
CLUSTER_ROWS = {
    "insufficient": (("False", "ClusterNotReady"), NOT_STARTED, NOT_FAILED, NOT_STOPPED),
    "pending-for-input": (("False", "ClusterNotReady"), NOT_STARTED, NOT_FAILED, NOT_STOPPED),
    "ready": (("True", "ClusterIsReady"), NOT_STARTED, NOT_FAILED, NOT_STOPPED),
    "preparing-for-installation": RUNNING,
    "installing": RUNNING,
    "finalizing": RUNNING,
    "installing-pending-user-action": RUNNING,
    "installed": (("True", "ClusterInstallationStopped"), DONE, NOT_FAILED, ("True", "InstallationCompleted")),
    "adding-hosts": (("True", "ClusterAlreadyInstalling"), DONE, NOT_FAILED, ("True", "InstallationCompleted")),
    "error": (
        ("True", "ClusterInstallationStopped"),
        FAILED,
        ("True", "InstallationFailed"),
        ("True", "InstallationFailed"),
    ),
    "cancelled": (UNKNOWN, UNKNOWN, NOT_FAILED, ("True", "InstallationCancelled")),
    "unmonitored": (UNKNOWN, UNKNOWN, NOT_FAILED, NOT_STOPPED),
}


@pytest.mark.parametrize("status", CLUSTER_ROWS)
def test_cluster_row(status: str) -> None:
    found = rows(cluster_conditions(dataclasses.replace(READY, status=status)))
    assert tuple(found[kind] for kind in ("RequirementsMet", "Completed", "Failed", "Stopped")) == CLUSTER_ROWS[status]


def test_order_of_conditions() -> None:
    wanted = ["RequirementsMet", "Validated", "Completed", "Failed", "Stopped", "LastInstallationPreparationFailed"]
    assert [condition.type for condition in cluster_conditions(READY)] == wanted


@pytest.mark.parametrize(
    ("change", "wanted", "text"),
    [
        (
            {"registered": Count(3, 0, 3), "unsynced": 1, "approved": 0},
            "InsufficientAgents",
            "The cluster currently requires exactly 3 master agents, 0 arbiter agents and 2 worker agents, "
            "but currently registered 3 master agents, 0 arbiter agents and 3 worker agents",
        ),
        ({"unsynced": 2, "approved": 3}, "UnsyncedAgents", "The cluster currently has 2 agents with spec error"),
        ({"approved": 3}, "UnapprovedAgents", "The installation is pending on the approval of 2 agents"),
        ({}, "ClusterIsReady", "The cluster is ready to begin the installation"),
    ],
)
def test_ready_and_its_reasons(change: dict[str, object], wanted: str, text: str) -> None:
    """Counts, then unsynced, then unapproved; on hold or not."""
    facts = dataclasses.replace(READY, **change)  # type: ignore[arg-type]
    for hold in (False, True):
        held = dataclasses.replace(facts, on_hold=hold)
        condition = clusters.requirements_met(held)
        assert (condition.reason, condition.message) == (wanted, text)
        assert rows(cluster_conditions(held))["Completed"] == (
            "False",
            "InstallationOnHold" if hold else "InstallationNotStarted",
        )
        assert can_start(held) is (wanted == "ClusterIsReady" and not hold)


def test_cluster_texts() -> None:
    def text(kind: str, **change: object) -> str:
        return texts(cluster_conditions(dataclasses.replace(READY, **change)))[kind]  # type: ignore[arg-type]

    assert text("Completed", status="ready", on_hold=True) == (
        "The installation is on hold. To unhold set holdInstallation to false"
    )
    assert text("Completed", status="installing", status_info="x") == "The installation is in progress: x"
    version = {"version_status": "progressing", "version_message": "Working"}
    assert text("Completed", status="finalizing", status_info="x", **version).endswith(
        ": x. Cluster version status: progressing, message: Working"
    )
    assert text("Completed", status="installed", status_info="x") == "The installation has completed: x"
    assert text("Completed", status="error", status_info="x") == "The installation has failed: x"
    assert text("Failed", status="error", status_info="x") == "The installation failed: x"
    assert text("Stopped", status="installed") == "The installation has stopped because it completed successfully"
    assert text("Stopped", status="error") == "The installation has stopped due to error"
    assert text("Stopped", status="cancelled") == "The installation has stopped because it was cancelled"
    assert text("RequirementsMet", status="installing") == "The cluster requirements are met"
    assert (
        text("Validated", status="insufficient", validations=FAILING) == "The cluster's validations are failing: m1,m2"
    )
    assert clusters.synced() == Condition("SpecSynced", "True", "SyncOK", "SyncOK")


def test_cluster_validated_and_preparation() -> None:
    def row(kind: str, **change: object) -> tuple[str, str]:
        return rows(cluster_conditions(dataclasses.replace(READY, **change)))[kind]  # type: ignore[arg-type]

    assert row("Validated", status="pending-for-input") == ("False", "ValidationsUserPending")
    assert row("Validated", validations={}) == ("Unknown", "ValidationsUnknown")
    assert row("Validated", status="adding-hosts", validations={}) == ("True", "ValidationsPassing")
    kind = "LastInstallationPreparationFailed"
    assert row(kind) == ("False", "Cluster preparation has never been performed for this cluster")
    assert row(kind, preparation="success") == ("False", "There is no failing prior preparation attempt")
    assert row(kind, preparation="failed") == ("True", "The last installation preparation failed")


def test_no_cluster() -> None:
    assert rows(clusters.unavailable()) == dict.fromkeys(
        ["Validated", "RequirementsMet", "Completed", "Failed", "Stopped"], ("Unknown", "NotAvailable")
    )


# PreprovisioningImage


@pytest.mark.parametrize(
    ("found", "reason", "ready", "error"),
    [
        (preprovisioning.unsupported_format(), "UnsupportedImageFormat", "False", "True"),
        (preprovisioning.no_infra_env("n", "x"), "InfraEnvNotAvailable", "False", "False"),
        (preprovisioning.arch_mismatch("a", "b"), "InfraEnvArchMismatch", "False", "True"),
        (preprovisioning.ignition_failed("x"), "IronicAgentIgnitionUpdateFailure", "False", "True"),
        (preprovisioning.waiting_for_image(), "WaitingForInfraEnvImageToBeCreated", "False", "False"),
        (preprovisioning.cooling_down(), "WaitingForInfraEnvImageToCoolDown", "False", "False"),
        (
            preprovisioning.copied({"status": "True", "reason": "InfraEnvAvailable", "message": "m"}),
            "InfraEnvAvailable",
            "True",
            "False",
        ),
        (
            preprovisioning.copied({"status": "False", "reason": "ImageCreationError", "message": "m"}),
            "ImageCreationError",
            "False",
            "True",
        ),
    ],
)
def test_preprovisioning(found: list[Condition], reason: str, ready: str, error: str) -> None:
    assert rows(found) == {"Ready": (ready, reason), "Error": (error, reason)}


# lists of conditions


def test_merge() -> None:
    first = merge(None, [Condition("A", "True", "r", "m"), Condition("B", "False", "r", "m")], "t1", probed=True)
    assert [entry["type"] for entry in first] == ["A", "B"]
    again = merge(first, [Condition("B", "False", "r", "other"), Condition("A", "True", "r", "m")], "t2", probed=True)
    assert again[0] == first[0]
    assert (again[1]["message"], again[1]["lastTransitionTime"], again[1]["lastProbeTime"]) == ("other", "t1", "t2")
    third = merge(again, [Condition("B", "True", "r", "m")], "t3")
    assert find(third, "B")["lastTransitionTime"] == "t3" and find(third, "C") == {}
