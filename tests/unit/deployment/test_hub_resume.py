# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the next step for each host of a cluster on a hub: each row of the table, and for which hosts the safety table
is consulted.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.host_step import HostStep
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.hub.resume import HubView, decide_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.stop_reason import message_of
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.match import Match
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import Agent, ClusterRef, read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install.status import InstallStatus

NEW = HubView()
WAITING = HubView("Cluster a/b", InstallStatus("waiting"))
RUNNING = HubView("Cluster a/b", InstallStatus("installing", started=True))
INSTALLED = HubView("Cluster a/b", InstallStatus("installed", started=True), frozenset({"node-1"}))
UNKNOWN = HubView("Cluster a/b", InstallStatus("installed", started=True), None)
OWN = ClusterRef("a", "b")
FAILED = HubView("Cluster a/b", InstallStatus("failed", "bootstrap timed out", started=True))


def agent(state: str, connected: str = "True") -> Agent:
    conditions = [{"type": "Connected", "status": connected}]
    return read_agent(
        {
            "metadata": {"name": "uuid", "namespace": "a"},
            "status": {"debugInfo": {"state": state}, "conditions": conditions},
        }
    )


def decided(view: HubView, match: Match, **options: Any) -> HostStep:
    options = {"purpose": "install", **options}
    decision = decide_hosts(view, [match], lambda name: name, **options)
    assert not decision.stop
    return decision.hosts[0]


def found(state: str, **options: Any) -> Match:
    return Match("node-1", "matched", agent(state, **options))


NONE = Match("node-1", "unmatched", reason="no Agent has MAC …")


@pytest.mark.parametrize(
    ("view", "match", "purpose", "action", "words"),
    [
        (NEW, NONE, "install", "boot", "no Agent"),
        (NEW, NONE, "add", "boot", "no Agent"),
        (WAITING, NONE, "install", "boot", "no Agent"),
        (WAITING, found("known-unbound"), "install", "wait", "registered: known-unbound"),
        (WAITING, found(""), "install", "wait", "not known to the service yet"),
        (WAITING, found("insufficient"), "install", "wait", "registered"),
        (WAITING, found("disconnected-unbound"), "install", "boot", "Agent is disconnected"),
        (WAITING, found("known", connected="False"), "install", "boot", "Agent is disconnected"),
        (WAITING, found("unbinding-pending-user-action"), "add", "boot", "was removed from its cluster"),
        (WAITING, found("unbinding"), "add", "wait", "registered"),
        (WAITING, found("a state of tomorrow"), "install", "wait", "registered"),
        (WAITING, Match("node-1", "ambiguous", reason="that of 2 Agents"), "install", "skip", "2 Agents"),
        (
            WAITING,
            Match("node-1", "unmatched", reason="is being deleted", leaving=(agent("known"),)),
            "install",
            "wait",
            "being deleted",
        ),
        (RUNNING, NONE, "install", "skip", "installing without it"),
        (RUNNING, NONE, "add", "boot", "no Agent"),
        (RUNNING, found("installing-in-progress"), "install", "skip", "joined"),
        (RUNNING, found("preparing-for-installation"), "install", "skip", "joined"),
        (RUNNING, found("error"), "install", "skip", "failed"),
        (INSTALLED, NONE, "add", "skip", "its Node is in Cluster a/b"),
        (INSTALLED, NONE, "install", "skip", "its Node is in Cluster a/b"),
        (INSTALLED, Match("node-9", "unmatched"), "add", "boot", "no Agent"),
        (INSTALLED, Match("node-9", "unmatched"), "install", "skip", "installed without it"),
        (INSTALLED, found("added-to-existing-cluster"), "add", "skip", "joined"),
        (INSTALLED, found("installed"), "install", "skip", "joined"),
        (INSTALLED, found("installed", connected="False"), "install", "skip", "joined"),
        (UNKNOWN, found("installed"), "install", "skip", "joined"),
        (INSTALLED, NONE, "reprovision", "boot", "reprovisioned"),
        (INSTALLED, found("known"), "reprovision", "boot", "reprovisioned"),
        (INSTALLED, found("installed", connected="False"), "reprovision", "boot", "reprovisioned"),
        (INSTALLED, found("known-unbound"), "reprovision", "skip", "free already"),
        (INSTALLED, found("disconnected-unbound", connected="False"), "reprovision", "boot", "reprovisioned"),
        (
            INSTALLED,
            found("unbinding-pending-user-action", connected="False"),
            "reprovision",
            "boot",
            "was removed from its cluster",
        ),
    ],
)
def test_the_table(view: HubView, match: Match, purpose: str, action: str, words: str) -> None:
    row = decided(view, match, purpose=purpose)
    assert (row.action, words in row.reason) == (action, True), row


