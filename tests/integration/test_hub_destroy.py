# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Destroy a cluster of a hub and create it again: none of its objects remain on the hub, no Agent is lost.

The tests share one lab and build on each other.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import BIN, Deployment, Run

HUB = {"address": "10.0.0.5", "base_domain": "hub.example.com"}
CONFIRMED = {"openshift_confirm": "sno"}


@dataclasses.dataclass(frozen=True)
class Site:
    """A lab with a hub and one machine."""

    deployment: Deployment

    def play(self, playbook: str, *options: str, binding: str = "late", **extra: Any) -> Run:
        hub = {**self.deployment.lab.vars["openshift_hub"], "binding": binding}
        return self.deployment.run(
            playbook, *options, extra={"openshift_install_method": "hub", "openshift_hub": hub, **extra}
        )

    def played(self, playbook: str, *options: str, **more: Any) -> Run:
        run = self.play(playbook, *options, **more)
        assert run.ok, run.output
        return run

    def on_hub(self, *kinds: str) -> list[str]:
        """Names of what is in the cluster's namespace, ``kind/name``."""
        script = (
            "import sys, json; from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection "
            "import connect; "
            "from ansible_collections.zerotouch.openshift.plugins.module_utils.hub import kinds; "
            "client = connect(json.loads(sys.argv[1])); "
            'print(json.dumps([f\'{kind}/{item["metadata"]["name"]}\' for kind in sys.argv[2:] for item in '
            "client.list(getattr(kinds, kind).path('sno'))]))"
        )
        variables = self.deployment.lab.vars
        connection = {
            "kubeconfig": variables["openshift_hub"]["kubeconfig"],
            "connect_to": variables["openshift_connect_to"],
        }
        command = [str(BIN / "python"), "-c", script, json.dumps(connection), *kinds]
        root = Path(__file__).parents[2] / ".build"
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=True, env={"PYTHONPATH": str(root)}
        )
        return list(json.loads(done.stdout))

    @property
    def power(self) -> str:
        return str(self.deployment.lab.machine("sno-0")["power"])


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    directory = tmp_path_factory.mktemp("hub")
    path = canary_site("sno", directory)
    document = yaml.safe_load(path.read_text())
    document["networks"][0]["dns"]["records"] = {
        "api.sno.example.com": "192.168.126.10",
        "api-int.sno.example.com": "192.168.126.10",
    }
    path.write_text(yaml.safe_dump({**document, "hub": HUB}))
    return Site(Deployment(make_lab(directory, path), canary_inventory("sno", directory), directory))


def test_a_single_node_and_its_report(site: Site) -> None:
    run = site.played("deploy_cluster", "-vvv", "--diff")
    assert "Cluster sno 4.22.0: installed after" in run.output and "1 node ready" in run.output
    report = json.loads((site.deployment.work_dir / "report.json").read_text())
    assert report["result"]["phase"] == "installed" and report["result"]["seconds"] > 0
    assert [phase["phase"] for phase in report["phases"]][-1] == "install"
    (host,) = report["hosts"]
    assert (host["node"], host["role"]) == ("ready", "master")
    # Stages are seen when the hub tells of them; a short one may pass between two looks.
    assert host["stages"][-1]["stage"] == "Done" and {"Writing image to disk", "Rebooting"} & {
        stage["stage"] for stage in host["stages"]
    }
    assert report["files"]["image"] == "" and not host["rendezvous"]
    again = site.played("deploy_cluster")
    assert again.changed == 0 and "ejecting the ISO" not in again.output, again.output


def test_it_is_not_destroyed_by_mistake(site: Site) -> None:
    assert "deletes it from the hub" in site.play("destroy_cluster").message
    forgotten = site.deployment.run("destroy_cluster", extra=CONFIRMED)
    assert (
        "hub is the installation method recorded" in forgotten.message
        and "openshift_install_method=hub" in forgotten.message
    )
    planned = site.played("destroy_cluster", "--check", **CONFIRMED)
    assert "would delete ClusterDeployment sno/sno" in planned.output
    assert site.power == "On" and "CLUSTER_DEPLOYMENT/sno" in site.on_hub("CLUSTER_DEPLOYMENT")


def test_another_deployment_of_that_name_does_not_destroy_it(site: Site) -> None:
    """The inventory of another site, with this hub in KUBECONFIG."""
    writes = site.deployment.lab.writes()
    stopped = Site(site.deployment.elsewhere()).play("destroy_cluster", **CONFIRMED)
    assert not stopped.ok and "ClusterDeployment sno/sno on hub https://" in stopped.message, stopped.output
    assert "is bound to it, and is no host of this inventory" in stopped.message
    assert site.deployment.lab.writes() == writes
    assert site.on_hub("CLUSTER_DEPLOYMENT", "AGENT_CLUSTER_INSTALL") == [
        "CLUSTER_DEPLOYMENT/sno",
        "AGENT_CLUSTER_INSTALL/sno",
    ]


def test_nothing_of_the_cluster_stays_on_the_hub_and_no_agent_is_lost(site: Site) -> None:
    run = site.played("destroy_cluster", **CONFIRMED)
    assert "Agents of InfraEnv sno/sno" in run.output
    assert site.power == "Off"
    assert site.on_hub("CLUSTER_DEPLOYMENT", "AGENT_CLUSTER_INSTALL") == []
    assert len(site.on_hub("AGENT")) == 1
    # The InfraEnv has the same pull secret.
    assert site.on_hub("INFRA_ENV", "SECRET") == ["INFRA_ENV/sno", "SECRET/sno-pull-secret"]
    assert site.played("destroy_cluster", **CONFIRMED).changed == 0


def test_it_is_made_again_by_early_binding_and_purged(site: Site) -> None:
    """The InfraEnv of late-bound hosts cannot get a cluster any more: that is said, and how to go on."""
    refused = site.play("deploy_cluster", binding="early")
    assert "the InfraEnv is bound to no cluster" in refused.message and "delete this one first" in refused.message
    purged = {**CONFIRMED, "openshift_destroy_purge": True}
    site.played("destroy_cluster", **purged)
    assert (
        site.on_hub("CLUSTER_DEPLOYMENT", "AGENT_CLUSTER_INSTALL", "INFRA_ENV", "NMSTATE_CONFIG", "AGENT", "SECRET")
        == []
    )
    assert not site.deployment.work_dir.exists()
    site.played("deploy_cluster", binding="early")
    assert site.power == "On"
    site.played("destroy_cluster", binding="early", **CONFIRMED)
    assert site.on_hub("CLUSTER_DEPLOYMENT", "AGENT_CLUSTER_INSTALL", "INFRA_ENV", "AGENT", "SECRET") == []
    assert (site.deployment.work_dir / "auth" / "kubeconfig").is_file()
