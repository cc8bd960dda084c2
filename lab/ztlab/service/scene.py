# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Provide the input of every validation: a snapshot of one cluster with its hosts, in which costly values are computed
once.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Sequence

from . import networks
from .model import Cluster, Host, InfraEnv
from .settings import Requirement, Settings


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Outcome of one validation; ``status``: success, failure, pending, error or disabled."""

    id: str
    status: str
    message: str

    @property
    def met(self) -> bool:
        return self.status in ("success", "disabled")

    def body(self) -> dict[str, str]:
        return {"id": self.id, "status": self.status, "message": self.message}


@dataclasses.dataclass(frozen=True)
class Scene:
    """``cluster`` is None for unbound hosts; ``now`` in lab seconds."""

    settings: Settings
    now: float
    cluster: Cluster | None
    hosts: Sequence[Host]
    infra_env: InfraEnv | None = None

    @property
    def version(self) -> str:
        if self.cluster is not None:
            return self.cluster.version
        return str(self.infra_env.fields.get("openshift_version") or "") if self.infra_env else ""

    @property
    def single_node(self) -> bool:
        return self.cluster is not None and self.cluster.single_node and not self.cluster.day2

    def requirement(self, role: str) -> Requirement:
        return self.settings.requirement(role, self.version or "4.22", self.single_node)

    def least_requirement(self) -> Requirement:
        """What any host needs, whatever its role becomes."""
        if self.single_node or self.cluster is None:
            return self.requirement("worker")
        roles = ["master", "worker"] + (["arbiter"] if self.cluster.control_plane_count == 2 else [])
        every = [self.requirement(role) for role in roles]
        return Requirement(
            cpu_cores=min(item.cpu_cores for item in every),
            ram_mib=min(item.ram_mib for item in every),
            disk_size_gb=min(item.disk_size_gb for item in every),
        )

    @property
    def smallest_group(self) -> int:
        """Three hosts make a majority group; a cluster of two control plane nodes with fencing has only two."""
        if self.cluster is not None and self.cluster.control_plane_count == 2 and len(self.hosts) == 2:
            return 2
        return 3

    @functools.cached_property
    def names(self) -> collections.Counter[str]:
        """How many hosts have each name."""
        return collections.Counter(host.name for host in self.hosts if host.inventory is not None)

    @property
    def majority_groups(self) -> dict[str, set[str]]:
        """CIDR -> host ids, plus ``IPv4`` for the group by L3."""
        return {
            name: self.majority_group(name)
            for name in (*(self.cluster.machine_networks if self.cluster else []), "IPv4")
        }

    @functools.cached_property
    def _groups(self) -> dict[str, set[str]]:
        return {}

    def majority_group(self, name: str) -> set[str]:
        """Host ids of the majority group of a CIDR, or of ``IPv4``: the group by L3."""
        if name not in self._groups:
            by_l3 = name == "IPv4"
            self._groups[name] = (
                networks.l3_majority(self.hosts, self.smallest_group)
                if by_l3
                else networks.l2_majority(self.hosts, name, self.smallest_group)
            )
        return self._groups[name]

    @functools.cached_property
    def collisions(self) -> dict[str, list[str]]:
        return networks.ip_collisions(self.hosts)
