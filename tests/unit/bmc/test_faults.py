# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test BMCs that fail temporarily, hide a resource, lack a feature, or reject a request in the middle of a boot. The
tests check what can still be read, and in which state the machine is left.
"""

from __future__ import annotations

import dataclasses
import json
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions, BootRequest, ImageAccess
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.media import APPEARS_WITHIN
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.observe import observe
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.plan import State
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.power import ON_FOR, STARTED_WITHIN
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot import inspection
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.facts import describe_machines
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.guard import Permission
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.inspection import inspect_all
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.libvirt import LibvirtRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.manual import ManualRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    RemoteError,
    Unreachable,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import HttpClient
from ansible_collections.zerotouch.openshift.tests.support import bmc as fake
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.hostile import http_json
from ansible_collections.zerotouch.openshift.tests.support.hostile import redfish as hostile

URL = "http://192.0.2.1:8080/token/agent.x86_64.iso"
MEDIA = f"{hostile.MANAGER}/VirtualMedia"
INSERT = f"{MEDIA}/2/Actions/VirtualMedia.InsertMedia"
EJECT = f"{MEDIA}/2/Actions/VirtualMedia.EjectMedia"
RESET = f"{hostile.SYSTEM}/Actions/ComputerSystem.Reset"


def request(bmc: hostile.HostileBmc, **more: Any) -> BootRequest:
    return BootRequest(
        "node-1",
        bmc.address,
        hostile.USER,
        hostile.PASSWORD,
        mac_addresses=(hostile.MAC,),
        **{"image_url": URL, **more},
    )


def options(**more: Any) -> BmcOptions:
    return BmcOptions(clock=Clock(), **more)


def boot(bmc: hostile.HostileBmc, **more: Any) -> Any:
    return boot_hosts([request(bmc)], "booted", options(**more))[0]


def writes(bmc: hostile.HostileBmc) -> list[tuple[str, str]]:
    return [
        (method, path)
        for method, path, _headers, _body in bmc.requests
        if method in ("POST", "PATCH") and path != hostile.SESSIONS
    ]


def answering(status: int, body: Any = None, **headers: str) -> Callable[[http_json.Handler], None]:
    return lambda handler: http_json.send(handler, json.dumps(body or {}).encode(), status, **headers)


class Machine:
    """A machine behind a BMC whose tree follows what is written to it."""

    def __init__(self, bmc: hostile.HostileBmc, power: str = "On") -> None:
        self.bmc = bmc
        self.system = bmc.tree[hostile.SYSTEM]
        self.slot = bmc.tree[f"{MEDIA}/2"]
        self.system["PowerState"] = power
        self.seen: Counter[str] = Counter()
        self.faults: dict[str, Callable[[http_json.Handler, int], bool]] = {}
        bmc.answers["*"] = self._answer

    def _answer(self, handler: http_json.Handler) -> None:
        self.seen[f"{handler.command} {handler.path}"] += 1
        fault = self.faults.get(f"{handler.command} {handler.path}")
        if fault and fault(handler, self.seen[f"{handler.command} {handler.path}"]):
            return
        body = json.loads(self.bmc.requests[-1][3] or b"{}")
        if handler.path == RESET:
            self.system["PowerState"] = "Off" if body["ResetType"] == "ForceOff" else "On"
        elif handler.path == INSERT:
            self.slot |= {"Image": body["Image"], "Inserted": True, "ConnectedVia": "URI"}
        elif handler.path == EJECT:
            self.slot |= {"Image": "", "Inserted": False, "ConnectedVia": "NotConnected"}
        elif handler.command == "PATCH" and handler.path in (hostile.SYSTEM, f"{hostile.SYSTEM}/Settings"):
            self.system["Boot"] |= body["Boot"]
        self.bmc._answer(handler)

    @property
    def power(self) -> str:
        return str(self.system["PowerState"])


def refusing(status: int, text: str, times: int = 10_000) -> Callable[[http_json.Handler, int], bool]:
    """Answers so many requests with an error, and carries none of them out."""

    def answer(handler: http_json.Handler, number: int) -> bool:
        if number <= times:
            http_json.send(handler, json.dumps(fake.refusal("GeneralError", text)).encode(), status)
        return number <= times

    return answer


# -- what is decided before the first write ----------------------------------------------------------------------------


def _no_action(bmc: hostile.HostileBmc) -> None:
    bmc.headers["Allow"] = "GET, HEAD"
    bmc.tree[f"{MEDIA}/2"]["Actions"] = {}


def _protocols(*names: str) -> Callable[[hostile.HostileBmc], None]:
    def change(bmc: hostile.HostileBmc) -> None:
        bmc.tree[f"{MEDIA}/2"]["Actions"]["#VirtualMedia.InsertMedia"][
            "TransferProtocolType@Redfish.AllowableValues"
        ] = list(names)

    return change


def _protocols_by_info(bmc: hostile.HostileBmc) -> None:
    bmc.tree[f"{MEDIA}/2"]["Actions"]["#VirtualMedia.InsertMedia"]["@Redfish.ActionInfo"] = "/info"
    bmc.tree["/info"] = {"Parameters": [{"Name": "TransferProtocolType", "Required": True, "AllowableValues": ["NFS"]}]}


def _licence(path: str) -> Callable[[hostile.HostileBmc], None]:
    def change(bmc: hostile.HostileBmc) -> None:
        bmc.tree[path] = answering(403, fake.refusal("LicenseRequired", "iLO Advanced license is required."))

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(_no_action, "has no InsertMedia action and cannot be changed by PATCH", id="no InsertMedia"),
        pytest.param(
            _protocols("CIFS", "HTTPS", "NFS"),
            ("takes CIFS, HTTPS, NFS only. Publish the image by cifs or https or nfs"),
            id="protocol",
        ),
        pytest.param(_protocols_by_info, "takes NFS only", id="protocol of the ActionInfo"),
        pytest.param(_licence(MEDIA), "no licence for virtual media", id="licence: the collection"),
        pytest.param(_licence(f"{MEDIA}/2"), "no licence for virtual media", id="licence: the slot"),
    ],
)
def test_what_is_known_stops_all_hosts_before_the_first_write(
    change: Callable[[hostile.HostileBmc], None], words: str
) -> None:
    with hostile.serving() as bmc, hostile.serving() as good:
        change(bmc)
        good.tree[hostile.SYSTEM]["UUID"] = "99999999-0000-0000-0000-000000000000"
        other = dataclasses.replace(request(good), name="node-2")
        first, second = boot_hosts([request(bmc), other], "booted", options())
        assert first.failed and first.phase == "guard" and words in first.reason, first.reason
        assert not second.failed and "because of node-1" in second.reason
        assert writes(bmc) == writes(good) == []


# -- after a failure ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("power", ["On", "Off"])
@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        pytest.param(
            f"POST {INSERT}", "The remote image was not found.", "The remote image was not found", id="insert"
        ),
        pytest.param(
            f"POST {INSERT}", "The product key is not activated.", "lacks a licence", id="licence at the insert"
        ),
        pytest.param(f"PATCH {hostile.SYSTEM}/Settings", "The property is read-only.", "read-only", id="boot once"),
    ],
)
def test_a_failed_boot_leaves_the_power_as_it_was(path: str, text: str, words: str, power: str) -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc, power)
        machine.faults[path] = refusing(400, text)
        result = boot(bmc)
        assert result.failed and words in result.reason, result.reason
        assert (
            "The machine is on again, as before." if power == "On" else "The machine is off, as before."
        ) in result.reason
        assert bmc.tree[hostile.SYSTEM]["Boot"]["BootSourceOverrideEnabled"] == "Disabled"
        assert machine.power == power and not machine.slot["Inserted"]
        assert result.power_state_after == power


def test_a_power_state_that_cannot_be_restored_is_reported() -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc)
        machine.faults[f"POST {INSERT}"] = refusing(400, "no such image")
        stuck = refusing(400, "the power supply failed")
        machine.faults[f"POST {RESET}"] = lambda handler, number: number > 1 and stuck(handler, number)
        result = boot(bmc)
    assert result.failed and machine.power == "Off"
    assert (
        "no such image" in result.reason
        and "The previous power state (on) of the machine could not be restored: " in result.reason
    )
    assert "the power supply failed" in result.reason


def test_a_machine_is_not_switched_on_with_an_image_that_stays() -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc)
        machine.faults[f"PATCH {hostile.SYSTEM}/Settings"] = refusing(400, "read-only")
        machine.faults[f"POST {EJECT}"] = refusing(400, "the drive is locked")
        result = boot(bmc)
    assert machine.power == "Off" and machine.slot["Inserted"]
    assert "could not be restored" in result.reason and "the drive is locked" in result.reason


def test_a_lost_lease_ends_the_writes_of_the_restoration_too() -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc)
        machine.faults[f"POST {INSERT}"] = refusing(400, "no such image")

        def lease() -> None:
            if machine.seen[f"POST {INSERT}"]:
                raise ZeroTouchError("Another run has the lease.")

        result = boot(bmc, before_write=lease)
    assert machine.power == "Off" and "could not be restored: Another run has the lease" in result.reason


# -- two runs that boot the same machine -------------------------------------------------------------------------------


@pytest.mark.parametrize("starts", [True, False], ids=["the other run starts it", "it stays off"])
@pytest.mark.parametrize("image", [URL, "http://192.0.2.9/other/discovery.iso"], ids=["same image", "another image"])
@pytest.mark.parametrize("early", [True, False], ids=["before our insert is prepared", "with our insert"])
def test_an_image_that_another_run_inserted_is_left_in_the_machine(image: str, starts: bool, early: bool) -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc, "Off")

        def inserted() -> None:
            machine.slot |= {"Image": image, "Inserted": True, "ConnectedVia": "URI"}

        def other_run(handler: http_json.Handler, number: int) -> bool:
            inserted()
            return refusing(409, "The drive is in use.")(handler, number)

        def read(_handler: http_json.Handler, _number: int) -> bool:
            if starts and machine.slot["Inserted"]:
                machine.system["PowerState"] = "On"
            return False

        machine.faults = {f"POST {INSERT}": other_run, f"GET {hostile.SYSTEM}": read}

        def progress(line: str) -> None:
            if early and "inserting" in line:
                inserted()

        result = boot(bmc, progress=progress)
        assert result.failed and result.phase == "in_use" and "another run" in result.reason, result.reason
        power = "On" if starts else "Off"
        assert f"The machine is {power}" in result.reason
        assert result.power_state_after == machine.power == power
        inserts = [] if starts and early else [("POST", INSERT)]
        assert machine.slot["Image"] == image and writes(bmc) == inserts


def test_a_machine_that_another_run_starts_is_left_alone() -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc, "Off")
        machine.slot |= {"Image": URL, "Inserted": True, "ConnectedVia": "URI"}
        clock = Clock()

        def read(_handler: http_json.Handler, _number: int) -> bool:
            if clock.slept:
                machine.system["PowerState"] = "On"
            return False

        machine.faults[f"GET {hostile.SYSTEM}"] = read
        result = boot_hosts([request(bmc)], "booted", BmcOptions(clock=clock))[0]
        assert result.failed and result.phase == "in_use" and writes(bmc) == [], result.reason


@pytest.mark.parametrize("power", ["On", "PoweringOn"])
@pytest.mark.parametrize("old", ["", "http://192.0.2.9/old.iso"], ids=["empty slot", "an old image"])
def test_a_machine_that_another_run_started_after_it_was_read_is_left_alone(old: str, power: str) -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc, "Off")
        if old:
            machine.slot |= {"Image": old, "Inserted": True, "ConnectedVia": "URI"}

        def other_run() -> Permission:
            machine.slot |= {"Image": "http://192.0.2.9/other.iso", "Inserted": True, "ConnectedVia": "URI"}
            machine.system["PowerState"] = power
            return Permission()

        result = boot_hosts([request(bmc)], "booted", options(), permit=lambda _machines: other_run())[0]
        assert result.failed and result.phase == "in_use" and writes(bmc) == [], result.reason
        assert result.power_state_after == power


def test_a_machine_that_another_run_started_with_our_insert_gets_no_boot_override() -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc, "Off")

        def started(_handler: http_json.Handler, _number: int) -> bool:
            machine.system["PowerState"] = "On"
            return False

        machine.faults[f"POST {INSERT}"] = started
        result = boot(bmc)
        assert result.failed and result.phase == "in_use" and writes(bmc) == [("POST", INSERT)], result.reason


def test_a_machine_that_shows_on_for_a_moment_is_booted() -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc, "Off")
        clock = Clock()

        def read(_handler: http_json.Handler, number: int) -> bool:
            if not writes(bmc):
                machine.system["PowerState"] = "On" if number > 1 and not clock.slept else "Off"
            return False

        machine.faults[f"GET {hostile.SYSTEM}"] = read
        result = boot_hosts([request(bmc)], "booted", BmcOptions(clock=clock))[0]
        assert not result.failed and machine.slot["Image"] == URL and sum(clock.slept) >= ON_FOR, result.reason


def test_a_machine_that_this_run_powered_off_is_restored_although_its_image_appeared_without_a_success() -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc, "On")

        def refused(handler: http_json.Handler, number: int) -> bool:
            machine.slot |= {"Image": URL, "Inserted": True, "ConnectedVia": "URI"}
            return refusing(400, "The image is bad.")(handler, number)

        machine.faults[f"POST {INSERT}"] = refused
        result = boot(bmc)
        assert result.failed and result.phase == "insert" and "The image is bad." in result.reason, result.reason
        assert "The machine is on again, as before." in result.reason
        assert machine.power == "On" and not machine.slot["Inserted"]


@pytest.mark.parametrize("state", ["booted", "ejected"])
def test_an_image_that_an_earlier_run_left_in_a_machine_is_ejected(state: State) -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc, "Off")
        machine.slot |= {"Image": URL, "Inserted": True, "ConnectedVia": "URI"}
        clock = Clock()
        assert not boot_hosts([request(bmc)], state, BmcOptions(clock=clock))[0].failed
        paths = [path for _method, path in writes(bmc)]
        waits = sum(clock.slept) >= STARTED_WITHIN
        assert (machine.power, paths[:2], waits) == (
            ("On", [EJECT, INSERT], True) if state == "booted" else ("Off", [EJECT], False)
        )


@pytest.mark.parametrize("power", ["On", "PoweringOn"])
@pytest.mark.parametrize("path", [f"POST {INSERT}", f"PATCH {hostile.SYSTEM}/Settings"], ids=["insert", "boot once"])
def test_a_failure_does_not_stop_a_machine_that_another_run_started(path: str, power: str) -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc, "Off")

        def refused(handler: http_json.Handler, number: int) -> bool:
            machine.system["PowerState"] = power
            return refusing(400, "The remote image was not found.")(handler, number)

        machine.faults[path] = refused
        result = boot(bmc)
        assert result.failed and result.phase == "in_use" and machine.power == result.power_state_after == power
        assert machine.slot["Inserted"] == (path != f"POST {INSERT}")
        assert "The machine was off before, and is on now." in result.reason, result.reason


def test_a_machine_that_another_run_starts_during_the_restoration_is_not_stopped() -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc, "Off")
        machine.faults[f"PATCH {hostile.SYSTEM}/Settings"] = refusing(400, "read-only")

        def started(_handler: http_json.Handler, _number: int) -> bool:
            machine.system["PowerState"] = "On"
            return False

        machine.faults[f"POST {EJECT}"] = started
        result = boot(bmc)
        assert result.failed and machine.power == "On" and ("POST", RESET) not in writes(bmc), result.reason


# -- answers that are lost, or come late -------------------------------------------------------------------------------


@pytest.mark.parametrize("power", ["On", "Off"])
@pytest.mark.parametrize("seen", ["before the second insert", "by the second insert"])
def test_an_image_that_appears_after_the_wait_is_our_own(seen: str, power: str) -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc, power)
        clock = Clock()
        accepted_at: list[float] = []

        def appear() -> None:
            machine.slot |= {"Image": URL, "Inserted": True, "ConnectedVia": "URI"}

        def accepted(handler: http_json.Handler, number: int) -> bool:
            if number == 1:
                accepted_at.append(sum(clock.slept))
                http_json.send(handler, b"", 204)
                return True
            appear()
            return refusing(409, "The drive is in use.")(handler, number)

        def read(_handler: http_json.Handler, _number: int) -> bool:
            waited = sum(clock.slept) - sum(accepted_at)
            if accepted_at and waited > APPEARS_WITHIN and seen == "before the second insert":
                appear()
            return False

        machine.faults = {f"POST {INSERT}": accepted, f"GET {MEDIA}/2": read}
        result = boot_hosts([request(bmc)], "booted", BmcOptions(clock=clock))[0]
        assert not result.failed and machine.power == "On" and machine.slot["Image"] == URL, result.reason
        assert machine.seen[f"POST {INSERT}"] == (1 if seen == "before the second insert" else 2)


def _lost(machine: Machine, status: int = 0) -> Callable[[http_json.Handler, int], bool]:
    """The first request is carried out, and its answer is an error or nothing."""

    def answer(handler: http_json.Handler, number: int) -> bool:
        if number > 1:
            return False
        body = json.loads(machine.bmc.requests[-1][3] or b"{}")
        if handler.path == INSERT:
            machine.slot |= {"Image": body["Image"], "Inserted": True, "ConnectedVia": "URI"}
        elif handler.path == RESET:
            machine.system["PowerState"] = "Off" if body["ResetType"] == "ForceOff" else "On"
        elif handler.path == EJECT:
            machine.slot |= {"Image": "", "Inserted": False, "ConnectedVia": "NotConnected"}
        if status:
            http_json.send(handler, b"{}", status)
        else:
            handler.close_connection = True
            handler.connection.close()
        return True

    return answer


@pytest.mark.parametrize("status", [0, 500, 503], ids=["connection cut", "500", "503"])
@pytest.mark.parametrize(
    "path", [f"POST {RESET}", f"POST {INSERT}", f"POST {EJECT}", f"PATCH {hostile.SYSTEM}/Settings"]
)
def test_a_write_whose_answer_is_lost_is_not_a_failure(path: str, status: int) -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc)
        machine.slot |= {"Image": "http://files.example.com/x/rescue.iso", "Inserted": True, "ConnectedVia": "URI"}
        machine.faults[path] = _lost(machine, status)
        result = boot(bmc)
        assert not result.failed, result.reason
        assert machine.power == "On" and machine.slot["Image"] == URL


@pytest.mark.parametrize(
    "path", [f"POST {RESET}", f"POST {INSERT}", f"PATCH {hostile.SYSTEM}/Settings", f"GET {hostile.SYSTEM}"]
)
def test_a_busy_bmc_says_when_to_ask_again(path: str) -> None:
    clock = Clock()
    with hostile.serving() as bmc:
        machine = Machine(bmc)
        machine.faults[path] = refusing(503, "The service is temporarily unavailable.  Retry in 17 seconds.", times=2)
        (result,) = boot_hosts([request(bmc)], "booted", BmcOptions(clock=clock))
        assert not result.failed, result.reason
    assert clock.slept.count(17.0) == 2


def test_a_session_that_is_lost_twice_in_a_row_is_no_wrong_password() -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc)
        lost = refusing(401, "There is no valid session", times=3)
        machine.faults[f"GET {hostile.SYSTEM}"] = lost
        machine.faults[f"POST {INSERT}"] = refusing(401, "There is no valid session", times=2)
        result = boot(bmc)
        assert not result.failed, result.reason
        # All of them are ended: the BMC may have kept them.
        ended = [path for method, path, _headers, _body in bmc.requests if method == "DELETE"]
        logins = [
            path for method, path, _headers, _body in bmc.requests if (method, path) == ("POST", hostile.SESSIONS)
        ]
        assert len(ended) == len(logins)


def test_sessions_that_end_at_once_are_not_reported_as_a_wrong_password() -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc)
        machine.faults[f"GET {hostile.SYSTEM}"] = refusing(401, "There is no valid session")
        result = boot(bmc)
    assert result.failed and "closes each session immediately" in result.reason and "this password" not in result.reason


def test_a_session_is_ended_although_the_bmc_is_busy() -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc)
        machine.faults[f"DELETE {hostile.SESSIONS}/1"] = refusing(503, "busy", times=3)
        bmc.tree[f"{hostile.SESSIONS}/1"] = {}
        assert not boot(bmc).failed
        assert machine.seen[f"DELETE {hostile.SESSIONS}/1"] >= 4


def _session(number: int, created: str, address: str = "192.0.2.7", user: str = hostile.USER) -> dict[str, Any]:
    return {
        "@odata.id": f"{hostile.SESSIONS}/{number}",
        "UserName": user,
        "ClientOriginIPAddress": address,
        "CreatedTime": created,
    }


def test_a_session_of_a_login_whose_answer_was_lost_is_ended() -> None:
    """Only one of our user and address that was opened since we began."""
    with hostile.serving() as bmc:
        machine = Machine(bmc)
        sessions = {
            1: _session(1, "2026-11-25T10:00:05Z"),
            2: _session(2, "2026-11-25T10:00:03+00:00"),
            3: _session(3, "2026-11-25T09:00:00Z"),
            4: _session(4, "2026-11-25T10:00:04Z", address="192.0.2.8"),
            5: _session(5, "2026-11-25T10:00:04Z", user="other"),
        }
        bmc.tree |= {str(session["@odata.id"]): session for session in sessions.values()}
        bmc.tree[hostile.SESSIONS] = {"Members": [{"@odata.id": session["@odata.id"]} for session in sessions.values()]}
        bmc.headers["Date"] = "Wed, 25 Nov 2026 10:00:01 GMT"
        machine.faults[f"POST {hostile.SESSIONS}"] = lambda handler, number: (
            number == 1 and refusing(500, "late")(handler, number)
        )
        observe(request(bmc), options())
        ended = {path for method, path, _headers, _body in bmc.requests if method == "DELETE"}
    assert ended == {f"{hostile.SESSIONS}/1", f"{hostile.SESSIONS}/2"}


# -- resources beside the System ---------------------------------------------------------------------------------------

SIDES = {
    "a second Manager": "/redfish/v1/Managers/2",
    "its media": "/redfish/v1/Managers/2/VirtualMedia",
    "a slot": "/redfish/v1/Managers/2/VirtualMedia/CD1",
    "ResetActionInfo": f"{hostile.SYSTEM}/ResetActionInfo",
    "SettingsObject": f"{hostile.SYSTEM}/Settings",
    "the NICs": f"{hostile.SYSTEM}/EthernetInterfaces",
}


@pytest.mark.parametrize("status", [403, 404, 500])
@pytest.mark.parametrize("side", SIDES)
def test_a_resource_that_cannot_be_read_does_not_hide_the_machine(side: str, status: int) -> None:
    with hostile.serving() as bmc:
        bmc.tree[hostile.SYSTEM]["Links"]["ManagedBy"].append({"@odata.id": "/redfish/v1/Managers/2"})
        bmc.tree["/redfish/v1/Managers/2"] = {"VirtualMedia": {"@odata.id": "/redfish/v1/Managers/2/VirtualMedia"}}
        bmc.tree["/redfish/v1/Managers/2/VirtualMedia"] = {
            "Members": [{"@odata.id": "/redfish/v1/Managers/2/VirtualMedia/CD1"}]
        }
        bmc.tree["/redfish/v1/Managers/2/VirtualMedia/CD1"] = {"Id": "CD1", "MediaTypes": ["CD"]}
        bmc.tree[SIDES[side]] = answering(status)
        Machine(bmc)
        (described,) = describe_machines(inspect_all([request(bmc)], options(), read_only=True))
        assert not described["failed"] and described["power_state"] == "On"
        assert any(SIDES[side] in text or "does not report its NICs" in text for text in described["warnings"]), (
            described["warnings"]
        )
        assert not boot(bmc).failed


def test_a_wrong_password_is_not_taken_for_a_resource_that_cannot_be_read() -> None:
    served = fake.Served(fake.FakeBmc(basic=True, sessions=False))
    try:
        (outcome,) = inspect_all([BootRequest("node-1", served.address, fake.USER, "wrong")], options(), read_only=True)
    finally:
        served.close()
    assert "refuses user" in str(outcome.error)


# -- the image server --------------------------------------------------------------------------------------------------

PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


def test_the_login_and_the_certificate_of_the_image_server() -> None:
    access = ImageAccess("reader", "a secret of the images", ca_cert=PEM)
    with hostile.serving() as bmc:
        machine = Machine(bmc)
        machine.slot |= {"VerifyCertificate": False, "Certificates": {"@odata.id": "/certificates"}}
        bmc.tree["/certificates"] = {"Members": []}
        (result,) = boot_hosts(
            [request(bmc, image_url=URL.replace("http:", "https:"))], "booted", options(image_access=access)
        )
        assert not result.failed, result.reason
        sent = {
            (method, path): json.loads(body)
            for method, path, _headers, body in bmc.requests
            if method in ("POST", "PATCH") and body
        }
        assert sent["POST", "/certificates"] == {"CertificateString": PEM, "CertificateType": "PEM"}
        assert sent["PATCH", f"{MEDIA}/2"] == {"VerifyCertificate": True}
        assert {**sent["POST", INSERT], "Image": ""} == {
            "Image": "",
            "UserName": "reader",
            "Password": "a secret of the images",
        }
        assert "a secret of the images" not in f"{result.as_dict()} {access}"


def test_a_certificate_that_the_bmc_trusts_already_is_not_sent() -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc)
        machine.slot |= {"VerifyCertificate": True, "Certificates": {"@odata.id": "/certificates"}}
        bmc.tree["/certificates"] = {"Members": [{"@odata.id": "/certificates/1"}]}
        bmc.tree["/certificates/1"] = {"CertificateString": PEM.replace("\n", "\r\n")}
        boot_hosts(
            [request(bmc, image_url=URL.replace("http:", "https:"))],
            "booted",
            options(image_access=ImageAccess(ca_cert=PEM)),
        )
        assert ("POST", "/certificates") not in writes(bmc) and ("PATCH", f"{MEDIA}/2") not in writes(bmc)


@pytest.mark.parametrize(("validate", "patched"), [(None, False), (False, True), (True, False)])
def test_verification_is_left_as_it_is_unless_the_user_says(validate: bool | None, patched: bool) -> None:
    with hostile.serving() as bmc:
        machine = Machine(bmc)
        machine.slot["VerifyCertificate"] = True
        access = ImageAccess(validate_certs=validate)
        boot_hosts([request(bmc, image_url=URL.replace("http:", "https:"))], "booted", options(image_access=access))
        assert (("PATCH", f"{MEDIA}/2") in writes(bmc)) is patched


@pytest.mark.parametrize(
    ("url", "protocol"),
    [
        ("nfs://files.example.com/x/agent.iso", "NFS"),
        ("cifs://files/share/agent.iso", "CIFS"),
        ("smb://files/share/agent.iso", "CIFS"),
    ],
)
def test_shares_name_their_protocol(url: str, protocol: str) -> None:
    with hostile.serving() as bmc:
        Machine(bmc)
        assert not boot_hosts([request(bmc, image_url=url)], "booted", options())[0].failed
        (body,) = [json.loads(body) for method, path, _headers, body in bmc.requests if path == INSERT]
    assert body == {"Image": url, "TransferProtocolType": protocol}


# -- many hosts --------------------------------------------------------------------------------------------------------


class Rack:
    """Hosts of a method that reads them as the test says."""

    def __init__(self, read: Callable[[str, int], Any]) -> None:
        self.read = read
        self.times: Counter[str] = Counter()

    def inspect(self, request: Any, options: BmcOptions, *, read_only: bool) -> Any:
        self.times[request.name] += 1
        return self.read(request.name, self.times[request.name])


def hosts(number: int) -> list[BootRequest]:
    return [BootRequest(f"node-{index}", "redfish-virtualmedia://10.0.0.1") for index in range(number)]


def unreachable(kind: str) -> Unreachable:
    return Unreachable("BMC: no answer.", kind)


@pytest.mark.parametrize(
    ("error", "hosts_failing", "times"),
    [
        pytest.param(RemoteError("BMC", 503, "busy"), 1, 2, id="busy"),
        pytest.param(unreachable("broken"), 30, 2, id="broken connection"),
        pytest.param(unreachable("timeout"), 4, 2, id="a few without an answer"),
        pytest.param(unreachable("timeout"), 30, 1, id="many without an answer: the time would double"),
        pytest.param(unreachable("tls"), 1, 1, id="certificate"),
        pytest.param(RemoteError("BMC", 403, "no right"), 1, 1, id="no right"),
        pytest.param(ZeroTouchError("The BMC lists no System."), 1, 1, id="no System"),
    ],
)
def test_hosts_that_failed_are_read_once_more_at_the_end(
    error: Exception, hosts_failing: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = {f"node-{index}" for index in range(hosts_failing)}

    def read(name: str, time: int) -> str:
        if name in failing and time == 1:
            raise error
        return name

    rack = Rack(read)
    monkeypatch.setattr(inspection, "method_of", lambda request: rack)
    outcomes = inspect_all(hosts(40), BmcOptions(forks=4))
    assert {rack.times[name] for name in failing} == {times} and sum(rack.times.values()) == 40 + (
        times - 1
    ) * hosts_failing
    assert [outcome.error is None for outcome in outcomes] == [
        times == 2 or outcome.item.name not in failing for outcome in outcomes
    ]
    assert [outcome.item.name for outcome in outcomes] == [host.name for host in hosts(40)]


def test_progress_from_the_start_and_each_half_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    reported = threading.Event()

    def show(line: str) -> None:
        lines.append(line)
        if len(lines) > 3 and line.startswith("BMCs answered: 250 of 500"):
            reported.set()

    def read(name: str, time: int) -> str:
        if name == "node-499":
            assert reported.wait(30)
        if int(name.removeprefix("node-")) % 2:
            raise unreachable("timeout")
        return name

    rack = Rack(read)
    monkeypatch.setattr(inspection, "method_of", lambda request: rack)
    monkeypatch.setattr(inspection, "LINE_EVERY", 0.01)
    inspect_all(hosts(500), BmcOptions(forks=20, progress=show))
    assert (
        lines[0]
        == "BMCs answered: 0 of 500. Up to 20 machines are read in parallel; if none answers, this ends after 15 min."
    )
    assert lines[-1].startswith("BMCs answered: 250 of 500; failed: node-") and lines[-1].endswith(" others.")
    assert all(len(line) <= 120 for line in lines)


def test_progress_of_a_mixed_fleet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Domains are counted as what they are, and hosts that the user boots are not counted."""
    lines: list[str] = []
    rack = Rack(lambda name, time: name)
    monkeypatch.setattr(inspection, "method_of", lambda request: rack)
    domains = [LibvirtRequest(f"vm-{index}", "qemu:///system", f"vm-{index}") for index in range(30)]
    inspect_all([*domains, ManualRequest("manual-0")], BmcOptions(forks=20, progress=lines.append))
    inspect_all([*hosts(3), *domains, ManualRequest("manual-0")], BmcOptions(forks=20, progress=lines.append))
    assert lines == [
        "Domains answered: 0 of 30. Up to 20 machines are read in parallel.",
        "BMCs and domains answered: 0 of 33. Up to 20 machines are read in parallel.",
    ]


