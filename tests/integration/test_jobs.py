# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Jobs of an automation controller that are killed at many moments: the next job, in an empty container, goes on from the state store."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.tests.support.document_server import DocumentServer

from .job import JobDeployment, obstacle
from .lab import Deployment

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
# In the order of a deployment. Each is a line that the collection prints, or a fact of the lab.
MOMENTS: dict[str, str] = {
    "before anything": r"TASK \[.*Check the settings|Read and check",
    "building": r"build /\S+\.iso",
    "publishing": r"TASK \[.*Publish the image",
    "reading BMCs": r"TASK \[.*Boot the machines",
    "inserting": r"^\S+: inserting the image",
    "powering on": r"^\S+: .*power.* on",
    "waiting": r"^\d\d:\d\d +\d+% ",
    "discovery": r"^\d\d:\d\d +\d+% .*(registered|known)",
    "installing": r"(?i)writing image|bootkube|installing",
    "the API answers": r"API answers|Node joined|Installation is complete",
}


@pytest.fixture
def server() -> Iterator[DocumentServer]:
    made = DocumentServer()
    yield made
    made.stop()


@pytest.fixture
def job(sno: Deployment) -> JobDeployment:
    if why := obstacle():
        pytest.skip(f"no namespaces for jobs: {why}")
    return JobDeployment(sno)


def store(method: str, job: JobDeployment, server: DocumentServer) -> dict[str, Any]:
    """Variables with a state store of this method."""
    if method == "directory":
        job.volume = job.directory / "volume"
        job.volume.mkdir()
        return {}
    if method == "ephemeral":
        return {"openshift_state": {"ephemeral": True}}
    return {"openshift_state": {"method": "http", "url": server.url, "passphrase": "canary-passphrase-of-the-store"}}


def killed(process: int) -> None:
    """The whole container, as ``podman kill`` and a deleted pod do it."""
    os.kill(process, signal.SIGKILL)


def when(pattern: str) -> Callable[[str], bool]:
    return lambda output: re.search(pattern, output, re.MULTILINE) is not None


@pytest.mark.parametrize("method", ["http", "directory"])
def test_every_moment_of_a_deployment(method: str, job: JobDeployment, server: DocumentServer) -> None:
    variables = store(method, job, server)
    log = []
    for name, pattern in MOMENTS.items():
        process = job.start(extra=variables)
        output, over = follow(process, when(pattern))
        log.append(f"---- killed while {name}:\n{output}")
        assert "Traceback" not in output, log[-1]
        if over:
            break  # the machines went on while no job looked: the rest is the last run's
    run = job.deployed(extra=variables)
    assert "break_lock" not in run.output, run.output
    booted = [device for device in job.lab.machine("sno-0")["boots"] if device.startswith("disk")]
    assert len(booted) == 1, "\n".join(log)
    assert len(job.lab.machine("sno-0")["boots"]) == 2, f"a second power cycle: {job.lab.machine('sno-0')['boots']}"
    for file in ("kubeconfig", "kubeadmin-password"):
        assert (job.kept / "auth" / file).is_file(), run.output
    assert job.deployed(extra=variables).changed == 0


def follow(process: Any, moment: Callable[[str], bool]) -> tuple[str, bool]:
    """Read the output until the moment, then kill the job; with whether it had ended by itself."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if moment("".join(lines)):
            killed(process.pid)
            break
    else:
        process.wait()
        return "".join(lines), True
    lines += list(process.stdout)
    process.wait()
    return "".join(lines), False


def test_a_work_directory_that_ends_with_its_job_is_refused(job: JobDeployment) -> None:
    run = job.refused()
    assert "ends with this job" in run.message and not job.lab.bmc_writes(), run.output


def test_the_loss_can_be_accepted(job: JobDeployment, server: DocumentServer) -> None:
    run = job.deployed(extra=store("ephemeral", job, server))
    assert Path(job.kept / "auth" / "kubeconfig").is_file(), run.output
