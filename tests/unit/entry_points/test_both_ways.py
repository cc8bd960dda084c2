# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that a module returns the same result for the same arguments in a separate process and through its action
plugin.
"""

from __future__ import annotations

import importlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args

ROOT = Path(__file__).parents[3]
PROBE = "test.modules.probe"
SECRET = "correct-horse-battery"
# They run only inside Ansible, where the variables of hosts are known.
_INSIDE = ("deployment_settings", "preflight_check", "rehearsal", "variables_check")
MODULES = sorted(
    path.stem for path in (ROOT / "plugins" / "modules").glob("*.py") if path.stem not in ("__init__", *_INSIDE)
)

PROBES: dict[str, dict[str, Any]] = {
    "defaults": {},
    "typed": {"data": {"a": 1, "b": "x", "c": 1.5, "d": None, "e": [1, {"f": True}]}, "number": "7"},
    "path": {"path": "~/somewhere"},
    "failure": {"act": "fail", "password": SECRET},
    "partial failure": {"act": "part"},
    "disk": {"act": "disk"},
    "missing library": {"act": "library"},
    "unknown option": {"numbr": 3},
    "wrong type": {"number": "three"},
    "wrong choice": {"act": "dance"},
    "mutually exclusive": {"data": {}, "path": "/x"},
    "secret in a dict": {"data": {"token": SECRET, "copy": f"<{SECRET}>", "other": "token"}},
    "secret in a wrong argument": {"data": {"token": SECRET}, "nummer": SECRET},
    "weak secret": {"password": "data", "data": {"x": "auth/kubeadmin-data", "y": "data"}},
    "tiny secret": {"password": "a", "data": {"x": "a", "y": "banana", "z": "password=a 'a' a"}},
    "tiny secret and a wrong argument": {"password": "a", "numbr": 3},
    "control characters": {"data": {"x": "\x1b[31mred", "y\u202e": ["a\rb", "c\nd"]}},
    "control characters in a wrong argument": {"\x1b]0;t\x07": 3, "act": "\u202edance"},
    "revealed": {"act": "reveal", "data": {"token": SECRET}},
    "handed over": {"act": "hand_over", "data": {"url": f"https://i/bytoken/{SECRET}/a.iso"}},
    "handed over with a secret, and failed": {
        "act": "hand_over",
        "number": 0,
        "data": {"url": f"https://i/bytoken/{SECRET}/a.iso"},
    },
}


Compare = Callable[..., dict[str, Any]]


@pytest.fixture
def both_ways(open_as_module: Any, open_in_process: Any) -> Compare:
    """Run the module both ways, compare the results, and return the common result."""

    def compare(module: str, arguments: dict[str, Any], ground: Path | None = None, **modes: bool) -> dict[str, Any]:
        shipped = open_as_module(module, arguments, **modes)
        if ground:
            shutil.rmtree(ground, ignore_errors=True)  # both find the same: nothing
        inside = open_in_process(module, arguments, **modes)
        inside.pop("displayed")
        inside.pop("_ansible_verbose_override", None)
        for result in (shipped, inside):
            result.setdefault("failed", False)
            result.setdefault("changed", False)
            (result.get("seen") or {}).pop("inside", None)
        assert shipped == json.loads(json.dumps(inside))
        return dict(shipped)

    return compare


@pytest.mark.parametrize("case", PROBES)
def test_probe(case: str, both_ways: Compare) -> None:
    answer = both_ways(PROBE, PROBES[case])
    if "secret" in case or case == "failure":
        assert SECRET not in json.dumps(answer)


@pytest.mark.parametrize("modes", [{"check": True}, {"diff": True}, {"check": True, "diff": True}], ids=str)
def test_modes(modes: dict[str, bool], both_ways: Compare) -> None:
    answer = both_ways(PROBE, {"data": {"token": SECRET, "x": 1}}, **modes)
    assert answer["changed"] is not modes.get("check", False)
    assert ("diff" in answer) is modes.get("diff", False)
    assert SECRET not in json.dumps(answer)


def provided_arguments(module: str, folder: Path) -> dict[str, Any]:
    """Arguments that the module accepts, on ground where it finds nothing to work with: every required option gets a
    plausible value.
    """
    specification = importlib.import_module(
        f"ansible_collections.zerotouch.openshift.plugins.modules.{module}"
    ).argument_spec()
    plausible = {"path": str(folder / "given"), "str": str(folder / "given"), "list": [], "dict": {}}
    known: dict[str, dict[str, Any]] = {
        "agent_config": {"config_dir": str(folder / "given")},
        "agent_image": {"base_image": {"path": str(folder / "base.iso")}},
        "agent_cluster_install": {"config_dir": str(folder / "given")},
        "node_image": {
            "base_image": {"path": str(folder / "base.iso")},
            "running_cluster": {
                "id": "given",
                "release_image": "given",
                "pull_secret": "nothing-that-occurs-elsewhere",
                "api_dns_name": "api.a.b",
                "version": "4.22.0",
                "platform": "none",
            },
        },
        "assisted_deployment": {"config_dir": str(folder / "given")},
        "assisted_files": {"cluster_name": "given"},
        "assisted_hosts": {"cluster_name": "given"},
        "starter_inventory": {"dest": str(folder / "site.yml")},
    }
    required = {
        name: option["choices"][0] if option.get("choices") else plausible[option.get("type", "str")]
        for name, option in specification.items()
        if option.get("required")
    }
    return {**required, **known.get(module, {})}


@pytest.mark.parametrize("module", MODULES)
def test_every_module_refuses_alike(module: str, both_ways: Compare, tmp_path: Path) -> None:
    name = f"zerotouch.openshift.{module}"
    answer = both_ways(name, {**provided_arguments(module, tmp_path), "no_such_option": 1})
    assert answer["failed"]
    assert answer["msg"].startswith(f"Unsupported parameters for ({name}) module: no_such_option.")


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("check", [False, True], ids=["run", "check mode"])
def test_every_module_answers_alike(module: str, check: bool, both_ways: Compare, tmp_path: Path) -> None:
    """On empty ground: a foreseeable fault or an empty result, in the same words; never a traceback."""
    ground = tmp_path / "ground"
    answer = both_ways(f"zerotouch.openshift.{module}", provided_arguments(module, ground), ground, check=check)
    assert "exception" not in answer and "Traceback" not in json.dumps(answer)


def test_no_arguments_in_syslog(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Core logs the arguments of every module while it reads them; Ansible passes ``_ansible_no_log: false`` then."""
    logged: list[Any] = []
    monkeypatch.setattr("syslog.syslog", lambda *arguments: logged.append(arguments))
    agent_config = importlib.import_module("ansible_collections.zerotouch.openshift.plugins.modules.agent_config")
    arguments = {"cluster": {"pull_secret": SECRET}, "hosts": [], "dest": "/nowhere", "_ansible_no_log": False}
    with patch_module_args(arguments), pytest.raises(SystemExit):
        agent_config.main()
    assert SECRET not in str(logged) + capfd.readouterr().out
