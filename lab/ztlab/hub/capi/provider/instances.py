# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the Deployments of the upstream Agent provider on the hub, and the namespaces that each instance watches.

Source: openshift/cluster-api-provider-agent main.go.
"""

from __future__ import annotations

import dataclasses
import datetime
import secrets
from collections.abc import Sequence
from typing import Any

from ...client import Refused
from ...names import Key, Object, deleting
from ...world import World
from ..kinds import DEPLOYMENT, LEADER, LEASE

IMAGE = "cluster-api-provider-agent"
NAMESPACE = "cluster-api-provider-agent"
NAME = "cluster-api-provider-agent-controller-manager"
LEASE_SECONDS = 15


@dataclasses.dataclass(frozen=True)
class Scope:
    """``namespace``: of the objects, ``agents``: namespace of the Agents; "" means all namespaces."""

    namespace: str
    agents: str


def flag(arguments: Sequence[str], name: str) -> str:
    """The value of ``--name value`` or ``--name=value``."""
    for index, argument in enumerate(arguments):
        if argument == f"--{name}":
            return arguments[index + 1] if index + 1 < len(arguments) else ""
        if argument.startswith(f"--{name}="):
            return argument.partition("=")[2]
    return ""


def scope_of(deployment: Object) -> Scope | None:
    """What a Deployment's provider watches; None for one of something else, or of which none is to run."""
    spec = deployment.get("spec") or {}
    containers = (((spec.get("template") or {}).get("spec")) or {}).get("containers") or []
    manager = next((entry for entry in containers if IMAGE in str(entry.get("image", ""))), None)
    if manager is None or deleting(deployment) or not spec.get("replicas", 1):
        return None
    arguments = [str(entry) for entry in manager.get("args") or []]
    own = deployment["metadata"]["namespace"]
    variables = {
        f"$({entry['name']})": own if _is_namespace(entry) else str(entry.get("value", ""))
        for entry in manager.get("env") or []
    }

    def value(name: str) -> str:
        text = flag(arguments, name)
        return variables.get(text, text)

    return Scope(value("namespace"), value("agent-namespace"))


def _is_namespace(variable: dict[str, Any]) -> bool:
    return bool((((variable.get("valueFrom") or {}).get("fieldRef")) or {}).get("fieldPath") == "metadata.namespace")


class Instances:
    """Kept ready and leading by the lab. Keys of :meth:`reconcile` are Deployments."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._identity = f"{NAME}-{secrets.token_hex(5)}"

    def scope(self, namespace: str) -> Scope | None:
        """Of the provider that is in charge of a namespace; one for this namespace alone goes before one for all."""
        found = [
            scope
            for scope in map(scope_of, self._world.all(DEPLOYMENT))
            if scope is not None and scope.namespace in ("", namespace)
        ]
        return max(found, key=lambda scope: scope.namespace != "", default=None)

    async def reconcile(self, key: Key) -> float | None:
        deployment = self._world.get(DEPLOYMENT, key)
        if deployment is None or deployment.get("spec") is None:
            return None
        if scope_of(deployment) is None:
            await self._stopped(deployment)
            return None
        number = int(deployment["spec"].get("replicas", 1))
        await self._world.status(DEPLOYMENT, deployment, _status(deployment, number, self._world.now()))
        await self._lead(key[0])
        # The lease is renewed by the wall clock, which those who look at it go by.
        return LEASE_SECONDS / 3 * self._world.clock.speed

    async def _stopped(self, deployment: Object) -> None:
        """One that was scaled to nothing is ready no longer; its lease runs out by itself."""
        if (deployment.get("status") or {}).get("readyReplicas"):
            await self._world.status(DEPLOYMENT, deployment, _status(deployment, 0, self._world.now()))

    async def _lead(self, namespace: str) -> None:
        moment = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        spec = {"holderIdentity": self._identity, "leaseDurationSeconds": LEASE_SECONDS, "renewTime": moment}
        try:
            await self._world.client.patch(LEASE, LEADER, namespace, {"spec": spec})
        except Refused as error:
            if error.code != 404:
                raise
            body = {
                "metadata": {"name": LEADER, "namespace": namespace},
                "spec": {**spec, "acquireTime": moment, "leaseTransitions": 0},
            }
            await self._world.client.create(LEASE, body)


def _status(deployment: Object, ready: int, now: str) -> Object:
    wanted = int((deployment.get("spec") or {}).get("replicas", 1))
    good = ready >= wanted
    before: Object = next(iter((deployment.get("status") or {}).get("conditions") or []), {})
    word = "True" if good else "False"
    moment = before.get("lastTransitionTime") if before.get("status") == word else now
    reason = "MinimumReplicasAvailable" if good else "MinimumReplicasUnavailable"
    condition = {
        "type": "Available",
        "status": word,
        "reason": reason,
        "lastTransitionTime": moment,
        "lastUpdateTime": moment,
    }
    generation = int(deployment["metadata"].get("generation") or 1)
    counts = {name: ready for name in ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas") if ready}
    return {**counts, "observedGeneration": generation, "conditions": [condition]}


def own_deployment() -> Object:
    """The provider for all namespaces that a hub without HyperShift has."""
    labels = {"control-plane": "controller-manager"}
    arguments = [
        "--namespace=",
        "--agent-namespace=",
        "--health-probe-bind-address=:8081",
        "--metrics-bind-address=127.0.0.1:8080",
        "--leader-elect",
    ]
    container = {
        "name": "manager",
        "image": "quay.io/edge-infrastructure/cluster-api-provider-agent:latest",
        "command": ["/manager"],
        "args": arguments,
    }
    return {
        "metadata": {
            "name": NAME,
            "namespace": NAMESPACE,
            "labels": {**labels, "cluster.x-k8s.io/provider": "infrastructure-agent"},
        },
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


__all__ = ["NAME", "NAMESPACE", "Instances", "Scope", "own_deployment", "scope_of"]
