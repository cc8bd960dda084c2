# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A BMC that others wrote: the emulator of OpenStack's sushy-tools with its fake driver, TLS and basic authentication (redfish-virtual-media.md 7)."""

from __future__ import annotations

import datetime
import functools
import http.server
import ipaddress
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import bcrypt
import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions, BootRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.observe import observe
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

EMULATOR = shutil.which("sushy-emulator", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
UUID = "7f0f7b2c-61d8-4a3c-9c55-0d1f2f9c1a11"
MAC = "52:54:00:0e:00:01"
STARTS_WITHIN = 30.0

pytestmark = pytest.mark.skipif(EMULATOR is None, reason="sushy-tools is not installed (pip install sushy-tools)")


def certificate(directory: Path) -> Path:
    """A certificate of its own for 127.0.0.1, its key in the same file."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "sushy")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
    made = builder.not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=1)).sign(key, hashes.SHA256())
    path = directory / "sushy.pem"
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + pem)
    return path


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Its address, and the certificate to trust."""
    directory = tmp_path_factory.mktemp("sushy")
    pem = certificate(directory)
    (directory / "htpasswd").write_text(f"admin:{bcrypt.hashpw(b'right', bcrypt.gensalt(4)).decode()}\n")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    systems = [{"uuid": UUID, "name": "node-1", "power_state": "Off", "external_notifier": False, "nics": [{"mac": MAC, "ip": "192.0.2.1"}]}]
    config = {
        "SUSHY_EMULATOR_LISTEN_IP": "127.0.0.1",
        "SUSHY_EMULATOR_LISTEN_PORT": port,
        "SUSHY_EMULATOR_SSL_CERT": str(pem),
        "SUSHY_EMULATOR_SSL_KEY": str(pem),
        "SUSHY_EMULATOR_AUTH_FILE": str(directory / "htpasswd"),
        "SUSHY_EMULATOR_STATE_DIR": str(directory / "state"),
        "SUSHY_EMULATOR_FAKE_DRIVER": True,
        "SUSHY_EMULATOR_FAKE_SYSTEMS": systems,
    }
    (directory / "config.py").write_text("".join(f"{name} = {value!r}\n" for name, value in config.items()))
    (directory / "state").mkdir()
    with (directory / "log").open("w") as log:
        # Every insert leaves a directory in TMPDIR.
        environment = {**os.environ, "TMPDIR": str(directory)}
        process = subprocess.Popen([str(EMULATOR), "--config", str(directory / "config.py"), "--fake"], stdout=log, stderr=log, env=environment)
    try:
        _wait(f"https://127.0.0.1:{port}/redfish/v1/", process, directory / "log")
        yield f"redfish-virtualmedia+https://127.0.0.1:{port}", pem
    finally:
        process.terminate()
        process.wait(timeout=STARTS_WITHIN)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    context = ssl._create_unverified_context()
    ends = time.monotonic() + STARTS_WITHIN
    while True:
        try:
            urllib.request.urlopen(url, timeout=5, context=context).close()
            return
        except (OSError, urllib.error.URLError):
            if process.poll() is not None or time.monotonic() > ends:
                pytest.fail(f"the emulator does not answer:\n{log.read_text()}")
            time.sleep(0.1)


@pytest.fixture(scope="module")
def image_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("www")
    (directory / "d").mkdir()
    (directory / "d" / "agent.iso").write_bytes(b"an image" * 1000)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            """Nobody reads it."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=directory))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/d/agent.iso"
    server.shutdown()
    server.server_close()


def request_of(emulator: tuple[str, Path], **more: object) -> BootRequest:
    address, pem = emulator
    return BootRequest(**{"name": "node-1", "address": address, "username": "admin", "password": "right", "ca_cert": str(pem), "mac_addresses": (MAC,), **more})


def test_boot_again_and_eject(emulator: tuple[str, Path], image_url: str) -> None:
    request = request_of(emulator, image_url=image_url)
    (planned,) = boot_hosts([request], "booted", BmcOptions(), check_mode=True)
    assert planned.changed and not planned.failed, planned.reason
    (done,) = boot_hosts([request], "booted", BmcOptions())
    assert not done.failed, done.reason
    assert (done.changed, done.slot, done.boot_target, done.power_state_before, done.power_state_after) == (True, "Cd", "Cd", "Off", "On")
    machine = observe(request, BmcOptions())
    assert machine.power_state == "On" and [slot.image for slot in machine.slots if slot.occupied] == [image_url]
    assert not boot_hosts([request], "booted", BmcOptions())[0].changed
    (ejected,) = boot_hosts([request_of(emulator)], "ejected", BmcOptions())
    assert ejected.changed and not ejected.failed and not [slot for slot in observe(request, BmcOptions()).slots if slot.occupied]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param({"password": "wrong"}, "refuses user 'admin' with this password (HTTP 401)", id="password"),
        pytest.param({"mac_addresses": ("52:54:00:ff:ff:ff",)}, f"another machine: the host's MACs are 52:54:00:ff:ff:ff, the BMC lists {MAC}", id="MAC"),
        pytest.param({"ca_cert": ""}, "TLS with https://127.0.0.1", id="unknown CA"),
    ],
)
def test_what_is_refused_before_anything_is_done(emulator: tuple[str, Path], image_url: str, change: dict[str, object], words: str) -> None:
    (result,) = boot_hosts([request_of(emulator, image_url=image_url, **change)], "booted", BmcOptions())
    assert result.failed and not result.changed and result.phase in ("observe", "guard")
    assert words in result.reason


@pytest.mark.parametrize("path", [f"/redfish/v1/Systems/{UUID}", "/redfish/v1/", pytest.param("/redfish/v1/Systems/node-1", id="name, redirected by 307")])
def test_addresses_with_and_without_a_system(emulator: tuple[str, Path], path: str) -> None:
    address, _pem = emulator
    assert observe(request_of(emulator, address=address + path), BmcOptions(), read_only=True).uuid == UUID
