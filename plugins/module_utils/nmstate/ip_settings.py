# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the sections ``[ipv4]`` and ``[ipv6]`` of a NetworkManager keyfile: addresses, routes, rules, DNS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .model import FAMILIES, Family, Group, IpStack, NetInterface, NetworkDocument, Route, Rule
from .resolver import Placement
from .routes import MAIN_TABLE

# An interface that waits for an address forever is what nmstate makes of every connection.
_FOREVER = "2147483647"
_DEFAULT_METRIC = {"ipv4": 0, "ipv6": 1024}
_CLIENT_IDS = {"ll": "mac", "LL": "mac", "iaid+duid": "duid", "IAID+DUID": "duid"}
_DUIDS = {"LL": "ll", "LLT": "llt", "EN": "en", "UUID": "uuid"}
_MAY_FAIL = {"any": (True, True), "ipv4": (False, True), "ipv6": (True, False), "ipv4+ipv6": (False, False)}

Settings = dict[str, str]
Resolvers = Mapping[tuple[str, Family], Placement]


def ip_groups(entry: NetInterface, document: NetworkDocument, resolvers: Resolvers) -> Iterator[Group]:
    if entry.userspace:
        # An interface of the same name holds what belongs to the name.
        document, resolvers = NetworkDocument(), {}
    for family, may_fail in zip(FAMILIES, _MAY_FAIL[entry.wait_ip] if entry.wait_ip else (None, None), strict=True):
        routes = [route for route in document.routes if route.interface == entry.name and route.family == family]
        rules = [rule for rule in document.rules if rule.interface == entry.name and rule.family == family]
        settings = _stack(entry, family, routes)
        settings |= {f"routing-rule{index}": _rule(rule) for index, rule in enumerate(rules)}
        if placement := resolvers.get((entry.name, family)):
            settings |= _placement(placement)
        if may_fail is not None:
            settings["may-fail"] = _flag(may_fail)
        yield Group.of(family, settings)


def _stack(entry: NetInterface, family: Family, routes: Sequence[Route]) -> Settings:
    stack = entry.stack(family)
    settings = {"dhcp-timeout": _FOREVER}
    if stack is None:
        return settings | {"method": "disabled"}
    if family == "ipv6":
        settings["addr-gen-mode"] = str(stack.addr_gen_mode)
    settings["method"] = _method(family, stack, routes, loopback=entry.type == "loopback")
    if stack.forwarding is not None:
        settings["forwarding"] = "1" if stack.forwarding else "0"
    settings |= {f"address{index}": address.text for index, address in enumerate(stack.addresses)}
    if stack.route_metric is not None:
        settings["route-metric"] = str(stack.route_metric)
    if stack.auto:
        settings |= _automatic(family, stack)
    for index, route in enumerate(sorted(routes, key=_route_order)):
        settings |= _route(index, route)
    return settings


def _method(family: Family, stack: IpStack, routes: Sequence[Route], *, loopback: bool) -> str:
    if not stack.enabled:
        return "auto" if loopback and family == "ipv6" else "disabled"
    if stack.auto:
        return "auto" if family == "ipv4" or stack.autoconf else "dhcp"
    if stack.addresses or routes:
        return "manual"
    return "disabled" if family == "ipv4" else "link-local"


def _automatic(family: Family, stack: IpStack) -> Settings:
    settings: Settings = {"dhcp-send-hostname": _flag(stack.send_hostname is not False)}
    if family == "ipv4":
        client = "ll" if stack.client_id is None else stack.client_id
        settings["dhcp-client-id"] = _CLIENT_IDS.get(client, client)
    else:
        duid = "ll" if stack.duid is None else stack.duid
        settings |= {"dhcp-duid": _DUIDS.get(duid, duid), "dhcp-iaid": "mac", "ra-timeout": _FOREVER}
        settings["token"] = stack.token or ""
    if stack.custom_hostname and stack.send_hostname is not False:
        settings["dhcp-fqdn" if family == "ipv4" and "." in stack.custom_hostname else "dhcp-hostname"] = (
            stack.custom_hostname
        )
    for name, on in (
        ("ignore-auto-dns", stack.auto_dns),
        ("never-default", stack.auto_gateway),
        ("ignore-auto-routes", stack.auto_routes),
    ):
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


def _rule(rule: Rule) -> str:
    words = [f"priority {rule.priority}"]
    words += [f"to {rule.destination}"] if rule.destination else []
    everything = "0.0.0.0/0" if rule.family == "ipv4" else "::/0"
    source = rule.source or everything
    words += [f"from {source}"] if rule.source or not rule.destination else []
    words += [f"iif {rule.incoming}"] if rule.incoming else []
    words += [] if rule.suppress is None else [f"suppress_prefixlength {rule.suppress}"]
    words += [f"type {rule.action}"] if rule.action else []
    table_id = rule.table_id or MAIN_TABLE
    words.append(f"table {table_id}")
    if rule.fwmark is not None:
        words.append(f"fwmark {rule.fwmark}" + ("" if rule.fwmask is None else f"/{rule.fwmask}"))
    return " ".join(words)


def _placement(placement: Placement) -> Settings:
    return {
        "dns": ";".join(placement.servers),
        "dns-search": ";".join(placement.searches),
        "dns-options": ";".join(placement.options),
        "dns-priority": str(placement.priority),
    }


def _flag(value: bool) -> str:
    return "true" if value else "false"
