# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate Pods on the workers of a hosted cluster: create OpenShift's own Pods, and schedule the Pods of users."""

from __future__ import annotations

import secrets
from typing import Any

from ..kubeapi.resource import Object, Registry
from ..kubeapi.storage import Store
from .nodes import CAPACITY

# namespace, name
DAEMONS = (("openshift-dns", "dns-default"), ("openshift-ovn-kubernetes", "ovnkube-node"))
# namespace, name, replicas
DEPLOYMENTS = (
    ("openshift-ingress", "router-default", 1),
    ("openshift-console", "console", 1),
    ("openshift-monitoring", "prometheus-k8s", 1),
)
NAMESPACES = tuple(dict.fromkeys(namespace for namespace, *_rest in (*DAEMONS, *DEPLOYMENTS)))


class Workloads:
    """Called at each tick."""

    def __init__(self, store: Store, registry: Registry) -> None:
        self._store = store
        self._pods, self._nodes = registry.by_kind("Pod"), registry.by_kind("Node")

    def tick(self) -> None:
        nodes = {item.item["metadata"]["name"]: item.item for item in self._store.listed(self._nodes)}
        pods = [item.item for item in self._store.listed(self._pods)]
        for pod in pods:
            if where(pod) and where(pod) not in nodes:
                self._store.delete(self._pods, pod["metadata"]["name"], pod["metadata"]["namespace"])
        alive = [pod for pod in pods if not where(pod) or where(pod) in nodes]
        self._daemons(nodes, alive)
        fit = [
            name
            for name, node in nodes.items()
            if node_ready(node) and not (node.get("spec") or {}).get("unschedulable")
        ]
        if fit:
            self._deployments(fit, alive)
            for pod in alive:
                free = [
                    name
                    for name in fit
                    if cpus_of(pod) <= node_cpus() - sum(cpus_of(each) for each in alive if where(each) == name)
                ]
                if not where(pod) and free:
                    alive[alive.index(pod)] = self._bind(pod, self._freest(free, alive))

    def _daemons(self, nodes: dict[str, Object], pods: list[Object]) -> None:
        present = {(_app(pod), where(pod)) for pod in pods}
        for namespace, name in DAEMONS:
            for node, item in nodes.items():
                if (name, node) not in present and node_ready(item):
                    pods.append(self._create(namespace, name, node, "DaemonSet"))

    def _deployments(self, fit: list[str], pods: list[Object]) -> None:
        for namespace, name, count in DEPLOYMENTS:
            for _missing in range(count - sum(_app(pod) == name for pod in pods)):
                pods.append(self._create(namespace, name, self._freest(fit, pods), "ReplicaSet"))

    @staticmethod
    def _freest(fit: list[str], pods: list[Object]) -> str:
        return min(fit, key=lambda name: (sum(where(pod) == name for pod in pods), name))

    def _create(self, namespace: str, name: str, node: str, owner: str) -> Object:
        reference = {
            "apiVersion": "apps/v1",
            "kind": owner,
            "name": name,
            "uid": "00000000-0000-4000-8000-000000000000",
            "controller": True,
        }
        metadata: Object = {
            "name": f"{name}-{secrets.token_hex(3)[:5]}",
            "labels": {"app": name},
            "ownerReferences": [reference],
        }
        spec: Object = {
            "nodeName": node,
            "containers": [{"name": name, "image": "quay.io/openshift-release-dev/ocp-v4.0-art-dev"}],
        }
        return self._run(self._store.create(self._pods, {"metadata": metadata, "spec": spec}, namespace))

    def _bind(self, pod: Object, node: str) -> Object:
        metadata = pod["metadata"]
        body = {**pod, "spec": {**(pod.get("spec") or {}), "nodeName": node}}
        return self._run(self._store.update(self._pods, body, metadata["namespace"]))

    def _run(self, pod: Object) -> Object:
        moment = self._store.timestamp()
        conditions: list[dict[str, Any]] = [
            {"type": kind, "status": "True", "lastTransitionTime": moment} for kind in ("PodScheduled", "Ready")
        ]
        body = {**pod, "status": {"phase": "Running", "startTime": moment, "conditions": conditions}}
        return self._store.update(self._pods, body, pod["metadata"]["namespace"], subresource="status")


def where(pod: Object) -> str:
    """The Node of a pod; empty while it has none."""
    return str((pod.get("spec") or {}).get("nodeName") or "")


def cpus_of(pod: Object) -> float:
    """What its containers request."""
    containers = (pod.get("spec") or {}).get("containers") or []
    texts = [str(((each.get("resources") or {}).get("requests") or {}).get("cpu") or "0") for each in containers]
    return sum(float(text[:-1]) / 1000 if text.endswith("m") else float(text) for text in texts)


def node_cpus() -> float:
    """What a Node of the lab can give away."""
    return float(CAPACITY["cpu"])


def is_daemon(pod: Object) -> bool:
    return any(entry["kind"] == "DaemonSet" for entry in pod["metadata"].get("ownerReferences") or [])


def _app(pod: Object) -> str:
    return str((pod["metadata"].get("labels") or {}).get("app") or "")


def node_ready(node: Object) -> bool:
    return any(
        entry["type"] == "Ready" and entry["status"] == "True"
        for entry in (node.get("status") or {}).get("conditions") or []
    )
