# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the installation progress of a cluster of the OpenShift Assisted providers, and of each of its Machines.

Pure except :func:`observe_progress`.

Source: openshift-assisted/cluster-api-provider-openshift-assisted bootstrap/internal/controller,
controlplane/internal/controller (conditions).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...hub.agents.model import Agent, read_agents, without_bulk
from ...hub.install.status import InstallStatus, read_status
from ...hub.kinds import AGENT, AGENT_CLUSTER_INSTALL, INFRA_ENV
from ...kube.client import KubeClient
from ..cluster.unit import pool_row
from ..names import CLUSTER_NAME_LABEL
from ..objects import Object, all_conditions, generation, labels_of, part, text
from .kinds import AssistedKinds
from .names import CONTROL_PLANE_LABEL
from .observe import INSTALLED_STATES


@dataclasses.dataclass(frozen=True)
class MachineStatus:
    """The progress of one Machine to a Node.

    ``step`` is its present step; the other fields are empty until they have a value.
    """

    name: str
    role: str
    phase: str = ""
    host: str = ""
    agent: str = ""
    state: str = ""
    stage: str = ""
    node: str = ""
    step: str = ""
    deleted: bool = False


@dataclasses.dataclass(frozen=True)
class ControlPlaneProgress:
    """What a wait looks at."""

    cluster: Object | None = None
    control_plane: Object | None = None
    install: Object | None = None
    deployments: tuple[Object, ...] = ()
    machines: tuple[MachineStatus, ...] = ()
    agents: tuple[Agent, ...] = ()

    @property
    def status(self) -> InstallStatus:
        return read_status(self.install) if self.install else InstallStatus()

    @property
    def installed(self) -> bool:
        return (
            text(self.install, "status", "debugInfo", "state") in INSTALLED_STATES or self.status.phase == "installed"
        )


def observe_progress(client: KubeClient, kinds: AssistedKinds, namespace: str, name: str) -> ControlPlaneProgress:
    """One request for each kind."""
    machines = [
        item for item in client.list(kinds.core.machine.path(namespace)) if text(item, "spec", "clusterName") == name
    ]
    deployments = client.list(kinds.core.machine_deployment.path(namespace))
    configs = (
        {str(item["metadata"]["name"]): item for item in client.list(kinds.config.path(namespace))} if machines else {}
    )
    infra_envs = (
        {str(item["metadata"]["name"]) for item in client.list(INFRA_ENV.path(namespace))} if machines else set()
    )
    agents = read_agents(client.list(AGENT.path(namespace), trim=without_bulk)) if infra_envs else []
    return ControlPlaneProgress(
        cluster=client.find(kinds.core.cluster.path(namespace, name)),
        control_plane=client.find(kinds.control_plane.path(namespace, name)),
        install=client.find(AGENT_CLUSTER_INSTALL.path(namespace, name)),
        deployments=tuple(
            item
            for item in deployments
            if name in (text(item, "spec", "clusterName"), labels_of(item).get(CLUSTER_NAME_LABEL))
        ),
        machines=machine_statuses(machines, configs, infra_envs, agents),
        agents=tuple(agent for agent in agents if agent.infra_env in {item["metadata"]["name"] for item in machines}),
    )


def machine_statuses(
    machines: Sequence[Object], configs: Mapping[str, Object], infra_envs: set[str], agents: Sequence[Agent]
) -> tuple[MachineStatus, ...]:
    """A row for each Machine, the control plane first.

    A host is known by the InfraEnv of its Agent, which has the name of the Machine.
    """
    by_name = {agent.infra_env: agent for agent in sorted(agents, key=lambda each: bool(each.spec.get("approved")))}
    rows = [_machine(item, configs, infra_envs, by_name.get(str(item["metadata"]["name"]))) for item in machines]
    return tuple(sorted(rows, key=lambda row: (row.role != "control-plane", row.name)))


def _machine(
    machine: Mapping[str, Any], configs: Mapping[str, Object], infra_envs: set[str], agent: Agent | None
) -> MachineStatus:
    name, node = str(machine["metadata"]["name"]), text(machine, "status", "nodeRef", "name")
    config = configs.get(text(machine, "spec", "bootstrap", "configRef", "name"))
    row = MachineStatus(
        name=name,
        role="control-plane" if CONTROL_PLANE_LABEL in labels_of(machine) else "worker",
        phase=text(machine, "status", "phase"),
        host=agent.hostname if agent else "",
        agent=agent.name if agent else "",
        state=agent.state if agent else "",
        stage=agent.stage if agent else "",
        node=node,
    )
    if machine["metadata"].get("deletionTimestamp"):
        return dataclasses.replace(row, step="being deleted", deleted=True)
    return dataclasses.replace(row, step=_step(row, config, exists=name in infra_envs))


def _step(row: MachineStatus, config: Mapping[str, Any] | None, *, exists: bool) -> str:
    if row.node:
        return f"Node {row.node}"
    if row.agent:
        state = row.state or "registering"
        return f"Agent {state}" + (f" ({row.stage})" if row.stage else "")
    waiting = condition(config, "DataSecretAvailable")
    if waiting.get("status") == "False":
        return "; ".join(str(waiting[key]) for key in ("reason", "message") if waiting.get(key))
    return "its host has not registered yet" if exists else "no InfraEnv yet"


