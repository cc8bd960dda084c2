# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run one of OpenShift Assisted's managers in a network namespace that has only a loopback interface.

The managers listen on 0.0.0.0:9443, whatever their options say, and read release images from quay.io. In a network
namespace both managers can run at once, no other machine reaches them, and this program answers in place of the
registry and of assisted-service. The managers reach the hub's API through a Unix socket; the hub reaches their webhooks
through another one.

Called as ``python enclosed.py DIRECTORY``; DIRECTORY/enclosed.json is an :class:`Enclosure`, DIRECTORY/certificates
holds tls.crt and tls.key. Use a short DIRECTORY: the path of a Unix socket has about a hundred characters at most.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import dataclasses
import fcntl
import gzip
import hashlib
import io
import json
import os
import re
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tarfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import web

ENCLOSE = ("unshare", "--map-root-user", "--net", "--mount")
WEBHOOK_PORT = 9443
# Where upstream's managers read the certificate of their webhooks, without an option for another place.
CERTIFICATES = Path("/tmp/k8s-webhook-server/serving-certs")
PR_SET_PDEATHSIG = 1
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
_TAG = re.compile(r"(\d+\.\d+\.\d+(?:-[\w.-]+)?)-(\w+)$")
Connect = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


@dataclasses.dataclass(frozen=True)
class Enclosure:
    """``api``: address of the hub's API; ``webhooks``: the port of the loopback interface that leads to the program's.

    ``versions``: release -> version of Kubernetes, of the images that the registry has; ``discovery``: the Ignition of
    every InfraEnv, ``newer_discovery`` that of those whose names begin with "newer".
    """

    program: str
    arguments: list[str]
    environment: dict[str, str]
    api: tuple[str, int]
    webhooks: int
    hosts: list[str]
    versions: dict[str, str]
    discovery: str
    newer_discovery: str = ""


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(ConnectionError, OSError):
        writer.write_eof() if writer.can_write_eof() else writer.close()


