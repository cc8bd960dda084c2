# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile MachineSets: create Machines up to the number of replicas, and delete surplus Machines in the defined
order.

Source: kubernetes-sigs/cluster-api core/reconcilers/machine/machine_controller.go,
  core/reconcilers/machineset/machineset_deletion_order.go.
"""

from __future__ import annotations

import secrets
from typing import Any

from ..names import Key, Kind, Object, deleting, key_of, labels_of, owner
from ..world import World
from . import conditions as made
from .conditions import false, read, true
from .deletion_order import order
from .health_check import to_be_replaced
from .kinds import CLONED_KIND, CLONED_NAME, CLUSTER_NAME, MACHINE_SET_FINALIZER, SET_NAME, CoreKinds
from .shape import (
    condition_is,
    controller_of,
    new_conditions,
    node_name,
    old_conditions,
    paused,
    reference_target,
    reference_to,
    selector_text,
    with_conditions,
)

LETTERS = "bcdfghjklmnpqrstvwxz2456789"
# What of a template reaches Machines that are there already.
IN_PLACE = (
    "nodeDrainTimeout",
    "nodeVolumeDetachTimeout",
    "nodeDeletionTimeout",
    "deletion",
    "readinessGates",
    "minReadySeconds",
)
RETRY_SECONDS = 10.0


def owned(machines: list[Object], by: Object) -> list[Object]:
    return [item for item in machines if controller_of(item).get("uid") == by["metadata"]["uid"]]


def random_name(base: str, limit: int = 63) -> str:
    suffix = "".join(secrets.choice(LETTERS) for _number in range(5))
    beginning = base[: limit - 6]
    return f"{beginning}-{suffix}"


class MachineSetController:
    def __init__(self, world: World, core: CoreKinds) -> None:
        self._world, self._core = world, core
        self._kind = core.machine_set
        self._templates = {
            (one.group, one.kind): (one, made)
            for one, made in (*core.machine_templates.items(), *core.config_templates.items())
        }

    async def reconcile(self, key: Key) -> float | None:
        item = self._world.get(self._kind, key)
        if item is None:
            return None
        cluster = self._world.get(self._core.cluster, (key[0], item["spec"]["clusterName"]))
        if paused(item, cluster):
            return None
        if deleting(item):
            return await self._delete(item)
        item = await self._keep(item, cluster)
        machines = owned(self._world.all(self._core.machine, key[0]), item)
        for machine in machines:
            await self._propagate(item, machine)
            if to_be_replaced(machine) and not deleting(machine):
                await self._world.delete(self._core.machine, machine)
        problem = await self._scale(item, machines)
        await self._show(item, owned(self._world.all(self._core.machine, key[0]), item), problem)
        return RETRY_SECONDS if problem else None

    async def _keep(self, item: Object, cluster: Object | None) -> Object:
        item = await self._world.add_finalizer(self._kind, item, MACHINE_SET_FINALIZER)
        item = await self._world.metadata(self._kind, item, labels={CLUSTER_NAME: item["spec"]["clusterName"]})
        if item["metadata"].get("ownerReferences") or cluster is None:
            return item
        return await self._world.patch(
            self._kind, item, {"metadata": {"ownerReferences": [owner(cluster, self._core.cluster)]}}
        )

    async def _propagate(self, item: Object, machine: Object) -> None:
        """Labels, annotations and times of the template, without a new Machine."""
        if deleting(machine):
            return
        metadata, spec = item["spec"]["template"].get("metadata") or {}, item["spec"]["template"]["spec"]
        machine = await self._world.metadata(
            self._core.machine, machine, labels=metadata.get("labels"), annotations=metadata.get("annotations")
        )
        changed = {name: spec.get(name) for name in IN_PLACE if machine["spec"].get(name) != spec.get(name)}
        if changed:
            await self._world.patch(self._core.machine, machine, {"spec": changed})

    async def _scale(self, item: Object, machines: list[Object]) -> str:
        """What keeps the set from its number; "" when nothing does."""
        wanted = item["spec"].get("replicas", 1)
        for _number in range(wanted - len(machines)):
            problem = await self._create(item)
            if problem:
                return problem
        if len(machines) <= wanted:
            return ""
        # Read again: a mark on a Machine and the number of the set come over two watches, and the mark was made first.
        listed, _version = await self._world.client.list(self._core.machine, item["metadata"]["namespace"])
        machines = owned(listed, item)
        requested = (item["spec"].get("deletion") or {}).get("order") or item["spec"].get("deletePolicy") or ""
        for machine in order(machines, requested)[: max(0, len(machines) - wanted)]:
            if not deleting(machine):
                await self._world.delete(self._core.machine, machine)
        return ""

    async def _create(self, item: Object) -> str:
        """One object from each template, bootstrap configuration and infrastructure, then the Machine for them, all of
        one name.
        """
        template = item["spec"]["template"]
        namespace, set_name = key_of(item)
        spec = dict(template["spec"])
        places = [("infrastructureRef", spec.get("infrastructureRef"))]
        if (spec.get("bootstrap") or {}).get("configRef"):
            places.insert(0, ("configRef", spec["bootstrap"]["configRef"]))
        sources = []
        for member, reference in places:
            target = reference_target(reference, namespace)
            kinds = self._templates.get(target[:2]) if target is not None else None
            if target is None or kinds is None:
                what = "infrastructure" if member == "infrastructureRef" else "bootstrap configuration"
                return f"no such {what}: {reference}"
            source = self._world.get(kinds[0], target[2])
            if source is None:
                return f"{kinds[0].kind} {'/'.join(target[2])} does not exist"
            sources.append((member, kinds[1], source))
        name = random_name(set_name)
        provided = template.get("metadata") or {}
        labels = {**(provided.get("labels") or {}), CLUSTER_NAME: item["spec"]["clusterName"], SET_NAME: set_name}
        annotations = dict(provided.get("annotations") or {})
        for member, kind, source in sources:
            await self._clone(item, kind, source, name, labels, annotations)
            made_reference = reference_to(
                kind.group, kind.version, kind.kind, (namespace, name), v1beta2=self._core.v1beta2
            )
            spec |= (
                {member: made_reference}
                if member == "infrastructureRef"
                else {"bootstrap": {**spec["bootstrap"], "configRef": made_reference}}
            )
        metadata: Object = {"name": name, "namespace": namespace, "labels": labels}
        metadata["ownerReferences"] = [{**owner(item, self._kind, block=True), "controller": True}]
        if annotations:
            metadata["annotations"] = annotations
        await self._world.create(self._core.machine, {"metadata": metadata, "spec": spec})
        return ""

    async def _clone(
        self, item: Object, kind: Kind, source: Object, name: str, labels: dict[str, str], annotations: dict[str, str]
    ) -> None:
        template = source["spec"]["template"]
        provided = template.get("metadata") or {}
        notes = {**(provided.get("annotations") or {}), **annotations}
        notes |= {CLONED_NAME: source["metadata"]["name"], CLONED_KIND: f"{source['kind']}.{kind.group}"}
        metadata = {
            "name": name,
            "namespace": item["metadata"]["namespace"],
            "labels": {**(provided.get("labels") or {}), **labels},
            "annotations": notes,
            "ownerReferences": [owner(item, self._kind)],
        }
        await self._world.create(kind, {"metadata": metadata, "spec": template.get("spec") or {}})

    async def _delete(self, item: Object) -> float | None:
        if MACHINE_SET_FINALIZER not in (item["metadata"].get("finalizers") or []):
            return None
        machines = owned(self._world.all(self._core.machine, item["metadata"]["namespace"]), item)
        for machine in machines:
            if not deleting(machine):
                await self._world.delete(self._core.machine, machine)
        await self._show(item, machines, "")
        if not machines:
            await self._world.drop_finalizer(self._kind, item, MACHINE_SET_FINALIZER)
        return None

    # status

    async def _show(self, item: Object, machines: list[Object], problem: str) -> None:
        item = self._world.get(self._kind, key_of(item)) or item
        now, generation = self._world.now(), int(item["metadata"].get("generation") or 1)
        counts = count(machines)
        wanted = item["spec"].get("replicas", 1)
        new = made.new_form(
            new_conditions(item), set_conditions(machines, wanted, problem, deleted=deleting(item)), now, generation
        )
        old = made.old_form(old_conditions(item), old_set_conditions(machines, wanted, problem), now)
        labels = set((item["spec"]["template"].get("metadata") or {}).get("labels") or {})
        full = sum(labels <= set(labels_of(machine)) for machine in machines)
        common: dict[str, Any] = {
            "replicas": len(machines),
            "selector": selector_text(item["spec"].get("selector")),
            "observedGeneration": generation,
        }
        if self._core.v1beta2:
            status = with_conditions(
                item.get("status") or {},
                v1beta2=True,
                new=new,
                old=old,
                counters={**counts, "fullyLabeledReplicas": full},
            )
            status |= {**common, **counts, "upToDateReplicas": len(machines)}
        else:
            status = with_conditions(
                item.get("status") or {},
                v1beta2=False,
                new=new,
                old=old,
                counters={**counts, "fullyLabeledReplicas": full},
            )
            status |= common
        await self._world.status(self._kind, item, status)


def count(machines: list[Object]) -> dict[str, int]:
    """Machines with a Node that is well count as ready and available."""
    ready = sum(bool(node_name(item)) and condition_is(new_conditions(item), "Ready") for item in machines)
    available = sum(condition_is(new_conditions(item), "Available") for item in machines)
    return {"readyReplicas": ready, "availableReplicas": available}


def set_conditions(machines: list[Object], wanted: int, problem: str, *, deleted: bool) -> list[Any]:
    """The conditions of v1beta2."""
    up = len(machines) < wanted
    down = len(machines) > wanted
    unready = [read(new_conditions(item), "Ready") for item in machines]
    bad = [
        f"* Machine {item['metadata']['name']}: {entry.reason}"
        for item, entry in zip(machines, unready, strict=True)
        if entry and entry.status != "True"
    ]
    ready = true("MachinesReady", "Ready" if machines else "NoReplicas")
    if bad:
        ready = false("MachinesReady", "NotReady", "\n".join(bad[:3]))
    text = f"Scaling up from {len(machines)} to {wanted} replicas" + (
        f" is blocked because:\n* {problem}" if problem else ""
    )
    return [
        true("ScalingUp", "ScalingUp", text) if up else false("ScalingUp", "NotScalingUp"),
        true("ScalingDown", "ScalingDown", f"Scaling down from {len(machines)} to {wanted} replicas")
        if down
        else false("ScalingDown", "NotScalingDown"),
        ready,
        true("MachinesUpToDate", "UpToDate" if machines else "NoReplicas"),
        true("Deleting", "Deleting") if deleted else false("Deleting", "NotDeleting"),
        false("Paused", "NotPaused"),
        false("Remediating", "NotRemediating"),
    ]


def old_set_conditions(machines: list[Object], wanted: int, problem: str) -> list[Any]:
    """The conditions of v1beta1, with their summary."""
    created = false("MachinesCreated", "MachineCreationFailed", problem) if problem else true("MachinesCreated", "")
    surplus = len(machines) - wanted
    if surplus > 0:
        resized = false(
            "Resized", "ScalingDown", (f"Scaling down MachineSet to {wanted} replicas (actual {len(machines)})")
        )
    elif surplus < 0:
        resized = false("Resized", "ScalingUp", f"Scaling up MachineSet to {wanted} replicas (actual {len(machines)})")
    else:
        resized = true("Resized", "")
    unready = [(item, read(old_conditions(item), "Ready")) for item in machines]
    first = next(((item, entry) for item, entry in unready if entry is None or entry.status != "True"), None)
    ready = true("MachinesReady", "")
    if first is not None:
        item, entry = first
        reason = (entry.reason if entry else "") or "WaitingForInfrastructure"
        ready = false("MachinesReady", f"{reason} @ Machine/{item['metadata']['name']}", entry.message if entry else "")
    parts = [created, resized, ready]
    bad = next((part for part in parts if part.status != "True"), None)
    total = true("Ready", "") if bad is None else false("Ready", bad.reason, bad.message)
    return [total, *parts]


__all__ = ["MachineSetController", "count", "owned", "random_name"]
