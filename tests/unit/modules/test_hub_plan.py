# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module hub_plan, called in the test process: the step that it plans for each host, from the hub's Agents, the
installation of the cluster, and its Nodes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.hub import observe as hub_observe
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.config import resolve, source_of
from ansible_collections.zerotouch.openshift.plugins.modules import hub_plan
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ansible_collections.zerotouch.openshift.tests.support.hub import agents as made
from ansible_collections.zerotouch.openshift.tests.support.hub import server as hubserver

CLUSTER = {"name": "demo", "namespace": "lab"}


@pytest.fixture
def hub() -> Iterator[Any]:
    server = hubserver.HubServer()
    yield server
    server.stop()


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], hub: Any) -> Callable[..., dict[str, Any]]:
    def call_module(**arguments: Any) -> dict[str, Any]:
        with (
            patch_module_args({"kubeconfig": hub.kubeconfig, "namespace": "lab", **arguments}),
            pytest.raises(SystemExit),
        ):
            hub_plan.main()
        output = capfd.readouterr().out
        assert "a-token-for-the-hub" not in output and "a-token-for-the-spoke" not in output
        return dict(json.loads(output))

    return call_module


def hosts(count: int) -> list[dict[str, Any]]:
    return [
        {"name": f"node-{n}", "mac_addresses": [made.mac(n)], "hostname": f"node-{n}.example.com"}
        for n in range(1, count + 1)
    ]


def put_install(hub: Any, reason: str, message: str, status: str = "False", **more: Any) -> None:
    conditions = [
        {"type": "Completed", "status": status, "reason": reason, "message": message},
        *more.get("conditions", []),
    ]
    hub.put(
        "agentclusterinstalls", {"metadata": {"name": "demo", "namespace": "lab"}, "status": {"conditions": conditions}}
    )


def put_installed(hub: Any, spoke: Any, *nodes: str) -> None:
    """The cluster is installed, and the hub keeps the kubeconfig of ``spoke``."""
    put_install(hub, "InstallationCompleted", "The installation has completed", "True")
    hub.put("clusterdeployments", {"metadata": {"name": "demo", "namespace": "lab"}, "spec": {}})
    text = yaml.safe_dump(spoke.kubeconfig).replace("a-token-for-the-hub", "a-token-for-the-spoke")
    data = {"kubeconfig": base64.b64encode(text.encode()).decode()}
    hub.put(
        "secrets", {"kind": "Secret", "metadata": {"name": "demo-admin-kubeconfig", "namespace": "lab"}, "data": data}
    )
    for name in nodes:
        spoke.put("nodes", {"kind": "Node", "metadata": {"name": name}})