def forward(connect: Connect) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    """What connects every caller with the other end that ``connect`` opens."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            other_reader, other_writer = await connect()
        except OSError:
            writer.close()
            return
        try:
            await asyncio.gather(pump(reader, other_writer), pump(other_reader, writer))
        finally:
            for each in (writer, other_writer):
                each.close()

    return serve


class Registry:
    """Release images that hold one file: the versions of what is in them."""

    def __init__(self, versions: dict[str, str]) -> None:
        self._versions = versions
        self._blobs: dict[str, bytes] = {}

    def _keep(self, data: bytes) -> dict[str, Any]:
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        self._blobs[digest] = data
        return {"digest": digest, "size": len(data)}

    def manifest(self, tag: str) -> bytes | None:
        match = _TAG.fullmatch(tag)
        kubernetes = self._versions.get(match[1]) if match else None
        if kubernetes is None:
            return self._blobs.get(tag)
        stream = {
            "kind": "ImageStream",
            "spec": {
                "tags": [
                    {"name": "hyperkube", "annotations": {"io.openshift.build.versions": f"kubernetes={kubernetes}"}}
                ]
            },
        }
        layer = self._layer("release-manifests/image-references", json.dumps(stream).encode())
        unpacked = "sha256:" + hashlib.sha256(layer).hexdigest()
        config = {
            "architecture": "amd64",
            "os": "linux",
            "config": {"Labels": {"tag": tag}},
            "rootfs": {"type": "layers", "diff_ids": [unpacked]},
        }
        kind = "application/vnd.docker"
        body = {
            "schemaVersion": 2,
            "mediaType": f"{kind}.distribution.manifest.v2+json",
            "config": {"mediaType": f"{kind}.container.image.v1+json", **self._keep(json.dumps(config).encode())},
            "layers": [
                {"mediaType": f"{kind}.image.rootfs.diff.tar.gzip", **self._keep(gzip.compress(layer, mtime=0))}
            ],
        }
        data = json.dumps(body).encode()
        self._keep(data)
        return data

    @staticmethod
    def _layer(name: str, content: bytes) -> bytes:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        return buffer.getvalue()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        kind, _slash, reference = request.path.rpartition("/")
        if request.path == "/v2/":
            return web.json_response({})
        if kind.endswith("/manifests"):
            data = self.manifest(reference)
            content_type = "application/vnd.docker.distribution.manifest.v2+json"
        else:
            data, content_type = self._blobs.get(reference), "application/octet-stream"
        if data is None:
            return web.json_response(
                {"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}, status=404
            )
        return web.Response(
            body=data,
            headers={
                "Content-Type": content_type,
                "Docker-Content-Digest": "sha256:" + hashlib.sha256(data).hexdigest(),
            },
        )


def application(enclosure: Enclosure) -> web.Application:
    """The registry, and the discovery Ignition of every InfraEnv."""
    registry = Registry(enclosure.versions)

    async def dispatch(request: web.Request) -> web.StreamResponse:
        if request.path.startswith("/v2/"):
            return await registry.handle(request)
        if request.path.endswith("/downloads/files") and request.query.get("file_name") == "discovery.ign":
            newer = "/infra-envs/newer" in request.path and enclosure.newer_discovery
            return web.Response(text=newer or enclosure.discovery)
        return web.Response(status=404)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", dispatch)
    return app


def prepare(directory: Path, enclosure: Enclosure) -> None:
    """The interface, the names and the certificates that the program finds."""
    with socket.socket() as probe:
        (flags,) = struct.unpack_from("16xH", fcntl.ioctl(probe, SIOCGIFFLAGS, struct.pack("16sH14x", b"lo", 0)))
        fcntl.ioctl(probe, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))
    (directory / "hosts").write_text("".join(f"127.0.0.1 {name}\n" for name in ["localhost", *enclosure.hosts]))
    CERTIFICATES.mkdir(parents=True, exist_ok=True)
    for source, target in ((directory / "hosts", Path("/etc/hosts")), (directory / "certificates", CERTIFICATES)):
        subprocess.run(["mount", "--bind", str(source), str(target)], check=True)


def die_with_this() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def read(directory: Path) -> Enclosure:
    return Enclosure(**json.loads((directory / "enclosed.json").read_text()))


async def inside(directory: Path) -> int:
    """What runs in the network namespace."""
    enclosure = read(directory)
    prepare(directory, enclosure)
    await asyncio.start_server(forward(lambda: asyncio.open_unix_connection(directory / "api.sock")), *enclosure.api)
    await asyncio.start_unix_server(
        forward(lambda: asyncio.open_connection("127.0.0.1", WEBHOOK_PORT)), directory / "webhook.sock"
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory / "certificates" / "tls.crt", directory / "certificates" / "tls.key")
    runner = web.AppRunner(application(enclosure))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 443, ssl_context=context).start()
    process = await asyncio.create_subprocess_exec(
        enclosure.program, *enclosure.arguments, env={**os.environ, **enclosure.environment}, preexec_fn=die_with_this
    )
    return await process.wait()


async def outside(directory: Path) -> int:
    """The two ways in and out, and what runs inside."""
    enclosure = read(directory)
    await asyncio.start_unix_server(forward(lambda: asyncio.open_connection(*enclosure.api)), directory / "api.sock")
    await asyncio.start_server(
        forward(lambda: asyncio.open_unix_connection(directory / "webhook.sock")), "127.0.0.1", enclosure.webhooks
    )
    python = [sys.executable, __file__, "--inside", str(directory)]
    process = await asyncio.create_subprocess_exec(*ENCLOSE, *python, preexec_fn=die_with_this)
    return await process.wait()


if __name__ == "__main__":
    die_with_this()
    sys.exit(asyncio.run((inside if sys.argv[1] == "--inside" else outside)(Path(sys.argv[-1]))))
