# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Describe the hosts that were inspected as plain data, for reports."""

from __future__ import annotations

from typing import Any

from ..bmc.guard import shared_machines
from .methods import method_of
from .protocol import BootPlan, Machines


def describe_machines(inspected: Machines) -> list[dict[str, Any]]:
    """One entry for each host: what its method read, or why it could not be read.

    ``reason`` says why a machine must not be changed; no machine is refused here.
    """
    shared = shared_machines(inspected)
    described = []
    for outcome in inspected:
        request, machine = outcome.item, outcome.result
        if machine is None:
            described.append({"name": request.name, "failed": True, "reason": str(outcome.error)})
            continue
        method = method_of(request)
        objection = method.refusal(request, machine, BootPlan()) or shared.get(request.name, "")
        described.append({"name": request.name, "failed": False, "reason": objection, **method.facts(machine)})
    return described
