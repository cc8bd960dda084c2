# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement module ``node_pool``: observe, plan, apply, wait. A pool is deleted in an order that drains its Nodes and
keeps its hosts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...common.architectures import go_architecture
from ...common.errors import PartialFailure, ZeroTouchError
from ...common.opened import Opened
from ...common.waiting import WaitStatus
from ...kube.client import KubeClient, Object
from ...kube.connection import connect
from ...kube.write import Change, WriteOutcome, apply_changes, diff_of
from ..guest import pending_requests
from ..kinds import NODE_POOL
from ..names import DELETE_MACHINE, control_plane_namespace
from .config import find_config_maps
from .exchange import (
    Exchange,
    before_exchange,
    begin,
    complete,
    grown,
    plan_exchange,
    read_exchange,
    replaced,
    shrink,
    shrunk,
    victims,
)
from .plan import NodePoolPlan, mark_machine, plan_absent, plan_emptying, plan_present
from .removal import StillGrowing, plan_replacement, refuse_unsure
from .status import Target, skew, wait_status
from .view import PoolReader, PoolView
from .wait import PoolWait, ReleasedHost, words_of

# Seconds that the operator may take to make the Machines of a number that was raised just now.
GROWING = 30.0


def ensure_present(call: Opened) -> dict[str, Any]:
    """The NodePool as the options want it, and as far as ``wait_for`` says; the module's result.

    Raises :class:`InvalidInput` before anything is written, :class:`PartialFailure` with an account of what was done.
    """
    client = connect(call.params, clock=call.clock, check_mode=call.check_mode)
    try:
        return _Present(client, call).run()
    finally:
        client.close()


