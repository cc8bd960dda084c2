# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Regression tests: runs that once damaged running clusters must now stop before they change anything."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client

from .canaries import PULL_SECRET
from .conftest import MakeLab
from .hosted import make_site
from .lab import LIMIT, Deployment
from .safety import Shelf, core_api, elsewhere, rack, with_hub, with_stray_kubeconfig

FIVE = ("master-0", "master-1", "master-2", "worker-0", "worker-1")


@pytest.fixture(scope="module")
def single(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """A single node that method agent installed, and a hub that the inventory does not name."""
    return Shelf(
        lambda directory: with_stray_kubeconfig(rack(make_lab, directory, "sno", with_hub)),
        tmp_path_factory.mktemp("single"),
    )


@pytest.fixture(scope="module")
def five(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Three control-plane hosts and two workers that method agent installed, and a hub that the inventory does not
    name.
    """
    return Shelf(
        lambda directory: with_stray_kubeconfig(rack(make_lab, directory, "demo", with_hub)),
        tmp_path_factory.mktemp("five"),
    )


def hub_of(deployment: Deployment) -> dict[str, Any]:
    return {"kubeconfig": str(deployment.lab.state / "hub.kubeconfig")}


def untouched_hub(deployment: Deployment) -> bool:
    hub = deployment.lab.status()["hub"]
    return not (hub["infra_envs"] or hub["hosts"] or hub["clusters"])


# (a) a job without the state of the first one


def test_a_fresh_directory_while_nothing_of_the_cluster_answers(single: Shelf) -> None:
    """The machine is on, and nothing says what for: no image is booted on it unless the user takes it over."""
    first = single.get()
    for fault in ("api-down", "kubelet-down"):
        first.lab.fault(fault, count=0)
    run = first.beside("container/another-job").stopped()
    assert "sno-0" in run.message and "take_over" in run.message, run.message
    assert first.lab.powers() == {"sno-0": "On"}
    checked = first.beside("container/another-job").stopped("deploy_cluster", "--check")
    assert "take_over" in checked.message, checked.message


def test_a_fresh_directory_while_only_the_kubelet_answers(single: Shelf) -> None:
    """Port 10250 says that the machine runs a cluster: taking over an unknown machine is not enough for that."""
    first = single.get()
    first.lab.fault("api-down", count=0)
    run = first.beside("container/another-job").stopped(extra={"openshift_force": ["take_over"]})
    assert "sno-0" in run.message and "start_over" in run.message, run.message


# (b) a kubeconfig that the user did not name


def test_add_hosts_does_not_use_a_hub_that_is_not_configured(single: Shelf) -> None:
    installed = single.get()
    for options in ((), ("--check",)):
        run = installed.stopped("add_hosts", *options, extra={"openshift_infra_env": {"pull_secret": PULL_SECRET}})
        assert "agent" in run.message and "openshift_hub" in run.message, run.message
        assert untouched_hub(installed), "something was created in the hub"


# (c) another method over a cluster that runs


def test_another_method_does_not_reinstall_the_cluster(single: Shelf) -> None:
    installed = single.get()
    for options in ((), ("--check",)):
        run = installed.stopped(
            "deploy_cluster", *options, extra={"openshift_install_method": "hub", "openshift_hub": hub_of(installed)}
        )
        for text in ("agent", "destroy_cluster", "openshift_confirm=sno"):
            assert text in run.message, run.message
    assert untouched_hub(installed), "something was created in the hub"
    assert installed.lab.nodes() == {"sno-0": "Ready"}


# (d) playbooks that the method does not have


@pytest.mark.long
def test_reprovision_hosts_says_that_the_method_does_not_have_it(five: Shelf) -> None:
    installed = five.get()
    run = installed.stopped("reprovision_hosts", extra={"openshift_hosts": ["worker-1"], "openshift_confirm": "demo"})
    assert "agent" in run.message and "reprovision_hosts" in run.message, run.message
    assert "100%" not in run.output, run.output
    assert installed.lab.nodes() == dict.fromkeys(FIVE, "Ready")


@pytest.mark.long
def test_remove_hosts_drains_or_says_that_the_method_does_not_have_it(five: Shelf) -> None:
    installed = five.get()
    workload = core_api(installed)
    container = client.V1Container(name="app", image="quay.io/example/app")
    pod = client.V1Pod(
        metadata=client.V1ObjectMeta(name="app"), spec=client.V1PodSpec(containers=[container], node_name="worker-1")
    )
    workload.create_namespaced_pod("default", pod)
    before = len(installed.lab.bmc_writes(refused=True))
    unconfirmed = installed.stopped("remove_hosts", extra={"openshift_hosts": ["worker-1"]})
    assert "agent" in unconfirmed.message or "openshift_confirm" in unconfirmed.message, unconfirmed.message

    run = installed.run("remove_hosts", extra={"openshift_hosts": ["worker-1"], "openshift_confirm": "demo"})
    pods = [item.metadata.name for item in workload.list_namespaced_pod("default").items]
    if run.ok:
        assert not pods, "the host was not drained"
        assert "worker-1" not in {item.metadata.name for item in workload.list_node().items}
        assert installed.lab.powers()["worker-1"] == "Off"
        return
    assert "agent" in run.message and "remove_hosts" in run.message, run.message
    assert pods == ["app"] and installed.lab.bmc_writes(refused=True)[before:] == []
    assert installed.lab.nodes() == dict.fromkeys(FIVE, "Ready")


# (e) an inventory that says how large a pool was at first


@pytest.mark.long
def test_deploying_again_keeps_the_size_of_a_pool(make_lab: MakeLab, tmp_path: Path) -> None:
    site = make_site(make_lab, tmp_path)
    site.played("deploy_cluster")
    site.scaled(replicas=1)
    nodes, writes = site.nodes(), site.lab.bmc_writes(refused=True)
    assert len(nodes) == 1
    again = site.played("deploy_cluster")
    assert site.nodes() == nodes, "the pool was emptied"
    assert (again.changed, site.lab.bmc_writes(refused=True)) == (0, writes), again.output
    warnings = [line for line in again.output.splitlines() if "scale_node_pool" in line and "WARNING" in line]
    assert len(warnings) == 1, again.output


# (f) an Agent whose machine is no longer the hub's


def test_an_agent_whose_machine_runs_another_cluster_is_not_booted(make_lab: MakeLab, tmp_path: Path) -> None:
    def occupied(document: dict[str, Any]) -> None:
        with_hub(document)
        elsewhere(document, api="192.168.126.5", address="192.168.126.90")

    deployment = rack(make_lab, tmp_path / "rack", "sno", occupied)
    hub = {**deployment.lab.vars["openshift_hub"], "binding": "none"}
    extra = {
        "openshift_install_method": "hub",
        "openshift_hub": hub,
        "openshift_infra_env": {"pull_secret": PULL_SECRET},
    }
    found = deployment.run("add_hosts", extra=extra)
    assert found.ok, found.output
    deployment.lab.install("sno-0", cluster="elsewhere")
    until_disconnected(deployment)
    run = deployment.stopped("add_hosts", extra=extra)
    assert "sno-0" in run.message, run.message
    assert deployment.lab.nodes("elsewhere") == {"other-0": "Ready", "sno-0": "Ready"}
    deploy = deployment.stopped("deploy_cluster", extra={**extra, "openshift_hub": {**hub, "binding": "late"}})
    assert "sno-0" in deploy.message, deploy.message


def until_disconnected(deployment: Deployment) -> None:
    """The hub notices after three minutes of the lab that it does not hear from a host."""
    deadline = time.monotonic() + LIMIT
    while not all("disconnected" in host["status"] for host in deployment.lab.status()["hub"]["hosts"].values()):
        assert time.monotonic() < deadline, deployment.lab.status()["hub"]["hosts"]
        time.sleep(0.2)
