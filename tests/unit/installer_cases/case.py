# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run one test case in the installer's format against our modules."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.archive import Archive
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.installer import UNBUILT, Installer
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.script import Script

RELEASE_IMAGE = "quay.io/openshift-release-dev/ocp-release:{version}-x86_64"


def run_case(case: Archive, directory: Path, *, base: Path, version: str, secrets: BuildSecrets) -> None:
    """Run the script of a case in an empty directory.

    Raises ScriptFailure, and Skipped for a command without a counterpart here.
    """
    image = RELEASE_IMAGE.format(version=version)
    case = Archive(case.script, {name: text.replace(UNBUILT, version) for name, text in case.files.items()})
    work = directory / "case"
    work.mkdir()
    script = Script(
        case, work, Installer(directory / "scratch", base, version, image, secrets), {"RELEASE_IMAGE": image}
    )
    script.run()
    assert script.compared, "nothing of this case was compared"
    for left_out in script.left_out:
        print(f"left out: {left_out}")
