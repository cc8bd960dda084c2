# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module infra_env, called in the test process against a hub: it creates and removes an InfraEnv, and leaves one
of another tool or another hub unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.modules import infra_env
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ansible_collections.zerotouch.openshift.tests.support.hub import infra as infrahub

SECRET = json.loads(infrahub.PULL_SECRET)["auths"]["registry.example.com:5000"]["auth"]


@pytest.fixture
def hub() -> Iterator[Any]:
    server = infrahub.InfraHub()
    yield server
    server.stop()


@pytest.fixture
def call(hub: Any, capfd: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def call_module(**arguments: Any) -> dict[str, Any]:
        common = {"kubeconfig": hub.kubeconfig, "name": "site", "namespace": "lab", "timeout": 20, "image_cooldown": 0}
        with patch_module_args({**common, **arguments}), pytest.raises(SystemExit):
            infra_env.main()
        output = capfd.readouterr().out
        assert SECRET not in output and "hub-pull-secret" not in output and "a-token-for-the-hub" not in output
        return dict(json.loads(output))

    return call_module


OVERRIDE = {
    "ignition": {"version": "3.2.0"},
    "storage": {"files": [{"path": "/etc/x", "contents": {"source": "data:,x"}}]},
    "password": "override-password",
}


def test_check_run_run_again_absent(call: Any, hub: Any) -> None:
    arguments = {
        "pull_secret": infrahub.PULL_SECRET,
        "ignition_config_override": OVERRIDE,
        "agent_labels": {"site": "a"},
    }
    predicted = call(**arguments, _ansible_check_mode=True, _ansible_diff=True)
    assert predicted["changed"] and hub.objects == {} and predicted["iso_url"] == ""
    done = call(**arguments, _ansible_diff=True)
    again = call(**arguments)
    assert [done["changed"], again["changed"]] == [True, False]
    assert done["iso_url"].startswith("https://images.example.com/") and done["infra_env"]["id"] == infrahub.UUID
    assert "override-password" not in json.dumps(predicted | done)
    assert '".dockerconfigjson": "<hidden>' in done["diff"][0]["after"]
    cleared = call(ignition_config_override="", _ansible_check_mode=True, _ansible_diff=True)
    assert cleared["not_propagated"][0]["option"] == "ignition_config_override"
    assert "override-password" not in json.dumps(cleared)
    assert "the image keeps the old value" in json.dumps(cleared["warnings"])
    assert call(state="absent")["changed"] and not hub.objects


def test_an_infra_env_of_another_tool_stays_and_is_reported(call: Any, hub: Any) -> None:
    call(pull_secret=infrahub.PULL_SECRET)
    (infra_env,) = (item for item in hub.objects.values() if item.get("kind") == "InfraEnv")
    infra_env["metadata"]["labels"] = {"made-by": "another tool"}
    refused = call(state="absent")
    assert refused["failed"] and not refused["changed"] and "is not changed" in refused["msg"]
    assert refused["stays"] == [
        (
            f"InfraEnv {infra_env['metadata']['namespace']}/{infra_env['metadata']['name']} was not created by "
            "this collection"
        )
    ]


def test_an_infra_env_of_another_hub_stays_with_its_objects(call: Any, hub: Any, tmp_path: Path) -> None:
    """Two hubs can have an InfraEnv of the same name: only the one that the state records is deleted."""
    options = {"pull_secret": infrahub.PULL_SECRET, "work_dir": str(tmp_path)}
    state = StateFile(tmp_path / "state.json")
    call(**options, _ansible_check_mode=True)
    assert not state.path.exists()
    call(**options)
    (infra_env,) = (item for item in hub.objects.values() if item.get("kind") == "InfraEnv")
    uid = infra_env["metadata"]["uid"]
    assert uid and state.section("hub") == {"created": {"InfraEnv lab/site": uid}}
    before = len(hub.objects)
    state.update("hub", {"created": {"InfraEnv lab/site": "uid-of-hub-a"}})
    for check_mode in (True, False):
        refused = call(state="absent", work_dir=str(tmp_path), _ansible_check_mode=check_mode)
        words = f"InfraEnv lab/site has UID {uid}, but this deployment created it with UID uid-of-hub-a"
        assert refused["failed"] and not refused["changed"] and refused["stays"] == [words]
        assert words in refused["msg"] and "delete key hub.created of state.json" in refused["msg"]
    assert len(hub.objects) == before
    state.update("hub", {"created": {"InfraEnv lab/site": uid}})
    assert call(state="absent", work_dir=str(tmp_path))["changed"] and not hub.objects
    assert not call(state="absent", work_dir=str(tmp_path))["changed"], "the run before was killed after the deletion"


def test_an_infra_env_that_a_run_finds_is_not_recorded(call: Any, hub: Any, tmp_path: Path) -> None:
    call(pull_secret=infrahub.PULL_SECRET)
    call(pull_secret=infrahub.PULL_SECRET, agent_labels={"site": "a"}, work_dir=str(tmp_path))
    assert StateFile(tmp_path / "state.json").section("hub") == {}
    assert call(state="absent", work_dir=str(tmp_path))["changed"] and not hub.objects


def test_mistakes_are_reported_before_the_hub_is_asked(call: Any, hub: Any) -> None:
    result = call(
        pull_secret=infrahub.PULL_SECRET,
        image_proxy={"http_proxy": "https://user:hidden-word@proxy"},
        hosts=[{"name": "a", "interfaces": [], "network_config": {}}],
    )
    assert result["failed"] and not hub.requests and "hidden-word" not in json.dumps(result)
    assert [problem["path"] for problem in result["problems"]] == [
        "image_proxy.http_proxy",
        "hosts[0].network_config",
        "hosts[0].interfaces",
    ]


def test_exclusive_options(call: Any) -> None:
    assert "mutually exclusive" in call(pull_secret=infrahub.PULL_SECRET, pull_secret_name="x")["msg"]


def test_the_words_of_the_service(call: Any, hub: Any) -> None:
    hub.words = "Failed to create image: Specified OSImageVersion is missing from AgentServiceConfig"
    result = call(pull_secret=infrahub.PULL_SECRET, os_image_version="4.99")
    assert result["failed"] and result["changed"]
    assert result["msg"].startswith(f"InfraEnv lab/site has no image: {hub.words}. Choose an os_image_version")
