# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which host becomes the rendezvous host (openshift/installer pkg/asset/agent/image/ignition.go)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rendezvous import (
    derive,
    rendezvous,
    with_rendezvous_ip,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Host, Role
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.base import cluster, good_deployment


def machine(role: Role, *addresses: str) -> Host:
    """A host with an interface for each address; the IPv6 address is first in the document."""
    interfaces: list[dict[str, Any]] = []
    for number, text in enumerate(addresses):
        stacks = {}
        for ip in sorted(text.split("+"), reverse=True):
            family, length = ("ipv6", 64) if ":" in ip else ("ipv4", 24)
            stacks[family] = {"enabled": True, "address": [{"ip": ip, "prefix-length": length}]}
        interfaces.append({"name": f"eno{number}", "type": "ethernet", **stacks})
    return Host("x", role=role, network_config={"interfaces": interfaces} if interfaces else {})


@pytest.mark.parametrize(
    ("hosts", "ip"),
    [
        ([], ""),
        ([machine("master")], ""),
        ([machine("worker", "10.0.0.1"), machine("master", "10.0.0.2")], "10.0.0.2"),
        ([machine("", "10.0.0.1"), machine("arbiter", "10.0.0.2")], "10.0.0.2"),
        ([machine("worker", "10.0.0.1"), machine("", "10.0.0.2")], "10.0.0.2"),
        ([machine("worker", "10.0.0.1"), machine("master")], "10.0.0.1"),
        ([machine("master", "fd00::1+10.0.0.3")], "10.0.0.3"),
        ([machine("master", "FD00:0::1", "10.0.0.3")], "fd00::1"),
        ([machine("master"), machine("master", "10.0.0.4", "10.0.0.5")], "10.0.0.4"),
    ],
)
def test_derived(hosts: list[Host], ip: str) -> None:
    assert derive(hosts) == ip


def test_a_configured_address_wins_and_is_canonical() -> None:
    found = rendezvous(cluster(rendezvous_ip="FD00:0::1")(good_deployment()))
    assert (found.ip, found.provided, found.hosts) == ("fd00::1", True, ())


def test_derived_names_its_host() -> None:
    found = rendezvous(good_deployment())
    assert (found.ip, found.provided, found.hosts) == ("192.168.111.80", False, (0,))
    assert with_rendezvous_ip(good_deployment()).rendezvous_ip == "192.168.111.80"
