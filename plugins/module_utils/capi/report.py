# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Machines as results show them: who has which Agent or would get it, and of every other Agent the first rule that it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..hub.agents.model import Agent
from .choose.model import Host, Rejection, Wish
from .machine_plan import MachinePlan

# Rejections that a result holds at most: of 1000 Machines and 5000 Agents there would be five million.
MOST_REJECTIONS = 10_000
# Of a Machine that does not exist yet.
MOST_OF_ONE = 1_000

Reject = Callable[[Wish], list[tuple[Host, Rejection]]]


def machine_rows(plans: Iterable[MachinePlan], wishes: Sequence[Wish], reject: Reject, *, steered: bool = False) -> tuple[list[dict[str, Any]], bool]:
    """A row for each machine, and whether all rejections found room. Machines that go without come first in using it up.

    ``steered``: the Agent of a machine that has none yet is not ours to say.
    """
    rows = {plan.view.key: _row(plan, steered=steered) for plan in plans}
    left = MOST_REJECTIONS
    complete = True
    for wish in sorted(wishes, key=lambda wish: bool(rows.get(wish.key, {}).get("agent"))):
        row = rows.get(wish.key)
        if row is None:
            continue
        if left <= 0:
            complete = False
            break
        rejected = reject(wish)
        complete = complete and len(rejected) <= left
        row["rejected"] = rejection_rows(rejected[:left])
        left -= len(rejected)
    return list(rows.values()), complete


def rejection_rows(rejected: Iterable[tuple[Host, Rejection]]) -> list[dict[str, str]]:
    return [{"agent": f"{host.namespace}/{host.name}", "rule": rejection.rule, "text": rejection.text} for host, rejection in rejected]


def _row(plan: MachinePlan, *, steered: bool) -> dict[str, Any]:
    agent = plan.view.own_agent if steered and plan.state in ("waiting", "installing") else plan.agent
    state, reason = plan.state, plan.reason
    if steered and agent is None and state == "installing":
        state, reason = "waiting", "the controller gives it an Agent that its pool's selector fits"
    return {
        "name": plan.view.name,
        "namespace": plan.view.key[0],
        "agent": f"{agent.namespace}/{agent.name}" if agent else "",
        "hostname": agent.hostname if agent else "",
        "state": state,
        "reason": reason,
        "rejected": [],
    }


def agent_row(agent: Agent) -> Mapping[str, str]:
    return {"agent": agent.name, "namespace": agent.namespace, "hostname": agent.hostname}
