# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test converting MAC addresses of all notations to one, and sets of IP addresses and networks."""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.guard import wrong_machine
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.addresses import AddressSet, is_mac, normal_mac
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import bypasses_proxy

MAC = "52:54:00:e7:05:72"


@pytest.mark.parametrize(
    "text", [MAC, "52:54:00:E7:05:72", "52-54-00-e7-05-72", "5254.00E7.0572", "525400e70572", f" {MAC} "]
)
def test_spellings_of_a_mac(text: str) -> None:
    assert normal_mac(text) == MAC
    assert is_mac(normal_mac(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "52:54:00:e7:05",
        "5254.00e7.057",
        "525400e7057g",
        "localhost.example",
        "52:54:00:e7:05:72:00:01",
        "52.54.00.e7.05.72x",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert normal_mac(text) == text
    assert not is_mac(normal_mac(text))


def test_infiniband() -> None:
    text = "80:00:02:08:FE:80:00:00:00:00:00:00:F4:52:14:03:00:7B:CB:A1"
    assert normal_mac(text) == text.lower()


def test_the_guard_of_a_bmc_accepts_all_spellings() -> None:
    """Upstream's agent-config.yaml takes ``5254.00e7.0572`` (Go's net.ParseMAC), and BMCs answer with colons."""

    class Machine:
        macs = (MAC,)

    assert wrong_machine(Machine(), ["5254.00e7.0572"]) == ""  # type: ignore[arg-type]
    assert "belongs to another machine" in wrong_machine(Machine(), ["5254.00e7.0573"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("networks", "address", "inside"),
    [
        (["10.0.0.0/24"], "10.0.0.7", True),
        (["10.0.0.5/24"], "10.0.0.7", True),
        (["10.0.0.0/24"], "10.0.1.7", False),
        (["10.0.0.7"], "10.0.0.7", True),
        (["10.0.0.0/24", "fd00::/64"], "fd00::1", True),
        (["fe80::/64"], "fe80::1%eth0", True),
        (["::/0"], "10.0.0.7", False),
        (["10.0.0.0/33", "x", ""], "10.0.0.7", False),
        (["10.0.0.0/24"], "x", False),
        ([], "10.0.0.7", False),
    ],
)
def test_members(networks: list[str], address: str, inside: bool) -> None:
    assert (address in AddressSet(networks)) is inside


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        ("10.0.0.0/16", "10.0.3.0/24", True),
        ("10.0.0.0/24", "10.0.1.0/24", False),
        ("0.0.0.0/0", "::/0", False),
        ("fd00::/48", "fd00::5/64", True),
        ("x", "x", False),
    ],
)
def test_overlaps(one: str, other: str, overlap: bool) -> None:
    assert AddressSet([one]).overlaps(AddressSet([other])) is overlap
    assert AddressSet([other]).overlaps(AddressSet([one])) is overlap


@pytest.mark.parametrize(
    ("host", "no_proxy", "bypasses"),
    [
        ("10.0.0.7", "10.0.0.0/24", True),
        ("10.0.0.7", "example.com, 10.0.0.7", True),
        ("10.0.1.7", "10.0.0.0/24", False),
        ("10.0.1.7", "*", True),
        ("fd00::1", "fd00::/64", True),
        ("api.example.com", ".example.com", True),
        ("api.example.com", "10.0.0.0/24", False),
    ],
)
def test_no_proxy(host: str, no_proxy: str, bypasses: bool) -> None:
    assert bypasses_proxy(host, no_proxy) is bypasses
