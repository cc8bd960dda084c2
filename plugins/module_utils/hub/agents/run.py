# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Bring many Agents to the state that an inventory describes: observe, plan, apply, and wait if requested."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence

from ...common.clock import Clock, SystemClock
from ...common.errors import Interrupted, ZeroTouchError
from ...common.parallel import API_FORKS
from ...common.problems import Problem
from ...common.waiting import Deadline, Doubts, ProgressLines, WaitStatus, turns
from ...kube.client import KubeClient
from ...kube.write import WriteOutcome
from ..kinds import AGENT
from .apply import AgentHostResult, apply_plan, merge_agents
from .change import AgentSurroundings
from .lookup import Lookup
from .model import INFRA_ENV_LABEL, Agent, read_agents, without_bulk
from .plan import AgentHostPlan, AgentsPlan, Unexpected, plan_hosts
from .request import AgentHostRequest
from .waits import Target, wait_status
from .watch import AgentWatch

# Seconds that an input error of the service has to last before it is believed: it may be about what an Agent was before
# our change.
DOUBT = 15.0
# Seconds between two looks although nothing changed: clusters are not watched, and doubts grow old.
LOOK_AGAIN = 10.0
# How the reason of a host reads that was waited for to the end.
WITHIN = " within "


@dataclasses.dataclass(frozen=True)
class Options:
    """What holds for a whole task. ``timeout`` is in seconds, for the whole wait."""

    namespace: str
    infra_env: str = ""
    unexpected: Unexpected = "warn"
    wait_for: Target = "none"
    timeout: float = 1800.0
    forks: int = API_FORKS
    check_mode: bool = False
    clock: Clock = dataclasses.field(default_factory=SystemClock)
    progress: Callable[[str], None] = lambda text: None
    barred: Callable[[Agent], str] = lambda agent: ""

    @property
    def selector(self) -> str:
        return f"{INFRA_ENV_LABEL}={self.infra_env}" if self.infra_env else ""


@dataclasses.dataclass
class HostAccount:
    """What became of one host. ``failed`` with ``reason`` if it is not what was asked for."""

    name: str
    agent: Agent | None = None
    match: str = ""
    by: str = ""
    candidates: tuple[Agent, ...] = ()
    changed: bool = False
    changes: list[str] = dataclasses.field(default_factory=list)
    failed: bool = False
    reason: str = ""
    notes: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class AgentsAccount:
    """The whole task: every host of the request, everything written, complete whatever happened.

    ``fault`` is what ended it early.
    """

    hosts: list[HostAccount]
    unexpected: list[Agent] = dataclasses.field(default_factory=list)
    approved: list[str] = dataclasses.field(default_factory=list)
    problems: list[Problem] = dataclasses.field(default_factory=list)
    outcomes: list[WriteOutcome] = dataclasses.field(default_factory=list)
    fault: ZeroTouchError | None = None

    @property
    def changed(self) -> bool:
        return bool(self.approved) or any(host.changed for host in self.hosts)


def reconcile_agents(client: KubeClient, requests: Sequence[AgentHostRequest], options: Options) -> AgentsAccount:
    """Bring the Agents of all hosts to what was asked for.

    One list, one patch for each Agent that changes; with ``wait_for`` one watch besides. In check mode nothing is
    waited for and the server only tries the writes. Raises what makes the whole task impossible before anything was
    done (no list of Agents); everything later is in the account.
    """
    task = _Task(client, requests, options)
    if options.wait_for == "none" or options.check_mode:
        agents = read_agents(
            client.list(AGENT.path(options.namespace), label_selector=options.selector, trim=without_bulk)
        )
        task.once(agents)
    else:
        task.until_reached()
    return task.account


