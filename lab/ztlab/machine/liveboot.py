# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Boot a CoreOS live medium up to the start of Ignition. All files are read from the medium over the network."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import urllib.parse
from collections.abc import Mapping
from typing import TYPE_CHECKING

import aiohttp

from ..fabric.hosts import HostNetwork, Unreachable
from ..image.rootfs import HEAD, holds_root
from ..live.first_network import first_network
from ..live.http import HostHttp
from .hardware import BootArtifacts, Hardware
from .initramfs import InitrdError, looks_like_initrd, unpack
from .iso import Entry, Iso, IsoError
from .loader import BootPlan, LoaderError, firmware_boots, read_boot_plan
from .medium import Medium

if TYPE_CHECKING:
    from ..lab import Lab

KERNEL_SECONDS = 15.0
# Files up to this size are read completely; larger ones (the root file system) at so many places.
_WHOLE = 8 << 20
_SAMPLES = 16
_SAMPLE = 128 << 10
_PIECE = 1 << 20


@dataclasses.dataclass(frozen=True)
class LiveImage:
    """What the initramfs of the live system holds, and how it was started."""

    medium: Medium | None
    volume_id: str
    plan: BootPlan
    initramfs: dict[str, bytes]
    in_memory: bool = False  # the root file system was fetched: the medium is not needed any more
    metadata: Mapping[str, str] = dataclasses.field(default_factory=dict)  # that of a config drive


async def boot_medium(medium: Medium, machine: Hardware, lab: Lab) -> LiveImage | None:
    """The booted image; None when the live system stops early (the console says where).

    Raises what makes firmware and kernel give up.
    """
    console = machine.console
    iso = await Iso.open(medium)
    await firmware_boots(iso, machine.boot.mode)
    plan = await read_boot_plan(iso, machine.boot.mode)
    console.print(f"{plan.config}: {plan.kernel} {plan.arguments}", phase="booting from virtual media")
    kernel = await _required(iso, plan.kernel)
    if not (await medium.read(kernel.offset, min(kernel.size, 1024))).startswith((b"MZ", b"\x1f\x8b", b"\x7fELF")):
        raise LoaderError(f"{plan.kernel} is no kernel")
    await _read_through(medium, kernel)
    links: dict[str, str] = {}
    initramfs = await _initramfs(iso, medium, plan, links)
    await lab.clock.sleep(KERNEL_SECONDS)
    url = plan.argument("coreos.live.rootfs_url")
    if url:
        initramfs |= first_network(lab, machine, initramfs, links)
    problem = await _fetch_root(url, lab, machine) if url else await _root_problem(iso, medium, plan)
    if problem:
        console.print(f"dracut: {problem}", phase="emergency shell")
        return None
    await _warn_about_area(iso, plan, machine)
    return LiveImage(medium, iso.volume_id, plan, initramfs, in_memory=bool(url))


async def boot_artifacts(artifacts: BootArtifacts, machine: Hardware, lab: Lab) -> LiveImage | None:
    """The live system of boot artifacts, as a PXE boot has it. Raises InitrdError."""
    links: dict[str, str] = {}
    initramfs = unpack(artifacts.initrd, links)
    await lab.clock.sleep(KERNEL_SECONDS)
    initramfs |= first_network(lab, machine, initramfs, links)
    problem = await _fetch_root(artifacts.rootfs_url, lab, machine)
    if problem:
        machine.console.print(f"dracut: {problem}", phase="emergency shell")
        return None
    return LiveImage(None, "", BootPlan("boot loader entry", "", (), artifacts.arguments), initramfs, in_memory=True)


async def _required(iso: Iso, path: str) -> Entry:
    entry = await iso.find(path)
    if entry is None or entry.directory or entry.size == 0:
        raise LoaderError(f"file {path} not found")
    return entry


