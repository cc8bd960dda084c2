# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""``boot.method: libvirt``: machines start once with the image in their CD drives, and are disk-first by themselves afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import expected
from .conftest import Cluster, Site
from .hypervisor import Hypervisor
from .network import Guest
from .proof import assert_booted, assert_registers


@pytest.mark.parametrize(
    ("firmware", "uuid", "mac"),
    [
        pytest.param("bios", "5f0c2a10-6a1e-4c0a-9f10-000000000031", "52:54:00:15:00:31", id="BIOS"),
        pytest.param("uefi", "5f0c2a10-6a1e-4c0a-9f10-000000000032", "52:54:00:15:00:32", id="UEFI"),
    ],
)
def test_libvirt(site: Site, hypervisor: Hypervisor, tmp_path: Path, firmware: str, uuid: str, mac: str) -> None:
    guest = Guest(f"libvirt-{firmware}", uuid, mac)
    cluster = Cluster(site, guest, tmp_path)
    hypervisor.define(guest, firmware=firmware)
    made = cluster.build(kind="iso")
    image = expected.of_iso(Path(made["path"]))
    hosts = [{"name": guest.name, "boot_method": "libvirt", "mac_addresses": [mac], "libvirt": {"uri": hypervisor.uri, "domain": guest.name}}]
    try:
        cluster.publish()
        (booted,) = cluster.boot(hosts, "booted")
        assert (booted["boot_method"], booted["changed"], booted["power_state_after"]) == ("libvirt", True, "On")
        report = site.first_report(guest, hypervisor.console(guest))
        assert report["firmware"] == firmware and report["medium"]
        assert_booted(report, cluster, image)
        assert_registers(report, cluster, image, hypervisor.console(guest))
        assert not cluster.boot(hosts, "booted")[0]["changed"]
        assert len(hypervisor.media(guest)) == 1 and hypervisor.media(guest, saved=True) == []
        (ejected,) = cluster.boot(hosts, "ejected")
        assert ejected["changed"] and hypervisor.media(guest) == [] and hypervisor.media(guest, saved=True) == []
        assert hypervisor.state(guest) == "running" and len(site.collector.of(uuid)) == 1
    finally:
        cluster.unpublish()
        hypervisor.remove(guest)
