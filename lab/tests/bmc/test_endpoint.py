# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the lab's simulated BMC over HTTP: sessions, boot override, power, virtual media, errors, injected faults."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from ztlab.bmc.endpoint import BmcEndpoint
from ztlab.clock import LabClock
from ztlab.faults import Faults
from ztlab.machine.console import Console
from ztlab.machine.hardware import Hardware, Outcome
from ztlab.site.load import parse_site

SYSTEM = "/redfish/v1/Systems/1"
SESSIONS = "/redfish/v1/SessionService/Sessions"
SLOT = f"{SYSTEM}/VirtualMedia/1"
BASIC = {"Authorization": "Basic " + base64.b64encode(b"admin:secret").decode()}
URL = "http://images.example.com/agent.iso"
Client = TestClient[web.Request, web.Application]


class Rig:
    def __init__(self, directory: Path) -> None:
        self.clock, self.faults = LabClock(500), Faults()
        nic = {"name": "eno1", "mac": "02:00:00:00:00:01", "network": "n"}
        bmc = {
            "address": "https://10.0.0.1/redfish/v1/Systems/1",
            "username": "admin",
            "password": "secret",
            "sessions": 2,
        }
        machine = {"name": "m", "nics": [nic], "disks": [{"name": "sda", "size_gib": 1}], "bmc": bmc}
        site = parse_site({"networks": [{"name": "n", "cidr": "10.1.0.0/24"}], "machines": [machine]})
        self.machine = Hardware(
            site.machines[0],
            clock=self.clock,
            faults=self.faults,
            console=Console(directory / "m.log", self.clock),
            run=self._run,
        )
        self.endpoint = BmcEndpoint([self.machine], clock=self.clock, faults=self.faults, probe=self._probe)
        self.runs = 0

    async def _run(self, machine: Hardware) -> Outcome:
        self.runs += 1
        return Outcome.HALT

    async def _probe(self, url: str) -> str:
        return "" if "example.com" in url else "connection refused"


def with_bmc(tmp_path: Path, flow: Callable[[Rig, Client], Awaitable[None]]) -> None:
    async def main() -> None:
        rig = Rig(tmp_path)
        async with TestClient(TestServer(rig.endpoint.app), headers=BASIC) as client:
            await flow(rig, client)
        await rig.machine.close()

    asyncio.run(asyncio.wait_for(main(), 300))


async def error_id(response: aiohttp.ClientResponse) -> str:
    error = (await response.json())["error"]
    assert error["code"] == error["@Message.ExtendedInfo"][0]["MessageId"]
    return str(error["code"]).rsplit(".", 1)[-1]


def test_resources_are_linked(tmp_path: Path) -> None:
    async def flow(rig: Rig, client: Client) -> None:
        seen: set[str] = set()
        waiting = ["/redfish/v1/"]
        while waiting:
            path = waiting.pop()
            seen.add(path)
            response = await client.get(path)
            assert response.status == 200, path
            waiting += [link for link in links(await response.json()) if link not in seen and link not in waiting]
        for expected in (SYSTEM, SLOT, f"{SYSTEM}/EthernetInterfaces/eno1", "/redfish/v1/Managers/1", SESSIONS):
            assert expected in seen

    with_bmc(tmp_path, flow)


def links(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["@odata.id"]] if "@odata.id" in value else []
        return own + [link for part in value.values() for link in links(part)]
    return [link for part in value for link in links(part)] if isinstance(value, list) else []


def test_only_the_root_is_open(tmp_path: Path) -> None:
    async def flow(rig: Rig, client: Client) -> None:
        assert (await client.get("/redfish/v1/", headers={"Authorization": ""})).status == 200
        for headers in (
            {"Authorization": ""},
            {"Authorization": "Basic YTpi"},
            {"Authorization": "Basic !"},
            {"Authorization": "", "X-Auth-Token": "x"},
        ):
            response = await client.get(SYSTEM, headers=headers)
            assert response.status == 401 and await error_id(response) == "NoValidSession"
        assert rig.endpoint.refused == 4

    with_bmc(tmp_path, flow)


