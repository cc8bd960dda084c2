# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create the objects of a hub with HyperShift, and simulate a hub in memory that executes one of its ``steps`` at each
read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.kinds import HOSTED_CLUSTER, NODE_POOL
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import Event
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.faults import ConflictError
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import merged

from .memory import MemoryApi

Object = dict[str, Any]
NAMESPACE, CLUSTER, POOL, PLANE, AGENTS = "clusters", "edge", "edge-large", "clusters-edge", "hosts"
IMAGE = "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"
MACHINES = f"/apis/cluster.x-k8s.io/v1beta2/namespaces/{PLANE}/machines"
AGENT_MACHINES = f"/apis/capi-provider.agent-install.openshift.io/v1beta1/namespaces/{PLANE}/agentmachines"
AGENT_PATH = f"/apis/agent-install.openshift.io/v1beta1/namespaces/{AGENTS}/agents"
POOL_PATH = NODE_POOL.path(NAMESPACE, POOL)
CLUSTER_PATH = HOSTED_CLUSTER.path(NAMESPACE, CLUSTER)
# Conditions of a pool in the desired state.
WELL = {
    "UpdateManagementEnabled": "True",
    "ValidReleaseImage": "True",
    "ValidArchPlatform": "True",
    "ReconciliationActive": "True",
    "ValidMachineConfig": "True",
    "UpdatingConfig": "False",
    "UpdatingVersion": "False",
    "AllMachinesReady": "True",
    "AllNodesHealthy": "True",
}


def condition(
    kind: str, status: str, reason: str = "AsExpected", message: str = "", generation: int | None = 1
) -> Object:
    reported = {} if generation is None else {"observedGeneration": generation}
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-11-21T12:00:00Z",
        **reported,
    }


def conditions(states: Mapping[str, Any], generation: int | None = 1) -> list[Object]:
    """From ``{type: status or (status, reason, message)}``."""
    return [
        condition(kind, *((said,) if isinstance(said, str) else said), generation=generation)
        for kind, said in states.items()
    ]


