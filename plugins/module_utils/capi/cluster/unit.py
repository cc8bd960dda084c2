# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create, change or remove all hub objects of a cluster whose machines are Agents. The removal loses no Agent."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...common.clock import Clock
from ...common.errors import LimitReached, ZeroTouchError
from ...common.listed import listed
from ...common.waiting import Deadline, turns
from ...hub.kinds import NAMESPACE
from ...hub.namespaces import namespace_exists
from ...kube.client import KubeClient
from ...kube.resource import Resource
from ...kube.write import Change, WriteOutcome, apply_changes, is_ours, plan_deletion, plan_object
from ..kinds import AGENT_CLUSTER, AGENT_MACHINE_TEMPLATE, CoreKinds
from ..names import CLUSTER_NAME_LABEL
from ..nudge import ChangeSignal
from ..objects import Object, generation, labels_of, part, text
from .desired import DesiredAgentCluster, cluster_objects, pool_objects, template_name

RECHECK = 30.0
# Parts that the user defines as a whole: members that the user omits are removed.
_OWNED = (
    "spec.controlPlaneRef",
    "spec.infrastructureRef",
    "spec.ignitionEndpoint",
    "spec.template.spec.infrastructureRef",
    "spec.template.spec.bootstrap.configRef",
)


@dataclasses.dataclass(frozen=True)
class ObservedUnit:
    """``namespace`` is whether the namespace exists (None: reading it is not permitted); the lists are those of the
    namespace, machines and sets only of this cluster.
    """

    namespace: bool | None
    cluster: Object | None
    agent_cluster: Object | None
    deployments: tuple[Object, ...] = ()
    sets: tuple[Object, ...] = ()
    machines: tuple[Object, ...] = ()
    templates: tuple[Object, ...] = ()

    def of(self, resource: Resource, name: str) -> Object | None:
        one = {"Cluster": self.cluster, "AgentCluster": self.agent_cluster}
        many = {"MachineDeployment": self.deployments, "AgentMachineTemplate": self.templates}
        if resource.kind in one:
            return one[resource.kind]
        return next((item for item in many[resource.kind] if item["metadata"]["name"] == name), None)


@dataclasses.dataclass(frozen=True)
class UnitPlan:
    """``changes`` in order; ``stays`` are objects that are not touched, with the reason; ``waits_for`` what has to go
    before the rest can.
    """

    changes: tuple[Change, ...] = ()
    stays: tuple[str, ...] = ()
    waits_for: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def observe(client: KubeClient, core: CoreKinds, namespace: str, name: str) -> ObservedUnit:
    cluster = client.find(core.cluster.path(namespace, name))

    def of_cluster(resource: Resource) -> tuple[Object, ...]:
        found = client.list(resource.path(namespace))
        return tuple(
            item
            for item in found
            if name in (text(item, "spec", "clusterName"), labels_of(item).get(CLUSTER_NAME_LABEL))
        )

    return ObservedUnit(
        namespace=True if cluster else namespace_exists(client, namespace),
        cluster=cluster,
        agent_cluster=client.find(AGENT_CLUSTER.path(namespace, name)),
        deployments=of_cluster(core.machine_deployment),
        sets=of_cluster(core.machine_set),
        machines=of_cluster(core.machine),
        templates=of_cluster(AGENT_MACHINE_TEMPLATE),
    )


def plan_present(requested: DesiredAgentCluster, core: CoreKinds, observed: ObservedUnit) -> UnitPlan:
    """Namespace, Cluster, AgentCluster, then for each pool the template before the MachineDeployment that names it; old
    templates without a user are deleted.

    Raises :class:`ZeroTouchError` for a template that is not what its name says.
    """
    changes: list[Change] = []
    notes: list[str] = []
    if observed.namespace is False:
        changes += _change(plan_object(NAMESPACE, {"metadata": {"name": requested.namespace}}, None))
    for resource, desired in cluster_objects(requested, core):
        changes += _change(plan_object(resource, desired, observed.of(resource, requested.name), owned=_OWNED))
    for pool in requested.pools or ():
        for resource, desired in pool_objects(requested, pool, core):
            present = observed.of(resource, desired["metadata"]["name"])
            if resource == core.machine_deployment and present is None:
                desired["spec"].setdefault("replicas", 0)
            change = plan_object(resource, desired, present, owned=_OWNED)
            if (
                change is not None
                and resource == AGENT_MACHINE_TEMPLATE
                and change.verb == "patch"
                and "spec" in change.body
            ):
                raise ZeroTouchError(
                    f"{change.title} does not match the hash in its name: another client has changed it.",
                    "Delete this object and run again: the run creates it again with the correct content.",
                )
            if change is not None and change.verb == "patch" and "template" in change.body.get("spec", {}):
                notes.append(
                    f"{change.title}: its Machines are replaced one after the other, and their hosts are installed "
                    "again"
                )
            changes += _change(change)
    changes += _old_templates(requested, observed)
    return UnitPlan(tuple(changes), notes=tuple(notes))


