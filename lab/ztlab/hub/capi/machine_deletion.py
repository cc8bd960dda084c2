# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Delete a Machine step by step: wait for its hooks, drain the Node, wait for its volumes, then delete the
infrastructure object and the Node.

Source: kubernetes-sigs/cluster-api core/reconcilers/machine/machine_controller.go.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ..client import Refused
from ..conditions import Condition
from ..names import NODE, Key, Kind, Object, annotations_of, deleting
from ..world import World
from .conditions import false, true
from .drain import Drained, drain
from .kinds import MACHINE_FINALIZER, NO_DETACH, NO_DRAIN, PRE_DRAIN, PRE_TERMINATE, CoreKinds
from .machine_status import Parts, machine_status
from .nodes import Nodes
from .shape import condition_is, node_name, old_conditions, timeout

HOOK_SECONDS, DRAIN_SECONDS, VOLUME_SECONDS, GONE_SECONDS = 10.0, 20.0, 5.0, 5.0
NODE_DELETION_SECONDS, TRY_SECONDS = 10.0, 2.0


@dataclasses.dataclass(frozen=True)
class Stage:
    """The progress of a deletion: reason and message of the condition Deleting, additional conditions of v1beta1, lab
    seconds until the next pass.
    """

    reason: str
    message: str = ""
    old: tuple[Condition, ...] = ()
    again: float | None = HOOK_SECONDS
    started: str = ""  # the member of status.deletion that keeps when this began


def hooks(machine: Object, prefix: str) -> list[str]:
    """Annotations that hold a deletion up at one point."""
    return sorted(name for name in annotations_of(machine) if name == prefix or name.startswith(f"{prefix}/"))


def drains(machine: Object, cluster: Object | None, infrastructure: Object | None) -> bool:
    """Not for a cluster that goes as a whole, nor for a machine that is taken away already."""
    if cluster is None or deleting(cluster) or NO_DRAIN in annotations_of(machine):
        return False
    return bool(node_name(machine)) and not (infrastructure is not None and deleting(infrastructure))


