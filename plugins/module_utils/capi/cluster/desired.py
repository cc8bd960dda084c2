# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the Cluster API objects of a cluster whose machines are Agents: Cluster, AgentCluster, and for each pool a
template and a MachineDeployment. Pure.

Supports both versions of Cluster API, which differ in how they refer to objects and in the names of time limits.

Source: kubernetes-sigs/cluster-api docs/book/src/developer/providers/contracts.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ...common.errors import InvalidInput
from ...common.problems import DUPLICATE, INVALID, REQUIRED, OwnCheck, Problem
from ...kube.resource import Resource
from ..choose.selector import read_selector
from ..kinds import AGENT_CLUSTER, AGENT_MACHINE_TEMPLATE, CoreKinds
from ..names import CLUSTER_NAME_LABEL, DEPLOYMENT_NAME_LABEL
from ..objects import Object

_problem = OwnCheck("capi_cluster")

# The hash in the name of a template, as long as a ReplicaSet's.
_HASH = 10
_LONGEST_NAME = 63


@dataclasses.dataclass(frozen=True)
class DeletionLimits:
    """How Machines are deleted. ``None`` for seconds leaves Cluster API's own limit."""

    drain_seconds: int | None = None
    volume_seconds: int | None = None
    deletion_seconds: int | None = None
    deletion_order: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusterPool(DeletionLimits):
    """A MachineDeployment. ``replicas`` None leaves the number as it is (0 where the pool is new)."""

    name: str
    replicas: int | None
    selector: Mapping[str, Any]
    bootstrap: Mapping[str, Any]
    version: str = ""
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class DesiredAgentCluster:
    """A Cluster of Agents. ``pools`` None leaves MachineDeployments alone."""

    name: str
    namespace: str
    control_plane: Mapping[str, str]
    endpoint: Mapping[str, Any]
    ignition: Mapping[str, Any]
    network: Mapping[str, Any]
    labels: Mapping[str, str]
    paused: bool | None
    pools: tuple[ClusterPool, ...] | None


def read_desired_cluster(options: Mapping[str, Any]) -> DesiredAgentCluster:
    """From the options of the module. Raises :class:`InvalidInput` with all that is wrong."""
    problems: list[Problem] = []
    pools = options["machine_deployments"]
    names = [pool["name"] for pool in pools or ()]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.append(_problem("machine_deployments", DUPLICATE, f"{name} is listed more than once"))
    made = (
        None
        if pools is None
        else tuple(_pool(pool, f"machine_deployments[{pool['name']}]", problems) for pool in pools)
    )
    ignition, endpoint = options["ignition_endpoint"] or {}, options["control_plane_endpoint"] or {}
    if endpoint and not 1 <= endpoint["port"] <= 65535:
        problems.append(_problem("control_plane_endpoint.port", INVALID, "must be a port, 1 to 65535"))
    if problems:
        raise InvalidInput(problems)
    ca = ignition.get("ca_certificate")
    reference = (
        {"caCertificateReference": {"name": ca["name"], "namespace": ca["namespace"] or options["namespace"]}}
        if ca
        else {}
    )
    return DesiredAgentCluster(
        name=options["name"],
        namespace=options["namespace"],
        control_plane={**options["control_plane"], "name": options["control_plane"]["name"] or options["name"]},
        endpoint={"host": endpoint["host"], "port": endpoint["port"]} if endpoint else {},
        ignition={"url": ignition["url"], **reference} if ignition else {},
        network=_network(options["cluster_network"] or {}),
        labels=options["labels"],
        paused=options["paused"],
        pools=made,
    )


def _network(network: Mapping[str, Any]) -> dict[str, Any]:
    blocks = {name: {"cidrBlocks": list(network[name])} for name in ("pods", "services") if network.get(name)}
    return blocks | ({"serviceDomain": network["service_domain"]} if network.get("service_domain") else {})


def _pool(provided: Mapping[str, Any], path: str, problems: list[Problem]) -> ClusterPool:
    try:
        read_selector(provided["agent_label_selector"], f"{path}.agent_label_selector")
    except InvalidInput as error:
        problems.extend(error.problems)
    if provided["replicas"] is not None and provided["replicas"] < 0:
        problems.append(_problem(f"{path}.replicas", INVALID, "must not be negative"))
    if len(provided["name"]) + 1 + _HASH > _LONGEST_NAME:
        most = _LONGEST_NAME - 1 - _HASH
        detail = f"has {len(provided['name'])} characters; {most} leave room for the names made of it"
        problems.append(_problem(f"{path}.name", INVALID, detail))
    bootstrap = provided["bootstrap"]
    if bool(bootstrap.get("data_secret_name")) == bool(bootstrap.get("config_ref")):
        problems.append(_problem(f"{path}.bootstrap", REQUIRED, "exactly one of data_secret_name and config_ref"))
    return ClusterPool(
        name=provided["name"],
        replicas=provided["replicas"],
        selector=provided["agent_label_selector"] or {},
        bootstrap=bootstrap,
        version=provided["version"] or "",
        labels=provided["labels"],
        drain_seconds=provided["node_drain_timeout"],
        volume_seconds=provided["node_volume_detach_timeout"],
        deletion_seconds=provided["node_deletion_timeout"],
        deletion_order=provided["deletion_order"] or "",
    )


def template_name(pool: ClusterPool) -> str:
    """A template is not changed but replaced, so that its name says what is in it."""
    text = json.dumps(template_spec(pool), sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:_HASH]
    return f"{pool.name}-{digest}"


