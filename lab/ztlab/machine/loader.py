# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the boot loaders of a CoreOS live ISO: choose the kernel, the initrds and the kernel arguments."""

from __future__ import annotations

import dataclasses
import re

from .iso import BIOS, EFI, Iso, IsoError

_GRUB = ("EFI/redhat/grub.cfg", "EFI/fedora/grub.cfg", "EFI/centos/grub.cfg")
_ISOLINUX = ("isolinux/isolinux.cfg",)


class LoaderError(Exception):
    """The boot loader stops; the text is the reason."""


@dataclasses.dataclass(frozen=True)
class BootPlan:
    """What the boot loader starts. ``arguments`` is the kernel command line."""

    config: str
    kernel: str
    initrds: tuple[str, ...]
    arguments: str

    def argument(self, name: str) -> str | None:
        """The value of the last argument ``name=value`` ("" for a bare name), None when it is absent."""
        value = None
        for word in self.arguments.split():
            key, _, rest = word.partition("=")
            if key == name:
                value = rest.strip('"')
        return value


async def firmware_boots(iso: Iso, mode: str) -> None:
    """Raises :class:`IsoError` unless the catalogue has a bootable entry for the firmware mode (UEFI or Legacy)."""
    platform = EFI if mode == "UEFI" else BIOS
    entries = await iso.boot_entries()
    fitting = [entry for entry in entries if entry.platform == platform and entry.bootable]
    if not fitting:
        raise IsoError(f"no El Torito entry for {mode} boot")
    if platform == BIOS and fitting[0].sectors == 0:  # for UEFI a count of 0 means: to the end of the medium
        raise IsoError("the El Torito entry for Legacy boot is empty")


async def read_boot_plan(iso: Iso, mode: str) -> BootPlan:
    """What the boot loader of the firmware mode would start. Raises :class:`LoaderError` or :class:`IsoError`."""
    for path in _GRUB if mode == "UEFI" else _ISOLINUX:
        if await iso.find(path) is not None:
            text = (await iso.read(path)).decode("utf-8", "replace")
            return _parse_grub(path, text) if mode == "UEFI" else _parse_isolinux(path, text)
    raise LoaderError("no boot loader configuration")


def _parse_grub(path: str, text: str) -> BootPlan:
    entry = re.search(r"^menuentry .*?\{(.*?)^\}", text, re.M | re.S)
    body = entry[1] if entry else text
    kernel = re.search(r"^\s*linux(?:efi)?\s+(\S+)[ \t]*(.*)$", body, re.M)
    initrd = re.search(r"^\s*initrd(?:efi)?\s+(.+)$", body, re.M)
    if kernel is None or initrd is None:
        raise LoaderError(f"{path} has no linux and initrd line")
    return BootPlan(path, kernel[1], tuple(initrd[1].split()), kernel[2].strip())


def _parse_isolinux(path: str, text: str) -> BootPlan:
    kernel = re.search(r"^\s*kernel\s+(\S+)\s*$", text, re.M)
    append = re.search(r"^\s*append[ \t]+(.*)$", text, re.M)
    if kernel is None or append is None:
        raise LoaderError(f"{path} has no kernel and append line")
    words = append[1].split()
    initrds = [word.removeprefix("initrd=") for word in words if word.startswith("initrd=")]
    if not initrds:
        raise LoaderError(f"{path} names no initrd")
    return BootPlan(
        path,
        kernel[1],
        tuple(initrds[-1].split(",")),
        " ".join(word for word in words if not word.startswith("initrd=")),
    )
