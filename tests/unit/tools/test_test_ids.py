# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test tools/test-ids: which tests it finds, and that a lost test without a line in tests/removed.md is an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[3] / "tools" / "test-ids"
if not PROGRAM.exists():
    pytest.skip("tools/ is not part of the artifact", allow_module_level=True)

MODULE = """
import pytest
if pytest:
    def test_a(): ...
else:
    async def test_b(): ...
class TestC:
    def test_d(self):
        def test_inner(): ...
    def helper(self): ...
    class TestE:
        def test_f(self): ...
TestMachine = pytest.TestCase
TESTED = 1
"""
IDS = ["TestC::TestE::test_f", "TestC::test_d", "TestMachine", "test_a", "test_b"]
FILE = "tests/unit/test_x.py"


def check(root: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, PROGRAM, "--root", root, *arguments], capture_output=True, text=True, check=False
    )
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tests/unit").mkdir(parents=True)
    (tmp_path / FILE).write_text(MODULE)
    assert check(tmp_path, "--write") == (0, "")
    return tmp_path


def listed(tree: Path) -> list[str]:
    return (tree / "tests/ids.txt").read_text().splitlines()


def test_every_form_of_a_test_is_found(tree: Path) -> None:
    assert listed(tree) == [f"{FILE}::{name}" for name in IDS]
    assert check(tree) == (0, "")


def test_a_new_test_belongs_to_the_list(tree: Path) -> None:
    (tree / "lab/tests").mkdir(parents=True)
    (tree / "lab/tests/test_y.py").write_text("def test_g(): ...\n")
    code, output = check(tree)
    assert (code, output) == (
        1,
        (
            "tests/ids.txt lacks 1 tests (lab/tests/test_y.py::test_g is the first). Run tools/test-ids --write and "
            "commit the list.\n"
        ),
    )
    assert check(tree, "--write") == check(tree) == (0, "")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", "restore it, or say in tests/removed.md"),
        (f"* `{FILE}::test_a`", "its line in tests/removed.md has no reason"),
        (
            f"* `{FILE}::test_a` -> `{FILE}::test_z`",
            (f"tests/removed.md says it is now {FILE}::test_z, which is not there either"),
        ),
        (f"* `{FILE}::test_b`: another test", "restore it"),
        (f"* `{FILE}::test_a`: test_b covers it.", ""),
        (f"* `{FILE}::test_a` -> `{FILE}::test_b`", ""),
        (f"* `{FILE}`: the file is not needed.", ""),
    ],
)
def test_a_removed_test_needs_a_line(tree: Path, line: str, problem: str) -> None:
    (tree / "tests/removed.md").write_text(f"# Removed\n\n{line}\n")
    (tree / FILE).write_text(MODULE.replace("def test_a(): ...", "pass"))
    code, output = check(tree, "--write")
    assert (code, problem in output) == (int(bool(problem)), True)
    assert len(listed(tree)) == 5 - (not problem), "the list keeps a test that has no line"


def test_a_moved_file_needs_one_line(tree: Path) -> None:
    moved = "tests/unit/test_moved.py"
    (tree / FILE).rename(tree / moved)
    (tree / "tests/removed.md").write_text(f"* `{FILE}` -> `{moved}`\n")
    assert check(tree, "--write") == (0, "")
    assert listed(tree) == [f"{moved}::{name}" for name in IDS]
