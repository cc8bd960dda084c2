# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the lab's synthetic base image with an independent ISO reader."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pycdlib
import pytest
from ztlab.image import base, rootfs


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return base.write_base_image(tmp_path_factory.mktemp("base") / "base.iso")


def read(iso: pycdlib.PyCdlib, path: str) -> bytes:
    out = io.BytesIO()
    iso.get_file_from_iso_fp(out, rr_path=path)
    return out.getvalue()


def test_layout(image: Path) -> None:
    assert 20 << 20 < image.stat().st_size < 30 << 20
    assert image.stat().st_blocks * 512 < 8 << 20, "the root file system is a hole"
    iso = pycdlib.PyCdlib()
    iso.open(str(image))
    assert iso.pvd.volume_identifier.decode().strip() == base.VOLUME_ID
    kargs = json.loads(read(iso, "/coreos/kargs.json"))
    for entry in kargs["files"]:
        text = read(iso, "/" + entry["path"])
        area = text[entry["offset"] : entry["offset"] + kargs["size"]]
        assert area == (kargs["default"] + "\n").ljust(kargs["size"], "#").encode()
        assert text[entry["offset"] + kargs["size"] :].startswith(base.MARKER.encode())
    assert read(iso, "/" + json.loads(read(iso, "/coreos/igninfo.json"))["file"]) == bytes(base.IGNITION_SIZE)
    assert json.loads(read(iso, "/coreos/features.json"))["live-initrd-network"] is True
    iso.close()


@pytest.mark.parametrize(
    ("rhel", "volume", "at", "magic"), [(9, "rhcos-422.", 0, b"hsqs"), (10, "rhcos-10.2.", 1024, b"\xe2\xe1\xf5\xe0")]
)
def test_the_root_file_system_of_each_rhel(tmp_path: Path, rhel: int, volume: str, at: int, magic: bytes) -> None:
    path = base.write_base_image(tmp_path / "base.iso", rhel)
    iso = pycdlib.PyCdlib()
    iso.open(str(path))
    label = iso.pvd.volume_identifier.decode().strip()
    assert label.startswith(volume) and f"coreos.liveiso={label} " in read(iso, "/EFI/redhat/grub.cfg").decode()
    head = read(iso, "/images/pxeboot/rootfs.img")[: rootfs.HEAD]
    assert head[at : at + 4] == magic and rootfs.holds_root(head)
    iso.close()


@pytest.mark.parametrize(
    "head", [b"", b"hsq", bytes(rootfs.HEAD), b"070701" + bytes(rootfs.HEAD), b"\xe2\xe1\xf5\xe0" + bytes(rootfs.HEAD)]
)
def test_what_is_no_root_file_system(head: bytes) -> None:
    assert not rootfs.holds_root(head)


def test_the_same_bytes_every_time_but_for_dates(image: Path, tmp_path: Path) -> None:
    again = base.write_base_image(tmp_path / "again.iso")
    assert again.stat().st_size == image.stat().st_size
    assert [path.name for path in tmp_path.iterdir()] == ["again.iso"], "no temporary file stays"
