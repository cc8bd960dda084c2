# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test tools/steps, which runs the targets of `make test` and of .ci/run: it continues after a failure, starts no step
after its time limit, and prints the result of each step and the reasons of the skipped tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# `slow` sets the clock to 200. `tests` prints what pytest prints at its end.
MAKEFILE = """
quick slow broken tests:
	@echo $@ >>ran
	@$(DO_$@)

DO_quick = true
DO_slow = echo 200 >clock
DO_broken = false
DO_tests = echo "SKIPPED [2] tests/a.py:3: no libvirtd"; echo "SKIPPED [1] tests/b.py:4: no libvirtd"; \\
    echo "5 passed, 3 skipped in 0.10s"
"""

Steps = Callable[..., tuple[int, list[str], str]]


@pytest.fixture
def steps(tmp_path: Path) -> Steps:
    """Runs tools/steps in a directory of its own, in which the time is 100: return code, the steps that ran, and the
    lines from the summary on.
    """
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "steps", tmp_path / "tools" / "steps")
    (tmp_path / "Makefile").write_text(MAKEFILE)
    (tmp_path / "clock").write_text("100\n")
    date = tmp_path / "bin" / "date"
    date.parent.mkdir()
    date.write_text(f"#!/bin/sh\ncat {tmp_path}/clock\n")
    date.chmod(0o755)

    def run(*groups: str, until: str = "") -> tuple[int, list[str], str]:
        variables = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        done = subprocess.run(
            [tmp_path / "tools" / "steps", *groups],
            env={**variables, "PATH": f"{date.parent}:{os.environ['PATH']}", "UNTIL": until},
            capture_output=True,
            text=True,
            check=False,
        )
        ran = tmp_path / "ran"
        return done.returncode, ran.read_text().split() if ran.exists() else [], done.stdout.split("==== summary")[1]

    return run


def test_all_steps_run_though_one_failed(steps: Steps) -> None:
    code, ran, summary = steps("broken", "quick+slow")
    assert (code, ran[0], sorted(ran[1:])) == (1, "broken", ["quick", "slow"])
    assert [line.split()[:2] for line in summary.splitlines()[1:]] == [
        ["FAILED", "broken"],
        ["ok", "quick"],
        ["ok", "slow"],
    ]


@pytest.mark.parametrize(
    ("until", "expected"),
    [
        pytest.param("", ["slow", "quick", "tests"], id="no limit"),
        pytest.param("201", ["slow", "quick", "tests"], id="all in time"),
        pytest.param("200", ["slow"], id="over after the first step"),
        pytest.param("100", [], id="over at once"),
    ],
)
def test_no_step_starts_after_the_time_limit(steps: Steps, until: str, expected: list[str]) -> None:
    code, ran, summary = steps("slow", "quick", "tests", until=until)
    assert (code, ran) == (0, expected)
    left_out = [line.split()[2] for line in summary.splitlines() if line.startswith("left out")]
    assert left_out == ["slow", "quick", "tests"][len(expected) :]


def test_the_summary_counts_tests_and_reasons_of_skips(steps: Steps) -> None:
    code, _ran, summary = steps("tests")
    assert code == 0
    assert "5 passed, 3 skipped in 0.10s" in summary
    assert summary.rstrip().splitlines()[-1].split() == ["3", "no", "libvirtd"]
