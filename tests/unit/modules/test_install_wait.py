# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The door install_wait in this process, against servers of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.detach import Process
from ansible_collections.zerotouch.openshift.plugins.modules import install_wait
from ansible_collections.zerotouch.openshift.tests.support import deployment as staging
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Any]:
    deployment = staging.Stage(tmp_path)
    yield deployment
    deployment.close()


@pytest.fixture
def call(stage: Any, capfd: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def open_door(**arguments: Any) -> dict[str, Any]:
        with patch_module_args({"work_dir": str(stage.root), "connect_to": stage.connect_to, **arguments}), pytest.raises(SystemExit):
            install_wait.main()
        output = capfd.readouterr().out
        assert "user-token-of-this-deployment" not in output
        return dict(json.loads(output))

    return open_door


def test_a_complete_cluster_and_again(stage: Any, call: Any) -> None:
    stage.build()
    stage.installed()
    first, second = call(), call()
    assert (first["phase"], first["percent"], first["changed"], first["log_dir"]) == ("installed", 100, True, "")
    assert [host["name"] for host in first["hosts"]] == ["node-0", "node-1"]
    assert (second["phase"], second["changed"]) == ("installed", False)
    assert stage.state.section("install")["hosts"]["node-1"]["node"] == "ready"


def test_a_state_file_that_was_deleted_is_begun_again(stage: Any, call: Any) -> None:
    stage.build()
    stage.installed()
    before = stage.state.section("cluster")
    stage.state.path.unlink()
    result = call()
    assert (result.get("failed", False), result["phase"], result["changed"]) == (False, "installed", True), result
    assert "has lost everything" in json.dumps(result["warnings"])
    after = stage.state.read()
    assert [host["name"] for host in after["cluster"]["hosts"]] == [host["name"] for host in before["hosts"]]
    assert after["install"]["phase"] == "installed" and "secrets" not in after
    assert (stage.root / "auth" / "kubeconfig").exists()


def test_check_mode_returns_the_plan(stage: Any, call: Any) -> None:
    stage.build()
    stage.installed()
    before = stage.state.read()
    planned = call(_ansible_check_mode=True)
    assert (planned["plan"], planned["phase"], planned["changed"]) == (["Installation is complete."], "installed", True)
    assert stage.state.read() == before
    waiting = call(_ansible_check_mode=True, connect_to=dict.fromkeys(stage.connect_to, "127.0.0.1:1"))
    assert waiting["plan"] == ["wait in phase boot"] and waiting["changed"]


def test_a_failure_says_that_the_image_is_still_served(stage: Any, call: Any) -> None:
    stage.build()
    service = stage.serve()
    service.cluster = {"id": "c1", "status": "error", "status_info": "cluster has hosts in error"}
    process = Process.of(os.getpid())
    assert process is not None
    url, until = "http://192.0.2.1:8080/0123456789abcdef/agent.x86_64.iso", "2026-01-02T00:00:00Z"
    stage.state.update("publish", {"url": url, "pid": process.pid, "started": process.started, "until": until})
    message = call()["msg"]
    assert f"The image is still served at {url} (process {os.getpid()}, until {until} at the latest)" in message
    stage.state.update("publish", {"started": process.started + 1})
    assert "still served" not in call()["msg"]


def test_check_mode_before_anything_is_built(stage: Any, call: Any) -> None:
    assert call(_ansible_check_mode=True)["plan"] == ["wait for the installation, once the hosts are booted"]
    assert not stage.root.exists()
    assert "no image was built" in call()["msg"]


def test_a_terminal_error_leaves_a_bundle(stage: Any, call: Any) -> None:
    stage.build()
    service = stage.serve()
    service.cluster = {"id": "c1", "status": "error", "status_info": "cluster has hosts in error"}
    service.hosts = [staging.service_host(0, "installing"), staging.service_host(1, "error", status_info="Failed - no space left")]
    result = call()
    assert result["failed"] and result["phase"] == "failed"
    assert "node-1: Failed - no space left" in result["msg"] and result["log_dir"] in result["msg"]
    assert result["suspects"][0] == "node-1: Failed - no space left"
    assert result["hosts"][1] == {
        "name": "node-1",
        "status": "error",
        "stage": "",
        "percent": 50,
        "since": "",
        "reason": "Failed - no space left",
    }
    assert (Path(result["log_dir"]) / "hosts.json").exists() and Path(result["log_dir"]).parent == stage.root / "logs"


def test_hosts_that_do_not_appear_within_the_limit(stage: Any, call: Any, tmp_path: Path) -> None:
    stage.build()
    stage.serve().cluster = {"id": "c1", "status": "insufficient"}
    result = call(timeouts={"discovery": 0.1}, log_dir=str(tmp_path / "elsewhere"))
    assert "2 of 2 hosts did not appear: node-0 (52:54:00:00:00:00), node-1 (52:54:00:00:00:01)" in result["msg"]
    assert Path(result["log_dir"]).parent == tmp_path / "elsewhere"
    assert len(result["suspects"]) == 3


def test_progress_is_shown_where_the_door_is_opened_inside_ansible(stage: Any) -> None:
    stage.build()
    stage.installed()
    lines: list[str] = []
    params = {name: option.get("default") for name, option in install_wait.argument_spec().items()}
    params |= {"work_dir": str(stage.root), "connect_to": stage.connect_to, "timeouts": {}}
    result = perform(install_wait.run, Call(params, show=lines.append))
    assert result["phase"] == "installed"
    assert any("Node ready: node-0, node-1" in line for line in lines) and lines[-1].endswith("100% Installation is complete.")


def test_a_signal_ends_the_wait(stage: Any) -> None:
    stage.build()
    stage.serve().cluster = {"id": "c1", "status": "installing"}
    params = {name: option.get("default") for name, option in install_wait.argument_spec().items()}
    call = Call({**params, "work_dir": str(stage.root), "connect_to": stage.connect_to, "timeouts": {}})
    call.stop.set()
    result = perform(install_wait.run, call)
    assert result["failed"] and "signal" in result["msg"]
    assert stage.state.section("install")["phase"] == "bootstrap"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"timeouts": {"discover": 1}}, "Unsupported parameters"),
        ({"hosts": [{"name": "a", "bmc": {"address": "ftp://x"}}]}, "hosts[a].bmc.address"),
        ({"connect_to": {"x": "y:z"}}, "openshift_connect_to"),
    ],
)
def test_what_is_refused(stage: Any, call: Any, arguments: dict[str, Any], message: str) -> None:
    stage.build()
    result = call(**arguments)
    assert result["failed"] and message in result["msg"]
