# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the names of interfaces as NetworkManager does before it loads a connection; nmstate does not check them.

Source: NetworkManager/NetworkManager src/libnm-glib-aux/nm-shared-utils.c (nm_utils_ifname_valid),
  src/libnm-core-impl/nm-setting-connection.c; torvalds/linux net/core/dev.c (dev_valid_name).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ..common.problems import INVALID
from .model import NetInterface, NetworkDocument
from .section import Findings

Rule = tuple[re.Pattern[bytes], str]
# Byte A0 is a blank for the kernel, also inside a character of UTF-8.
_KERNEL: Rule = (
    re.compile(rb"(?!(?:\.|\.\.|all|default|bonding_masters)\Z)[^\t\n\v\f\r \xa0/:%]{1,15}"),
    "NetworkManager does not load this connection: Linux interfaces have names of at most 15 bytes without blanks, /, "
    ": and %, other than ., .., all, default and bonding_masters",
)
_OPEN_VSWITCH: Rule = (
    re.compile(rb"[!-.0-\[\]-~]+"),
    "NetworkManager does not load this connection: names in Open vSwitch are ASCII characters without blanks, / and \\",
)
# Types of an ovs-interface for which the kernel has no interface.
_INSIDE_OPEN_VSWITCH = ("ovs-patch", "ovs-dpdk")


def check_names(document: NetworkDocument, nics: Collection[str], findings: Findings) -> None:
    """``nics`` are names in the interface table of the host.

    On the machine pre-network-manager-config.sh replaces them with the real names of the NICs.
    """
    reported: set[str] = set()
    for name, path, rules in _names(document):
        if name in nics or name in reported:
            continue
        base, _dot, vlan = name.rpartition(".")
        # The script shortens the name of the NIC so that the name of a VLAN on it fits.
        final = f"n.{vlan}" if base in nics else name
        for pattern, detail in rules:
            if name not in reported and not pattern.fullmatch(final.encode()):
                findings.add(path, INVALID, detail, value=name, layer="ours", hint="choose another name")
                reported.add(name)


def _names(document: NetworkDocument) -> Iterator[tuple[str, str, tuple[Rule, ...]]]:
    """Each name that a keyfile has for an interface or port, its place, and its rules."""
    for entry in document.interfaces:
        if entry.state == "absent":
            continue
        if entry.identifier == "name":
            # A port without an entry of its own has the place where it is listed.
            path = f"{entry.path}.name" if entry.path.endswith("]") else entry.path
            yield entry.name, path, _rules(entry)
        for port in entry.ovs_ports:
            yield port.name, f"{entry.path}.bridge.port", (_OPEN_VSWITCH,)
        if entry.veth_peer:
            yield entry.veth_peer, f"{entry.path}.veth.peer", (_KERNEL,)


def _rules(entry: NetInterface) -> tuple[Rule, ...]:
    if entry.type == "ovs-bridge":
        return (_OPEN_VSWITCH,)
    if entry.type == "ovs-interface":
        inside = any(group.name in _INSIDE_OPEN_VSWITCH for group in entry.groups)
        return (_OPEN_VSWITCH,) if inside else (_KERNEL, _OPEN_VSWITCH)
    return (_KERNEL,)
