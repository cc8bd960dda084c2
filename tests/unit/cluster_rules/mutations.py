# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: single mistakes that can be made in any valid cluster to which they apply. Each one has the problem (path,
kind) that validation must find.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    ClusterNetwork,
    Deployment,
    ImageDigestSource,
    Interface,
    Proxy,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    DUPLICATE,
    FORBIDDEN,
    INVALID,
    REQUIRED,
    TOO_MANY,
    UNKNOWN_FIELD,
    UNSUPPORTED,
)
from hypothesis import strategies as st

from .base import SSH_KEY, Change, certificate, cluster, extra, host, networking, pool

Draw = Callable[[st.SearchStrategy[Any]], Any]
Expected = tuple[str, str]
Made = tuple[Deployment, Expected]
Place = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Mutation:
    """``make`` gets a deployment that ``applies`` accepts, and hypothesis' draw for what is free to choose."""

    name: str
    applies: Callable[[Deployment], bool]
    make: Callable[[Deployment, Draw], Made]


def _always(_deployment: Deployment) -> bool:
    return True


def _of_cluster(
    name: str, change: Change, path: str, kind: str, applies: Callable[[Deployment], bool] = _always
) -> Mutation:
    """A mistake that is the same in every cluster; ``*`` in the path is the platform."""
    return Mutation(
        name,
        applies,
        lambda deployment, _draw: (change(deployment), (path.replace("*", deployment.cluster.platform), kind)),
    )


def _of_host(
    name: str,
    change: Callable[[Deployment, int], Change],
    path: str,
    kind: str,
    applies: Callable[[Deployment, int], bool] = lambda _d, _i: True,
) -> Mutation:
    """A mistake in one host, any that it applies to; ``path`` is below it."""

    def make(deployment: Deployment, draw: Draw) -> Made:
        index = draw(st.sampled_from(_hosts(deployment, applies)))
        return change(deployment, index)(deployment), (f"hosts[{index}].{path}", kind)

    return Mutation(name, lambda deployment: bool(_hosts(deployment, applies)), make)


def _hosts(deployment: Deployment, applies: Callable[[Deployment, int], bool]) -> list[int]:
    return [index for index in range(len(deployment.hosts)) if applies(deployment, index)]


def _of_network(
    name: str,
    edit: Callable[[dict[str, Any], int, Deployment], None],
    path: str,
    kind: str,
    applies: Callable[..., bool] | None = None,
) -> Mutation:
    """A mistake in the networkConfig of a host with static addresses.

    ``{}`` in the path is the interface that has the first of them.
    """

    def fits(deployment: Deployment, index: int) -> bool:
        return is_static(deployment, index) and (applies is None or applies(deployment, index))

    def make(deployment: Deployment, draw: Draw) -> Made:
        index = draw(st.sampled_from(_hosts(deployment, fits)))
        document = copy.deepcopy(dict(deployment.hosts[index].network_config))
        position = main_interface(document)
        edit(document, position, deployment)
        return host(index, network_config=document)(deployment), (
            f"hosts[{index}].networkConfig.{path.format(position)}",
            kind,
        )

    return Mutation(name, lambda deployment: bool(_hosts(deployment, fits)), make)


# What clusters are like


def is_static(deployment: Deployment, index: int) -> bool:
    return "routes" in deployment.hosts[index].network_config


def main_interface(document: dict[str, Any]) -> int:
    name = document["routes"]["config"][0]["next-hop-interface"]
    return [entry["name"] for entry in document["interfaces"]].index(name)


