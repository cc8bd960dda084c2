# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the checks that this collection adds to the installer's: they accept configurations that install, and each
decision inside a check has a case.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.facts import Facts
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.ours.links import ports_missing
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.ours.mirrors import split_image
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.validate import validate
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Deployment,
    ImageDigestSource,
    Interface,
    Pool,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.base import (
    TODAY,
    Change,
    all_of,
    cluster,
    good_deployment,
    host,
    network,
    networking,
    pool,
    put,
)

DIGEST = "@sha256:" + "0a" * 32
RELEASE = "quay.io/openshift-release-dev/ocp-release"
MIRROR = "registry.example.com:5000"
USER_MANAGED = {"loadBalancer": {"type": "UserManaged"}}


def also(index: int, **entry: Any) -> Change:
    """A further interface of a host."""
    return network(index, lambda document: document["interfaces"].append({"state": "up", **entry}))


def static(*addresses: str) -> dict[str, Any]:
    pairs = [address.split("/") for address in addresses]
    return {"enabled": True, "address": [{"ip": ip, "prefix-length": int(length)} for ip, length in pairs]}


def route(index: int, destination: str, hop: str, interface: str = "eno1") -> Change:
    entry = {"destination": destination, "next-hop-interface": interface, **({"next-hop-address": hop} if hop else {})}
    return network(index, lambda document: document["routes"]["config"].insert(0, entry))


def on_bridge(deployment: Deployment) -> Deployment:
    """The NIC of host 3 as a port, its address on the bridge."""

    def edit(document: dict[str, Any]) -> None:
        nic = document["interfaces"][0]
        bridge = {
            "name": "br0",
            "type": "linux-bridge",
            "state": "up",
            "bridge": {"port": [{"name": "eno1"}]},
            "ipv4": nic.pop("ipv4"),
        }
        nic.pop("ipv6")
        document["interfaces"].append(bridge)
        document["routes"]["config"][0]["next-hop-interface"] = "br0"

    return network(3, edit)(deployment)


def user_managed(platform: str) -> Change:
    """Several nodes whose network is the user's affair."""
    return cluster(
        platform=platform,
        api_vips=(),
        ingress_vips=(),
        platform_options={"platformName": "kvm"} if platform == "external" else {},
    )


def in_subnets(deployment: Deployment) -> Deployment:
    """Each host in a /24 of its own inside one machine network."""
    for index in range(4):
        stack = static(f"192.168.{index}.80/24")
        gateway = put("routes.config.0.next-hop-address", f"192.168.{index}.1")
        deployment = all_of(network(index, put("interfaces.0.ipv4", stack)), network(index, gateway))(deployment)
    return networking(machine_networks=("192.168.0.0/16",))(deployment)


def mirrored(release_image: str, *sources: str) -> Change:
    return cluster(
        release_image=release_image,
        image_digest_sources=tuple(ImageDigestSource(source, (f"{MIRROR}/ocp",)) for source in sources),
    )


def arbiter(**changes: Any) -> Change:
    """Two control-plane hosts and an arbiter, which is host 2."""
    return all_of(pool("control_plane", replicas=2), cluster(arbiter=Pool(1), **changes), host(2, role="arbiter"))


