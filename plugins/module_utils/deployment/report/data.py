# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build the content of report.json for a deployment: what was built, how the installation went, and how to log in.

The report has no secret, and no value that changes without a change of the deployment.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...cluster.spec import Deployment
from ...common.plurals import counted
from ..credentials import expected_console, login_paths
from ..state.work_dir import DeploymentIdentity, WorkDir, hosts_of_deployment, hosts_of_state, identity, inventory_host
from ..supervise.observation import FAILED, InventoryHost
from .nodes import ROLE_NAMES, node_of, node_warnings, role_differs

Report = dict[str, Any]

# A configured host that an installed cluster has no Node for.
MISSING = "missing"
_PHASE_TEXTS = {
    "": "not built yet",
    "built": "image built",
    "defined": "made on the hub",
    "booted": "hosts booted",
    "bootstrap": "bootstrapping",
    "installing": "installing",
    "installed": "installed",
    FAILED: "failed",
}
# After these a host has nothing more to reach.
_LAST_STAGES = frozenset({"Done", "installed", "Node ready", "error", "cancelled"})


def make_report(work_dir: WorkDir, state: Mapping[str, Any], deployment: Deployment | None) -> Report:
    """The content of report.json. Times are UTC (ISO 8601), durations seconds."""
    install: Mapping[str, Any] = state.get("install") or {}
    who = identity(state, deployment)
    configured = hosts_of_state(state) or (hosts_of_deployment(deployment) if deployment else ())
    hosts = configured or _registered(install)
    addressed = {host.name: host for host in hosts_of_deployment(deployment)} if deployment else {}
    nodes: Sequence[Mapping[str, Any]] = install.get("nodes") or []
    described = [_host(addressed.get(host.name, host), install, who, nodes) for host in hosts]
    installed = install.get("phase") == "installed"
    # Nodes that were not read yet are left out.
    about_nodes = list(node_warnings(configured, nodes, installed=installed)) if nodes else []
    return {
        "cluster": _cluster(who, state, deployment, described),
        "result": _result(install),
        # Neither a complete nor a failed installation waits for anything.
        "awaited": None if install.get("phase") in ("installed", FAILED) else install.get("awaited"),
        "hosts": described,
        "other_nodes": _other_nodes(nodes, hosts),
        "phases": _phases(install),
        "warnings": [*(str(text) for text in install.get("warnings") or []), *about_nodes],
        "node_warnings": about_nodes,
        "login": _login(work_dir, who, install),
        "files": {"image": str((state.get("image") or {}).get("path") or ""), "work_dir": str(work_dir.root)},
    }


def report_json(report: Report) -> str:
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def summary_lines(report: Report, html: Path) -> list[str]:
    """What the last task of a playbook shows."""
    cluster, result, login = report["cluster"], report["result"], report["login"]
    ready = sum(host["node"] == "ready" for host in report["hosts"])
    count = count_text(ready, len(report["hosts"]))
    took = f" after {duration_text(result['seconds'])}" if result["seconds"] and result["phase"] == "installed" else ""
    cluster_name = cluster["name"] or "(no name)"
    lines = [f"Cluster {cluster_name} {cluster['version']}".rstrip() + f": {result['text']}{took}, {count}"]
    lines += [f"Warning: {text}" for text in report["node_warnings"]]
    facts = {
        "Reason": result["failure"],
        "Nodes": ", ".join(
            f"{host['name']} ({_roles_text(host)})" for host in report["hosts"] if host["node"] == "ready"
        ),
        "Console": login["console_url"],
        "Login": f"user kubeadmin, password in {login['kubeadmin_password_file']}"
        if login["kubeadmin_password_file"]
        else "",
        "Kubeconfig": login["kubeconfig_direct"] or login["kubeconfig"],
        "Report": str(html),
        "ISO": report["files"]["image"],
    }
    return lines + [f"{name}: {value}" for name, value in facts.items() if value]


def count_text(ready: int, hosts: int) -> str:
    """``5 nodes ready``, ``1 of 5 nodes ready``, ``5 hosts, no node ready``."""
    if not hosts:
        return "no host known"
    if not ready:
        return f"{counted(hosts, 'host')}, no node ready"
    if ready < hosts:
        return f"{ready} of {hosts} nodes ready"
    return f"{counted(ready, 'node')} ready"


def duration_text(seconds: float) -> str:
    """``1 h 04 min``, ``4 min 05 s``, ``12 s``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def parse_time(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)


def seconds_between(start: str, end: str) -> float:
    return max(0.0, (parse_time(end) - parse_time(start)).total_seconds()) if start and end else 0.0


def _cluster(
    who: DeploymentIdentity, state: Mapping[str, Any], deployment: Deployment | None, hosts: Sequence[Report]
) -> Report:
    spec = deployment.cluster if deployment else None
    recorded: Mapping[str, Any] = state.get("cluster") or {}
    return {
        "name": who.name,
        "base_domain": who.base_domain,
        "version": who.version,
        "release_image": str(recorded.get("release_image") or (spec.release_image if spec else "")),
        "platform": spec.platform if spec else str(recorded.get("platform") or ""),
        "api_url": who.api_url,
        "api_vips": list(spec.api_vips if spec else recorded.get("api_vips") or ()),
        "ingress_vips": list(spec.ingress_vips if spec else recorded.get("ingress_vips") or ()),
        "machine_networks": list(spec.networking.machine_networks if spec else recorded.get("machine_networks") or ()),
        "rendezvous_ip": who.rendezvous_ip,
        "rendezvous_host": next((host["name"] for host in hosts if host["rendezvous"]), ""),
    }


def _result(install: Mapping[str, Any]) -> Report:
    phase, method = str(install.get("phase") or ""), str(install.get("method") or "agent")
    started = str(install.get("started_at") or "")
    ended = _end(install) or started
    return {
        "method": method,
        "phase": phase,
        "text": "made at the service" if (method, phase) == ("assisted", "defined") else _PHASE_TEXTS.get(phase, phase),
        "started_at": started,
        "installed_at": str(install.get("installed_at") or ""),
        "seconds": seconds_between(started, ended),
        "failure": str(install.get("failure") or ""),
        "suspects": [str(text) for text in install.get("suspects") or []],
        "kubernetes_version": str(install.get("kubernetes_version") or ""),
    }


def _registered(install: Mapping[str, Any]) -> tuple[InventoryHost, ...]:
    """Hosts that no configuration names, such as those of the user's own machine templates, once they registered."""
    known: Mapping[str, Any] = install.get("hosts") or {}
    return tuple(
        inventory_host({"name": name, "hostname": entry.get("hostname"), "role": entry.get("role")})
        for name, entry in sorted(known.items())
    )


