# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the hub's decisions about an Agent, without a hub. They follow
openshift/assisted-service internal/controller/controllers/agent_controller.go.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from ztlab.clock import LabClock
from ztlab.faults import Faults
from ztlab.hub.agent_status import agent_status
from ztlab.hub.backend import Backend, BackendError
from ztlab.hub.client import Refused
from ztlab.hub.conditions.validations import validated
from ztlab.hub.controller import Retry
from ztlab.hub.day2 import hub_approves, remove_node
from ztlab.hub.names import NAMESPACE, Kind
from ztlab.hub.node_labels import inherited
from ztlab.hub.reclaim import put_reclaim
from ztlab.hub.restore import restore
from ztlab.service import machine_host
from ztlab.service.app import AssistedService
from ztlab.service.model import Cluster, Host, InfraEnv

INHERITED = "agent.agent-install.openshift.io/inherited-node-labels"
PROPAGATE = "infraenv.agent-install.openshift.io/propagate-node-labels"
STATE = "agent.agent-install.openshift.io/"


@pytest.mark.parametrize(
    ("listed", "before", "own", "labels", "names"),
    [
        ("zone, rack", "", {}, {"zone": "a", "rack": "7"}, "rack,zone"),
        ("zone,absent", "", {}, {"zone": "a"}, "zone"),
        ("zone", "rack,zone", {"zone": "a", "rack": "7"}, {"zone": "a"}, "zone"),
        ("", "zone", {"zone": "a", "mine": "x"}, {"mine": "x"}, ""),
        ("zone", "", {"zone": "mine"}, {"zone": "mine"}, ""),
        ("zone", "", {"zone": "a"}, {"zone": "a"}, ""),
        ("zone", "zone", {"zone": "old"}, {"zone": "a"}, "zone"),
        (" , ", "", {"mine": "x"}, {"mine": "x"}, ""),
    ],
)
def test_propagated_labels(listed: str, before: str, own: dict[str, str], labels: dict[str, str], names: str) -> None:
    infra_env = {"metadata": {"labels": {"zone": "a", "rack": "7"}, "annotations": {PROPAGATE: listed}}}
    agent = {"metadata": {"annotations": {INHERITED: before} if before else {}}, "spec": {"nodeLabels": own}}
    assert inherited(infra_env, agent) == (labels, names)


def test_pending_checks_are_part_of_what_fails() -> None:
    found = {
        "hardware": [
            {"status": status, "message": status} for status in ("success", "failure", "error", "pending", "disabled")
        ]
    }
    assert validated("agent", found, failing=True, pending=False).message == (
        "The agent's validations are failing: failure,error,pending"
    )
    assert validated("cluster", found, failing=True, pending=False).message == (
        "The cluster's validations are failing: failure,error,pending,disabled"
    )


def test_progress_without_a_stage_is_empty() -> None:
    host, cluster = Host("h", "e", role="worker"), Cluster("c", {"name": "spoke"})
    assert "progress" not in agent_status({}, host, cluster, [], "now", {})
    host.progress.stage = "Rebooting"
    assert agent_status({}, host, cluster, [], "now", {})["progress"]["progressStages"][-1] == "Done"


