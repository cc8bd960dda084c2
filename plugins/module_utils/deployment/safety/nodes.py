# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the Node of a host in a cluster.

A Node has no MAC addresses: it is identified by the System UUID, then by its addresses, then by its name.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...common.addresses import canonical_ip, normal_mac
from ..supervise.observation import InventoryHost
from .evidence import NodeFacts

# Nodes that run etcd. Those with the role arbiter run nothing else of the control plane (openshift/enhancements
# two-nodes-with-arbiter).
_CONTROL_PLANE = tuple(f"node-role.kubernetes.io/{role}" for role in ("control-plane", "master", "arbiter"))
# Written by OVN-Kubernetes on each Node (ovn-org/ovn-kubernetes go-controller/pkg/util/node_annotations.go).
_GATEWAY = "k8s.ovn.org/l3-gateway-config"


@dataclasses.dataclass(frozen=True)
class NodeView:
    """A Node, with what identifies its machine. ``since`` is when condition Ready last changed."""

    name: str
    uuid: str = ""
    addresses: tuple[str, ...] = ()
    hostname: str = ""
    macs: tuple[str, ...] = ()
    ready: bool = False
    since: str = ""
    control_plane: bool = False


def read_node(document: Mapping[str, Any]) -> NodeView:
    """The view of a Node object; fields of a wrong type count as absent."""
    metadata, status = _mapping(document.get("metadata")), _mapping(document.get("status"))
    addresses = [entry for entry in status.get("addresses") or () if isinstance(entry, Mapping)]
    ready: Mapping[str, Any] = next(
        (each for each in status.get("conditions") or () if isinstance(each, Mapping) and each.get("type") == "Ready"),
        {},
    )
    return NodeView(
        name=str(metadata.get("name") or ""),
        uuid=str(_mapping(status.get("nodeInfo")).get("systemUUID") or "").lower(),
        addresses=tuple(str(entry.get("address")) for entry in addresses if entry.get("type") == "InternalIP"),
        hostname=next((str(entry.get("address")) for entry in addresses if entry.get("type") == "Hostname"), ""),
        macs=tuple(_gateway_macs(_mapping(metadata.get("annotations")).get(_GATEWAY))),
        ready=ready.get("status") == "True",
        since=str(ready.get("lastTransitionTime") or ""),
        control_plane=any(label in _mapping(metadata.get("labels")) for label in _CONTROL_PLANE),
    )


def same_uuid(redfish: str, smbios: str) -> bool:
    """Whether both are one UUID; firmware and BMC may disagree about the byte order of the first three fields (SMBIOS
    7.2.1).
    """
    try:
        one, other = uuid.UUID(redfish), uuid.UUID(smbios)
    except (ValueError, AttributeError, TypeError):
        return False
    return _is_uuid(redfish) and other in (one, uuid.UUID(bytes=one.bytes_le))


def differ(redfish: str, smbios: str) -> bool:
    """Whether both are UUIDs, and of two machines."""
    return _is_uuid(redfish) and _is_uuid(smbios) and not same_uuid(redfish, smbios)


def _is_uuid(text: str) -> bool:
    try:
        return uuid.UUID(text).int not in (0, (1 << 128) - 1)
    except (ValueError, AttributeError, TypeError):
        return False


def find_node(
    host: InventoryHost, system_uuid: str, nodes: Iterable[NodeView], *, strict: bool = False
) -> tuple[NodeView, str] | None:
    """The Node of a host, and by what it was found; each criterion is tried for all Nodes before the next one.

    A criterion that several Nodes fulfil does not count: firmware may have the System UUID of its vendor's default.

    ``strict``: a name proves nothing where both System UUIDs are known and differ. That is for actions that switch the
    machine off: a host whose BMC is another machine's must not be taken for the Node. For a boot the name counts, since
    a Node is left alone; so does a criterion of several Nodes.
    """
    shared: tuple[NodeView, str] | None = None
    for by, found in _candidates(host, system_uuid, nodes, strict=strict):
        if len(found) == 1:
            return found[0], by
        if found and shared is None and not strict:
            shared = found[0], by
    return shared


