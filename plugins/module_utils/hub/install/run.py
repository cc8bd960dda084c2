# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create or delete a cluster on a hub: observe, plan and apply ClusterImageSet, pull secret, ConfigMaps,
ClusterDeployment and AgentClusterInstall.

This module waits for a deletion only; :mod:`.wait` waits for the installation. A change that the operator would refuse
(a frozen specification, another image set) is refused before it is sent.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...cluster.rules.validate import surplus_hosts
from ...common.errors import InvalidInput, LimitReached, ZeroTouchError
from ...kube.client import KubeClient, Object
from ...kube.faults import ForbiddenError
from ...kube.resource import Resource
from ...kube.write import MANAGED_BY, OURS, Change, WriteOutcome, apply_changes, is_ours, plan_deletion, plan_object
from ..created import created_uid, other_uid
from ..foreign import refuse_foreign
from ..infra_env.plan import pull_secret_in
from ..kinds import (
    AGENT_CLUSTER_INSTALL,
    CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET,
    CONFIG_MAP,
    INFRA_ENV,
    NAMESPACE,
    SECRET,
)
from .objects import HubCluster, hub_objects
from .status import InstallStatus, read_status

RESOURCES: Mapping[str, Resource] = {
    resource.kind: resource
    for resource in (CLUSTER_IMAGE_SET, SECRET, CONFIG_MAP, CLUSTER_DEPLOYMENT, AGENT_CLUSTER_INSTALL)
}
# What may still change after the installation began; holdInstallation has no effect any more.
# Source: openshift/assisted-service pkg/webhooks/hiveextension/v1beta1.
_CHANGEABLE = ("spec.clusterMetadata", "spec.ignitionEndpoint", "spec.holdInstallation", "metadata.")
Key = tuple[str, str]


@dataclasses.dataclass(frozen=True)
class ObservedInstall:
    """The objects as they are, by (kind, name); ``namespace`` is whether the namespace exists (None: we may not look).

    ``config_maps`` are the cluster's ConfigMaps that this collection made.
    """

    objects: Mapping[Key, Object]
    namespace: bool | None = True
    config_maps: tuple[Object, ...] = ()

    def get(self, kind: str, name: str) -> Object | None:
        return self.objects.get((kind, name))


@dataclasses.dataclass(frozen=True)
class InstallPlan:
    """``changes`` in the order in which they are applied; ``notes`` are differences that have no effect any more."""

    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    status: InstallStatus = dataclasses.field(default_factory=InstallStatus)


def observe(client: KubeClient, cluster: HubCluster) -> ObservedInstall:
    """Read every object that :func:`plan_install` compares, one request each."""
    found: dict[Key, Object] = {}
    for wanted in hub_objects(cluster):
        resource, name = RESOURCES[wanted["kind"]], wanted["metadata"]["name"]
        now = client.find(resource.path(cluster.namespace if resource.namespaced else "", name))
        if now is not None:
            found[wanted["kind"], name] = now
    try:
        namespace: bool | None = client.find(NAMESPACE.path(name=cluster.namespace)) is not None
    except ForbiddenError:
        namespace = None
    return ObservedInstall(found, namespace, _own_config_maps(client, cluster.namespace, cluster.name))


def plan_install(cluster: HubCluster, observed: ObservedInstall) -> InstallPlan:
    """The writes that bring the cluster to the desired state.

    Raises :class:`ZeroTouchError` where the present state forbids it: a ClusterImageSet of that name with another
    release, an AgentClusterInstall whose installation runs and differs, an object of another tool that differs;
    :class:`InvalidInput` for more hosts than a cluster takes that is not installed yet.
    """
    present = observed.get("AgentClusterInstall", cluster.name)
    status = read_status(present) if present else InstallStatus()
    for found in (present, observed.get("ClusterDeployment", cluster.name)):
        _refuse_controlled(found)
    _refuse_surplus(cluster, status)
    changes: list[Change] = []
    notes: list[str] = []
    if observed.namespace is False:
        changes.append(_create_namespace(cluster.namespace))
    objects = hub_objects(cluster)
    for wanted in objects:
        kind, name = wanted["kind"], wanted["metadata"]["name"]
        change = _plan_one(wanted, observed.get(kind, name))
        if change is None:
            continue
        if kind == "ClusterImageSet" and change.verb == "patch":
            raise _other_release(cluster, observed.get(kind, name) or {})
        if kind == "AgentClusterInstall":
            change, frozen = _thawed(change, status)
            notes += frozen
        if change is not None:
            changes.append(change)
    names = {item["metadata"]["name"] for item in objects if item["kind"] == "ConfigMap"}
    unused = [item for item in observed.config_maps if item["metadata"]["name"] not in names and not status.started]
    refuse_foreign(changes, "Use another cluster name or namespace")
    removals = [plan_deletion(CONFIG_MAP, item, "the configuration does not need it any more") for item in unused]
    return InstallPlan((*changes, *(removal for removal in removals if removal)), tuple(notes), status)


