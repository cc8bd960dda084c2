# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Hosts against their configuration: one PATCH for each that differs (reference agentbasedinstaller-client.md 7). Pure.

Kept: the comparison of roles with ``suggested_role``, the first eligible disk, the members of the body. Changed: hostnames are set; where no disk fits,
the reasons are told and nothing is sent, instead of a disk that cannot be there; hosts that nobody expects are told.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..client import Document
from .hints import acceptable_disks, objections
from .host_config import Fencing, HostConfig, HostSettings

# Members that the client sends as null where it has nothing for them.
_UNUSED = ("disks_selected_config", "disks_skip_formatting", "ignition_endpoint_http_headers", "node_labels")


@dataclasses.dataclass(frozen=True)
class HostPlan:
    """One registered host. ``body`` is empty where nothing changes; ``problem`` says why its configuration cannot be applied.

    ``expected`` is the configuration and ``fenced`` the fencing credential that are its own.
    """

    host_id: str
    infra_env_id: str
    name: str
    expected: str = ""
    body: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False)
    changes: tuple[str, ...] = ()
    problem: str = ""
    fenced: str = ""


@dataclasses.dataclass(frozen=True)
class HostsPlan:
    """``missing`` are expected hosts that have not registered, or whose hardware is not known yet; ``unknown`` registered ones that nobody expects."""

    hosts: tuple[HostPlan, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]


def plan_hosts(documents: Iterable[Document], settings: HostSettings) -> HostsPlan:
    """What is to be done with the hosts of an InfraEnv."""
    plans = [plan_host(document, settings) for document in documents]
    found = {plan.expected for plan in plans if plan.expected}
    missing = [f"{config.name} ({', '.join(config.macs)})" for config in settings.hosts if config.name not in found]
    fenced = {plan.fenced for plan in plans}
    missing += [f"{item.key} (fencing credentials)" for item in settings.fencing if item.key not in fenced and not _of_a_host(item, settings)]
    unknown = [plan.name for plan in plans if not plan.expected] if settings.hosts else []
    return HostsPlan(tuple(plans), tuple(missing), tuple(sorted(unknown)))


def _of_a_host(item: Fencing, settings: HostSettings) -> bool:
    """Whether a host of the configuration is meant, which is missing by itself then."""
    return any((item.hostname and item.hostname == host.hostname) or item.mac_address in host.macs for host in settings.hosts)


def plan_host(document: Document, settings: HostSettings) -> HostPlan:
    """What is to be done with one host."""
    host_id, infra_env_id = str(document.get("id") or ""), str(document.get("infra_env_id") or "")
    inventory = document.get("inventory")
    if not isinstance(inventory, dict):
        return HostPlan(host_id, infra_env_id, str(document.get("requested_hostname") or host_id))
    name = str(document.get("requested_hostname") or inventory.get("hostname") or host_id)
    macs = {str(item.get("mac_address") or "").lower() for item in inventory.get("interfaces") or () if isinstance(item, dict)} - {""}
    config = next((item for item in settings.hosts if macs & set(item.macs)), None)
    names = {name, str(inventory.get("hostname") or ""), config.hostname if config else ""} - {""}
    fencing = next((item for item in settings.fencing if item.hostname in names or item.mac_address in macs), None)
    body, changes, problem = _changes(document, inventory, config, fencing)
    expected = config.name if config else name if fencing else ""
    fenced = fencing.key if fencing else ""
    if problem:
        return HostPlan(host_id, infra_env_id, name, expected, problem=problem, fenced=fenced)
    complete = {**dict.fromkeys(_UNUSED), **body} if body else {}
    return HostPlan(host_id, infra_env_id, name, expected, complete, tuple(changes), fenced=fenced)


def _changes(document: Document, inventory: Document, config: HostConfig | None, fencing: Fencing | None) -> tuple[dict[str, Any], list[str], str]:
    body: dict[str, Any] = {}
    changes: list[str] = []
    if config is not None:
        present = str(document.get("requested_hostname") or "")
        if config.hostname and config.hostname != present:
            body["host_name"] = config.hostname
            changes.append(f"hostname to {config.hostname} (from {present or 'none'})")
        disk, problem = choose_disk(inventory.get("disks") or (), config.hints, str(document.get("installation_disk_id") or ""))
        if problem:
            return {}, [], problem
        if disk:
            body["disks_selected_config"] = [{"id": disk, "role": "install"}]
            changes.append(f"installation disk to {disk} (from {document.get('installation_disk_id') or 'none'})")
        # The suggestion counts, so that a host whose role the service has found out by itself is left alone; one that shall be left to the service
        # has a suggestion soon, so there it is the role.
        suggested = str(document.get("role" if config.role == "auto-assign" else "suggested_role") or "")
        if config.role and config.role != suggested:
            body["host_role"] = config.role
            changes.append(f"role to {config.role} (from {suggested or 'none'})")
    if fencing is not None and not document.get("fencing_credentials"):
        body["fencing_credentials"] = fencing.body()
        changes.append("fencing credentials")
    return body, changes, ""


def choose_disk(disks: Sequence[Document], hints: Mapping[str, Any], current: str) -> tuple[str, str]:
    """(id of the disk to select, empty where the present one will do; why there is none)."""
    fitting = acceptable_disks(disks, hints)
    if not fitting:
        listed = "; ".join(reason for disk in disks for reason in objections(disk, hints)) or "it has no disk"
        return "", f"no disk fits the root device hints: {listed}"
    if current and any(disk.get("id") == current for disk in fitting):
        return "", ""
    return str(fitting[0].get("id") or ""), ""
