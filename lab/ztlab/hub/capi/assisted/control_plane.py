# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile OpenshiftAssistedControlPlanes: create the ClusterDeployment, and one Machine for each replica.

Source: openshift-assisted/cluster-api-provider-openshift-assisted
  controlplane/internal/controller/openshiftassistedcontrolplane_controller.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

import aiohttp

from ....newcluster.versions import kubernetes_version
from ...client import Refused
from ...conditions import Condition
from ...controller import Retry
from ...names import CLUSTER_DEPLOYMENT, Key, Kind, Object, annotations_of, deleting, key_of, labels_of, owner
from ...world import World
from ..conditions import false, new_form, read, summary, true, unknown
from ..kinds import CLONED_KIND, CLONED_NAME, CLUSTER_NAME, CoreKinds
from ..machine_set import random_name
from ..nodes import Nodes
from ..provider.agent_cluster import owner_of
from ..shape import condition_is, new_conditions, paused, reference_target
from . import names
from .deployment import image_of, install_reference
from .pull_secret import create_placeholder, read_pull_secret
from .releases import NotFound, manifest_unknown, resolve, too_old
from .replicas import domains_of, next_domain, to_remove
from .upgrade import unanswered, upgrade_step

CLUSTER_VERSION = Kind("config.openshift.io", "v1", "ClusterVersion", "clusterversions", namespaced=False)
OWNER_SECONDS, CLUSTER_SECONDS = 10.0, 20.0
SUMMARIZED = ("MachinesReady", "KubeconfigAvailable", "Available", "MachinesCreated")


class Panic(Retry):
    """Upstream's manager dereferences nil, which ends a pass like a success that is tried again."""


@dataclasses.dataclass
class Findings:
    """What a pass writes into the status at its end: conditions, and other members."""

    conditions: dict[str, Condition] = dataclasses.field(default_factory=dict)
    members: dict[str, Any] = dataclasses.field(default_factory=dict)

    def add(self, condition: Condition) -> None:
        self.conditions[condition.type] = condition