def test_sessions(tmp_path: Path) -> None:
    async def flow(rig: Rig, client: Client) -> None:
        body = {"UserName": "admin", "Password": "secret"}
        first = await client.post(SESSIONS, json=body, headers={"Authorization": ""})
        assert first.status == 201
        token, location = first.headers["X-Auth-Token"], first.headers["Location"]
        assert (await client.get(SYSTEM, headers={"Authorization": "", "X-Auth-Token": token})).status == 200
        await client.post(SESSIONS, json=body)
        full = await client.post(SESSIONS, json=body)
        assert full.status == 503 and await error_id(full) == "SessionLimitExceeded"
        assert len(rig.endpoint.status("m")["sessions"]) == 2, "a session that is not ended stays visible"
        assert (await client.delete(location)).status == 204
        assert (await client.get(SYSTEM, headers={"Authorization": "", "X-Auth-Token": token})).status == 401
        wrong = await client.post(SESSIONS, json=body | {"Password": "no"})
        assert wrong.status == 401
        assert rig.endpoint.status("m")["writes"] == [], "a login is no change to the machine"

    with_bmc(tmp_path, flow)


def test_power_is_lazy(tmp_path: Path) -> None:
    async def flow(rig: Rig, client: Client) -> None:
        assert (await client.post(f"{SYSTEM}/Actions/ComputerSystem.Reset", json={"ResetType": "On"})).status == 204
        assert rig.machine.power_state in ("Off", "PoweringOn")
        assert await rig.clock.until(lambda: rig.machine.power_state == "On", limit=100)
        conflict = await client.post(f"{SYSTEM}/Actions/ComputerSystem.Reset", json={"ResetType": "ForceOff"})
        assert conflict.status == 204
        assert await rig.clock.until(lambda: rig.machine.power_state == "Off", limit=100)
        refused = await client.post(f"{SYSTEM}/Actions/ComputerSystem.Reset", json={"ResetType": "ForceRestart"})
        assert refused.status == 409 and await error_id(refused) == "ActionParameterValueConflict"
        assert rig.runs == 1

    with_bmc(tmp_path, flow)


def test_boot_override_and_etags(tmp_path: Path) -> None:
    async def flow(rig: Rig, client: Client) -> None:
        tag = (await client.get(SYSTEM)).headers["ETag"]
        assert (await client.get(SYSTEM, headers={"If-None-Match": tag})).status == 304
        body = {"Boot": {"BootSourceOverrideTarget": "Cd", "BootSourceOverrideEnabled": "Once"}}
        stale = await client.patch(SYSTEM, json=body, headers={"If-Match": '"other"'})
        assert stale.status == 412 and await error_id(stale) == "PreconditionFailed"
        done = await client.patch(SYSTEM, json=body, headers={"If-Match": tag})
        assert done.status == 200 and (await done.json())["Boot"]["BootSourceOverrideTarget"] == "Cd"
        assert done.headers["ETag"] != tag
        assert (await client.patch(SYSTEM, json={"Boot": {"BootSourceOverrideEnabled": "Disabled"}})).status == 200
        assert rig.machine.boot.target == "None"
        assert [write["method"] for write in rig.endpoint.status("m")["writes"]] == ["PATCH", "PATCH"]

    with_bmc(tmp_path, flow)


