# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test method capi through the whole life of a cluster, from creation to deletion: the playbooks run against a lab's
hub with the OpenShift Assisted providers and Metal3.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import BARE_METAL_HOST, NAMESPACE
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import connect

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import LIMIT, Deployment, Run

CONFIRMED = {"openshift_confirm": "edge"}
WORKERS = {f"worker-{number}" for number in range(5)}


class Edge:
    """Three control plane hosts, and five workers of which three become Machines."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment, self.lab = deployment, deployment.lab

    def played(self, playbook: str, *options: str, **extra: Any) -> Run:
        run = self.deployment.run(playbook, *options, extra=extra)
        assert run.ok and "Traceback" not in run.output, run.output
        return run

    def twice(self, playbook: str, **extra: Any) -> Run:
        """Played, and again without a change.

        The BMCs are the hub's: its operator may still power a host off that a Machine has left.
        """
        first = self.played(playbook, **extra)
        assert first.changed, first.output
        second = self.played(playbook, **extra)
        assert not second.changed, second.output
        return first

    def off(self, machine: str) -> bool:
        """Whether the hub's operator powers a machine off."""
        deadline = time.monotonic() + LIMIT
        while self.lab.powers()[machine] != "Off" and time.monotonic() < deadline:
            time.sleep(0.5)
        return self.lab.powers()[machine] == "Off"

    def refused(self, playbook: str, **extra: Any) -> Run:
        """Refused before anything is touched."""
        return self.deployment.stopped(playbook, extra=extra)

    def nodes(self) -> set[str]:
        return {name for name, state in self.lab.nodes("edge").items() if state == "Ready"}

    def workers(self) -> set[str]:
        return self.nodes() & WORKERS


@pytest.fixture(scope="module")
def edge(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    """Deployed."""
    directory = tmp_path_factory.mktemp("capi")
    made = Edge(
        Deployment(make_lab(directory, canary_site("capi", directory)), canary_inventory("capi", directory), directory)
    )
    planned = made.played("deploy_cluster", "--check")
    assert made.lab.writes() == dict.fromkeys(made.lab.writes(), 0), "check mode wrote to a BMC"
    first = made.played("deploy_cluster")
    # Which BareMetalHosts Machines get is up to Metal3: the first by name.
    for line in (
        "create BareMetalHost edge/worker-4",
        "create Cluster edge/edge",
        "wait until the cluster is ready",
        "would boot master-0",
    ):
        assert line in planned.output, planned.output
    assert "6 nodes ready" in first.output
    # The live report of the first run, and its events.
    assert "live report: http" in first.output
    events = [
        json.loads(line)["event"] for line in (made.deployment.work_dir / "events.jsonl").read_text().splitlines()
    ]
    assert (events[0], events[-1]) == ("started", "finished") and {"phase", "host", "line"} <= set(events), events
    yield made


def test_deployed_twice(edge: Edge) -> None:
    assert edge.nodes() == {"master-0", "master-1", "master-2", "worker-0", "worker-1", "worker-2"}
    before = edge.lab.writes()
    again = edge.played("deploy_cluster")
    assert again.changed == 0 and edge.lab.writes() == before
    assert "No changes are planned." in edge.played("deploy_cluster", "--check").output
    auth = edge.deployment.work_dir / "auth"
    assert {path.name for path in auth.iterdir()} >= {"kubeconfig", "kubeconfig.direct", "kubeadmin-password"}
    state = json.loads((edge.deployment.work_dir / "state.json").read_text())
    assert (state["install"]["method"], state["install"]["phase"]) == ("capi", "installed")
    assert {host["name"] for host in state["cluster"]["hosts"]} == edge.nodes()
    status = edge.played("status")
    assert '"state": "done"' in status.output or "state: done" in status.output, status.output


def test_another_deployment_leaves_the_machines_alone(edge: Edge) -> None:
    """Another inventory of the same machines, without a record: their BareMetalHosts have another owner (row 2)."""

    def renamed(inventory: dict[str, Any]) -> None:
        variables = inventory["all"]["vars"]
        variables["openshift_cluster"]["name"] = "other"
        variables["openshift_capi"]["machine_deployments"][0]["name"] = "other-workers"
        variables["openshift_hub"]["namespace"] = "edge"

    other = edge.deployment.described_as(renamed).beside("other")
    stopped = other.stopped("deploy_cluster", extra={"openshift_force": "take_over"})
    assert "BareMetalHost edge/master-0" in stopped.message and "Release the host there first" in stopped.message
    # With another method, too.
    stopped = edge.deployment.beside("as-hub").stopped(
        "deploy_cluster", extra={"openshift_install_method": "hub", "openshift_force": "take_over"}
    )
    assert "belongs to OpenshiftAssistedControlPlane edge of Cluster API" in stopped.output, stopped.output


DECIDED_BEFORE = """
- hosts: localhost
  connection: local
  gather_facts: false
  vars: {ansible_python_interpreter: "{{ ansible_playbook_python }}", capi_install_purpose: add, capi_install_command: add_hosts}
  tasks:
    - ansible.builtin.import_role: {name: zerotouch.openshift.capi_install, tasks_from: plan}
    - name: The other owner comes now
      ansible.builtin.wait_for: {path: "{{ arrived }}", timeout: 60}
    - ansible.builtin.import_role: {name: zerotouch.openshift.capi_install, tasks_from: apply}
"""  # noqa: E501


def test_another_owner_comes_between_the_decision_and_the_first_write(edge: Edge) -> None:
    """Metal3 would boot the machine as soon as it had our BareMetalHost: the module takes the decision again."""
    playbook, arrived = edge.deployment.directory / "between.yml", edge.deployment.directory / "arrived"
    playbook.write_text(DECIDED_BEFORE)
    group = json.loads(edge.deployment.inventory.read_text())["all"]["children"]["workers"]["hosts"]
    address = group["worker-3"]["openshift_host"]["bmc"]["address"]
    metadata = {"name": "theirs", "namespace": "metal", "annotations": {"baremetalhost.metal3.io/paused": ""}}
    spec = {"online": True, "bmc": {"address": address, "credentialsName": "theirs"}}
    theirs = {"apiVersion": "metal3.io/v1alpha1", "kind": "BareMetalHost", "metadata": metadata, "spec": spec}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "metal"}}
    hub = connect({**edge.lab.vars["openshift_hub"], "connect_to": edge.lab.vars["openshift_connect_to"]})
    before = hub.list(BARE_METAL_HOST.path("edge"))

    def come(_process: int, _output: str) -> None:
        hub.create(NAMESPACE.path(), namespace)
        hub.create(BARE_METAL_HOST.path("metal"), theirs)
        arrived.touch()

    run, _took = edge.deployment.watched(
        lambda output: "The other owner comes now" in output,
        come,
        playbook=str(playbook),
        extra={"openshift_hosts": ["worker-3", "worker-4"], "arrived": str(arrived)},
    )
    assert not run.ok and "BareMetalHost metal/theirs has its BMC address" in run.message, run.output
    assert hub.list(BARE_METAL_HOST.path("edge")) == before and edge.off("worker-3")
    hub.delete(BARE_METAL_HOST.path("metal", "theirs"))
    hub.close()


