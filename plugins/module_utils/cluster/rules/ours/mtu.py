# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check that the MTU of each interface fits its VLAN parent or bond, and that hosts in the machine network agree."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator

from ....common.problems import INVALID, Problem
from ....nmstate.model import NetInterface, NetworkDocument
from ..checks import AGENT_CONFIG, own
from ..facts import Facts, HostFacts

_SMALLEST_MTU = 1280  # what IPv6 needs, and what the cluster network cannot do without
_DEFAULT_MTU = 1500


def mtu(facts: Facts) -> Iterator[Problem]:
    for host in facts.hosts:
        for entry in host.document.interfaces if host.document else ():
            if host.document and (detail := _mtu_error(entry, host.document)):
                yield own(
                    "mtu",
                    host.in_network_config(f"{entry.path}.mtu"),
                    INVALID,
                    detail,
                    value=entry.mtu,
                    file=AGENT_CONFIG,
                )
    yield from _uneven_mtu(facts)


def _uneven_mtu(facts: Facts) -> Iterator[Problem]:
    """Hosts that differ from most others in the MTU of the interface that is in the machine network."""
    found: dict[int, tuple[HostFacts, NetInterface]] = {}
    for host, address in facts.static_addresses():
        entry = host.document.interface(address.interface) if host.document else None
        if entry and host.index not in found and facts.in_machine_network(ipaddress.ip_address(address.ip)):
            found[host.index] = host, entry
    counted = Counter(entry.mtu or _DEFAULT_MTU for _host, entry in found.values())
    usual = counted.most_common(1)[0][0] if counted else 0
    for host, entry in found.values():
        if (entry.mtu or _DEFAULT_MTU) != usual:
            entry_mtu = entry.mtu or _DEFAULT_MTU
            detail = f"{entry.name} of {host.label} has {entry_mtu} in the machine network, other hosts have {usual}"
            yield own(
                "mtu", host.in_network_config(f"{entry.path}.mtu"), INVALID, detail, value=entry.mtu, file=AGENT_CONFIG
            )


def _mtu_error(entry: NetInterface, document: NetworkDocument) -> str:
    if entry.mtu is None:
        return ""
    if entry.mtu < _SMALLEST_MTU:
        return f"is below {_SMALLEST_MTU}"
    parent = document.interface(entry.vlan.base_iface) if entry.vlan else None
    if parent and entry.mtu > (parent.mtu or _DEFAULT_MTU):
        parent_mtu = parent.mtu or _DEFAULT_MTU
        return f"is above that of its parent {parent.name} ({parent_mtu})"
    bond = document.controller_of(entry)
    if bond and bond.bond and entry.mtu < (bond.mtu or _DEFAULT_MTU):
        bond_mtu = bond.mtu or _DEFAULT_MTU
        return f"is below that of its bond {bond.name} ({bond_mtu})"
    return ""
