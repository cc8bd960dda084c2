# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find out whether the cluster that a run would delete from a hub is the cluster of this deployment.

Two hubs can have a cluster of the same name, both created by this collection. The recorded UID proves that it is the
cluster of this deployment; without the UID, the machines of its Agents and BareMetalHosts do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...capi.assisted.kinds import CONTROL_PLANE_GROUP, CONTROL_PLANE_VERSIONS, AssistedKinds
from ...capi.kinds import CORE_GROUP, CORE_VERSIONS, CoreKinds, served_versions
from ...common.addresses import normal_mac
from ...common.listed import listed
from ...hub.agents.match import match_hosts
from ...hub.agents.model import Agent, ClusterRef
from ...hub.agents.request import AgentHostRequest
from ...hub.created import created_uid
from ...hub.kinds import AGENT_CLUSTER_INSTALL, CLUSTER_DEPLOYMENT
from ...hypershift.kinds import HOSTED_CLUSTER
from ...hypershift.names import control_plane_namespace
from ...hypershift.node_pool.view import find_hypershift
from ...kube.client import KubeClient, Object
from ...kube.faults import UnknownKindError
from ...kube.resource import Resource
from ...kube.write import is_ours
from ..state.work_dir import inventory_host
from .evidence import Evidence
from .on_hub import HubEvidence, WantedHost, boot_mac, is_own_bare_metal_host
from .options import Touch
from .record import TouchRecord

_MOST = 5


def of_deleted_cluster(
    hub: KubeClient, view: HubEvidence, touch: Touch, wanted: Sequence[WantedHost], record: TouchRecord
) -> dict[str, Evidence]:
    """Why the cluster must not be deleted, by its title; empty if it may be, or if there is none.

    ``wanted`` are the hosts of this run; those of the inventory are added.
    """
    found = _find(hub, touch)
    if found is None:
        return {}
    title, cluster = found
    created, replaced = created_uid(record.state, title), _replaced(title, cluster, record)
    if created and not replaced:
        return {}
    members, foreign = _members(view, touch, wanted, record)
    text = ""
    if created:
        # A hub that was restored from a backup has the objects with other UIDs.
        if foreign or not members:
            text = replaced
    # A pool takes any free Agent of its InfraEnv: one host of the inventory proves a hosted cluster.
    elif foreign and (touch.method != "hosted" or len(foreign) == len(members)):
        text = _foreign_text(foreign)
    return {f"{title} on hub {hub.server}": Evidence(other_deployment=text)} if text else {}


def _members(
    view: HubEvidence, touch: Touch, wanted: Sequence[WantedHost], record: TouchRecord
) -> tuple[list[str], list[str]]:
    """Titles of what the hub has of the machines of the cluster; and of those that are no machines of this
    deployment.
    """
    binds = _binding(touch)
    agents = [agent for agent in view.agents if not agent.deleting]
    bound = [agent for agent in agents if agent.cluster is not None and binds(agent.cluster)]
    if touch.method != "capi":
        known = _known(view.agents, touch, wanted, record)
        return [each.title for each in bound], [each.title for each in bound if each.key not in known]
    # The hosts of a run that deletes are named by the hub: they prove nothing.
    macs = known_macs(touch, record)
    hosts = [
        item
        for item in view.bare_metal_hosts
        if not item["metadata"].get("deletionTimestamp") and is_own_bare_metal_host(item, touch.scope)
    ]
    foreign = [_title(item) for item in hosts if not _is_known_host(item, touch, record)]
    foreign += [agent.title for agent in bound if not macs & set(agent.macs)]
    return [*map(_title, hosts), *(agent.title for agent in bound)], foreign


def known_macs(touch: Touch, record: TouchRecord) -> frozenset[str]:
    """MAC addresses of the hosts of the inventory, and of the machines that the work directory records."""
    described = (mac for host in touch.hosts for mac in (*host.macs, *touch.identity(host.name).macs))
    return frozenset(normal_mac(mac) for mac in (*described, *record.macs))


def _is_known_host(item: Object, touch: Touch, record: TouchRecord) -> bool:
    """Whether a BareMetalHost is a host of this deployment: by its MAC address; by its name only if it has none."""
    if mac := boot_mac(item):
        return mac in known_macs(touch, record)
    name = str(item["metadata"]["name"])
    return any(host.name == name for host in touch.hosts) or record.has(inventory_host({"name": name}))


