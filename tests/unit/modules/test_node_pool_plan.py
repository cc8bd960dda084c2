# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module node_pool_plan, called in the test process: the list of actions that it plans from a pool, the Agents and
the inventory.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.names import SELECTED_AT, SELECTED_FOR
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pools.observe import (
    candidates,
    is_by_label,
    judge_of,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agent
from ansible_collections.zerotouch.openshift.plugins.modules import node_pool_plan
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ansible_collections.zerotouch.openshift.tests.support.hub import agents as made
from ansible_collections.zerotouch.openshift.tests.support.hub import server as hubserver

MACHINES, CONTROL_PLANE = "machines", "clusters-demo"
LABEL = {"key": "zerotouch.openshift/node-pool", "value": "clusters.demo"}
LABELLED = {"matchLabels": {LABEL["key"]: LABEL["value"]}}
READY = [{"type": "Validated", "status": "True"}]
KINDS = {
    "nodepools": "NodePool",
    "hostedclusters": "HostedCluster",
    "machines": "Machine",
    "agentmachines": "AgentMachine",
    "machinedeployments": "MachineDeployment",
    "agentmachinetemplates": "AgentMachineTemplate",
    "baremetalhosts": "BareMetalHost",
}
Call = Callable[..., dict[str, Any]]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for plural, kind in KINDS.items():
        monkeypatch.setitem(hubserver.KINDS, plural, kind)
    server = hubserver.HubServer()
    versions = {"kind": "APIGroup", "name": "cluster.x-k8s.io", "versions": [{"version": "v1beta1"}]}
    server.faults.append(lambda request: (200, {}, versions) if request["path"] == "/apis/cluster.x-k8s.io" else None)
    yield server
    server.stop()


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], hub: Any) -> Call:
    def call_module(**arguments: Any) -> dict[str, Any]:
        provided = {
            "kubeconfig": hub.kubeconfig,
            "namespace": "clusters",
            "name": "demo",
            "agent_namespace": "lab",
            **arguments,
        }
        with patch_module_args(provided), pytest.raises(SystemExit):
            node_pool_plan.main()
        return dict(json.loads(capfd.readouterr().out))

    return call_module


