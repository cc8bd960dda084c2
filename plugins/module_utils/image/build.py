# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build a bootable image from a base image and an Ignition config: plan, then build.

The image is a copy of its base in which only the embed areas differ; boot loaders, El Torito and partition tables stay
as they are, because some firmware refuses rebuilt images (coreos/coreos-installer src/live/embed.rs;
docs/upstream/redfish.md#image-urls).
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..common.errors import ZeroTouchError
from ..common.files import ensure_directory, sha256_of
from . import kargs
from .copy import DigestOf, Digests, is_patched_copy, patched_copy
from .cpio import Member
from .edit import Patch, default_patch, ignition_patch, kargs_patches, with_config
from .iso9660 import ImageFile, ImageSource
from .live import LiveImage, live_image, read_live_image
from .miniso import minimal_iso
from .trust import UNCHECKED, BaseCheck

_SHA256_DIGITS = frozenset("0123456789abcdef")


@dataclasses.dataclass(frozen=True)
class ImageRecord:
    """What an earlier build left in ``state.json``: identities (size, times in ns) of base and image, and their SHA-256
    ("" = not computed).

    The change time of the image is known because no tool can set it back: an edited image is found even if it kept its
    modification time.
    """

    base_size: int = -1
    base_mtime_ns: int = -1
    base_sha256: str = ""
    size: int = -1
    mtime_ns: int = -1
    ctime_ns: int = -1
    sha256: str = ""
    recipe: str = ""

    @classmethod
    def from_state(cls, section: Mapping[str, Any]) -> ImageRecord:
        """From the state section ``image``; an empty section matches no file."""
        base = section.get("base") or {}
        return cls(
            base_size=base.get("size", -1),
            base_mtime_ns=base.get("mtime_ns", -1),
            base_sha256=base.get("sha256", ""),
            size=section.get("size", -1),
            mtime_ns=section.get("mtime_ns", -1),
            ctime_ns=section.get("ctime_ns", -1),
            sha256=section.get("sha256", ""),
            recipe=section.get("recipe", ""),
        )


@dataclasses.dataclass(frozen=True)
class ImagePlan:
    """What :func:`build_image` will do and why.

    ``base`` is the image before its patches: the base image or, with ``rootfs_url``, the minimal ISO that is made of it
    and has ``minimal_sha256``. ``size`` in bytes; ``sha256`` is known only when nothing changes.
    """

    base: LiveImage
    dest: Path
    changed: bool
    reason: str
    patches: tuple[Patch, ...]
    check: BaseCheck = UNCHECKED
    base_sha256: str = ""
    sha256: str = ""
    recipe: str = ""
    rootfs_url: str = ""
    minimal_sha256: str = ""

    @property
    def size(self) -> int:
        return self.base.size


@dataclasses.dataclass(frozen=True)
class BuiltImage:
    """A finished image. Empty digests were not computed; ``recipe`` identifies its bytes by what they were made of."""

    path: Path
    sha256: str
    recipe: str
    size: int
    mtime_ns: int
    ctime_ns: int
    base: Path
    base_sha256: str
    base_size: int
    base_mtime_ns: int

    def to_state(self) -> dict[str, Any]:
        """The keys of the state section ``image`` that :meth:`ImageRecord.from_state` reads."""
        base = {
            "path": str(self.base),
            "size": self.base_size,
            "mtime_ns": self.base_mtime_ns,
            "sha256": self.base_sha256,
        }
        times = {"mtime_ns": self.mtime_ns, "ctime_ns": self.ctime_ns}
        return {
            "path": str(self.path),
            "sha256": self.sha256,
            "recipe": self.recipe,
            "size": self.size,
            **times,
            "base": base,
        }


def plan_image(
    base: Path,
    dest: Path,
    ignition: bytes,
    kargs_append: Sequence[str] = (),
    *,
    rootfs_url: str = "",
    record: ImageRecord | None = None,
    check: BaseCheck | None = None,
    parts: Mapping[str, int] | None = None,
    force: bool = False,
) -> ImagePlan:
    """Decide whether ``dest`` has to be built from ``base``; with ``rootfs_url`` in its minimal form, whose root file
    system hosts load from there.

    Reads the descriptors and embed areas of both. Only when an existing image looks right but ``record`` does not vouch
    for it, both files are compared whole. ``check`` verifies the base: :func:`build_image` does it while it copies, and
    this function where nothing has to be copied. Raises :class:`ZeroTouchError` for a base that cannot be used and for
    content that does not fit.
    """
    with _open_base(base, minimal=bool(rootfs_url)) as (source, digest):
        image = live_image(source)
        _refuse_base(image, dest)
        members = with_config(image.members, ignition)
        text = _kernel_arguments(image, kargs_append, rootfs_url)
        patches = [ignition_patch(image, members, parts)]
        if text is not None:
            patches += kargs_patches(image, text)
        if rootfs_url and image.kargs is not None and image.kargs.info is not None:
            info = image.kargs.info
            patches.append(
                default_patch(info, source.read_at(info.offset, info.length), kargs.without_medium(image.kargs.text))
            )
    plan = ImagePlan(
        image, dest, True, "", tuple(patches), check=check or UNCHECKED, rootfs_url=rootfs_url, minimal_sha256=digest
    )
    if force:
        return dataclasses.replace(plan, reason="a rebuild was requested")
    return _decide(plan, members, text, record or ImageRecord())


@contextlib.contextmanager
def _open_base(path: Path, *, minimal: bool) -> Iterator[tuple[ImageSource, str]]:
    """What is copied, and the SHA-256 that it must have where the image itself says so."""
    with ImageFile(path) as file:
        yield minimal_iso(file) if minimal else (file, "")


def _kernel_arguments(image: LiveImage, added: Sequence[str], rootfs_url: str) -> str | None:
    """The new text; None where it stays as it is.

    Of an image without areas nothing is known: the writer of the text refuses it.
    """
    if not added and not rootfs_url:
        return None
    if image.kargs is None:
        return ""
    return kargs.append(kargs.from_network(image.kargs.text, rootfs_url) if rootfs_url else image.kargs.text, added)


def _refuse_base(image: LiveImage, dest: Path) -> None:
    if dest.exists() and dest.samefile(image.path):
        raise ZeroTouchError(
            f"The base image and the image to build are the same file: {dest}.",
            "Set dest to another path: the base image must not be overwritten.",
        )
    if image.ignition is not None:
        raise ZeroTouchError(
            f"{image.path} already has an embedded Ignition config; it is an image made for a deployment.",
            "Use the CoreOS live image as it was published.",
        )


def normal_sha256(text: str) -> str:
    """Lower-case hex digits; raises :class:`ZeroTouchError` for what is no SHA-256."""
    digest = text.strip().lower().removeprefix("sha256:")
    if digest and (len(digest) != 64 or not set(digest) <= _SHA256_DIGITS):
        raise ZeroTouchError(
            f"sha256 is not a SHA-256 (64 hex digits): {text}.",
            "Copy the digest from the page or checksum file of the download.",
        )
    return digest


def _decide(plan: ImagePlan, members: tuple[Member, ...], text: str | None, record: ImageRecord) -> ImagePlan:
    reason = _difference(plan, members, text)
    if reason:
        return dataclasses.replace(plan, reason=reason)
    base_known = (record.base_size, record.base_mtime_ns) == (plan.base.size, plan.base.mtime_ns)
    status = plan.dest.stat()
    image_known = (record.size, record.mtime_ns, record.ctime_ns) == (
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )
    vouched = base_known and image_known and not plan.check.always
    if not vouched and not _is_copy(plan):
        another = image_known and not base_known
        return dataclasses.replace(
            plan, reason="the base image is another one" if another else "the image was changed by something else"
        )
    known = record.base_sha256 if base_known else ""
    if plan.check.always or (plan.check.sha256 and known != plan.check.sha256):
        known = verify_base(plan)
    return dataclasses.replace(
        plan,
        changed=False,
        reason="the image matches its input",
        base_sha256=known,
        sha256=record.sha256 if image_known else "",
        recipe=record.recipe
        if vouched
        else _recipe(plan, known or plan.check.trusted(plan.base.path.stat()), _written(plan)),
    )


def _is_copy(plan: ImagePlan) -> bool:
    """Whether the existing image is what it is made of, outside the patches."""
    with _open_base(plan.base.path, minimal=bool(plan.rootfs_url)) as (source, _digest):
        return is_patched_copy(source, plan.dest, [(patch.offset, len(patch.data)) for patch in plan.patches])


def _difference(plan: ImagePlan, members: tuple[Member, ...], text: str | None) -> str:
    """Why the existing image does not hold what it should; empty when its areas do."""
    if not plan.dest.exists():
        return "there is no image yet"
    try:
        existing = read_live_image(plan.dest)
    except ZeroTouchError as error:
        return f"the existing image cannot be used: {error.message}"
    if existing.form != plan.base.form:
        return f"its form is {existing.form}, wanted is {plan.base.form}"
    if existing.size != plan.size or existing.volume_id != plan.base.volume_id:
        return "the base image is another one"
    if existing.ignition_area != plan.base.ignition_area:
        return "the base image is another one"
    if existing.members != members:
        return "the Ignition config changed"
    expected = text
    if expected is None and plan.base.kargs:
        expected = plan.base.kargs.text
    if (existing.kargs.text if existing.kargs else None) != expected:
        return "the kernel arguments changed"
    return ""


def verify_base(plan: ImagePlan) -> str:
    """The SHA-256 of the base, read whole unless it is known from before; raises :class:`ZeroTouchError` when it is not
    the expected one.
    """
    return plan.check.verify(plan.base.path)


def build_image(plan: ImagePlan, *, checksum: bool = True) -> BuiltImage:
    """Carry out the plan; an unchanged image is left alone.

    A base that is not known yet is hashed during the copy. With ``checksum`` the SHA-256 of the image is computed
    there, too (about 1 s per GB). Raises :class:`ZeroTouchError`; then an earlier image is still there.
    """
    if not plan.changed:
        digest = plan.sha256 or (sha256_of(plan.dest) if checksum else "")
        return _built(plan, Digests(plan.base_sha256, digest), plan.recipe)
    ensure_directory(plan.dest.parent)
    with _open_base(plan.base.path, minimal=bool(plan.rootfs_url)) as (source, _digest):
        digests = patched_copy(source, plan.dest, plan.patches, _DigestAndCheck(plan, source, checksum=checksum))
    return _built(plan, digests, _recipe(plan, digests.base, plan.patches))


def _recipe(plan: ImagePlan, base_sha256: str, patches: Sequence[Patch]) -> str:
    """What identifies the bytes of the image without reading them: what is copied, and the patches.

    Empty where the digest of the first is not known.
    """
    copied = plan.minimal_sha256 or base_sha256
    if not copied:
        return ""
    ranges = [[patch.offset, hashlib.sha256(patch.data).hexdigest()] for patch in patches]
    return hashlib.sha256(json.dumps([copied, ranges]).encode()).hexdigest()


def _written(plan: ImagePlan) -> tuple[Patch, ...]:
    """What the existing image has where the patches are: another compression of the same content counts as
    unchanged.
    """
    with ImageFile(plan.dest) as image:
        return tuple(Patch(patch.offset, image.read_at(patch.offset, len(patch.data))) for patch in plan.patches)


class _DigestAndCheck:
    """Compute the requested digests during the copy, and check that the base is the expected one."""

    def __init__(self, plan: ImagePlan, source: ImageSource, *, checksum: bool) -> None:
        self._plan = plan
        self._before = os.fstat(source.fileno())
        self._trusted = plan.check.trusted(self._before)
        hashed = bool(plan.minimal_sha256) or (plan.check.wanted and not self._trusted)
        self._work = DigestOf(plan.patches, base=hashed, image=checksum)
        self.stop = self._work.stop

    def __call__(self, source: ImageSource) -> Digests:
        plan = self._plan
        if plan.minimal_sha256:
            base = verify_base(plan)  # what is left out of the copy counts too
            digests = self._work(source)
            if digests.base != plan.minimal_sha256:
                raise ZeroTouchError(
                    f"{plan.base.path} is not as it was published: the minimal ISO made of it has SHA-256 "
                    f"{digests.base}, not {plan.minimal_sha256}.",
                    "Download it again.",
                )
            return dataclasses.replace(digests, base=base)
        if self._trusted:
            plan.check.require(plan.base.path, self._before, self._trusted)
        digests = self._work(source)
        if digests.base:
            plan.check.accept(plan.base.path, self._before, os.fstat(source.fileno()), digests.base)
        return dataclasses.replace(digests, base=self._trusted or digests.base)


def _built(plan: ImagePlan, digests: Digests, recipe: str) -> BuiltImage:
    status = plan.dest.stat()
    return BuiltImage(
        path=plan.dest,
        sha256=digests.image,
        recipe=recipe,
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        ctime_ns=status.st_ctime_ns,
        base=plan.base.path,
        base_sha256=digests.base,
        base_size=plan.base.size,
        base_mtime_ns=plan.base.mtime_ns,
    )
