# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build a small CoreOS-like live ISO for tests with pycdlib: an independent view of the format."""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pycdlib

DEFAULT_KARGS = "coreos.liveiso=rhcos-422.1.0 ignition.firstboot ignition.platform.id=metal"
KARGS_SIZE = 512
MINISO_SIZE = 16384
KARGS_HEADER = 32672
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
    initrd: bytes = b"initrd" * 999,
    miniso: bool = True,
    reserve: int = 0,
    more: Mapping[str, bytes] | None = None,
) -> Path:
    """Write the image. ``ignition`` is the content of images/ignition.img, or its length in zeros; 0 leaves the file
    out. ``miniso`` adds what makes the minimal ISO of it; ``reserve`` bytes are kept for that, where the caller fills
    it. ``more`` are further files by path.
    """
    if miniso and rootfs is not None:
        options = {
            "volume_id": volume_id,
            "ignition": ignition,
            "kargs": kargs,
            "features": features,
            "info": info,
            "kernel": kernel,
            "grub_text": grub_text,
            "more": more,
        }
        minimal = make_iso(path.with_suffix(".minimal"), **options, initrd=initrd, rootfs=None, miniso=False)
        make_iso(path, **options, initrd=initrd, rootfs=rootfs, miniso=False, reserve=MINISO_SIZE)
        fill_miniso(path, minimal, MINISO_SIZE)
        minimal.unlink()
        return path
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
        short = leaf.upper().replace("JSON", "JSO").replace("ADDRSIZE", "ADD")
        dotted = short if "." in short else f"{short}."
        iso.add_fp(io.BytesIO(content), len(content), f"{where}/{dotted};1", rr_name=leaf)

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
        files = [
            {"path": "EFI/redhat/grub.cfg", "offset": grub_offset},
            {"path": "isolinux/isolinux.cfg", "offset": isolinux_offset},
        ]
        add("coreos/kargs.json", json.dumps({"default": DEFAULT_KARGS, "files": files, "size": KARGS_SIZE}).encode())
    if reserve:
        add("coreos/miniso.dat", bytes(reserve))
    add("images/pxeboot/initrd.img", initrd)
    add("images/pxeboot/vmlinuz", kernel)
    if rootfs is not None:
        add("images/pxeboot/rootfs.img", rootfs)
    for name, content in (more or {}).items():
        add(name, content)
    iso.write(str(path))
    iso.close()
    return path


def make_header_iso(path: Path, **options: Any) -> Path:
    """Write an image of 2021, whose kernel-argument areas are not named in a file but in a header before the volume's
    descriptors.
    """
    areas = dict(
        zip(
            ("EFI/redhat/grub.cfg", "isolinux/isolinux.cfg", "coreos/default"),
            (b"linux ", b"append ", b""),
            strict=True,
        )
    )
    made = {name: kargs_file(DEFAULT_KARGS, lead)[0] for name, lead in areas.items()}
    make_iso(path, kargs=False, miniso=False, more=made, **options)
    places = {name.upper(): sector * 2048 for name, (sector, _length) in _extents(path).items()}
    found = [
        next(where for place, where in places.items() if place.startswith(f"/{name.upper()}")) + len(lead)
        for name, lead in areas.items()
    ]
    with path.open("r+b") as handle:
        handle.seek(KARGS_HEADER)
        handle.write(b"coreKarg" + struct.pack("<8Q", KARGS_SIZE, found[2], *found[:2], 0, 0, 0, 0))
    return path


def _extents(path: Path) -> dict[str, tuple[int, int]]:
    """First sector and length of every file, by its ISO 9660 path."""
    iso = pycdlib.PyCdlib()
    iso.open(str(path))
    found = {}
    for directory, _directories, names in iso.walk(iso_path="/"):
        for name in names:
            record = iso.get_record(iso_path=f"{directory.rstrip('/')}/{name}")
            found[f"{directory}/{name}"] = (record.extent_location(), record.get_data_length())
    iso.close()
    return found


def fill_miniso(full: Path, minimal: Path, reserved: int) -> None:
    """Write coreos/miniso.dat, for which ``reserved`` bytes are kept: which sectors of the minimal image are in the
    full one, and what is between them.
    """
    here, there = _extents(full), _extents(minimal)
    whole, content, payload, position = full.read_bytes(), minimal.read_bytes(), b"", 0
    # A boot loader that holds its own place in the image differs between the two.
    runs = sorted(
        (sector, here[name][0], length)
        for name, (sector, length) in there.items()
        if length and whole[here[name][0] * 2048 :][:length] == content[sector * 2048 :][:length]
    )
    runs = [run for number, run in enumerate(runs) if number == 0 or run[0] != runs[number - 1][0]]
    for sector, _full, length in runs:
        payload += content[position : sector * 2048]
        position = sector * 2048 + length
    packed = lzma.compress(payload + content[position:])
    numbers = [len(runs), *(number for run in runs for number in run)]
    data = (
        b"MINISO\x00\x00"
        + _varint(1)
        + _varint(4)
        + b"test"
        + b"".join(map(_varint, numbers))
        + hashlib.sha256(content).digest()
    )
    data += _varint(len(packed)) + packed
    assert len(data) <= reserved
    where = next(sector for name, (sector, _length) in here.items() if name.endswith("MINISO.DAT;1"))
    with full.open("r+b") as handle:
        handle.seek(where * 2048)
        handle.write(data)


def _varint(number: int) -> bytes:
    if number < 251:
        return bytes([number])
    return b"\xfb" + struct.pack("<H", number) if number < 1 << 16 else b"\xfc" + struct.pack("<I", number)


def read_member(path: Path, name: str) -> bytes:
    """A file of the image, as pycdlib reads it."""
    iso = pycdlib.PyCdlib()
    iso.open(str(path))
    content = io.BytesIO()
    iso.get_file_from_iso_fp(content, rr_path=f"/{name}")
    iso.close()
    return content.getvalue()
