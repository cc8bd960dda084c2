# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test connections to a hypervisor on another machine, over SSH and TLS on loopback: a server that cannot be verified
is refused, and no run waits for an answer of the user.
"""

from __future__ import annotations

import datetime
import getpass
import ipaddress
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import MissingLibrary, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor import connect
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.binding import LibvirtBinding
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.connect import open_hypervisor
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.virsh import Virsh
from ansible_collections.zerotouch.openshift.tests.support.libvirt_daemon import (
    domain_xml,
    libvirt_daemon,
    virsh,
    why_no_binding,
    why_not,
)
from ansible_collections.zerotouch.openshift.tests.support.ports import free_port
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin")
NETCAT = shutil.which("nc.openbsd")
NAME = "vm-0"
pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture(params=["binding", "virsh"], autouse=True)
def driver(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type:
    if request.param == "virsh":

        class WithoutBinding:
            def __getattr__(self, name: str) -> Any:
                raise MissingLibrary("libvirt-python", "not installed")

        monkeypatch.setattr(connect, "libraries", WithoutBinding())
        return Virsh
    if why_no_binding():
        pytest.skip(why_no_binding())
    return LibvirtBinding


def until_it_listens(port: int) -> None:
    for _attempt in range(300):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(f"no server on port {port}")


def with_a_domain(uri: str, directory: Path) -> None:
    disk = directory / "disk.raw"
    disk.write_bytes(bytes(1 << 16))
    virsh(uri, "define", "/dev/stdin", text=domain_xml(NAME, disk, "52:54:00:1b:00:20"))


def names_at(uri: str, driver: type) -> list[str]:
    hypervisor = open_hypervisor(uri)
    try:
        assert type(hypervisor) is driver
        return [entry.name for entry in hypervisor.domains()]
    finally:
        hypervisor.close()


# --- SSH ---


@pytest.fixture(scope="module")
def ssh_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """An SSH server that accepts one key; its port, and a directory with keys, and with an SSH command for each file of
    known hosts.
    """
    if SSHD is None or NETCAT is None:
        pytest.skip("sshd or nc is not installed (Debian packages openssh-server, netcat-openbsd)")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # where a privileged sshd confines itself to
    directory = tmp_path_factory.mktemp("ssh")
    for name in ("host", "other", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(directory / name)], check=True)
    port = free_port()
    (directory / "no_hosts").touch()
    for file, host_key in (("known_hosts", "host"), ("other_hosts", "other")):
        (directory / file).write_text(f"[127.0.0.1]:{port} {(directory / f'{host_key}.pub').read_text()}")
    # ssh reads the user's own known_hosts, which a test must not write: the URI names a command that reads another
    # file.
    for file in ("known_hosts", "other_hosts", "no_hosts"):
        command = directory / f"ssh-{file}"
        command.write_text(f'#!/bin/sh\nexec ssh -F none -o UserKnownHostsFile={directory}/{file} "$@"\n')
        command.chmod(0o755)
    shutil.copy(directory / "key.pub", directory / "authorized_keys")
    with libvirt_daemon() as (uri, pool):
        with_a_domain(uri, pool)
        (directory / "socket").symlink_to(uri.partition("socket=")[2])
        (directory / "sshd_config").write_text(
            f"ListenAddress 127.0.0.1:{port}\nHostKey {directory}/host\nAuthorizedKeysFile "
            f"{directory}/authorized_keys\nPidFile none\nStrictModes no\n"
            f"UsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
        )
        with (directory / "log").open("wb") as log:
            server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(directory / "sshd_config")], stdout=log, stderr=log)
        try:
            until_it_listens(port)
            yield port, directory
        finally:
            server.terminate()
            server.wait(30)


def ssh_uri(server: tuple[int, Path], *, key: str = "key", hosts: str = "known_hosts") -> str:
    """Through nc at the other end, since virt-ssh-helper finds only the sockets of the machine's own daemons."""
    port, directory = server
    options = f"command={directory}/ssh-{hosts}&proxy=netcat&netcat={NETCAT}&socket={directory}/socket"
    return f"qemu+ssh://{getpass.getuser()}@127.0.0.1:{port}/session?keyfile={directory}/{key}&{options}"


