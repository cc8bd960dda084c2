# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Assign the ports in an nmstate document to their bonds, bridges and VRFs, and check how these are nested."""

from __future__ import annotations

import dataclasses

from ..common.problems import DUPLICATE, INVALID
from .model import FAMILIES, Group, NetInterface, NetworkDocument, Port
from .section import Findings

_PASSES = 4
_NOUNS = {"bond": "bond", "linux-bridge": "bridge", "ovs-bridge": "bridge", "vrf": "VRF"}
Listed = dict[str, tuple[NetInterface, Port]]


def attach_ports(document: NetworkDocument, findings: Findings) -> NetworkDocument:
    """Return the document with the controller of every port filled in.

    A port without an entry in ``interfaces`` counts as an ethernet interface, as in nmstate. An Open vSwitch bridge
    without ports gets one port, an Open vSwitch interface.
    """
    listed = _listed(document, findings)
    known = {entry.name for entry in document.interfaces if not entry.userspace}
    interfaces = list(document.interfaces)
    for name, (controller, port) in listed.items():
        if name in document.ignored:
            findings.add(
                port.path,
                INVALID,
                f"is to be ignored, so it would be missing from {controller.name}",
                value=name,
                layer="ours",
            )
        elif name not in known and name not in document.unread:
            kind, groups = (
                ("ovs-interface", (Group("ovs-interface", (("type", "internal"),)),))
                if port.internal
                else ("ethernet", ())
            )
            interfaces.append(NetInterface(name=name, path=port.path, type=kind, groups=groups))
    document = dataclasses.replace(document, interfaces=tuple(interfaces))
    document = dataclasses.replace(
        document, interfaces=tuple(_attach(entry, listed, document, findings) for entry in interfaces)
    )
    for entry in document.interfaces:
        if entry.ovs_groups and not entry.userspace and entry.controller_type != "ovs-bridge":
            findings.ignored(f"{entry.path}.ovs-db", "the interface is in no bridge of Open vSwitch")
    _check_infiniband(document, findings)
    return document


def _listed(document: NetworkDocument, findings: Findings) -> Listed:
    """Port name → its controller and what that says about it."""
    listed: Listed = {}
    for controller in document.interfaces:
        if controller.state == "absent":
            continue
        for port in controller.ports or ():
            taken = listed.get(port.name)
            if taken is None:
                listed[port.name] = controller, port
            elif taken[0] is controller:
                findings.add(
                    port.path,
                    DUPLICATE,
                    "a port can be listed once",
                    value=port.name,
                    layer="installer" if controller.state == "up" else "ours",
                )
            else:
                both_up = taken[0].state == controller.state == "up"
                findings.add(
                    port.path,
                    INVALID,
                    f"is a port of {taken[0].name} already",
                    value=port.name,
                    layer="installer" if both_up else "ours",
                )
    return listed


def _attach(entry: NetInterface, listed: Listed, document: NetworkDocument, findings: Findings) -> NetInterface:
    if entry.userspace or entry.state == "absent":
        return entry
    controller, port = listed.get(entry.name, (None, None))
    if entry.controller_provided is not None:
        controller = _provided_controller(entry, controller, document, findings)
    if controller is None:
        # One that is to be down keeps the name of its controller without being its port, and so without addresses.
        return (
            dataclasses.replace(entry, controller=entry.controller_provided)
            if entry.controller_provided and entry.state == "down"
            else entry
        )
    attached = dataclasses.replace(entry, controller=controller.name, controller_type=controller.type)
    if port and port.group and port.group.settings and entry.identifier != "name":
        detail = f"nmstate writes what {controller.name} says about it only where it is identified by its name"
        findings.add(port.path, INVALID, detail, value=port.name, layer="ours")
    if attached.can_have_ip:
        return attached
    if entry.wait_ip:
        findings.ignored(f"{entry.path}.wait-ip", f"a port of {controller.name} has no addresses to wait for")
    for family in FAMILIES:
        stack = entry.stack(family)
        if stack is not None and stack.enabled:
            detail = (
                f"a port of {_NOUNS.get(controller.type, controller.type)} {controller.name} cannot have an address"
            )
            findings.add(
                f"{entry.path}.{family}.enabled",
                INVALID,
                detail,
                value="true",
                layer="installer" if entry.state == "up" else "ours",
            )
    return dataclasses.replace(attached, ipv4=None, ipv6=None) if entry.ipv4 or entry.ipv6 else attached


def _provided_controller(
    entry: NetInterface, listed: NetInterface | None, document: NetworkDocument, findings: Findings
) -> NetInterface | None:
    """``controller`` of an interface against the lists of ports; it decides where a controller leaves its list open."""
    provided, path = entry.controller_provided or "", f"{entry.path}.controller"
    if entry.state != "up":
        return listed
    if listed is not None and listed.state == "up" and listed.name != provided:
        findings.add(path, INVALID, f"{entry.name} is a port of {listed.name}", value=provided)
        return listed
    if not provided:
        return listed
    candidates = [other for other in document.interfaces if other.name == provided]
    controller = next((other for other in candidates if other.userspace), None) or next(iter(candidates), None)
    if controller is None:
        if provided not in document.unread:
            findings.add(path, INVALID, "there is no such interface", value=provided)
        return None
    if controller.state == "absent" or (
        controller.ports is not None and entry.name not in [port.name for port in controller.ports]
    ):
        findings.add(
            path,
            INVALID,
            (f"{entry.name} is not among the ports of that {_NOUNS.get(controller.type, 'interface')}"),
            value=provided,
        )
    elif controller.type not in _NOUNS:
        findings.add(path, INVALID, f"is a {controller.type}, and has no ports", value=provided, layer="ours")
    return controller


def _check_infiniband(document: NetworkDocument, findings: Findings) -> None:
    for entry in document.interfaces:
        controller = document.controller_of(entry)
        if entry.type != "infiniband" or controller is None or controller.userspace or controller.ports is None:
            continue
        if controller.bond is None or controller.bond.mode != "active-backup":
            findings.add(
                f"{controller.path}.type",
                INVALID,
                (f"InfiniBand interface {entry.name} can be in a bond of mode active-backup only"),
            )


def check_nesting(document: NetworkDocument, findings: Findings) -> None:
    """nmstate brings controllers up before their ports, and gives up where four passes over the document do not tell
    which comes first.
    """
    order: dict[str, int] = {}
    entries = [entry for entry in document.interfaces if entry.state == "up" and entry.controller_type]
    unordered: list[NetInterface] = []
    for _pass in range(_PASSES):
        unordered = []
        found: dict[str, int] = {}
        for entry in entries:
            controller = document.controller_of(entry)
            if entry.name in order or controller is None:
                continue
            if controller.name in found or not controller.controller or controller.name in order:
                found[entry.name] = found.get(controller.name, order.get(controller.name, 0)) + 1
            else:
                unordered.append(entry)
        order |= found
    if unordered:
        detail = "is nested too deeply in the order that the document has"
        findings.add(
            unordered[0].path, INVALID, detail, value=unordered[0].name, hint="put a controller before its ports"
        )
