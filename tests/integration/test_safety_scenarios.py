# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test runs on racks that are not empty, with clusters that do not answer, and after failed installations: which
machines a run leaves unchanged, and how the user continues.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .canaries import PULL_SECRET
from .conftest import MakeLab
from .lab import LIMIT, SPEED, Deployment, host_of, without
from .safety import Change, Shelf, core_api, elsewhere, machine_of, member, mentions, powered_on, rack, with_hub

Alone = Callable[..., Deployment]
THREE = ("master-0", "master-1", "master-2")
TAKE_OVER = {"openshift_force": ["take_over"]}


def compact(inventory: dict[str, Any]) -> None:
    """The control plane of the demo alone."""
    without(inventory, "workers")


@pytest.fixture
def alone(make_lab: MakeLab, tmp_path: Path) -> Iterator[Alone]:
    """``alone("sno", site, inventory)``: a rack for one test; its lab ends with the test."""
    made: list[Deployment] = []

    def make(name: str, site: Change | None = None, inventory: Change | None = None) -> Deployment:
        made.append(rack(make_lab, tmp_path / str(len(made)), name, site, inventory))
        return made[-1]

    yield make
    violations = [text for deployment in made for text in deployment.lab.down()]
    assert not violations, "answers of the lab's service are not as the API description has them"


# Machines that are on, and no record of them (rows 13, 14)


@pytest.mark.long
def test_a_rack_that_is_on(alone: Alone) -> None:
    """One stop that lists all machines; then one command installs them, and the next run has nothing to do."""
    deployment = alone("demo", powered_on("rhel-8"), compact)
    for options in ((), ("--check",)):
        stopped = deployment.stopped("deploy_cluster", *options)
        mentions(stopped.message, *THREE, "take_over")
        assert "worker-0" not in stopped.message
    deployment.deployed(extra=TAKE_OVER)
    assert deployment.lab.nodes() == dict.fromkeys(THREE, "Ready")
    writes = deployment.lab.bmc_writes(refused=True)
    again = deployment.deployed()
    assert (again.changed, deployment.lab.bmc_writes(refused=True)) == (0, writes), again.output
    assert deployment.lab.powers()["worker-0"] == "On", "a machine outside of the inventory was switched off"


def test_one_machine_that_is_on_stops_the_run_for_all(alone: Alone) -> None:
    """``boot.take_over`` counts for its host alone."""

    def one_taken_over(inventory: dict[str, Any]) -> None:
        compact(inventory)
        host_of(inventory, "master-1")["boot"] = {"take_over": True}

    deployment = alone("demo", powered_on("rhel-8", "master-1", "master-2"), one_taken_over)
    stopped = deployment.stopped()
    mentions(stopped.message, "master-2", "take_over")
    assert "master-0" not in stopped.message and "master-1" not in stopped.message, stopped.message


# A cluster that no record knows (row 12)


def yesterday(document: dict[str, Any]) -> None:
    """The single node is installed already, at the addresses of the inventory."""
    document["clusters"][0] |= {"installed": True, "platform": "none", "members": [member("sno-0", "master")]}


def test_a_cluster_that_answers_is_not_taken_over(alone: Alone) -> None:
    deployment = alone("sno", yesterday)
    for extra in ({}, TAKE_OVER, {"openshift_force": ["start_over"]}):
        stopped = deployment.stopped(extra=extra)
        mentions(stopped.message, "sno", "start_over")
    assert deployment.lab.nodes() == {"sno-0": "Ready"}
    destroyed = deployment.stopped("destroy_cluster", extra={"openshift_confirm": "sno"})
    mentions(destroyed.message, "restore its work directory")
    assert deployment.lab.powers() == {"sno-0": "On"}


@pytest.mark.long
def test_a_cluster_that_is_off_is_installed_again(alone: Alone) -> None:
    deployment = alone("sno", yesterday)
    deployment.lab.power("off")
    deployment.deployed()
    assert deployment.lab.nodes() == {"sno-0": "Ready"}


@pytest.mark.long
def test_a_cluster_that_is_unreachable_is_installed_again_with_take_over(alone: Alone) -> None:
    deployment = alone("sno", yesterday)
    for fault in ("api-down", "kubelet-down"):
        deployment.lab.fault(fault, count=0)
    mentions(deployment.stopped().message, "sno-0", "take_over")

    def reinstalled(_process: int, _output: str) -> None:
        deployment.lab.clear_faults()

    run, _seconds = deployment.watched(lambda _output: bool(deployment.lab.bmc_writes()), reinstalled, extra=TAKE_OVER)
    assert run.ok, run.output
    assert deployment.lab.nodes() == {"sno-0": "Ready"} and deployment.lab.boots()["sno-0"], run.output


# An installation that failed (row 5)


