# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Resolve the references between interfaces, routes and rules in an nmstate document.

Ports refer to their controller, interfaces to their base interface, and routes and rules to an interface.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from ..common.problems import DUPLICATE, INVALID
from .controllers import attach_ports, check_nesting
from .loopback import LOOPBACK
from .model import NetInterface, NetworkDocument
from .names import InterfaceNames
from .routes import relate_routes
from .rules import relate_rules
from .section import Findings

# nmstate keeps the name of these parents unchanged.
_FIXED_PARENT = ("infiniband", "ovs-interface")


def relate(document: NetworkDocument, findings: Findings) -> NetworkDocument:
    """The document with names resolved, ports given their controller, a plain ethernet for every port that has no entry
    of its own, and ``lo`` where a route or a rule needs it.
    """
    unread = frozenset(
        entry.name for entry in document.interfaces if entry.state == "unread" or findings.errors_below(entry.path)
    )
    present = _last_of_each_name(document.interfaces, findings)
    ignored = frozenset(entry.name for entry in present if entry.state == "ignore")
    present = [entry for entry in present if entry.state not in ("ignore", "unread")]
    _check_alternative_names(present, findings)
    document = dataclasses.replace(document, interfaces=tuple(present), unread=unread, ignored=ignored)
    document = attach_ports(document, findings)
    check_nesting(document, findings)
    names = InterfaceNames(document.interfaces)
    interfaces = [_with_copied_mac(entry, names, document, findings) for entry in document.interfaces]
    interfaces = [_with_parent(entry, names, document, findings) for entry in interfaces]
    document = dataclasses.replace(document, interfaces=tuple(interfaces))
    routes = relate_routes(document, names, findings)
    document = _with_loopback(dataclasses.replace(document, routes=routes), [route.interface for route in routes])
    if not document.rules:
        return document
    rules = relate_rules(document, findings)
    return _with_loopback(dataclasses.replace(document, rules=rules), [rule.interface for rule in rules])


def _last_of_each_name(interfaces: Sequence[NetInterface], findings: Findings) -> list[NetInterface]:
    """nmstate keeps the last entry of a name and says nothing.

    A bridge of Open vSwitch and an interface may share one.
    """
    kept: dict[tuple[str, bool], NetInterface] = {}
    for entry in interfaces:
        key = (entry.name, entry.userspace)
        if key in kept:
            findings.add(
                f"{entry.path}.name",
                DUPLICATE,
                f"is at {kept[key].path} already; nmstate keeps only one",
                value=entry.name,
                layer="ours",
            )
        kept[key] = entry
        if (
            entry.name == LOOPBACK.name
            and entry.type != LOOPBACK.type
            and not entry.userspace
            and entry.state not in ("ignore", "unread")
        ):
            findings.add(f"{entry.path}.type", INVALID, "lo is a loopback interface", value=entry.type)
    return list(kept.values())


def _check_alternative_names(interfaces: Sequence[NetInterface], findings: Findings) -> None:
    taken = {entry.name: entry.name for entry in interfaces if not entry.userspace} | {LOOPBACK.name: LOOPBACK.name}
    for entry in interfaces:
        for name in entry.alt_names:
            if name != entry.name and taken.setdefault(name, entry.name) != entry.name:
                findings.add(f"{entry.path}.alt-names", INVALID, f"belongs to {taken[name]}", value=name)


def _with_copied_mac(
    entry: NetInterface, names: InterfaceNames, document: NetworkDocument, findings: Findings
) -> NetInterface:
    if not entry.copy_mac_from:
        return entry
    path = f"{entry.path}.copy-mac-from"
    found = names.find(entry.copy_mac_from)
    source = document.kernel(found[0]) if len(found) == 1 else None
    if entry.copy_mac_from in document.unread:
        return entry
    if source is None:
        findings.add(
            path,
            INVALID,
            "there is no such interface that is up" if not found else "several interfaces have it",
            value=entry.copy_mac_from,
        )
        return entry
    mac = source.permanent_mac or source.mac_address
    if not mac:
        findings.add(path, INVALID, "the document says no mac-address for that interface", value=entry.copy_mac_from)
    return dataclasses.replace(entry, mac_address=mac)


def _with_parent(
    entry: NetInterface, names: InterfaceNames, document: NetworkDocument, findings: Findings
) -> NetInterface:
    """The interface below by its own name. One that the document does not know may exist all the same."""
    if not entry.parent or entry.state != "up":
        return entry
    found = names.find(entry.parent)
    if len(found) > 1:
        findings.add(
            entry.path, INVALID, f"several interfaces have the profile name {entry.parent}", value=entry.parent
        )
    if len(found) == 1 and found[0] != entry.parent and entry.type not in _FIXED_PARENT:
        entry = dataclasses.replace(
            entry, parent=found[0], vlan=entry.vlan and dataclasses.replace(entry.vlan, base_iface=found[0])
        )
    below = document.kernel(entry.parent)
    if below is not None and below.state == "absent" and below.type != "ethernet":
        where = "vlan.base-iface" if entry.vlan else f"{entry.type}.base-iface"
        findings.add(f"{entry.path}.{where}", INVALID, "that interface is to be absent", value=entry.parent)
    return entry


def _with_loopback(document: NetworkDocument, holders: Iterable[str]) -> NetworkDocument:
    needed = LOOPBACK.name in holders and document.kernel(LOOPBACK.name) is None
    return dataclasses.replace(document, interfaces=(*document.interfaces, LOOPBACK)) if needed else document
