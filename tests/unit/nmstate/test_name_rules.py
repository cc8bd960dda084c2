# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the names of interfaces and connections in nmstate documents: names that NetworkManager does not load are
errors.

Names in the interface table of the host may be any text, because the machine replaces them.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.keyfiles import (
    examine_network_config,
    render_keyfiles,
)

FIRST = "interfaces[0].name"
Interfaces = list[dict[str, Any]]
REFUSED = [
    "bond-management-net",
    "bond 0",
    "bond:0",
    "bond/0",
    "bond%d",
    "bond\t0",
    ".",
    "..",
    "all",
    "default",
    "bonding_masters",
    "x" * 16,
    "x" * 250,
    "böndböndböndbö",
    "voilà",  # its last byte in UTF-8 is A0
]
ACCEPTED = ["bond-management", "x" * 15, "-bond", "bond0#", "[bond]", "Bond=0", "bönd", "All", "enp1s0.2345"]


def bond(name: str) -> Interfaces:
    return [{"name": name, "type": "bond", "link-aggregation": {"mode": "balance-rr", "port": []}}]


def vlan(name: str, base: str = "enp1s0") -> Interfaces:
    return [
        {"name": name, "type": "vlan", "vlan": {"base-iface": base, "id": 2345}},
        {"name": base, "type": "ethernet"},
    ]


def ovs(name: str, *ports: dict[str, Any]) -> Interfaces:
    return [{"name": name, "type": "ovs-bridge", "bridge": {"port": list(ports)}}]


def errors_of(interfaces: Interfaces, nics: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    problems = examine_network_config({"interfaces": interfaces}, nics)[1]
    assert {problem.layer for problem in problems} <= {"ours"}
    return [(problem.path, problem.severity) for problem in problems]


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    assert errors_of(bond(name)) == [(FIRST, "error")]
    with pytest.raises(InvalidInput, match="NetworkManager does not load this connection"):
        render_keyfiles({"interfaces": bond(name)})


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str) -> None:
    assert errors_of(bond(name)) == []


LONG = "bond-management-net"
CASES: list[tuple[str, Interfaces, tuple[str, ...], list[str]]] = [
    # what, interfaces, names in the interface table, paths of errors
    ("VLAN", vlan("vlan-management-2345"), (), [FIRST]),
    ("VLAN on a NIC", vlan("enp193s0f1np1.2345", "enp193s0f1np1"), (), [FIRST]),
    ("VLAN that the machine shortens", vlan("enp193s0f1np1.2345", "enp193s0f1np1"), ("enp193s0f1np1",), []),
    ("VLAN on another NIC", vlan("enp193s0f1np1.2345", "enp193s0f1np1"), ("eno1",), [FIRST]),
    ("VLAN that cannot be shortened", vlan("eno1.management-net", "eno1"), ("eno1",), [FIRST]),
    ("VLAN with a blank", vlan("eno1.a b", "eno1"), ("eno1",), [FIRST]),
    (
        "NIC by its MAC address in the table",
        [{"name": "the NIC of the management net"}],
        ("the NIC of the management net",),
        [],
    ),
    ("NIC", [{"name": "the NIC of the management net"}], (), [FIRST]),
    (
        "NIC by its MAC address in the document",
        [{"name": LONG, "identifier": "mac-address", "mac-address": "52:54:00:aa:bb:cc"}],
        (),
        [],
    ),
    ("NIC by its PCI address", [{"name": LONG, "identifier": "pci-address", "pci-address": "07:00.1"}], (), []),
    ("profile", [{"name": "eno1", "profile-name": "the profile of eno1: management"}], (), []),
    ("absent", [{"name": LONG, "state": "absent"}, {"name": "eno1"}], (), []),
    ("ignored", [{"name": LONG, "state": "ignore"}, {"name": "eno1"}], (), []),
    ("down", [{"name": LONG, "state": "down"}], (), [FIRST]),
    (
        "port without an entry",
        [{"name": "b", "type": "bond", "link-aggregation": {"mode": 1, "port": [LONG]}}],
        (),
        ["interfaces[0].link-aggregation.port"],
    ),
    ("other end of a veth", [{"name": "v", "type": "veth", "veth": {"peer": LONG}}], (), ["interfaces[0].veth.peer"]),
    ("bridge in Open vSwitch", ovs(LONG, {"name": "eno1"}), (), []),
    ("bridge in Open vSwitch with a colon", ovs("br:1", {"name": "eno1"}), (), []),
    ("bridge in Open vSwitch with a blank", ovs("br 1", {"name": "eno1"}), (), [FIRST]),
    ("bridge in Open vSwitch with a letter", ovs("brücke", {"name": "eno1"}), (), [FIRST]),
    ("interface of a bridge without ports", ovs(LONG), (), ["interfaces[0].bridge.port"]),
    (
        "bond in Open vSwitch",
        ovs("br", {"name": LONG, "link-aggregation": {"mode": "balance-slb", "port": [{"name": "eno1"}]}}),
        (),
        [],
    ),
    (
        "bond in Open vSwitch with a blank",
        ovs("br", {"name": "b 1", "link-aggregation": {"mode": "balance-slb", "port": [{"name": "eno1"}]}}),
        (),
        ["interfaces[0].bridge.port"],
    ),
    (
        "internal interface",
        [*ovs("br", {"name": LONG}), {"name": LONG, "type": "ovs-interface"}],
        (),
        ["interfaces[1].name"],
    ),
    (
        "patch interface",
        [*ovs("br", {"name": LONG}), {"name": LONG, "type": "ovs-interface", "patch": {"peer": "x"}}],
        (),
        [],
    ),
    ("connection of 242 bytes", [{"name": "eno1", "profile-name": "é" * 121}], (), []),
    ("connection of 243 bytes", [{"name": "eno1", "profile-name": "é" * 121 + "x"}], (), ["interfaces[0]"]),
    ("hidden connection", [{"name": "eno1", "profile-name": ".eno1"}], (), ["interfaces[0]"]),
    ("hidden interface", bond(".bond"), (), ["interfaces[0]"]),
    ("connection in a directory", [{"name": "eno1", "profile-name": "a/b"}], (), ["interfaces[0]"]),
    ("long name in the table", [{"name": "x" * 250}], ("x" * 250,), ["interfaces[0]"]),
]


@pytest.mark.parametrize(("interfaces", "nics", "paths"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_names(interfaces: Interfaces, nics: tuple[str, ...], paths: list[str]) -> None:
    assert errors_of(interfaces, nics) == [(path, "error") for path in paths]
