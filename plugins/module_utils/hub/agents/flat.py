# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert an Agent to a flat dictionary in snake_case for module results and host variables. Messages of the service
are kept.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...common.host_names import safe_address
from .model import Agent

Facts = dict[str, Any]
FIELDS = (
    "name",
    "namespace",
    "infra_env_name",
    "hostname",
    "macs",
    "serial_number",
    "bmc_addresses",
    "role",
    "state",
    "state_info",
    "approved",
    "connected",
    "cluster",
    "day_2",
    "bare_metal_host",
    "machine_config_pool",
    "installation_disk_id",
    "stage",
    "percent",
    "labels",
    "node_labels",
    "ip_addresses",
    "conditions",
    "validations",
    "created",
    "inventory",
)


def flatten(agent: Agent, *, inventory: bool = True, fields: Collection[str] = ()) -> Facts:
    """The facts of one Agent for results and host variables.

    ``inventory`` adds the hardware as the service reports it, without SMART data; ``fields`` not empty: only these.
    """
    facts: Facts = {
        "name": agent.name,
        "namespace": agent.namespace,
        "infra_env_name": agent.infra_env,
        "hostname": agent.hostname,
        "macs": list(agent.macs),
        "serial_number": agent.serial,
        "bmc_addresses": list(agent.bmc_addresses),
        "role": agent.role,
        "state": agent.state,
        "state_info": agent.state_info,
        "approved": agent.approved,
        "connected": agent.connected,
        "cluster": None
        if agent.cluster is None
        else {"namespace": agent.cluster.namespace, "name": agent.cluster.name},
        "day_2": agent.day_2,
        "bare_metal_host": agent.bare_metal_host,
        "machine_config_pool": str(agent.spec.get("machineConfigPool") or ""),
        "installation_disk_id": str(
            agent.spec.get("installation_disk_id") or agent.status.get("installation_disk_id") or ""
        ),
        "stage": agent.stage,
        "percent": agent.percent,
        "labels": dict(agent.labels),
        "node_labels": dict(agent.spec.get("nodeLabels") or {}),
        "ip_addresses": ip_addresses(agent),
        "conditions": {
            name: {"status": condition.status, "reason": condition.reason, "message": condition.message}
            for name, condition in sorted(agent.conditions.items())
        },
        "validations": [{"id": found.id, "status": found.status, "message": found.message} for found in agent.failing],
        "created": agent.created,
    }
    facts |= {"inventory": dict(agent.inventory)} if inventory else {}
    return {name: value for name, value in facts.items() if name in fields} if fields else facts


def ip_addresses(agent: Agent) -> list[str]:
    """Addresses without prefix length, in the order of the interfaces; only those that lead to another machine."""
    found = [
        str(address).partition("/")[0]
        for nic in agent.inventory.get("interfaces") or ()
        if isinstance(nic, dict)
        for address in (*(nic.get("ipV4Addresses") or ()), *(nic.get("ipV6Addresses") or ()))
    ]
    return [address for address in dict.fromkeys(found) if safe_address(address)]
