# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare rendered manifests byte for byte with those that an installer (November 2025, before 4.21) created from the
same files.

``installer_manifests.json`` has for each case its name, input files, and manifests by path; a manifest that is missing
there equals that of the first case. The file that the installer writes if nothing is mirrored is not recorded: ours has
other comments.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.cluster_manifests import render_manifests
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.mirrors import registries_conf
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.names import REGISTRIES_CONF
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.source import read_source, source_problems

VERSION = "4.20.0"
RELEASE_IMAGE = f"quay.io/openshift-release-dev/ocp-release:{VERSION}-x86_64"
RECORDED = json.loads((Path(__file__).parents[1] / "data" / "installer_manifests.json").read_text())
FIRST = {**RECORDED[0]["manifests"], REGISTRIES_CONF: registries_conf(())}


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["name"].replace(" ", "-"))
def test_as_the_installer_wrote_them(tmp_path: Path, case: dict[str, dict[str, str]]) -> None:
    for name, text in case["files"].items():
        (tmp_path / name).write_text(text)
    parsed = read_source(tmp_path, version=VERSION, release_image=RELEASE_IMAGE)
    refused = [
        problem.text()
        for problem in source_problems(parsed, image=False)
        if problem.severity == "error" and problem.layer == "installer"
    ]
    assert refused == [] and parsed.deployment is not None
    assert dict(render_manifests(parsed.deployment).files) == {**FIRST, **case["manifests"]}
