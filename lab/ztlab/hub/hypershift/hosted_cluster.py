# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile HostedClusters: validate the spec, create the control plane namespace with its objects, update the status,
and handle deletion.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go,
  hypershift-operator/controllers/hostedcluster/internal/platform/agent/agent.go.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from ..client import Refused, merge_diff
from ..cluster_spec import release_of
from ..conditions import find
from ..names import NAMESPACE, SECRET, Key, Kind, Object, annotations_of, deleting, key_of, owner
from ..world import World, instant
from . import naming
from .conditions import merged
from .control_plane import KUBECONFIG, PASSWORD
from .hosted_conditions import Facts, PlaneState, admission, plane_conditions, version_conditions
from .hosted_objects import (
    COPIES,
    DISABLED_ANNOTATION,
    NAMESPACE_LABELS,
    agent_cluster,
    cluster,
    cluster_key,
    control_plane,
    provider_deployment,
    role,
    role_binding,
    space_of,
    versions,
)
from .kinds import (
    AGENT_CLUSTER,
    DEPLOYMENT,
    HOSTED_CLUSTER,
    HOSTED_CONTROL_PLANE,
    NODE_POOL,
    ROLE,
    ROLE_BINDING,
    CoreKinds,
)
from .planes import Planes
from .pool_conditions import paused_until

WAIT_SECONDS = 5.0
POLL_SECONDS = 60.0
ARCHITECTURES = {
    "x86_64": "AMD64",
    "aarch64": "ARM64",
    "arm64": "ARM64",
    "ppc64le": "PPC64LE",
    "s390x": "S390X",
    "multi": "Multi",
}