def _plan_one(wanted: Object, present: Object | None) -> Change | None:
    """The write for one object. The pull secret of another tool is used if it has the same content."""
    kind = wanted["kind"]
    foreign = present is not None and not is_ours(present)
    if kind == "Secret" and foreign and pull_secret_in(present or {}) == pull_secret_in(wanted):
        return None
    return plan_object(RESOURCES[kind], wanted, present, owned=("data",) if kind in ("ConfigMap", "Secret") else ())


def _refuse_controlled(found: Object | None) -> None:
    """A control plane of Cluster API writes its ClusterDeployment and AgentClusterInstall itself.

    Raises :class:`ZeroTouchError`.
    """
    metadata = (found or {}).get("metadata") or {}
    owner = next(
        (each for each in metadata.get("ownerReferences") or () if each.get("kind") == "OpenshiftAssistedControlPlane"),
        None,
    )
    if owner is not None:
        raise ZeroTouchError(
            f"Cluster {metadata.get('namespace')}/{metadata.get('name')} belongs to {owner['kind']} "
            f"{owner.get('name')} of Cluster API.",
            "Use openshift_install_method: capi for it, or another name for a new cluster.",
        )


def _refuse_surplus(cluster: HubCluster, status: InstallStatus) -> None:
    """One bound Agent too many keeps an installation from starting; which one to leave out is not ours to choose.

    Source: docs/upstream/infrastructure-operator.md#faults-that-users-meet.
    """
    surplus = [] if status.started or status.phase == "installed" else surplus_hosts(cluster.deployment)
    if surplus:
        hint = (
            "increase the replicas, or remove hosts from the inventory and add them with add_hosts after the "
            "installation"
        )
        raise InvalidInput([dataclasses.replace(problem, hint=hint) for problem in surplus])


def _create_namespace(name: str) -> Change:
    change = plan_object(NAMESPACE, {"metadata": {"name": name}}, None)
    if change is None:
        raise AssertionError("an object that does not exist is created")  # pragma: no cover
    return change


def _other_release(cluster: HubCluster, present: Mapping[str, object]) -> ZeroTouchError:
    spec = present.get("spec")
    image = spec.get("releaseImage") if isinstance(spec, Mapping) else None
    return ZeroTouchError(
        f"The hub has a ClusterImageSet {cluster.image_set_name} with another release image ({image}), which other "
        "clusters may use.",
        "Give this cluster an image set of its own with the option image_set, or name that release image in the "
        "configuration.",
    )


def _thawed(change: Change, status: InstallStatus) -> tuple[Change | None, list[str]]:
    """The change without what the webhook refuses once the installation began.

    Raises :class:`ZeroTouchError` if that is anything while it runs.
    """
    if change.verb != "patch" or not status.started:
        return change, []
    frozen = [reason for reason in change.reasons if not reason.startswith(_CHANGEABLE)]
    if not frozen:
        return change, []
    if status.phase == "installed":
        return None, [
            f"The cluster is installed. These later changes of the configuration have no effect: {reason}"
            for reason in frozen
        ]
    raise ZeroTouchError(
        f"{change.title} cannot be changed: {status.text()}. Different: {'; '.join(frozen)}.",
        "Undo the change of the configuration, or remove the cluster from the hub (state absent) and start again.",
    )


def apply_install(
    client: KubeClient, cluster: HubCluster, plan: InstallPlan, *, check_mode: bool = False
) -> list[WriteOutcome]:
    """Apply the plan one object after the other; ends at the first that fails, with the outcomes until then.

    In check mode the server tries each.
    """

    def replan(change: Change, now: Object | None) -> Change | None:
        observed = ObservedInstall({(change.resource.kind, change.name): now} if now else {})
        again = plan_install(cluster, observed)
        return next(
            (found for found in again.changes if (found.resource, found.name) == (change.resource, change.name)), None
        )

    outcomes: list[WriteOutcome] = []
    new_namespace = any(change.resource == NAMESPACE for change in plan.changes)
    for change in plan.changes:
        if check_mode and new_namespace and change.resource.namespaced:
            outcomes.append(WriteOutcome(change, changed=True))  # its namespace is not there to try it in
            continue
        outcomes += apply_changes(client, [change], check_mode=check_mode, replan=replan)
        if outcomes[-1].error:
            break
    return outcomes


