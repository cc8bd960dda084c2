# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the objects of a cluster of the OpenShift Assisted providers from the hub: one list for each kind. Several lists
are read in parallel.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...common.parallel import for_each
from ...hub.kinds import AGENT_CLUSTER_INSTALL, BARE_METAL_HOST, CLUSTER_DEPLOYMENT, CONFIG_MAP, NMSTATE_CONFIG, SECRET
from ...hub.namespaces import namespace_exists
from ...kube.client import KubeClient
from ...kube.faults import ForbiddenError
from ...kube.resource import Resource
from ...kube.write import MANAGED_BY, OURS
from ..names import CLUSTER_NAME_LABEL
from ..objects import Object, labels_of, text
from .kinds import AssistedKinds

Key = tuple[str, str]  # kind and name
# States of a cluster of assisted-service in which the number of its hosts may still change, or may change again
# (openshift-assisted/cluster-api-provider-openshift-assisted bootstrap/internal/controller, the gate for workers). In
# state ready upstream counts new workers and holds their configs back, so that the installation never starts.
OPEN_STATES = ("", "pending-for-input", "insufficient", "adding-hosts")
INSTALLED_STATES = ("installed", "adding-hosts")


@dataclasses.dataclass(frozen=True)
class ObservedControlPlane:
    """``objects`` are those of the kinds that this collection writes; machines and sets only those of the cluster.

    ``elsewhere`` are objects of other namespaces that the providers would confuse with this cluster's. ``unread`` names
    what could not be read.
    """

    namespace: bool | None = True
    objects: Mapping[Key, Object] = dataclasses.field(default_factory=dict, repr=False)
    machines: tuple[Object, ...] = ()
    sets: tuple[Object, ...] = ()
    control_planes: tuple[Object, ...] = ()
    install: Object | None = None
    bare_metal_hosts: Mapping[str, Object] = dataclasses.field(default_factory=dict, repr=False)
    elsewhere: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def get(self, resource: Resource, name: str) -> Object | None:
        return self.objects.get((resource.kind, name))

    def of_kind(self, resource: Resource) -> list[Object]:
        return [
            item
            for (kind, _name), item in sorted(self.objects.items(), key=lambda entry: entry[0])
            if kind == resource.kind
        ]

    @property
    def state(self) -> str:
        """assisted-service's state of the cluster; empty before there is one."""
        return text(self.install, "status", "debugInfo", "state")

    @property
    def installed(self) -> bool:
        return self.state in INSTALLED_STATES


def observe(
    client: KubeClient,
    kinds: AssistedKinds,
    namespace: str,
    name: str,
    references: Iterable[Key] = (),
    *,
    forks: int = 8,
) -> ObservedControlPlane:
    """Everything that the plan compares. ``references`` are Secrets and ConfigMaps of the user."""
    ours = f"{MANAGED_BY}={OURS}"
    metal3 = (
        (kinds.metal3_cluster, kinds.metal3_machine_template, kinds.metal3_data_template)
        if kinds.metal3_version
        else ()
    )
    lists: list[tuple[Resource, str]] = [
        (each, "") for each in (kinds.core.machine_deployment, kinds.config_template, *metal3)
    ]
    lists += [(each, "") for each in (kinds.core.machine, kinds.core.machine_set)]
    lists += [(each, ours) for each in (SECRET, CONFIG_MAP)]
    lists += [(each, "") for each in (BARE_METAL_HOST, NMSTATE_CONFIG) if kinds.metal3_version]
    found: dict[Resource, list[Object]] = {}
    single: dict[str, Any] = {}
    unread: list[str] = []

    def read_list(resource: Resource, selector: str) -> Callable[[], None]:
        return lambda: found.update({resource: client.list(resource.path(namespace), label_selector=selector)})

    def read_one(key: str, resource: Resource, of: str) -> Callable[[], None]:
        return lambda: single.update({key: client.find(resource.path(namespace, of))})

    def read_everywhere(key: str, resource: Resource, selector: str) -> Callable[[], None]:
        def read() -> None:
            try:
                single[key] = client.list(resource.path(), label_selector=selector)
            except ForbiddenError:
                unread.append(f"not checked: {resource.plural} of other namespaces, which this user may not list")
                single[key] = client.list(resource.path(namespace), label_selector=selector)

        return read

    reads = [read_list(*each) for each in lists]
    reads += [read_one("cluster", kinds.core.cluster, name), read_one("install", AGENT_CLUSTER_INSTALL, name)]
    reads += [
        read_everywhere("planes", kinds.control_plane, ""),
        read_everywhere("deployments", CLUSTER_DEPLOYMENT, f"{CLUSTER_NAME_LABEL}={name}"),
    ]
    wanted = [(key, SECRET if key[0] == SECRET.kind else CONFIG_MAP) for key in dict.fromkeys(references)]
    reads += [read_one(f"{kind}/{of}", resource, of) for (kind, of), resource in wanted]
    for outcome in for_each(reads, lambda read: read(), forks):
        if outcome.error is not None:
            raise outcome.error
    objects = {
        (resource.kind, str(item["metadata"]["name"])): item for resource, items in found.items() for item in items
    }
    objects |= {
        key: single[f"{key[0]}/{key[1]}"] for key, _resource in wanted if single[f"{key[0]}/{key[1]}"] is not None
    }
    planes = [item for item in single["planes"] if item["metadata"].get("namespace") == namespace]
    objects |= {(kinds.control_plane.kind, str(item["metadata"]["name"])): item for item in planes}
    if single["cluster"] is not None:
        objects[kinds.core.cluster.kind, name] = single["cluster"]

    def of_cluster(resource: Resource) -> tuple[Object, ...]:
        return tuple(
            item
            for item in found[resource]
            if name in (text(item, "spec", "clusterName"), labels_of(item).get(CLUSTER_NAME_LABEL))
        )

    return ObservedControlPlane(
        namespace=True if single["cluster"] is not None else namespace_exists(client, namespace),
        objects=objects,
        machines=of_cluster(kinds.core.machine),
        sets=of_cluster(kinds.core.machine_set),
        control_planes=tuple(planes),
        install=single["install"],
        bare_metal_hosts={str(item["metadata"]["name"]): item for item in found.get(BARE_METAL_HOST, ())},
        elsewhere=tuple(_elsewhere(namespace, name, kinds, single["planes"], single["deployments"])),
        unread=tuple(unread),
    )


def _elsewhere(
    namespace: str, name: str, kinds: AssistedKinds, planes: Iterable[Object], deployments: Iterable[Object]
) -> Iterable[str]:
    for resource, items in ((kinds.control_plane, planes), (CLUSTER_DEPLOYMENT, deployments)):
        for item in items:
            where, own = str(item["metadata"].get("namespace") or ""), str(item["metadata"]["name"])
            if where != namespace and name in (own, labels_of(item).get(CLUSTER_NAME_LABEL)):
                yield f"{resource.kind} {where}/{own}"
