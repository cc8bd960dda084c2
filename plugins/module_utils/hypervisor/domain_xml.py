# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse libvirt domain definitions, and generate the two definitions with which a host boots an image exactly once.

QEMU reads the boot order when its process starts, and a restart of the guest keeps it. Only the medium in a CD drive
can change meanwhile. So the saved definition of a host starts from its disk, with an empty CD drive. The host is
started once with another definition, whose CD drive has the image and comes first. Once the host has installed, the
medium is ejected from the running domain, and its next restart is from the disk (docs/upstream/libvirt.md).
"""

from __future__ import annotations

import copy
import dataclasses

from ..common.addresses import normal_mac
from .xml_text import OWN, Element, child, parse, text_of, written

_MARK = f"{{{OWN}}}domain"
_IMAGE = f"{{{OWN}}}image"
# The PC machine with SATA; older PCs have IDE, and machines of other architectures SCSI.
_WITH_SATA = "q35"


@dataclasses.dataclass(frozen=True)
class ImageVolume:
    """A volume with an image."""

    pool: str
    name: str

    def __str__(self) -> str:
        return f"{self.pool}/{self.name}"


@dataclasses.dataclass(frozen=True)
class DomainFacts:
    """What a definition says.

    ``medium`` is the volume in a CD drive, ``recorded`` the image that this collection noted in the metadata.

    ``secure_boot`` is None where the firmware is the hypervisor's choice and the definition does not say.
    """

    name: str
    uuid: str
    arch: str
    machine: str
    macs: tuple[str, ...]
    media: tuple[ImageVolume, ...]
    recorded: ImageVolume | None
    created: bool
    firmware: str
    secure_boot: bool | None
    on_reboot: str


def read_domain(xml: str) -> DomainFacts:
    """The facts of a definition. Raises :class:`ZeroTouchError` for a text that is not XML."""
    root = parse(xml)
    kind = root.find("os/type")
    mark = root.find(f"metadata/{_MARK}")
    firmware, secure = _firmware(root)
    macs = [normal_mac(mac.get("address", "")) for mac in root.iterfind("devices/interface/mac") if mac.get("address")]
    return DomainFacts(
        name=text_of(root, "name"),
        uuid=text_of(root, "uuid").lower(),
        arch=kind.get("arch", "") if kind is not None else "",
        machine=kind.get("machine", "") if kind is not None else "",
        macs=tuple(dict.fromkeys(macs)),
        media=tuple(volume for disk in _cd_drives(root) if (volume := _volume(disk)) is not None),
        recorded=_recorded(mark),
        created=mark is not None and mark.get("created") == "yes",
        firmware=firmware,
        secure_boot=secure,
        on_reboot=text_of(root, "on_reboot") or "destroy",
    )


def saved_definition(xml: str, image: ImageVolume | None) -> str:
    """The definition with which the host starts from its disk: the drive for images is empty, and the metadata name the
    image (None removes it).
    """
    root = parse(xml)
    drive = _drive(root)
    _fill(drive, None)
    _record(root, image)
    for element in root.findall("on_reboot"):
        root.remove(element)
    child(root, "on_reboot").text = "restart"
    disks = [disk for disk in root.iterfind("devices/disk") if disk.get("device", "disk") == "disk"]
    formerly = _ordered(root)
    first = [disk for disk in formerly if disk in disks] or disks[:1]
    others = [device for device in formerly if device not in disks and device is not drive]
    _set_order(root, [*first, drive, *others])
    return written(root)


def start_definition(saved: str, image: ImageVolume) -> str:
    """The definition of one start from the image: the saved one (:func:`saved_definition`) with the medium inserted,
    and its drive first.
    """
    root = parse(saved)
    drive = _drive(root)
    _fill(drive, image)
    _set_order(root, [drive, *(device for device in _ordered(root) if device is not drive)])
    return written(root)


def emptied_drives(live: str, images: frozenset[ImageVolume]) -> list[str]:
    """The CD drives of a running domain that hold one of the images, each without its medium."""
    devices = []
    for disk in _cd_drives(parse(live)):
        if _volume(disk) in images:
            empty = copy.deepcopy(disk)
            _fill(empty, None)
            devices.append(written(empty))
    return devices


def _firmware(root: Element) -> tuple[str, bool | None]:
    """efi or bios, and whether secure boot is on: enrolled keys are what makes it effective."""
    loader = root.find("os/loader")
    system = root.find("os")
    automatic = system.get("firmware", "") if system is not None else ""
    features = {str(each.get("name")): each.get("enabled") == "yes" for each in root.iterfind("os/firmware/feature")}
    efi = automatic == "efi" or (loader is not None and loader.get("type") == "pflash")
    if not efi:
        return "bios", False
    if "secure-boot" in features:
        return "efi", features["secure-boot"] and features.get("enrolled-keys", True)
    if loader is not None and loader.get("secure") != "yes":
        return "efi", False
    # A loader that can do it, with variables of which the definition does not say whether they have keys.
    return "efi", None


def _cd_drives(root: Element) -> list[Element]:
    return [disk for disk in root.iterfind("devices/disk") if disk.get("device") == "cdrom"]


def _volume(disk: Element) -> ImageVolume | None:
    source = disk.find("source")
    if source is None or not source.get("volume"):
        return None
    return ImageVolume(source.get("pool", ""), source.get("volume", ""))


def _recorded(mark: Element | None) -> ImageVolume | None:
    image = mark.find(_IMAGE) if mark is not None else None
    return ImageVolume(image.get("pool", ""), image.get("volume", "")) if image is not None else None


def _record(root: Element, image: ImageVolume | None) -> None:
    metadata = root.find("metadata")
    if metadata is None:
        metadata = child(root, "metadata")
    mark = metadata.find(_MARK)
    if mark is None:
        mark = child(metadata, _MARK)
    for element in mark.findall(_IMAGE):
        mark.remove(element)
    if image is not None:
        child(mark, _IMAGE, pool=image.pool, volume=image.name)
    if not len(mark) and not mark.attrib:
        metadata.remove(mark)
    if not len(metadata):
        root.remove(metadata)


def _drive(root: Element) -> Element:
    """The CD drive for images: one that is empty, or has the image that is recorded; a new one where all others hold
    media of the user.
    """
    recorded = _recorded(root.find(f"metadata/{_MARK}"))
    for disk in _cd_drives(root):
        source = disk.find("source")
        if source is None or (recorded is not None and _volume(disk) == recorded):
            return disk
    return _added_drive(root)


def _added_drive(root: Element) -> Element:
    kind = root.find("os/type")
    machine = kind.get("machine", "") if kind is not None else ""
    arch = kind.get("arch", "") if kind is not None else ""
    pc = arch in ("i686", "x86_64")
    on_pc = "sata" if _WITH_SATA in machine else "ide"
    bus = on_pc if pc else "scsi"
    prefix = "hd" if bus == "ide" else "sd"
    taken = {target.get("dev") for target in root.iterfind("devices/disk/target")}
    name = next(f"{prefix}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz" if f"{prefix}{letter}" not in taken)
    devices = root.find("devices")
    if devices is None:
        devices = child(root, "devices")
    disk = child(devices, "disk", type="file", device="cdrom")
    child(disk, "driver", name="qemu", type="raw")
    child(disk, "target", dev=name, bus=bus)
    child(disk, "readonly")
    return disk


def _fill(drive: Element, image: ImageVolume | None) -> None:
    """Put a medium into a drive, or take it out."""
    for name in ("source", "backingStore"):
        for element in drive.findall(name):
            drive.remove(element)
    driver = drive.find("driver")
    if driver is not None:
        driver.set("type", "raw")
    if image is None:
        drive.set("type", "file")
        return
    drive.set("type", "volume")
    child(drive, "source", pool=image.pool, volume=image.name)
    if drive.find("readonly") is None:
        child(drive, "readonly")


def _ordered(root: Element) -> list[Element]:
    """The devices that the machine is started from, the first one first."""
    devices = [device for device in root.iterfind("devices/*") if device.find("boot") is not None]
    if devices:
        return sorted(devices, key=lambda device: int(device.find("boot").get("order", "99")))  # type: ignore[union-attr]
    found: list[Element] = []
    for boot in root.iterfind("os/boot"):
        found += [device for device in _of_kind(root, boot.get("dev", "")) if device not in found]
    return found


def _of_kind(root: Element, kind: str) -> list[Element]:
    """The device that ``<boot dev=…>`` means: the first one of its kind."""
    if kind == "network":
        return root.findall("devices/interface")[:1]
    wanted = {"hd": "disk", "cdrom": "cdrom", "fd": "floppy"}.get(kind, "")
    return [disk for disk in root.iterfind("devices/disk") if disk.get("device", "disk") == wanted][:1]


def _set_order(root: Element, devices: list[Element]) -> None:
    """The one form of a boot order: libvirt accepts no mixture of both."""
    system = root.find("os")
    for element in system.findall("boot") if system is not None else ():
        system.remove(element)  # type: ignore[union-attr]
    for device in root.iterfind("devices/*"):
        for element in device.findall("boot"):
            device.remove(element)
    for number, device in enumerate(devices, 1):
        child(device, "boot", order=str(number))
