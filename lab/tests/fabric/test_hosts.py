# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the lab's simulated network: which host reaches which address."""

from __future__ import annotations

from typing import Any

import pytest
from ztlab.fabric.hosts import Fabric, HostNetwork, Interface, Route, Unreachable
from ztlab.fabric.loopback import AddressTable
from ztlab.site.load import parse_site


def fabric(**second: Any) -> Fabric:
    networks = [
        {
            "name": "a",
            "cidr": "10.1.0.0/24",
            "dhcp": {"range": ["10.1.0.100", "10.1.0.101"]},
            "dns": {
                "servers": ["10.1.0.1"],
                "records": {"api.c.example.com": "10.1.0.5", "*.apps.c.example.com": "10.1.0.6"},
            },
            "ntp": ["10.1.0.2"],
        },
        {"name": "b", "cidr": "10.2.0.0/24"} | second,
    ]
    bmc = {"username": "u", "password": "p"}
    machines = [
        {
            "name": f"m{number}",
            "nics": [{"name": "e0", "mac": f"02:00:00:00:00:0{number}", "network": "ab"[number]}],
            "disks": [{"name": "sda", "size_gib": 1}],
            "bmc": bmc | {"address": f"https://10.9.0.{number}"},
        }
        for number in range(2)
    ]
    return Fabric(parse_site({"networks": networks, "machines": machines}), AddressTable(10))


def host(
    address: str, network: str, *, gateway: str = "", carrier: bool = True, dns: tuple[str, ...] = ()
) -> HostNetwork:
    routes = (Route("0.0.0.0/0", gateway, "e0"),) if gateway else ()
    return HostNetwork(
        (Interface("e0", "02:00:00:00:00:00", addresses=(address,), carrier=carrier, network=network),), routes, dns
    )


def test_same_segment() -> None:
    world = fabric()
    world.attach("m1", host("10.1.0.11/24", "a"))
    world.check(host("10.1.0.10/24", "a"), "10.1.0.11")


def test_over_the_router() -> None:
    world = fabric()
    world.attach("m1", host("10.2.0.11/24", "b"))
    world.check(host("10.1.0.10/24", "a", gateway="10.1.0.1"), "10.2.0.11")


@pytest.mark.parametrize(
    ("source", "second", "reason"),
    [
        (host("10.1.0.10/24", "a"), {}, "no usable route"),
        (host("10.1.0.10/24", "a", gateway="10.1.0.7"), {}, "no usable route"),
        (host("10.1.0.10/24", "a", gateway="10.1.0.1", carrier=False), {}, "no usable route"),
        (host("10.1.0.10/24", "a", gateway="10.1.0.1"), {"routed": False}, "are not connected"),
    ],
)
def test_no_way(source: HostNetwork, second: dict[str, Any], reason: str) -> None:
    world = fabric(**second)
    world.attach("m1", host("10.2.0.11/24", "b"))
    with pytest.raises(Unreachable, match=reason):
        world.check(source, "10.2.0.11")


def test_no_machine_has_the_address() -> None:
    with pytest.raises(Unreachable, match=r"no machine has 10\.1\.0\.99"):
        fabric().check(host("10.1.0.10/24", "a"), "10.1.0.99")


def test_duplicate_addresses_are_seen() -> None:
    world = fabric()
    assert world.attach("m0", host("10.1.0.10/24", "a")) == []
    assert world.attach("m1", host("10.1.0.10/24", "a")) == ["10.1.0.10"]
    world.detach("m0")
    assert world.owners("10.1.0.10") == ["m1"]


def test_leases_are_stable_and_run_out() -> None:
    world = fabric()
    nic = world.site.machines[0].nics[0]
    assert world.lease(nic) == "10.1.0.100/24" and world.lease(nic) == "10.1.0.100/24"
    assert world.lease(world.site.machines[1].nics[0]) == "", "network b has no DHCP"


def test_names() -> None:
    world = fabric()
    source = host("10.1.0.10/24", "a", dns=("10.1.0.1",))
    assert world.resolve(source, "api.c.example.com.") == ["10.1.0.5"]
    assert world.resolve(source, "console.apps.c.example.com") == ["10.1.0.6"]
    assert world.resolve(source, "other.example.com") == []
    assert world.resolve(host("10.1.0.10/24", "a", dns=("10.1.0.9",)), "api.c.example.com") is None
    assert world.resolve(host("10.1.0.10/24", "a"), "api.c.example.com") is None


def test_time_servers() -> None:
    world = fabric()
    assert world.time_answers(host("10.1.0.10/24", "a"), "10.1.0.2")
    assert not world.time_answers(host("10.1.0.10/24", "a"), "pool.ntp.org")
    assert world.time_answers(host("10.2.0.10/24", "b"), "pool.ntp.org")


def test_urls_are_redirected_to_loopback() -> None:
    world = fabric()
    world.table.loopback("10.1.0.10")
    assert world.redirect("http://10.1.0.10:8090/x?y=1") == ("http://127.10.0.10:8090/x?y=1", "10.1.0.10:8090")
    assert world.redirect("https://10.1.0.10/x") == ("https://127.10.0.10:8443/x", "10.1.0.10")
    assert world.redirect("http://127.0.0.1:9/x") == ("http://127.0.0.1:9/x", "127.0.0.1:9")


def test_owners_of_an_address_follow_what_is_attached() -> None:
    lab = fabric()
    first = HostNetwork((Interface("eth0", "02:00:00:00:00:01", addresses=("192.168.111.20/24", "fd00::0020/64")),))
    second = HostNetwork(
        (Interface("eth0", "02:00:00:00:00:02", addresses=("192.168.111.20/24", "192.168.111.21/24")),)
    )
    assert lab.attach("a", first) == []
    assert lab.attach("b", second) == ["192.168.111.20"]
    assert (lab.owners("192.168.111.20"), lab.owners("192.168.111.21"), lab.owners("fd00::20")) == (
        ["a", "b"],
        ["b"],
        ["a"],
    )
    assert lab.attach("b", first) == ["192.168.111.20", "fd00::20"]
    assert lab.owners("192.168.111.21") == []
    lab.detach("a")
    lab.detach("a")
    assert (lab.owners("192.168.111.20"), lab.owners("192.168.111.9")) == (["b"], [])
    assert (first.holder("192.168.111.20"), first.holder("fd00::20"), first.has("fd00::20")) == (
        first.interfaces[0],
        None,
        True,
    )
