# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the reasons why machines must not be changed. All machines are checked before the first one is changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from ..bmc.guard import shared_machines
from .methods import method_of
from .protocol import BootPlan, Machines


@dataclasses.dataclass(frozen=True)
class Permission:
    """Whether machines may be changed.

    ``stop`` is the reason why none may be changed; empty if there is none. ``without`` maps hosts that are not changed
    to the reason. ``again`` repeats the decision for machines that are changed later (:mod:`.recheck`); None if the
    decision is valid for the whole call. ``failing`` maps hosts that a repeated decision stops to the reason: other
    hosts are already changed. ``left`` is called with the name of a host that another run boots.
    """

    stop: str = ""
    without: Mapping[str, str] = dataclasses.field(default_factory=dict)
    failing: Mapping[str, str] = dataclasses.field(default_factory=dict)
    again: Callable[[Machines], Permission] | None = None
    left: Callable[[str], None] = lambda _host: None


@dataclasses.dataclass(frozen=True)
class MachineRefusal:
    """Why a host's machine may not be touched. ``phase`` is what found it: observe (it could not be read) or guard."""

    phase: str
    reason: str


def refusals(inspected: Machines, plans: Mapping[str, BootPlan]) -> dict[str, MachineRefusal]:
    """By host name; empty when everything may go ahead. ``plans`` has the plan of every machine that could be read."""
    shared = shared_machines(inspected)
    found = {}
    for outcome in inspected:
        request, machine = outcome.item, outcome.result
        if machine is None:
            found[request.name] = MachineRefusal("observe", str(outcome.error))
            continue
        reason = method_of(request).refusal(request, machine, plans[request.name]) or shared.get(request.name, "")
        if reason:
            found[request.name] = MachineRefusal("guard", reason)
    return found
