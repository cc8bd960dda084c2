# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the collection with a BMC of another project: the emulator of OpenStack's sushy-tools with its fake driver, TLS
and basic authentication.

Source: openstack/sushy-tools sushy_tools/emulator.
"""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions, BootRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.observe import observe
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts
from ansible_collections.zerotouch.openshift.tests.support.sushy_emulator import (
    EMULATOR,
    PASSWORD,
    USERNAME,
    sushy_emulator,
)

UUID = "7f0f7b2c-61d8-4a3c-9c55-0d1f2f9c1a11"
MAC = "52:54:00:0e:00:01"

pytestmark = pytest.mark.skipif(EMULATOR is None, reason="sushy-tools is not installed (pip install sushy-tools)")


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Its address, and the certificate to trust."""
    systems = [
        {
            "uuid": UUID,
            "name": "node-1",
            "power_state": "Off",
            "external_notifier": False,
            "nics": [{"mac": MAC, "ip": "192.0.2.1"}],
        }
    ]
    config = {"SUSHY_EMULATOR_FAKE_DRIVER": True, "SUSHY_EMULATOR_FAKE_SYSTEMS": systems}
    with sushy_emulator(tmp_path_factory.mktemp("sushy"), config, "--fake") as running:
        yield running


@pytest.fixture(scope="module")
def image_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("www")
    (directory / "d").mkdir()
    (directory / "d" / "agent.iso").write_bytes(b"an image" * 1000)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            """It is not read."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=directory))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/d/agent.iso"
    server.shutdown()
    server.server_close()


def request_of(emulator: tuple[str, Path], **more: object) -> BootRequest:
    address, pem = emulator
    return BootRequest(
        **{
            "name": "node-1",
            "address": address,
            "username": USERNAME,
            "password": PASSWORD,
            "ca_cert": str(pem),
            "mac_addresses": (MAC,),
            **more,
        }
    )


def test_boot_again_and_eject(emulator: tuple[str, Path], image_url: str) -> None:
    request = request_of(emulator, image_url=image_url)
    (planned,) = boot_hosts([request], "booted", BmcOptions(), check_mode=True)
    assert planned.changed and not planned.failed, planned.reason
    (done,) = boot_hosts([request], "booted", BmcOptions())
    assert not done.failed, done.reason
    assert (done.changed, done.slot, done.boot_target, done.power_state_before, done.power_state_after) == (
        True,
        "Cd",
        "Cd",
        "Off",
        "On",
    )
    machine = observe(request, BmcOptions())
    assert machine.power_state == "On" and [slot.image for slot in machine.slots if slot.occupied] == [image_url]
    assert not boot_hosts([request], "booted", BmcOptions())[0].changed
    (ejected,) = boot_hosts([request_of(emulator)], "ejected", BmcOptions())
    assert (
        ejected.changed
        and not ejected.failed
        and not [slot for slot in observe(request, BmcOptions()).slots if slot.occupied]
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param({"password": "wrong"}, "refuses user 'admin' with this password (HTTP 401)", id="password"),
        pytest.param(
            {"mac_addresses": ("52:54:00:ff:ff:ff",)},
            (f"another machine: the host has MAC addresses 52:54:00:ff:ff:ff, the BMC reports {MAC}"),
            id="MAC",
        ),
        pytest.param({"ca_cert": ""}, "TLS with https://127.0.0.1", id="unknown CA"),
    ],
)
def test_what_is_refused_before_anything_is_done(
    emulator: tuple[str, Path], image_url: str, change: dict[str, object], words: str
) -> None:
    (result,) = boot_hosts([request_of(emulator, image_url=image_url, **change)], "booted", BmcOptions())
    assert result.failed and not result.changed and result.phase in ("observe", "guard")
    assert words in result.reason


@pytest.mark.parametrize(
    "path",
    [
        f"/redfish/v1/Systems/{UUID}",
        "/redfish/v1/",
        pytest.param("/redfish/v1/Systems/node-1", id="name, redirected by 307"),
    ],
)
def test_addresses_with_and_without_a_system(emulator: tuple[str, Path], path: str) -> None:
    address, _pem = emulator
    assert observe(request_of(emulator, address=address + path), BmcOptions(), read_only=True).uuid == UUID
