# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the deletions that the user requests by name: which Machines a pool deletes first, which Machines are recreated,
and which BareMetalHosts are removed from the hub.

Pure.

Source: kubernetes-sigs/cluster-api internal/controllers/machineset/machineset_delete_policy.go (the annotation counts
before the order of deletion).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from ...hub.bare_metal_hosts.plan import ObservedBareMetalHosts
from ...hub.bare_metal_hosts.plan import plan_absent as plan_hosts_absent
from ...hub.infra_env.desired import nmstate_config_name
from ...hub.kinds import BARE_METAL_HOST, NMSTATE_CONFIG, SECRET
from ...kube.resource import Resource
from ...kube.write import Change, is_ours, plan_deletion, plan_object
from ..objects import Object, annotations_of, deleting, labels_of, part
from .kinds import AssistedKinds
from .names import CLUSTER_LABEL, DELETE_FIRST
from .observe import ObservedControlPlane

_AGAIN = "another Machine of its pool takes a host"
_RELEASED = "its host is released"


@dataclasses.dataclass(frozen=True)
class Departures:
    """The objects that the user names in the options.

    ``delete_first`` and ``recreate`` are Machines, ``release_hosts`` are BareMetalHosts.
    """

    delete_first: tuple[str, ...] = ()
    recreate: tuple[str, ...] = ()
    release_hosts: tuple[str, ...] = ()


def read_departures(options: Mapping[str, Any]) -> Departures:
    """From the options of the module."""
    return Departures(*(tuple(options.get(field.name) or ()) for field in dataclasses.fields(Departures)))


def replan_machine(change: Change, observed: Mapping[str, Any] | None) -> Change | None:
    """The same intention against the Machine as it is now, after a conflict; nothing for another Machine of this
    name.
    """
    if observed is None or observed["metadata"].get("uid") != change.before["metadata"].get("uid"):
        return None
    return (
        plan_deletion(change.resource, observed, _AGAIN)
        if change.verb == "delete"
        else _mark(change.resource, observed)
    )


def plan_marks(wanted: Departures, kinds: AssistedKinds, observed: ObservedControlPlane) -> list[Change]:
    """The annotation by which a MachineSet deletes a Machine before the others.

    It is written before the pool shrinks.
    """
    changes = (_mark(kinds.core.machine, item) for item in _named(wanted.delete_first, observed))
    return [change for change in changes if change is not None]


def plan_deletions(wanted: Departures, kinds: AssistedKinds, observed: ObservedControlPlane) -> list[Change]:
    """Machines whose pool keeps its size."""
    changes = (plan_deletion(kinds.core.machine, item, _AGAIN) for item in _named(wanted.recreate, observed))
    return [change for change in changes if change is not None]


def plan_release(
    wanted: Departures, cluster: str, namespace: str, observed: ObservedControlPlane
) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """Deletions of BareMetalHosts that nothing uses, then of their Secrets and NMStateConfigs; and what still has to
    leave before the rest can be deleted.
    """
    own = {
        name: item
        for name, item in observed.bare_metal_hosts.items()
        if labels_of(item).get(CLUSTER_LABEL) == cluster and is_ours(item)
    }
    named = {name: own[name] for name in wanted.release_hosts if name in own}
    free = [name for name, item in named.items() if not part(item, "spec").get("consumerRef")]
    secrets = {str(item["metadata"]["name"]): item for item in observed.of_kind(SECRET)}
    plan = plan_hosts_absent(free, namespace, ObservedBareMetalHosts(hosts=observed.bare_metal_hosts, secrets=secrets))
    changes = [change for change in plan.changes if change.resource == BARE_METAL_HOST]
    gone = [name for name in wanted.release_hosts if name not in named]
    left = plan_hosts_absent(
        gone, namespace, ObservedBareMetalHosts(hosts=observed.bare_metal_hosts, secrets=secrets)
    ).changes
    changes += [change for change in left if change.resource == SECRET]
    networks = [observed.get(NMSTATE_CONFIG, nmstate_config_name(cluster, name)) for name in gone]
    changes += [
        change
        for item in networks
        if item is not None and is_ours(item)
        for change in [plan_deletion(NMSTATE_CONFIG, item, _RELEASED)]
        if change
    ]
    waits = [f"BareMetalHost {name}" for name in named] + [
        change.title for change in changes if change.resource != BARE_METAL_HOST
    ]
    return tuple(changes), tuple(waits)


def _named(names: Iterable[str], observed: ObservedControlPlane) -> list[Object]:
    """The Machines of the cluster with these names that are not being deleted."""
    chosen = set(names)
    return [item for item in observed.machines if item["metadata"]["name"] in chosen and not deleting(item)]


def _mark(machines: Resource, item: Mapping[str, Any]) -> Change | None:
    metadata = {key: item["metadata"][key] for key in ("name", "namespace")}
    return plan_object(
        machines,
        {"metadata": {**metadata, "annotations": {DELETE_FIRST: annotations_of(item).get(DELETE_FIRST, "true")}}},
        item,
    )
