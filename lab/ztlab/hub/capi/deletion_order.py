# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Sort the Machines of a MachineSet in the order in which it deletes them. Pure functions.

Source: kubernetes-sigs/cluster-api core/reconcilers/machineset/machineset_deletion_order.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..conditions import find
from ..names import Object, annotations_of, deleting
from .kinds import DELETE_MACHINE, UPDATING_IN_PLACE
from .shape import new_conditions, node_name, old_conditions

NEWEST, OLDEST = "Newest", "Oldest"
ILL = ("NodeHealthy", "HealthCheckSucceeded")


def unhealthy(machine: Object) -> bool:
    """Whether a Machine has no Node, or a condition in ILL is False (unhealthy Node, failed health check)."""
    if not node_name(machine):
        return True
    reported = [
        find(listed, kind).get("status")
        for listed in (new_conditions(machine), old_conditions(machine))
        for kind in ILL
    ]
    return "False" in reported


def priority(machine: Object) -> int:
    """The higher one goes first."""
    notes = annotations_of(machine)
    if deleting(machine):
        return 100
    if DELETE_MACHINE in notes:
        return 80
    if UPDATING_IN_PLACE in notes:
        return 75
    return 50 if unhealthy(machine) else 20


def order(machines: Sequence[Object], requested: str = "") -> list[Object]:
    """All of them, the first to go first.

    ``requested`` Newest or Oldest decides among those that nothing else tells apart; ties go by name.
    """
    by_name = sorted(machines, key=lambda machine: str(machine["metadata"]["name"]))
    if requested in (NEWEST, OLDEST):
        by_name.sort(key=lambda machine: str(machine["metadata"]["creationTimestamp"]), reverse=requested == NEWEST)
    return sorted(by_name, key=priority, reverse=True)