class Deletion:
    def __init__(self, world: World, core: CoreKinds, nodes: Nodes) -> None:
        self._world, self._core, self._nodes = world, core, nodes

    async def reconcile(
        self, machine: Object, cluster: Object | None, kind: Kind | None, parts: Parts, config: Kind | None = None
    ) -> float | None:
        """One look; lab seconds until the next. ``config``: the kind of ``parts.bootstrap``."""
        if MACHINE_FINALIZER not in (machine["metadata"].get("finalizers") or []):
            return None
        stage = await self._stage(machine, cluster, kind, parts, config)
        machine = await self._show(machine, stage or Stage("DeletionCompleted", "Deletion completed"), parts)
        if stage is None:
            await self._world.drop_finalizer(self._core.machine, machine, MACHINE_FINALIZER)
            return None
        return stage.again

    async def _stage(
        self, machine: Object, cluster: Object | None, kind: Kind | None, parts: Parts, config: Kind | None
    ) -> Stage | None:
        """What is to be waited for; None: nothing any more."""
        infrastructure, node = parts.infrastructure, parts.node
        waiting = hooks(machine, PRE_DRAIN)
        if waiting:
            return self._held("WaitingForPreDrainHook", "PreDrainDeleteHookSucceeded", waiting)
        stage = None
        if drains(machine, cluster, infrastructure):
            stage = await self._drain(machine, node) or self._volumes(machine, node)
        waiting = [] if stage else hooks(machine, PRE_TERMINATE)
        if waiting:
            stage = self._held("WaitingForPreTerminateHook", "PreTerminateDeleteHookSucceeded", waiting)
        if stage is None and kind is not None and infrastructure is not None:
            if not deleting(infrastructure):
                await self._world.delete(kind, infrastructure)
            text = f"{kind.kind} deletion in progress"
            stage = Stage("WaitingForInfrastructureDeletion", text, again=GONE_SECONDS)
        if stage is None and config is not None and parts.bootstrap is not None:
            if not deleting(parts.bootstrap):
                await self._world.delete(config, parts.bootstrap)
            stage = Stage("WaitingForBootstrapDeletion", f"{config.kind} deletion in progress", again=GONE_SECONDS)
        if stage is None and node_name(machine) and cluster is not None and not deleting(cluster):
            stage = await self._delete_node(machine)
        return stage

    @staticmethod
    def _held(reason: str, old: str, waiting: list[str]) -> Stage:
        names = ", ".join(name.rpartition("/")[2] for name in waiting)
        started = "waitForPreTerminateHookStartTime" if reason == "WaitingForPreTerminateHook" else ""
        return Stage(
            reason, f"Hooks that have not succeeded yet: {names}", (false(old, "WaitingExternalHook"),), started=started
        )

    def _since(self, machine: Object, name: str) -> float:
        """Lab seconds since something of the deletion began."""
        began = ((machine.get("status") or {}).get("deletion") or {}).get(name)
        return self._world.age(began) if began else 0.0

    async def _drain(self, machine: Object, node: Object | None) -> Stage | None:
        if condition_is(old_conditions(machine), "DrainingSucceeded"):
            return None
        limit, started = timeout(machine["spec"], "nodeDrain"), "nodeDrainStartTime"
        if node is None and self._nodes.all(self._cluster(machine)) is not None:
            return None
        if limit and self._since(machine, started) > limit:
            return None
        client = self._nodes.client(self._cluster(machine))
        old = (false("DrainingSucceeded", "Draining"),)
        if client is None or node is None:
            return Stage("DrainingNode", "The cluster of the Node cannot be reached", old, DRAIN_SECONDS, started)
        try:
            result = await drain(client, node)
        except Refused as error:
            result = Drained(("?",), (f"The cluster of the Node cannot be reached: {error}",))
        if result.done:
            return None
        return Stage(
            "DrainingNode",
            f"Draining Node {node['metadata']['name']}\n{result.message}",
            (false("DrainingSucceeded", "Draining"),),
            DRAIN_SECONDS,
            started,
        )

    def _volumes(self, machine: Object, node: Object | None) -> Stage | None:
        limit, started = timeout(machine["spec"], "nodeVolumeDetach"), "waitForNodeVolumeDetachStartTime"
        attached = ((node or {}).get("status") or {}).get("volumesAttached") or []
        if not attached or NO_DETACH in annotations_of(machine) or (limit and self._since(machine, started) > limit):
            return None
        text = f"{len(attached)} volumes are attached to the Node"
        return Stage(
            "WaitingForVolumeDetach",
            text,
            (false("VolumeDetachSucceeded", "WaitingForVolumeDetach"),),
            VOLUME_SECONDS,
            started,
        )

    def _cluster(self, machine: Object) -> Key:
        return machine["metadata"]["namespace"], machine["spec"]["clusterName"]

    async def _delete_node(self, machine: Object) -> Stage | None:
        """Tried for a while: a cluster that does not answer ends the attempts, unless the Machine says so with 0."""
        client = self._nodes.client(self._cluster(machine))
        limit = timeout(machine["spec"], "nodeDeletion")
        limit = NODE_DELETION_SECONDS if limit is None else limit
        if client is None:
            return None
        tries = max(1, int(limit / TRY_SECONDS))
        for _number in range(tries):
            try:
                await client.delete(NODE, node_name(machine))
            except Refused as error:
                problem = str(error)
                await self._world.clock.sleep(TRY_SECONDS)
            else:
                return None
        return (
            Stage("DeletingNode", f"The Node could not be deleted: {problem}", again=GONE_SECONDS)
            if limit == 0
            else None
        )

    async def _show(self, machine: Object, stage: Stage, parts: Parts) -> Object:
        old = (*self._passed(machine, stage), *stage.old)
        parts = dataclasses.replace(parts, deletion=true("Deleting", stage.reason, stage.message), old_deletion=old)
        status = machine_status(machine, parts, self._world.now(), v1beta2=self._core.v1beta2)
        if stage.started:
            deletion: dict[str, Any] = dict((machine.get("status") or {}).get("deletion") or {})
            status["deletion"] = {**deletion, stage.started: deletion.get(stage.started) or self._world.now()}
        return await self._world.status(self._core.machine, machine, status)

    @staticmethod
    def _passed(machine: Object, stage: Stage) -> list[Condition]:
        """What v1beta1 called false before and what is behind the Machine now."""
        now = {condition.type for condition in stage.old}
        names = (
            "PreDrainDeleteHookSucceeded",
            "DrainingSucceeded",
            "VolumeDetachSucceeded",
            "PreTerminateDeleteHookSucceeded",
        )
        known = {entry["type"] for entry in old_conditions(machine)}
        order = list(names)
        reached = max((order.index(name) for name in now if name in order), default=len(order))
        return [true(name, "") for name in names if name in known - now and order.index(name) < reached]
