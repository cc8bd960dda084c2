# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""``boot_hosts`` boots libvirt machines once from the agent ISO and ejects it while they run.

Boot method ``bmc`` uses the Redfish emulator of OpenStack's sushy-tools, another project. Boot method ``libvirt``
inserts the image in the CD drive, and the saved definition always boots from disk.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..support.sushy_emulator import PASSWORD, USERNAME
from . import expected
from .conftest import Cluster, Site
from .hypervisor import Hypervisor
from .network import Guest
from .proof import assert_booted, assert_registers

_CASES = [(method, firmware) for method in ("bmc", "libvirt") for firmware in ("uefi", "bios")]


@pytest.mark.parametrize(
    ("method", "firmware", "number"),
    [(*case, 20 + index) for index, case in enumerate(_CASES, 1)],
    ids=lambda value: str(value),
)
def test_boot_once_and_eject(
    site: Site,
    hypervisor: Hypervisor,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    method: str,
    firmware: str,
    number: int,
) -> None:
    guest = Guest(f"{method}-{firmware}", f"5f0c2a10-6a1e-4c0a-9f10-0000000000{number}", f"52:54:00:15:00:{number}")
    way: dict[str, Any] = {"libvirt": {"uri": hypervisor.uri, "domain": guest.name}}
    if method == "bmc":
        address, certificate = request.getfixturevalue("emulator")
        way = {
            "bmc": {
                "address": f"{address}/redfish/v1/Systems/{guest.uuid}",
                "username": USERNAME,
                "password": PASSWORD,
                "ca_cert": str(certificate),
            }
        }
    hosts = [{"name": guest.name, "boot_method": method, "mac_addresses": [guest.mac], **way}]
    cluster = Cluster(site, guest, tmp_path)
    hypervisor.define(guest, firmware=firmware)
    made = cluster.build(kind="iso")
    image = expected.of_iso(Path(made["path"]))
    try:
        cluster.publish()
        (booted,) = cluster.boot(hosts, "booted")
        assert (booted["boot_method"], booted["changed"], booted["power_state_after"]) == (method, True, "On")
        report = site.first_report(guest, hypervisor.console(guest))
        assert report["firmware"] == firmware and report["medium"]
        assert_booted(report, cluster, image)
        assert_registers(report, cluster, image, hypervisor.console(guest))
        assert not cluster.boot(hosts, "booted")[0]["changed"]
        (medium,) = hypervisor.media(guest)
        if method == "libvirt":
            assert hypervisor.media(guest, saved=True) == []
        else:
            assert Path(medium).stat().st_size == made["size"]
        (ejected,) = cluster.boot(hosts, "ejected")
        assert ejected["changed"] and hypervisor.media(guest, saved=True) == []
        # The emulator ejects in the saved definition alone (openstack/sushy-tools
        # sushy_tools/emulator/resources/systems/libvirtdriver.py).
        assert method == "bmc" or hypervisor.media(guest) == []
        assert hypervisor.state(guest) == "running" and len(site.collector.of(guest.uuid)) == 1
    finally:
        cluster.unpublish()
        hypervisor.remove(guest)
