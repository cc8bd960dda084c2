# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The interfaces that networkConfig names: whether they exist, are the NICs meant, and fit each other (reference agent-based-installer.md 3.12, 13)."""

from __future__ import annotations

from collections.abc import Iterator

from ....common.problems import INVALID, Problem
from ....nmstate.document import interfaces_with_mac
from ..checks import AGENT_CONFIG, own
from ..facts import Facts
from ..hosts import canonical_mac, mac_error


def bond_port_missing(facts: Facts) -> Iterator[Problem]:
    """nmstate makes up an interface for a port that it does not know; on the machine there would be none of that name."""
    for host in facts.hosts:
        document = host.document
        known = {*host.interface_names, *(interface.name for interface in host.host.interfaces)}
        for entry in document.interfaces if document else ():
            for port in (entry.bond.ports if entry.bond else None) or ():
                if port not in known:
                    path = host.in_network_config(f"{entry.path}.link-aggregation.port")
                    yield own("bond-port-missing", path, INVALID, f"{host.label} has no interface of this name", value=port, file=AGENT_CONFIG)


def interface_mac_mismatch(facts: Facts) -> Iterator[Problem]:
    counted: dict[str, int] = {}
    for host in facts.hosts:
        for interface in host.host.interfaces:
            counted[canonical_mac(interface.mac_address)] = counted.get(canonical_mac(interface.mac_address), 0) + 1
    for host in facts.hosts:
        # A MAC that is wrong in itself is reported where interfaces are checked.
        table = {
            interface.name: interface.mac_address
            for interface in host.host.interfaces
            if not mac_error(interface.mac_address) and counted[canonical_mac(interface.mac_address)] == 1
        }
        for named in interfaces_with_mac(host.host.network_config):
            listed = table.get(named.interface)
            if listed and canonical_mac(listed) != canonical_mac(named.mac):
                path = host.in_network_config(named.path)
                yield own(
                    "interface-mac-mismatch", path, INVALID, f"the interface table says {listed} for {named.interface}", value=named.mac, file=AGENT_CONFIG
                )
