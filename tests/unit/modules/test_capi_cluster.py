# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module capi_cluster, called in the test process against a hub in memory: it creates and changes the objects of a
cluster, and removes them in an order that loses no Agents.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.cluster import run as cluster_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.cluster import unit as cluster_unit
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.modules import capi_cluster
from ansible_collections.zerotouch.openshift.tests.support.hub import capi as world

NS = "site"
PROVIDER = "capi-provider.agent-install.openshift.io"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Any:
    return connected(world.Hub(), monkeypatch)


def connected(hub: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    hub.put("namespaces", {"metadata": {"name": NS}})
    monkeypatch.setattr(cluster_run, "connect", lambda *_args, **options: hub.in_check_mode(options["check_mode"]))
    return hub


def pool(name: str = "large", **more: Any) -> dict[str, Any]:
    provided = dict.fromkeys(
        (
            "replicas",
            "version",
            "node_drain_timeout",
            "node_volume_detach_timeout",
            "node_deletion_timeout",
            "deletion_order",
        )
    )
    bootstrap = {"data_secret_name": "user-data", "config_ref": None}
    return {
        **provided,
        "name": name,
        "agent_label_selector": {"matchLabels": {"size": name}},
        "bootstrap": bootstrap,
        "labels": {},
        **more,
    }


def opened(*, check_mode: bool = False, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in capi_cluster.argument_spec().items()}
    control_plane = {"api_group": "hypershift.openshift.io", "kind": "HostedControlPlane", "name": None}
    endpoint = {"host": "api.c1.example.com", "port": 6443}
    ignition = {"url": "https://ign.example.com/ignition", "ca_certificate": {"name": "ca", "namespace": None}}
    provided = {
        "name": "c1",
        "namespace": NS,
        "control_plane": control_plane,
        "control_plane_endpoint": endpoint,
        "ignition_endpoint": ignition,
    }
    call = Call({**params, **provided, **options}, check_mode=check_mode)
    return {**perform(capi_cluster.run, call), "warnings": call.warnings}


def names(hub: Any, plural: str) -> list[str]:
    return sorted(name for kind, _ns, name in hub.objects if kind == plural)


def test_check_run_run_again(hub: Any) -> None:
    planned = opened(check_mode=True, machine_deployments=[pool()])
    assert planned["changed"] and not hub.writes
    done = opened(machine_deployments=[pool()])
    assert done["changed"] and done["plan"] == planned["plan"] and not done["failed"]
    assert not opened(machine_deployments=[pool()])["changed"]
    cluster = hub.at("clusters", "c1", NS)
    assert cluster["spec"] == {
        "controlPlaneRef": {"apiGroup": "hypershift.openshift.io", "kind": "HostedControlPlane", "name": "c1"},
        "infrastructureRef": {"apiGroup": PROVIDER, "kind": "AgentCluster", "name": "c1"},
    }
    assert hub.at("agentclusters", "c1", NS)["spec"] == {
        "controlPlaneEndpoint": {"host": "api.c1.example.com", "port": 6443},
        "ignitionEndpoint": {
            "url": "https://ign.example.com/ignition",
            "caCertificateReference": {"name": "ca", "namespace": NS},
        },
    }
    [template] = names(hub, "agentmachinetemplates")
    assert hub.at("agentmachinetemplates", template, NS)["spec"] == {
        "template": {"spec": {"agentLabelSelector": {"matchLabels": {"size": "large"}}}}
    }
    labels = {"cluster.x-k8s.io/cluster-name": "c1", "cluster.x-k8s.io/deployment-name": "large"}
    assert hub.at("machinedeployments", "large", NS)["spec"] == {
        "clusterName": "c1",
        "replicas": 0,
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {
                "clusterName": "c1",
                "bootstrap": {"dataSecretName": "user-data"},
                "infrastructureRef": {"apiGroup": PROVIDER, "kind": "AgentMachineTemplate", "name": template},
            },
        },
    }


