# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading hosts from an inventory, and the problems with their boot settings, in tables of input and result."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hosts import (
    DEFAULT_GROUPS,
    bmc_hosts,
    boot_method,
    members_of_roles,
    merge,
    named_as_described,
    node_addresses,
    read_members,
    with_defaults,
)

BMC = {"address": "redfish-virtualmedia://10.0.0.1", "username": "admin", "password": "secret"}


def test_hosts_in_order_with_defaults_below() -> None:
    groups = {"workers": ["w"], "control_plane": ["b", "a"]}
    defaults = {"bmc": {"username": "admin", "ca_cert": "ca.pem"}}
    hostvars = {
        "a": {"openshift_host": {"bmc": {"address": "x"}}, "openshift_host_defaults": defaults},
        "b": {
            "openshift_host": {
                "bmc": {"address": "y", "username": "root"},
                "interfaces": [{"mac_address": "52:54:00:00:00:01"}],
            },
            "openshift_host_defaults": defaults,
        },
        "w": {"openshift_host": {"hostname": "w.example"}},
    }
    hosts, _problems = read_members(members_of_roles(groups, DEFAULT_GROUPS), hostvars, "/srv")
    assert [(host["inventory_name"], host["role"]) for host in hosts] == [
        ("b", "master"),
        ("a", "master"),
        ("w", "worker"),
    ]
    assert bmc_hosts(hosts) == [
        {
            "name": "b",
            "boot_method": "bmc",
            "bmc": {"address": "y", "username": "root", "ca_cert": "/srv/ca.pem"},
            "mac_addresses": ["52:54:00:00:00:01"],
        },
        {
            "name": "a",
            "boot_method": "bmc",
            "bmc": {"address": "x", "username": "admin", "ca_cert": "/srv/ca.pem"},
            "mac_addresses": [],
        },
    ]


BMC_OF_ALL = {"username": "admin", "password": "secret"}
OF_ALL = {"bmc": BMC_OF_ALL, "libvirt": {"uri": "qemu:///system", "pool": "images"}, "vm": {"cpus": 4}, "bond": "lacp"}


@pytest.mark.parametrize(
    ("own", "defaults", "merged"),
    [
        pytest.param(
            {"libvirt": {"uri": "x"}}, {"bmc": BMC_OF_ALL}, {"libvirt": {"uri": "x"}}, id="libvirt beside BMCs"
        ),
        pytest.param(
            {"boot": {"method": "manual"}}, {"bmc": BMC_OF_ALL}, {"boot": {"method": "manual"}}, id="manual beside BMCs"
        ),
        pytest.param(
            {"bmc": {"address": "x"}},
            OF_ALL,
            {"bmc": {**BMC_OF_ALL, "address": "x"}, "bond": "lacp"},
            id="a BMC beside domains",
        ),
        pytest.param(
            {"libvirt": {"domain": "a"}},
            OF_ALL,
            {**OF_ALL, "libvirt": {**OF_ALL["libvirt"], "domain": "a"}, "bmc": None},
            id="its own domain",
        ),
        pytest.param(
            {"vm": {"cpus": 8}},
            OF_ALL,
            {**OF_ALL, "vm": {"cpus": 8}, "bmc": None},
            id="a virtual machine is one of libvirt",
        ),
        pytest.param(
            {"boot": {"method": "libvirt"}},
            OF_ALL,
            {**OF_ALL, "boot": {"method": "libvirt"}, "bmc": None},
            id="method named, data from the defaults",
        ),
        pytest.param(
            {"libvirt": {"domain": "a"}, "boot": {"method": "bmc"}},
            {"bmc": BMC},
            {"libvirt": {"domain": "a"}, "boot": {"method": "bmc"}, "bmc": BMC},
            id="method over data",
        ),
        pytest.param(
            {"libvirt": {"uri": "x"}},
            {"boot": {"method": "manual"}},
            {"libvirt": {"uri": "x"}, "boot": {"method": "manual"}},
            id="all manual",
        ),
        pytest.param({"libvirt": None}, {"bmc": BMC}, {"libvirt": None, "bmc": BMC}, id="an empty value names nothing"),
        pytest.param({"hostname": "a"}, {"bmc": BMC}, {"hostname": "a", "bmc": BMC}, id="all of the defaults"),
    ],
)
def test_defaults_of_other_boot_methods(own: dict[str, Any], defaults: dict[str, Any], merged: dict[str, Any]) -> None:
    expected = {key: value for key, value in merged.items() if key != "bmc" or value is not None}
    assert with_defaults(own, defaults) == expected


def test_a_mixed_fleet_under_the_defaults_of_bmcs() -> None:
    own = {
        "a": {"bmc": {"address": BMC["address"]}},
        "b": {"libvirt": {"uri": "qemu:///system"}},
        "c": {"boot": {"method": "manual"}},
    }
    hostvars = {
        name: {"openshift_host": host, "openshift_host_defaults": {"bmc": BMC_OF_ALL}} for name, host in own.items()
    }
    hosts, problems = read_members(members_of_roles({"control_plane": list(own)}, DEFAULT_GROUPS), hostvars, "/srv")
    assert (problems, {host["inventory_name"]: boot_method(host) for host in hosts}) == (
        [],
        {"a": "bmc", "b": "libvirt", "c": "manual"},
    )


