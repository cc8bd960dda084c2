# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Machine, service and cluster networks (reference agent-based-installer.md 3.2)."""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Iterator, Mapping

from ...common.problems import INVALID, Problem
from .checks import install_config, own
from .facts import Address, Facts, Network, parse_cidr

_DOCKER_BRIDGE = ipaddress.ip_network("172.17.0.0/16")
# What OVN-Kubernetes keeps for itself.
_OVN_RESERVED: dict[str, tuple[str, ...]] = {
    "internal": ("100.64.0.0/16", "fd98::/64"),
    "transit": ("100.88.0.0/16", "fd97::/64"),
    "masquerade": ("169.254.0.0/17", "fd69::/112"),
}
_SMALLEST_SERVICE_MASK = {4: 12, 6: 108}
_IPV6_HOST_PREFIX = 64


@dataclasses.dataclass(frozen=True)
class Given:
    """A network as the user wrote it. ``ip`` and ``network`` are None where it is not CIDR notation."""

    path: str
    text: str
    ip: Address | None
    network: Network | None


@dataclasses.dataclass(frozen=True)
class Lists:
    machine: tuple[Given, ...]
    service: tuple[Given, ...]
    cluster: tuple[Given, ...]


def _given(path: str, text: str) -> Given:
    parsed = parse_cidr(text)
    return Given(path, text, *(parsed or (None, None)))


def _lists(facts: Facts) -> Lists:
    networking = facts.cluster.networking
    return Lists(
        tuple(_given(f"networking.machineNetwork[{index}]", cidr) for index, cidr in enumerate(networking.machine_networks)),
        tuple(_given(f"networking.serviceNetwork[{index}]", cidr) for index, cidr in enumerate(networking.service_networks)),
        tuple(_given(f"networking.clusterNetwork[{index}].cidr", entry.cidr) for index, entry in enumerate(networking.cluster_networks)),
    )


def networking(facts: Facts) -> Iterator[Problem]:
    lists = _lists(facts)
    kind = facts.cluster.networking.network_type.lower()
    if kind == "kuryr":
        yield _network_type(facts, "networkType Kuryr is not supported on OpenShift later than 4.14")
    if kind == "openshiftsdn":
        yield _network_type(facts, "networkType OpenShiftSDN is not supported, please use OVNKubernetes")
    for index, given in enumerate(lists.machine):
        yield from _machine_network(facts, given, lists, index)
    for index, given in enumerate(lists.service):
        yield from _service_network(facts, given, lists, index)
    for index, given in enumerate(lists.cluster):
        yield from _cluster_network(facts, given, lists, index)


def _network_type(facts: Facts, detail: str) -> Problem:
    return install_config("networking.networkType", INVALID, detail, value=facts.cluster.networking.network_type)


def _machine_network(facts: Facts, given: Given, lists: Lists, index: int) -> Iterator[Problem]:
    error = _subnet_error(given)
    if error:
        yield _invalid(given, error)
        return
    yield from _reserved(facts, given)
    for position, other in enumerate(lists.machine[:index]):
        if _overlap(given, other):
            yield _invalid(given, f"machine network must not overlap with machine network {position}")


def _service_network(facts: Facts, given: Given, lists: Lists, index: int) -> Iterator[Problem]:
    error = _subnet_error(given) or _service_size_error(given)
    if error:
        yield _invalid(given, error)
        return
    yield from _reserved(facts, given)
    for other in lists.machine:
        if _overlap(given, other):
            yield _invalid(given, "service network must not overlap with any of the machine networks")
    for position, other in enumerate(lists.service[:index]):
        if _overlap(given, other):
            yield _invalid(given, f"service network must not overlap with service network {position}")


