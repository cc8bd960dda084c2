# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve the Redfish resources ComputerSystem (with network ports) and Manager: reads, boot
override, and power actions.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from ..clock import LabClock
from ..faults import Faults
from ..machine.hardware import RESET_TYPES, Hardware, PowerConflict
from . import documents
from .errors import RedfishError
from .exchange import check_etag, read_body, reply

ROOT = documents.ROOT
_BOOT_PROPERTIES = ("BootSourceOverrideTarget", "BootSourceOverrideEnabled", "BootSourceOverrideMode")


class Systems:
    """The machines of one BMC by system id."""

    def __init__(self, machines: Mapping[str, Hardware], clock: LabClock, faults: Faults) -> None:
        self._machines = machines
        self._clock = clock
        self._faults = faults

    def add_routes(self, app: web.Application) -> None:
        system = f"{ROOT}/Systems/{{system}}"
        app.add_routes(
            [
                web.get(f"{ROOT}/Systems", self._list_systems),
                web.get(f"{ROOT}/Managers", self._list_managers),
                web.get(system, self._get),
                web.patch(system, self._patch),
                web.get(f"{system}/Settings", self._get_settings),
                web.patch(f"{system}/Settings", self._patch),
                web.post(f"{system}/Actions/ComputerSystem.Reset", self._reset),
                web.get(f"{system}/EthernetInterfaces", self._list_ports),
                web.get(f"{system}/EthernetInterfaces/{{port}}", self._get_port),
                web.get(f"{system}/Storage", self._list_storage),
                web.get(f"{system}/Storage/1", self._get_storage),
                web.get(f"{system}/Storage/1/Drives/{{drive}}", self._get_drive),
                web.get(f"{system}/SimpleStorage", self._list_storage),
                web.get(f"{system}/SimpleStorage/1", self._get_storage),
                web.get(f"{ROOT}/Managers/{{system}}", self._get_manager),
            ]
        )

    def machine(self, request: web.Request) -> Hardware:
        """The machine that the URL names; raises RedfishError 404."""
        return find_machine(self._machines, request)

    async def _list_systems(self, request: web.Request) -> web.Response:
        members = [f"{ROOT}/Systems/{identifier}" for identifier in self._machines]
        return reply(
            request,
            documents.collection(f"{ROOT}/Systems", "ComputerSystemCollection", "Computer System Collection", members),
        )

    async def _list_managers(self, request: web.Request) -> web.Response:
        members = [f"{ROOT}/Managers/{identifier}" for identifier in self._machines]
        return reply(
            request, documents.collection(f"{ROOT}/Managers", "ManagerCollection", "Manager Collection", members)
        )

    async def _get(self, request: web.Request) -> web.Response:
        machine = self.machine(request)
        return reply(request, documents.system(machine), weak=machine.profile.etags == "weak")

    async def _get_settings(self, request: web.Request) -> web.Response:
        return reply(request, self._settings(request))

    def _settings(self, request: web.Request) -> documents.Document:
        machine = self.machine(request)
        if not machine.profile.boot_in_settings:
            raise RedfishError("ResourceMissingAtURI", request.path)
        return documents.settings(machine)

    async def _get_manager(self, request: web.Request) -> web.Response:
        machine = self.machine(request)
        ahead = self._faults.peek("bmc-clock", machine.spec.name)
        # The time of the world, not of the lab: the user's machine compares its own with it.
        now = datetime.datetime.now(datetime.UTC) + datetime.timedelta(
            seconds=ahead.number("seconds", 3600) if ahead else 0
        )
        return reply(
            request,
            documents.manager(machine)
            | {"DateTime": now.isoformat(timespec="seconds"), "DateTimeLocalOffset": "+00:00"},
        )

    def _ports(self, machine: Hardware) -> list[tuple[str, str, bool]]:
        if self._faults.peek("bmc-wrong-mac", machine.spec.name):
            return [
                (name, f"02:ee:ee:ee:ee:{index:02x}", link) for index, (name, _mac, link) in enumerate(machine.nics)
            ]
        return machine.nics

    async def _list_ports(self, request: web.Request) -> web.Response:
        path = f"{ROOT}/Systems/{request.match_info['system']}/EthernetInterfaces"
        members = [f"{path}/{name}" for name, _mac, _link in self._ports(self.machine(request))]
        return reply(
            request, documents.collection(path, "EthernetInterfaceCollection", "Ethernet Interface Collection", members)
        )

    async def _get_port(self, request: web.Request) -> web.Response:
        machine = self.machine(request)
        for name, mac, link in self._ports(machine):
            if name == request.match_info["port"]:
                return reply(request, documents.ethernet_interface(machine, name, mac, link))
        raise RedfishError("ResourceMissingAtURI", request.path)

    def _with_storage(self, request: web.Request) -> Hardware:
        """The machine, if its BMC lists drives in this way."""
        machine = self.machine(request)
        if request.path.split("/")[5] != machine.profile.storage:
            raise RedfishError("ResourceMissingAtURI", request.path)
        return machine

    async def _list_storage(self, request: web.Request) -> web.Response:
        kind = self._with_storage(request).profile.storage
        path = f"{ROOT}/Systems/{request.match_info['system']}/{kind}"
        return reply(request, documents.collection(path, f"{kind}Collection", f"{kind} Collection", [f"{path}/1"]))

    async def _get_storage(self, request: web.Request) -> web.Response:
        machine = self._with_storage(request)
        simple = machine.profile.storage == "SimpleStorage"
        return reply(request, documents.simple_storage(machine) if simple else documents.storage(machine))

    async def _get_drive(self, request: web.Request) -> web.Response:
        machine = self._with_storage(request)
        for disk in machine.spec.disks:
            if disk.name == request.match_info["drive"]:
                return reply(request, documents.drive(machine, disk))
        raise RedfishError("ResourceMissingAtURI", request.path)

    async def _patch(self, request: web.Request) -> web.Response:
        machine = self.machine(request)
        if fault := self._faults.take("bmc-job-runs", machine.spec.name):
            raise RedfishError("RAC0679", status=int(fault.number("status", 503)))
        in_settings = request.path.endswith("/Settings")
        current = self._settings(request) if in_settings else documents.system(machine)
        check_etag(request, current, required=machine.profile.etags == "required")
        if "If-Match" in request.headers and self._faults.take("bmc-stale-etag", machine.spec.name):
            raise RedfishError("PreconditionFailed")
        body = await read_body(request)
        if machine.profile.boot_in_settings and not in_settings and "Boot" in body:
            raise RedfishError("PropertyNotWritable", "Boot", related=["#/Boot"])
        changes = _boot_changes(body, current)
        for name in machine.profile.boot_together:
            if name not in changes and "BootSourceOverrideTarget" in changes:
                raise RedfishError("PropertyMissing", name, related=[f"#/Boot/{name}"])
        machine.boot.target = changes.get("BootSourceOverrideTarget", machine.boot.target)
        machine.boot.enabled = changes.get("BootSourceOverrideEnabled", machine.boot.enabled)
        reset = machine.profile.target_resets_mode and "BootSourceOverrideTarget" in changes
        machine.boot.mode = changes.get("BootSourceOverrideMode", "Legacy" if reset else machine.boot.mode)
        if machine.boot.enabled == "Disabled":
            machine.boot.target = "None"
        return reply(
            request,
            documents.settings(machine) if in_settings else documents.system(machine),
            weak=machine.profile.etags == "weak",
        )

    async def _reset(self, request: web.Request) -> web.Response:
        machine = self.machine(request)
        body = await read_body(request)
        unknown = sorted(set(body) - {"ResetType"})
        if unknown:
            raise RedfishError(
                "ActionParameterUnknown", "ComputerSystem.Reset", unknown[0], related=[f"#/{unknown[0]}"]
            )
        if "ResetType" not in body:
            raise RedfishError("ActionParameterMissing", "ComputerSystem.Reset", "ResetType", related=["#/ResetType"])
        if body["ResetType"] not in RESET_TYPES:
            raise RedfishError(
                "ActionParameterValueNotInList",
                str(body["ResetType"]),
                "ResetType",
                "ComputerSystem.Reset",
                related=["#/ResetType"],
            )
        settling = self._clock.now() < machine.off_since + machine.profile.power_on_after
        if body["ResetType"] in ("On", "ForceOn") and settling:
            raise RedfishError("ActionParameterValueConflict", "ResetType", body["ResetType"])
        try:
            machine.reset(body["ResetType"])
        except PowerConflict as error:
            raise RedfishError("ActionParameterValueConflict", "ResetType", body["ResetType"]) from error
        return web.Response(status=204)


def find_machine(machines: Mapping[str, Hardware], request: web.Request) -> Hardware:
    """The machine that the URL names; raises RedfishError 404."""
    try:
        return machines[request.match_info["system"]]
    except KeyError as error:
        raise RedfishError("ResourceMissingAtURI", request.path) from error


def _boot_changes(body: Mapping[str, Any], current: Mapping[str, Any]) -> dict[str, str]:
    if not body:
        raise RedfishError("UnrecognizedRequestBody")
    for name in body:
        if name != "Boot":
            raise RedfishError(
                "PropertyNotWritable" if name in current else "PropertyUnknown", name, related=[f"#/{name}"]
            )
    boot = body["Boot"]
    if not isinstance(boot, dict) or not boot:
        raise RedfishError("PropertyValueTypeError", str(boot), "Boot", related=["#/Boot"])
    for name, value in boot.items():
        if name not in _BOOT_PROPERTIES:
            raise RedfishError("PropertyUnknown", name, related=[f"#/Boot/{name}"])
        if value not in current["Boot"][f"{name}@Redfish.AllowableValues"]:
            raise RedfishError("PropertyValueNotInList", str(value), name, related=[f"#/Boot/{name}"])
    return boot
