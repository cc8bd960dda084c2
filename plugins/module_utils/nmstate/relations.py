# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What interfaces of an nmstate document say about each other: bonds and their ports, VLANs and their parents, routes and their interface."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from ..common.problems import DUPLICATE, INVALID
from .model import NetInterface, NetworkDocument, Route
from .section import Findings


def relate(document: NetworkDocument, findings: Findings) -> NetworkDocument:
    """The document with names resolved, ports given their controller, and a plain ethernet for every port that has no entry of its own."""
    unread = frozenset(entry.name for entry in document.interfaces if entry.state == "unread" or findings.errors_below(entry.path))
    document = dataclasses.replace(document, unread=unread)
    interfaces = _last_of_each_name(document.interfaces, findings)
    ignored = [entry.name for entry in interfaces if entry.state == "ignore"]
    interfaces = [entry for entry in interfaces if entry.state not in ("ignore", "unread")]
    related = dataclasses.replace(document, interfaces=tuple(interfaces))
    controllers = _controllers(related, findings)
    for port, (bond, path) in controllers.items():
        if port in ignored:
            findings.add(path, INVALID, f"is to be ignored, so it would be missing from {bond}", value=port, layer="ours")
    interfaces = [_with_controller(entry, related, controllers, findings) for entry in interfaces]
    known = {entry.name for entry in interfaces}
    interfaces += [NetInterface(name=port, path=path, controller=bond) for port, (bond, path) in controllers.items() if port not in known]
    related = dataclasses.replace(document, interfaces=tuple(interfaces))
    interfaces = [_with_parent(entry, related, findings) for entry in interfaces]
    related = dataclasses.replace(document, interfaces=tuple(interfaces))
    routes = tuple(route for given in document.routes if (route := _with_interface(given, related, findings)))
    return dataclasses.replace(related, routes=routes)


def _last_of_each_name(interfaces: Sequence[NetInterface], findings: Findings) -> list[NetInterface]:
    """nmstate keeps the last entry of a name and says nothing."""
    kept: dict[str, NetInterface] = {}
    for entry in interfaces:
        if entry.name in kept:
            findings.add(f"{entry.path}.name", DUPLICATE, f"stands at {kept[entry.name].path} already; nmstate keeps only one", value=entry.name, layer="ours")
        kept[entry.name] = entry
    return list(kept.values())


def _controllers(document: NetworkDocument, findings: Findings) -> dict[str, tuple[str, str]]:
    """Port name → (bond name, path of the entry that says so)."""
    controllers: dict[str, tuple[str, str]] = {}
    for bond in document.interfaces:
        if bond.bond is None or bond.state == "absent":
            continue
        path = f"{bond.path}.link-aggregation.port"
        for given in bond.bond.ports or ():
            port = _resolve(document, given)
            taken = controllers.get(port)
            if taken is None:
                controllers[port] = (bond.name, path)
            elif taken[0] == bond.name:
                findings.add(path, DUPLICATE, "a port can stand there once", value=given)
            else:
                findings.add(path, INVALID, f"is a port of {taken[0]} already", value=given)
    return controllers


def _with_controller(entry: NetInterface, document: NetworkDocument, controllers: dict[str, tuple[str, str]], findings: Findings) -> NetInterface:
    listed = controllers.get(entry.name, ("", ""))[0]
    given = _resolve(document, entry.controller_given)
    if given and given != listed and entry.state != "absent":
        bond = document.interface(given)
        if bond is None:
            findings.add(f"{entry.path}.controller", INVALID, "there is no such interface", value=given)
        elif bond.bond is None:
            findings.add(f"{entry.path}.controller", INVALID, "is not a bond", value=given)
        elif bond.bond.ports is not None:
            findings.add(f"{entry.path}.controller", INVALID, f"{entry.name} is not among the ports of that bond", value=given)
        listed = given
    if listed and entry.state == "up":
        for family in ("ipv4", "ipv6"):
            stack = entry.ipv4 if family == "ipv4" else entry.ipv6
            if stack is not None and stack.enabled:
                findings.add(f"{entry.path}.{family}.enabled", INVALID, f"a port of bond {listed} cannot have an address", value="true")
    return dataclasses.replace(entry, controller=listed) if listed else entry


def _with_parent(entry: NetInterface, document: NetworkDocument, findings: Findings) -> NetInterface:
    if entry.vlan is None:
        return entry
    parent = document.interface(entry.vlan.base_iface)
    if parent is None:
        return entry
    if parent.state == "absent" and parent.type != "ethernet" and entry.state == "up":
        findings.add(f"{entry.path}.vlan.base-iface", INVALID, "that interface is to be absent", value=entry.vlan.base_iface)
    return dataclasses.replace(entry, vlan=dataclasses.replace(entry.vlan, base_iface=parent.name))


def _with_interface(route: Route, document: NetworkDocument, findings: Findings) -> Route | None:
    where = f"{route.path}.next-hop-interface"
    entry = document.interface(route.interface)
    stack = entry.stack(route.family) if entry else None
    if route.interface in document.unread:
        return None
    if entry is None or entry.state != "up":
        findings.add(where, INVALID, "there is no such interface that is up", value=route.interface)
    elif stack is None or not stack.enabled:
        findings.add(where, INVALID, f"{route.family.replace('ip', 'IP')} is not enabled on that interface", value=route.interface)
    else:
        return dataclasses.replace(route, interface=entry.name)
    return None


def _resolve(document: NetworkDocument, name: str) -> str:
    entry = document.interface(name) if name else None
    return entry.name if entry else name


def routes_of(document: NetworkDocument, name: str) -> Iterable[Route]:
    return (route for route in document.routes if route.interface == name)
