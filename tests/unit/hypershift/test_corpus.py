# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test our validation rules for node pools and hosted clusters: each case of corpus.py gets its expected verdict.
tests/integration/test_hypershift_api.py checks the same cases with a real API.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import errors
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster import (
    rules as hosted_cluster_rules,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster.immutable import settled
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster.object import cluster_object
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool import rules as node_pool_rules
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.object import pool_object
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import merged
from ansible_collections.zerotouch.openshift.tests.unit.hypershift import corpus

# What the server fills in.
POOL_DEFAULTS = {
    "arch": "amd64",
    "management": {
        "autoRepair": False,
        "replace": {"strategy": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
    },
}
CLUSTER_DEFAULTS = {
    "autoscaling": {"scaling": "ScaleUpAndScaleDown"},
    "capabilities": {},
    "controllerAvailabilityPolicy": "HighlyAvailable",
    "infrastructureAvailabilityPolicy": "SingleReplica",
    "issuerURL": "https://kubernetes.default.svc",
    "olmCatalogPlacement": "management",
    "networking": {
        "networkType": "OVNKubernetes",
        "clusterNetwork": [{"cidr": "10.132.0.0/14"}],
        "serviceNetwork": [{"cidr": "172.31.0.0/16"}],
    },
    "etcd": {
        "managementType": "Managed",
        "managed": {"storage": {"type": "PersistentVolume", "persistentVolume": {"size": "8Gi"}}},
    },
}


def stored(made: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """An object as the server keeps it: with its defaults, without what a None has deleted."""
    if "replace" in (made["spec"].get("management") or {}):
        defaults = {**defaults, "management": {"autoRepair": False}}
    return dict(merged({}, {**made, "spec": merged(defaults, made["spec"])}))


@pytest.mark.parametrize("case", corpus.POOLS, ids=lambda case: case.name)
def test_pools(case: Any) -> None:
    before = stored(pool_object(case.before, None), POOL_DEFAULTS) if case.before else None
    found = errors(node_pool_rules.problems(case.options, before))
    assert [problem.path for problem in found][:1] == ([case.path] if case.verdict != "fine" else []), found


@pytest.mark.parametrize("case", corpus.CLUSTERS, ids=lambda case: case.name)
def test_clusters(case: Any) -> None:
    before = stored(cluster_object(case.before, exists=False), CLUSTER_DEFAULTS) if case.before else None
    found = hosted_cluster_rules.problems(case.options, before)
    if before is not None:
        found += settled(cluster_object(case.options, exists=True), before)[1]
    assert (case.path in [problem.path for problem in errors(found)]) is (case.verdict != "fine"), found
    assert case.verdict != "fine" or not found
