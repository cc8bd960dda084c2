# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a small Redfish service for unit tests, on real sockets and with a switch for every behaviour.

The lab's BMCs are another, fuller implementation.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SYSTEM = "/redfish/v1/Systems/1"
MANAGER = "/redfish/v1/Managers/1"
USER, PASSWORD = "admin", "correct horse battery"


def refusal(message_id: str, message: str = "refused", **more: Any) -> dict[str, Any]:
    entry = {"MessageId": f"Base.1.8.{message_id}", "Message": message, **more}
    return {"error": {"code": f"Base.1.8.{message_id}", "message": message, "@Message.ExtendedInfo": [entry]}}


@dataclasses.dataclass
class FakeSlot:
    id: str
    types: tuple[str, ...] = ("CD", "DVD")
    image: str = ""
    inserted: bool = False
    action: bool = True
    patchable: bool = False
    refuses: int = 0


@dataclasses.dataclass
class FakeBmc:
    """The state and the switches. ``log`` has every request as (method, path, body)."""

    power: str = "On"
    uuid: str = "11111111-2222-3333-4444-555555555555"
    macs: tuple[str, ...] = ("52:54:00:00:00:01",)
    lists_nics: bool = True
    systems: list[str] | None = dataclasses.field(default_factory=lambda: [SYSTEM])  # None: they cannot be listed
    vendor: str = "Contoso"
    slots: list[FakeSlot] = dataclasses.field(
        default_factory=lambda: [FakeSlot("1", ("Floppy", "USBStick")), FakeSlot("2")]
    )
    media_on_manager: bool = False
    sessions: bool = True
    without_sessions: int = 404  # what a service without sessions answers to a login
    basic: bool = True
    boot: dict[str, Any] = dataclasses.field(
        default_factory=lambda: {"BootSourceOverrideEnabled": "Disabled", "BootSourceOverrideTarget": "None"}
    )
    boot_allowable: tuple[str, ...] = ("None", "Pxe", "Cd", "Hdd")
    reset_types: tuple[str, ...] = ("On", "ForceOff", "ForceRestart")
    etag: str = ""
    needs: tuple[str, ...] = ()  # InsertMedia parameters that are asked for one by one
    empty_inserts: int = 0  # so many inserts are answered well and do nothing
    eject_refused: bool = False  # an eject that works and answers 400
    task_inserts: bool = False
    power_stuck: bool = False
    boot_refused: bool = False
    fail_gets: int = 0  # so many GETs answer 503
    expire_session_after: int = 0
    settings: bool = False
    other_name: str = ""  # a name of the System that is redirected
    redirects_to: str = ""  # where that leads, if not to the System
    nics_on_a_page: int = 0
    log: list[tuple[str, str, Any]] = dataclasses.field(default_factory=list)
    open_sessions: dict[str, str] = dataclasses.field(default_factory=dict)
    ended_sessions: list[str] = dataclasses.field(default_factory=list)
    served: int = 0
    task_polls: int = 0

    def writes(self) -> list[tuple[str, str, Any]]:
        return [entry for entry in self.log if entry[0] != "GET" and "Sessions" not in entry[1]]

    # -- answers: (status, headers, body) ------------------------------------------------------------------------------

    def answer(self, method: str, path: str, body: Any, headers: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        self.log.append((method, path, body))
        if path == "/redfish/v1/":
            links = (
                {"Links": {"Sessions": {"@odata.id": "/redfish/v1/SessionService/Sessions"}}} if self.sessions else {}
            )
            return (
                200,
                {},
                {
                    "Vendor": self.vendor,
                    "Systems": {"@odata.id": "/redfish/v1/Systems"},
                    "Managers": {"@odata.id": "/redfish/v1/Managers"},
                    **links,
                },
            )
        if path.startswith("/redfish/v1/SessionService/Sessions"):
            return self._session(method, path, body, headers)
        if not self._authorised(headers):
            return 401, {}, refusal("NoValidSession", "There is no valid session established.")
        if method == "GET" and self.fail_gets:
            self.fail_gets -= 1
            return 503, {}, refusal("ServiceTemporarilyUnavailable")
        if self.other_name and path.startswith(f"/redfish/v1/Systems/{self.other_name}"):
            return 307, {"Location": self.redirects_to or path.replace(self.other_name, "1")}, "moved"
        handler: Callable[[Any, dict[str, str]], tuple[int, dict[str, str], Any]] | None = {
            ("GET", "/redfish/v1/Systems"): lambda b, h: self._systems(),
            ("GET", SYSTEM): lambda b, h: self._system(),
            ("GET", SYSTEM + "/Settings"): lambda b, h: (200, {}, {"Boot": dict(self.boot)}),
            ("PATCH", SYSTEM): self._patch_boot,
            ("PATCH", SYSTEM + "/Settings"): self._patch_boot,
            ("POST", SYSTEM + "/Actions/ComputerSystem.Reset"): self._reset,
            ("GET", MANAGER): lambda b, h: (200, {}, self._manager()),
            ("GET", "/redfish/v1/Task/1"): lambda b, h: self._task(),
        }.get((method, path))
        if handler:
            return handler(body, headers)
        if "/EthernetInterfaces" in path:
            return self._nics(path)
        if "/VirtualMedia" in path:
            return self._media(method, path, body)
        return 404, {}, refusal("ResourceMissingAtURI", f"{path} does not exist")

    def _systems(self) -> tuple[int, dict[str, str], Any]:
        if self.systems is None:
            return 403, {}, refusal("InsufficientPrivilege")
        return 200, {}, {"Members": [{"@odata.id": path} for path in self.systems]}

    def _session(self, method: str, path: str, body: Any, headers: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        if not self.sessions:
            return self.without_sessions, {}, "not found"
        if method == "POST":
            if body != {"UserName": USER, "Password": PASSWORD}:
                return 401, {}, refusal("ResourceAtUriUnauthorized", "wrong credentials")
            number = str(len(self.open_sessions) + len(self.ended_sessions) + 1)
            uri, token = f"/redfish/v1/SessionService/Sessions/{number}", f"token-{number}"
            self.open_sessions[uri] = token
            return 201, {"X-Auth-Token": token, "Location": uri}, {}
        if not self._authorised(headers):
            return 401, {}, {}
        self.open_sessions.pop(path, None)
        self.ended_sessions.append(path)
        return 204, {}, None

    def _authorised(self, headers: dict[str, str]) -> bool:
        self.served += 1
        if self.expire_session_after and self.served > self.expire_session_after:
            self.expire_session_after = 0
            self.open_sessions.clear()
        basic = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        return (self.basic and headers.get("authorization") == basic) or headers.get(
            "x-auth-token"
        ) in self.open_sessions.values()

    def _system(self) -> tuple[int, dict[str, str], Any]:
        resource: dict[str, Any] = {
            "@odata.id": SYSTEM,
            "UUID": self.uuid,
            "PowerState": self.power,
            "Boot": {**self.boot, "BootSourceOverrideTarget@Redfish.AllowableValues": list(self.boot_allowable)},
            "Links": {"ManagedBy": [{"@odata.id": MANAGER}]},
            "Actions": {
                "#ComputerSystem.Reset": {
                    "target": SYSTEM + "/Actions/ComputerSystem.Reset",
                    "ResetType@Redfish.AllowableValues": list(self.reset_types),
                }
            },
        }
        if self.lists_nics:
            resource["EthernetInterfaces"] = {"@odata.id": SYSTEM + "/EthernetInterfaces"}
        if not self.media_on_manager:
            resource["VirtualMedia"] = {"@odata.id": SYSTEM + "/VirtualMedia"}
        if self.settings:
            resource["@Redfish.Settings"] = {"SettingsObject": {"@odata.id": SYSTEM + "/Settings"}}
        return 200, {"ETag": self.etag} if self.etag else {}, resource

    def _manager(self) -> dict[str, Any]:
        return {
            "@odata.id": MANAGER,
            **({"VirtualMedia": {"@odata.id": MANAGER + "/VirtualMedia"}} if self.media_on_manager else {}),
        }

    def _nics(self, path: str) -> tuple[int, dict[str, str], Any]:
        last = path.rsplit("/", 1)[-1]
        collection, _question, first = last.partition("?first=")
        if collection == "EthernetInterfaces":
            path, begin = path.partition("?")[0], int(first or 0)
            end = begin + self.nics_on_a_page if self.nics_on_a_page else len(self.macs)
            more = {"Members@odata.nextLink": f"{path}?first={end}"} if end < len(self.macs) else {}
            return (
                200,
                {},
                {
                    "Members": [{"@odata.id": f"{path}/{index}"} for index in range(begin, min(end, len(self.macs)))],
                    **more,
                },
            )
        return 200, {}, {"MACAddress": self.macs[int(last)].upper()}

    def _media(self, method: str, path: str, body: Any) -> tuple[int, dict[str, str], Any]:
        base, after = path.split("/VirtualMedia", 1)
        here = f"{base}/VirtualMedia"
        if not after:
            return 200, {}, {"Members": [{"@odata.id": f"{here}/{slot.id}"} for slot in self.slots]}
        slot = next(slot for slot in self.slots if slot.id == after.split("/")[1])
        if method == "GET":
            actions = {
                f"#VirtualMedia.{name}": {"target": f"{here}/{slot.id}/Actions/VirtualMedia.{name}"}
                for name in ("InsertMedia", "EjectMedia")
            }
            state = {
                "Image": slot.image,
                "Inserted": slot.inserted,
                "ConnectedVia": "URI" if slot.inserted else "NotConnected",
            }
            return (
                200,
                {"Allow": "GET, PATCH" if slot.patchable else "GET"},
                {"Id": slot.id, "MediaTypes": list(slot.types), **state, "Actions": actions if slot.action else {}},
            )
        if method == "PATCH":
            slot.image, slot.inserted = body["Image"] or "", bool(body["Inserted"])
            return 204, {}, None
        return self._insert(slot, body) if path.endswith("InsertMedia") else self._eject(slot)

    def _insert(self, slot: FakeSlot, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        if slot.refuses:
            return slot.refuses, {}, refusal("ActionNotSupported", f"slot {slot.id} is internal")
        for name in self.needs:
            if name not in body:
                return (
                    400,
                    {},
                    refusal(
                        "ActionParameterMissing", f"requires the parameter {name}", RelatedProperties=[f"#/{name}"]
                    ),
                )
        if self.empty_inserts:
            self.empty_inserts -= 1
            return 204, {}, None
        slot.image, slot.inserted = body["Image"], True
        if self.task_inserts:
            return 202, {"Location": "/redfish/v1/Task/1", "Retry-After": "1"}, {}
        return 204, {}, None

    def _eject(self, slot: FakeSlot) -> tuple[int, dict[str, str], Any]:
        slot.inserted = False
        slot.image = ""
        return (400, {}, refusal("ActionNotSupported")) if self.eject_refused else (204, {}, None)

    def _task(self) -> tuple[int, dict[str, str], Any]:
        self.task_polls += 1
        return (
            (202, {"Location": "/redfish/v1/Task/1"}, {"TaskState": "Running"})
            if self.task_polls < 3
            else (200, {}, {"TaskState": "Completed"})
        )

    def _patch_boot(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        if self.etag and headers.get("if-match", "") not in ("", self.etag.removeprefix("W/")):
            return 412, {}, refusal("PreconditionFailed")
        if self.boot_refused:
            return 400, {}, refusal("PropertyNotWritable")
        self.boot.update(body["Boot"])
        return 204, {}, None

    def _reset(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        if body["ResetType"] not in self.reset_types:
            return 400, {}, refusal("ActionParameterNotSupported")
        if not self.power_stuck:
            self.power = "Off" if body["ResetType"] in ("ForceOff", "GracefulShutdown") else "On"
        return 204, {}, None


class Served:
    """A FakeBmc behind a real socket on 127.0.0.1."""

    def __init__(self, bmc: FakeBmc) -> None:
        self.bmc = bmc

        class Handler(BaseHTTPRequestHandler):
            disable_nagle_algorithm = True

            def handle_any(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                status, headers, answer = bmc.answer(
                    self.command, self.path, body, {name.lower(): value for name, value in self.headers.items()}
                )
                text = answer if answer is None or isinstance(answer, str) else json.dumps(answer)
                data = b"" if text is None else text.encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = do_DELETE = handle_any

            def log_message(self, *arguments: object) -> None:
                """Tests look at ``FakeBmc.log``."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()

    @property
    def address(self) -> str:
        return f"redfish-virtualmedia+http://127.0.0.1:{self.server.server_port}{SYSTEM}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
