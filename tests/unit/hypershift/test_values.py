# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test validating single values of hosted clusters and node pools: which values are accepted, and the message about
invalid ones.
"""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift import values


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0), ("0s", 0), ("1h30m", 5400), ("1.5h", 5400), ("90s", 90), ("10m0s", 600), ("-1s", -1), ("500ms", 0.5)],
)
def test_durations(text: str, seconds: float) -> None:
    assert values.duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "10", "ten minutes", "10 m", "m", "1d", "+", "10m,"])
def test_what_is_no_duration(text: str) -> None:
    assert values.duration(text) is None and values.duration_fault(text)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (0, 0),
        (3, 3),
        ("3", 3),
        ("25%", "25%"),
        ("0%", "0%"),
        (True, None),
        ("-1", None),
        (-1, None),
        ("x%", None),
        ("٣", None),
    ],
)
def test_numbers_and_percentages(value: object, found: object) -> None:
    assert values.int_or_percent(value) == found


@pytest.mark.parametrize("text", ["true", "False", "2026-12-31T23:59:59Z", "2026-12-31T23:59:59.5+02:00"])
def test_pauses(text: str) -> None:
    assert values.pause_fault(text) == ""


@pytest.mark.parametrize(
    "text",
    ["yes", "2026-12-31", "2026-13-31T00:00:00Z", "2026-12-31T23:59:59", "2026-12-31T23:59:59Z and a bit longer"],
)
def test_what_is_no_pause(text: str) -> None:
    assert values.pause_fault(text)


@pytest.mark.parametrize(
    ("image", "unpinned"),
    [
        ("quay.io/x/release:4.22.0-x86_64", False),
        ("quay.io:5000/x/release@sha256:00", False),
        ("quay.io:5000/x/release", True),
        ("quay.io/x/release:latest", True),
    ],
)
def test_images_that_can_change(image: str, unpinned: bool) -> None:
    assert values.unpinned(image) is unpinned


@pytest.mark.parametrize(
    "text", ["192.0.2.1", "2001:db8::1", "::", "1::", "lb.example.com", "localhost", "a-b.c9.example"]
)
def test_addresses_of_node_ports(text: str) -> None:
    assert values.node_port_address_fault(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hub",
        "192.0.2.256",
        "example.c",
        "::ffff:192.0.2.1",
        "fe80::1%eth0",
        "exa mple.com",
        "-x.example.com",
        "https://example.com",
    ],
)
def test_what_is_no_address_of_a_node_port(text: str) -> None:
    assert values.node_port_address_fault(text)


def test_networks() -> None:
    assert values.cidr_fault("10.0.0.0/8") == values.cidr_fault("fd01::/48") == ""
    assert all(
        values.cidr_fault(text)
        for text in ("10.0.0.0", "10.0.0.0/33", "300.0.0.0/8", "fd01::/129", "edge", "10.0.0.0/8/8")
    )
