# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Hosts: interfaces, root device hints, roles, names (reference agent-based-installer.md 3.6, 3.12)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...common.problems import DUPLICATE, FORBIDDEN, INVALID, REQUIRED, UNSUPPORTED, Problem
from .checks import AGENT_CONFIG, agent_config, own, supported
from .facts import Facts, HostFacts
from .names import subdomain_error

_ROLES = ("master", "worker", "arbiter")
_OCTETS = re.compile(r"(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1)*[0-9a-f]{2})|(?:[0-9a-f]{4}\.)+[0-9a-f]{4}", re.IGNORECASE)
_LOCAL_NAMES = ("localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6", "localhost6.localdomain6")
_LONGEST_HOSTNAME = 63


def mac_error(text: str) -> str:
    """Why a text is no unicast EUI-48 address; empty when it is one."""
    if not _OCTETS.fullmatch(text):
        return f"address {text}: invalid MAC address"
    digits = canonical_mac(text)
    if len(digits) != 12:
        return "invalid MAC address"
    return "expected unicast mac address, found multicast" if int(digits[:2], 16) & 1 else ""


def canonical_mac(text: str) -> str:
    """The bare digits, lower case."""
    return re.sub(r"[^0-9a-f]", "", text.lower())


def hosts(facts: Facts) -> Iterator[Problem]:
    """What the installer says about hosts, host by host."""
    seen: set[str] = set()
    for host in facts.hosts:
        yield from _interfaces(host, seen)
        yield from _root_device_hints(host)
        if host.host.role and host.host.role not in _ROLES:
            yield agent_config(f"{host.path}.role", UNSUPPORTED, supported(_ROLES), value=host.host.role)
    yield from _rendezvous_on_worker(facts)


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
            yield agent_config(f"{path}.deviceName", INVALID, "Device Name of root device hint must be a /dev/ path", value=device)
        if "/" in device.removeprefix("/dev/").removeprefix("disk/by-path/"):
            detail = "Device Name of root device hint must be path in /dev/ or /dev/disk/by-path/"
            yield agent_config(f"{path}.deviceName", INVALID, detail, value=device)
    if hints.get("wwnWithExtension"):
        yield agent_config(f"{path}.wwnWithExtension", FORBIDDEN, "WWN extensions are not supported in root device hints")
    if hints.get("wwnVendorExtension"):
        yield agent_config(f"{path}.wwnVendorExtension", FORBIDDEN, "WWN vendor extensions are not supported in root device hints")


def _rendezvous_on_worker(facts: Facts) -> Iterator[Problem]:
    given = facts.cluster.rendezvous_ip
    for host in facts.hosts:
        if given and host.host.role == "worker" and given in [address.text for address in host.addresses]:
            detail = f"Host {host.host.hostname} has role 'worker' and has the rendezvousIP assigned to it."
            yield agent_config(f"{host.path}.role", FORBIDDEN, f"{detail} The rendezvousIP must be assigned to a control plane host.")


# Our own checks


def duplicate_mac(facts: Facts) -> Iterator[Problem]:
    """The installer compares MACs as text; the same address in another notation is the same NIC."""
    seen: dict[str, str] = {}
    for host in facts.hosts:
        for index, interface in enumerate(host.host.interfaces):
            if not interface.mac_address or mac_error(interface.mac_address):
                continue
            first = seen.setdefault(canonical_mac(interface.mac_address), interface.mac_address)
            if first != interface.mac_address:
                path = f"{host.path}.interfaces[{index}].macAddress"
                yield own("duplicate-mac", path, DUPLICATE, f"is the same address as {first}", value=interface.mac_address, file=AGENT_CONFIG)


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
            yield own("duplicate-hostname", path, DUPLICATE, f"is the name of {seen[name.lower()]} as well", value=name, file=AGENT_CONFIG)
        seen.setdefault(name.lower(), host.path)


def _hostname_error(name: str) -> str:
    if name.lower() in _LOCAL_NAMES:
        return "is a name of the machine itself"
    if len(name) > _LONGEST_HOSTNAME:
        return f"must be no more than {_LONGEST_HOSTNAME} characters"
    return subdomain_error(name)


def duplicate_bmc(facts: Facts) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for host in facts.hosts:
        address = host.host.bmc.address.rstrip("/") if host.host.bmc else ""
        if address in seen:
            yield own("duplicate-bmc", f"{host.path}.bmc.address", DUPLICATE, f"is the BMC of {seen[address]} as well", value=address, file=AGENT_CONFIG)
        if address:
            seen.setdefault(address, host.label)
