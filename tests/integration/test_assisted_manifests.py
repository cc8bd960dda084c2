# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module assisted_manifests with rendered cluster-manifests: it creates a cluster, an InfraEnv and configured
hosts in the lab's assisted-service, and a second run creates none of them again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.directory import (
    ManifestsRequest,
    apply_manifests,
    plan_manifests,
)

from .assisted_lab import PULL_SECRET, Bench, RunModule, scripted

MACS = [f"02:00:00:00:00:{number:02x}" for number in range(1, 4)]
INSTALL_CONFIG = {
    "apiVersion": "v1",
    "metadata": {"name": "edge"},
    "baseDomain": "lab.example.com",
    "controlPlane": {"name": "master", "replicas": 3},
    "compute": [{"name": "worker", "replicas": 0}],
    "networking": {"machineNetwork": [{"cidr": "192.0.2.0/24"}]},
    "platform": {"baremetal": {"apiVIPs": ["192.0.2.5"], "ingressVIPs": ["192.0.2.6"]}},
    "cpuPartitioningMode": "AllNodes",
    "pullSecret": PULL_SECRET,
    "sshKey": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPXmLzvIoBGvZVDpoLzFKpJPMTYbfnDcLEiKzSGU5bdC core",
}
PROXY = {"httpProxy": "http://user:proxy-password-1@proxy.example.com:3128", "noProxy": ".example.com"}


def network(last: int) -> dict[str, Any]:
    ipv4 = {"enabled": True, "dhcp": False, "address": [{"ip": f"192.0.2.{last}", "prefix-length": 24}]}
    return {"interfaces": [{"name": "eth0", "type": "ethernet", "state": "up", "ipv4": ipv4}]}


HOSTS = [
    {
        "hostname": f"node-{number}",
        "role": "master",
        "interfaces": [{"name": "eth0", "macAddress": mac}],
        "networkConfig": network(20 + number),
    }
    for number, mac in enumerate(MACS, 1)
]


def configuration(directory: Path, install: dict[str, Any], hosts: list[dict[str, Any]]) -> Path:
    directory.mkdir()
    (directory / "install-config.yaml").write_text(yaml.safe_dump(install))
    agent = {"apiVersion": "v1beta1", "metadata": install["metadata"], "rendezvousIP": "192.0.2.21", "hosts": hosts}
    (directory / "agent-config.yaml").write_text(yaml.safe_dump(agent))
    (directory / "openshift").mkdir()
    (directory / "openshift" / "50-a.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n"
    )
    return directory


def write_manifests(directory: Path, install: dict[str, Any], hosts: list[dict[str, Any]]) -> Path:
    """What agent_manifests makes of it."""
    apply_manifests(
        plan_manifests(
            ManifestsRequest(configuration(directory / "config", install, hosts), directory / "manifests", "4.22.0")
        )
    )
    return directory / "manifests"


def test_manifests_become_a_cluster_with_configured_hosts_once(
    run_module: RunModule, bench: Bench, tmp_path: Path
) -> None:
    source = str(write_manifests(tmp_path, INSTALL_CONFIG, HOSTS))
    release = {"openshift_version": "4.22.0", "arch": "x86_64"}
    assert len(run_module("assisted_manifests", config_dir=source, **release, check=True)["plan"]) == 4
    assert run_module("assisted_info")["clusters"] == []
    done = run_module("assisted_manifests", config_dir=source, **release)
    assert not done.get("failed"), done
    again = run_module("assisted_manifests", config_dir=source, **release, diff=True)
    assert (again["changed"], again["plan"], again["diff"]) == (False, [], [])
    bench.boot(
        done["infra_env"]["id"],
        *(scripted.Machine(number, name=f"unnamed-{number}") for number, _mac in enumerate(MACS, 1)),
    )
    hosts = [
        {"hostname": f"node-{number}", "mac_addresses": [mac], "role": "master"} for number, mac in enumerate(MACS, 1)
    ]
    configured = run_module("assisted_manifests", config_dir=source, **release, hosts=hosts, timeout=60)
    assert not configured.get("failed"), configured
    assert configured["changed"] and configured["missing"] == [] and configured["unknown"] == []
    assert sorted(host["hostname"] for host in run_module("assisted_info")["hosts"]) == ["node-1", "node-2", "node-3"]
    final = run_module("assisted_manifests", config_dir=source, **release, hosts=hosts, timeout=60)
    assert not final["changed"], json.dumps(final["plan"])


def test_a_single_node_is_registered_once(run_module: RunModule, tmp_path: Path) -> None:
    single = {
        "metadata": {"name": "single"},
        "controlPlane": {"name": "master", "replicas": 1},
        "platform": {"none": {}},
        "proxy": PROXY,
    }
    source = str(write_manifests(tmp_path, {**INSTALL_CONFIG, **single}, HOSTS[:1]))
    runs = [
        run_module("assisted_manifests", config_dir=source, openshift_version="4.22.0", arch="x86_64") for _ in range(2)
    ]
    assert [run["changed"] for run in runs] == [True, False], runs
    assert runs[1]["cluster"]["control_plane_count"] == 1


def test_a_running_cluster_gets_hosts_by_way_of_its_manifests_once(run_module: RunModule, tmp_path: Path) -> None:
    source = write_manifests(tmp_path, {**INSTALL_CONFIG, "metadata": {"name": "older"}}, HOSTS)
    running = {
        "openshift_cluster_id": "6f1f9c2e-6a0f-4d0e-9a3c-0c3c5f6d7e8f",
        "name": "older",
        "api_vip_dnsname": "api.older.example.com",
    }
    running |= {
        "ignition_endpoint": {"url": "https://api-int.older.example.com:22623/config/worker"},
        "user_managed_networking": True,
    }
    runs = [run_module("assisted_manifests", config_dir=str(source), import_cluster=running) for _ in range(2)]
    assert [run["changed"] for run in runs] == [True, False], runs
    assert (
        runs[1]["cluster"]["status"] == "adding-hosts"
        and runs[1]["infra_env"]["cluster_id"] == runs[1]["cluster"]["id"]
    )
