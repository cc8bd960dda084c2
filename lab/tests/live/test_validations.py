# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test faults of a machine or its site: the assisted-service reports each one under upstream's name of the validation,
and installs nothing.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .agent_image import AgentImage
from .playground import Playground, run, sno_site

# fault, validation that fails, status of the host (all before the installation)
FAULTS = [
    ("disk-too-small", "has-min-valid-disks", "insufficient"),
    ("memory-too-small", "has-min-memory", "insufficient"),
    ("dns-wildcard", "dns-wildcard-not-configured", "insufficient"),
    ("ntp-unsynced", "ntp-synced", "known"),
]


def failed(playground: Playground) -> dict[str, str]:
    """Validation -> status of the first host that the service knows."""
    for service in playground.lab.services:
        for host in service.core.state.hosts.values():
            return {verdict["id"]: verdict["status"] for group in json.loads(views(host)).values() for verdict in group}
    return {}


def views(host: object) -> str:
    from ztlab.service.views import _verdicts

    return str(_verdicts(host.verdicts)) if getattr(host, "verdicts", None) else "{}"


def host_status(playground: Playground) -> str:
    return next((host.status for service in playground.lab.services for host in service.core.state.hosts.values()), "")


@pytest.mark.parametrize(("fault", "validation", "status"), FAULTS)
def test_faults_before_the_installation(tmp_path: Path, fault: str, validation: str, status: str) -> None:
    async def flow() -> None:
        image = AgentImage()
        # More hosts than the lab has: the installation does not begin, so that the status remains visible.
        path = "/usr/local/share/start-cluster/start-cluster.env"
        image.files[path] = (0o600, image.files[path][1].replace("WORKER_NODES=0", "WORKER_NODES=1"))
        async with Playground(tmp_path / "lab", image.write(tmp_path / "agent.iso"), speed=1000) as playground:
            playground.lab.faults.add(fault)
            playground.switch_on()
            await playground.until(
                lambda: failed(playground).get(validation) == "failure" and host_status(playground) == status
            )

    run(flow())


def test_a_machine_without_a_name_is_not_installed(tmp_path: Path) -> None:
    async def flow() -> None:
        image = AgentImage()
        del image.files["/etc/assisted/hostnames/02:00:00:00:00:10"]
        async with Playground(tmp_path / "lab", image.write(tmp_path / "agent.iso"), speed=1000) as playground:
            playground.switch_on()
            await playground.until(lambda: failed(playground).get("hostname-valid") == "failure")

    run(flow())


def test_too_few_cpus(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(
            tmp_path / "lab", AgentImage().write(tmp_path / "agent.iso"), site=sno_site(cpus=2), speed=1000
        ) as playground:
            playground.switch_on()
            await playground.until(lambda: failed(playground).get("has-min-cpu-cores") == "failure")
            assert host_status(playground) == "insufficient"

    run(flow())


@pytest.mark.parametrize(
    ("fault", "text", "status"),
    [
        ("install-fails", "failed at stage Writing image to disk", "error"),
        ("never-joins", "failed to run Kubelet", ""),
        ("agent-dies", "does not answer any more", "disconnected"),
        ("service-never-starts", "container exited with 1", ""),
    ],
)
def test_faults_of_the_installation(tmp_path: Path, fault: str, text: str, status: str) -> None:
    async def flow() -> None:
        async with Playground(tmp_path / "lab", AgentImage().write(tmp_path / "agent.iso"), speed=1000) as playground:
            playground.lab.faults.add(fault)
            playground.switch_on()
            await playground.until_console(text)
            if status:
                await playground.until(lambda: host_status(playground) == status)
            assert not any(cluster["installed"] for cluster in playground.lab.clusters.status())

    run(flow())


@pytest.mark.parametrize("fault", ["slow-disk", "image-pull-fails"])
def test_faults_of_the_preparation(tmp_path: Path, fault: str) -> None:
    async def flow() -> None:
        async with Playground(tmp_path / "lab", AgentImage().write(tmp_path / "agent.iso"), speed=1000) as playground:
            playground.lab.faults.add(fault)
            playground.switch_on()
            await playground.until_console("the installation is started")
            wanted = {
                "slow-disk": "sufficient-installation-disk-speed",
                "image-pull-fails": "container-images-available",
            }[fault]
            await playground.until(lambda: failed(playground).get(wanted) == "failure")
            assert not playground.lab.clusters.status()

    run(flow())
