# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test all playbooks for a hub, in the order in which a user runs them: powered-off hosts become Agents, then a
cluster; one host leaves it and joins again, another one is removed. The tests share one lab and build on each other.
"""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import SPEED, Deployment, Lab, Run

HUB = {"address": "10.0.0.5", "base_domain": "hub.example.com"}
# An hour of the lab: long after kubelet was heard last.
DEAD = 3600
# Inventory name -> role, disk that its hints choose.
HOSTS = {"master-0": "master", "master-1": "master", "master-2": "master", "worker-0": "worker", "worker-1": "worker"}


@dataclasses.dataclass(frozen=True)
class Site:
    """A lab with a hub and the demo's machines, and the inventory of the demo."""

    deployment: Deployment

    @property
    def lab(self) -> Lab:
        return self.deployment.lab

    def play(self, playbook: str, *options: str, binding: str = "late", **extra: Any) -> Run:
        hub = {**self.lab.vars["openshift_hub"], "binding": binding}
        return self.deployment.run(
            playbook, *options, extra={"openshift_install_method": "hub", "openshift_hub": hub, **extra}
        )

    def played(self, playbook: str, *options: str, **more: Any) -> Run:
        run = self.play(playbook, *options, **more)
        assert run.ok, run.output
        return run

    def agents(self) -> dict[str, dict[str, Any]]:
        """What agents_info says, by hostname."""
        return {agent["hostname"]: agent for agent in self._ask("agents_info", namespaces=["demo"])["agents"]}

    def listed_nodes(self) -> set[str]:
        """Names of all Nodes that the API of the cluster lists."""
        return set(self._ask("hub_plan", namespace="demo", cluster={"name": "demo"}, hosts=[])["nodes"])

    def _ask(self, module_name: str, **arguments: Any) -> dict[str, Any]:
        connection = {
            "kubeconfig": self.lab.vars["openshift_hub"]["kubeconfig"],
            "connect_to": self.lab.vars["openshift_connect_to"],
        }
        run = self.deployment.module(module_name, {**connection, **arguments})
        start = re.search(r"^localhost \| .*?=> (?=\{)", run.output, re.MULTILINE)
        assert run.ok and start, run.output
        return dict(json.JSONDecoder().raw_decode(run.output[start.end() :])[0])

    def power_off(self, name: str) -> None:
        """What a power cut does to one machine."""
        inventory = json.loads(self.deployment.inventory.read_text())
        groups = inventory["all"]["children"].values()
        host = next(group["hosts"][name]["openshift_host"] for group in groups if name in group["hosts"])
        defaults = inventory["all"]["vars"].get("openshift_host_defaults") or {}
        machine = {"name": name, "bmc": {**(defaults.get("bmc") or {}), **host["bmc"]}, "take_over": True}
        trusted = {name: self.lab.vars[f"openshift_{name}"] for name in ("connect_to", "ca_cert")}
        run = self.deployment.module("boot_hosts", {"hosts": [machine], "state": "off", **trusted})
        assert run.ok, run.output

    def nodes(self) -> set[str]:
        """Names of the Nodes that are Ready, as the lab sees the new cluster."""
        (cluster,) = self.lab.status()["clusters"]
        return {name for name, state in cluster["nodes"].items() if state == "Ready"}


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(make_lab, tmp_path_factory.mktemp("hub"))


def make_site(make_lab: MakeLab, directory: Path) -> Site:
    path = canary_site("demo", directory)
    document = yaml.safe_load(path.read_text())
    # A host that joins an installed cluster fetches its Ignition from there by name.
    document["networks"][0]["dns"]["records"] = {
        "api.demo.example.com": "192.168.111.5",
        "api-int.demo.example.com": "192.168.111.5",
    }
    path.write_text(yaml.safe_dump({**document, "hub": HUB}))
    return Site(Deployment(make_lab(directory, path), canary_inventory("demo", directory), directory))


def test_a_plan_before_anything_exists(site: Site) -> None:
    run = site.played("deploy_cluster", "--check", "--diff")
    assert "would create AgentClusterInstall demo/demo" in run.output
    assert "boot master-0, master-1, master-2, worker-0, worker-1" in run.output
    assert all(f"would boot {name} (" in run.output for name in HOSTS)
    assert site.agents() == {}
    assert set(site.lab.writes().values()) == {0}


def test_hosts_become_agents(site: Site) -> None:
    """From powered off to approved Agents with the right names, roles and disks; nothing is bound."""
    infra_env = {"pull_secret": canary_pull_secret(site)}
    first = site.played("add_hosts", binding="none", openshift_infra_env=infra_env)
    agents = site.agents()
    assert {name: agent["role"] for name, agent in agents.items()} == HOSTS
    assert all(agent["approved"] and agent["cluster"] in ("", None) for agent in agents.values())
    chosen = {name: agent["installation_disk_id"] for name, agent in agents.items()}
    assert chosen["worker-0"].endswith("nvme-eui.0025385b00000030"), "the hints of worker-0 mean its NVMe disk"
    assert first.changed >= 3
    writes = site.lab.writes()
    again = site.played("add_hosts", binding="none", openshift_infra_env=infra_env)
    assert (again.changed, site.lab.writes()) == (0, writes), again.output


