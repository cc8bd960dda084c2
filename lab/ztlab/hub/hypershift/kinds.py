# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Kubernetes kinds that HyperShift's controllers read and write."""

from __future__ import annotations

from ..capi.kinds import (
    AGENT_CLUSTER,
    AGENT_MACHINE,
    AGENT_MACHINE_TEMPLATE,
    DEPLOYMENT,
    HOSTED_CONTROL_PLANE,
    PROVIDER,
    CoreKinds,
)
from ..names import Kind
from .naming import GROUP

HOSTED_CLUSTER = Kind(GROUP, "v1beta1", "HostedCluster", "hostedclusters")
NODE_POOL = Kind(GROUP, "v1beta1", "NodePool", "nodepools")
ROLE = Kind("rbac.authorization.k8s.io", "v1", "Role", "roles")
ROLE_BINDING = Kind("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings")

__all__ = [
    "AGENT_CLUSTER",
    "AGENT_MACHINE",
    "AGENT_MACHINE_TEMPLATE",
    "DEPLOYMENT",
    "HOSTED_CLUSTER",
    "HOSTED_CONTROL_PLANE",
    "NODE_POOL",
    "PROVIDER",
    "ROLE",
    "ROLE_BINDING",
    "CoreKinds",
]
