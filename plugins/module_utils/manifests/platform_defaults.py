# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Add the installer's defaults for platform options that are not set.

Only the defaults that appear in the manifests are added: those of the provisioning network of platform baremetal, and
of the resource pool of platform vsphere.

Source: openshift/installer pkg/types/installconfig.go, pkg/types/defaults.
"""

from __future__ import annotations

import ipaddress
import posixpath
from collections.abc import Iterable
from typing import Any

from ..cluster.spec import Document

_NETWORK = "172.22.0.0/24"
_CLUSTER_IP, _FIRST_DHCP = 3, 10


def provisioning(options: Document, machine_networks: Iterable[str]) -> dict[str, Any]:
    """Return the options of platform baremetal with the defaults of the provisioning network.

    A value that is not an address or a network stays as it is: the rules report it.
    """
    found = {**options, "provisioningNetwork": options.get("provisioningNetwork") or "Managed"}
    cluster_ip = str(options.get("clusterProvisioningIP") or "")
    if found["provisioningNetwork"] == "Disabled":
        networks = [
            network
            for network in map(_network, machine_networks)
            if network and cluster_ip and _address(cluster_ip) in network
        ]
        return {**found, **({"provisioningNetworkCIDR": str(networks[-1])} if networks else {})}
    found["provisioningNetworkCIDR"] = options.get("provisioningNetworkCIDR") or _NETWORK
    network = _network(str(found["provisioningNetworkCIDR"]))
    if network is None or network.num_addresses <= _FIRST_DHCP + 1:
        return found
    found["clusterProvisioningIP"] = cluster_ip or str(network[_CLUSTER_IP])
    if found["provisioningNetwork"] == "Managed":
        last = network[-1] - 1
        found["provisioningDHCPRange"] = options.get("provisioningDHCPRange") or f"{network[_FIRST_DHCP]},{last}"
    return found


def topology(provided: Document) -> dict[str, Any]:
    """The topology of a vSphere failure domain with its resource pool."""
    cluster = str(provided.get("computeCluster") or "")
    pool = provided.get("resourcePool") or (posixpath.join(cluster, "Resources") if cluster else "")
    return {**provided, **({"resourcePool": pool} if pool else {})}


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
