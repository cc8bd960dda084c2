# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test playbook rehearse: it deploys the unchanged inventory in a lab. No run connects to the real BMC, and no process
or file of the lab remains, also after an interruption.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from .canaries import BMC_PASSWORD
from .conftest import canary_inventory
from .lab import ROOT, Deployment, ctrl_c, host_of, kill_all, kill_parent


class Canary:
    """What the inventory names as real: a port that must get no connection."""

    def __init__(self) -> None:
        self.calls = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _peer = self._listener.accept()
                self.calls += 1
                connection.close()

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def canary() -> Iterator[Canary]:
    made = Canary()
    yield made
    assert made.calls == 0, "a rehearsal contacted what is real"
    made.close()


def rehearsed(name: str, method: str, directory: Path, canary: Canary) -> Deployment:
    """An inventory of the repository for another method; its BMCs, hub and state store are the canary."""
    real = f"https://127.0.0.1:{canary.port}"

    def change(inventory: dict[str, Any]) -> None:
        for group in inventory["all"]["children"].values():
            for host, variables in group["hosts"].items():
                # Each with a path of its own: two hosts with one address are a mistake.
                variables["openshift_host"]["bmc"]["address"] = f"redfish-virtualmedia+{real}/redfish/v1/Systems/{host}"
        inventory["all"]["vars"] |= {
            "openshift_install_method": method,
            "openshift_hub": {"host": real, "api_key": "geheim", "namespace": "fleet", "infra_env": "fleet"},
            "openshift_state": {"method": "http", "url": f"{real}/state", "passphrase": "correct horse battery staple"},
            "openshift_assisted": {"service_url": real, "token": "geheim", "cluster_id": "6b7a"},
            "openshift_rehearsal": {"speed": 120},
        }
        if capi := inventory["all"]["vars"].get("openshift_capi"):
            # Another name than that of the BMCs: at one address is one server.
            image = f"https://localhost:{canary.port}/coreos/disk"
            capi["metal3"]["image"] = {"url": image, "checksum": f"{image}.sha256"}

    (directory / "tmp").mkdir()
    environment = {"TMPDIR": str(directory / "tmp"), "K8S_AUTH_HOST": real, "ASSISTED_SERVICE_URL": real}
    return Deployment(None, canary_inventory(name, directory, change), directory, environment=environment)


@pytest.fixture
def site(tmp_path: Path, canary: Canary) -> Deployment:
    """A single node whose BMC, hub and state store are the canary."""

    def real(inventory: dict[str, Any]) -> None:
        host_of(inventory, "sno-0")["bmc"]["address"] = (
            f"redfish-virtualmedia+https://127.0.0.1:{canary.port}/redfish/v1/Systems/1"
        )
        inventory["all"]["vars"] |= {
            "openshift_hub": {"host": f"https://127.0.0.1:{canary.port}", "api_key": "geheim"},
            "openshift_state": {
                "method": "http",
                "url": f"https://127.0.0.1:{canary.port}/state",
                "passphrase": "correct horse battery staple",
            },
            "openshift_rehearsal": {"speed": 120},
        }

    (tmp_path / "tmp").mkdir()
    environment = {"TMPDIR": str(tmp_path / "tmp"), "K8S_AUTH_HOST": f"https://127.0.0.1:{canary.port}"}
    return Deployment(None, canary_inventory("sno", tmp_path, real), tmp_path, environment=environment)


def left(directory: Path) -> tuple[list[str], list[str]]:
    """Files and processes of a rehearsal that are still there."""
    processes = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if (
                entry.name.isdigit()
                and f"{directory}/tmp/zerotouch-rehearsal".encode() in (entry / "cmdline").read_bytes()
            ):
                processes.append((entry / "cmdline").read_text().replace("\0", " "))
    return [path.name for path in (directory / "tmp").glob("zerotouch-rehearsal-*")], processes


def assert_nothing_left(directory: Path) -> None:
    deadline = time.monotonic() + 300
    while left(directory) != ([], []) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert left(directory) == ([], [])


