# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Determine whether a NodePool has reached the state that a task waits for, and whether it still can. Pure.

Source: openshift/hypershift hypershift-operator/controllers/nodepool/conditions.go;
  docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ...capi.objects import text
from ...common.plurals import is_or_are
from ...common.waiting import REACHED, WaitStatus
from ..conditions import Condition, Conditions
from .machine_status import STATES
from .view import PoolView

# ``empty`` is the first half of a removal: no Machine is left, whatever else the operator reports about the pool.
# ``released``: no Machine is being deleted; the wait also follows the hosts of the deleted Machines.
Target = Literal["none", "accepted", "released", "replicas", "ready", "empty", "gone"]

# Conditions that must be True before the operator creates Machines, in the order in which it checks them (1.4).
# Conditions in between that stop it have a clear message.
_ACCEPTED = ("UpdateManagementEnabled", "ValidReleaseImage", "ValidArchPlatform", "ValidMachineConfig")
_UPDATES = ("UpdatingConfig", "UpdatingVersion", "UpdatingPlatformMachineTemplate")
# How far a host is in each state, in percent: of its way in, or of its way out.
_PARTS: Mapping[str, int] = {
    "binding": 10,
    "discovering": 15,
    "validations-failing": 15,
    "known": 20,
    "installing": 40,
    "pending-user-action": 60,
    "csr-pending": 80,
    "node-not-ready": 90,
    "running": 100,
    "draining": 20,
    "detaching-volumes": 40,
    "waiting-for-hook": 50,
    "unbinding": 60,
    "reclaiming": 70,
    "needs-reboot": 90,
    "deleting": 90,
}
_ALMOST = 95
_UPGRADE_FAILED = "InplaceUpgradeFailed"


def wait_status(view: PoolView, target: Target) -> WaitStatus:
    """The progress of the pool to ``target``."""
    if target == "none":
        return REACHED
    if target == "gone":
        return _gone(view)
    if target == "empty":
        return _empty_of_machines(view)
    if view.pool is None:
        return WaitStatus(final=True, reason=f"{view.title} does not exist (any more)")
    if view.pool["metadata"].get("deletionTimestamp"):
        return WaitStatus(final=True, reason=f"{view.title} is being deleted")
    found = _accepted(view)
    if not found.reached or target == "accepted":
        return found
    if target == "released":
        return _paused(view.conditions) or _released(view)
    return _paused(view.conditions) or (_size(view) if target == "replicas" else _ready(view))


def skew(view: PoolView) -> str:
    """What is wrong with the versions of pool and control plane; informational (1.4, 4)."""
    condition = view.conditions.current("SupportedVersionSkew")
    return condition.text() if condition is not None and condition.false else ""


def _gone(view: PoolView) -> WaitStatus:
    if view.pool is not None:
        finalizers = ", ".join(view.pool["metadata"].get("finalizers") or []) or "none"
        return WaitStatus(reason=f"it is still there (finalizers: {finalizers})")
    return _empty_of_machines(view)


def _empty_of_machines(view: PoolView) -> WaitStatus:
    left = [machine.title for machine in view.machines]
    return WaitStatus(reason=f"Machines are left: {', '.join(left)}") if left else REACHED


def _accepted(view: PoolView) -> WaitStatus:
    conditions = view.conditions
    scaling = conditions.current("AutoscalingEnabled")
    if scaling is not None and scaling.false and scaling.reason == "ValidationFailed":
        return WaitStatus(final=True, reason=scaling.text())
    for kind in _ACCEPTED:
        condition = conditions.current(kind)
        if kind == "ValidArchPlatform":
            # The operator stops before it; and takes the condition away when all is well.
            endpoint = conditions.current("IgnitionEndpointAvailable")
            if endpoint is not None and endpoint.false:
                return WaitStatus(reason=endpoint.text())
        if condition is None:
            return WaitStatus(reason=f"condition {kind} is not yet reported for the current generation of the NodePool")
        if not condition.true:
            return WaitStatus(final=condition.false and _stays(kind, view), reason=condition.text())
    return REACHED


