# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the interfaces, root device hints, roles and names of hosts.

Source: openshift/installer pkg/asset/agent/agentconfig/agenthosts.go;
  docs/upstream/agent-installer.md#what-the-installer-does-not-check.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...common.problems import FORBIDDEN, INVALID, REQUIRED, UNSUPPORTED, Problem
from ..upstream.texts import mac_error
from .checks import agent_config, supported
from .facts import Facts, HostFacts

_ROLES = ("master", "worker", "arbiter")


def hosts(facts: Facts) -> Iterator[Problem]:
    """Problems that the installer reports about hosts, host by host."""
    seen: set[str] = set()
    for host in facts.hosts:
        yield from _interfaces(host, seen)
        yield from _root_device_hints(host)
        yield from _role(facts, host)
    yield from _rendezvous_on_worker(facts)


def _role(facts: Facts, host: HostFacts) -> Iterator[Problem]:
    role = host.host.role
    if facts.profile.arbiter:
        if role and role not in _ROLES:
            yield agent_config(f"{host.path}.role", UNSUPPORTED, supported(_ROLES), value=role)
    elif role and role not in ("master", "worker"):
        yield agent_config(
            f"{host.path}.Host", FORBIDDEN, ("host role has incorrect value. Role must either be 'master' or 'worker'")
        )


def _interfaces(host: HostFacts, seen: set[str]) -> Iterator[Problem]:
    if not host.host.interfaces:
        yield agent_config(f"{host.path}.interfaces", REQUIRED, "at least one interface must be defined for each node")
    for index, interface in enumerate(host.host.interfaces):
        path, mac = f"{host.path}.interfaces[{index}].macAddress", interface.mac_address
        if not mac:
            yield agent_config(path, REQUIRED, "each interface must have a MAC address defined")
            continue
        if error := mac_error(mac):
            yield agent_config(path, INVALID, error, value=mac)
        if mac in seen:
            yield agent_config(path, INVALID, "duplicate MAC address found", value=mac)
        seen.add(mac)


def _root_device_hints(host: HostFacts) -> Iterator[Problem]:
    hints, path = host.host.root_device_hints, f"{host.path}.rootDeviceHints"
    device = hints.get("deviceName")
    if isinstance(device, str) and device:
        if not device.startswith("/dev/"):
            yield agent_config(
                f"{path}.deviceName", INVALID, ("Device Name of root device hint must be a /dev/ path"), value=device
            )
        if "/" in device.removeprefix("/dev/").removeprefix("disk/by-path/"):
            detail = "Device Name of root device hint must be path in /dev/ or /dev/disk/by-path/"
            yield agent_config(f"{path}.deviceName", INVALID, detail, value=device)
    if hints.get("wwnWithExtension"):
        yield agent_config(
            f"{path}.wwnWithExtension", FORBIDDEN, ("WWN extensions are not supported in root device hints")
        )
    if hints.get("wwnVendorExtension"):
        yield agent_config(
            f"{path}.wwnVendorExtension", FORBIDDEN, ("WWN vendor extensions are not supported in root device hints")
        )


def _rendezvous_on_worker(facts: Facts) -> Iterator[Problem]:
    provided = facts.cluster.rendezvous_ip
    for host in facts.hosts:
        if provided and host.host.role == "worker" and provided in [address.text for address in host.addresses]:
            detail = f"Host {host.host.hostname} has role 'worker' and has the rendezvousIP assigned to it."
            where = "role" if facts.profile.arbiter else "Host"
            yield agent_config(
                f"{host.path}.{where}",
                FORBIDDEN,
                (f"{detail} The rendezvousIP must be assigned to a control plane host."),
            )
