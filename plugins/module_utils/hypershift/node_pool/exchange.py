# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Exchange hosts of a NodePool: other hosts become Nodes before the Machines of the leaving hosts are deleted. Pure.

Deleting a Machine does not create its replacement first: a MachineSet counts a Machine until it is deleted
(kubernetes-sigs/cluster-api internal/controllers/machineset/machineset_controller.go). So the pool first gets as many
additional replicas as hosts leave. When the new Nodes are Ready, the Machines of the leaving hosts are marked and the
size is reset. Autoscaling is off meanwhile, because it would change the number of replicas (openshift/hypershift
hypershift-operator/controllers/nodepool/capi.go, setMachineDeploymentReplicas).

The previous settings are in an annotation of the NodePool, written together with the larger number, so that a later run
completes an interrupted exchange.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ...capi.choose.model import HostDemand, from_agent
from ...capi.choose.plan import choose
from ...capi.objects import annotations_of, part
from ...common.errors import ZeroTouchError
from ...common.waiting import REACHED, WaitStatus
from ...kube.client import Object
from ...kube.write import Change, merged, plan_object
from ..kinds import NODE_POOL
from .machine_status import PoolMachineView
from .view import PoolView

EXCHANGE = "zerotouch.openshift/exchange"
# auto: by surge if there is another free host for each one that leaves.
Order = Literal["auto", "surge", "in_place"]


@dataclasses.dataclass(frozen=True)
class Exchange:
    """The Machines that leave, and what the pool had before: ``replicas``, and ``auto_scaling`` where the autoscaler
    decides.
    """

    machines: tuple[str, ...]
    replicas: int
    auto_scaling: Mapping[str, Any] | None = None

    @property
    def size(self) -> int:
        """The replicas until the new Nodes are Ready."""
        return self.replicas + len(self.machines)

    @property
    def note(self) -> str:
        """The value of the annotation."""
        return json.dumps(
            {"machines": list(self.machines), "replicas": self.replicas, "autoScaling": self.auto_scaling},
            separators=(",", ":"),
        )

    @property
    def spec(self) -> dict[str, Any]:
        """The fields of the NodePool's spec as they were, for a merge patch."""
        return (
            {"replicas": None, "autoScaling": dict(self.auto_scaling)}
            if self.auto_scaling
            else {"replicas": self.replicas}
        )


def read_exchange(pool: Mapping[str, Any] | None) -> Exchange | None:
    """The exchange that a run has begun; None without one.

    Raises :class:`ZeroTouchError` for an annotation that holds none.
    """
    note = annotations_of(pool).get(EXCHANGE)
    if not note:
        return None
    try:
        found = json.loads(note)
        machines = tuple(str(name) for name in found["machines"])
        scaling = found.get("autoScaling")
        limits = {key: int(scaling[key]) for key in ("min", "max")} if scaling else None
        return Exchange(machines, int(found["replicas"]), limits)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ZeroTouchError(
            f"Annotation {EXCHANGE} of NodePool {part(pool, 'metadata').get('name')} does not hold an exchange of "
            "hosts.",
            "Delete the annotation, set replicas or autoScaling of the NodePool to the desired size, and run again.",
        ) from error


def before_exchange(pool: Object | None) -> Object | None:
    """The NodePool as it is when its exchange is complete: with the size, or the autoscaling, from before."""
    exchange = read_exchange(pool)
    return (
        pool
        if exchange is None or pool is None
        else merged(pool, {"metadata": {"annotations": {EXCHANGE: None}}, "spec": exchange.spec})
    )


def plan_exchange(targets: Sequence[PoolMachineView], view: PoolView, order: Order) -> Exchange | None:
    """The exchange of these Machines; None where they are deleted first, because there are no other hosts for them, or
    the user wants that.
    """
    if not targets or order == "in_place" or (order == "auto" and not _enough(view, len(targets))):
        return None
    scaling = part(view.pool, "spec", "autoScaling")
    return Exchange(
        tuple(sorted(machine.name for machine in targets)), _replicas(view), dict(scaling) if scaling else None
    )


