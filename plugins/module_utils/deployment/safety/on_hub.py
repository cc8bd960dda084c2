# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Collect evidence from a hub: Agents in any of its namespaces, and BareMetalHosts.

Kinds that the user of the hub may not list are reported as not checked.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ...bmc.address import system_path
from ...capi.assisted.names import CLUSTER_LABEL as CAPI_CLUSTER_LABEL
from ...capi.names import CLUSTER_NAME_LABEL
from ...cluster.host_identity import Identity, normal_address
from ...cluster.host_states import BUSY, FAILED, INSTALLED, LEAVING, NEEDS_DISCOVERY, UNBOUND
from ...common.addresses import canonical_ip, normal_mac
from ...common.errors import ZeroTouchError
from ...hub.agents.match import match_hosts
from ...hub.agents.model import INFRA_ENV_LABEL, Agent, ClusterRef, read_agents, without_bulk
from ...hub.agents.request import AgentHostRequest
from ...hub.install.status import InstallStatus, read_status
from ...hub.kinds import AGENT, AGENT_CLUSTER_INSTALL, BARE_METAL_HOST
from ...kube.client import KubeClient, Object
from ...kube.faults import ForbiddenError
from ...kube.resource import Resource
from ...kube.write import is_ours
from ..supervise.observation import InventoryHost
from .evidence import Evidence
from .nodes import same_uuid
from .table import COLUMNS, Action


@dataclasses.dataclass(frozen=True)
class HubScope:
    """What on the hub belongs to this deployment: a cluster, or the namespaces in which its clusters are; the InfraEnv
    of its hosts, empty where it has none.

    ``capi``: the cluster is one of Cluster API, and its BareMetalHosts have its label. ``hosted_cluster`` is the
    HostedCluster of method hosted.
    """

    namespace: str
    cluster: ClusterRef | None = None
    namespaces: frozenset[str] = frozenset()
    infra_env: str = ""
    capi: bool = False
    hosted_cluster: ClusterRef | None = None

    def owns(self, reference: ClusterRef) -> bool:
        return reference == self.cluster or reference.namespace in self.namespaces

    def supplies(self, agent: Agent) -> bool:
        """Whether a free Agent is one for this deployment: of its InfraEnv."""
        return bool(self.infra_env) and agent.namespace == self.namespace and agent.infra_env in ("", self.infra_env)


@dataclasses.dataclass(frozen=True)
class HubEvidence:
    """``status`` is that of the deployment's cluster, None without one; ``not_checked`` says what could not be
    listed.
    """

    agents: tuple[Agent, ...] = ()
    bare_metal_hosts: tuple[Object, ...] = ()
    status: InstallStatus | None = None
    not_checked: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class WantedHost:
    """A host as it is looked for on the hub: ``described`` is by what the user says that its Agent is recognised,
    ``uuid`` what its BMC says.
    """

    host: InventoryHost
    described: Identity = dataclasses.field(default_factory=Identity)
    bmc_address: str = ""
    uuid: str = ""

    def identity(self, agents: Sequence[Agent], scope: HubScope) -> Identity:
        """All that identifies it.

        An Agent is called as the System UUID that the machine's firmware shows, which may have another byte order.
        """
        macs = tuple(dict.fromkeys([*(normal_mac(mac) for mac in self.host.macs), *self.described.macs]))
        uuid = self.described.system_uuid or next(
            (agent.system_uuid for agent in agents if same_uuid(self.uuid, agent.system_uuid)), ""
        )
        return dataclasses.replace(
            self.described, macs=macs, system_uuid=uuid, hostname=self.host.node_name, cluster=scope.cluster
        )


def view_hub(hub: KubeClient, scope: HubScope) -> HubEvidence:
    """Agents and BareMetalHosts of all namespaces, of one where the caller may not list all, and how far the
    deployment's cluster is.

    Raises :class:`ZeroTouchError` for a hub that fails.
    """
    missing: list[str] = []
    agents = _list(hub, AGENT, scope.namespace, missing, trim=without_bulk)
    hosts = _list(hub, BARE_METAL_HOST, scope.namespace, missing)
    install = (
        hub.find(AGENT_CLUSTER_INSTALL.path(scope.cluster.namespace, scope.cluster.name)) if scope.cluster else None
    )
    return HubEvidence(
        tuple(read_agents(agents)), tuple(hosts), read_status(install) if install else None, tuple(missing)
    )


