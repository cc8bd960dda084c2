# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Do the work of upstream's controller (cluster-api-provider-agent): observe, plan, write, and repeat until the desired
state is reached.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterable

from ..common.clock import Clock, SystemClock
from ..common.errors import Interrupted, LimitReached, PartialFailure, ZeroTouchError
from ..common.listed import listed
from ..common.parallel import for_each
from ..common.waiting import Deadline, ProgressLines, turns
from ..hub.kinds import AGENT, SECRET
from ..kube.client import KubeClient
from ..kube.write import PLANS, WriteOutcome
from ..nodes.provider_ids import IdPlan, WantedId, apply_ids, look
from .apply import ChainResult, apply_stages, raise_failures, refusals
from .choose.model import Policy
from .kept_answers import KeptAnswers
from .kinds import AGENT_CLUSTER, AGENT_MACHINE
from .machine_plan import SETTLED, MachinePlan
from .names import ADMIN_KUBECONFIG
from .nudge import ChangeSignal
from .objects import Key, Object, backup_label
from .observe import Api, ObservedScope, Scope, discover, observe
from .pass_plan import PassPlan, plan_pass
from .report import Explained, explained
from .steps import Chain, patch
from .workload import Workload, kubeconfig_secret, open_workload, wanted_ids

# Seconds after which everything is read again although no watch had an event: Secrets and control planes are not
# watched.
RECHECK = 30.0
# The most plans of one reconcile pass, while other clients change the objects that it writes.
_ROUNDS = 3 * PLANS
# Seconds until a workload cluster that did not answer is asked again: each attempt takes its time.
UNREACHABLE = 60.0


@dataclasses.dataclass
class Account:
    """What was read last and everything that was done, over all reconcile passes.

    ``missing`` are Nodes that have not joined yet. ``explained`` has the choice for every machine for which a choice
    was made.
    """

    observed: ObservedScope
    plan: PassPlan
    planned: list[str] = dataclasses.field(default_factory=list)
    outcomes: list[WriteOutcome] = dataclasses.field(default_factory=list)
    problems: list[str] = dataclasses.field(default_factory=list)
    missing: tuple[WantedId, ...] = ()
    explained: dict[Key, Explained] = dataclasses.field(default_factory=dict)

    @property
    def changed(self) -> bool:
        return bool(self.outcomes)

    @property
    def open_machines(self) -> list[MachinePlan]:
        """Machines that still wait for something."""
        return [plan for plan in self.plan.machines if plan.state not in SETTLED]

    @property
    def converged(self) -> bool:
        """No Machine waits and no write is left.

        Optional writes have been tried by then; a missing right for them ends nothing.
        """
        needed = [step for step in self.plan.steps if not step.optional]
        return (
            not self.open_machines
            and not self.missing
            and not needed
            and all(plan.ready or plan.left_alone for plan in self.plan.clusters)
        )


