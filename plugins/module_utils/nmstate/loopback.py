# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the loopback interface ``lo`` of an nmstate document.

``lo`` exists on every machine. Its keyfile contains the routes and rules that belong to no other interface.
"""

from __future__ import annotations

import dataclasses

from ..common.problems import INVALID
from .model import FAMILIES, Address, IpStack, NetInterface
from .section import Section

LOOPBACK = NetInterface(
    name="lo",
    path="interfaces",
    type="loopback",
    ipv4=IpStack(enabled=True, addresses=(Address("127.0.0.1", 8),), written_addresses=True),
    ipv6=IpStack(enabled=True, addresses=(Address("::1", 128),), written_addresses=True),
)
_WAITS_FOR = {"ipv4": ("ipv4",), "ipv6": ("ipv6",), "ipv4+ipv6": ("ipv4", "ipv6")}


def read_loopback(section: Section, entry: NetInterface) -> NetInterface:
    """What the document leaves open about ``lo`` stays as it is on every machine."""
    section.unwritten("mtu", "mac-address", "accept-all-mac-addresses", detail="nmstate writes it for ethernets only")
    if entry.ipv4 is not None and not entry.ipv4.enabled:
        section.problem("ipv4.enabled", INVALID, "a loopback interface has IPv4", value="false")
    for family in FAMILIES:
        stack = entry.stack(family)
        if stack is not None and stack.auto:
            section.problem(family, INVALID, "a loopback interface gets no addresses by itself")
        if (
            entry.name == LOOPBACK.name
            and family in _WAITS_FOR.get(entry.wait_ip or "", ())
            and (stack is None or not stack.enabled)
        ):
            section.problem("wait-ip", INVALID, f"needs {family}.enabled: true", value=entry.wait_ip)
    if entry.name != LOOPBACK.name:
        return entry
    return dataclasses.replace(entry, ipv4=entry.ipv4 or LOOPBACK.ipv4, ipv6=entry.ipv6 or LOOPBACK.ipv6)
