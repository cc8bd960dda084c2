# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Boot a guest with kernel, initrd and root file system of ``kind: pxe``. They are passed to the machine directly, or
iPXE loads them with the script that the collection writes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from . import expected
from .conftest import Cluster, Site
from .network import Guest, Web, qemu
from .proof import assert_booted, assert_registers


@pytest.mark.parametrize(
    ("way", "uuid", "mac"),
    [
        pytest.param("direct", "5f0c2a10-6a1e-4c0a-9f10-000000000001", "52:54:00:15:00:01", id="kernel and initrd"),
        pytest.param("ipxe", "5f0c2a10-6a1e-4c0a-9f10-000000000002", "52:54:00:15:00:02", id="iPXE script"),
    ],
)
def test_network_boot(site: Site, web: Web, tmp_path: Path, way: str, uuid: str, mac: str) -> None:
    cluster = Cluster(site, Guest(way, uuid, mac), tmp_path)
    made = cluster.build(kind="pxe", base_url=web.guest_url)
    files = {Path(artifact["path"]).name: artifact["path"] for artifact in made["boot_artifacts"]}
    assert sorted(files) == [
        "agent.x86_64-initrd.img",
        "agent.x86_64-rootfs.img",
        "agent.x86_64-vmlinuz",
        "agent.x86_64.ipxe",
    ]
    image = expected.of_initrd(Path(files["agent.x86_64-initrd.img"]))
    if way == "direct":
        options = [
            "-kernel",
            files["agent.x86_64-vmlinuz"],
            "-initrd",
            files["agent.x86_64-initrd.img"],
            "-append",
            made["kernel_arguments"],
        ]
        network = ""
    else:
        options, network = ["-boot", "n"], f",bootfile={web.guest_url}/agent.x86_64.ipxe"
    with qemu(cluster.guest, tmp_path, *options, network=network) as console:
        report = site.first_report(cluster.guest, console)
        assert_booted(report, cluster, image)
        assert (
            f"coreos.live.rootfs_url={web.guest_url}/agent.x86_64-rootfs.img" in report["cmdline"]
            and "coreos.liveiso" not in report["cmdline"]
        )
        assert not report["medium"]
        assert_registers(report, cluster, image, console)
    loaded = ["/agent.x86_64-rootfs.img"] if way == "direct" else [f"/{name}" for name in sorted(files)]
    assert sorted(web.requests) == sorted(loaded)
    assert len(site.collector.of(cluster.guest.uuid)) == 1
