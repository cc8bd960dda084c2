# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the state machine of hosts with a table of transitions.

Source: openshift/assisted-service internal/host/statemachine.go, internal/host/pool_host_statemachine.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ztlab.service import hosts as host_handlers
from ztlab.service import machine_host
from ztlab.service.errors import ServiceError
from ztlab.service.model import Host

from .bench import Bench
from .scripted import INFRA_ENV_ID, Machine, disk, single_node_params

Change = Callable[[Bench, Host], None]


def nothing(bench: Bench, host: Host) -> None:
    return None


def set_host(**members: Any) -> Change:
    def change(bench: Bench, host: Host) -> None:
        for name, value in members.items():
            setattr(host, name, value)

    return change


def set_cluster(status: str) -> Change:
    def change(bench: Bench, host: Host) -> None:
        bench.cluster.status = status

    return change


def silence(seconds: float) -> Change:
    def change(bench: Bench, host: Host) -> None:
        bench.clock.moment += seconds

    return change


def both(*changes: Change) -> Change:
    def change(bench: Bench, host: Host) -> None:
        for item in changes:
            item(bench, host)

    return change


def stage(name: str, ago: float = 0.0) -> Change:
    def change(bench: Bench, host: Host) -> None:
        host.progress.stage = name
        host.progress.since = host.progress.touched = bench.clock.now()
        bench.clock.moment += ago
        host.checked_in = bench.clock.now()

    return change


def speed(milliseconds: int) -> Change:
    def change(bench: Bench, host: Host) -> None:
        host.disks_info = {
            host.installation_disk_id: {"disk_speed": {"tested": True, "speed_ms": milliseconds, "exit_code": 0}}
        }

    return change


IMAGES_FINE = set_host(images_status={"x": {"name": "x", "result": "success"}})
IMAGES_BAD = set_host(images_status={"x": {"name": "x", "result": "failure"}})
PREPARING = set_cluster("preparing-for-installation")
INSTALLING = set_cluster("installing")
LATER = silence(181)

TABLE: list[tuple[str, str, Change, str, str]] = [
    # before installation
    ("all fine", "insufficient", nothing, "known", "Host is ready to be installed"),
    ("silent", "known", LATER, "disconnected", "Host has stopped communicating with the installation service"),
    ("still in time", "known", silence(179), "known", ""),
    (
        "media gone",
        "known",
        set_host(media_status="disconnected"),
        "disconnected",
        ("Host has stopped communicating with the installation service"),
    ),
    ("back again", "disconnected", nothing, "known", "Host is ready to be installed"),
    (
        "no inventory",
        "disconnected",
        set_host(inventory=None),
        "discovering",
        "Waiting for host to send hardware details",
    ),
    (
        "no time yet",
        "known",
        set_host(timestamp=0),
        "insufficient",
        ("Host cannot be installed due to following failing validation(s): "),
    ),
    (
        "cluster prepares",
        "known",
        both(PREPARING, set_host(role="master")),
        "preparing-for-installation",
        "Host is preparing for installation",
    ),
    ("role still open", "known", PREPARING, "known", ""),
    (
        "known with slow disk",
        "known",
        speed(40),
        "insufficient",
        ("Host cannot be installed due to following failing validation(s): "),
    ),
    # preparation
    (
        "prepared",
        "preparing-for-installation",
        both(PREPARING, speed(3), IMAGES_FINE),
        "preparing-successful",
        "Host finished successfully to prepare for installation",
    ),
    ("half an answer", "preparing-for-installation", both(PREPARING, speed(3)), "preparing-for-installation", ""),
    (
        "slow disk",
        "preparing-for-installation",
        both(PREPARING, speed(11)),
        "insufficient",
        "Host cannot be installed due to following failing validation(s): ",
    ),
    (
        "pull failed",
        "preparing-for-installation",
        both(PREPARING, speed(3), IMAGES_BAD),
        "preparing-failed",
        "Host failed to prepare for installation due to following",
    ),
    (
        "no answer in time",
        "preparing-for-installation",
        both(PREPARING, silence(1100), set_host(checked_in=2100)),
        "preparing-failed",
        "The host has encountered a preparation timeout",
    ),
    ("cluster went back", "preparing-successful", set_cluster("ready"), "known", "Host is ready to be installed"),
    ("failed, cluster back", "preparing-failed", set_cluster("ready"), "known", "Host is ready to be installed"),
    ("lost while preparing", "preparing-successful", both(PREPARING, LATER), "disconnected", "Host has stopped"),
    # installation
    ("begin", "preparing-successful", INSTALLING, "installing", "Installation is in progress"),
    (
        "lost while installing",
        "installing-in-progress",
        both(INSTALLING, stage("Installing"), LATER),
        "error",
        "Host failed to install due to timeout while connecting",
    ),
    (
        "silent after reboot",
        "installing-in-progress",
        both(INSTALLING, stage("Rebooting"), LATER),
        "installing-in-progress",
        "",
    ),
    (
        "reboot timed out",
        "installing-in-progress",
        both(INSTALLING, stage("Rebooting", 2401)),
        "installing-pending-user-action",
        "LAB DISK",
    ),
    (
        "stage timed out",
        "installing-in-progress",
        both(INSTALLING, stage("Writing image to disk", 1801)),
        "error",
        "Writing image to disk took longer than expected 30m",
    ),
    (
        "never began",
        "installing",
        both(INSTALLING, silence(1201), set_host(checked_in=2200)),
        "error",
        ("Host failed to install due to timeout while starting"),
    ),
    (
        "step failed",
        "installing",
        both(INSTALLING, set_host(install_step_failed="exit 1")),
        "error",
        "installation command failed: exit 1",
    ),
    (
        "media lost",
        "installing-in-progress",
        both(INSTALLING, stage("Installing"), set_host(media_status="disconnected")),
        "error",
        "Failed - media disconnected",
    ),
    (
        "cluster failed",
        "installing-in-progress",
        set_cluster("error"),
        "error",
        "Host is part of a cluster that failed to install",
    ),
    (
        "cluster failed after us",
        "installed",
        set_cluster("error"),
        "error",
        "Host is part of a cluster that failed to install",
    ),
    ("cancelled", "installing", set_cluster("cancelled"), "cancelled", "Installation was cancelled by user"),
    ("cancelled in error", "error", set_cluster("cancelled"), "cancelled", "Installation was cancelled by user"),
    (
        "waits for the user",
        "installing-pending-user-action",
        both(INSTALLING, silence(3601)),
        "installing-pending-user-action",
        "",
    ),
]


