# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan all Agents of a task together. Pure.

The plan has the Agent of each host and its change. It also has the number of hosts that each cluster accepts, and the
Agents that no host of the user matches.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from ...common.collector import collector_paused
from ...common.problems import INVALID, TOO_MANY, Problem
from ...kube.write import Change, plan_object
from ..kinds import AGENT
from .change import AgentPlan, AgentSurroundings, plan_agent
from .clusters import ClusterFacts, counted_roles, excess, role_of
from .match import Match, match_hosts
from .model import Agent, ClusterRef
from .problems import problem as _problem
from .request import AgentHostRequest

Unexpected = Literal["ignore", "warn", "fail", "approve"]


@dataclasses.dataclass(frozen=True)
class AgentHostPlan:
    """The plan of one host.

    ``changes`` holds at most one patch, or the deletions of all registrations of its machine.
    """

    request: AgentHostRequest
    match: Match
    changes: tuple[Change, ...] = ()
    refusals: tuple[str, ...] = ()
    waits_for: str = ""
    notes: tuple[str, ...] = ()

    @property
    def obstacle(self) -> str:
        """Why the host is not what was asked for even after the changes; empty when it is."""
        if self.refusals:
            return "; ".join(self.refusals)
        if self.match.status == "ambiguous" or (
            self.match.status == "unmatched" and self.request.action not in ("delete", "unbind")
        ):
            return self.match.reason
        return self.waits_for


@dataclasses.dataclass(frozen=True)
class AgentsPlan:
    """``approvals`` are the patches of unexpected Agents, where the policy approves them."""

    hosts: tuple[AgentHostPlan, ...] = ()
    unexpected: tuple[Agent, ...] = ()
    approvals: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()
    holds: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def changes(self) -> list[Change]:
        return [change for host in self.hosts for change in host.changes] + list(self.approvals)


@collector_paused()
def plan_hosts(
    requests: Sequence[AgentHostRequest],
    agents: Iterable[Agent],
    around: AgentSurroundings | None = None,
    *,
    unexpected: Unexpected = "warn",
    bound_elsewhere: Iterable[Agent] = (),
) -> AgentsPlan:
    """The plan for all hosts, in their order.

    ``bound_elsewhere`` are Agents of other namespaces that are bound to the same clusters.

    Neither the order of the requests nor that of the Agents has an influence on what is planned for a host.
    """
    around = around or AgentSurroundings()
    all_agents = sorted(agents, key=lambda agent: agent.key)
    matches = match_hosts(requests, all_agents)
    free = {request.name: _plan(request, matches[request.name], around, "") for request in requests}
    census = _Census(requests, free, [*bound_elsewhere, *all_agents], around)
    hosts = tuple(
        _plan(request, matches[request.name], around, hold) if (hold := census.hold(request)) else free[request.name]
        for request in requests
    )
    strangers = _strangers(matches.values(), all_agents)
    reported = strangers if unexpected in ("warn", "fail") else ()
    return AgentsPlan(
        hosts=tuple(_overfull(host, census) for host in hosts),
        unexpected=tuple(strangers),
        approvals=tuple(change for agent in strangers if unexpected == "approve" and (change := _approval(agent))),
        problems=(
            *census.warnings(),
            *_unapproved_and_bound(hosts),
            *(_stranger_problem(agent, unexpected) for agent in reported),
        ),
        holds={request.name: hold for request in requests if (hold := census.hold(request))},
    )


def _plan(request: AgentHostRequest, match: Match, around: AgentSurroundings, hold: str) -> AgentHostPlan:
    if match.agent is None:
        return AgentHostPlan(request, match)
    plan = plan_agent(request, match.agent, around, hold_bind=hold)
    changes: tuple[Change, ...] = (plan.change,) if plan.change is not None else ()
    notes = (match.reason, *plan.notes) if match.reason else plan.notes
    if request.action == "delete" and not plan.refusals:
        earlier = [(agent, plan_agent(request, agent, around)) for agent in match.superseded]
        changes += tuple(each.change for agent, each in earlier if each.change is not None and agent.cluster is None)
        notes += tuple(
            f"{agent.title} is kept: it is bound to {agent.cluster}"
            for agent, _each in earlier
            if agent.cluster is not None
        )
    return AgentHostPlan(request, match, changes, plan.refusals, plan.waits_for, notes)


def replan_agent(request: AgentHostRequest, agent: Agent, around: AgentSurroundings, hold: str) -> AgentPlan:
    """The plan for one Agent that changed under our hands; what the whole set allowed stays allowed."""
    return plan_agent(request, agent, around, hold_bind=hold)


