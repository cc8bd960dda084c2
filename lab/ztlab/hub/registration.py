# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create the Agent object when a host's agent registers, before the assisted-service responds.

Source: openshift/assisted-service internal/controller/controllers/crd_utils.go.
"""

from __future__ import annotations

from ..service.model import Host, InfraEnv
from .backend import Backend
from .client import Refused
from .names import AGENT, INFRA_ENV, INFRA_ENV_LABEL, INHERITED_LABELS, Object, deleting, labels_of, owner
from .node_labels import inherited
from .world import World


class Registration:
    """The callback for :attr:`Core.on_registration`."""

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
        return (
            bool(bound)
            and bool(infra_env.cluster_id)
            and (bound["namespace"], bound["name"]) == self._cluster_key(infra_env)
        )

    def _cluster_key(self, infra_env: InfraEnv) -> tuple[str, str]:
        cluster = self._backend.core.state.clusters.get(infra_env.cluster_id)
        return cluster.kube_key if cluster is not None else ("", "")

    def _new(self, host: Host, infra_env: InfraEnv, item: Object) -> Object:
        metadata: Object = {
            "name": host.id,
            "namespace": infra_env.kube_key[0],
            "labels": self._labels(infra_env, item),
            "ownerReferences": [owner(item, INFRA_ENV)],
        }
        node_labels, names = inherited(item, {"metadata": {}})
        if names:
            metadata["annotations"] = {INHERITED_LABELS: names}
        return {"metadata": metadata, "spec": self._spec(infra_env, node_labels)}

    def _spec(self, infra_env: InfraEnv, node_labels: dict[str, str]) -> Object:
        spec: Object = {"approved": False, "role": ""}
        namespace, name = self._cluster_key(infra_env)
        if name:
            spec["clusterDeploymentName"] = {"namespace": namespace, "name": name}
        if node_labels:
            spec["nodeLabels"] = node_labels
        return spec

    @staticmethod
    def _labels(infra_env: InfraEnv, item: Object) -> dict[str, str]:
        return {INFRA_ENV_LABEL: infra_env.kube_key[1], **(item["spec"].get("agentLabels") or {})}

    async def _move(self, agent: Object, host: Host, infra_env: InfraEnv, item: Object) -> None:
        """The machine booted the image of another InfraEnv: the old host is deleted and the Agent starts over."""
        old_name = labels_of(agent).get(INFRA_ENV_LABEL, "")
        old = self._backend.infra_env((infra_env.kube_key[0], old_name))
        if old is not None:
            self._backend.core.state.hosts.pop((old.id, host.id), None)
        node_labels, names = inherited(item, {"metadata": agent["metadata"]})
        spec: Object = dict.fromkeys(agent["spec"])
        spec |= self._spec(infra_env, node_labels)
        patch = {
            "metadata": {
                "labels": {**dict.fromkeys(labels_of(agent)), **self._labels(infra_env, item)},
                "annotations": {INHERITED_LABELS: names or None},
                "ownerReferences": [owner(item, INFRA_ENV)],
            },
            "spec": spec,
        }
        await self._world.patch(AGENT, agent, patch)


def bound_cluster(agent: Object) -> tuple[str, str] | None:
    """(namespace, name) of the ClusterDeployment that an Agent wants."""
    reference = agent["spec"].get("clusterDeploymentName")
    return (reference.get("namespace", ""), reference.get("name", "")) if reference and reference.get("name") else None