def _stacks(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    entry = document["interfaces"][main_interface(document)]
    return ((family, entry[family]) for family in ("ipv4", "ipv6") if entry.get(family, {}).get("address"))


def addresses(deployment: Deployment, index: int) -> list[str]:
    return [stack["address"][0]["ip"] for _family, stack in _stacks(dict(deployment.hosts[index].network_config))]


def _families(deployment: Deployment) -> set[bool]:
    """Whether the service networks are IPv6."""
    return {":" in cidr for cidr in deployment.cluster.networking.service_networks}


def _has_vips(deployment: Deployment) -> bool:
    return bool(deployment.cluster.api_vips)


def _all_static(deployment: Deployment) -> bool:
    return all(is_static(deployment, index) for index in range(len(deployment.hosts)))


def _is_worker(deployment: Deployment, index: int) -> bool:
    return deployment.hosts[index].role == "worker" and is_static(deployment, index)


def _is_bond(deployment: Deployment, index: int) -> bool:
    return len(deployment.hosts[index].interfaces) == 2


def _not_first(_deployment: Deployment, index: int) -> bool:
    return index > 0


def _only_v4(deployment: Deployment, index: int) -> bool:
    return is_static(deployment, index) and _families(deployment) == {False}


# Mistakes that need a look at the cluster


def _vip_of_host(deployment: Deployment, _draw: Draw) -> Made:
    own = [ip for ip in addresses(deployment, 0) if (":" in ip) == (":" in deployment.cluster.api_vips[0])]
    vips = (own[0], *deployment.cluster.api_vips[1:])
    return cluster(api_vips=vips)(deployment), (f"platform.{deployment.cluster.platform}.apiVIPs[0]", INVALID)


def _same_vips(deployment: Deployment, _draw: Draw) -> Made:
    return cluster(ingress_vips=deployment.cluster.api_vips)(deployment), (
        f"platform.{deployment.cluster.platform}.apiVIPs",
        INVALID,
    )


def _rendezvous_on_worker(deployment: Deployment, draw: Draw) -> Made:
    index = draw(st.sampled_from(_hosts(deployment, _is_worker)))
    return cluster(rendezvous_ip=addresses(deployment, index)[0])(deployment), (f"hosts[{index}].role", FORBIDDEN)


def _service_in_machines(deployment: Deployment, _draw: Draw) -> Made:
    services = [
        "fd2e:6f44:5dd8::/112" if ":" in cidr else "192.168.111.0/28"
        for cidr in deployment.cluster.networking.service_networks
    ]
    return networking(service_networks=tuple(services))(deployment), ("networking.serviceNetwork[0]", INVALID)


def _pods_in_services(deployment: Deployment, _draw: Draw) -> Made:
    pods = [
        ClusterNetwork("fd02::/48", 64) if ":" in entry.cidr else ClusterNetwork("172.30.0.0/15", 23)
        for entry in deployment.cluster.networking.cluster_networks
    ]
    return networking(cluster_networks=tuple(pods))(deployment), ("networking.clusterNetwork[0].cidr", INVALID)


def _host_prefix(deployment: Deployment, _draw: Draw) -> Made:
    pods = [dataclasses.replace(entry, host_prefix=12) for entry in deployment.cluster.networking.cluster_networks]
    return networking(cluster_networks=tuple(pods))(deployment), ("networking.clusterNetwork[0].hostPrefix", INVALID)


def _host_bits(deployment: Deployment, _draw: Draw) -> Made:
    machines = [
        cidr.replace("::/", "::1/").replace(".0/", ".1/") for cidr in deployment.cluster.networking.machine_networks
    ]
    return networking(machine_networks=tuple(machines))(deployment), ("networking.machineNetwork[0]", INVALID)


def _another_machine_network(deployment: Deployment, _draw: Draw) -> Made:
    machines = deployment.cluster.networking.machine_networks
    return networking(machine_networks=(*machines, "10.66.0.0/24"))(deployment), (
        f"networking.machineNetwork[{len(machines)}]",
        INVALID,
    )


def _asks_for_machine_networks(deployment: Deployment) -> bool:
    umn = deployment.cluster.user_managed_networking and not deployment.cluster.single_node
    return _all_static(deployment) and not umn and False in _families(deployment)


def _duplicate_mac(deployment: Deployment, index: int) -> Change:
    first = deployment.hosts[0].interfaces[0].mac_address
    table = (
        Interface(deployment.hosts[index].interfaces[0].name, first.upper()),
        *deployment.hosts[index].interfaces[1:],
    )
    return host(index, interfaces=table)


def _one_host_less(deployment: Deployment, _draw: Draw) -> Made:
    return Deployment(deployment.cluster, deployment.hosts[:-1]), ("hosts", REQUIRED)


def _edit(path: str, value: object) -> Callable[[dict[str, Any], int, Deployment], None]:
    """Set something in the interface with the first address."""

    def edit(document: dict[str, Any], position: int, _deployment: Deployment) -> None:
        *way, last = path.split(".")
        target = document["interfaces"][position]
        for step in way:
            target = target[step]
        target[last] = value

    return edit


def _address_of_first(document: dict[str, Any], _position: int, deployment: Deployment) -> None:
    for (_family, stack), ip in zip(_stacks(document), addresses(deployment, 0), strict=True):
        stack["address"][0]["ip"] = ip


def _prefix_length(document: dict[str, Any], _position: int, _deployment: Deployment) -> None:
    for _family, stack in _stacks(document):
        stack["address"][0]["prefix-length"] -= 1


def _gateway_elsewhere(document: dict[str, Any], _position: int, _deployment: Deployment) -> None:
    route = document["routes"]["config"][0]
    route["next-hop-address"] = "fd99::1" if ":" in route["next-hop-address"] else "10.99.0.1"


def _without(key: str) -> Callable[[dict[str, Any], int, Deployment], None]:
    def edit(document: dict[str, Any], _position: int, _deployment: Deployment) -> None:
        del document[key]

    return edit


def _bond_port(document: dict[str, Any], position: int, _deployment: Deployment) -> None:
    document["interfaces"][position]["link-aggregation"]["port"] = ["eno1", "eno2", "eno7"]


MUTATIONS: tuple[Mutation, ...] = (
    _of_cluster("name with capitals", cluster(name="Demo"), "metadata.name", INVALID),
    _of_cluster("name too long", cluster(name="d" * 55), "metadata.name", INVALID),
    _of_cluster("domain with an underscore", cluster(base_domain="my_domain.example.com"), "baseDomain", INVALID),
    _of_cluster("NTP source", cluster(ntp_sources=("ntp server",)), "additionalNTPSources", INVALID),
    _of_cluster(
        "boot artifacts without a scheme",
        cluster(boot_artifacts_base_url="files.example.com/ocp"),
        "bootArtifactsBaseURL",
        INVALID,
    ),
    Mutation("machine network with host bits", _always, _host_bits),
    Mutation("machine network without hosts", _asks_for_machine_networks, _another_machine_network),
    Mutation("services among the machines", _always, _service_in_machines),
    Mutation("pods among the services", _always, _pods_in_services),
    Mutation("host prefix larger than the network", _always, _host_prefix),
    _of_cluster("OpenShiftSDN", networking(network_type="OpenShiftSDN"), "networking.networkType", INVALID),
    _of_cluster("no VIP of the API", cluster(api_vips=()), "platform.*.apiVIPs", REQUIRED, _has_vips),
    _of_cluster(
        "three VIPs",
        cluster(ingress_vips=("192.168.111.5", "192.168.111.6", "192.168.111.7")),
        "platform.*.ingressVIPs",
        TOO_MANY,
        _has_vips,
    ),
    _of_cluster("VIP elsewhere", cluster(ingress_vips=("10.44.0.1",)), "platform.*.ingressVIPs", INVALID, _has_vips),
    _of_cluster("VIP no address", cluster(ingress_vips=("ingress",)), "platform.*.ingressVIPs", INVALID, _has_vips),
    Mutation("VIP of a host", _has_vips, _vip_of_host),
    Mutation("one VIP for both", _has_vips, _same_vips),
    _of_cluster(
        "hyperthreading", pool("compute", options={"hyperthreading": "On"}), "compute[0].hyperthreading", UNSUPPORTED
    ),
    _of_cluster(
        "workers of another architecture", pool("compute", architecture="riscv"), "compute[0].architecture", UNSUPPORTED
    ),
    _of_cluster("six masters", pool("control_plane", replicas=6), "controlPlane.replicas", UNSUPPORTED),
    Mutation("a host is missing", lambda deployment: len(deployment.hosts) > 1, _one_host_less),
    _of_cluster("SSH key cut off", cluster(ssh_key=SSH_KEY[:33]), "sshKey", INVALID),
    _of_cluster("SSH key for FIPS", cluster(ssh_key=SSH_KEY, fips=True), "sshKey", INVALID),
    _of_cluster("bundle no certificate", cluster(additional_trust_bundle="ca.pem"), "additionalTrustBundle", INVALID),
    _of_cluster(
        "certificate expired",
        cluster(additional_trust_bundle=certificate("a", "2026-05-31")),
        "additionalTrustBundle",
        INVALID,
    ),
    _of_cluster(
        "bundle policy", cluster(additional_trust_bundle_policy="Never"), "additionalTrustBundlePolicy", INVALID
    ),
    _of_cluster("pull secret no JSON", cluster(pull_secret="{auths}"), "pullSecret", INVALID),
    _of_cluster("pull secret without auths", cluster(pull_secret='{"auths": {}}'), "pullSecret", INVALID),
    _of_cluster(
        "source with a tag",
        cluster(image_digest_sources=(ImageDigestSource("quay.io/a/b:1"),)),
        "imageDigestSources[0].source",
        INVALID,
    ),
    _of_cluster(
        "mirror without credentials",
        cluster(image_digest_sources=(ImageDigestSource("quay.io/a/b", ("mirror.example.com/a/b",)),)),
        "imageDigestSources[0].mirrors[0]",
        INVALID,
    ),
    _of_cluster(
        "release of another version",
        cluster(release_image="quay.io/openshift-release-dev/ocp-release:4.20.1-multi"),
        "openshift_release_image",
        INVALID,
    ),
    _of_cluster("noProxy alone", cluster(proxy=Proxy(no_proxy="example.com")), "proxy", REQUIRED),
    _of_cluster(
        "proxy with the wrong scheme",
        cluster(proxy=Proxy(http_proxy="https://proxy.example.com:3128")),
        "proxy.httpProxy",
        UNSUPPORTED,
    ),
    _of_cluster(
        "capability set",
        cluster(capabilities={"baselineCapabilitySet": "v4.10"}),
        "capabilities.baselineCapabilitySet",
        UNSUPPORTED,
    ),
    _of_cluster("feature set", cluster(feature_set="TechPreview", feature_gates=()), "featureSet", UNSUPPORTED),
    _of_cluster(
        "gates without custom set", cluster(feature_set="", feature_gates=("A=true",)), "featureGates", FORBIDDEN
    ),
    _of_cluster("publish", extra(publish="Somewhere"), "publish", UNSUPPORTED),
    _of_cluster("CPU partitioning", cluster(cpu_partitioning_mode="Some"), "cpuPartitioningMode", UNSUPPORTED),
    _of_cluster("rendezvous IP no address", cluster(rendezvous_ip="node-0"), "rendezvousIP", INVALID),
    _of_cluster(
        "rendezvous IP on no host", cluster(rendezvous_ip="192.168.111.9"), "rendezvousIP", INVALID, _all_static
    ),
    Mutation(
        "rendezvous IP on a worker", lambda deployment: bool(_hosts(deployment, _is_worker)), _rendezvous_on_worker
    ),
    _of_host("no interface", lambda _d, index: host(index, interfaces=()), "interfaces", REQUIRED),
    _of_host(
        "no MAC",
        lambda _d, index: host(index, interfaces=(Interface("eno1", ""),)),
        "interfaces[0].macAddress",
        REQUIRED,
    ),
    _of_host(
        "MAC multicast",
        lambda _d, index: host(index, interfaces=(Interface("eno1", "53:54:00:ab:00:03"),)),
        "interfaces[0].macAddress",
        INVALID,
    ),
    _of_host("MAC twice in capitals", _duplicate_mac, "interfaces[0].macAddress", DUPLICATE, _not_first),
    _of_host("hostname localhost", lambda _d, index: host(index, hostname="localhost"), "hostname", INVALID),
    _of_host(
        "hostname twice", lambda d, index: host(index, hostname=d.hosts[0].hostname), "hostname", DUPLICATE, _not_first
    ),
    _of_host("role", lambda _d, index: host(index, role="storage"), "role", UNSUPPORTED),
    _of_host(
        "device name",
        lambda _d, index: host(index, root_device_hints={"deviceName": "sda"}),
        "rootDeviceHints.deviceName",
        INVALID,
    ),
    _of_host(
        "partition",
        lambda _d, index: host(index, root_device_hints={"deviceName": "/dev/sda2"}),
        "rootDeviceHints.deviceName",
        INVALID,
    ),
    _of_host(
        "WWN extension",
        lambda _d, index: host(index, root_device_hints={"wwnWithExtension": "0x1"}),
        "rootDeviceHints.wwnWithExtension",
        FORBIDDEN,
    ),
    _of_network("unknown property", _edit("mtuu", 1500), "interfaces[{}].mtuu", UNKNOWN_FIELD),
    _of_network(
        "address of another host",
        _address_of_first,
        "interfaces[{}].ipv4.address[0].ip",
        DUPLICATE,
        lambda d, i: i > 0 and _only_v4(d, i),
    ),
    _of_network("prefix length", _prefix_length, "interfaces[{}].ipv4.address[0].prefix-length", INVALID, _only_v4),
    _of_network(
        "no address",
        _edit("ipv4", {"enabled": True, "address": [{"ip": "192.168.111.300", "prefix-length": 24}]}),
        "interfaces[{}].ipv4.address[0].ip",
        INVALID,
    ),
    _of_network("gateway elsewhere", _gateway_elsewhere, "routes.config[0].next-hop-address", INVALID),
    _of_network("no default route", _without("routes"), "routes", REQUIRED),
    _of_network("no name server", _without("dns-resolver"), "dns-resolver", REQUIRED),
    _of_network("bond port missing", _bond_port, "interfaces[{}].link-aggregation.port", INVALID, _is_bond),
    _of_network("MTU too small", _edit("mtu", 1000), "interfaces[{}].mtu", INVALID),
)
