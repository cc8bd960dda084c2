# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the inventory that the agent sends to the assisted-service: the machine's hardware, and the addresses that the
live system configured.

Source: openshift/assisted-service swagger.yaml, internal/hardware/validator.go.
"""

from __future__ import annotations

import dataclasses
import ipaddress
from typing import Any

from ..fabric.hosts import HostNetwork, Interface
from ..faults import Faults
from ..machine.hardware import Hardware
from ..site.model import Disk

_FAMILY_IPV4, _FAMILY_IPV6 = 2, 10


# The agent omits bridges, VRFs and similar interfaces, and their addresses.
_LISTED_KINDS = ("physical", "bond", "vlan")


def inventory(
    machine: Hardware, network: HostNetwork, hostname: str, faults: Faults, command_line: str
) -> dict[str, Any]:
    """The inventory document of a host."""
    spec = machine.spec
    memory = spec.memory_mib
    small = faults.peek("memory-too-small", spec.name)
    if small:
        memory = int(small.number("memory_mib", 4096))
    return {
        "hostname": hostname,
        "bmc_address": "0.0.0.0",
        "bmc_v6address": "::/0",
        "interfaces": [_interface(interface) for interface in network.interfaces if interface.kind in _LISTED_KINDS],
        "disks": [_disk(disk, index) for index, disk in enumerate(disks_of(machine, faults))] + [_live_medium()],
        "cpu": {
            "count": spec.cpus,
            "frequency": 2600.0,
            "flags": ["fpu", "vmx", "sse4_2", "aes", "avx2"],
            "model_name": "ZeroTouch Lab CPU @ 2.60GHz",
            "architecture": "x86_64",
        },
        "memory": {
            "physical_bytes": memory << 20,
            "usable_bytes": (memory << 20) - (512 << 20),
            "physical_bytes_method": "dmidecode",
        },
        "boot": {
            "current_boot_mode": "uefi" if machine.boot.mode == "UEFI" else "bios",
            "pxe_interface": "",
            "command_line": command_line,
            "secure_boot_state": "Disabled" if machine.boot.mode == "UEFI" else "NotSupported",
            "device_type": "ephemeral",
        },
        "system_vendor": {
            "manufacturer": spec.manufacturer,
            "product_name": spec.model,
            "serial_number": spec.serial_number,
            "virtual": False,
        },
        "routes": [route for interface in network.interfaces for route in _routes(network, interface)],
        "gpus": [],
        "tpm_version": spec.tpm,
    }


def disks_of(machine: Hardware, faults: Faults) -> list[Disk]:
    """The machine's disks as they are now."""
    disks = list(machine.spec.disks)
    small = faults.peek("disk-too-small", machine.spec.name)
    if small:
        disks[0] = dataclasses.replace(disks[0], size_gib=small.number("size_gib", 20))
    return disks


def disk_id(disk: Disk) -> str:
    """What identifies a disk to the service: by-id when it has a WWN or serial, else its path."""
    name = f"wwn-{disk.wwn}" if disk.wwn else disk.serial
    if disk.wwn.startswith("eui."):
        name = disk.wwn.replace("eui.", "nvme-eui.")
    return f"/dev/disk/by-id/{name}" if name else disk.path


def _interface(interface: Interface) -> dict[str, Any]:
    addresses = [ipaddress.ip_interface(address) for address in interface.addresses]
    return {
        "name": interface.name,
        "mac_address": interface.mac,
        "ipv4_addresses": [str(address) for address in addresses if address.version == 4],
        "ipv6_addresses": [str(address) for address in addresses if address.version == 6],
        "has_carrier": interface.carrier,
        "mtu": interface.mtu,
        "speed_mbps": 25000 if interface.carrier else 0,
        "flags": ["up", "broadcast", "multicast"],
        "type": interface.kind,
        "vendor": "0x15b3" if interface.kind == "physical" else "",
        "product": "0x1015" if interface.kind == "physical" else "",
        "biosdevname": "",
        "client_id": "",
    }


def _disk(disk: Disk, index: int) -> dict[str, Any]:
    reasons = ["Disk is removable"] if disk.removable else []
    bus = index + 1
    nvme = disk.name.startswith("nvme")
    port = "nvme-1" if nvme else f"ata-{bus}"
    return {
        "id": disk_id(disk),
        "by_id": disk_id(disk) if disk_id(disk) != disk.path else "",
        "by_path": f"/dev/disk/by-path/pci-0000:0{bus}:00.0-{port}",
        "name": disk.name,
        "path": disk.path,
        "drive_type": "HDD" if disk.rotational else "SSD",
        "model": disk.model,
        "vendor": disk.vendor,
        "serial": disk.serial,
        "wwn": disk.wwn,
        "hctl": disk.hctl or ("" if nvme else f"{index}:0:0:0"),
        "size_bytes": disk.size_bytes,
        "bootable": False,
        "removable": disk.removable,
        "smart": "",
        "installation_eligibility": {"eligible": not reasons, "not_eligible_reasons": reasons},
    }


def _live_medium() -> dict[str, Any]:
    return {
        "id": "/dev/sr0",
        "by_path": "/dev/disk/by-path/pci-0000:00:14.0-usb-0:1:1.0-scsi-0:0:0:0",
        "name": "sr0",
        "path": "/dev/sr0",
        "drive_type": "ODD",
        "model": "Virtual CDROM",
        "vendor": "ZTLAB",
        "serial": "",
        "hctl": "7:0:0:0",
        "size_bytes": 1 << 30,
        "bootable": True,
        "removable": True,
        "is_installation_media": True,
        "smart": "",
        "installation_eligibility": {
            "eligible": False,
            "not_eligible_reasons": ["Disk is removable", "Disk appears to be an ISO installation media"],
        },
    }


def _routes(network: HostNetwork, interface: Interface) -> list[dict[str, Any]]:
    routes = [
        {
            "interface": route.interface,
            "gateway": route.gateway,
            "destination": str(ipaddress.ip_network(route.destination, strict=False).network_address),
            "family": _FAMILY_IPV6 if ":" in route.destination else _FAMILY_IPV4,
            "metric": route.metric,
        }
        for route in network.routes
        if route.interface == interface.name
    ]
    for text in interface.addresses:
        address = ipaddress.ip_interface(text)
        family = _FAMILY_IPV4 if address.version == 4 else _FAMILY_IPV6
        routes.append(
            {
                "interface": interface.name,
                "gateway": "",
                "destination": str(address.network.network_address),
                "family": family,
                "metric": 100,
            }
        )
    return routes