def template_spec(pool: ClusterPool) -> Object:
    return {"template": {"spec": {"agentLabelSelector": dict(pool.selector)} if pool.selector else {}}}


def cluster_objects(requested: DesiredAgentCluster, core: CoreKinds) -> list[tuple[Resource, Object]]:
    """Cluster and AgentCluster, in the order of their creation."""
    metadata = {"name": requested.name, "namespace": requested.namespace}
    control_plane = reference(
        core,
        requested.control_plane["api_group"],
        requested.control_plane["kind"],
        requested.control_plane["name"],
        requested.namespace,
    )
    spec: Object = {
        "controlPlaneRef": control_plane,
        "infrastructureRef": reference(
            core, AGENT_CLUSTER.group, AGENT_CLUSTER.kind, requested.name, requested.namespace
        ),
    }
    spec |= {"clusterNetwork": dict(requested.network)} if requested.network else {}
    spec |= {"paused": requested.paused} if requested.paused is not None else {}
    # An endpoint that is not known yet is left out: the schema takes no empty one (2.1).
    provider = ({"controlPlaneEndpoint": dict(requested.endpoint)} if requested.endpoint else {}) | (
        {"ignitionEndpoint": dict(requested.ignition)} if requested.ignition else {}
    )
    return [
        (core.cluster, {"metadata": {**metadata, "labels": dict(requested.labels)}, "spec": spec}),
        (AGENT_CLUSTER, {"metadata": {**metadata, "labels": {CLUSTER_NAME_LABEL: requested.name}}, "spec": provider}),
    ]


def pool_objects(requested: DesiredAgentCluster, pool: ClusterPool, core: CoreKinds) -> list[tuple[Resource, Object]]:
    """The template and the MachineDeployment of a pool."""
    template = template_name(pool)
    mine = {CLUSTER_NAME_LABEL: requested.name}
    selected = {**mine, DEPLOYMENT_NAME_LABEL: pool.name}
    machine: Object = {
        "clusterName": requested.name,
        "bootstrap": _bootstrap(pool, core, requested.namespace),
        "infrastructureRef": reference(
            core, AGENT_MACHINE_TEMPLATE.group, AGENT_MACHINE_TEMPLATE.kind, template, requested.namespace
        ),
        **({"version": pool.version} if pool.version else {}),
        **time_limits(pool, older=core.version == "v1beta1"),
    }
    deployment = {
        "clusterName": requested.name,
        "selector": {"matchLabels": selected},
        "template": {"metadata": {"labels": {**pool.labels, **selected}}, "spec": machine},
        **({} if pool.replicas is None else {"replicas": pool.replicas}),
        **deletion_order(pool, core),
    }
    return [
        (
            AGENT_MACHINE_TEMPLATE,
            {
                "metadata": {"name": template, "namespace": requested.namespace, "labels": mine},
                "spec": template_spec(pool),
            },
        ),
        (
            core.machine_deployment,
            {"metadata": {"name": pool.name, "namespace": requested.namespace, "labels": mine}, "spec": deployment},
        ),
    ]


def reference(
    core: CoreKinds, group: str, kind: str, name: str, namespace: str, version: str = "v1beta1"
) -> dict[str, str]:
    """How one object refers to another: the newer version leaves the ``version`` of the kind to contract labels."""
    if core.version == "v1beta1":
        return {"apiVersion": f"{group}/{version}", "kind": kind, "name": name, "namespace": namespace}
    return {"apiGroup": group, "kind": kind, "name": name}


def _bootstrap(pool: ClusterPool, core: CoreKinds, namespace: str) -> Object:
    found = pool.bootstrap.get("config_ref")
    if found:
        return {
            "configRef": reference(core, found["api_group"], found["kind"], found["name"], namespace),
            "dataSecretName": None,
        }
    return {"dataSecretName": pool.bootstrap["data_secret_name"], "configRef": None}


def time_limits(limits: DeletionLimits, *, older: bool) -> Object:
    """DeletionLimits of the deletion of Machines: durations beside each other in ``older`` versions, seconds under
    ``deletion`` in newer ones.
    """
    values = {
        "nodeDrainTimeout": limits.drain_seconds,
        "nodeVolumeDetachTimeout": limits.volume_seconds,
        "nodeDeletionTimeout": limits.deletion_seconds,
    }
    named = {name: seconds for name, seconds in values.items() if seconds is not None}
    if older:
        return {name: _duration(seconds) for name, seconds in named.items()}
    return {"deletion": {f"{name}Seconds": seconds for name, seconds in named.items()}} if named else {}


def _duration(seconds: int) -> str:
    """As Go prints it, ``1h2m3s``: conversion and defaulting webhooks of the providers write this form."""
    (minutes, rest), hours = divmod(seconds, 60), seconds // 3600
    parts = [(hours, "h")] if hours else []
    parts += [(minutes % 60, "m")] if minutes else []
    return "".join(f"{number}{unit}" for number, unit in [*parts, (rest, "s")])


def deletion_order(pool: DeletionLimits, core: CoreKinds) -> Object:
    """Which Machines of a MachineDeployment are deleted first."""
    if not pool.deletion_order:
        return {}
    if core.version == "v1beta1":
        return {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"deletePolicy": pool.deletion_order}}}
    return {"deletion": {"order": pool.deletion_order}}