BAD_REQUESTS: list[tuple[str, str, Any, int, str]] = [
    ("PATCH", SYSTEM, {"Boot": {"BootSourceOverrideTarget": "Tape"}}, 400, "PropertyValueNotInList"),
    ("PATCH", SYSTEM, {"Boot": {"Nonsense": 1}}, 400, "PropertyUnknown"),
    ("PATCH", SYSTEM, {"Boot": {}}, 400, "PropertyValueTypeError"),
    ("PATCH", SYSTEM, {"PowerState": "On"}, 400, "PropertyNotWritable"),
    ("PATCH", SYSTEM, {"Other": 1}, 400, "PropertyUnknown"),
    ("PATCH", SYSTEM, [], 400, "UnrecognizedRequestBody"),
    ("POST", f"{SYSTEM}/Actions/ComputerSystem.Reset", {}, 400, "ActionParameterMissing"),
    ("POST", f"{SYSTEM}/Actions/ComputerSystem.Reset", {"ResetType": "Explode"}, 400, "ActionParameterValueNotInList"),
    ("POST", f"{SLOT}/Actions/VirtualMedia.InsertMedia", {}, 400, "ActionParameterMissing"),
    ("POST", f"{SLOT}/Actions/VirtualMedia.InsertMedia", {"Image": URL, "Speed": 9}, 400, "ActionParameterUnknown"),
    (
        "POST",
        f"{SLOT}/Actions/VirtualMedia.InsertMedia",
        {"Image": URL, "Inserted": "yes"},
        400,
        "ActionParameterValueTypeError",
    ),
    ("POST", f"{SLOT}/Actions/VirtualMedia.InsertMedia", {"Image": "nfs://x/y"}, 400, "ActionParameterValueNotInList"),
    (
        "POST",
        f"{SLOT}/Actions/VirtualMedia.InsertMedia",
        {"Image": "http://nowhere/x.iso"},
        400,
        "CouldNotEstablishConnection",
    ),
    ("GET", f"{SYSTEM}/VirtualMedia/9", None, 404, "ResourceMissingAtURI"),
    ("GET", "/redfish/v1/Systems/2", None, 404, "ResourceMissingAtURI"),
    ("GET", "/redfish/v1/Nothing", None, 404, "ResourceMissingAtURI"),
    ("DELETE", SYSTEM, None, 405, "OperationNotAllowed"),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "message_id"), BAD_REQUESTS)
def test_refusals(tmp_path: Path, method: str, path: str, body: Any, status: int, message_id: str) -> None:
    async def flow(rig: Rig, client: Client) -> None:
        response = await client.request(method, path, json=body)
        assert (response.status, await error_id(response)) == (status, message_id)
        assert rig.endpoint.status("m")["writes"] == []

    with_bmc(tmp_path, flow)


def test_virtual_media(tmp_path: Path) -> None:
    async def flow(rig: Rig, client: Client) -> None:
        assert (await client.post(f"{SLOT}/Actions/VirtualMedia.InsertMedia", json={"Image": URL})).status == 204
        slot = await (await client.get(SLOT)).json()
        assert (slot["Image"], slot["Inserted"], slot["ConnectedVia"], slot["ImageName"]) == (
            URL,
            True,
            "URI",
            "agent.iso",
        )
        again = await client.post(f"{SLOT}/Actions/VirtualMedia.InsertMedia", json={"Image": URL})
        assert again.status == 409, "a slot that holds a medium takes no other"
        for _time in range(2):
            assert (await client.post(f"{SLOT}/Actions/VirtualMedia.EjectMedia", json={})).status == 204
        slot = await (await client.get(SLOT)).json()
        assert (slot["Image"], slot["Inserted"], slot["ConnectedVia"]) == (None, False, "NotConnected")

    with_bmc(tmp_path, flow)


