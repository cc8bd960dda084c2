# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test bonds, VLANs and bridges of a simulated host: which network they reach, which addresses and routes they get, and
which errors in a keyfile disconnect the host.
"""

from __future__ import annotations

from typing import Any

import pytest
from ztlab.fabric.hosts import Fabric, HostNetwork, Interface, Unreachable
from ztlab.fabric.loopback import AddressTable
from ztlab.live.bringup import start_network
from ztlab.live.keyfiles import load_profiles
from ztlab.site.load import parse_site

# e0 and e1 are in "a" untagged and carry "b" (VLAN 20) and "c" (VLAN 30); e2 is in "b" untagged.
NETWORKS = [
    {
        "name": "a",
        "cidr": "10.1.0.0/24",
        "dhcp": {"range": ["10.1.0.100", "10.1.0.110"]},
        "dns": {"servers": ["10.1.0.1"]},
    },
    {"name": "b", "cidr": "10.2.0.0/24", "vlan": 20, "dhcp": {"range": ["10.2.0.100", "10.2.0.110"]}},
    {"name": "c", "cidr": "10.3.0.0/24", "vlan": 30},
]
NICS = [
    {"name": "e0", "mac": "02:00:00:00:00:01", "network": "a", "vlans": ["b", "c"]},
    {"name": "e1", "mac": "02:00:00:00:00:02", "network": "a", "vlans": ["b", "c"]},
    {"name": "e2", "mac": "02:00:00:00:00:03", "network": "b"},
]


class World:
    """A machine with keyfiles, and others that want to talk to it.

    NICs without a keyfile ask for a lease where ``dhcp`` says so.
    """

    def __init__(self, *keyfiles: str, links: tuple[bool, ...] = (True, True, True), dhcp: bool = False) -> None:
        bmc = {"address": "https://10.9.0.1", "username": "u", "password": "p"}
        machine = {"name": "m", "nics": NICS, "disks": [{"name": "sda", "size_gib": 1}], "bmc": bmc}
        self.fabric = Fabric(parse_site({"networks": NETWORKS, "machines": [machine]}), AddressTable(10))
        spec = self.fabric.site.machines[0]
        self.log: list[str] = []
        ports = [(nic.name, nic.mac, link) for nic, link in zip(spec.nics, links, strict=True)]
        idle = [
            profile("ethernet", name)
            for name, _mac, _link in ports
            if not any(f"=ethernet\ninterface-name={name}\n" in text for text in keyfiles)
        ]
        keyfiles = (*keyfiles, *([] if dhcp else idle))
        files = {f"{number:02}.nmconnection": (0o600, text) for number, text in enumerate(keyfiles)}
        self.network = start_network(spec, ports, load_profiles(files, self.log), self.fabric, self.log)
        self.fabric.attach("m", self.network)

    def interface(self, name: str) -> Interface:
        return next(interface for interface in self.network.interfaces if interface.name == name)

    def neighbour(self, network: str) -> HostNetwork:
        """A host with the address 9 of a network."""
        number = "abc".index(network) + 1
        other = HostNetwork((Interface("x", "02:00:00:00:00:99", addresses=(f"10.{number}.0.9/24",), network=network),))
        self.fabric.attach(network, other)
        return other

    def talks(self, network: str, address: str) -> tuple[bool, bool]:
        """Whether a neighbour in the network reaches the machine's address, and the machine the neighbour."""
        other = self.neighbour(network)
        return self._reaches(other, address), self._reaches(self.network, other.addresses()[0])

    def _reaches(self, source: HostNetwork, address: str) -> bool:
        try:
            self.fabric.check(source, address)
        except Unreachable:
            return False
        return True


BOTH, NEITHER = (True, True), (False, False)


