# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a cluster whose machines are booted by the hub: the playbooks create BareMetalHosts and send no BMC requests.

The tests share one lab and build on each other.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import Deployment, Run

HUB = {"address": "10.0.0.5", "base_domain": "hub.example.com"}
HOSTS = {"master-0": "master", "master-1": "master", "master-2": "master", "worker-0": "worker", "worker-1": "worker"}


class Site:
    """A lab with a hub and the demo's machines; only the hub uses their BMCs."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self.lab = deployment.lab

    def play(self, playbook: str, *options: str, **extra: Any) -> Run:
        hub = {**self.lab.vars["openshift_hub"], "bare_metal_hosts": True}
        return self.deployment.run(
            playbook, *options, extra={"openshift_install_method": "hub", "openshift_hub": hub, **extra}
        )

    def played(self, playbook: str, *options: str, **extra: Any) -> Run:
        run = self.play(playbook, *options, **extra)
        assert run.ok, run.output
        return run

    def agents(self) -> dict[str, dict[str, Any]]:
        """What agents_info says, by hostname."""
        run = self.run_module("agents_info", namespaces=["demo"])
        return {agent["hostname"]: agent for agent in run["agents"]}

    def run_module(self, module: str, **arguments: Any) -> dict[str, Any]:
        connection = {
            "kubeconfig": self.lab.vars["openshift_hub"]["kubeconfig"],
            "connect_to": self.lab.vars["openshift_connect_to"],
        }
        run = self.deployment.module(module, {**connection, **arguments})
        start = re.search(r"^localhost \| .*?=> (?=\{)", run.output, re.MULTILINE)
        assert start, run.output
        return {**json.JSONDecoder().raw_decode(run.output[start.end() :])[0], "failed": not run.ok}

    def nodes(self) -> set[str]:
        (cluster,) = self.lab.status()["clusters"]
        return {name for name, state in cluster["nodes"].items() if state == "Ready"}


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    directory = tmp_path_factory.mktemp("hub")
    path = canary_site("demo", directory)
    document = yaml.safe_load(path.read_text())
    document["networks"][0]["dns"]["records"] = {
        "api.demo.example.com": "192.168.111.5",
        "api-int.demo.example.com": "192.168.111.5",
    }
    path.write_text(yaml.safe_dump({**document, "hub": HUB}))
    return Site(Deployment(make_lab(directory, path), canary_inventory("demo", directory), directory))


def test_a_cluster_of_machines_that_the_hub_boots(site: Site) -> None:
    run = site.played("deploy_cluster")
    assert "inserting the image" not in run.output
    agents = site.agents()
    assert {name: agent["role"] for name, agent in agents.items()} == HOSTS
    assert {agent["bare_metal_host"] for agent in agents.values()} == set(HOSTS)
    assert agents["worker-0"]["installation_disk_id"].endswith("nvme-eui.0025385b00000030"), (
        "the hints of worker-0 mean its NVMe disk"
    )
    assert site.nodes() == set(HOSTS)
    again = site.played("deploy_cluster")
    assert again.changed == 0, again.output


def test_the_objects_say_the_same_once_more(site: Site) -> None:
    """Also after the controllers have written into them (detached, paused, image): nothing differs from the desired
    state.
    """
    again = site.played("add_hosts")
    assert again.changed == 0, again.output
    assert "would" not in site.played("add_hosts", "--check").output


def test_a_host_is_freed_by_its_bare_metal_host_and_joins_again(site: Site) -> None:
    """The hub boots the machine into discovery again, and once more into its cluster."""
    site.played("reprovision_hosts", openshift_hosts=["worker-1"], openshift_confirm="demo")
    freed = site.agents()["worker-1"]
    assert (freed["state"], freed["cluster"] or "") == ("known-unbound", "")
    assert site.nodes() == set(HOSTS) - {"worker-1"}
    back = site.played("add_hosts")
    assert site.nodes() == set(HOSTS), back.output
    assert site.agents()["worker-1"]["state"] == "added-to-existing-cluster"
    assert site.played("add_hosts").changed == 0


def test_a_host_is_removed_with_its_bare_metal_host(site: Site) -> None:
    site.played("remove_hosts", openshift_hosts=["worker-0"], openshift_confirm="demo")
    left = set(HOSTS) - {"worker-0"}
    assert (site.nodes(), set(site.agents())) == (left, left)
    assert site.lab.machine("worker-0")["power"] == "Off"
    gone = site.run_module("bare_metal_hosts", namespace="demo", state="absent", hosts=[{"name": "worker-0"}])
    assert (gone["failed"], gone["changed"], gone["plan"]) == (False, False, [])


def test_a_machine_of_the_cluster_is_not_switched_off_by_deletion(site: Site) -> None:
    """An installed host is detached: its BareMetalHost can go, its Node stays."""
    result = site.run_module("bare_metal_hosts", namespace="demo", state="absent", hosts=[{"name": "worker-1"}])
    assert not result["failed"], result
    assert [step.split(":")[0] for step in result["done"]] == [
        "delete BareMetalHost demo/worker-1",
        "delete Secret demo/worker-1-bmc-secret",
    ]
    assert "worker-1" in site.nodes() and site.lab.machine("worker-1")["power"] == "On"


def test_nothing_is_left_of_a_cluster_that_is_destroyed(site: Site) -> None:
    """The hub releases all machines: off, no medium, no BareMetalHost, no Secret."""
    site.played("destroy_cluster", openshift_confirm="demo")
    gone = site.run_module(
        "bare_metal_hosts", namespace="demo", state="absent", hosts=[{"name": name} for name in HOSTS]
    )
    assert (gone["failed"], gone["plan"]) == (False, []), gone
    assert {
        machine["name"]: (machine["power"], machine["medium"]) for machine in site.lab.status()["machines"]
    } == dict.fromkeys(HOSTS, ("Off", None))
