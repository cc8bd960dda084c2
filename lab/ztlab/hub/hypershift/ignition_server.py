# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the ignition server of a hosted control plane: serve a NodePool's Ignition config to hosts that send the
NodePool's token.

Source: openshift/hypershift hypershift-operator/controllers/nodepool/capi.go,
  hypershift-operator/controllers/nodepool/token.go.
"""

from __future__ import annotations

import base64
import binascii
import json
import ssl
from typing import Any

from aiohttp import web

from ...newcluster import pki
from ..names import SECRET, Object, annotations_of
from ..world import World
from . import naming
from .pool_secrets import REACHED, decoded

PATH = "/ignition"


class IgnitionServer:
    """The ignition server of one control plane namespace. ``authority`` signs its certificate."""

    def __init__(self, world: World, space: str, authority: pki.Signer, host: str) -> None:
        self._world, self._space = world, space
        self.authority = authority
        self.context: ssl.SSLContext = pki.server_context(pki.serving_pair(authority, [host]), {})
        self.requests: dict[str, int] = {}
        self._runner: web.AppRunner | None = None

    async def start(self, address: str, port: int) -> None:
        """Listen at a node port."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, address, port, ssl_context=self.context).start()

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if request.path == "/healthz":
            return web.Response()
        if request.method != "GET" or request.path != PATH:
            return web.Response(status=404, text="404 page not found\n")
        item = self._secret(request.headers.get("Authorization", ""))
        if item is None:
            return web.Response(status=511, text="Token not found\n")
        payload = decoded(item).get("payload")
        if not payload:
            return web.Response(status=511, text="Payload not found\n")
        self.requests[annotations_of(item).get(naming.NODE_POOL, "")] = (
            self.requests.get(annotations_of(item).get(naming.NODE_POOL, ""), 0) + 1
        )
        await self._world.metadata(SECRET, item, annotations={REACHED: "True"})
        return web.Response(body=payload.encode(), content_type="application/json")

    def _secret(self, authorization: str) -> Object | None:
        """The token Secret whose token, of now or before, the header holds."""
        scheme, _, encoded = authorization.partition(" ")
        try:
            token = base64.b64decode(encoded, validate=True).decode() if scheme == "Bearer" else ""
        except (binascii.Error, UnicodeDecodeError):
            token = ""
        if not token:
            return None
        for item in self._world.all(SECRET, self._space):
            data = decoded(item) if f"{naming.PREFIX}ignition-config" in annotations_of(item) else {}
            if token in (data.get("token"), data.get("old_token")):
                return item
        return None


class PayloadController:
    """Keys are token Secrets: their payload appears a while after them."""

    def __init__(self, world: World, seconds: float = 20.0) -> None:
        self._world, self._seconds = world, seconds

    async def reconcile(self, key: tuple[str, str]) -> float | None:
        item = self._world.get(SECRET, key)
        if (
            item is None
            or annotations_of(item).get(f"{naming.PREFIX}ignition-config") != "true"
            or "payload" in (item.get("data") or {})
        ):
            return None
        age = self._world.age(item["metadata"]["creationTimestamp"])
        if age < self._seconds:
            return self._seconds - age
        document: dict[str, Any] = {
            "ignition": {"version": "3.2.0"},
            "storage": {"files": []},
            "systemd": {"units": []},
        }
        made = {"payload": json.dumps(document), "reason": "AsExpected", "message": "Payload generated successfully"}
        await self._world.patch(
            SECRET, item, {"data": {name: base64.b64encode(text.encode()).decode() for name, text in made.items()}}
        )
        return None
