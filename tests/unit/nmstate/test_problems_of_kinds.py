# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test rejected values in nmstate documents: in single types of interfaces, in routes and in rules. test_problems.py
explains the layers.
"""

from __future__ import annotations

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    DUPLICATE,
    IGNORED,
    INVALID,
    REQUIRED,
    UNKNOWN_FIELD,
    UNSUPPORTED,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.keyfiles import examine_network_config

STATIC = "ipv4: {enabled: true, address: [{ip: 192.0.2.10, prefix-length: 24}]}"
NIC = f"{{name: eno1, type: ethernet, {STATIC}}}"


def of(kind: str, rest: str, *others: str) -> str:
    return "interfaces: [" + ", ".join([f"{{name: x, type: {kind}, {rest}}}", *others]) + "]"


def bridge(port: str, options: str = "") -> str:
    return of("linux-bridge", f"bridge: {{options: {{{options}}}, port: [{{name: eno1, {port}}}]}}")


def ovs(port: str, options: str = "") -> str:
    return of("ovs-bridge", f"bridge: {{options: {{{options}}}, port: [{{name: eno1, {port}}}]}}")


def routed(route: str) -> str:
    return f"interfaces: [{NIC}]\nroutes: {{config: [{{{route}}}]}}"


def ruled(*rules: str) -> str:
    listed = ", ".join(f"{{{rule}}}" for rule in rules)
    return f"interfaces: [{NIC}]\nroute-rules: {{config: [{listed}]}}"


X = "interfaces[0]."
PORT = X + "bridge.port[0]."
OPTION = X + "bridge.options."
VF = X + "ethernet.sr-iov.vfs[0]."
ROUTE, RULE = "routes.config[0].", "route-rules.config[0]"
CASES: list[tuple[str, str, str, str, str]] = [
    # name, document, path, kind, layer
    ("type without its section", of("hsr", "hsr: {port1: a, port2: b}"), X + "type", UNSUPPORTED, "ours"),
    ("unknown type", of("team", "mtu: 1500"), X + "type", UNSUPPORTED, "ours"),
    ("section of another type", of("ethernet", "bridge: {}"), X + "bridge", UNKNOWN_FIELD, "installer"),
    ("state unknown", of("ethernet", "state: unknown"), X + "state", UNSUPPORTED, "ours"),
    ("script", of("ethernet", "dispatch: {post-activation: echo}"), X + "dispatch", UNSUPPORTED, "installer"),
    ("line break", of("ethernet", 'description: "a\\nb"'), X + "description", INVALID, "ours"),
    ("slash in a profile", of("ethernet", "profile-name: a/b"), "interfaces[0]", INVALID, "ours"),
    (
        "one profile twice",
        of("ethernet", "profile-name: p", "{name: y, type: ethernet, profile-name: p}"),
        "interfaces[1]",
        DUPLICATE,
        "ours",
    ),
    ("pci address missing", of("ethernet", "identifier: pci-address"), X + "pci-address", REQUIRED, "ours"),
    ("pci address", of("ethernet", "pci-address: 7.1"), X + "pci-address", INVALID, "installer"),
    ("lldp without enabled", of("ethernet", "lldp: {}"), X + "lldp.enabled", REQUIRED, "installer"),
    (
        "mptcp flag",
        of("ethernet", "mptcp: {address-flags: [all]}"),
        X + "mptcp.address-flags[0]",
        UNSUPPORTED,
        "installer",
    ),
    (
        "mptcp flags",
        of("ethernet", "mptcp: {address-flags: [signal, fullmesh]}"),
        X + "mptcp.address-flags",
        INVALID,
        "installer",
    ),
    (
        "alternative name its own",
        of("ethernet", "alt-names: [{name: x}]"),
        X + "alt-names[0].name",
        INVALID,
        "installer",
    ),
    ("alternative name taken", of("ethernet", "alt-names: [{name: eno1}]", NIC), X + "alt-names", INVALID, "installer"),
    (
        "MAC of no port",
        of("bond", "copy-mac-from: eno9, link-aggregation: {mode: 1}"),
        X + "copy-mac-from",
        INVALID,
        "installer",
    ),
    (
        "MAC of one without",
        of("bond", "copy-mac-from: eno1, link-aggregation: {mode: 1}", NIC),
        X + "copy-mac-from",
        INVALID,
        "installer",
    ),
    (
        "MAC of no name",
        of("bond", "copy-mac-from: '', link-aggregation: {mode: 1}"),
        X + "copy-mac-from",
        INVALID,
        "installer",
    ),
    ("parent without name", of("vlan", "vlan: {base-iface: '', id: 5}"), X + "vlan.base-iface", INVALID, "ours"),
    ("interface without name", "interfaces: [{name: ''}]", X + "name", REQUIRED, "ours"),
    ("feature", of("ethernet", "ethtool: {feature: {gr: true}}"), X + "ethtool.feature.gr", UNSUPPORTED, "installer"),
    (
        "feature no boolean",
        of("ethernet", "ethtool: {feature: {gro: maybe}}"),
        X + "ethtool.feature.gro",
        INVALID,
        "installer",
    ),
    (
        "feature by two names",
        of("ethernet", "ethtool: {feature: {gro: true, rx-gro: false}}"),
        X + "ethtool.feature.rx-gro",
        INVALID,
        "ours",
    ),
    (
        "coalesce",
        of("ethernet", "ethtool: {coalesce: {rx-usec: 5}}"),
        X + "ethtool.coalesce.rx-usec",
        UNKNOWN_FIELD,
        "installer",
    ),
    ("fec mode", of("ethernet", "ethtool: {fec: {mode: fast}}"), X + "ethtool.fec.mode", UNSUPPORTED, "installer"),
    ("802.1X key", of("ethernet", "802.1x: {identitty: a}"), X + "802.1x.identitty", UNKNOWN_FIELD, "ours"),
    (
        "802.1X hidden password",
        of("ethernet", "802.1x: {password: <_password_hid_by_nmstate>}"),
        X + "802.1x.password",
        INVALID,
        "ours",
    ),
    (
        "VF twice",
        of("ethernet", "ethernet: {sr-iov: {vfs: [{id: 0}, {id: 0}]}}"),
        X + "ethernet.sr-iov.vfs[1].id",
        DUPLICATE,
        "ours",
    ),
    (
        "VF protocol",
        of("ethernet", "ethernet: {sr-iov: {vfs: [{id: 0, vlan-proto: 802.1ad}]}}"),
        VF + "vlan-proto",
        INVALID,
        "installer",
    ),
    ("veth without peer", of("veth", "veth: {}"), X + "veth.peer", REQUIRED, "installer"),
    ("vlan id of no frame", of("vlan", "vlan: {base-iface: eno1, id: 5000}"), X + "vlan.id", INVALID, "ours"),
    ("bridge option", bridge("", "stpp: 1"), OPTION + "stpp", UNKNOWN_FIELD, "installer"),
    ("hello time", bridge("", "stp: {hello-time: 11}"), OPTION + "stp.hello-time", INVALID, "installer"),
    (
        "two masks",
        bridge("", "group-forward-mask: 1, group-fwd-mask: 2"),
        OPTION + "group-fwd-mask",
        INVALID,
        "installer",
    ),
    ("group address", bridge("", "group-addr: all"), OPTION + "group-addr", INVALID, "ours"),
    ("pvid without filtering", bridge("", "vlan-default-pvid: 5"), OPTION + "vlan-default-pvid", INVALID, "installer"),
    ("multicast router", bridge("", "multicast-router: 3"), OPTION + "multicast-router", UNSUPPORTED, "installer"),
    ("trunk without tags", bridge("vlan: {mode: trunk}"), PORT + "vlan.trunk-tags", REQUIRED, "installer"),
    ("tag of a trunk", bridge("vlan: {mode: trunk, tag: 5, trunk-tags: []}"), PORT + "vlan.tag", INVALID, "installer"),
    (
        "native access",
        bridge("vlan: {mode: access, tag: 5, enable-native: true}"),
        PORT + "vlan.enable-native",
        INVALID,
        "installer",
    ),
    (
        "tags of access",
        bridge("vlan: {mode: access, trunk-tags: [{id: 5}]}"),
        PORT + "vlan.trunk-tags",
        INVALID,
        "installer",
    ),
    (
        "tags overlap",
        bridge("vlan: {mode: trunk, trunk-tags: [{id: 5}, {id-range: {min: 4, max: 6}}]}"),
        PORT + "vlan.trunk-tags[1]",
        DUPLICATE,
        "installer",
    ),
    (
        "range turned",
        bridge("vlan: {mode: trunk, trunk-tags: [{id-range: {min: 9, max: 6}}]}"),
        PORT + "vlan.trunk-tags[0].id-range.min",
        INVALID,
        "ours",
    ),
    (
        "tag of nothing",
        bridge("vlan: {mode: trunk, trunk-tags: [{vid: 5}]}"),
        PORT + "vlan.trunk-tags[0]",
        REQUIRED,
        "installer",
    ),
    ("tag without mode", bridge("vlan: {tag: 5}"), PORT + "vlan.mode", INVALID, "ours"),
    (
        "port found by its MAC",
        of(
            "linux-bridge",
            "bridge: {port: [{name: eno1, stp-priority: 5}]}",
            ("{name: eno1, type: ethernet, identifier: mac-address, mac-address: 'a:b'}"),
        ),
        X + "bridge.port",
        INVALID,
        "ours",
    ),
    (
        "port with address",
        of("linux-bridge", "bridge: {port: [{name: eno1}]}", NIC),
        "interfaces[1].ipv4.enabled",
        INVALID,
        "installer",
    ),
    (
        "MAC of an ovs-bridge",
        of("ovs-bridge", "mac-address: '52:54:00:00:00:01'"),
        X + "mac-address",
        INVALID,
        "installer",
    ),
    (
        "ovs bond mode",
        ovs("link-aggregation: {mode: 802.3ad}"),
        PORT + "link-aggregation.mode",
        UNSUPPORTED,
        "installer",
    ),
    (
        "ovs bond member",
        ovs("link-aggregation: {port: [{nam: a}]}"),
        PORT + "link-aggregation.port[0].name",
        REQUIRED,
        "installer",
    ),
    ("ovs stp as text", ovs("", "stp: 'no'"), OPTION + "stp", INVALID, "ours"),
    ("ovs stp a number", ovs("", "stp: 5"), OPTION + "stp", INVALID, "installer"),
    (
        "patch with address",
        of("ovs-interface", f"patch: {{peer: y}}, {STATIC}"),
        X + "ipv4.enabled",
        INVALID,
        "installer",
    ),
    (
        "dpdk ring",
        of("ovs-interface", "dpdk: {devargs: a, n_rxq_desc: 1000}"),
        X + "dpdk.n_rxq_desc",
        INVALID,
        "installer",
    ),
    ("dpdk of nothing", of("ovs-interface", "dpdk: {devargs: ''}"), X + "dpdk.devargs", INVALID, "ours"),
    (
        "external id a list",
        of("ovs-bridge", "ovs-db: {external_ids: {a: [b]}}"),
        X + "ovs-db.external_ids.a",
        INVALID,
        "ours",
    ),
    ("vrf without table", of("vrf", "vrf: {port: []}"), X + "vrf.route-table-id", REQUIRED, "installer"),
    ("vrf without section", of("vrf", "mtu: 1500"), X + "vrf", REQUIRED, "installer"),
    ("infiniband key", of("infiniband", "infiniband: {mode: datagram}"), X + "infiniband.pkey", REQUIRED, "installer"),
    (
        "infiniband in a bond",
        "interfaces: [{name: b, type: bond, link-aggregation: {mode: 4, port: [i]}}, {name: i, type: infiniband}]",
        X + "type",
        INVALID,
        "installer",
    ),
    (
        "loopback without IPv4",
        "interfaces: [{name: lo, type: loopback, ipv4: {enabled: false}}]",
        X + "ipv4.enabled",
        INVALID,
        "installer",
    ),
    (
        "loopback with DHCP",
        "interfaces: [{name: lo, type: loopback, ipv4: {dhcp: true}}]",
        X + "ipv4",
        INVALID,
        "installer",
    ),
    ("lo an ethernet", "interfaces: [{name: lo, type: ethernet}]", X + "type", INVALID, "installer"),
    (
        "mac-vlan without mode",
        of("mac-vlan", "mac-vlan: {base-iface: eno1}"),
        X + "mac-vlan.mode",
        REQUIRED,
        "installer",
    ),
    (
        "mac-vtap not promiscuous",
        of("mac-vtap", "mac-vtap: {base-iface: eno1, mode: vepa, promiscuous: false}"),
        X + "mac-vtap.promiscuous",
        INVALID,
        "installer",
    ),
    ("vxlan without id", of("vxlan", "vxlan: {base-iface: eno1}"), X + "vxlan.id", REQUIRED, "installer"),
    ("vxlan flag as text", of("vxlan", "vxlan: {id: 5, learning: 'yes'}"), X + "vxlan.learning", INVALID, "installer"),
    ("vxlan without section", of("vxlan", "mtu: 1500"), X + "vxlan", REQUIRED, "ours"),
    (
        "macsec key alone",
        of(
            "macsec",
            (
                f"macsec: {{base-iface: eno1, encrypt: true, port: 1, validation: strict, send-sci: true, mka-cak: "
                f"{'a' * 32}}}"
            ),
        ),
        X + "macsec.mka-cak",
        INVALID,
        "installer",
    ),
    (
        "parent absent",
        of("vlan", "vlan: {base-iface: b, id: 5}", "{name: b, type: dummy, state: absent}"),
        X + "vlan.base-iface",
        INVALID,
        "installer",
    ),
    ("controller without ports", of("ethernet", "controller: eno1", NIC), X + "controller", INVALID, "ours"),
    (
        "detached and listed",
        "interfaces: [{name: b, type: vrf, vrf: {route-table-id: 5, port: [a]}}, {name: a, controller: ''}]",
        "interfaces[1].controller",
        INVALID,
        "installer",
    ),
    (
        "nested in circles",
        (
            "interfaces: [{name: a, type: vrf, vrf: {route-table-id: 5, port: [b]}}, {name: b, type: vrf, vrf: "
            "{route-table-id: 6, port: [a]}}]"
        ),
        "interfaces[0]",
        INVALID,
        "installer",
    ),
    (
        "blackhole with a way",
        routed("destination: 203.0.113.0/24, route-type: blackhole, next-hop-interface: eno1"),
        ROUTE + "next-hop-interface",
        INVALID,
        "installer",
    ),
    (
        "vrf of a route",
        routed("destination: 0.0.0.0/0, next-hop-interface: eno1, vrf-name: red"),
        ROUTE + "vrf-name",
        INVALID,
        "installer",
    ),
    (
        "metric of no route",
        routed("destination: 0.0.0.0/0, next-hop-interface: eno1, metric: 5000000000"),
        ROUTE + "metric",
        INVALID,
        "ours",
    ),
    (
        "network by a mask",
        routed("destination: 192.0.2.0/255.255.255.0, next-hop-interface: eno1"),
        ROUTE + "destination",
        INVALID,
        "installer",
    ),
    (
        "gateway with a zone",
        routed("destination: 0.0.0.0/0, next-hop-interface: eno1, next-hop-address: 'fe80::1%eno1'"),
        ROUTE + "next-hop-address",
        INVALID,
        "installer",
    ),
    (
        "route through no name",
        routed("destination: 0.0.0.0/0, next-hop-interface: ''"),
        ROUTE + "next-hop-interface",
        INVALID,
        "installer",
    ),
    (
        "route of no VRF",
        routed("destination: 0.0.0.0/0, next-hop-interface: eno1, vrf-name: ''"),
        ROUTE + "vrf-name",
        INVALID,
        "installer",
    ),
    ("rule of no interface", ruled("ip-from: 192.0.2.0/24, iif: ''"), RULE + ".iif", INVALID, "installer"),
    ("rule for nothing", ruled("route-table: 5"), RULE, REQUIRED, "installer"),
    ("rule key", ruled("ip-from: 192.0.2.0/24, table: 5"), RULE + ".table", UNKNOWN_FIELD, "installer"),
    ("rule network", ruled("ip-from: 192.0.2.0/40"), RULE + ".ip-from", INVALID, "installer"),
    (
        "rule of two families",
        ruled("ip-from: 192.0.2.0/24, ip-to: '2001:db8::/32'"),
        RULE + ".ip-to",
        INVALID,
        "installer",
    ),
    ("mask without mark", ruled("ip-from: 192.0.2.0/24, fwmask: 5"), RULE + ".fwmask", INVALID, "installer"),
    ("rule action", ruled("ip-from: 192.0.2.0/24, action: drop"), RULE + ".action", UNSUPPORTED, "installer"),
    (
        "rule of an interface that is not there",
        ruled("ip-from: 192.0.2.0/24, iif: eno9"),
        RULE + ".iif",
        INVALID,
        "installer",
    ),
    ("rule that would be lost", ruled("ip-from: '2001:db8::/32'"), RULE, INVALID, "ours"),
    (
        "rules that are one to nmstate",
        ruled("family: ipv4, priority: 5, suppress-prefix-length: 0", "family: ipv4, priority: 5"),
        "route-rules.config[1]",
        DUPLICATE,
        "ours",
    ),
    ("no routes", f"interfaces: [{NIC}]\nroutes:", "routes", INVALID, "installer"),
    (
        "mapping without bridge",
        f"interfaces: [{NIC}]\novn: {{bridge-mappings: [{{localnet: a}}]}}",
        "ovn.bridge-mappings[0].bridge",
        REQUIRED,
        "installer",
    ),
    (
        "mapping to nothing",
        f"interfaces: [{NIC}]\novn: {{bridge-mappings: [{{localnet: a, bridge: b}}]}}",
        "ovn.bridge-mappings[0].bridge",
        INVALID,
        "installer",
    ),
    ("hostname key", f"interfaces: [{NIC}]\nhostname: {{name: a}}", "hostname.name", UNKNOWN_FIELD, "installer"),
]


@pytest.mark.parametrize(
    ("document", "path", "kind", "layer"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_refused(document: str, path: str, kind: str, layer: str) -> None:
    found = [
        (problem.path, problem.kind, problem.layer)
        for problem in examine_network_config(yaml.safe_load(document))[1]
        if problem.severity == "error"
    ]
    assert found[0] == (path, kind, layer)


WARNINGS: list[tuple[str, str, str]] = [
    ("absent with properties", of("bond", "state: absent, mtu: 1500, link-aggregation: {mode: 9}", NIC), X + "mtu"),
    ("MTU of a bridge in Open vSwitch", of("ovs-bridge", "mtu: 9000"), X + "mtu"),
    ("MAC of a VRF", of("vrf", "mac-address: '52:54:00:00:00:01', vrf: {route-table-id: 5}"), X + "mac-address"),
    ("MAC of InfiniBand", of("infiniband", "mac-address: '52:54:00:00:00:01'"), X + "mac-address"),
    ("MTU of loopback", "interfaces: [{name: lo, type: loopback, mtu: 65536}]", X + "mtu"),
    (
        "MAC that a bond does not keep",
        of("bond", ("mac-address: 'a:b', link-aggregation: {mode: 1, options: {fail_over_mac: 1}}")),
        X + "mac-address",
    ),
    ("pause with negotiation", of("ethernet", "ethtool: {pause: {autoneg: true, rx: true}}"), X + "ethtool.pause.rx"),
    (
        "coalesce that is forgotten",
        of("ethernet", "ethtool: {coalesce: {tx-usecs-high: 5}}"),
        X + "ethtool.coalesce.tx-usecs-high",
    ),
    ("mode of automatic fec", of("ethernet", "ethtool: {fec: {auto: true, mode: rs}}"), X + "ethtool.fec.mode"),
    ("priority without VLAN", of("ethernet", "ethernet: {sr-iov: {vfs: [{id: 0, qos: 5}]}}"), VF + "qos"),
    ("no virtual functions", of("ethernet", "ethernet: {sr-iov: {total-vfs: 0, vfs: []}}"), X + "ethernet.sr-iov.vfs"),
    ("alternative names", of("ethernet", "alt-names: [{name: uplink}]"), X + "alt-names"),
    ("MAC from elsewhere", of("ethernet", "copy-mac-from: eno1"), X + "copy-mac-from"),
    ("ovs-db outside", of("ethernet", "ovs-db: {external_ids: {a: b}}"), X + "ovs-db"),
    ("stp of Open vSwitch", ovs("", "stp: {enabled: true, max-age: 20}"), OPTION + "stp.max-age"),
    ("DHCP option without DHCP", of("ethernet", "ipv4: {enabled: true, auto-dns: true}"), X + "ipv4.auto-dns"),
    ("address of a family that is off", of("ethernet", "ipv4: {enabled: false, dhcp: true}"), X + "ipv4.dhcp"),
    (
        "address of another interface",
        of("ethernet", "ipv4: {enabled: true, address: [{ip: 192.0.2.1, prefix-length: 24, protocol: 186}]}"),
        X + "ipv4.address[0].ip",
    ),
    (
        "port that waits",
        of("bond", "link-aggregation: {mode: 1, port: [y]}", "{name: y, type: ethernet, wait-ip: any}"),
        "interfaces[1].wait-ip",
    ),
    ("Open vSwitch itself", f"interfaces: [{NIC}]\novs-db: {{external_ids: {{a: b}}}}", "ovs-db"),
]


@pytest.mark.parametrize(("document", "path"), [case[1:] for case in WARNINGS], ids=[case[0] for case in WARNINGS])
def test_what_has_no_effect_is_said(document: str, path: str) -> None:
    found = [
        (problem.path, problem.kind, problem.severity)
        for problem in examine_network_config(yaml.safe_load(document))[1]
    ]
    assert found == [(path, IGNORED, "warning")]
