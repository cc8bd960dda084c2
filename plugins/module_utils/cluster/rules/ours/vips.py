# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Report API and ingress virtual IPs that another machine may already use as its address.

Source: docs/upstream/agent-installer.md#what-the-installer-does-not-check.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....common.problems import INVALID, Problem
from ...upstream.texts import Address, parse_ip
from ..checks import own
from ..facts import Facts

_PROVISIONING = ("clusterProvisioningIP", "bootstrapProvisioningIP", "provisioningNetworkGateway")


def vip_clash(facts: Facts) -> Iterator[Problem]:
    """Report a VIP that is the address of a host or gateway, or that the DHCP server of the cluster may assign."""
    if facts.user_managed_load_balancer:
        return
    owners = _owners(facts)
    for path, vip in facts.vips:
        ip = parse_ip(vip)
        if ip is None:
            continue
        if str(ip) in owners:
            yield own("vip-clash", path, INVALID, f"is {owners[str(ip)]}", value=vip)
        elif dhcp_range := _in_dhcp_range(facts, ip):
            yield own(
                "vip-clash",
                path,
                INVALID,
                (f"is in the DHCP range of the provisioning network ({dhcp_range})"),
                value=vip,
            )


def _owners(facts: Facts) -> dict[str, str]:
    """Canonical address -> what it is. The first that is said of an address stays."""
    owners: dict[str, str] = {}
    for host, address in facts.static_addresses():
        owners.setdefault(address.ip, f"the static address of {host.label}")
    owners.setdefault(facts.rendezvous.ip, "the rendezvous IP")
    for host in facts.hosts:
        for route in host.document.routes if host.document else ():
            owners.setdefault(route.next_hop, f"the gateway of {host.label}")
    for field in _PROVISIONING:
        ip = parse_ip(str(facts.cluster.platform_options.get(field) or ""))
        if ip is not None:
            owners.setdefault(str(ip), f"the {field} as well")
    return owners


def _in_dhcp_range(facts: Facts, ip: Address) -> str:
    """provisioningDHCPRange, ``first,last``, if the address is in it."""
    provided = str(facts.cluster.platform_options.get("provisioningDHCPRange") or "")
    first, last = (parse_ip(part.strip()) for part in (provided.partition(",")[0], provided.partition(",")[2]))
    if first is None or last is None or {first.version, last.version} != {ip.version}:
        return ""
    return provided if int(first) <= int(ip) <= int(last) else ""
