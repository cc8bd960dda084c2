# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile AgentClusters: create and update the ClusterDeployment and AgentClusterInstall of each AgentCluster.

Source: openshift/cluster-api-provider-agent controllers/agentcluster_controller.go.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ...client import Refused
from ...names import (
    BACKUP_LABELS,
    CLUSTER_DEPLOYMENT,
    CLUSTER_INSTALL,
    SECRET,
    Key,
    Kind,
    Object,
    annotations_of,
    deleting,
    key_of,
    labels_of,
)
from ...world import World
from ..kinds import AGENT_CLUSTER, AGENT_CLUSTER_FINALIZER, AGENT_CLUSTER_REF, CORE, PAUSED, CoreKinds
from ..shape import reference_target
from .bootstrap import Failure, backup_label
from .ignition_endpoint import for_cluster_install
from .instances import Instances
from .persist import persist

WAIT_SECONDS = 5.0


def is_paused(item: Object) -> bool:
    """Only the exact value counts here."""
    return annotations_of(item).get(PAUSED) == "true"


def owner_of(item: Object, kind: str) -> Mapping[str, Any] | None:
    """The first owner of a kind of Cluster API, in either version."""
    versions = (f"{CORE}/v1beta2", f"{CORE}/v1beta1")
    return next(
        (
            entry
            for entry in item["metadata"].get("ownerReferences") or ()
            if entry["kind"] == kind and entry["apiVersion"] in versions
        ),
        None,
    )


class AgentClusterController:
    def __init__(self, world: World, core: CoreKinds, instances: Instances) -> None:
        self._world, self._core, self._instances = world, core, instances

    async def reconcile(self, key: Key) -> float | None:
        before = self._world.get(AGENT_CLUSTER, key)
        if before is None or self._instances.scope(key[0]) is None:
            return None
        item = copy.deepcopy(before)
        try:
            return await self._pass(item)
        finally:
            await persist(self._world, AGENT_CLUSTER, before, item)

    async def _pass(self, item: Object) -> float | None:
        """Changes are made in ``item``; they are stored whatever comes of the pass."""
        metadata = item["metadata"]
        finalizers = metadata.setdefault("finalizers", [])
        if deleting(item):
            if is_paused(item):
                await self._orphan(item)
            metadata["finalizers"] = [name for name in finalizers if name != AGENT_CLUSTER_FINALIZER]
            return None
        if AGENT_CLUSTER_FINALIZER not in finalizers:
            finalizers.append(AGENT_CLUSTER_FINALIZER)
        if is_paused(item):
            await self._orphan(item)
            return None
        metadata["labels"] = {**BACKUP_LABELS, **labels_of(item)}
        reference = (item.get("status") or {}).get("clusterDeploymentReference") or {}
        if not reference.get("name"):
            return await self._find_or_create(item)
        deployment = await self._world.client.get(CLUSTER_DEPLOYMENT, reference["name"], reference.get("namespace", ""))
        if deployment is None:
            raise Failure(f'clusterdeployments.hive.openshift.io "{reference["name"]}" not found')
        await self._own(item, deployment)
        await self._ensure_install(item, deployment)
        endpoint = item["spec"].get("controlPlaneEndpoint") or {}
        if not endpoint.get("host") or not endpoint.get("port"):
            return WAIT_SECONDS
        item["status"]["ready"] = True
        return None

    # ClusterDeployment

    async def _find_or_create(self, item: Object) -> float | None:
        name = item["metadata"]["name"]
        found = next(
            (entry for entry in self._world.all(CLUSTER_DEPLOYMENT) if labels_of(entry).get(AGENT_CLUSTER_REF) == name),
            None,
        )
        if found is not None:
            namespace, found_name = key_of(found)
            item.setdefault("status", {})["clusterDeploymentReference"] = {"name": found_name, "namespace": namespace}
            return None
        return await self._create(item)

    async def _create(self, item: Object) -> float | None:
        reference = owner_of(item, "Cluster")
        if reference is None:
            return WAIT_SECONDS
        namespace, name = key_of(item)
        cluster = self._world.get(self._core.cluster, (namespace, reference["name"]))
        if cluster is None:
            raise Failure(f'clusters.cluster.x-k8s.io "{reference["name"]}" not found')
        target = reference_target(cluster["spec"].get("controlPlaneRef"), namespace)
        if target is None:
            return WAIT_SECONDS
        plane = await self._control_plane(target)
        spec, status = plane.get("spec") or {}, plane.get("status") or {}
        domain, pull_secret = (spec.get("dns") or {}).get("baseDomain"), (spec.get("pullSecret") or {}).get("name")
        kubeconfig, password = (
            (status.get("kubeConfig") or {}).get("name"),
            (status.get("kubeadminPassword") or {}).get("name"),
        )
        if not domain or not pull_secret or not kubeconfig:
            return WAIT_SECONDS
        for secret_name in filter(None, (pull_secret, kubeconfig, password)):
            secret = self._world.get(SECRET, (namespace, secret_name))
            if secret is not None:
                await backup_label(self._world, secret)
        item.setdefault("status", {})["clusterDeploymentReference"] = {"name": name, "namespace": namespace}
        try:
            await self._world.create(
                CLUSTER_DEPLOYMENT, new_deployment(item, target[2][1], domain, pull_secret, kubeconfig, password)
            )
        except Refused as error:
            if error.reason != "AlreadyExists":
                raise
        return None

    async def _control_plane(self, target: tuple[str, str, Key]) -> Object:
        """Read as v1beta1, where there is no such object as v1beta2; a group without v1beta1 is an error.

        Raises Failure, Refused.
        """
        group, kind, (namespace, name) = target
        for version in ("v1beta1", "v1beta2"):
            found = Kind(group, version, kind, f"{kind.lower()}s")
            item = await self._world.client.get(found, name, namespace)
            if item is not None:
                return item
            try:
                await self._world.client.list(found, namespace, limit="1")
            except Refused as error:
                if error.code == 404:
                    raise Failure(f'no matches for kind "{kind}" in version "{group}/{version}"') from error
                raise
        raise Failure(f"failed to retrieve {kind} external object {namespace}/{name}")

    async def _own(self, item: Object, deployment: Object) -> None:
        """By group, kind and name, never by uid."""
        owners = deployment["metadata"].get("ownerReferences") or []
        name = item["metadata"]["name"]
        if any(_same(entry, item) for entry in owners) and labels_of(deployment).get(AGENT_CLUSTER_REF) == name:
            return
        kept = [entry for entry in owners if not _same(entry, item)]
        patch = {"metadata": {"ownerReferences": [*kept, _reference(item)], "labels": {AGENT_CLUSTER_REF: name}}}
        await self._world.patch(CLUSTER_DEPLOYMENT, deployment, patch)

    async def _orphan(self, item: Object) -> None:
        reference = (item.get("status") or {}).get("clusterDeploymentReference") or {}
        if not reference.get("name"):
            return
        deployment = await self._world.client.get(CLUSTER_DEPLOYMENT, reference["name"], reference.get("namespace", ""))
        if deployment is None:
            return
        owners = deployment["metadata"].get("ownerReferences") or []
        kept = [entry for entry in owners if entry != _reference(item)]
        if any(_same(entry, item) for entry in owners) and kept != owners:
            await self._world.patch(CLUSTER_DEPLOYMENT, deployment, {"metadata": {"ownerReferences": kept or None}})

    # AgentClusterInstall

    async def _ensure_install(self, item: Object, deployment: Object) -> None:
        """Made once, never changed afterwards."""
        namespace, name = key_of(deployment)
        if await self._world.client.get(CLUSTER_INSTALL, name, namespace) is not None:
            return
        spec: Object = {
            "clusterDeploymentRef": {"name": name},
            "provisionRequirements": {"controlPlaneAgents": 3},
            "networking": {"userManagedNetworking": True},
        }
        endpoint = item["spec"].get("ignitionEndpoint") or {}
        url = for_cluster_install(endpoint.get("url") or "")
        if url:
            spec["ignitionEndpoint"] = {"url": url}
            authority = endpoint.get("caCertificateReference")
            if authority:
                spec["ignitionEndpoint"]["caCertificateReference"] = {
                    "namespace": authority["namespace"],
                    "name": authority["name"],
                }
                secret = self._world.get(SECRET, (authority["namespace"], authority["name"]))
                if secret is not None:
                    await backup_label(self._world, secret)
        try:
            await self._world.create(
                CLUSTER_INSTALL, {"metadata": {"name": name, "namespace": namespace}, "spec": spec}
            )
        except Refused as error:
            if error.reason != "AlreadyExists":
                raise


