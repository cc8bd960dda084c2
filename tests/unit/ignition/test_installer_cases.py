# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Files of the image against the installer's own integration cases: the same input gives the same text."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.checked import all_problems
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import read_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import errors
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.live import OsImage, build_live_ignition
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.cluster_manifests import render_manifests

CASES = Path(__file__).resolve().parents[3].parent / "shared" / "installer-cases" / "image"
WITH_EXPECTATIONS = sorted(path for path in CASES.rglob("*.txt") if "isocmp " in path.read_text()) if CASES.is_dir() else []
# What an installer that was built without a release calls itself, and its release image.
UNBUILT, RELEASE_IMAGE = "was not built correctly", "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"


def files_of(text: str) -> dict[str, str]:
    """The files of a txtar archive; "" is the script before the first one."""
    parts = re.split(r"^-- (.+) --\n", text, flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared installer-cases folder is not beside the checkout")
def test_there_are_cases() -> None:
    assert len(WITH_EXPECTATIONS) >= 7


@pytest.mark.parametrize("case", WITH_EXPECTATIONS, ids=lambda path: path.stem)
def test_the_installers_case(case: Path, tmp_path: Path, secrets: BuildSecrets, os_image: OsImage) -> None:
    files = files_of(case.read_text())
    for name, text in files.items():
        if name and not name.startswith("expected/"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
    parsed = read_directory(tmp_path, version="4.22.0", release_image=RELEASE_IMAGE)
    assert [problem.text() for problem in errors(all_problems(parsed, today=datetime.date(2026, 1, 1)))] == []
    assert parsed.deployment is not None
    live = build_live_ignition(parsed.deployment, render_manifests(parsed.deployment), secrets, os_image)
    compared = re.findall(r"^isocmp \S+ (\S+) (\S+)$", files[""], flags=re.MULTILINE)
    assert compared
    for path, expected in compared:
        file = live.file(path)
        assert file is not None, path
        wanted = files[expected].replace(UNBUILT, "4.22.0").replace("$RELEASE_IMAGE", RELEASE_IMAGE)
        # txtar ends every file with a newline, whether or not the original has one.
        assert file.content.decode().rstrip("\n") == wanted.rstrip("\n"), path
