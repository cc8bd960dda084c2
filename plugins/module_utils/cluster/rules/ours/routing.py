# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check that a host with static addresses has a name server, a default route, and next hops that it can reach.

Source: docs/upstream/agent-installer.md#what-the-installer-does-not-check,
  docs/upstream/agent-installer.md#faults-that-users-meet.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from ....common.problems import INVALID, REQUIRED, Problem
from ....nmstate.model import NetworkDocument
from ..checks import AGENT_CONFIG, own
from ..facts import Facts, HostFacts

# Unspecified and main: the only tables that are looked up for all traffic.
_MAIN_TABLES = (0, 254)


def dns_missing(facts: Facts) -> Iterator[Problem]:
    for host, document in _configured(facts):
        if not host.automatic and not document.resolver.servers:
            yield own(
                "dns-missing",
                host.in_network_config("dns-resolver"),
                REQUIRED,
                f"{host.label} has no name server",
                file=AGENT_CONFIG,
            )


def default_route_missing(facts: Facts) -> Iterator[Problem]:
    for host, document in _configured(facts):
        if not host.automatic and not any(
            route.is_default and route.table_id in _MAIN_TABLES for route in document.routes
        ):
            yield own(
                "default-route-missing",
                host.in_network_config("routes"),
                REQUIRED,
                f"{host.label} has no default route",
                file=AGENT_CONFIG,
            )


def gateway_unreachable(facts: Facts) -> Iterator[Problem]:
    for host, document in _configured(facts):
        for route in document.routes:
            entry = document.interface(route.interface)
            stack = entry.stack(route.family) if entry else None
            if not route.next_hop or stack is None or stack.auto or not stack.addresses:
                continue
            hop = ipaddress.ip_address(route.next_hop)
            networks = [ipaddress.ip_network(address.text, strict=False) for address in stack.addresses]
            # A route without a next hop says what is on the link as well.
            networks += [
                ipaddress.ip_network(other.destination)
                for other in document.routes
                if other.interface == route.interface and not other.next_hop
            ]
            if not hop.is_link_local and not any(hop in network for network in networks):
                all_networks = ", ".join(str(network) for network in networks)
                detail = f"is in no network of {route.interface} ({all_networks})"
                path = host.in_network_config(f"{route.path}.next-hop-address")
                yield own("gateway-unreachable", path, INVALID, detail, value=route.next_hop, file=AGENT_CONFIG)


def _configured(facts: Facts) -> Iterator[tuple[HostFacts, NetworkDocument]]:
    return ((host, host.document) for host in facts.hosts if host.document is not None)
