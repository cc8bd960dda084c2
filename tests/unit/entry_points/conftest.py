# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures that run a module in both ways: in a separate process as Ansible runs modules, and through its action
plugin.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PATHS = [str(HERE / "collection"), str(ROOT / ".build")]
PROBE = "test.modules.probe"

Opener = Callable[..., dict[str, Any]]

# One process that has read Ansible's libraries; each opening is a fork of it, so that none sees what another left
# behind.
_MODULES = """
import importlib, json, os, sys
import ansible.module_utils.basic
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
for line in sys.stdin:
    name, arguments = json.loads(line)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writer, 1)
        os.close(reader)
        try:
            with patch_module_args(arguments):
                importlib.import_module(name).main()
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        print(json.dumps(answer.read()), flush=True)
    os.waitpid(child, 0)
"""


def python_name(module_name: str, kind: str) -> str:
    namespace, name, leaf = module_name.split(".")
    return f"ansible_collections.{namespace}.{name}.plugins.{kind}.{leaf}"


@pytest.fixture(scope="session")
def module_process() -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(PATHS)}
    with subprocess.Popen(
        [sys.executable, "-c", _MODULES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield process
        process.communicate()


@pytest.fixture
def open_as_module(module_process: subprocess.Popen[str]) -> Opener:
    """The result as it leaves the process of the module; warnings as plain text."""

    def opener(module_name: str, arguments: dict[str, Any], check: bool = False, diff: bool = False) -> dict[str, Any]:
        internal = {
            "_ansible_check_mode": check,
            "_ansible_diff": diff,
            "_ansible_module_name": module_name,
            "_ansible_no_log": False,
        }
        assert module_process.stdin and module_process.stdout
        module_process.stdin.write(json.dumps([python_name(module_name, "modules"), {**arguments, **internal}]) + "\n")
        module_process.stdin.flush()
        result = json.loads(json.loads(module_process.stdout.readline()))
        result["warnings"] = [
            text if isinstance(text, str) else text["event"]["msg"] for text in result.get("warnings", [])
        ]
        return dict(result)

    return opener


@pytest.fixture
def open_in_process(monkeypatch: pytest.MonkeyPatch) -> Opener:
    """The result of the action, run where the test runs; what it displayed is in ``displayed``."""
    for path in PATHS:
        monkeypatch.syspath_prepend(path)

    def opener(
        module_name: str, arguments: dict[str, Any], check: bool = False, diff: bool = False, **task: Any
    ) -> dict[str, Any]:
        module = importlib.import_module(python_name(module_name, "action"))
        warnings: list[str] = []
        lines: list[str] = []
        settings: dict[str, Any] = {
            "action": module_name,
            "name": "",
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
        action = module.ActionModule(
            SimpleNamespace(**settings), connection, None, None, SimpleNamespace(template=lambda value: value), None
        )
        action._display = SimpleNamespace(
            verbosity=0,
            warning=warnings.append,
            display=lambda line, stderr=False: lines.append(line),
            vvv=lambda line: pytest.fail(f"not in-process: {line}"),
        )
        result = dict(action.run(task_vars={"ansible_python_interpreter": sys.executable}))
        result["warnings"] = warnings
        result["displayed"] = lines
        return result

    return opener