def _list(
    hub: KubeClient,
    resource: Resource,
    namespace: str,
    missing: list[str],
    trim: Callable[[Mapping[str, Any]], Object] = dict,
) -> Sequence[Object]:
    for where in ("", namespace):
        try:
            return hub.list(resource.path(where), trim=trim)
        except ForbiddenError:
            place = f"namespace {where}" if where else "other namespaces of the hub"
            missing.append(f"{resource.plural} of {place}: the hub's user may not list them")
        except ZeroTouchError as error:
            if getattr(error, "status", 0) == 404:  # a hub without metal3 has no BareMetalHosts
                return ()
            raise
    if resource == AGENT:
        raise ZeroTouchError(
            f"Agents of namespace {namespace} cannot be listed: the hub's user may not.",
            "Give it the rules in docs/rbac.",
        )
    return ()


def of_hub(
    evidence: Mapping[str, Evidence], hosts: Sequence[WantedHost], view: HubEvidence, scope: HubScope, action: Action
) -> dict[str, Evidence]:
    """``evidence`` by host name with what the hub says."""
    requests = [AgentHostRequest(wanted.host.name, wanted.identity(view.agents, scope)) for wanted in hosts]
    matches = match_hosts(requests, view.agents)
    found = dict(evidence)
    for wanted in hosts:
        name, match = wanted.host.name, matches[wanted.host.name]
        of_host = found[name]
        for agent in (match.agent, *match.superseded):
            # An earlier registration says only whose the machine is: it runs what the newest one says.
            if agent is not None and (agent is match.agent or _is_elsewhere(agent, scope)):
                of_host = of_agent(of_host, agent, scope)
        if match.status == "ambiguous":
            of_host = of_host.also(
                unknown=f"which Agent belongs to it cannot be decided: {match.reason}", recorded=True
            )
        bound = match.agent is not None and match.agent.cluster is not None
        of_host = _of_failed(of_host, view, scope, concerned=bound or COLUMNS[action] == "boot")
        for obj in view.bare_metal_hosts:
            of_host = _of_bare_metal_host(of_host, wanted.host, wanted.bmc_address, obj, scope)
        found[name] = of_host
    return found


def of_agent(evidence: Evidence, agent: Agent, scope: HubScope) -> Evidence:
    """What the Agent of a host says about it."""
    state = agent.state or "not known to the service yet"
    says = f"{agent.title} is {state}"
    if _is_elsewhere(agent, scope):
        return evidence.also(other_cluster=f"{agent.title} is bound to cluster {agent.cluster}")
    silent = not agent.connected
    if agent.cluster is None and not scope.supplies(agent):
        if silent:
            return evidence.also(disconnected=f"{says}, and its Agent is disconnected")
        return evidence.also(
            elsewhere=(
                f"{agent.title} is free in InfraEnv {agent.namespace}/{agent.infra_env}, which is not the one of this "
                "deployment"
            )
        )
    evidence = evidence.also(recorded=True)
    if agent.state in INSTALLED:
        return evidence.also(installed=says)
    if agent.state in BUSY:
        # A host that joins an installed cluster can be removed during its installation. A host of a new cluster cannot.
        return (
            evidence.also(registered=f"{says}, joining an installed cluster")
            if agent.day_2
            else evidence.also(installing=says)
        )
    if agent.state in FAILED:
        state_info = agent.state_info or "no reason given"
        why = f"{says}: {state_info}"
        # A host that could not join a cluster that is installed: the cluster has not failed, and goes on without it.
        return evidence.also(registered=why) if agent.day_2 else evidence.also(failed=why)
    if agent.state == NEEDS_DISCOVERY:
        return evidence.also(released=says, leaving=True)
    if agent.state in LEAVING:
        return evidence.also(registered=f"{says}, leaving its cluster", leaving=True)
    if silent:
        # Bound or not: unless this deployment booted it (row 11), what its machine runs by now is not known.
        text = f"{says}, and its Agent is disconnected"
        return (
            evidence.also(due=True)
            if evidence.booted and agent.cluster is not None
            else evidence.also(disconnected=text)
        )
    if agent.state in UNBOUND and agent.cluster is None:
        return evidence.also(free=says)
    return evidence.also(registered=says)


