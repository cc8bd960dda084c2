# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test matching root device hints with disks, and checking the descriptions of hosts that the user gives to the
modules.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.root_device import choose_disk, find_disk
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.request import host_requests


def disks(made: ModuleType) -> list[dict[str, Any]]:
    return [
        made.disk(0, installationEligibility={"eligible": False, "notEligibleReasons": ["Disk is removable"]}),
        made.disk(1, driveType="HDD", sizeBytes=120_999_999_999, vendor="SEAGATE"),
        made.disk(2, driveType="SSD", sizeBytes=480 * 10**9),
        made.disk(3, driveType="NVMe", path="/dev/nvme0n1", name="nvme0n1"),
    ]


@pytest.mark.parametrize(
    ("hints", "path"),
    [
        ({"deviceName": "/dev/sdc"}, "/dev/sdc"),
        ({"deviceName": "/dev/disk/by-path/pci-3"}, "/dev/nvme0n1"),
        ({"hctl": "0:0:2:0"}, "/dev/sdc"),
        ({"serialNumber": "serial-1"}, "/dev/sdb"),
        ({"wwn": "wwn-3"}, "/dev/nvme0n1"),
        ({"model": "H755"}, "/dev/sdb"),
        ({"vendor": "SEA"}, "/dev/sdb"),
        ({"minSizeGigabytes": 120}, "/dev/sdb"),
        ({"minSizeGigabytes": 121}, "/dev/sdc"),
        ({"rotational": True}, "/dev/sdb"),
        ({"rotational": False}, "/dev/sdc"),
        ({"rotational": False, "wwn": "wwn-3", "minSizeGigabytes": 1}, "/dev/nvme0n1"),
        ({"deviceName": "/dev/sda"}, ""),
        ({"serialNumber": "serial"}, ""),
        ({"rotational": True, "minSizeGigabytes": 121}, ""),
    ],
    ids=str,
)
def test_hints(hints: dict[str, Any], path: str, made: ModuleType) -> None:
    assert choose_disk(hints, disks(made)).path == path


def test_every_disk_that_does_not_fit_says_why(made: ModuleType) -> None:
    choice = choose_disk({"rotational": True, "minSizeGigabytes": 200}, disks(made))
    assert choice.reasons == (
        "/dev/sda (SSD, 480 GB): not eligible for installation (Disk is removable), rotational is False, not True",
        "/dev/sdb (HDD, 120 GB): minSizeGigabytes is 120, not at least 200",
        "/dev/sdc (SSD, 480 GB): rotational is False, not True",
        "/dev/nvme0n1 (NVMe, 480 GB): rotational is False, not True",
    )


def test_of_several_a_multipath_device_else_what_was_chosen_else_the_first(made: ModuleType) -> None:
    plain = disks(made)
    multipath = made.disk(4, driveType="Multipath", path="/dev/dm-0")
    assert choose_disk({"minSizeGigabytes": 1}, [*plain, multipath]).path == "/dev/dm-0"
    assert choose_disk({"minSizeGigabytes": 1}, plain, current=plain[2]["id"]).path == "/dev/sdc"
    assert choose_disk({"minSizeGigabytes": 1}, plain, current="gone").path == "/dev/sdb"
    assert choose_disk({"minSizeGigabytes": 1}, [*plain, multipath], current=plain[2]["id"]).path == "/dev/dm-0"


def test_disks_by_name(made: ModuleType) -> None:
    assert find_disk(disks(made), disk_id="/dev/disk/by-id/wwn-2").path == "/dev/sdc"
    assert find_disk(disks(made), path="/dev/disk/by-path/pci-1").path == "/dev/sdb"
    assert find_disk(disks(made), path="/dev/sda").reasons == (
        ("/dev/sda (SSD, 480 GB): not eligible for installation (Disk is removable)"),
    )
    assert len(find_disk(disks(made), path="/dev/sdz").reasons) == 4


