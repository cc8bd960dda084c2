# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how the status of a deployment is decided from observations: each row of the decision table, and its message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.progress import ClusterProgress
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.status import ControlPlaneProgress
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.waiting import WaitStatus
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.record import TouchRecord
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.status.decide import (
    Authority,
    HostStatus,
    Status,
    StatusView,
    decide,
    of_capi,
    of_hosted,
    of_hub,
    of_observation,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.status.words import WIDTH, lines
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.observation import (
    ApiView,
    ClusterVersion,
    Observation,
    OperatorCondition,
    ServiceView,
    Silence,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install.status import InstallStatus

DIRECTORY = Path("/deployments/demo")
SHORT = Silence("install", 10.0, 2400.0, "2026-01-01T00:00:00Z")
LONG = Silence("install", 9999.0, 2400.0, "2026-01-01T00:00:00Z")
SILENT = Authority("silent", "API: no route to host")


def record(phase: str = "", **install: Any) -> TouchRecord:
    return TouchRecord(DIRECTORY, {"image": {"path": "/x"}, "install": {"phase": phase, **install}})


def booted(phase: str) -> TouchRecord:
    """A run that was killed after its last boot, before it saw the installation."""
    return TouchRecord(DIRECTORY, {**record(phase).state, "machines": {"a": {"state": "booted"}}})


EMPTY = TouchRecord(DIRECTORY)
DAMAGED = TouchRecord(DIRECTORY, fault="state.json is damaged")

ROWS: dict[str, tuple[StatusView, str, str]] = {
    "the state cannot be read": (StatusView(DAMAGED, Authority("installed")), "unknown", "state.json is damaged"),
    "the store cannot be read": (
        StatusView(EMPTY, Authority("installed"), fault="wrong passphrase"),
        "unknown",
        "wrong passphrase",
    ),
    "another method": (StatusView(record("installed"), SILENT, "assisted"), "unknown", "by method agent"),
    "installed": (
        StatusView(record("installing"), Authority("installed", "The API answers.")),
        "done",
        "The API answers.",
    ),
    "installed, and a failure is recorded": (
        StatusView(record("failed", failure="x"), Authority("installed", "ok")),
        "done",
        "ok",
    ),
    "installed, without a record": (
        StatusView(EMPTY, Authority("installed", "the hub reports it"), "hub"),
        "done",
        "the hub reports it",
    ),
    "the authority reports a failure": (
        StatusView(record("installing"), Authority("failed", "bootstrap failed")),
        "failed",
        "bootstrap failed",
    ),
    "installing": (StatusView(record("bootstrap"), Authority("installing", "47 %")), "running", "47 %"),
    "installing contradicts a failure": (
        StatusView(record("installing", failure="limit"), Authority("installing", "47 %")),
        "running",
        "47 %",
    ),
    "waiting": (StatusView(record("booted"), Authority("waiting", "3 hosts")), "running", "3 hosts"),
    "waiting, but the run ended": (
        StatusView(record("booted", overdue=True, failure="no host"), Authority("waiting")),
        "failed",
        "no host",
    ),
    "waiting on a hub, but the run ended": (
        StatusView(
            TouchRecord(DIRECTORY, {"install": {"phase": "booted", "method": "hub", "failure": "no Agent"}}),
            Authority("waiting"),
            "hub",
        ),
        "failed",
        "no Agent",
    ),
    "the hub has no such cluster": (
        StatusView(EMPTY, Authority("absent", "the hub has no cluster a/b"), "hub"),
        "unknown",
        "no record in /deployments/demo",
    ),
    "the hub cannot be read": (
        StatusView(EMPTY, Authority("unreadable", "The hub cannot be read: x"), "hub"),
        "unknown",
        "cannot be read",
    ),
    "silent, without a record": (StatusView(EMPTY, SILENT), "unknown", "There is no record in /deployments/demo."),
    "silent, and the record is lost": (StatusView(EMPTY, SILENT, lost=("install",)), "unknown", "lacks records"),
    "silent, and failed": (StatusView(record("failed", failure="disk full"), SILENT), "failed", "disk full"),
    "silent for a short time": (
        StatusView(record("installing"), SILENT, silence=SHORT),
        "running",
        "Up to 2400 s without an answer are normal",
    ),
    "silent for a short time after a limit": (
        StatusView(record("installing", failure="limit"), SILENT, silence=SHORT),
        "running",
        "without an answer are normal",
    ),
    "silent, and no host came": (
        StatusView(record("booted", overdue=True, failure="no host"), SILENT, silence=SHORT),
        "failed",
        "no host",
    ),
    "silent for too long": (StatusView(record("installing"), SILENT, silence=LONG), "unknown", "no service or API"),
    "silent after a recorded failure": (
        StatusView(record("installing", failure="limit"), SILENT, silence=LONG),
        "failed",
        "limit",
    ),
    "silent since bootstrap": (
        StatusView(record("bootstrap"), SILENT, silence=LONG),
        "failed",
        "did not complete its bootstrap",
    ),
    "silent, but installed": (
        StatusView(record("installed"), SILENT),
        "unknown",
        "The last recorded phase is installed",
    ),
    "installed, then a failed rerun, and silent": (
        StatusView(record("installed", failure="late"), SILENT),
        "unknown",
        "phase is installed",
    ),
    "built": (StatusView(record("built"), SILENT), "unknown", "No machine was booted yet."),
    "killed after the boot": (
        StatusView(booted("built"), SILENT, silence=SHORT),
        "running",
        "Up to 2400 s without an answer are normal",
    ),
    "killed after the boot, long ago": (
        StatusView(booted("built"), SILENT, silence=LONG),
        "unknown",
        "no service or API",
    ),
}


NAMED: dict[str, Any] = {"metadata": {"name": "b", "namespace": "a"}}


def progress(**more: Any) -> ControlPlaneProgress:
    return ControlPlaneProgress(**{"cluster": NAMED, "control_plane": NAMED, **more})


def install(state: str, failed: str = "") -> dict[str, Any]:
    """An AgentClusterInstall of a cluster of Cluster API."""
    conditions = (
        [{"type": failed, "status": "True", "reason": "InstallationFailed", "message": "a host failed"}]
        if failed
        else []
    )
    conditions += [
        {
            "type": "Completed",
            "status": str(state == "adding-hosts"),
            "reason": "InstallationInProgress" if state == "installing" else "x",
            "message": "",
        }
    ]
    secrets = {"adminKubeconfigSecretRef": {"name": "k"}}
    return {
        **NAMED,
        "spec": {"clusterMetadata": secrets},
        "status": {"debugInfo": {"state": state}, "conditions": conditions},
    }


@pytest.mark.parametrize("row", ROWS)
def test_table(row: str) -> None:
    view, state, words = ROWS[row]
    found = decide(view)
    assert (found.state, words in found.reason) == (state, True), found
    assert bool(found.next_step) == (state != "done")
    assert (found.phase == "failed") == (state == "failed")


TRUE, FALSE = OperatorCondition("True"), OperatorCondition("False")
ROLLED_OUT = ApiView(answers=True, ours=True, cluster_version=ClusterVersion("4.22.0", TRUE, FALSE, FALSE))
ROLLING = ApiView(
    answers=True,
    ours=True,
    cluster_version=ClusterVersion("4.22.0", FALSE, FALSE, OperatorCondition("True", "37% complete")),
)


def service(status: str) -> Observation:
    return Observation(
        phase="booted", service=ServiceView(answers=True, ours=True, cluster=ClusterProgress("1", "demo", status))
    )


@pytest.mark.parametrize(
    ("seen", "verdict", "words"),
    [
        (Observation(api=ROLLED_OUT), "installed", "4.22.0"),
        (Observation(phase="installed", api=ROLLING), "installed", "installed"),
        (Observation(phase="installing", api=ROLLING), "installing", "37% complete"),
        (service("installed"), "installed", "service"),
        (service("error"), "failed", "failed"),
        (service("installing"), "installing", "service"),
        (service("insufficient"), "waiting", "service"),
        (Observation(api=ApiView(answers=True, detail="another CA")), "silent", "another CA"),
        (Observation(), "silent", ""),
    ],
)
def test_observation(seen: Observation, verdict: str, words: str) -> None:
    found = of_observation(seen)
    assert found.verdict == verdict and words in found.reason


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (None, "absent"),
        (InstallStatus("installed"), "installed"),
        (InstallStatus("installing", started=True), "installing"),
        (InstallStatus("waiting"), "waiting"),
        *((InstallStatus(phase, "why"), "failed") for phase in ("failed", "cancelled", "refused")),
    ],
)
def test_hub(status: InstallStatus | None, verdict: str) -> None:
    assert of_hub(status, "a/b").verdict == verdict


