# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the hosts that the writes of a plan boot, and the hosts that they remove from their cluster. Pure.

The caller passes the objects of the hub as they are at the time of the write.

Source: kubernetes-sigs/cluster-api internal/controllers/machineset (which Machines leave a pool that shrinks),
openshift-assisted/cluster-api-provider-openshift-assisted controlplane/internal/controller (the oldest leaves).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...common.addresses import normal_mac
from ...hub.kinds import BARE_METAL_HOST
from ...kube.write import Change, is_ours
from ..names import DEPLOYMENT_NAME_LABEL
from ..objects import Object, annotations_of, deleting, labels_of, part, text
from .departures import Departures
from .kinds import AssistedKinds
from .names import CLUSTER_LABEL, CONTROL_PLANE_LABEL, DELETE_FIRST
from .observe import ObservedControlPlane


@dataclasses.dataclass(frozen=True)
class TouchedHosts:
    """``coming`` get a BareMetalHost; ``free`` have a BareMetalHost that a new Machine may use.

    ``leaving`` may lose their Machine: names of BareMetalHosts, or of Nodes where there are none. ``macs`` has the MAC
    address of each of these BareMetalHosts; empty for one that has none.
    """

    coming: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()
    macs: Mapping[str, str] = dataclasses.field(default_factory=dict)


def hosts_of_machines(observed: ObservedControlPlane) -> dict[str, str]:
    """The BareMetalHost of each Machine that has one, by name of the Machine."""
    at = {
        text(item, "spec", "consumerRef", "name"): host
        for host, item in observed.bare_metal_hosts.items()
        if part(item, "spec").get("consumerRef")
    }
    names = (
        (str(item["metadata"]["name"]), text(item, "spec", "infrastructureRef", "name")) for item in observed.machines
    )
    return {name: at[reference] for name, reference in names if reference in at}


def touched_by(
    cluster: str, changes: Sequence[Change], kinds: AssistedKinds, observed: ObservedControlPlane, wanted: Departures
) -> TouchedHosts:
    """The hosts that these writes touch. Machines that a pool has got since the plan was made count, too."""
    coming, leaving, released = [], [], []
    grows = False
    for change in changes:
        grows = grows or _makes_machines(change, kinds)
        if change.resource == BARE_METAL_HOST and change.verb == "create":
            coming.append(change.name)
        elif change.resource == BARE_METAL_HOST and change.verb == "delete":
            released.append(change.name)
        elif change.resource == kinds.core.machine:
            leaving += [item for item in observed.machines if item["metadata"]["name"] == change.name]
        elif change.verb == "patch" and change.resource in (kinds.core.machine_deployment, kinds.control_plane):
            leaving += _leaving_pool(change, change.resource == kinds.control_plane, observed, wanted)
    free = [host for host, item in _own_hosts(cluster, observed) if grows and not part(item, "spec").get("consumerRef")]
    return TouchedHosts(tuple(coming), tuple(free), tuple(dict.fromkeys([*_places(leaving, observed), *released])))


def touched_by_removal(cluster: str, observed: ObservedControlPlane) -> TouchedHosts:
    """All hosts of the cluster, and those that it could still get."""
    own = [host for host, _item in _own_hosts(cluster, observed)]
    leaving = tuple(dict.fromkeys([*_places(observed.machines, observed), *own]))
    present = {name: observed.bare_metal_hosts[name] for name in leaving if name in observed.bare_metal_hosts}
    macs = {name: normal_mac(text(item, "spec", "bootMACAddress")) for name, item in present.items()}
    return TouchedHosts(leaving=leaving, macs=macs)


def _own_hosts(cluster: str, observed: ObservedControlPlane) -> list[tuple[str, Object]]:
    return [
        (host, item)
        for host, item in observed.bare_metal_hosts.items()
        if is_ours(item) and labels_of(item).get(CLUSTER_LABEL) == cluster
    ]


def _makes_machines(change: Change, kinds: AssistedKinds) -> bool:
    """Whether Machines may be made after this write: a deleted one is replaced, a pool grows, a Cluster starts."""
    if change.resource in (kinds.core.cluster, kinds.core.machine):
        return change.verb in ("create", "delete")
    if change.resource not in (kinds.core.machine_deployment, kinds.control_plane) or change.verb == "delete":
        return False
    spec = part(change.body, "spec")
    size, before = spec.get("replicas"), part(change.before, "spec").get("replicas")
    return "template" in spec or (isinstance(size, int) and size > int(before or 0))


def _leaving_pool(
    change: Change, control_plane: bool, observed: ObservedControlPlane, wanted: Departures
) -> Sequence[Object]:
    """Machines of a pool of which some leave: by a smaller number, or all by another template."""
    machines = [item for item in observed.machines if _is_of(item, change.name, control_plane) and not deleting(item)]
    machines.sort(key=lambda item: (text(item, "metadata", "creationTimestamp"), str(item["metadata"]["name"])))
    spec: Mapping[str, object] = part(change.body, "spec")
    if not control_plane and "template" in spec and _references(part(change.body, "spec", "template", "spec")):
        return machines
    size = spec.get("replicas")
    count = len(machines) - size if isinstance(size, int) else 0
    if count <= 0:
        return ()
    if control_plane:
        return machines[:count]
    marked = [
        item
        for item in machines
        if item["metadata"]["name"] in wanted.delete_first or DELETE_FIRST in annotations_of(item)
    ]
    return marked if count <= len(marked) else machines


def _references(machine: Mapping[str, object]) -> bool:
    return "infrastructureRef" in machine or "bootstrap" in machine


def _is_of(item: Object, pool: str, control_plane: bool) -> bool:
    labels = labels_of(item)
    if control_plane or CONTROL_PLANE_LABEL in labels:
        return control_plane and CONTROL_PLANE_LABEL in labels
    return labels.get(DEPLOYMENT_NAME_LABEL) == pool


def _places(machines: Iterable[Object], observed: ObservedControlPlane) -> Iterator[str]:
    hosts = hosts_of_machines(observed)
    for item in machines:
        place = hosts.get(str(item["metadata"]["name"]), "")
        if not place and not observed.bare_metal_hosts:
            place = text(item, "status", "nodeRef", "name")
        if place:
            yield place
