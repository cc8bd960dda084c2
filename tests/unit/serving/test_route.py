# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which local address is used in the URL of the image, so that the BMCs reach it."""

from __future__ import annotations

import socket

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.route import Peer, address_for, source_address

ROUTES = {
    "10.0.0.11": "10.0.0.1",
    "10.0.0.12": "10.0.0.1",
    "10.1.0.13": "10.1.0.1",
    "192.0.2.1": "10.9.9.9",
    "127.4.0.7": "127.0.0.1",
}


def source(host: str, port: int) -> str:
    if host not in ROUTES:
        raise socket.gaierror(-2, "Name or service not known")
    return ROUTES[host]


def peers(*hosts: str) -> list[Peer]:
    return [Peer(f"node-{index}", host, 443) for index, host in enumerate(hosts)]


def test_the_interface_that_leads_to_the_bmcs() -> None:
    assert address_for(peers("10.0.0.11", "10.0.0.12"), source=source) == ("10.0.0.1", [])


def test_without_bmcs_the_default_route() -> None:
    assert address_for((), source=source) == ("10.9.9.9", [])


def test_different_interfaces_are_reported() -> None:
    address, warnings = address_for(peers("10.1.0.13", "10.0.0.11", "10.0.0.12"), source=source)
    assert address == "10.0.0.1"
    assert "(10.1.0.1 for node-0; 10.0.0.1 for node-1, node-2); the image's URL has 10.0.0.1" in warnings[0]


def test_the_mapping_is_followed() -> None:
    mapping, _problems = ConnectTo.parse({"bmc-1.example.com": "127.4.0.7:8443"})
    assert address_for([Peer("node-1", "bmc-1.example.com", 443)], mapping, source) == ("127.0.0.1", [])


def test_unknown_names() -> None:
    address, warnings = address_for(peers("10.0.0.11", "nowhere.example.com"), source=source)
    assert (address, warnings) == ("10.0.0.1", ["No route was found to node-1: Name or service not known."])
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"No address of this machine leads to the BMCs.*node-0: Name or "
            r"service not known"
        ),
    ):
        address_for(peers("nowhere.example.com"), source=source)


def test_the_real_routing_table() -> None:
    assert source_address("127.0.0.53", 443) == "127.0.0.1"
    for name in ("bmc..example.com", "a" * 64, "no-such-name.invalid"):
        with pytest.raises(OSError):
            source_address(name, 443)
