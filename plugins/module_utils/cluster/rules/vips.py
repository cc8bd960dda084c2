# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Virtual IPs (reference agent-based-installer.md 3.2)."""

from __future__ import annotations

from collections.abc import Iterator

from ...common.problems import INVALID, REQUIRED, TOO_MANY, Problem
from .checks import install_config
from .facts import VIP_PLATFORMS, Facts, parse_cidr, parse_ip

_MOST = 2


def vips(facts: Facts) -> Iterator[Problem]:
    """What the installer says about VIPs, in its order: the API's, then the ingress's. Paths have no index, as its own."""
    if facts.cluster.platform not in VIP_PLATFORMS:
        return
    yield from _list(facts, "apiVIPs", "API", facts.cluster.api_vips, facts.cluster.ingress_vips)
    yield from _list(facts, "ingressVIPs", "Ingress", facts.cluster.ingress_vips, facts.cluster.api_vips)


def _list(facts: Facts, name: str, label: str, given: tuple[str, ...], others: tuple[str, ...]) -> Iterator[Problem]:
    path = f"platform.{facts.cluster.platform}.{name}"
    if not given:
        yield install_config(path, REQUIRED, f"must specify at least one VIP for the {label}")
        return
    if len(given) > _MOST:
        yield install_config(path, TOO_MANY, f"must have at most {_MOST} items", value=len(given))
        return
    for vip in given:
        yield from _one(facts, path, label, vip, others)
    if not others:
        other_path = path.replace(name, "ingressVIPs" if name == "apiVIPs" else "apiVIPs")
        words = "VIP for ingress, when VIP for API is set" if name == "apiVIPs" else "VIP for API, when VIP for ingress is set"
        yield install_config(other_path, REQUIRED, f"must specify {words}")
    yield from _families(facts, path, label, given)


def _one(facts: Facts, path: str, label: str, vip: str, others: tuple[str, ...]) -> Iterator[Problem]:
    ip = parse_ip(vip)
    if ip is None:
        yield install_config(path, INVALID, f'"{vip}" is not a valid IP', value=vip)
    if facts.user_managed_load_balancer:
        return
    if label == "API":
        for other in others:
            if ip is not None and ip == parse_ip(other):
                yield install_config(path, INVALID, "VIP for API must not be one of the Ingress VIPs", value=vip)
    if ip is None or not facts.in_machine_network(ip):
        networks = ",".join(facts.cluster.networking.machine_networks)
        yield install_config(path, INVALID, f"IP expected to be in one of the machine networks: {networks}", value=vip)


def _families(facts: Facts, path: str, label: str, given: tuple[str, ...]) -> Iterator[Problem]:
    families = [ip.version for vip in given if (ip := parse_ip(vip))]
    if len(given) == _MOST:
        if sorted(families) != [4, 6]:
            yield install_config(path, INVALID, f"If two {label} VIPs are given, one must be an IPv4 address, the other an IPv6", value=", ".join(given))
        return
    services = {parsed[1].version for cidr in facts.cluster.networking.service_networks if (parsed := parse_cidr(cidr))}
    if services == {4, 6} and facts.machine_networks and families != [facts.machine_networks[0].version]:
        detail = f"VIP for the {label} must be of the same IP family with machine network's primary IP Family for dual-stack IPv4/IPv6"
        yield install_config(path, INVALID, detail, value=given[0])