def plan_removal(
    client: KubeClient, namespace: str, name: str, state: Mapping[str, Any] | None = None
) -> tuple[list[Change], list[str]]:
    """The deletions that take a cluster off the hub without losing Agents, and what stays with the reason.

    Deleting the ClusterDeployment deletes the AgentClusterInstall, which unbinds late-bound Agents first. The image set
    stays: other clusters may use it. Only what this collection created is deleted, and nothing of a ClusterDeployment
    of another tool, which needs the rest. A hub without the cluster whose InfraEnv of this name is not the one that
    ``state`` records is another hub: its Secret and ConfigMaps stay.

    Source: openshift/assisted-service internal/controller/controllers/agentclusterinstall_controller.go.
    """
    changes: list[Change] = []
    stays: list[str] = []
    candidates: list[tuple[Resource, str]] = [
        (CLUSTER_DEPLOYMENT, name),
        (AGENT_CLUSTER_INSTALL, name),
        (SECRET, f"{name}-pull-secret"),
    ]
    other = _other_infra_env(client, namespace, name, state or {})
    maps = sorted(item["metadata"]["name"] for item in _own_config_maps(client, namespace, name))
    for resource, found in [*candidates, *((CONFIG_MAP, item) for item in maps)]:
        present = client.find(resource.path(namespace, found))
        if present is None:
            continue
        if not is_ours(present):
            stays.append(f"{resource.kind} {namespace}/{found} stays: it was not created by this collection")
            if resource == CLUSTER_DEPLOYMENT:
                return [], stays
            continue
        if other and not changes and resource in (SECRET, CONFIG_MAP):
            stays.append(f"{resource.kind} {namespace}/{found} stays: {other}")
            continue
        if resource == SECRET and (user := _user_of_pull_secret(client, namespace, name, found)):
            stays.append(f"Secret {namespace}/{found} stays: {user}")
            continue
        change = plan_deletion(resource, present, "the cluster is removed from the hub")
        if change is not None:
            changes.append(change)
    return changes, stays


def _other_infra_env(client: KubeClient, namespace: str, name: str, state: Mapping[str, Any]) -> str:
    """That the InfraEnv of this name is not the one that this deployment created; empty if nothing proves that."""
    created = created_uid(state, f"{INFRA_ENV.kind} {namespace}/{name}")
    try:
        infra_env = client.find(INFRA_ENV.path(namespace, name)) if created else None
    except ForbiddenError:
        return ""
    return other_uid(infra_env, INFRA_ENV, created) if infra_env is not None else ""


def _user_of_pull_secret(client: KubeClient, namespace: str, name: str, secret: str) -> str:
    """Why the pull secret stays; empty if it may go.

    An InfraEnv of the cluster's name shares it (module infra_env gives it the same name).
    """
    try:
        infra_env = client.find(INFRA_ENV.path(namespace, name))
    except ForbiddenError:
        return f"whether InfraEnv {namespace}/{name} uses it cannot be seen"
    used = ((infra_env or {}).get("spec") or {}).get("pullSecretRef") or {}
    return f"InfraEnv {namespace}/{name} uses it" if used.get("name") == secret else ""


def _own_config_maps(client: KubeClient, namespace: str, name: str) -> tuple[Object, ...]:
    """ConfigMaps that this collection made for the cluster, now or earlier."""
    found = client.list(CONFIG_MAP.path(namespace), label_selector=f"{MANAGED_BY}={OURS}")
    names = re.compile(rf"{re.escape(name)}-(mirrors|manifests-\d+)")
    return tuple(item for item in found if names.fullmatch(item["metadata"]["name"]) and is_ours(item))


def await_gone(client: KubeClient, deletions: Sequence[Change], limit: float) -> None:
    """Until finalizers have released the objects, ``limit`` seconds at most for each.

    Raises :class:`LimitReached` naming what stays and its finalizers.
    """
    for deletion in deletions:
        present = client.find(deletion.path)
        if present is None:
            continue
        uid = present["metadata"].get("uid")
        for event in client.follow(
            deletion.resource.path(deletion.namespace), limit, field_selector=f"metadata.name={deletion.name}"
        ):
            still = (
                [item for item in event.objects if item["metadata"].get("uid") == uid]
                if event.type == "LISTED"
                else [event.object]
            )
            if event.type == "DELETED" or not still:
                break
        else:
            finalizers = ", ".join(present["metadata"].get("finalizers") or []) or "none"
            raise LimitReached(
                f"{deletion.title} is still there after {limit:g} s; finalizers: {finalizers}.",
                limit,
                "See the operator's log; run again later.",
            )


def failures(outcomes: Sequence[WriteOutcome]) -> list[str]:
    """What went wrong, a line for each object."""
    return [f"{outcome.change.title}: {outcome.error}" for outcome in outcomes if outcome.error]
