# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how the configuration of a host and its root device hints become one PATCH request for this host.

Source: openshift/assisted-service cmd/agentbasedinstaller/host_config.go, cmd/agentbasedinstaller/client/main.go,
  internal/host/hostutil/host_utils.go.
"""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.from_manifests.hints import acceptable_disks
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.from_manifests.host_config import (
    from_hosts,
    parse_host_config,
    read_host_config,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.from_manifests.hosts import plan_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError

MAC = "52:54:00:00:00:0a"
ELIGIBLE = {"eligible": True, "not_eligible_reasons": []}
FULL = {
    "id": "full",
    "path": "/dev/sda",
    "by_path": "/dev/disk/by-path/0",
    "by_id": "/dev/disk/by-id/0",
    "name": "sda",
    "hctl": "1:0:0:0",
    "model": "PM9A3 Plus",
    "vendor": "ATA Corp",
    "serial": "S1",
    "size_bytes": 120 * 10**9 - 1,
    "wwn": "0x5",
    "drive_type": "SSD",
    "installation_eligibility": ELIGIBLE,
}


def fits(hints, **disk):
    return bool(acceptable_disks([{**FULL, **disk}], hints))


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        ({"deviceName": "/dev/sda"}, True),
        ({"deviceName": "/dev/disk/by-path/0"}, True),
        ({"deviceName": "/dev/disk/by-id/0"}, False),
        ({"deviceName": "full"}, False),
        ({"deviceName": "sda"}, False),
        ({"hctl": "1:0:0:0"}, True),
        ({"hctl": "1:0:0"}, False),
        ({"model": "PM9A3"}, True),
        ({"model": "pm9a3"}, False),
        ({"vendor": "ATA"}, True),
        ({"vendor": "ata"}, False),
        ({"serialNumber": "S1"}, True),
        ({"serialNumber": "S"}, False),
        ({"minSizeGigabytes": 119}, True),
        ({"minSizeGigabytes": 120}, False),
        ({"wwn": "0x5"}, True),
        ({"wwn": "0x"}, False),
        ({"rotational": False}, True),
        ({"rotational": True}, False),
        ({"wwnWithExtension": "0x9", "wwnVendorExtension": "0x8"}, True),
        ({"deviceName": "", "minSizeGigabytes": 0, "rotational": None}, True),
        ({"model": "PM9A3", "serialNumber": "other"}, False),
    ],
)
def test_hints(hints, expected):
    assert fits(hints) is expected


@pytest.mark.parametrize("kind", ["Multipath", "virtual", "Unknown"])
def test_what_is_no_hdd_does_not_rotate(kind):
    assert fits({"rotational": False}, drive_type=kind) and not fits({"rotational": True}, drive_type=kind)


def test_a_disk_that_is_not_eligible():
    assert not fits({}, installation_eligibility={"eligible": False})
    assert not fits({}, installation_eligibility=None)


def host(**more):
    disks = [
        {
            **FULL,
            "id": "small",
            "path": "/dev/sdb",
            "installation_eligibility": {"eligible": False, "not_eligible_reasons": ["Too small."]},
        }
    ]
    disks += [{**FULL, "id": "one"}, {**FULL, "id": "two", "path": "/dev/sdc"}]
    inventory = {"hostname": "node-1.local", "interfaces": [{"mac_address": MAC.upper()}, {}], "disks": disks}
    provided = {
        "requested_hostname": "node-1",
        "role": "auto-assign",
        "suggested_role": "master",
        "installation_disk_id": "one",
        "inventory": inventory,
    }
    return {"id": "h", "infra_env_id": "i", **provided, **more}


def settings(**more):
    return from_hosts([{"mac_addresses": [MAC], "hostname": "node-1", **more}])


BMC = {"address": "redfish+https://b/1", "username": "admin", "password": "fence-secret-1"}
FENCING = {**BMC, "certificate_verification": "Disabled", "mac_address": MAC}


def plan_one(document, configured):
    return plan_hosts([document], configured).hosts[0]


@pytest.mark.parametrize(
    ("wanted", "present", "member", "value"),
    [
        ({"role": "worker"}, {}, "host_role", "worker"),
        ({"role": "auto-assign"}, {"role": "worker"}, "host_role", "auto-assign"),
        ({"hostname": "node-9"}, {}, "host_name", "node-9"),
        (
            {"root_device_hints": {"deviceName": "/dev/sdc"}},
            {},
            "disks_selected_config",
            [{"id": "two", "role": "install"}],
        ),
        ({}, {"installation_disk_id": ""}, "disks_selected_config", [{"id": "one", "role": "install"}]),
        ({}, {"installation_disk_id": "small"}, "disks_selected_config", [{"id": "one", "role": "install"}]),
        ({"fencing_credentials": {**BMC, "certificate_verification": "Disabled"}}, {}, "fencing_credentials", FENCING),
    ],
)
def test_each_member_alone_beside_the_nulls_of_the_client(wanted, present, member, value):
    nulls = dict.fromkeys(
        ("disks_selected_config", "disks_skip_formatting", "ignition_endpoint_http_headers", "node_labels")
    )
    plan = plan_one(host(**present), settings(**wanted))
    assert plan.body == {**nulls, member: value} and len(plan.changes) == 1 and plan.expected
    assert "fence-secret-1" not in repr(plan)


@pytest.mark.parametrize(
    ("wanted", "present"),
    [
        ({"role": "master"}, {}),
        ({"role": "auto-assign"}, {}),
        ({"root_device_hints": {"model": "PM"}}, {"installation_disk_id": "two"}),
        ({"fencing_credentials": BMC}, {"fencing_credentials": "{}"}),
        ({"hostname": ""}, {}),
    ],
)
def test_nothing_to_do(wanted, present):
    assert plan_one(host(**present), settings(**wanted)).body == {}


def test_no_disk_fits_and_the_reasons_are_reported():
    plan = plan_one(host(), settings(role="worker", root_device_hints={"serialNumber": "X"}))
    assert (
        plan.body == {}
        and "not eligible for installation (Too small)" in plan.problem
        and "serialNumber is 'S1', not 'X'" in plan.problem
    )


def test_hosts_that_are_missing_or_that_are_not_expected():
    strange = host(
        id="s",
        requested_hostname="strange",
        inventory={"hostname": "strange", "interfaces": [{"mac_address": "52:54:00:00:00:ff"}]},
    )
    silent = host(id="q", inventory=None)
    plan = plan_hosts([strange, silent], settings())
    assert plan.missing == (f"node-1 ({MAC})",) and plan.unknown == ("node-1", "strange")
    assert plan_hosts([strange], from_hosts([])).unknown == ()


def test_of_a_machine_that_registered_again_the_living_one_is_configured():
    old = host(id="old", status="disconnected", created_at="2026-01-01T00:00:00Z")
    plan = plan_hosts([old, host(id="new", status="known")], settings(role="worker"))
    assert [each.host_id for each in plan.hosts if each.body] == ["new"] and not plan.missing and not plan.unknown


def test_two_machines_that_one_configuration_fits_are_reported_and_left_alone():
    plan = plan_hosts([host(id="a", status="known"), host(id="b", status="known")], settings(role="worker"))
    assert (
        not any(each.body for each in plan.hosts)
        and plan.missing[0].startswith(f"node-1 (MAC {MAC} is that of 2 hosts")
        and not plan.unknown
    )


def test_the_names_of_hints_count_in_any_case():
    found = parse_host_config(
        {"node-1/mac_addresses": MAC, "node-1/root-device-hints.yaml": "devicename: /dev/sdc\nWWNWithExtension: x\n"}
    )
    assert found.hosts[0].hints == {"deviceName": "/dev/sdc", "wwnWithExtension": "x"}


@pytest.mark.parametrize("name", ["node-1", "node-1.local", "node-7"])
def test_fencing_by_hostname(name):
    found = parse_host_config(
        {
            "node-7/mac_addresses": f"\n {MAC.upper()} \n",
            "fencing-credentials.yaml": f"credentials: [{{hostname: {name}, address: a, username: u, password: p}}]",
        }
    )
    plan = plan_hosts([host()], found)
    assert (
        plan.hosts[0].body["fencing_credentials"] == {"address": "a", "username": "u", "password": "p"}
        and not plan.missing
    )


@pytest.mark.parametrize("path", ["node-1/fencing-credentials.yaml", "fencing-credentials.yaml"])
def test_fencing_by_mac_in_each_file(path):
    text = (
        f"Credentials: [{{macAddress: '{MAC.upper()}', address: a, username: u, password: p, certificateVerification: "
        f"Enabled}}]"
    )
    plan = plan_one(host(), parse_host_config({"node-1/mac_addresses": MAC, path: text}))
    expected = {
        "address": "a",
        "username": "u",
        "password": "p",
        "certificate_verification": "Enabled",
        "mac_address": MAC,
    }
    assert plan.body["fencing_credentials"] == expected


def test_fencing_of_a_host_that_never_comes():
    found = parse_host_config(
        {"fencing-credentials.yaml": ("credentials: [{hostname: gone, address: a}, {hostname: gone, address: b}]")}
    )
    assert [item.address for item in found.fencing] == ["b"]
    assert plan_hosts([host()], found).missing == ("gone (fencing credentials)",)


def test_a_directory(tmp_path):
    for path, text in {
        "node-1/mac_addresses": f"{MAC}\n",
        "node-1/role": "worker\n",
        "host-2/mac_addresses": "52:54:00:00:00:0b\n",
        "no/role": "x",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "node-1/root-device-hints.yaml").write_text("deviceName: /dev/sdc\n")
    hosts = {item.name: item for item in read_host_config(tmp_path).hosts}
    assert {name: (item.hostname, item.role) for name, item in hosts.items()} == {
        "host-2": ("", ""),
        "node-1": ("node-1", "worker"),
    }
    assert hosts["node-1"].hints == {"deviceName": "/dev/sdc"}
    with pytest.raises(ZeroTouchError, match="does not exist"):
        read_host_config(tmp_path / "none")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a/mac_addresses": "\n"}, "no MAC address"),
        ({"a/mac_addresses": "52:54:00:00:00"}, "a.mac_addresses: Invalid value: 52:54:00:00:00: is not a MAC address"),
        ({"Node_1/mac_addresses": MAC}, "is not a name of at most 63"),
        ({"a/mac_addresses": MAC, "b/mac_addresses": MAC}, "belongs to a as well"),
        ({"a/mac_addresses": MAC, "a/role": "boss"}, "must be one of"),
        ({"a/mac_addresses": MAC, "a/root-device-hints.yaml": "deviceNam: x"}, "did you mean deviceName"),
        ({"a/mac_addresses": MAC, "a/root-device-hints.yaml": "minSizeGigabytes: big"}, "must be a whole number"),
        ({"a/mac_addresses": MAC, "a/root-device-hints.yaml": "- x"}, "is not a mapping"),
        ({"fencing-credentials.yaml": "- hostname: a"}, "is not a mapping"),
        ({"fencing-credentials.yaml": "credential: []"}, "holds credentials"),
        ({"fencing-credentials.yaml": "credentials: [{address: a}]"}, "neither hostname nor macaddress"),
        ({"fencing-credentials.yaml": "credentials: [{hostname: a, pasword: a}]"}, "did you mean password"),
        (
            {"fencing-credentials.yaml": "credentials: [{hostname: a, certificateVerification: Maybe}]"},
            "Enabled or Disabled",
        ),
        ({"fencing-credentials.yaml": "credentials: ["}, "fencing-credentials.yaml"),
    ],
)
def test_mistakes(files, words):
    with pytest.raises(InvalidInput, match=words):
        parse_host_config(files)


def test_one_hostname_is_one_host():
    with pytest.raises(InvalidInput, match="two hosts have this hostname"):
        from_hosts([{"mac_addresses": [f"52-54-00-00-00-0{number}"], "hostname": "node-1"} for number in (1, 2)])