def _change(change: Change | None) -> list[Change]:
    return [] if change is None else [change]


def _old_templates(requested: DesiredAgentCluster, observed: ObservedUnit) -> list[Change]:
    """Templates of ours that no pool has any more; one that a MachineSet still refers to is needed until that is
    gone.
    """
    used = {text(item, "spec", "template", "spec", "infrastructureRef", "name") for item in observed.sets}
    used |= {template_name(pool) for pool in requested.pools or ()}
    pools = {pool.name for pool in requested.pools or ()}
    used |= {
        text(item, "spec", "template", "spec", "infrastructureRef", "name")
        for item in observed.deployments
        if item["metadata"]["name"] not in pools
    }
    old = [item for item in observed.templates if is_ours(item) and item["metadata"]["name"] not in used]
    return [
        change
        for item in old
        for change in _change(plan_deletion(AGENT_MACHINE_TEMPLATE, item, "no Machine is made from it any more"))
    ]


def plan_absent(name: str, core: CoreKinds, observed: ObservedUnit) -> UnitPlan:
    """MachineDeployments, then the Cluster once no Machine is left, then what is over: so every Machine lets its host
    go while its Node can be reached.

    A Cluster of another tool is left as it is.
    """
    if observed.cluster is not None and not is_ours(observed.cluster):
        return UnitPlan(
            stays=(
                (
                    f"Cluster {'/'.join(_names(observed.cluster))} stays with all it has: it was not created by this "
                    "collection"
                ),
            )
        )
    foreign = [item for item in observed.deployments if not is_ours(item)]
    changes = [
        change
        for item in observed.deployments
        if is_ours(item)
        for change in _change(plan_deletion(core.machine_deployment, item, _GOES))
    ]
    if foreign:
        stays = [
            f"MachineDeployment {'/'.join(_names(item))} stays: it was not created by this collection"
            for item in foreign
        ]
        return UnitPlan(tuple(changes), tuple(stays))
    left = [
        *(f"MachineDeployment {item['metadata']['name']}" for item in observed.deployments),
        *(f"Machine {item['metadata']['name']}" for item in observed.machines),
    ]
    if left:
        return UnitPlan(tuple(changes), waits_for=tuple(left))
    if observed.cluster is not None:
        return UnitPlan(
            tuple(_change(plan_deletion(core.cluster, observed.cluster, _GOES))), waits_for=(f"Cluster {name}",)
        )
    rest = [(AGENT_CLUSTER, item) for item in [observed.agent_cluster] if item is not None] + [
        (AGENT_MACHINE_TEMPLATE, item) for item in observed.templates
    ]
    for resource, item in rest:
        changes += _change(plan_deletion(resource, item, _GOES)) if is_ours(item) else []
    stays = [
        f"{resource.kind} {'/'.join(_names(item))} stays: it was not created by this collection"
        for resource, item in rest
        if not is_ours(item)
    ]
    waits = [f"{resource.kind} {item['metadata']['name']}" for resource, item in rest if is_ours(item)]
    return UnitPlan(tuple(changes), tuple(stays), tuple(waits))


_GOES = "the cluster is removed"


def _names(item: Mapping[str, Any]) -> tuple[str, str]:
    return str(item["metadata"].get("namespace") or ""), str(item["metadata"]["name"])


