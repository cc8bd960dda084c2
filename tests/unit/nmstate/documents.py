# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Hypothesis strategies for nmstate documents that use the whole schema, and for one change of such a document.

Each value alone is valid. References between parts are mostly consistent: ports exist, routes lead through an interface
with addresses.
"""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from .drawn_interfaces import COMMON, ETHERNETS, FLAG, LOOSE_FLAG, Fields, Node, interfaces, number, some
from .drawn_kinds import LINK, bonds, linux_bridges, ovs_bridges, stacked

_ROUTE: Fields = {
    "metric": number(-1, 300),
    "table-id": number(0, 300),
    "cwnd": number(1, 20),
    "initcwnd": number(0, 20),
    "initrwnd": number(0, 20),
    "mtu": number(1, 1500),
    "advmss": number(1, 1500),
    "lock-mtu": LOOSE_FLAG,
    "quickack": LOOSE_FLAG,
}


@st.composite
def routes(draw: st.DrawFn, holders: dict[str, list[str]]) -> Node:
    families = [family for family, names in holders.items() if names]
    if not families or draw(st.integers(0, 6)) == 0:
        kind = draw(st.sampled_from(["blackhole", "unreachable", "prohibit"]))
        return {
            "destination": draw(st.sampled_from(["203.0.113.0/24", "2001:db8:9::/48"])),
            "route-type": kind,
            **draw(some(_ROUTE, 2)),
        }
    family = draw(st.sampled_from(families))
    four = family == "ipv4"
    route = {
        "destination": draw(
            st.sampled_from(["0.0.0.0/0", "198.51.100.9/24", "203.0.113.7"] if four else ["::/0", "2001:DB8:1::7/64"])
        ),
        "next-hop-interface": draw(st.sampled_from(holders[family])),
        **draw(some(_ROUTE, 3)),
    }
    more: Fields = {
        "next-hop-address": st.just("192.0.2.1" if four else "2001:DB8::1"),
        "source": st.just("192.0.2.10" if four else "2001:DB8::10"),
        "state": st.sampled_from(["absent", "ignore"]),
    }
    if four:
        more["weight"] = number(1, 256)
    return {**route, **draw(some(more, 2))}


_RULE: Fields = {
    "priority": number(-1, 40000),
    "route-table": number(0, 300),
    "fwmark": number(0, 255),
    "action": st.sampled_from(["blackhole", "unreachable", "prohibit"]),
    "suppress-prefix-length": st.integers(0, 32),
}


@st.composite
def rules(draw: st.DrawFn, holders: dict[str, list[str]]) -> Node:
    family = draw(st.sampled_from(["ipv4", "ipv6"]))
    four = family == "ipv4"
    ends: Fields = {
        "family": st.just(family),
        "ip-from": st.sampled_from(["192.0.2.77", "198.51.100.0/24"] if four else ["2001:DB8::/64", "::/0"]),
        "ip-to": st.sampled_from(["203.0.113.9/25", ""] if four else ["2001:db8::7"]),
    }
    rule = {**draw(some(ends, 3).filter(lambda ends: any(ends.values()))), **draw(some(_RULE, 3))}
    if "fwmark" in rule and draw(FLAG):
        rule["fwmask"] = draw(number(0, 255))
    if holders[family] and draw(FLAG):
        rule["iif"] = draw(st.sampled_from(holders[family]))
    return rule


def holders_of(found: list[Node], family: str) -> list[str]:
    """Interfaces that are up with the family enabled."""
    return [
        entry["name"]
        for entry in found
        if entry.get("state", "up") == "up" and entry.get(family, {}).get("enabled") and entry["type"] != "ovs-bridge"
    ]


@st.composite
def resolvers(draw: st.DrawFn, found: list[Node]) -> Node:
    """Servers of a family that some interface has addresses of."""
    holders = {
        family: [
            entry
            for entry in found
            if entry["name"] in holders_of(found, family) and {"dhcp", "address"} & {*entry.get(family, {})}
        ]
        for family in ("ipv4", "ipv6")
    }
    servers = {"ipv4": ["192.0.2.53", "192.0.2.54"], "ipv6": ["2001:DB8::53"]}
    if "eth0" in [entry["name"] for entry in holders["ipv6"]]:
        servers["ipv6"].append("fe80::1%eth0")
    families = draw(st.permutations([family for family, names in holders.items() if names]))
    listed = [
        server
        for family in families
        for server in draw(st.lists(st.sampled_from(servers[family]), unique=True, max_size=2))
    ]
    more: Fields = {
        "search": st.sampled_from([["example.com"], ["a.example", "b.example"], []]),
        "options": st.sampled_from([["rotate", "ndots:2"], []]),
    }
    config = {"server": listed, **draw(some(more, 2))}
    return {"config": config if families else {}}


@st.composite
def documents(draw: st.DrawFn) -> Node:
    """A desired state with one controller at most, one interface on top, routes, rules and name servers."""
    names = draw(st.lists(st.sampled_from(ETHERNETS), unique=True, min_size=1, max_size=3))
    found = []
    for name in names:
        entry = draw(interfaces(name, draw(st.sampled_from(["ethernet", "ethernet", "ethernet", "dummy", "veth"]))))
        if entry["type"] == "ethernet" and draw(st.integers(0, 4)) == 0:
            entry["ethernet"] = draw(some(LINK, 3))
        if entry["type"] == "veth":
            entry["veth"] = {"peer": draw(st.sampled_from(["veth9", "eth3"]))}
        found.append(entry)
    found = draw(_with_controller(found))
    if draw(FLAG):
        found.append(draw(stacked(draw(st.sampled_from(found))["name"])))
    if draw(st.integers(0, 5)) == 0:
        found.append(draw(_loopback()))
    for entry in found:
        if entry["type"] in ("bond", "linux-bridge", "ovs-interface") and draw(st.integers(0, 5)) == 0:
            entry["copy-mac-from"] = names[0]
    holders = {family: holders_of(found, family) for family in ("ipv4", "ipv6")}
    document: Node = {"interfaces": list(draw(st.permutations(found)))}
    if draw(FLAG):
        document["routes"] = {"config": draw(st.lists(routes(holders), max_size=3))}
    if draw(st.integers(0, 2)) == 0:
        document["route-rules"] = {"config": draw(st.lists(rules(holders), max_size=3))}
    if draw(FLAG):
        document["dns-resolver"] = draw(resolvers(found))
    return document


@st.composite
def _with_controller(draw: st.DrawFn, found: list[Node]) -> list[Node]:
    kind = draw(st.sampled_from(["", "", "bond", "linux-bridge", "ovs-bridge", "vrf"]))
    if not kind:
        return found
    ports = draw(st.lists(st.sampled_from(ETHERNETS), unique=True, max_size=2))
    if kind == "ovs-bridge":
        added = draw(ovs_bridges("br0", ports))
    elif kind == "vrf":
        added = [
            {
                **draw(interfaces("vrf0", "vrf")),
                "vrf": {draw(st.sampled_from(["port", "ports"])): ports, "route-table-id": draw(number(1, 300))},
            }
        ]
    else:
        added = [
            {**draw(interfaces(f"{kind[:2]}0", kind)), **draw(bonds(ports) if kind == "bond" else linux_bridges(ports))}
        ]
    if kind != "vrf":
        for entry in found:
            if entry["name"] in ports:
                entry.pop("ipv4", None)
                entry.pop("ipv6", None)
                entry.pop("wait-ip", None)
    return [*found, *added]


@st.composite
def _loopback(draw: st.DrawFn) -> Node:
    entry = draw(some({"state": COMMON["state"], "mtu": COMMON["mtu"], "description": COMMON["description"]}, 2))
    addresses = [{"ip": "127.0.0.1", "prefix-length": 8}, {"ip": "198.18.0.1", "prefix-length": 32}]
    more: Fields = {
        "ipv4": st.sampled_from([{"enabled": True, "address": addresses}, {"address": []}]),
        "ipv6": st.just({"enabled": True}),
    }
    return {"name": "lo", "type": "loopback", **entry, **draw(some(more, 2))}


def leaves(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values that are no mapping and no list."""
    if isinstance(node, dict):
        return [leaf for key, value in node.items() for leaf in leaves(value, (*path, key))]
    if isinstance(node, list):
        return [leaf for index, value in enumerate(node) for leaf in leaves(value, (*path, index))]
    return [path]


def at(node: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        node = node[step]
    return node


_NUMBERS = [0, 1, -1, 7, 300, 70000, 5000000000, 1.5]
_TEXTS = ["", "bogus", "up", "eth0", "::1", "192.0.2.9", "0x1F", "yes"]
_OTHER_VALUES = st.sampled_from([None, True, False, [], {}, ["eth0"], *_NUMBERS, *_TEXTS])


@st.composite
def changed(draw: st.DrawFn) -> Node:
    """A document with one leaf replaced, removed, or with an unknown neighbour."""
    document = copy.deepcopy(draw(documents()))
    path = draw(st.sampled_from(leaves(document)))
    parent = at(document, path[:-1])
    how = draw(st.sampled_from(["replace", "replace", "replace", "remove", "misspell"]))
    if how == "remove":
        del parent[path[-1]]
    elif how == "misspell" and isinstance(parent, dict):
        parent[f"{path[-1]}x"] = parent[path[-1]]
    else:
        parent[path[-1]] = draw(_OTHER_VALUES)
    return document
