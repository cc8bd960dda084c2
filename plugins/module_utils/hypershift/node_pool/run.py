# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What the door ``node_pool`` does: observe, plan, apply, wait; and the removal of a pool in the order that drains its Nodes and keeps its hosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...common.architectures import go_architecture
from ...common.errors import PartialFailure, ZeroTouchError
from ...common.opened import Opened
from ...kube.client import KubeClient, Object
from ...kube.connection import connect
from ...kube.write import Change, WriteOutcome, apply_changes, diff_of
from ..guest import pending_requests
from ..kinds import NODE_POOL
from ..names import DELETE_MACHINE, control_plane_namespace
from .config import find_config_maps
from .plan import NodePoolPlan, plan_absent, plan_emptying, plan_present
from .removal import StillGrowing
from .status import Target, skew, standing
from .view import PoolReader, PoolView
from .wait import PoolWait, ReleasedHost

# Seconds that the operator may take to make the Machines of a number that was raised just now.
GROWING = 30.0


def ensure_present(call: Opened) -> dict[str, Any]:
    """The NodePool as the options want it, and as far as ``wait_for`` says; the door's result.

    Raises :class:`InvalidInput` before anything is written, :class:`PartialFailure` with an account of what was done.
    """
    client = connect(call.params, clock=call.clock, check_mode=call.check_mode)
    try:
        return _Present(client, call).run()
    finally:
        client.close()


def ensure_absent(call: Opened) -> dict[str, Any]:
    """No such NodePool, its hosts free again; the door's result. Raises what :func:`ensure_present` raises."""
    client = connect(call.params, clock=call.clock, check_mode=call.check_mode)
    try:
        return _Absent(client, call).run()
    finally:
        client.close()


class _Run:
    """One run for one pool: what was written so far, and the result with it."""

    def __init__(self, client: KubeClient, call: Opened) -> None:
        self.client, self.call = client, call
        arch = call.params.get("arch")
        self.params = {**call.params, "arch": go_architecture(arch) if arch else None}  # the CRD has Go's names
        self.reader = PoolReader(client, self.params["namespace"], self.params["name"])
        self.outcomes: list[WriteOutcome] = []
        self.steps: list[str] = []

    def write(self, changes: Sequence[Change], view: PoolView, replan: Any = None) -> None:
        """One object after the other; ends at the first that fails."""
        for change in changes:
            self.outcomes += apply_changes(self.client, [change], forks=1, check_mode=self.call.check_mode, replan=replan)
            error = self.outcomes[-1].error
            if error is not None:
                raise PartialFailure(f"{change.title}: {error}", self.result(view), getattr(error, "hint", ""))

    def wait(self, target: Target, view: PoolView) -> PoolWait:
        """Waits; raises with the account in the result, and with the certificate requests of Nodes that nobody has approved."""
        wait = PoolWait(self.reader, self.call.clock, self.call.progress, limit=float(self.params["timeout"]), view=view)
        try:
            wait.until(target)
        except ZeroTouchError as error:
            pending = pending_requests(self.client, self.params, wait.view)
            words = f" Certificate requests: {'; '.join(pending)}." if pending else ""
            raise PartialFailure(f"{error.message}{words}", {**self.result(wait.view, wait.reboot), "pending_csrs": pending}, error.hint) from error
        return wait

    def result(self, view: PoolView, reboot: Sequence[ReleasedHost] = ()) -> dict[str, Any]:
        return {
            "changed": any(outcome.changed for outcome in self.outcomes),
            "plan": self.steps,
            "node_pool": view.summary(),
            "machines": [machine.as_dict() for machine in view.machines],
            "needs_reboot": [{"agent": host.agent[1], "namespace": host.agent[0], "hostname": host.hostname} for host in reboot],
            "pending_csrs": [],
            **({"diff": diff_of(self.outcomes)} if self.call.diff else {}),
        }


