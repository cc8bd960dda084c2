# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate pre-network-manager-config: select the network configuration of the host by its MAC addresses, and write it
as keyfiles or nmpolicy documents.

Source: openshift/installer pkg/asset/agent/manifests/nmstateconfig.go,
  data/data/agent/files/usr/local/bin/pre-network-manager-config.sh;
  openshift/assisted-service internal/ignition/discovery.go, internal/ignition/templates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .keyfiles import CONNECTIONS
from .nmstate import NmstateError, keyfile_text, load, profiles, resolve_policy
from .root import Node, Root

DIRECTORY = "/etc/assisted/network"
_IFNAMSIZ = 15


def apply_host_network(
    root: Root, ports: Sequence[tuple[str, str, bool]], log: list[str], target: str = CONNECTIONS
) -> bool:
    """Write the profiles of all matching host directories to ``target``; return whether a directory matched."""
    by_mac = {mac.upper(): name for name, mac, _link in ports} | {"00:00:00:00:00:00": "lo"}
    chosen: dict[str, Node] = {}
    matched = False
    for directory in root.subdirectories(DIRECTORY):
        names = _interfaces_of(root, directory, by_mac)
        keyfiles = root.under(f"{DIRECTORY}/{directory}", "*.nmconnection")
        policies = root.under(f"{DIRECTORY}/{directory}", "*.yml")
        if not names or not (keyfiles or policies):
            continue
        matched = True
        listed = ", ".join(f"{logical} is {name}" for logical, name in names.items())
        log.append(f"pre-network-manager-config: {directory}: {listed}")
        chosen |= {_file_name(file, names): _renamed(node, names) for file, node in keyfiles.items()}
        for file, node in policies.items():
            chosen |= _applied(file, node, ports, log)
    if not matched:
        log.append("pre-network-manager-config: no host directory has a MAC address of this machine")
        return False
    for path in [path for path in root.files if path.startswith(f"{target}/")]:
        del root.files[path]
    root.files |= {f"{target}/{name}": node for name, node in chosen.items()}
    return True


def _applied(file: str, node: Node, ports: Sequence[tuple[str, str, bool]], log: list[str]) -> dict[str, Node]:
    """What nmstate makes of a document: connection profiles; nothing, with the reason in the log, when it refuses."""
    try:
        document = load(node.content.decode("utf-8", "replace"))
        state = resolve_policy(document, ports) if "capture" in document or "desiredState" in document else document
        made = profiles(state, {mac.lower(): name for name, mac, _link in ports})
    except NmstateError as error:
        log.append(f"nmstatectl: {file}: {error}")
        return {}
    return {profile.file: Node(0o600, keyfile_text(profile).encode()) for profile in made}


def _interfaces_of(root: Root, directory: str, by_mac: Mapping[str, str]) -> dict[str, str]:
    """Logical name -> real name, for the MAC addresses of this machine that mac_interface.ini has; empty when there is
    none.
    """
    text = root.text(f"{DIRECTORY}/{directory}/mac_interface.ini")
    pairs = [line.strip().partition("=") for line in (text or "").splitlines() if "=" in line]
    return {logical: by_mac[mac.upper()] for mac, _equals, logical in pairs if mac.upper() in by_mac}


def _file_name(file: str, names: Mapping[str, str]) -> str:
    stem = file.removesuffix(".nmconnection")
    for logical, real in names.items():
        if stem == logical:
            return f"{real}.nmconnection"
        if stem.startswith(f"{logical}."):
            suffix = stem[len(logical) :]
            beginning = real[: _IFNAMSIZ - len(suffix)]
            return f"{beginning}{suffix}.nmconnection"
    return file


def _renamed(node: Node, names: Mapping[str, str]) -> Node:
    text = node.content.decode("utf-8", "replace")
    for logical, real in names.items():
        text = re.sub(rf"={re.escape(logical)}$", f"={real}", text, flags=re.M)

        def vlan(match: re.Match[str], real: str = real) -> str:
            beginning = real[: _IFNAMSIZ - len(match[1])]
            return f"={beginning}{match[1]}"

        text = re.sub(rf"={re.escape(logical)}(\.\d+)$", vlan, text, flags=re.M)
    return Node(node.mode, text.encode())


def hostname_for(root: Root, macs: Sequence[str]) -> str:
    """set-hostname: the host name whose file is named like a MAC address of this machine (as ``ip address`` prints it),
    "" without one.
    """
    for name, node in root.under("/etc/assisted/hostnames").items():
        if name in macs:
            return node.content.decode("utf-8", "replace").strip()
    return ""