def canary_pull_secret(site: Site) -> str:
    inventory = json.loads(site.deployment.inventory.read_text())
    return str(inventory["all"]["vars"]["openshift_cluster"]["pull_secret"])


def test_a_cluster_from_them(site: Site) -> None:
    """The Agents that are there are used: no machine is booted again.

    Media are detached, credentials come home, a second run changes nothing.
    """
    boots = {machine["name"]: len(machine["boots"]) for machine in site.lab.status()["machines"]}
    run = site.played("deploy_cluster")
    assert "inserting the image" not in run.output
    assert "100%" in run.output
    assert {agent["state"] for agent in site.agents().values()} == {"installed"}
    assert site.nodes() == set(HOSTS)
    assert {
        machine["name"]: len(machine["boots"]) - boots[machine["name"]] for machine in site.lab.status()["machines"]
    } == dict.fromkeys(HOSTS, 1)
    site.lab.assert_nothing_left()
    writes = site.lab.writes()
    again = site.played("deploy_cluster")
    assert (again.changed, site.lab.writes()) == (0, writes), again.output


@pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not installed")
def test_what_kubectl_shows(site: Site) -> None:
    command = ["kubectl", "--kubeconfig", str(site.lab.hub_kubeconfig()), "get", "agents,aci,cd", "-n", "demo"]
    output = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert len(re.findall(r"^agent\.\S+ +demo +true +(?:master|worker) +Done *$", output, re.MULTILINE)) == len(HOSTS)
    assert re.search(r"^agentclusterinstall\S+ +demo +(installed|adding-hosts)", output, re.MULTILINE), output


def test_no_host_leaves_without_confirmation(site: Site) -> None:
    for extra in (
        {},
        {"openshift_hosts": ["worker-1"]},
        {"openshift_confirm": "demo"},
        {"openshift_hosts": ["worker-1"], "openshift_confirm": "other"},
    ):
        run = site.play("reprovision_hosts", **extra)
        assert not run.ok and "No machine was touched" in run.message and "openshift_confirm=demo" in run.message
    run = site.play("remove_hosts", openshift_hosts=["wroker-1"], openshift_confirm="demo")
    assert not run.ok and "worker-1" in run.output
    assert site.nodes() == set(HOSTS)


def test_a_host_is_freed_and_joins_again(site: Site) -> None:
    before = site.lab.writes()
    predicted = site.played("reprovision_hosts", "--check", openshift_hosts=["worker-1"], openshift_confirm="demo")
    assert (
        "would drain Node worker-1" in predicted.output
        and ("would remove worker-1 from its cluster and boot it into discovery") in predicted.output
    )
    assert (site.lab.writes(), site.nodes()) == (before, set(HOSTS))
    site.played("reprovision_hosts", openshift_hosts=["worker-1"], openshift_confirm="demo")
    # None where the hub has reclaimed it before it could be booted.
    assert {name for name, count in site.lab.writes().items() if count != before[name]} <= {"worker-1"}
    freed = site.agents()["worker-1"]
    assert (freed["state"], freed["cluster"] or "") == ("known-unbound", "")
    assert site.nodes() == set(HOSTS) - {"worker-1"}
    writes = site.lab.writes()
    again = site.played("reprovision_hosts", openshift_hosts=["worker-1"], openshift_confirm="demo")
    assert (again.changed, site.lab.writes()) == (0, writes), "a host that is free already is not booted again"
    back = site.played("add_hosts")
    assert site.nodes() == set(HOSTS), back.output
    assert site.agents()["worker-1"]["state"] == "added-to-existing-cluster"
    assert site.played("add_hosts").changed == 0
    site.lab.assert_nothing_left()


def test_a_dead_host_is_removed_without_a_drain(site: Site) -> None:
    """Its Node too: the hub removes it with an Agent that is still bound, not with one that was unbound just before."""
    removal = {"openshift_hosts": ["worker-0"], "openshift_confirm": "demo"}
    site.power_off("worker-0")
    time.sleep(DEAD / float(SPEED))
    writes = site.lab.writes()
    predicted = site.played("remove_hosts", "--check", **removal)
    assert "would taint Node worker-0 as out of service, without a drain" in predicted.output
    assert "would remove worker-0 from its cluster and power it off" in predicted.output
    assert site.lab.writes() == writes and site.listed_nodes() == set(HOSTS)
    run = site.played("remove_hosts", **removal)
    assert re.search(r"Drain the Nodes\] \**\nskipping", run.output), run.output
    assert re.search(r"Taint the Nodes whose machines are off\] \**\n.*\n?changed: .*item=worker-0", run.output), (
        run.output
    )
    assert site.listed_nodes() == set(HOSTS) - {"worker-0"}
    assert set(site.agents()) == set(HOSTS) - {"worker-0"}
    assert site.lab.machine("worker-0")["power"] == "Off"
    again = site.played("remove_hosts", **removal)
    assert again.changed == 0, again.output
