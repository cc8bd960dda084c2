# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module deployment_report, called in the test process: the report that it writes, and its warnings."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.detach import Process
from ansible_collections.zerotouch.openshift.plugins.modules import deployment_report
from ansible_collections.zerotouch.openshift.tests.support import deployment as staging
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args


@pytest.fixture
def stage(tmp_path: Path) -> Any:
    return staging.Stage(tmp_path)


@pytest.fixture
def call(stage: Any, capfd: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def call_module(**arguments: Any) -> dict[str, Any]:
        with patch_module_args({"work_dir": str(stage.root), **arguments}), pytest.raises(SystemExit):
            deployment_report.main()
        output = capfd.readouterr().out
        assert "aaaaa-bbbbb" not in output
        return dict(json.loads(output))

    return call_module


def test_check_run_run_again(stage: Any, call: Any) -> None:
    stage.build()
    predicted = call(_ansible_check_mode=True)
    assert predicted["changed"] and not (stage.root / "report.html").exists()
    done, again = call(), call()
    assert [done["changed"], again["changed"]] == [True, False]
    assert json.loads(Path(done["json"]).read_text()) == done["report"] == predicted["report"]
    assert Path(done["html"]).read_text().startswith("<!doctype html>")
    assert done["summary"][0] == "Cluster demo 4.22.0: image built, 2 hosts, no node ready"


def test_further_warnings_are_shown_without_secrets(stage: Any, call: Any) -> None:
    stage.build()
    result = call(warnings=["mind the gap", "password aaaaa-bbbbb-ccccc-ddddd"])
    assert result["report"]["warnings"] == ["mind the gap", "password <hidden>"]


def test_a_wrong_role_is_a_warning_of_the_task(stage: Any, call: Any) -> None:
    stage.build()
    nodes = [
        {"name": "node-0", "ready": True, "roles": ["worker"]},
        {"name": "node-1", "ready": True, "roles": ["worker"]},
    ]
    stage.state.update("install", {"phase": "installed", "nodes": nodes})
    result = call()
    assert len(result["node_warnings"]) == 1 and "its Node has the role worker" in str(result["warnings"])
    assert any(line.startswith("Warning: node-0 is configured as control plane") for line in result["summary"])


def test_before_anything_happened(stage: Any, call: Any) -> None:
    assert call(_ansible_check_mode=True)["changed"]
    assert not stage.root.exists()
    assert call()["report"]["result"]["text"] == "not built yet"


def test_an_image_server_that_runs_is_named(stage: Any, call: Any) -> None:
    """A reader of the reason of a failed run, such as a refused boot, sees that its image server goes on, and until
    when.
    """
    stage.build()
    assert call()["served"] == ""
    process = Process.of(os.getpid())
    assert process is not None
    published = {"method": "serve", "url": "http://192.0.2.1:8080/agent.iso", "until": "2026-01-01T12:00:00Z"}
    stage.state.update("publish", {**published, "pid": process.pid, "started": process.started})
    assert (
        "still served at http://192.0.2.1:8080/agent.iso" in call()["served"]
        and "until 2026-01-01T12:00:00Z at the latest" in call()["served"]
    )
    stage.state.update("publish", {**published, "pid": process.pid, "started": process.started + 1})
    assert call()["served"] == ""
