# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module deployment_status, called in the test process, for a deployment on a hub."""

from __future__ import annotations

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.modules import deployment_status
from ansible_collections.zerotouch.openshift.tests.support.hub import agents as made

from .test_touch_check_hub import hub, opened, touch

__all__ = ["hub", "opened", "touch"]  # fixtures


def cluster_install(*conditions: tuple[str, str, str]) -> dict[str, Any]:
    status = [
        {"type": kind, "status": status, "reason": reason, "message": f"{kind} is {status}"}
        for kind, status, reason in conditions
    ]
    return {"metadata": {"name": "demo", "namespace": "lab"}, "spec": {}, "status": {"conditions": status}}


def test_no_cluster_and_no_record(opened: Any, hub: Any, touch: dict[str, Any]) -> None:
    result = opened(deployment_status, touch=touch)
    assert result["state"] == "unknown" and "the hub has no cluster lab/demo" in result["reason"]


def test_hosts_by_their_agents(opened: Any, hub: Any, touch: dict[str, Any]) -> None:
    hub.put("agentclusterinstalls", cluster_install(("Completed", "False", "InstallationInProgress")))
    hub.put("agents", made.agent(1))
    hub.put("agents", made.agent(2, state="installing-in-progress", cluster=("lab", "demo")))
    result = opened(deployment_status, touch=touch)
    assert (result["state"], result["phase"]) == ("running", "installing")
    assert [(host["name"], bool(host["status"])) for host in result["hosts"]] == [
        ("node-1", True),
        ("node-2", True),
        ("node-3", False),
    ]
    assert result["hosts"][1]["status"].startswith("installing-in-progress")
    assert {request["verb"] for request in hub.requests} <= {"get", "list"}


def test_installed_by_the_hub_though_its_nodes_cannot_be_read(opened: Any, hub: Any, touch: dict[str, Any]) -> None:
    hub.put("agentclusterinstalls", cluster_install(("Completed", "True", "InstallationCompleted")))
    result = opened(deployment_status, touch=touch)
    assert result["state"] == "done" and any("kubeconfig" in text for text in result["not_checked"])


def test_failed_by_the_hub(opened: Any, hub: Any, touch: dict[str, Any]) -> None:
    hub.put("agentclusterinstalls", cluster_install(("Failed", "True", "InstallationFailed")))
    result = opened(deployment_status, touch=touch)
    assert result["state"] == "failed" and "Failed is True" in result["reason"]


def test_a_hub_that_does_not_answer(opened: Any, hub: Any, touch: dict[str, Any]) -> None:
    hub.stop()
    result = opened(deployment_status, touch=touch)
    assert result["state"] == "unknown" and any(text.startswith("hub: ") for text in result["not_checked"])
