# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test removing named hosts from a node pool: exactly these hosts are removed, even if the MachineSet controller acts
between any two writes or a run is repeated at any point.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.machine_status import (
    PoolMachineView,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.removal import (
    StillGrowing,
    plan_removal,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.view import PoolView
from ansible_collections.zerotouch.openshift.tests.support.hub import hosted as hub
from hypothesis import given
from hypothesis import strategies as st


class Pool:
    """A NodePool with a MachineSet of upstream's deletion order: those that are deleted already, those that are marked,
    then by name (2.5).
    """

    def __init__(self, machines: int, size: int) -> None:
        self.machines = [
            PoolMachineView(f"m{number:02}", "clusters-edge", state="running") for number in range(machines)
        ]
        self.size, self.made = size, machines
        self.victims: list[str] = []

    def view(self) -> PoolView:
        return PoolView("clusters", "edge", hub.node_pool(self.size), None, tuple(self.machines))

    def reconcile(self) -> None:
        """Too many: the first ones get a time of deletion. Too few: one more is made."""
        surplus = len(self.machines) - self.size
        for machine in sorted(self.machines, key=lambda each: (not each.leaving, not each.marked, each.name))[
            : max(0, surplus)
        ]:
            if not machine.leaving:
                self.change(machine.name, leaving=True)
                self.victims.append(machine.name)
        if surplus < 0:
            self.machines.append(PoolMachineView(f"n{self.made:02}", "clusters-edge"))
            self.made += 1

    def finish(self) -> None:
        """One Machine that goes is gone."""
        gone = next((machine for machine in self.machines if machine.leaving), None)
        if gone is not None:
            self.machines.remove(gone)

    def change(self, name: str, **what: Any) -> None:
        self.machines = [dataclasses.replace(each, **what) if each.name == name else each for each in self.machines]


@given(
    machines=st.integers(1, 7),
    lag=st.integers(-2, 2),
    named=st.sets(st.integers(0, 6), max_size=4),
    acts=st.lists(st.sampled_from(["mark", "lower", "reconcile", "finish"]), max_size=24),
)
def test_exactly_the_named_machines_go(machines: int, lag: int, named: set[int], acts: list[str]) -> None:
    """``lag`` is how many Machines the set has too few or too many at the beginning.

    ``mark`` is a run that is killed after it has marked.
    """
    pool = Pool(machines, max(0, machines - lag))
    targets = sorted({f"m{number:02}" for number in named if number < machines})
    surplus, least = max(0, machines - pool.size), pool.size - len(targets)
    for act in [*acts, *["reconcile"] * 4, "lower", "reconcile", *["finish"] * 9, *["reconcile"] * 4, "lower"]:
        if act in ("mark", "lower"):
            try:
                plan = plan_removal(targets, None, pool.view())
            except StillGrowing:
                continue
            for machine in plan.unmarked:
                pool.change(machine.name, marked=True)
            if act == "lower" and plan.replicas is not None:
                pool.size = plan.replicas
        else:
            getattr(pool, act)()
    left = {machine.name for machine in pool.machines}
    assert not left & set(targets)
    others = [name for name in pool.victims if name not in targets]
    # Machines that were too many before we came go whatever we do, unless the named ones go in their place.
    assert len(others) <= surplus
    assert pool.size >= least and len(pool.machines) == pool.size