@pytest.mark.parametrize(
    ("source", "change", "target", "info"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_refresh(source: str, change: Change, target: str, info: str) -> None:
    bench = Bench()
    host, _, _ = bench.ready()
    bench.core.set_host_status(host, source, "before")
    change(bench, host)
    status, text = bench.refresh(host)
    assert (status, info in text) == (target, True), text


def test_minimum_hardware_and_messages() -> None:
    bench = Bench()
    host = bench.host(machine=Machine(0, cpus=1, memory_gib=4, disks=[disk(gigabytes=20)]), ntp_sources=[])
    status, text = bench.refresh(host)
    assert status == "insufficient" and text.startswith("Host does not meet the minimum hardware requirements: ")
    assert "Host couldn't synchronize with any NTP server" in text and " ; " in text


def test_waiting_for_vips() -> None:
    bench = Bench()
    bench.cluster.machine_networks, bench.cluster.machine_networks_provided = [], False
    bench.cluster.fields["api_vips"] = []
    bench.cluster.fields["ingress_vips"] = []
    host = bench.host()
    assert bench.refresh(host)[0] == "pending-for-input"
    assert bench.refresh(host)[1].startswith("Waiting for user input: Machine Network CIDR is undefined")


REGISTRATIONS: list[tuple[str, str, str]] = [
    ("discovering", "", "discovering"),
    ("known", "", "discovering"),
    ("disconnected", "", "discovering"),
    ("insufficient", "", "discovering"),
    ("pending-for-input", "", "discovering"),
    ("resetting-pending-user-action", "", "discovering"),
    ("binding", "", "discovering"),
    ("preparing-for-installation", "", "known"),
    ("preparing-successful", "", "known"),
    ("installing-in-progress", "Rebooting", "installing-pending-user-action"),
    ("installing-in-progress", "Writing image to disk", "error"),
    ("installing", "", "error"),
    ("installing-pending-user-action", "Rebooting", "installing-pending-user-action"),
    ("added-to-existing-cluster", "Done", "installing-pending-user-action"),
    ("error", "", "error"),
    ("known-unbound", "", "discovering-unbound"),
    ("unbinding", "", "discovering-unbound"),
    ("unbinding-pending-user-action", "", "discovering-unbound"),
]


@pytest.mark.parametrize(("source", "at", "target"), REGISTRATIONS)
def test_registration_again(source: str, at: str, target: str) -> None:
    bench = Bench()
    host = bench.host(status=source)
    host.progress.stage = at
    machine_host.register_again(bench.core, host)
    assert host.status == target
    if target in ("discovering", "discovering-unbound"):
        assert host.inventory is None and host.progress.stage == ""


@pytest.mark.parametrize(
    ("status", "code", "text"),
    [
        ("installed", 409, "already been installed"),
        ("installing-pending-user-action", 403, "boot from disk LAB DISK serial-sda"),
    ],
)
def test_registration_that_is_refused(status: str, code: int, text: str) -> None:
    bench = Bench()
    host = bench.host(status=status)
    host.progress.stage = "Rebooting"
    with pytest.raises(ServiceError, match=text) as caught:
        bench.call("POST", "/v2/infra-envs/{infra_env_id}/hosts", {"host_id": host.id}, infra_env_id=INFRA_ENV_ID)
    assert caught.value.status == code


PROGRESS: list[tuple[str, str, str, str, str]] = [
    # role, stage before, stage reported, status after, refusal
    ("master", "", "Starting installation", "installing-in-progress", ""),
    ("master", "Installing", "Rebooting", "installing-in-progress", ""),
    ("master", "Joined", "Done", "installed", ""),
    ("master", "Rebooting", "Installing", "", "Can't assign lower stage"),
    ("master", "Installing", "Waiting for bootkube", "", "isn't available for host role"),
    ("worker", "Rebooting", "Waiting for ignition", "installing-in-progress", ""),
    ("worker", "Installing", "Copying registry data to disk", "", "isn't available for host role"),
    ("arbiter", "Installing", "Copying registry data to disk", "installing-in-progress", ""),
    ("master", "Installing", "Failed", "error", ""),
]


@pytest.mark.parametrize(("role", "before", "reported", "status", "refusal"), PROGRESS)
def test_progress(role: str, before: str, reported: str, status: str, refusal: str) -> None:
    bench = Bench()
    host = bench.host(status="installing", role=role)
    host.progress.stage = before
    if refusal:
        with pytest.raises(ServiceError, match=refusal) as caught:
            host_handlers.apply_progress(bench.core, host, reported, "")
        assert caught.value.status == 409
        return
    host_handlers.apply_progress(bench.core, host, reported, "")
    assert host.status == status
    assert host.progress.stage == (before if reported == "Failed" else reported)


def test_progress_outside_an_installation() -> None:
    bench = Bench()
    with pytest.raises(ServiceError, match="Can't set progress <Installing> to host in status <"):
        host_handlers.apply_progress(bench.core, bench.host(), "Installing", "")


def test_new_text_of_the_same_stage_changes_the_text_only() -> None:
    bench = Bench()
    host = bench.host(status="installing", role="master")
    host_handlers.apply_progress(bench.core, host, "Writing image to disk", "10%")
    started = host.progress.since
    bench.clock.moment += 30
    host_handlers.apply_progress(bench.core, host, "Writing image to disk", "45%")
    assert (host.progress.info, host.progress.since, host.progress.percentage) == ("45%", started, 37)
    assert host.status_info == "Writing image to disk"


@pytest.mark.parametrize(
    ("bootstrap", "percentages"),
    [(True, [9, 18, 27, 36, 45, 54, 63, 72, 81, 90, 100]), (False, [12, 25, 37, 50, 62, 75, 87, 100])],
)
def test_percentages(bootstrap: bool, percentages: list[int]) -> None:
    from ztlab.service.progress import host_percentage, stages

    bench = Bench()
    host = bench.host(role="master", bootstrap=bootstrap)
    names = stages(host, bench.cluster)
    assert [host_percentage(name, names) for name in names] == percentages


def test_a_worker_too_many_is_abandoned_after_an_hour() -> None:
    bench = Bench()
    workers = [
        bench.host(number, status="installing-pending-user-action" if number == 0 else "installed", role="worker")
        for number in range(3)
    ]
    bench.cluster.status = "installing-pending-user-action"
    bench.clock.moment += 3601
    assert bench.refresh(workers[0]) == (
        "error",
        ("Host failed to boot from the installation disk within the expected time."),
    )


@pytest.mark.parametrize(
    ("machines", "roles"),
    [
        ([(8, 32)] * 3, ["master"] * 3),
        ([(8, 32)] * 5, ["master"] * 3 + ["worker"] * 2),
        ([(2, 8), (8, 32), (8, 32), (8, 32)], ["worker", "master", "master", "master"]),
    ],
)
def test_suggested_roles(machines: list[tuple[int, int]], roles: list[str]) -> None:
    bench = Bench()
    hosts = [
        bench.host(machine=Machine(number, cpus=cpus, memory_gib=memory))
        for number, (cpus, memory) in enumerate(machines)
    ]
    bench.monitor()
    assert [host.suggested_role for host in hosts] == roles
    assert {host.role for host in hosts} == {"auto-assign"}


def test_suggested_arbiter() -> None:
    from .scripted import cluster_params

    bench = Bench(cluster_params(control_plane_count=2))
    sizes = [(8, 32), (8, 32), (2, 8)]
    hosts = [
        bench.host(machine=Machine(number, cpus=cpus, memory_gib=memory)) for number, (cpus, memory) in enumerate(sizes)
    ]
    bench.monitor()
    assert [host.suggested_role for host in hosts] == ["master", "master", "arbiter"]


def test_single_node_is_master_and_bootstrap_at_once() -> None:
    bench = Bench(single_node_params())
    host = bench.host(answered=False)
    assert (host.role, host.bootstrap, host.status) == ("master", True, "discovering")


def test_soft_timeouts_end_nothing() -> None:
    bench = Bench(ENABLE_SOFT_TIMEOUTS="true")
    host = bench.host(status="installing-in-progress", role="master")
    bench.cluster.status = "installing"
    stage("Writing image to disk", 4000)(bench, host)
    bench.clock.moment += 4000
    assert bench.refresh(host)[0] == "installing-in-progress"