INSTALLS: list[tuple[str, Change]] = [
    # rendezvous
    ("an arbiter is the rendezvous host", arbiter(rendezvous_ip="192.168.111.82")),
    (
        "an arbiter is named first",
        all_of(arbiter(), lambda d: dataclasses.replace(d, hosts=(d.hosts[2], *d.hosts[:2], *d.hosts[3:]))),
    ),
    (
        "the arbiter alone may have it by DHCP",
        all_of(
            arbiter(rendezvous_ip="192.168.111.99"),
            network(2, put("interfaces.0.ipv4", {"enabled": True, "dhcp": True})),
        ),
    ),
    # addresses
    (
        "the same address on a dummy of every host",
        all_of(*(also(i, name="dummy0", type="dummy", ipv4=static("10.77.0.1/24")) for i in range(3))),
    ),
    (
        "the same addresses on cables between pairs",
        all_of(*(also(i, name="eno8", type="ethernet", ipv4=static("10.77.0.1/30")) for i in (0, 2))),
    ),
    (
        "the same link-local address everywhere",
        all_of(*(also(i, name="usb0", type="ethernet", ipv4=static("169.254.3.1/24")) for i in range(3))),
    ),
    (
        "a single address with routes to its link",
        all_of(
            user_managed("none"),
            network(3, put("interfaces.0.ipv4", static("192.168.111.83/32"))),
            route(3, "192.168.111.1/32", ""),
        ),
    ),
    (
        "two addresses of one interface in one network",
        network(3, put("interfaces.0.ipv4", static("192.168.111.83/24", "192.168.111.99/24"))),
    ),
    ("hosts in subnets of the machine network", all_of(in_subnets, user_managed("none"))),
    ("workers in a subnet of the machine network", network(3, put("interfaces.0.ipv4", static("192.168.111.83/25")))),
    (
        "last address of a larger network",
        all_of(
            network(3, put("interfaces.0.ipv4", static("192.168.110.255/23"))),
            networking(machine_networks=("192.168.110.0/23",)),
            *(network(i, put("interfaces.0.ipv4.address.0.prefix-length", 23)) for i in (0, 1, 2, 4)),
        ),
    ),
    (
        "hosts outside the machine networks where the user manages the network",
        all_of(
            user_managed("none"),
            network(3, put("interfaces.0.ipv4", static("10.55.0.3/24"))),
            network(3, put("routes.config.0.next-hop-address", "10.55.0.1")),
        ),
    ),
    (
        "one of two machine networks with the user's load balancer",
        all_of(
            networking(machine_networks=("192.168.111.0/24", "192.168.112.0/24")),
            cluster(platform_options=USER_MANAGED),
            network(3, put("interfaces.0.ipv4", static("192.168.112.83/24"))),
            network(3, put("routes.config.0.next-hop-address", "192.168.112.1")),
        ),
    ),
    ("a NIC by DHCP beside a static one", also(3, name="eno2", type="ethernet", ipv4={"enabled": True, "dhcp": True})),
    (
        "a VIP of the user's load balancer that is the gateway",
        all_of(cluster(platform_options=USER_MANAGED), cluster(api_vips=("192.168.111.1",))),
    ),
    (
        "static address in no cluster network with another plug-in",
        all_of(networking(network_type="Calico"), also(3, name="eno2", type="ethernet", ipv4=static("100.64.7.3/24"))),
    ),
    # routes
    (
        "a gateway that only a route of the link reaches",
        all_of(network(3, put("routes.config.0.next-hop-address", "10.99.0.1")), route(3, "10.99.0.1/32", "")),
    ),
    (
        "no default route but a lease",
        all_of(
            network(3, put("interfaces.0.ipv4", {"enabled": True, "dhcp": True})), network(3, lambda d: d.pop("routes"))
        ),
    ),
    # links
    ("a NIC that networkConfig only names in the table", network(4, lambda d: d["interfaces"].pop())),
    ("VLAN on a NIC of the table", also(4, name="eno2.7", type="vlan", vlan={"base-iface": "eno2", "id": 7})),
    (
        "a NIC with any name in the table, and a VLAN on it",
        all_of(
            host(
                3, interfaces=(Interface("eno1", "52:54:00:ab:00:03"), Interface("NIC 2 of racks", "52:54:00:ab:09:03"))
            ),
            also(3, name="NIC 2 of racks", type="ethernet"),
            also(3, name="NIC 2 of racks.2345", type="vlan", vlan={"base-iface": "NIC 2 of racks", "id": 2345}),
        ),
    ),
    (
        "an interface that is to be absent has any MAC",
        network(3, lambda d: d["interfaces"].append({"name": "old0", "type": "bond", "state": "absent"})),
    ),
    (
        "the MTU of a NIC in a VRF or a bridge of Open vSwitch, which have none",
        all_of(
            also(3, name="eno2", type="ethernet", mtu=1400),
            also(3, name="red", type="vrf", vrf={"port": ["eno2"], "route-table-id": 7}),
            also(2, name="eno2", type="ethernet", mtu=1400),
            also(2, name="br-ex", type="ovs-bridge", bridge={"port": [{"name": "eno2"}]}),
        ),
    ),
    ("the address on a bridge", on_bridge),
    # disks
    *(
        (f"root device {hints}", host(3, root_device_hints=hints))
        for hints in (
            {"deviceName": "/dev/sda", "hctl": "0:0:0:0", "rotational": True, "minSizeGigabytes": 120},
            {"deviceName": "/dev/nvme0n1", "rotational": False, "wwn": "eui.0025385b71b0a1c3"},
            {"deviceName": "/dev/disk/by-path/pci-0000:02:00.0-scsi-0:2:0:0", "hctl": "4:2:0:0"},
            {"deviceName": "/dev/disk/by-path/pci-0000:00:1f.2-ata-1", "hctl": "1:0:0:0"},
            {"deviceName": "/dev/vda", "rotational": True, "serialNumber": "disk-1"},
            {"deviceName": "/dev/mmcblk0"},
            {"deviceName": "/dev/dm-0", "wwn": "0x5000c500a0b1c2d3"},
            {"model": "PERC", "vendor": "DELL", "minSizeGigabytes": 500_000},
            {"wwn": "naa.6000C29"},
        )
    ),
    # images
    *(
        (f"release {image} with " + (", ".join(sources) or "no mirrors"), mirrored(image, *sources))
        for image, *sources in (
            (f"{RELEASE}:4.22.0-x86_64",),
            (f"{RELEASE}:4.22.0-multi",),
            (f"{RELEASE}:4.22.0-rc.3-x86_64",),
            (f"{RELEASE}:4.22.0-0.nightly-2026-01-01-000000",),
            (f"{RELEASE}:latest",),
            (f"{RELEASE}:4.22.0-x86_64{DIGEST}", RELEASE),
            (f"{RELEASE}{DIGEST}", RELEASE, "quay.io/openshift-release-dev/ocp-v4.0-art-dev"),
            # The mirror itself, with a port; other mirrors say nothing of the release.
            (f"{MIRROR}/ocp/release{DIGEST}", RELEASE),
            (f"{RELEASE}{DIGEST}", "registry.redhat.io/redhat/redhat-operator-index"),
            # A source with a port, to the letter.
            (f"mirror.example.com:8443/ocp/release{DIGEST}", "mirror.example.com:8443/ocp/release"),
            # The public release, and mirrors of what it is made of.
            (f"{RELEASE}:4.22.0-x86_64", "quay.io/openshift-release-dev/ocp-v4.0-art-dev"),
        )
    ),
]


