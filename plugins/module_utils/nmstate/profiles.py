# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the NetworkManager connection profiles of an nmstate document.

Each interface has one profile. Open vSwitch ports, and the peer of a veth, have additional ones.
"""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Iterator

from .ip_settings import Resolvers, ip_groups
from .model import Group, IpStack, NetInterface, NetworkDocument, OvsPort

_NM_TYPES = {
    "ethernet": "802-3-ethernet",
    "linux-bridge": "bridge",
    "mac-vlan": "macvlan",
    "mac-vtap": "macvlan",
}
_CONTROLLERS = ("bond", "linux-bridge", "ovs-bridge", "ovs-port", "vrf")
# Types whose MAC and MTU are not in [ethernet].
_UNWIRED = ("infiniband", "loopback")
# The order of sections in nmstate's files.
_SECTIONS = (
    "connection bond bond-port bridge bridge-port ipv4 ipv6 ovs-bridge ovs-port ovs-interface ovs-patch ovs-dpdk "
    "ethernet vlan vxlan sriov macvlan macsec "
    "vrf veth user 802-1x ethtool infiniband ovs-external-ids ovs-other-config match"
)
_ORDER = {name: place for place, name in enumerate(_SECTIONS.split())}
_DESCRIPTION = "nmstate.interface.description"
# NetworkManager's types of a controller, as a port names them.
_CONTROLLER_TYPES = {"linux-bridge": "bridge", "ovs-bridge": "ovs-port"}


@dataclasses.dataclass(frozen=True)
class ConnectionProfile:
    """``id`` names the file."""

    id: str
    groups: tuple[Group, ...]


def connection_ids(document: NetworkDocument) -> Iterator[tuple[str, str]]:
    """Of every profile its id and the part of the document that it comes from, in the order of :func:`profiles`."""
    for entry in document.interfaces:
        if entry.state == "absent":
            continue
        yield entry.connection_id, entry.path
        for port in entry.ovs_ports:
            yield _port_id(port), f"{entry.path}.bridge.port"
        if _makes_peer(entry, document):
            yield entry.veth_peer, f"{entry.path}.veth.peer"


def profiles(document: NetworkDocument, resolvers: Resolvers) -> Iterator[ConnectionProfile]:
    for entry in document.interfaces:
        if entry.state == "absent":
            continue
        yield ConnectionProfile(entry.connection_id, tuple(_merged(_groups(entry, document, resolvers))))
        for port in entry.ovs_ports:
            yield _ovs_port(port, entry)
        if _makes_peer(entry, document):
            yield _veth_peer(entry)


def _makes_peer(entry: NetInterface, document: NetworkDocument) -> bool:
    """Whether the other end of a veth pair is nowhere else in the document."""
    return (
        bool(entry.veth_peer) and document.kernel(entry.veth_peer) is None and entry.veth_peer not in document.ignored
    )


def _port_id(port: OvsPort) -> str:
    return f"{port.name}-port"


def _merged(groups: Iterator[Group]) -> Iterator[Group]:
    """In nmstate's order, with one section for groups of one name: link settings come apart from MAC and MTU."""
    found: dict[str, dict[str, str]] = {}
    for group in groups:
        found.setdefault(group.name, {}).update(group.settings)
    return (Group.of(name, found[name]) for name in sorted(found, key=_ORDER.__getitem__))


def _groups(entry: NetInterface, document: NetworkDocument, resolvers: Resolvers) -> Iterator[Group]:
    yield _connection(entry, document)
    controller = document.controller_of(entry)
    for port in (controller.ports if controller else None) or ():
        if port.name == entry.name and port.group is not None and entry.identifier == "name":
            yield port.group
    if entry.can_have_ip:
        yield from ip_groups(entry, document, resolvers)
    if wired := _wired(entry):
        yield Group.of("ethernet", wired)
    for group in entry.groups:
        yield _with_parent(group, entry, document)
    if entry.description is not None:
        yield Group.of("user", {_DESCRIPTION: entry.description})
    if entry.userspace or entry.controller_type == "ovs-bridge":
        yield from entry.ovs_groups
    if entry.identifier == "pci-address":
        yield Group.of("match", {"path": f"pci-{entry.pci_address}"})


