# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""networkConfig → NetworkManager keyfiles, without nmstatectl.

The result equals in meaning what openshift-install puts into the image: ``nmstatectl gc`` of nmstate 2.2 (section and key names, one connection per
interface, resolver placement), rewritten with ``autoconnect=true`` and ``autoconnect-priority=1`` (reference agent-based-installer.md 5.2).
"""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from ..common.errors import InvalidInput
from ..common.problems import REQUIRED, Problem, errors
from .document import read_document
from .model import Bond, Family, IpStack, NetInterface, NetworkDocument, Route
from .relations import routes_of
from .resolver import Placement, place_resolver
from .section import Findings

_NM_TYPES = {"ethernet": "802-3-ethernet", "vlan": "vlan", "bond": "bond", "dummy": "dummy"}
# An interface that waits for an address forever is what nmstate makes of every connection.
_FOREVER = "2147483647"
_DEFAULT_METRIC = {"ipv4": 0, "ipv6": 1024}
_CLIENT_IDS = {"ll": "mac", "LL": "mac", "iaid+duid": "duid", "IAID+DUID": "duid"}
_DUIDS = {"LL": "ll", "LLT": "llt", "EN": "en", "UUID": "uuid"}
_MAY_FAIL = {"any": (True, True), "ipv4": (False, True), "ipv6": (True, False), "ipv4+ipv6": (False, False)}

Settings = dict[str, str]
Resolvers = Mapping[tuple[str, Family], Placement]


@dataclasses.dataclass(frozen=True)
class Keyfile:
    """A connection profile: file ``name`` (``eth0.nmconnection``) and its text."""

    name: str
    text: str


def render_keyfiles(network_config: Mapping[str, Any]) -> tuple[Keyfile, ...]:
    """The keyfiles of one host's networkConfig, sorted by name; the same input gives the same text.

    Raises :class:`InvalidInput` with every problem found; paths are relative to the networkConfig (``interfaces[0].ipv4``).
    """
    keyfiles, problems = _render(network_config)
    if errors(problems):
        raise InvalidInput(problems)
    return keyfiles


def check_network_config(network_config: Mapping[str, Any]) -> list[Problem]:
    """Everything :func:`render_keyfiles` has to say about a networkConfig, warnings included; nothing is raised."""
    return _render(network_config)[1]


def _render(network_config: Mapping[str, Any]) -> tuple[tuple[Keyfile, ...], list[Problem]]:
    findings = Findings()
    document = read_document(network_config, findings)
    resolvers = place_resolver(document, findings)
    if errors(findings.problems):
        return (), findings.problems
    present = [entry for entry in document.interfaces if entry.state != "absent"]
    keyfiles = [Keyfile(f"{entry.connection_id}.nmconnection", _keyfile_text(_sections(entry, document, resolvers))) for entry in present]
    if not keyfiles:
        findings.add("interfaces", REQUIRED, "no interface is to be up: there is nothing to configure")
    return tuple(sorted(keyfiles, key=lambda keyfile: keyfile.name)), findings.problems


def _keyfile_text(sections: Iterable[tuple[str, Settings]]) -> str:
    parts = ["\n".join([f"[{name}]", *(f"{key}={value}" for key, value in sorted(settings.items()) if value != "")]) + "\n" for name, settings in sections]
    return "\n".join(parts)


def _sections(entry: NetInterface, document: NetworkDocument, resolvers: Resolvers) -> Iterable[tuple[str, Settings]]:
    """The sections of an interface's keyfile."""
    yield "connection", _connection(entry)
    if entry.bond is not None:
        yield "bond", dict(entry.bond.options)
    if port := _bond_port(entry, document):
        yield "bond-port", port
    if not entry.controller:
        yield from _ip_sections(entry, document, resolvers)
    if wired := _wired(entry):
        yield "ethernet", wired
    if entry.vlan is not None:
        yield "vlan", _vlan(entry, document)
    if entry.description:
        yield "user", {"nmstate.interface.description": entry.description}


def _connection(entry: NetInterface) -> Settings:
    settings = {
        "autoconnect": "true",
        "autoconnect-priority": "1",
        "autoconnect-slaves": "1" if entry.type == "bond" else "-1",
        "id": entry.connection_id,
        "type": _NM_TYPES[entry.type],
        "uuid": _uuid(entry),
    }
    if not entry.by_mac:
        settings["interface-name"] = entry.name
    if entry.controller:
        settings |= {"master": entry.controller, "slave-type": "bond"}
    if entry.lldp is not None:
        settings["lldp"] = "1" if entry.lldp else "0"
    return settings


