# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Which tests hold the lab's service to which part of reference assisted-rest.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .scripted import SWAGGER

HERE = Path(__file__).parent
REFERENCE = SWAGGER.parents[1] / "reference" / "assisted-rest.md"
# Section: the files that hold the lab to it; test_recorded.py replays what a real service answered, by scenario.
COVERED: dict[str, tuple[str, ...]] = {
    "1": ("test_api_errors.py", "test_api_clusters.py", "test_description.py"),
    "1.1": ("test_api_errors.py", "recorded/access.json"),
    "1.2": ("test_auth.py", "test_api_errors.py", "recorded/access.json"),
    "2": ("test_description.py",),
    "3": ("test_api_clusters.py",),
    "3.1": ("test_cluster_params.py", "recorded/creations.json"),
    "3.2": ("test_cluster_params.py", "test_api_clusters.py", "recorded/changes.json"),
    "3.3": ("test_cluster_params.py", "recorded/creations.json"),
    "3.4": ("test_api_clusters.py", "recorded/changes.json"),
    "3.5": ("test_api_flows.py", "recorded/imports.json"),
    "4": ("test_api_infra_envs.py",),
    "4.1": ("test_api_infra_envs.py", "recorded/infra_envs.json"),
    "4.2": ("test_api_infra_envs.py",),
    "4.3": ("test_api_infra_envs.py", "recorded/infra_envs.json"),
    "4.4": ("test_api_infra_envs.py", "recorded/infra_envs.json"),
    "5": ("test_api_hosts.py",),
    "5.1": ("test_api_hosts.py", "recorded/registration.json"),
    "5.2": ("test_api_hosts.py", "recorded/changes_of_a_host.json"),
    "5.3": ("test_api_flows.py", "recorded/late_binding.json"),
    "6": ("test_parts.py",),
    "6.1": ("test_parts.py", "recorded/registration.json"),
    "6.2": ("test_parts.py", "test_api_hosts.py", "recorded/single_node.json"),
    "6.3": ("test_parts.py", "recorded/registration.json"),
    "7": ("test_flow.py",),
    "7.1": ("test_machine_cluster.py", "recorded/three_nodes.json"),
    "7.2": ("test_machine_host.py", "recorded/three_nodes.json"),
    "7.3": ("test_machine_host.py", "recorded/single_node.json"),
    "7.4": ("test_machine_host.py", "recorded/single_node.json"),
    "8": ("test_validations.py", "recorded/three_nodes.json"),
    "8.1": ("test_validations.py", "recorded/three_nodes.json"),
    "8.2": ("test_validations.py", "recorded/three_nodes.json"),
    "8.3": ("test_validations.py", "recorded/three_nodes.json"),
    "8.4": ("test_validations.py", "recorded/three_nodes.json"),
    "8.5": ("test_validations.py",),
    "8.6": ("test_api_clusters.py", "recorded/changes.json"),
    "9": ("test_api_manifests.py", "recorded/manifests.json"),
    "10": ("test_api_files.py", "recorded/three_nodes.json"),
    "11": ("test_api_files.py",),
    "12": ("test_api_catalogue.py", "recorded/access.json"),
    "13": ("test_machine_cluster.py", "test_machine_host.py"),
    "14": ("test_flow.py", "recorded/three_nodes.json"),
}


@pytest.mark.skipif(not REFERENCE.exists(), reason="no ../shared/reference beside the checkout")
def test_every_section_is_held() -> None:
    sections = re.findall(r"^##+ (\d+(?:\.\d+)?)\.? ", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(set(sections)) == sorted(COVERED)


def test_the_tests_named_are_there() -> None:
    assert [name for names in COVERED.values() for name in names if not (HERE / name).is_file()] == []
