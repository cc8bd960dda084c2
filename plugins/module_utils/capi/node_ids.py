# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement module ``node_provider_ids``: its options, its run and its result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..common.connect import ConnectTo
from ..common.errors import LimitReached, PartialFailure, ZeroTouchError
from ..common.opened import Opened
from ..common.problems import state_problems
from ..common.waiting import Deadline, turns
from ..kube.client import KubeClient
from ..kube.config import load_document
from ..kube.connection import CONNECTION_OPTIONS, connect
from ..kube.write import WriteOutcome, diff_of
from ..nodes.provider_ids import IdPlan, WantedId, apply_ids, look
from .kinds import AGENT_MACHINE
from .workload import Workload, open_workload, wanted_ids

# Seconds between reads of Nodes that have not joined: joining takes minutes.
STEP = 10.0


def node_ids_argument_spec() -> dict[str, Any]:
    return {
        **CONNECTION_OPTIONS,
        "namespace": {"type": "str", "required": True},
        "workload_kubeconfig": {"type": "path"},
        "wait": {"type": "bool", "default": False},
        "timeout": {"type": "float", "default": 1800},
    }


def run_node_ids(call: Opened) -> dict[str, Any]:
    """Raises :class:`PartialFailure` for Nodes that could not be written, :class:`LimitReached` when a Node does not
    join in time, each with the result.
    """
    params = call.params
    hub = connect(params, clock=call.clock)
    try:
        wanted, problems = wanted_ids(hub.list(AGENT_MACHINE.path(params["namespace"])))
        if not wanted:
            return {"changed": False, "plan": [], "nodes": [], "problems": state_problems(problems, "provider-ids")}
        path = params["workload_kubeconfig"]
        workload = Workload(
            load_document(Path(path)) if path else None, ConnectTo.of(params["connect_to"] or {}), call.check_mode
        )
        nodes = open_workload(hub, params["namespace"], workload, call.clock)
        try:
            return _set(call, nodes, wanted, problems)
        finally:
            nodes.close()
    finally:
        hub.close()


def _set(call: Opened, nodes: KubeClient, wanted: Sequence[WantedId], problems: Sequence[str]) -> dict[str, Any]:
    limit = float(call.params["timeout"])
    plan, outcomes, result = IdPlan(), list[WriteOutcome](), dict[str, Any]()
    for _turn in turns(Deadline(call.clock, limit), STEP):
        plan = look(nodes, wanted)
        call.plan(change.describe() for change in plan.changes)
        outcomes += apply_ids(nodes, plan, check_mode=call.check_mode)
        result = _result(call, plan, wanted, outcomes, problems)
        failed = [outcome for outcome in outcomes if outcome.error is not None]
        if failed:
            raise PartialFailure("\n".join(_words(outcome) for outcome in failed), result)
        if not plan.missing or not call.params["wait"] or call.check_mode:
            return result
    names = ", ".join(each.node for each in plan.missing)
    late = LimitReached(
        f"Not joined within {limit:g} s: {names}.", limit, "Look at their certificate requests (node_csrs)."
    )
    late.result = result
    raise late


def _words(outcome: WriteOutcome) -> str:
    if not isinstance(outcome.error, ZeroTouchError):
        raise outcome.error or AssertionError("an outcome that failed has an error")
    return f"{outcome.change.title}: {outcome.error}"


def _result(
    call: Opened, plan: IdPlan, wanted: Sequence[WantedId], outcomes: Sequence[WriteOutcome], problems: Sequence[str]
) -> dict[str, Any]:
    missing = {each.node for each in plan.missing}
    written = {outcome.change.name for outcome in outcomes if outcome.changed}
    states = dict.fromkeys(written, "written") | dict.fromkeys(missing, "missing")
    rows = [
        {
            "name": each.node,
            "provider_id": each.provider_id,
            "machine": each.machine.partition(" ")[2],
            "state": states.get(each.node, "set"),
        }
        for each in wanted
    ]
    found = [*problems, *plan.problems]
    for problem in found:
        call.warn(problem)
    result: dict[str, Any] = {
        "changed": bool(written),
        "plan": [outcome.change.describe() for outcome in outcomes if outcome.changed],
        "nodes": rows,
        "problems": state_problems(found, "provider-ids"),
    }
    return result | ({"diff": diff_of(outcomes)} if call.diff else {})