def test_a_rehearsal(site: Deployment, tmp_path: Path) -> None:
    before = site.inventory.read_bytes()
    run = site.run("rehearse")
    assert run.ok and run.changed == 0, run.output
    assert "sno: 1 host of the inventory deployed in the lab, 0 differences." in run.output
    assert "Cluster sno 4.22.0: installed" in run.output
    assert site.inventory.read_bytes() == before and BMC_PASSWORD not in run.output
    assert not (tmp_path / "clusters").exists() and not site.work_dir.exists()
    assert_nothing_left(tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "method", "extra", "words"),
    [
        ("demo", "hub", {}, "demo: 5 hosts of the inventory deployed in the lab, 0 differences."),
        (
            "hosted",
            "hosted",
            {"openshift_node_pool": {"replicas": 2}},
            "guest: 2 of 6 hosts of the inventory deployed in the lab, 0 differences.",
        ),
        ("assisted", "assisted", {}, "edge: 3 hosts of the inventory deployed in the lab, 0 differences."),
        ("capi", "capi", {}, "edge: 6 of 8 hosts of the inventory deployed in the lab, 0 differences."),
    ],
)
def test_a_rehearsal_with_a_hub_or_a_service(
    name: str, method: str, extra: dict[str, Any], words: str, tmp_path: Path, canary: Canary
) -> None:
    """The lab brings a hub or an assisted-service of its own; that of the inventory gets no connection."""
    site = rehearsed(name, method, tmp_path, canary)
    before = site.inventory.read_bytes()
    run = site.run("rehearse", extra=extra)
    assert run.ok and run.changed == 0 and words in run.output, run.output
    assert site.inventory.read_bytes() == before and BMC_PASSWORD not in run.output and not site.work_dir.exists()
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize("end", [ctrl_c, kill_parent, kill_all], ids=["ctrl_c", "kill_parent", "kill_all"])
def test_an_interrupted_rehearsal_leaves_nothing(end: Any, site: Deployment, tmp_path: Path) -> None:
    slow = {"openshift_rehearsal": {"speed": 1}}
    site.interrupted(lambda output: "sno-0: powered on" in output, end, playbook="rehearse", extra=slow)
    assert_nothing_left(tmp_path)


def test_a_site_file_that_lacks_the_machine(site: Deployment, tmp_path: Path) -> None:
    """The site file of another rack: nothing is contacted, and the message says what to add."""
    other = ROOT / "inventories" / "demo" / "rack.yml"
    run = site.run("rehearse", extra={"openshift_rehearsal": {"site": str(other)}})
    assert not run.ok and "The lab does not have the BMC of sno-0. Nothing was contacted." in run.message, run.output
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("method", "hub", "words"),
    [
        ("assisted", {}, "The site file has no service. Nothing was contacted."),
        ("capi", {}, "The site file has no hub. Nothing was contacted."),
        ("capi", {"cluster_api": {"provider": "none"}}, "The lab does not have https://localhost"),
    ],
)
def test_a_site_file_that_lacks_the_remote_side(
    method: str, hub: dict[str, Any], words: str, tmp_path: Path, canary: Canary
) -> None:
    """Without it in the lab, the real one would be contacted."""
    site = rehearsed(method, method, tmp_path, canary)
    rack = yaml.safe_load((ROOT / "inventories" / method / "rack.yml").read_text())
    hosts = yaml.safe_load(site.inventory.read_text())
    for machine in rack["machines"]:
        with contextlib.suppress(StopIteration, KeyError):
            machine["bmc"]["address"] = host_of(hosts, machine["name"])["bmc"]["address"]
    rack.pop("service", None)
    rack["hub"] = rack["hub"] | hub if hub else None
    (tmp_path / "rack.yml").write_text(yaml.safe_dump({key: value for key, value in rack.items() if value}))
    run = site.run("rehearse", extra={"openshift_rehearsal": {"site": "rack.yml"}})
    assert not run.ok and words in run.message, run.output
    assert_nothing_left(tmp_path)


def test_machine_templates_of_the_users_own_cannot_be_rehearsed(tmp_path: Path, canary: Canary) -> None:
    site = rehearsed("capi", "capi", tmp_path, canary)
    reference = {"kind": "Metal3Cluster", "name": "own"}
    capi = {"infrastructure": "user_templates", "infrastructure_ref": reference}
    run = site.run("rehearse", extra={"openshift_capi": capi})
    assert not run.ok and "openshift_capi" in run.output, run.output
    assert_nothing_left(tmp_path)


def test_a_difference_fails_it(site: Deployment, tmp_path: Path) -> None:
    """The physical truth is another one than the inventory's: the NIC has no link, so that the host does not
    register.
    """
    drafted = yaml.safe_load((ROOT / "inventories" / "sno" / "rack.yml").read_text())
    address = host_of(yaml.safe_load(site.inventory.read_text()), "sno-0")["bmc"]["address"]
    drafted["machines"][0]["bmc"] |= {"address": address, "password": BMC_PASSWORD}
    drafted["machines"][0]["nics"][0]["link"] = False
    (tmp_path / "rack.yml").write_text(yaml.safe_dump(drafted))
    extra = {
        "openshift_rehearsal": {"site": "rack.yml", "speed": 120},
        "openshift_timeouts": {"boot": 5, "discovery": 5},
    }
    run = site.run("rehearse", extra=extra)
    assert (
        not run.ok
        and "The deployment of sno failed in the lab" in run.message
        and "sno-0: no Node sno-0" in run.message
    ), run.output
    assert_nothing_left(tmp_path)
