# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Hosts leave the pool of a hosted cluster, and the cluster goes: no Agent is lost. The tests share one lab and build on each other."""

from __future__ import annotations

import pytest

from .conftest import MakeLab
from .hosted import CONFIRMED, HOSTS, Site, make_site


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(make_lab, tmp_path_factory.mktemp("hosted"))


def test_control_plane_and_nodes_in_one_go(site: Site) -> None:
    run = site.played("deploy_cluster", openshift_node_pool={"replicas": 3})
    assert "3 of 3 nodes are ready" in run.output
    assert site.nodes() == {HOSTS[name] for name in ("node-0", "node-1", "node-2")}
    site.lab.assert_nothing_left()


def test_nobody_leaves_without_confirmation(site: Site) -> None:
    for extra in ({}, {"openshift_hosts": ["node-2"]}, {"openshift_hosts": ["node-2"], "openshift_confirm": "other"}):
        run = site.play("remove_hosts", **extra)
        assert not run.ok and "Nothing was done" in run.message
    assert len(site.nodes()) == 3


def test_a_host_leaves_for_good_and_another_one_for_a_while(site: Site) -> None:
    site.played("remove_hosts", openshift_hosts=["node-2"], **CONFIRMED)
    assert site.states()["node-2"] == "off"
    site.played("reprovision_hosts", openshift_hosts=["node-0"], **CONFIRMED)
    assert site.states()["node-0"] == "registered"
    assert site.nodes() == {HOSTS["node-1"]}


def test_it_is_not_destroyed_as_another_one(site: Site) -> None:
    """Who forgets the method would power the machines off and leave the cluster on the hub."""
    forgotten = site.play("destroy_cluster", openshift_install_method="agent", **CONFIRMED)
    assert not forgotten.ok and "openshift_install_method: hosted" in forgotten.message, forgotten.output
    assert len(site.nodes()) == 1


def test_no_agent_is_lost_with_the_cluster(site: Site) -> None:
    planned = site.played("destroy_cluster", "--check", **CONFIRMED)
    assert "would delete HostedCluster clusters/guest" in planned.output and len(site.nodes()) == 1
    site.lab.fault("reclaim-fails", "node-1", count=0)
    site.played("destroy_cluster", **CONFIRMED)
    assert site.lab.status()["clusters"] == []
    assert {name for name, state in site.states().items() if state == "registered"} == {"node-0", "node-1"}
    assert site.played("destroy_cluster", **CONFIRMED).changed == 0