def agent(number: int, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = made.agent(number, approved=True, **more)
    found["status"]["conditions"] += READY
    return found


def put_pool(hub: Any, replicas: int | None, selector: dict[str, Any] | None = None, **spec: Any) -> None:
    put_cluster(hub)
    platform = {"type": "Agent", "agent": {"agentLabelSelector": selector} if selector is not None else {}}
    body = {
        "clusterName": "demo",
        "platform": platform,
        "arch": "amd64",
        **({"replicas": replicas} if replicas is not None else {}),
        **spec,
    }
    hub.put(
        "nodepools",
        {
            "metadata": {"name": "demo", "namespace": "clusters", "generation": 1},
            "spec": body,
            "status": {"replicas": replicas or 0},
        },
    )


def put_machine(hub: Any, name: str, agent_name: str = "", **metadata: Any) -> None:
    about = {
        "name": name,
        "namespace": CONTROL_PLANE,
        "annotations": {"hypershift.openshift.io/nodePool": "clusters/demo"},
        **metadata,
    }
    hub.put(MACHINES, {"metadata": about, "spec": {"infrastructureRef": {"name": name}}, "status": {}})
    status = {"agentRef": {"namespace": "lab", "name": agent_name}} if agent_name else {}
    hub.put("agentmachines", {"metadata": {"name": name, "namespace": CONTROL_PLANE}, "status": status})


def hosts(*numbers: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {"name": f"node-{n}", "mac_addresses": [made.mac(n)], "hostname": f"node-{n}.example.com", **more}
        for n in numbers
    ]


def put_cluster(hub: Any) -> None:
    hub.put(
        "hostedclusters",
        {
            "metadata": {"name": "demo", "namespace": "clusters"},
            "spec": {"platform": {"agent": {"agentNamespace": "lab"}}},
        },
    )


def test_no_machine_is_booted_for_a_cluster_that_does_not_exist(hub: Any, call: Call) -> None:
    stop = call(replicas=1, cluster_name="demo", hosts=hosts(1))["stop"]
    assert stop == (
        "NodePool clusters/demo does not exist, and there is no HostedCluster clusters/demo. Make that first "
        "(deploy_cluster)."
    )
    assert "no option says which" in call(replicas=1)["stop"]
    assert call(replicas=0)["stop"] == "", "who takes a cluster down has none"
    planned = call(replicas=1, cluster_name="demo", hosts=hosts(1), cluster_coming=True)
    assert (planned["stop"], planned["boot_hosts"]) == ("", ["node-1"]), "a task before it would have made it"
    assert call(replicas=1, cluster_name="demo", hosts=hosts(1), _ansible_check_mode=True)["stop"] == stop, (
        "check mode says what a run says"
    )


def test_what_cannot_be_changed_is_refused_before_a_machine_is_booted(hub: Any, call: Call) -> None:
    put_pool(hub, 0, None, management={"upgradeType": "InPlace"})
    assert call(replicas=1, cluster_name="demo", arch="amd64", upgrade_type="InPlace", hosts=hosts(1))[
        "boot_hosts"
    ] == ["node-1"]
    for wrong in ({"upgrade_type": "Replace"}, {"arch": "arm64"}, {"cluster_name": "other"}):
        result = call(replicas=1, hosts=hosts(1), **wrong)
        assert result["failed"] and "cannot be changed" in result["msg"], result
        assert not call(replicas=0, **wrong).get("failed"), "who takes a cluster down changes nothing"


def test_a_pool_that_does_not_exist_yet(hub: Any, call: Call) -> None:
    put_cluster(hub)
    hub.put("agents", agent(1))
    hub.put("agents", made.agent(2))
    result = call(
        replicas=3, cluster_name="demo", agent_label_selector=LABELLED, selector_label=LABEL, hosts=hosts(1, 2, 3, 4)
    )
    assert (result["exists"], result["target"], result["needed"], result["stop"], result["by_label"]) == (
        False,
        3,
        3,
        "",
        True,
    )
    assert [(host["name"], host["action"]) for host in result["hosts"]] == [
        ("node-1", "use"),
        ("node-2", "prepare"),
        ("node-3", "boot"),
        ("node-4", "spare"),
    ]
    assert result["plan"] == [
        "scale NodePool clusters/demo from 0 to 3",
        "approve and name node-2: it is not approved",
        "boot node-3 into discovery: it has no Agent",
    ]
    assert (result["boot_hosts"], result["prepare_hosts"]) == (["node-3"], ["node-1", "node-2", "node-3"])
    assert result["candidates"] == {}, "the label is what label selection sets"
    assert not result["changed"] and not [request for request in hub.requests if request["verb"] not in ("get", "list")]


def test_a_name_that_may_be_mistyped_is_reported_before_another_pool_is_made(hub: Any, call: Call) -> None:
    put_cluster(hub)
    put_pool(hub, 2, None)
    mistyped = {"name": "dmeo", "cluster_name": "demo", "agent_label_selector": LABELLED, "selector_label": LABEL}
    assert not call(replicas=0, **mistyped).get("warnings") and not call(
        replicas=3, cluster_name="demo", hosts=hosts(1)
    ).get("warnings")
    (warning,) = call(replicas=1, hosts=hosts(1), **mistyped)["warnings"]
    assert (
        "NodePool clusters/dmeo does not exist and is created now. Hosted cluster demo already has demo. Check the name"
    ) in str(warning)


def test_who_is_in_the_pool_and_who_leaves(hub: Any, call: Call) -> None:
    put_pool(hub, 2, LABELLED)
    hub.put("agents", agent(1, state="added-to-existing-cluster", cluster=(CONTROL_PLANE, "demo")))
    put_machine(hub, "demo-a", made.uuid(1))
    # The Agent is reserved, and its AgentMachine does not say so yet.
    reserved = agent(2, labels={"agentMachineRef": "demo-b"})
    reserved["metadata"]["annotations"] = {"agentMachineRefNamespace": CONTROL_PLANE}
    hub.put("agents", reserved)
    put_machine(hub, "demo-b")
    hub.put("agents", agent(3, state="unbinding-pending-user-action"))
    result = call(remove=["node-1"], hosts=hosts(1, 2, 3), selector_label=LABEL)
    assert (result["target"], result["needed"], result["remove"]) == (1, 0, ["demo-a"])
    assert [(host["name"], host["action"]) for host in result["hosts"]] == [
        ("node-1", "keep"),
        ("node-2", "keep"),
        ("node-3", "return"),
    ]
    assert (result["boot_hosts"], result["forced_hosts"], result["returning_hosts"]) == (
        ["node-3"],
        ["node-3"],
        ["node-3"],
    )
    assert [machine["name"] for machine in result["machines"]] == ["demo-a", "demo-b"]


def joined(hub: Any, *numbers: int) -> None:
    """Hosts that are Nodes of the pool, each with its Machine."""
    for number in numbers:
        hub.put("agents", agent(number, state="added-to-existing-cluster", cluster=(CONTROL_PLANE, "demo")))
        put_machine(hub, f"demo-{number}", made.uuid(number), creationTimestamp=f"2026-01-0{number}T00:00:00Z")


def test_a_pool_keeps_its_size_when_its_cluster_is_deployed_again(hub: Any, call: Call) -> None:
    """The size in the inventory is that of a new pool. One warning names the playbook that changes it."""
    put_pool(hub, 2, LABELLED)
    joined(hub, 1, 2)
    assert not call(replicas=2, keep_size=True, hosts=hosts(1, 2)).get("warnings")
    result = call(replicas=0, remove=["node-1"], keep_size=True, hosts=hosts(1, 2, 3), selector_label=LABEL)
    assert (result["target"], result["remove"], result["leaving"], result["boot_hosts"], result["plan"]) == (
        2,
        [],
        [],
        [],
        [],
    )
    (warning,) = result["warnings"]
    assert "has 2 replicas, and 0 are configured and host-1 is to be removed" in str(
        warning
    ) and "run scale_node_pool" in str(warning)
    assert call(name="new", replicas=1, keep_size=True, cluster_name="demo", hosts=hosts(3))["boot_hosts"] == ["node-3"]


def touch(hub: Any, work_dir: Path, *confirm: str) -> dict[str, Any]:
    of_hub = {"kubeconfig": hub.kubeconfig, "namespace": "lab", "infra_env": "fleet", "namespaces": [CONTROL_PLANE]}
    return {
        "method": "hosted",
        "cluster_name": "demo",
        "work_dir": str(work_dir),
        "confirm": list(confirm),
        "hub": of_hub,
    }


def test_a_pool_that_shrinks_names_the_hosts_and_needs_a_confirmation(hub: Any, call: Call, tmp_path: Path) -> None:
    put_pool(hub, 3, LABELLED)
    joined(hub, 1, 2, 3)
    smaller = {"replicas": 1, "hosts": hosts(1, 2), "selector_label": LABEL}
    stop = call(**smaller, touch=touch(hub, tmp_path / "demo"))["stop"]
    assert stop.startswith(
        "NodePool clusters/demo would shrink from 3 to 1: host-3, node-2 would be drained and would leave it."
    ), stop
    assert "added-to-existing-cluster" in stop and "-e openshift_confirm=demo" in stop
    confirmed = call(**smaller, touch=touch(hub, tmp_path / "demo", "demo"))
    assert (confirmed["stop"], confirmed["remove"]) == ("", ["demo-3", "demo-2"])
    assert confirmed["leaving"] == ["host-3", "node-2"], confirmed
    assert "delete Machine demo-3 (host-3)" in confirmed["plan"]
    named = call(**smaller, remove=["node-1", "node-2"], touch=touch(hub, tmp_path / "demo"))
    assert (named["stop"], named["remove"]) == ("", ["demo-1", "demo-2"])
    assert {request["verb"] for request in hub.requests} <= {"get", "list"} and not (tmp_path / "demo").exists()


def test_nothing_confirms_a_host_of_another_cluster(hub: Any, call: Call, tmp_path: Path) -> None:
    put_pool(hub, 1, LABELLED)
    hub.put("agents", agent(1, state="added-to-existing-cluster", cluster=("other", "other")))
    put_machine(hub, "demo-1", made.uuid(1))
    stop = call(remove=["node-1"], hosts=hosts(1), selector_label=LABEL, touch=touch(hub, tmp_path, "demo"))["stop"]
    assert "is bound to cluster other/other" in stop and "Release the host there first" in stop


def test_a_spare_whose_bmc_does_not_answer_is_replaced(hub: Any, call: Call, tmp_path: Path) -> None:
    put_pool(hub, 0, LABELLED)
    bmc = {
        "address": "redfish-virtualmedia+http://127.0.0.1:1/redfish/v1/Systems/1",
        "username": "admin",
        "password": "not-shown",
    }
    spares = {
        "hosts": hosts(1, 2),
        "selector_label": LABEL,
        "manual_hosts": ["node-2"],
        "bmc_hosts": [{"name": "node-1", "bmc": bmc}],
    }
    result = call(replicas=1, **spares, touch=touch(hub, tmp_path))
    assert (result.get("stop"), result.get("boot_hosts")) == ("", ["node-2"]), result
    assert [host["action"] for host in result["hosts"]] == ["skip", "boot"]
    assert "node-1 is not booted" in str(result["warnings"])
    assert "1 host is missing" in call(replicas=2, **spares, touch=touch(hub, tmp_path))["stop"]
    assert call(replicas=1, **spares)["boot_hosts"] == ["node-1"], (
        "without touch nothing is decided, and no BMC is contacted"
    )


def test_what_is_missing_and_what_may_not_be_done(hub: Any, call: Call) -> None:
    put_pool(hub, 0, {"matchLabels": {"size": "large"}})
    hub.put("agents", agent(1))
    hub.put("agents", agent(2, labels={"size": "large"}))
    result = call(replicas=3, hosts=hosts(1, 3))
    assert result["missing"] == 2 and not result["by_label"]
    assert (
        "node-1: it does not fit the selector" in result["stop"]
        and "node-3: its Agent would not fit the selector" in result["stop"]
    )
    assert "1 Agent is free" in result["stop"]
    # A host that gets the label would do.
    assert call(replicas=2, hosts=hosts(3, agent_labels={"size": "large"}))["boot_hosts"] == ["node-3"]
    put_pool(hub, None, autoScaling={"min": 1, "max": 5})
    assert "scaled automatically (1 to 5)" in call(replicas=3)["stop"]
    assert call()["stop"] == ""


def test_a_machine_deployment(hub: Any, call: Call) -> None:
    template = {"spec": {"infrastructureRef": {"kind": "AgentMachineTemplate", "name": "pool-1"}}}
    body = {
        "metadata": {"name": "pool", "namespace": "edge"},
        "spec": {"clusterName": "edge", "replicas": 1, "template": template},
    }
    hub.put("machinedeployments", {**body, "status": {"readyReplicas": 1, "updatedReplicas": 1}})
    spec = {"template": {"spec": {"agentLabelSelector": {"matchLabels": {"size": "large"}}}}}
    hub.put("agentmachinetemplates", {"metadata": {"name": "pool-1", "namespace": "edge"}, "spec": spec})
    about = {"name": "pool-x", "namespace": "edge", "labels": {"cluster.x-k8s.io/deployment-name": "pool"}}
    hub.put(MACHINES, {"metadata": about, "spec": {}, "status": {}})
    hub.put(
        "agentmachines",
        {
            "metadata": {"name": "pool-x", "namespace": "edge"},
            "status": {"agentRef": {"namespace": "lab", "name": made.uuid(1)}},
        },
    )
    hub.put("agents", agent(1, state="added-to-existing-cluster", cluster=("edge", "edge"), labels={"size": "large"}))
    hub.put("agents", agent(2, labels={"size": "large"}))
    result = call(kind="MachineDeployment", namespace="edge", name="pool", replicas=2)
    assert (result["replicas"], result["target"], result["needed"], result["missing"]) == (1, 2, 1, 0)
    assert (result["cluster_name"], result["ready"], [each["name"] for each in result["free"]]) == (
        "edge",
        1,
        [made.uuid(2)],
    )
    assert "does not exist. Set its number" in call(kind="MachineDeployment", namespace="edge", name="other")["stop"]


@pytest.mark.parametrize(
    ("selector", "label", "asked", "wanted"),
    [
        (None, None, {}, {}),
        (LABELLED, tuple(LABEL.values()), {}, {}),
        (LABELLED, None, {}, LABELLED),
        ({"matchLabels": {"a": "1"}}, None, {"matchLabels": {"b": "2"}}, {"matchLabels": {"a": "1", "b": "2"}}),
        (
            {"matchLabels": {"a": "1"}},
            None,
            {"matchLabels": {"a": "2"}},
            {"matchLabels": {"a": "1"}, "matchExpressions": [{"key": "a", "operator": "In", "values": ["2"]}]},
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
            None,
            {"matchExpressions": [{"key": "b", "operator": "Exists"}]},
            {"matchExpressions": [{"key": "a", "operator": "Exists"}, {"key": "b", "operator": "Exists"}]},
        ),
    ],
)
def test_what_an_agent_has_to_fit(selector: Any, label: Any, asked: Any, wanted: Any) -> None:
    assert candidates(selector, label, asked) == wanted


def test_whether_a_pool_can_use_label_selection() -> None:
    label = (LABEL["key"], LABEL["value"])
    assert is_by_label(LABELLED, label) and not is_by_label(LABELLED, None)
    assert not is_by_label(None, label) and not is_by_label({"matchLabels": {LABEL["key"]: "other"}}, label)


def test_an_agent_that_is_not_free_yet_may_still_fit() -> None:
    judge = judge_of({"matchLabels": {"size": "large"}}, "amd64", "lab")
    unapproved = read_agent(made.agent(1, state="discovering-unbound", labels={"size": "large"}))
    assert (judge.obstacle(unapproved), "architecture" in judge.unfit(unapproved)) == ("it is not approved", False)
    assert "selector" in judge.unfit(read_agent(made.agent(1)))


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        (
            {"annotations": {SELECTED_FOR: "clusters-demo/other"}, "labels": {LABEL["key"]: "other"}},
            "it has the label of pool clusters-demo/other",
        ),
        ({"labels": {LABEL["key"]: "other"}}, f"it has the label {LABEL['key']}=other, which was not set by us"),
        ({"annotations": {SELECTED_FOR: "clusters-demo/demo"}, "labels": {LABEL["key"]: "clusters.demo"}}, ""),
        ({"labels": {LABEL["key"]: "clusters.demo"}}, ""),
    ],
)
@pytest.mark.parametrize("kind", ["NodePool", "MachineDeployment"])
def test_agents_that_label_selection_will_not_touch_are_not_free(
    hub: Any, call: Call, kind: str, metadata: dict[str, Any], words: str
) -> None:
    """Else there would be enough of them, until label selection refuses them: one rule for both."""
    hub.put("hostedclusters", {"metadata": {"name": "demo", "namespace": "clusters"}, "spec": {}})
    hub.put("machinedeployments", {"metadata": {"name": "other", "namespace": "clusters-demo"}, "spec": {}})
    seen = agent(2, state="known-unbound")
    seen["metadata"] = {**seen["metadata"], **metadata}
    hub.put("agents", seen)
    of_machines = {"kind": kind, "namespace": "clusters-demo"} if kind == "MachineDeployment" else {"kind": kind}
    found = call(**of_machines, cluster_name="demo", replicas=1, agent_label_selector=LABELLED, selector_label=LABEL)
    assert (len(found["free"]), found["missing"]) == ((0, 1) if words else (1, 0)), found["plan"]
    assert not words or words in found["stop"]


