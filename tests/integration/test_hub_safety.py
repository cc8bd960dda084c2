# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that method hub does not change certain machines, as observed at their BMCs and on the hub: the machine of
another owner's BareMetalHost, of a disconnected Agent, of a cluster of another method. The tests of a lab build on each
other.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import BIN, ROOT, SPEED, Deployment, Run

HUB = {"address": "10.0.0.5", "base_domain": "hub.example.com"}
# After these seconds of the lab a service no longer counts a host as connected.
SILENT = 240
_ON_HUB = """
import json, sys
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import AGENT, AGENT_CLUSTER_INSTALL, BARE_METAL_HOST, NAMESPACE
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import connect
client = connect(json.loads(sys.argv[1]))
act, body = sys.argv[2], json.loads(sys.argv[3])
if act == "put":
    if client.find(NAMESPACE.path("", "metal")) is None:
        client.create(NAMESPACE.path(), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "metal"}})
    client.create(BARE_METAL_HOST.path("metal"), body)
elif act == "delete":
    client.delete(BARE_METAL_HOST.path("metal", "theirs"))
agents = [((item.get("status") or {}).get("debugInfo") or {}).get("state") for item in client.list(AGENT.path("sno"))]
hosts = sorted("{namespace}/{name}".format(**item["metadata"]) for item in client.list(BARE_METAL_HOST.path()))
print(json.dumps({"agents": agents, "clusters": len(client.list(AGENT_CLUSTER_INSTALL.path())), "hosts": hosts}))
"""  # noqa: E501


@dataclasses.dataclass(frozen=True)
class Site:
    """A lab with a hub and one machine."""

    deployment: Deployment

    @property
    def bmc_options(self) -> dict[str, Any]:
        """How the BMC of the machine is reached."""
        described = json.loads(self.deployment.inventory.read_text())["all"]
        (group,) = described["children"].values()
        defaults = described["vars"].get("openshift_host_defaults") or {}
        return {**(defaults.get("bmc") or {}), **group["hosts"]["sno-0"]["openshift_host"]["bmc"]}

    def play(self, playbook: str, *options: str, binding: str = "late", **extra: Any) -> Run:
        hub = {**self.deployment.lab.vars["openshift_hub"], "binding": binding}
        return self.deployment.run(
            playbook, *options, extra={"openshift_install_method": "hub", "openshift_hub": hub, **extra}
        )

    def played(self, playbook: str, *options: str, **extra: Any) -> Run:
        run = self.play(playbook, *options, **extra)
        assert run.ok, run.output
        return run

    def refused(self, playbook: str, *options: str, **extra: Any) -> str:
        """The message of a run that must stop before the first write to a BMC or to the hub."""
        before = self.writes(), self.on_hub()
        run = self.play(playbook, *options, **extra)
        assert not run.ok and "Traceback" not in run.output, run.output
        assert (self.writes(), self.on_hub()) == before, run.output
        return run.message

    def writes(self) -> int:
        return sum(self.deployment.lab.writes().values())

    def on_hub(self, act: str = "look", body: dict[str, Any] | None = None) -> dict[str, Any]:
        """States of the Agents, and how many clusters there are."""
        connection = {
            "kubeconfig": self.deployment.lab.vars["openshift_hub"]["kubeconfig"],
            "connect_to": self.deployment.lab.vars["openshift_connect_to"],
        }
        command = [str(BIN / "python"), "-c", _ON_HUB, json.dumps(connection), act, json.dumps(body or {})]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, env={"PYTHONPATH": str(ROOT / ".build")}
        )
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))

    def bmc(self, state: str) -> None:
        """What a person does at the BMC."""
        machine = {"name": "sno-0", "bmc": self.bmc_options, "take_over": True}
        trusted = {name: self.deployment.lab.vars[f"openshift_{name}"] for name in ("connect_to", "ca_cert")}
        run = self.deployment.module("boot_hosts", {"hosts": [machine], "state": state, **trusted})
        assert run.ok, run.output

    def pull_secret(self) -> str:
        return str(json.loads(self.deployment.inventory.read_text())["all"]["vars"]["openshift_cluster"]["pull_secret"])

    def until(self, reached: Callable[[dict[str, Any]], bool]) -> None:
        """Wait for the hub; twice as long as it takes in the lab."""
        for _ in range(200):
            if reached(self.on_hub()):
                return
            time.sleep(2 * SILENT / float(SPEED) / 100)
        pytest.fail(f"the hub never came so far: {self.on_hub()}")


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    directory = tmp_path_factory.mktemp("safety")
    path = canary_site("sno", directory)
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "hub": HUB}))
    return Site(Deployment(make_lab(directory, path), canary_inventory("sno", directory), directory))


def test_machine_of_another_owners_bare_metal_host(site: Site) -> None:
    """Its owner boots it; nothing is written to its BMC, and no object is created on the hub."""
    metadata = {"name": "theirs", "namespace": "metal", "annotations": {"baremetalhost.metal3.io/paused": ""}}
    spec = {"online": True, "bmc": {"address": site.bmc_options["address"], "credentialsName": "theirs"}}
    site.on_hub(
        "put", {"apiVersion": "metal3.io/v1alpha1", "kind": "BareMetalHost", "metadata": metadata, "spec": spec}
    )
    for playbook in ("deploy_cluster", "add_hosts"):
        message = site.refused(
            playbook, binding="none", openshift_force="take_over,start_over", openshift_confirm="sno"
        )
        assert "BareMetalHost metal/theirs has its BMC address" in message
    site.on_hub("delete")


