# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test hosted_cluster and node_pool against the lab's hub with HyperShift: hosts become Nodes of a hosted cluster and
are released, by the modules alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from .canaries import PULL_SECRET
from .conftest import MakeLab, canary_site
from .lab import Deployment, Lab

NAMESPACE, CLUSTER, POOL, AGENTS = "clusters", "guest", "guest-pool", "fleet"
HOSTS = {"node-0": "52:54:00:de:02:00", "node-1": "52:54:00:de:02:01"}
REQUESTED: dict[str, Any] = {
    "name": CLUSTER,
    "namespace": NAMESPACE,
    "release_image": "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64",
    "pull_secret": PULL_SECRET,
    "agent_namespace": AGENTS,
    "base_domain": "example.com",
    "api_server_address": "192.168.112.5",
    "controller_availability_policy": "SingleReplica",
}
SELECTOR = {"matchLabels": {"size": "large"}}
Open = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def lab(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Two machines that have booted the image of InfraEnv ``fleet`` on a hub with HyperShift."""
    directory = tmp_path_factory.mktemp("hypershift")
    site = canary_site("hosted", directory)
    document = yaml.safe_load(site.read_text())
    document["machines"] = document["machines"][: len(HOSTS)]
    site.write_text(yaml.safe_dump(document))
    lab = make_lab(directory, site)
    run_module = opener(lab, directory)
    made = ok(
        run_module(
            "infra_env",
            name=AGENTS,
            namespace=AGENTS,
            pull_secret=PULL_SECRET,
            timeout=60,
            ntp_sources=["192.168.112.1"],
        )
    )
    for machine in HOSTS:
        lab.boot(machine, made["iso_url"])
    wanted = [
        {"name": name, "mac_addresses": [mac], "hostname": f"{name}.example.com", "agent_labels": {"size": "large"}}
        for name, mac in HOSTS.items()
    ]
    ok(
        run_module(
            "agents",
            namespace=AGENTS,
            infra_env_name=AGENTS,
            hosts=wanted,
            wait_for="ready",
            timeout=180,
            unexpected="ignore",
        )
    )
    return lab


def opener(lab: Lab, directory: Path) -> Open:
    user = Deployment(lab, directory / "none", directory)
    hub = {"kubeconfig": lab.vars["openshift_hub"]["kubeconfig"], "connect_to": lab.vars["openshift_connect_to"]}

    def call_module(module: str, /, *, check: bool = False, **arguments: Any) -> dict[str, Any]:
        run = user.module(module, {**hub, **arguments}, *(["--check"] if check else []))
        start = re.search(r"^localhost \| .*?=> (?=\{)", run.output, re.MULTILINE)
        assert start, run.output
        result: dict[str, Any] = json.JSONDecoder().raw_decode(run.output[start.end() :])[0]
        return result | {"failed": not run.ok, "output": run.output}

    return call_module


@pytest.fixture
def run_module(lab: Lab, tmp_path: Path) -> Open:
    return opener(lab, tmp_path)


def ok(result: dict[str, Any]) -> dict[str, Any]:
    assert not result["failed"], result.get("output", result)
    return result


def pool(run_module: Open, **options: Any) -> dict[str, Any]:
    return ok(run_module("node_pool", name=POOL, namespace=NAMESPACE, timeout=280, **options))


def test_a_control_plane_comes_with_its_credentials(run_module: Open, tmp_path: Path) -> None:
    made = ok(
        run_module("hosted_cluster", **REQUESTED, wait_for="available", timeout=240, work_dir=str(tmp_path / "edge"))
    )
    assert made["changed"] and made["hosted_cluster"]["ignition_endpoint"]
    assert (tmp_path / "edge" / "auth" / "kubeconfig").is_file() and made["kubeadmin_password_file"]
    assert not ok(run_module("hosted_cluster", **REQUESTED, wait_for="available", work_dir=str(tmp_path / "edge")))[
        "changed"
    ]


def test_a_pool_without_replicas_is_ready(run_module: Open) -> None:
    made = pool(run_module, cluster_name=CLUSTER, agent_label_selector=SELECTOR, replicas=0, wait_for="ready")
    assert (made["changed"], made["node_pool"]["replicas"], made["machines"]) == (True, 0, [])


def test_two_hosts_become_nodes(run_module: Open) -> None:
    grown = pool(run_module, replicas=2, wait_for="ready")
    assert {machine["hostname"] for machine in grown["machines"]} == {f"{name}.example.com" for name in HOSTS}
    assert [machine["state"] for machine in grown["machines"]] == ["running", "running"]
    again = pool(run_module, cluster_name=CLUSTER, agent_label_selector=SELECTOR, replicas=2, wait_for="ready")
    assert not again["changed"] and again["node_pool"]["replicas"] == 2
    finished = ok(run_module("hosted_cluster", **REQUESTED, wait_for="completed", timeout=240))
    assert finished["hosted_cluster"]["version_state"] == "Completed" and not finished["changed"]


def test_a_third_host_is_missing_and_the_limit_says_so(run_module: Open) -> None:
    result = run_module("node_pool", name=POOL, namespace=NAMESPACE, replicas=3, wait_for="ready", timeout=15)
    assert result["failed"] and "no-suitable-agent" in result["msg"]
    assert not pool(run_module, replicas=2, wait_for="ready")["failed"]


def test_the_cluster_and_then_its_pool_get_another_release(run_module: Open) -> None:
    newer = REQUESTED["release_image"].replace("4.22.0", "4.22.1")
    ahead = run_module("node_pool", name=POOL, namespace=NAMESPACE, release_image=newer)
    assert ahead["failed"] and "newer than the control plane" in ahead["msg"], ahead["output"]
    done = ok(run_module("hosted_cluster", **{**REQUESTED, "release_image": newer}, wait_for="completed", timeout=240))
    assert (done["hosted_cluster"]["version"], done["hosted_cluster"]["version_state"]) == ("4.22.1", "Completed")
    updated = pool(run_module, release_image=newer, wait_for="ready")
    assert (updated["node_pool"]["version"], updated["node_pool"]["replicas"]) == ("4.22.1", 2)


def test_one_chosen_host_leaves(run_module: Open) -> None:
    name = "node-1.example.com"
    planned = pool(run_module, check=True, remove=[name])
    left = pool(run_module, remove=[name], wait_for="ready")
    assert [line.partition(" ")[0] for line in planned["plan"]] == ["patch", "patch"]
    assert [machine["hostname"] for machine in left["machines"]] == ["node-0.example.com"]
    agents = {agent["hostname"]: agent for agent in ok(run_module("agents_info", namespaces=[AGENTS]))["agents"]}
    states = {"known-unbound", "unbinding-pending-user-action"}
    assert agents[name]["state"] in states
    assert [host["hostname"] for host in left["needs_reboot"]] == (
        [name] if agents[name]["state"] != "known-unbound" else []
    )
    assert not pool(run_module, remove=[name], wait_for="ready")["changed"]


def test_all_is_taken_down_and_no_agent_is_lost(run_module: Open) -> None:
    gone = ok(run_module("hosted_cluster", name=CLUSTER, namespace=NAMESPACE, state="absent", timeout=280))
    assert gone["changed"] and gone["stays"] == []
    agents = ok(run_module("agents_info", namespaces=[AGENTS]))["agents"]
    assert len(agents) == 2 and {agent["state"] for agent in agents} <= {
        "known-unbound",
        "unbinding-pending-user-action",
    }
    assert not ok(run_module("hosted_cluster", name=CLUSTER, namespace=NAMESPACE, state="absent"))["changed"]
