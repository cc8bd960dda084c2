# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a small Kubernetes API server for tests on 127.0.0.1: prepared responses over HTTPS, client certificates."""

from __future__ import annotations

import base64
import contextlib
import datetime
import http.server
import json
import socket
import ssl
import threading
from pathlib import Path
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


class Authority:
    """A CA that lives as long as a test."""

    def __init__(self, name: str = "test-ca") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.certificate = self._build(self._name, self._key.public_key(), [], ca=True)

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    def issue(self, common_name: str, names: tuple[str, ...] = ()) -> tuple[str, str]:
        """(certificate, key) as PEM."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        certificate = self._build(subject, key.public_key(), [x509.DNSName(name) for name in names])
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return certificate.public_bytes(serialization.Encoding.PEM).decode(), private.decode()

    def _build(
        self, subject: x509.Name, public_key: Any, names: list[x509.GeneralName], *, ca: bool = False
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - DAY)
            .not_valid_after(now + DAY)
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256())


class ApiServer:
    """Answers ``routes[(method, path)]``: (status, document[, headers]), a list of such used up one by one, or a
    callable of the request.
    """

    def __init__(
        self,
        directory: Path,
        authority: Authority,
        name: str = "api.demo.example.com",
        client_ca: Authority | None = None,
        port: int = 0,
    ) -> None:
        self.routes: dict[tuple[str, str], Any] = {}
        self.requests: list[dict[str, Any]] = []
        self._connections: list[socket.socket] = []
        certificate, key = authority.issue(name, (name,))
        (directory / "server.pem").write_text(certificate + key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(directory / "server.pem")
        if client_ca is not None:
            context.load_verify_locations(cadata=client_ca.pem)
            context.verify_mode = ssl.CERT_OPTIONAL
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def drop(self) -> None:
        """End the connections that clients kept."""
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def status(self, code: int, message: str, reason: str) -> tuple[int, dict[str, Any]]:
        return code, {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Failure",
            "message": message,
            "reason": reason,
            "code": code,
        }

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            disable_nagle_algorithm = True
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                outer._connections.append(self.connection)

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except (ssl.SSLError, ConnectionError):
                    self.close_connection = True

            def _answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                path, _mark, query = self.path.partition("?")
                peer = self.connection.getpeercert() or {}  # type: ignore[attr-defined]
                subject = {key: value for part in peer.get("subject", ()) for key, value in part}
                request = {
                    "method": self.command,
                    "path": path,
                    "query": query,
                    "headers": dict(self.headers),
                    "header_lines": self.headers.items(),
                    "body": self.rfile.read(length),
                    "user": subject.get("commonName", ""),
                }
                outer.requests.append(request)
                answer = outer.routes.get((self.command, path), outer.status(404, f"{path} not found", "NotFound"))
                if isinstance(answer, list):
                    answer = answer.pop(0) if len(answer) > 1 else answer[0]
                if callable(answer):
                    answer = answer(request)
                code, document, *headers = answer
                body = document if isinstance(document, bytes) else json.dumps(document).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                for header, value in (headers[0] if headers else {}).items():
                    self.send_header(header, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PATCH = do_DELETE = _answer

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        return Handler


def write_kubeconfig(
    path: Path, server: str, ca: str = "", client: tuple[str, str] | None = None, **cluster: Any
) -> Path:
    """A kubeconfig as an installation writes it: one cluster, user ``admin``, everything inline."""
    user = {}
    if client:
        user = {"client-certificate-data": _b64(client[0]), "client-key-data": _b64(client[1])}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "demo",
                "cluster": {"server": server, **({"certificate-authority-data": _b64(ca)} if ca else {}), **cluster},
            }
        ],
        "users": [{"name": "admin", "user": user}],
        "contexts": [{"name": "admin", "context": {"cluster": "demo", "user": "admin"}}],
        "current-context": "admin",
    }
    path.write_text(yaml.safe_dump(document))
    return path


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
