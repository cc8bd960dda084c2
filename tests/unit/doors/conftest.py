# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Both ways into a door, for the tests of this folder: as a module in a process of its own, and through the action."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PATHS = [str(HERE / "collection"), str(ROOT / ".build")]
PROBE = "test.doors.probe"

Opener = Callable[..., dict[str, Any]]

_MODULE = """
import importlib, json, sys
from ansible.module_utils.testing import patch_module_args
with patch_module_args(json.loads(sys.stdin.read())):
    importlib.import_module(sys.argv[1]).main()
"""


def python_name(door: str, kind: str) -> str:
    namespace, name, leaf = door.split(".")
    return f"ansible_collections.{namespace}.{name}.plugins.{kind}.{leaf}"


def _open_as_module(door: str, arguments: dict[str, Any], check: bool = False, diff: bool = False) -> dict[str, Any]:
    internal = {"_ansible_check_mode": check, "_ansible_diff": diff, "_ansible_module_name": door}
    done = subprocess.run(
        [sys.executable, "-c", _MODULE, python_name(door, "modules")],
        input=json.dumps({**arguments, **internal}),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(PATHS)},
        check=False,
    )
    assert done.stdout.strip(), done.stderr
    result = json.loads(done.stdout)
    result["warnings"] = [text if isinstance(text, str) else text["event"]["msg"] for text in result.get("warnings", [])]
    return dict(result)


@pytest.fixture
def open_as_module() -> Opener:
    """The result as it leaves the process of the module; warnings as plain text."""
    return _open_as_module


@pytest.fixture
def open_in_process(monkeypatch: pytest.MonkeyPatch) -> Opener:
    """The result of the action, run where the test runs; what it displayed is in ``displayed``."""
    for path in PATHS:
        monkeypatch.syspath_prepend(path)

    def opener(door: str, arguments: dict[str, Any], check: bool = False, diff: bool = False, **task: Any) -> dict[str, Any]:
        module = importlib.import_module(python_name(door, "action"))
        warnings: list[str] = []
        lines: list[str] = []
        settings: dict[str, Any] = {
            "action": door,
            "args": arguments,
            "check_mode": check,
            "diff": diff,
            "async_val": 0,
            "environment": [],
            "no_log": False,
            "delegate_to": None,
            **task,
        }
        shell = SimpleNamespace(tmpdir=None, env_prefix=lambda **variables: "")
        connection = SimpleNamespace(transport="local", become=None, has_native_async=False, _shell=shell)
        action = module.ActionModule(SimpleNamespace(**settings), connection, None, None, SimpleNamespace(template=lambda value: value))
        action._display = SimpleNamespace(
            warning=warnings.append, display=lambda line, stderr=False: lines.append(line), vvv=lambda line: pytest.fail(f"not in-process: {line}")
        )
        result = dict(action.run(task_vars={"ansible_python_interpreter": sys.executable}))
        result["warnings"] = warnings
        result["displayed"] = lines
        return result

    return opener
