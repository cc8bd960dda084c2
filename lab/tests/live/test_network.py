# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which keyfiles a simulated host takes for its MAC addresses, and which interfaces come up with them."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from ztlab.fabric.hosts import Fabric, HostNetwork
from ztlab.fabric.loopback import AddressTable
from ztlab.live.bringup import start_network
from ztlab.live.keyfiles import CONNECTIONS, KeyfileError, load_profiles, parse_keyfile
from ztlab.live.network import apply_host_network, hostname_for
from ztlab.live.root import Node, Root
from ztlab.site.load import parse_site

PORTS = [("ens3", "02:00:00:00:00:01", True), ("ens4", "02:00:00:00:00:02", True)]


def root_with(**hosts: dict[str, str]) -> Root:
    root = Root()
    for host, files in hosts.items():
        for name, text in files.items():
            root.files[f"/etc/assisted/network/{host}/{name.replace('__', '.')}"] = Node(0o600, text.encode())
    return root


def connections(root: Root) -> dict[str, str]:
    return {name: node.content.decode() for name, node in root.under(CONNECTIONS).items()}


def test_the_host_directory_with_this_mac_is_taken() -> None:
    keyfile = "[connection]\ninterface-name=eth0\nid=eth0\n[vlan]\nparent=eth0\nother=eth01\n"
    root = root_with(
        host0={"mac_interface.ini": "02:00:00:00:00:99=eth0", "eth0.nmconnection": "x=1\n"},
        host1={
            "mac_interface.ini": "02:00:00:00:00:01=eth0",
            "eth0.nmconnection": keyfile,
            "eth0.10.nmconnection": "interface-name=eth0.10\n",
            "bond0.nmconnection": "a=bond0\n",
        },
    )
    root.files[f"{CONNECTIONS}/old.nmconnection"] = Node(0o600, b"")
    assert apply_host_network(root, PORTS, [])
    found = connections(root)
    assert sorted(found) == ["bond0.nmconnection", "ens3.10.nmconnection", "ens3.nmconnection"], (
        "old connections are gone"
    )
    assert found["ens3.nmconnection"] == (
        "[connection]\ninterface-name=ens3\nid=ens3\n[vlan]\nparent=ens3\nother=eth01\n"
    )
    assert found["ens3.10.nmconnection"] == "interface-name=ens3.10\n"


def test_vlan_names_stay_within_15_characters() -> None:
    root = root_with(
        host0={"mac_interface.ini": "02:00:00:00:00:01=eth0", "eth0.1234.nmconnection": "interface-name=eth0.1234\n"}
    )
    assert apply_host_network(root, [("enp129s0f1np1", "02:00:00:00:00:01", True)], [])
    assert connections(root) == {"enp129s0f1.1234.nmconnection": "interface-name=enp129s0f1.1234\n"}


@pytest.mark.parametrize(
    "host",
    [
        {"mac_interface.ini": "02:00:00:00:00:99=eth0", "eth0.nmconnection": "x"},
        {"mac_interface.ini": "02:00:00:00:00:01=eth0"},
        {"eth0.nmconnection": "x"},
    ],
)
def test_no_match_changes_nothing(host: dict[str, str]) -> None:
    root = root_with(host0=host)
    root.files[f"{CONNECTIONS}/old.nmconnection"] = Node(0o600, b"")
    assert not apply_host_network(root, PORTS, [])
    assert list(connections(root)) == ["old.nmconnection"]


def test_upper_case_macs_match() -> None:
    root = root_with(host0={"mac_interface.ini": "02:00:00:00:00:0A=eth0", "eth0.nmconnection": "a=eth0\n"})
    assert apply_host_network(root, [("ens3", "02:00:00:00:00:0a", True)], [])


def test_hostnames() -> None:
    root = Root()
    root.write("/etc/assisted/hostnames/02:00:00:00:00:02", "node-2")
    assert hostname_for(root, [mac for _name, mac, _link in PORTS]) == "node-2"
    assert hostname_for(root, ["02:00:00:00:00:03"]) == ""


# ---- NetworkManager ----


def fabric(nics: list[dict[str, Any]]) -> Fabric:
    networks = [
        {
            "name": "a",
            "cidr": "10.1.0.0/24",
            "dhcp": {"range": ["10.1.0.100", "10.1.0.110"]},
            "dns": {"servers": ["10.1.0.1"]},
        },
        {"name": "b", "cidr": "10.2.0.0/24", "vlan": 20},
    ]
    bmc = {"address": "https://10.9.0.1", "username": "u", "password": "p"}
    machine = {"name": "m", "nics": nics, "disks": [{"name": "sda", "size_gib": 1}], "bmc": bmc}
    return Fabric(parse_site({"networks": networks, "machines": [machine]}), AddressTable(10))


