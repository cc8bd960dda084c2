# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the MachineSets and MachineDeployments that HyperShift creates for NodePools."""

from __future__ import annotations

from typing import Any

import pytest
from ztlab.hub.hypershift import naming
from ztlab.hub.hypershift.remediation import health_check
from ztlab.hub.hypershift.scalable import Owner, Target, max_unavailable, replicas, rolled_out, scalable, seconds

from .pools import hosted, pool

OWNER = Owner("guest-abcde", "guest", "clusters-guest")
TARGET = Target("pool-f8d26e22", "user-data-pool-1", "4.22.0", "c0ffee00", "c0ffee01")
LABEL = "guest-abcde-guest-pool"


def test_a_machine_set_in_the_old_version() -> None:
    made = scalable(
        pool(replicas=3, nodeDrainTimeout="30s", nodeLabels={"zone": "a"}, taints=[]),
        OWNER,
        TARGET,
        None,
        v1beta2=False,
    )
    assert made["spec"]["selector"] == {"matchLabels": {LABEL: LABEL}}
    assert made["spec"]["replicas"] == 3
    template = made["spec"]["template"]
    assert template["metadata"]["labels"] == {
        LABEL: LABEL,
        "cluster.x-k8s.io/cluster-name": "guest-abcde",
        "managed.hypershift.openshift.io.zone": "a",
    }
    assert template["metadata"]["annotations"] == {naming.NODE_POOL: "clusters/pool", naming.TAINTS: "[]"}
    assert template["spec"] == {
        "clusterName": "guest-abcde",
        "bootstrap": {"dataSecretName": "user-data-pool-1"},
        "infrastructureRef": {
            "apiVersion": "capi-provider.agent-install.openshift.io/v1beta1",
            "kind": "AgentMachineTemplate",
            "name": "pool-f8d26e22",
            "namespace": "clusters-guest",
        },
        "version": "4.22.0",
        "nodeDrainTimeout": "30s",
    }
    assert (
        made["annotations"][naming.CURRENT_CONFIG_VERSION]
        == made["annotations"][naming.TARGET_CONFIG_VERSION]
        == "c0ffee01"
    )
    assert made["annotations"][naming.AUTOSCALER_MIN] == made["annotations"][naming.AUTOSCALER_MAX] == "0"


def test_a_machine_deployment_in_the_new_version() -> None:
    made = scalable(
        pool(upgrade="Replace", replicas=1, nodeDrainTimeout="1m30s", nodeLabels={"zone": "a"}),
        OWNER,
        TARGET,
        None,
        v1beta2=True,
    )
    assert made["spec"]["selector"] == {"matchLabels": {LABEL: LABEL, "cluster.x-k8s.io/cluster-name": "guest-abcde"}}
    assert made["spec"]["rollout"] == {
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    }
    template = made["spec"]["template"]
    assert template["metadata"]["annotations"] == {naming.NODE_POOL: "clusters/pool", naming.RELEASE_VERSION: "4.22.0"}
    assert "managed.hypershift.openshift.io.zone" not in template["metadata"]["labels"], (
        "labels of a pool that replaces would roll it"
    )
    assert template["spec"]["deletion"] == {"nodeDrainTimeoutSeconds": 90}
    group = "capi-provider.agent-install.openshift.io"
    assert template["spec"]["infrastructureRef"] == {
        "apiGroup": group,
        "kind": "AgentMachineTemplate",
        "name": "pool-f8d26e22",
    }


def test_a_machine_set_that_exists_keeps_what_its_nodes_have() -> None:
    made = scalable(pool(), OWNER, TARGET, {"spec": {"replicas": 4}}, v1beta2=True)
    assert naming.CURRENT_CONFIG_VERSION not in made["annotations"]
    assert made["spec"]["replicas"] == 0, "no replicas counts as 0"


@pytest.mark.parametrize(("present", "wanted"), [(None, 2), (0, 2), (3, 3), (9, 5)])
def test_autoscaling_keeps_the_number_within_its_limits(present: int | None, wanted: int) -> None:
    assert replicas(pool(autoScaling={"min": 2, "max": 5}), present) == wanted


@pytest.mark.parametrize(
    ("provided", "count", "wanted"),
    [
        ({}, 10, 1),
        ({"maxUnavailable": 3}, 10, 3),
        ({"maxUnavailable": "25%"}, 10, 2),
        ({"maxUnavailable": "1%"}, 10, 1),
    ],
)
def test_max_unavailable(provided: dict[str, Any], count: int, wanted: int) -> None:
    item = pool(replicas=count)
    item["spec"]["management"]["inPlace"] = provided
    assert max_unavailable(item) == wanted


def test_a_percentage_without_a_number_is_one() -> None:
    item = pool(autoScaling={"min": 10, "max": 20})
    item["spec"]["management"]["inPlace"] = {"maxUnavailable": "50%"}
    assert max_unavailable(item) == 1


@pytest.mark.parametrize(("text", "wanted"), [("0s", 0), ("30s", 30), ("1h1m1s", 3661), ("1.5m", 90), ("500ms", 1)])
def test_durations(text: str, wanted: int) -> None:
    assert seconds(text) == wanted


def test_when_a_rollout_is_over() -> None:
    notes = {naming.CURRENT_CONFIG_VERSION: "a", naming.TARGET_CONFIG_VERSION: "a"}
    assert rolled_out({"metadata": {"annotations": notes}, "spec": {}}, replace=False)
    assert not rolled_out(
        {"metadata": {"annotations": notes | {naming.TARGET_CONFIG_VERSION: "b"}}, "spec": {}}, replace=False
    )
    status = {"observedGeneration": 2, "replicas": 2, "upToDateReplicas": 2, "availableReplicas": 2}
    item = {"metadata": {"generation": 2}, "spec": {"replicas": 2}, "status": status}
    assert rolled_out(item, replace=True)
    for member in status:
        assert not rolled_out({**item, "status": status | {member: 1}}, replace=True), member


def test_health_checks() -> None:
    item, cluster = pool(), hosted(infraID="guest-abcde")
    cluster["metadata"]["annotations"] = {
        f"{naming.PREFIX}machine-health-check-timeout": "5m0s",
        f"{naming.PREFIX}machine-health-check-max-unhealthy": "?",
    }
    item["metadata"]["annotations"] = {f"{naming.PREFIX}machine-health-check-node-startup-timeout": "90m"}
    made = health_check(item, cluster, v1beta2=True)
    assert made["checks"]["nodeStartupTimeoutSeconds"] == 5400
    assert [entry["timeoutSeconds"] for entry in made["checks"]["unhealthyNodeConditions"]] == [300, 300]
    assert made["remediation"]["triggerIf"]["unhealthyLessThanOrEqualTo"] == 2
    old = health_check(item, cluster, v1beta2=False)
    assert (old["nodeStartupTimeout"], old["maxUnhealthy"], old["selector"]) == (
        "90m",
        2,
        {"matchLabels": {LABEL: LABEL}},
    )
