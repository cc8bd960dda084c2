# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Apply the plan for Agents: one merge patch for each Agent that changes, in parallel. The result lists every Agent,
changed or failed.

Each patch is locked to the version of the Agent that it was planned from. If the Agent changed meanwhile, it is read
and planned again by the same pure function. If an Agent was deleted or recreated meanwhile, the result reports it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from ...common.errors import Interrupted, ZeroTouchError
from ...common.parallel import API_FORKS
from ...kube.client import KubeClient, Object
from ...kube.write import Change, WriteOutcome, apply_changes
from .change import AgentPlan, AgentSurroundings
from .model import Agent, read_agent
from .plan import AgentHostPlan, AgentsPlan, replan_agent, replan_approval

Key = tuple[str, str]


@dataclasses.dataclass(frozen=True)
class AgentHostResult:
    """The result of the changes of one host (or of one unexpected Agent, then ``host`` is empty).

    ``agents`` are those that were written or read again, as they are now; ``gone`` means that the Agent was deleted
    meanwhile.
    """

    host: str
    changed: bool = False
    changes: tuple[str, ...] = ()
    failure: str = ""
    gone: bool = False
    interrupted: bool = False
    agents: tuple[Agent, ...] = ()
    outcomes: tuple[WriteOutcome, ...] = ()


def apply_plan(
    client: KubeClient, plan: AgentsPlan, around: AgentSurroundings, *, forks: int = API_FORKS, check_mode: bool = False
) -> list[AgentHostResult]:
    """Write everything that is planned.

    Hosts without changes have no entry. In check mode the server tries every write without keeping it.
    """
    work = [(host.request.name, change) for host in plan.hosts for change in host.changes] + [
        ("", change) for change in plan.approvals
    ]
    planner = _Planner(plan, around)
    outcomes = apply_changes(
        client, [change for _host, change in work], forks=forks, check_mode=check_mode, replan=planner.again
    )
    by_host: dict[str, list[WriteOutcome]] = {}
    strangers = []
    for (host, _change), outcome in zip(work, outcomes, strict=True):
        if host:
            by_host.setdefault(host, []).append(outcome)
        else:
            strangers.append(_done("", [outcome], planner))
    return [_done(host, mine, planner) for host, mine in by_host.items()] + strangers


class _Planner:
    """Plans single Agents again, and remembers why nothing more is to be done to one."""

    def __init__(self, plan: AgentsPlan, around: AgentSurroundings) -> None:
        self._around = around
        self._holds = plan.holds
        self._hosts: Mapping[Key, AgentHostPlan] = {
            (change.namespace, change.name): host for host in plan.hosts for change in host.changes
        }
        self.refusals: dict[Key, str] = {}
        self.gone: set[Key] = set()

    def again(self, change: Change, observed: Object | None) -> Change | None:
        key = (change.namespace, change.name)
        if observed is None:
            self.gone.add(key)
            return None
        agent = read_agent(observed)
        host = self._hosts.get(key)
        if host is None:
            return replan_approval(agent)
        if reason := self._other_client(host, change, agent):
            self.refusals[key] = reason
            return None
        plan: AgentPlan = replan_agent(host.request, agent, self._around, self._holds.get(host.request.name, ""))
        if plan.refusals:
            self.refusals[key] = "; ".join(plan.refusals)
        return plan.change

    @staticmethod
    def _other_client(host: AgentHostPlan, change: Change, agent: Agent) -> str:
        before = read_agent(change.before)
        if agent.deleting and host.request.action != "delete":
            return f"{agent.title} is being deleted"
        if before.macs and agent.macs and not set(before.macs) & set(agent.macs):
            return (
                f"{agent.title} is another machine now: its MACs are {', '.join(agent.macs)}, they were "
                f"{', '.join(before.macs)}"
            )
        if host.request.action == "delete" and before.uid != agent.uid:
            return f"{agent.title} was deleted and has registered again meanwhile"
        return ""


def _done(host: str, outcomes: Sequence[WriteOutcome], planner: _Planner) -> AgentHostResult:
    failures: list[str] = []
    changes: list[str] = []
    agents: list[Agent] = []
    changed = gone = interrupted = False
    for outcome in outcomes:
        key = (outcome.change.namespace, outcome.change.name)
        refusal = planner.refusals.get(key)
        if outcome.error is not None:
            interrupted = interrupted or isinstance(outcome.error, Interrupted)
            failures.append(_words(outcome))
        elif refusal:
            failures.append(refusal)
        elif key in planner.gone:
            gone = gone or outcome.change.verb == "patch"
        else:
            # An Agent that had our values by the time of a repeated request was changed while we worked, by a request
            # whose answer was lost.
            changed = True
            changes += outcome.change.reasons
        if outcome.object:
            agents.append(read_agent(outcome.object))
    if gone:
        failures.append(
            f"Agent {outcomes[0].change.namespace}/{outcomes[0].change.name} was deleted while we worked on it"
        )
    return AgentHostResult(
        host, changed, tuple(changes), "; ".join(failures), gone, interrupted, tuple(agents), tuple(outcomes)
    )


def _words(outcome: WriteOutcome) -> str:
    if outcome.error is not None and not isinstance(outcome.error, ZeroTouchError):
        raise outcome.error
    return str(outcome.error)


def merge_agents(agents: Iterable[Agent], done: Iterable[AgentHostResult]) -> list[Agent]:
    """The Agents as they are after the changes."""
    now = {agent.key: agent for agent in agents}
    for each in done:
        for outcome in each.outcomes:
            key = (outcome.change.namespace, outcome.change.name)
            if outcome.change.verb == "delete" and outcome.error is None and outcome.changed:
                now.pop(key, None)
        if each.gone:
            for outcome in each.outcomes:
                now.pop((outcome.change.namespace, outcome.change.name), None)
        now |= {agent.key: agent for agent in each.agents}
    return list(now.values())
