# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the API and ingress virtual IPs, as the installer does.

The installer's messages name the list without an index (``apiVIPs``, not ``apiVIPs[0]``), and so do these problems.

Source: openshift/installer pkg/types/validation/installconfig.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...common.problems import Problem
from .findings import invalid, required, too_many
from .provided import Provided
from .texts import ip_error, parse_cidr, parse_ip

_MOST = 2
_PLATFORMS = ("baremetal", "nutanix", "vsphere")
# Our name, the installer's word where both VIPs are side by side, and the other's.
_LISTS = (("apiVIPs", "API", "ingressVIPs", "ingress"), ("ingressVIPs", "Ingress", "apiVIPs", "API"))


def vips(provided: Provided) -> Iterator[Problem]:
    platform = next((name for name in _PLATFORMS if name in provided.platforms), "")
    if not platform:
        return
    lists = {name: list(provided.options(platform).get(name) or []) for name in ("apiVIPs", "ingressVIPs")}
    if platform == "nutanix":
        for name, addresses in lists.items():
            yield from _ipv4_first(f"platform.nutanix.{name}", addresses)
    balancer = provided.options(platform).get("loadBalancer") or {}
    for name, label, other_name, other_label in _LISTS:
        path, addresses, others = f"platform.{platform}.{name}", lists[name], lists[other_name]
        if not addresses:
            yield required(path, f"must specify at least one VIP for the {label}")
            continue
        if len(addresses) > _MOST:
            yield too_many(path, len(addresses), _MOST)
            continue
        for address in addresses:
            if error := ip_error(address):
                yield invalid(path, address, error)
            if balancer.get("type") != "UserManaged":
                yield from _managed(provided, path, address, others if name == "apiVIPs" else [])
        if not others:
            this = "API" if label == "API" else "ingress"
            yield required(
                f"platform.{platform}.{other_name}", (f"must specify VIP for {other_label}, when VIP for {this} is set")
            )
        yield from _families(provided, path, label, addresses)


def _ipv4_first(path: str, addresses: list[str]) -> Iterator[Problem]:
    """Nutanix: of two addresses the IPv4 one is taken first, whatever the order."""
    parsed = [parse_ip(address) for address in addresses]
    if None in parsed:
        yield invalid(path, addresses, _unparsed(addresses))
        return
    versions = [ip.version for ip in parsed if ip]
    if set(versions) == {4, 6}:
        if len(addresses) != _MOST:
            yield invalid(path, addresses, "wrong number of VIPs given. Expecting 2 VIPs for dual stack")
        elif versions[0] == 6:
            addresses.reverse()


def _unparsed(addresses: Sequence[str]) -> str:
    index, text = next((index, address) for index, address in enumerate(addresses) if parse_ip(address) is None)
    return f"invalid IP[{index}]: {text}"


def _managed(provided: Provided, path: str, address: str, others: Sequence[str]) -> Iterator[Problem]:
    """What holds unless the user brings a load balancer of his own."""
    ip = parse_ip(address)
    for other in others:
        if ip is not None and ip == parse_ip(other):
            yield invalid(path, address, "VIP for API must not be one of the Ingress VIPs")
    if not any(network.holds(ip) for network in provided.networks.machine):
        texts = [entry.get("cidr", "") for entry in provided.networking["machineNetwork"]]
        networks = ",".join(str(parse_cidr(text) or text or "<nil>") for text in texts)
        yield invalid(path, address, f"IP expected to be in one of the machine networks: {networks}")


def _families(provided: Provided, path: str, label: str, addresses: Sequence[str]) -> Iterator[Problem]:
    first = parse_ip(addresses[0])
    version = 6 if first is not None and first.version == 6 else 4
    if provided.networks.service_versions == {4, 6}:
        for name, cidrs in provided.networks.by_name().items():
            if cidrs and cidrs[0].version != version:
                yield invalid(
                    path,
                    addresses[0],
                    (f"{name} primary IP Family and primary IP family for the {label} VIP should match"),
                )
    if len(addresses) == _MOST:
        parsed = [parse_ip(address) for address in addresses]
        if None in parsed:
            yield invalid(path.rpartition(".")[0], None, _unparsed(addresses))
        if {ip.version for ip in parsed if ip} != {4, 6}:
            yield invalid(
                path,
                list(addresses),
                (f"If two {label} VIPs are given, one must be an IPv4 address, the other an IPv6"),
            )
