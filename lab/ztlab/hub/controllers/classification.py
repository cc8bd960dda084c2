# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile AgentClassifications: set a label on each Agent whose inventory matches a jq query.

Source: openshift/assisted-service internal/controller/controllers/agentclassification_controller.go.
"""

from __future__ import annotations

from typing import Any

import jq

from ..conditions import Condition, merge
from ..names import (
    AGENT,
    AGENT_CLASSIFICATION,
    CLASSIFICATION_FINALIZER,
    CLASSIFICATION_LABEL,
    Key,
    Object,
    deleting,
    key_of,
    labels_of,
)
from ..world import World

ERROR_PREFIX = "QUERYERROR-"
RETRY_SECONDS = 10.0


def classify(query: str, inventory: Any) -> bool | None:
    """What a query says of an inventory; None when it fails or gives not exactly one result.

    A result that is no boolean is False.
    """
    try:
        found = jq.compile(query).input_value(inventory).all()
    except ValueError:
        return None
    return found[0] is True if len(found) == 1 else None


class ClassificationController:
    """Keys are AgentClassifications."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def reconcile(self, key: Key) -> float | None:
        item = self._world.get(AGENT_CLASSIFICATION, key)
        if item is None:
            return None
        agents = [agent for agent in self._world.all(AGENT, key[0]) if not deleting(agent)]
        label, value = f"{CLASSIFICATION_LABEL}{item['spec']['labelKey']}", item["spec"]["labelValue"]
        if deleting(item):
            return await self._delete(item, agents, label, value)
        item = await self._world.add_finalizer(AGENT_CLASSIFICATION, item, CLASSIFICATION_FINALIZER)
        for agent in agents:
            await self._label(agent, label, value, item["spec"]["query"])
        await self._show(item, label, value)
        return None

    async def _label(self, agent: Object, label: str, value: str, query: str) -> None:
        inventory = (agent.get("status") or {}).get("inventory")
        if inventory is None:
            return
        verdict = classify(query, inventory)
        present = labels_of(agent).get(label)
        wanted = value if verdict else None
        if verdict is None:
            wanted = f"{ERROR_PREFIX}{value}"
        if wanted is None and present not in (value, f"{ERROR_PREFIX}{value}"):
            return  # another classification's
        if wanted != present:
            await self._world.metadata(AGENT, agent, labels={label: wanted})

    async def _show(self, item: Object, label: str, value: str) -> None:
        labels = [labels_of(agent).get(label) for agent in self._world.all(AGENT, key_of(item)[0])]
        errors = labels.count(f"{ERROR_PREFIX}{value}")
        if errors:
            condition = Condition(
                "QueryErrors", "True", "HasQueryErrors", (f"{errors} Agents failed to apply the classification")
            )
        else:
            condition = Condition("QueryErrors", "False", "NoQueryErrors", "No query errors")
        status = dict(item.get("status") or {})
        status |= {"matchedCount": labels.count(value), "errorCount": errors}
        status["conditions"] = merge(status.get("conditions"), [condition], self._world.now())
        await self._world.status(AGENT_CLASSIFICATION, item, status)

    async def _delete(self, item: Object, agents: list[Object], label: str, value: str) -> float | None:
        """Waits until no Agent carries exactly this value: it takes it away itself."""
        for agent in agents:
            if labels_of(agent).get(label) == value:
                await self._world.metadata(AGENT, agent, labels={label: None})
        await self._world.drop_finalizer(AGENT_CLASSIFICATION, item, CLASSIFICATION_FINALIZER)
        return None
