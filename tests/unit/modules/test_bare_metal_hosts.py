# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module bare_metal_hosts, called in the test process. One function simulates the hub's baremetal-operator."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.bare_metal_hosts import run as use_case
from ansible_collections.zerotouch.openshift.plugins.modules import bare_metal_hosts
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ansible_collections.zerotouch.openshift.tests.support.hub import infra as infrahub

PASSWORD = "calvin-and-hobbes"
NAMES = ("worker-0", "worker-1")


class BareMetalHub(infrahub.InfraHub):
    """A hub; ``wrong`` names the hosts whose BMC rejects every password, ``silent`` those that the operator ignores."""

    def __init__(self) -> None:
        super().__init__()
        infrahub.hubserver.KINDS.update({"baremetalhosts": "BareMetalHost"})
        self.wrong: set[str] = set()
        self.silent: set[str] = set()
        self.react = lambda hub, plural, obj: hub.operate(plural, obj)
        self.put("infraenvs", {"metadata": {"name": "site", "namespace": "lab"}, "spec": {}})

    def operate(self, plural: str, obj: dict[str, Any]) -> None:
        with self.lock:
            for (kind, _namespace, name), host in list(self.objects.items()):
                if kind == "baremetalhosts" and name not in self.silent:
                    self.put("baremetalhosts", {**host, "status": self.operated(name)})

    def operated(self, name: str) -> dict[str, Any]:
        if name in self.wrong:
            words = "MAC address and credentials refused: 401"
            return {
                "operationalStatus": "error",
                "errorType": "registration error",
                "errorMessage": words,
                "provisioning": {"state": "registering"},
            }
        return {"operationalStatus": "OK", "poweredOn": True, "provisioning": {"state": "available"}}

    def of(self, plural: str) -> dict[str, dict[str, Any]]:
        return {name: obj for (kind, _namespace, name), obj in self.objects.items() if kind == plural}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(use_case, "DOUBT", 0.3)
    server = BareMetalHub()
    yield server
    server.stop()


@pytest.fixture
def call(hub: Any, capfd: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def call_module(**arguments: Any) -> dict[str, Any]:
        common = {"kubeconfig": hub.kubeconfig, "namespace": "lab", "infra_env_name": "site", "timeout": 20}
        with patch_module_args({**common, **arguments}), pytest.raises(SystemExit):
            bare_metal_hosts.main()
        output = capfd.readouterr().out
        assert PASSWORD not in output and base64.b64encode(PASSWORD.encode()).decode() not in output
        return dict(json.loads(output))

    return call_module


def hosts(*names: str, **more: Any) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "boot_mac_address": f"52:54:00:00:00:0{name[-1]}",
            "bmc": {"address": f"redfish-virtualmedia://192.0.2.1{name[-1]}", "username": "root", "password": PASSWORD},
            **more,
        }
        for name in names
    ]


def test_check_run_run_again_absent(call: Any, hub: Any) -> None:
    wanted = hosts(*NAMES, role="worker")
    predicted = call(hosts=wanted, _ansible_check_mode=True, _ansible_diff=True)
    assert predicted["changed"] and hub.of("baremetalhosts") == {} and len(predicted["plan"]) == 4
    done = call(hosts=wanted, _ansible_diff=True)
    assert [(host["state"], host["powered_on"], host["changed"], host["failed"]) for host in done["hosts"]] == [
        ("available", True, True, False)
    ] * 2
    assert '"password": "<hidden>' in done["diff"][0]["after"]
    assert set(hub.of("secrets")) == {"worker-0-bmc-secret", "worker-1-bmc-secret"}
    hub.requests.clear()
    again = call(hosts=wanted)
    assert (again["changed"], again["plan"]) == (False, [])
    assert hub.calls() == {"list": 2, "get": 1}, "BareMetalHosts, Secrets and the InfraEnv are all that is read"
    names = [{"name": name} for name in NAMES]
    assert call(state="absent", hosts=names, _ansible_check_mode=True)["changed"] and len(hub.of("baremetalhosts")) == 2
    gone = call(state="absent", hosts=names)
    assert [step.split()[1] for step in gone["done"]] == ["BareMetalHost", "BareMetalHost", "Secret", "Secret"]
    assert hub.of("baremetalhosts") == hub.of("secrets") == {}
    assert not call(state="absent", hosts=names)["changed"]


