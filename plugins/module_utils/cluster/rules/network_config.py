# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the networkConfig of each host.

The rules report settings that nmstate rejects, and settings that will not work on the machine.

Source: openshift/installer pkg/asset/agent/manifests/nmstateconfig.go;
  docs/upstream/agent-installer.md#what-the-installer-does-not-check.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ...common.problems import INVALID, Problem
from ..upstream.texts import NMSTATE_MAC, mac_error, quoted
from .checks import AGENT_CONFIG, agent_config, own
from .facts import Facts, HostFacts


def network_configs(facts: Facts) -> Iterator[Problem]:
    """Problems that the installer and nmstate report about each networkConfig."""
    for host in facts.hosts:
        if host.host.network_config:
            yield from _interface_table(host)
            if facts.profile.interface_name_warning:
                yield from _names_not_found(host)
        for problem in host.network_problems:
            check = "network-config-ignored" if problem.severity == "warning" else ""
            path = host.in_network_config(problem.path).rstrip(".")
            yield dataclasses.replace(problem, path=path, file=AGENT_CONFIG, check=check)


def _interface_table(host: HostFacts) -> Iterator[Problem]:
    for index, interface in enumerate(host.host.interfaces):
        mac = interface.mac_address
        if mac and not mac_error(mac) and not NMSTATE_MAC.fullmatch(mac):
            detail = f"MAC address {mac} is incorrectly formatted, use XX:XX:XX:XX:XX:XX format"
            yield agent_config(f"{host.path}.interfaces[{index}].macAddress", INVALID, detail, value=mac)
    names = [interface.name for interface in host.host.interfaces]
    macs = [interface.mac_address for interface in host.host.interfaces]
    if len(names) != len(set(names)) or len(macs) != len(set(macs)):
        detail = f"MACs and Interfaces for host {host.index} must be unique"
        yield agent_config(f"{host.path}.interfaces", INVALID, detail)


def _names_not_found(host: HostFacts) -> Iterator[Problem]:
    """Names of the interface table that networkConfig does not have: the NIC keeps the name that its kernel gives
    it.
    """
    known = [name for name in host.interface_types if name]
    for index, interface in enumerate(host.host.interfaces):
        if known and interface.name and interface.name not in known:
            detail = (
                f"interface name {quoted(interface.name)} not found in networkConfig interfaces [{' '.join(known)}]"
            )
            path = f"{host.path}.interfaces[{index}].name"
            yield own(
                "interface-name",
                path,
                INVALID,
                (f"{detail}; connectivity may fail if interface names do not match at boot time"),
                file=AGENT_CONFIG,
            )
