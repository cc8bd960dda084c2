# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the static network configuration of an infra-env, and build its archive for the image service.

Source: openshift/assisted-service pkg/staticnetworkconfig/generator.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from ..hub.discovery.parameters import Discovery
from ..hub.discovery.static_network import network_archive
from . import go
from .errors import bad_request

MAC = re.compile(r"^([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$")
PREDICTABLE = re.compile(r"^en[PsvxXbucaipod]")
KINDS = (
    "ethernet",
    "bond",
    "vlan",
    "linux-bridge",
    "ovs-bridge",
    "ovs-interface",
    "dummy",
    "infiniband",
    "veth",
    "vrf",
    "vxlan",
    "mac-vlan",
    "loopback",
    "unknown",
)
STATES = ("up", "down", "absent", "ignore", "unknown")


def check_and_sort(config: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The list as it is stored: normalised and sorted. Raises ServiceError 400 with all problems joined."""
    problems = [problem for index, element in enumerate(config) for problem in _element_problems(index, element)]
    if problems:
        raise bad_request(go.joined(problems))
    elements = [
        {
            "network_yaml": element.get("network_yaml") or "",
            "mac_interface_map": sorted(
                (
                    {"mac_address": entry["mac_address"], "logical_nic_name": entry.get("logical_nic_name", "")}
                    for entry in element["mac_interface_map"]
                ),
                key=lambda entry: str(entry["logical_nic_name"]),
            ),
        }
        for element in config
    ]
    return sorted(elements, key=lambda element: (element["network_yaml"], str(element["mac_interface_map"])))


def _element_problems(index: int, element: Mapping[str, Any]) -> list[str]:
    entries = element.get("mac_interface_map") or []
    problems = []
    macs = [str(entry.get("mac_address", "")).lower() for entry in entries]
    names = [entry.get("logical_nic_name", "") for entry in entries]
    if not entries:
        problems.append(f"at least one interface for host {index} must be provided")
    elif len(set(macs)) < len(macs) or len(set(names)) < len(names):
        problems.append(f"MACs and Interfaces for host {index} must be unique")
    problems += [f"MAC interface for host {index}: {mac} is not a MAC address" for mac in macs if not MAC.match(mac)]
    return problems + _network_problems(index, element.get("network_yaml") or "", names)


def _network_problems(index: int, text: str, names: Sequence[str]) -> list[str]:
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return [f"failed to validate network yaml for host {index}: error converting YAML to JSON: {error}"]
    if document is None:
        document = {}
    if not isinstance(document, dict):
        return [f"failed to validate network yaml for host {index}: nmstate document must be a mapping"]
    interfaces = document.get("interfaces") or []
    if not isinstance(interfaces, list) or not all(isinstance(item, dict) and item.get("name") for item in interfaces):
        return [
            (
                f"failed to validate network yaml for host {index}: InvalidArgument: interfaces must be a list of "
                "interfaces with names"
            )
        ]
    problems = [
        f"failed to validate network yaml for host {index}: InvalidArgument: unknown interface type {item.get('type')}"
        for item in interfaces
        if item.get("type") and item["type"] not in KINDS
    ]
    problems += [
        (
            f"failed to validate network yaml for host {index}: InvalidArgument: unknown interface state "
            f"{item.get('state')}"
        )
        for item in interfaces
        if item.get("state") and item["state"] not in STATES
    ]
    known = {*names, *(item["name"] for item in interfaces if item.get("identifier") == "mac-address")}
    known |= {item["name"] for item in interfaces if item.get("type") not in (None, "ethernet")}
    for name in physical_names(interfaces):
        if name not in known and not PREDICTABLE.match(name):
            # The first one only.
            return [*problems, f"mac-interface mapping for interface {name} is missing and not a physical interface"]
    return problems


def physical_names(interfaces: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names that must lead to a NIC: ethernet interfaces and bond ports."""
    names = [str(item["name"]) for item in interfaces if item.get("type", "ethernet") == "ethernet"]
    for item in interfaces:
        aggregation = item.get("link-aggregation") or {}
        names += [str(port) for port in aggregation.get("port") or aggregation.get("slaves") or []]
    return list(dict.fromkeys(names))


def archive(config: Sequence[Mapping[str, Any]], openshift_version: str) -> bytes:
    """``file_name=static-network-config``: the tar with one directory per host."""
    return network_archive(Discovery("", "", "", openshift_version=openshift_version, static_network=tuple(config)))
