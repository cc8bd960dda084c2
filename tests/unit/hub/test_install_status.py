# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the phase of an AgentClusterInstall: each row of the table of conditions gives its phase.

Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install.status import (
    InstallStatus,
    failing_validations,
    read_status,
)


def install(state: str = "", **conditions: str) -> dict[str, Any]:
    """An AgentClusterInstall from ``RequirementsMet="F ClusterNotReady"`` …; the message is the reason in words."""
    words = {"T": "True", "F": "False", "U": "Unknown"}
    listed = [
        {
            "type": kind,
            "status": words[text.split()[0]],
            "reason": text.split()[1],
            "message": f"because of {text.split()[1]}",
        }
        for kind, text in conditions.items()
    ]
    return {"spec": {}, "status": {"conditions": listed, "debugInfo": {"state": state, "stateInfo": f"{state} info"}}}


NOT = {
    "Completed": "F InstallationNotStarted",
    "Failed": "F InstallationNotFailed",
    "Stopped": "F InstallationNotStopped",
}


@pytest.mark.parametrize(
    ("conditions", "phase"),
    [
        ({}, "unseen"),
        ({"SpecSynced": "T SyncOK", "RequirementsMet": "F ClusterNotReady", **NOT}, "waiting"),
        ({"RequirementsMet": "F InsufficientAgents", **NOT}, "waiting"),
        ({"RequirementsMet": "F UnapprovedAgents", **NOT}, "waiting"),
        ({"RequirementsMet": "F UnsyncedAgents", **NOT}, "waiting"),
        ({"RequirementsMet": "T ClusterIsReady", **NOT}, "ready"),
        ({"RequirementsMet": "T ClusterIsReady", **NOT, "Completed": "F InstallationOnHold"}, "held"),
        ({"RequirementsMet": "F InsufficientAgents", **NOT, "Completed": "F InstallationOnHold"}, "waiting"),
        (
            {"RequirementsMet": "T ClusterAlreadyInstalling", **NOT, "Completed": "F InstallationInProgress"},
            "installing",
        ),
        (
            {
                "RequirementsMet": "T ClusterInstallationStopped",
                **NOT,
                "Completed": "T InstallationCompleted",
                "Stopped": "T InstallationCompleted",
            },
            "installed",
        ),
        (
            {
                "RequirementsMet": "T ClusterAlreadyInstalling",
                **NOT,
                "Completed": "T InstallationCompleted",
                "Stopped": "T InstallationCompleted",
            },
            "installed",
        ),
        (
            {"Completed": "F InstallationFailed", "Failed": "T InstallationFailed", "Stopped": "T InstallationFailed"},
            "failed",
        ),
        (
            {"Completed": "U UnknownStatus", "Failed": "F InstallationNotFailed", "Stopped": "T InstallationCancelled"},
            "cancelled",
        ),
        (
            {
                "RequirementsMet": "U UnknownStatus",
                "Completed": "U UnknownStatus",
                "Failed": "F InstallationNotFailed",
                "Stopped": "F x",
            },
            "waiting",
        ),
        ({"SpecSynced": "F InputError", "RequirementsMet": "U NotAvailable"}, "refused"),
        ({"SpecSynced": "F BackendError", "RequirementsMet": "U NotAvailable"}, "waiting"),
        ({"SpecSynced": "F InputError", **NOT, "Completed": "T InstallationCompleted"}, "installed"),
    ],
)
def test_the_phase(conditions: dict[str, str], phase: str) -> None:
    status = read_status(install(**conditions))
    assert status.phase == phase
    assert status.terminal is (phase in ("failed", "cancelled", "refused"))


@pytest.mark.parametrize("reason", ["InstallationInProgress", "InstallationCompleted", "InstallationFailed"])
def test_from_the_start_on_the_specification_is_frozen(reason: str) -> None:
    assert read_status(install(Completed=f"F {reason}")).started
    assert not read_status(install(Completed="F InstallationOnHold")).started


def test_what_holds_it_up_is_reported_in_the_operators_words() -> None:
    body = install(RequirementsMet="F ClusterNotReady", Validated="F ValidationsFailing", **NOT)
    body["status"]["validationsInfo"] = {
        "network": [
            {"id": "api-vips-valid", "status": "failure", "message": "the VIP is in use"},
            {"id": "dns", "status": "success", "message": ""},
        ],
        "hosts-data": [{"id": "all-hosts-are-ready-to-install", "status": "pending", "message": "hosts are not ready"}],
    }
    status = read_status(body)
    assert [validation.id for validation in status.validations] == ["api-vips-valid", "all-hosts-are-ready-to-install"]
    assert "api-vips-valid: the VIP is in use" in status.text()
    assert status.reason == "because of ValidationsFailing"


def test_credentials_and_progress() -> None:
    body = install("installing", Completed="F InstallationInProgress")
    body["spec"] = {"clusterMetadata": {"adminKubeconfigSecretRef": {"name": "edge-admin-kubeconfig"}}}
    body["status"]["progress"] = {"totalPercentage": 45}
    status = read_status(body)
    assert (status.percent, status.kubeconfig_secret, status.password_secret, status.state) == (
        45,
        "edge-admin-kubeconfig",
        "",
        "installing",
    )


@pytest.mark.parametrize("phase", ["waiting", "ready", "installing"])
def test_reaching_is_in_the_order_of_a_good_installation(phase: Any) -> None:
    assert InstallStatus("installed").reached(phase)
    assert not InstallStatus("unseen").reached(phase)
    assert not InstallStatus("failed").reached(phase)


@pytest.mark.parametrize("info", [None, {}, {"network": None}, {"network": ["x"]}])
def test_odd_validations_do_no_harm(info: Any) -> None:
    assert failing_validations({"validationsInfo": info}) == ()
