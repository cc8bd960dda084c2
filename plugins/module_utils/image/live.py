# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read a CoreOS live image: its type, architecture and embedded files, and the areas that may be changed."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from ..common import json_text
from ..common.errors import ZeroTouchError
from ..common.secrets import hide_secrets
from . import areas
from .cpio import CorruptArchive, Member, read_members
from .iso9660 import ImageFile, ImageSource, Volume
from .miniso import Miniso, read_miniso

CONFIG_MEMBER = "config.ign"
NETWORK_DIRECTORY = "etc/coreos-firstboot-network/"
KERNEL = "IMAGES/PXEBOOT/VMLINUZ"
ROOTFS = "IMAGES/PXEBOOT/ROOTFS.IMG"
# Machine numbers in PE headers (x86 and arm kernels) and ELF headers (ppc64le).
_PE_MACHINES = {0x8664: "x86_64", 0xAA64: "aarch64"}
_ELF_MACHINES = {21: "ppc64le", 22: "s390x"}

Form = Literal["iso", "minimal_iso"]


@dataclasses.dataclass(frozen=True)
class LiveImage:
    """A CoreOS live ISO. Sizes and offsets in bytes.

    ``form`` is ``iso`` with the root file system inside, ``minimal_iso`` without. ``arch`` is the rpm name, empty when
    nothing tells it. ``members`` are the files in the Ignition area; ``kargs`` is None where the image does not support
    changing kernel arguments.
    """

    path: Path
    size: int
    mtime_ns: int
    form: Form
    volume_id: str
    arch: str
    ignition_area: areas.Area
    members: tuple[Member, ...]
    kargs: areas.KargsAreas | None
    features: Mapping[str, Any]
    miniso: Miniso | None

    @property
    def version(self) -> str:
        """The CoreOS build that the volume id names (``rhcos-422.0.1`` is ``422.0.1``); empty when it names none."""
        name = self.volume_id
        for stream in ("rhcos-", "scos-", "fedora-coreos-"):
            if name.startswith(stream):
                return name.removeprefix(stream)
        return ""

    @property
    def ignition(self) -> bytes | None:
        """The embedded Ignition config, None without one."""
        return next((member.content for member in self.members if member.path == CONFIG_MEMBER), None)

    @property
    def network_files(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.path.startswith(NETWORK_DIRECTORY))

    def report(self, show_secrets: bool = False) -> dict[str, Any]:
        """The image as plain data.

        Contents of files are in it only with ``show_secrets``: any of them may hold credentials.
        """
        return {
            "path": str(self.path),
            "size": self.size,
            "form": self.form,
            "volume_id": self.volume_id,
            "version": self.version,
            "arch": self.arch,
            "ignition": {
                **_range(self.ignition_area),
                "embedded": self.ignition is not None,
                **_config_report(self.ignition, show_secrets),
            },
            "kargs": _kargs_report(self.kargs),
            "features": dict(self.features),
            "network_files": [_member_report(member, show_secrets) for member in self.network_files],
            "miniso": self.miniso.report() if self.miniso else None,
        }


def read_live_image(path: Path) -> LiveImage:
    """Read what a live image is and holds; only descriptors, directories and the embed areas are read.

    Raises :class:`ZeroTouchError` for a file that cannot be read, is cut off, damaged, or no CoreOS live image.
    """
    with ImageFile(path) as image:
        return live_image(image)


def live_image(source: ImageSource) -> LiveImage:
    """As :func:`read_live_image`, of an open image; the digests of files and their places are those of ``source``."""
    volume = Volume(source)
    area = areas.ignition_area(volume)
    try:
        members = read_members(source.read_at(area.offset, area.length))
    except CorruptArchive as error:
        raise ZeroTouchError(
            f"{source.path} is damaged: its Ignition area holds {error}.", "Download or build the image again."
        ) from error
    return LiveImage(
        path=source.path,
        size=source.size,
        mtime_ns=source.identity[1],
        form="iso" if volume.file(ROOTFS) else "minimal_iso",
        volume_id=volume.volume_id,
        arch=_architecture(volume, area),
        ignition_area=area,
        members=members,
        kargs=areas.kargs_areas(volume),
        features=areas.features(volume),
        miniso=read_miniso(volume),
    )


def _architecture(volume: Volume, area: areas.Area) -> str:
    """From the kernel's header; where that says nothing, from the boot files that only one architecture has."""
    kernel = volume.file(KERNEL)
    if kernel is not None and kernel.size >= 1024:
        found = _machine(volume.image.read_at(kernel.extents[0].offset, 1024))
        if found:
            return found
    if area.path.upper().endswith("CDBOOT.IMG") or volume.file("IMAGES/CDBOOT.IMG"):
        return "s390x"
    if volume.find("ISOLINUX"):
        return "x86_64"
    if volume.find("PPC"):
        return "ppc64le"
    return "aarch64" if volume.find("EFI") else ""


def _machine(header: bytes) -> str:
    if header.startswith(b"MZ"):
        start = struct.unpack_from("<I", header, 0x3C)[0]
        if start + 6 <= len(header) and header[start : start + 4] == b"PE\x00\x00":
            return _PE_MACHINES.get(struct.unpack_from("<H", header, start + 4)[0], "")
    if header.startswith(b"\x7fELF"):
        order = ">" if header[5] == 2 else "<"
        return _ELF_MACHINES.get(struct.unpack_from(order + "H", header, 18)[0], "")
    return ""


def _range(area: areas.Area) -> dict[str, Any]:
    return {"file": area.path.lower(), "offset": area.offset, "length": area.length}


def _kargs_report(kargs: areas.KargsAreas | None) -> dict[str, Any] | None:
    if kargs is None:
        return None
    return {
        "text": kargs.text,
        "default": kargs.default,
        "source": kargs.source,
        "areas": [_range(area) for area in kargs.areas],
    }


def _member_report(member: Member, show_secrets: bool) -> dict[str, Any]:
    shown = {"content": member.content.decode(errors="replace")} if show_secrets else {}
    path = member.path.encode("utf-8", errors="surrogateescape").decode("utf-8", errors="backslashreplace")
    permissions = member.mode & 0o7777
    return {"path": path, "mode": f"{permissions:04o}", "size": len(member.content), **shown}


def _config_report(config: bytes | None, show_secrets: bool) -> dict[str, Any]:
    if config is None:
        return {"size": 0, "version": "", "files": [], "units": [], "config": None}
    try:
        document = json_text.parse_remote(config)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        document = {}
    return {
        "size": len(config),
        "version": str(_mapping(document.get("ignition")).get("version", "")),
        "files": ignition_files(document),
        "units": [str(unit.get("name", "")) for unit in _mappings(_mapping(document.get("systemd")).get("units"))],
        "config": document if show_secrets else hide_secrets(_without_contents(document)),
    }


def ignition_files(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Path and mode of every file of an Ignition config."""
    return [
        {"path": str(file.get("path", "")), "mode": f"{file['mode']:04o}" if isinstance(file.get("mode"), int) else ""}
        for file in _mappings(_mapping(document.get("storage")).get("files"))
    ]


def _without_contents(value: Any) -> Any:
    """The document without what may be a credential: sources of files and certificates, unit texts, password hashes."""
    if isinstance(value, dict):
        return {
            key: "<hidden>"
            if key in ("source", "contents", "passwordHash", "httpHeaders") and isinstance(inner, (str, list))
            else _without_contents(inner)
            for key, inner in value.items()
        }
    return [_without_contents(inner) for inner in value] if isinstance(value, list) else value


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