def _title(host: Object) -> str:
    return f"BareMetalHost {host['metadata'].get('namespace')}/{host['metadata']['name']}"


def other_cluster_of_hub(hub: KubeClient, touch: Touch, record: TouchRecord) -> str:
    """That the cluster of this name on the hub is not the one that this deployment created; empty if nothing proves
    that.
    """
    found = _find(hub, touch)
    replaced = _replaced(*found, record) if found is not None else ""
    return f"{found[0]}: {replaced}" if found is not None and replaced else ""


def _replaced(title: str, cluster: Object, record: TouchRecord) -> str:
    uid, created = str(cluster["metadata"].get("uid") or ""), created_uid(record.state, title)
    return f"it has UID {uid}, but this deployment created it with UID {created}" if created not in ("", uid) else ""


def _foreign_text(titles: Sequence[str]) -> str:
    names = listed(titles, _MOST)
    if len(titles) == 1:
        return f"{names} is bound to it, and is no host of this inventory"
    return f"{names} are bound to it, and are no hosts of this inventory"


def _find(hub: KubeClient, touch: Touch) -> tuple[str, Object] | None:
    """The object that would be deleted, with its title."""
    if touch.method == "hosted" and touch.scope.hosted_cluster is not None:
        reference = touch.scope.hosted_cluster
        found = find_hypershift(hub, HOSTED_CLUSTER.path(reference.namespace, reference.name))
        return _deletable(HOSTED_CLUSTER, reference, found)
    if touch.method not in ("hub", "capi") or touch.scope.cluster is None:
        return None
    reference = touch.scope.cluster
    kinds = (CLUSTER_DEPLOYMENT, AGENT_CLUSTER_INSTALL) if touch.method == "hub" else _capi_kinds(hub)
    for kind in kinds:
        try:
            found = hub.find(kind.path(reference.namespace, reference.name))
        except UnknownKindError:
            # Other providers of Cluster API serve this group, too.
            if kind.group == CONTROL_PLANE_GROUP:
                continue
            raise
        if found is not None:
            return _deletable(kind, reference, found)
    return None


def _capi_kinds(hub: KubeClient) -> list[Resource]:
    """The kinds of Cluster API whose deletion ends a cluster, in versions that the hub serves; empty without Cluster
    API.
    """
    core, planes = served_versions(hub, CORE_GROUP), served_versions(hub, CONTROL_PLANE_GROUP)
    clusters = [CoreKinds(version).cluster for version in CORE_VERSIONS if version in core]
    served = [version for version in CONTROL_PLANE_VERSIONS if version in planes]
    return [*clusters[:1], *(AssistedKinds(control_plane_version=version).control_plane for version in served)]


def _deletable(kind: Resource, reference: ClusterRef, found: Object | None) -> tuple[str, Object] | None:
    """One of another tool is never deleted; one that is being deleted has been decided about."""
    if found is None or not is_ours(found) or found["metadata"].get("deletionTimestamp"):
        return None
    return f"{kind.kind} {reference}", found


def _binding(touch: Touch) -> Callable[[ClusterRef], bool]:
    """Whether an Agent that is bound to this ClusterDeployment is one of the cluster."""
    hosted = touch.scope.hosted_cluster
    if touch.method == "hosted" and hosted is not None:
        # The provider of HyperShift binds them to a ClusterDeployment beside the control plane.
        plane = control_plane_namespace(hosted.namespace, hosted.name)
        return lambda reference: reference.namespace == plane
    return lambda reference: reference == touch.scope.cluster


def _known(agents: Sequence[Agent], touch: Touch, wanted: Sequence[WantedHost], record: TouchRecord) -> set[Any]:
    """Keys of the Agents that are hosts of the inventory, or machines that the work directory records."""
    listed_names = {each.host.name for each in wanted}
    rest = [WantedHost(host, touch.identity(host.name)) for host in touch.hosts if host.name not in listed_names]
    requests = [AgentHostRequest(each.host.name, each.identity(agents, touch.scope)) for each in (*wanted, *rest)]
    matched = {
        agent.key
        for match in match_hosts(requests, agents).values()
        for agent in (match.agent, *match.superseded, *match.candidates)
        if agent is not None
    }
    recorded = {normal_mac(mac) for mac in record.macs}
    return matched | {agent.key for agent in agents if recorded & set(agent.macs)}
