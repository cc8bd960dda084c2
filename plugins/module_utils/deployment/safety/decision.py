# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide by the safety table what a run may do to a machine: :func:`may_touch` for one host, :func:`judge` for all
hosts of a run.

Every power action, boot, drain, reduction of a pool and deletion is decided here first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from ..stop_reason import StoppingHost, StopReason
from .evidence import Evidence
from .table import COLUMNS, ROWS, TAKE_OVER, Action, Cell, Lift, Outcome, Row

# The first line of a message about machines.
NOTHING_TOUCHED = "No machine was touched."


@dataclasses.dataclass(frozen=True)
class TouchRequest:
    """What a run wants to do, and what its user allows.

    ``confirm`` are the names in ``openshift_confirm``, ``force`` the values of ``openshift_force``; ``take_over`` are
    hosts that may be taken over by what their ``openshift_host`` says. ``command`` is what the user ran, for messages;
    ``through``: it boots machines through their BareMetalHosts.
    """

    action: Action
    cluster: str
    method: str = "agent"
    confirm: frozenset[str] = frozenset()
    force: frozenset[str] = frozenset()
    take_over: frozenset[str] = frozenset()
    work_dir: str = ""
    command: str = "deploy_cluster"
    through: bool = False

    @property
    def confirmed(self) -> bool:
        return bool(self.cluster) and self.cluster in self.confirm

    def forces(self, lift: Lift, host: str) -> bool:
        return lift.applies_to(self.method) and (
            lift.force in self.force or (lift.force == TAKE_OVER and host in self.take_over)
        )


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What may be done to one host.

    ``reason`` is the observation that decided; ``forced`` the override that was used; ``remedy`` what the user can do.
    """

    host: str
    row: str
    outcome: Outcome
    reason: str
    forced: str = ""
    remedy: str = ""

    @property
    def acts(self) -> bool:
        return self.outcome == "act"

    def as_dict(self) -> dict[str, str]:
        return {
            "name": self.host,
            "row": self.row,
            "outcome": self.outcome,
            "reason": self.reason,
            "forced": self.forced,
        }


@dataclasses.dataclass(frozen=True)
class Judgement:
    """The verdicts of all hosts, in order. ``stop``: why the run must not begin; None when it may."""

    verdicts: tuple[Verdict, ...] = ()
    stop: StopReason | None = None

    def named(self, *outcomes: Outcome) -> list[str]:
        return [verdict.host for verdict in self.verdicts if verdict.outcome in outcomes]

    @property
    def forced(self) -> dict[str, str]:
        """Hosts that are touched because of an override, with it."""
        return {verdict.host: verdict.forced for verdict in self.verdicts if verdict.forced}


def row_of(evidence: Evidence) -> tuple[Row, str]:
    """The first row that holds, and its observation."""
    for row in ROWS:
        text = row.of(evidence)
        if text:
            return row, text
    raise AssertionError("the last row of the table always holds")


def may_touch(host: str, evidence: Evidence, request: TouchRequest) -> Verdict:
    """The verdict for one host: the first row of the table that holds, and its cell for the action."""
    row, reason = row_of(evidence)
    cell = row.cell(request.action, request.method)
    if cell.outcome == "fail" and evidence.bmc_fault:
        return _without_bmc(host, evidence, request, row, cell, reason)
    remedy = cell.remedy.format(
        cluster=request.cluster or "NAME",
        other_method=_word(evidence.other_method),
        work_dir=request.work_dir or "its work directory",
        command=request.command,
    )
    for lift in cell.lifts:
        if not request.forces(lift, host):
            continue
        if lift.confirm and not request.confirmed:
            text = f"{lift.force} needs the confirmation -e openshift_confirm={request.cluster}."
            return Verdict(host, row.number, "stop", reason, remedy=text)
        return Verdict(host, row.number, lift.outcome, reason, forced=lift.force if lift.outcome == "act" else "")
    if cell.outcome == "through" and not request.through:
        return Verdict(host, row.number, "stop", reason, remedy=remedy)
    if cell.outcome == "through" and (rest := _whatever_boots_it(host, evidence, request)).outcome == "stop":
        return rest
    if cell.confirm and cell.outcome in ("act", "through") and not request.confirmed:
        return Verdict(
            host, row.number, "stop", reason, remedy=(f"Confirm this with -e openshift_confirm={request.cluster}.")
        )
    if cell.outcome == "act" and COLUMNS[request.action] == "take_out" and (kept := _kept(evidence)):
        return Verdict(host, row.number, "stop", kept[0], remedy=kept[1])
    return Verdict(host, row.number, cell.outcome, reason, remedy=remedy if cell.outcome in ("stop", "skip") else "")


def _kept(evidence: Evidence) -> tuple[str, str] | None:
    """Why the host's Node cannot leave now, and what the user can do."""
    node = evidence.node
    if node is None:
        return None
    if node.keeps:
        return node.keeps, "Add a control-plane host first."
    if node.ready or node.lost or evidence.leaving:
        return None
    text = (
        f"Node {node.name} has been NotReady for {node.not_ready_for:.0f} s. It cannot be drained, and is not "
        "yet treated as lost"
    )
    return text, "Run again when it is Ready, or when it has been NotReady for 5 minutes."


def _whatever_boots_it(host: str, evidence: Evidence, request: TouchRequest) -> Verdict:
    """The verdict by everything but its BareMetalHost, which is a record of its own: what the power of the machine says
    does not matter then.
    """
    return may_touch(
        host, dataclasses.replace(evidence, own_bare_metal_host="", released=evidence.released or "recorded"), request
    )


def _without_bmc(host: str, evidence: Evidence, request: TouchRequest, row: Row, cell: Cell, reason: str) -> Verdict:
    """A BMC that cannot be used stops neither the removal of a host nor that of a cluster; what else is known about the
    host may.
    """
    rest = may_touch(host, dataclasses.replace(evidence, bmc_fault=""), request)
    if rest.outcome in ("act", "through") or (rest.outcome == "skip" and evidence.recorded):
        return Verdict(host, row.number, "fail", reason)
    return rest


def judge(evidence: Mapping[str, Evidence], request: TouchRequest) -> Judgement:
    """All hosts, in order.

    A stop for one stops the run: the message lists every host that stops it, by what was observed and what to do.
    """
    verdicts = tuple(may_touch(host, each, request) for host, each in evidence.items())
    return Judgement(verdicts, stop_reason(verdicts))


def stop_reason(verdicts: Iterable[Verdict], text: str = NOTHING_TOUCHED) -> StopReason | None:
    """Why these verdicts stop the run; None if they do not."""
    hosts = tuple(
        StoppingHost(verdict.host, verdict.reason, verdict.remedy, verdict.row)
        for verdict in verdicts
        if verdict.outcome == "stop"
    )
    return StopReason(text, hosts=hosts) if hosts else None


def _word(text: str) -> str:
    """The method, which is the first word of the observation."""
    return text.split(" ", 1)[0] if text else ""