def test_an_agent_of_a_pool_that_does_not_exist_any_more_is_free(hub: Any, call: Call) -> None:
    hub.put("hostedclusters", {"metadata": {"name": "demo", "namespace": "clusters"}, "spec": {}})
    seen = agent(2, state="known-unbound")
    seen["metadata"] = {
        **seen["metadata"],
        "annotations": {SELECTED_FOR: "clusters-demo/other"},
        "labels": {LABEL["key"]: "other"},
    }
    hub.put("agents", seen)
    found = call(cluster_name="demo", replicas=1, agent_label_selector=LABELLED, selector_label=LABEL)
    assert (len(found["free"]), found["missing"]) == (1, 0), found["plan"]


@pytest.mark.parametrize(("minutes", "free"), [(1, 0), (60, 1)])
def test_an_agent_of_a_pool_that_another_run_is_about_to_create(hub: Any, call: Call, minutes: int, free: int) -> None:
    """A run labels the Agents before it creates the pool. Another run at the same time does not take them."""
    hub.put("hostedclusters", {"metadata": {"name": "demo", "namespace": "clusters"}, "spec": {}})
    seen = agent(2, state="known-unbound")
    at = datetime.datetime.now(datetime.UTC) - datetime.timedelta(minutes=minutes)
    notes = {SELECTED_FOR: "clusters-demo/other", SELECTED_AT: at.isoformat(timespec="seconds")}
    seen["metadata"] = {**seen["metadata"], "annotations": notes, "labels": {LABEL["key"]: "other"}}
    hub.put("agents", seen)
    found = call(cluster_name="demo", replicas=1, agent_label_selector=LABELLED, selector_label=LABEL)
    assert (len(found["free"]), found["missing"]) == (free, 1 - free), found["plan"]


