# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check what every guest of the VM tests must report about its boot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .conftest import ADDRESS, FIPS, Cluster
from .expected import Expected, service_of
from .network import console_of, wait_until


def assert_booted(report: dict[str, Any], cluster: Cluster, expected: Expected) -> None:
    """Compare Ignition config, files byte for byte, active keyfiles, and the collection's kernel arguments."""
    assert report["problems"] == [], report["problems"]
    assert report["ignition_sha256"] == expected.ignition_sha256
    assert report["files"] == expected.files, _differences(report["files"], expected.files)
    assert cluster.guest.mac in report["macs"]
    arguments = report["cmdline"].split()
    assert FIPS in arguments and "ignition.firstboot" in arguments, arguments
    assert "pre-network-manager-config.service" in report["units"]
    # The configuration calls the NIC enp1s0, the guest calls it eth0: the image's own script found it by its MAC
    # address.
    (keyfile,) = report["keyfiles"].values()
    assert "interface-name=eth0" in keyfile and "method=manual" in keyfile, keyfile
    assert f"{ADDRESS}/24" in report["addresses"]
    assert any(route.startswith("default via 10.0.2.2 dev eth0") for route in report["routes"]), report["routes"]


def assert_registers(report: dict[str, Any], cluster: Cluster, expected: Expected, *logs: Path) -> None:
    """The guest registers with tokens from its image, and the service has the inventory of exactly this machine."""
    with service_of(expected, cluster.site.relay) as service:
        uuid = cluster.guest.uuid
        inventory = wait_until(
            lambda: service.inventory(uuid), f"inventory of {cluster.guest.name}", log=lambda: console_of(logs)
        )
        (interface,) = inventory["interfaces"]
        assert interface["mac_address"] == cluster.guest.mac and interface["ipv4_addresses"] == [f"{ADDRESS}/24"]
        assert inventory["boot"] == {
            **inventory["boot"],
            "current_boot_mode": report["firmware"],
            "command_line": report["cmdline"],
        }
        assert list(service.hosts()) == [uuid]


def _differences(found: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    return {
        path: (found.get(path), expected.get(path))
        for path in found.keys() | expected.keys()
        if found.get(path) != expected.get(path)
    }
