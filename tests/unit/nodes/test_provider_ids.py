# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test setting the provider IDs of Nodes that have none. An existing provider ID is never changed, and Nodes that have
not joined are reported.
"""

from __future__ import annotations

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.nodes.provider_ids import (
    IdPlan,
    WantedId,
    look,
    plan_provider_ids,
)


def node(name: str, provider_id: str = "") -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"providerID": provider_id} if provider_id else {}}


WANTED = [WantedId(f"worker-{number}", f"agent://{number}", f"AgentMachine ns/{number}") for number in range(4)]


def test_plan() -> None:
    plan = plan_provider_ids(
        WANTED, [node("worker-0"), node("worker-1", "agent://1"), node("worker-2", "other://2"), node("stranger")]
    )
    assert [change.body for change in plan.changes] == [{"spec": {"providerID": "agent://0"}}]
    assert [each.node for each in plan.missing] == ["worker-3"]
    assert plan.problems[0].startswith("Node worker-2 has provider ID other://2, but AgentMachine ns/2 needs agent://2")


def test_no_cluster_is_read_without_desired_ids() -> None:
    class Silent:
        def list(self, _path: str) -> Any:
            raise AssertionError("asked")

    assert look(Silent(), []) == IdPlan()  # type: ignore[arg-type]