def up(
    keyfiles: dict[str, str], nics: list[dict[str, Any]], links: tuple[bool, ...] = (True, True)
) -> tuple[HostNetwork, list[str]]:
    world = fabric(nics)
    machine = world.site.machines[0]
    log: list[str] = []
    ports = [(nic.name, nic.mac, link) for nic, link in zip(machine.nics, links, strict=False)]
    profiles = load_profiles(
        {f"{name}.nmconnection": (0o600, textwrap.dedent(text)) for name, text in keyfiles.items()}, log
    )
    return start_network(machine, ports, profiles, world, log), log


E0 = {"name": "e0", "mac": "02:00:00:00:00:01", "network": "a"}
E1 = {"name": "e1", "mac": "02:00:00:00:00:02", "network": "a"}
BOND = {
    "bond0": (
        "[connection]\ntype=bond\ninterface-name=bond0\nid=bond0\n[ipv4]\nmethod=manual\n"
        "address1=10.1.0.5/24,10.1.0.1\n"
    ),
    "e0": "[connection]\ntype=ethernet\ninterface-name=e0\nmaster=bond0\nslave-type=bond\n",
    "e1": "[connection]\ntype=802-3-ethernet\ninterface-name=e1\ncontroller=bond0\nport-type=bond\n",
}


def test_without_profiles_dhcp() -> None:
    network, _log = up({}, [E0 | {"lease": "10.1.0.50"}])
    assert network.addresses() == ["10.1.0.50"] and network.dns_servers == ("10.1.0.1",)
    assert [(route.destination, route.gateway) for route in network.routes] == [("0.0.0.0/0", "10.1.0.1")]


def test_a_static_address() -> None:
    text = """\
        [connection]
        type=ethernet
        interface-name=e0
        [ipv4]
        method=manual
        address1=10.1.0.5/24
        gateway=10.1.0.1
        dns=10.1.0.1;10.1.0.2;
        route1=10.7.0.0/16,10.1.0.9,50
        route1_options=table=254
        """
    network, log = up({"e0": text}, [E0])
    assert network.addresses() == ["10.1.0.5"] and network.dns_servers == ("10.1.0.1", "10.1.0.2") and log == []
    assert [(r.destination, r.gateway, r.metric) for r in network.routes] == [
        ("0.0.0.0/0", "10.1.0.1", 100),
        ("10.7.0.0/16", "10.1.0.9", 50),
    ]


@pytest.mark.parametrize(
    ("links", "mac", "carrier"),
    [((True, True), "01", True), ((False, True), "02", True), ((False, False), "01", False)],
)
def test_a_bond_lives_on_any_port(links: tuple[bool, ...], mac: str, carrier: bool) -> None:
    network, _log = up(BOND, [E0, E1], links)
    bond = next(interface for interface in network.interfaces if interface.name == "bond0")
    assert (bond.kind, bond.mac[-2:], bond.carrier, bond.network) == ("bond", mac, carrier, "a" if carrier else "")
    assert network.addresses() == ["10.1.0.5"], "ports have no addresses of their own"


def test_a_bond_across_networks_is_a_cabling_mistake() -> None:
    nics = [E0, {"name": "e1", "mac": "02:00:00:00:00:02", "network": "b"}]
    assert any("different networks" in line for line in up(BOND, nics)[1])


VLAN = {
    "e0": "[connection]\ntype=ethernet\ninterface-name=e0\n[ipv4]\nmethod=disabled\n",
    "e0.20": (
        "[connection]\ntype=vlan\ninterface-name=e0.20\n[vlan]\nid=20\nparent=e0\n[ipv4]\nmethod=manual\n"
        "address1=10.2.0.5/24\n"
    ),
}


@pytest.mark.parametrize(("vlans", "network"), [(["b"], "b"), ([], "")])
def test_a_vlan_needs_a_switch_port_that_carries_it(vlans: list[str], network: str) -> None:
    nic = {key: value for key, value in E0.items() if key != "network"} | {"vlans": vlans}
    result, log = up(VLAN, [nic])
    assert next(interface for interface in result.interfaces if interface.name == "e0.20").network == network
    assert any("does not carry VLAN 20" in line for line in log) is (network == "")


def test_unreadable_profiles_are_named() -> None:
    with pytest.raises(KeyfileError, match="line 1"):
        parse_keyfile("x", "key=value without a section")
    log: list[str] = []
    assert (
        load_profiles(
            {"a.nmconnection": (0o644, "[connection]\ntype=ethernet\n"), "b.nmconnection": (0o600, "[connection]\n")},
            log,
        )
        == []
    )
    assert "insecure" in log[0] and "connection.type is missing" in log[1]
