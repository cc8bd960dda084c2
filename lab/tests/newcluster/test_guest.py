# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the simulated cluster of a hosted control plane: its pods, evictions, and how it reaches its version."""

from __future__ import annotations

from typing import Any

import pytest
from ztlab.clock import LabClock
from ztlab.faults import Faults
from ztlab.kubeapi.errors import ApiError
from ztlab.newcluster import pki
from ztlab.newcluster.eviction import allowed, selects
from ztlab.newcluster.guest import GuestCluster


class Stopped(LabClock):
    """A clock that only the test advances."""

    def __init__(self) -> None:
        super().__init__()
        self.moment = 0.0

    def now(self) -> float:
        return self.moment


class Guest(GuestCluster):
    """Moved manually."""

    def __init__(self, *, resolves: bool = True) -> None:
        made = {name: pki.new_authority(name) for name in pki.SIGNERS}
        signers = {name: (signer.pem, pki.key_pem(signer)) for name, signer in made.items()}
        self.time = Stopped()
        super().__init__(
            name="guest",
            base_domain="example.com",
            version="4.22.0",
            signers=signers,
            clock=self.time,
            faults=Faults(),
            cluster_id="c",
            endpoint=("10.0.0.5", 30000),
            resolves=lambda name: resolves,
        )

    def go(self, seconds: float) -> None:
        for _step in range(int(seconds / 10)):
            self.time.moment += 10
            self.tick()

    def join(self, name: str) -> None:
        """Boot a kubelet and approve what it asks for."""
        self.node_booted(name, "worker", "10.0.0.60")
        for _kind in range(2):
            self.go(10)
            for item in self.store.list(self.nodes.csr_kind):
                if not (item.get("status") or {}).get("conditions"):
                    item["status"] = {"conditions": [{"type": "Approved", "status": "True", "reason": "Test"}]}
                    self.store.update(self.nodes.csr_kind, item, subresource="approval")
        self.go(100)

    def pods(self) -> dict[str, str]:
        """Application -> node, of pods that a drain evicts."""
        listed = [
            pod
            for pod in self.store.list(self.registry.by_kind("Pod"))
            if pod["metadata"].get("ownerReferences", [{}])[0].get("kind") != "DaemonSet"
        ]
        return {
            pod["metadata"].get("labels", {}).get("app", pod["metadata"]["name"]): pod["spec"].get("nodeName", "")
            for pod in listed
        }

    def cordon(self, name: str) -> None:
        node = self.store.get(self.nodes.node_kind, name)
        self.store.update(self.nodes.node_kind, {**node, "spec": {**(node.get("spec") or {}), "unschedulable": True}})

    def evict(self, name: str, namespace: str) -> Any:
        return self.registry.by_kind("Pod").actions["eviction"](self.store, namespace, name, {})


def test_no_controller_approves() -> None:
    guest = Guest()
    guest.node_booted("worker-0", "master", "10.0.0.60", automatic=True)
    guest.go(120)
    (request,) = guest.store.list(guest.nodes.csr_kind)
    assert not (request.get("status") or {}).get("conditions")
    assert guest.nodes.kubelets["worker-0"].role == "worker"


def test_pods_move_when_a_node_is_drained() -> None:
    guest = Guest()
    guest.go(50)
    assert guest.pods() == {}, "no node, no pod"
    guest.join("worker-0")
    assert set(guest.pods().values()) == {"worker-0"} and set(guest.pods()) == {
        "router-default",
        "console",
        "prometheus-k8s",
    }
    guest.join("worker-1")
    guest.cordon("worker-0")
    for pod in guest.store.list(guest.registry.by_kind("Pod")):
        if pod["metadata"]["ownerReferences"][0]["kind"] == "ReplicaSet":
            assert guest.evict(pod["metadata"]["name"], pod["metadata"]["namespace"])["status"] == "Success"
    guest.go(10)
    assert set(guest.pods().values()) == {"worker-1"} and len(guest.pods()) == 3
    guest.store.delete(guest.nodes.node_kind, "worker-1")
    guest.go(10)
    assert guest.pods() == {}, "pods of a Node that is gone go; the other one is cordoned"


