# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build the rows about Machines and Agents in the results of the Cluster API modules.

The row of a Machine names its Agent, or the Agent that the plan assigns to it. For each rejected Agent it names the
first rule that this Agent does not meet.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..hub.agents.model import Agent
from .choose.model import AgentFacts, Choice, HostDemand, Key, Rejection
from .machine_plan import MachinePlan

# Rejections that a result holds at most: of 1000 Machines and 5000 Agents there would be five million.
MOST_REJECTIONS = 10_000

Reject = Callable[[HostDemand], list[tuple[AgentFacts, Rejection]]]


@dataclasses.dataclass(frozen=True)
class Explained:
    """Why a demand got its host (empty if it got none); ``reject`` returns why it did not get the others."""

    demand: HostDemand
    why: str
    reject: Reject = dataclasses.field(repr=False, compare=False)


def explained(demands: Iterable[HostDemand], choice: Choice) -> dict[Key, Explained]:
    """The planner's reasons for each demand."""
    reasons = {key: "; ".join(chosen.reasons) for key, chosen in choice.assigned.items()}
    return {demand.key: Explained(demand, reasons.get(demand.key, ""), choice.rejections) for demand in demands}


def machine_rows(
    plans: Iterable[MachinePlan], chosen: Mapping[Key, Explained], *, by_label: bool = False
) -> tuple[list[dict[str, Any]], bool]:
    """A row for each machine, and whether all rejections found room.

    Machines that go without come first in using it up.

    ``by_label``: the Agent of a machine that has none yet is not ours to say.
    """
    rows = {plan.view.key: _row(plan, by_label=by_label) for plan in plans}
    left = MOST_REJECTIONS
    complete = True
    for each in sorted(chosen.values(), key=lambda each: bool(rows.get(each.demand.key, {}).get("agent"))):
        row = rows.get(each.demand.key)
        if row is None:
            continue
        if each.why and row["state"] == "installing":
            row["reason"] = each.why
        rejected = each.reject(each.demand) if left > 0 else []
        complete = complete and 0 < left >= len(rejected)
        row["rejected"] = rejection_rows(rejected[:left])
        left -= len(rejected)
    return list(rows.values()), complete


def rejection_rows(rejected: Iterable[tuple[AgentFacts, Rejection]]) -> list[dict[str, str]]:
    return [
        {"agent": f"{host.namespace}/{host.name}", "rule": rejection.rule, "text": rejection.text}
        for host, rejection in rejected
    ]


def _row(plan: MachinePlan, *, by_label: bool) -> dict[str, Any]:
    agent = plan.view.own_agent if by_label and plan.state in ("waiting", "installing") else plan.agent
    state, reason = plan.state, plan.reason
    if by_label and agent is None and state == "installing":
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
