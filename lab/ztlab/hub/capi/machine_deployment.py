# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile MachineDeployments: keep one MachineSet for each version of the template, and roll out changes by the
strategy.
"""

from __future__ import annotations

from typing import Any

from ..names import Key, Object, annotations_of, deleting, key_of, labels_of, owner
from ..world import World
from . import conditions as made
from .conditions import false, true
from .kinds import (
    CLUSTER_NAME,
    DEPLOYMENT_NAME,
    DESIRED,
    MACHINE_DEPLOYMENT_FINALIZER,
    MAXIMUM,
    REVISION,
    TEMPLATE_HASH,
    CoreKinds,
)
from .machine_set import owned
from .rollout import available, new_replicas, newest, old_replicas, strategy, template_hash, wanted
from .shape import new_conditions, old_conditions, paused, selector_text, with_conditions


class MachineDeploymentController:
    def __init__(self, world: World, core: CoreKinds) -> None:
        self._world, self._core = world, core
        self._kind = core.machine_deployment

    async def reconcile(self, key: Key) -> float | None:
        item = self._world.get(self._kind, key)
        if item is None:
            return None
        cluster = self._world.get(self._core.cluster, (key[0], item["spec"]["clusterName"]))
        if paused(item, cluster) or item["spec"].get("paused"):
            return None
        if deleting(item):
            return await self._delete(item)
        item = await self._keep(item, cluster)
        sets = self._sets(item)
        new = newest(item, sets)
        old = [entry for entry in sets if entry is not new]
        new = await self._set(item, new, old)
        await self._shrink(item, new, old)
        await self._show(item)
        return None

    def _sets(self, item: Object) -> list[Object]:
        return owned(self._world.all(self._core.machine_set, item["metadata"]["namespace"]), item)

    async def _keep(self, item: Object, cluster: Object | None) -> Object:
        item = await self._world.add_finalizer(self._kind, item, MACHINE_DEPLOYMENT_FINALIZER)
        item = await self._world.metadata(self._kind, item, labels={CLUSTER_NAME: item["spec"]["clusterName"]})
        if item["metadata"].get("ownerReferences") or cluster is None:
            return item
        return await self._world.patch(
            self._kind, item, {"metadata": {"ownerReferences": [owner(cluster, self._core.cluster)]}}
        )

    async def _set(self, item: Object, new: Object | None, old: list[Object]) -> Object:
        """The set of the present template, with as many Machines as it may have now."""
        number = new_replicas(item, new, old)
        plan, goal = strategy(item), wanted(item)
        revision = max((int(annotations_of(entry).get(REVISION, "0")) for entry in old), default=0) + 1
        notes = {DESIRED: str(goal), MAXIMUM: str(goal + plan.surge)}
        if new is None:
            new = await self._world.create(
                self._core.machine_set, self._new_set(item, number, {**notes, REVISION: str(revision)})
            )
        else:
            new = await self._in_place(item, new, number, notes)
        await self._world.metadata(
            self._kind, item, annotations={REVISION: annotations_of(new).get(REVISION, str(revision))}
        )
        return new

    def _labels(self, item: Object, template: Object) -> dict[str, str]:
        provided = (template.get("metadata") or {}).get("labels") or {}
        return {**provided, CLUSTER_NAME: item["spec"]["clusterName"], DEPLOYMENT_NAME: item["metadata"]["name"]}

    def _new_set(self, item: Object, number: int, notes: dict[str, str]) -> Object:
        spec, template = item["spec"], item["spec"]["template"]
        digest = template_hash(template)
        labels = {**self._labels(item, template), TEMPLATE_HASH: digest}
        selector = {
            **(spec.get("selector") or {}),
            "matchLabels": {**((spec.get("selector") or {}).get("matchLabels") or {}), TEMPLATE_HASH: digest},
        }
        owners = [{**owner(item, self._kind, block=True), "controller": True}]
        metadata = {
            "name": f"{item['metadata']['name'][:57]}-{digest}",
            "namespace": item["metadata"]["namespace"],
            "labels": labels,
            "annotations": {**_own_notes(item), **notes},
            "ownerReferences": owners,
        }
        inner = {**template, "metadata": {**(template.get("metadata") or {}), "labels": labels}}
        body: Object = {"clusterName": spec["clusterName"], "replicas": number, "selector": selector, "template": inner}
        handed_on = "deletion" if self._core.v1beta2 else "minReadySeconds"
        if handed_on in spec:
            body[handed_on] = spec[handed_on]
        return {"metadata": metadata, "spec": body}

    async def _in_place(self, item: Object, new: Object, number: int, notes: dict[str, str]) -> Object:
        """What reaches the set without a rollout: its number, labels, annotations and times of the template."""
        template = item["spec"]["template"]
        labels = {**self._labels(item, template), TEMPLATE_HASH: labels_of(new).get(TEMPLATE_HASH, "")}
        inner = {**template, "metadata": {**(template.get("metadata") or {}), "labels": labels}}
        present = new["spec"]["template"]
        gone = {"spec": {name: None for name in present["spec"] if name not in inner["spec"]}}
        changed: dict[str, Any] = {}
        if present != inner:
            changed["template"] = {**inner, "spec": {**gone["spec"], **inner["spec"]}}
        if wanted(new) != number:
            changed["replicas"] = number
        if changed:
            new = await self._world.patch(self._core.machine_set, new, {"spec": changed})
        return await self._world.metadata(self._core.machine_set, new, annotations={**_own_notes(item), **notes})

    async def _shrink(self, item: Object, new: Object, old: list[Object]) -> None:
        machines = self._world.all(self._core.machine, item["metadata"]["namespace"])
        counts = {
            entry["metadata"]["name"]: sum(not deleting(machine) for machine in owned(machines, entry)) for entry in old
        }
        numbers = old_replicas(item, new, old, counts)
        for entry in old:
            number = numbers[entry["metadata"]["name"]]
            if number == 0 and wanted(entry) == 0 and not owned(machines, entry):
                await self._world.delete(self._core.machine_set, entry)
            elif number != wanted(entry):
                await self._world.patch(self._core.machine_set, entry, {"spec": {"replicas": number}})

    async def _delete(self, item: Object) -> float | None:
        if MACHINE_DEPLOYMENT_FINALIZER not in (item["metadata"].get("finalizers") or []):
            return None
        sets = self._sets(item)
        for entry in sets:
            if not deleting(entry):
                await self._world.delete(self._core.machine_set, entry)
        if not sets:
            await self._world.drop_finalizer(self._kind, item, MACHINE_DEPLOYMENT_FINALIZER)
        else:
            await self._show(item)
        return None

    # status

    async def _show(self, item: Object) -> None:
        item = self._world.get(self._kind, key_of(item)) or item
        sets = self._sets(item)
        latest = newest(item, sets)
        now, generation, goal = self._world.now(), int(item["metadata"].get("generation") or 1), wanted(item)

        def total(name: str, entries: list[Object]) -> int:
            return sum(int((entry.get("status") or {}).get(name) or 0) for entry in entries)

        present, usable = total("replicas", sets), sum(available(entry) for entry in sets)
        updated = total("replicas", [latest]) if latest is not None else 0
        counts = {"readyReplicas": total("readyReplicas", sets), "availableReplicas": usable}
        old_counts = {**counts, "updatedReplicas": updated, "unavailableReplicas": max(0, goal - usable)}
        new = made.new_form(new_conditions(item), _new(item, present, usable, updated), now, generation)
        old = made.old_form(old_conditions(item), _old(item, sets, usable), now)
        common = {
            "replicas": present,
            "observedGeneration": generation,
            "selector": selector_text(item["spec"].get("selector")),
            "phase": _phase(present, goal, usable),
        }
        status = with_conditions(
            item.get("status") or {}, v1beta2=self._core.v1beta2, new=new, old=old, counters=old_counts
        )
        status |= {**common, **(counts | {"upToDateReplicas": updated} if self._core.v1beta2 else {})}
        await self._world.status(self._kind, item, status)


def _own_notes(item: Object) -> dict[str, str]:
    """Annotations of the MachineDeployment that its sets carry too."""
    return {
        name: value
        for name, value in annotations_of(item).items()
        if name not in (REVISION, "kubectl.kubernetes.io/last-applied-configuration")
    }


def _phase(present: int, goal: int, usable: int) -> str:
    if present < goal:
        return "ScalingUp"
    if present > goal:
        return "ScalingDown"
    return "Running" if usable >= goal else "ScalingUp"


def _new(item: Object, present: int, usable: int, updated: int) -> list[Any]:
    goal, plan = wanted(item), strategy(item)
    least = goal - plan.unavailable
    good = usable >= least
    text = f"{usable} available replicas, at least {least} required"
    old = present - updated
    rolling = old > 0
    return [
        true("Available", "Available") if good else false("Available", "NotAvailable", text),
        true("RollingOut", "RollingOut", f"Rolling out {old} not up-to-date replicas")
        if rolling
        else false("RollingOut", "NotRollingOut"),
        true("ScalingUp", "ScalingUp", f"Scaling up from {present} to {goal} replicas")
        if present < goal
        else false("ScalingUp", "NotScalingUp"),
        true("ScalingDown", "ScalingDown", f"Scaling down from {present} to {goal} replicas")
        if present > goal
        else false("ScalingDown", "NotScalingDown"),
        true("Deleting", "Deleting") if deleting(item) else false("Deleting", "NotDeleting"),
        false("Paused", "NotPaused"),
    ]


def _old(item: Object, sets: list[Object], usable: int) -> list[Any]:
    goal, least = wanted(item), wanted(item) - strategy(item).unavailable
    enough = (
        true("Available", "")
        if usable >= least
        else false("Available", "WaitingForAvailableMachines", f"Minimum availability requires {least} replicas")
    )
    problem = next(
        (
            entry
            for item in sets
            for entry in old_conditions(item)
            if entry["type"] == "Ready" and entry["status"] != "True"
        ),
        None,
    )
    ready = true("MachineSetReady", "")
    if not sets and goal:
        ready = false("MachineSetReady", "WaitingForMachineSet", "MachineSet not found")
    elif problem is not None:
        ready = false("MachineSetReady", str(problem.get("reason") or "NotReady"), str(problem.get("message") or ""))
    bad = next((part for part in (enough, ready) if part.status != "True"), None)
    return [true("Ready", "") if bad is None else false("Ready", bad.reason, bad.message), enough, ready]
