# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Manage virtual machines of a libvirt daemon that belongs to the tests: definitions, power, media."""

from __future__ import annotations

import contextlib
import dataclasses
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from ..support.libvirt_daemon import libvirt_daemon, virsh
from .network import MEMORY_MIB, Guest

_UEFI = (
    "<os firmware='efi'><type arch='x86_64' machine='q35'>hvm</type><firmware><feature enabled='no' "
    "name='secure-boot'/></firmware>{boot}</os>"
)
_BIOS = "<os><type arch='x86_64' machine='q35'>hvm</type>{boot}</os>"


@dataclasses.dataclass(frozen=True)
class Hypervisor:
    """``uri`` for libvirt's programs; ``directory`` is that of storage pool ``default``, and holds disks and serial
    logs too.
    """

    uri: str
    directory: Path

    def define(self, guest: Guest, *, firmware: str) -> None:
        """A machine that is off, with an empty disk, an empty CD drive behind it in the boot order, and user-mode
        networking.
        """
        disk = self.directory / f"{guest.name}.raw"
        with disk.open("wb") as file:
            file.truncate(1 << 30)
        disk.chmod(0o666)
        definition = self.directory / f"{guest.name}.xml"
        definition.write_text(self._xml(guest, disk, _UEFI if firmware == "uefi" else _BIOS))
        self.virsh("define", str(definition))

    def _xml(self, guest: Guest, disk: Path, system: str) -> str:
        return f"""<domain type='qemu'>
  <name>{guest.name}</name>
  <uuid>{guest.uuid}</uuid>
  <memory unit='MiB'>{MEMORY_MIB}</memory>
  <vcpu>1</vcpu>
  {system.format(boot="<boot dev='hd'/>")}
  <features><acpi/></features>
  <on_reboot>restart</on_reboot>
  <devices>
    <disk type='file' device='disk'><driver name='qemu' type='raw'/><source file='{disk}'/><target dev='vda' bus='virtio'/></disk>
    <disk type='file' device='cdrom'><driver name='qemu' type='raw'/><target dev='sda' bus='sata'/><readonly/></disk>
    <interface type='user'><mac address='{guest.mac}'/><model type='virtio'/></interface>
    <serial type='file'><source path='{self.console(guest)}'/><target port='0'/></serial>
  </devices>
</domain>
"""  # noqa: E501

    def console(self, guest: Guest) -> Path:
        return self.directory / f"{guest.name}.console"

    def state(self, guest: Guest) -> str:
        """``running``, ``shut off`` and so on."""
        return self.virsh("domstate", guest.name).strip()

    def media(self, guest: Guest, *, saved: bool = False) -> list[str]:
        """What is in the CD drives of the running machine, or of its saved definition."""
        tree = ET.fromstring(self.virsh("dumpxml", guest.name, *(["--inactive"] if saved else [])))
        sources = [
            source for disk in tree.iterfind("./devices/disk[@device='cdrom']") for source in disk.iterfind("source")
        ]
        # An empty drive may keep an element that names nothing.
        named = [
            source.get("file") or source.get("volume") or source.get("dev") or source.get("name") or ""
            for source in sources
        ]
        return [name for name in named if name]

    def remove(self, guest: Guest) -> None:
        with contextlib.suppress(RuntimeError):  # it is off
            self.virsh("destroy", guest.name)
        self.virsh("undefine", guest.name, "--nvram")

    def virsh(self, *words: str) -> str:
        return virsh(self.uri, *words)


@contextlib.contextmanager
def hypervisor() -> Iterator[Hypervisor]:
    """A daemon of its own, with an active storage pool."""
    with libvirt_daemon() as (uri, directory):
        running = Hypervisor(uri, directory)
        running.virsh("pool-create-as", "default", "dir", "--target", str(directory))
        yield running