def test_scaled_up_and_down(edge: Edge) -> None:
    edge.twice("scale_node_pool", openshift_node_pool={"replicas": 5})
    assert edge.workers() == WORKERS
    refused = edge.refused("scale_node_pool", openshift_node_pool={"replicas": 6})
    assert "needs 1 more hosts for 6 Machines" in refused.message
    refused = edge.refused("scale_node_pool", openshift_node_pool={"replicas": 3})
    assert "Confirm this with -e openshift_confirm=edge" in refused.message
    edge.twice("scale_node_pool", openshift_node_pool={"replicas": 3, "remove": ["worker-0"]}, **CONFIRMED)
    assert len(edge.workers()) == 3 and "worker-0" not in edge.workers()
    assert edge.off("worker-0")


def test_hosts_are_added_removed_and_installed_again(edge: Edge) -> None:
    # Metal3 chooses among the free hosts of a pool.
    refused = edge.refused("add_hosts", openshift_hosts="worker-0")
    assert "worker-4: its BareMetalHost is free in the same pool" in refused.message, refused.output
    edge.twice("remove_hosts", openshift_hosts="worker-4", **CONFIRMED)
    edge.twice("add_hosts", openshift_hosts="worker-0")
    assert "worker-0" in edge.workers() and len(edge.workers()) == 4
    planned = edge.played("remove_hosts", "--check", openshift_hosts="worker-0", **CONFIRMED)
    assert "delete BareMetalHost edge/worker-0" in planned.output and edge.lab.powers()["worker-0"] == "On"
    edge.twice("remove_hosts", openshift_hosts="worker-0", **CONFIRMED)
    assert "worker-0" not in edge.workers() and len(edge.workers()) == 3 and edge.off("worker-0")
    # A deployment does not bring it back.
    edge.played("deploy_cluster")
    assert edge.off("worker-0")
    for playbook in ("remove_hosts", "reprovision_hosts"):
        refused = edge.refused(playbook, openshift_hosts="master-1", **CONFIRMED)
        assert "it is a host of the control plane" in refused.message
    name = sorted(edge.workers())[0]
    boots = len(edge.lab.boots()[name])
    edge.played("reprovision_hosts", openshift_hosts=name, **CONFIRMED)
    assert len(edge.workers()) == 3 and len(edge.lab.boots()[name]) >= boots


def test_upgraded(edge: Edge) -> None:
    edge.twice("deploy_cluster", openshift_version="4.22.3")
    refused = edge.refused("deploy_cluster")
    assert "OpenShift does not return to an older version" in refused.output


def test_destroyed_twice(edge: Edge) -> None:
    refused = edge.refused("destroy_cluster")
    assert "confirm with -e openshift_confirm=edge" in refused.message
    planned = edge.played("destroy_cluster", "--check", **CONFIRMED)
    assert (
        "would delete Cluster edge/edge" in planned.output
        and "would delete Secret edge/master-0-bmc-secret" in planned.output
    )
    edge.twice("destroy_cluster", **CONFIRMED)
    assert set(edge.lab.powers().values()) == {"Off"}
    edge.lab.assert_nothing_left()
    assert (
        not (edge.deployment.work_dir / "state.json").exists()
        and (edge.deployment.work_dir / "auth" / "kubeconfig").exists()
    )
