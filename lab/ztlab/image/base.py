# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write a synthetic CoreOS live ISO: it has the real layout, boot entries and embed areas, but no operating system."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
import os
import tempfile
from pathlib import Path
from typing import BinaryIO, cast

import pycdlib

from . import miniso
from .rootfs import new_root
from .versions import VERSION, VERSIONS

VOLUME_ID = f"rhcos-{VERSION}"
KARGS_SIZE = 1139
IGNITION_SIZE = 262144
MARKER = "# COREOS_KARG_EMBED_AREA\n"
_KARGS = "mitigations=auto,nosmt coreos.liveiso={} ignition.firstboot ignition.platform.id=metal"
DEFAULT_KARGS = _KARGS.format(VOLUME_ID)

_MIB = 1 << 20
# Larger than the rest of the image, so that the minimal ISO is the smaller one.
_ROOTFS_SIZE = 16 * _MIB
_FEATURES = {
    "installer-config": True,
    "installer-config-directives": dict.fromkeys(
        ("append-karg", "console", "copy-network", "delete-karg", "dest-device", "ignition-file"), True
    ),
    "live-initrd-network": True,
}


@dataclasses.dataclass(frozen=True)
class _File:
    """A file of the ISO: its Rock Ridge path and content."""

    path: str
    content: bytes


def write_base_image(path: Path, rhel: int = 9) -> Path:
    """Write the image (about 24 MiB, mostly holes) under its final name at once; the path. ``rhel`` is 9 or 10."""
    with tempfile.TemporaryDirectory() as directory:
        full, minimal = Path(directory) / "full.iso", Path(directory) / "minimal.iso"
        _write_iso(full, rhel, complete=True)
        _write_iso(minimal, rhel, complete=False)
        content = miniso.describe_minimal(full, minimal)
    return _write_iso(path, rhel, complete=True, minimal_iso=content)


def _write_iso(path: Path, rhel: int, *, complete: bool, minimal_iso: bytes = bytes(miniso.SIZE)) -> Path:
    """``complete``: with root file system, and with what makes the minimal ISO out of this one."""
    iso = pycdlib.PyCdlib()
    iso.new(interchange_level=3, rock_ridge="1.09", vol_ident=f"rhcos-{VERSIONS[rhel]}", sys_ident="LINUX")
    made: set[str] = set()
    for file in [
        *_files(_KARGS.format(f"rhcos-{VERSIONS[rhel]}")),
        *([_File("coreos/miniso.dat", minimal_iso)] if complete else []),
    ]:
        _make_parents(iso, file.path, made)
        iso.add_fp(
            io.BytesIO(file.content), len(file.content), _iso_path(file.path), rr_name=file.path.rsplit("/", 1)[-1]
        )
    with tempfile.TemporaryFile() as hole:
        hole.write(new_root(rhel))
        hole.truncate(_ROOTFS_SIZE)
        if complete:
            iso.add_fp(cast(BinaryIO, hole), _ROOTFS_SIZE, _iso_path("images/pxeboot/rootfs.img"), rr_name="rootfs.img")
        iso.add_eltorito(
            _iso_path("isolinux/isolinux.bin"),
            bootcatfile=_iso_path("isolinux/boot.cat"),
            rr_bootcatname="boot.cat",
            boot_info_table=True,
        )
        iso.add_eltorito(_iso_path("images/efiboot.img"), efi=True)
        _write_with_holes(iso, path)
    iso.close()
    return path