@pytest.mark.parametrize(
    ("found", "exists", "verdict"),
    [
        (WaitStatus(), False, "absent"),
        (WaitStatus(reached=True), True, "installed"),
        (WaitStatus(final=True, reason="paused"), True, "failed"),
        (WaitStatus(reason="etcd", percent=30), True, "installing"),
    ],
)
def test_hosted(found: WaitStatus, exists: bool, verdict: str) -> None:
    assert of_hosted(found, exists=exists, cluster="a/b").verdict == verdict


def test_words_fit_and_end_with_the_state() -> None:
    hosts = (
        HostStatus("b" * 40, "installing-in-progress, Writing image to disk", "not ready", "On", True, "x" * 200),
        HostStatus("a", "", "", "", None, ""),
    )
    shown = lines(Status("running", "because", "wait", "installing", hosts, ("BMC of a: silent",)))
    table = shown[:3]
    assert all(len(line) <= WIDTH for line in table) and table[1].startswith("bbb") and table[2].startswith("a ")
    assert "inserted" in table[1] and "?" in table[2]
    assert "not checked: BMC of a: silent" in shown and shown[-1] == "state: running"


def test_words_say_what_is_waited_for() -> None:
    awaited = {
        "text": "hosts to register",
        "host": "a",
        "reason": "it has not registered",
        "next_step": "Look at its power.",
    }
    shown = lines(Status("running", "because", "", "discovery", awaited=awaited, expected_end="2026-11-26T23:00Z"))
    assert "waits for: hosts to register" in shown
    assert "first: a: it has not registered. Look at its power." in shown
    assert "expected end: 2026-11-26T23:00Z" in shown