class HostedClusterController:
    """``provider``: whether the Agent provider is deployed with every hosted cluster."""

    def __init__(
        self, world: World, planes: Planes, core: CoreKinds, releases: Mapping[str, str], *, provider: bool
    ) -> None:
        self._world, self._planes, self._core, self._releases, self._provider = world, planes, core, releases, provider

    async def reconcile(self, key: Key) -> float | None:
        hosted = self._world.get(HOSTED_CLUSTER, key)
        if hosted is None:
            return None
        if deleting(hosted):
            return await self._delete(hosted)
        hosted = await self._world.add_finalizer(HOSTED_CLUSTER, hosted, naming.FINALIZER)
        hosted = await self._identity(hosted)
        facts, architecture = await self._facts(hosted)
        conditions, valid = admission(facts)
        paused, _sensible = paused_until(hosted["spec"].get("pausedUntil") or "", facts.now)
        if valid and not paused:
            await self._apply(hosted)
        await self._show(hosted, facts, conditions, ARCHITECTURES.get(architecture, ""))
        return POLL_SECONDS if valid else WAIT_SECONDS

    async def _identity(self, hosted: Object) -> Object:
        """What is made up once."""
        spec: dict[str, Any] = {}
        if not hosted["spec"].get("infraID"):
            spec["infraID"] = naming.infra_id(hosted["metadata"]["name"])
        if not hosted["spec"].get("clusterID"):
            spec["clusterID"] = str(uuid.uuid4())
        return await self._world.patch(HOSTED_CLUSTER, hosted, {"spec": spec}) if spec else hosted

    async def _facts(self, hosted: Object) -> tuple[Facts, str]:
        """And the architecture of the release."""
        spec, namespace = hosted["spec"], hosted["metadata"]["namespace"]
        wanted = str((spec["platform"].get("agent") or {}).get("agentNamespace") or "")
        exists = bool(wanted) and await self._world.client.get(NAMESPACE, wanted) is not None
        secret = self._world.get(SECRET, (namespace, spec["pullSecret"]["name"]))
        version, architecture = release_of(spec["release"]["image"], self._releases) or ("", "")
        has_secret = ".dockerconfigjson" in ((secret or {}).get("data") or {})
        return Facts(
            hosted, instant(self._world.now()), version, {wanted} if exists else set(), has_secret
        ), architecture

    # objects

    async def _apply(self, hosted: Object) -> None:
        space, name = space_of(hosted), hosted["metadata"]["name"]
        if await self._world.client.get(NAMESPACE, space) is None:
            await self._create(NAMESPACE, {"metadata": {"name": space, "labels": dict(NAMESPACE_LABELS)}})
        await self._copies(hosted, space)
        plane = await self._put(
            HOSTED_CONTROL_PLANE,
            (space, name),
            control_plane(hosted),
            annotations={naming.HOSTED_CLUSTER: cluster_key(hosted)},
        )
        endpoint = (plane.get("status") or {}).get("controlPlaneEndpoint")
        infra_id = hosted["spec"]["infraID"]
        spec = cluster(hosted, endpoint, v1beta2=self._core.v1beta2)
        await self._put(
            self._core.cluster, (space, infra_id), spec, annotations={naming.HOSTED_CLUSTER: cluster_key(hosted)}
        )
        await self._rbac(hosted)
        if self._provider and DISABLED_ANNOTATION not in annotations_of(hosted):
            await self._deployment(hosted)
        if self._world.get(SECRET, (space, naming.IGNITION_CA)) is not None:
            known = self._planes.get((space, name))
            if known is not None:
                spec = agent_cluster(hosted, known.run.ignition, endpoint)
                await self._put(
                    AGENT_CLUSTER, (space, name), spec, annotations={naming.HOSTED_CLUSTER: cluster_key(hosted)}
                )

    async def _copies(self, hosted: Object, space: str) -> None:
        """The user's Secrets as the control plane has them."""
        for member, name in COPIES.items():
            provided = (hosted["spec"].get(member) or {}).get("name")
            source = self._world.get(SECRET, (hosted["metadata"]["namespace"], provided)) if provided else None
            if source is None:
                continue
            known = self._world.get(SECRET, (space, name))
            body = {"type": source.get("type") or "Opaque", "data": source.get("data") or {}}
            if known is None:
                await self._create(SECRET, {"metadata": {"namespace": space, "name": name}, **body})
            elif known.get("data") != body["data"]:
                await self._world.patch(SECRET, known, {"data": merge_diff(known.get("data") or {}, body["data"])})

    async def _rbac(self, hosted: Object) -> None:
        for kind, body in ((ROLE, role(hosted)), (ROLE_BINDING, role_binding(hosted))):
            if await self._world.client.get(kind, body["metadata"]["name"], body["metadata"]["namespace"]) is None:
                await self._create(kind, body)

    async def _deployment(self, hosted: Object) -> None:
        body = provider_deployment(hosted)
        known = await self._world.client.get(DEPLOYMENT, "capi-provider", body["metadata"]["namespace"])
        if known is None:
            known = await self._create(DEPLOYMENT, body)
        if known is not None and (known.get("status") or {}).get("readyReplicas") != 1:
            counts = dict.fromkeys(("replicas", "readyReplicas", "availableReplicas", "updatedReplicas"), 1)
            await self._world.status(
                DEPLOYMENT, known, {**(known.get("status") or {}), **counts, "observedGeneration": 1}
            )

    async def _create(self, kind: Kind, body: Object) -> Object | None:
        """None when it is there already."""
        try:
            return await self._world.create(kind, body)
        except Refused as error:
            if error.reason != "AlreadyExists":
                raise
            return None

    async def _put(self, kind: Kind, key: Key, spec: Object, *, annotations: Mapping[str, str]) -> Object:
        """Create, or merge a spec into what is there."""
        known = self._world.get(kind, key)
        if known is None:
            metadata = {"namespace": key[0], "name": key[1], "annotations": dict(annotations)}
            return await self._world.create(kind, {"metadata": metadata, "spec": spec})
        difference = {
            name: value for name, value in merge_diff(known["spec"], {**known["spec"], **spec}).items() if name in spec
        }
        return await self._world.patch(kind, known, {"spec": difference}) if difference else known

    # status

    async def _show(self, hosted: Object, facts: Facts, conditions: list[Any], architecture: str) -> None:
        name, space = hosted["metadata"]["name"], space_of(hosted)
        item = self._world.get(HOSTED_CONTROL_PLANE, (space, name))
        plane = self._planes.get((space, name))
        status = dict(hosted.get("status") or {})
        guest: dict[str, Any] = {}
        if item is not None:
            known = item.get("status") or {}
            guest = dict(plane.guest.version_status) if plane is not None and plane.run.serving else {}
            conditions += self._of_plane(known, plane, guest)
            status |= await self._published(hosted, item, plane)
        image = hosted["spec"]["release"]["image"]
        if facts.version and item is not None:
            started = hosted["metadata"]["creationTimestamp"]
            generation = int(hosted["metadata"].get("generation") or 1)
            status["version"] = versions(image, facts.version, started, guest, generation)
            status["payloadArch"] = architecture
        status["conditions"] = merged(
            status.get("conditions"), conditions, (), self._world.now(), int(hosted["metadata"].get("generation") or 1)
        )
        await self._world.replace_status(HOSTED_CLUSTER, hosted, status)

    def _of_plane(self, known: Mapping[str, Any], plane: Any, guest: Mapping[str, Any]) -> list[Any]:
        """Conditions of the second phase on, by what the HostedControlPlane says."""
        listed = known.get("conditions")

        def holds(kind: str) -> bool:
            return find(listed, kind).get("status") == "True"

        nodes = plane.guest.nodes.ready("worker") if plane is not None else 0
        version = {entry["type"]: entry for entry in guest.get("conditions") or []}
        state = PlaneState(
            holds("InfrastructureReady"),
            holds("EtcdAvailable"),
            holds("KubeAPIServerAvailable"),
            holds("IgnitionEndpointAvailable"),
            nodes,
            version,
        )
        return [*plane_conditions(state), *version_conditions(state)]

    async def _published(self, hosted: Object, item: Object, plane: Any) -> Object:
        """What users need to get in, and copies of the credentials beside the HostedCluster."""
        namespace, name = key_of(hosted)
        known, space = item.get("status") or {}, item["metadata"]["namespace"]
        found: Object = {}
        if known.get("controlPlaneEndpoint"):
            found["controlPlaneEndpoint"] = known["controlPlaneEndpoint"]
        if plane is not None and self._world.get(SECRET, (space, naming.IGNITION_CA)) is not None:
            found["ignitionEndpoint"] = plane.run.ignition
        for source, member, copy in (
            (KUBECONFIG, "kubeconfig", f"{name}-admin-kubeconfig"),
            (PASSWORD, "kubeadminPassword", f"{name}-kubeadmin-password"),
        ):
            secret = self._world.get(SECRET, (space, source))
            if secret is None:
                continue
            if self._world.get(SECRET, (namespace, copy)) is None:
                metadata = {"namespace": namespace, "name": copy, "ownerReferences": [owner(hosted, HOSTED_CLUSTER)]}
                await self._create(SECRET, {"metadata": metadata, "type": "Opaque", "data": secret["data"]})
            found[member] = {"name": copy}
        return found

    # deletion

    async def _delete(self, hosted: Object) -> float | None:
        """In the order of 2.7; lab seconds until the next look while something is still there."""
        if naming.FINALIZER not in (hosted["metadata"].get("finalizers") or []):
            return None
        space, name = space_of(hosted), hosted["metadata"]["name"]
        for pool in self._world.all(NODE_POOL, hosted["metadata"]["namespace"]):
            if pool["spec"]["clusterName"] == name and not deleting(pool):
                await self._world.delete(NODE_POOL, pool)
        found = self._world.get(self._core.cluster, (space, hosted["spec"].get("infraID") or ""))
        if found is not None:
            await self._drop(self._core.cluster, found)
            return WAIT_SECONDS
        await self._drop_rbac(hosted)
        plane = self._world.get(HOSTED_CONTROL_PLANE, (space, name))
        if plane is not None:
            await self._drop(HOSTED_CONTROL_PLANE, plane)
            return WAIT_SECONDS
        if annotations_of(hosted).get(naming.SKIP_NAMESPACE) != "true" and await self._namespace_remains(space):
            return WAIT_SECONDS
        await self._world.drop_finalizer(HOSTED_CLUSTER, hosted, naming.FINALIZER)
        return None

    async def _drop(self, kind: Kind, item: Object) -> None:
        if annotations_of(item).get(naming.PAUSED):
            item = await self._world.metadata(kind, item, annotations={naming.PAUSED: None})
        if (item.get("spec") or {}).get("paused"):
            item = await self._world.patch(kind, item, {"spec": {"paused": None}})
        if not deleting(item):
            await self._world.delete(kind, item)

    async def _drop_rbac(self, hosted: Object) -> None:
        if not (hosted["spec"]["platform"].get("agent") or {}).get("agentNamespace"):
            return
        for kind, body in ((ROLE_BINDING, role_binding(hosted)), (ROLE, role(hosted))):
            await self._world.client.delete(kind, body["metadata"]["name"], body["metadata"]["namespace"])

    async def _namespace_remains(self, space: str) -> bool:
        found = await self._world.client.get(NAMESPACE, space)
        if found is None:
            return False
        if not deleting(found):
            await self._world.client.delete(NAMESPACE, space)
        return True
