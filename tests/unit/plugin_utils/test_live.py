# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the live report of a run: the URL where it is served, and that its end is reported exactly once, however the run
ends.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import Interrupted, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.store_link import StoreLost
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import WorkDir
from ansible_collections.zerotouch.openshift.plugins.modules import deployment_report
from ansible_collections.zerotouch.openshift.plugins.plugin_utils import live

ROOT = Path(__file__).parents[3]
JOB = "http://203.0.113.1/live/report.html"


@pytest.mark.parametrize(
    ("variables", "environment", "expected"),
    [
        ({}, {}, False),
        ({"awx_job_id": 7}, {}, True),
        ({"tower_job_id": 7}, {}, True),
        ({}, {"AWX_HOST": "https://controller.example.com", "JOB_ID": "7"}, True),
        ({}, {"AWX_PRIVATE_DATA_DIR": "/tmp/awx_7_1"}, True),
        ({}, {"AWX_ISOLATED_DATA_DIR": "/runner/artifacts/7", "JOB_ID": "7"}, False),
    ],
)
def test_what_a_job_of_a_controller_is(variables: dict[str, Any], environment: dict[str, str], expected: bool) -> None:
    assert live.in_controller_job(variables, environment) is expected


class Recorder:
    """What the parts of a run would print, and the events of its notifications."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.work_dir = tmp_path / "cluster"
        self.lines: list[str] = []
        self.events: list[tuple[str, str]] = []
        monkeypatch.setattr(live, "serve_page", lambda root, options, run: JOB)
        monkeypatch.setattr(live, "_serving", lambda deployment, options: None)
        monkeypatch.setattr(live.C, "DEFAULT_LOCAL_TMP", str(tmp_path))
        monkeypatch.setattr(
            live.Notifier, "send", lambda notifier, event: self.events.append((event["event"], event["text"])) or []
        )

    def call(self, *, check_mode: bool = False, **params: Any) -> Call:
        return Call(
            {"work_dir": str(self.work_dir), "warnings": [], "failure": None, "playbook": None, **params},
            check_mode=check_mode,
            show=self.lines.append,
        )

    def start(
        self,
        playbook: str,
        method: str = "agent",
        *,
        controller: bool = False,
        check_mode: bool = False,
        **variables: Any,
    ) -> None:
        settings = {
            "method": method,
            "work_dir": str(self.work_dir),
            "name": "demo",
            "connect_to": {},
            "ca_cert": "",
            "force": [],
        }
        call = self.call(playbook=playbook, check_mode=check_mode)
        live.start({"settings": settings, "hosts": []}, variables, call, controller=controller)

    def end(self, playbook: str | None, failure: str | None = None) -> dict[str, Any]:
        return live.conclude(deployment_report.run, self.call(playbook=playbook, failure=failure))

    @property
    def report(self) -> dict[str, Any]:
        found = json.loads((self.work_dir / "report.json").read_text())
        assert isinstance(found, dict)
        return found


@pytest.fixture
def recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    return Recorder(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("chosen", "controller", "served"),
    [
        ({}, False, True),
        ({}, True, False),
        ({"serve": True}, True, True),
        ({"serve": "yes"}, True, True),
        ({"serve": False}, False, False),
    ],
)
def test_a_job_serves_no_report_by_default(
    chosen: dict[str, Any], controller: bool, served: bool, recorder: Recorder
) -> None:
    recorder.start("deploy_cluster", controller=controller, openshift_live_report=chosen)
    assert (recorder.work_dir / "report.html").exists()
    assert recorder.lines == ([f"live report: {JOB}"] if served else [])


@pytest.mark.parametrize(
    ("playbook", "method"),
    [("deploy_cluster", "hosted"), ("scale_node_pool", "hub"), ("add_hosts", "assisted"), ("remove_hosts", "capi")],
)
@pytest.mark.parametrize("failure", [None, "1 host is missing."])
def test_a_run_that_installs_nothing(playbook: str, method: str, failure: str | None, recorder: Recorder) -> None:
    recorder.start(playbook, method)
    assert recorder.report["run"] == {"playbook": playbook, "state": "running", "reason": ""}
    page = (recorder.work_dir / "report.html").read_text()
    assert f"{playbook} is running" in page and "xpected end" not in page and "not built yet" not in page
    result = recorder.end(playbook, failure)
    state = "failed" if failure else "finished"
    assert result["changed"] is False and "live" not in recorder.report
    assert recorder.report["run"] == {"playbook": playbook, "state": state, "reason": failure or ""}
    text = f"{playbook} has failed: {failure}" if failure else f"{playbook} has finished."
    assert recorder.events == [("started", f"{playbook} has started."), (state, text)]
    page = (recorder.work_dir / "report.html").read_text()
    assert f"{playbook} has {state}" in page and ("Why it stopped" in page) is bool(failure) and "<script>" not in page


def test_a_change_that_succeeded_leaves_the_report_of_the_installation(recorder: Recorder) -> None:
    recorder.work_dir.mkdir(mode=0o700)
    WorkDir(recorder.work_dir).state.update(
        "install", {"phase": "installed", "installed_at": "2026-11-26T22:00:00.000Z"}
    )
    assert recorder.end(None)["changed"]
    before = recorder.report
    recorder.start("add_hosts", "hub")
    assert recorder.report["run"]["state"] == "running"
    recorder.end("add_hosts")
    assert recorder.report == before and not recorder.end(None)["changed"]
    # A deployment that finds its cluster installed has nothing to report.
    recorder.start("deploy_cluster")
    assert recorder.report == before


@pytest.mark.parametrize("failure", [None, "No machine was touched."])
def test_a_deployment_that_ends_before_its_report(failure: str | None, recorder: Recorder) -> None:
    """A plan that is refused, or a configuration that is only checked, has a last event too.

    The report has no section for a change.
    """
    recorder.start("deploy_cluster")
    recorder.end("deploy_cluster", failure)
    assert "live" not in recorder.report and "run" not in recorder.report
    assert recorder.report["result"]["failure"] == (failure or "")
    assert [kind for kind, _text in recorder.events] == ["started", "failed" if failure else "finished"]


def test_a_run_is_concluded_once(recorder: Recorder) -> None:
    recorder.start("deploy_cluster")
    recorder.end(None, "The installation failed.")
    written = (recorder.work_dir / "report.json").stat().st_mtime_ns
    assert recorder.end("deploy_cluster", "The installation failed.") == {"changed": False}
    assert [kind for kind, _text in recorder.events] == ["started", "failed"]
    assert (recorder.work_dir / "report.json").stat().st_mtime_ns == written


@pytest.mark.parametrize("failure", [None, "No confirmation."])
def test_a_run_that_deletes_the_work_directory_only_notifies(failure: str | None, recorder: Recorder) -> None:
    recorder.start("destroy_cluster", openshift_notify=[{"url": "http://192.0.2.1/hook"}])
    with live.accompanied("Power the machines off", recorder.call()):
        pass
    assert recorder.end("destroy_cluster", failure) == {"changed": False}
    assert recorder.end("destroy_cluster", failure) == {"changed": False}
    state, text = ("failed", f"has failed: {failure}") if failure else ("finished", "has finished.")
    assert recorder.events == [
        ("started", "destroy_cluster has started."),
        (state, f"destroy_cluster {text}"),
    ]
    assert not recorder.work_dir.exists() and recorder.lines == []


def test_a_destruction_without_webhooks_has_nothing_to_do(recorder: Recorder) -> None:
    recorder.start("destroy_cluster")
    assert recorder.end("destroy_cluster") == {"changed": False} and not recorder.work_dir.exists()


def test_check_mode_has_no_report(recorder: Recorder) -> None:
    recorder.start("scale_node_pool", "hosted", check_mode=True)
    assert live.conclude(deployment_report.run, recorder.call(playbook="scale_node_pool", check_mode=True)) == {
        "changed": False
    }
    assert not recorder.work_dir.exists() and recorder.events == []


@pytest.mark.parametrize("playbook", ["deploy_cluster", "scale_node_pool"])
@pytest.mark.parametrize("began", [True, False], ids=["with a live report", "without one"])
def test_the_end_of_a_run_is_in_the_state_store(
    playbook: str, began: bool, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The container of the job may be deleted directly after the last task."""
    stored: list[Path] = []
    monkeypatch.setattr(live.StoreLink, "finish", lambda link: stored.append(link._root))
    if began:
        recorder.start(playbook)
    recorder.end(playbook)
    assert stored == [recorder.work_dir]
    live.conclude(deployment_report.run, recorder.call())
    assert len(stored) == 1, "a report that is written during the run waits for nothing"


