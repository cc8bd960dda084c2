# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run name servers, time servers and a container image registry for programs on the user's machine.

Simulated machines do not use these servers: they query the lab's network model (:mod:`ztlab.fabric`) directly.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import secrets
import struct
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from aiohttp import web

from .fabric.hosts import Fabric
from .fabric.loopback import unprivileged_port
from .faults import Faults
from .site.model import MANIFEST, Network, Registry, digest_of, manifest

if TYPE_CHECKING:
    from .lab import Lab

DNS_PORT, NTP_PORT, HTTPS_PORT = 53, 123, 443
_A, _AAAA, _IN = 1, 28, 1
_NO_ERROR, _FORMAT_ERROR, _NO_NAME = 0, 1, 3
# Seconds from 1900 to 1970 (RFC 5905, 6).
_NTP_EPOCH = 2208988800


class Servers:
    """All of one lab."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._transports: list[asyncio.DatagramTransport] = []

    async def start(self) -> None:
        table = self._lab.fabric.table
        for server, networks in name_servers(self._lab.site.networks).items():
            await self._listen(NameServer(networks, self._lab.faults), table.loopback(server), DNS_PORT)
        for server in time_servers(self._lab.site.networks):
            await self._listen(TimeServer(self._lab.faults), table.loopback(server), NTP_PORT)
        for registry in self._lab.site.registries:
            host = table.loopback(registry.host)
            await self._lab.serve(
                RegistryServer(registry, self._lab.faults).app,
                host,
                unprivileged_port(HTTPS_PORT),
                self._lab.authority.server_context([registry.host, host]),
            )

    async def _listen(self, protocol: asyncio.DatagramProtocol, host: str, port: int) -> None:
        loop = asyncio.get_running_loop()
        transport, _protocol = await loop.create_datagram_endpoint(
            lambda: protocol, local_addr=(host, unprivileged_port(port))
        )
        self._transports.append(transport)

    def stop(self) -> None:
        for transport in self._transports:
            transport.close()


def name_servers(networks: tuple[Network, ...]) -> dict[str, list[Network]]:
    """The networks that each name server serves."""
    found: dict[str, list[Network]] = {}
    for network in networks:
        for server in network.dns_servers:
            found.setdefault(server, []).append(network)
    return found


def time_servers(networks: tuple[Network, ...]) -> list[str]:
    """Those that answer; where every one does, the gateway is one that exists."""
    return list(
        dict.fromkeys(
            server
            for network in networks
            for server in (network.ntp if network.ntp is not None else (network.gateway,))
        )
    )


class NameServer(asyncio.DatagramProtocol):
    """Answers queries for addresses from the records of its networks (RFC 1035).

    Fault dns-silent: it does not answer.
    """

    def __init__(self, networks: list[Network], faults: Faults) -> None:
        self._networks = networks
        self._faults = faults
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: Any) -> None:
        # Not checked with isinstance: uvloop's class is not a subclass of asyncio's.
        self._transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        if self._transport is not None and not self._faults.take("dns-silent"):
            self._transport.sendto(self.answer(data), addr)

    def answer(self, query: bytes) -> bytes:
        head = query[:2].ljust(2, b"\0")
        try:
            name, end = _question(query)
            kind, _class = struct.unpack_from("!HH", query, end)
        except (IndexError, struct.error, UnicodeDecodeError):
            return head + struct.pack("!HHHHH", 0x8180 | _FORMAT_ERROR, 0, 0, 0, 0)
        address = next((found for network in self._networks if (found := Fabric.record(network, name))), "")
        records = (
            [ip for ip in [ipaddress.ip_address(address)] if (kind == _A) == (ip.version == 4)]
            if address and kind in (_A, _AAAA)
            else []
        )
        flags = 0x8580 | (_NO_ERROR if address else _NO_NAME)
        answers = b"".join(struct.pack("!HHHIH", 0xC00C, kind, _IN, 60, len(ip.packed)) + ip.packed for ip in records)
        return head + struct.pack("!HHHHH", flags, 1, len(records), 0, 0) + query[12 : end + 4] + answers


def _question(query: bytes) -> tuple[str, int]:
    """The name of the first question, and where it ends."""
    labels, position = [], 12
    while query[position]:
        length = query[position]
        labels.append(query[position + 1 : position + 1 + length].decode("ascii"))
        position += 1 + length
    return ".".join(labels), position + 1


class TimeServer(asyncio.DatagramProtocol):
    """Answers with the time of the machine that the lab runs on. Faults ntp-silent, and ntp-offset (option seconds)."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: Any) -> None:
        # Not checked with isinstance: uvloop's class is not a subclass of asyncio's.
        self._transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        if self._transport is None or len(data) < 48 or self._faults.take("ntp-silent"):
            return
        offset = self._faults.take("ntp-offset")
        now = time.time() + (offset.number("seconds", 3600) if offset else 0.0) + _NTP_EPOCH
        stamp = struct.pack("!II", int(now), int((now % 1) * (1 << 32)))
        # Leap indicator 0, version 4, mode 4 (server), stratum 2; the reference, then the client's own time as it came
        # (RFC 5905, 7.3).
        head = struct.pack("!BBbbII4s", 0x24, 2, 6, -20, 0, 0, b"LAB\0")
        self._transport.sendto(head + stamp + data[40:48] + stamp * 2, addr)