def test_a_host_that_must_not_be_booted_gets_none(call: Any, hub: Any) -> None:
    done = call(hosts=[*hosts("worker-0"), *hosts("worker-1", create=False)])
    assert (
        set(hub.of("baremetalhosts")) == set(hub.of("secrets")) - {"worker-0-bmc-secret"} | {"worker-0"} == {"worker-0"}
    )
    assert [host["name"] for host in done["hosts"]] == ["worker-0"]
    again = call(hosts=[*hosts("worker-0", create=False), *hosts("worker-1", create=False)])
    assert not again["changed"] and [host["name"] for host in again["hosts"]] == ["worker-0"]


def test_the_host_of_another_deployment_is_not_deleted(call: Any, hub: Any) -> None:
    """It has the name of a host of the caller: another machine, or the same one for another InfraEnv."""
    call(hosts=hosts("worker-0", "worker-1"))
    other = [{**hosts("worker-0")[0], "boot_mac_address": "52:54:00:00:00:77"}]
    result = call(state="absent", hosts=other)
    assert not result["changed"] and "another machine" in result["stays"][0]
    result = call(state="absent", hosts=hosts("worker-1"), infra_env_name="next")
    assert not result["changed"] and "InfraEnv site" in result["stays"][0]
    assert set(hub.of("baremetalhosts")) == {"worker-0", "worker-1"}


def test_a_namespace_is_made(call: Any, hub: Any) -> None:
    predicted = call(hosts=hosts("worker-0"), namespace="new", wait=False, _ansible_check_mode=True)
    assert predicted["plan"][0].startswith("create Namespace new") and len(predicted["done"]) == 3
    call(hosts=hosts("worker-0"), namespace="new", wait=False)
    assert "new" in hub.namespaces


def test_mistakes_are_reported_before_the_hub_is_asked(call: Any, hub: Any) -> None:
    result = call(hosts=[{"name": "a"}, *hosts("worker-0", role="worker", hostname="A")])
    assert result["failed"] and not hub.requests
    assert [problem["path"] for problem in result["problems"]] == [
        "hosts[0].boot_mac_address",
        "hosts[0].bmc",
        "hosts[1].hostname",
    ]
    assert "infra_env_name" in call(hosts=[], infra_env_name=None)["msg"]


def test_a_bmc_that_refuses_the_credentials(call: Any, hub: Any) -> None:
    hub.wrong.add("worker-1")
    result = call(hosts=hosts(*NAMES))
    assert result["failed"] and result["changed"]
    assert result["msg"] == (
        "1 of 2 BareMetalHosts are not registered:\nworker-1: registration error: MAC address and credentials "
        "refused: 401"
    )
    assert [(host["failed"], host["error"]) for host in result["hosts"]] == [
        (False, ""),
        (True, "registration error: MAC address and credentials refused: 401"),
    ]
    hub.wrong.clear()
    fixed = hosts(*NAMES)
    fixed[1]["bmc"]["username"] = "administrator"
    assert call(hosts=fixed)["done"] == ["patch Secret lab/worker-1-bmc-secret: data.username: differs"]


def test_an_operator_that_does_nothing(call: Any, hub: Any) -> None:
    hub.silent.add("worker-0")
    result = call(hosts=hosts("worker-0"), timeout=1)
    assert "worker-0: not registered within 1 s: baremetal-operator has not looked at it yet" in result["msg"]


