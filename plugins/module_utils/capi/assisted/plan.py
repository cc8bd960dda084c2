# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the writes that bring a cluster of the OpenShift Assisted providers to the desired state, or remove it.

Pure.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...common.errors import InvalidInput, ZeroTouchError
from ...hub.bare_metal_hosts.desired import DesiredHost, secret_name
from ...hub.bare_metal_hosts.plan import ObservedBareMetalHosts, plan_host, plan_secret
from ...hub.bare_metal_hosts.plan import plan_absent as plan_hosts_absent
from ...hub.kinds import BARE_METAL_HOST, CONFIG_MAP, NAMESPACE, NMSTATE_CONFIG, SECRET
from ...kube.resource import Resource
from ...kube.write import Change, is_ours, plan_deletion, plan_object
from ..names import CLUSTER_NAME_LABEL
from ..objects import Object, deleting, labels_of, part, text
from .desired import DesiredControlPlane
from .kinds import AssistedKinds
from .names import CLUSTER_LABEL, REGISTRY_OUTPUT
from .objects import COUNTED, HOSTS, MACHINES, PREPARED, STARTED, WantedObject, bare_metal_hosts, cluster_objects
from .observe import OPEN_STATES, ObservedControlPlane
from .state_rules import State, state_problems

_UNUSED = "no Machine is made from it any more"
_REMOVED = "the cluster is removed"
# CAPM3 sets these fields of the BareMetalHosts that it uses; this collection sets them only at creation.
_AT_CREATION = ("online", "automatedCleaningMode")


@dataclasses.dataclass(frozen=True)
class ControlPlanePlan:
    """``stages`` are written one after the other, the changes of a stage in parallel.

    ``waits_for`` are objects that must be deleted before the remaining ones can be.
    """

    stages: tuple[tuple[Change, ...], ...] = ()
    notes: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    waits_for: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(change for stage in self.stages for change in stage)

    def lines(self) -> list[str]:
        return [change.describe() for change in self.changes]


def plan_present(
    desired: DesiredControlPlane,
    kinds: AssistedKinds,
    observed: ObservedControlPlane,
    *,
    replace_machines: bool = False,
) -> ControlPlanePlan:
    """Namespace; contents and templates; BareMetalHosts; pools and control plane; the Cluster, which starts everything;
    templates of old that go.

    Raises :class:`InvalidInput` with everything that the present state forbids.
    """
    objects = cluster_objects(desired, kinds)
    problems = state_problems(State(desired, kinds, objects, observed))
    if problems:
        raise InvalidInput(problems)
    notes = list(observed.unread)
    frozen = tuple(_frozen(wanted, kinds, observed, notes) for wanted in objects)
    if not replace_machines:
        frozen = _without_replacements(frozen, kinds, observed, notes)
    stages: dict[int, list[Change]] = {}
    if observed.namespace is False:
        stages[PREPARED - 1] = _some(plan_object(NAMESPACE, {"metadata": {"name": desired.namespace}}, None))
    for wanted in frozen:
        stages.setdefault(wanted.stage, []).extend(_some(plan_wanted(wanted, observed.objects.get(wanted.key))))
    for host in bare_metal_hosts(desired):
        found = observed.bare_metal_hosts.get(host.name)
        notes += host.notes if found is None else ()
        stages.setdefault(PREPARED, []).extend(_some(plan_secret(host, observed.get(SECRET, secret_name(host.name)))))
        stages.setdefault(HOSTS, []).extend(_some(plan_bare_metal_host(host, found)))
    stages[STARTED + 1] = _old_templates(frozen, kinds, observed)
    ordered = tuple(tuple(stages[stage]) for stage in sorted(stages) if stages[stage])
    return ControlPlanePlan(ordered, tuple(dict.fromkeys(notes)))


def plan_wanted(wanted: WantedObject, observed: Mapping[str, Any] | None) -> Change | None:
    """The write for one object.

    Raises :class:`ZeroTouchError` for a template that is not what its name says, or contents of another tool.
    """
    desired = wanted.desired
    if observed is None and wanted.stage in (MACHINES, COUNTED) and "replicas" not in desired["spec"]:
        desired = {**desired, "spec": {**desired["spec"], "replicas": 0}}
    change = plan_object(wanted.resource, desired, observed, owned=wanted.owned)
    if change is None or observed is None:
        return change
    if wanted.immutable and "spec" in change.body:
        raise ZeroTouchError(
            f"The content of {change.title} does not match the hash in its name: another tool has changed it.",
            "Delete it; this module creates it again.",
        )
    if wanted.resource in (SECRET, CONFIG_MAP) and not is_ours(observed):
        raise ZeroTouchError(
            f"{change.title} exists and was not created by this collection.", "Delete it, or name it in the options."
        )
    return change