class Reconciler:
    """Reconcile passes over one scope of one hub.

    ``workload`` is how Nodes are reached; None leaves them alone. ``show`` gets a line for every write and wait.

    ``guard`` is called before each round of writes and raises if another client may have begun to claim Agents since.
    """

    def __init__(
        self,
        client: KubeClient,
        scope: Scope,
        policy: Policy,
        *,
        clock: Clock | None = None,
        forks: int = 8,
        workload: Workload | None = None,
        show: Callable[[str], None] = lambda line: None,
        guard: Callable[[], None] = lambda: None,
    ) -> None:
        self._client, self._scope, self._policy = client, scope, policy
        self._guard = guard
        self._clock = clock or SystemClock()
        self._forks = forks
        self._workload = workload
        self._nodes: KubeClient | None = None
        # since when the workload cluster does not answer, and what was said then
        self._unreachable: tuple[float, str] | None = None
        self._lines = ProgressLines(self._clock, show, timed=False)
        self._cost = 0.0  # seconds that a look takes
        self.api: Api = discover(client)
        self._seen = KeptAnswers(client)
        observed = observe(self._seen, self.api, scope)
        self.account = Account(observed, plan_pass(observed, policy, self._moment()))

    def check(self) -> Account:
        """The plan of the next pass, with nothing written."""
        steps = self.account.plan.steps
        refused = refusals(self._client, steps)
        self.account.planned = [
            step.change.describe() for step in steps if not (step.optional and step.change.path in refused)
        ]
        self.account.explained = explained(self.account.plan.demands, self.account.plan.choice)
        self.account.problems = [*self.account.plan.problems, *refused.values()]
        self._node_ids(write=False)
        return self.account

    def once(self) -> Account:
        """One pass: everything that can be done now.

        An object that another client changed first is read again, and a new plan is made.

        Raises :class:`PartialFailure` where something could not be written, after everything else was; the account is
        complete then as well.
        """
        tried, written = 0, False
        for _round in range(_ROUNDS):
            plan = self.account.plan
            self.account.explained |= explained(plan.demands, plan.choice)
            if plan.steps:
                self._guard()
            done = apply_stages(self._client, plan.stages, self._forks)
            self._enter(done)
            again = any(each.again for each in done)
            some = any(each.outcomes for each in done)
            written = written or some or again
            tried = 0 if some else tried + 1
            if not again or tried == PLANS:
                break
            self._plan_again(done)
        if written:
            self.look()
        self.account.problems = [*self.account.plan.problems, *(warning for each in done for warning in each.warnings)]
        try:
            raise_failures(done)
        except PartialFailure as failure:
            self.account.problems += failure.message.splitlines()
            raise
        self._node_ids(write=True)
        return self.account

    def look(self) -> None:
        """Read everything again, and plan."""
        began = self._clock.now()
        self._seen = KeptAnswers(self._client)
        self._plan()
        self._cost = self._clock.now() - began

    def _plan_again(self, done: Iterable[ChainResult]) -> None:
        """Plan from what is known, with the objects that were written and those of refused writes as they are now."""
        refused = [each.refused for each in done if each.refused is not None]
        for each in done:
            for outcome in each.outcomes:
                self._seen.note(
                    outcome.change.resource, (outcome.change.namespace, outcome.change.name), outcome.object
                )
        for found in for_each(refused, lambda change: self._client.find(change.path), self._forks):
            if found.error is not None:
                raise found.error
            self._seen.note(found.item.resource, (found.item.namespace, found.item.name), found.result)
        self._plan()

    def _plan(self) -> None:
        self.account.observed = observe(self._seen, self.api, self._scope)
        self.account.plan = plan_pass(self.account.observed, self._policy, self._moment())

    def until_converged(self, limit: float) -> Account:
        """Repeat passes until no Machine waits.

        Raises :class:`LimitReached` after ``limit`` seconds, with the progress of each machine.
        """
        core = self.api.core
        own = self._scope.namespace
        paths = [
            AGENT.path(self._scope.agent_namespace),
            AGENT_MACHINE.path(own),
            AGENT_CLUSTER.path(own),
            core.machine.path(own),
            core.cluster.path(own),
        ]
        notify = ChangeSignal(self._client, paths, limit, self._clock)
        before = 0

        def await_change(seconds: float) -> None:
            """After a pass that wrote something, the next one follows at once."""
            if len(self.account.outcomes) == before:
                # Thousands of Agents always have something to say: looking takes a quarter of the time at most.
                self._clock.sleep(min(seconds, 3 * self._cost))
                notify.wait(seconds)
                self.look()

        for _turn in turns(Deadline(self._clock, limit), RECHECK, await_change):
            before = len(self.account.outcomes)
            self.once()
            self._tell()
            if self.account.converged:
                return self.account
        raise LimitReached(
            f"Not converged after {limit:g} s. {stuck(self.account)}",
            limit,
            ("The controllers continue. Run the task again to wait longer."),
        )

    def close(self) -> None:
        if self._nodes is not None:
            self._nodes.close()

    def _moment(self) -> str:
        # The server's own clock: times in objects are compared with others of it.
        now = self._client.server_time() or datetime.datetime.now(datetime.UTC)
        return now.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def _enter(self, done: Iterable[ChainResult]) -> None:
        for each in done:
            self._done(each.outcomes)

    def _done(self, outcomes: Iterable[WriteOutcome]) -> None:
        for outcome in outcomes:
            line = outcome.change.describe()
            self.account.outcomes.append(outcome)
            self.account.planned += [] if line in self.account.planned else [line]
            self._lines.say(line)

    def _node_ids(self, *, write: bool) -> None:
        """Provider IDs of the Nodes of machines that are ready.

        A cluster that cannot be reached is reported as a problem and ends nothing.
        """
        if self._workload is None:
            return
        wanted, problems = wanted_ids(self.account.observed.agent_machines)
        self.account.missing = ()
        self.account.problems += problems
        secret = (
            kubeconfig_secret(self._client, self._scope.namespace)
            if wanted and self._workload.kubeconfig is None
            else None
        )
        if not wanted or (secret is None and self._workload.kubeconfig is None):
            return
        now = self._clock.now()
        if self._unreachable is None or now >= self._unreachable[0] + UNREACHABLE:
            self._unreachable = None
            try:
                if self._nodes is None:
                    self._nodes = open_workload(self._client, self._scope.namespace, self._workload, self._clock)
                self._write_ids(look(self._nodes, wanted), secret, write=write)
            except Interrupted:
                raise
            except ZeroTouchError as error:
                self._unreachable = now, f"provider IDs of Nodes cannot be set: {error}"
        self.account.problems += [self._unreachable[1]] if self._unreachable else []

    def _write_ids(self, plan: IdPlan, secret: Object | None, *, write: bool) -> None:
        self.account.problems += plan.problems
        self.account.missing = plan.missing
        if not write or self._nodes is None:
            self.account.planned += [change.describe() for change in plan.changes]
            return
        label = [] if secret is None else patch(SECRET, secret, {"metadata": {"labels": backup_label(secret)}})
        optional = tuple(dataclasses.replace(step, optional=True) for step in label)
        self._enter(apply_stages(self._client, [[Chain(f"Secret {ADMIN_KUBECONFIG}", optional)]]))
        outcomes = apply_ids(self._nodes, plan)
        self._done(outcome for outcome in outcomes if outcome.changed)
        self.account.problems += [f"{outcome.change.title}: {outcome.error}" for outcome in outcomes if outcome.error]

    def _tell(self) -> None:
        """A line for every machine whose state or reason is another than before."""
        for plan in self.account.plan.machines:
            self._lines.tell(plan.view.name, f"{plan.view.title} {plan.state}: {plan.reason}")


def stuck(account: Account) -> str:
    """The state of each Machine that still waits."""
    lines = [f"{plan.view.title} is {plan.state}: {plan.reason}" for plan in account.open_machines]
    lines += [
        f"{plan.chain.name}: {plan.waits_for}"
        for plan in account.plan.clusters
        if not plan.ready and not plan.left_alone
    ]
    lines += [f"Node {each.node} of {each.machine} has not joined" for each in account.missing]
    found = listed([line.rstrip(".") for line in lines], 20, "; ")
    return f"{found}." if found else "Another client changes the same objects repeatedly."
