# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module capi_plan, called in the test process against a hub in memory: which facts it reads from Machines, pools
and BareMetalHosts, and that it writes nothing.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.modules import capi_plan
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import NS, AssistedHub

POOLS = [
    {"name": "control-plane", "replicas": None, "hosts": ["host-1"]},
    {"name": "workers", "replicas": None, "hosts": ["host-2", "host-3"]},
]
OURS = {"app.kubernetes.io/managed-by": "zerotouch.openshift", "zerotouch.openshift/capi-cluster": "c1"}
CLUSTER = {"cluster.x-k8s.io/cluster-name": "c1"}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> AssistedHub:
    hub = AssistedHub()
    monkeypatch.setattr(capi_plan, "connect", lambda *_args, **options: hub.in_check_mode(options["check_mode"]))
    return hub


def planned(hub: AssistedHub, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in capi_plan.argument_spec().items()}
    call = Call(
        {**params, "name": "c1", "namespace": NS, "pools": POOLS, "names": [], **options}, check_mode=True, diff=False
    )
    result = perform(capi_plan.run, call)
    assert not hub.writes
    return result


def put_host(hub: AssistedHub, name: str, consumer: str = "", **labels: str) -> None:
    spec = {"consumerRef": {"kind": "Metal3Machine", "name": consumer}} if consumer else {}
    hub.put("baremetalhosts", {"metadata": {"name": name, "namespace": NS, "labels": labels or OURS}, "spec": spec})


def put_machine(hub: AssistedHub, name: str, pool: str, node: str = "") -> None:
    label = (
        {"cluster.x-k8s.io/control-plane": ""}
        if pool == "control-plane"
        else {"cluster.x-k8s.io/deployment-name": pool}
    )
    status = {"nodeRef": {"name": node}} if node else {"phase": "Pending"}
    spec = {
        "clusterName": "c1",
        "bootstrap": {},
        "infrastructureRef": {"kind": "Metal3Machine", "name": f"infra-{name}"},
    }
    hub.put(
        "machines",
        {"metadata": {"name": name, "namespace": NS, "labels": {**CLUSTER, **label}}, "spec": spec, "status": status},
    )


def put_cluster(hub: AssistedHub, state: str = "adding-hosts") -> None:
    hub.put("clusters", {"metadata": {"name": "c1", "namespace": NS, "labels": OURS}, "spec": {}})
    hub.put(
        "openshiftassistedcontrolplanes",
        {"metadata": {"name": "c1", "namespace": NS, "labels": {**OURS, **CLUSTER}}, "spec": {"replicas": 1}},
    )
    hub.put(
        "machinedeployments",
        {
            "metadata": {"name": "workers", "namespace": NS, "labels": CLUSTER},
            "spec": {"clusterName": "c1", "replicas": 1},
        },
    )
    hub.state(state)


def test_an_empty_hub(hub: AssistedHub) -> None:
    found = planned(hub)
    assert not found["failed"] and not found["exists"] and found["sizes"] == {"control-plane": 1, "workers": 2}
    assert found["boot_hosts"] == found["touch_hosts"] == found["described_hosts"] == ["host-1", "host-2", "host-3"]


def test_machines_are_those_of_their_hosts(hub: AssistedHub) -> None:
    put_cluster(hub)
    for number, pool in ((1, "control-plane"), (2, "workers")):
        put_host(hub, f"host-{number}", f"infra-m{number}")
        put_machine(hub, f"m{number}", pool, f"host-{number}")
    put_host(hub, "host-3")
    found = planned(hub)
    assert found["installed"] and found["phase"] == "installed" and found["sizes"] == {} and found["touch_hosts"] == []
    assert [(host["name"], host["action"]) for host in found["hosts"]] == [
        ("host-1", "keep"),
        ("host-2", "keep"),
        ("host-3", "wait"),
    ]
    assert found["pools"][1] == {"name": "workers", "replicas": 1, "current_replicas": 1}
    removed = planned(hub, purpose="remove", names=["host-2"])
    assert (removed["sizes"], removed["delete_first"], removed["release_hosts"]) == ({"workers": 0}, ["m2"], ["host-2"])
    assert planned(hub, purpose="reprovision", names=["host-2"])["recreate"] == ["m2"]
    assert planned(hub, purpose="scale", pool="workers", replicas=3)["stop"].startswith(
        "Pool workers needs 1 more hosts"
    )


def test_a_bare_metal_host_of_another_owner(hub: AssistedHub) -> None:
    put_host(
        hub,
        "host-2",
        **{"app.kubernetes.io/managed-by": "zerotouch.openshift", "zerotouch.openshift/capi-cluster": "c2"},
    )
    found = planned(hub)
    assert found["described_hosts"] == ["host-1", "host-3"] and "host-2" in found["touch_hosts"]


def test_a_hub_without_the_providers(hub: AssistedHub) -> None:
    del hub.kinds["controlplane.cluster.x-k8s.io"]
    found = planned(hub)
    assert found["failed"] and "Install the OpenShift Assisted providers" in found["msg"]


def test_a_failed_installation(hub: AssistedHub) -> None:
    put_cluster(hub, "error")
    install = hub.at("agentclusterinstalls", "c1", NS)
    conditions = [{"type": "Failed", "status": "True", "reason": "InstallationFailed", "message": "bootstrap failed"}]
    conditions += [
        {"type": "Completed", "status": "True", "reason": "InstallationFailed", "message": "bootstrap failed"}
    ]
    hub.put("agentclusterinstalls", {**install, "status": {**install["status"], "conditions": conditions}})
    put_host(hub, "host-1")
    found = planned(hub)
    assert found["phase"] == "failed" and "host-1" in found["touch_hosts"]
