# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the hosts of the inventory with the hosts that a rehearsal installed in the lab. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...common.connect import ConnectTo


@dataclasses.dataclass(frozen=True)
class RehearsedHost:
    """A host of the inventory: the name in the inventory, the name of its Node, and the static addresses that it must
    have.
    """

    inventory_name: str
    hostname: str
    addresses: tuple[str, ...] = ()


def not_in_lab(endpoints: Mapping[str, tuple[str, int]], connect_to: ConnectTo) -> list[str]:
    """Names of the endpoints that do not lead to the lab, which is on a loopback address: a rehearsal would reach the
    real ones.
    """
    return [
        name
        for name, (host, port) in endpoints.items()
        if not (connect_to.lookup(host, port) or ("", 0))[0].startswith("127.")
    ]


def nodes_of(status: Mapping[str, Any], cluster: str) -> dict[str, str]:
    """State by name of the Nodes of a cluster; ``status`` is what ``ztlab status --json`` prints."""
    return {
        name: str(state)
        for each in status["clusters"]
        if each["name"] == cluster
        for name, state in each["nodes"].items()
    }


def differences(
    hosts: Sequence[RehearsedHost], status: Mapping[str, Any], cluster: str, *, spare: bool = False
) -> list[str]:
    """What differs between the hosts of the inventory and what became of them in the lab.

    ``spare``: hosts belong to a pool, which boots only as many as it needs.
    """
    found: list[str] = []
    nodes = nodes_of(status, cluster)
    machines = {machine["name"]: machine for machine in status["machines"]}
    for host in hosts:
        machine = machines.get(host.inventory_name, {})
        state = nodes.get(host.hostname)
        if state is None and spare and not machine.get("boots"):
            continue
        if state is None:
            console = machine.get("console") or "nothing was booted"
            found.append(f"{host.inventory_name}: no Node {host.hostname}. Its console: {console}")
        elif state != "Ready":
            found.append(f"{host.inventory_name}: Node {host.hostname} is {state}")
        missing = [address for address in host.addresses if address not in (machine.get("addresses") or [])]
        if state is not None and missing:
            present = ", ".join(machine.get("addresses") or ["none"])
            found.append(f"{host.inventory_name}: does not have address {', '.join(missing)}; it has {present}")
        if machine.get("medium"):
            found.append(f"{host.inventory_name}: the image is still attached")
    found += [
        f"Node {name} is no host of the inventory" for name in nodes if name not in {host.hostname for host in hosts}
    ]
    return found
