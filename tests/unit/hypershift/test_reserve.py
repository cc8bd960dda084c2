# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how many free Agents the controllers of a node pool may need between two runs of a playbook."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.reserve import (
    Reserve,
    reserve_of,
)

UPSTREAM = {"strategy": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}


def pool(
    upgrade: str = "InPlace",
    *,
    replicas: int | None = 3,
    scaling: tuple[int, int] | None = None,
    repair: bool = False,
    **replace: Any,
) -> dict[str, Any]:
    # The API fills replace in for pools of both kinds.
    management = {"upgradeType": upgrade, "autoRepair": repair, "replace": {**UPSTREAM, **replace}}
    size = {"autoScaling": {"min": scaling[0], "max": scaling[1]}} if scaling else {"replicas": replicas}
    return {**size, "management": management}


@pytest.mark.parametrize(
    ("spec", "machines", "expected"),
    [
        (pool(), 3, Reserve()),
        (pool("Replace"), 3, Reserve(surge=1)),
        (pool("Replace", rollingUpdate={"maxSurge": 2}), 3, Reserve(surge=2)),
        (pool("Replace", rollingUpdate={"maxSurge": "34%"}), 3, Reserve(surge=2)),
        (pool("Replace", rollingUpdate={"maxSurge": "2"}), 3, Reserve(surge=2)),
        (pool("Replace", rollingUpdate={"maxSurge": "many"}), 3, Reserve(surge=1)),
        (pool("Replace", rollingUpdate={"maxSurge": 0, "maxUnavailable": 1}), 3, Reserve()),
        (pool("Replace", strategy="OnDelete", rollingUpdate=None), 3, Reserve()),
        (pool("Replace", replicas=0), 0, Reserve()),
        (pool(repair=True), 3, Reserve(repair=1)),
        (pool(repair=True, replicas=0), 0, Reserve()),
        (pool("Replace", repair=True), 3, Reserve(surge=1, repair=1)),
        (pool(scaling=(1, 4)), 1, Reserve(growth=3)),
        (pool(scaling=(1, 4)), 4, Reserve()),
        (pool(scaling=(1, 4)), 6, Reserve()),
        (pool("Replace", scaling=(2, 10), rollingUpdate={"maxSurge": "10%"}, repair=True), 2, Reserve(1, 1, 8)),
        ({"replicas": 2}, 2, Reserve()),
        ({}, 0, Reserve()),
    ],
)
def test_each_setting_needs_its_hosts(spec: dict[str, Any], machines: int, expected: Reserve) -> None:
    assert reserve_of(spec, machines) == expected


def test_what_it_is_for() -> None:
    assert (
        Reserve(1, 1, 2).why() == "1 for surge of updates, 1 for auto repair, 2 for autoscaling"
        and Reserve(1, 1, 2).total == 4
    )
