# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the description of what an installation waits for, and the estimate of when it will be complete."""

from __future__ import annotations

import dataclasses
import datetime

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.progress import (
    ClusterProgress,
    HostProgress,
    Validation,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.awaited import awaited
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.decide import Memory
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.estimate import (
    estimate,
    phase_lengths,
    remember,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.observation import (
    ApiView,
    InventoryHost,
    MachineView,
    Node,
    Observation,
    Operator,
    OperatorCondition,
    ServiceView,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.setup import PHASES, Setup

A = InventoryHost("a", macs=("52:54:00:00:00:01",), addresses=("192.0.2.1",))
B = InventoryHost("b", macs=("52:54:00:00:00:02",))
SETUP = Setup((A, B))


def host(own: InventoryHost, status: str, **more: object) -> HostProgress:
    return HostProgress(own.name, own.name, status, macs=own.macs, **more)


def memory(phase: str, *hosts: HostProgress, **more: object) -> Memory:
    return Memory(0.0, phase, hosts={found.id: found for found in hosts}, **more)


ON = OperatorCondition("True")
NO_CPU = (Validation("hardware", "has-min-cpu-cores", "failure", "needs 4 cores"),)


@pytest.mark.parametrize(
    ("seen", "known", "text", "name", "reason"),
    [
        (
            Observation(rendezvous_ip="192.0.2.1"),
            memory("boot"),
            "the service on the rendezvous host",
            "a",
            "no answer from 192.0.2.1, port 8090",
        ),
        (Observation(), memory("discovery", host(A, "known")), "(1 of 2 registered)", "b", "it has not registered"),
        (
            Observation(),
            memory("discovery", host(A, "insufficient", validations=NO_CPU)),
            "hosts",
            "a",
            "insufficient: has-min-cpu-cores: needs 4 cores",
        ),
        (
            Observation(service=ServiceView(cluster=ClusterProgress("1", "c", "insufficient", validations=NO_CPU))),
            memory("discovery", host(A, "known"), host(B, "known")),
            "the validations of the cluster",
            "",
            "has-min-cpu-cores",
        ),
        (Observation(), memory("discovery", host(A, "known"), host(B, "known")), "the service to begin", "", ""),
        (
            Observation(),
            memory(
                "bootstrap",
                host(A, "installing-in-progress", percent=20, stage="Writing image to disk"),
                host(B, "installing-pending-user-action"),
            ),
            "bootstrap",
            "b",
            "did not boot from its disk",
        ),
        (
            Observation(),
            memory(
                "bootstrap",
                host(A, "installing-in-progress", percent=20, stage="Writing image to disk"),
                host(B, "installed", percent=100),
            ),
            "bootstrap",
            "a",
            "Writing image to disk",
        ),
        (
            Observation(
                api=ApiView(ours=True, nodes=(Node("a", ready=True),), operators=(Operator("dns", progressing=ON),))
            ),
            memory("operators"),
            "operators: dns",
            "b",
            "no Node yet",
        ),
        (
            Observation(api=ApiView(ours=True, nodes=(Node("a"), Node("b", ready=True)))),
            memory("install"),
            "the release",
            "a",
            "its Node is not ready",
        ),
        (
            Observation(api=ApiView(ours=True, nodes=(Node("a", ready=True),))),
            memory("install", machines={"b": MachineView("On", image_attached=True)}),
            "the release",
            "b",
            "it runs the image again",
        ),
        (
            Observation(api=ApiView(ours=True, nodes=(Node("a", ready=True), Node("b", ready=True)))),
            memory("operators"),
            "operators to settle",
            "",
            "",
        ),
        (Observation(), memory("done"), "", "", ""),
    ],
)
def test_what_is_waited_for(seen: Observation, known: Memory, text: str, name: str, reason: str) -> None:
    found = awaited(seen, known, SETUP)
    assert text in found.text and found.host == name and reason in found.reason
    # A host that keeps the installation has something that the user can do, if only to wait.
    assert bool(found.next_step) == bool(found.reason)


def test_every_phase_has_its_words() -> None:
    for phase in PHASES:
        assert dataclasses.asdict(awaited(Observation(), memory(phase), SETUP))


START = "2026-11-26T20:00:00.000Z"
NOW = datetime.datetime(2026, 11, 26, 20, 10, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("phases", "history", "seconds", "source"),
    [
        ({}, [], 3600.0, "usual"),
        ({"boot": START}, [], 3120.0, "usual"),
        (
            {"boot": START},
            [{"boot": 700.0, "discovery": 10.0, "bootstrap": 20.0, "install": 30.0, "operators": 5.0}],
            165.0,
            "history",
        ),
        ({"boot": START}, [{"boot": 700.0}, {"boot": 800.0}, {"boot": 5000.0}], 200.0 + 3120.0, "history"),
        (
            {"boot": START, "discovery": START, "bootstrap": START, "install": START, "operators": START},
            [],
            0.0,
            "usual",
        ),
    ],
)
def test_estimate(phases: dict[str, str], history: list[dict[str, float]], seconds: float, source: str) -> None:
    found = estimate("agent", phases, history, NOW)
    assert (found.seconds, found.source) == (seconds, source)


def test_history_of_a_rack() -> None:
    lengths = phase_lengths(
        {"boot": START, "discovery": "2026-11-26T20:02:00Z", "done": "2026-11-26T20:06:00Z"}, "2026-11-26T20:05:00.000Z"
    )
    assert lengths == {"boot": 120.0, "discovery": 180.0}
    history: list[dict[str, float]] = []
    for number in range(7):
        history = remember(history, {"boot": float(number)})
    assert [entry["boot"] for entry in history] == [2.0, 3.0, 4.0, 5.0, 6.0]
