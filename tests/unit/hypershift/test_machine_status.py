# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the state of a Machine: each state that a host passes through has a separate name."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.machine_status import (
    STATES,
    PoolMachineView,
    view_machine,
)
from ansible_collections.zerotouch.openshift.tests.support.hub import hosted as hub

NOON = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
NOT_SYNCED = {"conditions": [hub.condition("SpecSynced", "False", "BackendError", "The backend says no.")]}
VALIDATIONS = {
    "validationsInfo": {
        "hw": [
            {"id": "has-min-memory", "status": "failure", "message": "too little"},
            {"id": "cpu", "status": "success"},
        ]
    }
}


def seen(machine: Any, agent_machine: Any = None, agent: Any = None, now: Any = None) -> PoolMachineView:
    return view_machine(machine, agent_machine, read_agent(agent) if agent else None, now)


def of(state: str, **more: Any) -> PoolMachineView:
    """A Machine whose Agent is in this state."""
    return seen(hub.machine("m"), hub.agent_machine("m", "a"), hub.agent("a", state, holder="m", bound=True, **more))


def test_without_an_agent() -> None:
    assert seen(hub.machine("m")).state == "waiting-for-agent"
    assert seen(hub.machine("m"), hub.agent_machine("m")).reason == "no Agent has been looked for yet"
    unserved = seen(
        hub.machine("m"), hub.agent_machine("m", said=[hub.condition("AgentReserved", "False", "NoSuitableAgents")])
    )
    assert (unserved.state, unserved.agent) == ("no-suitable-agent", None)
    trouble = seen(
        hub.machine("m"),
        hub.agent_machine(
            "m", said=[hub.condition("AgentReserved", "False", "AgentNotYetFound", "no cluster deployment reference.")]
        ),
    )
    assert (trouble.state, trouble.reason) == ("waiting-for-agent", "no cluster deployment reference")
    assert seen(hub.machine("m"), hub.agent_machine("m", "a")).state == "failed"


@pytest.mark.parametrize(
    ("agent", "state", "words"),
    [
        ({"state": "known-unbound"}, "binding", "known-unbound"),
        ({"state": "known-unbound", **NOT_SYNCED}, "binding", "The backend says no"),
        ({"state": "binding"}, "binding", ""),
        ({"state": "discovering"}, "discovering", "discovering"),
        ({"state": "disconnected"}, "disconnected", "is disconnected from the service"),
        ({"state": "insufficient", **VALIDATIONS}, "validations-failing", "has-min-memory: too little"),
        ({"state": "pending-for-input"}, "validations-failing", "pending-for-input"),
        ({"state": "known"}, "known", "starts automatically"),
        ({"state": "preparing-for-installation"}, "installing", "preparing-for-installation"),
        (
            {"state": "installing-in-progress", "stage": "Writing image to disk"},
            "installing",
            ("installing-in-progress, Writing image to disk 42%"),
        ),
        ({"state": "installing-pending-user-action"}, "pending-user-action", "did not boot from its disk"),
        ({"state": "installing-in-progress", "stage": "Joined"}, "csr-pending", "client CSR is not approved"),
        ({"state": "added-to-existing-cluster"}, "csr-pending", "client CSR is not approved"),
        (
            {"state": "added-to-existing-cluster", "csrStatus": {"approvedCSRs": [{"type": "client"}]}},
            "csr-pending",
            "no provider ID",
        ),
        ({"state": "error", "stage": "Failed"}, "failed", "Failed"),
        ({"state": "reclaiming-rebooting"}, "reclaiming", "reclaiming-rebooting"),
        ({"state": "unbinding"}, "unbinding", "unbinding"),
        ({"state": "unbinding-pending-user-action"}, "needs-reboot", "discovery image"),
        ({"state": "something-new"}, "waiting-for-agent", "something-new"),
    ],
    ids=lambda value: str(value.get("state")) if isinstance(value, dict) else "",
)
def test_with_an_agent(agent: dict[str, Any], state: str, words: str) -> None:
    found = of(**agent)
    assert (found.state, found.hostname, found.agent) == (state, "host-a", ("hosts", "a"))
    assert words in found.reason and found.state in STATES


