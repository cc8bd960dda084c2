# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures for the tests of HTTP and TLS: a CA, and servers on 127.0.0.1 that use its certificates."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import http.server
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.tests.support.ports import free_port
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NOW = datetime.datetime.now(datetime.UTC)
DAY = datetime.timedelta(days=1)


class Authority:
    """A certificate authority in a folder."""

    def __init__(self, folder: Path, name: str = "test CA") -> None:
        self.folder = folder
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.key = ec.generate_private_key(ec.SECP256R1())
        # Without key usage, as the private CAs of many BMCs are.
        self.certificate = self._sign(self.name, self.key, ca=True, names=[], days=10)
        self.path = folder / f"{name.replace(' ', '-')}.pem"
        self.path.write_text(self.pem)

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    def _sign(self, subject: x509.Name, key: Any, ca: bool, names: list[str], days: int) -> x509.Certificate:
        builder = x509.CertificateBuilder(
            self.name, subject, key.public_key(), x509.random_serial_number(), NOW - 20 * DAY, NOW + days * DAY
        )
        builder = builder.add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        if names:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False
            )
        return builder.sign(self.key, hashes.SHA256())

    def issue(self, *names: str, days: int = 10) -> tuple[Path, str]:
        """(file with certificate and key, SHA-256 of the certificate in hex)."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._sign(
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])]), key, ca=False, names=list(names), days=days
        )
        path = self.folder / f"{names[0]}-{days}.pem".replace("*", "any").replace(":", "_")
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + private)
        return path, hashlib.sha256(certificate.public_bytes(serialization.Encoding.DER)).hexdigest()


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


@dataclasses.dataclass
class Server:
    """A running server and what it saw."""

    port: int
    requests: list[dict[str, Any]]
    sni: list[str | None]
    connections: list[int]

    @property
    def endpoint(self) -> str:
        return f"127.0.0.1:{self.port}"


class _Handler(http.server.BaseHTTPRequestHandler):
    disable_nagle_algorithm = True
    protocol_version = "HTTP/1.1"
    seen: Server

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.seen.requests.append(
            {"method": self.command, "path": self.path, "headers": dict(self.headers), "body": body}
        )
        self.seen.connections.append(self.client_address[1])
        route = self.path.partition("?")[0]
        if route == "/slow":
            time.sleep(3)
        if route == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"only this")
            self.wfile.flush()
            self.connection.close()
            self.close_connection = True
            return
        status = int(route[1:]) if route[1:].isdigit() else 200
        payload = b"x" * 1_000_000 if route == "/large" else b'{"path": "%s"}' % route.encode()
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(payload)))
        self.send_header("X-Many", "a")
        self.end_headers()
        try:
            self.wfile.write(payload)
        except OSError:
            self.close_connection = True  # the client went away, as one test wants

    do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = answer

    def log_message(self, *arguments: object) -> None:
        """Quiet."""


Start = Callable[..., Server]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts servers; ``certificate`` makes one speak TLS, ``client_ca`` makes it ask for a client certificate."""
    running: list[http.server.ThreadingHTTPServer] = []

    def starter(certificate: Path | None = None, client_ca: Path | None = None, host: str = "127.0.0.1") -> Server:
        seen = Server(0, [], [], [])
        kind = (
            type("IPv6Server", (http.server.ThreadingHTTPServer,), {"address_family": socket.AF_INET6})
            if ":" in host
            else http.server.ThreadingHTTPServer
        )
        server = kind((host, 0), type("Handler", (_Handler,), {"seen": seen}))
        server.daemon_threads = True
        server.handle_error = lambda request, address: None  # refused handshakes are what some tests want
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            context.sni_callback = lambda connection, name, unused: seen.sni.append(name)
            if client_ca:
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(client_ca)
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        seen.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        running.append(server)
        return seen

    yield starter
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture(name="free_port")
def fixture_of_free_port() -> int:
    """A port without a listener."""
    return free_port()
