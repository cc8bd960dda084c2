# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the lab's image service over HTTP: its responses, and each byte of its images. The expected bytes come from an
overlay that the test builds in another way.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pycdlib
import pytest
from ztlab.hub.discovery.archive import ignition_archive
from ztlab.hub.images.ranges import parse_ranges
from ztlab.machine.initramfs import unpack

from ..live.agent_image import base_image, cpio
from .rig import IMAGES, HubRig, nmstate, run


async def fetch(hub: HubRig, url: str, method: str = "GET", **headers: str) -> tuple[int, Mapping[str, str], bytes]:
    target, host = hub.lab.fabric.redirect(url)
    sent = {"Host": host, "Accept-Encoding": "identity"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    async with hub.lab.session.request(method, target, headers=sent, ssl=False) as response:
        return response.status, response.headers, await response.read()


def replaced(data: bytearray, offset: int, content: bytes) -> None:
    data[offset : offset + len(content)] = content


def independent_overlay(full: bytes, ignition: bytes, arguments: str) -> bytes:
    """The ISO as the reference describes it, built by searching texts in the whole file."""
    data = bytearray(full)
    _path, offset = base_image()
    archive = gzip.compress(cpio({"config.ign": ignition}), mtime=0)
    replaced(data, offset, (archive + bytes(-len(archive) % 4)).ljust(262144, b"\0"))
    if arguments:
        for match in list(re.finditer(rb"\n#+# COREOS_KARG_EMBED_AREA", full)):
            replaced(data, match.start(), f" {arguments}\n".encode())
    return bytes(data)


def test_full_image_byte_by_byte_and_by_ranges(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path) as hub:
            infra = await hub.infra_env(
                image_type="full-iso",
                static_network_config=[nmstate(0)],
                kernel_arguments=[{"operation": "append", "value": word} for word in ("a=1", "b")],
            )
            url = infra["download_url"]
            assert url.startswith(f"https://{IMAGES}/byapikey/") and url.endswith("/4.22/x86_64/full.iso")
            token = url.split("/")[4]
            service = f"https://assisted-service.hub.example.com/api/assisted-install/v2/infra-envs/{infra['id']}/downloads/files"
            status, headers, ignition = await fetch(
                hub, f"{service}?file_name=discovery.ign&discovery_iso_type=full-iso&api_key={token}"
            )
            assert status == 200 and "Last-Modified" in headers
            expected = independent_overlay(base_image()[0].read_bytes(), ignition, "a=1 b")
            status, headers, whole = await fetch(hub, url)
            assert (status, whole == expected, "ETag" in headers) == (200, True, False)
            assert headers["Content-Disposition"] == f"attachment; filename={infra['id']}-discovery.iso"
            size = len(expected)
            for first, last in (
                (0, 0),
                (32768, 34815),
                (base_image()[1] - 7, base_image()[1] + 300),
                (size - 5, size - 1),
                (2_400_000, 2_600_000),
            ):
                status, headers, part = await fetch(hub, url, Range=f"bytes={first}-{last}")
                assert (status, part == expected[first : last + 1]) == (206, True)
                assert headers["Content-Range"] == f"bytes {first}-{last}/{size}"
            status, headers, _body = await fetch(hub, url, "HEAD")
            assert (status, headers["Content-Length"]) == (200, str(size))
            await _conditions(hub, url, headers["Last-Modified"], size, expected)

    run(flow())


async def _conditions(hub: HubRig, url: str, modified: str, size: int, expected: bytes) -> None:
    assert (await fetch(hub, url, If_Modified_Since=modified))[0] == 304
    assert (await fetch(hub, url, "HEAD", If_Modified_Since="Mon, 01 Jan 2001 00:00:00 GMT"))[0] == 200
    assert (await fetch(hub, url, Range="bytes=0-3", If_Range=modified))[0] == 206
    status, _headers, body = await fetch(hub, url, Range="bytes=0-3", If_Range="Mon, 01 Jan 2001 00:00:00 GMT")
    assert (status, len(body)) == (200, size)
    assert (await fetch(hub, url, "HEAD", Range="bytes=0-3", If_Range='"tag"'))[0] == 200
    status, headers, _body = await fetch(hub, url, Range=f"bytes={size}-")
    assert (status, headers["Content-Range"]) == (416, f"bytes */{size}")
    assert (await fetch(hub, url, Range="bytes=x-"))[0] == 416
    status, headers, body = await fetch(hub, url, Range="bytes=0-3,100-101")
    assert status == 206 and headers["Content-Type"].startswith("multipart/byteranges; boundary=")
    assert body.count(b"Content-Range: bytes ") == 2 and expected[100:102] in body
    assert int(headers["Content-Length"]) == len(body)


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("bytes=0-9", [(0, 10)]),
        ("bytes=-3", [(97, 3)]),
        ("bytes=95-", [(95, 5)]),
        ("bytes=90-500", [(90, 10)]),
        ("bytes=0-0, 99-", [(0, 1), (99, 1)]),
        ("bytes=-500", [(0, 100)]),
    ],
)
def test_ranges(header: str, found: list[tuple[int, int]]) -> None:
    assert parse_ranges(header, 100) == found