def profile(
    kind: str, name: str, *sections: str, port_of: str = "", ip: str = "", gateway: str = "", method: str = ""
) -> str:
    """``port_of``: "<type> <name>"; ``sections``: "section key=value ..."."""
    lines = ["[connection]", f"type={kind}", f"interface-name={name}", f"uuid={kind}-{name}"]
    if port_of:
        lines += [f"controller={port_of.split()[1]}", f"port-type={port_of.split()[0]}"]
    for section in sections:
        head, *values = section.split("|")
        lines += [f"[{head}]", *values]
    if not port_of or port_of.startswith(("vrf", "ovs-port")):
        chosen = method or ("manual" if ip else "disabled")
        lines += [
            "[ipv4]",
            f"method={chosen}",
            *([f"address1={ip}"] if ip else []),
            *([f"gateway={gateway}"] if gateway else []),
            "[ipv6]",
            "method=disabled",
        ]
    return "\n".join(lines) + "\n"


def bond(**options: str) -> list[str]:
    ports = [profile("ethernet", name, port_of="bond bond0") for name in ("e0", "e1")]
    return [profile("bond", "bond0", "bond|mode=active-backup", **options), *ports]


# Bonds and VLANs


def test_a_vlan_on_a_bond_reaches_its_network() -> None:
    vlan = profile("vlan", "bond0.20", "vlan|id=20|parent=bond0", ip="10.2.0.5/24", gateway="10.2.0.1")
    world = World(*bond(), vlan)
    assert (world.interface("bond0.20").kind, world.interface("bond0.20").network) == ("vlan", "b")
    assert world.talks("b", "10.2.0.5") == BOTH
    assert World(*bond(), vlan, links=(False, True, True)).talks("b", "10.2.0.5") == BOTH
    assert World(*bond(), vlan, links=(False, False, True)).talks("b", "10.2.0.5") == NEITHER


@pytest.mark.parametrize(
    ("keyfile", "reason"),
    [
        (
            profile("vlan", "bond0.20", "vlan|id=21|parent=bond0", ip="10.2.0.5/24"),
            "the port of bond0 does not carry VLAN 21",
        ),
        (profile("vlan", "bond0.20", "vlan|id=30|parent=bond0", ip="10.2.0.5/24"), ""),
        (profile("vlan", "bond0.20", "vlan|id=20|parent=bond1", ip="10.2.0.5/24"), "no parent bond1"),
        (profile("vlan", "bond0.20", "vlan|id=20|parent=e0", ip="10.2.0.5/24"), ""),
        (profile("vlan", "bond0.20", "vlan|id=20|parent=bond-bond0", ip="10.3.0.5/24"), ""),
    ],
    ids=["unknown tag", "tag of another network", "no parent", "parent in a bond", "address of another network"],
)
def test_a_wrong_vlan_cuts_the_host_off(keyfile: str, reason: str) -> None:
    world = World(*bond(), keyfile)
    address = "10.3.0.5" if "10.3.0.5" in keyfile else "10.2.0.5"
    for network in "bc":
        assert world.talks(network, address) == NEITHER
    assert reason in "\n".join(world.log)


def test_a_vlan_gets_a_lease_of_its_own_network() -> None:
    vlan = profile("vlan", "e0.20", "vlan|id=20|parent=ethernet-e0", method="auto")
    world = World(profile("ethernet", "e0", method="auto"), vlan)
    assert world.interface("e0").addresses == ("10.1.0.100/24",)
    assert world.interface("e0.20").addresses == ("10.2.0.100/24",)


def test_a_bond_whose_ports_name_another_one_is_dead() -> None:
    world = World(*(text.replace("controller=bond0", "controller=bond1") for text in bond(ip="10.1.0.5/24")))
    assert world.talks("a", "10.1.0.5") == NEITHER
    assert "there is no bond bond1" in "\n".join(world.log) and "bond bond0 has no ports" in "\n".join(world.log)


def test_a_bond_prefers_its_primary() -> None:
    texts = bond(ip="10.2.0.5/24")
    texts[0] = texts[0].replace("mode=active-backup", "mode=active-backup\nprimary=e2")
    world = World(*texts, profile("ethernet", "e2", port_of="bond bond0"))
    assert world.interface("bond0").network == "b" and world.talks("b", "10.2.0.5") == BOTH


def test_a_cloned_mac_is_the_interfaces() -> None:
    texts = bond(ip="10.1.0.5/24")
    world = World(texts[0] + "[ethernet]\ncloned-mac-address=02:00:00:00:00:AA\n", *texts[1:])
    assert world.interface("bond0").mac == "02:00:00:00:00:aa"


