# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test hosts of the assisted-service over HTTP: registration, PATCH in permitted and wrong states, and replies of
agents.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from .flows import discovered, run
from .scripted import INFRA_ENV_ID, Machine, Rig, ScriptedAgent


def test_registration_and_first_answers() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = ScriptedAgent(rig.agent, Machine(1), rig.clock)
            status, host = await agent.register()
            assert (status, host["status"], host["status_info"]) == (
                201,
                "discovering",
                "Waiting for host to send hardware details",
            )
            assert host["requested_hostname"] == agent.machine.id and host["role"] == "auto-assign"
            command = host["next_step_runner_command"]
            assert list(command) == ["args"] and json.loads(command["args"][0])["host_id"] == agent.machine.id
            answer = await agent.poll()
            assert (answer["next_instruction_seconds"], answer["post_step_action"]) == (60, "continue")
            assert [step["step_type"] for step in answer["instructions"]] == ["inventory"]
            host = await rig.user.get(agent.path)
            assert (host["requested_hostname"], host["installation_disk_path"], host["timestamp"] > 0) == (
                "host-1",
                "/dev/sda",
                True,
            )
            status, again = await agent.register()
            assert status == 201 and "status" not in again
            assert (await rig.user.get(agent.path))["status"] == "discovering"
            assert (await rig.user.call("DELETE", agent.path))[0] == 204
            assert (await rig.user.call("DELETE", f"/infra-envs/{INFRA_ENV_ID}"))[0] == 204

    run(flow())


DISK = "/dev/disk/by-id/wwn-sda"
HOST_CHANGES: list[tuple[str, dict[str, Any], int, str]] = [
    ("name", {"host_name": "master-0"}, 201, ""),
    ("name forbidden", {"host_name": "localhost"}, 400, "forbidden"),
    ("name bad", {"host_name": "Master_0"}, 400, "regex"),
    ("role", {"host_role": "worker"}, 201, ""),
    ("role bad", {"host_role": "boss"}, 400, ""),
    ("disk", {"disks_selected_config": [{"id": DISK, "role": "install"}]}, 201, ""),
    ("disk by name", {"disks_selected_config": [{"id": "/dev/sda", "role": "install"}]}, 201, ""),
    (
        "disk unknown",
        {"disks_selected_config": [{"id": "/dev/not-found-by-hints", "role": "install"}]},
        409,
        "Requested installation disk is not part of the host's valid disks",
    ),
    (
        "no disk",
        {"disks_selected_config": []},
        409,
        ("Requested installation disk is not part of the host's valid disks"),
    ),
    (
        "two disks",
        {"disks_selected_config": [{"id": DISK, "role": "install"}] * 2},
        409,
        ("duplicate setting of installation path by the user"),
    ),
    ("skip", {"disks_skip_formatting": [{"disk_id": DISK, "skip_formatting": True}]}, 201, ""),
    ("skip unknown", {"disks_skip_formatting": [{"disk_id": "x", "skip_formatting": True}]}, 400, ""),
    ("labels", {"node_labels": [{"key": "example.com/role", "value": "edge"}, {"key": "x", "value": ""}]}, 201, ""),
    ("label bad", {"node_labels": [{"key": "a b", "value": ""}]}, 400, ""),
    ("fencing", {"fencing_credentials": {"address": "redfish://x", "username": "u", "password": "p"}}, 201, ""),
    ("pool", {"machine_config_pool_name": "infra"}, 201, ""),
    ("token", {"ignition_endpoint_token": "t"}, 201, ""),
    ("unknown", {"hostname": "x"}, 400, ""),
    ("nulls", {"host_role": None, "disks_selected_config": None, "node_labels": None}, 201, ""),
]


@pytest.mark.parametrize(
    ("body", "status", "text"), [row[1:] for row in HOST_CHANGES], ids=[row[0] for row in HOST_CHANGES]
)
def test_host_changes(body: dict[str, Any], status: int, text: str) -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = await discovered(rig, Machine(1))
            found = await rig.user.call("PATCH", agent.path, body)
            assert found[0] == status, found
            assert text in json.dumps(found[1])

    run(flow())


WRONG_STATE = {
    "host_role": ("worker", 500),
    "host_name": ("x", 409),
    "disks_selected_config": ([{"id": DISK, "role": "install"}], 409),
    "disks_skip_formatting": ([{"disk_id": DISK, "skip_formatting": True}], 500),
    "machine_config_pool_name": ("x", 409),
    "node_labels": ([{"key": "a", "value": "b"}], 500),
    "ignition_endpoint_token": ("x", 409),
    "ignition_endpoint_http_headers": ([{"key": "a", "value": "b"}], 500),
}


