# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the fixtures of the VM tests, in which real virtual machines boot images that the collection built.

If a required program is missing, the suite is skipped; the reason names the program.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ..integration.lab import ROOT, Deployment, Run
from ..support.libvirt_daemon import why_no_binding
from ..support.sushy_emulator import EMULATOR, sushy_emulator
from . import base_image
from .hypervisor import Hypervisor
from .hypervisor import hypervisor as running_hypervisor
from .network import HOST, OVMF, Collector, Guest, Relay, Web, console_of, wait_until

KERNEL = Path(os.environ.get("ZT_VM_KERNEL", ROOT / ".build" / "vm" / "kernel"))
PROGRAMS = (
    *(
        "qemu-system-x86_64",
        "libvirtd",
        "virsh",
        "xorriso",
        "mksquashfs",
        "cpio",
        "busybox",
        "grub-mkimage",
        "mformat",
        "mcopy",
        "mmd",
        "ldd",
    ),
    *base_image.PROGRAMS,
)
FILES = (*base_image.SYSLINUX, base_image.GRUB / "kernel.img", OVMF, Path("/usr/lib/ipxe/qemu"))
FIPS = "fips=1"


def _missing() -> str:
    programs = [
        name for name in PROGRAMS if shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") is None
    ]
    files = [str(path) for path in FILES if not path.exists()]
    kernel = [] if list((KERNEL / "boot").glob("vmlinuz-*")) else [f"a kernel in {KERNEL}"]
    return ", ".join([*programs, *files, *kernel])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = _missing()
    if missing:
        for item in items:
            item.add_marker(
                pytest.mark.skip(reason=(f"missing: {missing} (tools/vm-setup installs what the VM proof needs)"))
            )


@dataclasses.dataclass
class Site:
    """What all tests share: the base image and what its guests reach."""

    base: Path
    collector: Collector
    relay: Relay

    def first_report(self, guest: Guest, *logs: Path) -> dict[str, Any]:
        """The report that a guest sends from its root file system."""
        wait_until(lambda: self.collector.of(guest.uuid), f"report of {guest.name}", log=lambda: console_of(logs))
        return self.collector.of(guest.uuid)[-1]

    @staticmethod
    def console_says(console: Path, text: str) -> None:
        """Wait until the guest prints the text."""
        wait_until(
            lambda: console.exists() and text.encode() in console.read_bytes(),
            f"{text!r} on the console",
            log=lambda: console_of([console]),
        )


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    directory = tmp_path_factory.mktemp("site")
    collector, relay = Collector(), Relay()
    arguments = ["console=ttyS0,115200", f"ztvm.report={HOST}:{collector.port}", f"ztvm.relay={HOST}:{relay.port}"]
    base = base_image.build(directory / "base.iso", KERNEL, directory / "work", arguments)
    yield Site(base, collector, relay)
    collector.close()
    relay.close()


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    """The web server of the user; it serves the directory of boot artifacts."""
    directory = tmp_path / "cluster" / "boot-artifacts"
    directory.mkdir(parents=True)
    server = Web(directory)
    yield server
    server.close()


@pytest.fixture(scope="session")
def hypervisor() -> Iterator[Hypervisor]:
    with running_hypervisor() as running:
        yield running


@pytest.fixture(scope="session")
def emulator(tmp_path_factory: pytest.TempPathFactory, hypervisor: Hypervisor) -> Iterator[tuple[str, Path]]:
    """Its address, and the certificate to trust."""
    if EMULATOR is None:
        pytest.skip("sushy-emulator is not installed (requirements/dev.txt)")
    if why_no_binding():
        pytest.skip(why_no_binding())
    with sushy_emulator(tmp_path_factory.mktemp("sushy"), {"SUSHY_EMULATOR_LIBVIRT_URI": hypervisor.uri}) as running:
        yield running