def member(state: str, cluster: str, kind: str = "Host") -> Match:
    reference = {"namespace": "a", "name": cluster}
    body = {"metadata": {"name": "uuid", "namespace": "a"}, "spec": {"clusterDeploymentName": reference}}
    return Match("node-1", "matched", read_agent({**body, "status": {"kind": kind, "debugInfo": {"state": state}}}))


def asked_about(view: HubView, match: Match, purpose: Any = "install") -> list[str]:
    return decide_hosts(
        dataclasses.replace(view, reference=OWN), [match], lambda name: name, purpose=purpose
    ).touch_hosts


@pytest.mark.parametrize(
    ("view", "match", "purpose"),
    [
        (WAITING, NONE, "install"),
        (WAITING, found("disconnected-unbound"), "install"),
        (WAITING, Match("node-1", "ambiguous", reason="that of 2 Agents"), "install"),
        (WAITING, member("known", "other"), "install"),
        (INSTALLED, member("installed", "other"), "add"),
        (RUNNING, found("error"), "install"),
        (FAILED, NONE, "install"),
        (FAILED, member("known", "b"), "install"),
        (UNKNOWN, NONE, "install"),
        (UNKNOWN, NONE, "add"),
    ],
)
def test_the_safety_table_is_asked(view: HubView, match: Match, purpose: Any) -> None:
    assert asked_about(view, match, purpose) == ["node-1"]


@pytest.mark.parametrize(
    ("view", "match"),
    [
        (WAITING, found("known-unbound")),
        (WAITING, member("known", "b")),
        (INSTALLED, member("installed", "b")),
        (INSTALLED, NONE),
        (FAILED, member("installed", "b")),
        (UNKNOWN, member("installed", "b")),
    ],
)
def test_nothing_is_asked_about_hosts_that_stay_as_they_are(view: HubView, match: Match) -> None:
    assert asked_about(view, match) == []


def of_infra_env(infra_env: str, cluster: str = "") -> Match:
    body = {
        "metadata": {"name": "uuid", "namespace": "a", "labels": {"infraenvs.agent-install.openshift.io": infra_env}}
    }
    spec = {"clusterDeploymentName": {"namespace": "a", "name": cluster}} if cluster else {}
    return Match(
        "node-1", "matched", read_agent({**body, "spec": spec, "status": {"debugInfo": {"state": "known-unbound"}}})
    )


def test_free_agent_of_another_infra_env_is_not_registered_for_this_one() -> None:
    view = dataclasses.replace(WAITING, infra_env="edge")
    assert (decided(view, of_infra_env("edge")).action, decided(WAITING, of_infra_env("core")).action) == (
        "wait",
        "wait",
    )
    other = decided(view, of_infra_env("core"))
    assert (other.action, other.reason) == ("boot", "it is registered in another InfraEnv, core")
    assert decided(view, of_infra_env("core", cluster="b")).action == "wait", "it is bound already"


def test_cluster_that_hosts_would_be_bound_to_is_looked_up_before() -> None:
    missing = dataclasses.replace(NEW, missing="there is none.")
    assert message_of(decide_hosts(missing, [NONE], lambda name: name, purpose="add").stop) == "there is none."
    assert decide_hosts(missing, [NONE], lambda name: name, purpose="install").stop is None


def test_hosts_that_are_bound_early_can_leave_but_not_come_back() -> None:
    body = {"metadata": {"name": "uuid", "namespace": "a", "labels": {"infraenvs.agent-install.openshift.io": "edge"}}}
    raw = {
        **body,
        "spec": {"clusterDeploymentName": {"namespace": "a", "name": "b"}},
        "status": {"debugInfo": {"state": "installed"}},
    }
    match, view = (
        Match("node-2", "matched", read_agent(raw)),
        HubView("Cluster a/b", reference=OWN, early=frozenset({"edge"})),
    )
    assert "InfraEnv edge binds its hosts when they register" in message_of(
        decide_hosts(view, [match], lambda name: name, purpose="reprovision").stop
    )
    leaving = decide_hosts(view, [match, NONE], lambda name: name, purpose="remove")
    assert (leaving.stop, leaving.boot_hosts, [host.agent for host in leaving.hosts]) == (None, [], ["uuid", ""])


def test_who_belongs_to_a_cluster_is_never_booted() -> None:
    states = [
        "installed",
        "added-to-existing-cluster",
        "installing",
        "installing-in-progress",
        "installing-pending-user-action",
        "preparing-successful",
    ]
    for view, state, connected, purpose in itertools.product(
        (NEW, WAITING, RUNNING, INSTALLED), states, ("True", "False"), ("install", "add")
    ):
        assert decided(view, found(state, connected=connected), purpose=purpose).action == "skip"
        forced = decide_hosts(
            view, [found(state, connected=connected)], lambda name: name, purpose=purpose, force=["start_over"]
        )  # type: ignore[arg-type]
        assert forced.boot_hosts == []
