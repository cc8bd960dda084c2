# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test whether a node pool has enough hosts, and what is read from a hosted cluster when a Node does not join."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift import guest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.machine_status import (
    view_machine,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.supply import shortage
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.view import PoolView
from ansible_collections.zerotouch.openshift.plugins.module_utils.nodes.approval import ApprovalSituation
from ansible_collections.zerotouch.openshift.plugins.module_utils.nodes.csrs import CsrDecision
from ansible_collections.zerotouch.openshift.tests.support.hub import hosted as hub

FREE = {
    "conditions": [
        hub.condition(kind, status)
        for kind, status in (("Bound", "False"), ("Connected", "True"), ("Validated", "True"))
    ]
}
KUBECONFIG = """\
apiVersion: v1
current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: geheim-geheim}}]
"""


def view(*agents: Any, machines: tuple[Any, ...] = (), cluster: Any = None) -> PoolView:
    found = tuple(read_agent(agent) for agent in agents)
    return PoolView(hub.NAMESPACE, hub.POOL, hub.node_pool(0), cluster or hub.hosted_cluster(), machines, found)


def test_free_agents_are_counted_as_the_planner_chooses_them() -> None:
    hosts = view(hub.agent("a", **FREE), hub.agent("b", **FREE), hub.agent("c"))
    assert shortage(hosts, hub.node_pool(2)["spec"]) == ""
    assert shortage(hosts, hub.node_pool(3)["spec"]).startswith(
        "3 more Machines, and 2 free Agents that match: 1 would wait for a host"
    )
    other = {"agentLabelSelector": {"matchLabels": {"size": "small"}}}
    assert shortage(
        hosts, hub.node_pool(1, platform={"agent": {"agentLabelSelector": None, **other}})["spec"]
    ).startswith("1 more Machine, and 0 free Agents")


def test_machines_that_have_a_host_need_none() -> None:
    taken = hub.agent("a", "added-to-existing-cluster", holder="m", bound=True)
    machine = view_machine(hub.machine("m", node="n"), hub.agent_machine("m", "a"), read_agent(taken))
    assert shortage(view(taken, machines=(machine,)), hub.node_pool(1)["spec"]) == ""


def test_an_autoscaler_that_may_ask_for_more_than_there_is() -> None:
    spec = hub.node_pool(None, autoScaling={"min": 1, "max": 3})["spec"]
    assert shortage(view(hub.agent("a"), hub.agent("b")), spec) == (
        "the autoscaler may ask for 3 hosts, and 2 Agents match the selector"
    )
    assert shortage(view(*(hub.agent(name) for name in "abc")), spec) == ""
    assert shortage(view(), spec) == ""


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A hub with a Machine whose Node has not joined."""
    api = hub.Hub()
    cluster = hub.hosted_cluster(kubeconfig={"name": "admin"})
    api.put(
        "/api/v1/namespaces/clusters/secrets/admin",
        {"metadata": {"name": "admin"}, "data": {"kubeconfig": base64.b64encode(KUBECONFIG.encode()).decode()}},
    )
    host = hub.agent("a", "added-to-existing-cluster", holder="m", bound=True)
    machine = view_machine(hub.machine("m"), hub.agent_machine("m", "a"), read_agent(host))
    decisions = (
        CsrDecision("csr-1", "approve", "client certificate of host-a", "client", "host-a"),
        CsrDecision("csr-2", "refuse", "node other is not expected", "client", "other"),
        CsrDecision("csr-3", "approved", "it is approved", "client", "host-a"),
    )
    monkeypatch.setattr(
        guest,
        "look",
        lambda _client, expected: ApprovalSituation(decisions if expected[0].name == "host-a" else (), ()),
    )
    return api, view(host, machines=(machine,), cluster=cluster)


def test_certificate_requests_that_are_pending(stuck: Any) -> None:
    api, seen = stuck
    assert guest.pending_requests(api, {}, seen) == [
        "csr-1 of host-a is pending",
        ("csr-2 of other is pending (node other is not expected)"),
    ]


def test_a_hosted_cluster_that_cannot_be_asked(stuck: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    api, seen = stuck
    monkeypatch.undo()
    (reported,) = guest.pending_requests(api, {}, seen)
    assert reported.startswith("they could not be read") and "geheim" not in reported
    api.put("/api/v1/namespaces/clusters/secrets/admin", {"metadata": {"name": "admin"}, "data": {"kubeconfig": "%%"}})
    assert "holds no text under kubeconfig" in guest.pending_requests(api, {}, seen)[0]
    assert guest.pending_requests(api, {}, view()) == []
