# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read ``routes`` of an nmstate document, and find the interface of each route."""

from __future__ import annotations

import dataclasses
import ipaddress
import re
from collections.abc import Iterable

from ..common.problems import DUPLICATE, INVALID, REQUIRED
from .loopback import LOOPBACK
from .model import NetInterface, NetworkDocument, Route
from .names import InterfaceNames
from .section import Findings, Section, canonical_ip

MAIN_TABLE = 254
# nmstate's key -> NetworkManager's route option, in the order nmstate writes them.
_NUMBERS = {
    "weight": "weight",
    "cwnd": "cwnd",
    "initcwnd": "initcwnd",
    "initrwnd": "initrwnd",
    "mtu": "mtu",
    "advmss": "advmss",
}
_FLAGS = {"lock-mtu": "lock-mtu", "quickack": "quickack"}
_TEXTS = ("destination", "next-hop-interface", "next-hop-address", "vrf-name", "source")
_ABOVE_ZERO = ("weight", "cwnd", "mtu", "advmss")
_KINDS = {name: name for name in ("blackhole", "unreachable", "prohibit")}
_I64 = 0x7FFFFFFFFFFFFFFF
_NETWORK = re.compile(r"[^/]+(/[0-9]+)?")


def read_routes(section: Section) -> tuple[Route, ...]:
    """``routes.config`` without entries that only remove something: there is nothing to remove on a fresh machine."""
    section.skip("running")
    routes = [route for entry in section.sections("config") if (route := _read_route(entry))]
    section.finish()
    return tuple(routes)


def _read_route(section: Section) -> Route | None:
    state = section.choice("state", {"absent": "absent", "ignore": "ignore"}, plain=True)
    kind = section.choice("route-type", _KINDS, plain=True) or ""
    if state == "ignore":
        _read_form(section)
        return None
    destination = _destination(section, kind, absent=state == "absent")
    interface = section.text("next-hop-interface", required=not kind and state is None)
    if interface == "" and state is None and not kind:
        section.problem("next-hop-interface", INVALID, "is empty")
    table = section.integer("table-id")
    metric = section.integer("metric", -_I64 - 1, _I64, ours=(-1, 0xFFFFFFFF))
    next_hop = section.address("next-hop-address") or ""
    vrf = section.name("vrf-name", required=False, layer="installer") or ""
    options = _read_options(section, destination or "")
    section.finish(known=("destination", "next-hop-interface", "next-hop-address", "metric", "table-id", "route-type"))
    if kind and state is None:
        if interface not in (None, LOOPBACK.name):
            section.problem("next-hop-interface", INVALID, f"a {kind} route leads nowhere", value=interface)
        if section.value("next-hop-address") is not None:
            section.problem("next-hop-address", INVALID, f"a {kind} route leads nowhere", value=next_hop)
    if state == "absent" or destination is None or not (interface or kind):
        return None
    return Route(
        path=section.path,
        destination=destination,
        interface=LOOPBACK.name if kind else interface or "",
        next_hop="" if next_hop in ("0.0.0.0", "::") else next_hop,
        metric=None if metric == -1 else metric,
        table_id=table or MAIN_TABLE,
        options=(*((("type", kind),) if kind else ()), *options),
        kind=kind,
        vrf=vrf,
        table_provided=table,
        next_hop_provided=next_hop,
    )


def _read_form(section: Section) -> None:
    """An entry to be left alone: only its form counts."""
    for key in _TEXTS:
        section.text(key)
    for key in ("table-id", *_NUMBERS):
        section.integer(key, 0, 0xFFFF if key == "weight" else 0xFFFFFFFF)
    section.integer("metric", -_I64 - 1, _I64)
    for key in _FLAGS:
        section.flag(key)
    section.finish()


def canonical_network(text: str) -> str:
    """A network in nmstate's spelling, without host bits, length always written; empty where it is none."""
    address, slash, length = text.partition("/")
    ip = canonical_ip(address)
    if not ip or not _NETWORK.fullmatch(text):
        return ""
    try:
        network = ipaddress.ip_network(f"{ip}{slash}{length}", strict=False)
    except ValueError:
        return ""
    return f"{canonical_ip(str(network.network_address))}/{network.prefixlen}"


