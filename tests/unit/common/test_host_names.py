# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which host names and addresses that remote systems report may become hosts of an inventory."""

from __future__ import annotations

import ipaddress
import socket

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.host_names import (
    host_name_fault,
    safe_address,
    safe_host_name,
)
from ansible_collections.zerotouch.openshift.tests.support.hostile import readers
from hypothesis import given
from hypothesis import strategies as st

GOOD = (
    "node-1",
    "worker-0.edge.example.com",
    "Node-1.Example",
    "0a",
    "1-2",
    "node.1",
    "localhosts",
    "52-54-00-00-00-01",
    "a" * 63,
)


@pytest.mark.parametrize("name", [*readers.NAMES_OF_THE_CONTROLLER, *readers.NO_DNS_NAMES])
def test_refused(name: str) -> None:
    assert host_name_fault(name) and safe_host_name(name) == ""


@pytest.mark.parametrize("name", ["all", "ungrouped", "ALL"])
def test_groups_of_every_inventory_are_refused(name: str) -> None:
    assert host_name_fault(name) == "is a group of every inventory" and safe_host_name(name) == ""


@pytest.mark.parametrize("name", GOOD)
def test_accepted(name: str) -> None:
    assert host_name_fault(name) == "" and safe_host_name(name) == name


@given(
    st.one_of(
        st.text(max_size=70),
        st.from_regex(r"[0-9xXa-fA-F.:\[\]{}%-]{1,40}", fullmatch=True),
        st.ip_addresses().map(str),
    )
)
def test_no_accepted_name_is_an_address_or_leaves_the_name(name: str) -> None:
    if host_name_fault(name):
        return
    assert name.isascii() and name.isprintable() and not set(name) & set(" {}%:/@[]!,_\"'\\") and name[0] != "-"
    with pytest.raises(ValueError):
        ipaddress.ip_address(name)
    with pytest.raises(OSError):
        socket.inet_aton(name)


@pytest.mark.parametrize("text", [*readers.ADDRESSES_OF_THE_CONTROLLER, *readers.NO_ADDRESSES])
def test_refused_addresses(text: str) -> None:
    assert safe_address(text) == ""


@given(st.one_of(st.ip_addresses().map(str), st.text(max_size=40)))
def test_an_accepted_address_leads_elsewhere(text: str) -> None:
    if safe_address(text):
        found = ipaddress.ip_address(text)
        assert not found.is_loopback and not found.is_unspecified and "%" not in text


@pytest.mark.parametrize("text", ["10.0.0.1", "192.168.111.20", "2001:db8::1", "fd00::1"])
def test_accepted_addresses(text: str) -> None:
    assert safe_address(text) == text
