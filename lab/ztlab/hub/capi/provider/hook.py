# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Handle the deletion hook that keeps the Node of a Machine until its host is released.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go.
"""

from __future__ import annotations

from ...conditions import find
from ...names import AGENT, Object, annotations_of, deleting, labels_of
from ...world import World
from ..kinds import AGENT_MACHINE_FINALIZER, AGENT_MACHINE_REF, MACHINE_HOOK, CoreKinds
from .agent_cluster import is_paused
from .selection import released

WAIT_SECONDS = 5.0
DONE = frozenset(
    {
        "discovering-unbound",
        "known-unbound",
        "disconnected-unbound",
        "insufficient-unbound",
        "disabled-unbound",
        "unbinding-pending-user-action",
        "error",
    }
)


def drop_finalizer(item: Object) -> None:
    item["metadata"]["finalizers"] = [
        name for name in item["metadata"].get("finalizers") or [] if name != AGENT_MACHINE_FINALIZER
    ]


class Hook:
    def __init__(self, world: World, core: CoreKinds) -> None:
        self._world, self._core = world, core

    async def handle(self, item: Object, machine: Object) -> tuple[bool, float | None]:
        """(whether the pass ends here, lab seconds until the next). Raises Refused."""
        going = deleting(item)
        if MACHINE_HOOK not in annotations_of(machine) and not deleting(machine):
            machine = await self._annotate(machine, present=True)
        if not going and AGENT_MACHINE_FINALIZER not in (item["metadata"].get("finalizers") or []):
            item["metadata"].setdefault("finalizers", []).append(AGENT_MACHINE_FINALIZER)
        if is_paused(item):
            if going:
                await self._release(item, machine)
            return going, None
        conditions = (machine.get("status") or {}).get("conditions")
        waiting = find(conditions, "Deleting").get("reason") == "WaitingForPreTerminateHook"
        if not waiting:
            old = find(conditions, "PreTerminateDeleteHookSucceeded").get("status")
            if old is None:
                return False, None
            if old == "True":
                drop_finalizer(item)
                return True, None
        return await self._unbind(item, machine)

    async def _unbind(self, item: Object, machine: Object) -> tuple[bool, float | None]:
        """Let the Agent go; the Machine may go on once the host is in a state that needs the Node no longer."""
        reference = (item.get("status") or {}).get("agentRef")
        agent = await self._world.client.get(AGENT, reference["name"], reference["namespace"]) if reference else None
        if agent is None:
            await self._release(item, machine)
            return True, None
        state = ((agent.get("status") or {}).get("debugInfo") or {}).get("state")
        if AGENT_MACHINE_REF in labels_of(agent) or agent["spec"].get("clusterDeploymentName"):
            await self._world.replace(AGENT, released(agent))
        if state in DONE:
            await self._release(item, machine)
            return True, None
        return True, WAIT_SECONDS

    async def _release(self, item: Object, machine: Object) -> None:
        if MACHINE_HOOK in annotations_of(machine):
            await self._annotate(machine, present=False)
        drop_finalizer(item)

    async def _annotate(self, machine: Object, *, present: bool) -> Object:
        """Put the whole Machine, as upstream does: an empty ``spec.bootstrap`` gets lost on that way, and v1beta2
        refuses a Machine without one.
        """
        spec = {name: value for name, value in machine["spec"].items() if value != {}}
        annotations = {name: value for name, value in annotations_of(machine).items() if name != MACHINE_HOOK} | (
            {MACHINE_HOOK: ""} if present else {}
        )
        return await self._world.replace(
            self._core.machine,
            {**machine, "metadata": {**machine["metadata"], "annotations": annotations}, "spec": spec},
        )
