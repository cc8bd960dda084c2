# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Scenarios for test_recorded.py: install clusters with the same machines on a real service and on the lab's."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import Mapping
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from .flows import UNKNOWN
from .replay import ALL, Replay, until
from .scripted import PULL_SECRET, Machine, ScriptedAgent, cluster_params, single_node_params

# Otherwise it is random which of three equal hosts becomes bootstrap.
ENVIRONMENT = {"three_nodes": {"BOOTSTRAP_HOST_MAC": Machine(1).mac}}


async def _begin(replay: Replay, params: Mapping[str, Any], count: int) -> tuple[str, str, list[ScriptedAgent]]:
    cluster = await replay.call("", "POST", "/clusters", params)
    infra_env = await replay.call(
        "", "POST", "/infra-envs", {"name": "demo", "pull_secret": PULL_SECRET, "cluster_id": cluster["id"]}
    )
    replay.known("cluster", cluster["id"])
    replay.known("infra-env", infra_env["id"])
    machines = [Machine(number) for number in range(1, count + 1)]
    for machine in machines:
        replay.known(machine.name, machine.id)
    return (
        f"/clusters/{cluster['id']}",
        infra_env["id"],
        [replay.agent(machine, infra_env["id"]) for machine in machines],
    )


def certificate() -> str:
    """A certificate that parses."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ingress-operator")])
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, start, start + datetime.timedelta(days=3650))
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


def _by_name(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(found, key=lambda host: str(host["id"]))


async def three_nodes(replay: Replay) -> None:
    path, infra_env, agents = await _begin(replay, cluster_params(), 3)
    for agent in agents:
        agent.reboot_gate = asyncio.Event()
    tasks = [asyncio.create_task(agent.run()) for agent in agents]
    try:
        await until(replay, path, "ready")
        await _ready(replay, path, infra_env)
        seen: list[Any] = []
        started = await replay.call(
            "install", "POST", f"{path}/actions/install", keep=("status", "status_info", "kind")
        )
        assert started["status"] == "preparing-for-installation", started
        await replay.call("install again", "POST", f"{path}/actions/install", persona="user")
        await until(replay, path, "installing", seen=seen)
        for name, (method, body) in {"patch": ("PATCH", {"tags": "x"}), "delete": ("DELETE", None)}.items():
            await replay.call(f"while installing: {name}", method, path, body)
        await _installing(replay, path, agents)
        for number in (1, 2, 0):
            gate = agents[number].reboot_gate
            assert gate is not None
            gate.set()
            await agents[number].stages_done.wait()
        await until(replay, path, "finalizing", seen=seen)
        await _finalizing(replay, path)
        final = await until(replay, path, "installed", seen=seen)
        replay.note("statuses of the cluster", list(dict.fromkeys(step[0] for step in seen)))
        replay.note("texts of the cluster", list(dict.fromkeys(step[1] for step in seen)))
        replay.note("installed", final)
        await _after(replay, path, infra_env, agents)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _ready(replay: Replay, path: str, infra_env: str) -> None:
    await replay.clock.sleep(20)
    replay.note("ready", await replay.call("", "GET", path))
    replay.note("ready hosts", _by_name(await replay.call("", "GET", f"/infra-envs/{infra_env}/hosts")))
    await replay.call("ready, in a list", "GET", "/clusters", keep=ALL)
    await replay.call(
        "ready, without hosts",
        "GET",
        f"{path}?exclude-hosts=true",
        keep=("id", "hosts", "ready_host_count", "total_host_count"),
    )
    await replay.call(
        "ready, without hosts by header",
        "GET",
        path,
        headers={"exclude-hosts": "true"},
        keep=("id", "ready_host_count"),
    )
    await replay.call(
        "a VIP of another network",
        "PATCH",
        path,
        {"api_vips": [{"ip": "198.51.100.5"}], "ingress_vips": [{"ip": "198.51.100.6"}]},
    )
    await replay.call(
        "the same VIPs",
        "PATCH",
        path,
        {"api_vips": [{"ip": "192.0.2.5"}], "ingress_vips": [{"ip": "192.0.2.6"}]},
        keep=("machine_networks", "api_vips"),
    )
    await replay.call("the network itself", "PATCH", path, {"machine_networks": [{"cidr": "192.0.2.0/24"}]})
    await until(replay, path, "ready")


async def _installing(replay: Replay, path: str, agents: list[ScriptedAgent]) -> None:
    for agent in agents:
        while agent.seen[-1] != "install":
            await asyncio.sleep(0.1)
        while not hasattr(agent, "request"):
            await asyncio.sleep(0.1)
    for agent in agents[:2]:
        replay.note(f"install request of {agent.machine.name}", agent.request)
        replay.note(f"steps of {agent.machine.name}", sorted(set(agent.seen)))
    hosts = _by_name(await replay.call("", "GET", f"/infra-envs/{agents[0].infra_env_id}/hosts"))
    replay.note(
        "stages",
        [(host["requested_hostname"], host["role"], host.get("bootstrap"), host["progress_stages"]) for host in hosts],
    )
    for action in ("allow-add-hosts",):
        await replay.call(f"while installing: {action}", "POST", f"{path}/actions/{action}")
    for name in ("kubeconfig", "kubeconfig-noingress"):
        await replay.call(f"while installing: {name}", "GET", f"{path}/downloads/credentials?file_name={name}")
    manifest = {"file_name": "late.yaml", "content": "YTogMQo="}
    await replay.call("while installing: manifest", "POST", f"{path}/manifests", manifest)
    await replay.call("while installing: removal of a manifest", "DELETE", f"{path}/manifests?file_name=late.yaml")
    body = {"host_id": UNKNOWN, "discovery_agent_version": agents[0].version}
    await replay.call(
        "while installing: another host", "POST", f"/infra-envs/{agents[0].infra_env_id}/hosts", body, persona="agent"
    )
    await replay.call("while installing: overrides", "PATCH", f"{path}/install-config", "{}")


async def _finalizing(replay: Replay, path: str) -> None:
    report = {"name": "console", "status": "available", "status_info": "ok", "version": "4.22.0"}
    await replay.call(
        "finalizing: stage",
        "PUT",
        f"{path}/progress",
        {"finalizing_stage": "Waiting for cluster operators"},
        persona="agent",
    )
    await replay.call(
        "finalizing: unknown stage", "PUT", f"{path}/progress", {"finalizing_stage": "x"}, persona="agent"
    )
    await replay.call("finalizing: credentials", "GET", f"{path}/credentials", keep=("username", "console_url"))
    await replay.call("finalizing: operator", "PUT", f"{path}/monitored-operators", report, persona="agent")
    await replay.call("finalizing: no certificate", "POST", f"{path}/uploads/ingress-cert", "no pem", persona="agent")
    await replay.call(
        "finalizing: last stage", "PUT", f"{path}/progress", {"finalizing_stage": "Done"}, persona="agent"
    )
    await replay.call(
        "finalizing: earlier stage",
        "PUT",
        f"{path}/progress",
        {"finalizing_stage": "Adding router ca"},
        persona="agent",
    )
    await replay.call("finalizing: certificate", "POST", f"{path}/uploads/ingress-cert", certificate(), persona="agent")


async def _after(replay: Replay, path: str, infra_env: str, agents: list[ScriptedAgent]) -> None:
    replay.note("installed hosts", _by_name(await replay.call("", "GET", f"/infra-envs/{infra_env}/hosts")))
    await replay.call("installed: credentials", "GET", f"{path}/credentials", keep=("username", "console_url"))
    for name in ("kubeconfig", "kubeconfig-noingress", "kubeadmin-password"):
        await replay.call(f"installed: {name}", "GET", f"{path}/downloads/credentials?file_name={name}")
    for name in ("install-config.yaml", "metadata.json", "master.ign", "custom_manifests.json"):
        await replay.call(f"installed: {name}", "GET", f"{path}/downloads/files?file_name={name}")
    for action in ("install", "cancel", "reset"):
        await replay.call(f"installed: {action}", "POST", f"{path}/actions/{action}")
    await replay.call("installed: operators", "GET", f"{path}/monitored-operators", keep=ALL, persona="agent")
    body = {"host_id": agents[0].machine.id, "discovery_agent_version": agents[0].version}
    await replay.call("installed: a host registers", "POST", f"/infra-envs/{infra_env}/hosts", body, persona="agent")
    await replay.call(
        "installed: progress", "PUT", f"{agents[0].path}/progress", {"current_stage": "Joined"}, persona="agent"
    )
    await replay.call("installed: patch of a host", "PATCH", agents[0].path, {"host_name": "late"})
    await replay.call("installed: patch", "PATCH", path, {"tags": "x"})
    await replay.call(
        "allow", "POST", f"{path}/actions/allow-add-hosts", keep=("kind", "status", "status_info", "api_vip_dns_name")
    )
    await replay.call("allow again", "POST", f"{path}/actions/allow-add-hosts")
    await replay.call("grown: delete", "DELETE", path)


async def single_node(replay: Replay) -> None:
    """Up to the installation, the rules of its stages, cancel, reset, and what a host that starts again gets as an
    answer.
    """
    path, infra_env, agents = await _begin(replay, single_node_params(), 1)
    agent = agents[0]
    body = {"host_id": agent.machine.id, "discovery_agent_version": agent.version}
    await replay.call(
        "register",
        "POST",
        f"/infra-envs/{infra_env}/hosts",
        body,
        keep=("role", "bootstrap", "kind", "status"),
        persona="agent",
    )

    async def poll(*wanted: str) -> None:
        while (await replay.call("", "GET", path))["status"] not in wanted:
            await agent.poll()
            await asyncio.sleep(0.2)

    await poll("ready")
    await replay.clock.sleep(20)
    replay.note("ready", (await replay.call("", "GET", path)) | {"hosts": []})
    replay.note("ready host", await replay.call("", "GET", agent.path))
    agent.installing = True  # its stages are reported below
    await replay.call("install", "POST", f"{path}/actions/install", keep=("status", "status_info"))
    await poll("installing")
    while (await replay.call("", "GET", agent.path))["status"] != "installing":
        await asyncio.sleep(0.1)
    reported = await replay.call("", "GET", f"{agent.path}/instructions", persona="agent")
    replay.note(
        "steps", [(step["step_type"], [json.loads(arg) for arg in step["args"]]) for step in reported["instructions"]]
    )
    for stage, info in (
        ("Starting installation", ""),
        ("Starting installation", ""),
        ("Starting installation", "bootstrap"),
        ("Writing image to disk", "45%"),
        ("Installing", ""),
        ("Waiting for controller", ""),
        ("Nonsense", ""),
    ):
        name = f"progress {stage} {info} {len(replay.answers)}"
        await replay.call(
            name, "PUT", f"{agent.path}/progress", {"current_stage": stage, "progress_info": info}, persona="agent"
        )
        replay.note(
            f"{name}: host",
            {key: (await replay.call("", "GET", agent.path)).get(key) for key in ("status", "status_info", "progress")},
        )
    await replay.call("cancel", "POST", f"{path}/actions/cancel", keep=("status", "status_info"))
    await until(replay, path, "cancelled")
    await until(replay, agent.path, "cancelled")
    reported = await replay.call("", "GET", f"{agent.path}/instructions", persona="agent")
    replay.note(
        "steps after cancel",
        (reported["next_instruction_seconds"], [step["step_type"] for step in reported["instructions"] or []]),
    )
    await replay.call("cancel again", "POST", f"{path}/actions/cancel")
    await replay.call("reset", "POST", f"{path}/actions/reset", keep=("status", "status_info"))
    await until(replay, agent.path, "resetting-pending-user-action")
    replay.note(
        "reset host",
        {
            key: (await replay.call("", "GET", agent.path)).get(key)
            for key in ("status", "status_info", "progress", "role", "bootstrap")
        },
    )
    await replay.call("reset again", "POST", f"{path}/actions/reset")
    await replay.call(
        "register after reset", "POST", f"/infra-envs/{infra_env}/hosts", body, keep=("role",), persona="agent"
    )
    await replay.call(
        "host after reset", "GET", agent.path, keep=("status", "status_info", "role", "progress", "bootstrap")
    )
    await poll("ready")
    await replay.call("install once more", "POST", f"{path}/actions/install", keep=("status",))
    await poll("installing")
    while (await replay.call("", "GET", agent.path))["status"] != "installing":
        await asyncio.sleep(0.1)
    await agent.progress("Starting installation")
    await replay.call(
        "register while installing", "POST", f"/infra-envs/{infra_env}/hosts", body, keep=("role",), persona="agent"
    )
    replay.note(
        "host that started again",
        {key: (await replay.call("", "GET", agent.path)).get(key) for key in ("status", "status_info")},
    )
    await until(replay, path, "error")
    replay.note(
        "cluster of a host that started again",
        {key: (await replay.call("", "GET", path)).get(key) for key in ("status", "status_info")},
    )
    await replay.call("reset after an error", "POST", f"{path}/actions/reset", keep=("status",))
    await until(replay, agent.path, "resetting-pending-user-action")
    await replay.call("removal of a host that is reset", "DELETE", agent.path)
