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
from .profiles import Profile, SlotForm
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
        media = f"{ROOT}/{{place:Systems|Managers}}/{{system}}/VirtualMedia"
        app.add_routes(
            [
                web.get(media, self._list),
                web.get(f"{media}/{{slot}}", self._get),
                web.patch(f"{media}/{{slot}}", self._patch),
                web.post(f"{media}/{{slot}}/Actions/VirtualMedia.InsertMedia", self._insert),
                web.post(f"{media}/{{slot}}/Actions/VirtualMedia.EjectMedia", self._eject),
            ]
        )

    def _machine(self, request: web.Request) -> Hardware:
        machine = find_machine(self._machines, request)
        if request.match_info["place"] != machine.profile.media_on:
            raise RedfishError("ResourceMissingAtURI", request.path)
        return machine

    def _find(self, request: web.Request) -> tuple[Hardware, Slot]:
        machine = self._machine(request)
        slot = machine.slots.get(request.match_info["slot"])
        if slot is None:
            raise RedfishError("ResourceMissingAtURI", request.path)
        return machine, slot

    async def _list(self, request: web.Request) -> web.Response:
        machine = self._machine(request)
        path = f"{ROOT}/{request.match_info['place']}/{request.match_info['system']}/VirtualMedia"
        return reply(request, documents.collection(path, "VirtualMediaCollection", "Virtual Media", [f"{path}/{slot}" for slot in machine.slots]))

    async def _get(self, request: web.Request) -> web.Response:
        machine, slot = self._find(request)
        response = reply(request, documents.virtual_media(machine, slot), weak=machine.profile.etags == "weak")
        response.headers["Allow"] = "GET, HEAD, PATCH" if self._form(machine, slot).insert == "patch" else "GET, HEAD"
        return response

    @staticmethod
    def _form(machine: Hardware, slot: Slot) -> SlotForm:
        return next(form for form in machine.profile.slots if form.id == slot.id)

    async def _patch(self, request: web.Request) -> web.Response:
        machine, slot = self._find(request)
        check_etag(request, documents.virtual_media(machine, slot), required=machine.profile.etags == "required")
        body = await read_body(request)
        if self._form(machine, slot).insert == "patch" and "Image" in body:
            await self._exchange(machine, slot, body)
            return web.Response(status=204)
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
        form = self._form(machine, slot)
        if form.insert != "action":
            raise RedfishError("ActionNotSupported", _ACTION, status=405 if form.insert == "405" else 400)
        _check_parameters(body)
        _check_quirks(body, machine.profile)
        if self._clock.now() < slot.emptied + machine.profile.eject_lasts:
            raise RedfishError("InternalError")
        if slot.inserted:
            # The standard leaves this open; services that hold a medium refuse the next one until it is ejected.
            raise RedfishError("ActionParameterValueConflict", "Image", body["Image"])
        if self._faults.take("insert-refused", machine.spec.name):
            raise RedfishError("CouldNotEstablishConnection", body["Image"], related=["#/Image"])

        async def work() -> None:
            await self._attach(machine, slot, body)

        task = self._faults.take("bmc-task", machine.spec.name)
        if task or machine.profile.insert_task:
            return self._tasks.accept(task.number("seconds", 10) if task else machine.profile.insert_task, work)
        await work()
        return web.Response(status=204)

    async def _attach(self, machine: Hardware, slot: Slot, body: Mapping[str, Any]) -> None:
        if self._faults.take("insert-accepted-but-empty", machine.spec.name):
            return
        problem = await self._probe(body["Image"])
        if problem and machine.profile.reads_image_at_insert:
            machine.console.print(f"BMC: medium {body['Image']} cannot be read: {problem}")
            raise RedfishError("CouldNotEstablishConnection", body["Image"], related=["#/Image"])
        slot.insert(body["Image"], username=body.get("UserName"), password=body.get("Password"))
        slot.write_protected = body.get("WriteProtected", True)
        slot.inserted = body.get("Inserted", True)
        machine.console.print(f"BMC: medium {body['Image']} in slot {slot.id}.")

    async def _exchange(self, machine: Hardware, slot: Slot, body: Mapping[str, Any]) -> None:
        """A slot that is written as a resource: an image that is not said to be inserted is only noted, as if nothing had been asked for."""
        if body["Image"] is None:
            self._empty(machine, slot)
        elif body.get("Inserted") is True:
            await self._attach(machine, slot, body)

    async def _eject(self, request: web.Request) -> web.Response:
        machine, slot = self._find(request)
        if machine.profile.eject_needs_body and not await request.text():
            raise RedfishError("MalformedJSON")
        await read_body(request)
        self._empty(machine, slot)
        return web.Response(status=204)

    def _empty(self, machine: Hardware, slot: Slot) -> None:
        if slot.image is not None:
            slot.eject()
            slot.emptied = self._clock.now()
            machine.console.print(f"BMC: slot {slot.id} is empty.")


def _check_quirks(body: Mapping[str, Any], profile: Profile) -> None:
    for name in profile.insert_needs:
        if name not in body:
            raise RedfishError("ActionParameterMissing", _ACTION, name, related=[f"#/{name}"] if profile.names_related else [])
    for name in profile.insert_refuses:
        if name in body:
            raise RedfishError("ActionParameterUnknown", _ACTION, name, related=[f"#/{name}"])
    if "?" in body["Image"] and not profile.takes_query:
        raise RedfishError("ActionParameterValueNotInList", body["Image"], "Image", _ACTION, related=["#/Image"])


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
