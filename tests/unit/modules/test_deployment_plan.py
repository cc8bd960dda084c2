# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module deployment_plan, called in the test process against simulated services: the steps that are left to do,
and what it refuses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.modules import deployment_plan
from ansible_collections.zerotouch.openshift.tests.support import deployment as staging
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args


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
            deployment_plan.main()
        output = capfd.readouterr().out
        assert "user-token-of-this-deployment" not in output
        return dict(json.loads(output))

    return call_module


def test_nothing_yet_with_what_check_mode_predicts(stage: Any, call: Any) -> None:
    hosts = [
        {
            "name": "a",
            "hostname": "a",
            "role": "master",
            "macs": ["52:54:00:00:00:0a"],
            "static_ips": ["192.168.111.20"],
        }
    ]
    result = call(
        hosts=hosts,
        rendezvous_ip="192.168.111.20",
        api_url="https://api.demo.example.com:6443",
        _ansible_check_mode=True,
    )
    assert (result["state"], result["build"], result["boot_hosts"], result["wait"], result["changed"]) == (
        "new",
        True,
        ["a"],
        True,
        False,
    )
    assert not stage.root.exists()


def test_someone_elses_cluster_at_predicted_addresses(stage: Any, call: Any) -> None:
    stage.installed()
    result = call(hosts=[{"name": "a"}], api_url="https://api.demo.example.com:6443")
    # Whether it may be booted is up to touch_check.
    assert (result["state"], result["boot_hosts"], result["api"]) == ("foreign", ["a"], "foreign")
    assert call(hosts=[{"name": "a"}], api_url="https://api.demo.example.com:6443", force=["start_over"])[
        "boot_hosts"
    ] == ["a"]


def test_built_registered_installed(stage: Any, call: Any) -> None:
    stage.build()
    assert call()["boot_hosts"] == ["node-0", "node-1"]
    service = stage.serve()
    service.cluster = {"id": "c1", "status": "insufficient"}
    service.hosts = [staging.service_host(0)]
    registered = call()
    assert (registered["state"], registered["service"], registered["boot_hosts"]) == ("registered", "ours", ["node-1"])
    assert [(host["action"], host["joined"]) for host in registered["hosts"]] == [("wait", False), ("boot", False)]
    stage.installed()
    stage.state.update("install", {"phase": "installed"})
    service.infra_env = "another-tool"
    installed = call()
    assert (installed["state"], installed["wait"], installed["boot_hosts"], installed["api"]) == (
        "installed",
        False,
        [],
        "ours",
    )


@pytest.mark.parametrize("how", ["on disk", "predicted"])
def test_changed_input_while_hosts_are_registered(stage: Any, call: Any, how: str) -> None:
    stage.build()
    service = stage.serve()
    service.cluster = {"id": "c1", "status": "insufficient"}
    service.hosts = [staging.service_host(0)]
    if how == "on disk":
        (stage.root / "config" / "openshift").mkdir()
        (stage.root / "config" / "openshift" / "extra.yaml").write_text("kind: ConfigMap")
    predicted = {} if how == "on disk" else {"changed_files": ["openshift/extra.yaml"], "_ansible_check_mode": True}
    result = call(**predicted)
    assert (result["state"], result["differing_paths"]) == ("changed", ["openshift/extra.yaml"])
    assert "openshift/extra.yaml" in result["stop_reason"]


def test_a_note_is_a_warning(stage: Any, call: Any) -> None:
    stage.build()
    service = stage.serve()
    service.cluster = {"id": "c1", "status": "insufficient"}
    service.hosts = [staging.service_host(number) for number in (0, 1, 7)]
    assert "node-7 is registered with the service but not in the configuration." in str(call()["warnings"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"connect_to": {"x": "y:z"}}, "openshift_connect_to"),
        ({"force": ["everything"]}, "value of force must be one or more of"),
        ({"work_dir": __file__}, "is not a directory"),
    ],
)
def test_what_is_refused(call: Any, arguments: dict[str, Any], message: str) -> None:
    result = call(**arguments)
    assert result["failed"] and message in result["msg"]


def test_a_state_file_that_was_deleted_while_the_cluster_answers(stage: Any, call: Any) -> None:
    stage.build()
    stage.installed()
    stage.state.path.unlink()
    result = call()
    assert (result["state"], result["api"], result["boot_hosts"], result["build"], result["wait"]) == (
        "installed",
        "ours",
        [],
        False,
        True,
    )
    reported = json.dumps(result["warnings"])
    assert "state.json does not exist" in reported and "cannot be restored" in reported
    assert not stage.state.path.exists()


def test_a_kubeconfig_that_was_deleted_is_in_the_state_file_too(stage: Any, call: Any) -> None:
    stage.build()
    stage.installed()
    certificate, key = stage.authority.issue("system:admin")
    pair = {"crt": certificate, "key": key}
    stage.state.update(
        "secrets",
        {"signers": {"kube-apiserver-lb-signer": {"crt": stage.authority.pem, "key": ""}}, "admin_kubeconfig": pair},
    )
    (stage.root / "auth" / "kubeconfig").unlink()
    result = call()
    assert (result["state"], result["api"], result["boot_hosts"]) == ("installed", "ours", [])


def test_a_state_file_that_was_deleted_while_nothing_answers(stage: Any, call: Any) -> None:
    stage.build()
    (stage.root / "images" / "agent.x86_64.iso").touch()
    stage.state.path.unlink()
    result = call()
    assert (result["state"], result["boot_hosts"]) == ("unknown", ["node-0", "node-1"])