@pytest.mark.parametrize(
    ("host", "words"),
    [
        (
            {"boot": {"method": "pxe"}},
            ("openshift_host[w].boot.method: Unsupported value: pxe: supported values: bmc, libvirt, manual"),
        ),
        (
            {"boot": {"method": "libvirt"}},
            (
                "openshift_host[w].libvirt: Required value: boot method libvirt requires the connection to its "
                "hypervisor"
            ),
        ),
        ({"boot": {"method": "bcm"}}, "did you mean bmc"),
        ({"boot": {"method": "bmc"}}, "boot method bmc requires the BMC"),
        ({"boot": "bmc"}, "openshift_host[w].boot: Invalid value: must be a mapping with method"),
        ({"boot": {"method": ["x"]}}, "openshift_host[w].boot.method: Unsupported value: ['x']"),
        ({"bmc": []}, "openshift_host[w].bmc: Invalid value: must be a mapping with address"),
        ({"interfaces": 7}, "openshift_host[w].interfaces: Invalid value: must be a list"),
        ({"interfaces": ["eth0"]}, "openshift_host[w].interfaces: Invalid value: must be a list"),
        ({"hostname": 7}, "openshift_host[w].hostname: Invalid value: must be a string"),
        ({"bmc": {**BMC, "address": "ipmi://10.0.0.1"}}, "openshift_host[w].bmc.address: Invalid value: scheme ipmi"),
        (
            {"bmc": {**BMC, "ca_cert": "ca.pem"}},
            ("openshift_host[w].bmc.ca_cert: Invalid value: CA certificate file /srv/ca.pem does not exist"),
        ),
        ({"bmc": {**BMC, "fingerprint": "x"}}, "openshift_host[w].bmc.fingerprint: Invalid value"),
        ({"bmc": {**BMC, "password": None}}, "openshift_host[w].bmc.password: Required value"),
        ("node", "must be a mapping"),
    ],
)
def test_host_mistakes(host: Any, words: str) -> None:
    found = [
        problem.text()
        for problem in read_members(
            members_of_roles({"workers": ["w"]}, DEFAULT_GROUPS), {"w": {"openshift_host": host}}, "/srv"
        )[1]
    ]
    assert len(found) == 1 and words in found[0], found


def test_every_mistake_of_every_host_is_reported_the_defaults_once() -> None:
    hostvars = {
        "a": {"openshift_host": {"bmc": {"address": "ipmi://h"}, "interfaces": 7}},
        "b": {"openshift_host": {"bmc": {**BMC, "fingerprint": "x"}}},
        "c": {"openshift_host_defaults": 7},
        "d": {"openshift_host_defaults": 7},
    }
    hosts, problems = read_members(members_of_roles({"workers": list(hostvars)}, DEFAULT_GROUPS), hostvars, "/srv")
    assert [host["inventory_name"] for host in hosts] == ["a", "b"]
    assert [problem.path for problem in problems] == [
        "openshift_host[a].bmc.username",
        "openshift_host[a].bmc.password",
        "openshift_host[a].bmc.address",
        "openshift_host[a].interfaces",
        "openshift_host[b].bmc.fingerprint",
        "openshift_host_defaults",
    ]


def test_merge_is_deep_for_mappings_only() -> None:
    assert merge({"a": {"x": 1, "y": [1]}, "b": 1}, {"a": {"y": [2]}}) == {"a": {"x": 1, "y": [2]}, "b": 1}


def test_hosts_of_files_are_reported_by_their_mac_addresses() -> None:
    described = {"node-1": ["52:54:00:00:00:01", "52:54:00:00:00:02"], "node-2": ["52:54:00:00:00:03"]}
    rack = [
        {"inventory_name": "rack-7", "interfaces": [{"name": "eth1", "mac_address": "52-54-00-00-00-02"}]},
        {"inventory_name": "node-2"},
        {"inventory_name": "spare", "hostname": "x", "interfaces": [{"mac_address": "52:54:00:00:00:99"}]},
    ]
    named = named_as_described(rack, described)
    assert [(host["inventory_name"], host.get("hostname")) for host in named] == [
        ("rack-7", "node-1"),
        ("node-2", None),
        ("spare", "x"),
    ]
    assert named_as_described(rack, {}) == rack


STATIC = {
    "name": "eth0",
    "ipv4": {"enabled": True, "dhcp": False, "address": [{"ip": "192.0.2.20", "prefix-length": 24}]},
}
V6 = {
    "name": "eth1",
    "ipv6": {"enabled": True, "autoconf": False, "address": [{"ip": "2001:DB8:0::20", "prefix-length": 64}]},
}
LEASE = {"name": "eth2", "ipv4": {"enabled": True, "dhcp": True}}
ADVERTISED = {"name": "eth3", "ipv6": {"enabled": True, "autoconf": True}}
OFF = {"name": "eth4", "ipv4": {"enabled": False, "dhcp": True}, "ipv6": {"enabled": False}}


@pytest.mark.parametrize(
    ("config", "known"),
    [
        ({"interfaces": [STATIC, V6, OFF]}, ["192.0.2.20", "2001:db8::20"]),
        ({"interfaces": [STATIC, LEASE]}, None),
        ({"interfaces": [STATIC, ADVERTISED]}, None),
        ({"interfaces": [LEASE]}, None),
        ({"interfaces": [{"name": "eth0", "ipv4": {"address": [{"ip": "no address"}, 7, None]}}]}, None),
        ({"interfaces": 7}, None),
        ({}, None),
        ("text", None),
        (None, None),
    ],
)
def test_addresses_that_are_known_before_a_node_joins(config: Any, known: list[str] | None) -> None:
    hosts = [
        {"inventory_name": "rack-7", "hostname": "worker-0", "network_config": config},
        {"inventory_name": "worker-1"},
    ]
    assert node_addresses(hosts) == ({"worker-0": known} if known else {})
