# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement module ``capi_reconcile``: its options, the choice between reconcile and label selection, its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..common.connect import ConnectTo
from ..common.errors import InvalidInput, PartialFailure, ZeroTouchError
from ..common.opened import Opened
from ..common.parallel import API_FORKS
from ..common.problems import INVALID, REQUIRED, OwnCheck, state_problems
from ..kube.client import KubeClient
from ..kube.config import load_document
from ..kube.connection import CONNECTION_OPTIONS, connect
from ..kube.write import WriteOutcome, diff_of
from .choose.model import ORDERS, Policy
from .choose.policy import read_policy
from .controller import Controller, find_controller
from .label_assignments import LabelAssigner, pool_selector, taken_by, waiting_machines
from .label_selection import LabelSelection
from .names import PROVIDER_NAMESPACE
from .observe import Scope
from .reconcile import Reconciler
from .report import MOST_REJECTIONS, agent_row, machine_rows, rejection_rows
from .workload import Workload

_label_problem = OwnCheck("label_selection")


def reconcile_argument_spec() -> dict[str, Any]:
    policy = {
        "order": {"type": "str", "choices": list(ORDERS), "default": "fit"},
        "topology_label": {"type": "str"},
        "prefer_labels": {"type": "dict", "default": {}},
        "reuse": {"type": "bool", "default": True},
        "pins": {"type": "dict", "default": {}},
    }
    label = {"key": {"type": "str", "required": True, "no_log": False}, "value": {"type": "str", "required": True}}
    label_selection = {
        "pool": {"type": "str", "required": True},
        "selector_label": {"type": "dict", "required": True, "options": label},
        "count": {"type": "int", "required": True},
        "reserve": {"type": "int", "default": 0},
        "candidates": {"type": "dict"},
        "exclude": {"type": "list", "elements": "str", "default": []},
    }
    return {
        **CONNECTION_OPTIONS,
        "namespace": {"type": "str", "required": True},
        "cluster_name": {"type": "str"},
        "agent_namespace": {"type": "str"},
        "mode": {"type": "str", "choices": ["auto", "reconcile", "label_selection"], "default": "auto"},
        "until": {"type": "str", "choices": ["pass", "converged"], "default": "pass"},
        "timeout": {"type": "float", "default": 3600},
        "policy": {"type": "dict", "options": policy},
        "label_selection": {"type": "dict", "options": label_selection},
        "provider_namespace": {"type": "str", "default": PROVIDER_NAMESPACE},
        "node_provider_ids": {"type": "bool", "default": True},
        "workload_kubeconfig": {"type": "path"},
        "forks": {"type": "int", "default": API_FORKS},
    }


def run_reconcile(call: Opened) -> dict[str, Any]:
    """The module. Raises :class:`InvalidInput`, :class:`PartialFailure` and :class:`LimitReached` with the complete
    result.
    """
    params = call.params
    _check(params)
    policy = read_policy(params["policy"])
    client = connect(params, clock=call.clock, forks=params["forks"])
    try:
        return _Run(call, client, policy).result()
    finally:
        client.close()


def _check(params: Mapping[str, Any]) -> None:
    label_selection = params["label_selection"] or {}
    problems = []
    if label_selection and label_selection["count"] < 0:
        problems.append(_label_problem("label_selection.count", INVALID, "must not be negative"))
    if label_selection and (label_selection.get("reserve") or 0) < 0:
        problems.append(_label_problem("label_selection.reserve", INVALID, "must not be negative"))
    if params["mode"] == "label_selection" and not label_selection:
        problems.append(
            _label_problem(
                "label_selection",
                REQUIRED,
                ("mode label_selection needs the pool, its label and how many Agents it is to find"),
            )
        )
    if params["timeout"] < 0:
        problems.append(_label_problem("timeout", INVALID, "must not be negative"))
    if problems:
        raise InvalidInput(problems)


