# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module touch_check, called in the test process against a hub: which objects it reads there, and its decisions
for hosts without a BMC.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.modules import agents, touch_check
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ansible_collections.zerotouch.openshift.tests.support.hub import agents as made
from ansible_collections.zerotouch.openshift.tests.support.hub import server as hubserver


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setitem(hubserver.KINDS, "baremetalhosts", "BareMetalHost")
    server = hubserver.HubServer()
    yield server
    server.stop()


@pytest.fixture
def touch(hub: Any, tmp_path: Path) -> dict[str, Any]:
    hosts = [{"name": f"node-{n}", "mac_addresses": [made.mac(n)]} for n in (1, 2, 3)]
    scope = {"namespace": "lab", "infra_env": "lab", "cluster": {"namespace": "lab", "name": "demo"}}
    connection = {"kubeconfig": hub.kubeconfig, **scope}
    return {
        "method": "hub",
        "cluster_name": "demo",
        "work_dir": str(tmp_path / "demo"),
        "hosts": hosts,
        "hub": connection,
    }


@pytest.fixture
def opened(capfd: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def call(module: Any, **arguments: Any) -> dict[str, Any]:
        with patch_module_args(arguments), pytest.raises(SystemExit):
            module.main()
        return dict(json.loads(capfd.readouterr().out))

    return call


def rows(result: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {host["name"]: (host["row"], host["outcome"]) for host in result["hosts"]}


def test_hosts_by_their_agents(opened: Any, hub: Any, touch: dict[str, Any]) -> None:
    hub.put("agents", made.agent(1))
    hub.put("agents", made.agent(2, state="installed", cluster=("lab", "demo")))
    result = opened(touch_check, action="boot", names=["node-1", "node-2", "node-3"], touch=touch)
    assert rows(result) == {"node-1": ("9", "skip"), "node-2": ("7", "skip"), "node-3": ("14", "act")}
    assert {request["verb"] for request in hub.requests} <= {"get", "list"}


def test_one_host_of_another_cluster_stops_all(opened: Any, hub: Any, touch: dict[str, Any]) -> None:
    hub.put("agents", made.agent(1, state="installed", cluster=("prod", "prod")))
    result = opened(
        touch_check,
        action="boot",
        names=["node-1", "node-3"],
        touch={**touch, "confirm": ["demo"], "force": ["start_over", "take_over"]},
    )
    assert (
        result["failed"]
        and "is bound to cluster prod/prod" in result["msg"]
        and "No machine was touched" in result["msg"]
    )


def test_hub_that_does_not_answer_stops(opened: Any, hub: Any, touch: dict[str, Any]) -> None:
    hub.stop()
    result = opened(touch_check, action="boot", names=["node-1"], touch={**touch, "hub": {**touch["hub"]}})
    assert result["failed"] and "the hub cannot be read" in result["msg"]


def test_leaving_needs_a_record(opened: Any, hub: Any, touch: dict[str, Any]) -> None:
    """A host without an Agent, a Node and a record is not reported as taken out."""
    confirmed = {**touch, "confirm": ["demo"]}
    for action in ("remove", "reprovision"):
        result = opened(touch_check, action=action, names=["node-3"], touch=confirmed)
        assert result["failed"] and "node-3: no record contains it" in result["msg"]
    hub.put("agents", made.agent(1))
    unconfirmed = opened(touch_check, action="remove", names=["node-1"], touch=touch)
    assert unconfirmed["failed"] and "openshift_confirm=demo" in unconfirmed["msg"]
    assert rows(opened(touch_check, action="remove", names=["node-1"], touch=confirmed)) == {"node-1": ("9", "act")}
    assert rows(opened(touch_check, action="reprovision", names=["node-1"], touch=touch)) == {"node-1": ("9", "skip")}


def test_deleted_agents_are_recorded_as_released(opened: Any, hub: Any, touch: dict[str, Any]) -> None:
    hub.put("agents", made.agent(1))
    host = {"name": "node-1", "mac_addresses": [made.mac(1)], "state": "absent"}
    arguments = {
        "kubeconfig": hub.kubeconfig,
        "namespace": "lab",
        "hosts": [host],
        "unexpected": "ignore",
        "touch": touch,
    }
    assert opened(agents, _ansible_check_mode=True, **arguments)["changed"] is True
    assert not (Path(touch["work_dir"]) / "state.json").exists()
    assert opened(agents, **arguments)["changed"] is True
    result = opened(touch_check, action="remove", names=["node-1"], touch={**touch, "confirm": ["demo"]})
    assert rows(result) == {"node-1": ("9a", "act")}
    assert opened(agents, **arguments)["changed"] is False


@pytest.mark.parametrize("leaving", [{"state": "absent"}, {"unbind": True}])
def test_agents_of_another_cluster_stay(opened: Any, hub: Any, touch: dict[str, Any], leaving: dict[str, Any]) -> None:
    hub.put("agents", made.agent(1, state="installed", cluster=("prod", "prod")))
    hub.requests.clear()
    host = {"name": "node-1", "mac_addresses": [made.mac(1)], **leaving}
    result = opened(agents, kubeconfig=hub.kubeconfig, namespace="lab", hosts=[host], unexpected="ignore", touch=touch)
    assert result["failed"] and "is bound to cluster prod/prod" in result["msg"]
    assert {request["verb"] for request in hub.requests} <= {"get", "list"}
