# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the static addresses of hosts: each is used only once, is usable, and is in the right network.

For example, an address must not be a broadcast address, and must not be in the cluster network.

Source: docs/upstream/agent-installer.md#what-the-installer-does-not-check.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from ....common.problems import DUPLICATE, INVALID, Problem
from ....nmstate.document import StaticAddress
from ...upstream.texts import Address, Network, parse_cidr, parse_ip
from ..checks import AGENT_CONFIG, own
from ..facts import Facts, HostFacts
from .links import NIC_TYPES

# Networks of two or four addresses, and single addresses: a cable between two machines, or inside one.
_POINT_TO_POINT = {4: 30, 6: 126}
# Types of interfaces that the agent reports and the service compares.
_REPORTED_TYPES = (*NIC_TYPES, "bond", "vlan")
# Internal networks of OVN-Kubernetes, which must not contain hosts; its masquerade network is link-local and may.
_OVN_NETWORKS = ("100.64.0.0/16", "100.88.0.0/16", "fd98::/64", "fd97::/64")


def duplicate_address(facts: Facts) -> Iterator[Problem]:
    """Addresses that are meant to be the same everywhere are none: link-local ones, those of an interface inside the
    machine, of a cable between two.
    """
    seen: dict[str, str] = {}
    for host, address in facts.static_addresses():
        if not facts.in_machine_network(ipaddress.ip_address(address.ip)) and _is_private_to(host, address):
            continue
        owner = f"{address.interface} of {host.label}"
        if address.ip in seen:
            path = host.in_network_config(f"{address.path}.ip")
            yield own(
                "duplicate-address",
                path,
                DUPLICATE,
                f"is the address of {seen[address.ip]} as well",
                value=address.text,
                file=AGENT_CONFIG,
            )
        seen.setdefault(address.ip, owner)


def _is_private_to(host: HostFacts, address: StaticAddress) -> bool:
    ip = ipaddress.ip_address(address.ip)
    if ip.is_link_local or ip.is_loopback or address.prefix_length >= _POINT_TO_POINT[ip.version]:
        return True
    return host.interface_type(address.interface) not in _REPORTED_TYPES


def address_unusable(facts: Facts) -> Iterator[Problem]:
    """The first and the last address of an IPv4 network are those of the network and of all its hosts."""
    for host, address in facts.static_addresses():
        if word := _reserved_word(ipaddress.ip_address(address.ip), address.network):
            path = host.in_network_config(f"{address.path}.ip")
            yield own(
                "address-unusable",
                path,
                INVALID,
                f"is the {word} address of {address.network}",
                value=address.text,
                file=AGENT_CONFIG,
            )
    for path, vip in facts.vips if not facts.user_managed_load_balancer else ():
        ip = parse_ip(vip)
        for network in facts.machine_networks:
            if ip is not None and (word := _reserved_word(ip, network)):
                yield own(
                    "address-unusable", path, INVALID, f"is the {word} address of machine network {network}", value=vip
                )


def _reserved_word(ip: Address, network: Network) -> str:
    if ip.version == 6 or network.prefixlen >= 31 or ip.version != network.version:
        return ""
    return {network.network_address: "network", network.broadcast_address: "broadcast"}.get(ip, "")


def address_outside_machine_network(facts: Facts) -> Iterator[Problem]:
    """The service wants every host in all machine networks, with a load balancer of the user's own in one of them, and
    asks nothing where the user manages the network of several nodes; that of the rendezvous IP is checked by its own
    rule.
    """
    if not facts.hosts or (facts.cluster.user_managed_networking and not facts.cluster.single_node):
        return
    lacking = {host.index: _networks_without(facts, host) for host in facts.hosts}
    empty = [network for network in facts.machine_networks if all(network in networks for networks in lacking.values())]
    if len(empty) < len(facts.machine_networks) and not facts.user_managed_load_balancer:
        for network in empty:
            yield own(
                "address-outside-machine-network",
                _path_of(facts, network),
                INVALID,
                "no host has an address in it",
                value=str(network),
            )
    else:
        empty = []
    for host in facts.hosts:
        missed = [network for network in lacking[host.index] if network not in empty]
        if (
            missed
            and (len(missed) == len(facts.machine_networks) or not facts.user_managed_load_balancer)
            and not _rendezvous_is_outside(facts, host)
        ):
            first = host.addresses[0]
            all_networks = ", ".join(str(network) for network in missed)
            detail = f"no address of {host.label} is in machine network {all_networks}"
            path = host.in_network_config(f"{first.path}.ip")
            yield own("address-outside-machine-network", path, INVALID, detail, value=first.text, file=AGENT_CONFIG)


def _networks_without(facts: Facts, host: HostFacts) -> list[Network]:
    """Machine networks that the host has no address in; none where it may get one by itself."""
    if host.automatic or not host.addresses:
        return []
    ips = [ipaddress.ip_address(address.ip) for address in host.addresses]
    return [network for network in facts.machine_networks if not any(ip in network for ip in ips)]