def test_over_ssh(ssh_server: tuple[int, Path], driver: type) -> None:
    assert names_at(ssh_uri(ssh_server), driver) == [NAME]


@pytest.mark.parametrize(
    "fault",
    [{"hosts": "other_hosts"}, {"hosts": "no_hosts"}, {"key": "other"}],
    ids=["another host key", "unknown host", "another key"],
)
def test_over_ssh_nothing_is_asked(ssh_server: tuple[int, Path], fault: dict[str, str]) -> None:
    with pytest.raises(ZeroTouchError) as refused:
        names_at(ssh_uri(ssh_server, **fault), LibvirtBinding)
    assert f"ssh with the user and host of {ssh_uri(ssh_server, **fault)} works without a password" in str(
        refused.value
    )


# --- TLS ---


def certificate(
    directory: Path, name: str, signer: tuple[x509.Name, ec.EllipticCurvePrivateKey] | None = None, **usage: Any
) -> tuple[x509.Name, Any]:
    """``name.pem`` and ``name.key``; without a signer, of an authority."""
    key, subject = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer, signing = signer or (subject, key)
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(
        issuer,
        subject,
        key.public_key(),
        x509.random_serial_number(),
        now - datetime.timedelta(1),
        now + datetime.timedelta(1),
    )
    builder = builder.add_extension(x509.BasicConstraints(ca=signer is None, path_length=None), critical=True)
    if signer is not None:
        address = x509.IPAddress(ipaddress.ip_address(usage["address"]))
        builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
        builder = builder.add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False
        )
    made = builder.sign(signing, hashes.SHA256())
    (directory / f"{name}.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    (directory / f"{name}.key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )
    return subject, key


@pytest.fixture(scope="module")
def tls_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """The port of a daemon that serves TLS, and a directory with ``trusted`` (the client's files) and ``stranger``
    (another authority).
    """
    directory = tmp_path_factory.mktemp("tls")
    for path in (directory, *directory.parents[:3]):
        path.chmod(0o755)  # the daemon runs as another user
    authority = certificate(directory, "ca")
    other = certificate(directory, "other")
    certificate(directory, "server", authority, address="127.0.0.1")
    for name, signer, trusted in (
        ("trusted", authority, "ca"),
        ("stranger", authority, "other"),
        ("refused", other, "ca"),
    ):
        (directory / name).mkdir()
        certificate(directory, name, signer, address="127.0.0.1")
        for source, target in (
            (f"{name}.pem", "clientcert.pem"),
            (f"{name}.key", "clientkey.pem"),
            (f"{trusted}.pem", "cacert.pem"),
        ):
            shutil.copy(directory / source, directory / name / target)
    for file in directory.glob("server.*"):
        file.chmod(0o644)
    (directory / "ca.pem").chmod(0o644)
    port = free_port()
    settings = (
        f'listen_tls = 1\nlisten_tcp = 0\nlisten_addr = "127.0.0.1"\ntls_port = "{port}"\nauth_tls = "none"\n'
        f'key_file = "{directory}/server.key"\ncert_file = "{directory}/server.pem"\nca_file = "{directory}/ca.pem"\n'
    )
    with libvirt_daemon(settings) as (uri, pool):
        with_a_domain(uri, pool)
        until_it_listens(port)
        yield port, directory


def tls_uri(server: tuple[int, Path], files: str) -> str:
    return f"qemu+tls://127.0.0.1:{server[0]}/session?pkipath={server[1]}/{files}"


def test_over_tls(tls_server: tuple[int, Path], driver: type) -> None:
    assert names_at(tls_uri(tls_server, "trusted"), driver) == [NAME]


@pytest.mark.parametrize(
    "files",
    ["stranger", "refused", "missing"],
    ids=["server of another authority", "client of another authority", "no files"],
)
def test_over_tls_both_sides_are_verified(tls_server: tuple[int, Path], files: str) -> None:
    with pytest.raises(ZeroTouchError) as refused:
        names_at(tls_uri(tls_server, files), LibvirtBinding)
    assert (
        "Check the client certificates in /etc/pki/libvirt, or in the directory that pkipath of the URI names."
        in refused.value.hint
    ), refused.value