class _Run:
    """One call of the module."""

    def __init__(self, call: Opened, client: KubeClient, policy: Policy) -> None:
        params = call.params
        self._call, self._client, self._policy = call, client, policy
        self._scope = Scope(params["namespace"], params["cluster_name"] or "", params["agent_namespace"] or "")
        self._controller = find_controller(client, self._scope.namespace, params["provider_namespace"])
        self._labels_agents = params["mode"] == "label_selection" or (
            params["mode"] == "auto" and self._controller.active
        )
        if params["mode"] == "reconcile" and self._controller.active:
            call.warn(f"The controller is at work ({self._controller.why}); it and we claim Agents at the same time.")
        self._reconciler = Reconciler(
            client,
            self._scope,
            policy,
            clock=call.clock,
            forks=params["forks"],
            workload=None if self._labels_agents or not params["node_provider_ids"] else self._workload(),
            show=call.progress,
            guard=self._look_for_rival,
        )
        self._assigner: LabelAssigner | None = None

    def result(self) -> dict[str, Any]:
        try:
            self._select_by_label() if self._labels_agents else self._reconcile()
        except ZeroTouchError as error:
            error.result = self._value()
            raise
        finally:
            self._reconciler.close()
        value = self._value()
        for problem in value["problems"]:
            self._call.warn(problem["detail"])
        return value

    def _look_for_rival(self) -> None:
        """A run may take an hour; a Deployment that had nothing ready when it began may have by now.

        Who asked for mode reconcile was warned.
        """
        if self._call.params["mode"] != "auto":
            return
        self._controller = find_controller(self._client, self._scope.namespace, self._call.params["provider_namespace"])
        if self._controller.active:
            raise ZeroTouchError(
                f"The agent provider's controller was started during this run ({self._controller.why}). The run "
                "stopped writing, because both would assign Agents.",
                "The controller continues. Run again: the module then selects Agents by label.",
            )

    def _workload(self) -> Workload:
        params = self._call.params
        path = params["workload_kubeconfig"]
        return Workload(
            load_document(Path(path)) if path else None, ConnectTo.of(params["connect_to"] or {}), self._call.check_mode
        )

    def _reconcile(self) -> None:
        if self._call.check_mode:
            self._call.plan(self._reconciler.check().planned)
        elif self._call.params["until"] == "converged":
            self._reconciler.until_converged(self._call.params["timeout"])
        else:
            self._reconciler.once()

    def _select_by_label(self) -> None:
        params, plans = self._call.params, self._reconciler.account.plan.machines
        selection = self._selection()
        core = self._reconciler.api.core
        self._assigner = assigner = LabelAssigner(
            self._client, self._scope, selection, self._policy, self._call.clock, self._call.progress, core
        )
        taken = taken_by(plans)
        if self._call.check_mode:
            assigner.look(taken)
            self._call.plan(assigner.planned)
        elif params["until"] == "converged" and selection is not None:
            assigner.until_reserved(params["timeout"], taken)
        else:
            assigner.once(taken)
        if selection is not None and assigner.plan.lacking:
            raise PartialFailure(
                assigner.plan.lacking,
                {},
                ("Approve or boot more hosts; what is rejected and why is in machines[].rejected."),
            )

    def _selection(self) -> LabelSelection | None:
        """What is asked for, with the pool's own selector."""
        label_selection = self._call.params["label_selection"]
        if not label_selection:
            return None
        namespace, pool = self._scope.namespace, label_selection["pool"]
        selector, there = pool_selector(self._client, self._reconciler.api, namespace, pool)
        if not there:
            self._call.warn(
                f"There is no MachineDeployment or MachineSet {namespace}/{pool} yet; Agents are chosen by "
                "candidates "
                "alone."
            )
        name = f"{namespace}/{pool}"
        label = label_selection["selector_label"]
        machines = waiting_machines(self._reconciler.account.plan.machines, name)
        exclude = frozenset(label_selection.get("exclude") or ())
        now = self._client.server_time()
        at = now.isoformat(timespec="seconds") if now is not None else ""
        asked = {
            "at": at,
            "exclude": exclude,
            "count": label_selection["count"],
            "reserve": label_selection.get("reserve") or 0,
            "candidates": label_selection["candidates"],
        }
        return LabelSelection(
            name,
            label["key"],
            label["value"],
            selector=selector,
            agent_namespace=self._scope.agent_namespace,
            machines=machines,
            **asked,
        )

    def _value(self) -> dict[str, Any]:
        assigner, account = self._assigner, self._reconciler.account
        if self._labels_agents and assigner is not None:
            outcomes, planned, problems = (
                assigner.outcomes,
                assigner.planned,
                [*assigner.plan.problems, *_idle(self._call.params)],
            )
            rows, complete = machine_rows(account.plan.machines, {}, by_label=True)
            rows = _with_labelled(assigner, rows)
        else:
            outcomes, planned, problems = account.outcomes, account.planned, account.problems
            rows, complete = machine_rows(account.plan.machines, account.explained)
        if not complete:
            problems = [*problems, "rejected is cut: there are more rejections than a result can hold"]
        return {
            "changed": bool(outcomes) if not self._call.check_mode else bool(planned),
            "mode": "label_selection" if self._labels_agents else "reconcile",
            "controller": _controller(self._controller),
            "plan": list(planned),
            "machines": rows,
            "labelled": _agents(assigner, "labelled", check_mode=self._call.check_mode),
            "unlabelled": _agents(assigner, "unlabelled", check_mode=self._call.check_mode),
            "problems": state_problems(problems, "capi"),
            **self._diff(outcomes),
        }

    def _diff(self, outcomes: Sequence[WriteOutcome]) -> dict[str, Any]:
        return {"diff": diff_of(outcomes)} if self._call.diff else {}


def _idle(params: Mapping[str, Any]) -> list[str]:
    if params["label_selection"]:
        return []
    return ["the agent provider's controller assigns the Agents, and label_selection is not set: no Agent was chosen"]


def _with_labelled(assigner: LabelAssigner, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with the hosts that are made ready: for Machines that wait, and for those that do not exist yet."""
    choice = assigner.plan.choice
    known = {row["name"]: row for row in rows}
    left = MOST_REJECTIONS
    for demand in assigner.plan.demands if choice is not None else ():
        row = known.get(demand.name)
        if row is None:
            row = {
                "name": demand.name,
                "namespace": demand.namespace,
                "agent": "",
                "hostname": "",
                "state": "waiting",
                "reason": "",
                "rejected": [],
            }
            rows.append(row)
        row["rejected"] = rejection_rows(assigner.plan.rejections(demand)[:left]) if left > 0 else []
        left -= len(row["rejected"])
        chosen = choice.assigned.get(demand.key) if choice else None
        if chosen is None:
            row["reason"] = choice.unassigned.get(demand.key, "") if choice else ""
            continue
        host = chosen.host
        row |= {
            "agent": f"{host.namespace}/{host.name}",
            "hostname": host.hostname,
            "state": "labelled",
            "reason": "; ".join(chosen.reasons),
        }
    return rows


def _controller(found: Controller) -> dict[str, Any]:
    return {"active": found.active, "why": found.why}


def _agents(assigner: LabelAssigner | None, which: str, *, check_mode: bool) -> list[dict[str, str]]:
    if assigner is None:
        return []
    found = getattr(assigner.plan, which) if check_mode else getattr(assigner, which).values()
    return [dict(agent_row(agent)) for agent in found]
