# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the installer's own integration test cases against our modules.

INSTALLER_CASES_VERSION sets the release of the cases if they do not contain it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import from_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import errors
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets, make_secrets
from ansible_collections.zerotouch.openshift.tests.support import live_image, upstream
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.archive import (
    Archive,
    command_lines,
    parse_line,
)
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.case import run_case
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.script import COMMANDS, Skipped

CASES = upstream.required("installer-cases")
FOUND = {
    path.relative_to(CASES).with_suffix("").as_posix(): Archive.parse(path.read_text())
    for path in sorted(CASES.rglob("*"))
    if path.suffix in (".txt", ".txtar")
}
CONFIGURED = [name for name, case in FOUND.items() if "install-config.yaml" in case.files]
REAL_INITRD = 101_000_000
# They come after a command that ends the case as skipped.
WITHOUT_COUNTERPART = {"unconfiguredIgnContains", "unconfiguredIgnCmp"}


def release_of_the_cases() -> str:
    """Return the release that the cases show by what they expect: manifests of older releases have an empty time of
    creation.
    """
    older = any(
        "creationTimestamp: null" in text
        for case in FOUND.values()
        for name, text in case.files.items()
        if "expected" in name
    )
    return os.environ.get("INSTALLER_CASES_VERSION") or ("4.20.0" if older else "4.22.0")


VERSION = release_of_the_cases()


@pytest.fixture(scope="session")
def secrets() -> BuildSecrets:
    return make_secrets()


@pytest.fixture(scope="session")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """CoreOS images by the size of their initrd in bytes."""
    directory = tmp_path_factory.mktemp("base")
    return functools.cache(
        lambda size: live_image.make_iso(directory / f"rhcos-{size}.iso", ignition=262144, initrd=bytes(size))
    )


@pytest.mark.parametrize("name", FOUND)
def test_case(name: str, tmp_path: Path, secrets: BuildSecrets, bases: Callable[[int], Path]) -> None:
    case = FOUND[name]
    # Where a case is about sizes, the base has that of a real one.
    base = bases(REAL_INITRD if "isoSize" in case.script else 6000)
    try:
        run_case(case, tmp_path, base=base, version=VERSION, secrets=secrets)
    except Skipped as reason:
        pytest.skip(str(reason))


def test_every_command_of_every_case_is_known() -> None:
    lines = [parse_line(number, text, {}) for case in FOUND.values() for number, text in command_lines(case.script)]
    assert {line.command for line in lines if line is not None} - set(COMMANDS) <= WITHOUT_COUNTERPART


@pytest.mark.parametrize("name", CONFIGURED)
def test_configurations_are_read_without_an_error(tmp_path: Path, name: str) -> None:
    for file in ("install-config.yaml", "agent-config.yaml"):
        if file in FOUND[name].files:
            (tmp_path / file).write_text(FOUND[name].files[file])
    deployment, problems = from_directory(tmp_path, version="4.22.0")
    assert errors(problems) == []
    assert deployment is not None
    assert deployment.cluster.domain == "ostest.test.metalkube.org"