def condition(obj: Mapping[str, Any] | None, kind: str) -> Mapping[str, Any]:
    """A condition, wherever a version of the kind keeps it; empty without one."""
    older = part(obj, "status").get("v1beta1Conditions") or ()
    return next(
        (item for item in (*all_conditions(obj), *older) if isinstance(item, Mapping) and item.get("type") == kind), {}
    )


def missing(progress: ControlPlaneProgress, target: str) -> list[str]:
    """What is missing until a cluster is ``installed``, or ``ready``: installed, in its version, with all Machines."""
    found = list(_installation(progress))
    return (
        found
        if found or target == "installed"
        else [*_release(progress), *_control_plane(progress), *_pools(progress), *_leaving(progress)]
    )


def _installation(progress: ControlPlaneProgress) -> Iterator[str]:
    if progress.cluster is None or progress.control_plane is None:
        yield "the Cluster and its control plane do not exist yet"
    elif progress.install is None:
        yield _waiting_for_install(progress)
    elif not progress.installed:
        status = progress.status
        state = status.state or status.phase
        yield f"the installation is {state}" + (f" ({status.percent} %)" if status.percent else "") + _reason(status)
    elif not text(progress.install, "spec", "clusterMetadata", "adminKubeconfigSecretRef", "name"):
        yield "there is no kubeconfig yet"


def _reason(status: InstallStatus) -> str:
    return f": {status.reason}" if status.reason else ""


def _waiting_for_install(progress: ControlPlaneProgress) -> str:
    found = condition(progress.control_plane, "MachinesCreated")
    if found.get("status") == "False" and found.get("message"):
        return f"the control plane has no AgentClusterInstall: {found['message']}"
    if unreadable := _unreadable_release(progress.control_plane):
        return unreadable
    initialized = part(progress.cluster, "status", "initialization").get("infrastructureProvisioned")
    ready = initialized or part(progress.cluster, "status").get("infrastructureReady")
    return (
        "the control plane has no AgentClusterInstall yet"
        if ready
        else ("the infrastructure of the Cluster is not ready yet")
    )


def _unreadable_release(plane: Object | None) -> str:
    """Empty unless the provider cannot read the release image: then it goes no further, and writes no other
    condition.
    """
    found = condition(plane, "KubernetesVersionAvailable")
    if found.get("status") != "False":
        return ""
    return f"the control plane provider cannot read the release image: {found.get('message')}".replace("\n", " ")


def _release(progress: ControlPlaneProgress) -> Iterator[str]:
    plane = progress.control_plane
    if unreadable := _unreadable_release(plane):
        yield unreadable
    wanted, present = text(plane, "spec", "distributionVersion"), text(plane, "status", "distributionVersion")
    upgrade = condition(plane, "UpgradeCompleted")
    if upgrade.get("status") == "False":
        yield str(upgrade.get("message") or upgrade.get("reason") or "the upgrade is not complete").replace("\n", " ")
    elif present and present != wanted:
        yield f"the cluster has version {present} and is going to have {wanted}"


def _control_plane(progress: ControlPlaneProgress) -> Iterator[str]:
    plane = progress.control_plane
    wanted, status = part(plane, "spec").get("replicas") or 0, part(plane, "status")
    if status.get("observedGeneration") not in (None, generation(plane or {"metadata": {}})):
        yield "the control plane has not been reconciled since its last change"
    elif status.get("readyReplicas", 0) != wanted or status.get("replicas", 0) != wanted:
        yield (
            f"the control plane has {status.get('readyReplicas', 0)} of {wanted} machines ready "
            f"({status.get('replicas', 0)} exist)"
        )


def _pools(progress: ControlPlaneProgress) -> Iterator[str]:
    for deployment in progress.deployments:
        row = pool_row(deployment)
        if part(deployment, "status").get("observedGeneration") != generation(deployment):
            yield f"MachineDeployment {row['name']} has not been reconciled since its last change"
        elif (
            min(row["available_replicas"], row["up_to_date_replicas"]) < row["replicas"]
            or row["current_replicas"] != row["replicas"]
        ):
            yield (
                f"MachineDeployment {row['name']} has {row['available_replicas']} of {row['replicas']} machines "
                f"available ({row['current_replicas']} exist)"
            )


def _leaving(progress: ControlPlaneProgress) -> Iterator[str]:
    """The counters of a pool may be those before the deletion."""
    return (f"Machine {row.name} is being deleted" for row in progress.machines if row.deleted)


def failure(progress: ControlPlaneProgress) -> str:
    """Why the installation never completes; empty while it may."""
    status = progress.status
    why = status.reason or status.state
    return f"The installation {status.phase}: {why}" if status.phase in ("failed", "cancelled") else ""


def doubt(progress: ControlPlaneProgress) -> str:
    """What is a failure if it lasts: the providers write such conditions also about states that they leave by
    themselves.
    """
    found = condition(progress.control_plane, "MachinesCreated")
    if found.get("status") == "False" and "not supported" in str(found.get("message")):
        return f"The control plane provider refuses the cluster: {found.get('message')}"
    return (
        f"assisted-service refuses the cluster: {progress.status.reason}" if progress.status.phase == "refused" else ""
    )
