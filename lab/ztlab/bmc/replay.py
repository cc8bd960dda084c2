# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve a BMC from a directory of captured Redfish JSON (``ztlab replay``).

Standard actions change the resources in memory; nothing is written to the directory.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from aiohttp import web

from . import documents
from .errors import RedfishError
from .exchange import read_body, reply

ROOT = documents.ROOT
SESSIONS = f"{ROOT}/SessionService/Sessions"
_ON = ("On", "ForceOn", "ForceRestart", "GracefulRestart", "PowerCycle")
_LARGEST = 16 << 20


class ReplayError(Exception):
    """The directory cannot be served as a BMC."""


def read_capture(directory: Path) -> dict[str, dict[str, Any]]:
    """The resources of a directory by path, without a slash at the end.

    A file's path is its ``@odata.id``, or else its place below ``redfish``.

    Raises :class:`ReplayError` when there is no service root among them.
    """
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(directory.rglob("*.json")):
        try:
            resource = json.loads(file.read_text()) if file.stat().st_size <= _LARGEST else None
        except (OSError, ValueError) as error:
            raise ReplayError(f"{file} cannot be read as JSON: {error}") from error
        if isinstance(resource, dict) and (path := _path_of(resource, file.relative_to(directory))):
            found[path] = resource
    if ROOT not in found:
        raise ReplayError(
            f"{directory} has no service root: a JSON file with the @odata.id {ROOT}/, or {ROOT[1:]}/index.json"
        )
    return found


def _path_of(resource: dict[str, Any], file: Path) -> str:
    named = resource.get("@odata.id")
    if isinstance(named, str) and named.startswith("/redfish"):
        return named.rstrip("/")
    parts = file.parts
    if file.name == "index.json" and "redfish" in parts:
        return "/" + "/".join(parts[parts.index("redfish") : -1])
    return ""


class Replay:
    """``report`` gets a line for each request that changes something, or cannot be played."""

    def __init__(self, resources: dict[str, dict[str, Any]], report: Callable[[str], None]) -> None:
        self.resources = resources
        self._report = report
        self._ids = itertools.count(1)
        self.open: set[str] = set()
        self.app = web.Application()
        self.app.router.add_route("*", "/{path:.*}", self._answer)

    @property
    def systems(self) -> list[str]:
        """The paths of the machines."""
        link = self.resources[ROOT].get("Systems", {})
        members = self.resources.get(str(link.get("@odata.id", "")).rstrip("/"), {}).get("Members", [])
        return [str(member.get("@odata.id")) for member in members]

    async def _answer(self, request: web.Request) -> web.Response:
        try:
            return await self._played(request)
        except RedfishError as error:
            if error.status != 404:
                self._report(f"{request.method} {request.path}: {error}")
            return error.response()

    async def _played(self, request: web.Request) -> web.Response:
        path = request.path.rstrip("/")
        if path == SESSIONS and request.method == "POST":
            location = f"{SESSIONS}/replay-{next(self._ids)}"
            self.open.add(location)
            return web.json_response(
                {}, status=201, headers={"X-Auth-Token": secrets.token_hex(8), "Location": location}
            )
        if path in self.open and request.method == "DELETE":
            self.open.remove(path)
            return web.Response(status=204)
        if request.method == "POST":
            return self._act(path, await read_body(request))
        resource = self.resources.get(path)
        if resource is None:
            raise RedfishError("ResourceMissingAtURI", request.path)
        if request.method == "PATCH":
            body = await read_body(request)
            self._report(f"PATCH {path} {json.dumps(_shown(body))}")
            _merge(resource, body)
            return web.Response(status=204)
        if request.method not in ("GET", "HEAD"):
            raise RedfishError("OperationNotAllowed")
        return reply(request, resource)

    def _act(self, path: str, body: dict[str, Any]) -> web.Response:
        self._report(f"POST {path} {json.dumps(_shown(body))}")
        for resource in self.resources.values():
            for name, action in _actions(resource):
                if str(action.get("target") or "").rstrip("/") != path:
                    continue
                if name == "#ComputerSystem.Reset":
                    resource["PowerState"] = "On" if body.get("ResetType") in _ON else "Off"
                elif name == "#VirtualMedia.InsertMedia":
                    image = str(body.get("Image") or "")
                    resource |= {
                        "Image": image,
                        "ImageName": image.rsplit("/", 1)[-1],
                        "Inserted": True,
                        "ConnectedVia": "URI",
                    }
                elif name == "#VirtualMedia.EjectMedia":
                    resource |= {"Image": None, "ImageName": None, "Inserted": False, "ConnectedVia": "NotConnected"}
                else:
                    raise RedfishError("ActionNotSupported", name, status=501)
                return web.Response(status=204)
        raise RedfishError("ActionNotSupported", path, status=501)


def _actions(resource: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Actions of the standard and of vendors, with their names."""
    waiting = [resource.get("Actions"), resource.get("Oem")]
    while waiting:
        place = waiting.pop()
        for name, value in place.items() if isinstance(place, dict) else ():
            if isinstance(value, dict) and name.startswith("#"):
                yield name, value
            else:
                waiting.append(value)


def _shown(body: dict[str, Any]) -> dict[str, Any]:
    return {name: "…" if name == "Password" else value for name, value in body.items()}


def _merge(resource: dict[str, Any], body: dict[str, Any]) -> None:
    for name, value in body.items():
        if isinstance(value, dict) and isinstance(resource.get(name), dict):
            _merge(resource[name], value)
        else:
            resource[name] = value


def replay(directory: Path, host: str, port: int) -> None:
    """Serve the directory until SIGINT. Raises :class:`ReplayError`."""
    played = Replay(read_capture(directory), lambda line: print(line, flush=True))

    async def serve() -> None:
        runner = web.AppRunner(played.app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, host, port).start()
            place = runner.addresses[0]
            for system in played.systems or [f"{ROOT}/Systems"]:
                print(f"redfish-virtualmedia+http://{place[0]}:{place[1]}{system}", flush=True)
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    try:
        asyncio.run(serve())
    except OSError as error:
        why = error.strerror or error
        raise ReplayError(f"{host}:{port} cannot be used: {why}") from error
