# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The kinds that HyperShift's controllers read and write."""

from __future__ import annotations

import dataclasses

from ..names import Kind
from .naming import GROUP
from .scalable import PROVIDER

HOSTED_CLUSTER = Kind(GROUP, "v1beta1", "HostedCluster", "hostedclusters")
NODE_POOL = Kind(GROUP, "v1beta1", "NodePool", "nodepools")
HOSTED_CONTROL_PLANE = Kind(GROUP, "v1beta1", "HostedControlPlane", "hostedcontrolplanes")
AGENT_CLUSTER = Kind(PROVIDER, "v1beta1", "AgentCluster", "agentclusters")
AGENT_MACHINE = Kind(PROVIDER, "v1beta1", "AgentMachine", "agentmachines")
AGENT_MACHINE_TEMPLATE = Kind(PROVIDER, "v1beta1", "AgentMachineTemplate", "agentmachinetemplates")
DEPLOYMENT = Kind("apps", "v1", "Deployment", "deployments")
ROLE = Kind("rbac.authorization.k8s.io", "v1", "Role", "roles")
ROLE_BINDING = Kind("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings")
CORE = "cluster.x-k8s.io"


@dataclasses.dataclass(frozen=True)
class CoreKinds:
    """Cluster API's own, in the version that the hub serves."""

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