class _Census:
    """Who is in a cluster and who wants to be, against what it needs.

    A cluster with one Agent too many never starts to install (14).
    """

    def __init__(
        self,
        requests: Sequence[AgentHostRequest],
        plans: Mapping[str, AgentHostPlan],
        agents: Iterable[Agent],
        around: AgentSurroundings,
    ) -> None:
        self._facts = {ref: facts for ref, facts in around.clusters.items() if facts.required is not None}
        self._plans = plans
        known = {agent.key: agent for agent in agents}
        self._members = {ref: [agent for agent in known.values() if agent.cluster == ref] for ref in self._facts}
        self._asking = {
            ref: [request for request in requests if request.action == "bind" and request.cluster == ref]
            for ref in self._facts
        }
        by_agent = {match.agent.key: plan for plan in plans.values() if (match := plan.match).agent is not None}
        self._of_agent = by_agent
        self._holds = {request.name: reason for ref in self._facts for request, reason in self._judge(ref)}

    def hold(self, request: AgentHostRequest) -> str:
        """Why this host must not be bound yet: a place becomes free only when another Agent has left."""
        return self._holds.get(request.name, ("", False))[0] if not self.refused(request) else ""

    def refused(self, request: AgentHostRequest) -> str:
        """Why this host must not be bound at all: more hosts are meant for the cluster than it takes."""
        reason, final = self._holds.get(request.name, ("", False))
        return reason if final else ""

    def warnings(self) -> Iterator[Problem]:
        for ref, facts in self._facts.items():
            staying = [agent for agent in self._members[ref] if not self._leaves(agent)]
            roles = [self._role_after(agent) for agent in staying]
            if excess(facts, roles):
                names = ", ".join(agent.title for agent in sorted(staying, key=lambda agent: agent.key))
                detail = (
                    f"cluster {ref} needs {facts.needs()}, but has {counted_roles(roles)}: it will not start to "
                    f"install ({names})"
                )
                yield _problem(
                    f"cluster {ref}",
                    TOO_MANY,
                    detail,
                    severity="warning",
                    hint="unbind those that are not meant for it",
                )

    def _judge(self, ref: ClusterRef) -> Iterator[tuple[AgentHostRequest, tuple[str, bool]]]:
        facts = self._facts[ref]
        new = [request for request in self._asking[ref] if not self._is_member(request, ref)]
        if not new:
            return
        there = [(self._role_after(agent), self._leaves(agent)) for agent in self._members[ref]]
        wanted = [self._role_of_request(request) for request in new]
        final = excess(facts, [role for role, leaves in there if not leaves] + wanted)
        now = excess(facts, [role for role, _leaves in there] + wanted)
        for request, role in zip(new, wanted, strict=True):
            if _concerns(final, role):
                yield request, (self._words(facts, [role for role, leaves in there if not leaves], wanted), True)
            elif _concerns(now, role):
                yield request, (f"cluster {ref} has room only after {self._leaving_names(ref)} left it", False)

    def _words(self, facts: ClusterFacts, there: Sequence[str], wanted: Sequence[str]) -> str:
        asked = f"it has {counted_roles(there)} and is to get {counted_roles(wanted)} more"
        return (
            f"cluster {facts.ref} needs {facts.needs()}; {asked}. The installation does not start with more "
            "Agents than replicas"
        )

    def _is_member(self, request: AgentHostRequest, ref: ClusterRef) -> bool:
        agent = self._plans[request.name].match.agent
        return agent is not None and agent.cluster == ref

    def _leaves(self, agent: Agent) -> bool:
        plan = self._of_agent.get(agent.key)
        if plan is None or plan.refusals or agent.cluster is None:
            return False
        return plan.request.action in ("unbind", "delete") or (
            plan.request.action == "bind" and plan.request.cluster != agent.cluster
        )

    def _leaving_names(self, ref: ClusterRef) -> str:
        return ", ".join(sorted(agent.title for agent in self._members[ref] if self._leaves(agent)))

    def _role_after(self, agent: Agent) -> str:
        plan = self._of_agent.get(agent.key)
        if plan is None or plan.refusals or plan.request.role is None:
            return role_of(agent)
        return plan.request.role

    def _role_of_request(self, request: AgentHostRequest) -> str:
        agent = self._plans[request.name].match.agent
        if request.role is not None:
            return request.role
        return "" if agent is None else role_of(agent)


def _concerns(too_many: Mapping[str, int], role: str) -> bool:
    """Whether a host of this role is among those that are too many. Too many altogether concerns every host."""
    return "" in too_many or (role or "") in too_many or (role == "bootstrap" and "master" in too_many)


def _overfull(host: AgentHostPlan, census: _Census) -> AgentHostPlan:
    reason = census.refused(host.request)
    return dataclasses.replace(host, changes=(), refusals=(*host.refusals, reason), notes=()) if reason else host


def _strangers(matches: Iterable[Match], agents: Iterable[Agent]) -> list[Agent]:
    """Agents that match no host and are not approved."""
    accounted = {
        agent.key
        for match in matches
        for agent in (match.agent, *match.superseded, *match.candidates)
        if agent is not None
    }
    return [agent for agent in agents if agent.key not in accounted and not agent.approved and not agent.deleting]


def _approval(agent: Agent) -> Change | None:
    desired = {"metadata": {"name": agent.name, "namespace": agent.namespace}, "spec": {"approved": True}}
    change = plan_object(AGENT, desired, agent.raw)
    return None if change is None else dataclasses.replace(change, resource_version=agent.resource_version)


def replan_approval(agent: Agent) -> Change | None:
    """The approval of an Agent that changed under our hands."""
    return None if agent.deleting else _approval(agent)


def _unapproved_and_bound(hosts: Iterable[AgentHostPlan]) -> Iterator[Problem]:
    for host in hosts:
        if host.request.action == "bind" and host.request.approved is False and not host.refusals:
            detail = (
                f"{host.request.name} is to be bound without approval: cluster {host.request.cluster} will not start "
                "to install"
            )
            yield _problem(f"hosts[{host.request.name}].approved", INVALID, detail, severity="warning")


def _stranger_problem(agent: Agent, policy: Unexpected) -> Problem:
    macs = ", ".join(agent.macs) or "not reported yet"
    detail = f"{agent.title} belongs to no host that is expected (MACs {macs}); it is not approved"
    severity: Literal["error", "warning"] = "error" if policy == "fail" else "warning"
    return _problem(
        f"agents[{agent.namespace}/{agent.name}]",
        INVALID,
        detail,
        severity=severity,
        hint="list it in hosts, or set unexpected",
    )
