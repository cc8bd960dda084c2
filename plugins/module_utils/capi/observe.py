# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read all objects that one reconcile pass needs: one LIST for each kind, and a GET for each object that is only
referenced.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from ..common.errors import RemoteError
from ..common.parallel import for_each
from ..hub.agents.model import Agent, read_agent, read_agents, without_bulk
from ..hub.kinds import AGENT, AGENT_CLUSTER_INSTALL, CLUSTER_DEPLOYMENT, SECRET
from ..kube.client import KubeClient, KubeReader
from .cluster.plan import AgentClusterView, ControlPlane, read_control_plane
from .kinds import AGENT_CLUSTER, AGENT_MACHINE, CoreKinds, ServedFields, core_kinds, referenced_resource, served_fields
from .machine_view import data_secret
from .names import CLUSTER_LABEL, CLUSTER_NAME_LABEL, token_secret
from .objects import Key, Object, core_owner, deleting, key_of, labels_of, part, paused, text

# Secrets that are read at the same time.
_FORKS = 8


@dataclasses.dataclass(frozen=True)
class Scope:
    """The objects of ``namespace``, of one ``cluster`` (name of the Cluster; empty: of all), and the Agents of
    ``agent_namespace`` (empty: of all).
    """

    namespace: str
    cluster: str = ""
    agent_namespace: str = ""


@dataclasses.dataclass(frozen=True)
class Api:
    """What is found out once about an API: versions that it serves, fields that its schemas have."""

    core: CoreKinds
    fields: ServedFields = dataclasses.field(default_factory=ServedFields)


@dataclasses.dataclass(frozen=True)
class ObservedScope:
    """``clusters`` and ``machines`` are by name, ``views`` by name of the AgentCluster.

    ``referenced`` has Agents that a status names and the list has not (None: gone); ``unreadable`` says of which we may
    not know. ``secrets`` are by (namespace, name), None where there is none.
    """

    api: Api
    scope: Scope
    clusters: Mapping[str, Object]
    views: Mapping[str, AgentClusterView]
    machines: Mapping[str, Object]
    agent_machines: tuple[Object, ...]
    agents: tuple[Agent, ...]
    referenced: Mapping[Key, Agent | None] = dataclasses.field(default_factory=dict)
    unreadable: Mapping[Key, str] = dataclasses.field(default_factory=dict)
    secrets: Mapping[Key, Object | None] = dataclasses.field(default_factory=dict, repr=False)


def discover(client: KubeClient) -> Api:
    """Raises :class:`ZeroTouchError` where there is no Cluster API."""
    return Api(core_kinds(client), served_fields(client))


def observe(client: KubeReader, api: Api, scope: Scope) -> ObservedScope:
    """Read it all. Raises what the API answers; only Agents of a namespace that we may not read are left open."""
    core = api.core
    clusters = {key_of(item)[1]: item for item in client.list(core.cluster.path(scope.namespace), trim=_slim)}
    machines = {key_of(item)[1]: item for item in client.list(core.machine.path(scope.namespace), trim=_slim)}
    all_agent_machines = client.list(AGENT_MACHINE.path(scope.namespace), trim=_slim)
    agent_machines = tuple(item for item in all_agent_machines if _concerns(item, machines, scope.cluster))
    agents = tuple(read_agents(client.list(AGENT.path(scope.agent_namespace), trim=without_bulk)))
    referenced, unreadable = _referenced(client, agent_machines, {agent.key for agent in agents})
    return ObservedScope(
        api=api,
        scope=scope,
        clusters=clusters,
        views=dict(_cluster_views(client, api, scope, clusters)),
        machines=machines,
        agent_machines=agent_machines,
        agents=agents,
        referenced=referenced,
        unreadable=unreadable,
        secrets=_bootstrap_secrets(
            client, scope.namespace, [machines[name] for name in _owners(agent_machines) if name in machines]
        ),
    )


def _owners(agent_machines: Iterable[Object]) -> set[str]:
    return {core_owner(item, "Machine") for item in agent_machines}


def _slim(obj: Object) -> Object:
    return {**obj, "metadata": {key: value for key, value in obj["metadata"].items() if key != "managedFields"}}


def _concerns(agent_machine: Object, machines: Mapping[str, Object], cluster: str) -> bool:
    if not cluster:
        return True
    own = labels_of(agent_machine).get(CLUSTER_NAME_LABEL)
    return (labels_of(machines.get(core_owner(agent_machine, "Machine"))).get(CLUSTER_NAME_LABEL) or own) == cluster


def _referenced(
    client: KubeReader, agent_machines: Iterable[Object], known: set[Key]
) -> tuple[dict[Key, Agent | None], dict[Key, str]]:
    """Agents that the list does not have: those of another namespace, and those that are gone."""
    found: dict[Key, Agent | None] = {}
    unreadable: dict[Key, str] = {}
    for item in agent_machines:
        reference = part(item, "status", "agentRef")
        key = (str(reference.get("namespace") or ""), str(reference.get("name") or ""))
        if not key[1] or key in known or key in found:
            continue
        try:
            agent = client.find(AGENT.path(*key))
        except RemoteError as error:
            if error.status != 403:
                raise
            unreadable[key] = f"its Agent {'/'.join(key)} cannot be read. {error}"
            continue
        found[key] = None if agent is None else read_agent(agent)
    return found, unreadable


