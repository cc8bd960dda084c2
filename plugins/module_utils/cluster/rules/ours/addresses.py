# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Static addresses and VIPs: whose they are and which network they are in (reference agent-based-installer.md 3.12)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from ....common.problems import DUPLICATE, INVALID, Problem
from ..checks import AGENT_CONFIG, own
from ..facts import Facts, HostFacts, parse_ip


def duplicate_address(facts: Facts) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for host, address in facts.static_addresses():
        owner = f"{address.interface} of {host.label}"
        if address.ip in seen:
            path = host.in_network_config(f"{address.path}.ip")
            yield own("duplicate-address", path, DUPLICATE, f"is the address of {seen[address.ip]} as well", value=address.text, file=AGENT_CONFIG)
        seen.setdefault(address.ip, owner)


def vip_clash(facts: Facts) -> Iterator[Problem]:
    """A VIP is no host's own address: both would answer for it."""
    if facts.user_managed_load_balancer:
        return
    owners = {address.ip: host.label for host, address in facts.static_addresses()}
    for path, vip in facts.vips:
        ip = parse_ip(vip)
        if ip is None:
            continue
        if str(ip) in owners:
            yield own("vip-clash", path, INVALID, f"is the static address of {owners[str(ip)]}", value=vip)
        elif str(ip) == facts.rendezvous.ip:
            yield own("vip-clash", path, INVALID, "is the rendezvous IP", value=vip)


def address_outside_machine_network(facts: Facts) -> Iterator[Problem]:
    """Of a host with static addresses one must be in a machine network; that of the rendezvous host is checked by its own rule."""
    for host in facts.hosts:
        if host.automatic or not host.addresses or not facts.machine_networks:
            continue
        if facts.rendezvous.ip in [address.ip for address in host.addresses]:
            continue
        if not any(facts.in_machine_network(ipaddress.ip_address(address.ip)) for address in host.addresses):
            first = host.addresses[0]
            networks = ", ".join(str(network) for network in facts.machine_networks)
            path = host.in_network_config(f"{first.path}.ip")
            yield own(
                "address-outside-machine-network",
                path,
                INVALID,
                f"no address of {host.label} is in a machine network ({networks})",
                value=first.text,
                file=AGENT_CONFIG,
            )


def prefix_mismatch(facts: Facts) -> Iterator[Problem]:
    """One problem for each machine network and wrong prefix length, with all hosts that have it: it is one misunderstanding."""
    found: dict[tuple[str, int], list[tuple[HostFacts, str]]] = {}
    for host, address in facts.static_addresses():
        ip = ipaddress.ip_address(address.ip)
        network = next((network for network in facts.machine_networks if ip in network), None)
        if network is not None and address.prefix_length != network.prefixlen:
            found.setdefault((str(network), address.prefix_length), []).append((host, address.path))
    for (network_text, length), entries in found.items():
        names = ", ".join(dict.fromkeys(host.label for host, _path in entries))
        wanted = network_text.split("/")[1]
        detail = f"addresses in machine network {network_text} have prefix length {length} instead of {wanted}: {names}"
        path = entries[0][0].in_network_config(f"{entries[0][1]}.prefix-length")
        yield own("prefix-mismatch", path, INVALID, detail, value=length, file=AGENT_CONFIG)