def test_the_reserve_of_a_new_pool(hub: Any, call: Call) -> None:
    hub.put("hostedclusters", {"metadata": {"name": "demo", "namespace": "clusters"}, "spec": {}})
    new = {"cluster_name": "demo", "replicas": 2, "agent_label_selector": LABELLED, "selector_label": LABEL}
    found = call(**new, upgrade_type="Replace", auto_repair=True)
    assert (found["reserve"], found["surge"]) == (2, 1)
    assert call(**new, upgrade_type="Replace", replace={"rolling_update": {"max_surge": 0}})["reserve"] == 0
    assert call(**new, auto_repair=True, reserve=3)["reserve"] == 3
    assert call(**{**new, "selector_label": None}, auto_repair=True)["reserve"] == 0
    scaled = call(**{**new, "replicas": None}, initial_replicas=1, auto_scaling={"min": 1, "max": 4})
    assert (scaled["target"], scaled["reserve"]) == (1, 3)


def test_agents_and_hosts_of_other_pools_are_not_used(hub: Any, call: Call) -> None:
    hub.put("hostedclusters", {"metadata": {"name": "demo", "namespace": "clusters"}, "spec": {}})
    for number in (2, 3):
        hub.put("agents", agent(number, state="known-unbound"))
    new = {"cluster_name": "demo", "agent_label_selector": LABELLED, "selector_label": LABEL}
    first = call(**new, replicas=1)
    assert len(first["free"]) == 2 and len(first["promised"]) == 1
    second = call(**new, replicas=1, exclude=first["promised"])
    assert len(second["free"]) == 1 and not set(second["promised"]) & set(first["promised"])
    third = call(**new, replicas=1, exclude=[*first["promised"], *second["promised"]])
    assert third["missing"] == 1 and "is for another pool of this run" in third["stop"]