WITHOUT = {"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["baremetal"]}}


@pytest.mark.parametrize(
    ("spec", "overrides", "exists", "wanted"),
    [
        ({}, {}, False, True),
        ({}, {}, True, False),
        ({"networking": {"userManagedNetworking": True}}, {}, True, True),
        ({"provisionRequirements": {"controlPlaneAgents": 1}}, {}, True, True),
        ({"platformType": "BareMetal"}, WITHOUT, True, True),
        ({}, WITHOUT, True, False),
        (
            {"platformType": "BareMetal"},
            {"capabilities": {**WITHOUT["capabilities"], "baselineCapabilitySet": "vCurrent"}},
            True,
            False,
        ),
        (
            {"platformType": "BareMetal"},
            {
                "capabilities": {
                    "baselineCapabilitySet": "None",
                    "additionalEnabledCapabilities": ["baremetal", "MachineAPI"],
                }
            },
            True,
            False,
        ),
    ],
)
def test_whose_signing_requests_the_hub_approves(
    spec: dict[str, Any], overrides: dict[str, Any], exists: bool, wanted: bool
) -> None:
    assert hub_approves(spec, json.dumps(overrides) if overrides else "", bare_metal_host=exists) is wanted


def backend() -> Backend:
    made = Backend(
        AssistedService({"AUTH_TYPE": "none", "ENABLE_KUBE_API": "True"}, clock=LabClock(1), faults=Faults())
    )
    infra_env = InfraEnv("e-1", "rack")
    infra_env.kube_key = ("edge", "rack")
    cluster = Cluster("c-1", {"name": "spoke"})
    cluster.kube_key = ("edge", "spoke")
    made.core.state.infra_envs["e-1"], made.core.state.clusters["c-1"] = infra_env, cluster
    return made


def lost(*, bound: str = "", label: str = "rack", **annotations: str) -> dict[str, Any]:
    metadata = {
        "name": "h-1",
        "namespace": "edge",
        "labels": {"infraenvs.agent-install.openshift.io": label} if label else {},
    }
    metadata["annotations"] = {f"{STATE}{name.replace('_', '-')}": value for name, value in annotations.items()}
    return {
        "metadata": metadata,
        "spec": {"clusterDeploymentName": {"namespace": "edge", "name": bound}} if bound else {},
    }


@pytest.mark.parametrize(
    ("agent", "status", "monitored"),
    [
        (lost(bound="spoke"), "known", "discovering"),
        (lost(), "known-unbound", "discovering-unbound"),
        (lost(bound="spoke", state="installed"), "installed", "installed"),
    ],
)
def test_a_lost_host_is_restored(agent: dict[str, Any], status: str, monitored: str) -> None:
    made = backend()
    host = restore(made, agent, 5)
    assert host.status == status and made.host("h-1", "edge") is host
    machine_host.refresh(made.core, host)
    assert host.status == monitored


@pytest.mark.parametrize(
    ("stage", "wanted"),
    [("Rebooting", "Rebooting"), ("Waiting for ignition", "Waiting for ignition"), ("Dancing", ""), ("", "")],
)
def test_a_stage_that_does_not_exist_is_not_restored(stage: str, wanted: str) -> None:
    assert restore(backend(), lost(current_stage=stage), 5).progress.stage == wanted


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        (lost(label=""), "Missing InfraEnv name label"),
        (lost(label="other"), "InfraEnv with name 'other' is missing"),
        (lost(bound="other"), r"Failed to get cluster \(name: other namespace: edge\)"),
    ],
)
def test_a_restore_with_something_missing_fails(agent: dict[str, Any], text: str) -> None:
    made = backend()
    with pytest.raises(Retry, match=text):
        restore(made, agent, 5)
    assert not made.core.state.hosts


def test_a_host_of_another_namespace_is_not_restored() -> None:
    made = backend()
    made.core.state.hosts["e-1", "h-1"] = Host("h-1", "e-1", kube_namespace="elsewhere")
    assert made.host("h-1", "edge") is None
    text = r"Host with ID h-1 already exists in infraEnv e-1 \(namespace: elsewhere\). Cannot restore."
    with pytest.raises(BackendError, match=text):
        restore(made, lost(), 5)


class Spoke:
    """Records what is asked of a cluster; ``refuses``: code of each answer."""

    def __init__(self, refuses: int = 0) -> None:
        self.refuses, self.calls = refuses, []

    async def create(self, kind: Kind, body: dict[str, Any]) -> dict[str, Any]:
        self.calls.append((kind.kind, body))
        if self.refuses:
            raise Refused(self.refuses, "AlreadyExists", "it exists")
        return body

    async def patch(self, kind: Kind, _name: str, _namespace: str, body: dict[str, Any]) -> dict[str, Any]:
        self.calls.append((kind.kind, body))
        return body

    async def delete(self, _kind: Kind, _name: str) -> None:
        if self.refuses:
            raise Refused(self.refuses, "", "no answer")


@pytest.mark.parametrize("refuses", [0, 409])
def test_the_namespace_of_a_reclaim_allows_privileged_pods(refuses: int) -> None:
    spoke = Spoke(refuses)
    asyncio.run(put_reclaim(spoke, backend().core, Host("h-1", "e-1"), ""))  # type: ignore[arg-type]
    labels = [body["metadata"]["labels"] for kind, body in spoke.calls if kind == NAMESPACE.kind]
    assert labels[-1] == {"pod-security.kubernetes.io/enforce": "privileged"}


def test_a_node_that_does_not_exist_is_removed() -> None:
    asyncio.run(remove_node(Spoke(404), "w1"))  # type: ignore[arg-type]
    with pytest.raises(Refused):
        asyncio.run(remove_node(Spoke(500), "w1"))  # type: ignore[arg-type]