def test_faults(tmp_path: Path) -> None:
    async def flow(rig: Rig, client: Client) -> None:
        rig.faults.add("bmc-503", options={"methods": "POST"})
        assert (await client.get(SYSTEM)).status == 200
        busy = await client.post(f"{SLOT}/Actions/VirtualMedia.EjectMedia", json={})
        assert busy.status == 503 and busy.headers["Retry-After"] == "1"
        rig.faults.add("bmc-drop")
        with pytest.raises(aiohttp.ClientError):
            # aiohttp repeats a GET on a fresh connection by itself; a POST is not repeated.
            await client.post(f"{SLOT}/Actions/VirtualMedia.EjectMedia", json={})
        rig.faults.add("insert-accepted-but-empty")
        assert (await client.post(f"{SLOT}/Actions/VirtualMedia.InsertMedia", json={"Image": URL})).status == 204
        assert rig.machine.cd.image is None
        rig.faults.add("power-stuck")
        assert (await client.post(f"{SYSTEM}/Actions/ComputerSystem.Reset", json={"ResetType": "On"})).status == 204
        await rig.clock.sleep(60)
        assert rig.machine.power_state == "Off"
        rig.faults.add("bmc-wrong-mac", count=None)
        port = await (await client.get(f"{SYSTEM}/EthernetInterfaces/eno1")).json()
        assert port["MACAddress"] == "02:EE:EE:EE:EE:00"
        assert all(fault.spent or fault.count is None for fault in rig.faults.list())

    with_bmc(tmp_path, flow)


def test_insert_as_a_task(tmp_path: Path) -> None:
    async def flow(rig: Rig, client: Client) -> None:
        rig.faults.add("bmc-task", options={"seconds": "20"})
        accepted = await client.post(f"{SLOT}/Actions/VirtualMedia.InsertMedia", json={"Image": URL})
        assert accepted.status == 202
        monitor = accepted.headers["Location"]
        assert (await client.get(monitor)).status == 202
        assert await rig.clock.until(lambda: rig.machine.cd.inserted, limit=100)
        await asyncio.sleep(0)
        done = await client.get(monitor)
        assert done.status == 200 and (await done.json())["TaskState"] == "Completed"

    with_bmc(tmp_path, flow)


def test_a_session_that_the_bmc_forgets(tmp_path: Path) -> None:
    async def flow(rig: Rig, client: Client) -> None:
        session = await client.post(SESSIONS, json={"UserName": "admin", "Password": "secret"})
        headers = {"Authorization": "", "X-Auth-Token": session.headers["X-Auth-Token"]}
        rig.faults.add("bmc-401-session")
        assert (await client.get(SYSTEM, headers=headers)).status == 401
        assert rig.endpoint.status("m")["sessions"] == []

    with_bmc(tmp_path, flow)


def test_machines_that_share_a_bmc(tmp_path: Path) -> None:
    """One management address with several systems, as emulators have it: requests and changes are distinguished."""

    async def main() -> None:
        clock, faults = LabClock(500), Faults()
        nodes = [
            {
                "name": f"m{number}",
                "nics": [{"name": "eno1", "mac": f"02:00:00:00:00:0{number}", "network": "n"}],
                "disks": [{"name": "sda", "size_gib": 1}],
                "bmc": {
                    "address": f"http://10.0.0.1:8000/redfish/v1/Systems/{number}",
                    "username": "admin",
                    "password": "secret",
                },
            }
            for number in range(2)
        ]
        site = parse_site({"networks": [{"name": "n", "cidr": "10.1.0.0/24"}], "machines": nodes})

        async def nothing(machine: Hardware) -> Outcome:
            return Outcome.HALT

        async def reachable(url: str) -> str:
            return ""

        machines = [
            Hardware(spec, clock=clock, faults=faults, console=Console(tmp_path / "m.log", clock), run=nothing)
            for spec in site.machines
        ]
        endpoint = BmcEndpoint(machines, clock=clock, faults=faults, probe=reachable)
        async with TestClient(TestServer(endpoint.app), headers=BASIC) as client:
            members = (await (await client.get("/redfish/v1/Systems")).json())["Members"]
            assert [member["@odata.id"] for member in members] == ["/redfish/v1/Systems/0", "/redfish/v1/Systems/1"]
            slot = "/redfish/v1/Systems/1/VirtualMedia/1"
            assert (await client.post(f"{slot}/Actions/VirtualMedia.InsertMedia", json={"Image": URL})).status == 204
        assert (machines[0].cd.image, machines[1].cd.image) == (None, URL)
        assert [len(endpoint.status(name)["writes"]) for name in ("m0", "m1")] == [0, 1]

    asyncio.run(asyncio.wait_for(main(), 300))