@pytest.mark.long
def test_a_failed_installation_is_destroyed_or_started_over(alone: Alone) -> None:
    """Neither way out needs the API, which never came up; both need the name of the cluster."""
    deployment = alone("sno")
    deployment.lab.fault("install-fails", "sno-0", count=1)
    deployment.refused()
    stopped = deployment.stopped()
    mentions(stopped.message, "destroy_cluster", "start_over", "openshift_confirm=sno")
    unconfirmed = deployment.stopped(extra={"openshift_force": ["start_over"]})
    mentions(unconfirmed.message, "openshift_confirm=sno")
    mentions(deployment.stopped("destroy_cluster").message, "openshift_confirm=sno")
    destroyed = deployment.run("destroy_cluster", extra={"openshift_confirm": "sno"})
    assert destroyed.ok and deployment.lab.powers() == {"sno-0": "Off"}, destroyed.output
    deployment.lab.fault("install-fails", "sno-0", count=1)
    deployment.refused()
    deployment.deployed(extra={"openshift_force": ["start_over"], "openshift_confirm": "sno"})
    assert deployment.lab.nodes() == {"sno-0": "Ready"}


# Machines of another owner (rows 2, 3)


@pytest.mark.long
def test_a_bare_metal_host_of_another_owner(alone: Alone) -> None:
    """The hub's BareMetalHost has the machine's BMC: this run does not write to it, whatever the user forces."""

    def owned(document: dict[str, Any]) -> None:
        with_hub(document)
        document["hub"]["bare_metal_hosts"] = [{"machine": "sno-0", "namespace": "metal", "name": "rack-7"}]

    deployment = alone("sno", owned)
    hub = {**deployment.lab.vars["openshift_hub"], "binding": "none"}
    for force in ([], ["take_over", "start_over"]):
        extra = {
            "openshift_install_method": "hub",
            "openshift_hub": hub,
            "openshift_infra_env": {"pull_secret": PULL_SECRET},
            "openshift_force": force,
            "openshift_confirm": "sno",
        }
        for playbook in ("add_hosts", "deploy_cluster"):
            mentions(deployment.stopped(playbook, extra=extra).message, "sno-0", "metal/rack-7")


def test_a_machine_that_is_a_node_of_another_cluster(alone: Alone) -> None:
    """Its kubelet answers at the address of the inventory: no force reaches it."""

    def taken(document: dict[str, Any]) -> None:
        elsewhere(document, member("sno-0"), api="192.168.126.5", address="192.168.126.90")

    deployment = alone("sno", taken)
    for extra in ({}, TAKE_OVER):
        mentions(deployment.stopped(extra=extra).message, "sno-0")
    assert deployment.lab.nodes("elsewhere") == {"other-0": "Ready", "sno-0": "Ready"}


# BMCs (row 1)


def test_a_bmc_that_is_down_stops_the_run_for_all(alone: Alone) -> None:
    deployment = alone("demo", None, compact)
    deployment.lab.fault("bmc-down", "master-1", count=0)
    stopped = deployment.stopped()
    mentions(stopped.message, "master-1")
    assert "master-0" not in stopped.message, stopped.message


def test_two_machines_with_one_uuid(alone: Alone) -> None:
    def same(document: dict[str, Any]) -> None:
        for name in ("master-1", "master-2"):
            machine_of(document, name)["uuid"] = "11111111-2222-4333-8444-555555555555"

    deployment = alone("demo", same, compact)
    mentions(deployment.stopped().message, "master-1", "master-2", "UUID")


@pytest.mark.long
def test_a_bmc_that_is_down_does_not_hold_destroy_up(alone: Alone) -> None:
    """The other hosts are switched off, the run says which one is left."""
    deployment = alone("demo", None, compact)
    deployment.deployed()
    deployment.lab.fault("bmc-down", "master-1", count=0)
    run = deployment.run("destroy_cluster", extra={"openshift_confirm": "demo"})
    assert not run.ok, run.output
    mentions(run.output, "master-1")
    assert {name: state for name, state in deployment.lab.powers().items() if name in THREE} == {
        "master-0": "Off",
        "master-1": "On",
        "master-2": "Off",
    }


# A cluster that is installed (rows 6, 7)


