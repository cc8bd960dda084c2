# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test capi_reconcile on a lab's hub without an agent provider, which the module replaces: Machines of a hosted cluster
get hosts, become Nodes, and release the hosts.
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

NAMESPACE, CLUSTER, POOL, AGENTS = "clusters", "edge", "edge-pool", "fleet"
SPACE = f"{NAMESPACE}-{CLUSTER}"
HOSTS = {"master-0": "52:54:00:de:00:20", "master-1": "52:54:00:de:00:21", "master-2": "52:54:00:de:00:22"}
REQUESTED: dict[str, Any] = {
    "name": CLUSTER,
    "namespace": NAMESPACE,
    "release_image": "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64",
    "pull_secret": PULL_SECRET,
    "agent_namespace": AGENTS,
    "base_domain": "example.com",
    "api_server_address": "10.0.0.5",
    "controller_availability_policy": "SingleReplica",
}
SCOPE: dict[str, Any] = {"namespace": SPACE, "agent_namespace": AGENTS}
Open = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def lab(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """No controller assigns Agents to Machines."""
    return stand(make_lab, tmp_path_factory.mktemp("capi"), "none")


def stand(make_lab: MakeLab, directory: Path, provider: str) -> Lab:
    """A hub with HyperShift, Cluster API and this provider of Agents; three machines are free Agents in two racks."""
    site = canary_site("demo", directory)
    document = yaml.safe_load(site.read_text())
    document["networks"][0]["dhcp"] = {"range": ["192.168.111.100", "192.168.111.200"]}
    for machine in document["machines"]:
        machine["nics"] = [{"name": nic["name"], "mac": nic["mac"], "network": "machines"} for nic in machine["nics"]]
    document["hub"] = {
        "address": "10.0.0.5",
        "base_domain": "hub.example.com",
        "hypershift": True,
        "cluster_api": {"provider": provider},
    }
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
            ntp_sources=["192.168.111.1"],
        )
    )
    for machine in HOSTS:
        lab.boot(machine, made["iso_url"])
    racks = {"master-0": "a", "master-1": "a", "master-2": "b"}
    wanted = [
        {"name": name, "mac_addresses": [mac], "hostname": name, "agent_labels": {"rack": racks[name]}}
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


def test_a_control_plane(run_module: Open) -> None:
    ok(run_module("hosted_cluster", **REQUESTED, wait_for="available", timeout=300))
    pool = {
        "cluster_name": CLUSTER,
        "agent_label_selector": {"matchExpressions": [{"key": "rack", "operator": "Exists"}]},
        "replicas": 0,
    }
    ok(run_module("node_pool", name=POOL, namespace=NAMESPACE, **pool))
    made = ok(run_module("capi_reconcile", **SCOPE, until="converged", timeout=300))
    assert made["mode"] == "reconcile" and any("create ClusterDeployment" in line for line in made["plan"])
    assert not ok(run_module("capi_reconcile", **SCOPE, until="converged", timeout=60))["changed"]


def test_two_machines_in_two_racks(run_module: Open) -> None:
    ok(run_module("node_pool", name=POOL, namespace=NAMESPACE, replicas=2))
    spread = {"order": "spread", "topology_label": "rack"}
    grown = ok(run_module("capi_reconcile", **SCOPE, policy=spread, until="converged", timeout=600))
    assert sorted(row["state"] for row in grown["machines"]) == ["ready", "ready"], grown["output"]
    assert {row["hostname"] for row in grown["machines"]} == {"master-0", "master-2"}
    assert any("spec.providerID" in line and line.startswith("patch Node") for line in grown["plan"])
    ready = ok(run_module("node_pool", name=POOL, namespace=NAMESPACE, replicas=2, wait_for="ready", timeout=300))
    assert [machine["state"] for machine in ready["machines"]] == ["running", "running"]
    assert not ok(run_module("capi_reconcile", **SCOPE, policy=spread, until="converged", timeout=60))["changed"]
    ids = ok(run_module("node_provider_ids", namespace=SPACE))
    assert not ids["changed"] and {(row["name"], row["state"]) for row in ids["nodes"]} == {
        ("master-0", "set"),
        ("master-2", "set"),
    }


def test_check_mode_says_who_would_get_which_host(run_module: Open) -> None:
    ok(run_module("node_pool", name=POOL, namespace=NAMESPACE, replicas=3))
    waiting: list[dict[str, Any]] = []
    while not waiting:  # Cluster API makes the Machine
        planned = ok(run_module("capi_reconcile", check=True, **SCOPE))
        waiting = [row for row in planned["machines"] if row["hostname"] == "master-1"]
    assert {item["rule"] for item in waiting[0]["rejected"]} == {"bound"}
    assert any(f"AgentMachine {SPACE}/{waiting[0]['name']} gets it" in line for line in planned["plan"])
    grown = ok(run_module("capi_reconcile", **SCOPE, until="converged", timeout=600))
    assert {row["hostname"] for row in grown["machines"]} == set(HOSTS)


def test_the_chosen_host_comes_back(run_module: Open) -> None:
    ok(run_module("node_pool", name=POOL, namespace=NAMESPACE, remove=["master-1"]))
    left: set[str] = set()
    # Cluster API deletes the Machine; the host is released while its Node is there
    while left != {"master-0", "master-2"}:
        done = ok(run_module("capi_reconcile", **SCOPE, until="converged", timeout=600))
        left = {row["hostname"] for row in done["machines"]}
    ok(run_module("node_pool", name=POOL, namespace=NAMESPACE, replicas=2, wait_for="ready", timeout=300))
    agents = {agent["hostname"]: agent for agent in ok(run_module("agents_info", namespaces=[AGENTS]))["agents"]}
    assert "agentMachineRef" not in agents["master-1"]["labels"] and not agents["master-1"].get("cluster")