@pytest.mark.parametrize("error", [StoreLost("Another run has the lease."), Interrupted("The run was stopped.")])
def test_an_end_that_cannot_be_stored(
    error: ZeroTouchError, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that succeeded fails then. One that failed keeps its own reason, and is concluded."""

    def refuse(_link: Any) -> None:
        raise error

    recorder.start("scale_node_pool")
    monkeypatch.setattr(live.StoreLink, "finish", refuse)
    with pytest.raises(type(error)):
        recorder.end("scale_node_pool")
    recorder.end("scale_node_pool", "The host did not register.")
    assert [kind for kind, _text in recorder.events] == ["started", "failed"]


def test_each_playbook_with_a_live_report_concludes_it() -> None:
    reported = yaml.safe_load((ROOT / "roles/cluster_preflight/vars/main.yml").read_text())[
        "cluster_preflight_reported"
    ]
    for name in reported:
        (play,) = yaml.safe_load((ROOT / f"playbooks/{name}.yml").read_text())
        (block,) = [task for task in play["tasks"] if "block" in task]
        for task, entry in ((block["block"][-1], "finished"), (block["rescue"][-1], "failed")):
            assert task["ansible.builtin.include_role"] == {
                "name": "zerotouch.openshift.cluster_report",
                "tasks_from": entry,
            }
            assert task["vars"]["cluster_report_playbook"] == name
        # Everything but the check of the variables, which starts the report, and the plan of check mode.
        others = [task["name"] for task in play["tasks"] if task is not block]
        assert set(others) <= {"Check the settings", "Print the plan"}, others
