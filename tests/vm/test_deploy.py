# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run ``deploy_cluster`` for three virtual machines with an assisted-service, from powered off to registered hosts,
whose reports come from inside the guests.

The service and its image service are the lab's, everything else is real: the machines, their firmware, their hypervisor
and their BMCs. The guests have no installer and 384 MiB of memory. So the deployment reaches only this point: the
service has all three, with the names that the collection sets, and refuses to install them because of their memory. The
run must end with exactly that.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ..integration.lab import Deployment, Lab, Run, kill_all, write_inventory
from ..support.sushy_emulator import PASSWORD, USERNAME
from .conftest import Site
from .hypervisor import Hypervisor
from .network import LIMIT, Guest, console_of

GUESTS = tuple(
    Guest(f"master-{number}", f"5f0c2a10-6a1e-4c0a-9f10-00000000010{number}", f"52:54:00:15:01:0{number}")
    for number in range(3)
)
SERVICE = "assisted.lab.example.com"
# The service appends it to the kernel arguments of the image because the collection asks for it.
ARGUMENT = "ztvm.proof=deploy"
# Seconds after which the run gives up; the guests need a fraction of them to boot and register.
DISCOVERY = 180
_SITE = {
    "networks": [
        {
            "name": "machines",
            "cidr": "10.0.2.0/24",
            "gateway": "10.0.2.2",
            "dhcp": {"range": ["10.0.2.100", "10.0.2.200"]},
        }
    ],
    "service": {"address": "10.0.2.6", "base_domain": "lab.example.com", "auth": "none"},
    "clusters": [{"name": "proof", "base_domain": "example.com", "api_vip": "10.0.2.7", "ingress_vip": "10.0.2.8"}],
    # A site has machines. This one is in no inventory, and stays off.
    "machines": [
        {
            "name": "spare",
            "cpus": 4,
            "memory_mib": 16384,
            "nics": [{"name": "enp1s0", "mac": "52:54:00:15:01:ff", "network": "machines"}],
            "disks": [{"name": "sda", "size_gib": 120}],
            "bmc": {
                "address": "redfish-virtualmedia+https://10.0.2.9/redfish/v1/Systems/1",
                "username": "admin",
                "password": "right",
            },
        }
    ],
}


class ServiceLab(Lab):
    """A lab that is only a service: its images are made of the base image that boots, and it has the time of real
    machines.
    """

    def start(self, base: Path) -> None:
        self._ztlab("up", "--site", str(self.site), "--speed", "1", "--ttl", "2h", "--base-image", str(base))
        self.vars_file.write_text(self._ztlab("vars"))


@pytest.fixture
def lab(site: Site, tmp_path: Path) -> Iterator[ServiceLab]:
    path = tmp_path / "site.yml"
    path.write_text(yaml.safe_dump(_SITE))
    running = ServiceLab(tmp_path, path)
    running.start(site.base)
    host, port = running.vars["openshift_connect_to"][f"{SERVICE}:443"].rsplit(":", 1)
    site.relay.target = host, int(port)
    yield running
    site.relay.target = None
    running.down()


@pytest.fixture
def machines(hypervisor: Hypervisor) -> Iterator[None]:
    """Three machines that are off."""
    for guest in GUESTS:
        hypervisor.define(guest, firmware="bios")
    yield
    for guest in GUESTS:
        hypervisor.remove(guest)


def inventory(emulator: tuple[str, Path]) -> dict[str, Any]:
    address, certificate = emulator
    hosts = {
        guest.name: {
            "openshift_host": {
                "bmc": {
                    "address": f"{address}/redfish/v1/Systems/{guest.uuid}",
                    "username": USERNAME,
                    "password": PASSWORD,
                    "ca_cert": str(certificate),
                },
                "interfaces": [{"name": "eth0", "mac_address": guest.mac}],
            }
        }
        for guest in GUESTS
    }
    cluster = {
        "name": "proof",
        "base_domain": "example.com",
        "version": "4.22.0",
        "platform": "baremetal",
        "api_vips": ["10.0.2.7"],
        "ingress_vips": ["10.0.2.8"],
        "machine_networks": ["10.0.2.0/24"],
        "pull_secret": (
            '{"auths": {"quay.io": {"auth": "bGFiOm5vdC1hLXJlYWwtcGFzc3dvcmQ=", "email": "lab@example.com"}}}'
        ),
        "ssh_public_keys": [
            ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFFqxkMhK3Oo0Vb6wiwGPbtNBrNzlP3rl64oT6WvJqp5 lab@example.com")
        ],
    }
    variables = {
        "openshift_install_method": "assisted",
        "openshift_infra_env": {
            "image_type": "full-iso",
            "kernel_arguments": [{"operation": "append", "value": ARGUMENT}],
        },
        "openshift_cluster": cluster,
    }
    return {"all": {"vars": variables, "children": {"control_plane": {"hosts": hosts}}}}


@dataclasses.dataclass(frozen=True)
class Proof:
    """A deployment whose runs have as much time as software emulation needs."""

    deployment: Deployment

    def run(self, playbook: str, **extra: Any) -> Run:
        process = self.deployment.start(playbook, extra=extra)
        try:
            output = process.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            kill_all(process.pid)
            pytest.fail(f"{playbook} did not end within {LIMIT:g} s:\n{process.communicate()[0]}")
        return Run(process.returncode, output)


def test_three_machines_register(
    site: Site, lab: ServiceLab, hypervisor: Hypervisor, emulator: tuple[str, Path], machines: None, tmp_path: Path
) -> None:
    proof = Proof(Deployment(lab, write_inventory(tmp_path / "hosts.json", inventory(emulator)), tmp_path))
    consoles = [hypervisor.console(guest) for guest in GUESTS]
    # The emulator cannot resolve the name of the service: the image is published here.
    assisted = {**lab.vars["openshift_assisted"], "image": "publish"}
    run = proof.run("deploy_cluster", openshift_timeouts={"discovery": DISCOVERY}, openshift_assisted=assisted)
    service = lab.status()["standalone"]
    assert {uuid: host["name"] for uuid, host in service["hosts"].items()} == {
        guest.uuid: guest.name for guest in GUESTS
    }, run.output + console_of(consoles)
    assert not run.ok and "Traceback" not in run.output, run.output
    for guest in GUESTS:
        (report,) = site.collector.of(guest.uuid)
        assert report["problems"] == [] and guest.mac in report["macs"], report
        assert ARGUMENT in report["cmdline"].split() and report["medium"]
        assert "agent.service" in report["units"]
        assert hypervisor.state(guest) == "running" and len(hypervisor.media(guest)) == 1
    # What is left is what these machines lack.
    assert "master-0, master-1, master-2 are insufficient" in run.message, run.output
    (suspects, *_further) = json.loads((Path(run.failure["log_dir"]) / "summary.json").read_text())["suspects"]
    assert "has-memory-for-role: Require at least 16.00 GiB RAM for role master" in suspects, suspects
    ended = proof.run("destroy_cluster", openshift_confirm="proof", openshift_assisted=assisted)
    assert ended.ok, ended.output
    for guest in GUESTS:
        assert hypervisor.state(guest) == "shut off" and hypervisor.media(guest, saved=True) == []
        assert len(site.collector.of(guest.uuid)) == 1
    assert lab.status()["standalone"]["hosts"] == {}
