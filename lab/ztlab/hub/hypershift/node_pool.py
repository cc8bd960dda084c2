# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile NodePools: create a MachineSet or MachineDeployment with related objects, and report its Machines in the
status.

Source: openshift/hypershift api/hypershift/v1beta1/nodepool_types.go,
  hypershift-operator/controllers/nodepool/conditions.go, api/hypershift/v1beta1/hostedcluster_types.go.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Mapping
from typing import Any

from ..client import merge_diff
from ..cluster_spec import release_of
from ..conditions import find
from ..names import CONFIG_MAP, SECRET, Key, Kind, Object, annotations_of, deleting, key_of, labels_of, owner
from ..world import World, instant
from . import naming
from .conditions import merged
from .kinds import AGENT_MACHINE, AGENT_MACHINE_TEMPLATE, HOSTED_CLUSTER, NODE_POOL, CoreKinds
from .planes import Planes
from .pool_conditions import Facts, Progress, Verdict, first, node_versions, paused_until, second, third
from .pool_payload import payload
from .pool_secrets import Payload, PoolSecrets, decoded
from .remediation import health_check
from .scalable import Owner, Target, available, managed_labels, pool_key, replaces, rolled_out, scalable, taints_text

WAIT_SECONDS = 5.0
RETRY_SECONDS = 10.0
POLL_SECONDS = 120.0


@dataclasses.dataclass
class Look:
    """One look at a pool: what it found, and the status that becomes of it."""

    pool: Object
    hosted: Object
    space: str
    version: str
    status: Object
    now: str

    def take(self, verdict: Verdict) -> None:
        generation = int(self.pool["metadata"].get("generation") or 1)
        self.status["conditions"] = merged(
            self.status.get("conditions"), verdict.conditions, verdict.removed, self.now, generation
        )

    @property
    def seen(self) -> Object:
        """The pool with the conditions of now."""
        return {**self.pool, "status": self.status}


