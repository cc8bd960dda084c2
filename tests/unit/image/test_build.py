# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test planning and building an agent ISO with a small synthetic base image: when it is rebuilt, which parts are kept,
and what is refused.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import random
from pathlib import Path
from types import ModuleType

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.image import build as building
from ansible_collections.zerotouch.openshift.plugins.module_utils.image import copy as copying
from ansible_collections.zerotouch.openshift.plugins.module_utils.image import cpio
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.build import (
    ImageRecord,
    build_image,
    normal_sha256,
    plan_image,
    verify_base,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.edit import Patch
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.iso9660 import ImageFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.live import read_live_image
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.trust import BaseCheck, KnownDigests

FILE = {"path": "/etc/a", "mode": 384, "contents": {"source": "data:,s3cret"}}
CONFIG = json.dumps({"ignition": {"version": "3.2.0"}, "storage": {"files": [FILE]}}).encode()


def record_of(built: building.BuiltImage) -> ImageRecord:
    return ImageRecord.from_state(json.loads(json.dumps(built.to_state())))


def test_an_independent_reader_sees_the_config(base: Path, tmp_path: Path, synthetic: ModuleType) -> None:
    dest = tmp_path / "images" / "agent.x86_64.iso"
    built = build_image(plan_image(base, dest, CONFIG, ["fips=1"]))
    area = synthetic.read_member(dest, "images/ignition.img")
    assert len(area) == 65536
    assert [(member.path, member.mode, member.content) for member in cpio.read_members(area)] == [
        ("config.ign", 0o100644, CONFIG)
    ]
    grub = synthetic.read_member(dest, "EFI/redhat/grub.cfg")
    assert f"{synthetic.DEFAULT_KARGS} fips=1\n###".encode() in grub
    assert grub.endswith(synthetic.MARKER)
    assert built.sha256 == hashlib.sha256(dest.read_bytes()).hexdigest()
    assert dest.stat().st_mode & 0o777 == 0o600
    assert list(dest.parent.iterdir()) == [dest]


def test_plan_follows_from_what_is_there(base: Path, tmp_path: Path) -> None:
    dest = tmp_path / "out.iso"
    first = plan_image(base, dest, CONFIG)
    assert (first.changed, first.reason, first.size) == (True, "there is no image yet", base.stat().st_size)
    assert not dest.exists()
    built = build_image(first)
    record = record_of(built)

    assert plan_image(base, dest, CONFIG, record=record).reason == "the image matches its input"
    assert plan_image(base, dest, b"{}", record=record).reason == "the Ignition config changed"
    assert plan_image(base, dest, CONFIG, ["fips=1"], record=record).reason == "the kernel arguments changed"
    assert plan_image(base, dest, CONFIG, record=record, force=True).reason == "a rebuild was requested"
    unchanged = build_image(plan_image(base, dest, CONFIG, record=record))
    assert unchanged == built


def test_unchanged_rerun_reads_only_the_areas(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dest = tmp_path / "out.iso"
    record = record_of(build_image(plan_image(base, dest, CONFIG)))
    read = []
    original = ImageFile.read_at

    def counted(self: ImageFile, offset: int, length: int) -> bytes:
        read.append(length)
        return original(self, offset, length)

    monkeypatch.setattr(ImageFile, "read_at", counted)
    monkeypatch.setattr(ImageFile, "blocks", None)
    assert not plan_image(base, dest, CONFIG, record=record).changed
    assert sum(read) < 2 * (65536 + 100_000)


def test_lost_state_compares_instead_of_rebuilding(base: Path, tmp_path: Path) -> None:
    dest = tmp_path / "out.iso"
    built = build_image(plan_image(base, dest, CONFIG, ["a=b"]))
    plan = plan_image(base, dest, CONFIG, ["a=b"])
    assert not plan.changed
    assert build_image(plan).sha256 == built.sha256


@pytest.mark.parametrize("record_kept", [True, False])
@pytest.mark.parametrize("time_kept", [True, False])
def test_an_edited_image_is_built_again(base: Path, tmp_path: Path, record_kept: bool, time_kept: bool) -> None:
    dest = tmp_path / "out.iso"
    record = record_of(build_image(plan_image(base, dest, CONFIG)))
    built = dest.read_bytes()
    with dest.open("r+b") as handle:
        handle.seek(-2100, os.SEEK_END)
        handle.write(b"\xff")
    os.utime(dest, ns=(record.mtime_ns, record.mtime_ns) if time_kept else (1, 1))
    plan = plan_image(base, dest, CONFIG, record=record if record_kept else None)
    assert (plan.changed, plan.reason) == (True, "the image was changed by something else")
    build_image(plan)
    assert dest.read_bytes() == built


def test_another_base_of_the_same_shape_is_found(base: Path, tmp_path: Path, synthetic: ModuleType) -> None:
    dest = tmp_path / "out.iso"
    record = record_of(build_image(plan_image(base, dest, CONFIG)))
    other = synthetic.make_iso(tmp_path / "other.iso", rootfs=b"ROOTFS" * 10000)
    assert plan_image(other, dest, CONFIG, record=record).reason == "the base image is another one"
    other = synthetic.make_iso(tmp_path / "other.iso", volume_id="rhcos-422.2.0")
    assert plan_image(other, dest, CONFIG, record=record).reason == "the base image is another one"


def test_a_broken_image_is_replaced(base: Path, tmp_path: Path) -> None:
    dest = tmp_path / "out.iso"
    dest.write_bytes(b"half")
    plan = plan_image(base, dest, CONFIG)
    assert plan.changed
    assert plan.reason.startswith("the existing image cannot be used")
    build_image(plan)
    assert read_live_image(dest).ignition == CONFIG


def test_other_members_survive(tmp_path: Path, synthetic: ModuleType) -> None:
    keyfile = cpio.Member("etc/coreos-firstboot-network/eth0.nmconnection", b"[connection]\n", 0o100600)
    base = synthetic.make_iso(
        tmp_path / "base.iso", ignition=cpio.xz(cpio.write_archive([keyfile])).ljust(4096, b"\x00")
    )
    dest = tmp_path / "out.iso"
    build_image(plan_image(base, dest, CONFIG))
    image = read_live_image(dest)
    assert image.members == (cpio.Member("config.ign", CONFIG), keyfile)
    assert image.network_files == (keyfile,)


def test_over_full_area_names_sizes_and_largest_files(base: Path, tmp_path: Path) -> None:
    dest = tmp_path / "out.iso"
    noise = random.Random(1).randbytes(80_000)
    with pytest.raises(ZeroTouchError) as caught:
        plan_image(base, dest, noise, parts={"/a": 10, "/big": 60000, "/mid": 20000, "/small": 1000})
    assert "bytes compressed, the image has room for 65536" in caught.value.message
    assert caught.value.hint == (
        "The largest files in it are /big (60000 bytes), /mid (20000 bytes), /small (1000 bytes)."
    )
    with pytest.raises(ZeroTouchError, match=r"config\.ign \(80000 bytes\)"):
        plan_image(base, dest, noise)
    assert not dest.exists()


def test_xz_is_used_where_gzip_does_not_fit(base: Path, tmp_path: Path) -> None:
    words = random.Random(2)
    text = b" ".join(words.randbytes(3).hex().encode() for _ in range(17_500))
    assert len(cpio.gzip(text)) > 65536 > len(cpio.xz(text))
    dest = tmp_path / "out.iso"
    build_image(plan_image(base, dest, text))
    assert read_live_image(dest).ignition == text


def test_kernel_arguments_that_do_not_fit(base: Path, tmp_path: Path) -> None:
    with pytest.raises(ZeroTouchError, match=r"do not fit into the image: .* the area has 512"):
        plan_image(base, tmp_path / "out.iso", CONFIG, ["x=" + "y" * 500])


def test_base_checksum(base: Path, tmp_path: Path) -> None:
    dest = tmp_path / "out.iso"
    right = hashlib.sha256(base.read_bytes()).hexdigest()
    built = build_image(plan_image(base, dest, CONFIG, check=BaseCheck(right)))
    assert built.base_sha256 == right
    assert not plan_image(base, dest, CONFIG, check=BaseCheck(right), record=record_of(built)).changed
    before = dest.read_bytes()
    plan = plan_image(base, dest, b"{}", check=BaseCheck("0" * 64))
    with pytest.raises(ZeroTouchError, match=f"its SHA-256 is {right}, expected is 0000"):
        verify_base(plan)
    with pytest.raises(ZeroTouchError, match="is not the expected base image"):
        build_image(plan)
    with pytest.raises(ZeroTouchError, match="is not the expected base image"):
        plan_image(base, dest, CONFIG, check=BaseCheck("0" * 64), record=record_of(built))
    with pytest.raises(ZeroTouchError, match="64 hex digits"):
        normal_sha256("beef")
    assert dest.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.iso", base.name]


def hashed_in(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the base was hashed, for each copy from now on."""
    hashed = []
    original = building.DigestOf

    def counted(patches: object, *, base: bool, image: bool) -> copying.DigestOf:
        hashed.append(base)
        return original(patches, base=base, image=image)

    monkeypatch.setattr(building, "DigestOf", counted)
    return hashed


def test_a_base_is_hashed_with_its_first_copy_and_when_it_changes(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = hashed_in(monkeypatch)
    known = KnownDigests(tmp_path / "cache")
    right = hashlib.sha256(base.read_bytes()).hexdigest()

    def copied(number: int, check: BaseCheck) -> str:
        return build_image(
            plan_image(base, tmp_path / f"{number}.iso", CONFIG, check=check), checksum=False
        ).base_sha256

    assert [copied(1, BaseCheck("", known)), copied(2, BaseCheck("", known)), copied(3, BaseCheck(right, known))] == [
        right
    ] * 3
    assert hashed == [True, False, False]
    with pytest.raises(ZeroTouchError, match=f"its SHA-256 is {right}, expected is 0000"):
        copied(4, BaseCheck("0" * 64, known))
    assert copied(5, BaseCheck("", known, always=True)) == right
    assert hashed == [True, False, False, False, True]
    content = bytearray(base.read_bytes())
    content[-1] ^= 1
    times = base.stat()
    base.write_bytes(content)
    os.utime(base, ns=(times.st_atime_ns, times.st_mtime_ns))  # the same size and modification time
    with pytest.raises(ZeroTouchError, match=f"expected is {right}"):
        copied(6, BaseCheck(right, known))
    assert copied(7, BaseCheck("", known)) == hashlib.sha256(content).hexdigest()


def test_always_compares_base_and_image(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dest = tmp_path / "out.iso"
    known = KnownDigests(tmp_path / "cache")
    right = hashlib.sha256(base.read_bytes()).hexdigest()
    record = record_of(build_image(plan_image(base, dest, CONFIG, check=BaseCheck("", known))))
    with dest.open("r+b") as handle:
        handle.seek(-2100, os.SEEK_END)
        handle.write(b"\xff")
    # as a disk that returns other bytes
    record = dataclasses.replace(record, mtime_ns=dest.stat().st_mtime_ns, ctime_ns=dest.stat().st_ctime_ns)
    assert not plan_image(base, dest, CONFIG, record=record, check=BaseCheck("", known)).changed
    plan = plan_image(base, dest, CONFIG, record=record, check=BaseCheck("", known, always=True))
    assert (plan.changed, plan.reason) == (True, "the image was changed by something else")
    record = record_of(build_image(plan))
    # A disk that returns other bytes than it did.
    monkeypatch.setattr(KnownDigests, "of", lambda self, status: "0" * 64)
    with pytest.raises(ZeroTouchError, match=f"its SHA-256 is {right}, expected is 0000"):
        plan_image(base, dest, CONFIG, record=record, check=BaseCheck("", known, always=True))


def test_the_recipe_identifies_the_image(base: Path, tmp_path: Path) -> None:
    check = BaseCheck("", KnownDigests(tmp_path / "cache"))

    def recipe(config: bytes, *arguments: str) -> str:
        return build_image(
            plan_image(base, tmp_path / "out.iso", config, arguments, check=check, force=True), checksum=False
        ).recipe

    first = recipe(CONFIG)
    assert (len(first), recipe(CONFIG)) == (64, first)
    assert len({first, recipe(b"{}"), recipe(CONFIG, "fips=1")}) == 3
    # compared, without a record
    assert recipe(CONFIG) == plan_image(base, tmp_path / "out.iso", CONFIG, check=check).recipe


@pytest.mark.parametrize("spoil", ["mode", "text", "list", "entry", "link"])
def test_digests_that_others_could_have_written_do_not_count(base: Path, tmp_path: Path, spoil: str) -> None:
    cache = tmp_path / "cache"
    known = KnownDigests(cache)
    known.record(base.stat(), "1" * 64)
    file = cache / "base-images" / "digests.json"
    assert (known.of(base.stat()), file.stat().st_mode & 0o777) == ("1" * 64, 0o600)
    if spoil == "mode":
        file.parent.chmod(0o777)
    elif spoil == "link":
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
    else:
        file.write_text(
            {"text": "{", "list": "[1]", "entry": json.dumps(dict.fromkeys(json.loads(file.read_text()), 7))}[spoil]
        )
    assert known.of(base.stat()) == ""
    known.record(base.stat(), "2" * 64)
    assert known.of(base.stat()) == ("2" * 64 if spoil != "mode" else "")
    assert KnownDigests(Path("/proc/none")).of(base.stat()) == ""
    KnownDigests(Path("/proc/none")).record(base.stat(), "3" * 64)


def test_only_the_most_recent_digests_are_kept(base: Path, tmp_path: Path) -> None:
    known = KnownDigests(tmp_path / "cache")
    first = base.stat()
    known.record(first, "1" * 64)
    for second in range(64):
        os.utime(base, ns=(second, second))
        known.record(base.stat(), f"{second:064}")
    assert (known.of(first), known.of(base.stat())) == ("", f"{63:064}")
    before = sorted(path for path in tmp_path.rglob("*"))
    KnownDigests(tmp_path / "other", read_only=True).record(first, "1" * 64)
    assert sorted(path for path in tmp_path.rglob("*")) == before


def test_without_checksum_everything_else_is_the_same(base: Path, tmp_path: Path) -> None:
    built = build_image(plan_image(base, tmp_path / "a.iso", CONFIG), checksum=False)
    assert built.sha256 == ""
    build_image(plan_image(base, tmp_path / "b.iso", CONFIG))
    assert (tmp_path / "a.iso").read_bytes() == (tmp_path / "b.iso").read_bytes()


@pytest.mark.parametrize("missing", ["copy_file_range", "ioctl", "both"])
def test_copying_falls_back(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    def refuse(*args: object) -> int:
        raise OSError(18, "Invalid cross-device link")

    if missing in ("copy_file_range", "both"):
        monkeypatch.setattr(copying.os, "copy_file_range", refuse)
    if missing in ("ioctl", "both"):
        monkeypatch.setattr(copying.fcntl, "ioctl", refuse)
    dest = tmp_path / "out.iso"
    built = build_image(plan_image(base, dest, CONFIG))
    assert built.sha256 == hashlib.sha256(dest.read_bytes()).hexdigest()


def test_full_disk_is_reported_and_leaves_nothing(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(copying.os, "copy_file_range", full)
    with pytest.raises(ZeroTouchError, match=r"There is no space for .*out\.iso: it needs \d+ bytes, \d+ are free"):
        build_image(plan_image(base, tmp_path / "out.iso", CONFIG))
    assert sorted(path.name for path in tmp_path.iterdir()) == [base.name]


def test_base_that_changes_while_it_is_copied(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = copying._write_at

    def write_and_disturb(*args: object) -> None:
        original(*args)
        os.utime(base, ns=(1, 1))

    monkeypatch.setattr(copying, "_write_at", write_and_disturb)
    with pytest.raises(ZeroTouchError, match="was changed while it was copied"):
        build_image(plan_image(base, tmp_path / "out.iso", CONFIG))
    assert not (tmp_path / "out.iso").exists()


def test_leftovers_of_a_killed_run_are_removed_and_nothing_else(base: Path, tmp_path: Path) -> None:
    (tmp_path / ".out.iso.abc.part").write_bytes(b"x")
    (tmp_path / ".other.iso.abc.part").write_bytes(b"x")
    build_image(plan_image(base, tmp_path / "out.iso", CONFIG))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".other.iso.abc.part", "out.iso", base.name]


def test_refused_bases(base: Path, tmp_path: Path) -> None:
    dest = tmp_path / "out.iso"
    build_image(plan_image(base, dest, CONFIG))
    with pytest.raises(ZeroTouchError, match="already has an embedded Ignition config"):
        plan_image(dest, tmp_path / "again.iso", CONFIG)
    with pytest.raises(ZeroTouchError, match="are the same file"):
        plan_image(base, base, CONFIG)


def test_overlay_over_block_borders() -> None:
    block = memoryview(bytes(range(10)))
    assert copying.overlay(block, 100, [Patch(0, b"abc"), Patch(110, b"x")]) is block
    assert (
        bytes(copying.overlay(block, 100, [Patch(98, b"abc"), Patch(109, b"xyz")])) == b"c" + bytes(range(1, 9)) + b"x"
    )


def test_report_hides_contents(base: Path, tmp_path: Path) -> None:
    dest = tmp_path / "out.iso"
    build_image(plan_image(base, dest, CONFIG))
    report = read_live_image(dest).report()
    assert "s3cret" not in json.dumps(report)
    assert report["ignition"]["files"] == [{"path": "/etc/a", "mode": "0600"}]
    assert (report["version"], report["arch"], report["form"], report["features"], report["miniso"]["entries"]) == (
        "422.1.0",
        "x86_64",
        "iso",
        {},
        6,
    )
    assert "s3cret" in json.dumps(read_live_image(dest).report(show_secrets=True))
