# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a cluster of method assisted, as a user creates it: with mistakes in the input, a host that never registers, and
a run that is killed. The tests share one lab and build on each other.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import Deployment, Run, kill_all

WORKER = {
    "openshift_host": {
        "bmc": {"address": "redfish-virtualmedia+https://10.0.0.43/redfish/v1/Systems/1"},
        "interfaces": [{"name": "enp1s0", "mac_address": "52:54:00:de:03:10"}],
    }
}


@pytest.fixture(scope="module")
def edge(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    directory = tmp_path_factory.mktemp("assisted")
    return Deployment(
        make_lab(directory, canary_site("assisted", directory)), canary_inventory("assisted", directory), directory
    )


def with_further_fields(deployment: Deployment) -> Deployment:
    """A manifest and an override besides, and labels for a host."""
    manifest = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "note", "namespace": "default"},
        "data": {"text": "from the inventory"},
    }

    def change(inventory: dict[str, Any]) -> None:
        further = {
            "extra_manifests": [{"name": "note.yaml", "content": manifest}],
            "install_config_overrides": {"cpuPartitioningMode": "AllNodes"},
        }
        inventory["all"]["vars"]["openshift_cluster"] |= further
        inventory["all"]["children"]["control_plane"]["hosts"]["master-1"]["openshift_agent"] = {
            "node_labels": {"rack": "a"}
        }

    return deployment.described_as(change)


def service(deployment: Deployment) -> dict[str, Any]:
    return dict(deployment.lab.status()["standalone"])


def without_token(run: Run, deployment: Deployment) -> Run:
    """No output shows what opens the service, or its images."""
    assert (
        deployment.lab.vars["openshift_assisted"]["offline_token"] not in run.output
        and "/byapikey/ey" not in run.output
    )
    return run


def test_a_plan_before_anything_exists(edge: Deployment) -> None:
    run = with_further_fields(edge).deployed("--check", "--diff")
    for line in (
        "would create cluster edge",
        "would create manifest openshift/note-0.yaml",
        "would create infra-env edge",
        "would power on",
    ):
        assert line in without_token(run, edge).output, run.output
    assert not edge.work_dir.exists() and set(edge.lab.writes().values()) == {0}
    assert (service(edge)["clusters"], service(edge)["infra_envs"]) == ({}, {})


def test_a_wrong_token_is_reported_in_the_words_of_the_service(edge: Deployment) -> None:
    variables = {**edge.lab.vars["openshift_assisted"], "offline_token": "canary-offline-token-4711"}
    run = edge.refused(extra={"openshift_assisted": variables})
    assert "Invalid refresh token" in run.message and "get a new one" in run.message
    assert "canary-offline-token-4711" not in run.output and service(edge)["clusters"] == {}


def test_a_host_that_never_comes_is_named(edge: Deployment) -> None:
    """Nothing is begun without it; a folder tells what there was to see."""
    edge.lab.fault("no-link", "master-2", count=0)
    run = with_further_fields(edge).refused(extra={"openshift_timeouts": {"discovery": 12}})
    assert "1 of 3 hosts did not appear: master-2" in run.message and "master-2 did not boot the image" in run.message
    folder = Path(run.failure["log_dir"])
    assert folder.parent == edge.work_dir / "logs"
    assert {"cluster.json", "hosts.json", "events.json", "bmc.json", "summary.json"} <= {
        path.name for path in folder.iterdir()
    }
    assert [cluster["status"] for cluster in service(edge)["clusters"].values()] == ["insufficient"]
    edge.lab.clear_faults()


def test_a_run_that_is_killed_is_gone_on_with(edge: Deployment) -> None:
    """Only the missing host is booted again, and no host of an installation ever is."""
    deployment, before = with_further_fields(edge), edge.lab.writes()
    deployment.interrupted(lambda output: "Installation has begun" in output, kill_all)
    writes, sessions = edge.lab.writes(), edge.lab.sessions()
    assert writes["master-2"] > before["master-2"]
    run = without_token(deployment.deployed("-vvv"), edge)
    assert "inserting the image" not in run.output and "Installation is complete" in run.output
    assert set(edge.lab.status()["clusters"][0]["nodes"].values()) == {"Ready"}
    edge.lab.assert_nothing_left(sessions)
    report = json.loads((edge.work_dir / "report.json").read_text())
    assert (report["result"]["method"], report["result"]["phase"]) == ("assisted", "installed")
    assert {path.stat().st_mode & 0o777 for path in (edge.work_dir / "auth").iterdir()} == {0o600}


