# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test parts of the assisted-service without HTTP: disks, agent steps, inventories, events and downloads."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ztlab.service import inventory, steps
from ztlab.service.events import Event, EventFilter, select
from ztlab.service.progress import total_percentage
from ztlab.service.settings import seconds, version_key
from ztlab.service.static_network import physical_names

from .bench import Bench
from .scripted import cluster_params, disk


def judged(
    *found: dict[str, Any], least: int = 100, version: str = "4.22.0", architecture: str = "x86_64"
) -> list[dict[str, Any]]:
    return inventory.judge_disks(
        {"disks": list(found), "cpu": {"architecture": architecture}}, least_gb=least, version=version
    )


ELIGIBILITY: list[tuple[dict[str, Any], str, str, bool]] = [
    ({}, "4.22.0", "x86_64", True),
    ({"size_bytes": 99 * 10**9}, "4.22.0", "x86_64", False),
    ({"drive_type": "HDD"}, "4.22.0", "x86_64", True),
    ({"drive_type": "ODD"}, "4.22.0", "x86_64", False),
    ({"drive_type": "virtual"}, "4.22.0", "x86_64", False),
    ({"drive_type": "RAID"}, "4.13.0", "x86_64", False),
    ({"drive_type": "RAID"}, "4.14.0", "x86_64", True),
    ({"drive_type": "iSCSI"}, "4.14.0", "x86_64", False),
    ({"drive_type": "iSCSI"}, "4.15.0", "x86_64", True),
    ({"drive_type": "FC"}, "4.22.0", "arm64", False),
    ({"drive_type": "ECKD"}, "4.22.0", "s390x", True),
    (
        {"installation_eligibility": {"eligible": False, "not_eligible_reasons": ["Disk is removable"]}},
        "4.22.0",
        "x86_64",
        False,
    ),
    ({"installation_eligibility": {"eligible": False, "not_eligible_reasons": []}}, "4.22.0", "x86_64", True),
]


@pytest.mark.parametrize(("more", "version", "architecture", "eligible"), ELIGIBILITY)
def test_eligibility(more: dict[str, Any], version: str, architecture: str, eligible: bool) -> None:
    (found,) = judged(disk(**more), version=version, architecture=architecture)
    assert found["installation_eligibility"].get("eligible", False) is eligible, found["installation_eligibility"]


def test_reasons_say_how_small_and_do_not_pile_up() -> None:
    once = judged(disk(gigabytes=20))
    assert once[0]["installation_eligibility"]["not_eligible_reasons"] == [
        ("Disk is too small (disk only has 20 GB, but 100 GB are required)")
    ]
    again = judged(*once, least=10)
    assert again[0]["installation_eligibility"] == {"eligible": True}


@pytest.mark.parametrize(
    ("found", "chosen"),
    [
        ([disk("sdb", 500), disk("sda", 200)], "sda"),
        ([disk("sda", 200), disk("sdb", 500, bootable=True)], "sdb"),
        ([disk("nvme0n1", 100), disk("sda", 900)], "sda"),
        ([disk("sda", 100), disk("sdb", 900, drive_type="HDD")], "sdb"),
        ([disk("sdb", 100, hctl="1:0:0:0"), disk("sda", 100, hctl="0:0:0:0")], "sda"),
    ],
)
def test_preferred_disk(found: list[dict[str, Any]], chosen: str) -> None:
    assert (inventory.preferred_disk(found) or {})["name"] == chosen
    assert inventory.preferred_disk([]) is None


def test_inventories_are_normalised() -> None:
    provided = {
        "interfaces": [
            {"name": name, "type": kind}
            for name, kind in (("eth0", "physical"), ("bond0", "bond"), ("veth0", "veth"), ("x", ""))
        ],
        "disks": [
            {"path": "/dev/sda"},
            {"path": "/dev/sdb", "by_path": "/by-path"},
            {"path": "/dev/sdc", "by_id": "/by-id", "by_path": "/by-path"},
        ],
    }
    found = inventory.normalise(provided, virtual_interfaces=False)
    assert [nic["name"] for nic in found["interfaces"]] == ["eth0", "bond0", "x"]
    assert [item["id"] for item in found["disks"]] == ["/dev/sda", "/by-path", "/by-id"]
    assert len(inventory.normalise(provided, virtual_interfaces=True)["interfaces"]) == 4


def test_a_role_of_its_own_needs_its_own_disk() -> None:
    bench = Bench(cluster_params(control_plane_count=2))
    host = bench.host(answered=False, role="arbiter", suggested_role="arbiter")
    steps.receive_inventory(bench.core, host, {"disks": [disk(gigabytes=60)], "cpu": {"count": 4}, "interfaces": []})
    assert host.installation_disk_path == "/dev/sda"
    host.role = "master"
    from ztlab.service.machine_host import judge_disks

    judge_disks(bench.core, host)
    assert host.installation_disk_path == ""


