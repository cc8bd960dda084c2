# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write the files for a network boot (PXE): the kernel, the initrd with the Ignition config at its end, the root file
system, and the boot script that names them.

Names and contents are those of ``openshift-install agent create pxe-files``.

Source: openshift/installer pkg/asset/agent/image/agentpxefiles.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ..common.errors import ZeroTouchError
from . import kargs
from .cpio import gzip, write_archive
from .edit import with_config
from .iso9660 import Extent, ImageFile, Piece, Volume
from .live import KERNEL, ROOTFS, LiveImage

_INITRD = "IMAGES/PXEBOOT/INITRD.IMG"
_ADDRESS_AND_SIZE = "IMAGES/INITRD.ADD"
_INS = "GENERIC.INS"
_LARGEST_TEXT = 64 << 10


@dataclasses.dataclass(frozen=True)
class ArtifactNames:
    """What the files are called: ``agent.x86_64-initrd.img`` has the prefix ``agent`` and the architecture (rpm name)
    ``x86_64``.
    """

    prefix: str
    arch: str

    @property
    def kernel(self) -> str:
        return f"{self.prefix}.{self.arch}-vmlinuz"

    @property
    def initrd(self) -> str:
        return f"{self.prefix}.{self.arch}-initrd.img"

    @property
    def rootfs(self) -> str:
        return f"{self.prefix}.{self.arch}-rootfs.img"

    @property
    def script(self) -> str:
        return f"{self.prefix}.{self.arch}.ipxe"

    @property
    def address_and_size(self) -> str:
        return f"{self.prefix}.{self.arch}-initrd.addrsize"

    @property
    def ins(self) -> str:
        return f"{self.prefix}.{self.arch}-generic.ins"


def rootfs_pieces(base: ImageFile) -> tuple[Piece, ...]:
    """The root file system of a live image. Raises :class:`ZeroTouchError` for one without."""
    return _file(base, Volume(base), ROOTFS)


def network_arguments(image: LiveImage, added: Sequence[str]) -> str:
    """Kernel arguments of a network boot, all but the place of the root file system. Raises :class:`ZeroTouchError`."""
    if image.kargs is None:
        raise ZeroTouchError(
            f"No karg embed areas found in {image.path}: its kernel arguments cannot be read.",
            "Use a newer CoreOS image.",
        )
    return kargs.append(kargs.without_medium(image.kargs.default), added)


def boot_artifacts(
    base: ImageFile, image: LiveImage, ignition: bytes, names: ArtifactNames, arguments: str, base_url: str = ""
) -> dict[str, tuple[Piece, ...]]:
    """File name -> what it is made of.

    With ``base_url``, where the files will be published, a script for iPXE is among them.

    Raises :class:`ZeroTouchError` for an image that lacks one of the files.
    """
    volume = Volume(base)
    stock = _file(base, volume, _INITRD)
    size = sum(piece.length for piece in stock if isinstance(piece, Extent))
    config = gzip(write_archive(with_config(image.members, ignition)))
    initrd = (*stock, bytes(-size % 4) + config)  # the kernel looks for a further archive at multiples of four
    files: dict[str, tuple[Piece, ...]] = {
        names.initrd: initrd,
        names.kernel: _file(base, volume, KERNEL),
        names.rootfs: _file(base, volume, ROOTFS),
    }
    if names.arch == "s390x":
        address = _text(base, volume, _ADDRESS_AND_SIZE)[:8]
        files[names.address_and_size] = (address + (size + -size % 4 + len(config)).to_bytes(8, "big"),)
        files[names.ins] = (_renamed(_text(base, volume, _INS), names),)
    if base_url:
        files[names.script] = (_script(names, base_url, arguments).encode(),)
    return files


def _file(base: ImageFile, volume: Volume, path: str) -> tuple[Piece, ...]:
    entry = volume.file(path)
    if entry is None:
        raise ZeroTouchError(f"{base.path} has no {path.lower()}.", "Use the full CoreOS live ISO.")
    if any(extent.offset + extent.length > base.size for extent in entry.extents):
        raise ZeroTouchError(
            f"{base.path}: ISO image is incomplete: {path} lies behind its end.", "Download or copy it again."
        )
    return entry.extents


def _text(base: ImageFile, volume: Volume, path: str) -> bytes:
    content = volume.read(path, _LARGEST_TEXT)
    if content is None:
        raise ZeroTouchError(
            f"{base.path} has no {path.lower()}, which a network boot of s390x needs.", "Use the full CoreOS live ISO."
        )
    return content


def _renamed(ins: bytes, names: ArtifactNames) -> bytes:
    for before, after in (
        ("kernel.img", names.kernel),
        ("initrd.img", names.initrd),
        ("initrd.addrsize", names.address_and_size),
    ):
        ins = ins.replace(before.encode(), after.encode())
    return ins


def _script(names: ArtifactNames, base_url: str, arguments: str) -> str:
    rootfs = f"coreos.live.rootfs_url={base_url}/{names.rootfs}"
    return (
        f"#!ipxe\ninitrd --name initrd {base_url}/{names.initrd}\nkernel {base_url}/{names.kernel} initrd=initrd "
        f"{rootfs} {arguments}\nboot\n"
    )
