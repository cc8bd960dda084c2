# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module machine_deployment, called in the test process against the API of a hub: changing the size, removing
named hosts, and waiting.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pools.machine_deployment import wait_status
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pools.observe import Seen
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.pools.plan import ObservedPool
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.machine_status import (
    PoolMachineView,
)
from ansible_collections.zerotouch.openshift.plugins.modules import machine_deployment
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ansible_collections.zerotouch.openshift.tests.support.hub import agents as made
from ansible_collections.zerotouch.openshift.tests.support.hub import server as hubserver

KINDS = {
    "machines": "Machine",
    "agentmachines": "AgentMachine",
    "machinedeployments": "MachineDeployment",
    "agentmachinetemplates": "AgentMachineTemplate",
}
DELETE = "cluster.x-k8s.io/delete-machine"
Call = Callable[..., dict[str, Any]]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for plural, kind in KINDS.items():
        monkeypatch.setitem(hubserver.KINDS, plural, kind)
    server = hubserver.HubServer()
    versions = {"kind": "APIGroup", "name": "cluster.x-k8s.io", "versions": [{"version": "v1beta1"}]}
    server.faults.append(lambda request: (200, {}, versions) if request["path"] == "/apis/cluster.x-k8s.io" else None)
    template = {"spec": {"infrastructureRef": {"kind": "AgentMachineTemplate", "name": "pool-1"}}}
    body = {
        "metadata": {"name": "pool", "namespace": "edge", "generation": 1},
        "spec": {"clusterName": "edge", "replicas": 2, "template": template},
    }
    server.put(
        "machinedeployments", {**body, "status": {"readyReplicas": 2, "updatedReplicas": 2, "observedGeneration": 1}}
    )
    server.put(
        "agentmachinetemplates",
        {"metadata": {"name": "pool-1", "namespace": "edge"}, "spec": {"template": {"spec": {}}}},
    )
    for number in (1, 2):
        put_machine(server, number)
    yield server
    server.stop()


def put_machine(hub: Any, number: int) -> None:
    name = f"pool-{number}"
    about = {"name": name, "namespace": "edge", "labels": {"cluster.x-k8s.io/deployment-name": "pool"}}
    hub.put("machines", {"metadata": about, "spec": {}, "status": {"nodeRef": {"name": f"node-{number}"}}})
    hub.put(
        "agentmachines",
        {
            "metadata": {"name": name, "namespace": "edge"},
            "status": {"agentRef": {"namespace": "lab", "name": made.uuid(number)}},
        },
    )
    hub.put(
        "agents",
        made.agent(
            number,
            state="added-to-existing-cluster",
            cluster=("edge", "edge"),
            approved=True,
            hostname=f"node-{number}",
        ),
    )


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], hub: Any) -> Call:
    def call_module(**arguments: Any) -> dict[str, Any]:
        provided = {
            "kubeconfig": hub.kubeconfig,
            "namespace": "edge",
            "name": "pool",
            "agent_namespace": "lab",
            **arguments,
        }
        with patch_module_args(provided), pytest.raises(SystemExit):
            machine_deployment.main()
        return dict(json.loads(capfd.readouterr().out))

    return call_module


def core(hub: Any, plural: str, obj: dict[str, Any]) -> None:
    """Cluster API as far as it matters here: marked Machines go when the number shrinks, others come when it grows."""
    if plural != "machinedeployments":
        return
    wanted = obj["spec"]["replicas"]
    machines = sorted(
        (item for (kind, _, _), item in hub.objects.items() if kind == "machines"),
        key=lambda item: DELETE not in (item["metadata"].get("annotations") or {}),
    )
    for machine in machines[: max(0, len(machines) - wanted)]:
        hub.remove(machine["metadata"]["name"], "edge", "machines")
    for number in range(len(machines) + 1, wanted + 1):
        put_machine(hub, number)
    status = {"readyReplicas": wanted, "updatedReplicas": wanted, "observedGeneration": obj["metadata"]["generation"]}
    hub.change("pool", "edge", "machinedeployments", status=status)


