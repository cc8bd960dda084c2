# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the lab's BMC profiles over real HTTP: which requests each simulated vendor refuses, and which form of request
it requires.
"""

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
from ztlab.bmc.profiles import PROFILES
from ztlab.clock import LabClock
from ztlab.faults import Faults
from ztlab.machine.console import Console
from ztlab.machine.hardware import Hardware, Outcome
from ztlab.site.load import parse_site

SYSTEM, MANAGER = "/redfish/v1/Systems/1", "/redfish/v1/Managers/1"
RESET = f"{SYSTEM}/Actions/ComputerSystem.Reset"
BASIC = {"Authorization": "Basic " + base64.b64encode(b"admin:secret").decode()}
URL = "http://images.example.com/x/agent.iso"
ONCE = {"BootSourceOverrideTarget": "Cd", "BootSourceOverrideEnabled": "Once"}
Client = TestClient[web.Request, web.Application]


class Bmc:
    """A machine behind a BMC of one kind."""

    def __init__(self, directory: Path, profile: str, client: Callable[[web.Application], Client]) -> None:
        bmc = {
            "address": "https://10.0.0.1/redfish/v1/Systems/1",
            "username": "admin",
            "password": "secret",
            "profile": profile,
        }
        nic = {"name": "eno1", "mac": "02:00:00:00:00:01", "network": "n"}
        machine = {"name": "m", "nics": [nic], "disks": [{"name": "sda", "size_gib": 1}], "bmc": bmc}
        site = parse_site({"networks": [{"name": "n", "cidr": "10.1.0.0/24"}], "machines": [machine]})
        clock, faults = LabClock(500), Faults()
        self.machine = Hardware(
            site.machines[0], clock=clock, faults=faults, console=Console(directory / "m.log", clock), run=self._halt
        )
        self.client = client(BmcEndpoint([self.machine], clock=clock, faults=faults, probe=self._probe).app)

    async def _halt(self, machine: Hardware) -> Outcome:
        return Outcome.HALT

    async def _probe(self, url: str) -> str:
        return "" if "example.com" in url else "connection refused"

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        async with self.client.request(
            method, path, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()}
        ) as answer:
            document = await answer.json(content_type=None) if answer.content_length else {}
            return answer.status, document

    async def refused(self, method: str, path: str, body: Any = None, **headers: str) -> str:
        """The id of the refusal."""
        status, document = await self.ask(method, path, body, **headers)
        assert status >= 400, document
        return str(document["error"]["@Message.ExtendedInfo"][0]["MessageId"]).rpartition(".")[2]


def play(tmp_path: Path, profile: str, flow: Callable[[Bmc], Awaitable[None]]) -> None:
    async def main() -> None:
        bmc = Bmc(tmp_path, profile, lambda app: TestClient(TestServer(app), headers=BASIC))
        async with bmc.client:
            await flow(bmc)
        await bmc.machine.close()

    asyncio.run(asyncio.wait_for(main(), 300))


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_every_link_leads_somewhere(tmp_path: Path, profile: str) -> None:
    async def flow(bmc: Bmc) -> None:
        waiting, seen = ["/redfish/v1/"], set()
        while waiting:
            path = waiting.pop()
            seen.add(path)
            status, document = await bmc.ask("GET", path)
            assert status == 200, path
            waiting += [link for link in links_in(document) if link not in seen and link not in waiting]
        # A slot may have a collection of certificates below it.
        slots = [path for path in seen if "/VirtualMedia/" in path and not path.endswith("/Certificates")]
        # Slots that a setting hides until it is changed, and an image that is configured elsewhere.
        hidden = PROFILES[profile].must_enable or PROFILES[profile].iso_config
        assert len(slots) == (0 if hidden else len(PROFILES[profile].slots))

    play(tmp_path, profile, flow)


def links_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["@odata.id"]] if isinstance(value.get("@odata.id"), str) else []
        return own + [link for item in value.values() for link in links_in(item)]
    return [link for item in value for link in links_in(item)] if isinstance(value, list) else []


@pytest.mark.parametrize(
    ("profile", "slot", "body", "message"),
    [
        ("nokia", f"{SYSTEM}/VirtualMedia/1", {"Image": URL}, "ActionParameterMissing"),
        ("ami-full-boot", f"{MANAGER}/VirtualMedia/CD1", {"Image": URL}, "ActionParameterMissing"),
        ("nvidia", f"{SYSTEM}/VirtualMedia/Cd", {"Image": URL}, "ActionParameterMissing"),
        ("supermicro", f"{MANAGER}/VirtualMedia/CD1", {"Image": URL, "Inserted": True}, "ActionParameterUnknown"),
        ("supermicro", f"{MANAGER}/VirtualMedia/CD1", {"Image": f"{URL}?x=1"}, "ActionParameterValueNotInList"),
        ("supermicro", f"{SYSTEM}/VirtualMedia/CD1", {"Image": URL}, "ResourceMissingAtURI"),
        ("cisco-slots", f"{MANAGER}/VirtualMedia/KVM1", {"Image": URL}, "ActionNotSupported"),
        ("cisco-slots", f"{MANAGER}/VirtualMedia/NBD", {"Image": URL}, "ActionNotSupported"),
        ("lenovo-xcc", f"{MANAGER}/VirtualMedia/EXT1", {"Image": URL}, "ActionNotSupported"),
        ("dell-idrac10", f"{SYSTEM}/VirtualMedia/2", {"Image": URL}, "VRM0012"),
        ("get-only", f"{SYSTEM}/VirtualMedia/1", {"Image": URL}, "ActionNotSupported"),
    ],
)
def test_inserts_that_are_refused(tmp_path: Path, profile: str, slot: str, body: dict[str, Any], message: str) -> None:
    async def flow(bmc: Bmc) -> None:
        assert await bmc.refused("POST", f"{slot}/Actions/VirtualMedia.InsertMedia", body) == message
        assert bmc.machine.cd.image is None

    play(tmp_path, profile, flow)


def test_lenovo_is_patched_with_the_etag_of_the_moment(tmp_path: Path) -> None:
    async def flow(bmc: Bmc) -> None:
        slot = f"{MANAGER}/VirtualMedia/EXT1"
        wanted = {"Image": URL, "Inserted": True, "WriteProtected": True}
        assert await bmc.refused("PATCH", slot, wanted) == "PreconditionRequired"
        assert await bmc.refused("PATCH", slot, wanted, If_Match='"other"') == "PreconditionFailed"
        tag = (await bmc.ask("GET", slot))[1]["@odata.etag"]
        assert (await bmc.ask("PATCH", slot, {"Image": URL}, If_Match=tag))[0] == 204
        assert bmc.machine.cd.image is None  # accepted, and nothing done: Inserted was missing
        assert (await bmc.ask("PATCH", slot, wanted, If_Match=tag))[0] == 204
        assert bmc.machine.cd.image == URL
        assert (
            await bmc.refused("PATCH", slot, {"Image": None, "Inserted": False}, If_Match=tag) == "PreconditionFailed"
        )

    play(tmp_path, "lenovo-xcc", flow)


@pytest.mark.parametrize(
    ("profile", "path", "boot", "message"),
    [
        ("ami-full-boot", SYSTEM, ONCE, "PropertyMissing"),
        ("supermicro", SYSTEM, {"BootSourceOverrideTarget": "UsbCd"}, "PropertyMissing"),
        ("nokia", SYSTEM, ONCE, "PropertyNotWritable"),
        ("plain", SYSTEM, {"BootSourceOverrideTarget": "UsbCd"}, "PropertyValueNotInList"),
        ("plain", f"{SYSTEM}/Settings", ONCE, "ResourceMissingAtURI"),
        ("lenovo-xcc", SYSTEM, ONCE, "PreconditionRequired"),
    ],
)
def test_boot_overrides_that_are_refused(
    tmp_path: Path, profile: str, path: str, boot: dict[str, str], message: str
) -> None:
    async def flow(bmc: Bmc) -> None:
        assert await bmc.refused("PATCH", path, {"Boot": boot}) == message
        assert bmc.machine.boot.target == "None"

    play(tmp_path, profile, flow)


def test_weak_tags_are_shown_and_not_taken(tmp_path: Path) -> None:
    async def flow(bmc: Bmc) -> None:
        tag = (await bmc.ask("GET", SYSTEM))[1]["@odata.etag"]
        assert tag.startswith('W/"')
        assert await bmc.refused("PATCH", SYSTEM, {"Boot": ONCE}, If_Match=tag) == "PreconditionFailed"
        assert (await bmc.ask("PATCH", SYSTEM, {"Boot": ONCE}, If_Match=tag.removeprefix("W/")))[0] == 200

    play(tmp_path, "hpe-ilo5", flow)


def test_an_eject_without_a_body_is_refused_by_hpe(tmp_path: Path) -> None:
    async def flow(bmc: Bmc) -> None:
        slot = f"{MANAGER}/VirtualMedia/2/Actions/VirtualMedia."
        # it does not look
        assert (await bmc.ask("POST", f"{slot}InsertMedia", {"Image": "http://nowhere/x/y.iso"}))[0] == 204
        assert await bmc.refused("POST", f"{slot}EjectMedia") == "MalformedJSON"
        assert (await bmc.ask("POST", f"{slot}EjectMedia", {}))[0] == 204

    play(tmp_path, "hpe-ilo5", flow)


def test_dell_shows_the_image_for_a_while_after_an_eject(tmp_path: Path) -> None:
    async def flow(bmc: Bmc) -> None:
        slot = f"{SYSTEM}/VirtualMedia/1"
        assert await bmc.refused("POST", f"{slot}/Actions/VirtualMedia.InsertMedia", {"Image": URL}) == "VRM0012"
        bmc.machine.cd.busy_until = bmc.machine.clock.now() - 1
        assert (await bmc.ask("POST", f"{slot}/Actions/VirtualMedia.InsertMedia", {"Image": URL}))[0] == 204
        assert (await bmc.ask("POST", f"{slot}/Actions/VirtualMedia.EjectMedia", {}))[0] == 204
        bmc.machine.cd.emptied = bmc.machine.clock.now() + 1000  # whatever the test machine's speed is
        shown = (await bmc.ask("GET", slot))[1]
        assert (shown["Inserted"], shown["Image"]) == (True, URL)
        assert await bmc.refused("POST", f"{slot}/Actions/VirtualMedia.InsertMedia", {"Image": URL}) == "InternalError"

    play(tmp_path, "dell-idrac9", flow)


def test_idrac10_does_not_power_on_right_after_off(tmp_path: Path) -> None:
    async def flow(bmc: Bmc) -> None:
        bmc.machine.off_since = bmc.machine.clock.now() + 1000
        assert await bmc.refused("POST", RESET, {"ResetType": "On"}) == "ActionParameterValueConflict"
        bmc.machine.off_since = bmc.machine.clock.now() - 1000
        assert (await bmc.ask("POST", RESET, {"ResetType": "On"}))[0] == 204

    play(tmp_path, "dell-idrac10", flow)


def test_supermicro_answers_with_a_task_and_keeps_the_name(tmp_path: Path) -> None:
    async def flow(bmc: Bmc) -> None:
        slot = f"{MANAGER}/VirtualMedia/CD1"
        status, task = await bmc.ask("POST", f"{slot}/Actions/VirtualMedia.InsertMedia", {"Image": URL})
        assert status == 202
        while task["TaskState"] == "Running":
            await asyncio.sleep(0.01)
            _status, task = await bmc.ask("GET", task["@odata.id"])
        assert bmc.machine.cd.image == URL
        await bmc.ask("POST", f"{slot}/Actions/VirtualMedia.EjectMedia", {})
        shown = (await bmc.ask("GET", slot))[1]
        assert (shown["Inserted"], shown["ConnectedVia"], shown["ImageName"]) == (True, "NotConnected", "agent.iso")
        bmc.machine.cd.emptied = bmc.machine.clock.now() - 1000
        assert (await bmc.ask("GET", slot))[1]["Inserted"] is False

    play(tmp_path, "supermicro", flow)


def test_without_sessions_a_login_is_answered_like_everything(tmp_path: Path) -> None:
    async def flow(bmc: Bmc) -> None:
        assert "SessionService" not in (await bmc.ask("GET", "/redfish/v1/"))[1]
        assert (
            await bmc.refused(
                "POST", "/redfish/v1/SessionService/Sessions", {"UserName": "admin", "Password": "secret"}
            )
            == "NoValidSession"
        )
        async with aiohttp.ClientSession() as client, client.get(bmc.client.make_url(SYSTEM)) as answer:
            assert answer.status == 401
        assert (await bmc.ask("GET", SYSTEM))[0] == 200

    play(tmp_path, "basic-only", flow)
