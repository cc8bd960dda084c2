# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the parser of site files: every mistake is reported with its location and a hint."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ztlab.site.load import load_site, parse_site
from ztlab.site.model import ClusterApi, SiteError

ROOT = Path(__file__).parents[3]
Site = dict[str, Any]


def site() -> Site:
    return {
        "networks": [
            {
                "name": "machines",
                "cidr": "192.168.111.0/24",
                "vlan": 111,
                "dhcp": {"range": ["192.168.111.100", "192.168.111.200"]},
            },
            {"name": "untagged", "cidr": "10.0.0.0/24"},
        ],
        "machines": [
            {
                "name": "m0",
                "nics": [
                    {"name": "eno1", "mac": "02-00-00-00-00-0A", "network": "machines", "lease": "192.168.111.50"}
                ],
                "disks": [{"name": "sda", "size_gib": 120}],
                "bmc": {
                    "address": "redfish-virtualmedia+https://10.0.0.1/redfish/v1/Systems/1",
                    "username": "u",
                    "password": "p",
                },
            }
        ],
        "clusters": [{"name": "c", "base_domain": "example.com", "api_vip": "192.168.111.5"}],
    }


def test_a_good_site() -> None:
    parsed = parse_site(site())
    machine = parsed.machines[0]
    assert machine.nics[0].mac == "02:00:00:00:00:0a"
    assert (machine.bmc.host, machine.bmc.port, machine.bmc.system_id, machine.bmc.tls) == ("10.0.0.1", 443, "1", True)
    assert parsed.networks[0].gateway == "192.168.111.1" and parsed.networks[0].ntp is None
    assert machine.system_uuid == parse_site(site()).machines[0].system_uuid, "the same in every run"
    assert parsed.clusters[0].domain == "c.example.com"


def set_at(path: str, value: Any) -> Callable[[Site], None]:
    def change(document: Site) -> None:
        *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        place: Any = document
        for part in parents:
            place = place[part]
        place[last] = value

    return change


MISTAKES: list[tuple[Callable[[Site], None], str]] = [
    (set_at("machines.0.nics.0.mac", "nonsense"), "machines[0].nics[0].mac: 'nonsense' is not a MAC address"),
    (set_at("machines.0.cpu", 4), "machines[0]: unknown key 'cpu'; did you mean cpus?"),
    (set_at("machines.0.bmc.profile", "dell"), "machines[0].bmc.profile: 'dell' is none of plain"),
    (set_at("machines.0.bmc", {"address": "https://10.0.0.1"}), "machines[0].bmc: username, password missing"),
    (
        set_at("machines.0.bmc.address", "not an address"),
        ("machines[0].bmc.address: 'not an address' is not a BMC address"),
    ),
    (set_at("machines.0.disks", []), "machines[0].disks"),
    (set_at("machines.0.disks.0.size_gib", "big"), "machines[0].disks[0].size_gib: must be of type number"),
    (
        set_at("networks.0.cidr", "192.168.111.5/24"),
        ("networks[0].cidr: '192.168.111.5/24' is not a network in CIDR notation"),
    ),
    (
        set_at("networks.0.dhcp.range", ["10.0.0.1", "10.0.0.2"]),
        ("networks[0].dhcp.range: 10.0.0.1 is not in the network"),
    ),
    (
        set_at("machines.0.nics.0.network", "machinez"),
        ("machines[0].nics[0]: no network 'machinez'; there are machines, untagged"),
    ),
    (set_at("machines.0.nics.0.lease", "10.0.0.7"), "machines[0].nics[0].lease: 10.0.0.7 is not in network machines"),
    (set_at("clusters.0.api_vip", "nowhere"), "clusters[0].api_vip: 'nowhere' is not an IP address"),
    (
        lambda document: document["machines"].append(copy.deepcopy(document["machines"][0])),
        "machines: m0 is listed 2 times",
    ),
    (set_at("machines.0.nics.0.vlans", ["untagged"]), "machines[0].nics[0].vlans: network untagged has no vlan tag"),
    (lambda document: document.pop("networks"), "the file: networks missing"),
    (
        set_at("hub", {"address": "203.0.113.1", "base_domain": "hub.example.com"}),
        ("hub.address: 203.0.113.1 is in none of the networks"),
    ),
    (set_at("hub", {"address": "192.168.111.3"}), "hub: base_domain missing"),
    (
        set_at(
            "hub",
            {"address": "192.168.111.3", "base_domain": "hub.example.com", "cluster_api": {"version": "v1alpha4"}},
        ),
        "hub.cluster_api.version: 'v1alpha4' is none of v1beta2, v1beta1",
    ),
]


@pytest.mark.parametrize(("change", "text"), MISTAKES, ids=[text[:50] for _change, text in MISTAKES])
def test_mistakes_are_located(change: Callable[[Site], None], text: str) -> None:
    document = site()
    change(document)
    with pytest.raises(SiteError) as caught:
        parse_site(document)
    assert any(text in problem for problem in caught.value.problems), caught.value.problems


def test_all_mistakes_at_once() -> None:
    document = site()
    set_at("machines.0.cpu", 4)(document)
    set_at("machines.0.nics.0.mac", "x")(document)
    with pytest.raises(SiteError) as caught:
        parse_site(document)
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize(("text", "reason"), [("machines: [", "is no YAML"), ("- 1\n", "must be of type object")])
def test_files_that_are_no_site(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "site.yml"
    path.write_text(text)
    with pytest.raises(SiteError, match=reason):
        load_site(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="cannot be read"):
        load_site(tmp_path / "absent.yml")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, None),
        ({"cluster_api": {}}, ClusterApi("upstream", "v1beta2")),
        ({"cluster_api": {"provider": "none", "version": "v1beta1"}}, ClusterApi("none", "v1beta1")),
        (
            {"cluster_api": {"openshift_assisted": "v1alpha3", "metal3": "v1beta1"}},
            ClusterApi(openshift_assisted="v1alpha3", metal3="v1beta1"),
        ),
        ({"hypershift": True}, ClusterApi()),
        ({"hypershift": False}, None),
    ],
)
def test_cluster_api_runs_where_the_hub_has_it(keys: Site, expected: ClusterApi | None) -> None:
    document = site()
    set_at("hub", {"address": "192.168.111.3", "base_domain": "hub.example.com", **keys})(document)
    found = parse_site(document).hub
    assert found is not None
    assert found.cluster_api == expected


@pytest.mark.parametrize("name", ["sno", "demo"])
def test_the_sites_of_the_inventories(name: str) -> None:
    assert load_site(ROOT / "inventories" / name / "rack.yml").clusters


def test_a_service_is_in_every_dns_and_in_a_network() -> None:
    document = site() | {"service": {"address": "192.168.111.9", "base_domain": "lab.example.com", "auth": "sso"}}
    assert parse_site(document).networks[0].dns_records["assisted.lab.example.com"] == "192.168.111.9"