def test_content_follows_the_infra_env(tmp_path: Path) -> None:
    """The same URL before and after a change: other bytes, other time, same size."""

    async def flow() -> None:
        async with HubRig(tmp_path) as hub:
            infra = await hub.infra_env(image_type="full-iso")
            first = await fetch(hub, infra["download_url"])
            again = await fetch(hub, infra["download_url"])
            assert first[2] == again[2]
            await hub.lab.clock.sleep(5)
            changed = await hub.call(
                "PATCH",
                f"/v2/infra-envs/{infra['id']}",
                {
                    "ssh_authorized_key": (
                        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl x"
                    )
                },
            )
            later = await fetch(hub, changed["download_url"])
            assert first[2] != later[2] and len(first[2]) == len(later[2])
            assert first[1]["Last-Modified"] != later[1]["Last-Modified"]
            assert changed["download_url"] != infra["download_url"], "each regeneration has a new signature"

    run(flow())


def test_minimal_image(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path) as hub:
            infra = await hub.infra_env(
                static_network_config=[nmstate(0)], kernel_arguments=[{"operation": "append", "value": "a=1"}]
            )
            _status, _headers, data = await fetch(hub, infra["download_url"])
            iso = pycdlib.PyCdlib()
            iso.open_fp(io.BytesIO(data))
            facade = iso.get_rock_ridge_facade()

            def read(path: str) -> bytes:
                out = io.BytesIO()
                facade.get_file_from_iso_fp(out, rr_path=path)
                return out.getvalue()

            with pytest.raises(pycdlib.pycdlibexception.PyCdlibInvalidInput):
                read("/images/pxeboot/rootfs.img")
            config = unpack(read("/images/ignition.img"))["config.ign"]
            paths = [file["path"] for file in json.loads(config)["storage"]["files"]]
            assert not any(path.startswith("/etc/assisted/network") for path in paths), (
                "a minimal image has its network in the ramdisk"
            )
            ramdisk = read("/images/assisted_installer_custom.img")
            assert len(ramdisk) == 1 << 20 and "etc/assisted/network/host0/ymlFile0.yml" in unpack(ramdisk)
            assert "usr/bin/nmstatectl" in unpack(read("/images/nmstate.img"))
            url = f"https://{IMAGES}/boot-artifacts/rootfs?arch=x86_64&version=4.22"
            for path, initrds in (
                ("/EFI/redhat/grub.cfg", " /images/assisted_installer_custom.img /images/nmstate.img"),
                ("/isolinux/isolinux.cfg", ",/images/nmstate.img"),
            ):
                text = read(path).decode()
                assert (
                    f'coreos.live.rootfs_url="{url}" a=1\n' in text and "coreos.liveiso" not in text and initrds in text
                )
            kargs = json.loads(read("/coreos/kargs.json"))
            for entry in kargs["files"]:
                area = read("/" + entry["path"])[entry["offset"] :][: kargs["size"] + 25]
                assert area.startswith(kargs["default"].encode()) and area.endswith(b"# COREOS_KARG_EMBED_AREA\n")
            iso.close()
            status, headers, rootfs = await fetch(hub, url, Range="bytes=0-3")
            assert (status, rootfs, "ETag" in headers) == (206, b"hsqs", False)

    run(flow())