def test_a_second_run_changes_nothing(edge: Deployment) -> None:
    writes = edge.lab.writes()
    run = with_further_fields(edge).deployed("--diff")
    assert (run.changed, edge.lab.writes()) == (0, writes), run.output
    assert "WARNING" not in run.output and "3 nodes ready" in run.output


def test_a_host_is_added(edge: Deployment) -> None:
    """It is installed, its certificates are approved, its medium is gone; the others are left alone."""
    writes, sessions = edge.lab.writes(), edge.lab.sessions()
    run = without_token(with_worker(with_further_fields(edge)).run("add_hosts", "-vvv"), edge)
    assert run.ok and "/byapikey/<hidden>/" in run.output, run.output
    assert edge.lab.status()["clusters"][0]["nodes"]["worker-0"] == "Ready"
    assert {name for name, count in edge.lab.writes().items() if count > writes[name]} == {"worker-0"}
    edge.lab.assert_nothing_left(sessions)


def with_worker(deployment: Deployment) -> Deployment:
    return deployment.described_as(
        lambda inventory: inventory["all"]["children"].update(workers={"hosts": {"worker-0": with_bmc(inventory)}})
    )


def with_bmc(inventory: dict[str, Any]) -> dict[str, Any]:
    """The worker, with the BMC user that the others have."""
    known = inventory["all"]["children"]["control_plane"]["hosts"]["master-0"]["openshift_host"]["bmc"]
    host = WORKER["openshift_host"]
    return {"openshift_host": {**host, "bmc": {**known, **host["bmc"]}}}


def test_it_is_taken_down(edge: Deployment) -> None:
    """The worker is not in this inventory: its machine is left on only if the user says so."""
    confirmed, before = {"openshift_confirm": "edge"}, (edge.lab.writes(), service(edge)["clusters"])
    abandoned = {**confirmed, "openshift_force": ["abandon_hosts"]}
    for options in (["--check"], []):
        stopped = edge.run("destroy_cluster", *options, extra=confirmed)
        assert not stopped.ok and "worker-0: state.json records" in stopped.message, stopped.output
    planned = edge.run("destroy_cluster", "--check", extra=abandoned)
    assert planned.ok and "worker-0 is not changed" in planned.output, planned.output
    assert (edge.lab.writes(), service(edge)["clusters"]) == before
    run = edge.run("destroy_cluster", extra=abandoned)
    assert run.ok and "worker-0 is not changed" in run.output, run.output
    assert (service(edge)["clusters"], service(edge)["infra_envs"]) == ({}, {})
    assert {machine["name"]: machine["power"] for machine in edge.lab.status()["machines"]} == {
        **dict.fromkeys(("master-0", "master-1", "master-2"), "Off"),
        "worker-0": "On",
    }


def test_machines_of_a_cluster_that_another_client_made_are_left_alone(edge: Deployment) -> None:
    """A named cluster is never destroyed from here; one of the machines runs."""
    variables = edge.lab.vars["openshift_assisted"]
    connection = {
        **variables,
        "connect_to": edge.lab.vars["openshift_connect_to"],
        "ca_cert": edge.lab.vars["openshift_ca_cert"],
    }
    pull_secret = json.loads(edge.inventory.read_text())["all"]["vars"]["openshift_cluster"]["pull_secret"]
    theirs = {
        "name": "edge",
        "openshift_version": "4.22.0",
        "base_dns_domain": "example.com",
        "pull_secret": pull_secret,
    }
    made = edge.module("assisted_cluster", {**connection, **theirs})
    assert made.ok, made.output
    (cluster_id,) = service(edge)["clusters"]
    writes = edge.lab.writes()
    run = with_worker(edge).run(
        "destroy_cluster",
        extra={"openshift_confirm": "edge", "openshift_assisted": {**variables, "cluster_id": cluster_id}},
    )
    assert (
        not run.ok
        and "was not created from this work directory" in run.message
        and "Its machines were not changed" in run.message
    )
    assert (edge.lab.writes(), list(service(edge)["clusters"])) == (writes, [cluster_id])