def _roles_text(host: Report) -> str:
    """What the Node says; if its roles were not read, what the configuration says."""
    return ", ".join(host["node_roles"]) or str(host["role_name"])


def _other_nodes(nodes: Sequence[Mapping[str, Any]], hosts: Sequence[InventoryHost]) -> list[Report]:
    """Nodes that the configuration does not name, such as hosts added later."""
    own = [node_of(host, nodes) for host in hosts]
    return [
        {"name": str(node.get("name")), "ready": bool(node.get("ready")), "roles": list(node.get("roles") or [])}
        for node in nodes
        if node not in own
    ]


def _host(
    host: InventoryHost, install: Mapping[str, Any], who: DeploymentIdentity, nodes: Sequence[Mapping[str, Any]]
) -> Report:
    known: Mapping[str, Any] = (install.get("hosts") or {}).get(host.name) or {}
    addresses = list(dict.fromkeys([*host.addresses, *(str(address) for address in known.get("addresses") or [])]))
    role = host.role or str(known.get("role") or "")
    listed = node_of(host, nodes)
    node = _node(listed, known, asked=bool(nodes), installed=install.get("phase") == "installed")
    node_roles = [str(label) for label in (listed or {}).get("roles") or []]
    return {
        "name": host.name,
        "hostname": host.hostname or str(known.get("hostname") or host.name),
        "role": role,
        "role_name": ROLE_NAMES.get(role, role or "host"),
        "rendezvous": host.has_address(who.rendezvous_ip) or bool(known.get("bootstrap")),
        "addresses": addresses,
        "macs": list(host.macs),
        "status": str(known.get("status") or ""),
        # The rendezvous host's last words come before its reboot; a ready Node is past every stage.
        "stage": "Done" if node == "ready" else str(known.get("stage") or ""),
        "node": node,
        "node_roles": node_roles,
        "role_differs": listed is not None and role_differs(host.role, node_roles),
        "stages": _stages(host.name, install),
    }


def _node(listed: Mapping[str, Any] | None, known: Mapping[str, Any], *, asked: bool, installed: bool) -> str:
    if listed:
        return "ready" if listed.get("ready") else "not ready"
    if asked:
        return MISSING if installed else ""
    return str(known.get("node") or "")


def _stages(name: str, install: Mapping[str, Any]) -> list[Report]:
    """Each stage with its time; the last one of a host that is through has no length."""
    events = [event for event in install.get("timeline") or [] if event.get("host") == name]
    end = _end(install)
    stages: list[Report] = []
    for event in events:
        label = str(event.get("stage") or event.get("status") or "")
        if stages and stages[-1]["stage"] == label:
            continue
        if stages:
            stages[-1]["until"] = str(event["at"])
        stages.append(
            {"stage": label, "since": str(event["at"]), "until": str(event["at"]) if label in _LAST_STAGES else end}
        )
    return [{**stage, "seconds": seconds_between(stage["since"], stage["until"])} for stage in stages]


def _phases(install: Mapping[str, Any]) -> list[Report]:
    reached = sorted((install.get("phases") or {}).items(), key=lambda item: str(item[1]))
    end = _end(install)
    ends = [str(since) for _phase, since in reached[1:]] + [end]
    return [
        {"phase": phase, "since": str(since), "until": until, "seconds": seconds_between(str(since), until)}
        for (phase, since), until in zip(reached, ends, strict=False)
    ]


def _end(install: Mapping[str, Any]) -> str:
    """When the installation was complete, or a wait for it ended; else when something happened last."""
    return str(install.get("installed_at") or install.get("stopped_at") or _last_event(install))


def _last_event(install: Mapping[str, Any]) -> str:
    times = [str(event.get("at")) for event in install.get("timeline") or []] + [
        str(at) for at in (install.get("phases") or {}).values()
    ]
    return max(times, default="")


def _login(work_dir: WorkDir, who: DeploymentIdentity, install: Mapping[str, Any]) -> Report:
    # A service that is elsewhere has no kubeconfig before it installs.
    paths = login_paths(work_dir) | ({} if work_dir.kubeconfig.exists() else {"kubeconfig": ""})
    installed = install.get("phase") == "installed"
    usable = paths["kubeconfig_direct"] or paths["kubeconfig"]
    commands = (
        [f"export KUBECONFIG={usable}", "oc get nodes,clusteroperators,clusterversion"] if installed and usable else []
    )
    return {
        **paths,
        "console_url": str(install.get("console_url") or (expected_console(who) if installed else "")),
        "user": "kubeadmin",
        "commands": commands,
    }