def test_users_pods_are_scheduled() -> None:
    guest = Guest()
    pods = guest.registry.by_kind("Pod")
    guest.store.create(pods, {"metadata": {"name": "mine"}, "spec": {"containers": []}}, "default")
    guest.go(10)
    assert guest.pods()["mine"] == ""
    guest.join("worker-0")
    assert guest.pods()["mine"] == "worker-0"
    assert guest.store.get(pods, "mine", "default")["status"]["phase"] == "Running"


def test_a_budget_forbids_an_eviction() -> None:
    guest = Guest()
    guest.join("worker-0")
    labels = {"app": "mine"}
    guest.store.create(
        guest.registry.by_kind("Pod"), {"metadata": {"name": "mine", "labels": labels}, "spec": {}}, "default"
    )
    guest.go(10)
    budget = {"metadata": {"name": "mine"}, "spec": {"maxUnavailable": 0, "selector": {"matchLabels": labels}}}
    guest.store.create(guest.registry.by_kind("PodDisruptionBudget", "policy"), budget, "default")
    with pytest.raises(ApiError) as refused:
        guest.evict("mine", "default")
    assert (refused.value.code, refused.value.reason) == (429, "TooManyRequests")
    with pytest.raises(ApiError) as refused:
        guest.evict("other", "default")
    assert refused.value.code == 404


@pytest.mark.parametrize(
    ("spec", "running", "pending", "wanted"),
    [
        ({"minAvailable": 1}, 2, 0, 1),
        ({"minAvailable": 2}, 2, 0, 0),
        ({"minAvailable": "50%"}, 4, 0, 2),
        ({"maxUnavailable": 1}, 2, 1, 0),
        ({"maxUnavailable": 1}, 3, 0, 1),
        ({"maxUnavailable": "34%"}, 3, 0, 2),
        ({}, 2, 0, 1),
    ],
)
def test_how_many_may_go(spec: dict[str, Any], running: int, pending: int, wanted: int) -> None:
    phases = ["Running"] * running + ["Pending"] * pending
    assert allowed({"spec": spec}, [{"metadata": {}, "status": {"phase": phase}} for phase in phases]) == wanted


def test_selectors() -> None:
    assert not selects(None, {"a": "1"})
    assert selects({}, {})
    expressions = [
        {"key": "a", "operator": "In", "values": ["1"]},
        {"key": "b", "operator": "DoesNotExist"},
        {"key": "a", "operator": "NotIn", "values": ["2"]},
    ]
    assert selects({"matchExpressions": expressions}, {"a": "1"})
    assert not selects({"matchExpressions": expressions}, {"a": "1", "b": ""})


def state(guest: Guest) -> list[tuple[str, str]]:
    return [(entry["version"], entry["state"]) for entry in guest.version_status["history"]]


def test_the_version_is_complete_with_a_worker_and_a_name_for_the_console() -> None:
    guest = Guest()
    guest.go(600)
    assert state(guest) == [("4.22.0", "Partial")]
    guest.join("worker-0")
    guest.go(60)
    assert state(guest) == [("4.22.0", "Completed")] and guest.installed
    guest.upgrade("4.22.1")
    guest.go(30)
    assert state(guest) == [("4.22.1", "Partial"), ("4.22.0", "Completed")]
    assert (
        next(entry["status"] for entry in guest.version_status["conditions"] if entry["type"] == "Available") == "True"
    )
    guest.go(600)
    assert state(guest) == [("4.22.1", "Completed"), ("4.22.0", "Completed")]


def test_without_a_name_for_the_console() -> None:
    guest = Guest(resolves=False)
    guest.join("worker-0")
    guest.go(600)
    assert state(guest) == [("4.22.0", "Partial")]
    operators = guest.store.list(guest.registry.by_kind("ClusterOperator", "config.openshift.io"))
    console = next(item for item in operators if item["metadata"]["name"] == "console")
    assert (
        "lookup console-openshift-console.apps.guest.example.com: no such host"
        in console["status"]["conditions"][0]["message"]
    )
