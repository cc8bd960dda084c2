# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a cluster of the assisted-service from creation to installed over real HTTP. Responses are checked against the
API description, if available.
"""

from __future__ import annotations

import asyncio
from typing import Any

from .scripted import Machine, Rig, ScriptedAgent, finish, single_node_params


def run(coroutine: Any) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 300))


def events_of(body: list[dict[str, Any]]) -> set[str]:
    return {event["name"] for event in body}


def test_single_node_installs() -> None:
    async def flow() -> None:
        async with Rig() as rig:
            await rig.create(single_node_params())
            (agent,) = rig.boot(Machine(0, name="sno"))
            cluster = await rig.until("ready")
            assert cluster["hosts"][0]["role"] == "master" and cluster["hosts"][0]["bootstrap"] is True
            await rig.user.post(f"/clusters/{cluster['id']}/actions/install", expect=202)
            await agent.stages_done.wait()
            await rig.until("finalizing")
            assert agent.request["role"] == "bootstrap" and agent.request["boot_device"] == "/dev/disk/by-id/wwn-sda"
            await finish(rig)
            installed = await rig.until("installed")
            assert installed["progress"]["total_percentage"] == 100
            assert installed["status_info"] == "Cluster is installed"
            credentials = await rig.user.get(f"/clusters/{cluster['id']}/credentials")
            assert credentials["console_url"] == "https://console-openshift-console.apps.demo.lab.example.com"

    run(flow())


def test_three_and_two_install() -> None:
    async def flow() -> None:
        async with Rig(BOOTSTRAP_HOST_MAC="02:00:00:00:00:01") as rig:
            await rig.create()
            machines = [Machine(number) for number in range(3)] + [
                Machine(number, cpus=2, memory_gib=8) for number in (3, 4)
            ]
            agents = rig.boot(*machines)
            gate = asyncio.Event()
            agents[1].reboot_gate = gate
            cluster = await rig.until("ready")
            suggested = sorted(host["suggested_role"] for host in cluster["hosts"])
            assert suggested == ["master", "master", "master", "worker", "worker"]
            assert [host["requested_hostname"] for host in cluster["hosts"] if host.get("bootstrap")] == ["host-1"]
            await rig.user.post(f"/clusters/{cluster['id']}/actions/install", expect=202)
            for agent in (agents[0], agents[2], agents[3], agents[4]):
                await agent.stages_done.wait()
            assert await rig.status() == "installing"
            gate.set()
            await rig.until("finalizing")
            await finish(rig)
            installed = await rig.until("installed")
            assert {host["status"] for host in installed["hosts"]} == {"installed"}
            assert {host["progress"]["installation_percentage"] for host in installed["hosts"]} == {100}
            events = await rig.watcher.get("/events", params={"cluster_id": cluster["id"]})
            wanted = {
                "cluster_registration_succeeded",
                "infra_env_registered",
                "host_registration_succeeded",
                "host_role_updated",
                "host_status_updated",
                "cluster_status_updated",
                "cluster_prepare_installation_started",
                "host_bootstrap_set",
                "image_status_updated",
                "host_installation_started",
                "host_install_progress_updated",
                "cluster_finalizing_stage_updated",
                "cluster_operator_status",
                "cluster_installation_completed",
            }
            assert wanted - events_of(events) == set()
            assert "Host: host-1, reached installation stage Waiting for bootkube" in {
                event["message"] for event in events
            }

    run(flow())


def test_order_of_steps_before_installation() -> None:
    async def flow() -> None:
        async with Rig() as rig:
            await rig.create()
            agents = rig.boot(*(Machine(number) for number in range(3)))
            await rig.until("ready")
            assert agents[0].seen[0] == "inventory"
            assert set(agents[0].seen) == {
                "inventory",
                "connectivity-check",
                "free-network-addresses",
                "ntp-synchronizer",
                "domain-resolution",
                "verify-vips",
            }

    run(flow())


def test_other_agent_version_gets_only_the_upgrade() -> None:
    async def flow() -> None:
        async with Rig() as rig:
            await rig.create()
            agent = ScriptedAgent(rig.agent, Machine(0), rig.clock, version="quay.io/other:1")
            await agent.register()
            await agent.poll()
            assert agent.seen == ["upgrade-agent"]

    run(flow())