def test_pxe(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path) as hub:
            infra = await hub.infra_env(static_network_config=[nmstate(0)])
            token = infra["download_url"].split("/")[4]
            status, headers, data = await fetch(
                hub, f"https://{IMAGES}/images/{infra['id']}/pxe-initrd?arch=x86_64&version=4.22&api_key={token}"
            )
            assert status == 200 and headers["Content-Disposition"] == f"attachment; filename={infra['id']}-initrd.img"
            base = 3 << 20
            files = unpack(data[base:])
            assert {"config.ign", "etc/assisted/network/host0/mac_interface.ini", "usr/bin/nmstatectl"} <= set(files)
            assert data[base : base + 2] == b"\x1f\x8b"
            kernel = await fetch(hub, f"https://{IMAGES}/boot-artifacts/kernel?arch=x86_64&version=4.22")
            assert kernel[0] == 200 and kernel[2][:2] == b"MZ"

    run(flow())


REFUSALS: list[tuple[str, str, int]] = [
    ("GET", "/byid/{id}/4.22/x86_64/other.iso", 404),
    ("GET", "/byid/{ID}/4.22/x86_64/full.iso", 404),
    ("GET", "/byid/{id}/4.22/x86_64/full.iso", 401),
    ("GET", "/byapikey/{token}/4.99/x86_64/full.iso", 404),
    ("GET", "/byapikey/nonsense/4.22/x86_64/full.iso", 404),
    ("GET", "/byapikey/{token}/4.22/x86_64/disconnected.iso", 404),
    ("GET", "/bytoken/{token}/4.22/x86_64/full.iso", 401),
    ("GET", "/images/{id}?type=full-iso&api_key={token}", 400),
    ("GET", "/images/{id}?version=4.22&api_key={token}", 400),
    ("GET", "/images/{id}?version=4.22&type=full-iso&api_key={token}", 200),
    ("GET", "/images/{id}/pxe-initrd?version=4.99&api_key={token}", 400),
    ("GET", "/images/{id}/pxe-initrd?api_key={token}", 400),
    ("GET", "/boot-artifacts/rootfs?version=4.99", 400),
    ("GET", "/boot-artifacts/other?version=4.22", 404),
    ("POST", "/boot-artifacts/rootfs?version=4.22", 405),
    ("GET", "/health", 200),
    ("GET", "/live", 200),
    ("GET", "/other", 404),
]


def test_refusals(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path) as hub:
            infra = await hub.infra_env(image_type="full-iso")
            values: dict[str, Any] = {
                "id": infra["id"],
                "ID": infra["id"].upper(),
                "token": infra["download_url"].split("/")[4],
            }
            for method, path, expected in REFUSALS:
                status, _headers, body = await fetch(
                    hub, f"https://{IMAGES}{path.format(**values)}", method, Range="bytes=0-1"
                )
                assert (200 if status == 206 else status) == expected, (path, status, body[:200])
            hub.images.ready = False
            assert (await fetch(hub, f"https://{IMAGES}/health"))[0] == 503
            assert (await fetch(hub, infra["download_url"]))[0] == 503

    run(flow())


def test_a_config_that_is_too_large(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path) as hub:
            noise = base64.b64encode(random.Random(1).randbytes(400_000)).decode()
            many = [{"path": "/etc/large", "mode": 420, "contents": {"source": f"data:;base64,{noise}"}}]
            override = json.dumps({"ignition": {"version": "3.1.0"}, "storage": {"files": many}})
            infra = await hub.infra_env(image_type="full-iso", ignition_config_override=override)
            status, _headers, body = await fetch(hub, infra["download_url"])
            assert status == 500 and re.match(rb"content length \(\d+\) exceeds embed area size \(262144\)", body)

    run(flow())


def test_archive_is_padded() -> None:
    data = ignition_archive(b"{}")
    assert len(data) % 4 == 0 and unpack(data) == {"config.ign": b"{}"}
