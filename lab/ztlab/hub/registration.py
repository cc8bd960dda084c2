# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""An agent registered: its Agent object appears before the service answers (reference infrastructure-operator.md 5.1)."""

from __future__ import annotations

import json

from ..service.model import Host, InfraEnv
from .backend import Backend
from .client import Refused
from .names import AGENT, INFRA_ENV, INFRA_ENV_LABEL, INHERITED_LABELS, PROPAGATE_LABELS, Object, annotations_of, deleting, labels_of, owner
from .world import World


class Registration:
    """For :attr:`Core.on_registration`."""

    def __init__(self, world: World, backend: Backend) -> None:
        self._world, self._backend = world, backend

    async def __call__(self, host: Host) -> None:
        """Raises Refused, LookupError; the service then unregisters the host."""
        infra_env = self._backend.core.infra_env(host.infra_env_id)
        namespace, name = infra_env.kube_key
        if not name:
            return
        item = self._world.get(INFRA_ENV, infra_env.kube_key)
        if item is None:
            raise LookupError(f"InfraEnv {namespace}/{name} does not exist")
        present = await self._world.client.get(AGENT, host.id, namespace)
        if present is None:
            try:
                await self._world.create(AGENT, self._new(host, infra_env, item))
                return
            except Refused as error:
                if error.reason != "AlreadyExists":
                    raise
                present = await self._world.client.get(AGENT, host.id, namespace)
        if present is None or deleting(present):
            raise LookupError(f"Agent {namespace}/{host.id} is being deleted")
        if labels_of(present).get(INFRA_ENV_LABEL) != name and not self._same_cluster(present, infra_env):
            await self._move(present, host, infra_env, item)

    def _same_cluster(self, agent: Object, infra_env: InfraEnv) -> bool:
        bound = agent["spec"].get("clusterDeploymentName")
        return bool(bound) and bool(infra_env.cluster_id) and (bound["namespace"], bound["name"]) == self._cluster_key(infra_env)

    def _cluster_key(self, infra_env: InfraEnv) -> tuple[str, str]:
        cluster = self._backend.core.state.clusters.get(infra_env.cluster_id)
        return cluster.kube_key if cluster is not None else ("", "")

    def _new(self, host: Host, infra_env: InfraEnv, item: Object) -> Object:
        labels, annotations, node_labels = self._given(infra_env, item)
        metadata: Object = {
            "name": host.id,
            "namespace": infra_env.kube_key[0],
            "labels": labels,
            "ownerReferences": [owner(item, INFRA_ENV)],
        }
        if annotations:
            metadata["annotations"] = annotations
        return {"metadata": metadata, "spec": self._spec(infra_env, node_labels)}

    def _spec(self, infra_env: InfraEnv, node_labels: dict[str, str]) -> Object:
        spec: Object = {"approved": False, "role": ""}
        namespace, name = self._cluster_key(infra_env)
        if name:
            spec["clusterDeploymentName"] = {"namespace": namespace, "name": name}
        if node_labels:
            spec["nodeLabels"] = node_labels
        return spec

    def _given(self, infra_env: InfraEnv, item: Object) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
        """Labels, annotations and node labels that the InfraEnv gives."""
        labels = {**(item["spec"].get("agentLabels") or {}), INFRA_ENV_LABEL: infra_env.kube_key[1]}
        asked = [name.strip() for name in annotations_of(item).get(PROPAGATE_LABELS, "").split(",") if name.strip()]
        inherited = {name: labels_of(item)[name] for name in asked if name in labels_of(item)}
        annotations = {INHERITED_LABELS: json.dumps(sorted(inherited))} if inherited else {}
        return labels, annotations, inherited

    async def _move(self, agent: Object, host: Host, infra_env: InfraEnv, item: Object) -> None:
        """The machine booted the image of another InfraEnv: the old host goes, the Agent begins anew."""
        old_name = labels_of(agent).get(INFRA_ENV_LABEL, "")
        old = self._backend.infra_env((infra_env.kube_key[0], old_name))
        if old is not None:
            self._backend.core.state.hosts.pop((old.id, host.id), None)
        labels, _annotations, node_labels = self._given(infra_env, item)
        spec: Object = dict.fromkeys(agent["spec"])
        spec |= self._spec(infra_env, node_labels)
        patch = {
            "metadata": {"labels": {**dict.fromkeys(labels_of(agent)), **labels}, "ownerReferences": [owner(item, INFRA_ENV)]},
            "spec": spec,
        }
        await self._world.patch(AGENT, agent, patch)


def bound_cluster(agent: Object) -> tuple[str, str] | None:
    """(namespace, name) of the ClusterDeployment that an Agent wants."""
    reference = agent["spec"].get("clusterDeploymentName")
    return (reference.get("namespace", ""), reference.get("name", "")) if reference and reference.get("name") else None
