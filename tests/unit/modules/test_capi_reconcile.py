# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module capi_reconcile, called in the test process against a hub in memory: whether it claims Agents itself or
labels them for upstream's controller, its plan in check mode, its results and failures.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi import options as run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.names import HOSTED_DEPLOYMENT
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.modules import capi_reconcile
from ansible_collections.zerotouch.openshift.tests.support.hub import capi as world


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Any:
    hub = world.Hub()
    monkeypatch.setattr(run_module, "connect", lambda *_args, **_options: hub)
    return hub


def opened(*, check_mode: bool = False, diff: bool = False, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in capi_reconcile.argument_spec().items()}
    call = Call({**params, "namespace": world.NS, **options}, check_mode=check_mode, diff=diff)
    return {**perform(capi_reconcile.run, call), "warnings": call.warnings}


def label_selection(count: int, pool: str = "workers", candidates: Any = None) -> dict[str, Any]:
    return {"pool": pool, "selector_label": {"key": "pool", "value": pool}, "count": count, "candidates": candidates}


def pool_of_machines(hub: Any, name: str = "workers", **labels: str) -> None:
    """A MachineDeployment whose Machines look for the label of the pool."""
    reference = {
        "apiGroup": "capi-provider.agent-install.openshift.io",
        "kind": "AgentMachineTemplate",
        "name": f"{name}-t",
    }
    hub.put(
        "machinedeployments",
        {
            "metadata": {"name": name, "namespace": world.NS},
            "spec": {"template": {"spec": {"infrastructureRef": reference}}},
        },
    )
    selector = {"matchLabels": {"pool": name, **labels}}
    hub.put(
        "agentmachinetemplates",
        {
            "metadata": {"name": f"{name}-t", "namespace": world.NS},
            "spec": {"template": {"spec": {"agentLabelSelector": selector}}},
        },
    )


def test_check_run_run_again(hub: Any) -> None:
    world.stand(hub, machines=1, agents=2)
    planned = opened(check_mode=True)
    assert (
        planned["changed"]
        and not planned["failed"]
        and not hub.writes
        and planned["mode"] == "reconcile"
        and not planned["controller"]["active"]
    )
    assert [(row["agent"], row["hostname"]) for row in planned["machines"]] == [("hosts/agent-1", "worker-1")]
    assert [row["rule"] for row in planned["machines"][0]["rejected"]] != []
    assert any(
        "Agent hosts/agent-1" in line and f"AgentMachine {world.NS}/pool-0 gets it" in line for line in planned["plan"]
    )
    done = opened(diff=True)
    assert done["changed"] and done["plan"] == planned["plan"], "check mode says what a run does"
    assert (
        done["machines"][0]["reason"] == planned["machines"][0]["reason"]
        and done["machines"][0]["rejected"] == planned["machines"][0]["rejected"]
    )
    token = next(item for item in done["diff"] if item["after_header"] == f"Secret {world.NS}/agent-user-data")
    assert "c2VjcmV0" not in str(token)
    world.settle_agents(hub)
    world.settle_agents(hub)
    world.settle_agents(hub)
    opened()
    again = opened()
    assert not again["changed"] and again["machines"][0]["state"] == "ready" and not again["plan"]


def test_a_machine_without_a_host_says_what_every_agent_lacks(hub: Any) -> None:
    world.stand(hub, machines=0, agents=1)
    world.add_machine(hub, "picky", selector={"matchLabels": {"size": "large"}})
    hub.put("agents", {**world.agent(2), "spec": {"approved": False}})
    row = opened()["machines"][0]
    assert (row["state"], row["agent"]) == ("waiting", "")
    assert {item["agent"]: item["rule"] for item in row["rejected"]} == {
        "hosts/agent-1": "selector",
        "hosts/agent-2": "approved",
    }
    assert hub.at("agentmachines", "picky")["status"]["conditions"][2]["reason"] == "NoSuitableAgents"