def _stays(kind: str, view: PoolView) -> bool:
    """Whether a False of this condition stays until the user changes the pool, or the release of the hosted cluster."""
    known = bool(text(view.hosted_cluster, "status", "payloadArch"))
    return kind == "UpdateManagementEnabled" or (kind == "ValidArchPlatform" and known)


def _paused(conditions: Conditions) -> WaitStatus | None:
    active = conditions.current("ReconciliationActive")
    return WaitStatus(final=True, reason=active.text()) if active is not None and active.false else None


def _released(view: PoolView) -> WaitStatus:
    leaving = [machine.title for machine in view.leaving]
    return WaitStatus(reason=f"{', '.join(leaving)} {is_or_are(len(leaving))} leaving") if leaving else REACHED


def _size(view: PoolView) -> WaitStatus:
    """Exactly the desired Machines exist, and as many Nodes are Ready."""
    if view.leaving:
        return WaitStatus(reason=f"{len(view.leaving)} of its Machines {is_or_are(len(view.leaving))} going")
    number = view.ready
    if view.auto_scaling is not None:
        smallest, largest = view.auto_scaling
        if smallest <= number <= largest and len(view.staying) == number:
            return REACHED
        return WaitStatus(reason=f"{number} Ready, the autoscaler keeps {smallest} to {largest}{_coming(view)}")
    if number == view.desired == len(view.staying):
        return REACHED
    return WaitStatus(reason=f"{number} of {view.desired} Ready, {len(view.staying)} Machines{_coming(view)}")


def _coming(view: PoolView) -> str:
    coming = on_the_way(view)
    return f" ({coming})" if coming else ""


def _ready(view: PoolView) -> WaitStatus:
    conditions = view.conditions
    for kind in _UPDATES:
        condition = conditions.current(kind)
        if condition is None and kind != "UpdatingPlatformMachineTemplate":
            return WaitStatus(reason=f"condition {kind} is not yet reported for the current generation of the NodePool")
        if condition is not None and (condition.true or condition.reason == _UPGRADE_FAILED):
            return WaitStatus(final=condition.reason == _UPGRADE_FAILED, reason=condition.text())
    found = _size(view)
    if not found.reached:
        return found
    if view.desired == 0:
        return _empty(conditions)
    for kind in ("AllMachinesReady", "AllNodesHealthy"):
        condition = conditions.current(kind)
        if condition is None or not condition.true:
            return WaitStatus(
                reason=condition.text()
                if condition is not None
                else (f"condition {kind} is not yet reported for the current generation of the NodePool")
            )
    return REACHED


def _empty(conditions: Conditions) -> WaitStatus:
    """A pool without replicas: both conditions are False, which is correct; reason AsExpected says that no Machine is
    missing.
    """
    for kind in ("AllMachinesReady", "AllNodesHealthy"):
        condition = conditions.current(kind)
        if condition is None or not (condition.true or _as_expected(condition)):
            return WaitStatus(
                reason=condition.text()
                if condition is not None
                else (f"condition {kind} is not yet reported for the current generation of the NodePool")
            )
    return REACHED


def _as_expected(condition: Condition) -> bool:
    return condition.false and condition.reason == "AsExpected"


def percent(view: PoolView) -> int:
    """How much of the size is reached, for the line of progress.

    Hosts on the way count in part, and so do those that leave.
    """
    wanted = view.desired if view.desired is not None else max(len(view.staying), (view.auto_scaling or (0, 0))[0])
    parts = sorted((_PARTS.get(machine.state, 0) for machine in view.staying), reverse=True)[:wanted]
    # A Machine that has just been made says nothing, and the Node of one that runs may have become NotReady.
    parts = [*parts[: view.ready], *(min(each, _ALMOST) for each in parts[view.ready :])]
    leaving = [_PARTS.get(machine.state, 0) for machine in view.leaving]
    whole = wanted + len(leaving)
    return 100 if not whole else min(100, (sum(parts) + sum(leaving)) // whole)


def on_the_way(view: PoolView) -> str:
    """The hosts that are not Ready yet, counted by state in the order of a good life; empty if there are none."""
    states = [machine.state for machine in view.staying if machine.state != "running"]
    return ", ".join(f"{states.count(state)} {state}" for state in STATES if state in states)