def ensure_absent(call: Opened) -> dict[str, Any]:
    """No such NodePool, its hosts free again; the module's result. Raises what :func:`ensure_present` raises."""
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
        self._waiting: PoolWait | None = None

    def write(self, changes: Sequence[Change], view: PoolView, replan: Any = None) -> None:
        """One object after the other; ends at the first that fails."""
        for change in changes:
            self.outcomes += apply_changes(
                self.client, [change], forks=1, check_mode=self.call.check_mode, replan=replan
            )
            error = self.outcomes[-1].error
            if error is not None:
                raise PartialFailure(
                    f"{change.title}: {getattr(error, 'message', error)}", self.result(view), getattr(error, "hint", "")
                )

    def wait(self, target: Target, view: PoolView) -> PoolWait:
        """Waits; raises with the account in the result, and with the certificate requests of Nodes that are not
        approved.
        """
        return self.wait_status(lambda found: wait_status(found, target), words_of(target), view)

    def wait_status(
        self, status: Callable[[PoolView], WaitStatus], words: str, view: PoolView, *, hosts: bool = True
    ) -> PoolWait:
        """:meth:`wait` for what ``status`` says.

        All waits of a run follow the hosts that left during the earlier ones.
        """
        if self._waiting is None:
            self._waiting = PoolWait(
                self.reader, self.call.clock, self.call.progress, limit=float(self.params["timeout"]), view=view
            )
        wait = self._waiting
        try:
            wait.until_status(status, words, hosts=hosts)
        except ZeroTouchError as error:
            pending = pending_requests(self.client, self.params, wait.view)
            words = f" Certificate requests: {'; '.join(pending)}." if pending else ""
            raise PartialFailure(
                f"{error.message}{words}", {**self.result(wait.view, wait.reboot), "pending_csrs": pending}, error.hint
            ) from error
        return wait

    def result(self, view: PoolView, reboot: Sequence[ReleasedHost] = ()) -> dict[str, Any]:
        return {
            "changed": any(outcome.changed for outcome in self.outcomes),
            "plan": self.steps,
            "node_pool": view.summary(),
            "machines": [machine.as_dict() for machine in view.machines],
            "needs_reboot": [
                {"agent": host.agent[1], "namespace": host.agent[0], "hostname": host.hostname} for host in reboot
            ],
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
        while (exchange := self._exchange_of(view)) is not None:
            view = self._exchanged(exchange, view)
            plan = self._plan(view)
        for warning in plan.warnings:
            call.warn(warning)
        lines = plan.lines()
        self.steps += lines
        call.plan(lines)
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
            hostname = host.hostname or host.agent[1]
            call.warn(f"{hostname} has left the pool and must boot the discovery image to be free again.")
        return self.result(wait.view, wait.reboot)

    def _exchange_of(self, view: PoolView) -> Exchange | None:
        """The exchange that an earlier run has begun, or the one that the options ask for; None where there is nothing
        to do before the other changes.
        """
        begun = read_exchange(view.pool)
        if begun is not None or view.pool is None:
            return begun
        return plan_exchange(
            plan_replacement(self.params["replace_hosts"], view).machines, view, self.params["replace_order"]
        )

    def _exchanged(self, exchange: Exchange, view: PoolView) -> PoolView:
        """The pool after the exchange: other hosts are Nodes, the Machines of the hosts are being deleted, and the size
        is as before.

        Each step can be repeated; what is left to do follows from the pool.
        """
        targets = plan_replacement(self.params["replace_hosts"], view).machines
        self.params["replace_hosts"] = [machine.name for machine in targets if machine.name not in exchange.machines]
        wanted = f"have {exchange.replicas} other Nodes before {', '.join(exchange.machines)} leave"
        lines = [f"{wanted}: {exchange.size} replicas until they are Ready, {exchange.replicas} afterwards"]
        self.steps += lines
        self.call.plan(lines)
        if read_exchange(view.pool) is None:
            self._write_size(begin, exchange, view)
        if self.call.check_mode:
            return dataclasses.replace(view, pool=before_exchange(view.pool))
        view = self.reader.read()
        exchange = read_exchange(view.pool) or exchange
        if grown(exchange, view):
            self.wait_status(
                lambda found: replaced(exchange, found), f"with {exchange.replicas} other Nodes", view, hosts=False
            )
            view = self.reader.read()
            leaving = victims(exchange, view)
            if leaving:
                refuse_unsure(leaving, view)
            self.write(
                [mark_machine(machine, self.reader.kinds) for machine in leaving if not machine.marked],
                view,
                _still_there,
            )
            self._write_size(shrink, exchange, view)
        # Until then the number of the pool decides how many Machines are deleted.
        self.wait_status(
            lambda found: shrunk(exchange, found), "without the Machines of hosts that leave", view, hosts=False
        )
        self._write_size(complete, exchange, self.reader.read())
        return self.reader.read()

    def _write_size(
        self, plan: Callable[[Exchange, PoolView], Change | None], exchange: Exchange, view: PoolView
    ) -> None:
        change = plan(exchange, view)
        if change is not None:
            self.write([change], view, lambda _change, _now: plan(exchange, self.reader.read()))

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
        view = dataclasses.replace(view, pool=before_exchange(view.pool))
        return plan_present(self.params, view, kinds, config_maps=config_maps, check_mode=self.call.check_mode)

    def _apply(self, plan: NodePoolPlan, view: PoolView) -> None:
        self.write(plan.marks, view, _still_there)
        if plan.marks and not self.call.check_mode:
            # Whether the marked Machines are all still there decides by how much the number may go down.
            view = self.reader.read()
            plan = self._plan(view)
            if plan.marks:
                raise PartialFailure(
                    f"The Machines of {view.title} changed while they were being marked.",
                    self.result(view),
                    "Run again.",
                )
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
        if target != "none" and (plan.changes or not wait_status(view, target).reached):
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
        call.plan(_reported(emptying, deletion, view))
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
            hostname = host.hostname or host.agent[1]
            call.warn(f"{hostname} was in the pool and must boot the discovery image to be free again.")
        return self.result(view, reboot)


def _reported(emptying: Change | None, deletion: Change | None, view: PoolView) -> list[str]:
    lines = []
    if emptying is not None:
        hosts = ", ".join(machine.title for machine in view.machines)
        hosts_note = ": " + hosts if hosts else ""
        lines += [emptying.describe(), f"wait until its Machines are deleted and their hosts are free{hosts_note}"]
    return lines + ([deletion.describe()] if deletion is not None else [])


def _same_machine(change: Change, now: Mapping[str, Any] | None) -> Change | None:
    """The deletion again, of the Machine that was meant; nothing when it is gone or going."""
    if (
        now is None
        or now["metadata"].get("deletionTimestamp")
        or now["metadata"].get("uid") != change.before["metadata"]["uid"]
    ):
        return None
    return change


def _still_there(change: Change, now: Mapping[str, Any] | None) -> Change | None:
    """A Machine that has changed is marked all the same; one that is gone, or marked by now, needs nothing."""
    if change.resource == NODE_POOL or now is None:
        return None
    return None if DELETE_MACHINE in (now["metadata"].get("annotations") or {}) else change
