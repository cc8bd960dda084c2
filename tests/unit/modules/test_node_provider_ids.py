# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module node_provider_ids, called in the test process: it reads AgentMachines from a hub in memory, and Nodes
from another API in memory.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi import node_ids, workload
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi import options as run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import Unreachable
from ansible_collections.zerotouch.openshift.plugins.modules import capi_reconcile, node_provider_ids
from ansible_collections.zerotouch.openshift.tests.support.hub import capi as world
from ansible_collections.zerotouch.openshift.tests.support.hub import memory as clusters

KUBECONFIG = {
    "clusters": [{"name": "c", "cluster": {"server": "https://api.c1.example.com:6443"}}],
    "users": [{"name": "u", "user": {"token": "canary-token-of-c1"}}],
    "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
    "current-context": "x",
}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Any:
    hub = world.Hub()
    world.stand(hub, machines=2, agents=2)
    for number in (1, 2):
        hub.change(
            "agents",
            f"agent-{number}",
            {"status": world.agent_status(number, "added-to-existing-cluster", f"worker-{number}")},
            world.AGENTS,
        )
        machine = {
            "spec": {"providerID": f"agent://agent-{number}"},
            "status": {"ready": True, "addresses": [{"type": "InternalDNS", "address": f"worker-{number}"}]},
        }
        hub.change("agentmachines", f"pool-{number - 1}", machine)
    text = base64.b64encode(yaml.safe_dump(KUBECONFIG).encode()).decode()
    hub.put("secrets", {"metadata": {"name": "admin-kubeconfig", "namespace": world.NS}, "data": {"kubeconfig": text}})
    monkeypatch.setattr(node_ids, "connect", lambda *_args, **_options: hub)
    return hub


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Any:
    memory = clusters.MemoryApi()
    memory.close = lambda: None
    configs: list[Any] = []

    def client(config: Any, **_options: Any) -> Any:
        configs.append(config)
        return memory

    monkeypatch.setattr(workload, "KubeClient", client)
    memory.configs = configs
    memory.put("/api/v1/nodes/worker-1", {"metadata": {"name": "worker-1"}, "spec": {}})
    return memory


def opened(*, check_mode: bool = False, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in node_provider_ids.argument_spec().items()}
    return perform(node_provider_ids.run, Call({**params, "namespace": world.NS, **options}, check_mode=check_mode))


def test_check_run_run_again(hub: Any, nodes: Any) -> None:
    planned = opened(check_mode=True)
    assert planned["changed"] and not nodes.writes
    done = opened()
    assert done["changed"] and done["plan"] == planned["plan"]
    assert nodes.objects["/api/v1/nodes/worker-1"]["spec"] == {"providerID": "agent://agent-1"}
    assert {row["name"]: row["state"] for row in done["nodes"]} == {"worker-1": "written", "worker-2": "missing"}
    assert not opened()["changed"]
    assert nodes.configs[0].server == "https://api.c1.example.com:6443"


def test_a_wait_in_vain_names_the_nodes(hub: Any, nodes: Any) -> None:
    result = opened(wait=True, timeout=0.0)
    assert result["failed"] and result["changed"] and "worker-2" in result["msg"]


def test_without_a_kubeconfig(hub: Any, nodes: Any) -> None:
    hub.remove("secrets", world.NS, "admin-kubeconfig")
    assert "Secret clusters-c1/admin-kubeconfig does not exist" in opened()["msg"]
    hub.put(
        "secrets", {"metadata": {"name": "admin-kubeconfig", "namespace": world.NS}, "data": {"kubeconfig": "e2E6"}}
    )
    assert "is not YAML" in opened()["msg"]


def test_a_pass_sets_them_too(hub: Any, nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "connect", lambda *_args, **_options: hub)
    params = {name: spec.get("default") for name, spec in capi_reconcile.argument_spec().items()}
    perform(capi_reconcile.run, Call({**params, "namespace": world.NS}))
    assert nodes.objects["/api/v1/nodes/worker-1"]["spec"] == {"providerID": "agent://agent-1"}
    again = perform(capi_reconcile.run, Call({**params, "namespace": world.NS}))
    assert not again["changed"], again["plan"]


def test_a_cluster_that_cannot_be_reached_holds_no_pass_up(
    hub: Any, nodes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: str) -> Any:
        raise Unreachable("The workload cluster's API does not answer.", "refused")

    nodes.list = refuse
    monkeypatch.setattr(run_module, "connect", lambda *_args, **_options: hub)
    params = {name: spec.get("default") for name, spec in capi_reconcile.argument_spec().items()}
    result = perform(capi_reconcile.run, Call({**params, "namespace": world.NS, "until": "converged", "timeout": 30.0}))
    assert not result["failed"] and any(
        "cannot be set: The workload cluster's API does not answer" in problem["detail"]
        for problem in result["problems"]
    )
