# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Locate the embed areas of a live ISO, and create the minimal ISO from the full ISO.

Source: openshift/assisted-image-service pkg/isoeditor, pkg/imagestore, pkg/overlay.
"""

from __future__ import annotations

import dataclasses
import io
import json
import re
from pathlib import Path
from typing import Any, BinaryIO, cast

import pycdlib
from pycdlib.pycdlibexception import PyCdlibInvalidInput

from ..discovery.archive import REGULAR, compressed
from ..discovery.parameters import sort_key

SECTOR = 2048
RAMDISK, RAMDISK_SIZE = "images/assisted_installer_custom.img", 1 << 20
NMSTATE, NMSTATE_FROM = "images/nmstate.img", "4.18.0-ec.0"
ROOTFS = "images/pxeboot/rootfs.img"
_GRUB = ("EFI/redhat/grub.cfg", "EFI/fedora/grub.cfg", "boot/grub/grub.cfg", "EFI/centos/grub.cfg")
_ISOLINUX = "isolinux/isolinux.cfg"
_VOLUME_AT, _VOLUME_PREFIXES = 32808, ("rhcos-", "fedora-coreos-", "scos-")
_KARGS_AREA = re.compile(rb"(\n#*)# COREOS_KARG_EMBED_AREA")
_NMSTATECTL = b"#!/bin/sh\n# Represents the program of the same name in the root file system.\n"


class ImageError(Exception):
    """The image cannot be offered or changed; the text says why."""


@dataclasses.dataclass(frozen=True)
class Area:
    """A range of the ISO, in bytes."""

    offset: int
    length: int


@dataclasses.dataclass(frozen=True)
class Layout:
    """One ISO file: its areas, and its files by Rock Ridge path."""

    path: Path
    size: int
    volume_id: str
    files: dict[str, Area]
    ignition: Area
    kargs: tuple[Area, ...]

    @property
    def ramdisk(self) -> Area | None:
        return self.files.get(RAMDISK)

    def read(self, area: Area) -> bytes:
        with self.path.open("rb") as file:
            file.seek(area.offset)
            return file.read(area.length)


def read_layout(path: Path) -> Layout:
    """Raises :class:`ImageError` when the file is no live ISO of CoreOS."""
    with path.open("rb") as file:
        file.seek(_VOLUME_AT)
        volume_id = file.read(32).decode("ascii", "replace").rstrip()
    if not volume_id.startswith(_VOLUME_PREFIXES):
        raise ImageError(f"{path}: volume id {volume_id!r} begins with none of {', '.join(_VOLUME_PREFIXES)}")
    files = _files(path)
    layout = Layout(path, path.stat().st_size, volume_id, files, Area(0, 0), ())
    return dataclasses.replace(layout, ignition=_ignition_area(layout), kargs=_kargs_areas(layout))


def _files(path: Path) -> dict[str, Area]:
    iso = pycdlib.PyCdlib()
    iso.open(str(path))
    try:
        facade = iso.get_rock_ridge_facade()
        found = {}
        for directory, _directories, names in facade.walk(rr_path="/"):
            for name in names:
                full = f"{directory.rstrip('/')}/{name}"
                record = facade.get_record(full)
                found[full.lstrip("/")] = Area(record.extent_location() * SECTOR, record.get_data_length())
        return found
    except PyCdlibInvalidInput as error:
        raise ImageError(f"{path}: {error}") from error
    finally:
        iso.close()


def _json_file(layout: Layout, name: str) -> Any:
    area = layout.files.get(name)
    return json.loads(layout.read(area)) if area else None


def _ignition_area(layout: Layout) -> Area:
    info = _json_file(layout, "coreos/igninfo.json") or {"file": "images/ignition.img"}
    whole = layout.files.get(str(info["file"]).lstrip("/"))
    if whole is None:
        raise ImageError(f"{layout.path}: no file {info['file']}")
    offset = int(info.get("offset") or 0)
    return Area(whole.offset + offset, int(info.get("length") or whole.length - offset))


def kargs_files(layout: Layout) -> list[str]:
    """The boot loader files that hold kernel arguments."""
    info = _json_file(layout, "coreos/kargs.json")
    return [str(entry["path"]) for entry in info["files"]] if info else [_GRUB[0], _ISOLINUX]


def _kargs_areas(layout: Layout) -> tuple[Area, ...]:
    areas = []
    for name in kargs_files(layout):
        whole = layout.files.get(name)
        match = _KARGS_AREA.search(layout.read(whole)) if whole else None
        if whole and match:
            areas.append(Area(whole.offset + match.start(1), len(match[1])))
    return tuple(areas)


# ---- the minimal form ------------------------------------------------------------------------------------------------


def write_minimal(full: Layout, path: Path, *, rootfs_url: str, openshift_version: str) -> Layout:
    """Derive the minimal ISO of a full one. Raises :class:`ImageError`."""
    if "$" in rootfs_url or "\\" in rootfs_url:
        raise ImageError(f"the URL of the root file system must not contain $ or \\: {rootfs_url}")
    nmstate = sort_key(openshift_version) >= sort_key(NMSTATE_FROM)
    changed = _edited(full, rootfs_url, [RAMDISK, NMSTATE] if nmstate else [RAMDISK])
    changed[RAMDISK] = bytes(RAMDISK_SIZE)
    if nmstate:
        changed[NMSTATE] = nmstate_archive()
    contents = {
        name: changed.get(name) or full.read(area) for name, area in full.files.items() if name != ROOTFS
    } | changed
    _write_iso(contents, full.volume_id, path)
    return read_layout(path)


def nmstate_archive() -> bytes:
    """The initrd that brings nmstatectl, which the initramfs of the image has not."""
    return compressed(
        [("usr", 0o040755, b""), ("usr/bin", 0o040755, b""), ("usr/bin/nmstatectl", REGULAR | 0o755, _NMSTATECTL)]
    )


def _edited(full: Layout, rootfs_url: str, initrds: list[str]) -> dict[str, bytes]:
    """The boot loader files and kargs.json as the minimal ISO has them."""
    argument = f' coreos.live.rootfs_url="{rootfs_url}"'
    extra = ["/" + name for name in initrds]
    grub = next((name for name in _GRUB if name in full.files), None)
    texts = {name: full.read(full.files[name]).decode() for name in (grub, _ISOLINUX) if name and name in full.files}
    edited = {}
    for name, text in texts.items():
        text = re.sub(r"coreos\.liveiso=\S+ ", "", text, count=1)
        text = re.sub(
            r"^([ \t]+(?:linux|append)\b.*)$", lambda match: match[1].rstrip() + argument, text, count=1, flags=re.M
        )
        if name == _ISOLINUX:
            text = re.sub(r"(initrd=\S+)", lambda match: ",".join([match[1], *extra]), text, count=1)
        else:
            text = re.sub(
                r"^([ \t]+initrd\b.*)$", lambda match: " ".join([match[1].rstrip(), *extra]), text, count=1, flags=re.M
            )
        edited[name] = text.encode()
    kargs = _json_file(full, "coreos/kargs.json")
    if kargs:
        edited["coreos/kargs.json"] = _edited_kargs(kargs, texts, edited, argument)
    return edited


def _edited_kargs(kargs: dict[str, Any], before: dict[str, str], after: dict[str, bytes], argument: str) -> bytes:
    default = re.sub(r"coreos\.liveiso=\S+ ", "", str(kargs["default"]), count=1) + argument
    growth = len(default) - len(str(kargs["default"]))
    for entry in kargs["files"]:
        if entry["path"] in before:
            # The marker behind the area moves by what was added before the area and by what the area grew.
            marker = "# COREOS_KARG_EMBED_AREA"
            moved = after[entry["path"]].decode().index(marker) - before[entry["path"]].index(marker)
            entry["offset"] += moved - growth
    return json.dumps({**kargs, "default": default, "size": kargs["size"] + growth}, indent=2).encode()


def _write_iso(contents: dict[str, bytes], volume_id: str, path: Path) -> None:
    iso = pycdlib.PyCdlib()
    iso.new(interchange_level=3, rock_ridge="1.09", vol_ident=volume_id, sys_ident="LINUX")
    names: dict[str, str] = {}
    for name in sorted(contents):
        if name == "isolinux/boot.cat":
            continue
        _make_parents(iso, name, names)
        short = _short(name, names)
        iso.add_fp(io.BytesIO(contents[name]), len(contents[name]), short + ";1", rr_name=name.rsplit("/", 1)[-1])
    if "isolinux/isolinux.bin" in contents:
        iso.add_eltorito(
            names["isolinux/isolinux.bin"] + ";1",
            bootcatfile=names["isolinux"] + "/BOOT.CAT;1",
            rr_bootcatname="boot.cat",
            boot_info_table=True,
        )
        if "images/efiboot.img" in contents:
            iso.add_eltorito(names["images/efiboot.img"] + ";1", efi=True)
    elif "images/efiboot.img" in contents:
        iso.add_eltorito(
            names["images/efiboot.img"] + ";1", bootcatfile="/BOOT.CAT;1", rr_bootcatname="boot.cat", efi=True
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("w+b") as file:
        iso.write_fp(cast(BinaryIO, file))
    iso.close()
    temporary.replace(path)


def _make_parents(iso: pycdlib.PyCdlib, name: str, names: dict[str, str]) -> None:
    parts = name.split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        parent = "/".join(parts[:depth])
        if parent not in names:
            iso.add_directory(_short(parent, names, directory=True), rr_name=parts[depth - 1])


def _short(name: str, names: dict[str, str], *, directory: bool = False) -> str:
    """A free 8.3 name for a path; remembered in ``names``."""
    parent, _, last = name.rpartition("/")
    stem, _, suffix = last.upper().partition(".")
    stem, suffix = re.sub(r"[^A-Z0-9_]", "_", stem), re.sub(r"[^A-Z0-9_]", "_", suffix)[:3]
    taken = set(names.values())
    for number in range(1000):
        short = stem[:8] if number == 0 else f"{stem[:5]}{number:03d}"
        candidate = f"{names.get(parent, '')}/{short}" + ("" if directory else f".{suffix}")
        if candidate not in taken:
            names[name] = candidate
            return candidate
    raise ImageError(f"no short name left for {name}")
