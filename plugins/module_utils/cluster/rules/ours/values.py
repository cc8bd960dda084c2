# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Report unknown values of cpuPartitioningMode and cloudControllerManager.

The installer copies these values without a check, and the cluster rejects them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....common.problems import UNSUPPORTED, Problem
from ..checks import INSTALL_CONFIG, own, supported
from ..facts import Facts

_CPU_PARTITIONING = ("None", "AllNodes")
_CLOUD_CONTROLLER_MANAGERS = ("", "External")


def enumerations(facts: Facts) -> Iterator[Problem]:
    mode = facts.cluster.cpu_partitioning_mode
    if mode and mode not in _CPU_PARTITIONING:
        yield _unsupported("cpuPartitioningMode", mode, _CPU_PARTITIONING)
    manager = (
        facts.cluster.platform_options.get("cloudControllerManager", "") if facts.cluster.platform == "external" else ""
    )
    if manager not in _CLOUD_CONTROLLER_MANAGERS:
        yield _unsupported("platform.external.cloudControllerManager", manager, _CLOUD_CONTROLLER_MANAGERS)


def _unsupported(path: str, value: str, values: tuple[str, ...]) -> Problem:
    return own("unknown-value", path, UNSUPPORTED, supported(values), value=value, file=INSTALL_CONFIG)
