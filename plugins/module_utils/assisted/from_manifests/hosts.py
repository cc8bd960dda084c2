# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the hosts of an InfraEnv with their configuration, and plan one PATCH for each host that differs. Pure.

As in upstream's client: the desired role is compared with ``suggested_role``, the first eligible disk is selected, and
the body has the same fields. Unlike the client:

* Hostnames are set, and unexpected hosts are reported.
* If no disk fits, the reasons are reported and nothing is sent. The client sends a disk that does not exist.
* If a machine registered more than once, only the registration that is in contact with the service is configured; none
  if it is unclear which one is meant.

Source: openshift/assisted-service cmd/agentbasedinstaller/client/main.go, cmd/agentbasedinstaller/host_config.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...cluster.host_identity import Identity
from ...cluster.host_match import Wanted, match_identities
from ...common.host_names import safe_host_name
from ..change import Difference
from ..hosts.match import WORDS, Match, RegisteredHost, registered
from ..rest.client import Document
from .hints import acceptable_disks, objections
from .host_config import Fencing, HostConfig, HostSettings

# Members that the client sends as null if it has no value for them.
_UNUSED = ("disks_selected_config", "disks_skip_formatting", "ignition_endpoint_http_headers", "node_labels")
_WORDS = {
    "host_name": "hostname",
    "disks_selected_config": "installation disk",
    "host_role": "role",
    "fencing_credentials": "fencing credentials",
}


@dataclasses.dataclass(frozen=True)
class ConfiguredHostPlan:
    """One registered host.

    ``body`` is empty where nothing changes; ``problem`` says why its configuration cannot be applied.

    ``expected`` is the configuration and ``fenced`` the fencing credential that are its own.
    """

    host_id: str
    infra_env_id: str
    name: str
    expected: str = ""
    body: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False)
    differences: tuple[Difference, ...] = dataclasses.field(default=(), repr=False)
    problem: str = ""
    fenced: str = ""

    @property
    def changes(self) -> tuple[str, ...]:
        return tuple(_words(each) for each in self.differences)


@dataclasses.dataclass(frozen=True)
class HostsPlan:
    """``missing`` are expected hosts that have not registered, or whose hardware is not known yet, or of which it
    is unknown which one they are; ``unknown`` registered hosts that are not expected.
    """

    hosts: tuple[ConfiguredHostPlan, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]


def plan_hosts(documents: Iterable[Document], settings: HostSettings) -> HostsPlan:
    """What is to be done with the hosts of an InfraEnv."""
    hosts = [registered(document) for document in documents]
    matches = match_identities([Wanted(each.name, Identity(macs=each.macs)) for each in settings.hosts], hosts, WORDS)
    owners = {match.agent.key: config for config in settings.hosts if (match := matches[config.name]).agent is not None}
    plans = [_plan_host(host, owners.get(host.key), settings) for host in hosts]
    missing = [
        _missing(config, matches[config.name]) for config in settings.hosts if matches[config.name].agent is None
    ]
    fenced = {plan.fenced for plan in plans}
    missing += [
        f"{item.key} (fencing credentials)"
        for item in settings.fencing
        if item.key not in fenced and not _of_a_host(item, settings)
    ]
    meant = {host.id for match in matches.values() for host in (*match.candidates, *match.superseded)}
    unknown = [plan.name for plan in plans if not plan.expected and plan.host_id not in meant] if settings.hosts else []
    return HostsPlan(tuple(plans), tuple(missing), tuple(sorted(unknown)))


def _missing(config: HostConfig, match: Match) -> str:
    detail = match.reason if match.candidates else ", ".join(config.macs)
    return f"{config.name} ({detail})"


def _of_a_host(item: Fencing, settings: HostSettings) -> bool:
    """Whether a host of the configuration is meant, which is missing by itself then."""
    return any(
        (item.hostname and item.hostname == host.hostname) or item.mac_address in host.macs for host in settings.hosts
    )


def _plan_host(host: RegisteredHost, config: HostConfig | None, settings: HostSettings) -> ConfiguredHostPlan:
    """What is to be done with one host, whose configuration is ``config``."""
    document, inventory = host.document, host.inventory
    infra_env_id = str(document.get("infra_env_id") or "")
    if not inventory:
        return ConfiguredHostPlan(
            host.id, infra_env_id, safe_host_name(str(document.get("requested_hostname") or "")) or host.id
        )
    name = safe_host_name(str(document.get("requested_hostname") or inventory.get("hostname") or "")) or host.id
    names = {name, str(inventory.get("hostname") or ""), config.hostname if config else ""} - {""}
    fencing = next((item for item in settings.fencing if item.hostname in names or item.mac_address in host.macs), None)
    body, differences, problem = _changes(document, inventory, config, fencing)
    expected = name if fencing else ""
    if config:
        expected = config.name
    fenced = fencing.key if fencing else ""
    if problem:
        return ConfiguredHostPlan(host.id, infra_env_id, name, expected, problem=problem, fenced=fenced)
    complete = {**dict.fromkeys(_UNUSED), **body} if body else {}
    return ConfiguredHostPlan(host.id, infra_env_id, name, expected, complete, tuple(differences), fenced=fenced)


def _changes(
    document: Document, inventory: Mapping[str, Any], config: HostConfig | None, fencing: Fencing | None
) -> tuple[dict[str, Any], list[Difference], str]:
    body: dict[str, Any] = {}
    differences: list[Difference] = []
    if config is not None:
        present = str(document.get("requested_hostname") or "")
        if config.hostname and config.hostname != present:
            body["host_name"] = config.hostname
            differences.append(Difference("host_name", present or None, config.hostname))
        current = str(document.get("installation_disk_id") or "")
        disk, problem = choose_disk(inventory.get("disks") or (), config.hints, current)
        if problem:
            return {}, [], problem
        if disk:
            body["disks_selected_config"] = [{"id": disk, "role": "install"}]
            differences.append(Difference("disks_selected_config", current or None, disk))
        # The suggestion counts, so that a host whose role the service has found out by itself is left alone; one that
        # is left to the service
        # has a suggestion soon, so there it is the role.
        suggested = str(document.get("role" if config.role == "auto-assign" else "suggested_role") or "")
        if config.role and config.role != suggested:
            body["host_role"] = config.role
            differences.append(Difference("host_role", suggested or None, config.role))
    if fencing is not None and document.get("fencing_credentials") in (None, ""):
        body["fencing_credentials"] = fencing.body()
        differences.append(Difference("fencing_credentials", None, fencing.body()))
    return body, differences, ""


def _words(difference: Difference) -> str:
    """In the client's words (openshift/assisted-service cmd/agentbasedinstaller/client/main.go)."""
    words = _WORDS[difference.field]
    before = difference.before or "none"
    return words if isinstance(difference.after, Mapping) else f"{words} to {difference.after} (from {before})"


def choose_disk(disks: Sequence[Document], hints: Mapping[str, Any], current: str) -> tuple[str, str]:
    """(id of the disk to select, empty where the present one will do; why there is none)."""
    fitting = acceptable_disks(disks, hints)
    if not fitting:
        listed = "; ".join(reason for disk in disks for reason in objections(disk, hints)) or "it has no disk"
        return "", f"no disk fits the root device hints: {listed}"
    if current and any(disk.get("id") == current for disk in fitting):
        return "", ""
    return str(fitting[0].get("id") or ""), ""
