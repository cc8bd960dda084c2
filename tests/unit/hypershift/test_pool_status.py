# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the status of a node pool: conditions count only for its current generation. Missing fields decide nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.conditions import read_conditions
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.machine_status import (
    PoolMachineView,
    view_machine,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.status import (
    percent,
    skew,
    wait_status,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.view import PoolView, released
from ansible_collections.zerotouch.openshift.tests.support.hub import hosted as hub


def view(pool: Any, machines: int = 2, leaving: int = 0, cluster: Any = None) -> PoolView:
    going = [hub.machine(f"g{number}", deleting="DrainingNode") for number in range(leaving)]
    staying = [hub.machine(f"m{number}", node=f"n{number}") for number in range(machines)]
    return PoolView(
        "clusters",
        "edge-large",
        pool,
        cluster or hub.hosted_cluster(),
        tuple(view_machine(each, None, None) for each in staying + going),
    )


def pool(said: Mapping[str, Any] | None = None, replicas: int | None = 2, **more: Any) -> Any:
    return hub.node_pool(replicas, said={**hub.WELL, **(said or {})}, **more)


@pytest.mark.parametrize("target", ["none", "accepted", "replicas", "ready"])
def test_all_is_well(target: Any) -> None:
    assert wait_status(view(pool()), target).reached


@pytest.mark.parametrize(
    ("said", "final"),
    [
        ({"UpdateManagementEnabled": ("False", "ValidationFailed", "no rollingUpdate")}, True),
        ({"ValidReleaseImage": ("False", "ValidationFailed", "cannot be pulled")}, False),
        ({"IgnitionEndpointAvailable": ("False", "IgnitionEndpointMissing", "not yet")}, False),
        ({"ValidArchPlatform": ("False", "InvalidArchPlatform", "payload is AMD64")}, False),
        ({"ValidMachineConfig": ("False", "ValidationFailed", "expected 3 core ignition configs, found 1")}, False),
        ({"AutoscalingEnabled": ("False", "ValidationFailed", "min 0")}, True),
    ],
    ids=str,
)
def test_what_keeps_a_pool_from_being_accepted(said: dict[str, Any], final: bool) -> None:
    found = wait_status(view(pool(said)), "accepted")
    assert (found.reached, found.final) == (False, final)
    assert next(iter(said.values()))[2] in found.reason


def test_a_payload_that_is_known_does_not_change_by_itself() -> None:
    said = {"ValidArchPlatform": ("False", "InvalidArchPlatform", "payload is AMD64")}
    assert wait_status(view(pool(said), cluster=hub.hosted_cluster(payloadArch="AMD64")), "ready").final


def test_conditions_of_an_older_generation_do_not_count() -> None:
    old = pool()
    old["metadata"]["generation"] = 2
    for target in ("accepted", "replicas", "ready"):
        found = wait_status(view(old), target)
        assert not found.reached and "current generation of the NodePool" in found.reason


def test_a_condition_without_generation_counts_once_the_operator_has_looked() -> None:
    obj = pool()
    for each in obj["status"]["conditions"]:
        if each["type"] != "ValidReleaseImage":
            each.pop("observedGeneration")
    assert wait_status(view(obj), "ready").reached
    obj["metadata"]["generation"] = 2
    assert not wait_status(view(obj), "ready").reached


def test_none_says_a_generation() -> None:
    obj = pool()
    for each in obj["status"]["conditions"]:
        each.pop("observedGeneration")
    assert read_conditions(obj).looked and wait_status(view(obj), "ready").reached
    assert not read_conditions({"metadata": {"generation": 1}}).looked


def test_a_payload_without_status_or_reason_is_no_trouble() -> None:
    said = {
        "ValidGeneratedPayload": ("", "", ""),
        "ReachedIgnitionEndpoint": ("False", "ignitionNotReached", ""),
        "SupportedVersionSkew": ("False", "UnsupportedSkew", "x"),
    }
    assert wait_status(view(pool(said)), "ready").reached
    assert skew(view(pool(said))) == "SupportedVersionSkew is False (UnsupportedSkew): x"


def test_an_update_is_waited_for_and_a_failed_one_ends_it() -> None:
    assert not wait_status(view(pool({"UpdatingVersion": ("True", "AsExpected", "4.22.1")})), "ready").reached
    assert wait_status(view(pool({"UpdatingVersion": ("True", "AsExpected", "4.22.1")})), "replicas").reached
    failed = wait_status(
        view(pool({"UpdatingConfig": ("False", "InplaceUpgradeFailed", "node n is degraded")})), "ready"
    )
    assert failed.final and "node n is degraded" in failed.reason


def test_size() -> None:
    assert not wait_status(view(pool(ready=1)), "replicas").reached
    assert not wait_status(view(pool(), machines=3), "replicas").reached
    assert wait_status(view(pool(), leaving=1), "replicas").reason == "1 of its Machines is going"
    assert not wait_status(view(pool({"AllNodesHealthy": ("False", "NodeNotReady", "1 of 2")})), "ready").reached


STATES = ("no-suitable-agent", "binding", "known", "installing", "csr-pending", "node-not-ready", "running")


def progress(replicas: int, ready: int, *states: str) -> int:
    machines = tuple(
        PoolMachineView(f"m-{number}", "ns", state=state, leaving=state in ("draining", "reclaiming"))
        for number, state in enumerate(states)
    )
    return percent(dataclasses.replace(view(pool(replicas=replicas, ready=ready)), machines=machines))


def test_hosts_on_the_way_count() -> None:
    """Each step of a host moves the number; only Ready Nodes make it whole."""
    steps = [progress(2, 1, "running", state) for state in STATES]
    assert steps == sorted(set(steps)) and 50 <= steps[0] < steps[-1] < 100
    assert progress(2, 2, "running", "running") == 100
    assert 0 < progress(3, 0, "binding", "installing", "installing") < 50
    assert progress(0, 0) == 100 and progress(3, 0) == 0
    assert 50 < progress(1, 1, "running", "draining") < progress(1, 1, "running", "reclaiming") < 100
    assert progress(1, 1, "running", "running") == 100, "a surge is no progress"


def test_the_line_of_progress_says_where_the_hosts_are() -> None:
    machines = tuple(
        PoolMachineView(f"m-{number}", "ns", state=state)
        for number, state in enumerate(["running", "installing", "binding", "installing"])
    )
    found = wait_status(dataclasses.replace(view(pool(replicas=4, ready=1)), machines=machines), "replicas")
    assert found.reason == "1 of 4 Ready, 4 Machines (1 binding, 2 installing)"


def test_a_pool_without_replicas() -> None:
    """Three conditions stay False; the reason says that no Machine is missing."""
    expected = ("False", "AsExpected", "NodePool set to no replicas")
    said = {
        "AllMachinesReady": expected,
        "AllNodesHealthy": expected,
        "ReachedIgnitionEndpoint": ("False", "NotFound", ""),
    }
    assert wait_status(view(pool(said, replicas=0), machines=0), "ready").reached
    absent = {"AllMachinesReady": ("False", "NotFound", "No Machines are created")}
    assert not wait_status(view(pool(absent, replicas=0), machines=0), "ready").reached


def test_the_autoscaler_decides() -> None:
    scaled = {"autoScaling": {"min": 1, "max": 3}}
    assert wait_status(view(pool(replicas=None, ready=2, **scaled)), "ready").reached
    found = wait_status(view(pool(replicas=None, ready=0, **scaled), machines=1), "replicas")
    assert found.reason.startswith("0 Ready, the autoscaler keeps 1 to 3")


def test_a_pause_ends_the_wait() -> None:
    paused = {"ReconciliationActive": ("False", "ReconciliationPaused", "until field removed")}
    assert wait_status(view(pool(paused)), "accepted").reached
    assert wait_status(view(pool(paused)), "ready").final


def test_gone() -> None:
    assert wait_status(view(None, machines=0), "gone").reached
    assert wait_status(view(None, machines=1), "gone").reason == "Machines are left: m0"
    assert "finalizers: none" in wait_status(view(pool(), machines=0), "gone").reason
    assert wait_status(view(None, machines=0), "ready").final
    going = pool()
    going["metadata"]["deletionTimestamp"] = "2026-11-21T12:00:00Z"
    assert wait_status(view(going), "ready").final


@pytest.mark.parametrize(
    ("agent", "done", "reboot"),
    [
        (None, True, False),
        (hub.agent("a"), True, False),
        (hub.agent("a", "unbinding-pending-user-action"), True, True),
        (hub.agent("a", "discovering-unbound"), False, False),
        (hub.agent("a", "reclaiming"), False, False),
        (hub.agent("a", "added-to-existing-cluster", holder="m", bound=True), False, False),
        (hub.agent("a", "added-to-existing-cluster", holder="other", bound=True), True, False),
        (hub.agent("a", "unbinding-pending-user-action", bound=True), False, False),
    ],
)
def test_when_a_host_is_free(agent: Any, done: bool, reboot: bool) -> None:
    found = released(read_agent(agent) if agent else None, "m", "clusters-edge")
    assert (found.done, found.reboot) == (done, reboot)
    assert found.done or found.reason