def test_a_cluster_is_reported_once_the_agent_can_be_bound(call: Any, hub: Any) -> None:
    wanted = hosts("worker-0", cluster={"name": "edge"})
    annotation = "bmac.agent-install.openshift.io/cluster-reference"
    first = call(hosts=wanted)
    assert first["hosts"][0]["waits_for"] == "it is bound to lab/edge once its Agent is there and known-unbound"
    labels = {"agent-install.openshift.io/bmh": "worker-0"}
    agent = {
        "metadata": {"name": "a", "namespace": "lab", "labels": labels},
        "spec": {},
        "status": {"debugInfo": {"state": "insufficient-unbound"}},
    }
    hub.put("agents", agent)
    hub.faults.append(lambda request: None if request["selector"] != "agent-install.openshift.io/bmh" else managed(hub))
    assert "once its Agent is known-unbound: it is insufficient-unbound" in call(hosts=wanted)["hosts"][0]["waits_for"]
    assert annotation not in hub.of("baremetalhosts")["worker-0"]["metadata"]["annotations"]
    hub.change("a", status={"debugInfo": {"state": "known-unbound"}})
    reported = call(hosts=wanted)
    assert (reported["changed"], reported["hosts"][0]["waits_for"]) == (True, "")
    assert hub.of("baremetalhosts")["worker-0"]["metadata"]["annotations"][annotation] == "lab/edge"
    hub.change(
        "a",
        spec={"clusterDeploymentName": {"name": "edge", "namespace": "lab"}},
        status={"debugInfo": {"state": "installing"}},
    )
    assert not call(hosts=wanted)["changed"]
    refused = call(state="absent", hosts=wanted)
    assert refused["failed"] and "so that the machine would be switched off" in refused["msg"]
    assert hub.of("baremetalhosts") and hub.of("secrets")


def managed(hub: Any) -> tuple[int, dict[str, str], dict[str, Any]]:
    """The Agents with the label, whatever its value."""
    return (
        200,
        {},
        {
            "kind": "AgentList",
            "apiVersion": "agent-install.openshift.io/v1beta1",
            "metadata": {},
            "items": list(hub.of("agents").values()),
        },
    )


def test_a_host_that_does_not_go_keeps_its_credentials(call: Any, hub: Any) -> None:
    call(hosts=hosts("worker-0"))
    hub.faults.append(infrahub.hubserver.times(1, "delete", lambda request: (200, {}, {})))
    result = call(state="absent", hosts=[{"name": "worker-0"}], timeout=1)
    assert (
        result["failed"]
        and "were not deleted within 1 s" in result["msg"]
        and "Their Secrets are kept" in result["msg"]
    )
    assert result["changed"] and set(hub.of("secrets")) == {"worker-0-bmc-secret"}
    early = call(state="absent", hosts=[{"name": "worker-0"}], wait=False)
    assert early["stays"] == ["Secret lab/worker-0-bmc-secret is needed until its BareMetalHost is deleted: run again"]
    assert call(state="absent", hosts=[{"name": "worker-0"}], wait=False)["changed"] and not hub.of("secrets")


def test_what_is_refused_is_accounted_for(call: Any, hub: Any) -> None:
    forbidden = infrahub.hubserver.status(
        403, "Forbidden", ('baremetalhosts.metal3.io is forbidden: User "x" cannot create resource "baremetalhosts"')
    )
    hub.faults.append(
        lambda request: (
            forbidden if request["verb"] == "create" and request["path"].endswith("baremetalhosts") else None
        )
    )
    result = call(hosts=hosts(*NAMES))
    assert result["failed"] and len(result["done"]) == 2 and "2 of 4 changes were made, 2 were not." in result["msg"]
    assert 'with the rule {apiGroups: ["metal3.io"], resources: ["baremetalhosts"], verbs: ["create"]}' in result["msg"]


def test_a_hub_without_baremetal_operator(call: Any, hub: Any) -> None:
    missing = infrahub.hubserver.status(404, "NotFound", "the server could not find the requested resource")
    hub.faults.append(lambda request: missing if "metal3" in request["path"] else None)
    assert "has no BareMetalHosts" in call(hosts=hosts("worker-0"))["msg"]
