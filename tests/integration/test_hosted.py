# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a hosted cluster and its pool: machines that are off become nodes, and the pool scales down and up again,
without manual work on a machine.

The tests share one lab and build on each other.
"""

from __future__ import annotations

import json

import pytest

from .conftest import MakeLab
from .hosted import CONFIRMED, HOSTS, Site, changed, make_site


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(make_lab, tmp_path_factory.mktemp("hosted"))


def test_a_plan_before_anything_exists(site: Site) -> None:
    run = site.played("deploy_cluster", "--check", "--diff", openshift_node_pool={"replicas": 2})
    for line in (
        "would create HostedCluster clusters/guest",
        "would scale NodePool clusters/guest from 0 to 2",
        "would boot node-1.guest.example.com",
    ):
        assert line in run.output, run.output
    assert "would boot node-2" not in run.output
    assert set(site.lab.writes().values()) == {0}


def test_what_is_missing_is_reported_before_a_machine_is_touched(site: Site) -> None:
    """The control plane is there, and its kubeconfig; a pool that is too large for the rack is refused."""
    run = site.play("deploy_cluster", openshift_node_pool={"replicas": 7})
    assert (
        not run.ok
        and ("1 host is missing: NodePool clusters/guest needs 7 more, 0 Agents are free, 6 machines can be booted")
        in run.message
    )
    assert (site.deployment.work_dir / "auth" / "kubeconfig").stat().st_mode & 0o777 == 0o600
    assert site.nodes() == set() and set(site.lab.writes().values()) == {0}


def test_from_nothing_to_five(site: Site) -> None:
    """No machine more is booted than is needed, and the cluster is complete then."""
    site.scaled(replicas=5)
    assert site.nodes() == set(HOSTS.values()) - {"node-5"}
    assert site.states()["node-5"] == "off"
    site.lab.assert_nothing_left()
    recorded = json.loads((site.deployment.work_dir / "state.json").read_text())
    assert (recorded["install"]["method"], recorded["cluster"]["name"]) == ("hosted", "guest")
    assert {name: machine["state"] for name, machine in recorded["machines"].items()} == dict.fromkeys(
        set(HOSTS.values()) - {"node-5"}, "booted"
    )


def test_deploying_again_keeps_the_size(site: Site) -> None:
    """The inventory says replicas: 0, the size of a new pool.

    The pool of five keeps its hosts, and a warning names the playbook that would change it.
    """
    writes = site.lab.writes()
    again = site.played("deploy_cluster")
    assert site.nodes() == set(HOSTS.values()) - {"node-5"}, again.output
    assert (again.changed, site.lab.writes()) == (0, writes), again.output
    assert again.output.count("run scale_node_pool to change it") == 1, again.output
    assert "5 of 5 nodes are ready" in again.output


def test_hosts_that_would_leave_are_named_and_need_a_confirmation(site: Site) -> None:
    """Without it nothing is written. Check mode, the message and the run name the same host."""
    writes, nodes = site.lab.writes(), site.nodes()
    stopped = site.play("scale_node_pool", openshift_node_pool={"replicas": 4})
    assert not stopped.ok and "-e openshift_confirm=guest" in stopped.message, stopped.output
    leaving = str(stopped.message).partition("would shrink from 5 to 4: ")[2].partition(" would be drained")[0]
    assert leaving in nodes and (site.nodes(), site.lab.writes()) == (nodes, writes)
    planned = site.played("scale_node_pool", "--check", openshift_node_pool={"replicas": 4}, **CONFIRMED)
    for line in (
        "would scale NodePool clusters/guest from 5 to 4",
        f"would drain Node {leaving}",
        "would delete Machine",
        f"would boot {leaving} into discovery",
    ):
        assert line in planned.output, planned.output
    assert (site.nodes(), site.lab.writes()) == (nodes, writes)
    site.played("scale_node_pool", openshift_node_pool={"replicas": 4}, **CONFIRMED)
    assert site.nodes() == nodes - {leaving}
    assert changed(site, writes) <= {name for name, hostname in HOSTS.items() if hostname == leaving}


def test_a_spare_that_cannot_be_reached_is_replaced(site: Site) -> None:
    """The host that left is free, so that only one machine has to be booted for two more nodes: none is left, and the
    message says why.
    """
    site.lab.fault("bmc-wrong-mac", "node-5", count=0)
    writes = site.lab.writes()
    few = site.play("scale_node_pool", openshift_node_pool={"replicas": 6})
    site.lab.clear_faults()
    assert not few.ok and "1 host is missing" in few.message and "node-5: " in few.message, few.output
    assert site.lab.writes() == writes
    site.scaled(replicas=5)
    assert len(site.nodes()) == 5 and site.lab.writes() == writes


def test_down_to_two_by_name(site: Site) -> None:
    """Exactly the named hosts go.

    One that the hub can bring back comes by itself, the others are booted through their BMCs; all are free Agents
    again.
    """
    for name in ("node-0", "node-1"):
        site.lab.fault("reclaim-fails", name, count=0)
    before = site.lab.writes()
    going = {"remove": ["node-0", "node-1", "node-3"]}
    planned = site.scaled("--check", **going)
    site.scaled(**going)
    assert site.nodes() == {"node-2", "node-4"}
    assert changed(site, before) == {"node-0", "node-1"}
    assert all(f"would drain Node {HOSTS[name]}" in planned.output for name in going["remove"]), planned.output
    (line,) = [line for line in planned.output.splitlines() if "into discovery, if the hub cannot" in line]
    assert all(HOSTS[name] in line for name in changed(site, before))
    assert {site.states()[name] for name in ("node-0", "node-1", "node-3")} == {"registered"}
    writes = site.lab.writes()
    again = site.scaled(replicas=2, remove=["node-0", "node-1", "node-3"])
    assert (again.changed, site.lab.writes()) == (0, writes), again.output


def test_and_up_again_with_the_hosts_that_left(site: Site) -> None:
    """Check mode prints which Machine would get which host, and boots none."""
    planned = site.scaled("--check", replicas=5)
    for name in ("node-0", "node-1.guest.example.com", "node-3"):
        assert f"would get {name}" in planned.output, planned.output
    assert site.nodes() == {"node-2", "node-4"}
    run = site.scaled(replicas=5)
    assert "inserting the image" not in run.output
    assert site.nodes() == set(HOSTS.values()) - {"node-5"}
    site.lab.assert_nothing_left()
