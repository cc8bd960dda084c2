# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse the host configuration directory of an agent ISO, and compute the update of a host from it. Pure functions.

Source: openshift/assisted-service cmd/agentbasedinstaller/host_config.go, cmd/agentbasedinstaller/client/main.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from ..root import Root
from .hints import acceptable, parse_hints
from .manifests import ClientError

DIRECTORY = "/etc/assisted/hostconfig"
NO_DISK = "/dev/not-found-by-hints"
_UNCHANGED = {
    "disks_selected_config": None,
    "disks_skip_formatting": None,
    "ignition_endpoint_http_headers": None,
    "node_labels": None,
}


@dataclasses.dataclass
class HostConfig:
    """The content of one directory. ``host_id`` is set once a host matched."""

    name: str
    macs: tuple[str, ...] = ()
    hostname: str = ""
    role: str = ""
    hints: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    fencing: Mapping[str, Any] | None = None
    host_id: str = ""


def load_host_configs(root: Root, log: list[str], directory: str = DIRECTORY) -> list[HostConfig]:
    """Raises :class:`ClientError`."""
    if not root.exists(directory):
        log.append(f"No host configuration directory found {directory}")
        return []
    configs = []
    for name in root.subdirectories(directory):
        macs = root.text(f"{directory}/{name}/mac_addresses")
        if macs is None:
            log.append(f"No MAC Addresses file found in {directory}/{name}")
            continue
        hints = parse_hints(root.text(f"{directory}/{name}/root-device-hints.yaml") or "")
        role = (root.text(f"{directory}/{name}/role") or "").strip()
        fencing = next(iter(_fencing(root.text(f"{directory}/{name}/fencing-credentials.yaml")).values()), None)
        lines = tuple(line.strip().lower() for line in macs.splitlines() if line.strip())
        configs.append(HostConfig(name, lines, role=role, hints=hints, fencing=fencing))
    for key, credentials in _fencing(root.text(f"{directory}/fencing-credentials.yaml")).items():
        configs.append(HostConfig(key, hostname=key, fencing=credentials))
    return configs


def _fencing(text: str | None) -> dict[str, dict[str, Any]]:
    if not text:
        return {}
    try:
        document = yaml.safe_load(text)
        entries = document["credentials"] or []
    except (yaml.YAMLError, KeyError, TypeError) as error:
        raise ClientError(
            f"failed to load fencing credentials: failed to parse fencing credentials file: {error}"
        ) from error
    result = {}
    for entry in entries:
        key = entry.get("hostname") or str(entry.get("macaddress") or "").lower()
        if key:
            names = {
                "address": "address",
                "username": "username",
                "password": "password",
                "certificateVerification": "certificate_verification",
            }
            credentials = {ours: entry[theirs] for theirs, ours in names.items() if entry.get(theirs)}
            if entry.get("macaddress"):
                credentials["mac_address"] = str(entry["macaddress"]).lower()
            result[key] = credentials
    return result


def matching(configs: Sequence[HostConfig], inventory: Mapping[str, Any]) -> list[HostConfig]:
    """At most one config by MAC address and one by host name."""
    macs = {str(interface.get("mac_address", "")).lower() for interface in inventory.get("interfaces") or []}
    by_mac = [config for config in configs if macs.intersection(config.macs)][:1]
    by_name = [config for config in configs if config.hostname and config.hostname == inventory.get("hostname")][:1]
    return by_mac + by_name


def update_for(configs: Sequence[HostConfig], host: Mapping[str, Any], inventory: Mapping[str, Any]) -> dict[str, Any]:
    """The body of the host's PATCH, empty when there is nothing to change."""
    changes: dict[str, Any] = {}
    for config in configs:
        if not config.hostname:
            disk = _disk(config, host, inventory)
            if disk:
                changes["disks_selected_config"] = [{"id": disk, "role": "install"}]
            if config.role and config.role != host.get("suggested_role"):
                changes["host_role"] = config.role
        if config.fencing and not host.get("fencing_credentials"):
            changes["fencing_credentials"] = dict(config.fencing)
    return (_UNCHANGED | changes) if changes else {}


def _disk(config: HostConfig, host: Mapping[str, Any], inventory: Mapping[str, Any]) -> str:
    """The disk to select, "" when the present selection is acceptable."""
    disks = acceptable(inventory.get("disks") or [], config.hints)
    if any(disk.get("id") == host.get("installation_disk_id") for disk in disks) and host.get("installation_disk_id"):
        return ""
    return str(disks[0]["id"]) if disks else NO_DISK


def describe(changes: Mapping[str, Any], host: Mapping[str, Any]) -> str:
    """The changes of a refused update, as the failures file words them."""
    parts = []
    if changes.get("disks_selected_config"):
        parts.append(
            f"installation disk to {changes['disks_selected_config'][0]['id']} (from "
            f"{host.get('installation_disk_id', '')})"
        )
    if changes.get("host_role"):
        parts.append(f"role to {changes['host_role']} (from {host.get('suggested_role', '')})")
    return " and ".join(parts)