def _rendezvous_is_outside(facts: Facts, host: HostFacts) -> bool:
    ip = parse_ip(facts.rendezvous.ip)
    return ip is not None and host.index in facts.rendezvous.hosts and not facts.in_machine_network(ip)


def _path_of(facts: Facts, network: Network) -> str:
    provided = [
        parsed.network if (parsed := parse_cidr(cidr)) else None for cidr in facts.cluster.networking.machine_networks
    ]
    return f"networking.machineNetwork[{provided.index(network)}]"


def prefix_mismatch(facts: Facts) -> Iterator[Problem]:
    """One problem for each machine network and wrong prefix length, with all hosts that have it: it is one
    misunderstanding.
    """
    found: dict[tuple[str, int], list[tuple[HostFacts, str]]] = {}
    for host, address in facts.static_addresses():
        ip = ipaddress.ip_address(address.ip)
        network = next((network for network in facts.machine_networks if ip in network), None)
        if network is not None and _wrong_length(facts, host, address, network):
            found.setdefault((str(network), address.prefix_length), []).append((host, address.path))
    for (network_text, length), entries in found.items():
        names = ", ".join(dict.fromkeys(host.label for host, _path in entries))
        wanted = network_text.split("/")[1]
        detail = f"addresses in machine network {network_text} have prefix length {length} instead of {wanted}: {names}"
        path = entries[0][0].in_network_config(f"{entries[0][1]}.prefix-length")
        yield own("prefix-mismatch", path, INVALID, detail, value=length, file=AGENT_CONFIG)


def _wrong_length(facts: Facts, host: HostFacts, address: StaticAddress, network: Network) -> bool:
    """A machine network may be cut into subnets, as long as the control plane reaches its virtual addresses without a
    router.
    """
    if address.prefix_length <= network.prefixlen:
        return address.prefix_length < network.prefixlen
    if facts.user_managed_load_balancer or not host.can_be_control_plane:
        return False
    vips = [ip for _path, vip in facts.vips if (ip := parse_ip(vip)) is not None and ip in network]
    own_networks = [other.network for other in host.addresses]
    return any(not any(ip in own_network for own_network in own_networks) for ip in vips)


def subnets_overlap(facts: Facts) -> Iterator[Problem]:
    """The service refuses a host with two interfaces in one network (its validation non-overlapping-subnets)."""
    families = {parsed.version for cidr in facts.cluster.networking.service_networks if (parsed := parse_cidr(cidr))}
    for host in facts.hosts:
        seen: list[StaticAddress] = []
        for address in host.addresses:
            if (
                address.network.version not in families
                or address.network.is_link_local
                or host.interface_type(address.interface) not in _REPORTED_TYPES
            ):
                continue
            other = next(
                (
                    other
                    for other in seen
                    if other.interface != address.interface and _overlap(other.network, address.network)
                ),
                None,
            )
            if other is not None and other.ip != address.ip:
                detail = f"its network {address.network} overlaps that of {other.interface} ({other.network})"
                path = host.in_network_config(f"{address.path}.ip")
                yield own("subnets-overlap", path, INVALID, detail, value=address.text, file=AGENT_CONFIG)
            seen.append(address)


def address_in_cluster_network(facts: Facts) -> Iterator[Problem]:
    """Addresses of hosts and of their name servers that the cluster keeps for pods, services or itself: what is sent
    there does not leave the host.
    """
    networking = facts.cluster.networking
    kept = [("cluster network", entry.cidr) for entry in networking.cluster_networks]
    kept += [("service network", cidr) for cidr in networking.service_networks]
    if networking.network_type == "OVNKubernetes" and "networking" not in facts.cluster.install_config_extra:
        kept += [("network of OVN-Kubernetes", cidr) for cidr in _OVN_NETWORKS]
    networks = [(word, parsed.network) for word, cidr in kept if (parsed := parse_cidr(cidr))]
    for host in facts.hosts:
        provided = [(f"{address.path}.ip", address.ip, address.text) for address in host.addresses]
        servers = host.document.resolver.servers if host.document else ()
        provided += [(f"dns-resolver.config.server[{index}]", server, server) for index, server in enumerate(servers)]
        for path, text, value in provided:
            ip = parse_ip(text)
            inside = next(((word, network) for word, network in networks if ip is not None and ip in network), None)
            if inside:
                detail = f"is in the {inside[0]} {inside[1]}"
                yield own(
                    "address-in-cluster-network",
                    host.in_network_config(path),
                    INVALID,
                    detail,
                    value=value,
                    file=AGENT_CONFIG,
                )


def _overlap(one: Network, other: Network) -> bool:
    return one.version == other.version and one.overlaps(other)
