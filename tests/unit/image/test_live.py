# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading the properties of a live image, and the message why an image cannot be used."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from types import ModuleType

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.image import iso9660
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.build import build_image, plan_image
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.iso9660 import Entry, Extent
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.live import read_live_image


def pe_kernel(machine: int) -> bytes:
    return (
        b"MZ".ljust(0x3C, b"\x00")
        + struct.pack("<I", 0x80).ljust(0x44, b"\x00")
        + b"PE\x00\x00"
        + struct.pack("<H", machine)
        + bytes(2000)
    )


@pytest.mark.parametrize(
    ("kernel", "kargs", "arch"),
    [
        (pe_kernel(0x8664), True, "x86_64"),
        (pe_kernel(0xAA64), True, "aarch64"),
        (b"\x7fELF\x02\x01" + bytes(12) + struct.pack("<H", 21) + bytes(2000), True, "ppc64le"),
        (b"\x7fELF\x02\x02" + bytes(12) + struct.pack(">H", 22) + bytes(2000), True, "s390x"),
        (b"placeholder", True, "x86_64"),
        (b"placeholder", False, ""),
    ],
)
def test_architecture(tmp_path: Path, synthetic: ModuleType, kernel: bytes, kargs: bool, arch: str) -> None:
    assert read_live_image(synthetic.make_iso(tmp_path / "a.iso", kernel=kernel, kargs=kargs)).arch == arch


def test_minimal_iso_has_no_rootfs(tmp_path: Path, synthetic: ModuleType) -> None:
    assert read_live_image(synthetic.make_iso(tmp_path / "a.iso", rootfs=None)).form == "minimal_iso"


def test_features_are_reported(tmp_path: Path, synthetic: ModuleType) -> None:
    image = read_live_image(synthetic.make_iso(tmp_path / "a.iso", features={"live-initrd-network": True}))
    assert image.features == {"live-initrd-network": True}


def test_area_may_be_a_range_inside_a_file(tmp_path: Path, synthetic: ModuleType) -> None:
    whole = read_live_image(synthetic.make_iso(tmp_path / "a.iso"))
    part = read_live_image(
        synthetic.make_iso(tmp_path / "b.iso", info={"file": "images/ignition.img", "offset": 4096, "length": 8192})
    )
    assert part.ignition_area.length == 8192
    rest = read_live_image(synthetic.make_iso(tmp_path / "c.iso", info={"file": "images/ignition.img", "offset": 4096}))
    assert rest.ignition_area.length == whole.ignition_area.length - 4096


def test_files_over_4_gib_have_several_extents() -> None:
    joined = iso9660._joined((Extent(0, 2048), Extent(2048, 2048), Extent(8192, 10)))
    assert joined == (Extent(0, 4096), Extent(8192, 10))
    entry = Entry("ROOTFS.IMG", joined, False)
    assert entry.size == 4106
    assert entry.locate(2000, 100) == 2000
    assert entry.locate(4096, 10) == 8192
    assert entry.locate(4090, 10) is None
    assert entry.locate(4100, 10) is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ignition": 0}, "Unrecognized CoreOS ISO image: it has no images/ignition.img"),
        ({"info": {"file": "images/else.img"}}, "Unrecognized CoreOS ISO image: it has no images/else.img"),
        ({"info": {"offset": 0}}, "Unrecognized CoreOS ISO image: it has no file named in igninfo.json"),
        (
            {"info": {"file": "images/ignition.img", "offset": 0, "length": 70000}},
            "its area is said to be 70000 bytes from 0",
        ),
        ({"info": {"file": "images/ignition.img", "offset": 70000}}, "holds -"),
        ({"info": {"file": "images/ignition.img", "length": "x"}}, "holds 'x' where a size is needed"),
        ({"info": ["x"]}, "is not a JSON object"),
        (
            {"ignition": b"garbage".ljust(4096, b"\x00")},
            ("its Ignition area holds neither padding nor a cpio archive at byte 0"),
        ),
        ({"grub_text": "other arguments"}, "kernel-argument areas hold different texts"),
        ({"grub_text": b"\x80" * 40}, "its kernel-argument area is not text"),
    ],
)
def test_damaged_images(tmp_path: Path, synthetic: ModuleType, options: dict, words: str) -> None:
    path = synthetic.make_iso(tmp_path / "a.iso", **options)
    with pytest.raises(ZeroTouchError, match=words):
        read_live_image(path)


def test_files_that_are_no_images(tmp_path: Path, base: Path) -> None:
    for name, content in (
        ("empty", b""),
        ("short", b"x" * 100),
        ("zeros", bytes(1 << 20)),
        ("text", b"text\n" * 100000),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ZeroTouchError, match=f"{name} is not an ISO 9660 image"):
            read_live_image(tmp_path / name)
    with pytest.raises(ZeroTouchError, match=r"missing\.iso cannot be read: No such file or directory"):
        read_live_image(tmp_path / "missing.iso")
    with pytest.raises(ZeroTouchError, match=r"is not a regular file|Is a directory"):
        read_live_image(tmp_path)
    (tmp_path / "cut.iso").write_bytes(base.read_bytes()[:-4096])
    with pytest.raises(ZeroTouchError, match="ISO image is incomplete: its volume has"):
        read_live_image(tmp_path / "cut.iso")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_unreadable_file(base: Path) -> None:
    base.chmod(0)
    with pytest.raises(ZeroTouchError, match="cannot be read: Permission denied"):
        read_live_image(base)


def test_every_cut_and_many_flipped_bytes_end_in_words(base: Path, tmp_path: Path) -> None:
    """No traceback for any damage: only ZeroTouchError, or an image that can still be read."""
    content = base.read_bytes()
    damaged = tmp_path / "damaged.iso"
    interesting = [*range(16 * 2048, 16 * 2048 + 200), *range(18 * 2048, 32 * 2048, 29)]
    for position in interesting:
        damaged.write_bytes(content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :])
        try:
            read_live_image(damaged)
        except ZeroTouchError:
            continue


def test_an_unknown_version_of_miniso_stops_only_what_needs_it(tmp_path: Path, synthetic: ModuleType) -> None:
    path = synthetic.make_iso(tmp_path / "base.iso")
    content = path.read_bytes()
    assert content.count(b"MINISO\x00\x00\x01") == 1
    path.write_bytes(content.replace(b"MINISO\x00\x00\x01", b"MINISO\x00\x00\x07"))
    assert read_live_image(path).report()["miniso"]["version"] == 7
    build_image(plan_image(path, tmp_path / "whole.iso", b"{}"))
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"cannot be made a minimal ISO: its coreos/miniso.dat has version 7, "
            r"this release reads version 1"
        ),
    ):
        plan_image(path, tmp_path / "minimal.iso", b"{}", rootfs_url="http://boot.example.com/rootfs.img")