def undecided(host: InventoryHost, system_uuid: str, nodes: Iterable[NodeView]) -> str:
    """Why it is not known which Node the host is, although some match; otherwise empty."""
    known = list(nodes)
    if find_node(host, system_uuid, known, strict=True):
        return ""
    for by, found in _candidates(host, system_uuid, known, strict=True):
        if found:
            names = ", ".join(node.name for node in found)
            return f"several Nodes have its {by} ({names}), and nothing else shows which of them it is"
    return ""


def _candidates(
    host: InventoryHost, system_uuid: str, nodes: Iterable[NodeView], *, strict: bool
) -> Iterator[tuple[str, list[NodeView]]]:
    """The Nodes that each criterion matches, the best criterion first."""
    known = list(nodes)
    addresses = {canonical_ip(address) for address in host.addresses}
    macs = {normal_mac(mac) for mac in host.macs}
    criteria: tuple[tuple[str, Callable[[NodeView], bool]], ...] = (
        ("System UUID", lambda node: bool(system_uuid) and same_uuid(system_uuid, node.uuid)),
        ("address", lambda node: bool(addresses & {canonical_ip(address) for address in node.addresses})),
        (
            "name",
            lambda node: (
                host.node_name in (node.name.lower(), node.hostname.lower())
                and not (strict and differ(system_uuid, node.uuid))
            ),
        ),
        ("MAC address", lambda node: bool(macs & {normal_mac(mac) for mac in node.macs})),
    )
    return ((by, [node for node in known if matches(node)]) for by, matches in criteria)


def member(host: InventoryHost, node: NodeView, by: str) -> str:
    """A text which says that the host is a Node, with the name of the Node if it differs from the host's."""
    name = "" if node.name.lower() in (host.node_name, host.name.lower()) else f" {node.name}"
    return f"its Node{name} is in the cluster (found by its {by})"


def facts(
    node: NodeView, nodes: Sequence[NodeView], leaving: Iterable[str], now: datetime.datetime | None
) -> NodeFacts:
    """What a decision needs to know about the Node.

    ``leaving`` are the names of all Nodes that this run takes out, ``now`` the API server's time.
    """
    seconds = 0.0 if node.ready else _seconds_since(node.since, now)
    return NodeFacts(
        node.name,
        node.ready,
        seconds,
        node.control_plane,
        _keeps(node, nodes, set(leaving)) if node.control_plane else "",
    )


def _keeps(node: NodeView, nodes: Sequence[NodeView], leaving: set[str]) -> str:
    """Why the control plane cannot do without this run's Nodes.

    Members of etcd are its Nodes; a quorum is more than half of them.
    """
    members = [each for each in nodes if each.control_plane]
    left = [each for each in members if each.ready and each.name not in leaving]
    quorum = len(members) // 2 + 1
    if len(members) == 1:
        return f"Node {node.name} is the only one of the control plane"
    if len(left) < quorum:
        return (
            f"without Node {node.name}, {len(left)} of {len(members)} members of etcd would be left, and the quorum "
            f"of etcd is {quorum}"
        )
    return ""


def _seconds_since(since: str, now: datetime.datetime | None) -> float:
    try:
        return max(0.0, (now - datetime.datetime.fromisoformat(since)).total_seconds()) if now else 0.0
    except (ValueError, TypeError):
        return 0.0


def _gateway_macs(text: Any) -> Iterable[str]:
    """The MAC addresses in ``{"default": {"mac-address": …}}``."""
    try:
        document = json.loads(text) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        return
    for network in _mapping(document).values():
        mac = _mapping(network).get("mac-address")
        if isinstance(mac, str):
            yield mac


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
