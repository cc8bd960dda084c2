# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Hypothesis strategies for the type-specific parts of an nmstate interface: bonds, Linux bridges, OVS bridges, port
VLANs, virtual functions, and interfaces on top of another interface.
"""

from __future__ import annotations

from hypothesis import strategies as st

from .drawn_interfaces import COMMON, FLAG, LOOSE_FLAG, MAC, OVSDB, Fields, Node, interfaces, number, some, with_fixed

_ENUMERATIONS: Fields = {
    "ad_select": st.sampled_from(["stable", 1, "2"]),
    "all_slaves_active": st.sampled_from(["dropped", 1]),
    "arp_all_targets": st.sampled_from(["any", "1"]),
    "arp_validate": st.sampled_from(["filter_active", 3]),
    "fail_over_mac": st.sampled_from(["none", "active", 2]),
    "primary_reselect": st.sampled_from(["better", 0]),
    "xmit_hash_policy": st.sampled_from(["layer3+4", 2, "vlan+srcmac"]),
}
_BOND_NUMBERS = (
    "ad_actor_sys_prio",
    "ad_user_port_key",
    "downdelay",
    "lp_interval",
    "miimon",
    "min_links",
    "packets_per_slave",
    "resend_igmp",
    "updelay",
)
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
_BOND_MODES = st.sampled_from(
    ["balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "lacp", "balance-tlb", 6, "1"]
)


@st.composite
def bonds(draw: st.DrawFn, ports: list[str]) -> Node:
    bond: Node = {"mode": draw(_BOND_MODES), "options": draw(some(_BOND_OPTIONS, 3))}
    form = draw(st.sampled_from(["port", "ports-config", "both"]))
    if form != "ports-config":
        bond["port"] = ports
    if form != "port":
        bond["ports-config"] = [
            {"name": port, **draw(some({"priority": number(-5, 5), "queue-id": st.just(index + 1)}, 2))}
            for index, port in enumerate(ports)
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
    return {
        "mode": "trunk",
        "trunk-tags": trunks,
        **({"enable-native": True, "tag": draw(number(0, 4094))} if mode == "native" else {}),
    }


_BRIDGE_NUMBERS = (
    "group-fwd-mask hash-max mac-ageing-time multicast-last-member-count multicast-last-member-interval "
    "multicast-membership-interval "
    "multicast-querier-interval multicast-query-interval multicast-query-response-interval "
    "multicast-startup-query-count "
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
    "stp": some(
        {
            "enabled": LOOSE_FLAG,
            "forward-delay": number(2, 30),
            "hello-time": number(1, 10),
            "max-age": number(6, 40),
            "priority": number(0, 65535),
        }
    ),
}
_BRIDGE_PORT: Fields = {
    "stp-hairpin-mode": LOOSE_FLAG,
    "stp-path-cost": number(1, 200),
    "stp-priority": number(0, 63),
    "vlan": port_vlans(),
}


@st.composite
def linux_bridges(draw: st.DrawFn, ports: list[str]) -> Node:
    return {
        "bridge": {
            "options": draw(some(_BRIDGE_OPTIONS, 4)),
            "port": [{"name": port, **draw(some(_BRIDGE_PORT, 2))} for port in ports],
        }
    }


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
    "ovs-db": some(OVSDB, 1),
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
    entry = {
        "name": name,
        "type": "ovs-bridge",
        "bridge": bridge,
        **draw(some({"ovs-db": some(OVSDB, 2), "state": COMMON["state"]}, 1)),
    }
    if draw(st.integers(0, 3)) == 0 and found:
        found[-1].pop("ipv4", None)
        found[-1].pop("ipv6", None)
        found[-1].pop("mtu", None)
        dpdk = {"devargs": "0000:03:00.0", "rx-queue": 2, "n_rxq_desc": 1024}
        found[-1] |= draw(
            st.sampled_from([{"patch": {"peer": "patch1"}}, {"dpdk": dpdk}, {"dpdk": {"devargs": "a", "n_rxq": 1}}])
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
    return {
        "vfs": functions,
        **draw(some({"total-vfs": number(0, 4), "drivers-autoprobe": LOOSE_FLAG, "max-vfs": st.just(8)}, 2)),
    }


LINK: Fields = {
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
        part = with_fixed(
            {**on_base, "mode": _MAC_MODES},
            {"promiscuous": st.sampled_from([True, "yes"]), "accept-all-mac": st.just(True)},
            1,
        )
    elif kind == "vxlan":
        addresses: Fields = {
            "local": st.just("2001:DB8::1"),
            "remote": st.just("192.0.2.2"),
            "destination-port": number(1, 65535),
            "learning": FLAG,
        }
        part = with_fixed({"id": number(1, 1000)}, {**on_base, **addresses}, 4)
    elif kind == "macsec":
        fixed: Fields = {
            "encrypt": FLAG,
            "send-sci": FLAG,
            "port": st.integers(0, 5),
            "validation": st.sampled_from(["disabled", "check", "strict"]),
        }
        part = with_fixed({**on_base, **fixed}, {"offload": st.sampled_from(["off", "phy", "mac"])})
    else:
        part = with_fixed({"mode": st.sampled_from(["datagram", "connected"]), "pkey": number(1, 0xFFFF)}, on_base)
    entry = draw(interfaces(f"{kind[:3]}.9", kind))
    entry[kind] = draw(part)
    if kind == "macsec" and draw(FLAG):
        entry[kind] |= {"mka-cak": "50b71a8ef0bd5751ea76de6d6c98c03a", "mka-ckn": "f2b4297d39da7330910a"}
    return entry
