# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare a reconcile pass with upstream's controller: it must make the changes that were recorded of the controller on
a real API server (tests/integration/test_capi_interop.py, CAPI_RECORD).

Each stage of ``recorded.json`` has the objects before it and, path by path, the values after the controller had
finished.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.model import Policy
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.observe import Scope
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.reconcile import Reconciler
from ansible_collections.zerotouch.openshift.tests.support.hub.capi import DROPPED

STAGES = json.loads((Path(__file__).parent / "recorded.json").read_text())
# What an API server adds to an object that is created, and a hub in memory does not.
ADDED = {"apiVersion", "kind", "generation", "type"}
SIDE, AGENTS = "side", "side-hosts"


def loaded(world: ModuleType, stage: dict[str, Any]) -> Any:
    hub = world.Hub()
    for obj in stage["before"]:
        plural = {"AgentCluster": "agentclusters", "HostedControlPlane": "hostedcontrolplanes"}.get(
            obj["kind"], f"{obj['kind'].lower()}s"
        )
        hub.put(plural, obj)
    return hub


def snapshot(hub: Any) -> dict[str, Any]:
    kinds = {
        "agents": "Agent",
        "agentmachines": "AgentMachine",
        "agentclusters": "AgentCluster",
        "clusterdeployments": "ClusterDeployment",
        "agentclusterinstalls": "AgentClusterInstall",
        "machines": "Machine",
        "secrets": "Secret",
    }
    return {
        f"{kinds[plural]} {name}": without(copy.deepcopy(obj))
        for (plural, _ns, name), obj in hub.objects.items()
        if plural in kinds
    }


def without(value: Any) -> Any:
    if isinstance(value, list):
        return [without(item) for item in value]
    return (
        {key: without(item) for key, item in value.items() if key not in DROPPED} if isinstance(value, dict) else value
    )


def differences(before: Any, after: Any, path: str = "") -> dict[str, Any]:
    if isinstance(before, dict) and isinstance(after, dict):
        found: dict[str, Any] = {}
        for key in sorted(set(before) | set(after)):
            found |= differences(before.get(key, "(absent)"), after.get(key, "(absent)"), f"{path}/{key}")
        return found
    return {} if before == after else {path: after}


def at(found: Any, path: str) -> Any:
    for key in path[1:].split("/"):
        found = found[key]
    return found


def pruned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: pruned(item) for key, item in value.items() if key not in ADDED}
    return value


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage["name"])
def test_a_pass_does_what_the_controller_did(world: ModuleType, stage: dict[str, Any]) -> None:
    hub = loaded(world, stage)
    before = snapshot(hub)
    for _pass in range(3):
        if not Reconciler(hub, Scope(SIDE, agent_namespace=AGENTS), Policy(), forks=1).once().changed:
            break
    after = snapshot(hub)
    expected, found = dict(stage["changes"]), differences(before, after)
    for path, fix in stage["fixes"].items():
        assert at(after, path) == fix
        expected, found = (
            {key: value for key, value in each.items() if not f"{key}/".startswith(f"{path}/")}
            for each in (expected, found)
        )
    # An object that is made is compared without what the server adds to it by itself.
    made = {path for path in expected if path.count("/") == 1}
    assert {path: pruned(value) if path in made else value for path, value in found.items()} == {
        path: pruned(value) if path in made else value for path, value in expected.items()
    }
