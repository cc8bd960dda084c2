# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read ``dns-resolver`` of an nmstate document, and choose the interface that holds it.

NetworkManager keeps name servers per connection, so nmstate picks an interface for each address family: first one with
static addresses (or with ``auto-dns: false``), then any with the family enabled, in the order of the document.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence

from ..common.problems import INVALID, UNSUPPORTED
from .model import Family, NetInterface, NetworkDocument, Resolver
from .section import Findings, Layer, Section, canonical_ip

_PLAIN_OPTIONS = (
    "debug edns0 inet6 ip6-bytestring ip6-dotint no-aaaa no-check-names no-ip6-dotint no-reload no-tld-query rotate "
    "single-request "
    "single-request-reopen trust-ad use-vc"
).split()
_VALUE_OPTIONS = ("ndots", "timeout", "attempts")
_PRIORITY = 40  # of the family that the first server belongs to; the other family comes 10 later
_SERVERS = "dns-resolver.config.server"


@dataclasses.dataclass(frozen=True)
class Placement:
    """What one family of one interface holds."""

    servers: tuple[str, ...]
    searches: tuple[str, ...]
    options: tuple[str, ...]
    priority: int


def read_resolver(section: Section) -> Resolver:
    """``dns-resolver``: its ``config``; ``running`` is a report."""
    section.skip("running")
    config = section.section("config")
    section.finish(known=("config",))
    if config is None:
        return Resolver()
    servers = [
        server
        for index, text in enumerate(config.texts("server", nulls=False) or ())
        if (server := _server(config, index, text))
    ]
    searches, options = config.texts("search") or (), config.texts("options", nulls=False) or ()
    for index, option in enumerate(options):
        name, colon, _value = option.partition(":")
        if name not in (_VALUE_OPTIONS if colon else _PLAIN_OPTIONS):
            config.problem(f"options[{index}]", UNSUPPORTED, "is not an option of the resolver", value=option)
    config.finish()
    families = [":" in server for server in servers]
    if sum(a != b for a, b in itertools.pairwise(families)) > 1:
        config.problem(
            "server", INVALID, "servers of one address family must be listed together", value=", ".join(servers)
        )
    return Resolver(tuple(servers), searches, options)


def _server(config: Section, index: int, text: str) -> str:
    address, percent, interface = text.partition("%")
    canonical = canonical_ip(address)
    if not canonical or (percent and (not interface or "%" in interface or ":" not in canonical)):
        # nmstate leaves such a server out without a word where it looks like IPv6 with an interface.
        layer: Layer = "ours" if ":" in text and text.count("%") == 1 and not canonical else "installer"
        config.problem(f"server[{index}]", INVALID, "is not an IP address", value=text, layer=layer)
        return ""
    return f"{canonical}%{interface}" if percent else canonical


def place_resolver(document: NetworkDocument, findings: Findings) -> Mapping[tuple[str, Family], Placement]:
    """(interface name, family) → what it holds; a server that no interface can hold is a problem."""
    resolver = document.resolver
    present = [
        entry
        for entry in document.interfaces
        if entry.state != "absent" and entry.type != "loopback" and entry.can_have_ip
    ]
    if not resolver.servers:
        return _place_searches(resolver, document, present, findings) if resolver.searches or resolver.options else {}
    first = _family(resolver.servers[0])
    placed: dict[tuple[str, Family], Placement] = {}
    for family in ("ipv6", "ipv4"):
        servers = tuple(server for server in resolver.servers if _family(server) == family)
        if not servers:
            continue
        holder = _link_local_holder(servers, document, findings) or _holder(present, family)
        if holder is None and document.unread:
            continue
        if holder is None:
            findings.add(
                _SERVERS,
                INVALID,
                f"no interface with {family.replace('ip', 'IP')} enabled can hold it",
                value=", ".join(servers),
            )
            continue
        bare = tuple(server.split("%")[0] for server in servers)
        if family == first:
            placed[holder, family] = Placement(bare, resolver.searches, resolver.options, _PRIORITY)
        else:
            placed[holder, family] = Placement(bare, (), (), _PRIORITY + 10)
    return placed


def _place_searches(
    resolver: Resolver, document: NetworkDocument, present: Sequence[NetInterface], findings: Findings
) -> Mapping[tuple[str, Family], Placement]:
    """Search domains without servers go to an interface with automatic addresses, else to any with addresses."""
    wanted: tuple[Callable[[NetInterface, Family], bool], ...] = (_is_automatic, _can_hold)
    for test in wanted:
        for entry in present:
            for family in ("ipv6", "ipv4"):
                if test(entry, family):
                    return {(entry.name, family): Placement((), resolver.searches, resolver.options, _PRIORITY)}
    if not document.unread:
        findings.add(
            "dns-resolver.config.search",
            INVALID,
            "no interface with IP enabled can hold it",
            value=", ".join(resolver.searches),
        )
    return {}


def _holder(present: Sequence[NetInterface], family: Family) -> str | None:
    preferred = next((entry.name for entry in present if _is_preferred(entry, family)), None)
    return preferred or next((entry.name for entry in present if _can_hold(entry, family)), None)


def _is_preferred(entry: NetInterface, family: Family) -> bool:
    stack = entry.stack(family)
    return stack is not None and (stack.static or (stack.auto and stack.auto_dns is False))


def _can_hold(entry: NetInterface, family: Family) -> bool:
    stack = entry.stack(family)
    return entry.state == "up" and stack is not None and stack.usable


def _is_automatic(entry: NetInterface, family: Family) -> bool:
    stack = entry.stack(family)
    return entry.state == "up" and stack is not None and stack.auto


def _link_local_holder(servers: Sequence[str], document: NetworkDocument, findings: Findings) -> str | None:
    """``fe80::1%eth0`` names its interface itself."""
    names = list(dict.fromkeys(server.split("%")[1] for server in servers if "%" in server))
    for name in names:
        entry = document.kernel(name)
        if name not in document.unread and (entry is None or not _can_hold(entry, "ipv6")):
            findings.add(_SERVERS, INVALID, f"interface {name} is not up with IPv6 enabled", value=", ".join(servers))
    if len(names) > 1:
        findings.add(
            _SERVERS, INVALID, f"link-local servers of several interfaces: {', '.join(names)}", value=", ".join(servers)
        )
    return names[0] if names else None


def _family(server: str) -> Family:
    return "ipv6" if ":" in server else "ipv4"
