# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The door agent_image in process: from a configuration to an image, without a secret in any output."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.door import Call, perform
from ansible_collections.zerotouch.openshift.plugins.modules import agent_config, agent_image

HOST = {"inventory_name": "sno-0", "role": "master", "interfaces": [{"name": "enp1s0", "mac_address": "52:54:00:5a:00:10"}]}
CLUSTER = {
    "name": "sno",
    "base_domain": "example.com",
    "version": "4.22.0",
    "machine_networks": ["192.168.126.0/24"],
    "rendezvous_ip": "192.168.126.10",
    "pull_secret": json.dumps({"auths": {"quay.io": {"auth": base64.b64encode(b"lab:geheim-pull").decode()}}}),
    "ssh_public_keys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFFqxkMhK3Oo0Vb6wiwGPbtNBrNzlP3rl64oT6WvJqp5 lab@example.com"],
}


@pytest.fixture(scope="session")
def synthetic() -> ModuleType:
    spec = importlib.util.spec_from_file_location("image_synthetic_of_door", Path(__file__).parents[1] / "image" / "synthetic.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def base(tmp_path: Path, synthetic: ModuleType) -> Path:
    return synthetic.make_iso(tmp_path / "rhcos.iso", ignition=262144)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    params = {name: spec.get("default") for name, spec in agent_config.argument_spec().items()}
    done = perform(agent_config.run, Call({**params, "cluster": CLUSTER, "hosts": [HOST], "dest": str(work / "config")}))
    assert not done["failed"], done
    return work


def opened(work: Path, base: Path, *, check_mode: bool = False, lines: list[str] | None = None, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in agent_image.argument_spec().items()}
    given = {"source_dir": str(work / "config"), "dest": str(work), "base_image": {"path": str(base), "url": None, "sha256": None, "version": None}}
    call = Call({**params, **given, **options}, check_mode=check_mode, diff=True)
    if lines is not None:
        call.show = lines.append
    return {**perform(agent_image.run, call), "warnings": call.warnings}


def test_from_configuration_to_image(work: Path, base: Path) -> None:
    planned = opened(work, base, check_mode=True)
    assert planned["changed"]
    assert sorted(path.name for path in work.iterdir()) == ["config"]
    lines: list[str] = []
    done = opened(work, base, lines=lines)
    assert not done["failed"], done
    wanted = ("path", "size", "engine", "kind", "rendezvous_ip", "state_file", "kubeconfig", "kubeadmin_password_file", "plan")
    assert {key: done[key] for key in wanted} == {key: planned[key] for key in wanted}
    assert lines == done["plan"]
    assert len(done["sha256"]) == 64
    assert {"path", "mode", "size"} == set(done["ignition_files"][0])
    again = opened(work, base)
    assert (again["changed"], again["sha256"], again["plan"]) == (False, done["sha256"], [])


def test_no_secret_in_any_output(work: Path, base: Path) -> None:
    outputs = [opened(work, base, check_mode=True), opened(work, base), opened(work, base, force=True)]
    secrets = json.loads((work / "state.json").read_text())["secrets"]
    leaves = [secrets["kubeadmin_password"], secrets["kubeadmin_hash"], secrets["agent_token"], secrets["admin_kubeconfig"]["key"], "geheim-pull"]
    text = json.dumps(outputs)
    for leaf in leaves:
        assert leaf not in text
        assert base64.b64encode(leaf.encode()).decode() not in text
        assert json.dumps(leaf)[1:-1] not in text


def test_relative_paths(work: Path, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)
    done = opened(work, base, source_dir="config", dest=".", base_image={"path": os.path.relpath(base)})
    assert done["path"] == str(work / "images" / "agent.x86_64.iso")
    assert not opened(work, base)["changed"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "pxe"}, "kind pxe is not part of this version"),
        ({"engine": "openshift_install"}, "engine openshift_install is not part of this version"),
        ({"base_image": {"path": "/nowhere.iso"}}, "/nowhere.iso cannot be read: No such file or directory"),
        ({"base_image": {}}, "name the CoreOS live ISO by path or url"),
        ({"base_image": {"path": "/x", "sha256": "beef"}}, "64 hex digits"),
        ({"source_dir": "/nowhere"}, "/nowhere does not exist"),
        ({"connect_to": {"a:b:c": "d"}}, "openshift_connect_to[a:b:c]"),
    ],
)
def test_mistakes(work: Path, base: Path, options: dict[str, Any], words: str) -> None:
    result = opened(work, base, **options)
    assert result["failed"]
    assert words in result["msg"]
    assert sorted(path.name for path in work.iterdir()) == ["config"]


def test_warnings_reach_the_user(work: Path, tmp_path: Path, synthetic: ModuleType) -> None:
    other = synthetic.make_iso(tmp_path / "old.iso", ignition=262144, volume_id="rhcos-416.94.20240501-0")
    assert opened(work, other)["warnings"] == ["The base image rhcos-416.94.20240501-0 is of release 4.16, the cluster is 4.22.0."]
