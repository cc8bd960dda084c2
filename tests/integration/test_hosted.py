# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A hosted cluster and its pool, from machines that are off to nodes, down, up again, and away, with no hand on a machine. The tests share one lab and build
on each other.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import Deployment, Lab, Run

# Host of the inventory -> its hostname.
HOSTS = {f"node-{number}": f"node-{number}" for number in range(6)} | {"node-1": "node-1.guest.example.com"}
CONFIRMED = {"openshift_confirm": "guest"}


@dataclasses.dataclass(frozen=True)
class Site:
    """A hub that hosts clusters, six machines, and the inventory of both."""

    deployment: Deployment

    @property
    def lab(self) -> Lab:
        return self.deployment.lab

    def play(self, playbook: str, *options: str, **extra: Any) -> Run:
        run = self.deployment.run(playbook, *options, extra=extra)
        assert "Traceback" not in run.output, run.output
        return run

    def played(self, playbook: str, *options: str, **extra: Any) -> Run:
        run = self.play(playbook, *options, **extra)
        assert run.ok, run.output
        return run

    def scaled(self, *options: str, **pool: Any) -> Run:
        return self.played("scale_node_pool", *options, openshift_node_pool=pool)

    def nodes(self) -> set[str]:
        """Names of the Nodes that are Ready, as the lab sees the hosted cluster."""
        clusters = self.lab.status()["clusters"]
        return {name for cluster in clusters for name, state in cluster["nodes"].items() if state == "Ready"}

    def states(self) -> dict[str, str]:
        """What the lab says of each machine."""
        return {machine["name"]: str(machine["phase"]) for machine in self.lab.status()["machines"]}


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    directory = tmp_path_factory.mktemp("hosted")
    return Site(Deployment(make_lab(directory, canary_site("hosted", directory)), canary_inventory("hosted", directory), directory))


def test_a_plan_before_anything_exists(site: Site) -> None:
    run = site.played("deploy_cluster", "--check", "--diff", openshift_node_pool={"replicas": 2})
    for line in ("would create HostedCluster clusters/guest", "would scale NodePool clusters/guest from 0 to 2", "would boot node-1.guest.example.com"):
        assert line in run.output, run.output
    assert "would boot node-2" not in run.output
    assert set(site.lab.writes().values()) == {0}


def test_what_is_missing_is_told_before_a_machine_is_touched(site: Site) -> None:
    """The control plane is there, and its kubeconfig; a pool that is too large for the rack is refused."""
    run = site.play("deploy_cluster", openshift_node_pool={"replicas": 7})
    assert not run.ok and "1 host is missing: NodePool clusters/guest needs 7 more, 0 Agents are free, 6 machines can be booted" in run.message
    assert (site.deployment.work_dir / "auth" / "kubeconfig").stat().st_mode & 0o777 == 0o600
    assert site.nodes() == set() and set(site.lab.writes().values()) == {0}


def test_from_nothing_to_five(site: Site) -> None:
    """No machine more is booted than is needed; the cluster is complete then, and a second run finds nothing to do."""
    site.scaled(replicas=5)
    assert site.nodes() == set(HOSTS.values()) - {"node-5"}
    assert site.states()["node-5"] == "off"
    site.lab.assert_nothing_left()
    writes = site.lab.writes()
    again = site.played("deploy_cluster", openshift_node_pool={})
    assert (again.changed, site.lab.writes()) == (0, writes), again.output
    assert "5 of 5 nodes are ready" in again.output


def test_down_to_two_by_name(site: Site) -> None:
    """Exactly the named hosts go. One that the hub can bring back comes by itself, the others are booted through their BMCs; all are free Agents again."""
    for name in ("node-0", "node-1"):
        site.lab.fault("reclaim-fails", name, count=0)
    before = site.lab.writes()
    site.scaled(remove=["node-0", "node-1", "node-3"])
    assert site.nodes() == {"node-2", "node-4"}
    assert {name for name, writes in site.lab.writes().items() if writes > before[name]} == {"node-0", "node-1"}
    assert {site.states()[name] for name in ("node-0", "node-1", "node-3")} == {"registered"}
    writes = site.lab.writes()
    again = site.scaled(replicas=2, remove=["node-0", "node-1", "node-3"])
    assert (again.changed, site.lab.writes()) == (0, writes), again.output


def test_and_up_again_with_the_hosts_that_left(site: Site) -> None:
    """Check mode tells who would get which host; nobody is booted for it."""
    planned = site.scaled("--check", replicas=5)
    for name in ("node-0", "node-1.guest.example.com", "node-3"):
        assert f"would get {name}" in planned.output, planned.output
    assert site.nodes() == {"node-2", "node-4"}
    run = site.scaled(replicas=5)
    assert "inserting the image" not in run.output
    assert site.nodes() == set(HOSTS.values()) - {"node-5"}
    site.lab.assert_nothing_left()


def test_a_host_leaves_for_good_and_another_one_for_a_while(site: Site) -> None:
    site.played("remove_hosts", openshift_hosts=["node-4"], **CONFIRMED)
    assert site.states()["node-4"] == "off"
    site.played("reprovision_hosts", openshift_hosts=["node-0"], **CONFIRMED)
    assert site.states()["node-0"] == "registered"
    assert site.nodes() == {HOSTS["node-1"], "node-2", "node-3"}


def test_no_agent_is_lost_with_the_cluster(site: Site) -> None:
    site.played("destroy_cluster", **CONFIRMED)
    assert site.lab.status()["clusters"] == []
    assert {name for name, state in site.states().items() if state == "registered"} == {"node-0", "node-1", "node-2", "node-3"}
    assert site.played("destroy_cluster", **CONFIRMED).changed == 0
