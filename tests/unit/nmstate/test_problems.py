# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which values of an nmstate document are rejected. Each case names path, kind and layer of the expected problem.

Layer ``installer``: nmstatectl rejects the value, too. Layer ``ours``: only this collection rejects it, because it
would be lost without a message, or is not rendered.
"""

from __future__ import annotations

from typing import Any

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
BOND = "{name: bond0, type: bond, link-aggregation: {mode: %s, port: [eno1]%s}}"


def interface(rest: str, name: str = "eno1", kind: str = "ethernet") -> str:
    return f"interfaces: [{{name: {name}, type: {kind}, {rest}}}]"


def bond(options: str, mode: str = "balance-rr") -> str:
    return f"interfaces: [{BOND % (mode, f', options: {{{options}}}')}]"


def routed(route: str) -> str:
    return interface(STATIC) + f"\nroutes: {{config: [{{{route}}}]}}"


OPTION = "interfaces[0].link-aggregation.options."
HOP = "next-hop-address: 192.0.2.1, next-hop-interface: eno1"
CASES: list[tuple[str, str, str, str, str]] = [
    # name, document, path, kind, layer
    ("unknown top key", interface(STATIC) + "\nfoo: 1", "foo", UNKNOWN_FIELD, "installer"),
    ("unknown interface key", interface("bogus: 1"), "interfaces[0].bogus", UNKNOWN_FIELD, "installer"),
    (
        "unknown ip key",
        interface("ipv4: {enabled: true, adress: []}"),
        "interfaces[0].ipv4.adress",
        UNKNOWN_FIELD,
        "installer",
    ),
    (
        "unknown address key",
        interface("ipv4: {address: [{ip: 192.0.2.1, prefix-length: 24, mask: 1}]}"),
        "interfaces[0].ipv4.address[0].mask",
        UNKNOWN_FIELD,
        "installer",
    ),
    (
        "unknown route key",
        routed(f"destination: 0.0.0.0/0, {HOP}, via: x"),
        "routes.config[0].via",
        UNKNOWN_FIELD,
        "installer",
    ),
    (
        "unknown dns key",
        interface(STATIC) + "\ndns-resolver: {config: {servers: []}}",
        "dns-resolver.config.servers",
        UNKNOWN_FIELD,
        "installer",
    ),
    ("unknown bond option", bond("miimonn: 1"), OPTION + "miimonn", UNKNOWN_FIELD, "installer"),
    (
        "unknown vlan key",
        interface("vlan: {base-iface: eno1, id: 5, tag: 5}", kind="vlan"),
        "interfaces[0].vlan.tag",
        UNKNOWN_FIELD,
        "installer",
    ),
    (
        "ipv6 key in ipv4",
        interface("ipv4: {autoconf: true}"),
        "interfaces[0].ipv4.autoconf",
        UNKNOWN_FIELD,
        "installer",
    ),
    (
        "vlan section in ethernet",
        interface("vlan: {base-iface: eno2, id: 5}"),
        "interfaces[0].vlan",
        UNKNOWN_FIELD,
        "installer",
    ),
    ("capture", interface(STATIC) + "\ncapture: {a: b}", "capture", UNSUPPORTED, "installer"),
    ("desiredState", "desiredState: {}\n" + interface(STATIC), "desiredState", UNSUPPORTED, "installer"),
    ("unknown type", interface(STATIC, kind="etherent"), "interfaces[0].type", UNSUPPORTED, "ours"),
    ("state", interface("state: UP"), "interfaces[0].state", UNSUPPORTED, "installer"),
    ("name missing", "interfaces: [{type: ethernet}, {name: eno2}]", "interfaces[0].name", REQUIRED, "installer"),
    ("name a number", "interfaces: [{name: 1}, {name: eno2}]", "interfaces[0].name", INVALID, "installer"),
    ("interfaces no list", "interfaces: {name: eno1}", "interfaces", INVALID, "installer"),
    ("interface no mapping", "interfaces: [eno1, {name: eno2}]", "interfaces[0]", INVALID, "installer"),
    ("ipv4 no mapping", interface("ipv4: true"), "interfaces[0].ipv4", INVALID, "installer"),
    ("boolean", interface("ipv4: {enabled: maybe}"), "interfaces[0].ipv4.enabled", INVALID, "installer"),
    (
        "address missing",
        interface("ipv4: {enabled: true, address: [{prefix-length: 24}]}"),
        "interfaces[0].ipv4.address[0].ip",
        REQUIRED,
        "installer",
    ),
    (
        "prefix missing",
        interface("ipv4: {enabled: true, address: [{ip: 192.0.2.1}]}"),
        "interfaces[0].ipv4.address[0].prefix-length",
        REQUIRED,
        "installer",
    ),
    (
        "no address",
        interface("ipv4: {enabled: true, address: [{ip: 192.0.2.300, prefix-length: 24}]}"),
        "interfaces[0].ipv4.address[0].ip",
        INVALID,
        "installer",
    ),
    (
        "prefix 33",
        interface("ipv4: {enabled: true, address: [{ip: 192.0.2.1, prefix-length: 33}]}"),
        "interfaces[0].ipv4.address[0].prefix-length",
        INVALID,
        "installer",
    ),
    (
        "v6 in ipv4",
        interface("ipv4: {enabled: true, address: [{ip: '2001:db8::1', prefix-length: 24}]}"),
        "interfaces[0].ipv4.address[0].ip",
        INVALID,
        "installer",
    ),
    (
        "v4 in ipv6",
        interface("ipv6: {enabled: true, address: [{ip: 192.0.2.1, prefix-length: 64}]}"),
        "interfaces[0].ipv6.address[0].ip",
        INVALID,
        "installer",
    ),
    (
        "autoconf alone",
        interface("ipv6: {enabled: true, autoconf: true}"),
        "interfaces[0].ipv6.autoconf",
        INVALID,
        "installer",
    ),
    (
        "token not a suffix",
        interface("ipv6: {enabled: true, dhcp: true, autoconf: true, token: '2001:db8::5'}"),
        "interfaces[0].ipv6.token",
        INVALID,
        "installer",
    ),
    *(
        (
            f"token {token}",
            interface(f"ipv6: {{enabled: true, dhcp: true, autoconf: true, token: '{token}'}}"),
            "interfaces[0].ipv6.token",
            INVALID,
            "installer",
        )
        for token in ("::5%eth0", "192.0.2.5", "five")
    ),
    (
        "mtu too small for IPv6",
        interface("mtu: 1000, ipv6: {enabled: true}"),
        "interfaces[0].mtu",
        INVALID,
        "installer",
    ),
    ("mtu no number", interface("mtu: jumbo"), "interfaces[0].mtu", INVALID, "installer"),
    (
        "two metrics",
        interface("ipv4: {enabled: true, dhcp: true, auto-route-metric: 5, prefix-route-metric: 6}"),
        "interfaces[0].ipv4.prefix-route-metric",
        INVALID,
        "installer",
    ),
    ("by MAC without MAC", interface("identifier: mac-address"), "interfaces[0].mac-address", REQUIRED, "ours"),
    ("interface twice", "interfaces: [{name: eno1}, {name: eno1}]", "interfaces[1].name", DUPLICATE, "ours"),
    (
        "vlan without base",
        interface("vlan: {id: 5}", kind="vlan"),
        "interfaces[0].vlan.base-iface",
        REQUIRED,
        "installer",
    ),
    (
        "vlan without id",
        interface("vlan: {base-iface: eno1}", kind="vlan"),
        "interfaces[0].vlan.id",
        REQUIRED,
        "installer",
    ),
    ("vlan without section", interface("mtu: 1500", kind="vlan"), "interfaces[0].vlan", REQUIRED, "ours"),
    (
        "vlan priority 8",
        interface("vlan: {base-iface: eno1, id: 5, ingress-qos-map: [{from: 8, to: 1}]}", kind="vlan"),
        "interfaces[0].vlan.ingress-qos-map[0].from",
        INVALID,
        "installer",
    ),
    (
        "bond without mode",
        "interfaces: [{name: bond0, type: bond, link-aggregation: {port: [eno1]}}]",
        "interfaces[0].link-aggregation.mode",
        REQUIRED,
        "installer",
    ),
    (
        "bond without section",
        "interfaces: [{name: bond0, type: bond}]",
        "interfaces[0].link-aggregation",
        REQUIRED,
        "installer",
    ),
    ("bond mode", bond("", mode="fastest"), "interfaces[0].link-aggregation.mode", UNSUPPORTED, "installer"),
    ("bond enumeration", bond("lacp_rate: medium", mode="802.3ad"), OPTION + "lacp_rate", UNSUPPORTED, "installer"),
    ("bond number", bond("miimon: often"), OPTION + "miimon", INVALID, "installer"),
    ("lacp_rate elsewhere", bond("lacp_rate: fast"), OPTION + "lacp_rate", INVALID, "installer"),
    ("miimon and arp_interval", bond("miimon: 1, arp_interval: 1"), OPTION + "arp_interval", INVALID, "installer"),
    ("arp_interval with lacp", bond("arp_interval: 1", mode="802.3ad"), OPTION + "arp_interval", INVALID, "installer"),
    (
        "target without interval",
        bond("arp_interval: 0, arp_ip_target: 192.0.2.1"),
        OPTION + "arp_ip_target",
        INVALID,
        "installer",
    ),
    ("balance-slb", bond("balance-slb: true"), OPTION + "balance-slb", INVALID, "installer"),
    (
        "multicast system",
        bond("ad_actor_system: '01:00:5e:00:00:01'", mode="802.3ad"),
        OPTION + "ad_actor_system",
        INVALID,
        "installer",
    ),
    (
        "port twice",
        "interfaces: [{name: bond0, type: bond, link-aggregation: {mode: 1, port: [eno1, eno1]}}]",
        "interfaces[0].link-aggregation.port",
        DUPLICATE,
        "installer",
    ),
    (
        "port of two bonds",
        f"interfaces: [{BOND % (1, '')}, {BOND.replace('bond0', 'bond1') % (1, '')}]",
        "interfaces[1].link-aggregation.port",
        INVALID,
        "installer",
    ),
    (
        "port with address",
        f"interfaces: [{BOND % (1, '')}, {{name: eno1, {STATIC}}}]",
        "interfaces[1].ipv4.enabled",
        INVALID,
        "installer",
    ),
    (
        "port ignored",
        f"interfaces: [{BOND % (1, '')}, {{name: eno1, state: ignore}}]",
        "interfaces[0].link-aggregation.port",
        INVALID,
        "ours",
    ),
    (
        "ports-config differs",
        f"interfaces: [{BOND % (1, ', ports-config: [{name: eno2}]')}]",
        "interfaces[0].link-aggregation.ports-config",
        INVALID,
        "installer",
    ),
    (
        "queue twice",
        (
            "interfaces: [{name: bond0, type: bond, link-aggregation: {mode: 1, ports-config: [{name: a, queue-id: 1}, "
            "{name: b, queue-id: 1}]}}]"
        ),
        "interfaces[0].link-aggregation.ports-config[1].queue-id",
        DUPLICATE,
        "installer",
    ),
    (
        "controller missing",
        "interfaces: [{name: eno1, controller: bond0}]",
        "interfaces[0].controller",
        INVALID,
        "installer",
    ),
    (
        "controller does not list it",
        f"interfaces: [{BOND % (1, '')}, {{name: eno2, controller: bond0}}]",
        "interfaces[1].controller",
        INVALID,
        "installer",
    ),
    ("route without destination", routed(HOP), "routes.config[0].destination", REQUIRED, "ours"),
    (
        "route destination",
        routed(f"destination: 192.0.2.0/99, {HOP}"),
        "routes.config[0].destination",
        INVALID,
        "installer",
    ),
    (
        "route to 0.0.0.0/8",
        routed(f"destination: 0.0.0.0/8, {HOP}"),
        "routes.config[0].destination",
        INVALID,
        "installer",
    ),
    (
        "route without interface",
        routed("destination: 0.0.0.0/0, next-hop-address: 192.0.2.1"),
        "routes.config[0].next-hop-interface",
        REQUIRED,
        "installer",
    ),
    (
        "route to unknown interface",
        routed("destination: 0.0.0.0/0, next-hop-interface: eno9"),
        "routes.config[0].next-hop-interface",
        INVALID,
        "installer",
    ),
    (
        "route of a family that is off",
        routed("destination: '::/0', next-hop-interface: eno1"),
        "routes.config[0].next-hop-interface",
        INVALID,
        "installer",
    ),
    (
        "route gateway",
        routed("destination: 0.0.0.0/0, next-hop-interface: eno1, next-hop-address: gw"),
        "routes.config[0].next-hop-address",
        INVALID,
        "installer",
    ),
    (
        "routes that differ in metric only",
        interface(STATIC)
        + (f"\nroutes: {{config: [{{destination: 0.0.0.0/0, {HOP}}}, {{destination: 0.0.0.0/0, metric: 5, {HOP}}}]}}"),
        "routes.config[1]",
        DUPLICATE,
        "ours",
    ),
    (
        "route weight",
        routed(f"destination: 0.0.0.0/0, weight: 300, {HOP}"),
        "routes.config[0].weight",
        INVALID,
        "installer",
    ),
    (
        "dns server",
        interface(STATIC) + "\ndns-resolver: {config: {server: [ns.example.com]}}",
        "dns-resolver.config.server[0]",
        INVALID,
        "installer",
    ),
    (
        "dns server null",
        interface(STATIC) + "\ndns-resolver: {config: {server: [null]}}",
        "dns-resolver.config.server[0]",
        INVALID,
        "installer",
    ),
    (
        "dns search null",
        interface(STATIC) + "\ndns-resolver: {config: {search: [null]}}",
        "dns-resolver.config.search[0]",
        INVALID,
        "ours",
    ),
    (
        "dns server nowhere",
        interface(STATIC) + "\ndns-resolver: {config: {server: ['2001:db8::53']}}",
        "dns-resolver.config.server",
        INVALID,
        "installer",
    ),
    (
        "dns server without interface",
        interface("ipv4: {enabled: true}") + "\ndns-resolver: {config: {server: [192.0.2.53]}}",
        "dns-resolver.config.server",
        INVALID,
        "installer",
    ),
    (
        "dns families mixed",
        interface(STATIC) + "\ndns-resolver: {config: {server: [192.0.2.53, '2001:db8::53', 192.0.2.54]}}",
        "dns-resolver.config.server",
        INVALID,
        "installer",
    ),
    (
        "dns option",
        interface(STATIC) + "\ndns-resolver: {config: {options: [fast]}}",
        "dns-resolver.config.options[0]",
        UNSUPPORTED,
        "installer",
    ),
    (
        "link-local server elsewhere",
        interface(STATIC) + "\ndns-resolver: {config: {server: ['fe80::1%eno9']}}",
        "dns-resolver.config.server",
        INVALID,
        "installer",
    ),
    (
        "search nowhere",
        interface("ipv4: {enabled: false}") + "\ndns-resolver: {config: {search: [example.com]}}",
        "dns-resolver.config.search",
        INVALID,
        "installer",
    ),
    ("nothing to configure", "interfaces: [{name: eno1, state: absent}]", "interfaces", REQUIRED, "installer"),
    ("empty", "{}", "interfaces", REQUIRED, "installer"),
]


@pytest.mark.parametrize(
    ("document", "path", "kind", "layer"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_refused(document: str, path: str, kind: str, layer: str) -> None:
    problems = [
        problem for problem in examine_network_config(yaml.safe_load(document))[1] if problem.severity == "error"
    ]
    found = [(problem.path, problem.kind, problem.layer) for problem in problems]
    assert (path, kind, layer) in found
    if path != "dns-resolver.config.server":  # a server that is no address is missing from the rest as well
        assert found == [(path, kind, layer)]


WARNINGS: list[tuple[str, str, str]] = [
    ("hostname", interface(STATIC) + "\nhostname: {config: a}", "hostname"),
    (
        "link-local address",
        interface("ipv6: {enabled: true, address: [{ip: 'fe80::1', prefix-length: 64}]}"),
        "interfaces[0].ipv6.address[0].ip",
    ),
    (
        "leased address",
        interface("ipv4: {enabled: true, address: [{ip: 192.0.2.1, prefix-length: 24, valid-life-time: 60sec}]}"),
        "interfaces[0].ipv4.address[0].ip",
    ),
    ("speed without auto-negotiation", interface("ethernet: {speed: 1000}"), "interfaces[0].ethernet.speed"),
]


@pytest.mark.parametrize(("document", "path"), [case[1:] for case in WARNINGS], ids=[case[0] for case in WARNINGS])
def test_what_nmstate_ignores_is_said(document: str, path: str) -> None:
    found = [
        (problem.path, problem.kind, problem.severity)
        for problem in examine_network_config(yaml.safe_load(document))[1]
    ]
    assert found == [(path, IGNORED, "warning")]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (interface('profile-name: "a\\nb"'), "interfaces[0].profile-name"),
        (interface('profile-name: "\\ud800"'), "interfaces[0].profile-name"),
        (interface(STATIC) + '\ndns-resolver: {config: {search: [a, "b\\n[ipv6]"]}}', "dns-resolver.config.search[1]"),
        (interface('802.1x: {eap-methods: ["tls\\nx=y"]}'), "interfaces[0].802.1x.eap-methods[0]"),
        (
            interface('link-aggregation: {mode: balance-rr, port: ["eno1\\n"]}', "bond0", "bond"),
            "interfaces[0].link-aggregation.port[0]",
        ),
        (interface('ovs-db: {external_ids: {"a\\nb": c}}'), "interfaces[0].ovs-db.external_ids.a\nb"),
        (interface('ovs-db: {other_config: {a: "b\\x7f"}}'), "interfaces[0].ovs-db.other_config.a"),
    ],
)
def test_no_value_begins_a_line_of_its_own(document: str, path: str) -> None:
    """A keyfile has no way to write such a character: what follows it would be read as another setting."""
    problems = examine_network_config(yaml.safe_load(document))[1]
    assert [(problem.path, problem.layer) for problem in problems if "a line of a keyfile" in problem.detail] == [
        (path, "ours")
    ]


@pytest.mark.parametrize(
    "document",
    [
        interface(f"mtu: '{'9' * 6000}'"),
        interface(f"ipv6: {{enabled: true, addr-gen-mode: '{'9' * 6000}'}}"),
        interface(
            f"ipv4: {{enabled: true, address: [{{ip: 192.0.2.1, prefix-length: 24, protocol: '{'9' * 6000}'}}]}}"
        ),
        interface("ethtool: {feature: {on: true, 1: false}}"),
    ],
)
def test_absurd_values_are_problems_like_others(document: str) -> None:
    assert [problem for problem in examine_network_config(yaml.safe_load(document))[1] if problem.severity == "error"]


def test_what_nmstatectl_show_reports_is_accepted() -> None:
    """Users paste ``nmstatectl show``: reported properties are no configuration."""
    document: dict[str, Any] = {
        "interfaces": [
            {
                "name": "eno1",
                "type": "ethernet",
                "permanent-mac-address": "a",
                "max-mtu": 9000,
                "min-mtu": 68,
                "driver": "e1000",
            }
        ],
        "routes": {"running": [{"anything": 1}], "config": []},
        "dns-resolver": {"running": {"server": ["192.0.2.1"]}, "config": {}},
    }
    assert examine_network_config(document)[1] == []


def test_hint_names_the_nearest_property() -> None:
    problem = examine_network_config(yaml.safe_load(interface("ipv4: {enabled: true, adress: []}")))[1][0]
    assert problem.hint == "did you mean address?"
