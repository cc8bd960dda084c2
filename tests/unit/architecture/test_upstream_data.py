# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how the tests use optional data of upstream projects. Only one module contains the path of the data. A test
module whose data is missing is reported as one skip.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.tests.support import upstream

from .test_words import ROOT, texts

BESIDE = re.compile(r"""["']shared["'] */|/ *["']shared["']|(?<![\w-])shared/\w|\.\./shared""")
OWN = ("tests/support/upstream.py", "tests/unit/architecture/test_upstream_data.py")


def test_one_module_has_the_path_of_the_directory() -> None:
    found = {name: match[0] for name, text in texts().items() if name not in OWN and (match := BESIDE.search(text))}
    assert found == {}


def test_data_is_required_for_a_whole_module() -> None:
    """A skip in a test or of each test would count them all."""
    inside = [
        f"{name}:{call.lineno}"
        for name, text in texts().items()
        if name.endswith(".py")
        and "support.upstream" in text + text.replace("support import ", "support.")
        and name not in OWN
        for function in ast.walk(ast.parse(text))
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("upstream.required", "required")
    ]
    assert inside == []


@pytest.mark.slow
def test_tests_with_labs_are_collected_without_data(tmp_path: Path) -> None:
    """A test module that imports from a skipped one is an error: pytest keeps the skipped one half imported."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests/integration"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"ZT_UPSTREAM_DATA": str(tmp_path), "PYTHONPATH": str(ROOT / ".build")}
    done = subprocess.run(
        [*command, "lab/tests"], capture_output=True, text=True, check=False, cwd=ROOT, env=environment
    )
    assert done.returncode == 0 and "(crds in ZT_UPSTREAM_DATA)" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("there", [True, False])
def test_missing_data_is_one_skip(tmp_path: Path, there: bool) -> None:
    (tmp_path / "data").mkdir()
    if there:
        (tmp_path / "data" / "crds").mkdir()
    module = tmp_path / "test_module.py"
    module.write_text(
        f"from {upstream.__name__} import required\nCRDS = required('crds')\n\ndef test_a():\n    assert "
        "CRDS.is_dir()\n\ndef test_b():\n    pass\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        f"--rootdir={tmp_path}",
        str(module),
    ]
    environment = {"ZT_UPSTREAM_DATA": str(tmp_path / "data"), "PYTHONPATH": str(ROOT / ".build"), "PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert ("2 passed" if there else "1 skipped") in done.stdout, done.stdout + done.stderr