def _same(entry: Mapping[str, Any], item: Object) -> bool:
    group = str(entry.get("apiVersion", "")).rpartition("/")[0]
    return (group, entry.get("kind"), entry.get("name")) == (
        AGENT_CLUSTER.group,
        AGENT_CLUSTER.kind,
        item["metadata"]["name"],
    )


def _reference(item: Object) -> Object:
    return {
        "apiVersion": AGENT_CLUSTER.api_version,
        "kind": AGENT_CLUSTER.kind,
        "name": item["metadata"]["name"],
        "uid": item["metadata"]["uid"],
    }


def new_deployment(
    item: Object, plane: str, domain: str, pull_secret: str, kubeconfig: str, password: str | None
) -> Object:
    """The ClusterDeployment; its ids are the uid of whatever owns the AgentCluster first."""
    namespace, name = key_of(item)
    uid = item["metadata"]["ownerReferences"][0]["uid"]
    metadata: Object = {"clusterID": uid, "infraID": uid, "adminKubeconfigSecretRef": {"name": kubeconfig}}
    if password:
        metadata["adminPasswordSecretRef"] = {"name": password}
    return {
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {AGENT_CLUSTER_REF: name},
            "ownerReferences": [_reference(item)],
        },
        "spec": {
            "installed": True,
            "clusterName": plane,
            "baseDomain": domain,
            "platform": {"agentBareMetal": {"agentSelector": {}}},
            "pullSecretRef": {"name": pull_secret},
            "clusterInstallRef": {
                "group": CLUSTER_INSTALL.group,
                "version": CLUSTER_INSTALL.version,
                "kind": CLUSTER_INSTALL.kind,
                "name": name,
            },
            "clusterMetadata": metadata,
            "controlPlaneConfig": {"servingCertificates": {}},  # Go's way to say nothing
        },
    }
