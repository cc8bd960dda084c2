# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Deploy clusters on domains of a real libvirt, from powered off to installed, also together with hosts of other boot
methods, and check which domains a run leaves unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ..support.libvirt_daemon import libvirt_daemon, virsh, why_not
from .lab import Deployment, host_of
from .lab_hypervisor import VNC_PASSWORD, LabHypervisor
from .safety import mentions

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())
OnLibvirt = Callable[[Deployment], LabHypervisor]


@pytest.fixture(scope="module")
def daemon() -> Iterator[tuple[str, Path]]:
    with libvirt_daemon() as (uri, directory):
        virsh(uri, "pool-create-as", "default", "dir", "--target", str(directory))
        yield uri, directory


@pytest.fixture
def on_libvirt(daemon: tuple[str, Path]) -> Iterator[OnLibvirt]:
    made: list[LabHypervisor] = []

    def make(deployment: Deployment) -> LabHypervisor:
        made.append(LabHypervisor(deployment.lab, *daemon))
        return made[-1]

    yield make
    for hypervisor in made:
        hypervisor.close()


def moved(deployment: Deployment, hypervisor: LabHypervisor, *names: str, on: bool = False) -> Deployment:
    """The deployment with these hosts on libvirt, and with no BMC in their description."""
    libvirt = {name: hypervisor.define(name, on=on) for name in names}

    def change(inventory: dict[str, Any]) -> None:
        for name, data in libvirt.items():
            host = host_of(inventory, name)
            host.pop("bmc")
            host["libvirt"] = data

    return deployment.described_as(change)


def test_a_single_node(sno: Deployment, on_libvirt: OnLibvirt, tmp_path: Path) -> None:
    """Method agent, end to end; then runs without the user's consent, each of which must leave the cluster's domain
    alone.
    """
    hypervisor = on_libvirt(sno)
    deployment = moved(sno, hypervisor, "sno-0")
    planned = deployment.deployed("--check", "--diff", "-vvv")
    assert hypervisor.starts == {} and hypervisor.images() == [] and VNC_PASSWORD not in planned.output
    run = deployment.deployed("--diff", "-vvv")
    assert sno.lab.nodes() == {"sno-0": "Ready"}, run.output
    (image,) = hypervisor.starts["sno-0"]
    assert image.startswith("zerotouch-") and hypervisor.stops == [], "started once, from the image"
    assert hypervisor.image_of("sno-0") == "" and hypervisor.images() == [], (
        "the medium is ejected, and its volume deleted"
    )
    assert VNC_PASSWORD not in run.output and VNC_PASSWORD in virsh(
        hypervisor.uri, "dumpxml", "sno-0", "--inactive", "--security-info"
    )
    again = deployment.deployed()
    assert (again.changed, hypervisor.starts["sno-0"]) == (0, [image]), again.output

    definition = virsh(hypervisor.uri, "dumpxml", "sno-0", "--inactive")
    other_job = deployment.beside("another-job")
    for extra in ({}, {"openshift_force": ["take_over"]}):
        stopped = other_job.refused(extra=extra)
        mentions(stopped.message, "No machine was touched.", "sno-0: it belongs to the deployment of cluster sno")
        assert "BMC" not in stopped.message, stopped.message
    # Its own deployment without the user's consent, and a control node that knows neither the deployment nor a
    # kubeconfig.
    directory = tmp_path / "another-control-node"
    directory.mkdir()
    stranger = Deployment(sno.lab, deployment.inventory, directory, environment={"HOME": str(directory)})
    for job, playbook, extra, words in (
        (deployment, "deploy_cluster", {"openshift_force": ["start_over"]}, "openshift_confirm"),
        (deployment, "deploy_cluster", {"openshift_force": ["reboot_joined_hosts"]}, "openshift_confirm"),
        (deployment, "destroy_cluster", {}, "openshift_confirm"),
        (stranger, "deploy_cluster", {"openshift_force": ["take_over"]}, "start_over"),
        (stranger, "destroy_cluster", {"openshift_confirm": "sno"}, "restore its work directory"),
    ):
        run = job.run(playbook, extra=extra)
        assert not run.ok and words in run.message and "Traceback" not in run.output, (playbook, extra, run.output)
        assert (hypervisor.starts["sno-0"], hypervisor.stops, hypervisor.images()) == ([image], [], []), (
            playbook,
            extra,
            run.output,
        )
    assert virsh(hypervisor.uri, "dumpxml", "sno-0", "--inactive") == definition
    assert sno.lab.nodes() == {"sno-0": "Ready"}

    ended = deployment.run("destroy_cluster", extra={"openshift_confirm": "sno"})
    assert ended.ok, ended.output
    assert hypervisor.running() == set() and sno.lab.methods() == set(), "no BMC is contacted"


def test_a_mixed_fleet(compact: Deployment, on_libvirt: OnLibvirt) -> None:
    """One host with a BMC, one on libvirt, and one that a person boots."""
    hypervisor = on_libvirt(compact)

    def booted_by_user(inventory: dict[str, Any]) -> None:
        host = host_of(inventory, "master-2")
        host.pop("bmc")
        host["boot"] = {"method": "manual"}

    deployment = moved(compact, hypervisor, "master-1").described_as(booted_by_user)
    request = re.compile(r"Boot master-2 from the URL in (\S+) \(file ")

    def person(_process: int, output: str) -> None:
        compact.lab.boot("master-2", Path(request.findall(output)[0]).read_text().strip())

    run, _seconds = deployment.watched(lambda output: request.search(output) is not None, person)
    assert run.ok, run.output
    assert compact.lab.nodes() == dict.fromkeys(("master-0", "master-1", "master-2"), "Ready")
    assert len(hypervisor.starts["master-1"]) == 1 and hypervisor.images() == []
    assert {name for name, count in compact.lab.writes().items() if count} == {"master-0"}
    assert deployment.deployed().changed == 0
    ended = deployment.run("destroy_cluster", extra={"openshift_confirm": "demo"})
    assert ended.ok, ended.output
    assert hypervisor.running() == set()
    assert {name: compact.lab.powers()[name] for name in ("master-0", "master-1")} == {
        "master-0": "Off",
        "master-1": "Off",
    }


def test_a_domain_that_is_on(sno: Deployment, on_libvirt: OnLibvirt) -> None:
    """Row 14: nothing records what runs on it."""
    hypervisor = on_libvirt(sno)
    deployment = moved(sno, hypervisor, "sno-0", on=True)
    stopped = deployment.refused()
    mentions(stopped.message, "sno-0", "take_over")
    assert "BMC" not in stopped.message, stopped.message
    assert (hypervisor.running(), hypervisor.starts, hypervisor.stops, hypervisor.images()) == ({"sno-0"}, {}, [], [])
