# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the interfaces that networkConfig names: they must exist and be the intended NICs.

The checks read networkConfig as the user wrote it, so they also cover interface types that this collection does not
render.

Source: docs/upstream/agent-installer.md#faults-that-users-meet.

Source: docs/upstream/agent-installer.md#what-the-installer-does-not-check.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....common.addresses import normal_mac
from ....common.problems import INVALID, Problem
from ....nmstate.document import interfaces_with_mac
from ...upstream.texts import mac_error
from ..checks import AGENT_CONFIG, own
from ..facts import Facts, HostFacts

# Interface types of a NIC, and types that the machine creates itself.
NIC_TYPES = ("ethernet", "infiniband", "unknown", "")
_MADE_TYPES = (
    "bond",
    "vlan",
    "linux-bridge",
    "ovs-bridge",
    "ovs-interface",
    "dummy",
    "vrf",
    "veth",
    "vxlan",
    "mac-vlan",
    "mac-vtap",
    "macsec",
    "loopback",
    "team",
)
# Where a type of interface names the one that it is built on.
_BASES = (
    ("vlan", "base-iface"),
    ("mac-vlan", "base-iface"),
    ("mac-vtap", "base-iface"),
    ("vxlan", "base-iface"),
    ("infiniband", "base-iface"),
)


def ports_missing(facts: Facts) -> Iterator[Problem]:
    """Ports of bonds, bridges and VRFs. nmstate makes up an interface for a port that it does not know; on the machine
    there would be none of that name.
    """
    for host in facts.hosts:
        known = _known_names(host)
        for path, entry in _entries(host):
            for check, where, port in _ports(entry):
                if port not in known:
                    place = host.in_network_config(f"{path}.{where}")
                    yield own(
                        check,
                        place,
                        INVALID,
                        f"{host.label} has no interface of this name",
                        value=port,
                        file=AGENT_CONFIG,
                    )


def base_interface_missing(facts: Facts) -> Iterator[Problem]:
    for host in facts.hosts:
        known = _known_names(host)
        for path, entry in _entries(host):
            for section, key in _BASES:
                base = _mapping(entry.get(section)).get(key)
                if isinstance(base, str) and base and base not in known:
                    place = host.in_network_config(f"{path}.{section}.{key}")
                    detail = f"neither networkConfig nor the interface table of {host.label} has this interface"
                    yield own("base-interface-missing", place, INVALID, detail, value=base, file=AGENT_CONFIG)


def interface_table(facts: Facts) -> Iterator[Problem]:
    """On the machine every name of the table becomes that of the NIC with its MAC address, in all keyfiles: a bond
    would be called like its own port.
    """
    for host in facts.hosts:
        types = {
            entry["name"]: entry.get("type") for _path, entry in _entries(host) if isinstance(entry.get("name"), str)
        }
        for index, interface in enumerate(host.host.interfaces):
            made = types.get(interface.name)
            if made in _MADE_TYPES:
                detail = f"networkConfig says that this is a {made}; the table is for NICs"
                yield own(
                    "interface-table",
                    f"{host.path}.interfaces[{index}].name",
                    INVALID,
                    detail,
                    value=interface.name,
                    file=AGENT_CONFIG,
                )


def interface_mac_mismatch(facts: Facts) -> Iterator[Problem]:
    counted: dict[str, int] = {}
    for host in facts.hosts:
        for interface in host.host.interfaces:
            counted[normal_mac(interface.mac_address)] = counted.get(normal_mac(interface.mac_address), 0) + 1
    for host in facts.hosts:
        # A MAC that is wrong in itself is reported where interfaces are checked.
        table = {
            interface.name: interface.mac_address
            for interface in host.host.interfaces
            if not mac_error(interface.mac_address) and counted[normal_mac(interface.mac_address)] == 1
        }
        for named in interfaces_with_mac(host.host.network_config):
            listed = table.get(named.interface)
            if listed and normal_mac(listed) != normal_mac(named.mac):
                path = host.in_network_config(named.path)
                yield own(
                    "interface-mac-mismatch",
                    path,
                    INVALID,
                    (f"the interface table says {listed} for {named.interface}"),
                    value=named.mac,
                    file=AGENT_CONFIG,
                )


def _entries(host: HostFacts) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Interfaces that are to be up, as they are written."""
    for index, entry in enumerate(_list(host.host.network_config.get("interfaces"))):
        if isinstance(entry, Mapping) and entry.get("state", "up") == "up":
            yield f"interfaces[{index}]", entry


def _ports(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(check, path, name) of everything that an interface takes for a port."""
    bond = _mapping(entry.get("link-aggregation"))
    for port in _list(bond.get("port")) or _list(bond.get("slaves")):
        if isinstance(port, str):
            yield "bond-port-missing", "link-aggregation.port", port
    for index, port in enumerate(_list(_mapping(entry.get("bridge")).get("port"))):
        name = _mapping(port).get("name")
        # A bond inside an Open vSwitch bridge is made by the port that names it.
        if isinstance(name, str) and "link-aggregation" not in port:
            yield "port-missing", f"bridge.port[{index}].name", name
    for index, port in enumerate(_list(_mapping(entry.get("vrf")).get("port"))):
        if isinstance(port, str):
            yield "port-missing", f"vrf.port[{index}]", port


def _known_names(host: HostFacts) -> set[str]:
    entries = [entry for entry in _list(host.host.network_config.get("interfaces")) if isinstance(entry, Mapping)]
    names = {str(entry[key]) for entry in entries for key in ("name", "profile-name") if entry.get(key)}
    return names | {interface.name for interface in host.host.interfaces}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()
