# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The metadata of the collection agrees in all files: galaxy.yml, meta, requirements, changelog."""

from __future__ import annotations

import fnmatch
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]


def requirements(path: Path) -> set[str]:
    return {line.strip() for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")}


def test_execution_environment_and_checkout_need_the_same() -> None:
    run = requirements(ROOT / "requirements" / "run.txt")
    assert requirements(ROOT / "meta" / "ee-requirements.txt") == {
        line for line in run if not line.startswith("ansible")
    }
    assert run - {"ansible>=12"} <= requirements(ROOT / "requirements" / "matrix.txt")


def test_only_loose_ranges() -> None:
    for path in [*(ROOT / "requirements").glob("*.txt"), ROOT / "meta" / "ee-requirements.txt"]:
        assert not [line for line in requirements(path) if re.search(r"==|<|~=", line)], path


# The first release without a known advisory; requirements/run.txt names the advisories.
SAFE = {"cryptography": (50,), "PyYAML": (5, 4), "requests": (2, 33), "urllib3": (2, 8)}


def test_no_floor_has_a_known_advisory() -> None:
    lab = set(tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text())["project"]["dependencies"])
    files = {
        path: requirements(path)
        for path in [*(ROOT / "requirements").glob("*.txt"), ROOT / "meta" / "ee-requirements.txt"]
    }
    for path, lines in {**files, ROOT / "lab" / "pyproject.toml": lab}.items():
        for name, _operator, version in (line.partition(">=") for line in lines):
            floor = tuple(int(part) for part in version.split(".") if part.isdigit())
            assert floor >= SAFE.get(name, ()), f"{path}: {name}>={version}"
    assert set(SAFE) <= {line.partition(">=")[0] for line in files[ROOT / "requirements" / "run.txt"]}


def test_required_ansible() -> None:
    assert yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())["requires_ansible"] == ">=2.16.0"


def test_nothing_ignored() -> None:
    for path in (ROOT / "tests" / "sanity").glob("ignore-*.txt"):
        assert path.read_text() == "", path
    config = yaml.safe_load((ROOT / ".ansible-lint").read_text())
    assert config["profile"] == "production"
    assert not {"skip_list", "warn_list"} & set(config)
    assert not (ROOT / ".ansible-lint-ignore").exists()


def test_the_artifact_holds_what_users_need() -> None:
    """Each entry at the top of the repository goes to users or is ignored, by a decision: tests, the lab and a user's
    own files stay here.
    """
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: what is tracked is not known")
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    entries = {path.partition("/")[0] for path in tracked}
    ignored = yaml.safe_load((ROOT / "galaxy.yml").read_text())["build_ignore"]
    left = {entry for entry in entries if not any(fnmatch.fnmatchcase(entry, pattern) for pattern in ignored)}
    users = set(
        (
            "CHANGELOG.md CONTRIBUTING.md LICENSE README.md changelogs docs extensions galaxy.yml inventories meta "
            "playbooks plugins requirements.yml roles"
        ).split()
    )
    # The how-to of controllers builds images from them.
    environments = {"execution-environment.yml", "execution-environment-libvirt.yml"}
    assert left == users | environments | {"tests"}
    assert {"tests/unit", "tests/integration", "tests/benchmarks", "tests/support"} <= set(ignored)


def test_nothing_unfinished() -> None:
    """No TODO, no stub: what is not done is in an issue, not in the code."""
    word = re.compile(r"\b(TODO|FIXME|XXX)\b")
    found = []
    for folder in ("plugins", "roles", "playbooks", "lab"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".yml", ".j2", ".md"} and word.search(path.read_text()):
                found.append(str(path.relative_to(ROOT)))
    assert not found
