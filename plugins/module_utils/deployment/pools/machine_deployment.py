# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Scale a MachineDeployment, remove exactly the named hosts from it, and wait for its Machines, for module
``machine_deployment``.

The Machines of named hosts are annotated first, so that Cluster API deletes them when the number of replicas is
reduced.
Source: kubernetes-sigs/cluster-api core/reconcilers/machineset/machineset_deletion_order.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ...capi.kinds import AGENT_MACHINE, CoreKinds, core_kinds
from ...capi.nudge import ChangeSignal
from ...common.clock import Clock
from ...common.errors import LimitReached, ZeroTouchError
from ...common.opened import Opened
from ...common.plurals import counted, is_or_are
from ...common.terminal import shortened
from ...common.waiting import Deadline, ProgressLines, turns
from ...hub.agents.model import read_agents, without_bulk
from ...hub.kinds import AGENT
from ...hypershift.names import DELETE_MACHINE
from ...kube.client import KubeClient, Object
from ...kube.connection import connect
from ...kube.write import Change, WriteOutcome, apply_changes, diff_of, plan_object
from ..hub.install import refuse_failures
from ..stop_reason import message_of
from .observe import PoolRequest, Seen, placed, see_machine_deployment
from .size import DesiredPool, PoolMachine, resize

Target = Literal["none", "accepted", "replicas", "ready"]
# Seconds after which objects are read again although no event came.
RECHECK = 30.0


@dataclasses.dataclass(frozen=True)
class DeploymentPlan:
    """``marks`` annotate the Machines that go, ``size`` sets the replicas; both are empty where it is so already."""

    marks: tuple[Change, ...]
    size: Change | None
    replicas: int

    @property
    def changes(self) -> tuple[Change, ...]:
        return (*self.marks, *((self.size,) if self.size else ()))


def plan_deployment(
    found: Object, seen: Seen, removed: Sequence[PoolMachine], replicas: int, kinds: CoreKinds
) -> DeploymentPlan:
    """The writes for a size that has been decided on."""
    marked = {machine.name for machine in seen.machines if machine.marked}
    namespace = str(found["metadata"]["namespace"])
    patch = {"metadata": {"annotations": {DELETE_MACHINE: "yes"}}}
    reason = f"its host must leave the pool: Cluster API deletes this Machine first ({DELETE_MACHINE})"
    marks = tuple(
        Change("patch", kinds.machine, namespace, machine.name, patch, (reason,))
        for machine in removed
        if machine.name not in marked
    )
    wanted = {"metadata": {"namespace": namespace, "name": found["metadata"]["name"]}, "spec": {"replicas": replicas}}
    size = plan_object(kinds.machine_deployment, wanted, found)
    if size is not None and removed:
        # The number must not have changed since it was counted.
        size = dataclasses.replace(size, resource_version=str(found["metadata"].get("resourceVersion") or ""))
    return DeploymentPlan(marks, size, replicas)


def wait_status(found: Mapping[str, Any], seen: Seen, replicas: int, target: Target) -> str:
    """What is still waited for; empty once it is there.

    ``accepted``: so many Machines stay, each with its AgentMachine; ``replicas``: and none is going; ``ready``: and all
    of them run.
    """
    leaving = [machine for machine in seen.machines if machine.leaving]
    staying = [machine for machine in seen.machines if not machine.leaving]
    unmade = [machine.name for machine in staying if machine.name in seen.unmade]
    if target == "accepted" and len(staying) == replicas:
        return f"{', '.join(unmade)} without an AgentMachine so far" if unmade else ""
    if leaving and target != "accepted":
        texts = "; ".join(machine.text() for machine in leaving)
        return f"{_count(len(leaving), 'Machine')} still going: {texts}"
    if len(staying) != replicas:
        return f"{len(staying)} of {replicas} Machines are there"
    if target == "replicas":
        return ""
    late = [machine for machine in staying if machine.state != "running"]
    if late:
        described = "; ".join(machine.text() for machine in late)
        return f"{_count(len(late), 'Machine')} not running: {described}"
    status = found.get("status") or {}
    if int(status.get("observedGeneration") or 0) < int(found["metadata"].get("generation") or 0):
        return "Cluster API has not looked at the MachineDeployment as it is now"
    ready = int(status.get("readyReplicas") or 0)
    return "" if ready >= replicas else f"{ready} of {replicas} Machines are ready"