class ClusterUnit:
    """The unit of one name on one hub."""

    def __init__(
        self,
        client: KubeClient,
        core: CoreKinds,
        namespace: str,
        name: str,
        clock: Clock,
        show: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._client, self.core, self._namespace, self._name = client, core, namespace, name
        self._clock, self._show = clock, show
        self.outcomes: list[WriteOutcome] = []
        self.planned: list[str] = []
        self.observed = observe(client, core, namespace, name)
        self.plan = UnitPlan()

    def look(self) -> None:
        self.observed = observe(self._client, self.core, self._namespace, self._name)

    def apply(self, plan: UnitPlan, again: Callable[[], UnitPlan], *, check_mode: bool = False) -> None:
        """Write the plan in its order, up to the first failure, which is raised.

        ``again`` makes a new plan after a conflict.
        """
        self.plan = plan
        self.planned += [change.describe() for change in plan.changes]
        new_namespace = any(change.resource == NAMESPACE for change in plan.changes)

        def replan(change: Change, _now: Object | None) -> Change | None:
            self.look()
            return next(
                (found for found in again().changes if (found.resource, found.name) == (change.resource, change.name)),
                None,
            )

        for change in plan.changes:
            if check_mode and new_namespace and change.resource.namespaced:
                self.outcomes.append(WriteOutcome(change, changed=True))  # its namespace is not there to try it in
                continue
            outcome = apply_changes(self._client, [change], check_mode=check_mode, replan=replan)[0]
            if outcome.error is not None:
                raise outcome.error
            self.outcomes.append(outcome)
            self._show(change.describe())

    def until(
        self, reached: Callable[[ObservedUnit], Sequence[str]], limit: float, step: Callable[[], None] = lambda: None
    ) -> None:
        """Until ``reached`` has nothing to say; ``step`` is done after each change.

        Raises :class:`LimitReached` with what is missing.
        """
        kinds = (self.core.machine, self.core.machine_deployment, self.core.cluster, AGENT_CLUSTER)
        notify = ChangeSignal(self._client, [resource.path(self._namespace) for resource in kinds], limit, self._clock)
        missing: Sequence[str] = ()

        def await_change(seconds: float) -> None:
            step()
            notify.wait(seconds)

        for _turn in turns(Deadline(self._clock, limit), RECHECK, await_change):
            self.look()
            missing = reached(self.observed)
            if not missing:
                return
        raise LimitReached(
            f"Not done after {limit:g} s: {listed(missing, 20, '; ')}.",
            limit,
            "Cluster API continues. Run the task again to wait longer.",
        )


def infrastructure_missing(observed: ObservedUnit) -> list[str]:
    ready = part(observed.agent_cluster, "status").get("ready") is True
    return [] if ready else ["the AgentCluster is not ready"]


def replicas_missing(names: Iterable[str], core: CoreKinds) -> Callable[[ObservedUnit], list[str]]:
    """What each pool lacks of its replicas, all of them available and from the present template."""

    def missing(observed: ObservedUnit) -> list[str]:
        return [line for name in names for line in _pool_missing(name, observed.of(core.machine_deployment, name))]

    return missing


def _pool_missing(name: str, deployment: Object | None) -> list[str]:
    row = pool_row(deployment or {"metadata": {"name": name}})
    if part(deployment, "status").get("observedGeneration") != generation(deployment or {"metadata": {}}):
        return [f"MachineDeployment {name} has not been looked at by its controller yet"]
    if (
        min(row["available_replicas"], row["up_to_date_replicas"]) >= row["replicas"]
        and row["current_replicas"] == row["replicas"]
    ):
        return []
    return [
        (
            f"MachineDeployment {name} has {row['available_replicas']} of {row['replicas']} replicas available "
            f"({row['current_replicas']} there)"
        )
    ]


def pool_row(deployment: Mapping[str, Any]) -> dict[str, Any]:
    """A pool as results show it."""
    spec, status = part(deployment, "spec"), part(deployment, "status")
    return {
        "name": deployment["metadata"]["name"],
        "template": text(deployment, "spec", "template", "spec", "infrastructureRef", "name"),
        "replicas": int(spec.get("replicas") or 0),
        "current_replicas": int(status.get("replicas") or 0),
        "available_replicas": int(status.get("availableReplicas") or 0),
        "up_to_date_replicas": int(status.get("upToDateReplicas", status.get("updatedReplicas")) or 0),
        "phase": str(status.get("phase") or ""),
    }