def test_the_older_version_of_cluster_api(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = connected(world.Hub(core=("v1beta1",)), monkeypatch)
    opened(machine_deployments=[pool(node_drain_timeout=600, deletion_order="Oldest", replicas=2)])
    [template] = names(hub, "agentmachinetemplates")
    spec = hub.at("machinedeployments", "large", NS)["spec"]
    assert spec["template"]["spec"]["infrastructureRef"] == {
        "apiVersion": f"{PROVIDER}/v1beta1",
        "kind": "AgentMachineTemplate",
        "name": template,
        "namespace": NS,
    }
    assert spec["template"]["spec"]["nodeDrainTimeout"] == "10m0s" and spec["replicas"] == 2
    assert spec["strategy"] == {"type": "RollingUpdate", "rollingUpdate": {"deletePolicy": "Oldest"}}


def test_time_limits_and_order_in_the_newer_version(hub: Any) -> None:
    opened(machine_deployments=[pool(node_drain_timeout=0, node_deletion_timeout=60, deletion_order="Newest")])
    spec = hub.at("machinedeployments", "large", NS)["spec"]
    assert spec["deletion"] == {"order": "Newest"}
    assert spec["template"]["spec"]["deletion"] == {"nodeDrainTimeoutSeconds": 0, "nodeDeletionTimeoutSeconds": 60}


def test_unset_replicas_stay(hub: Any) -> None:
    opened(machine_deployments=[pool(replicas=3)])
    hub.change("machinedeployments", "large", {"spec": {"replicas": 5}}, NS)
    assert not opened(machine_deployments=[pool()])["changed"]
    assert hub.at("machinedeployments", "large", NS)["spec"]["replicas"] == 5


def test_another_selector_is_another_template(hub: Any) -> None:
    opened(machine_deployments=[pool()])
    [old] = names(hub, "agentmachinetemplates")
    reference = {"apiGroup": PROVIDER, "kind": "AgentMachineTemplate", "name": old}
    machine_set = {
        "metadata": {"name": "large-1", "namespace": NS},
        "spec": {"clusterName": "c1", "template": {"spec": {"infrastructureRef": reference}}},
    }
    hub.put("machinesets", machine_set)
    result = opened(machine_deployments=[pool(agent_label_selector={"matchLabels": {"size": "huge"}})])
    assert len(names(hub, "agentmachinetemplates")) == 2 and any(
        "its Machines are replaced" in text for text in result["warnings"]
    )
    hub.remove("machinesets", NS, "large-1")
    again = opened(machine_deployments=[pool(agent_label_selector={"matchLabels": {"size": "huge"}})])
    assert again["plan"] == [f"delete AgentMachineTemplate {NS}/{old}: no Machine is made from it any more"]
    assert old not in names(hub, "agentmachinetemplates")


def test_killed_at_every_write_and_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made, changed and removed; whatever the last run came to, the next one goes on."""

    def story(hub: Any) -> None:
        if ("clusters", NS, "c1") in hub.objects or not hub.calls["write"] or hub.story == "making":
            opened(machine_deployments=[pool(), pool("two")])
            opened(
                machine_deployments=[
                    pool(replicas=2),
                    pool("two", agent_label_selector={"matchLabels": {"size": "other"}}),
                ]
            )
        hub.story = "removing"
        opened(state="absent", wait_for="gone", timeout=60.0)

    def new() -> Any:
        hub = connected(world.Hub(), monkeypatch)
        hub.story = "making"
        return hub

    monkeypatch.setattr(cluster_unit, "RECHECK", 0.01)
    undisturbed = new()
    story(undisturbed)
    assert names(undisturbed, "clusters") == [] and undisturbed.calls["write"] > 10
    for number in range(undisturbed.calls["write"]):
        hub = new()
        hub.dies_after = number
        with pytest.raises(world.Died):
            story(hub)
        hub.revive()
        story(hub)
        assert {key for key in hub.objects if key[0] != "namespaces"} == set(), number


def test_a_template_that_was_changed(hub: Any) -> None:
    opened(machine_deployments=[pool()])
    [template] = names(hub, "agentmachinetemplates")
    hub.change(
        "agentmachinetemplates",
        template,
        {"spec": {"template": {"spec": {"agentLabelSelector": {"matchLabels": {"size": "other"}}}}}},
        NS,
    )
    assert "does not match the hash in its name" in opened(machine_deployments=[pool()])["msg"]


def test_pools_that_are_not_listed_stay(hub: Any) -> None:
    opened(machine_deployments=[pool("one"), pool("two")])
    assert not opened(machine_deployments=[pool("two")])["changed"]
    assert not opened()["changed"] and names(hub, "machinedeployments") == ["one", "two"]


def test_gone_in_the_order_that_loses_no_agents(hub: Any) -> None:
    opened(machine_deployments=[pool(replicas=1)])
    machine = {
        "metadata": {"name": "large-x", "namespace": NS, "finalizers": ["machine"]},
        "spec": {"clusterName": "c1"},
    }
    hub.put("machines", machine)
    first = opened(state="absent", check_mode=True)
    assert first["plan"] == [f"delete MachineDeployment {NS}/large: the cluster is removed"]
    first = opened(state="absent")
    assert first["remaining"] == ["Machine large-x"] and ("clusters", NS, "c1") in hub.objects
    hub.objects.pop(("machines", NS, "large-x"))
    second = opened(state="absent", wait_for="gone", timeout=30)
    assert not second["failed"] and second["remaining"] == []
    assert not [key for key in hub.objects if key[0] != "namespaces"]
    assert [write for write in hub.writes if write.startswith("delete")][:2] == [
        "delete machinedeployments large",
        "delete clusters c1",
    ]
    assert not opened(state="absent")["changed"]


def test_nothing_of_others_is_deleted(hub: Any) -> None:
    world.stand(hub)
    result = opened(state="absent", namespace=world.NS)
    assert not result["changed"] and "was not created by this collection" in result["stays"][0]
    opened(machine_deployments=[pool()])
    hub.put("machinedeployments", {"metadata": {"name": "theirs", "namespace": NS}, "spec": {"clusterName": "c1"}})
    result = opened(state="absent")
    assert (
        names(hub, "machinedeployments") == ["theirs"]
        and ("clusters", NS, "c1") in hub.objects
        and "theirs stays" in result["stays"][0]
    )


def test_waits(hub: Any) -> None:
    result = opened(wait_for="infrastructure_ready", timeout=0)
    assert result["failed"] and result["changed"] and "the AgentCluster is not ready" in result["msg"]
    hub.change("agentclusters", "c1", {"status": {"ready": True}}, NS)
    opened(machine_deployments=[pool(replicas=2)])
    assert (
        "has not been looked at"
        in opened(machine_deployments=[pool(replicas=2)], wait_for="replicas", timeout=0)["msg"]
    )
    status = {"observedGeneration": 1, "replicas": 2, "availableReplicas": 1, "upToDateReplicas": 2}
    hub.change("machinedeployments", "large", {"status": status}, NS)
    assert (
        "has 1 of 2 replicas available"
        in opened(machine_deployments=[pool(replicas=2)], wait_for="replicas", timeout=0)["msg"]
    )
    hub.change("machinedeployments", "large", {"status": {"availableReplicas": 2}}, NS)
    done = opened(machine_deployments=[pool(replicas=2)], wait_for="replicas", timeout=0)
    assert (
        not done["failed"]
        and done["infrastructure_ready"]
        and done["machine_deployments"][0]["available_replicas"] == 2
    )


def test_a_namespace_that_is_not_there_is_made(hub: Any) -> None:
    planned = opened(namespace="new", check_mode=True)
    assert planned["changed"] and planned["plan"][0].startswith("create Namespace new")
    opened(namespace="new")
    assert ("agentclusters", "new", "c1") in hub.objects


@pytest.mark.parametrize(
    ("provided", "words"),
    [
        (pool(replicas=-1), "machine_deployments[large].replicas"),
        (pool(bootstrap={"data_secret_name": None, "config_ref": None}), "exactly one of"),
        (
            pool(agent_label_selector={"matchExpressions": [{"key": "a", "operator": "Like"}]}),
            "machine_deployments[large].agent_label_selector",
        ),
        (pool("x" * 60), "leave room for the names"),
    ],
)
def test_misuse(hub: Any, provided: dict[str, Any], words: str) -> None:
    result = opened(machine_deployments=[provided])
    assert result["failed"] and words in result["msg"] and not hub.writes


def test_a_pool_twice_and_no_port(hub: Any) -> None:
    result = opened(machine_deployments=[pool(), pool()], control_plane_endpoint={"host": "h", "port": 0})
    assert "listed more than once" in result["msg"] and "control_plane_endpoint.port" in result["msg"]
