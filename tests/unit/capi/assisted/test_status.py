# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which step each Machine has reached on its way to a Node, as read from its Kubernetes objects."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.status import (
    ControlPlaneProgress,
    machine_statuses,
    missing,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agents
from ansible_collections.zerotouch.openshift.tests.support.hub.agents import agent

WAITING = {"type": "DataSecretAvailable", "status": "False", "reason": "WaitingForInstallComplete", "message": ""}
CONFIG = {"metadata": {"name": "m"}, "status": {"v1beta1Conditions": [WAITING]}}
DONE = {"metadata": {"name": "m"}, "status": {"v1beta1Conditions": [{**WAITING, "status": "True", "reason": ""}]}}


def machine(**status: Any) -> dict[str, Any]:
    return {"metadata": {"name": "m"}, "spec": {"bootstrap": {"configRef": {"name": "m"}}}, "status": status}


@pytest.mark.parametrize(
    ("config", "infra_envs", "agents", "status", "step"),
    [
        ({}, set(), [], {}, "no InfraEnv yet"),
        ({"m": CONFIG}, set(), [], {}, "WaitingForInstallComplete"),
        ({"m": DONE}, {"m"}, [], {}, "its host has not registered yet"),
        ({"m": DONE}, {"m"}, [agent(1, infra_env="m", state="known")], {}, "Agent known"),
        ({"m": DONE}, {"m"}, [agent(1, infra_env="other", state="known")], {}, "its host has not registered yet"),
        (
            {"m": DONE},
            {"m"},
            [agent(1, infra_env="m", state="installing", approved=True), agent(2, infra_env="m", state="known")],
            {},
            "Agent installing",
        ),
        ({"m": DONE}, {"m"}, [agent(1, infra_env="m", state="installed")], {"nodeRef": {"name": "n"}}, "Node n"),
    ],
)
def test_steps(config: Any, infra_envs: set[str], agents: list[Any], status: Any, step: str) -> None:
    [row] = machine_statuses([machine(**status)], config, infra_envs, read_agents(agents))
    assert row.step == step and row.role == "worker"


def test_control_plane_first_and_machines_that_go() -> None:
    label = {"cluster.x-k8s.io/control-plane": ""}
    plane = {"metadata": {"name": "z", "labels": label, "deletionTimestamp": "2026-01-01T00:00:00Z"}, "spec": {}}
    rows = machine_statuses([machine(), plane], {}, set(), [])
    assert [(row.name, row.role, row.step) for row in rows] == [
        ("z", "control-plane", "being deleted"),
        ("m", "worker", "no InfraEnv yet"),
    ]


UNREADABLE = (
    "failed to get k8s version from release image: unable to get image: image not found\nGET https://quay.io/v2/x: "
    "manifest unknown"
)


@pytest.mark.parametrize("installed", [False, True])
def test_a_release_image_that_cannot_be_read_is_named(installed: bool) -> None:
    """The provider writes no other condition about it, and goes no further."""
    found = {
        "type": "KubernetesVersionAvailable",
        "status": "False",
        "reason": "KubernetesVersionUnavailable",
        "message": UNREADABLE,
    }
    plane = {"metadata": {"name": "c1"}, "spec": {"distributionVersion": "4.99.0"}, "status": {"conditions": [found]}}
    secret = {"clusterMetadata": {"adminKubeconfigSecretRef": {"name": "s"}}}
    install = {"metadata": {"name": "c1"}, "spec": secret, "status": {"debugInfo": {"state": "adding-hosts"}}}
    progress = ControlPlaneProgress(
        cluster={"metadata": {"name": "c1"}}, control_plane=plane, install=install if installed else None
    )
    [first, *_rest] = missing(progress, "ready")
    assert first == f"the control plane provider cannot read the release image: {UNREADABLE}".replace("\n", " ")
