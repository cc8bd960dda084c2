# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test building whole images byte by byte, from synthetic base images in each layout that CoreOS has used.
tests/unit/upstream/test_samples.py tests the same with images that CoreOS made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.boot_artifacts import (
    ArtifactNames,
    boot_artifacts,
    network_arguments,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.build import build_image, plan_image
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.composed import Composed
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.copy import patched_copy
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.edit import (
    ignition_patch,
    kargs_patches,
    without_config,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.iso9660 import ImageFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.live import live_image, read_live_image
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.miniso import minimal_iso
from ansible_collections.zerotouch.openshift.tests.support.live_image import (
    DEFAULT_KARGS,
    KARGS_HEADER,
    make_header_iso,
    make_iso,
)

CONFIG = b'{"ignition":{"version":"3.2.0"}}'
ROOTFS_URL = "http://boot.example.com/rootfs.img"
S390X = {"images/cdboot.img": bytes(4096), "images/initrd.addrsize": bytes([0, 0, 0, 0, 2, 0, 0, 0]) + bytes(8)}
INS = b"* comment\nimages/kernel.img 0x00000000\nimages/initrd.img 0x02000000\nimages/initrd.addrsize 0x00010408\n"
FORMS: dict[str, Callable[[Path], Path]] = {
    "today": lambda path: make_iso(path),
    "header": lambda path: make_header_iso(path),
    "without arguments": lambda path: make_iso(path, kargs=False, miniso=False),
}


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A pristine image of each form."""
    return FORMS[request.param](tmp_path / "base.iso")


def test_modify_then_undo_gives_the_same_image(form: Path, tmp_path: Path) -> None:
    before, pristine = form.read_bytes(), read_live_image(form)
    dest, back = tmp_path / "out.iso", tmp_path / "back.iso"
    build_image(plan_image(form, dest, CONFIG, ["fips=1"] if pristine.kargs else []))
    changed = read_live_image(dest)
    assert changed.ignition == CONFIG
    if changed.kargs:
        assert (changed.kargs.text, changed.kargs.default) == (f"{DEFAULT_KARGS} fips=1", DEFAULT_KARGS)
    undo = [
        ignition_patch(changed, without_config(changed.members)),
        *(kargs_patches(changed, changed.kargs.default) if changed.kargs else ()),
    ]
    with ImageFile(dest) as source:
        patched_copy(source, back, undo)
    assert back.read_bytes() == before == form.read_bytes()


def test_only_the_areas_differ(form: Path, tmp_path: Path) -> None:
    image, dest = read_live_image(form), tmp_path / "out.iso"
    build_image(plan_image(form, dest, CONFIG, ["console=ttyS0"] if image.kargs else []))
    old, new = bytearray(form.read_bytes()), bytearray(dest.read_bytes())
    for area in [image.ignition_area, *(image.kargs.areas if image.kargs else ())]:
        old[area.offset : area.offset + area.length] = new[area.offset : area.offset + area.length] = bytes(area.length)
    assert old == new


def test_cut_off_images_are_named_so(form: Path) -> None:
    form.write_bytes(form.read_bytes()[: 40 * 2048])
    with pytest.raises(ZeroTouchError, match="ISO image is incomplete"):
        read_live_image(form)


def test_images_without_kernel_argument_areas_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ZeroTouchError, match="No karg embed areas found"):
        plan_image(make_iso(tmp_path / "base.iso", kargs=False, miniso=False), tmp_path / "out.iso", CONFIG, ["fips=1"])


def test_the_header_of_2021_counts_where_there_is_no_json(tmp_path: Path, base: Path) -> None:
    assert read_live_image(make_header_iso(tmp_path / "old.iso")).kargs.source == "coreKarg"
    before = read_live_image(base).kargs
    with base.open("r+b") as handle:
        handle.seek(KARGS_HEADER)
        handle.write(b"coreKarg" + b"\xff" * 64)
    assert read_live_image(base).kargs == before
    (tmp_path / "bad.iso").write_bytes(
        (tmp_path / "old.iso").read_bytes().replace(b"coreKarg\x00\x02", b"coreKarg\xff\xff")
    )
    with pytest.raises(ZeroTouchError, match="the coreKarg header points outside the image"):
        read_live_image(tmp_path / "bad.iso")


def test_the_minimal_iso_is_the_published_one(tmp_path: Path) -> None:
    """Put together from the image and miniso.dat, read whole and in pieces of odd sizes."""
    whole = make_iso(tmp_path / "base.iso")
    published = make_iso(tmp_path / "minimal.iso", rootfs=None, miniso=False).read_bytes()
    with ImageFile(whole) as file:
        minimal, digest = minimal_iso(file)
        size = minimal.size
        assert digest == hashlib.sha256(minimal.read_at(0, size)).hexdigest()
        assert size == len(published)
        for offset in range(0, size - 5000, 99_991):
            assert minimal.read_at(offset, 4999) == minimal.read_at(0, size)[offset : offset + 4999]
        with pytest.raises(ZeroTouchError, match="is incomplete"):
            minimal.read_at(size - 1, 2)
        assert (live_image(minimal).form, live_image(minimal).volume_id, live_image(minimal).miniso) == (
            "minimal_iso",
            live_image(file).volume_id,
            None,
        )


def test_what_differs_in_a_minimal_iso_is_its_areas_and_its_default(base: Path, tmp_path: Path) -> None:
    dest = tmp_path / "out.iso"
    build_image(plan_image(base, dest, CONFIG, ["fips=1"], rootfs_url=ROOTFS_URL))
    image = read_live_image(dest)
    default = DEFAULT_KARGS.replace("coreos.liveiso=rhcos-422.1.0 ", "")
    assert (image.kargs.default, image.kargs.text) == (default, f"{default} coreos.live.rootfs_url={ROOTFS_URL} fips=1")
    assert (image.form, image.ignition) == ("minimal_iso", CONFIG)
    content = bytearray(dest.read_bytes())
    with ImageFile(base) as file:
        before = bytearray(minimal_iso(file)[0].read_at(0, len(content)))
    for area in [image.ignition_area, image.kargs.info, *image.kargs.areas]:
        content[area.offset : area.offset + area.length] = before[area.offset : area.offset + area.length] = bytes(
            area.length
        )
    assert content == before
    info = image.kargs.info
    written = dest.read_bytes()[info.offset : info.offset + info.length]
    assert (list(json.loads(written)), json.loads(written)["default"]) == (["default", "files", "size"], default)
    assert not plan_image(base, dest, CONFIG, ["fips=1"], rootfs_url=ROOTFS_URL).changed
    assert plan_image(base, dest, CONFIG, ["fips=1"], rootfs_url=f"{ROOTFS_URL}2").changed


def test_a_base_that_was_changed_makes_no_minimal_iso(base: Path, tmp_path: Path) -> None:
    content = base.read_bytes()
    base.write_bytes(content.replace(b"initrdinitrd", b"INITRDinitrd", 1))
    with pytest.raises(ZeroTouchError, match=r"is not as it was published: the minimal ISO made of it has SHA-256"):
        build_image(plan_image(base, tmp_path / "out.iso", CONFIG, rootfs_url="http://a/b"))
    assert not (tmp_path / "out.iso").exists()


def test_s390x_names_its_files_for_a_network_boot(tmp_path: Path) -> None:
    base = make_iso(tmp_path / "base.iso", miniso=False, more=S390X | {"generic.ins": INS})
    names = ArtifactNames("agent", "s390x")
    with ImageFile(base) as file:
        image = live_image(file)
        arguments = network_arguments(image, ["fips=1"])
        made = {
            name: Composed(file, pieces)
            for name, pieces in boot_artifacts(file, image, CONFIG, names, arguments).items()
        }
        content = {name: one.read_at(0, one.size) for name, one in made.items()}
    assert image.arch == "s390x"
    assert sorted(content) == [
        f"agent.s390x-{name}" for name in ("generic.ins", "initrd.addrsize", "initrd.img", "rootfs.img", "vmlinuz")
    ]
    address = content["agent.s390x-initrd.addrsize"]
    assert (address[:8].hex(), int.from_bytes(address[8:], "big")) == (
        "0000000002000000",
        len(content["agent.s390x-initrd.img"]),
    )
    assert content["agent.s390x-generic.ins"].decode().splitlines()[1:] == [
        "images/agent.s390x-vmlinuz 0x00000000",
        "images/agent.s390x-initrd.img 0x02000000",
        "images/agent.s390x-initrd.addrsize 0x00010408",
    ]