def test_a_node_that_never_comes_is_explained() -> None:
    host = hub.agent("a", "added-to-existing-cluster", holder="m", bound=True, hostname="localhost")
    found = seen(hub.machine("m"), hub.agent_machine("m", "a"), host, NOON)
    assert "its hostname is localhost" in found.reason and "older than two hours" in found.reason
    assert (
        "two hours"
        not in seen(hub.machine("m"), hub.agent_machine("m", "a"), host, NOON - datetime.timedelta(hours=2)).reason
    )


def test_with_a_node() -> None:
    installed = hub.agent("a", "added-to-existing-cluster", holder="m", bound=True)
    assert seen(hub.machine("m", node="n"), hub.agent_machine("m", "a"), installed).state == "running"
    sick = hub.machine(
        "m", node="n", said=[hub.condition("NodeHealthy", "False", "NodeNotReady", "container runtime is down")]
    )
    found = seen(sick, hub.agent_machine("m", "a"), installed)
    assert (found.state, found.reason, found.node) == ("node-not-ready", "container runtime is down", "n")
    assert (
        seen(
            hub.machine("m", node="n"),
            hub.agent_machine("m", "a"),
            hub.agent("a", "installing-in-progress", stage="Done"),
        ).state
        == "installing"
    )
    failed = hub.machine("m", phase="Failed")
    assert seen(failed, hub.agent_machine("m", "a"), installed).state == "failed"


@pytest.mark.parametrize(
    ("deleting", "agent", "state"),
    [
        ("-", "added-to-existing-cluster", "deleting"),
        ("WaitingForPreDrainHook", "added-to-existing-cluster", "waiting-for-hook"),
        ("DrainingNode", "added-to-existing-cluster", "draining"),
        ("WaitingForVolumeDetach", "added-to-existing-cluster", "detaching-volumes"),
        ("WaitingForPreTerminateHook", "added-to-existing-cluster", "waiting-for-hook"),
        ("WaitingForPreTerminateHook", "reclaiming", "reclaiming"),
        ("WaitingForPreTerminateHook", "unbinding", "unbinding"),
        ("WaitingForPreTerminateHook", "unbinding-pending-user-action", "needs-reboot"),
        ("WaitingForPreTerminateHook", "installing-in-progress", "waiting-for-hook"),
        ("WaitingForInfrastructureDeletion", "known-unbound", "deleting"),
    ],
)
def test_on_its_way_out(deleting: str, agent: str, state: str) -> None:
    found = seen(hub.machine("m", deleting=deleting), hub.agent_machine("m", "a"), hub.agent("a", agent))
    assert (found.state, found.leaving) == (state, True)
    if agent.startswith("installing"):
        assert "released after the installation" in found.reason


def test_the_older_conditions_of_a_machine_that_goes() -> None:
    draining = hub.machine(
        "m", deleting="-", said=[hub.condition("DrainingSucceeded", "False", "Draining", "pod x has a budget")]
    )
    assert (seen(draining).state, seen(draining).reason) == ("draining", "pod x has a budget")
    hooked = hub.machine(
        "m", deleting="-", said=[hub.condition("PreTerminateDeleteHookSucceeded", "False", "WaitingExternalHook")]
    )
    assert seen(hooked).state == "waiting-for-hook"


def test_names_by_which_it_is_found() -> None:
    found = seen(
        hub.machine("m-1", node="Worker-0.example.com"),
        hub.agent_machine("m-1", "a"),
        hub.agent("a", hostname="Worker-0"),
    )
    assert found.names() == {"m-1", "worker-0.example.com", "worker-0", "a"}
    assert found.as_dict()["agent_namespace"] == "hosts"
