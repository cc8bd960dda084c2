# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Which hosts of a hub are booted: every row, and the promise that no host of a cluster ever is."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.hub_resume import HostAction, HubView, decide_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.match import Match
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import Agent, ClusterRef, read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install_status import InstallStatus

NEW = HubView()
WAITING = HubView("Cluster a/b", InstallStatus("waiting"))
RUNNING = HubView("Cluster a/b", InstallStatus("installing", started=True))
INSTALLED = HubView("Cluster a/b", InstallStatus("installed", started=True), frozenset({"node-1"}))
UNKNOWN = HubView("Cluster a/b", InstallStatus("installed", started=True), None, "its API cannot be reached.")
FAILED = HubView("Cluster a/b", InstallStatus("failed", "bootstrap timed out", started=True))


def agent(state: str, connected: str = "True") -> Agent:
    conditions = [{"type": "Connected", "status": connected}]
    return read_agent({"metadata": {"name": "uuid", "namespace": "a"}, "status": {"debugInfo": {"state": state}, "conditions": conditions}})


def decided(view: HubView, match: Match, **options: Any) -> HostAction:
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
        (WAITING, found("disconnected-unbound"), "install", "boot", "does not hear"),
        (WAITING, found("known", connected="False"), "install", "boot", "does not hear"),
        (WAITING, found("unbinding-pending-user-action"), "add", "boot", "left its cluster"),
        (WAITING, found("unbinding"), "add", "wait", "registered"),
        (WAITING, found("a state of tomorrow"), "install", "wait", "registered"),
        (WAITING, Match("node-1", "ambiguous", reason="that of 2 Agents"), "install", "skip", "2 Agents"),
        (WAITING, Match("node-1", "unmatched", reason="is being deleted", leaving=(agent("known"),)), "install", "wait", "being deleted"),
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
        (INSTALLED, found("known"), "reprovision", "boot", "reprovisioned"),
        (INSTALLED, found("installed", connected="False"), "reprovision", "boot", "reprovisioned"),
        (INSTALLED, found("known-unbound"), "reprovision", "skip", "free already"),
        (INSTALLED, found("disconnected-unbound", connected="False"), "reprovision", "boot", "reprovisioned"),
        (INSTALLED, found("unbinding-pending-user-action", connected="False"), "reprovision", "boot", "left its cluster"),
    ],
)
def test_the_table(view: HubView, match: Match, purpose: str, action: str, words: str) -> None:
    row = decided(view, match, purpose=purpose)
    assert (row.action, words in row.reason) == (action, True), row


@pytest.mark.parametrize(
    ("view", "match", "purpose", "words"),
    [
        (FAILED, NONE, "install", "bootstrap timed out"),
        (UNKNOWN, NONE, "install", "its API cannot be reached. Nothing was booted"),
        (UNKNOWN, NONE, "add", "Cannot tell which hosts belong to Cluster a/b"),
    ],
)
def test_nothing_is_booted_where_it_cannot_be_told(view: HubView, match: Match, purpose: Any, words: str) -> None:
    decision = decide_hosts(view, [match, found("known")], lambda name: name, purpose=purpose)
    assert words in decision.stop
    assert decision.boot_hosts == []
    assert not decide_hosts(view, [match], lambda name: name, purpose=purpose, force=["start_over"]).stop


def member(state: str, cluster: str, kind: str = "Host") -> Match:
    reference = {"namespace": "a", "name": cluster}
    body = {"metadata": {"name": "uuid", "namespace": "a"}, "spec": {"clusterDeploymentName": reference}}
    return Match("node-2", "matched", read_agent({**body, "status": {"kind": kind, "debugInfo": {"state": state}}}))


@pytest.mark.parametrize(
    ("match", "words"),
    [
        (member("installed", "other"), "node-2 belongs to another cluster, a/other. Nothing was done."),
        (member("installing-in-progress", "b"), "node-2 is being installed (installing-in-progress). Nothing was done."),
        (member("preparing-successful", "b"), "node-2 is being installed"),
        (member("installing-in-progress", "b", "AddToExistingClusterHost"), ""),
        (member("installed", "b"), ""),
        (found("known-unbound"), ""),
    ],
)
def test_either_all_hosts_are_taken_out_of_their_cluster_or_none(match: Match, words: str) -> None:
    """Whoever confirms one cluster means no other, and an installation would fail without its hosts."""
    view = HubView("Cluster a/b", InstallStatus("installed", started=True), frozenset({"node-1"}), reference=ClusterRef("a", "b"))
    decision = decide_hosts(view, [found("installed"), match], lambda name: name, purpose="reprovision")
    assert words in decision.stop and bool(decision.stop) == bool(words)
    assert (decision.boot_hosts == []) == bool(words)


def test_hosts_that_are_bound_early_can_leave_but_not_come_back() -> None:
    body = {"metadata": {"name": "uuid", "namespace": "a", "labels": {"infraenvs.agent-install.openshift.io": "edge"}}}
    raw = {**body, "spec": {"clusterDeploymentName": {"namespace": "a", "name": "b"}}, "status": {"debugInfo": {"state": "installed"}}}
    match, view = Match("node-2", "matched", read_agent(raw)), HubView("Cluster a/b", reference=ClusterRef("a", "b"), early=frozenset({"edge"}))
    assert "InfraEnv edge binds its hosts early" in decide_hosts(view, [match], lambda name: name, purpose="reprovision").stop
    leaving = decide_hosts(view, [match, NONE], lambda name: name, purpose="remove")
    assert (leaving.stop, leaving.boot_hosts, [host.agent for host in leaving.hosts]) == ("", [], ["uuid", ""])


def test_who_belongs_to_a_cluster_is_never_booted() -> None:
    states = ["installed", "added-to-existing-cluster", "installing", "installing-in-progress", "installing-pending-user-action", "preparing-successful"]
    for view, state, connected, purpose in itertools.product((NEW, WAITING, RUNNING, INSTALLED), states, ("True", "False"), ("install", "add")):
        assert decided(view, found(state, connected=connected), purpose=purpose).action == "skip"
        forced = decide_hosts(view, [found(state, connected=connected)], lambda name: name, purpose=purpose, force=["start_over"])  # type: ignore[arg-type]
        assert forced.boot_hosts == []
