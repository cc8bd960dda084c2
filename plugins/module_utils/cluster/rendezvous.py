# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Determine the rendezvous host (node 0), on which the assisted service runs during the installation.

Source: openshift/installer pkg/asset/agent/image/ignition.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from ..common.addresses import canonical_ip
from ..nmstate.document import StaticAddress, static_addresses
from .spec import Deployment, Host

# Roles that are preferred for node 0; the service makes node 0 the bootstrap host and keeps its role.
CANDIDATES = ("master", "arbiter")


@dataclasses.dataclass(frozen=True)
class Rendezvous:
    """The IP address of the rendezvous host, and the hosts that have it.

    ``ip`` is canonical, empty if it is unknown. ``hosts`` are the indices of the hosts that have ``ip`` as a static
    address.
    """

    ip: str
    provided: bool
    hosts: tuple[int, ...] = ()


def derive(hosts: Sequence[Host]) -> str:
    """The first static address of a control-plane host, else of a host without a role, else of any host; empty without
    one.

    Inside an interface IPv4 comes before IPv6. Workers are taken last, as the installer takes them: rules say where
    that is a mistake.
    """
    passes: tuple[Iterable[Host], ...] = (
        (host for host in hosts if host.role in CANDIDATES),
        (host for host in hosts if not host.role),
        hosts,
    )
    for candidates in passes:
        for host in candidates:
            addresses = static_addresses(host.network_config)
            if addresses:
                return addresses[0].ip
    return ""


def rendezvous(deployment: Deployment) -> Rendezvous:
    """The rendezvous address of a deployment, given or derived, and who has it."""
    provided = deployment.cluster.rendezvous_ip.strip()
    ip = canonical_ip(provided) if provided else derive(deployment.hosts)
    owners = tuple(
        index for index, host in enumerate(deployment.hosts) if ip and ip in _ips(static_addresses(host.network_config))
    )
    return Rendezvous(ip, bool(provided), owners)


def with_rendezvous_ip(deployment: Deployment) -> Deployment:
    """The same deployment with ``rendezvous_ip`` filled in where it is known."""
    return dataclasses.replace(deployment, rendezvous_ip=rendezvous(deployment).ip)


def _ips(addresses: Iterable[StaticAddress]) -> set[str]:
    return {address.ip for address in addresses}
