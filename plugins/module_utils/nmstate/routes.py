# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""``routes`` of an nmstate document."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from ..common.problems import DUPLICATE, INVALID, REQUIRED, UNSUPPORTED
from .model import Route
from .section import Findings, Section

_MAIN_TABLE = 254
# nmstate's key -> NetworkManager's route option, in the order nmstate writes them.
_NUMBERS = {"weight": "weight", "cwnd": "cwnd", "initcwnd": "initcwnd", "initrwnd": "initrwnd", "mtu": "mtu", "advmss": "advmss"}
_FLAGS = {"lock-mtu": "lock-mtu", "quickack": "quickack"}


def read_routes(section: Section) -> tuple[Route, ...]:
    """``routes.config`` without entries that only remove something: there is nothing to remove on a fresh machine."""
    section.skip("running")
    routes = [route for entry in section.sections("config") if (route := _read_route(entry))]
    section.finish()
    return tuple(_distinct(routes, section.findings))


def _read_route(section: Section) -> Route | None:
    state = section.choice("state", {"absent": "absent", "ignore": "ignore"})
    if state is not None:
        return None
    destination = _destination(section)
    interface = section.text("next-hop-interface", required=not section.has("route-type"))
    table = section.integer("table-id") or _MAIN_TABLE
    metric = section.integer("metric", -1)
    next_hop = section.address("next-hop-address") or ""
    section.refuse(("vrf-name",))
    if section.text("route-type") is not None:
        section.problem("route-type", UNSUPPORTED, "only routes through an interface are rendered", layer="ours")
    options = _read_options(section, destination or "")
    section.finish(known=("destination", "next-hop-interface", "next-hop-address", "metric", "table-id"))
    if destination is None or interface is None:
        return None
    return Route(
        path=section.path,
        destination=destination,
        interface=interface,
        next_hop="" if next_hop in ("0.0.0.0", "::") else next_hop,
        metric=None if metric == -1 else metric,
        table_id=table,
        options=options,
    )


def _destination(section: Section) -> str | None:
    text = section.text("destination")
    if not text:
        if not section.has("destination") or text == "":
            # nmstate itself writes nothing for such a route and says nothing about it.
            section.problem("destination", REQUIRED, "a route needs a destination", layer="ours")
        return None
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        section.problem("destination", INVALID, "is not an IP network", value=text)
        return None
    if network.version == 4 and text.split("/")[0].startswith("0.") and network.prefixlen >= 8:
        section.problem("destination", INVALID, "a network in 0.0.0.0/8 cannot be a destination", value=text, hint="the default route is 0.0.0.0/0")
    return str(network)


def _read_options(section: Section, destination: str) -> tuple[tuple[str, str], ...]:
    options: list[tuple[str, str]] = []
    for key, name in _NUMBERS.items():
        number = section.integer(key, 1 if key in ("weight", "cwnd", "mtu", "advmss") else 0, 256 if key == "weight" else 0xFFFFFFFF)
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


def _distinct(routes: Iterable[Route], findings: Findings) -> list[Route]:
    """nmstate takes routes that differ in their metric only for one and keeps the first."""
    kept: dict[tuple[object, ...], Route] = {}
    for route in routes:
        set_options = tuple(option for option in route.options if option[1] != "false")
        key = (route.destination, route.interface, route.next_hop, route.table_id, set_options)
        first = kept.setdefault(key, route)
        if first.metric != route.metric:
            findings.add(route.path, DUPLICATE, f"differs from {first.path} in its metric only; nmstate keeps one of them", layer="ours")
    return list(kept.values())
