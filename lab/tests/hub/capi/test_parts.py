# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test pure functions of the lab's Cluster API: deletion order, URLs, selection, summaries of conditions, rollouts."""

from __future__ import annotations

import random
from typing import Any

import pytest
from ztlab.hub.capi.conditions import false, lines, new_form, old_form, summary, true, unknown
from ztlab.hub.capi.deletion_order import order
from ztlab.hub.capi.health import allowed, checks, judge
from ztlab.hub.capi.kinds import DELETE_MACHINE, UPDATING_IN_PLACE
from ztlab.hub.capi.provider.bootstrap import Failure, parsed
from ztlab.hub.capi.provider.ignition_endpoint import for_cluster_install, normalised
from ztlab.hub.capi.provider.instances import Scope, own_deployment, scope_of
from ztlab.hub.capi.provider.machine_conditions import of_agent, without_agent
from ztlab.hub.capi.provider.selection import (
    InvalidSelector,
    addresses,
    candidates,
    claimed,
    mine,
    released,
    selects,
    valid,
)
from ztlab.hub.capi.rollout import new_replicas, old_replicas, strategy, template_hash
from ztlab.hub.capi.shape import node_name, reference_target, seconds, selector_text, timeout
from ztlab.hub.names import Object

NOW = "2026-11-21T10:00:00Z"


def machine(name: str, node: str = "n", healthy: str = "True", **metadata: Any) -> Object:
    conditions = [{"type": "NodeHealthy", "status": healthy}]
    status = {"nodeRef": {"name": node}, "conditions": conditions} if node else {}
    created = metadata.pop("created", NOW)
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "metadata": {"name": name, "creationTimestamp": created, **metadata},
        "spec": {},
        "status": status,
    }


def test_who_goes_first() -> None:
    going = [
        machine("z", deletionTimestamp=NOW),
        machine("y", annotations={DELETE_MACHINE: ""}),
        machine("x", annotations={UPDATING_IN_PLACE: ""}),
        machine("b", node=""),
        machine("w", healthy="False"),
        machine("a"),
        machine("c", healthy="Unknown"),
    ]
    shuffled = random.Random(1).sample(going, len(going))
    assert [item["metadata"]["name"] for item in order(shuffled)] == ["z", "y", "x", "b", "w", "a", "c"]


def test_age_decides_only_where_it_is_asked() -> None:
    going = [
        machine("a", created="2026-11-21T09:00:00Z"),
        machine("b", created="2026-11-21T08:00:00Z"),
        machine("c", node=""),
    ]
    assert [item["metadata"]["name"] for item in order(going, "Newest")] == ["c", "a", "b"]
    assert [item["metadata"]["name"] for item in order(going, "Oldest")] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("url", "whole", "install"),
    [
        ("https://1.2.3.4:555/ignition", "https://1.2.3.4:555/ignition", "https://1.2.3.4:555"),
        ("https://1.2.3.4:555", "https://1.2.3.4:555", "https://1.2.3.4:555"),
        (
            "https://fd2e:6f44:5dd8:c956::14:31187/ignition",
            "https://[fd2e:6f44:5dd8:c956::14]:31187/ignition",
            "https://[fd2e:6f44:5dd8:c956::14]:31187",
        ),
        (
            "http://[1080::8:800:200c:417a]:123/config",
            "http://[1080::8:800:200c:417a]:123/config",
            "http://[1080::8:800:200c:417a]:123",
        ),
        ("https://a.example.com/x/y?b=c", "https://a.example.com/x/y?b=c", "https://a.example.com?b=c"),
        ("", "", ""),
        ("a.example.com/x", "a.example.com/x", "a.example.com/x"),
    ],
)
def test_ignition_endpoints(url: str, whole: str, install: str) -> None:
    assert (normalised(url), for_cluster_install(url)) == (whole, install)


# Agents


