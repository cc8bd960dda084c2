# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Format a safety decision: the result of the module, and the lines that check mode prints for each host."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .decision import Judgement, Verdict
from .evidence import Evidence
from .gather import Gathered
from .table import COLUMNS, Action

_VERBS: Mapping[Action, str] = {
    "boot": "boot {host}",
    "supply": "boot {host}",
    "replace_in": "boot {host}",
    "remove": "remove {host} from its cluster and power it off",
    "reprovision": "remove {host} from its cluster and boot it into discovery",
    "shrink": "remove {host} from its pool",
    "replace_out": "exchange {host} for another host",
    "destroy": "power off {host}",
    "on": "power on {host}",
    "off": "power off {host}",
}


def described(judgement: Judgement, gathered: Gathered) -> dict[str, Any]:
    """The result of a module that decides."""
    left = [
        f"{verdict.host} is not changed: {verdict.reason.rstrip('.')}."
        for verdict in judgement.verdicts
        if verdict.outcome == "leave"
    ]
    return {
        "changed": False,
        "hosts": [_host(verdict, gathered.evidence[verdict.host]) for verdict in judgement.verdicts],
        "touch": judgement.named("act"),
        "through": judgement.named("through"),
        "forced_hosts": list(judgement.forced),
        "left": left,
        "failed_hosts": [
            {"name": verdict.host, "reason": verdict.reason}
            for verdict in judgement.verdicts
            if verdict.outcome == "fail"
        ],
        "not_checked": list(gathered.not_checked),
    }


def plan_lines(judgement: Judgement, gathered: Gathered, action: Action) -> Iterator[str]:
    """What the run does to machines, one line each, for check mode.

    A machine that is off already is not powered off.
    """
    if judgement.stop or action not in _VERBS:
        return
    for verdict in judgement.verdicts:
        if verdict.outcome not in ("act", "fail", "through"):
            continue
        evidence = gathered.evidence[verdict.host]
        if action == "remove" and evidence.released and evidence.power == "Off" and evidence.node is None:
            continue  # it has been taken out, and is off
        if action in ("destroy", "off") and (evidence.power == "Off" or evidence.manual):
            continue  # nothing is written to it
        node = evidence.node
        if COLUMNS[action] == "take_out" and node is not None:
            yield (
                f"drain Node {node.name}"
                if node.ready
                else (f"taint Node {node.name} as out of service, without a drain")
            )
            yield f"delete Node {node.name}"
        why = verdict.forced or verdict.reason
        yield f"{_VERBS[action].format(host=verdict.host)} ({why})"


def _host(verdict: Verdict, evidence: Evidence) -> dict[str, Any]:
    node = evidence.node
    return {**verdict.as_dict(), "node": node.name if node else "", "drain": bool(node and node.ready)}
