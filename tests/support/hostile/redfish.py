# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate an attacker's BMC: a Redfish service whose resources a test changes at will."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from . import http_json

Tree = dict[str, Any]
ROOT, SYSTEM, MANAGER = "/redfish/v1/", "/redfish/v1/Systems/1", "/redfish/v1/Managers/1"
SESSIONS = "/redfish/v1/SessionService/Sessions"
USER, PASSWORD, TOKEN = "admin", "correct horse battery", "token-of-the-session"
MAC = "52:54:00:00:00:01"


def _link(path: str) -> dict[str, str]:
    return {"@odata.id": path}


def honest() -> Tree:
    """The resources of one machine, as a BMC has them."""
    actions = {
        f"#VirtualMedia.{name}": {"target": f"{MANAGER}/VirtualMedia/2/Actions/VirtualMedia.{name}"}
        for name in ("InsertMedia", "EjectMedia")
    }
    return {
        ROOT: {
            "Vendor": "Contoso",
            "Oem": {"Contoso": {}},
            "Systems": _link("/redfish/v1/Systems"),
            "Managers": _link("/redfish/v1/Managers"),
            "Links": {"Sessions": _link(SESSIONS)},
        },
        "/redfish/v1/Systems": {"Members": [_link(SYSTEM)], "Members@odata.count": 1},
        SYSTEM: {
            "@odata.id": SYSTEM,
            "@odata.etag": 'W/"1"',
            "UUID": "11111111-2222-3333-4444-555555555555",
            "SerialNumber": "S1",
            "Manufacturer": "Contoso",
            "Model": "M1",
            "PowerState": "Off",
            "Boot": {
                "BootSourceOverrideEnabled": "Disabled",
                "BootSourceOverrideMode": "UEFI",
                "BootSourceOverrideTarget": "None",
                "BootSourceOverrideTarget@Redfish.AllowableValues": ["None", "Pxe", "Cd", "Hdd"],
            },
            "Links": {"ManagedBy": [_link(MANAGER)]},
            "EthernetInterfaces": _link(f"{SYSTEM}/EthernetInterfaces"),
            "Actions": {
                "#ComputerSystem.Reset": {
                    "target": f"{SYSTEM}/Actions/ComputerSystem.Reset",
                    "@Redfish.ActionInfo": f"{SYSTEM}/ResetActionInfo",
                }
            },
            "@Redfish.Settings": {"SettingsObject": _link(f"{SYSTEM}/Settings")},
        },
        f"{SYSTEM}/Settings": {"Boot": {"BootSourceOverrideTarget": "None"}},
        f"{SYSTEM}/ResetActionInfo": {"Parameters": [{"Name": "ResetType", "AllowableValues": ["On", "ForceOff"]}]},
        f"{SYSTEM}/EthernetInterfaces": {"Members": [_link(f"{SYSTEM}/EthernetInterfaces/0")]},
        f"{SYSTEM}/EthernetInterfaces/0": {"MACAddress": MAC.upper(), "PermanentMACAddress": MAC},
        "/redfish/v1/Managers": {"Members": [_link(MANAGER)]},
        MANAGER: {
            "Manufacturer": "Contoso",
            "Model": "M1",
            "FirmwareVersion": "1.2.3",
            "VirtualMedia": _link(f"{MANAGER}/VirtualMedia"),
        },
        f"{MANAGER}/VirtualMedia": {"Members": [_link(f"{MANAGER}/VirtualMedia/2")]},
        f"{MANAGER}/VirtualMedia/2": {
            "Id": "2",
            "MediaTypes": ["CD", "DVD"],
            "Image": "",
            "ImageName": "",
            "Inserted": False,
            "ConnectedVia": "NotConnected",
            "Actions": actions,
        },
    }


class HostileBmc(http_json.HostileServer):
    """Serves ``tree``; POSTs and PATCHes answer 204, or what ``writes`` has for the path: (status, headers, body).

    ``login`` are headers of a login.
    """

    def __init__(self, tree: Tree | None = None) -> None:
        super().__init__({"*": self._answer})
        self.tree = honest() if tree is None else copy.deepcopy(tree)
        self.login = {"X-Auth-Token": TOKEN, "Location": f"{SESSIONS}/1"}
        self.writes: dict[str, tuple[int, dict[str, str], Any]] = {}
        self.headers: dict[str, str] = {}

    @property
    def address(self) -> str:
        return f"redfish-virtualmedia+{self.url}{SYSTEM}"

    def _answer(self, handler: http_json.Handler) -> None:
        path = handler.path
        if handler.command == "POST" and path == SESSIONS:
            http_json.send(handler, b"{}", 201, **self.login)
        elif (
            handler.command == "GET"
            and (found := self.tree.get(path, self.tree.get(path.partition("?")[0]))) is not None
        ):
            if callable(found):
                found(handler)
                return
            http_json.send(
                handler, found if isinstance(found, bytes) else json.dumps(found).encode(), 200, **self.headers
            )
        elif handler.command == "GET":
            http_json.send(handler, b"{}", 404)
        else:
            status, headers, body = self.writes.get(path, (200, {}, {}))
            http_json.send(handler, json.dumps(body).encode(), status, **headers)


@contextlib.contextmanager
def serving(tree: Tree | None = None) -> Iterator[HostileBmc]:
    """A BMC for the time of a ``with`` block."""
    bmc = HostileBmc(tree)
    try:
        yield bmc
    finally:
        bmc.close()


def endless_pages(collection: str) -> Callable[[http_json.Handler], None]:
    """A collection with one more page, whatever page is asked for."""
    counter = iter(range(1_000_000))
    return lambda handler: http_json.send(
        handler, json.dumps({"Members": [], "Members@odata.nextLink": f"{collection}?page={next(counter)}"}).encode()
    )
