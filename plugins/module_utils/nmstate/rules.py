# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read ``route-rules`` of an nmstate document, and choose the interface that holds each rule.

NetworkManager keeps rules per connection. nmstate assigns a rule to the first of these that exists: the rule's ``iif``;
an interface with routes into the rule's table; an interface whose automatic routes use that table; the first interface
with the address family enabled; ``lo``. If several interfaces have such routes, nmstate takes any of them; this code
takes the first by name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ..common.problems import DUPLICATE, INVALID, REQUIRED
from .loopback import LOOPBACK
from .model import Family, NetInterface, NetworkDocument, Rule
from .routes import MAIN_TABLE, canonical_network
from .section import Findings, Section

_FAMILIES = {"ipv4": "ipv4", "ipv6": "ipv6"}
_ACTIONS = {name: name for name in ("blackhole", "unreachable", "prohibit")}
_I64 = 0x7FFFFFFFFFFFFFFF
_FIRST_PRIORITY = 30000


def read_rules(section: Section) -> tuple[Rule, ...]:
    """``route-rules.config`` without entries that only remove something; priorities filled in."""
    rules = [rule for entry in section.sections("config") if (rule := _read_rule(entry))]
    section.finish()
    return tuple(_with_priorities(rules))


def _read_rule(section: Section) -> Rule | None:
    absent = section.choice("state", {"absent": "absent"}, plain=True) is not None
    provided = section.choice("family", _FAMILIES, plain=True)
    ends = {key: _network(section, key, absent=absent) for key in ("ip-from", "ip-to")}
    priority = section.integer("priority", -_I64 - 1, _I64, ours=(-1, 0xFFFFFFFF))
    table = section.integer("route-table")
    mark, mask = section.integer("fwmark"), section.integer("fwmask")
    action = section.choice("action", _ACTIONS, plain=True) or ""
    incoming = (section.text("iif") if absent else section.name("iif", required=False, layer="installer")) or ""
    suppress = section.integer(
        "suppress-prefix-length" if section.has("suppress-prefix-length") else "suppress_prefixlength", plain=True
    )
    section.value("suppress-prefix-length", "suppress_prefixlength")
    section.finish(known=("ip-from", "ip-to"))
    if absent:
        return None
    if suppress is not None and suppress > 0x7FFFFFFF:
        section.problem(
            "suppress-prefix-length", INVALID, "NetworkManager supports numbers up to 2147483647", value=suppress
        )
    if mask is not None and mark is None:
        section.problem("fwmask", INVALID, "needs fwmark", value=mask)
    family = _family(section, provided, ends)
    if family is None:
        return None
    return Rule(
        path=section.path,
        family=family,
        source=ends["ip-from"],
        destination=ends["ip-to"],
        priority=None if priority == -1 else priority,
        table_id=MAIN_TABLE if table is None and not action else table,
        fwmark=mark,
        fwmask=mask,
        action=action,
        incoming=incoming,
        suppress=suppress,
    )


def _network(section: Section, key: str, *, absent: bool) -> str:
    text = section.text(key)
    if not text:
        return ""
    network = canonical_network(text)
    if not network and not absent:
        section.problem(key, INVALID, "is not an IP network", value=text)
    return network


def _family(section: Section, provided: str | None, ends: dict[str, str]) -> Family | None:
    found = {key: _family_of(network) for key, network in ends.items() if network}
    if provided is None and not found:
        if not any(section.value(key) for key in ends):
            section.problem("", REQUIRED, "a rule needs ip-from, ip-to or family")
        return None
    family: Family = "ipv6" if provided == "ipv6" or (provided is None and "ipv6" in found.values()) else "ipv4"
    if provided is None:
        # nmstate takes the family of ip-from, else that of ip-to.
        family = found.get("ip-from") or found["ip-to"]
    for key, other in found.items():
        if other != family:
            section.problem(key, INVALID, f"is not of family {family.replace('ip', 'IP')}", value=ends[key])
    return family


def _family_of(network: str) -> Family:
    return "ipv6" if ":" in network else "ipv4"


def _with_priorities(rules: Sequence[Rule]) -> list[Rule]:
    """Rules without a priority are numbered from 30000, above the largest one that is given; one that matches another
    rule takes its priority.
    """
    distinct: list[Rule] = []
    for rule in rules:
        if not any(_matches(rule, other) for other in distinct):
            distinct.append(rule)
    last = max([_FIRST_PRIORITY - 1, *(rule.priority or 0 for rule in distinct)])
    numbered = []
    for rule in rules:
        if rule.priority is None:
            priority = next(
                (other.priority for other in distinct if other.priority is not None and _matches(rule, other)), None
            )
            if priority is None:
                last += 1
                priority = last
            rule = dataclasses.replace(rule, priority=priority)
        numbered.append(rule)
    return numbered


