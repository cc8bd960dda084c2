# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test recording the progress of a cluster installation on a hub in the work directory, for the report and the next
run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Cluster,
    Deployment,
    Host,
    Interface,
    Pool,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.hub.timeline import HubTimeline
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.report.data import (
    make_report,
    summary_lines,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import WorkDir
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import Agent, read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install.status import InstallStatus
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install.wait import InstallSituation
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock

HOST = Host(name="node-1", hostname="node-1", role="master", interfaces=(Interface("eth0", "52:54:00:00:00:01"),))
DEPLOYMENT = Deployment(
    Cluster(
        name="edge",
        base_domain="example.com",
        version="4.22.0",
        release_image="r",
        platform="none",
        control_plane=Pool(1),
        compute=Pool(0),
    ),
    (HOST,),
)
WAITING, RUNNING, DONE = (
    InstallStatus("waiting"),
    InstallStatus("installing", started=True),
    InstallStatus("installed", started=True),
)


@pytest.fixture
def work_dir(tmp_path: Path) -> WorkDir:
    return WorkDir(tmp_path / "edge")


def timeline(work_dir: WorkDir | None) -> HubTimeline:
    return HubTimeline.of(work_dir, DEPLOYMENT, Clock(tick=60.0).utc)


def agent(state: str, stage: str = "") -> Agent:
    inventory = {"interfaces": [{"macAddress": "52:54:00:00:00:01"}]}
    status = {"inventory": inventory, "debugInfo": {"state": state}, "progress": {"currentStage": stage}}
    return read_agent({"metadata": {"name": "uuid", "namespace": "a"}, "spec": {"role": "master"}, "status": status})


def install(work_dir: WorkDir) -> dict[str, Any]:
    return work_dir.state.section("install")


def test_a_whole_installation_and_its_report(work_dir: WorkDir) -> None:
    line = timeline(work_dir)
    line.known(started=False)
    assert make_report(work_dir, work_dir.state.read(), None)["result"]["text"] == "made on the hub"
    line.begin(started=False)
    line.see(InstallSituation(WAITING, (agent("known"),)), [])
    line.see(InstallSituation(RUNNING, (agent("installing-in-progress", "Writing image to disk"),)), [])
    line.see(InstallSituation(RUNNING, (agent("installing-in-progress", "Rebooting"),)), ["node-1"])
    line.see(InstallSituation(DONE, (agent("installed", "Done"),)), ["node-1"])
    line.installed(["node-1"])
    section = install(work_dir)
    assert (section["phase"], section["method"], section["detached"]) == ("installed", "hub", ["node-1"])
    report = make_report(work_dir, work_dir.state.read(), None)
    assert [phase["phase"] for phase in report["phases"]] == ["discovery", "install"]
    (host,) = report["hosts"]
    assert [stage["stage"] for stage in host["stages"]] == ["known", "Writing image to disk", "Rebooting", "Done"]
    assert (host["name"], host["role"], host["rendezvous"]) == ("node-1", "master", False)
    assert report["result"]["seconds"] > 0 and report["cluster"]["platform"] == "none"
    assert summary_lines(report, Path("report.html"))[0].startswith("Cluster edge 4.22.0: installed after ")


def test_nothing_is_written_without_news_or_without_a_directory(work_dir: WorkDir, tmp_path: Path) -> None:
    line = timeline(work_dir)
    line.begin(started=True)
    line.see(InstallSituation(RUNNING, (agent("installing"),)), [])
    before = work_dir.state.path.stat().st_mtime_ns
    line.see(InstallSituation(RUNNING, (agent("installing"),)), [])
    assert work_dir.state.path.stat().st_mtime_ns == before
    timeline(None).begin(started=False)
    assert [path.name for path in tmp_path.iterdir()] == ["edge"]


def test_who_does_not_look_after_media_forgets_none(work_dir: WorkDir) -> None:
    timeline(work_dir).installed(["node-1"])
    timeline(work_dir).installed()
    assert timeline(work_dir).detached == ("node-1",)


def test_a_failure_stays_until_the_next_attempt(work_dir: WorkDir) -> None:
    line = timeline(work_dir)
    line.begin(started=True)
    line.see(InstallSituation(RUNNING), ["node-1"])
    line.failed("it took too long", terminal=False)
    assert (install(work_dir)["phase"], install(work_dir)["failure"]) == ("installing", "it took too long")
    line.failed("bootstrap timed out", terminal=True)
    report = make_report(work_dir, work_dir.state.read(), None)
    assert (report["result"]["phase"], report["result"]["failure"]) == ("failed", "bootstrap timed out")
    again = timeline(work_dir)
    assert again.detached == ()
    again.begin(started=False)
    assert install(work_dir)["phase"] == "booted" and "failure" not in install(work_dir)


def test_the_record_of_another_method_is_of_another_installation(work_dir: WorkDir) -> None:
    work_dir.root.mkdir()
    work_dir.state.update("install", {"phase": "installed", "detached": ["node-1"], "timeline": [{}]})
    line = timeline(work_dir)
    assert line.detached == ()
    line.known(started=False)
    assert install(work_dir) == {"phase": "defined", "method": "hub"}