@pytest.mark.parametrize("member", sorted(WRONG_STATE))
def test_host_changes_in_the_wrong_state(member: str) -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = await discovered(rig, Machine(1))
            rig.service.core.host(INFRA_ENV_ID, agent.machine.id).status = "installing-in-progress"
            value, code = WRONG_STATE[member]
            status, answer = await rig.user.call("PATCH", agent.path, {member: value})
            assert (status, answer["code"]) == (code, str(code))
            assert "Host is in installing-in-progress state" in answer["reason"]

    run(flow())


def test_a_refused_member_undoes_the_others() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = await discovered(rig, Machine(1))
            body = {"host_role": "worker", "host_name": "renamed", "disks_selected_config": []}
            assert (await rig.user.call("PATCH", agent.path, body))[0] == 409
            host = await rig.user.get(agent.path)
            assert (host["requested_hostname"], host["role"]) == ("host-1", "auto-assign")

    run(flow())


def test_a_changed_host_shows_it() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = await discovered(rig, Machine(1))
            body = {
                "host_role": "worker",
                "host_name": "w",
                "node_labels": [{"key": "a", "value": "b"}],
                "ignition_endpoint_token": "t",
            }
            host = await rig.user.patch(agent.path, body)
            assert (host["role"], host["suggested_role"], host["requested_hostname"], host["node_labels"]) == (
                "worker",
                "worker",
                "w",
                '{"a":"b"}',
            )
            assert host["ignition_endpoint_token_set"] is True and "ignition_endpoint_token" not in host
            host = await rig.user.patch(f"{agent.path}/installer-args", {"args": ["--append-karg", "ip=x"]})
            assert json.loads(host["installer_args"]) == ["--append-karg", "ip=x"]
            assert (await rig.user.call("PATCH", f"{agent.path}/installer-args", {"args": ["--evil"]}))[0] == 400
            assert await rig.user.call(
                "PATCH", f"{agent.path}/ignition", {"config": '{"ignition": {"version": "3.2.0"}}'}
            ) == (201, b"")
            assert (await rig.user.call("PATCH", f"{agent.path}/ignition", {"config": "no"}))[0] == 400
            path = f"/infra-env/{INFRA_ENV_ID}/hosts/{agent.machine.id}/downloads/ignition"
            for url in (f"{agent.path}/ignition", path):
                assert (await rig.user.call("GET", url))[0] == 409
            cluster = rig.service.core.cluster(rig.cluster["id"])
            before, cluster.status = cluster.status, "installing"
            assert (await rig.user.get(f"{agent.path}/ignition"))["config"] == '{"ignition": {"version": "3.2.0"}}'
            assert json.loads(await rig.user.get(path))["ignition"]["version"] == "3.2.0"
            cluster.status = before
            assert (await rig.user.call("PATCH", f"{agent.path}/actions/reset-validation/connected"))[0] == 400
            assert (await rig.user.call("PATCH", f"{agent.path}/actions/reset-validation/container-images-available"))[
                0
            ] == 200
            assert (await rig.user.call("POST", f"{agent.path}/actions/install"))[0] == 409
            assert (await rig.user.call("POST", f"{agent.path}/actions/reset"))[0] == 409
            assert (await rig.user.call("POST", f"{agent.path}/actions/unbind"))[0] == 409
            listed = await rig.user.get(f"/clusters/{rig.cluster['id']}/hosts", params={"role": "worker"})
            assert len(listed) == 1 and "inventory" not in listed[0]
            listed = await rig.user.get(f"/clusters/{rig.cluster['id']}/hosts", params={"with-inventory": "true"})
            assert json.loads(listed[0]["inventory"])["hostname"] == "host-1"

    run(flow())


def test_steps_with_unreadable_answers() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = await discovered(rig, Machine(1))
            path = f"{agent.path}/instructions"
            status, _ = await rig.agent.call(
                "POST", path, {"step_type": "inventory", "step_id": "x", "exit_code": 0, "output": "no json"}
            )
            assert status == 400
            status, _ = await rig.agent.call(
                "POST", path, {"step_type": "free-network-addresses", "step_id": "x", "exit_code": 0, "output": "{}"}
            )
            assert status == 400
            status, _ = await rig.agent.call(
                "POST", path, {"step_type": "inventory", "step_id": "x", "exit_code": 1, "error": "failed"}
            )
            assert status == 204
            status, _ = await rig.agent.call("POST", path, {"step_type": "nonsense"})
            assert status == 400
            status, _ = await rig.agent.call("POST", path, {"step_type": "inventory", "step_id": "x", "exit_code": 256})
            assert (await rig.user.get(agent.path))["media_status"] == "disconnected"

    run(flow())
