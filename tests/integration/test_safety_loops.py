# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test unattended runs that repeat: a laboratory that destroys and deploys again, one that uses start_over, a nightly
deployment of many sites.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from .canaries import BMC_PASSWORD
from .conftest import MakeLab, canary_inventory
from .lab import ROOT, Deployment, Lab, Run
from .safety import mentions, rack

pytestmark = [pytest.mark.long, pytest.mark.timeout(2400)]
TIMES = 10
SITES = 20
DOWN = ("sno-3", "sno-8", "sno-15")


@pytest.fixture
def single(make_lab: MakeLab, tmp_path: Path) -> Deployment:
    return rack(make_lab, tmp_path / "rack", "sno")


def test_destroy_and_deploy_in_a_loop(single: Deployment) -> None:
    """Both playbooks without a question, each time; after each destroy the machine is off, after each deployment it is
    a Node.
    """
    for _turn in range(TIMES):
        single.deployed()
        assert single.lab.nodes("sno")["sno-0"] == "Ready"
        destroyed = single.run("destroy_cluster", extra={"openshift_confirm": "sno"})
        assert destroyed.ok and single.lab.powers() == {"sno-0": "Off"}, destroyed.output
    assert len(single.lab.boots()["sno-0"]) >= TIMES


def test_start_over_in_a_loop(single: Deployment) -> None:
    """``start_over`` with the name of the cluster installs a running cluster again, each time."""
    single.deployed()
    for turn in range(TIMES):
        inserted = images_inserted(single)
        single.deployed(extra={"openshift_force": ["start_over"], "openshift_confirm": "sno"})
        assert single.lab.nodes("sno")["sno-0"] == "Ready"
        assert images_inserted(single) == inserted + 1, turn
    again = single.untouched()
    assert again.ok and again.changed == 0, again.output


def images_inserted(deployment: Deployment) -> int:
    return sum("InsertMedia" in write["summary"] for write in deployment.lab.bmc_writes())


# Twenty single nodes, deployed each night


@pytest.fixture
def sites(make_lab: MakeLab, tmp_path: Path) -> Iterator[list[Deployment]]:
    """Single-node clusters of one lab, each with an inventory and a work directory of its own."""
    lab = make_lab(tmp_path, many_sites(tmp_path))
    yield [Deployment(lab, inventory_of(lab, number), tmp_path / f"sno-{number}") for number in range(SITES)]
    assert not lab.down(), "answers of the lab's service are not as the API description has them"


def renamed(document: Any, number: int) -> Any:
    """A copy of the single node's site or inventory, with names and addresses of site ``number``."""
    text = yaml.safe_dump(document)
    for old, new in {
        "sno-0": f"sno-{number}",
        "name: sno\n": f"name: sno{number}\n",
        "192.168.126.10\n": f"192.168.126.{10 + number}\n",
        "https://10.0.0.10/": f"https://10.0.0.{10 + number}/",
        "52:54:00:5a:00:10": f"52:54:00:5a:00:{10 + number}",
        "S5N0A10001": f"S5N0A{10001 + number}",
        "0x5002538e00000001": f"0x5002538e{number + 1:08x}",
    }.items():
        text = text.replace(old, new)
    return yaml.safe_load(text)


def many_sites(directory: Path) -> Path:
    """The site document of a lab with the machines and clusters of all sites."""
    first = yaml.safe_load((ROOT / "inventories" / "sno" / "rack.yml").read_text())
    parts = [renamed(first, number) for number in range(SITES)]
    whole = copy.deepcopy(first) | {
        key: [entry for part in parts for entry in part[key]] for key in ("machines", "clusters")
    }
    for machine in whole["machines"]:
        machine["bmc"]["password"] = BMC_PASSWORD
    path = directory / "site.yml"
    path.write_text(yaml.safe_dump(whole))
    return path


def inventory_of(lab: Lab, number: int) -> Path:
    directory = lab.directory / f"sno-{number}"
    directory.mkdir()

    def change(inventory: dict[str, Any]) -> None:
        changed = renamed(copy.deepcopy(inventory), number)
        inventory.clear()
        inventory.update(changed)

    return canary_inventory("sno", directory, change)


def test_twenty_single_nodes_and_three_links_down(sites: list[Deployment]) -> None:
    """A nightly deployment of all sites: nothing is done at those that run, nothing is written where nothing can be
    read.
    """
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(Deployment.deployed, sites))
    lab = sites[0].lab
    for machine in DOWN:
        cluster = machine.replace("-", "")
        lab.fault("api-down", count=0, cluster=cluster)
        for fault in ("kubelet-down", "bmc-down"):
            lab.fault(fault, machine, count=0)
    writes = lab.bmc_writes(refused=True)
    with ThreadPoolExecutor(4) as pool:
        runs: list[Run] = list(pool.map(Deployment.deploy, sites))
    assert lab.bmc_writes(refused=True) == writes
    for number, run in enumerate(runs):
        if f"sno-{number}" in DOWN:
            assert not run.ok, run.output
            mentions(run.message, f"sno-{number}")
            mentions(run.output, "not checked:")
        else:
            assert run.ok and run.changed == 0, run.output
