# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Remove hosts from the pool of a hosted cluster, then delete the cluster: no Agent is lost.

The tests share one lab and build on each other.
"""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile

from .conftest import MakeLab
from .hosted import CONFIRMED, HOSTS, Site, changed, make_site


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(make_lab, tmp_path_factory.mktemp("hosted"))


def test_control_plane_and_nodes_in_one_go(site: Site) -> None:
    run = site.played("deploy_cluster", openshift_node_pool={"replicas": 3})
    assert "3 of 3 nodes are ready" in run.output
    assert site.nodes() == {HOSTS[name] for name in ("node-0", "node-1", "node-2")}
    site.lab.assert_nothing_left()


def test_no_host_leaves_without_confirmation(site: Site) -> None:
    writes = site.lab.writes()
    for words, extra in (
        ("Set openshift_hosts to the names of the hosts", {}),
        ("Set openshift_hosts to the names of the hosts", CONFIRMED),
        ("-e openshift_confirm=guest", {"openshift_hosts": ["node-2"]}),
        ("-e openshift_confirm=guest", {"openshift_hosts": ["node-2"], "openshift_confirm": "other"}),
    ):
        run = site.play("remove_hosts", **extra)
        assert not run.ok and words in run.message, run.output
    assert len(site.nodes()) == 3 and site.lab.writes() == writes


def test_a_host_is_removed_and_another_one_reprovisioned(site: Site) -> None:
    """Check mode names the hosts whose BMCs the run then writes to, and the Nodes that leave."""
    before, nodes = site.lab.writes(), site.nodes()
    planned = site.played("remove_hosts", "--check", openshift_hosts=["node-2"], **CONFIRMED)
    for line in (
        "would scale NodePool clusters/guest from 3 to 2",
        "would drain Node node-2",
        "would delete Machine",
        "would power off",
    ):
        assert line in planned.output, planned.output
    assert (site.nodes(), site.lab.writes()) == (nodes, before)
    site.played("remove_hosts", openshift_hosts=["node-2"], **CONFIRMED)
    assert site.states()["node-2"] == "off" and changed(site, before) == {"node-2"}
    assert site.played("remove_hosts", openshift_hosts=["node-2"], **CONFIRMED).changed == 0
    before = site.lab.writes()
    planned = site.played("reprovision_hosts", "--check", openshift_hosts=["node-0"], **CONFIRMED)
    for line in ("would drain Node node-0", "would boot node-0 into discovery"):
        assert line in planned.output, planned.output
    assert len(site.nodes()) == 2 and site.lab.writes() == before
    site.played("reprovision_hosts", openshift_hosts=["node-0"], **CONFIRMED)
    assert site.states()["node-0"] == "registered" and changed(site, before) <= {"node-0"}
    assert site.nodes() == {HOSTS["node-1"]}


def test_a_host_whose_bmc_cannot_be_used_leaves_its_pool(site: Site) -> None:
    """The cluster's part is done; that the machine may still be on is said at the end, and the next run completes
    it.
    """
    site.scaled(replicas=2)
    (name,) = [name for name, hostname in HOSTS.items() if hostname in site.nodes() - {HOSTS["node-1"]}]
    site.lab.fault("bmc-wrong-mac", name, count=0)
    writes = site.lab.writes()
    run = site.play("remove_hosts", openshift_hosts=[name], **CONFIRMED)
    site.lab.clear_faults()
    assert (
        run.code == 2
        and "1 of 1 hosts were removed from their pool" in run.message
        and "belongs to another machine" in run.message
    ), run.output
    assert site.nodes() == {HOSTS["node-1"]} and site.lab.writes() == writes
    site.played("remove_hosts", openshift_hosts=[name], **CONFIRMED)
    assert site.states()[name] == "off"


def test_it_is_not_destroyed_as_another_one(site: Site) -> None:
    """Without the method the machines would be powered off, and the cluster would stay on the hub."""
    forgotten = site.play("destroy_cluster", openshift_install_method="agent", **CONFIRMED)
    assert not forgotten.ok and "hosted" in forgotten.message, forgotten.output
    assert len(site.nodes()) == 1


def test_another_deployment_of_that_name_does_not_destroy_it(site: Site) -> None:
    """The inventory of another site, with this hub in KUBECONFIG. A record of its own cluster does not help."""
    writes, elsewhere = site.lab.writes(), site.deployment.elsewhere()
    stopped = Site(elsewhere).play("destroy_cluster", **CONFIRMED)
    assert not stopped.ok and "HostedCluster clusters/guest on hub https://" in stopped.message, stopped.output
    assert "is no host of this inventory" in stopped.message
    state = StateFile(elsewhere.work_dir / "state.json")
    state.update("hub", {"created": {"HostedCluster clusters/guest": "uid-of-another-hub"}})
    stopped = Site(elsewhere).play("destroy_cluster", **CONFIRMED)
    assert "this deployment created it with UID uid-of-another-hub" in stopped.message, stopped.output
    assert len(site.nodes()) == 1 and site.lab.writes() == writes
    assert StateFile(site.deployment.work_dir / "state.json").section("hub")["created"]


def test_no_agent_is_lost_with_the_cluster(site: Site) -> None:
    planned = site.played("destroy_cluster", "--check", **CONFIRMED)
    assert "would delete HostedCluster clusters/guest" in planned.output and len(site.nodes()) == 1
    site.lab.fault("reclaim-fails", "node-1", count=0)
    site.played("destroy_cluster", **CONFIRMED)
    assert site.lab.status()["clusters"] == []
    assert {name for name, state in site.states().items() if state == "registered"} == {"node-1"}
    assert site.played("destroy_cluster", **CONFIRMED).changed == 0