@pytest.mark.parametrize("change", [case[1] for case in INSTALLS], ids=[case[0] for case in INSTALLS])
def test_what_installs_is_not_complained_about(change: Change) -> None:
    assert [problem.text() for problem in validate(change(good_deployment()), today=TODAY)] == []


REFUSED: list[tuple[str, Change, str]] = [
    (
        "hctl and a virtio disk",
        host(3, root_device_hints={"deviceName": "/dev/vda", "hctl": "0:0:0:0"}),
        "root-device-conflict",
    ),
    ("hctl with three numbers", host(3, root_device_hints={"hctl": "0:0:0"}), "root-device-conflict"),
    (
        "hctl of another disk",
        host(3, root_device_hints={"deviceName": "/dev/disk/by-path/pci-0-scsi-0:2:1:0", "hctl": "0:2:0:0"}),
        "root-device-conflict",
    ),
    ("controller", host(3, root_device_hints={"deviceName": "/dev/nvme0"}), "root-device-conflict"),
    ("DVD", host(3, root_device_hints={"deviceName": "/dev/sr0"}), "root-device-conflict"),
    (
        "WWN of SCSI for NVMe",
        host(3, root_device_hints={"deviceName": "/dev/nvme0n1", "wwn": "0x5000c500"}),
        "root-device-conflict",
    ),
    (
        "WWN of NVMe for SCSI",
        host(3, root_device_hints={"deviceName": "/dev/sda", "wwn": "eui.00253"}),
        "root-device-conflict",
    ),
    (
        "control plane in a subnet without its VIP",
        all_of(
            network(1, put("interfaces.0.ipv4", static("192.168.111.129/25"))),
            network(1, put("routes.config.0.next-hop-address", "192.168.111.130")),
        ),
        "prefix-mismatch",
    ),
    ("default route in a table of its own", network(3, put("routes.config.0.table-id", 100)), "default-route-missing"),
    (
        "the same address in the machine network on a dummy",
        also(2, name="dummy0", type="dummy", ipv4=static("192.168.111.83/32")),
        "duplicate-address",
    ),
    ("overlapping networks", also(3, name="eno2", type="ethernet", ipv4=static("192.168.111.9/30")), "subnets-overlap"),
    (
        "host in OVN's join network",
        also(3, name="eno2", type="ethernet", ipv4=static("100.64.7.3/24")),
        "address-in-cluster-network",
    ),
    (
        "candidate for another candidate",
        all_of(cluster(version="4.22.0-rc.1"), mirrored(f"{RELEASE}:4.22.0-rc.2-x86_64")),
        "release-image-mismatch",
    ),
    (
        "CI release and mirrors of the public one",
        mirrored(f"{MIRROR.replace('5000', '5001')}/ocp/release{DIGEST}", RELEASE),
        "release-mirror",
    ),
    (
        "VIP of another family with the user's load balancer",
        cluster(api_vips=("fd99::1",), platform_options=USER_MANAGED),
        "address-families",
    ),
    (
        "no host in the second machine network",
        networking(machine_networks=("192.168.111.0/24", "10.55.0.0/24")),
        "address-outside-machine-network",
    ),
]