def test_the_agent_of_an_excluded_host_is_not_used(hub: Any, call: Call) -> None:
    """The other run that boots the machine waits for this Agent."""
    hub.put("hostedclusters", {"metadata": {"name": "demo", "namespace": "clusters"}, "spec": {}})
    seen = agent(2, state="known-unbound")
    hub.put("agents", seen)
    new = {"cluster_name": "demo", "agent_label_selector": LABELLED, "selector_label": LABEL, "replicas": 1}
    hosts = [{"name": "node-2", "mac_addresses": [made.mac(2)]}]
    assert call(**new, hosts=hosts)["missing"] == 0
    found = call(**new, hosts=hosts, exclude=["node-2"])
    assert found["missing"] == 1 and "another run boots it" in found["stop"], found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "discovering-unbound"),
        ("", "known-unbound"),
        ("unbinding-pending-user-action", "known-unbound"),
        ("disconnected-unbound", "known-unbound"),
    ],
)
def test_no_other_machine_is_booted_for_a_host_that_registers_meanwhile(
    hub: Any, call: Call, tmp_path: Path, before: str, after: str
) -> None:
    """An earlier job has booted it; it registers between the observation of the pool and the safety decision."""
    put_pool(hub, 0, LABELLED)
    if before:
        hub.put("agents", agent(1, state=before, infra_env="fleet"))
    if before.startswith("disconnected"):
        hub.put("agents", agent(2, state=before, infra_env="fleet"))
    agents_read: list[str] = []

    def register_after_the_observation(request: dict[str, Any]) -> None:
        if request["verb"] == "list" and request["path"].endswith("/agents"):
            if len(agents_read) == 2:
                hub.put("agents", agent(1, state=after, infra_env="fleet"))
            agents_read.append(request["path"])

    hub.faults.append(register_after_the_observation)
    spares = {"hosts": hosts(1, 2), "manual_hosts": ["node-1", "node-2"], "selector_label": LABEL}
    known = [{"name": host["name"], "mac_addresses": host["mac_addresses"]} for host in spares["hosts"]]
    result = call(replicas=1, **spares, touch={**touch(hub, tmp_path), "hosts": known})
    assert (result["stop"], result["boot_hosts"], result["missing"]) == ("", [], 0), result
    assert [host["action"] for host in result["hosts"]] == [
        "prepare" if after.startswith("discovering") else "use",
        "spare",
    ]
    assert len(agents_read) > 2 and "is not booted" not in str(result.get("warnings"))


