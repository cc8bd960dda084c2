# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A small CoreOS-like live ISO for tests, written with pycdlib: an independent view of the format that the image room reads."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pycdlib

DEFAULT_KARGS = "coreos.liveiso=rhcos-422.1.0 ignition.firstboot ignition.platform.id=metal"
KARGS_SIZE = 512
MARKER = b"# COREOS_KARG_EMBED_AREA\n"


def kargs_file(text: str | bytes, lead: bytes, size: int = KARGS_SIZE) -> tuple[bytes, int]:
    """A boot loader configuration with an area, and the offset of the area in it."""
    data = text.encode() if isinstance(text, str) else text
    area = data + b"\n" + b"#" * (size - len(data) - 1)
    return lead + area + MARKER, len(lead)


def make_iso(
    path: Path,
    *,
    volume_id: str = "rhcos-422.1.0",
    ignition: bytes | int = 65536,
    kargs: bool = True,
    features: dict[str, Any] | None = None,
    info: dict[str, Any] | None = None,
    kernel: bytes = b"kernel",
    rootfs: bytes | None = b"rootfs" * 10000,
    grub_text: str | bytes = DEFAULT_KARGS,
) -> Path:
    """Write the image. ``ignition`` is the content of images/ignition.img, or its length in zeros; 0 leaves the file out."""
    iso = pycdlib.PyCdlib()
    iso.new(interchange_level=3, vol_ident=volume_id, rock_ridge="1.09")
    made: set[str] = set()

    def add(name: str, content: bytes) -> None:
        *parents, leaf = name.split("/")
        where = ""
        for parent in parents:
            where += f"/{parent.upper()}"
            if where not in made:
                made.add(where)
                iso.add_directory(where, rr_name=parent)
        short = leaf.upper().replace("JSON", "JSO")
        iso.add_fp(io.BytesIO(content), len(content), f"{where}/{short}{'' if '.' in short else '.'};1", rr_name=leaf)

    area = bytes(ignition) if isinstance(ignition, int) else ignition
    if area:
        add("images/ignition.img", area)
    if info is not None:
        add("coreos/igninfo.json", json.dumps(info).encode())
    if features is not None:
        add("coreos/features.json", json.dumps(features).encode())
    if kargs:
        grub, grub_offset = kargs_file(grub_text, b"linux /images/pxeboot/vmlinuz ")
        isolinux, isolinux_offset = kargs_file(DEFAULT_KARGS, b"append initrd=/images/pxeboot/initrd.img ")
        add("EFI/redhat/grub.cfg", grub)
        add("isolinux/isolinux.cfg", isolinux)
        files = [{"path": "EFI/redhat/grub.cfg", "offset": grub_offset}, {"path": "isolinux/isolinux.cfg", "offset": isolinux_offset}]
        add("coreos/kargs.json", json.dumps({"default": DEFAULT_KARGS, "files": files, "size": KARGS_SIZE}).encode())
    add("images/pxeboot/vmlinuz", kernel)
    if rootfs is not None:
        add("images/pxeboot/rootfs.img", rootfs)
    iso.write(str(path))
    iso.close()
    return path


def read_member(path: Path, name: str) -> bytes:
    """A file of the image, as pycdlib reads it."""
    iso = pycdlib.PyCdlib()
    iso.open(str(path))
    content = io.BytesIO()
    iso.get_file_from_iso_fp(content, rr_path=f"/{name}")
    iso.close()
    return content.getvalue()