class _Present(_Run):
    def run(self) -> dict[str, Any]:
        call = self.call
        view = self.reader.read(str(self.params["cluster_name"] or ""))
        try:
            plan = self._plan(view)
        except StillGrowing:
            view = self._grown(view)
            plan = self._plan(view)
        for warning in plan.warnings:
            call.warn(warning)
        self.steps = plan.lines()
        call.plan(self.steps)
        self._apply(plan, view)
        target: Target = self.params["wait_for"]
        if call.check_mode:
            return self._predicted(target, view, plan)
        if target == "none":
            return self.result(self.reader.read() if plan.changes else view)
        wait = self.wait(target, view)
        if skewed := skew(wait.view):
            call.warn(skewed)
        for host in wait.reboot:
            call.warn(f"{host.hostname or host.agent[1]} has left the pool and has to boot the discovery image to be free again.")
        return self.result(wait.view, wait.reboot)

    def _grown(self, view: PoolView) -> PoolView:
        """The pool when all its Machines are made, or after the seconds that this may take."""
        if self.call.check_mode or view.pool is None:
            return view
        machines = self.reader.kinds.machine.path(control_plane_namespace(view.namespace, view.cluster))
        for _event in self.client.follow(machines, min(GROWING, float(self.params["timeout"]))):
            view = self.reader.read()
            if len(view.staying) >= (view.desired or 0):
                break
        return view

    def _plan(self, view: PoolView) -> NodePoolPlan:
        kinds = self.reader.kinds if self.params["remove"] or self.params["replace_hosts"] else None
        config_maps = find_config_maps(self.client, self.params)
        return plan_present(self.params, view, kinds, config_maps=config_maps, check_mode=self.call.check_mode)

    def _apply(self, plan: NodePoolPlan, view: PoolView) -> None:
        self.write(plan.marks, view, _still_there)
        if plan.marks and not self.call.check_mode:
            # Whether the marked Machines are all still there decides by how much the number may go down.
            view = self.reader.read()
            plan = self._plan(view)
            if plan.marks:
                raise PartialFailure(f"The Machines of {view.title} changed while they were being marked.", self.result(view), "Run again.")
        if plan.change is not None:
            self.write([plan.change], view, self._again)
        self.write(plan.deletions, view, _same_machine)

    def _again(self, change: Change, now: Object | None) -> Change | None:
        """The plan for the pool and its Machines as they are by now."""
        plan = self._plan(self.reader.read(str(self.params["cluster_name"] or "")))
        if plan.marks:
            raise ZeroTouchError(f"{change.title} and its Machines changed meanwhile.", "Run again.")
        return plan.change

    def _predicted(self, target: Target, view: PoolView, plan: NodePoolPlan) -> dict[str, Any]:
        if target != "none" and (plan.changes or not standing(view, target).reached):
            self.call.plan([f"wait until {view.title} is {target}"])
        return self.result(view)


class _Absent(_Run):
    def run(self) -> dict[str, Any]:
        call = self.call
        view = self.reader.read(str(self.params["cluster_name"] or ""))
        emptying = plan_emptying(view) if self.params["drain"] else None
        deletion = plan_absent(view)
        steps = [change for change in (emptying, deletion) if change is not None]
        self.steps = [change.describe() for change in steps]
        call.plan(_told(emptying, deletion, view))
        if call.check_mode:
            self.write(steps, view)
            return self.result(view)
        reboot: list[ReleasedHost] = []
        if emptying is not None:
            self.write([emptying], view, lambda _change, _now: plan_emptying(self.reader.read()))
            emptied = self.wait("empty", view)
            view, reboot = emptied.view, emptied.reboot
        if deletion is not None:
            self.write([deletion], view)
        if view.pool is not None or view.machines:
            gone = self.wait("gone", view)
            view, reboot = gone.view, [*reboot, *(host for host in gone.reboot if host not in reboot)]
        for host in reboot:
            call.warn(f"{host.hostname or host.agent[1]} was in the pool and has to boot the discovery image to be free again.")
        return self.result(view, reboot)


def _told(emptying: Change | None, deletion: Change | None, view: PoolView) -> list[str]:
    lines = []
    if emptying is not None:
        hosts = ", ".join(machine.title for machine in view.machines)
        lines += [emptying.describe(), f"wait until its Machines are gone and their hosts free{': ' + hosts if hosts else ''}"]
    return lines + ([deletion.describe()] if deletion is not None else [])


def _same_machine(change: Change, now: Mapping[str, Any] | None) -> Change | None:
    """The deletion again, of the Machine that was meant; nothing when it is gone or going."""
    if now is None or now["metadata"].get("deletionTimestamp") or now["metadata"].get("uid") != change.before["metadata"]["uid"]:
        return None
    return change


def _still_there(change: Change, now: Mapping[str, Any] | None) -> Change | None:
    """A Machine that has changed is marked all the same; one that is gone, or marked by now, needs nothing."""
    if change.resource == NODE_POOL or now is None:
        return None
    return None if DELETE_MACHINE in (now["metadata"].get("annotations") or {}) else change
