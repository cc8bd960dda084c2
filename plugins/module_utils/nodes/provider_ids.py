# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Set the provider IDs of Nodes. A provider ID links a Node to its Machine of Cluster API. The plan is pure.

Source: openshift/cluster-api-provider-agent controllers/node_provider_id_controller.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..kube.client import KubeClient
from ..kube.paths import NODE
from ..kube.write import Change, WriteOutcome, apply_changes, plan_object


@dataclasses.dataclass(frozen=True)
class WantedId:
    """Node ``node`` should have ``provider_id``, which ``machine`` defines."""

    node: str
    provider_id: str
    machine: str


@dataclasses.dataclass(frozen=True)
class IdPlan:
    """``changes`` of Nodes without an ID, ``missing`` Nodes that have not joined, ``problems`` for those that have
    another ID, which is immutable.
    """

    changes: tuple[Change, ...] = ()
    missing: tuple[WantedId, ...] = ()
    problems: tuple[str, ...] = ()


def plan_provider_ids(wanted: Sequence[WantedId], nodes: Iterable[Mapping[str, Any]]) -> IdPlan:
    """One patch for each Node that has no provider ID yet."""
    by_name = {str(node["metadata"]["name"]): node for node in nodes}
    changes: list[Change] = []
    missing: list[WantedId] = []
    problems: list[str] = []
    for each in wanted:
        node = by_name.get(each.node)
        if node is None:
            missing.append(each)
            continue
        present = str((node.get("spec") or {}).get("providerID") or "")
        if present and present != each.provider_id:
            problems.append(
                f"Node {each.node} has provider ID {present}, but {each.machine} needs {each.provider_id}. A "
                "provider ID cannot change. If the Node is obsolete, delete it"
            )
            continue
        change = plan_object(NODE, {"metadata": {"name": each.node}, "spec": {"providerID": each.provider_id}}, node)
        changes += [change] if change else []
    return IdPlan(tuple(changes), tuple(missing), tuple(problems))


def look(client: KubeClient, wanted: Sequence[WantedId]) -> IdPlan:
    """The plan against the cluster's Nodes; without desired ids the cluster is not read."""
    return plan_provider_ids(wanted, client.list(NODE.path())) if wanted else IdPlan()


def apply_ids(client: KubeClient, plan: IdPlan, *, check_mode: bool = False) -> list[WriteOutcome]:
    """Set them. A Node that another client changed meanwhile is judged again by its new content."""
    wanted = {change.name: change.body["spec"]["providerID"] for change in plan.changes}

    def again(change: Change, now: Mapping[str, Any] | None) -> Change | None:
        found = plan_provider_ids([WantedId(change.name, wanted[change.name], "")], [now] if now else [])
        return found.changes[0] if found.changes else None

    return apply_changes(client, plan.changes, check_mode=check_mode, replan=again)
