# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate machine, service and cluster networks, as the installer does (openshift/installer
pkg/types/validation/installconfig.go).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from ...common.problems import INVALID, Problem
from .findings import internal, invalid, required, warning
from .provided import ClusterEntry, Provided
from .texts import Cidr, parse_cidr

_SMALLEST_SERVICE_MASK = {4: 12, 6: 108}
_SERVICE_SIZE = {
    4: "subnet size for IPv4 service network must be /12 or greater (/16 is recommended)",
    6: "subnet size for IPv6 service network should be /112",
}
_IPV6_HOST_PREFIX = 64
_WITH_CIDR = ("machineNetwork", "clusterNetwork")
# Platforms on which IPv6 may come first in dual stack.
_IPV6_PRIMARY = ("baremetal", "vsphere", "openstack", "none", "external")
_DUAL_STACK = (*_IPV6_PRIMARY, "ovirt", "nutanix")


def _known(text: str) -> Cidr:
    cidr = parse_cidr(text)
    if cidr is None:
        raise ValueError(f"{text} is no network")
    return cidr


DOCKER_BRIDGE = _known("172.17.0.0/16")
# What OVN-Kubernetes keeps for itself.
_RESERVED = {
    4: {
        "internal": _known("100.64.0.0/16"),
        "transit": _known("100.88.0.0/16"),
        "masquerade": _known("169.254.0.0/17"),
    },
    6: {"internal": _known("fd98::/64"), "transit": _known("fd97::/64"), "masquerade": _known("fd69::/112")},
}


def networking(provided: Provided) -> Iterator[Problem]:
    kind, networks = provided.network_type, provided.networks
    if kind.lower() == "kuryr":
        yield invalid("networking.networkType", kind, "networkType Kuryr is not supported on OpenShift later than 4.14")
    if kind.lower() == "openshiftsdn":
        yield invalid(
            "networking.networkType", kind, ("networkType OpenShiftSDN is not supported, please use OVNKubernetes")
        )
    yield from _unreadable(provided)
    for index, cidr in enumerate(networks.machine):
        yield from _machine(provided, f"networking.machineNetwork[{index}]", cidr, networks.machine[:index])
    for index, cidr in enumerate(networks.service):
        yield from _service(provided, f"networking.serviceNetwork[{index}]", cidr, networks.service[:index])
    for index, entry in enumerate(networks.cluster):
        yield from _cluster(provided, index, entry)


def _unreadable(provided: Provided) -> Iterator[Problem]:
    """Texts that are no networks: in a file the installer does not even read them."""
    networking = provided.networking
    texts = [
        (f"networking.{name}[{index}].cidr", entry.get("cidr", ""))
        for name in _WITH_CIDR
        for index, entry in enumerate(networking[name])
    ]
    texts += [(f"networking.serviceNetwork[{index}]", text) for index, text in enumerate(networking["serviceNetwork"])]
    for path, text in texts:
        if not text:
            # Nothing at all the installer reads as a network of no address, and writes <nil>.
            yield dataclasses.replace(required(path, "a network is needed"), layer="ours")
        elif parse_cidr(text) is None:
            yield invalid(path, text, f"invalid CIDR address: {text}")


def _machine(provided: Provided, path: str, cidr: Cidr, earlier: Sequence[Cidr]) -> Iterator[Problem]:
    if error := cidr.error():
        yield invalid(path, str(cidr), error)
        return
    yield from _docker_bridge(path, cidr)
    yield from _reserved(provided, path, cidr)
    for position, other in enumerate(earlier):
        if cidr.overlaps(other):
            yield invalid(path, str(cidr), f"machine network must not overlap with machine network {position}")


def _service(provided: Provided, path: str, cidr: Cidr, earlier: Sequence[Cidr]) -> Iterator[Problem]:
    error = cidr.error()
    if not error and cidr.prefix < _SMALLEST_SERVICE_MASK[cidr.version]:
        error = _SERVICE_SIZE[cidr.version]
    if error:
        yield invalid(path, str(cidr), error)
        return
    yield from _docker_bridge(path, cidr)
    yield from _reserved(provided, path, cidr)
    for other in provided.networks.machine:
        if cidr.overlaps(other):
            yield invalid(path, str(cidr), "service network must not overlap with any of the machine networks")
    for position, other in enumerate(earlier):
        if cidr.overlaps(other):
            yield invalid(path, str(cidr), f"service network must not overlap with service network {position}")


def _cluster(provided: Provided, index: int, entry: ClusterEntry) -> Iterator[Problem]:
    path, cidr, networks = f"networking.clusterNetwork[{index}]", entry.cidr, provided.networks
    if error := cidr.error():
        yield invalid(f"{path}.cidr", str(cidr), error)
        return
    yield from _docker_bridge(f"{path}[{index}]", cidr)
    yield from _reserved(provided, f"{path}.cidr", cidr)
    for other in networks.machine:
        if cidr.overlaps(other):
            yield invalid(
                f"{path}.cidr", str(cidr), ("cluster network must not overlap with any of the machine networks")
            )
    for position, other in enumerate(networks.service):
        if cidr.overlaps(other):
            yield invalid(
                f"{path}.cidr", str(cidr), (f"cluster network must not overlap with service network {position}")
            )
    for position, earlier in enumerate(networks.cluster[:index]):
        if cidr.overlaps(earlier.cidr):
            yield invalid(
                f"{path}.cidr", str(cidr), (f"cluster network must not overlap with cluster network {position}")
            )
    # Other network types may do without it.
    needed = provided.network_type == "OVNKubernetes" or entry.host_prefix
    if needed and (error := _host_prefix_error(entry, networks.cluster[:index])):
        yield invalid(f"{path}.hostPrefix", entry.host_prefix, error)