def _matches(rule: Rule, other: Rule) -> bool:
    """Whether all that ``rule`` says holds for ``other``; what it does not say is left open."""
    return (
        (not rule.source or rule.source == other.source)
        and (not rule.destination or rule.destination == other.destination)
        and rule.family == other.family
        and (
            rule.priority is None or rule.priority == other.priority or (rule.priority == 0 and other.priority is None)
        )
        and (not rule.table_id or rule.table_id == other.table_id)
        and (rule.fwmark is None or rule.fwmark == (other.fwmark or 0))
        and (rule.fwmask is None or rule.fwmask == (other.fwmask or 0))
        and (not rule.incoming or rule.incoming == other.incoming)
        and (not rule.action or rule.action == other.action)
        and (rule.suppress is None or rule.suppress == other.suppress)
    )


def relate_rules(document: NetworkDocument, findings: Findings) -> tuple[Rule, ...]:
    """The rules with the interface that holds each."""
    placed: list[Rule] = []
    for rule in document.rules:
        holder = _holder(rule, document)
        if holder is None:
            if rule.incoming not in document.unread and rule.incoming not in document.ignored:
                findings.add(f"{rule.path}.iif", INVALID, "there is no such interface", value=rule.incoming)
            elif rule.incoming in document.ignored:
                findings.add(
                    f"{rule.path}.iif",
                    INVALID,
                    "is to be ignored, and nmstate leaves the rule out",
                    value=rule.incoming,
                    layer="ours",
                )
            continue
        stack = holder.stack(rule.family)
        if stack is None or holder.state == "absent" or holder.userspace:
            if not document.unread:
                family = rule.family.replace("ip", "IP")
                detail = f"nmstate gives the rule to {holder.name}, which has no {rule.family}, so that it is lost"
                hint = f"set iif to an interface with {family}, or route-table to a table with routes"
                findings.add(rule.path, INVALID, detail, layer="ours", hint=hint)
            continue
        placed.append(dataclasses.replace(rule, interface=holder.name))
    return tuple(_distinct(placed, findings))


def _holder(rule: Rule, document: NetworkDocument) -> NetInterface | None:
    kernel = {entry.name: entry for entry in document.interfaces if not entry.userspace}
    if rule.incoming:
        return kernel.get(rule.incoming) or (LOOPBACK if rule.incoming == LOOPBACK.name else None)
    table = MAIN_TABLE if rule.table_id is None else rule.table_id
    routed = sorted({route.interface for route in document.routes})
    for name in (*routed, *sorted(name for name, entry in kernel.items() if entry.path != LOOPBACK.path)):
        if name in kernel and _leads_to(kernel[name], rule.family, table, document):
            return kernel[name]
    for entry in document.interfaces:
        stack = entry.stack(rule.family)
        if stack is not None and stack.enabled and entry.path != LOOPBACK.path:
            return entry
    return kernel.get(LOOPBACK.name, LOOPBACK)


def _leads_to(entry: NetInterface, family: Family, table: int, document: NetworkDocument) -> bool:
    """Whether routes of the interface are in the table.

    One without automatic routes into another table counts for the main table.
    """
    tables = [
        MAIN_TABLE if route.table_provided is None else route.table_provided
        for route in document.routes
        if route.interface == entry.name and route.family == family
    ]
    stack = entry.stack(family)
    automatic = stack.written_table_id if stack and stack.written_table_id is not None else MAIN_TABLE
    return table in [found or MAIN_TABLE for found in (*tables, automatic)] or table in (*tables, automatic)


def _distinct(rules: Sequence[Rule], findings: Findings) -> list[Rule]:
    """Rules that nmstate cannot tell apart: it keeps the first of them."""
    kept: dict[tuple[object, ...], Rule] = {}
    for rule in rules:
        table, suppress = rule.table_id or 0, rule.suppress or 0
        ends = (rule.interface, rule.family, rule.source, rule.destination)
        key = (*ends, rule.priority, table, rule.fwmark or 0, rule.fwmask or 0, rule.action, suppress)
        first = kept.setdefault(key, rule)
        if dataclasses.replace(first, path="") != dataclasses.replace(rule, path=""):
            findings.add(
                rule.path,
                DUPLICATE,
                f"nmstate cannot distinguish it from {first.path}, and keeps one of them",
                layer="ours",
            )
    return list(kept.values())
