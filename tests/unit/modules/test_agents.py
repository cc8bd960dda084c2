# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test modules agents and agents_info, called in the test process against a hub."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.flat import FIELDS
from ansible_collections.zerotouch.openshift.plugins.modules import agents, agents_info, hub_plan
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.in_process import fits_an_event
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ansible_collections.zerotouch.openshift.tests.support.hub import agents as made
from ansible_collections.zerotouch.openshift.tests.support.hub import server as hubserver


@pytest.fixture
def hub() -> Iterator[Any]:
    server = hubserver.HubServer()
    yield server
    server.stop()


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], hub: Any) -> Callable[..., dict[str, Any]]:
    def call_module(entry_point: Any, **arguments: Any) -> dict[str, Any]:
        with patch_module_args({"kubeconfig": hub.kubeconfig, **arguments}), pytest.raises(SystemExit):
            entry_point.main()
        output = capfd.readouterr().out
        assert "a-token-for-the-hub" not in output
        return dict(json.loads(output))

    return call_module


def hosts(count: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {"name": f"node-{n}", "mac_addresses": [made.mac(n)], "hostname": f"node-{n}.example.com", **more}
        for n in range(1, count + 1)
    ]


def test_check_run_run_again(call: Any, hub: Any) -> None:
    for number in (1, 2):
        hub.put("agents", made.agent(number))
    arguments = {"namespace": "lab", "hosts": hosts(2, role="worker", agent_labels={"rack": "r1"})}
    predicted = call(agents, **arguments, _ansible_check_mode=True, _ansible_diff=True)
    assert predicted["changed"] and all(request["dry"] for request in hub.patches()) and len(hub.patches()) == 2
    assert hub.get(made.uuid(1))["spec"]["approved"] is False
    done = call(agents, **arguments, _ansible_diff=True)
    again = call(agents, **arguments)
    assert [done["changed"], again["changed"]] == [True, False]
    assert predicted["diff"] == done["diff"] and json.loads(done["diff"][0]["before"]) == {
        "metadata": {"labels": {}},
        "spec": {"approved": False, "role": ""},
    }
    assert [host["changes"] for host in predicted["hosts"]] == [host["changes"] for host in done["hosts"]]
    assert (done["api_calls"], again["api_calls"]) == ({"list": 1, "patch": 2}, {"list": 1})
    assert hub.get(made.uuid(2))["spec"] == {"approved": True, "role": "worker", "hostname": "node-2.example.com"}
    assert done["nodes"] == [
        {"name": f"node-{number}.example.com", "addresses": [f"10.0.0.{number}"]} for number in (1, 2)
    ]
    assert {
        key: done["hosts"][0][key]
        for key in ("name", "agent", "by", "hostname", "role", "approved", "failed", "reason")
    } == {
        "name": "node-1",
        "agent": made.uuid(1),
        "by": f"MAC {made.mac(1)}",
        "hostname": "node-1.example.com",
        "role": "worker",
        "approved": True,
        "failed": False,
        "reason": "",
    }


def test_a_part_fails_the_rest_is_done(call: Any, hub: Any) -> None:
    hub.put("agents", made.agent(1))
    hub.put("agents", made.agent(2, state="installing", hostname="other", cluster=("lab", "demo")))
    result = call(agents, namespace="lab", hosts=hosts(3))
    assert result["failed"] and result["changed"]
    assert [(host["changed"], host["failed"]) for host in result["hosts"]] == [
        (True, False),
        (False, True),
        (False, True),
    ]
    assert result["msg"] == (
        "2 of 3 hosts failed:\n"
        "node-2: hostname can no longer be changed from 'other' to 'node-2.example.com': its installation has started "
        "(state installing)\n"
        f"node-3: no Agent has MAC {made.mac(3)}"
    )
    assert result["unmatched"] == [{"name": "node-3", "reason": f"no Agent has MAC {made.mac(3)}"}]


def test_a_host_without_contact(call: Any, hub: Any) -> None:
    hub.put("agents", made.agent(2))
    result = call(agents, namespace="lab", hosts=hosts(1), wait_for="registered", timeout=2)
    reported = result["msg"].splitlines()
    assert reported[1] == f"node-1: not registered within 2 s: no Agent has MAC {made.mac(1)}"
    assert reported[2].startswith(
        "Look at the console of node-1: check that it booted the discovery image and reaches the hub. Compare"
    )
    assert f"{made.uuid(2)} (MAC {made.mac(2)})" in reported[2] and reported[2].endswith("Then run again.")


def test_who_was_waited_for_in_vain_is_remembered_until_it_registers(call: Any, hub: Any, tmp_path: Path) -> None:
    """A machine that hangs is booted again by the next run; one that goes on installing an image is left alone."""
    state = str(tmp_path / "state.json")
    hub.put("agents", made.agent(2))
    wait = {"namespace": "lab", "hosts": hosts(2), "wait_for": "registered", "timeout": 60, "state_file": state}
    assert call(agents, **wait, _ansible_check_mode=True)["changed"] and not Path(state).exists()
    assert call(agents, **{**wait, "timeout": 2})["failed"]
    first = {
        host["name"]: host["reason"]
        for host in call(hub_plan, namespace="lab", hosts=hosts(2), state_file=state)["hosts"]
    }
    assert first["node-1"] == "it has no Agent; an earlier wait for it was in vain" and "vain" not in first["node-2"]
    assert call(hub_plan, namespace="lab", hosts=hosts(2), state_file=state)["forced_hosts"] == ["node-1"]
    hub.put("agents", made.agent(1))
    assert not call(agents, **wait).get("failed")
    assert call(hub_plan, namespace="lab", hosts=hosts(2), state_file=state)["boot_hosts"] == []
    hub.remove(made.uuid(1))
    assert call(hub_plan, namespace="lab", hosts=hosts(2), state_file=state)["forced_hosts"] == []


