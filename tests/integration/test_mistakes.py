# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test several mistakes in the input of the playbook at once: all are reported, no file is written, no BMC is
contacted.

tests/unit/cluster and tests/unit/cluster_rules test the catalogues mistake by mistake.
"""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.render import render_files

from tests.unit.cluster.mistakes import MISTAKES, good_cluster, good_hosts
from tests.unit.cluster_rules.catalogue import CATALOGUE, good_deployment, independent

from .lab import Deployment, Run, write_inventory

GROUPS = {"master": "control_plane", "worker": "workers", "arbiter": "arbiters"}


class Tripwire:
    """Takes every connection of a run and counts them."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.touched = 0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            try:
                self._listener.accept()[0].close()
            except OSError:
                return
            self.touched += 1

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def tripwire() -> Iterator[Tripwire]:
    wire = Tripwire()
    yield wire
    wire.close()


def run_with(directory: Path, inventory: dict[str, Any], tripwire: Tripwire, bmcs: list[str], **extra: Any) -> Run:
    """A deployment in which every BMC, the service and the API would be the tripwire."""
    deployment = Deployment(None, write_inventory(directory / "hosts.json", inventory), directory)
    everywhere = dict.fromkeys(
        [*bmcs, "192.0.2.11:8090", "192.168.111.80:8090", "api.demo.example.com:6443"], f"127.0.0.1:{tripwire.port}"
    )
    base_image = {"path": str(directory / "base.iso"), "version": "4.22.0"}
    before = sorted(directory.rglob("*"))
    run = deployment.refused(extra={"openshift_connect_to": everywhere, "openshift_base_image": base_image, **extra})
    assert sorted(directory.rglob("*")) == before, "something was written"
    assert tripwire.touched == 0, "something was spoken to"
    return run


def errors_of(run: Run) -> list[tuple[str, str]]:
    return sorted(
        (problem["path"], problem["kind"]) for problem in run.failure["problems"] if problem["severity"] == "error"
    )


def test_in_an_inventory(tmp_path: Path, tripwire: Tripwire) -> None:
    draw = random.Random(7)
    by_place = {
        mistake.where: mistake
        for mistake in draw.sample(MISTAKES, len(MISTAKES))
        if mistake.where not in ("groups", "name")
    }
    chosen = draw.sample(list(by_place.values()), 8)
    cluster, hosts = good_cluster(), good_hosts()
    for mistake in chosen:
        mistake.change(cluster, hosts)
    children: dict[str, Any] = {}
    for host in hosts:
        own = {key: value for key, value in host.items() if key not in ("inventory_name", "role")}
        children.setdefault(GROUPS[host["role"]], {"hosts": {}})["hosts"][host["inventory_name"]] = {
            "openshift_host": own
        }
    bmcs = [f"198.51.100.{number}:443" for number in range(11, 23)]
    run = run_with(tmp_path, {"all": {"vars": {"openshift_cluster": cluster}, "children": children}}, tripwire, bmcs)
    assert errors_of(run) == sorted((mistake.path, mistake.kind) for mistake in chosen), [
        mistake.name for mistake in chosen
    ]
    assert all(mistake.path in run.message for mistake in chosen)


def test_in_files(tmp_path: Path, tripwire: Tripwire) -> None:
    errors = [mistake for mistake in CATALOGUE if not mistake.check]
    chosen = independent(errors, random.Random(11), 8)
    deployment = good_deployment()
    for mistake in chosen:
        deployment = mistake.change(deployment)
    config = tmp_path / "config"
    config.mkdir()
    for name, text in render_files(deployment).items():
        if name != "release.json":
            (config / name).parent.mkdir(exist_ok=True)
            (config / name).write_text(text)
    login = {"username": "admin", "password": "geheim-3"}
    hosts = {
        host.name: {"openshift_host": {"bmc": {"address": host.bmc.address if host.bmc else "", **login}}}
        for host in good_deployment().hosts
    }
    inventory = {"all": {"children": {"control_plane": {"hosts": hosts}}}}
    bmcs = [f"10.9.0.{number}:443" for number in range(5)]
    run = run_with(tmp_path, inventory, tripwire, bmcs, openshift_config_dir=str(config), openshift_version="4.22.0")
    assert errors_of(run) == sorted(mistake.expected for mistake in chosen), [mistake.name for mistake in chosen]
    located = [
        problem
        for problem in run.failure["problems"]
        if problem["file"].endswith(("install-config.yaml", "agent-config.yaml")) and problem["line"]
    ]
    assert len(located) >= len(chosen) // 2, "hardly a problem says where it is"


