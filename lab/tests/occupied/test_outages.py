# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test temporary outages of BMCs and services, machines that an operator switches on or off, and the record of all
writes to BMCs.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from ztlab.service.app import AssistedService

from ..live.playground import Playground, run, sno_site

SYSTEM = "/redfish/v1/Systems/1"
AUTH = {"Authorization": "Basic " + base64.b64encode(b"admin:secret").decode()}


def rack(*names: str) -> dict[str, Any]:
    site = sno_site()
    base = site["machines"][0]
    site["machines"] = [
        base
        | {
            "name": name,
            "nics": [{"name": "enp1s0", "mac": f"02:00:00:00:02:{number:02x}", "network": "machines"}],
            "bmc": {**base["bmc"], "address": f"https://10.0.0.{10 + number}/redfish/v1/Systems/1"},
        }
        for number, name in enumerate(names)
    ]
    return site


def bmc_url(play: Playground, name: str, path: str = SYSTEM) -> str:
    return f"https://{play.lab.fabric.table.loopback(play.lab.machines[name].spec.bmc.host)}:8443{path}"


async def ask_bmc(play: Playground, name: str, method: str = "GET", path: str = SYSTEM, **more: Any) -> int:
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, bmc_url(play, name, path), ssl=False, headers=AUTH, **more) as response,
    ):
        return response.status


def test_a_bmc_that_is_down_refuses_connections_and_comes_back(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path, site=rack("a", "b")) as play:
            play.lab.faults.add("bmc-down", machine="a")
            await play.lab.outages.apply()
            with pytest.raises(aiohttp.ClientConnectorError):
                await ask_bmc(play, "a")
            assert await ask_bmc(play, "b") == 200
            play.lab.faults.clear("bmc-down")
            await play.lab.outages.apply()
            assert await ask_bmc(play, "a") == 200

    run(flow())


def test_an_open_connection_ends_with_the_bmc(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path, site=rack("a")) as play, aiohttp.ClientSession(headers=AUTH) as session:
            async with session.get(bmc_url(play, "a"), ssl=False) as response:
                assert response.status == 200
            play.lab.faults.add("bmc-down")
            await play.lab.outages.apply()
            with pytest.raises(aiohttp.ClientError):
                async with session.get(bmc_url(play, "a"), ssl=False):
                    pass

    run(flow())


def test_a_service_that_is_down_keeps_its_data(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path) as play:
            service = AssistedService({"AUTH_TYPE": "none"}, clock=play.lab.clock, faults=play.lab.faults)
            await service.start("127.0.0.1")
            play.lab.services.append(service)
            url = f"{service.url}/api/assisted-install/v2/clusters"
            play.lab.faults.add("service-down")
            await play.lab.outages.apply()
            async with aiohttp.ClientSession() as session:
                with pytest.raises(aiohttp.ClientConnectorError):
                    await session.get(url)
                play.lab.faults.clear("service-down")
                await play.lab.outages.apply()
                async with session.get(url) as response:
                    assert response.status == 200
            await service.stop()

    run(flow())


def test_a_person_switches_machines_whatever_their_bmcs_do(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path, site=rack("a", "b")) as play:
            play.lab.faults.add("power-stuck", count=None)
            a, b = play.lab.machines["a"], play.lab.machines["b"]
            await a.switch(True)
            assert (a.power_state, b.power_state) == ("On", "Off")
            await play.until_console("No bootable device")
            await a.switch(False)
            assert a.power_state == "Off" and "Power lost" in play.console("a")
            await a.switch(False)
            assert play.console("a").count("Power lost") == 2 and a.boots == ["none"]

    run(flow())


def test_writes_are_recorded_in_one_order_over_all_bmcs(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path, site=rack("a", "b")) as play:
            reset = f"{SYSTEM}/Actions/ComputerSystem.Reset"
            medium = f"{SYSTEM}/VirtualMedia/1/Actions/VirtualMedia.InsertMedia"
            boot = {"Boot": {"BootSourceOverrideTarget": "Cd", "BootSourceOverrideEnabled": "Once"}}
            assert await ask_bmc(play, "b", "PATCH", SYSTEM, json=boot) == 200
            assert await ask_bmc(play, "a", "POST", reset, json={"ResetType": "On"}) == 204
            play.lab.faults.add("insert-refused", machine="b")
            body = {"Image": "http://images.example.com/x.iso", "UserName": "u", "Password": "hidden"}
            assert await ask_bmc(play, "b", "POST", medium, json=body) == 400
            machines = {machine["name"]: machine["bmc"] for machine in play.lab.status()["machines"]}
            writes = sorted(
                (write for bmc in machines.values() for write in bmc["writes"]), key=lambda write: write["number"]
            )
            assert [(write["number"], write["machine"], write["summary"]) for write in writes] == [
                (1, "b", "PATCH Systems/1 Boot.BootSourceOverrideTarget=Cd Boot.BootSourceOverrideEnabled=Once"),
                (2, "a", "Reset ResetType=On"),
            ]
            assert writes[0]["lab_seconds"] <= writes[1]["lab_seconds"]
            (refused,) = machines["b"]["refused_writes"]
            assert (refused["number"], refused["status"], refused["summary"]) == (
                3,
                400,
                ("InsertMedia Image=http://images.example.com/x.iso"),
            )

    run(flow())