# Linux bridges


def bridge(options: str = "", e0: str = "", **provided: str) -> list[str]:
    return [
        profile("bridge", "br0", f"bridge|{options}", **provided),
        profile("ethernet", "e0", f"bridge-port|{e0}", port_of="bridge br0"),
    ]


def test_a_bridge_reaches_what_its_port_reaches() -> None:
    vlan = profile("vlan", "br0.20", "vlan|id=20|parent=br0", ip="10.2.0.5/24")
    world = World(*bridge(ip="10.1.0.5/24"), vlan)
    assert world.talks("a", "10.1.0.5") == BOTH and world.talks("b", "10.2.0.5") == BOTH
    assert world.interface("br0").mac == "02:00:00:00:00:01"


def test_an_address_on_a_port_of_a_bridge_is_lost() -> None:
    port = profile("ethernet", "e0", port_of="bridge br0") + "[ipv4]\nmethod=manual\naddress1=10.1.0.5/24\n"
    world = World(profile("bridge", "br0"), port)
    assert world.interface("e0").addresses == () and world.talks("a", "10.1.0.5") == NEITHER


@pytest.mark.parametrize(
    ("own", "port", "untagged", "tagged"),
    [
        ("", "", "a", None),
        ("", "vlans=20,25-30", "a", None),
        ("vlans=20", "vlans=20,25-30", "a", "b"),
        ("vlans=20", "vlans=30", "a", None),
        ("", "vlans=20 pvid untagged", None, None),
        ("vlans=20 pvid untagged", "vlans=20 pvid untagged", "a", None),
        ("vlans=20", "vlans=20 pvid untagged", None, "a"),
        ("vlan-default-pvid=0", "", None, None),
    ],
)
def test_a_bridge_with_vlan_filtering_passes_what_both_ends_let_through(
    own: str, port: str, untagged: str | None, tagged: str | None
) -> None:
    vlan = profile("vlan", "br0.20", "vlan|id=20|parent=br0")
    world = World(*bridge(f"vlan-filtering=true|{own}", port), vlan)
    assert (world.interface("br0").network or None, world.interface("br0.20").network or None) == (untagged, tagged)


def test_a_bridge_on_a_vlan_on_a_bond() -> None:
    world = World(
        *bond(),
        profile("vlan", "bond0.20", "vlan|id=20|parent=bond0", port_of="bridge br0"),
        profile("bridge", "br0", ip="10.2.0.5/24"),
    )
    assert world.talks("b", "10.2.0.5") == BOTH
    assert world.interface("bond0.20").addresses == ()


def test_a_bridge_that_is_its_own_port_is_dead() -> None:
    world = World(
        profile("vlan", "br0.20", "vlan|id=20|parent=br0", port_of="bridge br0"),
        profile("bridge", "br0", ip="10.2.0.5/24"),
    )
    assert not world.interface("br0").carrier


# Open vSwitch


def ovs(tag: str = "", trunk: str = "", **provided: str) -> list[str]:
    return [
        profile("ovs-bridge", "br-ex"),
        profile("ovs-port", "e0", f"ovs-port|{trunk}", port_of="ovs-bridge br-ex"),
        profile("ethernet", "e0", port_of="ovs-port e0"),
        profile("ovs-port", "br-ex", f"ovs-port|{tag}", port_of="ovs-bridge br-ex"),
        profile("ovs-interface", "br-ex", "ovs-interface|type=internal", port_of="ovs-port br-ex", **provided),
    ]


def test_an_interface_of_open_vswitch_reaches_what_the_other_port_reaches() -> None:
    world = World(*ovs(ip="10.1.0.5/24"))
    assert world.talks("a", "10.1.0.5") == BOTH
    assert [interface.name for interface in world.network.interfaces] == ["e0", "e1", "e2", "br-ex"]


