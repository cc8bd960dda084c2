# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the preflight checks before a maintenance window: each check gets observations as plain data and returns its
verdict, without a network.
"""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.machine import Machine, Slot
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.profile import PROFILES
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Cluster, Pool
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.preflight.checks import (
    ALL,
    CHECKS,
    HOST_CHECKS,
    CheckVerdict,
    DiskSeen,
    HostSeen,
    Learned,
    NameSeen,
    RackSeen,
    TimeSeen,
    judge,
    names_of,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.preflight.firmware import LOWEST, too_old
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.preflight.show import table

NOW = 1_800_000_000.0
SLOT = Slot("/v/1", "1", ("CD",), "", "", False, "", "/insert", "/eject", "", "", protocols=("HTTP",))
MACHINE = Machine(
    system="/redfish/v1/Systems/1",
    uuid="u",
    serial="s",
    manufacturer="",
    model="M1",
    power_state="Off",
    boot={},
    etag="",
    settings="",
    reset_action="",
    reset_types=("On",),
    macs=("52:54:00:00:00:01",),
    media_places=("/v",),
    slots=(SLOT,),
    vendor="Dell",
    firmware="7.00.00.00",
    profile=PROFILES["dell"],
    clock_text=datetime.datetime.fromtimestamp(NOW, datetime.UTC).isoformat(),
    read_at=NOW,
)
HOST = HostSeen("m-0", "bmc", ("52:54:00:00:00:01",), MACHINE, image_url="http://10.0.0.1:8080")
HA = Cluster(
    "c", "example.com", "4.22.0", "", "baremetal", Pool(3), Pool(0), api_vips=("10.0.0.5",), ingress_vips=("10.0.0.6",)
)
SINGLE = Cluster("c", "example.com", "4.22.0", "", "none", Pool(1), Pool(0), rendezvous_ip="10.0.0.9")


def of_host(check: str, host: HostSeen) -> tuple[str, str]:
    (found,) = [verdict for verdict in judge(RackSeen("agent", hosts=(host,))) if verdict.check == check]
    return found.status, found.detail


def changed(**machine: Any) -> HostSeen:
    return dataclasses.replace(HOST, machine=dataclasses.replace(MACHINE, **machine))


def at(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(NOW + seconds, datetime.UTC).isoformat()


@pytest.mark.parametrize(
    ("check", "host", "status", "detail"),
    [
        ("bmc-login", HOST, "PASS", "Dell M1"),
        ("bmc-login", HostSeen("m-0", "bmc", fault="refused"), "FAIL", "refused"),
        ("bmc-login", HostSeen("m-0", "manual"), "SKIP", "boot method manual"),
        ("machine", HOST, "PASS", ""),
        ("machine", changed(macs=("52:54:00:00:00:02",)), "FAIL", "belongs to another machine"),
        (
            "machine",
            dataclasses.replace(HOST, shared="hosts a, b lead to one machine"),
            "FAIL",
            "hosts a, b lead to one machine",
        ),
        ("machine", changed(macs=()), "SKIP", "lists no MAC"),
        ("machine", HostSeen("m-0", "bmc", fault="refused"), "SKIP", "was not read"),
        ("machine", HostSeen("m-0", "libvirt"), "SKIP", "boot method libvirt"),
        ("media", HOST, "PASS", ""),
        ("media", changed(slots=()), "FAIL", "no virtual CD slot"),
        ("media", changed(slots=(dataclasses.replace(SLOT, protocols=("CIFS",)),)), "FAIL", "takes CIFS only"),
        ("media", changed(slots=(dataclasses.replace(SLOT, inserted=True, image="x"),)), "PASS", "will be ejected"),
        ("media", changed(slots=(), lacks_licence="none"), "SKIP", "see licence"),
        ("licence", HOST, "SKIP", "does not show it"),
        ("licence", changed(profile=PROFILES["hpe"]), "PASS", ""),
        ("licence", changed(lacks_licence="its licence is iLO Standard"), "FAIL", "iLO Standard"),
        ("firmware", HOST, "PASS", "7.00.00.00, profile dell"),
        ("firmware", changed(firmware="6.00.02.00"), "FAIL", "older than 6.10.30.00"),
        ("firmware", changed(firmware=""), "SKIP", "does not name it"),
        ("bmc-clock", HOST, "PASS", "0 s"),
        ("bmc-clock", changed(clock_text=at(301)), "FAIL", "301 s ahead of this machine"),
        ("bmc-clock", changed(clock_text=at(-86400)), "FAIL", "86400 s behind this machine"),
        ("bmc-clock", changed(clock_text=at(299)), "PASS", "299 s ahead"),
        ("bmc-clock", changed(clock_text=""), "SKIP", "does not show its time"),
        ("bmc-clock", changed(clock_text="9999-99-99"), "SKIP", "does not show its time"),
        ("bmc-clock", changed(clock_text="0001-01-01T00:00:00+14:00"), "FAIL", "behind this machine"),
    ],
)
def test_hosts(check: str, host: HostSeen, status: str, detail: str) -> None:
    found = of_host(check, host)
    assert found[0] == status and detail in found[1], found


def answered(cluster: Cluster, kind: str, *addresses: str, fault: str = "", server: str = "10.0.0.1") -> RackSeen:
    return RackSeen("agent", cluster, names=(NameSeen(names_of(cluster)[kind], server, addresses, fault),))


@pytest.mark.parametrize(
    ("check", "seen", "status", "detail"),
    [
        ("dns-api", answered(HA, "api", "10.0.0.5"), "PASS", "10.0.0.5"),
        (
            "dns-api",
            answered(HA, "api", "10.0.0.7", "10.0.0.8"),
            "FAIL",
            ("has 10.0.0.7, 10.0.0.8, the cluster is configured with 10.0.0.5"),
        ),
        ("dns-api", answered(HA, "api"), "FAIL", "name server 10.0.0.1 does not have this name"),
        ("dns-api", answered(HA, "api", server=""), "FAIL", "the resolver of this machine does not have"),
        ("dns-api", answered(HA, "api", fault="it answers REFUSED"), "FAIL", "REFUSED"),
        ("dns-api", answered(SINGLE, "api", "10.0.0.9"), "PASS", "10.0.0.9"),
        ("dns-api", answered(SINGLE, "api", "10.0.0.8"), "FAIL", "configured with 10.0.0.9"),
        ("dns-api-int", answered(HA, "api-int"), "PASS", "serves it to its nodes"),
        ("dns-api-int", answered(HA, "api-int", "10.0.0.8"), "FAIL", "configured with 10.0.0.5"),
        ("dns-api-int", answered(SINGLE, "api-int"), "FAIL", "does not have this name"),
        ("dns-apps", answered(HA, "apps", "10.0.0.6"), "PASS", "10.0.0.6"),
        ("dns-apps", answered(HA, "apps", "10.0.0.5"), "FAIL", "configured with 10.0.0.6"),
        ("dns-apps", answered(SINGLE, "apps", "10.0.0.77"), "PASS", "10.0.0.77"),
        ("dns-wildcard", answered(HA, "wildcard"), "PASS", ""),
        ("dns-wildcard", answered(HA, "wildcard", "10.0.0.6"), "FAIL", "a name that does not exist"),
        ("ntp", RackSeen("agent", HA), "SKIP", "names no ntp_sources"),
        ("ntp", RackSeen("agent", HA, times=(TimeSeen("t", 9.9),)), "PASS", "10 s ahead"),
        ("ntp", RackSeen("agent", HA, times=(TimeSeen("t", -10.1),)), "FAIL", "10 s behind"),
        ("ntp", RackSeen("agent", HA, times=(TimeSeen("t", fault="does not answer"),)), "FAIL", "does not answer"),
        (
            "vip-free",
            RackSeen("agent", HA, taken=(Learned("10.0.0.5", fault="something answers"),)),
            "FAIL",
            "something answers",
        ),
        ("registry", RackSeen("hosted", images=(Learned("release image", skipped="not known"),)), "SKIP", "not known"),
        ("disk-space", RackSeen("agent", disk=DiskSeen("/w", 10, 11)), "FAIL", "GB needed"),
        ("disk-space", RackSeen("agent", disk=DiskSeen("/w", 11, 11)), "PASS", "GB needed"),
        ("disk-space", RackSeen("agent", disk=DiskSeen("/w", 11, 0)), "SKIP", "not known"),
        ("base-image", RackSeen("agent", base=Learned("/b.iso", fault="is for aarch64")), "FAIL", "is for aarch64"),
        ("state-store", RackSeen("agent", state=Learned("/w", fault="refused")), "FAIL", "refused"),
        ("image-url", RackSeen("agent", image_url=Learned("http://i", note="answers 404")), "PASS", "answers 404"),
    ],
)
def test_site(check: str, seen: RackSeen, status: str, detail: str) -> None:
    (found,) = [verdict for verdict in judge(seen) if verdict.check == check]
    assert found.status == status and detail in found.detail, found
    assert bool(found.remedy) is (status == "FAIL")


@pytest.mark.parametrize("method", sorted(ALL))
def test_methods_have_their_rows(method: str) -> None:
    seen = RackSeen(
        method, HA, (HOST,), Learned("u"), (), (), (), (Learned("i"),), DiskSeen("/w", 1, 1), Learned("b"), Learned("s")
    )
    checks = {verdict.check for verdict in judge(seen)}
    assert checks <= {check.name for check in CHECKS if method in check.methods}
    assert {"disk-space", "base-image", "image-url"} & checks == (
        {"disk-space", "base-image", "image-url"} if method == "agent" else set()
    )


def test_every_row_says_what_it_reads_and_what_to_do() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    for check in CHECKS:
        assert check.reads and check.remedy.endswith(".") and bool(check.of_host) != bool(check.of_site), check.name


@pytest.mark.parametrize(
    ("profile", "firmware", "old"),
    [
        ("dell_import", "2.70.70.70", True),
        ("dell_import", "2.75.75.75", False),
        ("dell_import", "5.10.50.00", True),
        ("dell", "6.10.30.00", False),
        ("dell", "7.10.70.00", False),
        ("dell_idrac10", "1.10.17.00", False),
        ("hpe", "iLO 6 v1.56", True),
        ("hpe", "iLO 6 v1.57", False),
        ("hpe", "iLO 5 v2.10", False),
        ("generic", "0.0.1", False),
        ("dell", "6." + "9" * 5000, False),
    ],
)
def test_firmware(profile: str, firmware: str, old: bool) -> None:
    assert bool(too_old(profile, firmware)) is old
    assert all(row.source for row in LOWEST)


def test_the_table_has_a_line_for_each_host_and_each_failure() -> None:
    bad = dataclasses.replace(changed(lacks_licence="its licence is iLO Standard"), name="a-host-with-a-long-name")
    lines = table(judge(RackSeen("agent", HA, (HOST, bad), state=Learned("/w" * 200, fault="x"))))
    assert lines[0].split() == ["host", *HOST_CHECKS]
    assert [line.split()[0] for line in lines[1:3]] == ["m-0", "a-host-with-a-long-name"]
    assert [
        line
        for line in lines
        if line.startswith("FAIL licence a-host-with-a-long-name: its licence is iLO Standard. Install")
    ]
    assert lines[-1].endswith("SKIP") and all(len(line) <= 120 for line in lines if not line.startswith("FAIL"))


def test_a_verdict_on_one_line() -> None:
    assert CheckVerdict("ntp", "t", "FAIL", "late.", "Do it.").text() == "FAIL ntp t: late. Do it."
    assert CheckVerdict("ntp", "t", "PASS", "", "Do it.").text() == "PASS ntp t"
