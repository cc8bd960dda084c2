# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test tests/support/shard.py, the pytest plugin that runs as many tests as fit into a time limit.

``--shard TEXT`` sets the order of the test files. No file is started after the time ``--until``. For each failed test,
the plugin prints the command that runs this test alone.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[3] / ".build"
PLUGIN = "ansible_collections.zerotouch.openshift.tests.support.shard"
FILES = tuple(f"test_{letter}.py" for letter in "abcdef")


@pytest.fixture
def run(tmp_path: Path):
    def run(*arguments: str) -> str:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-v",
            "-rs",
            "-p",
            "no:cacheprovider",
            "-p",
            PLUGIN,
            "--rootdir",
            str(tmp_path),
            *arguments,
            str(tmp_path),
        ]
        return subprocess.run(
            command, cwd=tmp_path, env={"PYTHONPATH": str(BUILD)}, capture_output=True, text=True, check=False
        ).stdout

    return run


def write(directory: Path, body: str) -> None:
    for name in FILES:
        (directory / name).write_text(f"import time\n\ndef test_first():\n    {body}\n\ndef test_second():\n    pass\n")


def order(output: str) -> list[str]:
    return list(dict.fromkeys(line.split("::")[0] for line in output.splitlines() if "::" in line))


@pytest.mark.slow
def test_the_text_decides_the_order(tmp_path: Path, run) -> None:
    write(tmp_path, "pass")
    orders = {text: order(run("--shard", text)) for text in ("one", "two", "three", "")}
    assert all(sorted(found) == sorted(FILES) for found in orders.values())
    assert len({tuple(found) for found in orders.values()}) > 2
    assert orders[""] == sorted(FILES)
    assert order(run("--shard", "one")) == orders["one"]


def test_no_file_is_started_after_the_time(tmp_path: Path, run) -> None:
    until = int(time.time()) + 3600
    write(tmp_path, f"time.time = lambda: {until} + 1")
    output = run("--shard", "one", "--until", str(until))
    assert "share one: 1 files" in output
    assert f"{order(output)[0]}: 2" in output
    assert "SKIPPED [10]" in output
    assert "its time was over" in output


def test_a_failed_test_is_named_with_its_command(tmp_path: Path, run) -> None:
    write(tmp_path, "assert False")
    assert f"make one TEST='{FILES[0]}::test_first'" in run()