def test_another_owner_comes_between_the_decision_and_the_bare_metal_host(site: Site) -> None:
    """The hub would boot the machine as soon as it had our BareMetalHost: the decision is made again before that."""
    metadata = {"name": "theirs", "namespace": "metal", "annotations": {"baremetalhost.metal3.io/paused": ""}}
    spec = {"online": True, "bmc": {"address": site.bmc_options["address"], "credentialsName": "theirs"}}
    theirs = {"apiVersion": "metal3.io/v1alpha1", "kind": "BareMetalHost", "metadata": metadata, "spec": spec}
    hub = {**site.deployment.lab.vars["openshift_hub"], "binding": "none", "bare_metal_hosts": True}
    run, _took = site.deployment.watched(
        lambda output: "Create or update the InfraEnv, and wait for its image" in output,
        lambda process, output: site.on_hub("put", theirs),
        playbook="add_hosts",
        extra={
            "openshift_install_method": "hub",
            "openshift_hub": hub,
            "openshift_infra_env": {"pull_secret": site.pull_secret()},
        },
    )
    assert not run.ok and "BareMetalHost metal/theirs has its BMC address" in run.message, run.output
    assert "Decide again whether the machines may be booted" in run.output
    assert site.on_hub()["hosts"] == ["metal/theirs"] and site.writes() == 0
    site.on_hub("delete")


def test_cluster_that_does_not_exist_is_found_before_a_boot(site: Site) -> None:
    assert "has no ClusterDeployment sno/sno" in site.refused("add_hosts")


def test_host_that_nothing_is_known_of_is_not_reported_as_free(site: Site) -> None:
    for playbook in ("remove_hosts", "reprovision_hosts"):
        message = site.refused(playbook, openshift_hosts=["sno-0"], openshift_confirm="sno")
        assert "no record contains it, and it is off" in message


def test_disconnected_agent_of_a_machine_that_is_on(site: Site) -> None:
    """It may have been installed elsewhere since: the machine is booted when it is off, or taken over."""
    infra_env = {"pull_secret": site.pull_secret()}
    predicted = site.played("add_hosts", "--check", binding="none", openshift_infra_env=infra_env)
    assert "would boot sno-0" in predicted.output and site.writes() == 0
    site.played("add_hosts", binding="none", openshift_infra_env=infra_env)
    assert site.on_hub()["agents"] == ["known-unbound"]
    for state in ("ejected", "off", "on"):
        site.bmc(state)
    site.until(lambda hub: hub["agents"] == ["disconnected-unbound"])
    message = site.refused("add_hosts", binding="none", openshift_infra_env=infra_env)
    assert "its Agent is disconnected" in message and "openshift_force=take_over" in message
    site.bmc("off")
    writes = site.writes()
    assert (
        "would boot sno-0" in site.played("add_hosts", "--check", binding="none", openshift_infra_env=infra_env).output
    )
    site.played("add_hosts", binding="none", openshift_infra_env=infra_env)
    assert site.writes() > writes and site.on_hub()["agents"] == ["known-unbound"]


def test_free_host_is_removed_once(site: Site) -> None:
    removal = {"openshift_hosts": ["sno-0"], "openshift_confirm": "sno"}
    writes = site.writes()
    predicted = site.played("remove_hosts", "--check", **removal)
    assert "would remove sno-0 from its cluster and power it off" in predicted.output and site.writes() == writes
    site.played("remove_hosts", **removal)
    assert site.on_hub()["agents"] == [] and site.deployment.lab.machine("sno-0")["power"] == "Off"
    writes = site.writes()
    again = site.played("remove_hosts", **removal)
    assert (again.changed, site.writes()) == (0, writes), again.output


@pytest.fixture(scope="module")
def installed(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A lab with a hub, and a single node that an agent ISO has installed."""
    directory = tmp_path_factory.mktemp("installed")
    path = canary_site("sno", directory)
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "hub": HUB}))
    deployment = Deployment(make_lab(directory, path), canary_inventory("sno", directory), directory)
    deployment.deployed()
    return Site(deployment)


def test_cluster_of_another_method(installed: Site) -> None:
    """Its machines are neither booted nor taken out by method hub, and nothing is created on the hub."""
    for options in ((), ("--check",)):
        message = installed.refused("deploy_cluster", *options)
        assert "destroy_cluster -e openshift_install_method=agent -e openshift_confirm=sno" in message
    for playbook in ("remove_hosts", "reprovision_hosts"):
        assert "openshift_install_method=agent" in installed.refused(
            playbook, openshift_hosts=["sno-0"], openshift_confirm="sno"
        )


def test_cluster_whose_record_is_lost(installed: Site) -> None:
    """A job container with an empty work directory: the machine is on, and no record says what runs on it."""
    lost = Site(installed.deployment.beside("another"))
    for playbook in ("deploy_cluster", "add_hosts"):
        message = lost.refused(playbook, binding="none" if playbook == "add_hosts" else "late")
        assert "sno-0" in message
    assert "openshift_confirm" not in message or "restore its work directory" in message
    for playbook in ("remove_hosts", "reprovision_hosts"):
        lost.refused(playbook, openshift_hosts=["sno-0"], openshift_confirm="sno")
    assert installed.deployment.lab.machine("sno-0")["power"] == "On"