def agent(name: str = "a", labels: dict[str, str] | None = None, **conditions: str) -> Object:
    states = {"Bound": "False", "Connected": "True", "Validated": "True"} | conditions
    listed = [{"type": kind, "status": status} for kind, status in states.items() if status]
    return {
        "metadata": {"name": name, "namespace": "n", "labels": labels or {}},
        "spec": {"approved": True, "role": ""},
        "status": {"conditions": listed},
    }


def test_which_agents_will_do() -> None:
    assert valid(agent())
    for bad in ({"Bound": "Unknown"}, {"Bound": ""}, {"Connected": "False"}, {"Validated": "Unknown"}):
        assert not valid(agent(**bad))
    assert not valid({**agent(), "spec": {"approved": False}})
    odd = agent()
    odd["metadata"]["deletionTimestamp"] = NOW
    odd["spec"]["clusterDeploymentName"] = {"name": "c"}
    assert valid(odd), "upstream looks at neither"


def test_selection_keeps_the_order_of_the_list() -> None:
    wanting: Object = {
        "metadata": {"name": "m", "namespace": "n"},
        "spec": {"agentLabelSelector": {"matchLabels": {"size": "large"}}},
    }
    agents = [
        agent("z", {"size": "large"}),
        agent("x"),
        agent("a", {"size": "large"}),
        agent("b", {"size": "large", "agentMachineRef": "other"}),
    ]
    assert [item["metadata"]["name"] for item in candidates(wanting, agents)] == ["z", "a"]
    assert candidates({**wanting, "spec": {}}, agents)[1]["metadata"]["name"] == "x"
    assert mine({"metadata": {"name": "other", "namespace": "elsewhere"}}, agents) == agents[3], (
        "the namespace is not compared"
    )
    with pytest.raises(InvalidSelector, match="must be no more than 63 bytes"):
        mine({"metadata": {"name": "m" * 64}}, [])


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ({"key": "zone", "operator": "In", "values": ["a", "b"]}, True),
        ({"key": "zone", "operator": "NotIn", "values": ["a"]}, False),
        ({"key": "rack", "operator": "NotIn", "values": ["a"]}, True),
        ({"key": "zone", "operator": "Exists"}, True),
        ({"key": "zone", "operator": "DoesNotExist"}, False),
    ],
)
def test_expressions(expression: Object, found: bool) -> None:
    assert selects({"matchExpressions": [expression]}, {"zone": "a"}) is found


@pytest.mark.parametrize(
    "expression",
    [
        {"key": "a", "operator": "Near"},
        {"key": "a", "operator": "In"},
        {"key": "a", "operator": "Exists", "values": ["b"]},
    ],
)
def test_unknown_expressions(expression: Object) -> None:
    with pytest.raises(InvalidSelector):
        selects({"matchExpressions": [expression]}, {})


def test_a_claim_and_its_end() -> None:
    boot = {
        "machineConfigPool": "ignition",
        "ignitionEndpointTokenReference": {"name": "t", "namespace": "n"},
        "ignitionEndpointHTTPHeaders": {},
    }
    taken = claimed(
        agent(labels={"own": "1"}), {"metadata": {"name": "m", "namespace": "s"}}, {"name": "c", "namespace": "s"}, boot
    )
    assert taken["metadata"]["labels"] == {"own": "1", "agentMachineRef": "m"}
    assert taken["metadata"]["annotations"] == {"agentMachineRefNamespace": "s"}
    assert (
        taken["spec"]["clusterDeploymentName"] == {"name": "c", "namespace": "s"}
        and "ignitionEndpointHTTPHeaders" not in taken["spec"]
    )
    free = released(taken)
    assert (
        free["spec"] == {"approved": True, "role": ""}
        and free["metadata"]["labels"] == {"own": "1"}
        and free["metadata"]["annotations"] == {}
    )


