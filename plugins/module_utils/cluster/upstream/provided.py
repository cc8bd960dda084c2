# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define :class:`Provided`, the form of install-config.yaml that the installer's rules read.

It has the installer's defaults filled in, the networks parsed and the feature gates evaluated.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

from ..profile import ReleaseProfile
from . import feature_gates
from .defaults import active_platform, with_defaults
from .texts import Cidr, parse_cidr

Document = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class ClusterEntry:
    """An entry of clusterNetwork."""

    cidr: Cidr
    host_prefix: int


@dataclasses.dataclass(frozen=True)
class Networks:
    """The lists of networks as far as they are networks: others were refused before any rule."""

    machine: tuple[Cidr, ...]
    service: tuple[Cidr, ...]
    cluster: tuple[ClusterEntry, ...]

    def by_name(self) -> dict[str, tuple[Cidr, ...]]:
        return {
            "clusterNetwork": tuple(entry.cidr for entry in self.cluster),
            "machineNetwork": self.machine,
            "serviceNetwork": self.service,
        }

    @property
    def service_versions(self) -> set[int]:
        """The address families of the service networks: they decide what the user means."""
        return {cidr.version for cidr in self.service}


@dataclasses.dataclass(frozen=True)
class Provided:
    """``doc`` has defaults, ``source`` has none."""

    doc: Document
    profile: ReleaseProfile
    source: Document = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, document: Document, profile: ReleaseProfile) -> Provided:
        return cls(with_defaults(document, profile), profile, document)

    @functools.cached_property
    def platform(self) -> str:
        return active_platform(self.doc)

    @property
    def platforms(self) -> Document:
        return self.doc.get("platform") or {}

    def options(self, name: str = "") -> Document:
        """What is given for a platform, the active one unless named."""
        return self.platforms.get(name or self.platform) or {}

    @property
    def networking(self) -> Document:
        networking: Document = self.doc["networking"]
        return networking

    @property
    def network_type(self) -> str:
        return str(self.networking["networkType"])

    @functools.cached_property
    def networks(self) -> Networks:
        entries = [
            (parse_cidr(entry.get("cidr", "")), entry.get("hostPrefix", 0))
            for entry in self.networking["clusterNetwork"]
        ]
        return Networks(
            tuple(cidr for entry in self.networking["machineNetwork"] if (cidr := parse_cidr(entry.get("cidr", "")))),
            tuple(cidr for text in self.networking["serviceNetwork"] if (cidr := parse_cidr(text))),
            tuple(ClusterEntry(cidr, prefix) for cidr, prefix in entries if cidr),
        )

    @functools.cached_property
    def join_subnet(self) -> Cidr | None:
        config = self.networking.get("ovnKubernetesConfig") or {}
        return parse_cidr((config.get("ipv4") or {}).get("internalJoinSubnet", ""))

    @property
    def control_plane(self) -> Document:
        pool: Document = self.doc["controlPlane"]
        return pool

    @property
    def arbiter(self) -> Document | None:
        return self.doc.get("arbiter")

    @property
    def compute(self) -> Sequence[Document]:
        pools: Sequence[Document] = self.doc["compute"]
        return pools

    def gate(self, name: str) -> bool:
        """Whether a feature gate is on."""
        return feature_gates.enabled(
            name, self.doc.get("featureSet", ""), self.doc.get("featureGates") or [], self.profile
        )
