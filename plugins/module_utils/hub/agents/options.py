# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the options of modules ``agents`` and ``agents_info``, and build the results that these modules return."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...cluster.field_table import AGENT_REQUESTS
from ...cluster.host_options import option_specs
from ...common.errors import PartialFailure
from ...common.opened import Opened
from ...common.parallel import API_FORKS
from ...common.problems import warnings as warnings_of
from ...common.state import StateFile
from ...kube.client import KubeClient
from ...kube.connection import CONNECTION_OPTIONS, connect
from ...kube.write import diff_of
from .change import validations_text
from .flat import FIELDS, flatten, ip_addresses
from .model import Agent
from .request import ROLES, host_requests
from .run import WITHIN, AgentsAccount, HostAccount, Options, reconcile_agents
from .select import list_agents, selection
from .waits import TARGETS

# Where a state file remembers hosts that did not register.
HUB_SECTION, UNHEARD = "hub", "unheard"


def agents_argument_spec() -> dict[str, Any]:
    cluster = {"name": {"type": "str", "required": True}, "namespace": {"type": "str"}}
    host = {
        "name": {"type": "str", "required": True},
        "mac_addresses": {"type": "list", "elements": "str", "default": []},
        "system_uuid": {"type": "str"},
        "serial_number": {"type": "str"},
        "bmc_address": {"type": "str"},
        "labels": {"type": "dict", "default": {}},
        "query": {"type": "str"},
        "approved": {"type": "bool"},
        "hostname": {"type": "str"},
        "role": {"type": "str", "choices": list(ROLES)},
        "installation_disk_id": {"type": "str"},
        "installation_disk_path": {"type": "str"},
        "root_device_hints": {"type": "dict"},
        "agent_labels": {"type": "dict", "default": {}},
        "node_labels": {"type": "dict", "default": {}},
        **option_specs(AGENT_REQUESTS),
        "ignition_config_overrides": {"type": "jsonarg"},
        "installer_args": {"type": "list", "elements": "str"},
        "cluster": {"type": "dict", "options": cluster},
        "unbind": {"type": "bool", "default": False},
        "by_bare_metal_host": {"type": "bool", "default": False},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    }
    return {
        **CONNECTION_OPTIONS,
        "namespace": {"type": "str", "required": True},
        "infra_env_name": {"type": "str"},
        "hosts": {"type": "list", "elements": "dict", "required": True, "options": host},
        "unexpected": {"type": "str", "choices": ["ignore", "warn", "fail", "approve"], "default": "warn"},
        "wait_for": {"type": "str", "choices": list(TARGETS), "default": "none"},
        "timeout": {"type": "float", "default": 1800},
        "forks": {"type": "int", "default": API_FORKS},
        "state_file": {"type": "path"},
    }


def agents_info_argument_spec() -> dict[str, Any]:
    return {
        **CONNECTION_OPTIONS,
        "namespaces": {"type": "list", "elements": "str", "default": [], "aliases": ["namespace"]},
        "label_selector": {"type": "str"},
        "infra_env_name": {"type": "str"},
        "cluster_name": {"type": "str"},
        "query": {"type": "str"},
        "inventory": {"type": "bool", "default": True},
        "fields": {"type": "list", "elements": "str", "choices": list(FIELDS), "default": []},
    }


def run_agents(call: Opened, barred: Callable[[Agent], str] = lambda agent: "") -> dict[str, Any]:
    """The module agents. ``barred`` says why an Agent must be neither unbound nor deleted, empty if it may be.

    Raises :class:`PartialFailure` with the complete result if any host failed.
    """
    params = call.params
    requests = host_requests(params["hosts"], params["namespace"])
    options = Options(
        namespace=params["namespace"],
        infra_env=params["infra_env_name"] or "",
        unexpected=params["unexpected"],
        wait_for=params["wait_for"],
        timeout=float(params["timeout"]),
        forks=max(1, params["forks"]),
        check_mode=call.check_mode,
        clock=call.clock,
        progress=call.progress,
        barred=barred,
    )
    client = connect(params, clock=call.clock, check_mode=call.check_mode, forks=options.forks)
    try:
        account = reconcile_agents(client, requests, options)
        if params["state_file"] and not call.check_mode:
            _remember(StateFile(Path(params["state_file"])), account)
        return _answer(call, account, client)
    finally:
        client.close()


