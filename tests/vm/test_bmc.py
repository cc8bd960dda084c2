# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""``boot.method: bmc``: machines of libvirt behind a Redfish BMC that others wrote, the emulator of OpenStack's sushy-tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support.sushy_emulator import PASSWORD, USERNAME
from . import expected
from .conftest import Cluster, Site
from .hypervisor import Hypervisor
from .network import Guest
from .proof import assert_booted, assert_registers


@pytest.mark.parametrize(
    ("firmware", "uuid", "mac"),
    [
        pytest.param("uefi", "5f0c2a10-6a1e-4c0a-9f10-000000000021", "52:54:00:15:00:21", id="UEFI"),
        pytest.param("bios", "5f0c2a10-6a1e-4c0a-9f10-000000000022", "52:54:00:15:00:22", id="BIOS"),
    ],
)
def test_virtual_media(site: Site, hypervisor: Hypervisor, emulator: tuple[str, Path], tmp_path: Path, firmware: str, uuid: str, mac: str) -> None:
    guest = Guest(f"bmc-{firmware}", uuid, mac)
    cluster = Cluster(site, guest, tmp_path)
    hypervisor.define(guest, firmware=firmware)
    made = cluster.build(kind="iso")
    image = expected.of_iso(Path(made["path"]))
    bmc = {"address": f"{emulator[0]}/redfish/v1/Systems/{uuid}", "username": USERNAME, "password": PASSWORD, "ca_cert": str(emulator[1])}
    hosts = [{"name": guest.name, "mac_addresses": [mac], "bmc": bmc}]
    try:
        cluster.publish()
        (booted,) = cluster.boot(hosts, "booted")
        assert (booted["boot_method"], booted["changed"], booted["power_state_after"]) == ("bmc", True, "On")
        report = site.first_report(guest, hypervisor.console(guest))
        assert report["firmware"] == firmware and report["medium"]
        assert_booted(report, cluster, image)
        assert_registers(report, cluster, image, hypervisor.console(guest))
        assert not cluster.boot(hosts, "booted")[0]["changed"]
        (medium,) = hypervisor.media(guest)
        assert Path(medium).stat().st_size == made["size"]
        (ejected,) = cluster.boot(hosts, "ejected")
        assert ejected["changed"] and hypervisor.media(guest, saved=True) == []
        assert hypervisor.state(guest) == "running" and len(site.collector.of(uuid)) == 1
    finally:
        cluster.unpublish()
        hypervisor.remove(guest)