def _cluster_network(facts: Facts, given: Given, lists: Lists, index: int) -> Iterator[Problem]:
    error = _subnet_error(given)
    if error:
        yield _invalid(given, error)
        return
    yield from _reserved(facts, given)
    for other in lists.machine:
        if _overlap(given, other):
            yield _invalid(given, "cluster network must not overlap with any of the machine networks")
    for position, other in enumerate(lists.service):
        if _overlap(given, other):
            yield _invalid(given, f"cluster network must not overlap with service network {position}")
    for position, other in enumerate(lists.cluster[:index]):
        if _overlap(given, other):
            yield _invalid(given, f"cluster network must not overlap with cluster network {position}")
    yield from _host_prefix(facts, given, lists, index)


def _host_prefix(facts: Facts, given: Given, lists: Lists, index: int) -> Iterator[Problem]:
    entries = facts.cluster.networking.cluster_networks
    prefix, network = entries[index].host_prefix, given.network
    if network is None or (facts.cluster.networking.network_type != "OVNKubernetes" and prefix == 0):
        return
    earlier = [entries[i].host_prefix for i, other in enumerate(lists.cluster[:index]) if other.network and other.network.version == 4]
    if prefix < 0:
        detail = "hostPrefix must be positive"
    elif prefix < network.prefixlen:
        detail = f"cluster network host subnetwork prefix must not be larger size than CIDR {given.text}"
    elif network.version == 4 and any(other != prefix for other in earlier):
        detail = "cluster network host subnetwork prefix must be the same value for IPv4 networks"
    elif network.version == 6 and prefix != _IPV6_HOST_PREFIX:
        detail = f"cluster network host subnetwork prefix must be {_IPV6_HOST_PREFIX} for IPv6 networks"
    elif network.version == 4 and prefix > network.max_prefixlen - 7:
        # The service checks this on the AgentClusterInstall (reference 3.9).
        detail = f"hostPrefix must be at most {network.max_prefixlen - 7}"
    elif 2 ** (prefix - network.prefixlen) < facts.cluster.control_plane.replicas + facts.cluster.compute.replicas:
        detail = f"the network is not large enough to accommodate {facts.cluster.control_plane.replicas + facts.cluster.compute.replicas} hosts"
    else:
        return
    yield install_config(given.path.removesuffix("cidr") + "hostPrefix", INVALID, detail, value=prefix)


def _subnet_error(given: Given) -> str:
    if given.ip is None or given.network is None:
        return "is not a network in CIDR notation"
    if given.ip.is_unspecified:
        return "address must be specified"
    if given.ip != given.network.network_address:
        return f"invalid network address. got {given.text}, expecting {given.network}"
    return ""


def _service_size_error(given: Given) -> str:
    if given.network is None or given.network.prefixlen >= _SMALLEST_SERVICE_MASK[given.network.version]:
        return ""
    return f"the mask of an IPv{given.network.version} service network must be /{_SMALLEST_SERVICE_MASK[given.network.version]} or longer"


def _reserved(facts: Facts, given: Given) -> Iterator[Problem]:
    if given.network is None or facts.cluster.networking.network_type != "OVNKubernetes":
        return
    for name, cidrs in _OVN_RESERVED.items():
        reserved = ipaddress.ip_network(cidrs[0] if given.network.version == 4 else cidrs[1])
        configured = name == "internal" and reserved.version == 4 and bool(join_subnet(facts))
        if not configured and given.network.overlaps(reserved):
            yield _invalid(given, f"must not overlap with OVNKubernetes default {name} subnet {reserved}")


def _overlap(given: Given, other: Given) -> bool:
    if given.network is None or other.network is None or given.network.version != other.network.version:
        return False
    return given.network.overlaps(other.network)


def _invalid(given: Given, detail: str) -> Problem:
    return install_config(given.path, INVALID, detail, value=given.text)


def docker_bridge(facts: Facts) -> Iterator[Problem]:
    lists = _lists(facts)
    for given in (*lists.machine, *lists.service, *lists.cluster):
        usable = not _subnet_error(given) and (given not in lists.service or not _service_size_error(given))
        if usable and given.network is not None and given.network.version == 4 and given.network.overlaps(_DOCKER_BRIDGE):
            yield own("docker-bridge-overlap", given.path, INVALID, f"overlaps with the default Docker Bridge subnet {_DOCKER_BRIDGE}", value=given.text)