def _uuid(entry: NetInterface) -> str:
    """nmstate's own stable uuid, so that a connection keeps its identity whoever renders it."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{entry.type}://{entry.name}"))


def _bond_port(entry: NetInterface, document: NetworkDocument) -> Settings:
    bond = document.interface(entry.controller) if entry.controller else None
    ports = bond.bond.port_config if bond and bond.bond else ()
    port = next((port for port in ports if port.name == entry.name), None)
    if port is None or entry.by_mac or not (port.priority or port.queue_id):
        return {}
    settings = {"prio": str(port.priority)} if port.priority else {}
    if port.queue_id is not None:
        settings["queue-id"] = str(port.queue_id)
    return settings


def _ip_sections(entry: NetInterface, document: NetworkDocument, resolvers: Resolvers) -> Iterable[tuple[str, Settings]]:
    families: tuple[Family, ...] = ("ipv4", "ipv6")
    for family, may_fail in zip(families, _MAY_FAIL[entry.wait_ip] if entry.wait_ip else (None, None), strict=True):
        routes = [route for route in routes_of(document, entry.name) if route.family == family]
        settings = _stack(family, entry.stack(family), routes, resolvers.get((entry.name, family)))
        if may_fail is not None:
            settings["may-fail"] = _flag(may_fail)
        yield family, settings


def _stack(family: Family, stack: IpStack | None, routes: list[Route], placement: Placement | None) -> Settings:
    settings = {"dhcp-timeout": _FOREVER}
    if stack is None:
        return settings | {"method": "disabled"}
    if family == "ipv6":
        settings["addr-gen-mode"] = str(stack.addr_gen_mode)
    settings["method"] = _method(family, stack, routes)
    if stack.forwarding is not None:
        settings["forwarding"] = "1" if stack.forwarding else "0"
    settings |= {f"address{index}": address.text for index, address in enumerate(stack.addresses)}
    if stack.route_metric is not None:
        settings["route-metric"] = str(stack.route_metric)
    if stack.auto:
        settings |= _automatic(family, stack)
    for index, route in enumerate(sorted(routes, key=_route_order)):
        settings |= _route(index, route)
    if placement:
        settings |= _placement(placement)
    return settings


def _method(family: Family, stack: IpStack, routes: list[Route]) -> str:
    if not stack.enabled:
        return "disabled"
    if stack.auto:
        return "auto" if family == "ipv4" or stack.autoconf else "dhcp"
    if stack.addresses or routes:
        return "manual"
    return "disabled" if family == "ipv4" else "link-local"


def _automatic(family: Family, stack: IpStack) -> Settings:
    settings: Settings = {"dhcp-send-hostname": _flag(stack.send_hostname is not False)}
    if family == "ipv4":
        settings["dhcp-client-id"] = _CLIENT_IDS.get(stack.client_id or "ll", stack.client_id or "")
    else:
        settings |= {"dhcp-duid": _DUIDS.get(stack.duid or "ll", stack.duid or "ll"), "dhcp-iaid": "mac", "ra-timeout": _FOREVER}
        settings["token"] = stack.token or ""
    if stack.custom_hostname and stack.send_hostname is not False:
        settings["dhcp-fqdn" if family == "ipv4" and "." in stack.custom_hostname else "dhcp-hostname"] = stack.custom_hostname
    for name, on in (("ignore-auto-dns", stack.auto_dns), ("never-default", stack.auto_gateway), ("ignore-auto-routes", stack.auto_routes)):
        if on is not None:
            settings[name] = _flag(not on)
    if stack.auto_table_id is not None:
        settings["route-table"] = str(stack.auto_table_id)
    return settings


def _route_order(route: Route) -> tuple[str, str, int]:
    return route.destination, route.next_hop, route.table_id


def _route(index: int, route: Route) -> Settings:
    metric = _DEFAULT_METRIC[route.family] if route.metric is None else route.metric
    options = [("table", str(route.table_id)), *route.options]
    return {
        f"route{index}": f"{route.destination},{route.next_hop},{metric}",
        f"route{index}_options": ",".join(f"{key}={value}" for key, value in options),
    }


def _placement(placement: Placement) -> Settings:
    return {
        "dns": ";".join(placement.servers),
        "dns-search": ";".join(placement.searches),
        "dns-options": ";".join(placement.options),
        "dns-priority": str(placement.priority),
    }


def _wired(entry: NetInterface) -> Settings:
    settings: Settings = {}
    if entry.mac_address and not _mac_follows_port(entry.bond):
        settings["mac-address" if entry.by_mac else "cloned-mac-address"] = entry.mac_address
    if entry.mtu is not None:
        settings["mtu"] = str(entry.mtu)
    if entry.link is not None:
        settings["auto-negotiate"] = _flag(entry.link.auto_negotiate)
        if entry.link.speed is not None:
            settings["speed"] = str(entry.link.speed)
        settings["duplex"] = entry.link.duplex or ""
    if entry.accept_all_mac_addresses is not None:
        settings["accept-all-mac-addresses"] = "1" if entry.accept_all_mac_addresses else "0"
    return settings


def _mac_follows_port(bond: Bond | None) -> bool:
    """With fail_over_mac=active the kernel sets the bond's MAC; nmstate leaves a configured one out."""
    return bond is not None and bond.mac_follows_port


def _vlan(entry: NetInterface, document: NetworkDocument) -> Settings:
    if entry.vlan is None:
        return {}
    parent = document.interface(entry.vlan.base_iface)
    return {
        "id": str(entry.vlan.id),
        # A parent that is found by its MAC has no name in its keyfile, so its connection is named instead.
        "parent": _uuid(parent) if parent and parent.by_mac else entry.vlan.base_iface,
        "flags": str(entry.vlan.flags),
        "protocol": entry.vlan.protocol or "",
        "ingress-priority-map": ";".join(entry.vlan.ingress),
        "egress-priority-map": ";".join(entry.vlan.egress),
    }


def _flag(value: bool) -> str:
    return "true" if value else "false"
