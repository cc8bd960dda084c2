# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module cluster_credentials, called in the test process against the API of a simulated cluster."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.modules import cluster_credentials
from ansible_collections.zerotouch.openshift.tests.support import deployment as staging
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args

CONSOLE = "https://console-openshift-console.apps.demo.example.com"


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
            cluster_credentials.main()
        output = capfd.readouterr().out
        assert "aaaaa-bbbbb" not in output and "PRIVATE KEY" not in output and "client-key-data" not in output
        return dict(json.loads(output))

    return call_module


def test_check_run_run_again(stage: Any, call: Any) -> None:
    stage.build()
    stage.installed()
    before = (stage.root / "auth" / "kubeconfig").read_text()
    predicted = call(_ansible_check_mode=True, _ansible_diff=True)
    assert predicted["changed"] and (stage.root / "auth" / "kubeconfig").read_text() == before
    assert [entry["after"] for entry in predicted["diff"]] == [
        "the CA of the cluster's ingress is added\n",
        "the API is reached at a mapped address\n",
    ]
    done, again = call(), call()
    assert [done["changed"], again["changed"]] == [True, False]
    assert done["console_url"] == CONSOLE and stage.state.section("install")["console_url"] == CONSOLE
    direct = yaml.safe_load(Path(done["kubeconfig_direct"]).read_text())["clusters"][0]["cluster"]
    assert direct["server"] == f"https://{stage.connect_to['api.demo.example.com:6443']}"
    assert direct["tls-server-name"] == "api.demo.example.com"
    assert done["kubeadmin_password_file"] == str(stage.root / "auth" / "kubeadmin-password")


def test_no_console_is_a_warning(stage: Any, call: Any) -> None:
    stage.build()
    del stage.installed().routes["GET", "/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console"]
    result = call()
    assert result["console_url"] == "" and "no console" in str(result["warnings"])


def test_a_cluster_that_does_not_answer(stage: Any, call: Any) -> None:
    stage.build()
    assert call(_ansible_check_mode=True)["console_url"] == CONSOLE
    before = (stage.root / "auth" / "kubeconfig").read_text()
    result = call()
    assert not result.get("failed") and not result["changed"] and result["console_url"] == ""
    warning = str(result["warnings"])
    assert "this machine cannot reach its API: " in warning and "openshift_connect_to" in warning
    assert (stage.root / "auth" / "kubeconfig").read_text() == before