def ip_versions(facts: Facts) -> Iterator[Problem]:
    """Dual stack wants both families in every list; the service networks decide what the user means."""
    lists = _lists(facts)
    versions = {given.network.version for given in lists.service if given.network}
    by_list = {"machineNetwork": lists.machine, "serviceNetwork": lists.service, "clusterNetwork": lists.cluster}
    if versions == {4} and len(lists.service) > 1:
        yield _list_problem("serviceNetwork", lists.service, "only one service network can be specified")
    if versions != {4, 6}:
        return
    if len(lists.service) != 2:
        detail = "when installing dual-stack IPv4/IPv6 you must provide two service networks, one for each IP address type"
        yield _list_problem("serviceNetwork", lists.service, detail)
    for name, given in by_list.items():
        present = [entry.network.version for entry in given if entry.network]
        for version in (6, 4):
            if present and version not in present:
                yield _list_problem(name, given, f"dual-stack IPv4/IPv6 requires an IPv{version} network in this list")
        if facts.cluster.platform == "nutanix" and set(present) == {4, 6} and present[0] != 4:
            yield _list_problem(name, given, "IPv4 addresses must be listed before IPv6 addresses")


def _list_problem(name: str, given: tuple[Given, ...], detail: str) -> Problem:
    return install_config(f"networking.{name}", INVALID, detail, value=", ".join(entry.text for entry in given))


def cluster_network_mtu(facts: Facts) -> Iterator[Problem]:
    mtu = _extra(facts).get("clusterNetworkMTU")
    if mtu:
        yield install_config("networking.clusterNetworkMTU", INVALID, "cluster network MTU is allowed only in AWS deployments", value=mtu)


def ovn_kubernetes_config(facts: Facts) -> Iterator[Problem]:
    if "ovnKubernetesConfig" not in _extra(facts):
        return
    if facts.cluster.networking.network_type != "OVNKubernetes":
        yield _network_type(facts, "ovnKubernetesConfig may only be specified with the OVNKubernetes networkType")
    subnet = join_subnet(facts)
    if not subnet:
        return
    given = _given("networking.ovnKubernetesConfig.ipv4.internalJoinSubnet", subnet)
    error = _subnet_error(given)
    if error:
        yield _invalid(given, error)
        return
    lists = _lists(facts)
    for name, others in (("clusterNetwork", lists.cluster), ("machineNetwork", lists.machine), ("serviceNetwork", lists.service)):
        for other in others:
            if _overlap(given, other):
                yield _invalid(given, f"must not overlap with {name} {other.text}")
    if not _holds_all_nodes(facts, given, lists):
        yield _invalid(given, "is not large enough for the maximum number of nodes which can be supported by ClusterNetwork")


def _holds_all_nodes(facts: Facts, given: Given, lists: Lists) -> bool:
    nodes = 0
    for entry, other in zip(facts.cluster.networking.cluster_networks, lists.cluster, strict=True):
        if other.network and other.network.version == 4 and entry.host_prefix >= other.network.prefixlen:
            nodes += 2 ** (entry.host_prefix - other.network.prefixlen)
    return given.network is None or nodes < given.network.num_addresses - 3


def join_subnet(facts: Facts) -> str:
    """``ovnKubernetesConfig.ipv4.internalJoinSubnet``; empty without one."""
    config = _extra(facts).get("ovnKubernetesConfig")
    ipv4 = config.get("ipv4") if isinstance(config, Mapping) else None
    subnet = ipv4.get("internalJoinSubnet") if isinstance(ipv4, Mapping) else None
    return subnet if isinstance(subnet, str) else ""


def _extra(facts: Facts) -> Mapping[str, object]:
    extra = facts.cluster.install_config_extra.get("networking")
    return extra if isinstance(extra, Mapping) else {}