@pytest.fixture
def spoke(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setitem(hubserver.KINDS, "nodes", "Node")
    monkeypatch.setitem(hubserver.KINDS, "secrets", "Secret")
    # The server of these tests has no TLS, which a kubeconfig of a remote side must have (tests/unit/kube).
    monkeypatch.setattr(
        hub_observe, "resolve_remote", lambda data, label: resolve(source_of(yaml.safe_load(data), label))
    )
    server = hubserver.HubServer()
    yield server
    server.stop()


def actions(result: dict[str, Any]) -> dict[str, str]:
    return {host["name"]: host["action"] for host in result["hosts"]}


def test_hosts_without_a_cluster(call: Any, hub: Any) -> None:
    hub.put("agents", made.agent(1))
    hub.put("agents", made.agent(2, state="disconnected-unbound"))
    result = call(hosts=hosts(3))
    assert actions(result) == {"node-1": "wait", "node-2": "boot", "node-3": "boot"}
    assert (result["boot_hosts"], result["forced_hosts"], result["stop"]) == (["node-2", "node-3"], ["node-2"], "")
    assert result["changed"] is False and hub.calls() == {"list": 1}
    assert result["hosts"][0] == {
        "name": "node-1",
        "action": "wait",
        "reason": "registered: known-unbound",
        "agent": made.uuid(1),
        "state": "known-unbound",
    }


def test_a_cluster_that_installs(call: Any, hub: Any) -> None:
    put_install(hub, "InstallationInProgress", "The installation is in progress")
    hub.put("agents", made.agent(1, state="installing-in-progress", cluster=("lab", "demo")))
    installing = call(hosts=hosts(2), cluster=CLUSTER, purpose="install")
    assert actions(installing) == {"node-1": "skip", "node-2": "skip"} and installing["phase"] == "installing"
    adding = call(hosts=hosts(2), cluster=CLUSTER)
    assert actions(adding) == {"node-1": "skip", "node-2": "boot"}


def test_an_installed_cluster_is_asked_for_its_nodes(call: Any, hub: Any, spoke: Any) -> None:
    put_installed(hub, spoke, "node-1.example.com")
    result = call(hosts=hosts(2), cluster={"name": "demo"})
    assert actions(result) == {"node-1": "skip", "node-2": "boot"}
    assert (result["phase"], result["nodes"]) == ("installed", ["node-1.example.com"])
    assert {request["verb"] for request in hub.requests + spoke.requests} == {"get", "list"}


def test_nodes_that_cannot_be_read_are_for_the_safety_table(call: Any, hub: Any) -> None:
    put_install(hub, "InstallationCompleted", "The installation has completed", "True")
    hub.put("agents", made.agent(1, state="installed", cluster=("lab", "demo")))
    result = call(hosts=hosts(2), cluster=CLUSTER, purpose="install")
    assert (result["boot_hosts"], result["touch_hosts"], result["nodes"]) == ([], ["node-2"], [])
    assert actions(result) == {"node-1": "skip", "node-2": "skip"}


def test_a_failed_installation_is_for_the_safety_table(call: Any, hub: Any) -> None:
    failed = {"type": "Failed", "status": "True", "reason": "InstallationFailed", "message": "bootstrap timed out"}
    put_install(hub, "InstallationFailed", "The installation failed", conditions=[failed])
    hub.put("agents", made.agent(1, state="known", cluster=("lab", "demo")))
    result = call(hosts=hosts(2), cluster=CLUSTER, purpose="install")
    assert (result["phase"], result["touch_hosts"]) == ("failed", ["node-1", "node-2"])


def test_cluster_that_hosts_would_be_bound_to_must_be_there(call: Any, hub: Any) -> None:
    """Before any of them is booted."""
    missing = call(hosts=hosts(1), cluster=CLUSTER, binds=True)
    assert (
        "has no ClusterDeployment lab/demo" in missing["stop"]
        and "deploy_cluster" in missing["stop"]
        and missing["boot_hosts"] == []
    )
    assert call(hosts=hosts(1), cluster=CLUSTER)["boot_hosts"] == ["node-1"]
    hub.put("clusterdeployments", {"metadata": {"name": "demo", "namespace": "lab"}, "spec": {}})
    assert call(hosts=hosts(1), cluster=CLUSTER, binds=True)["boot_hosts"] == ["node-1"]


def test_hosts_of_an_infra_env_with_a_cluster_do_not_come_back(call: Any, hub: Any) -> None:
    hub.put("agents", made.agent(1, state="installed", cluster=("lab", "demo")))
    hub.put(
        "infraenvs",
        {"metadata": {"name": "lab", "namespace": "lab"}, "spec": {"clusterRef": {"name": "demo", "namespace": "lab"}}},
    )
    assert (
        "InfraEnv lab binds its hosts when they register"
        in call(hosts=hosts(1), cluster=CLUSTER, purpose="reprovision")["stop"]
    )
    leaving = call(hosts=hosts(2), cluster=CLUSTER, purpose="remove")
    assert leaving["stop"] == "" and [host["agent"] for host in leaving["hosts"]] == [made.uuid(1), ""]


def test_check_mode_and_mistakes(call: Any, hub: Any) -> None:
    hub.put("agents", made.agent(1))
    predicted = call(hosts=hosts(2), _ansible_check_mode=True)
    assert actions(predicted) == {"node-1": "wait", "node-2": "boot"}
    hub.requests.clear()
    wrong = call(hosts=[{"name": "a"}, {"name": "b", "mac_addresses": ["x"]}])
    assert wrong["failed"] and len(wrong["problems"]) == 2
    assert hub.requests == []


def test_the_documented_result_is_the_returned_one(call: Any, hub: Any) -> None:
    hub.put("agents", made.agent(1))
    result = call(hosts=hosts(1))
    documented = yaml.safe_load(hub_plan.RETURN)
    assert set(documented) == set(result) - {"changed", "failed", "invocation", "warnings"}
    assert set(documented["hosts"]["contains"]) == set(result["hosts"][0])
