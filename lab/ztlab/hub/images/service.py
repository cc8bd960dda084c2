# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve the routes of the image service. For each image, fetch the Ignition and other parts from the assisted-service.

Source: openshift/assisted-image-service internal/handlers.
"""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import datetime
import email.utils
import json
import logging
import re
import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import aiohttp
from aiohttp import web

from ..discovery.parameters import sort_key
from .layout import NMSTATE_FROM, ROOTFS, ImageError, Layout, nmstate_archive, read_layout, write_minimal
from .overlay import Content, FileRange, Text, iso_overlay, pxe_initrd
from .ranges import serve_content

LOG = logging.getLogger(__name__)
MAX_CONCURRENT_REQUESTS = 400
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SHORT = re.compile(r"/(byid|byapikey|bytoken)/([^/]+)/([^/]+)/([^/]+)/([^/]+)")
_LONG = re.compile(r"/images/([^/]+)(?:/(pxe-initrd|s390x-initrd-addrsize))?")
_FILES = {"full.iso": "full-iso", "minimal.iso": "minimal-iso", "disconnected.iso": "disconnected-iso"}
_ARTIFACTS = {
    "rootfs": (ROOTFS, "rootfs.img"),
    "kernel": ("images/pxeboot/vmlinuz", "vmlinuz"),
    "ins-file": ("generic.ins", "generic.ins"),
}
# A kernel of s390x is started at address 0 with its initrd at this one.
_S390X_INITRD_ADDRESS = 0x02000000

# (url) -> (url to open, Host header)
Redirect = Callable[[str], tuple[str, str]]


@dataclasses.dataclass(frozen=True)
class OsImageFile:
    """A base image: an entry of osImages that was downloaded."""

    openshift_version: str
    path: Path
    architecture: str = "x86_64"


@dataclasses.dataclass(frozen=True)
class _Credentials:
    """How a request is passed on to the assisted-service."""

    query: Mapping[str, str]
    headers: Mapping[str, str]


class _Refused(Exception):
    """The answer to the client."""

    def __init__(self, status: int, text: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.text = text

    def response(self) -> web.Response:
        return web.Response(status=self.status, text=f"{self.text}\n" if self.text else "")


class ImageService:
    """``handle`` answers requests that another server accepted; ``start`` derives the minimal images, after which it is
    ready.

    ``base_url``: its own URL as clients know it. ``service_url``: that of the assisted-service. ``restrict_plain``: it
    listens on http beside https, so that http serves PXE only. ``requests`` counts by method and kind of path.
    """

    def __init__(
        self,
        images: Sequence[OsImageFile],
        *,
        base_url: str,
        service_url: str,
        directory: Path,
        session: Callable[[], aiohttp.ClientSession],
        redirect: Redirect = lambda url: (url, ""),
        restrict_plain: bool = False,
    ) -> None:
        self.base_url, self.service_url = base_url.rstrip("/"), service_url.rstrip("/")
        self.requests: Counter[str] = Counter()
        self.ready = False
        self._images = {(image.openshift_version, image.architecture): image for image in images}
        self._directory = directory
        self._session, self._redirect = session, redirect
        self._restrict_plain = restrict_plain
        self._full: dict[tuple[str, str], Layout] = {}
        self._minimal: dict[tuple[str, str], Layout] = {}
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_REQUESTS)

    async def start(self) -> None:
        """Raises :class:`ImageError` for a base image that cannot be used."""
        await asyncio.to_thread(self._prepare)
        self.ready = True

    def _prepare(self) -> None:
        for (version, architecture), image in self._images.items():
            full = read_layout(image.path)
            self._full[version, architecture] = full
            if architecture != "s390x":
                url = f"{self.base_url}/boot-artifacts/rootfs?arch={architecture}&version={version}"
                path = self._directory / f"minimal-{version}-{architecture}.iso"
                self._minimal[version, architecture] = write_minimal(
                    full, path, rootfs_url=url, openshift_version=version
                )

    # ---- requests ----------------------------------------------------------------------------------------------------

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        path = request.path
        if path == "/live":
            return web.Response(text="")
        if path == "/health":
            return web.Response(status=200 if self.ready else 503)
        if path == "/metrics":
            return web.Response(
                text="".join(
                    f'assisted_installer_image_requests{{kind="{key}"}} {count}\n'
                    for key, count in sorted(self.requests.items())
                )
            )
        try:
            return await self._route(request, path)
        except _Refused as refused:
            return refused.response()
        except ImageError as error:
            return web.Response(status=500, text=f"{error}\n")

    async def _route(self, request: web.Request, path: str) -> web.StreamResponse:
        known = path.startswith(("/byid/", "/byapikey/", "/bytoken/", "/images/", "/boot-artifacts/"))
        if not known:
            raise _Refused(404, "404 page not found")
        if request.method not in ("GET", "HEAD"):
            raise _Refused(405)
        if (
            self._restrict_plain
            and request.scheme == "http"
            and not path.startswith("/boot-artifacts/")
            and not path.endswith("/pxe-initrd")
        ):
            raise _Refused(404, "404 page not found")
        if not self.ready:
            raise _Refused(503, "images are not available yet")
        self.requests[f"{request.method} /{path.split('/')[1]}"] += 1
        if path.startswith("/boot-artifacts/"):
            return await self._artifact(request, path.removeprefix("/boot-artifacts/"))
        async with self._slots:
            match = _SHORT.fullmatch(path)
            if match:
                return await self._short(request, match)
            match = _LONG.fullmatch(path)
            if match and _UUID.fullmatch(match[1]):
                return await self._long(request, match[1], match[2])
        raise _Refused(404, "404 page not found")

    async def _short(self, request: web.Request, match: re.Match[str]) -> web.StreamResponse:
        """/<who>/<version>/<arch>/<file>."""
        kind, who, version, architecture, file = match.groups()
        authorization = _authorization(request)
        if kind == "byid":
            if not _UUID.fullmatch(who):
                raise _Refused(404, "404 page not found")
            infra_env, credentials = who, _Credentials({}, authorization)
        else:
            infra_env = id_of_token(who)
            if not infra_env:
                raise _Refused(404, "failed to parse the image token")
            query = {"api_key": who} if kind == "byapikey" else {}
            credentials = _Credentials(query, authorization | ({} if query else {"Image-Token": who}))
        if file not in _FILES:
            raise _Refused(404, f"unrecognized file name: {file}")
        return await self._iso(request, infra_env, _FILES[file], version, architecture, credentials)

    async def _long(self, request: web.Request, infra_env: str, file: str | None) -> web.StreamResponse:
        """/images/<id>[/<file>]."""
        query = request.query
        version, architecture = query.get("version", ""), query.get("arch") or "x86_64"
        credentials = _Credentials(
            {"api_key": query["api_key"]} if query.get("api_key") else {},
            _authorization(request) | ({"Image-Token": query["image_token"]} if query.get("image_token") else {}),
        )
        if not version:
            raise _Refused(400, "'version' parameter required")
        if file is not None:
            if (version, architecture) not in self._full:
                raise _Refused(400, f"version for {version} {architecture}, not found")
            return await self._initrd(request, infra_env, file, version, architecture, credentials)
        if query.get("type") not in _FILES.values():
            raise _Refused(400, f"invalid value '{query.get('type', '')}' for parameter 'type'")
        return await self._iso(request, infra_env, query["type"], version, architecture, credentials)

    async def _iso(
        self,
        request: web.Request,
        infra_env: str,
        kind: str,
        version: str,
        architecture: str,
        credentials: _Credentials,
    ) -> web.StreamResponse:
        layout = {"full-iso": self._full, "minimal-iso": self._minimal}.get(kind, {}).get((version, architecture))
        if layout is None:
            raise _Refused(404, f"version for {version} {architecture}, not found")
        config, modified = await self._ignition(infra_env, credentials, {"discovery_iso_type": kind})
        ramdisk = await self._ramdisk(infra_env, credentials) if kind == "minimal-iso" else None
        arguments = await self._kernel_arguments(infra_env, credentials)
        if arguments and architecture == "s390x":
            raise _Refused(400, "kernel arguments cannot be embedded in an image for s390x")
        overlay = iso_overlay(layout, config, ramdisk=ramdisk, kernel_arguments=arguments)
        return await serve_content(
            request, overlay, modified, {"Content-Disposition": f"attachment; filename={infra_env}-discovery.iso"}
        )

    async def _initrd(
        self,
        request: web.Request,
        infra_env: str,
        file: str,
        version: str,
        architecture: str,
        credentials: _Credentials,
    ) -> web.StreamResponse:
        try:
            config, modified = await self._ignition(infra_env, credentials, {})
            ramdisk = await self._ramdisk(infra_env, credentials)
        except _Refused as refused:
            raise _Refused(refused.status, "failed to build the initrd") from refused
        nmstate = nmstate_archive() if sort_key(version) >= sort_key(NMSTATE_FROM) else b""
        initrd: Content = pxe_initrd(self._full[version, architecture], config, ramdisk=ramdisk, nmstate=nmstate)
        name = f"{infra_env}-initrd.img"
        if file != "pxe-initrd":
            initrd, name = Text(struct.pack(">QQ", _S390X_INITRD_ADDRESS, initrd.size)), f"{infra_env}-initrd.addrsize"
        return await serve_content(request, initrd, modified, {"Content-Disposition": f"attachment; filename={name}"})

    async def _artifact(self, request: web.Request, name: str) -> web.StreamResponse:
        if name not in _ARTIFACTS:
            raise _Refused(404, f"unrecognized artifact: {name}")
        version, architecture = request.query.get("version", ""), request.query.get("arch") or "x86_64"
        layout = self._full.get((version, architecture))
        if layout is None:
            raise _Refused(400, f"version for {version} {architecture}, not found")
        path, file_name = _ARTIFACTS[name]
        area = layout.files.get(path)
        if area is None:
            raise _Refused(404, f"the image has no {path}")
        modified = datetime.datetime.fromtimestamp(layout.path.stat().st_mtime, datetime.UTC)
        headers = {"Content-Disposition": f"attachment; filename={version}-{architecture}-{file_name}"}
        return await serve_content(request, FileRange(layout.path, area), modified, headers)

    # ---- the assisted-service ----------------------------------------------------------------------------------------

    async def _ignition(
        self, infra_env: str, credentials: _Credentials, query: Mapping[str, str]
    ) -> tuple[bytes, datetime.datetime]:
        """The config, and when the infra-env changed last (now when the service does not say)."""
        body, headers = await self._fetch(
            f"{infra_env}/downloads/files", credentials, {"file_name": "discovery.ign", **query}
        )
        try:
            modified = email.utils.parsedate_to_datetime(headers.get("Last-Modified", ""))
        except (TypeError, ValueError):
            modified = datetime.datetime.now(datetime.UTC)
        return body, modified

    async def _ramdisk(self, infra_env: str, credentials: _Credentials) -> bytes | None:
        return (await self._fetch(f"{infra_env}/downloads/minimal-initrd", credentials, {}))[0] or None

    async def _kernel_arguments(self, infra_env: str, credentials: _Credentials) -> list[str]:
        document = json.loads((await self._fetch(infra_env, credentials, {}))[0])
        entries = json.loads(document.get("kernel_arguments") or "[]")
        return [str(entry["value"]) for entry in entries if entry.get("operation", "append") == "append"]

    async def _fetch(
        self, path: str, credentials: _Credentials, query: Mapping[str, str]
    ) -> tuple[bytes, Mapping[str, str]]:
        """Body and headers of GET v2/infra-envs/<path>.

        Raises _Refused with the service's own status, 500 when it cannot be reached.
        """
        url, host = self._redirect(f"{self.service_url}/api/assisted-install/v2/infra-envs/{path}")
        headers = {**credentials.headers, **({"Host": host} if host else {})}
        try:
            async with self._session().get(
                url, params={**query, **credentials.query}, headers=headers, ssl=False
            ) as response:
                body = await response.read()
                if not 200 <= response.status < 300:
                    raise _Refused(response.status)
                return body, response.headers
        except (aiohttp.ClientError, TimeoutError) as error:
            LOG.warning("image service: %s: %s", url, error)
            raise _Refused(500) from error


def _authorization(request: web.Request) -> dict[str, str]:
    return {"Authorization": request.headers["Authorization"]} if "Authorization" in request.headers else {}


def id_of_token(token: str) -> str:
    """The infra-env that a JWT is for; its signature is not checked here. "" when it says none."""
    parts = token.split(".")
    if len(parts) != 3:
        return ""
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return ""
    found = claims.get("sub") or claims.get("infra_env_id") if isinstance(claims, dict) else None
    return found if isinstance(found, str) else ""
