# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve vendor-specific actions of the Redfish Manager resource: iDRAC's configuration import with its jobs, and AMI's
switch for remote media.
"""

from __future__ import annotations

import xml.etree.ElementTree as Xml
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from ..clock import LabClock
from ..faults import Faults
from ..machine.hardware import Hardware
from . import documents
from .errors import RedfishError
from .exchange import read_body, reply
from .system import find_machine
from .tasks import Tasks

IMPORT_SECONDS = 20.0


class VendorActions:
    """The vendor actions of the Managers of one BMC, by system id."""

    def __init__(self, machines: Mapping[str, Hardware], clock: LabClock, faults: Faults, tasks: Tasks) -> None:
        self._machines = machines
        self._clock = clock
        self._faults = faults
        self._tasks = tasks
        self._importing_until = 0.0

    def add_routes(self, app: web.Application) -> None:
        manager = f"{documents.ROOT}/Managers/{{system}}"
        app.add_routes(
            [
                web.post(f"{manager}/Actions/Oem/EID_674_Manager.ImportSystemConfiguration", self._import),
                web.post(f"{manager}/Actions/Oem/AMIVirtualMedia.EnableRMedia", self._enable),
                web.get(f"{manager}/Oem/Dell/DellJobService", self._get_jobs),
                web.post(f"{manager}/Oem/Dell/DellJobService/Actions/DellJobService.DeleteJobQueue", self._delete_jobs),
            ]
        )

    def _machine(self, request: web.Request, attribute: str) -> Hardware:
        machine = find_machine(self._machines, request)
        if not getattr(machine.profile, attribute):
            raise RedfishError("ResourceMissingAtURI", request.path)
        return machine

    async def _import(self, request: web.Request) -> web.Response:
        machine = self._machine(request, "imports_boot")
        attributes = _attributes(await read_body(request), machine.spec.bmc.system_id)
        if self._faults.peek("bmc-job-waits", machine.spec.name):
            raise RedfishError("LC068")
        if self._clock.now() < self._importing_until:
            raise RedfishError("RAC0679")
        self._importing_until = self._clock.now() + IMPORT_SECONDS

        async def work() -> None:
            if attributes.get("ServerBoot.1#BootOnce") == "Enabled":
                machine.boot.enabled, machine.boot.target = (
                    "Once",
                    attributes.get("ServerBoot.1#FirstBootDevice", "None"),
                )

        return self._tasks.accept(IMPORT_SECONDS, work)

    async def _enable(self, request: web.Request) -> web.Response:
        machine = self._machine(request, "must_enable")
        body = await read_body(request)
        if body.get("RMediaState") not in ("Enable", "Disable"):
            raise RedfishError(
                "ActionParameterMissing", "AMIVirtualMedia.EnableRMedia", "RMediaState", related=["#/RMediaState"]
            )
        machine.remote_media = body["RMediaState"] == "Enable"
        return web.json_response({})

    async def _get_jobs(self, request: web.Request) -> web.Response:
        self._machine(request, "imports_boot")
        actions = {
            "#DellJobService.DeleteJobQueue": {"target": f"{request.path}/Actions/DellJobService.DeleteJobQueue"}
        }
        return reply(request, {"@odata.id": request.path, "Id": "DellJobService", "Actions": actions})

    async def _delete_jobs(self, request: web.Request) -> web.Response:
        machine = self._machine(request, "imports_boot")
        if (await read_body(request)).get("JobID") != "JID_CLEARALL":
            raise RedfishError("ActionParameterMissing", "DellJobService.DeleteJobQueue", "JobID")
        self._faults.clear("bmc-job-waits", machine.spec.name)
        self._importing_until = 0.0
        return web.json_response({})


def _attributes(body: Mapping[str, Any], identifier: str) -> dict[str, str]:
    """The attributes of an import.

    As on hardware, white space between elements makes it fail. Raises RedfishError 400.
    """
    text, target = body.get("ImportBuffer"), body.get("ShareParameters")
    if not isinstance(text, str) or not isinstance(target, dict) or not target.get("Target"):
        raise RedfishError("ActionParameterMissing", "ImportSystemConfiguration", "ImportBuffer")
    try:
        root = Xml.fromstring(text)
    except Xml.ParseError as error:
        raise RedfishError("PropertyValueTypeError", "ImportBuffer", "ImportBuffer") from error
    loose = any((element.tail or "").strip(" \n\t") != (element.tail or "") for element in root.iter())
    components = [component for component in root if component.get("FQDD") == identifier]
    if loose or root.tag != "SystemConfiguration" or not components:
        raise RedfishError("PropertyValueTypeError", "ImportBuffer", "ImportBuffer")
    return {str(item.get("Name")): item.text or "" for component in components for item in component}
