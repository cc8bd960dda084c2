# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render a networkConfig to keyfiles, and test that a machine of the lab with these keyfiles reaches the configured
network. The code that writes the keyfiles and the code that reads them are independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.keyfiles import render_keyfiles
from ztlab.fabric.hosts import Fabric, HostNetwork
from ztlab.fabric.loopback import AddressTable
from ztlab.live.bringup import start_network
from ztlab.live.keyfiles import load_profiles
from ztlab.site.load import parse_site

SITE: dict[str, Any] = {
    "networks": [
        {"name": "flat", "cidr": "10.1.0.0/24", "dhcp": {"range": ["10.1.0.100", "10.1.0.110"]}},
        {"name": "tagged", "cidr": "10.2.0.0/24", "vlan": 20, "dhcp": {"range": ["10.2.0.100", "10.2.0.110"]}},
    ],
    "machines": [
        {
            "name": "m",
            "nics": [
                {"name": f"eno{number}", "mac": f"02:00:00:00:00:0{number}", "network": "flat", "vlans": ["tagged"]}
                for number in (1, 2)
            ],
            "disks": [{"name": "sda", "size_gib": 100}],
            "bmc": {"address": "https://10.9.0.1", "username": "u", "password": "p"},
        }
    ],
}
STATIC = "ipv4: {enabled: true, address: [{ip: 10.1.0.5, prefix-length: 24}]}"
TAGGED = "ipv4: {enabled: true, address: [{ip: 10.2.0.5, prefix-length: 24}]}"
DHCP = "ipv4: {enabled: true, dhcp: true}"
BOND = "{name: bond0, type: bond, link-aggregation: {mode: active-backup, port: [eno1, eno2]}"
# Name -> (interfaces, interface with the address, its address, the network that it is in).
CASES = {
    "ethernet": (f"[{{name: eno1, type: ethernet, {STATIC}}}]", "eno1", "10.1.0.5/24", "flat"),
    "by MAC": (
        f"[{{name: lan, type: ethernet, identifier: mac-address, mac-address: '02:00:00:00:00:02', {STATIC}}}]",
        "eno2",
        "10.1.0.5/24",
        "flat",
    ),
    "bond": (f"[{BOND}, {DHCP}}}]", "bond0", "10.1.0.100/24", "flat"),
    "VLAN": (f"[{{name: v, type: vlan, vlan: {{base-iface: eno1, id: 20}}, {DHCP}}}]", "v", "10.2.0.100/24", "tagged"),
    "VLAN on a bond": (
        f"[{BOND}}}, {{name: bond0.20, type: vlan, vlan: {{base-iface: bond0, id: 20}}, {TAGGED}}}]",
        "bond0.20",
        "10.2.0.5/24",
        "tagged",
    ),
    "bridge": (
        f"[{{name: br0, type: linux-bridge, bridge: {{port: [{{name: eno1}}]}}, {STATIC}}}]",
        "br0",
        "10.1.0.5/24",
        "flat",
    ),
    "bridge on a VLAN": (
        (
            f"[{{name: v, type: vlan, vlan: {{base-iface: eno1, id: 20}}}}, {{name: br0, type: linux-bridge, bridge: "
            f"{{port: [{{name: v}}]}}, {TAGGED}}}]"
        ),
        "br0",
        "10.2.0.5/24",
        "tagged",
    ),
    "bridge with VLANs": (
        (
            f"[{{name: br0, type: linux-bridge, bridge: {{port: [{{name: eno1, vlan: {{mode: trunk, trunk-tags: [{{id: "
            f"20}}]}}}}]}}, {STATIC}}}]"
        ),
        "br0",
        "10.1.0.5/24",
        "flat",
    ),
    "Open vSwitch": (
        (
            f"[{{name: br-ex, type: ovs-bridge, bridge: {{port: [{{name: eno1}}, {{name: br-ex}}]}}}}, {{name: br-ex, "
            f"type: ovs-interface, {STATIC}}}]"
        ),
        "br-ex",
        "10.1.0.5/24",
        "flat",
    ),
    "bond and tag of Open vSwitch": (
        "[{name: ovs0, type: ovs-bridge, bridge: {port: [{name: bond1, link-aggregation: {mode: balance-slb, port: "
        "[{name: eno1}, {name: eno2}]}}, "
        f"{{name: i0, vlan: {{mode: access, tag: 20}}}}]}}}}, {{name: i0, type: ovs-interface, {TAGGED}}}]",
        "i0",
        "10.2.0.5/24",
        "tagged",
    ),
    "VRF": (
        (
            f"[{{name: red, type: vrf, vrf: {{port: [eno1], route-table-id: 100}}}}, {{name: eno1, type: ethernet, "
            f"{STATIC}}}]"
        ),
        "eno1",
        "10.1.0.5/24",
        "",
    ),
}


def brought_up(document: Mapping[str, Any]) -> HostNetwork:
    log: list[str] = []
    fabric = Fabric(parse_site(SITE), AddressTable(10))
    machine = fabric.site.machines[0]
    profiles = load_profiles({keyfile.name: (0o600, keyfile.text) for keyfile in render_keyfiles(document)}, log)
    network = start_network(machine, [(nic.name, nic.mac, True) for nic in machine.nics], profiles, fabric, log)
    assert not [line for line in log if "ignored" in line or "no parent" in line or "there is no" in line], log
    return network


@pytest.mark.parametrize("name", CASES)
def test_the_machine_has_the_network_of_its_configuration(name: str) -> None:
    interfaces, wanted, address, segment = CASES[name]
    network = brought_up({"interfaces": yaml.safe_load(interfaces)})
    found = next(interface for interface in network.interfaces if interface.name == wanted)
    assert (found.addresses, found.network) == ((address,), segment)


def test_routes_by_rule_and_table() -> None:
    document = yaml.safe_load(
        f"""
        interfaces: [{{name: eno1, type: ethernet, {STATIC}}}]
        routes: {{config: [
          {{destination: 0.0.0.0/0, next-hop-address: 10.1.0.1, next-hop-interface: eno1}},
          {{destination: 0.0.0.0/0, next-hop-address: 10.1.0.2, next-hop-interface: eno1, table-id: 200}},
          {{destination: 10.7.0.0/16, next-hop-address: 10.1.0.3, next-hop-interface: eno1, metric: 7, table-id: 300}}]}}
        route-rules: {{config: [{{ip-to: 10.8.0.0/16, route-table: 200}}]}}
        """  # noqa: E501
    )
    routes = [(route.destination, route.gateway) for route in brought_up(document).routes if route.interface == "eno1"]
    assert routes == [("0.0.0.0/0", "10.1.0.1"), ("10.8.0.0/16", "10.1.0.2")]
