# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Determine which hosts a cluster accepts: the roles it still needs, or why it accepts no host. Pure.

Source: openshift/assisted-service internal/controller/controllers/agent_controller.go,
  internal/controller/controllers/clusterdeployments_controller.go.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ..install.status import read_status
from .model import Agent, ClusterRef

# Role of an Agent -> the count in provisionRequirements.
REQUIREMENTS = {"master": "controlPlaneAgents", "worker": "workerAgents", "arbiter": "arbiterAgents"}


@dataclasses.dataclass(frozen=True)
class ClusterFacts:
    """A ClusterDeployment with its AgentClusterInstall.

    ``obstacle`` says why no host can be bound to it now, ``required`` how many Agents of each role it needs; None where
    any number may join (day 2).
    """

    ref: ClusterRef
    obstacle: str = ""
    required: Mapping[str, int] | None = None

    @property
    def total(self) -> int:
        return sum((self.required or {}).values())

    def needs(self) -> str:
        """``exactly 3 master and 2 worker Agents``."""
        counts = {role: count for role, count in (self.required or {}).items() if count}
        return f"exactly {_counted(counts)}"


@dataclasses.dataclass(frozen=True)
class InfraEnvFacts:
    """An InfraEnv: ``cluster`` is set with early binding."""

    name: str
    cluster: ClusterRef | None = None
    auto_approve: bool = False


def read_cluster(
    ref: ClusterRef, deployment: Mapping[str, Any] | None, install: Mapping[str, Any] | None
) -> ClusterFacts:
    """Facts from the ClusterDeployment and its AgentClusterInstall, either of which may be missing."""
    if deployment is None:
        return ClusterFacts(ref, obstacle=f"there is no ClusterDeployment {ref}")
    if (deployment.get("metadata") or {}).get("deletionTimestamp"):
        return ClusterFacts(ref, obstacle=f"ClusterDeployment {ref} is being deleted")
    if (deployment.get("spec") or {}).get("installed") is True:
        return ClusterFacts(ref)
    if install is None:
        return ClusterFacts(ref, obstacle=f"ClusterDeployment {ref} has no AgentClusterInstall")
    status = read_status(install)
    if status.phase == "installed":
        return ClusterFacts(ref)
    if status.phase in ("installing", "failed", "cancelled"):
        words = {
            "installing": "is being installed; hosts can be added after the installation",
            "failed": "failed to install",
            "cancelled": "was cancelled",
        }
        return ClusterFacts(ref, obstacle=f"cluster {ref} {words[status.phase]}")
    wanted = (install.get("spec") or {}).get("provisionRequirements") or {}
    return ClusterFacts(ref, required={role: _count(wanted.get(field)) for role, field in REQUIREMENTS.items()})


def install_of(deployment: Mapping[str, Any]) -> str:
    """Name of the ClusterDeployment's AgentClusterInstall; empty without one."""
    reference = (deployment.get("spec") or {}).get("clusterInstallRef") or {}
    return str(reference.get("name") or "") if reference.get("kind") in (None, "AgentClusterInstall") else ""


def read_infra_env(infra_env: Mapping[str, Any]) -> InfraEnvFacts:
    metadata, spec = infra_env["metadata"], infra_env.get("spec") or {}
    reference = spec.get("clusterRef") or {}
    cluster = (
        ClusterRef(str(reference.get("namespace") or metadata.get("namespace") or ""), str(reference["name"]))
        if reference.get("name")
        else None
    )
    return InfraEnvFacts(str(metadata["name"]), cluster, (spec.get("agentApproval") or {}).get("autoApprove") is True)


def fixed_role(role: str) -> str:
    """The role as provisionRequirements count it; empty where the service may still choose."""
    return {"bootstrap": "master"}.get(role, role if role in REQUIREMENTS else "")


def excess(facts: ClusterFacts, roles: Iterable[str]) -> dict[str, int]:
    """By role how many of these Agents are too many; under ``""`` how many there are too many altogether.

    Empty when all fit.
    """
    if facts.required is None:
        return {}
    counts = Counter(fixed_role(role) for role in roles)
    too_many = {
        role: counts[role] - facts.required.get(role, 0)
        for role in REQUIREMENTS
        if counts[role] > facts.required.get(role, 0)
    }
    surplus = sum(counts.values()) - facts.total
    return too_many | ({"": surplus} if surplus > 0 else {})


def counted_roles(roles: Iterable[str]) -> str:
    """``3 master and 1 worker Agents``, ``1 worker Agent``, those whose role the service chooses as ``auto-assign``."""
    return _counted(Counter(fixed_role(role) or "auto-assign" for role in roles))


def role_of(agent: Agent) -> str:
    """The role that is asked of the Agent; a mere suggestion of the service may still change."""
    return str(agent.spec.get("role") or "")


def _counted(counts: Mapping[str, int]) -> str:
    parts = [f"{counts[role]} {role}" for role in (*REQUIREMENTS, "auto-assign") if counts.get(role)]
    noun = "Agent" if sum(counts.values()) == 1 else "Agents"
    joined = " and ".join(parts) if len(parts) < 3 else ", ".join(parts)
    return f"{joined} {noun}" if parts else "no Agents"


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