def plan_bare_metal_host(host: DesiredHost, observed: Mapping[str, Any] | None) -> Change | None:
    """The write for one BareMetalHost."""
    if observed is None:
        return plan_host(host, None)
    spec = {key: value for key, value in host.bare_metal_host["spec"].items() if key not in _AT_CREATION}
    return plan_host(dataclasses.replace(host, bare_metal_host={**host.bare_metal_host, "spec": spec}), observed)


def replan(
    desired: DesiredControlPlane, planned: Sequence[WantedObject], change: Change, observed: Mapping[str, Any] | None
) -> Change | None:
    """The same intention against the object as it is now, after a conflict."""
    if change.verb == "delete":
        same = observed is not None and observed["metadata"].get("uid") == change.before.get("metadata", {}).get("uid")
        return (
            plan_deletion(change.resource, observed, "".join(change.reasons))
            if same and is_ours(observed or {})
            else None
        )
    if change.resource == NAMESPACE:
        return plan_object(NAMESPACE, {"metadata": {"name": change.name}}, observed)
    for host in bare_metal_hosts(desired):
        if (change.resource, change.name) == (BARE_METAL_HOST, host.name):
            return plan_bare_metal_host(host, observed)
        if (change.resource, change.name) == (SECRET, secret_name(host.name)):
            return plan_secret(host, observed)
    return next(
        (
            plan_wanted(wanted, observed)
            for wanted in planned
            if (wanted.resource, wanted.name) == (change.resource, change.name)
        ),
        None,
    )


def _frozen(
    wanted: WantedObject, kinds: AssistedKinds, observed: ObservedControlPlane, notes: list[str]
) -> WantedObject:
    """Without what the installation has fixed: the ClusterDeployment is written once, and assisted-service refuses
    changes of the rest.

    Raises :class:`ZeroTouchError` while there is no installed cluster that could be left as it is.
    """
    present = observed.objects.get(wanted.key)
    if present is None or wanted.resource not in (kinds.control_plane, kinds.core.cluster):
        return wanted
    paths = _fixed_paths(wanted.resource == kinds.control_plane, observed)
    spec = copy.deepcopy(wanted.desired["spec"])
    changed = []
    for path in paths:
        *parents, last = path.split(".")
        before = part(present, "spec", *parents).get(last)
        place = spec
        for name in parents:
            place = place.setdefault(name, {})
        if (before or None) != (place.get(last) or None):
            changed.append(path)
            place[last] = copy.deepcopy(before)
    if not changed:
        return wanted
    title = f"{wanted.resource.kind} {present['metadata'].get('namespace')}/{wanted.name}"
    if not observed.installed:
        fields = ", ".join(f"spec.{path}" for path in changed)
        raise ZeroTouchError(
            f"{title}: {fields} cannot change any more once the providers have described the cluster to the service.",
            "Use the former values, or destroy the cluster and create it again.",
        )
    joined = ", ".join(f"spec.{path}" for path in changed)
    notes.append(f"{title}: {joined} cannot be changed after the installation; the description differs")
    return dataclasses.replace(
        wanted, desired={**wanted.desired, "spec": {key: value for key, value in spec.items() if value is not None}}
    )


def _fixed_paths(control_plane: bool, observed: ObservedControlPlane) -> tuple[str, ...]:
    if not control_plane:
        return (
            ("clusterNetwork.pods", "clusterNetwork.services")
            if observed.install is not None and observed.state not in OPEN_STATES[:3]
            else ()
        )
    once = ("config.baseDomain", "config.clusterName", "config.pullSecretRef") if observed.install is not None else ()
    if observed.install is None or observed.state in OPEN_STATES[:3]:
        return once
    names = (
        "apiVIPs",
        "ingressVIPs",
        "manifestsConfigMapRefs",
        "diskEncryption",
        "proxy",
        "mastersSchedulable",
        "sshAuthorizedKey",
        "capabilities",
    )
    return (*once, *(f"config.{name}" for name in (*names, "imageRegistryRef")))


