# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve the virtual media of a BMC: the media slots as Redfish resources, and the actions
InsertMedia and EjectMedia.
"""

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

    def __init__(
        self,
        machines: Mapping[str, Hardware],
        clock: LabClock,
        faults: Faults,
        tasks: Tasks,
        probe: Callable[[str], Awaitable[str]],
    ) -> None:
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
                web.post(f"{media}/{{slot}}/Oem/{{vendor}}/Actions/{{action}}", self._of_vendor),
                web.get(f"{media}/{{slot}}/Certificates", self._list_certificates),
                web.post(f"{media}/{{slot}}/Certificates", self._add_certificate),
                web.get(f"{media}/{{slot}}/Certificates/{{number}}", self._get_certificate),
                web.get(f"{ROOT}/Managers/{{system}}/VM1", self._list_mounted),
                web.get(f"{ROOT}/Managers/{{system}}/VM1/CD1", self._get_mounted),
                web.get(f"{ROOT}/Managers/{{system}}/VM1/CfgCD", self._get_iso_config),
                web.patch(f"{ROOT}/Managers/{{system}}/VM1/CfgCD", self._patch_iso_config),
                web.post(
                    f"{ROOT}/Managers/{{system}}/VM1/CfgCD/Actions/IsoConfig.{{action:Mount|UnMount}}", self._iso_config
                ),
            ]
        )

    def _machine(self, request: web.Request) -> Hardware:
        machine = find_machine(self._machines, request)
        if request.match_info["place"] != machine.profile.media_on or machine.profile.iso_config:
            raise RedfishError("ResourceMissingAtURI", request.path)
        return machine

    def _find(self, request: web.Request) -> tuple[Hardware, Slot]:
        machine = self._machine(request)
        slot = machine.slots.get(request.match_info["slot"])
        if slot is None or not machine.remote_media:
            raise RedfishError("ResourceMissingAtURI", request.path)
        return machine, slot

    async def _list(self, request: web.Request) -> web.Response:
        machine = self._machine(request)
        path = documents.media_path(machine)
        members = [f"{path}/{slot}" for slot in machine.slots] if machine.remote_media else []
        return reply(request, documents.collection(path, "VirtualMediaCollection", "Virtual Media", members))

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
            unknown = [name for name in body if machine.profile.patch_only and name not in machine.profile.patch_only]
            if unknown:
                raise RedfishError("PropertyNotWritable", unknown[0], related=[f"#/{unknown[0]}"])
            if body["Image"] is not None:
                self._check_image(machine, body)
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
        return await self._insert_image(machine, slot, body)

    def _check_image(self, machine: Hardware, body: Mapping[str, Any]) -> None:
        if not machine.profile.licensed:
            raise RedfishError("LicenseRequired")
        _check_protocol(body, machine.profile)

    async def _insert_image(self, machine: Hardware, slot: Slot, body: Mapping[str, Any]) -> web.Response:
        self._check_image(machine, body)
        if slot.busy_until is None:
            slot.busy_until = self._clock.now() + machine.profile.drive_busy
        if self._clock.now() < slot.busy_until:
            raise RedfishError("VRM0012", status=500 if self._clock.now() < slot.busy_until - 25 else 400)
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
        problem = await self._probe(body["Image"]) if _protocol(body["Image"]) in ("HTTP", "HTTPS") else ""
        if problem and machine.profile.reads_image_at_insert:
            machine.console.print(f"BMC: medium {body['Image']} cannot be read: {problem}")
            raise RedfishError("CouldNotEstablishConnection", body["Image"], related=["#/Image"])
        slot.insert(body["Image"], username=body.get("UserName"), password=body.get("Password"))
        slot.write_protected = body.get("WriteProtected", True)
        slot.inserted = body.get("Inserted", True)
        machine.console.print(f"BMC: medium {body['Image']} in slot {slot.id}.")

    async def _exchange(self, machine: Hardware, slot: Slot, body: Mapping[str, Any]) -> None:
        """A slot that is written as a resource: an image that is not said to be inserted is only noted, as if nothing
        had been asked for.
        """
        if body["Image"] is None:
            self._empty(machine, slot)
        elif body.get("Inserted") is True or machine.profile.patch_only:
            await self._attach(machine, slot, body)

    async def _eject(self, request: web.Request) -> web.Response:
        machine, slot = self._find(request)
        if machine.profile.eject_needs_body and not await request.text():
            raise RedfishError("MalformedJSON")
        await read_body(request)
        self._empty(machine, slot)
        return web.Response(status=204)

    async def _of_vendor(self, request: web.Request) -> web.Response:
        """An action of the vendor: insert or eject, which the name or a parameter says."""
        machine, slot = self._find(request)
        media, action = machine.profile.oem_media, request.match_info["action"]
        if (
            media is None
            or self._form(machine, slot).insert != "oem"
            or (media.key, action) not in [(media.key, media.insert), (media.key, media.eject)]
        ):
            raise RedfishError("ResourceMissingAtURI", request.path)
        body = await read_body(request)
        if action == media.insert and media.insert_needs.items() <= body.items():
            unknown = sorted(set(body) - {"Image", *media.insert_needs})
            if unknown:
                raise RedfishError("ActionParameterUnknown", action, unknown[0])
            return await self._insert_image(machine, slot, body)
        if action == media.eject and dict(media.eject_needs) == body:
            self._empty(machine, slot)
            return web.Response(status=204)
        raise RedfishError("ActionParameterMissing", action, next(iter(media.insert_needs)))

    async def _list_certificates(self, request: web.Request) -> web.Response:
        _machine, slot = self._find(request)
        members = [f"{request.path}/{number}" for number, _pem in enumerate(slot.certificates, 1)]
        return reply(request, documents.collection(request.path, "CertificateCollection", "Certificates", members))

    async def _add_certificate(self, request: web.Request) -> web.Response:
        _machine, slot = self._find(request)
        body = await read_body(request)
        if body.get("CertificateType") != "PEM" or "BEGIN CERTIFICATE" not in str(body.get("CertificateString")):
            raise RedfishError("PropertyValueTypeError", str(body.get("CertificateType")), "CertificateType")
        slot.certificates.append(body["CertificateString"])
        return web.Response(status=201, headers={"Location": f"{request.path}/{len(slot.certificates)}"})

    async def _get_certificate(self, request: web.Request) -> web.Response:
        _machine, slot = self._find(request)
        collection, _slash, number = request.path.rpartition("/")
        if not number.isdigit() or not 0 < int(number) <= len(slot.certificates):
            raise RedfishError("ResourceMissingAtURI", request.path)
        return reply(request, documents.certificate(collection, int(number), slot.certificates[int(number) - 1]))

    # ---- IsoConfig ---------------------------------------------------------------------------------------------------

    def _of_iso_config(self, request: web.Request) -> tuple[Hardware, Slot]:
        machine = find_machine(self._machines, request)
        if not machine.profile.iso_config:
            raise RedfishError("ResourceMissingAtURI", request.path)
        return machine, next(iter(machine.slots.values()))

    async def _list_mounted(self, request: web.Request) -> web.Response:
        machine, slot = self._of_iso_config(request)
        path = documents.media_path(machine)
        return reply(
            request,
            documents.collection(
                path, "VirtualMediaCollection", "Virtual Media", [f"{path}/CD1"] if slot.inserted else []
            ),
        )

    async def _get_mounted(self, request: web.Request) -> web.Response:
        machine, slot = self._of_iso_config(request)
        if not slot.inserted:
            raise RedfishError("ResourceMissingAtURI", request.path)
        return reply(request, documents.virtual_media(machine, slot))

    async def _get_iso_config(self, request: web.Request) -> web.Response:
        machine, _slot = self._of_iso_config(request)
        return reply(request, documents.iso_config(machine, *machine.iso_place))

    async def _patch_iso_config(self, request: web.Request) -> web.Response:
        machine, _slot = self._of_iso_config(request)
        body = await read_body(request)
        machine.iso_place = str(body.get("Host", machine.iso_place[0])), str(body.get("Path", machine.iso_place[1]))
        return reply(request, documents.iso_config(machine, *machine.iso_place))

    async def _iso_config(self, request: web.Request) -> web.Response:
        machine, slot = self._of_iso_config(request)
        if request.match_info["action"] == "UnMount":
            self._empty(machine, slot)
            return web.json_response({"Success": {"code": "Base.1.0.0.Success"}})
        host, path = machine.iso_place
        if slot.inserted or not host.startswith("http") or path.count("/") < 2:
            raise RedfishError("GeneralError")
        await self._attach(machine, slot, {"Image": f"{host}{path}"})
        return web.json_response({"Success": {"code": "Base.1.0.0.Success"}})

    def _empty(self, machine: Hardware, slot: Slot) -> None:
        if slot.image is not None:
            slot.eject()
            slot.emptied = self._clock.now()
            machine.console.print(f"BMC: slot {slot.id} is empty.")


def _protocol(image: str) -> str:
    """The protocol by which an image is read; shares may be written as ``host:/path`` (NFS) or ``//host/path``
    (CIFS).
    """
    if image.startswith("//"):
        return "CIFS"
    scheme, separator, _rest = image.partition("://")
    return scheme.upper() if separator else "NFS"


def _check_protocol(body: Mapping[str, Any], profile: Profile) -> None:
    protocol = _protocol(body["Image"])
    as_path = "://" not in body["Image"]
    if protocol not in profile.protocols or (protocol in ("NFS", "CIFS") and as_path is not profile.shares_as_paths):
        raise RedfishError("ActionParameterValueNotInList", body["Image"], "Image", _ACTION, related=["#/Image"])
    if body.get("TransferProtocolType", protocol) != protocol:
        raise RedfishError(
            "ActionParameterValueNotInList", body["TransferProtocolType"], "TransferProtocolType", _ACTION
        )


def _check_quirks(body: Mapping[str, Any], profile: Profile) -> None:
    for name in profile.insert_needs:
        if name not in body and not profile.names_missing:
            raise RedfishError("GeneralError", status=400)
        if name not in body:
            raise RedfishError(
                "ActionParameterMissing", _ACTION, name, related=[f"#/{name}"] if profile.names_related else []
            )
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
