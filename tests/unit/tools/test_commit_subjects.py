# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test tools/commit-subjects: which commits it checks, its output, and its result if there is nothing to check."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[3] / "tools" / "commit-subjects"
if not PROGRAM.exists():
    pytest.skip("tools/ is not part of the artifact", allow_module_level=True)
if not shutil.which("git"):
    pytest.skip("git is not installed", allow_module_level=True)


def git(directory: Path, *arguments: str) -> str:
    identity = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.com",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "init.defaultBranch=main",
    ]
    return subprocess.run(
        ["git", *identity, *arguments], cwd=directory, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(directory: Path, subject: str) -> str:
    git(directory, "commit", "--allow-empty", "-m", subject)
    return git(directory, "rev-parse", "HEAD")


def check(first: str, directory: Path) -> tuple[int, str]:
    # A directory of tests may be inside of another repository.
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(directory.parent)}
    run = subprocess.run([PROGRAM, first, directory], capture_output=True, text=True, env=environment, check=False)
    return run.returncode, run.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    directory = tmp_path / "repository"
    directory.mkdir()
    git(directory, "init", "-q")
    commit(directory, "before the rule: " + "x" * 100)
    return directory


@pytest.mark.parametrize(
    ("subject", "ok"), [("x" * 72, True), ("ä" * 72, True), ("x" * 73, False), ("a  b " + "x" * 70, False)]
)
def test_subjects_after_a_commit(repository: Path, subject: str, ok: bool) -> None:
    first = git(repository, "rev-parse", "HEAD")
    commit(repository, subject)
    commit(repository, "last")
    status, output = check(first, repository)
    assert status == (0 if ok else 1)
    assert (subject in output, "at most 72 characters" in output) == (not ok, not ok)


def test_a_merge_has_the_subject_of_git(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "-q", "-b", "other")
    commit(repository, "other")
    git(repository, "checkout", "-q", "main")
    commit(repository, "main")
    git(repository, "merge", "-q", "--no-ff", "-m", "Merge " + "x" * 80, "other")
    assert check(first, repository) == (0, "")


def test_a_shallow_clone_is_skipped(repository: Path, tmp_path: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    commit(repository, "x" * 100)
    commit(repository, "last")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "shallow")
    assert check(first, tmp_path / "shallow") == (0, f"skipped: commit {first} is not in the history of this clone.\n")


def test_a_copy_without_git_is_skipped(tmp_path: Path) -> None:
    assert check("HEAD", tmp_path) == (0, "skipped: this copy has no git history.\n")
