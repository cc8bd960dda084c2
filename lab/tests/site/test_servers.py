# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Query the name servers, time servers and registries of a lab with clients of the standard library."""

from __future__ import annotations

import asyncio
import base64
import socket
import struct
import time
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from ztlab.faults import Faults
from ztlab.servers import NameServer, RegistryServer, TimeServer, name_servers, time_servers
from ztlab.site.load import parse_site
from ztlab.site.model import Registry, digest_of, manifest

NETWORKS = [
    {
        "name": "a",
        "cidr": "10.0.0.0/24",
        "dns": {
            "servers": ["10.0.0.1"],
            "records": {"api.x.example.com": "10.0.0.5", "*.apps.x.example.com": "10.0.0.6"},
        },
    },
    {
        "name": "b",
        "cidr": "fd00::/64",
        "ntp": ["fd00::2", "ntp.example.com"],
        "dns": {"servers": ["10.0.0.1"], "records": {"six.example.com": "fd00::6"}},
    },
]
MACHINE = {
    "name": "m",
    "nics": [{"name": "e", "mac": "52:54:00:00:00:01"}],
    "disks": [{"name": "sda", "size_gib": 1}],
    "bmc": {"address": "redfish://10.0.0.9", "username": "u", "password": "p"},
}
SITE = parse_site({"networks": NETWORKS, "machines": [MACHINE]})


def query(name: str, kind: int = 1) -> bytes:
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack("!HHHHHH", 0x1234, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", kind, 1)


@pytest.mark.parametrize(
    ("name", "kind", "code", "data"),
    [
        ("api.x.example.com", 1, 0, socket.inet_aton("10.0.0.5")),
        ("API.X.example.com", 1, 0, socket.inet_aton("10.0.0.5")),
        ("console.apps.x.example.com", 1, 0, socket.inet_aton("10.0.0.6")),
        ("six.example.com", 28, 0, socket.inet_pton(socket.AF_INET6, "fd00::6")),
        ("six.example.com", 1, 0, b""),
        ("api.x.example.com", 28, 0, b""),
        ("api-int.x.example.com", 1, 3, b""),
    ],
)
def test_names(name: str, kind: int, code: int, data: bytes) -> None:
    (networks,) = name_servers(SITE.networks).values()
    asked = query(name, kind)
    answer = NameServer(networks, Faults()).answer(asked)
    number, flags, questions, count = struct.unpack_from("!HHHH", answer)
    assert (number, flags & 0xF, bool(flags & 0x8000), questions, count) == (0x1234, code, True, 1, bool(data))
    assert answer[12:].startswith(asked[12:]) and answer.endswith(data)


@pytest.mark.parametrize("data", [b"", b"\0" * 12, b"\0" * 12 + b"\x3f", query("x")[:-3]])
def test_what_is_no_question_gets_a_format_error(data: bytes) -> None:
    assert NameServer([], Faults()).answer(data)[3] & 0xF in (1, 3)


def test_time_servers_are_those_that_answer() -> None:
    assert time_servers(SITE.networks) == ["10.0.0.1", "fd00::2", "ntp.example.com"]


def ask_time(faults: Faults) -> bytes:
    async def asked() -> bytes:
        loop = asyncio.get_running_loop()
        transport, _protocol = await loop.create_datagram_endpoint(
            lambda: TimeServer(faults), local_addr=("127.0.0.1", 0)
        )
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
                client.setblocking(False)
                client.connect(transport.get_extra_info("sockname"))
                client.send(b"\x23" + bytes(39) + b"ABCDEFGH")
                return await asyncio.wait_for(loop.sock_recv(client, 100), 0.3)
        except TimeoutError:
            return b""
        finally:
            transport.close()

    return asyncio.run(asked())


def test_time() -> None:
    faults = Faults()
    answer = ask_time(faults)
    assert len(answer) == 48 and answer[0] & 7 == 4 and answer[24:32] == b"ABCDEFGH"
    assert abs(struct.unpack("!I", answer[40:44])[0] - 2208988800 - time.time()) < 5
    faults.add("ntp-offset", options={"seconds": "7200"})
    assert abs(struct.unpack("!I", ask_time(faults)[40:44])[0] - 2208988800 - time.time() - 7200) < 5
    faults.add("ntp-silent")
    assert ask_time(faults) == b""


@pytest.mark.parametrize(
    ("login", "image", "statuses"),
    [
        ("lab:right", "org/release/manifests/4.22", (401, 200, 200)),
        ("lab:right", "org/release/manifests/4.23", (401, 200, 404)),
        ("lab:right", "org/other/manifests/4.22", (401, 200, 404)),
        ("lab:wrong", "org/release/manifests/4.22", (401, 401, 401)),
    ],
)
def test_registry(login: str, image: str, statuses: tuple[int, ...]) -> None:
    async def conversation() -> list[int]:
        app = RegistryServer(Registry("registry.example.com", "lab", "right", ("org/release:4.22",)), Faults()).app
        async with TestClient(TestServer(app)) as client:
            refused = await client.get(f"/v2/{image}")
            challenge = refused.headers["WWW-Authenticate"]
            assert challenge.startswith(
                "Bearer "
                'realm="https://registry.example.com/token",service="registry.example.com",scope="repository:org/'
            )
            scope = challenge.partition('scope="')[2].rstrip('"')
            basic = {"Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}
            token = await client.get("/token", params={"scope": scope}, headers=basic)
            body: dict[str, Any] = await token.json()
            answer = await client.get(f"/v2/{image}", headers={"Authorization": f"Bearer {body.get('token', 'none')}"})
            return [refused.status, token.status, answer.status]

    assert tuple(asyncio.run(conversation())) == statuses


@pytest.mark.parametrize("moved", [False, True])
def test_a_registry_has_its_images_by_digest(moved: bool) -> None:
    """Also those that a tag named before it was moved."""
    registry, faults = Registry("registry.example.com", "lab", "right", ("org/release:4.22.0-x86_64",)), Faults()
    if moved:
        faults.add("registry-tag-moved", count=None)

    async def conversation() -> tuple[str, list[int]]:
        async with TestClient(TestServer(RegistryServer(registry, faults).app)) as client:
            basic = {"Authorization": f"Basic {base64.b64encode(b'lab:right').decode()}"}
            token = await client.get("/token", params={"scope": "repository:org/release:pull"}, headers=basic)
            answer = await token.json()
            bearer = {"Authorization": f"Bearer {answer['token']}"}
            named = await client.get("/v2/org/release/manifests/4.22.0-x86_64", headers=bearer)
            assert digest_of(await named.read()) == named.headers["Docker-Content-Digest"]
            digests = [name.partition("@")[2] for name in registry.by_digest()]
            answers = [
                await client.get(f"/v2/org/release/manifests/{digest}", headers=bearer)
                for digest in [*digests, digest_of(b"")]
            ]
            return named.headers["Docker-Content-Digest"], [answer.status for answer in answers]

    digest, statuses = asyncio.run(conversation())
    assert digest == digest_of(manifest("org/release:4.22.0-x86_64", moved=moved)) and statuses == [200, 200, 404]
    assert set(registry.releases.values()) == {"4.22.0"} and len(registry.releases) == 2
