# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read an nmstate document, such as ``networkConfig`` of agent-config.yaml.

:func:`read_document` converts a whole document to dataclasses and reports every problem. The other functions look up
single facts, such as static addresses, in documents that may have errors. They skip values that they cannot read,
because :func:`read_document` reports these.
"""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..common.addresses import normal_mac
from ..common.problems import DUPLICATE, INVALID, REQUIRED, UNSUPPORTED
from .interfaces import read_interface
from .model import Family, NetInterface, NetworkDocument, Resolver
from .relations import relate
from .resolver import read_resolver
from .routes import read_routes
from .rules import read_rules
from .section import Findings, Section

_BRIDGE_MAPPINGS_KEY = "ovn-bridge-mappings"


@dataclasses.dataclass(frozen=True)
class StaticAddress:
    """An address of ``interfaces[].ipv4|ipv6.address[]``.

    ``ip`` is canonical, ``text`` as written, ``path`` relative to the document.
    """

    interface: str
    ip: str
    prefix_length: int
    path: str
    text: str
    family: Family

    @property
    def network(self) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        return ipaddress.ip_network(f"{self.ip}/{self.prefix_length}", strict=False)


@dataclasses.dataclass(frozen=True)
class NamedMac:
    """An interface with a ``mac-address``; ``mac`` in lower case, ``path`` relative to the document."""

    interface: str
    mac: str
    path: str


def read_document(network_config: Mapping[str, Any], findings: Findings) -> NetworkDocument:
    """The typed document, relations between interfaces resolved. What is wrong goes to ``findings``."""
    section = Section(network_config, "", findings)
    for key in ("capture", "desiredState", "desired"):
        if section.value(key) is not None:
            section.problem(
                key,
                UNSUPPORTED,
                (
                    "is a policy of nmpolicy: it needs the running machine's state; a host's networkConfig is the "
                    "desired state itself"
                ),
            )
    if isinstance(section.value("description"), (Mapping, list)):
        section.problem("description", INVALID, "must be text")
    interfaces = tuple(entry for part in section.sections("interfaces") if (entry := read_interface(part)))
    routes = read_routes(part) if (part := section.section("routes", scalars=True, nullable=False)) else ()
    rules = read_rules(part) if (part := section.section("route-rules", scalars=True, nullable=False)) else ()
    resolver = read_resolver(part) if (part := section.section("dns-resolver", scalars=True)) else Resolver()
    _read_hostname(section)
    _read_open_vswitch(section)
    _read_ovn(section, interfaces, findings)
    section.finish(known=("interfaces", "routes", "dns-resolver"))
    return relate(NetworkDocument(interfaces, routes, rules, resolver), findings)


def _read_hostname(section: Section) -> None:
    part = section.section("hostname", scalars=True)
    if part is None:
        return
    part.text("running")
    name = part.text("config")
    part.finish()
    if name is not None:
        section.ignored("hostname", "nmstate does not write it to keyfiles; the host's hostname is set apart")


def _read_open_vswitch(section: Section) -> None:
    """``ovs-db``: settings of Open vSwitch itself, which has no keyfile."""
    part = section.section("ovs-db", scalars=True)
    if part is None:
        return
    for key in ("external_ids", "other_config"):
        values = part.section(key)
        for name, value in (values.data if values else {}).items():
            if values and isinstance(value, (Mapping, list)):
                values.problem(str(name), INVALID, "must be text", value=str(value))
        if values and key == "external_ids" and _BRIDGE_MAPPINGS_KEY in values.data:
            values.problem(_BRIDGE_MAPPINGS_KEY, INVALID, "is a key of ovn.bridge-mappings")
    part.finish()
    section.unwritten("ovs-db")


def _read_ovn(section: Section, interfaces: Sequence[NetInterface], findings: Findings) -> None:
    """``ovn.bridge-mappings``: stored in Open vSwitch itself, which has no keyfile."""
    part = section.section("ovn", scalars=True, nullable=False)
    if part is None:
        return
    bridges = {
        entry.name for entry in interfaces if entry.type == "ovs-bridge" and entry.state not in ("absent", "ignore")
    }
    unread = {entry.name for entry in interfaces if entry.state == "unread" or findings.errors_below(entry.path)}
    seen: set[str] = set()
    for entry in part.sections("bridge-mappings"):
        localnet = entry.text("localnet", required=True, nullable=False)
        absent = entry.choice("state", {"absent": "absent", "present": "present"}, plain=True) == "absent"
        bridge = entry.text("bridge")
        entry.finish(layer="ours")
        if localnet in seen:
            entry.problem("localnet", DUPLICATE, "is in another mapping already", value=localnet)
        seen.add(localnet or "")
        if bridge is None and not absent:
            entry.problem("bridge", REQUIRED, "a mapping needs a bridge")
        elif bridge not in bridges and not absent and bridge not in unread:
            entry.problem("bridge", INVALID, "there is no Open vSwitch bridge of this name", value=bridge)
    part.finish()
    section.unwritten("ovn")


def static_addresses(network_config: Mapping[str, Any]) -> list[StaticAddress]:
    """Every well-formed static address, interfaces in order, IPv4 before IPv6 inside one.

    Source of the order: openshift/installer pkg/asset/agent/image/ignition.go.
    """
    found: list[StaticAddress] = []
    for path, entry in _interfaces(network_config):
        families: tuple[Family, ...] = ("ipv4", "ipv6")
        for family in families:
            stack = entry.get(family)
            addresses = stack.get("address") if isinstance(stack, Mapping) else None
            for index, address in enumerate(_mappings(addresses)):
                static = _static_address(
                    str(entry.get("name", "")), address, f"{path}.{family}.address[{index}]", family
                )
                found += [static] if static else []
    return found


def only_static_addresses(network_config: Mapping[str, Any]) -> list[str]:
    """All addresses that the host will have, without prefix length; empty where some come by DHCP or router
    advertisement, or none is configured.
    """
    stacks = [
        stack
        for _path, entry in _interfaces(network_config)
        for stack in (entry.get("ipv4"), entry.get("ipv6"))
        if isinstance(stack, Mapping)
    ]
    if any(stack.get("enabled") is not False and (stack.get("dhcp") or stack.get("autoconf")) for stack in stacks):
        return []
    return list(dict.fromkeys(address.ip for address in static_addresses(network_config)))


def _static_address(interface: str, entry: Mapping[str, Any], path: str, family: Family) -> StaticAddress | None:
    text = entry.get("ip")
    try:
        ip = ipaddress.ip_address(text) if isinstance(text, str) else None
        length = int(entry.get("prefix-length", -1))
    except (ValueError, TypeError, OverflowError):
        return None
    if ip is None or not 0 <= length <= ip.max_prefixlen:
        return None
    return StaticAddress(interface, str(ip), length, path, str(text), family)


def interfaces_with_mac(network_config: Mapping[str, Any]) -> list[NamedMac]:
    """Interfaces that have both ``name`` and ``mac-address``, in order.

    Source: openshift/installer pkg/asset/agent/agentconfig/agenthosts.go, step 2.
    """
    return [
        NamedMac(entry["name"], normal_mac(entry["mac-address"]), f"{path}.mac-address")
        for path, entry in _interfaces(network_config)
        if isinstance(entry.get("name"), str) and isinstance(entry.get("mac-address"), str)
    ]


def _interfaces(network_config: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for index, entry in enumerate(_mappings(network_config.get("interfaces"))):
        yield f"interfaces[{index}]", entry


def _mappings(value: object) -> list[Mapping[str, Any]]:
    """The entries of a list, with an empty mapping in place of anything that is none, so that positions stay right."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [entry if isinstance(entry, Mapping) else {} for entry in value]
