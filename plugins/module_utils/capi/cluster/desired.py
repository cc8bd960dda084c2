# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The objects of Cluster API that make a cluster of Agents: Cluster, AgentCluster, and for each pool a template and a MachineDeployment. Pure.

Both versions of Cluster API are written; they differ in how they refer to objects and in the names of time limits (reference capi-provider-agent.md 12).
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

# The hash in the name of a template; its length is that of a ReplicaSet's.
_HASH = 10
_LONGEST_NAME = 63


@dataclasses.dataclass(frozen=True)
class PoolWish:
    """A MachineDeployment. ``replicas`` None leaves the number as it is (0 where the pool is new); seconds None leave Cluster API its own limits."""

    name: str
    replicas: int | None
    selector: Mapping[str, Any]
    bootstrap: Mapping[str, Any]
    version: str = ""
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    drain_seconds: int | None = None
    volume_seconds: int | None = None
    deletion_seconds: int | None = None
    deletion_order: str = ""


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
    pools: tuple[PoolWish, ...] | None


def read_cluster_wish(options: Mapping[str, Any]) -> DesiredAgentCluster:
    """From the options of the door. Raises :class:`InvalidInput` with all that is wrong."""
    problems: list[Problem] = []
    pools = options["machine_deployments"]
    names = [pool["name"] for pool in pools or ()]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.append(_problem("machine_deployments", DUPLICATE, f"{name} is listed more than once"))
    made = None if pools is None else tuple(_pool(pool, f"machine_deployments[{pool['name']}]", problems) for pool in pools)
    ignition, endpoint = options["ignition_endpoint"] or {}, options["control_plane_endpoint"] or {}
    if endpoint and not 1 <= endpoint["port"] <= 65535:
        problems.append(_problem("control_plane_endpoint.port", INVALID, "must be a port, 1 to 65535"))
    if problems:
        raise InvalidInput(problems)
    ca = ignition.get("ca_certificate")
    reference = {"name": ca["name"], "namespace": ca["namespace"] or options["namespace"]} if ca else None
    return DesiredAgentCluster(
        name=options["name"],
        namespace=options["namespace"],
        control_plane={**options["control_plane"], "name": options["control_plane"]["name"] or options["name"]},
        endpoint={"host": endpoint["host"], "port": endpoint["port"]} if endpoint else {},
        ignition={"url": ignition["url"]} | ({"caCertificateReference": reference} if reference else {}) if ignition else {},
        network=_network(options["cluster_network"] or {}),
        labels=options["labels"],
        paused=options["paused"],
        pools=made,
    )


def _network(given: Mapping[str, Any]) -> dict[str, Any]:
    blocks = {name: {"cidrBlocks": list(given[name])} for name in ("pods", "services") if given.get(name)}
    return blocks | ({"serviceDomain": given["service_domain"]} if given.get("service_domain") else {})


def _pool(given: Mapping[str, Any], path: str, problems: list[Problem]) -> PoolWish:
    try:
        read_selector(given["agent_label_selector"], f"{path}.agent_label_selector")
    except InvalidInput as error:
        problems.extend(error.problems)
    if given["replicas"] is not None and given["replicas"] < 0:
        problems.append(_problem(f"{path}.replicas", INVALID, "must not be negative"))
    if len(given["name"]) + 1 + _HASH > _LONGEST_NAME:
        problems.append(
            _problem(f"{path}.name", INVALID, f"has {len(given['name'])} characters; {_LONGEST_NAME - 1 - _HASH} leave room for the names made of it")
        )
    bootstrap = given["bootstrap"]
    if bool(bootstrap.get("data_secret_name")) == bool(bootstrap.get("config_ref")):
        problems.append(_problem(f"{path}.bootstrap", REQUIRED, "exactly one of data_secret_name and config_ref"))
    return PoolWish(
        name=given["name"],
        replicas=given["replicas"],
        selector=given["agent_label_selector"] or {},
        bootstrap=bootstrap,
        version=given["version"] or "",
        labels=given["labels"],
        drain_seconds=given["node_drain_timeout"],
        volume_seconds=given["node_volume_detach_timeout"],
        deletion_seconds=given["node_deletion_timeout"],
        deletion_order=given["deletion_order"] or "",
    )


def template_name(pool: PoolWish) -> str:
    """A template is not changed but replaced, so that its name says what is in it."""
    text = json.dumps(template_spec(pool), sort_keys=True)
    return f"{pool.name}-{hashlib.sha256(text.encode()).hexdigest()[:_HASH]}"


