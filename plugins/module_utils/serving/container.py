# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check whether BMCs can reach the image server when it runs in a container.

A container that does not use the network of its host has an address to which no route leads. The container's runtime
writes that address to /etc/hosts: kubernetes/kubernetes pkg/kubelet/kubelet_pods.go (managedHostsFileContent),
containers/common libnetwork/etchosts, moby/moby libnetwork/etchosts.
"""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from ..common.connect import ConnectTo
from ..common.errors import ZeroTouchError
from ..common.problems import INVALID, Problem
from .options import PublishOptions
from .route import Peer, address_for

# The first line of /etc/hosts in a pod that has the network of its node (kubelet_pods.go,
# managedHostsHeaderWithHostNetwork).
_HOST_NETWORK = "# Kubernetes-managed hosts file (host network)"
_MARKS = ("run/.containerenv", ".dockerenv")
_WILDCARDS = ("0.0.0.0", "::")


@dataclasses.dataclass(frozen=True)
class Container:
    """The container that this process runs in.

    ``evidence`` says by what it was recognised, empty outside of one; ``addresses`` are those of the container alone,
    none if it has the network of its host.
    """

    evidence: str = ""
    addresses: frozenset[str] = frozenset()


def read_container(environment: Mapping[str, str], hostname: str, root: Path = Path("/")) -> Container:
    """The facts, from the environment and from files below ``root``."""
    evidence = "KUBERNETES_SERVICE_HOST is set" if environment.get("KUBERNETES_SERVICE_HOST") else ""
    evidence = evidence or next((f"/{mark} exists" for mark in _MARKS if (root / mark).exists()), "")
    try:
        hosts = (root / "etc" / "hosts").read_text(errors="replace") if evidence else ""
    except OSError:
        hosts = ""
    return Container(
        evidence, frozenset() if hosts.startswith(_HOST_NETWORK) else frozenset(_addresses_of(hostname, hosts))
    )


def _addresses_of(hostname: str, hosts: str) -> list[str]:
    lines = [line.partition("#")[0].split() for line in hosts.splitlines()]
    return [str(_address(fields[0])) for fields in lines if hostname in fields[1:] and _address(fields[0])]


def check_reachable(options: PublishOptions, bmcs: Sequence[Peer], container: Container) -> list[Problem]:
    """The problem of a run in a container that BMCs cannot reach; none outside of one, and none for BMCs on this
    machine (a lab).

    Asks the routing table by which address the BMCs would reach this machine; without a route the method itself fails
    later.
    """
    distant = [bmc for bmc in bmcs if not is_local(bmc, options.connect_to)]
    if not container.addresses or not serves_unknown_address(options) or not distant:
        return []
    try:
        address = address_for(distant, options.connect_to)[0]
    except ZeroTouchError:
        return []
    return unreachable(address, container)


def serves_unknown_address(options: PublishOptions) -> bool:
    """Whether the URL is made from an address that the user did not set, in ``url`` or ``listen``."""
    return options.method == "serve" and not options.url and options.listen in _WILDCARDS


def unreachable(address: str, container: Container) -> list[Problem]:
    """The problem, if the address is one of the container alone."""
    if not _is_own(address, container.addresses):
        return []
    detail = (
        f"method serve would announce {address}, an address of this container alone ({container.evidence}), which "
        "BMCs cannot reach. "
        "Set method to upload or directory, so that another server has the image. Or run in the network of the host "
        "(hostNetwork: true, --network host). "
        "Or set url, and port, if a Service or a published port leads here"
    )
    return [Problem("openshift_publish.method", INVALID, detail, layer="ours", check="publish", value="serve")]


def is_local(bmc: Peer, connect_to: ConnectTo) -> bool:
    """Whether a BMC is on this machine, such as those of a lab."""
    host = connect_to.resolve(bmc.host, bmc.port)[0]
    address = _address(host)
    return address.is_loopback if address else host.lower().rstrip(".") == "localhost"


def _is_own(address: str, own: Collection[str]) -> bool:
    found = _address(address)
    return found is not None and not found.is_loopback and str(found) in own


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
