# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module install_wait, called in the test process against simulated services of an installation."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import PartialFailure
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import Redactor
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.wait import (
    Surroundings,
    WaitRequest,
    wait,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import WorkDir
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.media import HostMedia
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.setup import Limits
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.detach import Process
from ansible_collections.zerotouch.openshift.plugins.modules import install_wait
from ansible_collections.zerotouch.openshift.tests.support import deployment as staging
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Any]:
    deployment = staging.Stage(tmp_path)
    yield deployment
    deployment.close()


@pytest.fixture
def call(stage: Any, capfd: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def call_module(**arguments: Any) -> dict[str, Any]:
        with (
            patch_module_args({"work_dir": str(stage.root), "connect_to": stage.connect_to, **arguments}),
            pytest.raises(SystemExit),
        ):
            install_wait.main()
        output = capfd.readouterr().out
        assert "user-token-of-this-deployment" not in output
        return dict(json.loads(output))

    return call_module


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
    assert "does not exist" in json.dumps(result["warnings"])
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
    service.hosts = [
        staging.service_host(0, "installing"),
        staging.service_host(1, "error", status_info="Failed - no space left"),
    ]
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


def test_progress_is_shown_where_the_module_is_opened_inside_ansible(stage: Any) -> None:
    stage.build()
    stage.installed()
    lines: list[str] = []
    params = {name: option.get("default") for name, option in install_wait.argument_spec().items()}
    params |= {"work_dir": str(stage.root), "connect_to": stage.connect_to, "timeouts": {}}
    result = perform(install_wait.run, Call(params, show=lines.append))
    assert result["phase"] == "installed"
    assert any("Node ready: node-0, node-1" in line for line in lines) and lines[-1].endswith(
        "100% Installation is complete."
    )


@pytest.mark.parametrize(
    ("published", "logged", "expected"),
    [
        ({}, "", ["image not requested yet"]),
        ({}, "2026-01-01T00:00:00Z 127.0.0.9 GET - 200 2 bytes 0.1 s\n", ["reading stopped at 66 % 10 minutes ago"]),
        ({}, "2026-01-01T00:00:00Z 127.0.0.9 GET - 200 3 bytes 0.1 s\n", ["image read to 100 %"]),
        ({"method": "directory"}, "", []),
        ({"path": "/elsewhere/other.iso"}, "", []),
    ],
    ids=["nothing", "a part", "all", "another server", "another file"],
)
def test_the_log_of_the_image_server_shows_what_missing_hosts_read(
    stage: Any, published: dict[str, Any], logged: str, expected: list[str]
) -> None:
    stage.build()
    stage.serve().cluster = {"id": "c1", "status": "insufficient"}
    stage.service.hosts = [staging.service_host(0)]
    stage.state.update(
        "publish",
        {"method": "serve", "path": stage.state.section("image")["path"], "since": "2026-01-01T00:00:00Z", **published},
    )
    (stage.root / "logs").mkdir()
    (stage.root / "logs" / "image-server.log").write_text(logged)
    clock, lines = Clock(), list[str]()
    limits = Limits(discovery=70)
    request = WaitRequest(
        WorkDir(stage.root),
        stage.root / "logs",
        limits=limits,
        bmc_addresses={"node-1": "127.0.0.9"},
        connect_to=ConnectTo.of(stage.connect_to),
    )
    now = datetime.datetime(2026, 1, 1, 0, 10, tzinfo=datetime.UTC)
    around = Surroundings(
        HostMedia((), BmcOptions(clock=clock)), clock, lines.append, Redactor(), lines.append, lambda: now
    )
    with pytest.raises(PartialFailure):
        wait(request, around)
    assert [line.partition("missing: ")[2] for line in lines if "% missing: " in line] == [
        f"node-1 (52:54:00:00:00:01): {text}" for text in expected
    ]


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
