# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the cluster networks as the installer does when it creates the AgentClusterInstall manifest.

The installer reports these problems later than others, under fields of that manifest. Here they have the paths of
install-config.yaml; :func:`as_of_manifests` converts them.

Source: openshift/installer pkg/asset/agent/manifests.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ...common.problems import Problem
from .findings import invalid, required
from .provided import Provided
from .texts import Cidr

_SPARE_BITS = 7
_TOO_LONG = "must be at most"
NO_NETWORK = "error parsing the clusterNetwork CIDR"
_TOO_FEW = "not large enough to accommodate"


def is_of_manifests(problem: Problem) -> bool:
    """Whether a problem is one that the installer finds when it creates the AgentClusterInstall."""
    return problem.detail == NO_NETWORK or (
        problem.path.endswith("hostPrefix") and (problem.detail.startswith(_TOO_LONG) or _TOO_FEW in problem.detail)
    )


def as_of_manifests(problem: Problem) -> Problem:
    """The problem as the installer names it, by the field of its manifest; the hint names the user's."""
    path = f"spec.{problem.path}"
    return dataclasses.replace(
        problem,
        path=path.removesuffix(".hostPrefix") if _TOO_FEW in problem.detail else path,
        hint=f"this is made of {problem.path}",
    )


def host_subnets(provided: Provided) -> Iterator[Problem]:
    """A host gets a subnet of 128 addresses at least, and there is one for every host.

    The manifest names OVN-Kubernetes whatever the network type is, and so the rule holds for all.
    """
    hosts = provided.control_plane["replicas"] + sum(pool["replicas"] for pool in provided.compute)
    for index, network in enumerate(provided.networking["clusterNetwork"]):
        if not network.get("cidr"):
            yield required(f"networking.clusterNetwork[{index}].cidr", NO_NETWORK)
    for index, entry in enumerate(provided.networks.cluster):
        path, prefix = f"networking.clusterNetwork[{index}].hostPrefix", entry.host_prefix
        too_long, too_few = subnet_errors(entry.cidr, prefix, hosts)
        if too_long:
            yield invalid(path, prefix, too_long)
        if too_few:
            yield invalid(path, str(entry.cidr), too_few)


def subnet_errors(cidr: Cidr, prefix: int, hosts: int) -> tuple[str, str]:
    """What is wrong with the host prefix of a cluster network, and with the network for so many hosts; empty where
    nothing is.
    """
    most = cidr.network.max_prefixlen - _SPARE_BITS
    few = prefix - cidr.prefix < max(hosts - 1, 0).bit_length()
    return (
        f"{_TOO_LONG} {most}" if prefix > most else "",
        f"prefix length {cidr.prefix} {_TOO_FEW} {hosts} hosts with hostPrefix length {prefix}" if few else "",
    )
