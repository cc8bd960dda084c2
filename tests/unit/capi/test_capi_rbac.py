# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that docs/rbac/capi.yaml and docs/rbac/capi-agents.yaml grant exactly the permissions that modules capi_cluster
and capi_reconcile use.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi import options as run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.cluster import run as cluster_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.cluster import unit as cluster_unit
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.modules import capi_cluster, capi_reconcile

RBAC = Path(__file__).parents[3] / "docs" / "rbac"
Rule = tuple[str, str, str]  # where, resource, verb


def rules() -> set[Rule]:
    found = set()
    for file, where in (("capi", "objects"), ("capi-agents", "agents")):
        for document in yaml.safe_load((RBAC / f"{file}.yaml").read_text())["items"]:
            for rule in document.get("rules", ()):
                place = "anywhere" if document["kind"] == "ClusterRole" else where
                found |= {(place, resource, verb) for resource in rule["resources"] for verb in rule["verbs"]}
    return found


def opened(module: Any, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in module.argument_spec().items()}
    result = perform(module.run, Call({**params, **options}))
    assert not result["failed"], result["msg"]
    return result


def used(hub: Any, world: ModuleType) -> set[Rule]:
    anywhere = {"deployments", "leases", "namespaces"}
    places = {world.AGENTS: "agents"}
    return {
        ("anywhere" if resource in anywhere else places.get(namespace, "objects"), resource, verb)
        for namespace, resource, verb in hub.used
    }


def test_every_rule_is_used_and_no_other_is_needed(
    hub: Any, world: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (run_module, cluster_run):
        monkeypatch.setattr(module, "connect", lambda *_args, **_options: hub)
    monkeypatch.setattr(cluster_unit, "RECHECK", 0.01)
    world.stand(hub, machines=1, agents=2)
    scope = {"namespace": world.NS, "agent_namespace": world.AGENTS, "timeout": 0.0}
    opened(capi_reconcile, **scope)
    while world.settle_agents(hub):
        pass
    opened(capi_reconcile, **scope, until="converged")
    pool = {
        "name": "large",
        "agent_label_selector": {"matchLabels": {"pool": "large"}},
        "bootstrap": {"data_secret_name": "user-data"},
        "labels": {},
    }
    empty = dict.fromkeys(
        (
            "replicas",
            "version",
            "node_drain_timeout",
            "node_volume_detach_timeout",
            "node_deletion_timeout",
            "deletion_order",
        )
    )
    unit = {
        "name": "own",
        "namespace": world.NS,
        "control_plane": {"api_group": "hypershift.openshift.io", "kind": "HostedControlPlane", "name": "c1"},
    }
    opened(capi_cluster, **unit, machine_deployments=[{**empty, **pool}])
    hub.change("agentclusters", "own", {"status": {"ready": True}})
    opened(
        capi_cluster,
        **unit,
        labels={"a": "b"},
        machine_deployments=[{**empty, **pool, "replicas": 3}],
        wait_for="infrastructure_ready",
        timeout=0.0,
    )
    label_selection = {
        "pool": "large",
        "selector_label": {"key": "pool", "value": "large"},
        "count": 1,
        "candidates": None,
    }
    opened(capi_reconcile, **scope, mode="label_selection", label_selection=label_selection)
    hub.objects.pop(("machinedeployments", world.NS, "large"))
    opened(capi_reconcile, **scope, mode="label_selection", label_selection={**label_selection, "count": 0})
    opened(capi_cluster, **unit, machine_deployments=[{**empty, **pool}])
    opened(capi_cluster, **unit, state="absent", wait_for="gone", timeout=60.0)
    hub.change("clusterdeployments", "c1", {"metadata": {"labels": {"agentClusterRef": None}}})
    hub.objects.pop(("agents", world.AGENTS, "agent-1"))  # one that a status names is asked for by name
    opened(capi_reconcile, **scope)
    opened(capi_cluster, **{**unit, "namespace": "new"})
    found = used(hub, world)
    assert found == rules(), f"idle: {sorted(rules() - found)}; missing: {sorted(found - rules())}"