def _is_elsewhere(agent: Agent, scope: HubScope) -> bool:
    return agent.cluster is not None and not scope.owns(agent.cluster)


def _of_failed(evidence: Evidence, view: HubEvidence, scope: HubScope, *, concerned: bool) -> Evidence:
    """An installation that failed, or was cancelled, holds for the hosts that are bound to its cluster, and for those
    that would be.
    """
    status = view.status
    if not concerned or status is None or status.phase not in ("failed", "cancelled"):
        return evidence
    return evidence.also(failed=f"the installation of cluster {scope.cluster} on the hub has ended: {status.text()}")


def _of_bare_metal_host(
    evidence: Evidence, host: InventoryHost, address: str, obj: Object, scope: HubScope
) -> Evidence:
    title = describe_bare_metal_host(host, address, obj)
    if not title:
        return evidence
    if not is_own_bare_metal_host(obj, scope):
        return evidence.also(foreign_bare_metal_host=title)
    labels = (obj.get("metadata") or {}).get("labels") or {}
    if (used_by := labels.get(CLUSTER_NAME_LABEL)) and scope.cluster is not None and used_by != scope.cluster.name:
        return evidence.also(other_cluster=f"{title}, which a Machine of cluster {scope.namespace}/{used_by} uses")
    return evidence.also(own_bare_metal_host=title)


def is_own_bare_metal_host(obj: Object, scope: HubScope) -> bool:
    """Other deployments create BareMetalHosts with this collection, too: the Cluster of Cluster API or the InfraEnv
    says whose they are.
    """
    metadata = obj.get("metadata") or {}
    labels = metadata.get("labels") or {}
    if metadata.get("namespace") != scope.namespace:
        return False
    if scope.capi or labels.get(CAPI_CLUSTER_LABEL):
        return scope.capi and scope.cluster is not None and _is_of_cluster(obj, labels, scope.cluster.name)
    infra_env = str(labels.get(INFRA_ENV_LABEL) or "")
    return infra_env == scope.infra_env if infra_env else is_ours(obj)


def _is_of_cluster(obj: Object, labels: Mapping[str, str], cluster: str) -> bool:
    """Created for the Cluster by this collection, or of the user and used by a Machine of the Cluster
    (metal3-io/cluster-api-provider-metal3 baremetal/metal3machine_manager.go sets the label with the consumer).
    """
    created_for = labels.get(CAPI_CLUSTER_LABEL)
    if created_for or not (obj.get("spec") or {}).get("consumerRef"):
        return created_for == cluster and is_ours(obj)
    return labels.get(CLUSTER_NAME_LABEL) == cluster


def describe_bare_metal_host(host: InventoryHost, address: str, obj: Object) -> str:
    """That this BareMetalHost is the host's, and how that is known; empty when it is another machine's."""
    spec, metadata = obj.get("spec") or {}, obj.get("metadata") or {}
    at_bmc = bool(address) and same_bmc(str((spec.get("bmc") or {}).get("address") or ""), address)
    if not at_bmc and boot_mac(obj) not in {normal_mac(mac) for mac in host.macs}:
        return ""
    address_kind = "BMC address" if at_bmc else "MAC address"
    return f"BareMetalHost {metadata.get('namespace')}/{metadata.get('name')} has its {address_kind}"


def boot_mac(obj: Object) -> str:
    """The MAC address of a BareMetalHost; empty if it has none."""
    return normal_mac(str((obj.get("spec") or {}).get("bootMACAddress") or ""))


def same_bmc(one: str, other: str) -> bool:
    """Whether two BMC addresses lead to one machine: the same host, and the same System where both name one.

    Drivers differ in schemes only.
    """
    first, second = _place(one), _place(other)
    return bool(first[0]) and first[0] == second[0] and (not first[1] or not second[1] or first[1] == second[1])


def _place(address: str) -> tuple[str, str]:
    try:
        parts = urlsplit("//" + address.partition("://")[2]) if "://" in address else urlsplit("//" + address)
        name = canonical_ip(normal_address(parts.hostname or "")).rstrip(".")
        return name, system_path(parts.path).lower()
    except ValueError:
        return "", ""