def _without_replacements(
    objects: tuple[WantedObject, ...], kinds: AssistedKinds, observed: ObservedControlPlane, notes: list[str]
) -> tuple[WantedObject, ...]:
    """With the present templates of pools that have Machines: another template replaces them all, and installs their
    hosts again.
    """
    kept: dict[str, WantedObject] = {}
    dropped: set[str] = set()
    for wanted in objects:
        present = observed.objects.get(wanted.key)
        if wanted.resource != kinds.core.machine_deployment or present is None or not _machine_count(present):
            continue
        old, new = (part(each, "spec", "template", "spec") for each in (present, wanted.desired))
        names = {
            (field, text({"x": each}, "x", *field, "name"))
            for each in (old, new)
            for field in (("bootstrap", "configRef"), ("infrastructureRef",))
        }
        if len(names) == len({field for field, _name in names}):
            continue
        desired = copy.deepcopy(wanted.desired)
        machine = desired["spec"]["template"]["spec"]
        dropped |= {text(machine, "bootstrap", "configRef", "name"), text(machine, "infrastructureRef", "name")}
        machine["bootstrap"]["configRef"], machine["infrastructureRef"] = (
            old["bootstrap"]["configRef"],
            old["infrastructureRef"],
        )
        kept[wanted.name] = dataclasses.replace(wanted, desired=desired)
        notes.append(
            f"MachineDeployment {wanted.name} keeps its templates, which differ from the description: other ones "
            "would replace its "
            f"{_machine_count(present)} Machines and install their hosts again. Set replace_machines to do that."
        )
    dropped |= {
        text(each.desired, "spec", "template", "spec", "dataTemplate", "name")
        for each in objects
        if each.immutable and each.name in dropped
    }
    result = [kept.get(each.name, each) if each.resource == kinds.core.machine_deployment else each for each in objects]
    return tuple(each for each in result if not (each.immutable and each.name in dropped))


def _machine_count(deployment: Mapping[str, Any]) -> int:
    return max(int(part(deployment, "spec").get("replicas") or 0), int(part(deployment, "status").get("replicas") or 0))


def _old_templates(
    objects: Sequence[WantedObject], kinds: AssistedKinds, observed: ObservedControlPlane
) -> list[Change]:
    """Templates of this collection for this cluster that nothing refers to any more."""
    used = {each.name for each in objects if each.immutable}
    written = {each.key for each in objects}
    machines = [part(item, "spec", "template", "spec") for item in observed.sets]
    for resource in (kinds.core.machine_deployment, kinds.control_plane):
        others = [
            item for item in observed.of_kind(resource) if (resource.kind, item["metadata"]["name"]) not in written
        ]
        machines += [
            part(item, "spec", *path) for item in others for path in (("template", "spec"), ("machineTemplate",))
        ]
    for each in objects:
        machines += [part(each.desired, "spec", "template", "spec"), part(each.desired, "spec", "machineTemplate")]
    for machine in machines:
        used |= {text(machine, "infrastructureRef", "name"), text(machine, "bootstrap", "configRef", "name")}
    cluster = next(each.name for each in objects if each.resource == kinds.core.cluster)
    found = [(resource, item) for resource in _template_kinds(kinds) for item in observed.of_kind(resource)]
    for _resource, item in found:
        if item["metadata"]["name"] in used:
            used.add(text(item, "spec", "template", "spec", "dataTemplate", "name"))
    own = [
        (resource, item)
        for resource, item in found
        if is_ours(item) and labels_of(item).get(CLUSTER_NAME_LABEL) == cluster
    ]
    return [
        change
        for resource, item in own
        if item["metadata"]["name"] not in used
        for change in _some(plan_deletion(resource, item, _UNUSED))
    ]


def _template_kinds(kinds: AssistedKinds) -> tuple[Resource, ...]:
    return (
        kinds.config_template,
        *((kinds.metal3_machine_template, kinds.metal3_data_template) if kinds.metal3_version else ()),
    )


def _some(change: Change | None) -> list[Change]:
    return [] if change is None else [change]


def plan_absent(name: str, namespace: str, kinds: AssistedKinds, observed: ObservedControlPlane) -> ControlPlanePlan:
    """The Cluster first: Cluster API deletes the pools, then the control plane, then the infrastructure, and each
    Machine gives its host back.

    Once no Machine is left, what remains of this collection; BareMetalHosts once nothing uses them, their credentials
    after them.
    """
    cluster = observed.get(kinds.core.cluster, name)
    if cluster is not None:
        if not is_ours(cluster):
            return ControlPlanePlan(
                stays=((f"Cluster {namespace}/{name} and its objects are not deleted: another tool created them"),)
            )
        return _stage(
            _some(plan_deletion(kinds.core.cluster, cluster, _REMOVED)),
            waits_for=(f"Cluster {name}", *_names(observed.machines)),
        )
    owners = [*_own(name, observed, kinds.core.machine_deployment), *_own(name, observed, kinds.control_plane)]
    owners += _own(name, observed, kinds.metal3_cluster) if kinds.metal3_version else []
    if owners or observed.machines:
        changes = [change for resource, item in owners for change in _some(plan_deletion(resource, item, _REMOVED))]
        return _stage(
            changes,
            waits_for=(
                *(f"{resource.kind} {item['metadata']['name']}" for resource, item in owners),
                *_names(observed.machines),
            ),
        )
    return _rest(name, namespace, kinds, observed)


