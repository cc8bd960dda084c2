# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check that no two hosts have the same MAC address, BMC or hostname, and that the service accepts each hostname.

Also check that each MAC address in the fencing credentials belongs to a host.

Source: docs/upstream/agent-installer.md#what-the-installer-does-not-check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....common.addresses import normal_mac
from ....common.problems import DUPLICATE, INVALID, Problem
from ....nmstate.document import interfaces_with_mac
from ...upstream.texts import mac_error
from ..checks import AGENT_CONFIG, INSTALL_CONFIG, own
from ..facts import Facts

_LOCAL_NAMES = (
    "localhost",
    "localhost.localdomain",
    "localhost4",
    "localhost4.localdomain4",
    "localhost6",
    "localhost6.localdomain6",
)
_LONGEST_HOSTNAME = 63
_HOSTNAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def duplicate_mac(facts: Facts) -> Iterator[Problem]:
    """The installer compares MACs as text; the same address in another notation is the same NIC."""
    seen: dict[str, str] = {}
    for host in facts.hosts:
        for index, interface in enumerate(host.host.interfaces):
            if not interface.mac_address or mac_error(interface.mac_address):
                continue
            first = seen.setdefault(normal_mac(interface.mac_address), interface.mac_address)
            if first != interface.mac_address:
                path = f"{host.path}.interfaces[{index}].macAddress"
                yield own(
                    "duplicate-mac",
                    path,
                    DUPLICATE,
                    f"is the same address as {first}",
                    value=interface.mac_address,
                    file=AGENT_CONFIG,
                )
    yield from _mac_of_another(facts)


def _mac_of_another(facts: Facts) -> Iterator[Problem]:
    """networkConfig of one host that gives a NIC the address of another host's."""
    owners: dict[str, set[int]] = {}
    for host in facts.hosts:
        for interface in host.host.interfaces:
            owners.setdefault(normal_mac(interface.mac_address), set()).add(host.index)
    for host in facts.hosts:
        table = {interface.name for interface in host.host.interfaces}
        for named in interfaces_with_mac(host.host.network_config):
            others = owners.get(normal_mac(named.mac), set())
            # An interface of the table is compared with the table, and an address that is listed twice is reported
            # there.
            if named.interface not in table and others and host.index not in others:
                owner = facts.hosts[min(others)].label
                path = host.in_network_config(named.path)
                yield own(
                    "duplicate-mac",
                    path,
                    DUPLICATE,
                    f"is the MAC address of {owner}",
                    value=named.mac,
                    file=AGENT_CONFIG,
                )


def hostnames(facts: Facts) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for host in facts.hosts:
        name = host.host.hostname
        path = f"{host.path}.hostname"
        if not name:
            continue
        if error := _hostname_error(name):
            yield own("hostname-invalid", path, INVALID, error, value=name, file=AGENT_CONFIG)
        if name.lower() in seen:
            yield own(
                "duplicate-hostname",
                path,
                DUPLICATE,
                f"is the name of {seen[name.lower()]} as well",
                value=name,
                file=AGENT_CONFIG,
            )
        seen.setdefault(name.lower(), host.path)


def _hostname_error(name: str) -> str:
    if name.lower() in _LOCAL_NAMES:
        return "is a name of the machine itself"
    if len(name) > _LONGEST_HOSTNAME:
        return f"must be no more than {_LONGEST_HOSTNAME} characters"
    return (
        ""
        if _HOSTNAME.fullmatch(name)
        else ("must consist of lower case letters, digits, '-' and '.', with a letter or digit at both ends")
    )


def duplicate_bmc(facts: Facts) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for host in facts.hosts:
        address = host.host.bmc.address.rstrip("/") if host.host.bmc else ""
        if address in seen:
            yield own(
                "duplicate-bmc",
                f"{host.path}.bmc.address",
                DUPLICATE,
                f"is the BMC of {seen[address]} as well",
                value=address,
                file=AGENT_CONFIG,
            )
        if address:
            seen.setdefault(address, host.label)


def fencing_host(facts: Facts) -> Iterator[Problem]:
    """A credential that names a MAC address only is for the host with that address.

    Source: openshift/installer pkg/asset/agent/agentconfig/agenthosts.go.
    """
    if not facts.profile.fencing_by_mac:
        return
    known = {normal_mac(interface.mac_address) for host in facts.hosts for interface in host.host.interfaces}
    for index, credential in enumerate(
        (facts.cluster.control_plane.options.get("fencing") or {}).get("credentials") or []
    ):
        mac = credential.get("macAddress")
        if mac and not credential.get("hostName") and not mac_error(mac) and normal_mac(mac) not in known:
            path = f"controlPlane.fencing.credentials[{index}].macAddress"
            yield own(
                "fencing-host",
                path,
                INVALID,
                "is the address of no host that is described",
                value=mac,
                file=INSTALL_CONFIG,
            )
