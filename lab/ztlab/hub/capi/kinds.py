# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Kinds, finalizers, labels and annotations of Cluster API and of the Agent provider (reference capi-provider-agent.md 2, 3)."""

from __future__ import annotations

import dataclasses

from ..names import Kind

CORE = "cluster.x-k8s.io"
PROVIDER = "capi-provider.agent-install.openshift.io"
AGENT_CLUSTER = Kind(PROVIDER, "v1beta1", "AgentCluster", "agentclusters")
AGENT_MACHINE = Kind(PROVIDER, "v1beta1", "AgentMachine", "agentmachines")
AGENT_MACHINE_TEMPLATE = Kind(PROVIDER, "v1beta1", "AgentMachineTemplate", "agentmachinetemplates")
# An AgentCluster reads its control plane, whoever makes that one ready.
HOSTED_CONTROL_PLANE = Kind("hypershift.openshift.io", "v1beta1", "HostedControlPlane", "hostedcontrolplanes")
DEPLOYMENT = Kind("apps", "v1", "Deployment", "deployments")
DEFINITION = Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False)
LEASE = Kind("coordination.k8s.io", "v1", "Lease", "leases")

CLUSTER_FINALIZER = "cluster.cluster.x-k8s.io"
MACHINE_FINALIZER = "machine.cluster.x-k8s.io"
MACHINE_SET_FINALIZER = "cluster.x-k8s.io/machineset"
MACHINE_DEPLOYMENT_FINALIZER = "cluster.x-k8s.io/machinedeployment"

CLUSTER_NAME = "cluster.x-k8s.io/cluster-name"
SET_NAME = "cluster.x-k8s.io/set-name"
DEPLOYMENT_NAME = "cluster.x-k8s.io/deployment-name"
TEMPLATE_HASH = "machine-template-hash"
CLONED_NAME = "cluster.x-k8s.io/cloned-from-name"
CLONED_KIND = "cluster.x-k8s.io/cloned-from-groupkind"
REVISION = "machinedeployment.clusters.x-k8s.io/revision"
DESIRED = "machinedeployment.clusters.x-k8s.io/desired-replicas"
MAXIMUM = "machinedeployment.clusters.x-k8s.io/max-replicas"
PAUSED = "cluster.x-k8s.io/paused"
DELETE_MACHINE = "cluster.x-k8s.io/delete-machine"
PRE_DRAIN = "pre-drain.delete.hook.machine.cluster.x-k8s.io"
PRE_TERMINATE = "pre-terminate.delete.hook.machine.cluster.x-k8s.io"
NO_DRAIN = "machine.cluster.x-k8s.io/exclude-node-draining"
NO_DETACH = "machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach"
UPDATING_IN_PLACE = "in-place-updates.internal.cluster.x-k8s.io/update-in-progress"

# On a definition: the versions that keep a contract of Cluster API.
CONTRACT_LABEL = f"{CORE}/v1beta2"

AGENT_MACHINE_FINALIZER = "agentmachine.agent-install.openshift.io/deprovision"
AGENT_CLUSTER_FINALIZER = "agentclustercapi-provider.agent-install.openshift.io/deprovision"
AGENT_MACHINE_REF = "agentMachineRef"
AGENT_MACHINE_NAMESPACE = "agentMachineRefNamespace"
AGENT_CLUSTER_REF = "agentClusterRef"
MACHINE_HOOK = f"{PRE_TERMINATE}/agentmachine"
LEADER = "7605f49b.agent-install.openshift.io"


@dataclasses.dataclass(frozen=True)
class CoreKinds:
    """Cluster API's own kinds, in the version that the hub serves."""

    version: str

    def _kind(self, kind: str) -> Kind:
        return Kind(CORE, self.version, kind, f"{kind.lower()}s")

    @property
    def cluster(self) -> Kind:
        return self._kind("Cluster")

    @property
    def machine(self) -> Kind:
        return self._kind("Machine")

    @property
    def machine_set(self) -> Kind:
        return self._kind("MachineSet")

    @property
    def machine_deployment(self) -> Kind:
        return self._kind("MachineDeployment")

    @property
    def health_check(self) -> Kind:
        return self._kind("MachineHealthCheck")

    @property
    def v1beta2(self) -> bool:
        return self.version == "v1beta2"