def _bootstrap_secrets(client: KubeReader, namespace: str, machines: Iterable[Object]) -> dict[Key, Object | None]:
    named = sorted({data_secret(machine) for machine in machines if not deleting(machine)} - {""})
    names = [name for each in named for name in (each, token_secret(each))]
    found = for_each(names, lambda name: client.find(SECRET.path(namespace, name)), _FORKS)
    for outcome in found:
        if outcome.error is not None:
            raise outcome.error
    return {(namespace, outcome.item): outcome.result for outcome in found}


def _cluster_views(
    client: KubeReader, api: Api, scope: Scope, clusters: Mapping[str, Object]
) -> Iterator[tuple[str, AgentClusterView]]:
    deployments = client.list(CLUSTER_DEPLOYMENT.path(scope.namespace), trim=_slim)
    for item in client.list(AGENT_CLUSTER.path(scope.namespace), trim=_slim):
        name = key_of(item)[1]
        infrastructure = text(clusters.get(scope.cluster), "spec", "infrastructureRef", "name")
        if scope.cluster and core_owner(item, "Cluster") != scope.cluster and infrastructure != name:
            continue
        deployment = _deployment(client, item, deployments)
        reference = key_of(deployment) if deployment is not None else key_of(item)
        control_plane = (
            ControlPlane()
            if deployment is not None or deleting(item) or paused(item)
            else _control_plane(client, clusters, item)
        )
        install = client.find(AGENT_CLUSTER_INSTALL.path(*reference))
        yield (
            name,
            AgentClusterView(
                item,
                control_plane,
                deployment,
                install,
                _cluster_secrets(client, item, control_plane, install),
                api.fields.cluster,
            ),
        )


def _deployment(client: KubeReader, agent_cluster: Object, deployments: Iterable[Object]) -> Object | None:
    """The ClusterDeployment of an AgentCluster: the one it names, else the one with its label in its namespace, else
    the one of its name.

    Upstream takes a label in any namespace, so that AgentClusters of equal names take each other's (14).
    """
    namespace, name = key_of(agent_cluster)
    reference = part(agent_cluster, "status", "clusterDeploymentReference")
    named = (str(reference.get("namespace") or namespace), str(reference.get("name") or ""))
    here = {key_of(item): item for item in deployments}
    if named[1]:
        found = here.get(named) if named[0] == namespace else client.find(CLUSTER_DEPLOYMENT.path(*named))
        if found is not None:
            return found
    labelled = [item for key, item in sorted(here.items()) if labels_of(item).get(CLUSTER_LABEL) == name]
    return labelled[0] if labelled else here.get((namespace, name))


def _control_plane(client: KubeReader, clusters: Mapping[str, Object], agent_cluster: Object) -> ControlPlane:
    owner = core_owner(agent_cluster, "Cluster")
    if not owner:
        return ControlPlane(missing="no Cluster owns it yet")
    cluster = clusters.get(owner)
    if cluster is None:
        return ControlPlane(missing=f"its Cluster {owner} does not exist")
    reference = part(cluster, "spec", "controlPlaneRef")
    kind, name = str(reference.get("kind") or ""), str(reference.get("name") or "")
    if not kind or not name:
        return ControlPlane(missing=f"its Cluster {owner} has no spec.controlPlaneRef yet")
    only_group = str(reference.get("apiGroup") or "")
    group, _slash, version = str(reference.get("apiVersion") or f"{only_group}/").partition("/")
    resource = referenced_resource(client, group, kind, version)
    if resource is None:
        return ControlPlane(name, missing=(f"the API has no kind {kind} ({group}) of its control plane object {name}"))
    return read_control_plane(client.find(resource.path(key_of(cluster)[0], name)), name)


def _cluster_secrets(
    client: KubeReader, agent_cluster: Object, control_plane: ControlPlane, install: Object | None
) -> dict[Key, Object]:
    """Secrets that get the backup label when something is made that needs them; who may not read them does without."""
    namespace = key_of(agent_cluster)[0]
    wanted = [(namespace, name) for name in control_plane.secrets] if not control_plane.missing else []
    ca = part(agent_cluster, "spec", "ignitionEndpoint", "caCertificateReference")
    if install is None and ca.get("name"):
        wanted.append((str(ca.get("namespace") or namespace), str(ca["name"])))
    found: dict[Key, Object] = {}
    for key in wanted:
        try:
            secret = client.find(SECRET.path(*key))
        except RemoteError as error:
            if error.status != 403:
                raise
            continue
        if secret is not None:
            found[key] = secret
    return found