@pytest.mark.parametrize(("change", "check"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_does_not_install_is_reported_once(change: Change, check: str) -> None:
    problems = validate(change(good_deployment()), today=TODAY)
    assert [problem.check for problem in problems if problem.check != "release-registry-without-credentials"] == [
        check
    ], [p.text() for p in problems]


def test_a_wider_source_is_named_with_what_to_write() -> None:
    (problem,) = validate(
        mirrored(f"{RELEASE}{DIGEST}", "quay.io/openshift-release-dev")(good_deployment()), today=TODAY
    )
    assert (problem.check, problem.hint) == ("release-mirror", f"name {RELEASE} as a source of its own")


def missing_ports(entry: dict[str, Any]) -> list[Problem]:
    """Missing ports of one more interface, whatever types are rendered."""
    deployment = also(3, **entry)(good_deployment())
    facts = Facts(deployment, TODAY)
    facts.hosts[3].__dict__["document"] = facts.hosts[0].document
    return list(ports_missing(facts))


def ports_of_bridge() -> list[Problem]:
    return missing_ports({"name": "br0", "type": "linux-bridge", "bridge": {"port": [{"name": "eno7"}]}})


def ports_of(entry: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (problem.check, problem.path.partition("networkConfig.")[2], problem.value) for problem in missing_ports(entry)
    ]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"name": "br0", "type": "linux-bridge", "bridge": {"port": [{"name": "eno1"}]}}, []),
        (
            {"name": "br0", "type": "linux-bridge", "bridge": {"port": [{"name": "eno1"}, {"name": "eno7"}]}},
            [("port-missing", "interfaces[1].bridge.port[1].name", '"eno7"')],
        ),
        (
            {
                "name": "br0",
                "type": "ovs-bridge",
                "bridge": {"port": [{"name": "bond9", "link-aggregation": {"port": []}}]},
            },
            [],
        ),
        (
            {"name": "v0", "type": "vrf", "vrf": {"port": ["eno1", "eno8"]}},
            [("port-missing", "interfaces[1].vrf.port[1]", '"eno8"')],
        ),
        ({"name": "v0", "type": "vrf", "state": "absent", "vrf": {"port": ["eno8"]}}, []),
        (
            {"name": "b0", "type": "bond", "link-aggregation": {"port": ["eno8"]}},
            [("bond-port-missing", "interfaces[1].link-aggregation.port", '"eno8"')],
        ),
    ],
)
def test_ports(entry: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    assert ports_of(entry) == expected


@pytest.mark.parametrize(
    ("image", "parts"),
    [
        ("quay.io/a/b:1.2.3", ("quay.io/a/b", "1.2.3", "")),
        ("r:5000/a/b", ("r:5000/a/b", "", "")),
        ("r:5000/a/b:1", ("r:5000/a/b", "1", "")),
        ("r:5000/a/b:1@sha256:00", ("r:5000/a/b", "1", "sha256:00")),
        ("r:5000/a/b@sha256:00", ("r:5000/a/b", "", "sha256:00")),
        ("", ("", "", "")),
    ],
)
def test_image_names(image: str, parts: tuple[str, str, str]) -> None:
    assert split_image(image) == parts


def test_what_the_installer_refuses_is_not_refused_again() -> None:
    """One mistake, one problem: a value that has to change anyway is looked at once it has."""
    deployment = networking(machine_networks=("192.168.111.0/24", "100.64.8.0/24"))(good_deployment())
    assert [(problem.path, problem.layer) for problem in validate(deployment, today=TODAY)] == [
        ("networking.machineNetwork[1]", "installer")
    ]
