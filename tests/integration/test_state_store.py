# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the state store (``openshift_state``), which keeps the state of a deployment on a server: if a run is killed and
its work directory is lost, the next run starts in an empty directory and continues from the store.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.tests.support.document_server import DocumentServer

from .lab import LIMIT, SLOW, SPEED, WATCHES, Deployment, Run, kill_all
from .test_killed import MOMENTS


@pytest.fixture
def server() -> Iterator[DocumentServer]:
    made = DocumentServer()
    yield made
    made.stop()


def stored_in(server: DocumentServer, **changes: Any) -> dict[str, Any]:
    """Variables with the store; the passphrase is one of the secrets that no output may have.

    A host that found no image, as its server ended with its job, is booted again after an eighth of the limit of the
    boot.
    """
    state = {"method": "http", "url": server.url, "passphrase": "canary-passphrase-of-the-store", **changes}
    return {"openshift_state": state, "openshift_timeouts": {"boot": 480}}


def lost(sno: Deployment, process: int) -> None:
    """The job and its directory end, and with them its image server.

    In the lab's minutes the next job would come too late for hosts that run from the image.
    """
    sno.lab.change_speed(SLOW)
    kill_all(process)
    away(sno)


def away(sno: Deployment) -> None:
    """The work directory is gone at once, also for the process that keeps the state."""
    gone = sno.directory.parent / "gone"  # beside the work directory its record would count
    shutil.rmtree(gone, ignore_errors=True)
    if sno.work_dir.is_dir():
        sno.work_dir.rename(gone)


def resumed(sno: Deployment, variables: dict[str, Any]) -> Run:
    """Deploy; the lab is slow until the run supervises the machines."""
    run, _seconds = sno.watched(lambda output: WATCHES in output, lambda process, output: None, extra=variables)
    return run


def test_jobs_that_are_killed_with_their_directories(sno: Deployment, server: DocumentServer) -> None:
    """Killed in every phase, one after the other; each time the directory is lost."""
    variables = stored_in(server)
    for name, moment in MOMENTS.items():
        output, _seconds = sno.interrupted(moment(sno), lambda process: lost(sno, process), extra=variables)
        assert "Traceback" not in output, f"killed while {name}:\n{output}"
    run = resumed(sno, variables)
    assert run.ok, run.output
    assert "state: restored" in run.output, run.output
    booted = [device for device in sno.lab.machine("sno-0")["boots"] if device.startswith("disk")]
    assert len(booted) == 1, "the machine was installed more than once"
    assert (sno.work_dir / "auth" / "kubeconfig").is_file() and (sno.work_dir / "auth" / "kubeadmin-password").is_file()
    away(sno)
    again = sno.deployed(extra=variables)
    assert (sno.work_dir / "auth" / "kubeconfig").is_file()
    writes = sno.lab.writes()
    assert sno.deployed(extra=variables).changed == 0, again.output
    assert sno.lab.writes() == writes
    destroyed = sno.run("destroy_cluster", extra={**variables, "openshift_confirm": "sno"})
    assert destroyed.ok, destroyed.output
    away(sno)
    planned = sno.deployed("--check", extra=variables)
    assert "would boot sno-0" in planned.output and "state: restored" not in planned.output, (
        "a destroyed deployment has no record"
    )


def from_disk(sno: Deployment) -> Callable[[str], bool]:
    """The host runs from its disk and its medium is ejected, while the cluster is not installed."""

    def moment(output: str) -> bool:
        if WATCHES not in output:
            return False
        machine = sno.lab.machine("sno-0")
        return not machine["medium"] and any(device.startswith("disk") for device in machine["boots"])

    return moment


def installed(sno: Deployment) -> bool:
    return [cluster["installed"] for cluster in sno.lab.status()["clusters"]] == [True]


def test_a_cluster_that_finished_while_no_job_ran(sno: Deployment, server: DocumentServer) -> None:
    """The next job, in an empty directory, writes its credentials, and nothing to a BMC."""
    variables = stored_in(server)
    output, _seconds = sno.interrupted(from_disk(sno), lambda process: lost(sno, process), extra=variables)
    assert not installed(sno) and not sno.work_dir.exists(), output
    sno.lab.change_speed(float(SPEED))
    deadline = time.monotonic() + LIMIT
    while not installed(sno):
        assert time.monotonic() < deadline, "the cluster is not installed without a job"
        time.sleep(0.2)
    writes, boots = sno.lab.writes(), sno.lab.boots()
    run = sno.untouched(extra=variables)
    assert run.ok and "state: restored" in run.output, run.output
    assert (sno.lab.writes(), sno.lab.boots()) == (writes, boots), run.output
    password = (sno.work_dir / "auth" / "kubeadmin-password").read_text()
    assert re.fullmatch(r"(\w{5}-){3}\w{5}\n?", password), "the password is not that of an installation"
    for name in ("kubeconfig", "kubeconfig.direct"):
        assert "client-key-data" in (sno.work_dir / "auth" / name).read_text()
    state = json.loads((sno.work_dir / "state.json").read_text())
    assert state["install"]["phase"] == "installed", state["install"]


def test_a_store_that_is_not_there_boots_nothing(sno: Deployment, server: DocumentServer) -> None:
    server.stop()
    run = sno.stopped(extra=stored_in(server))
    assert "The state in" in run.message and "cannot be read" in run.message, run.output


UNKNOWN: dict[str, tuple[Callable[[DocumentServer], object], dict[str, Any], str]] = {
    "wrong passphrase": (lambda server: None, {"passphrase": "another canary-passphrase"}, "passphrase"),
    "damaged": (lambda server: setattr(server, "document", (server.document or b"")[:-40]), {}, "cannot be read"),
}


@pytest.mark.long
@pytest.mark.parametrize("case", UNKNOWN)
def test_what_cannot_be_read_is_not_empty(case: str, sno: Deployment, server: DocumentServer) -> None:
    """Row 6 of the safety table."""
    damage, changes, words = UNKNOWN[case]
    sno.interrupted(MOMENTS["waiting"](sno), lambda process: lost(sno, process), extra=stored_in(server))
    damage(server)
    run = sno.stopped(extra=stored_in(server, **changes))
    assert words in run.message, run.output