def _enough(view: PoolView, number: int) -> bool:
    """Whether so many free Agents are left when the Machines that wait have theirs."""
    waiting = sum(machine.agent is None for machine in view.staying)
    selector = part(view.pool, "spec", "platform", "agent").get("agentLabelSelector")
    demands = [HostDemand("", f"{index:06}", selector) for index in range(waiting + number)]
    return not choose(demands, [from_agent(agent) for agent in view.agents]).unassigned


def begin(exchange: Exchange, view: PoolView) -> Change | None:
    """The write of the larger number; None where an exchange has begun.

    Raises :class:`ZeroTouchError` if the size is another one by now.
    """
    if read_exchange(view.pool) is not None:
        return None
    if exchange.replicas != _replicas(view):
        raise ZeroTouchError("its size has changed since the exchange of its hosts was planned.", "Run again.")
    return _write(view, {"replicas": exchange.size, "autoScaling": None}, exchange.note)


def shrink(exchange: Exchange, view: PoolView) -> Change | None:
    """The write of the number as it was, after the Machines that leave have been marked."""
    return (
        _write(view, {"replicas": exchange.replicas}, exchange.note) if read_exchange(view.pool) == exchange else None
    )


def complete(exchange: Exchange, view: PoolView) -> Change | None:
    """The write that turns autoscaling on again where it was on, and takes the annotation off."""
    return _write(view, exchange.spec, None) if read_exchange(view.pool) == exchange else None


def _replicas(view: PoolView) -> int:
    return len(view.staying) if view.desired is None else view.desired


def _write(view: PoolView, spec: Mapping[str, Any], note: str | None) -> Change | None:
    metadata = {"name": view.name, "namespace": view.namespace, "annotations": {EXCHANGE: note}}
    change = plan_object(NODE_POOL, {"metadata": metadata, "spec": dict(spec)}, view.pool)
    version = str(part(view.pool, "metadata").get("resourceVersion") or "")
    return dataclasses.replace(change, resource_version=version) if change is not None else None


def grown(exchange: Exchange, view: PoolView) -> bool:
    """Whether the pool has its larger number.

    Raises :class:`ZeroTouchError` where it has neither that nor the number from before.
    """
    if view.desired not in (exchange.size, exchange.replicas):
        found = "autoscaling" if view.desired is None else f"{view.desired} replicas"
        raise ZeroTouchError(
            f"{view.title} has {found}, but an exchange of hosts has begun that needs {exchange.size} or "
            f"{exchange.replicas} replicas.",
            f"Another tool has changed the size. Set replicas to {exchange.size} to continue, or delete annotation "
            f"{EXCHANGE} to end the exchange.",
        )
    return view.desired == exchange.size


def victims(exchange: Exchange, view: PoolView) -> tuple[PoolMachineView, ...]:
    """The Machines that must leave and are not on their way out yet.

    Where a controller has replaced one of them meanwhile, there are more others than the pool has replicas: those that
    do not run, and the newest, leave too.
    """
    named = [machine for machine in view.staying if machine.name in exchange.machines]
    others = sorted(_others_of(exchange, view), key=lambda machine: (machine.created, machine.name), reverse=True)
    others.sort(key=lambda machine: machine.state == "running")
    return (*named, *others[: max(0, len(others) - exchange.replicas)])


def _others_of(exchange: Exchange, view: PoolView) -> list[PoolMachineView]:
    return [machine for machine in view.staying if machine.name not in exchange.machines]


def replaced(exchange: Exchange, view: PoolView) -> WaitStatus:
    """Whether as many other Nodes are Ready as the pool has replicas."""
    ready = sum(machine.state == "running" for machine in _others_of(exchange, view))
    # With fewer Machines than replicas, marks do not decide which of them leave.
    if ready >= exchange.replicas and len(view.staying) >= exchange.size:
        return REACHED
    return WaitStatus(
        reason=(
            f"{ready} of {exchange.replicas} Nodes are Ready besides those that leave ({', '.join(exchange.machines)})"
        )
    )


def shrunk(exchange: Exchange, view: PoolView) -> WaitStatus:
    """Whether Cluster API has begun to delete exactly the Machines that leave."""
    left = [machine.title for machine in victims(exchange, view)]
    return WaitStatus(reason=f"Cluster API has not begun to delete {', '.join(left)}") if left else REACHED
