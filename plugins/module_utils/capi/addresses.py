# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute the addresses of a Cluster API Machine from the inventory that its Agent reports. Pure.

Source: openshift/cluster-api-provider-agent controllers/agentmachine_controller.go.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..hub.agents.model import Agent

HOSTNAME = "InternalDNS"
ADDRESS = "ExternalIP"
_LONGEST = 256


def addresses(agent: Agent) -> list[dict[str, str]]:
    """All addresses of NICs with a carrier, then the hostname.

    Fixed here (14): upstream reports no IPv6 address, breaks on one without a prefix length, and for a host without
    hostname it writes an empty entry, which the API refuses together with the reference to the Agent.
    """
    carrying = [
        nic
        for nic in agent.inventory.get("interfaces") or ()
        if isinstance(nic, Mapping) and nic.get("hasCarrier") is True
    ]
    plain = [
        address
        for field in ("ipV4Addresses", "ipV6Addresses")
        for nic in carrying
        for address in _plain(nic.get(field))
    ]
    found = [{"type": ADDRESS, "address": address} for address in dict.fromkeys(plain)]
    return found + _hostname(agent)


def _plain(values: Any) -> Iterator[str]:
    for value in values if isinstance(values, list) else ():
        try:
            address = ipaddress.ip_interface(str(value)).ip
        except ValueError:
            continue
        if address.version == 4 or not address.is_link_local:
            yield str(address)


def node_name(found: Sequence[Mapping[str, Any]]) -> str:
    """The name that the Machine's Node will have; empty while it is not known."""
    return next((str(item.get("address") or "") for item in found if item.get("type") == HOSTNAME), "")


def refreshed(present: Sequence[Mapping[str, Any]], agent: Agent) -> list[dict[str, Any]]:
    """The addresses of a Machine that has its Agent already: they stay, but a hostname that was missing is added as
    soon as there is one.

    While it is being bound an Agent has no inventory; what it reported before counts.
    """
    kept = [dict(item) for item in present]
    if node_name(present):
        return kept
    return [*(kept or [item for item in addresses(agent) if item["type"] == ADDRESS]), *_hostname(agent)]


def _hostname(agent: Agent) -> list[dict[str, str]]:
    return (
        [{"type": HOSTNAME, "address": agent.reported_hostname}] if 0 < len(agent.reported_hostname) <= _LONGEST else []
    )