def node_pool(
    replicas: int | None = 2,
    *,
    ready: int | None = None,
    said: Mapping[str, Any] | None = None,
    generation: int = 1,
    **spec: Any,
) -> Object:
    size = {} if replicas is None else {"replicas": replicas}
    body: Object = {
        "clusterName": CLUSTER,
        "release": {"image": IMAGE},
        "platform": {"type": "Agent", "agent": {"agentLabelSelector": {"matchLabels": {"size": "large"}}}},
        "management": {
            "upgradeType": "InPlace",
            "replace": {"strategy": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        },
        "arch": "amd64",
        **size,
    }
    status = {
        "replicas": replicas if ready is None else ready,
        "version": "4.22.0",
        "conditions": conditions(WELL if said is None else said, generation),
    }
    metadata = {"name": POOL, "namespace": NAMESPACE, "generation": generation, "resourceVersion": "7", "uid": "u"}
    return {"metadata": metadata, "spec": merged(body, spec), "status": status}


def hosted_cluster(said: Mapping[str, Any] | None = None, **status: Any) -> Object:
    spec = {
        "platform": {"type": "Agent", "agent": {"agentNamespace": AGENTS}},
        "release": {"image": IMAGE},
        "dns": {"baseDomain": "example.com"},
    }
    metadata = {"name": CLUSTER, "namespace": NAMESPACE, "generation": 1, "uid": "u"}
    return {"metadata": metadata, "spec": spec, "status": {"conditions": conditions(said or {}), **status}}


def machine(
    name: str,
    *,
    node: str = "",
    marked: bool = False,
    deleting: str = "",
    said: list[Object] | None = None,
    phase: str = "",
) -> Object:
    """A Machine of the pool; ``deleting`` is the reason of its condition, ``-`` for none yet."""
    annotations = {"hypershift.openshift.io/nodePool": f"{NAMESPACE}/{POOL}"} | (
        {"cluster.x-k8s.io/delete-machine": "yes"} if marked else {}
    )
    metadata: Object = {
        "name": name,
        "namespace": PLANE,
        "annotations": annotations,
        "creationTimestamp": "2026-11-21T09:00:00Z",
        "uid": name,
    }
    found = list(said or []) + ([condition("NodeHealthy", "True")] if node and said is None else [])
    if deleting:
        metadata["deletionTimestamp"] = "2026-11-21T12:00:00Z"
        found += [condition("Deleting", "True", deleting, f"{deleting} it is")] if deleting != "-" else []
    status: Object = {"conditions": found, "phase": phase or ("Running" if node else "Provisioning")}
    return {
        "metadata": metadata,
        "spec": {"infrastructureRef": {"name": name}},
        "status": status | ({"nodeRef": {"name": node}} if node else {}),
    }


def agent_machine(name: str, agent: str = "", said: list[Object] | None = None) -> Object:
    reference = {"agentRef": {"namespace": AGENTS, "name": agent}} if agent else {}
    return {
        "metadata": {"name": name, "namespace": PLANE},
        "spec": {},
        "status": {"conditions": said or [], **reference},
    }


def agent(
    name: str,
    state: str = "known-unbound",
    *,
    hostname: str = "",
    holder: str = "",
    bound: bool = False,
    stage: str = "",
    **status: Any,
) -> Object:
    metadata: Object = {"name": name, "namespace": AGENTS, "labels": {"size": "large"}, "annotations": {}}
    if holder:
        metadata["labels"]["agentMachineRef"] = holder
        metadata["annotations"]["agentMachineRefNamespace"] = PLANE
    spec: Object = {"approved": True, "hostname": hostname or f"host-{name}"}
    if bound:
        spec["clusterDeploymentName"] = {"namespace": PLANE, "name": CLUSTER}
    progress = {"progress": {"currentStage": stage, "installationPercentage": 42}} if stage else {}
    return {"metadata": metadata, "spec": spec, "status": {"debugInfo": {"state": state}, **progress, **status}}


class Hub(MemoryApi):
    """Generations count writes of a spec; a step of ``steps`` is done at each look of a wait, as a controller would."""

    server = "https://api.hub.example.com:6443"

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[Callable[[Hub], object]] = []
        self.objects["/apis/cluster.x-k8s.io"] = {"versions": [{"version": "v1beta2"}, {"version": "v1beta1"}]}
        for name in (NAMESPACE, AGENTS):
            self.put(f"/api/v1/namespaces/{name}", {"metadata": {"name": name}})

    def close(self) -> None:
        """Nothing is open."""

    def server_time(self) -> None:
        return None

    def list(self, path: str, **options: Any) -> list[Object]:
        options.pop("trim", None)
        label = options.pop("label_selector", "")
        return [
            each
            for each in super().list(path, **options)
            if not label or label in (each["metadata"].get("labels") or {})
        ]

    def create(self, path: str, body: Mapping[str, Any], *, dry_run: bool = False) -> Object:
        made = super().create(path, merged({"metadata": {"generation": 1}}, body), dry_run=dry_run)
        return made if dry_run else self.get(f"{path}/{body['metadata']['name']}")

    def merge_patch(self, path: str, patch: Mapping[str, Any], *, dry_run: bool = False) -> Object:
        version = (patch.get("metadata") or {}).get("resourceVersion")
        if version and version != self.objects[path]["metadata"]["resourceVersion"]:
            self.conflicts += 1
        if "spec" in patch:
            generation = self.objects[path]["metadata"].get("generation", 0) + 1
            patch = merged(patch, {"metadata": {"generation": generation}})
        return super().merge_patch(path, patch, dry_run=dry_run)

    def delete(self, path: str, *, uid: str = "", **options: Any) -> bool:
        present = self.objects.get(path)
        if uid and present is not None and present["metadata"]["uid"] != uid:
            raise ConflictError(self.service, 409, f"the UID in the precondition ({uid}) does not match", "Conflict")
        return super().delete(path, uid=uid, **options)

    def follow(self, path: str, _seconds: float, *, field_selector: str = "", **_selectors: str) -> Iterator[Event]:
        if self.steps:
            self.steps.pop(0)(self)
        name = field_selector.partition("metadata.name=")[2]
        yield Event(
            "LISTED", objects=tuple(item for item in self.list(path) if not name or item["metadata"]["name"] == name)
        )

    # what tests put there

    def pool(self, obj: Object) -> None:
        self.put(POOL_PATH, obj)

    def cluster(self, obj: Object) -> None:
        self.put(CLUSTER_PATH, obj)

    def host(self, name: str, agent_name: str, *, running: bool = True, marked: bool = False) -> None:
        """A Machine with its AgentMachine and Agent, running unless told otherwise."""
        self.put(f"{MACHINES}/{name}", machine(name, node=f"host-{agent_name}" if running else "", marked=marked))
        self.put(f"{AGENT_MACHINES}/{name}", agent_machine(name, agent_name))
        self.put(
            f"{AGENT_PATH}/{agent_name}",
            agent(agent_name, "added-to-existing-cluster" if running else "binding", holder=name, bound=True),
        )

    def gone(self, name: str, agent_name: str, state: str = "known-unbound") -> None:
        """The Machine is gone, and its host is in this state."""
        self.objects.pop(f"{MACHINES}/{name}")
        self.objects.pop(f"{AGENT_MACHINES}/{name}")
        self.put(f"{AGENT_PATH}/{agent_name}", agent(agent_name, state))

    def settle(self, replicas: int, **said: Any) -> None:
        """The operator has seen the pool as it is now."""
        present = self.get(POOL_PATH)
        generation = present["metadata"].get("generation", 1)
        status = {
            **present.get("status", {}),
            "replicas": replicas,
            "conditions": conditions({**WELL, **said}, generation),
        }
        self.put(POOL_PATH, {**present, "status": status})