class RegistryServer:
    """A registry with token login: distribution/distribution docs/content/spec, opencontainers/distribution-spec.

    It has manifests only.

    Faults registry-503, and registry-tag-moved: each tag names another image, and the former one is still there by
    digest.
    """

    def __init__(self, registry: Registry, faults: Faults) -> None:
        self._registry = registry
        self._faults = faults
        self._tokens: dict[str, str] = {}
        self.app = web.Application()
        self.app.add_routes(
            [
                web.get("/v2/", self._base),
                web.get("/token", self._token),
                web.get("/v2/{name:.+}/manifests/{reference}", self._manifest),
            ]
        )

    async def _base(self, request: web.Request) -> web.Response:
        return web.json_response({}) if self._bearer(request) else self._challenge(request, "")

    async def _token(self, request: web.Request) -> web.Response:
        login = f"{self._registry.username}:{self._registry.password}".encode()
        if request.headers.get("Authorization", "") != f"Basic {base64.b64encode(login).decode()}":
            return web.json_response(
                {"errors": [{"code": "UNAUTHORIZED", "message": "invalid username/password"}]}, status=401
            )
        token = secrets.token_urlsafe(24)
        self._tokens[token] = request.query.get("scope", "")
        return web.json_response({"token": token, "expires_in": 300})

    async def _manifest(self, request: web.Request) -> web.Response:
        if self._faults.take("registry-503"):
            return web.json_response(
                {"errors": [{"code": "UNAVAILABLE", "message": "the registry is away"}]}, status=503
            )
        name, reference = request.match_info["name"], request.match_info["reference"]
        if self._bearer(request) != f"repository:{name}:pull":
            return self._challenge(request, f"repository:{name}:pull")
        body = self._found(name, reference)
        if body is None:
            return web.json_response(
                {"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}, status=404
            )
        return web.Response(body=body, content_type=MANIFEST, headers={"Docker-Content-Digest": digest_of(body)})

    def _found(self, name: str, reference: str) -> bytes | None:
        """The manifest that a tag names now, or one that a tag names or named, by its digest."""
        if reference.startswith("sha256:"):
            return self._registry.by_digest().get(f"{name}@{reference}")
        image = f"{name}:{reference}"
        if image not in self._registry.images:
            return None
        return manifest(image, moved=self._faults.take("registry-tag-moved") is not None)

    def _bearer(self, request: web.Request) -> str:
        """The scope of the token of a request, empty without one."""
        return self._tokens.get(request.headers.get("Authorization", "").removeprefix("Bearer "), "")

    def _challenge(self, request: web.Request, scope: str) -> web.Response:
        parts = [
            f'realm="https://{self._registry.host}/token"',
            f'service="{self._registry.host}"',
            *([f'scope="{scope}"'] if scope else []),
        ]
        body = {"errors": [{"code": "UNAUTHORIZED", "message": "authentication required"}]}
        return web.json_response(body, status=401, headers={"WWW-Authenticate": f"Bearer {','.join(parts)}"})


def endpoints(networks: tuple[Network, ...], registries: tuple[Registry, ...]) -> Iterator[tuple[str, int]]:
    """Host and port of each server, as configurations name it."""
    yield from ((server, DNS_PORT) for server in name_servers(networks))
    yield from ((server, NTP_PORT) for server in time_servers(networks))
    yield from ((registry.host, HTTPS_PORT) for registry in registries)
