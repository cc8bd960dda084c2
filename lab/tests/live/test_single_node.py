# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the installation of a single node in the test process, from power on to the last cluster operator."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import yaml

from .agent_image import AgentImage
from .playground import Playground, run


def test_single_node_installs(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path / "lab", AgentImage().write(tmp_path / "agent.iso"), speed=300) as playground:
            playground.switch_on()
            await playground.until(lambda: bool(playground.lab.clusters.status()))
            await playground.until(lambda: bool(playground.machine.installed))
            playground.machine.cd.eject()
            await playground.until(lambda: any(cluster["installed"] for cluster in playground.lab.clusters.status()))
            assert playground.lab.clusters.status()[0]["nodes"] == {"sno-0": "Ready"}
            assert playground.machine.boots == [f"cd:{playground.url}", "disk:sda"]
            assert playground.machine.boot.enabled == "Disabled", "the one-time override is used up"
            assert all(text.startswith("bytes=") for text in playground.requests), "the medium is read by ranges only"
            await _api_away_with_power(playground)

    run(flow())


async def _api_away_with_power(playground: Playground) -> None:
    """The API is where its machine is: away when that is off, back when it is on again."""
    assert await _version(playground) == 200
    playground.machine.reset("ForceOff")
    await playground.until(lambda: playground.machine.power_state == "Off")
    assert await _version(playground) == 0
    playground.machine.reset("On")
    await playground.until(lambda: playground.machine.console.phase == "node")
    assert await _version(playground) == 200
    assert playground.machine.boots[-1] == "disk:sda"


async def _version(playground: Playground) -> int:
    """The status of GET /version, 0 without an answer."""
    cluster = yaml.safe_load(playground.lab.clusters.kubeconfig())["clusters"][0]["cluster"]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        async with playground.lab.session.get(f"{cluster['server']}/version", ssl=context) as response:
            return response.status
    except OSError:
        return 0


def test_a_machine_with_the_wrong_boot_order_is_seen_by_the_service(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path / "lab", AgentImage().write(tmp_path / "agent.iso"), speed=600) as playground:
            playground.lab.faults.add("boots-iso-again")
            playground.switch_on()
            await playground.until(lambda: len(playground.machine.boots) == 2)
            assert playground.machine.boots == [f"cd:{playground.url}"] * 2
            await asyncio.sleep(0)

    run(flow())


def test_taking_the_medium_away_while_the_disk_is_written_fails_the_installation(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path / "lab", AgentImage().write(tmp_path / "agent.iso"), speed=600) as playground:
            playground.switch_on()
            await playground.until_console("assisted-installer: Waiting for bootkube")
            playground.machine.cd.eject()
            await playground.until_console("the installation medium is gone")
            assert playground.machine.installed == {}

    run(flow())


def test_an_image_that_is_not_served_stops_the_live_system_until_it_is_again(tmp_path: Path) -> None:
    """The agent of a full live ISO reads its programs from the medium: it stops while the URL does not answer, or
    answers with other bytes.
    """

    async def flow() -> None:
        image = AgentImage().write(tmp_path / "agent.iso")
        other = tmp_path / "other.iso"
        other.write_bytes(bytes(byte ^ 0xFF for byte in image.read_bytes()))
        async with Playground(tmp_path / "lab", image, speed=600) as playground:
            playground.switch_on()
            await playground.until_console("agent: registered as")
            for served, error in ((None, "I/O error, dev sr0, sector"), (other, "SQUASHFS error: Unable to read page")):
                playground.image = served
                await playground.until_console(error)
                await playground.lab.clock.sleep(120)  # what runs already comes to its end
                seen = _of_agent(playground)
                await playground.lab.clock.sleep(600)
                assert _of_agent(playground) == seen, (
                    "the agent does not run on a machine that cannot read its programs"
                )
                playground.image = image
                await playground.until_console(_RECOVERED)
                playground.lab.paths.console("sno-0").write_text("")
            await playground.until(lambda: bool(playground.machine.installed))

    run(flow())


_RECOVERED = "reads succeed again"


def _of_agent(playground: Playground) -> list[str]:
    return [line for line in playground.console().splitlines() if "agent: " in line or "assisted-installer: " in line]