@pytest.mark.parametrize(("verdict", "shown"), [("installing", True), ("failed", True), ("installed", False)])
def test_what_a_run_recorded_is_of_an_installation_that_is_not_complete(verdict: str, shown: bool) -> None:
    record = TouchRecord(Path(), {"install": {"phase": "bootstrap", "awaited": {"text": "the bootstrap"}}})
    found = decide(StatusView(record, Authority(verdict, "because"), expected_end="soon"))
    assert (found.awaited == {"text": "the bootstrap"}) is shown
    assert found.expected_end == ("soon" if verdict == "installing" else "")


@pytest.mark.parametrize(
    ("seen", "verdict", "words"),
    [
        pytest.param(ControlPlaneProgress(), "absent", "has no Cluster a/b", id="no Cluster"),
        pytest.param(progress(), "waiting", "infrastructure of the Cluster is not ready", id="no installation yet"),
        pytest.param(progress(install=install("installing")), "installing", "installing", id="installing"),
        pytest.param(progress(install=install("error", "Failed")), "failed", "a host failed", id="failed"),
        pytest.param(progress(install=install("adding-hosts")), "installed", "all its Machines", id="installed"),
        pytest.param(
            progress(control_plane={**NAMED, "spec": {"replicas": 3}}, install=install("adding-hosts")),
            "installed",
            "0 of 3 machines ready",
            id="installed, with Machines that are not ready",
        ),
    ],
)
def test_what_a_cluster_of_cluster_api_says(seen: ControlPlaneProgress, verdict: str, words: str) -> None:
    found = of_capi(seen, "a/b")
    assert found.verdict == verdict and words in found.reason, found
