# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that a minimal ISO boots with either firmware, and loads its root file system from the user's web server."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import expected
from .conftest import Cluster, Site
from .network import FIRMWARE, Guest, Web, qemu
from .proof import assert_booted, assert_registers


@pytest.mark.parametrize(
    ("firmware", "uuid", "mac"),
    [
        pytest.param("bios", "5f0c2a10-6a1e-4c0a-9f10-000000000011", "52:54:00:15:00:11", id="BIOS"),
        pytest.param("uefi", "5f0c2a10-6a1e-4c0a-9f10-000000000012", "52:54:00:15:00:12", id="UEFI"),
    ],
)
def test_minimal_iso(site: Site, web: Web, tmp_path: Path, firmware: str, uuid: str, mac: str) -> None:
    cluster = Cluster(site, Guest(firmware, uuid, mac), tmp_path)
    made = cluster.build(kind="minimal_iso", base_url=web.guest_url)
    assert made["kind"] == "minimal_iso" and made["size"] < site.base.stat().st_size
    image = expected.of_iso(Path(made["path"]))
    drive = [
        "-drive",
        f"if=none,id=cd,media=cdrom,readonly=on,format=raw,file={made['path']}",
        "-device",
        "ide-cd,drive=cd,bus=ide.0",
    ]
    with qemu(cluster.guest, tmp_path, *FIRMWARE[firmware], *drive) as console:
        report = site.first_report(cluster.guest, console)
        assert report["firmware"] == firmware and not report["medium"]
        assert_booted(report, cluster, image)
        assert (
            f"coreos.live.rootfs_url={web.guest_url}/agent.x86_64-rootfs.img" in report["cmdline"]
            and "coreos.liveiso" not in report["cmdline"]
        )
        assert_registers(report, cluster, image, console)
    assert web.requests == ["/agent.x86_64-rootfs.img"]
    assert len(site.collector.of(uuid)) == 1


def test_unpublished_root_file_system(site: Site, web: Web, tmp_path: Path) -> None:
    """The control: without its root file system the machine stops in the initramfs, and nothing reports."""
    guest = Guest("incomplete", "5f0c2a10-6a1e-4c0a-9f10-000000000013", "52:54:00:15:00:13")
    cluster = Cluster(site, guest, tmp_path)
    made = cluster.build(kind="minimal_iso", base_url=web.guest_url)
    (web.directory / "agent.x86_64-rootfs.img").write_bytes(b"another root file system")
    with qemu(guest, tmp_path, "-cdrom", made["path"]) as console:
        site.console_says(console, "/run/rootfs.img is not the root file system of this initramfs")
    assert not site.collector.of(guest.uuid)
