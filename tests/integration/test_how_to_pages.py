# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the commands of documentation pages in the lab as they are printed, and check that they have the effect that the
page describes.

All commands of docs/how-to/hub-cluster.md, hub-hosts.md, hosted-cluster.md, assisted-cluster.md and rehearse-racks.md,
of docs/reference/status.md and docs/reference/variables.md are run, and some of docs/how-to/before-the-window.md.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.tests.support.pages import blocks, commands

from .canaries import BMC_PASSWORD
from .conftest import MakeLab, canary_inventory, canary_site
from .lab import BIN, ROOT, Deployment, Run
from .test_assisted_deploy import WORKER
from .test_hub import HUB

PAGES = ROOT / "docs" / "how-to"


class Follower:
    """A user who follows a page: ``site.yml`` in a directory, with the addresses and certificates of the lab."""

    def __init__(self, make_lab: MakeLab, directory: Path, name: str, cluster: str, site: Path) -> None:
        self.rack = Deployment(
            make_lab(directory, site), canary_inventory(name, directory), directory, f"clusters/{cluster}"
        )
        self.directory = directory
        self.inventory = directory / "site.yml"
        self.rack.inventory.rename(self.inventory)
        (directory / "group_vars").mkdir()
        (directory / "group_vars" / "all.yml").write_bytes(self.rack.lab.vars_file.read_bytes())
        self.rack.environment["PATH"] = f"{BIN}:/usr/bin:/bin"

    def describe(self, **variables: Any) -> None:
        """Add variables to the inventory."""
        document = json.loads(self.inventory.read_text())
        document["all"]["vars"] |= variables
        self.inventory.write_text(json.dumps(document))

    def run(self, command: str) -> Run:
        done = self.rack.shell(command)
        assert done.ok, f"{command}\n{done.output}"
        return done

    def ready(self) -> set[str]:
        """Names of the Nodes that are Ready."""
        return {name for name, state in self.rack.lab.nodes().items() if state == "Ready"}


