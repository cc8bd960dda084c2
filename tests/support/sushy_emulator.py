# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the emulator of OpenStack's sushy-tools as a process: TLS with a generated certificate, basic authentication, and
any of its drivers.
"""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import os
import shutil
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import bcrypt
import pytest
from ansible_collections.zerotouch.openshift.tests.support.ports import free_port
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

EMULATOR = shutil.which("sushy-emulator", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
# A password that is no word of a message: results hide it wherever it occurs.
USERNAME, PASSWORD = "admin", "sushy-password-15"
STARTS_WITHIN = 60.0


@contextlib.contextmanager
def sushy_emulator(directory: Path, config: Mapping[str, Any], *options: str) -> Iterator[tuple[str, Path]]:
    """The address of a running emulator, and the certificate to trust.

    ``config`` is added to its configuration, ``options`` to its command line.
    """
    pem = certificate(directory)
    (directory / "htpasswd").write_text(f"{USERNAME}:{bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode()}\n")
    port = free_port()
    settings = {
        "SUSHY_EMULATOR_LISTEN_IP": "127.0.0.1",
        "SUSHY_EMULATOR_LISTEN_PORT": port,
        "SUSHY_EMULATOR_SSL_CERT": str(pem),
        "SUSHY_EMULATOR_SSL_KEY": str(pem),
        "SUSHY_EMULATOR_AUTH_FILE": str(directory / "htpasswd"),
        "SUSHY_EMULATOR_STATE_DIR": str(directory / "state"),
        **config,
    }
    (directory / "config.py").write_text("".join(f"{name} = {value!r}\n" for name, value in settings.items()))
    (directory / "state").mkdir()
    with (directory / "log").open("w") as log:
        # Every insert leaves a directory in TMPDIR.
        environment = {**os.environ, "TMPDIR": str(directory)}
        process = subprocess.Popen(
            [str(EMULATOR), "--config", str(directory / "config.py"), *options], stdout=log, stderr=log, env=environment
        )
    try:
        _wait(f"https://127.0.0.1:{port}/redfish/v1/", process, directory / "log")
        yield f"redfish-virtualmedia+https://127.0.0.1:{port}", pem
    finally:
        process.terminate()
        process.wait(timeout=STARTS_WITHIN)


def certificate(directory: Path) -> Path:
    """A certificate of its own for 127.0.0.1, its key in the same file."""
    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "sushy")]),
    )
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    )
    builder = builder.add_extension(
        x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
    )
    made = (
        builder.not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    path = directory / "sushy.pem"
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + pem)
    return path


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
