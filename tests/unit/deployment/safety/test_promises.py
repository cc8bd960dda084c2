# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the safety table with generated evidence and requests: no machine is changed against its rules.

Test also what a run that waits for an installation may do to a machine by itself: detach its image, or power-cycle it.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.progress import HostProgress
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.decision import (
    TouchRequest,
    judge,
    may_touch,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.evidence import Evidence, NodeFacts
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.recover import may_recover
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.table import COLUMNS, OVERRIDES
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.observation import (
    ApiView,
    ClusterVersion,
    InventoryHost,
    Node,
    Observation,
    OperatorCondition,
    ServiceView,
)
from hypothesis import given
from hypothesis import strategies as st

_TEXTS = [field.name for field in dataclasses.fields(Evidence) if field.type == "str"]
NODES = st.builds(
    NodeFacts,
    st.just("n"),
    ready=st.booleans(),
    not_ready_for=st.sampled_from([0.0, 10.0, 3600.0]),
    control_plane=st.booleans(),
    keeps=st.sampled_from(["", "quorum"]),
)
EVIDENCE = st.builds(
    Evidence,
    power=st.sampled_from(["On", "Off", ""]),
    manual=st.booleans(),
    due=st.booleans(),
    recorded=st.booleans(),
    node=st.none() | NODES,
    **{name: st.sampled_from(["", "", "", "hub is so"]) for name in _TEXTS},
)
REQUESTS = st.builds(
    TouchRequest,
    st.sampled_from(sorted(COLUMNS)),
    st.just("demo"),
    st.sampled_from(["agent", "assisted", "hub", "hosted", "capi"]),
    st.sampled_from([frozenset(), frozenset({"demo"}), frozenset({"other"})]),
    st.frozensets(st.sampled_from(OVERRIDES)),
    st.sampled_from([frozenset(), frozenset({"node-1"})]),
    through=st.booleans(),
)


@given(EVIDENCE, REQUESTS)
def test_a_machine_is_touched_only_as_the_table_allows(evidence: Evidence, request: TouchRequest) -> None:
    verdict = may_touch("node-1", evidence, request)
    if request.action in ("recover", "on"):
        return
    if verdict.row in ("2", "3", "4"):
        assert verdict.outcome in ("stop", "leave", "skip")
    if verdict.outcome in ("act", "through", "fail") and verdict.row in ("5", "6", "7", "12"):
        assert request.confirmed
    if verdict.outcome == "act" and verdict.row == "13":
        assert verdict.forced == "take_over"
    if verdict.outcome == "act" and COLUMNS[request.action] != "boot":
        assert request.confirmed or verdict.forced == "take_over"
    if verdict.outcome == "act" and verdict.row == "12":
        assert verdict.forced == "start_over"


@given(EVIDENCE, REQUESTS)
def test_more_is_never_allowed_by_knowing_that_a_machine_has_another_owner(
    evidence: Evidence, request: TouchRequest
) -> None:
    for known in ("other_cluster", "foreign_bare_metal_host"):
        owned = dataclasses.replace(evidence, **{known: "x"})
        assert may_touch("node-1", owned, request).outcome in ("stop", "leave", "skip", "spare")


@given(st.lists(EVIDENCE, max_size=6), REQUESTS)
def test_one_stop_stops_the_run_and_names_every_host_of_a_stop(found: list[Evidence], request: TouchRequest) -> None:
    judgement = judge({f"node-{index}": each for index, each in enumerate(found)}, request)
    stopping = judgement.named("stop")
    assert bool(stopping) == bool(judgement.stop)
    assert all(name in str(judgement.stop) for name in stopping)


# what a wait does by itself

HOST = InventoryHost("node-1", "", ("52:54:00:00:00:01",))
COMPLETE = ClusterVersion("4.22.0", OperatorCondition("True"), OperatorCondition("False"), OperatorCondition("False"))


def seen(*, node: bool = False, complete: bool = False, ours: bool = True) -> Observation:
    nodes = (Node("node-1"),) if node else ()
    return Observation(
        phase="installing",
        service=ServiceView(),
        api=ApiView(ours, ours, nodes=nodes, cluster_version=COMPLETE if complete else None),
    )


def last(status: str, **more: Any) -> HostProgress:
    return HostProgress("1", "node-1", status, macs=HOST.macs, **more)


@pytest.mark.parametrize(
    ("observed", "reported", "expected"),
    [
        (seen(ours=False), last("known"), "skip"),
        (seen(ours=False), None, "skip"),
        (seen(ours=False), last("installing-in-progress", stage="Writing image to disk"), "act"),
        (seen(ours=False), last("installing-pending-user-action"), "act"),
        (seen(ours=False), last("known", bootstrap=True), "act"),
        (seen(), last("installed"), "act"),
        (seen(node=True), None, "act"),
        (seen(node=True, complete=True), last("installed"), "eject"),
    ],
)
def test_what_a_wait_may_do(observed: Observation, reported: HostProgress | None, expected: str) -> None:
    assert may_recover(HOST, reported, observed) == expected


@pytest.mark.parametrize(("observed", "expected"), [(seen(), "act"), (seen(node=True, complete=True), "eject")])
def test_a_host_that_booted_the_image_again(observed: Observation, expected: str) -> None:
    """Also without a word of the service, which has ended; never a host that is a Node of a complete cluster."""
    assert may_recover(HOST, None, observed, strayed="power On, the image is attached") == expected


def test_the_end_of_an_installation_detaches_and_switches_nothing() -> None:
    assert may_recover(HOST, None, seen(complete=True), finished=True) == "eject"