def test_addresses() -> None:
    nics = [
        {"hasCarrier": True, "ipV4Addresses": ["192.0.2.7/24", "192.0.2.8/24"], "ipV6Addresses": ["fd00::1/64"]},
        {"hasCarrier": False, "ipV4Addresses": ["192.0.2.9/24"]},
    ]
    item = {"spec": {}, "status": {"inventory": {"hostname": "h", "interfaces": nics}}}
    assert addresses(item) == [
        {"type": "ExternalIP", "address": "192.0.2.7"},
        {"type": "ExternalIP", "address": "192.0.2.8"},
        {"type": "InternalDNS", "address": "h"},
    ]
    assert addresses({"spec": {"hostname": "requested"}, "status": {}})[-1]["address"] == "requested"
    nics[0]["ipV4Addresses"] = ["192.0.2.7"]
    with pytest.raises(ValueError):
        addresses(item)
    assert addresses({"spec": {}})[-1] == {"type": "InternalDNS", "address": ""}, (
        "upstream writes it empty, and the API refuses it"
    )


def test_bootstrap_data() -> None:
    headers = '[{"name":"Authorization","value":"Bearer x"},{"name":"A","value":"b"}]'
    text = f'{{"ignition":{{"config":{{"merge":[{{"source":"https://e/ignition","httpHeaders":{headers}}}]}}}}}}'
    assert parsed(text.encode()) == ("ignition", "x", {"A": "b"})
    with pytest.raises(Failure, match="one ignition source"):
        parsed(b'{"ignition":{}}')
    with pytest.raises(Failure, match="bearer"):
        parsed(text.replace("Bearer x", "Basic x").encode())
    assert parsed(text.replace("Authorization", "authorization").encode())[1:] == (
        "",
        {"authorization": "Bearer x", "A": "b"},
    ), "upstream knows one spelling"


# conditions


def test_summaries() -> None:
    reasons = ("InfoReported", "IssuesReported", "UnknownReported")
    bad = summary("Ready", [true("A", "r"), false("B", "Why", "one\ntwo"), unknown("C", "Dunno")], reasons=reasons)
    assert (bad.status, bad.reason, bad.message) == ("False", "IssuesReported", "* B:\n  * one\n  * two\n* C: Dunno")
    assert summary("Ready", [unknown("C", "Dunno")], reasons=reasons).reason == "UnknownReported"
    assert summary("Ready", [true("A", "r")], reasons=reasons).message == ""
    going = summary("Ready", [true("Deleting", "DrainingNode")], reasons=reasons, negative=frozenset({"Deleting"}))
    assert going.status == "False" and lines([true("Deleting", "DrainingNode")]) == "* Deleting: DrainingNode"


def test_the_two_forms() -> None:
    wanted = [false("Zed", "Why"), true("Ready", "Good"), true("Ah", "")]
    new = new_form([], wanted, NOW, 3)
    assert (
        [entry["type"] for entry in new] == ["Ready", "Ah", "Zed"]
        and new[0]["observedGeneration"] == 3
        and new[1]["message"] == ""
    )
    later = new_form(new, [true("Ready", "Better")], "2026-11-21T11:00:00Z", 4)
    assert later[0]["lastTransitionTime"] == NOW and later[0]["reason"] == "Better"
    old = old_form([], wanted, NOW)
    assert old == [
        {"type": "Ready", "status": "True", "reason": "Good", "lastTransitionTime": NOW},
        {"type": "Ah", "status": "True", "lastTransitionTime": NOW},
        {"type": "Zed", "status": "False", "reason": "Why", "lastTransitionTime": NOW, "severity": "Info"},
    ]


