# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which images a machine boots and which it does not, and what its console prints about it."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from ..live.agent_image import AgentImage, cpio, embed
from ..live.agent_image import base_image as shared_base
from ..live.playground import Playground, run, sno_site


def damage(path: Path, old: bytes, new: bytes) -> None:
    """Replace a text in an image by another text of the same length."""
    data = bytearray(path.read_bytes())
    position = data.find(old)
    if position < 0 or len(old) != len(new):
        raise ValueError(f"{old!r} cannot be replaced")
    while position >= 0:
        data[position : position + len(old)] = new
        position = data.find(old, position + len(old))
    path.write_bytes(data)


def embed_raw(area: bytes) -> Callable[[Path], None]:
    return lambda path: embed(path, shared_base()[1], area)


def truncate(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(20 << 20)


IMAGES: list[tuple[str, Callable[[Path], None], str]] = [
    ("no volume", lambda path: damage(path, b"CD001", b"XX001"), "no ISO 9660 volume descriptor"),
    ("truncated", truncate, "the medium is truncated"),
    (
        "no El Torito",
        lambda path: damage(path, b"EL TORITO SPECIFICATION", b"XL TORITO SPECIFICATION"),
        "no El Torito boot record",
    ),
    ("no Ignition", embed_raw(b""), "No Ignition config in the image"),
    ("broken archive", embed_raw(b"garbage"), "Initramfs unpacking failed"),
    ("not JSON", embed_raw(gzip.compress(cpio({"config.ign": b"{"}))), "Ignition failed: config is not valid"),
    (
        "old version",
        embed_raw(gzip.compress(cpio({"config.ign": b'{"ignition":{"version":"2.2.0"}}'}))),
        "unsupported config version '2.2.0'",
    ),
    ("no firstboot", lambda path: damage(path, b"ignition.firstboot", b"ignition.otherboot"), "no ignition.firstboot"),
    (
        "no platform",
        lambda path: damage(path, b"ignition.platform.id=metal", b"ignition.platform.xx=metal"),
        "no ignition.platform.id",
    ),
    (
        "other label",
        lambda path: damage(path, b"coreos.liveiso=rhcos", b"coreos.liveiso=other"),
        "timed out waiting for /dev/disk/by-label/other",
    ),
    ("no liveiso", lambda path: damage(path, b"coreos.liveiso", b"coreos.xxxxiso"), "no root file system"),
    (
        "no kernel",
        lambda path: damage(path, b"linux /images/pxeboot/vmlinuz", b"linux /images/pxeboot/vmlinux"),
        "file /images/pxeboot/vmlinux not found",
    ),
    (
        "area not loaded",
        lambda path: damage(path, b" /images/ignition.img\n", b" /images/ignitiom.img\n"),
        "file /images/ignitiom.img not found",
    ),
]


@pytest.mark.parametrize(("name", "change", "text"), IMAGES, ids=[name for name, _change, _text in IMAGES])
def test_wrong_images_do_not_boot(tmp_path: Path, name: str, change: Callable[[Path], None], text: str) -> None:
    async def flow() -> None:
        image = AgentImage().write(tmp_path / "agent.iso")
        change(image)
        async with Playground(tmp_path / "lab", image, speed=2000) as playground:
            playground.switch_on()
            await playground.until_console(text)
            assert playground.lab.fabric.hosts == {}

    run(flow())


@pytest.mark.parametrize("firmware", ["uefi", "bios"])
def test_both_firmwares_boot(tmp_path: Path, firmware: str) -> None:
    async def flow() -> None:
        image = AgentImage().write(tmp_path / "agent.iso")
        async with Playground(tmp_path / "lab", image, site=sno_site(firmware=firmware), speed=2000) as playground:
            playground.switch_on()
            await playground.until_console("This machine is sno-0.")
            assert ("grub.cfg" if firmware == "uefi" else "isolinux.cfg") in playground.console()

    run(flow())


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("media-fetch-fails", "Virtual CD does not boot"),
        ("cut-download", "the connection was closed in the middle"),
        ("never-boots", "Self test does not finish"),
        ("wrong-nic", "no host directory has a MAC address of this machine"),
        ("no-link", "NO-CARRIER"),
    ],
)
def test_faults(tmp_path: Path, fault: str, text: str) -> None:
    async def flow() -> None:
        async with Playground(tmp_path / "lab", AgentImage().write(tmp_path / "agent.iso"), speed=2000) as playground:
            playground.lab.faults.add(fault)
            playground.switch_on()
            await playground.until_console(text)

    run(flow())


def test_nothing_to_boot(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path / "lab", speed=2000) as playground:
            playground.machine.reset("On")
            await playground.until_console("No bootable device.")
            assert playground.machine.boots == ["none"]

    run(flow())


def test_a_server_without_the_image(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path / "lab", speed=2000) as playground:
            playground.switch_on()
            await playground.until_console("the server answers 404")

    run(flow())


def test_power_on_in_the_middle_of_a_shutdown_leaves_one_system(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path / "lab", AgentImage().write(tmp_path / "agent.iso"), speed=200) as playground:
            playground.switch_on()
            await playground.until_console("This machine is sno-0.")
            playground.machine.reset("GracefulShutdown")
            await playground.lab.clock.sleep(5)
            playground.machine.reset("On")
            await playground.until(lambda: playground.console().count("This machine is sno-0.") == 2)
            assert playground.lab.fabric.owners("192.168.126.10") == ["sno-0"]

    run(flow())