def test_up_and_a_second_time(hub: Any, call: Call) -> None:
    hub.react = core
    first = call(replicas=3, wait_for="ready", timeout=20)
    assert (first["changed"], first["replicas"], first["ready"]) == (True, 3, 3)
    assert [(machine["name"], machine["state"]) for machine in first["machines"]] == [
        ("pool-1", "running"),
        ("pool-2", "running"),
        ("pool-3", "running"),
    ]
    writes = len(hub.patches())
    again = call(replicas=3, wait_for="ready", timeout=20)
    assert (again["changed"], again["plan"], len(hub.patches())) == (False, [], writes)


def test_exactly_the_named_host_goes(hub: Any, call: Call) -> None:
    hub.react = core
    result = call(remove=["node-2"], wait_for="replicas", timeout=20)
    assert result["plan"] == [
        f"patch Machine edge/pool-2: its host must leave the pool: Cluster API deletes this Machine first ({DELETE})",
        "patch MachineDeployment edge/pool: spec.replicas: 2 -> 1",
    ]
    assert [machine["name"] for machine in result["machines"]] == ["pool-1"]
    assert "resourceVersion" in hub.patches()[-1]["body"]["metadata"], (
        "the number must not have changed since it was counted"
    )
    again = call(remove=["node-2"])
    assert (again["changed"], again["replicas"]) == (False, 1), "its Agent is known, and it is not in the pool any more"


def test_check_mode_writes_nothing(hub: Any, call: Call) -> None:
    result = call(remove=["node-1"], wait_for="ready", _ansible_check_mode=True)
    assert result["changed"] and all(request["dry"] for request in hub.patches())
    assert hub.get("pool", "edge", "machinedeployments")["spec"]["replicas"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"replicas": 2, "remove": ["node-1"]}, "After the removal of node-1 it has 1, but replicas is 2"),
        ({"remove": ["unknown"]}, "unknown is no host"),
        ({"name": "other", "replicas": 1}, "There is no MachineDeployment edge/other"),
        ({"replicas": 3, "wait_for": "ready", "timeout": 0.01}, "2 of 3 Machines are there, after 0.01 s"),
    ],
)
def test_what_cannot_be_done(hub: Any, call: Call, arguments: dict[str, Any], words: str) -> None:
    result = call(**arguments)
    assert result["failed"] and words in result["msg"], result["msg"]


def test_what_is_waited_for() -> None:
    found = {"metadata": {"generation": 2}, "status": {"observedGeneration": 2, "readyReplicas": 1}}
    pool = ObservedPool("MachineDeployment edge/pool")

    def seen(*machines: PoolMachineView, unmade: tuple[str, ...] = ()) -> Seen:
        return Seen(pool, machines, unmade=unmade)

    runs, waits, goes = (
        PoolMachineView("a", "edge", state="running"),
        PoolMachineView("b", "edge", state="no-suitable-agent"),
        PoolMachineView("c", "edge", state="draining", leaving=True),
    )
    assert (
        wait_status(found, seen(runs), 1, "ready")
        == wait_status(found, seen(runs, waits), 2, "replicas")
        == wait_status(found, seen(waits, goes), 1, "accepted")
        == ""
    )
    assert wait_status(found, seen(runs, waits, unmade=("b",)), 2, "accepted") == "b without an AgentMachine so far"
    assert wait_status(found, seen(runs, goes), 1, "replicas") == "1 Machine is still going: c: draining"
    assert (
        wait_status(found, seen(runs), 2, "replicas")
        == wait_status(found, seen(runs), 2, "accepted")
        == "1 of 2 Machines are there"
    )
    assert wait_status(found, seen(runs, waits), 2, "ready") == "1 Machine is not running: b: no-suitable-agent"
    assert wait_status(found, seen(runs, runs), 2, "ready") == "1 of 2 Machines are ready"
    late = {"metadata": {"generation": 3}, "status": {"observedGeneration": 2, "readyReplicas": 1}}
    assert "has not looked" in wait_status(late, seen(runs), 1, "ready")
