# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Any nmstate document: strategies over the whole schema, and one change of a document, for the better or the worse.

Values are valid by themselves. What parts say about each other fits mostly: ports exist, routes lead through an interface with addresses.
"""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

Node = dict[str, Any]
Fields = dict[str, st.SearchStrategy[Any]]

ETHERNETS = ("eth0", "eth1", "eth2", "eth3")
FLAG = st.sampled_from([True, False])
LOOSE_FLAG = st.sampled_from([True, False, "yes", "0", 1])
MAC = st.sampled_from(["52:54:00:aa:bb:cc", "52:54:00:AA:BB:01"])


def number(low: int, high: int) -> st.SearchStrategy[Any]:
    """As a number, as text, in hexadecimal."""
    values = st.integers(low, high)
    return st.one_of(values, values.map(str), values.map(hex)) if low >= 0 else st.one_of(values, values.map(str))


@st.composite
def some(draw: st.DrawFn, fields: Fields, most: int = 3) -> Node:
    keys = draw(st.lists(st.sampled_from(sorted(fields)), unique=True, max_size=most))
    return {key: draw(fields[key]) for key in keys}


def with_fixed(fixed: Fields, optional: Fields, most: int = 3) -> st.SearchStrategy[Node]:
    return st.tuples(st.fixed_dictionaries(fixed), some(optional, most)).map(lambda pair: {**pair[1], **pair[0]})


def _address(family: str) -> st.SearchStrategy[Node]:
    ips = ["192.0.2.10", "198.51.100.7"] if family == "ipv4" else ["2001:DB8::10", "2001:db8:0:1::7", "fe80::5", "::ffff:192.0.2.1"]
    length = number(8, 32) if family == "ipv4" else number(48, 128)
    optional: Fields = {
        "valid-life-time": st.sampled_from(["forever", "60sec"]),
        "preferred-lft": st.just("forever"),
        "protocol": st.sampled_from(["lo", "ra", "0x10", 3, 200]),
        "mptcp-flags": st.just(["signal"]),
    }
    plain = st.fixed_dictionaries({"ip": st.sampled_from(ips), "prefix-length": length})
    return st.one_of(plain, plain, with_fixed({"ip": st.sampled_from(ips), "prefix-length": length}, optional, 1))


_STACK: Fields = {
    "auto-dns": LOOSE_FLAG,
    "auto-gateway": LOOSE_FLAG,
    "auto-routes": LOOSE_FLAG,
    "auto-route-table-id": number(0, 300),
    "auto-route-metric": number(-1, 300),
    "allow-extra-address": FLAG,
    "dhcp-send-hostname": FLAG,
    "dhcp-custom-hostname": st.sampled_from(["a", "a.example", ""]),
}
_STACK4: Fields = {
    **_STACK,
    "dhcp-client-id": st.sampled_from(["ll", "LL", "iaid+duid", "01:02"]),
    "forwarding": FLAG,
    "prefix-route-metric": number(-1, 300),
}
_STACK6: Fields = {
    **_STACK,
    "dhcp-duid": st.sampled_from(["ll", "LLT", "en", "uuid", "00:01"]),
    "addr-gen-mode": st.sampled_from(["eui64", "STABLE-PRIVACY", "2"]),
    "token": st.sampled_from(["::5", "::", "", "::0.0.250.193"]),
}


@st.composite
def stacks(draw: st.DrawFn, family: str) -> Node:
    stack = draw(some(_STACK4 if family == "ipv4" else _STACK6))
    stack["enabled"] = draw(st.sampled_from([True, True, True, False]))
    kind = draw(st.sampled_from(["static", "static", "automatic", "both", "bare"]))
    if kind in ("automatic", "both"):
        stack["dhcp"] = True
        if family == "ipv6":
            stack["autoconf"] = draw(LOOSE_FLAG)
            if stack["autoconf"] in (False, "0"):
                stack.pop("token", None)
    if kind in ("static", "both"):
        stack["address"] = draw(st.lists(_address(family), max_size=2))
    return stack


_FEATURES = st.sampled_from(["rx-gro", "gro", "tx-checksum-ipv4", "hw-tc-offload", "lro", "tso", "rx", "sg", "highdma"])
_COUNT = number(0, 4096)
_ETHTOOL: Fields = {
    "feature": st.dictionaries(_FEATURES, st.sampled_from([True, False, "true", "0"]), max_size=2),
    "pause": some({"autoneg": LOOSE_FLAG, "rx": LOOSE_FLAG, "tx": LOOSE_FLAG}),
    "coalesce": some(
        {
            **dict.fromkeys(("adaptive-rx", "adaptive-tx"), LOOSE_FLAG),
            **dict.fromkeys(("pkt-rate-high", "rx-frames", "rx-frames-irq", "rx-usecs-low", "sample-interval", "tx-usecs", "tx-usecs-high"), _COUNT),
        }
    ),
    "ring": some(dict.fromkeys(("rx", "tx", "rx-jumbo", "rx-mini", "rx-max"), _COUNT)),
    "fec": some({"auto": LOOSE_FLAG, "mode": st.sampled_from(["off", "rs", "baser", "llrs"])}),
}
_DOT1X: Fields = {
    "identity": st.just("host.example"),
    "eap-methods": st.sampled_from([["tls"], ["peap", "tls"], []]),
    "private-key": st.just("/etc/pki/key.pem"),
    "client-cert": st.just("/etc/pki/cert.pem"),
    "ca-cert": st.just("/etc/pki/ca.pem"),
    "private-key-password": st.just("secret"),
    "phase2-auth": st.just("mschapv2"),
    "password": st.just("secret"),
}
_OVSDB: Fields = {
    "external_ids": st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from(["x", 5, True, 1.5, None]), max_size=2),
    "other_config": st.dictionaries(st.sampled_from(["c", "d"]), st.sampled_from(["x", 5, False]), max_size=2),
}
_COMMON: Fields = {
    "state": st.sampled_from(["up", "up", "up", "down", "absent"]),
    "mtu": number(1280, 9216),
    "mac-address": MAC,
    "wait-ip": st.sampled_from(["any", "ipv4", "ipv6", "ipv4+ipv6"]),
    "description": st.sampled_from(["to the core", ""]),
    "accept-all-mac-addresses": LOOSE_FLAG,
    "lldp": st.fixed_dictionaries({"enabled": LOOSE_FLAG}),
    "mptcp": some({"address-flags": st.sampled_from([[], ["signal"], ["subflow", "backup"], ["fullmesh"]])}),
    "ethtool": some(_ETHTOOL, 2),
    "802.1x": some(_DOT1X, 4),
    "ovs-db": some(_OVSDB, 2),
    "identifier": st.sampled_from(["name", "mac-address", "pci-address"]),
    "pci-address": st.sampled_from(["0000:07:00.1", "1b:00.0"]),
    "permanent-mac-address": MAC,
    "driver": st.just("e1000"),
    "max-mtu": st.just(9216),
}


@st.composite
def interfaces(draw: st.DrawFn, name: str, kind: str) -> Node:
    entry = draw(some(_COMMON, 4))
    for family in ("ipv4", "ipv6"):
        if draw(st.sampled_from([True, True, False])):
            entry[family] = draw(stacks(family))
    if entry.get("identifier") in ("mac-address", "pci-address"):
        entry.setdefault(entry["identifier"], draw(_COMMON[entry["identifier"]]))
    if draw(st.integers(0, 9)) == 0:
        entry["profile-name"] = f"p-{name}"
        entry.pop("identifier", None)
    return {"name": name, "type": kind, **entry}


_ENUMERATIONS: Fields = {
    "ad_select": st.sampled_from(["stable", 1, "2"]),
    "all_slaves_active": st.sampled_from(["dropped", 1]),
    "arp_all_targets": st.sampled_from(["any", "1"]),
    "arp_validate": st.sampled_from(["filter_active", 3]),
    "fail_over_mac": st.sampled_from(["none", "active", 2]),
    "primary_reselect": st.sampled_from(["better", 0]),
    "xmit_hash_policy": st.sampled_from(["layer3+4", 2, "vlan+srcmac"]),
}
_BOND_NUMBERS = ("ad_actor_sys_prio", "ad_user_port_key", "downdelay", "lp_interval", "miimon", "min_links", "packets_per_slave", "resend_igmp", "updelay")
_BOND_OPTIONS: Fields = {
    **_ENUMERATIONS,
    **dict.fromkeys(_BOND_NUMBERS, number(0, 1000)),
    **dict.fromkeys(("num_grat_arp", "num_unsol_na", "arp_missed_max"), number(0, 255)),
    **dict.fromkeys(("tlb_dynamic_lb", "use_carrier", "lacp_active"), LOOSE_FLAG),
    "arp_interval": number(0, 3),
    "arp_ip_target": st.sampled_from(["192.0.2.1", ""]),
    "ns_ip6_target": st.sampled_from([["2001:DB8::1"], []]),
    "ad_actor_system": st.just("00:aa:bb:cc:dd:ee"),
    "lacp_rate": st.sampled_from(["fast", 0]),
    "primary": st.just("eth0"),
    "balance-slb": LOOSE_FLAG,
}
_BOND_MODES = st.sampled_from(["balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "lacp", "balance-tlb", 6, "1"])


@st.composite
def bonds(draw: st.DrawFn, ports: list[str]) -> Node:
    bond: Node = {"mode": draw(_BOND_MODES), "options": draw(some(_BOND_OPTIONS, 3))}
    form = draw(st.sampled_from(["port", "ports-config", "both"]))
    if form != "ports-config":
        bond["port"] = ports
    if form != "port":
        bond["ports-config"] = [
            {"name": port, **draw(some({"priority": number(-5, 5), "queue-id": st.just(index + 1)}, 2))} for index, port in enumerate(ports)
        ]
    return {"link-aggregation": bond}


@st.composite
def port_vlans(draw: st.DrawFn) -> Node:
    mode = draw(st.sampled_from(["access", "trunk", "native", "open"]))
    if mode == "access":
        return {"mode": "access", "tag": draw(number(0, 4094))}
    if mode == "open":
        return {}
    trunks = draw(st.sampled_from([[{"id": 5}], [{"id": "7"}, {"id-range": {"min": 100, "max": "200"}}], []]))
    return {"mode": "trunk", "trunk-tags": trunks, **({"enable-native": True, "tag": draw(number(0, 4094))} if mode == "native" else {})}


_BRIDGE_NUMBERS = (
    "group-fwd-mask hash-max mac-ageing-time multicast-last-member-count multicast-last-member-interval multicast-membership-interval "
    "multicast-querier-interval multicast-query-interval multicast-query-response-interval multicast-startup-query-count "
    "multicast-startup-query-interval"
).split()
_BRIDGE_OPTIONS: Fields = {
    **dict.fromkeys(_BRIDGE_NUMBERS, number(0, 1000)),
    **dict.fromkeys(("multicast-querier", "multicast-query-use-ifaddr", "multicast-snooping"), LOOSE_FLAG),
    "group-addr": st.just("01:80:C2:00:00:04"),
    "multicast-router": st.sampled_from([0, 1, "enabled", "Disabled"]),
    "vlan-protocol": st.sampled_from(["802.1q", "802.1ad"]),
    "vlan-default-pvid": st.sampled_from([1, 5, 0]),
    "hello-timer": st.just(46),
    "stp": some({"enabled": LOOSE_FLAG, "forward-delay": number(2, 30), "hello-time": number(1, 10), "max-age": number(6, 40), "priority": number(0, 65535)}),
}
_BRIDGE_PORT: Fields = {"stp-hairpin-mode": LOOSE_FLAG, "stp-path-cost": number(1, 200), "stp-priority": number(0, 63), "vlan": port_vlans()}


@st.composite
def linux_bridges(draw: st.DrawFn, ports: list[str]) -> Node:
    return {"bridge": {"options": draw(some(_BRIDGE_OPTIONS, 4)), "port": [{"name": port, **draw(some(_BRIDGE_PORT, 2))} for port in ports]}}


_OVS_OPTIONS: Fields = {
    "rstp": LOOSE_FLAG,
    "mcast-snooping-enable": LOOSE_FLAG,
    "fail-mode": st.sampled_from(["secure", ""]),
    "datapath": st.just("netdev"),
    "stp": st.sampled_from([True, False, {"enabled": True}, "yes"]),
}
_OVS_BOND: Fields = {
    "mode": st.sampled_from(["active-backup", "balance-slb", "balance-tcp", "lacp"]),
    "bond-downdelay": number(0, 100),
    "bond-updelay": number(0, 100),
    "ovs-db": some(_OVSDB, 1),
}


@st.composite
def ovs_bridges(draw: st.DrawFn, name: str, ports: list[str]) -> list[Node]:
    """The bridge and its interfaces."""
    listed: list[Node] = []
    found: list[Node] = []
    if len(ports) > 1:
        bond = {**draw(some(_OVS_BOND, 3)), "port": [{"name": port} for port in ports]}
        listed.append({"name": "ovsbond", "link-aggregation": bond})
    else:
        listed += [{"name": port} for port in ports]
    for internal in draw(st.lists(st.sampled_from([name, "ovs0"]), unique=True, max_size=2)):
        listed.append({"name": internal})
        found.append(draw(interfaces(internal, "ovs-interface")))
    for port in listed:
        if draw(st.integers(0, 3)) == 0:
            port["vlan"] = draw(port_vlans())
    bridge = {"options": draw(some(_OVS_OPTIONS, 3)), draw(st.sampled_from(["port", "ports"])): listed}
    entry = {"name": name, "type": "ovs-bridge", "bridge": bridge, **draw(some({"ovs-db": some(_OVSDB, 2), "state": _COMMON["state"]}, 1))}
    if draw(st.integers(0, 3)) == 0 and found:
        found[-1].pop("ipv4", None)
        found[-1].pop("ipv6", None)
        found[-1].pop("mtu", None)
        found[-1] |= draw(
            st.sampled_from(
                [
                    {"patch": {"peer": "patch1"}},
                    {"dpdk": {"devargs": "0000:03:00.0", "rx-queue": 2, "n_rxq_desc": 1024}},
                    {"dpdk": {"devargs": "a", "n_rxq": 1}},
                ]
            )
        )
    return [entry, *found]


_VF: Fields = {
    "mac-address": MAC,
    "spoof-check": LOOSE_FLAG,
    "trust": LOOSE_FLAG,
    "min-tx-rate": number(0, 100),
    "max-tx-rate": number(0, 100),
    "vlan-id": number(1, 100),
    "qos": number(0, 7),
    "vlan-proto": st.sampled_from(["802.1q", "802.1ad"]),
}


@st.composite
def virtual_functions(draw: st.DrawFn) -> Node:
    functions = [{"id": index, **draw(some(_VF, 4))} for index in range(draw(st.integers(0, 2)))]
    return {"vfs": functions, **draw(some({"total-vfs": number(0, 4), "drivers-autoprobe": LOOSE_FLAG, "max-vfs": st.just(8)}, 2))}


_LINK: Fields = {
    "auto-negotiation": LOOSE_FLAG,
    "speed": number(10, 10000),
    "duplex": st.sampled_from(["full", "half"]),
    "sr-iov": virtual_functions(),
}
_PRIORITIES = st.lists(st.fixed_dictionaries({"from": number(0, 7), "to": number(0, 7)}), max_size=2)
_VLAN: Fields = {
    "protocol": st.sampled_from(["802.1q", "802.1ad"]),
    "registration-protocol": st.sampled_from(["gvrp", "mvrp", "none"]),
    "reorder-headers": FLAG,
    "loose-binding": FLAG,
    "ingress-qos-map": _PRIORITIES,
    "egress-qos-map": _PRIORITIES,
}
_MAC_MODES = st.sampled_from(["vepa", "bridge", "private", "passthru", "source"])


@st.composite
def stacked(draw: st.DrawFn, base: str) -> Node:
    """An interface on top of another one."""
    kind = draw(st.sampled_from(["vlan", "vlan", "vlan", "mac-vlan", "mac-vtap", "vxlan", "macsec", "infiniband"]))
    on_base: Fields = {"base-iface": st.just(base)}
    part: st.SearchStrategy[Node]
    if kind == "vlan":
        part = with_fixed({**on_base, "id": number(1, 4094)}, _VLAN)
    elif kind in ("mac-vlan", "mac-vtap"):
        part = with_fixed({**on_base, "mode": _MAC_MODES}, {"promiscuous": st.sampled_from([True, "yes"]), "accept-all-mac": st.just(True)}, 1)
    elif kind == "vxlan":
        addresses: Fields = {"local": st.just("2001:DB8::1"), "remote": st.just("192.0.2.2"), "destination-port": number(1, 65535), "learning": FLAG}
        part = with_fixed({"id": number(1, 1000)}, {**on_base, **addresses}, 4)
    elif kind == "macsec":
        fixed: Fields = {"encrypt": FLAG, "send-sci": FLAG, "port": st.integers(0, 5), "validation": st.sampled_from(["disabled", "check", "strict"])}
        part = with_fixed({**on_base, **fixed}, {"offload": st.sampled_from(["off", "phy", "mac"])})
    else:
        part = with_fixed({"mode": st.sampled_from(["datagram", "connected"]), "pkey": number(1, 0xFFFF)}, on_base)
    entry = draw(interfaces(f"{kind[:3]}.9", kind))
    entry[kind] = draw(part)
    if kind == "macsec" and draw(FLAG):
        entry[kind] |= {"mka-cak": "50b71a8ef0bd5751ea76de6d6c98c03a", "mka-ckn": "f2b4297d39da7330910a"}
    return entry


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
        return {"destination": draw(st.sampled_from(["203.0.113.0/24", "2001:db8:9::/48"])), "route-type": kind, **draw(some(_ROUTE, 2))}
    family = draw(st.sampled_from(families))
    four = family == "ipv4"
    route = {
        "destination": draw(st.sampled_from(["0.0.0.0/0", "198.51.100.9/24", "203.0.113.7"] if four else ["::/0", "2001:DB8:1::7/64"])),
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
    return [entry["name"] for entry in found if entry.get("state", "up") == "up" and entry.get(family, {}).get("enabled") and entry["type"] != "ovs-bridge"]


@st.composite
def resolvers(draw: st.DrawFn, found: list[Node]) -> Node:
    """Servers of a family that some interface has addresses of."""
    holders = {
        family: [entry for entry in found if entry["name"] in holders_of(found, family) and {"dhcp", "address"} & {*entry.get(family, {})}]
        for family in ("ipv4", "ipv6")
    }
    servers = {"ipv4": ["192.0.2.53", "192.0.2.54"], "ipv6": ["2001:DB8::53"]}
    if "eth0" in [entry["name"] for entry in holders["ipv6"]]:
        servers["ipv6"].append("fe80::1%eth0")
    families = draw(st.permutations([family for family, names in holders.items() if names]))
    listed = [server for family in families for server in draw(st.lists(st.sampled_from(servers[family]), unique=True, max_size=2))]
    more: Fields = {"search": st.sampled_from([["example.com"], ["a.example", "b.example"], []]), "options": st.sampled_from([["rotate", "ndots:2"], []])}
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
            entry["ethernet"] = draw(some(_LINK, 3))
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
        added = [{**draw(interfaces("vrf0", "vrf")), "vrf": {draw(st.sampled_from(["port", "ports"])): ports, "route-table-id": draw(number(1, 300))}}]
    else:
        added = [{**draw(interfaces(f"{kind[:2]}0", kind)), **draw(bonds(ports) if kind == "bond" else linux_bridges(ports))}]
    if kind != "vrf":
        for entry in found:
            if entry["name"] in ports:
                entry.pop("ipv4", None)
                entry.pop("ipv6", None)
                entry.pop("wait-ip", None)
    return [*found, *added]


@st.composite
def _loopback(draw: st.DrawFn) -> Node:
    entry = draw(some({"state": _COMMON["state"], "mtu": _COMMON["mtu"], "description": _COMMON["description"]}, 2))
    addresses = [{"ip": "127.0.0.1", "prefix-length": 8}, {"ip": "198.18.0.1", "prefix-length": 32}]
    more: Fields = {"ipv4": st.sampled_from([{"enabled": True, "address": addresses}, {"address": []}]), "ipv6": st.just({"enabled": True})}
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


_OTHER_VALUES = st.sampled_from(
    [None, True, False, "", "bogus", "up", 0, 1, -1, 7, 300, 70000, 5000000000, 1.5, [], {}, ["eth0"], "eth0", "::1", "192.0.2.9", "0x1F", "yes"]
)


@st.composite
def changed(draw: st.DrawFn) -> Node:
    """A document with one leaf replaced, removed, or given a neighbour that nobody knows."""
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
