# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading and changing upstream's sample images in every historical layout. The expected values are those of
coreos/coreos-installer fixtures/iso/INDEX.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.boot_artifacts import (
    ArtifactNames,
    boot_artifacts,
    network_arguments,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.build import (
    ImageRecord,
    build_image,
    plan_image,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.composed import Composed
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.copy import patched_copy
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.edit import (
    ignition_patch,
    kargs_patches,
    without_config,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.iso9660 import ImageFile, Volume
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.live import live_image, read_live_image
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.miniso import minimal_iso
from ansible_collections.zerotouch.openshift.tests.support import upstream

SAMPLES = upstream.required("fixtures/iso")

# name, file size, volume id, architecture, Ignition area, size of kernel-argument areas, their offsets,
# installer-config-directives (None without features.json), miniso.dat (tool, entries, digest)
EXPECTED = [
    ("2020-09", 669696, "rhcos-46.82.202112161843-0", "x86_64", 92160, 0, [], None, None),
    ("2021-01", 675840, "rhcos-47.84.202112162337-0", "x86_64", 96256, 1131, [94026, 365415], None, None),
    ("2021-09", 681984, "fedora-coreos-34.20210921.dev.0", "x86_64", 102400, 1139, [371658, 98126], None, None),
    (
        "2021-12",
        741376,
        "fedora-coreos-35.20211216.dev.0",
        "x86_64",
        161792,
        1139,
        [431050, 139086],
        0,
        ("0.11.0", 12, "df1ddfdb586c714e"),
    ),
    (
        "2022-02",
        1048576,
        "fedora-coreos-35.20220217.dev.0",
        "x86_64",
        159744,
        1139,
        [429002, 137038],
        0,
        ("0.13.1", 11, "c68b4a9a085eed2c"),
    ),
    (
        "2022-09",
        1048576,
        "fedora-coreos-36.20220909.dev.0",
        "x86_64",
        159744,
        1139,
        [429002, 137038],
        22,
        ("0.15.0", 11, "06c84908aee79920"),
    ),
    (
        "2023-03.x86_64",
        1048576,
        "fedora-coreos-37.20230306.dev.0",
        "x86_64",
        157696,
        1139,
        [431050, 427853],
        22,
        ("0.16.1", 12, "8f447825e77125cd"),
    ),
    (
        "2023-03.s390x",
        946176,
        "fedora-coreos-37.20230307.dev.0",
        "s390x",
        203776,
        0,
        [],
        22,
        ("0.16.1", 14, "1eba30dede5045b2"),
    ),
    (
        "2023-07.x86_64",
        1048576,
        "fedora-coreos-38.20230718.dev.0",
        "x86_64",
        139264,
        1139,
        [408522, 137037],
        22,
        ("0.17.0", 12, "b64f0261321433be"),
    ),
    (
        "2023-07.s390x",
        948224,
        "fedora-coreos-38.20230718.dev.0",
        "s390x",
        203776,
        896,
        [138368],
        22,
        ("0.17.0", 15, "f6a39f14b30e1919"),
    ),
]
NAMES = [row[0] for row in EXPECTED]
CONFIG = b'{"ignition":{"version":"3.2.0"}}'


def unpack(name: str, directory: Path) -> Path:
    path = directory / f"{name}.iso"
    path.write_bytes(lzma.decompress((SAMPLES / f"{name}.iso.xz").read_bytes()))
    return path


@pytest.mark.parametrize("row", EXPECTED, ids=NAMES)
def test_expected_values(row: tuple, tmp_path: Path) -> None:
    name, size, volume_id, arch, area, kargs_size, kargs_offsets, directives, miniso = row
    image = read_live_image(unpack(f"embed-areas-{name}", tmp_path))
    assert (image.size, image.volume_id, image.arch, image.form) == (size, volume_id, arch, "iso")
    assert (image.ignition_area.offset, image.ignition_area.length) == (area, 262144)
    assert image.ignition_area.path.lower() == ("images/cdboot.img" if arch == "s390x" else "images/ignition.img")
    assert image.members == ()
    if kargs_size:
        platform = "random.trust_cpu=on" if name == "2021-01" else "mitigations=auto,nosmt"
        text = f"{platform} coreos.liveiso={volume_id} ignition.firstboot ignition.platform.id=metal"
        assert (image.kargs.text, image.kargs.default) == (text, text)
        assert [(each.offset, each.length) for each in image.kargs.areas] == [
            (offset, kargs_size) for offset in kargs_offsets
        ]
        assert image.kargs.source == ("coreKarg" if name == "2021-01" else "kargs.json")
    else:
        assert image.kargs is None
    assert bool(image.features) == (directives is not None)
    if directives is not None:
        assert image.features["installer-config"] is image.features["live-initrd-network"] is True
        assert list(image.features.get("installer-config-directives", {}).values()) == [True] * directives
    assert (image.miniso and (image.miniso.tool, len(image.miniso.runs), image.miniso.sha256[:16])) == miniso


@pytest.mark.parametrize("name", NAMES)
def test_encoding_the_text_reproduces_the_areas(name: str, tmp_path: Path) -> None:
    path = unpack(f"embed-areas-{name}", tmp_path)
    image, content = read_live_image(path), path.read_bytes()
    for patch in kargs_patches(image, image.kargs.text) if image.kargs else ():
        assert content[patch.offset : patch.end] == patch.data


@pytest.mark.parametrize("name", NAMES)
def test_modify_then_undo_gives_the_same_image(name: str, tmp_path: Path) -> None:
    base = unpack(f"embed-areas-{name}", tmp_path)
    before = hashlib.sha256(base.read_bytes()).hexdigest()
    dest, back = tmp_path / "out.iso", tmp_path / "back.iso"
    pristine = read_live_image(base)
    arguments = ["fips=1"] if pristine.kargs else []

    built = build_image(plan_image(base, dest, CONFIG, arguments))
    changed = read_live_image(dest)
    assert changed.ignition == CONFIG
    if arguments:
        assert changed.kargs.text == f"{pristine.kargs.default} fips=1"
        assert changed.kargs.default == pristine.kargs.default
    assert built.sha256 == hashlib.sha256(dest.read_bytes()).hexdigest() != before
    assert dest.stat().st_size == base.stat().st_size

    undo = [
        ignition_patch(changed, without_config(changed.members)),
        *(kargs_patches(changed, changed.kargs.default) if changed.kargs else ()),
    ]
    with ImageFile(dest) as source:
        patched_copy(source, back, undo)
    assert hashlib.sha256(back.read_bytes()).hexdigest() == before == hashlib.sha256(base.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", NAMES)
def test_only_the_areas_differ(name: str, tmp_path: Path) -> None:
    base, dest = unpack(f"embed-areas-{name}", tmp_path), tmp_path / "out.iso"
    image = read_live_image(base)
    build_image(plan_image(base, dest, CONFIG, ["console=ttyS0"] if image.kargs else []))
    old, new = bytearray(base.read_bytes()), bytearray(dest.read_bytes())
    for area in [image.ignition_area, *(image.kargs.areas if image.kargs else ())]:
        old[area.offset : area.offset + area.length] = new[area.offset : area.offset + area.length] = bytes(area.length)
    assert old == new


@pytest.mark.parametrize("name", ["2020-09", "2023-03.s390x"])
def test_images_without_kernel_argument_areas_say_so(name: str, tmp_path: Path) -> None:
    base = unpack(f"embed-areas-{name}", tmp_path)
    with pytest.raises(ZeroTouchError, match="No karg embed areas found"):
        plan_image(base, tmp_path / "out.iso", CONFIG, ["fips=1"])


def test_cleared_header_of_2021_disturbs_nothing_where_the_json_is(tmp_path: Path) -> None:
    for name in ("2021-09", "2021-12"):
        path = unpack(f"embed-areas-{name}", tmp_path)
        content = bytearray(path.read_bytes())
        assert content[32672:32680] == b"coreKarg"
        content[32672:32744] = bytes(72)
        cleared = tmp_path / "cleared.iso"
        cleared.write_bytes(content)
        assert read_live_image(cleared).kargs == read_live_image(path).kargs


def test_an_image_that_is_no_coreos_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ZeroTouchError, match="Unrecognized CoreOS ISO image"):
        read_live_image(unpack("synthetic", tmp_path))


def test_odd_names_and_many_files_are_found(tmp_path: Path) -> None:
    with ImageFile(unpack("synthetic", tmp_path)) as file:
        volume = Volume(file)
        assert volume.volume_id == "volume-ID-string"
        root = list(volume.entries(volume.find("/")))
        sizes = [len(list(volume.entries(entry))) for entry in root if entry.is_directory]
        assert max(sizes) >= 150
        assert len({entry.name for entry in root}) == len(root)


# name, size of the minimal ISO
MINIMAL = [
    ("2021-12", 722944),
    ("2022-02", 1048576),
    ("2022-09", 1048576),
    ("2023-03.x86_64", 1048576),
    ("2023-03.s390x", 927744),
    ("2023-07.x86_64", 1048576),
    ("2023-07.s390x", 929792),
]


@pytest.mark.parametrize(("name", "size"), MINIMAL)
def test_the_minimal_iso_is_the_one_that_coreos_makes(name: str, size: int, tmp_path: Path) -> None:
    """Put together from the image and miniso.dat, read whole and in pieces of odd sizes."""
    base = unpack(f"embed-areas-{name}", tmp_path)
    with ImageFile(base) as file:
        minimal, digest = minimal_iso(file)
        assert (minimal.size, hashlib.sha256(minimal.read_at(0, size)).hexdigest()) == (size, digest)
        for offset in range(0, size - 5000, 99_991):
            assert minimal.read_at(offset, 4999) == minimal.read_at(0, size)[offset : offset + 4999]
        with pytest.raises(ZeroTouchError, match="is incomplete"):
            minimal.read_at(size - 1, 2)
        assert live_image(minimal).form == "minimal_iso"
        assert (live_image(minimal).volume_id, live_image(minimal).miniso) == (live_image(file).volume_id, None)


@pytest.mark.parametrize("name", [name for name, _size in MINIMAL if name != "2023-03.s390x"])
def test_what_differs_in_a_minimal_iso_is_its_areas_and_its_default(name: str, tmp_path: Path) -> None:
    base, dest = unpack(f"embed-areas-{name}", tmp_path), tmp_path / "out.iso"
    url = "http://boot.example.com/agent.x86_64-rootfs.img"
    built = build_image(plan_image(base, dest, CONFIG, ["fips=1"], rootfs_url=url))
    image, pristine = read_live_image(dest), read_live_image(base)
    default = pristine.kargs.default.replace(f"coreos.liveiso={pristine.volume_id} ", "")
    assert (image.kargs.default, image.kargs.text) == (default, f"{default} coreos.live.rootfs_url={url} fips=1")
    assert (image.form, image.ignition, built.sha256) == (
        "minimal_iso",
        CONFIG,
        hashlib.sha256(dest.read_bytes()).hexdigest(),
    )
    content = bytearray(dest.read_bytes())
    with ImageFile(base) as file:
        before = bytearray(minimal_iso(file)[0].read_at(0, len(content)))
    for area in [image.ignition_area, image.kargs.info, *image.kargs.areas]:
        content[area.offset : area.offset + area.length] = before[area.offset : area.offset + area.length] = bytes(
            area.length
        )
    assert content == before
    record = ImageRecord.from_state(built.to_state())
    assert not plan_image(base, dest, CONFIG, ["fips=1"], rootfs_url=url, record=record).changed
    assert not plan_image(base, dest, CONFIG, ["fips=1"], rootfs_url=url).changed
    assert (
        plan_image(base, dest, CONFIG, ["fips=1"], rootfs_url=f"{url}2", record=record).reason
        == "the kernel arguments changed"
    )
    assert plan_image(base, dest, CONFIG, ["fips=1"], record=record).reason == "its form is minimal_iso, wanted is iso"


def test_a_base_that_was_changed_makes_no_minimal_iso(tmp_path: Path) -> None:
    base, dest = unpack("embed-areas-2023-07.x86_64", tmp_path), tmp_path / "out.iso"
    with base.open("r+b") as handle:
        handle.seek(137000)
        handle.write(b"x")
    with pytest.raises(ZeroTouchError, match=r"is not as it was published: the minimal ISO made of it has SHA-256"):
        build_image(plan_image(base, dest, CONFIG, rootfs_url="http://a/b"))
    assert not dest.exists()


@pytest.mark.parametrize("name", [name for name, _size in MINIMAL if name != "2023-03.s390x"])
def test_kargs_json_of_a_minimal_iso_is_written_as_coreos_installer_does(name: str, tmp_path: Path) -> None:
    base, dest = unpack(f"embed-areas-{name}", tmp_path), tmp_path / "out.iso"
    build_image(plan_image(base, dest, CONFIG, rootfs_url="http://boot.example.com/rootfs.img"))
    info = read_live_image(dest).kargs.info
    written = dest.read_bytes()[info.offset : info.offset + info.length]
    document = json.loads(written)
    assert list(document) == ["default", "files", "size"]
    for file in document["files"]:
        assert list(file) == [key for key in ("path", "offset", "pad", "end") if key in file]
    assert written == json.dumps(document, indent=2).encode().ljust(info.length)


def test_s390x_names_its_files_for_a_network_boot(tmp_path: Path) -> None:
    base = unpack("embed-areas-2023-07.s390x", tmp_path)
    names = ArtifactNames("agent", "s390x")
    with ImageFile(base) as file:
        image = live_image(file)
        arguments = network_arguments(image, ["fips=1"])
        made = {
            name: Composed(file, pieces)
            for name, pieces in boot_artifacts(file, image, CONFIG, names, arguments).items()
        }
        content = {name: one.read_at(0, one.size) for name, one in made.items()}
    assert sorted(content) == [
        f"agent.s390x-{name}" for name in ("generic.ins", "initrd.addrsize", "initrd.img", "rootfs.img", "vmlinuz")
    ]
    assert arguments == "mitigations=auto,nosmt ignition.firstboot ignition.platform.id=metal fips=1"
    address = content["agent.s390x-initrd.addrsize"]
    assert (address[:8].hex(), int.from_bytes(address[8:], "big")) == (
        "0000000002000000",
        len(content["agent.s390x-initrd.img"]),
    )
    assert content["agent.s390x-generic.ins"].decode().splitlines()[1:3] == [
        "images/agent.s390x-vmlinuz 0x00000000",
        "images/agent.s390x-initrd.img 0x02000000",
    ]
    assert b"images/agent.s390x-initrd.addrsize 0x00010408" in content["agent.s390x-generic.ins"]


@pytest.mark.parametrize("name", NAMES)
def test_cut_off_images_are_named_so(name: str, tmp_path: Path) -> None:
    path = unpack(f"embed-areas-{name}", tmp_path)
    path.write_bytes(path.read_bytes()[: 300 * 2048])
    with pytest.raises(ZeroTouchError, match="ISO image is incomplete"):
        read_live_image(path)


@pytest.mark.slow
def test_state_record_is_enough_to_know_an_image_again(tmp_path: Path) -> None:
    base, dest = unpack("embed-areas-2023-07.x86_64", tmp_path), tmp_path / "out.iso"
    built = build_image(plan_image(base, dest, CONFIG))
    plan = plan_image(base, dest, CONFIG, record=ImageRecord.from_state(built.to_state()))
    assert (plan.changed, plan.sha256) == (False, built.sha256)
