# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute which bytes of a live image change for a desired Ignition config or desired kernel arguments. Pure: nothing
is written here.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping

from ..common.errors import ZeroTouchError
from .areas import Area
from .cpio import Member, gzip, write_archive, xz
from .live import CONFIG_MEMBER, LiveImage

_NAMED_IN_ERRORS = 3
# The keys of an area in kargs.json, in coreos-installer's order.
_KARGS_FILE = ("path", "offset", "pad", "end")


@dataclasses.dataclass(frozen=True)
class Patch:
    """Bytes to be written at an absolute offset of the image."""

    offset: int
    data: bytes

    @property
    def end(self) -> int:
        return self.offset + len(self.data)


def with_config(members: Iterable[Member], config: bytes) -> tuple[Member, ...]:
    """The members with this Ignition config in place of any other; network files and the rest survive."""
    return tuple(sorted([*without_config(members), Member(CONFIG_MEMBER, config)], key=lambda member: member.path))


def without_config(members: Iterable[Member]) -> tuple[Member, ...]:
    return tuple(member for member in members if member.path != CONFIG_MEMBER)


def ignition_patch(image: LiveImage, members: Iterable[Member], parts: Mapping[str, int] | None = None) -> Patch:
    """The Ignition area with exactly these members.

    ``parts`` (name -> size in bytes) is what the members consist of, to be named when they do not fit; by default the
    members themselves.
    Raises :class:`ZeroTouchError` naming both sizes and the largest parts.
    """
    wanted = tuple(members)
    area = image.ignition_area
    data = _archive(wanted, area.length)
    if len(data) > area.length:
        sizes = parts if parts is not None else {member.path: len(member.content) for member in wanted}
        largest = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:_NAMED_IN_ERRORS]
        raise ZeroTouchError(
            f"The Ignition config does not fit into {image.path}: {len(data)} bytes compressed, the image has room "
            f"for {area.length}.",
            "The largest files in it are " + ", ".join(f"{name} ({size} bytes)" for name, size in largest) + ".",
        )
    return Patch(area.offset, data + bytes(area.length - len(data)))


def _archive(members: tuple[Member, ...], limit: int) -> bytes:
    """The archive as openshift-install compresses it; as coreos-installer does where only that fits.

    Nothing at all for no members.
    """
    if not members:
        return b""
    archive = write_archive(members)
    compressed = gzip(archive)
    return compressed if len(compressed) <= limit else min(compressed, xz(archive), key=len)


def kargs_patches(image: LiveImage, text: str) -> tuple[Patch, ...]:
    """Every kernel-argument area with this text.

    Raises :class:`ZeroTouchError` for an image without areas and for a text too long.
    """
    if image.kargs is None:
        raise ZeroTouchError(
            f"No karg embed areas found in {image.path}: the kernel arguments of this image cannot be changed.",
            "Use a newer CoreOS image.",
        )
    return tuple(Patch(offset, data) for offset, data in image.kargs.encode(text))


def default_patch(info: Area, content: bytes, default: str) -> Patch:
    """``kargs.json``, whose content this is, with another default text in its old length.

    Raises :class:`ZeroTouchError` when it does not fit.

    It is written as coreos-installer does (coreos/coreos-installer src/live/embed.rs, KargEmbedInfo), so that both make
    the same minimal ISO.
    """
    base = json.loads(content)
    files = [{key: file[key] for key in _KARGS_FILE if file.get(key) is not None} for file in base["files"]]
    data = json.dumps({"default": default, "files": files, "size": base["size"]}, indent=2, ensure_ascii=False).encode()
    if len(data) > info.length:  # the base was written without indentation
        data = json.dumps({**base, "default": default}, separators=(",", ":"), ensure_ascii=False).encode()
    if len(data) > info.length:
        raise ZeroTouchError(
            f"The kernel arguments of the image cannot be changed: {info.path} has room for {info.length} bytes, "
            f"{len(data)} are needed."
        )
    return Patch(info.offset, data.ljust(info.length))
