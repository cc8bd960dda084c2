# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse and check the virtual machines that an inventory describes (``openshift_host.vm``)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...common.addresses import is_mac, normal_mac
from ...common.problems import DUPLICATE, INVALID, REQUIRED, OwnCheck, Problem

_problem = OwnCheck("libvirt")
ARCHITECTURES = ("x86_64", "aarch64")
DEFAULTS: Mapping[str, Any] = {
    "cpus": 4,
    "memory_mib": 16384,
    "disks": [{"size_gib": 120}],
    "networks": ["default"],
    "arch": "",
    "secure_boot": False,
    "tpm": False,
}
_NAME = re.compile(r"^[A-Za-z0-9_][A-Za-z0-9_.+-]*$")


@dataclasses.dataclass(frozen=True)
class Disk:
    """A disk: volume ``name`` of ``pool``, ``size`` bytes. ``serial`` is for root device hints."""

    pool: str
    name: str
    size: int
    serial: str


@dataclasses.dataclass(frozen=True)
class Nic:
    """A NIC with its MAC address, on a virtual network."""

    mac: str
    network: str


@dataclasses.dataclass(frozen=True)
class Vm:
    """A virtual machine. An empty ``arch`` is that of the hypervisor. ``host`` is what the inventory calls it."""

    host: str
    uri: str
    name: str
    cpus: int
    memory_mib: int
    disks: tuple[Disk, ...]
    nics: tuple[Nic, ...]
    arch: str
    secure_boot: bool
    tpm: bool


def read_vms(hosts: Sequence[Mapping[str, Any]]) -> tuple[list[Vm], list[Problem]]:
    """The machines of option ``hosts``:
    ``{name, libvirt{uri domain pool}, vm{cpus memory_mib disks networks …}, mac_addresses}``.
    """
    found: list[Vm] = []
    problems: list[Problem] = []
    for host in hosts:
        path = f"openshift_host[{host['name']}]"
        wrong = _check(host, path)
        problems += wrong
        if not wrong:
            found.append(_vm(host))
    domains: dict[tuple[str, str], str] = {}
    for vm in found:
        first = domains.setdefault((vm.uri, vm.name), vm.host)
        if first != vm.host:
            problems.append(
                _problem(
                    f"openshift_host[{vm.host}].libvirt.domain", DUPLICATE, f"host {first} has this domain", vm.name
                )
            )
    by_mac: dict[str, str] = {}
    for vm in found:
        for nic in vm.nics:
            first = by_mac.setdefault(nic.mac, vm.host)
            if first != vm.host:
                problems.append(
                    _problem(
                        f"openshift_host[{vm.host}].interfaces",
                        DUPLICATE,
                        f"host {first} has this MAC address",
                        nic.mac,
                    )
                )
    return found, problems


def _check(host: Mapping[str, Any], path: str) -> list[Problem]:
    vm = {**DEFAULTS, **_provided(host.get("vm"))}
    data = _provided(host.get("libvirt"))
    problems = []
    if not data.get("uri"):
        problems.append(_problem(f"{path}.libvirt.uri", REQUIRED, "the connection URI of the hypervisor is needed"))
    for key, least in (("cpus", 1), ("memory_mib", 32)):
        if vm[key] < least:
            problems.append(_problem(f"{path}.vm.{key}", INVALID, f"must be at least {least}", str(vm[key])))
    if not vm["disks"]:
        problems.append(_problem(f"{path}.vm.disks", REQUIRED, "a machine needs a disk to install on"))
    for index, disk in enumerate(vm["disks"]):
        if disk["size_gib"] < 1:
            problems.append(
                _problem(f"{path}.vm.disks[{index}].size_gib", INVALID, "must be at least 1", str(disk["size_gib"]))
            )
    macs = [str(mac) for mac in host.get("mac_addresses") or ()]
    if not macs:
        problems.append(_problem(f"{path}.interfaces", REQUIRED, "the MAC addresses of the machine are needed"))
    problems += [_problem(f"{path}.interfaces", INVALID, "is no MAC address", mac) for mac in macs if not is_mac(mac)]
    if len(vm["networks"]) not in (1, len(macs)):
        problems.append(
            _problem(
                f"{path}.vm.networks",
                INVALID,
                (f"{len(vm['networks'])} networks for {len(macs)} interfaces: name one, or one for each"),
            )
        )
    names = [str(data.get("domain") or host["name"]), *vm["networks"]]
    problems += [
        _problem(f"{path}.vm", INVALID, "must be a name of letters, digits, dots, dashes and underscores", name)
        for name in names
        if not _NAME.match(name)
    ]
    if vm["secure_boot"] and vm["arch"] == "aarch64":
        problems.append(_problem(f"{path}.vm.secure_boot", INVALID, "is supported for x86_64 only"))
    return problems


def _vm(host: Mapping[str, Any]) -> Vm:
    vm = {**DEFAULTS, **_provided(host.get("vm"))}
    data = _provided(host.get("libvirt"))
    name = str(data.get("domain") or host["name"])
    pool = str(data.get("pool") or "default")
    macs = [normal_mac(str(mac)) for mac in host["mac_addresses"]]
    networks = vm["networks"] if len(vm["networks"]) == len(macs) else vm["networks"] * len(macs)
    return Vm(
        host=str(host["name"]),
        uri=str(data["uri"]),
        name=name,
        cpus=vm["cpus"],
        memory_mib=vm["memory_mib"],
        disks=tuple(
            Disk(
                str(disk.get("pool") or pool),
                f"{name}-{index}.qcow2",
                disk["size_gib"] << 30,
                str(disk.get("serial") or f"{name}-{index}")[:20],
            )
            for index, disk in enumerate(vm["disks"])
        ),
        nics=tuple(Nic(mac, network) for mac, network in zip(macs, networks, strict=True)),
        arch=vm["arch"],
        secure_boot=vm["secure_boot"],
        tpm=vm["tpm"],
    )


def _provided(options: Any) -> dict[str, Any]:
    return {key: value for key, value in dict(options or {}).items() if value is not None}
