# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Virtual media: slots, InsertMedia, EjectMedia."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from ..clock import LabClock
from ..faults import Faults
from ..machine.hardware import Hardware, Slot
from . import documents
from .errors import RedfishError
from .exchange import check_etag, read_body, reply
from .system import find_machine
from .tasks import Tasks

ROOT = documents.ROOT
_PARAMETERS: dict[str, type] = {
    "Image": str,
    "Inserted": bool,
    "WriteProtected": bool,
    "TransferProtocolType": str,
    "TransferMethod": str,
    "UserName": str,
    "Password": str,
}
_ACTION = "VirtualMedia.InsertMedia"


class MediaActions:
    """The virtual media of the machines of one BMC, by system id."""

    def __init__(self, machines: Mapping[str, Hardware], clock: LabClock, faults: Faults, tasks: Tasks, probe: Callable[[str], Awaitable[str]]) -> None:
        self._machines = machines
        self._clock = clock
        self._faults = faults
        self._tasks = tasks
        self._probe = probe

    def add_routes(self, app: web.Application) -> None:
        media = f"{ROOT}/Systems/{{system}}/VirtualMedia"
        app.add_routes(
            [
                web.get(media, self._list),
                web.get(f"{media}/{{slot}}", self._get),
                web.patch(f"{media}/{{slot}}", self._patch),
                web.post(f"{media}/{{slot}}/Actions/VirtualMedia.InsertMedia", self._insert),
                web.post(f"{media}/{{slot}}/Actions/VirtualMedia.EjectMedia", self._eject),
            ]
        )

    def _find(self, request: web.Request) -> tuple[Hardware, Slot]:
        machine = find_machine(self._machines, request)
        slot = machine.slots.get(request.match_info["slot"])
        if slot is None:
            raise RedfishError("ResourceMissingAtURI", request.path)
        return machine, slot

    async def _list(self, request: web.Request) -> web.Response:
        machine = find_machine(self._machines, request)
        path = f"{ROOT}/Systems/{request.match_info['system']}/VirtualMedia"
        return reply(request, documents.collection(path, "VirtualMediaCollection", "Virtual Media", [f"{path}/{slot}" for slot in machine.slots]))

    async def _get(self, request: web.Request) -> web.Response:
        return reply(request, documents.virtual_media(*self._find(request)))

    async def _patch(self, request: web.Request) -> web.Response:
        machine, slot = self._find(request)
        check_etag(request, documents.virtual_media(machine, slot))
        body = await read_body(request)
        for name, value in body.items():
            if name != "VerifyCertificate":
                raise RedfishError("PropertyNotWritable", name, related=[f"#/{name}"])
            if not isinstance(value, bool):
                raise RedfishError("PropertyValueTypeError", str(value), name, related=[f"#/{name}"])
            slot.verify_certificate = value
        return reply(request, documents.virtual_media(machine, slot))

    async def _insert(self, request: web.Request) -> web.Response:
        machine, slot = self._find(request)
        body = await read_body(request)
        _check_parameters(body)
        if slot.inserted:
            # The standard leaves this open; services that hold a medium refuse the next one until it is ejected.
            raise RedfishError("ActionParameterValueConflict", "Image", body["Image"])
        if self._faults.take("insert-refused", machine.spec.name):
            raise RedfishError("CouldNotEstablishConnection", body["Image"], related=["#/Image"])

        async def work() -> None:
            await self._attach(machine, slot, body)

        task = self._faults.take("bmc-task", machine.spec.name)
        if task:
            return self._tasks.accept(task.number("seconds", 10), work)
        await work()
        return web.Response(status=204)

    async def _attach(self, machine: Hardware, slot: Slot, body: Mapping[str, Any]) -> None:
        if self._faults.take("insert-accepted-but-empty", machine.spec.name):
            return
        problem = await self._probe(body["Image"])
        if problem:
            machine.console.print(f"BMC: medium {body['Image']} cannot be read: {problem}")
            raise RedfishError("CouldNotEstablishConnection", body["Image"], related=["#/Image"])
        slot.insert(body["Image"], username=body.get("UserName"), password=body.get("Password"))
        slot.write_protected = body.get("WriteProtected", True)
        slot.inserted = body.get("Inserted", True)
        machine.console.print(f"BMC: medium {body['Image']} in slot {slot.id}.")

    async def _eject(self, request: web.Request) -> web.Response:
        machine, slot = self._find(request)
        await read_body(request)
        if slot.image is not None:
            slot.eject()
            machine.console.print(f"BMC: slot {slot.id} is empty.")
        return web.Response(status=204)


def _check_parameters(body: Mapping[str, Any]) -> None:
    if "Image" not in body:
        raise RedfishError("ActionParameterMissing", _ACTION, "Image", related=["#/Image"])
    for name, value in body.items():
        if name not in _PARAMETERS:
            raise RedfishError("ActionParameterUnknown", _ACTION, name, related=[f"#/{name}"])
        if not isinstance(value, _PARAMETERS[name]):
            raise RedfishError("ActionParameterValueTypeError", str(value), name, _ACTION, related=[f"#/{name}"])
    if body["Image"].partition("://")[0].lower() not in ("http", "https"):
        raise RedfishError("ActionParameterValueNotInList", body["Image"], "Image", _ACTION, related=["#/Image"])