MAC = "52:54:00:00:00:01"


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ({}, "hosts[0]: Required value: host node has nothing to recognise its Agent by"),
        ({"mac_addresses": ["52:54"]}, "hosts[0].mac_addresses: Invalid value: 52:54: is not a MAC address"),
        ({"system_uuid": "x"}, "hosts[0].system_uuid: Invalid value: x: is not a UUID"),
        ({"query": "a ||"}, "hosts[0].query: Invalid value: a ||: is not a JMESPath expression"),
        ({"mac_addresses": [MAC], "hostname": "Node_1"}, "hosts[0].hostname: Invalid value: Node_1"),
        ({"mac_addresses": [MAC], "hostname": "localhost"}, "hosts[0].hostname: Invalid value: localhost"),
        (
            {"mac_addresses": [MAC], "hostname": "localhost.example.com"},
            "hosts[0].hostname: Invalid value: localhost.example.com: is a name of the local machine",
        ),
        (
            {"mac_addresses": [MAC], "hostname": "127.0.0.1"},
            ("hosts[0].hostname: Invalid value: 127.0.0.1: can be read as an IP address"),
        ),
        (
            {"mac_addresses": [MAC], "role": "boss"},
            ("hosts[0].role: Unsupported value: boss: must be one of auto-assign, master, worker, arbiter"),
        ),
        (
            {"mac_addresses": [MAC], "installation_disk_id": "x", "root_device_hints": {"wwn": "y"}},
            "exclude each other",
        ),
        (
            {"mac_addresses": [MAC], "root_device_hints": {"devicename": "/dev/sda"}},
            ("Unknown field: no such root device hint (did you mean deviceName?)"),
        ),
        (
            {"mac_addresses": [MAC], "root_device_hints": {"wwnWithExtension": "x"}},
            "the service ignores this hint; use wwn",
        ),
        ({"mac_addresses": [MAC], "root_device_hints": {"rotational": "no"}}, "must be true or false, not 'no'"),
        ({"mac_addresses": [MAC], "root_device_hints": {"minSizeGigabytes": True}}, "must be a whole number, not True"),
        ({"mac_addresses": [MAC], "root_device_hints": {}}, "no hint is given"),
        ({"mac_addresses": [MAC], "ignition_config_overrides": "{'a': 1}"}, "is not JSON: Expecting property name"),
        ({"mac_addresses": [MAC], "ignition_config_overrides": "[]"}, "is not a JSON object"),
        (
            {"mac_addresses": [MAC], "agent_labels": {"agent-install.openshift.io/bmh": "x"}},
            "belongs to the controllers of the hub",
        ),
        (
            {"mac_addresses": [MAC], "agent_labels": {"infraenvs.agent-install.openshift.io": "x"}},
            "belongs to the controllers of the hub",
        ),
        ({"mac_addresses": [MAC], "agent_labels": {"rack": "a b"}}, "is not a label value"),
        ({"mac_addresses": [MAC], "node_labels": {"-": "a"}}, "is not a label key"),
        ({"mac_addresses": [MAC], "cluster": {"name": "c"}, "unbind": True}, "cluster and unbind exclude each other"),
        ({"mac_addresses": [MAC], "state": "absent", "unbind": True}, "can neither be bound nor unbound"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_mistakes(host: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        host_requests([{"name": "node", **host}], "lab")
    assert words in str(raised.value)


def test_all_mistakes_at_once() -> None:
    hosts = [
        {"name": "a", "mac_addresses": [MAC], "hostname": "x", "cluster": {"name": "c"}},
        {"name": "a", "mac_addresses": [MAC.upper()], "hostname": "x", "cluster": {"name": "c"}},
        {"name": "b", "mac_addresses": ["no"], "role": "boss"},
    ]
    with pytest.raises(InvalidInput) as raised:
        host_requests(hosts, "lab")
    assert {problem.path for problem in raised.value.problems} == {
        "hosts[1].name",
        "hosts[1].hostname",
        "hosts[1].mac_addresses",
        "hosts[2].mac_addresses",
        "hosts[2].role",
    }


def test_a_hostname_is_taken_once_in_a_cluster() -> None:
    hosts = [
        {"name": each, "serial_number": each, "hostname": "master-0", "cluster": {"name": each}} for each in ("a", "b")
    ]
    assert len(host_requests(hosts, "lab")) == 2


def test_a_listed_host_is_an_expected_one() -> None:
    hosts = [
        {"serial_number": "x"},
        {"unbind": True},
        {"state": "absent"},
        {"approved": False},
        {"unbind": True, "approved": True},
    ]
    requests = host_requests(
        [{"name": str(index), "serial_number": str(index), **host} for index, host in enumerate(hosts)], "lab"
    )
    assert [request.approved for request in requests] == [True, None, None, False, True]
    assert [request.action for request in requests] == ["keep", "unbind", "delete", "keep", "unbind"]


def test_labels_as_yaml_has_them() -> None:
    request = host_requests(
        [{"name": "a", "serial_number": "x", "agent_labels": {"gpu": True, "rack": 4, "old": None}}], "lab"
    )[0]
    assert request.agent_labels == {"gpu": "true", "rack": "4", "old": None}
