# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the status of a Cluster from its infrastructure and control plane objects. Pure functions."""

from __future__ import annotations

import dataclasses

from ..conditions import Condition, find
from ..names import Object, deleting
from . import conditions as made
from .conditions import false, read, true, unknown
from .shape import new_conditions, old_conditions, with_conditions

AVAILABLE_REASONS = ("Available", "NotAvailable", "AvailableUnknown")


@dataclasses.dataclass(frozen=True)
class State:
    """The objects that a Cluster refers to.

    ``provisioned``: whether the infrastructure object reports that it is provisioned. ``going``: the condition
    Deleting, if the Cluster is being deleted.
    """

    infrastructure: Object | None = None
    provisioned: bool = False
    plane: Object | None = None
    paused: bool = False
    going: Condition | None = None

    @property
    def plane_ready(self) -> bool:
        return bool(((self.plane or {}).get("status") or {}).get("ready"))


def infrastructure_ready(cluster: Object, state: State) -> bool:
    """Once true it stays."""
    status = cluster.get("status") or {}
    before = status.get("infrastructureReady") or (status.get("initialization") or {}).get("infrastructureProvisioned")
    return bool(before) or state.provisioned


def initialized(cluster: Object, state: State) -> bool:
    """Once true it stays."""
    status = (state.plane or {}).get("status") or {}
    now = status.get("initialized") or (status.get("initialization") or {}).get("controlPlaneInitialized")
    return bool(now) or find(old_conditions(cluster), "ControlPlaneInitialized").get("status") == "True"


def _mirror(kind: str, item: Object | None, *, ready: bool) -> Condition:
    """Ready or Available of a part, or what its flags say."""
    if item is None:
        return unknown(kind, "DoesNotExist")
    for name in ("Ready", "Available"):
        found = read((item.get("status") or {}).get("conditions"), name)
        if found is not None:
            return Condition(kind, found.status, found.reason or "Reported", found.message)
    return true(kind, "Ready") if ready else false(kind, "NotReady", f"{item['kind']} is not ready")


def _new(cluster: Object, state: State) -> list[Condition]:
    parts = [
        _mirror("InfrastructureReady", state.infrastructure, ready=infrastructure_ready(cluster, state)),
        _mirror("ControlPlaneAvailable", state.plane, ready=state.plane_ready),
    ]
    gone = state.going or false("Deleting", "NotDeleting")
    available = made.summary("Available", [*parts, gone], reasons=AVAILABLE_REASONS, negative=frozenset({"Deleting"}))
    kind = "ControlPlaneInitialized"
    first = true(kind, "Initialized") if initialized(cluster, state) else false(kind, "NotInitialized")
    held = true("Paused", "Paused") if state.paused else false("Paused", "NotPaused")
    return [available, *parts, first, gone, held]


def _old(cluster: Object, state: State) -> list[Condition]:
    facts = (
        ("InfrastructureReady", infrastructure_ready(cluster, state), "WaitingForInfrastructure"),
        ("ControlPlaneReady", state.plane_ready, "WaitingForControlPlane"),
    )
    parts = [true(kind, "") if well else false(kind, reason) for kind, well, reason in facts]
    bad = next((part for part in parts if part.status != "True"), None)
    done = sum(part.status == "True" for part in parts)
    ready = true("Ready", "") if bad is None else false("Ready", bad.reason, f"{done} of {len(parts)} completed")
    kind = "ControlPlaneInitialized"
    first = true(kind, "") if initialized(cluster, state) else false(kind, "WaitingForControlPlaneProviderInitialized")
    return [ready, *parts, first]


def cluster_status(cluster: Object, state: State, now: str, *, v1beta2: bool) -> Object:
    """The whole status."""
    generation = int(cluster["metadata"].get("generation") or 1)
    new = made.new_form(new_conditions(cluster), _new(cluster, state), now, generation)
    old = made.old_form(old_conditions(cluster), _old(cluster, state), now)
    status = with_conditions(cluster.get("status") or {}, v1beta2=v1beta2, new=new, old=old)
    ready = infrastructure_ready(cluster, state)
    if v1beta2:
        facts = {"infrastructureProvisioned": ready, "controlPlaneInitialized": initialized(cluster, state)}
        status |= (
            {"initialization": {name: True for name, value in facts.items() if value}} if any(facts.values()) else {}
        )
    else:
        status |= {"infrastructureReady": ready, "controlPlaneReady": state.plane_ready}
    endpoint = cluster["spec"].get("controlPlaneEndpoint") or {}
    phase = "Pending" if state.infrastructure is None else "Provisioning"
    if ready and endpoint.get("host"):
        phase = "Provisioned"
    return {**status, "phase": "Deleting" if deleting(cluster) else phase, "observedGeneration": generation}