def test_in_settings(tmp_path: Path, tripwire: Tripwire) -> None:
    hosts = {"node-1": {"openshift_host": {"boot": {"method": "pxe"}}}, "node-2": {"openshift_host": "see the wiki"}}
    inventory = {
        "all": {"vars": {"openshift_cluster": good_cluster()}, "children": {"control_plane": {"hosts": hosts}}}
    }
    wrong = {
        "openshift_timeouts": {"boot": "soon", "instal": 60},
        "openshift_force": ["rebuild_images"],
        "openshift_publish": {"method": "ftp"},
        "openshift_install_method": "cappi",
    }
    run = run_with(tmp_path, inventory, tripwire, [], **wrong)
    wanted = {
        "openshift_host[node-1].boot.method: Unsupported value: pxe: supported values: bmc, libvirt, manual",
        "openshift_host[node-2]: Invalid value: must be a mapping",
        (
            "openshift_install_method: Unsupported value: cappi: supported values: agent, assisted, hub, capi, hosted "
            "(did you mean capi?)"
        ),
        "openshift_timeouts.boot: Invalid value: soon: must be a number of seconds greater than 0",
    }
    reported = run.message.splitlines()
    assert wanted <= set(reported) and len(reported) == 7, run.message
    assert any("did you mean rebuild_image?" in line for line in reported) and any(
        "did you mean install?" in line for line in reported
    )


def test_in_settings_hosts_and_configuration_together(tmp_path: Path, tripwire: Tripwire) -> None:
    """One round: what preflight finds in settings and BMC data, and what the configuration's rules find."""
    cluster = {**good_cluster(), "base_domian": "example.com"}
    hosts = {
        host["inventory_name"]: {key: value for key, value in host.items() if key not in ("inventory_name", "role")}
        for host in good_hosts()[:3]
    }
    hosts["node-1"]["bmc"] |= {"ca_cert": "nowhere.pem", "fingerprint": "ab:cd"}
    hosts["node-2"]["bmc"] |= {"address": "ipmi://198.51.100.12"}
    hosts["node-3"]["bmc"].pop("password")
    hosts["node-3"]["interfaces"] = 7
    children = {"control_plane": {"hosts": {name: {"openshift_host": host} for name, host in hosts.items()}}}
    inventory = {"all": {"vars": {"openshift_cluster": cluster}, "children": children}}
    wrong = {"openshift_publish": {"listen": "192.0.2.77", "mode": "0777"}, "openshift_timeouts": {"boot": 0}}
    run = run_with(tmp_path, inventory, tripwire, [f"198.51.100.{number}:443" for number in range(11, 14)], **wrong)
    assert {
        ("openshift_timeouts.boot", "Invalid value"),
        ("openshift_publish.mode", "Invalid value"),
        ("openshift_host[node-1].bmc.ca_cert", "Invalid value"),
        ("openshift_host[node-1].bmc.fingerprint", "Invalid value"),
        ("openshift_host[node-2].bmc.address", "Invalid value"),
        ("openshift_host[node-3].bmc.password", "Required value"),
        ("openshift_host[node-3].interfaces", "Invalid value"),
        ("openshift_cluster.base_domian", "Unknown field"),
    } <= set(errors_of(run)), run.message
    assert "if this BMC has Redfish virtual media, write redfish-virtualmedia://198.51.100.12" in run.message
    assert str(tmp_path / "nowhere.pem") in run.message
    for noise in ("The lookup plugin", "Error while resolving", "Finalization of task args"):
        assert noise not in run.output