def _remember(state: StateFile, account: AgentsAccount) -> None:
    """Hosts without an Agent that were waited for to the end: to wait for them once more without booting them again
    would be in vain.
    """
    known = set(state.section(HUB_SECTION).get(UNHEARD) or ())
    silent = {host.name for host in account.hosts if host.failed and host.agent is None and WITHIN in host.reason}
    now = (known - {host.name for host in account.hosts if host.agent is not None}) | silent
    if now != known:
        state.update(HUB_SECTION, {UNHEARD: sorted(now) or None})


def _answer(call: Opened, account: AgentsAccount, client: KubeClient) -> dict[str, Any]:
    for host in account.hosts:
        for note in host.notes:
            call.warn(f"{host.name}: {note}")
    for problem in warnings_of(account.problems):
        call.warn(problem.detail + (f" ({problem.hint})" if problem.hint else ""))
    call.plan(outcome.change.describe() for outcome in account.outcomes)
    result: dict[str, Any] = {
        "changed": account.changed,
        "hosts": [_host(host) for host in account.hosts],
        "nodes": [
            {"name": host.agent.hostname, "addresses": ip_addresses(host.agent)}
            for host in account.hosts
            if host.agent is not None
        ],
        "unmatched": [
            {"name": host.name, "reason": host.reason} for host in account.hosts if host.match == "unmatched"
        ],
        "ambiguous": [
            {"name": host.name, "agents": [agent.name for agent in host.candidates], "reason": host.reason}
            for host in account.hosts
            if host.match == "ambiguous"
        ],
        "unexpected": [_stranger(agent) for agent in account.unexpected],
        "approved": account.approved,
        "problems": [problem.as_dict() for problem in account.problems],
        "api_calls": dict(sorted(client.calls.items())),
    }
    if call.diff:
        result["diff"] = diff_of(account.outcomes)
    if account.fault is not None:
        account.fault.result = result
        raise account.fault
    if any(host.failed for host in account.hosts):
        raise _some_failed(account, result)
    return result


def _some_failed(account: AgentsAccount, result: Mapping[str, Any]) -> PartialFailure:
    failed = [host for host in account.hosts if host.failed]
    lines = "\n".join(f"{host.name}: {host.reason}" for host in failed)
    return PartialFailure(
        f"{len(failed)} of {len(account.hosts)} hosts failed:\n{lines}{_silent(failed, result)}", result
    )


def _silent(failed: Sequence[HostAccount], result: Mapping[str, Any]) -> str:
    """What to look at where the hub was waited for and heard nothing of a host."""
    silent = [
        host.name
        for host in failed
        if WITHIN in host.reason and (host.agent is None or host.agent.state.startswith("disconnected"))
    ]
    if not silent:
        return ""
    unexpected = [(each["agent"], ", ".join(each["macs"]) or "unknown") for each in result.get("unexpected") or ()]
    strangers = [f"{agent} (MAC {macs})" for agent, macs in unexpected]
    others = (
        f" Compare the configured MAC addresses with those of the unexpected Agents: {'; '.join(strangers[:5])}."
        if strangers
        else ""
    )
    return (
        f"\nLook at the console of {', '.join(silent)}: check that it booted the discovery image and reaches the hub."
        f"{others} Then run again."
    )


def _host(host: HostAccount) -> dict[str, Any]:
    agent = host.agent
    return {
        "name": host.name,
        "agent": agent.name if agent else "",
        "namespace": agent.namespace if agent else "",
        "by": host.by,
        "hostname": agent.hostname if agent else "",
        "role": agent.role if agent else "",
        "state": agent.state if agent else "",
        "approved": agent.approved if agent else False,
        "changed": host.changed,
        "changes": host.changes,
        "failed": host.failed,
        "reason": host.reason,
        "validations": [{"id": found.id, "status": found.status, "message": found.message} for found in agent.failing]
        if agent
        else [],
    }


def _stranger(agent: Agent) -> dict[str, Any]:
    return {
        "agent": agent.name,
        "namespace": agent.namespace,
        "macs": list(agent.macs),
        "hostname": agent.hostname,
        "state": agent.state,
        "validations": validations_text(agent.failing),
    }


def run_agents_info(call: Opened) -> dict[str, Any]:
    """The module agents_info."""
    wanted = selection(call.params)
    client = connect(call.params, clock=call.clock)
    try:
        inventory, fields = call.params["inventory"], frozenset(call.params["fields"])
        return {
            "changed": False,
            "agents": [flatten(agent, inventory=inventory, fields=fields) for agent in list_agents(client, wanted)],
        }
    finally:
        client.close()
