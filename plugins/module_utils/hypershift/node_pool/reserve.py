# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute how many free Agents a NodePool needs so that its controllers can create Machines at any time. Pure.

Controllers create Machines while no playbook runs. Cluster API creates the surge of a rolling update and replaces
unhealthy Machines (kubernetes-sigs/cluster-api internal/controllers/machinedeployment, machinehealthcheck). The
autoscaler creates Machines up to ``max``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from ...capi.objects import part, text

# Agents for Machines that a MachineHealthCheck replaces: it waits for a free host while the failed one is booted again.
REPAIR = 1
_DEFAULT_SURGE = 1


@dataclasses.dataclass(frozen=True)
class Reserve:
    """Free Agents for the ``surge`` of a rolling update, the ``repair`` of an unhealthy host, and the ``growth`` up to
    the largest size.
    """

    surge: int = 0
    repair: int = 0
    growth: int = 0

    @property
    def total(self) -> int:
        return self.surge + self.repair + self.growth

    def why(self) -> str:
        """What they are for, as a list of words."""
        parts = (("surge of updates", self.surge), ("auto repair", self.repair), ("autoscaling", self.growth))
        return ", ".join(f"{number} for {words}" for words, number in parts if number)


def reserve_of(spec: Mapping[str, Any], machines: int) -> Reserve:
    """The reserve of a NodePool with ``spec``, which has ``machines`` Machines.

    A pool that is empty and stays so has none.
    """
    scaling = part(spec, "autoScaling")
    largest = int(scaling.get("max") or 0) if scaling else int(spec.get("replicas") or 0)
    if largest < 1:
        return Reserve()
    management = part(spec, "management")
    growth = max(0, largest - machines) if scaling else 0
    return Reserve(_surge(management, largest), REPAIR if management.get("autoRepair") else 0, growth)


def _surge(management: Mapping[str, Any], size: int) -> int:
    """Machines beside those of the size.

    Only a rolling update of pools that replace their hosts makes them; a percentage is rounded up.
    """
    if (
        management.get("upgradeType") != "Replace"
        or (text(management, "replace", "strategy") or "RollingUpdate") != "RollingUpdate"
    ):
        return 0
    surge = part(management, "replace", "rollingUpdate").get("maxSurge", _DEFAULT_SURGE)
    bare = str(surge).removesuffix("%")
    number = int(bare) if bare.isdecimal() else _DEFAULT_SURGE
    return math.ceil(size * number / 100) if str(surge).endswith("%") else number