class _Task:
    """One task at work. ``account`` is complete at any moment."""

    def __init__(self, client: KubeClient, requests: Sequence[AgentHostRequest], options: Options) -> None:
        self._client = client
        self._requests = requests
        self._options = options
        self._lookup = Lookup(client, options.namespace, requests)
        self._around = AgentSurroundings()
        self._hosts = {request.name: HostAccount(request.name) for request in requests}
        self._final: set[str] = set()  # hosts that failed: nothing more is tried
        self._waiting = {request.name: WaitStatus(reason="it was not looked at yet") for request in requests}
        self._doubts = Doubts(options.clock, DOUBT)
        self._lines = ProgressLines(options.clock, options.progress)
        self._deadline = Deadline(options.clock, options.timeout)
        self.account = AgentsAccount(list(self._hosts.values()))

    def once(self, agents: Sequence[Agent]) -> None:
        """One round: what cannot be done now is a failure."""
        plan = self._plan(agents)
        if self._stop_for_strangers(plan):
            return
        try:
            done = self._apply(plan)
        except ZeroTouchError as error:
            self.account.fault = error
            done = []
        after = {agent.key: agent for agent in merge_agents(agents, done)}
        for host in plan.hosts:
            account = self._hosts[host.request.name]
            if account.agent is not None and not self._options.check_mode:
                account.agent = after.get(account.agent.key, account.agent)
            if not account.failed and not account.reason:
                account.failed, account.reason = (
                    bool(host.obstacle),
                    host.obstacle or ("" if account.agent else host.match.reason),
                )

    def until_reached(self) -> None:
        """Rounds, each after a batch of changes on the hub, until every host is there or cannot get there, or the time
        is over.
        """
        options = self._options
        path = AGENT.path(options.namespace)
        watch = AgentWatch(
            self._client, path, options.timeout + LOOK_AGAIN, options.clock, label_selector=options.selector
        )
        watch.next_batch(options.timeout)
        try:
            for _turn in turns(self._deadline, LOOK_AGAIN, watch.next_batch):
                self._waiting = self._round(watch)
                if not self._waiting:
                    return
            self._give_up(f"not {options.wait_for}{WITHIN}{options.timeout:.0f} s")
        except ZeroTouchError as error:
            self.account.fault = error
            self._give_up("not waited for to the end")

    def _round(self, watch: AgentWatch) -> dict[str, WaitStatus]:
        """Plan and apply once; the hosts that are still on their way."""
        plan = self._plan(watch.agents.values())
        if self._stop_for_strangers(plan):
            return {}
        done = self._apply(plan)
        for each in done:
            for agent in each.agents:
                watch.put(agent)
            if each.gone:
                for outcome in each.outcomes:
                    watch.drop((outcome.change.namespace, outcome.change.name))
        written = {each.host for each in done}
        found = {
            host.request.name: self._wait_status(host, written)
            for host in plan.hosts
            if host.request.name not in self._final
        }
        for name, where in found.items():
            if where.final:
                self._final.add(name)
                self._hosts[name].failed, self._hosts[name].reason = True, where.reason
        waiting = {name: where for name, where in found.items() if not where.final and not where.reached}
        self._tell(len(self._requests) - len(self._final) - len(waiting), waiting)
        return waiting

    def _plan(self, agents: Iterable[Agent]) -> AgentsPlan:
        all_agents = list(agents)
        if not self._lookup.looked or any(self._is_to_be_bound(request) for request in self._requests):
            self._around = dataclasses.replace(self._lookup.surroundings(), barred=self._options.barred)
        elsewhere = [agent for agent in self._lookup.bound_elsewhere if not self._is_selected(agent)]
        plan = plan_hosts(
            self._requests, all_agents, self._around, unexpected=self._options.unexpected, bound_elsewhere=elsewhere
        )
        for host in plan.hosts:
            self._note(host)
        self.account.unexpected = list(plan.unexpected)
        self.account.problems = [*self._lookup.problems, *plan.problems]
        return dataclasses.replace(
            plan,
            hosts=tuple(
                dataclasses.replace(host, changes=()) if host.request.name in self._final else host
                for host in plan.hosts
            ),
        )

    def _is_to_be_bound(self, request: AgentHostRequest) -> bool:
        agent = self._hosts[request.name].agent
        return (
            request.action == "bind"
            and request.name not in self._final
            and (agent is None or agent.cluster != request.cluster)
        )

    def _is_selected(self, agent: Agent) -> bool:
        options = self._options
        return agent.namespace == options.namespace and (not options.infra_env or agent.infra_env == options.infra_env)

    def _note(self, host: AgentHostPlan) -> None:
        account = self._hosts[host.request.name]
        if host.request.name in self._final:
            return
        account.match, account.by, account.candidates = host.match.status, host.match.by, host.match.candidates
        account.agent = host.match.agent or (account.agent if account.changed else None)
        account.notes += [note for note in host.notes if note not in account.notes]

    def _stop_for_strangers(self, plan: AgentsPlan) -> bool:
        """With ``unexpected: fail`` nothing is done as long as there are unexpected Agents."""
        if self._options.unexpected != "fail" or not plan.unexpected:
            return False
        found = [(agent.title, ", ".join(agent.macs) or "not reported yet") for agent in plan.unexpected]
        names = ", ".join(f"{title} with MACs {macs}" for title, macs in found)
        self.account.fault = ZeroTouchError(
            f"{names} match no host of the inventory.",
            ("List them in hosts, or set unexpected; nothing more was done."),
        )
        for host in self.account.hosts:
            if not host.failed and not host.changed:
                host.reason = "nothing was done: there are unexpected Agents"
        return True

    def _apply(self, plan: AgentsPlan) -> list[AgentHostResult]:
        if not plan.changes:
            return []
        done = apply_plan(
            self._client, plan, self._around, forks=self._options.forks, check_mode=self._options.check_mode
        )
        waits = self._options.wait_for != "none" and not self._options.check_mode
        for each in done:
            self.account.outcomes += [outcome for outcome in each.outcomes if outcome.error is None]
            if not each.host:
                self.account.approved += [outcome.change.title for outcome in each.outcomes if each.changed]
                continue
            account = self._hosts[each.host]
            account.changed = account.changed or each.changed
            account.changes += each.changes
            if each.failure and not (each.gone and waits):
                account.failed, account.reason = True, each.failure
                self._final.add(each.host)
        if any(each.interrupted for each in done):
            raise Interrupted("Stopped by a signal.")
        return done

    def _wait_status(self, host: AgentHostPlan, written: set[str]) -> WaitStatus:
        name = host.request.name
        if name in written:
            return WaitStatus(reason="its changes were just made")
        return self._doubts.settle(name, wait_status(host, self._options.wait_for))

    def _give_up(self, words: str) -> None:
        for name, where in self._waiting.items():
            account = self._hosts[name]
            if not account.failed:
                account.failed, account.reason = True, f"{words}: {where.reason}"

    def _tell(self, reached: int, waiting: dict[str, WaitStatus]) -> None:
        total = len(self._requests)
        names = "; ".join(f"{name}: {where.reason}" for name, where in list(waiting.items())[:3])
        self._lines.percent = 100 * reached // max(total, 1)
        self._lines.repeat("", f"{reached} of {total} hosts {self._options.wait_for}", f" ({names})" if names else "")