def test_strangers(call: Any, hub: Any) -> None:
    for number in (1, 2):
        hub.put("agents", made.agent(number))
    warned = call(agents, namespace="lab", hosts=hosts(1))
    assert f"Agent lab/{made.uuid(2)} (host-2) belongs to no host that is expected" in json.dumps(warned["warnings"])
    assert warned["unexpected"] == [
        {
            "agent": made.uuid(2),
            "namespace": "lab",
            "macs": [made.mac(2)],
            "hostname": "host-2",
            "state": "known-unbound",
            "validations": "",
        }
    ]
    hub.change(made.uuid(1), spec={"hostname": "old"})
    stopped = call(agents, namespace="lab", hosts=hosts(1), unexpected="fail")
    assert stopped["failed"] and not stopped["changed"] and f"Agent lab/{made.uuid(2)}" in stopped["msg"]
    assert hub.get(made.uuid(1))["spec"]["hostname"] == "old"
    approved = call(agents, namespace="lab", hosts=hosts(1), unexpected="approve")
    assert approved["approved"] == [f"Agent lab/{made.uuid(2)}"] and hub.get(made.uuid(2))["spec"]["approved"]


def test_mistakes_ask_the_hub_nothing(call: Any, hub: Any) -> None:
    result = call(agents, namespace="lab", hosts=[{"name": "a"}, {"name": "b", "mac_addresses": ["x"]}])
    assert result["failed"] and len(result["problems"]) == 2 and hub.requests == []


def test_information(call: Any, hub: Any) -> None:
    failing = {"hardware": [{"id": "has-min-cpu-cores", "status": "failure", "message": "few"}]}
    hub.put(
        "agents",
        made.agent(1, state="insufficient", validations=failing, cluster=("lab", "demo"), labels={"rack": "r1"}),
    )
    hub.put("agents", made.agent(2, namespace="other", infra_env="x"))
    assert [agent["name"] for agent in call(agents_info)["agents"]] == [made.uuid(1), made.uuid(2)]
    for arguments, number in (
        ({"namespaces": ["other"]}, 2),
        ({"namespace": "lab"}, 1),
        ({"infra_env_name": "x"}, 2),
        ({"label_selector": "rack=r1"}, 1),
        ({"cluster_name": "demo"}, 1),
        ({"cluster_name": "lab/demo"}, 1),
        ({"query": "state == 'insufficient'"}, 1),
    ):
        assert [agent["name"] for agent in call(agents_info, **arguments)["agents"]] == [made.uuid(number)]
    flat = call(agents_info, infra_env_name="lab")["agents"][0]
    assert flat["validations"] == [{"id": "has-min-cpu-cores", "status": "failure", "message": "few"}]
    assert (flat["cluster"], flat["ip_addresses"], flat["macs"]) == (
        {"namespace": "lab", "name": "demo"},
        ["10.0.0.1"],
        [made.mac(1)],
    )
    assert flat["inventory"]["cpu"]["count"] == 8
    assert "inventory" not in call(agents_info, inventory=False)["agents"][0]
    assert [set(agent) for agent in call(agents_info, fields=["name", "state"])["agents"]] == [{"name", "state"}] * 2
    assert set(call(agents_info, fields=["name", "inventory"], inventory=False)["agents"][0]) == {"name"}
    assert "is not a JMESPath expression" in call(agents_info, query="a ||")["msg"]


def test_the_fields_that_node_counting_reads_fit_an_event(call: Any, hub: Any) -> None:
    """All fields of 1000 Agents are larger than a controller shows; what its query reads, with the state, is not."""
    for number in range(1, 3):
        hub.put("agents", made.agent(number))
    whole, part = (call(agents_info, fields=fields) for fields in ([], ["hostname", "serial_number", "macs", "state"]))
    assert not fits_an_event({**whole, "agents": whole["agents"] * 500})
    assert fits_an_event({**part, "agents": part["agents"] * 500})


def test_the_documented_record_is_the_returned_one(call: Any, hub: Any) -> None:
    import yaml

    hub.put("agents", made.agent(1))
    returned = call(agents_info)["agents"][0]
    assert set(yaml.safe_load(agents_info.RETURN)["agents"]["contains"]) == set(returned) == set(FIELDS)
    result = call(agents, namespace="lab", hosts=hosts(1))
    documented = yaml.safe_load(agents.RETURN)
    assert set(documented) == set(result) - {"changed", "failed", "invocation", "warnings"}
    assert set(documented["hosts"]["contains"]) == set(result["hosts"][0])
