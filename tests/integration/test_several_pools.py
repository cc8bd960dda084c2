# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test several pools of one hosted cluster in one run. The tests share one lab and build on each other."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import MakeLab
from .hosted import HOSTS, Site, make_site


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(make_lab, tmp_path_factory.mktemp("pools"))


def pools(*sizes: int) -> dict[str, Any]:
    return {"openshift_node_pools": [{"name": f"pool-{number}", "replicas": size} for number, size in enumerate(sizes)]}


def test_pools_that_are_too_large_together_touch_nothing(site: Site) -> None:
    site.played("deploy_cluster")
    run = site.play("scale_node_pool", **pools(4, 3))
    assert not run.ok and "1 host is missing: NodePool clusters/pool-1 needs 3 more" in run.message, run.output
    assert "is for another pool of this run" in run.message
    assert site.nodes() == set() and set(site.lab.writes().values()) == {0}


def test_all_pools_get_their_sizes(site: Site) -> None:
    planned = site.played("scale_node_pool", "--check", **pools(2, 1))
    for line in (
        "would scale NodePool clusters/pool-0 from 0 to 2",
        "would scale NodePool clusters/pool-1 from 0 to 1",
    ):
        assert line in planned.output, planned.output
    boots = [host for host in HOSTS.values() if f"would boot {host} into discovery" in planned.output]
    assert len(boots) == 3 and set(site.lab.writes().values()) == {0}, planned.output
    site.played("scale_node_pool", **pools(2, 1))
    assert len(site.nodes()) == 3 and sum(phase != "off" for phase in site.states().values()) == 3
    writes = site.lab.writes()
    again = site.played("scale_node_pool", **pools(2, 1))
    assert (again.changed, site.lab.writes()) == (0, writes), again.output