PLAN: list[tuple[str, bool, tuple[str, ...], int]] = [
    ("discovering", False, ("inventory",), 60),
    ("discovering", True, ("inventory", "ntp-synchronizer", "domain-resolution"), 60),
    (
        "pending-for-input",
        True,
        ("connectivity-check", "api-vip-connectivity-check", "tang-connectivity-check", "inventory"),
        60,
    ),
    ("disconnected", False, ("inventory",), 120),
    (
        "preparing-for-installation",
        False,
        ("dhcp-lease-allocate", "installation-disk-speed-check", "container-image-availability"),
        60,
    ),
    ("preparing-successful", False, (), 60),
    ("installing", False, ("install", "dhcp-lease-allocate"), 60),
    ("installing", True, ("install",), 60),
    ("error", False, ("logs-gather", "stop-installation"), 120),
    ("cancelled", True, ("logs-gather", "stop-installation"), 120),
    ("resetting", False, (), 120),
    ("installed", False, (), 60),
    ("known-unbound", False, ("inventory", "ntp-synchronizer"), 60),
    ("disconnected-unbound", False, ("inventory",), 120),
]


@pytest.mark.parametrize(("status", "day2", "names", "interval"), PLAN)
def test_steps_by_status(status: str, day2: bool, names: tuple[str, ...], interval: int) -> None:
    bench = Bench(AGENT_DOCKER_IMAGE="")
    host = bench.host(answered=False)
    host.status = status
    host.kind = "AddToExistingClusterHost" if day2 else "Host"
    assert steps.planned(bench.core, host) == (names, interval)


def test_disabled_steps_are_not_handed_out() -> None:
    bench = Bench(AGENT_DOCKER_IMAGE="", DISABLED_STEPS="verify-vips,domain-resolution")
    host = bench.host(answered=False)
    host.status = "known"
    assert {"verify-vips", "domain-resolution"} & set(steps.planned(bench.core, host)[0]) == set()


def test_install_request_names_what_the_installer_needs() -> None:
    bench = Bench()
    host = bench.host(role="master", bootstrap=True)
    (text,) = steps.BUILDERS["install"](bench.core, host, bench.cluster) or [""]
    request = json.loads(text)
    assert (request["role"], request["boot_device"], request["control_plane_count"]) == (
        "bootstrap",
        host.installation_disk_id,
        3,
    )
    assert request["disks_to_format"] == [] and request["openshift_version"] == "4.22.0"


EVENTS = [
    Event("a", "info", "First", "1", cluster_id="c", host_id="h1"),
    Event("b", "warning", "second", "2", cluster_id="c", infra_env_id="i", host_id="h2"),
    Event("c", "error", "third", "3", cluster_id="c"),
    Event("d", "info", "metric", "4", cluster_id="c", category="metrics"),
    Event("e", "info", "other", "5", cluster_id="x"),
]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (EventFilter(), "abce"),
        (EventFilter(cluster_id="c"), "abc"),
        (EventFilter(infra_env_id="i"), "b"),
        (EventFilter(cluster_id="c", host_ids=frozenset({"h1"})), "a"),
        (EventFilter(cluster_id="c", cluster_level=True), "c"),
        (EventFilter(cluster_id="c", host_ids=frozenset({"h1"}), cluster_level=True), "ac"),
        (EventFilter(cluster_id="c", deleted_hosts=True), "b"),
        (EventFilter(severities=frozenset({"warning", "error"})), "bc"),
        (EventFilter(categories=frozenset({"metrics"})), "d"),
        (EventFilter(message="fIRS"), "a"),
        (EventFilter(descending=True, limit=2), "ec"),
        (EventFilter(limit=1, offset=1), "b"),
        (EventFilter(limit=-1), "abce"),
        (EventFilter(limit=0), ""),
    ],
)
def test_events_are_selected(wanted: EventFilter, names: str) -> None:
    assert "".join(event.name for event in select(EVENTS, wanted, {"h1"}).events) == names


def test_severities_are_counted_before_their_filter() -> None:
    page = select(EVENTS, EventFilter(cluster_id="c", severities=frozenset({"error"})))
    assert (page.total, page.counts) == (1, {"info": 1, "warning": 1, "error": 1, "critical": 0})


@pytest.mark.parametrize(
    ("text", "expected"), [("", 5.0), ("8s", 8.0), ("1h30m", 5400.0), ("90m", 5400.0), ("500ms", 0.5)]
)
def test_durations(text: str, expected: float) -> None:
    assert seconds(text, 5.0) == expected


@pytest.mark.parametrize("text", ["8", "s", "1x", "1h 2m"])
def test_durations_that_are_none(text: str) -> None:
    with pytest.raises(ValueError):
        seconds(text, 1.0)


def test_versions_compare_by_number() -> None:
    assert version_key("4.9.0") < version_key("4.22.0-rc.1") == (4, 22, 0)


def test_ports_of_bonds_lead_to_nics() -> None:
    interfaces = [
        {"name": "bond0", "type": "bond", "link-aggregation": {"slaves": ["eth0"], "mode": "x"}},
        {"name": "eth9"},
    ]
    assert physical_names(interfaces) == ["eth9", "eth0"]


@pytest.mark.parametrize(
    ("preparing", "installing", "finalizing", "status", "total"),
    [
        (0, 0, 0, "ready", 0),
        (100, 0, 0, "installing", 10),
        (100, 100, 0, "finalizing", 80),
        (100, 100, 100, "finalizing", 95),
        (100, 100, 100, "installed", 100),
    ],
)
def test_total_percentage(preparing: int, installing: int, finalizing: int, status: str, total: int) -> None:
    assert total_percentage(preparing, installing, finalizing, status) == total
