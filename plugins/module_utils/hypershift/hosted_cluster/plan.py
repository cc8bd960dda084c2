# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the writes that bring a HostedCluster to the desired state, each with its reason, as a pure function.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go; docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...capi.objects import annotations_of, text
from ...common.errors import InvalidInput, ZeroTouchError
from ...common.problems import errors
from ...hub.kinds import NAMESPACE
from ...kube.client import Object
from ...kube.write import Change, plan_object
from .. import values
from ..kinds import HOSTED_CLUSTER
from ..names import KEEP_NAMESPACE, control_plane_namespace
from ..user_input import provided
from .immutable import settled
from .object import OWNED, cluster_object
from .rules import problems
from .secrets import Objects, missing, plan_secrets

# What a change of these does, besides what one would think: all Nodes of all pools are updated or reinstalled (4).
_ROLLS_OUT = {
    "pullSecret": "the name of the pull secret",
    "additionalTrustBundle": "the name of the trust bundle",
    "imageContentSources": "the mirrors",
}
_WITHOUT_NETWORK = ("Calico", "Other")


@dataclasses.dataclass(frozen=True)
class ObservedHostedCluster:
    """The present state. A namespace is None where we may not look; ``found`` are Secrets and ConfigMaps by (kind,
    name).
    """

    hosted_cluster: Object | None = None
    namespace: bool | None = True
    agent_namespace: bool | None = True
    found: Objects = dataclasses.field(default_factory=dict, repr=False)
    unseen: bool = False  # Secrets may not be read
    routes: bool = True  # the hub serves Routes


@dataclasses.dataclass(frozen=True)
class HostedClusterPlan:
    """``changes`` in the order in which they are applied."""

    changes: tuple[Change, ...] = ()
    warnings: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        return [change.describe() for change in self.changes]


def plan_present(
    options: Mapping[str, Any],
    observed: ObservedHostedCluster,
    make_key: Callable[[], bytes],
    *,
    check_mode: bool = False,
) -> HostedClusterPlan:
    """The writes that make the hosted cluster what the options say.

    Raises :class:`InvalidInput` with everything that is wrong with the options, immutable fields named;
    :class:`ZeroTouchError` where something that they refer to is not there. In check mode that is a warning: a task
    before this one may be about to make it.
    """
    requested = provided(options)
    present = observed.hosted_cluster
    if present is not None and present["metadata"].get("deletionTimestamp"):
        raise ZeroTouchError(
            f"HostedCluster {requested['namespace']}/{requested['name']} is being deleted.",
            "Run again when it is deleted.",
        )
    found = problems(requested, present)
    desired = cluster_object(requested, exists=present is not None)
    if present is not None:
        desired, fixed = settled(desired, present)
        found += fixed
    if errors(found):
        raise InvalidInput(found)
    warnings = _absent(requested, observed, check_mode=check_mode)
    if present is None and _shares_namespace(requested):
        desired["metadata"]["annotations"] = {KEEP_NAMESPACE: "true", **desired["metadata"].get("annotations", {})}
    change = plan_object(HOSTED_CLUSTER, desired, present, owned=OWNED)
    secrets = [] if observed.unseen else plan_secrets(requested, present, observed.found, make_key)
    changes = [*_namespaces(requested, observed), *secrets, *([change] if change is not None else [])]
    return HostedClusterPlan(tuple(changes), (*warnings, *_warnings(requested, present, desired, change)))


def _shares_namespace(requested: Mapping[str, Any]) -> bool:
    return bool(requested.get("agent_namespace") == control_plane_namespace(requested["namespace"], requested["name"]))


def _namespaces(requested: Mapping[str, Any], observed: ObservedHostedCluster) -> list[Change]:
    """The hosted cluster's own namespace; and that of its control plane where the Agents are in it: the operator makes
    it only after it has found it (1.5).
    """
    names = [requested["namespace"]] if observed.namespace is False else []
    if observed.agent_namespace is False and _shares_namespace(requested):
        names.append(requested["agent_namespace"])
    changes = [plan_object(NAMESPACE, {"metadata": {"name": name}}, None) for name in names]
    return [change for change in changes if change is not None]


def _absent(requested: Mapping[str, Any], observed: ObservedHostedCluster, *, check_mode: bool) -> list[str]:
    found = [] if observed.unseen else list(missing(requested, observed.found))
    if observed.agent_namespace is False and not _shares_namespace(requested):
        found.append(
            f"Namespace {requested['agent_namespace']} (agent_namespace) does not exist: the hosted cluster would "
            "stay at ValidConfiguration False"
        )
    if not observed.routes:
        found.append("The hub has no Routes (route.openshift.io): publish services as NodePort or LoadBalancer")
    if found and not check_mode:
        raise ZeroTouchError(". ".join(found) + ".", "Create what is missing first.")
    return [f"{text_}." for text_ in found]


def _warnings(
    requested: Mapping[str, Any], present: Object | None, desired: Mapping[str, Any], change: Change | None
) -> list[str]:
    found = []
    image = text(desired, "spec", "release", "image")
    if image and values.unpinned(image):
        found.append(
            f"release_image {image} can become another release at any time without notice; name it by digest or "
            "version."
        )
    if _shares_namespace(requested) and (present is None or annotations_of(present).get(KEEP_NAMESPACE) != "true"):
        found.append(
            (
                f"The Agents are in {requested['agent_namespace']}, the namespace of the control plane, and would be "
                "deleted with it; "
            )
            + (
                "it is kept (annotation)."
                if present is None
                else (f'set the annotation {KEEP_NAMESPACE}: "true" on the hosted cluster.')
            )
        )
    kind = (requested.get("networking") or {}).get("network_type")
    if present is None and kind in _WITHOUT_NETWORK:
        found.append(
            f"network_type {kind}: Nodes stay NotReady until you install a network plugin in the hosted cluster."
        )
    written: Mapping[str, Any] = change.body.get("spec") or {} if change is not None and change.verb == "patch" else {}
    for field, words in _ROLLS_OUT.items():
        if field in written:
            found.append(
                f"{words} changes: all Nodes of all pools are updated (reinstalled where a pool's upgrade_type is "
                "Replace)."
            )
    if "platform" in written:
        found.append(
            "agent_namespace changes: new Machines take Agents of the new namespace; Agents that are already "
            "bound do not change."
        )
    return found


def pools_of(pools: Sequence[Object], name: str) -> list[Object]:
    """The NodePools of a hosted cluster, by name."""
    return sorted(
        (pool for pool in pools if text(pool, "spec", "clusterName") == name),
        key=lambda pool: str(pool["metadata"]["name"]),
    )