def plan_afterwards(
    name: str, namespace: str, kinds: AssistedKinds, observed: ObservedControlPlane
) -> tuple[Change, ...]:
    """What :func:`plan_absent` deletes in its later passes, once Cluster API has deleted the Machines: for check
    mode.
    """
    gone = (
        kinds.core.cluster.kind,
        kinds.core.machine_deployment.kind,
        kinds.control_plane.kind,
        kinds.metal3_cluster.kind,
    )
    hosts = {
        host: {**item, "spec": {key: value for key, value in item["spec"].items() if key != "consumerRef"}}
        for host, item in observed.bare_metal_hosts.items()
    }
    cluster = observed.get(kinds.core.cluster, name)
    if cluster is not None and not is_ours(cluster):
        return ()
    objects = {key: item for key, item in observed.objects.items() if key[0] not in gone or not _belongs(item, name)}
    objects.pop((kinds.core.cluster.kind, name), None)
    later = dataclasses.replace(observed, objects=objects, bare_metal_hosts=hosts, machines=())
    first = _rest(name, namespace, kinds, later).changes
    left = {
        host: item for host, item in hosts.items() if not (is_ours(item) and labels_of(item).get(CLUSTER_LABEL) == name)
    }
    kept = {
        key: item
        for key, item in objects.items()
        if key not in {(change.resource.kind, change.name) for change in first}
    }
    return (
        *first,
        *_rest(name, namespace, kinds, dataclasses.replace(later, objects=kept, bare_metal_hosts=left)).changes,
    )


def _rest(name: str, namespace: str, kinds: AssistedKinds, observed: ObservedControlPlane) -> ControlPlanePlan:
    hosts = {
        host: item for host, item in observed.bare_metal_hosts.items() if labels_of(item).get(CLUSTER_LABEL) == name
    }
    used = sorted(host for host, item in hosts.items() if part(item, "spec").get("consumerRef"))
    own = [host for host, item in hosts.items() if is_ours(item) and host not in used]
    secrets = {str(item["metadata"]["name"]): item for item in observed.of_kind(SECRET)}
    plan = plan_hosts_absent(own, namespace, ObservedBareMetalHosts(hosts=observed.bare_metal_hosts, secrets=secrets))
    gone = not hosts
    kinds_left = (
        *_template_kinds(kinds),
        *((NMSTATE_CONFIG,) if kinds.metal3_version else ()),
        CONFIG_MAP,
        *((SECRET,) if gone else ()),
    )
    rest = [
        (resource, item)
        for resource in kinds_left
        for item in observed.of_kind(resource)
        if is_ours(item) and _belongs(item, name)
    ]
    changes = [change for change in plan.changes if change.resource == BARE_METAL_HOST]
    changes += [change for resource, item in rest for change in _some(plan_deletion(resource, item, _REMOVED))]
    waits = [f"BareMetalHost {host}" for host in sorted(hosts) if is_ours(hosts[host])]
    waits += [f"{resource.kind} {item['metadata']['name']}" for resource, item in rest]
    stays = [
        f"BareMetalHost {namespace}/{host} stays: it was not created by this collection"
        for host, item in sorted(hosts.items())
        if not is_ours(item)
    ]
    if observed.namespace:
        stays.append(
            f"ClusterImageSet {name} and ConfigMap {namespace}/{REGISTRY_OUTPUT}, if there are such: the provider "
            "creates and never deletes them"
        )
    return dataclasses.replace(_stage(changes, waits_for=tuple(waits)), stays=tuple(stays))


def _belongs(item: Mapping[str, Any], name: str) -> bool:
    return labels_of(item).get(CLUSTER_NAME_LABEL) == name


def _own(name: str, observed: ObservedControlPlane, resource: Resource) -> list[tuple[Resource, Object]]:
    return [(resource, item) for item in observed.of_kind(resource) if is_ours(item) and _belongs(item, name)]


def _stage(changes: Sequence[Change], waits_for: tuple[str, ...]) -> ControlPlanePlan:
    return ControlPlanePlan((tuple(changes),) if changes else (), waits_for=waits_for)


def _names(machines: Sequence[Object]) -> Iterator[str]:
    for item in machines:
        state = " (being deleted)" if deleting(item) else ""
        yield f"Machine {item['metadata']['name']}{state}"