def test_conditions_of_an_agent_machine() -> None:
    waiting = {entry.type: entry for entry in without_agent("")}
    assert (
        waiting["AgentReserved"].reason == "NoSuitableAgents"
        and waiting["Installed"].message == "Agent not yet reserved"
    )
    assert waiting["Ready"].message.splitlines()[0] == "* AgentReserved: NoSuitableAgents"
    assert {entry.type: entry for entry in without_agent("oh")}["AgentReserved"].message == "oh"
    source = [
        {"type": "SpecSynced", "status": "True", "reason": "SyncOK"},
        {"type": "Validated", "status": "Unknown", "reason": "Odd", "message": "m"},
    ]
    shown = {
        entry.type: (entry.status, entry.reason, entry.message)
        for entry in of_agent({"status": {"conditions": source}})
    }
    assert shown["AgentSpecSynced"] == ("True", "AgentConditionTrue", "")
    assert shown["AgentValidated"] == ("False", "Odd", "m") and shown["Installed"] == ("False", "ConditionNotFound", "")


# rollout


def deployment(replicas: int, image: str = "b", **rolling: Any) -> Object:
    spec: Object = {"replicas": replicas, "template": {"spec": {"version": image}}}
    return {
        "spec": spec
        | ({"rollout": {"strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}} if rolling else {})
    }


def machines_set(name: str, replicas: int, available: int, image: str = "a") -> Object:
    return {
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "template": {"spec": {"version": image}}},
        "status": {"availableReplicas": available},
    }


def test_one_more_at_a_time() -> None:
    item, old = deployment(3), [machines_set("old", 3, 3)]
    assert new_replicas(item, None, old) == 1
    fresh = machines_set("new", 1, 0, "b")
    assert new_replicas(item, fresh, old) == 1 and old_replicas(item, fresh, old, {}) == {"old": 3}
    fresh = machines_set("new", 1, 1, "b")
    assert old_replicas(item, fresh, old, {}) == {"old": 2}
    assert new_replicas(item, fresh, [machines_set("old", 2, 2)]) == 2


def test_without_a_spare_host() -> None:
    item, old = deployment(3, maxSurge=0, maxUnavailable=1), [machines_set("old", 3, 3)]
    assert new_replicas(item, None, old) == 0
    assert old_replicas(item, machines_set("new", 0, 0), old, {}) == {"old": 2}
    assert new_replicas(item, machines_set("new", 0, 0), [machines_set("old", 2, 2)]) == 1
    leaving = machines_set("old", 2, 2)
    leaving["status"]["replicas"] = 3
    assert new_replicas(item, machines_set("new", 0, 0), [leaving]) == 0, "the host of the third is not free yet"


def test_the_useless_go_first_and_percentages_count() -> None:
    item = deployment(4, maxSurge="50%", maxUnavailable="50%")
    assert (strategy(item).surge, strategy(item).unavailable) == (2, 2)
    assert old_replicas(item, machines_set("new", 2, 0), [machines_set("old", 4, 2)], {}) == {"old": 2}
    assert strategy(deployment(3, maxSurge=0, maxUnavailable=0)).unavailable == 1
    assert new_replicas(deployment(5), machines_set("new", 2, 2), []) == 5


def test_on_delete_replaces_what_was_deleted() -> None:
    item = {"spec": {"replicas": 2, "strategy": {"type": "OnDelete"}, "template": {"spec": {"version": "b"}}}}
    old = [machines_set("old", 2, 2)]
    assert new_replicas(item, None, old) == 0
    assert old_replicas(item, machines_set("new", 0, 0), old, {"old": 1}) == {"old": 1}
    assert new_replicas(item, machines_set("new", 0, 0), [machines_set("old", 1, 1)]) == 1


def test_what_makes_other_machines() -> None:
    plain = {"metadata": {"labels": {"a": "b"}}, "spec": {"version": "1", "nodeDrainTimeout": "1m"}}
    assert template_hash(plain) == template_hash({"spec": {"version": "1", "deletion": {"nodeDrainTimeoutSeconds": 1}}})
    assert template_hash(plain) != template_hash({"spec": {"version": "2"}})


# shapes


def test_references_and_times_of_both_versions() -> None:
    assert reference_target({"apiGroup": "a.b", "kind": "C", "name": "d"}, "n") == ("a.b", "C", ("n", "d"))
    assert reference_target({"apiVersion": "a.b/v1", "kind": "C", "name": "d", "namespace": "m"}, "n") == (
        "a.b",
        "C",
        ("m", "d"),
    )
    assert reference_target({}, "n") is None
    assert seconds("1h2m3.5s") == 3723.5 and seconds(None) is None
    assert (
        timeout({"nodeDrainTimeout": "10m0s"}, "nodeDrain")
        == timeout({"deletion": {"nodeDrainTimeoutSeconds": 600}}, "nodeDrain")
        == 600
    )
    assert timeout({}, "nodeDeletion") is None
    assert node_name({"status": {"nodeRef": {"name": "n"}}}) == "n"
    expressions = [{"key": "c", "operator": "In", "values": ["y", "x"]}]
    assert selector_text({"matchLabels": {"b": "1", "a": "2"}, "matchExpressions": expressions}) == "a=2,b=1,c in (x,y)"


# where the provider runs


def test_deployments_of_the_provider() -> None:
    own = own_deployment()
    assert scope_of(own) == Scope("", "")
    container: Object = own["spec"]["template"]["spec"]["containers"][0]
    container["args"] = ["--namespace", "$(MY_NAMESPACE)", "--agent-namespace=agents"]
    container["env"] = [{"name": "MY_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}]
    assert scope_of(own) == Scope("cluster-api-provider-agent", "agents")
    assert scope_of({**own, "spec": {**own["spec"], "replicas": 0}}) is None
    container["image"] = "quay.io/other:1"
    assert scope_of(own) is None


# health


def health_check(**spec: Any) -> Object:
    return {"spec": {"clusterName": "c", "selector": {}, **spec}}


def test_health_checks_of_both_versions() -> None:
    states = [{"type": "Ready", "status": "False", "timeout": "16m0s"}]
    old = checks(health_check(unhealthyConditions=states, maxUnhealthy=2, nodeStartupTimeout="20m0s"))
    newer = {
        "nodeStartupTimeoutSeconds": 1200,
        "unhealthyNodeConditions": [{"type": "Ready", "status": "False", "timeoutSeconds": 960}],
    }
    assert old == checks(health_check(checks=newer, remediation={"triggerIf": {"unhealthyLessThanOrEqualTo": 2}}))
    assert old.states == (("Ready", "False", 960.0),) and old.startup == 1200
    assert checks(health_check()).startup == 600 and allowed(checks(health_check(maxUnhealthy="40%")), 5, 2) == 0
    assert allowed(old, 5, 3) == -1


def test_what_is_ill() -> None:
    rules = checks(
        health_check(
            unhealthyConditions=[{"type": "Ready", "status": "Unknown", "timeout": "5m"}], nodeStartupTimeout="20m"
        )
    )
    ages = {NOW: 100.0, "old": 1300.0}
    slow = machine("m", node="", created="old")
    assert judge(slow, None, rules, ages.__getitem__, nodes_known=True).reason == "NodeStartupTimeout"
    assert judge(machine("m", node=""), None, rules, ages.__getitem__, nodes_known=True).again == 1100
    assert judge(machine("m"), None, rules, ages.__getitem__, nodes_known=True).reason == "NodeNotFound"
    assert not judge(machine("m"), None, rules, ages.__getitem__, nodes_known=False).reason
    node: Object = {"status": {"conditions": [{"type": "Ready", "status": "Unknown", "lastTransitionTime": NOW}]}}
    assert judge(machine("m"), node, rules, ages.__getitem__, nodes_known=True).again == 200
    node["status"]["conditions"][0]["lastTransitionTime"] = "old"
    assert judge(machine("m"), node, rules, ages.__getitem__, nodes_known=True).reason == "UnhealthyNode"