async def _initramfs(iso: Iso, medium: Medium, plan: BootPlan, links: dict[str, str]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for number, path in enumerate(plan.initrds):
        entry = await _required(iso, path)
        head = await medium.read(entry.offset, min(entry.size, 512))
        if number == 0:  # the system's own initramfs: its content is known, what counts is that it is there
            if not looks_like_initrd(head):
                raise InitrdError(f"{path}: invalid magic at start of compressed archive")
            await _read_through(medium, entry)
        else:
            files |= unpack(await medium.read(entry.offset, entry.size), links)
    return files


async def _fetch_root(url: str, lab: Lab, machine: Hardware) -> str:
    """coreos-livepxe-rootfs: the root file system in one piece over the network of the initramfs, without a look at
    certificates; why not, "" when it came.
    """
    try:
        target, host = _reached(lab, machine, url)
        timeout = aiohttp.ClientTimeout(sock_connect=10, sock_read=30)
        headers = {"Host": host, "Accept-Encoding": "identity"}
        async with lab.session.get(target, headers=headers, ssl=False, timeout=timeout) as answer:
            if answer.status != 200:
                return (
                    f"coreos-livepxe-rootfs: couldn't fetch {url}: the server answers {answer.status} {answer.reason}"
                )
            head = await _head(answer.content)
            async for _piece in answer.content.iter_chunked(_PIECE):
                pass
    except (OSError, Unreachable, TimeoutError, aiohttp.ClientError) as error:
        return f"coreos-livepxe-rootfs: couldn't fetch {url}: {error}"
    return "" if holds_root(head) else f"coreos-livepxe-rootfs: what {url} holds is no root file system"


async def _head(content: aiohttp.StreamReader) -> bytes:
    try:
        return await content.readexactly(HEAD)
    except asyncio.IncompleteReadError as error:
        return error.partial


def _reached(lab: Lab, machine: Hardware, url: str) -> tuple[str, str]:
    """(URL to open, Host header) for this machine's network.

    Raises Unreachable. A server outside of the lab is reached by any machine with a network.
    """
    host = urllib.parse.urlsplit(url).hostname or ""
    if lab.fabric.table.known(host) is None:
        return lab.fabric.redirect(url)
    return HostHttp(lab, lambda: lab.fabric.hosts.get(machine.spec.name, HostNetwork())).reach(url)


async def _root_problem(iso: Iso, medium: Medium, plan: BootPlan) -> str:
    """Why the live system finds no root file system on its medium, "" when it does."""
    label = plan.argument("coreos.liveiso")
    if label is None:
        return "neither coreos.liveiso nor coreos.live.rootfs_url among the kernel arguments: no root file system"
    if label != iso.volume_id:
        return f"timed out waiting for /dev/disk/by-label/{label}: the medium's label is {iso.volume_id}"
    entry = await iso.find("images/pxeboot/rootfs.img")
    if entry is None:
        return "/run/media/iso/images/pxeboot/rootfs.img: no such file"
    await _read_through(medium, entry)
    if not holds_root(await medium.read(entry.offset, min(entry.size, HEAD))):
        return "/run/media/iso/images/pxeboot/rootfs.img: wrong fs type, bad superblock"
    return ""


async def _read_through(medium: Medium, entry: Entry) -> None:
    """Read a file for the sake of reading it."""
    if entry.size <= _WHOLE:
        async for _chunk in medium.stream(entry.offset, entry.size):
            pass
        return
    step = (entry.size - _SAMPLE) // (_SAMPLES - 1)
    for number in range(_SAMPLES):
        async for _chunk in medium.stream(entry.offset + number * step, _SAMPLE):
            pass


async def _warn_about_area(iso: Iso, plan: BootPlan, machine: Hardware) -> None:
    """An area that tools fill but the boot loader does not load is worth a line: the config would be lost silently."""
    try:
        named = json.loads(await iso.read("coreos/igninfo.json"))["file"]
    except (IsoError, ValueError, KeyError, TypeError):
        return
    loaded = {path.lstrip("/").lower() for path in plan.initrds}
    if named.lstrip("/").lower() not in loaded:
        machine.console.print(f"coreos/igninfo.json names {named}, which {plan.config} does not load")