def scale_deployment(call: Opened) -> dict[str, Any]:
    """The module. Raises :class:`ZeroTouchError` where the size cannot be reached, or not in time, each with where
    every Machine is.
    """
    params = call.params
    client = connect(params, clock=call.clock, check_mode=call.check_mode)
    try:
        return _Scaling(client, params, call).run()
    finally:
        client.close()


class _Scaling:
    """One run for one MachineDeployment."""

    def __init__(self, client: KubeClient, params: Mapping[str, Any], call: Opened) -> None:
        self._client, self._call = client, call
        self._kinds = core_kinds(client)
        self._demand = DesiredPool(params["replicas"], tuple(params["remove"]))
        self._request = PoolRequest(
            "MachineDeployment", params["namespace"], params["name"], "", params["agent_namespace"], self._demand
        )
        self._target: Target = params["wait_for"]
        self._limit = float(params["timeout"])

    def run(self) -> dict[str, Any]:
        call = self._call
        found, seen = self._look()
        agents = read_agents(self._client.list(AGENT.path(self._request.agent_namespace), trim=without_bulk))
        pool = dataclasses.replace(seen.pool, machines=placed(seen.machines, agents))
        size = resize(pool, self._demand, (), agents, choose=False)
        replicas = size.replicas
        if size.stop or replicas is None:
            raise ZeroTouchError(message_of(size.stop))
        plan = plan_deployment(found, seen, size.named, replicas, self._kinds)
        steps = [change.describe() for change in plan.changes]
        call.plan(steps)
        # Marks first: a number that shrinks without them would take any Machine.
        outcomes = apply_changes(self._client, plan.marks, check_mode=call.check_mode)
        result = self._result(seen, steps, outcomes, replicas)
        refuse_failures(outcomes, len(plan.changes), result)
        outcomes += apply_changes(self._client, [plan.size] if plan.size else [], check_mode=call.check_mode)
        result = self._result(seen, steps, outcomes, replicas)
        refuse_failures(outcomes, len(plan.changes), result)
        if self._target == "none":
            return result
        if call.check_mode:
            waiting = wait_status(found, seen, replicas, self._target)
            running = " that run" if self._target == "ready" else ""
            call.plan([f"wait until it has {replicas} Machines{running}"] if waiting else [])
            return result
        return self._result(self._wait(replicas, result), steps, outcomes, replicas)

    def _wait(self, replicas: int, result: Mapping[str, Any]) -> Seen:
        clock: Clock = self._call.clock
        namespace = self._request.namespace
        kinds = (self._kinds.machine_deployment, self._kinds.machine, AGENT_MACHINE)
        paths = [*(kind.path(namespace) for kind in kinds), AGENT.path(self._request.agent_namespace)]
        notify = ChangeSignal(self._client, paths, self._limit, clock)
        lines = ProgressLines(clock, self._call.progress, timed=False)
        message = ""
        for _turn in turns(Deadline(clock, self._limit), RECHECK, notify.wait):
            found, seen = self._look()
            reason = wait_status(found, seen, replicas, self._target)
            if not reason:
                return seen
            message = f"{seen.pool.title}: {reason}"
            lines.repeat("", shortened(message, 160))
        error = LimitReached(
            f"{message}, after {self._limit:g} s.",
            self._limit,
            "Cluster API continues. Run the task again to wait longer.",
        )
        error.result = result
        raise error

    def _look(self) -> tuple[Object, Seen]:
        path = self._kinds.machine_deployment.path(self._request.namespace, self._request.name)
        found = self._client.find(path)
        if found is None:
            raise ZeroTouchError(
                f"There is no MachineDeployment {self._request.namespace}/{self._request.name}.",
                "Make it first (capi_cluster).",
            )
        return found, see_machine_deployment(self._client, self._request, found)

    def _result(
        self, seen: Seen, steps: Sequence[str], outcomes: Sequence[WriteOutcome], replicas: int
    ) -> dict[str, Any]:
        result: dict[str, Any] = {
            "changed": any(outcome.changed for outcome in outcomes),
            "plan": list(steps),
            "replicas": replicas,
            "ready": seen.ready,
            "machines": [machine.as_dict() for machine in seen.machines],
        }
        if self._call.diff:
            result["diff"] = diff_of(outcomes)
        return result


def _count(number: int, what: str) -> str:
    return f"{counted(number, what)} {is_or_are(number)}"
