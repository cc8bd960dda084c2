# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the writes that bring a NodePool to the requested state, each with its reason, as a pure function.

Source: openshift/hypershift api/hypershift/v1beta1/nodepool_types.go; docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ...capi.kinds import CoreKinds
from ...capi.objects import annotations_of, part, text
from ...common.errors import InvalidInput, ZeroTouchError
from ...common.problems import FORBIDDEN, UNSUPPORTED, Problem, errors
from ...kube.write import Change, merged, plan_deletion, plan_object
from .. import values
from ..kinds import NODE_POOL
from ..names import DELETE_MACHINE, STARTUP_TIMEOUT, template_name
from ..release import ahead_fault, behind_fault, stream_change, stream_fault
from ..user_input import problem, provided
from .config import Found, config_faults
from .machine_status import PoolMachineView
from .object import OWNED, pool_object
from .removal import NodePoolRemoval, plan_removal, plan_replacement
from .rules import CHECK, problems
from .supply import shortage
from .view import PoolView

# What the deletion of a pool begins with: no replicas, no autoscaler that raises them, and an operator that is not
# paused.
EMPTY: Mapping[str, Any] = {"replicas": 0, "autoScaling": None, "pausedUntil": None}


@dataclasses.dataclass(frozen=True)
class NodePoolPlan:
    """``marks`` are written first, one a Machine that must go; then ``change``, the NodePool itself; then
    ``deletions``, of Machines that others replace.
    """

    marks: tuple[Change, ...] = ()
    change: Change | None = None
    warnings: tuple[str, ...] = ()
    deletions: tuple[Change, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        return (*self.marks, *([self.change] if self.change else []), *self.deletions)

    def lines(self) -> list[str]:
        return [change.describe() for change in self.changes]


def plan_present(
    options: Mapping[str, Any],
    view: PoolView,
    kinds: CoreKinds | None,
    *,
    config_maps: Found | None = None,
    check_mode: bool = False,
) -> NodePoolPlan:
    """The writes that make the pool what the options say.

    ``kinds`` are those of Cluster API, which only a removal needs; ``config_maps`` those named.

    Raises :class:`InvalidInput` with everything that is wrong, immutable fields named; :class:`ZeroTouchError` where
    the present state forbids it. In check mode the hosted cluster may be missing still: a task before this one may be
    about to make it.
    """
    if view.pool is not None and view.pool["metadata"].get("deletionTimestamp"):
        raise ZeroTouchError(f"{view.title} is being deleted.", "Run again when it is deleted.")
    requested = provided(options)
    found = [*problems(requested, view.pool), *_cluster_problems(requested, view)]
    if errors(found):
        raise InvalidInput(found)
    warnings = _missing_cluster(requested, view, check_mode=check_mode) if view.pool is None else []
    warnings += _configured(requested, config_maps or {}, check_mode=check_mode)
    removal = _removal(requested, view)
    if removal.replicas is not None:
        requested = {**requested, "replicas": removal.replicas}
    desired = pool_object(requested, view.pool, release_image=text(view.hosted_cluster, "spec", "release", "image"))
    if view.pool is None and not text(desired, "spec", "release", "image") and not check_mode:
        raise InvalidInput(
            [
                problem(
                    CHECK,
                    "release_image",
                    "Required value",
                    ("neither the pool nor its hosted cluster names a release"),
                )
            ]
        )
    change = plan_object(NODE_POOL, desired, view.pool, owned=OWNED)
    _refuse_ahead(change, view)
    if change is not None and change.verb == "patch" and removal.machines:
        # The number must not have changed since it was counted.
        change = dataclasses.replace(
            change, resource_version=str((view.pool or {})["metadata"].get("resourceVersion") or "")
        )
    warnings += _supply(view, change, check_mode=check_mode)
    marks = tuple(mark_machine(machine, kinds) for machine in removal.unmarked) if kinds is not None else ()
    replacement = _replacement(requested, view)
    deletions = tuple(_deletion(machine, kinds) for machine in replacement.machines) if kinds is not None else ()
    found_warnings = (*warnings, *removal.notes, *replacement.notes, *_warnings(requested, view, desired, change))
    return NodePoolPlan(marks, change, found_warnings, deletions)


def _replacement(requested: Mapping[str, Any], view: PoolView) -> NodePoolRemoval:
    names = [str(name) for name in requested.get("replace_hosts") or ()]
    return plan_replacement(names, view) if names and view.pool is not None else NodePoolRemoval()


def _deletion(machine: PoolMachineView, kinds: CoreKinds) -> Change:
    before = {"metadata": {"namespace": machine.namespace, "name": machine.name, "uid": machine.uid}}
    return Change(
        "delete",
        kinds.machine,
        machine.namespace,
        machine.name,
        reasons=(("its host is replaced: its MachineSet makes another Machine"),),
        before=before,
    )


def _refuse_ahead(change: Change | None, view: PoolView) -> None:
    """A release that the control plane does not have yet is never written to a pool."""
    image = text(change.body, "spec", "release", "image") if change is not None else ""
    if image and (fault := ahead_fault(image, view.hosted_cluster)):
        raise InvalidInput([problem(CHECK, "release_image", FORBIDDEN, fault, image)])


def _removal(requested: Mapping[str, Any], view: PoolView) -> NodePoolRemoval:
    names = [str(name) for name in requested.get("remove") or ()]
    if not names:
        return NodePoolRemoval()
    if view.pool is None:
        return NodePoolRemoval(notes=(f"{view.title} does not exist; nothing is removed from it",))
    return plan_removal(names, requested.get("replicas"), view, scaling_ends=requested.get("auto_scaling") == {})


def mark_machine(machine: PoolMachineView, kinds: CoreKinds) -> Change:
    """The annotation by which a Machine is deleted before others."""
    patch = {"metadata": {"annotations": {DELETE_MACHINE: "yes"}}}
    return Change(
        "patch",
        kinds.machine,
        machine.namespace,
        machine.name,
        patch,
        ((f"its host must leave the pool: Cluster API deletes this Machine first ({DELETE_MACHINE})"),),
    )


def _cluster_problems(requested: Mapping[str, Any], view: PoolView) -> list[Problem]:
    """What the pool's hosted cluster does not allow."""
    hosted = view.hosted_cluster
    if hosted is None:
        return []
    platform = text(hosted, "spec", "platform", "type")
    if platform and platform != "Agent":
        return [problem(CHECK, "cluster_name", UNSUPPORTED, "this hosted cluster is not of platform Agent", platform)]
    payload = text(hosted, "status", "payloadArch")
    arch = str(requested.get("arch") or "amd64")
    if view.pool is None and payload not in ("", "Multi", arch.upper()):
        detail = f"the release of the hosted cluster is for {payload} alone"
        return [
            problem(
                CHECK,
                "arch",
                UNSUPPORTED,
                detail,
                arch,
                ("a multi-architecture release image takes hosts of every architecture"),
            )
        ]
    return []


def _missing_cluster(requested: Mapping[str, Any], view: PoolView, *, check_mode: bool) -> list[str]:
    if view.hosted_cluster is not None:
        return []
    message = f"There is no HostedCluster {view.namespace}/{requested.get('cluster_name')}"
    if check_mode:
        return [f"{message} yet: its release and platform cannot be compared with those of this pool."]
    raise ZeroTouchError(
        f"{message}, so no controller would act on the pool.",
        ("Create it first (hosted_cluster), in the same namespace."),
    )


def _supply(view: PoolView, change: Change | None, *, check_mode: bool) -> list[str]:
    """In check mode nothing is said of hosts: a task before this one may be about to supply them."""
    written: Mapping[str, Any] = change.body.get("spec") or {} if change is not None else {}
    if check_mode or not ("replicas" in written or "autoScaling" in written):
        return []
    reported = shortage(view, merged((view.pool or {}).get("spec") or {}, written))
    return [f"{view.title}: {reported}."] if reported else []


def _configured(requested: Mapping[str, Any], config_maps: Found, *, check_mode: bool) -> list[str]:
    faults = list(config_faults(requested, config_maps))
    if faults and not check_mode:
        raise ZeroTouchError(
            ". ".join(faults) + ".",
            "Correct these ConfigMaps: with them, the operator would stop at the pool (ValidMachineConfig is False).",
        )
    return [f"{fault}." for fault in faults]


def _warnings(
    requested: Mapping[str, Any], view: PoolView, desired: Mapping[str, Any], change: Change | None
) -> list[str]:
    found = []
    image = text(desired, "spec", "release", "image")
    if image and values.unpinned(image):
        found.append(
            f"release_image {image} can become another release at any time without notice; name it by digest or "
            "version."
        )
    written: Mapping[str, Any] = change.body.get("spec") or {} if change else {}
    if "release" in written and (fault := behind_fault(image, view.hosted_cluster)):
        found.append(f"release_image: {fault}.")
    # A new pool without a release of its own has that of its hosted cluster.
    stream = text(desired, "spec", "osImageStream", "name") or text(view.pool, "spec", "osImageStream", "name")
    if fault := stream_fault(stream, image):
        found.append(f"os_image_stream: {fault}.")
    if (
        "release" in written
        and not stream
        and (effect := stream_change(image, text(view.pool, "spec", "release", "image")))
    ):
        found.append(f"release_image: {effect}.")
    if change is not None and change.verb == "create" and not requested.get("agent_label_selector"):
        found.append(
            f"{view.title} has no agent_label_selector. It takes any Agent in its namespace, also Agents for "
            "other pools."
        )
    if change is not None and change.verb == "patch":
        found += _lasting(view, written)
    reported = {**annotations_of(view.hosted_cluster), **annotations_of(view.pool), **annotations_of(desired)}
    if part(written, "management").get("autoRepair") and STARTUP_TIMEOUT not in reported:
        found.append(
            "auto_repair replaces a host that is no Node after 20 minutes, which is short for metal; give it "
            "longer "
            f"(annotation {STARTUP_TIMEOUT})."
        )
    if "replace" in requested and text(view.pool, "spec", "management", "upgradeType") == "InPlace":
        found.append("replace has no effect: the pool is upgraded in place.")
    return found


def _lasting(view: PoolView, written: Mapping[str, Any]) -> list[str]:
    """Changes that do less, or more, than one would think."""
    found = []
    late = [name for name in ("nodeLabels", "taints") if name in written]
    if late and view.machines:
        found.append(f"{' and '.join(late)}: existing Nodes are not changed; only new Nodes get the change.")
    if "platform" in written and view.machines:
        replaced = text(view.pool, "spec", "management", "upgradeType") == "Replace"
        effect = "every Node is reinstalled on another host" if replaced else "hosts that are in the pool stay"
        selector = part(view.pool, "spec", "platform", "agent").get("agentLabelSelector")
        found.append(
            f"agent_label_selector: {effect}; only new Machines use the new selector (the former AgentMachineTemplate "
            f"is {template_name(view.name, selector)})."
        )
    return found


def plan_emptying(view: PoolView) -> Change | None:
    """The write that takes all hosts out of a pool, each drained; None if there is nothing to do."""
    spec = (view.pool or {}).get("spec") or {}
    if (
        view.pool is None
        or view.pool["metadata"].get("deletionTimestamp")
        or (not spec.get("replicas") and not spec.get("autoScaling") and not view.machines)
    ):
        return None
    return plan_object(
        NODE_POOL, {"metadata": {"name": view.name, "namespace": view.namespace}, "spec": dict(EMPTY)}, view.pool
    )


def plan_absent(view: PoolView) -> Change | None:
    """The deletion of the pool; None when it is gone or going."""
    return plan_deletion(NODE_POOL, view.pool, "the pool must not exist")