@dataclasses.dataclass(frozen=True)
class Cluster:
    """A single-node cluster of one guest, whose image the modules build."""

    site: Site
    guest: Guest
    directory: Path

    @property
    def work_dir(self) -> Path:
        return self.directory / "cluster"

    def module(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a module, which must succeed."""
        run: Run = Deployment(None, Path("localhost,"), self.directory).module(name, arguments)
        assert run.ok, run.output
        return dict(json.JSONDecoder().raw_decode(run.output.partition(" => ")[2])[0])

    def build(self, **image: Any) -> dict[str, Any]:
        """The result of ``agent_image``; ``image`` are its options, and ``base_url`` is ``boot_artifacts_base_url``."""
        cluster = description(self.guest)
        if base_url := image.pop("base_url", ""):
            cluster["boot_artifacts_base_url"] = base_url
        config = str(self.directory / "config")
        self.module(
            "agent_config",
            {"cluster": cluster, "hosts": [host(self.guest)], "dest": config, "checks": {"release-not-pinned": "off"}},
        )
        return self.module(
            "agent_image",
            {
                "config_dir": config,
                "work_dir": str(self.work_dir),
                "base_image": {"path": str(self.site.base)},
                **image,
            },
        )

    def publish(self) -> None:
        """Serve the image on the loopback interface until :meth:`unpublish`."""
        self.module(
            "image_server", {"work_dir": str(self.work_dir), "publish": {"method": "serve", "listen": "127.0.0.1"}}
        )

    def unpublish(self) -> None:
        self.module(
            "image_server",
            {"work_dir": str(self.work_dir), "publish": {"method": "serve", "listen": "127.0.0.1"}, "state": "stopped"},
        )

    def boot(self, hosts: Sequence[Mapping[str, Any]], state: str) -> list[dict[str, Any]]:
        """The hosts in the result of ``boot_hosts``; the URL of the image comes from the state file."""
        # The addresses of the guests exist in their networks only: no request may leave this machine.
        connect_to = {ADDRESS: "127.0.0.1", f"api.{self.guest.name}.example.com": "127.0.0.1"}
        arguments = {
            "hosts": hosts,
            "state": state,
            "state_file": str(self.work_dir / "state.json"),
            "connect_to": connect_to,
        }
        return list(self.module("boot_hosts", arguments)["hosts"])


ADDRESS = "10.0.2.20"


def ecdsa_key() -> str:
    """A public key of a kind that FIPS allows."""
    key = ec.generate_private_key(ec.SECP256R1()).public_key()
    return key.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()


def description(guest: Guest) -> dict[str, Any]:
    """A single-node cluster. FIPS is on because that adds a kernel argument to the image."""
    return {
        "name": guest.name,
        "base_domain": "example.com",
        "version": "4.22.0",
        "fips": True,
        "machine_networks": ["10.0.2.0/24"],
        "rendezvous_ip": ADDRESS,
        "pull_secret": (
            '{"auths": {"quay.io": {"auth": "bGFiOm5vdC1hLXJlYWwtcGFzc3dvcmQ=", "email": "lab@example.com"}}}'
        ),
        "ssh_public_keys": [ecdsa_key()],
    }


def host(guest: Guest) -> dict[str, Any]:
    """The host of a guest, with a static address on a NIC that the configuration calls enp1s0."""
    address = {"enabled": True, "dhcp": False, "address": [{"ip": ADDRESS, "prefix-length": 24}]}
    return {
        "inventory_name": guest.name,
        "hostname": guest.name,
        "role": "master",
        "interfaces": [{"name": "enp1s0", "mac_address": guest.mac}],
        "network_config": {
            "interfaces": [
                {"name": "enp1s0", "type": "ethernet", "state": "up", "mac-address": guest.mac, "ipv4": address}
            ],
            "dns-resolver": {"config": {"server": ["10.0.2.3"]}},
            "routes": {
                "config": [{"destination": "0.0.0.0/0", "next-hop-address": "10.0.2.2", "next-hop-interface": "enp1s0"}]
            },
        },
    }


@pytest.fixture(autouse=True)
def took(request: pytest.FixtureRequest, site: Site, record_property: Any) -> Iterator[None]:
    """Prints how long a case took and how often guests booted in it."""
    started, reports = time.monotonic(), len(site.collector.reports)
    yield
    seconds, boots = time.monotonic() - started, len(site.collector.reports) - reports
    record_property("seconds", round(seconds, 1))
    print(f"\n{request.node.name}: {seconds:.0f} s, {boots} boots reported from inside of guests")