@pytest.mark.parametrize(
    ("tag", "trunk", "network"),
    [
        ("tag=20", "", "b"),
        ("tag=20|vlan-mode=access", "trunks=20,30", "b"),
        ("tag=20", "trunks=30", ""),
        ("tag=21", "", ""),
        ("tag=20", "tag=20|vlan-mode=native-untagged", "a"),
        ("", "tag=20", ""),
    ],
)
def test_tags_of_open_vswitch(tag: str, trunk: str, network: str) -> None:
    assert World(*ovs(tag, trunk)).interface("br-ex").network == network


@pytest.mark.parametrize("missing", [0, 1, 3])
def test_open_vswitch_without_one_of_its_parts_is_dead(missing: int) -> None:
    texts = ovs(ip="10.1.0.5/24")
    del texts[missing]
    assert World(*texts).talks("a", "10.1.0.5")[0] is False


# VRFs, tables, rules


def test_what_is_in_a_vrf_serves_no_client_outside() -> None:
    inside = profile("ethernet", "e0", port_of="vrf red", ip="10.1.0.5/24", gateway="10.1.0.1")
    world = World(profile("vrf", "red", "vrf|table=100"), inside)
    assert world.network.addresses() == ["10.1.0.5"] and world.network.routes == ()
    assert world.talks("a", "10.1.0.5") == NEITHER
    assert "is in VRF red" in "\n".join(world.log)


def routes(text: str) -> list[tuple[str, str, int]]:
    keyfile = profile("ethernet", "e0", ip="10.1.0.5/24").replace("[ipv6]", f"{text}\n[ipv6]")
    return [(route.destination, route.gateway, route.metric) for route in World(keyfile).network.routes]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("gateway=10.1.0.1", [("0.0.0.0/0", "10.1.0.1", 100)]),
        ("gateway=10.1.0.1\nroute-metric=50", [("0.0.0.0/0", "10.1.0.1", 50)]),
        ("gateway=10.1.0.1\nroute-table=7", []),
        ("gateway=10.1.0.1\nnever-default=true", []),
        ("route1=0.0.0.0/0,10.1.0.1,0\nroute1_options=table=100", []),
        ("route1=0.0.0.0/0,10.1.0.1,0\nroute1_options=table=254", [("0.0.0.0/0", "10.1.0.1", 100)]),
        ("route1=10.7.0.0/16\nroute1_options=type=blackhole", []),
        (
            (
                "route1=0.0.0.0/0,10.1.0.1,0\nroute1_options=table=100\nrouting-rule1=priority 5 from 10.1.0.5/32 "
                "table "
                "100"
            ),
            [],
        ),
        (
            "route1=0.0.0.0/0,10.1.0.1,0\nroute1_options=table=100\nrouting-rule1=priority 5 from 0.0.0.0/0 table 100",
            [("0.0.0.0/0", "10.1.0.1", 100)],
        ),
        (
            "route1=0.0.0.0/0,10.1.0.1,0\nroute1_options=table=100\nrouting-rule1=priority 5 to 10.8.0.0/16 table 100",
            [("10.8.0.0/16", "10.1.0.1", 100)],
        ),
        ("route1=nowhere,10.1.0.1,0", []),
        ("route1=10.8.0.0/16,fe80::1,0", []),
    ],
)
def test_routes_that_packets_take(text: str, found: list[tuple[str, str, int]]) -> None:
    assert routes(text) == found


# The NICs


def test_an_address_on_the_wrong_nic_reaches_no_host() -> None:
    world = World(profile("ethernet", "e2", ip="10.1.0.5/24", gateway="10.1.0.1"))
    assert world.talks("a", "10.1.0.5") == NEITHER and world.talks("b", "10.1.0.5") == NEITHER


def test_a_nic_without_a_link_is_not_activated() -> None:
    world = World(profile("ethernet", "e0", ip="10.1.0.5/24"), links=(False, True, True))
    assert world.interface("e0").addresses == () and "e0 has no carrier" in "\n".join(world.log)


def test_a_nic_by_its_pci_address_is_none_of_the_labs() -> None:
    keyfile = profile("ethernet", "e0", "match|path=pci-0000:07:00.1", ip="10.1.0.5/24").replace(
        "interface-name=e0\n", ""
    )
    assert World(keyfile, dhcp=True).interface("e0").addresses == ("10.1.0.100/24",)