def _files(arguments: str) -> list[_File]:
    grub = _with_area(arguments, _GRUB_HEAD, _GRUB_TAIL)
    isolinux = _with_area(arguments, _ISOLINUX_HEAD, _ISOLINUX_TAIL)
    kargs = {
        "default": arguments,
        "files": [
            {"path": "EFI/redhat/grub.cfg", "offset": len(_GRUB_HEAD.encode()), "pad": "#", "end": "\n"},
            {"path": "isolinux/isolinux.cfg", "offset": len(_ISOLINUX_HEAD.encode()), "pad": "#", "end": "\n"},
        ],
        "size": KARGS_SIZE,
    }
    return [
        _File("EFI/redhat/grub.cfg", grub),
        _File("coreos/features.json", _json(_FEATURES)),
        _File("coreos/igninfo.json", _json({"file": "images/ignition.img"})),
        _File("coreos/kargs.json", _json(kargs)),
        _File("images/efiboot.img", b"\xeb\x58\x90mkfs.fat" + bytes(2 * _MIB - 13) + b"\x55\xaa"),
        _File("images/ignition.img", bytes(IGNITION_SIZE)),
        _File("images/pxeboot/initrd.img", _initramfs().ljust(3 * _MIB, b"\0")),
        _File("images/pxeboot/vmlinuz", b"MZ" + bytes(510) + b"HdrS" + bytes(2 * _MIB - 516)),
        _File("isolinux/isolinux.bin", bytes(38 * 1024)),
        _File("isolinux/isolinux.cfg", isolinux),
        _File("zipl.prm", (arguments + "\n").encode()),
    ]


_GRUB_HEAD = """set default="1"

function load_video {
  insmod all_video
}

load_video
set gfxpayload=keep
insmod gzio
insmod part_gpt
insmod ext2

set timeout=5

menuentry 'RHEL CoreOS (Live)' --class fedora --class gnu-linux --class gnu --class os {
\tlinux /images/pxeboot/vmlinuz """
_GRUB_TAIL = """\tinitrd /images/pxeboot/initrd.img /images/ignition.img
}
"""
_ISOLINUX_HEAD = """serial 0
default vesamenu.c32
timeout 50

label linux
  menu label ^RHEL CoreOS (Live)
  menu default
  kernel /images/pxeboot/vmlinuz
  append initrd=/images/pxeboot/initrd.img,/images/ignition.img """
_ISOLINUX_TAIL = """
menu separator
menu end
"""


def _with_area(arguments: str, head: str, tail: str) -> bytes:
    """A boot loader configuration with the area for kernel arguments between head and tail.

    Source: coreos/coreos-installer src/live/embed.rs.
    """
    return (head + (arguments + "\n").ljust(KARGS_SIZE, "#") + MARKER + tail).encode()


def _initramfs() -> bytes:
    """An archive with the stamp by which tools know a live initramfs."""
    out = b""
    for name, mode, data in (
        ("etc", 0o040755, b""),
        ("etc/coreos-live-initramfs", 0o100644, b"synthetic\n"),
        ("TRAILER!!!", 0, b""),
    ):
        fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        header = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        out += header + bytes(-len(header) % 4) + data + bytes(-len(data) % 4)
    return gzip.compress(out, mtime=0)


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, sort_keys=True) + "\n").encode()


def _iso_path(path: str) -> str:
    """The 8.3 name that ISO 9660 has for a path: IMAGES/IGNITION.IMG;1."""
    *parents, name = path.split("/")
    stem, _, suffix = name.partition(".")
    parts = [parent.upper()[:8] for parent in parents] + [f"{stem.upper()[:8]}.{suffix.upper()[:3]};1"]
    return "/" + "/".join(parts)


def _make_parents(iso: pycdlib.PyCdlib, path: str, made: set[str]) -> None:
    parts = path.split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        parent = "/".join(parts[:depth])
        if parent not in made:
            made.add(parent)
            iso.add_directory("/" + "/".join(part.upper()[:8] for part in parts[:depth]), rr_name=parts[depth - 1])


class _HoleWriter(io.RawIOBase):
    """A file that turns long runs of zeros into holes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = 0

    def write(self, data: object) -> int:
        block = bytes(data)  # type: ignore[call-overload]
        if len(block) >= 4096 and block == bytes(len(block)):
            self._file.seek(len(block), os.SEEK_CUR)
        else:
            self._file.write(block)
        self._end = max(self._end, self._file.tell())
        return len(block)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def truncate(self, size: int | None = None) -> int:
        return self._file.truncate(size)

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def finish(self) -> None:
        self._file.truncate(self._end)


def _write_with_holes(iso: pycdlib.PyCdlib, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w+b") as file:
            writer = _HoleWriter(cast(BinaryIO, file))
            iso.write_fp(cast(BinaryIO, writer))
            writer.finish()
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