def template_spec(pool: PoolWish) -> Object:
    return {"template": {"spec": {"agentLabelSelector": dict(pool.selector)} if pool.selector else {}}}


def cluster_objects(wish: DesiredAgentCluster, core: CoreKinds) -> list[tuple[Resource, Object]]:
    """Cluster and AgentCluster, in the order of their creation."""
    metadata = {"name": wish.name, "namespace": wish.namespace}
    control_plane = reference(core, wish.control_plane["api_group"], wish.control_plane["kind"], wish.control_plane["name"], wish.namespace)
    spec: Object = {
        "controlPlaneRef": control_plane,
        "infrastructureRef": reference(core, AGENT_CLUSTER.group, AGENT_CLUSTER.kind, wish.name, wish.namespace),
    }
    spec |= {"clusterNetwork": dict(wish.network)} if wish.network else {}
    spec |= {"paused": wish.paused} if wish.paused is not None else {}
    # An endpoint that is not known yet is left out: the schema takes no empty one (2.1).
    provider = ({"controlPlaneEndpoint": dict(wish.endpoint)} if wish.endpoint else {}) | ({"ignitionEndpoint": dict(wish.ignition)} if wish.ignition else {})
    return [
        (core.cluster, {"metadata": {**metadata, "labels": dict(wish.labels)}, "spec": spec}),
        (AGENT_CLUSTER, {"metadata": {**metadata, "labels": {CLUSTER_NAME_LABEL: wish.name}}, "spec": provider}),
    ]


def pool_objects(wish: DesiredAgentCluster, pool: PoolWish, core: CoreKinds) -> list[tuple[Resource, Object]]:
    """The template and the MachineDeployment of a pool."""
    template = template_name(pool)
    mine = {CLUSTER_NAME_LABEL: wish.name}
    selected = {**mine, DEPLOYMENT_NAME_LABEL: pool.name}
    machine: Object = {
        "clusterName": wish.name,
        "bootstrap": _bootstrap(pool, core, wish.namespace),
        "infrastructureRef": reference(core, AGENT_MACHINE_TEMPLATE.group, AGENT_MACHINE_TEMPLATE.kind, template, wish.namespace),
        **({"version": pool.version} if pool.version else {}),
        **_limits(pool, core),
    }
    deployment = {
        "clusterName": wish.name,
        "selector": {"matchLabels": selected},
        "template": {"metadata": {"labels": {**pool.labels, **selected}}, "spec": machine},
        **({} if pool.replicas is None else {"replicas": pool.replicas}),
        **_order(pool, core),
    }
    return [
        (AGENT_MACHINE_TEMPLATE, {"metadata": {"name": template, "namespace": wish.namespace, "labels": mine}, "spec": template_spec(pool)}),
        (core.machine_deployment, {"metadata": {"name": pool.name, "namespace": wish.namespace, "labels": mine}, "spec": deployment}),
    ]


def reference(core: CoreKinds, group: str, kind: str, name: str, namespace: str) -> dict[str, str]:
    """How one object refers to another: the newer version leaves the version of the kind to contract labels."""
    if core.version == "v1beta1":
        return {"apiVersion": f"{group}/v1beta1", "kind": kind, "name": name, "namespace": namespace}
    return {"apiGroup": group, "kind": kind, "name": name}


def _bootstrap(pool: PoolWish, core: CoreKinds, namespace: str) -> Object:
    found = pool.bootstrap.get("config_ref")
    if found:
        return {"configRef": reference(core, found["api_group"], found["kind"], found["name"], namespace), "dataSecretName": None}
    return {"dataSecretName": pool.bootstrap["data_secret_name"], "configRef": None}


def _limits(pool: PoolWish, core: CoreKinds) -> Object:
    given = {"nodeDrainTimeout": pool.drain_seconds, "nodeVolumeDetachTimeout": pool.volume_seconds, "nodeDeletionTimeout": pool.deletion_seconds}
    named = {name: seconds for name, seconds in given.items() if seconds is not None}
    if core.version == "v1beta1":
        return {name: f"{seconds}s" for name, seconds in named.items()}
    return {"deletion": {f"{name}Seconds": seconds for name, seconds in named.items()}} if named else {}


def _order(pool: PoolWish, core: CoreKinds) -> Object:
    if not pool.deletion_order:
        return {}
    if core.version == "v1beta1":
        return {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"deletePolicy": pool.deletion_order}}}
    return {"deletion": {"order": pool.deletion_order}}