def _host_prefix_error(entry: ClusterEntry, earlier: Sequence[ClusterEntry]) -> str:
    prefix, cidr = entry.host_prefix, entry.cidr
    if prefix < 0:
        return "hostPrefix must be positive"
    if prefix < cidr.prefix:
        return f"cluster network host subnetwork prefix must not be larger size than CIDR {cidr}"
    if cidr.version == 4 and any(other.cidr.version == 4 and other.host_prefix != prefix for other in earlier):
        return "cluster network host subnetwork prefix must be the same value for IPv4 networks"
    if cidr.version == 6 and prefix != _IPV6_HOST_PREFIX:
        return f"cluster network host subnetwork prefix must be {_IPV6_HOST_PREFIX} for IPv6 networks"
    return ""


def _docker_bridge(path: str, cidr: Cidr) -> Iterator[Problem]:
    if cidr.overlaps(DOCKER_BRIDGE):
        yield warning("docker-bridge-overlap", path, INVALID, f"{cidr} overlaps with default Docker Bridge subnet")


def _reserved(provided: Provided, path: str, cidr: Cidr) -> Iterator[Problem]:
    if provided.network_type.lower() != "ovnkubernetes":
        return
    for name, reserved in _RESERVED[cidr.version].items():
        configured = name == "internal" and reserved.version == 4 and provided.join_subnet is not None
        if not configured and cidr.overlaps(reserved):
            more = ""
            if name == "internal" and provided.profile.join_subnet_advice:
                field = f"installconfig.networking.ovnKubernetesConfig.ipv{cidr.version}"
                more = f": please run 'openshift-install explain {field}' for further documentation"
            yield invalid(
                path, str(cidr), (f"must not overlap with OVNKubernetes default {name} subnet {reserved}{more}")
            )


def ip_versions(provided: Provided) -> Iterator[Problem]:
    """Dual stack wants both families in every list; the service networks decide what the user means."""
    networks = provided.networks
    versions = networks.service_versions
    if versions == {4} and len(networks.service) > 1:
        yield _of_list("serviceNetwork", networks.service, "only one service network can be specified")
    if versions == {6} and provided.platform not in _DUAL_STACK:
        yield invalid("networking", "IPv6", "single-stack IPv6 is not supported for this platform")
    if versions != {4, 6}:
        return
    if len(networks.service) != 2:
        detail = (
            "when installing dual-stack IPv4/IPv6 you must provide two service networks, one for each IP address type"
        )
        yield _of_list("serviceNetwork", networks.service, detail)
    if provided.platform not in _DUAL_STACK:
        yield invalid(
            "networking",
            "DualStack",
            ("dual-stack IPv4/IPv6 is not supported for this platform, specify only one type of address"),
        )
    for name, cidrs in networks.by_name().items():
        # An entry without a network counts as one of IPv6.
        lacking = name in _WITH_CIDR and any(not entry.get("cidr") for entry in provided.networking[name])
        found = {*(cidr.version for cidr in cidrs), *((6,) if lacking else ())}
        for version in (6, 4):
            if found and version not in found:
                yield _of_list(name, cidrs, f"dual-stack IPv4/IPv6 requires an IPv{version} network in this list")
        if provided.platform not in _IPV6_PRIMARY and found == {4, 6} and cidrs[0].version != 4:
            yield _of_list(name, cidrs, "IPv4 addresses must be listed before IPv6 addresses")


def _of_list(name: str, cidrs: Sequence[Cidr], detail: str) -> Problem:
    return invalid(f"networking.{name}", ", ".join(str(cidr) for cidr in cidrs), detail)


def cluster_network_mtu(provided: Provided) -> Iterator[Problem]:
    mtu = provided.networking.get("clusterNetworkMTU", 0)
    if mtu and provided.platform != "aws":
        yield invalid("networking.clusterNetworkMTU", mtu, "cluster network MTU is allowed only in AWS deployments")


def ovn_kubernetes_config(provided: Provided) -> Iterator[Problem]:
    if "ovnKubernetesConfig" not in provided.networking:
        return
    if provided.network_type.lower() != "ovnkubernetes":
        yield invalid(
            "networking.networkType",
            provided.network_type,
            ("ovnKubernetesConfig may only be specified with the OVNKubernetes networkType"),
        )
    path, subnet = "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet", provided.join_subnet
    if subnet is None:
        return
    if error := subnet.error():
        yield invalid(path, str(subnet), error)
        return
    networks = provided.networks.by_name()
    for name in ("clusterNetwork", "machineNetwork", "serviceNetwork"):
        for other in networks[name]:
            if subnet.overlaps(other):
                yield invalid(path, str(subnet), f"must not overlap with {name} {other}")
    yield from _addresses_suffice(provided, path, subnet)


def _addresses_suffice(provided: Provided, path: str, subnet: Cidr) -> Iterator[Problem]:
    nodes = 0
    for index, entry in enumerate(provided.networks.cluster):
        if entry.cidr.version == 4 and entry.host_prefix < entry.cidr.prefix:
            yield internal(
                path,
                (
                    f"cannot determine the number of nodes supported by cluster network {index} due "
                    "to invalid hostPrefix"
                ),
            )
            return
        nodes += 2 ** (entry.host_prefix - entry.cidr.prefix) if entry.cidr.version == 4 else 0
    # One address each for gateway, network and broadcast; an IPv6 subnet is counted as the installer does, with 32
    # bits.
    if nodes >= int(2.0 ** (32 - subnet.prefix)) - 3:
        detail = (
            "ipv4InternalJoinSubnet is not large enough for the maximum number of nodes which can be supported by "
            "ClusterNetwork"
        )
        yield invalid(path, str(subnet), detail)
