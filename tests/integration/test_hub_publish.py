# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that the control node serves a hub's discovery image for a machine that a user boots manually and that has
another name in the inventory. Also test an InfraEnv of another tool. The tests share one lab and build on each other.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import BIN, ROOT, Deployment, Run

HUB = {"address": "10.0.0.5", "base_domain": "hub.example.com"}
CONFIRMED = {"openshift_confirm": "sno", "openshift_destroy_purge": True}
_GIVE_AWAY = """
import json, sys
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import AGENT, INFRA_ENV
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import connect
client = connect(json.loads(sys.argv[1]))
if sys.argv[2] == "give":
    client.merge_patch(INFRA_ENV.path("sno", "sno"), {"metadata": {"labels": {"app.kubernetes.io/managed-by": "another-tool"}}})
print(len(client.list(INFRA_ENV.path("sno"))), len(client.list(AGENT.path("sno"))))
"""  # noqa: E501


def by_hand(inventory: dict[str, Any]) -> None:
    """Its BMC is known, but is not to be used."""
    (group,) = inventory["all"]["children"].values()
    host = group["hosts"].pop("sno-0")
    group["hosts"]["rack-7-unit-3"] = {
        "openshift_host": {**host["openshift_host"], "hostname": "sno-0", "boot": {"method": "manual"}}
    }


@pytest.fixture(scope="module")
def site(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    directory = tmp_path_factory.mktemp("publish")
    path = canary_site("sno", directory)
    document = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**document, "hub": HUB}))
    return Deployment(make_lab(directory, path), canary_inventory("sno", directory, by_hand), directory)


def variables(site: Deployment, **extra: Any) -> dict[str, Any]:
    return {
        "openshift_install_method": "hub",
        "openshift_hub": {**site.lab.vars["openshift_hub"], "image": "publish"},
        **extra,
    }


def played(site: Deployment, playbook: str, **extra: Any) -> Run:
    run = site.run(playbook, extra=variables(site, **extra))
    assert run.ok, run.output
    return run


def on_hub(site: Deployment, act: str = "look") -> tuple[int, int]:
    """How many InfraEnvs and Agents there are; ``give`` makes the InfraEnv one of another tool before."""
    connection = {
        "kubeconfig": site.lab.vars["openshift_hub"]["kubeconfig"],
        "connect_to": site.lab.vars["openshift_connect_to"],
    }
    command = [str(BIN / "python"), "-c", _GIVE_AWAY, json.dumps(connection), act]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=True, env={"PYTHONPATH": str(ROOT / ".build")}
    )
    infra_envs, agents = done.stdout.split()
    return int(infra_envs), int(agents)


def test_a_user_boots_it_from_the_image_that_is_served_here(site: Deployment) -> None:
    reported = re.compile(r"Boot sno-0 from the URL in (\S+) \(file (\S+\.iso)\)")

    def person(_process: int, output: str) -> None:
        site.lab.boot("sno-0", Path(reported.findall(output)[0][0]).read_text().strip())

    run, _seconds = site.watched(lambda output: reported.search(output) is not None, person, extra=variables(site))
    assert run.ok, run.output
    assert site.lab.methods() == set(), "a BMC that is not to be used was spoken to"
    assert "installed after" in run.output


def test_nothing_is_served_any_more(site: Deployment) -> None:
    stopped = site.module("image_server", {"work_dir": str(site.work_dir), "state": "stopped"})
    assert stopped.ok and '"changed": false' in stopped.output, stopped.output
    assert played(site, "deploy_cluster").changed == 0


def test_an_infra_env_of_another_tool_outlives_the_cluster(site: Deployment) -> None:
    assert on_hub(site, "give") == (1, 1)
    run = played(site, "destroy_cluster", **CONFIRMED)
    assert (
        "InfraEnv sno/sno was not created by this collection. The InfraEnv and its Agents are not deleted" in run.output
    )
    assert on_hub(site) == (1, 1) and not site.work_dir.exists()
    assert played(site, "destroy_cluster", **CONFIRMED).changed == 0