@pytest.fixture(scope="module")
def single(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """An installed single node whose UUID the operating system reads in the other byte order."""

    def swapped(document: dict[str, Any]) -> None:
        machine_of(document, "sno-0")["uuid_byte_order"] = "swapped"

    return Shelf(lambda directory: rack(make_lab, directory, "sno", swapped), tmp_path_factory.mktemp("single"))


def test_an_installed_cluster_is_left_alone(single: Shelf) -> None:
    installed = single.get()
    again = installed.untouched()
    assert again.ok and again.changed == 0, again.output
    checked = installed.untouched("deploy_cluster", "--check")
    assert checked.ok and checked.changed == 0, checked.output


@pytest.mark.parametrize("force", ["start_over", "reboot_joined_hosts"])
def test_force_needs_the_name_of_the_cluster(single: Shelf, force: str) -> None:
    stopped = single.get().stopped(extra={"openshift_force": [force]})
    mentions(stopped.message, "openshift_confirm=sno")
    wrong = single.get().stopped(extra={"openshift_force": [force], "openshift_confirm": "demo"})
    mentions(wrong.message, "openshift_confirm=sno")


def test_take_over_does_not_reach_an_installed_cluster(single: Shelf) -> None:
    again = single.get().untouched(extra=TAKE_OVER)
    assert again.ok and again.changed == 0, again.output
    mentions(again.output, "take_over")


def test_a_cluster_that_does_not_answer_is_not_installed_again(single: Shelf) -> None:
    installed = single.get()
    installed.lab.fault("api-down", count=0)
    stopped = installed.stopped()
    mentions(stopped.message, "start_over")
    installed.lab.clear_faults()
    again = installed.untouched()
    assert again.ok and again.changed == 0, again.output


def test_a_power_cut(single: Shelf) -> None:
    """While the rack is off nothing is booted; when it is back, so is the cluster, and there is nothing to do."""
    installed = single.get()
    installed.lab.power("off")
    mentions(installed.stopped().message, "start_over")
    installed.lab.power("on")
    until_ready(installed, "sno-0")
    again = installed.untouched()
    assert again.ok and again.changed == 0, again.output


@pytest.mark.long
@pytest.mark.parametrize("unreadable", ["{", "a directory"])
def test_a_power_cut_while_the_state_cannot_be_read(single: Shelf, unreadable: str) -> None:
    """Machines that are off, and a state that cannot be read: nothing says that they are free."""
    installed = single.get()
    state, aside = installed.work_dir / "state.json", installed.work_dir / "state.aside"
    state.rename(aside)
    installed.lab.power("off")
    try:
        if unreadable == "a directory":
            state.mkdir()
        else:
            state.write_text(unreadable)
        confirmed = {"openshift_confirm": "sno"}
        for playbook, extra in (
            ("deploy_cluster", {}),
            ("deploy_cluster", TAKE_OVER),
            ("deploy_cluster", {"openshift_force": ["start_over"], **confirmed}),
            ("destroy_cluster", confirmed),
        ):
            mentions(installed.stopped(playbook, extra=extra).message, "state.json", "Do not move it away")
    finally:
        state.rmdir() if state.is_dir() else state.unlink()
        aside.rename(state)
        installed.lab.power("on")
    until_ready(installed, "sno-0")
    again = installed.untouched()
    assert again.ok and again.changed == 0, again.output


def until_ready(deployment: Deployment, *names: str) -> None:
    deadline = time.monotonic() + LIMIT
    while deployment.lab.nodes() != dict.fromkeys(names, "Ready"):
        assert time.monotonic() < deadline, deployment.lab.nodes()
        time.sleep(0.2)


# Check mode


@pytest.mark.long
def test_check_mode_lists_what_the_run_writes(alone: Alone) -> None:
    """As many media, boot overrides and power actions as the list has, at the same machines, in the same order."""
    deployment = alone("sno")
    planned = [
        line.removeprefix("would ")
        for line in deployment.untouched("deploy_cluster", "--check").output.splitlines()
        if line.startswith("would ")
    ]
    listed = [kind for line in planned for kind in ("insert", "boot once", "power on") if line.startswith(kind)]
    deployment.deployed()
    kinds = {"InsertMedia": "insert", "BootSourceOverrideTarget=Cd": "boot once", "ResetType=On": "power on"}
    written = [
        word for write in deployment.lab.bmc_writes() for text, word in kinds.items() if text in write["summary"]
    ]
    assert written == listed, (planned, deployment.lab.bmc_writes())


# A worker that has been dead for an hour (row 7)


@pytest.mark.long
def test_a_dead_worker_is_removed_without_a_drain(alone: Alone) -> None:
    deployment = alone("demo", with_hub)
    lab = deployment.lab
    hub = {"openshift_install_method": "hub", "openshift_hub": lab.vars["openshift_hub"]}
    deployment.deployed(extra=hub)
    lab.power("off", "worker-1")
    an_hour(deployment)
    assert lab.nodes()["worker-1"] == "NotReady"
    before = len(lab.bmc_writes(refused=True))
    removal = {**hub, "openshift_hosts": ["worker-1"]}
    mentions(deployment.stopped("remove_hosts", extra=removal).message, "openshift_confirm")
    removed = deployment.run("remove_hosts", extra={**removal, "openshift_confirm": "demo"})
    assert removed.ok, removed.output
    assert {node.metadata.name for node in core_api(deployment).list_node().items} == {*THREE, "worker-0"}
    assert {write["machine"] for write in lab.bmc_writes(refused=True)[before:]} <= {"worker-1"}
    assert lab.powers()["worker-1"] == "Off" and lab.powers()["worker-0"] == "On"


def an_hour(deployment: Deployment) -> None:
    """Let an hour pass in the lab."""
    start = float(deployment.lab.status()["lab_seconds"])
    deployment.lab.change_speed(600)
    deadline = time.monotonic() + LIMIT
    while float(deployment.lab.status()["lab_seconds"]) < start + 3600:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    deployment.lab.change_speed(float(SPEED))