def test_with_the_controller_at_work_it_labels(hub: Any) -> None:
    world.stand(hub, machines=0, agents=3)
    world.add_machine(hub, "workers-a", pool="workers")
    world.add_machine(hub, "others-a", pool="others")
    pool_of_machines(hub)
    hub.put(
        "deployments", {"metadata": {"name": HOSTED_DEPLOYMENT, "namespace": world.NS}, "status": {"readyReplicas": 1}}
    )
    planned = opened(check_mode=True, label_selection=label_selection(2))
    assert (
        planned["mode"] == "label_selection"
        and planned["controller"]["active"]
        and planned["changed"]
        and not hub.writes
    )
    assert [row["agent"] for row in planned["labelled"]] == ["agent-1", "agent-2"]
    done = opened(label_selection=label_selection(2))
    assert done["labelled"] == planned["labelled"] and set(hub.writes) == {
        "patch agents agent-1",
        "patch agents agent-2",
    }
    assert {row["name"]: row["state"] for row in done["machines"]} == {
        "workers-a": "labelled",
        "others-a": "waiting",
        "workers-new-0001": "labelled",
    }
    assert not opened(label_selection=label_selection(2))["changed"]
    off = opened(label_selection=label_selection(0))
    assert [row["agent"] for row in off["unlabelled"]] == ["agent-1", "agent-2"]


def test_too_few_hosts_for_the_pool(hub: Any) -> None:
    world.stand(hub, machines=0, agents=2)
    pool_of_machines(hub)
    hub.change("agents", "agent-2", {"spec": {"approved": False}}, world.AGENTS)
    result = opened(mode="label_selection", label_selection=label_selection(2))
    assert result["failed"] and result["changed"] and "1 of them is missing" in result["msg"]
    missing = next(row for row in result["machines"] if row["state"] == "waiting")
    assert {item["agent"]: item["rule"] for item in missing["rejected"]}["hosts/agent-2"] == "approved"


def test_without_a_pool_only_spent_labels_are_taken_off(hub: Any) -> None:
    world.stand(hub, machines=0, agents=2)
    pool_of_machines(hub)
    hub.put(
        "deployments", {"metadata": {"name": HOSTED_DEPLOYMENT, "namespace": world.NS}, "status": {"readyReplicas": 1}}
    )
    opened(label_selection=label_selection(2))
    hub.change("agents", "agent-1", {"metadata": {"labels": {"agentMachineRef": "workers-x"}}}, world.AGENTS)
    result = opened()
    assert [row["agent"] for row in result["unlabelled"]] == ["agent-1"] and "no Agent was chosen" in result[
        "problems"
    ][0]["detail"]


def test_two_parties_are_warned_of(hub: Any) -> None:
    world.stand(hub)
    hub.put(
        "deployments", {"metadata": {"name": HOSTED_DEPLOYMENT, "namespace": world.NS}, "status": {"readyReplicas": 1}}
    )
    result = opened(mode="reconcile")
    assert result["changed"] and any("at the same time" in text for text in result["warnings"])


def test_a_controller_that_starts_meanwhile_is_not_claimed_beside(hub: Any) -> None:
    """It is looked for before each round of writes: a Deployment that has just been made has nothing ready when a run
    begins.
    """
    world.stand(hub, machines=2, agents=2)
    deployment = {"metadata": {"name": HOSTED_DEPLOYMENT, "namespace": world.NS}, "spec": {"replicas": 1}}
    hub.put("deployments", deployment)
    write, at = hub.create, []

    def starts(path: str, body: Any, **params: Any) -> Any:
        if not at:
            hub.put("deployments", {**deployment, "status": {"readyReplicas": 1}})
            hub.conflicts.append("agentclusters")  # so that there is a second round
            at.append(len(hub.writes))
        return write(path, body, **params)

    hub.create = starts
    result = opened(until="converged", timeout=0.0)
    assert result["failed"] and "was started during this run" in result["msg"] and result["controller"]["active"], (
        result["msg"]
    )
    assert result["changed"] and not [line for line in hub.writes if line.startswith("patch agents ")]
    assert opened(mode="reconcile")["changed"], "who says so claims all the same"


def test_a_wait_in_vain_reports_the_state_of_each_machine(hub: Any) -> None:
    world.stand(hub, machines=1, agents=0)
    result = opened(until="converged", timeout=0.0)
    assert result["failed"] and result["changed"]
    assert f"AgentMachine {world.NS}/pool-0 is waiting" in result["msg"] and result["machines"][0]["state"] == "waiting"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mode": "label_selection"}, "mode label_selection needs the pool"),
        ({"label_selection": label_selection(-1)}, "label_selection.count"),
        ({"policy": {"order": "spread"}}, "policy.topology_label"),
        ({"policy": {"pins": {"a": 1}}}, "policy.pins"),
    ],
)
def test_misuse(hub: Any, options: dict[str, Any], words: str) -> None:
    result = opened(**options)
    assert result["failed"] and words in result["msg"] and not hub.writes