def test_few_hosts_are_read_without_a_line() -> None:
    lines: list[str] = []
    with hostile.serving() as bmc:
        inspect_all([request(bmc)], options(progress=lines.append))
    assert lines == []


# -- connections -------------------------------------------------------------------------------------------------------


class Connections:
    """Which requests came on which connection.

    With ``cut``, the BMC ends each connection instead of answering its second request.
    """

    def __init__(self, machine: Machine, *, cut: bool) -> None:
        self.requests: dict[Any, list[str]] = {}
        self._machine, self._cut = machine, cut
        machine.bmc.answers["*"] = self._answer

    def _answer(self, handler: http_json.Handler) -> None:
        on_this = self.requests.setdefault(handler.client_address, [])
        on_this.append(handler.command)
        if self._cut and len(on_this) > 1:
            handler.close_connection = True
        else:
            self._machine._answer(handler)


@pytest.mark.parametrize(("vendor", "shared"), [("Contoso", False), ("HPE", True), ("Supermicro", True)])
def test_reads_share_connections_where_bmcs_are_known_to_serve_them(vendor: str, shared: bool) -> None:
    with hostile.serving() as bmc:
        bmc.tree[hostile.ROOT]["Vendor"] = vendor
        connections = Connections(Machine(bmc), cut=False)
        assert not boot(bmc).failed
    for requests in connections.requests.values():
        assert requests == ["GET"] * len(requests) or len(requests) == 1, "a write has a connection of its own"
    largest = max(len(requests) for requests in connections.requests.values())
    assert largest > 5 if shared else largest == 1, connections.requests


def test_a_kept_connection_that_ends_is_no_fault_of_the_bmc() -> None:
    clock = Clock()
    with hostile.serving() as bmc:
        bmc.tree[hostile.ROOT]["Vendor"] = "HPE"
        connections = Connections(Machine(bmc), cut=True)
        machine = observe(request(bmc), BmcOptions(clock=clock))
    assert machine.slots and not machine.notes and not clock.slept, "it is repeated at once"
    assert sorted(len(requests) for requests in connections.requests.values())[-2:] == [1, 2], (
        "no connection is kept after the first that ended"
    )


def test_a_kept_tls_connection_that_ended_is_no_fault_of_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, faults = Clock(), iter(["tls"])
    send = HttpClient.request

    def sent(http: HttpClient, method: str, path: str, **more: Any) -> Any:
        if "Connection" not in more["headers"] and (kind := next(faults, "")):
            raise unreachable(kind)
        return send(http, method, path, **more)

    monkeypatch.setattr(HttpClient, "request", sent)
    with hostile.serving() as bmc:
        bmc.tree[hostile.ROOT]["Vendor"] = "HPE"
        assert observe(request(bmc), BmcOptions(clock=clock)).slots and not clock.slept