def test_only_what_the_last_plan_boots_is_permitted(
    hub: Any, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that only the first plan of the task boots is not recorded as one of this deployment."""
    put_pool(hub, 0, LABELLED)
    decide, plans, permitted = node_pool_plan.decide_pool, [], []

    def decided(info: Any, *arguments: Any) -> Any:
        touched = decide(info, *arguments)
        plans.append(touched.plan.named("boot"))
        if len(plans) > 1:
            return touched
        hub.put("agents", agent(1, infra_env="fleet"))
        return dataclasses.replace(touched, unusable={"node-1": "it has registered"})

    monkeypatch.setattr(node_pool_plan, "decide_pool", decided)
    monkeypatch.setattr(
        node_pool_plan,
        "record_permission",
        lambda _touch, judgement: permitted.append([verdict.host for verdict in judgement.verdicts]),
    )
    spares = {"hosts": hosts(1, 2), "manual_hosts": ["node-1", "node-2"], "selector_label": LABEL}
    call(replicas=2, **spares, touch=touch(hub, tmp_path))
    assert (plans, permitted) == ([["node-1", "node-2"], ["node-2"]], [["node-2"]])


def test_hosts_of_an_earlier_plan_that_another_run_uses(hub: Any, call: Call) -> None:
    """The Agent that has the label of another pool by now, and the machine that is bound elsewhere; what can still be
    used is not among them.
    """
    hub.put("hostedclusters", {"metadata": {"name": "demo", "namespace": "clusters"}, "spec": {}})
    hub.put("machinedeployments", {"metadata": {"name": "other", "namespace": "clusters-demo"}, "spec": {}})
    for number in (2, 3):
        hub.put("agents", agent(number, state="known-unbound"))
    new = {
        "cluster_name": "demo",
        "agent_label_selector": LABELLED,
        "selector_label": LABEL,
        "replicas": 3,
        "hosts": hosts(5, 6),
    }
    first = call(**new)
    assert first["taken"] == [] and set(first["promised"]) >= {made.uuid(2), made.uuid(3), "node-5"}
    seen = agent(2, state="known-unbound")
    seen["metadata"]["annotations"] = {SELECTED_FOR: "clusters-demo/other"}
    hub.put("agents", seen)
    hub.put("agents", agent(5, state="installing", cluster=("other", "other")))
    second = call(**new, planned=first["promised"])
    assert second["taken"] == sorted([made.uuid(2), "node-5"]), second


def test_a_host_whose_bmc_does_not_answer_is_exchanged(hub: Any, call: Call, tmp_path: Path) -> None:
    """Its power state is not known: the playbook fails at its end."""
    put_pool(hub, 2, LABELLED)
    joined(hub, 1, 2)
    hub.put("agents", agent(3, state="known-unbound"))
    bmc = {
        "address": "redfish-virtualmedia+http://127.0.0.1:1/redfish/v1/Systems/1",
        "username": "admin",
        "password": "not-shown",
    }
    exchange = {
        "replace_hosts": ["node-1"],
        "hosts": hosts(1, 2),
        "selector_label": LABEL,
        "bmc_hosts": [{"name": "node-1", "bmc": bmc}],
    }
    stop = call(**exchange, touch=touch(hub, tmp_path / "demo"))["stop"]
    assert "Hosts of NodePool clusters/demo would be replaced: node-1" in stop and "-e openshift_confirm=demo" in stop
    result = call(**exchange, touch=touch(hub, tmp_path / "demo", "demo"))
    assert (result["stop"], result["replace"], result["replace_order"]) == ("", ["demo-1"], "surge"), result
    assert [host["name"] for host in result["failed_hosts"]] == ["node-1"] and "cannot be reached" in result[
        "failed_hosts"
    ][0]["reason"]
