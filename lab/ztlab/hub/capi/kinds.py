# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the kinds, finalizers, labels and annotations of Cluster API and of the Agent provider.

Source: openshift/cluster-api-provider-agent api/v1beta1, controllers/common.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ...site.model import ClusterApi
from ..names import Kind

CORE = "cluster.x-k8s.io"
BOOTSTRAP, CONTROL_PLANE, INFRASTRUCTURE = f"bootstrap.{CORE}", f"controlplane.{CORE}", f"infrastructure.{CORE}"
PROVIDER = "capi-provider.agent-install.openshift.io"
AGENT_CLUSTER = Kind(PROVIDER, "v1beta1", "AgentCluster", "agentclusters")
AGENT_MACHINE = Kind(PROVIDER, "v1beta1", "AgentMachine", "agentmachines")
AGENT_MACHINE_TEMPLATE = Kind(PROVIDER, "v1beta1", "AgentMachineTemplate", "agentmachinetemplates")
# An AgentCluster reads its control plane, also if another controller makes the control plane ready.
HOSTED_CONTROL_PLANE = Kind("hypershift.openshift.io", "v1beta1", "HostedControlPlane", "hostedcontrolplanes")
DEPLOYMENT = Kind("apps", "v1", "Deployment", "deployments")
DEFINITION = Kind(
    "apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False
)
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
    """Cluster API's own kinds and those of its providers, in the versions that the hub serves ("none": the hub does not
    have that provider).
    """

    version: str
    openshift_assisted: str = "none"
    metal3: str = "none"

    @classmethod
    def of(cls, site: ClusterApi) -> CoreKinds:
        return cls(site.version, site.openshift_assisted, site.metal3)

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

    # OpenShift Assisted and Metal3

    def _of_group(self, group: str, version: str, kind: str) -> Kind:
        return Kind(group, version, kind, f"{kind.lower()}s")

    @property
    def control_plane(self) -> Kind:
        return self._of_group(CONTROL_PLANE, self.openshift_assisted, "OpenshiftAssistedControlPlane")

    @property
    def _config_version(self) -> str:
        return {"v1alpha3": "v1alpha2", "v1alpha2": "v1alpha1"}.get(self.openshift_assisted, "none")

    @property
    def config(self) -> Kind:
        return self._of_group(BOOTSTRAP, self._config_version, "OpenshiftAssistedConfig")

    @property
    def config_template(self) -> Kind:
        return self._of_group(BOOTSTRAP, self._config_version, "OpenshiftAssistedConfigTemplate")

    @property
    def metal3_cluster(self) -> Kind:
        return self._of_group(INFRASTRUCTURE, self.metal3, "Metal3Cluster")

    @property
    def metal3_machine(self) -> Kind:
        return self._of_group(INFRASTRUCTURE, self.metal3, "Metal3Machine")

    @property
    def metal3_machine_template(self) -> Kind:
        return self._of_group(INFRASTRUCTURE, self.metal3, "Metal3MachineTemplate")

    @property
    def metal3_data_template(self) -> Kind:
        return self._of_group(INFRASTRUCTURE, self.metal3, "Metal3DataTemplate")

    # what Clusters and Machines may refer to, by group and kind

    @property
    def infrastructure_clusters(self) -> tuple[Kind, ...]:
        return (AGENT_CLUSTER, *([self.metal3_cluster] if self.metal3 != "none" else []))

    @property
    def control_planes(self) -> tuple[Kind, ...]:
        return (HOSTED_CONTROL_PLANE, *([self.control_plane] if self.openshift_assisted != "none" else []))

    @property
    def machine_templates(self) -> dict[Kind, Kind]:
        """Template -> what is made from it, for infrastructure."""
        return {AGENT_MACHINE_TEMPLATE: AGENT_MACHINE} | (
            {self.metal3_machine_template: self.metal3_machine} if self.metal3 != "none" else {}
        )

    @property
    def config_templates(self) -> dict[Kind, Kind]:
        """Template -> what is made from it, for bootstrap data."""
        return {self.config_template: self.config} if self.openshift_assisted != "none" else {}

    @property
    def of_providers(self) -> tuple[Kind, ...]:
        """All kinds of providers that the core reads."""
        pairs = (*self.machine_templates.items(), *self.config_templates.items())
        return (*self.infrastructure_clusters, *self.control_planes, *(kind for pair in pairs for kind in pair))

    @property
    def referred(self) -> Mapping[tuple[str, str], Kind]:
        return {(kind.group, kind.kind): kind for kind in self.of_providers}