def _connection(entry: NetInterface, document: NetworkDocument) -> Group:
    settings: dict[str, str | None] = _common(entry.connection_id, entry.name, entry.type)
    if entry.veth_peer:
        settings["type"] = "veth"
    if entry.identifier != "name":
        settings["interface-name"] = None
    if entry.controller_type:
        settings |= {
            "master": _master(entry, document),
            "slave-type": _CONTROLLER_TYPES.get(entry.controller_type, entry.controller_type),
        }
    if entry.lldp is not None:
        settings["lldp"] = "1" if entry.lldp else "0"
    if entry.mptcp_flags is not None:
        settings["mptcp-flags"] = str(entry.mptcp_flags)
    return Group.of("connection", settings)


def _common(connection_id: str, name: str, kind: str) -> dict[str, str | None]:
    return {
        "autoconnect": "true",
        "autoconnect-priority": "1",
        "autoconnect-slaves": "1" if kind in _CONTROLLERS else "-1",
        "id": connection_id,
        "interface-name": name,
        "type": _NM_TYPES.get(kind, kind),
        "uuid": _uuid(name, kind),
    }


def _uuid(name: str, kind: str) -> str:
    """nmstate's own stable uuid, so that a connection keeps its identity with any renderer."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{kind}://{name}"))


def _master(entry: NetInterface, document: NetworkDocument) -> str:
    """An interface in an Open vSwitch bridge is in a port of it: its own, or the bond it is a member of."""
    controller = document.controller_of(entry)
    for port in controller.ovs_ports if controller else ():
        if entry.name in port.members:
            return port.name
    return entry.name if entry.controller_type == "ovs-bridge" else entry.controller


def _wired(entry: NetInterface) -> dict[str, str | None]:
    if entry.type in _UNWIRED:
        return {}
    settings: dict[str, str | None] = {}
    if entry.mac_address and not (entry.bond and entry.bond.mac_follows_port):
        settings["mac-address" if entry.by_mac else "cloned-mac-address"] = entry.mac_address
    if entry.mtu is not None:
        settings["mtu"] = str(entry.mtu)
    if entry.accept_all_mac_addresses is not None:
        settings["accept-all-mac-addresses"] = "1" if entry.accept_all_mac_addresses else "0"
    return settings


def _with_parent(group: Group, entry: NetInterface, document: NetworkDocument) -> Group:
    """A parent that is not found by its name has none in its keyfile, so its connection is named instead."""
    settings = dict(group.settings)
    if not entry.parent or "parent" not in settings:
        return group
    parent = document.kernel(entry.parent)
    by_name = parent is None or parent.identifier == "name" or entry.type == "infiniband"
    settings["parent"] = entry.parent if by_name or parent is None else _uuid(parent.name, parent.type)
    return Group.of(group.name, settings)


def _ovs_port(port: OvsPort, bridge: NetInterface) -> ConnectionProfile:
    settings = _common(_port_id(port), port.name, "ovs-port") | {"master": bridge.name, "slave-type": "ovs-bridge"}
    return ConnectionProfile(_port_id(port), (Group.of("connection", settings), *port.groups))


def _veth_peer(entry: NetInterface) -> ConnectionProfile:
    """The other end of a veth pair that the document says nothing about."""
    off = IpStack(enabled=False)
    peer = NetInterface(name=entry.veth_peer, path=f"{entry.path}.veth.peer", type="veth", ipv4=off, ipv6=off)
    groups = (
        Group.of("connection", _common(peer.name, peer.name, peer.type)),
        *ip_groups(peer, NetworkDocument(), {}),
        Group.of("veth", {"peer": entry.name}),
    )
    return ConnectionProfile(peer.name, groups)