class NodePoolController:
    def __init__(self, world: World, planes: Planes, core: CoreKinds, releases: Mapping[str, str]) -> None:
        self._world, self._planes, self._core, self._releases = world, planes, core, releases
        self._secrets = PoolSecrets(world)

    async def reconcile(self, key: Key) -> float | None:
        pool = self._world.get(NODE_POOL, key)
        if pool is None:
            return None
        space = naming.pool_namespace(pool)
        if deleting(pool):
            return await self._delete(pool, space)
        hosted = self._world.get(HOSTED_CLUSTER, (key[0], pool["spec"]["clusterName"]))
        if hosted is None:
            return RETRY_SECONDS
        if deleting(hosted):
            return None
        pool = await self._adopt(pool, hosted)
        version = (release_of(pool["spec"]["release"]["image"], self._releases) or ("", ""))[0]
        look = Look(pool, hosted, space, version, dict(pool.get("status") or {}), self._world.now())
        again = await self._look(look)
        await self._world.status(NODE_POOL, look.pool, look.status)
        return again

    async def _adopt(self, pool: Object, hosted: Object) -> Object:
        pool = await self._world.add_finalizer(NODE_POOL, pool, naming.FINALIZER)
        owners = pool["metadata"].get("ownerReferences") or []
        if any(entry["uid"] == hosted["metadata"]["uid"] for entry in owners):
            return pool
        return await self._world.patch(
            NODE_POOL, pool, {"metadata": {"ownerReferences": [*owners, owner(hosted, HOSTED_CLUSTER)]}}
        )

    # reading

    def _machines(self, pool: Object, space: str) -> list[Object]:
        key = pool_key(pool)
        return [
            item
            for item in self._world.all(self._core.machine, space)
            if annotations_of(item).get(naming.NODE_POOL) == key
        ]

    def _kind(self, pool: Object) -> Kind:
        return self._core.machine_deployment if replaces(pool) else self._core.machine_set

    def _nodes(self, machines: list[Object], space: str, cluster: str) -> list[tuple[str, str, bool]]:
        """(version of the Machine, the kubelet's, ready) of Machines that have a Node."""
        plane = self._planes.get((space, cluster))
        found = []
        for machine in machines:
            name = ((machine.get("status") or {}).get("nodeRef") or {}).get("name")
            kubelet = plane.guest.nodes.kubelets.get(name) if plane is not None and name else None
            if kubelet is not None and plane is not None:
                found.append(
                    (
                        str(machine["spec"].get("version") or ""),
                        plane.guest.nodes.kubelet_version(kubelet),
                        kubelet.ready,
                    )
                )
        return found

    # one look

    async def _look(self, look: Look) -> float | None:
        machines = self._machines(look.pool, look.space)
        nodes = self._nodes(machines, look.space, look.hosted["metadata"]["name"])
        look.status |= {"nodesInfo": node_versions(nodes) if nodes else None}
        authority = self._world.get(SECRET, (look.space, naming.IGNITION_CA))
        made, problem = payload(self._world, look.pool, look.hosted, look.space, look.version)
        verdict = first(Facts(look.pool, look.hosted, instant(look.now), authority is not None, look.version, problem))
        look.take(verdict)
        if verdict.stop or authority is None:
            return RETRY_SECONDS if verdict.error else POLL_SECONDS
        target = self._target(look, made)
        present = self._world.get(self._kind(look.pool), (look.space, look.pool["metadata"]["name"]))
        look.take(second(look.pool, look.hosted, self._progress(look, made, target, present, machines)))
        if paused_until(look.pool["spec"].get("pausedUntil") or "", instant(look.now))[0]:
            await self._pause(look, present)
            return RETRY_SECONDS
        if (
            not look.hosted["spec"].get("infraID")
            or self._world.get(SECRET, (look.pool["metadata"]["namespace"], made.pull_secret)) is None
        ):
            return RETRY_SECONDS
        await self._write(look, made, target, present, base64.b64decode(authority["data"]["tls.crt"]), machines)
        return POLL_SECONDS

    def _target(self, look: Look, made: Payload) -> Target:
        selector = (look.pool["spec"]["platform"].get("agent") or {}).get("agentLabelSelector")
        template = naming.template_name(look.pool["metadata"]["name"], selector)
        return Target(template, self._secrets.names(look.pool, made)[1], look.version, made.config_hash, made.hash)

    def _progress(
        self, look: Look, made: Payload, target: Target, present: Object | None, machines: list[Object]
    ) -> Progress:
        token = self._secrets.token(look.pool, look.space, made)
        notes = annotations_of(present) if present is not None else {}
        return Progress(
            target_version=target.version,
            target_config=target.config,
            updating=look.status.get("version") != target.version,
            updating_config=annotations_of(look.pool).get(naming.CURRENT_CONFIG) != target.config,
            upgrade_failure=notes.get(naming.NOT_UPGRADING, ""),
            upgrade_message=notes.get(naming.UPGRADING, ""),
            token=token,
            token_name=self._secrets.names(look.pool, made)[0],
            token_data=decoded(token),
            machines=machines,
        )

    async def _pause(self, look: Look, present: Object | None) -> None:
        if present is not None:
            await self._world.metadata(self._kind(look.pool), present, annotations={naming.PAUSED: "true"})

    # writing

    async def _write(
        self,
        look: Look,
        made: Payload,
        target: Target,
        present: Object | None,
        authority: bytes,
        machines: list[Object],
    ) -> None:
        pool = look.pool
        await self._drop_templates(pool, look.space, target)
        await self._secrets.ensure(pool, look.space, made, look.hosted["status"]["ignitionEndpoint"], authority)
        await self._template(pool, look.space, target)
        scaled = await self._scale(look, target, present)
        if replaces(pool):
            await self._stamp(pool, machines)
        complete = rolled_out(scaled, replace=replaces(pool)) and self._at(scaled, target)
        updating = (
            annotations_of(pool).get(naming.CURRENT_TEMPLATE, target.template) != target.template and not complete
        )
        blocked = self._blocked(pool, look.space)
        look.take(
            third(look.seen, scaled, template_target=target.template, template_updating=updating, blocked=blocked)
        )
        await self._health_check(look)
        look.status["replicas"] = available(scaled)
        if complete:
            look.status["version"] = target.version
            notes = {
                naming.CURRENT_CONFIG: target.config,
                naming.CURRENT_CONFIG_VERSION: target.config_version,
                naming.CURRENT_TEMPLATE: target.template,
            }
            look.pool = await self._world.metadata(NODE_POOL, pool, annotations=notes)
            again = self._progress(look, made, target, scaled, machines)
            look.take(Verdict(second(look.seen, look.hosted, again).conditions[:2]))

    def _at(self, scaled: Object, target: Target) -> bool:
        """Whether what is complete is this target and not the one before."""
        return bool(scaled["spec"]["template"]["spec"]["bootstrap"]["dataSecretName"] == target.user_data)

    async def _drop_templates(self, pool: Object, space: str, target: Target) -> None:
        """Templates that no MachineSet of the pool refers to."""
        key = pool_key(pool)
        sets = [
            item
            for item in self._world.all(self._core.machine_set, space)
            if annotations_of(item).get(naming.NODE_POOL) == key
        ]
        deployed = self._world.get(self._core.machine_deployment, (space, pool["metadata"]["name"]))
        used = {
            item["spec"]["template"]["spec"]["infrastructureRef"]["name"]
            for item in [*sets, *([deployed] if deployed else [])]
        }
        for item in self._world.all(AGENT_MACHINE_TEMPLATE, space):
            mine = annotations_of(item).get(naming.NODE_POOL) == key
            if mine and item["metadata"]["name"] not in {*used, target.template} and not deleting(item):
                await self._world.delete(AGENT_MACHINE_TEMPLATE, item)

    async def _template(self, pool: Object, space: str, target: Target) -> None:
        if self._world.get(AGENT_MACHINE_TEMPLATE, (space, target.template)) is None:
            selector = (pool["spec"]["platform"].get("agent") or {}).get("agentLabelSelector")
            metadata = {"namespace": space, "name": target.template, "annotations": {naming.NODE_POOL: pool_key(pool)}}
            await self._world.create(
                AGENT_MACHINE_TEMPLATE, {"metadata": metadata, "spec": naming.template_spec(selector)}
            )

    async def _scale(self, look: Look, target: Target, present: Object | None) -> Object:
        hosted = look.hosted
        cluster = Owner(hosted["spec"]["infraID"], hosted["metadata"]["name"], look.space)
        kind = self._kind(look.pool)
        wanted = scalable(look.pool, cluster, target, present, v1beta2=self._core.v1beta2)
        if present is None:
            notes = {name: value for name, value in wanted["annotations"].items() if value is not None}
            metadata = {
                "namespace": look.space,
                "name": look.pool["metadata"]["name"],
                "labels": wanted["labels"],
                "annotations": notes,
            }
            return await self._world.create(kind, {"metadata": metadata, "spec": wanted["spec"]})
        present = await self._world.metadata(kind, present, labels=wanted["labels"], annotations=wanted["annotations"])
        patch = _covering(present["spec"], wanted["spec"])
        return await self._world.patch(kind, present, {"spec": patch}) if patch else present

    async def _stamp(self, pool: Object, machines: list[Object]) -> None:
        """Labels and taints of a pool that replaces go straight onto its Machines, which would otherwise be rolled."""
        for machine in machines:
            await self._world.metadata(
                self._core.machine, machine, labels=managed_labels(pool), annotations={naming.TAINTS: taints_text(pool)}
            )

    def _blocked(self, pool: Object, space: str) -> str:
        """What a MachineHealthCheck says that may replace nothing; "" without one."""
        check = self._world.get(self._core.health_check, (space, pool["metadata"]["name"]))
        allowed = find(((check or {}).get("status") or {}).get("conditions"), "RemediationAllowed")
        return str(allowed.get("message") or "") if allowed.get("status") == "False" else ""

    async def _health_check(self, look: Look) -> None:
        """With autoRepair, once a host has reached the ignition endpoint."""
        pool, kind = look.pool, self._core.health_check
        known = self._world.get(kind, (look.space, pool["metadata"]["name"]))
        reached = any(
            entry["type"] == "ReachedIgnitionEndpoint" and entry["status"] == "True"
            for entry in look.status["conditions"]
        )
        if pool["spec"]["management"].get("autoRepair") and reached:
            spec = health_check(pool, look.hosted, v1beta2=self._core.v1beta2)
            if known is None:
                await self._world.create(
                    kind, {"metadata": {"namespace": look.space, "name": pool["metadata"]["name"]}, "spec": spec}
                )
            elif _covering(known["spec"], spec):
                await self._world.patch(kind, known, {"spec": _covering(known["spec"], spec)})
        elif not pool["spec"]["management"].get("autoRepair"):
            await self._drop_health_check(pool, look.space)

    async def _drop_health_check(self, pool: Object, space: str) -> None:
        key = (space, pool["metadata"]["name"])
        if self._world.get(self._core.health_check, key) is not None:
            await self._world.client.delete(self._core.health_check, key[1], key[0])

    # deletion

    async def _delete(self, pool: Object, space: str) -> float | None:
        if naming.FINALIZER not in (pool["metadata"].get("finalizers") or []):
            return None
        key, name = pool_key(pool), pool["metadata"]["name"]
        for item in self._world.all(AGENT_MACHINE, space):
            if annotations_of(item).get(naming.NODE_POOL) == key and not deleting(item):
                await self._world.delete(AGENT_MACHINE, item)
        for kind in (self._core.machine_deployment, self._core.health_check, self._core.machine_set):
            for item in self._world.all(kind, space):
                if key_of(item)[1] == name and not deleting(item):
                    await self._world.delete(kind, item)
        for item in self._world.all(CONFIG_MAP, space):
            if labels_of(item).get(naming.NODE_POOL) == name:
                await self._world.delete(CONFIG_MAP, item)
        if self._machines(pool, space):
            return WAIT_SECONDS
        await self._secrets.remove(pool, space)
        await self._world.drop_finalizer(NODE_POOL, pool, naming.FINALIZER)
        return None


def _covering(present: Any, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch that brings what is wanted; members of a template that are no longer wanted go, what the server
    filled in stays.
    """
    patch: dict[str, Any] = {}
    for name, value in wanted.items():
        before = (present or {}).get(name)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            deeper = (
                merge_diff(before, value)
                if name in ("labels", "annotations", "matchLabels", "deletion")
                else _covering(before, value)
            )
            if deeper:
                patch[name] = deeper
        elif before != value:
            patch[name] = value
    if "clusterName" in wanted and "infrastructureRef" in wanted:
        gone = ("nodeDrainTimeout", "nodeVolumeDetachTimeout", "deletion")
        patch |= {name: None for name in gone if name in (present or {}) and name not in wanted}
    return patch
