# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the libvirt definition of a virtual machine from one template for each architecture, and parse an existing
definition to compare it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ..domain_xml import ImageVolume, read_domain, saved_definition
from ..xml_text import OWN, Element, child, parse, text_of, written
from .description import Disk, Vm

_MARK = f"{{{OWN}}}domain"
_VOLUME = f"{{{OWN}}}volume"
_MIB = 1 << 20
_UNITS = {"b": 1, "bytes": 1, "KB": 10**3, "KiB": 1 << 10, "MB": 10**6, "MiB": _MIB, "GB": 10**9, "GiB": 1 << 30}
# By architecture: machine, bus of the CD drive, model of the TPM, and further features.
_TEMPLATES: Mapping[str, tuple[str, str, str, tuple[str, ...]]] = {
    "x86_64": ("q35", "sata", "tpm-crb", ("acpi", "apic")),
    "aarch64": ("virt", "scsi", "tpm-tis", ("acpi",)),
}


def host_arch(capabilities: str) -> str:
    """The architecture of the hypervisor."""
    return text_of(parse(capabilities), "host/cpu/arch")


def accelerated(capabilities: str, arch: str) -> bool:
    """Whether machines of this architecture run with KVM there."""
    kinds = parse(capabilities).iterfind(f"guest/arch[@name='{arch}']/domain")
    return any(kind.get("type") == "kvm" for kind in kinds)


def domain_xml(vm: Vm, arch: str, *, kvm: bool, uuid: str = "", image: ImageVolume | None = None) -> str:
    """The definition. ``uuid`` and ``image`` are those of the definition that it replaces."""
    machine, bus, tpm, features = _TEMPLATES[arch]
    root = Element("domain", type="kvm" if kvm else "qemu")
    child(root, "name").text = vm.name
    if uuid:
        child(root, "uuid").text = uuid
    mark = child(child(root, "metadata"), _MARK, created="yes")
    for disk in vm.disks:
        child(mark, _VOLUME, pool=disk.pool, name=disk.name)
    child(root, "memory", unit="MiB").text = str(vm.memory_mib)
    child(root, "vcpu").text = str(vm.cpus)
    _firmware(root, vm, arch, machine)
    parent = child(root, "features")
    for feature in features:
        child(parent, feature)
    child(root, "cpu", mode="host-passthrough" if kvm else "maximum")
    child(root, "clock", offset="utc")
    child(root, "on_poweroff").text = "destroy"
    child(root, "on_reboot").text = "restart"
    child(root, "on_crash").text = "restart"
    devices = child(root, "devices")
    child(devices, "controller", type="scsi", index="0", model="virtio-scsi")
    for index, disk in enumerate(vm.disks):
        _disk(devices, disk, _device(index))
    drive = child(devices, "disk", type="file", device="cdrom")
    child(drive, "driver", name="qemu", type="raw")
    child(drive, "target", dev=_device(len(vm.disks)), bus=bus)
    child(drive, "readonly")
    for nic in vm.nics:
        interface = child(devices, "interface", type="network")
        child(interface, "mac", address=nic.mac)
        child(interface, "source", network=nic.network)
        child(interface, "model", type="virtio")
    _console(devices, vm)
    rng = child(devices, "rng", model="virtio")
    child(rng, "backend", model="random").text = "/dev/urandom"
    if vm.tpm:
        child(child(devices, "tpm", model=tpm), "backend", type="emulator", version="2.0")
    # The boot order, and the record of the image, are those of the boot method.
    return saved_definition(written(root), image)


def described(xml: str) -> dict[str, Any]:
    """What a definition says about everything that the template sets from a description."""
    root = parse(xml)
    facts = read_domain(xml)
    memory = root.find("memory")
    unit = _UNITS.get(memory.get("unit", "KiB"), 1024) if memory is not None else 1024
    return {
        "arch": facts.arch,
        "cpus": int(text_of(root, "vcpu") or 0),
        "memory_mib": int(text_of(root, "memory") or 0) * unit // _MIB,
        "disks": [
            {"volume": f"{source.get('pool')}/{source.get('volume')}", "serial": text_of(disk, "serial")}
            for disk in root.iterfind("devices/disk[@device='disk']")
            if (source := disk.find("source")) is not None
        ],
        "networks": [
            {"mac": mac.get("address", ""), "network": source.get("network", "")}
            for nic in root.iterfind("devices/interface")
            if (mac := nic.find("mac")) is not None and (source := nic.find("source")) is not None
        ],
        "firmware": facts.firmware,
        "secure_boot": bool(facts.secure_boot),
        "tpm": root.find("devices/tpm") is not None,
    }


def own_volumes(xml: str) -> list[ImageVolume]:
    """The disks that were made for a domain, as its metadata list them."""
    mark = parse(xml).find(f"metadata/{_MARK}")
    return (
        [ImageVolume(each.get("pool", ""), each.get("name", "")) for each in mark.iterfind(_VOLUME)]
        if mark is not None
        else []
    )


def _firmware(root: Element, vm: Vm, arch: str, machine: str) -> None:
    """UEFI, whose files libvirt chooses: their paths differ between distributions."""
    system = child(root, "os", firmware="efi")
    child(system, "type", arch=arch, machine=machine).text = "hvm"
    if arch == "x86_64":
        firmware = child(system, "firmware")
        enabled = "yes" if vm.secure_boot else "no"
        child(firmware, "feature", enabled=enabled, name="secure-boot")
        child(firmware, "feature", enabled=enabled, name="enrolled-keys")


def _device(index: int) -> str:
    return "sd" + chr(ord("a") + index)


def _disk(devices: Element, disk: Disk, target: str) -> None:
    element = child(devices, "disk", type="volume", device="disk")
    child(element, "driver", name="qemu", type="qcow2", discard="unmap")
    child(element, "source", pool=disk.pool, volume=disk.name)
    child(element, "target", dev=target, bus="scsi")
    child(element, "serial").text = disk.serial


def _console(devices: Element, vm: Vm) -> None:
    """A serial console, with a log that outlives the session; the directory of logs of a session daemon is not known
    here.
    """
    serial = child(devices, "serial", type="pty")
    if urlsplit(vm.uri).path == "/system":
        child(serial, "log", file=f"/var/log/libvirt/qemu/{vm.name}-serial0.log", append="on")
    child(devices, "console", type="pty")
