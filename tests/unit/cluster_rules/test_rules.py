# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test validation rules that the one cluster of catalogue.py does not reach: other platforms and topologies, and single
decisions inside rules.
"""

from __future__ import annotations

import copy
import itertools
import re
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.validate import validate
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    ClusterNetwork,
    Deployment,
    ImageDigestSource,
    Pool,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.upstream.hints import path_hint
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.upstream.repositories import (
    image_error,
    repository_error,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.upstream.texts import (
    mac_error,
    subdomain_error,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variables import read_variables
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    DUPLICATE,
    FORBIDDEN,
    IGNORED,
    INVALID,
    REQUIRED,
    UNSUPPORTED,
    Problem,
)
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.base import (
    TODAY,
    Change,
    all_of,
    both_families,
    cluster,
    extra,
    good_deployment,
    host,
    network,
    networking,
    pool,
    put,
)
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.verdict_bases import RSA_KEY

Expected = list[tuple[str, str]]


def found(deployment: Deployment) -> Expected:
    return list(dict.fromkeys((problem.path, problem.kind) for problem in validate(deployment, today=TODAY)))


def without_vips(platform: str, **options: Any) -> Change:
    return cluster(platform=platform, api_vips=(), ingress_vips=(), platform_options=options)


def single_node(deployment: Deployment) -> Deployment:
    alone = Deployment(deployment.cluster, deployment.hosts[:1])
    return all_of(without_vips("none"), pool("control_plane", replicas=1), pool("compute", replicas=0))(alone)


def two_nodes(deployment: Deployment) -> Deployment:
    return all_of(pool("control_plane", replicas=2), pool("compute", replicas=0))(
        Deployment(deployment.cluster, deployment.hosts[:2])
    )


def credential(number: int, **changes: str) -> dict[str, str]:
    values = {
        "hostName": f"node-{number}",
        "username": "admin",
        "password": "geheim",
        "address": f"redfish+https://10.9.0.{number}/redfish/v1/Systems/1",
    }
    return {key: value for key, value in {**values, **changes}.items() if value}


def fencing(*credentials: dict[str, str]) -> Change:
    return pool("control_plane", options={"fencing": {"credentials": list(credentials)}})


CREDENTIALS = "controlPlane.fencing.credentials"
VSPHERE_TOPOLOGY = {
    "datacenter": "dc",
    "computeCluster": "/dc/host/c",
    "networks": ["n"],
    "datastore": "/dc/datastore/d",
    "folder": "/dc/vm/f",
}
VCENTER = {"server": "vc.example.com", "user": "u", "password": "p", "datacenters": ["dc"]}
DOMAIN = {"name": "fd", "region": "r", "zone": "z", "server": "vc.example.com", "topology": VSPHERE_TOPOLOGY}
PRISM = {
    "prismCentral": {"endpoint": {"address": "pc.example.com", "port": 9440}, "username": "u", "password": "p"},
    "prismElements": [{"uuid": "0005b0f1", "endpoint": {"address": "pe.example.com", "port": 9440}}],
    "subnetUUIDs": ["b06179c8"],
}


def dual_stack(deployment: Deployment) -> Deployment:
    return networking(
        machine_networks=("192.168.111.0/24", "fd2e:6f44:5dd8::/64"),
        service_networks=("172.30.0.0/16", "fd02::/112"),
        cluster_networks=(ClusterNetwork("10.128.0.0/14", 23), ClusterNetwork("fd01::/48", 64)),
    )(both_families(deployment))


def v6_first(deployment: Deployment) -> Deployment:
    return networking(
        machine_networks=("fd2e:6f44:5dd8::/64", "192.168.111.0/24"),
        service_networks=("fd02::/112", "172.30.0.0/16"),
        cluster_networks=(ClusterNetwork("fd01::/48", 64), ClusterNetwork("10.128.0.0/14", 23)),
    )(both_families(deployment))


def join(subnet: str) -> Change:
    return extra(networking={"ovnKubernetesConfig": {"ipv4": {"internalJoinSubnet": subnet}}})


def in_default_join_subnet(deployment: Deployment) -> Deployment:
    """A second machine network where OVN-Kubernetes has its own by default, and every host in it."""
    for index in range(len(deployment.hosts)):
        further = {"ip": f"100.64.1.{80 + index}", "prefix-length": 24}
        deployment = network(
            index, lambda document, further=further: document["interfaces"][0]["ipv4"]["address"].append(further)
        )(deployment)
    return networking(machine_networks=("192.168.111.0/24", "100.64.1.0/24"))(deployment)


JOIN = "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet"

TOPOLOGIES: list[tuple[str, Change, Expected]] = [
    ("single node", single_node, []),
    (
        "single node, external",
        all_of(single_node, cluster(platform="external", platform_options={"platformName": "kvm"})),
        [],
    ),
    (
        "single node on baremetal",
        all_of(
            pool("control_plane", replicas=1), pool("compute", replicas=0), lambda d: Deployment(d.cluster, d.hosts[:1])
        ),
        [("platform", INVALID)],
    ),
    (
        "single node with workers",
        all_of(single_node, pool("compute", replicas=2)),
        [("compute.replicas", FORBIDDEN), ("hosts", REQUIRED)],
    ),
    (
        "single node, other network",
        all_of(single_node, networking(network_type="Calico")),
        [("networking.networkType", INVALID)],
    ),
    (
        "single node with arbiter",
        all_of(single_node, cluster(arbiter=Pool(1))),
        [("arbiter.replicas", INVALID), ("arbiter.replicas", FORBIDDEN), ("hosts", REQUIRED)],
    ),
    (
        "bootstrapInPlace disk",
        all_of(single_node, extra(bootstrapInPlace={"installationDisk": "/dev/sda"})),
        [("bootstrapInPlace.installationDisk", IGNORED)],
    ),
    (
        "no control plane",
        all_of(pool("control_plane", replicas=0), lambda d: Deployment(d.cluster, d.hosts[3:])),
        [("controlPlane.replicas", INVALID), ("controlPlane.replicas", UNSUPPORTED), ("rendezvousIP", INVALID)],
    ),
    ("two nodes with neither", two_nodes, [(CREDENTIALS, FORBIDDEN)]),
    ("two nodes with fencing", all_of(two_nodes, fencing(credential(0), credential(1))), []),
    (
        "two nodes with fencing in 4.22, with gates of its own",
        all_of(
            two_nodes,
            fencing(credential(0), credential(1)),
            cluster(feature_set="CustomNoUpgrade", feature_gates=("Some=true",)),
        ),
        [("platform.none.fencingCredentials", FORBIDDEN), ("controlPlane.fencing", INVALID)],
    ),
    (
        "two nodes with fencing in 4.20",
        all_of(
            two_nodes,
            fencing(credential(0), credential(1)),
            cluster(version="4.20.3", feature_set="TechPreviewNoUpgrade"),
        ),
        [("controlPlane.replicas", UNSUPPORTED)],
    ),
    (
        "two nodes with fencing in 4.21 by feature set",
        all_of(
            two_nodes,
            fencing(credential(0), credential(1)),
            cluster(version="4.21.3", feature_set="TechPreviewNoUpgrade"),
        ),
        [("controlPlane.replicas", UNSUPPORTED)],
    ),
    (
        "two nodes with one credential",
        all_of(two_nodes, fencing(credential(0))),
        [(CREDENTIALS, FORBIDDEN), (CREDENTIALS, INVALID)],
    ),
    (
        "credential without password",
        all_of(two_nodes, fencing(credential(0), credential(1, password=""))),
        [(f"{CREDENTIALS}[1].password", REQUIRED)],
    ),
    (
        "credential without a hostname",
        all_of(two_nodes, fencing(credential(0), credential(1, hostName=""))),
        [(f"{CREDENTIALS}[1].hostName", REQUIRED)],
    ),
    (
        "credential twice",
        all_of(two_nodes, fencing(credential(0), credential(1, hostName="node-0"))),
        [(f"{CREDENTIALS}[1].hostName", DUPLICATE)],
    ),
    (
        "credential by IPMI",
        all_of(two_nodes, fencing(credential(0), credential(1, address="ipmi://10.9.0.1"))),
        [(f"{CREDENTIALS}[1].address", INVALID)],
    ),
    (
        "credential verification",
        all_of(two_nodes, fencing(credential(0), credential(1, certificateVerification="No"))),
        [(f"{CREDENTIALS}[1][CertificateVerification]", INVALID)],
    ),
    (
        "two nodes and arbiter",
        all_of(
            two_nodes,
            cluster(arbiter=Pool(1)),
            lambda d: Deployment(d.cluster, (*d.hosts, host(3, role="arbiter")(good_deployment()).hosts[3])),
        ),
        [],
    ),
    (
        "two nodes and two arbiters",
        all_of(two_nodes, cluster(arbiter=Pool(2))),
        [("arbiter.replicas", INVALID), ("hosts", REQUIRED)],
    ),
    (
        "arbiter on vsphere",
        all_of(cluster(platform="vsphere", arbiter=Pool(1))),
        [("arbiter.platform", UNSUPPORTED), ("hosts", REQUIRED)],
    ),
    ("arm workers on baremetal", pool("compute", architecture="arm64"), []),
    (
        "arm workers elsewhere",
        all_of(without_vips("none"), pool("compute", architecture="arm64")),
        [("compute[0].architecture", INVALID)],
    ),
    (
        "s390x on none",
        all_of(
            without_vips("none"), pool("control_plane", architecture="s390x"), pool("compute", architecture="s390x")
        ),
        [],
    ),
    (
        "architecture unknown",
        pool("compute", architecture="riscv"),
        [("compute[0].architecture", INVALID), ("compute[0].architecture", UNSUPPORTED)],
    ),
    (
        "negative workers",
        all_of(pool("compute", replicas=-1), lambda d: Deployment(d.cluster, d.hosts[:3])),
        [("compute[0].replicas", INVALID)],
    ),
    (
        "pool of another platform",
        pool("compute", options={"platform": {"aws": {}}}),
        [("compute[0].platform.aws", INVALID), ("compute[0].platform", IGNORED)],
    ),
    ("roles unset", lambda d: Deployment(d.cluster, tuple(host(i, role="")(d).hosts[i] for i in range(5))), []),
    ("no hosts", all_of(cluster(rendezvous_ip="192.168.111.80"), lambda d: Deployment(d.cluster, ())), []),
    ("no hosts, no rendezvous IP", lambda d: Deployment(d.cluster, ()), [("rendezvousIP", REQUIRED)]),
    (
        "all by DHCP, no rendezvous IP",
        lambda d: Deployment(d.cluster, tuple(host(i, network_config={})(d).hosts[i] for i in range(5))),
        [("rendezvousIP", REQUIRED)],
    ),
    (
        "all by DHCP",
        lambda d: cluster(rendezvous_ip="192.168.111.80")(
            Deployment(d.cluster, tuple(host(i, network_config={})(d).hosts[i] for i in range(5)))
        ),
        [],
    ),
    (
        "one master by DHCP may have the rendezvous IP",
        all_of(host(1, network_config={}), cluster(rendezvous_ip="192.168.111.99")),
        [],
    ),
    ("only workers are static", all_of(*(host(i, network_config={}) for i in range(3))), [("rendezvousIP", INVALID)]),
]

PLATFORMS: list[tuple[str, Change, Expected]] = [
    ("external", without_vips("external", platformName="kvm"), []),
    (
        "oci without CCM",
        without_vips("external", platformName="oci"),
        [("platform.external.cloudControllerManager", INVALID)],
    ),
    (
        "external CCM unknown",
        without_vips("external", cloudControllerManager="Mine"),
        [("platform.external.cloudControllerManager", UNSUPPORTED)],
    ),
    ("vsphere without credentials", cluster(platform="vsphere"), []),
    ("vsphere", cluster(platform="vsphere", platform_options={"vcenters": [VCENTER], "failureDomains": [DOMAIN]}), []),
    (
        "vsphere half",
        cluster(platform="vsphere", platform_options={"vcenters": [{"server": "vc"}]}),
        [
            ("platform.vsphere.vcenters[0].user", REQUIRED),
            ("platform.vsphere.vcenters[0].password", REQUIRED),
            ("platform.vsphere.vcenters[0].datacenter", REQUIRED),
            ("platform.vsphere.failureDomains[0].topology.folder", REQUIRED),
        ],
    ),
    (
        "vsphere without folder",
        cluster(
            platform="vsphere",
            platform_options={
                "vcenters": [VCENTER],
                "failureDomains": [{**DOMAIN, "topology": {**VSPHERE_TOPOLOGY, "folder": ""}}],
            },
        ),
        [("platform.vsphere.failureDomains[0].topology.folder", REQUIRED)],
    ),
    (
        "vsphere other server",
        cluster(
            platform="vsphere", platform_options={"vcenters": [VCENTER], "failureDomains": [{**DOMAIN, "server": "x"}]}
        ),
        [("platform.vsphere.failureDomains.server", INVALID)],
    ),
    ("nutanix", cluster(platform="nutanix", platform_options=PRISM), []),
    (
        "nutanix without anything",
        cluster(platform="nutanix"),
        [
            ("platform.nutanix.prismCentral.endpoint.address", REQUIRED),
            ("platform.nutanix.prismCentral.endpoint.port", INVALID),
            ("platform.nutanix.prismCentral.username", REQUIRED),
            ("platform.nutanix.prismCentral.password", REQUIRED),
            ("platform.nutanix.prismElements", REQUIRED),
            ("platform.nutanix.subnetUUIDs", REQUIRED),
        ],
    ),
    (
        "nutanix subnets twice",
        cluster(platform="nutanix", platform_options={**PRISM, "subnetUUIDs": ["a", "a"]}),
        [("platform.nutanix.subnetUUIDs", INVALID)],
    ),
    (
        "nutanix credentials mode",
        all_of(cluster(platform="nutanix", platform_options=PRISM), extra(credentialsMode="Mint")),
        [("credentialsMode", UNSUPPORTED)],
    ),
    (
        "nutanix without cloud controller",
        all_of(
            cluster(platform="nutanix", platform_options=PRISM),
            cluster(
                capabilities={
                    "baselineCapabilitySet": "None",
                    "additionalEnabledCapabilities": ["Ingress", "CloudCredential"],
                }
            ),
        ),
        [("capabilities", INVALID)],
    ),
    ("dot in the name on none", all_of(without_vips("none"), cluster(name="demo.one")), []),
    ("no platform", without_vips(""), [("platform", INVALID)]),
]


def bmc_hosts(count: int, **changes: str) -> list[dict[str, Any]]:
    bmc = {
        "address": "redfish-virtualmedia://10.9.0.{}/redfish/v1/Systems/1",
        "username": "u",
        "password": "p",
        **changes,
    }
    return [
        {"name": f"n{number}", "bmc": {key: value.format(number) for key, value in bmc.items()}}
        for number in range(count)
    ]


def provisioning(**options: Any) -> Change:
    return cluster(platform_options={"hosts": bmc_hosts(2), **options})


PROVISIONING: list[tuple[str, Change, Expected]] = [
    ("defaults", provisioning(), []),
    ("without BMC nothing is checked", cluster(platform_options={"provisioningNetworkCIDR": "172.22.0.7/24"}), []),
    (
        "host bits",
        provisioning(provisioningNetworkCIDR="172.22.0.7/24"),
        [("platform.baremetal.provisioningNetworkCIDR", INVALID)],
    ),
    (
        "overlaps machine network",
        provisioning(provisioningNetworkCIDR="192.168.0.0/16"),
        [("platform.baremetal.provisioningNetworkCIDR", INVALID)],
    ),
    (
        "range",
        provisioning(provisioningDHCPRange="172.22.0.10"),
        [("platform.baremetal.provisioningDHCPRange", INVALID)],
    ),
    (
        "range elsewhere",
        provisioning(provisioningDHCPRange="172.23.0.10,172.23.0.20"),
        [("platform.baremetal.provisioningDHCPRange", INVALID)],
    ),
    (
        "IP in the range",
        provisioning(provisioningDHCPRange="172.22.0.10,172.22.0.20", clusterProvisioningIP="172.22.0.12"),
        [("platform.baremetal.clusterProvisioningIP", INVALID)],
    ),
    (
        "IP elsewhere",
        provisioning(clusterProvisioningIP="10.0.0.1"),
        [("platform.baremetal.clusterProvisioningIP", INVALID)],
    ),
    ("disabled", provisioning(provisioningNetwork="Disabled"), []),
    (
        "disabled, IP elsewhere",
        provisioning(provisioningNetwork="Disabled", clusterProvisioningIP="172.22.0.3"),
        [("platform.baremetal.clusterProvisioningIP", INVALID)],
    ),
    (
        "disabled with IPMI",
        provisioning(provisioningNetwork="Disabled", hosts=bmc_hosts(1, address="ipmi://10.9.0.1")),
        [("platform.baremetal.hosts[0].bmc", INVALID)],
    ),
    (
        "BMC twice",
        provisioning(hosts=bmc_hosts(2, address="redfish-virtualmedia://10.9.0.1/x")),
        [("platform.baremetal.hosts[1].bmc.address", DUPLICATE)],
    ),
    (
        "BMC without password",
        provisioning(hosts=bmc_hosts(1, password="")),
        [("platform.baremetal.hosts[0].bmc.password", REQUIRED)],
    ),
]

NETWORKS: list[tuple[str, Change, Expected]] = [
    ("dual stack", dual_stack, []),
    (
        "dual stack, both VIPs",
        all_of(
            dual_stack,
            cluster(
                api_vips=("192.168.111.5", "fd2e:6f44:5dd8::5"), ingress_vips=("192.168.111.4", "fd2e:6f44:5dd8::4")
            ),
        ),
        [],
    ),
    (
        "dual stack, VIP of the second family",
        all_of(dual_stack, cluster(api_vips=("fd2e:6f44:5dd8::5",))),
        [("platform.baremetal.apiVIPs", INVALID)],
    ),
    ("IPv6 first", all_of(v6_first, cluster(api_vips=("fd2e:6f44:5dd8::5",), ingress_vips=("fd2e:6f44:5dd8::4",))), []),
    (
        "IPv6 first on nutanix",
        all_of(
            v6_first,
            cluster(
                platform="nutanix",
                platform_options=PRISM,
                api_vips=("fd2e:6f44:5dd8::5",),
                ingress_vips=("fd2e:6f44:5dd8::4",),
            ),
        ),
        [
            ("networking.machineNetwork", INVALID),
            ("networking.serviceNetwork", INVALID),
            ("networking.clusterNetwork", INVALID),
        ],
    ),
    (
        "VIPs behind a user's load balancer",
        cluster(
            api_vips=("10.0.0.9",),
            ingress_vips=("10.0.0.9",),
            platform_options={"loadBalancer": {"type": "UserManaged"}},
        ),
        [],
    ),
    ("join subnet", join("100.99.0.0/16"), []),
    ("join subnet with host bits", join("100.99.0.1/16"), [(JOIN, INVALID)]),
    ("join subnet overlaps", join("192.168.111.0/24"), [(JOIN, INVALID)]),
    ("join subnet too small", join("100.99.0.0/24"), [(JOIN, INVALID)]),
    ("join subnet frees the default one", all_of(join("100.99.0.0/16"), in_default_join_subnet), []),
    (
        "OVN config with another network",
        all_of(join("100.99.0.0/16"), networking(network_type="Calico")),
        [("networking.networkType", INVALID)],
    ),
    ("Kuryr", networking(network_type="Kuryr"), [("networking.networkType", INVALID)]),
    (
        "another network plug-in may use OVN's networks",
        all_of(networking(network_type="Calico"), in_default_join_subnet),
        [],
    ),
    (
        "docker bridge as machine network warns",
        networking(machine_networks=("192.168.111.0/24", "172.17.0.0/16")),
        [("networking.machineNetwork[1]", INVALID)],
    ),
    (
        "gateway by link-local address",
        network(
            3,
            lambda d: (
                d["interfaces"][0].update(ipv6={"enabled": True, "address": [{"ip": "fd2e::83", "prefix-length": 64}]})
                or d["routes"]["config"].append(
                    {"destination": "::/0", "next-hop-address": "fe80::1", "next-hop-interface": "eno1"}
                )
            ),
        ),
        [],
    ),
    ("gateway of an interface by DHCP", network(3, put("interfaces.0.ipv4", {"enabled": True, "dhcp": True})), []),
    (
        "networkConfig with a warning and dashes",
        network(3, put("hostname", {"config": "x"})),
        [("hosts[3].networkConfig.hostname", IGNORED)],
    ),
    ("port in the interface table only", network(4, lambda d: d["interfaces"].pop()), []),
    (
        "port below its bond",
        network(4, put("interfaces.2.mtu", 1400)),
        [("hosts[4].networkConfig.interfaces[2].mtu", INVALID)],
    ),
    (
        "MTU below 1280",
        network(4, put("interfaces.1.mtu", 1000)),
        [("hosts[4].networkConfig.interfaces[1].mtu", INVALID)],
    ),
    (
        "interface name that networkConfig does not have",
        lambda d: all_of(
            cluster(version="5.0.0"),
            host(
                4, interfaces=(*d.hosts[4].interfaces, d.hosts[4].interfaces[0].__class__("eno9", "52:54:00:99:99:99"))
            ),
        )(d),
        [("hosts[4].interfaces[2].name", INVALID)],
    ),
    (
        "interface names twice",
        lambda d: host(4, interfaces=tuple(i.__class__("eno1", i.mac_address) for i in d.hosts[4].interfaces))(d),
        [("hosts[4].interfaces", INVALID), ("hosts[4].networkConfig.interfaces[2].mac-address", INVALID)],
    ),
]

# With 4.23, which has fencing credentials by MAC address.
FENCING_BY_MAC: list[tuple[str, dict[str, str], Expected]] = [
    ("neither hostname nor MAC address", {"hostName": ""}, [(f"{CREDENTIALS}[1]", REQUIRED)]),
    (
        "a MAC address that no host has",
        {"hostName": "", "macAddress": "52:54:00:FF:FF:01"},
        [(f"{CREDENTIALS}[1].macAddress", INVALID)],
    ),
    ("a hostname, and a MAC address that no host has", {"macAddress": "52:54:00:FF:FF:01"}, []),
    ("no MAC address", {"macAddress": "x"}, [(f"{CREDENTIALS}[1].macAddress", INVALID)]),
]
TABLE = [*TOPOLOGIES, *PLATFORMS, *PROVISIONING, *NETWORKS]


@pytest.mark.parametrize(("change", "expected"), [case[1:] for case in TABLE], ids=[case[0] for case in TABLE])
def test_table(change: Change, expected: Expected) -> None:
    assert sorted(found(change(good_deployment()))) == sorted(expected)


def found_by_mac(changes: dict[str, str]) -> list[Problem]:
    """Problems of two nodes with fencing in 4.23, the second credential with ``changes``."""
    deployment = all_of(two_nodes, fencing(credential(0), credential(1, **changes)), cluster(version="4.23.0"))(
        good_deployment()
    )
    return validate(deployment, today=TODAY)


@pytest.mark.parametrize(
    ("changes", "expected"), [case[1:] for case in FENCING_BY_MAC], ids=[case[0] for case in FENCING_BY_MAC]
)
def test_fencing_by_mac(changes: dict[str, str], expected: Expected) -> None:
    assert [(problem.path, problem.kind) for problem in found_by_mac(changes)] == expected


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("52:54:00:e7:05:72", True),
        ("52-54-00-E7-05-72", True),
        ("5254.00e7.0572", True),
        ("52:54:00:e7:05", False),
        ("52:54:00:e7:05:72:00:01", False),
        ("52:54:00:e7-05-72", False),
        ("525400e70572", False),
        ("53:54:00:e7:05:72", False),
        ("52:54:00:e7:05:7g", False),
    ],
)
def test_mac_addresses(text: str, good: bool) -> None:
    assert (mac_error(text) == "") is good


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("quay.io/openshift-release-dev/ocp-release", True),
        ("registry.example.com:5000", True),
        ("registry.example.com", True),
        ("registry.example.com:5000/a/b-c__d", True),
        ("localhost/a", True),
        ("10.0.0.1:5000/a", True),
        ("quay.io/a:latest", False),
        ("quay.io/a@sha256:" + "0" * 64, False),
        ("ocp/release", False),
        ("https://quay.io/a", False),
        ("quay.io/A", False),
        ("quay.io//a", False),
        ("Registry", False),
        ("", False),
        ("quay.io/openshift-release-dev/ocp-release ", False),
        ("quay.io/" + "a" * 5000 + " ", False),
    ],
)
def test_repositories(text: str, good: bool) -> None:
    assert (repository_error(text) == "") is good


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("quay.io/openshift-release-dev/ocp-release", True),
        ("quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64", True),
        ("quay.io/openshift-release-dev/ocp-release@sha256:" + "0a" * 32, True),
        ("quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64@sha256:" + "0a" * 32, True),
        ("registry.example.com:5000/ocp/release:4.22.0", True),
        ("10.0.0.1:5000/ocp/release:4.22.0", True),
        ("10.0.0.1/ocp:4.22.0", True),
        ("[fd00::1]:5000/ocp/release:4.22.0", True),
        ("[fd00::1]/ocp/release@sha256:" + "0a" * 32, True),
        ("localhost/ocp:4.22.0", True),
        ("localhost:5000/ocp:4.22.0", True),
        ("registry:5000/ocp:4.22.0", True),
        ("docker.io/ocp:4.22.0", True),
        ("https://quay.io/openshift-release-dev/ocp-release:4.22.0", False),
        ("docker://quay.io/openshift-release-dev/ocp-release:4.22.0", False),
        ("quay.io/openshift-release-dev/ocp-release@sha256:abc", False),
        ("quay.io/openshift-release-dev/ocp-release@sha256:" + "0A" * 32, False),
        ("quay.io/openshift-release-dev/ocp-release@md5:" + "0a" * 32, False),
        ("quay.io/openshift-release-dev/ocp-release@", False),
        ("quay.io/openshift-release-dev/ocp-release:", False),
        ("quay.io/openshift-release-dev/ocp-release:4.22.0\n", False),
        ("quay.io/openshift-release-dev/ocp-release:4.22.0\nX=y", False),
        ("quay.io/openshift-release-dev/ocp-release :4.22.0", False),
        ("quay.io/OCP:4.22.0", False),
        ("quay.io/" + "a" * 260 + ":4.22.0", False),
        ("user:password@quay.io/ocp:4.22.0", False),
        ("[fd00::1/ocp:4.22.0", False),
        ("[fd00::1%eth0]/ocp:4.22.0", False),
        ("quay.io", False),
        ("quay.io/", False),
        ("registry/ocp:4.22.0", False),
        ("ocp release", False),
        ("4.22.0", False),
        ("", False),
    ],
)
def test_images(text: str, good: bool) -> None:
    assert (image_error(text) == "") is good


@pytest.mark.parametrize(
    ("image", "words"),
    [
        ("https://quay.io/ocp:4.22.0", 'Invalid value: "https://quay.io/ocp:4.22.0": is not the name of an image'),
        ("https://user:geheim@quay.io/ocp:4.22.0", "openshift_release_image: Invalid value: is not the name"),
        (
            "https://user:geheim@shared.example.com/ocp:4.22.0",
            "openshift_release_image: Invalid value: is not the name",
        ),
        ("ocp release", "it begins with no registry"),
    ],
    ids=["URL", "login", "login of another registry", "no registry"],
)
def test_a_release_image_without_the_form_of_one_is_one_error(image: str, words: str) -> None:
    (problem,) = validate(cluster(release_image=image)(good_deployment()), today=TODAY)
    assert (problem.check, problem.severity, problem.layer) == ("release-image", "error", "ours")
    assert words in problem.text()
    assert "geheim" not in problem.text()


def test_a_wrong_version_is_not_reported_as_its_release_image() -> None:
    parsed = read_variables({"name": "demo", "version": "4.22 0"}, [])
    assert parsed.deployment is not None
    assert "openshift_release_image" not in {each.path for each in validate(parsed.deployment, today=TODAY)}


def test_repositories_are_those_of_the_library() -> None:
    """The pattern of the installer's library takes Python's engine 2**n steps for n letters."""
    component = re.compile(r"[a-z0-9]+(?:(?:[._]|__|[-]*)[a-z0-9]+)*")
    for length in range(1, 8):
        for text in map("".join, itertools.product("a._-", repeat=length)):
            assert (repository_error(f"quay.io/{text}") == "") == bool(component.fullmatch(text)), text


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("a", True),
        ("a-1.b", True),
        ("A", False),
        ("-a", False),
        ("a-", False),
        ("a..b", False),
        ("", False),
        ("a" * 254, False),
    ],
)
def test_subdomains(text: str, good: bool) -> None:
    assert (subdomain_error(text) == "") is good


@pytest.mark.parametrize(
    ("text", "fips", "good"),
    [
        ("", False, True),
        (RSA_KEY, False, True),
        (RSA_KEY, True, True),
        (f'command="x" {RSA_KEY}', False, True),
        (f"# a comment\n{RSA_KEY}", False, False),
        (RSA_KEY.replace("ssh-rsa", "ssh-ed25519"), False, True),  # the key says itself what it is
        (RSA_KEY[:20], False, False),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", False, False),
    ],
)
def test_ssh_keys(text: str, fips: bool, good: bool) -> None:
    deployment = cluster(ssh_key=text, fips=fips)(good_deployment())
    assert ("sshKey" not in [problem.path for problem in validate(deployment, today=TODAY)]) is good


def test_release_image_by_tag_is_fine_where_nothing_mirrors_it() -> None:
    by_tag = cluster(release_image="quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64")
    other = cluster(
        image_digest_sources=(
            ImageDigestSource("quay.io/openshift-release-dev/ocp-v4.0-art-dev", ("registry.example.com:5000/ocp",)),
        )
    )
    assert found(all_of(by_tag, other)(good_deployment())) == []


def test_wrong_prefix_lengths_are_one_problem_with_all_hosts() -> None:
    changed = all_of(*(network(index, put("interfaces.0.ipv4.address.0.prefix-length", 23)) for index in range(3)))(
        good_deployment()
    )
    problems = validate(changed, today=TODAY)
    assert [problem.check for problem in problems] == ["prefix-mismatch"]
    assert problems[0].detail.endswith("node-0, node-1, node-2")


def test_installer_first_and_each_problem_once() -> None:
    deployment = all_of(cluster(name="A", api_vips=("192.168.111.80",)), host(1, hostname="localhost"))(
        good_deployment()
    )
    problems = validate(deployment, today=TODAY)
    assert [problem.layer for problem in problems] == ["installer", "ours", "ours"]
    assert len(problems) == len(set(problems))


def test_nothing_is_changed() -> None:
    deployment = good_deployment()
    before = copy.deepcopy(deployment)
    validate(deployment, today=TODAY)
    assert deployment == before


V6_MACHINES = networking(machine_networks=("fd2e:6f44:5dd8::/64",))
DUAL_MACHINES = networking(machine_networks=("192.168.111.0/24", "fd2e:6f44:5dd8::/64"))
CLUSTER_V6 = "fd01::/48 with host prefix 64"
FAMILIES: list[tuple[str, Change, list[tuple[str, str]]]] = [
    (
        "IPv6 machines, nothing else said",
        V6_MACHINES,
        [
            ("networking.serviceNetwork", "write fd02::/112 and take IPv4 out"),
            ("networking.clusterNetwork", f"write {CLUSTER_V6} and take IPv4 out"),
        ],
    ),
    (
        "machines of both families, nothing else said",
        DUAL_MACHINES,
        [("networking.serviceNetwork", "add fd02::/112"), ("networking.clusterNetwork", f"add {CLUSTER_V6}")],
    ),
    (
        "IPv6 all but the machines",
        networking(service_networks=("fd02::/112",), cluster_networks=(ClusterNetwork("fd01::/48", 64),)),
        [("networking.machineNetwork", "write the IPv6 network of the hosts")],
    ),
    (
        "IPv6 services alone",
        networking(service_networks=("fd02::/112",)),
        [("networking.serviceNetwork", "write 172.30.0.0/16 and take IPv6 out")],
    ),
    (
        "pods of both families",
        networking(cluster_networks=(ClusterNetwork("10.128.0.0/14", 23), ClusterNetwork("fd01::/48", 64))),
        [("networking.clusterNetwork", "take IPv6 out")],
    ),
    ("dual stack", dual_stack, []),
    (
        "all IPv6",
        all_of(
            V6_MACHINES,
            networking(service_networks=("fd02::/112",), cluster_networks=(ClusterNetwork("fd01::/48", 64),)),
        ),
        [],
    ),
    (
        "a VIP of the wrong family behind a load balancer of one's own",
        cluster(api_vips=("fd2e:6f44:5dd8::5",), platform_options={"loadBalancer": {"type": "UserManaged"}}),
        [("platform.baremetal.apiVIPs[0]", "choose an address of the hosts' family")],
    ),
]


@pytest.mark.parametrize(("change", "expected"), [case[1:] for case in FAMILIES], ids=[case[0] for case in FAMILIES])
def test_address_families(change: Change, expected: list[tuple[str, str]]) -> None:
    found = [
        problem for problem in validate(change(good_deployment()), today=TODAY) if problem.check == "address-families"
    ]
    assert [(problem.path, problem.hint) for problem in found] == expected
    assert all(problem.severity == "error" and problem.layer == "ours" for problem in found)


def test_a_rendezvous_ip_of_another_family_is_in_no_machine_network() -> None:
    found = validate(cluster(rendezvous_ip="fd2e:6f44:5dd8::80")(good_deployment()), today=TODAY)
    assert [(problem.path, problem.kind) for problem in found] == [("rendezvousIP", INVALID)]


@pytest.mark.parametrize(
    "path", ["~/pull-secret.json", "/etc/pull-secret", "pull-secret.txt", "../secrets/pull.json", "./id_ed25519.pub"]
)
def test_a_path_where_content_belongs_is_reported(path: str) -> None:
    for change in (cluster(pull_secret=path), cluster(ssh_key=path)):
        (problem,) = validate(change(good_deployment()), today=TODAY)
        assert "lookup('ansible.builtin.file', '…')" in problem.hint and path not in problem.text()


@pytest.mark.parametrize("text", ["{auths: x}", "hunter2", "bGFiOmxhYmxhYg==", "ssh-dss AAAA"])
def test_other_texts_are_not_taken_for_paths(text: str) -> None:
    assert path_hint(text) == ""
