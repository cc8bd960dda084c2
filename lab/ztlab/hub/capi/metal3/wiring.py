# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Start the controllers of Cluster API Provider Metal3 on one hub, and map changes of objects to reconcile requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...controller import Controller
from ...names import BARE_METAL_HOST, Key, Kind, Object, key_of
from ...world import World
from ..kinds import CoreKinds
from ..nodes import Nodes
from ..shape import reference_target
from .cluster import Metal3ClusterController
from .machine import Metal3MachineController

Keys = Callable[[Object], Iterable[Key]]
On = Callable[[Kind, Controller, Keys], None]


class Metal3:
    def __init__(self, world: World, core: CoreKinds, nodes: Nodes) -> None:
        self._core = core
        self.clusters = Controller("metal3cluster", world.clock, Metal3ClusterController(world, core).reconcile)
        # One reconcile at a time, so that two Metal3Machines never choose the same host.
        self.machines = Controller(
            "metal3machine", world.clock, Metal3MachineController(world, core, nodes).reconcile, parallel=1
        )
        self.controllers = [self.clusters, self.machines]

    def wire(self, on: On) -> None:
        core = self._core
        on(core.metal3_cluster, self.clusters, lambda item: [key_of(item)])
        on(core.metal3_machine, self.machines, lambda item: [key_of(item)])
        on(core.machine, self.machines, self._of_machine)
        on(BARE_METAL_HOST, self.machines, self._of_host)

    def _of_machine(self, machine: Object) -> list[Key]:
        target = reference_target(machine["spec"].get("infrastructureRef"), key_of(machine)[0])
        return [target[2]] if target is not None and target[1] == self._core.metal3_machine.kind else []

    def _of_host(self, host: Object) -> list[Key]:
        consumer = host["spec"].get("consumerRef") or {}
        return (
            [(consumer.get("namespace", ""), consumer["name"])]
            if consumer.get("kind") == self._core.metal3_machine.kind
            else []
        )
