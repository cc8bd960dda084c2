# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the majority groups and IP collisions that the service computes from the hosts' reports. Compare the results for
random reports with those of a simple implementation.
"""

from __future__ import annotations

import copy
import itertools
import random
from typing import Any

import pytest
from ztlab.service import networks
from ztlab.service.model import Host

CIDR = "192.168.0.0/16"


def address(number: int) -> str:
    return f"192.168.{number // 200}.{number % 200 + 1}"


def report(number: int, count: int, chance: float, draw: random.Random) -> dict[str, Any]:
    """What a host reports of the others, each of which it reaches with this chance."""
    remotes = []
    for other in range(count):
        if other == number:
            continue
        reached = draw.random() < chance
        last = other if draw.random() > 0.02 else other + 1
        mac = f"02:00:00:00:{other // 256:02X}:{last % 256:02x}"
        level2 = [{"remote_ip_address": address(other), "remote_mac": mac, "successful": reached}]
        remotes.append(
            {
                "host_id": f"host-{other}",
                "l2_connectivity": level2,
                "l3_connectivity": [{"remote_ip_address": address(other), "successful": reached}],
            }
        )
    return {"remote_hosts": remotes}


def drawn_hosts(count: int, chance: float, seed: int) -> list[Host]:
    draw = random.Random(seed)
    hosts = [Host(f"host-{number}", "infra") for number in range(count)]
    for number, host in enumerate(hosts):
        host.connectivity = report(number, count, chance, draw) if draw.random() > 0.1 else None
    return hosts


def reaches(first: Host, second: Host) -> bool:
    remotes = (first.connectivity or {}).get("remote_hosts") or []
    return any(remote["host_id"] == second.id and remote["l3_connectivity"][0]["successful"] for remote in remotes)


def plain_majority(hosts: list[Host]) -> set[str]:
    group = list(hosts)
    while group:
        counts = [
            sum(reaches(host, other) and reaches(other, host) for other in group if other is not host) for host in group
        ]
        if min(counts) == len(group) - 1:
            break
        group.pop(counts.index(min(counts)))
    return {host.id for host in group} if len(group) >= 3 else set()


@pytest.mark.parametrize(
    ("count", "chance", "seed"),
    [(0, 1, 0), (2, 1, 0), *itertools.product((3, 4, 7, 12), (0.5, 0.9, 0.97, 1.0), range(4))],
)
def test_groups_and_collisions_are_those_of_the_definition(count: int, chance: float, seed: int) -> None:
    hosts = drawn_hosts(count, chance, seed)
    for _twice in range(2):
        assert networks.l3_majority(hosts, 3) == networks.l2_majority(hosts, CIDR, 3) == plain_majority(hosts)
        assert networks.l2_majority(hosts, "10.0.0.0/8", 3) == set()
    macs: dict[str, set[str]] = {}
    for host in hosts:
        for remote in (host.connectivity or {}).get("remote_hosts") or []:
            entry = remote["l2_connectivity"][0]
            macs.setdefault(entry["remote_ip_address"], set()).add(entry["remote_mac"].lower())
    assert networks.ip_collisions(hosts) == {ip: sorted(found) for ip, found in macs.items() if len(found) > 1}


def test_a_new_report_replaces_what_was_computed() -> None:
    hosts = drawn_hosts(5, 1.0, 3)
    for number, host in enumerate(hosts):
        host.connectivity = report(number, 5, 1.0, random.Random(0))
    assert networks.l3_majority(hosts, 3) == {host.id for host in hosts}
    hosts[2].connectivity = report(2, 5, 0.0, random.Random(0))
    assert networks.l3_majority(hosts, 3) == {host.id for host in hosts if host is not hosts[2]}
    hosts[2].connectivity = None
    hosts[2].inventory = {"interfaces": [{"ipv4_addresses": ["192.168.0.3/16"]}]}
    assert [str(item.ip) for item in networks.host_addresses(hosts[2])] == ["192.168.0.3"]
    hosts[2].inventory = {"interfaces": [{"ipv4_addresses": ["192.168.0.4/16"], "ipv6_addresses": ["fe80::1/64"]}]}
    assert [str(item.ip) for item in networks.host_addresses(hosts[2])] == ["192.168.0.4"]


def test_unchanged_reports_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = drawn_hosts(20, 1.0, 5)
    read: list[str] = []
    original = networks._reaches

    def counted(remote: dict[str, Any], network: networks.IPNetwork) -> bool:
        read.append(remote["host_id"])
        return original(remote, network)

    monkeypatch.setattr(networks, "_reaches", counted)
    for _pass in range(3):
        networks.l2_majority(hosts, CIDR, 3)
    assert len(read) == sum(19 for host in hosts if host.connectivity)
    before = len(read)
    hosts[0].connectivity = report(0, 20, 1.0, random.Random(0))
    networks.l2_majority(hosts, CIDR, 3)
    assert len(read) == before + 19


def test_reports_that_say_the_same_cause_no_other_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each host sends a report each minute: the group of a hundred hosts is computed again when one of them reaches
    others than before.
    """
    hosts = drawn_hosts(20, 1.0, 5)
    computed: list[int] = []
    original = networks._majority

    def counted(*arguments: Any) -> set[str]:
        computed.append(1)
        return original(*arguments)

    monkeypatch.setattr(networks, "_majority", counted)
    first = networks.l2_majority(hosts, CIDR, 4)
    for host in hosts:
        host.connectivity = copy.deepcopy(host.connectivity)
        assert networks.l2_majority(hosts, CIDR, 4) == first
    assert len(computed) == 1
    hosts[0].connectivity = {"remote_hosts": []}
    assert hosts[0].id not in networks.l2_majority(hosts, CIDR, 4) and len(computed) == 2


def test_what_depends_on_a_report_is_computed_once_for_each_report() -> None:
    calls: list[str] = []

    def of(report: dict[str, str]) -> str:
        calls.append(report["name"])
        return report["name"]

    known = networks.OfReport(of)
    first, second = {"name": "first"}, {"name": "second"}
    assert [
        known("a", first),
        known("a", first),
        known("b", second),
        known("a", first),
        known("a", second),
        known("a", second),
    ] == [*("first", "first", "second", "first", "second", "second")]
    assert calls == ["first", "second", "second"], "again only when a host has another report"