def _destination(section: Section, kind: str, *, absent: bool) -> str | None:
    text = section.text("destination")
    if text is None:
        if not absent and section.value("destination") is None:
            # nmstate itself writes nothing for such a route and says nothing about it.
            section.problem("destination", REQUIRED, "a route needs a destination", layer="ours")
        return None
    network = canonical_network(text)
    if not network:
        section.problem("destination", INVALID, "is not an IP network", value=text)
        return None
    length = int(network.rpartition("/")[2])
    if text.startswith("0.") and length >= 8 and not kind and not absent:
        section.problem(
            "destination",
            INVALID,
            "a network in 0.0.0.0/8 cannot be a destination",
            value=text,
            hint="the default route is 0.0.0.0/0",
        )
    return network


def _read_options(section: Section, destination: str) -> tuple[tuple[str, str], ...]:
    options: list[tuple[str, str]] = []
    for key, name in _NUMBERS.items():
        number = section.integer(key, 1 if key in _ABOVE_ZERO else 0, 256 if key == "weight" else 0xFFFFFFFF)
        if number is not None:
            options.append((name, str(number)))
            if key == "cwnd":
                options.append(("lock-cwnd", "true"))
            if key == "weight" and ":" in destination:
                section.problem("weight", INVALID, "is not possible for IPv6", value=number)
    if source := section.address("source"):
        options.append(("src", source))
    for key, name in _FLAGS.items():
        flag = section.flag(key)
        if flag is not None:
            options.append((name, "true" if flag else "false"))
    return tuple(options)


def relate_routes(document: NetworkDocument, names: InterfaceNames, findings: Findings) -> tuple[Route, ...]:
    """The routes with their interface's own name and their VRF's table."""
    related = [route for provided in document.routes if (route := _with_interface(provided, document, names, findings))]
    return tuple(_distinct((_with_table(route, document, findings) for route in related), findings))


def _with_interface(route: Route, document: NetworkDocument, names: InterfaceNames, findings: Findings) -> Route | None:
    where = f"{route.path}.next-hop-interface"
    if route.interface in document.unread:
        return None
    found = names.find(route.interface)
    if len(found) > 1:
        findings.add(where, INVALID, "several interfaces have this profile name", value=route.interface)
        return None
    entry = _kernel(document, found[0]) if found else None
    stack = entry.stack(route.family) if entry else None
    if entry is None or entry.state == "absent":
        detail = (
            "lo is to be absent, and the route would be lost with it"
            if route.kind
            else "there is no such interface that is up"
        )
        findings.add(where, INVALID, detail, value=route.interface, layer="ours" if route.kind else "installer")
    elif stack is None or not stack.enabled:
        findings.add(
            where,
            INVALID,
            f"{route.family.replace('ip', 'IP')} is not enabled on that interface",
            value=route.interface,
        )
    else:
        return dataclasses.replace(route, interface=entry.name)
    return None


def _kernel(document: NetworkDocument, name: str) -> NetInterface | None:
    return document.kernel(name) or (LOOPBACK if name == LOOPBACK.name else None)


def _with_table(route: Route, document: NetworkDocument, findings: Findings) -> Route:
    if not route.vrf:
        return route
    where = f"{route.path}.vrf-name"
    vrf = document.kernel(route.vrf)
    if route.vrf in document.unread:
        return route
    if vrf is None or vrf.type != "vrf" or vrf.state != "up":
        findings.add(where, INVALID, "there is no such VRF that is up", value=route.vrf)
        return route
    table = int(
        next(value for group in vrf.groups if group.name == "vrf" for key, value in group.settings if key == "table")
    )
    if route.table_provided is not None and route.table_provided != table:
        findings.add(
            f"{route.path}.table-id", INVALID, f"VRF {route.vrf} has table {table}", value=route.table_provided
        )
    return dataclasses.replace(route, table_id=table, table_provided=table)


def _distinct(routes: Iterable[Route], findings: Findings) -> list[Route]:
    """nmstate takes routes that differ in their metric only for one and keeps the first."""
    kept: dict[tuple[object, ...], Route] = {}
    for route in routes:
        set_options = frozenset(option for option in route.options if option[1] not in ("false", "0"))
        key = (
            route.destination,
            route.interface,
            route.next_hop_provided,
            MAIN_TABLE if route.table_provided is None else route.table_provided,
            route.vrf,
            set_options,
        )
        first = kept.setdefault(key, route)
        if first.metric != route.metric:
            findings.add(
                route.path,
                DUPLICATE,
                (f"differs from {first.path} in its metric only; nmstate keeps one of them"),
                layer="ours",
            )
    return list(kept.values())
