# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""capi_reconcile beside the lab's agent provider, which is as upstream's: mode auto sees it, claims nothing, and it takes the Agent that it is steered to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .conftest import MakeLab
from .lab import Lab
from .test_capi import AGENTS, CLUSTER, NAMESPACE, POOL, SCOPE, WISH, Open, ok, opener, stand

LABEL = {"key": "example.com/pool", "value": "edge"}
SELECTOR = {"matchLabels": {LABEL["key"]: LABEL["value"]}}


@pytest.fixture(scope="module")
def lab(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return stand(make_lab, tmp_path_factory.mktemp("steered"), "upstream")


@pytest.fixture
def door(lab: Lab, tmp_path: Path) -> Open:
    return opener(lab, tmp_path)


def steer(count: int) -> dict[str, Any]:
    return {"pool": POOL, "selector_label": LABEL, "count": count, "candidates": {"matchLabels": {"rack": "b"}}}


def labels_of_agents(door: Open) -> dict[str, dict[str, str]]:
    return {agent["hostname"]: agent["labels"] for agent in ok(door("agents_info", namespaces=[AGENTS]))["agents"]}


def test_auto_steers_the_provider_that_is_at_work(door: Open) -> None:
    ok(door("hosted_cluster", **WISH, wait_for="available", timeout=300))
    ok(door("node_pool", name=POOL, namespace=NAMESPACE, cluster_name=CLUSTER, agent_label_selector=SELECTOR, replicas=0))
    planned = ok(door("capi_reconcile", check=True, **SCOPE, steer=steer(1)))
    assert planned["mode"] == "steer" and planned["controller"]["active"] and "capi-provider" in planned["controller"]["why"], planned["output"]
    assert [row["hostname"] for row in planned["labelled"]] == ["master-2"], "the only one in rack b; the provider would begin with another"
    done = ok(door("capi_reconcile", **SCOPE, steer=steer(1)))
    assert done["labelled"] == planned["labelled"] and not ok(door("capi_reconcile", **SCOPE, steer=steer(1)))["changed"]
    ok(door("node_pool", name=POOL, namespace=NAMESPACE, replicas=1))
    taken: set[str] = set()
    while not taken:  # the provider comes to it
        taken = {name for name, labels in labels_of_agents(door).items() if "agentMachineRef" in labels}
    assert taken == {"master-2"}
    ended = ok(door("capi_reconcile", **SCOPE))
    assert not ended["unlabelled"]
    with_label = [name for name, labels in labels_of_agents(door).items() if LABEL["key"] in labels]
    assert with_label == ["master-2"], "a host of the pool keeps the label: the pool finds it again when its Machine is replaced"
    assert not ok(door("capi_reconcile", **SCOPE))["changed"]