class ControlPlaneController:
    """``releases``: image -> version, of all images that were resolved; ``nodes`` has the clients of workload
    clusters.
    """

    def __init__(self, world: World, core: CoreKinds, releases: MutableMapping[str, str], nodes: Nodes) -> None:
        self._world, self._core, self._releases, self._nodes = world, core, releases, nodes
        self._kind = core.control_plane

    async def reconcile(self, key: Key) -> float | None:
        """Whatever comes of a pass, its conditions are written at its end. Raises Retry."""
        plane = self._world.get(self._kind, key)
        if plane is None:
            return None
        if deleting(plane):
            await self._delete(plane)
            return None
        plane = await self._world.add_finalizer(self._kind, plane, names.PLANE_FINALIZER)
        found = Findings()
        try:
            again = await self._pass(plane, found)
        except Panic:
            await self._show(plane, found)
            raise
        except (Retry, Refused):
            await self._show(plane, found, failed=True)
            raise
        await self._show(plane, found)
        return again

    async def _pass(self, plane: Object, found: Findings) -> float | None:
        """Seconds until the next one. Raises Retry."""
        key, version = key_of(plane), plane["spec"]["distributionVersion"]
        if too_old(version):
            text = f"version {version} is not supported, the minimum supported version is 4.14.0"
            found.add(false("MachinesCreated", "MachineGenerationFailed", text))
            return None
        reference = owner_of(plane, "Cluster")
        cluster = self._world.get(self._core.cluster, (key[0], reference["name"])) if reference is not None else None
        if cluster is None:
            return OWNER_SECONDS
        if paused(plane, cluster):
            return None
        endpoint, status = cluster["spec"].get("controlPlaneEndpoint") or {}, cluster.get("status") or {}
        provisioned = status.get("infrastructureReady") or (status.get("initialization") or {}).get(
            "infrastructureProvisioned"
        )
        if not (endpoint.get("host") and endpoint.get("port") and provisioned):
            return CLUSTER_SECONDS
        plane = await self._pull_secret(plane)
        await self._deployment(plane, cluster)
        read_pull_secret(self._world, plane)
        self._version(plane, found)
        known = (plane.get("status") or {}).get("conditions") or []
        again = (
            await self._upgrade(plane, key_of(cluster), found) if condition_is(known, "KubeconfigAvailable") else None
        )
        await self._scale(self._world.get(self._kind, key) or plane, cluster, found)
        return again

    # what an installation needs

    async def _pull_secret(self, plane: Object) -> Object:
        """The spec names one from then on. Raises Refused where the placeholder exists already (defect D8)."""
        config = plane["spec"].get("config") or {}
        if (config.get("pullSecretRef") or {}).get("name"):
            return plane
        await create_placeholder(self._world, plane, self._kind)
        return await self._world.patch(
            self._kind, plane, {"spec": {"config": {"pullSecretRef": {"name": names.PLACEHOLDER_SECRET}}}}
        )

    async def _deployment(self, plane: Object, cluster: Object) -> None:
        """Created once, never changed; labelled with config.clusterName, by which no config looks for it (defect
        D1).
        """
        key = namespace, name = key_of(plane)
        if self._world.get(CLUSTER_DEPLOYMENT, key) is not None:
            return
        config = plane["spec"]["config"]
        shown = config.get("clusterName") or cluster["metadata"]["name"]
        labels = {**_template(plane).get("labels", {}), CLUSTER_NAME: shown, **names.plane_labels(name)}
        spec = {
            "clusterName": shown,
            "baseDomain": config["baseDomain"],
            "platform": {"agentBareMetal": {"agentSelector": {}}},
            "pullSecretRef": dict(config["pullSecretRef"]),
            "clusterInstallRef": install_reference(name),
            # Members of the Go type that are always written.
            "controlPlaneConfig": {"servingCertificates": {}},
            "installed": False,
        }
        metadata = {
            "name": name,
            "namespace": namespace,
            "labels": labels,
            "ownerReferences": [owner(plane, self._kind)],
        }
        await self._world.create(CLUSTER_DEPLOYMENT, {"metadata": metadata, "spec": spec})

    def _version(self, plane: Object, found: Findings) -> None:
        """The version of Kubernetes in the release image. Raises Panic for an image that cannot be read (defect D4)."""
        image = image_of(self._world, self._core, plane)
        try:
            version = self._releases[resolve(image, self._releases)]
        except NotFound as error:
            text = (
                "failed to get k8s version from release image: unable to get image: image not found\n"
                f"{manifest_unknown(image)}"
            )
            found.add(false("KubernetesVersionAvailable", "KubernetesVersionUnavailable", text))
            raise Panic(f"runtime error: invalid memory address or nil pointer dereference: {error}") from error
        found.add(true("KubernetesVersionAvailable", "KubernetesVersionAvailable"))
        found.members["version"] = kubernetes_version(version)[1].removeprefix("v")

    async def _upgrade(self, plane: Object, cluster: Key, found: Findings) -> float | None:
        """Seconds until the next look.

        Raises Retry where the API of the cluster does not answer: then Machines are not looked after (defect D9).
        """
        client, image = self._nodes.client(cluster), resolve(image_of(self._world, self._core, plane), self._releases)
        step = unanswered(plane)
        try:
            version = await client.get(CLUSTER_VERSION, "version") if client is not None else None
            if version is None or client is None:
                raise Retry("the cluster has no ClusterVersion")
            step = upgrade_step(version, plane, image)
            if step.patch is not None:
                await client.patch(CLUSTER_VERSION, "version", "", {"spec": {"desiredUpdate": step.patch}})
        except (Refused, OSError, aiohttp.ClientError, TimeoutError) as error:
            raise Retry(f"failed to read or write ClusterVersion: {error}") from error
        finally:
            if step.condition is not None:
                found.add(step.condition)
            found.members["distributionVersion"] = step.current
        return step.again

    # Machines

    def _machines(self, plane: Object, cluster: Object) -> list[Object]:
        name, uid = cluster["metadata"]["name"], plane["metadata"]["uid"]
        listed = self._world.all(self._core.machine, key_of(plane)[0])
        own = [
            item
            for item in listed
            if any(entry.get("uid") == uid for entry in item["metadata"].get("ownerReferences") or [])
        ]
        return [item for item in own if labels_of(item).get(CLUSTER_NAME) == name]

    async def _scale(self, plane: Object, cluster: Object, found: Findings) -> None:
        """One Machine a pass, whose change brings the next one; the counters are those before it.

        Raises Retry, and then nothing is counted.
        """
        machines, wanted = self._machines(plane, cluster), int(plane["spec"].get("replicas") or 0)
        if len(machines) < wanted:
            await self._create(plane, cluster, next_domain(domains_of(cluster), machines), found)
        elif len(machines) > wanted:
            machine = to_remove(domains_of(cluster), machines)
            if machine is None:
                raise Retry("failed to pick control plane Machine to delete")
            if not deleting(machine):
                await self._world.delete(self._core.machine, machine)
        self._count([await self._mark(plane, item) for item in machines], wanted, found)

    async def _mark(self, plane: Object, machine: Object) -> Object:
        """Outdated Machines are reported and stay (defect D18)."""
        config = self._world.get(self._core.config, key_of(machine)) or {}
        wanted, present = plane["spec"].get("openshiftAssistedConfigSpec") or {}, config.get("spec") or {}
        same = machine["spec"].get("deletion") == plane["spec"]["machineTemplate"].get("deletion")
        current = same and all(present.get(name) == value for name, value in wanted.items())
        condition = true("UpToDate", "UpToDate") if current else false("UpToDate", "NotUpToDate")
        known = read(new_conditions(machine), "UpToDate")
        if known is not None and known.status == condition.status:
            return machine
        listed = new_form(
            new_conditions(machine), [condition], self._world.now(), int(machine["metadata"].get("generation") or 1)
        )
        return await self._world.status(
            self._core.machine, machine, {**(machine.get("status") or {}), "conditions": listed}
        )

    @staticmethod
    def _count(machines: Sequence[Object], wanted: int, found: Findings) -> None:
        counts = {
            kind: sum(condition_is(new_conditions(item), kind) for item in machines)
            for kind in ("Ready", "Available", "UpToDate")
        }
        ready = counts["Ready"]
        found.members |= {"replicas": len(machines), "readyReplicas": ready}
        found.members |= {"availableReplicas": counts["Available"], "upToDateReplicas": counts["UpToDate"]}
        if ready == wanted:
            found.add(true("MachinesCreated", "MachinesCreated"))
        if ready == wanted > 0:
            found.add(true("MachinesReady", "MachinesReady"))
        elif wanted > 0:
            found.add(false("MachinesReady", "MachinesNotReady", f"{ready} of {wanted} machines are ready"))

    async def _create(self, plane: Object, cluster: Object, domain: str, found: Findings) -> None:
        """Infrastructure, config, Machine, all of one name; what was made is deleted when the next cannot be.

        Raises Retry.
        """
        template = plane["spec"]["machineTemplate"]
        target = reference_target(template["infrastructureRef"], key_of(plane)[0])
        pair = next(
            (
                pair
                for pair in self._core.machine_templates.items()
                if target is not None and (pair[0].group, pair[0].kind) == target[:2]
            ),
            None,
        )
        source = self._world.get(pair[0], target[2]) if pair is not None and target is not None else None
        if pair is None or source is None:
            text = _no_template(template["infrastructureRef"], pair[0] if pair is not None else None, key_of(plane)[0])
            found.add(false("MachinesCreated", "InfrastructureTemplateCloningFailed", text))
            raise Retry(text)
        name = random_name(plane["metadata"]["name"])
        labels = {
            **_template(plane).get("labels", {}),
            CLUSTER_NAME: cluster["metadata"]["name"],
            **names.plane_labels(plane["metadata"]["name"]),
        }
        provided = _template(plane).get("annotations", {})
        kind = pair[1]
        cloned = {**provided, CLONED_NAME: source["metadata"]["name"], CLONED_KIND: f"{source['kind']}.{kind.group}"}
        made = []
        reason, what = "InfrastructureTemplateCloningFailed", "error creating infrastructure clone:"
        try:
            body = {
                "metadata": self._metadata(plane, name, labels, cloned),
                "spec": source["spec"]["template"].get("spec") or {},
            }
            made.append((kind, await self._world.create(kind, body)))
            reason, what = "BootstrapTemplateCloningFailed", "error creating bootstrap config:"
            metadata = self._metadata(plane, name, {**labels_of(plane), **labels}, _config_notes(plane, provided))
            # Members of the Go type that are always written.
            spec = {
                "nmStateConfigLabelSelector": {},
                "nodeRegistration": {},
                **(plane["spec"].get("openshiftAssistedConfigSpec") or {}),
            }
            made.append(
                (self._core.config, await self._world.create(self._core.config, {"metadata": metadata, "spec": spec}))
            )
            reason, what = "MachineGenerationFailed", "error creating machine"
            await self._world.create(self._core.machine, self._machine(plane, cluster, name, labels, domain, kind))
        except Refused as error:
            for made_kind, item in made:
                await self._world.delete(made_kind, item)
            found.add(false("MachinesCreated", reason, f"{what} {error}"))
            raise Retry(str(error)) from error

    def _metadata(self, plane: Object, name: str, labels: Mapping[str, str], annotations: Mapping[str, str]) -> Object:
        metadata: Object = {
            "name": name,
            "namespace": key_of(plane)[0],
            "labels": dict(labels),
            "ownerReferences": [owner(plane, self._kind)],
        }
        return metadata | ({"annotations": dict(annotations)} if annotations else {})

    def _machine(
        self, plane: Object, cluster: Object, name: str, labels: Mapping[str, str], domain: str, infrastructure: Any
    ) -> Object:
        template = plane["spec"]["machineTemplate"]
        config = self._core.config
        spec: Object = {
            "clusterName": cluster["metadata"]["name"],
            "bootstrap": {"configRef": {"apiGroup": config.group, "kind": config.kind, "name": name}},
            "infrastructureRef": {"apiGroup": infrastructure.group, "kind": infrastructure.kind, "name": name},
        }
        spec |= {"deletion": template["deletion"]} if template.get("deletion") else {}
        spec |= {"failureDomain": domain} if domain else {}
        metadata = self._metadata(
            plane, name, labels, {**_template(plane).get("annotations", {}), names.BMAC_ROLE: "master"}
        )
        metadata["ownerReferences"] = [{**owner(plane, self._kind, block=True), "controller": True}]
        return {"metadata": metadata, "spec": spec}

    # status and deletion

    async def _show(self, plane: Object, found: Findings, *, failed: bool = False) -> None:
        """``failed``: the pass ended with an error, so that observedGeneration stays."""
        plane = self._world.get(self._kind, key_of(plane)) or plane
        status, generation = dict(plane.get("status") or {}), int(plane["metadata"].get("generation") or 1)
        conditions = new_form(status.get("conditions") or [], found.conditions.values(), self._world.now(), generation)
        parts = [
            read(conditions, kind) or unknown(kind, "NotYetReported", "Condition not yet reported")
            for kind in SUMMARIZED
        ]
        ready = summary("Ready", parts, reasons=("InfoReported", "IssuesReported", "UnknownReported"))
        status |= {**found.members, "conditions": new_form(conditions, [ready], self._world.now(), generation)}
        status = {name: value for name, value in status.items() if value != ""}
        status |= {} if failed else {"observedGeneration": generation}
        # The controller of the AgentClusterInstall writes conditions too.
        await self._world.status(self._kind, plane, status, locked=True)

    async def _delete(self, plane: Object) -> None:
        """The ClusterDeployment; Machines are garbage of the control plane, the ClusterImageSet stays."""
        deployment = self._world.get(CLUSTER_DEPLOYMENT, key_of(plane))
        if deployment is not None and not deleting(deployment):
            await self._world.delete(CLUSTER_DEPLOYMENT, deployment)
        await self._world.drop_finalizer(self._kind, plane, names.PLANE_FINALIZER)


def _template(plane: Object) -> Mapping[str, Any]:
    return plane["spec"]["machineTemplate"].get("metadata") or {}


def _no_template(reference: Mapping[str, Any], kind: Kind | None, namespace: str) -> str:
    what = f"{reference['kind']} {namespace}/{reference['name']}"
    missing = f'{kind.plural}.{kind.group} "{reference["name"]}" not found' if kind is not None else "no such kind"
    return f"error fetching infrastructure template: failed to retrieve {what}: {missing}"


def _config_notes(plane: Object, provided: Mapping[str, str]) -> dict[str, str]:
    """Annotations of a config: those of the template, then the control plane's own but for the data of a conversion."""
    own = {key: value for key, value in annotations_of(plane).items() if key != names.CONVERSION_DATA}
    return {**own, **provided}