def test_the_higher_priority_wins() -> None:
    low, high = (profile("bond", "bond0", "bond|mode=active-backup", ip=f"10.1.0.{number}/24") for number in (5, 6))
    high = high.replace("uuid=bond-bond0", "uuid=other\nautoconnect-priority=1")
    world = World(low, high, *bond()[1:])
    assert world.interface("bond0").addresses == ("10.1.0.6/24",) and "bond0 is up with 01.nmconnection" in "\n".join(
        world.log
    )


def test_of_two_files_with_one_uuid_the_first_is_loaded() -> None:
    log: list[str] = []
    files = {name: (0o600, profile("ethernet", "e0")) for name in ("a.nmconnection", "b.nmconnection")}
    assert (
        len(load_profiles(files, log)) == 1 and "b.nmconnection: UUID ethernet-e0 is that of a.nmconnection" in log[0]
    )


# What NetworkManager does not load


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (profile("ethernet", "a name"), "not a valid interface name"),
        (profile("ethernet", "a-name-that-is-too-long"), "not a valid interface name"),
        (profile("no-such", "e0"), "unknown connection type"),
        (profile("bond", "").replace("interface-name=\n", ""), "interface-name: property is missing"),
        (profile("bond", "b0", "bond|mode=fastest"), "'fastest' is not a valid value for 'mode'"),
        (profile("bond", "b0", "bond|mode=0|miimon=100|arp_interval=5"), "only one of"),
        (profile("bond", "b0", "bond|mode=0|mii-mon=100"), "invalid option 'mii-mon'"),
        (profile("vlan", "v", "vlan|id=4095|parent=e0"), "'4095' is no VLAN"),
        (profile("vlan", "v", "vlan|id=5"), "vlan.parent"),
        (profile("vrf", "v", "vrf|table=0"), "vrf.table"),
        (
            profile("ethernet", "e0", port_of="bond b0").replace("port-type=bond\n", ""),
            "cannot set 'controller' without 'port-type'",
        ),
        (profile("ovs-interface", "i", port_of="bond b0"), "must be a port of an ovs-port"),
        (profile("ovs-port", "i"), "must be a port of an ovs-bridge"),
        (profile("ethernet", "e0", method="fixed"), "ipv4.method"),
        (profile("ethernet", "e0", method="manual"), "cannot be empty for 'method=manual'"),
        (profile("ethernet", "e0", method="manual", ip="10.1.0.300/24"), "cannot be empty for 'method=manual'"),
        (profile("ethernet", "e0", method="disabled", ip="10.1.0.3/24"), "not allowed for 'method=disabled'"),
        (profile("ethernet", "e0", method="auto", gateway="10.1.0.1"), "no addresses configured"),
    ],
)
def test_profiles_that_are_refused(text: str, complaint: str) -> None:
    log: list[str] = []
    assert load_profiles({"x.nmconnection": (0o600, text)}, log) == []
    assert complaint in "\n".join(log)


@pytest.mark.parametrize("kind", ["vxlan", "macsec", "veth"])
def test_what_the_lab_cannot_play_is_said(kind: str) -> None:
    assert f"cannot bring up connections of type {kind}" in "\n".join(World(profile(kind, "x")).log)


def test_dummies_and_macvlans() -> None:
    world = World(
        profile("dummy", "d", ip="10.9.0.1/32"), profile("macvlan", "mv", "macvlan|parent=e0|mode=2", ip="10.1.0.5/24")
    )
    assert world.talks("a", "10.1.0.5") == BOTH and world.talks("a", "10.9.0.1")[0] is False
    assert world.interface("mv").mac != world.interface("e0").mac


def test_leases_go_to_interfaces_that_want_one() -> None:
    wanting: dict[str, Any] = {
        interface.name: interface.addresses for interface in World(*bond(method="auto"), dhcp=True).network.interfaces
    }
    assert wanting == {"e0": (), "e1": (), "e2": ("10.2.0.100/24",), "bond0": ("10.1.0.100/24",)}
