# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan which Machines are deleted when the user names hosts to remove from a NodePool. Pure.

A Machine with the annotation ``cluster.x-k8s.io/delete-machine`` is deleted before all others when the replicas
decrease. This selects the right Machines only if exactly the named Machines have it, no other client changes the number
of replicas, and all Machines of the pool belong to one MachineSet.

Source: kubernetes-sigs/cluster-api core/reconcilers/machineset/machineset_deletion_order.go;
  docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ...common.errors import ZeroTouchError
from ...common.plurals import is_or_are
from ...hub.agents.model import Agent
from .machine_status import PoolMachineView
from .view import PoolView


class StillGrowing(ZeroTouchError):
    """Machines are not created yet. A lower number would only prevent that, and marked Machines would stay."""


@dataclasses.dataclass(frozen=True)
class NodePoolRemoval:
    """``machines`` are deleted, of which ``unmarked`` are not annotated yet; ``replicas`` is the size afterwards.

    ``notes``: nothing left to do.
    """

    machines: tuple[PoolMachineView, ...] = ()
    replicas: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def unmarked(self) -> tuple[PoolMachineView, ...]:
        return tuple(machine for machine in self.machines if not machine.marked)


def plan_removal(
    names: Sequence[str], replicas: int | None, view: PoolView, *, scaling_ends: bool = False
) -> NodePoolRemoval:
    """The Machines of the named hosts (Machine, Agent, hostname or Node), and the number of replicas without them.

    ``replicas`` is the size that the user asks for besides, or None. A Machine that is going already, and a name that
    is not in the pool any more, is nothing to do: a second run changes nothing. ``scaling_ends``: the same write turns
    autoscaling off.

    Raises :class:`ZeroTouchError` where another Machine than the named one might go, :class:`StillGrowing`
    where it will be possible in a moment.
    """
    targets, notes = _targets(names, view)
    if not targets:
        return NodePoolRemoval(notes=tuple(notes))
    refuse_unsure(targets, view, scaling_ends=scaling_ends)
    size = len(view.staying) if scaling_ends and view.auto_scaling is not None else view.desired or 0
    # As many as stay, less those that go. If that is not less than the size, an earlier run has lowered it just now:
    # those above it are on their way out, and marked ones go first.
    after = min(size, len(view.staying) - len(targets))
    if replicas is not None and replicas > after:
        titles = ", ".join(machine.title for machine in targets)
        raise ZeroTouchError(
            f"{view.title} has {after} replicas after the removal of {titles}, but replicas is {replicas}.",
            f"Set replicas: {after}, or leave it out. Raise it in a later run: in this run, new hosts would replace "
            "the removed ones.",
        )
    return NodePoolRemoval(tuple(targets), after if replicas is None else replicas, tuple(notes))


def plan_replacement(names: Sequence[str], view: PoolView) -> NodePoolRemoval:
    """The Machines of the named hosts, which are deleted; their MachineSet makes others (:func:`plan_removal` without a
    smaller size).

    That works with autoscaling, too. Raises :class:`ZeroTouchError` while a rollout runs: it replaces Machines by
    itself.
    """
    targets, notes = _targets(names, view)
    if targets and view.rollout:
        titles = ", ".join(machine.title for machine in targets)
        raise ZeroTouchError(
            f"{titles} cannot be replaced now: a rollout of {view.title} is running. {view.rollout}.",
            "Wait until it is complete, then run again.",
        )
    return NodePoolRemoval(tuple(targets), notes=tuple(notes))


def _targets(names: Sequence[str], view: PoolView) -> tuple[list[PoolMachineView], list[str]]:
    found: dict[str, PoolMachineView] = {}
    notes = []
    for name in names:
        matches = [machine for machine in view.machines if name.lower() in machine.names()]
        if len(matches) > 1:
            all_names = ", ".join(machine.name for machine in matches)
            raise ZeroTouchError(
                f"{name} is the name of several Machines of {view.title}: {all_names}.", "Name the Machine."
            )
        if not matches:
            notes.append(f"{name} is not in {view.title}; nothing is removed for it{_elsewhere(name, view.agents)}")
        elif matches[0].leaving:
            notes.append(f"{matches[0].title} is going already ({matches[0].state})")
        else:
            found[matches[0].name] = matches[0]
    return list(found.values()), notes


def _elsewhere(name: str, agents: Sequence[Agent]) -> str:
    agent = next((each for each in agents if name.lower() in (each.name.lower(), each.hostname.lower())), None)
    if agent is None:
        return " (no Agent has that name either)"
    state = agent.state or "not known to the service"
    return f" ({agent.title} is {state})"


def refuse_unsure(targets: Sequence[PoolMachineView], view: PoolView, *, scaling_ends: bool = False) -> None:
    """Raise :class:`ZeroTouchError` where marks do not decide which Machines leave when the number is lowered."""
    title = ", ".join(machine.title for machine in targets)
    if view.auto_scaling is not None and not scaling_ends:
        smallest, largest = view.auto_scaling
        raise ZeroTouchError(
            f"{title} cannot be removed from {view.title}: the autoscaler ({smallest} to {largest}) would add "
            "another host.",
            "Turn autoscaling off in the same run (auto_scaling: {}).",
        )
    if view.rollout:
        raise ZeroTouchError(
            f"{title} cannot be removed from {view.title} now: a rollout is running, during which any Machine may be "
            f"deleted next. {view.rollout}.",
            "Wait until it is complete, then run again.",
        )
    missing = (view.desired or 0) - len(view.staying)
    if missing > 0:
        raise StillGrowing(
            f"{title} cannot be removed from {view.title} now: {missing} of its Machines {is_or_are(missing)} yet to "
            "be made.",
            "This lasts seconds where the operator works; run again.",
        )
    others = [machine.title for machine in view.staying if machine.marked and machine not in targets]
    if others:
        raise ZeroTouchError(
            f"{title} cannot be removed from {view.title}: {', '.join(others)} {is_or_are(len(others))} marked for "
            "removal as well "
            "(annotation cluster.x-k8s.io/delete-machine), and might go instead.",
            "Name these too, or take the annotation off them.",
        )
