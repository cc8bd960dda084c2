# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test capi_reconcile on a hub with the lab's agent provider, which behaves like upstream's: mode auto detects the
provider and claims no Agent, and the provider takes the Agent that has the label.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .conftest import MakeLab
from .lab import Lab
from .test_capi import AGENTS, CLUSTER, NAMESPACE, POOL, REQUESTED, SCOPE, Open, ok, opener, stand

LABEL = {"key": "example.com/pool", "value": "edge"}
SELECTOR = {"matchLabels": {LABEL["key"]: LABEL["value"]}}


@pytest.fixture(scope="module")
def lab(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return stand(make_lab, tmp_path_factory.mktemp("label-selection"), "upstream")


@pytest.fixture
def run_module(lab: Lab, tmp_path: Path) -> Open:
    return opener(lab, tmp_path)


def label_selection(count: int) -> dict[str, Any]:
    return {"pool": POOL, "selector_label": LABEL, "count": count, "candidates": {"matchLabels": {"rack": "b"}}}


def labels_of_agents(run_module: Open) -> dict[str, dict[str, str]]:
    return {
        agent["hostname"]: agent["labels"] for agent in ok(run_module("agents_info", namespaces=[AGENTS]))["agents"]
    }


def test_auto_labels_for_the_provider_that_is_at_work(run_module: Open) -> None:
    ok(run_module("hosted_cluster", **REQUESTED, wait_for="available", timeout=300))
    ok(
        run_module(
            "node_pool", name=POOL, namespace=NAMESPACE, cluster_name=CLUSTER, agent_label_selector=SELECTOR, replicas=0
        )
    )
    planned = ok(run_module("capi_reconcile", check=True, **SCOPE, label_selection=label_selection(1)))
    assert (
        planned["mode"] == "label_selection"
        and planned["controller"]["active"]
        and "capi-provider" in planned["controller"]["why"]
    ), planned["output"]
    assert [row["hostname"] for row in planned["labelled"]] == ["master-2"], (
        "the only one in rack b; the provider would begin with another"
    )
    done = ok(run_module("capi_reconcile", **SCOPE, label_selection=label_selection(1)))
    assert (
        done["labelled"] == planned["labelled"]
        and not ok(run_module("capi_reconcile", **SCOPE, label_selection=label_selection(1)))["changed"]
    )
    ok(run_module("node_pool", name=POOL, namespace=NAMESPACE, replicas=1))
    taken: set[str] = set()
    while not taken:  # the provider comes to it
        taken = {name for name, labels in labels_of_agents(run_module).items() if "agentMachineRef" in labels}
    assert taken == {"master-2"}
    ended = ok(run_module("capi_reconcile", **SCOPE))
    assert not ended["unlabelled"]
    with_label = [name for name, labels in labels_of_agents(run_module).items() if LABEL["key"] in labels]
    assert with_label == ["master-2"], (
        "a host of the pool keeps the label: the pool finds it again when its Machine is replaced"
    )
    assert not ok(run_module("capi_reconcile", **SCOPE))["changed"]
