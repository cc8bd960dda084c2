# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read a hub's Agents, the installation of a cluster and its Nodes, and return the next step of each host, for module
``hub_plan``. Changes nothing.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...common.connect import ConnectTo
from ...common.errors import ZeroTouchError
from ...common.state import StateFile
from ...hub.agents.clusters import read_infra_env
from ...hub.agents.match import Match, match_hosts
from ...hub.agents.model import ClusterRef, read_agent
from ...hub.agents.options import HUB_SECTION, UNHEARD
from ...hub.agents.request import host_requests
from ...hub.install.status import InstallStatus, read_status
from ...hub.kinds import AGENT, AGENT_CLUSTER_INSTALL, CLUSTER_DEPLOYMENT, INFRA_ENV, NODE, SECRET
from ...kube.client import KubeClient
from ...kube.faults import ForbiddenError
from ...kube.remote_config import resolve_remote
from ..stop_reason import message_of
from .resume import HubDecision, HubView, Purpose, decide_hosts

# Seconds for an answer of the spoke cluster.
_TIMEOUT = 10.0


def spoke_client(hub: KubeClient, cluster: ClusterRef, *, connect_to: ConnectTo, **options: Any) -> KubeClient:
    """A client of an installed cluster, with the kubeconfig that the hub keeps.

    Raises :class:`ZeroTouchError` when the hub has none.

    Source: openshift/assisted-service internal/controller/controllers/agent_controller.go.
    """
    deployment = hub.find(CLUSTER_DEPLOYMENT.path(cluster.namespace, cluster.name)) or {}
    metadata = (deployment.get("spec") or {}).get("clusterMetadata") or {}
    name = str((metadata.get("adminKubeconfigSecretRef") or {}).get("name") or f"{cluster.name}-admin-kubeconfig")
    secret = hub.find(SECRET.path(cluster.namespace, name))
    data = ((secret or {}).get("data") or {}).get("kubeconfig")
    if not data:
        raise ZeroTouchError(f"the hub has no Secret {cluster.namespace}/{name} with a kubeconfig.")
    try:
        kubeconfig = base64.b64decode(str(data))
    except ValueError as error:
        raise ZeroTouchError(f"the hub's Secret {cluster.namespace}/{name} holds no readable kubeconfig.") from error
    config = resolve_remote(kubeconfig, f"kubeconfig in the hub's Secret {cluster.namespace}/{name}")
    return KubeClient(config, connect_to=connect_to, service=f"API of {cluster}", timeout=_TIMEOUT, **options)


def view_hub(hub: KubeClient, cluster: ClusterRef | None, *, connect_to: ConnectTo) -> HubView:
    """The cluster as the hub knows it, and its Nodes where it is installed."""
    if cluster is None:
        return HubView()
    title = f"Cluster {cluster}"
    found = hub.find(AGENT_CLUSTER_INSTALL.path(cluster.namespace, cluster.name))
    if found is None:
        return HubView(title, reference=cluster)
    status = read_status(found)
    if status.phase != "installed":
        return HubView(title, status, reference=cluster)
    try:
        spoke = spoke_client(hub, cluster, connect_to=connect_to)
        try:
            names = frozenset(str(node["metadata"]["name"]).lower() for node in spoke.list(NODE.path()))
        finally:
            spoke.close()
    except ZeroTouchError:
        return HubView(title, status, None, reference=cluster)  # evidence says why, and what follows from it
    return HubView(title, status, names, reference=cluster)


def match_agents(
    hub: KubeClient, namespace: str, hosts: Sequence[Mapping[str, Any]], cluster: ClusterRef | None = None
) -> list[Match]:
    """Which Agent is which of the hosts, in order; ``hosts`` as the module ``agents`` takes them, ``cluster`` the one
    that they are meant for.
    """
    requests = host_requests(hosts, namespace)
    agents = [read_agent(item) for item in hub.list(AGENT.path(namespace))]
    meant = [
        dataclasses.replace(each, identity=dataclasses.replace(each.identity, cluster=cluster))
        if cluster is not None and each.cluster is None
        else each
        for each in requests
    ]
    found = match_hosts(meant, agents)
    return [found[str(host["name"])] for host in hosts]


def _early(hub: KubeClient, namespace: str) -> frozenset[str]:
    """Names of the InfraEnvs that have a cluster; the module that unbinds reports a missing right to read them."""
    try:
        found = [read_infra_env(item) for item in hub.list(INFRA_ENV.path(namespace))]
    except ForbiddenError:
        return frozenset()
    return frozenset(facts.name for facts in found if facts.cluster is not None)


def _missing(hub: KubeClient, cluster: ClusterRef) -> str:
    """That there is no such cluster, in words; empty when there is one, or where the caller may not look."""
    try:
        if hub.find(CLUSTER_DEPLOYMENT.path(cluster.namespace, cluster.name)) is not None:
            return ""
    except ForbiddenError:
        return ""
    return (
        f"{hub.server} has no ClusterDeployment {cluster}, so that the hosts could not be bound to it. Nothing was "
        "done. Deploy the cluster first "
        "(deploy_cluster), correct openshift_cluster.name and openshift_hub.namespace, or set openshift_hub.binding: "
        "none for hosts without a cluster."
    )


def observe_and_decide(
    hub: KubeClient,
    namespace: str,
    hosts: Sequence[Mapping[str, Any]],
    *,
    cluster: ClusterRef | None,
    connect_to: ConnectTo,
    purpose: Purpose,
    force: Sequence[str] = (),
    state_file: str = "",
    infra_env: str = "",
    binds: bool = False,
) -> tuple[HubView, HubDecision]:
    """The hub as it is, and what each host needs.

    Agents of all InfraEnvs are read: a host may have registered through another one than ``infra_env``.

    ``state_file`` is that of the deployment, where earlier runs remember hosts that they waited for in vain.
    """
    in_vain = StateFile(Path(state_file)).section(HUB_SECTION).get(UNHEARD, ()) if state_file else ()
    view = dataclasses.replace(view_hub(hub, cluster, connect_to=connect_to), infra_env=infra_env)
    if binds and cluster is not None and purpose == "add":
        view = dataclasses.replace(view, missing=_missing(hub, cluster))
    if purpose == "reprovision":
        view = dataclasses.replace(view, early=_early(hub, namespace))
    nodes = {str(host["name"]): str(host.get("hostname") or host["name"]).lower() for host in hosts}
    return view, decide_hosts(
        view,
        match_agents(hub, namespace, hosts, cluster),
        nodes.__getitem__,
        purpose=purpose,
        force=force,
        in_vain=in_vain,
    )


def describe(view: HubView, decision: HubDecision) -> dict[str, Any]:
    """The module's result."""
    status = view.status or InstallStatus()
    return {
        "phase": status.phase if view.status else "",
        "reason": status.reason,
        "hosts": [host.row("name", "action", "reason", "agent", "state") for host in decision.hosts],
        "boot_hosts": decision.boot_hosts,
        "touch_hosts": decision.touch_hosts,
        "forced_hosts": decision.forced_hosts,
        "stop": message_of(decision.stop),
        "nodes": sorted(view.nodes or ()),
    }