def site_of(name: str, directory: Path, **parts: Any) -> Path:
    """The site of an inventory of the repository, with further parts, beside the user's files."""
    (directory / "rack").mkdir()
    path = canary_site(name, directory / "rack")
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **parts}))
    return path


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_cluster_of_a_hub_and_its_hosts(make_lab: MakeLab, tmp_path: Path) -> None:
    path = site_of("demo", tmp_path, hub=HUB)
    document = yaml.safe_load(path.read_text())
    names = ("api.demo.example.com", "api-int.demo.example.com")
    document["networks"][0]["dns"]["records"] = dict.fromkeys(names, "192.168.111.5")
    path.write_text(yaml.safe_dump(document))
    user = Follower(make_lab, tmp_path, "demo", "demo", path)
    shown = yaml.safe_load(blocks(PAGES / "hub-cluster.md", "yaml")[0].text)
    user.describe(openshift_install_method=shown["openshift_install_method"])
    assert set(shown["openshift_hub"]) == {"kubeconfig"}
    check, install, destroy = commands(PAGES / "hub-cluster.md")
    add, reprovision, remove = commands(PAGES / "hub-hosts.md")

    user.run(check)
    assert not sum(user.rack.lab.writes().values())
    user.run(install)
    everyone = {"master-0", "master-1", "master-2", "worker-0", "worker-1"}
    assert user.ready() == everyone
    assert (tmp_path / "clusters" / "demo" / "auth" / "kubeconfig").is_file()
    assert user.run(install).changed == 0
    user.run(reprovision)
    assert user.ready() == everyone - {"worker-1"}
    user.run(add)
    assert user.ready() == everyone
    user.run(remove)
    assert user.ready() == everyone - {"worker-1"} and user.rack.lab.powers()["worker-1"] == "Off"
    user.run(destroy)
    assert set(user.rack.lab.powers().values()) == {"Off"}


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_hosted_cluster(make_lab: MakeLab, tmp_path: Path) -> None:
    user = Follower(make_lab, tmp_path, "hosted", "guest", site_of("hosted", tmp_path))
    deploy, more, fewer, exchange, reprovision, remove, destroy = commands(PAGES / "hosted-cluster.md")

    user.run(deploy)
    assert user.ready() == set() and (tmp_path / "clusters" / "guest" / "auth" / "kubeconfig").is_file()
    user.run(more)
    assert len(user.ready()) == 3
    user.run(fewer)
    assert len(user.ready()) == 2
    user.run(exchange)
    assert len(user.ready()) == 2 and "node-0" not in user.ready()
    user.run(reprovision)
    assert len(user.ready()) == 1
    user.run(remove)
    assert user.rack.lab.powers()["node-2"] == "Off" and "node-2" not in user.ready()
    user.run(destroy)
    assert user.rack.lab.nodes() == {}


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_cluster_of_an_assisted_service(make_lab: MakeLab, tmp_path: Path) -> None:
    user = Follower(make_lab, tmp_path, "assisted", "edge", site_of("assisted", tmp_path))
    check, install, add, destroy = commands(PAGES / "assisted-cluster.md")

    user.run(check)
    assert not sum(user.rack.lab.writes().values())
    user.run(install)
    assert user.ready() == {"master-0", "master-1", "master-2"}
    assert user.run(install).changed == 0
    document = json.loads(user.inventory.read_text())
    described = WORKER["openshift_host"]
    login = {"username": "admin", "password": BMC_PASSWORD}
    worker = {"openshift_host": {**described, "bmc": {**described["bmc"], **login}}}
    document["all"]["children"]["workers"] = {"hosts": {"worker-0": worker}}
    user.inventory.write_text(json.dumps(document))
    user.run(add)
    assert "worker-0" in user.ready()
    user.run(destroy)
    assert set(user.rack.lab.powers().values()) == {"Off"}


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_rehearsal_with_own_racks(tmp_path: Path) -> None:
    user = Deployment(None, canary_inventory("demo", tmp_path), tmp_path)
    user.inventory.rename(tmp_path / "site.yml")
    user.environment["PATH"] = f"{BIN}:/usr/bin:/bin"
    *steps, down, replay, _read = commands(PAGES / "rehearse-racks.md")
    assert down.startswith("ztlab down ") and replay.startswith("ztlab replay DIRECTORY ")
    try:
        for command in steps:
            done = user.shell(command)
            assert done.ok, f"{command}\n{done.output}"
    finally:
        ended = user.shell(down)
    assert ended.ok and not (tmp_path / "lab").exists(), ended.output
    assert (tmp_path / "clusters" / "demo" / "auth" / "kubeconfig").is_file()


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_commands_before_the_window(make_lab: MakeLab, tmp_path: Path) -> None:
    """The checks of the rack pass, and no BMC is written to; the lab has neither the cluster's DNS nor a registry."""
    _prompts, init, _of_bmcs, _validate, _in_ci, preflight, rehearse = commands(PAGES / "before-the-window.md")
    user = Follower(make_lab, tmp_path, "sno", "sno", site_of("sno", tmp_path))
    checked = user.rack.shell(preflight)
    failed = set(re.findall(r"FAIL (\S+)", checked.output))
    assert checked.code == 2 and failed == {"dns-api", "dns-api-int", "dns-apps", "registry"}, checked.output
    assert not sum(user.rack.lab.writes().values())
    alone = tmp_path / "alone"
    alone.mkdir()
    planner = Deployment(None, user.inventory, alone)
    planner.environment["PATH"] = f"{BIN}:/usr/bin:/bin"
    written = planner.shell(init)
    assert written.ok and (alone / "site.yml").is_file(), written.output
    canary_inventory("sno", alone).rename(alone / "site.yml")
    rehearsed = planner.shell(rehearse)
    assert rehearsed.ok, rehearsed.output


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_variable_as_text_and_the_status(make_lab: MakeLab, tmp_path: Path) -> None:
    (deploy,) = commands(ROOT / "docs" / "reference" / "variables.md")
    status, script = (block.text for block in blocks(ROOT / "docs" / "reference" / "status.md", "bash"))
    user = Follower(make_lab, tmp_path, "sno", "sno", site_of("sno", tmp_path))
    user.run(deploy)
    assert "state: done" in user.run(status).output
    assert "the state is done" in user.run(f'{script}\necho "the state is $state"').output
