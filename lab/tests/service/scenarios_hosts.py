# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Scenarios for test_recorded.py: requests from and about hosts, to which the lab's service must respond like a real
one.
"""

from __future__ import annotations

import json
from typing import Any

from .flows import UNKNOWN
from .replay import ALL, Replay, until
from .scripted import PULL_SECRET, Machine, ScriptedAgent, cluster_params, disk

DISK = "/dev/disk/by-id/wwn-sda"
# name: (request body, fields of the response to compare)
CHANGES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "name": ({"host_name": "master-0"}, ("requested_hostname",)),
    "name of two labels": ({"host_name": "master-0.lab.example.com"}, ("requested_hostname",)),
    "name forbidden": ({"host_name": "localhost"}, ()),
    "name bad": ({"host_name": "Master_0"}, ()),
    "name long": ({"host_name": "a" * 64}, ()),
    "name empty": ({"host_name": ""}, ()),
    "role": ({"host_role": "worker"}, ("role", "suggested_role")),
    "role master": ({"host_role": "master"}, ("role", "suggested_role")),
    "role arbiter": ({"host_role": "arbiter"}, ("role", "suggested_role")),
    "role automatic": ({"host_role": "auto-assign"}, ("role", "suggested_role")),
    "role bad": ({"host_role": "boss"}, ()),
    "role bootstrap": ({"host_role": "bootstrap"}, ()),
    "disk": (
        {"disks_selected_config": [{"id": DISK, "role": "install"}]},
        ("installation_disk_id", "installation_disk_path"),
    ),
    "disk by name": (
        {"disks_selected_config": [{"id": "/dev/sdb", "role": "install"}]},
        ("installation_disk_id", "installation_disk_path"),
    ),
    "disk by path": (
        {"disks_selected_config": [{"id": "/dev/disk/by-path/pci-sda", "role": "install"}]},
        ("installation_disk_id", "installation_disk_path"),
    ),
    "disk not eligible": ({"disks_selected_config": [{"id": "/dev/sdc", "role": "install"}]}, ()),
    "disk unknown": ({"disks_selected_config": [{"id": "/dev/not-found-by-hints", "role": "install"}]}, ()),
    "disk of no role": ({"disks_selected_config": [{"id": DISK, "role": "none"}]}, ("installation_disk_id",)),
    "no disk": ({"disks_selected_config": []}, ()),
    "two disks": (
        {"disks_selected_config": [{"id": DISK, "role": "install"}, {"id": "/dev/sdb", "role": "install"}]},
        (),
    ),
    "skip": ({"disks_skip_formatting": [{"disk_id": DISK, "skip_formatting": True}]}, ("skip_formatting_disks",)),
    "skip no more": (
        {"disks_skip_formatting": [{"disk_id": DISK, "skip_formatting": False}]},
        ("skip_formatting_disks",),
    ),
    "skip unknown": ({"disks_skip_formatting": [{"disk_id": "x", "skip_formatting": True}]}, ()),
    "labels": (
        {"node_labels": [{"key": "example.com/role", "value": "edge"}, {"key": "x", "value": ""}]},
        ("node_labels",),
    ),
    "labels none": ({"node_labels": []}, ("node_labels",)),
    "label key bad": ({"node_labels": [{"key": "a b", "value": ""}]}, ()),
    "label value bad": ({"node_labels": [{"key": "a", "value": "b c"}]}, ()),
    "label without value": ({"node_labels": [{"key": "a"}]}, ()),
    "fencing": (
        {"fencing_credentials": {"address": "redfish://x", "username": "u", "password": "p"}},
        ("fencing_credentials",),
    ),
    "fencing without user": ({"fencing_credentials": {"address": "redfish://x"}}, ()),
    "pool": ({"machine_config_pool_name": "infra"}, ("machine_config_pool_name",)),
    "token": ({"ignition_endpoint_token": "t"}, ("ignition_endpoint_token_set", "ignition_endpoint_token")),
    "headers": ({"ignition_endpoint_http_headers": [{"key": "a", "value": "b"}]}, ("ignition_endpoint_http_headers",)),
    "unknown": ({"hostname": "x"}, ()),
    "nulls": ({"host_role": None, "disks_selected_config": None, "node_labels": None}, ("requested_hostname",)),
    "several, one refused": ({"host_name": "kept", "host_role": "worker", "disks_selected_config": []}, ()),
}
ARGUMENTS: dict[str, list[str]] = {
    "allowed": ["--append-karg", "a=b", "--copy-network"],
    "joined": ["--append-karg=a=b"],
    "unknown": ["--other"],
    "none": [],
    "value first": ["a"],
    "short": ["-n"],
}


async def _rig(replay: Replay, machine: Machine, **params: Any) -> tuple[str, ScriptedAgent]:
    """A cluster, its infra-env and a host that has answered what it was asked."""
    cluster = await replay.call("", "POST", "/clusters", cluster_params(**params))
    replay.known("cluster", cluster["id"])
    infra_env = await replay.call(
        "", "POST", "/infra-envs", {"name": "demo", "pull_secret": PULL_SECRET, "cluster_id": cluster["id"]}
    )
    replay.known("infra-env", infra_env["id"])
    replay.known("host", machine.id)
    return str(cluster["id"]), replay.agent(machine, infra_env["id"])


async def _clean(replay: Replay, cluster: str, agent: ScriptedAgent) -> None:
    await replay.call("", "DELETE", agent.path)
    await replay.call("", "DELETE", f"/infra-envs/{agent.infra_env_id}")
    await replay.call("", "DELETE", f"/clusters/{cluster}")


def _machine() -> Machine:
    bad = disk("sdc", installation_eligibility={"eligible": False, "not_eligible_reasons": ["Disk is removable"]})
    return Machine(1, disks=[disk("sda"), disk("sdb", 200), bad, disk("sdd", 20)])


async def registration(replay: Replay) -> None:
    replay.known("unknown", UNKNOWN)
    machine = _machine()
    cluster, agent = await _rig(replay, machine)
    hosts = f"/infra-envs/{agent.infra_env_id}/hosts"
    body = {"host_id": machine.id, "discovery_agent_version": agent.version}
    await replay.call("register", "POST", hosts, body, keep=ALL, persona="agent")
    await replay.call(
        "register with an unknown infra-env", "POST", f"/infra-envs/{UNKNOWN}/hosts", body, persona="agent"
    )
    await replay.call("register without an id", "POST", hosts, {}, persona="agent")
    first = await replay.call(
        "first instructions",
        "GET",
        f"{agent.path}/instructions",
        keep=("next_instruction_seconds", "post_step_action"),
        persona="agent",
    )
    replay.note("first steps", [(step["step_type"], step["args"]) for step in first["instructions"]])
    await agent.answer(first["instructions"][0])
    await until(replay, agent.path, "insufficient")
    reported = await replay.call("after the inventory", "GET", agent.path, keep=ALL)
    replay.note(
        "disks",
        [(item["path"], item["installation_eligibility"]) for item in json.loads(reported["inventory"])["disks"]],
    )
    second = await replay.call(
        "second instructions",
        "GET",
        f"{agent.path}/instructions",
        keep=("next_instruction_seconds", "post_step_action"),
        persona="agent",
    )
    replay.note(
        "second steps",
        [
            (step["step_type"], [json.loads(arg) if arg[:1] in "{[" else arg for arg in step["args"]])
            for step in second["instructions"]
        ],
    )
    await replay.call("the infra-env stays", "DELETE", f"/infra-envs/{agent.infra_env_id}")
    for query in ("", "?with-inventory=true", "?role=master", "?status=known"):
        await replay.call(
            f"hosts of the cluster{query}",
            "GET",
            f"/clusters/{cluster}/hosts{query}",
            keep=("id", "status", "inventory") if query else ALL,
        )
    await replay.call("register again", "POST", hosts, body, keep=ALL, persona="agent")
    await replay.call(
        "after that", "GET", agent.path, keep=("status", "status_info", "inventory", "requested_hostname", "role")
    )
    for name, reply in {
        "no JSON": {"step_type": "inventory", "step_id": "x", "exit_code": 0, "output": "no"},
        "names missing": {
            "step_type": "domain-resolution",
            "step_id": "x",
            "exit_code": 0,
            "output": '{"resolutions": []}',
        },
        "failed": {"step_type": "inventory", "step_id": "x", "exit_code": 1, "error": "failed"},
        "type unknown": {"step_type": "nonsense"},
        "media": {"step_type": "inventory", "step_id": "x", "exit_code": 256},
        "no type": {"step_id": "x"},
        "upgrade": {
            "step_type": "upgrade-agent",
            "step_id": "x",
            "exit_code": 0,
            "output": '{"agent_image":"x","result":"success"}',
        },
        "nothing asked": {"step_type": "stop-installation", "step_id": "x", "exit_code": 0, "output": ""},
    }.items():
        await replay.call(f"reply: {name}", "POST", f"{agent.path}/instructions", reply, persona="agent")
    await replay.call("after the media", "GET", agent.path, keep=("media_status", "status"))
    await replay.call("instructions of unknown", "GET", f"{hosts}/{UNKNOWN}/instructions", persona="agent")
    await _clean(replay, cluster, agent)


async def changes_of_a_host(replay: Replay) -> None:
    machine = _machine()
    cluster, agent = await _rig(replay, machine)
    await agent.register()
    await agent.poll()
    await until(replay, agent.path, "insufficient")
    for name, (body, keep) in CHANGES.items():
        await replay.call(f"patch: {name}", "PATCH", agent.path, body, keep=keep)
    for name, args in ARGUMENTS.items():
        await replay.call(
            f"arguments: {name}", "PATCH", f"{agent.path}/installer-args", {"args": args}, keep=("installer_args",)
        )
    for number, config in enumerate(
        ('{"ignition": {"version": "3.2.0"}}', "x", '{"ignition": {"version": "2.0.0"}}', "")
    ):
        await replay.call(f"ignition {number}", "PATCH", f"{agent.path}/ignition", {"config": config})
    await replay.call("ignition as it is", "GET", f"{agent.path}/ignition", keep=ALL)
    for validation in ("sufficient-installation-disk-speed", "container-images-available", "connected", "x"):
        await replay.call(f"reset {validation}", "PATCH", f"{agent.path}/actions/reset-validation/{validation}")
    for action, body in (("bind", {"cluster_id": cluster}), ("unbind", None), ("install", None), ("reset", None)):
        await replay.call(f"action: {action}", "POST", f"{agent.path}/actions/{action}", body)
    for stage in ("Starting installation", "Nonsense", ""):
        await replay.call(
            f"progress too early: {stage}", "PUT", f"{agent.path}/progress", {"current_stage": stage}, persona="agent"
        )
    await replay.call(
        "logs progress", "PUT", f"{agent.path}/logs-progress", {"logs_state": "requested"}, persona="agent"
    )
    await replay.call("logs progress bad", "PUT", f"{agent.path}/logs-progress", {"logs_state": "x"}, persona="agent")
    await replay.call(
        "download of the ignition", "GET", f"/infra-env/{agent.infra_env_id}/hosts/{machine.id}/downloads/ignition"
    )
    await replay.call(
        "as it is then",
        "GET",
        agent.path,
        keep=("requested_hostname", "role", "node_labels", "installation_disk_id", "logs_info", "installer_args"),
    )
    await replay.call("delete", "DELETE", agent.path)
    await replay.call("delete again", "DELETE", agent.path)
    await replay.call("read what is gone", "GET", agent.path)
    await _clean(replay, cluster, agent)


async def late_binding(replay: Replay) -> None:
    machine = _machine()
    cluster = await replay.call("", "POST", "/clusters", cluster_params())
    replay.known("cluster", cluster["id"])
    infra_env = await replay.call("", "POST", "/infra-envs", {"name": "late", "pull_secret": PULL_SECRET})
    replay.known("infra-env", infra_env["id"])
    replay.known("host", machine.id)
    agent = replay.agent(machine, infra_env["id"])
    body = {"host_id": machine.id, "discovery_agent_version": agent.version}
    await replay.call("register", "POST", f"/infra-envs/{infra_env['id']}/hosts", body, keep=ALL, persona="agent")
    bind = {"cluster_id": cluster["id"]}
    await replay.call("bind too early", "POST", f"{agent.path}/actions/bind", bind)
    await replay.call("unbind too early", "POST", f"{agent.path}/actions/unbind")
    await replay.call("ignition too early", "GET", f"{agent.path}/ignition")
    await agent.poll()
    await agent.poll()
    await until(replay, agent.path, "known-unbound")
    await replay.call("known", "GET", agent.path, keep=ALL)
    await replay.call("bind to unknown", "POST", f"{agent.path}/actions/bind", {"cluster_id": UNKNOWN})
    await replay.call(
        "bind", "POST", f"{agent.path}/actions/bind", bind, keep=("status", "status_info", "cluster_id", "role", "kind")
    )
    await replay.call("bind again", "POST", f"{agent.path}/actions/bind", bind)
    await replay.call("told to leave", "GET", f"{agent.path}/instructions", keep=ALL, persona="agent")
    await replay.call(
        "register again",
        "POST",
        f"/infra-envs/{infra_env['id']}/hosts",
        body,
        keep=("cluster_id", "role", "kind"),
        persona="agent",
    )
    await replay.call(
        "bound", "GET", agent.path, keep=("status", "status_info", "cluster_id", "role", "requested_hostname")
    )
    await agent.poll()
    await until(replay, agent.path, "insufficient", "known")
    await replay.call(
        "unbind", "POST", f"{agent.path}/actions/unbind", keep=("status", "status_info", "cluster_id", "role")
    )
    await agent.register()
    await replay.call("unbound", "GET", agent.path, keep=("status", "status_info", "cluster_id"))
    await _clean(replay, cluster["id"], agent)
