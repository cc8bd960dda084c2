# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""List the tests that compare each part of the lab's service with openshift/assisted-service swagger.yaml and with
recorded answers of a real service, and check that these tests exist.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
# Subject: the files with its tests. test_recorded.py compares with recorded answers of a real service, by scenario.
COVERED: dict[str, tuple[str, ...]] = {
    "Conventions": ("test_api_errors.py", "test_api_clusters.py", "test_description.py"),
    "Error bodies": ("test_api_errors.py", "recorded/access.json"),
    "Authentication": ("test_auth.py", "test_api_errors.py", "recorded/access.json"),
    "Endpoint index": ("test_description.py",),
    "Clusters": ("test_api_clusters.py",),
    "cluster-create-params": ("test_cluster_params.py", "recorded/creations.json"),
    "PATCH (v2-cluster-update-params)": ("test_cluster_params.py", "test_api_clusters.py", "recorded/changes.json"),
    "Pull secret": ("test_cluster_params.py", "recorded/creations.json"),
    "Install-config overrides": ("test_api_clusters.py", "recorded/changes.json"),
    "Import and day 2": ("test_api_flows.py", "recorded/imports.json"),
    "Infra-envs": ("test_api_infra_envs.py",),
    "infra-env-create-params": ("test_api_infra_envs.py", "recorded/infra_envs.json"),
    "Discovery ignition": ("test_api_infra_envs.py",),
    "Image URL and boot artifacts": ("test_api_infra_envs.py", "recorded/infra_envs.json"),
    "Static network configuration": ("test_api_infra_envs.py", "recorded/infra_envs.json"),
    "Hosts": ("test_api_hosts.py",),
    "Registration (agent)": ("test_api_hosts.py", "recorded/registration.json"),
    "PATCH host (host-update-params) → 201 host": ("test_api_hosts.py", "recorded/changes_of_a_host.json"),
    "Actions": ("test_api_flows.py", "recorded/late_binding.json"),
    "Agent steps": ("test_parts.py",),
    "Which steps in which status": ("test_parts.py", "recorded/registration.json"),
    "Arguments and replies": ("test_parts.py", "test_api_hosts.py", "recorded/single_node.json"),
    "Inventory": ("test_parts.py", "recorded/registration.json"),
    "State machines": ("test_flow.py",),
    "Cluster status": ("test_machine_cluster.py", "recorded/three_nodes.json"),
    "Host status": ("test_machine_host.py", "recorded/three_nodes.json"),
    "Re-registration (agent starts again)": ("test_machine_host.py", "recorded/single_node.json"),
    "Installation stages": ("test_machine_host.py", "recorded/single_node.json"),
    "Validations": ("test_validations.py", "recorded/three_nodes.json"),
    "Host, category network": ("test_validations.py", "recorded/three_nodes.json"),
    "Host, category hardware": ("test_validations.py", "recorded/three_nodes.json"),
    "Host and cluster, category operators": ("test_validations.py", "recorded/three_nodes.json"),
    "Cluster": ("test_validations.py", "recorded/three_nodes.json"),
    "Requirements (defaults)": ("test_validations.py",),
    "Ignoring validations": ("test_api_clusters.py", "recorded/changes.json"),
    "Manifests": ("test_api_manifests.py", "recorded/manifests.json"),
    "Credentials and kubeconfig": ("test_api_files.py", "recorded/three_nodes.json"),
    "Logs and events": ("test_api_files.py",),
    "Catalogue endpoints": ("test_api_catalogue.py", "recorded/access.json"),
    "Timeouts (defaults)": ("test_machine_cluster.py", "test_machine_host.py"),
    "Minimal flow and measured pace": ("test_flow.py", "recorded/three_nodes.json"),
}


def test_the_tests_named_are_there() -> None:
    assert [name for names in COVERED.values() for name in names if not (HERE / name).is_file()] == []
